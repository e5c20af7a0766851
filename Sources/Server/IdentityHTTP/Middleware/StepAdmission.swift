import IdentityEngine
import Metrics
import NativeAuthCore
import NativeAuthWire

/// Limits how many steps a node works on at a time. Further steps are refused at once, so that admitted steps still end
/// soon under a load that no machine can handle (`REL-OVR-1`).
///
/// Newcomers (first steps of flows) are refused much earlier: a flow that has begun must reach its end, or the work of
/// all its steps is lost.
package final class StepAdmission: NodeLoad {
    private let limit: Int
    private let newcomers: Int
    private struct Count {
        var all = 0
        /// The steps under way that hash a password.
        var hashing = 0
        /// The steps under way that wait for the receiver of a hook: they are no load, and a slow receiver must not keep
        /// newcomers out.
        var waiting = 0
        /// The steps under way that are work for this node.
        var working: Int { all - waiting }
        /// First steps that gates have admitted and that have no answer yet. Without this count, all requests that
        /// arrive in the same turn of an event loop would find the same free places.
        var arrived = 0
        /// The arrived steps that hash a password.
        var arrivedHashing = 0
    }

    private let count = Locked(Count())
    private let refusals = Counter(label: "native_auth_newcomers_refused")
    private let lastTold = Locked<ContinuousClock.Instant?>(nil)

    /// - Parameters:
    ///   - limit: The largest number of steps under way.
    ///   - newcomers: The number of steps under way at which no flow may begin. Steps that hash a password do not
    ///     count: they have their own queue and limit, and a client that fills that queue must not block all other
    ///     clients.
    package init(limit: Int = 500, newcomers: Int = 64) {
        self.limit = limit
        self.newcomers = newcomers
    }

    /// The number of steps under way, those that wait for a hook included.
    package var stepsUnderWay: Int { count.withLock { $0.all } }

    /// Whether a flow may begin.
    var hasRoomForNewcomers: Bool { count.withLock { $0.working - $0.hashing } < newcomers }

    /// Admits the first step of a flow on arrival, if there is a free place. A caller that gets true calls ``leave()``
    /// when the step has its answer.
    func letIn() -> Bool {
        count.withLock { count in
            guard count.working - count.hashing < newcomers, count.arrived - count.arrivedHashing < newcomers else {
                return false
            }
            count.arrived += 1
            return true
        }
    }

    func leave() {
        count.withLock { $0.arrived -= 1 }
    }

    package func note(isWaiting: Bool) {
        count.withLock { $0.waiting += isWaiting ? 1 : -1 }
    }

    /// Counts a refused newcomer in `native_auth_newcomers_refused_total`.
    ///
    /// - Returns: Whether to log this refusal (at most one every ten seconds).
    func countRefusal() -> Bool {
        refusals.increment()
        let now = ContinuousClock.now
        return lastTold.withLock { last in
            if let last, now - last < .seconds(10) { return false }
            last = now
            return true
        }
    }

    /// - Parameters:
    ///   - isHashing: Whether the step hashes a password.
    ///   - beginsFlow: Whether the step is the first of a flow.
    /// - Throws: ``EngineError/overloaded`` when too many steps are under way; otherwise the error of `body`.
    func callAsFunction<Value>(
        isHashing: Bool = false, beginsFlow: Bool = false, _ body: () async throws -> Value
    ) async throws -> Value {
        let change = { @Sendable (count: inout Count, sign: Int) in
            count.all += sign
            guard isHashing else { return }
            count.hashing += sign
            if beginsFlow { count.arrivedHashing += sign }
        }
        let isAdmitted = count.withLock { count in
            guard count.working < limit else { return false }
            change(&count, 1)
            return true
        }
        guard isAdmitted else { throw EngineError.overloaded }
        defer { count.withLock { change(&$0, -1) } }
        return try await body()
    }
}

extension V1Endpoint {
    /// Whether the endpoint takes the first step of a flow. A new endpoint does not compile without an answer here.
    var beginsFlow: Bool {
        switch self {
        case .signUpStart, .signInInitiate, .resetPasswordStart: true
        case .signUpChallenge, .signUpContinue, .signInChallenge, .signInIntrospect, .token, .resetPasswordChallenge,
            .resetPasswordContinue, .resetPasswordSubmit, .resetPasswordPollCompletion, .registerIntrospect,
            .registerChallenge, .registerContinue:
            false
        }
    }
}
