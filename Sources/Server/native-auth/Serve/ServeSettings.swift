import Configuration
import IdentityEngine
import IdentityHTTP
import IdentityMail
import IdentityStorePostgres
import Logging
import NativeAuthCore
import PortableFoundation

/// The validated settings of a server. Every value comes from the command line, from the environment variable with the
/// same name in capitals and the prefix `NATIVE_AUTH_`, or from the default.
struct ServeSettings: Sendable {
    enum Profile: String, CaseIterable, Sendable {
        /// Loopback only, visible inbox, fast start.
        case development
        /// Refuses every convenience of development.
        case production
    }

    enum Limits: String, CaseIterable, Sendable {
        /// Limits over time are off; limits per code and flow apply.
        case development
        case production
    }

    /// Whether PostgreSQL must keep acknowledged commits after a power failure (`REL-TX-2`).
    enum Durability: String, CaseIterable, Sendable {
        case required
        case unsafe
    }

    /// The reaction to a clock that is behind the database's last line.
    enum ClockCheck: String, CaseIterable, Sendable {
        /// The server does not start.
        case checked
        /// The server starts, and expired values may become valid again.
        case accepted
    }

    var profile = Profile.development
    var limits = Limits.development
    var host = "127.0.0.1"
    /// The port; 0 takes any free port.
    var port = 8765
    /// The base URL for clients and tokens; nil: `http://HOST:PORT`.
    var baseURL: String?
    var dataFolder = "./.native-auth"
    var database = DatabaseAddress.sqlite(path: nil)
    var masterKey = MasterKey.inDataFolder
    /// Nil: a built-in receiver on loopback, which discards mail after the inbox has it.
    var smtpURL: String?
    var smtpCAFile: String?
    var mailFrom: String?
    /// The proxies whose `X-Forwarded-For` is trusted; none by default (`SEC-NET-2`).
    var trustedProxies = TrustedProxies()
    /// The networks without limits per source (`SEC-RATE-11`).
    var unlimitedNetworks = NetworkList()
    /// The host names in lower case, besides the names of loopback, that requests for the development inbox may use;
    /// the inbox shows the codes of all users.
    var inboxHosts: Set<String> = []
    /// The resource servers that may introspect tokens, each with its secret; nil: none. Read only from the
    /// environment, because process lists show command lines.
    var resourceServers: ResourceServers?
    /// The tenants of `--config`, or the development tenant; used until the database has a document.
    var directory = TenantDirectory.development
    var hasTenantFile = false
    /// Warnings for the operator about the file of `--config`, one sentence each.
    var tenantWarnings: [String] = []
    var logLevel = Logger.Level.info
    var logFormat = LogFormat.text
    /// How many seconds `/readyz` fails before the listener closes, so that a proxy detects it (`REL-SHUT-1`).
    var drain = 0
    var clock = ClockCheck.checked
    /// The code of every flow, for measurements; development profile only.
    var fixedCode: Secret<String>?
    /// The loopback port of the metrics; nil: no metrics. 0: any free port.
    var metricsPort: Int?

    /// All faults, one sentence each.
    struct Invalid: Error {
        var problems: [String]
    }

    private static let secrets: Set<String> = ["smtp", "resource-server-secrets", "database", "master-key"]

    init() {}

    /// - Parameters:
    ///   - options: The values of the command line, by the names of the options without their dashes.
    ///   - environment: The process's environment.
    /// - Throws: ``Invalid`` with all problems together.
    init(options: [String: String], environment: [String: String]) throws(Invalid) {
        var given: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, value) in options {
            given[AbsoluteConfigKey(Self.key(name))] = ConfigValue(
                .string(value), isSecret: Self.secrets.contains(name))
        }
        let config = ConfigReader(providers: [
            InMemoryProvider(name: "command line", values: given),
            EnvironmentVariablesProvider(environmentVariables: environment),
        ])
        var problems: [String] = []
        var known: Set<String> = []
        func text(_ name: String) -> String? {
            known.insert("NATIVE_AUTH_" + name.uppercased().replacing("-", with: "_"))
            return config.string(forKey: Self.key(name), isSecret: Self.secrets.contains(name))
        }
        func choice<Value: RawRepresentable & CaseIterable>(
            _ name: String, _ fallback: Value
        ) -> Value where Value.RawValue == String {
            guard let given = text(name) else { return fallback }
            guard let value = Value(rawValue: given) else {
                let choices = Value.allCases.map(\.rawValue).joined(separator: ", ")
                problems.append("--\(name) is “\(Self.shown(given))”; it must be one of: \(choices).")
                return fallback
            }
            return value
        }

        func number(_ name: String, in range: ClosedRange<Int>, of unit: String = "") -> Int? {
            guard let given = text(name) else { return nil }
            if let number = Int(given), range.contains(number) { return number }
            problems.append(
                """
                --\(name) is “\(Self.shown(given))”; it must be a number\(unit) from \(range.lowerBound) to \
                \(range.upperBound).
                """)
            return nil
        }

        profile = choice("profile", profile)
        limits = choice("limits", profile == .production ? .production : .development)
        clock = choice("clock", clock)
        logLevel = choice("log-level", logLevel)
        logFormat = choice("log-format", logFormat)
        host = text("host") ?? host
        dataFolder = text("data") ?? dataFolder
        smtpURL = text("smtp")
        smtpCAFile = text("smtp-ca-file")
        mailFrom = text("mail-from")
        baseURL = text("base-url")
        port = number("port", in: 0...65_535) ?? port
        metricsPort = number("metrics-port", in: 0...65_535)
        drain = number("drain", in: 0...60, of: " of seconds") ?? (profile == .production ? 3 : 0)
        if let given = text("fixed-code") {
            if given.utf8.count == 8, given.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                fixedCode = Secret(given)
            } else {
                problems.append("--fixed-code must be 8 digits.")
            }
        }
        if let given = text("database") {
            if let address = DatabaseAddress(given) {
                database = address
            } else {
                // Do not print the value: a URL may contain a password.
                problems.append("--database must be sqlite:PATH or postgresql://USER:PASSWORD@HOST/DATABASE.")
            }
        }
        let durability = choice("durability", Durability.required)
        let connections = number("database-connections", in: 1...200) ?? 10
        if case .postgres(let place, var postgres) = database {
            postgres.connections = connections
            postgres.allowsUnsafeDurability = durability == .unsafe
            database = .postgres(place, postgres)
        }
        if let file = text("master-key-file") { masterKey = .file(file) }
        if let given = text("master-key") {
            if let bytes = Data(base64Encoded: given), bytes.count == 32, MasterKey.isRandom(bytes) {
                masterKey = .given(Secret(bytes))
            } else {
                problems.append(
                    "NATIVE_AUTH_MASTER_KEY must be 32 random bytes in base64, as openssl rand -base64 32 gives.")
            }
            if text("master-key-file") != nil {
                problems.append("NATIVE_AUTH_MASTER_KEY and --master-key-file are both given; one key is needed.")
            }
        }
        if let given = baseURL {
            if let url = URL(string: given), let scheme = url.scheme, ["http", "https"].contains(scheme),
                url.host() != nil,
                !given.hasSuffix("/"), url.query() == nil, url.fragment() == nil, url.user() == nil
            {
                baseURL = given
            } else {
                problems.append(
                    "--base-url is “\(Self.shown(given))”; it must be an http or https URL without a slash at its end.")
            }
        }
        if let given = text("trusted-proxies") {
            do {
                trustedProxies = TrustedProxies(try NetworkList(given))
            } catch {
                problems.append("--trusted-proxies is “\(Self.shown(given))”; \(error.sentence).")
            }
        }
        if let given = text("unlimited-networks") {
            do {
                unlimitedNetworks = try NetworkList(given)
            } catch {
                problems.append("--unlimited-networks is “\(Self.shown(given))”; \(error.sentence).")
            }
        }
        if let given = text("inbox-hosts") {
            let names = given.split(separator: ",", omittingEmptySubsequences: false).map { $0.lowercased() }
            if names.allSatisfy({ $0.wholeMatch(of: /[a-z0-9.:-]{1,255}/) != nil }) {
                inboxHosts = Set(names)
            } else {
                problems.append(
                    "--inbox-hosts is “\(Self.shown(given))”; it must be host names with commas between, without ports."
                )
            }
        }
        if profile == .development { resourceServers = .development }
        if let given = text("resource-server-secrets") {
            do throws(ResourceServers.Invalid) {
                resourceServers = try ResourceServers(given, needsStrongSecrets: profile == .production)
            } catch {
                problems += error.problems.map { "NATIVE_AUTH_RESOURCE_SERVER_SECRETS: \($0)." }
            }
        }
        if !["127.0.0.1", "::1", "localhost"].contains(host) {
            problems.append(
                "--host is “\(Self.shown(host))”; the server speaks plain HTTP, so it listens on 127.0.0.1, ::1 or localhost only. Put a TLS proxy in front."
            )
        }
        if let smtpURL {
            do {
                _ = try SMTPTransport(url: smtpURL, caFile: smtpCAFile)
            } catch {
                problems.append("--smtp is not usable: \(error)")
            }
        } else if smtpCAFile != nil {
            problems.append("--smtp-ca-file is given without --smtp.")
        }
        if let mailFrom {
            do {
                _ = try MailAddress(mailFrom)
            } catch {
                problems.append("--mail-from is “\(Self.shown(mailFrom))”; it must be an e-mail address.")
            }
        }
        if let path = text("config") {
            hasTenantFile = true
            do {
                let file = try TenantFile.read(path)
                (directory, tenantWarnings) = (file.directory, file.warnings)
            } catch {
                problems.append(contentsOf: error.problems)
            }
        }
        problems.append(contentsOf: productionProblems(durability))
        problems.insert(contentsOf: Self.unknownVariables(environment, known: known), at: 0)
        guard problems.isEmpty else { throw Invalid(problems: problems) }
    }

    /// A sentence for each variable of this package that no setting has read: it is a mistake. The SDK reads
    /// `NATIVE_AUTH_EMULATOR`.
    private static func unknownVariables(_ environment: [String: String], known: Set<String>) -> [String] {
        environment.keys.sorted().compactMap { name in
            guard name.hasPrefix("NATIVE_AUTH_"), name != "NATIVE_AUTH_EMULATOR", !known.contains(name) else {
                return nil
            }
            let successor =
                name == "NATIVE_AUTH_RESOURCE_SERVER_SECRET"
                ? " NATIVE_AUTH_RESOURCE_SERVER_SECRETS, AUDIENCE=SECRET for each API, is in its place." : ""
            return "The environment variable \(shown(name)) is not known.\(successor)"
        }
    }

    /// `SEC-PRF-1`: production refuses every convenience of development, and names the setting.
    private func productionProblems(_ durability: Durability) -> [String] {
        guard profile == .production else { return [] }
        var problems: [String] = []
        if smtpURL == nil {
            problems.append("--profile production needs --smtp: its own mail receiver is for development.")
        }
        if mailFrom == nil { problems.append("--profile production needs --mail-from.") }
        if baseURL?.hasPrefix("https://") != true {
            problems.append("--profile production needs --base-url with https://.")
        }
        // The listener is on loopback, so a proxy is in front. Unless the proxy is trusted, all clients are one source:
        // an attacker's guesses would lock every owner out (SEC-LOCK-3).
        if trustedProxies.networks.isEmpty {
            problems.append(
                "--profile production needs --trusted-proxies: the address of the proxy in front, such as 127.0.0.1.")
        }
        // A client in such a network could name any address as its own (SEC-NET-2).
        for (option, networks) in [
            ("trusted-proxies", trustedProxies.networks), ("unlimited-networks", unlimitedNetworks),
        ] where networks.coversHalf {
            problems.append(
                """
                --\(option) covers half or more of IPv4, of IPv6, or of the part of IPv6 that is in use, and so strangers; \
                name single machines or networks of yours.
                """
            )
        }
        problems.append(contentsOf: exposedFolders())
        if durability == .unsafe { problems.append("--durability unsafe is for the development profile only.") }
        if fixedCode != nil { problems.append("--fixed-code is for the development profile only.") }
        if !inboxHosts.isEmpty { problems.append("--inbox-hosts is for the development profile only.") }
        if limits != .production { problems.append("--limits development is for the development profile only.") }
        if logLevel < .info { problems.append("--log-level \(logLevel) is for the development profile only.") }
        return problems
    }

    /// A sentence for each data folder that another user of the machine can change.
    private func exposedFolders() -> [String] {
        var folders = [("data", dataFolder)]
        if case .sqlite(let path?) = database {
            folders.append(("database", path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."))
        }
        if case .file(let path) = masterKey {
            folders.append(("master-key-file", path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."))
        }
        return folders.compactMap { option, path in
            PrivateFolders.exposed(on: path).map { folder in
                """
                --\(option) \(Self.shown(path)): others may change the folder \(Self.shown(folder)), and put another database \
                or key there; it must belong to you or root, and be writable by its owner alone (chmod go-w).
                """
            }
        }
    }

    private static func key(_ name: String) -> ConfigKey {
        ConfigKey(["native", "auth"] + name.split(separator: "-").map(String.init))
    }

    /// A value for an error text: short, and without control characters.
    private static func shown(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(80).map(Character.init))
    }
}
