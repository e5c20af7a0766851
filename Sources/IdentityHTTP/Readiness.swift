package import IdentityEngine
import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Whether the server can do its work: the database's write path, asked at most once a second however often probes come
/// (`REL-OVR-4`). One that takes a second or longer is not well enough (`REL-DB-1`).
package final class Readiness: Sendable {
    private let flows: any FlowStore
    private let last: Locked<(at: Date, isReady: Bool)?> = Locked(nil)
    private let draining = Locked(false)
    private let pulse: Locked<Pulse?> = Locked(nil)
    /// A process that did nothing for so long was stopped, or its machine was.
    private static let longestPause: Duration = .seconds(5)
    /// How long it takes at most until what waited in the sockets has been read.
    private static let aftermath: Duration = .seconds(1)

    package init(flows: any FlowStore) {
        self.flows = flows
    }

    /// Tells probes that this node goes away; what it is asked meanwhile it still does (`REL-SHUT-1`).
    package func drain() {
        draining.withLock { $0 = true }
    }

    package var isDraining: Bool { draining.withLock { $0 } }

    /// Says that the process runs. Where nobody says so every second, there is no ``isBackFromPause(at:)``.
    package func beat(at now: ContinuousClock.Instant = .now) {
        pulse.withLock { $0 = ($0 ?? Pulse(last: now, refusesUntil: now)).beaten(at: now) }
    }

    /// Nobody says any more that the process runs.
    package func endBeating() {
        pulse.withLock { $0 = nil }
    }

    /// Whether the process was stopped (SIGSTOP, a suspended machine) for five seconds or longer until a second ago. What waited
    /// in its sockets meanwhile may belong to clients that have asked another node since: done now, it would void what they were
    /// given, as a refresh token that was renewed long ago looks stolen (`REL-HA-5`, `SEC-TOK-9`).
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

    /// When the process was last seen to run, and until when it is just back.
    private struct Pulse {
        var last: ContinuousClock.Instant
        var refusesUntil: ContinuousClock.Instant

        func beaten(at now: ContinuousClock.Instant) -> Pulse {
            let isBack = last.duration(to: now) >= longestPause
            return Pulse(last: max(last, now), refusesUntil: isBack ? now + aftermath : refusesUntil)
        }
    }
}
