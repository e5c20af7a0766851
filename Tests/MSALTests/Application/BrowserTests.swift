import Foundation
import MSAL
import NativeAuth
import NativeAuthCore
import Synchronization
import Testing

#if os(Linux)
    /// The browser of the whole process is a setting of the process, so these run one after the other.
    @Suite("Browsers", .serialized) struct BrowserTests {
        private static let origin = "https://login.example.com"
        private static let issuer = "\(origin)/TID/v2.0"
        private static let client = "00001111-aaaa-2222-bbbb-3333cccc4444"

        /// A server with a discovery document. The nonce of its tokens is that of the last page.
        private final class Server: HTTPTransport {
            let pages = Mutex<[URL]>([])
            private let scope: String?
            private let refusal: String?
            private let oid: String

            init(scope: String? = nil, refusal: String? = nil, oid: String = "o") {
                (self.scope, self.refusal, self.oid) = (scope, refusal, oid)
            }

            /// A parameter of the last page.
            func page(_ name: String) -> String {
                guard let url = pages.withLock(\.last) else { return "" }
                let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
                return items.first { $0.name == name }?.value ?? ""
            }

            func send(_ request: TransportRequest) async throws -> TransportResponse {
                if request.method == "GET" {
                    return json(
                        """
                        {"issuer":"\(issuer)","authorization_endpoint":"\(origin)/TID/oauth2/v2.0/authorize",
                        "token_endpoint":"t","jwks_uri":"j"}
                        """)
                }
                if let refusal { return json(refusal, 400) }
                let now = Int(Date.now.timeIntervalSince1970)
                let claims = """
                    {"iss":"\(issuer)","sub":"s","aud":"\(client)","exp":\(now + 600),"nonce":"\(page("nonce"))","oid":"\(oid)",
                    "tid":"t","preferred_username":"dana@example.com"}
                    """
                let info = Base64URL.encode(#"{"uid":"\#(oid)","utid":"t"}"#.utf8)
                return json(
                    """
                    {"token_type":"Bearer","expires_in":3600,"scope":"\(scope ?? "User.Read openid profile offline_access")",
                    "access_token":"at","refresh_token":"rt","client_info":"\(info)",
                    "id_token":"e30.\(Base64URL.encode(claims.utf8)).c2ln"}
                    """)
            }

            private func json(_ text: String, _ status: Int = 200) -> TransportResponse {
                TransportResponse(status: status, body: Data(text.utf8))
            }
        }

        /// The address at which each page of a server ends, given the redirect URI.
        private struct Answer: Sendable {
            let make: @Sendable (Server, URL) async throws -> String

            init(_ make: @escaping @Sendable (Server, URL) async throws -> String) {
                self.make = make
            }
        }

        /// An app whose browser ends at what `answer` returns for each page.
        private func withApp(
            _ server: Server = Server(), redirect: String? = "msauth.com.example.app://auth",
            ending answer: Answer = Answer { "\($1)?code=c&state=\($0.page("state"))" },
            _ body: (MSALNativeAuthPublicClientApplication, Server) async throws -> Void
        ) async throws {
            let authority = try MSALCIAMAuthority(
                url: try #require(URL(string: "\(Self.origin)/TID")), validateFormat: false)
            let config = MSALNativeAuthPublicClientApplicationConfig(
                clientId: Self.client, authority: authority, challengeTypes: [.OOB])
            config.redirectUri = redirect
            MSALGlobalConfig.webAuthenticator = { page, callback in
                server.pages.withLock { $0.append(page) }
                guard let url = URL(string: try await answer.make(server, callback)) else { throw CancellationError() }
                return url
            }
            defer { MSALGlobalConfig.webAuthenticator = nil }
            let app = try MSALNativeAuthPublicClientApplication(config, transport: server)
            defer { for account in (try? app.allAccounts()) ?? [] { try? app.remove(account) } }
            try await body(app, server)
        }

        private func parameters() -> MSALInteractiveTokenParameters {
            // As on Apple's systems, where the argument is a view controller.
            MSALInteractiveTokenParameters(
                scopes: ["User.Read"],
                webviewParameters: MSALWebviewParameters(authPresentationViewController: NSObject()))
        }

        private func token(
            _ app: MSALNativeAuthPublicClientApplication, _ parameters: MSALInteractiveTokenParameters
        ) async -> (MSALResult?, NSError?) {
            await withCheckedContinuation { continuation in
                app.acquireToken(with: parameters) { result, error in
                    MainActor.assertIsolated()
                    continuation.resume(returning: (result, error as NSError?))
                }
            }
        }

        @Test("the fallback of the tutorial works: result, account and silent requests (SDK-WEB-7, SDK-WEB-9)")
        func theFallback() async throws {
            try await withApp { app, server in
                let (result, error) = await token(app, parameters())
                #expect(error == nil)
                let found = try #require(result)
                #expect(found.accessToken == "at" && found.account.username == "dana@example.com")
                #expect(found.scopes.contains("User.Read") && found.account.accountClaims?["oid"] as? String == "o")
                #expect(app.getNativeAuthUserAccount()?.account == found.account)
                #expect(
                    server.page("redirect_uri") == "msauth.com.example.app://auth" && server.page("client_info") == "1")
                let silent = await withCheckedContinuation { continuation in
                    app.acquireTokenSilent(
                        with: MSALSilentTokenParameters(scopes: ["User.Read"], account: found.account)
                    ) {
                        continuation.resume(returning: ($0, $1 as NSError?))
                    }
                }
                #expect(silent.0?.accessToken == found.accessToken && silent.0?.scopes == found.scopes)
                #expect(silent.0?.idToken == found.idToken && silent.0?.expiresOn == found.expiresOn)
            }
        }

        @Test("every parameter is sent")
        func theParameters() async throws {
            try await withApp { app, server in
                let parameters = parameters()
                parameters.promptType = .create
                parameters.loginHint = "dana@example.com"
                parameters.extraScopesToConsent = ["api://more"]
                parameters.claimsRequest = MSALClaimsRequest(jsonString: #"{"access_token":{}}"#, error: nil)
                parameters.extraQueryParameters = ["dc": "x"]
                parameters.domainHint = "example.com"
                parameters.correlationId = UUID()
                let result = try await app.acquireToken(with: parameters)
                #expect(result.correlationId == parameters.correlationId)
                #expect(server.page("prompt") == "create" && server.page("login_hint") == "dana@example.com")
                #expect(server.page("scope") == "User.Read api://more openid profile offline_access")
                #expect(server.page("claims").contains("access_token") && server.page("dc") == "x")
                #expect(server.page("domain_hint") == "example.com")
                for (type, word) in [
                    (MSALPromptType.login, "login"), (.selectAccount, "select_account"), (.consent, "consent"),
                    (.promptIfNecessary, ""),
                ] {
                    parameters.promptType = type
                    _ = try await app.acquireToken(with: parameters)
                    #expect(server.page("prompt") == word)
                }
            }
        }

        struct End: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var answer: @Sendable (String, URL) throws -> String
            var refusal: String?
            var code: MSALError
            var detail: MSALInternalError?
            var word: String?

            init(
                _ name: String, _ code: MSALError, _ detail: MSALInternalError? = nil, word: String? = nil,
                refusal: String? = nil,
                _ answer: @escaping @Sendable (String, URL) throws -> String
            ) {
                (testDescription, self.answer, self.refusal) = (name, answer, refusal)
                (self.code, self.detail, self.word) = (code, detail, word)
            }

            static let all: [End] = [
                .init("closed", .userCanceled) { _, _ in throw CancellationError() },
                .init("cancelled on the page", .userCanceled, word: "access_denied") {
                    "\($1)?error=access_denied&state=\($0)"
                },
                .init("not shown", .internal) { _, _ in throw URLError(.unknown) },
                .init("no state", .internal, .invalidState) { "\($1)?code=c" },
                .init("another state", .internal, .invalidState) { "\($1)?code=c&state=\($0)x" },
                .init("neither code nor error", .internal, .invalidResponse) { "\($1)?state=\($0)" },
                .init("another issuer", .internal, .invalidResponse) {
                    "\($1)?code=c&iss=https%3A%2F%2Fevil.example&state=\($0)"
                },
                .init("another address", .internal, .invalidResponse) { "\($1)/x?code=c&state=\($0)" },
                .init("login required", .interactionRequired, word: "login_required") {
                    "\($1)?error=login_required&state=\($0)"
                },
                .init("server error", .serverError, word: "server_error") { "\($1)?error=server_error&state=\($0)" },
                .init("refused", .internal, .authorizationFailed, word: "unauthorized_client") {
                    "\($1)?error=unauthorized_client&state=\($0)"
                },
                .init("overload", .serverError, word: "temporarily_unavailable") {
                    "\($1)?error=temporarily_unavailable&state=\($0)"
                },
                .init(
                    "the code is refused", .internal, .authorizationFailed, word: "invalid_grant",
                    refusal: #"{"error":"invalid_grant","error_description":"said","error_codes":[54005]}"#
                ) { "\($1)?code=c&state=\($0)" },
            ]
        }

        @Test("every end has its code (SDK-WEB-8)", arguments: End.all)
        func anEnd(_ end: End) async throws {
            try await withApp(Server(refusal: end.refusal), ending: Answer({ try end.answer($0.page("state"), $1) })) {
                app, _ in
                let (result, error) = await token(app, parameters())
                #expect(result == nil && error?.domain == MSALErrorDomain)
                #expect(error?.code == end.code.rawValue)
                #expect(error?.userInfo[MSALInternalErrorCodeKey] as? Int == end.detail?.rawValue)
                #expect(error?.userInfo[MSALOAuthErrorKey] as? String == end.word)
                let accounts = try app.allAccounts()
                #expect(accounts.isEmpty)
            }
        }

        @Test("the numbers are those of the vendor's library")
        func theNumbers() {
            let numbers: [(MSALInternalError, Int)] = [
                (.redirectSchemeNotRegistered, -42_001), (.invalidRedirectURI, -42_011), (.mismatchedUser, -42_101),
                (.authorizationFailed, -42_104), (.interactiveSessionAlreadyRunning, -42_402),
                (.noViewController, -42_403),
                (.invalidState, -42_501), (.invalidResponse, -42_600),
            ]
            for (code, number) in numbers { #expect(code.rawValue == number) }
        }

        @Test("declined scopes have their keys, and another user than the account its number (SDK-WEB-6, SDK-WEB-11)")
        func scopesAndUsers() async throws {
            try await withApp(Server(scope: "openid profile offline_access")) { app, _ in
                let (result, error) = await token(app, parameters())
                #expect(result == nil && error?.code == MSALError.serverDeclinedScopes.rawValue)
                #expect(error?.userInfo[MSALDeclinedScopesKey] as? [String] == ["User.Read"])
                #expect(error?.userInfo[MSALGrantedScopesKey] as? [String] == ["openid", "profile", "offline_access"])
                let granted = try #require(error?.userInfo[MSALInvalidResultKey] as? MSALResult)
                #expect(granted.accessToken == "at")
            }
            try await withApp { app, _ in
                let first = try await app.acquireToken(with: parameters())
                try await withApp(Server(oid: "x")) { other, _ in
                    let parameters = parameters()
                    parameters.account = first.account
                    let (_, error) = await token(other, parameters)
                    #expect(
                        error?.userInfo[MSALInternalErrorCodeKey] as? Int == MSALInternalError.mismatchedUser.rawValue)
                    let accounts = try other.allAccounts()
                    #expect(accounts == [first.account])
                    // A hint is only a suggestion.
                    parameters.account = nil
                    parameters.loginHint = "eve@example.com"
                    let third = try await other.acquireToken(with: parameters)
                    #expect(third.account != first.account)
                }
            }
        }

        @Test(
            "a second call is refused at once, and the running one can be cancelled or answered from outside (SDK-WEB-2)"
        )
        func oneAtATime() async throws {
            let (opened, isOpen) = AsyncStream.makeStream(of: Void.self)
            try await withApp(
                ending: Answer({ _, _ in
                    isOpen.yield()
                    try await Task.sleep(for: .seconds(60))
                    return ""
                })
            ) { app, server in
                #expect(!MSALPublicClientApplication.cancelCurrentWebAuthSession())
                var pages = opened.makeAsyncIterator()
                let first = Task { try await app.acquireToken(with: parameters()) }
                _ = await pages.next()
                let (_, error) = await token(app, parameters())
                #expect(
                    error?.userInfo[MSALInternalErrorCodeKey] as? Int
                        == MSALInternalError.interactiveSessionAlreadyRunning.rawValue)
                let foreign = try #require(URL(string: "msauth.com.example.app://auth?code=c&state=guess"))
                #expect(!MSALPublicClientApplication.handleMSALResponse(foreign, sourceApplication: nil))
                let answer = try #require(
                    URL(string: "msauth.com.example.app://auth?code=c&state=\(server.page("state"))"))
                #expect(MSALPublicClientApplication.handleMSALResponse(answer, sourceApplication: nil))
                #expect(try await first.value.accessToken == "at")

                let second = Task { try await app.acquireToken(with: parameters()) }
                _ = await pages.next()
                #expect(MSALPublicClientApplication.cancelCurrentWebAuthSession())
                await #expect { _ = try await second.value } throws: {
                    ($0 as NSError).code == MSALError.userCanceled.rawValue
                }
            }
        }

        @Test("a cancelled task closes the page (SDK-WEB-8)")
        func cancellation() async throws {
            let (opened, isOpen) = AsyncStream.makeStream(of: Void.self)
            try await withApp(
                ending: Answer({ _, _ in
                    isOpen.yield()
                    try await Task.sleep(for: .seconds(60))
                    return ""
                })
            ) { app, _ in
                let task = Task { try await app.acquireToken(with: parameters()) }
                for await _ in opened { break }
                task.cancel()
                await #expect { _ = try await task.value } throws: {
                    ($0 as NSError).code == MSALError.userCanceled.rawValue
                }
            }
        }

        @Test("a sign-out from the browser removes the account and shows the page of the end of the session")
        func signingOut() async throws {
            try await withApp { app, server in
                let result = try await app.acquireToken(with: parameters())
                let parameters = MSALSignoutParameters(webviewParameters: MSALWebviewParameters())
                parameters.signoutFromBrowser = true
                let (isDone, error) = await withCheckedContinuation { continuation in
                    app.signout(with: result.account, signoutParameters: parameters) {
                        continuation.resume(returning: ($0, $1 as NSError?))
                    }
                }
                #expect(isDone && error == nil)
                #expect(try app.allAccounts().isEmpty)
                #expect(server.pages.withLock(\.last)?.path() == "/TID/oauth2/v2.0/logout")
                #expect(server.page("id_token_hint") == result.idToken)
                let again = await withCheckedContinuation { continuation in
                    app.signout(with: result.account, signoutParameters: parameters) { _, error in
                        continuation.resume(returning: (error as NSError?)?.code)
                    }
                }
                #expect(again == MSALError.interactionRequired.rawValue)
            }
        }

        @Test("another kind of web view falls back to the system's session, and the log says so (SDK-WEB-10)")
        func theWebView() async throws {
            let lines = Mutex<[String]>([])
            let before = MSALGlobalConfig.loggerConfig.callback()
            MSALGlobalConfig.loggerConfig.setLogCallback { _, line, _ in lines.withLock { $0.append(line ?? "") } }
            defer { MSALGlobalConfig.loggerConfig.setLogCallback { before?($0, $1, $2) } }
            try await withApp { app, _ in
                let webview = MSALWebviewParameters()
                webview.webviewType = .wkWebView
                _ = try await app.acquireToken(
                    with: MSALInteractiveTokenParameters(scopes: ["User.Read"], webviewParameters: webview))
            }
            #expect(lines.withLock { $0.count { $0.contains("web view") } } == 1)
        }

        @Test(
            "a redirect URI that no page can end at is refused by the initializer",
            arguments: ["https://app.example/#x", "http://app.example/", "no address", "relative"])
        func theRedirectURI(_ address: String) async throws {
            await #expect {
                try await withApp(redirect: address) { _, _ in }
            } throws: {
                ($0 as NSError).userInfo[MSALInternalErrorCodeKey] as? Int
                    == MSALInternalError.invalidRedirectURI.rawValue
            }
        }
    }
#endif
