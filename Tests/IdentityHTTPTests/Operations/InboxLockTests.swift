import HTTPTypes
import Hummingbird
import IdentityEngine
import IdentityHTTP
import NativeAuthCore
import NativeAuthTesting
import Testing

@Suite("The lock of the inbox, design record 0031")
struct InboxLockTests {
    /// Random bytes that are the same in each process.
    private struct Counting: Randomness {
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) } }
    }

    private func withLockedServer(
        _ body: (_ server: Outside, _ lock: InboxLock) async throws -> Void
    ) async throws {
        try await withIdentityServer { server in
            let lock = InboxLock(Counting(), fingerprint: "sha256:0a", certificateFile: ".native-auth/lan.pem")
            try await body(try Outside(server, lock: lock), lock)
        }
    }

    private func get(_ path: String, cookie: String, from server: Outside) async throws -> Response {
        try await server.send(
            HTTPRequest(
                method: .get, scheme: "https", authority: "identity.test", path: path, headerFields: [.cookie: cookie]),
            from: nil)
    }

    @Test(
        "Every page below /dev asks for the code, and a wrong cookie opens none",
        arguments: ["/dev/inbox", "/dev/inbox.json", "/dev/inbox.json?to=dana@example.com", "/dev/mails", "/dev/hooks"])
    func everyPageIsLocked(_ path: String) async throws {
        try await withLockedServer { server, _ in
            for cookie in [
                "", "__Host-inbox=", "__Host-inbox=x", "console=x; __Host-inbox=\(String(repeating: "A", count: 43))",
            ] {
                let response = try await get(path, cookie: cookie, from: server)
                #expect(response.status == .unauthorized)
                #expect(response.headers[.setCookie] == nil)
                #expect(response.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("The code opens all pages for the browser that sent it, and other ways of sending it none")
    func theCodeOpensThePages() async throws {
        try await withLockedServer { server, lock in
            let code = lock.code.reveal()
            #expect(code.wholeMatch(of: /[0-9]{8}/) != nil)
            let spaced = "\(code.prefix(4))+\(code.suffix(4))"
            let opened = try await server.post("/dev/inbox", form: "code=\(spaced)")
            #expect(opened.status == .seeOther)
            #expect(opened.headers[.location] == "/dev/inbox")
            let field = try #require(opened.headers[.setCookie])
            let parts = field.split(separator: ";").map { $0.trimmingPrefix(" ") }
            #expect(Set(parts.dropFirst()) == ["Path=/", "Secure", "HttpOnly", "SameSite=Strict"])
            for path in ["/dev/inbox", "/dev/inbox.json", "/dev/hooks"] {
                #expect(try await get(path, cookie: String(parts[0]), from: server).status == .ok)
            }
            #expect(try await server.get("/dev/inbox?code=\(code)", host: "identity.test").status == .unauthorized)
            for (path, form) in [
                ("/dev/provider", "answer=agree"), ("/dev/provider/token", "nonce=n&email=a@example.com"),
            ] {
                #expect(try await server.post(path, form: form).status == .unauthorized, "\(path)")
            }
            let posted = try await server.post("/dev/hooks", form: "call=1&code=\(code)")
            #expect(posted.status == .unauthorized)
        }
    }

    @Test("A wrong code opens nothing, and attempts are compared one a second: the eighth at once is refused")
    func attemptsWait() async throws {
        try await withLockedServer { server, lock in
            let wrong = lock.code.reveal() == "00000000" ? "00000001" : "00000000"
            let begin = ContinuousClock.now
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await server.post("/dev/inbox", form: "code=\(wrong)").status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == .unauthorized }.count == 6)
            #expect(statuses.filter { $0 == .tooManyRequests }.count == 2)
            #expect(ContinuousClock.now - begin >= .seconds(5))
        }
    }

    @Test("A form without a code, and a form for a server without a lock, are refused")
    func otherForms() async throws {
        try await withLockedServer { server, _ in
            for form in ["", "code=1&code=2"] {
                let refused = try await server.post("/dev/inbox", form: form)
                #expect(refused.status == .badRequest)
            }
        }
        try await withIdentityServer { server in
            let refused = try await Outside(server).post("/dev/inbox", form: "code=1")
            #expect(refused.status == .methodNotAllowed)
        }
    }

    @Test("The home page and the sample API are open, and the home page names no console")
    func whatIsOpen() async throws {
        try await withLockedServer { server, _ in
            let home = try await WireClient(transport: InProcessTransport(routes: server.routes)).get("/")
            #expect(home.status == 200)
            let page = String(decoding: home.body, as: UTF8.self)
            #expect(page.contains("the code in the server's terminal"))
            #expect(!page.contains("/console"))
            #expect(page.contains("#sha256:0a</code>"))
            #expect(page.contains("curl -s --cacert .native-auth/lan.pem http"))
            // It asks for an access token.
            let api = try await server.get("/dev/api/contoso.onmicrosoft.com", host: "identity.test")
            #expect(api.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
        }
    }
}
