import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The user flows that applications share, and the tenant's own attributes.
extension Console {
    func userFlows(_ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor) throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let rows = entry.userFlows.map { flow -> Row in
            let asked = flow.attributes.filter(\.isRequired).map { Self.title(of: $0, in: entry) }
            let count = entry.applications.count { $0.flowSource == .shared(flow.id) }
            return Row(
                id: "f-\(flow.id.text)",
                head: "<a href=\"\(Self.path(.userFlow, tenant, other: flow.id.text))\">\(flow.displayName)</a>",
                cells: [
                    "\(Self.name(of: flow.method))",
                    flow.allowsSignUp ? Self.badge("Open", "good") : Self.badge("Closed", "warn"),
                    asked.isEmpty ? nil : "\(asked.joined(separator: ", "))", "\(count)",
                ])
        }
        let flows: HTML =
            rows.isEmpty
            ? "<div class=\"empty\"><p>There is no user flow. Applications have their own rules until they share one.</p></div>"
            : Self.table(
                "User flows", "Name",
                [
                    Column(title: "Users sign in with"), Column(title: "Sign-up"),
                    Column(title: "Required attributes", kind: "wide"), Column(title: "Applications", kind: "number"),
                ], rows)
        let create: HTML? =
            visitor.may(.newUserFlow)
            ? "<p class=\"actions\"><a class=\"button primary\" href=\"\(Self.path(.newUserFlow, tenant))\">New user flow</a></p>"
            : nil
        let newAttribute: HTML? =
            visitor.may(.newAttribute)
            ? "<p class=\"actions\"><a class=\"button small\" href=\"\(Self.path(.newAttribute, tenant))\">New attribute</a></p>"
            : nil
        return shell(
            "User flows", .userFlows, of: tenant, for: visitor,
            """
            \(Self.head("User flows", lead: "What a sign-up asks for and how users sign in, for one application or several.", actions: create))
            \(Self.note(try Self.done(Self.queryFields(of: request))))
            <section class="panel">
            \(flows)
            </section>
            <section class="panel"><div class="panel-head"><h2>Attributes of the tenant</h2>\(newAttribute)</div>
            \(attributeTable(entry, visitor))
            </section>
            """)
    }

    private func attributeTable(_ entry: TenantDirectory.Entry, _ visitor: Visitor) -> HTML {
        guard !entry.attributes.isEmpty else {
            return
                "<div class=\"empty\"><p>The tenant has no attribute beside the built-in ones, such as Name and City.</p></div>"
        }
        let rows = entry.attributes.map { attribute -> Row in
            let places = UserFlowCodec.places(using: attribute.name, in: entry)
            return Row(
                id: "t-\(attribute.name)",
                head:
                    "\(attribute.displayName)\(attribute.description.isEmpty ? nil : "<span class=\"sub\">\(attribute.description)</span>" as HTML)",
                cells: [
                    "<code>\(attribute.name)</code>", "\(attribute.type.rawValue)",
                    places.isEmpty ? nil : "\(places.joined(separator: ", "))",
                    places.isEmpty && visitor.may(.removeAttributeLook)
                        ? "<a class=\"button small danger quiet\" href=\"\(Self.path(.removeAttributeLook, entry.tenant, other: attribute.name))\">Delete<span class=\"sr-only\"> \(attribute.displayName)</span></a>"
                        : nil,
                ])
        }
        return Self.table(
            "Attributes of the tenant", "Attribute",
            [
                Column(title: "Id", kind: "wide"), Column(title: "Type"), Column(title: "Used by", kind: "wide"),
                Column(title: "Action", kind: "do"),
            ], rows)
    }

    func userFlow(_ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor) throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let flow = try flow(context, in: entry)
        let id = flow.id.text
        let rows = flow.attributes.filter(UserFlowCodec.isCollected).map { definition in
            Row(
                id: "f-\(definition.name)",
                head:
                    "\(Self.title(of: definition, in: entry))<span class=\"sub\"><code>\(definition.name)</code></span>",
                cells: [
                    "\(definition.type.rawValue)", definition.isRequired ? "Required" : "Optional",
                    definition.pattern.map { pattern -> HTML in "matches <code>\(pattern.source)</code>" },
                ])
        }
        let applications: [HTML] = entry.applications.filter { $0.flowSource == .shared(flow.id) }.map {
            "<li><a href=\"\(Self.path(.application, tenant, other: $0.id.description))\">\($0.displayName)</a></li>"
        }
        let used: HTML =
            applications.isEmpty
            ? "<p class=\"muted\">None. Edit an application to give it this flow.</p>" : "<ul>\(applications)</ul>"
        let changes: HTML? =
            visitor.may(.editUserFlow)
            ? """
            <p class="actions"><a class="button small" href="\(Self.path(.editUserFlow, tenant, other: id))">Edit</a>\
            <a class="button small danger quiet" href="\(Self.path(.deleteUserFlowLook, tenant, other: id))">Delete</a></p>
            """ : nil
        return shell(
            flow.displayName, .userFlows, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("User flows", Self.path(.userFlows, tenant)), flow.displayName))
            \(Self.head("\(flow.displayName)", lead: flow.description.isEmpty ? nil : flow.description, actions: changes))
            \(Self.note(try Self.done(Self.queryFields(of: request))))
            <section class="panel"><h2>Facts</h2>
            \(Self.facts([
                ("Id", "<code id=\"flow\">\(id)</code> \(Self.copyButton("flow"))"),
                ("Users sign in with", "\(Self.name(of: flow.method))"),
                ("Sign-up", flow.allowsSignUp ? "open" : "closed: only users who have an account sign in"),
            ]))
            </section>
            <section class="panel"><h2>A sign-up asks for</h2>
            \(rows.isEmpty ? "<p class=\"muted\">The e-mail address alone.</p>" : Self.table("Attributes", "Attribute", [Column(title: "Type"), Column(title: "At sign-up"), Column(title: "Rule", kind: "wide")], rows))
            </section>
            <section class="panel"><h2>Applications</h2>
            \(used)
            </section>
            """)
    }

    /// What people call an attribute in a tenant.
    static func title(of definition: AttributeDefinition, in entry: TenantDirectory.Entry) -> String {
        definition.label ?? entry.attributes.first { $0.name == definition.name }?.displayName
            ?? AttributeTitle.of(definition.name)
    }

    // MARK: - Forms

    func newUserFlow(
        _ context: IdentityRequestContext, _ visitor: Visitor, problems: [String] = [], form: FormFields? = nil
    ) throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let empty = SharedUserFlow(
            id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), displayName: "",
            method: .emailOneTimePasscode)
        return shell(
            "New user flow", .userFlows, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("User flows", Self.path(.userFlows, tenant)), "New user flow"))
            \(Self.head("New user flow", lead: "After that, edit an application to give it the flow."))
            \(Self.note(problems))
            \(try flowForm(empty, entry, to: Self.path(.createUserFlow, tenant), back: Self.path(.userFlows, tenant), visitor, form))
            """)
    }

    func editUserFlow(
        _ context: IdentityRequestContext, _ visitor: Visitor, problems: [String] = [], form: FormFields? = nil
    ) throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let flow = try flow(context, in: entry)
        let own = Self.path(.userFlow, tenant, other: flow.id.text)
        return shell(
            "Edit \(flow.displayName)", .userFlows, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs((flow.displayName, own), "Edit"))
            \(Self.head("Edit \(flow.displayName)", lead: "A change counts for the next sign-up in each of its applications."))
            \(Self.note(problems))
            \(try flowForm(flow, entry, to: Self.path(.changeUserFlow, tenant, other: flow.id.text), back: own, visitor, form))
            """)
    }

    private func flowForm(
        _ flow: SharedUserFlow, _ entry: TenantDirectory.Entry, to action: String, back: String, _ visitor: Visitor,
        _ form: FormFields?
    ) throws -> HTML {
        func text(_ name: String, _ stored: String) throws -> String {
            try form.map { try Self.value(name, of: $0) } ?? stored
        }
        let isOpen = try text("open", flow.allowsSignUp ? "1" : "") == "1"
        let fields: [HTML] = try UserFlowCodec.attributes(of: entry).map { attribute in
            let definition = flow.attributes.first { $0.name == attribute.name }
            let isAsked = definition.map(UserFlowCodec.isCollected) ?? false
            let chosen = try text(
                "u-\(attribute.name)", isAsked ? definition?.isRequired == true ? "required" : "optional" : "")
            let options: [HTML] = [("", "Not asked"), ("optional", "Optional"), ("required", "Required")].map {
                "<option value=\"\($0.0)\"\(" selected", if: $0.0 == chosen)>\($0.1)</option>"
            }
            let rule: HTML? =
                attribute.type != .string
                ? nil
                : Self.field(
                    "p-\(attribute.name)", "Rule of \(attribute.displayName)",
                    value: try text("p-\(attribute.name)", isAsked ? definition?.pattern?.source ?? "" : ""))
            return """
                <div class="pair"><div class="field"><label for="u-\(attribute.name)">\(attribute.displayName)</label>\
                <select id="u-\(attribute.name)" name="u-\(attribute.name)">\(options)</select></div>
                \(rule)</div>
                """
        }
        return """
            <form class="form" method="post" action="\(action)">
            \(hidden(visitor))
            <input type="hidden" name="version" value="\(try text("version", "\(editor.version)"))">
            \(Self.field("name", "Name", value: try text("name", flow.displayName), isRequired: true))
            \(Self.field("description", "Description", value: try text("description", flow.description)))
            \(Self.methods(chosen: try text("method", flow.method.rawValue)))
            <label class="choice"><input type="checkbox" name="open" value="1"\(" checked", if: isOpen)> \
            <span>New users can sign up <span class="hint">Without it, only users who have an account sign in.</span></span></label>
            <fieldset><legend>A sign-up asks for</legend>
            <p class="hint">A rule is a regular expression that the whole value matches.</p>
            \(fields)</fieldset>
            <div class="buttons"><button class="button primary">Save</button><a class="button quiet" href="\(back)">Cancel</a></div>
            </form>
            """
    }

    static func methods(chosen: String) -> HTML {
        let choices: [HTML] = UserFlow.Method.allCases.map {
            """
            <label class="choice"><input type="radio" name="method" value="\($0.rawValue)"\(" checked", if: $0.rawValue == chosen)> \
            <span>\(name(of: $0))</span></label>
            """
        }
        return "<fieldset><legend>Users sign in with</legend>\(choices)</fieldset>"
    }

    /// What the form says of a flow. An attribute keeps what the form does not show.
    private static func change(
        of flow: SharedUserFlow?, by form: FormFields, in entry: TenantDirectory.Entry
    ) throws -> UserFlowCodec.Change {
        var change = UserFlowCodec.Change()
        change.displayName = try value("name", of: form).trimmed
        change.description = try value("description", of: form).trimmed
        change.method = UserFlow.Method(rawValue: try value("method", of: form))
        change.allowsSignUp = try value("open", of: form) == "1"
        var inputs: [UserFlowCodec.Input] = []
        for attribute in UserFlowCodec.attributes(of: entry) {
            let asked = try value("u-\(attribute.name)", of: form)
            guard !asked.isEmpty else {
                guard try value("p-\(attribute.name)", of: form).trimmed.isEmpty else {
                    throw TenantEditFault.invalid([
                        "\(attribute.displayName) has a rule and is not asked for. Choose Optional or Required, or clear the rule."
                    ])
                }
                continue
            }
            let definition = flow?.attributes.first { $0.name == attribute.name }
            var input = UserFlowCodec.Input(name: attribute.name, label: definition?.label)
            var rules = UserFlowCodec.Input.Rules(isRequired: asked == "required")
            let rule = try value("p-\(attribute.name)", of: form).trimmed
            if !rule.isEmpty {
                guard let pattern = AttributePattern(rule) else {
                    throw TenantEditFault.invalid([
                        "The rule of \(attribute.displayName) is no POSIX extended regular expression, or is too large."
                    ])
                }
                rules.pattern = pattern
            }
            input.rules = rules
            inputs.append(input)
        }
        change.inputs = inputs
        return change
    }

    func createUserFlow(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let id = engine.ports.randomness.uuid()
        let answer = try await refusing {
            let change = try Self.change(of: nil, by: form, in: entry)
            return try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
                entry.userFlows.append(SharedUserFlow(id: id, displayName: "", method: .emailOneTimePasscode))
                try UserFlowCodec.apply(change, to: id, in: &entry)
            }
        }
        return try respond(answer, to: Self.path(.userFlow, entry.tenant, other: id.text) + "?done=userFlow") {
            try newUserFlow(context, visitor, problems: $0, form: form)
        }
    }

    func changeUserFlow(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let flow = try flow(context, in: entry)
        let answer = try await refusing {
            let change = try Self.change(of: flow, by: form, in: entry)
            return try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
                try UserFlowCodec.apply(change, to: flow.id, in: &entry)
            }
        }
        return try respond(answer, to: Self.path(.userFlow, entry.tenant, other: flow.id.text) + "?done=saved") {
            try editUserFlow(context, visitor, problems: $0, form: form)
        }
    }

    func deleteUserFlowLook(
        _ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil
    ) throws -> HTML {
        let entry = try tenant(context)
        let flow = try flow(context, in: entry)
        let applications = entry.applications.filter { $0.flowSource == .shared(flow.id) }.map(\.displayName)
        let own = Self.path(.userFlow, entry.tenant, other: flow.id.text)
        return confirmation(
            title: "Delete \(flow.displayName)",
            effects: [
                applications.isEmpty
                    ? "No application has the flow."
                    : "No user can sign up or in with \(applications.joined(separator: ", ")) until \(applications.count == 1 ? "it" : "each") has another flow.",
                "The users stay. The version before stays in the database: native-auth tenant rollback brings it back.",
            ], button: "Delete the user flow", isGrave: true, typed: flow.displayName,
            action: Self.path(.deleteUserFlow, entry.tenant, other: flow.id.text), back: (flow.displayName, own),
            .userFlows, entry.tenant, visitor, problem: problem, version: editor.version)
    }

    func deleteUserFlow(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let flow = try flow(context, in: entry)
        guard try Self.value("typed", of: form).trimmed == flow.displayName.trimmed else {
            return Self.page(
                try deleteUserFlowLook(context, visitor, problem: "The name that you typed is another one."),
                .badRequest)
        }
        let answer = try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
            try UserFlowCodec.remove(flow.id, from: &entry)
        }
        return try respond(answer, to: Self.path(.userFlows, entry.tenant) + "?done=userFlowDeleted") {
            try deleteUserFlowLook(context, visitor, problem: $0.joined(separator: " "))
        }
    }

    // MARK: - Attributes

    func newAttribute(
        _ context: IdentityRequestContext, _ visitor: Visitor, problems: [String] = [], form: FormFields = FormFields()
    ) throws -> HTML {
        let tenant = try tenant(context).tenant
        let chosen = try Self.value("type", of: form)
        let types: [HTML] = AttributeDefinition.ValueType.allCases.map {
            "<option value=\"\($0.rawValue)\"\(" selected", if: $0.rawValue == chosen)>\($0.rawValue)</option>"
        }
        return shell(
            "New attribute", .userFlows, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("User flows", Self.path(.userFlows, tenant)), "New attribute"))
            \(Self.head("New attribute", lead: "User flows can ask for it. Its id follows from the name, and stays, as the type does."))
            \(Self.note(problems))
            <form class="form" method="post" action="\(Self.path(.createAttribute, tenant))">
            \(hidden(visitor))
            <input type="hidden" name="version" value="\(editor.version)">
            \(Self.field("name", "Name", value: try Self.value("name", of: form), hint: "Such as Loyalty number.", isRequired: true))
            \(Self.field("description", "Description", value: try Self.value("description", of: form)))
            <div class="field"><label for="type">Type</label><select id="type" name="type">\(types)</select></div>
            <div class="buttons"><button class="button primary">Create the attribute</button>
            <a class="button quiet" href="\(Self.path(.userFlows, tenant))">Cancel</a></div>
            </form>
            """)
    }

    func createAttribute(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        let form = try await form(of: request, by: visitor)
        let type = AttributeDefinition.ValueType(rawValue: try Self.value("type", of: form)) ?? .string
        let answer: Result<Void, TenantEditFault>
        if let new = UserFlowCodec.newAttribute(
            named: try Self.value("name", of: form).trimmed,
            description: try Self.value("description", of: form).trimmed, type: type, in: tenant.id)
        {
            answer = try await edit(tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
                try UserFlowCodec.add(new, to: &entry)
            }
        } else {
            answer = .failure(
                .invalid(["The name needs a letter from A to Z or a digit, and has at most 100 bytes."]))
        }
        return try respond(answer, to: Self.path(.userFlows, tenant) + "?done=attribute") {
            try newAttribute(context, visitor, problems: $0, form: form)
        }
    }

    func removeAttributeLook(_ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil) throws
        -> HTML
    {
        let entry = try tenant(context)
        let attribute = try attribute(context, in: entry)
        return confirmation(
            title: "Delete \(attribute.displayName)",
            effects: [
                "No user flow can ask for it any more.",
                "Values that users have given stay in the database, and are not shown.",
            ],
            button: "Delete the attribute", isGrave: true, typed: nil,
            action: Self.path(.removeAttribute, entry.tenant, other: attribute.name),
            back: ("User flows", Self.path(.userFlows, entry.tenant)), .userFlows, entry.tenant, visitor,
            problem: problem, version: editor.version)
    }

    func removeAttribute(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let name = try attribute(context, in: entry).name
        let answer = try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
            try UserFlowCodec.remove(attribute: name, from: &entry)
        }
        return try respond(answer, to: Self.path(.userFlows, entry.tenant) + "?done=attributeDeleted") {
            try removeAttributeLook(context, visitor, problem: $0.joined(separator: " "))
        }
    }

    // MARK: - Parts

    private func flow(_ context: IdentityRequestContext, in entry: TenantDirectory.Entry) throws -> SharedUserFlow {
        let id = UUID(uuidString: try context.parameters.require("flow"))
        guard let flow = entry.userFlows.first(where: { $0.id == id }) else { throw ConsoleFault.missing }
        return flow
    }

    private func attribute(
        _ context: IdentityRequestContext, in entry: TenantDirectory.Entry
    ) throws -> TenantAttribute {
        let name = try context.parameters.require("attribute")
        guard let attribute = entry.attributes.first(where: { $0.name == name }) else { throw ConsoleFault.missing }
        return attribute
    }
}
