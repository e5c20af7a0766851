import NativeAuth
import NativeAuthCore
import PortableFoundation

/// Tests a configuration against its server. It sends GET for the documents, and the first request of each flow with
/// names that no account has: no server creates an account or sends a mail for these.
struct ServerCheck {
    let configuration: NativeAuthConfiguration
    let email: String?
    let createsSignUp: Bool
    /// An address that browsers come back to; nil when the app opens none.
    let redirect: String?

    /// Not an e-mail address, so that no sign-up begins with it. A server may check the name before the app; then the
    /// sign-in shows whether it accepts the app.
    private static let impossibleName = "no e-mail address"
    /// A name in a domain that cannot exist (RFC 2606), so that no account has it and no mail can reach it.
    private static let unknownName = "doctor-\(UUID().uuidString.prefix(8).lowercased())@native-auth.invalid"

    /// Whether the server runs on this machine.
    private var isHere: Bool { Authority.isLoopback(configuration.authority.url.host()?.lowercased() ?? "") }

    func check(_ tell: @escaping (Finding) -> Void) async {
        if await checkServer(Notebook(area: .server, tell: tell)) {
            let notes = Notebook(area: .application, tell: tell)
            await checkApplication(notes)
            if let redirect {
                await RedirectCheck(configuration: configuration, redirect: redirect).check(notes)
            }
        }
        await checkDevelopmentServer(Notebook(area: .developmentServer, tell: tell))
    }

    // MARK: Documents

    private struct Discovery: Decodable {
        let issuer: String
        let tokenEndpoint: String
        let jwksUri: String
    }

    private struct Keys: Decodable {
        struct Key: Decodable { let kty: String }
        let keys: [Key]
    }

    private struct Refusal: Decodable {
        let error: String
        let errorCodes: [Int]?
    }

    /// - Returns: Whether a server of this protocol with this tenant answered.
    private func checkServer(_ notes: Notebook) async -> Bool {
        let authority = configuration.authority
        let response: TransportResponse
        do {
            response = try await get(authority.endpoint("v2.0/.well-known/openid-configuration"))
        } catch {
            let condition = ClientCondition(transport: error)
            let remedy = ErrorRemedy(condition)
            let isPlain = isHere && condition == .tlsMissing
            notes.problem(
                "connection", "\(authority.environment): \(remedy.cause)",
                isPlain ? "Write http in front: native-auth serve encrypts only with --tls-cert." : remedy.remedy)
            return false
        }
        let isEncrypted = authority.url.scheme == "https"
        notes.ok(
            "connection",
            "\(authority.environment) answers\(isEncrypted ? ", and its certificate is trusted" : "")")

        guard response.status == 200, let discovery: Discovery = Self.read(response) else {
            let (text, remedy) = Self.explain(response)
            notes.problem("discovery", text, remedy)
            return false
        }
        notes.ok("discovery", "issuer \(discovery.issuer)")
        checkEndpoints(of: discovery, notes)
        await checkKeys(discovery.jwksUri, notes)
        if let date = response.headers["date"].flatMap(HTTPDate.parse) {
            let seconds = Int(date.timeIntervalSince(configuration.now()).rounded())
            if abs(seconds) <= 60 {
                notes.ok("clock", "the server's and that of this machine agree")
            } else {
                notes.hint(
                    "clock",
                    "The server's is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") that of this machine.",
                    "Set both by the network; tokens are valid by the server's clock.")
            }
        }
        return true
    }

    private func checkEndpoints(
        of discovery: Discovery, _ notes: Notebook
    ) {
        let authority = configuration.authority
        let tenantID = discovery.issuer.split(separator: "/").lazy.compactMap { ClientID(String($0)) }.first
        if let tenantID, tenantID == ClientID(configuration.clientID) {
            notes.problem(
                "client id", "It is the id of the tenant.",
                "Take the “Application (client) ID” of the app's registration, not the “Directory (tenant) ID”.")
        }
        if let url = URL(string: discovery.tokenEndpoint), authority.sharesOrigin(with: url) {
            notes.ok("endpoints", "at this address" + (tenantID.map { ", tenant id \($0)" } ?? ""))
        } else {
            notes.hint(
                "endpoints", "The server calls itself \(discovery.tokenEndpoint).",
                "Use that address in the authority, or give the server its own with --base-url.")
        }
    }

    private func checkKeys(
        _ address: String, _ notes: Notebook
    ) async {
        let remedy = "APIs check tokens with them: see that \(Terminal.harmless(address)) can be read."
        guard let url = URL(string: address) else {
            notes.problem("keys", "Their address is not a URL.", remedy)
            return
        }
        do {
            let response = try await get(url)
            let keys: Keys? = Self.read(response)
            switch keys?.keys.count ?? 0 {
            case 0: notes.problem("keys", "There are none (status \(response.status)).", remedy)
            case 1: notes.ok("keys", "1 to check tokens with")
            case let count: notes.ok("keys", "\(count) to check tokens with")
            }
        } catch {
            notes.problem("keys", ErrorRemedy(ClientCondition(transport: error)).cause, remedy)
        }
    }

    private func get(_ url: URL) async throws -> TransportResponse {
        try await configuration.transport.send(
            TransportRequest(method: "GET", url: url, headers: ["accept": "application/json"], body: Data()))
    }

    private static func read<Value: Decodable>(_ response: TransportResponse) -> Value? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(Value.self, from: response.body)
        } catch {
            // Another service answered; ``explain(_:)`` names it.
            return nil
        }
    }

    /// A description of an answer that is not the document.
    private static func explain(_ response: TransportResponse) -> (text: String, remedy: String) {
        if let refusal: Refusal = read(response) {
            let details = ErrorDetails(
                correlationID: UUID(), errorCodes: refusal.errorCodes ?? [], error: refusal.error)
            if let remedy = ErrorRemedy(for: details) { return (remedy.sentence, remedy.remedy) }
        }
        if (300..<400).contains(response.status) {
            let remedy = ErrorRemedy(.answerRedirects)
            return ("\(remedy.cause) (\(response.headers["location"] ?? "\(response.status)"))", remedy.remedy)
        }
        let type = response.headers["content-type"].map { $0.prefix { $0 != ";" } } ?? "nothing readable"
        return (
            "The answer is \(type) with status \(response.status), not the document of a tenant.",
            ErrorRemedy(.answerUnreadable).remedy
        )
    }

    // MARK: Flows

    private func checkApplication(_ notes: Notebook) async {
        for flow in Probe.Start.allCases {
            let name = flow == .signUp ? Self.impossibleName : Self.unknownName
            do throws(NativeAuthError) {
                switch try await Probe(configuration).start(flow, username: name) {
                case .redirect(let reason):
                    let (text, remedy) = try await explainRedirect(reason, of: flow, for: name)
                    notes.problem(flow.title, text, remedy)
                case .accepted: notes.ok(flow.title, "the server would continue")
                case .refused(let details) where flow == .signUp && details.isAboutUsername:
                    notes.ok(flow.title, "the server refuses a name that is no e-mail address, as it should")
                case .refused(let details) where details.isUserNotFound:
                    notes.ok(flow.title, "the server refuses an unknown name, as it should")
                case .refused(let details) where flow == .resetPassword && details.errorCodes.contains(500_222):
                    notes.hint(
                        flow.title, "There is none for this app, or for users without a password.",
                        "Nothing, for an app with one-time passcodes; else enable password reset in the tenant.")
                case .refused(let details) where details.suberror == "nativeauthapi_disabled":
                    tellPagesOnly(flow.title, details, notes)
                    return
                case .refused(let details):
                    // This fault affects all flows: it is about the app or the tenant.
                    notes.problem(flow.title, ErrorRemedy(for: details), details)
                    return
                }
            } catch {
                notes.problem(flow.title, ErrorRemedy(for: error), error.details)
                return
            }
        }
        guard let email else { return }
        if createsSignUp {
            await beginSignUp(email, notes)
        } else {
            await lookUp(email, notes)
        }
    }

    /// An application for the web has no native authentication, and needs none.
    private func tellPagesOnly(_ about: String, _ details: ErrorDetails, _ notes: Notebook) {
        guard redirect == nil else {
            return notes.hint(
                about, "Native authentication is off for this application: users sign in at the server's pages alone.",
                "Nothing, for an application of the web; else enable native authentication.")
        }
        let remedy = ErrorRemedy(for: details)
        notes.problem(
            about, remedy?.sentence ?? "Native authentication is not enabled for the application.",
            "\(remedy?.remedy ?? "Enable it.") An application of the web needs none: pass its redirect address as --redirect."
        )
    }

    /// The capability that the server misses, as far as another request shows it.
    private func explainRedirect(
        _ reason: String?, of flow: Probe.Start, for name: String
    ) async throws(NativeAuthError) -> (text: String, remedy: String) {
        let text = "The server sends people to a browser" + (reason.map { ": “\($0)”." } ?? ".")
        var generous = configuration
        generous.challengeTypes = [.oneTimePasscode, .password]
        if configuration.challengeTypes != generous.challengeTypes {
            let result = try await Probe(generous).start(flow, username: name)
            if case .redirect = result {
            } else {
                return (text, "List both oob and password as challenge types.")
            }
        }
        return (text, ErrorRemedy(ClientCondition(redirectReason: reason)).remedy)
    }

    // MARK: A user

    private func lookUp(_ email: String, _ notes: Notebook) async {
        do throws(NativeAuthError) {
            switch try await Probe(configuration).start(.signIn, username: email) {
            case .accepted: notes.ok("user", "\(email) can begin to sign in")
            case .redirect(let reason):
                let (text, remedy) = try await explainRedirect(reason, of: .signIn, for: email)
                notes.problem("user", "\(email): \(text)", remedy)
            case .refused(let details) where details.isUserNotFound:
                notes.hint("user", "No user signs in as \(email).", "Sign up with it first, or --create to try that.")
            case .refused(let details):
                notes.problem("user", ErrorRemedy(for: details), details)
            }
        } catch {
            notes.problem("user", ErrorRemedy(for: error), error.details)
        }
    }

    /// The only check with an effect: it causes a mail.
    private func beginSignUp(_ email: String, _ notes: Notebook) async {
        do {
            let inbox = try await inbox()
            let known = try await inbox?.mails() ?? []
            let code = try await NativeAuthClient(configuration).startSignUp(username: email).code
            notes.ok("sign-up begun", "a code of \(code.length) characters is on its way to \(code.sentTo)")
            guard let inbox else { return }
            _ = try await inbox.mail(to: code.sentTo, of: email, after: known)
            notes.ok("mail", "the code is in the inbox, \(inbox.page)")
        } catch let error as NativeAuthError {
            if case .userAlreadyExists = error {
                notes.hint("sign-up begun", "\(email) has an account.", "Try another address.")
            } else {
                notes.problem("sign-up begun", ErrorRemedy(for: error), error.details)
            }
        } catch {
            let sentence = (error as? InboxReader.Failure)?.sentence ?? "\(error)"
            notes.problem("mail", sentence, "See the server's log, and its option --smtp.")
        }
    }

    // MARK: Development server

    /// The inbox of a server on this machine, when it has one.
    private func inbox() async throws(InboxReader.Failure) -> InboxReader? {
        guard isHere else { return nil }
        let scheme = configuration.authority.url.scheme ?? "http"
        return try await InboxReader.find(at: "\(scheme)://\(configuration.authority.environment)")
    }

    private func checkDevelopmentServer(_ notes: Notebook) async {
        do {
            guard let inbox = try await inbox(), let home = URL(string: inbox.baseURL + "/") else { return }
            notes.ok("inbox", inbox.page)
            let page = String(decoding: try await get(home).body, as: UTF8.self)
            // The rows of the home page: client ID, and the sign-in method.
            let rows = page.matches(of: /<tr><td><code>([0-9a-f-]{36})<\/code><\/td><td>([^<]*)<\/td>/)
                .map { Terminal.harmless("\($0.output.1): \($0.output.2)") }
            if !rows.isEmpty { notes.ok("applications", rows.joined(separator: "\n")) }
        } catch {
            // There is no server, which was already reported.
        }
    }
}

extension Probe.Start {
    fileprivate var title: String {
        switch self {
        case .signUp: "sign-up"
        case .signIn: "sign-in"
        case .resetPassword: "password reset"
        }
    }
}

extension ErrorDetails {
    fileprivate var isUserNotFound: Bool { error == "user_not_found" || errorCodes.contains(50_034) }
}
