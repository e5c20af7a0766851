import NativeAuth
import NativeAuthTesting
import Testing

/// Sign-ins with the number of a telephone, as an app's own tests use them.
@Suite("Sign-ins with a number of a test tenant", .timeLimit(.minutes(1)))
struct NumberSignInTests {
    private struct Unexpected: Error {}

    private static let number = "+15555550123"

    private func tenant(_ application: TestTenant.Application, signsIn: Bool = true) throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = [application]
            settings.textMessages = true
            settings.signInByNumber = signsIn
            settings.users = [.init(dana, password: goodPassword, secondFactors: [Self.number])]
        }
    }

    @Test(
        "A user types the number and gets the code as a text, whatever the application asks others for",
        arguments: [TestTenant.Application.emailPassword, .emailOneTimePasscode])
    func signsIn(_ application: TestTenant.Application) async throws {
        let tenant = try tenant(application)
        #expect(try await tenant.storedUser(dana)?.secondFactors == [Self.number])
        guard case .codeRequired(let step) = try await tenant.client.signIn(username: "+1 (555) 555-0123") else {
            throw Unexpected()
        }
        #expect(step.info.channel == "sms" && step.info.sentTo == "+1*********3")
        guard case .retry(let again, .incorrectCode) = try await step.submit(code: "00000000"),
            case .next(.completed(let account)) = try await again.submit(
                code: tenant.mailbox.code(for: Self.number))
        else { throw Unexpected() }
        #expect(account.username == dana)
        #expect(try await account.profile().id == tenant.storedUser(dana)?.id)
    }

    @Test("Without the setting the number is unknown")
    func off() async throws {
        let tenant = try tenant(.emailPassword, signsIn: false)
        do throws(SignInError) {
            _ = try await tenant.client.signIn(username: Self.number)
            Issue.record("signed in")
        } catch {
            guard case .userNotFound = error else { throw error }
        }
    }
}
