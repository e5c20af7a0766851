import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The audit trail of a tenant.
extension Console {
    private static let pageLength = 100

    /// What the list can be narrowed to: a group of events, or one.
    private struct Choice {
        var name: String
        var title: String
        var kinds: Set<AuditEvent.Kind>

        static let groups = [
            Choice(name: "", title: "All events", kinds: Set(AuditEvent.Kind.allCases)),
            Choice(
                name: "failures", title: "All failures",
                kinds: Set(AuditEvent.Kind.allCases.filter { $0.result == "failure" })),
            Choice(name: "sign-ins", title: "All sign-ins", kinds: AuditList.signIns.kinds),
            Choice(
                name: "changes", title: "All changes of users",
                kinds: Set(AuditEvent.Kind.allCases.filter { $0.category == "UserManagement" })),
        ]
        static let all =
            groups
            + AuditEvent.Kind.allCases.sorted { $0.rawValue < $1.rawValue }.map {
                Choice(name: $0.rawValue, title: $0.rawValue, kinds: [$0])
            }
    }

    /// The question of the page's form.
    private struct Question {
        var choice: Choice
        var user: String
        var since: String
        var until: String

        init(_ query: FormFields) throws {
            let name = try Console.value("kind", of: query)
            choice = Choice.all.first { $0.name == name } ?? Choice.groups[0]
            user = String(try Console.value("user", of: query).trimmed.prefix(64))
            since = try Console.value("since", of: query)
            until = try Console.value("until", of: query)
        }

        var pairs: [(String, String)] { [("kind", choice.name), ("user", user), ("since", since), ("until", until)] }

        /// Nil when the user is none, or a date is none: then nothing is found.
        func query(limit: Int, user id: UserID?) -> AuditQuery? {
            var query = AuditQuery(choice.kinds, limit: limit)
            if !user.isEmpty {
                guard let id else { return nil }
                query.user = id
            }
            if !since.isEmpty {
                guard let date = Self.day(since) else { return nil }
                query.since = date
            }
            if !until.isEmpty {
                guard let date = Self.day(until) else { return nil }
                query.until = date.addingTimeInterval(86_399.999)
            }
            return query
        }

        /// A day, as `2026-11-25`, in UTC.
        private static func day(_ text: String) -> Date? {
            guard text.utf8.count == 10 else { return nil }
            return try? Date(text + "T00:00:00Z", strategy: .iso8601)
        }
    }

    func events(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor, note: HTML? = nil
    ) async throws -> Response {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let fields = try Self.queryFields(of: request)
        let question = try Question(fields)
        let fingerprint = Vault.fingerprint((["console events"] + question.pairs.map(\.1)).map { Data($0.utf8) })
        var page = AuditPage([], next: nil)
        let cursor = try Self.value("page", of: fields)
        if var query = question.query(
            limit: Self.pageLength, user: try await user(named: question.user, in: tenant))
        {
            if !cursor.isEmpty {
                let position = await engine.skipTokens.open(
                    cursor, as: ListOffset.self, of: fingerprint, tenant: tenant.id, now: context.trace.at)
                guard let position else { throw ConsoleFault.missing }
                query.before = position.number
            }
            let asked = query
            page = try await searched(for: visitor) { () throws(StoreError) in
                try await store.auditPage(asked, in: tenant.id)
            }
        }
        let path = Self.path(.events, tenant)
        let query = Self.query(question.pairs)
        var next: HTML?
        if let following = page.next {
            let token = try engine.skipTokens.seal(ListOffset(following), of: fingerprint, tenant: tenant.id)
            next =
                "<a class=\"button\" rel=\"next\" href=\"\(path)?\(query)&\(Self.query([("page", token)]))\">Older events</a>"
        }
        let options: [HTML] = Choice.all.map {
            "<option value=\"\($0.name)\"\($0.name == question.choice.name ? " selected" : "")>\($0.title)</option>"
        }
        let follow: HTML? =
            cursor.isEmpty
            ? "<label class=\"follow\" hidden><input type=\"checkbox\" id=\"follow\"> Follow</label>" : nil
        let first: HTML? = cursor.isEmpty ? nil : "<a class=\"button\" href=\"\(path)?\(query)\">Newest events</a>"
        let export: HTML? =
            visitor.may(.exportEvents)
            ? "<p class=\"actions\"><a class=\"button small quiet\" href=\"\(Self.path(.exportEvents, tenant))?\(query)\">Export</a></p>"
            : nil
        // A page looks at a bounded number of lines, so that it may be empty and not the last one.
        let empty: HTML =
            page.next == nil
            ? "<div class=\"empty\"><p>There is no such event.</p></div>"
            : "<div class=\"empty\"><p>No event among the lines that were searched. Older ones may have one.</p></div>"
        let number = page.events.count
        let table: HTML
        if page.events.isEmpty {
            table = empty
        } else {
            let names = try await names(in: entry)
            table = eventTable(page.events, in: entry, names: names, withUser: true)
        }
        return Self.page(
            shell(
                "Events", .events, of: tenant, for: visitor,
                """
                \(Self.head("Events", lead: "What happened in this tenant, newest first. A check finds lines that were changed.", actions: verifyForm(tenant, visitor)))
                \(note)
                <form class="filters" method="get" action="\(path)" role="search" aria-label="Events">
                <div class="field"><label for="kind">Event</label><select id="kind" name="kind">\(options)</select></div>
                <div class="field grow"><label for="user">User</label><input type="search" id="user" name="user" value="\(question.user)" placeholder="Address, alias or id" autocomplete="off"></div>
                <div class="field"><label for="since">From</label><input type="date" id="since" name="since" value="\(question.since)"></div>
                <div class="field"><label for="until">To</label><input type="date" id="until" name="until" value="\(question.until)"></div>
                <button class="button without-script">Search</button>
                \(follow)
                </form>
                <p id="status" role="status"></p>
                <div id="results">
                <div class="results-head"><p class="count">\(number) event\(number == 1 ? "" : "s")\(page.next == nil ? "" : ", and older ones")</p>\(export)</div>
                \(table)
                \(first == nil && next == nil ? nil : "<nav class=\"pages\" aria-label=\"Pages\">\(first)\(next)</nav>")
                </div>
                """))
    }

    /// The user with this id, address or alias.
    func user(named name: String, in tenant: Tenant) async throws(EngineError) -> UserID? {
        if name.isEmpty { return nil }
        if let id = UUID(uuidString: name) { return UserID(id) }
        guard let key = EmailAddress(stored: name)?.key ?? Alias(name)?.key else { return nil }
        return try await read { () throws(StoreError) in
            try await engine.ports.users.account(named: key, in: tenant.id)?.user.id
        }
    }

    private func verifyForm(_ tenant: Tenant, _ visitor: Visitor) -> HTML? {
        guard visitor.may(.verifyEvents) else { return nil }
        return """
            <form class="actions" method="post" action="\(Self.path(.verifyEvents, tenant))">\(hidden(visitor))\
            <button class="button">Check the trail</button></form>
            """
    }

    func verifyEvents(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        _ = try await form(of: request, by: visitor)
        let result = try await searched(for: visitor) { () throws(StoreError) in
            try await engine.auditChain.verify(tenant.id, in: store)
        }
        let note: HTML =
            switch result {
            case .success(let report):
                "<p class=\"note good\" role=\"status\">The chain is sound. Its end, to note elsewhere: <code>\(report.head)</code></p>"
            case .failure(let fault):
                "<p class=\"note bad\" role=\"alert\" tabindex=\"-1\">The trail was tampered with. \(fault.description)</p>"
            }
        return try await events(request, context, visitor, note: note)
    }

    /// The newest lines that the question finds, as JSON, a line each.
    func exportEvents(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        var bytes = Data()
        let question = try Question(try Self.queryFields(of: request))
        if let query = question.query(
            limit: AuditList.largestPage, user: try await user(named: question.user, in: entry.tenant))
        {
            let page = try await searched(for: visitor) { () throws(StoreError) in
                try await store.auditPage(query, in: entry.tenant.id)
            }
            let codec = AuditCodec(
                tenant: entry.tenant, names: try await names(in: entry), daemons: Set(entry.daemons.map(\.id))
            ) { engine.lineID(of: $0, in: entry.tenant.id) }
            for event in page.events {
                bytes += try WireJSON.encode(codec.object(event, in: .directoryAudits)) + [0x0A]
            }
        }
        try await engine.recordAuditExport(in: entry.tenant, as: actor(visitor, context), now: context.trace.at)
        return Self.download(bytes, named: "events-\(entry.tenant.subdomain).jsonl", "application/jsonl")
    }

    /// The names of who acts: applications, daemons, operators.
    func names(in entry: TenantDirectory.Entry) async throws(EngineError) -> [ClientID: String] {
        var names: [ClientID: String] = [:]
        for one in try await operators.all() { names[ClientID(one.user.uuid)] = one.email }
        for daemon in entry.daemons { names[daemon.id] = daemon.displayName }
        for client in entry.applications { names[client.id] = client.displayName }
        return names
    }

    func eventTable(
        _ events: [RecordedEvent], in entry: TenantDirectory.Entry, names: [ClientID: String], withUser: Bool
    ) -> HTML {
        let rows = events.map { recorded -> Row in
            let event = recorded.event
            let user: HTML? = event.user.map {
                "<a href=\"\(Self.path(.user, entry.tenant, user: $0))\"><code>\(String($0.description.prefix(8)))</code><span class=\"sr-only\"> user</span></a>"
            }
            let isFailure = event.kind.result == "failure"
            let by: HTML? =
                event.client.map { client in
                    names[client].map { "\($0)" } ?? "<code>\(String(client.description.prefix(8)))</code>"
                }
                ?? (event.detail?.hasSuffix("operator") == true ? "Command line" : nil)
            let cells: [HTML?] = [
                "\(event.kind.rawValue)\(isFailure ? " \(Self.badge("failure", "bad"))" as HTML : nil)",
                user, by, event.detail.map { "\($0)" },
            ]
            return Row(
                id: "e-\(engine.lineID(of: recorded.seq, in: entry.tenant.id))", head: Self.time(event.at),
                cells: withUser ? cells : [cells[0]] + cells[2...])
        }
        let columns = [
            Column(title: "Event"), Column(title: "User"), Column(title: "By"), Column(title: "Detail", kind: "wide"),
        ]
        return Self.table("Events", "Time", withUser ? columns : [columns[0]] + columns[2...], rows)
    }
}
