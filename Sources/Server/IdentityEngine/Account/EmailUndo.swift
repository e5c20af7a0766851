package import NativeAuthCore
package import PortableFoundation

// What the owner of an old address does, who may have no session any more.
extension Engine {
    /// The digits of the code that takes back a change of address: the mail may lie in a mailbox for a week.
    static let undoDigits = 24

    func undoDigest(_ code: Secret<String>, in tenant: TenantID) -> Data {
        vault.digest(.counter, tenant: tenant, [Data("undo".utf8), Data(code.reveal().utf8)])
    }

    /// Takes back a change of the address; ``EmailUndo/takingBack(_:mark:recording:)`` decides what that means.
    package func undoEmailChange(
        _ code: Secret<String>, inTenant name: String, language: MailLanguage?, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        let digits = Secret(String(decoding: code.reveal().utf8.codeCharacters, as: UTF8.self))
        do {
            guard let tenant = try await ports.clients.tenant(named: name),
                let undo = try await ports.users.emailUndo(
                    undoDigest(digits, in: tenant.id), in: tenant.id, now: now),
                let known = try await ports.users.account(undo.user, in: tenant.id)
            else { return .refused(.step(.incorrectCode)) }
            // The present mailbox hears of it, too: the reader of the old one may be the thief.
            var mails: [Effect] = []
            for email in [undo.old] + known.noticeChannels where email.mailbox != undo.old.mailbox || mails.isEmpty {
                mails.append(
                    try notice(
                        .emailChangeUndone, to: email, in: tenant, user: undo.user,
                        language: known.user.chosenMailLanguage ?? language, at: now))
            }
            let (gone, resting) = (undo.methodsThatGo(known), undo.methodsThatRest(known))
            for (purpose, methods) in [(MailContent.Purpose.methodRemoved, gone), (.methodSuspended, resting)]
            where !methods.isEmpty {
                for email in known.noticeChannels {
                    mails.append(
                        try notice(
                            purpose, to: email, in: tenant, user: undo.user,
                            language: known.user.chosenMailLanguage ?? language, about: methods, from: source, at: now))
                }
            }
            let event = AuditEvent(
                .emailChangeUndone, at: now, tenant: tenant.id, user: undo.user,
                source: source.map { auditSource($0, tenant.id) })
            let mark = mark(of: undo.old.key, in: tenant.id)
            return try await changeAccount(
                undo.user, in: tenant.id, names: [undo.old.key], marks: [mark]
            ) { [mails] facts in
                // Another code of an earlier change may have been used at the same moment. An account that an operator
                // deleted stays as it is; after a restore the code works.
                guard let account = facts.account, account.deletedAt == nil,
                    facts.undos.contains(where: { $0.codeDigest == undo.codeDigest })
                else { return ([], .refused(.step(.incorrectCode))) }
                guard !facts.taken.contains(undo.old.key) else { return ([], .refused(.nameTaken("mail"))) }
                return (undo.takingBack(account, mark: mark, recording: event) + mails, .accepted(()))
            }
        } catch let error as EngineError {
            throw error
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw .broken("an address could not be restored")
        }
    }
}

extension EmailUndo {
    /// The account has the old address again, every session ends, and a deletion that was asked for is cancelled. A method
    /// that moved along moves back. Methods that were enrolled since the change are removed, and those of the day before
    /// it are suspended: they may be the thief's, or the owner's.
    ///
    /// - Parameters:
    ///   - mark: The digest that keeps the old name from others.
    ///   - event: The line of the audit trail.
    func takingBack(_ account: UserAccount, mark: Data, recording event: AuditEvent) -> [Effect] {
        let now = event.at
        var effects: [Effect] = [
            .replaceName(.email, with: old.identifier, of: user, at: now), .releaseNames([mark]),
            .forgetUndos(user, since: changedAt), .removeStrongMethods(methodsThatGo(account).map(\.id), of: user),
        ]
        if var method = movedMethod(account) {
            method.kind = .mailbox(old)
            effects += [.removeStrongMethods([method.id], of: user), .addStrongMethod(method, to: user)]
        }
        effects +=
            [
                .setSuspension(methodsThatRest(account).map(\.id), of: user, now), .changeCredentials(user, at: now),
                .revokeRefreshFamilies(user, at: now), .forgetNetworks(user), .record(event),
            ] + account.endingRecovery
        if account.deletionDueAt != nil {
            var cancelled = event
            cancelled.kind = .deletionCancelled
            effects += [.scheduleDeletion(user, nil), .record(cancelled)]
        }
        return effects
    }

    /// The method that moved to the new address with the account.
    private func movedMethod(_ account: UserAccount) -> StrongMethod? {
        EmailAddress(stored: account.user.email).flatMap { present in
            account.strongMethods.first { $0.provenAt < changedAt && $0.email?.key == present.key }
        }
    }

    /// The methods that were enrolled since the change.
    fileprivate func methodsThatGo(_ account: UserAccount) -> [StrongMethod] {
        account.strongMethods.filter { $0.provenAt >= changedAt }
    }

    /// The methods of the day before the change, without the one that moved.
    fileprivate func methodsThatRest(_ account: UserAccount) -> [StrongMethod] {
        let (dayBefore, moved) = (changedAt.addingTimeInterval(-86_400), movedMethod(account)?.id)
        return account.strongMethods.filter { method in
            // What a recovery code led to is not older than its rest (SEC-ENR-10).
            let isRecent =
                (dayBefore..<changedAt).contains(method.provenAt)
                || method.provenAt < changedAt && method.rests(at: changedAt)
                || method.isPasskey && method.enrolment.strength == .codes && method.provenAt < changedAt
                    && changedAt.timeIntervalSince(method.provenAt) < NewPasskey.trustAge
            return isRecent && method.id != moved
        }
    }
}
