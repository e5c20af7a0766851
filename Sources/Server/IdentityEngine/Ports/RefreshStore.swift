package import NativeAuthCore
package import PortableFoundation

/// A family of refresh tokens: the token that a sign-in issued, and its successors (`SEC-TOK-7…9`).
///
/// At most one token of a family is live. Tokens are stored only as SHA-256.
package struct RefreshFamily: Hashable, Sendable {
    package var id: UUID
    package var tenant: TenantID
    package var client: ClientID
    package var user: UserID
    /// The scopes of the sign-in and of refreshes: the first refresh that names another resource adds its scopes, as
    /// far as the application may ask for them. A refresh token is not bound to one resource (docs/protocol.md §5.5).
    package var scopes: [String]
    package var methods: [String]
    /// The authentication contexts that the sign-in satisfied, such as `c1` (`SEC-MFA-1`).
    package var contexts: [String]
    /// What the proofs of the sign-in are worth. Nil: a version wrote the row that did not know it.
    package var level: Assurance.Level?
    package var authenticatedAt: Date
    package var createdAt: Date
    package var expiresAt: Date
    /// The number of rotations, from 0.
    package var generation: Int
    /// SHA-256 of the live token, 32 bytes.
    package var tokenDigest: Data
    /// SHA-256 of the token before, and the answer that it still gets during the grace period.
    package var previous: Previous?
    package var revokedAt: Date?
    /// When the user's credentials changed and this session was kept: its access tokens from before are still valid.
    package var keptAt: Date?
    /// The device that signed in.
    package var device: SessionDevice
    /// The network of the last use, such as `192.0.2.0/24`; nil when it is not known.
    package var network: String?
    /// The browser session that the family came from; nil for a native sign-in.
    package var browserSession: UUID?
    /// The thumbprint of the key that the refresh tokens are bound to: of the sign-in, and never another (`SEC-OAUTH-9`).
    package var key: String?
    /// The family of the app whose ticket opened the browser session: this one lives no longer, and is no fresh proof
    /// (`OIDC-33`). Nil for others.
    package var parent: UUID?
    /// The remembered device that replaced the second factor at the sign-in; nil when none did.
    package var remembered: RememberedProof?

    /// When the session was last used: the sign-in or the last refresh.
    package var lastUsedAt: Date { previous?.rotatedAt ?? createdAt }

    /// The token that was rotated last.
    package struct Previous: Hashable, Sendable {
        package var tokenDigest: Data
        package var rotatedAt: Date
        /// The answer of the rotation, sealed under a key derived from the rotated token alone.
        package var sealedAnswer: Data

        package init(tokenDigest: Data, rotatedAt: Date, sealedAnswer: Data) {
            self.tokenDigest = tokenDigest
            self.rotatedAt = rotatedAt
            self.sealedAnswer = sealedAnswer
        }
    }

    package init(
        id: UUID, tenant: TenantID, client: ClientID, user: UserID, scopes: [String], methods: [String],
        contexts: [String] = [], level: Assurance.Level? = nil, authenticatedAt: Date, createdAt: Date, expiresAt: Date,
        generation: Int = 0,
        tokenDigest: Data, previous: Previous? = nil, revokedAt: Date? = nil, keptAt: Date? = nil,
        device: SessionDevice = SessionDevice(), network: String? = nil, browserSession: UUID? = nil,
        key: String? = nil, parent: UUID? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.client = client
        self.user = user
        self.scopes = scopes
        self.methods = methods
        self.contexts = contexts
        self.level = level
        self.authenticatedAt = authenticatedAt
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.generation = generation
        self.tokenDigest = tokenDigest
        self.previous = previous
        self.revokedAt = revokedAt
        self.keptAt = keptAt
        self.device = device
        self.network = network
        self.browserSession = browserSession
        self.key = key
        self.parent = parent
    }
}

extension RefreshFamily {
    /// Whether the proofs of the sign-in are as much and as fresh as is demanded now.
    package func proves(_ demand: LevelDemand, at now: Date) -> Bool {
        (level ?? Assurance.level(ofWords: methods)) >= demand.level && demand.isFresh(authenticatedAt, at: now)
    }

    /// ``remembered`` for a row.
    package func storedRemembered() throws(EngineError) -> Data? {
        try remembered.map { proof throws(EngineError) in try StateCoding.encode(proof) }
    }

    /// - Returns: Nil for bytes that this version cannot read.
    package static func remembered(stored: Data) -> RememberedProof? { StateCoding.decode(stored) }
}

/// A device as the SDK describes it; shown to the user only.
package struct SessionDevice: Hashable, Sendable {
    /// The model, such as `iPhone17,1`, at most 64 characters; nil when the client does not say it.
    package var model: String?
    /// The system with its version, such as `18.2`, at most 64 characters.
    package var system: String?

    /// - Returns: The device; texts of a client that are longer, or have other characters than printing ones, are cut
    ///   and cleaned.
    package init(model: String? = nil, system: String? = nil) {
        self.model = model.flatMap(Self.clean)
        self.system = system.flatMap(Self.clean)
    }

    private static func clean(_ text: String) -> String? {
        let kept = text.utf8.prefix(256).filter { (0x20...0x7E).contains($0) }.prefix(64)
        return kept.isEmpty ? nil : String(decoding: kept, as: UTF8.self)
    }
}

/// Stores refresh-token families.
package protocol RefreshStore: Sendable {
    /// The family, or nil.
    func refreshFamily(_ id: UUID, in tenant: TenantID) async throws(StoreError) -> RefreshFamily?

    /// The family and its account, in one round trip; nil when there is no such family.
    func refreshSession(
        _ id: UUID, in tenant: TenantID
    ) async throws(StoreError) -> (family: RefreshFamily, account: UserAccount)?

    /// The user's sessions that are neither revoked nor expired, the last used first, at most 200.
    func sessions(of user: UserID, in tenant: TenantID, now: Date) async throws(StoreError) -> [RefreshFamily]

    /// Reads the family under its lock, passes it to `decide`, and writes the change and the event that it returns, in
    /// one transaction. A nil change writes nothing. `decide` is pure and may run more than once.
    func updateRefreshFamily<Answer: Sendable>(
        _ id: UUID, in tenant: TenantID,
        decide: @escaping @Sendable (RefreshFamily?) -> (change: RefreshFamily?, event: AuditEvent?, answer: Answer)
    ) async throws(StoreError) -> Answer
}
