package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func sealAudit(
        limit: Int,
        link: @escaping @Sendable (AuditHead?, TenantID, [AuditLine]) -> (seals: [Data], head: AuditHead)?
    ) async throws(StoreError) -> AuditSealing {
        try await write([.auditChain]) { session in
            var sealing = AuditSealing()
            let waiting = try session.rows(
                of: "audit",
                session.dialect.tenantsWithUnsealedLines, [])
            for row in try waiting.get() {
                let tenant: TenantID = try row.value("tenant")
                let head = try session.auditHead(of: tenant)
                let found = try session.auditLines(
                    of: tenant, "AND position IS NULL ORDER BY seq LIMIT ?", [limit])
                let lines = try found.get()
                guard let (seals, end) = link(try head.get(), tenant, lines) else {
                    sealing.broken.append(tenant)
                    continue
                }
                try session.seal(lines, seals, upTo: end.position, of: tenant)
                // Places are given once: the end must still be the one that was continued.
                try session.run(
                    """
                    INSERT INTO audit_heads (tenant, position, seal, anchor) VALUES (?, ?, ?, ?)
                    ON CONFLICT (tenant) DO UPDATE
                    SET position = excluded.position, seal = excluded.seal, anchor = excluded.anchor
                    WHERE audit_heads.position = ?
                    """, [tenant, end.position, end.seal, end.anchor, end.position - lines.count], expecting: 1)
                // Each line is sealed once, so it is counted once; and not in the transaction of the request.
                try session.add(ActivityCounts(of: lines), for: tenant)
                sealing.count += lines.count
                sealing.mayBeMore = sealing.mayBeMore || lines.count == limit
                sealing.heads[tenant] = end
            }
            return sealing
        }
    }

    package func cutAudit(
        of tenant: TenantID, before date: Date, sparing seq: Int, limit: Int,
        check: @escaping @Sendable (AuditHead, [AuditLine]) -> AuditStart?
    ) async throws(StoreError) -> Int? {
        try await write([.auditChain]) { session in
            guard let head = try session.auditHead(of: tenant).get() else { return 0 }
            let first = try session.auditLines(
                of: tenant, "AND position > ? ORDER BY position LIMIT ?", [head.start?.position ?? 0, limit]
            ).get()
            let old = Array(first.prefix { $0.at < date && $0.seq >= seq })
            guard !old.isEmpty else { return 0 }
            guard let start = check(head, old) else { return nil }
            try session.run(
                "DELETE FROM audit WHERE tenant = ? AND position > ? AND position <= ?",
                [tenant, head.start?.position ?? 0, start.position], expecting: old.count)
            try session.moveAuditStart(of: tenant, to: start)
            return old.count
        }
    }

    /// The table is whole.
    package func partitionAudit() async throws(StoreError) -> AuditPartitioning? { nil }

    /// The table is whole.
    package func dropAuditPartition(
        before end: @escaping @Sendable (TenantID) -> Date,
        check: @escaping @Sendable (TenantID, AuditHead, [AuditLine]) -> AuditStart?
    ) async throws(StoreError) -> AuditPartitionEnd { .distant }

    package func auditLines(
        of tenant: TenantID, after position: Int, limit: Int
    ) async throws(StoreError) -> [AuditLine] {
        try await read { session in
            try session.auditLines(of: tenant, "AND position > ? ORDER BY position LIMIT ?", [position, limit]).get()
        }
    }

    package func auditHead(of tenant: TenantID) async throws(StoreError) -> AuditHead? {
        try await read { try $0.auditHead(of: tenant).get() }
    }

    /// When the newest line of all tenants was written, by the clock of that time; nil in an empty database. Everything
    /// that was to end before this time has ended (`REL-TIME-2`).
    package func lastAuditTime() async throws(StoreError) -> Date? {
        try await read { session in
            let rows = try session.rows(
                of: "audit",
                """
                SELECT at FROM audit JOIN (
                    SELECT heads.tenant, (SELECT MAX(seq) FROM audit WHERE audit.tenant = heads.tenant) AS newest
                    FROM audit_heads heads
                ) lines ON audit.tenant = lines.tenant AND audit.seq = lines.newest
                ORDER BY seq DESC LIMIT 1
                """, [])
            return try rows.get().first?.value("at")
        }
    }

    package func auditedTenants() async throws(StoreError) -> [TenantID] {
        try await read { session in
            try session.rows(
                of: "audit",
                """
                SELECT tenant FROM audit_heads
                UNION SELECT tenant FROM audit \(session.dialect.unsealedLines) WHERE position IS NULL
                """, []
            ).get().map { try $0.value("tenant") }
        }
    }

    package func unsealedAuditLines(of tenant: TenantID) async throws(StoreError) -> Int {
        try await read { session in
            let rows = try session.rows(
                of: "audit", "SELECT COUNT(*) AS count FROM audit WHERE tenant = ? AND position IS NULL", [tenant])
            return try rows.get().first?.value("count") ?? 0
        }
    }

    package func auditEvents(
        of tenant: TenantID, after seq: Int, limit: Int
    ) async throws(StoreError) -> [RecordedEvent] {
        try await read { session in
            try session.rows(
                of: "audit",
                """
                SELECT seq, kind, at, client, flow, "user", detail, source, profile, position FROM audit
                WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?
                """, [tenant, seq, limit]
            ).get().map { try $0.recordedEvent(of: tenant) }
        }
    }

    package func events(
        of user: UserID, in tenant: TenantID, limit: Int
    ) async throws(StoreError) -> [RecordedEvent] {
        try await read { session in
            let columns = #"SELECT seq, kind, at, client, flow, "user", detail, source, profile, position FROM audit"#
            let sealed = try session.rows(
                of: "audit",
                """
                \(columns) WHERE tenant = ? AND "user" = ? AND position IS NOT NULL ORDER BY seq DESC LIMIT ?
                """, [tenant, user, limit])
            // Those of the last seconds, of all users.
            let unsealed = try session.rows(
                of: "audit",
                """
                \(columns) \(session.dialect.unsealedLines) WHERE tenant = ? AND position IS NULL AND "user" = ?
                ORDER BY seq DESC LIMIT ?
                """, [tenant, user, limit])
            let events = try (sealed.get() + unsealed.get()).map { try $0.recordedEvent(of: tenant) }
            return Array(events.sorted { $0.seq > $1.seq }.prefix(limit))
        }
    }
}

extension StoredRow {
    func recordedEvent(of tenant: TenantID) throws -> RecordedEvent {
        RecordedEvent(
            seq: try value("seq"), position: try value("position"),
            event: AuditEvent(
                try value("kind"), at: try value("at"), tenant: tenant, client: try value("client"),
                flow: try value("flow"), user: try value("user"), detail: try value("detail"),
                source: try value("source")),
            profile: try value("profile"))
    }
}

extension SQLSession {
    /// Gives unsealed lines of one tenant their places, which end at `last`, and their seals: on PostgreSQL few
    /// statements for many lines, on SQLite one a line.
    fileprivate func seal(_ lines: [AuditLine], _ seals: [Data], upTo last: Int, of tenant: TenantID) throws {
        let first = last - lines.count + 1
        if case .sqlite = dialect {
            // A statement costs no round trip there, but a list of values costs a temporary table.
            for (index, sealed) in zip(lines, seals).enumerated() {
                try run(
                    "UPDATE audit SET position = ?, seal = ? WHERE tenant = ? AND seq = ? AND position IS NULL",
                    [first + index, sealed.1, tenant, sealed.0.seq], expecting: 1)
            }
            return
        }
        var rest = Array(zip(lines, seals).enumerated())[...]
        while let least = rest.first?.element.0.seq {
            let portion = rest.prefix(RowInsertion.length(of: rest.count))
            rest = rest.dropFirst(portion.count)
            // The types of a list are those of its first row.
            let rows =
                ["(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS \(dialect.bytes)))"]
                + repeatElement("(?, ?, ?)", count: portion.count - 1)
            let values: [any StoredValue] = portion.flatMap { index, sealed -> [any StoredValue] in
                [sealed.0.seq, first + index, sealed.1]
            }
            try run(
                """
                UPDATE audit SET position = line.column2, seal = line.column3
                FROM (VALUES \(rows.joined(separator: ", "))) AS line
                WHERE tenant = ? AND seq = line.column1 AND position IS NULL AND seq >= ? AND seq <= ?
                """, values + [tenant, least, portion.last?.element.0.seq ?? least], expecting: portion.count)
        }
    }

    /// Stores the new start of a chain whose first lines are removed in the same transaction.
    package func moveAuditStart(of tenant: TenantID, to start: AuditStart) throws {
        try run(
            "UPDATE audit_heads SET start_position = ?, start_seal = ?, start_anchor = ? WHERE tenant = ?",
            [start.position, start.seal, start.anchor, tenant], expecting: 1)
    }

    /// The lines of a tenant for which `condition` holds. Reads values as they are stored, so that a changed line can
    /// still be named.
    package func auditLines(
        of tenant: TenantID, _ condition: String, _ values: [any StoredValue]
    ) throws -> Pending<[AuditLine]> {
        try rows(
            of: "audit",
            """
            SELECT seq, position, seal, kind, at, client, flow, "user", detail, source, profile FROM audit
            WHERE tenant = ? \(condition)
            """, [tenant] + values
        ).map { rows in
            try rows.map { row in
                var content = try ["kind", "at", "client", "flow", "user", "detail", "source", "profile"].map {
                    column in
                    try row.value(column, as: SQLValue.self)
                }
                // A line from before these two columns existed is sealed without them.
                if content.suffix(2) == [.null, .null] { content.removeLast(2) }
                return AuditLine(
                    seq: try row.value("seq"), position: try row.value("position"), seal: try row.value("seal"),
                    content: content.map(\.bytes), at: try row.value("at"),
                    kind: AuditEvent.Kind.restore(try row.value("kind", as: SQLValue.self)))
            }
        }
    }

    /// The ends of a tenant's chain; nil before the first line was sealed.
    package func auditHead(of tenant: TenantID) throws -> Pending<AuditHead?> {
        try rows(of: "audit_heads", "SELECT * FROM audit_heads WHERE tenant = ?", [tenant]).map { rows in
            try rows.first.map { row in
                let start = try row.value("start_position", as: Int?.self).map { position in
                    AuditStart(
                        position: position, seal: try row.value("start_seal"), anchor: try row.value("start_anchor"))
                }
                return AuditHead(
                    position: try row.value("position"), seal: try row.value("seal"),
                    anchor: try row.value("anchor"), start: start)
            }
        }
    }
}

extension SQLValue {
    /// The type of the value, then the value: different values give different bytes.
    fileprivate var bytes: Data {
        var written: [UInt8]
        switch self {
        case .null: written = [0]
        case .integer(let integer):
            written = [1]
            withUnsafeBytes(of: integer.bigEndian) { written.append(contentsOf: $0) }
        case .text(let text):
            written = [2]
            written.append(contentsOf: text.utf8)
        case .bytes(let bytes):
            written = [3]
            bytes.withUnsafeBytes { written.append(contentsOf: $0) }
        }
        return Data(copying: written)
    }
}
