import NativeAuthCore
import PortableFoundation

// The steps of a sign-in: the engine opens the token and reads the facts, the flow decides.
extension Engine {
    /// Starts a sign-in. Nothing is written (design record 0014).
    func startSignIn(_ request: UsernameRequest, in context: RequestContext) async throws(EngineError) -> Outcome {
        guard let name = SignInName(request.username) else { return context.outcome(.refused(.userNotFound)) }
        var found = try await account(named: name.key, in: context)
        if context.hidesAccounts, found?.disabledAt != nil { found = nil }
        guard let addressee = addressee(of: found, named: name, in: context) else {
            return context.outcome(.refused(.userNotFound))
        }
        guard found?.disabledAt == nil else { return context.outcome(.refused(.accountDisabled)) }
        // When answers hide accounts, every user is asked for the credential of the user flow (SEC-ENUM-3).
        let hasPassword =
            context.hidesAccounts ? context.userFlow.method == .emailPassword : found?.passwordHash != nil
        let draft = SignInDraft(
            account: addressee.account, email: addressee.email, label: addressee.label,
            countedName: addressee.countedName, hasPassword: hasPassword,
            capabilities: request.capabilities)
        guard request.accepted.contains(draft.neededChallengeType) else {
            return context.outcome(.accepted(.redirectToBrowser(missing: draft.neededChallengeType)))
        }
        return try begin(.signIn(.started(draft)), orNobodyIn: context)
    }

    /// Asks for the password or sends a code, for the first factor or for a method of the second factor.
    func challengeSignIn(
        _ token: ContinuationToken, method id: String?, accepted: Set<ChallengeType>?, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        try await opening(token, for: .challengeSignIn, in: context) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state else { return context.outcome(.refused(.notAllowedNow)) }
            let needed = state.draft?.neededChallengeType ?? .oneTimePasscode
            if let accepted, !accepted.contains(needed) {
                return context.outcome(.accepted(.redirectToBrowser(missing: needed)))
            }
            let digits = drawCode()
            if let draft = state.draft {
                // Without a mail, a repeated request repeats no effect.
                let use = draft.hasPassword ? nil : CodeUse.sending(.signIn)
                return try await step(opened, StepReads(code: use), keepsAnswer: false, in: context) { situation in
                    let fresh = freshCode(digits, situation, of: opened, to: draft.email, for: .signIn, in: context)
                    return state.challenging(with: fresh, in: situation).map(FlowState.signIn)
                }
            }
            guard let account = try await account(state.account.user, in: context),
                let method = state.method(named: id, of: account, factorDemand(in: context))
            else { return context.outcome(.refused(.unknownMethod)) }
            return try await step(
                opened, StepReads(recipient: method.email, code: .sending(.secondFactor)), keepsAnswer: false,
                in: context
            ) {
                situation in
                let fresh = freshCode(
                    digits, situation, of: opened, to: method.email, for: .secondFactor, in: context)
                return state.challenging(method, with: fresh, in: situation).map(FlowState.signIn)
            }
        }
    }

    /// Compares a password, after the right to compare is committed, and issues tokens or asks for the next factor.
    func submitSignInPassword(
        _ token: ContinuationToken, _ password: Secret<String>, _ demand: TokenRequest, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        let secret = Data(password.reveal().utf8)
        return try await opening(
            token, for: .submitSignInPassword, content: [secret] + demand.digestContent, in: context
        ) {
            opened throws(EngineError) in
            guard case .signIn(let state) = opened.state, let draft = state.draft else {
                return context.outcome(.refused(.notAllowedNow))
            }
            let grant: ScopeGrant
            switch judge(demand.scopes, in: context) {
            case .granted(let judged): grant = judged
            case .refused(let refusal): return context.outcome(.refused(refusal))
            }
            // 1. Take the right to compare, committed first: parallel guesses gain nothing (SEC-LOCK-2).
            let guess = vault.passingDigest(
                .counter, tenant: context.tenant.id,
                [Data("password".utf8), Data(draft.account.user.description.utf8), secret])
            let admitted: StepSituation
            let comparing: Bool
            switch try await admit(guess: guess, opened, in: context) {
            case .answered(let outcome): return outcome
            case .admitted(let situation, let mayCompare): (admitted, comparing) = (situation, mayCompare)
            }
            // 2. Compare, on the hasher's own threads.
            guard let account = admitted.account, context.hidesAccounts || account.passwordHash != nil else {
                return context.outcome(.refused(.unusableToken))
            }
            let isRight: Bool
            var outdated: (old: PasswordHash, new: PasswordHash)?
            if let stored = account.passwordHash, comparing {
                isRight = try await verify(password, against: stored)
                if isRight, ports.hasher.isOutdated(stored) { outdated = (stored, try await hash(password)) }
            } else {
                // Takes the same time as a comparison (SEC-PWD-11).
                _ = try await hash(password)
                isRight = false
            }
            // 3. Decide on the result.
            let prepared =
                isRight
                ? try await prepare(
                    draft.provenByPassword(of: account, at: context.now, needsMailbox: admitted.needsMailbox), demand,
                    grant, account, in: context) : nil
            let upgrade = outdated
            return try await step(opened, StepReads(hasLockout: true), in: context) { situation in
                state.submitting(
                    passwordIsRight: isRight, guess: comparing ? guess : nil, outdated: upgrade, prepared: prepared,
                    in: situation
                ).map(FlowState.signIn)
            }
        }
    }

    /// Judges a code of the first or the second factor. Clients of the second factor once used the same grant
    /// (docs/protocol.md §16, row 2).
    func submitSignInCode(
        _ token: ContinuationToken, _ code: Secret<String>, _ demand: TokenRequest, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        try await submitCode(token, code, demand, for: [.submitSignInCode, .submitSecondFactor], in: context)
    }

    /// Judges the code of a second factor.
    func submitSecondFactor(
        _ token: ContinuationToken, _ code: Secret<String>, _ demand: TokenRequest, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        try await submitCode(token, code, demand, for: .submitSecondFactor, in: context)
    }

    private func submitCode(
        _ token: ContinuationToken, _ code: Secret<String>, _ demand: TokenRequest, for operation: FlowOperations,
        in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        let digits = digits(of: code)
        return try await opening(
            token, for: operation, content: [Data((digits ?? code).reveal().utf8)] + demand.digestContent, in: context
        ) { opened throws(EngineError) in
            guard case .signIn(let state) = opened.state, let email = state.mailbox else {
                return context.outcome(.refused(.notAllowedNow))
            }
            let grant: ScopeGrant
            switch judge(demand.scopes, in: context) {
            case .granted(let judged): grant = judged
            case .refused(let refusal): return context.outcome(.refused(refusal))
            }
            guard let digits else { return context.outcome(.refused(.incorrectCode)) }
            let stored = try await account(state.account.user, in: context)
            guard let proof = state.proving(at: context.now),
                let account = stored ?? decoyAccount(of: opened, in: context)
            else { return context.outcome(.refused(.unusableToken)) }
            // Sign before the code is judged: signing cannot wait inside the transaction that spends the code, and its
            // duration must not tell whether the code was right.
            let prepared = try await prepare(proof.proven, demand, grant, account, in: context)
            let reading = StepReads(
                sendsNotice: proof.purpose == .secondFactor, code: .judging(proof.purpose, digits))
            return try await step(opened, reading, in: context) { situation in
                state.submitting(
                    code: { matches(digits, $0, situation, of: opened, to: email, for: proof.purpose, in: context) },
                    prepared: prepared, in: situation
                ).map(FlowState.signIn)
            }
        }
    }
}
