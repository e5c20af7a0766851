import Foundation
import NativeAuth
import NativeAuthTesting
import NativeAuthWire
import Testing

@Suite("TestTenant: faults", .timeLimit(.minutes(1)))
struct FaultTests {
    @Test("SDK-RETRY-2: a reply that is lost after the commit; the same step again gives the same result")
    func aReplyIsLostAfterTheCommit() async throws {
        let tenant = try TestTenant()
        let step = try await tenant.client.startSignUp(username: dana)
        let code = try await tenant.mailbox.code(for: dana)
        tenant.faults.next(.loseReply(.afterCommit), at: .signUpContinue)
        #expect(try await nameOfError { try await step.submit(code: code) } == "indeterminate")
        #expect(tenant.faults.outstanding == 0)
        #expect(
            try await nameOfError { try await tenant.client.startSignUp(username: dana) } == "userAlreadyExists",
            "the server had acted")
        _ = try await step.submit(code: code).done
    }

    @Test func aReplyIsLostBeforeTheCommit() async throws {
        let tenant = try TestTenant()
        tenant.faults.next(.loseReply(.beforeCommit), at: .signUpChallenge)
        #expect(try await nameOfError { try await tenant.client.startSignUp(username: dana) } == "indeterminate")
        #expect(try await tenant.mailbox.mails().isEmpty, "the server saw nothing")
        try await tenant.signUp()
    }

    @Test func aFaultIsForOneEndpointAndSoManyRequests() async throws {
        let tenant = try TestTenant()
        tenant.faults.next(.status(500), at: .token)
        tenant.faults.next(.offline, times: 2)
        #expect(try await nameOfError { try await tenant.client.startSignUp(username: dana) } == "network")
        #expect(try await nameOfError { try await tenant.client.startSignUp(username: dana) } == "network")
        #expect(tenant.faults.outstanding == 1)
        let step = try await tenant.client.startSignUp(username: dana)
        let done = try await step.submit(code: tenant.mailbox.code(for: dana)).done
        #expect(try await nameOfError { try await done.signIn() } == "unexpectedReply")
        #expect(tenant.faults.outstanding == 0)
    }

    @Test func aFaultHoldsWhileAClosureRuns() async throws {
        let tenant = try TestTenant()
        try await tenant.faults.during(.offline) {
            for _ in 1...3 {
                let name = try await nameOfError { try await tenant.client.startSignUp(username: dana) }
                #expect(name == "network")
            }
        }
        try await tenant.signUp()
    }

    @Test func aDelayMovesTheClockAndALongOneLosesTheReply() async throws {
        let tenant = try TestTenant()
        let begin = tenant.clock.now
        tenant.faults.next(.delay(.seconds(20)), at: .signUpStart)
        let step = try await tenant.client.startSignUp(username: dana)
        #expect(tenant.clock.now.timeIntervalSince(begin) == 20)
        let code = try await tenant.mailbox.code(for: dana)
        tenant.faults.next(.delay(.seconds(31)), at: .signUpContinue)
        #expect(try await nameOfError { try await step.submit(code: code) } == "indeterminate")
        _ = try await step.submit(code: code).done
    }

    @Test("SDK-RETRY-3: a client that is throttled is told for how long")
    func aClientIsThrottled() async throws {
        let tenant = try TestTenant()
        tenant.faults.next(.throttle(retryAfter: 17))
        do {
            _ = try await tenant.client.startSignUp(username: dana)
            Issue.record("no call was throttled")
        } catch .throttled(let seconds, let details) {
            #expect(seconds == 17 && details.errorCodes == [90_055])
        }
    }

    @Test func aVendorErrorKeepsItsNumbers() async throws {
        let tenant = try passwordTenant()
        tenant.faults.next(
            .vendorError(50_126, 50_053, error: "invalid_grant", suberror: "basic_action", status: 401), at: .token)
        let correlationID = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
        do {
            _ = try await tenant.client.startSignIn(
                username: dana, password: goodPassword, correlationID: correlationID)
            Issue.record("nothing was refused")
        } catch {
            let details = error.details
            #expect(details.errorCodes == [50_126, 50_053] && details.error == "invalid_grant")
            #expect(details.suberror == "basic_action" && details.correlationID == correlationID)
        }
    }

    @Test func everyEndpointOfTheAPIHasAName() {
        let names = Set(TestTenant.Endpoint.allCases.map(\.rawValue))
        let documents: Set = [MetadataEndpoint.openIDConfiguration.rawValue, MetadataEndpoint.revocation.rawValue]
        #expect(names == Set(V1Endpoint.allCases.map(\.rawValue)).union(documents))
    }
}
