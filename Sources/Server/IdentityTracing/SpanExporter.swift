package import Logging
import Metrics
import NativeAuthCore
package import PortableFoundation

/// Keeps finished spans and sends them to a collector. A collector that is slow or away costs spans, and never a request.
package final class SpanExporter: Sendable {
    /// What a collector said to a body.
    package enum Answer: Sendable {
        case taken
        /// It may take it later; with the reason in a few words.
        case later(String)
        /// It will never take it.
        case refused(String)
    }

    /// Posts a body to the collector.
    package typealias Send = @Sendable (Data) async -> Answer

    private struct State {
        var spans: [OTLP.Span] = []
        var isFailing = false
    }

    /// About 8 MB.
    private static let mostWaiting = 16_384
    private static let batch = 512

    private let resource: OTLP.Resource
    private let logger: Logger
    private let send: Send
    private let dropped = Counter(label: "native_auth_spans_dropped")
    private let state = Locked(State())

    /// - Parameter resource: What the spans come from, by the names of OpenTelemetry's conventions, such as `service.name`.
    package init(resource: [(String, String)], logger: Logger, send: @escaping Send) {
        self.resource = OTLP.Resource(attributes: resource.map { OTLP.KeyValue(key: $0, value: OTLP.Value($1)) })
        self.logger = logger
        self.send = send
    }

    /// Keeps a span until ``flush()``, unless too many wait already.
    func add(_ span: OTLP.Span) {
        let isKept = state.withLock { state in
            guard state.spans.count < Self.mostWaiting else { return false }
            state.spans.append(span)
            return true
        }
        if !isKept { dropped.increment() }
    }

    /// Sends what waits. What the collector may take later waits for the next call; what it refuses is left out.
    ///
    /// - Parameter end: When to stop, though more may wait.
    package func flush(until end: ContinuousClock.Instant? = nil) async {
        while !Task.isCancelled, end.map({ $0 > .now }) ?? true {
            let spans = state.withLock { Array($0.spans.prefix(Self.batch)) }
            guard !spans.isEmpty else { return }
            let answer = await send(body(of: spans))
            switch answer {
            case .taken, .refused: state.withLock { $0.spans.removeFirst(spans.count) }
            case .later: break
            }
            switch answer {
            case .taken: state.withLock { $0.isFailing = false }
            case .later(let reason):
                tell(reason)
                return
            case .refused(let reason):
                dropped.increment(by: spans.count)
                tell(reason)
            }
        }
    }

    /// Logs once until the collector takes spans again.
    private func tell(_ reason: String) {
        let begins = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        if begins { logger.warning("the collector takes no traces", metadata: ["cause": "\(reason)"]) }
    }

    private func body(of spans: [OTLP.Span]) -> Data {
        let request = OTLP.Request(resourceSpans: [
            OTLP.ResourceSpans(
                resource: resource, scopeSpans: [OTLP.ScopeSpans(scope: OTLP.Scope(name: "native-auth"), spans: spans)])
        ])
        do {
            return try JSONEncoder().encode(request)
        } catch {
            // A number that JSON does not have; an empty request is accepted, and the spans end.
            return Data("{}".utf8)
        }
    }
}
