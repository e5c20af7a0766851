import NativeAuthCore
package import PortableFoundation

// The steps that link a provider's account to the account of a signed-in user (design record 0044).

/// An account at a provider that is being linked to an account.
package struct NewIdentity: Hashable, Sendable, Codable {
    /// ``IdentityProvider/id``.
    package var provider: String
    /// Whether the provider is asked by the account page, as its client there, and not by an app.
    package var isWeb: Bool
    /// What the session has proven, and this flow since.
    package var proven: Authentication
    /// The proofs under which the identity is linked.
    package var strength: Enrolment.Strength
    /// The session that asks; it survives the change.
    package var session: UUID?
}

extension Engine {
    /// Gives the nonce for the provider. Repeated, it gives a new one.
    func offer(_ new: NewIdentity, _ step: Step) async throws(EngineError) -> Outcome {
        guard step.context.tenant.provider(new.provider) != nil else { return step.refused(.providerNotOffered) }
        let fresh = drawNonce(for: new.provider, step)
        return try await run(step, keepsAnswer: false) { situation in
            AccountState.offering(new, fresh, row: situation.row, effects: []).map(FlowState.account)
        }
    }

    /// Judges a provider's token, and links its identity to the user's account when it is right.
    func linkIdentity(
        _ presented: PresentedIdentity, to user: UserID, _ step: Step
    ) async throws(EngineError) -> Outcome {
        guard case .account(.linkingIdentity(let new)) = step.state, step.user == user else {
            return step.refused(.unusableToken)
        }
        let context = step.context
        guard let provider = context.tenant.provider(new.provider) else { return step.refused(.providerNotOffered) }
        // A spent or unknown token of a flow has no provider's keys fetched.
        let admitted: StepSituation
        switch try await admit(step) {
        case .answered(let outcome): return outcome
        case .admitted(let situation, comparing: _): admitted = situation
        }
        guard let token = await judge(presented, by: provider, isWeb: new.isWeb, at: context.now) else {
            return step.refused(.providerUnavailable)
        }
        var judged = token.judged
        var reads = StepReads(sendsNotice: true)
        if case .success(var found) = judged {
            let holder = try await account(with: .identity(found.identity.key), in: context)
            if holder?.user.id != user { reads.credential = .identity(found.identity.key) }
            // What another user has, and what is linked already, keeps the grant that it has. One for a link that is refused would
            // stay at the provider.
            if let claims = token.claims, let asked = admitted.row.code, let account = admitted.account,
                matches(nonce: claims.nonce, asked, of: provider.id, step), admitted.waitForEnrolment == nil,
                account.hasRoom(for: found.identity),
                holder.map({ $0.isSuspended(found.identity) && $0.user.id == user }) ?? true
            {
                let method = account.method(of: found.identity)?.id ?? found.method
                found.identity.grant = try await grant(
                    by: presented, claims, from: provider, for: method, in: context)
                judged = .success(found)
            }
        }
        return try await run(step, reading: reads) { [judged] situation in
            AccountState.linking(
                new, judged, isNonce: { matches(nonce: token.claims?.nonce, $0, of: provider.id, step) },
                in: situation
            ).map(FlowState.account)
        }
    }
}

extension AccountState {
    /// Asks for a token of the provider.
    static func offering(
        _ new: NewIdentity, _ fresh: FreshNonce, row: FlowRow, effects: [FlowEffect]
    ) -> Decision<AccountState> {
        var row = row
        row.code = fresh.record
        return Decision(
            .accepted(.useProvider(fresh.offer)), next: .linkingIdentity(new), row: row, effects: effects)
    }

    /// Decides on a provider's token. Right or wrong, its nonce is spent with this step (`SEC-FED-3`).
    ///
    /// - Parameter isNonce: Whether the token has the nonce of the row.
    static func linking(
        _ new: NewIdentity, _ judged: Result<VerifiedIdentity, IdentityFault>, isNonce: (CodeRecord) -> Bool,
        in situation: StepSituation
    ) -> Decision<AccountState> {
        guard var asked = situation.row.code, asked.attempts == 0, let account = situation.account else {
            return .refused(.notAllowedNow)
        }
        let user = account.user.id
        asked.attempts = 1
        var row = situation.row
        row.code = asked
        func refused(_ refusal: Refusal, _ reason: String) -> Decision<AccountState> {
            Decision(
                .refused(refusal), row: row,
                effects: [.record(.codeRefused, user: user, detail: "\(StrongMethod.identityName), \(reason)")])
        }
        guard situation.now < asked.expiresAt else {
            return refused(.identityRefused, IdentityFault.noNonce.rawValue)
        }
        let found: VerifiedIdentity
        switch judged {
        case .failure(let fault): return refused(.identityRefused, fault.rawValue)
        case .success(let verified): found = verified
        }
        guard isNonce(asked) else { return refused(.identityRefused, IdentityFault.wrongNonce.rawValue) }
        row.code = nil
        row.isEnded = true
        // An identity is of one user (SEC-FED-7). Its owner alone is told so.
        guard !situation.isCredentialTaken else { return refused(.userAlreadyExists, "taken") }
        let known = account.method(of: found.identity)
        // The user has linked it before: there is nothing to do, and nothing to tell.
        if let known, known.suspendedAt == nil { return Decision(.accepted(.accountChanged), row: row) }
        guard account.hasRoom(for: found.identity) else { return Decision(.refused(.methodNotAllowed), row: row) }
        if let wait = situation.waitForEnrolment {
            return Decision(.refused(.throttled(retryAfter: wait)), row: row)
        }
        let enrolment = Enrolment(new.strength, authenticatedAt: new.proven.authenticatedAt)
        return Decision(
            .accepted(.accountChanged), row: row,
            effects: situation.linking(found, under: enrolment, to: account)
                + [.write(.endFlows(user)), .count(.methodEnrolled, of: .account)])
    }
}
