import Foundation
import MSAL
import NativeAuth
import NativeAuthTesting
import Testing

/// Both SDKs, when a native flow cannot go on: the server's own pages, filled in by a scripted browser, in this process.
@Suite("Continuing in a browser, in the same process", .timeLimit(.minutes(1)))
struct InProcessBrowserTests {
    private static let email = "dana@example.com"
    private static let password = "Tulip-Harbour-42"

    /// A tenant with one user, who has a password.
    private func tenant() async throws -> TestTenant {
        let tenant = try TestTenant { settings in
            settings.applications[0].userFlow = .emailPassword
            settings.users = [.init(Self.email, password: Self.password)]
        }
        tenant.browser.fill { page in
            page["username"] = Self.email
            page["password"] = Self.password
            if page.has("contact") { page["contact"] = "second@example.org" }
            if page.has("code") { page["code"] = try await tenant.mailbox.code(for: "second@example.org") }
        }
        return tenant
    }

    /// What an app does: three lines for the browser.
    private func signIn(with client: NativeAuthClient) async throws -> NativeAuth.Account? {
        do throws(SignInError) {
            guard case .completed(let account) = try await client.signIn(username: Self.email) else { return nil }
            return account
        } catch .browserRequired(let details) {
            return try await client.signInWithBrowser(continuing: details)
        }
    }

    @Test(
        "SDK-WEB-7: an app that can only take codes is sent to a browser, and three lines later the account is in the cache of the native flows"
    )
    func threeLines() async throws {
        let tenant = try await tenant()
        var configuration = tenant.configuration()
        configuration.challengeTypes = [.oneTimePasscode]
        let client = NativeAuthClient(configuration)
        let account = try await signIn(with: client)
        #expect(account?.username == Self.email)
        #expect(tenant.browser.titles.map { $0.prefix(8) } == ["Sign in ", "Enter yo"])
        let cached = try #require(client.accounts().first)
        #expect(cached.username == Self.email)
        let first = try await client.accessToken(for: cached)
        tenant.clock.advance(by: .seconds(7_200))
        let second = try await client.accessToken(for: cached)
        #expect(first.value != second.value, "the first has expired, so it was renewed")
    }

    @Test("SEC-MFA-1: a demanded second factor is registered and given at the pages")
    func secondFactor() async throws {
        let tenant = try await tenant()
        let client = NativeAuthClient(tenant.configuration())
        var options = WebSignInOptions()
        options.claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        let account = try await client.signInWithBrowser(options)
        #expect(account.username == Self.email)
    }

    @Test("SDK-WEB-8: a user who presses Cancel at the page has cancelled")
    func cancel() async throws {
        let tenant = try await tenant()
        tenant.browser.fill { page in try page.press("Cancel") }
        await #expect(throws: WebSignInError.self) {
            try await NativeAuthClient(tenant.configuration()).signInWithBrowser()
        }
    }

    @MainActor
    @Test("SDK-WEB-9: the tutorials' fallback gets a result, and the account is that of the native calls")
    func theTutorialsFallback() async throws {
        let tenant = try await tenant()
        let app = MSALNativeAuthPublicClientApplication(tenant.configuration())
        let parameters = MSALInteractiveTokenParameters(
            scopes: ["User.Read"], webviewParameters: MSALWebviewParameters())
        let result = try await app.acquireToken(with: parameters)
        #expect(result.account.username == Self.email)
        #expect(!result.accessToken.isEmpty)
        #expect(app.getNativeAuthUserAccount()?.account.username == Self.email)
    }
}
