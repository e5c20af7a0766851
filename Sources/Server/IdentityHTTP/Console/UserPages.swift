import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The users of a tenant: the list, and one user. The forms are in UserForms.swift.
extension Console {
    private static let pageLength = 50

    /// What the list can be narrowed to.
    private enum UserState: String, CaseIterable {
        case all, enabled, disabled, deleted

        var title: String {
            switch self {
            case .all: "All"
            case .enabled: "Enabled"
            case .disabled: "Disabled"
            case .deleted: "Deleted"
            }
        }

        var condition: UserCondition? {
            switch self {
            case .all, .deleted: nil
            case .enabled: .isEnabled(true)
            case .disabled: .isEnabled(false)
            }
        }
    }

    func users(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let query = try Self.queryFields(of: request)
        let text = String(try Self.value("q", of: query).prefix(256)).trimmed
        let state = UserState(rawValue: try Self.value("state", of: query)) ?? .all
        let fingerprint = Vault.fingerprint(["console users", text, state.rawValue].map { Data($0.utf8) })
        var position: UserPosition?
        let cursor = try Self.value("page", of: query)
        if !cursor.isEmpty {
            position = await engine.skipTokens.open(
                cursor, as: UserPosition.self, of: fingerprint, tenant: tenant.id, now: context.trace.at)
            guard position != nil else { throw ConsoleFault.missing }
        }
        let (page, isCut) = try await searched(for: visitor) { () throws(StoreError) in
            try await found(text, state, after: position, in: tenant)
        }
        let rows = page.users.map { account -> Row in
            let user = account.user
            let path = Self.path(.user, tenant, user: user.id)
            return Row(
                id: "u-\(user.id)",
                head:
                    "<a href=\"\(path)\">\(user.email)</a>\(user.alias.map { alias -> HTML in "<span class=\"sub\">\(alias)</span>" })",
                cells: [
                    user.attributes["displayName"].map { name -> HTML in "\(name.description)" },
                    Self.state(of: account),
                    account.passwordHash == nil ? "Code" : "Password",
                    account.strongMethods.isEmpty ? nil : "\(account.strongMethods.count)", Self.time(user.createdAt),
                ])
        }
        let path = Self.path(.users, tenant)
        let filter = [("q", text), ("state", state.rawValue)]
        let first: HTML? =
            position.map { _ in "<a class=\"button\" href=\"\(path)?\(Self.query(filter))\">First page</a>" }
        var next: HTML?
        if let following = page.next {
            let token = try engine.skipTokens.seal(following, of: fingerprint, tenant: tenant.id)
            next =
                "<a class=\"button\" rel=\"next\" href=\"\(path)?\(Self.query(filter + [("page", token)]))\">Next page</a>"
        }
        let number = page.users.count
        let isFirstOfMore = isCut || page.next != nil && position == nil
        let count =
            "\(isFirstOfMore ? "First " : "")\(number) user\(number == 1 ? "" : "s")\(isCut ? "; type more to find fewer" : "")"
        let table: HTML =
            rows.isEmpty
            ? """
            <div class="empty"><p>\(text.isEmpty && state == .all ? "There is no user yet." : "No user is found.")</p>\
            <p>\(text.isEmpty && state == .all ? "Users come by sign-up, or by an operator." : "A search finds the beginning of an address or a name, and a whole alias or id.")</p></div>
            """
            : Self.table(
                "Users", "Address",
                [
                    Column(title: "Name"), Column(title: "State"), Column(title: "Signs in with"),
                    Column(title: "Second factors", kind: "number"), Column(title: "Created", kind: "time"),
                ], rows)
        let options: [HTML] = UserState.allCases.map {
            "<option value=\"\($0.rawValue)\"\($0 == state ? " selected" : "")>\($0.title)</option>"
        }
        let create: HTML? =
            visitor.may(.newUser)
            ? "<p class=\"actions\"><a class=\"button primary\" href=\"\(Self.path(.newUser, tenant))\">New user</a></p>"
            : nil
        let pages: HTML? =
            first == nil && next == nil ? nil : "<nav class=\"pages\" aria-label=\"Pages\">\(first)\(next)</nav>"
        let asked = try await engine.operatorRequests(in: tenant.id, now: context.trace.at).count
        let waiting: HTML? =
            asked == 0
            ? nil
            : "<p class=\"note warn\"><a href=\"\(Self.path(.requests, tenant))\">Waiting for another operator: \(asked)</a></p>"
        return Self.page(
            shell(
                "Users", .users, of: tenant, for: visitor,
                """
                \(Self.head("Users", actions: create))
                \(Self.note(try Self.done(query)))
                \(waiting)
                <form class="filters" method="get" action="\(path)" role="search" aria-label="Users">
                <div class="field grow"><label for="q">Search</label>\
                <input type="search" id="q" name="q" value="\(text)" placeholder="Address, name, alias or id" autocomplete="off"></div>
                <div class="field"><label for="state">State</label><select id="state" name="state">\(options)</select></div>
                <button class="button without-script">Search</button>
                </form>
                <p id="status" role="status"></p>
                <div id="results">
                <div class="results-head"><p class="count">\(count)</p></div>
                \(table)
                \(pages)
                </div>
                """))
    }

    /// A page of the users that the search finds.
    ///
    /// - Returns: Also whether more users are found than the page can show, although no page follows.
    private func found(
        _ text: String, _ state: UserState, after position: UserPosition?, in tenant: Tenant
    ) async throws(StoreError) -> (page: UserPage, isCut: Bool) {
        func ask(_ condition: UserCondition?) async throws(StoreError) -> UserPage {
            let parts = [condition, state.condition].compactMap(\.self)
            // The index of the few that are disabled or deleted has no order by time.
            let isNewestFirst = condition == nil && (state == .all || state == .enabled)
            return try await store.users(
                UserPageRequest(
                    parts.count > 1 ? .all(parts) : parts.first, order: isNewestFirst ? .createdDescending : nil,
                    after: position, limit: Self.pageLength, isDeleted: state == .deleted), in: tenant.id)
        }
        if text.isEmpty { return (try await ask(nil), false) }
        if let id = UUID(uuidString: text) { return (try await ask(.hasID(UserID(id))), false) }
        if text.contains("@") { return (try await ask(.mail(.begins(text))), false) }
        // Each of these has an index; one question with “or” would read the users of all.
        let conditions: [UserCondition] = [
            .signsIn(as: text, .local), .mail(.begins(text)), .attribute("displayName", .begins(text)),
            .attribute("givenName", .begins(text)), .attribute("surname", .begins(text)),
        ]
        var (users, known, isCut): ([UserAccount], Set<UserID>, Bool) = ([], [], false)
        for condition in conditions {
            let page = try await ask(condition)
            isCut = isCut || page.next != nil
            for account in page.users where known.insert(account.user.id).inserted { users.append(account) }
        }
        isCut = isCut || users.count > Self.pageLength
        return (UserPage(users: Array(users.prefix(Self.pageLength)), next: nil), isCut)
    }

    static func state(of account: UserAccount) -> HTML {
        if account.deletedAt != nil { return badge("Deleted", "bad") }
        if account.disabledAt != nil { return badge("Disabled", "bad") }
        if account.deletionDueAt != nil { return badge("To be deleted", "warn") }
        return badge("Enabled", "good")
    }

    // MARK: - One user

    func found(
        _ context: IdentityRequestContext, in tenant: Tenant
    ) async throws -> UserAccount {
        guard let id = UUID(uuidString: try context.parameters.require("id")),
            let account = try await engine.account(UserID(id), in: tenant.id)
        else { throw ConsoleFault.missing }
        return account
    }

    func user(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let account = try await found(context, in: tenant)
        let id = account.user.id
        let sessions = try await engine.sessions(of: id, in: tenant.id, current: nil, now: context.trace.at)
        let events = try await read { () throws(StoreError) in
            try await engine.ports.users.events(of: id, in: tenant.id, limit: 25)
        }
        let names = try await names(in: entry)
        let edit: HTML? =
            visitor.may(.editUser) && account.deletedAt == nil
            ? "<p class=\"actions\"><a class=\"button small\" href=\"\(Self.path(.editUser, tenant, user: id))\">Edit</a></p>"
            : nil
        let deeds = Deed.allCases.filter { visitor.may($0.look) && $0.fits(account) }
        let all: HTML? =
            visitor.may(.events)
            ? "<p class=\"actions\"><a class=\"button small\" href=\"\(Self.path(.events, tenant))?user=\(id)\">All events</a></p>"
            : nil
        // The newest first: a lock that no sign-in has followed.
        let lock = events.first {
            [.signInLocked, .signInSucceeded, .resetCompleted].contains($0.event.kind)
        }.flatMap { $0.event.kind == .signInLocked ? $0.event.at : nil }
        let locked: HTML? = lock.flatMap { at in
            context.trace.at.timeIntervalSince(at) < 900
                ? "<p class=\"note warn\">Too many wrong passwords locked the account at \(Self.time(at)), for 15 minutes at most. A password reset ends the lock.</p>"
                : nil
        }
        let links: [HTML] = deeds.map {
            "<li><a class=\"button\($0.isGrave ? " danger quiet" : "")\" href=\"\(Self.path($0.look, tenant, user: id))\">\($0.title)</a></li>"
        }
        let copy: HTML? =
            visitor.may(.exportUser) && account.deletedAt == nil
            ? "<li><a class=\"button\" href=\"\(Self.path(.exportUser, tenant, user: id))\">Copy of all data</a></li>"
            : nil
        let actions: HTML =
            links.isEmpty && copy == nil
            ? "<p class=\"muted\">Your role changes no users.</p>" : "<ul class=\"deeds\">\(copy)\(links)</ul>"
        let main: HTML = """
            <section class="panel"><div class="panel-head"><h2>Profile</h2>\(edit)</div>
            \(profile(account, entry))
            </section>
            <section class="panel"><h2>Ways to sign in</h2>
            \(methods(account, tenant, visitor))
            </section>
            \(try await waiting(for: id, in: entry, context, visitor))
            <section class="panel"><h2>Groups</h2>
            \(try await groups(of: id, in: tenant, visitor))
            </section>
            <section class="panel"><h2>Sessions</h2>
            \(Self.sessions(sessions))
            </section>
            <section class="panel"><div class="panel-head"><h2>Last events</h2>\(all)</div>
            \(events.isEmpty ? "<div class=\"empty\"><p>There is no event about this user.</p></div>" : eventTable(events, in: entry, names: names, withUser: false))
            </section>
            """
        return Self.page(
            shell(
                account.user.email, .users, isBelow: true, of: tenant, for: visitor,
                """
                \(Self.crumbs(("Users", Self.path(.users, tenant)), account.user.email))
                \(Self.head("\(account.user.email) \(Self.state(of: account))"))
                \(Self.note(try Self.done(Self.queryFields(of: request))))
                \(locked)
                <div class="columns">
                <div>
                \(main)
                </div>
                <aside aria-label="Actions">
                <section class="panel"><h2>Actions</h2>
                \(actions)
                </section>
                </aside>
                </div>
                """))
    }

    private func profile(_ account: UserAccount, _ entry: TenantDirectory.Entry) -> HTML {
        let user = account.user
        var pairs: [(String, HTML?)] = [
            ("Id", "<code id=\"id\">\(user.id)</code> \(Self.copyButton("id"))"),
            ("E-mail address", "\(user.email)"), ("Alias", user.alias.map { "\($0)" }),
        ]
        func rank(_ name: String) -> String { name == "displayName" ? "" : name }
        let order = user.attributes.sorted { rank($0.key) < rank($1.key) }
        for (name, value) in order {
            pairs.append((AttributeTitle.of(name), "\(value.description)"))
        }
        pairs += [
            (
                "Address proven", account.emailProvenAt.map { Self.time($0) } ?? "not yet: an operator gave it"
            ),
            ("Created", Self.time(user.createdAt)), ("Disabled", account.disabledAt.map(Self.time)),
            ("Deleted", account.deletedAt.map(Self.time)),
            (
                account.deletedAt == nil ? "Will be deleted" : "Can be restored until",
                account.deletionDueAt.map(Self.time)
            ),
        ]
        return Self.facts(pairs)
    }

    private func methods(_ account: UserAccount, _ tenant: Tenant, _ visitor: Visitor) -> HTML {
        let first: HTML =
            account.passwordHash == nil
            ? "<p>A code that is mailed to the address.</p>" : "<p>The address and a password.</p>"
        let identities: HTML? =
            account.identities.isEmpty
            ? nil : "<p>Also signs in with \(account.identities.map(\.label).joined(separator: ", ")).</p>"
        guard !account.strongMethods.isEmpty else {
            return
                "\(first)<p class=\"muted\">No second factor is registered\(account.requiresSecondFactor ? ", and every sign-in needs one" : "").</p>"
        }
        let rows = account.strongMethods.map { method -> Row in
            let look = Self.path(.removeMethodLook, tenant, user: account.user.id, other: method.id.text)
            let remove: HTML? =
                visitor.may(.removeMethodLook)
                ? "<a class=\"button small danger quiet\" href=\"\(look)\">Remove<span class=\"sr-only\"> \(method.label)</span></a>"
                : nil
            return Row(
                id: "m-\(method.id.text)",
                head:
                    "\(method.isPhone ? "Text to \(method.label)" : method.email == nil ? method.label : "Code to \(method.label)")\(method.name.map { name -> HTML in "<span class=\"sub\">\(name)</span>" })",
                cells: [
                    method.suspendedAt == nil ? Self.badge("Usable", "good") : Self.badge("Suspended", "warn"),
                    Self.time(method.provenAt), method.lastUsedAt.map(Self.time), remove,
                ])
        }
        return
            "\(first)\(identities)\(Self.table("Methods", "Method", [Column(title: "State"), Column(title: "Registered", kind: "time"), Column(title: "Last used", kind: "time"), Column(title: "Action", kind: "do")], rows))"
    }

    private static func sessions(_ sessions: [SessionSummary]) -> HTML {
        guard !sessions.isEmpty else { return "<p class=\"muted\">No sessions.</p>" }
        let rows = sessions.map { session -> Row in
            let device = [session.isOfBrowser ? nil : session.device.model, session.device.system].compactMap(\.self)
            return Row(
                id: "s-\(session.id.text)",
                head: session.isOfBrowser
                    ? "A browser" : "\(session.application ?? "An application that is gone")",
                cells: [
                    device.isEmpty ? nil : "\(device.joined(separator: ", "))", session.network.map { "\($0)" },
                    time(session.createdAt), time(session.lastUsedAt),
                ])
        }
        return table(
            "Sessions", "Application",
            [
                Column(title: "Device"), Column(title: "Network"), Column(title: "Since", kind: "time"),
                Column(title: "Last used", kind: "time"),
            ], rows)
    }

    static func copyButton(_ id: String) -> HTML {
        "<button type=\"button\" class=\"copy\" data-copy=\"#\(id)\" hidden>Copy</button>"
    }

    func exportUser(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let account = try await found(context, in: tenant)
        guard account.deletedAt == nil else { throw ConsoleFault.missing }
        let id = account.user.id
        let now = context.trace.at
        let document = DirectoryCodec.export(
            engine.profile(of: account, by: entry.operatorFlows, in: tenant),
            methods: DirectoryCodec.methods(of: account, masked: false),
            sessions: try await engine.sessions(of: id, in: tenant.id, current: nil, now: now),
            devices: try await engine.rememberedDevices(of: account, in: tenant, now: now),
            earlier: try await engine.emailUndos(of: id, in: tenant.id, now: now),
            groups: try await engine.groups(of: id, in: tenant.id),
            consents: try await engine.consents(of: id, in: tenant.id),
            activity: try await engine.activity(of: id, in: tenant.id))
        if case .refused(let refusal) = try await engine.recordExport(
            of: id, in: tenant, as: actor(visitor, context), now: now)
        {
            return Self.error(.conflict, "Nothing was copied", Self.sentence(refusal))
        }
        return Self.download(try WireJSON.encode(document), named: "user-\(id).json", "application/json")
    }

    func admitNotice(to user: UserID, in tenant: Tenant, _ context: IdentityRequestContext) throws(RequestFault) {
        try context.admit(.operatorNotice, of: Data("\(tenant.id)/\(user)".utf8))
    }

    /// A question whose cost the visitor decides.
    func searched<Value>(
        for visitor: Visitor, _ body: () async throws(StoreError) -> Value
    ) async throws -> Value {
        try await searches(of: Data((visitor.user?.description ?? "development").utf8)) { try await read(body) }
    }

    /// A question of bounded cost.
    func read<Value>(_ body: () async throws(StoreError) -> Value) async throws(EngineError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }

    static func sentence(_ refusal: DirectoryRefusal) -> String {
        switch refusal {
        case .unknownProperty(let name): "The applications have no attribute \(name)."
        case .invalidValue("mail"): "Enter a valid e-mail address."
        case .invalidValue(AttributeDefinition.aliasName):
            "This is no alias: it has 3 to 64 of the letters a to z, digits, dots, hyphens and underscores, begins with a letter or digit, is not all digits, and is no reserved word."
        case .invalidValue(let name):
            "\(AttributeTitle.of(name)) is required, or its value breaks a rule of the application."
        case .nameTaken(let name):
            "Another user has this \(name == "mail" ? "e-mail address" : "alias"), or had it a short time ago."
        case .notFound: "There is no such user any more."
        case .changedMeanwhile: "The user changed in the meantime. Please look at the user again."
        case .step(.noPasswordToReset): "The user has no password, and signs in with codes."
        case .lastMethod: "The user needs a second factor, and this is the last method."
        case .anotherOperatorNeeded: "Another operator must confirm this."
        case .addressAlone: "Another operator must confirm a new address: save it alone."
        case .tooManyRequests:
            "\(OperatorRequest.most) requests about this user wait for another operator. Confirm or withdraw one first."
        case .invalidToken, .insufficientScope, .applicationDisabled, .proofNeeded, .readOnlyProperty, .step:
            "This change is not allowed."
        }
    }
}

extension String {
    /// Without blanks and line ends at both ends.
    var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
