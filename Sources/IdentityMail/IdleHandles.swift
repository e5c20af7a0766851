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

    /// The longest idle first.
    private let idle = Mutex<[Idle]>([])

    deinit {
        for idle in idle.withLock({ $0 }) { end(idle) }
    }

    /// One whose connection was used last, so that the others may end.
    func take() -> UnsafeMutableRawPointer? {
        idle.withLock { $0.popLast() }?.handle
    }

    func put(_ handle: UnsafeMutableRawPointer) {
        // Connections stay, all else goes.
        curl_easy_reset(handle)
        let now = Idle(handle: handle, since: .now)
        idle.withLock { $0.append(now) }
        SMTPTransport.queue.asyncAfter(deadline: .now() + .seconds(Self.patience)) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let limit = ContinuousClock.now - .seconds(Self.patience)
        let old = idle.withLock { idle in
            let old = Array(idle.prefix { $0.since <= limit })
            idle.removeFirst(old.count)
            return old
        }
        for idle in old { end(idle) }
    }
}

/// Says QUIT, and may wait for the answer; nobody waits for that.
private func end(_ idle: IdleHandles.Idle) {
    SMTPTransport.queue.async { curl_easy_cleanup(idle.handle) }
}
