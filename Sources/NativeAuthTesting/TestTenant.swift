import IdentityEngine
public import NativeAuth
public import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a test tenant could not do what was asked.
public enum TestTenantError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with the settings, a sentence each.
    case settings([String])
    /// The in-memory database cannot be opened, or failed.
    case database
    /// No mail with an unread code went to this address; and what mail there is.
    case noCode(for: String, String)
    /// A request went to a host that is not the tenant's.
    case foreignHost(String)
    /// ``TestTenant/current`` was asked for outside of a test that has a tenant.
    case noTenant
    /// No port can be had on this machine.
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

/// A tenant in the test's own process: the production server, its router and engine, over a database in memory, with a mailbox,
/// a clock that moves when told, and faults on demand. No port is opened and nothing is written to disk.
///
/// ```swift
/// let tenant = try TestTenant()
/// let client = NativeAuthClient(tenant.configuration())
/// …
/// let code = try await tenant.mailbox.code(for: "dana@example.com")
/// ```
///
/// Tenants share nothing; as many as one likes can live side by side. The same ``seed`` and the same requests, one after
/// another, give the same replies to the byte: codes, identifiers, continuation tokens, and signatures, which are made with
/// RS256 and a key that all test tenants have. Passwords are hashed at a cost that suits tests and nothing else.
public final class TestTenant: Sendable {
    /// What all that is random follows from.
    public let seed: UInt64
    /// What the tenant was made with.
    public let settings: Settings
    /// The time of the server, of its clients and of the mail.
    public let clock: ManualClock
    /// The mails to all addresses.
    public let mailbox: TestMailbox
    /// What shall go wrong.
    public let faults: Faults
    /// Carries requests to the tenant, with its faults; for a client of your own making. ``configuration(for:capabilities:)``
    /// has it already.
    public let transport: any HTTPTransport
    /// Where the tenant lives: at its address in the vendor's cloud, which is never asked.
    public let authority: Authority

    package let server: IdentityTestServer
    private let entry: TenantDirectory.Entry
    /// The tenant's addresses in the vendor's cloud, by its subdomain and by its identifier.
    private let hosts: Set<String>
    let preparation: Task<Void, any Error>?
    private let clientRandomness: SeededRandomness
    /// That of the clients which the app makes itself, on this tenant's one device.
    private let tokenCache = InMemoryTokenCache()

    /// Makes a tenant: that of the development server, with its four applications, unless `adjust` says otherwise.
    ///
    /// - Parameters:
    ///   - seed: Nil for the environment variable `NATIVE_AUTH_TEST_SEED`, or else a random one.
    ///   - start: The time at which ``clock`` begins: 15 January 2027, 8:00 UTC, unless another is given.
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

    /// As ``init(seed:startingAt:_:)``, with finished settings.
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
        let server = try IdentityTestServer(
            seed: seed, start: start, baseURL: "https://\(authority.environment)", signing: .rs256
        ) { ports, engine in
            ports.clients = TenantDirectory([entry])
            settings.apply(to: &engine)
            problems = engine.problems(allowsNoCooldown: true)
        }
        guard problems.isEmpty else { throw .settings(problems.map { $0 + "." }) }
        self.seed = seed
        self.settings = settings
        self.server = server
        self.entry = entry
        clock = server.clock
        mailbox = server.mailbox
        faults = Faults(server.mailbox)
        clientRandomness = SeededRandomness(seed: ~seed)
        preparation = users.isEmpty ? nil : Task { for user in users { try await user.join(server) } }
        transport = TenantTransport(
            server: server.transport, hosts: hosts, faults: faults, clock: clock, preparation: preparation)
    }

    // MARK: Clients

    /// The configuration with which an app reaches this tenant, as on a device of its own: with the tenant's clock, and an
    /// empty token cache.
    ///
    /// - Parameters:
    ///   - application: One of ``Settings/applications``; nil for the first.
    ///   - capabilities: What the app can handle beyond the first factor.
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
        configuration.now = { [clock] in clock.now }
        configuration.uptime = { [clock] in clock.uptime }
        configuration.sleep = { [clock] in try await clock.sleep(for: $0) }
        configuration.wait = { [clock] in try await clock.wait(for: $0) }
        configuration.random = { [clientRandomness] in clientRandomness.number(in: $0) }
        configuration.makeCorrelationID = { [clientRandomness] in clientRandomness.uuid() }
        configuration.process = entry.tenant.id.uuid
    }

    // MARK: Unchanged apps

    @TaskLocal private static var hosted: TestTenant?

    /// The tenant of this test: that of the trait `.nativeAuthTenant`, of ``NativeAuthTestCase``, or of ``hosting(_:)``.
    ///
    /// - Throws: ``TestTenantError/noTenant`` where there is none.
    public static var current: TestTenant {
        get throws(TestTenantError) {
            guard let hosted else { throw .noTenant }
            return hosted
        }
    }

    /// Runs `body` with this tenant in the place of the network: in debug builds, every client that `body`, or a task that it
    /// starts, makes for the tenant's address in the vendor's cloud reaches this tenant, on its clock and with a token cache of
    /// the tenant's, whatever the app says. So an app's own code, with `MSAL` or `NativeAuth`, is tested unchanged.
    ///
    /// The address is `https://{subdomain}.ciamlogin.com`, where the subdomain is that of the ``Settings``. A client for another
    /// address is refused by its first step. A client with an injected transport is left alone. A client that was made before
    /// `body` runs is too, so an app that keeps one in a global variable has to make it anew. The environment variable
    /// `NATIVE_AUTH_EMULATOR` has no effect on the clients that reach the tenant. Release builds of `NativeAuth` know nothing
    /// of all this; there, give the app ``configuration(for:capabilities:)`` or ``transport``.
    public func hosting<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await TestHost.$current.withValue(host) {
            try await Self.$hosted.withValue(self) { try await body() }
        }
    }

    /// As ``hosting(_:)``, for work that does not wait.
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
                    The test tenant hosts \(self.authority.environment), and the client wants \(asked). The subdomain stands \
                    in the settings of the tenant.
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
    /// - Throws: ``TestTenantError/settings(_:)`` when the user cannot be, or is there already.
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
            throw .settings(["Nobody has the e-mail address \(email)."])
        }
    }

    private func ready() async throws(TestTenantError) {
        do {
            try await preparation?.value
        } catch {
            throw error as? TestTenantError ?? .database
        }
    }
}
