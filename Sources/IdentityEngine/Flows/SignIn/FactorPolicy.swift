import NativeAuthCore

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

extension Authentication {
    /// Judges the proofs; pure.
    ///
    /// - Parameters:
    ///   - contexts: The authentication contexts asked for; each needs two factors.
    ///   - policy: Whether application or user flow need two factors in any case.
    ///   - account: The account as it is now.
    ///   - distinctMailbox: Whether a second factor must reach another mailbox than a reset does (`SEC-MFA-3`).
    package func judged(
        contexts: [String], policy: Bool, account: UserAccount, distinctMailbox: Bool
    ) -> FactorVerdict {
        let canRegister = capabilities.contains(.registrationRequired)
        let methods = usableMethods(of: account, distinctMailbox: distinctMailbox)
        guard !contexts.isEmpty || policy || (needsMailbox && factors < 2) else { return .tokens(contexts: []) }
        // Where a second factor must reach another mailbox, the account's own adds none to a password (SEC-MFA-3).
        let isOwnVoid = distinctMailbox && origin == .signIn && mailboxes.contains(where: isOwn)
        if factors - (isOwnVoid ? 1 : 0) >= 2 {
            // A new user has proven both already, and registers a method now so that the next sign-in finds one (§5.4).
            let isNew = origin == .signUp && registered == nil && account.strongMethods.isEmpty
            return isNew && canRegister ? .registerMethod : .tokens(contexts: contexts)
        }
        guard account.passwordHash != nil else {
            return .goToWeb(reason: "The user has no password, and a second factor needs one")
        }
        if !methods.isEmpty {
            return capabilities.contains(.mfaRequired)
                ? .giveSecondFactor(methods) : .goToWeb(reason: "Client is missing mfa_required capability")
        }
        switch origin {
        case .signIn:
            // A registration comes once (native-auth-v1 §5.4); its own mailbox fails only if the policy came in between.
            guard registered == nil else { return .goToWeb(reason: Self.otherMailboxNeeded) }
            return canRegister
                ? .registerMethod : .goToWeb(reason: "Client is missing registration_required capability")
        case .signUp, .reset:
            // The one mailbox has been proven, and counts once (SEC-MFA-3).
            if registered == nil, account.strongMethods.isEmpty, canRegister, !distinctMailbox {
                return .registerMethod
            }
            return distinctMailbox
                ? .goToWeb(reason: Self.otherMailboxNeeded)
                : .tokens(contexts: [])
        }
    }

    private static let otherMailboxNeeded = "The second factor must reach another mailbox than the reset"

    /// The methods that would add a factor.
    ///
    /// - Parameter distinctMailbox: Whether the account's own mailbox, which alone is enough for a reset, counts as none.
    package func usableMethods(of account: UserAccount, distinctMailbox: Bool) -> [StrongMethod] {
        let others = account.strongMethods.filter { !hasProven($0.email) && !(distinctMailbox && isOwn($0.email)) }
        guard others.isEmpty, needsMailbox, !hasProven(email) else { return others }
        // SEC-LOCK-6: the mailbox of the account itself will do. Its method needs an id, and the user's own is known to them.
        return [StrongMethod(id: account.user.id.uuid, email: email, provenAt: account.user.createdAt)]
    }

    /// Whether `mailbox` is the one by which the account is known.
    package func isOwn(_ mailbox: EmailAddress) -> Bool { mailbox.mailbox == email.mailbox }
}
