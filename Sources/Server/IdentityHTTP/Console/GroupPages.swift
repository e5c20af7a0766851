import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Groups of users, by which APIs decide. They are rows of the database, so that no page has a version.
extension Console {
    private static let membersOfPage = 50

    func groups(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil,
        form: FormFields = FormFields()
    ) async throws -> HTML {
        let tenant = try tenant(context).tenant
        let all = try await read { () throws(StoreError) in try await store.groups(in: tenant.id) }
        let rows = all.map { group -> Row in
            Row(
                id: "g-\(group.id.text)",
                head: "<a href=\"\(Self.path(.group, tenant, other: group.id.text))\">\(group.displayName)</a>",
                cells: [group.description.isEmpty ? nil : "\(group.description)", Self.time(group.createdAt)])
        }
        let table: HTML =
            rows.isEmpty
            ? "<div class=\"empty\"><p>There is no group. An API can decide by the groups of a user.</p></div>"
            : Self.table(
                "Groups", "Name", [Column(title: "Description", kind: "wide"), Column(title: "Created", kind: "time")],
                rows)
        let create: HTML? =
            visitor.may(.createGroup)
            ? """
            <section class="panel"><h2>New group</h2>
            <form class="form" method="post" action="\(Self.path(.createGroup, tenant))">
            \(hidden(visitor))
            \(Self.field("name", "Name", value: try Self.value("name", of: form), isRequired: true))
            \(Self.field("description", "Description", value: try Self.value("description", of: form)))
            <div class="buttons"><button class="button primary">Create the group</button></div>
            </form>
            </section>
            """ : nil
        return shell(
            "Groups", .groups, of: tenant, for: visitor,
            """
            \(Self.head("Groups", lead: "An application that states groups has their ids in its tokens, and roles of applications are given to groups; both from the next sign-in or refresh on."))
            \(Self.note(problem, isGood: false))
            \(Self.note(try Self.done(Self.queryFields(of: request))))
            <section class="panel">
            \(table)
            </section>
            \(create)
            """)
    }

    func group(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil,
        form: FormFields? = nil
    ) async throws -> HTML {
        let tenant = try tenant(context).tenant
        let group = try await group(context, in: tenant)
        let path = group.id.text
        func text(_ name: String, _ stored: String) throws -> String {
            try form.map { try Self.value(name, of: $0) } ?? stored
        }
        let edit: HTML? =
            visitor.may(.changeGroup)
            ? """
            <section class="panel"><h2>Name</h2>
            <form class="form" method="post" action="\(Self.path(.changeGroup, tenant, other: path))">
            \(hidden(visitor))
            \(Self.field("name", "Name", value: try text("name", group.displayName), isRequired: true))
            \(Self.field("description", "Description", value: try text("description", group.description)))
            <div class="buttons"><button class="button primary">Save</button></div>
            </form>
            </section>
            """ : nil
        let remove: HTML? =
            visitor.may(.deleteGroupLook)
            ? "<p class=\"actions\"><a class=\"button small danger quiet\" href=\"\(Self.path(.deleteGroupLook, tenant, other: path))\">Delete</a></p>"
            : nil
        return shell(
            group.displayName, .groups, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Groups", Self.path(.groups, tenant)), group.displayName))
            \(Self.head("\(group.displayName)", lead: group.description.isEmpty ? nil : group.description, actions: remove))
            \(Self.note(problem, isGood: false))
            \(Self.note(try Self.done(Self.queryFields(of: request))))
            <section class="panel"><h2>Facts</h2>
            \(Self.facts([("Id", "<code id=\"group\">\(path)</code> \(Self.copyButton("group"))"), ("Created", Self.time(group.createdAt))]))
            </section>
            <section class="panel"><h2>Members</h2>
            \(try await members(of: group, request, context, visitor, in: tenant))
            </section>
            \(edit)
            """)
    }

    /// A page of the members, with the form that adds one.
    private func members(
        of group: UserGroup, _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor,
        in tenant: Tenant
    ) async throws -> HTML {
        let fingerprint = Vault.fingerprint(["console members", group.id.text].map { Data($0.utf8) })
        let cursor = try Self.value("page", of: try Self.queryFields(of: request))
        var after: UserID?
        if !cursor.isEmpty {
            let position = await engine.skipTokens.open(
                cursor, as: MemberPosition.self, of: fingerprint, tenant: tenant.id, now: context.trace.at)
            guard let position else { throw ConsoleFault.missing }
            after = UserID(position.user)
        }
        let start = after
        let found = try await read { () throws(StoreError) in
            try await store.members(of: group.id, after: start, limit: Self.membersOfPage + 1, in: tenant.id)
        }
        var rows: [Row] = []
        for id in found.prefix(Self.membersOfPage) {
            guard let account = try await engine.account(id, in: tenant.id), account.deletedAt == nil else { continue }
            let user = account.user
            let removal: HTML? =
                visitor.may(.removeGroupMember)
                ? """
                <form method="post" action="\(Self.path(.removeGroupMember, tenant, user: id, other: group.id.text))">\(hidden(visitor))\
                <button class="button small danger quiet">Remove<span class="sr-only"> \(user.email)</span></button></form>
                """ : nil
            rows.append(
                Row(
                    id: "m-\(id)", head: "<a href=\"\(Self.path(.user, tenant, user: id))\">\(user.email)</a>",
                    cells: [
                        user.attributes["displayName"].map { name -> HTML in "\(name.description)" },
                        Self.state(of: account), removal,
                    ]))
        }
        var next: HTML?
        if found.count > Self.membersOfPage, let last = found.prefix(Self.membersOfPage).last {
            let token = try engine.skipTokens.seal(
                MemberPosition(user: last.uuid), of: fingerprint, tenant: tenant.id)
            let address = "\(Self.path(.group, tenant, other: group.id.text))?\(Self.query([("page", token)]))"
            next =
                "<nav class=\"pages\" aria-label=\"Pages\"><a class=\"button\" rel=\"next\" href=\"\(address)\">Next page</a></nav>"
        }
        let table: HTML =
            rows.isEmpty
            ? "<p class=\"muted\">No user is in the group.</p>"
            : Self.table(
                "Members", "Address",
                [Column(title: "Name"), Column(title: "State"), Column(title: "Action", kind: "do")], rows)
        let add: HTML? =
            visitor.may(.addGroupMember)
            ? """
            <form class="form" method="post" action="\(Self.path(.addGroupMember, tenant, other: group.id.text))">
            \(hidden(visitor))
            \(Self.field("email", "E-mail address of a user", type: "email", isRequired: true))
            <div class="buttons"><button class="button">Add to the group</button></div>
            </form>
            """ : nil
        return "\(table)\(next)\(add)"
    }

    /// The groups on the page of a user.
    func groups(of user: UserID, in tenant: Tenant, _ visitor: Visitor) async throws -> HTML {
        let items: [HTML] = try await engine.groups(of: user, in: tenant.id).map { group in
            "<li><a href=\"\(Self.path(.group, tenant, other: group.id.text))\">\(group.displayName)</a></li>"
        }
        return items.isEmpty ? "<p class=\"muted\">The user is in no group.</p>" : "<ul>\(items)</ul>"
    }

    // MARK: - Changes

    func createGroup(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        let form = try await form(of: request, by: visitor)
        let (name, description) = try Self.texts(of: form)
        let group = UserGroup(
            id: engine.ports.randomness.uuid(), displayName: name ?? "", description: description ?? "",
            createdAt: context.trace.at)
        var problem: String? = name == nil || description == nil ? Self.groupRule : nil
        if problem == nil { problem = try await apply(.create(group), in: tenant, context, visitor) }
        guard let problem else {
            return Self.redirect(to: Self.path(.group, tenant, other: group.id.text) + "?done=group")
        }
        return Self.page(try await groups(request, context, visitor, problem: problem, form: form), .badRequest)
    }

    func changeGroup(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        let form = try await form(of: request, by: visitor)
        let id = try await group(context, in: tenant).id
        let (name, description) = try Self.texts(of: form)
        var problem: String? = name == nil || description == nil ? Self.groupRule : nil
        if problem == nil {
            problem = try await apply(
                .edit(id, displayName: name, description: description), in: tenant, context, visitor)
        }
        guard let problem else { return Self.redirect(to: Self.path(.group, tenant, other: id.text) + "?done=saved") }
        return Self.page(try await group(request, context, visitor, problem: problem, form: form), .badRequest)
    }

    func addGroupMember(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        let form = try await form(of: request, by: visitor)
        let id = try await group(context, in: tenant).id
        let problem: String?
        if let user = try await user(named: try Self.value("email", of: form).trimmed, in: tenant) {
            problem = try await apply(.add(user, to: id), in: tenant, context, visitor)
        } else {
            problem = "No user has this e-mail address."
        }
        guard let problem else { return Self.redirect(to: Self.path(.group, tenant, other: id.text) + "?done=member") }
        return Self.page(try await group(request, context, visitor, problem: problem), .badRequest)
    }

    func removeGroupMember(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        _ = try await form(of: request, by: visitor)
        let id = try await group(context, in: tenant).id
        guard let user = UUID(uuidString: try context.parameters.require("id")) else { throw ConsoleFault.missing }
        // One who is out already is out.
        _ = try await apply(.remove(UserID(user), from: id), in: tenant, context, visitor)
        return Self.redirect(to: Self.path(.group, tenant, other: id.text) + "?done=memberRemoved")
    }

    func deleteGroupLook(
        _ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil
    ) async throws -> HTML {
        let tenant = try tenant(context).tenant
        let group = try await group(context, in: tenant)
        return confirmation(
            title: "Delete \(group.displayName)",
            effects: [
                "The users stay. Their next tokens state neither the group nor its roles.", "You cannot undo this.",
            ], button: "Delete the group", isGrave: true, typed: group.displayName,
            action: Self.path(.deleteGroup, tenant, other: group.id.text),
            back: (group.displayName, Self.path(.group, tenant, other: group.id.text)), .groups, tenant, visitor,
            problem: problem)
    }

    func deleteGroup(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        let form = try await form(of: request, by: visitor)
        let group = try await group(context, in: tenant)
        guard try Self.value("typed", of: form).trimmed == group.displayName.trimmed else {
            return Self.page(
                try await deleteGroupLook(context, visitor, problem: "The name that you typed is another one."),
                .badRequest)
        }
        if tenant.isInALevel(group.id) {
            return Self.page(
                try await deleteGroupLook(
                    context, visitor,
                    problem:
                        "A rule of levels in the tenant's document names this group: its users would need less. Change the rule first."
                ), .conflict)
        }
        _ = try await apply(.delete(group.id), in: tenant, context, visitor)
        return Self.redirect(to: Self.path(.groups, tenant) + "?done=groupDeleted")
    }

    // MARK: - Parts

    private static let groupRule =
        "Enter a name of at most 256 bytes, and a description of at most 1,024, without control characters."

    /// Name and description of a form; nil for one that breaks ``groupRule``.
    private static func texts(of form: FormFields) throws -> (name: String?, description: String?) {
        let (name, description) = (try value("name", of: form).trimmed, try value("description", of: form).trimmed)
        return (
            (1...256).contains(name.utf8.count) && name.isPlain ? name : nil,
            description.utf8.count <= 1_024 && description.isPlain ? description : nil
        )
    }

    /// - Returns: Why nothing was changed; nil when it was, or was so already.
    private func apply(
        _ change: GroupChange, in tenant: Tenant, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> String? {
        let event = engine.groupEvent(change, in: tenant, as: actor(visitor, context), now: context.trace.at)
        let result = try await read { () throws(StoreError) in
            try await store.change(change, in: tenant.id, recording: event)
        }
        switch result {
        case .done, .unchanged: return nil
        case .notFound: return "There is no such group or user any more."
        case .full:
            return
                "A tenant has at most \(UserGroup.maximumCount) groups, and a user is in at most \(UserGroup.maximumPerUser)."
        }
    }

    private func group(_ context: IdentityRequestContext, in tenant: Tenant) async throws -> UserGroup {
        let id = UUID(uuidString: try context.parameters.require("group"))
        let all = try await read { () throws(StoreError) in try await store.groups(in: tenant.id) }
        guard let group = all.first(where: { $0.id == id }) else { throw ConsoleFault.missing }
        return group
    }
}
