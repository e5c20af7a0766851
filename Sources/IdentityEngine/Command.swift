package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a client asks of a flow, free of any wire's words.
package enum Command: Sendable {
    case startSignUp(SignUpApplication)
    /// Send a code, or say that a password is wanted. `accepted` is what the client can handle; nil when it did not say.
    case challengeSignUp(ContinuationToken, accepted: Set<ChallengeType>?)
    case submitSignUpCode(ContinuationToken, code: Secret<String>)
    case submitSignUpPassword(ContinuationToken, password: Secret<String>)
    case submitSignUpAttributes(ContinuationToken, SubmittedAttributes)
    /// Exchange the token of a finished flow for tokens.
    case redeem(ContinuationToken, scopes: [String])
    /// Exchange a refresh token. Empty scopes stand for those of the sign-in (RFC 6749 section 6).
    case refresh(Secret<String>, scopes: [String])
}

/// What a client sends to start a sign-up.
package struct SignUpApplication: Sendable {
    package var username: String
    package var password: Secret<String>?
    package var attributes: SubmittedAttributes
    package var accepted: Set<ChallengeType>
    package var capabilities: Set<Capability>

    package init(
        username: String, password: Secret<String>?, attributes: SubmittedAttributes, accepted: Set<ChallengeType>,
        capabilities: Set<Capability>
    ) {
        self.username = username
        self.password = password
        self.attributes = attributes
        self.accepted = accepted
        self.capabilities = capabilities
    }
}

/// Attributes as they came: well-formed, not yet judged.
package struct SubmittedAttributes: Sendable {
    /// Nil for a value that is no scalar, or a number that is none of ours.
    package var values: [(name: String, value: AttributeValue?)]

    package init(_ values: [(name: String, value: AttributeValue?)] = []) {
        self.values = values
    }
}

/// Who asks, when, and in which language.
package struct CommandContext: Sendable {
    /// The first segment of the path: id, domain or subdomain.
    package var tenantName: String
    package var client: ClientID
    package var language: MailLanguage
    package var trace: Trace

    /// The one reading of the clock for this request (decision D10).
    package var now: Date { trace.at }

    package init(tenantName: String, client: ClientID, language: MailLanguage, trace: Trace) {
        self.tenantName = tenantName
        self.client = client
        self.language = language
        self.trace = trace
    }
}
