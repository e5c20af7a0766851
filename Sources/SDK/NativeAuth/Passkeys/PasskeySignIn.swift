import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

extension NativeAuthClient {
    /// Signs a user in with a passkey, without a username: the passkey says who the user is. It counts as two factors.
    ///
    /// The server must have passkeys for this app's domain (docs/operate/passkeys.md); others refuse the request.
    ///
    /// ```swift
    /// let next = try await client.signIn(with: PlatformPasskeys { window })
    /// ```
    ///
    /// `PlatformPasskeys` is for Apple's systems, and unverified there; any other ``PasskeyAuthenticator`` works as well.
    ///
    /// - Parameters:
    ///   - authenticator: Makes the user's device sign.
    ///   - style: How the user is asked. The server's challenge is valid for 300 seconds: with ``PasskeyStyle/autofill`` cancel the
    ///     call and begin another one after 240.
    ///   - scopes: As at ``signIn(username:password:scopes:claims:correlationID:)``.
    ///   - claims: A claims request: JSON as text.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    /// - Returns: The account, or the step of a further factor where the server asks for one.
    /// - Throws: ``PasskeySignInError``: no user was signed in.
    public func signIn(
        with authenticator: some PasskeyAuthenticator, style: PasskeyStyle = .modal, scopes: [String] = [],
        claims: String? = nil, correlationID: UUID? = nil
    ) async throws(PasskeySignInError) -> SignInNext {
        try await signIn(
            with: authenticator, style: style, scopes: scopes, claims: claims, replacing: nil,
            correlationID: correlationID)
    }

    fileprivate func signIn(
        with authenticator: some PasskeyAuthenticator, style: PasskeyStyle, scopes: [String], claims: String?,
        replacing homeAccountID: String?, correlationID: UUID?
    ) async throws(PasskeySignInError) -> SignInNext {
        var flow = Flow(client: self, username: "", correlationID: correlationID)
        flow.scopes = scopes
        flow.claims = claims
        flow.homeAccountID = homeAccountID
        do throws(PasskeyFailure) {
            let options = try await flow.beginWithPasskey()
            let answer = try await authenticator.asked(options, style: style, flow)
            do throws(NativeAuthError) {
                return SignInNext(try await flow.signInStep(after: .passkey(answer)))
            } catch {
                throw PasskeyFailure(error, answer)
            }
        } catch {
            throw PasskeySignInError(error)
        }
    }
}

extension Account {
    /// Proves what a call demanded with one of the user's passkeys. When it is complete, repeat the call: this value and all its
    /// copies use the new session, and the old one ends. The passkey of another user signs that user in beside this one.
    ///
    /// - Parameters:
    ///   - demand: What the call demanded: ``AccountError/proofRequired(_:_:)``.
    ///   - correlationID: Identifies the flow in the server's log; nil for a new ID.
    /// - Throws: ``PasskeySignInError``: the session is as before.
    public func signInAgain(
        for demand: ProofDemand, with authenticator: some PasskeyAuthenticator, style: PasskeyStyle = .modal,
        correlationID: UUID? = nil
    ) async throws(PasskeySignInError) -> SignInNext {
        try await client.signIn(
            with: authenticator, style: style, scopes: ["User.Read", "User.ReadWrite"], claims: demand.claims,
            replacing: homeAccountID, correlationID: correlationID)
    }
}

/// Why a sign-in with a passkey failed.
public enum PasskeySignInError: NativeAuthFailure {
    /// The device did not sign, for example because the user closed the sheet, or has no passkey here. Offer another way.
    case device(PasskeyError, ErrorDetails)
    /// The server did not accept the passkey.
    ///
    /// - Parameter unknownCredential: The id of the passkey, when the server has none with this id: the user's device can forget
    ///   it.
    case notAccepted(unknownCredential: Data?, ErrorDetails)
    /// The sign-in failed for another reason.
    case signIn(SignInError)

    public var details: ErrorDetails {
        switch self {
        case .device(_, let details), .notAccepted(_, let details): details
        case .signIn(let error): error.details
        }
    }

    init(_ failure: PasskeyFailure) {
        self =
            switch failure {
            case .device(let error, let details): .device(error, details)
            case .notAccepted(let credential, let details): .notAccepted(unknownCredential: credential, details)
            case .request(let error): .signIn(SignInError(error))
            }
    }
}

/// Why a passkey was refused. The step stays usable.
public enum PasskeyRefusal: NativeAuthFailure {
    /// The device did not answer, for example because the user closed the sheet.
    case device(PasskeyError, ErrorDetails)
    /// The server did not accept the passkey.
    ///
    /// - Parameter unknownCredential: The id of the passkey, when the server has none with this id.
    case notAccepted(unknownCredential: Data?, ErrorDetails)
    /// The call failed for a reason unrelated to the passkey.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .device(_, let details), .notAccepted(_, let details): details
        case .service(let error): error.details
        }
    }

    /// Nil when the failure ends the flow.
    init?(_ failure: PasskeyFailure) {
        switch failure {
        case .device(let error, let details): self = .device(error, details)
        case .notAccepted(let credential, let details): self = .notAccepted(unknownCredential: credential, details)
        case .request(let error):
            guard let service = ServiceError(retrying: error) else { return nil }
            self = .service(service)
        }
    }
}

/// A failure of a step with a passkey, before it is one of an API.
enum PasskeyFailure: Error {
    case device(PasskeyError, ErrorDetails)
    case notAccepted(unknownCredential: Data?, ErrorDetails)
    case request(NativeAuthError)

    init(_ error: NativeAuthError, _ answer: PasskeyAssertion? = nil) {
        let details = error.reporting
        self =
            switch details.suberror.map(WireSuberror.init(rawValue:)) {
            case .passkeyInvalid: .notAccepted(unknownCredential: nil, details)
            case .passkeyUnknown: .notAccepted(unknownCredential: answer?.credentialID, details)
            case _: .request(error)
            }
    }
}

extension PasskeyFailure {
    /// The failure as one of all flows. The step stays usable, where it is not about the request.
    var asNativeAuthError: NativeAuthError {
        switch self {
        case .device(.cancelled, let details): .cancelled(details).with(canRetry: true)
        case .device(_, let details), .notAccepted(_, let details): .general(details).with(canRetry: true)
        case .request(let error): error
        }
    }
}

extension PasskeyAuthenticator {
    /// Lets the device sign.
    func asked(
        _ options: PasskeyRequest, style: PasskeyStyle, _ flow: Flow
    ) async throws(PasskeyFailure) -> PasskeyAssertion {
        do throws(PasskeyError) {
            return try await get(options, style: style)
        } catch {
            throw .device(error, flow.local("The device did not sign with a passkey: \(error)."))
        }
    }

    /// Lets the device make a passkey.
    func asked(_ options: PasskeyCreation, _ flow: Flow) async throws(PasskeyFailure) -> PasskeyRegistration {
        do throws(PasskeyError) {
            return try await create(options)
        } catch {
            throw .device(error, flow.local("The device made no passkey: \(error)."))
        }
    }
}

extension Flow {
    /// Begins a sign-in of an unnamed user, and asks for the challenge.
    fileprivate mutating func beginWithPasskey() async throws(PasskeyFailure) -> PasskeyRequest {
        do throws(NativeAuthError) {
            var words = configuration.challengeTypeWords
            if !words.contains(ChallengeType.passkey.rawValue) { words.insert(ChallengeType.passkey.rawValue, at: 0) }
            let request = V1.SignIn.InitiateRequest(
                clientID: configuration.clientID, username: nil, challengeTypes: words,
                capabilities: configuration.capabilityWords)
            let start: ContinuationReply = try await ask(.signInInitiate, request)
            try advance(to: start.continuationToken)
        } catch {
            throw .request(error)
        }
        return try await passkeyOptions(method: nil)
    }

    /// Asks for the challenge of a passkey; in a second factor with the id of a method.
    mutating func passkeyOptions(method: String?) async throws(PasskeyFailure) -> PasskeyRequest {
        let reply: ChallengeReply
        do throws(NativeAuthError) {
            let request = V1.SignIn.ChallengeRequest(
                clientID: configuration.clientID, continuationToken: continuationToken,
                challengeTypes: [ChallengeType.passkey.rawValue, ChallengeType.redirect.rawValue], id: method)
            reply = try await ask(.signInChallenge, request)
            guard reply.challengeType == .passkey else { throw unexpectedChallenge() }
            try advance(to: reply.continuationToken)
        } catch {
            throw .request(error.with(canRetry: method != nil))
        }
        do throws(PasskeyError) {
            return try PasskeyRequest(json: Self.text(reply.publicKey))
        } catch {
            throw .device(error, local("The server's options for passkeys cannot be used: \(error)."))
        }
    }

    /// The options as text. Without options it is empty, which ``PasskeyRequest`` refuses as unusable: so is a value that JSON cannot
    /// express, which no reply can contain.
    static func text(_ options: JSONValue?) -> String {
        guard let options, let data = try? WireJSON.encode(options) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}

// MARK: - A second factor

extension AuthMethod {
    /// Whether it is a passkey: give it with ``MFARequired/verify(with:style:)``, or make it with
    /// ``RegistrationRequired/register(with:)``.
    ///
    /// Servers list it only for apps whose configuration has ``ChallengeType/passkey``.
    public var isPasskey: Bool { challengeType == ChallengeType.passkey.rawValue }
}

/// What became of a passkey as the second factor.
@frozen
public enum PasskeyOutcome: ~Copyable, Sendable {
    /// The user is signed in.
    case completed(Account)
    /// The same step again: try once more, or choose another method.
    case retry(MFARequired, PasskeyRefusal)
}

extension MFARequired {
    /// Gives one of the user's passkeys as the second factor. ``FlowStep/info`` has a method with
    /// ``AuthMethod/isPasskey`` where the user has any.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func verify(
        with authenticator: some PasskeyAuthenticator, style: PasskeyStyle = .modal
    ) async throws(SignInError) -> PasskeyOutcome {
        let state = state
        do throws(PasskeyFailure) {
            return .completed(try await state.verify(with: authenticator, style: style))
        } catch {
            if let refusal = PasskeyRefusal(error) { return .retry(MFARequired(state: state), refusal) }
            switch error {
            case .request(let error): throw SignInError(error)
            case .device(_, let details), .notAccepted(_, let details): throw .service(.unexpected(details))
            }
        }
    }
}

/// What became of the registration of a passkey in the middle of a sign-in.
@frozen
public enum PasskeyRegistrationOutcome: ~Copyable, Sendable {
    /// The passkey is registered, and the user is signed in.
    case completed(Account)
    /// The same step again: try once more, or choose another method.
    case retry(RegistrationRequired, PasskeyRefusal)
}

extension RegistrationRequired {
    /// Lets the device make a passkey, registers it, and signs in with what the user has given. ``FlowStep/info`` has a method
    /// with ``AuthMethod/isPasskey`` where a passkey can be registered: also where nothing else reaches what the sign-in
    /// demands.
    ///
    /// - Throws: ``SignInError``: the flow is over.
    public consuming func register(
        with authenticator: some PasskeyAuthenticator
    ) async throws(SignInError) -> PasskeyRegistrationOutcome {
        let state = state
        do throws(PasskeyFailure) {
            return .completed(try await state.register(with: authenticator))
        } catch {
            if let refusal = PasskeyRefusal(error) { return .retry(RegistrationRequired(state: state), refusal) }
            switch error {
            case .request(let error): throw SignInError(error)
            case .device(_, let details), .notAccepted(_, let details): throw .service(.unexpected(details))
            }
        }
    }
}

extension MFAState {
    /// Gives a passkey. It can be called again after an error.
    func verify(
        with authenticator: some PasskeyAuthenticator, style: PasskeyStyle
    ) async throws(PasskeyFailure) -> Account {
        guard let method = methods.first(where: \.isPasskey) else {
            throw .request(.notAvailable(flow.local("The server offers no passkey here.", canRetry: true)))
        }
        var flow = flow
        let options = try await flow.passkeyOptions(method: method.id)
        let answer = try await authenticator.asked(options, style: style, flow)
        let asked = flow
        do throws(NativeAuthError) {
            return try await use.once(asked) { () async throws(NativeAuthError) in
                try await asked.account(after: .passkeyAsSecondFactor(answer))
            }
        } catch {
            throw PasskeyFailure(error, answer)
        }
    }
}
