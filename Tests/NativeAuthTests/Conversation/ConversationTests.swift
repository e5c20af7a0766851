import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import Testing

private let dana = "dana@example.com"
private let home = "dana@home.example"
private let work = "dana@work.example"
private let password = "Tulip-Harbour-42"
private let otherPassword = "Lighthouse-Ferry-17"
private let attributesApplication = TestTenant.Application(
    clientID: "33334444-dddd-5555-eeee-6666ffff7777", userFlow: .emailPassword,
    attributes: [.required("country"), .required("postalCode", regex: "[0-9]{4}")])

/// One call for each flow, against the server in this process.
@Suite("Conversation", .timeLimit(.minutes(1)))
struct ConversationTests {
    private func client(_ tenant: TestTenant) -> NativeAuthClient {
        NativeAuthClient(tenant.configuration())
    }

    /// A tenant with a user who has a password.
    private func passwordTenant(_ adjust: (inout TestTenant.Settings) -> Void = { _ in }) throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = [.emailPassword]
            settings.users = [.init(dana, password: password)]
            adjust(&settings)
        }
    }

    private func account(_ end: ConversationEnd) throws -> Account {
        switch end {
        case .signedIn(let account): return account
        case .signInRequired(let error): throw error
        }
    }

    // MARK: Sign-up

    /// Prompts of an app that needs only codes.
    private struct OnlyCodes: FlowPrompts {
        let tenant: TestTenant

        func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
            .code(try await tenant.mailbox.code(for: dana))
        }
    }

    @Test func aCodeIsEnoughToSignUpAndIn() async throws {
        let tenant = try TestTenant()
        let client = client(tenant)
        let end = try await client.signUp(username: dana, asking: OnlyCodes(tenant: tenant))
        #expect(try account(end).username == dana)
        #expect(client.currentAccount()?.username == dana)
        let other = try await self.client(tenant).signIn(username: dana, asking: OnlyCodes(tenant: tenant))
        #expect(other.username == dana)
    }

    @Test func eachQuestionIsAskedAgainWithWhatWasWrong() async throws {
        let tenant = try TestTenant { $0.applications = [attributesApplication] }
        let prompts = ScriptedPrompts(tenant) {
            $0.codes = [.typed("00000000"), .typed(""), .mailed(to: dana)]
            $0.newPasswords = ["short", "", password]
            $0.attributes = [
                ["country": "Danmark"], ["country": "Danmark", "postalCode": "north"],
                ["country": "Danmark", "postalCode": "6760"],
            ]
        }
        let account = try account(try await client(tenant).signUp(username: dana, asking: prompts))
        #expect(
            prompts.asked == [
                "code", "code: incorrectCode 1", "code: incorrectCode 2", "newPassword", "newPassword: tooShort",
                "newPassword: empty", "attributes country,postalCode", "attributes postalCode: postalCode",
                "attributes postalCode: postalCode",
            ])
        let profile = try await account.profile(selecting: ["country", "postalCode"])
        #expect(profile.members["postalCode"]?.string == "6760")
    }

    @Test func whatTheAppKnowsIsNotAskedFor() async throws {
        let tenant = try TestTenant { $0.applications = [attributesApplication] }
        let prompts = ScriptedPrompts(tenant) { $0.codes = [.mailed(to: dana)] }
        let end = try await client(tenant).signUp(
            username: dana, password: password, attributes: ["country": "Danmark", "postalCode": "6760"],
            asking: prompts)
        #expect(try account(end).username == dana)
        #expect(prompts.asked == ["code"])
    }

    @Test func anotherCodeIsSent() async throws {
        let tenant = try TestTenant()
        let prompts = ScriptedPrompts(tenant) { $0.codes = [.another, .anotherMethod, .mailed(to: dana)] }
        _ = try account(try await client(tenant).signUp(username: dana, asking: prompts))
        #expect(try await tenant.mailbox.mails(for: dana).filter { $0.code != nil }.count == 3)
        #expect(prompts.asked == ["code", "code", "code"])
    }

    @Test func aServerOutOfReachIsAProblemOfTheSameQuestion() async throws {
        let tenant = try TestTenant()
        tenant.faults.next(.offline, at: .signUpContinue)
        tenant.faults.next(.throttle(retryAfter: 7), at: .signUpContinue)
        let prompts = ScriptedPrompts(tenant) {
            $0.codes = [.typed("00000000"), .typed("00000000"), .mailed(to: dana)]
        }
        _ = try account(try await client(tenant).signUp(username: dana, asking: prompts))
        #expect(prompts.asked == ["code", "code: unreachable", "code: throttled"])
        #expect(tenant.faults.outstanding == 0)
    }

    @Test func aFlowThatDoesNotBeginAsksNothing() async throws {
        let tenant = try passwordTenant()
        let prompts = ScriptedPrompts(tenant) { _ in }
        tenant.faults.next(.offline, at: .signInInitiate)
        await #expect {
            try await client(tenant).signIn(username: dana, asking: prompts)
        } throws: {
            if case SignInError.service(.unreachable) = $0 { true } else { false }
        }
        await #expect {
            try await client(tenant).resetPassword(username: "erik@example.com", asking: prompts)
        } throws: {
            if case ResetPasswordError.userNotFound = $0 { true } else { false }
        }
        #expect(prompts.asked.isEmpty)
    }

    @Test func anAccountWithoutATokenForTheSignInIsNotAnError() async throws {
        let tenant = try TestTenant()
        tenant.faults.next(.reply(TransportResponse(status: 200, body: Data("{}".utf8))), at: .signUpContinue)
        let prompts = ScriptedPrompts(tenant) { $0.codes = [.typed("1")] }
        guard case .signInRequired(.notAvailable) = try await client(tenant).signUp(username: dana, asking: prompts)
        else {
            Issue.record("The server gave no token.")
            return
        }
    }

    // MARK: Sign-in

    @Test func aSignInAsksForThePasswordUntilItIsRight() async throws {
        let tenant = try passwordTenant()
        let prompts = ScriptedPrompts(tenant) { $0.passwords = ["wrong", "", password] }
        let account = try await client(tenant).signIn(
            username: dana, scopes: ["api://orders/Orders.Read"], asking: prompts)
        #expect(account.username == dana)
        #expect(prompts.asked == ["password", "password: incorrectPassword 1", "password: incorrectPassword 2"])
    }

    @Test func aSecondFactorIsAskedFor() async throws {
        let tenant = try passwordTenant { settings in
            settings.applications[0].requiresSecondFactor = true
            settings.users[0].secondFactors = [home, work]
        }
        let prompts = ScriptedPrompts(tenant) {
            $0.passwords = [password]
            $0.methods = [0, 1]
            $0.beforeFirstMethod = {
                tenant.faults.next(
                    .vendorError(550_024, error: "access_denied", suberror: "provider_blocked_by_rep"),
                    at: .signInChallenge)
            }
            $0.codes = [.typed("00000000"), .another, .newest]
        }
        let account = try await client(tenant).signIn(username: dana, asking: prompts)
        #expect(account.username == dana)
        #expect(
            prompts.asked == ["password", "method", "method: blocked", "code", "code: incorrectCode 1", "code"])
    }

    @Test func anotherMethodIsChosen() async throws {
        let tenant = try passwordTenant { settings in
            settings.applications[0].requiresSecondFactor = true
            settings.users[0].secondFactors = [home, work]
        }
        let prompts = ScriptedPrompts(tenant) {
            $0.codes = [.anotherMethod, .newest]
            $0.methods = [0, 1]
        }
        let account = try await client(tenant).signIn(username: dana, password: password, asking: prompts)
        #expect(account.username == dana)
        #expect(prompts.asked == ["method", "code", "method", "code"])
        for address in [home, work] { #expect(try await tenant.mailbox.mails(for: address).count == 1) }
    }

    @Test func theOnlyMethodIsUsedWithoutAQuestion() async throws {
        struct HomeCodes: FlowPrompts {
            let tenant: TestTenant
            func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
                .code(try await tenant.mailbox.code(for: home))
            }
        }
        let tenant = try passwordTenant { settings in
            settings.applications[0].requiresSecondFactor = true
            settings.users[0].secondFactors = [home]
        }
        let client = client(tenant)
        _ = try await client.signIn(username: dana, password: password, asking: HomeCodes(tenant: tenant))
        #expect(client.currentAccount()?.username == dana)
    }

    @Test func aMethodIsRegistered() async throws {
        let tenant = try passwordTenant { $0.applications[0].requiresSecondFactor = true }
        let prompts = ScriptedPrompts(tenant) {
            $0.passwords = [password]
            $0.methods = [0, 0]
            $0.contacts = [.contact("no address"), .anotherMethod, .contact(home)]
            $0.codes = [.typed("00000000"), .another, .mailed(to: home)]
        }
        let account = try await client(tenant).signIn(username: dana, asking: prompts)
        #expect(account.username == dana)
        #expect(
            prompts.asked == [
                "password", "method", "contact", "contact: invalidContact", "method", "contact", "code",
                "code: incorrectCode 1", "code",
            ])
        #expect(try await account.methods().contains { $0.kind == .email })
    }

    @Test func aContactIsChosenAgainAfterItsCode() async throws {
        let tenant = try passwordTenant { $0.applications[0].requiresSecondFactor = true }
        let prompts = ScriptedPrompts(tenant) {
            $0.methods = [0, 0]
            $0.contacts = [.contact(work), .contact(home)]
            $0.codes = [.anotherMethod, .mailed(to: home)]
        }
        _ = try await client(tenant).signIn(username: dana, password: password, asking: prompts)
        #expect(prompts.asked == ["method", "contact", "code", "method", "contact", "code"])
    }

    @Test func aStepUpProvesTheUserAgain() async throws {
        let tenant = try passwordTenant()
        let client = client(tenant)
        let account = try await client.signIn(username: dana, password: password, asking: OnlyCodes(tenant: tenant))
        tenant.clock.advance(by: .seconds(3 * 3_600))
        let prompts = ScriptedPrompts(tenant) { $0.passwords = ["wrong", password] }
        do {
            _ = try await account.delete()
            Issue.record("An old proof is enough to delete the account.")
        } catch .proofRequired(let demand, _) {
            try await account.signInAgain(for: demand, asking: prompts)
        }
        #expect(prompts.asked == ["password", "password: incorrectPassword 1"])
        _ = try await account.delete()
    }

    @Test func aCallIsRepeatedWithItsProof() async throws {
        let tenant = try passwordTenant()
        let account = try await client(tenant).signIn(
            username: dana, password: password, asking: OnlyCodes(tenant: tenant))
        tenant.clock.advance(by: .seconds(3_600))
        let prompts = ScriptedPrompts(tenant) {
            $0.passwords = [password]
            $0.codes = [.typed("00000000"), .another, .mailed(to: dana), .mailed(to: home)]
        }
        try await account.withProof(asking: prompts) { () async throws(AccountError) in
            try await account.changeEmail(to: home, asking: prompts)
        }
        #expect(prompts.asked == ["password", "code", "code: incorrectCode 1", "code", "code"])
        #expect(try await tenant.storedUser(home) != nil && account.client.currentAccount()?.username == home)
    }

    @Test func aMethodIsAddedByAConversation() async throws {
        let tenant = try passwordTenant()
        let account = try await client(tenant).signIn(
            username: dana, password: password, asking: OnlyCodes(tenant: tenant))
        let prompts = ScriptedPrompts(tenant) { $0.codes = [.mailed(to: home)] }
        try await account.addMethod(email: home, asking: prompts)
        #expect(try await account.methods().map(\.kind) == [.password, .email])
    }

    @Test func withoutItsProofACallDoesNothing() async throws {
        let tenant = try passwordTenant()
        let account = try await client(tenant).signIn(
            username: dana, password: password, asking: OnlyCodes(tenant: tenant))
        tenant.clock.advance(by: .seconds(3_600))
        // Without a password to give, the prompts end the sign-in.
        let error = await #expect(throws: AccountError.self) {
            _ = try await account.withProof(asking: OnlyCodes(tenant: tenant)) { () async throws(AccountError) in
                try await account.delete()
            }
        }
        #expect(error?.details.condition == .promptMissing)
        #expect(try await tenant.storedUser(dana) != nil && account.client.currentAccount() != nil)
    }

    // MARK: Reset

    @Test func aPasswordIsReset() async throws {
        let tenant = try passwordTenant()
        let prompts = ScriptedPrompts(tenant) {
            $0.codes = [.typed("00000000"), .another, .mailed(to: dana)]
            $0.newPasswords = ["short", otherPassword]
        }
        let account = try account(try await client(tenant).resetPassword(username: dana, asking: prompts))
        #expect(account.username == dana)
        #expect(
            prompts.asked == ["code", "code: incorrectCode 1", "code", "newPassword", "newPassword: tooShort"])
        _ = try await client(tenant).signIn(
            username: dana, password: otherPassword, asking: OnlyCodes(tenant: tenant))
    }

    @Test func aPasswordThatIsNotConfirmedIsToldAsSuch() async throws {
        let tenant = try passwordTenant()
        let pending = Data(#"{"continuation_token":"T","status":"in_progress"}"#.utf8)
        tenant.faults.next(
            .reply(TransportResponse(status: 200, body: pending)), at: .resetPasswordPollCompletion, times: 6)
        let prompts = ScriptedPrompts(tenant) {
            $0.codes = [.mailed(to: dana)]
            $0.newPasswords = [otherPassword]
        }
        await #expect {
            try await client(tenant).resetPassword(username: dana, asking: prompts)
        } throws: {
            if case ResetPasswordError.notConfirmed = $0 { true } else { false }
        }
    }

    @Test func afterAResetASecondFactorIsAskedFor() async throws {
        let tenant = try passwordTenant { settings in
            settings.applications[0].requiresSecondFactor = true
            settings.users[0].secondFactors = [home]
        }
        let prompts = ScriptedPrompts(tenant) {
            $0.codes = [.mailed(to: dana), .mailed(to: home)]
            $0.newPasswords = [otherPassword]
            $0.methods = [0]
        }
        _ = try account(try await client(tenant).resetPassword(username: dana, asking: prompts))
        #expect(prompts.asked == ["code", "newPassword", "method", "code"])
    }

    // MARK: The end

    @Test func aQuestionThatTheAppDoesNotKnowIsNamed() async throws {
        let tenant = try passwordTenant()
        do {
            _ = try await client(tenant).signIn(username: dana, asking: OnlyCodes(tenant: tenant))
            Issue.record("There is no password.")
        } catch {
            guard case .service(.invalidConfiguration(let details)) = error else { throw error }
            #expect(details.message?.contains("password(problem:)") == true)
            #expect(details.remedy == "Implement the method of FlowPrompts that the error names.")
        }
    }

    @Test func promptsThatThrowEndTheFlow() async throws {
        let tenant = try TestTenant()
        let client = client(tenant)
        await #expect {
            try await client.signUp(username: dana, asking: ScriptedPrompts(tenant) { _ in })
        } throws: { error in
            guard case SignUpError.service(.cancelled(let details)) = error else { return false }
            return details.message?.contains("Unscripted") == true
        }
        #expect(client.accounts().isEmpty)
    }

    @Test func aUserWhoLeavesAfterTheAccountExistsHasAnAccount() async throws {
        let tenant = try TestTenant {
            $0.applications = [.emailPassword]
            $0.applications[0].requiresSecondFactor = true
        }
        let prompts = ScriptedPrompts(tenant) {
            $0.codes = [.mailed(to: dana)]
            $0.newPasswords = [password]
        }
        let end = try await client(tenant).signUp(username: dana, asking: prompts)
        guard case .signInRequired(.service(.cancelled)) = end else {
            Issue.record("No question was left open.")
            return
        }
        #expect(prompts.asked == ["code", "newPassword", "method"])
    }
}
