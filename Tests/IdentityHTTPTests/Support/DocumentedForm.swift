import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Compares answers with the OpenAPI document. Stricter than a client: an object has no member that its schema does not
/// list, unless the schema allows others.
enum DocumentedForm {
    static let document: Result<JSON, any Error> = Result {
        try JSONDecoder().decode(JSON.self, from: OpenAPIDocument.bytes(baseURL: "https://identity.test"))
    }

    /// What of an answer the document does not describe; empty when it describes all.
    static func faults(of answer: WireAnswer, to method: String, _ path: String) throws -> [String] {
        let document = try document.get()
        let operation = document["paths"]?[path]?[method.lowercased()]
        guard var response = operation?["responses"]?["\(answer.status)"] else {
            return ["\(method) \(path) has no answer \(answer.status)"]
        }
        response = resolved(response, in: document)
        guard let content = response["content"] else {
            return answer.body.isEmpty ? [] : ["a body where none is listed"]
        }
        let type = answer.headers["content-type"]?.split(separator: ";").first.map(String.init) ?? "none"
        guard let schema = content[type]?["schema"] else { return ["the media type \(type)"] }
        guard type == "application/json" else { return [] }
        return faults(of: .object(answer.members), by: schema, in: document, at: "")
    }

    private static func faults(of value: JSON, by schema: JSON, in document: JSON, at place: String) -> [String] {
        var faults: [String] = []
        if schema["$ref"] != nil {
            faults += self.faults(of: value, by: resolved(schema, in: document), in: document, at: place)
        }
        if let choices = schema["anyOf"]?.array,
            !choices.contains(where: { self.faults(of: value, by: $0, in: document, at: place).isEmpty })
        {
            faults.append("\(place): none of \(choices.count) schemas")
        }
        if let words = schema["enum"]?.array, !words.contains(value) { faults.append("\(place): \(value)") }
        if let type = schema["type"], !types(type).contains(where: { $0 == typeName(value) }) {
            faults.append("\(place): no \(types(type).joined(separator: " or "))")
        }
        if case .array(let items) = value, let item = schema["items"] {
            for element in items { faults += self.faults(of: element, by: item, in: document, at: "\(place)[]") }
        }
        guard case .object(let members) = value else { return faults }
        for name in schema["required"]?.array.compactMap(\.string) ?? [] where members[name] == nil {
            faults.append("\(place).\(name) is missing")
        }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            if let known = schema["properties"]?[name] {
                faults += self.faults(of: member, by: known, in: document, at: "\(place).\(name)")
            } else if schema["type"] != nil, schema["additionalProperties"] != .boolean(true),
                schema["properties"] != [:]
            {
                faults.append("\(place).\(name) is not listed")
            }
        }
        return faults
    }

    private static func types(_ type: JSON) -> [String] { type.string.map { [$0] } ?? type.array.compactMap(\.string) }

    private static func typeName(_ value: JSON) -> String {
        switch value {
        case .string: "string"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .array: "array"
        case .object: "object"
        case .null: "null"
        }
    }

    /// What a `$ref` means; other values as they are.
    private static func resolved(_ value: JSON, in document: JSON) -> JSON {
        guard let path = value["$ref"]?.string else { return value }
        return path.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] ?? .null }
    }
}

/// Checks that the OpenAPI document describes an answer.
func expectDocumented(
    _ answer: WireAnswer, to method: String, _ path: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let faults = try DocumentedForm.faults(of: answer, to: method, path)
    #expect(faults.isEmpty, "\(method) \(path): \(answer)", sourceLocation: sourceLocation)
}
