import Crypto
package import IdentityEngine
import IdentityHTTP
package import IdentityStoreSQLite
import IdentityTokens
package import NativeAuth
package import PortableFoundation

/// The production router and engine over an in-memory database in this process: no port, no file, and a manual clock.
/// Apps use it through ``TestTenant``.
package struct IdentityTestServer: Sendable {
    /// The applications of the development tenant, by their requirements for users.
    package enum Application: String, Sendable, CaseIterable {
        case emailOneTimePasscode = "00001111-aaaa-2222-bbbb-3333cccc4444"
        case emailPassword = "11112222-bbbb-3333-cccc-4444dddd5555"
        /// The attributes `country` and `city` are required.
        case emailOneTimePasscodeWithAttributes = "22223333-cccc-4444-dddd-5555eeee6666"
        /// The attributes `country` and `city` are required.
        case emailPasswordWithAttributes = "33334444-dddd-5555-eeee-6666ffff7777"

        var challengeTypes: Set<ChallengeType> {
            switch self {
            case .emailOneTimePasscode, .emailOneTimePasscodeWithAttributes: [.oneTimePasscode]
            case .emailPassword, .emailPasswordWithAttributes: [.oneTimePasscode, .password]
            }
        }
    }

    /// The time of the server and its clients.
    package let clock: ManualClock
    /// The server's mails.
    package let mailbox: TestMailbox
    /// Sends requests to the server; for your own client.
    package let transport: any HTTPTransport
    /// The base URL in issuer and discovery. No server listens there.
    package let baseURL: String

    package let engine: Engine
    package let store: SQLiteStore
    private let vault: Vault

    /// - Parameters:
    ///   - databasePath: The path of the database file; nil for a database in memory.
    ///   - signing: With RS256 the key is fixed and public, and the same seed gives the same signatures; with ES256
    ///     both are random.
    ///   - adjust: Changes the ports and the settings of the engine, such as tenants, or the resend cool-down, which is
    ///     0 here.
    package init(
        seed: UInt64, start: Date, baseURL: String = "https://identity.test", databasePath: String? = nil,
        signing: SigningKeyRecord.Algorithm = .es256,
        adjust: (inout Engine.Ports, inout EngineSettings) -> Void = { _, _ in }
    ) throws(TestTenantError) {
        let randomness = SeededRandomness(seed: seed)
        clock = ManualClock(start)
        let wallClock = ManualWallClock(manual: clock)
        do {
            store =
                try databasePath.map { path throws(SQLiteStoreOpenError) in try SQLiteStore(path: path) }
                ?? SQLiteStore.inMemory()
        } catch {
            throw .database
        }
        vault = Vault(masterKey: SymmetricKey(data: randomness.bytes(32)), randomness: randomness)
        var settings = EngineSettings(baseURL: baseURL)
        settings.resendCooldown = 0
        settings.limits = nil
        settings.enrolment = .compatible
        let keys: any KeyStore =
            switch signing {
            case .es256: store
            case .rs256: KnownFirstKey(store: store, vault: vault, randomness: randomness, clock: wallClock)
            }
        var ports = Engine.Ports(
            clients: TenantDirectory.forTests, flows: store, users: store, refresh: store, browsers: store,
            assertions: store, hasher: ScryptTestHasher(randomness: randomness),
            issuer: KeyRing(
                store: keys, vault: vault, clock: wallClock, randomness: randomness, algorithm: signing),
            randomness: randomness, mail: MailSignal(), signatures: KeyedPasskeySignatures())
        adjust(&ports, &settings)
        engine = Engine(ports, vault: vault, settings: settings)
        self.baseURL = settings.baseURL
        mailbox = TestMailbox(store: store, vault: vault, clock: clock, signal: ports.mail)
        transport = Self.transport(to: engine, clock: wallClock)
    }

    private static func transport(to engine: Engine, clock: any WallClock) -> any HTTPTransport {
        InProcessTransport(
            routes: IdentityRoutes(engine: engine, clock: clock, readiness: Readiness(flows: engine.ports.flows)))
    }

    /// Sends requests to the same tenants and users under another base URL. Tokens of one address are not valid at
    /// another.
    func transport(at baseURL: String) -> any HTTPTransport {
        var settings = engine.settings
        settings.baseURL = baseURL
        return Self.transport(
            to: Engine(engine.ports, vault: vault, settings: settings), clock: ManualWallClock(manual: clock))
    }

    /// What operators ask.
    package var directoryStore: any DirectoryStore { store }
    /// What the operators' pages read.
    package var consoleStore: any DirectoryStore & ActivityStore & AuditStore & OperatorStore { store }

    /// The rows of a fixed SQL statement, as text.
    package func rows(_ sql: String) async throws(StoreError) -> [[String?]] {
        try await store.unsafeSQL(sql)
    }

    /// The configuration for an app of this server.
    package func configuration(
        for application: Application
    ) throws(AuthorityError) -> NativeAuthConfiguration {
        guard let url = URL(string: "\(baseURL)/contoso.onmicrosoft.com") else { throw .malformed }
        var configuration = NativeAuthConfiguration(
            clientID: application.rawValue, authority: try Authority(url: url),
            challengeTypes: application.challengeTypes)
        configuration.transport = transport
        let clock = clock
        configuration.now = { clock.now }
        return configuration
    }
}

/// The manual clock as the engine's port; a public type cannot conform to the port itself.
package struct ManualWallClock: WallClock {
    private let manual: ManualClock

    package init(manual: ManualClock) {
        self.manual = manual
    }

    package var now: Date { manual.now }
}

extension TenantDirectory {
    /// The development tenant without what a tenant does not have by default: sign-in by number, remembered devices and a provider.
    fileprivate static let forTests: TenantDirectory = {
        var entries = development.entries
        for index in entries.indices {
            entries[index].tenant.texts?.signsIn = false
            entries[index].tenant.rememberedDays = nil
            entries[index].tenant.providers = []
        }
        return TenantDirectory(entries)
    }()
}
