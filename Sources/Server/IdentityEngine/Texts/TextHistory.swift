import NativeAuthCore
package import PortableFoundation

/// What a step that may send a text must know, and what the text is counted by: keyed digests of 16 bytes.
package struct TextQuery: Hashable, Sendable {
    package var number: Data
    /// Of the number without its last four digits.
    package var neighbourhood: Data
    /// The prefix of the area.
    package var area: String
    package var account: Data
    package var source: Data?

    package init(number: Data, neighbourhood: Data, area: String, account: Data, source: Data?) {
        self.number = number
        self.neighbourhood = neighbourhood
        self.area = area
        self.account = account
        self.source = source
    }
}

/// A text that is being sent.
package struct SentText: Hashable, Sendable {
    /// That of the text's row in the outbox, and of the gateway's report.
    package var id: UUID
    package var flow: UUID
    package var counted: TextQuery
    /// In millionths.
    package var cost: Int
    package var at: Date

    package init(id: UUID, flow: UUID, counted: TextQuery, cost: Int, at: Date) {
        self.id = id
        self.flow = flow
        self.counted = counted
        self.cost = cost
        self.at = at
    }
}

/// What the gateway reported of a text. The first word that is final stays.
package enum TextReport: String, Hashable, Sendable, CaseIterable {
    case delivered, failed
}

/// What a tenant has sent as texts, read under the lock of all its texts.
package struct TextHistory: Hashable, Sendable {
    /// How many texts an area got in a time, and how many of them brought a right code.
    package struct Conversion: Hashable, Sendable {
        package var sent: Int
        package var verified: Int

        package init(sent: Int, verified: Int) {
            self.sent = sent
            self.verified = verified
        }
    }

    /// A rest of an area.
    package struct Pause: Hashable, Sendable {
        package var until: Date
        package var minutes: Int

        package init(until: Date, minutes: Int) {
            self.until = until
            self.minutes = minutes
        }
    }

    /// The times of the number's texts of seven days, of the account's, of the source's and of the neighbourhood's of a day.
    package var ofNumber: [Date] = []
    package var ofAccount: [Date] = []
    package var ofSource: [Date] = []
    package var ofNeighbourhood: [Date] = []
    /// How many other numbers the account was texted at in a day.
    package var otherNumbersOfAccount = 0
    /// The area's texts of the last hour.
    package var ofAreaInHour = 0
    /// The area's texts of the seven days before today.
    package var ofAreaInWeek = 0
    /// Those of the hour until ``settling`` seconds ago: later ones can still be answered.
    package var conversion = Conversion(sent: 0, verified: 0)
    /// The last rest of the area, and of all texts of the tenant, if it ended less than a day ago.
    package var pause: Pause?
    package var pauseOfAll: Pause?
    /// The costs of today and of 30 days with today, in millionths.
    package var costOfDay = 0
    package var costOfMonth = 0
    /// The last reports of the gateway in an hour, 20 at most, and how many of them are failures.
    package var reports = 0
    package var failures = 0

    package init() {}

    /// How long after a text its code may still come, in seconds, before it counts as unanswered.
    package static let settling = 300.0
}

/// The limits of `SEC-SMS-4` to `SEC-SMS-8`.
package struct TextLimits: Hashable, Sendable {
    /// Seconds and the number of texts in them.
    struct Cap: Hashable, Sendable {
        var seconds: Double
        var count: Int
    }

    var ofNumber = [
        Cap(seconds: 60, count: 1), Cap(seconds: 900, count: 3), Cap(seconds: 3_600, count: 5),
        Cap(seconds: 86_400, count: 10), Cap(seconds: 7 * 86_400, count: 20),
    ]
    var ofAccount = [Cap(seconds: 3_600, count: 5), Cap(seconds: 86_400, count: 10)]
    var ofSource = [Cap(seconds: 3_600, count: 10), Cap(seconds: 86_400, count: 30)]
    var ofNeighbourhood = [Cap(seconds: 3_600, count: 5), Cap(seconds: 86_400, count: 20)]
    /// How many numbers an account is texted at in a day.
    var numbersOfAccount = 3
    /// An area gets this many texts in an hour, or five times what it got in an hour of the last week.
    var leastOfArea = 20
    /// How many texts of an area tell that no code comes back; and of reports, that the gateway fails.
    var leastToJudge = 20

    package init() {}

    /// The largest number of texts to one number in a day.
    package var textsPerDay: Int { ofNumber.first { $0.seconds == 86_400 }?.count ?? 0 }
}

/// Why a text is not sent, or what is to be noted when it is.
package enum TextJudgement: Hashable, Sendable {
    case send(notes: [FlowEffect])
    case refused(Refusal, notes: [FlowEffect])
}

extension TextHistory {
    /// Judges the next text to a number of the area.
    package func judging(
        _ settings: TextSettings, _ area: CallingArea, _ limits: TextLimits, now: Date
    ) -> TextJudgement {
        guard ![pause, pauseOfAll].contains(where: { $0.map { now < $0.until } ?? false }),
            !isSpent(settings, by: settings.price(of: area))
        else { return .refused(.blockedContact, notes: []) }
        if let rest = rest(of: area, limits, now: now) { return .refused(.blockedContact, notes: rest) }
        let waits =
            [
                (ofNumber, limits.ofNumber), (ofAccount, limits.ofAccount), (ofSource, limits.ofSource),
                (ofNeighbourhood, limits.ofNeighbourhood),
            ].flatMap { dates, caps in
                caps.compactMap { TimeLimits.wait(dates, window: $0.seconds, limit: $0.count, now: now) }
            }
            + (otherNumbersOfAccount >= limits.numbersOfAccount ? [86_400] : [])
            + (ofAreaInHour >= max(limits.leastOfArea, 5 * ofAreaInWeek / (7 * 24)) ? [3_600] : [])
        if let wait = waits.max() { return .refused(.throttled(retryAfter: wait), notes: []) }
        return .send(notes: alarms(settings, area))
    }

    /// Whether a text of this price is more than the tenant may spend.
    package func isSpent(_ settings: TextSettings, by price: Int) -> Bool {
        [(costOfDay, settings.costPerDay), (costOfMonth, settings.costPerMonth)].contains { cost, cap in
            cap.map { cost + price > $0 } ?? false
        }
    }

    /// A new rest: of all texts because the gateway reports that most fail, or of the area because too few of its codes come
    /// back. Nil for none.
    ///
    /// Only who is paid for texts does not type the codes in. Honest users type 60 % of them or more: six standard deviations
    /// less, or not a single one of twenty, are no chance.
    private func rest(of area: CallingArea, _ limits: TextLimits, now: Date) -> [FlowEffect]? {
        if reports >= limits.leastToJudge, failures * 2 >= reports {
            return Self.resting(Self.everyArea, after: pauseOfAll, minutes: 10, because: "gateway", now: now)
        }
        let sent = Double(conversion.sent)
        guard conversion.sent >= limits.leastToJudge,
            Double(conversion.verified) < min(0.3 * sent, max(1, 0.6 * sent - 6 * (0.24 * sent).squareRoot()))
        else { return nil }
        return Self.resting(area.prefix, after: pause, minutes: 60, because: "area +\(area.prefix)", now: now)
    }

    /// The name of the rest of all texts of a tenant.
    package static let everyArea = ""

    /// Each rest within a day is twice as long as the one before, 24 hours at most.
    private static func resting(
        _ name: String, after last: Pause?, minutes: Int, because reason: String, now: Date
    ) -> [FlowEffect] {
        let minutes = last.map { min($0.minutes * 2, 24 * 60) } ?? minutes
        let new = Pause(until: now.addingTimeInterval(Double(minutes) * 60), minutes: minutes)
        return [.write(.pauseTexts(name, new)), .record(.textAlarm, detail: "\(reason), \(minutes) minutes")]
    }

    /// Tells operators when the next text reaches 80 % of what a day or a month may cost, and all of it.
    private func alarms(_ settings: TextSettings, _ area: CallingArea) -> [FlowEffect] {
        let price = settings.price(of: area)
        return [("day", costOfDay, settings.costPerDay), ("month", costOfMonth, settings.costPerMonth)].flatMap {
            (name, cost, cap) -> [FlowEffect] in
            guard let cap else { return [] }
            return [(80, cap / 5 * 4), (100, cap)].filter { cost < $0.1 && cost + price >= $0.1 }.map {
                .record(.textAlarm, detail: "\($0.0) % of the costs of a \(name)")
            }
        }
    }
}
