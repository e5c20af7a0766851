import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

@testable import SampleApp

@Suite(
    "Password reset",
    .nativeAuthTenant {
        $0.applications = [.emailPassword]
        $0.users = [.init(dana, password: password), .init("otto@example.com")]
    },
    .timeLimit(.minutes(1)))
@MainActor
struct ResetPasswordTests {
    let device: Device
    let model: ResetPasswordModel

    init() throws {
        device = try Device()
        model = device.resetPassword()
    }

    private func begin() async throws {
        await model.start()
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "newPassword")
    }

    @Test("The user is signed in with the new password, and the old one is no good")
    func resets() async throws {
        try await begin()
        model.newPassword = "Mill-Bridge-17"
        await model.submitNewPassword()
        #expect(name(model.screen) == "signedIn")
        let signIn = device.signIn()
        signIn.password = password
        await signIn.start()
        #expect(signIn.notice?.suggestion == .resetPassword)
        signIn.password = "Mill-Bridge-17"
        await signIn.start()
        #expect(name(signIn.screen) == "signedIn")
    }

    @Test("A wrong code can be corrected, and another one requested")
    func wrongCode() async throws {
        await model.start()
        model.code = wrong(try await device.code())
        await model.submitCode()
        #expect(model.notice == Notice("The code is wrong, or too old."))
        await model.resendCode()
        #expect(model.notice == .newCode)
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "newPassword")
    }

    @Test(
        "A password that breaks a rule can be corrected",
        arguments: [("Mill", PasswordRule.tooShort), (password, .recentlyUsed)])
    func weakPassword(_ weak: String, _ rule: PasswordRule) async throws {
        try await begin()
        model.newPassword = weak
        await model.submitNewPassword()
        #expect(name(model.screen) == "newPassword")
        #expect(model.notice == Notice(rule.text))
        model.newPassword = "Mill-Bridge-17"
        await model.submitNewPassword()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("The app waits for a slow server, which takes no time here")
    func polls() async throws {
        try await begin()
        let before = device.tenant.clock.now
        device.tenant.faults.next(.inProgress, at: .resetPasswordPollCompletion, times: 3)
        model.newPassword = "Mill-Bridge-17"
        await model.submitNewPassword()
        #expect(name(model.screen) == "signedIn")
        #expect(device.tenant.faults.outstanding == 0)
        #expect(device.tenant.clock.now > before)
    }

    @Test("When the server does not confirm the password in time, the user tries it")
    func notConfirmed() async throws {
        try await begin()
        model.newPassword = "Mill-Bridge-17"
        await device.tenant.faults.during(.inProgress, at: .resetPasswordPollCompletion) {
            await model.submitNewPassword()
        }
        #expect(name(model.screen) == "form")
        #expect(model.notice == Notice("This takes long. Please sign in with the new password.", .signIn))
        let signIn = device.signIn()
        signIn.password = "Mill-Bridge-17"
        await signIn.start()
        #expect(name(signIn.screen) == "signedIn")
    }

    @Test("The new password may be sent again after a lost reply")
    func lostReply() async throws {
        try await begin()
        model.newPassword = "Mill-Bridge-17"
        device.tenant.faults.next(.loseReply(.afterCommit), at: .resetPasswordSubmit)
        await model.submitNewPassword()
        #expect(name(model.screen) == "newPassword")
        await model.submitNewPassword()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("When only the sign-in fails it can be tried again")
    func signInFails() async throws {
        try await begin()
        model.newPassword = "Mill-Bridge-17"
        await device.tenant.faults.during(.offline, at: .token) { await model.submitNewPassword() }
        #expect(name(model.screen) == "changed")
        await model.signIn()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("Who signs in with codes has no password to reset")
    func noPassword() async throws {
        let model = device.resetPassword("otto@example.com")
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice == Notice("You have no password: you sign in with a code.", .signIn))
    }

    @Test("A user without an account is sent to the sign-up")
    func userNotFound() async throws {
        let model = device.resetPassword("nobody@example.com")
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice?.suggestion == .signUp)
    }

    @Test("When it takes too long the user begins again")
    func expired() async throws {
        await model.start()
        model.code = try await device.code()
        device.tenant.clock.advance(by: .seconds(3600))
        await model.submitCode()
        #expect(name(model.screen) == "form")
        #expect(model.notice == Notice("That took too long. Please start again."))
    }
}
