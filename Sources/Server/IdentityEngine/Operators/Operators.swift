package import NativeAuthCore
package import PortableFoundation

/// Why the operators stay as they are.
package enum OperatorRefusal: Error, Hashable, Sendable {
    case notAnOperator
    /// Without an owner, no operator could invite another.
    case lastOwner
    /// The one who asks is no owner any more.
    case notAnOwner
    /// The invitation was used, or has ended.
    case invitationUsed
}

/// An operator who is signed in at the console.
package struct SignedInOperator: Hashable, Sendable {
    package var user: UserID
    package var email: String
    package var role: OperatorRole
    /// When both factors were proven.
    package var provenAt: Date
}

/// Who operates the server: invitations, roles, and sessions at the console (`SEC-ADM-1`, `SEC-ADM-3`).
///
/// Operators are users of ``OperatorTenant``, with the flows of every other user: this type adds what makes them operators.
package struct Operators: Sendable {
    /// How long an invitation can be accepted, in seconds.
    package static let invitationLifetime = 30 * 60.0
    /// How often a sign-up can begin with one invitation.
    package static let invitationAttempts = 5
    /// How long a session lives without a request, in seconds.
    package static let idleLifetime = 15 * 60.0
    /// How long a session lives at most, in seconds.
    package static let sessionLifetime = 12 * 3_600.0
    /// How old the proof may be for what needs a fresh one, in seconds.
    package static let freshProof = 10 * 60.0
    /// The length of the secrets of invitations and sessions.
    private static let secretBytes = 32

    /// The engine of the operators' tenant; it knows no other.
    package let engine: Engine
    private let store: any OperatorStore

    /// - Parameters:
    ///   - engine: The engine of the apps' tenants, whose ports and keys this one shares.
    ///   - baseURL: The address of the operators' listener.
    package init(beside engine: Engine, store: any OperatorStore, baseURL: String) {
        var ports = engine.ports
        ports.clients = OperatorTenant.directory
        ports.hooks = NoHookReceiver()
        var settings = EngineSettings(baseURL: baseURL)
        settings.fixedCode = engine.settings.fixedCode
        settings.limits = engine.settings.limits
        settings.resendCooldown = engine.settings.resendCooldown
        self.engine = Engine(ports, vault: engine.vault, settings: settings, passwords: engine.passwords)
        self.store = store
    }

    // MARK: - Invitations

    /// Makes an invitation.
    ///
    /// - Returns: The secret, 43 characters of base64url, which nothing else has; nil when the actor is no owner any more, or is a
    ///   person where two operators must stand behind a deed: who invites could be both (`SEC-ENR-12`).
    package func invite(
        _ role: OperatorRole, as actor: Operator, now: Date
    ) async throws(EngineError) -> Secret<String>? {
        let secret = secret()
        let invitation = OperatorInvitation(
            digest: Self.digest(of: secret), role: role, until: now.addingTimeInterval(Self.invitationLifetime),
            inviter: actor.id.map { UserID($0.uuid) })
        let event = event(.operatorInvited, nil, role.rawValue, as: actor, at: now)
        let isAdded = try await stored { () throws(StoreError) in
            try await store.addInvitation(invitation, recording: event)
        }
        return isAdded ? secret : nil
    }

    /// The invitations that can be accepted.
    package func invitations(now: Date) async throws(EngineError) -> [OperatorInvitation] {
        try await stored { () throws(StoreError) in try await store.invitations(now: now) }
    }

    package func withdraw(
        _ invitation: OperatorInvitation, as actor: Operator, now: Date
    ) async throws(EngineError) {
        let event = event(.invitationWithdrawn, nil, invitation.role.rawValue, as: actor, at: now)
        try await stored { () throws(StoreError) in
            try await store.removeInvitation(invitation.digest, recording: event)
        }
    }

    /// Counts an attempt to sign up with an invitation: each mails a code to an address that the visitor chooses.
    ///
    /// - Returns: The role; nil when it was used, has ended, never existed, or had ``invitationAttempts``.
    package func tryInvitation(_ secret: Secret<String>, now: Date) async throws(EngineError) -> OperatorRole? {
        try await stored { () throws(StoreError) in
            try await store.tryInvitation(Self.digest(of: secret), now: now, most: Self.invitationAttempts)
        }
    }

    /// Makes a user, who has proven both factors, an operator. If the invitation is of no use any more, the user, who signed up
    /// for nothing else, is deleted.
    package func accept(
        _ secret: Secret<String>, for user: UserID, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> Result<OperatorRole, OperatorRefusal> {
        let actor = Operator(user: user, source: source)
        let event = event(.operatorAdded, user, nil, as: actor, at: now)
        let role = try await stored { () throws(StoreError) in
            try await store.acceptInvitation(Self.digest(of: secret), for: user, now: now, recording: event)
        }
        if let role { return .success(role) }
        if try await self.role(of: user) == nil { try await delete(user, as: actor, now: now) }
        return .failure(.invitationUsed)
    }

    // MARK: - Two operators

    /// Sets whether two operators must stand behind a deed that changes how a user proves who they are. Only a command does.
    ///
    /// - Returns: False when it was so already.
    package func setTwoOperators(_ isNeeded: Bool, now: Date) async throws(EngineError) -> Bool {
        let event = event(
            .operatorRuleChanged, nil, isNeeded ? "two operators" : "one operator", as: .command, at: now)
        return try await stored { () throws(StoreError) in
            try await store.setTwoOperators(isNeeded, recording: event)
        }
    }

    // MARK: - Roles

    package func all() async throws(EngineError) -> [OperatorRecord] {
        try await stored { () throws(StoreError) in try await store.operators() }
    }

    package func role(of user: UserID) async throws(EngineError) -> OperatorRole? {
        try await stored { () throws(StoreError) in try await store.operatorRole(of: user) }
    }

    /// Gives an operator another role, which counts from the next request on.
    package func setRole(
        _ role: OperatorRole, of user: UserID, as actor: Operator, now: Date
    ) async throws(EngineError) -> Result<Void, OperatorRefusal> {
        return try await stored { () throws(StoreError) in
            try await store.changeOperators { roles in
                guard Self.isOwner(actor, roles) else { return (nil, .failure(.notAnOwner)) }
                guard let old = roles[user] else { return (nil, .failure(.notAnOperator)) }
                guard old != role else { return (nil, .success(())) }
                if old == .owner, Self.isLastOwner(user, roles) { return (nil, .failure(.lastOwner)) }
                let event = self.event(
                    .operatorChanged, user, "\(old.rawValue) to \(role.rawValue)", as: actor, at: now)
                return (OperatorChange(user, role: role, at: now, event: event), .success(()))
            }
        }
    }

    /// Takes the role and deletes the user, whose address is then free for another invitation.
    package func remove(
        _ user: UserID, as actor: Operator, now: Date
    ) async throws(EngineError) -> Result<Void, OperatorRefusal> {
        let event = event(.operatorRemoved, user, nil, as: actor, at: now)
        let answer: Result<Void, OperatorRefusal> = try await stored { () throws(StoreError) in
            try await store.changeOperators { roles in
                guard Self.isOwner(actor, roles) else { return (nil, .failure(.notAnOwner)) }
                guard roles[user] != nil else { return (nil, .failure(.notAnOperator)) }
                if Self.isLastOwner(user, roles) { return (nil, .failure(.lastOwner)) }
                return (OperatorChange(user, role: nil, at: now, event: event), .success(()))
            }
        }
        if case .success = answer { try await delete(user, as: actor, now: now) }
        return answer
    }

    /// The user of the operators' tenant with this address, with or without a role.
    package func user(named email: String) async throws(EngineError) -> UserID? {
        guard let key = EmailAddress(email)?.key else { return nil }
        return try await stored { () throws(StoreError) in
            try await engine.ports.users.account(named: key, in: OperatorTenant.id)?.user.id
        }
    }

    /// Deletes a user who signed up and has no role, as after an invitation that was used by another.
    package func deleteStray(_ user: UserID, as actor: Operator, now: Date) async throws(EngineError) {
        guard try await role(of: user) == nil else { return }
        try await delete(user, as: actor, now: now)
    }

    private func delete(_ user: UserID, as actor: Operator, now: Date) async throws(EngineError) {
        let event = engine.operatorEvent(.accountDeleted, user, in: OperatorTenant.id, as: actor, at: now)
        try await engine.change(user, in: OperatorTenant.id) { facts in
            guard let account = facts.account else { return ([], ()) }
            return (engine.effects(ofDeleting: account, facts, now: now) + [.record(event)], ())
        }
    }

    /// A command, and the console of the development profile, may do what an owner may.
    private static func isOwner(_ actor: Operator, _ roles: [UserID: OperatorRole]) -> Bool {
        actor.id.map { roles[UserID($0.uuid)] == .owner } ?? true
    }

    private static func isLastOwner(_ user: UserID, _ roles: [UserID: OperatorRole]) -> Bool {
        roles[user] == .owner && !roles.contains { $0.key != user && $0.value == .owner }
    }

    // MARK: - Sessions

    /// Begins a session of a user who has just proven both factors.
    ///
    /// - Returns: The value of the cookie; nil when the user is no operator.
    package func begin(_ user: UserID, now: Date) async throws(EngineError) -> Secret<String>? {
        guard try await role(of: user) != nil, let account = try await engine.account(user, in: OperatorTenant.id)
        else {
            return nil
        }
        let secret = secret()
        let session = OperatorSession(
            digest: Self.digest(of: secret), user: user, credentialVersion: account.credentialVersion, provenAt: now,
            seenAt: now)
        try await stored { () throws(StoreError) in try await store.openSession(session) }
        return secret
    }

    /// The operator of a session that is in use.
    ///
    /// - Parameter isUse: Whether the request keeps the session alive.
    package func operatorSignedIn(
        by cookie: Secret<String>, isUse: Bool = true, now: Date
    ) async throws(EngineError) -> SignedInOperator? {
        let digest = Self.digest(of: cookie)
        let found = try await stored { () throws(StoreError) in try await store.operatorSession(digest) }
        guard let session = found, now.timeIntervalSince(session.seenAt) <= Self.idleLifetime,
            now.timeIntervalSince(session.provenAt) <= Self.sessionLifetime,
            let role = try await role(of: session.user),
            let account = try await engine.account(session.user, in: OperatorTenant.id), account.disabledAt == nil,
            account.credentialVersion == session.credentialVersion
        else { return nil }
        // Once a minute is exact enough for the limit of 15 minutes, and seldom enough for a console that follows events.
        if isUse, now.timeIntervalSince(session.seenAt) >= 60 {
            try await stored { () throws(StoreError) in try await store.touchSession(digest, at: now) }
        }
        return SignedInOperator(
            user: session.user, email: account.user.email, role: role, provenAt: session.provenAt)
    }

    package func end(_ cookie: Secret<String>) async throws(EngineError) {
        try await stored { () throws(StoreError) in try await store.closeSession(Self.digest(of: cookie)) }
    }

    // MARK: - The state of a sign-in between its pages

    /// Seals what the pages of one sign-in hand on, for the browser with this cookie (`SEC-WEB-5`).
    package func seal(
        _ flow: some Encodable & Sendable, for browser: Secret<String>
    ) throws(EngineError) -> String {
        let plaintext = try StateCoding.encode(flow)
        do {
            return Base64URL.encode(
                try engine.vault.seal(
                    plaintext, for: .operatorFlow, tenant: OperatorTenant.id, context: [Self.digest(of: browser)]))
        } catch {
            throw .broken("the state of a sign-in could not be sealed")
        }
    }

    /// - Returns: Nil when the text was changed, is from another browser, or is from before a restore.
    package func open<Flow: Decodable & Sendable>(
        _ text: String, for browser: Secret<String>, as type: Flow.Type = Flow.self, now: Date
    ) async -> Flow? {
        guard text.utf8.count <= 8_192, let sealed = Base64URL.decode(text).map({ Data($0) }) else { return nil }
        await engine.vault.loadKey(of: sealed, now: now)
        do {
            return StateCoding.decode(
                try engine.vault.open(
                    sealed, for: .operatorFlow, tenant: OperatorTenant.id, context: [Self.digest(of: browser)]))
        } catch {
            return nil
        }
    }

    /// A new value of the cookie, which is that of no session.
    package func cookie() -> Secret<String> { secret() }

    // MARK: - Parts

    private func secret() -> Secret<String> {
        Secret(Base64URL.encode(engine.ports.randomness.bytes(Self.secretBytes)))
    }

    /// The secrets have 256 random bits, so the digest needs no key.
    private static func digest(of secret: Secret<String>) -> Data {
        Vault.fingerprint([Data("operator".utf8), Data(secret.reveal().utf8)])
    }

    private func event(
        _ kind: AuditEvent.Kind, _ user: UserID?, _ detail: String?, as actor: Operator, at now: Date
    ) -> AuditEvent {
        AuditEvent(
            kind, at: now, tenant: OperatorTenant.id, client: actor.id, user: user,
            detail: detail ?? "operator",
            source: actor.source.map { engine.auditSource($0, OperatorTenant.id) })
    }

    private func stored<Value>(_ body: () async throws(StoreError) -> Value) async throws(EngineError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }
}
