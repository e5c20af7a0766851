package import NativeAuthCore
package import PortableFoundation

/// A fault in a tenant's audit trail. Each description is a sentence that names the position.
package enum AuditFault: Error, Hashable, CustomStringConvertible {
    /// The line at this position was changed or moved after it was sealed.
    case altered(position: Int, seq: Int)
    /// No line has this position.
    case missing(position: Int)
    /// The lines end at `last`, but the chain was sealed up to `head`: lines are missing. Nil `head`: the stored end of
    /// the chain was changed or deleted.
    case endMoved(last: Int, head: Int?)
    /// The stored start of the chain was changed. It marks where the chain begins after old lines were removed.
    case startMoved
    /// The line at the position noted earlier was removed because of its age; it is unknown whether it was there.
    case notedPlaceRemoved(position: Int)
    /// The chain does not contain the position noted earlier.
    case notedPlaceGone(position: Int)

    package var description: String {
        switch self {
        case .altered(let position, let seq):
            "Line \(position) (seq \(seq)) was altered, put in, or moved from another place."
        case .missing(let position): "Line \(position) is missing."
        case .endMoved(let last, let head?): "The chain ends at line \(last), and was sealed up to line \(head)."
        case .endMoved(let last, nil): "The end of the chain, at line \(last), was moved."
        case .startMoved: "The beginning of the chain was moved."
        case .notedPlaceRemoved(let position):
            "Line \(position), which was noted, was removed because of its age; note a later one."
        case .notedPlaceGone(let position): "Line \(position) is not the one that was noted."
        }
    }
}

/// The result of a successful verification.
package struct AuditReport: Hashable, Sendable {
    /// The end of the chain, `POSITION:SEAL` with the seal in hexadecimal; `0:` when no line is sealed yet.
    package var head: String
    /// The number of lines that are not sealed yet.
    package var unsealed: Int
}

/// The chain over a tenant's audit trail: the seal of each line covers the seal of the line before it, under a key that
/// is stored outside the database (`SEC-AUD-2`, `docs/design/0009-audit-chain.md`).
package struct AuditChain: Sendable {
    /// The number of days that lines are kept when the tenant does not set one (`SEC-AUD-3`).
    package static let retentionDays = 400
    private static let portion = 1_000
    private let vault: Vault

    package init(vault: Vault) {
        self.vault = vault
    }

    /// Seals the unsealed lines of all tenants, 500 of each in a transaction. Ends with the first in which no tenant had
    /// as many. Lines that are written meanwhile wait for the next call: else, under a load, each few lines would have a
    /// transaction of their own.
    package func seal(in store: some AuditStore) async throws(StoreError) -> AuditSealing {
        var total = AuditSealing()
        while true {
            let pass = try await store.sealAudit(limit: 500) { head, tenant, lines in
                link(lines, behind: head, of: tenant)
            }
            total.count += pass.count
            total.heads.merge(pass.heads) { $1 }
            total.broken = pass.broken
            if !pass.mayBeMore { return total }
        }
    }

    /// Removes the tenant's lines of before `date` from the front of the chain, in batches, and stores a sealed start
    /// for the rest (`SEC-AUD-3`). Each line is verified before it is removed, so that no fault is removed with it.
    ///
    /// - Parameter seq: Lines with lower numbers stay, because their partition will be dropped.
    /// - Returns: The number of removed lines; nil when a line is faulty, and nothing more is removed.
    package func cut(
        _ tenant: TenantID, before date: Date, sparing seq: Int = .min, in store: some AuditStore
    ) async throws(StoreError) -> Int? {
        var total = 0
        while true {
            let count = try await store.cutAudit(of: tenant, before: date, sparing: seq, limit: 500) { head, lines in
                start(behind: lines, of: head, tenant)
            }
            guard let count else { return nil }
            total += count
            if count == 0 { return total }
        }
    }

    /// Drops the oldest full partition of the trail once each of its lines is past its tenant's time (`SEC-AUD-3`), in
    /// a database that has partitions. Each line is verified first, as by ``cut(_:before:sparing:in:)``.
    package func dropPartition(
        before end: @escaping @Sendable (TenantID) -> Date, in store: some AuditStore
    ) async throws(StoreError) -> AuditPartitionEnd {
        try await store.dropAuditPartition(before: end) { tenant, head, lines in
            start(behind: lines, of: head, tenant)
        }
    }

    /// Verifies every sealed line of the tenant that was not removed because of its age.
    ///
    /// - Parameter noted: The end of the chain from an earlier verification or from the server's log; it must still be
    ///   on the chain.
    package func verify(
        _ tenant: TenantID, in store: some AuditStore, noted: String? = nil
    ) async throws(StoreError) -> Result<AuditReport, AuditFault> {
        let notedPosition = noted.flatMap { Int($0.prefix { $0 != ":" }) } ?? 0
        var last = 0
        var seal = Data()
        var isNotedFound = false
        var begin: AuditStart?
        /// Restarts at the current start of the chain; false when the start is unchanged, which means that lines are
        /// missing.
        func beginAgain() async throws(StoreError) -> Result<Bool, AuditFault> {
            let head = try await store.auditHead(of: tenant)
            guard isGenuine(head?.start, of: tenant) else { return .failure(.startMoved) }
            let start = head?.start ?? AuditStart(position: 0, seal: Data(), anchor: Data())
            guard start.position > begin?.position ?? -1 else { return .success(false) }
            (begin, last, seal) = (start, start.position, start.seal)
            isNotedFound = noted == nil || noted == Self.text(last, seal)
            // No line may stand before the start.
            if let stray = try await store.auditLines(of: tenant, after: .min, limit: 1).first,
                let position = stray.position, position <= last
            {
                return .failure(.altered(position: position, seq: stray.seq))
            }
            if !isNotedFound, notedPosition < last { return .failure(.notedPlaceRemoved(position: notedPosition)) }
            return .success(true)
        }
        if case .failure(let fault) = try await beginAgain() { return .failure(fault) }
        walk: while true {
            let lines = try await store.auditLines(of: tenant, after: last, limit: Self.portion)
            for line in lines {
                if let position = line.position, position <= last {
                    return .failure(.altered(position: position, seq: line.seq))
                }
                guard line.position == last + 1 else {
                    // Either lines were removed because of their age meanwhile, or this line is missing.
                    switch try await beginAgain() {
                    case .success(true): continue walk
                    case .success(false): return .failure(.missing(position: last + 1))
                    case .failure(let fault): return .failure(fault)
                    }
                }
                seal = self.seal(line.content, at: last + 1, behind: seal, of: tenant)
                guard let stored = line.seal, Vault.areEqual(stored, seal) else {
                    return .failure(.altered(position: last + 1, seq: line.seq))
                }
                last += 1
                if noted == Self.text(last, seal) { isNotedFound = true }
            }
            guard lines.isEmpty else { continue }
            // Lines and end are written together, so an end that is read after the lines is never behind them.
            let head = try await store.auditHead(of: tenant)
            guard let head else {
                if last > 0 { return .failure(.endMoved(last: last, head: nil)) }
                break
            }
            guard isGenuine(head, of: tenant) else { return .failure(.endMoved(last: last, head: nil)) }
            if head.position == last, head.seal == seal { break }
            // Either the chain grew or its front was removed meanwhile, or lines are missing at its end.
            guard try await store.auditLines(of: tenant, after: last, limit: 1).isEmpty else { continue }
            switch try await beginAgain() {
            case .success(true): continue
            case .success(false): return .failure(.endMoved(last: last, head: head.position))
            case .failure(let fault): return .failure(fault)
            }
        }
        guard isNotedFound else {
            return .failure(.notedPlaceGone(position: notedPosition))
        }
        let unsealed = try await store.unsealedAuditLines(of: tenant)
        return .success(AuditReport(head: Self.text(last, seal), unsealed: unsealed))
    }

    /// The seals of `lines` and the new end; nil when this chain did not make `head`.
    package func link(
        _ lines: [AuditLine], behind head: AuditHead?, of tenant: TenantID
    ) -> (seals: [Data], head: AuditHead)? {
        if let head, !isGenuine(head, of: tenant) { return nil }
        var position = head?.position ?? 0
        var seal = head?.seal ?? Data()
        var seals: [Data] = []
        for line in lines {
            position += 1
            seal = self.seal(line.content, at: position, behind: seal, of: tenant)
            seals.append(seal)
        }
        return (
            seals, AuditHead(position: position, seal: seal, anchor: anchor(position, seal, of: tenant))
        )
    }

    /// The end of a chain as text, for notes outside the database: `POSITION:SEAL`.
    package static func text(_ head: AuditHead) -> String { text(head.position, head.seal) }

    private static func text(_ position: Int, _ seal: Data) -> String {
        "\(position):" + seal.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }

    private func isGenuine(_ head: AuditHead, of tenant: TenantID) -> Bool {
        Vault.areEqual(head.anchor, anchor(head.position, head.seal, of: tenant))
    }

    private func isGenuine(_ start: AuditStart?, of tenant: TenantID) -> Bool {
        start.map { Vault.areEqual($0.anchor, startAnchor($0.position, $0.seal, of: tenant)) } ?? true
    }

    /// The chain's start after its first lines, `lines`, are removed; nil when the lines or the stored ends were
    /// changed.
    private func start(behind lines: [AuditLine], of head: AuditHead, _ tenant: TenantID) -> AuditStart? {
        guard isGenuine(head, of: tenant), isGenuine(head.start, of: tenant) else { return nil }
        var position = head.start?.position ?? 0
        var seal = head.start?.seal ?? Data()
        for line in lines {
            position += 1
            seal = self.seal(line.content, at: position, behind: seal, of: tenant)
            guard line.position == position, let stored = line.seal, Vault.areEqual(stored, seal) else { return nil }
        }
        return AuditStart(position: position, seal: seal, anchor: startAnchor(position, seal, of: tenant))
    }

    private func seal(_ content: [Data], at position: Int, behind previous: Data, of tenant: TenantID) -> Data {
        vault.digest(.audit, tenant: tenant, [Data("line".utf8), previous, Data("\(position)".utf8)] + content)
    }

    private func startAnchor(_ position: Int, _ seal: Data, of tenant: TenantID) -> Data {
        vault.digest(.audit, tenant: tenant, [Data("start".utf8), seal, Data("\(position)".utf8)])
    }

    private func anchor(_ position: Int, _ seal: Data, of tenant: TenantID) -> Data {
        vault.digest(.audit, tenant: tenant, [Data("head".utf8), seal, Data("\(position)".utf8)])
    }
}
