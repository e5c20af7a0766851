import IdentityEngine

/// A connection to a database with an open transaction.
///
/// Statements are fixed text with a `?` for each value. A network connection sends statements whose answers are not
/// needed yet together with the next one: so run all statements first, and read the answers then.
package protocol SQLSession {
    var dialect: SQLDialect { get }
    /// Whether other changes in the transaction may have read before this one writes.
    var isShared: Bool { get }

    /// Runs a statement that changes rows, now or before the commit.
    ///
    /// - Parameter count: The number of rows that it must change; nil for any number. Another number fails the
    ///   transaction.
    func run(_ sql: String, _ values: [any StoredValue], expecting count: Int?) throws

    /// Runs a statement that changes rows, now.
    ///
    /// - Returns: The number of changed rows, not counting cascades.
    func change(_ sql: String, _ values: [any StoredValue]) throws -> Int

    /// Runs a query, now or when its rows are read.
    func fetch(_ sql: String, _ values: [any StoredValue]) throws -> Pending<SQLRows>

    /// Runs a query whose text comes from no fixed list, so that it is not kept prepared.
    func fetchOnce(_ sql: String, _ values: [any StoredValue]) throws -> Pending<SQLRows>

    /// Runs a query without values, now, and passes its rows on in portions, so that an answer of any length fits in
    /// memory.
    func stream(_ sql: String, _ body: (SQLRows) throws -> Void) throws
}

/// The SQL text that differs between the two databases.
package enum SQLDialect: Sendable {
    case sqlite
    case postgres

    /// A suffix of a query: no other transaction changes its rows until this one ends. SQLite has one writer at a time.
    var lockingRows: String { self == .postgres ? "FOR NO KEY UPDATE" : "" }
    /// The same for only the rows of `u`.
    var lockingUsers: String { self == .postgres ? "FOR NO KEY UPDATE OF u" : "" }
    /// The column that identifies rows of a table without a key, within one statement.
    var rowID: String { self == .postgres ? "ctid" : "rowid" }
    /// The column that orders mails of the same millisecond, where the database knows the order.
    var orderOfArrival: String { self == .postgres ? "id" : "rowid" }
    /// The function that returns the greater of two values.
    var greater: String { self == .postgres ? "GREATEST" : "MAX" }
    /// The type of bytes.
    var bytes: String { self == .postgres ? "BYTEA" : "BLOB" }
    /// A query for the names of all tables; a partition is a part of one.
    var tableNames: String {
        switch self {
        case .sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        case .postgres:
            """
            SELECT relname::text AS name FROM pg_class
            WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace
            """
        }
    }
    /// A query for the names of the applied migrations.
    var migrationNames: String {
        switch self {
        case .sqlite: "SELECT identifier AS name FROM grdb_migrations"
        case .postgres: "SELECT name FROM schema_migrations"
        }
    }
    /// Makes SQLite, which has no statistics, use an index.
    func indexed(by name: String) -> String { self == .postgres ? "" : "INDEXED BY \(name)" }

    /// A suffix of the alias of `identifiers` in a join: SQLite assumes that a tenant is small, and would read all its
    /// identifiers.
    var identifiersByUser: String { self == .postgres ? "" : "INDEXED BY identifiers_by_user" }
    /// A suffix of `attributes` in searches by value, for the same reason.
    var attributesByValue: String { self == .postgres ? "" : "INDEXED BY attributes_by_value" }
    /// A suffix of `audit` in queries for unsealed lines: SQLite would read the positions of all lines.
    package var unsealedLines: String { self == .postgres ? "" : "INDEXED BY audit_unsealed" }
    /// A query for the tenants that have unsealed lines. Looks at one line of each, also when millions wait; by the order
    /// of the index that has these lines alone.
    package var tenantsWithUnsealedLines: String {
        let lines = "SELECT tenant FROM audit \(unsealedLines) WHERE position IS NULL"
        return """
            WITH RECURSIVE waiting AS (
                SELECT (\(lines) ORDER BY tenant, seq LIMIT 1) AS tenant
                UNION ALL
                SELECT (\(lines) AND audit.tenant > waiting.tenant ORDER BY tenant, seq LIMIT 1)
                FROM waiting WHERE waiting.tenant IS NOT NULL
            )
            SELECT tenant FROM waiting WHERE tenant IS NOT NULL
            """
    }
}

/// An answer that may not have arrived yet.
package struct Pending<Value> {
    /// Waits for the answer.
    package let get: () throws -> Value

    package init(get: @escaping () throws -> Value) {
        self.get = get
    }

    package init(_ value: Value) {
        get = { value }
    }

    package func map<Other>(_ transform: @escaping (Value) throws -> Other) -> Pending<Other> {
        Pending<Other> { try transform(try get()) }
    }
}

/// The result of a query.
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
        // Most names already differ in length, which takes less time to see.
        let length = column.utf8.count
        guard let index = columns.firstIndex(where: { $0.utf8.count == length && $0 == column }),
            let value = Value.restore(values[index])
        else { throw StoreError.corrupt(table) }
        return value
    }

    /// The same row, read as a row of another, joined table.
    func of(_ table: String) -> StoredRow {
        StoredRow(table: table, columns: columns, values: values)
    }
}

extension SQLSession {
    package var isShared: Bool { false }

    func run(_ sql: String, _ values: [any StoredValue]) throws {
        try run(sql, values, expecting: nil)
    }

    /// The rows that a query of `table` returns.
    func rows(of table: String, _ sql: String, _ values: [any StoredValue]) throws -> Pending<[StoredRow]> {
        try fetch(sql, values).map { found in
            found.rows.map { StoredRow(table: table, columns: found.columns, values: $0) }
        }
    }

    /// The rows of `table` that a query finds whose text depends on a request.
    func rowsOnce(of table: String, _ text: SQLText) throws -> Pending<[StoredRow]> {
        try fetchOnce(text.sql, text.values).map { found in
            found.rows.map { StoredRow(table: table, columns: found.columns, values: $0) }
        }
    }

    /// `?, ?, ?`, one for each value.
    static func placeholders(_ values: some Collection) -> String {
        repeatElement("?", count: values.count).joined(separator: ", ")
    }
}
