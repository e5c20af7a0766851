package import NativeAuthCore
package import PortableFoundation

/// The state of a flow, as a continuation token holds it. One case per kind of flow; each defines the order of its
/// steps.
package enum FlowState: Hashable, Sendable, Codable {
    case signUp(SignUpState)
    case signIn(SignInState)
    case reset(ResetState)
    case account(AccountState)
    /// A sign-in whose user the passkey names; after it the flow is a ``signIn(_:)``.
    case passkey(PasskeyDraft)
    /// A sign-in by a provider; after it the flow is a ``signIn(_:)`` or a ``signUp(_:)``.
    case federated(FederatedDraft)

    /// The operations that a token of this state allows.
    package var allowed: FlowOperations {
        switch self {
        case .signUp(let state): state.allowed
        case .signIn(let state): state.allowed
        case .reset(let state): state.allowed
        case .account(let state): state.allowed
        case .passkey(let draft): draft.allowed
        case .federated(let draft): draft.allowed
        }
    }

    /// Whether the flow holds a proof; its tokens then have a shorter lifetime (`SEC-CT-5`).
    package var isProven: Bool {
        switch self {
        case .signUp(let state): state.isProven
        case .signIn(let state): state.isProven
        case .reset(let state): state.isProven
        case .account: true
        case .passkey: false
        case .federated(let draft): draft.found != nil
        }
    }

    /// The account of the flow; nil when there is none yet.
    package var account: AccountBinding? {
        switch self {
        case .signUp(let state): state.authentication?.account
        case .signIn(let state): state.account
        case .reset(let state): state.account
        case .account(let state): state.account
        case .passkey(let draft): draft.account
        case .federated(let draft): draft.account
        }
    }

    /// What gets the codes of this state; nil when there is nothing.
    package var recipient: Contact? {
        switch self {
        case .signUp(let state): (state.draft?.email).map(Contact.mailbox)
        case .signIn(let state): state.recipient
        case .reset(let state): (state.draft?.email).map(Contact.mailbox)
        case .account(let state): state.recipient
        case .passkey, .federated: nil
        }
    }

    /// The name that guesses and mails of this state are counted by; nil: they are counted by the mailbox.
    package var countedName: Data? {
        switch self {
        case .signUp: nil
        case .signIn(let state): state.draft?.countedName
        case .reset(let state): state.draft?.countedName
        case .account, .passkey, .federated: nil
        }
    }

    /// Whether the codes of this state go to an address that the account does not have yet.
    package var hasForeignMailbox: Bool {
        switch self {
        case .signIn(.choosingContact), .signIn(.awaitingContactCode), .signIn(.confirmingContact),
            .signIn(.creatingPasskey), .signIn(.confirmingApp), .signUp:
            true
        case .signIn(.started), .signIn(.awaitingPassword), .signIn(.awaitingCode), .signIn(.choosingMethod),
            .signIn(.awaitingSecondFactor), .signIn(.authenticated), .reset, .account(.changingPassword),
            .account(.provingOwn), .account(.provingOwnForApp), .account(.confirmingApp),
            .account(.provingOwnForPasskey), .account(.creatingPasskey),
            .account(.provingOwnForIdentity), .account(.linkingIdentity), .passkey, .federated:
            false
        case .account(.provingNew): true
        }
    }

    /// The account's own address while a contact is being registered; nil in all other states.
    package var registrant: EmailAddress? {
        switch self {
        case .signIn(.choosingContact(let proven)), .signIn(.awaitingContactCode(let proven, _)),
            .signIn(.confirmingContact(let proven, _)), .signIn(.creatingPasskey(let proven, _)),
            .signIn(.confirmingApp(let proven, _)):
            proven.email
        case .account(.provingNew(let change)): change.proven.email
        case .signIn(.started), .signIn(.awaitingPassword), .signIn(.awaitingCode), .signIn(.choosingMethod),
            .signIn(.awaitingSecondFactor), .signIn(.authenticated), .signUp, .reset, .account(.changingPassword),
            .account(.provingOwn), .account(.provingOwnForApp), .account(.confirmingApp),
            .account(.provingOwnForPasskey), .account(.creatingPasskey),
            .account(.provingOwnForIdentity), .account(.linkingIdentity), .passkey, .federated:
            nil
        }
    }

    /// What the user has proven, once it is enough for tokens.
    package var authentication: Authentication? {
        switch self {
        case .signUp(.completed(let authentication)), .signIn(.authenticated(let authentication)),
            .reset(.completed(let authentication)):
            authentication
        case .signUp, .signIn, .reset, .account, .passkey, .federated:
            nil
        }
    }

    /// The identity that the end of this flow gives to the account.
    package var identity: VerifiedIdentity? {
        switch self {
        case .signUp(let state): state.draft?.identity
        case .signIn(let state): state.linking
        case .reset, .account, .passkey, .federated: nil
        }
    }
}

/// A flow's reference to an account, or to no account where answers must not tell (`SEC-ENUM-3`).
package enum AccountBinding: Hashable, Sendable, Codable {
    /// The version is that of the credentials when the flow began; another version ends the flow (`SEC-CT-9`).
    case account(UserID, credentialVersion: Int)
    /// There is no account: every credential is wrong. The id is derived from the typed name: always the same, and no
    /// user has it.
    case decoy(UserID)

    package var user: UserID {
        switch self {
        case .account(let user, credentialVersion: _), .decoy(let user): user
        }
    }

    package var isDecoy: Bool {
        switch self {
        case .account: false
        case .decoy: true
        }
    }

    /// The binding of the next step when this step changes the credentials: the change must not end its own flow.
    var afterChange: AccountBinding {
        switch self {
        case .account(let user, let version): .account(user, credentialVersion: version + 1)
        case .decoy: self
        }
    }
}

/// A proof of something that the user has.
package enum DeviceProof: String, Hashable, Sendable, Codable {
    case authenticatorApp
    /// An app that the account's own mailbox alone enrolled: it counts as that mailbox, because who controls it can enrol
    /// another one (`SEC-ENR-8`).
    case appOfMailbox
    /// One of the codes for the loss of everything else.
    case recoveryCode
    case phone
    /// A telephone that the account's own mailbox alone enrolled: it counts as that mailbox, like such an app.
    case phoneOfMailbox
    /// A passkey that the user's other devices can have, and one that its device keeps to itself.
    case syncedPasskey
    case devicePasskey
    /// A passkey that the account's own mailbox alone enrolled: it counts as that mailbox, like such an app.
    case passkeyOfMailbox
    case identity
    /// An identity that is worth the account's own mailbox.
    case identityOfMailbox

    var proof: Proof {
        switch self {
        case .authenticatorApp: .authenticatorApp
        case .appOfMailbox, .phoneOfMailbox: .mailbox(.own)
        case .passkeyOfMailbox: .passkeyOfMailbox
        case .recoveryCode: .recoveryCode
        case .phone: .phone
        case .syncedPasskey: .passkey(isSynced: true)
        case .devicePasskey: .passkey(isSynced: false)
        case .identity: .identity
        case .identityOfMailbox: .identityOfMailbox
        }
    }

    /// Whether only the account's own mailbox enrolled the method.
    var isOfMailbox: Bool {
        switch self {
        case .appOfMailbox, .phoneOfMailbox, .passkeyOfMailbox, .identityOfMailbox: true
        case .authenticatorApp, .recoveryCode, .phone, .syncedPasskey, .devicePasskey, .identity: false
        }
    }

    /// What a passkey proves.
    init(_ passkey: EnrolledPasskey, enrolledUnder strength: Enrolment.Strength) {
        self =
            strength == .mailbox ? .passkeyOfMailbox : passkey.isBackupEligible ? .syncedPasskey : .devicePasskey
    }

    static let passkeys: [DeviceProof] = [.syncedPasskey, .devicePasskey, .passkeyOfMailbox]
}

/// What a user has proven in a flow (`SEC-CT-1`: proofs are typed values of one flow, never notes).
package struct Authentication: Hashable, Sendable, Codable {
    /// The flow in which the proofs were given.
    package enum Origin: String, Hashable, Sendable, Codable {
        case signUp
        case signIn
        case reset
    }

    package var account: AccountBinding
    /// The account's own address.
    package var email: EmailAddress
    package var origin: Origin
    /// Whether the password was given at sign-in, or chosen at sign-up, in this flow. A password set by a reset proves
    /// only what the mailbox has proven.
    package var knowsPassword: Bool
    /// Whether that password came from a reset (design record 0005): it then counts as a proof of the account's own
    /// mailbox.
    package var passwordIsFromReset: Bool
    /// The mailboxes whose codes were given, without duplicates.
    package var mailboxes: [EmailAddress]
    /// Those of the mailboxes that were enrolled with only the account's own mailbox proven. They count as that
    /// mailbox: who controls it can register any other (`SEC-ENR-8`).
    package var standIns: [EmailAddress]
    /// The proofs that are neither a password nor a mailbox, without duplicates. Nil for none, as versions that knew no
    /// others wrote it.
    package var devices: [DeviceProof]?
    /// The contact that was registered in this flow.
    package var registered: Contact?
    package var authenticatedAt: Date
    /// The client's capabilities, in a fixed order, so that equal states make equal tokens (design record 0014).
    package var capabilities: [ClientAbility]
    /// Whether a mailbox must be proven besides the password, because too many wrong passwords came before
    /// (`SEC-LOCK-6`).
    package var needsMailbox: Bool
    /// The session that gave the first proofs of a flow: it ends with that session.
    package var browserSession: UUID?
    /// What a session of an app's ticket is for; nil for the proofs of a sign-in.
    package var handover: Handover?
    /// The identity that the end of the sign-in links to the account (`SEC-FED-9`).
    package var linking: VerifiedIdentity?
    /// The level that the sign-in is to reach, when that is more than two factors: the requests for a method do not repeat
    /// what was asked for. Nil: two factors.
    package var sought: Assurance.Level?
    /// The remembered device that replaces the second factor. Nil: none does.
    package var remembered: RememberedProof?
    /// Whether the device can be remembered when this sign-in is complete. Nil: no.
    package var isRememberable: Bool?
    /// What the provider of the identity said of the strength of its sign-in. It is none of ``proofs``, which are the account's own.
    /// Nil: nothing that counts.
    package var stated: StatedStrength?

    package init(
        account: AccountBinding, email: EmailAddress, origin: Origin, knowsPassword: Bool,
        passwordIsFromReset: Bool = false, mailboxes: [EmailAddress], standIns: [EmailAddress] = [],
        authenticatedAt: Date, capabilities: [ClientAbility], needsMailbox: Bool = false
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

    /// The proofs with that of a method; a method that was already proven adds nothing, and neither does one that this
    /// version cannot judge. One that a recovery code enrolled a short time ago proves what that code has proven: else a
    /// thief would get by one more sign-in what a session of the code may not do.
    package func proving(_ method: StrongMethod, at now: Date) -> Authentication {
        if method.rests(at: now) { return proving(.recoveryCode) }
        return switch method.kind {
        case .mailbox, .phone:
            method.contact.map { proving($0, enrolledUnder: method.enrolment.strength) } ?? self
        case .app: proving(method.enrolment.strength == .mailbox ? .appOfMailbox : .authenticatorApp)
        case .passkey(let passkey?): proving(DeviceProof(passkey, enrolledUnder: method.enrolment.strength))
        case .identity: proving(method.enrolment.strength == .mailbox ? .identityOfMailbox : .identity)
        case .recoveryCodes: proving(.recoveryCode)
        case .passkey(nil), .unknown: self
        }
    }

    func proving(_ device: DeviceProof) -> Authentication {
        guard devices?.contains(device) != true else { return self }
        var proven = self
        proven.devices = (devices ?? []) + [device]
        return proven
    }

    /// The proofs with that of a contact.
    ///
    /// - Parameter strength: The proofs under which it was enrolled.
    package func proving(_ contact: Contact, enrolledUnder strength: Enrolment.Strength) -> Authentication {
        switch contact {
        case .mailbox(let email): proving(email, enrolledUnder: strength)
        case .phone: proving(strength == .mailbox ? .phoneOfMailbox : .phone)
        }
    }

    /// The proofs with one more mailbox; a mailbox that was already proven adds nothing (`SEC-MFA-3`).
    ///
    /// - Parameter strength: The proofs under which that mailbox was enrolled.
    package func proving(_ mailbox: EmailAddress, enrolledUnder strength: Enrolment.Strength) -> Authentication {
        guard !hasProven(mailbox) else { return self }
        var proven = self
        proven.mailboxes.append(mailbox)
        switch strength {
        case .mailbox: proven.standIns.append(mailbox)
        case .unknown, .password, .codes, .recoveryCode, .twoFactors: break
        }
        return proven
    }

    package func hasProven(_ method: StrongMethod) -> Bool {
        switch method.kind {
        case .mailbox(let email): hasProven(email)
        case .app: devices?.contains { [.authenticatorApp, .appOfMailbox].contains($0) } == true
        case .phone: hasPhone
        case .passkey: devices?.contains(where: DeviceProof.passkeys.contains) == true
        case .identity: devices?.contains { [.identity, .identityOfMailbox].contains($0) } == true
        case .recoveryCodes: devices?.contains(.recoveryCode) == true
        case .unknown: false
        }
    }

    package func hasProven(_ mailbox: EmailAddress) -> Bool {
        mailboxes.contains { $0.mailbox == mailbox.mailbox }
    }

    /// Whether the account's own mailbox is proven: by its code, by the code of a stand-in, or by a password that it
    /// reset.
    package var provesOwnMailbox: Bool {
        passwordIsFromReset && knowsPassword || mailboxes.contains(where: standsForOwn)
            || devices?.contains(where: \.isOfMailbox) == true
    }

    /// Whether a code reached the account's own address in this flow, which alone allows to enrol the first method
    /// (`SEC-ENR-2`). A password from a reset has the worth of the mailbox and not more: who learns it later has no
    /// mailbox. An address with another tag may belong to another person (`SEC-ID-3`).
    ///
    /// At a sign-up the word of a provider that speaks for the address counts as its code.
    package var hasCodeOfOwnAddress: Bool {
        mailboxes.contains { $0.key == email.key }
            || origin == .signUp && devices?.contains(.identityOfMailbox) == true
    }

    /// Whether the sign-in ends the count of wrong passwords. A passkey alone does not: its holder may be the one who guesses at the
    /// password (`SEC-LOCK-1`).
    var endsLock: Bool { knowsPassword || !mailboxes.isEmpty }

    /// Whether a code to a telephone is the only first factor.
    var beganWithPhone: Bool { !knowsPassword && mailboxes.isEmpty && hasPhone }

    private var hasPhone: Bool { devices?.contains { [.phone, .phoneOfMailbox].contains($0) } == true }

    /// Whether the password was given and counts as a separate factor.
    package var provesPassword: Bool { knowsPassword && !passwordIsFromReset }

    /// The proofs as values of the one policy.
    package var proofs: [Proof] {
        (knowsPassword ? [.password(isFromReset: passwordIsFromReset)] : [])
            + mailboxes.map { .mailbox(standsForOwn($0) ? .own : .other($0.mailbox)) }
            + (devices ?? []).map(\.proof)
    }

    /// What the proofs are worth together.
    package var assurance: Assurance { Assurance(of: proofs) }

    /// The number of independent factors: the password, the account's own mailbox with all its stand-ins, and each
    /// other mailbox.
    package var factors: Int { assurance.factors }

    /// The strength of a method that is enrolled with these proofs.
    package var enrolmentStrength: Enrolment.Strength {
        if factors > 1 { return .twoFactors }
        return provesOwnMailbox ? .mailbox : .password
    }

    /// Whether `mailbox` is the account's own.
    package func isOwn(_ mailbox: EmailAddress) -> Bool { mailbox.mailbox == email.mailbox }

    private func standsForOwn(_ mailbox: EmailAddress) -> Bool {
        isOwn(mailbox) || standIns.contains { $0.mailbox == mailbox.mailbox }
    }

    /// The authentication methods of the user (RFC 8176): `pwd`, `otp`, and `mfa` for two or more factors.
    package var methods: [String] { assurance.words }

    /// The same with the words of the provider, which are marked, as a session keeps them.
    var sessionMethods: [String] { methods + (stated?.marked ?? []) }

    /// The same for the audit trail, which says what stood for a second factor.
    var words: [String] {
        methods + (stated.map { ["\($0.level.rawValue) by the provider"] } ?? [])
            + (remembered == nil ? [] : ["remembered device"])
    }
}
