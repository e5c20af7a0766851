import Hummingbird
import IdentityEngine
import NativeAuthCore
import PortableFoundation

// What happened in a tenant in the last hour, day or month, and whether the server is well.
extension Console {
    func overview(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> HTML {
        let tenant = try tenant(context).tenant
        let fields = try Self.queryFields(of: request)
        let span = ActivitySpan(rawValue: try Self.value("span", of: fields)) ?? .day
        let now = context.trace.at
        let counts: [ActivityCount]
        let steps: [ActivityCount]
        do {
            counts = try await store.activity(of: tenant.id, in: span, now: now)
            steps = try await store.activity(of: OperatorTenant.id, in: span, now: now)
        } catch {
            throw EngineError.store(error)
        }
        let path = Self.path(.overview, tenant)
        let ranges: [HTML] = ActivitySpan.allCases.map {
            "<li><a href=\"\(path)?span=\($0.rawValue)\"\(" aria-current=\"true\"", if: $0 == span)>\($0.title)</a></li>"
        }
        let bars = Bars(span: span, now: now)
        let (signUps, signIns) = (bars.sums(of: .signUps, counts), bars.sums(of: .signIns, counts))
        let (failures, codes) = (bars.sums(of: .failures, counts), bars.sums(of: .codesSent, counts))
        let p99 = bars.p99(steps)
        let slowest = bars.p99OfAll(steps)
        func tile(_ label: String, _ value: String, _ events: String? = nil) -> HTML {
            let name: HTML =
                events.map { "<a href=\"\(Self.path(.events, tenant))?kind=\($0)\">\(label)</a>" } ?? "\(label)"
            return "<li class=\"tile\"><p class=\"label\">\(name)</p><p class=\"big\">\(value)</p></li>"
        }
        func sum(_ numbers: [Int]) -> String { Self.grouped(numbers.reduce(0, +)) }
        let health = await facts().filter { $0.state != .neutral }
        let items: [HTML] = health.map {
            "<li>\(Self.badge($0.state == .good ? "Good" : "Bad", $0.state == .good ? "good" : "bad")) <strong>\($0.name)</strong> <span class=\"detail\">\($0.value)</span></li>"
        }
        let unit = span.unit
        return shell(
            "Overview", .overview, of: tenant, for: visitor,
            """
            \(Self.head("Overview", actions: "<nav class=\"range\" aria-label=\"Range\"><ul>\(ranges)</ul></nav>"))
            <ul class="tiles">
            \(tile("Sign-ups", sum(signUps), "signup.completed"))
            \(tile("Sign-ins", sum(signIns), "signin.succeeded"))
            \(tile("Failures", sum(failures), "failures"))
            \(tile("Codes sent", sum(codes), "otp.sent"))
            \(tile("Slowest 1 % of answers", slowest.map(Bars.text) ?? "–"))
            </ul>
            <section class="panel"><h2>Health</h2>
            <ul class="health">\(items)</ul>
            </section>
            <div class="grid">
            <section class="panel">\(chart("c-signins", "Sign-ins \(unit), UTC", bars, [("Succeeded", "bar", signIns), ("Failures", "bar bad", failures)]))</section>
            <section class="panel">\(chart("c-signups", "Sign-ups \(unit), UTC", bars, [("Sign-ups", "bar", signUps)]))</section>
            <section class="panel">\(chart("c-codes", "Codes sent \(unit), UTC", bars, [("Codes", "bar second", codes)]))</section>
            <section class="panel">\(chart("c-steps", "Answer time, slowest 1 %, all tenants \(unit), ms, UTC", bars, [("Milliseconds, at most", "bar second", p99)]))</section>
            </div>
            """)
    }

    /// Bars that stand on each other.
    private func chart(
        _ id: String, _ caption: String, _ bars: Bars, _ series: [(name: String, kind: String, numbers: [Int])]
    ) -> HTML {
        let sums = (0..<bars.span.bars).map { index in series.reduce(0) { $0 + $1.numbers[index] } }
        guard let highest = sums.max(), highest > 0 else {
            return """
                <figure class="chart"><figcaption id="\(id)">\(caption)</figcaption>\
                <p class="empty">No events in this period.</p></figure>
                """
        }
        let top = Bars.top(above: highest)
        let width = bars.span.bars * 10
        var rectangles: [HTML] = []
        var lines: [HTML] = []
        for index in 0..<bars.span.bars {
            var height = 0.0
            for (name, kind, numbers) in series where numbers[index] > 0 {
                let share = Double(numbers[index]) * 100 / Double(top)
                let gap = height > 0 ? 1.0 : 0
                let y = Bars.decimal(max(0, 100 - height - share))
                rectangles.append(
                    """
                    <rect class="\(kind)" x="\(index * 10 + 1)" y="\(y)" width="8" height="\(Bars.decimal(max(0.5, share - gap)))">\
                    <title>\(bars.label(index)): \(numbers[index]) \(name.lowercased())</title></rect>
                    """)
                height += share
            }
            if sums[index] > 0 {
                let cells: [HTML] = series.map { "<td class=\"number\">\(Self.grouped($0.numbers[index]))</td>" }
                lines.append("<tr><th scope=\"row\">\(bars.label(index))</th>\(cells)</tr>")
            }
        }
        let grid: [HTML] = [0, 50, 100].map {
            "<line class=\"grid\" x1=\"0\" y1=\"\($0)\" x2=\"\(width)\" y2=\"\($0)\"/>"
        }
        let legend: [HTML] = series.map { "<li class=\"\($0.kind)\">\($0.name)</li>" }
        let heads: [HTML] = series.map { "<th scope=\"col\" class=\"number\">\($0.name)</th>" }
        let marks: [HTML] = bars.marks.map { "<li>\($0)</li>" }
        let half: HTML? = top.isMultiple(of: 2) ? "\(Self.grouped(top / 2))" : nil
        return """
            <figure class="chart">
            <figcaption id="\(id)">\(caption)</figcaption>
            \(series.count > 1 ? "<ul class=\"legend\">\(legend)</ul>" : nil)
            <ol class="y" aria-hidden="true"><li>\(Self.grouped(top))</li><li>\(half)</li><li>0</li></ol>
            <svg viewBox="0 0 \(width) 100" preserveAspectRatio="none" role="img" aria-labelledby="\(id)">
            \(grid)\(rectangles)
            </svg>
            <ol class="x" aria-hidden="true">\(marks)</ol>
            <details><summary>Numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="\(caption), numbers">\
            <table class="list"><thead><tr><th scope="col">From</th>\(heads)</tr></thead><tbody>\(lines)</tbody></table></div></details>
            </figure>
            """
    }
}

/// The bars of a span.
private struct Bars {
    let span: ActivitySpan
    let start: Date

    init(span: ActivitySpan, now: Date) {
        self.span = span
        start = span.start(now: now)
    }

    private func index(of date: Date) -> Int? {
        let index = Int(date.timeIntervalSince(start)) / span.bar
        return (0..<span.bars).contains(index) ? index : nil
    }

    func sums(of activity: Activity, _ counts: [ActivityCount]) -> [Int] {
        var sums = [Int](repeating: 0, count: span.bars)
        for count in counts where count.activity == activity {
            if let index = index(of: count.start) { sums[index] += count.number }
        }
        return sums
    }

    /// The time within which 99 of 100 steps were answered, in milliseconds; 0 for a bar without steps.
    func p99(_ counts: [ActivityCount]) -> [Int] {
        let parts = Dictionary(grouping: counts) { index(of: $0.start) }
        return (0..<span.bars).map { Self.p99(parts[$0] ?? []) ?? 0 }
    }

    func p99OfAll(_ counts: [ActivityCount]) -> Int? { Self.p99(counts) }

    private static func p99(_ counts: [ActivityCount]) -> Int? {
        var numbers: [Int: Int] = [:]
        for count in counts {
            if case .steps(let power) = count.activity { numbers[power, default: 0] += count.number }
        }
        let total = numbers.values.reduce(0, +)
        guard total > 0 else { return nil }
        var seen = 0
        for (power, number) in numbers.sorted(by: { $0.key < $1.key }) {
            seen += number
            if seen * 100 >= total * 99 { return 1 << power }
        }
        return nil
    }

    static func text(_ milliseconds: Int) -> String {
        milliseconds < 1_000 ? "\(milliseconds) ms" : "\(decimal(Double(milliseconds) / 1_000)) s"
    }

    /// The text of a bar's beginning: `2026-11-25 10:00`.
    func label(_ index: Int) -> String {
        let text = start.addingTimeInterval(Double(index * span.bar)).ISO8601Format()
        let day = text.prefix(10)
        return span == .month ? String(day) : "\(day) \(text.dropFirst(11).prefix(5))"
    }

    /// The texts of the axis, evenly spaced.
    var marks: [String] {
        let parts =
            switch span {
            case .hour: 6
            case .day: 4
            case .month: 5
            }
        return (0..<parts).map { part in
            let text = label(part * span.bars / parts)
            return span == .month ? String(text.dropFirst(5)) : String(text.suffix(5))
        }
    }

    /// The number at the top of the axis: 1, 2, 4, 6, 8 or 10 times a power of ten.
    static func top(above highest: Int) -> Int {
        var power = 1
        while true {
            for step in [1, 2, 4, 6, 8, 10] where step * power >= highest { return step * power }
            let (next, overflows) = power.multipliedReportingOverflow(by: 10)
            guard !overflows, next <= Int.max / 10 else { return highest }
            power = next
        }
    }

    /// At most one digit behind the point.
    static func decimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension ActivitySpan {
    fileprivate var title: String {
        switch self {
        case .hour: "Hour"
        case .day: "Day"
        case .month: "Month"
        }
    }

    fileprivate var unit: String {
        switch self {
        case .hour: "per minute"
        case .day: "per hour"
        case .month: "per day"
        }
    }
}
