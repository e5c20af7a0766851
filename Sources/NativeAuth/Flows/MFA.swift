import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A way to receive a code: as a second factor, or one that can be registered as such.
public struct AuthMethod: Hashable, Sendable {
    /// The server's identifier.
    public let id: String
    /// `oob`; an unknown value survives.
    public let challengeType: String
    /// `email` or `sms`; an unknown value survives.
    public let channel: String
    /// Where the code would go: of a second factor the masked address, of a method to register the address of the account.
    public let loginHint: String?

    init(_ method: IntrospectReply.Method) {
        id = method.id
        challengeType = method.challengeType
        channel = method.challengeChannel
        loginHint = method.loginHint
    }
}

/// The user has to prove a second factor.
public struct MFARequired: Sendable {
    /// What the user can choose from; at least one.
    public let methods: [AuthMethod]
    private let flow: Flow

    fileprivate init(methods: [AuthMethod], flow: Flow) {
        self.methods = methods
        self.flow = flow
    }

    /// Stands in the server's log for this flow.
    public var correlationID: UUID { flow.correlationID }

    /// Sends a code by `method`. May be called again, with another method too.
    ///
    /// - Throws: ``NativeAuthError/authMethodBlocked(_:)``, after which another method may be chosen here;
    ///   ``NativeAuthError/browserRequired(_:)``, ``NativeAuthError/expired(_:)``, and others.
    public func requestChallenge(_ method: AuthMethod) async throws(NativeAuthError) -> MFACodeRequired {
        try await flow.requestMFACode(method, methods: methods)
    }
}

/// The user has to type the code of their second factor.
public struct MFACodeRequired: Sendable {
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

    /// The masked address or number the code went to.
    public var sentTo: String { code.sentTo }
    /// How it was sent: `email` or `sms`.
    public var channel: String { code.channel }
    /// How many characters the code has.
    public var codeLength: Int { code.length }
    /// Seconds to wait before another code may be asked for, if the server says.
    public var resendInterval: Int? { code.resendInterval }
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
            try await flow.account(after: .secondFactor(Secret(code)))
        }
    }

    /// Sends a code again, or by another method.
    ///
    /// - Throws: As ``MFARequired/requestChallenge(_:)``. The code that was sent before may still be submitted here.
    public func requestChallenge(_ method: AuthMethod) async throws(NativeAuthError) -> MFACodeRequired {
        try use.unlessSpent(flow)
        return try await flow.requestMFACode(method, methods: methods)
    }
}

extension Flow {
    /// Asks for the methods of the second factor (native-auth-v1 §4.6).
    func introspectMFA() async throws(NativeAuthError) -> MFARequired {
        var flow = self
        let methods = try await flow.introspect(.signInIntrospect)
        return MFARequired(methods: methods, flow: flow)
    }

    mutating func introspect(_ endpoint: V1Endpoint) async throws(NativeAuthError) -> [AuthMethod] {
        let request = V1.SignIn.IntrospectRequest(
            clientID: configuration.clientID, continuationToken: continuationToken)
        let reply: IntrospectReply = try await ask(endpoint, request)
        guard let methods = reply.methods, !methods.isEmpty else { throw unexpectedReply() }
        try advance(to: reply.continuationToken)
        return methods.map(AuthMethod.init)
    }

    fileprivate func requestMFACode(
        _ method: AuthMethod, methods: [AuthMethod]
    ) async throws(NativeAuthError) -> MFACodeRequired {
        let request = V1.SignIn.ChallengeRequest(
            clientID: configuration.clientID, continuationToken: continuationToken,
            challengeTypes: configuration.challengeTypeWords, id: method.id)
        let (code, flow) = try await requestCode { (flow) async throws(NativeAuthError) in
            try await flow.ask(.signInChallenge, request) { $0.challengeError($1) }
        }
        return MFACodeRequired(methods: methods, code: code, flow: flow)
    }
}
