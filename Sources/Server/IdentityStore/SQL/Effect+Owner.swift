import IdentityEngine
import NativeAuthCore

extension Effect {
    /// The user whose rows it changes; nil where it makes rows, or changes those of no user. A shared transaction can hold
    /// it only with the user as a subject, because another change may have read those rows already.
    var owner: UserID? {
        switch self {
        case .createUser, .enqueueMail, .noteText, .noteVerifiedTexts, .pauseTexts, .openRefreshFamily, .record, .count,
            .forget, .holdName, .releaseNames, .keepNames, .setLockout, .setSlowLane:
            nil
        // It also removes the session that the browser had, which may be another user's, and revokes its families: a
        // refresh does not undo that (`update` in `SQLStore+Refresh`).
        case .openBrowserSession: nil
        case .endBrowserSession(_, let user, _), .changePassword(let user, _, _, _), .upgradePassword(let user, _, _),
            .movePassword(let user, _), .trustPassword(let user), .revokeRefreshFamilies(let user, _, _, _),
            .keepRefreshFamilies(let user, _), .revokeRefreshFamily(_, let user, _), .removePassword(let user, _),
            .endFlows(let user), .changeCredentials(let user, _), .setAttributes(_, let user),
            .setDisabled(let user, _),
            .requireSecondFactor(_, let user), .replaceName(_, _, let user, _, _), .forgetUndos(let user, _),
            .scheduleDeletion(let user, _), .setDeleted(let user, _), .deleteUser(let user, _, _),
            .renameMethod(_, let user, _), .addStrongMethod(_, let user), .removeStrongMethods(_, let user),
            .setSuspension(_, let user, _), .noteUse(_, let user, _), .spendStep(_, let user, _),
            .keepGrant(_, _, let user), .updatePasskey(_, let user, _, _), .setRecovery(_, let user, _),
            .rememberNetwork(_, let user, _), .forgetNetworks(let user), .noteDeviceUse(_, let user, _),
            .forgetDevices(let user, _), .standBehindOperatorRequest(_, let user, _),
            .closeOperatorRequest(_, let user):
            user
        case .offerUndo(let undo): undo.user
        case .rememberDevice(let device, _): device.user
        case .openOperatorRequest(let request): request.user
        }
    }
}

extension SQLSession {
    /// Writes the effects of a change that has named `user`, or no account, as a subject.
    ///
    /// - Throws: ``NotOfItsSubjects`` in a shared transaction, when an effect is about another user who exists already.
    func apply(_ effects: [Effect], of user: UserID?, in tenant: TenantID) throws {
        if isShared {
            let made = effects.compactMap { if case .createUser(let new) = $0 { new.id } else { nil } }
            for owner in effects.compactMap(\.owner) where owner != user && !made.contains(owner) {
                throw NotOfItsSubjects()
            }
        }
        for effect in effects { try apply(effect, in: tenant) }
    }
}
