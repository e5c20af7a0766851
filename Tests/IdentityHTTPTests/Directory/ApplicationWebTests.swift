import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityEngine
@testable import IdentityHTTP

/// What applications are to the web, set by scripts (docs/protocol.md §18.6).
@Suite("Applications of the web") struct ApplicationWebTests {
    private static let path = ApplicationListTests.path
    private static let web = #"{"displayName":"Shop","web":{"redirectUris":["https://shop.example.com/done"]}}"#

    @Test("OIDC-1, OIDC-10: an application of the web is registered as at the vendor, gets a secret once, and loses it")
    func theLifeOfAWebApplication() async throws {
        try await withEditedDesk { desk, editor in
            func stored() -> Client? { editor.directory.entries[0].applications.last { $0.displayName == "Shop" } }
            let created = try await desk.send(
                "POST", Self.path,
                """
                {"displayName":"Shop","signInAudience":"AzureADMyOrg","isFallbackPublicClient":false,
                "web":{"redirectUris":["https://shop.example.com/done"],"homePageUrl":"https://shop.example.com/",
                "logoutUrl":null,"implicitGrantSettings":{"enableIdTokenIssuance":false}}}
                """)
            #expect(created.status == 201, "\(created)")
            let id = try #require(created.text("id"))
            #expect(created["isFallbackPublicClient"] == .boolean(false), "as it was sent")
            #expect(created["web"]?["homePageUrl"] == .string("https://shop.example.com/"))
            #expect(created["nativeAuthRequiresPkce"] == .boolean(true) && stored()?.isConfidential == false)

            let made = try await desk.send(
                "POST", "\(Self.path)/\(id)/addPassword", #"{"passwordCredential":{"displayName":"first"}}"#)
            let (text, key) = (try #require(made.text("secretText"), "\(made)"), try #require(made.text("keyId")))
            #expect(stored()?.web.secrets.map(\.digest) == [DaemonSecret.digest(of: Secret(text))])
            let read = try await desk.send("GET", "\(Self.path)/\(id)")
            #expect(!String(decoding: read.body, as: UTF8.self).contains(text))
            #expect(read["isFallbackPublicClient"] == .boolean(false))
            #expect(read["passwordCredentials"]?.array.first?["keyId"] == .string(key))

            let change = """
                {"web":{"logoutUrl":"https://shop.example.com/out"},
                "nativeAuthBackChannelLogoutUri":"https://api.example.com/out",
                "nativeAuthRequiresPkce":false,"nativeAuthIsThirdParty":true,"isFallbackPublicClient":false,
                "nativeAuthPostLogoutRedirectUris":["https://shop.example.com/bye"],
                "nativeAuthAllowedOrigins":["https://shop.example.com"]}
                """
            #expect(try await desk.send("PATCH", "\(Self.path)/\(id)", change).status == 204)
            let web = try #require(stored()?.web)
            #expect(!web.requiresPKCE && web.isThirdParty && web.homepage == "https://shop.example.com/")
            #expect(web.postLogoutRedirects == ["https://shop.example.com/bye"])
            #expect(web.allowedOrigins == ["https://shop.example.com"] && web.secrets.count == 1)
            #expect(web.frontChannelLogout == "https://shop.example.com/out")
            #expect(web.backChannelLogout == "https://api.example.com/out")
            let changed = try await desk.send("GET", "\(Self.path)/\(id)")
            #expect(changed["nativeAuthPostLogoutRedirectUris"] == .array([.string("https://shop.example.com/bye")]))
            #expect(changed["web"]?["logoutUrl"] == .string("https://shop.example.com/out"))
            #expect(changed["nativeAuthBackChannelLogoutUri"] == .string("https://api.example.com/out"))
            #expect(changed["nativeAuthIsThirdParty"] == .boolean(true))

            let removal =
                #"{"web":{"homePageUrl":null,"logoutUrl":null},"nativeAuthBackChannelLogoutUri":null,"nativeAuthAllowedOrigins":null,"nativeAuthRequiresPkce":null}"#
            #expect(try await desk.send("PATCH", "\(Self.path)/\(id)", removal).status == 204)
            #expect(stored()?.web.homepage == nil && stored()?.web.allowedOrigins == [])
            #expect(stored()?.web.frontChannelLogout == nil && stored()?.web.backChannelLogout == nil)
            #expect(stored()?.web.requiresPKCE == true)
            #expect(stored()?.redirects[.web].count == 1, "a member that is not there stays")
            let body = #"{"keyId":"\#(key)"}"#
            #expect(try await desk.send("POST", "\(Self.path)/\(id)/removePassword", body).status == 204)
            #expect(stored()?.isConfidential == false)
            #expect(try await desk.send("POST", "\(Self.path)/\(id)/removePassword", body).status == 404)
        }
    }

    @Test(
        "What an application of the web cannot have is refused with the member, and changes nothing",
        arguments: [
            (#"{"web":{"homePageUrl":"http://shop.example.com/"}}"#, 400),
            (#"{"web":{"homePageUrl":"javascript:alert(1)"}}"#, 400), (#"{"web":{"homePageUrl":7}}"#, 400),
            (#"{"web":{"redirectUris":["https://shop.example.com/a","https://shop.example.com/a"]}}"#, 400),
            (#"{"publicClient":{"redirectUris":["http://localhost:1/a","http://localhost:2/a"]}}"#, 400),
            (#"{"publicClient":{"redirectUris":["shop://auth"]}}"#, 400),
            (#"{"nativeAuthPostLogoutRedirectUris":["javascript:alert(1)"]}"#, 400),
            (#"{"nativeAuthPostLogoutRedirectUris":"https://shop.example.com/"}"#, 400),
            (#"{"nativeAuthPostLogoutRedirectUris":["https://a.example.com/","https://a.example.com/"]}"#, 400),
            (#"{"nativeAuthPostLogoutRedirectUris":[7]}"#, 400), (#"{"nativeAuthAllowedOrigins":["null"]}"#, 400),
            (#"{"nativeAuthAllowedOrigins":["https://shop.example.com/"]}"#, 400),
            (#"{"web":{"logoutUrl":"https://other.example.com/out"}}"#, 400), (#"{"web":{"logoutUrl":7}}"#, 400),
            (#"{"nativeAuthBackChannelLogoutUri":"http://10.0.0.1/out"}"#, 400),
            (#"{"nativeAuthBackChannelLogoutUri":7}"#, 400),
            (
                #"{"web":{"redirectUris":["https://new.example.com/"],"logoutUrl":"https://shop.example.com/out"}}"#,
                400
            ),
            (#"{"nativeAuthRequiresPkce":"no"}"#, 400), (#"{"nativeAuthIsThirdParty":1}"#, 400),
            (#"{"passwordCredentials":[]}"#, 403), (#"{"keyCredentials":[]}"#, 403),
        ])
    func refusals(change: String, status: Int) async throws {
        try await withEditedDesk { desk, editor in
            let id = try #require(try await desk.send("POST", Self.path, Self.web).text("id"))
            let answer = try await desk.send("PATCH", "\(Self.path)/\(id)", change)
            #expect(answer.status == status && editor.version == 8, "\(answer)")
        }
    }

    @Test(
        "A daemon has nothing of the web, and an app is no program on a server",
        arguments: [
            #"{"isFallbackPublicClient":false}"#, #"{"isFallbackPublicClient":false,"web":{"redirectUris":[]}}"#,
        ])
    func kinds(change: String) async throws {
        try await withEditedDesk { desk, editor in
            let all = try #require(try await desk.send("GET", Self.path)["value"]?.array)
            let (app, daemon) = (try #require(all.first?["id"]?.string), try #require(all.last?["id"]?.string))
            #expect(try await desk.send("PATCH", "\(Self.path)/\(app)", change).status == 403)
            for member in [
                #""web":{"homePageUrl":"https://a.example.com/"}"#,
                #""web":{"redirectUris":["https://a.example.com/"]}"#,
                #""web":{"logoutUrl":"https://a.example.com/"}"#,
                #""nativeAuthBackChannelLogoutUri":"https://a.example.com/""#,
                #""nativeAuthPostLogoutRedirectUris":["https://a.example.com/"]"#, #""nativeAuthRequiresPkce":false"#,
                #""nativeAuthAllowedOrigins":["https://a.example.com"]"#, #""nativeAuthIsThirdParty":true"#,
            ] {
                let answer = try await desk.send("PATCH", "\(Self.path)/\(daemon)", "{\(member)}")
                #expect(answer.status == 403 && editor.version == 7, "\(answer)")
            }
        }
    }
}
