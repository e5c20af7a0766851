import Crypto
import Foundation
import IdentityEngine
import IdentityStorePostgres
import IdentityStoreSQL
import NativeAuthCore
import Testing

@Suite("Audit chain", .timeLimit(.minutes(2)))
struct AuditChainTests {
    private struct NoRandomness: Randomness {
        func bytes(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
    }

    private static func chain(_ key: UInt8 = 1) -> AuditChain {
        AuditChain(
            vault: Vault(masterKey: SymmetricKey(data: Data(repeating: key, count: 32)), randomness: NoRandomness()))
    }

    private let chain = Self.chain()
    private static let other = TenantID(UUID())

    private func write(_ count: Int, to store: any SQLStore, tenant: TenantID = contoso) async throws {
        for number in 0..<count {
            try await store.record(
                AuditEvent(.signInFailed, at: noon + Double(number), tenant: tenant, flow: UUID(), detail: "\(number)"))
        }
    }

    private func verify(_ store: any SQLStore, noted: String? = nil) async throws -> Result<AuditReport, AuditFault> {
        try await chain.verify(contoso, in: store, noted: noted)
    }

    /// An attack with access to the database but without the master key.
    private func tamper(_ sql: String..., in store: any SQLStore) async throws {
        try await store.write([]) { session in
            for statement in sql { try session.run(statement, [contoso], expecting: nil) }
        }
    }

    @Test(
        "SEC-AUD-1: a tenant that has no signing key yet is told of a new document like others",
        arguments: DatabaseUnderTest.all)
    func aDocumentIsToldToAll(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            try await write(1, to: store)
            _ = try await store.apply("tenants: []", naming: [Self.other], over: 0, at: noon)
            #expect(try await store.unsealedAuditLines(of: contoso) == 2)
            #expect(try await store.unsealedAuditLines(of: Self.other) == 1)
        }
    }

    @Test("REL-TIME-2: the newest line tells when the database was last written", arguments: DatabaseUnderTest.all)
    func theNewestLine(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            #expect(try await store.lastAuditTime() == nil)
            try await write(3, to: store)
            try await write(2, to: store, tenant: Self.other)
            _ = try await chain.seal(in: store)
            // Not the latest time: the clock that wrote it may have been set since.
            #expect(try await store.lastAuditTime() == noon + 1)
            try await write(1, to: store)
            #expect(try await store.lastAuditTime() == noon)
        }
    }

    @Test("SEC-AUD-2: lines are sealed in order, each tenant's apart", arguments: DatabaseUnderTest.all)
    func linesAreSealed(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let empty = try await verify(store).get()
            #expect(empty.head == "0:" && empty.unsealed == 0)
            try await write(1_203, to: store)
            try await write(3, to: store, tenant: Self.other)
            let before = try await verify(store).get()
            #expect(before.head == "0:" && before.unsealed == 1_203)
            #expect(try await chain.seal(in: store).count == 1_206)
            let report = try await verify(store).get()
            #expect(report.head.hasPrefix("1203:") && report.unsealed == 0)
            let others = try await chain.verify(Self.other, in: store).get()
            #expect(others.head.hasPrefix("3:"))
            // The chain continues at its end, and contains the noted position.
            try await write(2, to: store)
            let unsealed = try await verify(store).get().unsealed
            #expect(unsealed == 2)
            #expect(try await chain.seal(in: store).heads[contoso]?.position == 1_205)
            let later = try await verify(store, noted: report.head).get()
            #expect(later.head.hasPrefix("1205:"))
            let listed = try await store.auditEvents(of: contoso, after: 0, limit: 2_000)
            #expect(listed.map(\.position) == Array(1...1_205))
            #expect(listed.map(\.event.detail) == ((0..<1_203).map { "\($0)" } + ["0", "1"]))
            // Only a tenant with as many lines as the limit is asked about again.
            try await write(3, to: store)
            for mayBeMore in [true, false] {
                let pass = try await store.sealAudit(limit: 2) { chain.link($2, behind: $0, of: $1) }
                #expect(pass.mayBeMore == mayBeMore)
            }
            #expect(try await verify(store).get().unsealed == 0)
        }
    }

    @Test("SEC-AUD-2: a line that was altered, removed, put in or moved is named", arguments: DatabaseUnderTest.all)
    func tamperingIsNamed(_ sut: DatabaseUnderTest) async throws {
        /// An attack on ten sealed lines, and the expected fault; `?` is the tenant.
        let attacks: [(sql: [String], fault: AuditFault)] = [
            (["UPDATE audit SET detail = 'x' WHERE tenant = ? AND position = 4"], .altered(position: 4, seq: 4)),
            (["UPDATE audit SET at = at + 1 WHERE tenant = ? AND position = 10"], .altered(position: 10, seq: 10)),
            (
                ["UPDATE audit SET kind = 'no such kind' WHERE tenant = ? AND position = 1"],
                .altered(position: 1, seq: 1)
            ),
            (["UPDATE audit SET detail = NULL WHERE tenant = ? AND position = 3"], .altered(position: 3, seq: 3)),
            (
                [#"UPDATE audit SET "user" = flow, flow = NULL WHERE tenant = ? AND position = 2"#],
                .altered(position: 2, seq: 2)
            ),
            (["UPDATE audit SET seal = NULL WHERE tenant = ? AND position = 5"], .altered(position: 5, seq: 5)),
            (["DELETE FROM audit WHERE tenant = ? AND position = 4"], .missing(position: 4)),
            (["DELETE FROM audit WHERE tenant = ? AND position = 1"], .missing(position: 1)),
            (
                ["UPDATE audit SET position = NULL, seal = NULL WHERE tenant = ? AND position = 7"],
                .missing(position: 7)
            ),
            (["DELETE FROM audit WHERE tenant = ? AND position >= 9"], .endMoved(last: 8, head: 10)),
            // The gap of a removed line is closed, and the end is moved.
            (
                [
                    "DELETE FROM audit WHERE tenant = ? AND position = 10",
                    """
                    UPDATE audit_heads SET position = 9, seal = (SELECT seal FROM audit AS a
                    WHERE a.tenant = audit_heads.tenant AND a.position = 9) WHERE tenant = ?
                    """,
                ], .endMoved(last: 9, head: nil)
            ),
            (["DELETE FROM audit_heads WHERE tenant = ?"], .endMoved(last: 10, head: nil)),
            // Two neighbours change places, with their seals and without.
            (
                [
                    "UPDATE audit SET position = 99 WHERE tenant = ? AND position = 6",
                    "UPDATE audit SET position = 6 WHERE tenant = ? AND position = 7",
                    "UPDATE audit SET position = 7 WHERE tenant = ? AND position = 99",
                ], .altered(position: 6, seq: 7)
            ),
            // A line is inserted after the fifth, the others move.
            (
                [
                    "UPDATE audit SET position = -position WHERE tenant = ? AND position > 5",
                    "UPDATE audit SET position = 1 - position WHERE tenant = ? AND position < 0",
                    """
                    INSERT INTO audit (tenant, kind, at, detail, position, seal)
                    SELECT tenant, kind, at, detail, 6, seal FROM audit WHERE tenant = ? AND position = 5
                    """,
                ], .altered(position: 6, seq: 11)
            ),
            (
                [
                    """
                    INSERT INTO audit (tenant, kind, at, position, seal)
                    SELECT tenant, kind, at, 11, seal FROM audit WHERE tenant = ? AND position = 10
                    """
                ], .altered(position: 11, seq: 11)
            ),
        ]
        for (sql, fault) in attacks {
            try await sut.withStore { store in
                try await write(10, to: store)
                let sealed = try await chain.seal(in: store).count
                #expect(sealed == 10)
                try await store.write([]) { session in
                    for statement in sql { try session.run(statement, [contoso], expecting: nil) }
                }
                let verdict = try await verify(store)
                #expect(verdict == .failure(fault), "\(sql)")
            }
        }
    }

    @Test("SEC-AUD-2: an older copy of the whole trail is seen by who noted its end", arguments: DatabaseUnderTest.all)
    func aNotedEndMustStay(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            try await write(5, to: store)
            _ = try await chain.seal(in: store)
            let old = try #require(try await store.auditHead(of: contoso))
            try await write(5, to: store)
            _ = try await chain.seal(in: store)
            let noted = try await verify(store).get().head
            try await store.write([]) { session in
                try session.run("DELETE FROM audit WHERE tenant = ? AND position > 5", [contoso], expecting: 5)
                try session.run(
                    "UPDATE audit_heads SET position = ?, seal = ?, anchor = ? WHERE tenant = ?",
                    [old.position, old.seal, old.anchor, contoso], expecting: 1)
            }
            #expect(try await verify(store).get().head.hasPrefix("5:"))
            let verdict = try await verify(store, noted: noted)
            #expect(verdict == .failure(.notedPlaceGone(position: 10)))
        }
    }

    @Test(
        "SEC-AUD-2: a chain is not continued behind an end that was moved, or under another key",
        arguments: DatabaseUnderTest.all)
    func aBrokenChainIsNotContinued(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            try await write(5, to: store)
            _ = try await chain.seal(in: store)
            try await write(1, to: store)
            let stranger = try await Self.chain(2).seal(in: store)
            #expect(stranger.broken == [contoso] && stranger.count == 0)
            let foreign = try await Self.chain(2).verify(contoso, in: store)
            #expect(foreign == .failure(.altered(position: 1, seq: 1)))
            try await tamper("UPDATE audit_heads SET position = 4 WHERE tenant = ?", in: store)
            let sealing = try await chain.seal(in: store)
            #expect(sealing.broken == [contoso] && sealing.count == 0)
        }
    }

    // MARK: - Retention

    /// Ten sealed lines, a second apart from `noon` on, of which the first four were removed.
    private func cutTrail(_ store: any SQLStore) async throws {
        try await write(10, to: store)
        _ = try await chain.seal(in: store)
        let removed = try await chain.cut(contoso, before: noon + 4, in: store)
        #expect(removed == 4)
    }

    @Test(
        "SEC-AUD-3: old lines go in portions, and the rest is sound from the oldest one on",
        arguments: DatabaseUnderTest.all)
    func oldLinesGo(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            try await write(1_203, to: store)
            try await write(3, to: store, tenant: Self.other)
            let unsealed = try await chain.cut(contoso, before: noon + 9_999, in: store)
            #expect(unsealed == 0, "what is not sealed stays")
            _ = try await chain.seal(in: store)
            let before = try await verify(store).get().head
            #expect(try await chain.cut(contoso, before: noon, in: store) == 0)
            #expect(try await chain.cut(contoso, before: noon + 1_101, in: store) == 1_101)
            #expect(try await chain.cut(contoso, before: noon + 1_101, in: store) == 0)
            let kept = try await store.auditEvents(of: contoso, after: 0, limit: 2_000)
            #expect(kept.map(\.position) == Array(1_102...1_203))
            #expect(try await verify(store, noted: before).get().head == before)
            #expect(try await chain.verify(Self.other, in: store).get().head.hasPrefix("3:"))
            // The chain continues as before.
            try await write(2, to: store)
            _ = try await chain.seal(in: store)
            #expect(try await verify(store, noted: before).get().head.hasPrefix("1205:"))
            // All of it can be removed, and the end stays.
            #expect(try await chain.cut(contoso, before: noon + 99_999, in: store) == 104)
            let empty = try await verify(store).get()
            #expect(empty.head.hasPrefix("1205:") && empty.unsealed == 0)
            #expect(try await verify(store, noted: empty.head).get() == empty)
            #expect(try await verify(store, noted: before) == .failure(.notedPlaceRemoved(position: 1_203)))
            try await write(1, to: store)
            _ = try await chain.seal(in: store)
            #expect(try await verify(store).get().head.hasPrefix("1206:"))
        }
    }

    @Test(
        "SEC-AUD-3: a chain that was cut without the key, or whose beginning was moved, is detected",
        arguments: DatabaseUnderTest.all)
    func aForgedBeginning(_ sut: DatabaseUnderTest) async throws {
        let attacks: [(sql: [String], fault: AuditFault)] = [
            (["DELETE FROM audit WHERE tenant = ? AND position = 5"], .missing(position: 5)),
            (
                [
                    "UPDATE audit_heads SET start_position = NULL, start_seal = NULL, start_anchor = NULL WHERE tenant = ?"
                ],
                .missing(position: 1)
            ),
            // One more line is removed, and the start is moved.
            (
                [
                    """
                    UPDATE audit_heads SET start_position = 5, start_seal = (SELECT seal FROM audit AS a
                    WHERE a.tenant = audit_heads.tenant AND a.position = 5) WHERE tenant = ?
                    """,
                    "DELETE FROM audit WHERE tenant = ? AND position = 5",
                ], .startMoved
            ),
            // The end's anchor in place of the beginning's.
            (
                [
                    "UPDATE audit_heads SET start_position = position, start_seal = seal, start_anchor = anchor WHERE tenant = ?",
                    "DELETE FROM audit WHERE tenant = ?",
                ], .startMoved
            ),
            (["UPDATE audit SET detail = 'x' WHERE tenant = ? AND position = 5"], .altered(position: 5, seq: 5)),
            // A line is inserted before the start.
            (
                [
                    """
                    INSERT INTO audit (tenant, kind, at, position, seal)
                    SELECT tenant, kind, at, 3, seal FROM audit WHERE tenant = ? AND position = 7
                    """
                ], .altered(position: 3, seq: 11)
            ),
        ]
        for (sql, fault) in attacks {
            try await sut.withStore { store in
                try await cutTrail(store)
                try await store.write([]) { session in
                    for statement in sql { try session.run(statement, [contoso], expecting: nil) }
                }
                let verdict = try await verify(store)
                #expect(verdict == .failure(fault), "\(sql)")
            }
        }
    }

    @Test("SEC-AUD-3: no fault goes with the lines that are removed", arguments: DatabaseUnderTest.all)
    func nothingIsCutOverAFault(_ sut: DatabaseUnderTest) async throws {
        for sql in [
            "UPDATE audit SET detail = 'x' WHERE tenant = ? AND position = 6",
            "DELETE FROM audit WHERE tenant = ? AND position = 6",
            "UPDATE audit_heads SET position = 9 WHERE tenant = ?",
            "UPDATE audit_heads SET start_position = 3 WHERE tenant = ?",
        ] {
            try await sut.withStore { store in
                try await cutTrail(store)
                try await tamper(sql, in: store)
                let count = try await store.auditEvents(of: contoso, after: 0, limit: 20).count
                #expect(try await chain.cut(contoso, before: noon + 8, in: store) == nil, "\(sql)")
                #expect(try await store.auditEvents(of: contoso, after: 0, limit: 20).count == count)
                let stranger = try await Self.chain(2).cut(contoso, before: noon + 8, in: store)
                #expect(stranger == nil)
            }
        }
    }

    @Test(
        "SEC-AUD-3: once the user is deleted nothing tells whose the user's lines were",
        arguments: DatabaseUnderTest.all)
    func aDeletedUser(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let ada = fixtureUser("ada", alias: "countess", attributes: ["city": "London"])
            try await store.perform(
                .createUser(ada), .openRefreshFamily(fixtureFamily(of: ada)),
                .addStrongMethod(try fixtureMethod("ada@example.org"), to: ada.id),
                .rememberNetwork(digest("home"), of: ada.id, at: noon),
                .record(AuditEvent(.signUpCompleted, at: noon, tenant: contoso, user: ada.id)))
            _ = try await chain.seal(in: store)
            try await store.write([]) { session in
                try session.run("DELETE FROM users WHERE tenant = ? AND id = ?", [contoso, ada.id], expecting: 1)
            }
            #expect(try await verify(store).get().head.hasPrefix("1:"))
            #expect(try await store.auditEvents(of: contoso, after: 0, limit: 1).first?.event.user == ada.id)
            // Of all tables only the trail has the id, and none an address, a name or an attribute.
            for (table, _) in BackupTables.kept where table != "audit" {
                let rows = try await store.read { try $0.fetch("SELECT * FROM \(table)", []).get().rows }
                let uuid = withUnsafeBytes(of: ada.id.uuid.uuid) { Data($0) }
                for value in rows.joined() {
                    #expect(value != .bytes(uuid), "\(table)")
                    #expect(value != .text("London"), "\(table)")
                    let words = ["ada@example.com", "ada@example.org", "countess"]
                    #expect(!words.contains { value == .text($0) || value == .bytes(Data($0.utf8)) }, "\(table)")
                }
            }
        }
    }

    @Test("SEC-AUD-3, REL-HA-5: two nodes that write, seal, cut and verify at the same time keep one sound chain")
    func cuttingMeanwhile() async throws {
        try await PostgresServer.withSchema { schema in
            let nodes = [
                try await PostgresStore(try schema.place(), PostgresServer.small),
                try await PostgresStore(try schema.place(), PostgresServer.small),
            ]
            let faults = try await race(8) { index in
                let node = nodes[index % 2]
                var faults: [AuditFault] = []
                for number in 0..<25 {
                    switch index {
                    case 0...1: try await write(20, to: node)
                    case 2...3: _ = try await chain.seal(in: node)
                    // Each of the writers begins at noon, so old lines stand among new ones: they are removed little by
                    // little.
                    case 4...5: _ = try await chain.cut(contoso, before: noon + Double(number), in: node)
                    default: if case .failure(let fault) = try await verify(node) { faults.append(fault) }
                    }
                }
                return faults
            }
            #expect(faults.joined().isEmpty)
            _ = try await chain.seal(in: nodes[0])
            #expect(try await verify(nodes[1]).get().head.hasPrefix("1000:"))
            #expect(try await chain.cut(contoso, before: noon + 99, in: nodes[0]) ?? 0 >= 0)
            #expect(try await nodes[1].auditEvents(of: contoso, after: 0, limit: 10).isEmpty)
            for node in nodes { try await node.close() }
        }
    }

    @Test("SEC-AUD-2, REL-HA-5: two nodes that write and seal at the same time make one chain")
    func twoNodesMakeOneChain() async throws {
        try await PostgresServer.withSchema { schema in
            let nodes = [
                try await PostgresStore(try schema.place(), PostgresServer.small),
                try await PostgresStore(try schema.place(), PostgresServer.small),
            ]
            let counts = try await race(8) { index in
                let node = nodes[index % 2]
                guard index < 4 else {
                    var count = 0
                    for _ in 0..<20 { count += try await chain.seal(in: node).count }
                    return count
                }
                try await write(100, to: node)
                return 0
            }
            let rest = try await chain.seal(in: nodes[0]).count
            #expect(counts.reduce(rest, +) == 400)
            let report = try await verify(nodes[1]).get()
            #expect(report.head.hasPrefix("400:") && report.unsealed == 0)
            for node in nodes { try await node.close() }
        }
    }
}

extension AuditChainTests {
    /// A trail that only says what each pass of sealing found.
    private final class Passes: AuditStore {
        private let rest: Locked<[AuditSealing]>

        init(_ passes: [AuditSealing]) {
            rest = Locked(passes)
        }

        var count: Int { rest.withLock { $0.count } }

        func sealAudit(
            limit: Int,
            link: @escaping @Sendable (AuditHead?, TenantID, [AuditLine]) -> (seals: [Data], head: AuditHead)?
        ) async throws(StoreError) -> AuditSealing {
            rest.withLock { $0.isEmpty ? AuditSealing() : $0.removeFirst() }
        }

        func cutAudit(
            of tenant: TenantID, before date: Date, sparing seq: Int, limit: Int,
            check: @escaping @Sendable (AuditHead, [AuditLine]) -> AuditStart?
        ) async throws(StoreError) -> Int? { nil }
        func partitionAudit() async throws(StoreError) -> AuditPartitioning? { nil }
        func dropAuditPartition(
            before end: @escaping @Sendable (TenantID) -> Date,
            check: @escaping @Sendable (TenantID, AuditHead, [AuditLine]) -> AuditStart?
        ) async throws(StoreError) -> AuditPartitionEnd { .distant }
        func auditLines(of tenant: TenantID, after position: Int, limit: Int) async throws(StoreError) -> [AuditLine] {
            []
        }
        func auditHead(of tenant: TenantID) async throws(StoreError) -> AuditHead? { nil }
        func auditedTenants() async throws(StoreError) -> [TenantID] { [] }
        func unsealedAuditLines(of tenant: TenantID) async throws(StoreError) -> Int { 0 }
        func auditEvents(of tenant: TenantID, after seq: Int, limit: Int) async throws(StoreError) -> [RecordedEvent] {
            []
        }
    }

    @Test("Sealing ends with the first pass that no tenant fills, although lines come meanwhile")
    func passes() async throws {
        let passes = Passes(
            [(500, true), (700, true), (3, false), (2, false)].map { count, mayBeMore in
                var pass = AuditSealing()
                pass.count = count
                pass.mayBeMore = mayBeMore
                return pass
            })
        let sealed = try await chain.seal(in: passes)
        #expect(sealed.count == 1_203)
        #expect(passes.count == 1)
    }
}
