#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The wrong passwords of one account from one class of sources, familiar or not (`SEC-LOCK-1` to `SEC-LOCK-4`).
///
/// The right to compare a password is taken before the comparison, so that guesses in parallel gain nothing: each distinct
/// guess counts as a failure until a success clears all of them. A guess that was among the last three does not count again,
/// so neither does a right password that many devices send at once.
package struct Lockout: Hashable, Sendable {
    /// Distinct guesses since the last success, or since a day without any.
    package var failures: Int
    /// Until when nothing is compared.
    package var lockedUntil: Date?
    /// Keyed digests of the last three distinct guesses, 32 bytes each, oldest first.
    package var recent: [Data]
    package var lastFailureAt: Date

    package init(failures: Int, lockedUntil: Date? = nil, recent: [Data], lastFailureAt: Date) {
        self.failures = failures
        self.lockedUntil = lockedUntil
        self.recent = recent
        self.lastFailureAt = lastFailureAt
    }

    /// How many distinct guesses are free.
    package static let threshold = 10
    /// From how many on an unfamiliar source needs a proof of the mailbox besides the right password (`SEC-LOCK-6`).
    package static let passwordsAloneLimit = 100
    /// Seconds after which failures are forgotten.
    package static let memory = 86_400.0
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
        if let end = lockout.lockedUntil, now < end {
            return .locked(seconds: max(1, Int(end.timeIntervalSince(now).rounded(.up))))
        }
        lockout.failures += 1
        lockout.recent = (lockout.recent + [guess]).suffix(3)
        lockout.lastFailureAt = now
        let over = lockout.failures - threshold
        lockout.lockedUntil =
            over < 0 ? nil : now.addingTimeInterval(min(firstLock * Double(1 << min(over, 4)), longestLock))
        return .compare(lockout)
    }
}
