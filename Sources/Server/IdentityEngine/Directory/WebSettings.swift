package import NativeAuthCore

/// What an application is to the web: an OpenID client (docs/operate/tenant-file.md).
package struct WebSettings: Hashable, Sendable {
    /// Where a sign-out in the browser may lead back to, besides the redirect addresses of native apps; exact texts.
    package var postLogoutRedirects: [String] = []
    /// Where the server tells it, and where browsers do, that a browser session has ended.
    package var backChannelLogout: String?
    package var frontChannelLogout: String?
    /// Secrets and public keys of a confidential application, as daemons have them; both empty: it is public.
    package var secrets: [DaemonSecret] = []
    package var keys: [DaemonKey] = []
    /// Whether a confidential application must use PKCE; public ones always must.
    package var requiresPKCE = true
    /// Whether users are asked for consent: the application is not the tenant's own.
    package var isThirdParty = false
    /// Whether its authorization requests must be pushed (RFC 9126 section 6).
    package var requiresPushedRequests = false
    /// Whether users can allow devices without a browser to act for them in the application (RFC 8628).
    package var allowsDeviceFlow = false
    /// What an app may open in a browser with its user signed in there: applications of the tenant, and
    /// ``Client/accountPageID``.
    package var opensInBrowser: [ClientID] = []
    /// The page that error pages may link to; https, or http on this machine.
    package var homepage: String?
    /// The origins of pages that may call the native endpoints from a browser; exact `scheme://host[:port]`.
    package var allowedOrigins: [String] = []

    /// The largest number of sign-out addresses, and of origins.
    package static let maximumCount = 50

    package init() {}

    /// A target of ``opensInBrowser`` as documents write it: `account`, or the client id.
    package static func text(ofTarget target: ClientID) -> String {
        target == Client.accountPageID ? "account" : target.description
    }

    /// - Returns: Nil for a text that is no target.
    package static func target(of text: String) -> ClientID? {
        if text == "account" { return Client.accountPageID }
        return ClientID(text).flatMap { $0 == Client.accountPageID ? nil : $0 }
    }
}

extension Client {
    package var web: WebSettings {
        get { webReference?.settings ?? WebSettings() }
        set { webReference = WebReference(newValue) }
    }

    /// Whether the application authenticates with a secret or a key.
    package var isConfidential: Bool {
        webReference.map { !$0.settings.secrets.isEmpty || !$0.settings.keys.isEmpty } ?? false
    }

    /// The origins of the pages that may call the endpoints for the application: those of its `spa` addresses, and where it
    /// has native authentication its `allowedOrigins`.
    package var origins: [String] {
        redirects[.spa].map { address in
            address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
                .joined(separator: "/")
        } + (isNativeAuthEnabled ? web.allowedOrigins : [])
    }

    /// Whether ``origins`` has this one. Compared byte for byte.
    package func allows(origin: String) -> Bool { origins.contains { $0.utf8.elementsEqual(origin.utf8) } }

    /// Whether it is a program on a server: apps and pages cannot keep a secret.
    package var canKeepSecrets: Bool { isConfidential || !redirects[.web].isEmpty }
}

extension TenantDirectory.Entry {
    /// Changes the secrets of an application or a daemon.
    package mutating func changeSecrets(
        of id: ClientID, _ change: (inout [DaemonSecret]) -> Void
    ) throws(TenantEditFault) {
        if let index = applications.firstIndex(where: { $0.id == id }) {
            change(&applications[index].web.secrets)
        } else if let index = daemons.firstIndex(where: { $0.id == id }) {
            change(&daemons[index].secrets)
        } else {
            throw .notFound
        }
    }
}

/// The settings of a ``Client`` in one reference, since a client is copied with each step of a flow, and most have none
/// of these.
final class WebReference: Hashable, Sendable {
    let settings: WebSettings

    /// Nil when all are defaults.
    init?(_ settings: WebSettings) {
        guard settings != WebSettings() else { return nil }
        self.settings = settings
    }

    static func == (one: WebReference, other: WebReference) -> Bool {
        one === other || one.settings == other.settings
    }

    func hash(into hasher: inout Hasher) { hasher.combine(settings) }
}
