/// Detects far more wrong guesses than typing errors explain, from any number of sources (`SEC-RATE-7`): more than 20
/// wrong guesses for a right one, of 500 or more in five minutes. The alarm stays on until this has not been so for 15
/// minutes.
///
/// Times are milliseconds since 1970.
struct GuessingAlarm: Sendable {
    private static let minute: Int64 = 60_000

    private struct Minute {
        var number: Int64
        var wrong = 0
        var right = 0
    }

    /// Those of the last five minutes that had a guess, newest last.
    private var minutes: [Minute] = []
    private var end: Int64 = 0

    func rings(at now: Int64) -> Bool { now < end }

    /// - Returns: Whether the alarm starts with this guess.
    mutating func count(isRight: Bool, at now: Int64) -> Bool {
        let number = now / Self.minute
        minutes.removeAll { $0.number <= number - 5 || $0.number > number }
        if minutes.last?.number != number { minutes.append(Minute(number: number)) }
        minutes[minutes.count - 1].wrong += isRight ? 0 : 1
        minutes[minutes.count - 1].right += isRight ? 1 : 0

        let wrong = minutes.reduce(0) { $0 + $1.wrong }
        let right = minutes.reduce(0) { $0 + $1.right }
        guard wrong + right >= 500, wrong > 20 * right else { return false }
        let begins = !rings(at: now)
        end = now + 15 * Self.minute
        return begins
    }
}
