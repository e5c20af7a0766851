import Foundation
import NativeAuthCore
import Testing

@testable import NativeAuthWire

/// The bodies of the published reference (docs/protocol.md §4–§6), one file each, compared with their values.
enum Golden {
    static let client = "00001111-aaaa-2222-bbbb-3333cccc4444"
    private static let folder = Bundle.module.bundleURL.appending(path: "Golden/v1")

    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: name))
    }

    static func names(_ suffix: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(suffix) })
    }
}

/// A file with its request; `isCanonical` when the client would send the same bytes.
struct RequestGolden: Sendable, CustomTestStringConvertible {
    let file: String
    var isCanonical = true
    let check: @Sendable (FormFields) throws -> (isEqual: Bool, encoded: String)
    var testDescription: String { file }

    init<Request: FormRequest>(_ file: String, isCanonical: Bool = true, _ expected: Request) {
        self.file = file
        self.isCanonical = isCanonical
        check = { (try Request(form: $0) == expected, expected.form.encoded) }
    }

    static let signUp: [RequestGolden] = [
        .init(
            "signup-start-otp.form",
            V1.SignUp.StartRequest(
                clientID: Golden.client, username: "dahlia@example.com", challengeTypes: ["oob", "redirect"])),
        .init(
            "signup-start-password-attributes.form",
            V1.SignUp.StartRequest(
                clientID: Golden.client, username: "dahlia@example.com", password: Secret("Trüb & 9+%"),
                attributes: #"{"city":"København","newsletter":true}"#,
                challengeTypes: ["oob", "password", "redirect"],
                capabilities: ["mfa_required", "registration_required"])),
        .init(
            "signup-start-old-capability.form", isCanonical: false,
            V1.SignUp.StartRequest(
                clientID: Golden.client, username: "dahlia@example.com", challengeTypes: ["oob", "redirect"],
                capabilities: ["mfa_required", "registration_required"])),
        .init(
            "signup-challenge.form",
            V1.SignUp.ChallengeRequest(
                clientID: Golden.client, continuationToken: Secret("ct-su-1"),
                challengeTypes: ["oob", "password", "redirect"])),
        .init(
            "signup-challenge-bare.form",
            V1.SignUp.ChallengeRequest(clientID: Golden.client, continuationToken: Secret("ct-su-2"))),
        .init(
            "signup-continue-oob.form",
            V1.SignUp.ContinueRequest(
                clientID: Golden.client, continuationToken: Secret("ct-su-2"), grantType: .oob, oob: Secret("01234567"))
        ),
        .init(
            "signup-continue-password.form",
            V1.SignUp.ContinueRequest(
                clientID: Golden.client, continuationToken: Secret("ct-su-5"), grantType: .password,
                password: Secret("Correct-horse 9"))),
        .init(
            "signup-continue-password-blank.form", isCanonical: false,
            V1.SignUp.ContinueRequest(
                clientID: Golden.client, continuationToken: Secret("ct-su-5"), grantType: .password,
                password: Secret("Correct-horse 9"))),
        .init(
            "signup-continue-attributes.form",
            V1.SignUp.ContinueRequest(
                clientID: Golden.client, continuationToken: Secret("ct-su-6"), grantType: .attributes,
                attributes: #"{"city":"Redmond"}"#)),
        .init(
            "signup-continue-empty.form",
            V1.SignUp.ContinueRequest(
                clientID: "", continuationToken: Secret(""), grantType: GrantType(rawValue: ""), oob: Secret(""))),
        .init(
            "token-continuation.form",
            V1.TokenRequest(
                clientID: Golden.client, grantType: .continuationToken, continuationToken: Secret("ct-su-9"),
                scopes: ["openid", "profile", "offline_access"], username: "dahlia@example.com",
                challengeTypes: ["oob", "redirect"], clientInfo: "true")),
        .init(
            "token-continuation-claims.form",
            V1.TokenRequest(
                clientID: Golden.client, grantType: .continuationToken, continuationToken: Secret("ct-su-9"),
                scopes: ["api://orders/Orders.Read", "openid", "profile", "offline_access"],
                username: "dahlia@example.com", challengeTypes: ["oob", "redirect"], clientInfo: "true",
                claims: #"{"access_token":{"acrs":{"essential":true,"value":"c4"}}}"#)),
        .init(
            "token-refresh.form",
            V1.TokenRequest(
                clientID: Golden.client, grantType: .refreshToken, refreshToken: Secret("0.rt-1"),
                scopes: ["openid", "profile", "offline_access"], clientInfo: "1")),
        .init(
            "token-password.form",
            V1.TokenRequest(
                clientID: Golden.client, grantType: .password, continuationToken: Secret("ct-si-2"),
                password: Secret("Correct-horse 9&+"), scopes: ["openid", "profile", "offline_access"],
                username: "dahlia@example.com", challengeTypes: ["oob", "password", "redirect"], clientInfo: "true")),
        .init(
            "token-oob.form",
            V1.TokenRequest(
                clientID: Golden.client, grantType: .oob, continuationToken: Secret("ct-si-2"), oob: Secret("01234567"),
                scopes: ["openid", "profile", "offline_access"], clientInfo: "true")),
        .init(
            "token-mfa-oob.form",
            V1.TokenRequest(
                clientID: Golden.client, grantType: .mfaOOB, continuationToken: Secret("ct-mfa-5"),
                oob: Secret("01234567"), scopes: ["openid", "profile", "offline_access"], clientInfo: "true",
                claims: #"{"access_token":{"acrs":{"essential":true,"value":"c4"}}}"#)),
    ]

    static let signIn: [RequestGolden] = [
        .init(
            "signin-initiate.form",
            V1.SignIn.InitiateRequest(
                clientID: Golden.client, username: "dahlia@example.com",
                challengeTypes: ["oob", "password", "redirect"])),
        .init(
            "signin-initiate-capabilities.form",
            V1.SignIn.InitiateRequest(
                clientID: Golden.client, username: "Dahlia.99", challengeTypes: ["password", "redirect"],
                capabilities: ["mfa_required", "registration_required"])),
        .init(
            "signin-initiate-old-capability.form", isCanonical: false,
            V1.SignIn.InitiateRequest(
                clientID: Golden.client, username: "Dahlia.99", challengeTypes: ["password", "redirect"],
                capabilities: ["mfa_required", "registration_required"])),
        .init(
            "signin-challenge.form",
            V1.SignIn.ChallengeRequest(
                clientID: Golden.client, continuationToken: Secret("ct-si-1"),
                challengeTypes: ["oob", "password", "redirect"])),
        .init(
            "signin-challenge-method.form",
            V1.SignIn.ChallengeRequest(
                clientID: Golden.client, continuationToken: Secret("ct-mfa-2"),
                challengeTypes: ["oob", "password", "redirect"], id: "8f3f2f4e-0000-4000-8000-00000000000a")),
        .init(
            "signin-challenge-method-bare.form",
            V1.SignIn.ChallengeRequest(
                clientID: Golden.client, continuationToken: Secret("ct-mfa-2"),
                id: "8f3f2f4e-0000-4000-8000-00000000000a")),
        .init(
            "signin-introspect.form",
            V1.SignIn.IntrospectRequest(clientID: Golden.client, continuationToken: Secret("ct-mfa-1"))),
        .init(
            "signin-introspect-empty.form", V1.SignIn.IntrospectRequest(clientID: "", continuationToken: Secret(""))),
    ]

    static let resetPassword: [RequestGolden] = [
        .init(
            "resetpassword-start.form",
            V1.ResetPassword.StartRequest(
                clientID: Golden.client, username: "dahlia@example.com", challengeTypes: ["oob", "redirect"])),
        .init(
            "resetpassword-challenge.form",
            V1.ResetPassword.ChallengeRequest(
                clientID: Golden.client, continuationToken: Secret("ct-pr-1"), challengeTypes: ["oob", "redirect"])),
        .init(
            "resetpassword-continue.form",
            V1.ResetPassword.ContinueRequest(
                clientID: Golden.client, continuationToken: Secret("ct-pr-2"), grantType: .oob, oob: Secret("01234567"))
        ),
        .init(
            "resetpassword-submit.form",
            V1.ResetPassword.SubmitRequest(
                clientID: Golden.client, continuationToken: Secret("ct-pr-3"), newPassword: Secret("Trüb & 9+%"))),
        .init(
            "resetpassword-poll.form",
            V1.ResetPassword.PollCompletionRequest(clientID: Golden.client, continuationToken: Secret("ct-pr-4"))),
    ]

    static let register: [RequestGolden] = [
        .init(
            "register-introspect.form",
            V1.Register.IntrospectRequest(clientID: Golden.client, continuationToken: Secret("ct-rg-1"))),
        .init(
            "register-challenge.form",
            V1.Register.ChallengeRequest(
                clientID: Golden.client, continuationToken: Secret("ct-rg-2"), challengeType: "oob",
                challengeTarget: "dana+x@example.com", challengeChannel: "email")),
        .init(
            "register-challenge-bare.form",
            V1.Register.ChallengeRequest(
                clientID: Golden.client, continuationToken: Secret("ct-rg-2"), challengeType: "oob",
                challengeTarget: "+4512345678")),
        .init(
            "register-continue-oob.form",
            V1.Register.ContinueRequest(
                clientID: Golden.client, continuationToken: Secret("ct-rg-3"), grantType: .oob, oob: Secret("01234567"))
        ),
        .init(
            "register-continue-preverified.form",
            V1.Register.ContinueRequest(
                clientID: Golden.client, continuationToken: Secret("ct-rg-4"), grantType: .continuationToken)),
    ]

    static let tokens: [RequestGolden] = [
        .init(
            "revoke.form",
            RevocationRequest(token: Secret("0.AX"), tokenTypeHint: "refresh_token", clientID: Golden.client)),
        .init("tokeninfo.form", TokenIntrospectionRequest(token: Secret("eyJ.at.x"), clientID: Golden.client)),
    ]

    static let all = signUp + signIn + resetPassword + register + tokens
}

/// A file with its reply.
struct ReplyGolden: Sendable, CustomTestStringConvertible {
    let file: String
    let check: @Sendable (Data) throws -> (isEqual: Bool, encoded: Data)
    var testDescription: String { file }

    init<Reply: Codable & Equatable & Sendable>(_ file: String, _ expected: Reply) {
        self.file = file + ".json"
        check = { (try WireJSON.decode(Reply.self, from: $0) == expected, try WireJSON.encode(expected)) }
    }

    init<Reply: Decodable & JSONObjectWritable & Equatable & Sendable>(_ file: String, _ expected: Reply) {
        self.file = file + ".json"
        check = { (try WireJSON.decode(Reply.self, from: $0) == expected, try WireJSON.encode(expected)) }
    }

    /// A refusal with the members that every one has.
    static func refusal(
        _ file: String, _ error: String, _ code: Int, _ text: String, suberror: String? = nil, token: String? = nil,
        required: [RequiredAttribute]? = nil, invalid: [String]? = nil, unverified: [String]? = nil,
        uri: String? = nil, inner: [ErrorReply.InnerError]? = nil
    ) -> Self {
        let trace = "6d2c1a34-0000-4000-8000-000000000001"
        let correlation = "0b1e5f52-0000-4000-8000-000000000002"
        let time = "2026-08-01 09:30:12Z"
        return .init(
            "error-" + file,
            ErrorReply(
                error: WireErrorCode(rawValue: error), suberror: suberror.map(WireSuberror.init(rawValue:)),
                errorDescription:
                    "AADSTS\(code): \(text) Trace ID: \(trace) Correlation ID: \(correlation) Timestamp: \(time)",
                errorCodes: [code], errorURI: uri, innerErrors: inner, timestamp: time, traceID: trace,
                correlationID: correlation, continuationToken: token.map { Secret($0) }, requiredAttributes: required,
                invalidAttributes: invalid?.map(ErrorReply.AttributeName.init(name:)),
                unverifiedAttributes: unverified?.map(ErrorReply.AttributeName.init(name:))))
    }

    static let successes: [ReplyGolden] = [
        .init("signup-start-success", ContinuationReply(continuationToken: Secret("ct-su-1"))),
        .init(
            "signup-challenge-oob",
            ChallengeReply(
                challengeType: .oneTimePasscode, continuationToken: Secret("ct-su-2"), challengeChannel: "email",
                challengeTargetLabel: "d***a@ex***le.com", codeLength: 8, interval: 300, bindingMethod: "prompt")),
        .init(
            "signup-challenge-oob-minimal",
            ChallengeReply(
                challengeType: .oneTimePasscode, continuationToken: Secret("ct-su-2"), challengeChannel: "email",
                challengeTargetLabel: "d***a@ex***le.com", codeLength: 6)),
        .init(
            "signup-challenge-password",
            ChallengeReply(challengeType: .password, continuationToken: Secret("ct-su-4"))),
        .init("signup-continue-success", ContinuationReply(continuationToken: Secret("ct-su-9"))),
        .init("signup-continue-success-without-token", ContinuationReply(continuationToken: nil)),
        .init("redirect", RedirectReply()),
        .init("redirect-reason", RedirectReply(redirectReason: "Client is missing mfa_required capability")),
        .init(
            "token-success",
            TokenReply(
                scope: "openid profile offline_access api://orders/Orders.Read", expiresIn: 4141, extExpiresIn: 4141,
                accessToken: Secret("eyJ.at.x"), refreshToken: Secret("0.AX"), idToken: Secret("eyJ.idt.x"),
                clientInfo: ClientInfo(uid: "oid", utid: "tid").encoded)),
        .init("openid-configuration", discovery),
        // Sign-in (docs/protocol.md §4.4–§4.6).
        .init("signin-initiate-success", ContinuationReply(continuationToken: Secret("ct-si-1"))),
        .init(
            "signin-challenge-password",
            ChallengeReply(challengeType: .password, continuationToken: Secret("ct-si-2"))),
        .init(
            "signin-challenge-sms",
            ChallengeReply(
                challengeType: .oneTimePasscode, continuationToken: Secret("ct-mfa-5"), challengeChannel: "sms",
                challengeTargetLabel: "+1********6", codeLength: 8, interval: 300, bindingMethod: "prompt")),
        .init(
            "signin-introspect-success",
            IntrospectReply(
                continuationToken: Secret("ct-mfa-2"),
                methods: [
                    .init(
                        id: "8f3f2f4e-0000-4000-8000-00000000000a", challengeType: "oob", challengeChannel: "email",
                        loginHint: "d***a@ex***le.com"),
                    .init(id: "c1a0", challengeType: "oob", challengeChannel: "sms", loginHint: "+1********6"),
                ])),
        // Password reset (docs/protocol.md §4.8).
        .init(
            "resetpassword-challenge-oob",
            ChallengeReply(
                challengeType: .oneTimePasscode, continuationToken: Secret("ct-pr-2"), challengeChannel: "email",
                challengeTargetLabel: "d***a@ex***le.com", codeLength: 8, interval: 300, bindingMethod: "prompt")),
        .init(
            "resetpassword-continue-success",
            V1.ResetPassword.ContinueReply(continuationToken: Secret("ct-pr-3"), expiresIn: 600)),
        .init(
            "resetpassword-submit-success",
            V1.ResetPassword.SubmitReply(continuationToken: Secret("ct-pr-4"), pollInterval: 2)),
        .init(
            "resetpassword-poll-succeeded",
            V1.ResetPassword.PollCompletionReply(status: .succeeded, continuationToken: Secret("ct-pr-5"))),
        .init("resetpassword-poll-in-progress", V1.ResetPassword.PollCompletionReply(status: .inProgress)),
        .init("resetpassword-poll-not-started", V1.ResetPassword.PollCompletionReply(status: .notStarted)),
        .init(
            "resetpassword-poll-failed",
            V1.ResetPassword.PollCompletionReply(status: .failed, continuationToken: Secret("ct-pr-6"))),
        // Registration (docs/protocol.md §4.9).
        .init(
            "register-introspect-success",
            IntrospectReply(
                continuationToken: Secret("ct-rg-2"),
                methods: [
                    .init(id: "email", challengeType: "oob", challengeChannel: "email", loginHint: "dana@example.com"),
                    .init(id: "sms", challengeType: "oob", challengeChannel: "sms"),
                ])),
        .init(
            "register-challenge-oob",
            V1.Register.ChallengeReply(
                challengeType: "oob", continuationToken: Secret("ct-rg-3"), challengeTarget: "dana@example.com",
                challengeChannel: "email", codeLength: 8, bindingMethod: "prompt")),
        .init(
            "register-challenge-preverified",
            V1.Register.ChallengeReply(
                challengeType: V1.Register.ChallengeReply.preverified, continuationToken: Secret("ct-rg-4"))),
        .init("register-continue-success", ContinuationReply(continuationToken: Secret("ct-rg-5"))),
        // Tokens, as resource servers see them (RFC 7662 §2.2, OpenID Connect Core 1.0 §5.3.2).
        .init(
            "tokeninfo-active",
            TokenIntrospectionReply(
                active: true, scope: "Orders.Read", clientID: Golden.client, username: "dahlia@example.com",
                tokenType: "Bearer", expiration: 1_785_580_200, issuedAt: 1_785_576_600, subject: "sub",
                audience: "api://orders", issuer: discovery.issuer, authenticationContexts: ["c4"])),
        .init("tokeninfo-inactive", TokenIntrospectionReply.inactive),
        .init(
            "userinfo",
            UserInfoReply(
                subject: "sub", name: "Dahlia Dahl", givenName: "Dahlia", familyName: "Dahl",
                preferredUsername: "dahlia@example.com", email: "dahlia@example.com", isEmailVerified: true)),
    ]

    private static let discovery: OpenIDConfiguration = {
        let tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee"
        let base = "https://contoso.ciamlogin.com/\(tenant)"
        return OpenIDConfiguration(
            issuer: "https://\(tenant).ciamlogin.com/\(tenant)/v2.0",
            authorizationEndpoint: "\(base)/\(MetadataEndpoint.authorize.rawValue)",
            tokenEndpoint: "\(base)/\(V1Endpoint.token.rawValue)",
            jwksURI: "\(base)/\(MetadataEndpoint.jsonWebKeys.rawValue)",
            endSessionEndpoint: "\(base)/\(MetadataEndpoint.logout.rawValue)",
            userinfoEndpoint: "\(base)/\(MetadataEndpoint.userInfo.rawValue)",
            revocationEndpoint: "\(base)/\(MetadataEndpoint.revocation.rawValue)",
            introspectionEndpoint: "\(base)/\(MetadataEndpoint.tokenIntrospection.rawValue)",
            responseTypesSupported: ["code"], subjectTypesSupported: ["pairwise"],
            idTokenSigningAlgValuesSupported: ["RS256"],
            scopesSupported: ["openid", "profile", "email", "offline_access"])
    }()

    static let refusals: [ReplyGolden] = [
        // Every endpoint (docs/protocol.md §4.0).
        .refusal(
            "missing-parameter", "invalid_request", 900144, "The request body must contain the parameter: 'username'."),
        .refusal("malformed", "invalid_request", 9_002_313, "The request is malformed."),
        .refusal(
            "redirect-missing-901007", "invalid_request", 901007, "The challenge type list must contain redirect."),
        .refusal("continuation-token-invalid", "invalid_request", 55200, "The continuation token is not valid."),
        .refusal("unauthorized-client", "unauthorized_client", 700016, "The application is not known in the tenant."),
        .refusal(
            "native-auth-disabled", "invalid_client", 7_000_218, "Native authentication is not enabled.",
            suberror: "nativeauthapi_disabled"),
        .refusal(
            "unsupported-challenge-type", "unsupported_challenge_type", 901007,
            "The challenge type list must contain redirect."),
        .refusal("expired-token", "expired_token", 552003, "The continuation token has expired."),
        .refusal("confidential-client", "invalid_client", 550022, "Confidential clients are not supported."),
        .refusal("throttled", "invalid_request", 90055, "Too many requests for the tenant."),
        // Start (docs/protocol.md §4.1).
        .refusal("username", "invalid_request", 90100, "username parameter is empty or not valid."),
        .refusal("client-id", "invalid_request", 90100, "client_id parameter is empty or not valid."),
        .refusal("user-already-exists", "user_already_exists", 1_003_037, "The user exists."),
        .refusal(
            "password-too-weak", "invalid_grant", 399246, "The new password is refused.", suberror: "password_too_weak"),
        .refusal(
            "password-too-short", "invalid_grant", 399246, "The new password is refused.",
            suberror: "password_too_short"),
        .refusal(
            "password-too-long", "invalid_grant", 399246, "The new password is refused.", suberror: "password_too_long"),
        .refusal(
            "password-recently-used", "invalid_grant", 399246, "The new password is refused.",
            suberror: "password_recently_used"),
        .refusal(
            "password-banned", "invalid_grant", 399246, "The new password is refused.", suberror: "password_banned"),
        .refusal(
            "password-is-invalid", "invalid_grant", 399246, "The new password is refused.",
            suberror: "password_is_invalid"),
        .refusal(
            "attribute-validation-failed", "invalid_grant", 9_002_313, "Attributes are refused.",
            suberror: "attribute_validation_failed", invalid: ["city", "flatusername"]),
        .refusal("unsupported-auth-method", "unsupported_auth_method", 400002, "The method is not supported."),
        // Challenge (docs/protocol.md §4.2).
        .refusal("no-more-codes", "invalid_request", 701014, "No more codes can be made."),
        .refusal("challenge-invalid-grant", "invalid_grant", 55200, "The continuation token is not valid."),
        // Continue (docs/protocol.md §4.3).
        .refusal("credential-required", "credential_required", 55103, "A credential is required.", token: "ct-su-3"),
        .refusal(
            "attributes-required", "attributes_required", 55106, "Attributes are required.", token: "ct-su-6",
            required: [
                RequiredAttribute(name: "city", type: "string", isRequired: true, regex: nil),
                RequiredAttribute(
                    name: "extension_0123_LoyaltyNumber", type: "integer", isRequired: false, regex: "^[0-9]{3}$"),
            ]),
        .refusal(
            "verification-required", "verification_required", 55107, "The address is not verified.", token: "ct-su-7",
            unverified: ["email"]),
        .refusal("invalid-oob-value", "invalid_grant", 50181, "The code is wrong.", suberror: "invalid_oob_value"),
        // Token (docs/protocol.md §4.7).
        .refusal("token-wrong-credentials", "invalid_grant", 50126, "The credentials are wrong."),
        .refusal(
            "token-mfa-required", "invalid_grant", 50076, "A second factor is needed.", suberror: "mfa_required",
            token: "ct-mfa-1"),
        .refusal(
            "token-registration-required", "invalid_grant", 50079, "A method must be registered.",
            suberror: "registration_required", token: "ct-jit-1"),
        .refusal("token-user-not-found", "user_not_found", 50034, "The user is gone."),
        .refusal("token-scope-not-consented", "invalid_grant", 65001, "The scope is not consented to."),
        .refusal("token-password-change", "invalid_request", 50142, "The password must be changed."),
        .refusal("token-invalid-scope", "invalid_scope", 70011, "The scope is not valid."),
        .refusal("token-unsupported-grant", "unsupported_grant_type", 70003, "The grant type is not supported."),
        .refusal("token-refresh-expired", "invalid_grant", 70008, "The refresh token has expired."),
        .refusal(
            "token-refresh-inactive", "invalid_grant", 700082, "The refresh token has expired due to inactivity."),
        // Sign-in (docs/protocol.md §4.4, §4.5).
        .refusal(
            "signin-user-not-found", "user_not_found", 50034, "The user does not exist."),
        .refusal(
            "method-blocked", "access_denied", 550024, "The method is blocked.",
            suberror: "provider_blocked_by_rep"),
        .refusal(
            "method-blocked-by-admin", "access_denied", 53003, "The method is not allowed.",
            suberror: "provider_blocked_by_admin"),
        .refusal(
            "introspect-required", "invalid_request", 50074, "Ask for the methods first.",
            suberror: "introspect_required"),
        .refusal(
            "token-account-locked", "invalid_grant", 50053, "The account is locked."),
        .refusal(
            "token-wrong-type", "invalid_grant", 400002, "The user signs in with codes."),
        // Password reset (docs/protocol.md §4.8).
        .refusal(
            "no-password", "invalid_request", 500222, "The tenant or user does not support native credential recovery."),
        // Registration (docs/protocol.md §4.9).
        .refusal(
            "contact-invalid", "invalid_request", 901001, "The contact is not valid."),
        // Revocation (RFC 7009 §2.2.1).
        .refusal(
            "unsupported-token-type", "unsupported_token_type", 90023, "Only refresh tokens can be revoked."),
        .refusal(
            "inner", "server_error", 90023, "Something inside failed.",
            uri: "https://login.example.test/error?code=90023",
            inner: [
                .init(error: "a", errorDescription: "b"), .init(error: "c", errorDescription: nil),
            ]),
    ]
}

@Suite("Wire goldens")
struct GoldenTests {
    @Test(arguments: RequestGolden.all)
    func aRequestOfTheReferenceMeansWhatItSays(_ golden: RequestGolden) throws {
        let body = try Golden.data(golden.file)
        let (isEqual, encoded) = try golden.check(FormFields(decoding: body))
        #expect(isEqual)
        if golden.isCanonical { #expect(encoded == String(decoding: body, as: UTF8.self)) }
        // Whatever the file's spelling, our spelling of it has the same meaning.
        #expect(try golden.check(FormFields(decoding: Array(encoded.utf8))).isEqual)
    }

    @Test(arguments: ReplyGolden.successes + ReplyGolden.refusals)
    func aReplyOfTheReferenceIsReadAndWrittenBack(_ golden: ReplyGolden) throws {
        let body = try Golden.data(golden.file)
        let (isEqual, encoded) = try golden.check(body)
        #expect(isEqual)
        let (written, original) = try (object(encoded), object(body))
        #expect(written == original)
    }

    @Test func everyGoldenFileIsUsed() throws {
        #expect(try Golden.names(".form") == Set(RequestGolden.all.map(\.file)))
        #expect(try Golden.names(".json") == Set((ReplyGolden.successes + ReplyGolden.refusals).map(\.file)))
    }

    private func object(_ data: Data) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: data) as? NSDictionary)
    }
}

@Suite("Replies")
struct ReplyTests {
    @Test func equalValuesGiveEqualBytes() throws {
        let info = OpenIDConfiguration(
            issuer: "https://a/b", authorizationEndpoint: "c", tokenEndpoint: "d", jwksURI: "e")
        let json = #"{"authorization_endpoint":"c","issuer":"https://a/b","jwks_uri":"e","token_endpoint":"d"}"#
        #expect(try WireJSON.encode(info) == Data(json.utf8))
    }

    @Test func membersThatAreNotKnownAreIgnored() throws {
        let reply: ContinuationReply = try decode(#"{"continuation_token":"a","correlation_id":7,"x":{"y":[1]}}"#)
        #expect(reply == ContinuationReply(continuationToken: Secret("a")))
    }

    @Test(arguments: [
        #"{"challenge_type":"OOB"}"#, #"{"challenge_type":"preverified"}"#, #"{"challenge_type":1}"#,
        #"{"challenge_type":"oob","code_length":"8"}"#, #"{"challenge_type":"oob","interval":"300"}"#,
        #"{"challenge_type":"oob","continuation_token":7}"#, "", "[]", "null",
    ])
    func aChallengeReplyOfAnotherTypeIsRefused(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(json) as ChallengeReply }
    }

    @Test(arguments: [
        "{}", #"{"error":7}"#, #"{"error":"a","error_codes":["1"]}"#, #"{"error":"a","error_codes":[1.5]}"#,
        #"{"error":"a","required_attributes":[{"type":"string","required":true}]}"#,
        #"{"error":"a","required_attributes":[{"name":"n","required":true}]}"#,
        #"{"error":"a","required_attributes":[{"name":"n","type":"string"}]}"#,
        #"{"error":"a","invalid_attributes":[{}]}"#,
    ])
    func anErrorReplyOfAnotherTypeIsRefused(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(json) as ErrorReply }
    }

    @Test(arguments: [
        #"{"methods":[{"challenge_type":"oob","challenge_channel":"email"}]}"#,
        #"{"methods":[{"id":"1","challenge_channel":"email"}]}"#, #"{"methods":[{"id":"1","challenge_type":"oob"}]}"#,
        #"{"methods":[{"id":1,"challenge_type":"oob","challenge_channel":"email"}]}"#, #"{"methods":"email"}"#,
        #"{"continuation_token":7}"#,
    ])
    func anIntrospectReplyOfAnotherTypeIsRefused(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(json) as IntrospectReply }
    }

    @Test func aReplyOfTheResetWithAQuotedNumberIsRefused() {
        #expect(throws: DecodingError.self) {
            try decode(#"{"expires_in":"600"}"#) as V1.ResetPassword.ContinueReply
        }
        #expect(throws: DecodingError.self) {
            try decode(#"{"poll_interval":"2"}"#) as V1.ResetPassword.SubmitReply
        }
    }

    @Test(arguments: ["{}", #"{"status":7}"#, #"{"status":null}"#])
    func aPollWithoutStatusIsRefused(_ json: String) {
        #expect(throws: DecodingError.self) { try decode(json) as V1.ResetPassword.PollCompletionReply }
    }

    @Test func unknownWordsSurvive() throws {
        let poll: V1.ResetPassword.PollCompletionReply = try decode(#"{"status":"newer"}"#)
        #expect(poll.status.rawValue == "newer")
        let method: IntrospectReply.Method = try decode(
            #"{"id":"1","challenge_type":"newer","challenge_channel":"pigeon"}"#)
        #expect(method.challengeType == "newer" && method.challengeChannel == "pigeon")
        let challenge: V1.Register.ChallengeReply = try decode(#"{"challenge_type":"newer"}"#)
        #expect(challenge.challengeType == "newer")
    }

    @Test func theHeadOfAReplyKnowsTheThreeWordsAndPreverified() throws {
        #expect(try (decode(#"{"challenge_type":"redirect"}"#) as ReplyHead).challengeType == .redirect)
        #expect(try (decode(#"{"challenge_type":"preverified"}"#) as ReplyHead).challengeType == nil)
        #expect(try (decode("{}") as ReplyHead).challengeType == nil)
        #expect(throws: DecodingError.self) { try decode(#"{"challenge_type":"Redirect"}"#) as ReplyHead }
    }

    @Test func unknownErrorWordsSurvive() throws {
        let reply: ErrorReply = try decode(#"{"error":"brand_new","suberror":"newer"}"#)
        #expect(reply.error.rawValue == "brand_new")
        #expect(reply.suberror?.rawValue == "newer")
    }

    @Test(arguments: [("4141", 4141), ("\"4141\"", 4141)])
    func aLifetimeMayBeNumericText(_ json: String, _ seconds: Int) throws {
        let reply: TokenReply = try decode("{\"expires_in\":\(json)}")
        #expect(reply.expiresIn == seconds)
    }

    @Test(arguments: ["\"soon\"", "true", "[1]"])
    func aLifetimeOfAnotherTypeIsRefused(_ json: String) {
        #expect(throws: DecodingError.self) { try decode("{\"expires_in\":\(json)}") as TokenReply }
    }

    @Test("SDK-NET-3: a body nested deeper than 16 levels is refused, brackets in text do not count")
    func depthIsLimited() throws {
        let nested = { (depth: Int) in
            #"{"x":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        _ = try decode(nested(15)) as ContinuationReply
        #expect(throws: WireJSON.Failure.tooDeep) { try decode(nested(16)) as ContinuationReply }
        _ = try decode(#"{"x":"\"[[[[[[[[[[[[[[[[[[[["}"#) as ContinuationReply
    }

    @Test("An error writes each member that it has")
    func noMemberIsForgotten() throws {
        let error = ErrorReply(
            error: .invalidGrant, suberror: .passwordTooWeak, errorDescription: "text", errorCodes: [1],
            errorURI: "uri", innerErrors: [], timestamp: "time", traceID: "trace", correlationID: "correlation",
            continuationToken: Secret("token"), requiredAttributes: [], invalidAttributes: [], unverifiedAttributes: [])
        let members: [String: JSONValue] = try WireJSON.decode(from: WireJSON.encode(error))
        #expect(members.count == Mirror(reflecting: error).children.count)
        #expect(try WireJSON.decode(from: WireJSON.encode(error)) == error)
    }

    @Test func clientInfoIsUnpaddedBase64URL() throws {
        let info = ClientInfo(uid: "oid", utid: "tid")
        #expect(info.encoded == "eyJ1aWQiOiJvaWQiLCJ1dGlkIjoidGlkIn0")
        #expect(ClientInfo(encoded: info.encoded) == info)
        for wrong in ["", "e30", "eyJ1aWQiOiJvaWQiLCJ1dGlkIjoidGlkIn0=", "!", "bm8"] {
            #expect(ClientInfo(encoded: wrong) == nil)
        }
    }

    @Test("SEC-LOG-1: printing a reply or a request shows no secret")
    func nothingSecretIsPrinted() {
        let secret = "canary-7f3a"
        let values: [Any] = [
            ContinuationReply(continuationToken: Secret(secret)),
            ErrorReply(error: .credentialRequired, continuationToken: Secret(secret)),
            TokenReply(
                scope: nil, expiresIn: nil, accessToken: Secret(secret), refreshToken: Secret(secret),
                idToken: Secret(secret), clientInfo: nil),
            V1.SignUp.ContinueRequest(
                clientID: nil, continuationToken: Secret(secret), grantType: .oob, oob: Secret(secret),
                password: Secret(secret)),
            V1.SignUp.ContinueRequest(
                clientID: nil, continuationToken: Secret(secret), grantType: .oob, oob: Secret(secret)
            ).form,
            V1.SignIn.ChallengeRequest(clientID: nil, continuationToken: Secret(secret)),
            V1.ResetPassword.SubmitRequest(
                clientID: nil, continuationToken: Secret(secret), newPassword: Secret(secret)),
            V1.Register.ChallengeReply(challengeType: "oob", continuationToken: Secret(secret)),
            IntrospectReply(continuationToken: Secret(secret), methods: []),
            RevocationRequest(token: Secret(secret), clientID: nil),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains(secret))
        }
    }

    private func decode<Value: Decodable>(_ json: String) throws -> Value {
        try WireJSON.decode(from: Data(json.utf8))
    }
}
