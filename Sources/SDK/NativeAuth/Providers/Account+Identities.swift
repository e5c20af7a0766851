import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

extension Account {
    /// Begins to link the user's account at a provider. After that the user can also sign in with it.
    ///
    /// A code to the user's own mailbox comes first, unless the user has just signed in by such a code or with two factors. A token
    /// that was refreshed since does not count. ``remove(_:correlationID:)`` unlinks it.
    ///
    /// - Parameter provider: The provider's id in the tenant of the server, such as `apple` (docs/operate/providers.md).
    /// - Throws: ``AccountError/proofRequired(_:_:)``; ``AccountError/notAllowed(attribute:_:)`` when the user has five such accounts;
    ///   ``AccountError/invalidAttribute(_:_:)`` when the tenant has no such provider for apps; and others.
    public func addIdentity(
        at provider: String, correlationID: UUID? = nil
    ) async throws(AccountError) -> IdentityNext {
        var flow = Flow(client: client, username: username, correlationID: correlationID)
        flow.homeAccountID = homeAccountID
        let reply = try await flow.directoryReply(.addIdentity, Directory.BeginIdentity(provider: provider))
        guard reply.nonce != nil else {
            return .codeRequired(IdentityMailboxCodeRequired(state: try OwnMailboxCodeState(accepting: reply, flow)))
        }
        return .identityRequired(NewIdentityRequired(state: try NewIdentityState(reply, flow)))
    }
}

/// The next step of an account at a provider that is being linked.
@frozen
public enum IdentityNext: ~Copyable, Sendable {
    /// A code was sent to the user's own mailbox.
    case codeRequired(IdentityMailboxCodeRequired)
    /// Let the provider sign its user in.
    case identityRequired(NewIdentityRequired)
}

/// The user must type the code that went to the user's own mailbox, before the provider is asked.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct IdentityMailboxCodeRequired: ~Copyable, FlowStep, StateStep {
    let state: OwnMailboxCodeState<NewIdentityState>

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code.
    ///
    /// - Throws: ``AccountError``: begin again.
    public consuming func submit(code: String) async throws(AccountError) -> Outcome<Self, NewIdentityRequired> {
        try await outcome(or: AccountError.self) { (state) async throws(NativeAuthError) in
            NewIdentityRequired(state: try await state.submit(code: code))
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
    public var content: StepContent { StepContent(.identityMailboxCode, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .identityMailboxCode) }
    init(state: OwnMailboxCodeState<NewIdentityState>) { self.state = state }
}

/// The provider must sign its user in. Until the server has accepted its token nothing has changed.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct NewIdentityRequired: ~Copyable, FlowStep, StateStep {
    let state: NewIdentityState

    /// There is nothing to show.
    public var info: Void { () }

    /// Lets the provider sign its user in, and links that account.
    ///
    /// - Parameter provider: The provider that the addition began with.
    /// - Throws: ``AccountError``: the account was not linked; begin again. ``AccountError/nameTaken(_:_:)``: it is linked to
    ///   another user.
    public consuming func link(
        with provider: some IdentityTokenProvider
    ) async throws(AccountError) -> Outcome<Self, Void> {
        let state = state
        do throws(IdentityFailure) {
            try await state.link(with: provider)
            return .next(())
        } catch {
            switch error {
            case .refused(let refusal): return .retry(Self(state: state), refusal)
            case .request(.userAlreadyExists(let details)): throw .nameTaken("identities", details)
            case .request(let error): throw AccountError(error)
            }
        }
    }

    public typealias Refusal = IdentityRefusal
    public var content: StepContent { StepContent(.newIdentity, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .newIdentity) }
    init(state: NewIdentityState) { self.state = state }
}

/// Why an account at a provider was not linked. The step stays usable.
public enum IdentityRefusal: NativeAuthFailure {
    /// The provider gave no token, for example because the user closed its sheet.
    case provider(ProviderError, ErrorDetails)
    /// The server did not accept the token. It does not say which check failed; its audit trail does.
    case notAccepted(ErrorDetails)
    /// The call failed for a reason unrelated to the token, or the server cannot reach the provider to check it.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .provider(_, let details), .notAccepted(let details): details
        case .service(let error): error.details
        }
    }
}

enum IdentityFailure: Error {
    case refused(IdentityRefusal)
    case request(NativeAuthError)

    init(_ error: NativeAuthError) {
        let details = error.reporting
        self =
            switch details.suberror.map(WireSuberror.init(rawValue:)) {
            case .idTokenInvalid: .refused(.notAccepted(details))
            case .providerUnavailable: .refused(.service(.unexpected(details)))
            case _: ServiceError(retrying: error).map { .refused(.service($0)) } ?? .request(error)
            }
    }
}

/// The copyable form of ``NewIdentityRequired``.
struct NewIdentityState: AfterOwnMailbox {
    static let addition = DirectoryOperation.addIdentity
    static let confirmation = DirectoryOperation.confirmIdentity

    /// The server's nonce. A copy that has sent it asks for a new one: a nonce serves once.
    let nonce: String
    var flow: Flow
    let use = StepUse()
    private let hasSentNonce = Locked(false)

    init(_ reply: Directory.CodeSent, _ flow: Flow) throws(AccountError) {
        var flow = flow
        do throws(NativeAuthError) {
            guard let nonce = reply.nonce, !nonce.isEmpty else { throw flow.unexpectedReply() }
            self.nonce = nonce
            try flow.advance(to: Secret(reply.continuationToken))
        } catch {
            throw AccountError(error)
        }
        self.flow = flow
    }

    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let nonce = fields.providerNonce, flow.homeAccountID != nil else { return nil }
        self.nonce = nonce
        self.flow = flow
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.providerNonce = nonce
    }

    func link(with provider: some IdentityTokenProvider) async throws(IdentityFailure) {
        let (nonce, flow) = try await freshNonce()
        let credential: ProviderCredential
        do throws(ProviderError) {
            credential = try await provider.credential(nonce: nonce)
        } catch {
            throw .refused(.provider(error, flow.local("The provider gave no token: \(error).")))
        }
        hasSentNonce.withLock { $0 = true }
        do throws(NativeAuthError) {
            try await use.once(flow) { () async throws(NativeAuthError) in
                do throws(AccountError) {
                    var asked = Directory.ConfirmIdentity(
                        continuationToken: flow.continuationToken?.reveal() ?? "", idToken: credential.idToken)
                    asked.authorizationCode = credential.authorizationCode
                    try await flow.directoryChange(.confirmIdentity, asked)
                } catch {
                    throw error.asNativeAuthError
                }
            }
        } catch {
            throw IdentityFailure(error)
        }
    }

    /// The nonce of the step, or a new one when it was sent.
    private func freshNonce() async throws(IdentityFailure) -> (String, Flow) {
        guard hasSentNonce.withLock(\.self) else { return (nonce, flow) }
        do throws(AccountError) {
            let again = Directory.BeginIdentity(continuationToken: flow.continuationToken?.reveal())
            let next = try NewIdentityState(try await flow.directoryReply(.addIdentity, again), flow)
            return (next.nonce, next.flow)
        } catch {
            throw IdentityFailure(error.asNativeAuthError.with(canRetry: true))
        }
    }
}
