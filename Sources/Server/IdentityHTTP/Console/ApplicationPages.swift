import Hummingbird
import IdentityEngine
import NativeAuthCore
import PortableFoundation

// The applications and the daemons of a tenant. They come from the tenant file, so these pages read.
extension Console {
    func applications(_ context: IdentityRequestContext, _ visitor: Visitor) throws -> HTML {
        let entry = try tenant(context)
        let tenant = entry.tenant
        let rows = entry.applications.map { client -> Row in
            let required = client.userFlow.attributes.filter(\.isRequired).map { Self.label(of: $0.name) }
            return Row(
                id: "a-\(client.id)",
                head:
                    "<a href=\"\(Self.path(.application, tenant, other: client.id.description))\">\(client.displayName)</a>",
                cells: [
                    "<code>\(client.id)</code>", "\(Self.method(of: client))",
                    required.isEmpty ? nil : "\(required.joined(separator: ", "))",
                    client.isNativeAuthEnabled
                        ? Self.badge("Enabled", "good") : Self.badge("Native sign-in off", "warn"),
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
        return shell(
            "Applications", .applications, of: tenant, for: visitor,
            """
            \(Self.head("Applications", lead: "They stand in the tenant file; native-auth tenant apply changes them."))
            <section class="panel"><h2>Apps</h2>
            \(Self.table("Apps", "Name", [Column(title: "Client id"), Column(title: "Users sign in with"), Column(title: "Required attributes", kind: "wide"), Column(title: "State")], rows))
            </section>
            <section class="panel"><h2>Daemons</h2>
            \(daemonTable)
            </section>
            """)
    }

    private static func method(of client: Client) -> String {
        switch client.userFlow.method {
        case .emailOneTimePasscode: "E-mail one-time passcode"
        case .emailPassword: "E-mail and password"
        }
    }

    func application(_ context: IdentityRequestContext, _ visitor: Visitor) throws -> HTML {
        let entry = try tenant(context)
        let id = try context.parameters.require("application").lowercased()
        if let client = entry.applications.first(where: { $0.id.description == id }) {
            return page(of: client, in: entry.tenant, visitor)
        }
        if let daemon = entry.daemons.first(where: { $0.id.description == id }) {
            return page(of: daemon, in: entry.tenant, visitor)
        }
        throw ConsoleFault.missing
    }

    private func page(of client: Client, in tenant: Tenant, _ visitor: Visitor) -> HTML {
        let snippets = Snippets(for: client, of: tenant, baseURL: appBaseURL)
        let rows = client.userFlow.attributes.map { definition in
            Row(
                id: "f-\(definition.name)",
                head: "\(Self.label(of: definition.name))<span class=\"sub\"><code>\(definition.name)</code></span>",
                cells: [
                    "\(definition.type.rawValue)", definition.isRequired ? "Required" : "Optional",
                    definition.userMayChange ? "Yes" : nil,
                    "at most \(definition.maximumLength) characters\(definition.pattern.map { pattern -> HTML in ", matches <code>\(pattern.source)</code>" })",
                ])
        }
        let demands = client.requiresSecondFactor || client.userFlow.requiresSecondFactor
        return shell(
            client.displayName, .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Applications", Self.path(.applications, tenant)), client.displayName))
            \(Self.head("\(client.displayName)"))
            <section class="panel"><h2>Facts</h2>
            \(Self.facts([
                ("Client id", "<code id=\"client\">\(client.id)</code> \(Self.copyButton("client"))"),
                ("Authority", "<code id=\"authority\">\(appBaseURL)/\(tenant.domain)</code> \(Self.copyButton("authority"))"),
                ("Users sign in with", "\(Self.method(of: client))"),
                ("Second factor", demands ? "at every sign-in" : "when the app asks for it"),
                ("Native sign-in", client.isNativeAuthEnabled ? "on" : "off"),
                ("Scopes", client.scopes.isEmpty ? nil : "\(client.scopes.joined(separator: ", "))"),
            ]))
            </section>
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

    private func page(of daemon: Daemon, in tenant: Tenant, _ visitor: Visitor) -> HTML {
        let secrets = daemon.secrets.map { secret in
            Row(
                id: "k-\(secret.id.text)", head: "\(secret.displayName.isEmpty ? "Secret" : secret.displayName)",
                cells: [
                    secret.hint.isEmpty ? nil : "<code>\(secret.hint)…</code>", secret.startsAt.map(Self.time),
                    Self.time(secret.endsAt),
                ])
        }
        return shell(
            daemon.displayName, .applications, isBelow: true, of: tenant, for: visitor,
            """
            \(Self.crumbs(("Applications", Self.path(.applications, tenant)), daemon.displayName))
            \(Self.head("\(daemon.displayName)"))
            <section class="panel"><h2>Facts</h2>
            \(Self.facts([
                ("Client id", "<code id=\"client\">\(daemon.id)</code> \(Self.copyButton("client"))"),
                ("Roles", daemon.roles.isEmpty ? "none" : "\(daemon.roles.joined(separator: ", "))"),
                ("Keys", "\(daemon.keys.count)"),
            ]))
            </section>
            <section class="panel"><h2>Secrets</h2>
            \(secrets.isEmpty ? "<p class=\"muted\">None.</p>" : Self.table("Secrets", "Name", [Column(title: "Begins with"), Column(title: "From", kind: "time"), Column(title: "Ends", kind: "time")], secrets))
            </section>
            """)
    }
}
