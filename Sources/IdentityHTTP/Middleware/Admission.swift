import IdentityEngine
import NativeAuthCore
import NativeAuthWire

/// How many steps a node works on at a time. One more is refused at once, so that under a load that no machine can bear those
/// that were let in still end soon (`REL-OVR-1`).
///
/// Newcomers are refused much earlier: a flow that was begun must get to its end, or all of its steps were for nothing.
package final class Admission: Sendable {
    private let limit: Int
    private let newcomers: Int
    private let underWay = Locked(0)

    /// - Parameters:
    ///   - limit: The most steps under way.
    ///   - newcomers: With as many steps under way no flow begins.
    package init(limit: Int = 500, newcomers: Int = 64) {
        self.limit = limit
        self.newcomers = newcomers
    }

    /// Whether a flow may begin.
    var hasRoomForNewcomers: Bool { underWay.withLock { $0 } < newcomers }

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

extension V1Endpoint {
    /// Whether a step there is the first of a flow. A new endpoint does not compile until it says so.
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
