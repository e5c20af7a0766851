package import IdentityEngine
package import IdentityStoreSQL
import PortableFoundation

/// The settings of a store.
package struct PostgresSettings: Sendable {
    /// The number of connections of a node, each with a thread.
    package var connections = 10
    /// How long work waits for a connection (`REL-OVR-1`).
    package var longestWait: Duration = .seconds(1)
    /// How long a caller waits for an answer (`REL-DB-1`).
    package var patience: Duration = .milliseconds(2500)
    /// Whether the server may run with `fsync=off` or `synchronous_commit=off`, which can lose acknowledged changes.
    package var allowsUnsafeDurability = false
    /// Whether statements are prepared once per connection. A pooler without support for this is detected at its first
    /// error.
    package var usesPreparedStatements = true
    /// The number of audit lines after which a new partition begins. At 10⁹ lines, 100 partitions: more of them make each
    /// look at the whole trail slower, larger ones wait longer for their last line to be old enough.
    package var auditPartitionSize = 10_000_000

    package init() {}
}

/// Why a database could not be opened; nothing was changed in it. Each description is one sentence, without user and
/// password.
package enum PostgresStoreOpenError: Error, Equatable, CustomStringConvertible {
    /// No server answers there, or it refuses; `reason` is libpq's message.
    case unreachable(place: String, reason: String)
    /// The database has tables of another program with these names.
    case notOurs(place: String)
    /// A newer version of this program has written the database (`REL-TX-5`).
    case newerSchema(place: String)
    /// The server would lose acknowledged changes in a power failure (`REL-TX-2`).
    case unsafe(place: String, setting: String)
    /// The tables cannot be created; `sqlState` is PostgreSQL's five-character code.
    case unprepared(place: String, sqlState: String)

    package var description: String {
        switch self {
        case .unreachable(let place, let reason): "The database \(place) cannot be reached: \(reason)."
        case .notOurs(let place): "The database \(place) has tables of another program; choose an empty one."
        case .newerSchema(let place): "The database \(place) was written by a newer version of this program."
        case .unsafe(let place, let setting):
            "The database \(place) runs with \(setting)=off and would lose accounts with the power; switch it on."
        case .unprepared(let place, "25006"):
            "The database \(place) takes no writes, as a standby does; name the leader, or all hosts, in --database."
        case .unprepared(let place, "42501"):
            "The user of the database \(place) may not make tables there; make that user its owner."
        case .unprepared(let place, let sqlState):
            "The tables in \(place) cannot be made or read: PostgreSQL \(sqlState)."
        }
    }
}

/// All stores of the engine in a PostgreSQL database that many nodes share.
///
/// Transactions run at the level `READ COMMITTED`, where each statement sees what was committed before it. Transactions
/// about the same subject (a flow, an address, a counter, an account) run one after another, by advisory locks that end with the
/// transaction, also behind a pooler in transaction mode. Rows that are read in order to be changed are also locked,
/// and unique keys and conditional updates would stop any remaining conflict. See `docs/design/0008-postgresql.md`.
package final class PostgresStore: Sendable, SQLStore {
    private let pool: ConnectionPool
    private let databaseClock: DatabaseClock
    /// ``PostgresSettings/auditPartitionSize``.
    let partitionSize: Int
    package let place: PostgresEndpoint

    /// Connects, and creates or updates the tables. Several nodes can do so at once; one does the work, the others find
    /// it done.
    ///
    /// - Parameter migration: The last migration to apply; nil applies all.
    package init(
        _ place: PostgresEndpoint, _ settings: PostgresSettings = PostgresSettings(), upTo migration: String? = nil
    ) async throws(PostgresStoreOpenError) {
        self.place = place
        if let reason = PostgresConnection.obstacle(to: place) {
            throw .unreachable(place: place.description, reason: reason)
        }
        let pool = ConnectionPool(place, settings)
        self.pool = pool
        partitionSize = settings.auditPartitionSize
        do {
            let (time, instant) = try await pool.run(patience: .seconds(20)) { worker in
                try worker.migrate(place, upTo: migration)
                return try worker.time()
            }
            databaseClock = DatabaseClock(time, at: instant)
        } catch {
            await pool.close()
            throw Self.openError(error, place)
        }
    }

    /// Disconnects; later calls throw ``StoreError/unavailable(_:)``. Call it before releasing the store.
    package func close() async throws(StoreError) {
        await pool.close()
    }

    package func write<Value: Sendable>(
        _ subjects: @autoclosure @Sendable () -> [SQLSubject],
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let numbers = Self.numbers(subjects())
        return try await traced("write", "postgresql") { () throws(StoreError) in
            try await pool.run(numbers) { try $0.transaction(Worker.writing, numbers) { try body($0) } }
        }
    }

    package func share<Value: Sendable>(
        _ subjects: @autoclosure @Sendable () -> [SQLSubject],
        _ body: @escaping @Sendable (any SQLSession) throws -> Pending<Value>
    ) async throws(StoreError) -> Value {
        let numbers = Self.numbers(subjects())
        return try await traced("write", "postgresql") { () throws(StoreError) in
            try await pool.share(numbers) { try body($0) }
        }
    }

    private static func numbers(_ subjects: [SQLSubject]) -> [Int64] {
        Set(subjects.map { Int64(bitPattern: fingerprint($0.bytes)) }).sorted()
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await traced("read", "postgresql") { () throws(StoreError) in
            try await pool.run { try $0.transaction(Worker.reading, []) { try body($0) } }
        }
    }

    package func readAtOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Pending<Value>
    ) async throws(StoreError) -> Value {
        try await traced("read", "postgresql") { () throws(StoreError) in
            // The end of the transaction goes with its queries, and their answers come with it.
            try await pool.run { try $0.transaction(Worker.reading, []) { try body($0) }.get() }
        }
    }

    /// The server limits the time of each statement.
    package func search<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await read(body)
    }

    package func longRead<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        // A dropped partition is gone from older snapshots too, so no partition is dropped from now on.
        try await LongTransaction.run(
            at: place,
            ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "LOCK TABLE audit IN ACCESS SHARE MODE"], body)
    }

    package func longWrite<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await LongTransaction.run(at: place, ["BEGIN ISOLATION LEVEL READ COMMITTED"], body)
    }

    package func afterRemoval() async throws(StoreError) {}

    package var clock: DatabaseClock? { databaseClock }

    package var waitingWork: Int? { pool.waiting }

    package func readClock() async throws(StoreError) -> Bool {
        let (time, instant) = try await pool.run { try $0.time() }
        return databaseClock.set(time, at: instant)
    }

    /// Runs one statement without the ports, and returns its rows as text, nil for NULL and hexadecimal for bytes;
    /// columns of other types need a cast to `text`. For tests and manual inspection; `sql` must be fixed text.
    package func unsafeSQL(_ sql: String) async throws(StoreError) -> [[String?]] {
        try await write([]) { session in
            try session.fetch(sql, []).get().rows.map { row in
                row.map { value in
                    switch value {
                    case .null: nil
                    case .integer(let integer): String(integer)
                    case .text(let text): text
                    case .bytes(let bytes): bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
                    }
                }
            }
        }
    }

    /// The number of transactions that were repeated after a conflict, and of shared ones that gave way to a lock.
    package var retryCount: Int { pool.retryCount }

    /// Whether statements are prepared once per connection; false after a pooler without support was found.
    package var preparesStatements: Bool { pool.preparesStatements }

    private static func openError(_ error: StoreError, _ place: PostgresEndpoint) -> PostgresStoreOpenError {
        guard case .unavailable(let reason) = error else {
            return .unprepared(place: place.description, sqlState: "XX001")
        }
        return switch reason {
        case let error as PostgresStoreOpenError: error
        case PostgresFailure.unsafe(let setting): .unsafe(place: place.description, setting: setting)
        // Duplicate table.
        case PostgresFailure.refused("42P07", _): .notOurs(place: place.description)
        case PostgresFailure.refused(let sqlState, _): .unprepared(place: place.description, sqlState: sqlState)
        case _: .unreachable(place: place.description, reason: "\(reason)")
        }
    }
}

extension Worker {
    /// The database's time, with the local instant halfway between question and answer.
    fileprivate func time() throws -> (Date, ContinuousClock.Instant) {
        try transaction("BEGIN READ ONLY", []) { session in
            // Begin the transaction first, which may open a connection.
            _ = try session.fetch("SELECT 1::bigint", []).get()
            let begin = ContinuousClock.now
            let rows = try session.fetch("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint", []).get()
            let end = ContinuousClock.now
            guard case .integer(let microseconds) = rows.rows.first?.first else { throw PostgresFailure.disconnected }
            return (Date(timeIntervalSince1970: Double(microseconds) / 1e6), begin + (end - begin) / 2)
        }
    }

    /// Applies the missing migrations, all in one transaction.
    fileprivate func migrate(_ place: PostgresEndpoint, upTo last: String?) throws {
        let wanted = Migration.all.prefix { $0.name <= last ?? $0.name }
        let subject = Int64(bitPattern: fingerprint(Data("native-auth migrations".utf8)))
        try transaction("BEGIN", [subject]) { session in
            _ = try session.change(
                "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)", [])
            let found = try session.fetch("SELECT name FROM schema_migrations", []).get().rows
            let applied = Set(found.map(\.[0]))
            guard applied.isSubset(of: Migration.all.map { .text($0.name) }) else {
                throw PostgresStoreOpenError.newerSchema(place: place.description)
            }
            for migration in wanted where !applied.contains(.text(migration.name)) {
                // The protocol of prepared statements takes one at a time; no text in a migration contains a semicolon.
                for statement in migration.postgres.split(separator: ";") {
                    guard statement.contains(where: { !$0.isWhitespace }) else { continue }
                    try session.run(String(statement), [], expecting: nil)
                }
                if migration.name == Migration.auditPartitions.name { try session.divideAuditIfEmpty() }
                try session.run(
                    "INSERT INTO schema_migrations VALUES (?, (extract(epoch FROM now()) * 1000)::bigint)",
                    [migration.name],
                    expecting: nil)
            }
        }
    }
}
