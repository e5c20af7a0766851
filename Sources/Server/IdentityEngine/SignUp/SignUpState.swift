package import NativeAuthCore
import PortableFoundation

/// The state of a sign-up. Each case holds exactly the data of that state; only this type knows the order of the steps.
///
/// ```mermaid
/// stateDiagram-v2
///     [*] --> started: start
///     started --> awaitingCode: challenge / mail
///     awaitingCode --> awaitingCode: challenge / mail, wrong code, attributes
///     awaitingCode --> choosingCredential: right code, password missing
///     choosingCredential --> awaitingPassword: challenge
///     awaitingPassword --> awaitingPassword: challenge, bad password
///     awaitingCode --> awaitingAttributes: right code, attributes missing
///     awaitingPassword --> awaitingAttributes: password, attributes missing
///     awaitingAttributes --> awaitingAttributes: some of the attributes
///     awaitingCode --> asking: right code, a hook is to be asked
///     asking --> awaitingAttributes: attributes missing
///     asking --> completed: all attributes / user
///     awaitingCode --> completed: right code / user
///     awaitingPassword --> completed: password / user
///     awaitingAttributes --> completed: all attributes / user
///     completed --> [*]: redeem / tokens
/// ```
package enum SignUpState: Hashable, Sendable, Codable {
    /// No code was sent yet.
    case started(SignUpDraft)
    /// A code was sent.
    case awaitingCode(SignUpDraft)
    /// The address is proven, and the server itself takes the next step, in the same request: it asks the receivers of
    /// hooks. Clients never see this state.
    case asking(SignUpDraft)
    /// The address is proven; the client must ask for the next challenge.
    case choosingCredential(SignUpDraft)
    /// The address is proven; the client must send a password.
    case awaitingPassword(SignUpDraft)
    /// The address is proven and the credential known; the client must send attributes.
    case awaitingAttributes(SignUpDraft)
    /// The account exists; the token can be redeemed for one sign-in.
    case completed(Authentication)

    /// The operations that a token of this state allows.
    package var allowed: FlowOperations {
        switch self {
        case .started: [.challengeSignUp]
        case .awaitingCode: [.challengeSignUp, .submitSignUpCode, .submitSignUpAttributes]
        case .asking: [.askAboutSignUp]
        case .choosingCredential: [.challengeSignUp]
        case .awaitingPassword: [.challengeSignUp, .submitSignUpPassword]
        case .awaitingAttributes: [.submitSignUpAttributes]
        case .completed: [.redeem]
        }
    }

    /// Whether the flow holds a proof; its tokens then have a shorter lifetime (`SEC-CT-5`).
    package var isProven: Bool {
        switch self {
        case .started, .awaitingCode: false
        case .asking, .choosingCredential, .awaitingPassword, .awaitingAttributes, .completed: true
        }
    }

    /// The data of the pending sign-up; nil when it is over.
    package var draft: SignUpDraft? {
        switch self {
        case .started(let draft), .awaitingCode(let draft), .asking(let draft), .choosingCredential(let draft),
            .awaitingPassword(let draft), .awaitingAttributes(let draft):
            draft
        case .completed: nil
        }
    }

    /// What the user has proven, once the account exists.
    package var authentication: Authentication? {
        switch self {
        case .started, .awaitingCode, .asking, .choosingCredential, .awaitingPassword, .awaitingAttributes: nil
        case .completed(let authentication): authentication
        }
    }
}

/// The data of a sign-up before its account exists. It is stored only in the continuation token (`SEC-ID-9`).
package struct SignUpDraft: Hashable, Sendable, Codable {
    package var email: EmailAddress
    /// The hash of the chosen password; the plain password is never stored.
    package var passwordHash: PasswordHash?
    package var attributes: [String: AttributeValue]
    /// The number of attribute names that the user flow does not define; for the audit trail (`SEC-ATTR-1`).
    package var ignoredAttributes: Int
    /// The client's capabilities, in a fixed order, so that equal drafts make equal tokens (design record 0014).
    package var capabilities: [ClientAbility]
    /// The identity with which the sign-up began, and which the account gets.
    package var identity: VerifiedIdentity?

    package init(
        email: EmailAddress, passwordHash: PasswordHash?, attributes: [String: AttributeValue],
        ignoredAttributes: Int = 0, capabilities: Set<ClientAbility>
    ) {
        self.email = email
        self.passwordHash = passwordHash
        self.attributes = attributes
        self.ignoredAttributes = ignoredAttributes
        self.capabilities = capabilities.sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether the provider has proven the address, so that no code does.
    package var isProvenByProvider: Bool { identity?.mailbox?.key == email.key }

    /// The alias among the attributes.
    package var alias: Alias? {
        guard case .string(let text)? = attributes[AttributeDefinition.aliasName] else { return nil }
        return Alias(text)
    }

    /// The names that the user will sign in with.
    package var identifiers: [LoginIdentifier] {
        [email.identifier] + (alias.map { [$0.identifier] } ?? [])
    }
}
