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

    /// Stores the token of a reply; throws without one, because the flow cannot continue.
    mutating func advance(to token: Secret<String>?) throws(NativeAuthError) {
        guard let token, !token.reveal().isEmpty else { throw unexpectedReply() }
        continuationToken = token
    }

    /// Accepts a challenge that was answered with a code; throws for any other challenge.
    mutating func takeCode(_ reply: ChallengeReply) throws(NativeAuthError) -> SentCode {
        guard reply.challengeType == .oneTimePasscode else { throw unexpectedChallenge() }
        return try takeCode(
            sentTo: reply.challengeTargetLabel, channel: reply.challengeChannel, length: reply.codeLength,
            interval: reply.interval, token: reply.continuationToken)
    }

    mutating func takeCode(
        sentTo: String?, channel: String?, length: Int?, interval: Int?, token: Secret<String>?
    ) throws(NativeAuthError) -> SentCode {
        guard let sentTo, let channel, let length else { throw unexpectedReply() }
        try advance(to: token)
        return SentCode(
            sentTo: sentTo, channel: channel, length: length, resendInterval: interval, sentAt: configuration.now())
    }

    /// Accepts a challenge that was answered with a request for the password; throws for any other challenge.
    mutating func takePassword(_ reply: ChallengeReply) throws(NativeAuthError) {
        guard reply.challengeType == .password else { throw unexpectedChallenge() }
        try advance(to: reply.continuationToken)
    }

    /// Asks for another code from a step that does not need it. After an error the step can be used again, and the
    /// earlier code stays valid (docs/protocol.md §8.6), except when the server now requires something other than a
    /// code.
    func requestCode(
        _ challenge: (inout Flow) async throws(NativeAuthError) -> ChallengeReply
    ) async throws(NativeAuthError) -> (SentCode, Flow) {
        var flow = self
        do throws(NativeAuthError) {
            let reply = try await challenge(&flow)
            if reply.challengeType == .oneTimePasscode { return (try flow.takeCode(reply), flow) }
        } catch {
            throw error.with(canRetry: true)
        }
        throw flow.unexpectedChallenge()
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
        .browserRequired(.init(correlationID: correlationID, message: reason))
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

/// Allows one call of a step at a time, and none after a call that succeeded (`SDK-STATE-1`). Copies of a step share
/// it.
final class StepUse: Sendable {
    private enum State: Sendable {
        case free, busy, spent
    }

    private let state = Locked(State.free)
    private let isSending = Locked(false)

    /// Runs `body`, the call of the step. After an error the step can be called again.
    ///
    /// - Throws: ``NativeAuthError/stateAlreadyUsed(_:)`` without running `body`, or the error of `body`.
    func once<Next: Sendable>(
        _ flow: Flow, _ body: () async throws(NativeAuthError) -> Next
    ) async throws(NativeAuthError) -> Next {
        let isFree = state.withLock { state in
            guard state == .free else { return false }
            state = .busy
            return true
        }
        guard isFree else { throw alreadyUsed(flow) }
        do throws(NativeAuthError) {
            let next = try await body()
            state.withLock { $0 = .spent }
            return next
        } catch {
            state.withLock { $0 = .free }
            throw error
        }
    }

    /// Runs `body`, a call that does not spend the step, such as sending another code. One such call runs at a time, so
    /// that a double tap sends one mail. It may run while a code is being checked, which servers tolerate
    /// (docs/protocol.md §8.6), but not after the step has succeeded.
    ///
    /// - Throws: ``NativeAuthError/stateAlreadyUsed(_:)`` without running `body`, or the error of `body`.
    func withoutConsuming<Next: Sendable>(
        _ flow: Flow, _ body: () async throws(NativeAuthError) -> Next
    ) async throws(NativeAuthError) -> Next {
        guard state.withLock({ $0 != .spent }) else { throw alreadyUsed(flow) }
        let isAlone = isSending.withLock { isSending in
            defer { isSending = true }
            return !isSending
        }
        guard isAlone else { throw alreadyUsed(flow).with(canRetry: true) }
        defer { isSending.withLock { $0 = false } }
        return try await body()
    }

    private func alreadyUsed(_ flow: Flow) -> NativeAuthError {
        .stateAlreadyUsed(flow.local("This step has succeeded, or is under way."))
    }
}
