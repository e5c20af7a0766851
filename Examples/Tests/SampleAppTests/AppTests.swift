import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

@testable import SampleApp

@Suite(
    "The app",
    .nativeAuthTenant {
        $0.applications = [.emailPassword]
        $0.applications[0].attributes = [.required("city")]
        $0.users = [
            .init(dana, password: password), .init("otto@example.com"),
            .init("mona@example.com", password: password, secondFactors: ["mona@example.org"]),
        ]
    },
    .timeLimit(.minutes(1)))
@MainActor
struct AppTests {
    let device: Device

    init() throws {
        device = try Device()
    }

    @Test("It begins at the beginning")
    func welcome() {
        #expect(name(device.launch().screen) == "welcome")
    }

    @Test("It follows the session: from the welcome to the profile and back")
    func followsTheSession() async throws {
        let app = device.launch()
        let listening = Task { await app.listen() }
        defer { listening.cancel() }
        app.signIn(dana)
        guard case .signIn(let model) = app.screen else {
            throw UnexpectedScreen(name: name(app.screen), notice: nil)
        }
        model.password = password
        await model.start()
        try await until { name(app.screen) == "profile" }
        guard case .profile(let profile) = app.screen else {
            throw UnexpectedScreen(name: name(app.screen), notice: nil)
        }
        #expect(profile.account.username == dana)
        profile.signOut()
        try await until { name(app.screen) == "welcome" }
    }

    @Test("Who is signed in is so after a restart")
    func signedIn() async throws {
        let model = device.signIn()
        model.password = password
        await model.start()
        #expect(name(device.launch().screen) == "profile")
    }

    @Test("A sign-up continues after a restart, at any step")
    func signUpResumes() async throws {
        let email = "nora@example.com"
        let first = device.launch()
        first.signUp(email)
        try await signUp(in: first).start()

        let second = try signUp(in: device.launch())
        #expect(name(second.screen) == "code")
        second.code = try await device.code(for: email)
        await second.submitCode()

        let third = try signUp(in: device.launch())
        #expect(name(third.screen) == "password")
        third.password = password
        await third.submitPassword()

        let fourth = try signUp(in: device.launch())
        #expect(name(fourth.screen) == "attributes")
        fourth.values = ["city": "Aarhus"]
        await device.tenant.faults.during(.offline, at: .token) { await fourth.submitAttributes() }

        let fifth = try signUp(in: device.launch())
        #expect(name(fifth.screen) == "created")
        await fifth.signIn()
        #expect(name(fifth.screen) == "signedIn")
        #expect(device.unfinished.storage.bytes == nil)
        #expect(name(device.launch().screen) == "profile")
    }

    private func signUp(in app: AppModel) throws -> SignUpModel {
        guard case .signUp(let model) = app.screen else {
            throw UnexpectedScreen(name: name(app.screen), notice: nil)
        }
        return model
    }

    @Test("A sign-in continues after a restart", arguments: ["otto@example.com", dana])
    func signInResumes(_ username: String) async throws {
        await device.signIn(username).start()
        guard case .signIn(let model) = device.launch().screen else {
            throw UnexpectedScreen(name: name(device.launch().screen), notice: nil)
        }
        if case .code = model.screen {
            model.code = try await device.code(for: username)
            await model.submitCode()
        } else {
            model.password = password
            await model.submitPassword()
        }
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A reset continues after a restart")
    func resetResumes() async throws {
        let first = device.resetPassword()
        await first.start()
        first.code = try await device.code()
        await first.submitCode()
        guard case .resetPassword(let model) = device.launch().screen else {
            throw UnexpectedScreen(name: name(device.launch().screen), notice: nil)
        }
        #expect(name(model.screen) == "newPassword")
        model.newPassword = "Mill-Bridge-17"
        await model.submitNewPassword()
        #expect(name(model.screen) == "signedIn")
    }

    @Test("A wrong code counts after a restart too")
    func attemptsResume() async throws {
        let first = device.signUp("nora@example.com")
        await first.start()
        first.code = wrong(try await device.code(for: "nora@example.com"))
        for _ in 1...4 { await first.submitCode() }
        let second = try signUp(in: device.launch())
        second.code = first.code
        await second.submitCode()
        #expect(second.notice?.suggestion == .newCode)
    }

    @Test("What was left is gone when it is damaged, or when its key is")
    func damaged() async throws {
        await device.signUp("nora@example.com").start()
        let bytes = try #require(device.unfinished.storage.bytes)
        let otherKey = UnfinishedFlow(storage: device.unfinished.storage, key: ResumeKey())
        #expect(name(AppModel(client: device.client, unfinished: otherKey).screen) == "welcome")
        device.unfinished.storage.bytes = bytes.dropLast(8)
        #expect(name(device.launch().screen) == "welcome")
        device.unfinished.storage.bytes = bytes
        #expect(name(device.launch().screen) == "signUp")
    }

    @Test("A user who leaves a flow does not come back to it")
    func cancel() async throws {
        let app = device.launch()
        app.signUp("nora@example.com")
        try await signUp(in: app).start()
        app.cancel()
        #expect(name(app.screen) == "welcome")
        #expect(name(device.launch().screen) == "welcome")
    }

    @Test("A file keeps the step")
    func file() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "step-\(UUID())")
        let unfinished = UnfinishedFlow(storage: FileStepStorage(file: file), key: ResumeKey())
        #expect(unfinished.step(SignUpCodeRequired.self, of: device.client) == nil)
        let model = SignUpModel(client: device.client, unfinished: unfinished, email: "nora@example.com")
        await model.start()
        #expect(unfinished.step(SignUpCodeRequired.self, of: device.client)?.info.length == 8)
        #expect(unfinished.step(SignInCodeRequired.self, of: device.client) == nil)
        unfinished.forget()
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("The client that an app makes for its tenant reaches the test's")
    func unchanged() async throws {
        let configuration = NativeAuthConfiguration(
            clientID: TestTenant.Application.emailPassword.clientID,
            authority: try Authority(tenantSubdomain: "contoso"),
            challengeTypes: [.oneTimePasscode, .password])
        let app = AppModel(client: NativeAuthClient(configuration), unfinished: device.unfinished)
        app.signIn(dana)
        guard case .signIn(let model) = app.screen else {
            throw UnexpectedScreen(name: name(app.screen), notice: nil)
        }
        model.password = password
        await model.start()
        #expect(name(model.screen) == "signedIn")
    }
}

@Suite(
    "A second factor, over a restart",
    .nativeAuthTenant {
        $0.applications = [.emailPassword]
        $0.applications[0].requiresSecondFactor = true
        $0.users = [.init(dana, password: password, secondFactors: ["dana@example.org"])]
    }, .timeLimit(.minutes(1)))
@MainActor
struct SecondFactorResumeTests {
    @Test("A flow continues at the step where it stopped")
    func resumes() async throws {
        let device = try Device()
        let signIn = device.signIn()
        signIn.password = password
        await signIn.start()
        let first = try secondFactor(in: device.launch())
        await first.requestCode(by: try #require(first.methods.first))
        let second = try secondFactor(in: device.launch())
        #expect(name(second.screen) == "code")
        second.code = try await device.code(for: "dana@example.org")
        await second.submitCode()
        #expect(name(second.screen) == "signedIn")
        #expect(device.unfinished.storage.bytes == nil)
    }

    private func secondFactor(in app: AppModel) throws -> SecondFactorModel {
        guard case .signIn(let model) = app.screen, case .secondFactor(let second) = model.screen else {
            throw UnexpectedScreen(name: name(app.screen), notice: nil)
        }
        return second
    }
}
