import Hummingbird
import IdentityEngine
import NativeAuthCore
import PortableFoundation

// The applications and the daemons of a tenant. They come from the tenant file, so these pages read.
extension Console {
    func applications(_ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor) throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let version = editor.version
        let lead =
            version == 0
            ? "They come from \(isDevelopment ? "the program" : "the tenant file"). A change here writes them into the database, which is in force from then on."
            : "Version \(version) of the tenants' document. A change here is the next version; native-auth tenant versions lists them."
        let rows = entry.applications.map { client -> Row in
            let required = client.userFlow.attributes.filter(\.isRequired).map { Self.title(of: $0, in: entry) }
            return Row(
                id: "a-\(client.id)",
                head:
                    "<a href=\"\(Self.path(.application, tenant, other: client.id.description))\">\(client.displayName)</a>",
                cells: [
                    "<code>\(client.id)</code>",
                    client.flowSource == .none ? nil : "\(Self.name(of: client.userFlow.method))",
                    required.isEmpty ? nil : "\(required.joined(separator: ", "))",
                    Self.state(of: client),
                ])
        }
        let daemons = entry.daemons.map { daemon -> Row in
            Row(
                id: "d-\(daemon.id)",
                head:
                    "<a href=\"\(Self.path(.application, tenant, other: daemon.id.description))\">\(daemon.displayName)</a>",
                cells: [
                    "<code>\(daemon.id)</code>", daemon.roles.isEmpty ? nil : "\(daemon.roles.joined(separator: ", "))",
                    "\(daemon.secrets.count)", "\(daemon.keys.count)",
                ])
        }
        let daemonTable: HTML =
            daemons.isEmpty
            ? "<div class=\"empty\"><p>There is no daemon: a program that gets tokens without a user.</p></div>"
            : Self.table(
                "Daemons", "Name",
                [
                    Column(title: "Client id"), Column(title: "Roles", kind: "wide"),
                    Column(title: "Secrets", kind: "number"), Column(title: "Keys", kind: "number"),
                ], daemons)
        let create: HTML? =
            visitor.may(.newApplication)
            ? "<a class=\"button primary\" href=\"\(Self.path(.newApplication, tenant))\">New application</a>" : nil
        let actions: HTML = """
            <p class="actions"><a class="button" href="\(Self.path(.mails, tenant))">Mails</a><a class="button" href="\(Self.path(.pages, tenant))">Pages</a>\(create)</p>
            """
        return shell(
            "Applications", .applications, of: tenant, for: visitor,
            """
            \(Self.head("Applications", lead: lead, actions: actions))
            \(Self.note(try Self.done(Self.queryFields(of: request))))
            <section class="panel"><h2>Apps</h2>
            \(Self.table("Apps", "Name", [Column(title: "Client id"), Column(title: "Users sign in with"), Column(title: "Required attributes", kind: "wide"), Column(title: "State")], rows))
            </section>
            <section class="panel"><h2>Daemons</h2>
            \(daemonTable)
            </section>
            """)
    }

    func application(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> HTML {
        let done = try Self.done(Self.queryFields(of: request))
        let entry = try tenant(context)
        let id = try context.parameters.require("application").lowercased()
        if let client = entry.applications.first(where: { $0.id.description == id }) {
            return try await page(of: client, in: entry, visitor, done: done)
        }
        if let daemon = entry.daemons.first(where: { $0.id.description == id }) {
            return page(of: daemon, in: entry.tenant, visitor, done: done)
        }
        throw ConsoleFault.missing
    }

    private static func state(of client: Client) -> HTML {
        if client.flowSource == .none { return badge("No user flow", "warn") }
        return client.isNativeAuthEnabled ? badge("Enabled", "good") : badge("Native sign-in off", "warn")
    }

    func page(
        of client: Client, in entry: TenantDirectory.Entry, _ visitor: Visitor, done: String? = nil,
        problem: String? = nil, secret: Secret<String>? = nil
    ) async throws -> HTML {
        let tenant = entry.tenant
        let groups = try await read { () throws(StoreError) in try await store.groups(in: tenant.id) }
        let shared = entry.userFlows.first { $0.id == client.sharedFlow }
        let snippets = Snippets(for: client, of: tenant, baseURL: appBaseURL)
        let rows = (client.flowSource == .none ? [] : client.userFlow.attributes).map { definition in
            Row(
                id: "f-\(definition.name)",
                head:
                    "\(Self.title(of: definition, in: entry))<span class=\"sub\"><code>\(definition.name)</code></span>",
                cells: [
                    "\(definition.type.rawValue)", definition.isRequired ? "Required" : "Optional",
                    definition.userMayChange ? "Yes" : nil,
                    "at most \(definition.maximumLength) characters\(definition.pattern.map { pattern -> HTML in ", matches <code>\(pattern.source)</code>" })",
                ])
        }
        let path = client.id.description
        let changes: HTML? =
            visitor.may(.editApplication)
            ? """
            <p class="actions"><a class="button small" href="\(Self.path(.editApplication, tenant, other: path))">Edit</a>\
            <a class="button small danger quiet" href="\(Self.path(.deleteApplicationLook, tenant, other: path))">Delete</a></p>
            """ : nil
        let demanded = tenant.levels.demand(of: client.id, baseURL: engine.settings.baseURL)
        let demands =
            client.requiresSecondFactor || client.userFlow.requiresSecondFactor || demanded.level > .oneFactor
        return shell(
            client.displayName, .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Applications", Self.path(.applications, tenant)), client.displayName))
            \(Self.head("\(client.displayName)", actions: changes))
            \(Self.note(problem, isGood: false))
            \(Self.note(done))
            \(Self.shown(secret))
            <section class="panel"><h2>Facts</h2>
            \(Self.facts([
                ("Client id", "<code id=\"client\">\(client.id)</code> \(Self.copyButton("client"))"),
                ("Authority", "<code id=\"authority\">\(appBaseURL)/\(tenant.domain)</code> \(Self.copyButton("authority"))"),
                ("User flow", shared.map { "<a href=\"\(Self.path(.userFlow, tenant, other: $0.id.text))\">\($0.displayName)</a>" } ?? (client.flowSource == .none ? "none: no user can sign up or in" : "its own rules")),
                ("Users sign in with", client.flowSource == .none ? nil : "\(Self.name(of: client.userFlow.method))"),
                ("Sign-up", client.userFlow.allowsSignUp ? nil : "closed"),
                ("Second factor", demands ? "at every sign-in" : "when the app asks for it"),
                ("Levels", Self.levels(of: client, in: tenant)),
                ("Native sign-in", client.isNativeAuthEnabled ? "on" : "off"),
                ("Groups in tokens", client.statesGroups ? "yes" : nil),
                ("As an API", client.roles.isEmpty ? nil : "<code id=\"audience\">\(client.audience)</code> \(Self.copyButton("audience"))"),
                ("Scopes", client.scopes.isEmpty ? nil : "\(client.scopes.joined(separator: ", "))"),
            ] + Self.webFacts(of: client)))
            </section>
            \(client.canKeepSecrets ? panel(of: client.web.secrets, client.id, in: tenant, visitor) : nil)
            \(roles(of: client, in: entry, groups: groups, visitor))
            <section class="panel"><h2>Attributes of the sign-up</h2>
            \(rows.isEmpty ? "<p class=\"muted\">None.</p>" : Self.table("Attributes", "Attribute", [Column(title: "Type"), Column(title: "At sign-up"), Column(title: "Users may change it"), Column(title: "Rule", kind: "wide")], rows))
            </section>
            <section class="panel"><h2>Code to begin with</h2>
            <h3>Swift</h3>
            <div class="snippet"><pre id="swift" role="region" tabindex="0" aria-label="Swift code">\(snippets.swift)</pre>\(Self.copyButton("swift"))</div>
            <h3>Shell</h3>
            <div class="snippet"><pre id="shell" role="region" tabindex="0" aria-label="Shell command">\(snippets.curl)</pre>\(Self.copyButton("shell"))</div>
            </section>
            """)
    }

    func page(
        of daemon: Daemon, in tenant: Tenant, _ visitor: Visitor, done: String? = nil, problem: String? = nil,
        secret: Secret<String>? = nil
    ) -> HTML {
        return shell(
            daemon.displayName, .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Applications", Self.path(.applications, tenant)), daemon.displayName))
            \(Self.head("\(daemon.displayName)"))
            \(Self.note(problem, isGood: false))
            \(Self.note(done))
            \(Self.shown(secret))
            <section class="panel"><h2>Facts</h2>
            \(Self.facts([
                ("Client id", "<code id=\"client\">\(daemon.id)</code> \(Self.copyButton("client"))"),
                ("Roles", daemon.roles.isEmpty ? "none" : "\(daemon.roles.joined(separator: ", "))"),
                ("Keys", "\(daemon.keys.count)"),
            ]))
            </section>
            \(panel(of: daemon.secrets, daemon.id, in: tenant, visitor))
            """)
    }
}
