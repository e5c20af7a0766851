/// The order of work: first come, first served, except that work about a subject waits until earlier work on the same
/// subject has ended. Work that waits for no other is therefore about different subjects, and can share a transaction.
///
/// Without this queue, requests about one flow would wait for each other in the database, each holding a connection,
/// and a flood of them would leave no connection for others.
struct SubjectQueue {
    typealias Ticket = Int

    private struct Place {
        let subjects: [Int64]
        /// Whether it may run together with other work.
        let canShare: Bool
        /// The number of work items that it waits for.
        var blockers: Int
        /// The work items that wait for it.
        var followers: [Ticket] = []
    }

    private var places: [Ticket: Place] = [:]
    /// The last work item of each subject.
    private var last: [Int64: Ticket] = [:]
    /// The work items that wait for no other: those that run alone, and those that can share.
    private var readyAlone: [Ticket] = []
    private var readyToShare: [Ticket] = []
    private var issued = 0

    /// The number of unfinished work items.
    var count: Int { places.count }

    /// Whether ``next(together:)`` returns work.
    func hasNext(together: Int) -> Bool { !readyAlone.isEmpty || together > 0 && !readyToShare.isEmpty }

    /// - Parameter subjects: The subjects, without duplicates.
    mutating func append(_ subjects: [Int64], canShare: Bool) -> Ticket {
        issued += 1
        // The same work item may be the last of several subjects, and is counted for each.
        let before = subjects.compactMap { last[$0] }
        for ticket in before { places[ticket]?.followers.append(issued) }
        for subject in subjects { last[subject] = issued }
        places[issued] = Place(subjects: subjects, canShare: canShare, blockers: before.count)
        if before.isEmpty { makeReady(issued) }
        return issued
    }

    /// Takes the older of the first item that runs alone and the first that can share; with the latter, those behind it.
    ///
    /// - Parameter together: The most items that share; 0 leaves them where they are.
    mutating func next(together: Int) -> [Ticket] {
        let shared = readyToShare.prefix(together)
        if let alone = readyAlone.first, alone < shared.first ?? .max { return [readyAlone.removeFirst()] }
        readyToShare.removeFirst(shared.count)
        return Array(shared)
    }

    /// Puts work that ``next(together:)`` has returned back to the front of what runs alone.
    mutating func separate(_ tickets: [Ticket]) {
        readyAlone = tickets + readyAlone
    }

    /// Releases the work items that waited for `ticket`, which ``next(together:)`` has returned.
    mutating func end(_ ticket: Ticket) {
        guard let place = places.removeValue(forKey: ticket) else { return }
        for subject in place.subjects where last[subject] == ticket { last[subject] = nil }
        for follower in place.followers {
            places[follower]?.blockers -= 1
            if places[follower]?.blockers == 0 { makeReady(follower) }
        }
    }

    private mutating func makeReady(_ ticket: Ticket) {
        if places[ticket]?.canShare == true { readyToShare.append(ticket) } else { readyAlone.append(ticket) }
    }
}
