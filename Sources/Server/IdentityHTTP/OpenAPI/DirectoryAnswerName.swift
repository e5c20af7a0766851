import NativeAuthWire

/// The names of all answers of the directory, for the OpenAPI document and the tests that provoke each answer.
enum DirectoryAnswerName: String, CaseIterable, Sendable {
    case done, content, sessionsEnded, codeSent, ownMailboxProven, deletionScheduled
    case invalidToken, insufficientScope, proofNeeded
    case unknownProperty, readOnlyProperty, invalidValue, nameTaken, changedMeanwhile, notFound, lastMethod
    case unusableToken, incorrectCode, expiredCode, tooManyCodes, mailboxThrottled, invalidContact
    case incorrectPassword, unacceptablePassword, passwordNotUsed, locked
    case malformedBody, foreignOrigin, wrongContentType, bodyTooLarge, wrongMethod, uriTooLong, headersTooLarge,
        tooManyChanges
    case unavailable

    /// The operations where it can occur.
    var operations: Set<DirectoryOperation> {
        let all = Set(DirectoryOperation.allCases)
        let withToken = all.subtracting([.undoEmailChange])
        let begins: Set<DirectoryOperation> = [.addMethod, .changeEmail]
        let confirms: Set<DirectoryOperation> = [.confirmMethod, .confirmEmail]
        switch self {
        case .done:
            return [
                .changeProfile, .deleteAccount, .changePassword, .removeMethod, .renameMethod, .confirmMethod,
                .confirmEmail, .undoEmailChange, .endSession, .endOtherSessions, .keepAccount,
            ]
        case .content:
            return [.readProfile, .listMethods, .listEmailMethods, .listPasswordMethods, .listSessions, .export]
        case .sessionsEnded: return [.endAllSessions, .endAllSessionsBeta]
        case .codeSent: return begins
        case .ownMailboxProven: return confirms
        case .deletionScheduled: return [.deleteAccount]
        case .invalidToken, .insufficientScope, .foreignOrigin: return withToken
        case .proofNeeded:
            return [.deleteAccount, .changePassword, .removeMethod, .addMethod, .changeEmail, .keepAccount]
        case .unknownProperty: return [.readProfile, .changeProfile]
        case .readOnlyProperty, .changedMeanwhile: return [.changeProfile]
        case .invalidValue: return [.changeProfile, .renameMethod]
        case .nameTaken: return [.changeProfile, .confirmEmail, .undoEmailChange]
        case .notFound: return [.endSession, .renameMethod, .removeMethod]
        case .lastMethod: return [.removeMethod]
        case .unusableToken: return begins.union(confirms)
        case .incorrectCode: return confirms.union([.undoEmailChange])
        case .expiredCode: return confirms
        case .tooManyCodes, .invalidContact: return begins
        case .mailboxThrottled: return begins.union(confirms)
        case .incorrectPassword, .unacceptablePassword, .locked: return [.changePassword]
        case .passwordNotUsed: return [.changePassword, .addMethod]
        case .malformedBody, .wrongContentType, .bodyTooLarge: return all.filter { $0.hasBody }
        case .wrongMethod, .uriTooLong, .headersTooLarge, .unavailable: return all
        case .tooManyChanges: return all.filter(\.isLimited)
        }
    }
}
