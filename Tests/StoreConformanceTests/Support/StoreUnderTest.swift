import Foundation
import IdentityEngine
import IdentityStorePostgres
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import Testing

/// All ports that the engine needs from a database.
typealias AnyStore = FlowStore & UserStore & OutboxStore & RefreshStore & BrowserStore & AssertionStore & LogoutStore
    & RevocationStore
    & KeyStore & TextReportStore

/// A store for the conformance suite: every test gets it fresh and empty.
struct StoreUnderTest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let run: @Sendable (_ body: (any AnyStore) async throws -> Void) async throws -> Void

    /// The stores that every run covers. None is skipped: if PostgreSQL cannot be started, its tests fail.
    static let available = [
        StoreUnderTest(testDescription: "SQLite in memory") { body in try await body(try SQLiteStore.inMemory()) },
        StoreUnderTest(testDescription: "SQLite file") { body in
            try await withTemporaryFolder {
                try await body(try SQLiteStore(path: $0.appending(path: "test.db").path()))
            }
        },
        StoreUnderTest(testDescription: "PostgreSQL") { body in
            try await PostgresServer.withStore { try await body($0) }
        },
    ]

    func withStore(_ body: (any AnyStore) async throws -> Void) async throws {
        try await run(body)
    }
}

/// The result of a statement in the database of a store, without its ports.
func rows(_ sql: String, in store: any AnyStore) async throws -> [[String?]] {
    switch store {
    case let store as SQLiteStore: try await store.unsafeSQL(sql)
    case let store as PostgresStore: try await store.unsafeSQL(sql)
    default: throw StoreError.corrupt("a store whose database cannot be looked into")
    }
}

/// A new, empty folder, removed afterwards.
func withTemporaryFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(folder))
    } catch {
        result = .failure(error)
    }
    try FileManager.default.removeItem(at: folder)
    try result.get()
}

/// Runs `body` in `count` tasks at once; the results in no particular order.
func race<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for index in 0..<count { group.addTask { try await body(index) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

/// Fails unless `body` throws ``StoreError/unavailable(_:)``.
func expectUnavailable(
    _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async {
    let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try await body() }
    guard case .unavailable = error else {
        Issue.record("not unavailable: \(String(describing: error))", sourceLocation: sourceLocation)
        return
    }
}

// MARK: - Fixtures

let noon = Date(timeIntervalSince1970: 1_700_000_000)
let contoso = TenantID(UUID())
let app = ClientID(UUID())

func key(_ text: String) -> LoginIdentifier.Key { LoginIdentifier.Key(bytes: Data(text.utf8)) }

func fixtureUser(
    _ name: String, tenant: TenantID = contoso, alias: String? = nil, attributes: [String: AttributeValue] = [:],
    passwordHash: PasswordHash? = nil
) -> NewUser {
    var identifiers = [LoginIdentifier(kind: .email, key: key("\(name)@example.com"), display: "\(name)@example.com")]
    if let alias { identifiers.append(LoginIdentifier(kind: .alias, key: key(alias), display: alias)) }
    return NewUser(
        id: UserID(UUID()), tenant: tenant, client: app, identifiers: identifiers, passwordHash: passwordHash,
        attributes: attributes, createdAt: noon)
}

func fixtureMail(
    _ content: String = "sealed", lane: String = "lane", createdAt: Date = noon, expiresAt: Date = noon + 600
) -> OutboxMail {
    OutboxMail(
        id: UUID(), tenant: contoso, flow: UUID(), lane: Data(lane.utf8), sealedContent: Data(content.utf8),
        createdAt: createdAt,
        expiresAt: expiresAt)
}

/// 32 bytes derived from `text`, which has at most 32 bytes.
func digest(_ text: String) -> Data {
    Data(text.utf8) + Data(count: 32 - text.utf8.count)
}

func fixtureMethod(_ address: String, provenAt: Date = noon) throws -> StrongMethod {
    StrongMethod(id: UUID(), email: try #require(EmailAddress(address)), provenAt: provenAt)
}

func fixtureFamily(of user: NewUser, expiresAt: Date = noon + 86400) -> RefreshFamily {
    RefreshFamily(
        id: UUID(), tenant: user.tenant, client: app, user: user.id, scopes: ["openid", "offline_access"],
        methods: ["otp"], contexts: ["c1"], level: .twoFactors, authenticatedAt: noon - 60, createdAt: noon,
        expiresAt: expiresAt,
        tokenDigest: Data(repeating: 7, count: 32), key: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
}

/// Bytes from the system, as in production.
struct SystemRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}

func fixtureKey(
    _ kid: String, tenant: TenantID = contoso, algorithm: SigningKeyRecord.Algorithm = .rs256, createdAt: Date = noon
) -> SigningKeyRecord {
    SigningKeyRecord(
        tenant: tenant, kid: kid, algorithm: algorithm, sealedPrivateKey: Data("sealed \(kid)".utf8),
        createdAt: createdAt)
}

func fixtureQuery(
    flow: UUID = UUID(), digest: String = "request", identifiers: [LoginIdentifier.Key] = [], user: UserID? = nil,
    subjects: [Data] = [], lockout: Data? = nil, quotas: FlowQuotaKeys = FlowQuotaKeys(), now: Date = noon
) -> StepQuery {
    StepQuery(
        tenant: contoso, flow: flow, requestDigest: Data(digest.utf8), identifiers: identifiers, user: user,
        subjects: subjects, lockout: lockout, quotas: quotas, now: now)
}

extension FlowStore {
    /// A step that writes a fresh flow row and these effects.
    func perform(_ effects: Effect..., tenant: TenantID = contoso) async throws {
        let change = FlowChange(row: FlowRow(expiresAt: noon + 900), effects: effects)
        var query = fixtureQuery()
        query.tenant = tenant
        try await step(query) { _ in (change, ()) }
    }

    /// The store's facts for the query; writes nothing.
    func facts(_ query: StepQuery) async throws -> StepFacts {
        try await step(query) { (nil, $0) }
    }

    /// Writes this change of the query's flow.
    func write(_ change: FlowChange, _ query: StepQuery) async throws {
        try await step(query) { _ in (change, ()) }
    }
}
