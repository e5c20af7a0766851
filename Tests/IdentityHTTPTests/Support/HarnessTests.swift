import IdentityEngine
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import Testing

/// The checks of this folder fail when they should, and its server shows what it must.
@Suite("The checks themselves") struct HarnessTests {
    @Test func aSuccessIsNoError() async throws {
        try await withIdentityServer { server in
            let answer = try await server.client().start()
            withKnownIssue { expectError(answer, "invalid_request", 90_100) }
            withKnownIssue { expectSuccess(answer, ["access_token"]) }
        }
    }

    @Test func anErrorIsNoSuccess() async throws {
        try await withIdentityServer { server in
            let answer = try await server.client().start("x")
            expectError(answer, "invalid_request", 90_100)
            withKnownIssue { expectSuccess(answer, ["continuation_token"]) }
            withKnownIssue { expectError(answer, "invalid_grant", 90_100) }
            withKnownIssue { expectError(answer, "invalid_request", 90_101) }
            withKnownIssue { expectError(answer, "invalid_request", 90_100, suberror: "basic_action") }
            withKnownIssue { expectError(answer, "invalid_request", 90_100, status: 413) }
            withKnownIssue { expectError(answer, "invalid_request", 90_100, carriesToken: true) }
            var broken = answer
            broken.members["timestamp"] = "2027-01-15T08:00:00Z"
            withKnownIssue { expectError(broken, "invalid_request", 90_100) }
            broken = answer
            broken.members["extra"] = true
            withKnownIssue { expectError(broken, "invalid_request", 90_100) }
            broken = answer
            broken.headers["cache-control"] = nil
            withKnownIssue { expectError(broken, "invalid_request", 90_100) }
        }
    }

    @Test func aSnapshotNoticesEveryChange() async throws {
        try await withIdentityServer { server in
            let before = try await server.snapshot()
            let progress = try await server.progress(to: .awaitingCode)
            let sent = try await server.snapshot()
            #expect(sent != before)
            _ = try await progress.client.submit(
                code: wrongCodes(1, besides: progress.code)[0], progress.token(.awaitingCode))
            #expect(try await server.snapshot() != sent)
        }
    }

    @Test func everyStageIsReached() async throws {
        try await withIdentityServer { server in
            let progress = try await server.progress(to: .completed)
            #expect(Set(progress.tokens.keys) == Set(Stage.allCases))
            #expect(try await server.users() == 1)
        }
    }

    @Test func wrongCodesAreWrongAndDifferent() {
        let codes = wrongCodes(50, besides: "99999999")
        #expect(Set(codes).count == 50)
        #expect(!codes.contains("99999999"))
        #expect(codes.allSatisfy { $0.utf8.count == 8 })
        #expect(codes.first == "00000000")
    }

    @Test("design record 0014: of two codes sent in one instant the mailbox shows the newer one")
    func theMailboxShowsTheNewerCode() async throws {
        for seed in 1...8 {
            try await withIdentityServer(seed: UInt64(seed)) { server in
                let client = server.client()
                let again = try await client.challenge(client.challenge(client.start().token).token)
                let code = try await server.mailbox.code(to: "dana@example.com")
                #expect(try await client.submit(code: code, again.token).status == 200)
            }
        }
    }
}

@Suite("Test tenants") struct TestTenantApplicationTests {
    @Test("A test tenant has the first four applications of the development server: ids, user flows, scopes and order")
    func theApplicationsAreThoseOfTheDevelopmentServer() async throws {
        let tenant = try TestTenant(seed: 1)
        let entry = try #require(TenantDirectory.development.entries.first)
        // The fifth is for trying a second factor; tests demand one by a setting.
        let applications = entry.applications.prefix(4)
        #expect(tenant.settings.applications.map(\.clientID) == applications.map(\.id.description))
        for application in applications {
            let client = try #require(
                try await tenant.server.engine.ports.clients.client(application.id, in: entry.tenant.id))
            #expect(client.userFlow == application.userFlow && client.scopes == application.scopes)
            #expect(client.isNativeAuthEnabled && !client.requiresSecondFactor)
        }
        let first = tenant.configuration()
        #expect(first.clientID == "00001111-aaaa-2222-bbbb-3333cccc4444" && first.challengeTypes == [.oneTimePasscode])
    }
}
