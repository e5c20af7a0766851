import IdentityStoreSQL
import PortableFoundation

/// A change that can share its transaction.
struct SharedChange {
    let subjects: [Int64]
    /// Starts its reads; what it returns makes its writes, and then gives what tells the caller that they are durable.
    let start: (PostgresSession) throws -> () throws -> () -> Void
    let fail: (any Error) -> Void
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
        while let turn = pool.next() {
            switch turn {
            case .alone(let ticket, let work):
                work(self)
                pool.ended(ticket)
            case .together(let tickets, let changes):
                pool.endSharing(tickets, isDone: share(changes))
            }
        }
    }

    /// Runs changes about different subjects in one transaction: all reads take one round trip, all writes another.
    ///
    /// - Returns: Whether the callers have their answers; false when nothing was written, because one change failed or
    ///   waited for a lock, and each is to run alone.
    private func share(_ changes: [SharedChange]) -> Bool {
        do {
            let subjects = changes.flatMap(\.subjects).sorted()
            let callers = try attempt(Self.writing, subjects, waitingForLocks: Self.sharedLockTimeout) { session in
                try changes.map { try $0.start(session) }.map { try $0() }
            }
            for tellCaller in callers { tellCaller() }
            return true
        } catch PostgresFailure.outcomeUnknown {
            for change in changes { change.fail(PostgresFailure.outcomeUnknown) }
            return true
        } catch {
            if let remedy = (error as? PostgresFailure)?.remedy { prepare(remedy) }
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
                prepare(remedy)
                if remedy == .again { _ = pool.pause(.random(in: 0.002...0.02) * Double(attempt)) }
                attempt += 1
            }
        }
    }

    /// Prepares another attempt.
    private func prepare(_ remedy: PostgresFailure.Remedy) {
        switch remedy {
        case .again: pool.countRetry()
        case .withoutNames:
            pool.stopUsingNames()
            connection = nil
        case .elsewhere: connection = nil
        }
    }

    /// - Parameter lockTimeout: How long a statement waits for a lock, as PostgreSQL writes it; `0` for as long as it may
    ///   run.
    private func attempt<Value>(
        _ opening: String, _ subjects: [Int64], waitingForLocks lockTimeout: String = "0",
        _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
        let connection = try connected()
        let session = PostgresSession(
            connection, statementTimeout: Self.statementTimeout, deadline: .now + Self.transactionTimeout)
        var isCommitting = false
        do {
            try connection.send(opening, []) { _ in }
            try connection.send(Self.timeouts, [.text(lockTimeout)]) { _ in }
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
    /// Changes that share a transaction do not wait long for the one that another node holds up.
    private static let sharedLockTimeout = "100ms"
    /// Locks in ascending order, so that two transactions never wait for each other.
    private static let locks = "SELECT pg_advisory_xact_lock(subject) FROM unnest(?::bigint[]) AS subject"
}
