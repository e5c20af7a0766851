import Dispatch
package import IdentityEngine
import JWTKit
package import NativeAuthCore
package import PortableFoundation

/// Signs tokens with keys that are made per tenant and sealed in the ``KeyStore``, verifies tokens, and rotates the
/// keys.
///
/// A tenant's first call, or ``prepare(for:)``, reads its keys and makes one when there is none. Concurrent calls wait
/// for that attempt; a failed attempt is forgotten, and the next call tries again. When two processes start together,
/// one inserts its key and both use it. Keys are read again once they are ``maximumAge`` old, so changes of another
/// process are seen within a minute; while the store fails, the keys that were read before stay in use.
package actor KeyRing: TokenIssuer {
    /// How long keys are used before they are read again, in seconds.
    package static let maximumAge: TimeInterval = 60

    private let store: any KeyStore
    private let vault: Vault
    private let clock: any WallClock
    private let randomness: any Randomness
    private let algorithm: SigningKeyRecord.Algorithm
    private let schedule: KeySchedule
    private let worker = DispatchQueue(label: "native-auth.signing-keys")
    private var tenants: Set<TenantID> = []
    /// Protected by a separate lock, so that a signature does not wait for the actor.
    private let known = Locked<[TenantID: TenantKeys]>([:])
    private var loads: [TenantID: Task<TenantKeys, any Error>] = [:]

    /// - Parameters:
    ///   - store: Stores the sealed keys.
    ///   - vault: Seals them (`SEC-TOK-6`), and makes the pairwise `sub`.
    ///   - clock: The time when a key was made or read. The times in a token come only from its ``TokenSubject``.
    ///   - randomness: The source of a `kid`. The keys themselves come from the generator of the crypto library.
    ///   - algorithm: The algorithm of a tenant's first key: RSA with 2048 bits, or P-256 (`SEC-TOK-2`). Later keys use
    ///     the algorithm of the key before, unless a rotation names another.
    ///   - longestTokenLife: The longest time, in seconds, that a token may need its key (`SEC-TOK-5`).
    package init(
        store: any KeyStore, vault: Vault, clock: any WallClock, randomness: any Randomness,
        algorithm: SigningKeyRecord.Algorithm = .rs256, longestTokenLife: Int = 5_400
    ) {
        self.store = store
        self.vault = vault
        self.clock = clock
        self.randomness = randomness
        self.algorithm = algorithm
        schedule = KeySchedule(longestTokenLife: longestTokenLife)
    }

    /// Reads the tenant's keys before its first token, and makes the first key when there is none.
    ///
    /// - Throws: ``TokenIssuerError/unavailable(_:)`` when the store fails, or a stored key does not open under this
    ///   master key. A new key never replaces one that does not open.
    package func prepare(for tenant: TenantID) async throws(TokenIssuerError) {
        _ = try await keys(for: tenant)
    }

    /// Equal subjects give equal bytes with an RSA key: claims are sorted, and the padding of RS256 is deterministic
    /// (RFC 8017 section 8.2).
    package nonisolated func sign(_ subject: TokenSubject) async throws(TokenIssuerError) -> SignedTokens {
        let keys = try await keys(for: subject.tenant)
        let claims = CommonClaims(
            subject,
            pairwiseSubject: vault.pairwiseSubject(
                of: subject.user.id, for: subject.client, in: subject.tenant))
        do {
            guard let signer = schedule.signer(of: keys.records, at: subject.issuedAt) else {
                throw StoreError.corrupt("no signing key stands after one was inserted")
            }
            let accessToken = try keys.sign(
                AccessTokenClaims(claims: claims, subject: subject), as: .accessToken, with: signer)
            guard subject.openIDScopes.contains("openid") else {
                return SignedTokens(accessToken: accessToken, idToken: nil)
            }
            return SignedTokens(
                accessToken: accessToken,
                idToken: try keys.sign(
                    IDTokenClaims(claims: claims, subject: subject), as: .idToken, with: signer))
        } catch {
            throw .unavailable(error)
        }
    }

    package nonisolated func sign(_ subject: DaemonTokenSubject) async throws(TokenIssuerError) -> Secret<String> {
        let keys = try await keys(for: subject.tenant)
        do {
            guard let signer = schedule.signer(of: keys.records, at: subject.issuedAt) else {
                throw StoreError.corrupt("no signing key stands after one was inserted")
            }
            return try keys.sign(DaemonTokenClaims(subject: subject), as: .accessToken, with: signer)
        } catch {
            throw .unavailable(error)
        }
    }

    package nonisolated func sign(_ subject: LogoutTokenSubject) async throws(TokenIssuerError) -> Secret<String> {
        let keys = try await keys(for: subject.tenant)
        do {
            guard let signer = schedule.signer(of: keys.records, at: subject.issuedAt) else {
                throw StoreError.corrupt("no signing key stands after one was inserted")
            }
            let pairwise = vault.pairwiseSubject(of: subject.user, for: subject.client, in: subject.tenant)
            return try keys.sign(
                LogoutTokenClaims(subject: subject, pairwiseSubject: pairwise), as: .logoutToken, with: signer)
        } catch {
            throw .unavailable(error)
        }
    }

    package nonisolated func verify(
        _ accessToken: Secret<String>, for tenant: TenantID, issuer: String, now: Date
    ) async throws(TokenVerificationError) -> VerifiedAccessToken {
        switch try await read(accessToken, for: tenant, issuer: issuer) as ReadAccessToken {
        case .user(let claims): return try claims.accessToken(now: now)
        case .daemon: throw .wrongType
        }
    }

    package nonisolated func verifyDaemon(
        _ accessToken: Secret<String>, for tenant: TenantID, issuer: String, now: Date
    ) async throws(TokenVerificationError) -> VerifiedDaemonToken {
        switch try await read(accessToken, for: tenant, issuer: issuer) as ReadAccessToken {
        case .user: throw .wrongType
        case .daemon(let claims): return try claims.daemonToken(now: now)
        }
    }

    package nonisolated func verifyHint(
        _ idToken: Secret<String>, for tenant: TenantID, issuer: String
    ) async throws(TokenVerificationError) -> IDTokenHint {
        let claims: ReadIDClaims = try await read(idToken, for: tenant, issuer: issuer)
        guard let client = ClientID(claims.aud) else { throw .malformed }
        return IDTokenHint(
            client: client, subject: claims.sub, sessionID: claims.sid.flatMap { UUID(uuidString: $0) })
    }

    /// The claims of a token that the tenant signed; its times are not checked yet.
    private nonisolated func read<Claims: ReadToken>(
        _ text: Secret<String>, for tenant: TenantID, issuer: String
    ) async throws(TokenVerificationError) -> Claims {
        let token = try CompactToken(text)
        var keys: TenantKeys
        do {
            keys = try await self.keys(for: tenant)
            // Another process may sign with a newer key than the keys that were read here. Reading again at most once a
            // second prevents that forged tokens put load on the store.
            if keys.type(of: token) == nil { keys = try await self.keys(for: tenant, maximumAge: 1) }
        } catch {
            throw .unavailable(error)
        }
        return try await keys.verify(token, issuer: CommonClaims.issuer(issuer, tenant), tenant: tenant)
    }

    package nonisolated func claimedTenant(of accessToken: Secret<String>) -> TenantID? {
        do {
            return try CompactToken(accessToken).claimedTenant
        } catch {
            return nil
        }
    }

    package nonisolated func claimedApplication(
        of accessToken: Secret<String>
    ) -> (client: ClientID, tenant: TenantID)? {
        do {
            return try CompactToken(accessToken).claimedApplication
        } catch {
            return nil
        }
    }

    package nonisolated func jwks(for tenant: TenantID) async throws(TokenIssuerError) -> Data {
        try await keys(for: tenant).jwks
    }

    // MARK: - Rotation

    /// Publishes each tenant's next key when it is time, and removes keys that are no longer needed (`SEC-TOK-5`);
    /// called once a minute. When several processes do so at the same moment, one publishes and the others use its key.
    ///
    /// - Returns: The tenants whose keys changed, among those that this ring has served.
    /// - Throws: ``TokenIssuerError/unavailable(_:)`` after all tenants were tried, when it failed for at least one.
    @discardableResult
    package func rotateIfDue(now: Date) async throws(TokenIssuerError) -> [TenantID] {
        var changed: [TenantID] = []
        var failure: (any Error)?
        for tenant in tenants {
            do {
                // Open the keys before another is made: under a wrong master key nothing may be written.
                let keys = try await load(tenant)
                let spare =
                    schedule.needsNext(keys.records, now: now)
                    ? try await newRecord(for: tenant, like: keys.records) : nil
                guard schedule.tick(keys.records, spare: spare, now: now) != nil else { continue }
                try await update(tenant, AuditEvent(.keyRotated, at: now, tenant: tenant)) { [schedule] in
                    schedule.tick($0, spare: spare, now: now)
                }
                changed.append(tenant)
            } catch {
                failure = error
            }
        }
        if let failure { throw .unavailable(failure) }
        return changed
    }

    /// Publishes a next key now, which signs after ``KeySchedule/notice``; does nothing when there is one.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm; nil for that of the newest key. A next key of another algorithm is replaced.
    ///   - actor: Who asks, for the audit trail; nil for a command.
    /// - Throws: ``TokenIssuerError/unavailable(_:)``, like ``prepare(for:)``.
    package func announceRotation(
        for tenant: TenantID, algorithm: SigningKeyRecord.Algorithm? = nil, by actor: ClientID? = nil, now: Date
    ) async throws(TokenIssuerError) {
        let event = AuditEvent(.keyRotated, at: now, tenant: tenant, client: actor)
        try await change(tenant, algorithm, event) { schedule, spare, keys in
            schedule.announcing(spare, keys, now: now)
        }
    }

    /// Switches to another signing key now: the next one, or a new one when there is none. Tokens of the old key stay
    /// valid.
    ///
    /// A client that caches the key set may not know a new key yet; ``announceRotation(for:algorithm:now:)`` has no
    /// such gap.
    ///
    /// - Parameter algorithm: The algorithm; nil for that of the newest key. A next key of another algorithm is
    ///   replaced.
    /// - Throws: ``TokenIssuerError/unavailable(_:)``, like ``prepare(for:)``.
    package func rotateNow(
        for tenant: TenantID, algorithm: SigningKeyRecord.Algorithm? = nil, now: Date
    ) async throws(TokenIssuerError) {
        try await change(tenant, algorithm, AuditEvent(.keyRotated, at: now, tenant: tenant)) { schedule, spare, keys in
            schedule.rotatingNow(spare, keys, now: now)
        }
    }

    /// Deletes a key at once, including its private part. Its tokens are refused from now on: by other processes within
    /// a minute, by clients that cache the key set once they fetch it again. If the key was the signing one, the next
    /// key signs, or a new one.
    ///
    /// - Returns: False when the tenant has no such key.
    /// - Throws: ``TokenIssuerError/unavailable(_:)``, like ``prepare(for:)``.
    package func revoke(_ kid: String, for tenant: TenantID, now: Date) async throws(TokenIssuerError) -> Bool {
        guard try await status(for: tenant, now: now).contains(where: { $0.kid == kid }) else { return false }
        try await change(tenant, nil, AuditEvent(.keyRevoked, at: now, tenant: tenant)) { schedule, spare, keys in
            schedule.revoking(kid, spare: spare, keys, now: now)
        }
        return true
    }

    /// The tenant's keys, latest first, without opening or making one.
    ///
    /// - Throws: ``TokenIssuerError/unavailable(_:)`` when the store fails.
    package func status(for tenant: TenantID, now: Date) async throws(TokenIssuerError) -> [SigningKeyStatus] {
        let keys: [SigningKeyRecord]
        do {
            keys = try await store.signingKeys(for: tenant)
        } catch {
            throw .unavailable(error)
        }
        let signer = schedule.signer(of: keys, at: now)
        return keys.map { key in
            let state: SigningKeyStatus.State =
                if key == signer {
                    .signing
                } else if let end = schedule.end(of: key, among: keys, at: now) {
                    .retired(until: end)
                } else {
                    .next
                }
            return SigningKeyStatus(
                kid: key.kid, algorithm: key.algorithm, createdAt: key.createdAt, activeFrom: key.activeFrom,
                state: state)
        }
    }

    private typealias Change =
        @Sendable (KeySchedule, _ spare: SigningKeyRecord, _ keys: [SigningKeyRecord]) -> [SigningKeyRecord]?

    private func change(
        _ tenant: TenantID, _ algorithm: SigningKeyRecord.Algorithm?, _ event: AuditEvent, _ change: @escaping Change
    ) async throws(TokenIssuerError) {
        do {
            let keys = try await load(tenant)
            let spare = try await newRecord(for: tenant, like: keys.records, algorithm: algorithm)
            try await update(tenant, event) { [schedule] in change(schedule, spare, $0) }
        } catch {
            throw .unavailable(error)
        }
    }

    private func update(
        _ tenant: TenantID, _ event: AuditEvent,
        decide: @escaping @Sendable ([SigningKeyRecord]) -> [SigningKeyRecord]?
    ) async throws {
        _ = try await store.updateSigningKeys(for: tenant, recording: event, decide: decide)
        // Discard cached keys and reads in progress: a revoked key would come back with them.
        known.withLock { $0[tenant] = nil }
        loads[tenant] = nil
        _ = try await load(tenant)
    }

    // MARK: - Known keys

    private nonisolated func keys(
        for tenant: TenantID, maximumAge: TimeInterval = maximumAge
    ) async throws(TokenIssuerError) -> TenantKeys {
        let keys = known.withLock { $0[tenant] }
        if let keys, abs(clock.now.timeIntervalSince(keys.readAt)) < maximumAge { return keys }
        do {
            return try await load(tenant)
        } catch {
            if case StoreError.unavailable = error, let keys { return keys }
            throw .unavailable(error)
        }
    }

    private func load(_ tenant: TenantID) async throws -> TenantKeys {
        let load = loads[tenant] ?? Task { try await readKeys(of: tenant, reusing: known.withLock { $0[tenant] }) }
        loads[tenant] = load
        // During the wait another attempt may have begun; keep that one.
        do {
            let keys = try await load.value
            if loads[tenant] == load {
                loads[tenant] = nil
                known.withLock { $0[tenant] = keys }
            }
            return keys
        } catch {
            if loads[tenant] == load { loads[tenant] = nil }
            throw error
        }
    }

    private func readKeys(of tenant: TenantID, reusing old: TenantKeys?) async throws -> TenantKeys {
        tenants.insert(tenant)
        let readAt = clock.now
        var records = try await store.signingKeys(for: tenant)
        if records.isEmpty {
            records = try await store.insertFirstSigningKey(newRecord(for: tenant, like: []))
        }
        return try await TenantKeys(records, opened: open(records, reusing: old?.opened ?? [:]), readAt: readAt)
    }

    private func newRecord(
        for tenant: TenantID, like keys: [SigningKeyRecord], algorithm: SigningKeyRecord.Algorithm? = nil
    ) async throws -> SigningKeyRecord {
        let drawn = Base64URL.encode(randomness.bytes(16))
        // A name that begins with a hyphen would be an option on the command line.
        let kid = drawn.hasPrefix("-") ? "A" + drawn.dropFirst() : drawn
        let createdAt = clock.now
        let algorithm = algorithm ?? keys.first?.algorithm ?? self.algorithm
        return try await onWorker { [vault] in
            SigningKeyRecord(
                tenant: tenant, kid: kid, algorithm: algorithm,
                sealedPrivateKey: try vault.seal(
                    PrivateKey(generating: algorithm).pkcs8, for: .signingKey, tenant: tenant,
                    context: [Data(kid.utf8)]),
                createdAt: createdAt)
        }
    }

    private func open(
        _ records: [SigningKeyRecord], reusing opened: [String: SigningKey]
    ) async throws -> [String: SigningKey] {
        for record in records where opened[record.kid] == nil {
            await vault.loadKey(of: record.sealedPrivateKey, now: clock.now)
        }
        return try await onWorker { [vault] in
            try records.reduce(into: [:]) { keys, record in
                if let known = opened[record.kid] {
                    keys[record.kid] = known
                    return
                }
                let pkcs8 = try vault.open(
                    record.sealedPrivateKey, for: .signingKey, tenant: record.tenant, context: [Data(record.kid.utf8)])
                keys[record.kid] = SigningKey(
                    kid: record.kid, privateKey: try PrivateKey(pkcs8: pkcs8, algorithm: record.algorithm))
            }
        }
    }

    /// Runs work of many milliseconds on a separate thread, so that it blocks no thread of the cooperative pool.
    private func onWorker<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            worker.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}

/// The state of a key, without the key itself.
package struct SigningKeyStatus: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Published, and signs from its time on.
        case next
        case signing
        /// No longer signs; until this time it verifies the tokens that it signed.
        case retired(until: Date)
    }

    package let kid: String
    package let algorithm: SigningKeyRecord.Algorithm
    package let createdAt: Date
    /// When the key starts, or started, to sign.
    package let activeFrom: Date
    package let state: State
}
