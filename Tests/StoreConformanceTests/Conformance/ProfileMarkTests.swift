import Foundation
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
import Testing

@Suite("The profile that a database belongs to")
struct ProfileMarkTests {
    @Test(
        "SEC-PRF-1: the mark of the first server stays, and each line of the trail has it",
        arguments: DatabaseUnderTest.all)
    func theFirstMarkStays(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let event = AuditEvent(.signUpCompleted, at: noon, tenant: contoso)
            try await store.perform(.record(event))
            let marks = try await race(8) { index in
                try await store.mark(index == 0 ? .development : .production, at: noon)
            }
            #expect(Set(marks).count == 1)
            let first = try #require(marks.first)
            for other in [DatabaseProfile.development, .production] {
                #expect(try await store.mark(other, at: noon + 9) == first)
            }
            try await store.perform(.record(event))
            let lines = try await store.auditEvents(of: contoso, after: 0, limit: 9)
            #expect(lines.map(\.profile) == [nil, first.rawValue])
        }
    }

    @Test("REL-TX-5: a database from before has no mark, and gets that of its next server")
    func anOlderDatabaseHasNoMark() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "old.db").path()
            try await SQLiteStore(path: path, upTo: "0012 enrolment").close()
            let store = try SQLiteStore(path: path)
            #expect(try await store.unsafeSQL("SELECT COUNT(*) FROM profile_mark") == [["0"]])
            #expect(try await store.mark(.production, at: noon) == .production)
            #expect(try await store.mark(.development, at: noon) == .production)
            try await store.close()
        }
    }

    @Test("Only a database in which nothing was sealed may get a master key", arguments: DatabaseUnderTest.all)
    func whatWasSealed(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            #expect(try await store.isUnsealed())
            _ = try await store.mark(.development, at: noon)
            #expect(try await store.isUnsealed())
            // As a server from before data keys would leave it.
            _ = try await store.insertFirstSigningKey(fixtureKey("kid"))
            #expect(try await !store.isUnsealed())
        }
        try await sut.withStore { store in
            let key = DataKeyRecord(generation: 0, masterKeyID: Data([1]), sealedKey: Data([2]), activeFrom: noon)
            try await store.updateDataKeys { _ in
                var change = DataKeyChange()
                change.added = [key]
                return (change, ())
            }
            #expect(try await !store.isUnsealed())
        }
    }
}
