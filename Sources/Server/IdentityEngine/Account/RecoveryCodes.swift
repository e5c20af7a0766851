import NativeAuthCore
package import PortableFoundation

// The recovery codes of a signed-in user (docs/protocol.md §18.4).

extension Engine {
    /// Makes ten recovery codes in place of those that the user has, and tells each mailbox. They are shown once.
    ///
    /// They need a session of two factors without a recovery code, and a method that they are spares for.
    package func makeRecoveryCodes(
        of caller: DirectoryCaller, language: MailLanguage?, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<[RecoveryCode]> {
        guard caller.tenant.offersRecoveryCodes, !caller.account.secondFactors.isEmpty else {
            return .refused(.step(.methodNotAllowed))
        }
        // A recovery code never proves the right to new ones, and neither does a refresh (SEC-REC-6, SEC-ENR-3).
        guard caller.hasJustProvenTwo else { return .refused(.proofNeeded(secondFactor: true)) }
        let codes = RecoveryCode.drawn(by: ports.randomness)
        var kept: [RecoverySet.Kept] = []
        for code in codes { kept.append(RecoverySet.Kept(tag: code.tag, hash: try await hash(code.characters))) }
        let set = RecoverySet(id: ports.randomness.uuid(), madeAt: now, codes: kept)
        var mails: [Effect] = []
        for email in caller.account.noticeChannels {
            mails.append(
                try notice(
                    .methodRegistered, to: email, in: caller.tenant, user: caller.user, language: language,
                    aboutLabels: [StrongMethod.recoveryCodesLabel], from: source, at: now))
        }
        let old = caller.account.recovery
        let (notices, event) = (
            mails,
            event(
                .methodRegistered, of: caller, detail: "twoFactors, \(StrongMethod.recoveryName)", from: source, at: now
            )
        )
        return try await change(caller) { account, _ in
            // The same under the lock: a method may have gone.
            guard !account.secondFactors.isEmpty else { return ([], .refused(.step(.methodNotAllowed))) }
            // Of two requests at once one makes codes: no list is shown that is void.
            guard account.recovery == old else { return ([], .refused(.changedMeanwhile)) }
            let id = account.user.id
            // Sessions that the old codes began end (SEC-ENR-6).
            let ending: [Effect] =
                old == nil
                ? [] : [.revokeRefreshFamilies(id, keepingTwoFactors: true, except: caller.session, at: now)]
            return ([.setRecovery(set, of: id, replacing: old), .record(event)] + ending + notices, .accepted(codes))
        }
    }
}
