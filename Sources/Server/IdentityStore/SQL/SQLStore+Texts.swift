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
            WHERE tenant = ? AND state = 'pending' AND id IN (SELECT id FROM texts WHERE tenant = ? AND flow = ?)
            """, [text.at, tenant, tenant, text.flow])
        try run(
            """
            INSERT INTO texts (tenant, id, flow, number, neighbourhood, area, account, source, sent_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                tenant, text.id, text.flow, counted.number, counted.neighbourhood, counted.area, counted.account,
                counted.source, text.at,
            ])
        try run(
            """
            INSERT INTO text_days (tenant, day, area, sent, cost, last_at) VALUES (?, ?, ?, 1, ?, ?)
            ON CONFLICT (tenant, day, area)
            DO UPDATE SET sent = text_days.sent + 1, cost = text_days.cost + excluded.cost, last_at = excluded.last_at
            """, [tenant, text.at.day, counted.area, text.cost, text.at])
    }

    func noteVerifiedTexts(of flow: UUID, in tenant: TenantID, at date: Date) throws {
        try run(
            "UPDATE texts SET verified_at = ? WHERE tenant = ? AND flow = ? AND verified_at IS NULL",
            [date, tenant, flow])
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
            "SELECT day, area, sent, cost FROM text_days WHERE tenant = ? AND day > ?", [tenant, now.day - 30])
        guard let asked = query.texts else { return costs.map { try TextHistory(costs: $0, area: nil, now: now) } }
        let day = now.addingTimeInterval(-86_400)
        let near = try rows(
            of: "texts",
            """
            SELECT number, account, source, neighbourhood, sent_at FROM texts
            WHERE tenant = ? AND sent_at > ? AND (number = ? OR account = ? OR source = ? OR neighbourhood = ?)
            ORDER BY sent_at
            """,
            [
                tenant, now.addingTimeInterval(-7 * 86_400), asked.number, asked.account, asked.source ?? Data(),
                asked.neighbourhood,
            ])
        let inHour = try rows(
            of: "texts",
            """
            SELECT sent_at, verified_at FROM texts WHERE tenant = ? AND area = ? AND sent_at > ? ORDER BY sent_at
            """, [tenant, asked.area, now.addingTimeInterval(-3_600 - TextHistory.settling)])
        let reports = try rows(
            of: "texts",
            """
            SELECT report FROM texts WHERE tenant = ? AND sent_at > ? AND report IS NOT NULL
            ORDER BY sent_at DESC LIMIT 20
            """, [tenant, now.addingTimeInterval(-3_600)])
        let pauses = try rows(
            of: "text_pauses",
            "SELECT area, until, minutes FROM text_pauses WHERE tenant = ? AND area IN (?, ?) AND until > ?",
            [tenant, asked.area, TextHistory.everyArea, day])
        return costs.map { costs in
            var history = try TextHistory(costs: costs, area: asked.area, now: now)
            var others: Set<Data> = []
            for row in try near.get() {
                let at: Date = try row.value("sent_at")
                let number: Data = try row.value("number")
                if number == asked.number { history.ofNumber.append(at) }
                guard at > day else { continue }
                if try row.value("account", as: Data.self) == asked.account {
                    history.ofAccount.append(at)
                    if number != asked.number { others.insert(number) }
                }
                if let source = asked.source, try row.value("source", as: Data?.self) == source {
                    history.ofSource.append(at)
                }
                if try row.value("neighbourhood", as: Data.self) == asked.neighbourhood {
                    history.ofNeighbourhood.append(at)
                }
            }
            history.otherNumbersOfAccount = others.count
            for row in try inHour.get() {
                let at: Date = try row.value("sent_at")
                if at > now.addingTimeInterval(-3_600) { history.ofAreaInHour += 1 }
                guard at <= now.addingTimeInterval(-TextHistory.settling) else { continue }
                history.conversion.sent += 1
                if try row.value("verified_at", as: Date?.self) != nil { history.conversion.verified += 1 }
            }
            let words = try reports.get().map { try $0.value("report", as: String.self) }
            history.reports = words.count
            history.failures = words.count { $0 == TextReport.failed.rawValue }
            for row in try pauses.get() {
                let pause = TextHistory.Pause(until: try row.value("until"), minutes: try row.value("minutes"))
                if try row.value("area", as: String.self) == TextHistory.everyArea {
                    history.pauseOfAll = pause
                } else {
                    history.pause = pause
                }
            }
            return history
        }
    }
}

extension TextHistory {
    /// - Parameter rows: Of 30 days with today.
    fileprivate init(costs rows: [StoredRow], area: String?, now: Date) throws {
        self.init()
        let today = now.day
        for row in rows {
            let day: Int = try row.value("day")
            let cost: Int = try row.value("cost")
            costOfMonth += cost
            if day == today { costOfDay += cost }
            if day < today, day >= today - 7, try row.value("area", as: String.self) == area {
                ofAreaInWeek += try row.value("sent")
            }
        }
    }
}

extension Date {
    /// Days since 1970, UTC.
    fileprivate var day: Int { Int((timeIntervalSince1970 / 86_400).rounded(.down)) }
}
