@_exported public import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a ``NativeAuthClient`` needs to know. Read once, when the client is made.
///
/// Requests tell the server nothing about the device but this (`SDK-PRIV-1`): `accept-language`, `client-request-id` (a random
/// UUID for each flow), `x-client-sku` (`swift-native-auth`), `x-client-ver` (the version of this library), `x-client-os` (the
/// version of the operating system) and `x-client-cpu` (the architecture). There are no identifiers of the device and no
/// telemetry.
public struct NativeAuthConfiguration: Sendable {
    /// The identifier of the registered application, a UUID as text.
    public var clientID: String
    /// Where the tenant lives.
    public var authority: Authority
    /// How users of this app may prove who they are; must match the app's registration. The web is always offered too.
    public var challengeTypes: Set<ChallengeType>
    /// What the app can handle beyond the first factor. Without them a tenant that needs more answers
    /// ``SignUpError/browserRequired(_:)``.
    public var capabilities: Set<Capability>
    /// Adds headers to every request.
    public var requestInterceptor: (any RequestInterceptor)?
    /// How requests travel.
    public var transport: any HTTPTransport
    /// Where the sessions of the signed-in users are kept; in memory unless told otherwise (`SDK-STO-2`).
    public var tokenCache: any TokenCache
    /// Told what goes wrong with the token cache, such as that broken content was set aside and its users count as signed
    /// out (`SDK-STO-3`). Called on any thread, soon after it happened, with no lock held.
    public var onTokenCacheProblem: (@Sendable (TokenCacheError) -> Void)?
    /// The value of `Accept-Language`, which chooses the language of mail; nil for the languages of the device.
    public var acceptLanguage: String?

    /// The clock of the device. Setting it makes ``uptime`` follow.
    package var now: @Sendable () -> Date = { Date() } {
        didSet {
            let now = now
            uptime = { now().timeIntervalSinceReferenceDate }
        }
    }
    /// Seconds on a clock that nobody can set, from a moment that lasts as long as ``process``.
    package var uptime: @Sendable () -> Double = Moment.uptime
    /// Tells values of ``uptime`` of this process from those of others.
    package var process = Moment.process
    package var makeCorrelationID: @Sendable () -> UUID = { UUID() }
    /// Spreads the repetitions of many clients.
    package var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    /// Waits until something has taken too long.
    package var wait: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Waits before a request is repeated.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Why nothing may be sent, if that is known already; the first step tells.
    package var refusal: String?

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
        self.init(
            clientID: clientID, authority: authority, challengeTypes: challengeTypes, capabilities: capabilities,
            transport: URLSessionTransport())
    }

    /// As ``init(clientID:authority:challengeTypes:capabilities:)``, without a session for the network.
    package init(
        clientID: String, authority: Authority, challengeTypes: Set<ChallengeType>, capabilities: Set<Capability>,
        transport: any HTTPTransport
    ) {
        self.clientID = clientID
        self.authority = authority
        self.challengeTypes = challengeTypes
        self.capabilities = capabilities
        self.transport = transport
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

/// The time, read once: on the device's clock, which may be wrong and may be set, and on one that cannot (`SDK-TIME-1`).
struct Moment: Hashable, Sendable {
    var date: Date
    var uptime: Double
    var process: UUID

    static let process = UUID()
    private static let origin = ContinuousClock.now
    static let uptime: @Sendable () -> Double = { (ContinuousClock.now - origin) / .seconds(1) }
}

extension NativeAuthConfiguration {
    var moment: Moment { Moment(date: now(), uptime: uptime(), process: process) }
}

/// Adds headers of the app's own, such as those of a fraud protection service, to every request.
public protocol RequestInterceptor: Sendable {
    /// The headers for a request to `url`.
    ///
    /// A name must start with `x-`; the prefixes `x-ms-`, `x-client-`, `x-broker-` and `x-app-` are reserved. Headers
    /// with other names, or with control characters in the value, are left out (native-auth-v1 §2.2). When the task of the
    /// caller is cancelled, the answer is not waited for. After 30 s without an answer the step fails with
    /// ``ServiceError/unreachable(_:underlying:)``: nothing was sent.
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
    case refused(String)

    var message: String {
        switch self {
        case .refused(let message): message
        case .emulator: "The environment variable \(Emulator.variable) is not an https URL or a loopback http URL."
        }
    }
}
