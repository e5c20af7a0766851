import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The data that every step of a running flow needs. Its description contains neither the user nor the token.
struct Flow: Sendable, CustomStringConvertible, CustomReflectable {
    let client: NativeAuthClient
    let username: String
    var correlationID: UUID
    /// Nil before the first answer, and when the last answer had none.
    var continuationToken: Secret<String>?
    /// The scopes that the app asked for at the start of the sign-in. Every later token request repeats them
    /// (docs/protocol.md §8.3, §8.4).
    var scopes: [String] = []
    /// The claims request of the app, repeated like ``scopes``.
    var claims: String?
    /// Whether the sign-in ignored a given password, because the user signs in with codes.
    var isPasswordUnused = false
    /// How many codes or passwords the server refused on the current step.
    var attempts = 0
    /// Whether the server is asked to leave the second factor out on this device from now on.
    var remembersDevice = false
    /// The signed-in user whose account the flow changes, or whose session its sign-in replaces.
    var homeAccountID: String?

    init(client: NativeAuthClient, username: String, correlationID: UUID?) {
        self.client = client
        self.username = username
        self.correlationID = correlationID ?? client.makeCorrelationID()
    }

    var description: String { "Flow(\(correlationID))" }
    var customMirror: Mirror { Mirror(self, children: ["correlationID": correlationID]) }
    var configuration: NativeAuthConfiguration { client.api.configuration }

    // MARK: Requests

    /// Sends `request` once, or up to `repeats` times more when no answer arrives (`SDK-RETRY-1`).
    mutating func send<Reply: Sendable & Decodable>(
        _ request: some FormRequest, to endpoint: V1Endpoint, as reply: Reply.Type = Reply.self, repeats: Int = 0
    ) async throws(NativeAuthError) -> V1Answer<Reply> {
        guard repeats > 0 else {
            return try await client.api.send(request, to: endpoint, correlationID: &correlationID)
        }
        return try await client.api.sendRepeatably(
            request, to: endpoint, correlationID: &correlationID, repeats: repeats)
    }

    /// The same as ``send(_:to:as:repeats:)``, but every answer except a success ends the step.
    mutating func ask<Reply: Sendable & Decodable>(
        _ endpoint: V1Endpoint, _ request: some FormRequest, repeats: Int = 0,
        refused: (Flow, ErrorReply) -> NativeAuthError = { $0.error($1) }
    ) async throws(NativeAuthError) -> Reply {
        let answer: V1Answer<Reply> = try await send(request, to: endpoint, repeats: repeats)
        switch answer {
        case .success(let reply): return reply
        case .redirect(let reason): throw browserRequired(reason)
        case .refusal(let refusal): throw refused(self, refusal)
        }
    }

    /// Asks a sign-up or a reset for a code, or for the question of the password.
    mutating func challenge(_ endpoint: V1Endpoint) async throws(NativeAuthError) -> ChallengeReply {
        let request = V1.SignUp.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken,
            challengeTypes: configuration.challengeTypeWords)
        return try await ask(endpoint, request)
    }

    /// Stores the token of a reply for the next step; throws without one, because the flow cannot continue.
    mutating func advance(to token: Secret<String>?) throws(NativeAuthError) {
        guard let token, !token.reveal().isEmpty else { throw unexpectedReply() }
        continuationToken = token
        attempts = 0
    }

    /// Accepts a challenge that was answered with a code; throws for any other challenge.
    mutating func takeCode(_ reply: ChallengeReply) throws(NativeAuthError) -> SentCode {
        guard reply.challengeType == .oneTimePasscode else { throw unexpectedChallenge() }
        return try takeCode(
            sentTo: reply.challengeTargetLabel, channel: reply.challengeChannel, length: reply.codeLength,
            interval: reply.interval, rememberableFor: reply.rememberDeviceFor, token: reply.continuationToken)
    }

    mutating func takeCode(
        sentTo: String?, channel: String?, length: Int?, interval: Int?, rememberableFor: Int? = nil,
        token: Secret<String>?
    ) throws(NativeAuthError) -> SentCode {
        guard let sentTo, let channel, let length else { throw unexpectedReply() }
        try advance(to: token)
        return SentCode(
            sentTo: sentTo, channel: channel, length: length, resendInterval: interval, sentAt: configuration.now(),
            rememberableFor: rememberableFor)
    }

    /// Accepts a challenge that was answered with a request for the password; throws for any other challenge.
    mutating func takePassword(_ reply: ChallengeReply) throws(NativeAuthError) {
        guard reply.challengeType == .password else { throw unexpectedChallenge() }
        try advance(to: reply.continuationToken)
    }

    // MARK: Errors

    /// The error mapping that applies at every step.
    func error(_ refusal: ErrorReply, canRetry: Bool = false) -> NativeAuthError {
        let details = details(refusal, canRetry: canRetry)
        return refusal.error == .userNotFound ? .userNotFound(details) : .init(refusal, details: details)
    }

    func details(_ refusal: ErrorReply, canRetry: Bool = false) -> NativeAuthError.Details {
        .init(refusal, correlationID: correlationID, canRetry: canRetry)
    }

    /// The details of an error that was found before any request.
    func local(_ message: String, canRetry: Bool = false) -> NativeAuthError.Details {
        .init(correlationID: correlationID, message: message, canRetry: canRetry)
    }

    func browserRequired(_ reason: String?) -> NativeAuthError {
        var details = NativeAuthError.Details(correlationID: correlationID, message: reason)
        details.browser = BrowserFallback(
            username: username, homeAccountID: homeAccountID, scopes: scopes, claims: claims)
        return .browserRequired(details)
    }

    func unexpectedReply() -> NativeAuthError {
        .unexpectedReply(local(V1Client.unexpectedReply))
    }

    func unexpectedChallenge() -> NativeAuthError {
        .general(local("Unexpected challenge type"))
    }
}

extension ErrorReply {
    var isPasswordRefusal: Bool {
        suberror.map(WireSuberror.passwordRefusals.contains) ?? false
    }

    /// Whether `code` is the first one: clients read no other (docs/protocol.md §14.2).
    func leads(with code: AADSTSCode) -> Bool {
        errorCodes?.first == code.rawValue
    }
}
