import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Tokens: for a finished flow, and for a refresh token.
extension Engine {
    /// Exchanges the token of a finished flow for tokens (native-auth-v1 §5.4).
    func redeem(
        _ token: ContinuationToken, scopes: [String], in scene: Scene
    ) async throws(EngineError) -> Outcome {
        let opened: Opened<SignUpState>
        do {
            opened = try open(
                token, as: SignUpState.self, for: .redeem, content: scopes.map { Data($0.utf8) }, in: scene)
        } catch {
            return scene.outcome(.refused(Refusal(error)))
        }
        let state = opened.envelope.state
        guard case .completed(let signUp) = state else { return scene.outcome(.refused(.notAllowedNow)) }
        let grant: ScopeGrant
        switch scene.client.judge(scopes) {
        case .granted(let judged): grant = judged
        case .refused(let refusal): return scene.outcome(.refused(refusal))
        }
        guard let user = try await user(signUp.user, in: scene) else {
            return scene.outcome(.refused(.unusableToken))
        }
        let proof = Proof(methods: signUp.methods, authenticatedAt: signUp.authenticatedAt)
        var issued = try await sign(grant, for: user, proof: proof, in: scene)
        var family: RefreshFamily?
        if grant.openID.contains("offline_access") {
            let id = ports.randomness.uuid()
            let refreshToken = newRefreshToken(of: id)
            issued.refreshToken = refreshToken
            family = RefreshFamily(
                id: id, tenant: scene.tenant.id, client: scene.client.id, user: user.id, scopes: grant.all,
                methods: proof.methods, authenticatedAt: proof.authenticatedAt, createdAt: scene.now,
                expiresAt: refreshExpiry(createdAt: scene.now, in: scene), tokenDigest: Self.digest(refreshToken))
        }
        let (tokens, newFamily) = (issued, family)
        return try await step(opened, in: scene) { situation in
            state.redeeming(tokens, family: newFamily, in: situation)
        }
    }

    /// Exchanges a refresh token for new tokens and its successor (`SEC-TOK-7…9`).
    func refresh(
        _ token: Secret<String>, scopes: [String], in scene: Scene
    ) async throws(EngineError) -> Outcome {
        guard let id = Self.family(of: token) else { return scene.outcome(.refused(.unusableRefreshToken)) }
        let found: RefreshFamily?
        do {
            found = try await ports.refresh.refreshFamily(id, in: scene.tenant.id)
        } catch {
            throw .store(error)
        }
        guard let found, found.client == scene.client.id, let user = try await user(found.user, in: scene) else {
            return scene.outcome(.refused(.unusableRefreshToken))
        }
        let grant: ScopeGrant
        switch scene.client.judge(scopes.isEmpty ? found.scopes : scopes) {
        case .granted(let judged): grant = judged
        case .refused(let refusal): return scene.outcome(.refused(refusal))
        }
        let proof = Proof(methods: found.methods, authenticatedAt: found.authenticatedAt)
        var issued = try await sign(grant, for: user, proof: proof, in: scene)
        let successor = newRefreshToken(of: id)
        issued.refreshToken = successor

        let secret = Data(token.reveal().utf8)
        let answer = Outcome(.accepted(.signedIn(issued)), trace: scene.context.trace)
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
            slidingExpiry: refreshExpiry(createdAt: found.createdAt, in: scene), now: scene.now,
            grace: Double(settings.refreshGrace))
        let verdict: RefreshVerdict
        do {
            verdict = try await ports.refresh.updateRefreshFamily(id, in: scene.tenant.id) { family in
                let (change, verdict) = family?.presenting(rotation) ?? (nil, .refused(.unusableRefreshToken))
                let kind: AuditEvent.Kind? =
                    switch verdict {
                    case .rotated: .tokenRefreshed
                    case .reused: .tokenReuseDetected
                    case .repeated, .refused: nil
                    }
                return (change, kind.map { event($0, user: user.id, of: nil, in: scene) }, verdict)
            }
        } catch {
            throw .store(error)
        }
        switch verdict {
        case .rotated: return answer
        case .refused(let refusal): return scene.outcome(.refused(refusal))
        case .reused: return scene.outcome(.refused(.revokedRefreshToken))
        case .repeated(let sealed):
            do {
                guard let first: Outcome = StateCoding.decode(try vault.open(sealed, underSecret: secret, context: []))
                else { return scene.outcome(.refused(.unusableRefreshToken)) }
                return first
            } catch {
                return scene.outcome(.refused(.unusableRefreshToken))
            }
        }
    }

    private struct Proof {
        let methods: [String]
        let authenticatedAt: Date
    }

    private func user(_ id: UserID, in scene: Scene) async throws(EngineError) -> User? {
        do {
            return try await ports.users.user(id, in: scene.tenant.id)
        } catch {
            throw .store(error)
        }
    }

    private func sign(
        _ grant: ScopeGrant, for user: User, proof: Proof, in scene: Scene
    ) async throws(EngineError) -> IssuedTokens {
        let span = settings.tokenLifetime.upperBound - settings.tokenLifetime.lowerBound
        let draw = ports.randomness.bytes(2).reduce(0) { $0 << 8 | Int($1) }
        let lifetime = settings.tokenLifetime.lowerBound + draw % (span + 1)
        let subject = TokenSubject(
            tenant: scene.tenant.id, client: scene.client.id, user: user,
            audience: grant.resource ?? scene.client.id.description, scopes: grant.resourceScopes,
            openIDScopes: grant.openID, authenticatedAt: proof.authenticatedAt, methods: proof.methods,
            issuedAt: scene.now, lifetime: lifetime, tokenID: ports.randomness.uuid(), issuer: settings.baseURL)
        do {
            let signed = try await ports.issuer.sign(subject)
            return IssuedTokens(
                accessToken: signed.accessToken, idToken: signed.idToken, refreshToken: nil, scopes: grant.all,
                lifetime: lifetime, user: user.id, tenant: scene.tenant.id)
        } catch {
            throw .tokens(error)
        }
    }

    /// When a family ends if it is not used again: a fixed day for one-time-passcode applications, else 90 days from now but
    /// never more than a year in all (native-auth-v1 §5.5, `SEC-TOK-12`).
    private func refreshExpiry(createdAt: Date, in scene: Scene) -> Date {
        switch scene.userFlow.method {
        case .emailOneTimePasscode:
            createdAt.addingTimeInterval(Double(settings.oneTimePasscodeRefreshLifetime))
        case .emailPassword:
            min(
                scene.now.addingTimeInterval(Double(settings.refreshLifetime)),
                createdAt.addingTimeInterval(Double(settings.refreshFamilyLifetime)))
        }
    }

    /// base64url of the family's id and 256 random bits.
    private func newRefreshToken(of family: UUID) -> Secret<String> {
        Secret(Base64URL.encode(withUnsafeBytes(of: family.uuid) { Array($0) } + ports.randomness.bytes(32)))
    }

    private static func family(of token: Secret<String>) -> UUID? {
        guard token.reveal().utf8.count == 64, let bytes = Base64URL.decode(token.reveal()), bytes.count == 48 else {
            return nil
        }
        return UUID(bytes: bytes.prefix(16))
    }

    private static func digest(_ token: Secret<String>) -> Data {
        Vault.fingerprint([Data(token.reveal().utf8)])
    }
}
