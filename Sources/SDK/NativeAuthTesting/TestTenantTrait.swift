#if canImport(Testing)
    public import Testing

    /// Gives each test its own tenant; made by ``Testing/Trait/nativeAuthTenant(seed:_:)``.
    public struct TestTenantTrait: TestTrait, SuiteTrait, TestScoping {
        private let seed: UInt64?
        private let adjust: @Sendable (inout TestTenant.Settings) -> Void

        init(seed: UInt64?, _ adjust: @escaping @Sendable (inout TestTenant.Settings) -> Void) {
            self.seed = seed
            self.adjust = adjust
        }

        /// True: each test of a suite, and each case of a parameterised test, has its own tenant.
        public var isRecursive: Bool { true }

        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            let tenant = try TestTenant(seed: seed, adjust)
            // The failure report also says how to repeat the test.
            let reporting = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append(Comment(rawValue: tenant.howToRepeat))
                return issue
            }
            try await reporting.provideScope(for: test, testCase: testCase) {
                try await tenant.hosting { try await function() }
            }
        }
    }

    extension Trait where Self == TestTenantTrait {
        /// Gives each test its own tenant, ``TestTenant/current``, and runs the app against it, as
        /// ``TestTenant/hosting(_:)`` does.
        public static var nativeAuthTenant: Self { nativeAuthTenant() }

        /// The same as ``nativeAuthTenant``, with settings.
        ///
        /// - Parameters:
        ///   - seed: The seed; nil for a random one, which a failure of the test names.
        ///   - adjust: Changes the settings.
        public static func nativeAuthTenant(
            seed: UInt64? = nil, _ adjust: @escaping @Sendable (inout TestTenant.Settings) -> Void = { _ in }
        ) -> Self {
            TestTenantTrait(seed: seed, adjust)
        }
    }
#endif

extension TestTenant {
    /// A sentence for the report of a failed test.
    var howToRepeat: String {
        "The test tenant has the seed \(seed); with NATIVE_AUTH_TEST_SEED=\(seed) in the environment it is the same again."
    }
}
