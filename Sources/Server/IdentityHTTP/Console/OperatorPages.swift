import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Who operates the server. For owners.
extension Console {
    func operators(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil,
        invitation: Secret<String>? = nil
    ) async throws -> HTML {
        let all = try await operators.all()
        let rows = all.map { one -> Row in
            let path = ConsoleRoute.setRole.path.replacing("{id}", with: one.user.description)
            let remove = ConsoleRoute.removeOperatorLook.path.replacing("{id}", with: one.user.description)
            let options: [HTML] = OperatorRole.allCases.map {
                "<option value=\"\($0.rawValue)\"\($0 == one.role ? " selected" : "")>\($0.title)</option>"
            }
            return Row(
                id: "o-\(one.user)",
                head:
                    "\(one.email)\(one.user == visitor.user ? " (you)" : "")\(one.name.map { name -> HTML in "<span class=\"sub\">\(name)</span>" })",
                cells: [
                    """
                    <form class="inline" method="post" action="\(path)">\(hidden(visitor))\
                    <label class="sr-only" for="role-\(one.user)">Role of \(one.email)</label>\
                    <select id="role-\(one.user)" name="role">\(options)</select><button class="button small">Change</button></form>
                    """,
                    Self.time(one.since), one.seenAt.map(Self.time),
                    "<a class=\"button small danger quiet\" href=\"\(remove)\">Remove<span class=\"sr-only\"> \(one.email)</span></a>",
                ])
        }
        let table: HTML =
            rows.isEmpty
            ? "<div class=\"empty\"><p>There is no operator. Invite the first one with <code>native-auth operator invite --role owner</code>.</p></div>"
            : Self.table(
                "Operators", "Operator",
                [
                    Column(title: "Role"), Column(title: "Since", kind: "time"),
                    Column(title: "Last seen", kind: "time"),
                    Column(title: "Action", kind: "do"),
                ], rows)
        let choices: [HTML] = OperatorRole.allCases.reversed().map {
            "<label class=\"choice\"><input type=\"radio\" name=\"role\" value=\"\($0.rawValue)\"\($0 == .auditor ? " checked" : "")> <span>\($0.title) <span class=\"hint\">\($0.summary)</span></span></label>"
        }
        let shown: HTML? = invitation.map { secret in
            """
            <div class="secret"><p class="label">Secret of the invitation. It is shown once, and works once, for 30 minutes, at <code>\(baseURL)/console/invitation</code>.</p>\
            <code id="secret">\(secret.reveal())</code>\(Self.copyButton("secret"))</div>
            """
        }
        let invitations = try await operators.invitations(now: context.trace.at)
        let events = try await read { () throws(StoreError) in
            try await store.auditPage(AuditQuery(Set(AuditEvent.Kind.allCases), limit: 25), in: OperatorTenant.id)
        }.events
        let entry = TenantDirectory.Entry(tenant: OperatorTenant.tenant, applications: [OperatorTenant.console])
        let names = try await names(in: entry)
        let open: HTML? =
            invitations.isEmpty
            ? nil
            : """
            <h3>Open invitations</h3>
            \(Self.table(
                "Open invitations", "Role", [Column(title: "Ends", kind: "time"), Column(title: "By"), Column(title: "Action", kind: "do")],
                invitations.map { one in
                    Row(
                        id: "i-\(one.digest.prefix(8).hexadecimal)", head: "\(one.role.title)",
                        cells: [
                            Self.time(one.until),
                            one.inviter.flatMap { names[ClientID($0.uuid)] }.map { "\($0)" } ?? "Command line",
                            """
                            <form class="inline" method="post" action="\(ConsoleRoute.withdrawInvitation.path)">\(hidden(visitor))\
                            <input type="hidden" name="invitation" value="\(one.digest.hexadecimal)">\
                            <button class="button small danger quiet">Withdraw</button></form>
                            """,
                        ])
                }))
            """
        let trail: HTML =
            events.isEmpty
            ? "<p class=\"muted\">Nothing yet.</p>"
            : Self.table(
                "Events", "Time",
                [
                    Column(title: "Event"), Column(title: "Operator"), Column(title: "By"),
                    Column(title: "Detail", kind: "wide"),
                ],
                events.map { recorded in
                    let event = recorded.event
                    return Row(
                        id: "e-\(engine.lineID(of: recorded.seq, in: OperatorTenant.id))", head: Self.time(event.at),
                        cells: [
                            "\(event.kind.rawValue)\(event.kind.result == "failure" ? " \(Self.badge("failure", "bad"))" as HTML : nil)",
                            (event.user.map { ClientID($0.uuid) } ?? event.client).flatMap { names[$0] }.map {
                                "\($0)"
                            },
                            event.detail.map { "\($0)" },
                        ])
                })
        let inviting: HTML =
            try await engine.needsTwoOperators()
            ? "<p>\(Self.invitedByCommand)</p>"
            : """
            <form class="form" method="post" action="\(ConsoleRoute.invite.path)">
            \(hidden(visitor))
            <fieldset><legend>Role</legend>\(choices)</fieldset>
            <div class="buttons"><button class="button primary">Make an invitation</button></div>
            </form>
            """
        return shell(
            "Operators", .operators, of: nil, for: visitor,
            """
            \(Self.head("Operators", lead: "They sign in with e-mail address, password and a code that is mailed to them."))
            \(Self.note(problem, isGood: false))
            \(Self.note(try Self.done(Self.queryFields(of: request))))
            \(shown)
            <section class="panel"><h2>Operators</h2>
            \(table)
            </section>
            <section class="panel"><h2>Invite</h2>
            \(inviting)
            \(open)
            </section>
            <section class="panel"><h2>Last events of operators</h2>
            \(trail)
            </section>
            """)
    }

    static let invitedByCommand =
        "Two operators must stand behind some changes of users, so new ones are invited on the server's machine: native-auth operator invite."

    func invite(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let form = try await form(of: request, by: visitor)
        guard let role = OperatorRole(rawValue: try Self.value("role", of: form)) else { throw ConsoleFault.missing }
        guard try await !engine.needsTwoOperators() else {
            return Self.page(
                try await operators(request, context, visitor, problem: Self.invitedByCommand), .conflict)
        }
        guard let secret = try await operators.invite(role, as: actor(visitor, context), now: context.trace.at) else {
            throw ConsoleFault.forbidden
        }
        return Self.page(try await operators(request, context, visitor, invitation: secret))
    }

    func withdrawInvitation(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let form = try await form(of: request, by: visitor)
        let name = try Self.value("invitation", of: form)
        let found = try await operators.invitations(now: context.trace.at).first { $0.digest.hexadecimal == name }
        guard let found else { throw ConsoleFault.missing }
        try await operators.withdraw(found, as: actor(visitor, context), now: context.trace.at)
        return Self.redirect(to: "\(ConsoleRoute.operators.path)?done=withdrawn")
    }

    func setRole(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let form = try await form(of: request, by: visitor)
        guard let role = OperatorRole(rawValue: try Self.value("role", of: form)),
            let user = UUID(uuidString: try context.parameters.require("id")).map({ UserID($0) })
        else { throw ConsoleFault.missing }
        let answer = try await operators.setRole(
            role, of: user, as: actor(visitor, context), now: context.trace.at)
        return try await respond(answer, done: "role", request, context, visitor)
    }

    func removeOperatorLook(_ context: IdentityRequestContext, _ visitor: Visitor) async throws -> HTML {
        let one = try await named(context)
        return confirmation(
            title: "Remove \(one.email)",
            effects: [
                "The operator is signed out at once, and the account is deleted.",
                "The address can be invited again.",
            ], button: "Remove", isGrave: true, typed: nil,
            action: ConsoleRoute.removeOperator.path.replacing("{id}", with: one.user.description),
            back: ("Operators", ConsoleRoute.operators.path), .operators, nil, visitor)
    }

    private func named(_ context: IdentityRequestContext) async throws -> OperatorRecord {
        let id = UUID(uuidString: try context.parameters.require("id")).map { UserID($0) }
        guard let one = try await operators.all().first(where: { $0.user == id }) else { throw ConsoleFault.missing }
        return one
    }

    func removeOperator(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        _ = try await form(of: request, by: visitor)
        let one = try await named(context)
        let answer = try await operators.remove(
            one.user, as: actor(visitor, context), now: context.trace.at)
        return try await respond(answer, done: "removed", request, context, visitor)
    }

    private func respond(
        _ answer: Result<Void, OperatorRefusal>, done: String, _ request: Request, _ context: IdentityRequestContext,
        _ visitor: Visitor
    ) async throws -> Response {
        switch answer {
        case .success: return Self.redirect(to: "\(ConsoleRoute.operators.path)?done=\(done)")
        case .failure(.lastOwner):
            return Self.page(
                try await operators(
                    request, context, visitor,
                    problem: "This is the last owner. Invite another owner first."), .conflict)
        case .failure(.notAnOwner): throw ConsoleFault.forbidden
        case .failure(.notAnOperator), .failure(.invitationUsed): throw ConsoleFault.missing
        }
    }
}
