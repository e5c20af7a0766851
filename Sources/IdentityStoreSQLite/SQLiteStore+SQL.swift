import GRDB
package import IdentityEngine
package import IdentityStoreSQL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SQLiteStore: SQLStore {
    /// The one writer runs all transactions one after another, so subjects need no lock.
    package func write<Value: Sendable>(
        _ subjects: [SQLSubject], _ body: @escaping @Sendable (any SQLSession) throws -> Value
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
        let query: @Sendable (Database) throws -> Value = { try body(SQLiteSession(database: $0)) }
        do {
            // A database in memory has one connection, so nothing can change beside a read, and GRDB's `read` would ask
            // SQLite about a connection that ``close()`` may have ended.
            return try await isInMemory ? database.unsafeRead(query) : database.read(query)
        } catch {
            throw StoreError(error)
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

/// GRDB's connection, in a transaction of the writer or of a reader.
private struct SQLiteSession: SQLSession {
    let database: Database

    var dialect: SQLDialect { .sqlite }

    func run(_ sql: String, _ values: [any StoredValue], expecting count: Int?) throws {
        let changed = try change(sql, values)
        guard count == nil || changed == count else { throw RowLost() }
    }

    func change(_ sql: String, _ values: [any StoredValue]) throws -> Int {
        try database.cachedStatement(sql: sql).execute(arguments: Self.arguments(values))
        return database.changesCount
    }

    func fetch(_ sql: String, _ values: [any StoredValue]) throws -> Pending<SQLRows> {
        let statement = try database.cachedStatement(sql: sql)
        let rows = try Row.fetchAll(statement, arguments: Self.arguments(values))
        return Pending(
            SQLRows(columns: statement.columnNames, rows: try rows.map { try $0.databaseValues.map(SQLValue.init) }))
    }

    func stream(_ sql: String, _ body: (SQLRows) throws -> Void) throws {
        let statement = try database.makeStatement(sql: sql)
        let cursor = try Row.fetchCursor(statement)
        var portion: [[SQLValue]] = []
        while let row = try cursor.next() {
            portion.append(try row.databaseValues.map(SQLValue.init))
            if portion.count == 1_000 {
                try body(SQLRows(columns: statement.columnNames, rows: portion))
                portion.removeAll(keepingCapacity: true)
            }
        }
        if !portion.isEmpty { try body(SQLRows(columns: statement.columnNames, rows: portion)) }
    }

    private static func arguments(_ values: [any StoredValue]) throws -> StatementArguments {
        StatementArguments(try values.map { try $0.stored.databaseValue })
    }
}

extension SQLValue {
    /// A number with a fraction is no value of ours: the tables are `STRICT`, and have no such column.
    fileprivate init(_ value: DatabaseValue) throws {
        switch value.storage {
        case .null: self = .null
        case .int64(let integer): self = .integer(integer)
        case .string(let text): self = .text(text)
        case .blob(let bytes): self = .bytes(bytes)
        case .double: throw StoreError.corrupt("database")
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let integer): integer.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.databaseValue
        }
    }
}
