public import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension NativeAuthClient {
    /// Begins to sign a user up, and sends them a code.
    ///
    /// - Parameters:
    ///   - username: The e-mail address.
    ///   - password: The password, if the app signs users up with one. It may also be given later.
    ///   - attributes: Attributes by their programmable names. What is missing is asked for later.
    ///   - correlationID: Stands in the server's log for the whole flow; nil for a new one.
    /// - Returns: The next step: the code.
    /// - Throws: ``NativeAuthError/userAlreadyExists(_:)``, ``NativeAuthError/invalidUsername(_:)``,
    ///   ``NativeAuthError/invalidPassword(_:)``, ``NativeAuthError/invalidAttributes(names:_:)``,
    ///   ``NativeAuthError/browserRequired(_:)``, and others.
    public func signUp(
        username: String, password: String? = nil, attributes: [String: AttributeValue] = [:],
        correlationID: UUID? = nil
    ) async throws(NativeAuthError) -> SignUpCodeRequired {
        var flow = SignUpFlow(
            client: self, username: username, correlationID: correlationID ?? api.configuration.makeCorrelationID())
        guard !username.isEmpty else { throw .invalidUsername(flow.local("The username is empty.")) }
        guard password?.isEmpty != true else { throw .invalidPassword(flow.local("The password is empty.")) }

        let request = V1.SignUp.StartRequest(
            clientID: api.configuration.clientID, username: username, password: password.map { Secret($0) },
            attributes: attributes.isEmpty ? nil : AttributesJSON.encode(attributes),
            challengeTypes: api.configuration.challengeTypeWords, capabilities: api.configuration.capabilityWords)
        let answer = try await flow.send(request, to: .signUpStart, as: ContinuationReply.self)
        switch answer {
        case .success(let reply):
            try flow.advance(to: reply.continuationToken)
        case .redirect(let reason):
            throw flow.browserRequired(reason)
        case .refusal(let refusal):
            throw flow.startError(refusal)
        }
        return try await flow.requestCode(isResend: false)
    }
}

/// The user has to type the code they were sent.
public struct SignUpCodeRequired: Sendable {
    /// The masked address the code went to.
    public let sentTo: String
    /// How it was sent: `email` or `sms`.
    public let channel: String
    /// How many characters the code has.
    public let codeLength: Int
    /// Seconds to wait before another code may be asked for, if the server says.
    public let resendInterval: Int?
    fileprivate let flow: SignUpFlow

    /// Stands in the server's log for this flow.
    public var correlationID: UUID { flow.correlationID }

    /// Submits the code.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code may be submitted here;
    ///   ``NativeAuthError/invalidPassword(_:)`` for a password given at the start; ``NativeAuthError/expired(_:)``,
    ///   ``NativeAuthError/userAlreadyExists(_:)``, ``NativeAuthError/browserRequired(_:)``, and others.
    public func submit(code: String) async throws(NativeAuthError) -> SignUpStep {
        guard !code.isEmpty else { throw .incorrectCode(flow.local("The code is empty.", canRetry: true)) }
        return try await flow.proceed(.oob, oob: Secret(code))
    }

    /// Sends a new code; the old one is worthless then.
    ///
    /// - Returns: The same step for the new code.
    public func resend() async throws(NativeAuthError) -> SignUpCodeRequired {
        try await flow.requestCode(isResend: true)
    }
}

/// What comes after a step of sign-up.
public enum SignUpStep: Sendable {
    /// A password is asked for.
    case passwordRequired(SignUpPasswordRequired)
    /// Attributes are asked for.
    case attributesRequired(SignUpAttributesRequired)
    /// The account exists.
    case completed(SignUpCompleted)
}

/// The user has to choose a password.
public struct SignUpPasswordRequired: Sendable {
    fileprivate let flow: SignUpFlow

    /// Stands in the server's log for this flow.
    public var correlationID: UUID { flow.correlationID }

    /// Submits the password, byte for byte.
    ///
    /// - Throws: ``NativeAuthError/invalidPassword(_:)``, after which another one may be submitted here;
    ///   ``NativeAuthError/expired(_:)``, ``NativeAuthError/browserRequired(_:)``, and others.
    public func submit(password: String) async throws(NativeAuthError) -> SignUpStep {
        guard !password.isEmpty else {
            throw .invalidPassword(flow.local("The password is empty.", canRetry: true))
        }
        return try await flow.proceed(.password, password: Secret(password))
    }
}

/// The user has to give attributes.
public struct SignUpAttributesRequired: Sendable {
    /// What the server asks for.
    public let required: [RequiredAttribute]
    fileprivate let flow: SignUpFlow

    /// Stands in the server's log for this flow.
    public var correlationID: UUID { flow.correlationID }

    /// Submits attributes by their programmable names.
    ///
    /// - Throws: ``NativeAuthError/invalidAttributes(names:_:)``, after which others may be submitted here;
    ///   ``NativeAuthError/userAlreadyExists(_:)`` for a taken alias, ``NativeAuthError/expired(_:)``, and others.
    public func submit(_ attributes: [String: AttributeValue]) async throws(NativeAuthError) -> SignUpStep {
        try await flow.proceed(.attributes, attributes: AttributesJSON.encode(attributes))
    }
}

/// The account exists.
public struct SignUpCompleted: Sendable {
    fileprivate let flow: SignUpFlow

    /// Stands in the server's log for this flow.
    public var correlationID: UUID { flow.correlationID }
    /// The e-mail address the user signed up with.
    public var username: String { flow.username }
    /// Whether ``signIn(scopes:claims:)`` can work: whether the server gave a token for it.
    public var isSignInAvailable: Bool { flow.continuationToken != nil }

    /// Signs the new user in without asking them again.
    ///
    /// - Parameters:
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are added.
    ///   - claims: A claims request: JSON as text.
    /// - Throws: ``NativeAuthError/notAvailable(_:)`` without a request when ``isSignInAvailable`` is false;
    ///   ``NativeAuthError/browserRequired(_:)``, ``NativeAuthError/expired(_:)``, and others.
    public func signIn(scopes: [String] = [], claims: String? = nil) async throws(NativeAuthError) -> Account {
        try await flow.signIn(scopes: scopes, claims: claims)
    }
}

/// A running sign-up: what every step of it needs. Prints neither the user nor the token.
private struct SignUpFlow: Sendable, CustomStringConvertible, CustomReflectable {
    let client: NativeAuthClient
    let username: String
    var correlationID: UUID
    /// Nil before the first answer, and when the last answer had none.
    var continuationToken: Secret<String>?

    var description: String { "SignUpFlow(\(correlationID))" }
    var customMirror: Mirror { Mirror(self, children: ["correlationID": correlationID]) }
    private var configuration: NativeAuthConfiguration { client.api.configuration }

    // MARK: Steps

    mutating func send<Reply: Decodable>(
        _ request: some FormRequest, to endpoint: V1Endpoint, as reply: Reply.Type
    ) async throws(NativeAuthError) -> Answer<Reply> {
        try await client.api.send(request, to: endpoint, correlationID: &correlationID)
    }

    /// Takes the token of a reply that the flow cannot go on without.
    mutating func advance(to token: Secret<String>?) throws(NativeAuthError) {
        guard let token, !token.reveal().isEmpty else { throw unexpectedReply() }
        continuationToken = token
    }

    private mutating func challenge() async throws(NativeAuthError) -> Answer<ChallengeReply> {
        let request = V1.SignUp.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken,
            challengeTypes: configuration.challengeTypeWords)
        return try await send(request, to: .signUpChallenge, as: ChallengeReply.self)
    }

    func requestCode(isResend: Bool) async throws(NativeAuthError) -> SignUpCodeRequired {
        var flow = self
        switch try await flow.challenge() {
        case .success(let reply):
            guard reply.challengeType == .oneTimePasscode else { throw flow.unexpectedChallenge() }
            guard let sentTo = reply.challengeTargetLabel, let channel = reply.challengeChannel,
                let codeLength = reply.codeLength
            else { throw flow.unexpectedReply() }
            try flow.advance(to: reply.continuationToken)
            return SignUpCodeRequired(
                sentTo: sentTo, channel: channel, codeLength: codeLength, resendInterval: reply.interval, flow: flow)
        case .redirect(let reason):
            throw flow.browserRequired(reason)
        case .refusal(let refusal):
            // After a refused resend the code that was sent before still counts (native-auth-v1 §8.6).
            let known: Set<WireErrorCode> = [
                .invalidRequest, .unauthorizedClient, .unsupportedChallengeType, .expiredToken,
            ]
            throw flow.error(refusal, canRetry: isResend && known.contains(refusal.error))
        }
    }

    func proceed(
        _ grant: GrantType, oob: Secret<String>? = nil, password: Secret<String>? = nil, attributes: String? = nil
    ) async throws(NativeAuthError) -> SignUpStep {
        var flow = self
        let request = V1.SignUp.ContinueRequest(
            clientID: configuration.clientID, continuationToken: continuationToken, grantType: grant, oob: oob,
            password: password, attributes: attributes)
        switch try await flow.send(request, to: .signUpContinue, as: ContinuationReply.self) {
        case .success(let reply):
            // The vendor's service may leave the token out here (native-auth-v1 §16, row 18).
            flow.continuationToken = reply.continuationToken.flatMap { $0.reveal().isEmpty ? nil : $0 }
            return .completed(SignUpCompleted(flow: flow))
        case .redirect(let reason):
            throw flow.browserRequired(reason)
        case .refusal(let refusal) where refusal.error == .credentialRequired && grant == .oob:
            try flow.advance(to: refusal.continuationToken)
            return try await flow.requestPassword()
        case .refusal(let refusal) where refusal.error == .attributesRequired:
            guard let required = refusal.requiredAttributes, !required.isEmpty else { throw flow.unexpectedReply() }
            try flow.advance(to: refusal.continuationToken)
            return .attributesRequired(SignUpAttributesRequired(required: required, flow: flow))
        case .refusal(let refusal):
            throw flow.continueError(refusal, grant: grant)
        }
    }

    private mutating func requestPassword() async throws(NativeAuthError) -> SignUpStep {
        switch try await challenge() {
        case .success(let reply):
            guard reply.challengeType == .password else { throw unexpectedChallenge() }
            try advance(to: reply.continuationToken)
            return .passwordRequired(SignUpPasswordRequired(flow: self))
        case .redirect(let reason):
            throw browserRequired(reason)
        case .refusal(let refusal):
            throw error(refusal)
        }
    }

    func signIn(scopes: [String], claims: String?) async throws(NativeAuthError) -> Account {
        guard let continuationToken else {
            throw .notAvailable(local("Sign-in is not available at this point; use the standalone sign-in."))
        }
        var flow = self
        let requested = OIDCScopes.requesting(scopes)
        let request = V1.TokenRequest(
            clientID: configuration.clientID, grantType: .continuationToken, continuationToken: continuationToken,
            scopes: requested, username: username, challengeTypes: configuration.challengeTypeWords,
            clientInfo: "true", claims: claims)
        switch try await flow.send(request, to: .token, as: TokenReply.self) {
        case .success(let reply):
            guard let session = client.sessions.start(with: reply, requested: requested, username: username) else {
                throw flow.unexpectedReply()
            }
            return Account(session, client: client)
        case .redirect(let reason):
            throw flow.browserRequired(reason)
        case .refusal(let refusal):
            let needsToken = refusal.suberror == .mfaRequired || refusal.suberror == .registrationRequired
            if refusal.error == .invalidGrant, needsToken { try flow.advance(to: refusal.continuationToken) }
            throw flow.error(refusal)
        }
    }

    // MARK: Errors

    /// The rules of the first step (native-auth-v1 §4.1).
    func startError(_ refusal: ErrorReply) -> NativeAuthError {
        let details = details(refusal)
        switch refusal.error {
        case .invalidRequest
        where refusal.errorCodes?.first == AADSTSCode.parameterEmptyOrInvalid.rawValue
            && (refusal.errorDescription ?? "").contains(AADSTSCode.usernamePhrase):
            return .invalidUsername(details)
        case .invalidGrant where refusal.isPasswordRefusal:
            return .invalidPassword(details)
        case .invalidGrant where refusal.suberror == .attributeValidationFailed:
            return refusal.namesOfInvalidAttributes.map { .invalidAttributes(names: $0, details) } ?? .general(details)
        case _:
            return error(refusal)
        }
    }

    /// The rules of every later step (native-auth-v1 §4.3). What the user can mend leaves the state usable.
    private func continueError(_ refusal: ErrorReply, grant: GrantType) -> NativeAuthError {
        guard refusal.error == .invalidGrant else {
            let isIncomplete = refusal.error == .credentialRequired && refusal.continuationToken == nil
            return isIncomplete ? unexpectedReply() : error(refusal)
        }
        if refusal.suberror == .invalidOOBValue {
            return grant == .oob
                ? .incorrectCode(details(refusal, canRetry: true))
                : .general(details(refusal, canRetry: grant == .password))
        }
        if refusal.isPasswordRefusal, grant != .attributes {
            return .invalidPassword(details(refusal, canRetry: true))
        }
        if refusal.suberror == .attributeValidationFailed {
            guard let names = refusal.namesOfInvalidAttributes else { return unexpectedReply() }
            return .invalidAttributes(names: names, details(refusal, canRetry: grant == .attributes))
        }
        return error(refusal)
    }

    func error(_ refusal: ErrorReply, canRetry: Bool = false) -> NativeAuthError {
        .init(refusal, details: details(refusal, canRetry: canRetry))
    }

    func local(_ message: String, canRetry: Bool = false) -> NativeAuthError.Details {
        .init(correlationID: correlationID, message: message, canRetry: canRetry)
    }

    func browserRequired(_ reason: String?) -> NativeAuthError {
        .browserRequired(.init(correlationID: correlationID, message: reason))
    }

    private func details(_ refusal: ErrorReply, canRetry: Bool = false) -> NativeAuthError.Details {
        .init(refusal, correlationID: correlationID, canRetry: canRetry)
    }

    private func unexpectedReply() -> NativeAuthError {
        .unexpectedReply(local(V1Client.unexpectedReply))
    }

    private func unexpectedChallenge() -> NativeAuthError {
        .general(local("Unexpected challenge type"))
    }
}

extension ErrorReply {
    fileprivate var isPasswordRefusal: Bool {
        suberror.map(WireSuberror.passwordRefusals.contains) ?? false
    }

    /// Nil when the server named none.
    fileprivate var namesOfInvalidAttributes: [String]? {
        guard let invalidAttributes, !invalidAttributes.isEmpty else { return nil }
        return invalidAttributes.map(\.name)
    }
}
