/// The value of a user attribute: what a JSON scalar can hold (docs/protocol.md §11).
///
/// Literals work: `["city": "Redmond", "newsletter": true, "shoeSize": 44]`.
public enum AttributeValue: Hashable, Sendable, Codable {
    /// Text. A multiple choice is comma-separated text.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// True or false.
    case boolean(Bool)

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .boolean(let value): try container.encode(value)
        }
    }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension AttributeValue: CustomStringConvertible {
    /// The value as a user would type it.
    public var description: String {
        switch self {
        case .string(let value): value
        case .integer(let value): String(value)
        case .boolean(let value): String(value)
        }
    }
}

/// An attribute that a user flow asks for (docs/protocol.md §11.3).
public struct RequiredAttribute: Hashable, Sendable, Codable {
    /// The programmable name, such as `city` or `extension_…_LoyaltyNumber`.
    public let name: String
    /// `string`, `boolean` or `integer`.
    public let type: String
    /// Whether the account needs this attribute.
    public let isRequired: Bool
    /// A regular expression that the value must match as a whole, if there is one.
    public let regex: String?

    /// Describes an attribute.
    public init(name: String, type: String, isRequired: Bool, regex: String?) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
        self.regex = regex
    }
}
