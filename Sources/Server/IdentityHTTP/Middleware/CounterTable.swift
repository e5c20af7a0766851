/// The counters of one budget, with a fixed capacity.
///
/// When the table is full, the counter that was used least recently is removed, but never a spent one: a client with
/// many addresses or tokens could otherwise end a block early (design record 0003). While all counters are spent, new
/// keys share a few counters.
struct CounterTable: Sendable {
    /// The key of a counter: 16 bytes.
    struct Key: Hashable, Sendable {
        /// The network's prefix length in bits; 0 for a key that is no network.
        let length: UInt8
        let prefix: UInt64
    }

    /// The parameters of a query to a counter.
    struct Demand: Sendable {
        let budget: SourceLimits.Budget
        let key: Key
        /// The multiple of the budget that the key has.
        let share: Int
        var isHalved = false

        var limit: Int { budget.rule.limit * share / (isHalved ? 2 : 1) }
        /// A sixteenth of the budget's time in milliseconds, rounded up.
        var slot: Int64 { Int64((budget.rule.seconds * 1_000 + 15) / 16) }
    }

    private struct Entry: Sendable {
        let key: Key
        var window: Window
        /// When the counter allows the next event, in milliseconds; 0 when it allows one now.
        var spentUntil: Int64 = 0
        var newer: Int32 = none
        var older: Int32 = none
    }

    /// Entries in the order of their last use.
    private struct Queue: Sendable {
        var newest: Int32 = none
        var oldest: Int32 = none
    }

    private static let none: Int32 = -1
    /// The number of counters shared by keys without their own.
    private static let sharedCounters = 256
    private let capacity: Int
    private var places: [Key: Int32] = [:]
    private var entries: [Entry] = []
    private var queues = [Queue(), Queue()]
    private static let open = 0
    private static let spent = 1
    private var shared: [Window] = []

    /// - Parameter capacity: At least 1.
    init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    var count: Int { entries.count }

    /// Whole seconds until the demand can be met; nil when it can be met now.
    mutating func wait(_ demand: Demand, _ now: Int64) -> Int? {
        if let place = places[demand.key] { return change(place, demand, now) { _ in } }
        return hasRoom(now) ? nil : changeShared(demand, now) { _ in }
    }

    /// Counts an event.
    mutating func count(_ demand: Demand, _ now: Int64) {
        if let place = places[demand.key] ?? insert(demand.key, now) {
            _ = change(place, demand, now) { $0.add() }
        } else {
            _ = changeShared(demand, now) { $0.add() }
        }
    }

    /// Removes one counted event; does nothing when no event counts any more.
    mutating func takeBack(_ demand: Demand, _ now: Int64) {
        guard let place = places[demand.key] else { return }
        _ = change(place, demand, now) { $0.remove() }
    }

    /// - Returns: Whole seconds until the demand can be met; nil when it can be met now.
    private mutating func change(
        _ place: Int32, _ demand: Demand, _ now: Int64, _ body: (inout Window) -> Void
    ) -> Int? {
        let index = Int(place)
        let before = queue(of: place)
        entries[index].window.advance(to: now, slot: demand.slot)
        body(&entries[index].window)
        let wait = entries[index].window.wait(limit: demand.limit, now: now, slot: demand.slot)
        entries[index].spentUntil = wait.map { now + $0 } ?? 0
        if queues[before].newest != place || queue(of: place) != before {
            unlink(place, from: before)
            link(place)
        }
        return wait.map(Self.seconds)
    }

    private mutating func changeShared(_ demand: Demand, _ now: Int64, _ body: (inout Window) -> Void) -> Int? {
        if shared.isEmpty { shared = Array(repeating: Window(start: now), count: Self.sharedCounters) }
        let index = Int(truncatingIfNeeded: UInt(bitPattern: demand.key.hashValue) % UInt(Self.sharedCounters))
        shared[index].advance(to: now, slot: demand.slot)
        body(&shared[index])
        // As much as the keys that share it would have together.
        let limit = demand.limit * max(1, capacity / Self.sharedCounters)
        return shared[index].wait(limit: limit, now: now, slot: demand.slot).map(Self.seconds)
    }

    private static func seconds(_ milliseconds: Int64) -> Int { Int((milliseconds + 999) / 1_000) }

    private func hasRoom(_ now: Int64) -> Bool { entries.count < capacity || dispensable(now) != nil }

    /// The entry to remove for a new one; nil when all are spent.
    private func dispensable(_ now: Int64) -> Int32? {
        // Entries of one budget are spent for about the same time, so the oldest is free first.
        let (open, spent) = (queues[Self.open].oldest, queues[Self.spent].oldest)
        if spent != Self.none, entries[Int(spent)].spentUntil <= now { return spent }
        return open == Self.none ? nil : open
    }

    /// - Returns: Nil when all entries are spent.
    private mutating func insert(_ key: Key, _ now: Int64) -> Int32? {
        let fresh = Entry(key: key, window: Window(start: now))
        let place: Int32
        if entries.count < capacity {
            place = Int32(entries.count)
            entries.append(fresh)
        } else {
            guard let oldest = dispensable(now) else { return nil }
            place = oldest
            unlink(place, from: queue(of: place))
            places[entries[Int(place)].key] = nil
            entries[Int(place)] = fresh
        }
        places[key] = place
        link(place)
        return place
    }

    private func queue(of place: Int32) -> Int { entries[Int(place)].spentUntil > 0 ? Self.spent : Self.open }

    private mutating func link(_ place: Int32) {
        let queue = self.queue(of: place)
        let newest = queues[queue].newest
        entries[Int(place)].newer = Self.none
        entries[Int(place)].older = newest
        if newest != Self.none { entries[Int(newest)].newer = place } else { queues[queue].oldest = place }
        queues[queue].newest = place
    }

    private mutating func unlink(_ place: Int32, from queue: Int) {
        let (newer, older) = (entries[Int(place)].newer, entries[Int(place)].older)
        if newer != Self.none { entries[Int(newer)].older = older } else { queues[queue].newest = older }
        if older != Self.none { entries[Int(older)].newer = newer } else { queues[queue].oldest = newer }
    }
}

/// The times of events, in sixteen slots of equal length, newest first.
struct Window: Sendable {
    private static let slots = 16
    private var counts = SIMD16<UInt16>()
    /// When the newest slot began.
    private var start: Int64

    init(start: Int64) {
        self.start = start
    }

    mutating func advance(to now: Int64, slot: Int64) {
        // Two requests may have read the clock in the other order, or the clock was set back: count no time as passed.
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

    /// Removes the oldest event, so that the others count as long as before.
    mutating func remove() {
        for index in stride(from: Self.slots - 1, through: 0, by: -1) where counts[index] > 0 {
            counts[index] -= 1
            return
        }
    }

    /// Milliseconds from `now`, to which the window has advanced, until fewer than `limit` events count; nil when fewer
    /// count now.
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
