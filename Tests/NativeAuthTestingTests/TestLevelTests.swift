import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import Testing

/// Levels of a `TestTenant`, as an app's own tests use them.
@Suite("Levels of a test tenant", .timeLimit(.minutes(1)))
struct TestLevelTests {
    private struct Unexpected: Error {}

    private static let c4 = #"{"access_token":{"acrs":{"essential":true,"value":"c4"}}}"#

    private func tenant(_ levels: [TestTenant.Level]) throws -> TestTenant {
        try TestTenant { settings in
            settings.applications = [.emailPassword]
            settings.levels = levels
            settings.users = [.init(dana, password: goodPassword, secondFactors: ["second@example.com"])]
        }
    }

    @Test("A rule for an application is about each sign-in to it, one for a scope about those that ask for it")
    func applicationsAndScopes() async throws {
        let application = TestTenant.Application.emailPassword.clientID
        let strict = try tenant([.init(.mailed, applications: [application])])
        guard case .mfaRequired = try await strict.client.signIn(username: dana, password: goodPassword) else {
            throw Unexpected()
        }
        let scoped = try tenant([.init(.mailed, scopes: ["api://orders/Orders.Pay"])])
        guard case .completed = try await scoped.client.signIn(username: dana, password: goodPassword),
            case .mfaRequired = try await scoped.client.signIn(
                username: dana, password: goodPassword, scopes: ["api://orders/Orders.Pay"])
        else { throw Unexpected() }
    }

    @Test("A context means what its rule says: a code by mail is no factor of two different kinds")
    func contexts() async throws {
        let usual = try tenant([])
        guard
            case .mfaRequired = try await usual.client.signIn(
                username: dana, password: goodPassword, claims: Self.c4)
        else { throw Unexpected() }
        let strict = try tenant([.init(.twoFactors, contexts: ["c4"])])
        do {
            _ = try await strict.client.signIn(username: dana, password: goodPassword, claims: Self.c4)
            Issue.record("a mailbox reached l2")
        } catch {
            guard case .browserRequired = error else { throw error }
        }
    }

    @Test("Proofs that are too old give no new token")
    func ages() async throws {
        let application = TestTenant.Application.emailPassword.clientID
        let tenant = try tenant([.init(.oneFactor, maximumAge: .seconds(300), applications: [application])])
        guard case .completed(let account) = try await tenant.client.signIn(username: dana, password: goodPassword)
        else { throw Unexpected() }
        #expect(try await !account.accessToken(policy: .force).value.isEmpty)
        tenant.clock.advance(by: .seconds(301))
        do {
            _ = try await account.accessToken(policy: .force)
            Issue.record("old proofs gave a token")
        } catch {
            guard case .secondFactorRequired = error else { throw error }
        }
    }

    @Test(
        "A rule that cannot be kept is a fault of the settings",
        arguments: [
            TestTenant.Level(.phishingResistant, contexts: ["c1"]), .init(.mailed), .init(.mailed, contexts: ["c0"]),
            .init(.mailed, contexts: ["c100"]), .init(.mailed, applications: ["unknown"]),
            .init(.mailed, maximumAge: .seconds(299), contexts: ["c1"]),
        ])
    func faults(_ level: TestTenant.Level) {
        #expect(throws: TestTenantError.self) { try tenant([level]) }
    }
}
