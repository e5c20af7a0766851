/// The order of work: first come, first served, except that work about a subject waits until earlier work on the same
/// subject has ended.
///
/// Without this queue, requests about one flow would wait for each other in the database, each holding a connection,
/// and a flood of them would leave no connection for others.
struct SubjectQueue {
    typealias Ticket = Int

    private struct Place {
        let subjects: [Int64]
        /// The number of work items that it waits for.
        var blockers: Int
        /// The work items that wait for it.
        var followers: [Ticket] = []
    }

    private var places: [Ticket: Place] = [:]
    /// The last work item of each subject.
    private var last: [Int64: Ticket] = [:]
    private var ready: [Ticket] = []
    private var issued = 0

    /// The number of unfinished work items.
    var count: Int { places.count }
    var hasNext: Bool { !ready.isEmpty }

    /// - Parameter subjects: The subjects, without duplicates.
    mutating func append(_ subjects: [Int64]) -> Ticket {
        issued += 1
        // The same work item may be the last of several subjects, and is counted for each.
        let before = subjects.compactMap { last[$0] }
        for ticket in before { places[ticket]?.followers.append(issued) }
        for subject in subjects { last[subject] = issued }
        places[issued] = Place(subjects: subjects, blockers: before.count)
        if before.isEmpty { ready.append(issued) }
        return issued
    }

    /// Takes the next work item that waits for no other; nil when there is none.
    mutating func next() -> Ticket? {
        ready.isEmpty ? nil : ready.removeFirst()
    }

    /// Releases the work items that waited for `ticket`, which ``next()`` has returned.
    mutating func end(_ ticket: Ticket) {
        guard let place = places.removeValue(forKey: ticket) else { return }
        for subject in place.subjects where last[subject] == ticket { last[subject] = nil }
        for follower in place.followers {
            places[follower]?.blockers -= 1
            if places[follower]?.blockers == 0 { ready.append(follower) }
        }
    }
}
