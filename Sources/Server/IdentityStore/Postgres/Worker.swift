import IdentityStoreSQL
import PortableFoundation

/// A change that can share its transaction.
struct SharedChange {
    let subjects: [Int64]
    /// Starts its reads. The pending value makes its writes, and is the call that tells the caller that they are durable.
    let start: (PostgresSession) throws -> Pending<() -> Void>
    let fail: (PostgresFailure) -> Void
}

/// A thread with its connection.
final class Worker {
    /// Begins a transaction that writes.
    static let writing = "BEGIN ISOLATION LEVEL READ COMMITTED"
    /// Begins a transaction that sees one state of the database.
    static let reading = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
    private static let statementTimeout = Duration.seconds(5)
    private static let transactionTimeout = Duration.seconds(10)
    private static let attempts = 6

    private let place: PostgresEndpoint
    private let settings: PostgresSettings
    private unowned let pool: ConnectionPool
    private var connection: PostgresConnection?

    init(_ place: PostgresEndpoint, _ settings: PostgresSettings, _ pool: ConnectionPool) {
        self.place = place
        self.settings = settings
        self.pool = pool
    }

    func run() {
        while let job = pool.next() {
            switch job {
            case .alone(let ticket, let work):
                work(self)
                pool.ended(ticket)
            case .together(let tickets, let changes):
                pool.endSharing(tickets, areAnswered: runTogether(changes))
            }
        }
    }

    /// Runs changes about different subjects in one transaction: all reads take one round trip, all writes another.
    ///
    /// - Returns: Whether the callers have their answers; false when nothing was written, because one change failed or
    ///   waited for a lock, and each is to run alone.
    private func runTogether(_ changes: [SharedChange]) -> Bool {
        do {
            let subjects = changes.flatMap(\.subjects).sorted()
            let callers = try attempt(Self.writing, subjects, isShared: true) { session in
                try changes.map { try $0.start(session) }.map { try $0.get() }
            }
            for tellCaller in callers { tellCaller() }
            return true
        } catch PostgresFailure.outcomeUnknown {
            for change in changes { change.fail(.outcomeUnknown) }
            return true
        } catch {
            if let remedy = (error as? PostgresFailure)?.remedy { apply(remedy) }
            return false
        }
    }

    /// Runs `body` in a transaction, and repeats it up to five times after a conflict (`REL-HA-3`) or when the server
    /// has moved.
    ///
    /// - Parameter opening: The statement that begins the transaction.
    func transaction<Value>(
        _ opening: String, _ subjects: [Int64], _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
        var attempt = 1
        while true {
            do {
                return try self.attempt(opening, subjects, body)
            } catch let failure as PostgresFailure {
                guard attempt < Self.attempts, let remedy = failure.remedy else { throw failure }
                // At the second failure there is no server to reach: report it to the caller.
                if remedy == .elsewhere, attempt > 1 { throw failure }
                apply(remedy)
                if remedy == .again { _ = pool.pause(.random(in: 0.002...0.02) * Double(attempt)) }
                attempt += 1
            }
        }
    }

    /// Makes this connection ready for another attempt, and counts conflicts.
    private func apply(_ remedy: PostgresFailure.Remedy) {
        switch remedy {
        case .again: pool.countRetry()
        case .withoutNames:
            pool.stopUsingNames()
            connection = nil
        case .elsewhere: connection = nil
        }
    }

    /// - Parameter isShared: Whether it is the transaction of several changes.
    private func attempt<Value>(
        _ opening: String, _ subjects: [Int64], isShared: Bool = false,
        _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
        let connection = try connected()
        let session = PostgresSession(
            connection, statementTimeout: Self.statementTimeout, deadline: .now + Self.transactionTimeout,
            isShared: isShared)
        var isCommitting = false
        do {
            try connection.send(opening, []) { _ in }
            try connection.send(Self.timeouts, [.text(isShared ? Self.sharedLockTimeout : "0")]) { _ in }
            if !subjects.isEmpty {
                try connection.send(Self.locks, PostgresParameters(array: subjects)) { _ in }
            }
            let value = try body(session)
            isCommitting = true
            var tag = ""
            try connection.send("COMMIT", []) { tag = $0.tag }
            try session.flush()
            guard tag == "COMMIT" else { throw PostgresFailure.refused(sqlState: "40000") }
            return value
        } catch {
            do {
                try connection.rollback(deadline: .now + Self.statementTimeout)
            } catch {
                // The server rolls back when it notices the end of the connection.
                self.connection = nil
            }
            switch error {
            case let failure as PostgresFailure where isCommitting && failure.leavesOutcomeUnknown:
                throw PostgresFailure.outcomeUnknown
            // Division by zero: the session's signal for a row that does not exist.
            case PostgresFailure.refused("22012", _): throw RowLost()
            case _: throw error
            }
        }
    }

    private func connected() throws -> PostgresConnection {
        if let connection, connection.isSound { return connection }
        connection = nil
        let fresh = try PostgresConnection(place, usesNames: pool.preparesStatements)
        if !settings.allowsUnsafeDurability {
            var found: [SQLSettings] = []
            try fresh.send(SQLSettings.query, []) { found = SQLSettings.all($0.rows) }
            try fresh.flush(deadline: .now + Self.statementTimeout)
            if let setting = found.first(where: \.isUnsafe) { throw PostgresFailure.unsafe(setting: setting.name) }
        }
        connection = fresh
        return fresh
    }

    private static let timeouts = """
        SELECT set_config('statement_timeout', '5s', true), set_config('idle_in_transaction_session_timeout', '10s', true),
            set_config('lock_timeout', ?, true)
        """
    /// How long a shared transaction waits for each lock before its changes run alone. It is less than PostgreSQL's
    /// `deadlock_timeout` (1 s), so that of transactions that wait for each other in a circle the shared one gives way.
    private static let sharedLockTimeout = "100ms"
    /// Locks in ascending order, so that two transactions never wait for each other.
    private static let locks = "SELECT pg_advisory_xact_lock(subject) FROM unnest(?::bigint[]) AS subject"
}
