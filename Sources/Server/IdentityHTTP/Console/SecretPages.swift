import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The secrets of daemons and applications. Each change is a new version of the tenants' document, as that of an application.
extension Console {
    /// What has secrets.
    private enum Holder {
        case application(Client)
        case daemon(Daemon)

        var id: ClientID {
            switch self {
            case .application(let client): client.id
            case .daemon(let daemon): daemon.id
            }
        }

        var displayName: String {
            switch self {
            case .application(let client): client.displayName
            case .daemon(let daemon): daemon.displayName
            }
        }

        var secrets: [DaemonSecret] {
            switch self {
            case .application(let client): client.web.secrets
            case .daemon(let daemon): daemon.secrets
            }
        }
    }

    /// Makes a secret and shows it, once.
    func newSecret(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let holder = try holder(context, in: entry)
        guard let days = Int(try Self.value("days", of: form)), (1...730).contains(days) else {
            return Self.page(
                try await page(of: holder, in: entry, visitor, problem: "A secret lives for 1 to 730 days."),
                .badRequest)
        }
        let name = String(try Self.value("name", of: form).trimmed.prefix(64))
        let (text, secret) = DaemonSecret.making(
            named: name, days: days, randomness: engine.ports.randomness, now: context.trace.at)
        let id = holder.id
        let answer = try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
            try entry.changeSecrets(of: id) { $0.append(secret) }
        }
        switch answer {
        case .success:
            let now = try tenant(context)
            return Self.page(try await page(of: try self.holder(context, in: now), in: now, visitor, secret: text))
        case .failure(let fault):
            let problem = try Self.sentences(fault).joined(separator: " ")
            return Self.page(try await page(of: holder, in: entry, visitor, problem: problem), .badRequest)
        }
    }

    func removeSecretLook(_ context: IdentityRequestContext, _ visitor: Visitor) throws -> HTML {
        let entry = try tenant(context)
        let holder = try holder(context, in: entry)
        let secret = try secret(context, of: holder)
        let name = secret.displayName.isEmpty ? "the secret" : secret.displayName
        let effect =
            switch holder {
            case .application: "The application signs no user in with this secret, within five seconds on all nodes."
            case .daemon: "The daemon gets no more tokens with this secret, within five seconds on all nodes."
            }
        let path = holder.id.description
        return confirmation(
            title: "Remove \(name) from \(holder.displayName)", effects: ["\(effect)"], button: "Remove",
            isGrave: true, typed: nil,
            action: Self.path(.removeSecret, entry.tenant, other: path, secret: secret.id.text),
            back: (holder.displayName, Self.path(.application, entry.tenant, other: path)), .applications,
            entry.tenant, visitor, version: editor.version)
    }

    func removeSecret(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let entry = try tenant(context)
        let form = try await form(of: request, by: visitor)
        let holder = try holder(context, in: entry)
        let (id, secret) = (holder.id, try secret(context, of: holder).id)
        let answer = try await edit(entry.tenant, form, context, visitor) { (entry) throws(TenantEditFault) in
            try entry.changeSecrets(of: id) { secrets in secrets.removeAll { $0.id == secret } }
        }
        switch answer {
        case .success:
            return Self.redirect(to: Self.path(.application, entry.tenant, other: id.description) + "?done=secret")
        case .failure(let fault):
            let problem = try Self.sentences(fault).joined(separator: " ")
            return Self.page(try await page(of: holder, in: entry, visitor, problem: problem), .badRequest)
        }
    }

    private func holder(_ context: IdentityRequestContext, in entry: TenantDirectory.Entry) throws -> Holder {
        let id = try context.parameters.require("application").lowercased()
        if let daemon = entry.daemons.first(where: { $0.id.description == id }) { return .daemon(daemon) }
        let client = try client(context, in: entry)
        guard client.canKeepSecrets else { throw ConsoleFault.missing }
        return .application(client)
    }

    private func secret(_ context: IdentityRequestContext, of holder: Holder) throws -> DaemonSecret {
        let id = UUID(uuidString: try context.parameters.require("method"))
        guard let secret = holder.secrets.first(where: { $0.id == id }) else { throw ConsoleFault.missing }
        return secret
    }

    private func page(
        of holder: Holder, in entry: TenantDirectory.Entry, _ visitor: Visitor, problem: String? = nil,
        secret: Secret<String>? = nil
    ) async throws -> HTML {
        switch holder {
        case .application(let client): try await page(of: client, in: entry, visitor, problem: problem, secret: secret)
        case .daemon(let daemon): page(of: daemon, in: entry.tenant, visitor, problem: problem, secret: secret)
        }
    }

    // MARK: - Parts of pages

    /// The panel with the secrets of an application or a daemon.
    func panel(of secrets: [DaemonSecret], _ id: ClientID, in tenant: Tenant, _ visitor: Visitor) -> HTML {
        let path = id.description
        let rows = secrets.map { secret in
            Row(
                id: "k-\(secret.id.text)", head: "\(secret.displayName.isEmpty ? "Secret" : secret.displayName)",
                cells: [
                    secret.hint.isEmpty ? nil : "<code>\(secret.hint)…</code>", secret.startsAt.map(Self.time),
                    Self.time(secret.endsAt),
                    visitor.may(.removeSecretLook)
                        ? "<a class=\"button small danger quiet\" href=\"\(Self.path(.removeSecretLook, tenant, other: path, secret: secret.id.text))\">Remove</a>"
                        : nil,
                ])
        }
        let form: HTML? =
            visitor.may(.newSecret)
            ? """
            <h3>New secret</h3>
            <form class="form" method="post" action="\(Self.path(.newSecret, tenant, other: path))">
            \(hidden(visitor))
            <input type="hidden" name="version" value="\(editor.version)">
            <div class="pair">\(Self.field("name", "Name", hint: "To tell it from others.", isRequired: true))
            \(Self.field("days", "Days", type: "number", value: "180", hint: "1 to 730.", isRequired: true))</div>
            <div class="buttons"><button class="button primary">Make a secret</button></div>
            </form>
            """ : nil
        return """
            <section class="panel"><h2>Secrets</h2>
            \(rows.isEmpty ? "<p class=\"muted\">None.</p>" : Self.table("Secrets", "Name", [Column(title: "Begins with"), Column(title: "From", kind: "time"), Column(title: "Ends", kind: "time"), Column(title: "Action", kind: "do")], rows))
            \(form)
            </section>
            """
    }

    /// A secret on the page that follows its making.
    static func shown(_ secret: Secret<String>?) -> HTML? {
        secret.map { secret in
            """
            <div class="secret"><p class="label">The new secret. It is shown once: the database has a digest.</p>\
            <code id="new-secret">\(secret.reveal())</code>\(copyButton("new-secret"))</div>
            """
        }
    }
}
