import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

@testable import SampleApp

@Suite("Sign-up with a code", .nativeAuthTenant, .timeLimit(.minutes(1)))
@MainActor
struct SignUpTests {
    let device: Device
    let model: SignUpModel

    init() throws {
        device = try Device()
        model = device.signUp()
    }

    @Test("A new user is signed in")
    func signsUp() async throws {
        await model.start()
        guard case .code(let kept) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        #expect(kept.info.sentTo == "d***a@ex***le.com")
        #expect(kept.info.length == 8)
        model.code = try await device.code()
        await model.submitCode()
        guard case .signedIn(let account) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        #expect(account.username == dana)
        #expect(model.notice == nil)
        #expect(model.code.isEmpty)
        #expect(device.client.currentAccount()?.homeAccountID == account.homeAccountID)
    }

    @Test("A wrong code can be corrected")
    func wrongCode() async throws {
        await model.start()
        let code = try await device.code()
        model.code = wrong(code)
        await model.submitCode()
        #expect(name(model.screen) == "code")
        #expect(model.notice == Notice("The code is wrong, or too old."))
        #expect(model.code == wrong(code))
        model.code = code
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
        #expect(model.notice == nil)
    }

    @Test("After five wrong codes the user is told to ask for another one, which is good")
    func fiveWrongCodes() async throws {
        await model.start()
        model.code = wrong(try await device.code())
        for _ in 1...5 { await model.submitCode() }
        #expect(model.notice?.suggestion == .newCode)
        await model.resendCode()
        #expect(model.notice == .newCode)
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("Another code makes the first one worthless")
    func resend() async throws {
        await model.start()
        model.code = try await device.code()
        await model.resendCode()
        #expect(model.notice == .newCode)
        await model.submitCode()
        #expect(model.notice == Notice("The code is wrong, or too old."))
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A code that is too old is no good; another one is")
    func oldCode() async throws {
        await model.start()
        model.code = try await device.code()
        device.tenant.clock.advance(by: .seconds(601))
        await model.submitCode()
        #expect(name(model.screen) == "code")
        #expect(model.notice == Notice("The code is wrong, or too old."))
        await model.resendCode()
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("When it takes too long the user begins again")
    func expired() async throws {
        await model.start()
        model.code = try await device.code()
        device.tenant.clock.advance(by: .seconds(3600))
        await model.submitCode()
        #expect(name(model.screen) == "form")
        #expect(model.notice == Notice("That took too long. Please start again."))
        await model.start()
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A double tap does one thing")
    func doubleTap() async throws {
        async let first: Void = model.start()
        async let second: Void = model.start()
        _ = await (first, second)
        #expect(try await device.tenant.mailbox.mails(for: dana).count == 1)
        model.code = try await device.code()
        async let third: Void = model.submitCode()
        async let fourth: Void = model.submitCode()
        _ = await (third, fourth)
        #expect(name(model.screen) == "signedIn")
        #expect(model.notice == nil)
    }

    @Test("A kept step can be taken once")
    func takenOnce() async throws {
        await model.start()
        guard case .code(let kept) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        #expect(kept.take()?.info.length == 8)
        #expect(kept.take()?.info.length == nil)
    }

    @Test(
        "The user tries again after a lost reply, and nothing is done twice",
        arguments: [TestTenant.Fault.Moment.beforeCommit, .afterCommit])
    func lostReply(_ moment: TestTenant.Fault.Moment) async throws {
        await model.start()
        model.code = try await device.code()
        device.tenant.faults.next(.loseReply(moment), at: .signUpContinue)
        await model.submitCode()
        #expect(name(model.screen) == "code")
        #expect(model.notice == Notice("The connection was lost. Please try again: nothing is done twice."))
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A lost reply to the sign-in that follows leaves an account, and the sign-in can be tried again")
    func lostSignIn() async throws {
        await model.start()
        model.code = try await device.code()
        await device.tenant.faults.during(.offline, at: .token) { await model.submitCode() }
        #expect(name(model.screen) == "created")
        #expect(model.notice == Notice("There is no connection. Please try again."))
        await model.signIn()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("Without a connection nothing is lost")
    func offline() async throws {
        await device.tenant.faults.during(.offline) { await model.start() }
        #expect(name(model.screen) == "form")
        #expect(model.notice == Notice("There is no connection. Please try again."))
        await model.start()
        model.code = try await device.code()
        await device.tenant.faults.during(.offline) { await model.submitCode() }
        #expect(name(model.screen) == "code")
        #expect(model.notice == Notice("There is no connection. Please try again."))
        await device.tenant.faults.during(.offline) { await model.resendCode() }
        #expect(name(model.screen) == "code")
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A busy server says when to come back")
    func throttled() async throws {
        await model.start()
        model.code = try await device.code()
        device.tenant.faults.next(.throttle(retryAfter: 30), at: .signUpContinue)
        await model.submitCode()
        #expect(name(model.screen) == "code")
        #expect(model.notice == Notice("Too many attempts. Please try again in 30 seconds."))
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("An unexpected answer ends the flow, with a number for support")
    func unexpected() async throws {
        device.tenant.faults.next(.vendorError(999_999, error: "brand_new"), at: .signUpStart)
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice?.text.hasPrefix("Something went wrong.") == true)
    }

    @Test("A user with an account is sent to the sign-in")
    func userExists() async throws {
        try await device.tenant.add(.init(dana))
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice == Notice("You have an account already.", .signIn))
    }

    @Test("A step that the app cannot do continues in a browser")
    func browser() async throws {
        device.tenant.faults.next(.browser, at: .signUpChallenge)
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice?.suggestion == .browser)
    }

    @Test("A bad address is hinted at, and refused by the server")
    func badAddress() async throws {
        let model = device.signUp("dana.example.com")
        #expect(EmailHint(model.email) == .noAt)
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice == Notice("This is not an e-mail address."))
    }

    @Test("A code is looked at before it is sent")
    func codeHints() async throws {
        await model.start()
        guard case .code(let kept) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        #expect(kept.info.hint(for: "12345")?.text == "3 more.")
        #expect(kept.info.hint(for: "123456789")?.text == "1 too many.")
        #expect(kept.info.hint(for: "1234567x")?.text == "A code has digits only.")
        #expect(kept.info.hint(for: try await device.code()) == nil)
    }

    @Test("Who stops a request can make it again")
    func cancelled() async throws {
        await model.start()
        model.code = try await device.code()
        let task = Task { await model.submitCode() }
        task.cancel()
        await task.value
        #expect(name(model.screen) == "code")
        #expect(model.notice == nil)
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("The user can go back to the form")
    func startAgain() async throws {
        await model.start()
        #expect(device.unfinished.storage.bytes != nil)
        model.startAgain()
        #expect(name(model.screen) == "form")
        #expect(device.unfinished.storage.bytes == nil)
    }

    @Test("A late mail is waited for")
    func lateMail() async throws {
        device.tenant.faults.mail = .slow(by: .seconds(60))
        await model.start()
        device.tenant.clock.advance(by: .seconds(60))
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }
}

@Suite(
    "The countdown to another code", .nativeAuthTenant { $0.resendCooldown = .seconds(30) }, .timeLimit(.minutes(1)))
@MainActor
struct CountdownTests {
    @Test("It counts on the clock of the screen, and the server agrees")
    func countdown() async throws {
        let device = try Device()
        let (model, clock) = (device.signUp(), device.tenant.clock)
        await model.start()
        guard case .code(let kept) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        #expect(kept.info.secondsUntilResend(at: clock.now) == 30)
        clock.advance(by: .seconds(10))
        #expect(kept.info.secondsUntilResend(at: clock.now) == 20)
        // Too soon: the server sends none, and the first one is still good.
        await model.resendCode()
        guard case .code(let kept) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        #expect(kept.info.secondsUntilResend(at: clock.now) == 20)
        #expect(try await device.tenant.mailbox.mails(for: dana).count == 1)
        clock.advance(by: .seconds(20))
        #expect(kept.info.secondsUntilResend(at: clock.now) == 0)
        await model.resendCode()
        #expect(model.notice == .newCode)
        #expect(try await device.tenant.mailbox.mails(for: dana).count == 2)
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
    }
}

@Suite(
    "Sign-up with a password", .nativeAuthTenant { $0.applications = [.emailPassword] }, .timeLimit(.minutes(1)))
@MainActor
struct SignUpPasswordTests {
    let device: Device
    let model: SignUpModel

    init() throws {
        device = try Device()
        model = device.signUp()
    }

    @Test("The password may be given at the start")
    func atTheStart() async throws {
        model.password = password
        await model.start()
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "signedIn")
        #expect(model.password.isEmpty)
    }

    @Test("A weak password at the start begins nothing")
    func weakAtTheStart() async throws {
        model.password = "tulip"
        await model.start()
        #expect(name(model.screen) == "form")
        #expect(model.notice == Notice(PasswordRule.tooShort.text))
    }

    @Test(
        "A password that breaks a rule can be corrected",
        arguments: [
            ("", PasswordRule.empty), ("Tulip-4", .tooShort), ("tulipharbour", .tooWeak), ("Password1!", .banned),
            ("Tülip-Harbour-42", .notAllowed),
        ])
    func weakPassword(_ weak: String, _ rule: PasswordRule) async throws {
        await model.start()
        model.code = try await device.code()
        await model.submitCode()
        #expect(name(model.screen) == "password")
        model.password = weak
        await model.submitPassword()
        #expect(name(model.screen) == "password")
        #expect(model.notice == Notice(rule.text))
        model.password = password
        await model.submitPassword()
        #expect(name(model.screen) == "signedIn")
        #expect(model.notice == nil)
    }
}

@Suite(
    "Sign-up with an alias",
    .nativeAuthTenant {
        $0.applications[0].attributes = [.required(TestTenant.Attribute.alias)]
        $0.users = [.init("nils@example.com", alias: "nils")]
    },
    .timeLimit(.minutes(1)))
@MainActor
struct SignUpAliasTests {
    @Test("Of a taken one the user chooses another, and signs in with it")
    func taken() async throws {
        let device = try Device()
        let model = device.signUp()
        await model.start()
        model.code = try await device.code()
        await model.submitCode()
        model.values = [AttributeName.flatUsername: "nils"]
        await model.submitAttributes()
        #expect(name(model.screen) == "attributes")
        #expect(model.notice == Notice("This user name is taken already."))
        model.values = [AttributeName.flatUsername: "tulip-dana"]
        await model.submitAttributes()
        #expect(name(model.screen) == "signedIn")
        let signIn = device.signIn("tulip-dana")
        await signIn.start()
        signIn.code = try await device.code()
        await signIn.submitCode()
        #expect(name(signIn.screen) == "signedIn")
    }
}

@Suite(
    "Sign-up with attributes",
    .nativeAuthTenant {
        $0.applications[0].attributes = [
            .required("postalCode", regex: #"\d{4}"#), .required("extension_0123_ShoeSize", .integer),
            .required("extension_0123_Newsletter", .boolean),
        ]
    },
    .timeLimit(.minutes(1)))
@MainActor
struct SignUpAttributesTests {
    let device: Device
    let model: SignUpModel

    init() throws {
        device = try Device()
        model = device.signUp()
    }

    private func begin() async throws -> [RequiredAttribute] {
        await model.start()
        model.code = try await device.code()
        await model.submitCode()
        guard case .attributes(let kept) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        return kept.info
    }

    @Test("The app asks for each attribute that the tenant requires, by its type")
    func attributes() async throws {
        let wanted = try await begin()
        #expect(Set(wanted.map(\.type)) == ["string", "integer", "boolean"])
        let postalCode = try #require(wanted.first { $0.name == AttributeName.postalCode })
        #expect(postalCode.hint(typed: "12") == "Postal code does not look right.")
        #expect(postalCode.hint(typed: "") == "Postal code is missing.")
        #expect(postalCode.hint(typed: "2100") == nil)
        let shoeSize = try #require(wanted.first { $0.type == "integer" })
        #expect(shoeSize.hint(typed: "large") == "extension_0123_ShoeSize must be a number.")
        model.values = [
            "postalCode": "2100", "extension_0123_ShoeSize": "44", "extension_0123_Newsletter": "true",
        ]
        await model.submitAttributes()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A value that breaks its rule can be corrected")
    func pattern() async throws {
        _ = try await begin()
        model.values = [
            "postalCode": "21 00", "extension_0123_ShoeSize": "44", "extension_0123_Newsletter": "false",
        ]
        await model.submitAttributes()
        #expect(name(model.screen) == "attributes")
        #expect(model.notice == Notice("Postal code does not look right."))
        model.values["postalCode"] = "2100"
        await model.submitAttributes()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("What is missing is asked for again, and nothing else")
    func missing() async throws {
        _ = try await begin()
        model.values = ["postalCode": "2100", "extension_0123_ShoeSize": "44"]
        await model.submitAttributes()
        guard case .attributes(let kept) = model.screen else {
            throw UnexpectedScreen(name: name(model.screen), notice: model.notice)
        }
        let newsletter = try #require(kept.info.first)
        #expect(kept.info.count == 1)
        #expect(newsletter.hint(typed: nil) == "extension_0123_Newsletter is missing.")
        model.values[newsletter.name] = "true"
        await model.submitAttributes()
        #expect(name(model.screen) == "signedIn")
    }
}
