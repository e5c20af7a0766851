import Foundation
import Histogram

/// The measurements of a scenario.
struct BenchFigures: Sendable {
    let scenario: BenchScenario
    /// The measurement at the highest load.
    let most: Measurement
    /// Measurements at fixed rates, each a share of the highest rate of journeys a second.
    var shares: [(share: Double, measured: Measurement)] = []
    /// The server's processor time for one request, including mails.
    var processorMicroseconds: Double?
    /// The server's memory after an overload, as a multiple of the memory before.
    var growth: Double?
    /// The server's memory at the end.
    var residentMebibytes: Double?
}

/// The same scenario on the server and on the floor, once each in every round.
struct FloorComparison: Sendable {
    let scenario: BenchScenario
    var server: [BenchFigures] = []
    var floor: [BenchFigures] = []

    /// The medians, and server ÷ floor: requests a second, then µs of processor a request.
    var cells: [String] {
        let rates = (
            Self.median(server) { $0.most.requestsPerSecond }, Self.median(floor) { $0.most.requestsPerSecond }
        )
        let costs = (Self.median(server) { $0.processorMicroseconds }, Self.median(floor) { $0.processorMicroseconds })
        func ratio(_ pair: (Double?, Double?)) -> String {
            guard let one = pair.0, let other = pair.1, other > 0 else { return "" }
            return String(format: "%.2f", one / other)
        }
        func text(_ value: Double?) -> String { value.map(BenchReport.number) ?? "" }
        return [text(rates.0), text(rates.1), ratio(rates), text(costs.0), text(costs.1), ratio(costs)]
    }

    private static func median(_ figures: [BenchFigures], _ value: (BenchFigures) -> Double?) -> Double? {
        let values = figures.compactMap(value).sorted()
        guard !values.isEmpty else { return nil }
        return (values[values.count / 2] + values[(values.count - 1) / 2]) / 2
    }
}

/// The report as a table for the terminal, and as Markdown with a plot.
struct BenchReport: Sendable {
    let settings: String
    var ceilings = Ceilings()
    var figures: [BenchFigures] = []
    var comparisons: [FloorComparison] = []
    private var notes: [String] = []

    init(settings: String) {
        self.settings = settings
    }

    mutating func note(_ text: String) {
        notes.append(text)
        say(text)
    }

    /// The empty handler's requests a second.
    private var empty: Double { figures.first { $0.scenario == .empty }?.most.requestsPerSecond ?? 0 }

    var ceilingLines: String {
        """
        Ceilings of this machine, a second:
          password hashes     \(Self.number(ceilings.hashes))
          RS256 signatures    \(Self.number(ceilings.rs256))
          ES256 signatures    \(Self.number(ceilings.es256))
          durable commits     \(Self.number(ceilings.commits)), \(Self.number(ceilings.groupedCommits)) rows when 64 ask at once
        """
    }

    static let head =
        pad("scenario", 32) + " "
        + columns([
            "requests/s", "÷ empty", "journeys/s", "p50 ms", "p99 ms", "p99 at 50 %", "p99 at 80 %", "CPU µs", "MiB",
            "failed",
        ])

    func line(_ figures: BenchFigures, isFloor: Bool = false) -> String {
        Self.pad(isFloor ? "  on the floor" : figures.scenario.title, 32) + " " + Self.columns(cells(figures))
            + (([figures.most] + figures.shares.map(\.measured)).lazy.compactMap(\.example).first.map {
                "\n  one failure: \($0)"
            } ?? "")
            + (overload(figures).map { "\n  \($0)" } ?? "")
    }

    var comparisonLines: String {
        let head =
            Self.pad("server against floor", 32) + " "
            + Self.columns(["requests/s", "floor", "÷", "CPU µs", "floor", "÷"])
        let lines = comparisons.map { Self.pad($0.scenario.title, 32) + " " + Self.columns($0.cells) }
        return ([head] + lines).joined(separator: "\n")
    }

    /// The comparison as a table in Markdown; empty without one.
    private var comparisonTable: String {
        guard !comparisons.isEmpty else { return "" }
        let rows = comparisons.map { "| \($0.scenario.title) | \($0.cells.joined(separator: " | ")) |" }
        return """
            | Scenario | server, requests/s | floor | server ÷ floor | server, CPU µs a request | floor | server ÷ floor |
            |---|---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))


            """
    }

    /// The result of ten times the highest load; nil for other scenarios.
    private func overload(_ figures: BenchFigures) -> String? {
        guard figures.scenario == .overload, let measured = figures.shares.last?.measured else { return nil }
        let most = max(figures.most.journeysPerSecond, 0.001)
        func shed(_ percentile: Double) -> String {
            Self.number(Double(measured.shed.valueAtPercentile(percentile)) / 1000)
        }
        return
            "\(Self.number(most * 10)) a second were due, ten times the most; \(Self.number(measured.journeysPerSecond)) ended, "
            + "\(Self.number(measured.journeysPerSecond / most)) of the most;\n  first requests refused with 503: "
            + "\(measured.shed.totalCount), within \(shed(50)) ms (p50) and \(shed(99)) ms (p99);"
            + " memory: \(figures.growth.map(Self.number) ?? "?") times that of before"
    }

    private func cells(_ figures: BenchFigures) -> [String] {
        let most = figures.most
        func worst(atShare share: Double) -> String {
            figures.shares.last { $0.share == share }
                .map { Self.number($0.measured.milliseconds(atPercentile: 99)) } ?? ""
        }
        return [
            Self.number(most.requestsPerSecond), empty > 0 ? Self.number(most.requestsPerSecond / empty) : "",
            Self.number(most.journeysPerSecond), Self.number(most.milliseconds(atPercentile: 50)),
            Self.number(most.milliseconds(atPercentile: 99)),
            worst(atShare: 0.5), worst(atShare: 0.8),
            figures.processorMicroseconds.map(Self.number) ?? "", figures.residentMebibytes.map(Self.number) ?? "",
            "\(most.failures + figures.shares.reduce(0) { $0 + $1.measured.failures })",
        ]
    }

    /// Writes the report, and its plot beside it.
    func write(to file: URL) throws {
        let plot = file.deletingPathExtension().appendingPathExtension("svg")
        let rows = figures.map { "| \($0.scenario.title) | \(cells($0).joined(separator: " | ")) |" }
        let text = """
            # How fast it is

            Written by `native-auth-bench`: \(settings). \(notes.joined(separator: " "))

            | Ceiling | a second |
            |---|---|
            | password hashes | \(Self.number(ceilings.hashes)) |
            | RS256 signatures | \(Self.number(ceilings.rs256)) |
            | ES256 signatures | \(Self.number(ceilings.es256)) |
            | durable commits, one after another | \(Self.number(ceilings.commits)) |
            | durable rows, 64 callers | \(Self.number(ceilings.groupedCommits)) |

            | Scenario | requests/s | ÷ empty handler | journeys/s | p50 ms | p99 ms | p99 ms at 50 % | p99 ms at 80 % | CPU µs a request | MiB | failed |
            |---|---|---|---|---|---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))

            \(comparisonTable)\(figures.compactMap { figures in overload(figures).map { "\(figures.scenario.title): \($0).\n" } }.joined())
            ![Latency against load](\(plot.lastPathComponent))

            """
        try Data(text.utf8).write(to: file)
        try Data(LatencyPlot(figures: figures).svg.utf8).write(to: plot)
    }

    /// The value with three significant digits.
    static func number(_ value: Double) -> String {
        switch value {
        case ..<0.995: String(format: "%.2f", value)
        case ..<9.95: String(format: "%.1f", value)
        case _: String(format: "%.0f", value)
        }
    }

    private static func columns(_ cells: [String]) -> String {
        cells.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }.joined()
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// A plot of p99 against the share of a scenario's highest load; the axes are the same for all scenarios.
struct LatencyPlot {
    let figures: [BenchFigures]
    private static let colours = [
        "#0b6e99", "#b3261e", "#2e7d32", "#7b5ea7", "#a86500", "#4a4a4a", "#c2185b", "#00796b", "#5d4037", "#303f9f",
    ]

    var svg: String {
        let (width, height, left, bottom) = (760.0, 420.0, 60.0, 40.0)
        let points = figures.map { figures in
            figures.shares.filter { $0.share <= 1 }.map {
                ($0.share, max(0.05, $0.measured.milliseconds(atPercentile: 99)))
            }
        }
        let highest = max(10, points.joined().map(\.1).max() ?? 10)
        let (across, up) = (width - left - 220, height - bottom - 20)
        func x(_ share: Double) -> Double { left + share * across }
        // Logarithmic from 0.05 ms.
        func y(_ milliseconds: Double) -> Double {
            let part: Double = Foundation.log(milliseconds / 0.05) / Foundation.log(highest / 0.05)
            return height - bottom - part * up
        }
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(width)) \(Int(height))\" font-family=\"sans-serif\" font-size=\"12\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
        ]
        for tick in [0.1, 1, 10, 100, 1000] where tick <= highest {
            parts.append("<line x1=\"\(left)\" x2=\"\(x(1))\" y1=\"\(y(tick))\" y2=\"\(y(tick))\" stroke=\"#ddd\"/>")
            parts.append(
                "<text x=\"\(left - 6)\" y=\"\(y(tick) + 4)\" text-anchor=\"end\">\(BenchReport.number(tick)) ms</text>"
            )
        }
        for share in [0.2, 0.5, 0.8, 1] {
            parts.append(
                "<text x=\"\(x(share))\" y=\"\(height - bottom + 18)\" text-anchor=\"middle\">\(Int(share * 100)) %</text>"
            )
        }
        for (number, line) in points.enumerated() where !line.isEmpty {
            let colour = Self.colours[number % Self.colours.count]
            let path = line.map { "\(x($0.0)),\(y($0.1))" }.joined(separator: " ")
            parts.append("<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"/>")
            parts.append(
                "<text x=\"\(x(1) + 12)\" y=\"\(30 + 18 * Double(number))\" fill=\"\(colour)\">\(figures[number].scenario.title)</text>"
            )
        }
        parts.append(
            "<text x=\"\(left)\" y=\"14\">p99 from the moment a request was due, against the share of the most that goes</text>"
        )
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }
}
