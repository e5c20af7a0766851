import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

/// The OpenAPI 3.1 document of everything that the server answers, made from the tables that routes and tests use.
package enum OpenAPIDocument {
    /// The path that serves the document.
    package static let path = "/openapi.json"

    /// The document as JSON. Equal arguments give equal bytes.
    ///
    /// - Parameter baseURL: The server's base URL, without a trailing slash.
    package static func bytes(baseURL: String) throws -> Data { try WireJSON.encode(document(baseURL: baseURL)) }

    /// The document for people: the same with a line for each member.
    package static func page(baseURL: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return try encoder.encode(document(baseURL: baseURL)) + Data("\n".utf8)
    }

    /// All operations, in the order of the tables.
    static func operations() throws(FormError) -> [DocumentedOperation] {
        var operations: [DocumentedOperation] = []
        for endpoint in V1Endpoint.allCases { operations.append(try endpoint.documented()) }
        for endpoint in MetadataEndpoint.allCases { operations += try endpoint.documented() }
        return operations + DirectoryOperation.allCases.map(\.documented)
            + OperatorOperation.allCases.map(\.documented) + health
    }

    private static var health: [DocumentedOperation] {
        let common = AnswerName.ofEveryRequest.map(\.documented)
        return [
            DocumentedOperation(
                id: "isAlive", method: .get, path: "/livez", tag: .health, summary: "Whether the process answers",
                answers: [DocumentedAnswer(200, "ok", .text)] + common),
            DocumentedOperation(
                id: "isReady", method: .get, path: "/readyz", tag: .health, summary: "Whether the node takes requests",
                answers: [DocumentedAnswer(200, "ok", .text), DocumentedAnswer(503, "not ready", .text)] + common),
            DocumentedOperation(
                id: "openAPI", method: .get, path: path, tag: .metadata, summary: "This document",
                answers: [DocumentedAnswer(200, "The document.", .json(.object([:])))] + common),
        ]
    }

    private static func document(baseURL: String) throws(FormError) -> JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        let operations = try operations()
        let shared = SharedResponses(operations)
        for operation in operations {
            paths[operation.path, default: [:]][operation.method.rawValue] = .object(operation.json(shared))
        }
        return .object([
            "openapi": .string("3.1.0"),
            "info": .object([
                // The version of the APIs. Strangers need not know that of the program.
                "title": .string("native-auth"), "version": .string("1.0"),
                "description": .string(about),
                "license": .object(["name": .string("Apache-2.0"), "identifier": .string("Apache-2.0")]),
            ]),
            "servers": .array([.object(["url": .string(baseURL)])]),
            "tags": .array(DocumentedOperation.Tag.allCases.map { .object(["name": .string($0.rawValue)]) }),
            "paths": .object(paths.mapValues { .object($0) }),
            "components": .object([
                "schemas": .object(
                    Dictionary(uniqueKeysWithValues: SchemaName.allCases.map { ($0.rawValue, .object($0.schema.json)) })
                ),
                "parameters": .object(
                    Dictionary(
                        uniqueKeysWithValues: DocumentedParameter.allCases.map { ($0.rawValue, .object($0.json)) })),
                "headers": .object(
                    Dictionary(
                        uniqueKeysWithValues: DocumentedAnswer.Header.allCases.map { ($0.rawValue, .object($0.json)) })),
                "responses": .object(shared.named), "securitySchemes": .object(securitySchemes),
            ]),
        ])
    }

    private static let about =
        "Native authentication, OAuth 2.0 and OpenID Connect endpoints, and the directory of accounts. Answers have members "
        + "that are not listed only where a schema says so; clients ignore them. A failure of the server is 500, in the form "
        + "of the API's other errors. The pages of the development profile are not listed."

    private static let securitySchemes: [String: JSONValue] = [
        "bearer": .object([
            "type": .string("http"), "scheme": .string("bearer"), "bearerFormat": .string("JWT"),
            "description": .string("An access token. A token needs one of the scopes that an operation lists."),
        ]),
        "daemon": .object([
            "type": .string("http"), "scheme": .string("bearer"), "bearerFormat": .string("JWT"),
            "description": .string(
                "An access token of a daemon. A token needs one of the roles that an operation lists. The operators' part may be on another listener."
            ),
        ]),
        "resourceServer": .object([
            "type": .string("http"), "scheme": .string("basic"),
            "description": .string("The audience of a resource server, percent-encoded, and its secret."),
        ]),
    ]
}
