import GRDB
package import IdentityEngine
package import IdentityStoreSQL

extension SQLiteStore: SQLStore {
    /// The one writer runs all transactions one after another, so subjects need no lock.
    package func write<Value: Sendable>(
        _ subjects: @autoclosure @Sendable () -> [SQLSubject],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await writer.write { try body(SQLiteSession(database: $0)) }
    }

    /// Runs `query` on a consistent state of the database.
    ///
    /// `@concurrent`, because optimised builds of Swift 6.3.1 lose the way back to a caller's actor here: what followed
    /// `account(_:in:)` ran beside its actor.
    @concurrent
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try readHere(body)
        } catch {
            throw StoreError(error)
        }
    }

    /// On the thread of the caller: a read of a few rows is shorter than the way to another thread and back. It waits for nobody,
    /// since there are more connections to read with than threads of the cooperative pool; in memory for the writer, whose
    /// transactions are short there.
    private func readHere<Value>(_ body: (any SQLSession) throws -> Value) throws -> Value {
        try database.unsafeRead { db in
            // A database in memory has one connection, so nothing can change beside a read.
            guard !isInMemory else { return try body(SQLiteSession(database: db)) }
            try db.cachedStatement(sql: "BEGIN").execute()
            let result = Result { try body(SQLiteSession(database: db)) }
            try db.cachedStatement(sql: "COMMIT").execute()
            return try result.get()
        }
    }

    package func longRead<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await database.unsafeRead { db in
                var value: Result<Value, any Error> = .failure(SQLiteFailure.transactionLost)
                try db.inTransaction(.deferred) {
                    value = Result { try body(SQLiteSession(database: db)) }
                    return .commit
                }
                return try value.get()
            }
        } catch {
            throw StoreError(error)
        }
    }

    package func longWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        // 256 MiB: with the usual cache a large transaction would write most pages many times.
        _ = try await unsafeSQL("PRAGMA cache_size = -262144")
        return try await write([], body)
    }

    /// Wiped content leaves the write-ahead log, too.
    package func afterRemoval() async throws(StoreError) {
        try await checkpoint()
    }
}
