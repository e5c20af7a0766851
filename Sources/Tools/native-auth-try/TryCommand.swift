import ArgumentParser
import NativeAuth
import NativeAuthCore
import PortableFoundation
import UnixSignals

/// `native-auth-try`: the sample app of the tutorials, in a terminal. It uses the SDK over HTTP, as an app does.
@main
struct TryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "native-auth-try", abstract: "Sign up, sign in and more, as a user of your app would.",
        discussion: """
            Without options: starts a development server and offers what an app offers: to sign up, to sign in, to reset \
            the password, to call an API. What is given as an option is not asked for.

            With --script nothing is asked. Alone it signs up and prints one fact per line; with --flow it plays a flow \
            and prints what a person would see. Either way the last line is “signed in as …”, \
            but after --flow account, which deletes the account.
              native-auth-try --script --code-from-inbox
              native-auth-try --script --code-from-inbox --password 'Blue-42-Kayak' --attribute city=Oslo
              native-auth-try --script --code-from-inbox --flow sign-in-mfa --prepare --password 'Blue-42-Kayak'
              native-auth-try --script --code-from-inbox --flow reset --prepare --password 'Blue-42-Kayak' \
            --new-password 'Red-17-Canoe'
              native-auth-try --script --code-from-inbox --flow account --prepare --password 'Blue-42-Kayak' \
            --attribute city=Oslo
              native-auth-try --script --code-from-inbox --flow methods --prepare --password 'Blue-42-Kayak'
            """,
        version: ProductVersion.current)

    @Option(help: "URL of a running server (default: a development server is started, and ends with this command).")
    var server: String?
    @Option(help: "Folder for the data of the started server (default: ./.native-auth).") var data: String?
    @Option(help: "Mail server of the started server, smtp://HOST:PORT; also NATIVE_AUTH_SMTP (default: its own).")
    var smtp: String?
    @Option(help: "Tenant: its domain, subdomain or id.") var tenant = "contoso.onmicrosoft.com"
    @Option(
        name: .customLong("client-id"),
        help: "Application (default: the development tenant's password app with a password, else its passcode app).")
    var clientID: String?
    @Flag(help: "Ask nothing; any error ends it with exit code 1.") var script = false
    @Option(help: "What to begin with; with --script, what to play.") var flow: TryFlow?
    @Flag(help: "Sign the user of --flow up first, and register a second factor for sign-in-mfa.") var prepare = false
    @Option(help: "E-mail address (default with --script: a fresh one, to sign up with).") var email: String?
    @Option(help: "Password; other users of this machine can see it in the process list.")
    var password: String?
    @Option(name: .customLong("new-password"), help: "Password to set in a reset.") var newPassword: String?
    @Option(help: "Second name, to sign up with or to sign in by.") var alias: String?
    @Option(name: .customLong("attribute"), help: "Attribute as name=value; may be repeated.")
    var attributes: [String] = []
    @Flag(help: "Take the code from the server's development inbox.") var codeFromInbox = false
    @Option(help: "The code, where it is known beforehand.") var code: String?

    func run() async throws {
        do {
            try await run(try plan(environment: ProcessInfo.processInfo.environment))
        } catch let wrong as WrongUsage {
            for sentence in wrong.sentences { Self.complain(sentence) }
            // As sysexits.h has it, and `native-auth`.
            throw ExitCode(64)
        } catch let end as TryEnd {
            Self.complain(end.sentence)
            throw ExitCode(1)
        }
    }

    /// What is wrong with the options, a sentence each.
    private struct WrongUsage: Error {
        let sentences: [String]
    }

    private static func complain(_ sentence: String) {
        Terminal.complain("native-auth-try: \(sentence)")
    }

    // MARK: Plan

    private func plan(environment: [String: String]) throws(WrongUsage) -> TryPlan {
        var problems: [String] = []
        var plan = TryPlan(
            server: .running(""), isScript: script, flow: flow, form: SignUpForm(),
            questions: SignUpForm.Question.all,
            codes: .dialog, isPrepared: prepare)

        if let email {
            if let hint = TryWords.hint(forEmail: email) {
                problems.append("--email is “\(shown(email))”. \(hint)")
            }
            plan.form.email = email
            plan.questions.remove(.email)
        } else if script, flow ?? .signUp == .signUp || prepare {
            plan.form.email = "try-\(Self.freshHex())@example.com"
        }
        if let password {
            if password.isEmpty { problems.append("--password is empty; leave it out to go without one.") }
            plan.form.password = Secret(password)
            plan.questions.remove(.password)
        }
        plan.newPassword = newPassword.map { Secret($0) }
        if let alias {
            if alias.isEmpty { problems.append("--alias is empty; leave it out to sign up without one.") }
            plan.form.alias = alias
            plan.questions.remove(.alias)
        }
        for text in attributes {
            guard let (name, value) = TerminalDialog.attribute(text) else {
                problems.append("--attribute is “\(shown(text))”; it must be name=value.")
                continue
            }
            if plan.form.attributeValues[name] != nil { problems.append("--attribute \(shown(name)) is given twice.") }
            plan.form.attributes[name] = value
            plan.questions.remove(.attributes)
        }
        if let clientID, ClientID(clientID) == nil {
            problems.append("--client-id is “\(shown(clientID))”; it must be a UUID.")
        }
        if let code {
            if code.isEmpty { problems.append("--code is empty.") }
            if codeFromInbox { problems.append("--code and --code-from-inbox are both given; choose one.") }
            plan.codes = .given(Secret(code))
        } else if codeFromInbox {
            plan.codes = .inbox
        } else if script {
            problems.append("--script needs --code-from-inbox, or --code CODE.")
        }

        problems += problemsWithFlow()
        if flow == .methods, clientID != nil {
            problems.append("--flow methods is about the development tenant; leave --client-id out.")
        }
        // The dialog asks for other attributes when the server requires them.
        if script { plan.questions = [.email, .password, .alias] }

        if let server {
            plan.server = .running(server.hasSuffix("/") ? String(server.dropLast()) : server)
            if data != nil { problems.append("--data is for a server that this command starts; leave --server out.") }
            if smtp != nil { problems.append("--smtp is for a server that this command starts; leave --server out.") }
            if let url = URL(string: server), !["", "/"].contains(url.path()) || url.query() != nil {
                problems.append("--server is “\(shown(server))”; it must end after the host and port (see --tenant).")
            } else {
                problems += problem(withServer: server)
            }
        } else {
            plan.server = .own(OwnServer.Settings(data: data, smtp: smtp, environment: environment))
        }
        if tenant.isEmpty || !tenant.utf8.allSatisfy(Self.isTenantByte) {
            problems.append("--tenant is “\(shown(tenant))”; it must be a domain, a subdomain or a UUID.")
        }
        guard problems.isEmpty else { throw WrongUsage(sentences: problems) }
        return plan
    }

    /// The options that `--flow` lacks or conflicts with.
    private func problemsWithFlow() -> [String] {
        var problems: [String] = []
        if newPassword?.isEmpty == true { problems.append("--new-password is empty.") }
        if newPassword != nil, flow != .reset { problems.append("--new-password is for --flow reset.") }
        guard let flow, script else {
            if prepare { problems.append("--prepare is for --script with --flow.") }
            return problems
        }
        if prepare {
            if flow == .signUp { problems.append("--prepare makes a user, and so does --flow sign-up; choose one.") }
            if !codeFromInbox { problems.append("--prepare needs --code-from-inbox.") }
            if password == nil, flow != .signIn {
                problems.append("--flow \(flow.rawValue) is about a user with a password; --prepare needs --password.")
            }
        } else if flow != .signUp, email == nil, alias == nil {
            problems.append("--flow \(flow.rawValue) needs --email or --alias, or --prepare to make a user.")
        }
        if flow == .reset, newPassword == nil { problems.append("--flow reset needs --new-password.") }
        return problems
    }

    private func problem(withServer server: String) -> [String] {
        guard let url = URL(string: server) else {
            return ["--server is “\(shown(server))”; it must be a URL such as http://127.0.0.1:8765."]
        }
        do throws(AuthorityError) {
            _ = try Authority.normalised(url)
            return []
        } catch {
            switch error {
            case .insecure:
                return ["--server is “\(shown(server))”; it must be https, or http to this machine."]
            case .containsCredentials: return ["--server holds a user name or password; leave it out."]
            case .malformed, .invalidSubdomain, .missingTenant:
                return ["--server is “\(shown(server))”; it must be a URL such as http://127.0.0.1:8765."]
            }
        }
    }

    private static func isTenantByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        case _: false
        }
    }

    private static func freshHex() -> String {
        (0..<8).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    }

    private func shown(_ text: String) -> String {
        String(Terminal.harmless(text).prefix(80))
    }

    // MARK: Run

    /// The event that ended the command.
    private enum Ending {
        case done
        case ended(TryEnd)
        case interrupted(UnixSignal)
        case serverStopped
    }

    private func run(_ plan: TryPlan) async throws {
        switch plan.server {
        case .running(let baseURL): try await run(plan, at: baseURL)
        case .own(let settings):
            let server = try OwnServer(settings)
            guard let baseURL = await server.baseURL else {
                // It has said why.
                let status = await server.status
                if status == Self.unavailable {
                    Self.complain(
                        "If a server uses the data, use that one: --server http://127.0.0.1:8765; else take another folder"
                            + " with --data.")
                }
                throw ExitCode(status == 0 ? 1 : status)
            }
            try await run(plan, at: baseURL, server, ownData: settings.dataFolder)
        }
    }

    /// The exit code of a server that finds its database or its port taken (sysexits.h).
    private static let unavailable: Int32 = 69

    /// Talks until the person leaves, the script has ended, or something stops it.
    private func run(
        _ plan: TryPlan, at baseURL: String, _ server: OwnServer? = nil, ownData: String? = nil
    ) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let ending = await withTaskGroup(of: Ending.self) { group in
            group.addTask {
                for await signal in signals { return .interrupted(signal) }
                return .ended(.endOfInput)
            }
            if let server {
                group.addTask {
                    _ = await server.status
                    return .serverStopped
                }
            }
            group.addTask {
                do throws(TryEnd) {
                    try await converse(plan, at: baseURL, ownData: ownData)
                    return .done
                } catch {
                    return .ended(error)
                }
            }
            let ending = await group.next() ?? .ended(.endOfInput)
            group.cancelAll()
            await server?.stop()
            return ending
        }
        switch ending {
        case .done: return
        case .ended(let end): throw end
        case .serverStopped: throw TryEnd.hopeless("The server stopped.")
        case .interrupted(let signal):
            Self.complain("Stopped.")
            // What a shell makes of a program that such a signal ended.
            throw ExitCode(signal == .sigint ? 130 : 143)
        }
    }

    private func converse(_ plan: TryPlan, at baseURL: String, ownData: String?) async throws(TryEnd) {
        guard let url = URL(string: "\(baseURL)/\(tenant)") else { throw .hopeless("\(baseURL) is not a URL.") }
        let authority: Authority
        do throws(AuthorityError) {
            authority = try Authority(url: url)
        } catch {
            throw .hopeless("\(baseURL)/\(shown(tenant)) is not the address of a tenant.")
        }
        let isHere = Authority.isLoopback(url.host()?.lowercased() ?? "")
        let isDevelopment = ownData != nil || isHere
        let inbox = try await TryEnd.reading { () async throws(InboxReader.Failure) in
            isDevelopment ? try await InboxReader.find(at: baseURL) : nil
        }
        let place = TryPlace(
            baseURL: baseURL, authority: authority, tenant: tenant, clientID: clientID, inbox: inbox, ownData: ownData)
        if script {
            try await play(plan, at: place)
        } else {
            let terminal = TerminalDialog(keyboard: PersonalKeyboard())
            var conversation = TryConversation(place: place, dialog: terminal, codes: plan.codes)
            try await conversation.converse(plan, at: terminal)
        }
    }

    private func play(_ plan: TryPlan, at place: TryPlace) async throws(TryEnd) {
        let dialog: any TryDialog =
            flow == nil ? ScriptDialog() : TerminalDialog(keyboard: ScriptedKeyboard(plan: plan))
        var conversation = TryConversation(place: place, dialog: dialog, codes: plan.codes)
        dialog.introduce(place)
        let flow = flow ?? .signUp
        if plan.isPrepared {
            var preparation = TryConversation(place: place, dialog: ScriptDialog(isQuiet: true), codes: plan.codes)
            do throws(TryEnd) {
                try await preparation.prepare(for: flow, plan)
            } catch {
                guard case .failed(let sentence) = error else { throw error }
                throw .failed("The user of the flow could not be made. \(sentence)")
            }
            say("")
            let what = flow == .signInWithSecondFactor ? "signed up, with a second factor," : "signed up"
            say("\(plan.form.email) was made for this: \(what) and signed out again.")
        }
        try await conversation.play(flow, plan)
        if let account = conversation.account { say("signed in as \(Terminal.harmless(account.username))") }
    }
}
