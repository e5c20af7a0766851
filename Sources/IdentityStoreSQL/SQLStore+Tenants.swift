package import IdentityEngine
package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The tenants' configuration as somebody has applied it: YAML, in the format of docs/tenant-file.md.
package struct TenantDocument: Hashable, Sendable {
    /// 1 for the first one; each that is applied has one more.
    package var version: Int
    package var text: String
}

extension SQLStore {
    /// The document in force, if its version is greater than `version`.
    package func tenantDocument(newerThan version: Int = 0) async throws(StoreError) -> TenantDocument? {
        try await read { try $0.tenantDocument(newerThan: version).get() }
    }

    /// Puts a document in force that was checked before, and writes `config.changed` with the SHA-256 of the old and the new one
    /// for each tenant that the database knows or the document names.
    ///
    /// - Returns: The document in force; with the version that it had, when nothing changed.
    package func apply(
        _ text: String, naming tenants: [TenantID], at now: Date
    ) async throws(StoreError) -> TenantDocument {
        try await write([.tenantDocuments]) { session in
            let old = try session.tenantDocument(newerThan: 0).get()
            if let old, old.text == text { return old }
            let new = TenantDocument(version: (old?.version ?? 0) + 1, text: text)
            try session.run(
                "INSERT INTO tenant_documents (version, document, applied_at) VALUES (?, ?, ?)",
                [new.version, new.text, now])
            let detail = "before \(old.map { Self.checksum($0.text) } ?? "none") after \(Self.checksum(text))"
            for tenant in Set(try session.tenants()).union(tenants) {
                try session.insert(AuditEvent(.configChanged, at: now, tenant: tenant, detail: detail))
            }
            return new
        }
    }

    /// As `sha256sum` prints it.
    private static func checksum(_ text: String) -> String {
        Vault.checksum(Data(text.utf8)).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}

extension SQLSession {
    fileprivate func tenantDocument(newerThan version: Int) throws -> Pending<TenantDocument?> {
        try rows(
            of: "tenant_documents",
            "SELECT version, document FROM tenant_documents WHERE version > ? ORDER BY version DESC LIMIT 1", [version]
        ).map { rows in
            try rows.first.map { TenantDocument(version: try $0.value("version"), text: try $0.value("document")) }
        }
    }
}
