import Foundation
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import Testing

@Suite("SQLite: migrations")
struct MigrationTests {
    private static let user = UserID(UUID())
    private static let family = UUID()
    private static let flows = [UUID(), UUID()]

    private static func hex(_ uuid: UUID) -> String {
        "x'\(uuid.uuidString.filter { $0 != "-" })'"
    }

    /// The rows of a server from before "0002", as that server wrote them.
    private static var oldRows: [String] {
        let tenant = hex(contoso.uuid)
        let client = hex(app.uuid)
        let user = hex(user.uuid)
        let milliseconds = Int(noon.timeIntervalSince1970 * 1000)
        let later = milliseconds + 900_000
        let digest = "x'\(String(repeating: "09", count: 32))'"
        return [
            "INSERT INTO users VALUES (\(tenant), \(user), \(client), '$argon2id$old', \(milliseconds))",
            """
            INSERT INTO identifiers VALUES (\(tenant), CAST('ada@example.com' AS BLOB), 'email', 'Ada@example.com', \(user),
                \(milliseconds), 'email one-time passcode')
            """,
            "INSERT INTO identifiers VALUES (\(tenant), CAST('ada' AS BLOB), 'alias', 'ada', \(user), NULL, NULL)",
            "INSERT INTO attributes VALUES (\(tenant), \(user), 'city', 'string', '\"London\"')",
            """
            INSERT INTO flows VALUES (\(tenant), \(hex(flows[0])), 3, \(digest), 2, \(milliseconds), \(later), 1, 1, 0, \(later))
            """,
            """
            INSERT INTO flows VALUES (\(tenant), \(hex(flows[1])), 4, NULL, NULL, NULL, NULL, 2, 0, 1, \(later))
            """,
            "INSERT INTO replays VALUES (\(tenant), \(hex(flows[0])), CAST('request' AS BLOB), x'aa', \(later))",
            """
            INSERT INTO refresh_families VALUES (\(tenant), \(hex(family)), \(client), \(user), '["openid"]', '["otp"]',
                \(milliseconds), \(milliseconds), \(later), 1, \(digest), x'bb', \(milliseconds), x'cc', NULL)
            """,
        ]
    }

    @Test("REL-TX-5: a database of sign-up alone keeps its users, running flows and refresh tokens")
    func aDatabaseOfSignUpAloneIsMigrated() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "old.db").path()
            let old = try SQLiteStore(path: path, upTo: "0001 sign-up")
            for sql in Self.oldRows { _ = try await old.unsafeSQL(sql) }
            #expect(try await old.unsafeSQL("SELECT identifier FROM grdb_migrations") == [["0001 sign-up"]])
            try await old.close()

            let store = try SQLiteStore(path: path)
            let account = UserAccount(
                user: User(
                    id: Self.user, tenant: contoso, email: "Ada@example.com", alias: "ada", hasPassword: true,
                    attributes: ["city": "London"], createdAt: noon),
                passwordHash: PasswordHash(phc: "$argon2id$old"), credentialsChangedAt: noon, emailProvenAt: noon)
            #expect(try await store.account(Self.user, in: contoso) == account)
            #expect(try await store.account(named: key("ada"), in: contoso) == account)

            let code = CodeRecord(
                digest: Data(repeating: 9, count: 32), target: Data(), attempts: 2, sentAt: noon, expiresAt: noon + 900)
            let row = FlowRow(revision: 3, code: code, codesSent: 1, misuses: 1, expiresAt: noon + 900)
            let query = fixtureQuery(flow: Self.flows[0])
            #expect(try await store.facts(query) == StepFacts(row: row, sealedAnswer: Data([0xAA])))
            #expect(
                try await store.facts(fixtureQuery(flow: Self.flows[1])).row
                    == FlowRow(revision: 4, codesSent: 2, isEnded: true, expiresAt: noon + 900))

            var family = RefreshFamily(
                id: Self.family, tenant: contoso, client: app, user: Self.user, scopes: ["openid"], methods: ["otp"],
                contexts: [], authenticatedAt: noon, createdAt: noon, expiresAt: noon + 900, generation: 1,
                tokenDigest: Data(repeating: 9, count: 32))
            family.previous = RefreshFamily.Previous(
                tokenDigest: Data([0xBB]), rotatedAt: noon, sealedAnswer: Data([0xCC]))
            #expect(try await store.refreshFamily(Self.family, in: contoso) == family)

            // The old rows work like new ones: the flow is written back unchanged, and the user's credentials change.
            let effects: [Effect] = [
                .changePassword(Self.user, PasswordHash(phc: "$new"), at: noon + 1),
                .revokeRefreshFamilies(Self.user, at: noon + 1),
            ]
            try await store.write(FlowChange(row: row, effects: effects), query)
            #expect(try await store.facts(query).row == row)
            #expect(try await store.account(Self.user, in: contoso)?.credentialVersion == 1)
            #expect(try await store.refreshFamily(Self.family, in: contoso)?.revokedAt == noon + 1)
            #expect(try await store.unsafeSQL("PRAGMA integrity_check") == [["ok"]])
            #expect(try await store.unsafeSQL("PRAGMA foreign_key_check").isEmpty)
            try await store.close()
        }
    }
}
