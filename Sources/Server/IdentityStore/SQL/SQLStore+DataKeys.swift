package import IdentityEngine
import NativeAuthCore
import PortableFoundation

extension SQLStore {
    package func dataKeys() async throws(StoreError) -> [DataKeyRecord] {
        try await read { try $0.dataKeys().get() }
    }

    package func updateDataKeys<Answer: Sendable>(
        decide: @escaping @Sendable (DataKeySituation) -> (change: DataKeyChange?, answer: Answer)
    ) async throws(StoreError) -> Answer {
        try await write([.dataKeys]) { session in
            let records = try session.dataKeys()
            let signingKeys = try session.signingKeys()
            var isNew = try signingKeys.get().isEmpty
            for table in ["users", "flows", "audit"] where isNew { isNew = try !session.hasRows(table) }
            let (change, answer) = decide(
                DataKeySituation(records: try records.get(), signingKeys: try signingKeys.get(), isNew: isNew))
            guard let change else { return answer }
            for record in change.added {
                try session.run(
                    "INSERT INTO data_keys (generation, master_key, sealed_key, active_from) VALUES (?, ?, ?, ?)",
                    [record.generation, record.masterKeyID, record.sealedKey, record.activeFrom])
            }
            if let kept = change.keptMasterKeyID {
                try session.run("DELETE FROM data_keys WHERE master_key != ?", [kept])
            }
            for (old, sealed) in change.resealed {
                try session.run(
                    """
                    UPDATE signing_keys SET sealed_private_key = ?
                    WHERE tenant = ? AND kid = ? AND sealed_private_key = ?
                    """, [sealed, old.tenant, old.kid, old.sealedPrivateKey])
            }
            if let event = change.event {
                for tenant in try session.tenants() {
                    try session.insert(
                        AuditEvent(event.kind, at: event.at, tenant: tenant, detail: event.detail))
                }
            }
            return answer
        }
    }
}

extension SQLSession {
    fileprivate func dataKeys() throws -> Pending<[DataKeyRecord]> {
        try rows(
            of: "data_keys",
            "SELECT generation, master_key, sealed_key, active_from FROM data_keys ORDER BY generation, master_key", []
        ).map { rows in
            try rows.map { row in
                DataKeyRecord(
                    generation: try row.value("generation"), masterKeyID: try row.value("master_key"),
                    sealedKey: try row.value("sealed_key"), activeFrom: try row.value("active_from"))
            }
        }
    }

    /// The signing keys of all tenants.
    fileprivate func signingKeys() throws -> Pending<[SigningKeyRecord]> {
        try rows(
            of: "signing_keys",
            "SELECT tenant, kid, algorithm, sealed_private_key, created_at, active_from FROM signing_keys", []
        ).map { rows in
            try rows.map { row in
                SigningKeyRecord(
                    tenant: try row.value("tenant"), kid: try row.value("kid"), algorithm: try row.value("algorithm"),
                    sealedPrivateKey: try row.value("sealed_private_key"), createdAt: try row.value("created_at"),
                    activeFrom: try row.value("active_from"))
            }
        }
    }

    fileprivate func hasRows(_ table: String) throws -> Bool {
        // PostgreSQL's own type of 1 is none that a session reads.
        try !rows(of: table, "SELECT CAST(1 AS BIGINT) AS found FROM \(table) LIMIT 1", []).get().isEmpty
    }
}
