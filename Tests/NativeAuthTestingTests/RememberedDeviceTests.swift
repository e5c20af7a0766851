import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

/// A device on which the second factor is left out, through the SDK.
@Suite("Remembered devices: the SDK", .timeLimit(.minutes(1)))
struct RememberedDeviceTests {
    private struct Unexpected: Error {}

    private func tenant(days: Int? = 30) throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = [.emailPassword]
            settings.users = [.init(dana, password: goodPassword)]
            settings.rememberedDeviceDays = days
            settings.levels = [.init(.mailed, applications: [TestTenant.Application.emailPassword.clientID])]
        }
    }

    /// Each installation of the app has a cache of its own.
    private func client(_ tenant: TestTenant, _ cache: InMemoryTokenCache = InMemoryTokenCache()) -> NativeAuthClient {
        var configuration = tenant.configuration()
        configuration.tokenCache = cache
        return NativeAuthClient(configuration)
    }

    private func code(_ tenant: TestTenant, _ client: NativeAuthClient) async throws -> MFACodeRequired {
        guard case .mfaRequired(let choice) = try await client.signIn(username: dana, password: goodPassword) else {
            throw Unexpected()
        }
        let method = try #require(choice.info.first)
        guard case .next(let code) = try await choice.requestCode(by: method) else { throw Unexpected() }
        return code
    }

    /// The user's own mailbox as a second factor, registered in the first sign-in.
    private func register(_ tenant: TestTenant, _ client: NativeAuthClient) async throws {
        guard
            case .registrationRequired(let step) = try await client.signIn(username: dana, password: goodPassword)
        else { throw Unexpected() }
        let method = try #require(step.info.first)
        guard
            case .next(.codeRequired(let code)) = try await step.requestCode(to: "dana.private@example.org", by: method),
            case .next = try await code.submit(code: tenant.mailbox.code(for: "dana.private@example.org"))
        else { throw Unexpected() }
    }

    @Test("A device that the user had remembered is not asked for a code, until the account forgets it")
    func remembered() async throws {
        let tenant = try tenant()
        let client = client(tenant)
        try await register(tenant, client)
        let step = try await code(tenant, client)
        #expect(step.info.code.rememberableFor == 30 * 86_400)
        guard case .retry(let again, .incorrectCode) = try await step.submit(code: "000000", rememberingDevice: true),
            case .next(let account) = try await again.submit(
                code: tenant.mailbox.code(for: "dana.private@example.org"), rememberingDevice: true)
        else { throw Unexpected() }
        // A sign-out leaves it.
        client.signOut(account)
        guard case .completed(let same) = try await client.signIn(username: dana, password: goodPassword) else {
            throw Unexpected()
        }
        let devices = try await same.rememberedDevices()
        let device = try #require(devices.first)
        #expect(devices.count == 1 && device.applicationID == TestTenant.Application.emailPassword.clientID)
        #expect(device.deviceModel == "Linux" || device.deviceModel != nil)
        #expect(
            device.lastUsedAt == tenant.clock.now && device.endsAt == device.createdAt?.addingTimeInterval(30 * 86_400))
        // Another installation is another device.
        _ = try await code(tenant, self.client(tenant))
        try await same.forget(device)
        do {
            try await same.forget(device)
            Issue.record("a device is forgotten twice")
        } catch {
            guard case .notFound = error else { throw error }
        }
        _ = try await code(tenant, client)
    }

    @Test("A code that is submitted as usual has no device remembered, and no key made")
    func notRemembered() async throws {
        let tenant = try tenant()
        let cache = InMemoryTokenCache()
        let client = client(tenant, cache)
        try await register(tenant, client)
        guard
            case .next = try await code(tenant, client).submit(
                code: tenant.mailbox.code(for: "dana.private@example.org"))
        else { throw Unexpected() }
        _ = try await code(tenant, client)
    }

    @Test("A tenant that remembers no devices is asked for nothing new")
    func notOffered() async throws {
        let tenant = try tenant(days: nil)
        let client = client(tenant)
        try await register(tenant, client)
        let step = try await code(tenant, client)
        #expect(step.info.code.rememberableFor == nil)
        guard
            case .next = try await step.submit(
                code: tenant.mailbox.code(for: "dana.private@example.org"), rememberingDevice: true)
        else { throw Unexpected() }
        _ = try await code(tenant, client)
        #expect(throws: TestTenantError.self) { try TestTenant { $0.rememberedDeviceDays = 31 } }
    }

    /// A user who has the device remembered where that is offered.
    private final class Prompts: FlowPrompts {
        let tenant: TestTenant
        @MainActor var questions = 0

        init(_ tenant: TestTenant) { self.tenant = tenant }

        func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
            questions += 1
            let code = try await tenant.mailbox.code(for: "dana.private@example.org")
            return sent.rememberableFor == nil ? .code(code) : .codeRememberingDevice(code)
        }

        func contact(for method: AuthMethod, problem: MethodRefusal?) async throws -> ContactAnswer {
            .contact("dana.private@example.org")
        }
    }

    @Test("A conversation asks for the code once")
    func conversation() async throws {
        let tenant = try tenant()
        let client = client(tenant)
        try await register(tenant, client)
        let prompts = Prompts(tenant)
        for _ in 0..<3 { _ = try await client.signIn(username: dana, password: goodPassword, asking: prompts) }
        #expect(await prompts.questions == 1)
    }
}
