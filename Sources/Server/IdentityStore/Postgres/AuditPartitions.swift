package import IdentityEngine
import IdentityStoreSQL
package import NativeAuthCore
package import PortableFoundation
import Synchronization

/// A partition of the table `audit` (`docs/design/0027-partitions.md`).
///
/// Partition n has the lines numbered from n · ``stride`` on. Lines go into the next one when housekeeping, which has
/// made it, sets the sequence of numbers to its first number. So the partition of a new line always exists, also when
/// housekeeping fails for years.
struct AuditPartition: Hashable, Comparable {
    /// More lines than are written between two runs of housekeeping. A number stays exact in JSON for 90 000 partitions.
    static let stride = 100_000_000_000
    private static let prefix = "audit_"

    let number: Int

    var name: String { "\(Self.prefix)\(number)" }
    /// The numbers of its lines.
    var lines: Range<Int> { number * Self.stride..<(number + 1) * Self.stride }
    var next: AuditPartition { AuditPartition(number: number + 1) }

    static func < (one: AuditPartition, other: AuditPartition) -> Bool { one.number < other.number }

    init(number: Int) {
        self.number = number
    }

    /// Nil when a table of this name is not one of ours.
    init?(name: String) {
        guard name.hasPrefix(Self.prefix), let number = Int(name.dropFirst(Self.prefix.count)), number >= 0 else {
            return nil
        }
        self.number = number
    }

    /// The next number of a line comes from it.
    static let sequence = "pg_get_serial_sequence('audit', 'seq')::regclass"

    /// Tells PostgreSQL that the lines are in the range of the first partition. It then does not look at them while the
    /// table is locked.
    static let constraint = "audit_range"

    /// Makes the table `audit` the first partition of a new one. Its index of tenant and number is the same as its key.
    /// The index of positions is one of each partition, because a unique index of the whole must contain `seq`.
    static let division = [
        "DROP INDEX audit_by_tenant",
        "ALTER TABLE audit RENAME TO audit_0",
        "ALTER INDEX audit_pkey RENAME TO audit_0_pkey",
        "ALTER INDEX audit_by_position RENAME TO audit_0_by_position",
        "ALTER INDEX audit_unsealed RENAME TO audit_0_unsealed",
        "ALTER INDEX audit_by_user RENAME TO audit_0_by_user",
        "CREATE TABLE audit (LIKE audit_0, PRIMARY KEY (tenant, seq)) PARTITION BY RANGE (seq)",
        "CREATE INDEX audit_unsealed ON audit (tenant, seq) WHERE position IS NULL",
        #"CREATE INDEX audit_by_user ON audit (tenant, "user", seq) WHERE position IS NOT NULL AND "user" IS NOT NULL"#,
        "ALTER TABLE audit ALTER seq ADD GENERATED ALWAYS AS IDENTITY",
        "SELECT setval(\(sequence), last_value, is_called) FROM audit_seq_seq",
        "ALTER TABLE audit_0 ALTER seq DROP IDENTITY",
        "ALTER TABLE audit ATTACH PARTITION audit_0 FOR VALUES FROM (MINVALUE) TO (\(stride))",
        "ALTER TABLE audit_0 DROP CONSTRAINT IF EXISTS \(constraint)",
    ]

    /// Makes the next partition, with the same indexes.
    var creationOfNext: [String] {
        let range = next.lines
        return [
            "CREATE TABLE \(next.name) (LIKE \(name) INCLUDING INDEXES)",
            """
            ALTER TABLE audit ATTACH PARTITION \(next.name)
            FOR VALUES FROM (\(range.lowerBound)) TO (\(range.upperBound))
            """,
        ]
    }
}

/// The table `audit` as it is.
private struct AuditTable {
    /// In order; empty when the table is whole.
    var partitions: [AuditPartition]
    /// The highest number that a line was given, or 0.
    var last: Int

    /// The partition that new lines go into; nil when the table is whole.
    var current: AuditPartition? { partitions.last { $0.lines.lowerBound <= last } ?? partitions.first }
    /// The oldest partition, if new lines no longer go into it.
    var oldestFull: AuditPartition? { partitions.first.flatMap { $0.lines.upperBound <= last ? $0 : nil } }
}

/// The lines of a tenant in a partition, in short.
private struct LinesInPartition: Hashable {
    let tenant: TenantID
    /// When the line with the highest number was written.
    let lastAt: Date
    let positions: ClosedRange<Int>
}

/// The lines of a tenant that were checked, and that are removed with a partition.
private struct CheckedLines {
    let tenant: TenantID
    /// The start of the chain when the check began.
    let oldStart: AuditStart?
    let start: AuditStart
    /// The number of lines in other partitions: positions follow the numbers only nearly.
    let elsewhere: Int

    var count: Int { start.position - (oldStart?.position ?? 0) }
}

extension PostgresStore {
    /// How long a line may wait for its partition to be dropped.
    private static let longestWait: TimeInterval = 7 * 86_400
    /// How far the times of lines and their numbers may disagree: nodes have clocks of their own.
    private static let disorder: TimeInterval = 600

    package func partitionAudit() async throws(StoreError) -> AuditPartitioning? {
        let table = try await read { try $0.auditTable() }
        guard let current = table.current else { return try await divideAudit() }
        guard table.last - current.lines.lowerBound >= partitionSize else { return nil }
        if !table.partitions.contains(current.next) {
            let isMade = try await housekeeping { session in
                guard try !session.auditTable().partitions.contains(current.next) else { return true }
                for statement in current.creationOfNext { try session.run(statement, [], expecting: nil) }
                return true
            }
            guard isMade == true else { return nil }
        }
        let first = current.next.lines.lowerBound
        return try await housekeeping { session in
            // Ends every insertion that began before the partition was made and does not know it. Only then do numbers
            // jump, at once and not with the commit.
            try session.lock("ONLY audit", "SHARE")
            let sequence = AuditPartition.sequence
            let moved = try session.fetch(
                "SELECT setval(\(sequence), ?) WHERE pg_sequence_last_value(\(sequence)) < ?", [first, first])
            return try moved.get().rows.isEmpty ? nil : .begun(current.next.number)
        }
    }

    /// Each step can be repeated; a constraint that is valid is not looked at again. Only the second one reads the lines, and it locks out neither readers nor writers.
    private func divideAudit() async throws(StoreError) -> AuditPartitioning? {
        let constraint = AuditPartition.constraint
        let isConstrained = try await housekeeping { session in
            guard try session.auditTable().partitions.isEmpty else { return false }
            // A division that was broken off has left it.
            let known = try session.fetch(
                "SELECT oid::bigint FROM pg_constraint WHERE conrelid = to_regclass('audit') AND conname = ?",
                [constraint])
            guard try known.get().rows.isEmpty else { return true }
            try session.endVacuum(of: "audit")
            try session.lock("audit", "ACCESS EXCLUSIVE")
            try session.run(
                "ALTER TABLE audit ADD CONSTRAINT \(constraint) CHECK (seq < \(AuditPartition.stride)) NOT VALID", [],
                expecting: nil)
            return true
        }
        guard isConstrained == true else { return nil }
        let isValid = try await housekeeping { session in
            guard try session.auditTable().partitions.isEmpty else { return false }
            try session.run("ALTER TABLE audit VALIDATE CONSTRAINT \(constraint)", [], expecting: nil)
            return true
        }
        guard isValid == true else { return nil }
        let isDivided = try await housekeeping { session in
            guard try session.auditTable().partitions.isEmpty else { return false }
            try session.endVacuum(of: "audit")
            try session.lock("audit", "ACCESS EXCLUSIVE")
            for statement in AuditPartition.division { try session.run(statement, [], expecting: nil) }
            return true
        }
        return isDivided == true ? .divided : nil
    }

    package func dropAuditPartition(
        before end: @escaping @Sendable (TenantID) -> Date,
        check: @escaping @Sendable (TenantID, AuditHead, [AuditLine]) -> AuditStart?
    ) async throws(StoreError) -> AuditPartitionEnd {
        guard let (partition, tenants) = try await oldestAuditPartition(),
            tenants.allSatisfy({ $0.lastAt < end($0.tenant) + Self.longestWait })
        else { return .distant }
        let near = AuditPartitionEnd.near(seq: partition.lines.upperBound)
        guard tenants.allSatisfy({ $0.lastAt < end($0.tenant) - Self.disorder }) else { return near }
        let cancellation = Cancellation()
        let dropped = await withTaskCancellationHandler {
            await housekeepingResult { session -> AuditPartitionEnd? in
                // Another node may have dropped it before this one had the lock of housekeeping.
                guard try session.auditTable().partitions.contains(partition) else { return nil }
                try session.endVacuum(of: partition.name)
                var checked: [CheckedLines] = []
                for lines in tenants {
                    let before = end(lines.tenant)
                    let failure = try session.check(lines, in: partition, before: before, &checked) {
                        try cancellation.check()
                        return check(lines.tenant, $0, $1)
                    }
                    if let failure { return failure }
                }
                return try session.drop(partition, tenants, checked)
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try dropped.get() ?? near
    }

    /// Nil when no partition is full, when a line of the oldest full one is not sealed, or when another node just drops it.
    private func oldestAuditPartition() async throws(StoreError) -> (AuditPartition, [LinesInPartition])? {
        do {
            return try await read { session in
                guard let partition = try session.auditTable().oldestFull,
                    let tenants = try session.auditLines(in: partition)
                else { return nil }
                return (partition, tenants)
            }
        } catch {
            guard case .unavailable(PostgresFailure.refused("42P01", _)) = error else { throw error }
            return nil
        }
    }

    /// Runs `body` in a transaction of its own, unless another node does housekeeping.
    ///
    /// - Returns: The result of `body`; nil, too, when another node does it, or when other transactions use the table all
    ///   the time. The next run tries again.
    private func housekeeping<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value?
    ) async throws(StoreError) -> Value? {
        try await housekeepingResult(body).get()
    }

    /// The same for a caller whose errors have no type.
    private func housekeepingResult<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value?
    ) async -> Result<Value?, StoreError> {
        do {
            let value = try await longWrite { session -> Value? in
                let locked = try session.fetch(
                    "SELECT pg_try_advisory_xact_lock(?)::int::bigint", [SQLSubject.auditPartitions.number])
                guard try locked.get().rows.first == [.integer(1)] else { return nil }
                return try body(session)
            }
            return .success(value)
        } catch {
            if case .unavailable(PostgresFailure.refused("55P03", _)) = error { return .success(nil) }
            return .failure(error)
        }
    }
}

/// Whether the task that waits for a thread was cancelled.
private final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .relaxed) }
    func check() throws(CancellationError) {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }
}

extension SQLSubject {
    /// The number of its lock.
    fileprivate var number: Int { Int(Int64(bitPattern: fingerprint(bytes))) }
}

extension SQLSession {
    fileprivate func auditTable() throws -> AuditTable {
        let names = try fetch(
            """
            SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
            WHERE inhparent = to_regclass('audit')
            """, [])
        let last = try fetch("SELECT COALESCE(pg_sequence_last_value(\(AuditPartition.sequence)), 0)", [])
        let partitions = try names.get().rows.compactMap { row in
            String.restore(row[0]).flatMap { AuditPartition(name: $0) }
        }
        return AuditTable(
            partitions: partitions.sorted(), last: try last.get().rows.first.flatMap { Int.restore($0[0]) } ?? 0)
    }

    /// The tenants that have lines in the partition, found by its indexes; nil when a line is not sealed.
    fileprivate func auditLines(in partition: AuditPartition) throws -> [LinesInPartition]? {
        let name = partition.name
        let rows = try fetch(
            """
            WITH RECURSIVE newest AS (
                (SELECT tenant, at FROM \(name) ORDER BY tenant DESC, seq DESC LIMIT 1)
                UNION ALL
                SELECT line.tenant, line.at FROM newest, LATERAL (
                    SELECT tenant, at FROM \(name) WHERE tenant < newest.tenant ORDER BY tenant DESC, seq DESC LIMIT 1
                ) AS line
            )
            SELECT tenant, at, (SELECT MIN(position) FROM \(name) AS line WHERE line.tenant = newest.tenant),
                (SELECT MAX(position) FROM \(name) AS line WHERE line.tenant = newest.tenant),
                EXISTS (SELECT FROM \(name) AS line WHERE line.tenant = newest.tenant AND position IS NULL)::int::bigint
            FROM newest
            """, [])
        var all: [LinesInPartition] = []
        for row in try rows.get().rows {
            guard let tenant = TenantID.restore(row[0]), let at = Date.restore(row[1]) else {
                throw StoreError.corrupt("audit")
            }
            guard let first = Int.restore(row[2]), let last = Int.restore(row[3]), row[4] == .integer(0) else {
                return nil
            }
            all.append(LinesInPartition(tenant: tenant, lastAt: at, positions: first...last))
        }
        return all
    }

    /// Checks the tenant's chain from its start to the last of these lines.
    ///
    /// - Returns: Why the partition cannot be dropped; nil when it can as far as this tenant goes.
    fileprivate func check(
        _ lines: LinesInPartition, in partition: AuditPartition, before date: Date, _ checked: inout [CheckedLines],
        _ check: (AuditHead, [AuditLine]) throws -> AuditStart?
    ) throws -> AuditPartitionEnd? {
        let broken = AuditPartitionEnd.broken(lines.tenant)
        guard var head = try auditHead(of: lines.tenant).get(), lines.positions.lowerBound > head.start?.position ?? 0
        else { return broken }
        let oldStart = head.start
        var elsewhere = 0
        while true {
            let portion = try auditLines(
                of: lines.tenant, "AND position > ? AND position <= ? ORDER BY position LIMIT 5000",
                [head.start?.position ?? 0, lines.positions.upperBound]
            ).get()
            guard !portion.isEmpty, let start = try check(head, portion) else { return broken }
            elsewhere += portion.count { !partition.lines.contains($0.seq) }
            // A clock was wrong, or the lines are those of an older partition, which another tenant keeps: they are removed
            // one by one first.
            guard portion.allSatisfy({ $0.at < date }), elsewhere <= 10_000 else { return .distant }
            head.start = start
            guard start.position == lines.positions.upperBound else { continue }
            checked.append(
                CheckedLines(tenant: lines.tenant, oldStart: oldStart, start: start, elsewhere: elsewhere))
            return nil
        }
    }

    /// Drops the partition, and moves the starts of the chains, unless one of them changed since it was checked: nil then.
    /// PostgreSQL deletes the files at the commit, when it has released the lock.
    fileprivate func drop(
        _ partition: AuditPartition, _ tenants: [LinesInPartition], _ checked: [CheckedLines]
    ) throws -> AuditPartitionEnd? {
        try run("SELECT pg_advisory_xact_lock(?)", [SQLSubject.auditChain.number], expecting: nil)
        for lines in checked {
            guard try auditHead(of: lines.tenant).get()?.start == lines.oldStart else { return nil }
        }
        let begin = ContinuousClock.now
        try lock("ONLY audit, \(partition.name)", "ACCESS EXCLUSIVE")
        guard try auditLines(in: partition) == tenants else { return nil }
        try run("DROP TABLE \(partition.name)", [], expecting: nil)
        for lines in checked {
            if lines.elsewhere > 0 {
                try run(
                    "DELETE FROM audit WHERE tenant = ? AND position > ? AND position <= ?",
                    [lines.tenant, lines.oldStart?.position ?? 0, lines.start.position], expecting: lines.elsewhere)
            }
            try moveAuditStart(of: lines.tenant, to: lines.start)
        }
        // Sends the statements before.
        _ = try fetch("SELECT 1::bigint", []).get()
        return .dropped(lines: checked.reduce(0) { $0 + $1.count }, .now - begin)
    }

    /// Ends an autovacuum of the table, which PostgreSQL does for a lock that waits for a second, and lets none begin until
    /// the transaction ends. No request waits for this lock.
    fileprivate func endVacuum(of table: String) throws {
        try run("SELECT set_config('lock_timeout', '5s', true)", [], expecting: nil)
        try run("LOCK TABLE ONLY \(table) IN SHARE UPDATE EXCLUSIVE MODE", [], expecting: nil)
    }

    /// Locks tables. Others wait behind an attempt for a tenth of a second at most. After ten attempts, about two
    /// seconds, it fails.
    fileprivate func lock(_ tables: String, _ mode: String) throws {
        try run("SELECT set_config('lock_timeout', '100ms', true)", [], expecting: nil)
        try run(
            """
            DO $$ BEGIN
                FOR attempt IN 1..10 LOOP
                    BEGIN
                        LOCK TABLE \(tables) IN \(mode) MODE;
                        RETURN;
                    EXCEPTION WHEN lock_not_available THEN
                        PERFORM pg_sleep(0.05 + 0.1 * random());
                    END;
                END LOOP;
                RAISE lock_not_available;
            END $$
            """, [], expecting: nil)
    }
}

extension PostgresSession {
    /// Divides the audit trail while it is empty.
    func divideAuditIfEmpty() throws {
        guard try fetch("SELECT seq FROM audit LIMIT 1", []).get().rows.isEmpty else { return }
        for statement in AuditPartition.division { try run(statement, [], expecting: nil) }
    }
}
