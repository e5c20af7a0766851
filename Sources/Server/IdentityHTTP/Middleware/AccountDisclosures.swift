import IdentityEngine

extension IdentityRequestContext {
    /// Seconds until the source may send another request that reveals whether an account exists; nil when it may now or
    /// limits are off.
    var enumerationWait: Int? {
        source.flatMap { policy.limits?.waitForDisclosure(to: $0, now: trace.at) }
    }

    /// Counts an answer that reveals whether an account exists, or takes an earlier one back (`SEC-ENUM-1`).
    ///
    /// - Returns: Whether the source's budget is now used up.
    func count(_ disclosure: AccountDisclosure) -> Bool {
        guard let limits = policy.limits, let source else { return false }
        switch disclosure {
        case .none: return false
        case .counts: return limits.recordDisclosure(to: source, now: trace.at)
        case .givesOneBack:
            limits.giveBackDisclosure(to: source, now: trace.at)
            return false
        }
    }
}
