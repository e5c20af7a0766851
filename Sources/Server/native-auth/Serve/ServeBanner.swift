import IdentityEngine
import IdentityHTTP

/// What `native-auth serve` prints in the development profile: addresses, client ids, and how a first sign-up begins.
struct ServeBanner {
    let settings: ServeSettings
    let address: IdentityService.Address

    /// - Parameter directory: The tenants; the snippets use the first application of the first one that has native authentication.
    func text(for directory: TenantDirectory) -> String {
        guard let entry = directory.entries.first, !entry.applications.isEmpty else { return "" }
        let applications = entry.applications.map { client in
            let required = client.userFlow.attributes.filter(\.isRequired).map(\.name)
            return "  \(client.id)  \(client.displayName)"
                + (required.isEmpty ? "" : " (required: \(required.joined(separator: ", ")))")
        }
        let more = directory.entries.dropFirst().map(\.tenant.subdomain)
        let others = more.isEmpty ? "" : "Further tenants: \(more.joined(separator: ", "))\n\n"
        return """
            native-auth, development profile\(settings.localNetwork == nil ? "" : ", on the local network")
              base URL   \(address.baseURL)
              home page  \(address.baseURL)/
              inbox      \(address.listening)/dev/inbox\(inboxCode)
            \(console)\
              data       \(settings.dataFolder)

            Client ids
            \(applications.joined(separator: "\n"))

            \(others)\(phone ?? snippets(of: entry))
            """
    }

    private func snippets(of entry: TenantDirectory.Entry) -> String {
        let authority = "\(address.baseURL)/\(entry.tenant.domain)"
        guard let client = entry.applications.first(where: { $0.isOpen(for: .native) }) else {
            return """
                No application has native authentication: users sign in at the server's pages.
                For an OpenID client
                  \(address.baseURL)/\(entry.tenant.id)/v2.0/.well-known/openid-configuration

                """
        }
        let (wire, swift) =
            switch client.userFlow.method {
            case .emailOneTimePasscode: ("oob redirect", ".OOB")
            case .emailPassword: ("oob password redirect", ".OOB, .password")
            }
        return """
            Start a sign-up from a shell
              curl -s \(authority)/signup/v1.0/start \\
                -d client_id=\(client.id) \\
                -d 'challenge_type=\(wire)' -d username=dana@example.com

            Start a sign-up from Swift
              let authority = try MSALCIAMAuthority(
                  url: URL(string: "\(authority)")!, validateFormat: false)
              let nativeAuth = try MSALNativeAuthPublicClientApplication(
                  nativeAuthConfiguration: .init(
                      clientId: "\(client.id)",
                      authority: authority, challengeTypes: [\(swift)]))
              nativeAuth.signUp(parameters: .init(username: "dana@example.com"), delegate: self)

            """
    }

    private var inboxCode: String { settings.localNetwork.map { " (code \($0.shownCode))" } ?? "" }

    private var console: String {
        switch settings.operators {
        case .shared: "  console    \(address.listening)/console\n"
        // That of port 0 is in the log.
        case .port(let port) where port != 0: "  console    http://127.0.0.1:\(port)/console (on this machine)\n"
        case .port, .off: ""
        }
    }

    /// How a phone in the same room uses the server, in place of the snippets, which its home page has; nil for a server of this
    /// machine. A line has at most 80 columns, save the last.
    private var phone: String? {
        guard let network = settings.localNetwork else { return nil }
        let home = "\(address.baseURL)/"
        return """
            On a phone in the same network: \(home), and the inbox\(inboxCode)
            \(Terminal.isOutput ? code(of: home) : "")\
              Browser: open the address, compare the certificate's fingerprint (SHA-256)
                \(network.shownFingerprint.prefix(47))
                \(network.shownFingerprint.dropFirst(48))
              and go on. App, debug build: this variable in the environment of its scheme:
            NATIVE_AUTH_EMULATOR=\(network.emulator(address.baseURL))

            """
    }

    private func code(of text: String) -> String {
        guard let code = QRCode(text) else { return "" }
        return code.lines.map { "  \(Terminal.onPaper($0))\n" }.joined() + "\n"
    }
}
