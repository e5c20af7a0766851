public import Foundation
internal import NativeAuth
internal import NativeAuthCore

/// How the app can let a user sign in. It must match the app's registration, or the server sends the user to a browser.
public struct MSALNativeAuthChallengeTypes: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A one-time passcode.
    public static let OOB = MSALNativeAuthChallengeTypes(rawValue: 1 << 0)
    /// A password.
    public static let password = MSALNativeAuthChallengeTypes(rawValue: 1 << 1)
}

/// The requirements beyond the first factor that the app can handle.
public struct MSALNativeAuthCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Asking for a second factor.
    public static let mfaRequired = MSALNativeAuthCapabilities(rawValue: 1 << 0)
    /// Registering a strong authentication method.
    public static let registrationRequired = MSALNativeAuthCapabilities(rawValue: 1 << 1)
}

/// The address of the tenant that issues tokens. Immutable.
public class MSALAuthority: NSObject, @unchecked Sendable {
    // Sendable holds because the only stored property is immutable and Sendable, and the subclasses add none.

    let authority: Authority

    /// The address, in lower case where case does not matter, without query and fragment.
    public var url: URL { authority.url }

    /// An authority.
    ///
    /// - Parameter url: An `https` address with a host, or an `http` address on this machine. The path names the
    ///   tenant; only the hosts of external tenants need none.
    /// - Throws: An error in ``MSALErrorDomain`` when `url` is not such an address.
    public init(url: URL) throws {
        do throws(AuthorityError) {
            authority = try Authority(url: url)
        } catch {
            throw NSError.msal("The authority \(error.reason).", underlying: error)
        }
    }

    init(_ authority: Authority) {
        self.authority = authority
    }

    /// Whether the tenant supports native authentication: the app says so, or does not say and the host has the form.
    var isOfExternalTenant: Bool {
        self is MSALCIAMAuthority || (type(of: self) == MSALAuthority.self && hasCIAMHost)
    }

    /// Whether the host has the form of an external tenant: its second label is `ciamlogin`.
    fileprivate var hasCIAMHost: Bool {
        let labels = authority.environment.split(separator: ".")
        return url.scheme == "https" && labels.count > 2 && labels[1] == "ciamlogin"
    }
}

extension AuthorityError {
    fileprivate var reason: String {
        switch self {
        case .invalidSubdomain: "is not below a host label"
        case .malformed: "is not an address with a host"
        case .insecure: "is neither https nor http on this machine"
        case .containsCredentials: "contains a user name or password"
        case .missingTenant: "names no tenant: end it with the tenant's subdomain, domain or id"
        }
    }
}

/// The address of an external tenant, such as `https://contoso.ciamlogin.com/contoso.onmicrosoft.com`. Immutable.
public final class MSALCIAMAuthority: MSALAuthority, @unchecked Sendable {
    /// An authority on the hosts of external tenants.
    ///
    /// - Parameter url: An `https` address whose host has `ciamlogin` as its second label. Without a path, that of the
    ///   tenant's first domain is added.
    /// - Throws: An error in ``MSALErrorDomain`` when `url` is not such an address.
    public convenience override init(url: URL) throws {
        try self.init(url: url, validateFormat: true)
    }

    /// An authority, optionally on any host.
    ///
    /// - Parameters:
    ///   - url: An `https` address, or an `http` address on this machine; on your own host the path names the tenant.
    ///   - validateFormat: False to accept hosts other than those of external tenants.
    /// - Throws: An error in ``MSALErrorDomain`` when `url` is not such an address.
    public init(url: URL, validateFormat: Bool) throws {
        try super.init(url: url)
        if validateFormat && !hasCIAMHost {
            throw NSError.msal("The authority is not on a host of an external tenant.")
        }
    }

    /// The authority of an application object, which was already validated.
    override init(_ authority: Authority) {
        super.init(authority)
    }
}

/// The address of a workforce tenant, which does not support native authentication: an application object refuses it.
/// Immutable.
public final class MSALAADAuthority: MSALAuthority, @unchecked Sendable {}

/// The address of a tenant of the older service for customers, which does not support native authentication: an
/// application object refuses it. Immutable.
public final class MSALB2CAuthority: MSALAuthority, @unchecked Sendable {}

/// A part of the vendor's cloud that requests must go to, for tests. Immutable.
public final class MSALSliceConfig: NSObject, Sendable {
    /// The slice. Stored only: native authentication has no parameter for it.
    public let slice: String
    /// The data centre, sent as the parameter `dc` in the address of every request; none when empty.
    public let dc: String

    /// A part of the cloud; nil when neither name is given.
    public init?(slice: String?, dc: String?) {
        guard slice != nil || dc != nil else { return nil }
        self.slice = slice ?? ""
        self.dc = dc ?? ""
    }
}

/// Where the account is stored.
public final class MSALCacheConfig: NSObject {
    /// The access group of the Keychain, for several apps of one team, such as `com.example.shared`; a missing team
    /// prefix is added. The app's entitlement `keychain-access-groups` must list the group.
    ///
    /// Empty, or the bundle identifier of the app, for the app's default group: the first group of the entitlement, or
    /// the app's own. No effect on systems without a Keychain.
    public var keychainSharingGroup = MSALCacheConfig.defaultKeychainSharingGroup()

    override init() {}

    /// Empty, which means the app's default group.
    public class func defaultKeychainSharingGroup() -> String { "" }
}

/// The settings that all kinds of applications share.
///
/// They are read when the application object is made; changing them afterwards has no effect on it.
public class MSALPublicClientApplicationConfig: NSObject {
    /// The identifier of the app's registration, a UUID.
    public var clientId: String
    /// The address at which a browser ends, as registered for the app. Nil for `msauth.{bundle ID}://auth` in an app of
    /// Apple's systems, and for `http://localhost/` with any port elsewhere.
    public var redirectUri: String?
    /// The tenant. Nil means workforce tenants, which do not support native authentication.
    public var authority: MSALAuthority?
    /// Authorities that a browser may be sent to. Stored only: requests and pages are those of ``authority``.
    public var knownAuthorities: [MSALAuthority] = []
    /// Whether ``redirectUri`` is not checked when the application object is made. A wrong one then fails when a browser is
    /// needed.
    public var bypassRedirectURIValidation = false
    /// How long before its expiry an access token is refreshed, in seconds. Stored only: it is always 300.
    public var tokenExpirationBuffer = 300.0
    /// The part of the vendor's cloud that requests must go to; nil for the nearest.
    public var sliceConfig: MSALSliceConfig?
    /// Where the account is stored.
    public let cacheConfig = MSALCacheConfig()

    /// Settings of an app that names no tenant.
    public convenience init(clientId: String) {
        self.init(clientId: clientId, redirectUri: nil, authority: nil)
    }

    /// Settings of an app in a tenant.
    public init(clientId: String, redirectUri: String?, authority: MSALAuthority?) {
        self.clientId = clientId
        self.redirectUri = redirectUri
        self.authority = authority
    }
}

/// The settings of an app that uses native authentication.
public final class MSALNativeAuthPublicClientApplicationConfig: MSALPublicClientApplicationConfig {
    /// The requirements beyond the first factor that the app can handle; a tenant that requires more sends the user to
    /// a browser.
    public var capabilities: MSALNativeAuthCapabilities = []
    /// Adds header fields to each request; kept until the application object is released.
    public var requestInterceptor: (any MSALNativeAuthRequestInterceptor)?
    let challengeTypes: MSALNativeAuthChallengeTypes

    /// Settings with an explicit tenant address.
    ///
    /// - Parameters:
    ///   - clientId: The identifier of the app's registration, a UUID.
    ///   - authority: A `MSALCIAMAuthority`.
    ///   - challengeTypes: The challenge types of the app's registration.
    public init(clientId: String, authority: MSALAuthority, challengeTypes: MSALNativeAuthChallengeTypes) {
        self.challengeTypes = challengeTypes
        super.init(clientId: clientId, redirectUri: nil, authority: authority)
    }

    /// Settings with a tenant's subdomain.
    ///
    /// - Parameters:
    ///   - clientId: The identifier of the app's registration, a UUID.
    ///   - tenantSubdomain: The first label of the tenant's host, such as `contoso`.
    ///   - challengeTypes: The challenge types of the app's registration.
    /// - Throws: An error in ``MSALErrorDomain`` when `tenantSubdomain` is not a host label.
    public init(clientId: String, tenantSubdomain: String, challengeTypes: MSALNativeAuthChallengeTypes) throws {
        self.challengeTypes = challengeTypes
        let url: URL
        do throws(AuthorityError) {
            url = try Authority(tenantSubdomain: tenantSubdomain).url
        } catch {
            throw NSError.msal("The tenant subdomain is not a host label.", underlying: error)
        }
        super.init(clientId: clientId, redirectUri: nil, authority: try MSALCIAMAuthority(url: url))
    }
}

/// Receives the header fields that an interceptor adds; only the first call counts.
public typealias MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock = @Sendable ([String: String]?) -> Void

/// Adds header fields to requests, for example for a proxy in front of the server.
///
/// It is called from any thread, before each request. Only names that begin with `x-` are accepted, except names that
/// begin with `x-ms-`, `x-client-`, `x-broker-` or `x-app-`.
public protocol MSALNativeAuthRequestInterceptor: NSObjectProtocol {
    /// Asks for the fields of one request; answer by calling `completionBlock`, with nil for none. Releasing the block
    /// without a call also means nil.
    func addAdditionalHeaderFields(
        _ requestUrl: URL?, completionBlock: @escaping MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock)
}

// MARK: - Translation

extension MSALNativeAuthPublicClientApplicationConfig {
    /// The client's configuration from the current settings.
    ///
    /// - Parameter transport: The transport; nil for the default.
    /// - Throws: An error in ``MSALErrorDomain`` for a blank client ID or a tenant without native authentication.
    func translated(transport: (any HTTPTransport)? = nil) throws -> NativeAuthConfiguration {
        guard clientId.contains(where: { !$0.isWhitespace }) else { throw NSError.msal("The client ID is blank.") }
        guard let authority, authority.isOfExternalTenant else {
            throw NSError.msal("Native authentication needs the authority of an external tenant.")
        }
        var configuration = NativeAuthConfiguration(
            clientID: clientId, authority: authority.authority, challengeTypes: challengeTypes.translated,
            capabilities: capabilities.translated)
        configuration.redirectURI = try checkedRedirectURI()
        configuration.requestInterceptor = requestInterceptor.map(Interceptor.init)
        #if canImport(Security)
            configuration.tokenCache = KeychainTokenCache(accessGroup: cacheConfig.accessGroup)
        #else
            configuration.tokenCache = InMemoryTokenCache.shared
        #endif
        configuration.onTokenCacheProblem = { problem in
            MSALGlobalConfig.loggerConfig.log(.error, "The token cache has a problem: \(problem.name)")
        }
        if let transport { configuration.transport = transport }
        if let dc = sliceConfig?.dc, !dc.isEmpty {
            configuration.transport = SliceTransport(transport: configuration.transport, dc: dc)
        }
        return configuration
    }
}

extension MSALPublicClientApplicationConfig {
    /// - Throws: An error in ``MSALErrorDomain`` for an address that cannot be a redirect URI.
    fileprivate func checkedRedirectURI() throws -> URL? {
        guard let redirectUri, !redirectUri.isEmpty else { return nil }
        let url = URL(string: redirectUri)
        guard !bypassRedirectURIValidation else { return url }
        guard let url, let scheme = url.scheme?.lowercased(), url.fragment == nil else {
            throw NSError.msal("The redirect URI is no address, or has a fragment.", internal: .invalidRedirectURI)
        }
        #if os(iOS)
            // App extensions have no list of their own.
            let types = Bundle.main.infoDictionary?["CFBundleURLTypes"] as? [[String: Any]] ?? []
            let schemes = types.flatMap { $0["CFBundleURLSchemes"] as? [String] ?? [] }.map { $0.lowercased() }
            let isExtension = Bundle.main.bundleURL.pathExtension == "appex"
            guard scheme == "https" || scheme == "http" || isExtension || schemes.contains(scheme) else {
                throw NSError.msal(
                    "The scheme of the redirect URI is not in CFBundleURLTypes.", internal: .redirectSchemeNotRegistered
                )
            }
        #endif
        guard scheme != "http" || Authority.isLoopback(url.host(percentEncoded: true)?.lowercased() ?? "") else {
            throw NSError.msal("An http redirect URI is on this machine only.", internal: .invalidRedirectURI)
        }
        return url
    }
}

extension TokenCacheError {
    /// Only the case: its value, the path or the name of an item, may name the user.
    fileprivate var name: String {
        switch self {
        case .setAside: "setAside"
        case .tooOpen: "tooOpen"
        case .foreignOwner: "foreignOwner"
        case .symbolicLink: "symbolicLink"
        case .wrongKind: "wrongKind"
        case .invalidKey: "invalidKey"
        case .system: "system"
        case .missingEntitlement: "missingEntitlement"
        case .keychain: "keychain"
        }
    }
}

extension MSALNativeAuthChallengeTypes {
    fileprivate var translated: Set<ChallengeType> {
        var types: Set<ChallengeType> = []
        if contains(.OOB) { types.insert(.oneTimePasscode) }
        if contains(.password) { types.insert(.password) }
        return types
    }
}

extension MSALNativeAuthCapabilities {
    fileprivate var translated: Set<Capability> {
        var capabilities: Set<Capability> = []
        if contains(.mfaRequired) { capabilities.insert(.mfaRequired) }
        if contains(.registrationRequired) { capabilities.insert(.registrationRequired) }
        return capabilities
    }
}

/// Adds the parameter `dc` to every address.
private struct SliceTransport: NetworkTransport {
    let transport: any HTTPTransport
    let dc: String

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.url.append(queryItems: [URLQueryItem(name: "dc", value: dc)])
        return try await transport.send(request)
    }
}

/// Asks the app's interceptor.
private struct Interceptor: RequestInterceptor, @unchecked Sendable {
    // Sendable relies on the documented contract of the app's object: it may be called from any thread.
    let interceptor: any MSALNativeAuthRequestInterceptor

    func additionalHeaders(for url: URL) async -> [String: String] {
        await withCheckedContinuation { continuation in
            let answer = FirstAnswer(continuation)
            interceptor.addAdditionalHeaderFields(url) { answer.give($0 ?? [:]) }
        }
    }

    /// Takes the first answer. Deallocation without an answer also counts as one, so that a forgotten block cannot
    /// block the flow.
    private final class FirstAnswer: @unchecked Sendable {
        // Sendable holds because the mutable property is accessed only under the lock, or when no other reference
        // exists.
        private let lock = NSLock()
        private var continuation: CheckedContinuation<[String: String], Never>?

        init(_ continuation: CheckedContinuation<[String: String], Never>) {
            self.continuation = continuation
        }

        deinit {
            continuation?.resume(returning: [:])
        }

        func give(_ fields: [String: String]) {
            let first = lock.withLock {
                defer { continuation = nil }
                return continuation
            }
            first?.resume(returning: fields)
        }
    }
}
