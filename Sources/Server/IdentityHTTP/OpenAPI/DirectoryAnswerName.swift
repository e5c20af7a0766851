import NativeAuthWire

/// The names of all answers of the directory, for the OpenAPI document and the tests that provoke each answer.
enum DirectoryAnswerName: String, CaseIterable, Sendable {
    case done, content, sessionsEnded, codeSent, ownMailboxProven, appOffered, passkeyOffered, passkeyRefused,
        providerAsked, identityRefused, providerUnavailable, providerNotOffered, deletionScheduled
    case invalidToken, insufficientScope, proofNeeded
    case unknownProperty, readOnlyProperty, invalidValue, nameTaken, changedMeanwhile, notFound, lastMethod
    case unusableToken, incorrectCode, expiredCode, tooManyCodes, mailboxThrottled, invalidContact, blockedContact,
        methodNotAllowed
    case incorrectPassword, unacceptablePassword, passwordNotUsed, locked
    case malformedBody, foreignOrigin, wrongContentType, bodyTooLarge, wrongMethod, uriTooLong, headersTooLarge,
        tooManyChanges
    case unavailable

    /// The operations where it can occur.
    var operations: Set<DirectoryOperation> {
        let all = Set(DirectoryOperation.allCases)
        let withToken = all.subtracting([.undoEmailChange])
        let begins: Set<DirectoryOperation> = [.addMethod, .changeEmail, .addApp, .addPhone, .addPasskey, .addIdentity]
        let confirms: Set<DirectoryOperation> = [
            .confirmMethod, .confirmEmail, .confirmApp, .confirmPhone, .confirmPasskey, .confirmIdentity,
        ]
        switch self {
        case .done:
            return [
                .changeProfile, .deleteAccount, .changePassword, .removeMethod, .renameMethod, .confirmMethod,
                .removeApp, .renameApp, .confirmApp, .removePhone, .renamePhone, .confirmPhone, .confirmEmail,
                .removePasskey, .renamePasskey, .confirmPasskey, .confirmIdentity,
                .undoEmailChange, .endSession, .endOtherSessions, .forgetDevice,
                .keepAccount,
            ]
        case .content:
            return [
                .readProfile, .listMethods, .listEmailMethods, .listPasswordMethods, .listAppMethods, .listPhoneMethods,
                .listPasskeys, .readRecoveryCodes,
                .makeRecoveryCodes, .listSessions, .listDevices, .export,
            ]
        case .sessionsEnded: return [.endAllSessions, .endAllSessionsBeta]
        case .codeSent: return begins
        case .ownMailboxProven: return [.confirmMethod, .confirmEmail, .confirmPhone]
        case .appOffered: return [.addApp, .confirmApp]
        case .passkeyOffered: return [.addPasskey, .confirmPasskey]
        case .passkeyRefused: return [.confirmPasskey]
        case .providerAsked: return [.addIdentity, .confirmIdentity]
        case .identityRefused, .providerUnavailable: return [.confirmIdentity]
        case .providerNotOffered: return [.addIdentity]
        case .deletionScheduled: return [.deleteAccount]
        case .invalidToken, .insufficientScope, .foreignOrigin: return withToken
        case .proofNeeded:
            return [
                .deleteAccount, .changePassword, .removeMethod, .addMethod, .removeApp, .addApp, .removePhone,
                .addPhone, .removePasskey, .addPasskey, .renamePasskey, .addIdentity,
                .makeRecoveryCodes, .changeEmail, .keepAccount, .renameMethod, .renameApp, .renamePhone,
            ]
        case .unknownProperty: return [.readProfile, .changeProfile]
        case .readOnlyProperty: return [.changeProfile]
        case .changedMeanwhile: return [.changeProfile, .makeRecoveryCodes]
        case .invalidValue:
            return [.changeProfile, .renameMethod, .renameApp, .renamePhone, .renamePasskey, .confirmPasskey]
        case .nameTaken: return [.changeProfile, .confirmEmail, .confirmIdentity, .undoEmailChange]
        case .notFound:
            return [
                .endSession, .forgetDevice, .renameMethod, .removeMethod, .renameApp, .removeApp, .renamePhone,
                .removePhone,
                .renamePasskey, .removePasskey,
            ]
        case .lastMethod: return [.removeMethod, .removeApp, .removePhone, .removePasskey]
        case .methodNotAllowed:
            return [.addApp, .addPhone, .addPasskey, .addIdentity, .confirmIdentity, .makeRecoveryCodes]
        case .unusableToken: return begins.union(confirms)
        case .incorrectCode: return confirms.union([.undoEmailChange])
        case .expiredCode: return confirms
        case .tooManyCodes: return begins
        case .invalidContact: return [.addMethod, .changeEmail, .addPhone]
        case .blockedContact: return [.addPhone]
        case .mailboxThrottled: return begins.union(confirms)
        case .incorrectPassword, .unacceptablePassword, .locked: return [.changePassword]
        case .passwordNotUsed: return [.changePassword, .addMethod]
        case .malformedBody, .wrongContentType, .bodyTooLarge: return all.filter { $0.hasBody }
        case .wrongMethod, .uriTooLong, .headersTooLarge, .unavailable: return all
        case .tooManyChanges: return all.filter(\.isLimited)
        }
    }
}
