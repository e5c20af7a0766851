package import NativeAuthCore
package import PortableFoundation

// The steps of a sign-in by another organisation's provider (design record 0044). The provider's token says whose identity it
// is; an identity that no user here has becomes a sign-up, or is linked to an account that its owner proves.

/// A sign-in by a provider, before its identity has a place here.
package struct FederatedDraft: Hashable, Sendable, Codable {
    /// ``IdentityProvider/id``.
    package var provider: String
    /// Nil in every token. A step that judges an identity has its owner here.
    package var account: AccountBinding?
    /// In a fixed order, so that equal drafts make equal tokens (design record 0014).
    package var capabilities: [ClientAbility]
    /// Whether a nonce was given.
    package var isAsked: Bool
    /// Whether the provider is asked by the hosted pages, as their client there, and not by an app. Nil: by an app.
    package var isWeb: Bool?
    /// The identity, once its token is judged, when it still lacks a mailbox.
    package var found: VerifiedIdentity?

    package var allowed: FlowOperations {
        if found != nil { return [.challengeSignUp] }
        return isAsked ? [.challengeSignIn, .submitIdentity] : [.challengeSignIn]
    }
}

/// The input of a client that begins a sign-in by a provider.
package struct ProviderStart: Sendable {
    package var provider: String
    package var accepted: Set<ChallengeType>
    package var capabilities: Set<ClientAbility>
    /// Whether the hosted pages ask the provider.
    package var isWeb: Bool

    package init(
        provider: String, accepted: Set<ChallengeType>, capabilities: Set<ClientAbility>, isWeb: Bool = false
    ) {
        self.provider = provider
        self.accepted = accepted
        self.capabilities = capabilities
        self.isWeb = isWeb
    }
}

/// What an app brings from a provider.
package struct PresentedIdentity: Sendable {
    package var token: Secret<String>
    /// The names that the provider gave the app besides the token, as Apple does once. They prove nothing: they are what a user
    /// could type.
    package var givenName: String?
    package var familyName: String?
    /// The code that Apple gives the app besides the token. The server exchanges it for a token that it can revoke.
    package var code: Secret<String>?
    /// The refresh token that the pages' client got with the token.
    package var refreshToken: Secret<String>?

    package init(
        token: Secret<String>, givenName: String? = nil, familyName: String? = nil, refreshToken: Secret<String>? = nil
    ) {
        self.token = token
        self.refreshToken = refreshToken
        self.givenName = givenName
        self.familyName = familyName
    }
}

/// What the app hands to the provider.
package struct ProviderOffer: Hashable, Sendable, Codable {
    /// ``IdentityProvider/id``.
    package var provider: String
    /// 43 characters, to be handed on unchanged.
    package var nonce: String
    /// Seconds.
    package var expiresIn: Int
}

/// A nonce that was just drawn.
struct FreshNonce: Sendable {
    var offer: ProviderOffer
    var record: CodeRecord
}

/// The nonce that ties a token to one flow.
package enum IdentityNonce {
    /// In seconds, with which the flow's row judges it (`SEC-FED-3`).
    package static let lifetime = 600
}

extension Engine {
    /// Begins a sign-in by a provider. Nothing is written (design record 0014).
    func startFederated(_ request: ProviderStart, in context: RequestContext) throws(EngineError) -> Outcome {
        guard let provider = context.tenant.provider(request.provider),
            !provider.clients(isWeb: request.isWeb).isEmpty
        else { return context.outcome(.refused(.providerNotOffered)) }
        guard request.accepted.contains(.federated) else {
            return context.outcome(.accepted(.redirectToBrowser(.missingChallengeType(.federated))))
        }
        let draft = FederatedDraft(
            provider: provider.id, account: nil,
            capabilities: request.capabilities.with(request.accepted).sorted { $0.rawValue < $1.rawValue },
            isAsked: false, isWeb: request.isWeb ? true : nil)
        guard let outcome = try begin(.federated(draft), in: context) else { throw .broken("a token is too long") }
        return outcome
    }

    /// Gives the nonce of a sign-in by a provider. A newer one takes the place of an older one.
    func challengeFederated(_ draft: FederatedDraft, _ step: Step) async throws(EngineError) -> Outcome {
        guard step.context.tenant.provider(draft.provider) != nil else { return step.refused(.providerNotOffered) }
        let fresh = drawNonce(for: draft.provider, step)
        return try await run(step, keepsAnswer: false) { situation in
            var draft = draft
            draft.isAsked = true
            var row = situation.row
            row.code = fresh.record
            return Decision<FlowState>(.accepted(.useProvider(fresh.offer)), next: .federated(draft), row: row)
        }
    }

    /// A new nonce for a provider, and what the row of the flow keeps of it.
    func drawNonce(for provider: String, _ step: Step) -> FreshNonce {
        let nonce = Base64URL.encode(ports.randomness.bytes(32))
        let tenant = step.context.tenant.id
        return FreshNonce(
            offer: ProviderOffer(provider: provider, nonce: nonce, expiresIn: IdentityNonce.lifetime),
            record: CodeRecord(
                digest: vault.keyedMAC(.oneTimePasscode, tenant: tenant, parts(of: nonce, provider, step)),
                target: target(ofProvider: provider, in: tenant), sentAt: step.context.now,
                expiresAt: step.context.now.addingTimeInterval(Double(IdentityNonce.lifetime))))
    }

    /// Whether `nonce` is the one of the row. Constant time.
    func matches(nonce: String?, _ record: CodeRecord, of provider: String, _ step: Step) -> Bool {
        let tenant = step.context.tenant.id
        guard let nonce, nonce.utf8.count <= 256, record.target == target(ofProvider: provider, in: tenant) else {
            return false
        }
        return vault.verifyMAC(
            record.digest, of: .oneTimePasscode, tenant: tenant, parts(of: nonce, provider, step))
    }

    /// The keyed digest by which the row of a flow tells a nonce from a mailed code and from a passkey's challenge.
    private func target(ofProvider provider: String, in tenant: TenantID) -> Data {
        vault.digest(.oneTimePasscode, tenant: tenant, [Data("identity".utf8), Data(provider.utf8)])
    }

    private func parts(of nonce: String, _ provider: String, _ step: Step) -> [Data] {
        [
            Data("identity".utf8), Data(provider.utf8), Data(step.context.client.id.description.utf8),
            Data(step.flow.uuidString.utf8), Data(nonce.utf8),
        ]
    }
}

extension Engine {
    /// Whether the flow of a token still awaits an identity: else no code is exchanged for it.
    package func awaitsIdentity(
        _ token: ContinuationToken, in caller: CallerContext
    ) async throws(EngineError) -> Bool {
        guard case .found(let tenant, let client) = try await resolve(caller) else { return false }
        let command = StepCommand.submitIdentity(PresentedIdentity(token: Secret("")), TokenRequest(scopes: []))
        guard case .success(let step) = await open(token, for: command, in: context(of: caller, tenant, client)),
            case .admitted(let situation, comparing: _) = try await admit(step), let asked = situation.row.code
        else { return false }
        return asked.attempts == 0 && situation.now < asked.expiresAt
    }

    /// Judges a provider's token: signs its owner in, or begins a sign-up or a link.
    func submitIdentity(
        _ presented: PresentedIdentity, _ request: TokenRequest, _ step: Step
    ) async throws(EngineError) -> Outcome {
        let context = step.context
        guard case .federated(let draft) = step.state, draft.found == nil else { return step.refused(.notAllowedNow) }
        let grant: ScopeGrant
        switch judge(request.scopes, in: context) {
        case .granted(let judged): grant = judged
        case .refused(let refusal): return step.refused(refusal)
        }
        guard let provider = context.tenant.provider(draft.provider) else { return step.refused(.providerNotOffered) }
        // A spent or unknown token of a flow has no provider's keys fetched.
        if case .answered(let outcome) = try await admit(step) {
            return try await finished(try await asked(outcome, in: context), request, in: context)
        }
        // Nothing is known of the token: the nonce stays, and the app may send it once more.
        guard let token = await judge(presented, by: provider, isWeb: draft.isWeb == true, at: context.now) else {
            return step.refused(.providerUnavailable)
        }
        return try await conclude(token, presented, of: provider, draft, request, grant, step)
    }

    /// Whether a provider's token would mean more than one factor, if the sign-in there were not too old. One that proves nothing is
    /// not: its own step refuses it.
    ///
    /// - Parameter maximumAge: In seconds.
    package func isStale(
        _ presented: PresentedIdentity, of provider: IdentityProvider, within maximumAge: Int, at now: Date
    ) async -> Bool {
        guard provider.strength != nil else { return false }
        do throws(IdentityVerificationFailure) {
            let claims = try await ports.identities.claims(of: presented.token, from: provider, now: now)
            return provider.statement(of: claims, within: maximumAge, at: now) == .stale
        } catch {
            return false
        }
    }

    /// A provider's token, as far as it is judged before the step's transaction; nil: the provider's keys cannot be had now.
    func judge(
        _ presented: PresentedIdentity, by provider: IdentityProvider, isWeb: Bool, at now: Date
    ) async -> JudgedIdentity? {
        do throws(IdentityVerificationFailure) {
            let claims = try await ports.identities.claims(of: presented.token, from: provider, now: now)
            return JudgedIdentity(
                claims: claims,
                judged: provider.judged(
                    claims, for: provider.clients(isWeb: isWeb), method: ports.randomness.uuid(), presented, now: now))
        } catch {
            switch error {
            case .unavailable: return nil
            case .refused(let fault): return JudgedIdentity(claims: nil, judged: .failure(fault))
            }
        }
    }

    /// Signs the owner of an identity in, or begins a sign-up or a link, in one transaction.
    private func conclude(
        _ token: JudgedIdentity, _ presented: PresentedIdentity, of provider: IdentityProvider, _ draft: FederatedDraft,
        _ request: TokenRequest, _ grant: ScopeGrant,
        _ step: Step
    ) async throws(EngineError) -> Outcome {
        let context = step.context
        var judged = token.judged
        let claims = token.claims
        var owned = step
        var reads = StepReads(sendsNotice: true)
        var (holder, owner): (UserAccount?, UserAccount?)
        var proven: Authentication?
        var kept: NamesOfIdentity?
        if case .success(var found) = judged {
            holder = try await account(with: .identity(found.identity.key), in: context)
            if holder == nil, provider.isApple {
                kept = try await recall(&found, in: context)
                judged = .success(found)
            }
            if let holder {
                var draft = draft
                draft.account = .account(holder.user.id, credentialVersion: holder.credentialVersion)
                owned = step.with(.federated(draft))
                proven = try proofs(by: found, from: provider, of: holder, draft, at: context.now)
            } else {
                reads.credential = .identity(found.identity.key)
                if let mailbox = found.mailbox {
                    owner = try await account(named: mailbox.key, in: context)
                    reads.identifiers = [mailbox.key]
                }
            }
            let known = holder?.method(of: found.identity)
            if known?.identity?.grant == nil, let claims {
                var found = found
                found.identity.grant = try await self.grant(
                    by: presented, claims, from: provider, for: known?.id ?? found.method, in: context)
                judged = .success(found)
            }
        }
        let prepared: PreparedTokens =
            if let proven, let holder {
                try await prepare(proven, request, grant, holder, in: context)
            } else {
                PreparedTokens(demand: factorDemand(request.contexts, in: context))
            }
        reads.device = prepared.device?.id
        let newUser = UserID(ports.randomness.uuid())
        let outcome = try await run(owned, reading: reads) { [owned, proven, owner, judged, kept] situation in
            owned.state.submitting(
                identity: judged, keeping: kept, isNonce: { matches(nonce: claims?.nonce, $0, of: provider.id, step) },
                proven: proven,
                owner: owner, newUser: newUser, prepared: prepared, in: situation)
        }
        return try await finished(try await asked(outcome, in: context), request, in: context)
    }

    /// What can be revoked at the provider when the identity is removed, sealed for its method; nil when there is nothing. That
    /// a code cannot be exchanged now does not keep the user out.
    func grant(
        by presented: PresentedIdentity, _ claims: IdentityClaims, from provider: IdentityProvider, for method: UUID,
        in context: RequestContext
    ) async throws(EngineError) -> Data? {
        let found: ProviderGrant
        if let token = presented.refreshToken, let web = provider.web {
            found = ProviderGrant(issuer: provider.issuer, client: web.clientID, token: token)
        } else if let code = presented.code, provider.key != nil,
            let client = provider.nativeClients.first(where: claims.audiences.contains)
        {
            // An exchange that fails keeps no user from signing in: the identity then has nothing to revoke.
            guard
                let tokens = try? await ports.identities.tokens(
                    for: ProviderCode(code: code), of: client, from: provider, now: context.now),
                let token = tokens.refreshToken,
                // A code of another account would have that one's sign-in revoked.
                let owner = try? await ports.identities.claims(of: tokens.idToken, from: provider, now: context.now),
                owner.subject == claims.subject
            else { return nil }
            found = ProviderGrant(issuer: provider.issuer, client: client, token: token)
        } else {
            return nil
        }
        guard found.token.reveal().utf8.count <= Self.longestGrant else { return nil }
        do {
            return try vault.seal(
                StateCoding.encode(found), for: .providerGrant, tenant: context.tenant.id,
                context: Self.grantContext(method))
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("a provider's token could not be sealed")
        }
    }

    /// In bytes: the state of a flow has it, too.
    private static let longestGrant = 512

    private static func grantContext(_ method: UUID) -> [Data] { [Data(method.text.utf8)] }

    /// What a sealed grant has; nil when it is none of this method.
    package func grant(_ sealed: Data, of method: UUID, in tenant: TenantID, now: Date) async -> ProviderGrant? {
        await vault.loadKey(of: sealed, now: now)
        do {
            return StateCoding.decode(
                try vault.open(
                    sealed, for: .providerGrant, tenant: tenant, context: Self.grantContext(method)))
        } catch {
            return nil
        }
    }

    /// A sign-up that goes on in the same request: its hook is asked, as after the code of a sign-up.
    private func asked(_ outcome: Outcome, in context: RequestContext) async throws(EngineError) -> Outcome {
        guard outcome.allowed == .askAboutSignUp, let token = outcome.token else { return outcome }
        switch await open(token, for: .askAboutSignUp, in: context) {
        case .success(let next): return try await askAboutSignUp(next)
        case .failure(let fault): return context.outcome(.refused(Refusal(fault)))
        }
    }

    /// A new account, or one whose tokens wait for a hook, gets its tokens in the same request.
    private func finished(
        _ outcome: Outcome, _ request: TokenRequest, in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        guard case .accepted(.signIn) = outcome.verdict else { return outcome }
        return try await redeemed(outcome, request, in: context)
    }

    /// What the identity proves of its account.
    private func proofs(
        by found: VerifiedIdentity, from provider: IdentityProvider, of account: UserAccount, _ draft: FederatedDraft,
        at now: Date
    ) throws(EngineError) -> Authentication? {
        guard let binding = draft.account, let method = account.method(of: found.identity) else { return nil }
        guard let own = EmailAddress(stored: account.user.email) else { throw .broken("an account has no address") }
        let first = Authentication(
            account: binding, email: own, origin: .signIn, knowsPassword: false, mailboxes: [], authenticatedAt: now,
            capabilities: draft.capabilities)
        // Who has the account of a provider that speaks for the own mailbox may have that mailbox. Whether the token names it,
        // its owner decides.
        var proven =
            provider.maySpeak(for: own) ? first.proving(.identityOfMailbox) : first.proving(method, at: now)
        if method.takesStatements(in: account) { proven.stated = found.stated }
        return proven
    }

    func account(
        with credential: MethodCredential, in context: RequestContext
    ) async throws(EngineError) -> UserAccount? {
        do {
            return try await ports.users.account(with: credential, in: context.tenant.id)
        } catch {
            throw .store(error)
        }
    }
}

extension IdentityProvider {
    /// The judged token, with the names that the app brought where the token has none.
    fileprivate func judged(
        _ claims: IdentityClaims, for clients: [String], method: UUID, _ presented: PresentedIdentity, now: Date
    ) -> Result<VerifiedIdentity, IdentityFault> {
        do throws(IdentityFault) {
            var claims = claims
            claims.givenName = claims.givenName ?? presented.givenName
            claims.familyName = claims.familyName ?? presented.familyName
            return .success(try judge(claims, for: clients, method: method, now: now))
        } catch {
            return .failure(error)
        }
    }
}

/// A token of a provider, judged but for its nonce.
struct JudgedIdentity: Sendable {
    /// Nil: the signature is not the provider's.
    var claims: IdentityClaims?
    var judged: Result<VerifiedIdentity, IdentityFault>
}

extension IdentityProvider {
    /// The clients whose tokens count: an app's token is worth nothing at the pages, nor theirs in an app (`SEC-FED-4`).
    func clients(isWeb: Bool) -> [String] {
        isWeb ? web.map { [$0.clientID] } ?? [] : nativeClients
    }
}

extension UserAccount {
    /// The method of this identity.
    func method(of identity: LinkedIdentity) -> StrongMethod? {
        strongMethods.first { $0.identity?.key == identity.key }
    }

    /// The identities at providers, suspended ones included.
    package var identities: [StrongMethod] { strongMethods.filter { $0.identity != nil } }

    /// Whether one more identity can be linked: suspended ones do not count (`SEC-ENR-13`).
    package var hasRoomForIdentity: Bool {
        identities.count { $0.suspendedAt == nil } < StrongMethod.mostIdentities
    }

    /// Whether this identity can be linked.
    func hasRoom(for identity: LinkedIdentity) -> Bool {
        identities.count { $0.suspendedAt == nil && $0.identity?.key != identity.key } < StrongMethod.mostIdentities
    }

    /// What gives way to the identity: the same one, where it is suspended, and the oldest suspended ones where there would be
    /// too many.
    func displaced(by identity: LinkedIdentity) -> [UUID] {
        let others = identities.filter { $0.identity?.key != identity.key }
        let resting = others.filter { $0.suspendedAt != nil }.sorted { $0.provenAt < $1.provenAt }
        let excess = max(0, others.count + 1 - StrongMethod.mostIdentities)
        return [method(of: identity)?.id].compactMap(\.self) + resting.prefix(excess).map(\.id)
    }

    /// Whether a method that can be used was added by a password alone, or before this was recorded.
    var hasFactorOfPassword: Bool {
        secondFactors.contains { $0.suspendedAt == nil && [.unknown, .password].contains($0.enrolment.strength) }
    }

    /// Whether the identity is there, and suspended.
    func isSuspended(_ identity: LinkedIdentity) -> Bool { method(of: identity)?.suspendedAt != nil }

    /// The identities that the mailbox alone linked to the account, after it was made: who had that mailbox for a moment may have
    /// linked one of them.
    package var identitiesOfMailbox: [StrongMethod] {
        identities.filter {
            $0.suspendedAt == nil && $0.enrolment.strength == .mailbox && $0.provenAt > user.createdAt
        }
    }

    /// The methods that a second factor can be: all but identities, which are ways in.
    package var secondFactors: [StrongMethod] { strongMethods.filter { !$0.isIdentity } }
}

extension StrongMethod {
    /// The most identities of one account (`SEC-ENR-13`).
    package static let mostIdentities = 5

    /// What the server keeps of the identity; nil for a method of another kind, and in the state of a flow.
    package var identity: LinkedIdentity? {
        switch kind {
        case .identity(let identity): identity
        case .mailbox, .phone, .app, .passkey, .recoveryCodes, .unknown: nil
        }
    }

    /// Whether it is an identity at a provider.
    package var isIdentity: Bool {
        switch kind {
        case .identity: true
        case .mailbox, .phone, .app, .passkey, .recoveryCodes, .unknown: false
        }
    }
}
