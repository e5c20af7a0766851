import IdentityEngine

extension IdentityRequestContext {
    /// Seconds until the source may ask again for what tells whether an account exists; nil: it may now, or limits are off.
    var enumerationWait: Int? {
        source.flatMap { perimeter.limits?.waitForDisclosure(to: $0, now: trace.at) }
    }

    /// Counts what an answer tells, or takes back what one of before told (`SEC-ENUM-1`).
    ///
    /// - Returns: Whether it used up what the source may be told for now.
    func count(_ disclosure: AccountDisclosure) -> Bool {
        guard let limits = perimeter.limits, let source else { return false }
        switch disclosure {
        case .none: return false
        case .counts: return limits.recordDisclosure(to: source, now: trace.at)
        case .givesOneBack:
            limits.giveBackDisclosure(to: source, now: trace.at)
            return false
        }
    }
}
