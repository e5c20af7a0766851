#if canImport(XCTest)
    public import XCTest

    /// A test case that gives each test its own tenant and runs the app against it, as ``TestTenant/hosting(_:)`` does.
    ///
    /// ```swift
    /// final class SignUpTests: NativeAuthTestCase {
    ///     override func configure(_ settings: inout TestTenant.Settings) {
    ///         settings.applications = [.emailPassword]
    ///     }
    ///
    ///     func testSignUp() async throws {
    ///         let code = try await tenant.mailbox.code(for: "dana@example.com")
    ///         …
    ///     }
    /// }
    /// ```
    open class NativeAuthTestCase: XCTestCase {
        /// Changes the settings of each test's tenant.
        open func configure(_ settings: inout TestTenant.Settings) {}

        /// The tenant of the running test, also in `setUp` and `tearDown`.
        ///
        /// - Throws: ``TestTenantError/noTenant`` when no test runs.
        public var tenant: TestTenant {
            get throws { try TestTenant.current }
        }

        /// Runs the test with its tenant.
        open override func invokeTest() {
            do throws(TestTenantError) {
                let tenant = try TestTenant { configure(&$0) }
                tenant.hostingWithoutWaiting { super.invokeTest() }
                if let run = testRun, run.totalFailureCount > 0 { print("\(name): \(tenant.howToRepeat)") }
            } catch {
                XCTFail("\(error)")
            }
        }
    }
#endif
