import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// A new user, and the changes of one.
extension Console {
    /// The attributes of all applications of the tenant, each once.
    private func attributes(of entry: TenantDirectory.Entry) -> [AttributeDefinition] {
        var names: Set<String> = [AttributeDefinition.aliasName]
        return entry.applications.flatMap(\.userFlow.attributes).filter { names.insert($0.name).inserted }
    }

    private static func input(_ definition: AttributeDefinition, _ value: String, isRequired: Bool) -> HTML {
        let id = "a-\(definition.name)"
        switch definition.type {
        case .string, .integer:
            return field(
                id, AttributeTitle.of(definition.name), type: definition.type == .integer ? "number" : "text",
                value: value,
                isRequired: isRequired)
        case .boolean:
            let options: [HTML] = [("", "Not given"), ("true", "Yes"), ("false", "No")].map {
                "<option value=\"\($0.0)\"\($0.0 == value ? " selected" : "")>\($0.1)</option>"
            }
            return """
                <div class="field"><label for="\(id)">\(AttributeTitle.of(definition.name))</label>\
                <select id="\(id)" name="\(id)">\(options)</select></div>
                """
        }
    }

    func newUser(
        _ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil, form: FormFields = FormFields()
    ) throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let chosen = try Self.value("application", of: form)
        let options: [HTML] = entry.applications.map {
            "<option value=\"\($0.id)\"\($0.id.description == chosen ? " selected" : "")>\($0.displayName) (\($0.userFlow.method == .emailPassword ? "password" : "code"))</option>"
        }
        let inputs: [HTML] = try attributes(of: entry).map { definition in
            let isRequired = entry.applications.allSatisfy { application in
                application.userFlow.attributes.contains { $0.name == definition.name && $0.isRequired }
            }
            return Self.input(
                definition, try Self.value("a-\(definition.name)", of: form), isRequired: isRequired)
        }
        return shell(
            "New user", .users, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Users", Self.path(.users, tenant)), "New user"))
            \(Self.head("New user", lead: "The user can sign in at once. Where users have a password, the user sets one by a reset."))
            \(Self.note(problem, isGood: false))
            <form class="form" method="post" action="\(Self.path(.createUser, tenant))">
            \(hidden(visitor))
            \(Self.field("email", "E-mail address", type: "email", value: try Self.value("email", of: form), isRequired: true))
            <div class="field"><label for="application">Application</label>
            <p class="hint" id="application-hint">The application decides which attributes are required, and whether the user has a password.</p>
            <select id="application" name="application" aria-describedby="application-hint">\(options)</select></div>
            \(inputs)
            \(Self.field("alias", "Alias", value: try Self.value("alias", of: form), hint: "Another name to sign in with."))
            <div class="buttons"><button class="button primary">Create the user</button>
            <a class="button quiet" href="\(Self.path(.users, tenant))">Cancel</a></div>
            </form>
            """)
    }

    func createUser(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let application = try Self.value("application", of: form)
        guard let client = entry.applications.first(where: { $0.id.description == application }) else {
            throw ConsoleFault.missing
        }
        var changes: [ProfileChange] = []
        for definition in attributes(of: entry) {
            let text = try Self.value("a-\(definition.name)", of: form)
            if !text.isEmpty { changes.append(ProfileChange(definition.name, Self.content(text, of: definition))) }
        }
        let alias = try Self.value("alias", of: form)
        if !alias.isEmpty { changes.append(ProfileChange(AttributeDefinition.aliasName, .value(.string(alias)))) }
        let (email, actor, now) = (try Self.value("email", of: form), actor(visitor, context), context.trace.at)
        let attributes = changes
        // A password that no one knows is hashed like those of users.
        let answer = try await context.admitted(isHashing: true) {
            try await engine.createUser(
                email: email, attributes, for: client, in: entry.tenant, as: actor, now: now)
        }
        switch answer {
        case .accepted(let id): return Self.redirect(to: Self.path(.user, entry.tenant, user: id) + "?done=created")
        case .refused(let refusal):
            return Self.page(
                try newUser(context, visitor, problem: Self.sentence(refusal), form: form), .badRequest)
        }
    }

    private static func content(_ text: String, of definition: AttributeDefinition) -> ProfileChange.Content {
        switch definition.type {
        case .string: .value(.string(text))
        case .integer: Int(text).map { .value(.integer($0)) } ?? .unusable
        case .boolean: text == "true" ? .value(.boolean(true)) : text == "false" ? .value(.boolean(false)) : .unusable
        }
    }

    func editUser(
        _ context: IdentityRequestContext, _ visitor: Visitor, problem: String? = nil, form: FormFields? = nil
    ) async throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let account = try await found(context, in: tenant)
        guard account.deletedAt == nil else { throw ConsoleFault.missing }
        let user = account.user
        let version = engine.profile(of: account, in: tenant).version
        func text(_ name: String, _ stored: String) throws -> String {
            try form.map { try Self.value(name, of: $0) } ?? stored
        }
        let inputs: [HTML] = try attributes(of: entry).map { definition in
            Self.input(
                definition,
                try text("a-\(definition.name)", user.attributes[definition.name]?.description ?? ""), isRequired: false
            )
        }
        return shell(
            "Edit \(user.email)", .users, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs((user.email, Self.path(.user, tenant, user: user.id)), "Edit"))
            \(Self.head("Edit \(user.email)"))
            \(Self.note(problem, isGood: false))
            <form class="form" method="post" action="\(Self.path(.changeUser, tenant, user: user.id))">
            \(hidden(visitor))
            <input type="hidden" name="version" value="\(try text("version", version))">
            \(Self.field("email", "E-mail address", type: "email", value: try text("email", user.email), hint: "Another address ends all sessions, and the old address gets a notice.", isRequired: true))
            \(inputs)
            \(Self.field("alias", "Alias", value: try text("alias", user.alias ?? "")))
            <div class="buttons"><button class="button primary">Save</button>
            <a class="button quiet" href="\(Self.path(.user, tenant, user: user.id))">Cancel</a></div>
            </form>
            """)
    }

    func changeUser(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let account = try await found(context, in: entry.tenant)
        let user = account.user
        let form = try await form(of: request, by: visitor)
        var changes: [ProfileChange] = []
        // Only what differs: an attribute that broke a newer rule stays as long as no one changes it.
        for definition in attributes(of: entry) {
            let text = try Self.value("a-\(definition.name)", of: form)
            guard text != user.attributes[definition.name]?.description ?? "" else { continue }
            changes.append(
                ProfileChange(definition.name, text.isEmpty ? .remove : Self.content(text, of: definition)))
        }
        let alias = try Self.value("alias", of: form)
        if alias != user.alias ?? "" {
            changes.append(
                ProfileChange(AttributeDefinition.aliasName, alias.isEmpty ? .remove : .value(.string(alias))))
        }
        let given = try Self.value("email", of: form)
        let email = given == user.email ? nil : given
        if email != nil {
            // Who moves an account to another mailbox has it.
            guard hasFreshProof(visitor, context) else { return Self.proveAgain(for: request) }
            try admitNotice(to: user.id, in: entry.tenant, context)
        }
        let answer = try await engine.edit(
            user.id,
            UserEdit(email: email, attributes: changes, version: try Self.value("version", of: form)),
            by: entry.operatorFlows, in: entry.tenant, as: actor(visitor, context), now: context.trace.at
        )
        switch answer {
        case .accepted: return Self.answer(answer, done: "saved", about: user.id, in: entry.tenant)
        case .refused(let refusal):
            return Self.page(
                try await editUser(context, visitor, problem: Self.sentence(refusal), form: form), .badRequest)
        }
    }
}
