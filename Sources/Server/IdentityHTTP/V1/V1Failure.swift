import IdentityEngine
import NativeAuthCore
package import NativeAuthWire

/// A fault of a request before any flow runs: the codec's own refusals.
package enum RequestFault: Error, Hashable, Sendable {
    /// The body is not a form, or breaks a limit of `SEC-NET-9`; the reason is a constant.
    case malformed(FormError)
    case missing(parameter: String)
    case invalid(parameter: String)
    /// The list lacks `redirect` (docs/protocol.md §3.2).
    case redirectNotAccepted
    case unknownGrant
    /// The attributes are not a flat JSON object (`SEC-NET-8`).
    case unreadableAttributes
    case wrongMethod(allowed: String)
    /// A parameter of the API is in the URL, which logs would store (`SEC-NET-9`, `SEC-CT-8`).
    case parametersInQuery
    case unknownTenant
    case wrongContentType
    case bodyTooLarge
    case headersTooLarge
    case uriTooLong
    /// The request uses a host name that is not the server's (`SEC-NET-1`), or did not come by https from the proxy in front
    /// (`SEC-NET-3`).
    case misdirected
    case unknownPath
    /// The page that calls is of another origin than the application's.
    case foreignOrigin
    case throttled(retryAfter: Int)
    case unavailable(retryAfter: Int)
    case broken
}

/// A V1 error (docs/protocol.md §3.5): one row of a table of docs/develop/endpoints.md.
struct V1Failure: Hashable, Sendable {
    var status: Int = 400
    var error: WireErrorCode
    var suberror: WireSuberror?
    var code: AADSTSCode
    /// A sentence without any value from the request; that of a hook is its receiver's.
    var text: String
    var invalidAttributes: [String]?
    var retryAfter: Int?
    var allow: String?

    private init(
        _ error: WireErrorCode, _ suberror: WireSuberror?, _ code: AADSTSCode, _ text: String, status: Int = 400
    ) {
        self.status = status
        self.error = error
        self.suberror = suberror
        self.code = code
        self.text = text
    }

    private init(_ error: WireErrorCode, _ code: AADSTSCode, _ text: String, status: Int = 400) {
        self.init(error, nil, code, text, status: status)
    }

    /// The error table of flows. A new refusal does not compile until it has a row.
    init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .unknownTenant:
                Self(.invalidRequest, .tenantNotFound, "The tenant in the path does not exist.")
            case .unknownClient:
                Self(
                    .unauthorizedClient, .applicationNotFound,
                    "The application with this client_id does not exist in the tenant.")
            case .nativeAuthDisabled:
                Self(
                    .invalidClient, .nativeAuthAPIDisabled, .applicationDisabled,
                    "Native authentication is not enabled for this application, or it has no user flow.")
            case .signUpNotAllowed:
                Self(
                    .unauthorizedClient, .applicationDisabled, "The user flow of this application allows no sign-up.")
            case .invalidUsername:
                Self(.invalidRequest, .parameterEmptyOrInvalid, "\(AADSTSCode.usernamePhrase).")
            case .userAlreadyExists:
                Self(.userAlreadyExists, .userAlreadyExists, "A user with this e-mail address or username exists.")
            case .unacceptablePassword(let fault):
                Self(.invalidGrant, WireSuberror(fault), .passwordTooWeak, fault.sentence)
            case .passwordNotUsed:
                Self(
                    .invalidRequest, .requestInvalid,
                    "Users of this application sign in with a one-time passcode; leave the password out.")
            case .invalidAttributes:
                Self(
                    .invalidGrant, .attributeValidationFailed, .requestInvalid,
                    "One or more attributes are not valid; invalid_attributes names them.")
            case .refusedAttributes(_, let reason):
                Self(.invalidGrant, .attributeValidationFailed, .requestInvalid, reason)
            case .blockedByHook(let reason):
                Self(.invalidGrant, .blockedByHook, reason)
            case .unusableToken:
                Self(.invalidRequest, .continuationTokenInvalid, "The continuation_token is not valid.")
            case .notAllowedNow:
                Self(
                    .invalidRequest, .continuationTokenInvalid,
                    "The continuation_token does not allow this step; use the newest one, in the order of the flow.")
            case .expiredToken:
                Self(.expiredToken, .continuationTokenExpired, "The continuation_token has expired; start again.")
            case .incorrectCode:
                Self(.invalidGrant, .invalidOOBValue, .codeWrong, "The one-time passcode is not correct.")
            case .expiredCode:
                Self(
                    .invalidGrant, .invalidOOBValue, .codeExpired,
                    "The one-time passcode has expired; ask for another one.")
            case .passkeyRefused(let isUnknown):
                Self(
                    .invalidGrant, isUnknown ? .passkeyUnknown : .passkeyInvalid, .credentialsWrong,
                    "The passkey was not accepted; ask for a new challenge.")
            case .passkeysNotOffered:
                Self(.unauthorizedClient, .applicationDisabled, "The tenant has no passkeys.")
            case .identityRefused:
                Self(
                    .invalidGrant, .idTokenInvalid, .credentialsWrong,
                    "The token of the provider was not accepted; ask for a new challenge.")
            case .providerUnavailable:
                Self(
                    .invalidGrant, .providerUnavailable, .temporarilyUnavailable,
                    "The provider cannot be reached to check its token; try again, or offer another way.")
            case .providerNotOffered:
                Self(.invalidRequest, .requestInvalid, "The tenant has no such provider for apps.")
            case .tooManyCodes:
                Self(
                    .invalidRequest, .noMoreCodes, "No more one-time passcodes can be generated; start again.")
            case .throttled:
                Self(
                    .temporarilyUnavailable, .tenantThrottled, "Too many attempts for this address; come again later.",
                    status: 429)
            case .enumerationLimited:
                Self(.temporarilyUnavailable, .tenantThrottled, Self.tooManyRequests, status: 429)
            case .invalidScope:
                Self(
                    .invalidScope, .scopeInvalid,
                    "The scope is not valid: OpenID scopes, and scopes of one resource.")
            case .scopeNotConsented:
                Self(
                    .invalidGrant, .scopeNotConsented,
                    "The application may not have this scope, or the session has less of its resource. "
                        + "Send an interactive authorization request for this user and resource.")
            case .userNotFound:
                Self(.userNotFound, .userNotFound, "No user signs in with this name.")
            case .noPasswordToReset:
                Self(
                    .invalidRequest, .credentialRecoveryUnsupported,
                    "The tenant or user does not support native credential recovery. The account has no password.")
            case .incorrectPassword:
                Self(.invalidGrant, .credentialsWrong, "The username or the password is not correct.")
            case .passwordChangeRequired:
                Self(
                    .invalidRequest, .passwordChangeRequired,
                    "The password must be changed before a sign-in; reset the password.")
            case .locked:
                Self(
                    .invalidGrant, .accountLocked,
                    "Too many wrong passwords were tried; come again later, or reset the password.")
            case .accountDisabled:
                Self(.invalidGrant, .accountDisabled, "The account is disabled.")
            case .unknownMethod:
                Self(.invalidRequest, .parameterEmptyOrInvalid, "id parameter is empty or not valid.")
            case .methodNotAllowed:
                Self(
                    .accessDenied, .providerBlockedByReputation, .methodBlocked,
                    "Users may not add such a method, or the user has as many as allowed.")
            case .invalidContact:
                Self(
                    .invalidRequest, .contactInvalid,
                    "The challenge_target is no e-mail address or no telephone number with the code of its country, or does not fit the challenge_channel."
                )
            case .blockedContact:
                Self(
                    .accessDenied, .providerBlockedByReputation, .methodBlocked,
                    "This contact cannot be used now: no text can be sent to the number, or the e-mail address of the account must be registered before another address; try another one."
                )
            case .mailboxRefuses:
                Self(
                    .accessDenied, .providerBlockedByReputation, .methodBlocked,
                    "The mail server of this e-mail address refuses our mails; use another address.")
            case .secondFactorNeeded:
                Self(
                    .invalidGrant, .multiFactorRequired,
                    "The sign-in is worth less than is asked for, or is too old; sign in again.")
            case .unusableCode(let fault): Self(fault)
            case .unusableDevice(let fault): Self(fault)
            case .unusableProof(let fault): Self(fault)
            case .ticketNotAllowed:
                Self(
                    .unauthorizedClient, .applicationDisabled,
                    "The application may not open this in a browser: its setting opensInBrowser lists what it may, and no page may."
                )
            case .unusableRefreshToken:
                Self(.invalidGrant, .grantInvalid, "The refresh_token is not valid.")
            case .expiredRefreshToken:
                Self(.invalidGrant, .refreshTokenInactive, "The refresh_token has expired; sign in again.")
            case .revokedRefreshToken:
                Self(.invalidGrant, .grantRevoked, "The refresh_token was revoked; sign in again.")
            }
        if case .invalidAttributes(let names) = refusal { invalidAttributes = names }
        if case .refusedAttributes(let names, _) = refusal { invalidAttributes = names }
        if case .throttled(let seconds) = refusal { retryAfter = seconds }
        if case .enumerationLimited(let seconds) = refusal { retryAfter = seconds }
        if case .locked(let seconds) = refusal { retryAfter = seconds }
    }

    /// The errors of authorization codes (docs/protocol.md §21.3).
    private init(_ fault: CodeFault) {
        self =
            switch fault {
            case .unusable:
                Self(.invalidGrant, .grantInvalid, "The code is not valid for this application.")
            case .expired:
                Self(.invalidGrant, .refreshTokenExpired, "The code has expired; send the user to authorize again.")
            case .used:
                Self(
                    .invalidGrant, .authorizationCodeUsed,
                    "The code was redeemed before; what it gave is revoked.")
            case .wrongRedirect:
                Self(
                    .invalidGrant, .redirectAddressOther,
                    "The redirect_uri is not the one of the authorization request.")
            case .wrongVerifier:
                Self(
                    .invalidGrant, .verifierWrong,
                    "The code_verifier does not fit the code_challenge of the authorization request.")
            case .pageMissing:
                Self(
                    .invalidRequest, .originMissing,
                    "A code for a page without a server is redeemed by that page, with its Origin.")
            case .pageNotExpected:
                Self(
                    .invalidRequest, .originNotAllowed,
                    "Only a code for an address of spa is redeemed by a page.")
            case .sessionEnded:
                Self(
                    .invalidGrant, .grantRevoked,
                    "The user signed out, or changed the credentials, after the code was issued.")
            }
    }

    /// The errors of devices without a browser (docs/protocol.md §21.8).
    private init(_ fault: DeviceFault) {
        self =
            switch fault {
            case .notAllowed:
                Self(
                    .unauthorizedClient, .applicationDisabled,
                    "The application may not sign in on devices without a browser; its setting deviceFlow allows it.")
            case .unusable:
                Self(.invalidGrant, .deviceCodeInvalid, "The device_code is not valid for this application.")
            case .pending:
                Self(.authorizationPending, .deviceCodePending, "The user has not answered yet; ask again.")
            case .tooFast:
                Self(
                    .slowDown, .clientLoop,
                    "The user has not answered yet; wait 5 seconds more between two requests from now on.")
            case .declined:
                Self(.accessDenied, .userDeclined, "The user did not allow the device to sign in.")
            case .expired:
                Self(.expiredToken, .deviceCodeExpired, "The device_code has expired; begin again.")
            case .used:
                Self(
                    .invalidGrant, .authorizationCodeUsed,
                    "The device_code was redeemed before; what it gave is revoked.")
            case .sessionEnded:
                Self(
                    .invalidGrant, .grantRevoked,
                    "The user signed out, or changed the credentials, after allowing the device.")
            }
    }

    /// The errors of proofs of possession (docs/protocol.md §21.10).
    private init(_ fault: ProofFault) {
        func proof(_ text: String) -> Self { Self(.invalidDPoPProof, .requestInvalid, text) }
        self =
            switch fault {
            case .missing: proof("This is bound to a key; send a proof of it in the header DPoP.")
            case .malformed:
                proof(
                    "The proof (the header DPoP, or device_proof) is not one token of type dpop+jwt with alg ES256, RS256 or EdDSA, a public jwk, and jti, htm, htu and iat."
                )
            case .wrongSignature: proof("The DPoP proof is not signed by the key in its header.")
            case .wrongTarget:
                proof("The htm and htu of the DPoP proof are not the method and the address of this request.")
            case .wrongTime: proof("The DPoP proof is older than a minute, or from the future.")
            case .wrongToken:
                proof(
                    "The ath of the proof is not the SHA-256 of its token: of the access token, or for device_proof of the continuation_token in this request."
                )
            case .used: proof("The DPoP proof was used before; make a new one with another jti.")
            case .wrongKey:
                Self(.invalidGrant, .grantInvalid, "This is bound to another key than that of the DPoP proof.")
            case .notBound:
                Self(
                    .invalidGrant, .grantInvalid,
                    "The session began without a key and stays so; sign in again with a DPoP proof, or send none.")
            }
    }

    /// The error table of daemons' requests. 700016 is the number of an unknown application, too.
    init(_ refusal: DaemonRefusal) {
        self =
            switch refusal {
            case .unknownDaemon:
                Self(
                    .unauthorizedClient, .applicationNotFound,
                    "The tenant has no daemon with this client_id.")
            case .noProof:
                Self(
                    .invalidClient, .clientProofMissing,
                    "The request must contain a client_secret or a client_assertion.", status: 401)
            case .severalProofs:
                Self(
                    .invalidRequest, .requestInvalid,
                    "The request must contain one way of client authentication, not several.")
            case .publicClient:
                Self(
                    .invalidClient, .publicClientProof,
                    "The application has no secret and no key: it must not send one.", status: 401)
            case .wrongSecret:
                Self(.invalidClient, .clientSecretInvalid, "The client secret is not valid.", status: 401)
            case .endedSecret:
                Self(
                    .invalidClient, .clientSecretExpired, "The client secret has expired; make another one.",
                    status: 401)
            case .unusableAssertion(.wrongTime):
                Self(
                    .invalidClient, .assertionOutsideItsTime,
                    "The client_assertion is not within its time, or is valid for more than an hour.", status: 401)
            case .unusableAssertion(let fault):
                Self(.invalidClient, .assertionInvalid, fault.sentence, status: 401)
            case .invalidScope:
                Self(.invalidScope, .scopeInvalid, "The scope is not valid: one resource, followed by /.default.")
            case .scopeNotDefault:
                Self(
                    .invalidScope, .scopeNotDefault,
                    "The scope of client credentials must be one resource, followed by /.default.")
            }
    }

    /// The error table of requests.
    init(_ fault: RequestFault) {
        self =
            switch fault {
            case .malformed(let error):
                Self(.invalidRequest, .requestMalformed, error.sentence)
            case .missing(let parameter):
                Self(
                    .invalidRequest, .parameterMissing, "The request body must contain the parameter \(parameter).")
            case .invalid(let parameter):
                Self(.invalidRequest, .parameterEmptyOrInvalid, "\(parameter) parameter is empty or not valid.")
            case .redirectNotAccepted:
                Self(
                    .unsupportedChallengeType, .redirectMissing,
                    "The challenge_type list must contain redirect.")
            case .unknownGrant:
                Self(.unsupportedGrantType, .grantTypeUnsupported, "The grant_type is not supported here.")
            case .unreadableAttributes:
                Self(
                    .invalidGrant, .attributeValidationFailed, .requestInvalid,
                    "The attributes parameter is not a flat JSON object.")
            case .wrongMethod(let allowed):
                Self(.invalidRequest, .methodNotAllowed, "This endpoint accepts \(allowed) only.", status: 405)
            case .parametersInQuery:
                Self(.invalidRequest, .requestMalformed, "Parameters belong into the request body, not into the URL.")
            case .unknownTenant:
                Self(.invalidRequest, .tenantNotFound, "The tenant in the path does not exist.")
            case .wrongContentType:
                Self(
                    .invalidRequest, .requestMalformed,
                    "The Content-Type must be application/x-www-form-urlencoded, in UTF-8.", status: 415)
            case .bodyTooLarge:
                Self(.invalidRequest, .requestMalformed, "The request body is longer than 64 KiB.", status: 413)
            case .headersTooLarge:
                Self(
                    .invalidRequest, .requestMalformed, "The headers are longer than 16 KiB, or more than 100.",
                    status: 431)
            case .uriTooLong:
                Self(.invalidRequest, .requestMalformed, "The URI is longer than 8 KiB.", status: 414)
            case .misdirected:
                Self(
                    .invalidRequest, .requestInvalid,
                    "This server does not answer to this host name, or this way: its names are that of --base-url and those of --inbox-hosts, and behind a proxy it answers what came by https.",
                    status: 421)
            case .unknownPath:
                Self(.invalidRequest, .requestInvalid, "There is nothing at this path.", status: 404)
            case .foreignOrigin:
                Self(
                    .invalidRequest, .originNotAllowed,
                    "Pages of this origin may not call for this application; list it in allowedOrigins, or a redirect address of spa."
                )
            case .throttled:
                Self(.temporarilyUnavailable, .tenantThrottled, Self.tooManyRequests, status: 429)
            case .unavailable:
                Self(
                    .temporarilyUnavailable, .temporarilyUnavailable, "The server cannot answer now; come again soon.",
                    status: 503)
            case .broken:
                Self(
                    .serverError, .temporarilyUnavailable, "The server made a mistake; its log knows the trace ID.",
                    status: 500)
            }
        switch fault {
        case .unreadableAttributes: invalidAttributes = [UserFlow.wholeParameter]
        case .throttled(let seconds), .unavailable(let seconds): retryAfter = seconds
        case .wrongMethod(let allowed): allow = allowed
        case .malformed, .missing, .invalid, .redirectNotAccepted, .unknownGrant, .wrongContentType, .parametersInQuery,
            .unknownTenant, .bodyTooLarge,
            .headersTooLarge, .uriTooLong, .misdirected, .unknownPath, .foreignOrigin, .broken:
            break
        }
    }

    /// The same error with a sentence for the developer after its own text.
    func with(hint: String?) -> Self {
        var failure = self
        if let hint { failure.text += " " + hint }
        return failure
    }

    private static let tooManyRequests = "Too many requests; come again later."

    /// The five progress reports that V1 sends as errors (docs/protocol.md §0.3 row 5).
    static let credentialRequired = Self(
        .credentialRequired, .credentialRequired, "A password is required; ask for a challenge to send one.")
    static let attributesRequired = Self(
        .attributesRequired, .attributesRequired, "Attributes are required; required_attributes lists them.")
    static let secondFactorRequired = Self(
        .invalidGrant, .mfaRequired, .multiFactorRequired, "A second factor is required; ask which methods there are.")
    static let registrationRequired = Self(
        .invalidGrant, .registrationRequired, .multiFactorEnrolmentRequired,
        "A second factor is required, and a method has to be registered first.")
    static let linkRequired = Self(
        .invalidGrant, .linkRequired, .userAlreadyExists,
        "An account has the address of this identity: prove it by a sign-in with this continuation_token, which links both."
    )
    static let verificationRequired = Self(
        .verificationRequired, .requestInvalid, "Verify what unverified_attributes lists first.")
}

extension WireSuberror {
    fileprivate init(_ fault: PasswordFault) {
        self =
            switch fault {
            case .invalid: .passwordIsInvalid
            case .tooShort: .passwordTooShort
            case .tooLong: .passwordTooLong
            case .tooWeak: .passwordTooWeak
            case .banned: .passwordBanned
            case .recentlyUsed: .passwordRecentlyUsed
            }
    }
}

extension PasswordFault {
    fileprivate var sentence: String {
        switch self {
        case .invalid: "The password contains a character that is not allowed."
        case .tooShort: "The password is shorter than 8 characters."
        case .tooLong: "The password is longer than 256 characters."
        case .tooWeak: "The password needs three of: lower-case letters, capitals, digits, symbols."
        case .banned: "The password is too easy to guess: it is common, or contains a name or the address."
        case .recentlyUsed: "The password is the one in use."
        }
    }
}

extension AssertionFault {
    fileprivate var sentence: String {
        switch self {
        case .malformed:
            "The client_assertion is not a signed token with alg RS256, PS256 or ES256, and iss, sub, aud, exp and jti."
        case .wrongSignature: "The signature of the client_assertion fits no key of the daemon that is valid now."
        case .wrongSubject: "The iss and sub of the client_assertion must both be the client_id."
        case .wrongAudience: "The aud of the client_assertion must be the token endpoint or the issuer."
        case .wrongTime: "The client_assertion is not within its time."
        case .used: "The client_assertion was used before; make a new one with another jti."
        }
    }
}

extension FormError {
    fileprivate var sentence: String {
        switch self {
        case .tooManyFields: "The request body has more than 64 parameters."
        case .malformedEncoding: "The request body is not well-formed: a percent sign must be followed by two digits."
        case .notUTF8: "The request body is not UTF-8."
        case .nul: "The request body contains a NUL."
        case .tooLong: "A name or a value in the request body is too long."
        case .repeated(let name): "The parameter \(name) must be given once."
        }
    }
}
