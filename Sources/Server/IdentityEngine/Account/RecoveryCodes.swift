import NativeAuthCore
package import PortableFoundation

// The recovery codes of a signed-in user (docs/protocol.md §18.9).

extension Engine {
    /// Makes ten recovery codes in place of those that the user has, and tells each mailbox. They are shown once.
    ///
    /// They need a session of two factors without a recovery code, and a method that they are spares for.
    package func makeRecoveryCodes(
        of caller: DirectoryCaller, language: MailLanguage?, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<[RecoveryCode]> {
        guard caller.tenant.offersRecoveryCodes, !caller.account.strongMethods.isEmpty else {
            return .refused(.step(.methodNotAllowed))
        }
        // A recovery code never proves the right to new ones (SEC-REC-6).
        guard caller.hasTwoFactors else { return .refused(.proofNeeded(secondFactor: true)) }
        let rest = settings.newMethodRest
        guard !caller.account.hasRestingMethod(rest: rest, now: now) else {
            return .refused(.methodIsNew)
        }
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
        let (notices, event) = (
            mails,
            event(
                .methodRegistered, of: caller, detail: "twoFactors, \(StrongMethod.recoveryName)", from: source, at: now
            )
        )
        return try await change(caller) { account, _ in
            // The same under the lock: a method may have gone, or come.
            guard !account.strongMethods.isEmpty else { return ([], .refused(.step(.methodNotAllowed))) }
            guard !account.hasRestingMethod(rest: rest, now: now) else {
                return ([], .refused(.methodIsNew))
            }
            return (
                [.setRecovery(set, of: account.user.id, replacing: nil), .record(event)] + notices, .accepted(codes)
            )
        }
    }
}

extension UserAccount {
    /// Whether a method was enrolled by a recovery code a short time ago. Until it has rested, none that has is removed
    /// or replaced (`SEC-ENR-10`), so that a stolen sheet and a password are not the end of an account.
    ///
    /// - Parameters:
    ///   - method: The method that is to be removed, which may be the one that rests; nil: another change.
    ///   - rest: In seconds.
    func hasRestingMethod(beside method: UUID? = nil, rest: Int, now: Date) -> Bool {
        let resting = strongMethods.filter {
            $0.enrolment.strength == .recoveryCode && now.timeIntervalSince($0.provenAt) < Double(rest)
        }
        return !resting.isEmpty && !resting.contains { $0.id == method }
    }
}
