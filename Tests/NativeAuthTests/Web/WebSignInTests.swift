import Foundation
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@testable import NativeAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Sign-in in a browser") struct WebSignInTests {
    private static let verifier = Array(Base64URL.decode("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") ?? Data())

    // MARK: The way there and back

    @Test("the page's address and the redemption are those of the standards")
    func theWireIsStandard() async throws {
        var options = WebSignInOptions(prompt: .signUp, username: "dana@example.com", scopes: ["api://orders/read"])
        options.claims = #"{"access_token":{}}"#
        options.maxAge = .seconds(600)
        options.languages = ["da", "en"]
        options.extraParameters = ["domain_hint": "a&b"]
        try await withWeb(
            with: WebSetup(configure: { $0.randomBytes = { Self.verifier + Array(repeating: 7, count: $0 - 32) } })
        ) {
            [options] client, server in
            let account = try await client.signInWithBrowser(options)
            #expect(account.homeAccountID == "OID.TID" && account.username == "dana@example.com")
            let page = try #require(server.pages.first)
            #expect(page.url.absoluteString.hasPrefix("\(WebServer.origin)/TID/oauth2/v2.0/authorize?p=1&client_id="))
            #expect(!page.url.absoluteString.contains("+"), "not every server reads it as a space")
            let redemption = try #require(try server.redemptions.first)
            let verifier = redemption["code_verifier"] ?? ""
            // The example of RFC 7636, appendix B.
            #expect(verifier == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
            var query = page.query
            #expect(query.removeValue(forKey: "state")?.utf8.count == 43)
            #expect(query.removeValue(forKey: "nonce")?.utf8.count == 43)
            #expect(
                query == [
                    "p": "1", "client_id": clientID, "response_type": "code",
                    "redirect_uri": webRedirect.absoluteString,
                    "scope": "api://orders/read openid profile offline_access",
                    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
                    "code_challenge_method": "S256", "prompt": "create", "login_hint": "dana@example.com",
                    "claims": #"{"access_token":{}}"#, "max_age": "600", "ui_locales": "da en", "client_info": "1",
                    "client-request-id": correlation.text, "domain_hint": "a&b",
                ])
            #expect(
                redemption == [
                    "client_id": clientID, "grant_type": "authorization_code", "code": "C1",
                    "redirect_uri": webRedirect.absoluteString, "code_verifier": verifier,
                    "scope": "api://orders/read openid profile offline_access", "client_info": "1",
                    "claims": #"{"access_token":{}}"#,
                ])
            #expect(page.session == .ephemeral)
        }
    }

    @Test("without a discovery document the pages have the standard paths")
    func withoutADocument() async throws {
        try await withWeb(WebServer(document: nil), with: WebSetup(answer: { $0.code(["iss": nil]) })) {
            client, server in
            _ = try await client.signInWithBrowser()
            #expect(server.pages[0].url.absoluteString.hasPrefix("\(WebServer.origin)/TID/oauth2/v2.0/authorize?"))
        }
    }

    @Test(
        "every form of a redirect URI works, and goes to the server byte for byte",
        arguments: [
            "com.example.app:/oauth", "com.example.app://cb", "com.example.app:///cb", "https://app.example/cb?x=1",
            "https://app.example", "http://127.0.0.1:5000/cb", "http://[::1]:5000/", "http://localhost/cb",
        ])
    func theFormsOfARedirectURI(_ address: String) async throws {
        let url = URL(string: address)
        try await withWeb(with: WebSetup(configure: { $0.redirectURI = url })) { client, server in
            _ = try await client.signInWithBrowser()
            #expect(server.pages[0]["redirect_uri"] == address)
            #expect(try server.redemptions[0]["redirect_uri"] == address)
        }
    }

    @Test("the answer may come in the fragment")
    func aFragment() async throws {
        try await withWeb(with: WebSetup(answer: { $0.code(fragment: true) })) { client, _ in
            _ = try await client.signInWithBrowser()
        }
    }

    @Test("every attempt has new secrets, and no description shows them (SDK-WEB-5)")
    func secretsAreFresh() async throws {
        try await withWeb { client, server in
            _ = try await client.signInWithBrowser()
            _ = try await client.signInWithBrowser()
            let secrets = server.pages.flatMap { [$0["state"], $0["nonce"], $0["code_challenge"]] }
            #expect(Set(secrets).count == 6)
            let attempt = WebAttempt { Array(repeating: 65, count: $0) }
            #expect("\(attempt)".contains("redacted") && !"\(attempt)".contains("QUFB"))
            var text = ""
            let request = WebAuthenticationRequest(
                page: webRedirect, callback: webRedirect, session: .shared, state: Secret("canary")
            ) { _ in FormFields() }
            dump(request, to: &text)
            #expect(!text.contains("canary") && !"\(request)".contains("canary"))
        }
    }

    @Test("the result is the account, the events and the refresh of a native sign-in (SDK-WEB-7)")
    func theResultIsNative() async throws {
        try await withWeb { client, server in
            var changes = client.sessionChanges.makeAsyncIterator()
            let account = try await client.signInWithBrowser(.init(scopes: ["api://orders/read"]))
            #expect(client.currentAccount()?.homeAccountID == account.homeAccountID)
            guard case .signedIn(let signedIn)? = await changes.next() else {
                Issue.record("no event")
                return
            }
            #expect(signedIn.homeAccountID == account.homeAccountID)
            #expect(try await account.accessToken(scopes: ["api://orders/read"], policy: .cached).value == "AT1")
            _ = try await account.accessToken(policy: .force)
            #expect(try server.redemptions.last?["grant_type"] == "refresh_token")
            #expect(try server.redemptions.last?["scope"] == "api://orders/read openid profile offline_access")
            client.signOut(account)
            #expect(client.accounts().isEmpty)
        }
    }

    // MARK: Answers that fail a check

    struct Answer: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fault: WebAnswerFault
        var make: @Sendable (ShownPage) -> URL

        init(_ name: String, _ fault: WebAnswerFault, _ make: @escaping @Sendable (ShownPage) -> URL) {
            testDescription = name
            self.fault = fault
            self.make = make
        }

        private static func at(_ address: String, _ page: ShownPage) -> URL {
            URL(string: "\(address)?\(page.code().query(percentEncoded: true) ?? "")") ?? page.url
        }

        static let all: [Answer] = [
            .init("another scheme", .address) { at("msauth.com.example.other://auth", $0) },
            .init("another host", .address) { at("msauth.com.example.app://auth2", $0) },
            .init("another path", .address) { at("msauth.com.example.app://auth/x", $0) },
            .init("another port", .address) { at("msauth.com.example.app://auth:99", $0) },
            .init("a user name in the address", .address) { at("msauth.com.example.app://x@auth", $0) },
            .init("the page itself", .address) { $0.url },
            .init("no state", .state) { $0.code(["state": nil]) },
            .init("an empty state", .state) { $0.code(["state": ""]) },
            .init("another state", .state) { $0.code(["state": "x"]) },
            .init("a state with one letter more", .state) { $0.code(["state": $0["state"] + "x"]) },
            .init("a state in capitals", .state) { $0.code(["state": $0["state"].uppercased() + "-"]) },
            .init("an error with another state", .state) { $0.answer(["error": "access_denied", "state": "x"]) },
            .init("no issuer", .issuer) { $0.code(["iss": nil]) },
            .init("an empty issuer", .issuer) { $0.code(["iss": ""]) },
            .init("another issuer", .issuer) { $0.code(["iss": "https://evil.example/TID/v2.0"]) },
            .init("the issuer with a slash", .issuer) { $0.code(["iss": WebServer.issuer + "/"]) },
            .init("an error of another issuer", .issuer) {
                $0.answer(["error": "access_denied", "state": $0["state"], "iss": "https://evil.example"])
            },
            .init("neither a code nor an error", .malformed) { $0.code(["code": nil]) },
            .init("an empty code", .malformed) { $0.code(["code": ""]) },
            .init("a code and an error", .malformed) { $0.code(["error": "server_error"]) },
            .init("two codes", .malformed) { URL(string: "\($0.code())&code=C2") ?? $0.url },
            .init("two states", .malformed) { URL(string: "\($0.code())&state=x") ?? $0.url },
            .init("a code in the query and one in the fragment", .malformed) {
                URL(string: "\($0.code())#code=C2") ?? $0.url
            },
            .init("no parameters", .state) { $0.callback },
            .init("bytes that are not UTF-8", .malformed) { URL(string: "\($0.code())&x=%FF") ?? $0.url },
        ]
    }

    @Test(
        "an answer that fails a check is rejected, and nothing is redeemed or stored (SDK-WEB-5)", arguments: Answer.all
    )
    func anAnswerIsRejected(_ answer: Answer) async throws {
        try await withWeb(with: WebSetup(answer: { answer.make($0) })) { client, server in
            let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser() }
            guard case .answerRejected(let fault, let details) = failure else {
                Issue.record("\(failure)")
                return
            }
            #expect(fault == answer.fault && details.correlationID == correlation)
            #expect(try server.redemptions.isEmpty && client.accounts().isEmpty)
        }
    }

    @Test("a server that announces no issuer may leave it out, but not name another (SDK-WEB-5)")
    func anIssuerThatIsNotAnnounced() async throws {
        let server = WebServer(document: WebServer.document(""))
        try await withWeb(server, with: WebSetup(answer: { $0.code(["iss": nil]) })) { client, _ in
            _ = try await client.signInWithBrowser()
        }
        try await withWeb(server, with: WebSetup(answer: { $0.code(["iss": "https://evil.example"]) })) { client, _ in
            let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser() }
            #expect(kind(failure) == "answerRejected")
        }
    }

    static let tokens: [(String, [String: String?], WebAnswerFault)] = [
        ("another nonce", ["nonce": "\"x\""], .nonce), ("no nonce", ["nonce": nil], .nonce),
        ("a nonce that is a number", ["nonce": "1"], .nonce),
        ("another audience", ["aud": "\"other\""], .idToken), ("no audience", ["aud": nil], .idToken),
        ("another issuer", ["iss": "\"https://evil.example/TID/v2.0\""], .idToken),
        ("another issuer of the same host", ["iss": "\"\(WebServer.origin)/OTHER/v2.0\""], .idToken),
        ("no issuer", ["iss": nil], .idToken), ("an end in the past", ["exp": "1000"], .idToken),
        ("no end", ["exp": nil], .idToken), ("no subject", ["sub": nil], .idToken),
        ("an empty subject", ["sub": "\"\""], .idToken), ("another party", ["azp": "\"other\""], .idToken),
        ("no ID token", ["id_token": nil], .idToken), ("a sign-in long ago", ["auth_time": "1000"], .idToken),
        ("no time of the sign-in", ["auth_time": nil], .idToken),
    ]

    @Test(
        "tokens for another app, server, time or request are rejected, and nothing is stored (SDK-WEB-5)",
        arguments: tokens)
    func aTokenIsRejected(_ name: String, _ claims: [String: String?], _ expected: WebAnswerFault) async throws {
        var options = WebSignInOptions()
        options.maxAge = .seconds(60)
        try await withWeb(WebServer(claims: claims)) { [options] client, _ in
            let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser(options) }
            guard case .answerRejected(let fault, _) = failure else {
                Issue.record("\(name): \(failure)")
                return
            }
            #expect(fault == expected && client.accounts().isEmpty)
        }
    }

    // MARK: Errors

    static let errors: [(String, String)] = [
        ("access_denied", "cancelled"), ("login_required", "interactionRequired"),
        ("interaction_required", "interactionRequired"), ("consent_required", "interactionRequired"),
        ("account_selection_required", "interactionRequired"), ("server_error", "service"),
        ("temporarily_unavailable", "service"), ("invalid_scope", "service"), ("unknown_word", "service"),
    ]

    @Test("every error of the page has its case, and keeps the server's words (SDK-WEB-8)", arguments: errors)
    func anErrorOfThePage(_ word: String, _ expected: String) async throws {
        let answer: @Sendable (ShownPage) -> URL = {
            $0.answer([
                "error": word, "error_description": "AADSTS65004: said", "state": $0["state"], "iss": WebServer.issuer,
            ])
        }
        try await withWeb(with: WebSetup(answer: { answer($0) })) { client, server in
            let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser() }
            #expect(kind(failure) == expected)
            #expect(failure.details.error == word && failure.details.errorCodes == [65_004])
            if case .cancelled(let by, _) = failure { #expect(by == .user) }
            #expect(try server.redemptions.isEmpty)
        }
    }

    @Test("a code that the server refuses is not sent again, and nothing is stored (SDK-WEB-5)")
    func aRefusedCode() async throws {
        let refusals: [(Stub, String)] = [
            (.refusal(.token, "invalid_grant", codes: [54_005]), "service"),
            (.refusal(.token, "interaction_required", codes: [50_076]), "interactionRequired"),
            (Stub(.token, failing: URLError(.networkConnectionLost)), "service"),
        ]
        for (refusal, expected) in refusals {
            try await withWeb(WebServer(refusal: refusal)) { client, server in
                let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser() }
                #expect(kind(failure) == expected)
                #expect(try server.redemptions.count == 1 && client.accounts().isEmpty)
            }
        }
    }

    @Test("without a connection nothing is shown, and the next sign-in may begin")
    func offline() async throws {
        let isOffline = Mutex(true)
        try await withWeb(
            with: WebSetup(configure: { configuration in
                let server = configuration.transport
                configuration.transport = AnsweringTransport { request in
                    if isOffline.withLock(\.self) { throw URLError(.notConnectedToInternet) }
                    return try await server.send(request)
                }
            })
        ) { client, server in
            let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser() }
            guard case .service(.unreachable) = failure else {
                Issue.record("\(failure)")
                return
            }
            #expect(server.pages.isEmpty)
            isOffline.withLock { $0 = false }
            _ = try await client.signInWithBrowser()
        }
    }

    @Test("a page of another origin is not shown (SDK-WEB-5)")
    func aForeignPage() async throws {
        let document = WebServer.document().replacing(
            "\(WebServer.origin)/TID/oauth2", with: "https://evil.example/oauth2")
        try await withWeb(WebServer(document: document)) { client, server in
            let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser() }
            #expect(kind(failure) == "service" && server.pages.isEmpty)
        }
    }

    @Test(
        "a redirect URI that no page can end at is refused before anything is shown",
        arguments: ["https://app.example/cb#x", "http://app.example/", "https://u@app.example/", "relative"])
    func aWrongRedirectURI(_ address: String) async throws {
        let url = URL(string: address)
        try await withWeb(with: WebSetup(configure: { $0.redirectURI = url })) { client, server in
            let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser() }
            guard case .service(.invalidConfiguration) = failure else {
                Issue.record("\(failure)")
                return
            }
            #expect(server.pages.isEmpty && server.requests.isEmpty)
        }
    }

    @Test("parameters of the app cannot replace those of the request")
    func anExtraParameterIsRefused() async throws {
        var options = WebSignInOptions()
        options.extraParameters = ["Redirect_URI": "https://evil.example"]
        try await withWeb { [options] client, server in
            let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser(options) }
            #expect(kind(failure) == "service" && server.pages.isEmpty)
        }
    }

    // MARK: Scopes and users

    @Test("declined scopes are an error with both lists, and only the granted ones are stored (SDK-WEB-11)")
    func declinedScopes() async throws {
        let server = WebServer(scope: "api://orders/read openid profile offline_access")
        try await withWeb(server) { client, server in
            let failure = try await error { () throws(WebSignInError) in
                try await client.signInWithBrowser(.init(scopes: ["api://orders/read", "api://orders/write"]))
            }
            guard case .declinedScopes(let declined, let granted, let account, _) = failure else {
                Issue.record("\(failure)")
                return
            }
            #expect(declined == ["api://orders/write"])
            #expect(granted == ["api://orders/read", "openid", "profile", "offline_access"])
            #expect(try await account.accessToken(policy: .cached).scopes == granted)
            _ = try await account.accessToken(policy: .force)
            #expect(try server.redemptions.last?["scope"] == "api://orders/read openid profile offline_access")
        }
    }

    @Test("another user than the given one replaces nothing, unless the app says so (SDK-WEB-6)")
    func anotherUser() async throws {
        let cache = InMemoryTokenCache()
        try await withWeb(with: WebSetup(configure: { $0.tokenCache = cache })) { client, _ in
            _ = try await client.signInWithBrowser()
        }
        let eve: [String: String?] = ["preferred_username": "\"eve@example.com\""]
        try await withWeb(WebServer(claims: eve), with: WebSetup(configure: { $0.tokenCache = cache })) { client, _ in
            var options = WebSignInOptions(username: "Dana@Example.com")
            let failure = try await error { () throws(WebSignInError) in try await client.signInWithBrowser(options) }
            guard case .otherUser(let account, _) = failure else {
                Issue.record("\(failure)")
                return
            }
            #expect(account.username == "eve@example.com")
            #expect(client.accounts().map(\.username) == ["dana@example.com"])
            options.allowsOtherUser = true
            #expect(try await client.signInWithBrowser(options).username == "eve@example.com")
        }
    }

    @Test("an account that was given is compared by its identifier, an alias not at all (SDK-WEB-6)")
    func theSameUser() async throws {
        try await withWeb { client, server in
            var options = WebSignInOptions(username: "tulip42")
            options.account = try await client.signInWithBrowser(options)
            options.username = nil
            _ = try await client.signInWithBrowser(options)
            #expect(server.pages.last?["login_hint"] == "dana@example.com")
        }
    }

    // MARK: Continuing a native flow

    @Test("an error that requires a browser carries the user name, the scopes and the claims")
    func continuingASignIn() async throws {
        let redirect = Stub(.signInInitiate, 200, #"{"challenge_type":"redirect"}"#)
        let server = WebServer()
        try await withClient([redirect]) { client, _ in
            let failure = try await error { () throws(SignInError) in
                _ = try await client.signIn(username: "dana@example.com", scopes: ["api://orders/read"], claims: "{}")
            }
            guard case .browserRequired(let details) = failure else {
                Issue.record("\(failure)")
                return
            }
            var text = ""
            dump(details, to: &text)
            #expect(!text.contains("dana"))
            try await withWeb(server) { client, server in
                _ = try await client.signInWithBrowser(continuing: details)
                let page = try #require(server.pages.first)
                #expect(page["login_hint"] == "dana@example.com" && page["claims"] == "{}" && page["prompt"] == "")
                #expect(page["scope"] == "api://orders/read openid profile offline_access")
                #expect(page["client-request-id"] == correlation.text)
            }
        }
    }

    @Test("a sign-up continues with the page that creates an account, where the address may be changed")
    func continuingASignUp() async throws {
        try await withClient([Stub(.signUpStart, 200, #"{"challenge_type":"redirect"}"#)]) { client, _ in
            let failure = try await error { () throws(SignUpError) in
                _ = try await client.signUp(username: "eve@example.com")
            }
            try await withWeb { client, server in
                let account = try await client.signInWithBrowser(continuing: failure.details)
                #expect(account.username == "dana@example.com")
                #expect(server.pages[0]["prompt"] == "create" && server.pages[0]["login_hint"] == "eve@example.com")
            }
        }
    }

    @Test("a refresh that requires a browser continues for the same user only (SDK-WEB-6)")
    func continuingARefresh() async throws {
        let cache = InMemoryTokenCache()
        let setup = WebSetup(configure: { $0.tokenCache = cache })
        try await withWeb(with: setup) { client, _ in _ = try await client.signInWithBrowser() }
        let found = Mutex<ErrorDetails?>(nil)
        let redirect = Stub(.token, 200, #"{"challenge_type":"redirect"}"#)
        try await withWeb(WebServer(refusal: redirect), with: setup) { client, _ in
            let account = try #require(client.currentAccount())
            let failure = try await error { () throws(TokenError) in
                try await account.accessToken(scopes: ["api://a/b"], claims: "{}")
            }
            #expect(kind(failure) == "browserRequired")
            found.withLock { $0 = failure.details }
        }
        let kept = found.withLock(\.self)
        let details = try #require(kept)
        try await withWeb(with: setup) { client, server in
            _ = try await client.signInWithBrowser(continuing: details)
            #expect(server.pages[0]["scope"] == "api://a/b openid profile offline_access")
            #expect(server.pages[0]["claims"] == "{}" && server.pages[0]["login_hint"] == "dana@example.com")
        }
        try await withWeb(WebServer(uid: "X"), with: setup) { client, _ in
            let failure = try await error { () throws(WebSignInError) in
                try await client.signInWithBrowser(continuing: details)
            }
            #expect(kind(failure) == "otherUser")
            #expect(client.accounts().map(\.homeAccountID) == ["OID.TID"])
        }
    }
}
