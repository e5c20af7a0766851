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
        #expect(!account.isSSOAccount)
        let profile = try #require(account.tenantProfiles?.first)
        #expect(profile.identifier == "o" && profile.tenantId == "t" && profile.isHomeTenantProfile)
        #expect(profile.environment == "contoso.ciamlogin.com")
        #expect(profile.claims?["number"] as? Int == 1)
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

    // MARK: What the application object of every kind has

    @Test func theApplicationListsFindsAndRemovesAccounts() async throws {
        let (fixture, result) = try await Fixture.signedIn([])
        let app: MSALPublicClientApplication = fixture.app
        #expect(try app.allAccounts() == [result.account])
        #expect(try app.account(forIdentifier: "o.t") == result.account)
        #expect(try app.account(forUsername: "Dana@Example.com") == result.account)
        #expect(throws: (any Error).self) { try app.account(forIdentifier: "x.t") }
        #expect(throws: (any Error).self) { try app.account(forUsername: "eve@example.com") }
        try app.remove(result.account)
        #expect(try app.allAccounts().isEmpty)
        #expect(fixture.app.getNativeAuthUserAccount() == nil)
        let error = #expect(throws: (any Error).self) { try app.remove(result.account) }
        #expect((error as NSError?)?.domain == MSALErrorDomain)
    }

    @Test func theApplicationTellsWhoIsSignedIn() async throws {
        let (fixture, result) = try await Fixture.signedIn([])
        let account = await withCheckedContinuation { continuation in
            fixture.app.getCurrentAccount(with: nil) { account, _, _ in continuation.resume(returning: account) }
        }
        #expect(account == result.account)
    }

    private func silentToken(
        _ fixture: Fixture, _ parameters: MSALSilentTokenParameters
    ) async -> (MSALResult?, NSError?) {
        await withCheckedContinuation { continuation in
            fixture.app.acquireTokenSilent(with: parameters) { result, error in
                continuation.resume(returning: (result, error as NSError?))
            }
        }
    }

    @Test func aTokenIsHadThroughACompletionBlockToo() async throws {
        let (fixture, result) = try await Fixture.signedIn([.tokens(2), .error("invalid_grant", code: 70_008)])
        let parameters = MSALSilentTokenParameters(scopes: [], account: result.account)
        parameters.forceRefresh = true
        let token = try #require(await silentToken(fixture, parameters).0)
        #expect(token.accessToken == "at-2" && token.authorizationHeader == "Bearer at-2")
        #expect(token.account == result.account && token.tenantProfile.identifier == "o")
        #expect(token.account.accountClaims?["number"] as? Int == 2)
        #expect(token.idToken?.hasPrefix("e30.") == true && token.correlationId == Fixture.correlationID)
        #expect(token.authority is MSALCIAMAuthority)
        #expect(token.authority.url.absoluteString == "https://contoso.ciamlogin.com/contoso.onmicrosoft.com")
        #expect(token.scopes.contains("openid") && (token.expiresOn ?? .distantPast) > .now)

        let error = try #require(await silentToken(fixture, parameters).1)
        #expect(error.domain == MSALErrorDomain && error.code == MSALError.interactionRequired.rawValue)
        #expect(error.userInfo[MSALSTSErrorCodesKey] as? [Int] == [70_008])
        #expect(error.userInfo[MSALErrorDescriptionKey] as? String == "said")
        #expect(error.userInfo[MSALCorrelationIDKey] as? UUID == Fixture.correlationID)
        #expect(await fixture.server.unused == 0)
    }

    #if os(Linux)
        /// On platforms with view controllers, this needs one.
        @Test func anAccountSignsOutThroughACompletionBlockToo() async throws {
            let (fixture, result) = try await Fixture.signedIn([])
            let parameters = MSALSignoutParameters(webviewParameters: MSALWebviewParameters())
            #expect(await signout(fixture, result.account, parameters) == (true, nil))
            #expect(try fixture.app.allAccounts().isEmpty)
        }

        private func signout(
            _ fixture: Fixture, _ account: MSALAccount, _ parameters: MSALSignoutParameters
        ) async -> (Bool, Int?) {
            await withCheckedContinuation { continuation in
                fixture.app.signout(with: account, signoutParameters: parameters) { isDone, error in
                    continuation.resume(returning: (isDone, (error as NSError?)?.code))
                }
            }
        }
    #endif
}
