package import Logging
import Metrics
import NativeAuthCore
package import PortableFoundation

/// Keeps finished spans and sends them to a collector. A collector that is slow or away costs spans, and never a request.
package final class SpanExporter: Sendable {
    /// Posts a body to the collector.
    ///
    /// - Returns: Nil when it was accepted, else the reason in a few words.
    package typealias Send = @Sendable (Data) async -> String?

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

    /// Sends what waits. When the collector does not take it, it waits for the next call.
    package func flush() async {
        while true {
            let spans = state.withLock { Array($0.spans.prefix(Self.batch)) }
            guard !spans.isEmpty else { return }
            let reason = await send(body(of: spans))
            let isTaken = reason == nil
            let begins = state.withLock { state in
                if isTaken { state.spans.removeFirst(spans.count) }
                defer { state.isFailing = !isTaken }
                return !isTaken && !state.isFailing
            }
            if begins { logger.warning("the collector takes no traces", metadata: ["cause": "\(reason ?? "")"]) }
            guard isTaken else { return }
        }
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
