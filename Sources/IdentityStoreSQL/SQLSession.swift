import IdentityEngine

/// A connection to a database, in the middle of a transaction.
///
/// Statements are fixed text with a `?` for each value. A connection over a network sends those whose answer nobody has asked
/// for yet together with the next one: so ask for all that is needed first, and look at the answers then.
package protocol SQLSession {
    var dialect: SQLDialect { get }

    /// Runs a statement that changes rows, now or before the commit.
    ///
    /// - Parameter count: How many rows it must change; nil: any number. Another number fails the transaction.
    func run(_ sql: String, _ values: [any StoredValue], expecting count: Int?) throws

    /// Runs a statement that changes rows, now.
    ///
    /// - Returns: How many it changed, those of cascades not counted.
    func change(_ sql: String, _ values: [any StoredValue]) throws -> Int

    /// Runs a query, now or when its rows are asked for.
    func fetch(_ sql: String, _ values: [any StoredValue]) throws -> Pending<SQLRows>

    /// Runs a query without values, now, and hands on its rows in portions, so that an answer of any length fits in memory.
    func stream(_ sql: String, _ body: (SQLRows) throws -> Void) throws
}

/// The words in which the two databases differ.
package enum SQLDialect: Sendable {
    case sqlite
    case postgres

    /// Behind a query: nobody else changes its rows until the transaction ends. SQLite has one writer at a time.
    var lockingRows: String { self == .postgres ? "FOR NO KEY UPDATE" : "" }
    /// The same for the rows of `u` only.
    var lockingUsers: String { self == .postgres ? "FOR NO KEY UPDATE OF u" : "" }
    /// What tells rows of a table without a key apart, within one statement.
    var rowID: String { self == .postgres ? "ctid" : "rowid" }
    /// Tells which of two mails of the same millisecond came first, where the database knows.
    var orderOfArrival: String { self == .postgres ? "id" : "rowid" }
    /// The function that gives the greater one of two values.
    var greater: String { self == .postgres ? "GREATEST" : "MAX" }
    /// A query for the names of all tables.
    var tableNames: String {
        switch self {
        case .sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        case .postgres: "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema()"
        }
    }
    /// A query for the names of the migrations that were applied.
    var migrationNames: String {
        switch self {
        case .sqlite: "SELECT identifier AS name FROM grdb_migrations"
        case .postgres: "SELECT name FROM schema_migrations"
        }
    }
    /// Behind the alias of `identifiers` in a join: SQLite takes a tenant for small, and would read all its identifiers.
    var identifiersByUser: String { self == .postgres ? "" : "INDEXED BY identifiers_by_user" }
    /// Behind `audit` where lines without a seal are asked for: SQLite would look at the positions of all lines that there are.
    package var unsealedLines: String { self == .postgres ? "" : "INDEXED BY audit_unsealed" }
}

/// An answer that may still be on its way.
package struct Pending<Value> {
    /// Waits for the answer.
    package let get: () throws -> Value

    package init(get: @escaping () throws -> Value) {
        self.get = get
    }

    package init(_ value: Value) {
        get = { value }
    }

    func map<Other>(_ transform: @escaping (Value) throws -> Other) -> Pending<Other> {
        Pending<Other> { try transform(try get()) }
    }
}

/// What a query gave.
package struct SQLRows: Sendable {
    package let columns: [String]
    package let rows: [[SQLValue]]

    package init(columns: [String], rows: [[SQLValue]]) {
        self.columns = columns
        self.rows = rows
    }
}

/// A row of a known table.
struct StoredRow {
    let table: String
    fileprivate let columns: [String]
    fileprivate let values: [SQLValue]

    /// The column's value; throws ``StoreError/corrupt(_:)`` with the table's name when it does not decode.
    func value<Value: StoredValue>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
        guard let index = columns.firstIndex(of: column), let value = Value.restore(values[index]) else {
            throw StoreError.corrupt(table)
        }
        return value
    }

    /// The same row, taken for one of another table that was joined.
    func of(_ table: String) -> StoredRow {
        StoredRow(table: table, columns: columns, values: values)
    }
}

extension SQLSession {
    func run(_ sql: String, _ values: [any StoredValue]) throws {
        try run(sql, values, expecting: nil)
    }

    /// The rows that a query of `table` gives.
    func rows(of table: String, _ sql: String, _ values: [any StoredValue]) throws -> Pending<[StoredRow]> {
        try fetch(sql, values).map { found in
            found.rows.map { StoredRow(table: table, columns: found.columns, values: $0) }
        }
    }

    /// `?, ?, ?`, as many as there are values.
    static func placeholders(_ values: some Collection) -> String {
        repeatElement("?", count: values.count).joined(separator: ", ")
    }
}
