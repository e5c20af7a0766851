package import IdentityEngine
package import NativeAuthCore
package import PortableFoundation

/// The value of a column.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes(Data)
}

/// A value with exactly one form in a column. Any other form is damage, and reading it never traps; GRDB's own
/// conversions are not used, because they guess and trap.
package protocol StoredValue {
    var stored: SQLValue { get throws }
    /// The UUID whose bytes are ``stored``; nil for a value of another type. A session can write a UUID without making an
    /// object of its bytes, and nearly half of all values are UUIDs.
    var storedUUID: UUID? { get }
    /// Nil when `value` is not the ``stored`` form of any value of this type.
    static func restore(_ value: SQLValue) -> Self?
}

extension StoredValue {
    package var storedUUID: UUID? { nil }
}

/// Stored unchanged.
extension SQLValue: StoredValue {
    package var stored: SQLValue { self }
    package static func restore(_ value: SQLValue) -> SQLValue? { value }
}

extension Optional: StoredValue where Wrapped: StoredValue {
    package var stored: SQLValue { get throws { try self?.stored ?? .null } }
    package var storedUUID: UUID? { self?.storedUUID }
    package static func restore(_ value: SQLValue) -> Self? {
        if value == .null { return .some(nil) }
        return Wrapped.restore(value).map { .some($0) }
    }
}

extension Int: StoredValue {
    package var stored: SQLValue { .integer(Int64(self)) }
    package static func restore(_ value: SQLValue) -> Int? {
        if case .integer(let integer) = value { Int(exactly: integer) } else { nil }
    }
}

extension Bool: StoredValue {
    package var stored: SQLValue { .integer(self ? 1 : 0) }
    package static func restore(_ value: SQLValue) -> Bool? {
        switch Int.restore(value) {
        case 0: false
        case 1: true
        default: nil
        }
    }
}

extension String: StoredValue {
    package var stored: SQLValue { .text(self) }
    package static func restore(_ value: SQLValue) -> String? {
        if case .text(let text) = value { text } else { nil }
    }
}

extension Data: StoredValue {
    package var stored: SQLValue { .bytes(self) }
    package static func restore(_ value: SQLValue) -> Data? {
        if case .bytes(let bytes) = value { bytes } else { nil }
    }
}

/// The 16 bytes of the UUID, in written order.
extension UUID: StoredValue {
    package var stored: SQLValue { .bytes(withUnsafeBytes(of: uuid) { Data(copying: $0) }) }
    package var storedUUID: UUID? { self }
    package static func restore(_ value: SQLValue) -> UUID? { Data.restore(value).flatMap { UUID(bytes: $0) } }
}

/// Whole milliseconds since 1970, rounded to the nearest, so that a date compares equal before and after it was stored.
extension Date: StoredValue {
    package var stored: SQLValue {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return .integer(Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min))
    }
    package static func restore(_ value: SQLValue) -> Date? {
        Int.restore(value).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}

/// A JSON array. Arrays of plain words, which nearly all are, are written and read without a coder: each refresh reads
/// six.
extension [String]: StoredValue {
    package var stored: SQLValue {
        get throws {
            guard allSatisfy({ $0.utf8.allSatisfy(isPlain) }) else { return try storedJSON(self) }
            return .text(isEmpty ? "[]" : "[\"" + joined(separator: "\",\"") + "\"]")
        }
    }

    package static func restore(_ value: SQLValue) -> [String]? {
        if case .text(let text) = value, let words = plainWords(of: text) { words } else { restoredJSON(value) }
    }
}

/// Whether every JSON writer puts the byte into a string unchanged.
private func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        && byte != UInt8(ascii: "/")
}

/// The words of `["one","two"]`; nil for any other text, which may still be an array.
private func plainWords(of text: String) -> [String]? {
    if text == "[]" { return [] }
    guard text.hasPrefix("[\""), text.hasSuffix("\"]"), text.utf8.count >= 4 else { return nil }
    // A quotation mark stands only at each end of a word.
    let parts = text.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    guard !parts.count.isMultiple(of: 2), parts.first?.elementsEqual("[".utf8) == true,
        parts.last?.elementsEqual("]".utf8) == true
    else { return nil }
    var words: [String] = []
    for (index, part) in parts.enumerated().dropFirst().dropLast() {
        if index.isMultiple(of: 2) {
            guard part.elementsEqual(",".utf8) else { return nil }
        } else {
            guard part.allSatisfy(isPlain) else { return nil }
            words.append(String(Substring(part)))
        }
    }
    return words
}

/// JSON text, because a string may contain characters that databases truncate at or refuse, such as U+0000.
extension AttributeValue: StoredValue {
    package var stored: SQLValue { get throws { try storedJSON(self) } }
    package static func restore(_ value: SQLValue) -> AttributeValue? { restoredJSON(value) }

    /// The value of the column `type` of the table `attributes`.
    var typeName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .boolean: "boolean"
        }
    }
}

/// The address as the user typed it; its key derives from it.
extension EmailAddress: StoredValue {
    package var stored: SQLValue { .text(display) }
    package static func restore(_ value: SQLValue) -> EmailAddress? {
        String.restore(value).flatMap { Self(stored: $0) }
    }
}

extension PhoneNumber: StoredValue {
    package var stored: SQLValue { .text(text) }
    package static func restore(_ value: SQLValue) -> PhoneNumber? {
        String.restore(value).flatMap { Self(stored: $0) }
    }
}

/// The column `recent` of the table `lockouts`: digests of 32 bytes each, joined.
struct StoredDigests: StoredValue {
    private static let size = 32
    let digests: [Data]

    package var stored: SQLValue {
        get throws {
            // Digests of another length would be read back as different digests.
            guard digests.allSatisfy({ $0.count == Self.size }) else { throw StoreError.corrupt("lockouts") }
            return .bytes(Data(digests.joined()))
        }
    }

    package static func restore(_ value: SQLValue) -> StoredDigests? {
        guard let bytes = Data.restore(value), bytes.count.isMultiple(of: size) else { return nil }
        return StoredDigests(
            digests: stride(from: 0, to: bytes.count, by: size).map { Data(bytes.dropFirst($0).prefix(size)) })
    }
}

extension StoredValue where Self: RawRepresentable<String> {
    package var stored: SQLValue { .text(rawValue) }
    package static func restore(_ value: SQLValue) -> Self? { String.restore(value).flatMap { Self(rawValue: $0) } }
}

extension LoginIdentifier.Kind: StoredValue {}
extension SigningKeyRecord.Algorithm: StoredValue {}
extension AuditEvent.Kind: StoredValue {}
extension CountedEvent: StoredValue {}
extension Enrolment.Strength: StoredValue {}
extension OperatorRole: StoredValue {}

extension LoginIdentifier.Key: StoredValue {
    package var stored: SQLValue { bytes.stored }
    package static func restore(_ value: SQLValue) -> Self? { Data.restore(value).map { Self(bytes: $0) } }
}

extension TenantID: StoredValue {
    package var stored: SQLValue { uuid.stored }
    package var storedUUID: UUID? { uuid }
    package static func restore(_ value: SQLValue) -> Self? { UUID.restore(value).map { Self($0) } }
}

extension ClientID: StoredValue {
    package var stored: SQLValue { uuid.stored }
    package var storedUUID: UUID? { uuid }
    package static func restore(_ value: SQLValue) -> Self? { UUID.restore(value).map { Self($0) } }
}

extension UserID: StoredValue {
    package var stored: SQLValue { uuid.stored }
    package var storedUUID: UUID? { uuid }
    package static func restore(_ value: SQLValue) -> Self? { UUID.restore(value).map { Self($0) } }
}

private func storedJSON(_ value: some Encodable) throws -> SQLValue {
    .text(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
}

/// Nil for text that is not JSON of that shape, the only possible failure; the caller reports it.
private func restoredJSON<Value: Decodable>(_ value: SQLValue) -> Value? {
    guard let text = String.restore(value) else { return nil }
    do {
        return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    } catch {
        // Nil makes the row a corrupt one; the decoder's message would quote the stored value.
        return nil
    }
}
