import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

/// The account of a signed-in user, through the SDK, against the server in this process.
@Suite("Account: profile", .timeLimit(.minutes(1)))
struct AccountTests {
    /// An app's own idea of a profile.
    private struct Member: Codable, Equatable {
        var displayName: String
        var city: String?
    }

    private func account(of tenant: TestTenant) async throws -> Account {
        try await tenant.client.startSignIn(username: dana, password: goodPassword).account
    }

    private func tenant() throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = [.emailPassword]
            settings.users = [
                .init(dana, password: goodPassword, attributes: ["displayName": "Dana", "city": "Ribe"])
            ]
        }
    }

    @Test func aProfileIsReadChangedAndReadAgain() async throws {
        let account = try await account(of: tenant())
        let before = try await account.profile(selecting: ["displayName", "city"])
        #expect(before.email == dana && before.displayName == "Dana")
        #expect(try before.decode(Member.self) == Member(displayName: "Dana", city: "Ribe"))
        #expect(!"\(before)".contains("Dana"), "no personal data in a description")

        try await account.update(["city": nil, "jobTitle": "Sailor"], of: before)
        let after = try await account.profile(selecting: ["displayName", "city", "jobTitle"])
        #expect(after.members["jobTitle"]?.string == "Sailor")
        #expect(try after.decode(Member.self) == Member(displayName: "Dana", city: nil))
        #expect(after.id == before.id && after.id == account.objectID)
    }

    @Test("OIDC-33: the app opens the account page, and the user is signed in there; the address works once")
    func theAccountPage() async throws {
        let tenant = try tenant()
        let account = try await account(of: tenant)
        let address = try await account.accountPage()
        #expect(address.path().hasSuffix("/account") && address.query()?.hasPrefix("ticket=") == true)
        func title(of address: URL) async throws -> String? {
            let browser = ScriptedBrowser(transport: tenant.transport)
            browser.fill { page in page.close() }
            let nowhere = try #require(URL(string: "app://none"))
            await #expect(throws: WebAuthenticationError.cancelled) {
                try await browser.open(address, callback: nowhere)
            }
            return browser.titles.last
        }
        #expect(try await title(of: address) == "Your account – Contoso")
        #expect(try await title(of: address) == "Sign in – Contoso")
        // The app is signed in as before.
        _ = try await account.accessToken(policy: .force)
    }

    @Test("OIDC-33: an application that the tenant does not allow gets no ticket")
    func noTicketForOthers() async throws {
        let account = try await account(of: tenant())
        let challenge = String(repeating: "A", count: 43)
        await #expect {
            try await account.browserTicket(for: "99990000-aaaa-1111-bbbb-2222cccc9999", codeChallenge: challenge)
        } throws: { error in
            if case TokenError.service(let service) = error { service.details.errorCodes == [70_001] } else { false }
        }
    }

    @Test func aChangeOfAnOldProfileIsRefused() async throws {
        let account = try await account(of: tenant())
        let before = try await account.profile()
        try await account.update(["city": "Esbjerg"], of: before)
        await #expect { try await account.update(["city": "Tønder"], of: before) } throws: { error in
            if case AccountError.changedMeanwhile = error { true } else { false }
        }
        try await account.update(["city": "Tønder"])
    }

    @Test func aRefusalNamesTheAttribute() async throws {
        let account = try await account(of: tenant())
        await #expect { try await account.update(["shoeSize": 44]) } throws: { error in
            if case AccountError.invalidAttribute("shoeSize", _) = error { true } else { false }
        }
        await #expect { try await account.update(["flatusername": "dana"]) } throws: { error in
            if case AccountError.notAllowed(attribute: "flatusername", _) = error { true } else { false }
        }
    }

    @Test func anAnswerThatIsLostIsToldAsSuch() async throws {
        let tenant = try tenant()
        let account = try await account(of: tenant)
        _ = try await account.profile()
        // The token is there; the next request is the one that is lost.
        tenant.faults.next(.loseReply(.afterCommit))
        await #expect { try await account.update(["city": "Esbjerg"]) } throws: { error in
            if case AccountError.service(.indeterminate) = error { true } else { false }
        }
        #expect(try await account.profile(selecting: ["city"]).members["city"]?.string == "Esbjerg")
    }

    @Test func anAttributeOfTheAppIsChangedWhereTheTenantAllowsIt() async throws {
        let tenant = try TestTenant { settings in
            settings.applications = [.emailPassword]
            var size = TestTenant.Attribute.optional("extension_1_Size", .integer)
            size.userMayChange = true
            settings.applications[0].attributes = [size, .optional("extension_1_Level", .integer)]
            settings.users = [.init(dana, password: goodPassword)]
        }
        let account = try await account(of: tenant)
        let before = try await account.profile(selecting: ["extension_1_Size"])
        #expect(before.members["extension_1_Size"] == .null)
        try await account.update(["extension_1_Size": 43])
        let profile = try await account.profile(selecting: ["extension_1_Size"])
        #expect(profile.members["extension_1_Size"] == .integer(43))
        await #expect { try await account.update(["extension_1_Level": 9]) } throws: { error in
            if case AccountError.notAllowed(attribute: "extension_1_Level", _) = error { true } else { false }
        }
    }

    @Test func anApplicationThatMayOnlyReadReads() async throws {
        let tenant = try TestTenant { settings in
            settings.applications = [.emailPassword]
            settings.applications[0].scopes = ["User.Read"]
            settings.users = [.init(dana, password: goodPassword, attributes: ["displayName": "Dana"])]
        }
        let account = try await account(of: tenant)
        #expect(try await account.profile().displayName == "Dana")
        await #expect { try await account.update(["city": "Ribe"]) } throws: { error in
            if case AccountError.notAllowed(attribute: nil, _) = error { true } else { false }
        }
        #expect(try await account.profile().displayName == "Dana", "and the session goes on")
    }

    @Test func afterASignOutTheUserMustSignIn() async throws {
        let tenant = try tenant()
        let client = tenant.client
        let account = try await client.startSignIn(username: dana, password: goodPassword).account
        client.signOut()
        await #expect { try await account.profile() } throws: { error in
            if case AccountError.signInRequired = error { true } else { false }
        }
    }
}
