package import IdentityEngine
package import NativeAuthCore
import PortableFoundation

extension SQLStore {
    package func auditPage(_ query: AuditQuery, in tenant: TenantID) async throws(StoreError) -> AuditPage {
        try await search { try $0.auditPage(query, in: tenant) }
    }
}

extension SQLSession {
    /// How many lines a page looks at: those of a user, or all of the tenant.
    private static var looksAt: Int { 10_000 }
    /// How far the times of two lines and their numbers may disagree: a number is given when a transaction begins to
    /// write, and nodes have clocks of their own.
    private static var disorder: TimeInterval { 600 }
    private static var columns: String { #"seq, kind, at, client, flow, "user", detail, source, profile, position"# }

    fileprivate func auditPage(_ query: AuditQuery, in tenant: TenantID) throws -> AuditPage {
        guard !query.kinds.isEmpty else { return AuditPage([], next: nil) }
        let lines = try lines(of: query, in: tenant)
        let place = query.after == nil ? "seq" : "position"
        var text = SQLText("SELECT \(Self.columns) FROM (\(lines.sql)) AS line", lines.values)
        let kinds = query.kinds.sorted { $0.rawValue < $1.rawValue }
        var conditions = [SQLText("kind IN (\(Self.placeholders(kinds)))", kinds)]
        if let since = query.since { conditions.append(SQLText("at >= ?", [since])) }
        if let until = query.until { conditions.append(SQLText("at <= ?", [until])) }
        if let user = query.user { conditions.append(SQLText(#""user" = ?"#, [user])) }
        if let client = query.client { conditions.append(SQLText("client = ?", [client])) }
        text = .joined([text, .joined(conditions, by: " AND ")], by: " WHERE ")
        text = SQLText("\(text.sql) ORDER BY \(place) DESC LIMIT ?", text.values + [query.limit])
        let events = try rowsOnce(of: "audit", text).get().map { try $0.recordedEvent(of: tenant) }
        if events.count == query.limit, let last = events.last {
            return AuditPage(events, next: query.after == nil ? last.seq : last.position)
        }
        // Where the look ended, if it did not reach the oldest line.
        let end = try rowsOnce(
            of: "audit",
            SQLText("SELECT COUNT(*) AS count, MIN(\(place)) AS least FROM (\(lines.sql)) AS line", lines.values)
        ).get().first
        let count: Int = try end?.value("count") ?? 0
        return AuditPage(events, next: count < Self.looksAt ? nil : try end?.value("least", as: Int?.self))
    }

    /// The newest lines that can be in question, by an index. The numbers that belong to times are found by bisection.
    private func lines(of query: AuditQuery, in tenant: TenantID) throws -> SQLText {
        if let after = query.after {
            return SQLText(
                """
                SELECT * FROM audit WHERE tenant = ? AND position > ? AND position < ?
                ORDER BY position DESC LIMIT \(Self.looksAt)
                """, [tenant, after, query.before ?? .max])
        }
        var range = 0..<max(query.before ?? .max, 0)
        if let since = query.since {
            let first = try firstLine(of: tenant, at: since.addingTimeInterval(-Self.disorder))
            range = min(first, range.upperBound)..<range.upperBound
        }
        if let until = query.until {
            let end = try firstLine(of: tenant, at: until.addingTimeInterval(Self.disorder))
            range = range.lowerBound..<max(range.lowerBound, min(end, range.upperBound))
        }
        let values: [any StoredValue] = [tenant, range.lowerBound, range.upperBound]
        let newest = "ORDER BY seq DESC LIMIT \(Self.looksAt)"
        guard let user = query.user else {
            return SQLText("SELECT * FROM audit WHERE tenant = ? AND seq >= ? AND seq < ? \(newest)", values)
        }
        // The index of a user's lines has the sealed ones; the others are those of the last seconds, of all users.
        return SQLText(
            """
            SELECT * FROM (
                SELECT * FROM (
                    SELECT \(Self.columns) FROM audit
                    WHERE tenant = ? AND seq >= ? AND seq < ? AND "user" = ? AND position IS NOT NULL \(newest)
                ) AS sealed
                UNION ALL SELECT * FROM (
                    SELECT \(Self.columns) FROM audit \(dialect.unsealedLines)
                    WHERE tenant = ? AND seq >= ? AND seq < ? AND "user" = ? AND position IS NULL \(newest)
                ) AS unsealed
            ) AS own \(newest)
            """, values + [user] + values + [user])
    }

    /// The number of the first line from `date` on, as if numbers and times had one order; a number above all lines when
    /// there is none.
    private func firstLine(of tenant: TenantID, at date: Date) throws -> Int {
        func line(_ condition: String, _ values: [any StoredValue]) throws -> (seq: Int, at: Date)? {
            let found = try rows(
                of: "audit", "SELECT seq, at FROM audit WHERE tenant = ? \(condition) LIMIT 1", [tenant] + values)
            return try found.get().first.map { (try $0.value("seq"), try $0.value("at")) }
        }
        guard let newest = try line("ORDER BY seq DESC", []), newest.at >= date else { return .max }
        var (low, high) = (try line("ORDER BY seq", [])?.seq ?? 0, newest.seq)
        // The first line is never before `low` and never behind `high`.
        while low < high {
            let middle = low + (high - low) / 2
            guard let found = try line("AND seq >= ? ORDER BY seq", [middle]) else { return high }
            if found.at >= date { high = middle } else { low = found.seq + 1 }
        }
        return high
    }
}
