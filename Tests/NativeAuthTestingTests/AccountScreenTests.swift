import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

/// What an app's account screen does, through the SDK, against the server in this process.
@Suite("Account: changes", .timeLimit(.minutes(1)))
struct AccountScreenTests {
    private static let newAddress = "dana@new.example"
    private static let newPassword = "Sol-og-Regn#2027"

    private func tenant(
        _ application: TestTenant.Application = .emailPassword, _ adjust: (inout TestTenant.Settings) -> Void = { _ in }
    ) throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = [application]
            settings.users = [
                .init(
                    dana, password: application == .emailPassword ? goodPassword : nil,
                    attributes: ["displayName": "Dana"], sessions: 2)
            ]
            adjust(&settings)
        }
    }

    private func account(of tenant: TestTenant) async throws -> Account {
        try await tenant.client.startSignIn(username: dana, password: goodPassword).account
    }

    /// Signs in with a code.
    private func accountByCode(of tenant: TestTenant) async throws -> Account {
        try await byCode(try await tenant.client.signIn(username: dana), tenant)
    }

    private func byCode(_ step: consuming SignInStep, _ tenant: TestTenant) async throws -> Account {
        switch consume step {
        case .codeRequired(let required):
            switch try await required.submit(code: try await tenant.mailbox.code(for: dana)) {
            case .next(.completed(let account)): return account
            case .next: throw Unexpected()
            case .retry: throw Unexpected()
            }
        case .completed(let account): return account
        case .passwordRequired: throw Unexpected()
        case .mfaRequired: throw Unexpected()
        case .registrationRequired: throw Unexpected()
        }
    }

    private struct Unexpected: Error {}

    private func expectError(
        _ body: () async throws -> Void, _ location: SourceLocation = #_sourceLocation,
        matches: @escaping (AccountError) -> Bool
    ) async {
        await #expect(sourceLocation: location) {
            try await body()
        } throws: { error in
            (error as? AccountError).map(matches) ?? false
        }
    }

    @Test func sessionsAreListedAndEnded() async throws {
        let tenant = try tenant()
        let account = try await account(of: tenant)
        let sessions = try await account.sessions()
        #expect(sessions.count == 3 && sessions.count { $0.isCurrent } == 1)
        let current = try #require(sessions.first { $0.isCurrent })
        #expect(current.deviceModel == "Linux" && current.createdAt == tenant.clock.now)
        #expect(current.applicationID == TestTenant.Application.emailPassword.clientID)
        let other = try #require(sessions.first { !$0.isCurrent })
        try await account.end(other)
        #expect(try await tenant.storedUser(dana)?.sessions == 2)
        await expectError({ try await account.end(other) }, matches: { if case .notFound = $0 { true } else { false } })
        try await account.endOtherSessions()
        #expect(try await account.sessions().map(\.isCurrent) == [true])
        try await account.endAllSessions()
        #expect(try await tenant.storedUser(dana)?.sessions == 0)
        await expectError(
            { _ = try await account.sessions() }, matches: { if case .signInRequired = $0 { true } else { false } })
    }

    @Test func aPasswordIsChangedAndTheSessionContinues() async throws {
        let tenant = try tenant()
        let account = try await account(of: tenant)
        await expectError(
            { try await account.changePassword(from: "wrong", to: Self.newPassword) },
            matches: { if case .incorrectPassword = $0 { true } else { false } })
        await expectError(
            { try await account.changePassword(from: goodPassword, to: "short") },
            matches: { if case .invalidPassword(.tooShort, _) = $0 { true } else { false } })
        try await account.changePassword(from: goodPassword, to: Self.newPassword, keepsOtherSessions: true)
        #expect(try await tenant.storedUser(dana)?.sessions == 3)
        tenant.clock.advance(by: .seconds(1))
        try await account.changePassword(from: Self.newPassword, to: "Vind-og-Vejr#2028")
        #expect(try await tenant.storedUser(dana)?.sessions == 1)
        #expect(try await account.profile().displayName == "Dana", "this session continues")
        _ = try await account.accessToken(policy: .force)
        #expect(try await tenant.mailbox.mails(for: dana).map(\.purpose) == [.passwordChanged, .passwordChanged])
    }

    @Test func anAddressIsChangedAndTakenBack() async throws {
        let tenant = try tenant(.emailOneTimePasscode)
        let account = try await accountByCode(of: tenant)
        let step = try await account.changeEmail(to: Self.newAddress)
        #expect(step.info.length == 8 && step.info.channel == "email")
        let kept = step.kept()
        guard let taken = kept.take() else { throw Unexpected() }
        switch try await taken.submit(code: "00000000") {
        case .next: Issue.record("a wrong code was accepted")
        case .retry(let again, let refusal):
            guard case .incorrectCode(attempts: 1, _) = refusal else { throw refusal }
            switch try await again.submit(code: try await tenant.mailbox.code(for: Self.newAddress)) {
            case .next(.completed): break
            case .next(.codeRequired): throw Unexpected()
            case .retry: throw Unexpected()
            }
        }
        #expect(try await tenant.storedUser(Self.newAddress)?.id == account.objectID)
        #expect(tenant.client.accounts().isEmpty, "another client has another cache")
        #expect(account.client.currentAccount()?.username == Self.newAddress, "the cache knows the new name")
        #expect(try await account.profile(selecting: ["mail"]).email == Self.newAddress)

        let undo = try await tenant.mailbox.code(for: dana)
        let client = tenant.client
        await expectError(
            { try await client.undoEmailChange(code: "123") },
            matches: { if case .incorrectCode = $0 { true } else { false } })
        try await client.undoEmailChange(code: undo)
        #expect(try await tenant.storedUser(dana)?.id == account.objectID)
        await expectError(
            { _ = try await account.profile() }, matches: { if case .signInRequired = $0 { true } else { false } })
    }

    @Test func withAPasswordBothMailboxesAreProven() async throws {
        let tenant = try tenant()
        let account = try await account(of: tenant)
        let own = try await account.changeEmail(to: Self.newAddress)
        let saved = try own.saved(with: ResumeKey())
        _ = saved
        switch try await own.submit(code: try await tenant.mailbox.code(for: dana)) {
        case .next(.codeRequired(let new)):
            switch try await new.submit(code: try await tenant.mailbox.code(for: Self.newAddress)) {
            case .next(.completed): break
            case .next(.codeRequired): throw Unexpected()
            case .retry: throw Unexpected()
            }
        case .next(.completed): throw Unexpected()
        case .retry: throw Unexpected()
        }
        #expect(try await tenant.storedUser(Self.newAddress) != nil)
    }

    @Test func aStepOfAChangeIsSavedAndResumed() async throws {
        let tenant = try tenant()
        let account = try await account(of: tenant)
        let key = ResumeKey()
        let saved = try (try await account.addMethod(email: "dana@home.example")).saved(with: key)
        let step: ContactCodeRequired = try account.client.resume(saved, with: key)
        switch try await step.submit(code: try await tenant.mailbox.code(for: "dana@home.example")) {
        case .next(.completed): break
        case .next(.codeRequired): throw Unexpected()
        case .retry: throw Unexpected()
        }
        #expect(try await tenant.storedUser(dana)?.secondFactors == ["dana@home.example"])
        let method = try #require(try await account.methods().last)
        #expect(method.kind == .email && method.maskedAddress != "dana@home.example" && !method.isSuspended)
        try await account.rename(method, to: "Home")
        #expect(try await account.methods().last?.name == "Home")
        try await account.rename(method, to: nil)
        #expect(try await account.methods().last?.name == nil)
    }

    @Test("SEC-TOTP-9: an app adds an authenticator app by its steps, and signs the user in with it")
    func anAuthenticatorApp() async throws {
        let tenant = try tenant()
        let account = try await account(of: tenant)
        // The mailbox was proven, or a test's tenant lets the password alone add it.
        guard case .keyRequired(let offered) = try await account.addAuthenticatorApp() else { throw Unexpected() }
        let key = ResumeKey()
        let step: AuthenticatorAppRequired = try account.client.resume(try offered.saved(with: key), with: key)
        #expect("\(step.info)" == "AuthenticatorKey(6 digits)" && step.info.url.scheme == "otpauth")
        let app = try #require(TestAuthenticator(step.info))
        switch try await step.submit(code: "000000") {
        case .next: Issue.record("a wrong code was accepted")
        case .retry(let again, let refusal):
            guard case .incorrectCode(attempts: 1, _) = refusal else { throw refusal }
            switch try await again.submit(code: tenant.code(of: app)) {
            case .next: break
            case .retry: throw Unexpected()
            }
        }
        let method = try #require(try await account.methods().last)
        #expect(method.kind == .authenticatorApp && method.maskedAddress == nil)
        try await account.rename(method, to: "Phone")
        tenant.clock.advance(by: .seconds(31))
        #expect(try await tenant.mailbox.mails(for: dana).first?.purpose == .methodRegistered)

        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        let start = try await tenant.client.signIn(username: dana, password: goodPassword, claims: claims)
        guard case .mfaRequired(let required) = start else { throw Unexpected() }
        let methods = required.info
        #expect(methods.map(\.channel) == ["totp"] && methods.first?.loginHint == "Phone")
        guard case .next(let sent) = try await required.requestCode(by: methods[0]) else { throw Unexpected() }
        #expect(sent.info.code.channel == "totp" && sent.info.code.length == 6 && sent.info.code.resendInterval == nil)
        guard case .next(let strong) = try await sent.submit(code: tenant.code(of: app)) else { throw Unexpected() }
        try await strong.remove(try #require(try await strong.methods().last))
        #expect(try await strong.methods().map(\.kind) == [.password])
    }

    @Test("A user that a tenant begins with has an authenticator app")
    func aUserWithAnApp() async throws {
        let app = TestAuthenticator(named: "dana")
        let tenant = try tenant {
            $0.users[0].authenticatorApp = app
            $0.applications[0].requiresSecondFactor = true
        }
        let start = try await tenant.client.signIn(username: dana, password: goodPassword)
        guard case .mfaRequired(let required) = start else { throw Unexpected() }
        let method = try #require(required.info.first)
        guard case .next(let sent) = try await required.requestCode(by: method),
            case .next(let account) = try await sent.submit(code: tenant.code(of: app))
        else { throw Unexpected() }
        #expect(account.username == dana)
    }

    @Test func aUserWithoutAPasswordAddsNoMethod() async throws {
        let tenant = try tenant(.emailOneTimePasscode)
        let account = try await accountByCode(of: tenant)
        for call in [
            { _ = try await account.addMethod(email: "dana@home.example") },
            { try await account.changePassword(from: nil, to: Self.newPassword) },
        ] as [() async throws -> Void] {
            await expectError(call, matches: { if case .notAllowed(nil, _) = $0 { true } else { false } })
        }
        #expect(try await account.methods().isEmpty)
    }

    @Test func anOldSignInIsRenewedByAProof() async throws {
        let tenant = try tenant(.emailOneTimePasscode)
        let account = try await accountByCode(of: tenant)
        tenant.clock.advance(by: .seconds(601))
        var demand: ProofDemand?
        do throws(AccountError) {
            _ = try await account.delete()
        } catch {
            if case .proofRequired(let asked, _) = error { demand = asked }
        }
        let proof = try #require(demand)
        #expect(!proof.needsSecondFactor)
        _ = try await byCode(try await account.signInAgain(for: proof), tenant)
        #expect(account.client.accounts().count == 1)
        #expect(try await account.delete() == .deleted)
        #expect(try await tenant.storedUser(dana) == nil)
        #expect(account.client.currentAccount() == nil)
    }

    @Test func theProofOfAnAccountWithASecondFactorHasBoth() async throws {
        let tenant = try tenant { $0.users[0].secondFactors = ["dana@home.example"] }
        let account = try await account(of: tenant)
        let method = try #require(try await account.methods().first { $0.kind == .email })
        var demand: ProofDemand?
        do throws(AccountError) {
            try await account.remove(method)
        } catch {
            if case .proofRequired(let asked, _) = error { demand = asked }
        }
        let proof = try #require(demand)
        #expect(proof.needsSecondFactor)
        guard case .mfaRequired(let required) = try await account.signInAgain(for: proof, password: goodPassword) else {
            throw Unexpected()
        }
        let choice = try #require(required.info.first)
        guard case .next(let code) = try await required.requestCode(by: choice),
            case .next = try await code.submit(code: try await tenant.mailbox.code(for: "dana@home.example"))
        else { throw Unexpected() }
        try await account.remove(method)
        #expect(try await tenant.storedUser(dana)?.secondFactors == [])
    }

    @Test func deletionIsToldAndLeavesNothing() async throws {
        let tenant = try tenant()
        let account = try await account(of: tenant)
        var changes = account.client.sessionChanges.makeAsyncIterator()
        #expect(try await account.delete() == .deleted)
        #expect(try await tenant.storedUser(dana) == nil)
        var isTold = false
        while !isTold, let change = await changes.next() {
            if case .signedOut(account.homeAccountID) = change { isTold = true }
        }
        #expect(isTold)
        #expect(try await tenant.mailbox.mails(for: dana).first?.purpose == .accountDeleted)
    }

    @Test func anAnswerThatIsLostDoesNotHideADeletion() async throws {
        let tenant = try tenant()
        let account = try await account(of: tenant)
        _ = try await account.profile()
        tenant.faults.next(.loseReply(.afterCommit))
        #expect(try await account.delete() == .deleted, "the second request finds it done")
    }

    @Test func aDeletionWithAGraceIsTakenBack() async throws {
        let tenant = try tenant(.emailOneTimePasscode) { $0.deletionGraceDays = 14 }
        let due = tenant.clock.now.addingTimeInterval(14 * 86_400)
        let account = try await accountByCode(of: tenant)
        #expect(try await account.delete() == .scheduled(due))
        #expect(account.client.currentAccount() == nil)
        let notice = try await tenant.mailbox.mails(for: dana).first
        #expect(notice?.purpose == .deletionScheduled && notice?.minutesValid == 14 * 24 * 60)
        let again = try await accountByCode(of: tenant)
        #expect(try await again.profile(selecting: ["nativeAuthDeletionDueDateTime"]).deletionDueAt == due)
        try await again.keep()
        #expect(try await tenant.storedUser(dana)?.deletionDueAt == nil)
    }

    @Test func aCopyOfTheDataIsOneDocument() async throws {
        let account = try await account(of: tenant())
        let copy = try JSONDecoder().decode([String: JSONValue].self, from: try await account.export())
        #expect(
            Set(copy.keys) == [
                "user", "methods", "sessions", "rememberedDevices", "earlierAddresses", "groups", "allowedApplications",
                "activity",
            ])
        guard case .object(let user) = copy["user"] else { throw Unexpected() }
        #expect(user["displayName"]?.string == "Dana")
    }
}
