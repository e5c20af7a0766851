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
/// - Each of several jobs runs in its own savepoint: a job that throws rolls back only its own changes.
/// - If the commit fails, nothing of the batch was written, and every caller gets ``StoreError/unavailable(_:)``.
/// - A batch in which no job changed a row is not committed, so a refusal does not wait for the disk.
/// - A queued job runs even if its caller's task is cancelled meanwhile.
/// - Jobs run on GRDB's own serial queue; no thread of the cooperative pool is blocked.
///
/// `@unchecked Sendable`: `waiting` and `commits` are accessed only under `lock`; all other state is constant and
/// sendable.
final class GroupCommitWriter: @unchecked Sendable {
    /// Resumes a caller, with the error if the batch was not committed.
    private typealias Completion = @Sendable (StoreError?) -> Void

    /// A caller's change with erased types.
    private struct Job {
        /// Runs the change. The returned completion is called after the batch, with the error if the batch was not
        /// committed.
        var run: @Sendable (Database, _ isAlone: Bool) -> (completion: Completion, isDone: Bool)
        /// Called instead of `run` when no transaction could be opened.
        var abandon: @Sendable (StoreError) -> Void
    }

    private let database: any DatabaseWriter
    private let lock = NSLock()
    private var waiting: [Job] = []
    private var commits = 0

    init(_ database: any DatabaseWriter) {
        self.database = database
    }

    /// The number of committed transactions.
    var commitCount: Int { lock.withLock { commits } }

    /// The number of jobs that wait for the next transaction.
    var waitingCount: Int { lock.withLock { waiting.count } }

    /// Runs `change` in the next transaction and returns its result once that is durable.
    ///
    /// - Throws: The error of `change`, as a ``StoreError``, with its changes rolled back; or
    ///   ``StoreError/unavailable(_:)`` when the transaction could not be opened or committed.
    func write<Value: Sendable>(
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let outcome = await withCheckedContinuation { (caller: CheckedContinuation<Result<Value, StoreError>, Never>) in
            append(
                Job(
                    run: { db, isAlone in
                        let outcome = Self.attempt(change, in: db, isAlone: isAlone)
                        let isDone = if case .success = outcome { true } else { false }
                        return (
                            { failure in caller.resume(returning: failure.map { .failure($0) } ?? outcome) }, isDone
                        )
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
        if isFirst {
            database.asyncWriteWithoutTransaction { self.commitWaiting(in: $0) }
        }
    }

    private func commitWaiting(in db: Database) {
        let batch = lock.withLock {
            defer { waiting = [] }
            return waiting
        }
        var completions: [Completion] = []
        var failure: StoreError?
        do {
            var isWritten = false
            try db.inTransaction(.immediate) {
                let before = db.totalChangesCount
                var isDone = false
                for job in batch {
                    let ran = job.run(db, batch.count == 1)
                    completions.append(ran.completion)
                    isDone = isDone || ran.isDone
                }
                isWritten = isDone && db.totalChangesCount != before
                return isWritten ? .commit : .rollback
            }
            if isWritten { lock.withLock { commits += 1 } }
        } catch {
            failure = .unavailable(SQLiteFailure(error))
        }
        for completion in completions { completion(failure) }
        if let failure {
            for job in batch.dropFirst(completions.count) { job.abandon(failure) }
        }
    }

    /// Runs `change`; if it throws, rolls its changes back, here or with the whole transaction if the change is alone
    /// in it.
    private static func attempt<Value>(
        _ change: (Database) throws -> Value, in db: Database, isAlone: Bool
    ) -> Result<Value, StoreError> {
        do {
            guard !isAlone else { return .success(try change(db)) }
            try db.cachedStatement(sql: "SAVEPOINT job").execute()
            let result = Result { try change(db) }
            // Some disk errors make SQLite roll the whole transaction back, including savepoints. Then every later
            // statement of this batch and its commit are refused, so that no job runs outside the transaction.
            if case .failure = result, db.isInsideTransaction {
                try db.cachedStatement(sql: "ROLLBACK TO job").execute()
                try db.cachedStatement(sql: "RELEASE job").execute()
            } else if case .success = result {
                try db.cachedStatement(sql: "RELEASE job").execute()
            }
            return .success(try result.get())
        } catch {
            return .failure(StoreError(error))
        }
    }
}
