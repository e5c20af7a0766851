import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@Suite("Scopes")
struct ScopeTests {
    private static let baseURL = "https://identity.test"

    private func client(_ scopes: [String]) -> Client {
        Client(
            id: ClientID(UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))), displayName: "",
            userFlow: UserFlow(method: .emailOneTimePasscode), scopes: scopes)
    }

    @Test("docs/protocol.md §5.7: one resource beside the OpenID scopes")
    func oneResourceIsGranted() {
        let judgement = client(["api://orders/*"]).judge(
            ["openid", "api://orders/Read", "api://orders/Write", "openid"], baseURL: Self.baseURL)
        #expect(
            judgement
                == .granted(
                    ScopeGrant(openID: ["openid"], resource: "api://orders", resourceScopes: ["Read", "Write"])))
    }

    @Test(
        "docs/protocol.md §5.7: what is refused",
        arguments: [
            (["api://a/R", "api://b/R"], Refusal.invalidScope), (["banana"], .scopeNotConsented),
            (["a/b"], .invalidScope), ([], .invalidScope),
            (["api://c/R"], .scopeNotConsented), ([String(repeating: "x", count: 257)], .invalidScope),
            (["api://a/R\u{e9}"], .invalidScope), (Array(repeating: "openid", count: 17), .invalidScope),
        ])
    func othersAreRefused(scopes: [String], refusal: Refusal) {
        #expect(client(["api://a/*", "api://b/R"]).judge(scopes, baseURL: Self.baseURL) == .refused(refusal))
    }

    @Test(
        "The directory's scopes, by every name that it goes by, are one resource; the words stay as asked",
        arguments: [
            "User.Read", "https://graph.microsoft.com/User.Read", "00000003-0000-0000-c000-000000000000/User.Read",
            "https://identity.test/prefix/graph/User.Read", "https://identity.test/User.Read",
        ])
    func theDirectoryByEveryName(_ scope: String) {
        for configured in ["User.Read", "https://graph.microsoft.com/User.Read", "https://graph.microsoft.com/*", "*"] {
            guard
                case .granted(let grant) = client([configured]).judge(
                    ["openid", scope], baseURL: "https://identity.test/prefix")
            else {
                Issue.record("\(scope) is refused where \(configured) is granted")
                continue
            }
            #expect(grant.resource == ResourceScope.directory && grant.resourceScopes == ["User.Read"])
            #expect(grant.all == ["openid", scope])
        }
    }

    @Test(
        "What the directory does not have, or the application was not given, is not consented to",
        arguments: [
            (["*"], "Calendar.Read"), (["https://graph.microsoft.com/*"], "Calendar.Read"),
            (["User.Read"], "User.ReadWrite"),
            (["api://a/*"], "User.Read"), ([], "User.Read"), (["Calendar.Read"], "Calendar.Read"),
            (["api://a/*"], "api://a/*"), (["*"], "api://a/*"),
        ])
    func theDirectoryHasNoOthers(configured: [String], scope: String) {
        #expect(client(configured).judge([scope], baseURL: Self.baseURL) == .refused(.scopeNotConsented))
    }

    @Test(
        "RFC 6749 §6: a refresh never goes beyond the grant; another resource is a new one",
        arguments: [
            (["api://a/R", "openid"], ["api://a/R"], false), (["api://a/R"], ["api://a/R"], false),
            (["api://a/W"], nil, false), (["api://a/R", "api://a/W"], nil, false),
            (["openid", "email"], ["openid"], false),
            (["email"], nil, false), (["api://b/R", "openid"], ["api://b/R"], true),
        ] as [([String], [String]?, Bool)])
    func aRefreshNeverWidens(wanted: [String], granted: [String]?, isNew: Bool) throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let id = UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
        let family = RefreshFamily(
            id: id, tenant: TenantID(id), client: ClientID(id), user: UserID(id), scopes: ["openid", "api://a/R"],
            methods: [], authenticatedAt: now, createdAt: now, expiresAt: now, tokenDigest: Data())
        var client = client(["api://a/*", "api://b/*"])
        guard case .granted(let judged) = client.judge(wanted, baseURL: Self.baseURL) else {
            Issue.record("the application may ask for \(wanted)")
            return
        }
        let narrowed = family.narrowing(judged, of: client, baseURL: Self.baseURL)
        // OIDC-26: another organisation's application gets what the user allowed, and no other resource.
        client.web.isThirdParty = true
        let foreign = family.narrowing(judged, of: client, baseURL: Self.baseURL)
        #expect((foreign == nil) == (granted == nil || isNew))
        #expect((narrowed == nil) == (granted == nil))
        guard let narrowed, let granted else { return }
        #expect(narrowed.isNew == isNew)
        #expect(Set(narrowed.grant.all).isSuperset(of: granted) && !narrowed.grant.all.contains("email"))
        #expect(narrowed.scopes == family.scopes + (isNew ? granted : []))
        var wider = family
        wider.scopes = narrowed.scopes
        #expect(wider.scopesOfSignIn(baseURL: Self.baseURL) == family.scopes)
    }
}
