import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

/// A method by which a user proves who they are.
public struct AccountMethod: Hashable, Sendable, Identifiable {
    /// The kinds of methods.
    public enum Kind: Hashable, Sendable {
        case password
        /// Codes by e-mail, as a second factor.
        case email
        /// Codes by text message, as a second factor.
        case phone
        /// Codes of an authenticator app, as a second factor.
        case authenticatorApp
        /// A passkey: two factors at once, also without a username.
        case passkey
        /// An account at a provider of another organisation, such as Apple; ``AccountMethod/name`` is the provider's name. Removing it
        /// unlinks it.
        case identity
        /// A kind that this version does not know, with the server's word for it.
        case other(String)
    }

    public let id: String
    public let kind: Kind
    /// The name that the user gave the method, if any.
    public let name: String?
    /// The address of an e-mail method, or the number of a telephone, masked.
    public let maskedAddress: String?
    /// When the method was proven, if the server states it.
    public let addedAt: Date?
    /// The last sign-in with the method, if there was one.
    public let lastUsedAt: Date?
    /// Whether the method cannot be used now: a reset of the password suspends it for a day.
    public let isSuspended: Bool
    /// Whether a code to this telephone alone signs the user in, where the tenant's document allows that. A number that other accounts
    /// have, too, signs in to the one where it was proven last.
    public let signsIn: Bool

    init(_ method: Directory.Method) {
        id = method.id
        kind =
            switch method.type {
            case Directory.Method.password: .password
            case Directory.Method.email: .email
            case Directory.Method.phone: .phone
            case Directory.Method.app: .authenticatorApp
            case Directory.Method.passkey: .passkey
            case Directory.Method.identity: .identity
            case let other: .other(other)
            }
        name = method.displayName
        maskedAddress = method.emailAddress ?? method.phoneNumber
        addedAt = directoryTime(method.createdDateTime)
        lastUsedAt = directoryTime(method.lastUsedDateTime)
        isSuspended = method.isSuspended ?? false
        signsIn = method.smsSignInState == .ready
    }
}

extension AccountMethod.Kind {
    /// The operations that rename and remove a method of the kind.
    fileprivate var operations: (rename: DirectoryOperation, remove: DirectoryOperation) {
        switch self {
        case .authenticatorApp: (.renameApp, .removeApp)
        case .phone: (.renamePhone, .removePhone)
        case .passkey: (.renamePasskey, .removePasskey)
        // The server finds a method by its id alone.
        case .password, .email, .identity, .other: (.renameMethod, .removeMethod)
        }
    }
}

extension Account {
    /// The methods that the user has.
    public func methods(correlationID: UUID? = nil) async throws(AccountError) -> [AccountMethod] {
        let reply: Directory.List<Directory.Method> = try await directory(
            .listMethods, correlationID: correlationID ?? client.makeCorrelationID())
        return reply.value.map(AccountMethod.init)
    }

    /// Names a method of the second factor.
    ///
    /// - Parameter name: 1 to 64 characters; nil removes the name.
    public func rename(
        _ method: AccountMethod, to name: String?, correlationID: UUID? = nil
    ) async throws(AccountError) {
        let id = correlationID ?? client.makeCorrelationID()
        let body = try Self.body(["displayName": name.map(JSONValue.string) ?? .null], id)
        try await change(
            method.kind.operations.rename, id: method.id, body: body, correlationID: id)
    }

    /// Removes a method of the second factor. The server tells each mailbox of the user, and ends the other sessions.
    ///
    /// - Throws: ``AccountError/proofRequired(_:_:)``, ``AccountError/lastMethod(_:)``, and others.
    public func remove(_ method: AccountMethod, correlationID: UUID? = nil) async throws(AccountError) {
        try await change(
            method.kind.operations.remove, id: method.id,
            correlationID: correlationID ?? client.makeCorrelationID())
    }

    /// Begins to add an address as a method of the second factor: codes prove it.
    ///
    /// - Throws: ``AccountError/proofRequired(_:_:)``, ``AccountError/invalidContact(_:)``,
    ///   ``AccountError/notAllowed(attribute:_:)`` for a user without a password, and others.
    public func addMethod(
        email: String, correlationID: UUID? = nil
    ) async throws(AccountError) -> ContactCodeRequired {
        try await addContact(email, .method, correlationID)
    }

    /// Begins to add a telephone as a method of the second factor: a code proves it, which comes as a text message.
    ///
    /// - Parameter phoneNumber: With the code of its country, such as `+15555550123`; blanks, hyphens, dots and parentheses
    ///   are left out.
    /// - Throws: ``AccountError/proofRequired(_:_:)``, ``AccountError/invalidContact(_:)`` for what is no number,
    ///   ``AccountError/notAllowed(attribute:_:)`` where the server sends no text messages or the user has as many telephones
    ///   as allowed, and others.
    public func addMethod(
        phoneNumber: String, correlationID: UUID? = nil
    ) async throws(AccountError) -> ContactCodeRequired {
        try await addContact(phoneNumber, .phone, correlationID)
    }

    /// Begins to change the user's e-mail address: codes prove the new one. Until then nothing changes. The session, the
    /// identifiers and everything else of the account stay; the old address is told, with a code that takes the change
    /// back for 7 days: ``NativeAuthClient/undoEmailChange(code:correlationID:)``.
    ///
    /// - Throws: ``AccountError/proofRequired(_:_:)``, ``AccountError/invalidContact(_:)``, and others. Whether the
    ///   address is free is told when it is proven: ``AccountError/nameTaken(_:_:)``.
    public func changeEmail(
        to email: String, correlationID: UUID? = nil
    ) async throws(AccountError) -> ContactCodeRequired {
        try await addContact(email, .email, correlationID)
    }

    private func addContact(
        _ contact: String, _ kind: ContactKind, _ correlationID: UUID?
    ) async throws(AccountError) -> ContactCodeRequired {
        var flow = Flow(client: client, username: username, correlationID: correlationID)
        flow.homeAccountID = homeAccountID
        let new =
            switch kind {
            case .email, .method: Directory.NewContact(emailAddress: contact)
            case .phone: Directory.NewContact(phoneNumber: contact)
            }
        let sent = try await send(new, kind.begin, flow)
        return ContactCodeRequired(state: try ContactCodeState(accepting: sent, kind, flow))
    }

    fileprivate func send(
        _ contact: Directory.NewContact, _ operation: DirectoryOperation, _ flow: Flow
    ) async throws(AccountError) -> Directory.CodeSent {
        let id = flow.correlationID
        return try await directory(operation, body: try Self.body(contact, id), correlationID: id)
    }
}

extension NativeAuthClient {
    /// Takes a change of the e-mail address back, with the code that the old address was sent. All sessions of the user
    /// end, and so the user signs in again, with the old address. No user must be signed in.
    ///
    /// - Throws: ``AccountError/incorrectCode(_:)``, also for a code that was used or is older than 7 days;
    ///   ``AccountError/nameTaken(_:_:)``; and others.
    public func undoEmailChange(code: String, correlationID: UUID? = nil) async throws(AccountError) {
        let id = correlationID ?? makeCorrelationID()
        let body = try Account.body(
            Directory.UndoEmailChange(tenant: api.effectiveAuthority.tenant, code: code), id)
        let response: TransportResponse
        do throws(NativeAuthError) {
            response = try await api.directory(.undoEmailChange, token: nil, body: body, correlationID: id)
        } catch {
            throw .service(ServiceError(error))
        }
        guard response.status == 204 else { throw AccountError(response, correlationID: id) }
    }
}

// MARK: - The step

/// What a new contact becomes.
enum ContactKind: String, Codable, Sendable {
    case email
    case method
    case phone

    fileprivate var begin: DirectoryOperation {
        switch self {
        case .email: .changeEmail
        case .method: .addMethod
        case .phone: .addPhone
        }
    }

    fileprivate var confirm: DirectoryOperation {
        switch self {
        case .email: .confirmEmail
        case .method: .confirmMethod
        case .phone: .confirmPhone
        }
    }

    fileprivate var contentKind: StepContent.Kind {
        switch self {
        case .email: .changeEmailCode
        case .method: .addMethodCode
        case .phone: .addPhoneCode
        }
    }
}

/// The user must type the code that a mailbox or a telephone was sent. When the session has only proven the password, the first code
/// goes to the user's own address and the second to the new one; ``SentCode/sentTo`` tells which.
///
/// It can be used only once; <doc:CompilerMessages> explains the compiler's messages about it.
public struct ContactCodeRequired: ~Copyable, FlowStep, StateStep {
    let state: ContactCodeState

    /// The target and the length of the code.
    public var info: SentCode { state.code }

    /// Submits the code.
    ///
    /// - Throws: ``AccountError``: the change has not been made, and must be begun again.
    public consuming func submit(code: String) async throws(AccountError) -> Outcome<Self, ContactNext> {
        try await outcome(or: AccountError.self) { (state) async throws(NativeAuthError) in
            guard let next = try await state.submit(code: code) else { return .completed }
            return .codeRequired(ContactCodeRequired(state: next))
        }
    }

    /// Sends a new code to the same mailbox. A server that is asked too soon sends none: the newest code in the mail is
    /// valid.
    ///
    /// - Throws: ``AccountError``: the change must be begun again.
    public consuming func resend() async throws(AccountError) -> Outcome<Self, Self> {
        try await outcome(or: AccountError.self) { (state) async throws(NativeAuthError) in
            Self(state: try await state.resend())
        }
    }

    public typealias Refusal = CodeRefusal
    public var content: StepContent { StepContent(state.kind.contentKind, state) }
    public init?(content: StepContent, client: NativeAuthClient) {
        guard let state = ContactCodeState(content.fields, content.flow) else { return nil }
        self.init(state: state)
    }
    init(state: ContactCodeState) { self.state = state }
}

/// The step after a mailbox was proven.
@frozen
public enum ContactNext: ~Copyable, Sendable {
    /// A code was sent to the new address.
    case codeRequired(ContactCodeRequired)
    /// The change is made.
    case completed
}

/// The copyable form of ``ContactCodeRequired``.
struct ContactCodeState: StepState {
    let code: SentCode
    let kind: ContactKind
    var flow: Flow
    let use = StepUse()

    init(accepting sent: Directory.CodeSent, _ kind: ContactKind, _ flow: Flow) throws(AccountError) {
        var flow = flow
        do throws(NativeAuthError) {
            code = try flow.takeCode(
                sentTo: sent.targetLabel, channel: sent.channel ?? "email", length: sent.codeLength,
                interval: sent.resendAfter,
                token: Secret(sent.continuationToken))
        } catch {
            throw AccountError(error)
        }
        self.kind = kind
        self.flow = flow
    }

    init?(_ fields: StepContent.Fields, _ flow: Flow) {
        guard let code = fields.code, flow.homeAccountID != nil else { return nil }
        switch fields.kind {
        case .changeEmailCode: kind = .email
        case .addMethodCode: kind = .method
        case .addPhoneCode: kind = .phone
        case .signUpCode, .signUpPassword, .signUpAttributes, .signUpCompleted, .signInCode, .signInPassword, .mfa,
            .mfaCode, .registration, .registrationCode, .resetCode, .newPassword, .resetCompleted, .ownMailboxCode,
            .authenticatorApp, .passkeyMailboxCode, .newPasskey, .mailbox, .mailboxCode, .link,
            .identityMailboxCode, .newIdentity, .registrationApp:
            return nil
        }
        self.code = code
        self.flow = flow
    }

    func fill(_ fields: inout StepContent.Fields) {
        fields.code = code
    }

    /// - Returns: The step of the new address, or nil when the change is made.
    func submit(code: String) async throws(NativeAuthError) -> ContactCodeState? {
        try await submit(code: code) { (flow, code) async throws(NativeAuthError) -> ContactCodeState? in
            do throws(AccountError) {
                let account = try flow.account()
                let body = try Account.body(
                    Directory.ConfirmContact(
                        continuationToken: flow.continuationToken?.reveal() ?? "", code: code.reveal()),
                    flow.correlationID)
                let response = try await account.directory(kind.confirm, body: body, correlationID: flow.correlationID)
                guard response.status != 204 else {
                    if kind == .email { await account.renewName() }
                    return nil
                }
                let proven: Directory.CodeSent
                do {
                    proven = try WireJSON.decode(from: response.body)
                } catch {
                    throw AccountError(response, correlationID: flow.correlationID)
                }
                let contact = Directory.NewContact(continuationToken: proven.continuationToken)
                return try ContactCodeState(accepting: try await account.send(contact, kind.begin, flow), kind, flow)
            } catch {
                throw error.asNativeAuthError
            }
        }
    }

    func resend() async throws(NativeAuthError) -> ContactCodeState {
        try await use.withoutConsuming(flow) { () async throws(NativeAuthError) in
            do throws(AccountError) {
                let contact = Directory.NewContact(continuationToken: flow.continuationToken?.reveal())
                return try ContactCodeState(
                    accepting: try await flow.account().send(contact, kind.begin, flow), kind, flow)
            } catch {
                throw error.asNativeAuthError
            }
        }
    }
}

extension Flow {
    /// The account that the flow changes.
    func account() throws(AccountError) -> Account {
        guard let account = homeAccountID.flatMap({ client.account(homeAccountID: $0) }) else {
            throw .signInRequired(local("The user is not signed in any more."))
        }
        return account
    }
}

extension Account {
    /// Reads the new name into the token cache. The change is made already: without an answer, the next renewal does it.
    fileprivate func renewName() async {
        do {
            _ = try await accessToken(policy: .force)
        } catch {
            // The name in the cache is the old one for a while.
        }
    }
}
