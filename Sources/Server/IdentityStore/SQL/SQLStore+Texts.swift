package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

extension SQLStore {
    package func note(
        _ report: TextReport, of text: UUID, in tenant: TenantID
    ) async throws(StoreError) {
        try await write([]) { session in
            try session.run(
                "UPDATE texts SET report = ? WHERE tenant = ? AND id = ? AND report IS NULL",
                [report.rawValue, tenant, text])
        }
    }
}

extension SQLSession {
    func insert(_ text: SentText, in tenant: TenantID) throws {
        let counted = text.counted
        // The codes of the flow's earlier texts are void: the user would see the last of them last.
        try run(
            """
            UPDATE outbox SET state = 'expired', sealed_content = NULL, finished_at = ?
            WHERE tenant = ? AND state = 'pending' AND id IN (
                SELECT id FROM texts \(dialect.indexed(by: "texts_by_flow")) WHERE tenant = ? AND flow = ?)
            """, [text.at, tenant, tenant, text.flow])
        try run(
            """
            INSERT INTO texts (tenant, id, flow, number, neighbourhood, area, account, source, registers, signs_in, cost,
                sent_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                tenant, text.id, text.flow, counted.number, counted.neighbourhood, counted.area, counted.account,
                counted.source, counted.use == .registration, counted.use == .signIn, text.cost, text.at,
            ])
    }

    /// The gateway took the text: it costs.
    func noteTaken(_ id: UUID, in tenant: TenantID, at date: Date) throws {
        let count = try change(
            "UPDATE texts SET outcome = 'taken' WHERE tenant = ? AND id = ? AND outcome IS NULL", [tenant, id])
        guard count == 1 else { return }
        try run(
            """
            INSERT INTO text_days (tenant, day, area, cost, answered, last_at)
            SELECT tenant, ?, area, cost, 0, ? FROM texts WHERE tenant = ? AND id = ?
            ON CONFLICT (tenant, day, area)
            DO UPDATE SET cost = text_days.cost + excluded.cost, last_at = excluded.last_at
            """, [date.day, date, tenant, id])
    }

    /// The gateway refused the text: it costs nothing, and no answer is missing.
    func noteRefused(_ id: UUID, in tenant: TenantID) throws {
        try run("UPDATE texts SET outcome = 'failed' WHERE tenant = ? AND id = ? AND outcome IS NULL", [tenant, id])
    }

    func noteVerifiedTexts(of flow: UUID, number: Data, in tenant: TenantID, at date: Date) throws {
        let texts = "texts \(dialect.indexed(by: "texts_by_flow"))"
        let found = try rows(
            of: "texts",
            "SELECT id, area, registers, signs_in FROM \(texts) WHERE tenant = ? AND flow = ? AND number = ? AND verified_at IS NULL",
            [tenant, flow, number]
        ).get()
        for row in found {
            try run(
                "UPDATE texts SET verified_at = ? WHERE tenant = ? AND id = ?",
                [date, tenant, try row.value("id", as: UUID.self)], expecting: 1)
        }
        guard let first = found.first, try TextUse(stored: first) == .registration else { return }
        try run(
            """
            INSERT INTO text_days (tenant, day, area, cost, answered, last_at) VALUES (?, ?, ?, 0, 1, ?)
            ON CONFLICT (tenant, day, area)
            DO UPDATE SET answered = text_days.answered + 1, last_at = excluded.last_at
            """, [tenant, date.day, try first.value("area", as: String.self), date])
    }

    /// When the first of the tenant's last sign-ins with a number was texted, as many as it may have in an hour; nil: there are less.
    private func firstOfLastSignIns(_ query: StepQuery) throws -> Pending<Date?> {
        guard let most = query.mailsPerHour else { return Pending(nil) }
        return try rows(
            of: "texts",
            """
            SELECT sent_at FROM texts \(dialect.indexed(by: "texts_by_tenant"))
            WHERE tenant = ? AND sent_at > ? AND signs_in = 1 ORDER BY sent_at DESC LIMIT 1 OFFSET ?
            """, [query.tenant, query.now.addingTimeInterval(-3_600), most - 1]
        ).map { try $0.first?.value("sent_at") }
    }

    func pauseTexts(_ area: String, _ pause: TextHistory.Pause, in tenant: TenantID) throws {
        try run(
            """
            INSERT INTO text_pauses (tenant, area, until, minutes) VALUES (?, ?, ?, ?)
            ON CONFLICT (tenant, area) DO UPDATE SET until = excluded.until, minutes = excluded.minutes
            """, [tenant, area, pause.until, pause.minutes])
    }

    /// What the step must know of the tenant's texts; nil when it sends none. All of them are locked.
    func textHistory(_ query: StepQuery) throws -> Pending<TextHistory?> {
        guard query.texts != nil || query.readsTextCosts else { return Pending(nil) }
        let (tenant, now) = (query.tenant, query.now)
        let costs = try rows(
            of: "text_days",
            "SELECT day, area, cost, answered FROM text_days WHERE tenant = ? AND day > ?", [tenant, now.day - 30])
        let underWay = try rows(
            of: "texts",
            """
            SELECT cost FROM texts \(dialect.indexed(by: "texts_by_tenant"))
            WHERE tenant = ? AND sent_at > ? AND outcome IS NULL
            """, [tenant, now.addingTimeInterval(-TextHistory.longestWay)])
        guard let asked = query.texts else {
            return costs.map { try TextHistory(costs: $0, underWay: try underWay.get(), area: nil, now: now) }
        }
        let day = now.addingTimeInterval(-86_400)
        func texts(_ index: String, _ condition: String, _ value: any StoredValue, since: Date) throws
            -> Pending<[TextRow]>
        {
            try rows(
                of: "texts",
                """
                SELECT number, account, registers, signs_in, outcome, sent_at, verified_at, report
                FROM texts \(dialect.indexed(by: index)) WHERE tenant = ? AND \(condition) = ? AND sent_at > ? ORDER BY sent_at
                """, [tenant, value, since]
            ).map { try $0.map(TextRow.init) }
        }
        let ofNumber = try texts("texts_by_number", "number", asked.number, since: day.addingTimeInterval(-6 * 86_400))
        let ofAccount =
            asked.use == .signIn ? Pending([]) : try texts("texts_by_account", "account", asked.account, since: day)
        let ofSource = try asked.source.map { try texts("texts_by_source", "source", $0, since: day) } ?? Pending([])
        let firstOfLast = try asked.use == .signIn ? firstOfLastSignIns(query) : Pending(nil)
        // What holds up registrations alone.
        let isRegistration = asked.use == .registration
        let nearby =
            isRegistration
            ? try texts("texts_by_neighbourhood", "neighbourhood", asked.neighbourhood, since: day) : Pending([])
        let ofArea =
            isRegistration
            ? try texts(
                "texts_by_area", "area", asked.area, since: now.addingTimeInterval(-3_600 - TextHistory.settling))
            : Pending([])
        let reported =
            try !isRegistration
            ? Pending([])
            : rows(
                of: "texts",
                """
                SELECT number, account, registers, signs_in, outcome, sent_at, verified_at, report
                FROM texts \(dialect.indexed(by: "texts_by_tenant"))
                WHERE tenant = ? AND sent_at > ? AND report IS NOT NULL AND EXISTS (
                    SELECT 1 FROM texts AS other \(dialect.indexed(by: "texts_by_number"))
                    WHERE other.tenant = texts.tenant AND other.number = texts.number AND other.verified_at IS NOT NULL)
                ORDER BY sent_at DESC LIMIT 20
                """, [tenant, now.addingTimeInterval(-3_600)]
            ).map { try $0.map(TextRow.init) }
        let pauses = try rows(
            of: "text_pauses",
            "SELECT area, until, minutes FROM text_pauses WHERE tenant = ? AND area IN (?, ?) AND until > ?",
            [tenant, asked.area, TextHistory.everyArea, day])
        return costs.map { costs in
            var history = try TextHistory(costs: costs, underWay: try underWay.get(), area: asked.area, now: now)
            // Strangers use up nothing of the account that has the number, and learn nothing of it.
            history.ofNumber = try ofNumber.get().filter {
                $0.use == asked.use && (asked.use != .secondFactor || $0.account == asked.account)
            }.map(\.at)
            history.fullSince = try firstOfLast.get()
            let own = try ofAccount.get().filter { $0.use != .signIn }
            history.ofAccount = own.map(\.at)
            history.otherNumbersOfAccount = Set(own.map(\.number)).subtracting([asked.number]).count
            history.ofSource = try ofSource.get().map(\.at)
            history.ofNeighbourhood = try nearby.get().filter(\.isUnanswered).map(\.at)
            let ofArea = try ofArea.get()
            history.ofAreaInHour = ofArea.count { $0.isUnanswered && $0.at > now.addingTimeInterval(-3_600) }
            let settled = ofArea.filter {
                $0.use == .registration && $0.isTaken && $0.at <= now.addingTimeInterval(-TextHistory.settling)
            }
            history.conversion = .init(sent: settled.count, verified: settled.count(where: \.isVerified))
            for row in try pauses.get() {
                let pause = TextHistory.Pause(until: try row.value("until"), minutes: try row.value("minutes"))
                if try row.value("area", as: String.self) == TextHistory.everyArea {
                    history.pauseOfAll = pause
                } else {
                    history.pause = pause
                }
            }
            let last = history.pauseOfAll?.until ?? .distantPast
            let reports = try reported.get().filter { $0.at > last }
            history.reports = reports.count
            history.failures = reports.count { $0.report == TextReport.failed.rawValue }
            return history
        }
    }
}

/// A text as its limits see it.
private struct TextRow {
    var number: Data
    var account: Data
    var use: TextUse
    var isTaken: Bool
    var hasFailed: Bool
    var at: Date
    var isVerified: Bool
    var report: String?

    init(_ row: StoredRow) throws {
        number = try row.value("number")
        account = try row.value("account")
        use = try TextUse(stored: row)
        let outcome = try row.value("outcome", as: String?.self)
        isTaken = outcome == "taken"
        hasFailed = outcome == "failed"
        at = try row.value("sent_at")
        isVerified = try row.value("verified_at", as: Date?.self) != nil
        report = try row.value("report")
    }

    /// Whether it was to register a number, and did not.
    var isUnanswered: Bool { use == .registration && !isVerified && !hasFailed }
}

extension TextUse {
    fileprivate init(stored row: StoredRow) throws {
        self =
            if try row.value("signs_in", as: Bool.self) {
                .signIn
            } else if try row.value("registers", as: Bool.self) {
                .registration
            } else {
                .secondFactor
            }
    }
}

extension TextHistory {
    /// - Parameters:
    ///   - rows: Of 30 days with today.
    ///   - underWay: The texts that wait for the gateway.
    fileprivate init(costs rows: [StoredRow], underWay: [StoredRow], area: String?, now: Date) throws {
        self.init()
        let waiting = try underWay.reduce(0) { try $0 + $1.value("cost", as: Int.self) }
        (costOfDay, costOfMonth) = (waiting, waiting)
        let today = now.day
        for row in rows {
            let day: Int = try row.value("day")
            let cost: Int = try row.value("cost")
            costOfMonth += cost
            if day == today { costOfDay += cost }
            if day < today, day >= today - 7, try row.value("area", as: String.self) == area {
                answeredInWeek += try row.value("answered")
            }
        }
    }
}

extension Date {
    /// Days since 1970, UTC.
    fileprivate var day: Int { Int((timeIntervalSince1970 / 86_400).rounded(.down)) }
}
