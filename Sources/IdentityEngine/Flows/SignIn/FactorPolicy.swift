import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What the proofs of a flow are worth, given what is demanded (`SEC-MFA-1` to `SEC-MFA-5`).
package enum FactorVerdict: Hashable, Sendable {
    /// Tokens that satisfy these authentication contexts.
    case tokens(contexts: [String])
    /// One of these methods must be given besides.
    case giveSecondFactor([StrongMethod])
    /// A method must be registered first.
    case registerMethod
    /// The client, or this API, cannot do what is needed.
    case goToWeb(reason: String)
}

/// What an application, its user flow and its tenant demand of proofs.
package struct FactorDemand: Hashable, Sendable {
    /// The authentication contexts asked for; each needs two factors.
    package var contexts: [String]
    /// Whether application or user flow need two factors in any case. What they need no grant gives without (decision D15).
    package var isRequired: Bool
    /// Whether a second factor must reach another mailbox than a reset does (`SEC-MFA-3`).
    package var distinctMailbox: Bool
    package var enrolment: EnrolmentMode
    /// How long a suspended method rests, in seconds (`SEC-ENR-7`).
    package var suspensionRest: Int
    package var now: Date

    package init(
        contexts: [String], isRequired: Bool, distinctMailbox: Bool, enrolment: EnrolmentMode = .proven,
        suspensionRest: Int = 24 * 3600, now: Date
    ) {
        self.contexts = contexts
        self.isRequired = isRequired
        self.distinctMailbox = distinctMailbox
        self.enrolment = enrolment
        self.suspensionRest = suspensionRest
        self.now = now
    }
}

extension Authentication {
    /// Judges the proofs; pure.
    ///
    /// - Parameter account: The account as it is now.
    package func judged(_ demand: FactorDemand, of account: UserAccount) -> FactorVerdict {
        let isRequired = demand.isRequired || account.requiresSecondFactor
        let isDemanded = isRequired || !demand.contexts.isEmpty
        guard isDemanded || (needsMailbox && mailboxes.isEmpty) else { return .tokens(contexts: []) }
        let canRegister = capabilities.contains(.registrationRequired)
        if factors(demand) >= 2 {
            // A new user has proven both already, and registers a method now so that the next sign-in finds one (§5.4).
            let isNew = origin == .signUp && registered == nil && account.strongMethods.isEmpty
            return isNew && canRegister ? .registerMethod : .tokens(contexts: demand.contexts)
        }
        guard account.passwordHash != nil else {
            return .goToWeb(reason: "The user has no password, and a second factor needs one")
        }
        let methods = usableMethods(of: account, demand)
        if !methods.isEmpty {
            return capabilities.contains(.mfaRequired)
                ? .giveSecondFactor(methods) : .goToWeb(reason: "Client is missing mfa_required capability")
        }
        // An account that has a method is enrolled, whatever is thought of that method here (SEC-ENR-3).
        guard account.strongMethods.isEmpty || origin == .reset && !isRequired && !demand.distinctMailbox else {
            let isResting = account.strongMethods.contains { $0.suspendedAt != nil }
            return .goToWeb(reason: isResting ? Self.methodSuspended : Self.otherMailboxNeeded)
        }
        switch origin {
        case .signIn:
            // What a reset's mailbox has set cannot make up for what the mailbox lacks (SEC-ENR-8).
            guard !passwordIsFromReset else { return .goToWeb(reason: Self.passwordFromReset) }
            // A registration comes once (native-auth-v1 §5.4); its own mailbox fails only if the policy came in between. Where only
            // that mailbox may be named and does not count, no registration would help.
            let isPossible = demand.enrolment == .compatible || !demand.distinctMailbox || provesOwnMailbox
            guard registered == nil, isPossible else { return .goToWeb(reason: Self.otherMailboxNeeded) }
            return canRegister
                ? .registerMethod : .goToWeb(reason: "Client is missing registration_required capability")
        case .signUp, .reset:
            // The one mailbox has been proven, and counts once (SEC-MFA-3).
            guard !isRequired, !demand.distinctMailbox else { return .goToWeb(reason: Self.otherMailboxNeeded) }
            return registered == nil && account.strongMethods.isEmpty && canRegister
                ? .registerMethod : .tokens(contexts: [])
        }
    }

    private static let otherMailboxNeeded = "The second factor must reach another mailbox than the reset"
    private static let methodSuspended = "The second factor is suspended after a reset"
    private static let passwordFromReset = "The password came from a reset, and the second factor must be another one"

    /// The factors that count for `demand`: where a second factor must reach another mailbox, the account's own adds none to a
    /// password at sign-in (`SEC-MFA-3`).
    private func factors(_ demand: FactorDemand) -> Int {
        let isOwnVoid = demand.distinctMailbox && origin == .signIn && provesPassword && provesOwnMailbox
        return factors - (isOwnVoid ? 1 : 0)
    }

    /// The methods that would add a factor.
    package func usableMethods(of account: UserAccount, _ demand: FactorDemand) -> [StrongMethod] {
        let others = account.strongMethods.filter { method in
            !hasProven(method.email) && canUse(method, demand)
                && proving(method.email, enrolledUnder: method.enrolment.strength).factors(demand) > factors(demand)
        }
        guard others.isEmpty, needsMailbox, mailboxes.isEmpty else { return others }
        // SEC-LOCK-6: the mailbox of the account itself will do. Its method needs an id, and the user's own is known to them.
        return [StrongMethod(id: account.user.id.uuid, email: email, provenAt: account.user.createdAt)]
    }

    /// A suspended method comes back when it has rested, and the account's mailbox is proven beside it (`SEC-ENR-7`).
    private func canUse(_ method: StrongMethod, _ demand: FactorDemand) -> Bool {
        guard let since = method.suspendedAt else { return true }
        return provesOwnMailbox && demand.now.timeIntervalSince(since) >= Double(demand.suspensionRest)
    }
}
