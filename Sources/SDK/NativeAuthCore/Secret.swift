/// A value that must stay hidden: a password, a code, a token, a key.
///
/// It prints as `‹redacted›` in `description`, `debugDescription`, `dump` and string interpolation, and has no
/// `Codable` conformance, so that it cannot get into a log, an error text or an encoded value (`SEC-LOG-1`). Only
/// ``reveal()`` gives access to the content; call it only at the point of use.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: Value

    /// Wraps `value`.
    public init(_ value: Value) {
        self.value = value
    }

    /// The hidden content.
    public func reveal() -> Value { value }

    public var description: String { "‹redacted›" }
    public var debugDescription: String { "‹redacted›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}
