import Foundation
import Synchronization
import Testing

@Suite("Traces, design record 0032") struct TraceTests {
    private struct Span: Decodable {
        struct Attributes: Decodable {
            var route: String?
            var status: Int?
            var error: Int?
            var traceID: String?

            enum CodingKeys: String, CodingKey {
                case route = "http.route"
                case status = "http.response.status_code"
                case error = "native_auth.error"
                case traceID = "native_auth.trace_id"
            }
        }

        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var name: String
        var kind: Int
        var attributes: Attributes
    }

    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let proxy = "b7ad6b7169203331"

    /// Runs a server with a collector, and reads what the collector got once the server has ended.
    private func spans(
        _ arguments: [String], _ body: (NativeAPI) async throws -> Void
    ) async throws -> (spans: [Span], text: String) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "spans")
        let script = Python.package.appending(path: "Tests/EndToEndTests/Support/collector.py").path
        let collector = try await PythonServer.start([script, file.path])
        let server = try await NativeAuthServer.start(
            arguments: arguments + ["--traces", "http://127.0.0.1:\(collector.port)/v1/traces"],
            dataFolder: folder.url.appending(path: "data"))
        try await body(NativeAPI(baseURL: server.baseURL))
        // The first request of the exporter is refused, so that it has to come again.
        try await Task.sleep(for: .milliseconds(2_500))
        await server.terminate()
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n")
        for line in lines where line.hasPrefix("FAULT") { Issue.record("\(line)") }
        return (try lines.map { try JSONDecoder().decode(Span.self, from: Data($0.utf8)) }, text)
    }

    @Test(
        "A trace goes from the proxy to the database and the mail, and has no address and no code",
        .timeLimit(.minutes(2)))
    func aTraceOfTheProxy() async throws {
        let codes = Mutex<[String]>([])
        let (spans, text) = try await spans(["--trusted-proxies", "127.0.0.1"]) { api in
            var traced = api
            traced.traceParent = "00-\(Self.trace)-\(Self.proxy)-01"
            let token = try await traced.start("ada@example.com").token("start")
            _ = try await traced.challenge(token).token("challenge")
            let code = try await api.code(for: "ada@example.com")
            codes.withLock { $0.append(code) }
            // Not recorded: so says the proxy.
            traced.traceParent = "00-\(Self.trace)-00f067aa0ba902b7-00"
            _ = try await traced.start("ben@example.com")
            let refused = try await api.post(
                "signup/v1.0/continue", ["continuation_token": "x", "grant_type": "oob", "oob": "12345678"])
            #expect(refused.status == 400)
        }
        let ours = spans.filter { $0.traceId == Self.trace }
        let requests = ours.filter { $0.kind == 2 }
        #expect(
            requests.map(\.name) == ["POST /{tenant}/signup/v1.0/start", "POST /{tenant}/signup/v1.0/challenge"])
        for request in requests {
            #expect(request.parentSpanId == Self.proxy)
            #expect(request.attributes.status == 200)
            #expect(request.attributes.route.map { "POST \($0)" } == request.name)
            #expect(request.attributes.traceID?.count == 36)
            let work = ours.filter { $0.parentSpanId == request.spanId }
            let isFirst = request.name.hasSuffix("start")
            #expect(
                work.contains { $0.name == (isFirst ? "database read" : "database write") && $0.kind == 3 }, "\(work)")
        }
        let mail = try #require(ours.first { $0.name == "mail signUp" })
        #expect(mail.kind == 5)
        #expect(mail.parentSpanId == requests.last?.spanId)
        let refused = try #require(spans.first { $0.name == "POST /{tenant}/signup/v1.0/continue" })
        #expect(refused.traceId != Self.trace)
        #expect(refused.parentSpanId == nil)
        #expect(refused.attributes.status == 400)
        #expect(refused.attributes.error != nil)
        #expect(!spans.contains { $0.parentSpanId == "00f067aa0ba902b7" })
        for secret in ["ada@", "ben@", "12345678"] + codes.withLock({ $0 }) { #expect(!text.contains(secret)) }
    }

    @Test(
        "A client does not say which trace its request belongs to, and a share of 0 records none",
        .timeLimit(.minutes(2)))
    func aTraceOfAClient() async throws {
        let traced: @Sendable (NativeAPI) async throws -> Void = { api in
            var traced = api
            traced.traceParent = "00-\(Self.trace)-\(Self.proxy)-01"
            _ = try await traced.start("ada@example.com").token("start")
        }
        let (own, _) = try await spans([], traced)
        #expect(own.contains { $0.name == "POST /{tenant}/signup/v1.0/start" })
        #expect(!own.contains { $0.traceId == Self.trace || $0.parentSpanId == Self.proxy })
        let (none, _) = try await spans(["--trace-share", "0"], traced)
        #expect(none.isEmpty)
    }
}
