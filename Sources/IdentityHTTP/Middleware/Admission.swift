import IdentityEngine
import Metrics
import NativeAuthCore
import NativeAuthWire

/// How many steps a node works on at a time. One more is refused at once, so that under a load that no machine can bear those
/// that were let in still end soon (`REL-OVR-1`).
///
/// Newcomers are refused much earlier: a flow that was begun must get to its end, or all of its steps were for nothing.
package final class Admission: Sendable {
    private let limit: Int
    private let newcomers: Int
    private let underWay = Locked((all: 0, hashing: 0))
    private let refusals = Counter(label: "native_auth_newcomers_refused")
    private let lastTold = Locked<ContinuousClock.Instant?>(nil)

    /// - Parameters:
    ///   - limit: The most steps under way.
    ///   - newcomers: With as many steps under way no flow begins. Those that wait for a password's hash do not count: they have a
    ///     queue and a limit of their own, and whoever fills that queue must not shut the door for all others.
    package init(limit: Int = 500, newcomers: Int = 64) {
        self.limit = limit
        self.newcomers = newcomers
    }

    /// Whether a flow may begin.
    var hasRoomForNewcomers: Bool { underWay.withLock { $0.all - $0.hashing } < newcomers }

    /// Counts a newcomer that was refused, in `native_auth_newcomers_refused_total`.
    ///
    /// - Returns: Whether the log shall hear of it: once in ten seconds.
    func countRefusal() -> Bool {
        refusals.increment()
        let now = ContinuousClock.now
        return lastTold.withLock { last in
            if let last, now - last < .seconds(10) { return false }
            last = now
            return true
        }
    }

    /// - Parameter isHashing: Whether a password is hashed in it.
    /// - Throws: ``EngineError/overloaded`` when as many as may are under way; else what `body` throws.
    func callAsFunction<Value>(isHashing: Bool = false, _ body: () async throws -> Value) async throws -> Value {
        let hashing = isHashing ? 1 : 0
        let isAdmitted = underWay.withLock { count in
            guard count.all < limit else { return false }
            count.all += 1
            count.hashing += hashing
            return true
        }
        guard isAdmitted else { throw EngineError.overloaded }
        defer {
            underWay.withLock { count in
                count.all -= 1
                count.hashing -= hashing
            }
        }
        return try await body()
    }
}

extension Command {
    /// Whether a password is hashed in it.
    var hashesPassword: Bool {
        switch self {
        case .startSignUp(let application): application.password != nil
        case .submitSignUpPassword, .submitSignInPassword, .submitNewPassword: true
        case .challengeSignUp, .submitSignUpCode, .submitSignUpAttributes, .startSignIn, .challengeSignIn,
            .submitSignInCode, .listMethods, .submitSecondFactor, .listContacts, .challengeContact, .submitContactCode,
            .confirmContact, .startReset, .challengeReset, .submitResetCode, .pollReset, .redeem, .refresh, .revoke:
            false
        }
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
