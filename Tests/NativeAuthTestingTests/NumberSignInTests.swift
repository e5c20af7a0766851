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
        #expect(try await account.methods().filter(\.signsIn).map(\.maskedAddress) == ["+1*********3"])
    }

    @Test("SEC-SMS-16: the account's list says which numbers sign in, and which do not any more")
    func listed() async throws {
        let tenant = try tenant(.emailPassword)
        guard case .completed(let account) = try await tenant.client.signIn(username: dana, password: goodPassword)
        else { throw Unexpected() }
        func listed() async throws -> [Bool] { try await account.methods().filter { $0.kind == .phone }.map(\.signsIn) }
        #expect(try await listed() == [true])
        for (column, value) in [
            ("proven_at", "0"), ("suspended_at", "1800000000000"), ("enrolled_under", "'password'"),
        ] {
            let kept = try await tenant.server.rows("SELECT CAST(\(column) AS TEXT) FROM strong_methods")
            _ = try await tenant.server.rows("UPDATE strong_methods SET \(column) = \(value)")
            #expect(try await listed() == [false], "\(column)")
            let old = kept[0][0].map { column == "enrolled_under" ? "'\($0)'" : $0 } ?? "NULL"
            _ = try await tenant.server.rows("UPDATE strong_methods SET \(column) = \(old)")
            #expect(try await listed() == [true], "\(column)")
        }
        let without = try self.tenant(.emailPassword, signsIn: false)
        guard case .completed(let plain) = try await without.client.signIn(username: dana, password: goodPassword)
        else { throw Unexpected() }
        #expect(try await plain.methods().allSatisfy { !$0.signsIn })
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
