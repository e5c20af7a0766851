import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// What waits for another operator, where the server asks for two (`SEC-ENR-12`).
extension Console {
    /// What a page says before the operator asks for something that waits; empty when it does not.
    func waitingSentence() async throws -> [String] {
        try await engine.needsTwoOperators()
            ? ["It takes effect when another operator confirms it, within 24 hours. Until then nothing changes."] : []
    }

    /// The page after a deed: the user, with what became of it.
    static func answer(
        _ answer: DirectoryAnswer<DeedAnswer>, done: String, about user: UserID, in tenant: Tenant
    ) -> Response {
        switch answer {
        case .accepted(.done): redirect(to: path(.user, tenant, user: user) + "?done=\(done)")
        case .accepted(.waiting): redirect(to: path(.user, tenant, user: user) + "?done=waiting")
        case .refused(let refusal): error(.conflict, "Nothing was changed", sentence(refusal))
        }
    }

    private static func title(_ deed: ProofDeed, of account: UserAccount?) -> String {
        switch deed {
        case .removeMethod(let id):
            "Remove \(account?.strongMethods.first { $0.id == id }?.label ?? "a method that is gone")"
        case .removeMethods: "Remove all methods of the second factor"
        case .changeEmail(let address): "Change the address to \(address)"
        case .requireReset: "Reset the password"
        case .trustPassword: "Trust the password that came from a reset"
        case .relaxSecondFactor: "Demand no second factor at every sign-in"
        }
    }

    /// The requests about one user, for the page of the user; nil when there are none.
    func waiting(
        for user: UserID, in entry: TenantDirectory.Entry, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> HTML? {
        let all = try await engine.operatorRequests(in: entry.tenant.id, now: context.trace.at)
            .filter { $0.user == user }
        guard !all.isEmpty else { return nil }
        return """
            <section class="panel"><h2>Waiting for another operator</h2>
            \(try await table(of: all, in: entry, visitor))
            </section>
            """
    }

    func requests(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> HTML {
        let entry = try tenant(context)
        let all = try await engine.operatorRequests(in: entry.tenant.id, now: context.trace.at)
        let rule =
            try await engine.needsTwoOperators()
            ? "Two operators must stand behind a change of how users prove who they are."
            : "One operator is enough: this server does not ask for two."
        let content: HTML =
            all.isEmpty
            ? "<div class=\"empty\"><p>Nothing waits.</p></div>" : try await table(of: all, in: entry, visitor)
        return shell(
            "Requests", .users, isBelow: true, of: entry.tenant, for: visitor,
            """
            \(Self.crumbs(("Users", Self.path(.users, entry.tenant)), "Requests"))
            \(Self.head("Waiting for another operator", lead: rule))
            \(Self.note(try Self.done(Self.queryFields(of: request))))
            <section class="panel"><h2>Requests</h2>
            \(content)
            </section>
            """)
    }

    private func table(
        of requests: [OperatorRequest], in entry: TenantDirectory.Entry, _ visitor: Visitor
    ) async throws -> HTML {
        let (tenant, names) = (entry.tenant, try await names(in: entry))
        var rows: [Row] = []
        for one in requests {
            let account = try await engine.account(one.user, in: tenant.id)
            let mayDo = visitor.role.map { !$0.permissions.isDisjoint(with: one.deed.permissions) } ?? false
            // Who stands behind it already waits for another one, as does a visitor who is no person.
            let mayConfirm = mayDo && visitor.user != nil && visitor.user != one.person
            func button(_ route: ConsoleRoute, _ title: String, _ kind: String) -> HTML {
                """
                <form class="inline" method="post" action="\(Self.path(route, tenant, other: one.id.text))">\(hidden(visitor))\
                <button class="button small \(kind)">\(title)</button></form>
                """
            }
            let confirm: HTML? = mayConfirm ? button(.confirmRequest, "Confirm", "primary") : nil
            let withdraw: HTML? = mayDo ? button(.withdrawRequest, "Withdraw", "danger quiet") : nil
            let path = Self.path(.user, tenant, user: one.user)
            rows.append(
                Row(
                    id: "r-\(one.id.text)", head: "\(Self.title(one.deed, of: account))",
                    cells: [
                        "<a href=\"\(path)\">\(account?.user.email ?? one.user.description)</a>",
                        "\(one.requester.map { names[$0] ?? $0.description } ?? "Command line")",
                        Self.time(one.requestedAt), Self.time(one.expiresAt), "\(one.missing)",
                        "\(confirm)\(withdraw)",
                    ]))
        }
        return Self.table(
            "Requests", "What",
            [
                Column(title: "User"), Column(title: "By"), Column(title: "Asked", kind: "time"),
                Column(title: "Ends", kind: "time"), Column(title: "Confirmations needed"),
                Column(title: "Action", kind: "do"),
            ], rows)
    }

    /// The request of the path, if the visitor's role may do it.
    private func asked(
        _ context: IdentityRequestContext, in tenant: Tenant, by visitor: Visitor
    ) async throws -> OperatorRequest {
        let id = UUID(uuidString: try context.parameters.require("method"))
        let all = try await engine.operatorRequests(in: tenant.id, now: context.trace.at)
        guard let found = all.first(where: { $0.id == id }) else { throw ConsoleFault.missing }
        guard let role = visitor.role, !role.permissions.isDisjoint(with: found.deed.permissions) else {
            throw ConsoleFault.forbidden
        }
        return found
    }

    func confirmRequest(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let tenant = entry.tenant
        _ = try await form(of: request, by: visitor)
        let asked = try await asked(context, in: tenant, by: visitor)
        // Who asked, or was the first to confirm, may have lost the role since.
        if let person = asked.person {
            let role = try await operators.role(of: person)
            guard let role, !role.permissions.isDisjoint(with: asked.deed.permissions) else {
                return Self.error(
                    .conflict, "Nothing was changed",
                    "The other operator may not do this any more. Withdraw the request, and ask again.")
            }
        }
        try admitNotice(to: asked.user, in: tenant, context)
        let (actor, now) = (actor(visitor, context), context.trace.at)
        // A reset hashes a password that no one knows.
        let answer = try await context.admitted(isHashing: asked.deed == .requireReset) {
            try await engine.confirm(asked, by: entry.operatorFlows, in: tenant, as: actor, now: now)
        }
        let path = Self.path(.user, tenant, user: asked.user)
        switch answer {
        case .accepted(.done): return Self.redirect(to: "\(path)?done=requestDone")
        case .accepted(.waiting): return Self.redirect(to: "\(path)?done=requestConfirmed")
        case .refused(let refusal): return Self.error(.conflict, "Nothing was changed", Self.sentence(refusal))
        }
    }

    func withdrawRequest(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        _ = try await form(of: request, by: visitor)
        let asked = try await asked(context, in: tenant, by: visitor)
        let answer = try await engine.withdraw(
            asked, in: tenant, as: actor(visitor, context), now: context.trace.at)
        switch answer {
        case .accepted: return Self.redirect(to: Self.path(.requests, tenant) + "?done=requestWithdrawn")
        case .refused(let refusal): return Self.error(.conflict, "Nothing was changed", Self.sentence(refusal))
        }
    }
}
