import Dispatch
package import Logging
import NativeAuthCore
package import PortableFoundation

/// The format of a log line.
package enum LogFormat: String, CaseIterable, Sendable {
    /// `2026-08-01T09:30:12Z info request route=/livez status=200`
    case text
    /// One JSON object per line: `time`, `level`, `message`, and the metadata beside them; numbers stay numbers.
    case json

    /// A name and a value, both without characters that end a line.
    fileprivate struct Pair {
        let name: String
        let value: String
        var isNumber = false
    }

    fileprivate func line(_ pairs: [Pair]) -> String {
        switch self {
        case .text:
            let words = pairs.map { pair in
                let value = pair.value.contains(" ") && pair.name != "message" ? "\"\(pair.value)\"" : pair.value
                return ["time", "level", "message"].contains(pair.name) ? value : "\(pair.name)=\(value)"
            }
            return words.joined(separator: " ") + "\n"
        case .json:
            let quoted = { (text: String) in
                "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
            }
            let members = pairs.map { "\(quoted($0.name)):\($0.isNumber ? $0.value : quoted($0.value))" }
            return "{" + members.joined(separator: ",") + "}\n"
        }
    }
}

/// Writes log lines to `output` and never makes a request wait (`SEC-LOG-4`): lines wait in a queue; when it is full,
/// lines are dropped and counted.
package final class LogOutput: Sendable {
    let format: LogFormat
    private let queue = DispatchQueue(label: "native-auth.log")
    private let write: @Sendable (String) -> Void
    private let longestQueue: Int
    private let state = Locked((waiting: 0, dropped: 0))

    /// - Parameter write: Receives one line with its line feed; may block.
    package init(
        _ format: LogFormat, longestQueue: Int = 10_000, write: @escaping @Sendable (String) -> Void
    ) {
        self.format = format
        self.longestQueue = longestQueue
        self.write = write
    }

    func append(_ line: String) {
        let isKept = state.withLock { state in
            guard state.waiting < longestQueue else {
                state.dropped += 1
                return false
            }
            state.waiting += 1
            return true
        }
        guard isKept else { return }
        queue.async {
            self.write(line)
            let dropped = self.state.withLock { state in
                state.waiting -= 1
                defer { state.dropped = 0 }
                return state.dropped
            }
            if dropped > 0 {
                self.write(
                    self.format.line([
                        .init(name: "level", value: "warning"), .init(name: "message", value: "log lines were dropped"),
                        .init(name: "count", value: "\(dropped)", isNumber: true),
                    ]))
            }
        }
    }

    /// Waits until all lines so far are written, at most one second.
    package func flush() async {
        let isDone = Locked(false)
        queue.async { isDone.withLock { $0 = true } }
        for _ in 0..<100 where !isDone.withLock({ $0 }) {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }
}

/// A handler that writes log lines. Text that may come from outside is truncated to 256 bytes, and characters that
/// could end a line, control a terminal or change the writing direction are escaped (`SEC-LOG-3`).
package struct LogLines: LogHandler {
    private static let longestValue = 256

    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let output: LogOutput
    private let now: @Sendable () -> Date

    package init(to output: LogOutput, now: @escaping @Sendable () -> Date) {
        self.output = output
        self.now = now
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        for more in [metadataProvider?.get(), event.metadata] { all.merge(more ?? [:]) { $1 } }
        let first: [LogFormat.Pair] = [
            .init(name: "time", value: now().formatted(.iso8601)), .init(name: "level", value: "\(event.level)"),
            .init(name: "message", value: Self.safe("\(event.message)")),
        ]
        let rest = all.sorted { $0.key < $1.key }.map { name, value in
            LogFormat.Pair(name: Self.safe(name), value: Self.safe("\(value)"), isNumber: Self.isNumber(value))
        }
        output.append(output.format.line(first + rest))
    }

    /// Whether the caller gave the value as a number instead of text: text may come from outside.
    private static func isNumber(_ value: Logger.Metadata.Value) -> Bool {
        guard case .stringConvertible(let value) = value else { return false }
        return value is any BinaryInteger || (value as? Double)?.isFinite == true
    }

    private static func safe(_ text: String) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            let category = scalar.properties.generalCategory
            // The format characters include those that change the writing direction.
            let isHarmless = ![.control, .format, .lineSeparator, .paragraphSeparator].contains(category)
            let piece = isHarmless ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            guard safe.utf8.count + piece.utf8.count <= longestValue else { return safe + "…" }
            safe += piece
        }
        return safe
    }
}
