import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// A browser that keeps cookies, follows redirects on its own host, and sends forms. It runs no script.
final class TestBrowser {
    private let transport: any HTTPTransport
    /// Name and value.
    var cookies: [String: String] = [:]
    private(set) var status = 0
    private(set) var headers: [String: String] = [:]
    private(set) var html = ""
    /// The requests so far, redirects included.
    private(set) var requests = 0

    static let origin = "https://identity.test"

    init(_ server: IdentityTestServer) {
        transport = server.transport
    }

    init(_ transport: any HTTPTransport) {
        self.transport = transport
    }

    func get(_ path: String, headers: [String: String] = [:], follows: Bool = true) async throws {
        try await send("GET", path, headers: headers, body: Data(), follows: follows)
    }

    func post(
        _ path: String, _ fields: [(String, String)], headers: [String: String] = [:], follows: Bool = true
    ) async throws {
        var form = FormFields()
        for (name, value) in fields { form.append(name, value) }
        let own = [
            "content-type": WireClient.form, "origin": Self.origin, "sec-fetch-site": "same-origin",
        ]
        try await send(
            "POST", path, headers: own.merging(headers) { $1 }, body: Data(form.encoded.utf8), follows: follows)
    }

    private func send(
        _ method: String, _ path: String, headers: [String: String], body: Data, follows: Bool
    ) async throws {
        requests += 1
        var headers = headers
        if !cookies.isEmpty {
            headers["cookie"] = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        }
        let url = try #require(URL(string: Self.origin + path))
        let response = try await transport.send(
            TransportRequest(method: method, url: url, headers: headers, body: body))
        status = response.status
        self.headers = response.headers
        html = String(decoding: response.body, as: UTF8.self)
        keepCookies()
        guard follows, let location = self.location, location.hasPrefix(Self.origin) || location.hasPrefix("/") else {
            return
        }
        try await send(
            "GET", String(location.trimmingPrefix(Self.origin)), headers: [:], body: Data(), follows: true)
    }

    var location: String? { headers["location"] }

    /// The fields `Set-Cookie` of the answer.
    var setCookies: [String] {
        (headers["set-cookie"] ?? "").split(separator: "\n").map(String.init)
    }

    private func keepCookies() {
        for field in setCookies {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            if field.contains("Max-Age=0") {
                cookies[String(pair[0])] = nil
            } else {
                cookies[String(pair[0])] = String(pair[1])
            }
        }
    }

    /// What closing the browser leaves.
    func restart(_ kept: Set<String>) { cookies = cookies.filter { kept.contains($0.key) } }

    var title: String? { Self.text(between: "<h1>", "</h1>", in: html) }

    var problem: String? {
        Self.text(between: "<div class=\"problem\" role=\"alert\"><p>", "</p>", in: html).map { text in
            Self.text(between: "\">", "</a>", in: text) ?? text
        }
    }

    /// The address that the page or the answer moves on to.
    var destination: String? {
        headers["refresh"].map { String($0.trimmingPrefix("0; url=")) } ?? location
    }

    /// The members of the answer to the client, in query or fragment.
    var answer: [String: String] {
        guard let destination, let mark = destination.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return [:] }
        return Self.members(of: String(destination[destination.index(after: mark)...]))
    }

    static func members(of query: String) -> [String: String] {
        do {
            let fields = try FormFields(decoding: query.utf8)
            return try Dictionary(uniqueKeysWithValues: fields.names.map { ($0, try fields.single($0) ?? "") })
        } catch {
            Issue.record("not a query: \(query)")
            return [:]
        }
    }

    struct Form {
        var action: String
        /// Name and value of each input that is sent without a choice.
        var fields: [(String, String)]
        var names: Set<String>
    }

    /// The forms of the page.
    var forms: [Form] {
        html.components(separatedBy: "<form ").dropFirst().map { part in
            let form = part.components(separatedBy: "</form>")[0]
            var (fields, names) = ([(String, String)](), Set<String>())
            for tag in form.components(separatedBy: "<input ").dropFirst()
                + form.components(separatedBy: "<button ").dropFirst()
            {
                let tag = tag.prefix { $0 != ">" }
                guard let name = Self.text(between: "name=\"", "\"", in: String(tag)) else { continue }
                names.insert(name)
                let value = Self.text(between: "value=\"", "\"", in: String(tag)) ?? ""
                let isChosen = !tag.contains("type=\"radio\"") || tag.contains(" checked")
                // A button is sent when it is pressed.
                if name != ".action", name != ".provider", !tag.contains("type=\"checkbox\""), isChosen {
                    fields.append((name, value))
                }
            }
            return Form(
                action: Self.text(between: "action=\"", "\"", in: form) ?? "", fields: fields, names: names)
        }
    }

    /// Sends the first form that has all these fields.
    func submit(
        _ values: [String: String], action: String = "next", headers: [String: String] = [:], follows: Bool = true
    ) async throws {
        let form = try #require(forms.first { $0.names.isSuperset(of: values.keys) }, "\(title ?? "no title")")
        var fields = form.fields.map { ($0.0, values[$0.0] ?? $0.1) }
        for (name, value) in values where !fields.contains(where: { $0.0 == name }) { fields.append((name, value)) }
        try await post(form.action, fields + [(".action", action)], headers: headers, follows: follows)
    }

    /// The text between two marks, without entities.
    static func text(between begin: String, _ end: String, in text: String) -> String? {
        guard let start = text.firstRange(of: begin), let stop = text[start.upperBound...].firstRange(of: end) else {
            return nil
        }
        return String(text[start.upperBound..<stop.lowerBound]).replacing("&lt;", with: "<").replacing(
            "&gt;", with: ">"
        )
        .replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}

/// A client of the authorization endpoint.
struct TestRelyingParty: Sendable {
    var client: String
    var redirect = "http://localhost:9999"
    var tenant = "contoso"
    let verifier = "abcdefghijklmnopqrstuvwxyz0123456789-._~ABCDEFG"

    init(_ application: IdentityTestServer.Application, redirect: String = "http://localhost:9999") {
        client = application.rawValue
        self.redirect = redirect
    }

    init(client: String, redirect: String) {
        self.client = client
        self.redirect = redirect
    }

    var challenge: String { Base64URL.encode(Vault.checksum(Data(verifier.utf8))) }

    /// The path of an authorization request. A nil value leaves the parameter out.
    func path(_ changes: [String: String?] = [:]) -> String {
        var parameters: [String: String?] = [
            "client_id": client, "redirect_uri": redirect, "response_type": "code",
            "scope": "openid profile offline_access", "state": "st|{\"a\":1}", "nonce": "n-1",
            "code_challenge": challenge, "code_challenge_method": "S256",
        ]
        for (name, value) in changes { parameters[name] = value }
        var form = FormFields()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { form.append(name, value) }
        return "/\(tenant)/oauth2/v2.0/authorize?\(form.encoded)"
    }

    /// Redeems a code.
    func redeem(
        _ code: String, at server: IdentityTestServer, _ changes: [String: String?] = [:],
        headers: [String: String] = [:]
    ) async throws -> WireAnswer {
        var parameters: [String: String?] = [
            "client_id": client, "grant_type": "authorization_code", "code": code, "redirect_uri": redirect,
            "code_verifier": verifier,
        ]
        for (name, value) in changes { parameters[name] = value }
        var client = server.client(id: self.client)
        client.clientID = nil
        return try await client.post(
            .token, parameters.sorted { $0.key < $1.key }.compactMap { name, value in value.map { (name, $0) } },
            headers: headers)
    }
}

extension TestBrowser {
    static let password = WireClient.password

    /// Signs a user up at the pages of an application with a password, up to the answer.
    func signUp(
        _ email: String, at server: IdentityTestServer, for party: TestRelyingParty,
        _ changes: [String: String?] = [:]
    ) async throws {
        try await get(party.path(["prompt": "create"].merging(changes) { $1 }))
        try await submit(["username": email])
        try await submit(["code": try await server.mailbox.code(to: email)])
        try await submit(["new-password": Self.password])
    }

    /// Signs in with the password, from the page of the name to the answer.
    func signIn(_ email: String, for party: TestRelyingParty, _ changes: [String: String?] = [:]) async throws {
        try await get(party.path(changes))
        try await submit(["username": email])
        try await submit(["password": Self.password])
    }
}
