import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import Testing

@Suite("The trait", .nativeAuthTenant, .timeLimit(.minutes(1)))
struct TraitTests {
    private func app(_ subdomain: String = "contoso") throws -> NativeAuthClient {
        NativeAuthClient(
            NativeAuthConfiguration(
                clientID: try TestTenant.current.settings.applications[0].clientID,
                authority: try Authority(tenantSubdomain: subdomain), challengeTypes: [.oneTimePasscode]))
    }

    @Test func eachTestOfASuiteHasATenant() async throws {
        #expect(try await TestTenant.current.signUp(with: app()).username == dana)
    }

    @Test(arguments: 1...3)
    func eachCaseHasATenantOfItsOwn(_ number: Int) async throws {
        #expect(try await TestTenant.current.signUp(with: app()).username == dana, "no other user has signed up")
        #expect(try await TestTenant.current.mailbox.mails().count == 1)
    }

    @Test(.nativeAuthTenant(seed: 7) { $0.subdomain = "fabrikam" })
    func aTestsOwnSettingsComeFirst() async throws {
        #expect(try TestTenant.current.seed == 7)
        #expect(try await TestTenant.current.signUp(with: app("fabrikam")).username == dana)
    }

    @Test func anIssueNamesTheSeed() async throws {
        let test = try #require(Test.current)
        let trait = TestTenantTrait.nativeAuthTenant(seed: 4_711)
        let seen = Locked<[Comment]>([])
        let catching = IssueHandlingTrait.compactMapIssues { issue in
            seen.withLock { $0 += issue.comments }
            return nil
        }
        try await catching.provideScope(for: test, testCase: Test.Case.current) {
            try await trait.provideScope(for: test, testCase: Test.Case.current) { Issue.record("it failed") }
        }
        let comments = seen.withLock { $0 }.map(\.rawValue)
        #expect(comments.contains { $0.contains("it failed") })
        #expect(comments.contains { $0.contains("NATIVE_AUTH_TEST_SEED=4711") })
    }
}
