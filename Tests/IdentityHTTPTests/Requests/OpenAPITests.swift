import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

@Suite("The OpenAPI document") struct OpenAPITests {
    @Test("The file docs/develop/openapi.json is the document")
    func theFileIsTheDocument() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "docs/develop/openapi.json")
        let page = try OpenAPIDocument.page(baseURL: "http://127.0.0.1:8765")
        if ProcessInfo.processInfo.environment["NATIVE_AUTH_WRITE_DOCS"] != nil { try page.write(to: file) }
        #expect(try Data(contentsOf: file) == page, "run the tests once with NATIVE_AUTH_WRITE_DOCS=1")
    }

    @Test("The document is public, may be cached, and names the server's own URL")
    func theDocumentIsServed() async throws {
        try await withIdentityServer { server in
            for _ in 0..<2 {
                let answer = try await server.client().get("/openapi.json")
                #expect(answer.status == 200 && answer["openapi"] == "3.1.0")
                #expect(answer["servers"] == [["url": .string(server.baseURL)]])
                #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
                #expect(answer.headers["cache-control"] == "public, max-age=3600")
                #expect(answer.body == (try OpenAPIDocument.bytes(baseURL: server.baseURL)))
            }
        }
    }

    @Test("The document has every route of the server, and no other")
    func everyRouteIsDocumented() async throws {
        try await withIdentityServer { server in
            // Hosted pages are for people, and association files for devices.
            let routes = Set(server.routes().router().routes.map { "\($0.path)" }).filter {
                !$0.hasPrefix("/web/") && !$0.hasPrefix("/.well-known/")
                    && ![
                        "/{tenant}/web/{handle}", "/{tenant}/theme/{name}", "/{tenant}/account",
                        "/{tenant}/account/{part}", "/{tenant}/federation/{provider}/callback",
                        "/{tenant}/federation/{provider}/notices",
                    ].contains($0)
            }
            // OperatorTests ask for each operation of operators, whose routes are found by a table.
            let documented = try OpenAPIDocument.operations().filter { $0.tag != .operators }
            #expect(Set(documented.map(\.path)) == routes)
            #expect(Set(documented.map(\.id)).count == documented.count)
            for path in routes.sorted() {
                let methods = Set(documented.filter { $0.path == path }.map { $0.method.rawValue.uppercased() })
                let filled = path.replacing("{tenant}", with: "contoso").replacing("{id}", with: UUID().uuidString)
                let refused = try await server.client().send(server.client().request("PUT", filled))
                #expect(refused.status == 405)
                let allowed = refused.headers["allow"]?.split(separator: ",").map { $0.trimmingPrefix(" ") } ?? []
                #expect(Set(allowed.map { String($0) }) == methods, "\(path)")
            }
        }
    }

    @Test("The parameters that the document calls required are enough, and none can be left out")
    func theRequiredParametersAreRequired() throws {
        for endpoint in V1Endpoint.allCases {
            let grants: [DocumentedGrant?] = endpoint.grants.isEmpty ? [nil] : endpoint.grants
            // A daemon's parameters depend on its way to prove itself (DaemonTokenTests).
            for grant in grants where grant?.type != .clientCredentials {
                let required = endpoint.required + (grant?.required ?? [])
                func form(without left: FormParameter?) -> FormFields {
                    var form = FormFields()
                    for parameter in required where parameter != left {
                        let isGrant = parameter == .grantType
                        form.append(
                            parameter.rawValue, isGrant ? grant?.type.rawValue : Self.sample(parameter, endpoint))
                    }
                    return form
                }
                _ = try V1Codec.request(endpoint, form(without: nil))
                for left in required {
                    #expect(throws: RequestFault.self, "\(endpoint) without \(left)") {
                        try V1Codec.request(endpoint, form(without: left))
                    }
                }
                #expect(try Set(required).isSubset(of: endpoint.requestType.parameters))
            }
        }
    }

    private static func sample(_ parameter: FormParameter, _ endpoint: V1Endpoint) -> String {
        switch parameter {
        case .clientID: IdentityTestServer.Application.emailPassword.rawValue
        case .challengeType:
            switch endpoint {
            case .registerChallenge: "passkey"
            // Without a name.
            case .signInInitiate: "passkey redirect"
            case _: "oob redirect"
            }
        case .attributes, .providerUser: "{}"
        case .rememberDevice: "false"
        case .audience: TokenExchange.accountPage
        case .requestedTokenType: TokenExchange.ticketType
        case .subjectTokenType: TokenExchange.refreshTokenType
        case .codeChallenge, .subjectToken, .capabilities,
            .capability, .challengeChannel, .challengeTarget, .claims, .clientAssertion, .credential,
            .clientAssertionType, .clientInfo, .clientSecret, .code, .codeVerifier, .continuationToken, .deviceCode,
            .deviceProof,
            .authorizationCode, .grantType, .id, .idToken, .newPassword, .oob, .provider,
            .password, .redirectURI, .refreshToken, .scope, .token, .tokenTypeHint, .totp, .username:
            "x"
        }
    }

    @Test("docs/protocol.md §2.1: a value over the length in the document is refused")
    func theLengthsAreLimits() throws {
        let client = IdentityTestServer.Application.emailPassword.rawValue
        func form(_ parameter: FormParameter, _ fields: [String: String], longer: Int) throws -> FormFields {
            var form = FormFields()
            form.append("client_id", client)
            for (name, value) in fields { form.append(name, value) }
            let longest = try #require(parameter.longest)
            form.append(parameter.rawValue, String(repeating: "x", count: longest + longer))
            return form
        }
        let cases: [(V1Endpoint, FormParameter, [String: String])] = [
            (.resetPasswordContinue, .oob, ["continuation_token": "x", "grant_type": "oob"]),
            (.registerContinue, .totp, ["continuation_token": "x", "grant_type": "totp"]),
            (.token, .refreshToken, ["grant_type": "refresh_token"]),
            (.signInChallenge, .id, ["continuation_token": "x"]),
            (.token, .code, ["grant_type": "authorization_code", "redirect_uri": "x"]),
            (.token, .redirectURI, ["grant_type": "authorization_code", "code": "x"]),
            (
                .token, .subjectToken,
                [
                    "grant_type": GrantType.tokenExchange.rawValue, "audience": "account",
                    "subject_token_type": TokenExchange.refreshTokenType,
                    "requested_token_type": TokenExchange.ticketType,
                ]
            ),
            (.token, .deviceProof, ["grant_type": "oob", "continuation_token": "x", "scope": "x", "oob": "x"]),
            (.token, .deviceCode, ["grant_type": GrantType.deviceCode.rawValue]),
            (.token, .credential, ["grant_type": "passkey", "continuation_token": "x", "scope": "openid"]),
            (.token, .idToken, ["grant_type": "federated", "continuation_token": "x", "scope": "openid"]),
            (
                .token, .authorizationCode,
                ["grant_type": "federated", "continuation_token": "x", "scope": "openid", "id_token": "x"]
            ),
            (.signInInitiate, .provider, ["challenge_type": "federated redirect"]),
            (.token, .codeVerifier, ["grant_type": "authorization_code", "code": "x", "redirect_uri": "x"]),
        ]
        for (endpoint, parameter, fields) in cases {
            _ = try V1Codec.request(endpoint, form(parameter, fields, longer: 0))
            #expect(throws: RequestFault.invalid(parameter: parameter.rawValue)) {
                try V1Codec.request(endpoint, form(parameter, fields, longer: 1))
            }
        }
        // Claims and names of this length are no JSON, so only what is longer is compared here.
        #expect(
            FormParameter.allCases.filter { $0.longest != nil }
                == [
                    .authorizationCode, .claims, .code, .codeVerifier, .credential, .deviceCode, .deviceProof, .id,
                    .idToken,
                    .oob,
                    .provider,
                    .providerUser, .redirectURI, .refreshToken, .subjectToken, .totp,
                ])
    }

    @Test("The document's answers have the statuses, words and numbers that the tests expect")
    func theWordsAreThoseOfTheTests() throws {
        for name in AnswerName.allCases {
            let (documented, wire) = (name.documented, name.wire)
            #expect(documented.status == wire.status, "\(name)")
            switch documented.body {
            case .nativeError(let failure):
                #expect(failure.error.rawValue == wire.error && failure.code.rawValue == wire.code, "\(name)")
                #expect(failure.suberror?.rawValue == wire.suberror, "\(name)")
            case .json: #expect(wire.error == nil, "\(name)")
            case .none, .page, .text, .directoryError: Issue.record("\(name) has no JSON of the native API")
            }
        }
        for name in DirectoryAnswerName.allCases {
            for operation in name.operations {
                let documented = name.documented(of: operation)
                #expect(documented.status == name.wire.status, "\(name)")
                guard case .directoryError(let failure) = documented.body else {
                    #expect(name.wire.code == nil, "\(name)")
                    continue
                }
                #expect(failure.code == name.wire.code && failure.detail == name.detail, "\(name)")
            }
        }
    }

    @Test("The document describes the answers of the endpoints for tokens and of the documents")
    func theOtherEndpointsAreDocumented() async throws {
        try await withIdentityServer { server in
            let client = WireClient(
                transport: InProcessTransport(routes: server.routes(resourceServers: .development)))
            let tokens = try await server.client().redeem(
                server.signUp().token, scope: "openid profile email offline_access")
            let (access, refresh) = try (
                #require(tokens.text("access_token")), #require(tokens.text("refresh_token"))
            )
            let id = IdentityTestServer.Application.emailOneTimePasscode.rawValue
            let basic = "Basic \(Data("\(id):development".utf8).base64EncodedString())"
            func send(
                _ method: String, _ endpoint: MetadataEndpoint, _ body: String = "", headers: [String: String] = [:],
                tenant: String = "contoso"
            ) async throws {
                let headers = (method == "POST" ? ["content-type": WireClient.form] : [:]).merging(headers) { $1 }
                let answer = try await client.send(
                    client.request(method, "/\(tenant)/\(endpoint.rawValue)", headers: headers, body: Data(body.utf8)))
                try expectDocumented(answer, to: method, "/{tenant}/\(endpoint.rawValue)")
            }
            for endpoint in [MetadataEndpoint.openIDConfiguration, .jsonWebKeys, .authorize, .userInfo] {
                for tenant in ["contoso", "nowhere"] { try await send("GET", endpoint, tenant: tenant) }
            }
            for method in ["GET", "POST"] {
                for token in [access, "none"] {
                    try await send(method, .userInfo, headers: ["authorization": "Bearer \(token)"])
                }
            }
            try await send("POST", .tokenIntrospection, "token=\(access)")
            for body in ["token=\(access)", "token=none", "token=", ""] {
                try await send("POST", .tokenIntrospection, body, headers: ["authorization": basic])
            }
            for body in ["client_id=\(id)", "client_id=\(UUID())&token=x", "client_id=\(id)&token=\(refresh)"] {
                try await send("POST", .revocation, body)
            }
            try await send("POST", .revocation, "{}", headers: ["content-type": "application/json"])
        }
    }
}
