package import Tracing

/// The place of a span in its trace, as the header `traceparent` says it (W3C Trace Context section 3.2).
package struct TraceParent: Hashable, Sendable {
    /// The 16 bytes of the trace's id.
    package var trace: Identifier
    /// The 8 bytes of the span's id; never 0.
    package var span: UInt64
    /// Whether the caller records the trace.
    package var isSampled: Bool

    package struct Identifier: Hashable, Sendable {
        package var high: UInt64
        package var low: UInt64

        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        package var text: String { TraceParent.hexadecimal(high) + TraceParent.hexadecimal(low) }
    }

    package init(trace: Identifier, span: UInt64, isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }

    /// - Parameter text: The value of the header. Versions above 00 may have more fields behind the known ones (section 4).
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 55, bytes.count <= 512, let version = Self.number(bytes[0..<2]), version != 0xFF,
            bytes.count == 55 || (version > 0 && bytes[55] == Self.dash),
            [2, 35, 52].allSatisfy({ bytes[$0] == Self.dash }),
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]), high | low != 0,
            let span = Self.number(bytes[36..<52]), span != 0, let flags = Self.number(bytes[53..<55])
        else { return nil }
        self.init(trace: Identifier(high: high, low: low), span: span, isSampled: flags & 1 == 1)
    }

    /// The value of the header, version 00.
    package var text: String { "00-\(trace.text)-\(Self.hexadecimal(span))-\(isSampled ? "01" : "00")" }

    package var spanText: String { Self.hexadecimal(span) }

    private static let dash = UInt8(ascii: "-")

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            case _: return nil
            }
        }
        return number
    }

    fileprivate static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension ServiceContext {
    private enum Key: ServiceContextKey {
        typealias Value = TraceParent
    }

    /// The span that is under way; nil when the request is not traced.
    package var traceParent: TraceParent? {
        get { self[Key.self] }
        set { self[Key.self] = newValue }
    }
}
