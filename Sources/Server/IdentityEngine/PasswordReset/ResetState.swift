import NativeAuthCore
package import PortableFoundation

/// The state of a password reset.
///
/// ```mermaid
/// stateDiagram-v2
///     [*] --> started: start
///     started --> awaitingCode: challenge / mail
///     awaitingCode --> awaitingCode: challenge / mail, wrong code
///     awaitingCode --> choosingPassword: right code
///     choosingPassword --> choosingPassword: bad password
///     choosingPassword --> changed: password / password, sessions end
///     changed --> changed: poll
///     changed --> completed: poll
///     completed --> [*]: redeem / tokens
/// ```
package enum ResetState: Hashable, Sendable, Codable {
    /// The flow knows the account; no code was sent yet.
    case started(ResetDraft)
    /// A code was sent.
    case awaitingCode(ResetDraft)
    /// The mailbox is proven; the client must send the new password.
    case choosingPassword(ResetDraft, Authentication)
    /// The password is changed; the client polls for the result.
    case changed(Authentication)
    /// The client has the result; the token can be redeemed for a sign-in.
    case completed(Authentication)

    /// The operations that a token of this state allows.
    package var allowed: FlowOperations {
        switch self {
        case .started: [.challengeReset]
        case .awaitingCode: [.challengeReset, .submitResetCode]
        case .choosingPassword: [.submitNewPassword]
        case .changed: [.pollReset]
        case .completed: [.redeem]
        }
    }

    /// Whether the flow holds a proof.
    package var isProven: Bool {
        switch self {
        case .started, .awaitingCode: false
        case .choosingPassword, .changed, .completed: true
        }
    }

    /// The account of the reset.
    package var account: AccountBinding {
        switch self {
        case .started(let draft), .awaitingCode(let draft): draft.account
        case .choosingPassword(_, let proven), .changed(let proven), .completed(let proven): proven.account
        }
    }

    /// The data of the reset before the new password; nil after it.
    package var draft: ResetDraft? {
        switch self {
        case .started(let draft), .awaitingCode(let draft), .choosingPassword(let draft, _): draft
        case .changed, .completed: nil
        }
    }
}

/// The data of a reset before the new password.
package struct ResetDraft: Hashable, Sendable, Codable {
    package var account: AccountBinding
    /// The account's own stored address, the only target of the code (`SEC-SSPR-3`). A mailbox of the second factor
    /// gets no code: an attacker who knows only the password may have registered it (docs/design/0005).
    package var email: EmailAddress
    /// The address that the client is shown; nil: the masked address.
    package var label: String?
    /// The alias that the user typed, when answers hide accounts: guesses and mails are counted by it. Nil: they are
    /// counted by the mailbox.
    package var countedName: Data?
    /// The client's capabilities, in a fixed order, so that equal drafts make equal tokens (design record 0014).
    package var capabilities: [ClientAbility]

    package init(
        account: AccountBinding, email: EmailAddress, label: String? = nil, countedName: Data? = nil,
        capabilities: Set<ClientAbility>
    ) {
        self.account = account
        self.email = email
        self.label = label
        self.countedName = countedName
        self.capabilities = capabilities.sorted { $0.rawValue < $1.rawValue }
    }

    /// The target of the code, as the client is shown it.
    package var target: String { label ?? email.masked }
}
