import NativeAuthCore
public import PortableFoundation

/// A clock that stands still until it is moved. The server, the clients and the mail share it.
public final class ManualClock: Sendable {
    private struct Sleeper: Sendable {
        let deadline: TimeInterval
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now: Date
        /// The elapsed seconds; unlike `now` they never decrease.
        var uptime: TimeInterval = 0
        var jumps = true
        var lastID = 0
        /// The tasks that wait for the clock to move.
        var sleepers: [Int: Sleeper] = [:]
        /// Those of them that are clients before a repetition.
        var pausing: Set<Int> = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>
    private let listener: Locked<(@Sendable () -> Void)?> = Locked(nil)

    init(_ start: Date) {
        state = Locked(State(now: start))
    }

    /// The current time.
    public var now: Date { state.withLock { $0.now } }

    /// Whether a client that sleeps, for example between two polls for a password, moves the clock itself and continues
    /// at once; true by default. Otherwise it sleeps until ``advance(by:)`` wakes it.
    public var jumpsForSleepers: Bool {
        get { state.withLock { $0.jumps } }
        set { state.withLock { $0.jumps = newValue } }
    }

    /// Moves the clock. Codes, tokens, cool-downs and locks expire, late mail arrives, and finished sleeps end. A
    /// negative duration sets the time back, as a user might set a clock; it makes no sleep longer.
    public func advance(by duration: Duration) {
        advance(by: duration / .seconds(1))
    }

    /// The same as ``advance(by:)``, in seconds.
    package func advance(by seconds: TimeInterval) {
        let woken = state.withLock { state in
            state.now += seconds
            state.uptime += max(0, seconds)
            let due = state.sleepers.filter { $0.value.deadline <= state.uptime }
            for id in due.keys {
                state.sleepers[id] = nil
                state.pausing.remove(id)
            }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.continuation)
        }
        for continuation in woken { continuation.resume() }
        listener.withLock { $0 }?()
    }

    /// Waits until a client sleeps; returns at once when one does. Only for a clock that does not jump
    /// (``jumpsForSleepers``).
    public func untilATaskSleeps() async {
        await withCheckedContinuation { continuation in
            let isSleeping = state.withLock { state in
                if state.pausing.isEmpty { state.watchers.append(continuation) }
                return !state.pausing.isEmpty
            }
            if isSleeping { continuation.resume() }
        }
    }

    /// Seconds elapsed since the clock was made.
    package var uptime: TimeInterval { state.withLock { $0.uptime } }

    /// Calls `listener` after each move.
    func onMove(_ listener: @escaping @Sendable () -> Void) {
        self.listener.withLock { $0 = listener }
    }

    /// Returns after `duration`; the clock jumps ahead unless it was told not to.
    package func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        if jumpsForSleepers {
            advance(by: duration)
        } else {
            try await wait(for: duration, isPause: true)
        }
    }

    /// Returns after another task has moved the clock by `duration`.
    package func wait(for duration: Duration) async throws {
        try await wait(for: duration, isPause: false)
    }

    private func wait(for duration: Duration, isPause: Bool) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOver, watchers) = state.withLock { state in
                    guard duration > .zero else { return (true, [CheckedContinuation<Void, Never>]()) }
                    state.sleepers[id] = Sleeper(
                        deadline: state.uptime + duration / .seconds(1), continuation: continuation)
                    guard isPause else { return (false, []) }
                    state.pausing.insert(id)
                    defer { state.watchers = [] }
                    return (false, state.watchers)
                }
                if isOver { continuation.resume() }
                for watcher in watchers { watcher.resume() }
                // Cancelled before the sleeper was registered, so the handler below found no sleeper to wake.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state in
            state.pausing.remove(id)
            return state.sleepers.removeValue(forKey: id)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
