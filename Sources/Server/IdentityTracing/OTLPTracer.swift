import NativeAuthCore
package import Tracing

/// Records the spans of requests for a collector of OpenTelemetry (design record 0032).
package struct OTLPTracer: Tracer {
    private let exporter: SpanExporter
    /// From 0 to 1.
    private let share: Double

    /// - Parameters:
    ///   - share: The part of the traces that begin here which is recorded, from 0 to 1. A trace that a caller began is recorded if
    ///     the caller records it.
    package init(_ exporter: SpanExporter, share: Double) {
        self.exporter = exporter
        self.share = share
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> OTLPSpan {
        var context = context()
        let parent = context.traceParent
        var generator = SystemRandomNumberGenerator()
        let own = TraceParent(
            trace: parent?.trace ?? .init(high: generator.next(), low: generator.next() | 1),
            span: generator.next() | 1,
            isSampled: parent?.isSampled ?? (Double.random(in: 0..<1, using: &generator) < share))
        context.traceParent = own
        return OTLPSpan(
            operationName, own, parent: parent?.span, kind: kind, start: instant().nanosecondsSinceEpoch,
            context: context, exporter: exporter)
    }

    package func activeSpan(identifiedBy context: ServiceContext) -> OTLPSpan? { nil }

    package func forceFlush() {}

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.traceParent = extractor.extract(key: Self.header, from: carrier).flatMap { TraceParent($0) }
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let parent = context.traceParent else { return }
        injector.inject(parent.text, forKey: Self.header, into: &carrier)
    }

    private static let header = "traceparent"
}

/// A part of a request's work. What it records is from this program: names of routes and operations, and numbers.
package final class OTLPSpan: Span {
    private struct State {
        var name: String
        var attributes = SpanAttributes()
        var isFailed = false
        var isEnded = false
    }

    package let context: ServiceContext
    package let place: TraceParent
    private let parent: UInt64?
    private let kind: SpanKind
    private let start: UInt64
    private let exporter: SpanExporter
    private let state: Locked<State>

    init(
        _ name: String, _ place: TraceParent, parent: UInt64?, kind: SpanKind, start: UInt64, context: ServiceContext,
        exporter: SpanExporter
    ) {
        self.place = place
        self.parent = parent
        self.kind = kind
        self.start = start
        self.context = context
        self.exporter = exporter
        state = Locked(State(name: name))
    }

    package var isRecording: Bool { place.isSampled && !state.withLock { $0.isEnded } }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { if place.isSampled { state.withLock { $0.attributes = newValue } } }
    }

    package func setStatus(_ status: SpanStatus) {
        state.withLock { $0.isFailed = status.code == .error }
    }

    /// The error's text is left out: it may quote a value.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        state.withLock { $0.isFailed = true }
    }

    // No part of this program has events or links.
    package func addEvent(_ event: SpanEvent) {}
    package func addLink(_ link: SpanLink) {}

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = state.withLock { state -> State? in
            defer { state.isEnded = true }
            return state.isEnded ? nil : state
        }
        guard let ended, place.isSampled else { return }
        exporter.add(
            OTLP.Span(
                place, parent: parent, name: ended.name, kind: kind, start: start, end: instant().nanosecondsSinceEpoch,
                attributes: ended.attributes, isFailed: ended.isFailed))
    }
}
