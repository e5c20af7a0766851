import IdentityEngine
import NativeAuthTesting
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Sign-in by a provider at the native endpoints.
@Suite("Providers: the endpoints")
struct ProviderTests {
    @Test("REL-IDEM: a repeated request of a sign-in by a provider gets the same bytes, new user or known")
    func repeated() async throws {
        let server = try ProviderServer()
        for _ in 0..<2 {
            let asked = try await server.challenge()
            let token = try server.apple.idToken(nonce: try #require(asked.text("nonce")))
            let first = try await server.token(token, try asked.token)
            let second = try await server.token(token, try asked.token)
            #expect(first.status == 200 && first.text("access_token") != nil, "\(first)")
            #expect(second.body == first.body, "\(second)")
            // Another request with the spent token is another matter.
            let other = try await server.token(
                try server.apple.idToken(nonce: try #require(asked.text("nonce"))), try asked.token)
            #expect(other.text("error") == "invalid_request", "\(other)")
        }
        #expect(try await server.server.storedUsers().count == 1)
    }

    @Test(
        "SEC-FED-1, SEC-FED-11: names of the app are a flat object of two texts, and no other parameter says who a user is"
    )
    func parameters() async throws {
        let server = try ProviderServer()
        for names in ["[]", "x", "{", #"{"givenName":{}}"#] {
            let answer = try await server.signIn([("provider_user", names)])
            #expect(answer.text("error") == "invalid_request" || answer.status == 200, "\(names): \(answer)")
        }
        let answer = try await server.signIn([
            ("username", "erik@example.com"), ("provider", "google"),
            ("provider_user", #"{"email":"erik@example.com"}"#),
        ])
        #expect(answer.status == 200, "\(answer)")
        #expect(try await server.server.storedUsers().map(\.email) == ["dana@example.com"])
    }
}
