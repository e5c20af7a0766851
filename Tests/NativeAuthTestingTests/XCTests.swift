#if canImport(XCTest)
    import NativeAuth
    import NativeAuthTesting
    import XCTest

    /// Run by `scripts/test` in a separate step, because XCTest is another runner.
    final class TestCaseTests: NativeAuthTestCase {
        private var client: NativeAuthClient?

        override func configure(_ settings: inout TestTenant.Settings) {
            settings.subdomain = "fabrikam"
        }

        override func setUp() async throws {
            client = NativeAuthClient(
                NativeAuthConfiguration(
                    clientID: try tenant.settings.applications[0].clientID,
                    authority: try Authority(tenantSubdomain: "fabrikam"), challengeTypes: [.oneTimePasscode]))
        }

        func testTheAppReachesTheTenant() async throws {
            let client = try XCTUnwrap(client)
            let account = try await tenant.signUp(with: client)
            XCTAssertEqual(account.username, dana)
        }

        /// Like the test above: it works only if each test has its own tenant.
        func testEachTestHasATenantOfItsOwn() async throws {
            try await testTheAppReachesTheTenant()
        }

        func testWorkThatDoesNotWaitHasATenantToo() throws {
            XCTAssertEqual(try tenant.settings.subdomain, "fabrikam")
        }
    }
#endif
