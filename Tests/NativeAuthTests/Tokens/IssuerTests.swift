import Foundation
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@testable import NativeAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The issuers whose tokens are accepted: the authority's own origin, and the issuer in its own discovery document.
@Suite("Issuers") struct IssuerTests {
    private static let issuer = "https://aaaabbbb-0000.ciamlogin.com/aaaabbbb-0000/v2.0"
    private static let origin = "https://contoso.ciamlogin.com"
    private static let document = "\(origin)/contoso.onmicrosoft.com/v2.0/.well-known/openid-configuration"

    /// A complete sign-up, then tokens of `issuers`; also the discovery document, which names `named`, or fails.
    private final class Cloud: HTTPTransport {
        let script: ScriptedTransport
        let named: Result<String, URLError>
        let documents = Mutex<[String]>([])

        init(_ stubs: [Stub], naming named: Result<String, URLError>) {
            script = ScriptedTransport(stubs)
            self.named = named
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard request.method == "GET" else { return try await script.send(request) }
            documents.withLock { $0.append(request.url.absoluteString) }
            let json =
                #"{"issuer":"\#(try named.get())","authorization_endpoint":"a","token_endpoint":"t","jwks_uri":"j"}"#
            return TransportResponse(status: 200, body: Data(json.utf8))
        }
    }

    private static func session(_ issuer: String, access: String = "AT") -> Stub {
        .session("alice", access: access, claims: #""iss":"\#(issuer)""#)
    }

    private func withCloud(
        _ stubs: [Stub], naming named: Result<String, URLError>, at authority: String = origin,
        cache: any TokenCache = InMemoryTokenCache(), _ body: (NativeAuthClient, Cloud) async throws -> Void
    ) async throws {
        let cloud = Cloud(stubs, naming: named)
        let authority = try Authority(url: try #require(URL(string: authority)))
        try await withClient([]) {
            $0.transport = cloud
            $0.authority = authority
            $0.tokenCache = cache
            $0.sleep = { _ in }
        } _: { client, _ in
            try await body(client, cloud)
        }
        #expect(cloud.script.unused.isEmpty)
    }

    @Test(
        "SDK-AUTH-2: beside its own origin, an authority in the vendor's cloud accepts only the issuer that its document names",
        arguments: [
            // The token's issuer, the document's issuer, whether the token is accepted, and how often the document is
            // read.
            (issuer, issuer, true, 1),
            ("https://contoso.ciamlogin.com/any/v2.0", issuer, true, 0),
            // Another customer of the vendor.
            ("https://mallory.ciamlogin.com/mallory/v2.0", issuer, false, 1),
            ("https://mallory.ciamlogin.com/mallory/v2.0", "https://contoso.ciamlogin.com/x/v2.0", false, 1),
            ("https://aaaabbbb-0000.ciamlogin.com/other/v2.0", issuer, false, 1),
            (issuer + "/", issuer, false, 1), (issuer.uppercased(), issuer, false, 1),
            ("https://aaaabbbb-0000.ciamlogin.com:444/aaaabbbb-0000/v2.0", issuer, false, 1),
            // Neither matches, so the document is not requested.
            ("https://evil.example.com/v2.0", "https://evil.example.com/v2.0", false, 0),
            ("https://ciamlogin.com.example.com/", "https://ciamlogin.com.example.com/", false, 0),
            ("http://a.ciamlogin.com/", "http://a.ciamlogin.com/", false, 0),
            ("https://u:p@a.ciamlogin.com/", "https://u:p@a.ciamlogin.com/", false, 0),
        ])
    func aForeignHostHasToBeNamed(_ issuer: String, _ named: String, _ isAccepted: Bool, _ count: Int) async throws {
        try await withCloud(signedUp + [Self.session(issuer)], naming: .success(named)) { client, cloud in
            if isAccepted {
                #expect(try await signIn(client).username == "alice@example.com")
            } else {
                let state = try await completed(client)
                let refused = try await error { () throws(NativeAuthError) in try await state.signIn() }
                #expect(kind(refused) == "unexpectedReply")
            }
            #expect((client.currentAccount() != nil) == isAccepted)
            #expect(cloud.documents.withLock(\.self) == Array(repeating: Self.document, count: count))
        }
    }

    @Test("SDK-AUTH-2: a document that names an issuer outside the vendor's cloud makes no token count")
    func aDocumentCannotNameAnybody() async throws {
        let cloud = signedUp + [Self.session(Self.issuer)]
        try await withCloud(cloud, naming: .success("https://evil.example.com/v2.0")) { client, _ in
            let state = try await completed(client)
            let refused = try await error { () throws(NativeAuthError) in try await state.signIn() }
            #expect(kind(refused) == "unexpectedReply" && client.currentAccount() == nil)
        }
    }

    @Test("SDK-AUTH-2: a host of one's own before the vendor's cloud names its issuer the same way")
    func aHostOfOnesOwn() async throws {
        let stubs = signedUp + [Self.session(Self.issuer)]
        try await withCloud(
            stubs, naming: .success(Self.issuer), at: "https://login.example.com/contoso"
        ) { client, cloud in
            let account = try await signIn(client)
            #expect(account.username == "alice@example.com")
            #expect(cloud.documents.withLock { $0.count } == 1)
        }
    }

    @Test("SDK-AUTH-2: without TLS nothing is believed of a document, so it is not read")
    func aServerOnThisMachine() async throws {
        let stubs = signedUp + [Self.session(Self.issuer)]
        try await withCloud(stubs, naming: .success(Self.issuer), at: "http://127.0.0.1:8765/contoso") {
            client, cloud in
            let state = try await completed(client)
            let refused = try await error { () throws(NativeAuthError) in try await state.signIn() }
            #expect(kind(refused) == "unexpectedReply")
            #expect(cloud.documents.withLock { $0.isEmpty })
        }
    }

    @Test("SDK-AUTH-2: a document that cannot be read signs no user in, and the error says so")
    func theDocumentCannotBeRead() async throws {
        let failure = Result<String, URLError>.failure(URLError(.cannotConnectToHost))
        try await withCloud(signedUp + [Self.session(Self.issuer)], naming: failure) { client, _ in
            let state = try await completed(client)
            let refused = try await error { () throws(NativeAuthError) in try await state.signIn() }
            #expect(kind(refused) == "network")
            #expect(client.currentAccount() == nil)
        }
    }

    @Test("SDK-AUTH-2: a renewal is judged by the same rule, and reads the document before it uses the refresh token")
    func renewal() async throws {
        let cache = InMemoryTokenCache()
        let stubs =
            signedUp + [
                Self.session(Self.issuer), Self.session("https://mallory.ciamlogin.com/mallory/v2.0", access: "AT2"),
                Self.session(Self.issuer, access: "AT3"),
            ]
        try await withCloud(stubs, naming: .success(Self.issuer), cache: cache) { client, cloud in
            let account = try await signIn(client)
            let refused = try await error { () throws(NativeAuthError) in
                try await client.accessToken(for: account, forceRefresh: true)
            }
            #expect(kind(refused) == "unexpectedReply")
            #expect(try await account.accessToken().value == "AT")
            #expect(try await account.accessToken(policy: .force).value == "AT3")
            // Once for the client.
            #expect(cloud.documents.withLock { $0.count } == 1)
        }
        // After a restart, while the document cannot be read: no token request is sent, and the session stays.
        try await withCloud([], naming: .failure(URLError(.cannotConnectToHost)), cache: cache) { client, _ in
            let account = try #require(client.currentAccount())
            let refused = try await error { () throws(NativeAuthError) in
                try await client.accessToken(for: account, forceRefresh: true)
            }
            #expect(kind(refused) == "network")
            #expect(client.currentAccount() != nil)
        }
    }
}
