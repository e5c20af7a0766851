import Foundation
import IdentityEngine
import IdentityStorePostgres
import NativeAuthCore
import Testing

@Suite("What a log may say of a store")
struct StoreLogTests {
    @Test(
        "SEC-LOG-1: the log has the database's own words, without statement and values",
        arguments: StoreUnderTest.available)
    func theDatabaseSaysWhy(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            func said(_ sql: String) async -> String {
                do {
                    _ = try await rows(sql, in: store)
                    return "nothing"
                } catch {
                    return error.logText
                }
            }
            let missing = await said("SELECT 'canary' FROM no_such_place")
            #expect(missing.contains("no_such_place"), "\(missing)")
            #expect(missing.contains(store is PostgresStore ? "42P01" : "SQLite 1:"), "\(missing)")
            #expect(!missing.contains("canary") && !missing.contains("SELECT"), "\(missing)")
            // PostgreSQL's message would quote the value; SQLite accepts it.
            #expect(await !said("SELECT CAST('canary' AS bigint)").contains("canary"))
        }
    }
}
