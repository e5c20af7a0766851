import NativeAuth
import NativeAuthTesting
import Testing

@testable import SampleApp

@Suite("Sign-in with a code", .nativeAuthTenant { $0.users = [.init(dana)] }, .timeLimit(.minutes(1)))
@MainActor
struct SignInTests {
    let device: Device
    let model: SignInModel

    init() throws {
        device = try Device()
        model = device.signIn()
    }

    @Test("The user is signed in")
    func signsIn() async throws {
        await model.start()
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
        #expect(device.client.currentAccount()?.username == dana)
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
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A password that is not needed is reported")
    func unusedPassword() async throws {
        model.password = password
        await model.start()
        #expect(name(model.screen) == "code")
        #expect(model.notice == .passwordUnused)
    }

    @Test("A user without an account is sent to the sign-up")
    func userNotFound() async throws {
        let model = device.signIn("nobody@example.com")
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

    @Test(
        "The user tries again after a lost reply",
        arguments: [TestTenant.Fault.Moment.beforeCommit, .afterCommit])
    func lostReply(_ moment: TestTenant.Fault.Moment) async throws {
        await model.start()
        model.code = try await device.code()
        device.tenant.faults.next(.loseReply(moment), at: .token)
        await model.submitCode()
        #expect(name(model.screen) == "code")
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A double tap does one thing")
    func doubleTap() async throws {
        async let first: Void = model.start()
        async let second: Void = model.start()
        _ = await (first, second)
        #expect(try await device.tenant.mailbox.mails(for: dana).count == 1)
    }
}

@Suite(
    "Sign-in with a password",
    .nativeAuthTenant {
        $0.applications = [.emailPassword]
        $0.users = [.init(dana, password: password)]
    },
    .timeLimit(.minutes(1)))
@MainActor
struct SignInPasswordTests {
    let device: Device
    let model: SignInModel

    init() throws {
        device = try Device()
        model = device.signIn()
    }

    @Test("With the right password it takes one step")
    func oneStep() async {
        model.password = password
        await model.start()
        #expect(name(model.screen) == "signedIn")
        #expect(model.password.isEmpty)
    }

    @Test("A wrong password offers a new one")
    func wrongAtTheStart() async {
        model.password = "Tulip-Harbour-43"
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice == Notice("The password is wrong.", .resetPassword))
    }

    @Test("The app asks for the password, and again after a wrong one")
    func passwordScreen() async {
        await model.start()
        #expect(name(model.screen) == "password")
        model.password = "Tulip-Harbour-43"
        await model.submitPassword()
        #expect(name(model.screen) == "password")
        #expect(model.notice == Notice("The password is wrong.", .resetPassword))
        model.password = password
        await model.submitPassword()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A busy server says when to come back")
    func throttled() async {
        await model.start()
        model.password = password
        device.tenant.faults.next(.throttle(retryAfter: 7), at: .token)
        await model.submitPassword()
        #expect(model.notice == Notice("Too many attempts. Please try again in 7 seconds."))
        await model.submitPassword()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A disabled account refuses sign-in")
    func disabled() async throws {
        try await device.tenant.setDisabled(true, dana)
        model.password = password
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice != nil)
    }
}

@Suite(
    "A second factor",
    .nativeAuthTenant {
        $0.applications = [.emailPassword]
        $0.applications[0].requiresSecondFactor = true
        $0.users = [
            .init(dana, password: password, secondFactors: ["dana@example.org"]),
            .init("nils@example.com", password: password),
        ]
    },
    .timeLimit(.minutes(1)))
@MainActor
struct SecondFactorTests {
    let device: Device

    init() throws {
        device = try Device()
    }

    /// Signs in with a password, up to the second factor.
    private func begin(_ username: String = dana) async throws -> SecondFactorModel {
        let model = device.signIn(username)
        model.password = password
        await model.start()
        guard case .secondFactor(let second) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        return second
    }

    @Test("The user chooses how, and types the code")
    func secondFactor() async throws {
        let model = try await begin()
        #expect(name(model.screen) == "choice")
        let method = try #require(model.methods.first)
        #expect(method.channel == "email")
        await model.requestCode(by: method)
        #expect(name(model.screen) == "code")
        model.code = try await device.code(for: "dana@example.org")
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
        #expect(device.client.currentAccount()?.username == dana)
    }

    @Test("A wrong code can be corrected, and another one requested")
    func wrongCode() async throws {
        let model = try await begin()
        let method = try #require(model.methods.first)
        await model.requestCode(by: method)
        model.code = wrong(try await device.code(for: "dana@example.org"))
        await model.submitCode()
        #expect(model.notice == Notice("The code is wrong, or too old."))
        await model.requestCode(by: method)
        #expect(model.notice == .newCode)
        model.code = try await device.code(for: "dana@example.org")
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("Without a connection nothing is lost")
    func offline() async throws {
        let model = try await begin()
        let method = try #require(model.methods.first)
        await device.tenant.faults.during(.offline) { await model.requestCode(by: method) }
        #expect(name(model.screen) == "choice")
        #expect(model.notice == Notice("There is no connection. Please try again."))
        await model.requestCode(by: method)
        model.code = try await device.code(for: "dana@example.org")
        await device.tenant.faults.during(.offline) { await model.submitCode() }
        #expect(name(model.screen) == "code")
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("When it takes too long the user begins again")
    func expired() async throws {
        let model = try await begin()
        device.tenant.clock.advance(by: .seconds(24 * 3600))
        await model.requestCode(by: try #require(model.methods.first))
        #expect(name(model.screen) == "over")
        #expect(model.notice == Notice("That took too long. Please start again."))
    }

    @Test("Who has none registers one, also after a mistyped address")
    func registration() async throws {
        let model = try await begin("nils@example.com")
        #expect(name(model.screen) == "registration")
        let method = try #require(model.methods.first)
        model.contact = "nils"
        await model.register(by: method)
        #expect(name(model.screen) == "registration")
        #expect(model.notice == Notice("No code can be sent to this address."))
        model.contact = "nile@example.org"
        await model.register(by: method)
        #expect(name(model.screen) == "registrationCode")
        model.chooseAgain()
        #expect(name(model.screen) == "registration")
        model.contact = "nils@example.org"
        await model.register(by: method)
        model.code = wrong(try await device.code(for: "nils@example.org"))
        await model.submitCode()
        #expect(model.notice == Notice("The code is wrong, or too old."))
        #expect(name(model.screen) == "registrationCode")
        model.chooseAgain()
        await model.register(by: method)
        model.code = try await device.code(for: "nils@example.org")
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A new user registers one before they are signed in")
    func afterSignUp() async throws {
        let model = device.signUp("mona@example.com")
        model.password = password
        await model.start()
        model.code = try await device.code(for: "mona@example.com")
        await model.submitCode()
        guard case .secondFactor(let second) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        #expect(name(second.screen) == "registration")
        second.contact = "mona@example.org"
        await second.register(by: try #require(second.methods.first))
        second.code = try await device.code(for: "mona@example.org")
        await second.submitCode()
        #expect(name(second.screen) == "signedIn")
    }

    @Test("An app without a screen for it sends the user to a browser")
    func withoutCapability() async throws {
        let model = try Device(capabilities: []).signIn()
        model.password = password
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice?.suggestion == .browser)
    }
}
