package import IdentityEngine
import NativeAuthCore
package import PortableFoundation

/// Whether the server can work: checks the database's write path, at most once a second regardless of the number of
/// probes (`REL-OVR-4`). A check that takes a second or longer counts as failed (`REL-DB-1`).
package final class Readiness: Sendable {
    private let flows: any FlowStore
    private let last: Locked<(at: Date, isReady: Bool)?> = Locked(nil)
    private let draining = Locked(false)
    private let pulse: Locked<Pulse?> = Locked(nil)
    /// A process without a heartbeat for this long was stopped, or its machine was.
    private static let longestPause: Duration = .seconds(5)
    /// The longest time until waiting data in the sockets has been read.
    private static let aftermath: Duration = .seconds(1)

    package init(flows: any FlowStore) {
        self.flows = flows
    }

    /// Tells probes that this node is shutting down; it still handles requests meanwhile (`REL-SHUT-1`).
    package func drain() {
        draining.withLock { $0 = true }
    }

    package var isDraining: Bool { draining.withLock { $0 } }

    /// Records that the process runs. ``isBackFromPause(at:)`` works only while this is called every second.
    package func beat(at now: ContinuousClock.Instant = .now) {
        pulse.withLock { $0 = ($0 ?? Pulse(last: now, refusesUntil: now)).beaten(at: now) }
    }

    /// Ends the heartbeat.
    package func endBeating() {
        pulse.withLock { $0 = nil }
    }

    /// Whether the process was stopped (SIGSTOP, a suspended machine) for five seconds or longer, up to a second ago.
    /// Requests that waited in its sockets may belong to clients that have asked another node since. Handling them now
    /// would invalidate those clients' newer answers: a refresh token that was rotated long ago looks stolen
    /// (`REL-HA-5`, `SEC-TOK-9`).
    package func isBackFromPause(at now: ContinuousClock.Instant = .now) -> Bool {
        pulse.withLock { pulse in
            guard let beaten = pulse?.beaten(at: now) else { return false }
            pulse = beaten
            return now < beaten.refusesUntil
        }
    }

    package func isReady(now: Date) async -> Bool {
        guard !isDraining else { return false }
        if let known = last.withLock({ $0 }), abs(now.timeIntervalSince(known.at)) < 1 { return known.isReady }
        let isReady: Bool
        let begin = ContinuousClock.now
        do {
            try await flows.checkWritable()
            isReady = begin.duration(to: .now) < .seconds(1)
        } catch {
            isReady = false
        }
        last.withLock { $0 = (now, isReady) }
        return isReady
    }

    /// When the process was last seen running, and until when it counts as just back.
    private struct Pulse {
        var last: ContinuousClock.Instant
        var refusesUntil: ContinuousClock.Instant

        func beaten(at now: ContinuousClock.Instant) -> Pulse {
            let isBack = last.duration(to: now) >= longestPause
            return Pulse(last: max(last, now), refusesUntil: isBack ? now + aftermath : refusesUntil)
        }
    }
}
