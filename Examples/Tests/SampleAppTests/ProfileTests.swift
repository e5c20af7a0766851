import NativeAuth
import NativeAuthTesting
import Testing

@testable import SampleApp

@Suite(
    "The profile",
    .nativeAuthTenant {
        $0.applications = [.emailPassword]
        $0.users = [.init(dana, password: password)]
        $0.accessTokenLifetime = .seconds(3600)
    },
    .timeLimit(.minutes(1)))
@MainActor
struct ProfileTests {
    let device: Device

    init() throws {
        device = try Device()
    }

    private func signIn() async throws -> ProfileModel {
        let model = device.signIn()
        model.password = password
        await model.start()
        return try device.profile()
    }

    /// Resets the password on another device, which ends all sessions.
    private func resetElsewhere() async throws {
        let model = try Device().resetPassword()
        await model.start()
        model.code = try await device.code()
        await model.submitCode()
        model.newPassword = "Mill-Bridge-17"
        await model.submitNewPassword()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A token is kept until it is about to end, and then renewed")
    func token() async throws {
        let model = try await signIn()
        await model.loadToken()
        let first = try #require(model.token)
        device.tenant.clock.advance(by: .seconds(3000))
        await model.loadToken()
        #expect(model.token == first)
        device.tenant.clock.advance(by: .seconds(400))
        await model.loadToken()
        let second = try #require(model.token)
        #expect(second.value != first.value)
        #expect(second.expiresOn > first.expiresOn)
    }

    @Test("Without a connection the kept token is good until it ends")
    func cached() async throws {
        let model = try await signIn()
        await model.loadToken()
        let first = try #require(model.token)
        await device.tenant.faults.during(.offline) {
            device.tenant.clock.advance(by: .seconds(3500))
            await model.loadToken(.cached)
            #expect(model.token == first)
            #expect(model.notice == nil)
            device.tenant.clock.advance(by: .seconds(200))
            await model.loadToken(.cached)
            #expect(model.notice == Notice("There is no connection. Please try again."))
            await model.loadToken()
            #expect(model.notice == Notice("There is no connection. Please try again."))
        }
        await model.loadToken()
        #expect(model.notice == nil)
        #expect(model.token != first)
    }

    @Test("The user signs out here, also without a connection")
    func signOut() async throws {
        let model = try await signIn()
        await device.tenant.faults.during(.offline) { model.signOut() }
        #expect(model.session == .signedOut)
        #expect(device.client.currentAccount() == nil)
        await model.loadToken()
        #expect(model.notice?.suggestion == .signIn)
    }

    @Test("Where the server cannot end a session the user is told")
    func signOutEverywhere() async throws {
        let model = try await signIn()
        await model.signOutEverywhere()
        #expect(model.session == .signedOut)
        #expect(model.notice == .signedOutHereOnly)
        #expect(device.client.currentAccount() == nil)
    }

    @Test("A password reset elsewhere ends the session")
    func ended() async throws {
        let model = try await signIn()
        let listening = Task { await model.listen() }
        defer { listening.cancel() }
        try await resetElsewhere()
        await model.loadToken(.force)
        #expect(model.notice == Notice("Please sign in again.", .signIn))
        try await until { model.session == .ended }
    }

    @Test("A user who signs in again continues with the same profile")
    func signedInAgain() async throws {
        let model = try await signIn()
        let listening = Task { await model.listen() }
        defer { listening.cancel() }
        try await device.tenant.setDisabled(true, dana)
        await model.loadToken(.force)
        try await until { model.session == .ended }
        try await device.tenant.setDisabled(false, dana)
        _ = try await signIn()
        try await until { model.session == .alive }
        await model.loadToken()
        #expect(model.notice == nil)
    }

    @Test("A sign-out on another screen shows")
    func signedOutElsewhere() async throws {
        let model = try await signIn()
        let listening = Task { await model.listen() }
        defer { listening.cancel() }
        await Task.yield()
        device.client.signOut()
        try await until { model.session == .signedOut }
    }

    @Test("A token request survives that its screen goes away")
    func cancelled() async throws {
        let model = try await signIn()
        let first = Task { await model.loadToken(.force) }
        first.cancel()
        await first.value
        #expect(model.notice == nil)
        await model.loadToken()
        #expect(model.token != nil)
    }
}
