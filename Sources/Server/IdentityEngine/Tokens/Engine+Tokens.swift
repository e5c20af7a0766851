package import NativeAuthCore
package import PortableFoundation

// Issues tokens for a finished flow and for a refresh token.
extension Engine {
    /// Exchanges the token of a finished flow for tokens, or answers which factor is missing (docs/protocol.md §5.4).
    func redeem(_ request: TokenRequest, _ step: Step) async throws(EngineError) -> Outcome {
        let context = step.context
        guard let proven = step.state.authentication else { return step.refused(.notAllowedNow) }
        let grant: ScopeGrant
        switch judge(request.scopes, in: context) {
        case .granted(let judged): grant = judged
        case .refused(let refusal): return step.refused(refusal)
        }
        // A receiver is asked once for a redemption that has a chance, and not for a spent token.
        let asksHook = request.browser == nil && context.hook(for: .tokenIssuanceStart) != nil
        if asksHook, case .answered(let outcome) = try await admit(step) { return outcome }
        guard let account = try await account(proven.account.user, in: context) else {
            return step.refused(.unusableToken)
        }
        let prepared = try await prepare(proven, request, grant, account, in: context, asksHook: asksHook)
        let reads = StepReads(device: prepared.device?.id)
        let outcome = try await run(step, reading: reads) { situation in
            SignInState.redeeming(proven, prepared, in: situation).map(FlowState.signIn)
        }
        // An identity is linked now, so the second half has nothing to wait for.
        return proven.linking == nil ? outcome : try await redeemed(outcome, request, in: context)
    }

    /// Signs the tokens that `proven` entitles to, if any. The step decides again, under its lock.
    ///
    /// - Parameter asksHook: Whether the proofs are given, and a receiver may be asked for claims. A step that still
    ///   judges a proof leaves the tokens to ``redeem(_:_:)`` if the application has such a hook.
    func prepare(
        _ proven: Authentication, _ request: TokenRequest, _ grant: ScopeGrant, _ account: UserAccount,
        in context: RequestContext, asksHook: Bool = false
    ) async throws(EngineError) -> PreparedTokens {
        var demand = try await factorDemand(
            request.contexts, scopes: grant.all, of: account.user.id, in: context)
        demand.wishedAge = request.browser?.request.maxAge
        // The device of this request counts, and none of an earlier one.
        var proven = proven
        proven.remembered = nil
        var verdict = proven.judged(demand, of: account)
        var prepared = PreparedTokens(demand: demand)
        if !verdict.givesTokens,
            let device = try await rememberedDevice(for: proven, of: account, in: context)
        {
            proven.remembered = RememberedProof(device, of: account)
            verdict = proven.judged(demand, of: account)
            if verdict.givesTokens { prepared.device = device }
        }
        switch verdict {
        case .giveSecondFactor, .registerMethod, .redirectToBrowser: return prepared
        case .tokens where proven.linking != nil:
            prepared.waits = true
            return prepared
        case .tokens(let contexts) where request.browser != nil:
            prepared.contexts = contexts
            prepared.remembering = deviceToRemember(proven, request, demand, account, in: context)
            prepared.browser = try request.browser.flatMap { finish throws(EngineError) in
                try prepare(finish, proven, account, contexts: contexts, demand, in: context)
            }
            prepared.browser?.ticket.device = prepared.remembering.flatMap { new in
                new.cookie.map { DeviceCookie(value: $0, user: account.user.id, lifetime: new.device.seconds) }
            }
            return prepared
        case .tokens where !asksHook && context.hook(for: .tokenIssuanceStart) != nil:
            prepared.waits = true
            return prepared
        case .tokens(let contexts):
            prepared.contexts = contexts
            prepared.remembering = deviceToRemember(proven, request, demand, account, in: context)
            let session = grant.openID.contains("offline_access") ? ports.randomness.uuid(at: context.now) : nil
            let told = proven.told(contexts, for: demand, of: account, resource: grant.resource)
            let proof = Proof(
                methods: told.sessionMethods, contexts: contexts, authenticatedAt: told.authenticatedAt,
                session: session,
                maximumAge: demand.whole(of: account).maximumAge)
            var issued = try await sign(grant, for: account, proof: proof, in: context)
            issued.deviceRememberedFor = prepared.remembering?.device.seconds
            if let session {
                let refreshToken = newRefreshToken(of: session, in: context)
                issued.refreshToken = refreshToken
                var family = RefreshFamily(
                    id: session, tenant: context.tenant.id, client: context.client.id, user: account.user.id,
                    scopes: grant.all, methods: proof.methods, contexts: contexts,
                    level: told.level(for: demand), authenticatedAt: proof.authenticatedAt, createdAt: context.now,
                    expiresAt: refreshExpiry(createdAt: context.now, in: context),
                    tokenDigest: Self.digest(refreshToken), device: context.caller.device,
                    network: context.caller.source?.networkText, key: context.keyOfFamily)
                family.remembered = proven.remembered
                prepared.family = family
            }
            prepared.tokens = issued
            return prepared
        }
    }

    /// Signs the tokens of a code, and makes their family: also without a refresh token, so that their end reaches them.
    ///
    /// - Parameter isShort: Whether the refresh tokens live a day: a page without a server keeps them where its scripts read.
    func tokens(
        of code: CodeGrant, _ grant: ScopeGrant, _ signIn: BrowserSignIn, isShort: Bool, in context: RequestContext
    ) async throws(EngineError) -> (tokens: IssuedTokens, family: RefreshFamily) {
        let id = ports.randomness.uuid(at: context.now)
        let demand = try await factorDemand(
            code.contexts, scopes: code.scopes, of: signIn.account.user.id, in: context)
        let proof = Proof(
            methods: code.methods, contexts: code.contexts, authenticatedAt: code.authenticatedAt,
            session: id, browserSession: code.session, nonce: code.nonce,
            maximumAge: demand.whole(of: signIn.account).maximumAge)
        var issued = try await sign(grant, for: signIn.account, proof: proof, in: context)
        let refreshToken = newRefreshToken(of: id, in: context)
        issued.refreshToken = refreshToken
        let hasRefreshToken = grant.openID.contains("offline_access")
        var expiresAt = refreshExpiry(createdAt: context.now, in: context)
        if isShort {
            expiresAt = min(expiresAt, context.now.addingTimeInterval(Double(settings.oneTimePasscodeRefreshLifetime)))
        }
        var family = RefreshFamily(
            id: id, tenant: context.tenant.id, client: context.client.id, user: signIn.account.user.id,
            scopes: grant.all, methods: proof.methods, contexts: proof.contexts, level: code.level,
            authenticatedAt: proof.authenticatedAt, createdAt: context.now,
            expiresAt: hasRefreshToken ? expiresAt : context.now.addingTimeInterval(Double(issued.lifetime)),
            tokenDigest: Self.digest(refreshToken), device: context.caller.device,
            network: context.caller.source?.networkText, browserSession: code.session, key: context.keyOfFamily,
            parent: code.parent)
        family.remembered = code.remembered
        return (issued, family)
    }

    /// Ends a sign-in whose proof is committed and whose tokens wait for a receiver, in the same request. A repeated
    /// request gets here again by the stored answer of its first half.
    func redeemed(
        _ outcome: Outcome, _ request: TokenRequest, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        guard case .accepted(.signIn) = outcome.verdict, let token = outcome.token else { return outcome }
        switch await open(token, for: .redeem(request), in: context) {
        case .success(let step): return try await redeem(request, step)
        case .failure(let fault): return context.outcome(.refused(Refusal(fault)))
        }
    }

    /// The proofs required of the user for tokens that state `contexts`, by all that the tenant demands. Its rules are not
    /// about the account page, where users add what they lack.
    func factorDemand(
        _ contexts: [String], scopes: [String], of user: UserID?, in context: RequestContext
    ) async throws(EngineError) -> FactorDemand {
        var demand = factorDemand(contexts, in: context)
        let rules = context.tenant.levels
        guard !rules.isEmpty, context.caller.front != .account else { return demand }
        var groups: Set<UUID> = []
        if let user, rules.areAboutGroups {
            groups = Set(try await self.groups(of: user, in: context.tenant.id).map(\.id))
        }
        demand.required = demand.required.and(
            rules.demand(of: context.client.id, scopes: scopes, groups: groups, baseURL: settings.baseURL))
        if !contexts.isEmpty {
            demand.ofContexts = contexts.reduce(.none) { $0.and(rules.demand(of: $1)) }
        }
        return demand
    }

    /// The proofs required for tokens that state `contexts`, without the tenant's rules.
    func factorDemand(_ contexts: [String] = [], in context: RequestContext) -> FactorDemand {
        var demand = FactorDemand(
            contexts: contexts, isRequired: context.requiresSecondFactor,
            distinctMailbox: context.userFlow.requiresDistinctMailbox, enrolment: context.enrolment,
            suspensionRest: settings.suspensionRest, now: context.now,
            takesRecoveryCodes: context.tenant.offersRecoveryCodes, takesApps: context.tenant.offersApps,
            texts: texts(of: context.tenant),
            passkeyDomain: context.tenant.passkeys?.relyingPartyID, registrationAge: settings.provenIdleLifetime)
        demand.client = context.client.id
        demand.rememberedDays = context.rememberedDays
        return demand
    }

    /// Exchanges a refresh token for new tokens and its successor (`SEC-TOK-7…9`).
    func refresh(
        _ token: Secret<String>, _ request: TokenRequest, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        let (found, account): (RefreshFamily, UserAccount)
        switch try await holder(of: token, in: context) {
        case .success(let holder): (found, account) = holder
        case .failure(let refused): return context.outcome(.refused(refused.refusal))
        }
        let wanted: ScopeGrant
        switch judge(
            request.scopes.isEmpty ? found.scopesOfSignIn(baseURL: settings.baseURL) : request.scopes, in: context)
        {
        case .granted(let judged): wanted = judged
        case .refused(let refusal): return context.outcome(.refused(refusal))
        }
        guard let grant = found.narrowing(wanted, of: context.client, baseURL: settings.baseURL)?.grant else {
            return context.outcome(.refused(.scopeNotConsented))
        }
        // A refresh adds no proof: a factor that the sign-in lacks needs a new sign-in (SEC-MFA-1).
        let demand = try await factorDemand(request.contexts, scopes: grant.all, of: account.user.id, in: context)
            .whole(of: account)
        // A context that the sign-in did not ask for is met by what it proved, where that is known.
        let known = request.contexts.allSatisfy { found.level != nil || found.contexts.contains($0) }
        // A context is a demand for a proof, which a remembered device is not.
        let isMet =
            found.proves(demand, at: context.now)
            || request.contexts.isEmpty
                && found.remembered?.meets(
                    demand, of: account, in: found.client, within: context.rememberedDays, at: context.now) == true
        guard known, isMet else {
            return context.outcome(.refused(.secondFactorNeeded))
        }
        let rules = context.tenant.levels
        // What no rule allows any more is not stated.
        let contexts = (found.contexts + request.contexts.filter { !found.contexts.contains($0) })
            .filter { found.proves(rules.demand(of: $0), at: context.now) }
        let proof = Proof(
            methods: found.methods, contexts: contexts, authenticatedAt: found.authenticatedAt, session: found.id,
            browserSession: found.browserSession,
            maximumAge: contexts.reduce(demand) { $0.and(rules.demand(of: $1)) }.maximumAge)
        // A receiver is not asked about a spent token: its family ends below, or its first answer is repeated, whatever
        // the receiver's state.
        let isLive = found.isLive(Self.digest(token), now: context.now)
        var issued = try await sign(grant, for: account, proof: proof, in: context, asksHook: isLive)
        let successor = newRefreshToken(of: found.id, in: context)
        issued.refreshToken = successor

        let secret = Data(token.reveal().utf8)
        let answer = Outcome(.accepted(.signedIn(issued)), trace: context.caller.trace)
        let sealedAnswer: Data
        do {
            sealedAnswer = try vault.seal(StateCoding.encode(answer), underSecret: secret, context: [])
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("an answer could not be sealed")
        }
        let rotation = Rotation(
            presented: Self.digest(token), successor: Self.digest(successor), sealedAnswer: sealedAnswer,
            slidingExpiry: slidingExpiry(of: found, in: context), now: context.now,
            grace: Double(settings.refreshGrace))
        switch try await rotate(found, by: rotation, to: wanted, grant, in: context) {
        case .rotated: return answer
        case .refused(let refusal): return context.outcome(.refused(refusal))
        case .reused: return context.outcome(.refused(.revokedRefreshToken))
        case .repeated(let sealed):
            let opened: Outcome?
            do {
                opened = StateCoding.decode(try vault.open(sealed, underSecret: secret, context: []))
            } catch {
                opened = nil
            }
            guard let first = opened, case .accepted(.signedIn(let tokens)) = first.verdict else {
                return context.outcome(.refused(.unusableRefreshToken))
            }
            guard tokens.scopes != issued.scopes else { return first }
            // The same refresh token for another resource at the same moment (docs/protocol.md §5.5): a new access
            // token, and the existing successor.
            if !isLive { issued = try await sign(grant, for: account, proof: proof, in: context) }
            issued.refreshToken = tokens.refreshToken
            return context.outcome(.accepted(.signedIn(issued)))
        }
    }

    /// Why a refresh token gives nothing.
    struct RefusedToken: Error {
        var refusal: Refusal
    }

    /// The family that a refresh token names, with its account, once the application and the key are those of the family.
    private func holder(
        of token: Secret<String>, in context: RequestContext
    ) async throws(EngineError) -> Result<(family: RefreshFamily, account: UserAccount), RefusedToken> {
        func refused(_ refusal: Refusal) -> Result<(family: RefreshFamily, account: UserAccount), RefusedToken> {
            .failure(RefusedToken(refusal: refusal))
        }
        guard let found = try await session(of: token, in: context), found.family.client == context.client.id
        else { return refused(.unusableRefreshToken) }
        // Before the family sees the token: who has not the key ends nothing, whichever token it is.
        if let fault = found.family.fault(of: context.proof, isPublic: !context.client.isConfidential) {
            if fault != .notBound { try await noteWrongKey(of: found.family, in: context) }
            return refused(.unusableProof(fault))
        }
        if let refusal = try await useProof(in: context) { return refused(refusal) }
        guard found.account.disabledAt == nil else { return refused(.accountDisabled) }
        if let parent = found.family.parent,
            try await liveFamily(parent, in: context.tenant.id, now: context.now) == nil
        {
            return refused(.revokedRefreshToken)
        }
        return .success(found)
    }

    /// The live session of a refresh token, which is shown and not exchanged. One that was exchanged long ago ends its
    /// family, as at a refresh.
    func present(
        _ token: Secret<String>, in context: RequestContext
    ) async throws(EngineError) -> Result<(family: RefreshFamily, account: UserAccount), RefusedToken> {
        let holder: (family: RefreshFamily, account: UserAccount)
        switch try await self.holder(of: token, in: context) {
        case .success(let found): holder = found
        case .failure(let refused): return .failure(refused)
        }
        let digest = Self.digest(token)
        // No successor is kept.
        let rotation = Rotation(
            presented: digest, successor: digest, sealedAnswer: Data(), slidingExpiry: holder.family.expiresAt,
            now: context.now, grace: Double(settings.refreshGrace))
        let verdict: RefreshVerdict
        do {
            verdict = try await ports.refresh.updateRefreshFamily(holder.family.id, in: context.tenant.id) { family in
                guard let (change, verdict) = family?.presenting(rotation) else {
                    return (nil, nil, .refused(.unusableRefreshToken))
                }
                guard verdict == .reused else { return (nil, nil, verdict) }
                return (
                    change, event(.tokenReuseDetected, user: holder.account.user.id, of: nil, in: context), verdict
                )
            }
        } catch {
            throw .store(error)
        }
        return switch verdict {
        case .rotated, .repeated: .success(holder)
        case .reused: .failure(RefusedToken(refusal: .revokedRefreshToken))
        case .refused(let refusal): .failure(RefusedToken(refusal: refusal))
        }
    }

    /// A refresh token without its key is a sign of theft, or of an app that has lost the key. The family goes on: its owner has
    /// the key. At most one line an hour for a family, however often it is tried.
    private func noteWrongKey(of family: RefreshFamily, in context: RequestContext) async throws(EngineError) {
        guard family.revokedAt == nil, context.now < family.expiresAt else { return }
        // Of the hour, so that it makes no difference when the store forgets an old one.
        let hour = Int(context.now.timeIntervalSince1970) / 3_600
        let mark = vault.digest(
            .counter, tenant: context.tenant.id,
            [Data("wrong key".utf8), Data(family.id.text.utf8), Data("\(hour)".utf8)])
        let event = event(.tokenReuseDetected, user: family.user, detail: "key", of: nil, in: context)
        do {
            _ = try await ports.assertions.useAssertion(
                mark, in: context.tenant.id, until: context.now.addingTimeInterval(3_600), recording: event)
        } catch {
            throw .store(error)
        }
    }

    /// Presents the refresh token to its family, under the family's lock.
    private func rotate(
        _ found: RefreshFamily, by rotation: Rotation, to wanted: ScopeGrant, _ grant: ScopeGrant,
        in context: RequestContext
    ) async throws(EngineError) -> RefreshVerdict {
        do {
            return try await ports.refresh.updateRefreshFamily(found.id, in: context.tenant.id) { family in
                guard let family else { return (nil, nil, .refused(.unusableRefreshToken)) }
                let (change, verdict) = family.presenting(rotation)
                switch verdict {
                case .rotated, .repeated:
                    // Checked again under the lock: another request may have added the resource meanwhile.
                    guard let narrowed = family.narrowing(wanted, of: context.client, baseURL: settings.baseURL) else {
                        return (nil, nil, .refused(.scopeNotConsented))
                    }
                    var next = change ?? family
                    next.scopes = narrowed.scopes
                    next.network = context.caller.source?.networkText ?? family.network
                    let event: AuditEvent? =
                        if narrowed.isNew {
                            event(
                                .scopesGranted, user: found.user, detail: grant.asked.joined(separator: " "), of: nil,
                                in: context)
                        } else if change != nil {
                            event(.tokenRefreshed, user: found.user, of: nil, in: context)
                        } else {
                            nil
                        }
                    return (change != nil || narrowed.isNew ? next : nil, event, verdict)
                case .reused:
                    return (change, event(.tokenReuseDetected, user: found.user, of: nil, in: context), verdict)
                case .refused:
                    return (change, nil, verdict)
                }
            }
        } catch {
            throw .store(error)
        }
    }

    func judge(_ scopes: [String], in context: RequestContext) -> ScopeJudgement {
        context.client.judge(scopes, baseURL: settings.baseURL)
    }

    /// Ends the session of a refresh token or an access token. A token that is unknown or belongs to another client
    /// counts as revoked already (RFC 7009 section 2.2).
    func revoke(_ token: Secret<String>, in context: RequestContext) async throws(EngineError) -> Outcome {
        let done = context.outcome(.accepted(.revoked))
        var session = try await family(of: token, in: context)
        // A refresh token that is not the live one also ends its family: two parties hold it (SEC-TOK-9).
        if session == nil, let claims = try await verified(token, for: context.tenant, now: context.now),
            let id = claims.sessionID
        {
            session = try await refreshFamily(id, in: context.tenant.id)
        }
        guard let session, session.client == context.client.id else { return done }
        let now = context.now
        do {
            try await ports.refresh.updateRefreshFamily(session.id, in: context.tenant.id) { family in
                guard var family, family.revokedAt == nil else { return (nil, nil, ()) }
                family.revokedAt = now
                return (family, event(.tokenRevoked, user: family.user, of: nil, in: context), ())
            }
        } catch {
            throw .store(error)
        }
        return done
    }

    /// The key under which presentations of one flow's or one family's tokens are counted (`SEC-RATE-6`).
    ///
    /// - Returns: Nil for a token that this server did not make, because a client can make up any number of them
    ///   (design record 0003), and for a command that is not counted.
    package func repeatedKey(of command: Command, in caller: CallerContext) async throws(EngineError) -> Data? {
        guard case .found(let tenant, let client) = try await resolve(caller) else { return nil }
        let presented: Secret<String>? =
            switch command {
            case .refresh(let token, _): token
            case .exchange(let request): request.refreshToken
            case .startSignUp, .startSignIn, .startPasskey, .startFederated, .startReset, .step, .redeemCode,
                .redeemDevice, .revoke,
                .account:
                nil
            }
        if let token = presented {
            return family(of: token, in: tenant.id).map { withUnsafeBytes(of: $0.uuid) { Data($0) } }
        }
        if case .redeemDevice(let code, _) = command {
            return isDeviceCode(code, in: tenant.id) ? Self.digest(ofDeviceCode: code) : nil
        }
        if case .redeemCode(let presentation) = command {
            guard let session = await browserSession(of: presentation.code, in: context(of: caller, tenant, client))
            else {
                return nil
            }
            return withUnsafeBytes(of: session.uuid) { Data($0) } + Data(client.id.description.utf8)
        }
        guard case .step(let token, let step) = command, step.traits.repeats != nil else { return nil }
        await tokens.loadKey(of: token, now: caller.now)
        guard tokens.isAuthentic(token, tenant: tenant.id, client: client.id) else { return nil }
        return Vault.fingerprint([Data(token.secret.reveal().utf8)])
    }

    private struct Proof {
        var methods: [String]
        var contexts: [String]
        var authenticatedAt: Date
        var session: UUID?
        var browserSession: UUID?
        var nonce: String?
        /// How old the proof may be for what the tokens say, in seconds; nil: any age.
        var maximumAge: Int?
    }

    /// The family that a refresh token names. ``RefreshFamily/presenting(_:)`` decides whether the token is the live
    /// one.
    private func family(of token: Secret<String>, in context: RequestContext) async throws(EngineError)
        -> RefreshFamily?
    {
        guard let id = family(of: token, in: context.tenant.id) else { return nil }
        return try await refreshFamily(id, in: context.tenant.id)
    }

    /// The family that a refresh token names, with its account.
    private func session(
        of token: Secret<String>, in context: RequestContext
    ) async throws(EngineError) -> (family: RefreshFamily, account: UserAccount)? {
        guard let id = family(of: token, in: context.tenant.id) else { return nil }
        do {
            return try await ports.refresh.refreshSession(id, in: context.tenant.id)
        } catch {
            throw .store(error)
        }
    }

    func refreshFamily(_ id: UUID, in tenant: TenantID) async throws(EngineError) -> RefreshFamily? {
        do {
            return try await ports.refresh.refreshFamily(id, in: tenant)
        } catch {
            throw .store(error)
        }
    }

    private func sign(
        _ grant: ScopeGrant, for account: UserAccount, proof: Proof, in context: RequestContext, asksHook: Bool = true
    ) async throws(EngineError) -> IssuedTokens {
        let user = account.user
        var idClaims = context.client.claims(about: user, in: .id)
        var accessClaims = context.client.claims(about: user, in: .access)
        if asksHook, let hook = context.hook(for: .tokenIssuanceStart) {
            let given = try await claims(of: hook, for: account, in: context)
            idClaims.merge(given[.id] ?? [:]) { own, _ in own }
            accessClaims.merge(given[.access] ?? [:]) { own, _ in own }
        }
        let memberships = try await memberships(of: user.id, for: grant, in: context)
        let span = settings.tokenLifetime.upperBound - settings.tokenLifetime.lowerBound
        let draw = ports.randomness.bytes(2).reduce(0) { $0 << 8 | Int($1) }
        var lifetime = settings.tokenLifetime.lowerBound + draw % (span + 1)
        if let age = proof.maximumAge {
            // The token says nothing that no longer holds.
            let rest = proof.authenticatedAt.addingTimeInterval(Double(age)).timeIntervalSince(context.now)
            lifetime = max(1, min(lifetime, Int(rest)))
        }
        let (own, stated) = StatedStrength.parted(proof.methods)
        var subject = TokenSubject(
            tenant: context.tenant.id, client: context.client.id, user: user,
            audience: grant.resource ?? context.client.id.description, scopes: grant.resourceScopes,
            openIDScopes: grant.openID, authenticatedAt: proof.authenticatedAt, methods: own,
            contexts: proof.contexts, sessionID: proof.session,
            logoutID: proof.browserSession.map { logoutID(of: $0, for: context.client.id, in: context.tenant.id) },
            nonce: proof.nonce, credentialVersion: account.credentialVersion,
            issuedAt: context.now, lifetime: lifetime, tokenID: ports.randomness.uuid(), issuer: settings.baseURL,
            groups: context.client.statesGroups ? memberships.groups : nil,
            accessHasGroups: grant.resource != ResourceScope.directory, idRoles: memberships.idRoles,
            accessRoles: memberships.accessRoles, idClaims: idClaims, accessClaims: accessClaims,
            key: context.proof?.key)
        (subject.statedMethods, subject.accessStatesOwnAlone) = (stated, grant.resource == ResourceScope.directory)
        do {
            let signed = try await ports.issuer.sign(subject)
            return IssuedTokens(
                accessToken: signed.accessToken, idToken: signed.idToken, refreshToken: nil, scopes: grant.all,
                lifetime: lifetime, user: user.id, tenant: context.tenant.id, isBound: subject.key != nil)
        } catch {
            throw .tokens(error)
        }
    }

    private struct Memberships {
        var groups: [UUID] = []
        var idRoles: [String] = []
        var accessRoles: [String] = []
    }

    /// The user's groups, read only where a token depends on them, and the roles by them.
    private func memberships(
        of user: UserID, for grant: ScopeGrant, in context: RequestContext
    ) async throws(EngineError) -> Memberships {
        let client = context.client
        // Without a resource, the token is for the application itself.
        var resource: Client? = grant.resource == nil ? client : nil
        if let named = grant.resource.flatMap(Client.id(ofAudience:)) {
            resource = named == client.id ? client : try await application(named, in: context.tenant)
        }
        let needed = client.statesGroups || client.hasRolesOfUsers || resource?.hasRolesOfUsers == true
        guard needed else { return Memberships() }
        let groups = try await groups(of: user, in: context.tenant.id).map(\.id)
        return Memberships(
            groups: groups, idRoles: client.roles(of: Set(groups)), accessRoles: resource?.roles(of: Set(groups)) ?? [])
    }

    /// When an unused family expires: after a fixed day for one-time-passcode applications, otherwise after 90 days,
    /// and never more than a year after its creation (docs/protocol.md §5.5, `SEC-TOK-12`).
    private func refreshExpiry(createdAt: Date, in context: RequestContext) -> Date {
        switch context.userFlow.method {
        case .emailOneTimePasscode:
            createdAt.addingTimeInterval(Double(settings.oneTimePasscodeRefreshLifetime))
        case .emailPassword:
            min(
                context.now.addingTimeInterval(Double(settings.refreshLifetime)),
                createdAt.addingTimeInterval(Double(settings.refreshFamilyLifetime)))
        }
    }

    /// The same after a use. A family of a page without a server lives a day in all.
    private func slidingExpiry(of family: RefreshFamily, in context: RequestContext) -> Date {
        let usual = refreshExpiry(createdAt: family.createdAt, in: context)
        let isShort = family.browserSession != nil && !context.client.redirects[.spa].isEmpty
        return isShort ? min(usual, family.expiresAt) : usual
    }

    /// The claim `sid` of an application's tokens of a browser session: equal for all of them, and different in every
    /// application, so that applications cannot compare (`OIDC-24`).
    package func logoutID(of session: UUID, for client: ClientID, in tenant: TenantID) -> UUID {
        let digest = vault.digest(
            .pairwiseSubject, tenant: tenant,
            [Data("sid".utf8), Data(session.text.utf8), Data(client.description.utf8)])
        return UUID(bytes: digest.prefix(16)) ?? session
    }

    /// base64url of the family's id, 256 random bits, and 128 bits that only the server can compute from both. The last
    /// part proves that the server issued the token. Without it, a client that knows a family's id (tokens state it as
    /// `sid`) could make up a token that looks used and have the family revoked.
    private func newRefreshToken(of family: UUID, in context: RequestContext) -> Secret<String> {
        let issued = withUnsafeBytes(of: family.uuid) { Array($0) } + ports.randomness.bytes(32)
        return Secret(Base64URL.encode(issued + check(of: issued, context.tenant.id)))
    }

    private func family(of token: Secret<String>, in tenant: TenantID) -> UUID? {
        guard token.reveal().utf8.count == 86, let bytes = Base64URL.decode(token.reveal()), bytes.count == 64,
            Vault.areEqual(Data(bytes.suffix(16)), Data(check(of: Array(bytes.prefix(48)), tenant)))
        else { return nil }
        return UUID(bytes: bytes.prefix(16))
    }

    private func check(of issued: [UInt8], _ tenant: TenantID) -> [UInt8] {
        Array(vault.digest(.refreshToken, tenant: tenant, [Data(issued)]).prefix(16))
    }

    private static func digest(_ token: Secret<String>) -> Data {
        Vault.fingerprint([Data(token.reveal().utf8)])
    }
}
