import IdentityEngine
public import NativeAuth
public import NativeAuthCore
public import PortableFoundation

/// Why a test tenant failed.
public enum TestTenantError: Error, Hashable, CustomStringConvertible {
    /// The faults of the settings, one sentence each.
    case settings([String])
    /// The in-memory database cannot be opened, or failed.
    case database
    /// No mail with an unread code was sent to this address; the text lists the existing mails.
    case noCode(for: String, String)
    /// A request went to a host that is not the tenant's.
    case foreignHost(String)
    /// ``TestTenant/current`` was used outside a test with a tenant.
    case noTenant
    /// No port is available on this machine.
    case cannotListen(String)

    public var description: String {
        switch self {
        case .settings(let problems): problems.joined(separator: " ")
        case .database: "The database of the test tenant failed."
        case .noCode(let address, let explanation): "No unread code went to \(address). \(explanation)"
        case .foreignHost(let host): "The host \(host) is not the test tenant's, and a test goes to no network."
        case .noTenant: "There is no test tenant here. Use the trait .nativeAuthTenant, or TestTenant.hosting."
        case .cannotListen(let reason): "The test tenant cannot listen: \(reason)."
        }
    }
}

/// A tenant in the test's own process: the production server's router and engine over a database in memory, with a
/// mailbox, a manual clock, and faults on demand. No port is opened and nothing is written to disk.
///
/// ```swift
/// let tenant = try TestTenant()
/// let client = NativeAuthClient(tenant.configuration())
/// …
/// let code = try await tenant.mailbox.code(for: "dana@example.com")
/// ```
///
/// Tenants share nothing; any number can exist in parallel. The same ``seed`` and the same sequence of requests give
/// byte-identical replies: codes, identifiers, continuation tokens, and signatures, which are made with RS256 and a key
/// that all test tenants share. Passwords are hashed at a cost that is suitable only for tests.
public final class TestTenant: Sendable {
    /// The source of all random values.
    public let seed: UInt64
    /// The settings of the tenant.
    public let settings: Settings
    /// The time of the server, of its clients and of the mail.
    public let clock: ManualClock
    /// The mails to all addresses.
    public let mailbox: TestMailbox
    /// The faults to simulate.
    public let faults: Faults
    /// What the server asks another system; none at first.
    public let hooks: Hooks
    /// The browser of all clients of the tenant: ``ScriptedBrowser/fill(_:)`` fills in the server's pages.
    public let browser: ScriptedBrowser
    /// Sends requests to the tenant, with its faults; for your own client. ``configuration(for:capabilities:)`` already
    /// uses it.
    public let transport: any HTTPTransport
    /// The tenant's address in the vendor's cloud, to which no request is sent.
    public let authority: Authority

    package let server: IdentityTestServer
    let entry: TenantDirectory.Entry
    /// The tenant's addresses in the vendor's cloud, by its subdomain and by its identifier.
    private let hosts: Set<String>
    let preparation: Task<Void, any Error>?
    private let clientRandomness: SeededRandomness
    /// The token cache of the clients that the app itself makes, as on one device.
    private let tokenCache = InMemoryTokenCache()

    /// Makes a tenant like that of the development server, with its first four applications; `adjust` can change it.
    ///
    /// - Parameters:
    ///   - seed: The seed; nil for the environment variable `NATIVE_AUTH_TEST_SEED`, otherwise a random one.
    ///   - start: The start of ``clock``; 15 January 2027, 8:00 UTC by default.
    ///   - adjust: Changes the settings.
    /// - Throws: ``TestTenantError/settings(_:)``, or ``TestTenantError/database``.
    public convenience init(
        seed: UInt64? = nil, startingAt start: Date = Date(timeIntervalSince1970: 1_800_000_000),
        _ adjust: (inout Settings) -> Void = { _ in }
    ) throws(TestTenantError) {
        var settings = Settings()
        adjust(&settings)
        try self.init(seed: seed, startingAt: start, settings)
    }

    /// The same as ``init(seed:startingAt:_:)``, with complete settings.
    public init(
        seed: UInt64? = nil, startingAt start: Date = Date(timeIntervalSince1970: 1_800_000_000), _ settings: Settings
    ) throws(TestTenantError) {
        let seed =
            seed ?? ProcessInfo.processInfo.environment["NATIVE_AUTH_TEST_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 1...0xFFFF_FFFF)
        let entry = try settings.entry()
        do throws(AuthorityError) {
            authority = try Authority(tenantSubdomain: settings.subdomain)
        } catch {
            throw .settings(["\(settings.subdomain) is no subdomain."])
        }
        let users = try settings.users.map { user throws(TestTenantError) in try Newcomer(user, in: entry) }
        let names = users.flatMap(\.identifiers).map(\.key)
        guard Set(names).count == names.count else { throw .settings(["Two users have the same name."]) }
        hosts = [authority.environment, "\(entry.tenant.id).ciamlogin.com"]
        var problems: [String] = []
        let hooks = Hooks()
        let server = try IdentityTestServer(
            seed: seed, start: start, baseURL: "https://\(authority.environment)", signing: .rs256
        ) { ports, engine in
            ports.clients = HookedTenants(directory: TenantDirectory([entry]), hooks: hooks)
            ports.hooks = ClosureReceiver(hooks: hooks)
            ports.identities = TestIdentityProvider.verifier(of: settings.providers)
            settings.apply(to: &engine)
            problems = engine.problems(allowsNoCooldown: true)
        }
        guard problems.isEmpty else { throw .settings(problems.map { $0 + "." }) }
        self.seed = seed
        self.settings = settings
        self.server = server
        self.entry = entry
        self.hooks = hooks
        clock = server.clock
        for provider in settings.providers { provider.follow(server.clock) }
        mailbox = server.mailbox
        faults = Faults(server.mailbox)
        clientRandomness = SeededRandomness(seed: ~seed)
        preparation = users.isEmpty ? nil : Task { for user in users { try await user.join(server) } }
        transport = TenantTransport(
            server: server.transport, hosts: hosts, faults: faults, clock: clock, preparation: preparation)
        browser = ScriptedBrowser(transport: transport)
    }

    // MARK: Clients

    /// The configuration for an app of this tenant, as on its own device: with the tenant's clock and an empty token
    /// cache.
    ///
    /// - Parameters:
    ///   - application: One of ``Settings/applications``; nil for the first.
    ///   - capabilities: The requirements beyond the first factor that the app can handle.
    public func configuration(
        for application: Application? = nil, capabilities: Set<Capability> = Set(Capability.allCases)
    ) -> NativeAuthConfiguration {
        let application = application ?? settings.applications[0]
        var configuration = NativeAuthConfiguration(
            clientID: application.clientID, authority: authority, challengeTypes: application.challengeTypes,
            capabilities: capabilities, transport: transport)
        attach(&configuration)
        return configuration
    }

    private func attach(_ configuration: inout NativeAuthConfiguration) {
        configuration.transport = transport
        configuration.webAuthenticator = browser
        configuration.redirectURI = configuration.redirectURI ?? URL(string: "http://localhost/")
        configuration.now = { [clock] in clock.now }
        configuration.uptime = { [clock] in clock.uptime }
        configuration.sleep = { [clock] in try await clock.sleep(for: $0) }
        configuration.wait = { [clock] in try await clock.wait(for: $0) }
        configuration.random = { [clientRandomness] in clientRandomness.number(in: $0) }
        configuration.randomBytes = { [clientRandomness] in clientRandomness.bytes($0) }
        configuration.makeCorrelationID = { [clientRandomness] in clientRandomness.uuid() }
        configuration.process = entry.tenant.id.uuid
    }

    // MARK: Unchanged apps

    @TaskLocal private static var hosted: TestTenant?

    /// The tenant of this test, from the trait `.nativeAuthTenant`, from ``NativeAuthTestCase``, or from
    /// ``hosting(_:)``.
    ///
    /// - Throws: ``TestTenantError/noTenant`` when there is none.
    public static var current: TestTenant {
        get throws(TestTenantError) {
            guard let hosted else { throw .noTenant }
            return hosted
        }
    }

    /// Runs `body` with this tenant in place of the network. In debug builds, every client that `body` or its tasks
    /// make for the tenant's address in the vendor's cloud reaches this tenant, with its clock and its token cache,
    /// regardless of the app's settings. So an app's unchanged code, with `MSAL` or `NativeAuth`, can be tested.
    ///
    /// The address is `https://{subdomain}.ciamlogin.com`, with the subdomain of the ``Settings``. The first step of a
    /// client for another address fails. Clients with an injected transport, and clients made before `body` runs, are
    /// not affected, so an app that keeps a client in a global variable must make a new one. The environment variable
    /// `NATIVE_AUTH_EMULATOR` has no effect on the clients that reach the tenant. Release builds of `NativeAuth` do not
    /// support this; there, give the app ``configuration(for:capabilities:)`` or ``transport``.
    public func hosting<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await TestHost.$current.withValue(host) {
            try await Self.$hosted.withValue(self) { try await body() }
        }
    }

    /// The same as ``hosting(_:)``, for synchronous work.
    func hostingWithoutWaiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        try TestHost.$current.withValue(host) {
            try Self.$hosted.withValue(self) { try body() }
        }
    }

    private var host: TestHost {
        TestHost { configuration in
            let asked = configuration.authority.environment
            guard self.hosts.contains(asked) else {
                configuration.refusal = """
                    The test tenant hosts \(self.authority.environment), and the client asks for \(asked). The tenant's \
                    settings contain the subdomain.
                    """
                return
            }
            self.attach(&configuration)
            configuration.tokenCache = self.tokenCache
        }
    }

    // MARK: Users

    /// Adds a user, as ``Settings/users`` does before the first request.
    ///
    /// - Throws: ``TestTenantError/settings(_:)`` when the user is invalid or already exists.
    public func add(_ user: User) async throws(TestTenantError) {
        let newcomer = try Newcomer(user, in: entry)
        try await ready()
        try await newcomer.join(server)
    }

    /// Disables the account with this e-mail address, which ends its sessions, or enables it again.
    ///
    /// - Throws: ``TestTenantError/settings(_:)`` when there is no such account.
    public func setDisabled(_ isDisabled: Bool, _ email: String) async throws(TestTenantError) {
        try await ready()
        guard try await server.setDisabled(isDisabled, email, in: entry.tenant.id) else {
            throw .settings(["No user has the e-mail address \(email)."])
        }
    }

    func ready() async throws(TestTenantError) {
        do {
            try await preparation?.value
        } catch {
            throw error as? TestTenantError ?? .database
        }
    }
}
