package import NativeAuthCore
package import PortableFoundation

// The end of an account, and the copy of what is stored about it.
extension Engine {
    /// Deletes the account, or schedules the deletion where the tenant gives a grace.
    ///
    /// - Returns: The date on which the account will be deleted; nil when it is deleted now.
    package func deleteAccount(
        of caller: DirectoryCaller, language: MailLanguage?, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Date?> {
        guard let own = EmailAddress(stored: caller.account.user.email) else {
            throw .broken("an account has no address")
        }
        let days = caller.tenant.deletionGraceDays
        guard days > 0 else {
            let notices = try await notices(
                .accountDeleted, to: own, of: caller.user, in: caller.tenant, language: language, now: now)
            let event = event(.accountDeleted, of: caller, detail: "user", from: source, at: now)
            return try await change(caller) { account, facts in
                (effects(ofDeleting: account, facts, now: now) + [.record(event)] + notices, .accepted(nil))
            }
        }
        let due = now.addingTimeInterval(Double(days) * 86_400)
        let notices = try await notices(
            .deletionScheduled, to: own, of: caller.user, in: caller.tenant, language: language,
            minutes: days * 1_440, now: now)
        let event = event(.deletionScheduled, of: caller, detail: "\(days) days", from: source, at: now)
        return try await change(caller) { account, _ in
            // Asked again, it is as before: the grace does not begin anew.
            if let due = account.deletionDueAt { return ([], .accepted(due)) }
            let id = account.user.id
            return (
                [
                    .scheduleDeletion(id, due), .changeCredentials(id, at: now), .revokeRefreshFamilies(id, at: now),
                    .record(event),
                ] + notices, .accepted(due)
            )
        }
    }

    /// Notices of the end of an account, to its address and to addresses whose owners can still take a change back: the
    /// last one may be the thief's. A notice of a deletion outlasts the account.
    private func notices(
        _ purpose: MailContent.Purpose, to own: EmailAddress, of user: UserID, in tenant: Tenant,
        language: MailLanguage?, minutes: Int = 0, now: Date
    ) async throws(EngineError) -> [Effect] {
        var channels = [own]
        for undo in try await emailUndos(of: user, in: tenant.id, now: now)
        where !channels.contains(where: { $0.mailbox == undo.old.mailbox }) { channels.append(undo.old) }
        var notices: [Effect] = []
        for email in channels {
            notices.append(
                try notice(
                    purpose, to: email, in: tenant, user: purpose == .accountDeleted ? nil : user, language: language,
                    minutes: minutes, at: now))
        }
        return notices
    }

    /// What became of the account of a token that is not live any more: a repeated request to delete it is done.
    ///
    /// - Parameter scopes: The token needs one of them, as for the first request.
    /// - Returns: Nil when the account was not deleted and is not going to be; else as ``deleteAccount(of:language:from:now:)``.
    package func deletion(
        askedWith presented: PresentedToken, anyOf scopes: Set<String>, now: Date
    ) async throws(EngineError) -> Date?? {
        let token = presented.token
        guard let id = ports.issuer.claimedTenant(of: token), let tenant = try await tenant(named: id.description),
            let claims = try await verified(token, for: tenant, now: now), claims.audience == ResourceScope.directory,
            !scopes.isDisjoint(with: claims.scopes),
            try await fault(of: presented, with: claims, in: tenant, now: now) == nil
        else { return nil }
        return try await deletion(of: claims.user, in: tenant.id)
    }

    /// As ``deletion(askedWith:anyOf:now:)``, for a user that is known.
    func deletion(of user: UserID, in tenant: TenantID) async throws(EngineError) -> Date?? {
        do {
            if let account = try await ports.users.account(user, in: tenant) {
                return account.deletionDueAt.map { .some($0) }
            }
            let isDeleted = try await ports.users.isDeleted(mark(ofDeleted: user, in: tenant), in: tenant)
            return isDeleted ? .some(nil) : nil
        } catch {
            throw .store(error)
        }
    }

    /// Takes back the wish to delete the account.
    package func keepAccount(
        of caller: DirectoryCaller, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        let event = event(.deletionCancelled, of: caller, from: source, at: now)
        return try await change(caller) { account, _ in
            guard account.deletionDueAt != nil else { return ([], .accepted(())) }
            return ([.scheduleDeletion(account.user.id, nil), .record(event)], .accepted(()))
        }
    }

    /// Deletes the accounts whose grace is over; called about once a minute.
    ///
    /// - Returns: How many were deleted.
    package func deleteDueAccounts(now: Date) async throws(EngineError) -> Int {
        var count = 0
        for (tenant, user) in try await dueUsers(now: now) {
            let event = AuditEvent(.accountDeleted, at: now, tenant: tenant, user: user, detail: "after the grace")
            let notices = try await lastNotices(to: user, in: tenant, now: now)
            count += try await change(user, in: tenant) { facts in
                // The user may have kept it meanwhile.
                guard let account = facts.account, let due = account.deletionDueAt, due <= now else {
                    return ([], 0)
                }
                return (effects(ofDeleting: account, facts, now: now) + [.record(event)] + notices, 1)
            }
        }
        return count
    }

    private func dueUsers(now: Date) async throws(EngineError) -> [(tenant: TenantID, user: UserID)] {
        do {
            return try await ports.users.usersToDelete(now: now, limit: 100)
        } catch {
            throw .store(error)
        }
    }

    /// The notices of a deletion at the end of its grace.
    private func lastNotices(to user: UserID, in tenant: TenantID, now: Date) async throws(EngineError) -> [Effect] {
        guard let account = try await account(user, in: tenant), let own = EmailAddress(stored: account.user.email),
            let tenant = try await self.tenant(named: tenant.description)
        else { return [] }
        return try await notices(
            .accountDeleted, to: own, of: user, in: tenant, language: account.user.chosenMailLanguage, now: now)
    }

    /// What the audit trail says about the user, the newest first, at most 1,000 events.
    package func activity(of user: UserID, in tenant: TenantID) async throws(EngineError) -> [RecordedEvent] {
        do {
            return try await ports.users.events(of: user, in: tenant, limit: 1_000)
        } catch {
            throw .store(error)
        }
    }

    /// Earlier addresses of the user whose owners can still take a change back.
    package func emailUndos(
        of user: UserID, in tenant: TenantID, now: Date
    ) async throws(EngineError) -> [EmailUndo] {
        do {
            return try await ports.users.emailUndos(of: user, in: tenant, now: now)
        } catch {
            throw .store(error)
        }
    }

    /// Deletes a user for an operator, and tells the user's mailbox.
    ///
    /// - Returns: False when there is no such user.
    package func deleteUser(_ user: User, in tenant: Tenant, now: Date) async throws(EngineError) -> Bool {
        guard let own = EmailAddress(stored: user.email) else { throw .broken("an account has no address") }
        let notices = try await notices(
            .accountDeleted, to: own, of: user.id, in: tenant, language: user.chosenMailLanguage, now: now)
        return try await delete(user.id, in: tenant.id, detail: "operator", notices, now: now)
    }

    /// Deletes a user that a restore brought back; the user was told the first time.
    ///
    /// - Parameter deletedAt: The time of the first deletion.
    /// - Returns: False when there is no such user.
    package func deleteUserAgain(
        _ id: UserID, in tenant: TenantID, deletedAt: Date, now: Date
    ) async throws(EngineError) -> Bool {
        try await delete(id, in: tenant, detail: "again, after a restore", [], deletedAt: deletedAt, now: now)
    }

    private func delete(
        _ id: UserID, in tenant: TenantID, detail: String, _ mails: [Effect], deletedAt: Date? = nil, now: Date
    ) async throws(EngineError) -> Bool {
        let event = AuditEvent(.accountDeleted, at: now, tenant: tenant, user: id, detail: detail)
        do {
            return try await changeAccount(id, in: tenant) { facts in
                guard let account = facts.account else { return ([], false) }
                return (effects(ofDeleting: account, facts, now: deletedAt ?? now) + [.record(event)] + mails, true)
            }
        } catch {
            throw .store(error)
        }
    }

    /// The alias rests without its user; the address, and one that could still be taken back, are free at once, since a
    /// sign-up proves them (`SEC-ID-8`).
    func effects(ofDeleting account: UserAccount, _ facts: AccountFacts, now: Date) -> [Effect] {
        let (id, tenant) = (account.user.id, account.user.tenant)
        let alias = account.user.alias.flatMap { Alias($0) }
        return [
            .releaseNames(facts.undos.map { mark(of: $0.old.key, in: tenant) }),
            .deleteUser(id, mark: mark(ofDeleted: id, in: tenant), at: now),
        ]
            + (alias.map { [.holdName(atRest($0, of: nil, in: tenant, now: now))] } ?? [])
    }
}
