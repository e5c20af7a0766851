import Dispatch
import IdentityEngine
import Synchronization

/// Runs costly work on its own few threads, behind a short queue (`SEC-PWD-8`).
///
/// Each worker is a serial dispatch queue, whose thread is outside Swift's cooperative pool and exists only while there
/// is work. A worker takes the next job when its job is done: nothing that happens to the caller, including
/// cancellation, lets more jobs run than there are workers.
///
/// Any client can send any number of sign-ups. They get at most half of the places in the queue, and while sign-ins
/// also wait, workers take jobs of both lanes in turn.
final class HashingPool: Sendable {
    private struct Job: Sendable {
        let number: UInt64
        let run: @Sendable () -> Void
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var idle: [DispatchQueue]
        var accounts: [Job] = []
        var signUps: [Job] = []
        var lastLane = HashingLane.signUps
        var jobs: UInt64 = 0

        func hasRoom(in lane: HashingLane, _ longestQueue: Int) -> Bool {
            guard accounts.count + signUps.count < longestQueue else { return false }
            return switch lane {
            case .accounts: true
            case .signUps: signUps.count < longestQueue / 2
            }
        }

        mutating func enqueue(_ job: Job, in lane: HashingLane) {
            switch lane {
            case .accounts: accounts.append(job)
            case .signUps: signUps.append(job)
            }
        }

        mutating func next() -> Job? {
            guard !accounts.isEmpty || !signUps.isEmpty else { return nil }
            lastLane = accounts.isEmpty || (lastLane == .accounts && !signUps.isEmpty) ? .signUps : .accounts
            return switch lastLane {
            case .accounts: accounts.removeFirst()
            case .signUps: signUps.removeFirst()
            }
        }

        mutating func remove(_ number: UInt64) -> Job? {
            if let index = accounts.firstIndex(where: { $0.number == number }) { return accounts.remove(at: index) }
            return signUps.firstIndex { $0.number == number }.map { signUps.remove(at: $0) }
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
        state = Mutex(State(idle: (0..<threads).map { DispatchQueue(label: "native-auth.password.\($0)") }))
        longestQueue = Self.waitingPerThread * threads
        self.longestWait = longestWait
    }

    /// The number of waiting jobs.
    var waiting: Int { state.withLock { $0.accounts.count + $0.signUps.count } }

    /// Runs `work` on a worker and returns its result. A cancelled caller also gets the result.
    ///
    /// - Throws: ``HashingError/overloaded`` when the queue is full or the job waited too long; `work` is not run then.
    func run<Answer: Sendable>(
        in lane: HashingLane = .accounts, _ work: @escaping @Sendable () -> Answer
    ) async throws(HashingError) -> Answer {
        let result: Result<Answer, HashingError> = await withCheckedContinuation { continuation in
            submit(
                in: lane,
                run: { continuation.resume(returning: .success(work())) },
                refuse: { continuation.resume(returning: .failure(.overloaded)) })
        }
        return try result.get()
    }

    private func submit(
        in lane: HashingLane, run: @escaping @Sendable () -> Void, refuse: @escaping @Sendable () -> Void
    ) {
        let (job, placement) = state.withLock { state in
            state.jobs += 1
            let job = Job(number: state.jobs, run: run, refuse: refuse)
            if let worker = state.idle.popLast() { return (job, Placement.runs(on: worker)) }
            guard state.hasRoom(in: lane, longestQueue) else { return (job, Placement.refused) }
            state.enqueue(job, in: lane)
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
                if let next = state.next() { return next }
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
