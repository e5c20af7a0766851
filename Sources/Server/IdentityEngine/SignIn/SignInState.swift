package import NativeAuthCore
package import PortableFoundation

/// The state of a sign-in, including its second factor and the registration of a method. A sign-up or a reset whose
/// tokens need a second factor also continues here.
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
///     choosingContact --> creatingPasskey: challenge
///     creatingPasskey --> creatingPasskey: challenge, wrong passkey
///     creatingPasskey --> authenticated: right passkey / method
///     choosingContact --> confirmingApp: challenge
///     confirmingApp --> confirmingApp: challenge, wrong code
///     confirmingApp --> authenticated: right code of the app / method
///     awaitingPassword --> [*]: password / tokens
///     awaitingCode --> [*]: right code / tokens
///     awaitingSecondFactor --> [*]: right code, right passkey / tokens
///     authenticated --> [*]: redeem / tokens
/// ```
package enum SignInState: Hashable, Sendable, Codable {
    /// The flow knows the account; no code was sent yet.
    case started(SignInDraft)
    /// The client must send the password.
    case awaitingPassword(SignInDraft)
    /// A code was sent.
    case awaitingCode(SignInDraft)
    /// The first factor is proven; the client must choose a method for the second.
    case choosingMethod(Authentication)
    /// A code of the second factor was sent.
    case awaitingSecondFactor(Authentication, StrongMethod)
    /// The first factor is proven, a second one is needed, and no method is registered.
    case choosingContact(Authentication)
    /// A code was sent to a contact that is to be registered.
    case awaitingContactCode(Authentication, Contact)
    /// This flow has already proven the contact to be registered.
    case confirmingContact(Authentication, EmailAddress)
    /// A passkey is to be made and registered, for this handle of the account.
    case creatingPasskey(Authentication, Data)
    /// An authenticator app is to be registered: the user was shown its secret.
    case confirmingApp(Authentication, ShownApp)
    /// A method was registered; the token can be redeemed for a sign-in.
    case authenticated(Authentication)

    /// The operations that a token of this state allows.
    package var allowed: FlowOperations {
        switch self {
        case .started: [.challengeSignIn]
        case .awaitingPassword: [.challengeSignIn, .submitSignInPassword]
        case .awaitingCode: [.challengeSignIn, .submitSignInCode]
        case .choosingMethod: [.introspectMethods, .challengeSignIn]
        case .awaitingSecondFactor(_, let method):
            [.introspectMethods, .challengeSignIn, method.isPasskey ? .submitPasskey : .submitSecondFactor]
        case .choosingContact: [.introspectRegistration, .challengeContact]
        case .awaitingContactCode: [.introspectRegistration, .challengeContact, .submitContactCode]
        case .confirmingContact: [.introspectRegistration, .challengeContact, .confirmContact]
        case .creatingPasskey: [.introspectRegistration, .challengeContact, .createPasskey]
        case .confirmingApp: [.introspectRegistration, .challengeContact, .confirmApp]
        case .authenticated: [.redeem]
        }
    }

    /// Whether the flow holds a proof.
    package var isProven: Bool {
        switch self {
        case .started, .awaitingPassword, .awaitingCode: false
        case .choosingMethod, .awaitingSecondFactor, .choosingContact, .awaitingContactCode, .confirmingContact,
            .creatingPasskey, .confirmingApp, .authenticated:
            true
        }
    }

    /// The account of the sign-in.
    package var account: AccountBinding {
        switch self {
        case .started(let draft), .awaitingPassword(let draft), .awaitingCode(let draft): draft.account
        case .choosingMethod(let proven), .awaitingSecondFactor(let proven, _), .choosingContact(let proven),
            .awaitingContactCode(let proven, _), .confirmingContact(let proven, _), .creatingPasskey(let proven, _),
            .confirmingApp(let proven, _), .authenticated(let proven):
            proven.account
        }
    }

    /// The data of the sign-in before its first proof; nil after it.
    package var draft: SignInDraft? {
        switch self {
        case .started(let draft), .awaitingPassword(let draft), .awaitingCode(let draft): draft
        case .choosingMethod, .awaitingSecondFactor, .choosingContact, .awaitingContactCode, .confirmingContact,
            .creatingPasskey, .confirmingApp, .authenticated:
            nil
        }
    }

    /// The identity that the end of this sign-in links to the account.
    package var linking: VerifiedIdentity? {
        switch self {
        case .started(let draft), .awaitingPassword(let draft), .awaitingCode(let draft): draft.linking
        case .choosingMethod(let proven), .awaitingSecondFactor(let proven, _), .choosingContact(let proven),
            .awaitingContactCode(let proven, _), .confirmingContact(let proven, _), .creatingPasskey(let proven, _),
            .confirmingApp(let proven, _), .authenticated(let proven):
            proven.linking
        }
    }

    /// What gets the code of this state.
    package var recipient: Contact? {
        switch self {
        case .started(let draft), .awaitingPassword(let draft), .awaitingCode(let draft): draft.contact
        case .choosingMethod(let proven), .choosingContact(let proven), .creatingPasskey(let proven, _),
            .confirmingApp(let proven, _), .authenticated(let proven):
            .mailbox(proven.email)
        case .awaitingSecondFactor(_, let method): method.contact
        case .awaitingContactCode(_, let contact): contact
        case .confirmingContact(_, let email): .mailbox(email)
        }
    }
}

/// The data of a sign-in before its first proof.
package struct SignInDraft: Hashable, Sendable, Codable {
    package var account: AccountBinding
    /// The stored address, the only mailbox that gets codes (`SEC-ID-4`).
    package var email: EmailAddress
    /// The telephone whose number the user typed: it gets the code. Nil: the mailbox does.
    package var phone: StrongMethod?
    /// The address that the client is shown; nil: the masked address.
    package var label: String?
    /// The alias that the user typed, when answers hide accounts: guesses and mails are counted by it. Nil: they are
    /// counted by the mailbox.
    package var countedName: Data?
    /// Whether the flow asks for the password instead of a code.
    package var hasPassword: Bool
    /// The client's capabilities, in a fixed order, so that equal drafts make equal tokens (design record 0014).
    package var capabilities: [ClientAbility]
    /// The identity that the end of the sign-in links to the account (`SEC-FED-9`).
    package var linking: VerifiedIdentity?

    package init(
        account: AccountBinding, email: EmailAddress, phone: StrongMethod? = nil, label: String? = nil,
        countedName: Data? = nil, hasPassword: Bool, capabilities: Set<ClientAbility>
    ) {
        self.account = account
        self.email = email
        self.phone = phone
        self.label = label
        self.countedName = countedName
        self.hasPassword = hasPassword
        self.capabilities = capabilities.sorted { $0.rawValue < $1.rawValue }
    }

    /// The challenge type that a client must be able to handle to sign this user in (docs/protocol.md §3.2).
    package var neededChallengeType: ChallengeType { hasPassword ? .password : .oneTimePasscode }

    /// What gets the code.
    package var contact: Contact { phone?.contact ?? .mailbox(email) }

    /// The target of the code, as the client is shown it.
    package var target: String { label ?? contact.masked }

    /// The proofs after a right code.
    package func provenByCode(at date: Date) -> Authentication {
        let proven = Authentication(
            account: account, email: email, origin: .signIn, knowsPassword: false,
            mailboxes: phone == nil ? [email] : [],
            authenticatedAt: date, capabilities: capabilities)
        return linked(phone.map { proven.proving($0, at: date) } ?? proven)
    }

    private func linked(_ proven: Authentication) -> Authentication {
        var proven = proven
        proven.linking = linking
        return proven
    }

    /// The proofs after a right password.
    package func provenByPassword(of known: UserAccount, at date: Date, needsMailbox: Bool) -> Authentication {
        linked(
            Authentication(
                account: account, email: email, origin: .signIn, knowsPassword: true,
                passwordIsFromReset: known.passwordIsFromReset, mailboxes: [], authenticatedAt: date,
                capabilities: capabilities, needsMailbox: needsMailbox))
    }
}
