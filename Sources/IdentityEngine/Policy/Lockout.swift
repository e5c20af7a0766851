#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The wrong passwords of one account from one class of sources, familiar or not (`SEC-LOCK-1` to `SEC-LOCK-4`).
///
/// The right to compare a password is taken before the comparison, so that guesses in parallel gain nothing: each distinct
/// guess counts as a failure until a success clears all of them. A wrong one that was among the last three does not count again,
/// and neither does one that is being compared, so a right password that many devices send at once counts once.
package struct Lockout: Hashable, Sendable {
    /// Distinct guesses since the last success, or since a day without any.
    package var failures: Int
    /// Until when nothing is compared.
    package var lockedUntil: Date?
    /// Keyed digests of the last three distinct guesses that were wrong, 32 bytes each, oldest first.
    package var recent: [Data]
    /// The same of those that are being compared. They are quick to compute, and one of them may be right, so that none may stay:
    /// the comparison takes it away, and what a crash left is not believed, and removed, after ``longestComparison``.
    package var underWay: [Data]
    /// Until when ``underWay`` is believed; nil: nothing is under way.
    package var underWayUntil: Date?
    package var lastFailureAt: Date

    package init(
        failures: Int, lockedUntil: Date? = nil, recent: [Data], underWay: [Data] = [], underWayUntil: Date? = nil,
        lastFailureAt: Date
    ) {
        self.failures = failures
        self.lockedUntil = lockedUntil
        self.recent = recent
        self.underWay = underWay
        self.underWayUntil = underWayUntil
        self.lastFailureAt = lastFailureAt
    }

    /// How many distinct guesses are free.
    package static let threshold = 10
    /// From how many on a source of this class needs a proof of the mailbox besides the right password (`SEC-LOCK-6`): a familiar
    /// network has other people in it.
    package static let passwordsAloneLimit = 100
    /// Seconds after which failures are forgotten.
    package static let memory = 86_400.0
    /// How many distinct guesses are remembered, of each kind.
    private static let remembered = 3
    /// Seconds; no comparison takes that long.
    private static let longestComparison = 60.0
    /// The first lock and the longest one, in seconds.
    private static let firstLock = 60.0
    private static let longestLock = 900.0

    /// What becomes of a guess.
    package enum Admission: Hashable, Sendable {
        /// It may be compared; this is how the failures stand unless it turns out right.
        case compare(Lockout)
        /// Nothing is compared for so many seconds.
        case locked(seconds: Int)
    }

    /// Judges a guess; pure.
    ///
    /// - Parameters:
    ///   - current: The failures so far; nil when there were none.
    ///   - guess: A keyed digest of the password.
    package static func admitting(_ guess: Data, to current: Lockout?, now: Date) -> Admission {
        var lockout = current ?? Lockout(failures: 0, recent: [], lastFailureAt: now)
        if now.timeIntervalSince(lockout.lastFailureAt) >= memory {
            lockout = Lockout(failures: 0, recent: [], lastFailureAt: now)
        }
        // First, so that the guess that brought the lock may be under way more than once (`SEC-LOCK-7`): it tells nothing new.
        if lockout.recent.contains(guess) { return .compare(lockout) }
        if let end = lockout.underWayUntil, end <= now { (lockout.underWay, lockout.underWayUntil) = ([], nil) }
        if lockout.underWay.contains(guess) { return .compare(lockout) }
        if let end = lockout.lockedUntil, now < end {
            return .locked(seconds: max(1, Int(end.timeIntervalSince(now).rounded(.up))))
        }
        lockout.failures += 1
        lockout.underWay = (lockout.underWay + [guess]).suffix(remembered)
        lockout.underWayUntil = now.addingTimeInterval(longestComparison)
        lockout.lastFailureAt = now
        let over = lockout.failures - threshold
        lockout.lockedUntil =
            over < 0 ? nil : now.addingTimeInterval(min(firstLock * Double(1 << min(over, 4)), longestLock))
        return .compare(lockout)
    }

    /// What stays of a guess that was compared: of a right one nothing, neither its digest nor its count, nor the lock that it
    /// would have brought.
    package func concluding(_ guess: Data, isRight: Bool) -> Lockout {
        var lockout = self
        lockout.underWay.removeAll { $0 == guess }
        if lockout.underWay.isEmpty { lockout.underWayUntil = nil }
        if !isRight {
            if !recent.contains(guess) { lockout.recent = (recent + [guess]).suffix(Self.remembered) }
        } else if underWay.contains(guess) {
            lockout.failures -= 1
            lockout.lockedUntil = nil
        }
        return lockout
    }
}
