import Crypto
import HTTPTypes
import Hummingbird
package import IdentityEngine
import IdentityHTTP
package import IdentityStoreSQLite
import IdentityTokens
import Logging
import NIOCore
public import NativeAuth
public import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Runs `body` with a fresh identity server in this process: the production router and engine over an in-memory database, a
/// mailbox, and a clock that moves when told. No port is opened and nothing is written to disk.
///
/// ```swift
/// try await withIdentityServer { server in
///     let client = NativeAuthClient(server.configuration(for: .emailOneTimePasscode))
///     let step = try await client.signUp(username: "dana@example.com")
///     let code = try await server.mailbox.code(to: "dana@example.com")
///     …
/// }
/// ```
///
/// - Parameter seed: The same seed gives the same codes, identifiers and opaque tokens (decision D10); signatures of keys differ.
/// - Throws: What `body` throws, or ``IdentityTestServerError`` when the server cannot be made.
public func withIdentityServer<Result>(
    seed: UInt64 = 1, startingAt start: Date = Date(timeIntervalSince1970: 1_800_000_000),
    _ body: (IdentityTestServer) async throws -> Result
) async throws -> Result {
    try await body(IdentityTestServer(seed: seed, start: start))
}

/// Why a test server could not do what was asked.
public enum IdentityTestServerError: Error, Hashable {
    /// The in-memory database cannot be opened, or failed.
    case database
    /// No mail with a code went to this address.
    case noMail(to: String)
}

/// An identity server inside the test's process. Made by ``withIdentityServer(seed:startingAt:_:)``.
public struct IdentityTestServer: Sendable {
    /// The applications of the development tenant, by what they ask of their users.
    public enum Application: String, Sendable, CaseIterable {
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

    /// The server's time, which is the client's, too.
    public let clock: ManualClock
    /// What the server mailed.
    public let mailbox: TestMailbox
    /// Carries requests to the server; give it to a client of your own making.
    public let transport: any HTTPTransport
    /// The base URL in issuer and discovery. Nothing listens there.
    public let baseURL = "https://identity.test"

    package let engine: Engine
    package let store: SQLiteStore

    /// - Parameters:
    ///   - databasePath: Where the database file goes; nil keeps it in memory.
    ///   - adjust: Changes the ports and the settings of the engine, such as tenants, or the resend cool-down, which is 0
    ///     here.
    package init(
        seed: UInt64, start: Date, databasePath: String? = nil,
        adjust: (inout Engine.Ports, inout EngineSettings) -> Void = { _, _ in }
    ) throws(IdentityTestServerError) {
        let randomness = SeededRandomness(seed: seed)
        clock = ManualClock(start)
        let wallClock = ServerClock(manual: clock)
        do {
            store =
                try databasePath.map { path throws(SQLiteStoreOpenError) in try SQLiteStore(path: path) }
                ?? SQLiteStore.inMemory()
        } catch {
            throw .database
        }
        let vault = Vault(masterKey: SymmetricKey(data: randomness.bytes(32)), randomness: randomness)
        var settings = EngineSettings(baseURL: baseURL)
        settings.resendCooldown = 0
        settings.limits = nil
        var ports = Engine.Ports(
            clients: TenantDirectory.development, flows: store, users: store, refresh: store,
            hasher: ScryptTestHasher(randomness: randomness),
            issuer: KeyRing(
                store: store, vault: vault, clock: wallClock, randomness: randomness, algorithm: .es256),
            randomness: randomness, mail: MailSignal())
        adjust(&ports, &settings)
        engine = Engine(ports, vault: vault, settings: settings)
        mailbox = TestMailbox(store: store, vault: vault, clock: clock)
        transport = InProcessTransport(
            routes: IdentityRoutes(engine: engine, clock: wallClock, readiness: Readiness(flows: ports.flows)))
    }

    /// The rows that a fixed SQL statement yields, as text.
    package func rows(_ sql: String) async throws(StoreError) -> [[String?]] {
        try await store.unsafeSQL(sql)
    }

    /// The configuration with which an app reaches this server.
    public func configuration(for application: Application) throws(AuthorityError) -> NativeAuthConfiguration {
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

/// A clock that stands still until it is moved.
public final class ManualClock: Sendable {
    private let time: Locked<Date>

    init(_ start: Date) {
        time = Locked(start)
    }

    /// The time now.
    public var now: Date { time.withLock { $0 } }

    /// Moves the clock on, or back when `seconds` is negative.
    public func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}

/// The manual clock as the engine's port; a public type cannot conform to a port.
package struct ServerClock: WallClock {
    private let manual: ManualClock

    package init(manual: ManualClock) {
        self.manual = manual
    }

    package var now: Date { manual.now }
}

/// The mails of a test server.
public struct TestMailbox: Sendable {
    /// A mail, as its reader needs it.
    public struct Mail: Hashable, Sendable {
        public let to: String
        /// The one-time passcode; nil in a notice of what happened to the account.
        public let code: String?
        /// `en`, `da`, `nl`, `fr` or `ja`.
        public let language: String
        public let sentAt: Date
        /// Why it was sent.
        package let purpose: MailContent.Purpose
    }

    private let store: SQLiteStore
    private let vault: Vault
    private let clock: ManualClock
    private let delivered: Delivered = Delivered()

    private final class Delivered: Sendable {
        let mails: Locked<[Mail]> = Locked([])
    }

    init(store: SQLiteStore, vault: Vault, clock: ManualClock) {
        self.store = store
        self.vault = vault
        self.clock = clock
    }

    /// All mails so far, newest first.
    public func mails() async throws(IdentityTestServerError) -> [Mail] {
        do {
            while true {
                let now = clock.now
                let leased = try await store.leaseMails(limit: 100, now: now, until: now.addingTimeInterval(60))
                if leased.isEmpty { break }
                for item in leased {
                    let content = try item.mail.content(using: vault)
                    let mail = Mail(
                        to: content.recipient, code: content.code, language: content.language.rawValue,
                        sentAt: content.sentAt, purpose: content.purpose)
                    delivered.mails.withLock { $0.insert(mail, at: 0) }
                    try await store.markSent(item.mail.id, now: now)
                }
            }
        } catch {
            throw .database
        }
        return delivered.mails.withLock { $0 }
    }

    /// The newest code that went to `address`, letter case ignored; notices have none and are passed over.
    ///
    /// - Throws: ``IdentityTestServerError/noMail(to:)`` when no code went there.
    public func code(to address: String) async throws(IdentityTestServerError) -> String {
        let key = EmailAddress(address)?.key
        for mail in try await mails() where EmailAddress(mail.to)?.key == key {
            if let code = mail.code { return code }
        }
        throw .noMail(to: address)
    }
}
