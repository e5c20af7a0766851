package import Metrics
import NativeAuthCore

/// Keeps counters, gauges and timers in memory and writes them in Prometheus' exposition format, version 0.0.4.
///
/// Names and labels come from this program, never from a request, so their number is bounded.
package final class PrometheusMetrics: MetricsFactory {
    private let families = Locked<[String: Family]>([:])

    private struct Family {
        let type: String
        /// The series by their labels, as written in the text.
        var series: [String: any Series] = [:]
    }

    package init() {}

    /// All values as text, with families and labels in order.
    package func text() -> String {
        var text = ""
        for (name, family) in families.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text += "# TYPE \(name) \(family.type)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                for sample in series.samples {
                    let all = [labels, sample.label].filter { !$0.isEmpty }.joined(separator: ",")
                    text += "\(name)\(sample.suffix)\(all.isEmpty ? "" : "{\(all)}") \(sample.value)\n"
                }
            }
        }
        return text
    }

    /// Sets a value that is read elsewhere; a counter if its name says so.
    func set(_ name: String, to value: Double) {
        series(name, name.hasSuffix("_total") ? "counter" : "gauge", [], Value()).set(value)
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label + "_total", "counter", dimensions, Value())
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, "gauge", dimensions, Value())
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate
            ? series(label, "histogram", dimensions, Histogram()) : series(label, "gauge", dimensions, Value())
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label + "_seconds", "histogram", dimensions, Histogram())
    }

    // Keep the values: a counter that starts again at 0 would look like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The series with this name and these labels; `fresh` if there is none yet.
    private func series<Kind: Series>(
        _ label: String, _ type: String, _ dimensions: [(String, String)], _ fresh: Kind
    ) -> Kind {
        let name = Self.name(label)
        let labels = dimensions.map { "\(Self.name($0))=\"\(Self.escaped($1))\"" }.sorted().joined(separator: ",")
        return families.withLock { families in
            if let known = families[name]?.series[labels] as? Kind { return known }
            families[name, default: Family(type: type)].series[labels] = fresh
            return fresh
        }
    }

    /// The name with only letters, digits and `_`.
    private static func name(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// The source of one or more lines of the text.
private protocol Series: AnyObject, Sendable {
    var samples: [Sample] { get }
}

private struct Sample {
    var suffix = ""
    var label = ""
    var value: String

    init(_ value: Double, suffix: String = "", label: String = "") {
        self.suffix = suffix
        self.label = label
        self.value = value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}

/// A number that only increases, or one that also decreases.
private final class Value: Series, CounterHandler, MeterHandler, RecorderHandler {
    private let value = Locked(0.0)

    var samples: [Sample] { [Sample(value.withLock { $0 })] }

    func increment(by amount: Int64) { value.withLock { $0 += Double(amount) } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func set(_ new: Int64) { value.withLock { $0 = Double(new) } }
    func set(_ new: Double) { value.withLock { $0 = new } }
    func record(_ new: Int64) { set(new) }
    func record(_ new: Double) { set(new) }
    func reset() { set(0.0) }
}

/// How often an operation took how long, in seconds.
private final class Histogram: Series, TimerHandler, RecorderHandler {
    private static let bounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct State {
        /// The number of values in each bucket; the last bucket has no bound.
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var sum = 0.0
    }

    private let state = Locked(State())

    var samples: [Sample] {
        let state = state.withLock { $0 }
        var total = 0
        var samples: [Sample] = []
        for (index, count) in state.counts.enumerated() {
            total += count
            let bound = index < Self.bounds.count ? "\(Self.bounds[index])" : "+Inf"
            samples.append(Sample(Double(total), suffix: "_bucket", label: "le=\"\(bound)\""))
        }
        return samples + [Sample(state.sum, suffix: "_sum"), Sample(Double(total), suffix: "_count")]
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }
}
