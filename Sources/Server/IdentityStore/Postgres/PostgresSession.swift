import IdentityStoreSQL

/// A transaction on a connection. Statements wait in the pipeline until an answer is needed, so that all reads of a
/// step take one round trip, and its writes, with the commit, another.
final class PostgresSession: SQLSession {
    private let connection: PostgresConnection
    private let statementTimeout: Duration
    private let deadline: ContinuousClock.Instant
    let isShared: Bool

    /// - Parameter deadline: The latest end of the transaction.
    init(
        _ connection: PostgresConnection, statementTimeout: Duration, deadline: ContinuousClock.Instant,
        isShared: Bool = false
    ) {
        self.connection = connection
        self.isShared = isShared
        self.statementTimeout = statementTimeout
        self.deadline = deadline
    }

    var dialect: SQLDialect { .postgres }

    func run(_ sql: String, _ values: [any StoredValue], expecting count: Int?) throws {
        // The commit follows in the same pipeline, so the server itself must refuse: it divides by zero.
        let text = count.map {
            "WITH changed AS (\(sql) RETURNING 1) SELECT 1 / (COUNT(*) = \($0))::int::bigint FROM changed"
        }
        try connection.send(text ?? sql, try values.map { try $0.stored }) { _ in }
    }

    func change(_ sql: String, _ values: [any StoredValue]) throws -> Int {
        var changed = 0
        try connection.send(sql, try values.map { try $0.stored }) { changed = $0.changed }
        try flush()
        return changed
    }

    func fetch(_ sql: String, _ values: [any StoredValue]) throws -> Pending<SQLRows> {
        try fetch(sql, values, isKept: true)
    }

    func fetchOnce(_ sql: String, _ values: [any StoredValue]) throws -> Pending<SQLRows> {
        try fetch(sql, values, isKept: false)
    }

    private func fetch(_ sql: String, _ values: [any StoredValue], isKept: Bool) throws -> Pending<SQLRows> {
        let box = Box()
        let parameters = PostgresParameters(try values.map { try $0.stored })
        try connection.send(sql, parameters, isKept: isKept) { box.rows = $0.rows }
        return Pending {
            if box.rows == nil { try self.flush() }
            guard let rows = box.rows else { throw PostgresFailure.disconnected }
            return rows
        }
    }

    func stream(_ sql: String, _ body: (SQLRows) throws -> Void) throws {
        try run("DECLARE streamed NO SCROLL CURSOR FOR \(sql)", [], expecting: nil)
        while true {
            let portion = try fetch("FETCH 1000 FROM streamed", []).get()
            if portion.rows.isEmpty { break }
            try body(portion)
        }
        try run("CLOSE streamed", [], expecting: nil)
    }

    /// Sends the pipeline, and reads the answers. The server itself limits the time of a statement; the slightly longer
    /// limit here is for a server that does not answer at all.
    func flush() throws {
        let now = ContinuousClock.now
        guard now < deadline else { throw PostgresFailure.timedOut }
        try connection.flush(deadline: min(deadline, now + statementTimeout + .seconds(1)))
    }

    private final class Box {
        var rows: SQLRows?
    }
}
