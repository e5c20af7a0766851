import NativeAuthCore
import NativeAuthWire

// The parts of the OpenAPI document as JSON.
extension DocumentedOperation {
    func json(_ shared: SharedResponses) -> [String: JSONValue] {
        var json: [String: JSONValue] = [
            "operationId": .string(id), "tags": .texts([tag.rawValue]), "summary": .string(summary),
            "security": .array(security.json.map { .object($0) }), "responses": shared.referring(responses),
        ]
        if !parameters.isEmpty {
            json["parameters"] = .array(parameters.map { .reference("parameters", $0.rawValue) })
        }
        json["requestBody"] = body.map { .object($0.json) }
        return json
    }

    /// The responses by status.
    var responses: [String: JSONValue] {
        Dictionary(grouping: answers, by: \.status).reduce(into: [:]) { responses, group in
            responses["\(group.key)"] = .object(DocumentedAnswer.response(group.value))
        }
    }
}

extension DocumentedOperation.Security {
    /// The alternatives, each with the names of its schemes.
    fileprivate var json: [[String: JSONValue]] {
        switch self {
        case .none: []
        case .bearer(let scopes): scopes.sorted().map { ["bearer": .texts([$0])] }
        case .daemon(let roles): roles.sorted().map { ["daemon": .texts([$0])] }
        case .resourceServer: [["resourceServer": .array([])]]
        }
    }
}

extension DocumentedOperation.Body {
    fileprivate var json: [String: JSONValue] {
        let (type, schema) =
            switch self {
            case .form(let schema): ("application/x-www-form-urlencoded", schema)
            case .json(let name): ("application/json", Schema.named(name))
            }
        return [
            "required": .boolean(true),
            "content": .object([type: .object(["schema": .object(schema.json)])]),
        ]
    }
}

extension DocumentedAnswer {
    /// The response that stands for all answers with one status.
    fileprivate static func response(_ answers: [DocumentedAnswer]) -> [String: JSONValue] {
        var texts: [String] = []
        for answer in answers where !texts.contains(answer.text) { texts.append(answer.text) }
        var response: [String: JSONValue] = [
            "description": .string(texts.count == 1 ? texts[0] : texts.map { "- \($0)" }.joined(separator: "\n"))
        ]
        let content = content(answers)
        if !content.isEmpty { response["content"] = .object(content) }
        let headers = Header.allCases.filter { header in answers.contains { $0.headers.contains(header) } }
        if !headers.isEmpty {
            response["headers"] = .object(
                Dictionary(uniqueKeysWithValues: headers.map { ($0.rawValue, .reference("headers", $0.rawValue)) }))
        }
        return response
    }

    private static func content(_ answers: [DocumentedAnswer]) -> [String: JSONValue] {
        var schemas: [Schema] = []
        var native: [V1Failure] = []
        var directory: [DirectoryFailure] = []
        var content: [String: JSONValue] = [:]
        for answer in answers {
            switch answer.body {
            case .none: break
            case .json(let schema): if !schemas.contains(schema) { schemas.append(schema) }
            case .nativeError(let failure): native.append(failure)
            case .directoryError(let failure): directory.append(failure)
            case .page: content["text/html"] = media(.text)
            case .text: content["text/plain"] = media(.text)
            }
        }
        if !native.isEmpty { schemas.append(.errors(native)) }
        if !directory.isEmpty { schemas.append(.errors(directory)) }
        if !schemas.isEmpty { content["application/json"] = media(.any(of: schemas)) }
        return content
    }

    private static func media(_ schema: Schema) -> JSONValue { .object(["schema": .object(schema.json)]) }
}

extension Schema {
    /// An error of the native API with the words and numbers of one of these.
    fileprivate static func errors(_ failures: [V1Failure]) -> Schema {
        var members: [String: JSONValue] = [
            "error": .object(["enum": .texts(Set(failures.map(\.error.rawValue)).sorted())]),
            "error_codes": .object([
                "items": .object(["enum": .array(Set(failures.map(\.code.rawValue)).sorted().map { .integer($0) })])
            ]),
        ]
        let suberrors = Set(failures.compactMap(\.suberror?.rawValue)).sorted()
        if !suberrors.isEmpty { members["suberror"] = .object(["enum": .texts(suberrors)]) }
        return Schema(json: Schema.named(.error).json.merging(["properties": .object(members)]) { $1 })
    }

    /// An error of the directory with the code of one of these.
    fileprivate static func errors(_ failures: [DirectoryFailure]) -> Schema {
        let codes = JSONValue.texts(Set(failures.map(\.code.rawValue)).sorted())
        let error = JSONValue.object(["properties": .object(["code": .object(["enum": codes])])])
        return Schema(
            json: Schema.named(.directoryError).json.merging(["properties": .object(["error": error])]) { $1 })
    }
}

extension DocumentedAnswer.Header {
    var json: [String: JSONValue] {
        let (text, schema) =
            switch self {
            case .retryAfter: ("Seconds to wait.", Schema.whole)
            case .challenge: ("What is missing or wrong (RFC 9110 section 11.6.1).", .text)
            case .allow: ("The methods of the path.", .text)
            case .version: ("The version of the content, for If-Match.", .text)
            }
        return ["description": .string(text), "schema": .object(schema.json)]
    }
}

extension JSONValue {
    static func reference(_ kind: String, _ name: String) -> JSONValue {
        .object(["$ref": .string("#/components/\(kind)/\(name)")])
    }
}
