package import PortableFoundation

/// The wrong passwords for one account from networks that it knows, or from all others (`SEC-LOCK-1` to `SEC-LOCK-4`).
///
/// The right to compare a password is taken before the comparison, so that parallel guesses gain nothing: each distinct
/// guess counts as a failure until a success clears all of them. A wrong guess that is among the last three, or that is
/// being compared, does not count again, so a right password that many devices send at once counts once.
package struct Lockout: Hashable, Sendable {
    /// The number of distinct guesses since the last success, or since a day without any.
    package var failures: Int
    /// The end of the lock; nothing is compared before it.
    package var lockedUntil: Date?
    /// Keyed digests of the last three distinct wrong guesses, 32 bytes each, oldest first.
    package var recent: [Data]
    /// Keyed digests of the guesses that are being compared. They are quick to compute and one of them may be right, so
    /// none may stay: the comparison removes its own, and digests left by a crash are ignored and removed after
    /// ``longestComparison``.
    package var underWay: [Data]
    /// When ``underWay`` becomes invalid; nil when no comparison is under way.
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

    /// The number of distinct guesses without a lock.
    package static let threshold = 10
    /// The number of failures above which a source of this class needs a proof of the mailbox besides the right
    /// password (`SEC-LOCK-6`): a familiar network also has other users.
    package static let passwordsAloneLimit = 100
    /// Seconds after which failures are forgotten.
    package static let memory = 86_400.0
    /// How many distinct guesses of each kind are stored.
    private static let remembered = 3
    /// Seconds; longer than any comparison takes.
    private static let longestComparison = 60.0
    /// The first lock and the longest one, in seconds.
    private static let firstLock = 60.0
    private static let longestLock = 900.0

    /// The decision about a guess.
    package enum GuessDecision: Hashable, Sendable {
        /// The guess may be compared; these are the failures unless it is right.
        case compare(Lockout)
        /// No password is compared for this many seconds.
        case locked(seconds: Int)
    }

    /// Decides whether a guess may be compared, as a pure function.
    ///
    /// - Parameters:
    ///   - current: The failures so far; nil when there were none.
    ///   - guess: A keyed digest of the password.
    ///   - countsRepeats: Whether a guess counts that was wrong before or is under way: another system judges it again, and must
    ///     not be asked more often than the locks allow.
    package static func admitting(
        _ guess: Data, to current: Lockout?, now: Date, countsRepeats: Bool = false
    ) -> GuessDecision {
        var lockout = current ?? Lockout(failures: 0, recent: [], lastFailureAt: now)
        if now.timeIntervalSince(lockout.lastFailureAt) >= memory {
            lockout = Lockout(failures: 0, recent: [], lastFailureAt: now)
        }
        // Checked first, so that the guess that caused the lock may be under way more than once (`SEC-LOCK-7`): it
        // reveals nothing new.
        if !countsRepeats, lockout.recent.contains(guess) { return .compare(lockout) }
        if let end = lockout.underWayUntil, end <= now { (lockout.underWay, lockout.underWayUntil) = ([], nil) }
        if !countsRepeats, lockout.underWay.contains(guess) { return .compare(lockout) }
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

    /// The failures after another system has not accepted a guess that may be right: it stays counted, and no digest of it
    /// is left.
    package func releasing(_ guess: Data) -> Lockout {
        var lockout = self
        lockout.underWay.removeAll { $0 == guess }
        if lockout.underWay.isEmpty { lockout.underWayUntil = nil }
        return lockout
    }

    /// The failures after a comparison. A right guess leaves nothing: no digest, no count, and no lock that it would
    /// have caused.
    package func concluding(_ guess: Data, isRight: Bool) -> Lockout {
        var lockout = releasing(guess)
        if !isRight {
            if !recent.contains(guess) { lockout.recent = (recent + [guess]).suffix(Self.remembered) }
        } else if underWay.contains(guess) {
            lockout.failures -= 1
            lockout.lockedUntil = nil
        }
        return lockout
    }
}
