import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The roles that an application defines, and who has them (docs/protocol.md §18.7).
extension Console {
    /// The part of an application's page.
    func roles(
        of client: Client, in entry: TenantDirectory.Entry, groups: [UserGroup], _ visitor: Visitor
    ) -> HTML {
        let own = client.id.description
        let rows = client.roles.map { role -> Row in
            let name: HTML =
                visitor.may(.editRole)
                ? "<a href=\"\(Self.path(.editRole, entry.tenant, other: own, secret: role.id.text))\">\(role.displayName)</a>"
                : "\(role.displayName)"
            let holders =
                groups.filter { role.groups.contains($0.id) }.map(\.displayName)
                + entry.daemons.filter {
                    role.holders.contains(.daemons)
                        && $0.roles.contains(TenantDirectory.Entry.spelling(of: role, of: client))
                }
                .map { "\($0.displayName) (daemon)" }
            return Row(
                id: "r-\(role.id.text)", head: name,
                cells: [
                    "<code>\(role.value)</code>", holders.isEmpty ? nil : "\(holders.joined(separator: ", "))",
                    role.isEnabled ? Self.badge("Enabled", "good") : Self.badge("Off", "warn"),
                ])
        }
        let create: HTML? =
            visitor.may(.newRole)
            ? "<p class=\"actions\"><a class=\"button small\" href=\"\(Self.path(.newRole, entry.tenant, other: own))\">New role</a></p>"
            : nil
        let table: HTML =
            rows.isEmpty
            ? "<p class=\"muted\">None. A token for this application can state roles of users, by their groups, and of daemons.</p>"
            : Self.table(
                "Roles", "Role",
                [
                    Column(title: "Value in tokens"), Column(title: "Groups and daemons that have it", kind: "wide"),
                    Column(title: "State"),
                ], rows)
        return """
            <section class="panel"><div class="panel-head"><h2>Roles</h2>\(create)</div>
            \(table)
            </section>
            """
    }

    func newRole(
        _ context: IdentityRequestContext, _ visitor: Visitor, problems: [String] = [],
        form: FormFields? = nil
    ) async throws -> HTML {
        let entry = try tenant(context)
        let client = try client(context, in: entry)
        let empty = ApplicationRole(id: UUID(uuid: Self.noID), value: "", displayName: "")
        return try await rolePage(
            "New role", empty, of: client, in: entry, to: .createRole, visitor, problems, form)
    }

    func editRole(
        _ context: IdentityRequestContext, _ visitor: Visitor, problems: [String] = [], form: FormFields? = nil
    ) async throws -> HTML {
        let entry = try tenant(context)
        let client = try client(context, in: entry)
        let role = try Self.role(context, of: client)
        return try await rolePage(
            "Edit \(role.displayName)", role, of: client, in: entry, to: .changeRole, visitor, problems, form)
    }

    private func rolePage(
        _ title: String, _ role: ApplicationRole, of client: Client, in entry: TenantDirectory.Entry,
        to action: ConsoleRoute, _ visitor: Visitor, _ problems: [String], _ form: FormFields?
    ) async throws -> HTML {
        let tenant = entry.tenant
        let groups = try await read { () throws(StoreError) in try await store.groups(in: tenant.id) }
        func text(_ name: String, _ stored: String) throws -> String {
            try form.map { try Self.value(name, of: $0) } ?? stored
        }
        func choice(_ name: String, _ stored: Bool, _ label: String, _ hint: String? = nil) throws -> HTML {
            let isChosen = try text(name, stored ? "1" : "") == "1"
            let hinted: HTML? = hint.map { " <span class=\"hint\">\($0)</span>" }
            return """
                <label class="choice"><input type="checkbox" name="\(name)" value="1"\(" checked", if: isChosen)> \
                <span>\(label)\(hinted)</span></label>
                """
        }
        let ofGroups: [HTML] = try groups.map {
            try choice(
                "g-\($0.id.text)", role.groups.contains($0.id), $0.displayName,
                $0.description.isEmpty ? nil : $0.description)
        }
        let own = Self.path(.application, tenant, other: client.id.description)
        let remove: HTML? =
            action == .changeRole
            ? """
            <p class="actions"><a class="button small danger quiet" \
            href="\(Self.path(.deleteRoleLook, tenant, other: client.id.description, secret: role.id.text))">Delete</a></p>
            """ : nil
        return shell(
            title, .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs((client.displayName, own), title))
            \(Self.head("\(title)", lead: "Tokens for \(client.displayName) state it as the claim roles, from the next sign-in or refresh on.", actions: remove))
            \(Self.note(problems))
            <form class="form" method="post" action="\(Self.path(action, tenant, other: client.id.description, secret: role.id.text))">
            \(hidden(visitor))
            <input type="hidden" name="version" value="\(try text("version", "\(editor.version)"))">
            \(Self.field("value", "Value in tokens", value: try text("value", role.value), hint: "Letters, digits, dots, hyphens and underscores, such as Orders.Approve.", isRequired: true))
            \(Self.field("name", "Name", value: try text("name", role.displayName), isRequired: true))
            \(Self.field("description", "Description", value: try text("description", role.description)))
            \(try choice("enabled", role.isEnabled, "Tokens state the role"))
            <fieldset><legend>Who can have it</legend>
            \(try choice("users", role.holders.contains(.users), "Users, by their groups"))
            \(try choice("daemons", role.holders.contains(.daemons), "Daemons", "The API or the tenant file gives it to a daemon."))
            </fieldset>
            <fieldset><legend>Groups that have it</legend>
            \(ofGroups.isEmpty ? "<p class=\"hint\">The tenant has no group yet.</p>" as HTML : "\(ofGroups)" as HTML)
            </fieldset>
            <div class="buttons"><button class="button primary">Save</button><a class="button quiet" href="\(own)">Cancel</a></div>
            </form>
            """)
    }

    func createRole(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        try await saveRole(engine.ports.randomness.uuid(), isNew: true, request, context, visitor) {
            try await newRole(context, visitor, problems: $0, form: $1)
        }
    }

    func changeRole(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let id = try Self.role(context, of: try client(context, in: try tenant(context))).id
        return try await saveRole(id, isNew: false, request, context, visitor) {
            try await editRole(context, visitor, problems: $0, form: $1)
        }
    }

    private func saveRole(
        _ id: UUID, isNew: Bool, _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor,
        _ page: ([String], FormFields) async throws -> HTML
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let client = try client(context, in: entry).id
        let groups = try await read { () throws(StoreError) in try await store.groups(in: entry.tenant.id) }
        let role = try Self.role(id, by: form, among: groups)
        let answer: Result<Void, TenantEditFault>
        if !ApplicationRole.isWellFormed(role.value) {
            answer = .failure(
                .invalid(["Enter a value of letters, digits, dots, hyphens and underscores, without a dot in front."]))
        } else if role.holders.isEmpty {
            answer = .failure(.invalid(["Choose who can have the role: users, daemons, or both."]))
        } else if !role.holders.contains(.users), !role.groups.isEmpty {
            answer = .failure(.invalid(["Groups have the role, and users cannot have it. Choose users, or no group."]))
        } else {
            answer = try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
                guard let index = entry.applications.firstIndex(where: { $0.id == client }) else { throw .notFound }
                let before = entry.applications[index].roles
                guard isNew || before.contains(where: { $0.id == id }) else { throw .notFound }
                entry.replaceRoles(
                    ofApplicationAt: index,
                    with: isNew ? before + [role] : before.map { $0.id == id ? role : $0 })
            }
        }
        let own = Self.path(.application, entry.tenant, other: client.description)
        switch answer {
        case .success: return Self.redirect(to: own + "?done=\(isNew ? "newRole" : "saved")")
        case .failure(let fault): return Self.page(try await page(try Self.sentences(fault), form), .badRequest)
        }
    }

    func deleteRoleLook(_ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil) throws -> HTML {
        let entry = try tenant(context)
        let client = try client(context, in: entry)
        let role = try Self.role(context, of: client)
        let own = client.id.description
        return confirmation(
            title: "Delete \(role.displayName)",
            effects: [
                "The next tokens of users and daemons that have it do not state it.",
                "The version before stays in the database: native-auth tenant rollback brings it back.",
            ], button: "Delete the role", isGrave: true, typed: nil,
            action: Self.path(.deleteRole, entry.tenant, other: own, secret: role.id.text),
            back: (client.displayName, Self.path(.application, entry.tenant, other: own)), .applications, entry.tenant,
            visitor, problem: problem, version: editor.version)
    }

    func deleteRole(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let client = try client(context, in: entry)
        let role = try Self.role(context, of: client)
        let answer = try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
            guard let index = entry.applications.firstIndex(where: { $0.id == client.id }) else { throw .notFound }
            entry.replaceRoles(
                ofApplicationAt: index, with: entry.applications[index].roles.filter { $0.id != role.id })
        }
        return try respond(
            answer, to: Self.path(.application, entry.tenant, other: client.id.description) + "?done=roleDeleted"
        ) { try deleteRoleLook(context, visitor, problem: $0.joined(separator: " ")) }
    }

    // MARK: - Parts

    private static let noID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    /// The role of a form.
    private static func role(
        _ id: UUID, by form: FormFields, among groups: [UserGroup]
    ) throws -> ApplicationRole {
        var holders: Set<ApplicationRole.Holder> = []
        if try value("users", of: form) == "1" { holders.insert(.users) }
        if try value("daemons", of: form) == "1" { holders.insert(.daemons) }
        return ApplicationRole(
            id: id, value: try value("value", of: form).trimmed, displayName: try value("name", of: form).trimmed,
            description: try value("description", of: form).trimmed,
            isEnabled: try value("enabled", of: form) == "1", holders: holders,
            groups: try groups.map(\.id).filter { try value("g-\($0.text)", of: form) == "1" })
    }

    private static func role(_ context: IdentityRequestContext, of client: Client) throws -> ApplicationRole {
        let id = UUID(uuidString: try context.parameters.require("method"))
        guard let role = client.roles.first(where: { $0.id == id }) else { throw ConsoleFault.missing }
        return role
    }
}
