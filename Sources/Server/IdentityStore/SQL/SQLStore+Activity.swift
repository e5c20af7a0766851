package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func activity(
        of tenant: TenantID, in span: ActivitySpan, now: Date
    ) async throws(StoreError) -> [ActivityCount] {
        try await read { session in
            let rows = try session.rows(
                of: "activity",
                "SELECT start, kind, number FROM activity WHERE tenant = ? AND resolution = ? AND start >= ?",
                [tenant, span.resolution, span.start(now: now)])
            return try rows.get().compactMap { row in
                try Activity(number: row.value("kind")).map {
                    ActivityCount(start: try row.value("start"), activity: $0, number: try row.value("number"))
                }
            }
        }
    }

    package func addActivity(_ counts: [ActivityCount], to tenant: TenantID) async throws(StoreError) {
        try await write([]) { try $0.add(ActivityCounts(counts), for: tenant) }
    }
}

/// Counts by minute and kind.
struct ActivityCounts {
    private var numbers: [[Int]: Int] = [:]

    init(_ counts: [ActivityCount]) {
        for count in counts { add(count.number, of: count.activity, at: count.start) }
    }

    init(of lines: [AuditLine]) {
        for line in lines {
            if let activity = line.kind.flatMap({ Activity($0) }) { add(1, of: activity, at: line.at) }
        }
    }

    private mutating func add(_ number: Int, of activity: Activity, at date: Date) {
        let second = Int(date.timeIntervalSince1970.rounded(.down))
        for resolution in [60, 3_600] {
            numbers[[resolution, second / resolution * resolution, activity.number], default: 0] += number
        }
    }

    /// In the order of the key: transactions that add to the same rows lock them one after another.
    var rows: [(resolution: Int, start: Date, kind: Int, number: Int)] {
        numbers.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, number in
            (key[0], Date(timeIntervalSince1970: Double(key[1])), key[2], number)
        }
    }
}

extension SQLSession {
    func add(_ counts: ActivityCounts, for tenant: TenantID) throws {
        for row in counts.rows {
            try run(
                """
                INSERT INTO activity (tenant, resolution, start, kind, number) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (tenant, resolution, start, kind) DO UPDATE SET number = activity.number + excluded.number
                """, [tenant, row.resolution, row.start, row.kind, row.number], expecting: 1)
        }
    }
}
