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
    private struct Count {
        var all = 0
        /// Those of them that hash a password.
        var hashing = 0
        /// First steps that gates have let in and that have no answer yet. Without them all who arrive in the same turn of an event
        /// loop would find the same room.
        var arrived = 0
        /// Those of them that hash a password.
        var arrivedHashing = 0
    }

    private let count = Locked(Count())
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
    var hasRoomForNewcomers: Bool { count.withLock { $0.all - $0.hashing } < newcomers }

    /// Lets the first step of a flow in where it arrives, if there is room. Whoever gets true calls ``leave()`` when it has its answer.
    func letIn() -> Bool {
        count.withLock { count in
            guard count.all - count.hashing < newcomers, count.arrived - count.arrivedHashing < newcomers else {
                return false
            }
            count.arrived += 1
            return true
        }
    }

    func leave() {
        count.withLock { $0.arrived -= 1 }
    }

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

    /// - Parameters:
    ///   - isHashing: Whether a password is hashed in it.
    ///   - beginsFlow: Whether it is the first step of a flow.
    /// - Throws: ``EngineError/overloaded`` when as many as may are under way; else what `body` throws.
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
            guard count.all < limit else { return false }
            change(&count, 1)
            return true
        }
        guard isAdmitted else { throw EngineError.overloaded }
        defer { count.withLock { change(&$0, -1) } }
        return try await body()
    }
}

extension Command {
    /// Whether it is the first step of a flow.
    var beginsFlow: Bool {
        switch self {
        case .startSignUp, .startSignIn, .startReset: true
        case .challengeSignUp, .submitSignUpPassword, .submitSignUpCode, .submitSignUpAttributes, .challengeSignIn,
            .submitSignInPassword, .submitSignInCode, .listMethods, .submitSecondFactor, .listContacts,
            .challengeContact,
            .submitContactCode, .confirmContact, .challengeReset, .submitResetCode, .submitNewPassword, .pollReset,
            .redeem,
            .refresh, .revoke:
            false
        }
    }

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
