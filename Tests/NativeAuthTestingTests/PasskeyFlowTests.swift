import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

/// Passkeys through the SDK, against the server in this process, with a device in software.
@Suite("Passkeys: the SDK", .timeLimit(.minutes(1)))
struct PasskeyFlowTests {
    private static let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#

    private struct Unexpected: Error {}

    private func tenant(_ adjust: (inout TestTenant.Settings) -> Void = { _ in }) throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = [.emailPassword]
            settings.users = [.init(dana, password: goodPassword)]
            settings.passkeys = true
            adjust(&settings)
        }
    }

    /// A client whose configuration has passkeys.
    private func client(_ tenant: TestTenant) -> NativeAuthClient {
        var configuration = tenant.configuration()
        configuration.challengeTypes.insert(.passkey)
        return NativeAuthClient(configuration)
    }

    private func account(_ client: NativeAuthClient) async throws -> Account {
        guard case .completed(let account) = try await client.signIn(username: dana, password: goodPassword) else {
            throw Unexpected()
        }
        return account
    }

    /// Adds a passkey, with the code of the own mailbox first.
    private func add(_ device: SoftPasskeys, to account: Account, _ tenant: TestTenant) async throws {
        guard case .codeRequired(let first) = try await account.addPasskey() else { throw Unexpected() }
        let key = ResumeKey()
        let kept: PasskeyMailboxCodeRequired = try account.client.resume(try first.saved(with: key), with: key)
        #expect(kept.info.channel == "email" && kept.info.length == 8)
        guard case .next(let offered) = try await kept.submit(code: tenant.mailbox.code(for: dana)) else {
            throw Unexpected()
        }
        var step: NewPasskeyRequired = try account.client.resume(try offered.saved(with: key), with: key)
        // What the device refuses leaves the step usable, with new options where the old ones are spent.
        device.whenAsked = .cancel
        guard case .retry(let again, .device(.cancelled, _)) = try await step.create(with: device) else {
            throw Unexpected()
        }
        device.whenAsked = .agree
        device.lies = [.wrongRelyingParty]
        guard case .retry(let third, .notAccepted) = try await again.create(with: device) else { throw Unexpected() }
        device.lies = []
        device.removeAll()
        step = third
        guard case .next = try await step.create(with: device, name: "Phone") else { throw Unexpected() }
    }

    @Test("An app adds a passkey by its steps, and signs its user in without a name")
    func signIn() async throws {
        let (tenant, device) = (try tenant(), SoftPasskeys())
        let account = try await account(client(tenant))
        try await add(device, to: account, tenant)
        let method = try #require(try await account.methods().last)
        #expect(method.kind == .passkey && method.name == "Phone" && method.maskedAddress == nil)
        #expect(try await tenant.mailbox.mails(for: dana).first?.purpose == .methodRegistered)

        let other = client(tenant)
        guard case .completed(let signedIn) = try await other.signIn(with: device) else { throw Unexpected() }
        #expect(signedIn.username == dana && signedIn.homeAccountID == account.homeAccountID)
        // It is proof enough for everything.
        try await signedIn.rename(method, to: "Old phone")
        try await signedIn.remove(try #require(try await signedIn.methods().last))
        #expect(try await signedIn.methods().map(\.kind) == [.password])
        do {
            _ = try await other.signIn(with: device)
            Issue.record("a removed passkey signed its user in")
        } catch {
            guard case .notAccepted(let unknown, _) = error else { throw error }
            #expect(unknown == device.credentialIDs.first)
        }
    }

    @Test("SEC-PK-18: After a sign-up with a password the device makes a passkey silently, once, or declines")
    func upgrade() async throws {
        let tenant = try tenant { $0.users = [] }
        let client = client(tenant)
        let signUp = try await client.startSignUp(username: dana, password: goodPassword)
        let account = try await signUp.submit(code: tenant.mailbox.code(for: dana)).done
            .signIn(scopes: ["User.Read", "User.ReadWrite"]).account
        tenant.clock.advance(by: .seconds(30))
        let device = SoftPasskeys()
        // A password manager that declines, and an authenticator that knows no such style.
        device.whenAsked = .cancel
        #expect(try await account.upgradeToPasskey(with: device) == nil)
        #expect(try await account.upgradeToPasskey(with: Plain(device: device)) == nil)
        device.whenAsked = .agree
        let made = try #require(try await account.upgradeToPasskey(with: device, name: "Phone"))
        #expect(device.credentialIDs == [made.credentialID])
        #expect(try await account.methods().compactMap(\.name) == ["Phone"])
        // The device has it, and after five minutes the server makes none.
        #expect(try await account.upgradeToPasskey(with: device) == nil)
        device.removeAll()
        tenant.clock.advance(by: .seconds(301))
        #expect(try await account.upgradeToPasskey(with: device) == nil)
        #expect(device.credentialIDs.isEmpty)
    }

    /// An authenticator of an earlier version.
    private struct Plain: PasskeyAuthenticator {
        let device: SoftPasskeys
        func create(_ options: PasskeyCreation) async throws(PasskeyError) -> PasskeyRegistration {
            Issue.record("nothing may be shown")
            throw .cancelled
        }
        func get(_ options: PasskeyRequest, style: PasskeyStyle) async throws(PasskeyError) -> PasskeyAssertion {
            try await device.get(options, style: style)
        }
    }

    @Test("SEC-PK-18: With the password alone, and without passkeys, the upgrade makes nothing and says nothing")
    func noUpgrade() async throws {
        let device = SoftPasskeys()
        for hasPasskeys in [true, false] {
            let tenant = try tenant { $0.passkeys = hasPasskeys }
            #expect(try await account(client(tenant)).upgradeToPasskey(with: device) == nil)
        }
        #expect(device.credentialIDs.isEmpty)
    }

    @Test("An application that demands passkeys: the sign-in goes on after the code, and registers one")
    func demanded() async throws {
        let device = SoftPasskeys()
        let tenant = try tenant { $0.applications[0].requiresPasskey = true }
        let client = client(tenant)
        guard case .mfaRequired(let mailbox) = try await client.signIn(username: dana, password: goodPassword) else {
            throw Unexpected()
        }
        #expect(mailbox.info.map(\.channel) == ["email"])
        let method = try #require(mailbox.info.first)
        guard case .next(let code) = try await mailbox.requestCode(by: method),
            case .next(.registrationRequired(let step)) = try await code.prove(code: tenant.mailbox.code(for: dana))
        else { throw Unexpected() }
        #expect(step.info.map(\.isPasskey) == [true])
        // The step survives what the device and the server refuse, and the end of the app.
        device.whenAsked = .cancel
        guard case .retry(let again, .device(.cancelled, _)) = try await step.register(with: device) else {
            throw Unexpected()
        }
        device.whenAsked = .agree
        device.lies = [.wrongRelyingParty]
        guard case .retry(let third, .notAccepted) = try await again.register(with: device) else { throw Unexpected() }
        (device.lies, _) = ([], device.removeAll())
        let key = ResumeKey()
        let kept: RegistrationRequired = try client.resume(try third.saved(with: key), with: key)
        guard case .completed(let account) = try await kept.register(with: device) else { throw Unexpected() }
        #expect(account.username == dana)
        #expect(try await account.methods().map(\.kind).contains(.passkey))
        guard case .completed = try await self.client(tenant).signIn(with: device) else { throw Unexpected() }
        // An app without the word, and one that takes the old way, are told.
        do {
            _ = try await NativeAuthClient(tenant.configuration()).signIn(username: dana, password: goodPassword)
            Issue.record("a sign-in without a passkey")
        } catch {
            guard case .browserRequired = error else { throw error }
        }
    }

    @Test("A conversation proves the mailbox, and lets the device make the passkey")
    func demandedInAConversation() async throws {
        let tenant = try tenant { $0.applications[0].requiresPasskey = true }
        let device = SoftPasskeys()
        let account = try await client(tenant).signIn(
            username: dana, password: goodPassword, asking: Prompts(tenant: tenant, device: device))
        #expect(account.username == dana && device.credentialIDs.count == 1)
    }

    /// A user who reads mails, and has a device.
    private struct Prompts: FlowPrompts {
        var tenant: TestTenant
        var device: SoftPasskeys

        func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
            .code(try await tenant.mailbox.code(for: dana))
        }

        func passkeys() async throws -> any PasskeyAuthenticator { device }
    }

    @Test("A device that does not sign, and one that lies, sign no user in")
    func refusals() async throws {
        let (tenant, device) = (try tenant(), SoftPasskeys())
        let client = client(tenant)
        func error() async -> PasskeySignInError? {
            do {
                _ = try await client.signIn(with: device)
                return nil
            } catch {
                return error
            }
        }
        guard case .device(.noPasskeyHere, _)? = await error() else { throw Unexpected() }
        try await add(device, to: try await account(client), tenant)
        device.whenAsked = .cancel
        guard case .device(.cancelled, _)? = await error() else { throw Unexpected() }
        device.whenAsked = .agree
        for lie in SoftPasskeys.Lie.allCases {
            device.lies = [lie]
            guard case .notAccepted(nil, _)? = await error() else { throw Unexpected() }
        }
        device.lies = []
        device.isUserVerified = false
        guard case .notAccepted(nil, _)? = await error() else { throw Unexpected() }
        device.isUserVerified = true
        #expect(await error() == nil)
        let without = try self.tenant { $0.passkeys = false }
        do {
            _ = try await self.client(without).signIn(with: device)
            Issue.record("a tenant without passkeys began")
        } catch {
            guard case .signIn = error else { throw error }
        }
    }

    @Test("A passkey is a second factor: an app chooses it, tries again, and is signed in")
    func secondFactor() async throws {
        let (tenant, device) = (try tenant(), SoftPasskeys())
        let client = client(tenant)
        try await add(device, to: try await account(client), tenant)
        let start = try await client.signIn(username: dana, password: goodPassword, claims: Self.claims)
        guard case .mfaRequired(let first) = start else { throw Unexpected() }
        #expect(first.info.map(\.isPasskey) == [true] && first.info.first?.loginHint == "Phone")
        device.lies = [.badSignature]
        guard case .retry(let second, .notAccepted) = try await first.verify(with: device) else { throw Unexpected() }
        device.lies = []
        device.whenAsked = .cancel
        guard case .retry(let third, .device(.cancelled, _)) = try await second.verify(with: device) else {
            throw Unexpected()
        }
        device.whenAsked = .agree
        guard case .completed(let account) = try await third.verify(with: device) else { throw Unexpected() }
        #expect(account.username == dana)
        // An app that does not know passkeys is sent to the web, where they are.
        do {
            _ = try await tenant.client.signIn(username: dana, password: goodPassword, claims: Self.claims)
            Issue.record("a plain client went on")
        } catch {
            guard case .browserRequired = error else { throw error }
        }
    }

    @Test("A conversation asks for the device when the user chooses a passkey")
    func conversation() async throws {
        let (tenant, device) = (try tenant(), SoftPasskeys())
        let client = client(tenant)
        try await add(device, to: try await account(client), tenant)
        let account = try await client.signIn(
            username: dana, password: goodPassword, claims: Self.claims, asking: DevicePrompts(device: device))
        #expect(account.username == dana)
    }

    @Test("A call that wants a fresh proof gets it from a passkey")
    func freshProof() async throws {
        let (tenant, device) = (try tenant(), SoftPasskeys())
        let client = client(tenant)
        let account = try await account(client)
        try await add(device, to: account, tenant)
        tenant.clock.advance(by: .seconds(700))
        do {
            _ = try await account.delete()
            Issue.record("an old session deleted the account")
        } catch {
            guard case .proofRequired(let demand, _) = error else { throw error }
            guard case .completed = try await account.signInAgain(for: demand, with: device) else { throw Unexpected() }
            _ = try await account.delete()
        }
    }
}

/// Gives the device, and is asked for nothing else.
private struct DevicePrompts: FlowPrompts {
    let device: SoftPasskeys

    func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
        Issue.record("a code is asked for")
        return .code("")
    }

    func passkeys() async throws -> any PasskeyAuthenticator { device }
}
