import GRDB
package import IdentityEngine
package import IdentityStoreSQL

extension SQLiteStore: SQLStore {
    /// The single writer runs all transactions one after another, so subjects need no lock.
    package func write<Value: Sendable>(
        _ subjects: @autoclosure @Sendable () -> [SQLSubject],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await traced("write", "sqlite") { () throws(StoreError) in
            try await writer.write { try body(SQLiteSession(database: $0)) }
        }
    }

    /// Runs `query` on a consistent state of the database.
    ///
    /// `@concurrent`, because optimised builds of Swift 6.3.1 do not return to the caller's actor here: the code after
    /// `account(_:in:)` ran outside its actor.
    @concurrent
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await traced("read", "sqlite") { () throws(StoreError) in
            do {
                return try readHere(body)
            } catch {
                throw StoreError(error)
            }
        }
    }

    /// Reads on the caller's thread: a read of a few rows takes less time than a switch to another thread and back. It
    /// waits for no other read, because there are more read connections than threads in the cooperative pool; in memory
    /// it waits for the writer, whose transactions are short there.
    private func readHere<Value>(_ body: (any SQLSession) throws -> Value) throws -> Value {
        if let readers { return try readers.read { try body(SQLiteSession(database: $0)) } }
        // Nothing can change during a read of the only connection.
        return try database.unsafeRead { try body(SQLiteSession(database: $0)) }
    }

    package func search<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await readElsewhere { session in try session.within(.seconds(2)) { try body(session) } }
    }

    package func longRead<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await readElsewhere { try body($0) }
    }

    /// Reads on a thread of the database's own.
    private func readElsewhere<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteSession) throws -> Value
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

    /// Also removes wiped content from the write-ahead log.
    package func afterRemoval() async throws(StoreError) {
        try await checkpoint()
    }
}
