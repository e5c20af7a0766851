import NativeAuthCore
import PortableFoundation

/// The bytes of the value that is being written, and the number of its open maps and arrays.
final class CBORBytes {
    var bytes: [UInt8] = []
    private var open = 0

    init() {
        bytes.reserveCapacity(512)
    }

    /// Begins a map or an array; returns the level of its elements.
    func begin(_ mark: UInt8) -> Int {
        bytes.append(mark)
        open += 1
        return open
    }

    /// Ends all maps and arrays deeper than `level`. Codable does not say when a container is complete, but a write
    /// into an outer container means that the inner one is.
    func close(to level: Int) {
        while open > level {
            bytes.append(CBORMark.end)
            open -= 1
        }
    }

    func append(_ kind: UInt8, _ number: UInt64) {
        switch number {
        case 0..<24: bytes.append(kind | UInt8(number))
        case 24...0xFF: bytes += [kind | 24, UInt8(number)]
        case 0x100...0xFFFF: bytes += [kind | 25, UInt8(number >> 8), UInt8(number & 0xFF)]
        case _: withUnsafeBytes(of: number.bigEndian) { bytes += [kind | 27] + $0 }
        }
    }

    func append(_ text: String) {
        append(CBORMark.text, UInt64(text.utf8.count))
        bytes += text.utf8
    }

    func append(_ data: some Collection<UInt8>) {
        append(CBORMark.bytes, UInt64(data.count))
        bytes += data
    }

    func append(_ integer: Int) {
        if integer < 0 {
            append(CBORMark.negative, UInt64(bitPattern: ~Int64(integer)))
        } else {
            append(CBORMark.unsigned, UInt64(integer))
        }
    }

    func append(_ number: Double) {
        withUnsafeBytes(of: number.bitPattern.bigEndian) { bytes += [CBORMark.double] + $0 }
    }

    func append(_ bool: Bool) {
        bytes.append(bool ? CBORMark.true : CBORMark.false)
    }
}

/// Writes one value, at a level of the maps and arrays around it.
struct CBORWriter: Encoder {
    let bytes: CBORBytes
    let level: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func write(_ value: some Encodable) throws {
        bytes.close(to: level)
        let before = bytes.bytes.count
        switch value {
        case let date as Date: bytes.append(date.timeIntervalSinceReferenceDate)
        case let uuid as UUID: withUnsafeBytes(of: uuid.uuid) { bytes.append($0) }
        case let data as Data: bytes.append(data)
        case let attributes as [String: AttributeValue]: try write(sorted: attributes)
        case _: try value.encode(to: self)
        }
        // A type without properties opens no container, so write an empty map.
        if bytes.bytes.count == before { _ = bytes.begin(CBORMark.map) }
        bytes.close(to: level)
    }

    /// Writes the entries sorted by name: a dictionary has no order, and equal values must give equal bytes.
    private func write(sorted attributes: [String: AttributeValue]) throws {
        let inner = CBORWriter(bytes: bytes, level: bytes.begin(CBORMark.map))
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            bytes.append(name)
            try inner.write(value)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed(inner: CBORWriter(bytes: bytes, level: bytes.begin(CBORMark.map))))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Unkeyed(inner: CBORWriter(bytes: bytes, level: bytes.begin(CBORMark.array)))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(inner: self) }
}

/// A map.
private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let inner: CBORWriter
    var codingPath: [any CodingKey] { [] }

    private var bytes: CBORBytes { inner.bytes }

    private func begin(_ key: Key) { begin(named: key.stringValue) }

    private func begin(named name: String) {
        bytes.close(to: inner.level)
        bytes.append(name)
    }

    func encodeNil(forKey key: Key) {
        begin(key)
        bytes.bytes.append(CBORMark.null)
    }

    func encode(_ value: String, forKey key: Key) {
        begin(key)
        bytes.append(value)
    }

    func encode(_ value: Int, forKey key: Key) {
        begin(key)
        bytes.append(value)
    }

    func encode(_ value: UInt32, forKey key: Key) {
        begin(key)
        bytes.append(Int(value))
    }

    func encode(_ value: Bool, forKey key: Key) {
        begin(key)
        bytes.append(value)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        begin(key)
        try inner.write(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        begin(key)
        return inner.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        begin(key)
        return inner.unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        begin(named: "super")
        return inner
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        begin(key)
        return inner
    }
}

/// An array.
private struct Unkeyed: UnkeyedEncodingContainer {
    let inner: CBORWriter
    var count = 0
    var codingPath: [any CodingKey] { [] }

    private mutating func begin() {
        inner.bytes.close(to: inner.level)
        count += 1
    }

    mutating func encodeNil() {
        begin()
        inner.bytes.bytes.append(CBORMark.null)
    }

    mutating func encode(_ value: String) {
        begin()
        inner.bytes.append(value)
    }

    mutating func encode(_ value: some Encodable) throws {
        begin()
        try inner.write(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        begin()
        return inner.container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        begin()
        return inner.unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        begin()
        return inner
    }
}

/// A value without a container.
private struct Single: SingleValueEncodingContainer {
    let inner: CBORWriter
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { inner.bytes.bytes.append(CBORMark.null) }
    func encode(_ value: Bool) { inner.bytes.append(value) }
    func encode(_ value: String) { inner.bytes.append(value) }
    func encode(_ value: Double) { inner.bytes.append(value) }
    func encode(_ value: Int) { inner.bytes.append(value) }
    func encode(_ value: UInt32) { inner.bytes.append(Int(value)) }

    // No sealed type has a number of these kinds.
    func encode(_ value: Float) throws { throw StateCodingError() }
    func encode(_ value: Int8) throws { throw StateCodingError() }
    func encode(_ value: Int16) throws { throw StateCodingError() }
    func encode(_ value: Int32) throws { throw StateCodingError() }
    func encode(_ value: Int64) throws { throw StateCodingError() }
    func encode(_ value: UInt) throws { throw StateCodingError() }
    func encode(_ value: UInt8) throws { throw StateCodingError() }
    func encode(_ value: UInt16) throws { throw StateCodingError() }
    func encode(_ value: UInt64) throws { throw StateCodingError() }

    func encode(_ value: some Encodable) throws { try inner.write(value) }
}
