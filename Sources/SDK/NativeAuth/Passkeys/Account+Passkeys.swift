import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

extension Account {
    /// Begins to add a passkey: the user's device then makes it, and keeps its secret part. With it the user signs in by a
    /// fingerprint, a face or a PIN, which counts as two factors. A user without a password can have one, too.
    ///
    /// A code to the user's own mailbox comes first, unless the user has just signed in by such a code or with two factors. A token
    /// that was refreshed since does not count.
    ///
    /// - Throws: ``AccountError/proofRequired(_:_:)``; ``AccountError/notAllowed(attribute:_:)`` when the tenant has no passkeys, or
    ///   the user has ten; and others.
    public func addPasskey(correlationID: UUID? = nil) async throws(AccountError) -> PasskeyNext {
        var flow = Flow(client: client, username: username, correlationID: correlationID)
        flow.homeAccountID = homeAccountID
        let reply = try await flow.directoryReply(.addPasskey, Directory.BeginMethod())
        guard reply.publicKey != nil else {
            return .codeRequired(PasskeyMailboxCodeRequired(state: try OwnMailboxCodeState(accepting: reply, flow)))
        }
        return .passkeyRequired(NewPasskeyRequired(state: try NewPasskeyState(reply, flow)))
    }
}

extension Account {
    /// Lets the device make a passkey silently, after the user has signed in with a password: the password manager that filled it in
    /// keeps a passkey beside it, and nothing is shown. Call it once after such a sign-in, and go on in any case.
    ///
    /// The user must have signed in within five minutes with a password and another factor, or with a password and a code to the own
    /// mailbox, as after a sign-up. That sign-in must have asked for the scopes `User.Read` and `User.ReadWrite`: a token that was
    /// refreshed since is no proof. A password alone adds no passkey: ``addPasskey(correlationID:)`` asks for a code first. A mail about
    /// the new passkey goes to every mailbox of the user.
    ///
    /// - Parameters:
    ///   - authenticator: The device.
    ///   - name: The user's name for the passkey, 1 to 64 characters; nil: none.
    ///   - correlationID: Identifies the flow in the server's log; nil for a new ID.
    /// - Returns: Nil when no passkey was made, and there is nothing to tell the user: the device declines or has one already, the session
    ///   is too old or of another kind, or the tenant has no passkeys.
    /// - Throws: ``AccountError``: the request failed, or the server did not accept what the device made.
    public func upgradeToPasskey(
        with authenticator: some PasskeyAuthenticator, name: String? = nil, correlationID: UUID? = nil
    ) async throws(AccountError) -> PasskeyUpgrade? {
        var flow = Flow(client: client, username: username, correlationID: correlationID)
        flow.homeAccountID = homeAccountID
        let reply: Directory.CodeSent
        do throws(AccountError) {
            reply = try await flow.directoryReply(.addPasskey, Directory.BeginPasskey(isUpgrade: true))
        } catch {
            switch error {
            case .proofRequired, .secondFactorRequired, .notAllowed: return nil
            case .signInRequired, .invalidAttribute, .nameTaken, .incorrectPassword, .invalidPassword, .invalidContact,
                .incorrectCode, .changedMeanwhile, .notFound, .lastMethod, .expired, .service:
                throw error
            }
        }
        // A server that knows no upgrades sends a code, or options for a sheet.
        guard reply.publicKey != nil else { return nil }
        let state = try NewPasskeyState(reply, flow)
        let answer: PasskeyRegistration
        do throws(PasskeyError) {
            let options = try PasskeyCreation(json: state.options, style: .conditional)
            answer = try await authenticator.create(options, style: .conditional)
        } catch {
            // Why, only the device knows; the user was not asked.
            return nil
        }
        do throws(NativeAuthError) {
            try await state.send(answer, name: name, state.flow)
        } catch {
            throw AccountError(error)
        }
        return PasskeyUpgrade(credentialID: answer.credentialID)
    }
}

/// A passkey that was made silently.
public struct PasskeyUpgrade: Hashable, Sendable {
    /// The identifier of the passkey, as the device and the server know it.
    public let credentialID: Data
}

/// The next step of a passkey that is being added.
@frozen
public enum PasskeyNext: ~Copyable, Sendable {
    /// A code was sent to the user's own mailbox.
    case codeRequired(PasskeyMailboxCodeRequired)
    /// Let the user's device make the passkey.
    case passkeyRequired(NewPasskeyRequired)
}

/// The user must type the code that went to the user's own mailbox, before the device makes a passkey.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct PasskeyMailboxCodeRequired: ~Copyable, FlowStep, StateStep {
    let state: OwnMailboxCodeState<NewPasskeyState>

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code.
    ///
    /// - Throws: ``AccountError``: begin again.
    public consuming func submit(
        code: String
    ) async throws(AccountError) -> Outcome<Self, NewPasskeyRequired> {
        try await outcome(or: AccountError.self) { (state) async throws(NativeAuthError) in
            NewPasskeyRequired(state: try await state.submit(code: code))
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
    public var content: StepContent { StepContent(.passkeyMailboxCode, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .passkeyMailboxCode) }
    init(state: OwnMailboxCodeState<NewPasskeyState>) { self.state = state }
}

/// The user's device must make the passkey. Until the server has accepted it nothing has changed.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct NewPasskeyRequired: ~Copyable, FlowStep, StateStep {
    let state: NewPasskeyState

    /// There is nothing to show.
    public var info: Void { () }

    /// Lets the device make the passkey, and adds it to the account.
    ///
    /// - Parameters:
    ///   - authenticator: The device.
    ///   - name: The user's name for the passkey, 1 to 64 characters, such as the name of the device; nil: none.
    /// - Throws: ``AccountError``: the passkey was not added; begin again.
    public consuming func create(
        with authenticator: some PasskeyAuthenticator, name: String? = nil
    ) async throws(AccountError) -> Outcome<Self, Void> {
        let state = state
        do throws(PasskeyFailure) {
            try await state.create(with: authenticator, name: name)
            return .next(())
        } catch {
            if let refusal = PasskeyRefusal(error) { return .retry(Self(state: state), refusal) }
            switch error {
            case .request(let error): throw AccountError(error)
            case .device(_, let details), .notAccepted(_, let details): throw .service(.unexpected(details))
            }
        }
    }

    public typealias Refusal = PasskeyRefusal
    public var content: StepContent { StepContent(.newPasskey, state) }
    public init?(content: StepContent, client: NativeAuthClient) { self.init(content, .newPasskey) }
    init(state: NewPasskeyState) { self.state = state }
}

/// The copyable form of ``NewPasskeyRequired``.
struct NewPasskeyState: AfterOwnMailbox {
    static let addition = DirectoryOperation.addPasskey
    static let confirmation = DirectoryOperation.confirmPasskey

    /// The server's options, as JSON. A copy that has used them asks for new ones: a challenge serves once.
    let options: String
    var flow: Flow
    let use = StepUse()
    private let hasUsedOptions = Locked(false)

    init(_ reply: Directory.CodeSent, _ flow: Flow) throws(AccountError) {
        var flow = flow
        do throws(NativeAuthError) {
            guard reply.publicKey != nil else { throw flow.unexpectedReply() }
            try flow.advance(to: Secret(reply.continuationToken))
        } catch {
            throw AccountError(error)
        }
        options = Flow.text(reply.publicKey)
        self.flow = flow
    }

    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let options = fields.passkeyOptions, flow.homeAccountID != nil else { return nil }
        self.options = options
        self.flow = flow
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.passkeyOptions = options
    }

    func create(with authenticator: some PasskeyAuthenticator, name: String?) async throws(PasskeyFailure) {
        let (text, flow) = try await freshOptions()
        let creation: PasskeyCreation
        do throws(PasskeyError) {
            creation = try PasskeyCreation(json: text)
        } catch {
            throw .device(error, flow.local("The server's options for passkeys cannot be used: \(error)."))
        }
        let answer = try await authenticator.asked(creation, flow)
        do throws(NativeAuthError) {
            try await use.once(flow) { () async throws(NativeAuthError) in
                try await send(answer, name: name, flow)
            }
        } catch {
            throw PasskeyFailure(error)
        }
    }

    /// The options of the step, or new ones when they were used.
    private func freshOptions() async throws(PasskeyFailure) -> (String, Flow) {
        let isUsed = hasUsedOptions.withLock { isUsed in
            defer { isUsed = true }
            return isUsed
        }
        guard isUsed else { return (options, flow) }
        do throws(AccountError) {
            let again = Directory.BeginMethod(continuationToken: flow.continuationToken?.reveal())
            let next = try NewPasskeyState(try await flow.directoryReply(.addPasskey, again), flow)
            return (next.options, next.flow)
        } catch {
            throw .request(error.asNativeAuthError.with(canRetry: true))
        }
    }

    fileprivate func send(
        _ answer: PasskeyRegistration, name: String?, _ flow: Flow
    ) async throws(NativeAuthError) {
        do throws(AccountError) {
            // `PasskeyRegistration` writes this JSON itself, so it is readable; if it were not, nothing is sent.
            guard let credential = try? WireJSON.decode(JSONValue.self, from: Data(answer.json.utf8)) else {
                throw AccountError(flow.unexpectedReply())
            }
            let asked = Directory.ConfirmPasskey(
                continuationToken: flow.continuationToken?.reveal() ?? "", publicKeyCredential: credential,
                displayName: name)
            try await flow.directoryChange(.confirmPasskey, asked)
        } catch {
            throw error.asNativeAuthError
        }
    }
}
