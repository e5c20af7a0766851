import Foundation
import IdentityTracing
import Logging
import NativeAuthCore
import Testing
import Tracing

@Suite("Traces, design record 0032") struct TracingTests {
    private static let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test("W3C Trace Context section 3.2: the header is read and written")
    func readsAndWrites() throws {
        let parent = try #require(TraceParent(Self.header))
        #expect(parent.isSampled)
        #expect(parent.trace.text == "0af7651916cd43dd8448eb211c80319c")
        #expect(parent.text == Self.header)
        let small = TraceParent(trace: .init(high: 0, low: 1), span: 2, isSampled: false)
        #expect(small.text == "00-00000000000000000000000000000001-0000000000000002-00")
        #expect(TraceParent(small.text) == small)
    }

    @Test(
        "W3C Trace Context section 4: a later version may have more fields",
        arguments: [
            "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future-will-be-like",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03",
        ])
    func laterVersions(_ text: String) {
        #expect(TraceParent(text)?.text == Self.header)
    }

    @Test(
        "Anything else is no parent",
        arguments: [
            "", "00", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333g-01",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-" + String(repeating: "a", count: 600),
        ])
    func noParent(_ text: String) {
        #expect(TraceParent(text) == nil)
    }

    /// Exports into memory.
    private func exporter(
        answers: @escaping @Sendable () -> SpanExporter.Answer = { .taken }
    ) -> (exporter: SpanExporter, bodies: Locked<[Data]>) {
        let bodies = Locked<[Data]>([])
        let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let exporter = SpanExporter(resource: [("service.name", "test")], logger: quiet) { body in
            bodies.withLock { $0.append(body) }
            return answers()
        }
        return (exporter, bodies)
    }

    private func names(_ bodies: Locked<[Data]>) throws -> [[String]] {
        struct Request: Decodable {
            struct Group: Decodable {
                struct Scope: Decodable {
                    struct Span: Decodable { var name: String }
                    var spans: [Span]
                }
                var scopeSpans: [Scope]
            }
            var resourceSpans: [Group]
        }
        return try bodies.withLock { $0 }.map { body in
            try JSONDecoder().decode(Request.self, from: body).resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans)
                .map(\.name)
        }
    }

    @Test("A span is exported once, with its children's trace; one that is not recorded is not")
    func spans() async throws {
        let (exporter, bodies) = exporter()
        let tracer = OTLPTracer(exporter, share: 1)
        let outer = tracer.startSpan("outer")
        let inner = tracer.startSpan("inner", context: outer.context)
        #expect(inner.place.trace == outer.place.trace)
        #expect(inner.place.span != outer.place.span)
        inner.end()
        inner.end()
        outer.end()
        let silent = OTLPTracer(exporter, share: 0).startSpan("silent")
        #expect(!silent.isRecording)
        OTLPTracer(exporter, share: 0).startSpan("child", context: silent.context).end()
        silent.end()
        // A caller's decision stands.
        OTLPTracer(exporter, share: 0).startSpan("recorded", context: outer.context).end()
        await exporter.flush()
        #expect(try names(bodies) == [["inner", "outer", "recorded"]])
    }

    @Test("A collector that refuses gets the same spans again, and in portions")
    func repeats() async throws {
        let isThere = Locked(false)
        let (exporter, bodies) = exporter(answers: { isThere.withLock { $0 } ? .taken : .later("away") })
        let tracer = OTLPTracer(exporter, share: 1)
        for number in 0..<600 { tracer.startSpan("\(number)").end() }
        await exporter.flush()
        #expect(try names(bodies).map(\.count) == [512])
        isThere.withLock { $0 = true }
        await exporter.flush()
        await exporter.flush()
        let sent = try names(bodies)
        #expect(sent.map(\.count) == [512, 512, 88])
        #expect(sent.dropFirst().flatMap { $0 } == (0..<600).map { "\($0)" })
    }

    @Test("A portion that the collector refuses does not come again, and the next ones are sent")
    func refusals() async throws {
        let count = Locked(0)
        let (exporter, bodies) = exporter(answers: {
            count.withLock { $0 += 1 }
            return count.withLock { $0 } == 1 ? .refused("status 413") : .taken
        })
        let tracer = OTLPTracer(exporter, share: 1)
        for number in 0..<600 { tracer.startSpan("\(number)").end() }
        await exporter.flush()
        #expect(try names(bodies).map(\.count) == [512, 88])
        await exporter.flush()
        #expect(try names(bodies).count == 2)
    }

    @Test("The last flush ends in time, though more spans wait")
    func ends() async throws {
        let (exporter, bodies) = exporter(answers: {
            Thread.sleep(forTimeInterval: 0.05)
            return .taken
        })
        let tracer = OTLPTracer(exporter, share: 1)
        for number in 0..<10_000 { tracer.startSpan("\(number)").end() }
        await exporter.flush(until: .now + .milliseconds(120))
        #expect((1...4).contains(try names(bodies).count))
    }

    @Test("More spans than the queue takes are left out, and cost nothing else")
    func isBounded() async throws {
        let (exporter, bodies) = exporter()
        let tracer = OTLPTracer(exporter, share: 1)
        for number in 0..<17_000 { tracer.startSpan("\(number)").end() }
        await exporter.flush()
        #expect(try names(bodies).map(\.count).reduce(0, +) == 16_384)
    }

    @Test("The text of an error is not recorded")
    func errors() async throws {
        struct Told: Error { var address = "ada@example.com" }
        let (exporter, bodies) = exporter()
        let span = OTLPTracer(exporter, share: 1).startSpan("mail")
        span.recordError(Told())
        span.end()
        await exporter.flush()
        let text = bodies.withLock { $0 }.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(text.contains(#""status":{"code":2}"#))
        #expect(!text.contains("ada@"))
    }
}
