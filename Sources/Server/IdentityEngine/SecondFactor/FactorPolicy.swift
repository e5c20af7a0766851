import NativeAuthCore
package import PortableFoundation

/// What the proofs of a flow allow, given the required factors (`SEC-MFA-1` to `SEC-MFA-5`).
package enum FactorVerdict: Hashable, Sendable {
    /// Tokens that satisfy these authentication contexts.
    case tokens(contexts: [String])
    /// The user must also give one of these methods.
    case giveSecondFactor([StrongMethod])
    /// The user must register a method first.
    case registerMethod
    /// The client or this API cannot do what is needed.
    case redirectToBrowser(RedirectReason)
}

/// The factors that an application, its user flow and its tenant require.
package struct FactorDemand: Hashable, Sendable {
    /// The requested authentication contexts; each needs two factors.
    package var contexts: [String]
    /// Whether the application or the user flow always requires two factors. No grant bypasses this (design record
    /// 0005).
    package var isRequired: Bool
    /// Whether a second factor must use another mailbox than a reset does (`SEC-MFA-3`).
    package var distinctMailbox: Bool
    package var enrolment: EnrolmentMode
    /// How long a suspended method stays suspended, in seconds (`SEC-ENR-7`).
    package var suspensionRest: Int
    package var now: Date
    /// Whether the tenant has recovery codes.
    package var takesRecoveryCodes: Bool
    /// The tenant's text messages; nil: it has none.
    package var texts: TextSettings?
    /// The relying party whose passkeys the tenant takes; nil: it has none.
    package var passkeyDomain: String?

    /// What each context, application, user flow and user demands: two factors, also such as NIST SP 800-63B does not
    /// accept.
    static let level = Assurance.Level.mailed

    package init(
        contexts: [String], isRequired: Bool, distinctMailbox: Bool, enrolment: EnrolmentMode = .proven,
        suspensionRest: Int = 24 * 3600, now: Date, takesRecoveryCodes: Bool = true,
        texts: TextSettings? = nil, passkeyDomain: String? = nil
    ) {
        self.contexts = contexts
        self.isRequired = isRequired
        self.distinctMailbox = distinctMailbox
        self.enrolment = enrolment
        self.suspensionRest = suspensionRest
        self.now = now
        self.takesRecoveryCodes = takesRecoveryCodes
        self.texts = texts
        self.passkeyDomain = passkeyDomain
    }

    /// Whether numbers of the area are texted.
    fileprivate func canText(_ number: PhoneNumber) -> Bool { texts?.allows(number) ?? false }
}

extension Authentication {
    /// Judges the proofs, as a pure function.
    ///
    /// - Parameter account: The account as it is now.
    package func judged(_ demand: FactorDemand, of account: UserAccount) -> FactorVerdict {
        let isRequired = demand.isRequired || account.requiresSecondFactor
        let isDemanded = isRequired || !demand.contexts.isEmpty
        guard isDemanded || (needsMailbox && mailboxes.isEmpty) else { return .tokens(contexts: []) }
        let canRegister = capabilities.contains(.registrationRequired)
        if assurance(for: demand).level >= FactorDemand.level {
            // A new user has already proven both, and registers a method now so that the next sign-in finds one
            // (docs/protocol.md §5.4).
            let isNew = origin == .signUp && registered == nil && account.secondFactors.isEmpty
            return isNew && canRegister ? .registerMethod : .tokens(contexts: demand.contexts)
        }
        let methods = usableMethods(of: account, demand)
        // A user of codes can register a telephone, and nothing else here.
        let isOfCodes = account.passwordHash == nil
        guard !isOfCodes || !methods.isEmpty || demand.texts != nil else {
            return .redirectToBrowser(.noPassword)
        }
        if !methods.isEmpty {
            return capabilities.contains(.mfaRequired)
                ? .giveSecondFactor(methods) : .redirectToBrowser(.missingCapability(.mfaRequired))
        }
        // An account with a method is enrolled, even when that method is not usable here (SEC-ENR-3).
        guard account.secondFactors.isEmpty || origin == .reset && !isRequired && !demand.distinctMailbox else {
            let isResting = account.secondFactors.contains { $0.suspendedAt != nil }
            let isUnannounced =
                demand.passkeyDomain != nil && !capabilities.contains(.passkey)
                && account.secondFactors.contains { $0.isPasskey && $0.suspendedAt == nil && !hasProven($0) }
            return .redirectToBrowser(
                isUnannounced ? .methodNotTaken : isResting ? .methodSuspended : .otherMailboxNeeded)
        }
        switch origin {
        case .signIn:
            // A password set through the mailbox cannot replace what the mailbox lacks (SEC-ENR-8).
            guard !passwordIsFromReset else { return .redirectToBrowser(.passwordFromReset) }
            // A flow registers at most once (docs/protocol.md §5.4); the registered mailbox is insufficient only if the
            // policy changed meanwhile. When only that mailbox may be registered and does not count, registration would
            // not help.
            let isPossible = demand.enrolment == .compatible || !demand.distinctMailbox || provesOwnMailbox
            guard registered == nil, isPossible else { return .redirectToBrowser(.otherMailboxNeeded) }
            return canRegister
                ? .registerMethod : .redirectToBrowser(.missingCapability(.registrationRequired))
        case .signUp, .reset:
            if isOfCodes, isRequired, registered == nil, account.secondFactors.isEmpty, canRegister {
                return .registerMethod
            }
            // The mailbox has been proven and counts once (SEC-MFA-3).
            guard !isRequired, !demand.distinctMailbox else {
                return .redirectToBrowser(.otherMailboxNeeded)
            }
            return registered == nil && account.secondFactors.isEmpty && canRegister
                ? .registerMethod : .tokens(contexts: [])
        }
    }

    /// What the proofs are worth for `demand`. When a second factor must use another mailbox, the account's own mailbox
    /// adds nothing to a password at sign-in (`SEC-MFA-3`).
    private func assurance(for demand: FactorDemand) -> Assurance {
        guard demand.distinctMailbox, origin == .signIn, provesPassword else { return assurance }
        return Assurance(of: proofs.filter { $0 != .mailbox(.own) })
    }

    /// The methods that would add a factor.
    package func usableMethods(of account: UserAccount, _ demand: FactorDemand) -> [StrongMethod] {
        let present = assurance(for: demand).factors
        let others = account.secondFactors.filter { method in
            // Users without a password sign in with codes by mail, and another such code is no second factor
            // (docs/protocol.md §4.7).
            (account.passwordHash != nil || method.email == nil)
                && !hasProven(method) && canUse(method, demand)
                && proving(method, at: demand.now).assurance(for: demand).factors > present
        }
        // Last, and only beside a method: they are for its loss.
        let spare = account.recovery.flatMap { set in
            let isOffered =
                demand.takesRecoveryCodes && !set.codes.isEmpty && !account.secondFactors.isEmpty
                && !hasProven(set.method) && proving(.recoveryCode).assurance(for: demand).factors > present
            return isOffered ? set.method : nil
        }
        let all = others + (spare.map { [$0] } ?? [])
        // A method that cannot be given here, such as a telephone where there are no texts any more, is no reason to take less.
        let hasOthers = account.secondFactors.contains { method in
            guard method.suspendedAt == nil else { return false }
            // Another mailbox proves nothing more where it counts as the own one, or the user has no password.
            switch method.kind {
            case .mailbox: return false
            case .phone, .app, .passkey, .identity, .recoveryCodes, .unknown: return !hasProven(method)
            }
        }
        guard all.isEmpty, needsMailbox, mailboxes.isEmpty, !hasOthers else { return all }
        // SEC-LOCK-6: the account's own mailbox is enough. The method needs an id; the user's own id is known to the
        // client.
        return [StrongMethod(id: account.user.id.uuid, email: email, provenAt: account.user.createdAt)]
    }

    /// A suspended method is usable again after its rest, when the account's mailbox is also proven (`SEC-ENR-7`).
    private func canUse(_ method: StrongMethod, _ demand: FactorDemand) -> Bool {
        if let number = method.contact?.phone, !demand.canText(number) { return false }
        // A client that does not know passkeys could not read the list (SEC-PK-21).
        if let passkey = method.passkey,
            passkey.relyingPartyID != demand.passkeyDomain || !capabilities.contains(.passkey)
        {
            return false
        }
        guard let since = method.suspendedAt else { return true }
        return provesOwnMailbox && demand.now.timeIntervalSince(since) >= Double(demand.suspensionRest)
    }
}
