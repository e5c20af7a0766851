import NativeAuthCore
import PortableFoundation

/// The bytes of the value that is being written, and the number of its open maps and arrays.
struct CBOROutput {
    private(set) var bytes: [UInt8] = []
    private var open = 0

    init() {
        bytes.reserveCapacity(512)
    }

    /// Begins a map or an array; returns the level of its elements.
    mutating func begin(_ mark: UInt8) -> Int {
        bytes.append(mark)
        open += 1
        return open
    }

    /// Ends all maps and arrays deeper than `level`. Codable does not say when a container is complete, but a write
    /// into an outer container means that the inner one is.
    mutating func close(to level: Int) {
        while open > level {
            bytes.append(CBORMark.end)
            open -= 1
        }
    }

    /// Begins the entry of a map at `level`.
    mutating func begin(entry name: String, at level: Int) {
        close(to: level)
        append(name)
    }

    mutating func append(mark: UInt8) {
        bytes.append(mark)
    }

    private mutating func append(_ kind: UInt8, _ number: UInt64) {
        switch number {
        case 0..<24: bytes.append(kind | UInt8(number))
        case 24...0xFF:
            bytes.append(kind | 24)
            bytes.append(UInt8(number))
        case 0x100...0xFFFF:
            bytes.append(kind | 25)
            bytes.append(UInt8(number >> 8))
            bytes.append(UInt8(number & 0xFF))
        case _:
            bytes.append(kind | 27)
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
    }

    mutating func append(_ text: String) {
        append(CBORMark.text, UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ data: UnsafeRawBufferPointer) {
        append(CBORMark.bytes, UInt64(data.count))
        bytes.append(contentsOf: data)
    }

    mutating func append(_ integer: Int) {
        if integer < 0 {
            append(CBORMark.negative, UInt64(bitPattern: ~Int64(integer)))
        } else {
            append(CBORMark.unsigned, UInt64(integer))
        }
    }

    mutating func append(_ number: Double) {
        bytes.append(CBORMark.double)
        withUnsafeBytes(of: number.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ bool: Bool) {
        bytes.append(bool ? CBORMark.true : CBORMark.false)
    }
}

/// The one output of all writers of a value.
final class CBORBytes {
    // Only the writers in this file have it, one at a time: the check of each access would find nothing.
    @exclusivity(unchecked) var output = CBOROutput()
}

/// Writes one value, at a level of the maps and arrays around it.
struct CBORWriter: Encoder {
    let bytes: CBORBytes
    let level: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func write<Value: Encodable>(_ value: Value) throws {
        bytes.output.close(to: level)
        let before = bytes.output.bytes.count
        // The type is asked first, because most values are none of these, and a cast that fails takes longer.
        if Value.self == Date.self, let date = value as? Date {
            bytes.output.append(date.timeIntervalSinceReferenceDate)
        } else if Value.self == UUID.self, let uuid = value as? UUID {
            withUnsafeBytes(of: uuid.uuid) { bytes.output.append($0) }
        } else if Value.self == Data.self, let data = value as? Data {
            data.withUnsafeBytes { bytes.output.append($0) }
        } else if Value.self == [String: AttributeValue].self, let attributes = value as? [String: AttributeValue] {
            try write(sorted: attributes)
        } else {
            try value.encode(to: self)
        }
        // A type without properties opens no container, so write an empty map.
        if bytes.output.bytes.count == before { _ = bytes.output.begin(CBORMark.map) }
        bytes.output.close(to: level)
    }

    /// Writes the entries sorted by name: a dictionary has no order, and equal values must give equal bytes.
    private func write(sorted attributes: [String: AttributeValue]) throws {
        let inner = CBORWriter(bytes: bytes, level: bytes.output.begin(CBORMark.map))
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            bytes.output.append(name)
            try inner.write(value)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed(inner: CBORWriter(bytes: bytes, level: bytes.output.begin(CBORMark.map))))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Unkeyed(inner: CBORWriter(bytes: bytes, level: bytes.output.begin(CBORMark.array)))
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
        bytes.output.begin(entry: name, at: inner.level)
    }

    func encodeNil(forKey key: Key) {
        begin(key)
        bytes.output.append(mark: CBORMark.null)
    }

    func encode(_ value: String, forKey key: Key) {
        begin(key)
        bytes.output.append(value)
    }

    func encode(_ value: Int, forKey key: Key) {
        begin(key)
        bytes.output.append(value)
    }

    func encode(_ value: UInt32, forKey key: Key) {
        begin(key)
        bytes.output.append(Int(value))
    }

    func encode(_ value: Bool, forKey key: Key) {
        begin(key)
        bytes.output.append(value)
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
        inner.bytes.output.close(to: inner.level)
        count += 1
    }

    mutating func encodeNil() {
        begin()
        inner.bytes.output.append(mark: CBORMark.null)
    }

    mutating func encode(_ value: String) {
        begin()
        inner.bytes.output.append(value)
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

    func encodeNil() { inner.bytes.output.append(mark: CBORMark.null) }
    func encode(_ value: Bool) { inner.bytes.output.append(value) }
    func encode(_ value: String) { inner.bytes.output.append(value) }
    func encode(_ value: Double) { inner.bytes.output.append(value) }
    func encode(_ value: Int) { inner.bytes.output.append(value) }
    func encode(_ value: UInt32) { inner.bytes.output.append(Int(value)) }

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
