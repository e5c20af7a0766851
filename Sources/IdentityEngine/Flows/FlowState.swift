package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where a flow is: what a continuation token carries. One case per kind of flow; the order of steps is in each of them.
package enum FlowState: Hashable, Sendable, Codable {
    case signUp(SignUpState)
    case signIn(SignInState)
    case reset(ResetState)

    /// What a token of this state may be used for.
    package var allowed: FlowOperations {
        switch self {
        case .signUp(let state): state.allowed
        case .signIn(let state): state.allowed
        case .reset(let state): state.allowed
        }
    }

    /// Whether the flow holds a proof; its tokens then live shorter (`SEC-CT-5`).
    package var isProven: Bool {
        switch self {
        case .signUp(let state): state.isProven
        case .signIn(let state): state.isProven
        case .reset(let state): state.isProven
        }
    }

    /// Whose account the flow is about; nil while there is none.
    package var account: AccountBinding? {
        switch self {
        case .signUp(let state): state.authentication?.account
        case .signIn(let state): state.account
        case .reset(let state): state.account
        }
    }

    /// The mailbox to which codes of this state go, if any do.
    package var mailbox: EmailAddress? {
        switch self {
        case .signUp(let state): state.draft?.email
        case .signIn(let state): state.mailbox
        case .reset(let state): state.draft?.email
        }
    }

    /// The name by which guesses and mails of this state are counted; nil: the mailbox.
    package var countedName: Data? {
        switch self {
        case .signUp: nil
        case .signIn(let state): state.draft?.countedName
        case .reset(let state): state.draft?.countedName
        }
    }

    /// Whether codes of this state go to an address that the account does not have yet.
    package var hasForeignMailbox: Bool {
        switch self {
        case .signIn(.choosingContact), .signIn(.awaitingContactCode), .signIn(.confirmingContact), .signUp: true
        case .signIn(.started), .signIn(.awaitingPassword), .signIn(.awaitingCode), .signIn(.choosingMethod),
            .signIn(.awaitingSecondFactor), .signIn(.authenticated), .reset:
            false
        }
    }

    /// The account's own address while a contact is being registered; nil in all other states.
    package var registrant: EmailAddress? {
        switch self {
        case .signIn(.choosingContact(let proven)), .signIn(.awaitingContactCode(let proven, _)),
            .signIn(.confirmingContact(let proven, _)):
            proven.email
        case .signIn(.started), .signIn(.awaitingPassword), .signIn(.awaitingCode), .signIn(.choosingMethod),
            .signIn(.awaitingSecondFactor), .signIn(.authenticated), .signUp, .reset:
            nil
        }
    }

    /// What was proven, once that is worth tokens.
    package var authentication: Authentication? {
        switch self {
        case .signUp(.completed(let authentication)), .signIn(.authenticated(let authentication)),
            .reset(.completed(let authentication)):
            authentication
        case .signUp, .signIn, .reset:
            nil
        }
    }
}

/// An account as a flow refers to it.
package struct AccountBinding: Hashable, Sendable, Codable {
    /// In a decoy flow, derived from the name that was typed: always the same, and nobody's.
    package var user: UserID
    /// The version of the credentials when the flow began. Under another one the flow has ended (`SEC-CT-9`). Nil in a decoy
    /// flow, in which nothing is ever right: there is no account, and the client must not learn it (`SEC-ENUM-3`).
    package var credentialVersion: Int?

    package init(user: UserID, credentialVersion: Int?) {
        self.user = user
        self.credentialVersion = credentialVersion
    }

    package var isDecoy: Bool { credentialVersion == nil }
}

/// What a person has proven in a flow (`SEC-CT-1`: proofs are typed values of one flow, never notes).
package struct Authentication: Hashable, Sendable, Codable {
    /// In which flow the proofs were given.
    package enum Origin: String, Hashable, Sendable, Codable {
        case signUp
        case signIn
        case reset
    }

    package var account: AccountBinding
    /// The address by which the account is known.
    package var email: EmailAddress
    package var origin: Origin
    /// Whether the password was given in this flow: at sign-in, or chosen at sign-up. A password set by a reset proves nothing
    /// that the mailbox did not.
    package var knowsPassword: Bool
    /// Whether that password came from a reset (decision D14): it is worth what the account's own mailbox is.
    package var passwordIsFromReset: Bool
    /// The mailboxes whose codes were given, each once.
    package var mailboxes: [EmailAddress]
    /// Those of them that were enrolled on the strength of the account's own mailbox alone, and stand for it: who has the one can
    /// name any other (`SEC-ENR-8`).
    package var standIns: [EmailAddress]
    /// The contact that was registered in this flow.
    package var registered: EmailAddress?
    package var authenticatedAt: Date
    /// What the client can handle, in a fixed order, so that equal states make equal tokens (decision D10).
    package var capabilities: [Capability]
    /// Whether a mailbox must be proven besides the password, because too many wrong ones came before (`SEC-LOCK-6`).
    package var needsMailbox: Bool

    package init(
        account: AccountBinding, email: EmailAddress, origin: Origin, knowsPassword: Bool,
        passwordIsFromReset: Bool = false, mailboxes: [EmailAddress], standIns: [EmailAddress] = [],
        authenticatedAt: Date, capabilities: [Capability], needsMailbox: Bool = false
    ) {
        self.account = account
        self.email = email
        self.origin = origin
        self.knowsPassword = knowsPassword
        self.passwordIsFromReset = passwordIsFromReset
        self.mailboxes = mailboxes
        self.standIns = standIns
        self.authenticatedAt = authenticatedAt
        self.capabilities = capabilities
        self.needsMailbox = needsMailbox
    }

    /// With one more mailbox proven; the same one again adds nothing (`SEC-MFA-3`).
    ///
    /// - Parameter strength: Under which proofs that mailbox was enrolled.
    package func proving(_ mailbox: EmailAddress, enrolledUnder strength: Enrolment.Strength) -> Authentication {
        guard !hasProven(mailbox) else { return self }
        var proven = self
        proven.mailboxes.append(mailbox)
        switch strength {
        case .mailbox: proven.standIns.append(mailbox)
        case .unknown, .password, .twoFactors: break
        }
        return proven
    }

    package func hasProven(_ mailbox: EmailAddress) -> Bool {
        mailboxes.contains { $0.mailbox == mailbox.mailbox }
    }

    /// Whether the account's own mailbox stands behind a proof: its code, that of a stand-in, or a password that it reset.
    package var provesOwnMailbox: Bool {
        passwordIsFromReset && knowsPassword || mailboxes.contains(where: standsForOwn)
    }

    /// Whether the password was given, and is a factor of its own.
    package var provesPassword: Bool { knowsPassword && !passwordIsFromReset }

    /// How many independent factors the proofs are: the password, the account's own mailbox with all that stands for it, and each
    /// other mailbox.
    package var factors: Int {
        (provesPassword ? 1 : 0) + (provesOwnMailbox ? 1 : 0) + mailboxes.count { !standsForOwn($0) }
    }

    /// What a method is worth that is enrolled on the strength of these proofs.
    package var enrolmentStrength: Enrolment.Strength {
        if factors > 1 { return .twoFactors }
        return provesOwnMailbox ? .mailbox : .password
    }

    /// Whether `mailbox` is the one by which the account is known.
    package func isOwn(_ mailbox: EmailAddress) -> Bool { mailbox.mailbox == email.mailbox }

    private func standsForOwn(_ mailbox: EmailAddress) -> Bool {
        isOwn(mailbox) || standIns.contains { $0.mailbox == mailbox.mailbox }
    }

    /// How the user proved who they are (RFC 8176): `pwd`, `otp`, and `mfa` for two factors or more.
    package var methods: [String] {
        (knowsPassword ? ["pwd"] : []) + (mailboxes.isEmpty ? [] : ["otp"]) + (factors > 1 ? ["mfa"] : [])
    }
}
