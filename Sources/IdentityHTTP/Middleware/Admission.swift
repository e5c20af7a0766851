import IdentityEngine
import NativeAuthCore

/// How many steps a node works on at a time. One more is refused at once, so that under a load that no machine can bear those
/// that were let in still end soon (`REL-OVR-1`).
package final class Admission: Sendable {
    private let limit: Int
    private let underWay = Locked(0)

    package init(limit: Int = 500) {
        self.limit = limit
    }

    /// - Throws: ``EngineError/overloaded`` when as many as may are under way; else what `body` throws.
    func callAsFunction<Value>(_ body: () async throws -> Value) async throws -> Value {
        let isAdmitted = underWay.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { throw EngineError.overloaded }
        defer { underWay.withLock { $0 -= 1 } }
        return try await body()
    }
}
