import IdentityEngine
import NativeAuthWire

extension DirectoryAnswerName {
    /// The answer of an operation in the document.
    func documented(of operation: DirectoryOperation) -> DocumentedAnswer {
        switch self {
        case .done: DocumentedAnswer(204, "It is done.", headers: operation == .changeProfile ? [.version] : [])
        case .content:
            DocumentedAnswer(
                200, "The content.", operation.outline.reply.map { .json(.named($0)) } ?? .none,
                headers: operation == .readProfile ? [.version] : [])
        case .sessionsEnded: DocumentedAnswer(200, "All sessions have ended.", .json(.named(.sessionsEnded)))
        case .codeSent: DocumentedAnswer(202, "A code was mailed.", .json(.named(.contactChange)))
        case .ownMailboxProven:
            DocumentedAnswer(
                202, "The own mailbox is proven: ask for the next code with the token.", .json(.named(.contactChange)))
        case .appOffered:
            DocumentedAnswer(
                202, "The secret for the app: confirm with a code that the app shows.", .json(.named(.contactChange)))
        case .passkeyOffered:
            DocumentedAnswer(
                202, "What an authenticator needs to make the passkey.", .json(.named(.contactChange)))
        case .passkeyRefused: refusal(.step(.passkeyRefused(isUnknown: false)))
        case .providerAsked:
            DocumentedAnswer(202, "The nonce for the provider's token.", .json(.named(.contactChange)))
        case .identityRefused: refusal(.step(.identityRefused))
        case .providerUnavailable: refusal(.step(.providerUnavailable))
        case .providerNotOffered: refusal(.step(.providerNotOffered))
        case .deletionScheduled:
            DocumentedAnswer(
                202, "The account will be deleted; until then the user can keep it.", .json(.named(.deletion)))
        case .invalidToken: refusal(.invalidToken)
        case .insufficientScope: refusal(.insufficientScope)
        case .proofNeeded: refusal(.proofNeeded(secondFactor: false))
        case .unknownProperty: refusal(.unknownProperty("NAME"))
        case .readOnlyProperty: refusal(.readOnlyProperty("NAME"))
        case .invalidValue: refusal(.invalidValue("NAME"))
        case .nameTaken: refusal(.nameTaken("NAME"))
        case .changedMeanwhile: refusal(.changedMeanwhile)
        case .notFound: refusal(.notFound)
        case .lastMethod: refusal(.lastMethod)
        case .unusableToken: refusal(.step(.unusableToken))
        case .incorrectCode: refusal(.step(.incorrectCode))
        case .expiredCode: refusal(.step(.expiredCode))
        case .tooManyCodes: refusal(.step(.tooManyCodes))
        case .mailboxThrottled: refusal(.step(.throttled(retryAfter: 1)))
        case .invalidContact: refusal(.step(.invalidContact))
        case .blockedContact: refusal(.step(.blockedContact))
        case .methodNotAllowed: refusal(.step(.methodNotAllowed))
        case .incorrectPassword: refusal(.step(.incorrectPassword))
        case .unacceptablePassword: refusal(.step(.unacceptablePassword(.tooShort)))
        case .passwordNotUsed: refusal(.step(.passwordNotUsed))
        case .locked: refusal(.step(.locked(seconds: 1)))
        case .malformedBody: fault(.unreadableAttributes)
        case .foreignOrigin: fault(.foreignOrigin)
        case .wrongContentType: fault(.wrongContentType)
        case .bodyTooLarge: fault(.bodyTooLarge)
        case .wrongMethod: fault(.wrongMethod(allowed: "the method of another operation"))
        case .uriTooLong: fault(.uriTooLong)
        case .headersTooLarge: fault(.headersTooLarge)
        case .tooManyChanges: fault(.throttled(retryAfter: 1))
        case .unavailable: fault(.unavailable(retryAfter: 1))
        }
    }

    /// The answers of an operation, with those to a wrong host name and to too many requests of one source.
    static func answers(of operation: DirectoryOperation) -> [DocumentedAnswer] {
        let own = allCases.filter { $0.operations.contains(operation) }.map { $0.documented(of: operation) }
        let faults: [RequestFault] = [.misdirected, .bodyTooLarge, .throttled(retryAfter: 1)]
        return own + faults.map { DocumentedAnswer(DirectoryFailure($0)) }
    }

    private func refusal(_ refusal: DirectoryRefusal) -> DocumentedAnswer {
        DocumentedAnswer(DirectoryFailure(refusal))
    }

    private func fault(_ fault: RequestFault) -> DocumentedAnswer { DocumentedAnswer(DirectoryFailure(fault)) }
}
