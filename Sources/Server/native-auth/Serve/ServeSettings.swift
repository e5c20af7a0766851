import IdentityEngine
import IdentityHTTP
import IdentityMail
import IdentityStorePostgres
import IdentityTLS
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
    /// Whether phones in the same room reach the server: `--lan` (design record 0031). ``onLocalNetwork()`` finds the address.
    private(set) var isOnLocalNetwork = false
    /// `--host` of a server on the local network.
    private var localAddress: String?
    private(set) var localNetwork: LocalNetwork?
    /// The files of the certificate, by option.
    private var tlsFiles: [(option: String, path: String)] = []
    /// Whether a certificate or a key was given, also one that cannot be used.
    private var hasTLSOption = false
    /// The path of the certificate chain.
    var certificateFile: String? { tlsFiles.first?.path }
    /// Nil: plain HTTP.
    var certificate: ListenerCertificate?
    /// Whether only requests of trusted proxies that came by https are answered (`SEC-NET-3`).
    var isBehindProxy = false
    /// The port; 0 takes any free port.
    var port = 8765
    /// The base URL for clients and tokens; nil: that of the listener.
    var baseURL: String?
    var dataFolder = "./.native-auth"
    var database = DatabaseAddress.sqlite(path: nil)
    var masterKey = MasterKey.inDataFolder
    /// Nil: a built-in receiver on loopback, which discards mail after the inbox has it.
    var smtpURL: String?
    var smtpCAFile: String?
    /// The gateway for texts; nil: in development texts are shown in the inbox, else there are none.
    var textGateway: TextGatewayAddress?
    /// The number or name that texts come from.
    var textSender: String?
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
    /// The port of the metrics; nil: no metrics. 0: any free port.
    var metricsPort: Int?
    var operationsHost = "127.0.0.1"
    /// Where spans are sent: a collector's address for OTLP over HTTP; nil: requests are not traced.
    var traces: String?
    /// The part of the traces that begin here which is recorded, from 0 to 1.
    var traceShare = 1.0
    /// Networks whose machines hooks may reach, though their addresses are not public (`SEC-NET-13`).
    var hookNetworks = NetworkList()
    /// Certificates in PEM that receivers of hooks are checked against, in place of the system's.
    var hookCAFile: String?
    /// How many passwords are hashed at once; nil: one for each core (`SEC-PWD-8`).
    var hashThreads: Int?
    /// Where operators call the directory (`SEC-ADM-2`).
    var operators = OperatorAccess.off
    /// The address of the operators' listener, when it has a port of its own.
    var operatorsHost = "127.0.0.1"
    /// The URL by which operators know their listener, without a slash at its end; nil: made of host and port.
    private var operatorsURL: String?

    enum OperatorAccess: Hashable {
        /// Nowhere.
        case off
        /// On a listener of its own, at this port. 0: any free port.
        case port(Int)
        /// On the listener of apps.
        case shared
    }

    /// All faults, one sentence each.
    struct Invalid: Error {
        var problems: [String]
    }

    init() {}

    /// - Parameters:
    ///   - options: The values of the command line, by the names of the options without their dashes.
    ///   - environment: The process's environment.
    /// - Throws: ``Invalid`` with all problems together.
    init(options: [String: String], environment: [String: String]) throws(Invalid) {
        var reader = SettingsReader(options: options, environment: environment)
        profile = reader.choice("profile", profile)
        limits = reader.choice("limits", profile == .production ? .production : .development)
        clock = reader.choice("clock", clock)
        logLevel = reader.choice("log-level", logLevel)
        logFormat = reader.choice("log-format", logFormat)
        isOnLocalNetwork = reader.value("lan", mustBe: "true or false") { ["true": true, "false": false][$0] } ?? false
        localAddress = reader.text("host")
        host = localAddress ?? host
        dataFolder = reader.text("data") ?? dataFolder
        baseURL = reader.text("base-url")
        port = reader.number("port", in: 0...65_535) ?? port
        metricsPort = reader.number("metrics-port", in: 0...65_535)
        operators =
            reader.value("operators", mustBe: "a port, shared or off") { given in
                switch given {
                case "off": OperatorAccess.off
                case "shared": .shared
                case _: Int(given).flatMap { (0...65_535).contains($0) ? .port($0) : nil }
                }
            } ?? (profile == .production ? .off : isOnLocalNetwork ? .port(port == 0 ? 0 : port % 65_535 + 1) : .shared)
        drain = reader.number("drain", in: 0...60, of: " of seconds") ?? (profile == .production ? 3 : 0)
        fixedCode = reader.value("fixed-code", mustBe: "8 digits") { given in
            let isCode = given.utf8.count == 8 && given.utf8.allSatisfy { (0x30...0x39).contains($0) }
            return isCode ? Secret(given) : nil
        }
        traces = reader.value("traces", mustBe: "an http or https URL, such as http://127.0.0.1:4318/v1/traces") {
            given in
            guard let url = URL(string: given), ["http", "https"].contains(url.scheme), url.host() != nil,
                url.user() == nil
            else { return nil }
            return given
        }
        traceShare =
            reader.value("trace-share", mustBe: "a number from 0 to 1") { given in
                Double(given).flatMap { (0...1).contains($0) ? $0 : nil }
            } ?? traceShare
        if traces == nil, reader.text("trace-share") != nil {
            reader.problems.append("--trace-share is given without --traces.")
        }
        let durability = readDatabase(&reader)
        readMasterKey(&reader)
        readNetwork(&reader)
        readResourceServers(&reader)
        readMail(&reader)
        readTexts(&reader)
        readTenants(&reader)
        let problems = reader.unknownVariables(environment) + reader.problems + productionProblems(durability)
        guard problems.isEmpty else { throw Invalid(problems: problems) }
    }

    private mutating func readDatabase(_ reader: inout SettingsReader) -> Durability {
        let rule = "sqlite:PATH or postgresql://USER:PASSWORD@HOST/DATABASE"
        if let address = reader.value("database", mustBe: rule, DatabaseAddress.init) { database = address }
        let durability = reader.choice("durability", Durability.required)
        let connections = reader.number("database-connections", in: 1...200) ?? 10
        if case .postgres(let place, var postgres) = database {
            postgres.connections = connections
            postgres.allowsUnsafeDurability = durability == .unsafe
            database = .postgres(place, postgres)
        }
        return durability
    }

    private mutating func readMasterKey(_ reader: inout SettingsReader) {
        let file = reader.text("master-key-file")
        if let file { masterKey = .file(file) }
        let rule = "32 random bytes in base64, as openssl rand -base64 32 gives"
        let key = reader.value("master-key", mustBe: rule, as: "NATIVE_AUTH_MASTER_KEY") { given in
            Data(base64Encoded: given).flatMap { $0.count == 32 && MasterKey.isRandom($0) ? $0 : nil }
        }
        if let key { masterKey = .given(Secret(key)) }
        if reader.text("master-key") != nil, file != nil {
            reader.problems.append("NATIVE_AUTH_MASTER_KEY and --master-key-file are both given; one key is needed.")
        }
    }

    private mutating func readNetwork(_ reader: inout SettingsReader) {
        let rule = "an http or https URL without a slash at its end"
        _ = reader.value("base-url", mustBe: rule, Self.address)
        if let networks = reader.networks("trusted-proxies") { trustedProxies = TrustedProxies(networks) }
        if let networks = reader.networks("unlimited-networks") { unlimitedNetworks = networks }
        if let networks = reader.networks("hook-networks") { hookNetworks = networks }
        hashThreads = reader.number("hash-threads", in: 1...2 * ProcessInfo.processInfo.activeProcessorCount)
        hookCAFile = reader.text("hook-ca-file")
        if let hookCAFile, let reason = FileAccess.obstacle(toReading: hookCAFile) {
            reader.problems.append("--hook-ca-file \(SettingsReader.shown(hookCAFile)) cannot be read: \(reason).")
        }
        readListener(&reader)
        readOperators(&reader)
        let names = reader.value(
            "inbox-hosts", mustBe: "host names with commas between, without ports"
        ) { given in
            let names = given.split(separator: ",", omittingEmptySubsequences: false).map { $0.lowercased() }
            return names.allSatisfy { $0.wholeMatch(of: /[a-z0-9.:-]{1,255}/) != nil } ? Set(names) : nil
        }
        if let names { inboxHosts = names }
    }

    /// `SEC-NET-3`: beyond this machine, requests come over TLS, ours or that of a proxy.
    private mutating func readListener(_ reader: inout SettingsReader) {
        if let given = reader.text("operations-host") {
            operationsHost = given
            if metricsPort == nil { reader.problems.append("--operations-host is given without --metrics-port.") }
        }
        isBehindProxy =
            reader.value("behind-proxy", mustBe: "true or false") { ["true": true, "false": false][$0] } ?? false
        if isBehindProxy, trustedProxies.networks.isEmpty {
            reader.problems.append(
                "--behind-proxy needs --trusted-proxies: the address of the proxy, such as 10.0.0.7.")
        }
        hasTLSOption = reader.text("tls-cert") != nil || reader.text("tls-key") != nil
        switch (reader.text("tls-cert"), reader.text("tls-key")) {
        case (let chain?, let key?):
            tlsFiles = [("tls-cert", chain), ("tls-key", key)]
            do {
                certificate = try ListenerCertificate(certificates: chain, key: key)
            } catch {
                reader.problems.append("--tls-cert and --tls-key: \(error.sentence).")
            }
            if isBehindProxy {
                reader.problems.append("--behind-proxy is for a proxy that does TLS; leave it or --tls-cert out.")
            }
        case (nil, nil): break
        case (_?, nil): reader.problems.append("--tls-cert is given without --tls-key.")
        case (nil, _?): reader.problems.append("--tls-key is given without --tls-cert.")
        }
        guard !isOnLocalNetwork else { return checkLocalNetwork(&reader) }
        if profile == .production, operators == .shared, !Self.isLoopback(host) {
            // There they are protected by the name that a request uses, which anyone on the network can choose.
            reader.problems.append(
                "--operators shared is for a listener on this machine; give operators a port of their own.")
        }
        checkProtection(of: host, "host", &reader)
    }

    /// Notes a problem when a listener at this address is reached from other machines without protection.
    private func checkProtection(of host: String, _ option: String, _ reader: inout SettingsReader) {
        guard !Self.isLoopback(host) else { return }
        let shown = SettingsReader.shown(host)
        if profile == .development {
            // The inbox shows all codes, and the console asks for no sign-in.
            let hint = option == "host" ? " For a phone in the same room there is --lan." : ""
            reader.problems.append(
                "--\(option) is “\(shown)”; the development profile listens on this machine only: 127.0.0.1, ::1 or localhost.\(hint)"
            )
        } else if !hasTLSOption, !isBehindProxy {
            reader.problems.append(
                """
                --\(option) is “\(shown)”; beyond this machine the server needs TLS: --tls-cert and --tls-key, or a proxy that does \
                it, with --behind-proxy and --trusted-proxies.
                """)
        }
    }

    /// The server has an address, a certificate and a base URL of its own there.
    private func checkLocalNetwork(_ reader: inout SettingsReader) {
        guard profile == .development else {
            reader.problems.append("--lan is for the development profile only.")
            return
        }
        for (name, isGiven) in [
            ("base-url", baseURL != nil), ("tls-cert", hasTLSOption), ("behind-proxy", isBehindProxy),
            ("inbox-hosts", reader.text("inbox-hosts") != nil),
        ] where isGiven {
            reader.problems.append("--lan and --\(name) are both given; --lan has its own address and certificate.")
        }
        if operators == .shared {
            // The console of the development profile asks for no sign-in.
            reader.problems.append(
                "--operators shared is for a listener on this machine; with --lan give operators a port of their own.")
        }
        if let localAddress, !LocalNetwork.isLocal(localAddress) {
            reader.problems.append(
                """
                --host is “\(SettingsReader.shown(localAddress))”; with --lan it must be this machine's address in a private network, such as \
                192.168.1.7.
                """)
        }
    }

    /// These settings with address and certificate for the local network; the same where `--lan` is not given.
    func onLocalNetwork() async throws(StartFailure) -> ServeSettings {
        guard isOnLocalNetwork else { return self }
        let network = try await LocalNetwork(
            host: localAddress, dataFolder: dataFolder, randomness: SystemRandomness(), now: SystemClock().now)
        var settings = self
        settings.host = network.address
        settings.certificate = network.certificate
        settings.inboxHosts = [network.address]
        settings.localNetwork = network
        return settings
    }

    /// `SEC-ADM-2`: beyond this machine, operators' requests are protected as those of apps.
    private mutating func readOperators(_ reader: inout SettingsReader) {
        let given = reader.text("operators-host")
        if let given { operatorsHost = given }
        operatorsURL = reader.value(
            "operators-url", mustBe: "an http or https URL with a host alone, without a slash at its end"
        ) { given in
            Self.address(given).flatMap { $0.path().isEmpty ? given : nil }
        }
        guard case .port = operators else {
            let options = [(given, "host"), (operatorsURL, "url")].filter { $0.0 != nil }.map { "--operators-\($0.1)" }
            if let first = options.first {
                reader.problems.append("\(first) is given, and --operators has no port.")
            }
            return
        }
        checkProtection(of: operatorsHost, "operators-host", &reader)
        if areOperatorsRemote, operatorsURL?.hasPrefix("http:") == true {
            reader.problems.append(
                "--operators-url must begin with https://: the listener is not on this machine alone.")
        }
    }

    /// Whether the operators' listener is reached from other machines.
    var areOperatorsRemote: Bool {
        guard case .port = operators else { return false }
        return !Self.isLoopback(operatorsHost)
    }

    /// The URL by which operators know their listener at `port`. Beyond this machine it has the name of the base URL, unless
    /// another one is given.
    func operatorsURL(port: Int) -> String {
        if let operatorsURL { return operatorsURL }
        let name = baseURL.flatMap { URL(string: $0)?.host() }
        if areOperatorsRemote, let name { return "https://\(name):\(port)" }
        return "http://\(operatorsHost.contains(":") ? "[\(operatorsHost)]" : operatorsHost):\(port)"
    }

    /// An address without path's end, query, fragment and user; nil when the text is none.
    private static func address(_ given: String) -> URL? {
        guard let url = URL(string: given), let scheme = url.scheme, ["http", "https"].contains(scheme),
            url.host() != nil, !given.hasSuffix("/"), url.query() == nil, url.fragment() == nil, url.user() == nil
        else { return nil }
        return url
    }

    private static func isLoopback(_ host: String) -> Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

    private mutating func readResourceServers(_ reader: inout SettingsReader) {
        if profile == .development { resourceServers = .development }
        guard let given = reader.text("resource-server-secrets") else { return }
        do throws(ResourceServers.Invalid) {
            resourceServers = try ResourceServers(given, needsStrongSecrets: profile == .production)
        } catch {
            reader.problems += error.problems.map { "NATIVE_AUTH_RESOURCE_SERVER_SECRETS: \($0)." }
        }
    }

    private mutating func readMail(_ reader: inout SettingsReader) {
        smtpURL = reader.text("smtp")
        smtpCAFile = reader.text("smtp-ca-file")
        mailFrom = reader.text("mail-from")
        if let smtpURL {
            do {
                _ = try SMTPTransport(url: smtpURL, caFile: smtpCAFile)
            } catch {
                reader.problems.append("--smtp is not usable: \(error)")
            }
        } else if smtpCAFile != nil {
            reader.problems.append("--smtp-ca-file is given without --smtp.")
        }
        guard let mailFrom else { return }
        do {
            guard try MailAddress(mailFrom).canSend else { throw MailFormatError.address }
        } catch {
            let shown = SettingsReader.shown(mailFrom)
            reader.problems.append("--mail-from is “\(shown)”; it must be an e-mail address.")
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private mutating func readTexts(_ reader: inout SettingsReader) {
        textGateway = reader.value(
            "sms", mustBe: "https://ACCOUNT:SECRET@HOST, with plain http for this machine alone",
            TextGatewayAddress.init)
        textSender = reader.value(
            "sms-from",
            mustBe:
                "a number such as +15555550100, a name of 1 to 11 letters and digits, or the id of a messaging service"
        ) { text in
            let isName =
                (1...11).contains(text.utf8.count) && text.utf8.allSatisfy { $0 == 0x20 || Self.isAlphanumeric($0) }
            let isService =
                text.hasPrefix("MG") && text.utf8.count == 34 && text.utf8.allSatisfy(Self.isAlphanumeric)
            let isNumber = text.hasPrefix("+") && (4...16).contains(text.utf8.count) && Int(text.dropFirst()) != nil
            return isName || isService || isNumber ? text : nil
        }
        if (reader.text("sms") == nil) != (reader.text("sms-from") == nil) {
            reader.problems.append("--sms and --sms-from belong together.")
        }
    }

    private mutating func readTenants(_ reader: inout SettingsReader) {
        guard let path = reader.text("config") else { return }
        hasTenantFile = true
        do {
            let file = try TenantFile.read(path)
            (directory, tenantWarnings) = (file.directory, file.warnings)
        } catch {
            reader.problems.append(contentsOf: error.problems)
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
        // Without TLS a proxy is in front. Unless the proxy is trusted, all clients are one source: an attacker's guesses
        // would lock every owner out (SEC-LOCK-3).
        if !hasTLSOption, !isBehindProxy, trustedProxies.networks.isEmpty {
            problems.append(
                "--profile production needs --tls-cert and --tls-key, or --trusted-proxies: the address of the proxy in front, such as 127.0.0.1."
            )
        }
        // A client in such a network could name any address as its own (SEC-NET-2).
        for (option, networks) in [
            ("trusted-proxies", trustedProxies.networks), ("unlimited-networks", unlimitedNetworks),
            ("hook-networks", hookNetworks),
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
        var files: [(option: String, path: String)] = []
        if case .sqlite(let path?) = database { files.append(("database", path)) }
        if case .file(let path) = masterKey { files.append(("master-key-file", path)) }
        let exposed =
            [("data", dataFolder, PrivateFolders.exposed(on: dataFolder))]
            + (files + tlsFiles).map { ($0.option, $0.path, PrivateFolders.exposed(onTheWayTo: $0.path)) }
        return exposed.compactMap { option, path, folder in
            folder.map { folder in
                """
                --\(option) \(SettingsReader.shown(path)): others may change the folder \(SettingsReader.shown(folder)), and put another database, \
                key or certificate there; it must belong to you or root, and be writable by its owner alone (chmod go-w).
                """
            }
        }
    }
}
