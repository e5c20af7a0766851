import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// A browser at the console: keeps the cookie, and sends forms with the fields that their page has.
struct ConsoleVisitor {
    let server: IdentityTestServer
    let console: Console
    let transport: InProcessTransport
    var cookie: String?

    /// - Parameter like: Another visitor of the same console; nil: of a console of its own.
    init(
        _ server: IdentityTestServer, isDevelopment: Bool = false, like other: ConsoleVisitor? = nil,
        within policy: AccessPolicy = AccessPolicy(), peer: IPAddress? = nil
    ) throws {
        self.server = server
        let store = server.consoleStore
        let rotated = Locked<[TenantID]>([])
        let editor = TestEditor(directory: try TestDirectory.directory())
        console =
            other?.console
            ?? Console(
                engine: server.engine,
                operators: Operators(beside: server.engine, store: store, baseURL: "https://operators.test"),
                store: store, tenants: { editor.directory },
                facts: {
                    [.init("Health", "Database", "takes writes", .good), .init("This node", "Version", "1 & <2>")]
                },
                keys: Console.Keys(
                    list: { tenant in
                        rotated.withLock { $0 }.filter { $0 == tenant }.map { _ in
                            .init(id: "key", algorithm: "ES256", state: .next, date: IdentityTestServer.start)
                        }
                    }, announce: { tenant, _ in rotated.withLock { $0.append(tenant) } }),
                editor: editor,
                mailSamples: { _, _ in
                    [
                        .init(
                            purpose: .signUp, occasion: "Sign-up", subject: "Code & more", text: "1 < 2",
                            html: "<p>1 &lt; 2</p>")
                    ]
                },
                isDevelopment: isDevelopment, appBaseURL: "https://identity.test", baseURL: "https://operators.test")
        transport = InProcessTransport(
            routes: IdentityRoutes(
                engine: server.engine, clock: ManualWallClock(manual: server.clock),
                readiness: Readiness(flows: server.engine.ports.flows),
                listener: .operators(store, baseURL: "https://operators.test"), console: console),
            within: policy, peer: peer)
    }

    func send(
        _ method: String, _ path: String, _ form: FormFields? = nil, headers: [String: String] = [:]
    ) async throws -> WireAnswer {
        let client = WireClient(transport: transport)
        var fields = headers
        if let cookie { fields["cookie"] = "other=1; console=\(cookie)" }
        if form != nil, fields["content-type"] == nil { fields["content-type"] = "application/x-www-form-urlencoded" }
        return try await client.send(
            client.request(method, path, headers: fields, body: Data((form?.encoded ?? "").utf8)))
    }

    func get(_ path: String) async throws -> WireAnswer { try await send("GET", path) }

    /// The value of a hidden field of the page.
    static func hidden(_ name: String, in answer: WireAnswer) -> String? {
        let page = String(decoding: answer.body, as: UTF8.self)
        guard let begin = page.firstRange(of: "name=\"\(name)\" value=\"") else { return nil }
        return String(page[begin.upperBound...].prefix { $0 != "\"" })
    }

    /// Opens the page, and sends its form with these fields.
    func submit(_ page: String, to path: String? = nil, _ fields: [(String, String)]) async throws -> WireAnswer {
        let shown = try await get(page)
        #expect(cookie != nil || shown.headers["set-cookie"] == nil, "open the page first")
        var form = FormFields()
        form.append("form", Self.hidden("form", in: shown))
        if let version = Self.hidden("version", in: shown) { form.append("version", version) }
        for (name, value) in fields { form.append(name, value) }
        return try await send("POST", path ?? page, form)
    }

    /// Enters the code of the page that an answer is.
    mutating func enter(code: String, on answer: WireAnswer) async throws -> WireAnswer {
        var form = FormFields()
        form.append("form", Self.hidden("form", in: answer))
        form.append("flow", Self.hidden("flow", in: answer))
        form.append("code", code)
        let entered = try await send("POST", "/console/code", form)
        take(entered)
        return entered
    }

    /// Opens a page where a sign-in begins, which gives a new browser its cookie.
    mutating func open(_ page: String) async throws { take(try await get(page)) }

    mutating func take(_ answer: WireAnswer) {
        guard let field = answer.headers["set-cookie"], field.hasPrefix("console=") else { return }
        let value = String(field.dropFirst("console=".count).prefix { $0 != ";" })
        cookie = value.isEmpty ? nil : value
    }

    /// Uses an invitation; the answer is that of the last step.
    @discardableResult
    mutating func accept(
        _ secret: Secret<String>, _ email: String, name: String = "Olga"
    ) async throws -> WireAnswer {
        try await open("/console/invitation")
        let asked = try await submit(
            "/console/invitation",
            [("secret", secret.reveal()), ("email", email), ("name", name), ("password", WireClient.password)])
        guard Self.hidden("flow", in: asked) != nil else { return asked }
        return try await enter(code: try await server.mailbox.code(to: email), on: asked)
    }

    @discardableResult
    mutating func signIn(_ email: String, password: String = WireClient.password) async throws -> WireAnswer {
        try await open("/console/sign-in")
        let asked = try await submit(
            "/console/sign-in", [("email", email), ("password", password), ("next", "/console/server")])
        guard Self.hidden("flow", in: asked) != nil else { return asked }
        return try await enter(code: try await server.mailbox.code(to: email), on: asked)
    }

    /// Another browser, of an operator who was just invited with this role.
    func invited(_ role: OperatorRole) async throws -> ConsoleVisitor {
        var visitor = try ConsoleVisitor(server, like: self)
        let secret = try #require(try await console.operators.invite(role, as: .command, now: server.clock.now))
        let answer = try await visitor.accept(secret, "\(role.rawValue)@example.com")
        #expect(answer.status == 303 && answer.headers["location"] == "/console", "\(answer)")
        #expect(visitor.cookie?.utf8.count == 43)
        return visitor
    }
}
