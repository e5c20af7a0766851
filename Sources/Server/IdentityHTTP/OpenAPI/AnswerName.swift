import NativeAuthWire

/// The names of all answers of the native API and of the endpoints beside it, for the OpenAPI document and the tests that
/// provoke each answer.
enum AnswerName: String, CaseIterable, Sendable {
    // Replies, and the progress that V1 says as errors.
    case requestChallenge, proveAddress, chooseCredential, enterPassword, collectAttributes, verifyFirst,
        giveSecondFactor
    case registerMethod, chooseMethod, proveContact, contactAlreadyProven, choosePassword, awaitReset, passwordChanged
    case signIn, signedIn, browserTicket, revoked, redirectToBrowser
    // Of the directory alone.
    case accountChanged, enrolApp, createPasskey, methodNotAllowed
    // Of passkeys.
    case usePasskey, passkeyRefused, passkeyUnknown, passkeysNotOffered
    // Of providers.
    case useProvider, identityRefused, providerUnavailable, providerNotOffered, linkRequired
    // Of daemons.
    case daemonToken, unknownDaemon, daemonWithoutProof, severalProofs, wrongSecret, endedSecret, unusableAssertion
    case assertionOutsideItsTime, daemonScopeInvalid, scopeNotDefault
    // Refusals.
    case unknownTenant, unknownClient, nativeAuthDisabled, signUpNotAllowed, invalidUsername, userAlreadyExists,
        passwordInvalid
    case passwordTooShort, passwordTooLong, passwordTooWeak, passwordBanned, passwordRecentlyUsed, passwordNotUsed
    case invalidAttributes, refusedAttributes, blockedByHook, unusableToken, expiredToken, notAllowedNow, incorrectCode,
        expiredCode
    case tooManyCodes, addressThrottled, invalidScope, scopeNotConsented, userNotFound, noPasswordToReset,
        incorrectPassword, passwordChangeRequired, locked
    case accountDisabled, unknownMethod, invalidContact, blockedContact, mailboxRefuses, secondFactorNeeded,
        unusableRefreshToken
    case expiredRefreshToken, revokedRefreshToken
    // Of authorization codes, and of applications that prove who they are.
    case unusableGrantCode, expiredGrantCode, usedGrantCode, grantCodeOfOtherAddress, wrongVerifier, endedBrowserSession
    case publicClient, grantCodeWithoutPage, grantCodeByPage
    // Of devices without a browser.
    case deviceNotAllowed, unusableDeviceCode, devicePending, deviceTooFast, deviceDeclined, expiredDeviceCode
    case usedDeviceCode, endedSessionOfDevice
    // Of tickets to the browser.
    case ticketNotAllowed
    // Of proofs of possession.
    case invalidProof, proofOfOtherKey, sessionWithoutKey
    // Of pages that call from their scripts.
    case foreignOrigin
    // Faults of requests.
    case malformed, missing, invalid, redirectNotAccepted, unknownGrant, unreadableAttributes, wrongMethod
    case parametersInQuery, unknownTenantOfDocument, wrongContentType, bodyTooLarge, headersTooLarge, uriTooLong
    case misdirected, unknownPath, sourceThrottled, unavailable, broken

    private static let starts: Set<V1Endpoint> = [.signUpStart, .signInInitiate, .resetPasswordStart]
    private static let challenges: Set<V1Endpoint> = [.signUpChallenge, .signInChallenge, .resetPasswordChallenge]
    private static let everywhere = Set(V1Endpoint.allCases)

    /// The endpoints where it can occur.
    var endpoints: Set<V1Endpoint> {
        switch self {
        case .accountChanged: []
        case .createPasskey, .enrolApp: [.registerChallenge]
        case .methodNotAllowed: [.token, .signUpContinue]
        case .useProvider: [.signInChallenge]
        case .identityRefused, .providerUnavailable: [.token]
        case .providerNotOffered: [.signInInitiate]
        case .linkRequired: [.token, .signUpContinue]
        case .usePasskey: [.signInChallenge]
        case .passkeyRefused: [.token, .registerContinue]
        case .passkeyUnknown: [.token]
        case .passkeysNotOffered: [.signInInitiate]
        case .requestChallenge: Self.starts
        case .proveAddress: Self.challenges
        case .enterPassword: [.signUpChallenge, .signInChallenge]
        case .chooseCredential, .refusedAttributes: [.signUpContinue]
        case .collectAttributes, .verifyFirst: [.signUpContinue, .token]
        case .blockedByHook: [.signUpContinue, .token]
        case .giveSecondFactor, .registerMethod, .signedIn, .browserTicket: [.token]
        case .daemonToken, .unknownDaemon, .daemonWithoutProof, .severalProofs, .wrongSecret, .endedSecret,
            .unusableAssertion, .assertionOutsideItsTime, .daemonScopeInvalid, .scopeNotDefault:
            [.token]
        case .chooseMethod: [.signInIntrospect, .registerIntrospect]
        case .proveContact, .contactAlreadyProven, .blockedContact: [.registerChallenge]
        case .invalidContact: [.registerChallenge, .signUpChallenge]
        case .mailboxRefuses: Self.challenges.union([.registerChallenge])
        case .choosePassword: [.resetPasswordContinue]
        case .awaitReset, .passwordRecentlyUsed: [.resetPasswordSubmit]
        case .passwordChanged: [.resetPasswordPollCompletion]
        case .signIn: [.signUpContinue, .registerContinue]
        case .redirectToBrowser: Self.starts.union(Self.challenges).union([.token])
        case .unknownTenant, .unknownClient, .nativeAuthDisabled: Self.everywhere
        case .invalidUsername, .passwordNotUsed: [.signUpStart]
        case .signUpNotAllowed: [.signUpStart, .token]
        case .userAlreadyExists: [.signUpStart, .signUpContinue, .token]
        case .invalidAttributes, .unreadableAttributes: [.signUpStart, .signUpContinue]
        case .passwordInvalid, .passwordTooShort, .passwordTooLong, .passwordTooWeak, .passwordBanned:
            [.signUpStart, .signUpContinue, .resetPasswordSubmit]
        case .unusableToken, .expiredToken, .notAllowedNow: Self.everywhere.subtracting(Self.starts)
        case .incorrectCode, .expiredCode: [.signUpContinue, .token, .resetPasswordContinue, .registerContinue]
        case .tooManyCodes: Self.challenges.union([.registerChallenge])
        case .addressThrottled:
            Self.challenges.union([
                .registerChallenge, .signUpContinue, .token, .resetPasswordContinue, .registerContinue,
            ])
        case .invalidScope, .scopeNotConsented, .incorrectPassword, .passwordChangeRequired, .locked,
            .secondFactorNeeded,
            .unusableRefreshToken, .expiredRefreshToken, .revokedRefreshToken, .unknownGrant, .unusableGrantCode,
            .expiredGrantCode, .usedGrantCode, .grantCodeOfOtherAddress, .wrongVerifier, .endedBrowserSession,
            .publicClient, .grantCodeWithoutPage, .grantCodeByPage, .deviceNotAllowed, .unusableDeviceCode,
            .devicePending, .deviceTooFast, .deviceDeclined, .expiredDeviceCode, .usedDeviceCode, .endedSessionOfDevice,
            .ticketNotAllowed, .invalidProof, .proofOfOtherKey, .sessionWithoutKey:
            [.token]
        case .userNotFound: [.signInInitiate, .resetPasswordStart]
        case .noPasswordToReset: [.resetPasswordStart]
        case .accountDisabled: Self.everywhere.subtracting([.signUpStart, .signUpChallenge, .signUpContinue])
        case .unknownMethod: [.signInChallenge]
        case .redirectNotAccepted: Self.starts.union(Self.challenges)
        case .malformed, .missing, .invalid, .wrongMethod, .parametersInQuery, .wrongContentType, .bodyTooLarge,
            .headersTooLarge, .uriTooLong, .sourceThrottled, .unavailable, .foreignOrigin:
            Self.everywhere
        // Only at the revocation endpoint; only at documents; only at pages; no endpoint; and a fault of the program.
        case .revoked, .unknownTenantOfDocument, .misdirected, .unknownPath, .broken: []
        }
    }
}
