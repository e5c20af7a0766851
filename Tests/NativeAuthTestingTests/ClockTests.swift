import Foundation
import NativeAuth
import NativeAuthTesting
import Testing

@Suite("TestTenant: the clock", .timeLimit(.minutes(1)))
struct ClockTests {
    @Test func aCodeRunsOut() async throws {
        let tenant = try TestTenant()
        let step = try await tenant.client.startSignUp(username: dana)
        let code = try await tenant.mailbox.code(for: dana)
        tenant.clock.advance(by: .seconds(600))
        #expect(try await nameOfError { try await step.submit(code: code) } == "incorrectCode")
    }

    @Test func aTokenIsRenewedWhenItIsTime() async throws {
        let tenant = try TestTenant { $0.accessTokenLifetime = .seconds(3_600) }
        let client = tenant.client
        let account = try await tenant.signUp(with: client)
        let first = try await client.accessToken(for: account)
        tenant.clock.advance(by: .seconds(3_200))
        #expect(try await client.accessToken(for: account).value == first.value)
        tenant.clock.advance(by: .seconds(200))
        #expect(try await client.accessToken(for: account).value != first.value)
        tenant.clock.advance(by: .seconds(86_401))
        #expect(try await nameOfError { try await client.accessToken(for: account) } == "expired")
    }

    @Test func aLockAfterWrongPasswordsRunsOut() async throws {
        let tenant = try passwordTenant { $0.limitsOverTime = true }
        for number in 1...10 {
            let wrong = "wrong \(number)"
            _ = try await nameOfError { try await tenant.client.startSignIn(username: dana, password: wrong) }
        }
        func signIn() async throws -> String {
            try await nameOfError { try await tenant.client.startSignIn(username: dana, password: goodPassword) }
        }
        #expect(try await signIn() != "none", "locked")
        tenant.clock.advance(by: .seconds(61))
        #expect(try await signIn() == "none")
    }

    @Test func aCooldownRunsOut() async throws {
        let tenant = try TestTenant { $0.resendCooldown = .seconds(60) }
        let step = try await tenant.client.startSignUp(username: dana)
        let first = try await tenant.mailbox.code(for: dana)
        _ = try await step.resend()
        #expect(try await tenant.mailbox.mails(for: dana).count == 1)
        tenant.clock.advance(by: .seconds(60))
        _ = try await step.resend()
        #expect(try await tenant.mailbox.code(for: dana) != first)
    }

    private static let pending = #"{"continuation_token":"T","status":"in_progress"}"#

    /// A reset whose password the server needs some time to set.
    private func reset(_ tenant: TestTenant, _ number: Int = 17) async throws -> CompletedState {
        let slow = TestTenant.Fault.reply(TransportResponse(status: 200, body: Data(Self.pending.utf8)))
        tenant.faults.next(slow, at: .resetPasswordPollCompletion, times: 2)
        let sent = try await tenant.client.startResetPassword(username: dana)
        let step = try await sent.submit(code: tenant.mailbox.code(for: dana))
        return try await step.submit(password: "Walrus-Meadow-\(number)")
    }

    @Test func aClientThatSleepsMovesTheClock() async throws {
        let tenant = try passwordTenant()
        // A reset that really sleeps takes two seconds on any machine; one that does not sleep takes that long only on
        // a busy machine.
        var fastest = Duration.seconds(60)
        for number in 20..<25 where fastest >= .seconds(2) {
            let (begin, start) = (tenant.clock.now, ContinuousClock.now)
            // Each another one: a password that is in use is refused.
            _ = try await reset(tenant, number)
            #expect(tenant.clock.now.timeIntervalSince(begin) == 2)
            fastest = min(fastest, ContinuousClock.now - start)
        }
        #expect(fastest < .seconds(2), "no real time was slept")
    }

    @Test func aClockCanWaitToBeMoved() async throws {
        let tenant = try passwordTenant()
        tenant.clock.jumpsForSleepers = false
        async let done = reset(tenant)
        for _ in 1...2 {
            await tenant.clock.untilATaskSleeps()
            #expect(tenant.faults.outstanding < 2)
            tenant.clock.advance(by: .seconds(1))
        }
        _ = try await done
        #expect(tenant.faults.outstanding == 0)
    }

    @Test("SDK-CANCEL-1: a client that sleeps on the manual clock can be cancelled")
    func aSleeperCanBeCancelled() async throws {
        let tenant = try passwordTenant()
        tenant.clock.jumpsForSleepers = false
        let task = Task { try await nameOfError { try await reset(tenant) } }
        await tenant.clock.untilATaskSleeps()
        task.cancel()
        #expect(try await task.value == "cancelled")
    }
}
