import NativeAuthCore

/// An operation of the OpenAPI document: a method of a path.
struct DocumentedOperation {
    /// The chapters of the document.
    enum Tag: String, CaseIterable {
        case signUp = "Sign-up"
        case signIn = "Sign-in"
        case passwordReset = "Password reset"
        case registration = "Registration of a method"
        case tokens = "Tokens"
        case metadata = "Metadata"
        case account = "Account"
        case health = "Health"
    }

    enum Method: String {
        case get, post, patch, delete
    }

    /// Ways to prove who asks.
    enum Security: Hashable {
        case none
        /// An access token with one of these scopes; empty: any access token.
        case bearer(scopes: Set<String>)
        /// Audience and secret of a resource server.
        case resourceServer
    }

    enum Body {
        case form(Schema)
        case json(SchemaName)
    }

    /// A unique name.
    var id: String
    var method: Method
    /// The path with a leading slash.
    var path: String
    var tag: Tag
    var summary: String
    var parameters: [DocumentedParameter] = []
    var security = Security.none
    var body: Body?
    var answers: [DocumentedAnswer]
}

/// A parameter of requests outside of their bodies.
enum DocumentedParameter: String, CaseIterable {
    case tenant
    case id
    case select
    case ifMatch
    case acceptLanguage
    case clientRequestID

    var json: [String: JSONValue] {
        switch self {
        case .tenant:
            parameter(
                "tenant", in: "path", "The tenant's id, domain or subdomain.",
                Schema.text(1...253).example("contoso"))
        case .id: parameter("id", in: "path", "The id of a session or a method.", .uuid)
        case .select:
            parameter(
                "$select", in: "query", "Names of members, with commas between them.", Schema.text.example("id,mail"))
        case .ifMatch:
            parameter(
                "If-Match", in: "header", "The ETag of the content that the change is for, or *.",
                Schema.text.example("*"))
        case .acceptLanguage:
            parameter("Accept-Language", in: "header", "The language of mails.", Schema.text.example("da"))
        case .clientRequestID:
            parameter(
                "client-request-id", in: "header", "The correlation id of the flow; the answer repeats it.", .uuid)
        }
    }

    private func parameter(_ name: String, in place: String, _ text: String, _ schema: Schema) -> [String: JSONValue] {
        var json: [String: JSONValue] = [
            "name": .string(name), "in": .string(place), "description": .string(text), "schema": .object(schema.json),
        ]
        if place == "path" { json["required"] = .boolean(true) }
        return json
    }
}
