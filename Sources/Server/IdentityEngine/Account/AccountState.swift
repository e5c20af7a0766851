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
/// ```
package enum AccountState: Hashable, Sendable, Codable {
    /// The request is complete: it holds the current password, or the session is the proof.
    case changingPassword(AccountBinding, EmailAddress)
    /// A code for the account's own mailbox is awaited.
    case provingOwn(ContactChange)
    /// A code for the new contact is awaited, or to be asked for.
    case provingNew(ContactChange)

    /// The operations that a token of this state allows.
    package var allowed: FlowOperations {
        switch self {
        case .changingPassword: []
        case .provingOwn, .provingNew: [.challengeAccount, .submitAccountCode]
        }
    }

    /// The account that is changed.
    package var account: AccountBinding {
        switch self {
        case .changingPassword(let account, _): account
        case .provingOwn(let change), .provingNew(let change): change.proven.account
        }
    }

    /// The mailbox that gets the code.
    package var mailbox: EmailAddress {
        switch self {
        case .changingPassword(_, let own): own
        case .provingOwn(let change): change.proven.email
        case .provingNew(let change): change.contact
        }
    }

    /// The purpose of the code.
    package var purpose: MailContent.Purpose {
        switch self {
        case .changingPassword, .provingOwn: .accountChange
        case .provingNew(let change):
            switch change.kind {
            case .email: .emailChange
            case .method: .registration
            }
        }
    }
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
    package var contact: EmailAddress
    /// What the session has proven, and this flow since.
    package var proven: Authentication
    /// Whether the session has proven two factors.
    package var hasTwoFactors: Bool
    /// The session that asks; it survives the change.
    package var session: UUID?

    /// The proofs under which a method is enrolled now.
    var strength: Enrolment.Strength { hasTwoFactors ? .twoFactors : proven.enrolmentStrength }
}
