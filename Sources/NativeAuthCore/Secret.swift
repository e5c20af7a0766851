/// A value that must not be seen: a password, a code, a token, a key.
///
/// It prints as `‹redacted›` in `description`, `debugDescription`, `dump` and string interpolation, and has no `Codable`
/// conformance, so that it cannot slip into a log, an error text or an encoded value (`SEC-LOG-1`). ``reveal()`` is the one
/// way to the content; call it at the point of use only.
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
