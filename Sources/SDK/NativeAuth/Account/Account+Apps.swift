import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

extension Account {
    /// Begins to add an authenticator app as a second factor: an app on the user's phone shows codes that only the user and the
    /// server can compute (RFC 6238). A user without a password can have one, too.
    ///
    /// After a sign-in with the password alone, a code to the user's own mailbox comes first.
    ///
    /// - Throws: ``AccountError/proofRequired(_:_:)``; ``AccountError/notAllowed(attribute:_:)`` when the tenant offers no such
    ///   apps, or the user has three; and others.
    public func addAuthenticatorApp(
        correlationID: UUID? = nil
    ) async throws(AccountError) -> AuthenticatorAppNext {
        var flow = Flow(client: client, username: username, correlationID: correlationID)
        flow.homeAccountID = homeAccountID
        let reply = try await flow.directoryReply(.addApp, Directory.BeginMethod())
        guard reply.secretKey != nil else {
            return .codeRequired(OwnMailboxCodeRequired(state: try OwnMailboxCodeState(accepting: reply, flow)))
        }
        return .keyRequired(AuthenticatorAppRequired(state: try AuthenticatorAppState(reply, flow)))
    }
}

/// The next step of an authenticator app that is being added.
@frozen
public enum AuthenticatorAppNext: ~Copyable, Sendable {
    /// A code was sent to the user's own mailbox.
    case codeRequired(OwnMailboxCodeRequired)
    /// Show the user the key, for the authenticator app, and ask for the code that it shows then.
    case keyRequired(AuthenticatorAppRequired)
}

/// The key of an authenticator app. It is shown to the user once, and never again. Its description is redacted
/// (`SEC-TOTP-8`).
public struct AuthenticatorKey: Hashable, Sendable, Codable {
    /// Base32 without padding, for users who type it.
    public let key: String
    /// An address of the scheme `otpauth`, for a QR code; on the device itself, opening it adds the key to the app.
    public let url: URL
    /// The number of digits of the app's codes.
    public let codeLength: Int

    init?(_ reply: Directory.CodeSent) {
        self.init(reply.secretKey, at: reply.keyUri, codeLength: reply.codeLength)
    }

    /// The key as a server gives it; nil when a part is missing, or `address` is no URL.
    init?(_ key: String?, at address: String?, codeLength: Int?) {
        guard let key, let url = address.flatMap({ URL(string: $0) }), let codeLength else { return nil }
        self.key = key
        self.url = url
        self.codeLength = codeLength
    }

    /// The code of the app, as one that the user is asked for.
    package var code: SentCode {
        SentCode(
            sentTo: "Authenticator app", channel: "totp", length: codeLength, resendInterval: nil,
            sentAt: Date(timeIntervalSince1970: 0))
    }

    /// The key in groups of four, as people read it.
    public var groupedKey: String {
        let characters = Array(key)
        return stride(from: 0, to: characters.count, by: 4).map {
            String(characters[$0..<min($0 + 4, characters.count)])
        }.joined(separator: " ")
    }
}

extension AuthenticatorKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "AuthenticatorKey(\(codeLength) digits)" }
    public var customMirror: Mirror { Mirror(self, children: ["codeLength": codeLength]) }
}

// MARK: - The steps

/// The user must type the code that went to the user's own mailbox, before the key is shown.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct OwnMailboxCodeRequired: ~Copyable, FlowStep, StateStep {
    let state: OwnMailboxCodeState<AuthenticatorAppState>

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code.
    ///
    /// - Throws: ``AccountError``: begin again.
    public consuming func submit(
        code: String
    ) async throws(AccountError) -> Outcome<Self, AuthenticatorAppRequired> {
        try await outcome(or: AccountError.self) { (state) async throws(NativeAuthError) in
            AuthenticatorAppRequired(state: try await state.submit(code: code))
        }
    }

    /// Sends a new code to the same mailbox. A server that is asked too soon sends none: the newest code in the mail is
    /// valid.
    ///
    /// - Throws: ``AccountError``: begin again.
    public consuming func resend() async throws(AccountError) -> Outcome<Self, Self> {
        try await outcome(or: AccountError.self) { (state) async throws(NativeAuthError) in
            Self(state: try await state.resend())
        }
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(.ownMailboxCode, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .ownMailboxCode) }
    init(state: OwnMailboxCodeState<AuthenticatorAppState>) { self.state = state }
}

/// The user must add the key to an authenticator app, and type the code that the app shows. Until then nothing has changed.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct AuthenticatorAppRequired: ~Copyable, FlowStep, StateStep {
    let state: AuthenticatorAppState

    /// The key to show to the user.
    public var info: AuthenticatorKey { state.key }

    /// Submits a code of the app, which adds the app. The code is spent: the next sign-in needs another one, at most 30 seconds
    /// later.
    ///
    /// - Throws: ``AccountError``: the app was not added; begin again.
    public consuming func submit(code: String) async throws(AccountError) -> Outcome<Self, Void> {
        try await outcome(or: AccountError.self) { (state) async throws(NativeAuthError) in
            try await state.submit(code: code)
        }
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(.authenticatorApp, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .authenticatorApp) }
    init(state: AuthenticatorAppState) { self.state = state }
}

/// The copyable form of ``AuthenticatorAppRequired``.
struct AuthenticatorAppState: AfterOwnMailbox {
    static let addition = DirectoryOperation.addApp
    static let confirmation = DirectoryOperation.confirmApp

    let key: AuthenticatorKey
    var flow: Flow
    let use = StepUse()

    init(_ reply: Directory.CodeSent, _ flow: Flow) throws(AccountError) {
        guard let key = AuthenticatorKey(reply) else { throw AccountError(flow.unexpectedReply()) }
        var flow = flow
        do throws(NativeAuthError) {
            try flow.advance(to: Secret(reply.continuationToken))
        } catch {
            throw AccountError(error)
        }
        self.key = key
        self.flow = flow
    }

    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let key = fields.authenticatorKey, flow.homeAccountID != nil else { return nil }
        self.key = key
        self.flow = flow
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.authenticatorKey = key
    }

    func submit(code: String) async throws(NativeAuthError) {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) in
            do throws(AccountError) {
                let asked = Directory.ConfirmContact(
                    continuationToken: flow.continuationToken?.reveal() ?? "", code: code.reveal())
                try await flow.directoryChange(.confirmApp, asked)
            } catch {
                throw error.asNativeAuthError
            }
        }
    }
}
