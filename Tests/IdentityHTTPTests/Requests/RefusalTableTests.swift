import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Every case of an enumeration with associated values. The switch has no default, so a new case does not compile until
/// it has its place here, and with it a check of its row in the error table.
extension Refusal {
    fileprivate static var all: [Refusal] {
        var all: [Refusal] = []
        var next: Refusal? = .unknownTenant
        while let refusal = next {
            all.append(refusal)
            next = refusal.following
        }
        return all + PasswordFault.allCases.map(Refusal.unacceptablePassword)
            + CodeFault.allCases.map(Refusal.unusableCode) + DeviceFault.allCases.map(Refusal.unusableDevice)
            + ProofFault.allCases.map(Refusal.unusableProof)
    }

    private var following: Refusal? {
        switch self {
        case .unknownTenant: .unknownClient
        case .unknownClient: .nativeAuthDisabled
        case .nativeAuthDisabled: .signUpNotAllowed
        case .signUpNotAllowed: .invalidUsername
        case .invalidUsername: .userAlreadyExists
        case .userAlreadyExists: .unacceptablePassword(.invalid)
        case .unacceptablePassword: .passwordNotUsed
        case .passwordNotUsed: .invalidAttributes(["city"])
        case .invalidAttributes: .refusedAttributes(["city"], reason: "No such city.")
        case .refusedAttributes: .blockedByHook(reason: "Members only.")
        case .blockedByHook: .unusableToken
        case .unusableToken: .expiredToken
        case .expiredToken: .notAllowedNow
        case .notAllowedNow: .incorrectCode
        case .incorrectCode: .expiredCode
        case .expiredCode: .tooManyCodes
        case .tooManyCodes: .invalidScope
        case .invalidScope: .scopeNotConsented
        case .scopeNotConsented: .userNotFound
        case .userNotFound: .noPasswordToReset
        case .noPasswordToReset: .incorrectPassword
        case .incorrectPassword: .passwordChangeRequired
        case .passwordChangeRequired: .locked(seconds: 7)
        case .locked: .accountDisabled
        case .accountDisabled: .unknownMethod
        case .unknownMethod: .methodNotAllowed
        case .invalidContact: .blockedContact
        case .methodNotAllowed: .invalidContact
        case .blockedContact: .mailboxRefuses
        case .mailboxRefuses: .secondFactorNeeded
        case .secondFactorNeeded: .unusableRefreshToken
        case .unusableRefreshToken: .expiredRefreshToken
        case .expiredRefreshToken: .revokedRefreshToken
        case .revokedRefreshToken: .unusableCode(.unusable)
        case .unusableCode: .unusableDevice(.unusable)
        case .unusableDevice: .unusableProof(.missing)
        case .unusableProof: .ticketNotAllowed
        case .ticketNotAllowed: .passkeyRefused(isUnknown: false)
        case .passkeyRefused(isUnknown: false): .passkeyRefused(isUnknown: true)
        case .passkeyRefused(isUnknown: true): .passkeysNotOffered
        case .passkeysNotOffered: .identityRefused
        case .identityRefused: .providerUnavailable
        case .providerUnavailable: .providerNotOffered
        case .providerNotOffered: .throttled(retryAfter: 7)
        case .throttled: .enumerationLimited(retryAfter: 7)
        case .enumerationLimited: nil
        }
    }

    /// The endpoints where it can occur.
    fileprivate var endpoints: [V1Endpoint] {
        switch self {
        case .unknownTenant, .unknownClient:
            [
                .signUpStart, .signUpChallenge, .signUpContinue, .signInInitiate, .signInChallenge, .token,
                .resetPasswordStart, .resetPasswordChallenge, .resetPasswordContinue, .resetPasswordSubmit,
                .resetPasswordPollCompletion,
            ]
        // Documented for every endpoint (docs/protocol.md §4.0), known to one client at one of them (§16 row 25).
        case .nativeAuthDisabled: [.token]
        case .signUpNotAllowed, .invalidUsername, .passwordNotUsed: [.signUpStart]
        case .userAlreadyExists, .invalidAttributes: [.signUpStart, .signUpContinue]
        case .refusedAttributes: [.signUpContinue]
        case .blockedByHook: [.signUpContinue, .token]
        case .unacceptablePassword: [.signUpStart, .signUpContinue, .resetPasswordSubmit]
        case .unusableToken, .expiredToken, .notAllowedNow:
            [
                .signUpChallenge, .signUpContinue, .signInChallenge, .signInIntrospect, .token, .resetPasswordChallenge,
                .resetPasswordContinue, .resetPasswordSubmit, .resetPasswordPollCompletion,
            ]
        case .incorrectCode, .expiredCode: [.signUpContinue, .token, .resetPasswordContinue, .registerContinue]
        case .tooManyCodes: [.signUpChallenge, .signInChallenge, .resetPasswordChallenge, .registerChallenge]
        case .userNotFound: [.signInInitiate, .resetPasswordStart]
        case .noPasswordToReset: [.resetPasswordStart]
        case .incorrectPassword, .passwordChangeRequired, .locked, .secondFactorNeeded: [.token]
        // Also at the first step of a flow, where the client of docs/protocol.md §14.1 knows no such word and shows a
        // general error.
        case .accountDisabled: [.token]
        case .unknownMethod: [.signInChallenge]
        case .invalidContact, .blockedContact: [.registerChallenge]
        // Also in sign-up and reset, where clients know no such word and show a general error.
        case .mailboxRefuses: [.signInChallenge, .registerChallenge]
        // Status 429, whose body no native client reads (docs/protocol.md §2.4).
        case .throttled, .enumerationLimited: []
        // Native clients send no code, and those of docs/protocol.md §14.1 no proof of possession.
        case .unusableCode, .unusableDevice, .unusableProof, .ticketNotAllowed: []
        // Of the account API alone, and of clients that take passkeys or use providers, which are not those of
        // docs/protocol.md §14.1.
        case .methodNotAllowed, .passkeyRefused, .passkeysNotOffered, .identityRefused, .providerUnavailable,
            .providerNotOffered:
            []
        case .invalidScope, .scopeNotConsented, .unusableRefreshToken, .expiredRefreshToken, .revokedRefreshToken:
            [.token]
        }
    }
}

extension DaemonRefusal {
    fileprivate static var all: [DaemonRefusal] {
        var all: [DaemonRefusal] = []
        var next: DaemonRefusal? = .unknownDaemon
        while let refusal = next {
            all.append(refusal)
            next = refusal.following
        }
        return all + AssertionFault.allCases.map(DaemonRefusal.unusableAssertion)
    }

    private var following: DaemonRefusal? {
        switch self {
        case .unknownDaemon: .noProof
        case .noProof: .severalProofs
        case .severalProofs: .publicClient
        case .publicClient: .wrongSecret
        case .wrongSecret: .endedSecret
        case .endedSecret: .invalidScope
        case .invalidScope: .scopeNotDefault
        case .scopeNotDefault, .unusableAssertion: nil
        }
    }
}

extension RequestFault {
    fileprivate static var all: [RequestFault] {
        var all: [RequestFault] = []
        var next: RequestFault? = .malformed(.tooManyFields)
        while let fault = next {
            all.append(fault)
            next = fault.following
        }
        return all
    }

    private var following: RequestFault? {
        switch self {
        case .malformed(.tooManyFields): .malformed(.malformedEncoding)
        case .malformed(.malformedEncoding): .malformed(.notUTF8)
        case .malformed(.notUTF8): .malformed(.nul)
        case .malformed(.nul): .malformed(.tooLong)
        case .malformed(.tooLong): .malformed(.repeated("scope"))
        case .malformed(.repeated): .missing(parameter: "scope")
        case .missing: .invalid(parameter: "scope")
        case .invalid: .redirectNotAccepted
        case .redirectNotAccepted: .unknownGrant
        case .unknownGrant: .unreadableAttributes
        case .unreadableAttributes: .wrongMethod(allowed: "POST")
        case .wrongMethod: .parametersInQuery
        case .parametersInQuery: .unknownTenant
        case .unknownTenant: .wrongContentType
        case .wrongContentType: .bodyTooLarge
        case .bodyTooLarge: .headersTooLarge
        case .headersTooLarge: .uriTooLong
        case .uriTooLong: .misdirected
        case .misdirected: .unknownPath
        case .unknownPath: .foreignOrigin
        case .foreignOrigin: .throttled(retryAfter: 7)
        case .throttled: .unavailable(retryAfter: 7)
        case .unavailable: .broken
        case .broken: nil
        }
    }

    /// The endpoints where it can occur with status 400; empty when no native client reads the body (docs/protocol.md
    /// §2.4).
    fileprivate var endpoints: [V1Endpoint] {
        switch self {
        case .malformed, .missing, .invalid, .parametersInQuery, .unknownTenant:
            [
                .signUpStart, .signUpChallenge, .signUpContinue, .signInInitiate, .signInChallenge, .signInIntrospect,
                .token, .resetPasswordStart, .resetPasswordChallenge, .resetPasswordContinue, .resetPasswordSubmit,
                .resetPasswordPollCompletion, .registerChallenge,
            ]
        case .redirectNotAccepted:
            [
                .signUpStart, .signUpChallenge, .signInInitiate, .signInChallenge, .resetPasswordStart,
                .resetPasswordChallenge,
            ]
        case .unreadableAttributes: [.signUpStart, .signUpContinue]
        // Documented in docs/protocol.md §4.7, and unknown to the client of §14.1.
        case .unknownGrant: []
        case .wrongMethod, .wrongContentType, .bodyTooLarge, .headersTooLarge, .uriTooLong, .misdirected, .unknownPath,
            .foreignOrigin,
            .throttled, .unavailable, .broken:
            []
        }
    }
}

@Suite("The error table") struct RefusalTableTests {
    /// docs/protocol.md §14.1.
    private static let known: [V1Endpoint: Set<String>] = [
        .signUpStart: [
            "invalid_grant", "invalid_request", "unauthorized_client", "unsupported_challenge_type",
            "user_already_exists", "attributes_required", "unsupported_auth_method",
        ],
        .signUpChallenge: ["invalid_request", "unauthorized_client", "unsupported_challenge_type", "expired_token"],
        .signUpContinue: [
            "invalid_request", "unauthorized_client", "invalid_grant", "expired_token", "user_already_exists",
            "attributes_required", "verification_required", "credential_required",
        ],
        .signInInitiate: ["invalid_request", "unauthorized_client", "user_not_found", "unsupported_challenge_type"],
        .signInChallenge: [
            "invalid_request", "unauthorized_client", "invalid_grant", "expired_token", "unsupported_challenge_type",
            "access_denied",
        ],
        .signInIntrospect: ["invalid_request", "expired_token"],
        .resetPasswordStart: [
            "invalid_request", "unauthorized_client", "user_not_found", "unsupported_challenge_type",
        ],
        .resetPasswordChallenge: [
            "invalid_request", "unauthorized_client", "expired_token", "unsupported_challenge_type",
        ],
        .resetPasswordContinue: [
            "invalid_request", "unauthorized_client", "invalid_grant", "expired_token", "verification_required",
        ],
        .resetPasswordSubmit: ["invalid_request", "unauthorized_client", "expired_token", "invalid_grant"],
        .resetPasswordPollCompletion: [
            "invalid_grant", "invalid_request", "unauthorized_client", "expired_token", "user_not_found",
        ],
        .registerChallenge: ["invalid_request", "access_denied"],
        .registerContinue: ["invalid_grant"],
        .token: [
            "invalid_request", "unauthorized_client", "invalid_client", "invalid_grant", "expired_token",
            "expired_refresh_token", "unsupported_challenge_type", "invalid_scope", "authorization_pending",
            "slow_down",
            "user_not_found",
        ],
    ]

    /// The suberrors that clients know, and the one of docs/protocol.md §3.6.
    private static let suberrors: Set<String> = [
        "password_too_weak", "password_too_short", "password_too_long", "password_is_invalid", "password_recently_used",
        "password_banned", "attribute_validation_failed", "invalid_oob_value", "introspect_required", "mfa_required",
        "registration_required", "provider_blocked_by_rep", "nativeauthapi_disabled",
    ]

    private let trace = Trace(id: UUID(), correlationID: UUID(), at: Date(timeIntervalSince1970: 1_800_000_000))

    private func check(_ failure: V1Failure, at endpoints: [V1Endpoint], _ label: String) {
        #expect((400...599).contains(failure.status), "\(label)")
        #expect(!failure.text.isEmpty && failure.text.hasSuffix("."), "\(label)")
        #expect(failure.text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(label)")
        #expect(!failure.error.rawValue.isEmpty, "\(label)")
        // Of clients that announce passkeys or providers, which read the suberror first.
        let isAnnounced = [.passkeyInvalid, .passkeyUnknown, .idTokenInvalid, .providerUnavailable].contains(
            failure.suberror)
        if let suberror = failure.suberror {
            #expect(isAnnounced || Self.suberrors.contains(suberror.rawValue), "\(label)")
        }
        for endpoint in endpoints {
            #expect(failure.status == 400, "\(label)")
            #expect(
                Self.known[endpoint]?.contains(failure.error.rawValue) == true,
                "\(label): no client knows \(failure.error.rawValue) at \(endpoint.rawValue)")
        }
        // docs/protocol.md §4.7 and §16 row 29: this number in front would hide a suberror.
        #expect(failure.code != .credentialsWrong || failure.suberror == nil || isAnnounced, "\(label)")
    }

    @Test("docs/protocol.md §14.1: every refusal has a row with words that clients know at that endpoint")
    func everyRefusalHasARow() {
        #expect(
            Refusal.all.count == 46 + PasswordFault.allCases.count + ProofFault.allCases.count
                + CodeFault.allCases.count
                + DeviceFault.allCases.count)
        for refusal in Refusal.all {
            check(V1Failure(refusal), at: refusal.endpoints, "\(refusal)")
            let reply = V1Codec.reply(Outcome(.refused(refusal), trace: trace))
            let isThrottled = [.throttled(retryAfter: 7), .enumerationLimited(retryAfter: 7)].contains(refusal)
            #expect(reply.status == (isThrottled ? 429 : 400), "\(refusal)")
            let tellsWhen = isThrottled || refusal == .locked(seconds: 7)
            #expect(reply.retryAfter == (tellsWhen ? 7 : nil), "\(refusal)")
        }
    }

    @Test("docs/protocol.md §19.4: every refusal of a daemon has a row, and 401 means that it did not prove itself")
    func everyRefusalOfADaemonHasARow() {
        for refusal in DaemonRefusal.all {
            let failure = V1Failure(refusal)
            check(failure, at: [], "\(refusal)")
            #expect(failure.status == (failure.error == .invalidClient ? 401 : 400), "\(refusal)")
            let reply = V1Codec.reply(.refused(refusal), trace: trace)
            #expect(reply.status == failure.status && reply.errorCode == failure.code.rawValue, "\(refusal)")
        }
    }

    @Test("SEC-WIRE-1: every fault of a request has a row, and says when to come again where that helps")
    func everyFaultHasARow() {
        for fault in RequestFault.all {
            let failure = V1Failure(fault)
            check(failure, at: fault.endpoints, "\(fault)")
            let reply = V1Codec.reply(fault, trace: trace)
            #expect(reply.status == failure.status, "\(fault)")
            #expect((reply.retryAfter == 7) == [429, 503].contains(reply.status), "\(fault)")
            #expect((failure.error == .temporarilyUnavailable) == [429, 503].contains(reply.status), "\(fault)")
            #expect((reply.allow != nil) == (reply.status == 405), "\(fault)")
        }
    }

    @Test("docs/protocol.md §10: each of the six password faults has its suberror, under invalid_grant")
    func eachPasswordFaultHasItsSuberror() {
        let suberrors = PasswordFault.allCases.map { fault in
            let failure = V1Failure(.unacceptablePassword(fault))
            #expect(failure.error == .invalidGrant)
            return failure.suberror
        }
        #expect(Set(suberrors.compactMap(\.self)) == WireSuberror.passwordRefusals)
    }
}
