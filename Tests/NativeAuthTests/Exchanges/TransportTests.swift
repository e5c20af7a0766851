import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

private let user = "dahlia@example.com"

@Suite("Requests")
struct RequestTests {
    @Test("SDK-PRIV-1: the headers are those that are documented, and no others")
    func headers() async throws {
        try await withClient([.started, .codeSent("T2")]) { client, transport in
            _ = try await client.startSignUp(username: user)
            let headers = transport.requests[0].headers
            #expect(
                Set(headers.keys) == [
                    "content-type", "accept", "accept-language", "client-request-id", "return-client-request-id",
                    "x-client-sku", "x-client-ver", "x-client-os", "x-client-cpu", "x-client-dm",
                ])
            #expect(headers["content-type"] == "application/x-www-form-urlencoded")
            #expect(headers["accept"] == "application/json")
            #expect(headers["accept-language"] == "da")
            #expect(headers["client-request-id"] == correlation.uuidString)
            #expect(headers["return-client-request-id"] == "true")
            #expect(headers["x-client-sku"] == "swift-native-auth")
            // The same version as in `native-auth --version` and in the metric.
            #expect(headers["x-client-ver"] == ProductVersion.current)
            let base = "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"
            #expect(transport.requests[0].url.absoluteString == "\(base)/signup/v1.0/start")
        }
    }

    @Test func aServerMayChooseTheCorrelationID() async throws {
        let other = UUID()
        var started = Stub.started
        started.headers = ["Client-Request-ID": other.uuidString]
        var sent = Stub.codeSent("T2")
        sent.headers = ["client-request-id": "not a UUID"]
        try await withClient([started, sent]) { client, transport in
            let code = try await client.startSignUp(username: user)
            #expect(code.correlationID == other)
            #expect(transport.requests[1].headers["client-request-id"] == other.uuidString)
        }
    }

    @Test func aCallerMayChooseTheCorrelationID() async throws {
        let own = UUID()
        try await withClient([.refusal(.signUpStart, "invalid_request")]) { client, _ in
            let refused = try await error { () throws(NativeAuthError) in
                try await client.startSignUp(username: user, correlationID: own)
            }
            #expect(refused.details.correlationID == own)
        }
    }

    // MARK: Interceptor

    private struct Interceptor: RequestInterceptor {
        let headers: [String: String]
        func additionalHeaders(for url: URL) async -> [String: String] {
            url.path().contains("/signup/") ? headers : [:]
        }
    }

    @Test(
        "An interceptor sets headers in x- outside the reserved prefixes",
        arguments: [
            ("x-fraud", true), ("X-Fraud", true), ("x-a", true), ("x-", false), ("fraud", false), ("", false),
            ("accept", false), ("Authorization", false), ("x-ms-a", false), ("X-MS-A", false), ("x-client-a", false),
            ("X-Client-SKU", false), ("x-broker-a", false), ("x-app-a", false), ("x-application", true),
            ("x-a:b", false), ("x-a b", false), ("x-a\r\nb", false), ("x-ä", false), (" x-a", false),
        ])
    func interceptor(_ name: String, _ isAllowed: Bool) async throws {
        try await withClient([.started, .codeSent("T2")]) {
            $0.requestInterceptor = Interceptor(headers: [name: "v"])
        } _: { client, transport in
            _ = try await client.startSignUp(username: user)
            for request in transport.requests {
                #expect((request.headers[name.lowercased()] == "v") == isAllowed)
                #expect(request.headers["x-client-sku"] == "swift-native-auth")
            }
        }
    }

    @Test(
        "SEC-SWIFT-1: an interceptor cannot split a header",
        arguments: ["a\r\nb: c", "a\nb", "\r", "\0", "a\u{7F}"])
    func headerValues(_ value: String) async throws {
        try await withClient([.started, .codeSent("T2")]) {
            $0.requestInterceptor = Interceptor(headers: ["x-fraud": value])
        } _: { client, transport in
            _ = try await client.startSignUp(username: user)
            #expect(transport.requests[0].headers["x-fraud"] == nil)
        }
    }

    // MARK: Languages

    @Test(arguments: [
        (["LANG": "da_DK.UTF-8"], "da-DK"), (["LC_ALL": "fr", "LANG": "da"], "fr"), (["LANG": "C.UTF-8"], "en"),
        (["LANG": "POSIX"], "en"), ([:], "en"), (["LANG": "de_DE@euro"], "de-DE"), (["LANG": "x\r\ny: z"], "en"),
        (["LC_ALL": "", "LANG": "ja_JP"], "ja-JP"),
    ])
    func whereTheSystemHasNoSettingsTheLocaleChoosesTheLanguage(_ environment: [String: String], _ expected: String)
        async throws
    {
        #if !canImport(Darwin)
            let transport = ScriptedTransport([.started, .codeSent("T2")])
            var configuration = NativeAuthConfiguration(
                clientID: clientID, authority: try Authority(tenantSubdomain: "contoso"), challengeTypes: [])
            configuration.transport = transport
            _ = try await NativeAuthClient(configuration, environment: environment).startSignUp(username: user)
            #expect(transport.requests[0].headers["accept-language"] == expected)
        #endif
    }

    // MARK: Emulator

    private func firstURL(
        _ authority: Authority, _ environment: [String: String]
    ) async throws -> String? {
        let transport = ScriptedTransport([.started, .codeSent("T2")])
        var configuration = NativeAuthConfiguration(clientID: clientID, authority: authority, challengeTypes: [])
        configuration.transport = transport
        _ = try await NativeAuthClient(configuration, environment: environment).startSignUp(username: user)
        return transport.requests.first?.url.absoluteString
    }

    @Test(
        "The emulator variable replaces the origin in the vendor's cloud and keeps the tenant",
        arguments: [
            ("https://contoso.ciamlogin.com", "http://127.0.0.1:8765/contoso.onmicrosoft.com"),
            ("https://contoso.ciamlogin.com/aaaabbbb-0000", "http://127.0.0.1:8765/aaaabbbb-0000"),
            ("https://login.example.com/tenant", "https://login.example.com/tenant"),
            ("http://127.0.0.1:9000/tenant", "http://127.0.0.1:9000/tenant"),
            ("https://contoso.ciamlogin.com.example.com/t", "https://contoso.ciamlogin.com.example.com/t"),
        ])
    func emulator(_ authority: String, _ expected: String) async throws {
        let url = try #require(URL(string: authority))
        let environment = ["NATIVE_AUTH_EMULATOR": "http://127.0.0.1:8765/"]
        #if DEBUG
            #expect(try await firstURL(Authority(url: url), environment) == expected + "/signup/v1.0/start")
        #else
            let own = try Authority(url: url)
            #expect(try await firstURL(own, environment) == "\(own)/signup/v1.0/start")
        #endif
    }

    #if DEBUG
        @Test func theEmulatorMayHaveAPath() async throws {
            let url = try await firstURL(
                Authority(tenantSubdomain: "contoso"), ["NATIVE_AUTH_EMULATOR": "https://dev.example.com/auth"])
            #expect(url == "https://dev.example.com/auth/contoso.onmicrosoft.com/signup/v1.0/start")
        }

        @Test("design record 0031: the fingerprint of a certificate is no part of the addresses of requests")
        func theEmulatorMayHaveAFingerprint() async throws {
            let url = try await firstURL(
                Authority(tenantSubdomain: "contoso"),
                ["NATIVE_AUTH_EMULATOR": "https://192.168.1.7:8765#sha256:\(String(repeating: "0a", count: 32))"])
            #expect(url == "https://192.168.1.7:8765/contoso.onmicrosoft.com/signup/v1.0/start")
        }

        @Test(arguments: ["127.0.0.1:8765", "http://example.com", "ftp://127.0.0.1", "::", "http://u:p@127.0.0.1"])
        func aWrongEmulatorVariableIsToldByTheFirstStep(_ value: String) async throws {
            let configuration = NativeAuthConfiguration(
                clientID: clientID, authority: try Authority(tenantSubdomain: "contoso"), challengeTypes: [])
            let client = NativeAuthClient(configuration, environment: ["NATIVE_AUTH_EMULATOR": value])
            let refused = try await error { () throws(NativeAuthError) in try await client.startSignUp(username: user) }
            #expect(kind(refused) == "invalidConfiguration")
            #expect(refused.details.message?.contains("NATIVE_AUTH_EMULATOR") == true)
        }
    #endif
}

@Suite("Authority")
struct AuthorityTests {
    @Test(
        "SDK-AUTH-1: an authority is normalised",
        arguments: [
            ("https://contoso.ciamlogin.com", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
            ("https://contoso.ciamlogin.com/", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
            ("https://CONTOSO.CiamLogin.com", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
            ("https://contoso.ciamlogin.us", "https://contoso.ciamlogin.us/contoso.onmicrosoft.com"),
            (
                "https://contoso.ciamlogin.com/contoso.onmicrosoft.com",
                "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"
            ),
            (
                "https://contoso.ciamlogin.com/AAAABBBB-0000-cccc-1111-dddd2222eeee/",
                "https://contoso.ciamlogin.com/AAAABBBB-0000-cccc-1111-dddd2222eeee"
            ),
            ("https://login.example.com/tenant?p=1#x", "https://login.example.com/tenant"),
            ("HTTPS://login.example.com:8443/a/b/", "https://login.example.com:8443/a/b"),
            ("https://localhost:8443/t", "https://localhost:8443/t"),
            ("http://127.0.0.1:8765/contoso.onmicrosoft.com", "http://127.0.0.1:8765/contoso.onmicrosoft.com"),
            ("http://localhost:8765/contoso", "http://localhost:8765/contoso"),
            ("http://[::1]:8765/contoso", "http://[::1]:8765/contoso"),
            ("http://127.1.2.3/t", "http://127.1.2.3/t"),
            ("https://192.0.2.1/t", "https://192.0.2.1/t"),
            ("https://login.example.com:443/t", "https://login.example.com/t"),
            ("http://127.0.0.1:80/t", "http://127.0.0.1/t"),
            ("https://login.example.com:80/t", "https://login.example.com:80/t"),
            ("https://LOGIN.example.com/Tenant", "https://login.example.com/Tenant"),
            ("https://[2001:DB8::1]/t", "https://[2001:db8::1]/t"),
            ("https://xn--bcher-kva.example/t", "https://xn--bcher-kva.example/t"),
            ("https://login_1.example.com/t", "https://login_1.example.com/t"),
            ("https://login.example.com/t%20x", "https://login.example.com/t%20x"),
            ("https://login.example.com/a.b/c..d", "https://login.example.com/a.b/c..d"),
            ("https://contoso.ciamlogin.com:443", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
            ("https://contoso.ciamlogin.com/?tenant=x#y", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
        ])
    func normalised(_ text: String, _ expected: String) throws {
        let authority = try Authority(url: try #require(URL(string: text)))
        #expect(authority.description == expected)
        #expect(authority.endpoint("oauth2/v2.0/token").absoluteString == expected + "/oauth2/v2.0/token")
        #expect(try Authority(url: authority.url) == authority)
    }

    @Test(
        "SDK-AUTH-1: what is not a safe address is refused",
        arguments: [
            ("http://login.example.com/t", AuthorityError.insecure), ("ftp://127.0.0.1/t", .insecure),
            ("http://127.0.0.1.example.com/t", .insecure), ("http://127.0.0.256/t", .insecure),
            ("http://127.0.0/t", .insecure), ("http://localhost.example.com/t", .insecure),
            ("http://10.0.0.1/t", .insecure), ("http://0.0.0.0/t", .insecure), ("ws://127.0.0.1/t", .insecure),
            ("https://user@login.example.com/t", .containsCredentials),
            ("https://u:p@login.example.com/t", .containsCredentials),
            ("http://127.0.0.1@evil.example.com/t", .containsCredentials), ("https:///t", .malformed),
            ("login.example.com/t", .malformed), ("/t", .malformed), ("mailto:a@b.c", .malformed),
            ("https://login.example.com/../t", .malformed), ("https://login.example.com/a/./b", .malformed),
            ("https://login.example.com/%2e%2E/t", .malformed), ("https://login.example.com/a//b", .malformed),
            ("https://login.example.com:99999/t", .malformed), ("https://login.example.com:0/t", .malformed),
            ("https://login%00.example.com/t", .malformed), ("https://login!.example.com/t", .malformed),
            ("https://login..example.com/t", .malformed), ("https://.example.com/t", .malformed),
            ("https://login.example.com./t", .malformed), ("https://login.example.com/a%2Fb", .malformed),
            ("https://login.example.com/a%5cb", .malformed), ("https://login.example.com/%00", .malformed),
            ("https://login.example.com/a%0d%0ab", .malformed), ("https://login.example.com/%2E", .malformed),
            ("https://login.example.com/.%2e/t", .malformed), ("https://login.example.com/t/..", .malformed),
            ("https://login.example.com:-1/t", .malformed),
            ("https://login%2eexample.com/t", .malformed), ("https://a:b@login.example.com", .containsCredentials),
            ("https://:p@login.example.com/t", .containsCredentials), ("http://localhost./t", .malformed),
            ("http://[::2]/t", .insecure), ("http://2130706433/t", .insecure), ("http://0x7f.0.0.1/t", .insecure),
            ("http://127.1/t", .insecure), ("file:///etc/passwd", .malformed), ("javascript:alert(1)", .malformed),
            ("data:text/plain,x", .malformed), ("https:login.example.com/t", .malformed), ("https://", .malformed),
        ])
    func refused(_ text: String, _ error: AuthorityError) throws {
        // Text that is not a URL is refused before it gets here.
        guard let url = URL(string: text) else { return }
        #expect(throws: error) { try Authority(url: url) }
    }

    @Test(
        "An authority without a tenant in its path is refused when it is made, with a sentence",
        arguments: [
            "https://login.example.com", "https://login.example.com/", "https://login.example.com///",
            "https://login.example.com?tenant=contoso", "https://login.example.com#contoso", "https://ciamlogin.com",
            "http://127.0.0.1:8765", "http://localhost:8765/", "https://login.example.com:8443",
        ])
    func withoutATenant(_ text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: AuthorityError.missingTenant) { try Authority(url: url) }
        #expect(error?.localizedDescription.hasPrefix("The authority names no tenant: end it with") == true)
    }

    @Test("Every error of an authority is one sentence, and shows nothing of the URL")
    func sentences() {
        let errors: [AuthorityError] = [
            .invalidSubdomain, .malformed, .insecure, .containsCredentials, .missingTenant,
        ]
        for error in errors {
            #expect(error.description.hasPrefix("The ") && error.description.hasSuffix("."))
            #expect(error.localizedDescription == error.description)
        }
    }

    @Test(arguments: ["contoso", "a", "contoso-2", "Contoso", String(repeating: "a", count: 63)])
    func aSubdomainBecomesAnAuthority(_ subdomain: String) throws {
        let name = subdomain.lowercased()
        #expect(
            try Authority(tenantSubdomain: subdomain).description
                == "https://\(name).ciamlogin.com/\(name).onmicrosoft.com")
    }

    @Test(arguments: [
        "", "a.b", "-a", "a-", "a b", "a/b", "a@b", "a_b", "ä", "a\n", "a:1", "a?b", "a#b", "a%41", "[::1]",
        String(repeating: "a", count: 64),
    ])
    func anythingElseIsNoSubdomain(_ subdomain: String) {
        #expect(throws: AuthorityError.invalidSubdomain) { try Authority(tenantSubdomain: subdomain) }
    }

    @Test func theEnvironmentIsTheHost() throws {
        #expect(try Authority(tenantSubdomain: "contoso").environment == "contoso.ciamlogin.com")
        let url = try #require(URL(string: "http://[::1]:8765/contoso"))
        #expect(try Authority(url: url).environment == "[::1]:8765")
    }
}

@Suite("URLSession transport")
struct URLSessionTransportTests {
    private func request(_ url: String) throws -> TransportRequest {
        TransportRequest(
            method: "POST", url: try #require(URL(string: url)), headers: ["x-a": "b"], body: Data("a=b".utf8))
    }

    @Test(
        "SDK-NET-1: nothing but https leaves this machine",
        arguments: ["http://example.com/", "http://127.0.0.1.example.com/", "file:///etc/hosts", "ftp://127.0.0.1/"])
    func insecure(_ url: String) async throws {
        let request = try request(url)
        await #expect(throws: TransportError.insecureURL) { try await URLSessionTransport().send(request) }
    }

    @Test func anAnswerArrivesWhole() async throws {
        let body = String(repeating: "x", count: 100_000)
        let head = "HTTP/1.1 400 Bad\r\nX-Answer: yes\r\nContent-Length: 100000\r\n\r\n"
        try await withLoopbackServer(head + body) { port, received in
            let response = try await URLSessionTransport().send(request("http://127.0.0.1:\(port)/t?q"))
            #expect(response.status == 400)
            #expect(response.headers["x-answer"] == "yes")
            #expect(response.body == Data(body.utf8))
            let sent = await received()
            #expect(sent.hasPrefix("POST /t?q HTTP/1.1\r\n"))
            #expect(sent.lowercased().contains("x-a: b\r\n"))
            #expect(!sent.lowercased().contains("cookie"))
        }
    }

    @Test("SDK-NET-4: redirects are not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
        try await withLoopbackServer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") { other, second in
            let head = "HTTP/1.1 \(status) Moved\r\nLocation: http://127.0.0.1:\(other)/x\r\nContent-Length: 0\r\n\r\n"
            try await withLoopbackServer(head) { port, _ in
                let response = try await URLSessionTransport().send(request("http://127.0.0.1:\(port)/"))
                #expect(response.status == status)
            }
            #expect(await second().isEmpty)
        }
    }

    @Test("SDK-NET-3: an answer of more than 1 MiB is refused")
    func tooLarge() async throws {
        let size = TransportResponse.maximumBodySize + 1
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + String(repeating: "x", count: size)
        try await withLoopbackServer(answer) { port, _ in
            let request = try request("http://127.0.0.1:\(port)/")
            await #expect(throws: TransportError.responseTooLarge) { try await URLSessionTransport().send(request) }
        }
    }

    @Test("SDK-CANCEL-1: a cancelled request returns at once")
    func cancellation() async throws {
        // The server never answers.
        try await withLoopbackServer("") { port, received in
            let request = try request("http://127.0.0.1:\(port)/")
            let task = Task { try await URLSessionTransport().send(request) }
            _ = await received()
            task.cancel()
            // Not the time limit, which is another error.
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func aRequestOfACancelledTaskEndsAtOnce() async throws {
        try await withLoopbackServer("") { port, _ in
            let request = try request("http://127.0.0.1:\(port)/")
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await URLSessionTransport().send(request)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func aServerThatIsNotThereIsAnError() async throws {
        let nowhere = try Authority(url: try #require(URL(string: "http://127.0.0.1:1/contoso")))
        try await withClient([]) {
            $0.authority = nowhere
            $0.transport = URLSessionTransport()
        } _: { client, _ in
            let refused = try await error { () throws(NativeAuthError) in try await client.startSignUp(username: user) }
            #expect(kind(refused) == "network")
        }
    }
}
