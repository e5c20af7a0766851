package import IdentityEngine
package import NativeAuthCore
package import NativeAuthWire
package import PortableFoundation

/// Turns V1 requests into commands and outcomes into V1 replies. Pure; the only type that knows both.
package enum V1Codec {
    /// A command and the application that sent it.
    package struct Request: Sendable {
        package var client: ClientID
        package var command: Command
        /// The kind of request for tokens; nil at other endpoints.
        package var grant: GrantType?
        /// The proof of the device's key beside a step.
        package var deviceProof: String?
    }

    /// A reply: the status, and a body whose bytes depend only on the outcome.
    package struct Reply: Hashable, Sendable {
        package var status: Int
        package var body: Data
        package var trace: Trace
        package var retryAfter: Int?
        package var allow: String?
        /// The error's name in metrics; nil when there is none.
        package var failure: String?
        /// The error's number; nil when there is none.
        package var errorCode: Int?
    }

    // MARK: Requests

    /// Parses the form of `endpoint`.
    ///
    /// - Parameter needsEveryScope: True for clients that refuse a token reply without ID token and refresh token even
    ///   when they did not ask for them (docs/protocol.md §5.7): the three OpenID scopes are added.
    /// - Throws: ``RequestFault`` for the first fault of the form.
    package static func request(
        _ endpoint: V1Endpoint, _ form: FormFields, needsEveryScope: Bool = false
    ) throws(RequestFault) -> Request {
        do {
            switch endpoint {
            case .signUpStart: return try start(V1.SignUp.StartRequest(form: form))
            case .signUpChallenge:
                let request = try V1.SignUp.ChallengeRequest(form: form)
                return try challenge(request.clientID, request.continuationToken, request.challengeTypes) {
                    .challengeSignUp(target: request.challengeTarget, accepted: $0)
                }
            case .signUpContinue: return try continuation(V1.SignUp.ContinueRequest(form: form))
            case .token: return try token(V1.TokenRequest(form: form), needsEveryScope: needsEveryScope)
            case .signInInitiate:
                return try signIn(V1.SignIn.InitiateRequest(form: form))
            case .signInChallenge: return try challenge(V1.SignIn.ChallengeRequest(form: form))
            case .signInIntrospect:
                return try tokenOnly(V1.SignIn.IntrospectRequest(form: form), .introspectMethods)
            case .resetPasswordStart:
                let (client, application) = try application(V1.ResetPassword.StartRequest(form: form))
                return Request(client: client, command: .startReset(application))
            case .resetPasswordChallenge:
                let request = try V1.ResetPassword.ChallengeRequest(form: form)
                return try challenge(
                    request.clientID, request.continuationToken, request.challengeTypes, StepCommand.challengeReset)
            case .resetPasswordContinue: return try continuation(V1.ResetPassword.ContinueRequest(form: form))
            case .resetPasswordSubmit: return try submit(V1.ResetPassword.SubmitRequest(form: form))
            case .resetPasswordPollCompletion:
                return try tokenOnly(V1.ResetPassword.PollCompletionRequest(form: form), .pollReset)
            case .registerIntrospect:
                return try tokenOnly(V1.Register.IntrospectRequest(form: form), .introspectRegistration)
            case .registerChallenge: return try challenge(V1.Register.ChallengeRequest(form: form))
            case .registerContinue: return try register(V1.Register.ContinueRequest(form: form))
            }
        } catch let error as FormError {
            throw .malformed(error)
        } catch let fault as RequestFault {
            throw fault
        } catch {
            throw .broken
        }
    }

    private static func start(_ form: V1.SignUp.StartRequest) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        // A missing parameter is treated like an empty one: clients know one number and one phrase for both
        // (docs/protocol.md §4.1).
        guard let username = form.username, !username.isEmpty else { throw .invalid(parameter: "username") }
        let accepted = try challengeTypes(try required(form.challengeTypes, "challenge_type"))
        var password = form.password
        if password?.reveal().isEmpty == true { throw .invalid(parameter: "password") }
        if password?.reveal().utf8.count ?? 0 > longestPassword { password = Secret(overlongPassword) }
        return Request(
            client: client,
            command: .startSignUp(
                SignUpRequest(
                    username: username, password: password,
                    attributes: try form.attributes.map { text throws(RequestFault) in try attributes(text) }
                        ?? SubmittedAttributes(),
                    accepted: accepted, capabilities: try capabilities(form.capabilities ?? []))))
    }

    /// A sign-in, by a username, by a passkey or by a provider.
    private static func signIn(_ form: V1.SignIn.InitiateRequest) throws(RequestFault) -> Request {
        if let provider = form.provider {
            guard IdentityProvider.isID(provider) else { throw .invalid(parameter: "provider") }
            return Request(
                client: try client(form.clientID),
                command: .startFederated(
                    ProviderStart(
                        provider: provider,
                        accepted: try challengeTypes(try required(form.challengeTypes, "challenge_type")),
                        capabilities: try capabilities(form.capabilities ?? []))))
        }
        guard form.username?.isEmpty ?? true, form.challengeTypes?.contains(ChallengeType.passkey.rawValue) == true
        else {
            let (client, application) = try application(form)
            return Request(client: client, command: .startSignIn(application))
        }
        return Request(
            client: try client(form.clientID),
            command: .startPasskey(
                PasskeyStart(
                    accepted: try challengeTypes(try required(form.challengeTypes, "challenge_type")),
                    capabilities: try capabilities(form.capabilities ?? []))))
    }

    /// The input of a sign-in or a password reset.
    private static func application(
        _ form: V1.SignIn.InitiateRequest
    ) throws(RequestFault) -> (ClientID, UsernameRequest) {
        let client = try client(form.clientID)
        guard let username = form.username, !username.isEmpty else { throw .invalid(parameter: "username") }
        return (
            client,
            UsernameRequest(
                username: username, accepted: try challengeTypes(try required(form.challengeTypes, "challenge_type")),
                capabilities: try capabilities(form.capabilities ?? []))
        )
    }

    private static func challenge(
        _ clientID: String?, _ presented: Secret<String>?, _ words: [String]?,
        _ command: (Set<ChallengeType>?) -> StepCommand
    ) throws(RequestFault) -> Request {
        let client = try client(clientID)
        let token = try continuationToken(presented)
        let accepted = try words.map { words throws(RequestFault) in try challengeTypes(words) }
        return Request(client: client, command: .step(token, command(accepted)))
    }

    private static func challenge(_ form: V1.SignIn.ChallengeRequest) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let token = try continuationToken(form.continuationToken)
        if let id = form.id, id.isEmpty || id.utf8.count > FormParameter.id.longest ?? .max {
            throw .invalid(parameter: "id")
        }
        return Request(
            client: client,
            command: .step(
                token,
                .challengeSignIn(
                    method: form.id,
                    accepted: try form.challengeTypes.map { words throws(RequestFault) in try challengeTypes(words) })))
    }

    private static func challenge(_ form: V1.Register.ChallengeRequest) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let token = try continuationToken(form.continuationToken)
        let type = try required(form.challengeType, "challenge_type")
        if type == ChallengeType.passkey.rawValue {
            return Request(client: client, command: .step(token, .challengeNewPasskey))
        }
        if type == ChallengeType.authenticatorApp.rawValue {
            return Request(client: client, command: .step(token, .challengeNewApp))
        }
        // Nothing is sent to an app: it has a challenge type of its own.
        guard type == ChallengeType.oneTimePasscode.rawValue,
            form.challengeChannel?.lowercased() != ChallengeType.authenticatorApp.rawValue
        else { throw .invalid(parameter: "challenge_type") }
        return Request(
            client: client,
            command: .step(
                token,
                .challengeContact(
                    try required(form.challengeTarget, "challenge_target"), channel: form.challengeChannel)))
    }

    /// A request with only a token.
    private static func tokenOnly(
        _ form: V1.SignIn.IntrospectRequest, _ command: StepCommand
    ) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        return Request(client: client, command: .step(try continuationToken(form.continuationToken), command))
    }

    private static func continuation(_ form: V1.SignUp.ContinueRequest) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let token = try continuationToken(form.continuationToken)
        let grant = try required(form.grantType, "grant_type")
        let command: StepCommand
        switch grant {
        case .oob:
            command = .submitSignUpCode(try code(form.oob))
        case .password:
            command = .submitSignUpPassword(try password(form.password, "password"))
        case .attributes:
            command = .submitSignUpAttributes(try attributes(try required(form.attributes, "attributes")))
        // Clients do not know unsupported_grant_type at this endpoint (docs/protocol.md §4.3, §14.1).
        case _: throw .invalid(parameter: "grant_type")
        }
        return Request(client: client, command: .step(token, command))
    }

    private static func continuation(_ form: V1.ResetPassword.ContinueRequest) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let token = try continuationToken(form.continuationToken)
        guard try required(form.grantType, "grant_type") == .oob else { throw .invalid(parameter: "grant_type") }
        return Request(client: client, command: .step(token, .submitResetCode(try code(form.oob))))
    }

    private static func submit(_ form: V1.ResetPassword.SubmitRequest) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let token = try continuationToken(form.continuationToken)
        return Request(
            client: client,
            command: .step(token, .submitNewPassword(try password(form.newPassword, "new_password"))))
    }

    private static func register(_ form: V1.Register.ContinueRequest) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let token = try continuationToken(form.continuationToken)
        switch try required(form.grantType, "grant_type") {
        case .oob: return Request(client: client, command: .step(token, .submitContactCode(try code(form.oob))))
        case .continuationToken: return Request(client: client, command: .step(token, .confirmContact))
        case .passkey:
            let answer = try filled(form.credential, "credential", longest: FormParameter.credential.longest)
            return Request(client: client, command: .step(token, .createPasskey(answer.reveal(), name: nil, nil)))
        case .totp:
            let code = try filled(form.totp, "totp", longest: FormParameter.totp.longest)
            return Request(client: client, command: .step(token, .confirmNewApp(code)))
        case _: throw .invalid(parameter: "grant_type")
        }
    }

    private static func token(_ form: V1.TokenRequest, needsEveryScope: Bool) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let grant = try required(form.grantType, "grant_type")
        let contexts = try form.claims.map { text throws(RequestFault) in try authenticationContexts(in: text) } ?? []
        let deviceProof = try form.deviceProof.map { proof throws(RequestFault) in
            try filled(proof, "device_proof", longest: FormParameter.deviceProof.longest)
        }
        let remembers = form.rememberDevice == "true"
        guard form.rememberDevice.map({ ["true", "false"].contains($0) }) ?? true, !remembers || deviceProof != nil
        else { throw .invalid(parameter: "remember_device") }
        func request(_ scopes: [String]) -> TokenRequest {
            let added = ["openid", "profile", "offline_access"].filter { needsEveryScope && !scopes.contains($0) }
            var request = TokenRequest(scopes: scopes + added, contexts: contexts)
            request.remembersDevice = remembers
            return request
        }
        func scoped() throws(RequestFault) -> TokenRequest { request(try required(form.scopes, "scope")) }
        func flow() throws(RequestFault) -> ContinuationToken { try continuationToken(form.continuationToken) }
        let command: Command
        switch grant {
        case .continuationToken:
            command = .step(try flow(), .redeem(try scoped()))
        case .password:
            command = .step(try flow(), .submitSignInPassword(try password(form.password, "password"), try scoped()))
        case .oob:
            command = .step(try flow(), .submitSignInCode(try code(form.oob), try scoped()))
        case .mfaOOB:
            command = .step(try flow(), .submitSecondFactor(try code(form.oob), try scoped()))
        case .passkey, .mfaPasskey:
            let answer = try filled(form.credential, "credential", longest: FormParameter.credential.longest)
            command = .step(try flow(), .submitPasskey(answer, try scoped()))
        case .federated:
            command = .step(try flow(), .submitIdentity(try identity(form), try scoped()))
        case .refreshToken:
            let token = try filled(form.refreshToken, "refresh_token", longest: FormParameter.refreshToken.longest)
            // A refresh without a scope means all scopes of the sign-in (RFC 6749 section 6).
            let named = form.scopes ?? []
            command = .refresh(
                token, named.isEmpty ? TokenRequest(scopes: [], contexts: contexts) : request(named))
        case .authorizationCode:
            let code = try filled(form.code, "code", longest: FormParameter.code.longest)
            guard let redirect = form.redirectURI, !redirect.isEmpty,
                redirect.utf8.count <= FormParameter.redirectURI.longest ?? .max
            else { throw .invalid(parameter: "redirect_uri") }
            let verifier = try form.codeVerifier.map { text throws(RequestFault) in
                try filled(text, "code_verifier", longest: FormParameter.codeVerifier.longest)
            }
            command = .redeemCode(
                CodePresentation(code: code, redirect: redirect, verifier: verifier, scopes: form.scopes ?? []))
        case .deviceCode:
            command = .redeemDevice(
                try filled(form.deviceCode, "device_code", longest: FormParameter.deviceCode.longest),
                contexts: contexts)
        case .tokenExchange: command = .exchange(try ticket(form.exchange ?? TokenExchange()))
        case _ where grant.rawValue.isEmpty: throw .invalid(parameter: "grant_type")
        case _: throw .unknownGrant
        }
        return Request(client: client, command: command, grant: grant, deviceProof: deviceProof?.reveal())
    }

    /// What an app brings from a provider.
    private static func identity(_ form: V1.TokenRequest) throws(RequestFault) -> PresentedIdentity {
        var identity = PresentedIdentity(
            token: try filled(form.idToken, "id_token", longest: FormParameter.idToken.longest))
        identity.code = try form.authorizationCode.map { code throws(RequestFault) in
            try filled(code, "authorization_code", longest: FormParameter.authorizationCode.longest)
        }
        guard let names = form.providerUser else { return identity }
        guard names.utf8.count <= FormParameter.providerUser.longest ?? .max else {
            throw .invalid(parameter: "provider_user")
        }
        do {
            for member in try AttributesJSON.decode(names) {
                guard case .value(.string(let name)) = member.content else { continue }
                switch member.name {
                case "givenName": identity.givenName = name
                case "familyName": identity.familyName = name
                case _: break
                }
            }
        } catch {
            throw .invalid(parameter: "provider_user")
        }
        return identity
    }

    /// The exchange that there is: a refresh token for a ticket (docs/protocol.md §21.11).
    private static func ticket(_ exchange: TokenExchange) throws(RequestFault) -> TicketRequest {
        func isWord(_ text: String, _ word: String) -> Bool { text.utf8.elementsEqual(word.utf8) }
        let token = try filled(
            exchange.subjectToken, "subject_token", longest: FormParameter.subjectToken.longest)
        guard isWord(try required(exchange.subjectTokenType, "subject_token_type"), TokenExchange.refreshTokenType)
        else { throw .invalid(parameter: "subject_token_type") }
        guard isWord(try required(exchange.requestedTokenType, "requested_token_type"), TokenExchange.ticketType)
        else { throw .invalid(parameter: "requested_token_type") }
        let audience = try required(exchange.audience, "audience")
        if isWord(audience, TokenExchange.accountPage) {
            guard exchange.codeChallenge == nil else { throw .invalid(parameter: "code_challenge") }
            return TicketRequest(refreshToken: token, target: Client.accountPageID, challenge: nil)
        }
        guard audience.utf8.count == 36, let target = ClientID(audience),
            target != Client.accountPageID
        else { throw .invalid(parameter: "audience") }
        let challenge = try required(exchange.codeChallenge, "code_challenge")
        guard AuthorizeCodec.isChallenge(challenge) else { throw .invalid(parameter: "code_challenge") }
        return TicketRequest(refreshToken: token, target: target, challenge: challenge)
    }

    /// Parses the request of a device without a browser (RFC 8628 section 3.1).
    static func device(_ form: FormFields) throws(RequestFault) -> (client: ClientID, request: DeviceRequest) {
        let asked: DeviceAuthorizationRequest
        do {
            asked = try DeviceAuthorizationRequest(form: form)
        } catch {
            throw .malformed(error)
        }
        let client = try client(asked.clientID)
        let scopes = try required(asked.scopes, "scope")
        let contexts = try asked.claims.map { text throws(RequestFault) in try authenticationContexts(in: text) } ?? []
        return (client, DeviceRequest(scopes: scopes, contexts: contexts))
    }

    /// Parses a revocation (RFC 7009 section 2.1).
    package static func revocation(_ form: FormFields) throws(RequestFault) -> Request {
        let form = try revocationForm(form)
        return Request(
            client: try client(form.clientID), command: .revoke(try filled(form.token, "token", longest: nil)))
    }

    /// The token of a token introspection (RFC 7662 section 2.1).
    package static func introspectedToken(_ form: FormFields) throws(RequestFault) -> Secret<String> {
        try filled(try revocationForm(form).token, "token", longest: nil)
    }

    private static func revocationForm(_ form: FormFields) throws(RequestFault) -> RevocationRequest {
        do {
            return try RevocationRequest(form: form)
        } catch {
            throw .malformed(error)
        }
    }

    /// The authentication contexts that a claims request requires in the access token (docs/protocol.md §4.7). Other
    /// claims, and claims that are not essential, may be omitted from a token, and are (OpenID Connect Core 1.0 section
    /// 5.5).
    private static func authenticationContexts(in claims: String) throws(RequestFault) -> [String] {
        guard claims.utf8.count <= FormParameter.claims.longest ?? .max else { throw .invalid(parameter: "claims") }
        let request: ClaimsRequest
        do {
            request = try WireJSON.decode(ClaimsRequest.self, from: Data(claims.utf8))
        } catch {
            throw .invalid(parameter: "claims")
        }
        let contexts = request.demandedContexts
        guard contexts.count <= 16, contexts.allSatisfy(ClaimsRequest.isContext) else {
            throw .invalid(parameter: "claims")
        }
        return contexts
    }

    /// Whether `name` is a parameter of an endpoint, or an array of one (`name[]`).
    package static func isParameter(_ name: String) -> Bool {
        FormParameter(rawValue: String(decoding: name.utf8.prefix { $0 != UInt8(ascii: "[") }, as: UTF8.self)) != nil
    }

    /// No policy reads a password beyond this length (`SEC-PWD-2`). A longer one is replaced by this text, which the
    /// policy refuses as too long.
    private static let longestPassword = 1_024
    private static let overlongPassword = String(repeating: "Aa1!", count: 65)

    private static func password(_ value: Secret<String>?, _ name: String) throws(RequestFault) -> Secret<String> {
        bounded(try filled(value, name, longest: nil))
    }

    /// The password, or one that the policy refuses as too long.
    static func bounded(_ password: Secret<String>) -> Secret<String> {
        password.reveal().utf8.count > longestPassword ? Secret(overlongPassword) : password
    }

    private static func code(_ value: Secret<String>?) throws(RequestFault) -> Secret<String> {
        try filled(value, "oob", longest: FormParameter.oob.longest)
    }

    private static func required<Value>(_ value: Value?, _ name: String) throws(RequestFault) -> Value {
        guard let value else { throw .missing(parameter: name) }
        return value
    }

    private static func filled(
        _ value: Secret<String>?, _ name: String, longest: Int?
    ) throws(RequestFault) -> Secret<String> {
        let value = try required(value, name)
        let length = value.reveal().utf8.count
        guard length > 0, length <= longest ?? .max else { throw .invalid(parameter: name) }
        return value
    }

    private static func client(_ text: String?) throws(RequestFault) -> ClientID {
        guard let client = text.flatMap({ ClientID($0) }) else { throw .invalid(parameter: "client_id") }
        return client
    }

    private static func continuationToken(_ token: Secret<String>?) throws(RequestFault) -> ContinuationToken {
        ContinuationToken(try filled(token, "continuation_token", longest: nil).reveal())
    }

    /// At most 16 words of at most 64 bytes (`SEC-NET-10`).
    private static func words(_ words: [String], _ name: String) throws(RequestFault) {
        guard words.count <= 16, words.allSatisfy({ $0.utf8.count <= 64 }) else { throw .invalid(parameter: name) }
    }

    private static func challengeTypes(_ list: [String]) throws(RequestFault) -> Set<ChallengeType> {
        try words(list, "challenge_type")
        guard !list.isEmpty else { throw .invalid(parameter: "challenge_type") }
        var types: Set<ChallengeType> = []
        for word in list {
            guard let type = ChallengeType(rawValue: word) else { throw .invalid(parameter: "challenge_type") }
            types.insert(type)
        }
        guard types.contains(.redirect) else { throw .redirectNotAccepted }
        return types
    }

    private static func capabilities(_ list: [String]) throws(RequestFault) -> Set<ClientAbility> {
        try words(list, "capabilities")
        var capabilities: Set<ClientAbility> = []
        for word in list {
            guard let capability = Capability(rawValue: word) else { throw .invalid(parameter: "capabilities") }
            capabilities.insert(ClientAbility(capability))
        }
        return capabilities
    }

    private static func attributes(_ json: String) throws(RequestFault) -> SubmittedAttributes {
        do {
            return SubmittedAttributes(
                try AttributesJSON.decode(json).map { member in
                    switch member.content {
                    case .value(let value): (member.name, value)
                    case .null, .wrongType: (member.name, nil)
                    }
                })
        } catch {
            throw .unreadableAttributes
        }
    }
}
