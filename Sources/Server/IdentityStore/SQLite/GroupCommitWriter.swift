// All of Foundation, for NSLock: Mutex of the module Synchronization needs a newer iOS than this package does.
import Foundation
import GRDB
import IdentityEngine

/// The only writer of a database: many callers share one durable commit (design record 0008, `REL-TX-2`).
///
/// A commit with `synchronous=FULL` waits for the disk, and that wait takes the same time for one change as for a
/// hundred. So a caller only appends its job to a queue. When the writer's thread is free, it takes all waiting jobs,
/// opens one `BEGIN IMMEDIATE`, runs the jobs in order, commits once, and only then resumes the callers.
///
/// - A job that throws rolls back only its own changes. Few do, and savepoints copy each page that a job touches: so
///   the jobs run without them first, and after a throw all of them again, each in its own savepoint.
/// - If the commit fails, nothing of the batch was written, and every caller gets ``StoreError/unavailable(_:)``.
/// - A batch in which no job changed a row is not committed, so a refusal does not wait for the disk.
/// - A queued job runs even if its caller's task is cancelled meanwhile.
/// - Jobs run on GRDB's own serial queue; no thread of the cooperative pool is blocked. In memory, where no disk is
///   waited for, they run on the caller's thread, because a switch to another one and back takes longer than a change.
///
/// `@unchecked Sendable`: `waiting` and `commits` are accessed only under `lock`; all other state is constant and
/// sendable.
final class GroupCommitWriter: @unchecked Sendable {
    /// Resumes a caller once its batch is durable.
    private typealias Completion = @Sendable () -> Void

    /// A caller's change with erased types.
    private struct Job {
        /// Runs the change, in a savepoint or not, and returns its error, if it threw.
        var run: @Sendable (Database, _ inSavepoint: Bool) -> (completion: Completion, failure: StoreError?)
        /// Resumes the caller when the batch could not be written.
        var abandon: @Sendable (StoreError) -> Void
    }

    private let database: any DatabaseWriter
    private let isInMemory: Bool
    private let lock = NSLock()
    private var waiting: [Job] = []
    private var commits = 0

    init(_ database: any DatabaseWriter, isInMemory: Bool) {
        self.database = database
        self.isInMemory = isInMemory
    }

    /// The number of committed transactions.
    var commitCount: Int { lock.withLock { commits } }

    /// The number of jobs that wait for the next transaction.
    var waitingCount: Int { lock.withLock { waiting.count } }

    /// Runs `change` in the next transaction and returns its result once that is durable.
    ///
    /// - Parameter change: It may run twice; its result and its changes are those of the last time.
    /// - Throws: The error of `change`, as a ``StoreError``, with its changes rolled back; or
    ///   ``StoreError/unavailable(_:)`` when the transaction could not be opened or committed.
    func write<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let outcome = await withCheckedContinuation { (caller: CheckedContinuation<Result<Value, StoreError>, Never>) in
            append(
                Job(
                    run: { db, inSavepoint in
                        let outcome = Self.attempt(change, in: db, inSavepoint: inSavepoint)
                        let failure: StoreError? = if case .failure(let failure) = outcome { failure } else { nil }
                        return ({ caller.resume(returning: outcome) }, failure)
                    },
                    abandon: { caller.resume(returning: .failure($0)) }))
        }
        return try outcome.get()
    }

    /// The caller that finds the queue empty starts a run of the writer; callers before that run begins join it.
    private func append(_ job: Job) {
        let isFirst = lock.withLock {
            waiting.append(job)
            return waiting.count == 1
        }
        guard isFirst else { return }
        if isInMemory {
            database.writeWithoutTransaction { commitWaiting(in: $0) }
        } else {
            database.asyncWriteWithoutTransaction { self.commitWaiting(in: $0) }
        }
    }

    private func commitWaiting(in db: Database) {
        let batch = lock.withLock {
            defer { waiting = [] }
            return waiting
        }
        let session = SQLiteSession(database: db)
        do {
            let completions =
                try run(batch, in: session, withSavepoints: false) ?? run(batch, in: session, withSavepoints: true)
            for completion in completions ?? [] { completion() }
        } catch {
            // A commit that fails may leave the transaction open.
            if db.isInsideTransaction {
                do { try session.control("ROLLBACK") } catch {}
            }
            let failure = error as? StoreError ?? .unavailable(SQLiteFailure(error))
            for job in batch { job.abandon(failure) }
        }
    }

    /// Runs the jobs in one transaction, and commits it if one of them changed a row.
    ///
    /// - Returns: The completions; nil when one of several jobs without savepoints threw, and nothing was written.
    /// - Throws: When nothing was written. Some disk errors make SQLite roll the whole transaction back, including
    ///   savepoints: then all callers get the error, and no job runs outside the transaction.
    private func run(
        _ batch: [Job], in session: SQLiteSession, withSavepoints: Bool
    ) throws -> [Completion]? {
        let db = session.database
        try session.control("BEGIN IMMEDIATE")
        let before = db.totalChangesCount
        var completions: [Completion] = []
        var isDone = false
        for job in batch {
            let ran = job.run(db, withSavepoints)
            guard ran.failure == nil || withSavepoints || batch.count == 1 else {
                if db.isInsideTransaction { try session.control("ROLLBACK") }
                return nil
            }
            guard db.isInsideTransaction else { throw ran.failure ?? .unavailable(SQLiteFailure.transactionLost) }
            completions.append(ran.completion)
            isDone = isDone || ran.failure == nil
        }
        let isWritten = isDone && db.totalChangesCount != before
        try session.control(isWritten ? "COMMIT" : "ROLLBACK")
        if isWritten { lock.withLock { commits += 1 } }
        return completions
    }

    /// Runs `change`; if it throws in a savepoint, rolls its changes back.
    private static func attempt<Value>(
        _ change: (Database) throws -> Value, in db: Database, inSavepoint: Bool
    ) -> Result<Value, StoreError> {
        do {
            guard inSavepoint else { return .success(try change(db)) }
            let session = SQLiteSession(database: db)
            try session.control("SAVEPOINT job")
            let result = Result { try change(db) }
            if case .failure = result, db.isInsideTransaction {
                try session.control("ROLLBACK TO job")
                try session.control("RELEASE job")
            } else if case .success = result {
                try session.control("RELEASE job")
            }
            return .success(try result.get())
        } catch {
            return .failure(StoreError(error))
        }
    }
}
