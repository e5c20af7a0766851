import IdentityEngine
import Metrics
import NativeAuthCore
package import PortableFoundation

/// The limits per source, flow and family that one node holds in memory (`SEC-RATE-2` to `SEC-RATE-6`). They apply to
/// this node only and end with it; events that need exact counts are counted in the database (`SEC-RATE-9`).
///
/// All limits have one form: at most N events in T seconds. An event counts for all of that time, or up to a sixteenth
/// less. Refused requests are not counted, so a request after the stated wait succeeds (`SEC-RATE-8`).
package final class SourceLimits: Sendable {
    enum Budget: UInt8, CaseIterable, Sendable {
        /// `SEC-RATE-3`: 20 requests a second, and 40 at once.
        case requests
        /// `SEC-RATE-4`.
        case startsPerMinute
        case startsPerHour
        /// The questions for passkeys that pages ask on their own.
        case suggestions
        /// `SEC-RATE-5`.
        case wrongCodes
        case wrongPasswords
        case wrongDaemonProofs
        /// `OIDC-28`.
        case wrongUserCodes
        /// `SEC-RATE-6`.
        case refreshes
        /// Each adds a family of tokens.
        case redemptions
        case introspections
        case polls
        /// Each adds a line to the audit trail.
        case profileChanges
        /// A batch counts as one request of its source, and as many of its daemon as it has items.
        case daemonRequests
        case daemonChanges
        /// Each is a version of the tenants' document, which all tenants share.
        case documentChanges
        /// A daemon with a right, or a thief of its token, cannot fill a user's mailbox.
        case operatorNotices
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
            case .suggestions: (150, 3_600)
            case .wrongCodes: (30, 600)
            case .wrongPasswords, .wrongDaemonProofs: (50, 600)
            case .wrongUserCodes: (5, 60)
            case .refreshes: (10, 60)
            case .redemptions: (20, 60)
            case .introspections, .polls: (2, 1)
            case .profileChanges: (30, 3_600)
            case .daemonRequests: (2_000, 20)
            case .daemonChanges: (3_000, 150)
            case .documentChanges: (120, 600)
            case .operatorNotices: (20, 3_600)
            case .disclosuresPerMinute: (10, 60)
            case .disclosuresPerHour: (60, 3_600)
            case .disclosuresPerDay: (200, 86_400)
            }
        }
    }

    /// One table for each budget, indexed by its raw value: a full table does not affect the others.
    private typealias Tables = [CounterTable]
    private typealias Demand = CounterTable.Demand

    private static let refusals = Budget.allCases.map {
        Counter(label: "native_auth_throttled", dimensions: [("budget", "\($0)")])
    }

    private let tables: Locked<Tables>
    private let alarms = Locked<[GuessedSecret: GuessingAlarm]>([:])

    /// - Parameter capacity: The largest number of counters of each budget; a counter takes about 150
    ///   bytes with its place in the table (`SEC-RATE-2`). A new counter replaces the one used least recently, unless
    ///   that is spent.
    package init(capacity: Int = 18_000) {
        tables = Locked(Budget.allCases.map { _ in CounterTable(capacity: capacity) })
        // A rule of Prometheus sees only what was there before it grew.
        _ = Self.refusals
    }

    /// The number of counters of all budgets.
    var count: Int { tables.withLock { $0.reduce(0) { $0 + $1.count } } }

    /// Counts a request, or refuses it and counts nothing.
    ///
    /// - Throws: ``RequestFault/throttled(retryAfter:)``; a request after that many seconds, 1 to 3 600, is accepted,
    ///   unless other clients of the same network have used the budget.
    func admit(
        _ group: LimitGroup, from source: SourceAddress, now: Date
    ) throws(RequestFault) {
        try spend(group.budgets.flatMap { demands(of: source, $0, now) }, now)
    }

    /// Counts the beginning of a flow whose request is counted already.
    ///
    /// - Throws: As ``admit(_:from:now:)``.
    func admitStart(from source: SourceAddress, now: Date) throws(RequestFault) {
        try spend(
            [Budget.startsPerMinute, .startsPerHour].flatMap { demands(of: source, $0, now) }, now)
    }

    /// Counts a question for passkeys that a page asks on its own; false when there were too many.
    func admitSuggestion(from source: SourceAddress, now: Date) -> Bool {
        do throws(RequestFault) {
            try spend(demands(of: source, .suggestions, now), now)
            return true
        } catch {
            return false
        }
    }

    /// Refuses a guess when this source has sent too many wrong ones. It counts nothing: the step decides later whether
    /// the guess is wrong. Concurrent guesses therefore all pass, which is at most the burst of `SEC-RATE-3`.
    ///
    /// - Throws: As ``admit(_:from:now:)``.
    func admitGuess(
        at secret: GuessedSecret, from source: SourceAddress, now: Date
    ) throws(RequestFault) {
        let demands = demands(of: source, secret.budget, now)
        let refusal = tables.withLock { Self.refusal(of: demands, &$0, now) }
        if let refusal { throw Self.throttled(refusal) }
    }

    /// Counts a wrong guess.
    func record(wrong secret: GuessedSecret, from source: SourceAddress, now: Date) {
        let demands = demands(of: source, secret.budget, now)
        tables.withLock { Self.count(demands, &$0, now) }
    }

    /// Notes a guess from any source. While far more guesses are wrong than typing errors explain, each source has half
    /// of its budgets (`SEC-RATE-7`).
    ///
    /// Codes of devices do not count: hardly any is typed rightly, so that wrong ones of a few sources would halve what all have.
    ///
    /// - Returns: Whether that state begins with this guess.
    func note(_ secret: GuessedSecret, isRight: Bool, now: Date) -> Bool {
        guard secret != .userCode else { return false }
        return alarms.withLock {
            $0[secret, default: GuessingAlarm()].count(isRight: isRight, at: Self.milliseconds(now))
        }
    }

    /// Whether far more guesses are wrong than typing errors explain (`SEC-RATE-7`).
    package func hasAlarm(now: Date) -> Bool {
        alarms.withLock { $0.values.contains { $0.rings(at: Self.milliseconds(now)) } }
    }

    /// Whole seconds until a source may send another request that reveals whether an account exists; nil when it may
    /// now. Counts nothing.
    func waitForDisclosure(to source: SourceAddress, now: Date) -> Int? {
        let demands = disclosures(to: source, now)
        return tables.withLock { Self.refusal(of: demands, &$0, now)?.wait }
    }

    /// Counts an answer that reveals whether an account exists (`SEC-ENUM-1`).
    ///
    /// - Returns: Whether the source's budget is now used up.
    func recordDisclosure(to source: SourceAddress, now: Date) -> Bool {
        let demands = disclosures(to: source, now)
        return tables.withLock { tables in
            let couldAsk = Self.refusal(of: demands, &tables, now) == nil
            Self.count(demands, &tables, now)
            return couldAsk && Self.refusal(of: demands, &tables, now) != nil
        }
    }

    /// Gives one answer back to the source's budget: a user there has signed in, and so asked about their own account.
    func giveBackDisclosure(to source: SourceAddress, now: Date) {
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
    /// - Parameter key: The key of the flow or the family, from a token that this server made: made-up tokens would
    ///   fill the table. The key is never logged or stored, only a keyed digest of it.
    /// - Throws: As ``admit(_:from:now:)``.
    func admit(
        _ step: RepeatedStep, of key: some Collection<UInt8>, now: Date
    ) throws(RequestFault) {
        // Hasher has a random key per process, so clients cannot choose keys that collide.
        var hasher = Hasher()
        hasher.combine(key.count)
        for byte in key { hasher.combine(byte) }
        let digest = UInt64(truncatingIfNeeded: hasher.finalize())
        try spend([Demand(budget: step.budget, key: .init(length: 0, prefix: digest), share: 1)], now)
    }

    private func spend(_ demands: [Demand], _ now: Date) throws(RequestFault) {
        let refusal: Refusal? = tables.withLock { tables in
            if let refusal = Self.refusal(of: demands, &tables, now) { return refusal }
            Self.count(demands, &tables, now)
            return nil
        }
        if let refusal { throw Self.throttled(refusal) }
    }

    /// A budget that is used up, and the whole seconds until it is not.
    private typealias Refusal = (budget: Budget, wait: Int)

    private static func throttled(_ refusal: Refusal) -> RequestFault {
        refusals[refusal.budget.index].increment()
        return .throttled(retryAfter: refusal.wait)
    }

    /// The budget with the longest wait; nil when there is none to wait for.
    private static func refusal(of demands: [Demand], _ tables: inout Tables, _ now: Date) -> Refusal? {
        var longest: Refusal?
        for demand in demands {
            guard let wait = tables[demand.budget.index].wait(demand, milliseconds(now)), wait > longest?.wait ?? 0
            else {
                continue
            }
            longest = (demand.budget, wait)
        }
        return longest
    }

    private static func count(_ demands: [Demand], _ tables: inout Tables, _ now: Date) {
        for demand in demands { tables[demand.budget.index].count(demand, milliseconds(now)) }
    }

    private func demands(of source: SourceAddress, _ budget: Budget, _ now: Date) -> [Demand] {
        let isHalved = hasAlarm(now: now)
        return source.networks.map { network in
            Demand(
                budget: budget, key: .init(length: network.length, prefix: network.prefix), share: network.share,
                isHalved: isHalved)
        }
    }

    /// Milliseconds since 1970. The fraction is rounded apart from the whole seconds, so that N whole seconds later
    /// gives exactly N thousand more.
    private static func milliseconds(_ date: Date) -> Int64 {
        let time = date.timeIntervalSince1970
        let seconds = time.rounded(.down)
        return Int64(seconds) * 1_000 + Int64((time - seconds) * 1_000)
    }
}
