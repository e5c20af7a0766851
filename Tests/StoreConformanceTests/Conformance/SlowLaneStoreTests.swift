import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("What is kept of a slow lane, and of guesses under way")
struct SlowLaneStoreTests {
    @Test(
        "A slow lane has a row of its own, which no flow drives out, until it expires",
        arguments: StoreUnderTest.available)
    func aSlowLaneIsKept(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let lane = UUID()
            let quotas = FlowQuotaKeys(identifier: digest("ada"), source: digest("home"))
            var query = fixtureQuery(quotas: quotas)
            query.slowLane = lane
            #expect(try await store.facts(query).slowLane == nil)
            var row = FlowRow(
                code: CodeRecord(
                    digest: digest("code"), target: digest("target"), sentAt: noon, expiresAt: noon + 600),
                codesSent: 1, expiresAt: noon + 900)
            try await store.write(
                FlowChange(row: FlowRow(expiresAt: noon + 3_600), effects: [.setSlowLane(row, lane)]), query)
            #expect(try await store.facts(query).slowLane == row)

            row.isEnded = true
            row.code?.attempts = 3
            try await store.perform(.setSlowLane(row, lane))
            #expect(try await store.facts(query).slowLane == row)
            for _ in 0..<(FlowQuotaKeys.mostOfIdentifier + 5) {
                let flow = fixtureQuery(quotas: quotas)
                try await store.write(FlowChange(row: FlowRow(expiresAt: noon + 3_600)), flow)
            }
            #expect(try await store.facts(query).slowLane == row)

            var elsewhere = query
            elsewhere.tenant = TenantID(UUID())
            #expect(try await store.facts(elsewhere).slowLane == nil)
            _ = try await store.removeExpired(now: noon + 899)
            #expect(try await store.facts(query).slowLane == row)
            _ = try await store.removeExpired(now: noon + 900)
            #expect(try await store.facts(query).slowLane == nil)
        }
    }

    @Test(
        "SEC-LOCK-2: the digest of a guess that is being compared reads back, and goes after a minute",
        arguments: StoreUnderTest.available)
    func guessesUnderWay(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let query = fixtureQuery(lockout: digest("ada"))
            var lockout = Lockout(
                failures: 4, recent: [digest("wrong")], underWay: [digest("one"), digest("other")],
                underWayUntil: noon + 60, lastFailureAt: noon)
            try await store.perform(.setLockout(lockout, subject: digest("ada")))
            #expect(try await store.facts(query).lockout == lockout)
            _ = try await store.removeExpired(now: noon + 59)
            #expect(try await store.facts(query).lockout == lockout)
            _ = try await store.removeExpired(now: noon + 60)
            (lockout.underWay, lockout.underWayUntil) = ([], nil)
            #expect(try await store.facts(query).lockout == lockout)
            #expect(try await rows("SELECT COUNT(*) FROM lockouts WHERE under_way IS NOT NULL", in: store) == [["0"]])
        }
    }
}
