package import NativeAuthCore
package import PortableFoundation

// The end of accounts and sessions by the directory API for operators (docs/protocol.md §18).
extension Engine {
    /// For how long a user that an operator deleted can be restored, in seconds: 30 days.
    package static let restorable = 30 * 86_400.0

    /// Deletes a user, who can be restored for ``restorable``, and tells the user's mailbox. Sessions and open flows end
    /// now. The login names stay reserved until then, so that a restore brings back the same account.
    ///
    /// - Parameter version: The version of the profile that is to be deleted; nil: any.
    package func deleteRestorably(
        _ id: UserID, version: String? = nil, in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        guard let known = try await account(id, in: tenant.id), known.deletedAt == nil,
            let own = EmailAddress(stored: known.user.email)
        else { return .refused(.notFound) }
        let notice = try notice(
            .accountDeleted, to: own, in: tenant, user: id, language: known.user.chosenMailLanguage, at: now)
        let event = operatorEvent(.deletionScheduled, id, in: tenant.id, as: actor, at: now)
        return try await change(id, in: tenant.id) { facts in
            guard let account = facts.account, account.deletedAt == nil else { return ([], .refused(.notFound)) }
            guard version == nil || version == self.profile(of: account, in: tenant).version else {
                return ([], .refused(.changedMeanwhile))
            }
            // A user who wanted the deletion earlier gets it then.
            let due = min(now.addingTimeInterval(Self.restorable), account.deletionDueAt ?? .distantFuture)
            return (
                [
                    .setDeleted(id, now), .scheduleDeletion(id, due),
                    .changeCredentials(id, at: now), .revokeRefreshFamilies(id, at: now), .endFlows(id), .record(event),
                    notice,
                ], .accepted(())
            )
        }
    }

    /// Takes back an operator's deletion. A user who was disabled before stays so, and one who wanted the deletion still
    /// does.
    package func restoreUser(
        _ id: UserID, in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<UserAccount> {
        let event = operatorEvent(.accountRestored, id, in: tenant.id, as: actor, at: now)
        let answer: DirectoryAnswer<Void> = try await change(id, in: tenant.id) { facts in
            guard let account = facts.account, let deletedAt = account.deletedAt else {
                return ([], .refused(.notFound))
            }
            let isOperators =
                account.deletionDueAt.map { $0.timeIntervalSince(deletedAt) > Self.restorable - 1 } ?? true
            let ending: [Effect] = isOperators ? [.scheduleDeletion(id, nil)] : []
            return ([.setDeleted(id, nil)] + ending + [.record(event)], .accepted(()))
        }
        switch answer {
        case .refused(let refusal): return .refused(refusal)
        case .accepted:
            guard let account = try await account(id, in: tenant.id) else { return .refused(.notFound) }
            return .accepted(account)
        }
    }

    /// Deletes a user that an operator deleted before, now and permanently.
    package func purgeUser(
        _ id: UserID, in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        let event = operatorEvent(.accountDeleted, id, in: tenant.id, as: actor, at: now)
        return try await change(id, in: tenant.id) { facts in
            guard let account = facts.account, account.deletedAt != nil else { return ([], .refused(.notFound)) }
            return (effects(ofDeleting: account, facts, now: now) + [.record(event)], .accepted(()))
        }
    }

    /// Ends all sessions of a user, with their access tokens.
    package func endSessions(
        of id: UserID, in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        let event = operatorEvent(.sessionsEnded, id, in: tenant.id, as: actor, at: now)
        return try await change(id, in: tenant.id) { facts in
            guard let account = facts.account, account.deletedAt == nil else { return ([], .refused(.notFound)) }
            return (
                [.changeCredentials(id, at: now), .revokeRefreshFamilies(id, at: now), .record(event)], .accepted(())
            )
        }
    }

    /// Removes a method of the second factor, ends all sessions, and tells each mailbox of the user.
    func remove(
        _ method: UUID, of id: UserID, in tenant: Tenant, as actor: Operator, confirming: Confirmation?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        guard let known = try await account(id, in: tenant.id), known.deletedAt == nil else {
            return .refused(.notFound)
        }
        let removed = known.strongMethods.filter { $0.id == method }
        var notices: [Effect] = []
        for email in known.noticeChannels {
            notices.append(
                try notice(
                    .methodRemoved, to: email, in: tenant, user: id, language: known.user.chosenMailLanguage,
                    about: removed, at: now))
        }
        let mails = notices
        let event = operatorEvent(.methodsForgotten, id, in: tenant.id, as: actor, detail: "1 by operator", at: now)
        return try await change(id, in: tenant.id) { facts in
            guard let account = facts.account, account.strongMethods.contains(where: { $0.id == method }) else {
                return ([], .refused(.notFound))
            }
            switch facts.ending(confirming, now: now) {
            case .refused(let refusal): return ([], .refused(refusal))
            case .accepted(let ending):
                return (
                    [
                        .removeStrongMethods([method], of: id), .changeCredentials(id, at: now),
                        .revokeRefreshFamilies(id, at: now), .record(event),
                    ] + account.endingRecovery(without: [method]) + mails + ending, .accepted(())
                )
            }
        }
    }

    /// Removes all methods of the second factor, ends all sessions, and tells each mailbox of the user. Without a method the
    /// sessions end all the same.
    func removeMethods(
        of id: UserID, in tenant: Tenant, as actor: Operator, confirming: Confirmation?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        guard let known = try await account(id, in: tenant.id), known.deletedAt == nil else {
            return .refused(.notFound)
        }
        let removed = known.secondFactors
        var notices: [Effect] = []
        for email in removed.isEmpty ? [] : known.noticeChannels {
            notices.append(
                try notice(
                    .methodRemoved, to: email, in: tenant, user: id, language: known.user.chosenMailLanguage,
                    about: removed, at: now))
        }
        let (mails, gone) = (notices, removed.map(\.id))
        let event = operatorEvent(
            .methodsForgotten, id, in: tenant.id, as: actor, detail: "\(gone.count) by operator", at: now)
        return try await change(id, in: tenant.id) { facts in
            guard let account = facts.account, account.deletedAt == nil else { return ([], .refused(.notFound)) }
            // The mails name the methods.
            guard account.secondFactors.map(\.id) == gone else { return ([], .refused(.changedMeanwhile)) }
            if let refusal = ProofDeed.removeMethods.refusal(for: account, in: tenant) {
                return ([], .refused(refusal))
            }
            switch facts.ending(confirming, now: now) {
            case .refused(let refusal): return ([], .refused(refusal))
            case .accepted(let ending):
                return (
                    [
                        .removeStrongMethods(gone, of: id), .changeCredentials(id, at: now),
                        .revokeRefreshFamilies(id, at: now), .record(event),
                    ] + account.endingRecovery(without: gone) + mails + ending, .accepted(())
                )
            }
        }
    }
}
