import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Synchronization

/// Keeps a receiver that fails, or that is slow, from holding up the server: after five failures within ten seconds it
/// is left alone for ten seconds, then one call tries it again; and only so many calls wait for it at once.
final class HookBreaker: Sendable {
    static let failures = 5
    static let interval: Duration = .seconds(10)
    /// The largest number of calls of one receiver at once.
    static let room = 32

    /// Ids are unique in a tenant only.
    struct Key: Hashable {
        var tenant: TenantID
        var hook: UUID
    }

    private struct Receiver {
        var failedAt: [ContinuousClock.Instant] = []
        var restsUntil: ContinuousClock.Instant?
        var underway = 0
    }

    private let receivers = Mutex<[Key: Receiver]>([:])

    /// Takes the right to call a receiver; ``end(_:failed:now:)`` gives it back.
    func begin(_ hook: Key, now: ContinuousClock.Instant = .now) throws(HookFailure) {
        let refusal: HookFailure? = receivers.withLock { receivers in
            var receiver = receivers[hook] ?? Receiver()
            if let end = receiver.restsUntil {
                // One call tries the receiver after its rest; the others wait for its result.
                guard now >= end, receiver.underway == 0 else { return .resting }
            }
            guard receiver.underway < Self.room else { return .busy }
            receiver.underway += 1
            receivers[hook] = receiver
            return nil
        }
        if let refusal { throw refusal }
    }

    func end(_ hook: Key, failed: Bool, now: ContinuousClock.Instant = .now) {
        receivers.withLock { receivers in
            guard var receiver = receivers[hook] else { return }
            receiver.underway -= 1
            if failed {
                receiver.failedAt = receiver.failedAt.filter { now - $0 < Self.interval } + [now]
                if receiver.failedAt.count >= Self.failures || receiver.restsUntil != nil {
                    receiver.restsUntil = now + Self.interval
                    receiver.failedAt = []
                }
            } else {
                (receiver.failedAt, receiver.restsUntil) = ([], nil)
            }
            receivers[hook] =
                receiver.underway == 0 && receiver.failedAt.isEmpty && receiver.restsUntil == nil
                ? nil : receiver
        }
    }
}
