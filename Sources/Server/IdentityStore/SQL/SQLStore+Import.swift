package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func importProgress(_ digest: Data, in tenant: TenantID) async throws(StoreError) -> ImportProgress? {
        try await read { session in try session.progress(of: digest, in: tenant, locking: "") }
    }

    package func importFacts(_ query: ImportQuery, in tenant: TenantID) async throws(StoreError) -> ImportFacts {
        try await read { session in try session.importFacts(query, in: tenant) }
    }

    package func importUsers<Answer: Sendable>(
        _ query: ImportQuery, of digest: Data, after before: ImportProgress, in tenant: TenantID,
        decide: @escaping @Sendable (ImportFacts) -> (change: ImportChange, answer: Answer)
    ) async throws(StoreError) -> Answer? {
        // No lock on each name: they are too many. The unique key decides between this and a sign-up.
        try await write([.importing(digest, in: tenant)]) { session in
            let stored = try session.progress(of: digest, in: tenant, locking: session.dialect.lockingRows)
            guard (stored ?? ImportProgress(begunAt: before.begunAt)) == before else { return nil }
            let (change, answer) = decide(try session.importFacts(query, in: tenant))
            try session.insert(change.users)
            for effect in change.effects { try session.apply(effect, in: tenant) }
            try session.store(change.progress, of: digest, isLast: change.isLast, in: tenant)
            return answer
        }
    }
}

extension SQLSession {
    fileprivate func importFacts(_ query: ImportQuery, in tenant: TenantID) throws -> ImportFacts {
        let owners = try owners(of: padded(query.names), in: tenant)
        let ids = try known(padded(query.ids), in: tenant)
        let reserved = try reserved(padded(query.marks), in: tenant)
        let deleted = try deleted(padded(query.deletionMarks), in: tenant)
        var credentials: Set<MethodCredential> = []
        // Most imports have none.
        if !query.credentials.isEmpty {
            let passkeys = query.credentials.compactMap { if case .passkey(let id) = $0 { id } else { nil } }
            let identities = query.credentials.compactMap { if case .identity(let key) = $0 { key } else { nil } }
            let (one, other) = (
                try taken(padded(passkeys), of: MethodCredential.passkey, in: tenant),
                try taken(padded(identities), of: MethodCredential.identity, in: tenant)
            )
            credentials = try one.get().union(try other.get())
        }
        return ImportFacts(
            owners: try owners.get(), ids: try ids.get(), reserved: try reserved.get(), deleted: try deleted.get(),
            credentials: credentials)
    }

    /// Those that users have.
    private func taken(
        _ credentials: [Data], of kind: @escaping @Sendable (Data) -> MethodCredential, in tenant: TenantID
    ) throws -> Pending<Set<MethodCredential>> {
        guard let first = credentials.first else { return Pending([]) }
        return try rows(
            of: "strong_methods",
            """
            SELECT credential FROM strong_methods
            WHERE tenant = ? AND kind = ? AND credential IN (\(Self.placeholders(credentials)))
            """, [tenant, kind(first).kindName] + credentials
        ).map { rows in Set(try rows.map { kind(try $0.value("credential")) }) }
    }

    /// The values with the last one repeated, because a statement of each length stays prepared.
    private func padded<Value>(_ values: [Value]) -> [Value] {
        guard let last = values.last else { return [] }
        let length = [16, 256, 1024].first { $0 >= values.count } ?? values.count
        return values + Array(repeating: last, count: length - values.count)
    }

    fileprivate func progress(of digest: Data, in tenant: TenantID, locking: String) throws -> ImportProgress? {
        try rows(
            of: "imports",
            """
            SELECT records, created, updated, skipped, refused, begun_at FROM imports
            WHERE tenant = ? AND digest = ? \(locking)
            """, [tenant, digest]
        ).get().first.map { row in
            ImportProgress(
                records: try row.value("records"), created: try row.value("created"),
                updated: try row.value("updated"), skipped: try row.value("skipped"),
                refused: try row.value("refused"), begunAt: try row.value("begun_at"))
        }
    }

    fileprivate func store(
        _ progress: ImportProgress, of digest: Data, isLast: Bool, in tenant: TenantID
    ) throws {
        guard !isLast else {
            return try run("DELETE FROM imports WHERE tenant = ? AND digest = ?", [tenant, digest])
        }
        try run(
            """
            INSERT INTO imports (tenant, digest, records, created, updated, skipped, refused, begun_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (tenant, digest) DO UPDATE SET records = excluded.records, created = excluded.created,
                updated = excluded.updated, skipped = excluded.skipped, refused = excluded.refused
            """,
            [
                tenant, digest, progress.records, progress.created, progress.updated, progress.skipped,
                progress.refused, progress.begunAt,
            ])
    }

    fileprivate func owners(
        of keys: [LoginIdentifier.Key], in tenant: TenantID
    ) throws -> Pending<[LoginIdentifier.Key: UserID]> {
        guard !keys.isEmpty else { return Pending([:]) }
        return try rows(
            of: "identifiers",
            #"SELECT key, "user" FROM identifiers WHERE tenant = ? AND key IN (\#(Self.placeholders(keys)))"#,
            [tenant] + keys
        ).map { rows in
            try rows.reduce(into: [:]) { $0[try $1.value("key")] = try $1.value("user", as: UserID.self) }
        }
    }

    /// Those that users or groups have.
    fileprivate func known(_ ids: [UserID], in tenant: TenantID) throws -> Pending<Set<UserID>> {
        guard !ids.isEmpty else { return Pending([]) }
        return try rows(
            of: "users",
            """
            SELECT id FROM users WHERE tenant = ? AND id IN (\(Self.placeholders(ids)))
            UNION ALL SELECT id FROM user_groups WHERE tenant = ? AND id IN (\(Self.placeholders(ids)))
            """, [tenant] + ids + [tenant] + ids
        ).map { rows in Set(try rows.map { try $0.value("id") }) }
    }

    fileprivate func deleted(_ marks: [Data], in tenant: TenantID) throws -> Pending<Set<Data>> {
        guard !marks.isEmpty else { return Pending([]) }
        return try rows(
            of: "deletions",
            "SELECT mark FROM deletions WHERE tenant = ? AND mark IN (\(Self.placeholders(marks)))", [tenant] + marks
        ).map { rows in Set(try rows.map { try $0.value("mark") }) }
    }

    /// The same rows as ``insert(_:)`` of one user, in few statements.
    fileprivate func insert(_ imported: [ImportedUser]) throws {
        var users = RowInsertion(
            "users",
            [
                "tenant", "id", "client", "password_hash", "created_at", "credentials_changed_at", "disabled_at",
                "password_from_reset", "requires_second_factor",
            ])
        var names = RowInsertion(
            "identifiers", ["tenant", "key", "kind", "display", "user", "proven_at", "proof"])
        var attributes = RowInsertion("attributes", ["tenant", "user", "name", "type", "value"])
        var methods = RowInsertion(
            "strong_methods",
            [
                "tenant", "user", "id", "email", "key", "proven_at", "enrolled_under", "authenticated_at", "name",
                "suspended_at", "kind", "secret", "spent_step", "drift", "last_offset", "credential", "passkey",
                "identity",
            ])
        for one in imported {
            let user = one.user
            try users.append(
                values(
                    user.tenant, user.id, user.client, user.passwordHash?.phc, user.createdAt, user.createdAt,
                    one.disabledAt, one.passwordIsFromReset, one.requiresSecondFactor), self)
        }
        try users.flush(self)
        for one in imported {
            let user = one.user
            for name in user.identifiers {
                let isEmail = name.kind == .email
                try names.append(
                    values(
                        user.tenant, name.key, name.kind, name.display, user.id, isEmail ? one.emailProvenAt : nil,
                        isEmail ? user.emailProof.rawValue : nil), self)
            }
            for (name, value) in user.attributes {
                try attributes.append(values(user.tenant, user.id, name, value.typeName, value), self)
            }
            for method in one.strongMethods {
                if let identity = method.identity { try forgetOthers(of: identity, in: user.tenant) }
                try methods.append(
                    values(
                        user.tenant, user.id, method.id, method.storedEmail, method.storedKey, method.provenAt,
                        method.enrolment.strength, method.enrolment.authenticatedAt, method.name, method.suspendedAt,
                        method.kindName, method.enrolledApp?.sealedSecret, method.enrolledApp?.clock.spentStep,
                        method.enrolledApp?.clock.drift, method.enrolledApp?.clock.lastOffset,
                        method.credential?.bytes, try method.passkey?.stored(), try method.identity?.stored()), self)
            }
        }
        try names.flush(self)
        try attributes.flush(self)
        try methods.flush(self)
    }

    private func values(_ values: any StoredValue...) throws -> [SQLValue] { try values.map { try $0.stored } }
}
