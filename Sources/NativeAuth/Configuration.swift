@_exported public import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a ``NativeAuthClient`` needs to know. Read once, when the client is made.
public struct NativeAuthConfiguration: Sendable {
    /// The identifier of the registered application, a UUID as text.
    public var clientID: String
    /// Where the tenant lives.
    public var authority: Authority
    /// How users of this app may prove who they are; must match the app's registration. The web is always offered too.
    public var challengeTypes: Set<ChallengeType>
    /// What the app can handle beyond the first factor. Without them a tenant that needs more answers
    /// ``NativeAuthError/browserRequired(_:)``.
    public var capabilities: Set<Capability>
    /// Adds headers to every request.
    public var requestInterceptor: (any RequestInterceptor)?
    /// How requests travel.
    public var transport: any HTTPTransport
    /// Where the session of the signed-in user is kept.
    public var tokenCache: any TokenCache
    /// The value of `Accept-Language`, which chooses the language of mail; nil for the languages of the device.
    public var acceptLanguage: String?

    package var now: @Sendable () -> Date = { Date() }
    package var makeCorrelationID: @Sendable () -> UUID = { UUID() }

    /// Describes an application.
    ///
    /// - Parameters:
    ///   - clientID: The application's identifier, a UUID as text. A wrong one is refused by the server.
    ///   - authority: Where the tenant lives.
    ///   - challengeTypes: ``ChallengeType/oneTimePasscode``, ``ChallengeType/password`` or both.
    ///   - capabilities: What the app can handle beyond the first factor.
    public init(
        clientID: String, authority: Authority, challengeTypes: Set<ChallengeType>,
        capabilities: Set<Capability> = []
    ) {
        self.clientID = clientID
        self.authority = authority
        self.challengeTypes = challengeTypes
        self.capabilities = capabilities
        transport = URLSessionTransport()
        tokenCache = InMemoryTokenCache()
    }
}

extension NativeAuthConfiguration {
    /// The parameter `challenge_type`, in the order of the vendor's client (native-auth-v1 §3.2).
    var challengeTypeWords: [String] {
        ChallengeType.allCases.filter { $0 == .redirect || challengeTypes.contains($0) }.map(\.rawValue)
    }

    /// The parameter `capabilities`, left out when there are none (native-auth-v1 §3.3).
    var capabilityWords: [String]? {
        capabilities.isEmpty ? nil : Capability.allCases.filter(capabilities.contains).map(\.rawValue)
    }
}

/// Adds headers of the app's own, such as those of a fraud protection service, to every request.
public protocol RequestInterceptor: Sendable {
    /// The headers for a request to `url`.
    ///
    /// A name must start with `x-`; the prefixes `x-ms-`, `x-client-`, `x-broker-` and `x-app-` are reserved. Headers
    /// with other names, or with control characters in the value, are left out.
    func additionalHeaders(for url: URL) async -> [String: String]
}

/// The environment variable that lets an unchanged app talk to a server of one's own while it is developed.
///
/// In debug builds `NATIVE_AUTH_EMULATOR`, a base URL such as `http://127.0.0.1:8765`, takes the place of
/// `https://{subdomain}.ciamlogin.com`. Release builds ignore it, and other authorities are left alone.
enum Emulator {
    static let variable = "NATIVE_AUTH_EMULATOR"

    static func authority(
        for configured: Authority, environment: [String: String]
    ) -> Result<Authority, ConfigurationProblem> {
        #if DEBUG
            guard configured.isVendorCloud, let base = environment[variable], !base.isEmpty else {
                return .success(configured)
            }
            guard let url = URL(string: base) else { return .failure(.emulator) }
            do throws(AuthorityError) {
                return .success(try configured.moved(to: url))
            } catch {
                return .failure(.emulator)
            }
        #else
            return .success(configured)
        #endif
    }
}

/// What is wrong with how a client was set up.
enum ConfigurationProblem: Error {
    case emulator

    var message: String {
        switch self {
        case .emulator: "The environment variable \(Emulator.variable) is not an https URL or a loopback http URL."
        }
    }
}
