package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where a sign-in is, with its second factor and the registration of one. A sign-up and a reset whose tokens need a second
/// factor go on here, too.
///
/// ```mermaid
/// stateDiagram-v2
///     [*] --> started: initiate
///     started --> awaitingPassword: challenge
///     started --> awaitingCode: challenge / mail
///     awaitingPassword --> awaitingPassword: challenge, wrong password
///     awaitingCode --> awaitingCode: challenge / mail, wrong code
///     awaitingPassword --> choosingMethod: password, second factor needed
///     awaitingPassword --> choosingContact: password, second factor needed and none there
///     choosingMethod --> awaitingSecondFactor: challenge / mail
///     awaitingSecondFactor --> awaitingSecondFactor: challenge / mail, wrong code
///     choosingContact --> awaitingContactCode: challenge / mail
///     choosingContact --> confirmingContact: challenge with a proven contact
///     awaitingContactCode --> awaitingContactCode: challenge / mail, wrong code
///     awaitingContactCode --> authenticated: right code / method
///     confirmingContact --> authenticated: confirm / method
///     awaitingPassword --> [*]: password / tokens
///     awaitingCode --> [*]: right code / tokens
///     awaitingSecondFactor --> [*]: right code / tokens
///     authenticated --> [*]: redeem / tokens
/// ```
package enum SignInState: Hashable, Sendable, Codable {
    /// The account is known; nothing was sent yet.
    case started(SignInDraft)
    /// The password is wanted.
    case awaitingPassword(SignInDraft)
    /// A code is on its way.
    case awaitingCode(SignInDraft)
    /// The first factor is proven, a second one is wanted.
    case choosingMethod(Authentication)
    /// A code of the second factor is on its way.
    case awaitingSecondFactor(Authentication, StrongMethod)
    /// The first factor is proven, a second one is wanted, and none is registered.
    case choosingContact(Authentication)
    /// A code is on its way to a contact that is to be registered.
    case awaitingContactCode(Authentication, EmailAddress)
    /// The contact to be registered was proven by this flow already.
    case confirmingContact(Authentication, EmailAddress)
    /// A method was registered; the token is worth a sign-in.
    case authenticated(Authentication)

    /// What a token of this state may be used for.
    package var allowed: FlowOperations {
        switch self {
        case .started: [.challengeSignIn]
        case .awaitingPassword: [.challengeSignIn, .submitSignInPassword]
        case .awaitingCode: [.challengeSignIn, .submitSignInCode]
        case .choosingMethod: [.listMethods, .challengeSignIn]
        case .awaitingSecondFactor: [.listMethods, .challengeSignIn, .submitSecondFactor]
        case .choosingContact: [.listContacts, .challengeContact]
        case .awaitingContactCode: [.listContacts, .challengeContact, .submitContactCode]
        case .confirmingContact: [.listContacts, .challengeContact, .confirmContact]
        case .authenticated: [.redeem]
        }
    }

    /// Whether the flow holds a proof.
    package var isProven: Bool {
        switch self {
        case .started, .awaitingPassword, .awaitingCode: false
        case .choosingMethod, .awaitingSecondFactor, .choosingContact, .awaitingContactCode, .confirmingContact,
            .authenticated:
            true
        }
    }

    /// Whose account it is.
    package var account: AccountBinding {
        switch self {
        case .started(let draft), .awaitingPassword(let draft), .awaitingCode(let draft): draft.account
        case .choosingMethod(let proven), .awaitingSecondFactor(let proven, _), .choosingContact(let proven),
            .awaitingContactCode(let proven, _), .confirmingContact(let proven, _), .authenticated(let proven):
            proven.account
        }
    }

    /// The sign-in before its first proof.
    package var draft: SignInDraft? {
        switch self {
        case .started(let draft), .awaitingPassword(let draft), .awaitingCode(let draft): draft
        case .choosingMethod, .awaitingSecondFactor, .choosingContact, .awaitingContactCode, .confirmingContact,
            .authenticated:
            nil
        }
    }

    /// The mailbox to which the code of this state went or goes.
    package var mailbox: EmailAddress? {
        switch self {
        case .started(let draft), .awaitingPassword(let draft), .awaitingCode(let draft): draft.email
        case .choosingMethod(let proven), .choosingContact(let proven), .authenticated(let proven): proven.email
        case .awaitingSecondFactor(_, let method): method.email
        case .awaitingContactCode(_, let contact), .confirmingContact(_, let contact): contact
        }
    }
}

/// A sign-in before its first proof.
package struct SignInDraft: Hashable, Sendable, Codable {
    package var account: AccountBinding
    /// The stored address; codes go there and nowhere else (`SEC-ID-4`).
    package var email: EmailAddress
    /// What the client hears of the address; nil: the address, masked.
    package var label: String?
    /// The alias that was typed where no answer may tell whose it is: guesses and mails are counted by it. Nil: by the mailbox.
    package var countedName: Data?
    /// Whether the password is asked for, and no code.
    package var hasPassword: Bool
    /// In a fixed order, so that equal drafts make equal tokens (decision D10).
    package var capabilities: [Capability]

    package init(
        account: AccountBinding, email: EmailAddress, label: String? = nil, countedName: Data? = nil, hasPassword: Bool,
        capabilities: Set<Capability>
    ) {
        self.account = account
        self.email = email
        self.label = label
        self.countedName = countedName
        self.hasPassword = hasPassword
        self.capabilities = capabilities.sorted { $0.rawValue < $1.rawValue }
    }

    /// What a client must be able to handle to sign this user in (native-auth-v1 §3.2).
    package var neededChallengeType: ChallengeType { hasPassword ? .password : .oneTimePasscode }

    /// Where the code goes, as the client hears it.
    package var target: String { label ?? email.masked }

    /// With the code given.
    package func provenByCode(at date: Date) -> Authentication {
        Authentication(
            account: account, email: email, origin: .signIn, knowsPassword: false, mailboxes: [email],
            authenticatedAt: date, capabilities: capabilities)
    }

    /// With the password given.
    package func provenByPassword(of known: UserAccount, at date: Date, needsMailbox: Bool) -> Authentication {
        Authentication(
            account: account, email: email, origin: .signIn, knowsPassword: true,
            passwordIsFromReset: known.passwordIsFromReset, mailboxes: [], authenticatedAt: date,
            capabilities: capabilities, needsMailbox: needsMailbox)
    }
}
