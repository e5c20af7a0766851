import HTTPTypes
import Hummingbird
import IdentityEngine
import Logging
import NIOCore
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

// The three `init` have no default, so that a new interaction, refusal or fault does not compile until it has a name, and a test
// fails until it has a row wherever it can occur.
extension AnswerName {
    init(_ interaction: Interaction) {
        self =
            switch interaction {
            case .requestChallenge: .requestChallenge
            case .proveAddress: .proveAddress
            case .chooseCredential: .chooseCredential
            case .enterPassword: .enterPassword
            case .collectAttributes: .collectAttributes
            case .verifyFirst: .verifyFirst
            case .giveSecondFactor: .giveSecondFactor
            case .registerMethod: .registerMethod
            case .chooseMethod: .chooseMethod
            case .proveContact: .proveContact
            case .contactAlreadyProven: .contactAlreadyProven
            case .choosePassword: .choosePassword
            case .awaitReset: .awaitReset
            case .passwordChanged: .passwordChanged
            case .signIn: .signIn
            // Only hosted pages ask for it.
            case .signedIn, .signedInBrowser: .signedIn
            case .ticket: .browserTicket
            case .revoked: .revoked
            case .redirectToBrowser: .redirectToBrowser
            case .accountChanged: .accountChanged
            case .enrolApp: .enrolApp
            case .createPasskey: .createPasskey
            case .usePasskey: .usePasskey
            case .useProvider: .useProvider
            case .linkAccount: .linkRequired
            case .nameMailbox: .verifyFirst
            }
    }

    init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .unknownTenant: .unknownTenant
            case .unknownClient: .unknownClient
            case .nativeAuthDisabled: .nativeAuthDisabled
            case .signUpNotAllowed: .signUpNotAllowed
            case .invalidUsername: .invalidUsername
            case .userAlreadyExists: .userAlreadyExists
            case .unacceptablePassword(.invalid): .passwordInvalid
            case .unacceptablePassword(.tooShort): .passwordTooShort
            case .unacceptablePassword(.tooLong): .passwordTooLong
            case .unacceptablePassword(.tooWeak): .passwordTooWeak
            case .unacceptablePassword(.banned): .passwordBanned
            case .unacceptablePassword(.recentlyUsed): .passwordRecentlyUsed
            case .passwordNotUsed: .passwordNotUsed
            case .methodNotAllowed: .methodNotAllowed
            case .passkeyRefused(isUnknown: false): .passkeyRefused
            case .passkeyRefused(isUnknown: true): .passkeyUnknown
            case .passkeysNotOffered: .passkeysNotOffered
            case .identityRefused: .identityRefused
            case .providerUnavailable: .providerUnavailable
            case .providerNotOffered: .providerNotOffered
            case .invalidAttributes: .invalidAttributes
            case .refusedAttributes: .refusedAttributes
            case .blockedByHook: .blockedByHook
            case .unusableToken: .unusableToken
            case .expiredToken: .expiredToken
            case .notAllowedNow: .notAllowedNow
            case .incorrectCode: .incorrectCode
            case .expiredCode: .expiredCode
            case .tooManyCodes: .tooManyCodes
            case .throttled: .addressThrottled
            case .enumerationLimited: .sourceThrottled
            case .invalidScope: .invalidScope
            case .scopeNotConsented: .scopeNotConsented
            case .userNotFound: .userNotFound
            case .noPasswordToReset: .noPasswordToReset
            case .incorrectPassword: .incorrectPassword
            case .passwordChangeRequired: .passwordChangeRequired
            case .locked: .locked
            case .accountDisabled: .accountDisabled
            case .unknownMethod: .unknownMethod
            case .invalidContact: .invalidContact
            case .blockedContact: .blockedContact
            case .mailboxRefuses: .mailboxRefuses
            case .secondFactorNeeded: .secondFactorNeeded
            case .unusableCode(.unusable): .unusableGrantCode
            case .unusableCode(.expired): .expiredGrantCode
            case .unusableCode(.used): .usedGrantCode
            case .unusableCode(.wrongRedirect): .grantCodeOfOtherAddress
            case .unusableCode(.wrongVerifier): .wrongVerifier
            case .unusableCode(.pageMissing): .grantCodeWithoutPage
            case .unusableCode(.pageNotExpected): .grantCodeByPage
            case .unusableCode(.sessionEnded): .endedBrowserSession
            case .unusableDevice(.notAllowed): .deviceNotAllowed
            case .unusableDevice(.unusable): .unusableDeviceCode
            case .unusableDevice(.pending): .devicePending
            case .unusableDevice(.tooFast): .deviceTooFast
            case .unusableDevice(.declined): .deviceDeclined
            case .unusableDevice(.expired): .expiredDeviceCode
            case .unusableDevice(.used): .usedDeviceCode
            case .unusableDevice(.sessionEnded): .endedSessionOfDevice
            case .ticketNotAllowed: .ticketNotAllowed
            case .unusableProof(.wrongKey): .proofOfOtherKey
            case .unusableProof(.notBound): .sessionWithoutKey
            case .unusableProof: .invalidProof
            case .unusableRefreshToken: .unusableRefreshToken
            case .expiredRefreshToken: .expiredRefreshToken
            case .revokedRefreshToken: .revokedRefreshToken
            }
    }

    init(_ refusal: DaemonRefusal) {
        self =
            switch refusal {
            case .unknownDaemon: .unknownDaemon
            case .noProof: .daemonWithoutProof
            case .severalProofs: .severalProofs
            case .publicClient: .publicClient
            case .wrongSecret: .wrongSecret
            case .endedSecret: .endedSecret
            case .unusableAssertion(.wrongTime): .assertionOutsideItsTime
            case .unusableAssertion: .unusableAssertion
            case .invalidScope: .daemonScopeInvalid
            case .scopeNotDefault: .scopeNotDefault
            }
    }

    init(_ fault: RequestFault) {
        self =
            switch fault {
            case .malformed: .malformed
            case .missing: .missing
            case .invalid: .invalid
            case .redirectNotAccepted: .redirectNotAccepted
            case .unknownGrant: .unknownGrant
            case .unreadableAttributes: .unreadableAttributes
            case .wrongMethod: .wrongMethod
            case .parametersInQuery: .parametersInQuery
            case .unknownTenant: .unknownTenantOfDocument
            case .wrongContentType: .wrongContentType
            case .bodyTooLarge: .bodyTooLarge
            case .headersTooLarge: .headersTooLarge
            case .uriTooLong: .uriTooLong
            case .misdirected: .misdirected
            case .unknownPath: .unknownPath
            case .foreignOrigin: .foreignOrigin
            case .throttled: .sourceThrottled
            case .unavailable: .unavailable
            case .broken: .broken
            }
    }

    /// Its form in the API, written by hand from docs/protocol.md §4 and §13.
    var wire: Wire {
        switch self {
        case .requestChallenge, .signIn: Wire(["continuation_token"])
        case .proveAddress:
            Wire([
                "challenge_type", "continuation_token", "challenge_channel", "challenge_target_label", "code_length",
                "interval", "binding_method",
            ])
        case .chooseCredential: Wire("credential_required", 55_103, members: ["continuation_token"])
        case .enterPassword, .contactAlreadyProven: Wire(["challenge_type", "continuation_token"])
        case .collectAttributes:
            Wire("attributes_required", 55_106, members: ["continuation_token", "required_attributes"])
        case .verifyFirst:
            Wire("verification_required", 90_023, members: ["continuation_token", "unverified_attributes"])
        case .giveSecondFactor: Wire("invalid_grant", 50_076, "mfa_required", members: ["continuation_token"])
        case .registerMethod: Wire("invalid_grant", 50_079, "registration_required", members: ["continuation_token"])
        case .chooseMethod: Wire(["continuation_token", "methods"])
        case .proveContact:
            Wire([
                "challenge_type", "continuation_token", "challenge_target", "challenge_channel", "code_length",
                "binding_method",
            ])
        case .choosePassword: Wire(["continuation_token", "expires_in"])
        case .awaitReset: Wire(["continuation_token", "poll_interval"])
        case .passwordChanged: Wire(["continuation_token", "status"])
        case .browserTicket: Wire(["token_type", "issued_token_type", "expires_in", "access_token"])
        case .signedIn:
            Wire([
                "token_type", "scope", "expires_in", "ext_expires_in", "access_token", "refresh_token", "id_token",
                "client_info",
            ])
        case .revoked, .accountChanged: Wire([])
        case .enrolApp:
            Wire([
                "challenge_type", "continuation_token", "code_length", "secret", "otpauth_uri", "algorithm", "digits",
                "period",
            ])
        case .usePasskey, .createPasskey: Wire(["challenge_type", "continuation_token", "public_key"])
        case .passkeyRefused: Wire("invalid_grant", 50_126, "passkey_invalid")
        case .passkeyUnknown: Wire("invalid_grant", 50_126, "passkey_unknown")
        case .passkeysNotOffered: Wire("unauthorized_client", 70_001)
        case .useProvider: Wire(["challenge_type", "continuation_token", "provider", "nonce", "expires_in"])
        case .identityRefused: Wire("invalid_grant", 50_126, "id_token_invalid")
        case .providerUnavailable: Wire("invalid_grant", 90_033, "provider_unavailable")
        case .providerNotOffered: Wire("invalid_request", 90_023)
        case .linkRequired: Wire("invalid_grant", 1_003_037, "link_required", members: ["continuation_token"])
        case .methodNotAllowed: Wire("access_denied", 550_024, "provider_blocked_by_rep")
        case .daemonToken: Wire(["token_type", "expires_in", "ext_expires_in", "access_token"])
        case .unknownDaemon: Wire("unauthorized_client", 700_016)
        case .daemonWithoutProof: Wire("invalid_client", 7_000_216, status: 401)
        case .severalProofs: Wire("invalid_request", 90_023)
        case .wrongSecret: Wire("invalid_client", 7_000_215, status: 401)
        case .endedSecret: Wire("invalid_client", 7_000_222, status: 401)
        case .unusableAssertion: Wire("invalid_client", 700_027, status: 401)
        case .assertionOutsideItsTime: Wire("invalid_client", 700_024, status: 401)
        case .daemonScopeInvalid: Wire("invalid_scope", 70_011)
        case .scopeNotDefault: Wire("invalid_scope", 1_002_012)
        case .redirectToBrowser: Wire(["challenge_type", "redirect_reason"])
        case .unknownTenant, .unknownTenantOfDocument: Wire("invalid_request", 90_002)
        case .unknownClient: Wire("unauthorized_client", 700_016)
        case .nativeAuthDisabled: Wire("invalid_client", 70_001, "nativeauthapi_disabled")
        case .signUpNotAllowed: Wire("unauthorized_client", 70_001)
        case .invalidUsername, .invalid, .unknownMethod: Wire("invalid_request", 90_100)
        case .userAlreadyExists: Wire("user_already_exists", 1_003_037)
        case .passwordInvalid: Wire("invalid_grant", 399_246, "password_is_invalid")
        case .passwordTooShort: Wire("invalid_grant", 399_246, "password_too_short")
        case .passwordTooLong: Wire("invalid_grant", 399_246, "password_too_long")
        case .passwordTooWeak: Wire("invalid_grant", 399_246, "password_too_weak")
        case .passwordBanned: Wire("invalid_grant", 399_246, "password_banned")
        case .passwordRecentlyUsed: Wire("invalid_grant", 399_246, "password_recently_used")
        case .passwordNotUsed: Wire("invalid_request", 90_023)
        case .invalidAttributes, .refusedAttributes, .unreadableAttributes:
            Wire("invalid_grant", 90_023, "attribute_validation_failed", members: ["invalid_attributes"])
        case .blockedByHook: Wire("invalid_grant", 1_003_023)
        case .unusableToken, .notAllowedNow: Wire("invalid_request", 55_200)
        case .expiredToken: Wire("expired_token", 552_003)
        case .incorrectCode: Wire("invalid_grant", 50_181, "invalid_oob_value")
        case .expiredCode: Wire("invalid_grant", 50_184, "invalid_oob_value")
        case .tooManyCodes: Wire("invalid_request", 701_014)
        case .addressThrottled, .sourceThrottled: Wire("temporarily_unavailable", 90_055, status: 429)
        case .invalidScope: Wire("invalid_scope", 70_011)
        case .scopeNotConsented: Wire("invalid_grant", 65_001)
        case .userNotFound: Wire("user_not_found", 50_034)
        case .noPasswordToReset: Wire("invalid_request", 500_222)
        case .incorrectPassword: Wire("invalid_grant", 50_126)
        case .passwordChangeRequired: Wire("invalid_request", 50_142)
        case .locked: Wire("invalid_grant", 50_053)
        case .accountDisabled: Wire("invalid_grant", 50_057)
        case .invalidContact: Wire("invalid_request", 901_001)
        case .blockedContact, .mailboxRefuses: Wire("access_denied", 550_024, "provider_blocked_by_rep")
        case .secondFactorNeeded: Wire("invalid_grant", 50_076)
        case .unusableRefreshToken, .unusableGrantCode: Wire("invalid_grant", 70_000)
        case .expiredGrantCode: Wire("invalid_grant", 70_008)
        case .usedGrantCode: Wire("invalid_grant", 54_005)
        case .grantCodeOfOtherAddress: Wire("invalid_grant", 500_112)
        case .wrongVerifier: Wire("invalid_grant", 501_481)
        case .grantCodeWithoutPage: Wire("invalid_request", 9_002_327)
        case .grantCodeByPage, .foreignOrigin: Wire("invalid_request", 9_002_326)
        case .endedBrowserSession: Wire("invalid_grant", 50_173)
        case .deviceNotAllowed: Wire("unauthorized_client", 70_001)
        case .unusableDeviceCode: Wire("invalid_grant", 70_018)
        case .devicePending: Wire("authorization_pending", 70_016)
        case .deviceTooFast: Wire("slow_down", 50_196)
        case .deviceDeclined: Wire("access_denied", 65_004)
        case .expiredDeviceCode: Wire("expired_token", 70_019)
        case .usedDeviceCode: Wire("invalid_grant", 54_005)
        case .endedSessionOfDevice: Wire("invalid_grant", 50_173)
        case .ticketNotAllowed: Wire("unauthorized_client", 70_001)
        case .invalidProof: Wire("invalid_dpop_proof", 90_023)
        case .proofOfOtherKey, .sessionWithoutKey: Wire("invalid_grant", 70_000)
        case .publicClient: Wire("invalid_client", 700_025, status: 401)
        case .expiredRefreshToken: Wire("invalid_grant", 700_082)
        case .revokedRefreshToken: Wire("invalid_grant", 50_173)
        case .malformed, .parametersInQuery: Wire("invalid_request", 9_002_313)
        case .missing: Wire("invalid_request", 900_144)
        case .redirectNotAccepted: Wire("unsupported_challenge_type", 901_007)
        case .unknownGrant: Wire("unsupported_grant_type", 70_003)
        case .wrongMethod: Wire("invalid_request", 900_561, status: 405)
        case .wrongContentType: Wire("invalid_request", 9_002_313, status: 415)
        case .bodyTooLarge: Wire("invalid_request", 9_002_313, status: 413)
        case .headersTooLarge: Wire("invalid_request", 9_002_313, status: 431)
        case .uriTooLong: Wire("invalid_request", 9_002_313, status: 414)
        case .misdirected: Wire("invalid_request", 90_023, status: 421)
        case .unknownPath: Wire("invalid_request", 90_023, status: 404)
        case .unavailable: Wire("temporarily_unavailable", 90_033, status: 503)
        case .broken: Wire("server_error", 90_033, status: 500)
        }
    }

    /// A few words of the description that distinguish it from others with the same number.
    var phrase: String? {
        switch self {
        case .unusableToken: "is not valid."
        case .passkeysNotOffered: "has no passkeys"
        case .providerNotOffered: "no such provider"
        case .notAllowedNow: "does not allow this step"
        case .invalidAttributes: "invalid_attributes names them"
        case .refusedAttributes: "No such city."
        case .blockedByHook: "Members only."
        case .unreadableAttributes: "not a flat JSON object"
        case .invalidUsername: "username parameter is empty or not valid"
        case .unknownMethod: "id parameter is empty or not valid"
        case .invalid: "client_id parameter is empty or not valid"
        case .noPasswordToReset: "does not support native credential recovery"
        case .malformed: "well-formed"
        case .parametersInQuery: "not into the URL"
        case .addressThrottled: "for this address"
        case .sourceThrottled: "Too many requests"
        case .missing: "must contain the parameter"
        case .unknownDaemon: "no daemon with this client_id"
        case .severalProofs: "one way of client authentication"
        case .daemonScopeInvalid: "one resource, followed by /.default"
        case .unusableGrantCode: "The code is not valid"
        case .unusableRefreshToken: "The refresh_token is not valid"
        case .endedBrowserSession: "after the code was issued"
        case .endedSessionOfDevice: "after allowing the device"
        case .usedGrantCode: "The code was redeemed before"
        case .usedDeviceCode: "The device_code was redeemed before"
        case .deviceNotAllowed: "its setting deviceFlow"
        case .ticketNotAllowed: "its setting opensInBrowser"
        case .invalidProof: "the header DPoP"
        case .proofOfOtherKey: "bound to another key"
        case .sessionWithoutKey: "began without a key"
        case .grantCodeByPage: "Only a code for an address of spa"
        case .foreignOrigin: "Pages of this origin"
        case .revokedRefreshToken: "The refresh_token was revoked"
        case .daemonToken, .daemonWithoutProof, .wrongSecret, .endedSecret, .unusableAssertion,
            .assertionOutsideItsTime, .scopeNotDefault,
            .requestChallenge, .proveAddress, .chooseCredential, .enterPassword, .collectAttributes, .verifyFirst,
            .giveSecondFactor, .registerMethod, .chooseMethod, .proveContact, .contactAlreadyProven, .choosePassword,
            .awaitReset, .passwordChanged, .signIn, .signedIn, .browserTicket, .revoked, .accountChanged, .enrolApp,
            .createPasskey, .usePasskey, .passkeyRefused, .passkeyUnknown, .methodNotAllowed, .useProvider,
            .identityRefused, .providerUnavailable, .linkRequired,
            .redirectToBrowser, .unknownTenant, .unknownClient, .nativeAuthDisabled, .signUpNotAllowed,
            .userAlreadyExists,
            .passwordInvalid, .passwordTooShort, .passwordTooLong,
            .passwordTooWeak, .passwordBanned, .passwordRecentlyUsed, .passwordNotUsed, .expiredToken, .incorrectCode,
            .expiredCode, .tooManyCodes, .invalidScope, .scopeNotConsented, .userNotFound, .incorrectPassword,
            .passwordChangeRequired, .locked,
            .accountDisabled, .invalidContact, .blockedContact, .mailboxRefuses, .secondFactorNeeded,
            .expiredRefreshToken, .expiredGrantCode, .grantCodeOfOtherAddress, .wrongVerifier,
            .unusableDeviceCode, .devicePending, .deviceTooFast, .deviceDeclined, .expiredDeviceCode,
            .publicClient, .grantCodeWithoutPage, .redirectNotAccepted, .unknownGrant, .wrongMethod,
            .unknownTenantOfDocument,
            .wrongContentType, .bodyTooLarge, .headersTooLarge, .uriTooLong, .misdirected, .unknownPath, .unavailable,
            .broken:
            nil
        }
    }
}

/// An answer on the wire.
struct Wire: Hashable, Sendable {
    var status: Int
    var error: String?
    var suberror: String?
    /// The one number in `error_codes`.
    var code: Int?
    /// All members of a success; of an error those besides the usual.
    var members: Set<String>

    init(_ members: Set<String>) {
        (status, error, suberror, code, self.members) = (200, nil, nil, nil, members)
    }

    init(_ error: String, _ code: Int, _ suberror: String? = nil, members: Set<String> = [], status: Int = 400) {
        (self.status, self.error, self.suberror, self.code, self.members) = (status, error, suberror, code, members)
    }

    private static let optional: Set<String> = [
        "continuation_token", "required_attributes", "invalid_attributes", "unverified_attributes",
    ]

    /// Whether an answer is of this form, which also has the members `members` or, of a token reply, fewer.
    func describes(_ answer: WireAnswer) -> Bool {
        guard answer.status == status, answer.text("error") == error, answer.text("suberror") == suberror else {
            return false
        }
        let names = Set(answer.members.keys)
        guard let code else { return names.isSubset(of: members) }
        return answer["error_codes"] == [.integer(code)] && names.intersection(Self.optional) == members
    }
}

/// A row of the table endpoint × answer, with the way to get the answer.
struct EndpointRow: Sendable, CustomTestStringConvertible {
    var endpoint: V1Endpoint
    var name: AnswerName
    var when: String
    var provoke: @Sendable () async throws -> WireAnswer

    var testDescription: String { "\(endpoint.rawValue): \(name.rawValue)" }
}

extension Ask {
    /// The journey and the stop of the request; the index before the first stop is -1.
    var origin: (journey: Journey, index: Int)? {
        switch self {
        case .introspectMethods: return (.signInThenSecondFactor, 2)
        case .introspectRegistration: return (.signInThenContact, 2)
        case .startSignUp, .challengeSignUp, .signUpCode, .signUpPassword, .signUpAttributes, .startSignIn,
            .challengeSignIn, .signInPassword, .signInCode, .secondFactorCode, .redeem, .refresh, .startReset,
            .challengeReset, .resetCode, .newPassword, .poll, .challengeContact, .contactCode, .confirmContact:
            for journey in Journey.allCases {
                let asks = journey.stops.map(\.via) + [journey.last]
                if let index = asks.firstIndex(of: self) { return (journey, index - 1) }
            }
            return nil
        }
    }
}

/// The table endpoint × answer.
enum EndpointTable {
    /// A server and a client that is ready for a request.
    struct Ready: Sendable {
        var server: IdentityTestServer
        var walk: Walk
        var ask: Ask

        func answer(_ damage: Damage? = nil) async throws -> WireAnswer {
            let fields = try ask.fields(walk.content, walk.tokens.last, client: walk.client.clientID)
            guard let damage else { return try await walk.client.post(ask.endpoint, fields) }
            return try await walk.client.send(damage.request(fields, to: ask.endpoint, by: walk.client))
        }

        /// Repeats the request until the answer is an error, at most `times`.
        func answer(upTo times: Int, changing: (inout Ask.Content, Int) -> Void = { _, _ in }) async throws
            -> WireAnswer
        {
            var ready = self
            var last = try await ready.answer()
            for number in 1..<times
            where last.status == 200 || last["error_codes"] == [50_181] || last["error_codes"] == [50_126] {
                changing(&ready.walk.content, number)
                last = try await ready.answer()
            }
            return last
        }
    }

    /// Brings a client to the point where `ask` is possible.
    static func arrive(
        _ ask: Ask, in journey: Journey? = nil, adjust: (inout Engine.Ports, inout EngineSettings) -> Void = { _, _ in }
    ) async throws -> Ready {
        let server = try TestDirectory.server(adjust: adjust)
        var origin = try #require(ask.origin)
        if let journey {
            let asks = journey.stops.map(\.via) + [journey.last]
            origin = (journey, try #require(asks.firstIndex(of: ask)) - 1)
        }
        return Ready(server: server, walk: try await server.walk(origin.journey, to: origin.index), ask: ask)
    }

    /// The first kind of request of each endpoint.
    private static let usual: [Ask] = V1Endpoint.allCases.compactMap { endpoint in
        Ask.allCases.first { $0.endpoint == endpoint }
    }

    static let rows: [EndpointRow] =
        progress + starts + continuations + providers + tokens + daemons + usual.flatMap(everywhere)

    private static func row(
        _ ask: Ask, _ name: AnswerName, _ when: String, in journey: Journey? = nil,
        _ provoke: @escaping @Sendable (Ready) async throws -> WireAnswer = { try await $0.answer() }
    ) -> EndpointRow {
        EndpointRow(endpoint: ask.endpoint, name: name, when: when) { try await provoke(arrive(ask, in: journey)) }
    }

    /// The requests that advance flows.
    private static let progress: [EndpointRow] = [
        row(.startSignUp, .requestChallenge, "no account has this address"),
        row(.challengeSignUp, .proveAddress, "the address is to be proven: a code was mailed"),
        row(.challengeSignUp, .enterPassword, "the address is proven, a password is required") { ready in
            let walk = try await ready.server.walk(.signUp, to: 2, as: "eve")
            return try await walk.client.ask(.challengeSignUp, walk.content, walk.token)
        },
        row(.signUpCode, .chooseCredential, "the code is right, a password is missing"),
        row(.signUpPassword, .collectAttributes, "the password is taken, attributes are missing"),
        row(.signUpAttributes, .verifyFirst, "attributes before the code; they are noted") { ready in
            let walk = try await ready.server.walk(.signUp, to: 1, as: "eve")
            return try await walk.client.ask(.signUpAttributes, walk.content, walk.token)
        },
        row(.signUpAttributes, .signIn, "nothing is missing: the account exists"),
        row(.startSignIn, .requestChallenge, "the user exists, by address or alias"),
        row(.challengeSignIn, .enterPassword, "the user has a password"),
        row(
            .challengeSignIn, .proveAddress, "the user has none, or a second factor is wanted: a code was mailed",
            in: .signInWithCode),
        row(.introspectMethods, .chooseMethod, "the methods of the second factor, addresses masked"),
        row(.signInPassword, .signedIn, "everything that is asked for is proven"),
        row(.signInPassword, .giveSecondFactor, "a second factor is asked for", in: .signInThenSecondFactor),
        row(
            .signInPassword, .registerMethod, "a second factor is asked for and none is registered",
            in: .signInThenContact),
        row(.introspectRegistration, .chooseMethod, "what can be registered, with the account's own address"),
        row(.challengeContact, .proveContact, "a code went to the contact"),
        row(
            .challengeContact, .contactAlreadyProven, "this flow has proven the contact already",
            in: .signUpThenOwnAddress),
        row(.contactCode, .signIn, "the contact is registered"),
        row(.startReset, .requestChallenge, "the user exists and has a password"),
        row(.challengeReset, .proveAddress, "a code was mailed"),
        row(.resetCode, .choosePassword, "the code is right"),
        row(.newPassword, .awaitReset, "the password is changed"),
        row(.poll, .passwordChanged, "always: the change was made when submit answered"),
    ]

    /// What the web has to do, for a client whose `challenge_type` lacks a word.
    private static func redirectToBrowser(_ ask: Ask, _ types: String) -> EndpointRow {
        row(ask, .redirectToBrowser, "`challenge_type` lacks what the user or the user flow needs") {
            try await $0.answer(.value("challenge_type", types))
        }
    }

    private static func start(
        _ ask: Ask, _ name: AnswerName, _ when: String, _ parameter: String, _ value: String
    ) -> EndpointRow {
        row(ask, name, when) { try await $0.answer(.value(parameter, value)) }
    }

    private static let badPasswords: [(AnswerName, String, String)] = [
        (.passwordInvalid, "Gr\u{F8}n-Vinter#82", "a character that is not allowed"),
        (.passwordTooShort, "Ab1!xyz", "under 8 characters"),
        (.passwordTooLong, String(repeating: "Aa1!", count: 65), "over 256 characters"),
        (.passwordTooWeak, "abcdefghij", "fewer than three kinds of characters"),
        (.passwordBanned, "Password1!", "too easy to guess"),
    ]

    private static let starts: [EndpointRow] =
        [
            start(.startSignUp, .invalidUsername, "no e-mail address", "username", "invalid"),
            row(.startSignUp, .signUpNotAllowed, "the user flow of the application has no sign-up") {
                try await $0.answer(.value("client_id", TestDirectory.closed))
            },
            row(.startSignUp, .userAlreadyExists, "the address or the alias belongs to another account") { ready in
                _ = try await ready.server.traveller(for: .signIn)
                return try await ready.answer()
            },
            row(.startSignUp, .passwordNotUsed, "users of the application sign in with codes") {
                try await $0.answer(
                    .value("client_id", IdentityTestServer.Application.emailOneTimePasscode.rawValue))
            },
            start(.startSignUp, .invalidAttributes, "an attribute breaks its rules", "attributes", #"{"city":1}"#),
            start(.startSignUp, .unreadableAttributes, "`attributes` is no flat JSON object", "attributes", "[]"),
            redirectToBrowser(.startSignUp, "oob redirect"), redirectToBrowser(.startSignIn, "oob redirect"),
            redirectToBrowser(.startReset, "password redirect"), redirectToBrowser(.challengeSignUp, "redirect"),
            redirectToBrowser(.challengeSignIn, "redirect"), redirectToBrowser(.challengeReset, "redirect"),
            start(.startSignIn, .userNotFound, "no user signs in with this name", "username", "nobody@example.com"),
            start(.startReset, .userNotFound, "no user signs in with this name", "username", "nobody@example.com"),
            row(.startReset, .noPasswordToReset, "the user signs in with codes") { ready in
                let otto = try await ready.server.traveller("otto", for: .signInWithCode)
                return try await ready.answer(.value("username", otto.content.username))
            },
        ]
        + [.startSignUp, .startSignIn, .startReset, .challengeSignUp, .challengeSignIn, .challengeReset].map {
            start($0, .redirectNotAccepted, "`challenge_type` lacks `redirect`", "challenge_type", "oob password")
        }
        + badPasswords.flatMap { name, password, when in
            [
                start(.startSignUp, name, "password: \(when)", "password", password),
                start(.signUpPassword, name, "password: \(when)", "password", password),
                start(.newPassword, name, "password: \(when)", "new_password", password),
            ]
        } + [
            start(
                .newPassword, .passwordRecentlyUsed, "the password is the current one", "new_password",
                WireClient.password)
        ]

    private static func expiredCode(_ ask: Ask) -> EndpointRow {
        row(ask, .expiredCode, "the code is older than 10 minutes") { ready in
            ready.server.clock.advance(by: 600)
            return try await ready.answer()
        }
    }

    /// With a limit that one wrong code uses up.
    private static func throttled(_ ask: Ask, _ when: String) -> EndpointRow {
        EndpointRow(endpoint: ask.endpoint, name: .addressThrottled, when: when) {
            var ready = try await arrive(ask) { _, settings in
                var limits = TimeLimits()
                limits.wrongCodesPerDay = 1
                limits.guessesOverBudget = 0
                settings.limits = limits
            }
            let wrong = wrongCodes(4, besides: ready.walk.content.code)
            ready.walk.content.code = wrong[0]
            return try await ready.answer(upTo: 4) { content, number in content.code = wrong[number] }
        }
    }

    /// An answer of a sign-in with a passkey, at a server with a user.
    private static let providers: [EndpointRow] = [
        provider(.signInInitiate, .providerNotOffered, "the tenant has no such `provider`") {
            try await $0.initiate("other")
        },
        provider(.signInChallenge, .useProvider, "of a sign-in with `provider`") { try await $0.challenge() },
        provider(.token, .identityRefused, "the provider's token proves nothing; its nonce is spent") {
            try await $0.token("e30.e30.e30", try await $0.challenge().token)
        },
        provider(.token, .providerUnavailable, "the provider's keys cannot be had now; the nonce is not spent") {
            $0.apple.isDown = true
            return try await $0.signIn()
        },
        provider(
            .token, .collectAttributes, "a new user of a provider lacks attributes",
            .emailOneTimePasscodeWithAttributes
        ) {
            try await $0.signIn()
        },
        provider(.token, .verifyFirst, "the provider has proven no address of a new user: name one") {
            $0.apple.person.email = nil
            return try await $0.signIn()
        },
        provider(.signUpChallenge, .invalidContact, "`challenge_target` is no e-mail address") {
            try await $0.nameMailbox("+4512345678")
        },
        provider(.token, .linkRequired, "an account has the address of the identity: prove it by a sign-in") {
            _ = try await $0.server.signUp()
            return try await $0.signIn()
        },
        provider(
            .signUpContinue, .linkRequired, "an account with a password has the address that was named",
            .emailPassword
        ) {
            try await $0.server.signUpWithPassword()
            let sent = try await $0.nameMailbox(IdentityTestServer.email)
            return try await $0.client.submit(
                code: $0.server.mailbox.code(to: IdentityTestServer.email), sent.token)
        },
        provider(.token, .methodNotAllowed, "the account has five identities") {
            _ = try await $0.server.signUp()
            try await $0.linkAll(to: IdentityTestServer.email)
            return try await $0.signIn()
        },
        provider(.signUpContinue, .methodNotAllowed, "the account with the named address has five identities") {
            _ = try await $0.server.signUp()
            try await $0.linkAll(to: IdentityTestServer.email)
            let sent = try await $0.nameMailbox(IdentityTestServer.email)
            return try await $0.client.submit(
                code: $0.server.mailbox.code(to: IdentityTestServer.email), sent.token)
        },
        EndpointRow(
            endpoint: .token, name: .signUpNotAllowed,
            when: "no user has the provider's identity, and the user flow has no sign-up"
        ) {
            let server = try ProviderServer { contoso in
                for index in contoso.applications.indices {
                    contoso.applications[index].userFlow.allowsSignUp = false
                }
            }
            return try await server.signIn()
        },
        provider(.token, .userAlreadyExists, "the address of a new user's identity was another user's a moment ago") {
            try await $0.hold(IdentityTestServer.email)
            return try await $0.signIn()
        },
    ]

    private static func provider(
        _ endpoint: V1Endpoint, _ name: AnswerName, _ when: String,
        _ application: IdentityTestServer.Application = .emailOneTimePasscode,
        _ provoke: @escaping @Sendable (ProviderServer) async throws -> WireAnswer
    ) -> EndpointRow {
        EndpointRow(endpoint: endpoint, name: name, when: when) {
            try await provoke(try ProviderServer(application))
        }
    }

    private static func passkey(
        _ endpoint: V1Endpoint, _ name: AnswerName, _ when: String,
        _ provoke: @escaping @Sendable (IdentityTestServer) async throws -> WireAnswer
    ) -> EndpointRow {
        EndpointRow(endpoint: endpoint, name: name, when: when) {
            let server = try FactorDirectory.server()
            try await server.signUpWithPassword()
            return try await provoke(server)
        }
    }

    /// The registration of a passkey, or of another kind of method, after the sign-up of another user.
    private static func askForPasskey(
        _ server: IdentityTestServer, or type: String = "passkey"
    ) async throws -> WireAnswer {
        let client = server.passwordClient
        let started = try await client.post(
            .signUpStart,
            [
                ("username", "erik@example.com"), ("password", WireClient.password),
                ("challenge_type", TestPasskey.words + " totp"), ("capabilities", WireClient.bothCapabilities),
            ])
        let sent = try await client.challenge(started.token)
        let done = try await client.submit(code: server.mailbox.code(to: "erik@example.com"), sent.token)
        let required = try await client.token(redeeming: done.token)
        return try await client.post(
            .registerChallenge, [("continuation_token", try required.token), ("challenge_type", type)])
    }

    private static let codeAsks: [Ask] = [.signUpCode, .signInCode, .resetCode, .contactCode]
    private static let mailAsks: [(Ask, Journey)] = [
        (.challengeSignUp, .signUp), (.challengeSignIn, .signInWithCode), (.challengeReset, .reset),
        (.challengeContact, .signInThenContact),
    ]

    private static let continuations: [EndpointRow] =
        codeAsks.map { ask in
            row(ask, .incorrectCode, "the code is wrong, or was guessed at five times") { ready in
                try await ready.answer(.value("oob", wrongCodes(1, besides: ready.walk.content.code)[0]))
            }
        } + codeAsks.map { throttled($0, "more than 100 wrong codes for the address in a day") }
        + [
            expiredCode(.signUpCode), expiredCode(.signInCode), expiredCode(.resetCode),
            row(.contactCode, .expiredCode, "the code is older than 10 minutes") { ready in
                // The token lives as long as the code unless it is renewed, and the flow only a little longer.
                var walk = ready.walk
                ready.server.clock.advance(by: 300)
                let token = try await walk.client.registerIntrospect(walk.token).token
                walk.tokens.append(token)
                ready.server.clock.advance(by: 300)
                return try await walk.client.ask(.contactCode, walk.content, token)
            },
        ]
        + mailAsks.map { ask, journey in
            row(ask, .tooManyCodes, "five codes were sent in this flow", in: journey) { try await $0.answer(upTo: 7) }
        }
        + mailAsks.map { ask, journey in
            EndpointRow(
                endpoint: ask.endpoint, name: .mailboxRefuses,
                when: "the mail server of the address refuses our mails for good"
            ) {
                let ready = try await arrive(ask, in: journey) { _, settings in settings.limits = TimeLimits() }
                let first = try await ready.answer()
                guard first.status == 200 else { return first }
                let tenant = try #require(TestDirectory.directory().entries.first).tenant.id
                try await ready.server.refuseMails(in: tenant)
                return try await ready.answer()
            }
        }
        + mailAsks.map { ask, journey in
            EndpointRow(endpoint: ask.endpoint, name: .addressThrottled, when: "too many mails to the address") {
                let ready = try await arrive(ask, in: journey) { _, settings in
                    var limits = TimeLimits()
                    limits.mailsToMailbox.perQuarter = 2
                    settings.limits = limits
                }
                let answer = try await ready.answer(upTo: 4)
                guard answer.status == 200 else { return answer }
                // The slow lane: one code has expired, and the next is not due yet.
                ready.server.clock.advance(by: 600)
                return try await ready.answer()
            }
        }
        + [
            row(.signUpAttributes, .userAlreadyExists, "another sign-up took the address or the alias first") { ready in
                _ = try await ready.server.traveller(for: .signIn)
                return try await ready.answer()
            },
            start(.signUpAttributes, .invalidAttributes, "an attribute breaks its rules", "attributes", #"{"city":1}"#),
            judged(
                .refusedAttributes, "the receiver of a [hook](../operate/hooks.md) wants others",
                .refuse(attributes: ["city"], reason: "No such city.")),
            judged(.blockedByHook, "the receiver of a hook ends the sign-up", .block("Members only.")),
            start(.signUpAttributes, .unreadableAttributes, "`attributes` is no flat JSON object", "attributes", "[]"),
            EndpointRow(
                endpoint: .signInInitiate, name: .passkeysNotOffered,
                when: "without `username`, of a tenant that has no passkeys"
            ) {
                let server = try IdentityTestServer(seed: 1, start: IdentityTestServer.start) { ports, _ in
                    var contoso = TenantDirectory.development.entries[0]
                    contoso.tenant.passkeys = nil
                    ports.clients = TenantDirectory([contoso])
                }
                return try await server.passwordClient.post(
                    .signInInitiate, [("challenge_type", TestPasskey.words)])
            },
            passkey(.signInChallenge, .usePasskey, "of a sign-in without `username`, or with a passkey as the method") {
                try await TestPasskey.begin($0.passwordClient)
            },
            passkey(.token, .passkeyRefused, "the answer of the passkey proves nothing; its challenge is spent") {
                let options = try await TestPasskey.begin($0.passwordClient)
                return try await TestPasskey.token("{}", options, $0.passwordClient)
            },
            passkey(
                .registerChallenge, .createPasskey, "`challenge_type` is `passkey`, of a client that takes passkeys"
            ) {
                try await askForPasskey($0)
            },
            passkey(
                .registerChallenge, .enrolApp,
                "`challenge_type` is `totp`, of a client that registers authenticator apps"
            ) {
                try await askForPasskey($0, or: "totp")
            },
            passkey(.registerContinue, .passkeyRefused, "the passkey is not right; its challenge is spent") {
                let options = try await askForPasskey($0)
                return try await $0.passwordClient.post(
                    .registerContinue,
                    [("continuation_token", try options.token), ("grant_type", "passkey"), ("credential", "{}")])
            },
            passkey(.token, .passkeyUnknown, "no user of the tenant has this passkey") {
                let device = try await TestPasskey.add(to: try await AccountCaller.withPassword($0))
                _ = try await $0.rows("DELETE FROM strong_methods")
                return try await device.signIn($0.passwordClient)
            },
            EndpointRow(
                endpoint: .signInChallenge, name: .unknownMethod, when: "`id` is no method of the user"
            ) {
                let server = try TestDirectory.server()
                let walk = try await server.walk(.signInThenSecondFactor, to: 2)
                return try await walk.client.signInChallenge(walk.token, id: "nothing")
            },
            start(
                .challengeContact, .invalidContact, "no e-mail address, or another channel", "challenge_target",
                "+4512345678"),
            EndpointRow(
                endpoint: .registerChallenge, name: .blockedContact,
                when: "enrolment is `proven`, and the account's own mailbox was neither named nor proven"
            ) {
                let server = try TestDirectory.server { _, settings in settings.enrolment = .proven }
                let walk = try await server.walk(.signInThenContact, to: 2)
                return try await walk.client.registerChallenge(walk.token, contact: "other@example.net")
            },
        ]

    /// An answer to attributes that a hook's receiver has judged.
    private static func judged(
        _ name: AnswerName, _ when: String, _ verdict: CollectionSubmitAnswer
    ) -> EndpointRow {
        EndpointRow(endpoint: .signUpContinue, name: name, when: when) {
            let receiver = ScriptedReceiver()
            receiver.script.submit = .success(verdict)
            let directory = try TestDirectory.directory(hooks: [.fixture(.attributeCollectionSubmit)])
            let server = try TestDirectory.server { ports, _ in
                ports.hooks = receiver
                ports.clients = directory
            }
            let walk = try await server.walk(.signUp, to: 4)
            return try await walk.client.ask(.signUpAttributes, walk.content, walk.token)
        }
    }

    /// Signs in, and gives the refresh token.
    private static func session(
        _ journey: Journey = .signIn, on server: IdentityTestServer, with client: WireClient? = nil
    ) async throws -> (WireClient, String) {
        var walk = try await server.walk(journey, to: journey.stops.count - 1)
        if let client { walk.client = client }
        let answer = try await walk.client.ask(journey.last, walk.content, walk.token)
        return (walk.client, try #require(answer.text("refresh_token"), "\(answer)"))
    }

    /// An answer to a password that a hook's receiver has judged.
    private static func hooked(_ name: AnswerName, _ when: String, _ verdict: PasswordSubmitAnswer) -> EndpointRow {
        EndpointRow(endpoint: .token, name: name, when: when) {
            let receiver = ScriptedReceiver()
            receiver.script.password = .success(verdict)
            let directory = try TestDirectory.directory(hooks: [.migration()])
            let server = try TestDirectory.server { ports, _ in
                ports.hooks = receiver
                ports.clients = directory
            }
            let client = server.client(.emailPassword)
            try await server.addUserToMove()
            return try await client.token(client.signInChallenge(client.initiate().token).token)
        }
    }

    private static func token(
        _ name: AnswerName, _ when: String,
        _ provoke: @escaping @Sendable (IdentityTestServer) async throws -> WireAnswer
    ) -> EndpointRow {
        EndpointRow(endpoint: .token, name: name, when: when) { try await provoke(TestDirectory.server()) }
    }

    private static let tokens: [EndpointRow] = [
        token(.redirectToBrowser, "a second factor is asked for and the client or the user cannot give one") { server in
            _ = try await server.traveller(for: .signInThenSecondFactor)
            return try await server.signIn(
                claims: WireClient.claims, capabilities: nil, with: server.client(.emailPasswordWithAttributes))
        },
        start(.signInPassword, .invalidScope, "scopes of two resources, or no scope", "scope", "api://a/x api://b/x"),
        token(.scopeNotConsented, "the application may not have the scope, or a refresh asks for more than the grant") {
            server in
            var client = server.client()
            client.clientID = TestDirectory.scoped
            return try await client.redeem(server.signUp(with: client).token, scope: "api://other/Read")
        },
        start(.signInPassword, .incorrectPassword, "the password is wrong", "password", "Wrong-1-Kr4ft!"),
        hooked(
            .passwordChangeRequired, "the receiver of a hook, or the rules of passwords, want another password", .update
        ),
        hooked(.blockedByHook, "the receiver of a hook refuses the sign-in", .block("Members only.")),
        EndpointRow(endpoint: .token, name: .locked, when: "ten wrong passwords, for a minute and then for longer") {
            var ready = try await arrive(.signInPassword) { $1.limits = TimeLimits() }
            ready.walk.content.password = "Wrong-0-Kr4ft!"
            return try await ready.answer(upTo: 12) { content, number in content.password = "Wrong-\(number)-Kr4ft!" }
        },
        token(.secondFactorNeeded, "a refresh asks for a context that the sign-in did not satisfy") { server in
            let (client, refreshToken) = try await session(on: server)
            return try await client.post(
                .token,
                [("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("claims", WireClient.claims)])
        },
        token(.unusableRefreshToken, "no refresh token of this application") { server in
            try await server.client().refresh(String(repeating: "x", count: 64))
        },
        token(.expiredRefreshToken, "unused for 90 days; with codes, a day after the sign-in") { server in
            let (client, refreshToken) = try await session(on: server)
            server.clock.advance(by: 90 * 86_400)
            return try await client.refresh(refreshToken)
        },
        token(.revokedRefreshToken, "signed out, password changed, or used twice") { server in
            let (client, refreshToken) = try await session(on: server)
            let body = "client_id=\(client.clientID ?? "")&token=\(refreshToken)"
            _ = try await client.send(
                client.request(
                    "POST", "/contoso/\(MetadataEndpoint.revocation.rawValue)",
                    headers: ["content-type": WireClient.form],
                    body: Data(body.utf8)))
            return try await client.refresh(refreshToken)
        },
        start(.signInPassword, .unknownGrant, "another `grant_type`", "grant_type", "other"),
        token(.unusableGrantCode, "no authorization code of this application") { server in
            try await party.redeem("AAAA", at: server)
        },
        token(.expiredGrantCode, "the authorization code is older than a minute") { server in
            let code = try await grantCode(server)
            server.clock.advance(by: 61)
            return try await party.redeem(code, at: server)
        },
        token(.usedGrantCode, "the authorization code was redeemed before, by another request") { server in
            let code = try await grantCode(server)
            _ = try await party.redeem(code, at: server)
            return try await party.redeem(code, at: server, ["scope": "openid"])
        },
        token(.grantCodeOfOtherAddress, "the `redirect_uri` is not that of the authorization request") { server in
            try await party.redeem(grantCode(server), at: server, ["redirect_uri": "http://localhost:1"])
        },
        token(.wrongVerifier, "the `code_verifier` does not fit the challenge, or there was none") { server in
            try await party.redeem(grantCode(server), at: server, ["code_verifier": nil])
        },
        token(.endedBrowserSession, "the user signed out, or changed the credentials, after the code") { server in
            let browser = TestBrowser(server)
            try await browser.signUp("dana@example.com", at: server, for: party)
            let code = try #require(browser.answer["code"])
            try await browser.get("/contoso/\(MetadataEndpoint.logout.rawValue)")
            try await browser.submit([:])
            return try await party.redeem(code, at: server)
        },
        token(.grantCodeWithoutPage, "a code for an address of `spa`, and no `Origin`") { server in
            try await pageParty.redeem(grantCode(server, for: pageParty), at: server)
        },
        token(.grantCodeByPage, "a code for another kind of address, and an `Origin`") { server in
            var party = pageParty
            party.redirect = "http://localhost:9999"
            return try await party.redeem(
                grantCode(server, for: party), at: server, headers: ["origin": "https://app.example"])
        },
        device(.deviceNotAllowed, "an application without `deviceFlow` asks for a device") { device, _ in
            try await device.poll(["client_id": party.client])
        },
        device(.unusableDeviceCode, "no device code of this application") { device, _ in
            try await device.poll(["device_code": "AAAA"])
        },
        device(.devicePending, "the user has not answered the device yet") { device, _ in try await device.poll() },
        device(.deviceTooFast, "the device asks before its interval is over") { device, _ in
            _ = try await device.poll()
            return try await device.poll()
        },
        device(.deviceDeclined, "the user does not allow the device") { device, browser in
            try await browser.submit([:], action: "cancel")
            return try await device.poll()
        },
        device(.expiredDeviceCode, "the device code is older than 15 minutes") { device, _ in
            device.server.clock.advance(by: 900)
            return try await device.poll()
        },
        device(.usedDeviceCode, "the device code was redeemed more than half a minute before") { device, browser in
            try await browser.submit([:])
            _ = try await device.poll()
            device.server.clock.advance(by: 31)
            return try await device.poll()
        },
        device(.endedSessionOfDevice, "the user signed out, or changed the credentials, after allowing the device") {
            device, browser in
            try await browser.submit([:])
            try await browser.get("/contoso/\(MetadataEndpoint.logout.rawValue)")
            try await browser.submit([:])
            return try await device.poll()
        },
        token(.browserTicket, "an app exchanges its refresh token for a ticket") { server in
            try await ticket(server, "account")
        },
        token(.ticketNotAllowed, "the application may not open this in a browser") { server in
            try await ticket(server, party.client)
        },
        token(.invalidProof, "the proof in the header `DPoP` is wrong, was used before, or is missing") { server in
            try await party.redeem("AAAA", at: server, headers: ["dpop": "AAAA"])
        },
        token(.proofOfOtherKey, "the session or the code is bound to another key") { server in
            let key = TestKey(server)
            let tokens = try await party.redeem(grantCode(server), at: server, headers: key.proof())
            return try await server.client(.emailPassword).refresh(
                tokens.text("refresh_token") ?? "", headers: TestKey(server).proof())
        },
        token(.sessionWithoutKey, "a public application refreshes with a proof what it began without one") { server in
            let tokens = try await party.redeem(grantCode(server), at: server)
            return try await server.client(.emailPassword).refresh(
                tokens.text("refresh_token") ?? "", headers: TestKey(server).proof())
        },
        token(.publicClient, "an application without secret and key sends one") { server in
            try await party.redeem("AAAA", at: server, ["client_secret": "x"])
        },
    ]

    /// An answer to a device whose user is at the question.
    private static func device(
        _ name: AnswerName, _ when: String,
        _ provoke: @escaping @Sendable (TestDevice, TestBrowser) async throws -> WireAnswer
    ) -> EndpointRow {
        token(name, when) { server in
            let browser = TestBrowser(server)
            try await browser.signUp("dana@example.com", at: server, for: party)
            var device = TestDevice(server: server)
            try await device.begin()
            try await browser.type(device.userCode)
            return try await provoke(device, browser)
        }
    }

    private static let party = TestRelyingParty(.emailPassword)
    private static let pageParty = TestRelyingParty(client: TestDirectory.page, redirect: "https://app.example/done")

    /// An authorization code of a new user.
    private static func grantCode(
        _ server: IdentityTestServer, for party: TestRelyingParty = party
    ) async throws -> String {
        let browser = TestBrowser(server)
        try await browser.signUp("dana@example.com", at: server, for: party)
        return try #require(browser.answer["code"])
    }

    /// A ticket for `target`, of an app whose user has signed up.
    private static func ticket(_ server: IdentityTestServer, _ target: String) async throws -> WireAnswer {
        let tokens = try await party.redeem(grantCode(server), at: server)
        return try await server.client(id: party.client).ticket(
            tokens.text("refresh_token") ?? "", for: target,
            challenge: target == "account" ? nil : String(repeating: "A", count: 43))
    }

    /// The requests of daemons (docs/protocol.md §19).
    private static let daemons: [EndpointRow] = [
        daemon(.daemonToken, "a daemon proved itself", []),
        daemon(.unknownDaemon, "no daemon with this id in the tenant", [("client_id", TestDirectory.disabled)]),
        daemon(.daemonWithoutProof, "a daemon sends neither secret nor assertion", [("client_secret", "")]),
        daemon(
            .severalProofs, "a daemon proves itself in several ways at once",
            [("client_assertion", "x"), ("client_assertion_type", ClientCredentialsRequest.assertionType)]),
        daemon(.wrongSecret, "a daemon's secret is wrong", [("client_secret", "wrong")]),
        token(.endedSecret, "a daemon's secret has ended") { server in
            server.clock.advance(by: 90 * 86_400)
            return try await server.client().daemonToken(DaemonFixture.shortSecret, id: DaemonFixture.id.description)
        },
        daemon(
            .unusableAssertion, "a daemon's assertion is malformed, not the daemon's, for another server, or used",
            [
                ("client_secret", ""), ("client_assertion", "x"),
                ("client_assertion_type", ClientCredentialsRequest.assertionType),
            ]),
        token(.assertionOutsideItsTime, "a daemon's assertion has expired, or is valid for over an hour") { server in
            try await server.client().daemonToken(assertion: DaemonFixture.assertion(life: -61))
        },
        daemon(.daemonScopeInvalid, "a daemon names no resource, or several", [("scope", "api://a/.default b")]),
        daemon(.scopeNotDefault, "a daemon's scope is not `RESOURCE/.default`", [("scope", "api://orders/Read")]),
    ]

    /// A request of the development tenant's daemon, with these fields in place of its own.
    private static func daemon(_ name: AnswerName, _ when: String, _ fields: Fields) -> EndpointRow {
        token(name, when) { try await $0.client().daemonToken(changing: fields) }
    }

    /// The answers that every endpoint can give.
    private static func everywhere(_ ask: Ask) -> [EndpointRow] {
        func damaged(_ name: AnswerName, _ when: String, _ damage: Damage) -> EndpointRow {
            row(ask, name, when) { try await $0.answer(damage) }
        }
        let isStart = ask.operations.isEmpty
        var rows = [
            damaged(.unknownTenant, "no tenant of this name", .tenant("nowhere.onmicrosoft.com")),
            damaged(
                .unknownClient, "no application with this id in the tenant",
                .value("client_id", "99999999-9999-9999-9999-999999999999")),
            damaged(
                .nativeAuthDisabled, "native authentication is off for the application",
                .value("client_id", TestDirectory.disabled)),
            damaged(.malformed, "no well-formed form, or a parameter twice", .added("x=%zz")),
            damaged(
                .missing, "a parameter is missing", .missing(isStart ? "challenge_type" : "continuation_token")),
            damaged(.invalid, "a parameter is empty or malformed", .value("client_id", "x")),
            damaged(.wrongMethod, "another method than POST", .method("GET")),
            damaged(.parametersInQuery, "a parameter in the URL", .query("client_id=x")),
            damaged(.wrongContentType, "another media type", .contentType("application/json")),
            damaged(.bodyTooLarge, "over 64 KiB", .bytes(64 * 1024 + 1)),
            damaged(.headersTooLarge, "over 16 KiB or 100 headers", .longHeader),
            damaged(.uriTooLong, "over 8 KiB", .longURI),
            damaged(
                .foreignOrigin, "a page of an origin that the application does not have",
                .header("origin", "https://evil.example")),
            EndpointRow(
                endpoint: ask.endpoint, name: .sourceThrottled, when: "too many requests from the address"
            ) { try await throttledSource(ask) },
            EndpointRow(
                endpoint: ask.endpoint, name: .unavailable,
                when: "the server has no room for newcomers, or the database or the hasher cannot be had now"
            ) {
                try await EndpointTable.arrive(.startSignUp) { ports, _ in ports.clients = GoneClients() }.walk.client
                    .ask(
                        ask, Ask.Content(), "none")
            },
        ]
        if !isStart {
            rows += [
                row(ask, .unusableToken, "a spent, foreign or forged `continuation_token`, or an ended flow") { ready in
                    try await ready.answer(.value("continuation_token", String(ready.walk.token.dropLast(3)) + "AAA"))
                },
                row(ask, .expiredToken, "the `continuation_token` is too old") { ready in
                    ready.server.clock.advance(by: 900)
                    return try await ready.answer()
                },
                row(ask, .notAllowedNow, "the `continuation_token` is for another step") { ready in
                    let other: Journey = ask.endpoint == .signUpChallenge ? .signIn : .signUp
                    return try await ready.answer(
                        .value("continuation_token", ready.server.walk(other, to: 0, as: "eve").token))
                },
            ]
        }
        if AnswerName.accountDisabled.endpoints.contains(ask.endpoint) {
            rows.append(
                row(ask, .accountDisabled, "the account is disabled") { ready in
                    try await ready.server.setDisabled(true)
                    return try await ready.answer()
                })
        }
        return rows
    }

    private struct GoneClients: ClientStore {
        struct Gone: Error {}

        func tenant(named name: String) async throws(StoreError) -> Tenant? { throw .unavailable(Gone()) }
        func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client? {
            throw .unavailable(Gone())
        }
        func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon? {
            throw .unavailable(Gone())
        }

        func entry(of tenant: TenantID) async throws(StoreError) -> TenantDirectory.Entry? {
            throw .unavailable(Gone())
        }

        func hasPages(ofOrigin origin: String) async throws(StoreError) -> Bool { throw .unavailable(Gone()) }

        func tenant(ofPasskeysAt host: String) async throws(StoreError) -> Tenant? { throw .unavailable(Gone()) }
    }

    /// Sends requests through a listener with limits until one is refused.
    private static func throttledSource(_ ask: Ask) async throws -> WireAnswer {
        let server = try TestDirectory.server()
        let client = WireClient(
            transport: listener(of: server), clientID: IdentityTestServer.Application.emailPassword.rawValue)
        var answer = try await client.ask(ask, Ask.Content(), "none")
        for _ in 0..<50 where answer.status != 429 { answer = try await client.ask(ask, Ask.Content(), "none") }
        return answer
    }

    /// The way to a server through a listener with the limits for each source and user.
    static func listener(of server: IdentityTestServer) -> any HTTPTransport {
        let routes = IdentityRoutes(
            engine: server.engine, clock: ManualWallClock(manual: server.clock),
            readiness: Readiness(flows: server.engine.ports.flows))
        return ListenerTransport(responder: AccessPolicy(limits: SourceLimits()).responder(for: routes))
    }

    private struct ListenerTransport: HTTPTransport {
        let responder: any HTTPResponder<IdentityRequestContext>

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            var headers = HTTPFields()
            for (name, value) in request.headers { if let name = HTTPField.Name(name) { headers[name] = value } }
            let head = HTTPRequest(
                method: HTTPRequest.Method(rawValue: request.method) ?? .post, scheme: "https",
                authority: request.url.host(), path: request.url.path(),
                headerFields: headers)
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let response = try await responder.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body))),
                context: IdentityRequestContext(logger: logger, peer: IPAddress("192.0.2.7")))
            return TransportResponse(
                status: response.status.code,
                headers: Dictionary(response.headers.map { ($0.name.canonicalName, $0.value) }) { $1 },
                body: try await Self.bytes(of: response))
        }

        private static func bytes(of response: Response) async throws -> Data {
            let collector = Collector()
            try await response.body.write(collector)
            return collector.bytes.withLock { $0 }
        }

        private struct Collector: ResponseBodyWriter {
            let bytes: Locked<Data> = Locked(Data())

            @concurrent
            func write(_ buffer: ByteBuffer) async throws {
                bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
            }

            @concurrent
            consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
        }
    }

    /// Whether some row of the endpoint describes an answer.
    static func describes(_ answer: WireAnswer, at endpoint: V1Endpoint) -> Bool {
        AnswerName.allCases.contains { $0.endpoints.contains(endpoint) && $0.wire.describes(answer) }
    }

    /// The answers that the vendor's reference lists and this server never gives, with the reason.
    static let never: [(endpoint: String, row: String, reason: String)] = [
        ("any", "550022, confidential client", "applications here are public clients"),
        ("any", "50196, client loop", "the limits per source answer 429"),
        (
            "signup/v1.0/start", "`unsupported_auth_method`, `auth_not_supported`",
            "every application has a native method"
        ),
        ("signup/v1.0/start", "`attributes_required`", "attributes are asked for once the address is proven"),
        ("signup/v1.0/start", "`password_recently_used`", "a new user has no password before this one"),
        ("signup/v1.0/challenge", "`invalid_grant`", "one client does not know it; a bad token is `invalid_request`"),
        ("signup/v1.0/continue", "`redirect`", "one client takes it for success; the web is offered at the start"),
        ("signup/v1.0/continue", "`password_recently_used`", "a new user has no password before this one"),
        ("signup/v1.0/continue", "501811", "50181 says the same, and clients read only the suberror"),
        ("oauth2/v2.0/challenge", "`introspect_required`", "without `id` the oldest method is used"),
        (
            "oauth2/v2.0/challenge", "`access_denied`, `provider_blocked_*`",
            "e-mail is the only channel, and is never blocked"
        ),
        ("oauth2/v2.0/introspect", "`server_error`", "a failure is 503, which clients repeat"),
        ("oauth2/v2.0/token", "50034, `user_not_found`", "a user who went ends the flow: the token is not valid"),
        ("oauth2/v2.0/token", "400002", "the challenge says what the user has; another grant is out of order"),
        ("oauth2/v2.0/token", "`basic_action`", "in no published contract"),
        ("oauth2/v2.0/token", "55000, 55112", "55200 and 552003 say the same"),
        (
            "oauth2/v2.0/token", "`authorization_pending`, `slow_down`, `expired_refresh_token`",
            "of other grants; clients treat them as general errors"
        ),
        ("oauth2/v2.0/token", "`unsupported_challenge_type`", "`challenge_type` is optional here and means nothing"),
        ("resetpassword/v1.0/continue", "`verification_required`", "no client supports it"),
        (
            "resetpassword/v1.0/poll_completion", "`in_progress`, `not_started`, `failed`",
            "the password is changed when submit answers"
        ),
        (
            "resetpassword/v1.0/poll_completion", "`user_not_found`, `invalid_grant` with a password suberror",
            "the password was judged by submit"
        ),
        (
            "register/v1.0/challenge", "`provider_blocked_by_admin`",
            "the row with `provider_blocked_by_rep` is the one answer to a contact that may not be added"
        ),
        ("register/v1.0/challenge", "`interval`", "only with the binding method `none`"),
    ]

    /// The table as a page.
    static var page: String {
        var lines = [
            "# What each endpoint answers", "",
            "Every answer of the native endpoints, version 1. `CoverageTests` provokes each row over the wire, and compares",
            "this page with its table; with `NATIVE_AUTH_WRITE_DOCS=1` it writes the page.", "",
            "An error has the members `error`, `error_description`, `error_codes`, `timestamp`, `trace_id` and",
            "`correlation_id`, and `suberror` where its column names one. The column «Members» lists all members of a",
            "success, and those that an error has besides.", "",
            "In the development profile a sign-up that sends names of attributes that its user flow does not know is told so:",
            "in `error_description`, or in `description` beside the members of a success. Both are for developers.", "",
            "Answers 429 and 503 carry `Retry-After`, in whole seconds. Before any endpoint is found, a `Host` that is not the",
            "server's own is answered 421, and an unknown path 404, with the same members.", "",
        ]
        let everywhere = AnswerName.allCases.filter { $0.endpoints == Set(V1Endpoint.allCases) }
        func table(_ rows: [EndpointRow]) -> [String] {
            ["| HTTP | `error` | `suberror` | Number | Members | When |", "|---|---|---|---|---|---|"]
                + rows.map { row in
                    let wire = row.name.wire
                    let cells = [
                        "\(wire.status)", wire.error.map { "`\($0)`" } ?? "", wire.suberror.map { "`\($0)`" } ?? "",
                        wire.code.map { "\($0)" } ?? "",
                        wire.members.sorted().map { "`\($0)`" }.joined(separator: ", "),
                        row.when,
                    ]
                    return "| " + cells.joined(separator: " | ") + " |"
                } + [""]
        }
        lines += ["## Every endpoint", ""]
        lines += table(
            rows.filter { $0.endpoint == .signUpStart && everywhere.contains($0.name) })
        for endpoint in V1Endpoint.allCases {
            lines += ["## `\(endpoint.rawValue)`", ""]
            lines += table(
                AnswerName.allCases.flatMap { name in
                    everywhere.contains(name) ? [] : rows.filter { $0.endpoint == endpoint && $0.name == name }
                })
        }
        lines += [
            "## What is documented elsewhere and never given here", "", "| Endpoint | Answer | Why not |",
            "|---|---|---|",
        ]
        lines += never.map { "| \($0.endpoint == "any" ? "any" : "`\($0.endpoint)`") | \($0.row) | \($0.reason) |" }
        lines += [""] + DirectoryTable.page
        return lines.joined(separator: "\n")
    }
}

@Suite("Every endpoint, every answer") struct CoverageTests {
    private static let provoked: Locked<Int> = Locked(0)

    @Test(
        "docs/protocol.md §4, SEC-OAUTH-6: each answer of each endpoint is given as documented, and is not cached",
        arguments: EndpointTable.rows)
    func eachAnswerIsGiven(_ row: EndpointRow) async throws {
        let answer = try await row.provoke()
        let wire = row.name.wire
        let label = "\(row.testDescription):"
        if let error = wire.error, let code = wire.code {
            expectError(
                answer, error, code, suberror: wire.suberror, status: wire.status,
                carriesToken: wire.members.contains("continuation_token"), label)
            if let phrase = row.name.phrase {
                #expect(answer.text("error_description")?.contains(phrase) == true, "\(label) \(answer)")
            }
            if wire.status == 429 || wire.status == 503 {
                #expect((Int(answer.headers["retry-after"] ?? "") ?? 0) > 0, "\(label) \(answer.headers)")
            }
        } else {
            expectSuccess(answer, wire.members)
        }
        #expect(wire.describes(answer), "\(label) \(answer)")
        try expectDocumented(answer, to: "POST", "/{tenant}/\(row.endpoint.rawValue)")
        let done = Self.provoked.withLock { provoked in
            provoked += 1
            return provoked
        }
        if done == EndpointTable.rows.count { print("endpoint table: \(done) rows, \(Self.untested.count) untested") }
    }

    /// The possible answers without a row.
    private static var untested: [String] {
        let rows = Set(EndpointTable.rows.map(\.testDescription))
        return AnswerName.allCases.flatMap { name in
            name.endpoints.map { "\($0.rawValue): \(name.rawValue)" }.filter { !rows.contains($0) }
        }
    }

    @Test("The table has a row for every answer that can come up at an endpoint, and for no other")
    func theTableIsComplete() {
        #expect(Self.untested.isEmpty, "\(Self.untested)")
        for row in EndpointTable.rows {
            #expect(row.name.endpoints.contains(row.endpoint), "\(row.testDescription)")
        }
        for name in AnswerName.allCases where name.endpoints.isEmpty {
            let elsewhere: Set<AnswerName> = [
                .revoked, .accountChanged, .enrolApp, .methodNotAllowed, .unknownTenantOfDocument,
                .misdirected, .unknownPath, .broken,
            ]
            #expect(elsewhere.contains(name))
        }
    }

    @Test("The names are those of the answers that the table says they are")
    func theNamesAreRight() {
        for refusal in [Refusal.unusableToken, .notAllowedNow, .invalidUsername, .unknownMethod, .noPasswordToReset] {
            let phrase = AnswerName(refusal).phrase ?? "none"
            #expect(V1Failure(refusal).text.contains(phrase), "\(refusal)")
        }
        #expect(AnswerName(Interaction.requestChallenge) == .requestChallenge)
        #expect(AnswerName(RequestFault.unknownGrant) == .unknownGrant)
    }

    @Test("The page docs/develop/endpoints.md is this table")
    func thePageIsTheTable() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "docs/develop/endpoints.md")
        let page = Data(EndpointTable.page.utf8)
        if ProcessInfo.processInfo.environment["NATIVE_AUTH_WRITE_DOCS"] != nil { try page.write(to: file) }
        #expect(try Data(contentsOf: file) == page, "run the tests once with NATIVE_AUTH_WRITE_DOCS=1")
    }
}
