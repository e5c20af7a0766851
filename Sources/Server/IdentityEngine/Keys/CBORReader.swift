import NativeAuthCore
import PortableFoundation

/// The items of a CBOR text in order; the elements of a map or an array follow its first byte.
struct CBORItems {
    enum Item: Equatable {
        case null
        case bool(Bool)
        case integer(Int)
        case double(Double)
        case text(Range<Int>)
        case bytes(Range<Int>)
        /// `end` is the position of the next item.
        case array(end: Int)
        case map(end: Int)
    }

    private(set) var items: [Item] = []
    let data: [UInt8]
    private var position = 0

    /// Nil when `data` does not begin with a complete item of a kind that ``CBORWriter`` writes.
    init?(_ data: Data) {
        self.data = Array(data)
        items.reserveCapacity(48)
        guard parse(depth: 0) else { return nil }
    }

    func text(_ range: Range<Int>) -> String? { String(utf8: data[range]) }

    /// The position of the item after the item at `index`.
    func after(_ index: Int) -> Int {
        switch items[index] {
        case .array(let end), .map(let end): end
        case .null, .bool, .integer, .double, .text, .bytes: index + 1
        }
    }

    private mutating func parse(depth: Int) -> Bool {
        guard depth < StateCoding.deepest, let mark = next() else { return false }
        switch mark {
        case CBORMark.null: items.append(.null)
        case CBORMark.false: items.append(.bool(false))
        case CBORMark.true: items.append(.bool(true))
        case CBORMark.double:
            guard let bits = number(of: 8) else { return false }
            items.append(.double(Double(bitPattern: bits)))
        case CBORMark.array, CBORMark.map: return parseParts(of: mark, depth: depth)
        case _:
            guard let value = argument(mark & ~CBORMark.major) else { return false }
            switch mark & CBORMark.major {
            case CBORMark.unsigned:
                guard let integer = Int(exactly: value) else { return false }
                items.append(.integer(integer))
            case CBORMark.negative:
                guard let integer = Int(exactly: value) else { return false }
                items.append(.integer(~integer))
            case CBORMark.bytes, CBORMark.text:
                guard let count = Int(exactly: value), count <= data.count - position else { return false }
                let range = position..<position + count
                position += count
                items.append(mark & CBORMark.major == CBORMark.text ? .text(range) : .bytes(range))
            case _: return false
            }
        }
        return true
    }

    private mutating func parseParts(of mark: UInt8, depth: Int) -> Bool {
        let start = items.count
        items.append(.null)
        while let byte = position < data.count ? data[position] : nil {
            if byte == CBORMark.end {
                position += 1
                items[start] = mark == CBORMark.map ? .map(end: items.count) : .array(end: items.count)
                return true
            }
            let part = items.count
            guard parse(depth: depth + 1) else { return false }
            if mark == CBORMark.map {
                guard case .text = items[part], parse(depth: depth + 1) else { return false }
            }
        }
        return false
    }

    private mutating func next() -> UInt8? {
        guard position < data.count else { return nil }
        defer { position += 1 }
        return data[position]
    }

    private mutating func argument(_ short: UInt8) -> UInt64? {
        switch short {
        case 0..<24: UInt64(short)
        case 24: number(of: 1)
        case 25: number(of: 2)
        case 27: number(of: 8)
        case _: nil
        }
    }

    private mutating func number(of count: Int) -> UInt64? {
        guard count <= data.count - position else { return nil }
        defer { position += count }
        return data[position..<position + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// Reads the value at a position.
struct CBORReader: Decoder {
    let items: CBORItems
    let position: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private var item: CBORItems.Item { items.items[position] }
    var isNull: Bool { item == .null }

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == Date.self { return try wanted(Date(timeIntervalSinceReferenceDate: try double()) as? Value) }
        if type == UUID.self { return try wanted(UUID(bytes: try bytes()) as? Value) }
        if type == Data.self { return try wanted(Data(try bytes()) as? Value) }
        return try Value(from: self)
    }

    func string() throws -> String {
        guard case .text(let range) = item else { throw StateCodingError() }
        return try wanted(items.text(range))
    }

    func integer() throws -> Int {
        guard case .integer(let integer) = item else { throw StateCodingError() }
        return integer
    }

    func bool() throws -> Bool {
        guard case .bool(let bool) = item else { throw StateCodingError() }
        return bool
    }

    func double() throws -> Double {
        guard case .double(let double) = item else { throw StateCodingError() }
        return double
    }

    private func bytes() throws -> ArraySlice<UInt8> {
        guard case .bytes(let range) = item else { throw StateCodingError() }
        return items.data[range]
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .map(let end) = item else { throw StateCodingError() }
        return KeyedDecodingContainer(Keyed(items: items, start: position + 1, end: end))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let end) = item else { throw StateCodingError() }
        return Unkeyed(items: items, position: position + 1, end: end)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(reader: self) }
}

private func wanted<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw StateCodingError() }
    return value
}

/// A map.
private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let items: CBORItems
    let start: Int
    let end: Int
    var codingPath: [any CodingKey] { [] }

    private func find(_ name: String) -> CBORReader? {
        let count = name.utf8.count
        var position = start
        while position < end {
            if case .text(let range) = items.items[position], range.count == count,
                items.data[range].elementsEqual(name.utf8)
            {
                return CBORReader(items: items, position: position + 1)
            }
            position = items.after(position + 1)
        }
        return nil
    }

    private func reader(_ key: Key) throws -> CBORReader { try wanted(find(key.stringValue)) }

    var allKeys: [Key] {
        var keys: [Key] = []
        var position = start
        while position < end {
            if case .text(let range) = items.items[position], let name = items.text(range),
                let key = Key(stringValue: name)
            {
                keys.append(key)
            }
            // Each value follows its key.
            position = items.after(position + 1)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { find(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try reader(key).isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try reader(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try reader(key).string() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try reader(key).integer() }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try wanted(UInt32(exactly: try reader(key).integer()))
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reader(key).read(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try reader(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try reader(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try wanted(find("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try reader(key) }
}

/// An array.
private struct Unkeyed: UnkeyedDecodingContainer {
    let items: CBORItems
    var position: Int
    let end: Int
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }
    var isAtEnd: Bool { position >= end }

    private mutating func next() throws -> CBORReader {
        guard !isAtEnd else { throw StateCodingError() }
        defer {
            position = items.after(position)
            currentIndex += 1
        }
        return CBORReader(items: items, position: position)
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw StateCodingError() }
        guard items.items[position] == .null else { return false }
        _ = try next()
        return true
    }

    mutating func decode(_ type: String.Type) throws -> String { try next().string() }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().read(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
}

/// A value without a container.
private struct Single: SingleValueDecodingContainer {
    let reader: CBORReader
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { reader.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try reader.bool() }
    func decode(_ type: String.Type) throws -> String { try reader.string() }
    func decode(_ type: Double.Type) throws -> Double { try reader.double() }
    func decode(_ type: Int.Type) throws -> Int { try reader.integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try wanted(UInt32(exactly: try reader.integer())) }

    // No sealed type has a number of these kinds.
    func decode(_ type: Float.Type) throws -> Float { throw StateCodingError() }
    func decode(_ type: Int8.Type) throws -> Int8 { throw StateCodingError() }
    func decode(_ type: Int16.Type) throws -> Int16 { throw StateCodingError() }
    func decode(_ type: Int32.Type) throws -> Int32 { throw StateCodingError() }
    func decode(_ type: Int64.Type) throws -> Int64 { throw StateCodingError() }
    func decode(_ type: UInt.Type) throws -> UInt { throw StateCodingError() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { throw StateCodingError() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { throw StateCodingError() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { throw StateCodingError() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try reader.read(type) }
}
