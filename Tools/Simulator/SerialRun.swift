// All of Foundation, for NSCondition and the C library.
import Foundation

/// Runs all Swift concurrency of the process as one sequence of jobs, first come, first served, on one thread: the same
/// program with the same seed runs in the same order.
///
/// It replaces the global executor through the runtime's own hook, as test libraries do. Jobs of the main actor,
/// `Task.sleep` and threads of libraries stay outside: the simulation waits for nothing but its database, whose answers
/// re-enter the sequence, at most one at a time.
enum SerialRun {
    /// No job came for two minutes, and the work is not done.
    struct Stuck: Error {}

    /// Runs `body` and everything that it starts, and returns when `body` does. Blocks the thread, which must not be
    /// one of the concurrency pool; one run at a time.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) throws(Stuck) -> Value {
        Hook.lock.lock()
        defer { Hook.lock.unlock() }
        let queue = Queue()
        Hook.install(queue)
        let result = Slot<Value>()
        Task {
            result.value = await body()
            queue.end()
        }
        while let batch = queue.next() {
            for job in batch { job.runSynchronously(on: Hook.generic) }
        }
        Hook.remove()
        for job in queue.rest() { Hook.handBack(job) }
        guard let value = result.value else { throw Stuck() }
        return value
    }

    /// Whether this is the thread of the run.
    static var isHere: Bool { Hook.isHere }

    /// Waits until no job is left that could run: all tasks wait.
    static func idle() async {
        await withCheckedContinuation { Hook.whenIdle($0) }
    }

    /// The same as ``run(_:)``, from a task: blocks a separate thread.
    static func detached<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) async throws(Stuck) -> Value {
        let result = await withCheckedContinuation { (caller: CheckedContinuation<Result<Value, Stuck>, Never>) in
            let thread = Thread {
                let result: Result<Value, Stuck>
                do throws(Stuck) {
                    result = .success(try run(body))
                } catch {
                    result = .failure(error)
                }
                caller.resume(returning: result)
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
        return try result.get()
    }

    /// `@unchecked Sendable`: written by the one thread of the run, and read by it afterwards.
    private final class Slot<Value>: @unchecked Sendable {
        var value: Value?
    }

    /// Jobs that wait for their turn. `@unchecked Sendable`: accessed only under `condition`.
    fileprivate final class Queue: @unchecked Sendable {
        private let condition = NSCondition()
        private var jobs: [UnownedJob] = []
        private var idlers: [CheckedContinuation<Void, Never>] = []
        private var hasEnded = false

        func whenIdle(_ continuation: CheckedContinuation<Void, Never>) {
            condition.lock()
            idlers.append(continuation)
            condition.unlock()
        }

        func append(_ job: UnownedJob) {
            condition.lock()
            jobs.append(job)
            if jobs.count == 1 { condition.signal() }
            condition.unlock()
        }

        func end() {
            condition.lock()
            hasEnded = true
            condition.signal()
            condition.unlock()
        }

        /// The jobs whose turn it is; nil at the end, and when none came for two minutes.
        func next() -> [UnownedJob]? {
            condition.lock()
            defer { condition.unlock() }
            var minutes = 0
            while jobs.isEmpty && !hasEnded {
                if !idlers.isEmpty {
                    let waiting = idlers
                    idlers = []
                    condition.unlock()
                    for continuation in waiting { continuation.resume() }
                    condition.lock()
                } else {
                    // Twice: the process may have been stopped for longer than a minute.
                    minutes += condition.wait(until: Date(timeIntervalSinceNow: 60)) ? 0 : 1
                    if minutes == 2 { return nil }
                }
            }
            if hasEnded { return nil }
            defer { jobs = [] }
            return jobs
        }

        func rest() -> [UnownedJob] {
            condition.lock()
            defer { condition.unlock() }
            defer { jobs = [] }
            return jobs
        }
    }

    /// `swift_task_enqueueGlobal_hook` of the runtime.
    private enum Hook {
        typealias Original = @convention(thin) (UnownedJob) -> Void
        typealias Function = @convention(thin) (UnownedJob, Original) -> Void

        static let lock = NSLock()
        /// The executor of the jobs of the runtime's own executor: no actor's executor.
        static let generic = unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)
        private static let place = Place()

        /// `@unchecked Sendable`: `queue` and `original` change only between runs, when no job of a run exists.
        private final class Place: @unchecked Sendable {
            let pointer: UnsafeMutablePointer<Function?>?
            var queue: Queue?
            var original: Original?
            var thread = pthread_self()

            init() {
                let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")
                pointer = symbol?.assumingMemoryBound(to: Function?.self)
            }
        }

        static var isHere: Bool { pthread_equal(place.thread, pthread_self()) != 0 }

        static func install(_ queue: Queue) {
            place.thread = pthread_self()
            place.queue = queue
            place.pointer?.pointee = { job, original in Hook.take(job, original) }
        }

        static func whenIdle(_ continuation: CheckedContinuation<Void, Never>) {
            guard let queue = place.queue else { return continuation.resume() }
            queue.whenIdle(continuation)
        }

        static func remove() {
            place.pointer?.pointee = nil
            place.queue = nil
        }

        private static func take(_ job: UnownedJob, _ original: Original) {
            guard let queue = place.queue else { return original(job) }
            place.original = original
            queue.append(job)
        }

        /// A job that came after the end: passed to the runtime's own executor.
        static func handBack(_ job: UnownedJob) {
            place.original?(job)
        }
    }
}
