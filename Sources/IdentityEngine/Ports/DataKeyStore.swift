#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A data key as the database keeps it: one row for each master key that opens it.
package struct DataKeyRecord: Hashable, Sendable {
    /// 0 for a database's first key; each rotation of the master key makes the next one.
    package var generation: Int
    /// The first 4 bytes of a digest of the master key that sealed it.
    package var masterKeyID: Data
    package var sealedKey: Data
    /// From when on servers seal with it. They open with it as soon as they know it. To the millisecond.
    package var activeFrom: Date

    package init(generation: Int, masterKeyID: Data, sealedKey: Data, activeFrom: Date) {
        self.generation = generation
        self.masterKeyID = masterKeyID
        self.sealedKey = sealedKey
        self.activeFrom = activeFrom
    }
}

/// What a decision about the data keys rests on.
package struct DataKeySituation: Hashable, Sendable {
    /// All rows, the oldest generation first.
    package var records: [DataKeyRecord]
    /// Those of all tenants.
    package var signingKeys: [SigningKeyRecord]
    /// Whether nobody has used the database: nothing in it was sealed or digested.
    package var isNew: Bool

    package init(records: [DataKeyRecord], signingKeys: [SigningKeyRecord], isNew: Bool) {
        self.records = records
        self.signingKeys = signingKeys
        self.isNew = isNew
    }
}

/// What becomes of the data keys, as one atomic step.
package struct DataKeyChange: Sendable {
    /// Rows to add.
    package var added: [DataKeyRecord] = []
    /// The master key whose rows stay; nil: all do.
    package var keptMasterKeyID: Data?
    /// Signing keys that were sealed anew, each with what was there before; one that is gone or changed since stays so.
    package var resealed: [(old: SigningKeyRecord, sealed: Data)] = []
    /// A line for the audit trail of each tenant.
    package var event: (kind: AuditEvent.Kind, at: Date, detail: String)?

    package init() {}
}

/// Keeps the data keys, sealed under one or several master keys.
package protocol DataKeyStore: Sendable {
    /// All rows, the oldest generation first.
    func dataKeys() async throws(StoreError) -> [DataKeyRecord]

    /// Reads the situation and makes the change that `decide` says, as one atomic step: callers, of other processes too, come one
    /// after the other.
    ///
    /// - Parameter decide: Nil for the change leaves everything as it is. May be called more than once.
    func updateDataKeys<Answer: Sendable>(
        decide: @escaping @Sendable (DataKeySituation) -> (change: DataKeyChange?, answer: Answer)
    ) async throws(StoreError) -> Answer
}

extension DataKeyStore {
    /// Whether nothing in the store was sealed or digested, so that any master key may become its own.
    package func isUnsealed() async throws(StoreError) -> Bool {
        try await updateDataKeys { (nil, $0.records.isEmpty && $0.isNew) }
    }
}
