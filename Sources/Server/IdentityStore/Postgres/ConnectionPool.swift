// All of Foundation, for NSCondition and Thread.
import Foundation
import IdentityEngine
import IdentityStoreSQL

/// A fixed number of connections, each with its own thread, and one ``SubjectQueue`` of work for all. Changes that are ready
/// at the same time share a transaction.
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
    /// The most changes in one transaction, which holds the locks of all.
    private static let mostTogether = 16

    private struct Work {
        let begunBefore: ContinuousClock.Instant
        let answeredBefore: ContinuousClock.Instant
        let run: (Worker) -> Void
        /// The work as a part of a shared transaction; nil for work that runs alone.
        var shared: SharedChange?
        let refuse: (PostgresFailure) -> Void
        var hasBegun = false
    }

    /// What a connection does next.
    enum Job {
        case alone(SubjectQueue.Ticket, (Worker) -> Void)
        case together([SubjectQueue.Ticket], [SharedChange])
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
    /// The most connections that run shared transactions at a time. Meanwhile more changes gather for the next one. Of two
    /// connections or more, others are left for reads and for changes that run alone.
    private let mostSharing: Int
    /// The connections that run a shared transaction.
    private var sharing = 0
    private var threads = 0
    private var isClosed = false
    private var closers: [CheckedContinuation<Void, Never>] = []
    private var usesNames: Bool
    private var retries = 0

    init(_ place: PostgresEndpoint, _ settings: PostgresSettings) {
        self.place = place
        self.settings = settings
        usesNames = settings.usesPreparedStatements
        mostSharing = max(1, settings.connections / 3)
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
        try await answer { reply in
            append(subjects, patience: patience ?? settings.patience, reply, run: body, shared: nil)
        }
    }

    /// Runs a change in a transaction that it may share with other changes, and returns its result once that is durable.
    ///
    /// - Parameters:
    ///   - subjects: As in ``run(_:patience:_:)``.
    ///   - body: Starts the reads of the change; the pending value makes its writes. Both may run several times: with
    ///     other changes, then alone, then after conflicts. The last result counts.
    func share<Value: Sendable>(
        _ subjects: [Int64], _ body: @escaping @Sendable (PostgresSession) throws -> Pending<Value>
    ) async throws(StoreError) -> Value {
        try await answer { reply in
            let shared = SharedChange(
                subjects: subjects,
                start: { try body($0).map { value in { reply.give(.success(value)) } } },
                fail: { reply.give(.failure(.unavailable($0))) })
            append(
                subjects, patience: settings.patience, reply,
                run: { try $0.transaction(Worker.writing, subjects) { try body($0).get() } }, shared: shared)
        }
    }

    private func answer<Value: Sendable>(_ ask: (Reply<Value>) -> Void) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { (caller: CheckedContinuation<Result<Value, StoreError>, Never>) in
            ask(Reply(caller))
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

    private func append<Value>(
        _ subjects: [Int64], patience: Duration, _ reply: Reply<Value>,
        run body: @escaping @Sendable (Worker) throws -> Value, shared: SharedChange?
    ) {
        let now = ContinuousClock.now
        condition.lock()
        guard !isClosed, queue.count < Self.longestQueue else {
            let failure = isClosed ? PostgresFailure.closed : .overloaded
            condition.unlock()
            return reply.give(.failure(.unavailable(failure)))
        }
        awaited[queue.append(subjects, canShare: shared != nil)] = Work(
            begunBefore: now + settings.longestWait, answeredBefore: now + patience,
            run: { worker in reply.give(Result { try body(worker) }.mapError { StoreError($0) }) },
            shared: shared, refuse: { reply.give(.failure(.unavailable($0))) })
        if hasWork { condition.signal() }
        condition.unlock()
    }

    /// How many changes the next connection may take in one transaction; 0 while enough connections share.
    private var shareLimit: Int { sharing < mostSharing ? Self.mostTogether : 0 }
    private var hasWork: Bool { queue.hasNext(together: shareLimit) }

    /// The next work for a connection; nil when the pool is closed.
    func next() -> Job? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let job = takeJob() {
                // Each thread that begins wakes one more, if there is work for it.
                if hasWork { condition.signal() }
                return job
            }
            if isClosed { return nil }
            condition.wait()
        }
    }

    /// Takes work whose caller still waits, and counts the connection in ``sharing`` if it shares; nil when there is none.
    private func takeJob() -> Job? {
        while hasWork {
            var works: [(ticket: SubjectQueue.Ticket, work: Work)] = []
            for ticket in queue.next(together: shareLimit) {
                guard let work = awaited[ticket] else {
                    queue.end(ticket)
                    continue
                }
                awaited[ticket]?.hasBegun = true
                works.append((ticket, work))
            }
            guard let first = works.first else { continue }
            let changes = works.compactMap(\.work.shared)
            guard !changes.isEmpty else { return .alone(first.ticket, first.work.run) }
            sharing += 1
            return .together(works.map(\.ticket), changes)
        }
        return nil
    }

    func ended(_ ticket: SubjectQueue.Ticket) {
        condition.withLock { end(ticket) }
    }

    /// Ends the sharing of a transaction. It wakes no thread: the caller's next ``next()`` does.
    ///
    /// - Parameter areAnswered: Whether the callers have their answers; otherwise each change runs alone.
    func endSharing(_ tickets: [SubjectQueue.Ticket], areAnswered: Bool) {
        condition.withLock {
            sharing -= 1
            if areAnswered {
                for ticket in tickets { end(ticket) }
            } else {
                for ticket in tickets { awaited[ticket]?.shared = nil }
                queue.separate(tickets)
            }
        }
    }

    private func end(_ ticket: SubjectQueue.Ticket) {
        awaited[ticket] = nil
        queue.end(ticket)
    }

    /// Blocks the thread for this many seconds, or until the pool is closed; returns false when it is closed.
    func pause(_ seconds: TimeInterval) -> Bool {
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
