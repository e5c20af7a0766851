import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The home page: the information that a new developer needs to sign the first user up.
extension DevelopmentPages {
    /// The home page for these tenants; the snippets use the first application of the first tenant.
    func homePage(of tenants: [TenantDirectory.Entry]) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>native-auth: development server</title><style>\(Self.style)</style></head><body><main>
        <header><h1>native-auth</h1><p class="badge">development profile</p></header>
        <p>An identity server for native authentication is running here. Sign a user up from your app, and read the code in
        the <a href="/dev/inbox">development inbox</a>. \(consoleSentence)</p>
        \(unknownAttributeSection)
        \(tenants.map { section(about: $0, isOnly: tenants.count == 1) }.joined(separator: "\n"))
        <p class="note">All applications also take the optional built-in attributes and the alias <code>flatusername</code>.</p>
        \(tenants.first.map(snippets) ?? "")
        <h2>Documents</h2>
        <ul>\(tenants.map { links(to: $0.tenant, isOnly: tenants.count == 1) }.joined(separator: "\n"))
        <li><a href="/dev/inbox.json">Inbox as JSON</a> (<code>?to=ADDRESS</code> for one mailbox)</li>
        <li><a href="/dev/mails">All mails in all languages</a></li>
        <li><a href="/dev/hooks">Calls of hooks</a></li></ul>
        <h2>An API to call</h2>
        <p><code>GET /dev/api/\(Self.escaped(tenants.first?.tenant.domain ?? "TENANT"))</code> takes an access token and says hello. With
        <code>?acrs=c1</code> it requires a second factor: the app then signs in with a claims request for that context.</p>
        \(providerSection)
        </main></body></html>
        """
    }

    /// On the local network there is no console: it asks for no sign-in.
    private var consoleSentence: String {
        lock == nil
            ? "The <a href=\"/console\">console</a> shows users and events."
            : "It asks for the code in the server's terminal."
    }

    private func section(about entry: TenantDirectory.Entry, isOnly: Bool) -> String {
        let tenant = entry.tenant
        let rows = entry.applications.map { client in
            let required = client.userFlow.attributes.filter(\.isRequired).map(\.name)
            let attributes = required.isEmpty ? "none" : required.joined(separator: ", ")
            // native-auth doctor reads the first two cells.
            let factor = client.userFlow.requiresSecondFactor ? ", then a second factor" : ""
            return """
                <tr><td><code>\(client.id)</code></td><td>\(client.userFlow.method.title)\(factor)</td><td>\(Self.escaped(attributes))</td></tr>
                """
        }
        return """
            <h2>Tenant\(isOnly ? "" : " " + Self.escaped(tenant.displayName))</h2>
            <dl><dt>Base URL</dt><dd><code>\(Self.escaped(baseURL))</code></dd>
            <dt>Subdomain</dt><dd><code>\(Self.escaped(tenant.subdomain))</code></dd>
            <dt>Domain</dt><dd><code>\(Self.escaped(tenant.domain))</code></dd>
            <dt>Tenant id</dt><dd><code>\(tenant.id)</code></dd></dl>
            <h2>Applications\(isOnly ? "" : " of " + Self.escaped(tenant.displayName))</h2>
            <div class="scroll"><table><thead><tr><th>Client id</th><th>Users sign in with</th><th>Required attributes</th></tr></thead>
            <tbody>\(rows.joined(separator: "\n"))</tbody></table></div>
            """
    }

    private func snippets(for entry: TenantDirectory.Entry) -> String {
        guard let client = entry.applications.first(where: { $0.isOpen(for: .native) }) else { return pagesOf(entry) }
        let snippets = Snippets(
            for: client, of: entry.tenant, baseURL: baseURL, trust: lock.map { "--cacert \($0.certificateFile) " } ?? ""
        )
        return """
            <h2>From Swift</h2><pre>\(Self.escaped(snippets.swift))</pre>
            <p class="note">Code that names the subdomain only (<code>tenantSubdomain: "\(Self.escaped(entry.tenant.subdomain))"</code>) runs
            unchanged in a debug build with <code>NATIVE_AUTH_EMULATOR=\(Self.escaped(baseURL))\(lock.map { "#\($0.fingerprint)" } ?? "")</code> in its environment.</p>
            <h2>From a shell</h2><pre>\(Self.escaped(snippets.curl))</pre>
            """
    }

    /// For a tenant whose applications have no native authentication.
    private func pagesOf(_ entry: TenantDirectory.Entry) -> String {
        guard entry.applications.contains(where: { $0.isOpen(for: .browser) }) else { return "" }
        return """
            <h2>In a browser</h2>
            <p>No application of this tenant has native authentication: users sign in at the server's pages. An OpenID client needs the
            client id, a registered redirect address and the discovery document:</p>
            <pre>\(Self.escaped("\(baseURL)/\(entry.tenant.domain)/\(MetadataEndpoint.openIDConfiguration.rawValue)"))</pre>
            """
    }

    private func links(to tenant: Tenant, isOnly: Bool) -> String {
        let path = "/" + Self.escaped(tenant.domain)
        let whose = isOnly ? "" : " of " + Self.escaped(tenant.displayName)
        return """
            <li><a href="\(path)/\(MetadataEndpoint.openIDConfiguration.rawValue)">OpenID Connect discovery\(whose)</a></li>
            <li><a href="\(path)/\(MetadataEndpoint.jsonWebKeys.rawValue)">Public keys\(whose)</a></li>
            """
    }

    /// Empty without the development tenant.
    private var providerSection: String {
        guard hasProvider else { return "" }
        return """
            <h2>An identity provider to sign in with</h2>
            <p><code>\(IdentityProvider.sample.id)</code> (\(IdentityProvider.sample.displayName)) is an identity provider that this server
            plays. It takes the place of Apple or Google. The <a href="/\(TenantID.development)/account">sign-in pages</a> have a button
            for it. An app gets its ID token by <code>POST \(Self.providerPath)/token</code> with
            <code>email</code> and <code>nonce</code>.</p>
            """
    }

    /// Empty when no app sent a name that its user flow does not define.
    private var unknownAttributeSection: String {
        let rows = unknownAttributes.entries.map { entry in
            """
            <tr><td>\(entry.lastSeen.formatted(.iso8601))</td><td><code>\(Self.escaped(entry.name))</code></td>\
            <td>\(Self.escaped(entry.application))</td></tr>
            """
        }
        guard !rows.isEmpty else { return "" }
        return """
            <h2>Unknown attributes</h2>
            <p class="note">Apps sent these attributes, and they were ignored: the application has none of this name.</p>
            <div class="scroll"><table><thead><tr><th>Last sent</th><th>Name</th><th>Application</th></tr></thead>
            <tbody>\(rows.joined(separator: "\n"))</tbody></table></div>
            """
    }
}

extension UserFlow.Method {
    fileprivate var title: String {
        switch self {
        case .emailOneTimePasscode: "E-mail one-time passcode"
        case .emailPassword: "E-mail and password"
        }
    }
}
