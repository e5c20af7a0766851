import IdentityEngine
import NativeAuthWire

extension AnswerName {
    /// The answer in the document.
    var documented: DocumentedAnswer {
        switch self {
        case .requestChallenge: success("The flow has begun: ask for a challenge.", .continuation)
        case .proveAddress: success("A code was mailed, or the app shows it.", .codeSent)
        case .enterPassword: success("A password is required.", .passwordRequired)
        case .chooseMethod: success("The methods to choose from.", .methods)
        case .proveContact: success("A code was mailed to the contact.", .contactCodeSent)
        case .contactAlreadyProven: success("The flow has proven the contact already.", .contactProven)
        case .choosePassword: success("The code is right: submit the password.", .passwordChoice)
        case .awaitReset: success("The password was accepted.", .passwordSubmitted)
        case .passwordChanged: success("The password is changed.", .resetCompleted)
        case .signIn: success("The flow is complete: ask for tokens.", .continuation)
        case .signedIn: success("The tokens.", .tokens)
        case .browserTicket: success("A ticket, for one use in a browser.", .browserTicket)
        case .revoked: success("The session has ended, or there was none.", .empty)
        case .redirectToBrowser: success("The app cannot do what is needed; the web can.", .redirect)
        case .accountChanged: success("The account is changed.", .empty)
        case .enrolApp: success("The secret for an authenticator app.", .empty)
        case .createPasskey: success("What an authenticator needs to make a passkey.", .empty)
        case .methodNotAllowed: refusal(.methodNotAllowed)
        case .usePasskey: success("Let an authenticator sign with a passkey.", .passkeyAsked)
        case .passkeyRefused: refusal(.passkeyRefused(isUnknown: false))
        case .passkeyUnknown: refusal(.passkeyRefused(isUnknown: true))
        case .passkeysNotOffered: refusal(.passkeysNotOffered)
        case .chooseCredential: DocumentedAnswer(V1Failure.credentialRequired)
        case .collectAttributes: DocumentedAnswer(V1Failure.attributesRequired)
        case .verifyFirst: DocumentedAnswer(V1Failure.verificationRequired)
        case .giveSecondFactor: DocumentedAnswer(V1Failure.secondFactorRequired)
        case .registerMethod: DocumentedAnswer(V1Failure.registrationRequired)
        case .daemonToken: success("The token of a daemon.", .daemonToken)
        case .unknownDaemon: DocumentedAnswer(V1Failure(.unknownDaemon))
        case .daemonWithoutProof: DocumentedAnswer(V1Failure(.noProof))
        case .severalProofs: DocumentedAnswer(V1Failure(.severalProofs))
        case .wrongSecret: DocumentedAnswer(V1Failure(.wrongSecret))
        case .endedSecret: DocumentedAnswer(V1Failure(.endedSecret))
        case .unusableAssertion: DocumentedAnswer(V1Failure(.unusableAssertion(.malformed)))
        case .assertionOutsideItsTime: DocumentedAnswer(V1Failure(.unusableAssertion(.wrongTime)))
        case .daemonScopeInvalid: DocumentedAnswer(V1Failure(DaemonRefusal.invalidScope))
        case .scopeNotDefault: DocumentedAnswer(V1Failure(.scopeNotDefault))
        case .unknownTenant: refusal(.unknownTenant)
        case .unknownClient: refusal(.unknownClient)
        case .nativeAuthDisabled: refusal(.nativeAuthDisabled)
        case .signUpNotAllowed: refusal(.signUpNotAllowed)
        case .invalidUsername: refusal(.invalidUsername)
        case .userAlreadyExists: refusal(.userAlreadyExists)
        case .passwordInvalid: refusal(.unacceptablePassword(.invalid))
        case .passwordTooShort: refusal(.unacceptablePassword(.tooShort))
        case .passwordTooLong: refusal(.unacceptablePassword(.tooLong))
        case .passwordTooWeak: refusal(.unacceptablePassword(.tooWeak))
        case .passwordBanned: refusal(.unacceptablePassword(.banned))
        case .passwordRecentlyUsed: refusal(.unacceptablePassword(.recentlyUsed))
        case .passwordNotUsed: refusal(.passwordNotUsed)
        case .invalidAttributes: refusal(.invalidAttributes([]))
        case .refusedAttributes:
            refusal(.refusedAttributes([], reason: "The reason of a hook's receiver; invalid_attributes names them."))
        case .blockedByHook: refusal(.blockedByHook(reason: "The reason of a hook's receiver; the flow is over."))
        case .unusableToken: refusal(.unusableToken)
        case .expiredToken: refusal(.expiredToken)
        case .notAllowedNow: refusal(.notAllowedNow)
        case .incorrectCode: refusal(.incorrectCode)
        case .expiredCode: refusal(.expiredCode)
        case .tooManyCodes: refusal(.tooManyCodes)
        case .addressThrottled: refusal(.throttled(retryAfter: 1))
        case .invalidScope: refusal(.invalidScope)
        case .scopeNotConsented: refusal(.scopeNotConsented)
        case .userNotFound: refusal(.userNotFound)
        case .noPasswordToReset: refusal(.noPasswordToReset)
        case .incorrectPassword: refusal(.incorrectPassword)
        case .passwordChangeRequired: refusal(.passwordChangeRequired)
        case .locked: refusal(.locked(seconds: 1))
        case .accountDisabled: refusal(.accountDisabled)
        case .unknownMethod: refusal(.unknownMethod)
        case .invalidContact: refusal(.invalidContact)
        case .blockedContact: refusal(.blockedContact)
        case .mailboxRefuses: refusal(.mailboxRefuses)
        case .secondFactorNeeded: refusal(.secondFactorNeeded)
        case .unusableRefreshToken: refusal(.unusableRefreshToken)
        case .expiredRefreshToken: refusal(.expiredRefreshToken)
        case .revokedRefreshToken: refusal(.revokedRefreshToken)
        case .unusableGrantCode: refusal(.unusableCode(.unusable))
        case .expiredGrantCode: refusal(.unusableCode(.expired))
        case .usedGrantCode: refusal(.unusableCode(.used))
        case .grantCodeOfOtherAddress: refusal(.unusableCode(.wrongRedirect))
        case .wrongVerifier: refusal(.unusableCode(.wrongVerifier))
        case .grantCodeWithoutPage: refusal(.unusableCode(.pageMissing))
        case .grantCodeByPage: refusal(.unusableCode(.pageNotExpected))
        case .deviceNotAllowed: refusal(.unusableDevice(.notAllowed))
        case .unusableDeviceCode: refusal(.unusableDevice(.unusable))
        case .devicePending: refusal(.unusableDevice(.pending))
        case .deviceTooFast: refusal(.unusableDevice(.tooFast))
        case .deviceDeclined: refusal(.unusableDevice(.declined))
        case .expiredDeviceCode: refusal(.unusableDevice(.expired))
        case .usedDeviceCode: refusal(.unusableDevice(.used))
        case .endedSessionOfDevice: refusal(.unusableDevice(.sessionEnded))
        case .ticketNotAllowed: refusal(.ticketNotAllowed)
        case .invalidProof: refusal(.unusableProof(.malformed))
        case .proofOfOtherKey: refusal(.unusableProof(.wrongKey))
        case .sessionWithoutKey: refusal(.unusableProof(.notBound))
        case .foreignOrigin: fault(.foreignOrigin)
        case .endedBrowserSession: refusal(.unusableCode(.sessionEnded))
        case .publicClient: DocumentedAnswer(V1Failure(DaemonRefusal.publicClient))
        case .malformed: fault(.malformed(.malformedEncoding))
        case .missing: fault(.missing(parameter: "NAME"))
        case .invalid: fault(.invalid(parameter: "NAME"))
        case .redirectNotAccepted: fault(.redirectNotAccepted)
        case .unknownGrant: fault(.unknownGrant)
        case .unreadableAttributes: fault(.unreadableAttributes)
        case .wrongMethod: fault(.wrongMethod(allowed: "the method of another operation"))
        case .parametersInQuery: fault(.parametersInQuery)
        case .unknownTenantOfDocument: fault(.unknownTenant)
        case .wrongContentType: fault(.wrongContentType)
        case .bodyTooLarge: fault(.bodyTooLarge)
        case .headersTooLarge: fault(.headersTooLarge)
        case .uriTooLong: fault(.uriTooLong)
        case .misdirected: fault(.misdirected)
        case .unknownPath: fault(.unknownPath)
        case .sourceThrottled: fault(.throttled(retryAfter: 1))
        case .unavailable: fault(.unavailable(retryAfter: 1))
        case .broken: fault(.broken)
        }
    }

    /// The answers of an endpoint, and those to a wrong host name.
    static func answers(of endpoint: V1Endpoint) -> [AnswerName] {
        allCases.filter { $0.endpoints.contains(endpoint) } + [.misdirected]
    }

    /// The answers that every request outside of the directory can get.
    static let ofEveryRequest: [AnswerName] = [
        .malformed, .wrongMethod, .bodyTooLarge, .headersTooLarge, .uriTooLong, .misdirected, .sourceThrottled,
        .unavailable,
    ]

    private func success(_ text: String, _ schema: SchemaName) -> DocumentedAnswer {
        DocumentedAnswer(200, text, .json(.named(schema)))
    }

    private func refusal(_ refusal: Refusal) -> DocumentedAnswer { DocumentedAnswer(V1Failure(refusal)) }

    private func fault(_ fault: RequestFault) -> DocumentedAnswer { DocumentedAnswer(V1Failure(fault)) }
}
