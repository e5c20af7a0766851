package import NativeAuthCore
import PortableFoundation

/// Tenants, applications and daemons as a fixed list, from a tenant file or the development tenant.
package struct TenantDirectory: ClientStore {
    /// A tenant with its applications and daemons.
    package struct Entry: Hashable, Sendable {
        package var tenant: Tenant
        package var applications: [Client]
        package var daemons: [Daemon]
        package var userFlows: [SharedUserFlow]
        /// The attributes that the tenant has beside the built-in ones; an application or a flow can define more.
        package var attributes: [TenantAttribute]

        package init(
            tenant: Tenant, applications: [Client], daemons: [Daemon] = [], userFlows: [SharedUserFlow] = [],
            attributes: [TenantAttribute] = []
        ) {
            self.tenant = tenant
            self.applications = applications
            self.daemons = daemons
            self.userFlows = userFlows
            self.attributes = attributes
        }
    }

    /// The entries in the given order; pages and snippets show the first.
    package let entries: [Entry]
    private let byName: [String: Tenant]
    private let byClient: [TenantID: [ClientID: Client]]
    private let byDaemon: [TenantID: [ClientID: Daemon]]
    /// Those of all applications. As bytes: texts would be equal by Unicode's canonical form.
    private let origins: Set<Data>
    /// By the host name of their passkeys. Documents have each name once.
    private let byPasskeyHost: [String: Tenant]

    package init(_ entries: [Entry]) {
        self.entries = entries
        var byName: [String: Tenant] = [:]
        var byClient: [TenantID: [ClientID: Client]] = [:]
        var byDaemon: [TenantID: [ClientID: Daemon]] = [:]
        var origins: Set<Data> = []
        var byPasskeyHost: [String: Tenant] = [:]
        for entry in entries {
            for name in [entry.tenant.id.description, entry.tenant.domain, entry.tenant.subdomain] {
                byName[Self.normal(name)] = entry.tenant
            }
            if let host = entry.tenant.passkeys?.relyingPartyID { byPasskeyHost[Self.normal(host)] = entry.tenant }
            for client in entry.applications {
                byClient[entry.tenant.id, default: [:]][client.id] = client
                origins.formUnion(client.origins.map { Data($0.utf8) })
            }
            for daemon in entry.daemons { byDaemon[entry.tenant.id, default: [:]][daemon.id] = daemon }
        }
        self.byName = byName
        self.byClient = byClient
        self.byDaemon = byDaemon
        self.origins = origins
        self.byPasskeyHost = byPasskeyHost
    }

    package func tenant(named name: String) async throws(StoreError) -> Tenant? {
        name.utf8.count <= 253 ? byName[Self.normal(name)] : nil
    }

    package func client(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Client? {
        byClient[tenant]?[id]
    }

    package func entry(of tenant: TenantID) async throws(StoreError) -> Entry? {
        entries.first { $0.tenant.id == tenant }
    }

    package func daemon(_ id: ClientID, in tenant: TenantID) async throws(StoreError) -> Daemon? {
        byDaemon[tenant]?[id]
    }

    package func hasPages(ofOrigin origin: String) async throws(StoreError) -> Bool {
        origins.contains(Data(origin.utf8))
    }

    package func tenant(ofPasskeysAt host: String) async throws(StoreError) -> Tenant? {
        host.utf8.count <= 253 ? byPasskeyHost[Self.normal(host)] : nil
    }

    private static func normal(_ name: String) -> String {
        String(decoding: name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}

extension TenantDirectory {
    /// The development tenant `contoso` with its five applications and one daemon, the same in every run (design record
    /// 0014). It has every method, so that each can be tried.
    package static let development: TenantDirectory = {
        var tenant = Tenant(
            id: .development, subdomain: "contoso", domain: "contoso.onmicrosoft.com", displayName: "Contoso")
        tenant.offersApps = true
        tenant.offersRecoveryCodes = true
        // The prices are invented: no tenant signs in by number without a cap. Without a gateway no text leaves the server.
        tenant.texts = TextSettings(
            areas: CallingArea.all, brand: tenant.displayName, usualPrice: 50_000, costPerDay: 1_000_000_000,
            signsIn: true)
        tenant.passkeys = PasskeySettings(relyingPartyID: "localhost")
        tenant.providers = [.sample]
        tenant.rememberedDays = 14
        let withAddress = AttributeDefinition.builtIn.map { definition in
            var definition = definition
            definition.isRequired = ["country", "city"].contains(definition.name)
            return definition
        }
        func application(
            _ id: uuid_t, _ name: String, _ method: UserFlow.Method,
            _ attributes: [AttributeDefinition] = AttributeDefinition.builtIn
        ) -> Client {
            var web = WebSettings()
            web.opensInBrowser = [Client.accountPageID]
            return Client(
                id: ClientID(UUID(uuid: id)), displayName: name,
                userFlow: UserFlow(method: method, attributes: attributes), scopes: ["*"],
                redirects: RedirectAddresses([.publicClient: developmentRedirects]), web: web)
        }
        var strict = application(
            (0x44, 0x44, 0x55, 0x55, 0xEE, 0xEE, 0x66, 0x66, 0xFF, 0xFF, 0x77, 0x77, 0, 0, 0x88, 0x88),
            "Second factor demanded", .emailPassword)
        strict.userFlow.requiresSecondFactor = true
        return TenantDirectory([
            Entry(
                tenant: tenant,
                applications: [
                    application(
                        (0, 0, 0x11, 0x11, 0xAA, 0xAA, 0x22, 0x22, 0xBB, 0xBB, 0x33, 0x33, 0xCC, 0xCC, 0x44, 0x44),
                        "One-time passcode", .emailOneTimePasscode),
                    application(
                        (
                            0x11, 0x11, 0x22, 0x22, 0xBB, 0xBB, 0x33, 0x33, 0xCC, 0xCC, 0x44, 0x44, 0xDD, 0xDD, 0x55,
                            0x55
                        ), "Password", .emailPassword),
                    application(
                        (
                            0x22, 0x22, 0x33, 0x33, 0xCC, 0xCC, 0x44, 0x44, 0xDD, 0xDD, 0x55, 0x55, 0xEE, 0xEE, 0x66,
                            0x66
                        ), "One-time passcode with attributes", .emailOneTimePasscode, withAddress),
                    application(
                        (
                            0x33, 0x33, 0x44, 0x44, 0xDD, 0xDD, 0x55, 0x55, 0xEE, 0xEE, 0x66, 0x66, 0xFF, 0xFF, 0x77,
                            0x77
                        ), "Password with attributes", .emailPassword, withAddress),
                    strict,
                ], daemons: [developmentDaemon])
        ])
    }()

    /// Programs on this machine, with any port, and the app of the documentation.
    private static let developmentRedirects = ["http://localhost", "http://127.0.0.1", "msauth.com.example.app://auth"]

    /// A daemon with all roles of the directory and the secret `development`. Production has no development tenant, and
    /// tenant documents cannot have that secret (`SEC-PRF-4`).
    private static let developmentDaemon = Daemon(
        id: ClientID(
            UUID(
                uuid: (
                    0x44, 0x44, 0x55, 0x55, 0xAA, 0xAA, 0x66, 0x66, 0xBB, 0xBB, 0x77, 0x77, 0xCC, 0xCC, 0x88, 0x88
                ))),
        displayName: "Daemon", roles: ResourceScope.applicationRoles.sorted(),
        secrets: [
            DaemonSecret(
                id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)), displayName: "development",
                hint: "dev", digest: DaemonSecret.digestOfDevelopment, endsAt: .distantFuture)
        ])
}

extension TenantID {
    /// The development tenant's.
    package static let development = TenantID(
        UUID(uuid: (0xAA, 0xAA, 0xBB, 0xBB, 0, 0, 0xCC, 0xCC, 0x11, 0x11, 0xDD, 0xDD, 0x22, 0x22, 0xEE, 0xEE)))
}

extension IdentityProvider {
    /// The provider of the development tenant, which the server plays. It speaks for one domain, so that what follows a token with
    /// another address can be tried, too. No tenant document can have it: there is no such provider (`SEC-PRF-4`).
    package static let sample: IdentityProvider = {
        var provider = IdentityProvider(
            id: "sample", displayName: "Sample ID", issuer: "http://localhost/dev/provider",
            nativeClients: ["com.example.app"], authority: .domains(["example.com"]))
        provider.web = Web(clientID: "com.example.pages")
        return provider
    }()
}
