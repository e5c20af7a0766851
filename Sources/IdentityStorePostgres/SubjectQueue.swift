/// The order of work: as it came, where work about a subject waits until the work before it on the same subject has ended.
///
/// Without it, requests about one flow would wait for each other in the database, each with a connection in hand, and a flood of
/// them would leave none to others.
struct SubjectQueue {
    typealias Ticket = Int

    private struct Place {
        let subjects: [Int64]
        /// How many others it waits for.
        var blockers: Int
        /// Who waits for it.
        var followers: [Ticket] = []
    }

    private var places: [Ticket: Place] = [:]
    /// The last one in the line of each subject.
    private var last: [Int64: Ticket] = [:]
    private var ready: [Ticket] = []
    private var issued = 0

    /// How much work has not ended.
    var count: Int { places.count }
    var hasNext: Bool { !ready.isEmpty }

    /// - Parameter subjects: Each one once.
    mutating func append(_ subjects: [Int64]) -> Ticket {
        issued += 1
        // The same one may be the last in several lines, and is waited for in each.
        let before = subjects.compactMap { last[$0] }
        for ticket in before { places[ticket]?.followers.append(issued) }
        for subject in subjects { last[subject] = issued }
        places[issued] = Place(subjects: subjects, blockers: before.count)
        if before.isEmpty { ready.append(issued) }
        return issued
    }

    /// Takes the next one that waits for nobody; nil when there is none.
    mutating func next() -> Ticket? {
        ready.isEmpty ? nil : ready.removeFirst()
    }

    /// Lets those go on who waited for `ticket`, which ``next()`` has given.
    mutating func end(_ ticket: Ticket) {
        guard let place = places.removeValue(forKey: ticket) else { return }
        for subject in place.subjects where last[subject] == ticket { last[subject] = nil }
        for follower in place.followers {
            places[follower]?.blockers -= 1
            if places[follower]?.blockers == 0 { ready.append(follower) }
        }
    }
}
