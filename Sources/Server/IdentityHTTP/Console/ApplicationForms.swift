import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Changes of applications. Each is a new version of the tenants' document, by the rules of the tenant
// file, over the version that the page has shown (SEC-ADM-6).
extension Console {
    func newApplication(
        _ context: IdentityRequestContext, _ visitor: Visitor, problems: [String] = [], form: FormFields? = nil
    ) throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let empty = Client(
            id: ClientID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), displayName: "",
            userFlow: UserFlow(method: .emailOneTimePasscode))
        return shell(
            "New application", .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Applications", Self.path(.applications, tenant)), "New application"))
            \(Self.head("New application", lead: "It is in force on all nodes within five seconds."))
            \(Self.note(problems))
            \(try applicationForm(
                empty, entry, to: Self.path(.createApplication, tenant), back: Self.path(.applications, tenant), visitor, form))
            """)
    }

    func editApplication(
        _ context: IdentityRequestContext, _ visitor: Visitor, problems: [String] = [], form: FormFields? = nil
    ) throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let client = try client(context, in: entry)
        let own = Self.path(.application, tenant, other: client.id.description)
        return shell(
            "Edit \(client.displayName)", .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs((client.displayName, own), "Edit"))
            \(Self.head("Edit \(client.displayName)"))
            \(Self.note(problems))
            \(try applicationForm(
                client, entry, to: Self.path(.changeApplication, tenant, other: client.id.description), back: own, visitor, form))
            """)
    }

    static func note(_ problems: [String]) -> HTML? {
        guard problems.count > 1 else { return note(problems.first, isGood: false) }
        let items: [HTML] = problems.map { "<li>\($0)</li>" }
        return """
            <div class="note bad" role="alert" tabindex="-1"><h2>Nothing was changed</h2><ul>\(items)</ul></div>
            """
    }

    private func applicationForm(
        _ client: Client, _ entry: TenantDirectory.Entry, to action: String, back: String, _ visitor: Visitor,
        _ form: FormFields?
    ) throws -> HTML {
        func text(_ name: String, _ stored: String) throws -> String {
            try form.map { try Self.value(name, of: $0) } ?? stored
        }
        func flag(_ name: String, _ stored: Bool) throws -> Bool { try text(name, stored ? "1" : "") == "1" }
        let method = try text("method", client.userFlow.method.rawValue)
        let chosen = try text("flow", Self.word(client.flowSource))
        let flows: [(String, String)] =
            [("", "Its own rules")] + entry.userFlows.map { ($0.id.text, $0.displayName) }
            + [("none", "None: no user can sign up or in")]
        let options: [HTML] = flows.map {
            "<option value=\"\($0.0)\"\(" selected", if: $0.0 == chosen)>\($0.1)</option>"
        }
        let required: [HTML] = try client.userFlow.attributes.map { definition in
            let isRequired = try flag("r-\(definition.name)", definition.isRequired)
            let code: HTML? =
                AttributeTitle.of(definition.name) == definition.name
                ? nil : " <span class=\"hint\">\(definition.name)</span>"
            return """
                <label class="choice"><input type="checkbox" name="r-\(definition.name)" value="1"\(" checked", if: isRequired)> \
                <span>\(AttributeTitle.of(definition.name))\(code)</span></label>
                """
        }
        let types: [HTML] = AttributeDefinition.ValueType.allCases.map {
            "<option value=\"\($0.rawValue)\">\($0.rawValue)</option>"
        }
        let scopes = try text("scopes", client.scopes.joined(separator: "\n"))
        let isNative = try flag("native", client.isNativeAuthEnabled)
        let statesGroups = try flag("groups", client.statesGroups)
        let needsFactor = try flag("factor", client.userFlow.requiresSecondFactor)
        return """
            <form class="form" method="post" action="\(action)">
            \(hidden(visitor))
            <input type="hidden" name="version" value="\(try text("version", "\(editor.version)"))">
            \(Self.field("name", "Name", value: try text("name", client.displayName), hint: "For the people who run the server; mails have the name of the tenant.", isRequired: true))
            <div class="field"><label for="flow">User flow</label>
            <p class="hint" id="flow-hint">What a sign-up asks for and how users sign in. Its own rules are below; with a flow, they are dropped.</p>
            <select id="flow" name="flow" aria-describedby="flow-hint" data-hides=".own-rules">\(options)</select></div>
            <label class="choice"><input type="checkbox" name="factor" value="1"\(" checked", if: needsFactor)> \
            <span>Every sign-in needs a second factor <span class="hint">Only with a password as the first.</span></span></label>
            <label class="choice"><input type="checkbox" name="native" value="1"\(" checked", if: isNative)> \
            <span>Native sign-in is on</span></label>
            <label class="choice"><input type="checkbox" name="groups" value="1"\(" checked", if: statesGroups)> \
            <span>Tokens state the groups of the user</span></label>
            <div class="own-rules">
            \(Self.methods(chosen: method))
            <fieldset><legend>A sign-up needs</legend>\(required)</fieldset>
            <fieldset><legend>One more attribute</legend>
            \(Self.field("a-name", "Name", value: try text("a-name", ""), hint: "Such as extension_0123456789abcdef0123456789abcdef_LoyaltyNumber."))
            <div class="field"><label for="a-type">Type</label><select id="a-type" name="a-type">\(types)</select></div>
            \(Self.field("a-regex", "Rule", value: try text("a-regex", ""), hint: "A regular expression that the whole value matches."))
            </fieldset>
            </div>
            <div class="field"><label for="scopes">Scopes <span class="optional">optional</span></label>
            <p class="hint" id="scopes-hint">What the app may ask for of your APIs, a line each, such as api://orders/Orders.Read.</p>
            <textarea id="scopes" name="scopes" rows="3" aria-describedby="scopes-hint" spellcheck="false">\(scopes)</textarea></div>
            \(try Self.webFields(of: client, form))
            <div class="buttons"><button class="button primary">Save</button><a class="button quiet" href="\(back)">Cancel</a></div>
            </form>
            """
    }

    /// The lines of a text area that are not empty.
    static func lines(_ name: String, of form: FormFields) throws -> [String] {
        try value(name, of: form).split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }
    }

    static func name(of method: UserFlow.Method) -> String {
        switch method {
        case .emailOneTimePasscode: "E-mail one-time passcode"
        case .emailPassword: "E-mail and password"
        }
    }

    /// What the tenant's rules of levels demand of the application's sign-ins, or of those that ask for its scopes; nil: nothing.
    static func levels(of client: Client, in tenant: Tenant) -> HTML? {
        let rules = tenant.levels.compactMap { rule -> HTML? in
            let scopes = rule.scopes.filter { scope in
                client.scopes.contains { $0 == scope || scope.hasSuffix("/*") && $0.hasPrefix(scope.dropLast()) }
            }
            guard rule.applications.contains(client.id) || !scopes.isEmpty else { return nil }
            let subject: String? = rule.applications.contains(client.id) ? nil : scopes.joined(separator: ", ")
            let age = rule.maximumAge.map { "at most \($0) s old" }
            let more = [subject, age].compactMap(\.self).joined(separator: ", ")
            return "<code>\(rule.level.rawValue)</code>\(more.isEmpty ? "" : " (\(more))")"
        }
        guard let first = rules.first else { return nil }
        return rules.dropFirst().reduce(first) { "\($0), \($1)" }
    }

    /// The source of a user flow as a value of the form.
    private static func word(_ source: UserFlowSource) -> String {
        switch source {
        case .own: ""
        case .shared(let id): id.text
        case .none: "none"
        }
    }

    /// What the form says of an application.
    private static func change(_ client: inout Client, by form: FormFields) throws {
        client.displayName = try value("name", of: form).trimmed
        let flow = try value("flow", of: form)
        client.flowSource = UUID(uuidString: flow).map { .shared($0) } ?? (flow.isEmpty ? .own : .none)
        client.userFlow.requiresSecondFactor = try value("factor", of: form) == "1"
        client.isNativeAuthEnabled = try value("native", of: form) == "1"
        client.statesGroups = try value("groups", of: form) == "1"
        client.scopes = try lines("scopes", of: form)
        try changeWeb(&client, by: form)
        guard client.flowSource == .own else { return }
        client.userFlow.method = UserFlow.Method(rawValue: try value("method", of: form)) ?? client.userFlow.method
        for index in client.userFlow.attributes.indices {
            client.userFlow.attributes[index].isRequired =
                try value("r-\(client.userFlow.attributes[index].name)", of: form) == "1"
        }
        let name = try value("a-name", of: form).trimmed
        guard !name.isEmpty else { return }
        guard !client.userFlow.attributes.contains(where: { $0.name == name }) else {
            throw TenantEditFault.invalid(["There is an attribute with the name \(name) already."])
        }
        var definition = AttributeDefinition(name: name)
        definition.type = AttributeDefinition.ValueType(rawValue: try value("a-type", of: form)) ?? .string
        let regex = try value("a-regex", of: form).trimmed
        if !regex.isEmpty {
            guard let pattern = AttributePattern(regex) else {
                throw TenantEditFault.invalid(["The rule is no POSIX extended regular expression."])
            }
            definition.pattern = pattern
        }
        client.userFlow.attributes.append(definition)
    }

    /// Changes the tenant over the version that the form has.
    func edit(
        _ tenant: Tenant, _ form: FormFields, _ context: IdentityRequestContext, _ visitor: Visitor,
        _ change: @Sendable (inout TenantDirectory.Entry) throws(TenantEditFault) -> Void
    ) async throws -> Result<Void, TenantEditFault> {
        guard let version = Int(try Self.value("version", of: form)) else { throw ConsoleFault.staleForm }
        return try await editor.edit(
            tenant.id, over: version, as: actor(visitor, context), now: context.trace.at, change)
    }

    /// A form that breaks a rule is refused like an edit that does.
    func refusing(
        _ edit: () async throws -> Result<Void, TenantEditFault>
    ) async throws -> Result<Void, TenantEditFault> {
        do {
            return try await edit()
        } catch let fault as TenantEditFault {
            return .failure(fault)
        }
    }

    func createApplication(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let tenant = try tenant(context).tenant
        let form = try await form(of: request, by: visitor)
        let id = ClientID(engine.ports.randomness.uuid())
        var client = Client(id: id, displayName: "", userFlow: UserFlow(method: .emailOneTimePasscode))
        let answer = try await refusing {
            try Self.change(&client, by: form)
            let new = client
            return try await edit(tenant, form, context, visitor) { $0.applications.append(new) }
        }
        return try respond(
            answer, to: Self.path(.application, tenant, other: id.description) + "?done=application"
        ) { try newApplication(context, visitor, problems: $0, form: form) }
    }

    func changeApplication(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        var client = try client(context, in: entry)
        let answer = try await refusing {
            // A form that does not read ends here.
            try Self.change(&client, by: form)
            let id = client.id
            // This node may know an older version than the form has, so the change is made on that of the document.
            return try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
                guard let index = entry.applications.firstIndex(where: { $0.id == id }) else { throw .notFound }
                do {
                    try Self.change(&entry.applications[index], by: form)
                } catch let fault as TenantEditFault {
                    throw fault
                } catch {
                    throw .invalid(["The form does not read."])
                }
            }
        }
        return try respond(
            answer, to: Self.path(.application, entry.tenant, other: client.id.description) + "?done=saved"
        ) { try editApplication(context, visitor, problems: $0, form: form) }
    }

    func deleteApplicationLook(
        _ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil
    ) throws -> HTML {
        let entry = try tenant(context)
        let client = try client(context, in: entry)
        return confirmation(
            title: "Delete \(client.displayName)",
            effects: [
                "No user can sign up or in with this application any more, and its sessions are refused.",
                "The users stay. The version before stays in the database: native-auth tenant rollback brings it back.",
            ], button: "Delete the application", isGrave: true, typed: client.displayName,
            action: Self.path(.deleteApplication, entry.tenant, other: client.id.description),
            back: (client.displayName, Self.path(.application, entry.tenant, other: client.id.description)),
            .applications, entry.tenant, visitor, problem: problem, version: editor.version)
    }

    func deleteApplication(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let client = try client(context, in: entry)
        guard try Self.value("typed", of: form).trimmed == client.displayName.trimmed else {
            return Self.page(
                try deleteApplicationLook(context, visitor, problem: "The name that you typed is another one."),
                .badRequest)
        }
        let answer = try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
            try ApplicationCodec.remove(client.id, from: &entry, mayAssign: true)
        }
        return try respond(answer, to: Self.path(.applications, entry.tenant) + "?done=applicationDeleted") {
            try deleteApplicationLook(context, visitor, problem: $0.joined(separator: " "))
        }
    }

    // MARK: - Parts

    func client(_ context: IdentityRequestContext, in entry: TenantDirectory.Entry) throws -> Client {
        let id = try context.parameters.require("application").lowercased()
        guard let client = entry.applications.first(where: { $0.id.description == id }) else {
            throw ConsoleFault.missing
        }
        return client
    }

    func respond(
        _ answer: Result<Void, TenantEditFault>, to path: String, _ page: ([String]) throws -> HTML
    ) throws -> Response {
        switch answer {
        case .success: Self.redirect(to: path)
        case .failure(let fault): Self.page(try page(try Self.sentences(fault)), .badRequest)
        }
    }

    static func sentences(_ fault: TenantEditFault) throws(ConsoleFault) -> [String] {
        switch fault {
        case .changedMeanwhile:
            ["Another change came into force since this page was opened. Please open it again; nothing was changed."]
        case .notFound: throw .missing
        case .notAllowed: throw .forbidden
        case .invalid(let problems): problems
        }
    }
}
