import Crypto
package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func account(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> UserAccount? {
        try await readAtOnce { try $0.account("?", [id], in: tenant, locking: "") }
    }

    package func account(
        with credential: MethodCredential, in tenant: TenantID
    ) async throws(StoreError) -> UserAccount? {
        try await readAtOnce { session in
            let user = #"(SELECT "user" FROM strong_methods WHERE tenant = ? AND kind = ? AND credential = ?)"#
            return try session.account(user, [tenant, credential.kindName, credential.bytes], in: tenant, locking: "")
        }
    }

    package func account(
        withPhone number: PhoneNumber, in tenant: TenantID
    ) async throws(StoreError) -> UserAccount? {
        try await readAtOnce { session in
            let methods = "strong_methods \(session.dialect.indexed(by: "strong_methods_by_phone"))"
            let user = """
                (SELECT "user" FROM \(methods) WHERE tenant = ? AND key = ? AND kind = 'phone'
                    ORDER BY COALESCE(last_used_at, proven_at) DESC, id LIMIT 1)
                """
            return try session.account(user, [tenant, Contact.phone(number).key], in: tenant, locking: "")
        }
    }

    package func account(
        named key: LoginIdentifier.Key, in tenant: TenantID
    ) async throws(StoreError) -> UserAccount? {
        try await readAtOnce { session in
            let user = #"(SELECT "user" FROM identifiers WHERE tenant = ? AND key = ?)"#
            return try session.account(user, [tenant, key], in: tenant, locking: "")
        }
    }

    package func isFamiliar(
        _ network: Data, to user: UserID, in tenant: TenantID, since: Date
    ) async throws(StoreError) -> Bool {
        try await readAtOnce { session in
            try session.rows(
                of: "known_networks",
                #"SELECT last_at FROM known_networks WHERE tenant = ? AND "user" = ? AND network = ? AND last_at >= ?"#,
                [tenant, user, network, since]
            ).map { !$0.isEmpty }
        }
    }

    package func change<Answer: Sendable>(
        _ id: UserID, in tenant: TenantID, names: [LoginIdentifier.Key], marks: [Data],
        decide: @escaping @Sendable (AccountFacts) -> (effects: [Effect], answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await share([.account(id, in: tenant)] + names.map { .identifier($0, in: tenant) }) { session in
            let account = try session.account(locking: id, in: tenant)
            let taken = try session.taken(names, in: tenant)
            let reserved = try session.reserved(marks, in: tenant)
            let undos = try session.undos(of: id, in: tenant)
            let requests = try session.operatorRequests(of: id, in: tenant)
            let needsTwo = try session.needsTwoOperators()
            return Pending {
                var facts = AccountFacts(
                    account: try account.get(), taken: try taken.get(), reserved: try reserved.get(),
                    undos: try undos.get())
                facts.requests = try requests.get()
                facts.needsTwoOperators = try needsTwo.get()
                let (effects, answer) = decide(facts)
                try session.apply(effects, of: id, in: tenant)
                return answer
            }
        }
    }

    package func emailUndo(
        _ codeDigest: Data, in tenant: TenantID, now: Date
    ) async throws(StoreError) -> EmailUndo? {
        try await read { session in
            try session.rows(
                of: "email_undos",
                #"SELECT "user", email, changed_at, until FROM email_undos WHERE tenant = ? AND code_digest = ? AND until > ?"#,
                [tenant, codeDigest, now]
            ).get().first.map { row in
                EmailUndo(
                    codeDigest: codeDigest, user: try row.value("user"), old: try row.value("email"),
                    changedAt: try row.value("changed_at"), until: try row.value("until"))
            }
        }
    }

    package func emailUndos(
        of user: UserID, in tenant: TenantID, now: Date
    ) async throws(StoreError) -> [EmailUndo] {
        try await read { session in try session.undos(of: user, in: tenant).get().filter { $0.until > now } }
    }

    package func isDeleted(_ mark: Data, in tenant: TenantID) async throws(StoreError) -> Bool {
        try await read { session in
            try !session.rows(
                of: "deletions", "SELECT deleted_at FROM deletions WHERE tenant = ? AND mark = ?", [tenant, mark]
            ).get().isEmpty
        }
    }

    package func usersToDelete(
        now: Date, limit: Int
    ) async throws(StoreError) -> [(tenant: TenantID, user: UserID)] {
        try await read { session in
            try session.rows(
                of: "users", "SELECT tenant, id FROM users WHERE deletion_due_at <= ? ORDER BY deletion_due_at LIMIT ?",
                [now, limit]
            ).get().map { (try $0.value("tenant"), try $0.value("id")) }
        }
    }

    package func user(_ id: UserID, in tenant: TenantID) async throws(StoreError) -> User? {
        try await account(id, in: tenant)?.user
    }

    package func taken(
        _ keys: [LoginIdentifier.Key], marks: [Data], in tenant: TenantID
    ) async throws(StoreError) -> (keys: Set<LoginIdentifier.Key>, reserved: [ReservedName]) {
        try await readAtOnce { session in
            let keys = try session.taken(keys, in: tenant)
            let reserved = try session.reserved(marks, in: tenant)
            return Pending { (try keys.get(), try reserved.get()) }
        }
    }

    /// By the users' positions, which are spread evenly, whatever the ids are.
    package func passwordHash(near id: UserID, in tenant: TenantID) async throws(StoreError) -> PasswordHash? {
        try await read { session in
            let found = try session.rows(
                of: "users",
                """
                SELECT password_hash FROM (
                    SELECT * FROM (
                        SELECT 0 AS lap, password_hash FROM users
                        WHERE tenant = ? AND position >= ? AND password_hash IS NOT NULL ORDER BY position LIMIT 1
                    ) AS following
                    UNION ALL
                    SELECT * FROM (
                        SELECT 1 AS lap, password_hash FROM users
                        WHERE tenant = ? AND password_hash IS NOT NULL ORDER BY position LIMIT 1) AS first_user
                ) AS found ORDER BY lap LIMIT 1
                """, [tenant, id.position, tenant]
            ).get()
            return try found.first.map { PasswordHash(phc: try $0.value("password_hash")) }
        }
    }

    package func countUsers(in tenant: TenantID) async throws(StoreError) -> Int {
        try await read { session in
            let rows = try session.rows(
                of: "users", "SELECT COUNT(*) AS count FROM users WHERE tenant = ?", [tenant])
            return try rows.get().first?.value("count") ?? 0
        }
    }
}

extension UserID {
    /// The place of a user among all, evenly spread: an import brings ids of any kind, such as those that begin with the
    /// time. 0 to 2⁶³ − 1.
    fileprivate var position: Int {
        let digest = SHA256.hash(data: Data(description.utf8))
        return digest.prefix(8).reduce(0) { $0 << 8 | Int($1) } & .max
    }
}

extension SQLSession {
    func taken(_ keys: [LoginIdentifier.Key], in tenant: TenantID) throws -> Pending<Set<LoginIdentifier.Key>> {
        guard !keys.isEmpty else { return Pending([]) }
        return try rows(
            of: "identifiers",
            "SELECT key FROM identifiers WHERE tenant = ? AND key IN (\(Self.placeholders(keys)))", [tenant] + keys
        ).map { rows in Set(try rows.map { try $0.value("key") }) }
    }

    fileprivate func undos(of user: UserID, in tenant: TenantID) throws -> Pending<[EmailUndo]> {
        try rows(
            of: "email_undos",
            #"SELECT code_digest, email, changed_at, until FROM email_undos WHERE tenant = ? AND "user" = ?"#,
            [tenant, user]
        ).map { rows in
            try rows.map { row in
                EmailUndo(
                    codeDigest: try row.value("code_digest"), user: user, old: try row.value("email"),
                    changedAt: try row.value("changed_at"), until: try row.value("until"))
            }
        }
    }

    /// Read after ``taken(_:in:)``: a name that comes to rest in between is still found as taken.
    func reserved(_ marks: [Data], in tenant: TenantID) throws -> Pending<[ReservedName]> {
        guard !marks.isEmpty else { return Pending([]) }
        return try rows(
            of: "held_names",
            #"SELECT mark, "user", until FROM held_names WHERE tenant = ? AND mark IN (\#(Self.placeholders(marks)))"#,
            [tenant] + marks
        ).map { rows in
            try rows.map {
                ReservedName(mark: try $0.value("mark"), user: try $0.value("user"), until: try $0.value("until"))
            }
        }
    }

    func insert(_ user: NewUser) throws {
        try run(
            """
            INSERT INTO users (tenant, id, client, password_hash, created_at, credentials_changed_at, position)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                user.tenant, user.id, user.client, user.passwordHash?.phc, user.createdAt, user.createdAt,
                user.id.position,
            ])
        for identifier in user.identifiers {
            try insert(identifier, of: user.id, in: user.tenant, proof: user.emailProof, at: user.createdAt)
        }
        for (name, value) in user.attributes { try insert(name, value, of: user.id, in: user.tenant) }
    }

    /// An alias is only chosen, so it has no proof.
    private func insert(
        _ identifier: LoginIdentifier, of user: UserID, in tenant: TenantID, proof: EmailProof, at date: Date
    ) throws {
        let isEmail = identifier.kind == .email
        try run(
            """
            INSERT INTO identifiers (tenant, key, kind, display, "user", proven_at, proof)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                tenant, identifier.key, identifier.kind, identifier.display, user,
                isEmail && proof.isProof ? date : nil, isEmail ? proof.rawValue : nil,
            ])
    }

    func replaceName(
        _ kind: LoginIdentifier.Kind, with name: LoginIdentifier?, of user: UserID, in tenant: TenantID,
        proof: EmailProof, at date: Date
    ) throws {
        try run(
            #"DELETE FROM identifiers WHERE tenant = ? AND "user" = ? AND kind = ?"#, [tenant, user, kind])
        if let name { try insert(name, of: user, in: tenant, proof: proof, at: date) }
    }

    func set(_ changes: [AttributeChange], of user: UserID, in tenant: TenantID) throws {
        for change in changes {
            try run(
                #"DELETE FROM attributes WHERE tenant = ? AND "user" = ? AND name = ?"#, [tenant, user, change.name])
            if let value = change.value { try insert(change.name, value, of: user, in: tenant) }
        }
    }

    /// Rows of other tables that name the user go with the row of `users`.
    func delete(_ user: UserID, mark: Data, in tenant: TenantID, at date: Date) throws {
        try run(#"DELETE FROM outbox WHERE tenant = ? AND "user" = ?"#, [tenant, user])
        // Before the tokens go: they say which applications hear of it.
        try endBrowserSessions(of: user, in: tenant, at: date)
        try run(#"UPDATE held_names SET "user" = NULL WHERE tenant = ? AND "user" = ?"#, [tenant, user])
        try queueRevocations(ofMethods: #""user" = ?"#, [user], in: tenant)
        try run("DELETE FROM users WHERE tenant = ? AND id = ?", [tenant, user], expecting: 1)
        try run(
            """
            INSERT INTO deletions (tenant, mark, deleted_at) VALUES (?, ?, ?)
            ON CONFLICT (tenant, mark) DO UPDATE SET deleted_at = excluded.deleted_at
            """, [tenant, mark, date])
    }

    func hold(_ name: ReservedName, in tenant: TenantID) throws {
        try run(
            """
            INSERT INTO held_names (tenant, mark, "user", until) VALUES (?, ?, ?, ?)
            ON CONFLICT (tenant, mark) DO UPDATE SET "user" = excluded."user", until = excluded.until
            """, [tenant, name.mark, name.user, name.until])
    }

    func offer(_ undo: EmailUndo, in tenant: TenantID) throws {
        try run(
            """
            INSERT INTO email_undos (tenant, code_digest, "user", email, changed_at, until) VALUES (?, ?, ?, ?, ?, ?)
            """, [tenant, undo.codeDigest, undo.user, undo.old, undo.changedAt, undo.until])
    }

    func insert(_ name: String, _ value: AttributeValue, of user: UserID, in tenant: TenantID) throws {
        try run(
            #"INSERT INTO attributes (tenant, "user", name, type, value) VALUES (?, ?, ?, ?, ?)"#,
            [tenant, user, name, value.typeName, value])
    }

    /// The version increases, so that everything begun under the old password has ended (`SEC-CT-9`).
    func changePassword(
        of user: UserID, in tenant: TenantID, to hash: PasswordHash, fromReset: Bool, at date: Date
    ) throws {
        try run(
            """
            UPDATE users SET password_hash = ?, password_from_reset = ?, credential_version = credential_version + 1,
                tokens_from_version = credential_version + 1, credentials_changed_at = ?
            WHERE tenant = ? AND id = ?
            """, [hash.phc, fromReset, date, tenant, user], expecting: 1)
    }

    /// Leaves the user without a password. Everything begun before has ended.
    func removePassword(of user: UserID, in tenant: TenantID, at date: Date) throws {
        try run(
            """
            UPDATE users SET password_hash = NULL, password_from_reset = 0, credential_version = credential_version + 1,
                tokens_from_version = credential_version + 1, credentials_changed_at = ?
            WHERE tenant = ? AND id = ?
            """, [date, tenant, user], expecting: 1)
    }

    /// Ends open flows, and access tokens that were issued before `date`.
    func changeCredentials(of user: UserID, in tenant: TenantID, at date: Date) throws {
        try run(
            """
            UPDATE users SET credential_version = credential_version + 1,
                tokens_from_version = credential_version + 1, credentials_changed_at = ?
            WHERE tenant = ? AND id = ?
            """, [date, tenant, user], expecting: 1)
    }

    @discardableResult
    func trustPassword(of user: UserID, in tenant: TenantID) throws -> Int {
        try change("UPDATE users SET password_from_reset = 0 WHERE tenant = ? AND id = ?", [tenant, user])
    }

    /// Ends open flows; tokens stay valid.
    func endFlows(of user: UserID, in tenant: TenantID) throws {
        try run(
            "UPDATE users SET credential_version = credential_version + 1 WHERE tenant = ? AND id = ?", [tenant, user],
            expecting: 1)
    }

    /// Replaces a method with the same address, including its id.
    func insert(_ method: StrongMethod, of user: UserID, in tenant: TenantID) throws {
        let key = method.storedKey
        if let identity = method.identity { try forgetOthers(of: identity, in: tenant) }
        try run(#"DELETE FROM strong_methods WHERE tenant = ? AND "user" = ? AND key = ?"#, [tenant, user, key])
        try run(
            """
            INSERT INTO strong_methods (tenant, "user", id, email, key, proven_at, enrolled_under, authenticated_at, client,
                is_familiar, suspended_at, first_used_at, last_used_at, name, kind, secret, spent_step, drift, last_offset,
                credential, passkey, identity)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                tenant, user, method.id, method.storedEmail, key, method.provenAt, method.enrolment.strength,
                method.enrolment.authenticatedAt, method.enrolment.client, method.enrolment.isFamiliarSource,
                method.suspendedAt, method.firstUsedAt, method.lastUsedAt, method.name, method.kindName,
                method.enrolledApp?.sealedSecret ?? method.identity?.grant, method.enrolledApp?.clock.spentStep,
                method.enrolledApp?.clock.drift,
                method.enrolledApp?.clock.lastOffset, method.passkey?.credentialID ?? method.identity?.key,
                try method.passkey?.stored(), try method.identity?.stored(),
            ])
    }

    /// What ends when an identity gets a user.
    func forgetOthers(of identity: LinkedIdentity, in tenant: TenantID) throws {
        try forgetRevocations(of: identity.key, in: tenant)
        try run("DELETE FROM identity_names WHERE tenant = ? AND credential = ?", [tenant, identity.key])
    }

    func removeMethods(_ ids: [UUID], of user: UserID, in tenant: TenantID) throws {
        guard !ids.isEmpty else { return }
        try queueRevocations(
            ofMethods: #""user" = ? AND id IN (\#(Self.placeholders(ids)))"#, [user as any StoredValue] + ids,
            in: tenant)
        try run(
            #"DELETE FROM strong_methods WHERE tenant = ? AND "user" = ? AND id IN (\#(Self.placeholders(ids)))"#,
            [tenant, user] + ids)
    }

    /// - Parameter date: When the methods were suspended; nil when they are not.
    func suspendMethods(_ ids: [UUID], of user: UserID, in tenant: TenantID, since date: Date?) throws {
        guard !ids.isEmpty else { return }
        try run(
            """
            UPDATE strong_methods SET suspended_at = ?
            WHERE tenant = ? AND "user" = ? AND id IN (\(Self.placeholders(ids)))
            """, [date, tenant, user] + ids)
    }

    func noteUse(of method: UUID, of user: UserID, in tenant: TenantID, at date: Date) throws {
        try run(
            """
            UPDATE strong_methods SET first_used_at = COALESCE(first_used_at, ?), last_used_at = ?
            WHERE tenant = ? AND "user" = ? AND id = ?
            """, [date, date, tenant, user, method])
    }

    /// The account is locked, so no other step can have spent the code. The condition is a second protection.
    func spend(_ clock: AppClock, of method: UUID, of user: UserID, in tenant: TenantID) throws {
        try run(
            """
            UPDATE strong_methods SET spent_step = ?, drift = ?, last_offset = ?
            WHERE tenant = ? AND "user" = ? AND id = ? AND spent_step < ?
            """, [clock.spentStep, clock.drift, clock.lastOffset, tenant, user, method, clock.spentStep], expecting: 1)
    }

    func hasCredential(_ credential: MethodCredential, in tenant: TenantID) throws -> Pending<Bool> {
        try rows(
            of: "strong_methods", "SELECT id FROM strong_methods WHERE tenant = ? AND kind = ? AND credential = ?",
            [tenant, credential.kindName, credential.bytes]
        ).map { !$0.isEmpty }
    }

    /// The account is locked, so no other step can have changed the passkey. The condition is a second protection.
    func update(
        _ method: UUID, of user: UserID, in tenant: TenantID, from old: EnrolledPasskey, to new: EnrolledPasskey
    ) throws {
        try run(
            #"UPDATE strong_methods SET passkey = ? WHERE tenant = ? AND "user" = ? AND id = ? AND passkey = ?"#,
            [try new.stored(), tenant, user, method, try old.stored()], expecting: 1)
    }

    /// The account is locked, so no other step can have changed the set. The condition is a second protection.
    func setRecovery(
        _ set: RecoverySet?, of user: UserID, in tenant: TenantID, replacing old: RecoverySet?
    ) throws {
        let condition = old == nil ? "" : "AND recovery = ?"
        try run(
            "UPDATE users SET recovery = ? WHERE tenant = ? AND id = ? \(condition)",
            [try set.map { try $0.stored() }, tenant, user] + (try old.map { [try $0.stored()] } ?? []), expecting: 1)
    }

    /// Keeps the 20 newest networks of the user (`SEC-LOCK-3`).
    func remember(_ network: Data, of user: UserID, in tenant: TenantID, at date: Date) throws {
        try run(
            """
            INSERT INTO known_networks (tenant, "user", network, last_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (tenant, "user", network)
            DO UPDATE SET last_at = \(dialect.greater)(known_networks.last_at, excluded.last_at)
            """, [tenant, user, network, date])
        try run(
            """
            DELETE FROM known_networks WHERE tenant = ? AND "user" = ? AND network NOT IN
                (SELECT network FROM known_networks WHERE tenant = ? AND "user" = ? ORDER BY last_at DESC LIMIT 20)
            """, [tenant, user, tenant, user])
    }

    /// The account, locked against changes until the transaction ends.
    func account(locking id: UserID, in tenant: TenantID) throws -> Pending<UserAccount?> {
        try account("?", [id], in: tenant, locking: dialect.lockingUsers)
    }

    /// The user of the tenant with the id `id`, an expression that uses `values`.
    func account(
        _ id: String, _ values: [any StoredValue], in tenant: TenantID, locking: String
    ) throws -> Pending<UserAccount?> {
        // Each row repeats the user's own columns. A user without any identifier still gives one row, whose kind is
        // NULL.
        let found = try rows(
            of: "users",
            """
            SELECT u.id, u.password_hash, u.created_at, u.credential_version, u.credentials_changed_at, u.disabled_at,
                u.password_from_reset, u.requires_second_factor, u.deletion_due_at, u.tokens_from_version, u.deleted_at, u.recovery, i.kind, i.display,
                i.proven_at
            FROM users AS u
            LEFT JOIN identifiers AS i \(dialect.identifiersByUser) ON i.tenant = u.tenant AND i."user" = u.id
            WHERE u.tenant = ? AND u.id = \(id) \(locking)
            """, [tenant] + values)
        let attributes = try attributes(of: id, values, in: tenant)
        let strongMethods = try strongMethods(of: id, values, in: tenant)
        return found.map { rows in
            guard let row = rows.first else { return nil }
            let names = Dictionary(
                try rows.map { row in
                    let identifier = row.of("identifiers")
                    return (
                        try identifier.value("kind", as: LoginIdentifier.Kind.self),
                        try identifier.value("display", as: String.self)
                    )
                },
                uniquingKeysWith: { first, _ in first })
            guard let email = names[.email] else { throw StoreError.corrupt("identifiers") }
            let passwordHash = try row.value("password_hash", as: String?.self).map { PasswordHash(phc: $0) }
            let emailRow = try rows.first {
                try $0.of("identifiers").value("kind", as: LoginIdentifier.Kind.self) == .email
            }
            let user = User(
                id: try row.value("id"), tenant: tenant, email: email, alias: names[.alias],
                hasPassword: passwordHash != nil, attributes: try attributes.get(),
                createdAt: try row.value("created_at"))
            return UserAccount(
                user: user, passwordHash: passwordHash, credentialVersion: try row.value("credential_version"),
                credentialsChangedAt: try row.value("credentials_changed_at"),
                tokensFromVersion: try row.value("tokens_from_version"),
                emailProvenAt: try emailRow?.of("identifiers").value("proven_at"),
                disabledAt: try row.value("disabled_at", as: Date?.self) ?? row.value("deleted_at"),
                strongMethods: try strongMethods.get(),
                recovery: try row.value("recovery", as: Data?.self).map(RecoverySet.init(stored:)),
                passwordIsFromReset: try row.value("password_from_reset"),
                requiresSecondFactor: try row.value("requires_second_factor"),
                deletionDueAt: try row.value("deletion_due_at"), deletedAt: try row.value("deleted_at"))
        }
    }

    private func attributes(
        of id: String, _ values: [any StoredValue], in tenant: TenantID
    ) throws -> Pending<[String: AttributeValue]> {
        try rows(
            of: "attributes", #"SELECT name, type, value FROM attributes WHERE tenant = ? AND "user" = \#(id)"#,
            [tenant] + values
        ).map { rows in
            Dictionary(
                try rows.map { row in
                    let value: AttributeValue = try row.value("value")
                    guard try row.value("type") == value.typeName else { throw StoreError.corrupt("attributes") }
                    return (try row.value("name", as: String.self), value)
                },
                uniquingKeysWith: { first, _ in first })
        }
    }

    private func strongMethods(
        of id: String, _ values: [any StoredValue], in tenant: TenantID
    ) throws -> Pending<[StrongMethod]> {
        try rows(
            of: "strong_methods",
            """
            SELECT id, email, proven_at, enrolled_under, authenticated_at, client, is_familiar, suspended_at, first_used_at,
                last_used_at, name, kind, secret, spent_step, drift, last_offset, passkey, identity
            FROM strong_methods WHERE tenant = ? AND "user" = \(id) ORDER BY proven_at, id
            """, [tenant] + values
        ).map { rows in
            try rows.map { row in
                let name: String = try row.value("kind")
                let kind: StrongMethod.Kind =
                    switch name {
                    case StrongMethod.mailboxName: .mailbox(try row.value("email"))
                    case StrongMethod.phoneName: .phone(try row.value("email"))
                    case StrongMethod.appName:
                        .app(
                            EnrolledApp(
                                sealedSecret: try row.value("secret"),
                                clock: AppClock(
                                    spentStep: try row.value("spent_step"), drift: try row.value("drift"),
                                    lastOffset: try row.value("last_offset"))))
                    case StrongMethod.passkeyName: .passkey(try EnrolledPasskey(stored: try row.value("passkey")))
                    case StrongMethod.identityName:
                        .identity(
                            try LinkedIdentity(
                                stored: try row.value("identity"), grant: try row.value("secret")))
                    case _: .unknown(name)
                    }
                return StrongMethod(
                    id: try row.value("id"), kind: kind,
                    provenAt: try row.value("proven_at"),
                    enrolment: Enrolment(
                        try row.value("enrolled_under"), authenticatedAt: try row.value("authenticated_at"),
                        client: try row.value("client"), isFamiliarSource: try row.value("is_familiar")),
                    suspendedAt: try row.value("suspended_at"), firstUsedAt: try row.value("first_used_at"),
                    lastUsedAt: try row.value("last_used_at"), name: try row.value("name"))
            }
        }
    }
}

extension StrongMethod {
    /// What the column `kind` has for a mailbox.
    static let mailboxName = "mailbox"

    /// What the column `kind` has.
    var kindName: String {
        switch kind {
        case .mailbox: Self.mailboxName
        case .phone: Self.phoneName
        case .app: Self.appName
        case .passkey: Self.passkeyName
        case .identity: Self.identityName
        case .recoveryCodes: Self.recoveryName
        case .unknown(let name): name
        }
    }

    /// What the columns of an app have.
    var enrolledApp: EnrolledApp? {
        switch kind {
        case .app(let app): app
        case .mailbox, .phone, .passkey, .identity, .recoveryCodes, .unknown: nil
        }
    }

    /// What the column `email` has, which cannot be NULL: an address, a telephone number, or nothing.
    var storedEmail: SQLValue { email?.stored ?? .text(contact?.phone?.text ?? "") }

    /// What an account has once: the address in lower case, the number, or the id.
    var storedKey: SQLValue { (contact?.key).map { .bytes($0) } ?? id.stored }
}

extension EnrolledPasskey {
    /// What the column `passkey` has.
    func stored() throws -> Data { try storedJSON(of: self, in: "strong_methods") }

    fileprivate init(stored: Data) throws { self = try read(stored, in: "strong_methods") }
}

extension LinkedIdentity {
    /// What the column `identity` has; the grant is in the column `secret`.
    func stored() throws -> Data {
        var identity = self
        identity.grant = nil
        return try storedJSON(of: identity, in: "strong_methods")
    }

    fileprivate init(stored: Data, grant: Data?) throws {
        self = try read(stored, in: "strong_methods")
        self.grant = grant
    }
}

extension RecoverySet {
    /// What the column `recovery` has.
    func stored() throws -> Data { try storedJSON(of: self, in: "users") }

    fileprivate init(stored: Data) throws { self = try read(stored, in: "users") }
}

/// Equal values are equal bytes, so that a statement can compare a column with the value that was read.
///
/// - Throws: `StoreError.corrupt` with the table.
private func storedJSON(of value: some Encodable, in table: String) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
        return try encoder.encode(value)
    } catch {
        throw StoreError.corrupt(table)
    }
}

private func read<Value: Decodable>(_ stored: Data, in table: String) throws -> Value {
    do {
        return try JSONDecoder().decode(Value.self, from: stored)
    } catch {
        throw StoreError.corrupt(table)
    }
}
