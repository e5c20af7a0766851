package import NativeAuthCore
import PortableFoundation

/// The content of an authorization code: the code holds it, sealed, and the database only what was presented (design record
/// 0033).
package struct CodeGrant: Hashable, Sendable, Codable {
    var id: UUID
    var session: UUID
    var user: UserID
    /// The account's credentials when the code was issued; other ones end the code.
    var credentialVersion: Int
    /// SHA-256 of the redirect address.
    var redirect: Data
    var redirectKind: RedirectAddresses.Kind
    var challenge: String?
    var nonce: String?
    var scopes: [String]
    var contexts: [String]
    /// The proofs of the session when the code was issued.
    var methods: [String]
    /// What they are worth. Nil: not known, as versions wrote it that knew no levels.
    var level: Assurance.Level?
    var authenticatedAt: Date
    var expiresAt: Date
    /// The thumbprint of the key that the code is bound to (RFC 9449 section 10).
    var key: String?
    /// ``RefreshFamily/parent`` of the tokens. Nil: none, as versions wrote it that made no tickets.
    var parent: UUID?
    /// The device that was remembered at the sign-in. Nil: none.
    var remembered: RememberedProof?
}

/// A client's request to exchange a code (RFC 6749 section 4.1.3).
package struct CodePresentation: Hashable, Sendable {
    package var code: Secret<String>
    package var redirect: String
    /// The verifier of PKCE (RFC 7636 section 4.5).
    package var verifier: Secret<String>?
    /// The scopes of the tokens: some of those of the code, of one resource; empty: all.
    package var scopes: [String]
    /// Whether a script of a page sent the request, by its `Origin`.
    package var isByPage = false
    /// The thumbprint of the key of the proof: a repeated answer is for the same key.
    var key: String?

    package init(code: Secret<String>, redirect: String, verifier: Secret<String>?, scopes: [String] = []) {
        self.code = code
        self.redirect = redirect
        self.verifier = verifier
        self.scopes = scopes
    }

    func with(key: String?) -> Self {
        var copy = self
        copy.key = key
        return copy
    }

    var digest: Data {
        Vault.fingerprint(
            [Data(code.reveal().utf8), Data(redirect.utf8), Data((verifier?.reveal() ?? "").utf8)]
                + scopes.map { Data($0.utf8) } + (key.map { [Data("key".utf8), Data($0.utf8)] } ?? []))
    }
}

/// Why a code gets no tokens.
package enum CodeFault: String, Hashable, Sendable, Codable, CaseIterable {
    /// Not a code of this server, tenant and client.
    case unusable
    case expired
    /// The code was redeemed before: what it gave is revoked (RFC 6749 section 4.1.2).
    case used
    /// The redirect address is not that of the authorization request.
    case wrongRedirect
    /// The verifier is missing, does not fit, or the request had no challenge.
    case wrongVerifier
    /// The code is for a page without a server, and no page sent it.
    case pageMissing
    /// A page sent it, and the code is for another kind of program.
    case pageNotExpected
    /// The user signed out, or changed the credentials, after the code was issued.
    case sessionEnded
}

// Authorization codes (RFC 6749 section 4.1, RFC 7636).
extension Engine {
    /// SEC-OAUTH-3, in seconds.
    package static let codeLifetime = 60.0
    /// The seconds in which a client that lost the answer gets it again (`OIDC-9`).
    static let repeatLifetime = 10.0
    /// After so many wrong verifiers a code is spent.
    static let mostWrongVerifiers = 3
    private static let codeVersion: UInt8 = 1
    /// The longest code, in characters, that is looked at.
    private static let longestCode = 8 * 1024

    func code(
        for request: AuthorizationRequest, _ session: BrowserSession, version: Int, contexts: [String],
        _ demand: FactorDemand, in context: RequestContext
    ) throws(EngineError) -> Secret<String> {
        let grant = codeGrant(for: request, session, version: version, contexts: contexts, demand, in: context)
        do {
            let sealed = try vault.seal(
                StateCoding.encode(grant), for: .authorizationCode, tenant: context.tenant.id,
                context: [Data(context.client.id.description.utf8)])
            return Secret(Base64URL.encode(Data([Self.codeVersion]) + sealed))
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("an authorization code could not be sealed")
        }
    }

    /// What a user of a session gives to an application.
    ///
    /// - Parameter demand: What the proofs of the session were judged by.
    func codeGrant(
        for request: AuthorizationRequest, _ session: BrowserSession, version: Int, contexts: [String],
        _ demand: FactorDemand, in context: RequestContext
    ) -> CodeGrant {
        let told = session.authentication.stating(for: demand)
        return CodeGrant(
            id: ports.randomness.uuid(), session: session.id, user: session.authentication.account.user,
            credentialVersion: version, redirect: Self.digest(ofRedirect: request.redirect),
            redirectKind: request.redirectKind, challenge: request.challenge, nonce: request.nonce,
            scopes: request.scopes, contexts: contexts, methods: told.sessionMethods, level: told.level(for: demand),
            authenticatedAt: told.authenticatedAt,
            expiresAt: context.now.addingTimeInterval(Self.codeLifetime), key: request.key,
            parent: session.authentication.handover?.family, remembered: session.authentication.remembered)
    }

    private func open(_ code: Secret<String>, in context: RequestContext) async -> CodeGrant? {
        let text = code.reveal()
        guard text.utf8.count <= Self.longestCode, let bytes = Base64URL.decode(text), bytes.first == Self.codeVersion
        else { return nil }
        let sealed = Data(bytes.dropFirst())
        await vault.loadKey(of: sealed, now: context.now)
        do {
            return StateCoding.decode(
                try vault.open(
                    sealed, for: .authorizationCode, tenant: context.tenant.id,
                    context: [Data(context.client.id.description.utf8)]))
        } catch {
            return nil
        }
    }

    /// The session that a code came from; nil for a text that is no code of the application.
    func browserSession(of code: Secret<String>, in context: RequestContext) async -> UUID? {
        await open(code, in: context)?.session
    }

    /// Exchanges a code for tokens, once. The caller has authenticated a confidential client before.
    func redeem(_ presentation: CodePresentation, in context: RequestContext) async throws(EngineError) -> Outcome {
        let redemption = presentation.with(key: context.proof?.key)
        func refused(_ fault: CodeFault) -> Outcome { context.outcome(.refused(.unusableCode(fault))) }
        guard let code = await open(redemption.code, in: context) else { return refused(.unusable) }
        // A code that is used again after its end still revokes what it gave.
        let isExpired = context.now >= code.expiresAt
        guard code.redirect == Self.digest(ofRedirect: redemption.redirect) else { return refused(.wrongRedirect) }
        if let key = code.key, key != context.proof?.key {
            return context.outcome(.refused(.unusableProof(context.proof == nil ? .missing : .wrongKey)))
        }
        if let refusal = try await useProof(in: context) { return context.outcome(.refused(refusal)) }
        let pageFault: CodeFault? =
            switch code.redirectKind {
            case .spa: redemption.isByPage ? nil : .pageMissing
            case .web, .publicClient: redemption.isByPage ? .pageNotExpected : nil
            }
        let isVerified = Self.fits(redemption.verifier, code.challenge)
        let grant: ScopeGrant
        switch judge(redemption.scopes.isEmpty ? code.scopes : redemption.scopes, in: context) {
        case .granted(let judged): grant = judged
        case .refused(let refusal): return context.outcome(.refused(refusal))
        }
        guard redemption.scopes.allSatisfy(code.scopes.contains) else {
            return context.outcome(.refused(.scopeNotConsented))
        }
        // Signing cannot wait inside the transaction.
        var prepared: (tokens: IssuedTokens, family: RefreshFamily, sealed: Data?)?
        if isVerified, !isExpired, pageFault == nil, let signIn = try await signIn(of: code, in: context),
            // The user may have taken it back since.
            try await !lacksConsent(to: code.scopes, of: code.user, for: context.client, in: context.tenant)
        {
            prepared = try await prepare(code, redemption, grant, signIn, in: context)
        }
        let (issued, requestDigest, now) = (prepared, redemption.digest, context.now)
        let digest = Vault.fingerprint([Data("code".utf8), Data(redemption.code.reveal().utf8)])
        let answer: RedemptionAnswer
        do {
            answer = try await ports.browsers.presentCode(digest, ofBrowserSession: code.session, in: context.tenant.id)
            {
                facts in
                var presented = facts.presented ?? PresentedCode(digest: digest, until: code.expiresAt + 7_200)
                if let redemption = presented.redemption {
                    // The same client did not get the answer: it has the verifier, which a thief of the code has not.
                    if isVerified, pageFault == nil, code.challenge != nil, redemption.requestDigest == requestDigest,
                        now.timeIntervalSince(redemption.at) <= Self.repeatLifetime,
                        let sealed = redemption.sealedAnswer
                    {
                        return (nil, [], .repeated(sealed))
                    }
                    return (
                        nil,
                        [
                            .revokeRefreshFamily(redemption.family, of: code.user, at: now),
                            .record(event(.tokenReuseDetected, user: code.user, detail: "code", of: nil, in: context)),
                        ], .refused(.used)
                    )
                }
                guard !isExpired, presented.failures < Self.mostWrongVerifiers else {
                    return (nil, [], .refused(isExpired ? .expired : .unusable))
                }
                if let pageFault { return (nil, [], .refused(pageFault)) }
                guard isVerified else {
                    presented.failures += 1
                    return (presented, [], .refused(.wrongVerifier))
                }
                guard let signIn = facts.signIn, signIn.isLive(now), code.isOf(signIn), let issued else {
                    return (nil, [], .refused(.sessionEnded))
                }
                presented.redemption = PresentedCode.Redemption(
                    at: now, family: issued.family.id, requestDigest: requestDigest, sealedAnswer: issued.sealed)
                return (
                    presented,
                    [
                        .openRefreshFamily(issued.family),
                        .record(event(.codeRedeemed, user: code.user, of: nil, in: context)),
                        .record(event(.tokenIssued, user: code.user, of: nil, in: context)),
                    ], .issued
                )
            }
        } catch {
            throw .store(error)
        }
        switch answer {
        case .issued:
            guard let prepared else { return refused(.sessionEnded) }
            return context.outcome(.accepted(.signedIn(prepared.tokens)))
        case .repeated(let sealed):
            do {
                let outcome: Outcome? = StateCoding.decode(
                    try vault.open(sealed, underSecret: Self.secret(of: redemption), context: [requestDigest]))
                return outcome ?? refused(.used)
            } catch {
                return refused(.used)
            }
        case .refused(let fault): return refused(fault)
        }
    }

    private enum RedemptionAnswer: Sendable {
        case issued
        case repeated(Data)
        case refused(CodeFault)
    }

    func signIn(of code: CodeGrant, in context: RequestContext) async throws(EngineError) -> BrowserSignIn? {
        // The app's session may have ended since.
        if let parent = code.parent, try await liveFamily(parent, in: context.tenant.id, now: context.now) == nil {
            return nil
        }
        do {
            let found = try await ports.browsers.browserSignIn(of: code.session, in: context.tenant.id)
            guard let found, found.isLive(context.now), code.isOf(found) else { return nil }
            return try await meets(code, found.account, in: context) ? found : nil
        } catch let error as EngineError {
            throw error
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw .broken("a session of a code cannot be read")
        }
    }

    /// Whether the proofs of a code are as much and as fresh as is demanded now: a device may ask late, and a rule may be new.
    private func meets(
        _ code: CodeGrant, _ account: UserAccount, in context: RequestContext
    ) async throws(EngineError) -> Bool {
        let demand = try await factorDemand(code.contexts, scopes: code.scopes, of: account.user.id, in: context)
            .whole(of: account)
        let level = code.level ?? Assurance.level(ofWords: code.methods)
        let isProven = level >= demand.level && demand.isFresh(code.authenticatedAt, at: context.now)
        return isProven
            || code.contexts.isEmpty
                && code.remembered?.meets(
                    demand, of: account, in: context.client.id, within: context.rememberedDays, at: context.now) == true
    }

    private func prepare(
        _ code: CodeGrant, _ redemption: CodePresentation, _ grant: ScopeGrant, _ signIn: BrowserSignIn,
        in context: RequestContext
    ) async throws(EngineError) -> (tokens: IssuedTokens, family: RefreshFamily, sealed: Data?) {
        var (tokens, family) = try await tokens(
            of: code, grant, signIn, isShort: code.redirectKind == .spa, in: context)
        if !grant.openID.contains("offline_access") { tokens.refreshToken = nil }
        guard redemption.verifier != nil else { return (tokens, family, nil) }
        let outcome = context.outcome(.accepted(.signedIn(tokens)))
        do {
            let sealed = try vault.seal(
                StateCoding.encode(outcome), underSecret: Self.secret(of: redemption), context: [redemption.digest])
            return (tokens, family, sealed)
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("an answer could not be sealed")
        }
    }

    /// Whether a verifier fits the challenge: S256 only (RFC 7636 section 4.6). A verifier without a challenge does not: the
    /// request may have lost it to an attacker (RFC 9700 section 4.8.2).
    private static func fits(_ verifier: Secret<String>?, _ challenge: String?) -> Bool {
        guard let challenge else { return verifier == nil }
        guard let verifier, (43...128).contains(verifier.reveal().utf8.count) else { return false }
        let computed = Base64URL.encode(Vault.checksum(Data(verifier.reveal().utf8)))
        return Vault.areEqual(Data(computed.utf8), Data(challenge.utf8))
    }

    private static func digest(ofRedirect address: String) -> Data {
        Vault.fingerprint([Data("redirect".utf8), Data(address.utf8)])
    }

    private static func secret(of redemption: CodePresentation) -> Data {
        Data((redemption.code.reveal() + "." + (redemption.verifier?.reveal() ?? "")).utf8)
    }
}

extension CodeGrant {
    func isOf(_ signIn: BrowserSignIn) -> Bool {
        signIn.session.id == session && signIn.account.user.id == user
            && credentialVersion >= signIn.account.tokensFromVersion
    }
}
