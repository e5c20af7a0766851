import Foundation
import MSAL
import NativeAuth
import NativeAuthTesting
import Testing

/// Code of an app, without anything for tests.
private enum UnchangedApp {
    static func client(_ subdomain: String = "contoso") throws -> NativeAuthClient {
        NativeAuthClient(
            NativeAuthConfiguration(
                clientID: "00001111-aaaa-2222-bbbb-3333cccc4444", authority: try Authority(tenantSubdomain: subdomain),
                challengeTypes: [.oneTimePasscode]))
    }

    @MainActor
    static func application() throws -> MSALNativeAuthPublicClientApplication {
        let configuration = try MSALNativeAuthPublicClientApplicationConfig(
            clientId: "00001111-aaaa-2222-bbbb-3333cccc4444", tenantSubdomain: "contoso", challengeTypes: [.OOB])
        return try MSALNativeAuthPublicClientApplication(nativeAuthConfiguration: configuration)
    }
}

/// A screen as an app has it, with the tutorials' delegates.
@MainActor
private final class Screen: SignUpStartDelegate, SignUpVerifyCodeDelegate, SignInAfterSignUpDelegate {
    private var application: MSALNativeAuthPublicClientApplication?
    private var codeState: SignUpCodeRequiredState?
    private(set) var message = ""
    private let (messages, sender) = AsyncStream.makeStream(of: String.self)

    /// Waits for what the screen shows next.
    func nextMessage() async -> String {
        for await message in messages { return message }
        return ""
    }

    private func show(_ message: String) {
        sender.yield(message)
    }

    func start() throws {
        application = try UnchangedApp.application()
    }

    func signUp(_ email: String) {
        application?.signUp(parameters: MSALNativeAuthSignUpParameters(username: email), delegate: self)
    }

    func submit(_ code: String) {
        codeState?.submitCode(code: code, delegate: self)
    }

    func signedIn() throws -> [String?] {
        try application?.allAccounts().map(\.username) ?? []
    }

    func onSignUpStartError(error: SignUpStartError) { show("error: \(error.errorDescription ?? "")") }

    func onSignUpCodeRequired(
        newState: SignUpCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        codeState = newState
        show("code sent")
    }

    func onSignUpVerifyCodeError(error: VerifyCodeError, newState: SignUpCodeRequiredState?) { show("wrong code") }

    func onSignUpCompleted(newState: SignInAfterSignUpState) {
        newState.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: self)
    }

    func onSignInAfterSignUpError(error: SignInAfterSignUpError) { show("error") }

    func onSignInCompleted(result: MSALNativeAuthUserAccountResult) { show(result.account.username ?? "") }
}

@Suite("TestTenant: unchanged apps", .timeLimit(.minutes(1)))
struct HostingTests {
    @Test func anAppThatUsesNativeAuthReachesTheTenant() async throws {
        let tenant = try TestTenant()
        try await tenant.hosting {
            let client = try UnchangedApp.client()
            let account = try await tenant.signUp(with: client)
            let first = try await client.accessToken(for: account)
            tenant.clock.advance(by: .seconds(7_200))
            #expect(try await client.accessToken(for: account).value != first.value, "one clock for both")
            // The app is started again on the same device.
            #expect(try UnchangedApp.client().currentAccount()?.username == dana)
        }
        let other = try await TestTenant().hosting { try UnchangedApp.client().currentAccount() }
        #expect(other == nil)
    }

    @MainActor
    @Test func anAppThatUsesMSALReachesTheTenant() async throws {
        let tenant = try TestTenant()
        try await tenant.hosting {
            let screen = Screen()
            try screen.start()
            screen.signUp(dana)
            #expect(await screen.nextMessage() == "code sent")
            screen.submit("00000000")
            #expect(await screen.nextMessage() == "wrong code")
            screen.submit(try await tenant.mailbox.code(for: dana))
            #expect(await screen.nextMessage() == dana)
            #expect(try screen.signedIn() == [dana])
            tenant.faults.next(.offline)
            screen.signUp("erik@example.com")
            #expect(await screen.nextMessage().hasPrefix("error"))
        }
    }

    @Test func tasksOfTheAppReachTheTenantToo() async throws {
        let tenant = try TestTenant()
        try await tenant.hosting {
            let task = Task { try await tenant.signUp(with: UnchangedApp.client()) }
            let account = try await task.value
            #expect(account.username == dana)
        }
    }

    @Test func anAppThatWantsAnotherTenantIsRefused() async throws {
        try await TestTenant().hosting {
            let client = try UnchangedApp.client("fabrikam")
            let error = try await #require(throws: NativeAuthError.self) {
                try await client.startSignUp(username: dana)
            }
            guard case .invalidConfiguration(let details) = error else { throw Unexpected(error) }
            let message = try #require(details.message)
            #expect(message.contains("contoso.ciamlogin.com") && message.contains("fabrikam.ciamlogin.com"))
        }
        try await TestTenant { $0.subdomain = "fabrikam" }.hosting {
            _ = try await UnchangedApp.client("fabrikam").startSignUp(username: dana)
        }
    }

    @Test func aRequestToAnotherHostGoesNowhere() async throws {
        let tenant = try TestTenant()
        let url = try #require(URL(string: "https://example.com/contoso.onmicrosoft.com/signup/v1.0/start"))
        await #expect(throws: TestTenantError.foreignHost("example.com")) {
            try await tenant.transport.send(TransportRequest(method: "POST", url: url, headers: [:], body: Data()))
        }
    }

    @Test func anInjectedTransportStays() async throws {
        let (tenant, other) = (try TestTenant(), try TestTenant())
        try await tenant.hosting { _ = try await other.client.startSignUp(username: dana) }
        #expect(try await tenant.mailbox.mails().isEmpty)
        #expect(try await other.mailbox.mails().count == 1)
    }

    @Test func withoutATenantThereIsNone() {
        #expect(throws: TestTenantError.noTenant) { try TestTenant.current }
    }

    @Test("design record 0006: another process reaches the tenant by NATIVE_AUTH_EMULATOR")
    func anotherProcessReachesTheTenant() async throws {
        let tenant = try TestTenant()
        try await tenant.listening { url in
            // The other process gets only the test's environment: it uses a socket and its own clock.
            let configuration = NativeAuthConfiguration(
                clientID: tenant.settings.applications[0].clientID, authority: tenant.authority,
                challengeTypes: [.oneTimePasscode])
            let client = NativeAuthClient(configuration, environment: ["NATIVE_AUTH_EMULATOR": url.absoluteString])
            let account = try await tenant.signUp(with: client)
            #expect(account.username == dana)
            tenant.faults.next(.loseReply(.beforeCommit), at: .signUpStart)
            #expect(
                try await nameOfError { try await client.startSignUp(username: "erik@example.com") } == "indeterminate")
            #expect(try await client.signOutAndRevoke() == .revoked, "the documents name the port")
        }
    }
}
