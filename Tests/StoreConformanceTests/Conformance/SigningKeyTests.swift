import Foundation
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import Testing

@Suite("Changes of signing keys")
struct SigningKeyTests {
    @Test("SEC-TOK-5: of 16 next keys one stands, and all are told", arguments: StoreUnderTest.available)
    func oneNextKeyStands(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let first = fixtureKey("first")
            _ = try await store.insertFirstSigningKey(first)
            let told = try await race(16) { index in
                try await store.updateSigningKeys(for: contoso) { keys in
                    keys.count > 1 ? nil : keys + [key("key \(index)", activeFrom: noon + 90)]
                }
            }
            let stored = try await store.signingKeys(for: contoso)
            #expect(stored.count == 2 && stored.last == first)
            #expect(Set(told) == [stored])
        }
    }

    @Test("SEC-TOK-5: of 16 rotations each one counts, one after the other", arguments: StoreUnderTest.available)
    func noRotationIsLost(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            _ = try await race(16) { index in
                try await store.updateSigningKeys(for: contoso) { keys in
                    [key("key \(index)", activeFrom: noon + TimeInterval(keys.count))] + keys
                }
            }
            let times = try await store.signingKeys(for: contoso).map { $0.activeFrom.timeIntervalSince(noon) }
            #expect(times == (0..<16).reversed().map(TimeInterval.init))
        }
    }

    @Test("A change adds keys, moves their times and deletes them, for one tenant", arguments: StoreUnderTest.available)
    func aChange(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let foreign = fixtureKey("one", tenant: TenantID(UUID()))
            _ = try await store.insertFirstSigningKey(foreign)
            let (one, two, three) = (key("one"), key("two", activeFrom: noon + 1), key("three", activeFrom: noon + 2))
            #expect(try await store.updateSigningKeys(for: contoso) { _ in [one, three, two] } == [three, two, one])
            let early = key("three", activeFrom: noon + 0.25)
            #expect(try await store.updateSigningKeys(for: contoso) { _ in [early, two] } == [two, early])
            #expect(try await store.updateSigningKeys(for: contoso) { _ in nil } == [two, early])
            #expect(try await store.updateSigningKeys(for: contoso) { _ in [] } == [])
            #expect(try await store.signingKeys(for: foreign.tenant) == [foreign])
        }
    }

    @Test(
        "SEC-AUD-1: a change of keys is in the audit trail with their ids, and no change is not",
        arguments: DatabaseUnderTest.all)
    func aChangeIsRecorded(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let (one, two) = (fixtureKey("one"), fixtureKey("two"))
            let rotated = AuditEvent(.keyRotated, at: noon, tenant: contoso)
            _ = try await store.updateSigningKeys(for: contoso, recording: rotated) { _ in [one] }
            _ = try await store.updateSigningKeys(for: contoso, recording: rotated) { _ in nil }
            _ = try await store.updateSigningKeys(for: contoso, recording: rotated) { $0 }
            _ = try await store.updateSigningKeys(for: contoso) { $0 + [fixtureKey("three")] }
            _ = try await store.updateSigningKeys(
                for: contoso, recording: AuditEvent(.keyRevoked, at: noon, tenant: contoso)
            ) { _ in [two] }
            let trail = try await store.read { session in
                try session.fetch("SELECT kind, detail FROM audit ORDER BY seq", []).get().rows.map { row in
                    row.map { String.restore($0) }
                }
            }
            #expect(trail.first == ["key.rotated", "+one"] && trail.count == 2)
            #expect(trail.last?.first == "key.revoked")
            #expect(Set(try #require(trail.last?.last ?? nil).split(separator: " ")) == ["+two", "-one", "-three"])
        }
    }

    @Test("REL-TX-5: keys from before rotation sign from the moment they were made")
    func keysFromBeforeRotation() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "test.db").path()
            let store = try SQLiteStore(path: path, upTo: "0002 sign-in")
            let old = fixtureKey("old")
            let tenant = contoso.uuid.uuidString.replacing("-", with: "")
            _ = try await store.unsafeSQL(
                """
                INSERT INTO signing_keys VALUES (x'\(tenant)', 'old', 'RS256', CAST('sealed old' AS BLOB),
                    \(Int(noon.timeIntervalSince1970 * 1000)))
                """)
            try await store.close()
            let again = try SQLiteStore(path: path)
            #expect(try await again.signingKeys(for: contoso) == [old])
            try await again.close()
        }
    }

    private func key(_ kid: String, activeFrom: Date = noon) -> SigningKeyRecord {
        var key = fixtureKey(kid)
        key.activeFrom = activeFrom
        return key
    }
}
