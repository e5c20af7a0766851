package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

/// A version of the tenants' configuration: YAML, in the format of docs/operate/tenant-file.md.
package struct TenantDocument: Hashable, Sendable {
    /// 1 for the first document; each applied one increases it by one.
    package var version: Int
    package var text: String
    package var appliedAt: Date

    /// How many versions are kept.
    package static let kept = 500

    /// SHA-256 of the text, as in `sha256sum` and the audit trail.
    package var checksum: String { Vault.checksum(Data(text.utf8)).hexadecimal }
}

extension SQLStore {
    /// The current document, if its version is greater than `version`.
    package func tenantDocument(newerThan version: Int = 0) async throws(StoreError) -> TenantDocument? {
        try await read { try $0.tenantDocuments("WHERE version > ?", [version], limit: 1).get().first }
    }

    /// The document of a version; nil when there is none, or it was removed as too old.
    package func tenantDocument(version: Int) async throws(StoreError) -> TenantDocument? {
        try await read { try $0.tenantDocuments("WHERE version = ?", [version], limit: 1).get().first }
    }

    /// All versions that are kept, the current one first.
    package func tenantDocuments() async throws(StoreError) -> [TenantDocument] {
        try await read { try $0.tenantDocuments("", [], limit: 1_000_000).get() }
    }

    /// The number of users of each tenant that has any; the operators are none of them.
    package func userCounts() async throws(StoreError) -> [TenantID: Int] {
        try await read { session in
            let counts = try session.rows(
                of: "users", "SELECT tenant, COUNT(*) AS count FROM users WHERE tenant <> ? GROUP BY tenant",
                [OperatorTenant.id])
            return try counts.get().reduce(into: [:]) { $0[try $1.value("tenant")] = try $1.value("count") as Int }
        }
    }

    /// Puts a checked document in force, and writes `config.changed` with the SHA-256 of the old and the new one for
    /// each tenant that the database knows or the document names.
    ///
    /// - Parameters:
    ///   - version: The version of the current document, as the caller knows it; 0 when there is none.
    ///   - isWhole: Whether the change is about all tenants, and not only about those of the list.
    ///   - actor: Who does it; nil for a command.
    /// - Returns: The current document; its version is the old one when nothing changed. Nil, and nothing is changed,
    ///   when the current document is another one than the caller knows.
    package func apply(
        _ text: String, naming tenants: [TenantID], isWhole: Bool = true, over version: Int,
        by actor: ClientID? = nil, at now: Date
    ) async throws(StoreError) -> TenantDocument? {
        try await write([.tenantDocuments]) { session in
            let old = try session.tenantDocuments("", [], limit: 1).get().first
            if let old, old.text == text { return old }
            guard old?.version ?? 0 == version else { return nil }
            let new = TenantDocument(version: version + 1, text: text, appliedAt: now)
            try session.run(
                "INSERT INTO tenant_documents (version, document, applied_at) VALUES (?, ?, ?)",
                [new.version, new.text, now])
            let detail = "before \(old?.checksum ?? "none") after \(new.checksum)"
            try session.run(
                "DELETE FROM tenant_documents WHERE version <= ?", [new.version - TenantDocument.kept], expecting: nil)
            for tenant in isWhole ? Set(try session.tenants()).union(tenants) : Set(tenants) {
                try session.insert(
                    AuditEvent(.configChanged, at: now, tenant: tenant, client: actor, detail: detail))
            }
            return new
        }
    }
}

extension SQLSession {
    /// Newest first.
    fileprivate func tenantDocuments(
        _ condition: String, _ values: [any StoredValue], limit: Int
    ) throws -> Pending<[TenantDocument]> {
        try rows(
            of: "tenant_documents",
            "SELECT version, document, applied_at FROM tenant_documents \(condition) ORDER BY version DESC LIMIT ?",
            values + [limit]
        ).map { rows in
            try rows.map { row in
                TenantDocument(
                    version: try row.value("version"), text: try row.value("document"),
                    appliedAt: try row.value("applied_at"))
            }
        }
    }
}
