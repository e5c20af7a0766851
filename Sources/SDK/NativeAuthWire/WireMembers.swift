package import NativeAuthCore

// Members of replies whose JSON is not the one of their type. The coding of a reply can then be derived.

/// A secret: a text, absent when nil. `Secret` itself cannot be encoded, so that a reply must name each one that it has.
@propertyWrapper
package struct WireSecret: Hashable, Sendable, Codable {
    package var wrappedValue: Secret<String>?

    package init(wrappedValue: Secret<String>?) {
        self.wrappedValue = wrappedValue
    }

    package init(from decoder: any Decoder) throws {
        wrappedValue = Secret(try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue?.reveal())
    }
}

/// Seconds: a number, or a text that is a number; both occur (docs/protocol.md §6.1). Absent when nil.
@propertyWrapper
package struct WireSeconds: Hashable, Sendable, Codable {
    package var wrappedValue: Int?

    package init(wrappedValue: Int?) {
        self.wrappedValue = wrappedValue
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            wrappedValue = try container.decode(Int.self)
        } catch DecodingError.typeMismatch {
            guard let seconds = Int(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not a number of seconds.")
            }
            wrappedValue = seconds
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

/// Required attributes, each in the shape of ``WireRequiredAttribute``. Absent when nil.
@propertyWrapper
package struct WireAttributes: Hashable, Sendable, Codable {
    package var wrappedValue: [RequiredAttribute]?

    package init(wrappedValue: [RequiredAttribute]?) {
        self.wrappedValue = wrappedValue
    }

    package init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode([WireRequiredAttribute].self).map(\.attribute)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue?.map(WireRequiredAttribute.init(attribute:)))
    }
}

// The derived coding calls these for the members above: a missing or null member is nil, and nil is not written.

extension KeyedDecodingContainer {
    func decode(_ type: WireSecret.Type, forKey key: Key) throws -> WireSecret {
        try decodeIfPresent(type, forKey: key) ?? WireSecret(wrappedValue: nil)
    }

    func decode(_ type: WireSeconds.Type, forKey key: Key) throws -> WireSeconds {
        try decodeIfPresent(type, forKey: key) ?? WireSeconds(wrappedValue: nil)
    }

    func decode(_ type: WireAttributes.Type, forKey key: Key) throws -> WireAttributes {
        try decodeIfPresent(type, forKey: key) ?? WireAttributes(wrappedValue: nil)
    }
}

extension KeyedEncodingContainer {
    mutating func encode(_ member: WireSecret, forKey key: Key) throws {
        try encodeIfPresent(member.wrappedValue.map { _ in member }, forKey: key)
    }

    mutating func encode(_ member: WireSeconds, forKey key: Key) throws {
        try encodeIfPresent(member.wrappedValue, forKey: key)
    }

    mutating func encode(_ member: WireAttributes, forKey key: Key) throws {
        try encodeIfPresent(member.wrappedValue.map { _ in member }, forKey: key)
    }
}

/// The shape of a required attribute in a reply: `{name, type, required, options: {regex}}` (docs/protocol.md §11.3).
private struct WireRequiredAttribute: Codable {
    var attribute: RequiredAttribute

    private struct Options: Codable {
        var regex: String?
    }

    private enum CodingKeys: String, CodingKey {
        case name, type, required, options
    }

    init(attribute: RequiredAttribute) {
        self.attribute = attribute
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        attribute = RequiredAttribute(
            name: try container.decode(String.self, forKey: .name),
            type: try container.decode(String.self, forKey: .type),
            isRequired: try container.decode(Bool.self, forKey: .required),
            regex: try container.decodeIfPresent(Options.self, forKey: .options)?.regex)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(attribute.name, forKey: .name)
        try container.encode(attribute.type, forKey: .type)
        try container.encode(attribute.isRequired, forKey: .required)
        try container.encodeIfPresent(attribute.regex.map { Options(regex: $0) }, forKey: .options)
    }
}
