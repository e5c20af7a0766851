package import PortableFoundation

/// A data key as the database stores it: one row for each master key that opens it.
package struct DataKeyRecord: Hashable, Sendable {
    /// 0 for a database's first key; each rotation of the master key adds the next one.
    package var generation: Int
    /// The first 4 bytes of a digest of the master key that sealed it.
    package var masterKeyID: Data
    package var sealedKey: Data
    /// When servers start to seal with the key, to the millisecond. They open values with it as soon as they know it.
    package var activeFrom: Date

    package init(generation: Int, masterKeyID: Data, sealedKey: Data, activeFrom: Date) {
        self.generation = generation
        self.masterKeyID = masterKeyID
        self.sealedKey = sealedKey
        self.activeFrom = activeFrom
    }
}

/// The facts for a decision about data keys.
package struct DataKeySituation: Hashable, Sendable {
    /// All rows, the oldest generation first.
    package var records: [DataKeyRecord]
    /// The signing keys of all tenants.
    package var signingKeys: [SigningKeyRecord]
    /// Whether the database is unused: it holds no sealed value and no digest.
    package var isNew: Bool

    package init(records: [DataKeyRecord], signingKeys: [SigningKeyRecord], isNew: Bool) {
        self.records = records
        self.signingKeys = signingKeys
        self.isNew = isNew
    }
}

/// A change of the data keys, written in one atomic step.
package struct DataKeyChange: Sendable {
    /// Rows to add.
    package var added: [DataKeyRecord] = []
    /// The master key whose rows stay; nil: all rows stay.
    package var keptMasterKeyID: Data?
    /// Signing keys that were sealed again, each with its earlier record; a key that was deleted or changed meanwhile
    /// is left as it is.
    package var resealed: [(old: SigningKeyRecord, sealed: Data)] = []
    /// A line for the audit trail of each tenant.
    package var event: (kind: AuditEvent.Kind, at: Date, detail: String)?

    package init() {}
}

/// Stores the data keys, sealed under one or more master keys.
package protocol DataKeyStore: Sendable {
    /// All rows, the oldest generation first.
    func dataKeys() async throws(StoreError) -> [DataKeyRecord]

    /// Reads the situation and writes the change that `decide` returns, in one atomic step: calls, also from other
    /// processes, run one after another.
    ///
    /// - Parameter decide: A nil change writes nothing. May be called more than once.
    func updateDataKeys<Answer: Sendable>(
        decide: @escaping @Sendable (DataKeySituation) -> (change: DataKeyChange?, answer: Answer)
    ) async throws(StoreError) -> Answer
}

extension DataKeyStore {
    /// Whether the store holds no sealed value and no digest, so that any master key may become its own.
    package func isUnsealed() async throws(StoreError) -> Bool {
        try await updateDataKeys { (nil, $0.records.isEmpty && $0.isNew) }
    }
}
