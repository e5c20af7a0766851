import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Testing

@Suite("Token policies and errors")
struct TokenPolicyTests {
    /// A signed-in user whose token is valid for an hour.
    private func withAccount(
        _ script: [Stub], _ body: (NativeAuthClient, Account, ScriptedTransport, TestClock) async throws -> Void
    ) async throws {
        let clock = TestClock()
        try await withClient(signedUp + [.tokens()] + script) {
            clock.drive(&$0)
        } _: { client, transport in
            try await body(client, try await signIn(client), transport, clock)
        }
    }

    @Test func aKeptTokenServesUntilItsEndAndTheServerIsNeverAsked() async throws {
        try await withAccount([]) { _, account, transport, clock in
            #expect(try await account.accessToken(policy: .cached).value == "AT1")
            clock.advance(by: 3599)
            #expect(try await account.accessToken(policy: .cached).value == "AT1")
            clock.advance(by: 1)
            let refused = try await error { () throws(TokenError) in try await account.accessToken(policy: .cached) }
            #expect(kind(refused) == "notCached")
            #expect(transport.requests.count == 4)
        }
    }

    @Test func noKeptTokenHasOtherScopesOrAnswersClaims() async throws {
        try await withAccount([]) { _, account, transport, _ in
            let foreign = try await error { () throws(TokenError) in
                try await account.accessToken(scopes: ["api://orders/read"], policy: .cached)
            }
            let claimed = try await error { () throws(TokenError) in
                try await account.accessToken(claims: "{}", policy: .cached)
            }
            #expect(kind(foreign) == "notCached" && kind(claimed) == "notCached")
            #expect(transport.requests.count == 4)
        }
    }

    @Test func offlineAKeptTokenStillServes() async throws {
        let offline = Stub(.token, failing: URLError(.notConnectedToInternet))
        try await withAccount([offline, offline]) { _, account, _, clock in
            clock.advance(by: 3400)
            let refused = try await error { () throws(TokenError) in try await account.accessToken() }
            guard case .service(.unreachable) = refused else {
                Issue.record("\(refused)")
                return
            }
            #expect(try await account.accessToken(policy: .cached).value == "AT1")
        }
    }

    @Test func nobodyIsSignedIn() async throws {
        try await withAccount([]) { client, account, _, _ in
            client.signOut()
            for policy in [TokenPolicy.cached, .refreshIfNeeded, .force] {
                let refused = try await error { () throws(TokenError) in try await account.accessToken(policy: policy) }
                #expect(kind(refused) == "signInRequired")
            }
        }
    }

    @Test(
        "Every refusal of a renewal has its case",
        arguments: [
            (.refusal(.token, "invalid_grant", codes: [700082]), "sessionEnded"),
            (.refusal(.token, "invalid_grant", codes: [50076]), "secondFactorRequired"),
            (.refusal(.token, "invalid_grant", suberror: "mfa_required"), "secondFactorRequired"),
            (.refusal(.token, "invalid_grant", suberror: "registration_required"), "secondFactorRequired"),
            (Stub(.token, 200, SignUpTests.redirect), "browserRequired"),
            (.refusal(.token, "invalid_scope", codes: []), "scopesRefused"),
            (Stub(.token, 429, ""), "service"), (Stub(.token, 500, ""), "service"),
            (.refusal(.token, "invalid_grant", codes: [50053]), "service"),
        ] as [(Stub, String)])
    func refusals(_ answer: Stub, _ expected: String) async throws {
        try await withAccount([answer]) { _, account, _, _ in
            let refused = try await error { () throws(TokenError) in try await account.accessToken(policy: .force) }
            #expect(kind(refused) == expected)
            #expect(refused.details.correlationID == correlation)
        }
    }

    @Test(
        "The scopes that were refused are named: reserved, declined, and all that were asked for where it is not said")
    func scopes() async throws {
        let script: [Stub] = [
            .tokens(access: "AT2", scope: "a openid"), .refusal(.token, "invalid_grant", codes: [65001]),
        ]
        try await withAccount(script) { _, account, _, _ in
            let expected = [
                (["a", "OpenID", clientID], ["OpenID", clientID]), (["c", "a", "b"], ["b", "c"]), (["d"], ["d"]),
            ]
            for (asked, named) in expected {
                let refused = try await error { () throws(TokenError) in
                    try await account.accessToken(scopes: asked)
                }
                guard case .scopesRefused(named, _) = refused else {
                    Issue.record("\(refused)")
                    return
                }
            }
        }
    }
}
