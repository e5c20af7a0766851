package import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Turns outcomes into V1 replies.
extension V1Codec {
    /// The V1 reply for `outcome`.
    ///
    /// - Parameter hint: A sentence for the developer, development profile only. It follows the description of an
    ///   error; in a success it is the description.
    package static func reply(_ outcome: Outcome, hint: String? = nil) -> Reply {
        switch outcome.verdict {
        case .refused(let refusal): failure(V1Failure(refusal).with(hint: hint), outcome)
        case .accepted(let interaction): reply(interaction, outcome, hint: hint)
        }
    }

    /// The V1 reply for a faulty request.
    package static func reply(_ fault: RequestFault, trace: Trace) -> Reply {
        failure(V1Failure(fault), trace: trace)
    }

    /// The reply to a fault of an authorization request that is pushed (RFC 9126 section 2.3).
    static func reply(_ error: AuthorizeError, trace: Trace) -> Reply {
        let (timestamp, code) = (timestamp(trace.at), error.code ?? AADSTSCode.requestInvalid.rawValue)
        let body = ErrorReply(
            error: WireErrorCode(rawValue: error.error), suberror: nil,
            errorDescription:
                "AADSTS\(code): \(error.text) Trace ID: \(trace.id.text) Correlation ID: \(trace.correlationID.text) Timestamp: \(timestamp)",
            errorCodes: [code], timestamp: timestamp, traceID: trace.id.text,
            correlationID: trace.correlationID.text, continuationToken: nil, requiredAttributes: nil,
            invalidAttributes: nil, unverifiedAttributes: nil)
        do {
            return Reply(
                status: 400, body: try WireJSON.encode(body), trace: trace, failure: error.error, errorCode: code)
        } catch {
            return reply(.broken, trace: trace)
        }
    }

    /// The reply to a daemon.
    package static func reply(_ verdict: DaemonVerdict, trace: Trace) -> Reply {
        switch verdict {
        case .issued(let token):
            let reply = TokenReply(
                scope: nil, expiresIn: token.lifetime, extExpiresIn: token.lifetime, accessToken: token.accessToken,
                refreshToken: nil, idToken: nil, clientInfo: nil)
            return success(trace: trace) { try WireJSON.encode(reply) }
        case .refused(let refusal): return failure(V1Failure(refusal), trace: trace)
        }
    }

    private static func reply(_ interaction: Interaction, _ outcome: Outcome, hint: String?) -> Reply {
        let token = outcome.token?.secret
        switch interaction {
        case .requestChallenge, .signIn:
            return success(ContinuationReply(continuationToken: token, description: hint), outcome)
        case .proveAddress(let delivery):
            var reply = ChallengeReply(
                challengeType: .oneTimePasscode, continuationToken: token,
                challengeChannel: delivery.channel?.rawValue ?? "email",
                challengeTargetLabel: delivery.maskedTarget, codeLength: delivery.codeLength,
                interval: delivery.isSent ? delivery.resendInterval : nil, bindingMethod: "prompt")
            reply.rememberDeviceFor = delivery.rememberableFor
            return success(reply, outcome)
        case .proveContact(let contact, let codeLength, let channel):
            return success(
                V1.Register.ChallengeReply(
                    challengeType: ChallengeType.oneTimePasscode.rawValue, continuationToken: token,
                    challengeTarget: contact, challengeChannel: channel?.rawValue ?? "email", codeLength: codeLength,
                    bindingMethod: "prompt"), outcome)
        case .contactAlreadyProven:
            return success(
                V1.Register.ChallengeReply(
                    challengeType: V1.Register.ChallengeReply.preverified, continuationToken: token), outcome)
        case .usePasskey(let offer):
            return success(
                ChallengeReply(
                    challengeType: .passkey, continuationToken: token, publicKey: offer.json), outcome)
        case .useProvider(let offer):
            return success(
                ChallengeReply(
                    challengeType: .federated, continuationToken: token, provider: offer.provider, nonce: offer.nonce,
                    expiresIn: offer.expiresIn), outcome)
        case .linkAccount:
            return failure(.linkRequired, outcome)
        case .nameMailbox:
            return failure(.verificationRequired, outcome, unverified: ["email"])
        case .chooseMethod(let methods):
            // A code of an app that the user has is asked for like one by mail.
            let isNew = outcome.allowed.contains(.challengeContact)
            func type(_ method: OfferedMethod) -> ChallengeType {
                switch method.channel {
                case .passkey: .passkey
                case .authenticatorApp where isNew: .authenticatorApp
                case .authenticatorApp, .recoveryCode, .textMessage, nil: .oneTimePasscode
                }
            }
            return success(
                IntrospectReply(
                    continuationToken: token,
                    methods: methods.map {
                        IntrospectReply.Method(
                            id: $0.id,
                            challengeType: type($0).rawValue,
                            challengeChannel: $0.channel?.rawValue ?? "email",
                            loginHint: $0.hint.isEmpty ? nil : $0.hint)
                    }), outcome)
        case .giveSecondFactor:
            return failure(.secondFactorRequired, outcome)
        case .registerMethod:
            return failure(.registrationRequired, outcome)
        case .choosePassword(let seconds):
            return success(V1.ResetPassword.ContinueReply(continuationToken: token, expiresIn: seconds), outcome)
        case .awaitReset(let seconds):
            return success(V1.ResetPassword.SubmitReply(continuationToken: token, pollInterval: seconds), outcome)
        case .passwordChanged:
            return success(
                V1.ResetPassword.PollCompletionReply(status: .succeeded, continuationToken: token), outcome)
        case .revoked, .accountChanged:
            return Reply(status: 200, body: Data("{}".utf8), trace: outcome.trace)
        case .enterPassword:
            return success(
                ChallengeReply(challengeType: .password, continuationToken: token), outcome)
        case .chooseCredential:
            return failure(.credentialRequired, outcome)
        case .collectAttributes(let attributes):
            return failure(.attributesRequired.with(hint: hint), outcome, required: attributes)
        case .verifyFirst(let unverified):
            return failure(.verificationRequired.with(hint: hint), outcome, unverified: unverified)
        case .signedIn(let tokens):
            var reply = TokenReply(
                tokenType: tokens.isBound ? "DPoP" : "Bearer", scope: tokens.scopes.joined(separator: " "),
                expiresIn: tokens.lifetime,
                extExpiresIn: tokens.lifetime, accessToken: tokens.accessToken,
                refreshToken: tokens.refreshToken, idToken: tokens.idToken,
                clientInfo: ClientInfo(uid: tokens.user.description, utid: tokens.tenant.description).encoded)
            reply.deviceRememberedFor = tokens.deviceRememberedFor
            return success(reply, outcome)
        case .ticket(let ticket):
            var reply = TokenReply(
                tokenType: "N_A", scope: nil, expiresIn: ticket.lifetime, accessToken: ticket.text, refreshToken: nil,
                idToken: nil, clientInfo: nil)
            reply.issuedTokenType = TokenExchange.ticketType
            return success(reply, outcome)
        // Only hosted pages ask for it.
        case .signedInBrowser: return reply(.broken, trace: outcome.trace)
        case .createPasskey(let offer):
            return success(
                V1.Register.ChallengeReply(
                    challengeType: ChallengeType.passkey.rawValue, continuationToken: token, publicKey: offer.json),
                outcome)
        case .enrolApp(let offer):
            return success(
                V1.Register.ChallengeReply(
                    challengeType: ChallengeType.authenticatorApp.rawValue, continuationToken: token,
                    codeLength: AppSecret.digits, secret: offer.secret, otpauthURI: offer.address, algorithm: "SHA1",
                    digits: AppSecret.digits, period: AppSecret.period),
                outcome)
        case .redirectToBrowser(let reason):
            return success(RedirectReply(redirectReason: reason.text), outcome)
        }
    }

    private static func success(_ body: some Encodable, _ outcome: Outcome) -> Reply {
        success(trace: outcome.trace) { try WireJSON.encode(body) }
    }

    private static func success(_ body: some JSONObjectWritable, _ outcome: Outcome) -> Reply {
        success(trace: outcome.trace) { try WireJSON.encode(body) }
    }

    private static func success(trace: Trace, body: () throws -> Data) -> Reply {
        do {
            return Reply(status: 200, body: try body(), trace: trace)
        } catch {
            return reply(.broken, trace: trace)
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
        let traceID = trace.id.text
        let correlationID = trace.correlationID.text
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
            allow: failure.allow, failure: failure.suberror?.rawValue ?? failure.error.rawValue,
            errorCode: failure.code.rawValue)
        do {
            reply.body = try WireJSON.encode(body)
        } catch {
            // Text and numbers always encode; if encoding fails, the status still tells the client what to do.
            reply.status = 500
        }
        return reply
    }

    /// `2026-08-01 09:30:12Z` (docs/protocol.md §3.5).
    private static func timestamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(dateTimeSeparator: .space))
    }
}

extension RedirectReason {
    /// The member `redirect_reason` (docs/protocol.md §3.2, §8.5).
    fileprivate var text: String {
        switch self {
        case .missingChallengeType(let type): "Client is missing \(type.rawValue) challenge type"
        case .missingCapability(let capability): "Client is missing \(capability.rawValue) capability"
        case .noPassword: "The user has no password, and a second factor needs one"
        case .otherMailboxNeeded: "The second factor must reach another mailbox than the reset"
        case .methodNotTaken: "The app cannot use the user's second factor"
        case .methodSuspended: "The second factor is suspended after a reset"
        case .strongerMethodNeeded: "The user has no method of the level that is demanded, and can register none here"
        case .passwordFromReset: "The password came from a reset, and the second factor must be another one"
        }
    }
}
