import NativeAuthCore
package import PortableFoundation

/// What a text is for, which decides what it is counted with: what strangers can cause uses up nothing of an owner's.
package enum TextUse: Hashable, Sendable, CaseIterable {
    /// To a telephone of the account, after its first factor.
    case secondFactor
    /// To a number that is to be registered.
    case registration
    /// To a telephone of an account, for anyone who types its number to sign in.
    case signIn
}

/// What a step that may send or judge a text must know, and what the text is counted by: keyed digests of 16 bytes.
package struct TextQuery: Hashable, Sendable {
    package var number: Data
    /// Of the number without its last four digits.
    package var neighbourhood: Data
    /// The prefix of the area.
    package var area: String
    package var account: Data
    package var source: Data?
    package var use: TextUse

    package init(
        number: Data, neighbourhood: Data, area: String, account: Data, source: Data?, use: TextUse
    ) {
        self.number = number
        self.neighbourhood = neighbourhood
        self.area = area
        self.account = account
        self.source = source
        self.use = use
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

    /// The times of the number's texts of seven days: of all accounts that want to register it, of all who sign in with it, or of the
    /// account that has it, so that strangers use up nothing of its owner's.
    package var ofNumber: [Date] = []
    /// Those of the account, of a day, but for sign-ins with a number, whose senders would learn which numbers are of one account.
    /// And those of the source.
    package var ofAccount: [Date] = []
    package var ofSource: [Date] = []
    /// Those of the neighbourhood that registered nothing, of a day.
    package var ofNeighbourhood: [Date] = []
    /// How many other numbers the account was texted at in a day.
    package var otherNumbersOfAccount = 0
    /// The area's texts of the last hour that registered nothing.
    package var ofAreaInHour = 0
    /// When the first of the tenant's last sign-ins with a number was texted, as many as it may send in an hour; nil: there are less.
    package var fullSince: Date?
    /// How many texts of the area brought a right code in the seven days before today.
    package var answeredInWeek = 0
    /// The area's registrations of the hour until ``settling`` seconds ago that the gateway took: later ones can still be
    /// answered.
    package var conversion = Conversion(sent: 0, verified: 0)
    /// The last rest of the area, and of all registrations of the tenant, if it ended less than a day ago.
    package var pause: Pause?
    package var pauseOfAll: Pause?
    /// The costs of today and of 30 days with today, in millionths: of the texts that the gateway took, and of those on their way.
    package var costOfDay = 0
    package var costOfMonth = 0
    /// The last reports since the last rest, of an hour, 20 at most, about numbers that have brought a code back, and how many of
    /// them are failures: a number that never did says nothing about the gateway.
    package var reports = 0
    package var failures = 0

    package init() {}

    /// How long after a text its code may still come, in seconds, before it counts as unanswered.
    package static let settling = 300.0
    /// How long a text can be on its way to the gateway, in seconds: as long as its code is good.
    package static let longestWay = 600.0
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
    /// An area gets this many texts in an hour that register nothing, or five times as many as are answered in an hour of the
    /// last week.
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
    ///
    /// Only who registers a number is held up by what others do. The owner of a telephone that is a method has given a first
    /// factor, and the last part of the costs is kept for such sign-ins. Who signs in with a number gets texts at telephones of
    /// accounts alone, which is nothing that is paid for: neither area nor neighbourhood holds that up.
    package func judging(
        _ settings: TextSettings, _ area: CallingArea, for use: TextUse, _ limits: TextLimits, now: Date
    ) -> TextJudgement {
        guard !isSpent(settings, by: settings.price(of: area), for: use) else {
            return .refused(.blockedContact, notes: [])
        }
        var caps = [(ofNumber, limits.ofNumber), (ofAccount, limits.ofAccount), (ofSource, limits.ofSource)]
        var isAreaFull = false
        if use == .registration {
            guard ![pause, pauseOfAll].contains(where: { $0.map { now < $0.until } ?? false }) else {
                return .refused(.blockedContact, notes: [])
            }
            if let rest = rest(of: area, limits, now: now) { return .refused(.blockedContact, notes: rest) }
            caps.append((ofNeighbourhood, limits.ofNeighbourhood))
            isAreaFull = ofAreaInHour >= max(limits.leastOfArea, 5 * answeredInWeek / (7 * 24))
        }
        let waits =
            caps.flatMap { dates, caps in
                caps.compactMap { TimeLimits.wait(dates, window: $0.seconds, limit: $0.count, now: now) }
            }
            + (otherNumbersOfAccount >= limits.numbersOfAccount ? [86_400] : []) + (isAreaFull ? [3_600] : [])
            + (fullSince.map { [max(1, Int($0.addingTimeInterval(3_600).timeIntervalSince(now).rounded(.up)))] } ?? [])
        if let wait = waits.max() { return .refused(.throttled(retryAfter: wait), notes: []) }
        return .send(notes: alarms(settings, area))
    }

    /// Whether a text of this price is more than the tenant may spend: four fifths of it for what strangers can cause.
    package func isSpent(_ settings: TextSettings, by price: Int, for use: TextUse = .secondFactor) -> Bool {
        [(costOfDay, settings.costPerDay), (costOfMonth, settings.costPerMonth)].contains { cost, cap in
            cap.map { cost + price > (use == .secondFactor ? $0 : $0 / 5 * 4) } ?? false
        }
    }

    /// A new rest: of all registrations because the gateway reports that most fail, or of the area because too few of its codes come
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

    /// The name of the rest of all registrations of a tenant.
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
            guard let cap, price > 0 else { return [] }
            // The end is told with the last text that fits.
            let isNear = cost < cap / 5 * 4 && cost + price >= cap / 5 * 4
            let isLast = cost + 2 * price > cap
            return (isNear ? [80] : []).map { .record(.textAlarm, detail: "\($0) % of the costs of a \(name)") }
                + (isLast ? [.record(.textAlarm, detail: "all of the costs of a \(name)")] : [])
        }
    }
}
