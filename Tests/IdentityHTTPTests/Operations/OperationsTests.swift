import Dispatch
import IdentityHTTP
import Logging
import Metrics
import NativeAuthCore
import PortableFoundation
import Testing

@Suite("Logs and metrics")
struct OperationsTests {
    private func lines(_ format: LogFormat, _ body: (Logger) -> Void) async -> [String] {
        let lines = Locked<[String]>([])
        let output = LogOutput(format) { line in lines.withLock { $0.append(line) } }
        var logger = Logger(label: "test") { _ in
            LogLines(to: output) { Date(timeIntervalSince1970: 1_785_576_612) }
        }
        logger.logLevel = .trace
        body(logger)
        await output.flush()
        return lines.withLock { $0 }
    }

    @Test("A log line is time, level, message and metadata, as text or as JSON")
    func logLines() async throws {
        let write = { (logger: Logger) in
            var logger = logger
            logger[metadataKey: "trace"] = "7"
            logger.info(
                "request", metadata: ["route": "/livez", "what": "two words", "status": .stringConvertible(200)])
        }
        let text = await lines(.text, write)
        #expect(text == ["2026-08-01T09:30:12Z info request route=/livez status=200 trace=7 what=\"two words\"\n"])
        let json = try #require(await lines(.json, write).first)
        #expect(
            try JSONDecoder().decode([String: JSON].self, from: Data(json.utf8)) == [
                "time": "2026-08-01T09:30:12Z", "level": "info", "message": "request", "route": "/livez", "trace": "7",
                "what": "two words", "status": 200,
            ])
        #expect(json.hasSuffix("}\n"))
    }

    @Test("In JSON a number is a number, and what looks like one in a text is a text")
    func numbersAreNumbers() async throws {
        let json = try #require(
            await lines(.json) {
                $0.info(
                    "x",
                    metadata: [
                        "whole": .stringConvertible(-7), "part": .stringConvertible(1.25),
                        "tiny": .stringConvertible(5e-7),
                        "none": .stringConvertible(Double.nan), "text": "12", "bytes": .stringConvertible(UInt8(9)),
                    ])
            }.first)
        let members = try JSONDecoder().decode([String: JSON].self, from: Data(json.utf8))
        #expect(members["whole"] == .integer(-7))
        #expect(members["part"] == .number(1.25))
        #expect(members["tiny"] == .number(5e-7))
        #expect(members["none"] == "nan")
        #expect(members["text"] == "12")
        #expect(members["bytes"] == 9)
    }

    @Test(
        "SEC-LOG-3: nothing in a value ends a line, moves a terminal, turns the direction of writing or is long",
        arguments: [
            "a\r\nb", "a\u{0}b", "\u{1B}[2Jgone", "\u{9B}31m", "\u{202E}txt.exe", "\u{2028}next", "\u{85}next",
            "\u{7F}",
            "quote\" \\ end", "\u{FEFF}bom", String(repeating: "ä", count: 5_000), "\u{D}{\"level\":\"info\"}",
        ], [LogFormat.text, .json])
    func injection(_ value: String, _ format: LogFormat) async throws {
        let written = await lines(format) { $0.error("\(value)", metadata: ["value": "\(value)", "\(value)": "x"]) }
        #expect(written.count == 1)
        let line = try #require(written.first)
        #expect(line.utf8.count < 1_500)
        let hostile = line.unicodeScalars.dropLast().filter {
            [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
        #expect(hostile.isEmpty)
        guard format == .json else { return }
        let members = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(members["level"] == "error")
        #expect(members["value"] == members["message"])
    }

    @Test("SEC-LOG-4: while the log cannot be written no request waits; excess lines are dropped and counted")
    func aBlockedLog() async throws {
        let lines = Locked<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        let output = LogOutput(.json, longestQueue: 10) { line in
            gate.wait()
            lines.withLock { $0.append(line) }
        }
        let logger = Logger(label: "test") { _ in LogLines(to: output) { Date(timeIntervalSince1970: 0) } }
        // The log is blocked until all of these were queued.
        for number in 0..<1_000 { logger.info("line \(number)") }
        for _ in 0..<1_000 { gate.signal() }
        await output.flush()
        let written = lines.withLock { $0 }
        #expect(written.count == 11)
        #expect(written.contains("{\"level\":\"warning\",\"message\":\"log lines were dropped\",\"count\":990}\n"))
    }

    @Test("Metrics are text in Prometheus' format")
    func metricsText() {
        let metrics = PrometheusMetrics()
        metrics.makeCounter(label: "a.count", dimensions: [("b", "x\"y\\z\n"), ("a", "1")]).increment(by: 2)
        metrics.makeCounter(label: "a.count", dimensions: [("a", "1"), ("b", "x\"y\\z\n")]).increment(by: 3)
        let meter = metrics.makeMeter(label: "active", dimensions: [])
        meter.increment(by: 2)
        meter.decrement(by: 0.5)
        let timer = metrics.makeTimer(label: "took", dimensions: [("path", "/")])
        for milliseconds in [1, 3, 30_000] { timer.recordNanoseconds(Int64(milliseconds) * 1_000_000) }
        let text = metrics.text()
        #expect(
            text.hasPrefix(
                """
                # TYPE a_count_total counter
                a_count_total{a="1",b="x\\"y\\\\z\\n"} 5
                # TYPE active gauge
                active 1.5
                # TYPE took_seconds histogram
                took_seconds_bucket{path="/",le="0.001"} 1
                took_seconds_bucket{path="/",le="0.002"} 1
                took_seconds_bucket{path="/",le="0.005"} 2

                """))
        #expect(
            text.hasSuffix(
                """
                took_seconds_bucket{path="/",le="10.0"} 2
                took_seconds_bucket{path="/",le="+Inf"} 3
                took_seconds_sum{path="/"} 30.004
                took_seconds_count{path="/"} 3

                """))
    }
}
