import Foundation
import NativeAuthCore
import Testing

@testable import NativeAuthWire

@Suite("Messages of the authorization code grant") struct AuthorizationTests {
    private static let page = "https://login.example.com/t/oauth2/v2.0/authorize"

    private static func address(_ form: FormFields, query: String = "") throws -> URL {
        let url = try #require(URL(string: page + query))
        return try #require(url.adding(form))
    }

    private static func query() -> AuthorizationQuery {
        AuthorizationQuery(
            clientID: Golden.client, redirectURI: "msauth.com.example.app://auth",
            scopes: ["api://orders/read", "openid"], state: Secret("st&te"), nonce: Secret("n+1"), codeChallenge: "ch_-"
        )
    }

    @Test("an authorization request is the query of RFC 6749, byte for byte")
    func theSmallestQuery() throws {
        let url = try Self.address(Self.query().form)
        #expect(
            url.absoluteString == Self.page + """
                ?client_id=00001111-aaaa-2222-bbbb-3333cccc4444&response_type=code\
                &redirect_uri=msauth.com.example.app%3A%2F%2Fauth&scope=api%3A%2F%2Forders%2Fread%20openid&state=st%26te\
                &nonce=n%2B1&code_challenge=ch_-&code_challenge_method=S256&client_info=1
                """)
    }

    @Test("an authorization request with everything has each parameter once, after those of the address")
    func theLargestQuery() throws {
        var query = Self.query()
        query.responseMode = "form_post"
        query.prompt = "login consent"
        query.loginHint = Secret("dahlia@example.com")
        query.claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        query.maxAge = 600
        query.uiLocales = ["da", "en-GB"]
        query.correlationID = UUID(text: "11111111-2222-4333-8444-555555555555")
        query.extra = ["domain_hint": "x", "a": "b"]
        let url = try Self.address(query.form, query: "?p=1")
        #expect(url.absoluteString.hasPrefix(Self.page + "?p=1&client_id="))
        let names = try FormFields(decoding: (url.query(percentEncoded: true) ?? "").utf8).names
        #expect(
            names == [
                "p", "client_id", "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge",
                "code_challenge_method", "response_mode", "prompt", "login_hint", "claims", "max_age", "ui_locales",
                "client_info", "client-request-id", "a", "domain_hint",
            ])
        #expect(
            Set(names).subtracting(["p", "a", "domain_hint", "code_challenge_method"]).isSubset(
                of: AuthorizationQuery.reserved))
        #expect(!"\(query)".contains("dahlia") && !"\(query)".contains("st&te"))
    }

    @Test(
        "an answer is read from the query, from the fragment and from a form",
        arguments: [
            "app://auth?code=c%2B1&state=s%201&iss=https%3A%2F%2Fi",
            "app://auth#code=c%2B1&state=s+1&iss=https%3A%2F%2Fi",
            "app://auth?state=s+1&iss=https%3A%2F%2Fi&session_state=x#code=c%2B1",
        ])
    func anAnswer(_ address: String) throws {
        let answer = try AuthorizationAnswer(url: try #require(URL(string: address)))
        #expect(answer.code?.reveal() == "c+1" && answer.state?.reveal() == "s 1" && answer.issuer == "https://i")
        #expect(answer.error == nil && !"\(answer)".contains("c+1"))
    }

    @Test("an error keeps its words, and its numbers are those after AADSTS")
    func anError() throws {
        let url = try #require(
            URL(
                string:
                    "app://auth?error=access_denied&error_description=AADSTS65004%3A+no+AADSTS53003.&suberror=s&code="))
        let answer = try AuthorizationAnswer(url: url)
        #expect(answer.error == "access_denied" && answer.suberror == "s" && answer.code == nil)
        #expect(answer.errorCodes == [65_004, 53_003])
    }

    @Test(
        "a parameter that occurs twice makes the answer unreadable",
        arguments: [
            "?code=1&code=2", "?code=1#code=2", "?state=1&state=1", "?error=a&error=b", "?iss=a&iss=b", "?code[]=1",
        ])
    func twice(_ rest: String) throws {
        let url = try #require(URL(string: "app://auth" + rest))
        #expect(throws: FormError.self) { try AuthorizationAnswer(url: url) }
    }

    @Test("a redemption and an end of a session are the forms of the standards, byte for byte")
    func theOtherForms() {
        let redemption = CodeRedemption(
            clientID: Golden.client, code: Secret("c 1"), redirectURI: "http://localhost:5000/",
            codeVerifier: Secret("v"),
            scopes: ["openid", "profile"])
        #expect(
            redemption.form.encoded == """
                client_id=00001111-aaaa-2222-bbbb-3333cccc4444&grant_type=authorization_code&code=c+1\
                &redirect_uri=http%3A%2F%2Flocalhost%3A5000%2F&code_verifier=v&scope=openid+profile&client_info=1
                """)
        let end = EndSessionQuery(
            clientID: Golden.client, idTokenHint: Secret("e30.e30."), postLogoutRedirectURI: "app://auth",
            state: Secret("s"))
        #expect(
            end.form.encoded == """
                client_id=00001111-aaaa-2222-bbbb-3333cccc4444&id_token_hint=e30.e30.\
                &post_logout_redirect_uri=app%3A%2F%2Fauth&state=s
                """)
        #expect(!"\(redemption) \(end)".contains("c 1") && !"\(redemption) \(end)".contains("e30"))
    }
}
