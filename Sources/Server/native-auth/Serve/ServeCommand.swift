import ArgumentParser
import IdentityEngine
import IdentityHTTP
import IdentityTracing
import Logging
import Metrics
import NativeAuthCore
import PortableFoundation
import Tracing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `native-auth serve`: runs the identity server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the identity server.",
        discussion: """
            Without options: profile development on http://127.0.0.1:8765, data under ./.native-auth/, mail in the \
            development inbox. Each option can also be given in the environment as NATIVE_AUTH_ and its name in capitals, \
            such as NATIVE_AUTH_PORT. In the environment only: NATIVE_AUTH_RESOURCE_SERVER_SECRETS, AUDIENCE=SECRET for each \
            resource server that may ask about tokens (RFC 7662), with blanks between, and NATIVE_AUTH_MASTER_KEY, the master key in base64, the same for \
            all servers of one database.
            """)

    @Option(help: "Address to listen on (default: 127.0.0.1).") var host: String?
    @Flag(
        help: """
            Development on the local network: listen on this machine's address there, with a certificate of its own, and ask for a \
            code before the inbox.
            """)
    var lan = false
    @Option(
        name: .customLong("tls-cert"),
        help: "Certificate chain in PEM for TLS, the server's own first; read again when it changes (default: no TLS).")
    var tlsCertificate: String?
    @Option(name: .customLong("tls-key"), help: "Private key of the certificate, in PEM without a passphrase.")
    var tlsKey: String?
    @Option(help: "Port to listen on; 0 takes any free one (default: 8765).") var port: String?
    @Option(help: "URL by which clients know the server (default: http://HOST:PORT, with TLS https).") var baseURL:
        String?
    @Option(help: "Folder for database and master key (default: ./.native-auth).") var data: String?
    @Option(
        help: """
            Database: sqlite:PATH (default: identity.sqlite in the data folder), or postgresql://USER@HOST/DATABASE, which \
            many servers may share.
            """)
    var database: String?
    @Option(help: "Connections to PostgreSQL, 1 to 200 (default: 10).") var databaseConnections: String?
    @Option(help: "required or unsafe: whether PostgreSQL must keep all it acknowledged (default: required).")
    var durability: String?
    @Option(help: "File with the master key, 32 bytes (default: master.key of the data folder, made if all is new).")
    var masterKeyFile: String?
    @Option(help: "Mail server: smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT.") var smtp: String?
    @Option(name: .customLong("smtp-ca-file"), help: "Certificates (PEM) to trust for the mail server.")
    var smtpCAFile: String?
    @Option(
        help: """
            Gateway for text messages: https://ACCOUNT:SECRET@HOST, which speaks the messages API of Twilio; better given as \
            NATIVE_AUTH_SMS (default: none, in development the inbox).
            """)
    var sms: String?
    @Option(name: .customLong("sms-from"), help: "Number, name or messaging service that texts come from.")
    var smsFrom: String?
    @Option(help: "Sender of all mails (default: no-reply@ and the tenant's domain).") var mailFrom: String?
    @Option(help: "Tenant file, YAML (default: the development tenant).") var config: String?
    @Option(help: "development or production (default: development).") var profile: String?
    @Option(help: "development or production: whether limits that count over time apply (default: as the profile).")
    var limits: String?
    @Option(
        help: "Proxies whose X-Forwarded-For is believed: addresses and ranges, with commas between (default: none).")
    var trustedProxies: String?
    @Flag(
        help: """
            A proxy in front does TLS: only requests that come from --trusted-proxies and say X-Forwarded-Proto: https are \
            answered.
            """)
    var behindProxy = false
    @Option(help: "Networks without limits per source, in the same form (default: none).") var unlimitedNetworks:
        String?
    @Option(
        name: .customLong("hook-networks"),
        help: "Networks with private addresses that hooks may reach, in the same form (default: none).")
    var hookNetworks: String?
    @Option(
        help:
            "Passwords hashed at once, 1 to twice the number of cores; each takes 19 MiB (default: the number of cores)."
    )
    var hashThreads: String?
    @Option(name: .customLong("hook-ca-file"), help: "Certificates (PEM) to trust for the receivers of hooks.")
    var hookCAFile: String?
    @Option(
        help: """
            Host names that may show the development inbox besides this machine's own, with commas between (default: none); a \
            tunnel's name makes all codes public.
            """)
    var inboxHosts: String?
    @Option(help: "trace, debug, info, notice, warning, error or critical (default: info).") var logLevel: String?
    @Option(help: "text or json: how log lines look (default: text).") var logFormat: String?
    @Option(help: "Port for Prometheus metrics, at /metrics, and for health checks (default: none).")
    var metricsPort: String?
    @Option(help: "Address of --metrics-port, plain HTTP for a network of your own (default: 127.0.0.1).")
    var operationsHost: String?
    @Option(
        help:
            "Where traces are sent: a collector's URL for OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces (default: none)."
    )
    var traces: String?
    @Option(help: "Part of the traces that begin here which is recorded, from 0 to 1 (default: 1).") var traceShare:
        String?
    @Option(
        help: """
            Where the console and operators' daemons (/graph) are: a port for a listener of its own, shared for the listener of \
            apps, or off (default: off, in development shared).
            """)
    var operators: String?
    @Option(
        help: """
            Address of the listener that --operators names by its port; beyond this machine it needs what --host needs, and has \
            the same certificate or proxy (default: 127.0.0.1).
            """)
    var operatorsHost: String?
    @Option(
        name: .customLong("operators-url"),
        help: """
            URL by which operators know that listener (default: http://HOST:PORT; beyond this machine https, and the host of \
            --base-url).
            """)
    var operatorsURL: String?
    @Option(
        help:
            "Seconds for which /readyz fails before a server that was asked to stop does (default: 3, in development 0)."
    )
    var drain: String?
    @Option(
        help: """
            Whether to start when the clock is behind the database's last entry: checked (no, the default) or accepted.
            """)
    var clock: String?
    @Option(
        name: .customLong("fixed-code"), help: "The code of every flow, 8 digits, for measurements; development only.")
    var fixedCode: String?

    func run() async throws {
        do {
            let settings: ServeSettings
            do {
                let given = try ServeSettings(options: options, environment: ProcessInfo.processInfo.environment)
                settings = try await given.onLocalNetwork()
            } catch let invalid as ServeSettings.Invalid {
                throw StartFailure.usage(invalid.problems)
            }
            let output = LogOutput(settings.logFormat) { Terminal.write($0, to: STDERR_FILENO) }
            var logger = Logger(label: "native-auth", factory: { _ in LogLines(to: output) { SystemClock().now } })
            logger.logLevel = settings.logLevel
            let metrics = settings.metricsPort.map { _ in PrometheusMetrics() }
            if let metrics { MetricsSystem.bootstrap(metrics) }
            let exporter = settings.traces.map { SpanExporter(to: $0, logger: logger) }
            if let exporter {
                InstrumentationSystem.bootstrap(OTLPTracer(exporter, share: settings.traceShare))
            }
            let result: Result<Void, StartFailure>
            do {
                let service = try await IdentityService(
                    settings, logger: logger, metrics: metrics, exporter: exporter)
                try await service.run { address in
                    if settings.profile == .development {
                        say(ServeBanner(settings: settings, address: address).text(for: service.tenants.directory))
                    }
                    await ListenerPorts.waitForOthers(settings)
                    say("ready \(address.listening)")
                    ServiceNotice.ready()
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await output.flush()
            try result.get()
        } catch let failure as StartFailure {
            for sentence in failure.sentences { Terminal.complain("native-auth: \(sentence)") }
            throw ExitCode(failure.exitCode)
        }
    }

    private var options: [String: String] {
        let given: [(String, String?)] = [
            ("host", host), ("lan", lan ? "true" : nil), ("port", port), ("tls-cert", tlsCertificate),
            ("tls-key", tlsKey),
            ("behind-proxy", behindProxy ? "true" : nil), ("base-url", baseURL), ("data", data), ("database", database),
            ("database-connections", databaseConnections), ("durability", durability),
            ("master-key-file", masterKeyFile),
            ("smtp", smtp), ("sms", sms), ("sms-from", smsFrom),
            ("smtp-ca-file", smtpCAFile), ("mail-from", mailFrom), ("config", config), ("profile", profile),
            ("limits", limits), ("trusted-proxies", trustedProxies),
            ("unlimited-networks", unlimitedNetworks), ("hook-networks", hookNetworks),
            ("hash-threads", hashThreads), ("hook-ca-file", hookCAFile), ("inbox-hosts", inboxHosts),
            ("log-level", logLevel),
            ("log-format", logFormat),
            ("metrics-port", metricsPort), ("operations-host", operationsHost), ("traces", traces),
            ("trace-share", traceShare), ("operators", operators),
            ("operators-host", operatorsHost), ("operators-url", operatorsURL),
            ("drain", drain), ("clock", clock),
            ("fixed-code", fixedCode),
        ]
        return Dictionary(uniqueKeysWithValues: given.compactMap { name, value in value.map { (name, $0) } })
    }
}
