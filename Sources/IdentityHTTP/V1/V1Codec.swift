package import IdentityEngine
package import NativeAuthCore
package import NativeAuthWire

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Turns V1 requests into commands and outcomes into V1 replies. Pure; the only place that knows both.
package enum V1Codec {
    /// A command and the application that gives it.
    package struct Request: Sendable {
        package var client: ClientID
        package var command: Command
    }

    /// A reply: the status, and a body whose bytes depend on the outcome alone.
    package struct Reply: Hashable, Sendable {
        package var status: Int
        package var body: Data
        package var trace: Trace
        package var retryAfter: Int?
        package var allow: String?
    }

    // MARK: Requests

    /// Reads the form of `endpoint`.
    ///
    /// - Parameter needsEveryScope: True for clients that refuse a token reply without ID token and refresh token whatever
    ///   they asked for (native-auth-v1 §5.7): the three OpenID scopes are added.
    /// - Throws: ``RequestFault`` for the first thing that is wrong with it.
    package static func request(
        _ endpoint: V1Endpoint, _ form: FormFields, needsEveryScope: Bool = false
    ) throws(RequestFault) -> Request {
        do {
            switch endpoint {
            case .signUpStart: return try start(V1.SignUp.StartRequest(form: form))
            case .signUpChallenge: return try challenge(V1.SignUp.ChallengeRequest(form: form))
            case .signUpContinue: return try proceed(V1.SignUp.ContinueRequest(form: form))
            case .token: return try token(V1.TokenRequest(form: form), needsEveryScope: needsEveryScope)
            case .signInInitiate, .signInChallenge, .signInIntrospect, .resetPasswordStart, .resetPasswordChallenge,
                .resetPasswordContinue, .resetPasswordSubmit, .resetPasswordPollCompletion, .registerIntrospect,
                .registerChallenge, .registerContinue:
                throw RequestFault.unknownPath
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
        // Missing is as wrong as empty here: clients know one number and one phrase for both (native-auth-v1 §4.1).
        guard let username = form.username, !username.isEmpty else { throw .invalid(parameter: "username") }
        let accepted = try challengeTypes(try present(form.challengeTypes, "challenge_type"))
        var password = form.password
        if password?.reveal().isEmpty == true { throw .invalid(parameter: "password") }
        if password?.reveal().utf8.count ?? 0 > longestPassword { password = Secret(overlongPassword) }
        return Request(
            client: client,
            command: .startSignUp(
                SignUpApplication(
                    username: username, password: password,
                    attributes: try form.attributes.map { text throws(RequestFault) in try attributes(text) }
                        ?? SubmittedAttributes(),
                    accepted: accepted, capabilities: try capabilities(form.capabilities ?? []))))
    }

    private static func challenge(_ form: V1.SignUp.ChallengeRequest) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let token = try continuationToken(form.continuationToken)
        return Request(
            client: client,
            command: .challengeSignUp(
                token,
                accepted: try form.challengeTypes.map { words throws(RequestFault) in try challengeTypes(words) }))
    }

    private static func proceed(_ form: V1.SignUp.ContinueRequest) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let token = try continuationToken(form.continuationToken)
        let grant = try present(form.grantType, "grant_type")
        let command: Command
        switch grant {
        case .oob:
            command = .submitSignUpCode(token, code: try filled(form.oob, "oob", longest: 256))
        case .password:
            var password = try filled(form.password, "password", longest: nil)
            if password.reveal().utf8.count > longestPassword { password = Secret(overlongPassword) }
            command = .submitSignUpPassword(token, password: password)
        case .attributes:
            command = .submitSignUpAttributes(token, try attributes(try present(form.attributes, "attributes")))
        // Clients do not know unsupported_grant_type at this endpoint (native-auth-v1 §4.3, §14.1).
        case _: throw .invalid(parameter: "grant_type")
        }
        return Request(client: client, command: command)
    }

    private static func token(_ form: V1.TokenRequest, needsEveryScope: Bool) throws(RequestFault) -> Request {
        let client = try client(form.clientID)
        let grant = try present(form.grantType, "grant_type")
        func scopes(_ given: [String]) -> [String] {
            needsEveryScope ? given + ["openid", "profile", "offline_access"].filter { !given.contains($0) } : given
        }
        switch grant {
        case .continuationToken:
            let token = try continuationToken(form.continuationToken)
            return Request(
                client: client, command: .redeem(token, scopes: scopes(try present(form.scopes, "scope"))))
        case .refreshToken:
            let token = try filled(form.refreshToken, "refresh_token", longest: 1_024)
            // Without a scope the refresh is for those of the sign-in, none of which may get lost (RFC 6749 section 6).
            let named = form.scopes ?? []
            return Request(client: client, command: .refresh(token, scopes: named.isEmpty ? [] : scopes(named)))
        case _ where grant.rawValue.isEmpty: throw .invalid(parameter: "grant_type")
        case _: throw .unknownGrant
        }
    }

    /// Whether `name` is a parameter of an endpoint, or an array of it (`name[]`).
    package static func isParameter(_ name: String) -> Bool {
        parameters.contains(String(decoding: name.utf8.prefix { $0 != UInt8(ascii: "[") }, as: UTF8.self))
    }

    private static let parameters: Set<String> = [
        "client_id", "username", "password", "attributes", "challenge_type", "capabilities", "capability",
        "continuation_token", "grant_type", "oob", "scope", "refresh_token", "new_password", "id", "challenge_target",
        "challenge_channel", "claims",
    ]

    /// Past this no policy looks at a password (`SEC-PWD-2`). What is longer stands for «too long», without being carried on.
    private static let longestPassword = 1_024
    private static let overlongPassword = String(repeating: "Aa1!", count: 65)

    private static func present<Value>(_ value: Value?, _ name: String) throws(RequestFault) -> Value {
        guard let value else { throw .missing(parameter: name) }
        return value
    }

    private static func filled(
        _ value: Secret<String>?, _ name: String, longest: Int?
    ) throws(RequestFault) -> Secret<String> {
        let value = try present(value, name)
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

    private static func capabilities(_ list: [String]) throws(RequestFault) -> Set<Capability> {
        try words(list, "capabilities")
        var capabilities: Set<Capability> = []
        for word in list {
            guard let capability = Capability(rawValue: word) else { throw .invalid(parameter: "capabilities") }
            capabilities.insert(capability)
        }
        return capabilities
    }

    private static func attributes(_ json: String) throws(RequestFault) -> SubmittedAttributes {
        do {
            return SubmittedAttributes(
                try AttributesJSON.decode(json).map { member in
                    switch member.content {
                    case .value(let value): (member.name, value)
                    case .wrongType: (member.name, nil)
                    }
                })
        } catch {
            throw .unreadableAttributes
        }
    }

    // MARK: Replies

    /// Says `outcome` in the words of V1.
    package static func reply(_ outcome: Outcome) -> Reply {
        switch outcome.verdict {
        case .refused(let refusal): failure(V1Failure(refusal), outcome)
        case .accepted(let interaction): reply(interaction, outcome)
        }
    }

    /// Says what is wrong with a request.
    package static func reply(_ fault: RequestFault, trace: Trace) -> Reply {
        failure(V1Failure(fault), trace: trace)
    }

    private static func reply(_ interaction: Interaction, _ outcome: Outcome) -> Reply {
        let token = outcome.token?.secret
        switch interaction {
        case .requestChallenge, .signIn:
            return success(ContinuationReply(continuationToken: token), outcome)
        case .proveAddress(let delivery):
            return success(
                ChallengeReply(
                    challengeType: .oneTimePasscode, continuationToken: token,
                    challengeChannel: "email", challengeTargetLabel: delivery.maskedTarget,
                    codeLength: delivery.codeLength, interval: delivery.resendInterval, bindingMethod: "prompt"),
                outcome)
        case .enterPassword:
            return success(
                ChallengeReply(challengeType: .password, continuationToken: token), outcome)
        case .chooseCredential:
            return failure(.credentialRequired, outcome)
        case .collectAttributes(let attributes):
            return failure(.attributesRequired, outcome, required: attributes)
        case .verifyFirst(let unverified):
            return failure(.verificationRequired, outcome, unverified: unverified)
        case .signedIn(let tokens):
            return success(
                TokenReply(
                    scope: tokens.scopes.joined(separator: " "), expiresIn: tokens.lifetime,
                    extExpiresIn: tokens.lifetime, accessToken: tokens.accessToken,
                    refreshToken: tokens.refreshToken, idToken: tokens.idToken,
                    clientInfo: ClientInfo(uid: tokens.user.description, utid: tokens.tenant.description).encoded),
                outcome)
        case .goToWeb(let reason):
            return success(RedirectReply(redirectReason: reason), outcome)
        }
    }

    private static func success(_ body: some Encodable, _ outcome: Outcome) -> Reply {
        do {
            return Reply(status: 200, body: try WireJSON.encode(body), trace: outcome.trace)
        } catch {
            return reply(.broken, trace: outcome.trace)
        }
    }

    private static func failure(
        _ failure: V1Failure, _ outcome: Outcome, required: [RequiredAttribute]? = nil, unverified: [String]? = nil
    ) -> Reply {
        self.failure(
            failure, trace: outcome.trace, token: outcome.token, required: required, unverified: unverified)
    }

    private static func failure(
        _ failure: V1Failure, trace: Trace, token: ContinuationToken? = nil, required: [RequiredAttribute]? = nil,
        unverified: [String]? = nil
    ) -> Reply {
        let timestamp = timestamp(trace.at)
        let traceID = trace.id.uuidString.lowercased()
        let correlationID = trace.correlationID.uuidString.lowercased()
        let body = ErrorReply(
            error: failure.error, suberror: failure.suberror,
            errorDescription:
                "AADSTS\(failure.code.rawValue): \(failure.text) Trace ID: \(traceID) Correlation ID: \(correlationID) Timestamp: \(timestamp)",
            errorCodes: [failure.code.rawValue], timestamp: timestamp, traceID: traceID,
            correlationID: correlationID, continuationToken: token?.secret, requiredAttributes: required,
            invalidAttributes: failure.invalidAttributes?.map { .init(name: $0) },
            unverifiedAttributes: unverified?.map { .init(name: $0) })
        var reply = Reply(
            status: failure.status, body: Data("{}".utf8), trace: trace, retryAfter: failure.retryAfter,
            allow: failure.allow)
        do {
            reply.body = try WireJSON.encode(body)
        } catch {
            // Text and numbers always encode; should they not, the status still says what to do.
            reply.status = 500
        }
        return reply
    }

    /// `2026-08-01 09:30:12Z` (native-auth-v1 §3.5).
    private static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(dateTimeSeparator: .space))
    }
}
