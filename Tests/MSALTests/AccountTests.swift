import Foundation
import MSAL
import Testing

/// The account after the sign-in, and its access tokens.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct AccountTests {
    private func token(
        _ result: MSALNativeAuthUserAccountResult, _ set: (MSALNativeAuthGetAccessTokenParameters) -> Void = { _ in }
    ) async throws -> Callback {
        let delegate = FullDelegate()
        let parameters = MSALNativeAuthGetAccessTokenParameters()
        set(parameters)
        result.getAccessToken(parameters: parameters, delegate: delegate)
        return try await delegate.mailbox.next()
    }

    @Test func theAccountIsThatOfTheIDToken() async throws {
        let (fixture, result) = try await Fixture.signedIn([])
        let account = result.account
        #expect(account.username == "dana@example.com")
        #expect(account.identifier == "o.t")
        #expect(account.homeAccountId?.identifier == "o.t")
        #expect(account.homeAccountId?.objectId == "o")
        #expect(account.homeAccountId?.tenantId == "t")
        #expect(account.environment == "contoso.ciamlogin.com")
        #expect(account.accountClaims?["preferred_username"] as? String == "dana@example.com")
        #expect(account.accountClaims?["number"] as? Int == 1)
        #expect((account.accountClaims?["list"] as? [Any])?.first as? Bool == true)
        #expect(result.idToken?.hasPrefix("e30.") == true)
        let remembered = try #require(fixture.app.getNativeAuthUserAccount())
        #expect(remembered.account == account)
        #expect(remembered.idToken == result.idToken)
    }

    @Test func theSignInAsksForScopesAndClaims() async throws {
        let (fixture, state) = try await Fixture.done([.tokens()])
        let parameters = MSALNativeAuthSignInAfterSignUpParameters()
        parameters.scopes = ["api://orders/read"]
        parameters.claimsRequest = MSALClaimsRequest(jsonString: #"{"id_token":{}}"#, error: nil)
        let delegate = FullDelegate()
        state.signIn(parameters: parameters, delegate: delegate)
        _ = try await delegate.mailbox.next()
        let form = await fixture.server.form()
        #expect(form["grant_type"] == "continuation_token")
        #expect(form["continuation_token"] == "ct-done")
        #expect(form["scope"] == "api://orders/read openid profile offline_access")
        #expect(form["claims"] == #"{"id_token":{}}"#)
    }

    @Test func signingOutForgetsTheUserOnThisDeviceOnly() async throws {
        let (fixture, result) = try await Fixture.signedIn([])
        let before = await fixture.server.requests.count
        result.signOut()
        #expect(fixture.app.getNativeAuthUserAccount() == nil)
        #expect(result.account.username == "dana@example.com")
        let callback = try await token(result)
        #expect(callback.name == "onAccessTokenRetrieveError")
        #expect(callback.flags.isEmpty)
        #expect(await fixture.server.requests.count == before)
    }

    @Test func anAccessTokenComesFromTheCache() async throws {
        let (_, result) = try await Fixture.signedIn([])
        let found = try #require(try await token(result).state as? MSALNativeAuthTokenResult)
        #expect(found.accessToken == "at-1")
        #expect(found.refreshToken == nil)
        #expect(found.scopes == ["openid", "profile", "offline_access"])
        #expect((found.expiresOn ?? .distantPast) > .now)
    }

    @Test func theRefreshTokenIsShownOnRequest() async throws {
        let (_, result) = try await Fixture.signedIn([])
        let found = try await token(result) { $0.returnRefreshToken = true }.state as? MSALNativeAuthTokenResult
        #expect(found?.refreshToken == "rt-1")
    }

    @Test func aForcedRefreshReplacesTheIDTokenOfTheSameResult() async throws {
        let (_, result) = try await Fixture.signedIn([.tokens(2)])
        let before = result.idToken
        let found = try await token(result) { $0.forceRefresh = true }.state as? MSALNativeAuthTokenResult
        #expect(found?.accessToken == "at-2")
        #expect(result.idToken != before)
        #expect(result.account.accountClaims?["number"] as? Int == 2)
    }

    @Test func aTokenThatEndsSoonIsReplaced() async throws {
        let (_, result) = try await Fixture.signedIn([.tokens(2)], tokens: .tokens(lifetime: 299))
        let found = try await token(result).state as? MSALNativeAuthTokenResult
        #expect(found?.accessToken == "at-2")
    }

    @Test func otherScopesAndClaimsAreFetched() async throws {
        let scope = "api://orders/read openid profile offline_access"
        let (fixture, result) = try await Fixture.signedIn([.tokens(2, scope: scope), .tokens(3, scope: scope)])
        _ = try await token(result) { $0.scopes = ["api://orders/read"] }
        #expect(await fixture.server.form()["scope"] == scope)
        let found =
            try await token(result) {
                $0.scopes = ["api://orders/read"]
                $0.claimsRequest = MSALClaimsRequest(jsonString: #"{"access_token":{}}"#, error: nil)
            }.state as? MSALNativeAuthTokenResult
        #expect(found?.accessToken == "at-3")
        #expect(await fixture.server.form()["claims"] == #"{"access_token":{}}"#)
    }

    nonisolated static let refreshRows: [Row] = [
        Row(
            "the session has ended", .error("invalid_grant", code: 70_008),
            expect: "onAccessTokenRetrieveError refreshTokenExpired - [70008] said"),
        Row(
            "redirect", .redirect, expect: "onAccessTokenRetrieveError browserRequired - [] because"),
        Row(
            "the scope is refused", .error("invalid_scope", code: 70_011),
            expect: "onAccessTokenRetrieveError invalidScope - [70011] said"),
        Row(
            "a second factor", .error("invalid_grant", code: 50_076),
            expect: "onAccessTokenRetrieveError - [50076] A second factor is needed; sign the user in again. said"),
        Row(
            "the password must be reset", .error("invalid_grant", code: 50_142),
            expect: "onAccessTokenRetrieveError - [50142] The password must be reset first. said"),
        Row(
            "no connection, twice", .broken, .broken,
            expect: "onAccessTokenRetrieveError - [] The server cannot be reached"),
        Row("another error", .error("something_new"), expect: "onAccessTokenRetrieveError - [7] said"),
    ]

    @Test("Each reply to a refresh has its callback", arguments: refreshRows)
    func eachReplyToARefreshHasItsCallback(_ row: Row) async throws {
        let (fixture, result) = try await Fixture.signedIn(row.replies)
        #expect(try await token(result) { $0.forceRefresh = true }.summary == row.expected)
        #expect(await fixture.server.unused == 0)
    }

    @Test func aReservedScopeIsRefusedWithoutARequest() async throws {
        let (fixture, result) = try await Fixture.signedIn([])
        let callback = try await token(result) { $0.scopes = ["openid"] }
        #expect(callback.summary == "onAccessTokenRetrieveError invalidScope - [] Invalid scope")
        #expect(await fixture.server.unused == 0)
    }

    @Test func aTokenArrivesThoughTheResultIsReleased() async throws {
        let delegate = FullDelegate()
        do {
            let (_, result) = try await Fixture.signedIn([.tokens(2)])
            let parameters = MSALNativeAuthGetAccessTokenParameters()
            parameters.forceRefresh = true
            result.getAccessToken(parameters: parameters, delegate: delegate)
        }
        #expect(try await delegate.mailbox.next().name == "onAccessTokenRetrieveCompleted")
    }

    @Test func theAccountCanBeReplacedByTheApp() async throws {
        let (_, result) = try await Fixture.signedIn([])
        let (_, other) = try await Fixture.signedIn([])
        result.account = other.account
        #expect(result.account === other.account)
    }
}
