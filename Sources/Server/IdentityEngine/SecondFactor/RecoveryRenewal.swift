package import PortableFoundation

/// Whether a user is to make new recovery codes (`SEC-REC-5`). The raw value is the word of the account API.
package enum RecoveryRenewal: String, Hashable, Sendable, Codable, CaseIterable {
    /// There are enough codes, or none were ever made.
    case none
    /// Few are left.
    case suggested
    /// All are used: a lost method would lock the user out.
    case demanded

    /// From this number of codes on new ones are suggested.
    static let low = 3

    /// - Parameter set: The codes of an account; nil: it has none, and needs none.
    init(of set: RecoverySet?) {
        guard let set else {
            self = .none
            return
        }
        self = set.codes.isEmpty ? .demanded : set.codes.count <= Self.low ? .suggested : .none
    }
}

extension UserAccount {
    /// Whether the user is to make new recovery codes. Where the tenant has none, or the user no method that they are spares
    /// for, none can be made, so none are asked for.
    package func recoveryRenewal(in tenant: Tenant) -> RecoveryRenewal {
        tenant.offersRecoveryCodes && !secondFactors.isEmpty ? RecoveryRenewal(of: recovery) : .none
    }
}

extension DirectoryCaller {
    /// What a sign-in leads through before it goes on: ``RecoveryRenewal/none`` also for a session that may make no codes,
    /// which is never kept waiting for them (`SEC-REC-6`).
    package func recoveryRenewalOfSignIn(now: Date) -> RecoveryRenewal {
        guard hasJustProvenTwo, lackOfProof(now: now) == nil else { return .none }
        return account.recoveryRenewal(in: tenant)
    }
}
