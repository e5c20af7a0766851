import CCurl
import Dispatch
import Synchronization

/// libcurl handles with open, idle connections: a greeting, TLS and a login for each mail would take longer than the
/// mail itself.
final class IdleHandles: Sendable {
    /// How long a handle is kept, in seconds.
    static let patience = 5

    /// A handle is used by one thread at a time, and by none while it is stored here.
    struct Idle: @unchecked Sendable {
        let handle: UnsafeMutableRawPointer
        let since: ContinuousClock.Instant
    }

    private struct State {
        /// The handles, longest idle first.
        var idle: [Idle] = []
        /// Whether a sweep is scheduled. One timer serves all handles.
        var isSweepDue = false
    }

    private let state = Mutex(State())

    deinit {
        for idle in state.withLock({ $0.idle }) { end(idle) }
    }

    /// The handle that was used last, so that the others can expire.
    func take() -> UnsafeMutableRawPointer? {
        state.withLock { $0.idle.popLast() }?.handle
    }

    func put(_ handle: UnsafeMutableRawPointer) {
        // Resets everything except the connection.
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
        // An idle connection exceeds the limit by at most one second.
        if isNext { sweep(in: .seconds(1)) }
    }
}

/// Sends QUIT, and may wait for the answer on another thread.
private func end(_ idle: IdleHandles.Idle) {
    SMTPTransport.queue.async { curl_easy_cleanup(idle.handle) }
}
