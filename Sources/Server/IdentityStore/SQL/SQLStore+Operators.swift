package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func operators() async throws(StoreError) -> [OperatorRecord] {
        try await read { session in
            let rows = try session.rows(
                of: "operators",
                """
                SELECT operators."user", operators.role, operators.since, identifiers.display, attributes.value,
                    (SELECT MAX(seen_at) FROM operator_sessions sessions
                     WHERE sessions.tenant = operators.tenant AND sessions."user" = operators."user") AS seen_at
                FROM operators
                JOIN identifiers ON identifiers.tenant = operators.tenant AND identifiers."user" = operators."user"
                    AND identifiers.kind = 'email'
                LEFT JOIN attributes ON attributes.tenant = operators.tenant AND attributes."user" = operators."user"
                    AND attributes.name = 'displayName'
                WHERE operators.tenant = ? ORDER BY operators.since, operators."user"
                """, [OperatorTenant.id])
            return try rows.get().map { row in
                OperatorRecord(
                    user: try row.value("user"), email: try row.value("display"),
                    name: try row.value("value", as: AttributeValue?.self)?.description,
                    role: try row.value("role"), since: try row.value("since"), seenAt: try row.value("seen_at"))
            }
        }
    }

    package func operatorRole(of user: UserID) async throws(StoreError) -> OperatorRole? {
        try await read { session in
            let rows = try session.rows(
                of: "operators", #"SELECT role FROM operators WHERE tenant = ? AND "user" = ?"#,
                [OperatorTenant.id, user])
            return try rows.get().first?.value("role")
        }
    }

    package func changeOperators<Answer: Sendable>(
        decide: @escaping @Sendable (_ roles: [UserID: OperatorRole]) -> (change: OperatorChange?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write([.operators]) { session in
            let rows = try session.rows(
                of: "operators", #"SELECT "user", role FROM operators WHERE tenant = ?"#, [OperatorTenant.id])
            let roles: [UserID: OperatorRole] = try rows.get().reduce(into: [:]) {
                $0[try $1.value("user")] = try $1.value("role") as OperatorRole
            }
            let (change, answer) = decide(roles)
            guard let change else { return answer }
            if let role = change.role {
                try session.run(
                    #"UPDATE operators SET role = ? WHERE tenant = ? AND "user" = ?"#,
                    [role, OperatorTenant.id, change.user], expecting: 1)
                // Only owners invite.
                if role != .owner {
                    try session.run(
                        "DELETE FROM operator_invitations WHERE tenant = ? AND inviter = ?",
                        [OperatorTenant.id, change.user])
                }
            } else {
                try session.run(
                    #"DELETE FROM operators WHERE tenant = ? AND "user" = ?"#, [OperatorTenant.id, change.user],
                    expecting: 1)
            }
            try session.insert(change.event)
            return answer
        }
    }

    package func addInvitation(
        _ invitation: OperatorInvitation, recording event: AuditEvent
    ) async throws(StoreError) -> Bool {
        try await write([.operators]) { session in
            if let inviter = invitation.inviter {
                // In this transaction, which the change of the rule waits for (SEC-ENR-12).
                guard try !session.needsTwoOperators().get() else { return false }
                let rows = try session.rows(
                    of: "operators", #"SELECT role FROM operators WHERE tenant = ? AND "user" = ?"#,
                    [OperatorTenant.id, inviter])
                guard try rows.get().first?.value("role", as: OperatorRole.self) == .owner else { return false }
            }
            try session.run(
                """
                INSERT INTO operator_invitations (tenant, digest, role, until, inviter, attempts)
                VALUES (?, ?, ?, ?, ?, 0)
                """,
                [OperatorTenant.id, invitation.digest, invitation.role, invitation.until, invitation.inviter])
            try session.insert(event)
            return true
        }
    }

    package func invitations(now: Date) async throws(StoreError) -> [OperatorInvitation] {
        try await read { session in
            let rows = try session.rows(
                of: "operator_invitations",
                """
                SELECT digest, role, until, inviter FROM operator_invitations WHERE tenant = ? AND until > ?
                ORDER BY until, digest
                """, [OperatorTenant.id, now])
            return try rows.get().map {
                OperatorInvitation(
                    digest: try $0.value("digest"), role: try $0.value("role"), until: try $0.value("until"),
                    inviter: try $0.value("inviter"))
            }
        }
    }

    package func removeInvitation(_ digest: Data, recording event: AuditEvent) async throws(StoreError) {
        try await write([.operators]) { session in
            let removed = try session.change(
                "DELETE FROM operator_invitations WHERE tenant = ? AND digest = ?", [OperatorTenant.id, digest])
            if removed == 1 { try session.insert(event) }
        }
    }

    package func tryInvitation(
        _ digest: Data, now: Date, most: Int
    ) async throws(StoreError) -> OperatorRole? {
        try await write([.operators]) { session in
            let counted = try session.change(
                """
                UPDATE operator_invitations SET attempts = attempts + 1
                WHERE tenant = ? AND digest = ? AND until > ? AND attempts < ?
                """, [OperatorTenant.id, digest, now, most])
            guard counted == 1 else { return nil }
            let rows = try session.rows(
                of: "operator_invitations", "SELECT role FROM operator_invitations WHERE tenant = ? AND digest = ?",
                [OperatorTenant.id, digest])
            return try rows.get().first?.value("role")
        }
    }

    package func acceptInvitation(
        _ digest: Data, for user: UserID, now: Date, recording event: AuditEvent
    ) async throws(StoreError) -> OperatorRole? {
        try await write([.operators]) { session in
            let rows = try session.rows(
                of: "operator_invitations",
                "SELECT role FROM operator_invitations WHERE tenant = ? AND digest = ? AND until > ?",
                [OperatorTenant.id, digest, now])
            guard let role = try rows.get().first?.value("role", as: OperatorRole.self) else { return nil }
            // The number of deleted rows decides between parallel uses.
            let used = try session.change(
                "DELETE FROM operator_invitations WHERE tenant = ? AND digest = ?", [OperatorTenant.id, digest])
            guard used == 1 else { return nil }
            try session.run(
                """
                INSERT INTO operators (tenant, "user", role, since) VALUES (?, ?, ?, ?)
                ON CONFLICT (tenant, "user") DO UPDATE SET role = excluded.role
                """, [OperatorTenant.id, user, role, now], expecting: 1)
            var event = event
            event.detail = role.rawValue
            try session.insert(event)
            return role
        }
    }

    package func openSession(_ session: OperatorSession) async throws(StoreError) {
        try await write([]) { database in
            try database.run(
                """
                INSERT INTO operator_sessions (tenant, digest, "user", credential_version, proven_at, seen_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    OperatorTenant.id, session.digest, session.user, session.credentialVersion, session.provenAt,
                    session.seenAt,
                ])
        }
    }

    package func operatorSession(_ digest: Data) async throws(StoreError) -> OperatorSession? {
        try await read { session in
            let rows = try session.rows(
                of: "operator_sessions",
                """
                SELECT "user", credential_version, proven_at, seen_at FROM operator_sessions
                WHERE tenant = ? AND digest = ?
                """, [OperatorTenant.id, digest])
            return try rows.get().first.map {
                OperatorSession(
                    digest: digest, user: try $0.value("user"),
                    credentialVersion: try $0.value("credential_version"), provenAt: try $0.value("proven_at"),
                    seenAt: try $0.value("seen_at"))
            }
        }
    }

    package func touchSession(_ digest: Data, at date: Date) async throws(StoreError) {
        try await write([]) { session in
            try session.run(
                "UPDATE operator_sessions SET seen_at = ? WHERE tenant = ? AND digest = ?",
                [date, OperatorTenant.id, digest], expecting: nil)
        }
    }

    package func closeSession(_ digest: Data) async throws(StoreError) {
        try await write([]) { session in
            try session.run(
                "DELETE FROM operator_sessions WHERE tenant = ? AND digest = ?", [OperatorTenant.id, digest],
                expecting: nil)
        }
    }
}
