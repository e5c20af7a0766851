public import Foundation
internal import NativeAuth
internal import NativeAuthCore

/// How the app can let a user prove who they are. It must agree with the app's registration, or the server sends the user to
/// a browser.
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

/// What the app can handle beyond the first factor.
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
    // Sendable holds because the one stored property is immutable and Sendable, and the subclasses add none.

    let authority: Authority

    /// The address, in lower case as far as it may be, without query and fragment.
    public var url: URL { authority.url }

    /// An authority.
    ///
    /// - Parameter url: An `https` address with a host, or an `http` address on this machine. The path names the tenant; only
    ///   the hosts of external tenants need none.
    /// - Throws: An error in ``MSALErrorDomain`` when `url` is no such address.
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

    /// Whether native authentication exists there: the app says so, or says nothing and the host has the form.
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
    /// - Throws: An error in ``MSALErrorDomain`` when `url` is no such address.
    public convenience override init(url: URL) throws {
        try self.init(url: url, validateFormat: true)
    }

    /// An authority, on any host if wanted.
    ///
    /// - Parameters:
    ///   - url: An `https` address, or an `http` address on this machine; on a host of one's own the path names the tenant.
    ///   - validateFormat: False to accept hosts other than those of external tenants.
    /// - Throws: An error in ``MSALErrorDomain`` when `url` is no such address.
    public init(url: URL, validateFormat: Bool) throws {
        try super.init(url: url)
        if validateFormat && !hasCIAMHost {
            throw NSError.msal("The authority is not on a host of an external tenant.")
        }
    }

    /// That of an application object, which has been looked at before.
    override init(_ authority: Authority) {
        super.init(authority)
    }
}

/// The address of a workforce tenant, where native authentication does not exist: an application object refuses it. Immutable.
public final class MSALAADAuthority: MSALAuthority, @unchecked Sendable {}

/// The address of a tenant of the older service for customers, where native authentication does not exist: an application
/// object refuses it. Immutable.
public final class MSALB2CAuthority: MSALAuthority, @unchecked Sendable {}

/// A part of the vendor's cloud that requests should go to, for tests. Immutable.
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

/// Where the account is kept.
public final class MSALCacheConfig: NSObject {
    /// The access group of the Keychain, for several apps of one team, such as `com.example.shared`; the prefix of the team is
    /// put in front where it is missing. The app's entitlement `keychain-access-groups` must list the group.
    ///
    /// Empty, or the bundle identifier of the app, for the app's default group: the first that the entitlement lists, or its
    /// own. Without effect where there is no Keychain.
    public var keychainSharingGroup = MSALCacheConfig.defaultKeychainSharingGroup()

    override init() {}

    /// Empty, for the app's default group.
    public class func defaultKeychainSharingGroup() -> String { "" }
}

/// The settings that all kinds of applications share.
///
/// They are read when the application object is made; changing them afterwards has no effect on it.
public class MSALPublicClientApplicationConfig: NSObject {
    /// The identifier of the app's registration, a UUID.
    public var clientId: String
    /// Where a browser would return to. Stored only: this module opens no browser.
    public var redirectUri: String?
    /// The tenant. Nil stands for workforce tenants, where native authentication does not exist.
    public var authority: MSALAuthority?
    /// Authorities that a browser may be sent to. Stored only: requests go to ``authority`` alone.
    public var knownAuthorities: [MSALAuthority] = []
    /// Whether ``redirectUri`` may have any form. Stored only: it is not looked at.
    public var bypassRedirectURIValidation = false
    /// How long before its end an access token is renewed, in seconds. Stored only: it is always 300.
    public var tokenExpirationBuffer = 300.0
    /// The part of the vendor's cloud that requests should go to; nil for whichever is near.
    public var sliceConfig: MSALSliceConfig?
    /// Where the account is kept.
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
    /// What the app can handle beyond the first factor; a tenant that needs more sends the user to a browser.
    public var capabilities: MSALNativeAuthCapabilities = []
    /// Adds header fields to each request; kept until the application object is released.
    public var requestInterceptor: (any MSALNativeAuthRequestInterceptor)?
    let challengeTypes: MSALNativeAuthChallengeTypes

    /// Settings with an explicit tenant address.
    ///
    /// - Parameters:
    ///   - clientId: The identifier of the app's registration, a UUID.
    ///   - authority: A `MSALCIAMAuthority`.
    ///   - challengeTypes: As in the app's registration.
    public init(clientId: String, authority: MSALAuthority, challengeTypes: MSALNativeAuthChallengeTypes) {
        self.challengeTypes = challengeTypes
        super.init(clientId: clientId, redirectUri: nil, authority: authority)
    }

    /// Settings with a tenant's subdomain.
    ///
    /// - Parameters:
    ///   - clientId: The identifier of the app's registration, a UUID.
    ///   - tenantSubdomain: The first label of the tenant's host, such as `contoso`.
    ///   - challengeTypes: As in the app's registration.
    /// - Throws: An error in ``MSALErrorDomain`` when `tenantSubdomain` is no host label.
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

/// Takes the header fields that an interceptor adds; only the first call counts.
public typealias MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock = @Sendable ([String: String]?) -> Void

/// Adds header fields to requests, for example for a proxy in front of the server.
///
/// It is called from any thread, before each request. Only names that begin with `x-` are taken, and none that begin with
/// `x-ms-`, `x-client-`, `x-broker-` or `x-app-`.
public protocol MSALNativeAuthRequestInterceptor: NSObjectProtocol {
    /// Asks for the fields of one request; answer by calling `completionBlock`, with nil for none. Releasing the block
    /// without a call means nil too.
    func addAdditionalHeaderFields(
        _ requestUrl: URL?, completionBlock: @escaping MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock)
}

// MARK: - Translation

extension MSALNativeAuthPublicClientApplicationConfig {
    /// What the client needs to know, as the settings are now.
    ///
    /// - Parameter transport: How requests travel; nil for the usual way.
    /// - Throws: An error in ``MSALErrorDomain`` for a blank client ID or a tenant without native authentication.
    func translated(transport: (any HTTPTransport)? = nil) throws -> NativeAuthConfiguration {
        guard clientId.contains(where: { !$0.isWhitespace }) else { throw NSError.msal("The client ID is blank.") }
        guard let authority, authority.isOfExternalTenant else {
            throw NSError.msal("Native authentication needs the authority of an external tenant.")
        }
        var configuration = NativeAuthConfiguration(
            clientID: clientId, authority: authority.authority, challengeTypes: challengeTypes.translated,
            capabilities: capabilities.translated)
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

extension TokenCacheError {
    /// The case alone: the path or the name of an item that belongs to it may name the user.
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
    // Sendable rests on the documented contract of the app's object: it is called from any thread.
    let interceptor: any MSALNativeAuthRequestInterceptor

    func additionalHeaders(for url: URL) async -> [String: String] {
        await withCheckedContinuation { continuation in
            let answer = Answer(continuation)
            interceptor.addAdditionalHeaderFields(url) { answer.give($0 ?? [:]) }
        }
    }

    /// Takes the first answer; going away without one is an answer too, so that a forgotten block cannot hang the flow.
    private final class Answer: @unchecked Sendable {
        // Sendable holds because the mutable property is touched under the lock only, or when nobody else has the object.
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
