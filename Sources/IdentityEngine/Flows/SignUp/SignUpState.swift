package import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a sign-up is. Each case carries exactly the data that exists there; nothing else knows the order of the steps.
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
///     awaitingCode --> completed: right code / user
///     awaitingPassword --> completed: password / user
///     awaitingAttributes --> completed: all attributes / user
///     completed --> [*]: redeem / tokens
/// ```
package enum SignUpState: Hashable, Sendable, Codable {
    /// Nothing was sent yet.
    case started(SignUpDraft)
    /// A code is on its way.
    case awaitingCode(SignUpDraft)
    /// The address is proven; the client has to ask how to go on.
    case choosingCredential(SignUpDraft)
    /// The address is proven; a password is wanted.
    case awaitingPassword(SignUpDraft)
    /// The address is proven and the credential known; attributes are wanted.
    case awaitingAttributes(SignUpDraft)
    /// The account exists; the token is worth one sign-in.
    case completed(Authentication)

    /// What a token of this state may be used for.
    package var allowed: FlowOperations {
        switch self {
        case .started: [.challengeSignUp]
        case .awaitingCode: [.challengeSignUp, .submitSignUpCode, .submitSignUpAttributes]
        case .choosingCredential: [.challengeSignUp]
        case .awaitingPassword: [.challengeSignUp, .submitSignUpPassword]
        case .awaitingAttributes: [.submitSignUpAttributes]
        case .completed: [.redeem]
        }
    }

    /// Whether the flow holds a proof; its tokens then live shorter (`SEC-CT-5`).
    package var isProven: Bool {
        switch self {
        case .started, .awaitingCode: false
        case .choosingCredential, .awaitingPassword, .awaitingAttributes, .completed: true
        }
    }

    /// The pending sign-up; nil when it is over.
    package var draft: SignUpDraft? {
        switch self {
        case .started(let draft), .awaitingCode(let draft), .choosingCredential(let draft),
            .awaitingPassword(let draft), .awaitingAttributes(let draft):
            draft
        case .completed: nil
        }
    }

    /// What was proven, once the account exists.
    package var authentication: Authentication? {
        switch self {
        case .started, .awaitingCode, .choosingCredential, .awaitingPassword, .awaitingAttributes: nil
        case .completed(let authentication): authentication
        }
    }
}

/// A sign-up that is not an account yet. It lives in the continuation token and nowhere else (`SEC-ID-9`).
package struct SignUpDraft: Hashable, Sendable, Codable {
    package var email: EmailAddress
    /// Never a plain password.
    package var passwordHash: PasswordHash?
    package var attributes: [String: AttributeValue]
    /// How many names were sent that the flow does not know; for the audit trail (`SEC-ATTR-1`).
    package var ignoredAttributes: Int
    /// In a fixed order, so that equal drafts make equal tokens (decision D10).
    package var capabilities: [Capability]

    package init(
        email: EmailAddress, passwordHash: PasswordHash?, attributes: [String: AttributeValue],
        ignoredAttributes: Int = 0, capabilities: Set<Capability>
    ) {
        self.email = email
        self.passwordHash = passwordHash
        self.attributes = attributes
        self.ignoredAttributes = ignoredAttributes
        self.capabilities = capabilities.sorted { $0.rawValue < $1.rawValue }
    }

    /// The alias among the attributes.
    package var alias: Alias? {
        guard case .string(let text)? = attributes[AttributeDefinition.aliasName] else { return nil }
        return Alias(text)
    }

    /// The names by which the user will sign in.
    package var identifiers: [LoginIdentifier] {
        [email.identifier] + (alias.map { [$0.identifier] } ?? [])
    }
}
