package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What is wrong with a tenant's audit trail. Each description is a sentence that names the place.
package enum AuditFault: Error, Hashable, CustomStringConvertible {
    /// The line there says something else than when it was sealed, or stood at another place.
    case altered(position: Int, seq: Int)
    /// No line has this place.
    case missing(position: Int)
    /// The chain goes up to the first number, and its end was at the second one; nil: its end was moved by somebody.
    case endMoved(last: Int, head: Int?)
    /// Its beginning, which stands where lines were removed because they were old, was moved by somebody.
    case startMoved
    /// The line with the place that was noted earlier was old and is removed; whether it was there cannot be told.
    case notedPlaceRemoved(position: Int)
    /// The chain does not go through the place that was noted earlier.
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

/// What a sound trail was found to hold.
package struct AuditReport: Hashable, Sendable {
    /// The end of the chain, `POSITION:SEAL` with the seal in hexadecimal; `0:` when nothing is sealed yet.
    package var head: String
    /// How many lines are not sealed yet.
    package var unsealed: Int
}

/// The chain over a tenant's audit trail: each line is sealed together with the seal of the line before, under a key that lies
/// outside the database (`SEC-AUD-2`, `docs/design/0009-audit-chain.md`).
package struct AuditChain: Sendable {
    /// For how many days lines are kept, unless a tenant says otherwise (`SEC-AUD-3`).
    package static let retentionDays = 400
    private static let portion = 1_000
    private let vault: Vault

    package init(vault: Vault) {
        self.vault = vault
    }

    /// Seals what is not sealed yet, of all tenants.
    package func seal(in store: some AuditStore) async throws(StoreError) -> AuditSealing {
        var total = AuditSealing()
        while true {
            let pass = try await store.sealAudit(limit: 500) { head, tenant, lines in
                link(lines, behind: head, of: tenant)
            }
            total.count += pass.count
            total.heads.merge(pass.heads) { $1 }
            total.broken = pass.broken
            if pass.count == 0 { return total }
        }
    }

    /// Removes the tenant's lines of before `date` from the front of the chain, a portion at a time, and leaves a sealed place where
    /// the rest begins (`SEC-AUD-3`). Each line is verified before it goes, so that no fault goes with it.
    ///
    /// - Returns: How many went; nil when the chain is not sound there, and nothing more is removed.
    package func cut(
        _ tenant: TenantID, before date: Date, in store: some AuditStore
    ) async throws(StoreError) -> Int? {
        var total = 0
        while true {
            let count = try await store.cutAudit(of: tenant, before: date, limit: 500) { head, lines in
                start(behind: lines, of: head, tenant)
            }
            guard let count else { return nil }
            total += count
            if count == 0 { return total }
        }
    }

    /// Looks at every line of the tenant that is sealed, and was not removed because of its age.
    ///
    /// - Parameter noted: The end of the chain as an earlier look or the server's log told it; it must still be on the chain.
    package func verify(
        _ tenant: TenantID, in store: some AuditStore, noted: String? = nil
    ) async throws(StoreError) -> Result<AuditReport, AuditFault> {
        let notedPosition = noted.flatMap { Int($0.prefix { $0 != ":" }) } ?? 0
        var last = 0
        var seal = Data()
        var isNotedFound = false
        var begin: AuditStart?
        /// Begins again where the chain begins by now; false when that is where it began before, so that lines are missing.
        func beginAgain() async throws(StoreError) -> Result<Bool, AuditFault> {
            let head = try await store.auditHead(of: tenant)
            guard isGenuine(head?.start, of: tenant) else { return .failure(.startMoved) }
            let start = head?.start ?? AuditStart(position: 0, seal: Data(), anchor: Data())
            guard start.position > begin?.position ?? -1 else { return .success(false) }
            (begin, last, seal) = (start, start.position, start.seal)
            isNotedFound = noted == nil || noted == Self.text(last, seal)
            // Nobody wrote a line before the beginning.
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
                guard line.position == last + 1 else {
                    // Lines were removed because of their age meanwhile, or this one is missing.
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
            // Lines and end are written together, so an end that is read after the lines is not behind them.
            let head = try await store.auditHead(of: tenant)
            guard let head else {
                if last > 0 { return .failure(.endMoved(last: last, head: nil)) }
                break
            }
            guard isGenuine(head, of: tenant) else { return .failure(.endMoved(last: last, head: nil)) }
            if head.position == last, head.seal == seal { break }
            // It grew meanwhile, or its front went, or neither and lines are missing at its end.
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

    /// The seals of `lines` and the new end; nil when `head` is not one that this chain has left.
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

    /// An end of a chain as it is noted outside the database: `POSITION:SEAL`.
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

    /// Where the chain begins behind `lines`, its first ones; nil when they or the ends are not as they were left.
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
