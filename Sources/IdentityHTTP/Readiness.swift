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

    package init(flows: any FlowStore) {
        self.flows = flows
    }

    /// Tells probes that this node goes away; what it is asked meanwhile it still does (`REL-SHUT-1`).
    package func drain() {
        draining.withLock { $0 = true }
    }

    package var isDraining: Bool { draining.withLock { $0 } }

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
}
