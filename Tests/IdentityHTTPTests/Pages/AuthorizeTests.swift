import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// The authorization endpoint and the exchange of codes.
@Suite("Authorization endpoint")
struct AuthorizeTests {
    private let party = TestRelyingParty(.emailPassword)
    private let email = "dana@example.com"

    /// What is wrong with a request, and what its answer is.
    struct Fault: Sendable, CustomTestStringConvertible {
        var changes: [String: String?]
        /// Nil: a page of ours.
        var error: String?
        var code: Int?
        var testDescription: String { "\(changes)" }
    }

    static let cases: [Fault] = [
        Fault(changes: ["client_id": nil]), Fault(changes: ["client_id": "x"]),
        Fault(changes: ["client_id": "00000000-0000-4000-8000-000000000000"]),
        Fault(changes: ["redirect_uri": nil]), Fault(changes: ["redirect_uri": ""]),
        Fault(changes: ["redirect_uri": "https://evil.example/"]),
        Fault(changes: ["redirect_uri": "http://localhost:9999/other"]),
        Fault(changes: ["redirect_uri": "http://localhost:9999?x=1"]),
        Fault(changes: ["redirect_uri": "https://localhost:9999"]),
        Fault(changes: ["redirect_uri": "http://localhost.evil.example:9999"]),
        Fault(changes: ["redirect_uri": "http://LOCALHOST:9999"]),
        Fault(changes: ["response_type": nil], error: "invalid_request", code: 900_144),
        Fault(changes: ["response_type": "token"], error: "unsupported_response_type", code: 700_054),
        Fault(changes: ["response_type": "code id_token"], error: "unsupported_response_type", code: 700_054),
        Fault(changes: ["response_type": "none"], error: "unsupported_response_type", code: 70_005),
        Fault(changes: ["response_mode": "web_message"], error: "invalid_request", code: 70_007),
        Fault(changes: ["request": "a.b.c"], error: "request_not_supported"),
        Fault(changes: ["request_uri": "https://a"], error: "request_uri_not_supported"),
        Fault(
            changes: ["code_challenge": nil, "code_challenge_method": nil], error: "invalid_request", code: 9_002_325),
        Fault(changes: ["code_challenge_method": "plain"], error: "invalid_request", code: 50_149),
        Fault(changes: ["code_challenge_method": nil], error: "invalid_request", code: 50_149),
        Fault(changes: ["code_challenge": "short"], error: "invalid_request", code: 501_491),
        Fault(changes: ["scope": nil], error: "invalid_request", code: 900_144),
        Fault(changes: ["scope": "a\"b"], error: "invalid_scope", code: 70_011),
        Fault(changes: ["scope": "api://a/x api://b/y"], error: "invalid_scope", code: 70_011),
        Fault(changes: ["prompt": "none login"], error: "invalid_request", code: 90_100),
        Fault(changes: ["prompt": "dance"], error: "invalid_request", code: 90_100),
        Fault(changes: ["max_age": "-1"], error: "invalid_request", code: 90_100),
        Fault(changes: ["max_age": "soon"], error: "invalid_request", code: 90_100),
        Fault(changes: ["claims": "["], error: "invalid_request", code: 90_100),
        Fault(
            changes: ["nonce": String(repeating: "n", count: 513)], error: "invalid_request", code: 90_100),
    ]

    @Test("OIDC-2, OIDC-3: a faulty request ends on our page, or with an error for the client", arguments: cases)
    func faults(_ fault: Fault) async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path(fault.changes))
            guard let error = fault.error else {
                #expect(browser.status == 400 && browser.location == nil && browser.headers["refresh"] == nil)
                #expect(!browser.html.contains("evil"))
                return
            }
            #expect(browser.status == 303)
            #expect(browser.destination?.hasPrefix("http://localhost:9999?") == true)
            let answer = browser.answer
            #expect(answer["error"] == error)
            #expect(answer["state"] == "st|{\"a\":1}")
            #expect(answer["iss"] == "https://identity.test/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0")
            let description = try #require(answer["error_description"])
            #expect(description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
            if let code = fault.code { #expect(description.hasPrefix("AADSTS\(code): ")) }
        }
    }

    @Test(
        "OIDC-2: of two faults the one that keeps the answer from the client counts, and a repeated parameter is a fault"
    )
    func twoFaults() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            for later in ["response_type": "token", "prompt": "dance", "request": "x"] {
                try await browser.get(
                    party.path([later.key: later.value, "redirect_uri": "https://evil.example/"]))
                #expect(browser.status == 400 && browser.location == nil)
            }
            try await browser.get(party.path() + "&redirect_uri=http%3A%2F%2Flocalhost%3A9999")
            #expect(browser.status == 400 && browser.location == nil)
            try await browser.get(party.path() + "&state=other")
            #expect(browser.answer["error"] == "invalid_request" && browser.answer["state"] == nil)
            try await browser.get(party.path(["response_mode": "query"]) + "&response_mode=query")
            #expect(browser.answer["error"] == "invalid_request" && browser.answer["state"] == "st|{\"a\":1}")
            try await browser.get(party.path(["extra": "foobar", "display": "popup", "acr_values": "x"]))
            #expect(browser.status == 200)
        }
    }

    @Test(
        "OIDC-5: the answer goes into query, fragment or form, as the request says",
        arguments: ["query", "fragment", "form_post"])
    func responseModes(mode: String) async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path(["prompt": "none", "response_mode": mode]))
            switch mode {
            case "query": #expect(browser.destination?.hasPrefix("http://localhost:9999?error=login_required") == true)
            case "fragment":
                #expect(browser.destination?.hasPrefix("http://localhost:9999#error=login_required") == true)
            case _:
                #expect(browser.status == 200 && browser.location == nil)
                let form = try #require(browser.forms.first)
                #expect(form.action == "http://localhost:9999")
                #expect(form.fields.first { $0.0 == "error" }?.1 == "login_required")
                #expect(form.fields.first { $0.0 == "state" }?.1 == "st|{\"a\":1}")
                // Browsers apply form-action to the redirects of the client, too.
                #expect(browser.headers["content-security-policy"]?.contains("form-action") == false)
            }
        }
    }

    @Test("OIDC-4: any state of legal bytes comes back as it was sent")
    func states() async throws {
        try await withIdentityServer { server in
            var generator = SystemRandomNumberGenerator()
            let browser = TestBrowser(server)
            for length in [1, 7, 64, 400] {
                for _ in 0..<20 {
                    let state = String(
                        String.UnicodeScalarView(
                            (0..<length).compactMap { _ in
                                Unicode.Scalar(UInt32.random(in: 0x20...0x2FF, using: &generator))
                            }.filter { $0.value != 0x7F && !(0x80...0x9F).contains($0.value) }))
                    guard !state.isEmpty else { continue }
                    try await browser.get(party.path(["prompt": "none", "state": state]))
                    #expect(browser.answer["state"].map { Array($0.utf8) } == Array(state.utf8))
                }
            }
        }
    }

    @Test("OIDC-14, OIDC-17: prompt=none shows no page, sets no cookie, writes nothing, and gives an app no code")
    func silent() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.get(party.path(["prompt": "none"]))
            #expect(browser.answer["error"] == "login_required" && browser.setCookies.isEmpty)
            try await browser.signUp(email, at: server, for: party)
            let before = try await server.snapshot()
            for _ in 0..<50 {
                try await browser.get(party.path(["prompt": "none"]))
                #expect(browser.answer["error"] == "interaction_required" && browser.setCookies.isEmpty)
            }
            #expect(try await server.snapshot() == before)
        }
    }

    @Test("OIDC-13: prompt=login and an exceeded max_age ask for a fresh proof, whose time the ID token states")
    func freshProofs() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            try await browser.signUp(email, at: server, for: party)
            server.clock.advance(by: 100)
            try await browser.get(party.path(["max_age": "1000"]))
            #expect(browser.title == "Continue to Password")
            try await browser.get(party.path(["max_age": "10"]))
            #expect(browser.title == "Sign in")
            try await browser.get(party.path(["prompt": "login"]))
            #expect(browser.title == "Sign in")
            try await browser.submit(["username": email])
            try await browser.submit(["password": TestBrowser.password])
            let answer = try await party.redeem(try #require(browser.answer["code"]), at: server)
            let token = try #require(answer.text("id_token"))
            let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
            let claims = try JSONDecoder().decode([String: JSON].self, from: payload)
            #expect(claims["auth_time"]?.integer == Int(IdentityTestServer.start.timeIntervalSince1970) + 100)
        }
    }

    /// A fresh code of a new user.
    private func code(_ server: IdentityTestServer, _ browser: TestBrowser? = nil) async throws -> String {
        let browser = browser ?? TestBrowser(server)
        try await browser.signUp(email, at: server, for: party)
        return try #require(browser.answer["code"])
    }

    @Test("SEC-OAUTH-3, OIDC-6, OIDC-8: a code is for one client, one address and one verifier, and has a minute")
    func boundCodes() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            let code = try await code(server, browser)
            func refusal(_ changes: [String: String?]) async throws -> Int? {
                let answer = try await party.redeem(code, at: server, changes)
                return answer.status == 400 ? answer["error_codes"]?.array.first?.integer : nil
            }
            #expect(
                try await refusal(["client_id": IdentityTestServer.Application.emailOneTimePasscode.rawValue]) == 70_000
            )
            #expect(try await refusal(["redirect_uri": "http://localhost:9998"]) == 500_112)
            #expect(try await refusal(["code_verifier": nil]) == 501_481)
            #expect(try await refusal(["code_verifier": String(repeating: "x", count: 43)]) == 501_481)
            #expect(try await refusal(["scope": "openid email"]) == 65_001)
            #expect(try await party.redeem(code, at: server).status == 200)
            try await browser.get(party.path())
            try await browser.submit([:])
            let second = try #require(browser.answer["code"])
            server.clock.advance(by: 61)
            let late = try await party.redeem(second, at: server)
            #expect(late["error_codes"]?.array.first?.integer == 70_008)
        }
    }

    @Test(
        "OIDC-9: a client that lost the answer gets it again for ten seconds; any other use revokes what the code gave")
    func repeatedCodes() async throws {
        try await withIdentityServer { server in
            let code = try await code(server)
            let first = try await party.redeem(code, at: server)
            server.clock.advance(by: 9)
            let again = try await party.redeem(code, at: server)
            #expect(first.status == 200 && again.body == first.body)
            let token = try #require(first.text("refresh_token"))
            server.clock.advance(by: 2)
            let late = try await party.redeem(code, at: server)
            #expect(late["error_codes"]?.array.first?.integer == 54_005)
            let refreshed = try await server.client(.emailPassword).refresh(token)
            #expect(refreshed["error_codes"]?.array.first?.integer == 50_173)
            let access = try #require(first.text("access_token"))
            let userinfo = try await server.client(.emailPassword).get(
                "/contoso/oidc/userinfo", headers: ["authorization": "Bearer \(access)"])
            #expect(userinfo.status == 401)
        }
    }

    @Test("OIDC-9: a thief of the code alone gets nothing, and ends what it gave")
    func stolenCodes() async throws {
        try await withIdentityServer { server in
            let code = try await code(server)
            let first = try await party.redeem(code, at: server)
            let thief = try await party.redeem(code, at: server, ["code_verifier": String(repeating: "y", count: 43)])
            #expect(thief["error_codes"]?.array.first?.integer == 54_005 && thief.text("access_token") == nil)
            let refreshed = try await server.client(.emailPassword).refresh(try #require(first.text("refresh_token")))
            #expect(refreshed["error_codes"]?.array.first?.integer == 50_173)
        }
    }

    @Test("OIDC-8: of 50 redemptions at once one opens a session")
    func racingCodes() async throws {
        try await withIdentityServer { server in
            let code = try await code(server)
            let answers = try await withThrowingTaskGroup(of: WireAnswer.self) { group in
                for number in 0..<50 {
                    // Each is another request, so that none is a repetition of the first.
                    let scope = number.isMultiple(of: 2) ? "openid profile" : "openid offline_access"
                    group.addTask { try await party.redeem(code, at: server, ["scope": "\(scope)"]) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.contains { $0.status == 200 })
            #expect(Set(answers.filter { $0.status == 200 }.map(\.body)).count == 1)
            #expect(try await server.count("SELECT COUNT(*) FROM refresh_families") == 1)
        }
    }

    @Test("OIDC-20: an authorization request by POST is sent on to GET, from any site")
    func byPost() async throws {
        try await withIdentityServer { server in
            let browser = TestBrowser(server)
            let query = party.path().split(separator: "?")[1]
            let members = TestBrowser.members(of: String(query))
            try await browser.post(
                "/contoso/oauth2/v2.0/authorize", members.map { ($0.key, $0.value) },
                headers: ["origin": "https://client.example", "sec-fetch-site": "cross-site"])
            #expect(browser.status == 200 && browser.title == "Sign in")
        }
    }
}
