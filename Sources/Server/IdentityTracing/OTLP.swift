import Tracing

/// The messages of OTLP/HTTP in JSON (OpenTelemetry protocol 1.x, `ExportTraceServiceRequest`): ids in hexadecimal, enumerations as
/// numbers, 64-bit numbers as text.
enum OTLP {
    struct Request: Encodable {
        var resourceSpans: [ResourceSpans]
    }

    struct ResourceSpans: Encodable {
        var resource: Resource
        var scopeSpans: [ScopeSpans]
    }

    struct Resource: Encodable {
        var attributes: [KeyValue]
    }

    struct ScopeSpans: Encodable {
        var scope: Scope
        var spans: [Span]
    }

    struct Scope: Encodable {
        var name: String
    }

    struct Span: Encodable, Sendable {
        var traceId: String
        var spanId: String
        /// Left out for the first span of a trace.
        var parentSpanId: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [KeyValue]
        var status: Status?

        init(
            _ place: TraceParent, parent: UInt64?, name: String, kind: SpanKind, start: UInt64, end: UInt64,
            attributes: SpanAttributes, isFailed: Bool
        ) {
            traceId = place.trace.text
            spanId = place.spanText
            parentSpanId = parent.map { TraceParent(trace: place.trace, span: $0, isSampled: true).spanText }
            self.name = name
            self.kind =
                switch kind {
                case .internal: 1
                case .server: 2
                case .client: 3
                case .producer: 4
                case .consumer: 5
                }
            startTimeUnixNano = "\(start)"
            // The clock may have been set back meanwhile.
            endTimeUnixNano = "\(max(start, end))"
            var list: [KeyValue] = []
            // The library's attributes are no sequence.
            func add(_ key: String, _ value: SpanAttribute) { list.append(KeyValue(key: key, value: Value(value))) }
            attributes.forEach(add)
            self.attributes = list.sorted { $0.key < $1.key }
            status = isFailed ? Status(code: 2) : nil
        }
    }

    struct Status: Encodable, Sendable {
        var code: Int
    }

    struct KeyValue: Encodable, Sendable {
        var key: String
        var value: Value
    }

    struct Value: Encodable, Sendable {
        var stringValue: String?
        var intValue: String?
        var doubleValue: Double?
        var boolValue: Bool?

        init(_ text: String) { stringValue = text }

        init(_ attribute: SpanAttribute) {
            switch attribute {
            case .int32(let number): intValue = "\(number)"
            case .int64(let number): intValue = "\(number)"
            case .double(let number): doubleValue = number
            case .bool(let value): boolValue = value
            case .string(let text): stringValue = text
            // The library wants it: it may add cases. Arrays are not used here.
            case _: stringValue = "\(attribute)"
            }
        }
    }
}
