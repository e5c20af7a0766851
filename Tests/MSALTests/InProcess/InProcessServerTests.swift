import Foundation
import MSAL
import NativeAuth
import NativeAuthTesting
import Testing

/// Both SDKs against the real server, in this process: nothing here is scripted.
@Suite("Against the server in the same process", .timeLimit(.minutes(1)))
struct InProcessServerTests {
    @Test("README: a new user is signed in, with NativeAuth and NativeAuthTesting")
    func aNewUserIsSignedIn() async throws {
        let tenant = try TestTenant()
        let client = NativeAuthClient(tenant.configuration())
        let step = try await client.startSignUp(username: "dana@example.com")
        let code = try await tenant.mailbox.code(for: "dana@example.com")
        guard case .completed(let completed) = try await step.submit(code: code) else {
            Issue.record("something else was asked for")
            return
        }
        guard case .completed(let account) = try await completed.signIn() else {
            Issue.record("the sign-in wants something else")
            return
        }
        #expect(account.username == "dana@example.com")
    }

    @Test("NativeAuth: password and attributes after the code, one after the other")
    func passwordAndAttributesAfterTheCode() async throws {
        let tenant = try TestTenant { settings in
            settings.applications[0].userFlow = .emailPassword
            settings.applications[0].attributes = [.required("country"), .required("city")]
        }
        let client = NativeAuthClient(tenant.configuration())
        let start = try await client.startSignUp(username: "dana@example.com")
        let resent = try await start.resend()
        let code = try await tenant.mailbox.code(for: "dana@example.com")
        let wrong = code == "00000000" ? "00000001" : "00000000"
        await #expect(throws: NativeAuthError.self) { try await start.submit(code: wrong) }
        guard case .passwordRequired(let password) = try await resent.submit(code: code) else {
            Issue.record("no password was asked for")
            return
        }
        await #expect(throws: NativeAuthError.self) { try await password.submit(password: "short") }
        guard case .attributesRequired(let attributes) = try await password.submit(password: "Tulip-Harbour-42")
        else {
            Issue.record("no attributes were asked for")
            return
        }
        #expect(Set(attributes.required.map(\.name)) == ["country", "city"])
        guard case .attributesRequired(let rest) = try await attributes.submit(["country": "Danmark"]) else {
            Issue.record("the city was not asked for")
            return
        }
        #expect(rest.required.map(\.name) == ["city"])
        guard case .completed(let completed) = try await rest.submit(["city": "Ribe", "flatusername": "dana"])
        else {
            Issue.record("the account was not made")
            return
        }
        guard case .completed(let account) = try await completed.signIn() else {
            Issue.record("the sign-in wants something else")
            return
        }
        #expect(account.username == "dana@example.com")
        let first = try await client.accessToken(for: account)
        tenant.clock.advance(by: .seconds(7_200))
        let second = try await client.accessToken(for: account)
        #expect(first.value != second.value, "the first has expired, so it was renewed")
    }

    @MainActor
    @Test("MSAL: the delegate is told of a code, a sign-up, a session, and who was faster")
    func theDelegateIsTold() async throws {
        let delegate = FullDelegate()
        let tenant = try TestTenant { settings in
            settings.applications[0].claims = [.init("nickname", attribute: TestTenant.Attribute.alias)]
        }
        let app = MSALNativeAuthPublicClientApplication(tenant.configuration())
        let parameters = MSALNativeAuthSignUpParameters(username: "dana@example.com")
        parameters.attributes = ["flatusername": "not an alias"]
        app.signUp(parameters: parameters, delegate: delegate)
        let invalid = try await delegate.mailbox.next()
        #expect(invalid.name == "onSignUpAttributesInvalid" && invalid.detail == "flatusername")

        parameters.attributes = ["flatusername": "dana"]
        app.signUp(parameters: parameters, delegate: delegate)
        let sent = try await delegate.mailbox.next()
        #expect(sent.name == "onSignUpCodeRequired" && sent.detail.hasSuffix(" 8"))
        let state = try #require(sent.state as? SignUpCodeRequiredState)

        state.submitCode(code: "0", delegate: delegate)
        let wrong = try await delegate.mailbox.next()
        #expect(
            wrong.name == "onSignUpVerifyCodeError" && wrong.flags.contains { $0.lowercased() == "invalidcode" })

        state.submitCode(code: try await tenant.mailbox.code(for: "dana@example.com"), delegate: delegate)
        let completed = try await delegate.mailbox.next()
        #expect(completed.name == "onSignUpCompleted")
        let done = try #require(completed.state as? SignInAfterSignUpState)
        done.signIn(parameters: MSALNativeAuthSignInAfterSignUpParameters(), delegate: delegate)
        let signedIn = try await delegate.mailbox.next()
        #expect(signedIn.name == "onSignInCompleted")
        let result = try #require(signedIn.state as? MSALNativeAuthUserAccountResult)
        #expect(result.account.accountClaims?["nickname"] as? String == "dana", "a claim of the application's own")

        // The alias is taken now, whatever the address.
        let second = MSALNativeAuthSignUpParameters(username: "erik@example.com")
        second.attributes = ["flatusername": "DANA"]
        app.signUp(parameters: second, delegate: delegate)
        let taken = try await delegate.mailbox.next()
        #expect(
            taken.name == "onSignUpStartError" && taken.flags.contains { $0.lowercased() == "useralreadyexists" })
    }
}
