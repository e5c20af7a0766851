import ArgumentParser
import IdentityHooks
import NativeAuthCore
import PortableFoundation

/// `native-auth probe`: asks a server whether it is ready, for health checks in containers without a shell.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Ask the server of this machine whether it is ready.",
        discussion: """
            Asks for /readyz, at the listener of metrics when there is one, otherwise at that of apps. The address is that of the \
            server's settings in the environment: NATIVE_AUTH_METRICS_PORT and NATIVE_AUTH_OPERATIONS_HOST, or NATIVE_AUTH_HOST, \
            NATIVE_AUTH_PORT and NATIVE_AUTH_TLS_CERT. Of a server on this machine no certificate is checked, since nothing \
            secret is sent; of another one it is.

            Exit code: 0 when the server is ready, 1 when it is not or does not answer, 64 for a wrong command line or setting.
            """)

    @Option(help: "Address of another server, http://HOST:PORT or https://HOST:PORT (default: by the settings).")
    var url: String?
    @Option(help: "Seconds to wait for the answer, from 1 to 60.") var timeout = 5

    func validate() throws {
        guard (1...60).contains(timeout) else { throw ValidationError("--timeout is a number from 1 to 60.") }
    }

    func run() async throws {
        let place: ReadinessQuestion
        do throws(ServeSettings.Invalid) {
            place =
                if let url {
                    try ReadinessQuestion(url: url)
                } else {
                    try ReadinessQuestion(environment: ProcessInfo.processInfo.environment)
                }
        } catch {
            for problem in error.problems { Terminal.complain("native-auth: \(problem)") }
            throw ExitCode(64)
        }
        let (isReady, sentence) = await place.ask(timeout: timeout)
        guard isReady else {
            Terminal.complain("native-auth: \(sentence)")
            throw ExitCode.failure
        }
        print(sentence)
    }
}

/// Where to ask a server for its readiness.
struct ReadinessQuestion: Hashable, Sendable {
    /// Scheme, host and port, without a slash at the end.
    let address: String
    /// Whether the server is one of this machine, which need not prove its name.
    let isLocal: Bool

    /// Asks once.
    ///
    /// - Parameter timeout: In seconds.
    /// - Returns: Whether the server is ready, and a sentence about it.
    func ask(timeout: Int) async -> (isReady: Bool, sentence: String) {
        let http = OutgoingHTTP(allowsHTTP: true, checksCertificates: !isLocal, mayDial: { _ in true })
        let request = OutgoingHTTP.Request(
            url: "\(address)/readyz", headers: [], body: nil, timeout: timeout * 1_000)
        do {
            return switch try await http.send(request).status {
            case 200: (true, "The server at \(address) is ready.")
            case 503: (false, "The server at \(address) is not ready: see its log, and the database.")
            case let status: (false, "The program at \(address) answers \(status): it is no server of native-auth.")
            }
        } catch {
            return switch error {
            case .timedOut: (false, "The server at \(address) does not answer within \(timeout) seconds.")
            case .unreachable where !isLocal && address.hasPrefix("https:"):
                (false, "The server at \(address) does not answer, or its certificate is not valid for this name.")
            case .unreachable, .forbiddenAddress: (false, "No server answers at \(address).")
            case .tooLarge: (false, "The program at \(address) is no server of native-auth: its answer is too long.")
            }
        }
    }
}

extension ReadinessQuestion {
    /// - Parameter url: An address without path, query, fragment and user.
    /// - Throws: A sentence when the text is none.
    init(url: String) throws(ServeSettings.Invalid) {
        let given = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard let parsed = URL(string: given), let scheme = parsed.scheme, ["http", "https"].contains(scheme),
            let host = parsed.host(), parsed.path().isEmpty, parsed.query() == nil, parsed.fragment() == nil,
            parsed.user() == nil
        else {
            throw ServeSettings.Invalid(problems: [
                "--url is “\(SettingsReader.shown(url))”; it must be http or https with a host, such as http://127.0.0.1:9765."
            ])
        }
        (address, isLocal) = (given, Authority.isLoopback(host.lowercased()))
    }

    /// The address of the server that has the settings of this environment.
    ///
    /// - Throws: Sentences when a setting is not usable, or the port is not known before the start.
    init(environment: [String: String]) throws(ServeSettings.Invalid) {
        var reader = SettingsReader(options: [:], environment: environment)
        let metrics = reader.number("metrics-port", in: 0...65_535)
        let operations = reader.text("operations-host") ?? "127.0.0.1"
        let (host, port) = (reader.text("host") ?? "127.0.0.1", reader.number("port", in: 0...65_535) ?? 8765)
        let isSecured = metrics == nil && reader.text("tls-cert") != nil
        if (metrics ?? port) == 0 {
            reader.problems.append(
                "--\(metrics == nil ? "port" : "metrics-port") is 0, any free port; give the address with --url.")
        }
        guard reader.problems.isEmpty else { throw ServeSettings.Invalid(problems: reader.problems) }
        let name = ListenerPorts.reachable(metrics == nil ? host : operations)
        address = "\(isSecured ? "https" : "http")://\(name.contains(":") ? "[\(name)]" : name):\(metrics ?? port)"
        isLocal = true
    }
}
