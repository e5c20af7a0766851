import IdentityEngine
import PortableFoundation
import Testing

@Suite("Lockout")
struct LockoutTests {
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// One account seen from one class of sources, with its failures kept as in the store.
    private struct Account {
        var lockout: Lockout?
        var now = LockoutTests.start
        private var guesses = 0

        /// Nil when the guess was compared and wrong; otherwise the seconds for which nothing is compared.
        ///
        /// - Parameter staysUnderWay: Whether the comparison does not end.
        mutating func guess(_ password: String, staysUnderWay: Bool = false) -> Int? {
            switch Lockout.admitting(Data(password.utf8), to: lockout, now: now) {
            case .compare(let next):
                lockout = staysUnderWay ? next : next.concluding(Data(password.utf8), isRight: false)
                return nil
            case .locked(let seconds):
                return seconds
            }
        }

        /// A guess that was never made before.
        mutating func guess() -> Int? {
            guesses += 1
            return guess("guess \(guesses)")
        }

        mutating func fail(_ count: Int) {
            for _ in 0..<count { _ = guess() }
        }

        /// How long the lock lasts from now on; nil without one.
        var lockLength: Double? { lockout?.lockedUntil?.timeIntervalSince(now) }
    }

    @Test("SEC-LOCK-1: ten wrong passwords lock for a minute, each further one for 2, 4, 8, then 15 minutes")
    func locksGrowToFifteenMinutes() {
        var account = Account()
        for failure in 1...9 {
            #expect(account.guess() == nil)
            #expect(account.lockLength == nil, "after \(failure)")
        }
        for (failure, seconds) in zip(10..., [60, 120, 240, 480, 900, 900, 900]) {
            #expect(account.guess() == nil, "failure \(failure) is compared")
            #expect(account.lockout?.failures == failure)
            #expect(account.lockLength == Double(seconds), "after \(failure)")

            // During the lock nothing is compared or counted, and the wait is in whole seconds, never zero.
            let locked = account.lockout
            #expect(account.guess() == seconds)
            account.now += 0.5
            #expect(account.guess() == seconds)
            account.now += Double(seconds) - 0.501
            #expect(account.guess() == 1)
            #expect(account.lockout == locked)
            account.now += 0.001
        }
    }

    @Test("SEC-LOCK-1: hundreds of failures do not lock for longer")
    func hundredsOfFailuresDoNotLockForLonger() {
        var account = Account()
        for _ in 0..<500 {
            account.fail(1)
            account.now += 900
        }
        #expect(account.lockout?.failures == 500)
        account.fail(1)
        #expect(account.lockLength == 900)
    }

    @Test(
        "SEC-LOCK-1: failures are remembered for a day after the last one",
        arguments: [(86_399.999, 10), (86_400, 1), (200_000, 1)])
    func failuresAreRememberedForADay(_ pause: Double, _ failures: Int) {
        var account = Account()
        account.fail(5)
        account.now += 86_399
        account.fail(4)
        #expect(account.lockout?.failures == 9)

        account.now += pause
        #expect(account.guess() == nil)
        #expect(account.lockout?.failures == failures)
        #expect(account.lockLength == (failures == 10 ? 60 : nil))
    }

    @Test("SEC-LOCK-1: the day also ends what was guessed last")
    func theDayEndsWhatWasGuessedLast() {
        var account = Account()
        account.fail(3)
        account.now += 86_400
        #expect(account.guess("guess 3") == nil)
        #expect(account.lockout?.failures == 1)
        #expect(account.lockout?.recent == [Data("guess 3".utf8)])
    }

    @Test("SEC-LOCK-1: after a success ten more are free")
    func aSuccessStartsAnew() {
        var account = Account()
        account.fail(9)
        account.lockout = nil
        account.fail(9)
        #expect(account.lockLength == nil)
        account.fail(1)
        #expect(account.lockLength == 60)
    }

    @Test("SEC-LOCK-4: one wrong password a thousand times does not lock")
    func oneWrongPasswordAThousandTimesDoesNotLock() {
        var account = Account()
        for _ in 0..<1000 {
            #expect(account.guess("Winter2024!") == nil)
            account.now += 1
        }
        #expect(account.lockout?.failures == 1)
        #expect(account.lockout?.lockedUntil == nil)
        #expect(account.lockout?.lastFailureAt == Self.start)
    }

    @Test(
        "SEC-LOCK-4: the last three passwords do not count again, the one before does",
        arguments: [(1, 5), (2, 4), (3, 4), (4, 4), (5, 5)])
    func theLastThreeDoNotCountAgain(_ number: Int, _ failures: Int) {
        var account = Account()
        account.fail(4)
        #expect(account.guess("guess \(number)") == nil)
        #expect(account.lockout?.failures == failures)
        #expect(account.lockout?.recent.count == 3)
    }

    @Test("SEC-LOCK-4: ten distinct passwords lock, the eleventh waits")
    func tenDistinctPasswordsLock() {
        var account = Account()
        let answers = (1...20).map { _ in account.guess() }
        #expect(answers == Array(repeating: nil, count: 10) + Array(repeating: 60, count: 10))
    }

    @Test(
        "SEC-LOCK-7: one password under way 200 times is compared each time, even as the tenth failure",
        arguments: [0, 5, 9])
    func onePasswordUnderWayManyTimes(_ failuresBefore: Int) {
        var account = Account()
        account.fail(failuresBefore)
        let answers = (0..<200).map { _ in account.guess("the right one", staysUnderWay: true) }
        #expect(answers.allSatisfy { $0 == nil })
        #expect(account.lockout?.failures == failuresBefore + 1)
        // Other clients' guesses wait when the ten are used up.
        #expect(account.guess("another") == (failuresBefore == 9 ? 60 : nil))
    }

    @Test("SEC-LOCK-2: a digest of a right password stays in no outcome, one under way for a minute at most")
    func noDigestOfARightPasswordStays() throws {
        let right = Data("the right one".utf8)
        var account = Account()
        for _ in 0..<120 {
            account.fail(1)
            account.now += 900
        }
        let wrong = try #require(account.lockout).recent
        _ = account.guess("the right one", staysUnderWay: true)
        #expect(account.lockout?.recent == wrong && account.lockout?.underWay == [right])
        #expect(account.lockout?.underWayUntil == account.now + 60)
        // It was right, and the mailbox is also needed: the failures stay.
        let concluded = try #require(account.lockout).concluding(right, isRight: true)
        #expect(concluded.recent == wrong && concluded.underWay == [] && concluded.underWayUntil == nil)
        #expect(concluded.failures == 120 && concluded.lockedUntil == nil)
        // The comparison never ended: its digests are ignored, and removed with the next guess.
        account.now += 900
        _ = account.guess("another", staysUnderWay: true)
        #expect(account.lockout?.underWay == [Data("another".utf8)])
        #expect(account.lockout?.failures == 122)
    }

    @Test("SEC-LOCK-5: a password that comes during a lock is not compared, right or wrong")
    func nothingNewIsComparedDuringALock() {
        var account = Account()
        account.fail(10)
        #expect(account.guess("the right one") == 60)
        account.now += 60
        #expect(account.guess("the right one") == nil)
    }
}
