import CCurl
import Dispatch
import Synchronization

/// Handles of libcurl whose connections are open and idle: a greeting, TLS and a login for each mail would take longer than the
/// mail does.
final class IdleHandles: Sendable {
    /// How long one is kept, in seconds.
    static let patience = 5

    /// A handle is used by one thread at a time, and by none while it is here.
    struct Idle: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
        let since: ContinuousClock.Instant
    }

    private struct State {
        /// The longest idle first.
        var idle: [Idle] = []
        /// Whether a sweep is to come. One timer does for all.
        var isSweepDue = false
    }

    private let state = Mutex(State())

    deinit {
        for idle in state.withLock({ $0.idle }) { end(idle) }
    }

    /// One whose connection was used last, so that the others may end.
    func take() -> UnsafeMutableRawPointer? {
        state.withLock { $0.idle.popLast() }?.handle
    }

    func put(_ handle: UnsafeMutableRawPointer) {
        // Connections stay, all else goes.
        curl_easy_reset(handle)
        let now = Idle(handle: handle, since: .now)
        let isSweepDue = state.withLock { state in
            state.idle.append(now)
            defer { state.isSweepDue = true }
            return state.isSweepDue
        }
        if !isSweepDue { sweep(in: .seconds(Self.patience)) }
    }

    private func sweep(in wait: DispatchTimeInterval) {
        SMTPTransport.queue.asyncAfter(deadline: .now() + wait) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let limit = ContinuousClock.now - .seconds(Self.patience)
        let (old, isNext) = state.withLock { state in
            let old = Array(state.idle.prefix { $0.since <= limit })
            state.idle.removeFirst(old.count)
            state.isSweepDue = !state.idle.isEmpty
            return (old, state.isSweepDue)
        }
        for idle in old { end(idle) }
        // An idle connection outlasts its patience by a second at most.
        if isNext { sweep(in: .seconds(1)) }
    }
}

/// Says QUIT, and may wait for the answer; nobody waits for that.
private func end(_ idle: IdleHandles.Idle) {
    SMTPTransport.queue.async { curl_easy_cleanup(idle.handle) }
}
