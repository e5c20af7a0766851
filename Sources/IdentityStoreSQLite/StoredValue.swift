import GRDB
import IdentityEngine
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value with exactly one form in a column. What has another form there is damage, and reading it never traps, which is
/// why GRDB's own conversions (which guess, and trap) are not used.
protocol StoredValue {
    var stored: DatabaseValue { get throws }
    /// Nil when `value` is not what ``stored`` gives for any value of this type.
    static func restore(_ value: DatabaseValue) -> Self?
}

extension Optional: StoredValue where Wrapped: StoredValue {
    var stored: DatabaseValue { get throws { try self?.stored ?? .null } }
    static func restore(_ value: DatabaseValue) -> Self? {
        if value.isNull { return .some(nil) }
        return Wrapped.restore(value).map { .some($0) }
    }
}

extension Int: StoredValue {
    var stored: DatabaseValue { databaseValue }
    static func restore(_ value: DatabaseValue) -> Int? {
        if case .int64(let integer) = value.storage { Int(exactly: integer) } else { nil }
    }
}

extension Bool: StoredValue {
    var stored: DatabaseValue { (self ? 1 : 0).databaseValue }
    static func restore(_ value: DatabaseValue) -> Bool? {
        switch Int.restore(value) {
        case 0: false
        case 1: true
        default: nil
        }
    }
}

extension String: StoredValue {
    var stored: DatabaseValue { databaseValue }
    static func restore(_ value: DatabaseValue) -> String? {
        if case .string(let text) = value.storage { text } else { nil }
    }
}

extension Data: StoredValue {
    var stored: DatabaseValue { databaseValue }
    static func restore(_ value: DatabaseValue) -> Data? {
        if case .blob(let bytes) = value.storage { bytes } else { nil }
    }
}

/// The 16 bytes of the UUID, in the order in which it is written.
extension UUID: StoredValue {
    var stored: DatabaseValue { withUnsafeBytes(of: uuid) { Data($0) }.databaseValue }
    static func restore(_ value: DatabaseValue) -> UUID? { Data.restore(value).flatMap { UUID(bytes: $0) } }
}

/// Whole milliseconds since 1970, rounded to the nearest, so that a date compares alike before and after it was stored.
extension Date: StoredValue {
    var stored: DatabaseValue {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return (Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min)).databaseValue
    }
    static func restore(_ value: DatabaseValue) -> Date? {
        Int.restore(value).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}

/// A JSON array.
extension [String]: StoredValue {
    var stored: DatabaseValue { get throws { try storedJSON(self) } }
    static func restore(_ value: DatabaseValue) -> [String]? { restoredJSON(value) }
}

/// JSON text: a string may hold characters that SQLite's text functions stop at, such as U+0000.
extension AttributeValue: StoredValue {
    var stored: DatabaseValue { get throws { try storedJSON(self) } }
    static func restore(_ value: DatabaseValue) -> AttributeValue? { restoredJSON(value) }

    /// The column `type` of the table `attributes`.
    var typeName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .boolean: "boolean"
        }
    }
}

/// As the user typed it; what makes two addresses the same follows from it.
extension EmailAddress: StoredValue {
    var stored: DatabaseValue { display.databaseValue }
    static func restore(_ value: DatabaseValue) -> EmailAddress? { String.restore(value).flatMap { Self($0) } }
}

/// The column `recent` of the table `lockouts`: digests of 32 bytes each, one behind the other.
struct StoredDigests: StoredValue {
    private static let size = 32
    let digests: [Data]

    var stored: DatabaseValue {
        get throws {
            // Another length would be read back as other digests.
            guard digests.allSatisfy({ $0.count == Self.size }) else { throw StoreError.corrupt("lockouts") }
            return Data(digests.joined()).databaseValue
        }
    }

    static func restore(_ value: DatabaseValue) -> StoredDigests? {
        guard let bytes = Data.restore(value), bytes.count.isMultiple(of: size) else { return nil }
        return StoredDigests(
            digests: stride(from: 0, to: bytes.count, by: size).map { Data(bytes.dropFirst($0).prefix(size)) })
    }
}

extension StoredValue where Self: RawRepresentable<String> {
    var stored: DatabaseValue { rawValue.databaseValue }
    static func restore(_ value: DatabaseValue) -> Self? { String.restore(value).flatMap { Self(rawValue: $0) } }
}

extension LoginIdentifier.Kind: StoredValue {}
extension SigningKeyRecord.Algorithm: StoredValue {}
extension AuditEvent.Kind: StoredValue {}
extension CountedEvent: StoredValue {}

extension LoginIdentifier.Key: StoredValue {
    var stored: DatabaseValue { bytes.stored }
    static func restore(_ value: DatabaseValue) -> Self? { Data.restore(value).map { Self(bytes: $0) } }
}

extension TenantID: StoredValue {
    var stored: DatabaseValue { uuid.stored }
    static func restore(_ value: DatabaseValue) -> Self? { UUID.restore(value).map { Self($0) } }
}

extension ClientID: StoredValue {
    var stored: DatabaseValue { uuid.stored }
    static func restore(_ value: DatabaseValue) -> Self? { UUID.restore(value).map { Self($0) } }
}

extension UserID: StoredValue {
    var stored: DatabaseValue { uuid.stored }
    static func restore(_ value: DatabaseValue) -> Self? { UUID.restore(value).map { Self($0) } }
}

private func storedJSON(_ value: some Encodable) throws -> DatabaseValue {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self).databaseValue
}

/// Nil for text that is no JSON of that shape: the one reason why this decoding can fail, and the caller reports it.
private func restoredJSON<Value: Decodable>(_ value: DatabaseValue) -> Value? {
    guard let text = String.restore(value) else { return nil }
    do {
        return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    } catch {
        // Nil makes the row a corrupt one; the decoder's words would quote what is stored.
        return nil
    }
}

/// A row of a known table.
struct StoredRow {
    let table: String
    let row: Row

    /// The column's value; throws ``StoreError/corrupt(_:)`` with the table's name when it does not decode.
    func value<Value: StoredValue>(_ column: String, as type: Value.Type = Value.self) throws -> Value {
        guard let value = Value.restore(row[column]) else { throw StoreError.corrupt(table) }
        return value
    }
}

extension Database {
    /// Runs one statement that changes rows; returns how many it changed, cascades not counted.
    @discardableResult
    func run(_ sql: String, _ values: [any StoredValue] = []) throws -> Int {
        try cachedStatement(sql: sql).execute(arguments: StatementArguments(values.map { try $0.stored }))
        return changesCount
    }

    /// `?, ?, ?`, as many as there are values.
    static func placeholders(_ values: some Collection) -> String {
        repeatElement("?", count: values.count).joined(separator: ", ")
    }

    /// The rows that a query of `table` gives.
    func rows(of table: String, _ sql: String, _ values: [any StoredValue]) throws -> [StoredRow] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: StatementArguments(values.map { try $0.stored }))
            .map { StoredRow(table: table, row: $0) }
    }
}
