// All of Foundation, for NSCondition and Thread.
import Foundation
import IdentityEngine
import IdentityStoreSQL

/// A fixed number of connections, each with its own thread, and one ``SubjectQueue`` of work for all.
///
/// libpq blocks while it waits for the server, so its calls run outside the cooperative pool. Waits are limited: work
/// that no connection has begun within ``PostgresSettings/longestWait`` is refused, and a caller gets an answer within
/// ``PostgresSettings/patience`` whatever the server does (`REL-OVR-1`, `REL-DB-1`). Work that has begun runs to its
/// end; a caller that did not get its result repeats the request.
///
/// `@unchecked Sendable`: `hasClosed` is accessed only under `closing`, and all other mutable state only under
/// `condition`.
final class ConnectionPool: @unchecked Sendable {
    /// The largest number of waiting work items.
    private static let longestQueue = 10_000

    private struct Work {
        let begunBefore: ContinuousClock.Instant
        let answeredBefore: ContinuousClock.Instant
        let run: (Worker) -> Void
        let refuse: (PostgresFailure) -> Void
        var hasBegun = false
    }

    private let place: PostgresEndpoint
    private let settings: PostgresSettings
    private let condition = NSCondition()
    /// Signalled once, when the pool has closed.
    private let closing = NSCondition()
    private var hasClosed = false
    private var queue = SubjectQueue()
    /// Work whose caller waits. Work whose caller has stopped waiting keeps its place in the queue and is skipped.
    private var awaited: [SubjectQueue.Ticket: Work] = [:]
    private var threads = 0
    private var isClosed = false
    private var closers: [CheckedContinuation<Void, Never>] = []
    private var usesNames: Bool
    private var retries = 0

    init(_ place: PostgresEndpoint, _ settings: PostgresSettings) {
        self.place = place
        self.settings = settings
        usesNames = settings.usesPreparedStatements
        threads = settings.connections + 1
        for _ in 0..<settings.connections {
            start { pool in Worker(pool.place, pool.settings, pool).run() }
        }
        start { $0.watch() }
    }

    private func start(_ body: @escaping @Sendable (ConnectionPool) -> Void) {
        let thread = Thread {
            body(self)
            self.threadEnded()
        }
        thread.name = "postgres"
        thread.start()
    }

    /// The number of transactions that were repeated after a conflict.
    var retryCount: Int { condition.withLock { retries } }
    /// The work that no connection has begun.
    var waiting: Int { condition.withLock { awaited.values.count { !$0.hasBegun } } }
    /// Whether statements are prepared once per connection; false after a pooler without support for names was found.
    var preparesStatements: Bool { condition.withLock { usesNames } }

    func countRetry() { condition.withLock { retries += 1 } }
    func stopUsingNames() { condition.withLock { usesNames = false } }

    /// Runs `body` on a connection, and returns its result.
    ///
    /// - Parameters:
    ///   - subjects: The subjects that the work locks, without duplicates; work on the same subject runs on one
    ///     connection at a time.
    ///   - patience: How long the caller waits; nil for the time in the settings.
    func run<Value: Sendable>(
        _ subjects: [Int64] = [], patience: Duration? = nil, _ body: @escaping @Sendable (Worker) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { (caller: CheckedContinuation<Result<Value, StoreError>, Never>) in
            let reply = Reply(caller)
            append(
                subjects, patience: patience ?? settings.patience,
                run: { worker in reply.give(Result { try body(worker) }.mapError { StoreError($0) }) },
                refuse: { reply.give(.failure(.unavailable($0))) })
        }
        return try result.get()
    }

    /// Finishes running work, refuses waiting work, and disconnects.
    func close() async {
        await withCheckedContinuation { caller in
            condition.lock()
            isClosed = true
            let waiting = awaited.filter { !$0.value.hasBegun }
            for ticket in waiting.keys { awaited[ticket] = nil }
            let isOver = threads == 0
            if !isOver { closers.append(caller) }
            condition.broadcast()
            condition.unlock()
            closing.withLock {
                hasClosed = true
                closing.broadcast()
            }
            for work in waiting.values { work.refuse(.closed) }
            if isOver { caller.resume() }
        }
    }

    private func append(
        _ subjects: [Int64], patience: Duration, run: @escaping @Sendable (Worker) -> Void,
        refuse: @escaping @Sendable (PostgresFailure) -> Void
    ) {
        let now = ContinuousClock.now
        condition.lock()
        guard !isClosed, queue.count < Self.longestQueue else {
            let failure = isClosed ? PostgresFailure.closed : .overloaded
            condition.unlock()
            return refuse(failure)
        }
        awaited[queue.append(subjects)] = Work(
            begunBefore: now + settings.longestWait, answeredBefore: now + patience, run: run, refuse: refuse)
        condition.signal()
        condition.unlock()
    }

    /// The next work for a connection; nil when the pool is closed.
    fileprivate func next() -> (ticket: SubjectQueue.Ticket, run: (Worker) -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let ticket = queue.next() {
                guard let run = awaited[ticket]?.run else {
                    queue.end(ticket)
                    continue
                }
                awaited[ticket]?.hasBegun = true
                return (ticket, run)
            }
            if isClosed { return nil }
            condition.wait()
        }
    }

    fileprivate func ended(_ ticket: SubjectQueue.Ticket) {
        condition.withLock {
            awaited[ticket] = nil
            queue.end(ticket)
            // Several work items may have become ready: wake the other threads too.
            if queue.hasNext { condition.broadcast() }
        }
    }

    /// Blocks the thread for this many seconds, or until the pool is closed; returns false when it is closed.
    fileprivate func pause(_ seconds: TimeInterval) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        closing.lock()
        defer { closing.unlock() }
        while !hasClosed, closing.wait(until: end) {}
        return !hasClosed
    }

    /// Answers the callers of connections that do not answer in time.
    private func watch() {
        while true {
            guard pause(0.05) else { return }
            let now = ContinuousClock.now
            condition.lock()
            let late = awaited.filter { _, work in
                (work.hasBegun ? work.answeredBefore : work.begunBefore) <= now
            }
            for ticket in late.keys { awaited[ticket] = nil }
            condition.unlock()
            for work in late.values { work.refuse(work.hasBegun ? .timedOut : .overloaded) }
        }
    }

    private func threadEnded() {
        condition.lock()
        threads -= 1
        let waiting = threads == 0 ? closers : []
        if threads == 0 { closers = [] }
        condition.unlock()
        for caller in waiting { caller.resume() }
    }

    /// Passes the first of several answers to the caller, and drops the others.
    ///
    /// `@unchecked Sendable`: `caller` is accessed only under `lock`.
    private final class Reply<Value: Sendable>: @unchecked Sendable {
        private let lock = NSLock()
        private var caller: CheckedContinuation<Result<Value, StoreError>, Never>?

        init(_ caller: CheckedContinuation<Result<Value, StoreError>, Never>) {
            self.caller = caller
        }

        func give(_ result: Result<Value, StoreError>) {
            let first = lock.withLock {
                defer { caller = nil }
                return caller
            }
            first?.resume(returning: result)
        }
    }
}

/// A thread with its connection.
final class Worker {
    private static let statementTimeout = Duration.seconds(5)
    private static let transactionTimeout = Duration.seconds(10)
    private static let attempts = 6

    private let place: PostgresEndpoint
    private let settings: PostgresSettings
    private unowned let pool: ConnectionPool
    private var connection: PostgresConnection?

    fileprivate init(_ place: PostgresEndpoint, _ settings: PostgresSettings, _ pool: ConnectionPool) {
        self.place = place
        self.settings = settings
        self.pool = pool
    }

    fileprivate func run() {
        while let work = pool.next() {
            work.run(self)
            pool.ended(work.ticket)
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
                switch remedy {
                case .again:
                    pool.countRetry()
                    _ = pool.pause(.random(in: 0.002...0.02) * Double(attempt))
                case .withoutNames:
                    pool.stopUsingNames()
                    connection = nil
                case .elsewhere:
                    // At the second failure there is no server to reach: report it to the caller.
                    if attempt > 1 { throw failure }
                    connection = nil
                }
                attempt += 1
            }
        }
    }

    private func attempt<Value>(
        _ opening: String, _ subjects: [Int64], _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
        let connection = try connected()
        let session = PostgresSession(
            connection, statementTimeout: Self.statementTimeout, deadline: .now + Self.transactionTimeout)
        var isCommitting = false
        do {
            try connection.send(opening, []) { _ in }
            try connection.send(Self.timeouts, []) { _ in }
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
        SELECT set_config('statement_timeout', '5s', true), set_config('idle_in_transaction_session_timeout', '10s', true)
        """
    /// Locks in ascending order, so that two transactions never wait for each other.
    private static let locks = "SELECT pg_advisory_xact_lock(subject) FROM unnest(?::bigint[]) AS subject"
}
