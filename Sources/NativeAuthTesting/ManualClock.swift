import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock that stands still until it is moved: the one of the server, of the clients and of the mail.
public final class ManualClock: Sendable {
    private struct Sleeper: Sendable {
        let deadline: TimeInterval
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now: Date
        /// Seconds that have passed; unlike `now` it never goes back.
        var uptime: TimeInterval = 0
        var jumps = true
        var lastID = 0
        /// Who waits for the clock to be moved.
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

    /// The time now.
    public var now: Date { state.withLock { $0.now } }

    /// Whether a client that wants to sleep, as between two questions whether a password holds, moves the clock itself and
    /// goes on at once; true unless set otherwise. If not, it sleeps until ``advance(by:)`` wakes it.
    public var jumpsForSleepers: Bool {
        get { state.withLock { $0.jumps } }
        set { state.withLock { $0.jumps = newValue } }
    }

    /// Moves the clock on. Codes, tokens, cool-downs and locks run out, late mail arrives, and whoever has slept long enough
    /// wakes. A negative duration sets the time back, as somebody might who sets a clock; no sleep gets longer by it.
    public func advance(by duration: Duration) {
        advance(by: duration / .seconds(1))
    }

    /// As ``advance(by:)``, in seconds.
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
    public func untilSomebodySleeps() async {
        await withCheckedContinuation { continuation in
            let isSleeping = state.withLock { state in
                if state.pausing.isEmpty { state.watchers.append(continuation) }
                return !state.pausing.isEmpty
            }
            if isSleeping { continuation.resume() }
        }
    }

    /// Seconds that have passed since the clock was made.
    package var uptime: TimeInterval { state.withLock { $0.uptime } }

    /// Calls `listener` after each move.
    func onMove(_ listener: @escaping @Sendable () -> Void) {
        self.listener.withLock { $0 = listener }
    }

    /// Returns once `duration` has passed, for which the clock jumps, unless it was told not to.
    package func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        if jumpsForSleepers {
            advance(by: duration)
        } else {
            try await wait(for: duration, isPause: true)
        }
    }

    /// Returns once somebody else has moved the clock by `duration`.
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
                // Cancelled before the sleeper was known, so the handler below found nobody to wake.
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
