package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where a password reset is.
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
    /// The account is known; nothing was sent yet.
    case started(ResetDraft)
    /// A code is on its way.
    case awaitingCode(ResetDraft)
    /// The mailbox is proven; the new password is wanted.
    case choosingPassword(ResetDraft, Authentication)
    /// The password is changed; the client asks how it went.
    case changed(Authentication)
    /// The client knows; the token is worth a sign-in.
    case completed(Authentication)

    /// What a token of this state may be used for.
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

    /// Whose account it is.
    package var account: AccountBinding {
        switch self {
        case .started(let draft), .awaitingCode(let draft): draft.account
        case .choosingPassword(_, let proven), .changed(let proven), .completed(let proven): proven.account
        }
    }

    /// The reset before the new password.
    package var draft: ResetDraft? {
        switch self {
        case .started(let draft), .awaitingCode(let draft), .choosingPassword(let draft, _): draft
        case .changed, .completed: nil
        }
    }
}

/// A reset before the new password.
package struct ResetDraft: Hashable, Sendable, Codable {
    package var account: AccountBinding
    /// The account's own address, as stored. The code goes there and nowhere else (`SEC-SSPR-3`): not to a mailbox that was
    /// registered for the second factor either, which somebody with the password alone may have done (docs/design/0005).
    package var email: EmailAddress
    /// What the client hears of the address; nil: the address, masked.
    package var label: String?
    /// The alias that was typed where no answer may tell whose it is: guesses and mails are counted by it. Nil: by the mailbox.
    package var countedName: Data?
    /// In a fixed order, so that equal drafts make equal tokens (decision D10).
    package var capabilities: [Capability]

    package init(
        account: AccountBinding, email: EmailAddress, label: String? = nil, countedName: Data? = nil,
        capabilities: Set<Capability>
    ) {
        self.account = account
        self.email = email
        self.label = label
        self.countedName = countedName
        self.capabilities = capabilities.sorted { $0.rawValue < $1.rawValue }
    }

    /// Where the code goes, as the client hears it.
    package var target: String { label ?? email.masked }
}
