import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

/// An authenticator app that is registered in the middle of a sign-in, through the SDK.
@Suite("Authenticator apps at sign-in: the SDK", .timeLimit(.minutes(1)))
struct AppRegistrationTests {
    private struct Unexpected: Error {}

    private func tenant() throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = [.emailPassword]
            settings.users = [.init(dana, password: goodPassword)]
            settings.levels = [.init(.twoFactors, applications: [TestTenant.Application.emailPassword.clientID])]
        }
    }

    /// A client whose configuration has authenticator apps.
    private func client(_ tenant: TestTenant) -> NativeAuthClient {
        var configuration = tenant.configuration()
        configuration.challengeTypes.insert(.authenticatorApp)
        return NativeAuthClient(configuration)
    }

    private func registration(_ tenant: TestTenant, _ client: NativeAuthClient) async throws -> RegistrationRequired {
        guard case .mfaRequired(let mailbox) = try await client.signIn(username: dana, password: goodPassword) else {
            throw Unexpected()
        }
        let method = try #require(mailbox.info.first)
        guard case .next(let code) = try await mailbox.requestCode(by: method),
            case .next(.registrationRequired(let step)) = try await code.prove(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        return step
    }

    @Test("The user adds the key that the step shows, and the first code of the app completes the sign-in")
    func steps() async throws {
        let tenant = try tenant()
        let client = client(tenant)
        let step = try await registration(tenant, client)
        #expect(step.info.map(\.isAuthenticatorApp) == [true] && step.info.first?.challengeType == "totp")
        guard case .next(let first) = try await step.requestAuthenticatorKey() else { throw Unexpected() }
        let old = first.info
        guard case .next(let shown) = try await first.chooseAgain().requestAuthenticatorKey() else {
            throw Unexpected()
        }
        #expect(shown.info.key != old.key && shown.info.codeLength == 6)
        #expect(shown.info.url.absoluteString.hasPrefix("otpauth://totp/"))
        #expect(!"\(shown.info)".contains(shown.info.key))
        let app = try #require(TestAuthenticator(shown.info))
        guard case .retry(let again, .incorrectCode) = try await shown.submit(code: "000000") else {
            throw Unexpected()
        }
        // The step survives the end of the app.
        let key = ResumeKey()
        let kept: RegistrationAppRequired = try client.resume(try again.saved(with: key), with: key)
        guard case .next(let account) = try await kept.submit(code: tenant.code(of: app)) else { throw Unexpected() }
        #expect(account.username == dana)
        #expect(try await account.methods().map(\.kind).contains(.authenticatorApp))
        // The next sign-in asks for the app, of a client without the word, too.
        tenant.clock.advance(by: .seconds(31))
        let plain = NativeAuthClient(tenant.configuration())
        guard case .mfaRequired(let choice) = try await plain.signIn(username: dana, password: goodPassword) else {
            throw Unexpected()
        }
        let method = try #require(choice.info.first)
        #expect(method.isAuthenticatorApp && method.challengeType == "oob")
        guard case .next(let asked) = try await choice.requestCode(by: method),
            case .next = try await asked.submit(code: tenant.code(of: app))
        else { throw Unexpected() }
    }

    @Test("An app that does not announce the word is sent to the web")
    func plainClient() async throws {
        let client = NativeAuthClient(try tenant().configuration())
        do {
            _ = try await client.signIn(username: dana, password: goodPassword)
            Issue.record("a sign-in below the level")
        } catch {
            guard case .browserRequired = error else { throw error }
        }
    }

    /// A user who reads mails, and has an authenticator app.
    private final class Prompts: FlowPrompts {
        let tenant: TestTenant
        @MainActor var keys: [AuthenticatorKey] = []
        @MainActor var problems = 0

        init(_ tenant: TestTenant) { self.tenant = tenant }

        func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
            .code(try await tenant.mailbox.code(for: dana))
        }

        func authenticatorKey(_ key: AuthenticatorKey, problem: CodeRefusal?) async throws -> CodeAnswer {
            keys.append(key)
            problems += problem == nil ? 0 : 1
            // The user asks for another key, mistypes the code, and types it again.
            if keys.count == 1 { return .anotherCode }
            if keys.count == 2 { return .code("000000") }
            return .code(tenant.code(of: try #require(TestAuthenticator(key))))
        }
    }

    @Test("A conversation shows the key, another one on demand, and asks again after a wrong code")
    func conversation() async throws {
        let tenant = try tenant()
        let prompts = Prompts(tenant)
        let account = try await client(tenant).signIn(username: dana, password: goodPassword, asking: prompts)
        #expect(account.username == dana)
        let keys = await prompts.keys
        #expect(keys.count == 3 && keys[0] != keys[1] && keys[1] == keys[2])
        #expect(await prompts.problems == 1)
    }
}
