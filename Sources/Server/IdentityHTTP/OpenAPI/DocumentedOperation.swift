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
        case operators = "Operators"
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
        /// An access token of a daemon with one of these roles.
        case daemon(roles: Set<String>)
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
    case user
    case method
    case operatorRequest
    case select
    case filter, auditFilter, auditTop
    case application, appID, applicationFilter, applicationTop
    case `extension`, listener
    case principal, grant, assignment, flow, attribute, group, objectFilter, objectTop
    case search
    case top
    case orderby
    case count
    case skiptoken
    case consistencyLevel
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
        case .user:
            parameter(
                "id", in: "path", "The id of a user, or the user principal name.",
                Schema.text(1...256).example("aaaabbbb-0000-cccc-1111-dddd2222eeee"))
        case .method: parameter("method", in: "path", "The id of a method.", .uuid)
        case .operatorRequest: parameter("request", in: "path", "The id of what waits.", .uuid)
        case .filter:
            parameter(
                "$filter", in: "query", "Which users (docs/protocol.md, Operators).",
                Schema.text(1...2_048).example("startsWith(displayName,'D') and accountEnabled eq true"))
        case .auditFilter:
            parameter(
                "$filter", in: "query", "Which lines (docs/protocol.md, Operators).",
                Schema.text(1...2_048).example("userId eq 'd3a0c9b2-0c44-4a5e-9d0e-1f2a3b4c5d6e'"))
        case .search:
            parameter(
                "$search", in: "query", "Beginnings of properties; needs ConsistencyLevel.",
                Schema.text(1...2_048).example("\"displayName:dana\""))
        case .top: parameter("$top", in: "query", "The most users on a page; 999 at most.", .whole)
        case .application: parameter("application", in: "path", "The object id of an application.", .uuid)
        case .appID:
            parameter(
                "appId", in: "path", "The client id of an application.",
                Schema.uuid.example("44445555-aaaa-6666-bbbb-7777cccc8888"))
        case .applicationFilter:
            parameter(
                "$filter", in: "query", "Which applications (docs/protocol.md, Operators).",
                Schema.text(1...2_048).example("displayName eq 'Daemon'"))
        case .applicationTop: parameter("$top", in: "query", "The most applications on a page; 999 at most.", .whole)
        case .principal: parameter("principal", in: "path", "The id of a service principal.", .uuid)
        case .grant: parameter("grant", in: "path", "The id of a grant.", .uuid)
        case .assignment: parameter("assignment", in: "path", "The id of an assignment.", .uuid)
        case .flow: parameter("flow", in: "path", "The id of a user flow.", .uuid)
        case .attribute:
            parameter("attribute", in: "path", "The id of an attribute.", Schema.text(1...256).example("city"))
        case .extension: parameter("extension", in: "path", "The id of an extension.", .uuid)
        case .listener: parameter("listener", in: "path", "The id of a listener.", .uuid)
        case .group: parameter("group", in: "path", "The id of a group.", .uuid)
        case .objectFilter:
            parameter(
                "$filter", in: "query", "Which objects (docs/protocol.md, User flows).",
                Schema.text(1...2_048).example("id eq 'aaaabbbb-0000-cccc-1111-dddd2222eeee'"))
        case .objectTop: parameter("$top", in: "query", "The most objects on a page; 999 at most.", .whole)
        case .auditTop: parameter("$top", in: "query", "The most lines on a page; 1,000 at most.", .whole)
        case .orderby:
            parameter(
                "$orderby", in: "query", "id, or createdDateTime with asc or desc.",
                Schema.text.example("createdDateTime desc"))
        case .count: parameter("$count", in: "query", "true: the number of users; needs ConsistencyLevel.", .flag)
        case .skiptoken: parameter("$skiptoken", in: "query", "From @odata.nextLink only.", .filled)
        case .consistencyLevel:
            parameter("ConsistencyLevel", in: "header", "eventual, for $count and $search.", .words(["eventual"]))
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
