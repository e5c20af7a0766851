import Foundation
import NativeAuth
import NativeAuthTesting

/// Prints the time to make a test tenant, and to sign a user up with the SDK, including the server, in this process;
/// the median of many, in processor time, which other work on the machine does not lengthen. Run by `scripts/prove
/// tenant`.
@main
enum Measure {
    static func main() async throws {
        let begin = ContinuousClock.now
        _ = try TestTenant()
        print("the first tenant of the process: \(milliseconds(ContinuousClock.now - begin))")
        var tenants: [TestTenant] = []
        try await median("make a test tenant", of: 200) { _ in tenants.append(try TestTenant()) }
        // Each user has another tenant, so that no database grows.
        try await median("sign up with a code (3 requests, a mail)", of: 200) { number in
            _ = try await signUp(NativeAuthClient(tenants[number].configuration()), tenants[number])
        }
        tenants = try (0..<200).map { _ in try TestTenant() }
        try await median("sign up with a code, and sign in (4 requests, 2 signatures)", of: 200) { number in
            try await signUpAndIn(tenants[number])
        }
        try await median("a second user of the same tenant, likewise", of: 200) { number in
            try await signUpAndIn(tenants[number], "erik@example.com")
        }
        try await median("make a test tenant, sign up, and sign in", of: 200) { _ in try await signUpAndIn(TestTenant())
        }
    }

    private static func median(_ name: String, of count: Int, _ work: (Int) async throws -> Void) async throws {
        var times: [Duration] = []
        let processor = clock()
        for number in 0..<count {
            let start = ContinuousClock.now
            try await work(number)
            times.append(ContinuousClock.now - start)
        }
        let used = Double(clock() - processor) / Double(CLOCKS_PER_SEC) / Double(count)
        times.sort()
        print(
            "\(name): \(milliseconds(times[count / 2])), 9 of 10 within \(milliseconds(times[count * 9 / 10])),",
            "processor \(milliseconds(.seconds(used)))")
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let hundredths = Int((duration / .microseconds(10)).rounded())
        return "\(hundredths / 100).\(String(hundredths % 100 + 100).dropFirst()) ms"
    }

    private static func signUp(
        _ client: NativeAuthClient, _ tenant: TestTenant, _ email: String = "dana@example.com"
    ) async throws -> CompletedState? {
        let step = try await client.startSignUp(username: email)
        guard case .completed(let done) = try await step.submit(code: tenant.mailbox.code(for: email)) else {
            return nil
        }
        return done
    }

    private static func signUpAndIn(_ tenant: TestTenant, _ email: String = "dana@example.com") async throws {
        let client = NativeAuthClient(tenant.configuration())
        guard case .completed? = try await signUp(client, tenant, email)?.signIn() else {
            throw TestTenantError.database
        }
    }
}
