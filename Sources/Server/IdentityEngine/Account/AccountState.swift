import NativeAuthCore
package import PortableFoundation

/// The state of a change of an account that a signed-in user asks for.
///
/// ```mermaid
/// stateDiagram-v2
///     [*] --> changingPassword: change of the password
///     changingPassword --> [*]: right password / password, sessions end
///     [*] --> provingOwn: new contact, own mailbox not proven / mail
///     [*] --> provingNew: new contact / mail
///     provingOwn --> provingOwn: challenge / mail, wrong code
///     provingOwn --> provingNew: right code
///     provingNew --> provingNew: challenge / mail, wrong code
///     provingNew --> [*]: right code / contact
///     [*] --> provingOwnForApp: new app, own mailbox not proven / mail
///     [*] --> confirmingApp: new app
///     provingOwnForApp --> provingOwnForApp: challenge / mail, wrong code
///     provingOwnForApp --> confirmingApp: right code
///     confirmingApp --> confirmingApp: wrong code
///     confirmingApp --> [*]: right code of the app / app
///     [*] --> provingOwnForPasskey: new passkey, own mailbox not proven / mail
///     [*] --> creatingPasskey: new passkey
///     provingOwnForPasskey --> provingOwnForPasskey: challenge / mail, wrong code
///     provingOwnForPasskey --> creatingPasskey: right code
///     creatingPasskey --> creatingPasskey: challenge, wrong answer
///     creatingPasskey --> [*]: right answer / passkey
///     [*] --> provingOwnForIdentity: new identity, own mailbox not proven / mail
///     [*] --> linkingIdentity: new identity
///     provingOwnForIdentity --> provingOwnForIdentity: challenge / mail, wrong code
///     provingOwnForIdentity --> linkingIdentity: right code
///     linkingIdentity --> linkingIdentity: challenge, wrong token
///     linkingIdentity --> [*]: right token / identity
/// ```
package enum AccountState: Hashable, Sendable, Codable {
    /// The request is complete: it holds the current password, or the session is the proof.
    case changingPassword(AccountBinding, EmailAddress)
    /// A code for the account's own mailbox is awaited.
    case provingOwn(ContactChange)
    /// A code for the new contact is awaited, or to be asked for.
    case provingNew(ContactChange)
    /// A code for the account's own mailbox is awaited before an app is added.
    case provingOwnForApp(NewApp)
    /// The user was shown the secret, and must give a code of the app.
    case confirmingApp(NewApp)
    /// A code for the account's own mailbox is awaited before a passkey is added.
    case provingOwnForPasskey(NewPasskey)
    /// An authenticator is to make a passkey.
    case creatingPasskey(NewPasskey)
    /// A code for the account's own mailbox is awaited before a provider's account is linked.
    case provingOwnForIdentity(NewIdentity)
    /// A token of the provider is awaited.
    case linkingIdentity(NewIdentity)

    /// The operations that a token of this state allows.
    package var allowed: FlowOperations {
        switch self {
        case .changingPassword: []
        case .provingOwn, .provingNew, .provingOwnForApp, .provingOwnForPasskey, .provingOwnForIdentity:
            [.challengeAccount, .submitAccountCode]
        case .confirmingApp: .submitAccountCode
        case .creatingPasskey: [.challengeAccount, .createPasskey]
        case .linkingIdentity: [.challengeAccount, .submitIdentity]
        }
    }

    /// The account that is changed.
    package var account: AccountBinding {
        switch self {
        case .changingPassword(let account, _): account
        case .provingOwn(let change), .provingNew(let change): change.proven.account
        case .provingOwnForApp(let new), .confirmingApp(let new): new.proven.account
        case .provingOwnForPasskey(let new), .creatingPasskey(let new): new.proven.account
        case .provingOwnForIdentity(let new), .linkingIdentity(let new): new.proven.account
        }
    }

    /// What gets the code.
    package var recipient: Contact {
        switch self {
        case .changingPassword(_, let own): .mailbox(own)
        case .provingOwn(let change): .mailbox(change.proven.email)
        case .provingNew(let change): change.contact
        case .provingOwnForApp(let new), .confirmingApp(let new): .mailbox(new.proven.email)
        case .provingOwnForPasskey(let new), .creatingPasskey(let new): .mailbox(new.proven.email)
        case .provingOwnForIdentity(let new), .linkingIdentity(let new): .mailbox(new.proven.email)
        }
    }

    /// The purpose of the code.
    package var purpose: MailContent.Purpose {
        switch self {
        case .changingPassword, .provingOwn, .provingOwnForApp, .confirmingApp, .provingOwnForPasskey, .creatingPasskey,
            .provingOwnForIdentity, .linkingIdentity:
            .accountChange
        case .provingNew(let change):
            switch change.kind {
            case .email: .emailChange
            case .method: .registration
            }
        }
    }
}

/// An authenticator app that is being added to an account.
package struct NewApp: Hashable, Sendable, Codable {
    /// The largest number of apps of an account (`SEC-ENR-13`).
    package static let most = 3

    /// What the session has proven, and this flow since.
    package var proven: Authentication
    /// The proofs under which the app is enrolled.
    package var strength: Enrolment.Strength
    /// The session that asks; it survives the change.
    package var session: UUID?
    /// The id of the method, and the secret that the user is shown, only in the sealed token (`SEC-TOTP-7`).
    package var method: UUID
    package var secret: Data
    /// When the user was shown it; codes of an earlier time do not count. Nil: not yet.
    package var shownAt: Date?
}

/// A new contact of an account.
package struct ContactChange: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable {
        /// The contact becomes the account's e-mail address.
        case email
        /// The contact becomes a method of the second factor.
        case method
    }

    package var kind: Kind
    /// For ``Kind/email`` a mailbox.
    package var contact: Contact
    /// What the session has proven, and this flow since.
    package var proven: Authentication
    /// Whether the session has proven two factors.
    package var hasTwoFactors: Bool
    /// Whether a recovery code leads to the method (`SEC-ENR-10`). Nil: no, as versions wrote it that knew no such code.
    package var isRecovering: Bool?
    /// Whether the user has no password: then a method is the first beside the mailbox. Nil: no.
    package var isOfCodes: Bool?
    /// The session that asks; it survives the change.
    package var session: UUID?

    /// The largest number of telephones of an account (`SEC-ENR-13`).
    package static let mostPhones = 2

    /// The proofs under which a method is enrolled now.
    var strength: Enrolment.Strength {
        if isRecovering == true { return .recoveryCode }
        if isOfCodes == true, !hasTwoFactors { return .codes }
        return hasTwoFactors ? .twoFactors : proven.enrolmentStrength
    }
}
