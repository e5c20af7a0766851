import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

@Suite("TestTenant: settings", .timeLimit(.minutes(1)))
struct SettingsTests {
    @Test func aTenantNeedsNoSettings() async throws {
        let tenant = try TestTenant()
        let account = try await tenant.signUp()
        #expect(account.username == dana)
        #expect(tenant.authority.description == "https://contoso.ciamlogin.com/contoso.onmicrosoft.com")
    }

    @Test func attributesHaveTypesAndRules() async throws {
        let tenant = try TestTenant { settings in
            settings.applications[0].attributes = [
                .required("extension_1_LoyaltyNumber", regex: #"\d{6}"#), .required("extension_1_Size", .integer),
                .optional("city", regex: "[A-Z][a-z]+"),
            ]
        }
        let start = try await tenant.client.startSignUp(username: dana)
        let step = try await start.submit(code: tenant.mailbox.code(for: dana)).attributes
        let asked = Dictionary(uniqueKeysWithValues: step.required.map { ($0.name, $0) })
        #expect(asked["extension_1_LoyaltyNumber"]?.regex == #"\d{6}"# && asked["extension_1_Size"]?.type == "integer")
        #expect(
            try await nameOfError {
                try await step.submit(["extension_1_LoyaltyNumber": "12345", "extension_1_Size": 43])
            } == "invalidAttributes")
        let done = try await step.submit([
            "extension_1_LoyaltyNumber": "123456", "extension_1_Size": 43, "city": "Ribe",
            TestTenant.Attribute.alias: "dana",
        ]).done
        #expect(try await done.signIn().account.username == dana)
        #expect(try await tenant.client.startSignIn(username: "dana").code.code.length == 8, "the alias is a name")
    }

    @Test func attributesCanBeClaims() async throws {
        let tenant = try passwordTenant { settings in
            settings.applications[0].attributes = [.optional("extension_1_Size", .integer)]
            settings.applications[0].claims = [
                .init("city"), .init("size", attribute: "extension_1_Size"), .init("state", in: [.accessToken]),
            ]
            settings.users[0].attributes = ["city": "Ribe", "extension_1_Size": 43, "state": "Jutland"]
        }
        let client = tenant.client
        let account = try await client.startSignIn(username: dana, password: goodPassword).account
        #expect(account.idTokenClaims["city"] == .string("Ribe") && account.idTokenClaims["size"] == .integer(43))
        #expect(account.idTokenClaims["state"] == nil)
        // A refresh after a change has the new value.
        _ = try await account.update(["city": "Tønder"])
        _ = try await client.accessToken(for: account, forceRefresh: true)
        let renewed = try #require(client.accounts().first)
        #expect(renewed.idTokenClaims["city"] == .string("Tønder"))
    }

    @Test func usersAreThereFromTheBeginning() async throws {
        let tenant = try passwordTenant { settings in
            settings.users += [
                .init("erik@example.com", password: "short", alias: "erik"),
                .init("frida@example.com"),
                .init("gunnar@example.com", password: goodPassword, isDisabled: true),
            ]
        }
        let client = tenant.client
        #expect(try await client.startSignIn(username: dana, password: goodPassword).account.username == dana)
        let erik = try await client.startSignIn(username: "erik", password: "short").account
        #expect(erik.username == "erik@example.com")
        let code = try await client.startSignIn(username: "frida@example.com").code
        #expect(
            try await code.submit(code: tenant.mailbox.code(for: "frida@example.com")).account.username
                == "frida@example.com")
        #expect(
            try await nameOfError {
                try await client.startSignIn(username: "gunnar@example.com", password: goodPassword)
            } == "general")
        #expect(try await nameOfError { try await client.startSignUp(username: dana) } == "userAlreadyExists")
    }

    @Test func usersComeAndAreDisabledLater() async throws {
        let tenant = try passwordTenant()
        try await tenant.add(.init("erik@example.com", password: goodPassword))
        let client = tenant.client
        let account = try await client.startSignIn(username: "erik@example.com", password: goodPassword).account
        try await tenant.setDisabled(true, "Erik@example.com")
        #expect(try await nameOfError { try await client.accessToken(for: account, forceRefresh: true) } == "expired")
        try await tenant.setDisabled(false, "erik@example.com")
        _ = try await client.startSignIn(username: "erik@example.com", password: goodPassword).account
        await #expect(throws: TestTenantError.self) { try await tenant.add(.init(dana)) }
        await #expect(throws: TestTenantError.self) { try await tenant.setDisabled(true, "nobody@example.com") }
    }

    @Test func anApplicationCanDemandASecondFactor() async throws {
        let contact = "dana@home.example"
        let tenant = try passwordTenant { settings in
            settings.applications[0].requiresSecondFactor = true
            settings.users[0].secondFactors = [contact]
        }
        let step = try await tenant.client.startSignIn(username: dana, password: goodPassword).secondFactor
        let sent = try await step.requestChallenge(step.methods[0])
        let account = try await sent.submit(code: tenant.mailbox.code(for: contact))
        #expect(account.username == dana)
        let mail = try #require(try await tenant.mailbox.mails(for: contact).first)
        #expect(mail.purpose == .secondFactor)
    }

    @Test func withoutADemandAClaimsRequestAsksForASecondFactor() async throws {
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
        let tenant = try passwordTenant { $0.users[0].secondFactors = ["dana@home.example"] }
        _ = try await tenant.client.startSignIn(username: dana, password: goodPassword).account
        _ = try await tenant.client.startSignIn(username: dana, password: goodPassword, claims: claims).secondFactor
    }

    @Test func codesAndTokensAreAsLongAsWanted() async throws {
        let tenant = try TestTenant { settings in
            settings.codeLength = 6
            settings.accessTokenLifetime = .seconds(600)
            settings.subdomain = "fabrikam"
        }
        let client = tenant.client
        let step = try await client.startSignUp(username: dana)
        let code = try await tenant.mailbox.code(for: dana)
        #expect(step.code.length == 6 && code.count == 6)
        let account = try await step.submit(code: code).done.signIn().account
        let token = try await client.accessToken(for: account)
        #expect(token.expiresOn.timeIntervalSince(tenant.clock.now) == 600)
    }

    @Test func faultySettingsAreToldAtOnce() {
        func problems(_ adjust: (inout TestTenant.Settings) -> Void) -> String {
            do throws(TestTenantError) {
                _ = try TestTenant(seed: 1, adjust)
                return "none"
            } catch {
                return error.description
            }
        }
        #expect(problems { _ in } == "none")
        #expect(problems { $0.applications = [] }.contains("at least one application"))
        #expect(problems { $0.applications[0].clientID = "my app" }.contains("my app"))
        #expect(problems { $0.applications[0].attributes = [.optional("city", regex: #"(.)\1"#)] }.contains("city"))
        #expect(problems { $0.applications[0].claims = [.init("oid", attribute: "city")] }.contains("“oid”"))
        #expect(problems { $0.users = [.init("dana")] }.contains("dana"))
        #expect(problems { $0.users = [.init(dana), .init("DANA@example.com")] }.contains("same name"))
        #expect(problems { $0.users = [.init(dana, alias: "a b")] }.contains("a b"))
        #expect(problems { $0.codeLength = 4 }.contains("codeDigits"))
        #expect(problems { $0.resendCooldown = .seconds(5) }.contains("resendCooldown"))
        #expect(problems { $0.subdomain = "a.b" }.contains("a.b"))
    }
}
