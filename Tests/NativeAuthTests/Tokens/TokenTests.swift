import Foundation
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@testable import NativeAuth

private let user = "dahlia@example.com"
@Suite("Sign-in after sign-up")
struct SignInAfterSignUpTests {
    @Test func theNewUserIsSignedIn() async throws {
        try await withClient(signedUp + [.tokens()]) { client, transport in
            let account = try await signedIn(
                completed(client).signIn(
                    scopes: ["api://orders/Orders.Read", "openid"], claims: #"{"access_token":{}}"#))
            #expect(
                try transport.form(3) == [
                    "client_id": clientID, "grant_type": "continuation_token", "continuation_token": "T9",
                    "scope": "api://orders/Orders.Read openid profile offline_access", "username": user,
                    "challenge_type": "oob password redirect", "client_info": "true",
                    "claims": #"{"access_token":{}}"#,
                ])
            #expect(account.username == user)
            #expect(account.homeAccountID == "UID.UTID")
            #expect(account.objectID == "UID")
            #expect(account.tenantID == "UTID")
            #expect(account.environment == "contoso.ciamlogin.com")
            #expect(account.idTokenClaims["age"] == .integer(44))
            #expect(account.idToken?.hasSuffix(".c2ln") == true)
            #expect(client.currentAccount()?.homeAccountID == "UID.UTID")
        }
    }

    @Test func withoutClientInfoTheIDTokenSaysWhoItIs() async throws {
        try await withClient(signedUp + [.tokens(withClientInfo: false)]) { client, _ in
            let account = try await signIn(client)
            #expect(account.homeAccountID == "OID.TID")
        }
    }

    @Test func withoutATokenNothingIsSent() async throws {
        let script: [Stub] = [.started, .codeSent("T2"), Stub(.signUpContinue, 200, "{}")]
        try await withClient(script) { client, transport in
            let state = try await completed(client)
            #expect(!state.isSignInAvailable)
            let refused = try await error { () throws(NativeAuthError) in try await state.signIn() }
            #expect(kind(refused) == "notAvailable")
            #expect(transport.requests.count == 3)
        }
    }

    @Test(
        "SDK-AUTH-2: a sign-in that does not say who it is is none; every row of the table",
        arguments: [
            (Stub(.token, 200, SignUpTests.redirect), "browserRequired"),
            (.refusal(.token, "invalid_grant", suberror: "registration_required"), "unexpectedReply"),
            (.refusal(.token, "invalid_grant", suberror: "mfa_required"), "unexpectedReply"),
            (.refusal(.token, "invalid_grant", codes: [50126]), "general"),
            (.refusal(.token, "user_not_found", codes: [50034]), "userNotFound"),
            (.refusal(.token, "invalid_request", codes: [50142]), "general"),
            (.refusal(.token, "invalid_scope", codes: [70011]), "invalidScope"),
            (.refusal(.token, "expired_token", codes: [552003]), "expired"),
            (.refusal(.token, "unauthorized_client"), "general"),
            (Stub(.token, 200, "{}"), "unexpectedReply"),
            (Stub(.token, 200, #"{"access_token":"a"}"#), "unexpectedReply"),
            (Stub(.token, 200, #"{"access_token":"a","client_info":"!"}"#), "unexpectedReply"),
            (Stub(.token, 200, #"{"id_token":"a.b"}"#), "unexpectedReply"),
            (
                Stub(.token, 200, #"{"client_info":"eyJ1aWQiOiJvaWQiLCJ1dGlkIjoidGlkIn0"}"#), "unexpectedReply"
            ),
            (
                Stub(
                    .token, 200,
                    #"{"token_type":"mac","access_token":"a","client_info":"eyJ1aWQiOiJvaWQiLCJ1dGlkIjoidGlkIn0"}"#),
                "unexpectedReply"
            ),
            (Stub(.token, 500, ""), "unexpectedReply"),
            (Stub(.token, failing: URLError(.timedOut)), "indeterminate"),
            (Stub(.token, failing: URLError(.cannotConnectToHost)), "network"),
        ] as [(Stub, String)])
    func table(_ answer: Stub, _ expected: String) async throws {
        try await withClient(signedUp + [answer]) { client, _ in
            let state = try await completed(client)
            let refused = try await error { () throws(NativeAuthError) in try await state.signIn() }
            #expect(kind(refused) == expected)
            #expect(client.currentAccount() == nil)
        }
    }

    @Test func aFailedSignInLeavesTheEarlierUserSignedIn() async throws {
        try await withClient(signedUp + [.tokens()] + signedUp + [Stub(.token, 200, "{}")]) { client, _ in
            _ = try await completed(client).signIn()
            let second = try await completed(client)
            _ = try await error { () throws(NativeAuthError) in try await second.signIn() }
            #expect(client.currentAccount()?.homeAccountID == "UID.UTID")
        }
    }

    @Test(
        "SDK-AUTH-2: openid is always asked for: without an ID token that can be read no user is signed in",
        arguments: [nil, "", "a.b", "a.!.c", "a.bm8.c", "a.W10.c", "a..c"])
    func unreadable(_ idToken: String?) async throws {
        let info = "eyJ1aWQiOiJvaWQiLCJ1dGlkIjoidGlkIn0"
        let member = idToken.map { #""id_token":"\#($0)","# } ?? ""
        let answer = Stub(.token, 200, #"{\#(member)"access_token":"a","client_info":"\#(info)"}"#)
        try await withClient(signedUp + [answer]) { client, _ in
            let state = try await completed(client)
            let refused = try await error { () throws(NativeAuthError) in try await state.signIn() }
            #expect(kind(refused) == "unexpectedReply")
            #expect(client.currentAccount() == nil)
        }
    }
}

@Suite("Access tokens")
struct AccessTokenTests {
    private func withAccount(
        _ script: [Stub], tokens: Stub = .tokens(),
        _ body: (NativeAuthClient, Account, ScriptedTransport, TestClock) async throws -> Void
    ) async throws {
        let clock = TestClock()
        try await withClient(signedUp + [tokens] + script) {
            clock.drive(&$0)
        } _: { client, transport in
            try await body(client, try await signIn(client), transport, clock)
        }
    }

    @Test func aTokenIsKeptUntilFiveMinutesBeforeItsEnd() async throws {
        let renewed = Stub.tokens(access: "AT2", refresh: "RT2")
        try await withAccount([renewed]) { client, account, transport, clock in
            let first = try await client.accessToken(for: account)
            #expect(first.value == "AT1")
            #expect(first.refreshToken == "RT1")
            #expect(first.scopes == ["openid", "profile", "offline_access"])
            #expect(first.expiresOn == start + 3600)
            clock.advance(by: 3299)
            #expect(try await account.accessToken().value == "AT1")
            clock.advance(by: 1)
            let second = try await account.accessToken()
            #expect(second.value == "AT2")
            #expect(second.refreshToken == "RT2")
            #expect(
                try transport.form(4) == [
                    "client_id": clientID, "grant_type": "refresh_token", "refresh_token": "RT1",
                    "scope": "openid profile offline_access", "client_info": "1",
                ])
        }
    }

    @Test func forcingAsksTheServer() async throws {
        try await withAccount([.tokens(access: "AT2", refresh: nil), .tokens(access: "AT3")]) {
            client, account, transport, _ in
            let token = try await client.accessToken(for: account, forceRefresh: true)
            #expect(token.value == "AT2")
            // A reply without one leaves the refresh token in place.
            #expect(token.refreshToken == "RT1")
            _ = try await account.accessToken(policy: .force)
            #expect(try transport.form(5)["refresh_token"] == "RT1")
        }
    }

    @Test func everySetOfScopesHasItsToken() async throws {
        let orders = Stub.tokens(access: "AT-O", scope: "api://Orders/Read openid profile offline_access")
        try await withAccount([orders]) { client, account, transport, _ in
            let first = try await account.accessToken(scopes: ["api://orders/read"])
            let second = try await account.accessToken(scopes: ["api://orders/read"])
            #expect(first.value == "AT-O" && first == second)
            // A request without scopes means the scopes of the sign-in, here none.
            #expect(try await client.accessToken(for: account).value == "AT1")
            #expect(try transport.form(4)["scope"] == "api://orders/read openid profile offline_access")
        }
    }

    @Test func withoutScopesTheTokenIsForThoseOfTheSignIn() async throws {
        let script: [Stub] = [
            .tokens(access: "AT-A", scope: "a openid"), .tokens(access: "AT-B", scope: "b openid"),
            .tokens(access: "AT-A2", scope: "a openid"),
        ]
        try await withClient(signedUp + script) { client, transport in
            let account = try await signedIn(completed(client).signIn(scopes: ["a"]))
            #expect(try await account.accessToken(scopes: ["b"]).value == "AT-B")
            #expect(try await account.accessToken().value == "AT-A")
            #expect(try await account.accessToken(policy: .force).value == "AT-A2")
            #expect(try transport.form(5)["scope"] == "a openid profile offline_access")
            #expect(try await account.accessToken(scopes: ["b"]).value == "AT-B")
        }
    }

    @Test func theDefaultScopeOfAnAPIIsGrantedByWhateverComes() async throws {
        let granted = Stub.tokens(access: "AT-D", scope: "api://orders/read openid")
        try await withAccount([granted, .tokens(access: "AT-E")]) { client, account, _, _ in
            for _ in 1...2 {
                let token = try await account.accessToken(scopes: ["api://orders/.default"])
                #expect(token.value == "AT-D" && token.scopes == ["api://orders/read", "openid"])
            }
            // Not the token of another API.
            #expect(try await account.accessToken(scopes: ["api://stock/.default"]).value == "AT-E")
        }
    }

    @Test func aSessionPrintsNoToken() {
        let token = Session.Token(
            accessToken: "canary", scopes: [], requested: [], lifetime: 1, obtainedOn: start, uptime: 0, process: UUID()
        )
        var session = Session(username: "canary", objectID: "canary", tenantID: "canary", requested: [])
        session.tokens = [token]
        var text = "\(token) \(session) \(String(reflecting: token))"
        dump([token], to: &text)
        dump(session, to: &text)
        #expect(!text.contains("canary"))
    }

    @Test(arguments: ["openid", "profile", "OFFLINE_ACCESS", clientID])
    func aReservedScopeIsRefusedWithoutARequest(_ scope: String) async throws {
        try await withAccount([]) { client, account, _, _ in
            let refused = try await error { () throws(NativeAuthError) in
                try await client.accessToken(for: account, scopes: ["a", scope])
            }
            #expect(kind(refused) == "invalidScope")
        }
    }

    @Test func aDeclinedScopeIsAnError() async throws {
        try await withAccount([.tokens(access: "AT2")]) { client, account, _, _ in
            let refused = try await error { () throws(NativeAuthError) in
                try await client.accessToken(for: account, scopes: ["api://orders/read"])
            }
            #expect(kind(refused) == "invalidScope")
        }
    }

    @Test(
        "SDK-REF-1: only invalid_grant ends the session (docs/sdk-surface.md §3.9)",
        arguments: [
            (.refusal(.token, "invalid_grant", codes: [700082]), "expired", true),
            (.refusal(.token, "invalid_grant", codes: [50173]), "expired", true),
            (.refusal(.token, "invalid_grant", codes: []), "expired", true),
            (.refusal(.token, "invalid_grant", codes: [65001]), "invalidScope", false),
            (.refusal(.token, "invalid_scope", codes: [70011]), "invalidScope", false),
            (.refusal(.token, "invalid_grant", codes: [50076]), "mfaRequired", false),
            (.refusal(.token, "invalid_grant", codes: [50079]), "mfaRequired", false),
            (.refusal(.token, "invalid_grant", codes: [50072]), "mfaRequired", false),
            (.refusal(.token, "invalid_grant", codes: [50074]), "mfaRequired", false),
            (.refusal(.token, "invalid_grant", codes: [50196]), "throttled", false),
            (.refusal(.token, "invalid_grant", codes: [90055]), "throttled", false),
            (.refusal(.token, "invalid_grant", codes: [701014]), "throttled", false),
            (Stub(.token, 200, #"{"access_token":"AT2","id_token":"a.b"}"#), "unexpectedReply", false),
            (.refusal(.token, "expired_refresh_token", codes: [700082]), "expired", true),
            (.refusal(.token, "invalid_grant", codes: [50142]), "general", false),
            (.refusal(.token, "invalid_grant", codes: [50053]), "general", false),
            (.refusal(.token, "invalid_request"), "general", false),
            (Stub(.token, 500, ""), "unexpectedReply", false),
            (Stub(.token, 200, "{}"), "unexpectedReply", false),
            (Stub(.token, 200, #"{"access_token":"","id_token":"a"}"#), "unexpectedReply", false),
            (Stub(.token, 200, SignUpTests.redirect), "browserRequired", false),
        ] as [(Stub, String, Bool)])
    func refusals(_ answer: Stub, _ expected: String, _ ends: Bool) async throws {
        try await withAccount([answer] + (ends ? [] : [.tokens(access: "AT2")])) { client, account, transport, _ in
            let refused = try await error { () throws(NativeAuthError) in
                try await client.accessToken(for: account, forceRefresh: true)
            }
            #expect(kind(refused) == expected)
            if ends {
                let later = try await error { () throws(NativeAuthError) in
                    try await client.accessToken(for: account, forceRefresh: true)
                }
                // As long as the account is listed, the app gets the reason.
                #expect(kind(later) == "expired" && client.currentAccount() != nil)
                // A token that is still valid can be used.
                #expect(try await account.accessToken().value == "AT1")
            } else {
                #expect(try await account.accessToken(policy: .force).value == "AT2")
            }
        }
    }

    @Test(
        "SDK-RETRY-1: a renewal is repeated once, with the same token, when the server was not reached",
        arguments: [Stub(.token, failing: URLError(.networkConnectionLost)), Stub(.token, 503, "")])
    func renewalIsRepeatedOnce(_ answer: Stub) async throws {
        try await withAccount([answer, .tokens(access: "AT2"), answer, answer]) { client, account, transport, _ in
            #expect(try await account.accessToken(policy: .force).value == "AT2")
            let forms = try (transport.form(4), transport.form(5))
            #expect(forms.0 == forms.1)
            _ = try await error { () throws(NativeAuthError) in
                try await client.accessToken(for: account, forceRefresh: true)
            }
            #expect(transport.requests.count == 8)
        }
    }

    @Test("SDK-REF-1: a network that comes and goes never ends the session")
    func flappingNetwork() async throws {
        let lost = Stub(.token, failing: URLError(.networkConnectionLost))
        let offline = Stub(.token, failing: URLError(.notConnectedToInternet))
        let rounds = (1...10).flatMap { round -> [Stub] in
            [lost, offline, offline, lost, lost, .tokens(access: "AT-\(round)", refresh: "RT-\(round)")]
        }
        try await withAccount(rounds) { client, account, _, _ in
            for round in 1...10 {
                for _ in 1...2 {
                    let failure = try await error { () throws(NativeAuthError) in
                        try await client.accessToken(for: account, forceRefresh: true)
                    }
                    #expect(kind(failure) == "network" && failure.details.canRetry)
                    #expect(client.currentAccount() != nil)
                }
                #expect(try await account.accessToken(policy: .force).refreshToken == "RT-\(round)")
            }
        }
    }

    @Test func aTokenWithMoreScopesServes() async throws {
        let wide = Stub.tokens(access: "AT-W", scope: "a b c openid")
        try await withAccount([wide, .tokens(access: "AT-D", scope: "d openid")]) { client, account, _, _ in
            #expect(try await account.accessToken(scopes: ["a", "b"]).value == "AT-W")
            for scopes in [["a"], ["B"], ["c", "a"], ["a", "b", "c"]] {
                let token = try await client.accessToken(for: account, scopes: scopes)
                #expect(token.value == "AT-W" && token.scopes == ["a", "b", "c", "openid"])
            }
            #expect(try await account.accessToken(scopes: ["d"]).value == "AT-D")
        }
    }

    @Test func aClaimsRequestAsksTheServerInAnyCase() async throws {
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c4"}}}"#
        try await withAccount([.tokens(access: "AT2"), .tokens(access: "AT3")]) { client, account, transport, _ in
            for (index, expected) in ["AT2", "AT3"].enumerated() {
                let token = try await client.accessToken(for: account, claims: claims)
                #expect(token.value == expected)
                #expect(try transport.form(4 + index)["claims"] == claims)
            }
        }
    }

    @Test func nobodyGetsATokenAfterSignOut() async throws {
        try await withAccount([]) { client, account, _, _ in
            client.signOut()
            #expect(client.currentAccount() == nil)
            let refused = try await error { () throws(NativeAuthError) in try await client.accessToken(for: account) }
            #expect(kind(refused) == "signInRequired")
            #expect(account.idToken != nil)
        }
    }

    @Test func clientsThatShareACacheShareTheSession() async throws {
        let cache = InMemoryTokenCache()
        try await withClient(signedUp + [.tokens()]) {
            $0.tokenCache = cache
        } _: { client, _ in
            _ = try await completed(client).signIn()
        }
        try await withClient([]) {
            $0.tokenCache = cache
        } _: { client, _ in
            let account = try #require(client.currentAccount())
            #expect(try await account.accessToken().value == "AT1")
        }
        try await withClient([]) {
            $0.tokenCache = cache
            $0.clientID = "11112222-bbbb-3333-cccc-4444dddd5555"
        } _: { client, _ in
            #expect(client.currentAccount() == nil)
        }
    }

    // MARK: Several callers

    private func withGate(
        _ script: [Stub], _ body: (NativeAuthClient, Account, RequestGate) async throws -> Void
    ) async throws {
        let cache = InMemoryTokenCache()
        try await withClient(signedUp + [.tokens()]) {
            $0.tokenCache = cache
        } _: { client, _ in
            _ = try await completed(client).signIn()
        }
        let transport = ScriptedTransport(script)
        let gate = RequestGate(transport)
        try await withClient([]) {
            $0.tokenCache = cache
            $0.transport = gate
            $0.now = { start + 3600 }
        } _: { client, _ in
            try await body(client, try #require(client.currentAccount()), gate)
        }
        #expect(transport.unused.isEmpty)
    }

    @Test("SDK-REF-1: 1 000 callers share one renewal")
    func renewalIsShared() async throws {
        try await withGate([.tokens(access: "AT2", refresh: "RT2")]) { client, account, gate in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<1000 {
                    group.addTask { try await client.accessToken(for: account).value }
                }
                await gate.arrival()
                await gate.open()
                for try await token in group { #expect(token == "AT2") }
            }
            #expect(await gate.count == 1)
        }
    }

    @Test("SDK-REF-1: a refresh that fails, fails for all callers that wait, and signs no user out")
    func failureIsShared() async throws {
        let refused = Stub(.token, failing: URLError(.notConnectedToInternet))
        try await withGate([refused, refused, .tokens(access: "AT2")]) { client, account, gate in
            await withTaskGroup(of: String.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        do throws(NativeAuthError) {
                            return try await client.accessToken(for: account).value
                        } catch {
                            return kind(error)
                        }
                    }
                }
                await gate.arrival()
                await gate.open()
                for await outcome in group { #expect(["network", "AT2"].contains(outcome)) }
            }
            #expect(client.currentAccount() != nil)
            let token = try await client.accessToken(for: account)
            #expect(token.value == "AT2")
            #expect(await gate.count == 3)
        }
    }

    @Test("SDK-REF-1: renewals for different scopes follow each other, each with the newest refresh token")
    func renewalsAreSerial() async throws {
        let script: [Stub] = [
            .tokens(access: "AT2", refresh: "RT2", scope: "a"), .tokens(access: "AT3", refresh: "RT3", scope: "a b"),
        ]
        try await withGate(script) { client, account, gate in
            async let first = client.accessToken(for: account, scopes: ["a"])
            await gate.arrival()
            async let second = client.accessToken(for: account, scopes: ["b"])
            for _ in 0..<100 { await Task.yield() }
            #expect(await gate.count == 1)
            await gate.open()
            let tokens = try await [first, second].map(\.value)
            #expect(tokens == ["AT2", "AT3"])
            #expect(await gate.count == 2)
        }
    }

    @Test("SDK-CANCEL-1: a cancelled caller returns at once; the renewal is kept for the others")
    func cancellation() async throws {
        try await withGate([.tokens(access: "AT2", refresh: "RT2")]) { client, account, gate in
            let patient = Task { try await client.accessToken(for: account, forceRefresh: true).value }
            await gate.arrival()
            let hasty = Task { () async -> NativeAuthError? in
                do throws(NativeAuthError) {
                    _ = try await client.accessToken(for: account, forceRefresh: true)
                    return nil
                } catch {
                    return error
                }
            }
            hasty.cancel()
            // The gate is still shut: this returns only because of the cancellation.
            let failure = try #require(await hasty.value)
            #expect(kind(failure) == "cancelled")
            await gate.open()
            #expect(try await patient.value == "AT2")
        }
    }

    @Test("SDK-STO-4: a caller that waits for a token while the user signs in again gets that of the new session")
    func signInMeanwhile() async throws {
        let cache = InMemoryTokenCache()
        try await withClient(
            signedUp + [.tokens()] + signedUp + [.tokens(access: "AT-NEW")] + signedUp + [.tokens(access: "AT-NEW")]
        ) {
            $0.tokenCache = cache
        } _: { first, _ in
            let account = try await signIn(first)
            for answer in [Stub.tokens(access: "AT-LATE"), .refusal(.token, "invalid_grant", codes: [50173])] {
                let gate = RequestGate(ScriptedTransport([answer]))
                try await withClient([]) {
                    $0.tokenCache = cache
                    $0.transport = gate
                } _: { second, _ in
                    let late = Task { try await second.accessToken(for: account, forceRefresh: true).value }
                    await gate.arrival()
                    _ = try await signIn(first)
                    await gate.open()
                    #expect(try await late.value == "AT-NEW")
                }
            }
        }
    }

    @Test("SDK-STO-4: an answer that comes after the sign-out is dropped")
    func lateAnswer() async throws {
        try await withGate([.tokens(access: "AT2", refresh: "RT2")]) { client, account, gate in
            let late = Task { () async -> NativeAuthError? in
                do throws(NativeAuthError) {
                    _ = try await client.accessToken(for: account, forceRefresh: true)
                    return nil
                } catch {
                    return error
                }
            }
            await gate.arrival()
            client.signOut()
            await gate.open()
            let failure = try #require(await late.value)
            #expect(kind(failure) == "signInRequired")
            #expect(client.currentAccount() == nil)
        }
    }
}
