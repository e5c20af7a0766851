import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The native API without the SDK: forms out, JSON in (docs/protocol.md §3, §4).
struct NativeAPI: Sendable {
    /// The applications of the development tenant (design record 0014).
    enum Application: String, CaseIterable {
        case oneTimePasscode = "00001111-aaaa-2222-bbbb-3333cccc4444"
        case password = "11112222-bbbb-3333-cccc-4444dddd5555"
        case oneTimePasscodeAndAttributes = "22223333-cccc-4444-dddd-5555eeee6666"
        case passwordAndAttributes = "33334444-dddd-5555-eeee-6666ffff7777"
    }

    /// An answer; missing members are nil.
    struct Reply: Sendable {
        var status: Int
        var body: Body
        /// The unparsed body.
        var text: String

        struct Body: Decodable, Sendable {
            var continuationToken: String?
            var codeLength: Int?
            var error: String?
            var errorCodes: [Int]?
            var suberror: String?
            var accessToken: String?
            var refreshToken: String?
            var idToken: String?
        }
    }

    struct UnexpectedReply: Error {
        var path: String
        var reply: Reply
    }

    struct Mail: Decodable, Sendable {
        var to: String
        /// Nil in a notice.
        var code: String?
    }

    let baseURL: URL
    var clientID: String = Application.oneTimePasscode.rawValue
    var tenant = "contoso"
    /// `Accept-Language`; nil: that of this machine.
    var language: String?
    /// The header `traceparent`, as a proxy sets it.
    var traceParent: String?
    /// Called before each request of the API.
    var onRequest: @Sendable () -> Void = {}

    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 30
        configuration.httpMaximumConnectionsPerHost = 32
        return URLSession(configuration: configuration)
    }()

    /// The same server for another application.
    func using(_ application: Application) -> NativeAPI {
        var other = self
        other.clientID = application.rawValue
        return other
    }

    /// Sends a form, with the client id in it.
    func post(_ path: String, _ fields: [String: String], query: String = "") async throws -> Reply {
        onRequest()
        var request = URLRequest(url: try url("/\(tenant)/\(path)\(query)"))
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        if let language { request.setValue(language, forHTTPHeaderField: "Accept-Language") }
        if let traceParent { request.setValue(traceParent, forHTTPHeaderField: "traceparent") }
        let form = fields.merging(["client_id": clientID]) { given, _ in given }
        request.httpBody = Data(form.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&").utf8)
        let (data, response) = try await Self.session.data(for: request)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return Reply(
            status: (response as? HTTPURLResponse)?.statusCode ?? 0,
            body: try decoder.decode(Reply.Body.self, from: data), text: String(decoding: data, as: UTF8.self))
    }

    func get(_ path: String) async throws -> (status: Int, body: String) {
        let (data, response) = try await Self.session.data(for: URLRequest(url: try url(path)))
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    func start(
        _ email: String, password: String? = nil, attributes: [String: String] = [:]
    ) async throws -> Reply {
        var fields = ["username": email, "challenge_type": password == nil ? "oob redirect" : "oob password redirect"]
        fields["password"] = password
        if !attributes.isEmpty { fields["attributes"] = try Self.json(attributes) }
        return try await post("signup/v1.0/start", fields)
    }

    func challenge(_ token: String) async throws -> Reply {
        try await post(
            "signup/v1.0/challenge", ["continuation_token": token, "challenge_type": "oob password redirect"])
    }

    func submit(_ code: String, _ token: String) async throws -> Reply {
        try await post("signup/v1.0/continue", ["continuation_token": token, "grant_type": "oob", "oob": code])
    }

    func submit(attributes: [String: String], _ token: String) async throws -> Reply {
        try await post(
            "signup/v1.0/continue",
            ["continuation_token": token, "grant_type": "attributes", "attributes": try Self.json(attributes)])
    }

    /// The newest code in the development inbox for an address; waits for it.
    func code(for email: String) async throws -> String {
        while true {
            let (_, body) = try await get("/dev/inbox.json?to=\(Self.escaped(email))")
            let mails = try JSONDecoder().decode([Mail].self, from: Data(body.utf8))
            if let code = mails.lazy.compactMap(\.code).first { return code }
            // Another process sends the mail and does not signal it, so poll; with two nodes both are asked.
            try await Task.sleep(for: .milliseconds(TwoNodes.isOn ? 100 : 5))
        }
    }

    /// A whole sign-up, each step of which must succeed.
    ///
    /// - Returns: The last answer, with the continuation token for the token endpoint.
    func signUp(
        _ email: String, password: String? = nil, attributes: [String: String] = [:]
    ) async throws -> Reply {
        let started = try await start(email, password: password, attributes: attributes).token("start")
        let challenged = try await challenge(started).token("challenge")
        let finished = try await submit(try await code(for: email), challenged)
        _ = try finished.token("continue")
        return finished
    }

    /// Whether an account has this address: a new sign-up is refused with 1003037 (docs/protocol.md §4.1).
    func isTaken(_ email: String) async throws -> Bool {
        let reply = try await start(email)
        return reply.status == 400 && reply.body.error == "user_already_exists"
            && reply.body.errorCodes == [1_003_037]
    }

    private func url(_ path: String) throws -> URL {
        guard let url = URL(string: baseURL.absoluteString + path) else { throw URLError(.badURL) }
        return url
    }

    private static func escaped(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static func json(_ attributes: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode(attributes), as: UTF8.self)
    }
}

extension NativeAPI.Reply {
    /// The continuation token of an answer that must be a success.
    func token(_ path: String) throws -> String {
        guard status == 200, let token = body.continuationToken else {
            throw NativeAPI.UnexpectedReply(path: path, reply: self)
        }
        return token
    }
}
