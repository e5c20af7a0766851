import Dispatch
import IdentityEngine
import Synchronization
import Tracing

/// Runs costly work on its own few threads, behind a short queue (`SEC-PWD-8`).
///
/// Each worker is a serial dispatch queue, whose thread is outside Swift's cooperative pool and exists only while there
/// is work. A worker takes the next job when its job is done: nothing that happens to the caller, including
/// cancellation, lets more jobs run than there are workers.
///
/// Any client can send any number of sign-ups. They get at most half of the places in the queue, and while sign-ins
/// also wait, workers take jobs of all lanes in turn.
///
/// A costly hash, such as an imported one, can take a hundred times as long as one of ours. Costly jobs run on at most half
/// of the workers (on one if there is only one) and get at most a quarter of the places, so that a wave of them delays no
/// other sign-in.
final class HashingPool: Sendable {
    /// What a job is, in the order of turns.
    private enum Lane: Hashable, CaseIterable {
        case accounts
        case signUps
        case costly
    }

    private struct Job: Sendable {
        let number: UInt64
        let lane: Lane
        let run: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var idle: [DispatchQueue]
        var waiting: [Lane: [Job]] = [:]
        var lastLane = Lane.signUps
        var jobs: UInt64 = 0
        /// The number of costly jobs that run, and that may run.
        var costly = 0
        let mostCostly: Int

        func count(_ lane: Lane) -> Int { waiting[lane]?.count ?? 0 }

        var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

        func hasRoom(in lane: Lane, _ longestQueue: Int) -> Bool {
            guard count < longestQueue else { return false }
            return switch lane {
            case .accounts: true
            case .signUps: count(lane) < longestQueue / 2
            case .costly: count(lane) < longestQueue / 4
            }
        }

        private func mayRun(_ lane: Lane) -> Bool {
            switch lane {
            case .accounts, .signUps: true
            case .costly: costly < mostCostly
            }
        }

        /// A worker for a job of the lane, if one is free for it.
        mutating func worker(for lane: Lane) -> DispatchQueue? {
            guard mayRun(lane), let worker = idle.popLast() else { return nil }
            if lane == .costly { costly += 1 }
            return worker
        }

        /// The next job for a worker that has done one of the lane.
        mutating func next(after lane: Lane) -> Job? {
            if lane == .costly { costly -= 1 }
            let lanes = Lane.allCases
            let last = lanes.firstIndex(of: lastLane) ?? 0
            for offset in 1...lanes.count {
                let lane = lanes[(last + offset) % lanes.count]
                guard count(lane) > 0, mayRun(lane), let job = waiting[lane]?.removeFirst() else { continue }
                if lane == .costly { costly += 1 }
                lastLane = lane
                return job
            }
            return nil
        }

        mutating func remove(_ number: UInt64) -> Job? {
            for lane in Lane.allCases {
                if let index = waiting[lane]?.firstIndex(where: { $0.number == number }) {
                    return waiting[lane]?.remove(at: index)
                }
            }
            return nil
        }
    }

    private enum Placement {
        case runs(on: DispatchQueue)
        case waits
        case refused
    }

    /// The number of jobs that may wait for each worker.
    static let waitingPerThread = 32

    private let state: Mutex<State>
    private let alarm = DispatchQueue(label: "native-auth.password.alarm")
    private let longestQueue: Int
    private let longestWait: DispatchTimeInterval

    /// - Parameters:
    ///   - threads: The number of parallel jobs; at least 1.
    ///   - longestWait: The longest wait of a job for a worker.
    init(threads: Int, longestWait: DispatchTimeInterval = .seconds(2)) {
        state = Mutex(
            State(
                idle: (0..<threads).map { DispatchQueue(label: "native-auth.password.\($0)") },
                mostCostly: max(1, threads / 2)))
        longestQueue = Self.waitingPerThread * threads
        self.longestWait = longestWait
    }

    /// The number of waiting jobs.
    var waiting: Int { state.withLock { $0.count } }

    /// Runs `work` on a worker and returns its result. A cancelled caller also gets the result.
    ///
    /// - Parameter isCostly: Whether `work` may take much longer than a hash of ours; it then has a lane of its own.
    /// - Throws: ``HashingError/overloaded`` when the queue is full or the job waited too long; `work` is not run then.
    func run<Answer: Sendable>(
        in lane: HashingLane = .accounts, isCostly: Bool = false, _ work: @escaping @Sendable () -> Answer
    ) async throws(HashingError) -> Answer {
        // With the wait for a worker.
        let span = ServiceContext.current.map { startSpan("password hash", context: $0) }
        defer { span?.end() }
        let result: Result<Answer, HashingError> = await withCheckedContinuation { continuation in
            submit(
                in: isCostly ? .costly : Self.lane(lane),
                run: { continuation.resume(returning: .success(work())) },
                refuse: { continuation.resume(returning: .failure(.overloaded)) })
        }
        return try result.get()
    }

    private static func lane(_ lane: HashingLane) -> Lane {
        switch lane {
        case .accounts: .accounts
        case .signUps: .signUps
        }
    }

    private func submit(
        in lane: Lane, run: @escaping @Sendable () -> Void, refuse: @escaping @Sendable () -> Void
    ) {
        let (job, placement) = state.withLock { state in
            state.jobs += 1
            let job = Job(number: state.jobs, lane: lane, run: run, refuse: refuse)
            if let worker = state.worker(for: lane) { return (job, Placement.runs(on: worker)) }
            guard state.hasRoom(in: lane, longestQueue) else { return (job, Placement.refused) }
            state.waiting[lane, default: []].append(job)
            return (job, Placement.waits)
        }
        switch placement {
        case .runs(let worker):
            worker.async { self.work(startingWith: job, on: worker) }
        case .waits:
            alarm.asyncAfter(deadline: .now() + longestWait) { [weak self] in self?.refuseIfWaiting(job.number) }
        case .refused:
            job.refuse()
        }
    }

    private func work(startingWith first: Job, on worker: DispatchQueue) {
        var next: Job? = first
        while let job = next {
            job.run()
            next = state.withLock { state in
                if let next = state.next(after: job.lane) { return next }
                state.idle.append(worker)
                return nil
            }
        }
    }

    private func refuseIfWaiting(_ number: UInt64) {
        let late = state.withLock { $0.remove(number) }
        late?.refuse()
    }
}
