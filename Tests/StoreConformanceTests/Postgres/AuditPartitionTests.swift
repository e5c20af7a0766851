import Crypto
import Foundation
import IdentityEngine
import IdentityStorePostgres
import IdentityStoreSQL
import NativeAuthCore
import Testing

@Suite("PostgreSQL: partitions of the audit trail", .timeLimit(.minutes(2)))
struct AuditPartitionTests {
    private static let stride = 100_000_000_000
    private static let other = TenantID(UUID())
    private let chain = AuditChain(
        vault: Vault(masterKey: SymmetricKey(data: Data(repeating: 1, count: 32)), randomness: SystemRandomness()))

    private static func settings(_ size: Int) -> PostgresSettings {
        var settings = PostgresServer.small
        settings.auditPartitionSize = size
        return settings
    }

    private func write(
        _ count: Int, to store: PostgresStore, tenant: TenantID = contoso, from date: Date = noon
    ) async throws {
        for number in 0..<count {
            try await store.record(
                AuditEvent(.signInFailed, at: date + Double(number), tenant: tenant, flow: UUID(), detail: "\(number)"))
        }
    }

    private func partitions(of store: PostgresStore) async throws -> [String] {
        try await store.unsafeSQL(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = to_regclass('audit') ORDER BY 1"
        ).compactMap { $0[0] }
    }

    /// A partition of ten lines that is full, and two lines in the next one.
    private func withFullPartition(_ body: (PostgresStore) async throws -> Void) async throws {
        try await PostgresServer.withStore(Self.settings(10)) { store in
            try await write(9, to: store)
            #expect(try await store.partitionAudit() == nil)
            try await write(1, to: store, from: noon + 9)
            #expect(try await store.partitionAudit() == .begun(1))
            #expect(try await store.partitionAudit() == nil)
            try await write(2, to: store, from: noon + 10)
            _ = try await chain.seal(in: store)
            try await body(store)
        }
    }

    private func drop(_ store: PostgresStore, before date: Date, other: Date? = nil) async throws -> AuditPartitionEnd {
        try await chain.dropPartition(before: { $0 == contoso ? date : other ?? date }, in: store)
    }

    private func lines(_ end: AuditPartitionEnd) -> Int? {
        if case .dropped(let lines, _) = end { lines } else { nil }
    }

    @Test("SEC-AUD-3: a full partition is dropped in one step, and the chain is sound from the next one on")
    func aPartitionIsDropped() async throws {
        try await withFullPartition { store in
            #expect(try await partitions(of: store) == ["audit_0", "audit_1"])
            let before = try await chain.verify(contoso, in: store).get().head
            let numbers = try await store.auditEvents(of: contoso, after: 0, limit: 20).map(\.seq)
            #expect(numbers == Array(1...10) + [Self.stride + 1, Self.stride + 2])
            #expect(lines(try await drop(store, before: noon + 9_999)) == 10)
            #expect(try await partitions(of: store) == ["audit_1"])
            #expect(try await store.auditEvents(of: contoso, after: 0, limit: 20).map(\.position) == [11, 12])
            #expect(try await chain.verify(contoso, in: store, noted: before).get().head == before)
            // The last partition stays, and the chain continues.
            #expect(try await drop(store, before: noon + 9_999) == .distant)
            try await write(3, to: store)
            _ = try await chain.seal(in: store)
            #expect(try await chain.verify(contoso, in: store, noted: before).get().head.hasPrefix("15:"))
        }
    }

    @Test("SEC-AUD-3: lines wait a week at most for their partition, and others are removed one by one")
    func linesWait() async throws {
        let week: TimeInterval = 7 * 86_400
        try await withFullPartition { store in
            #expect(try await drop(store, before: noon + 8 - week) == .distant)
            #expect(try await drop(store, before: noon + 5) == .near(seq: Self.stride))
            #expect(try await chain.cut(contoso, before: noon + 5, sparing: Self.stride, in: store) == 0)
            #expect(try await chain.cut(contoso, before: noon + 5, in: store) == 5)
            // Another tenant keeps its line of this partition for longer.
            try await store.write([]) { session in
                try session.run(
                    """
                    INSERT INTO audit (seq, tenant, kind, at) OVERRIDING SYSTEM VALUE VALUES (11, ?, 'signin.failed', ?)
                    """, [Self.other, noon], expecting: 1)
            }
            #expect(try await drop(store, before: noon + 9_999) == .distant, "a line is not sealed")
            _ = try await chain.seal(in: store)
            #expect(try await drop(store, before: noon + 9_999, other: noon - week - 1) == .distant)
            #expect(try await drop(store, before: noon + 9_999, other: noon - week + 1) == .near(seq: Self.stride))
            #expect(lines(try await drop(store, before: noon + 9_999)) == 6)
            for tenant in [contoso, Self.other] { _ = try await chain.verify(tenant, in: store).get() }
        }
    }

    @Test("SEC-AUD-3: lines that stand in the next partition, but before others of this one, go with it")
    func positionsAcrossPartitions() async throws {
        try await withFullPartition { store in
            // A slow transaction drew its number before the sequence jumped, and ended after the others were sealed.
            try await store.write([]) { session in
                try session.run(
                    """
                    INSERT INTO audit (seq, tenant, kind, at) OVERRIDING SYSTEM VALUE VALUES (11, ?, 'signin.failed', ?)
                    """, [contoso, noon + 10], expecting: 1)
            }
            _ = try await chain.seal(in: store)
            #expect(lines(try await drop(store, before: noon + 9_999)) == 13)
            #expect(try await chain.verify(contoso, in: store).get().head.hasPrefix("13:"))
            #expect(try await store.auditEvents(of: contoso, after: 0, limit: 20).isEmpty)
        }
    }

    @Test("SEC-AUD-3: no fault goes with a partition")
    func nothingIsDroppedOverAFault() async throws {
        let attacks: [(String, AuditFault)] = [
            ("UPDATE audit SET detail = 'x' WHERE tenant = ? AND position = 6", .altered(position: 6, seq: 6)),
            ("DELETE FROM audit WHERE tenant = ? AND position = 6", .missing(position: 6)),
            ("UPDATE audit_heads SET position = 9 WHERE tenant = ?", .endMoved(last: 12, head: nil)),
        ]
        for (sql, fault) in attacks {
            try await withFullPartition { store in
                try await store.write([]) { try $0.run(sql, [contoso], expecting: 1) }
                #expect(try await drop(store, before: noon + 9_999) == .broken(contoso), "\(sql)")
                #expect(try await partitions(of: store) == ["audit_0", "audit_1"])
                #expect(try await chain.verify(contoso, in: store) == .failure(fault))
            }
        }
    }

    @Test("REL-BAK-1: no partition is dropped under a backup, whose chain would have lost its beginning")
    func aBackupIsWaitedFor() async throws {
        try await withFullPartition { store in
            let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            async let positions = store.longRead { session in
                // Statements are sent when an answer is needed.
                _ = try session.fetch("SELECT 1::bigint", []).get()
                begun.signal()
                end.wait()
                return try session.fetch("SELECT position FROM audit ORDER BY seq", []).get().rows.count
            }
            await withCheckedContinuation { caller in
                DispatchQueue.global().async {
                    begun.wait()
                    caller.resume()
                }
            }
            #expect(try await drop(store, before: noon + 9_999) == .near(seq: Self.stride))
            // Neither lines nor a new partition wait for it.
            try await write(10, to: store, from: noon + 12)
            #expect(try await store.partitionAudit() == .begun(2))
            end.signal()
            #expect(try await positions == 12)
            let outcome = try await drop(store, before: noon + 9_999)
            #expect(lines(outcome) == 10, "\(outcome)")
        }
    }

    @Test("what is done every second looks at the partitions in question, found by their indexes")
    func plans() async throws {
        try await withFullPartition { store in
            for number in 1..<5 {
                try await write(10, to: store)
                #expect(try await store.partitionAudit() == .begun(number + 1))
            }
            _ = try await chain.seal(in: store)
            let tenant = "'\\x\(contoso.uuid.uuidString.filter { $0 != "-" })'"
            /// The partitions that a statement reads, by the plan, without sequential scans.
            func read(_ sql: String) async throws -> Set<String> {
                let plan = try await store.write([]) { session in
                    try session.run("SET LOCAL enable_seqscan = off", [], expecting: nil)
                    return try session.fetch("EXPLAIN (COSTS OFF) \(sql)", []).get().rows.compactMap(\.first)
                }.compactMap { if case .text(let text) = $0 { text } else { nil } }
                #expect(!plan.contains { $0.contains("Seq Scan") }, "\(plan)")
                return Set(plan.flatMap { $0.matches(of: /\bon (audit_[0-9]+)/).map { String($0.1) } })
            }
            let three = 3 * Self.stride
            #expect(
                try await read("SELECT at FROM audit WHERE tenant = \(tenant) AND seq >= \(three) ORDER BY seq LIMIT 1")
                    == ["audit_3", "audit_4", "audit_5"])
            #expect(
                try await read(
                    "SELECT * FROM audit WHERE tenant = \(tenant) AND seq >= \(three) AND seq < \(three + 9)")
                    == ["audit_3"])
            #expect(
                try await read("UPDATE audit SET position = 1 WHERE tenant = \(tenant) AND seq = \(three)") == [
                    "audit_3"
                ])
            let all = Set((0...5).map { "audit_\($0)" })
            for sql in [
                SQLDialect.postgres.tenantsWithUnsealedLines,
                "SELECT * FROM audit WHERE tenant = \(tenant) AND position > 5 ORDER BY position LIMIT 500",
                """
                SELECT seq FROM audit WHERE tenant = \(tenant) AND "user" = '\\x00' AND position IS NOT NULL
                ORDER BY seq DESC LIMIT 5
                """,
            ] {
                #expect(try await read(sql) == all, "\(sql)")
            }
        }
    }

    @Test("SEC-AUD-2: a second line at a place of the chain is named, also in another partition")
    func onePlaceIsGivenOnce() async throws {
        try await withFullPartition { store in
            try await store.write([]) { session in
                try session.run(
                    """
                    INSERT INTO audit (tenant, kind, at, detail, position, seal)
                    SELECT tenant, kind, at, 'x', position, seal FROM audit WHERE tenant = ? AND position = 5
                    """, [contoso], expecting: 1)
            }
            let verdict = try await chain.verify(contoso, in: store)
            #expect(
                [5, Self.stride + 3].map { .failure(.altered(position: 5, seq: $0)) }.contains(verdict), "\(verdict)")
            #expect(try await drop(store, before: noon + 9_999) == .broken(contoso))
        }
    }

    @Test("REL-TX-5: a trail with lines is divided beside writers of both versions, and loses none")
    func aTrailIsDivided() async throws {
        try await PostgresServer.withSchema { schema in
            let old = try await PostgresStore(try schema.place(), PostgresServer.small, upTo: "0022 imports")
            try await write(200, to: old)
            _ = try await chain.seal(in: old)
            let noted = try await chain.verify(contoso, in: old).get().head
            let new = try await PostgresStore(try schema.place(), Self.settings(300))
            #expect(try await partitions(of: new).isEmpty)
            let changes = try await race(6) { index -> [AuditPartitioning?] in
                let node = index % 2 == 0 ? old : new
                switch index {
                case 0...3: try await write(100, to: node)
                case 4: for _ in 0..<20 { _ = try await chain.seal(in: node) }
                default: return [try await new.partitionAudit()]
                }
                return []
            }
            #expect(changes.joined().contains(.divided))
            #expect(try await new.partitionAudit() == .begun(1))
            for node in [old, new] { try await write(50, to: node) }
            _ = try await chain.seal(in: old)
            #expect(try await chain.verify(contoso, in: new, noted: noted).get().head.hasPrefix("700:"))
            #expect(try await old.unsafeSQL("SELECT count(*) FROM audit") == [["700"]])
            #expect(try await new.unsafeSQL("SELECT count(*) FROM audit_1") == [["100"]])
            for node in [old, new] { try await node.close() }
        }
    }

    @Test(
        "SEC-AUD-3, REL-HA-5: two nodes that write, seal, begin and drop partitions, and verify, keep one sound chain")
    func droppingMeanwhile() async throws {
        try await PostgresServer.withSchema { schema in
            let nodes = [
                try await PostgresStore(try schema.place(), Self.settings(60)),
                try await PostgresStore(try schema.place(), Self.settings(60)),
            ]
            // The others go on until the writers have ended, however slow these are: so there is always something to drop.
            let writers = Locked(2)
            let counts = try await race(8) { index -> Int in
                let node = nodes[index % 2]
                var count = 0
                var round = 0
                while round < 25 || (index > 1 && writers.withLock { $0 } > 0) {
                    round += 1
                    try Task.checkCancellation()
                    switch index {
                    case 0...1: try await write(20, to: node)
                    case 2...3: _ = try await chain.seal(in: node)
                    case 4...5:
                        try await Task.sleep(for: .milliseconds(150))
                        _ = try await node.partitionAudit()
                        count += lines(try await drop(node, before: noon + 9_999)) ?? 0
                    default: _ = try await chain.verify(contoso, in: node).get()
                    }
                }
                if index <= 1 { writers.withLock { $0 -= 1 } }
                return count
            }
            _ = try await chain.seal(in: nodes[0])
            #expect(try await chain.verify(contoso, in: nodes[1]).get().head.hasPrefix("1000:"))
            let dropped = counts.reduce(0, +)
            #expect(dropped > 0)
            #expect(
                try await nodes[0].auditEvents(of: contoso, after: 0, limit: 2_000).count == 1_000 - dropped)
            for node in nodes { try await node.close() }
        }
    }
}
