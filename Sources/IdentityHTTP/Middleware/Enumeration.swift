import IdentityEngine

extension IdentityRequestContext {
    /// Seconds until the source may ask again for what tells whether an account exists; nil: it may now, or limits are off.
    var enumerationWait: Int? {
        source.flatMap { perimeter.limits?.waitForRevelation(from: $0, now: trace.at) }
    }

    /// Counts an answer that tells whether an account exists (`SEC-ENUM-1`); any other changes nothing.
    ///
    /// - Returns: Whether it used up what the source may be told for now.
    func countRevelation(_ outcome: Outcome) -> Bool {
        guard outcome.revealsAccount, let limits = perimeter.limits, let source else { return false }
        return limits.recordRevelation(from: source, now: trace.at)
    }
}
