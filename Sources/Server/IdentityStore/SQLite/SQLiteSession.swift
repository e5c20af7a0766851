import GRDB
import GRDBSQLite
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import PortableFoundation

/// GRDB's connection, in a transaction of the writer or of a reader.
///
/// Prepared statements come from GRDB's cache and are stepped here: GRDB makes an object of every value and row, which
/// took longer than SQLite's own work.
struct SQLiteSession: SQLSession {
    let database: Database

    var dialect: SQLDialect { .sqlite }

    func run(_ sql: String, _ values: [any StoredValue], expecting count: Int?) throws {
        let changed = try change(sql, values)
        guard count == nil || changed == count else { throw RowLost() }
    }

    func change(_ sql: String, _ values: [any StoredValue]) throws -> Int {
        // After some errors SQLite rolls the transaction back; later statements would then be committed one by one.
        guard database.isInsideTransaction else { throw SQLiteFailure.transactionLost }
        try step(database.cachedStatement(sql: sql), values) { _ in }
        return database.changesCount
    }

    /// Runs a statement that begins or ends a transaction or a savepoint.
    func control(_ sql: String) throws {
        try step(database.cachedStatement(sql: sql), []) { _ in }
    }

    func fetch(_ sql: String, _ values: [any StoredValue]) throws -> Pending<SQLRows> {
        try rows(of: database.cachedStatement(sql: sql), values)
    }

    func fetchOnce(_ sql: String, _ values: [any StoredValue]) throws -> Pending<SQLRows> {
        try rows(of: database.makeStatement(sql: sql), values)
    }

    private func rows(of statement: Statement, _ values: [any StoredValue]) throws -> Pending<SQLRows> {
        var rows: [[SQLValue]] = []
        try step(statement, values) { rows.append($0) }
        return Pending(SQLRows(columns: statement.columnNames, rows: rows))
    }

    func stream(_ sql: String, _ body: (SQLRows) throws -> Void) throws {
        let statement = try database.makeStatement(sql: sql)
        var portion: [[SQLValue]] = []
        try step(statement, []) { row in
            portion.append(row)
            if portion.count == 1_000 {
                try body(SQLRows(columns: statement.columnNames, rows: portion))
                portion.removeAll(keepingCapacity: true)
            }
        }
        if !portion.isEmpty { try body(SQLRows(columns: statement.columnNames, rows: portion)) }
    }

    /// Runs `body`, whose statements SQLite interrupts when the time is over.
    func within<Value>(_ time: Duration, _ body: () throws -> Value) throws -> Value {
        let deadline = Deadline(at: .now + time)
        sqlite3_progress_handler(
            database.sqliteConnection, 10_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(deadline).toOpaque())
        defer {
            sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil)
            withExtendedLifetime(deadline) {}
        }
        return try body()
    }

    private final class Deadline {
        private let end: ContinuousClock.Instant

        init(at end: ContinuousClock.Instant) {
            self.end = end
        }

        var isOver: Bool { ContinuousClock.now > end }
    }

    /// Runs a statement to its end.
    private func step(
        _ statement: Statement, _ values: [any StoredValue], onRow: ([SQLValue]) throws -> Void
    ) throws {
        let handle = statement.sqliteStatement
        // Clears the values from the cached statement.
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in values.enumerated() { try bind(value, at: CInt(index + 1), of: handle) }
        let columns = sqlite3_column_count(handle)
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try onRow((0..<columns).map { try SQLValue(column: $0, of: handle) })
            case SQLITE_DONE: return
            case _: throw failure
            }
        }
    }

    private func bind(_ value: any StoredValue, at index: CInt, of handle: OpaquePointer) throws {
        // SQLite makes its own copy.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        func blob(_ bytes: UnsafeRawBufferPointer) -> CInt {
            sqlite3_bind_blob(handle, index, bytes.baseAddress, CInt(bytes.count), copied)
        }
        let code =
            if let uuid = value.storedUUID {
                withUnsafeBytes(of: uuid.uuid, blob)
            } else {
                switch try value.stored {
                case .null: sqlite3_bind_null(handle, index)
                case .integer(let integer): sqlite3_bind_int64(handle, index, integer)
                // Bound by length: a text may contain zero bytes.
                case .text(let text): sqlite3_bind_text(handle, index, text, CInt(text.utf8.count), copied)
                case .bytes(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
                case .bytes(let bytes): bytes.withUnsafeBytes(blob)
                }
            }
        guard code == SQLITE_OK else { throw failure }
    }

    private var failure: DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(database.sqliteConnection)),
            message: database.lastErrorMessage)
    }
}

extension SQLValue {
    /// A number with a fraction is not a stored value: the tables are `STRICT`, and have no such column.
    fileprivate init(column: CInt, of handle: OpaquePointer) throws {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: self = .null
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(handle, column))
        case SQLITE_TEXT:
            let start = sqlite3_column_text(handle, column)
            let count = Int(sqlite3_column_bytes(handle, column))
            self = .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(handle, column)
            let count = Int(sqlite3_column_bytes(handle, column))
            self = .bytes(Data(copying: UnsafeRawBufferPointer(start: start, count: count)))
        case _: throw StoreError.corrupt("database")
        }
    }
}
