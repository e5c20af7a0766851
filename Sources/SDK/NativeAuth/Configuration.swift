@_exported public import NativeAuthCore
public import PortableFoundation

/// The settings of a ``NativeAuthClient``. Read once, when the client is made.
///
/// Requests send only the following about the device (`SDK-PRIV-1`): `accept-language`, `client-request-id` (a random
/// UUID for each flow), `x-client-sku` (`swift-native-auth`), `x-client-ver` (the version of this library),
/// `x-client-os` (the version of the operating system), `x-client-cpu` (the architecture) and `x-client-dm` (the model of
/// the device, for the user's list of sessions). There are no identifiers
/// of the device and no telemetry.
public struct NativeAuthConfiguration: Sendable {
    /// The identifier of the registered application, a UUID as text.
    public var clientID: String
    /// The tenant's address.
    public var authority: Authority
    /// How users of this app may sign in; must match the app's registration. The web is always offered too.
    public var challengeTypes: Set<ChallengeType>
    /// The requirements beyond the first factor that the app can handle. Without them, a tenant that requires more
    /// answers ``SignUpError/browserRequired(_:)``.
    public var capabilities: Set<Capability>
    /// Adds headers to every request.
    public var requestInterceptor: (any RequestInterceptor)?
    /// Sends the requests.
    public var transport: any HTTPTransport
    /// Stores the sessions of the signed-in users; in memory by default (`SDK-STO-2`).
    public var tokenCache: any TokenCache
    /// Called with faults of the token cache, for example that damaged content was set aside and its users count as
    /// signed out (`SDK-STO-3`). It is called on any thread, soon after the fault, with no lock held.
    public var onTokenCacheProblem: (@Sendable (TokenCacheError) -> Void)?
    /// The value of `Accept-Language`, which selects the language of mail; nil for the languages of the device.
    public var acceptLanguage: String?
    /// The address that ends a sign-in in a browser, as registered for the app. Nil for `msauth.{bundle ID}://auth` in
    /// an app of Apple's systems, and for `http://localhost/` elsewhere.
    ///
    /// An `http` address must be on this machine. When it has no port, each sign-in uses a free one (RFC 8252 §7.3).
    public var redirectURI: URL?
    /// Shows the pages of ``NativeAuthClient/signInWithBrowser(_:)``. Nil for the browser of the system:
    /// ``LoopbackAuthenticator``, or in an app of Apple's systems the web authentication session.
    public var webAuthenticator: (any WebAuthenticator)?

    /// The clock of the device. Setting it also changes ``uptime``.
    package var now: @Sendable () -> Date = { Date() } {
        didSet {
            let now = now
            uptime = { now().timeIntervalSinceReferenceDate }
        }
    }
    /// Seconds on a clock that users cannot set. Values are comparable while ``process`` is the same.
    package var uptime: @Sendable () -> Double = Moment.uptime
    /// Distinguishes the values of ``uptime`` of this process from those of others.
    package var process = Moment.process
    package var makeCorrelationID: @Sendable () -> UUID = { UUID() }
    /// Randomises the delays before repeated requests, so that many clients do not repeat at the same time.
    package var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    /// Random bytes for secrets.
    package var randomBytes: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
    /// Waits for a time limit.
    package var wait: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Waits before a request is repeated.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Why no request may be sent, if that is already known; the first step reports it.
    package var refusal: String?

    /// Describes an application.
    ///
    /// - Parameters:
    ///   - clientID: The application's identifier, a UUID as text. The server refuses a wrong one.
    ///   - authority: The tenant's address.
    ///   - challengeTypes: ``ChallengeType/oneTimePasscode``, ``ChallengeType/password`` or both.
    ///   - capabilities: The requirements beyond the first factor that the app can handle.
    public init(
        clientID: String, authority: Authority, challengeTypes: Set<ChallengeType>,
        capabilities: Set<Capability> = []
    ) {
        self.init(
            clientID: clientID, authority: authority, challengeTypes: challengeTypes, capabilities: capabilities,
            transport: URLSessionTransport())
    }

    /// The same as ``init(clientID:authority:challengeTypes:capabilities:)``, with the given transport.
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
    /// The parameter `challenge_type`, in the order of the vendor's client (docs/protocol.md §3.2).
    var challengeTypeWords: [String] {
        ChallengeType.allCases.filter { $0 == .redirect || challengeTypes.contains($0) }.map(\.rawValue)
    }

    /// The parameter `capabilities`; nil when there are none (docs/protocol.md §3.3).
    var capabilityWords: [String]? {
        capabilities.isEmpty ? nil : Capability.allCases.filter(capabilities.contains).map(\.rawValue)
    }
}

/// The time, read once from two clocks: the device's clock, which can be wrong and can be set, and a clock that cannot
/// be set (`SDK-TIME-1`).
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

/// Adds the app's own headers, such as those of a fraud protection service, to every request.
public protocol RequestInterceptor: Sendable {
    /// The headers for a request to `url`.
    ///
    /// A name must start with `x-`; the prefixes `x-ms-`, `x-client-`, `x-broker-` and `x-app-` are reserved. Headers
    /// with other names, or with control characters in the value, are left out (docs/protocol.md §2.2). When the
    /// caller's task is cancelled, the request does not wait for the answer. After 30 s without an answer the step
    /// fails with ``ServiceError/unreachable(_:underlying:)``: nothing was sent.
    func additionalHeaders(for url: URL) async -> [String: String]
}

/// The environment variable that makes an unchanged app use a development server.
///
/// In debug builds `NATIVE_AUTH_EMULATOR`, a base URL such as `http://127.0.0.1:8765`, replaces
/// `https://{subdomain}.ciamlogin.com`. Release builds ignore it, and other authorities do not change.
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

/// A fault in the set-up of a client.
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
