import HTTPTypes
import Hummingbird
import IdentityEngine
import Logging
import NIOCore
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// The log lines of a request.
@Suite("A request in the log") struct RequestLogTests {
    private static let start = "/contoso/\(V1Endpoint.signUpStart.rawValue)"
    private static let form =
        "client_id=00001111-aaaa-2222-bbbb-3333cccc4444&username=ada%40example.com&challenge_type=oob+redirect"

    /// The JSON lines of `body`, and the level from which on they are kept.
    private func lines(
        _ level: Logger.Level = .info, _ body: (Logger) async throws -> Void
    ) async throws -> [[String: JSON]] {
        let lines = Locked<[String]>([])
        let output = LogOutput(.json) { line in lines.withLock { $0.append(line) } }
        var logger = Logger(label: "test") { _ in LogLines(to: output) { IdentityTestServer.start } }
        logger.logLevel = level
        try await body(logger)
        await output.flush()
        return try lines.withLock { $0 }.map { try JSONDecoder().decode([String: JSON].self, from: Data($0.utf8)) }
    }

    @Test("A line has the client's name for the request as the client wrote it, and the number of the error")
    func namesAndNumbers() async throws {
        let id = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
        let written = try await lines { logger in
            try await withIdentityServer { server in
                let outside = try Outside(server, AccessPolicy(hosts: ["identity.test"]), logger: logger)
                _ = try await outside.post(Self.start, form: Self.form, headers: ["client-request-id": id])
                _ = try await outside.post(Self.start, headers: ["client-request-id": id.lowercased()])
                _ = try await outside.post(
                    Self.start, form: "username=x", headers: ["client-request-id": "build_7.2-a"])
                _ = try await outside.post(Self.start, host: "evil.example")
                _ = try await outside.get("/contoso/nothing", host: "identity.test")
                _ = try await outside.get("/contoso/v2.0/.well-known/openid-configuration", host: "identity.test")
            }
        }
        #expect(written.map { $0["client-request-id"]?.string }.prefix(3) == [id, id.lowercased(), "build_7.2-a"])
        #expect(written.map { $0["status"]?.integer } == [200, 400, 400, 421, 404, 200])
        #expect(written.map { $0["error"]?.integer } == [nil, 90_100, 90_100, 90_023, 90_023, nil])
        #expect(written.allSatisfy { if case .string? = $0["ms"] { false } else { $0["ms"] != nil } })
    }

    @Test(
        "SEC-LOG-3: a name that is no harmless word is not in the log; that of the answer is",
        arguments: ["", "a b", "a\"b", "é", "a/b", "x=1", String(repeating: "a", count: 65), nil])
    func otherNames(_ id: String?) async throws {
        let answered = Locked<String?>(nil)
        let written = try await lines { logger in
            try await withIdentityServer { server in
                let outside = try Outside(server, logger: logger)
                let answer = try await outside.post(
                    Self.start, form: Self.form, headers: id.map { ["client-request-id": $0] } ?? [:])
                answered.withLock { $0 = answer.headers[IdentityHeader.clientRequestID] }
            }
        }
        let name = try #require(written.first?["client-request-id"]?.string)
        #expect(UUID(uuidString: name) != nil)
        #expect(name == answered.withLock { $0 })
    }

    @Test("A health check is logged at level debug; one that fails at level info")
    func healthChecks() async throws {
        func ask(_ logger: Logger) async throws {
            try await withIdentityServer { server in
                let readiness = Readiness(flows: server.engine.ports.flows)
                let outside = try Outside(server, readiness: readiness, logger: logger)
                for check in ["/livez", "/readyz"] { #expect(try await outside.get(check).status == .ok) }
                readiness.drain()
                #expect(try await outside.get("/readyz").status == .serviceUnavailable)
            }
        }
        let news = try await lines(.info, ask)
        #expect(news.map { $0["status"]?.integer } == [503])
        let all = try await lines(.debug, ask)
        #expect(all.map { $0["level"]?.string } == ["debug", "debug", "info"])
    }

    @Test("SEC-LOG-1: the log has what the database said, and of any other error no more than its type")
    func databaseErrors() async throws {
        struct Said: LoggableFailure { let description = "SQLite 13: database or disk is full" }
        struct Silent: Error, CustomStringConvertible { let description = "canary" }
        #expect(StoreError.unavailable(Said()).logText == "SQLite 13: database or disk is full")
        #expect(EngineError.store(.unavailable(Said())).logText == "SQLite 13: database or disk is full")
        #expect(StoreError.unavailable(Silent()).logText == "Silent")
        #expect(StoreError.corrupt("users").logText == "corrupt row in users")
    }

    private static let page = "/contoso/oauth2/v2.0/authorize?response_type=code&scope=openid"
    private static let application = "00001111-aaaa-2222-bbbb-3333cccc4444"

    /// The text of an answer's page.
    private func text(_ response: Response) async throws -> String {
        let writer = TextWriter()
        try await response.body.write(writer)
        return writer.text.withLock { $0 }
    }

    private struct TextWriter: ResponseBodyWriter {
        let text = Locked("")

        mutating func write(_ buffer: ByteBuffer) async throws {
            text.withLock { $0 += String(buffer: buffer) }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test(
        "Why an authorization request was refused is in the log, without queries; the development profile's page says it"
    )
    func refusedAddresses() async throws {
        let evil = "https%3A%2F%2Fevil.example%2Fdone%3Fkey%3Dcanary%23canary"
        let requests = [
            "client_id=\(Self.application)&redirect_uri=\(evil)", "client_id=\(Self.application)",
            "client_id=99999999-aaaa-2222-bbbb-3333cccc4444&redirect_uri=\(evil)",
            "client_id=\(Self.application)&redirect_uri=https%3A%2F%2Fa%3Acanary%40evil.example%2F",
            "client_id=\(Self.application)&redirect_uri=https%3A%2F%2Fevil.example%2F%0Acanary",
        ]
        let written = try await lines(.notice) { logger in
            try await withIdentityServer { server in
                let outside = try Outside(server, logger: logger)
                for (index, request) in requests.enumerated() {
                    let response = try await outside.get("\(Self.page)&\(request)")
                    #expect(response.status == .badRequest)
                    let page = try await text(response)
                    #expect(page.contains("Development profile: the ") && !page.contains("canary"), "\(request)")
                    #expect(page.contains("Registered: http://localhost") == [0, 3, 4].contains(index), "\(page)")
                }
                let bye = "/contoso/oauth2/v2.0/logout?post_logout_redirect_uri=\(evil)"
                let response = try await outside.get("\(bye)&client_id=\(Self.application)")
                #expect(response.status == .badRequest)
                #expect(try await text(response).contains("the post_logout_redirect_uri is not registered for"))
                // Production says it to the log alone.
                let usual = TestBrowser(server)
                try await usual.get("\(Self.page)&\(requests[0])")
                #expect(usual.status == 400 && !usual.html.contains("Development profile"))
                #expect(!usual.html.contains("evil.example"))
                try await usual.get(bye)
                #expect(usual.status == 400 && !usual.html.contains("Development profile"))
            }
        }
        #expect(
            written.map { $0["reason"]?.string } == [
                "the redirect_uri is not registered", "the request has no redirect_uri",
                "the tenant has no application with this client_id", "the redirect_uri is not registered",
                "the redirect_uri is not registered", "the post_logout_redirect_uri is not registered",
            ])
        #expect(
            written.map { $0["application"]?.string } == [
                Self.application, nil, nil, Self.application, Self.application, Self.application,
            ])
        let address = "https://evil.example/done"
        #expect(written.map { $0["address"]?.string } == [address, nil, nil, nil, nil, address])
        #expect(!"\(written)".contains("canary"))
    }
}
