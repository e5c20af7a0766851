import IdentityEngine
import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The limits per source, flow and family that one node holds in memory (`SEC-RATE-2` to `SEC-RATE-6`). They are this node's
/// alone and end with it; what must be exact is counted in the database (`SEC-RATE-9`).
///
/// All limits have one form: at most so many in so many seconds. An event counts for the whole of that time, or for up to a
/// sixteenth less of it. What is refused is not counted, so waiting as long as a refusal says always helps (`SEC-RATE-8`).
package final class SourceLimits: Sendable {
    enum Budget: UInt8, CaseIterable, Sendable {
        /// `SEC-RATE-3`: 20 a second, and 40 at once.
        case requests
        /// `SEC-RATE-4`.
        case startsPerMinute
        case startsPerHour
        /// `SEC-RATE-5`.
        case wrongCodes
        case wrongPasswords
        /// `SEC-RATE-6`.
        case refreshes
        case introspections
        case polls
        /// `SEC-ENUM-1`.
        case disclosuresPerMinute
        case disclosuresPerHour
        case disclosuresPerDay

        static let disclosures: [Budget] = [.disclosuresPerMinute, .disclosuresPerHour, .disclosuresPerDay]

        var index: Int { Int(rawValue) }

        var rule: (limit: Int, seconds: Int) {
            switch self {
            case .requests: (40, 2)
            case .startsPerMinute: (30, 60)
            case .startsPerHour: (300, 3_600)
            case .wrongCodes: (30, 600)
            case .wrongPasswords: (50, 600)
            case .refreshes: (10, 60)
            case .introspections, .polls: (2, 1)
            case .disclosuresPerMinute: (10, 60)
            case .disclosuresPerHour: (60, 3_600)
            case .disclosuresPerDay: (200, 86_400)
            }
        }
    }

    /// A table for each budget, by its raw value: what fills one leaves the others as they are.
    private typealias Tables = [CounterTable]
    private typealias Demand = CounterTable.Demand

    private let tables: Locked<Tables>
    private let alarms = Locked<[GuessedSecret: GuessingAlarm]>([:])

    /// - Parameter capacity: How many counters each of the eleven budgets keeps at most, each counter about 150 bytes with its place
    ///   in the table (`SEC-RATE-2`). The one that was asked for longest ago gives way to a new one, unless it is spent.
    package init(capacity: Int = 18_000) {
        tables = Locked(Budget.allCases.map { _ in CounterTable(capacity: capacity) })
    }

    /// How many counters are held, of all budgets.
    package var count: Int { tables.withLock { $0.reduce(0) { $0 + $1.count } } }

    /// Counts a request, or refuses it and counts nothing.
    ///
    /// - Throws: ``RequestFault/throttled(retryAfter:)``; a request after that many seconds, 1 to 3 600, is accepted, unless
    ///   others of the same network were faster.
    package func admit(
        _ group: LimitGroup, from source: SourceAddress, now: Date
    ) throws(RequestFault) {
        try spend(group.budgets.flatMap { demands(of: source, $0, now) }, now)
    }

    /// Refuses a guess when too many from this source were wrong. It counts nothing: whether the guess is wrong shows after
    /// the step. Guesses that are under way at the same time therefore all pass, which is at most the burst of `SEC-RATE-3`.
    ///
    /// - Throws: As ``admit(_:from:now:)``.
    package func admitGuess(
        at secret: GuessedSecret, from source: SourceAddress, now: Date
    ) throws(RequestFault) {
        let demands = demands(of: source, secret.budget, now)
        let wait = tables.withLock { Self.wait(for: demands, &$0, now) }
        if let wait { throw .throttled(retryAfter: wait) }
    }

    /// Counts a wrong guess.
    package func record(wrong secret: GuessedSecret, from source: SourceAddress, now: Date) {
        let demands = demands(of: source, secret.budget, now)
        tables.withLock { Self.count(demands, &$0, now) }
    }

    /// Notes a guess of anybody's. While far more of them are wrong than users make, each source has half of its budgets
    /// (`SEC-RATE-7`).
    ///
    /// - Returns: Whether that begins with this guess.
    package func note(_ secret: GuessedSecret, isRight: Bool, now: Date) -> Bool {
        alarms.withLock {
            $0[secret, default: GuessingAlarm()].count(isRight: isRight, at: Self.milliseconds(now))
        }
    }

    /// Whole seconds until a source may ask again for what tells whether an account exists; nil: it may now. Counts nothing.
    package func waitForDisclosure(to source: SourceAddress, now: Date) -> Int? {
        let demands = disclosures(to: source, now)
        return tables.withLock { Self.wait(for: demands, &$0, now) }
    }

    /// Counts an answer that told whether an account exists (`SEC-ENUM-1`).
    ///
    /// - Returns: Whether it used up what the source may be told for now.
    package func recordDisclosure(to source: SourceAddress, now: Date) -> Bool {
        let demands = disclosures(to: source, now)
        return tables.withLock { tables in
            let couldAsk = Self.wait(for: demands, &tables, now) == nil
            Self.count(demands, &tables, now)
            return couldAsk && Self.wait(for: demands, &tables, now) != nil
        }
    }

    /// Gives the source one answer back: a person there has signed in, and so asked about their own account.
    package func giveBackDisclosure(to source: SourceAddress, now: Date) {
        let demands = disclosures(to: source, now)
        tables.withLock { tables in
            for demand in demands { tables[demand.budget.index].takeBack(demand, Self.milliseconds(now)) }
        }
    }

    private func disclosures(to source: SourceAddress, _ now: Date) -> [Demand] {
        Budget.disclosures.flatMap { demands(of: source, $0, now) }
    }

    /// Counts a step of a flow or a family, or refuses it and counts nothing.
    ///
    /// - Parameter key: What names the flow or the family, from a token that this server made: others would fill the table. Never
    ///   shown or kept, only a keyed digest is.
    /// - Throws: As ``admit(_:from:now:)``.
    package func admit(
        _ step: RepeatedStep, of key: some Collection<UInt8>, now: Date
    ) throws(RequestFault) {
        // Hasher is keyed at random per process, so nobody can choose keys that collide.
        var hasher = Hasher()
        hasher.combine(key.count)
        for byte in key { hasher.combine(byte) }
        let digest = UInt64(truncatingIfNeeded: hasher.finalize())
        try spend([Demand(budget: step.budget, key: .init(length: 0, prefix: digest), share: 1)], now)
    }

    private func spend(_ demands: [Demand], _ now: Date) throws(RequestFault) {
        let wait: Int? = tables.withLock { tables in
            if let wait = Self.wait(for: demands, &tables, now) { return wait }
            Self.count(demands, &tables, now)
            return nil
        }
        if let wait { throw .throttled(retryAfter: wait) }
    }

    private static func wait(for demands: [Demand], _ tables: inout Tables, _ now: Date) -> Int? {
        var longest: Int?
        for demand in demands {
            guard let wait = tables[demand.budget.index].wait(demand, milliseconds(now)) else { continue }
            longest = max(longest ?? 0, wait)
        }
        return longest
    }

    private static func count(_ demands: [Demand], _ tables: inout Tables, _ now: Date) {
        for demand in demands { tables[demand.budget.index].count(demand, milliseconds(now)) }
    }

    private func demands(of source: SourceAddress, _ budget: Budget, _ now: Date) -> [Demand] {
        let isHalved = alarms.withLock { $0.values.contains { $0.rings(at: Self.milliseconds(now)) } }
        return source.networks.map { network in
            Demand(
                budget: budget, key: .init(length: network.length, prefix: network.prefix), share: network.share,
                isHalved: isHalved)
        }
    }

    /// Milliseconds since 1970. The fraction is cut off apart from the whole seconds, so that whole seconds later is as many
    /// thousands later, whatever rounding does.
    private static func milliseconds(_ date: Date) -> Int64 {
        let time = date.timeIntervalSince1970
        let seconds = time.rounded(.down)
        return Int64(seconds) * 1_000 + Int64((time - seconds) * 1_000)
    }
}
