import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The user has to register a strong authentication method before they are signed in.
public struct RegistrationRequired: Sendable {
    /// What the user can choose from; at least one.
    public let methods: [AuthMethod]
    private let flow: Flow

    fileprivate init(methods: [AuthMethod], flow: Flow) {
        self.methods = methods
        self.flow = flow
    }

    /// Stands in the server's log for this flow.
    public var correlationID: UUID { flow.correlationID }

    /// Sends a code to `contact`, or signs in at once if the contact was verified a moment ago. May be called again, with
    /// another method or contact too.
    ///
    /// - Parameters:
    ///   - method: One of ``methods``.
    ///   - contact: The e-mail address or telephone number, such as the method's ``AuthMethod/loginHint``.
    /// - Throws: ``NativeAuthError/invalidInput(_:)`` or ``NativeAuthError/verificationContactBlocked(_:)``, after which
    ///   another contact may be given here; ``NativeAuthError/browserRequired(_:)``, and others.
    public func requestChallenge(
        _ method: AuthMethod, contact: String
    ) async throws(NativeAuthError) -> RegistrationStep {
        try await flow.requestRegistrationCode(method, contact: contact, methods: methods)
    }
}

/// What comes after the choice of a method to register.
public enum RegistrationStep: Sendable {
    /// A code was sent to the contact.
    case codeRequired(RegistrationCodeRequired)
    /// The contact had been verified already: the user is signed in.
    case completed(Account)
}

/// The user has to type the code that was sent to the contact.
public struct RegistrationCodeRequired: Sendable {
    /// What the user can choose from.
    public let methods: [AuthMethod]
    private let code: SentCode
    private let flow: Flow
    private let use = StepUse()

    fileprivate init(methods: [AuthMethod], code: SentCode, flow: Flow) {
        self.methods = methods
        self.code = code
        self.flow = flow
    }

    /// The contact the code went to, not masked.
    public var sentTo: String { code.sentTo }
    /// How it was sent: `email` or `sms`.
    public var channel: String { code.channel }
    /// How many characters the code has.
    public var codeLength: Int { code.length }
    /// Stands in the server's log for this flow.
    public var correlationID: UUID { flow.correlationID }

    /// Submits the code, and asks for tokens with the scopes and claims that the sign-in began with.
    ///
    /// - Throws: ``NativeAuthError/incorrectCode(_:)``, after which another code may be submitted here;
    ///   ``NativeAuthError/mfaRequired(_:)`` or ``NativeAuthError/registrationRequired(_:)`` when the server wants yet
    ///   another factor; ``NativeAuthError/expired(_:)``, ``NativeAuthError/browserRequired(_:)``, and others.
    public func submit(code: String) async throws(NativeAuthError) -> Account {
        guard !code.isEmpty else { throw .incorrectCode(flow.local("The code is empty.", canRetry: true)) }
        return try await use.once(flow) { () async throws(NativeAuthError) in
            try await flow.completeRegistration(.oob, oob: Secret(code))
        }
    }

    /// Sends a code again, or to another contact.
    ///
    /// - Throws: As ``RegistrationRequired/requestChallenge(_:contact:)``. The code that was sent before may still be
    ///   submitted here.
    public func requestChallenge(
        _ method: AuthMethod, contact: String
    ) async throws(NativeAuthError) -> RegistrationStep {
        try use.unlessSpent(flow)
        return try await flow.requestRegistrationCode(method, contact: contact, methods: methods)
    }
}

extension Flow {
    /// Asks for the methods that can be registered (native-auth-v1 §4.9.1).
    func introspectRegistration() async throws(NativeAuthError) -> RegistrationRequired {
        var flow = self
        let methods = try await flow.introspect(.registerIntrospect)
        return RegistrationRequired(methods: methods, flow: flow)
    }

    fileprivate func requestRegistrationCode(
        _ method: AuthMethod, contact: String, methods: [AuthMethod]
    ) async throws(NativeAuthError) -> RegistrationStep {
        guard !contact.isEmpty else { throw .invalidInput(local("The contact is empty.", canRetry: true)) }
        var flow = self
        let request = V1.Register.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken,
            challengeType: method.challengeType, challengeTarget: contact, challengeChannel: method.channel)
        let reply = try await flow.challengeRegistration(request)
        switch reply.challengeType {
        case ChallengeType.oneTimePasscode.rawValue:
            do throws(NativeAuthError) {
                let code = try flow.takeCode(
                    sentTo: reply.challengeTarget, channel: reply.challengeChannel, length: reply.codeLength,
                    interval: reply.interval, token: reply.continuationToken)
                return .codeRequired(RegistrationCodeRequired(methods: methods, code: code, flow: flow))
            } catch {
                throw error.with(canRetry: true)
            }
        case V1.Register.ChallengeReply.preverified:
            try flow.advance(to: reply.continuationToken)
            do throws(NativeAuthError) {
                return .completed(try await flow.completeRegistration(.continuationToken))
            } catch {
                // The contact is spent, and with it the token of this step (sdk-surface §3.7).
                throw error.with(canRetry: false)
            }
        case _:
            throw flow.unexpectedChallenge().with(canRetry: true)
        }
    }

    private mutating func challengeRegistration(
        _ request: V1.Register.ChallengeRequest
    ) async throws(NativeAuthError) -> V1.Register.ChallengeReply {
        do throws(NativeAuthError) {
            return try await ask(.registerChallenge, request) { $0.registrationError($1) }
        } catch {
            if case .browserRequired = error { throw error }
            throw error.with(canRetry: true)
        }
    }

    /// Submits the code, or nothing for a contact that was verified before, and asks for tokens (native-auth-v1 §4.9.3).
    fileprivate func completeRegistration(
        _ grant: GrantType, oob: Secret<String>? = nil
    ) async throws(NativeAuthError) -> Account {
        var flow = self
        let request = V1.Register.ContinueRequest(
            clientID: configuration.clientID, continuationToken: continuationToken, grantType: grant, oob: oob)
        do throws(NativeAuthError) {
            let reply: ContinuationReply = try await flow.ask(.registerContinue, request) { flow, refusal in
                let isCodeWrong = refusal.error == .invalidGrant && refusal.suberror == .invalidOOBValue
                return isCodeWrong && grant == .oob
                    ? .incorrectCode(flow.details(refusal)) : flow.error(refusal)
            }
            try flow.advance(to: reply.continuationToken)
        } catch {
            if case .browserRequired = error { throw error }
            throw error.with(canRetry: true)
        }
        return try await flow.account(after: .registration)
    }

    /// The rules of the choice of a contact (native-auth-v1 §4.9.2).
    private func registrationError(_ refusal: ErrorReply) -> NativeAuthError {
        switch (refusal.error, refusal.suberror) {
        case (.accessDenied, .providerBlockedByReputation):
            .verificationContactBlocked(details(refusal))
        case (.invalidRequest, _) where (refusal.errorCodes ?? []).contains(AADSTSCode.contactInvalid.rawValue):
            .invalidInput(details(refusal))
        case (_, _):
            error(refusal)
        }
    }
}
