import NativeAuthCore

/// A JSON schema, as OpenAPI 3.1 has it.
struct Schema: Hashable {
    var json: [String: JSONValue]

    static let text = Schema(type: "string")
    static let whole = Schema(type: "integer")
    static let flag = Schema(type: "boolean")
    static let uuid = Schema(type: "string", ["format": .string("uuid")])
    static let url = Schema(type: "string", ["format": .string("uri")])
    /// RFC 3339, in UTC.
    static let moment = Schema(type: "string", ["format": .string("date-time")])

    init(json: [String: JSONValue]) {
        self.json = json
    }

    private init(type: String, _ more: [String: JSONValue] = [:]) {
        json = ["type": .string(type)].merging(more) { $1 }
    }

    /// Text with a length.
    static func text(_ range: ClosedRange<Int>) -> Schema {
        Schema(type: "string", ["minLength": .integer(range.lowerBound), "maxLength": .integer(range.upperBound)])
    }

    /// Text of at least one character.
    static let filled = Schema(type: "string", ["minLength": .integer(1)])

    static func text(matching pattern: String) -> Schema { Schema(type: "string", ["pattern": .string(pattern)]) }

    /// One of these texts.
    static func words(_ words: some Sequence<String>) -> Schema { Schema(type: "string", ["enum": .texts(words)]) }

    static func list(of item: Schema) -> Schema { Schema(type: "array", ["items": .object(item.json)]) }

    /// An object. Clients ignore members that are not listed.
    static func object(_ required: [String: Schema], optional: [String: Schema] = [:]) -> Schema {
        var members: [String: JSONValue] = [:]
        for (name, schema) in required.merging(optional, uniquingKeysWith: { first, _ in first }) {
            members[name] = .object(schema.json)
        }
        var schema = Schema(type: "object", ["properties": .object(members)])
        if !required.isEmpty { schema.json["required"] = .texts(required.keys.sorted()) }
        return schema
    }

    /// An object of which nothing more is said.
    static let anyObject = Schema(type: "object")

    /// A schema of `components`.
    static func named(_ name: SchemaName) -> Schema {
        Schema(json: ["$ref": .string("#/components/schemas/\(name.rawValue)")])
    }

    /// At least one of these.
    static func any(of schemas: [Schema]) -> Schema {
        schemas.count == 1 ? schemas[0] : Schema(json: ["anyOf": .array(schemas.map { .object($0.json) })])
    }

    /// The same, or null.
    var orNull: Schema {
        guard case .string(let type)? = json["type"] else { return .any(of: [self, Schema(type: "null")]) }
        return Schema(json: json.merging(["type": .texts([type, "null"])]) { $1 })
    }

    func described(_ text: String) -> Schema { Schema(json: json.merging(["description": .string(text)]) { $1 }) }

    func example(_ value: String) -> Schema { Schema(json: json.merging(["examples": .texts([value])]) { $1 }) }
}

extension JSONValue {
    static func texts(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
}
