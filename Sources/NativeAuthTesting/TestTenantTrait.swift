#if canImport(Testing)
    public import Testing

    /// Gives each test a tenant of its own; made by ``Testing/Trait/nativeAuthTenant(seed:_:)``.
    public struct TestTenantTrait: TestTrait, SuiteTrait, TestScoping {
        private let seed: UInt64?
        private let adjust: @Sendable (inout TestTenant.Settings) -> Void

        init(seed: UInt64?, _ adjust: @escaping @Sendable (inout TestTenant.Settings) -> Void) {
            self.seed = seed
            self.adjust = adjust
        }

        /// True: each test of a suite, and each case of a parameterised test, has a tenant of its own.
        public var isRecursive: Bool { true }

        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            let tenant = try TestTenant(seed: seed, adjust)
            // What tells of a failure tells also how to see it again.
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
        /// Gives each test a tenant of its own, ``TestTenant/current``, and hosts the app on it, as ``TestTenant/hosting(_:)`` does.
        public static var nativeAuthTenant: Self { nativeAuthTenant() }

        /// As ``nativeAuthTenant``, with settings.
        ///
        /// - Parameters:
        ///   - seed: Nil for a random one, which an issue of the test names.
        ///   - adjust: Changes the settings.
        public static func nativeAuthTenant(
            seed: UInt64? = nil, _ adjust: @escaping @Sendable (inout TestTenant.Settings) -> Void = { _ in }
        ) -> Self {
            TestTenantTrait(seed: seed, adjust)
        }
    }
#endif

extension TestTenant {
    /// For whoever reads that a test failed.
    var howToRepeat: String {
        "The test tenant has the seed \(seed); with NATIVE_AUTH_TEST_SEED=\(seed) in the environment it is the same again."
    }
}
