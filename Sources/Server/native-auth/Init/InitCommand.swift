import ArgumentParser
import IdentityEngine
import IdentityStoreSQL
import IdentityTokens
import NativeAuthCore
import PortableFoundation

/// `native-auth init`: makes all that a production server needs, once for a machine.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Prepare a production server: master key, settings, database, a tenant and the first operator.",
        discussion: """
            Run it as the user of the server. The options are those of serve, and are checked like those. The folder gets \
            the files master.key and env, which has the settings; the database gets a tenant with two applications, unless \
            it has one, and an invitation for its first owner. Nothing that exists is replaced: with an env in the folder the command \
            refuses, and a master key that is there is used, so that another node of a database gets a copy of its key first. \
            Addresses with a password are better given as NATIVE_AUTH_SMTP and NATIVE_AUTH_DATABASE: other users see command lines.
              native-auth init --base-url https://login.example.com --mail-from no-reply@login.example.com \
            --subdomain example --tls-cert fullchain.pem --tls-key privkey.pem
            """)

    @Option(help: "URL by which clients know the server, https.") var baseURL: String
    @Option(help: "Sender of all mails.") var mailFrom: String
    @Option(help: "Mail server: smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT (default: smtp://127.0.0.1:25).")
    var smtp: String?
    @Option(help: "Short name of the tenant, which stands in the addresses that apps call.") var subdomain: String
    @Option(help: "Name of the tenant in mails (default: the subdomain).") var name: String?
    @Option(name: .customLong("tls-cert"), help: "Certificate chain in PEM, the server's own first.")
    var tlsCertificate: String?
    @Option(name: .customLong("tls-key"), help: "Private key of the certificate, in PEM without a passphrase.")
    var tlsKey: String?
    @Flag(help: "A proxy on another machine does TLS; needs --trusted-proxies.") var behindProxy = false
    @Option(help: "Addresses of the proxies in front (default: 127.0.0.1, unless there is --tls-cert).")
    var trustedProxies: String?
    @Option(help: "Address to listen on (default: 127.0.0.1; with --tls-cert 0.0.0.0).") var host: String?
    @Option(help: "Port to listen on (default: 8765; with --tls-cert 443).") var port: Int?
    @Option(help: "Folder for the data (default: /var/lib/native-auth/PORT, which the unit of the package has).")
    var data: String?
    @Option(help: "Database (default: SQLite in the data folder), or postgresql://USER@HOST/DATABASE.")
    var database: String?
    @Option(help: "Port on 127.0.0.1 for the console and operators' daemons.") var operators = 9766
    @Option(help: "Port on 127.0.0.1 for metrics and health checks.") var metricsPort = 9767
    @Option(help: "Folder for the master key and the settings, which exists.") var folder = "/etc/native-auth"

    func run() async throws {
        try await DatabaseLocation.telling {
            let options = options
            let file = SettingsFile(path: folder + "/env")
            try file.check(options)
            let (settings, tenant) = try checked(options)
            let prepared = try await DatabaseLocation.explaining(settings) { try await prepare(settings, tenant) }
            try file.write(options)
            tell(settings, prepared)
        }
    }

    /// The settings of serve, by option, in the order of the file.
    private var options: [(name: String, value: String)] {
        let hasTLS = tlsCertificate != nil || tlsKey != nil
        let port = port ?? (hasTLS ? 443 : 8765)
        let given: [(String, String?)] = [
            ("profile", "production"), ("base-url", baseURL), ("host", host ?? (hasTLS ? "0.0.0.0" : nil)),
            ("port", "\(port)"), ("tls-cert", tlsCertificate.map(absolute)), ("tls-key", tlsKey.map(absolute)),
            ("behind-proxy", behindProxy ? "true" : nil),
            ("trusted-proxies", trustedProxies ?? (hasTLS || behindProxy ? nil : "127.0.0.1")),
            ("data", absolute(data ?? "/var/lib/native-auth/\(port)")), ("database", databaseAddress),
            ("master-key-file", absolute(folder) + "/master.key"),
            ("smtp", smtp ?? Self.environment("SMTP") ?? "smtp://127.0.0.1:25"), ("mail-from", mailFrom),
            ("operators", "\(operators)"), ("metrics-port", "\(metricsPort)"), ("log-format", "json"),
        ]
        return given.compactMap { name, value in value.map { (name, $0) } }
    }

    private var databaseAddress: String? { database ?? Self.environment("DATABASE") }

    private static func environment(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["NATIVE_AUTH_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// - Throws: All that is wrong, of the settings and of the tenant.
    private func checked(_ options: [(name: String, value: String)]) throws(StartFailure) -> (ServeSettings, Tenancy) {
        var problems: [String] = []
        var settings = ServeSettings()
        do {
            settings = try ServeSettings(
                options: Dictionary(uniqueKeysWithValues: options.map { ($0.name, $0.value) }), environment: [:])
        } catch {
            problems += error.problems
        }
        // A domain is a name with a dot; a server of one's own network may have another address.
        let host = URL(string: baseURL)?.host() ?? ""
        let isName = host.contains(".") && host.wholeMatch(of: /[0-9.]+/) == nil
        let text = TenantTemplate.text(
            subdomain: subdomain, domain: isName ? host : "\(subdomain).localdomain",
            displayName: name ?? subdomain)
        do throws(ServeSettings.Invalid) {
            let file = try TenantFile(text, named: "the tenant of --subdomain, --base-url and --name")
            if problems.isEmpty { return (settings, Tenancy(text: text, directory: file.directory)) }
        } catch {
            problems += error.problems
        }
        throw .usage(problems)
    }

    /// The tenant's document.
    private struct Tenancy {
        var text: String
        var directory: TenantDirectory
    }

    /// What the database has now.
    private struct Prepared {
        var directory: TenantDirectory
        /// Whether there were tenants before.
        var isFurther: Bool
        /// Whether there was a master key before.
        var isKeyKnown: Bool
        /// The secret of an owner's invitation; nil when there is an operator.
        var secret: Secret<String>?
    }

    /// Makes the key and the database, or opens those that there are, and invites an owner when there is none.
    private func prepare(_ settings: ServeSettings, _ tenant: Tenancy) async throws -> Prepared {
        // Not made here: its owner and its place are the operator's decision.
        guard FileManager.default.fileExists(atPath: folder) else {
            throw StartFailure.inputOutput("There is no folder \(folder).")
        }
        let keyFolder = try DataFolder(folder)
        let knownKey = try MasterKey.inDataFolder.known(in: keyFolder)
        let store = try await settings.database.open(in: try DataFolder(settings.dataFolder).path)
        let now = (store.clock ?? SystemClock() as any WallClock).now
        let vault = try await IdentityService.vault(
            knownKey, keyFolder, store, settings, randomness: SystemRandomness(), epoch: try await store.epoch(),
            now: now)
        try await IdentityService.mark(store, settings, now: now)
        let document = try await store.tenantDocument()
        if document == nil {
            _ = try await store.apply(
                tenant.text, naming: tenant.directory.entries.map(\.tenant.id), over: 0, at: now)
        }
        var prepared = Prepared(
            directory: try document?.file().directory ?? tenant.directory, isFurther: document != nil,
            isKeyKnown: knownKey != nil)
        let clock: any WallClock = store.clock ?? SystemClock()
        let opened = OpenedDatabase(
            store: store, masterKey: try settings.masterKey.load(in: settings.dataFolder), vault: vault, clock: clock,
            ring: KeyRing(store: store, vault: vault, clock: clock, randomness: SystemRandomness()), document: document,
            directory: prepared.directory, tenants: prepared.directory.entries.map(\.tenant), now: now,
            isSQLite: settings.database.path(in: settings.dataFolder) != nil)
        let operators = try opened.operators()
        // Also beside an earlier invitation, whose secret may be lost.
        if try await operators.all().isEmpty {
            prepared.secret = try await operators.invite(.owner, as: .command, now: now)
        }
        try await store.close()
        return prepared
    }

    private func tell(_ settings: ServeSettings, _ prepared: Prepared) {
        say(
            """
            \(prepared.isKeyKnown ? "uses " : "wrote") \(folder)/master.key: keep a copy where no copy of the database is
            wrote \(folder)/env: the settings of this server
            """)
        if prepared.isFurther { say("The database has tenants already; --subdomain and --name were not used.") }
        for entry in prepared.directory.entries {
            say("tenant \(settings.baseURL ?? "")/\(entry.tenant.subdomain), with the client ids of its applications:")
            for client in entry.applications {
                let method = client.userFlow.method == .emailPassword ? "a password" : "a code by mail"
                say("  \(client.id)  \(client.displayName): \(method)")
            }
        }
        say(
            """

            Start and check the server:
              systemctl enable --now native-auth@\(settings.port)
              native-authctl doctor server
            """)
        guard let secret = prepared.secret else { return }
        say(
            """
            Invite another owner later, or when this invitation has ended:
              native-authctl operator invite --role owner
            Open http://127.0.0.1:\(operators)/console/invitation on this machine within 30 minutes, and enter:
              \(secret.reveal())
            """)
    }
}
