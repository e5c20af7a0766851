package import IdentityEngine
import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a route costs its source (`SEC-RATE-1`).
package enum LimitGroup: Hashable, Sendable, CaseIterable {
    /// Begins a flow, and may make a code or a password hash.
    case start
    /// Everything else that anybody may ask.
    case step
    /// Health probes and the pages of the development profile: not limited.
    case probe

    /// The group of a route.
    ///
    /// - Parameter template: The path as the router has it, such as `/{tenant}/signup/v1.0/start`.
    /// - Returns: Nil for a route that was given no group; it is limited as ``step``, and a test finds it.
    package init?(route template: String) {
        let tenant = "/{tenant}/"
        if template.hasPrefix(tenant) {
            let path = String(template.dropFirst(tenant.count))
            let group = V1Endpoint(rawValue: path)?.limitGroup ?? MetadataEndpoint(rawValue: path)?.limitGroup
            guard let group else { return nil }
            self = group
        } else if ["/", "/livez", "/readyz"].contains(template) || template.hasPrefix("/dev/") {
            self = .probe
        } else {
            return nil
        }
    }

    /// What a request of the group is counted against.
    fileprivate var budgets: [SourceLimits.Budget] {
        switch self {
        case .start: [.requests, .startsPerMinute, .startsPerHour]
        case .step: [.requests]
        case .probe: []
        }
    }
}

extension V1Endpoint {
    /// A new endpoint does not compile until it has its group.
    package var limitGroup: LimitGroup {
        switch self {
        // Setting a password is as dear as a start that brings one: it is hashed twice.
        case .signUpStart, .signInInitiate, .resetPasswordStart, .resetPasswordSubmit: .start
        case .signUpChallenge, .signUpContinue, .signInChallenge, .signInIntrospect, .token, .resetPasswordChallenge,
            .resetPasswordContinue, .resetPasswordPollCompletion, .registerIntrospect,
            .registerChallenge, .registerContinue:
            .step
        }
    }
}

extension MetadataEndpoint {
    /// A new endpoint does not compile until it has its group.
    package var limitGroup: LimitGroup {
        switch self {
        case .openIDConfiguration, .jsonWebKeys, .authorize, .logout, .revocation, .tokenIntrospection, .userInfo: .step
        }
    }
}

/// A secret that somebody may try to guess from one source, across accounts (`SEC-RATE-5`).
package enum GuessedSecret: Hashable, Sendable, CaseIterable {
    case code
    case password

    /// What a command compares with a stored secret; nil: nothing.
    package init?(comparedBy command: Command) {
        switch command {
        case .submitSignUpCode, .submitSignInCode, .submitSecondFactor, .submitContactCode, .submitResetCode:
            self = .code
        case .submitSignInPassword:
            self = .password
        case .startSignUp, .challengeSignUp, .submitSignUpPassword, .submitSignUpAttributes, .startSignIn,
            .challengeSignIn, .listMethods, .listContacts, .challengeContact, .confirmContact, .startReset,
            .challengeReset, .submitNewPassword, .pollReset, .redeem, .refresh, .revoke:
            return nil
        }
    }

    /// What turned out wrong; nil: nothing that was guessed.
    package init?(wrongIn verdict: Verdict) {
        switch verdict {
        case .refused(.incorrectCode): self = .code
        // Nothing was compared for a locked account, but somebody keeps on trying.
        case .refused(.incorrectPassword), .refused(.locked): self = .password
        case .refused, .accepted: return nil
        }
    }

    fileprivate var budget: SourceLimits.Budget {
        switch self {
        case .code: .wrongCodes
        case .password: .wrongPasswords
        }
    }
}

/// Something that may be done only so often with one continuation token, or one family of refresh tokens (`SEC-RATE-6`).
package enum RepeatedStep: Hashable, Sendable, CaseIterable {
    /// Keyed by the family.
    case refresh
    /// Keyed by the token that is presented: listing methods or contacts.
    case introspect
    /// Keyed by the token that is presented: how the reset goes.
    case poll

    fileprivate var budget: SourceLimits.Budget {
        switch self {
        case .refresh: .refreshes
        case .introspect: .introspections
        case .poll: .polls
        }
    }
}

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
        case revelationsPerMinute
        case revelationsPerHour
        case revelationsPerDay

        static let revelations: [Budget] = [.revelationsPerMinute, .revelationsPerHour, .revelationsPerDay]

        var rule: (limit: Int, seconds: Int) {
            switch self {
            case .requests: (40, 2)
            case .startsPerMinute: (30, 60)
            case .startsPerHour: (300, 3_600)
            case .wrongCodes: (30, 600)
            case .wrongPasswords: (50, 600)
            case .refreshes: (10, 60)
            case .introspections, .polls: (2, 1)
            case .revelationsPerMinute: (10, 60)
            case .revelationsPerHour: (60, 3_600)
            case .revelationsPerDay: (200, 86_400)
            }
        }
    }

    private let table: Locked<Table>
    private let alarms = Locked<[GuessedSecret: GuessingAlarm]>([:])

    /// - Parameter capacity: How many counters are kept, each about 100 bytes with its place in the table; the one that was
    ///   asked for longest ago gives way to a new one (`SEC-RATE-2`).
    package init(capacity: Int = 200_000) {
        table = Locked(Table(capacity: capacity))
    }

    /// How many counters are held; at most the capacity.
    package var count: Int { table.withLock { $0.count } }

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
        let wait = table.withLock { table in demands.compactMap { table.wait($0, Self.milliseconds(now)) }.max() }
        if let wait { throw .throttled(retryAfter: wait) }
    }

    /// Counts a wrong guess.
    package func record(wrong secret: GuessedSecret, from source: SourceAddress, now: Date) {
        table.withLock { table in
            for demand in demands(of: source, secret.budget, now) { table.count(demand, Self.milliseconds(now)) }
        }
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

    /// Whole seconds until a source may be told again whether an account exists; nil: it may now. Counts nothing: what an answer
    /// tells shows after the step, as with a guess.
    package func waitForRevelation(from source: SourceAddress, now: Date) -> Int? {
        let demands = revelations(to: source, now)
        return table.withLock { table in Self.wait(for: demands, &table, now) }
    }

    /// Counts an answer that told whether an account exists (`SEC-ENUM-1`).
    ///
    /// - Returns: Whether it used up what the source may be told for now.
    package func recordRevelation(from source: SourceAddress, now: Date) -> Bool {
        let demands = revelations(to: source, now)
        return table.withLock { table in
            let couldAsk = Self.wait(for: demands, &table, now) == nil
            for demand in demands { table.count(demand, Self.milliseconds(now)) }
            return couldAsk && Self.wait(for: demands, &table, now) != nil
        }
    }

    private func revelations(to source: SourceAddress, _ now: Date) -> [Demand] {
        Budget.revelations.flatMap { demands(of: source, $0, now) }
    }

    private static func wait(for demands: [Demand], _ table: inout Table, _ now: Date) -> Int? {
        demands.compactMap { table.wait($0, milliseconds(now)) }.max()
    }

    /// Counts a step of a flow or a family, or refuses it and counts nothing.
    ///
    /// - Parameter key: What names the flow or the family; never shown or kept, only a keyed digest is.
    /// - Throws: As ``admit(_:from:now:)``.
    package func admit(
        _ step: RepeatedStep, of key: some Collection<UInt8>, now: Date
    ) throws(RequestFault) {
        // Hasher is keyed at random per process, so nobody can choose keys that collide.
        var hasher = Hasher()
        hasher.combine(key.count)
        for byte in key { hasher.combine(byte) }
        let digest = UInt64(truncatingIfNeeded: hasher.finalize())
        try spend([Demand(key: Key(budget: step.budget, length: 0, prefix: digest), share: 1)], now)
    }

    private func spend(_ demands: [Demand], _ now: Date) throws(RequestFault) {
        let now = Self.milliseconds(now)
        let wait: Int? = table.withLock { table in
            if let wait = demands.compactMap({ table.wait($0, now) }).max() { return wait }
            for demand in demands { table.count(demand, now) }
            return nil
        }
        if let wait { throw .throttled(retryAfter: wait) }
    }

    private func demands(of source: SourceAddress, _ budget: Budget, _ now: Date) -> [Demand] {
        let isHalved = alarms.withLock { $0.values.contains { $0.rings(at: Self.milliseconds(now)) } }
        return source.networks.map { network in
            Demand(
                key: Key(budget: budget, length: network.length, prefix: network.prefix), share: network.share,
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

/// Who is counted for what: 16 bytes.
private struct Key: Hashable, Sendable {
    let budget: SourceLimits.Budget
    /// Of the network in bits; 0 for a key that is no network.
    let length: UInt8
    let prefix: UInt64
}

private struct Demand: Sendable {
    let key: Key
    /// How many times the budget it has.
    let share: Int
    var isHalved = false

    var limit: Int { key.budget.rule.limit * share / (isHalved ? 2 : 1) }
    /// A sixteenth of the budget's time, in milliseconds, never less.
    var slot: Int64 { Int64((key.budget.rule.seconds * 1_000 + 15) / 16) }
}

/// When things happened, in sixteen slots of equal length, the newest first.
private struct Window: Sendable {
    private static let slots = 16
    private var counts = SIMD16<UInt16>()
    /// When the newest slot began.
    private var start: Int64

    init(start: Int64) {
        self.start = start
    }

    mutating func advance(to now: Int64, slot: Int64) {
        // Two requests may have read the clock in the other order, or it was set back: no time has passed then.
        guard now >= start else {
            start = now
            return
        }
        let passed = (now - start) / slot
        guard passed > 0 else { return }
        guard passed < Self.slots else {
            self = Window(start: now)
            return
        }
        let shift = Int(passed)
        for index in stride(from: Self.slots - 1, through: 0, by: -1) {
            counts[index] = index >= shift ? counts[index - shift] : 0
        }
        start += passed * slot
    }

    mutating func add() {
        if counts[0] < .max { counts[0] += 1 }
    }

    /// Milliseconds from `now`, to which the window has advanced, until fewer than `limit` events count; nil: now.
    func wait(limit: Int, now: Int64, slot: Int64) -> Int64? {
        var total = 0
        for index in 0..<Self.slots { total += Int(counts[index]) }
        guard total >= limit else { return nil }
        var slots = 0
        while total >= limit, slots < Self.slots {
            slots += 1
            total -= Int(counts[Self.slots - slots])
        }
        return start + Int64(slots) * slot - now
    }
}

/// The counters, in the order in which they were last asked for.
private struct Table: Sendable {
    private struct Entry: Sendable {
        var key: Key
        var window: Window
        var newer: Int32
        var older: Int32
    }

    private static let none: Int32 = -1
    private let capacity: Int
    private var places: [Key: Int32] = [:]
    private var entries: [Entry] = []
    private var newest = none
    private var oldest = none

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    var count: Int { entries.count }

    /// Whole seconds until the demand can be met; nil: now.
    mutating func wait(_ demand: Demand, _ now: Int64) -> Int? {
        guard let place = places[demand.key] else { return nil }
        bringForward(place)
        entries[Int(place)].window.advance(to: now, slot: demand.slot)
        return entries[Int(place)].window.wait(limit: demand.limit, now: now, slot: demand.slot)
            .map { Int(($0 + 999) / 1_000) }
    }

    mutating func count(_ demand: Demand, _ now: Int64) {
        let place = places[demand.key] ?? insert(demand.key, now)
        bringForward(place)
        entries[Int(place)].window.advance(to: now, slot: demand.slot)
        entries[Int(place)].window.add()
    }

    private mutating func insert(_ key: Key, _ now: Int64) -> Int32 {
        let fresh = Entry(key: key, window: Window(start: now), newer: Self.none, older: Self.none)
        let place: Int32
        if entries.count < capacity {
            place = Int32(entries.count)
            entries.append(fresh)
        } else {
            place = oldest
            unlink(place)
            places[entries[Int(place)].key] = nil
            entries[Int(place)] = fresh
        }
        places[key] = place
        link(place)
        return place
    }

    private mutating func bringForward(_ place: Int32) {
        guard place != newest else { return }
        unlink(place)
        link(place)
    }

    private mutating func link(_ place: Int32) {
        entries[Int(place)].newer = Self.none
        entries[Int(place)].older = newest
        if newest != Self.none { entries[Int(newest)].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int32) {
        let (newer, older) = (entries[Int(place)].newer, entries[Int(place)].older)
        if newer != Self.none { entries[Int(newer)].older = older } else { newest = older }
        if older != Self.none { entries[Int(older)].newer = newer } else { oldest = newer }
    }
}
