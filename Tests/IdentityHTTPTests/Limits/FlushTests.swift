import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import PortableFoundation
import Testing

@testable import IdentityHTTP

/// Keys that a client can make up do not push out a spent budget (design record 0003).
@Suite("Budgets that are spent") struct FlushTests {
    private let start = IdentityTestServer.start

    private func source(_ number: UInt32, net: UInt32 = 10) throws -> SourceAddress {
        let text = "\(net).\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"
        return SourceAddress(try #require(IPAddress(text)))
    }

    private func isBlocked(_ source: SourceAddress, _ limits: SourceLimits, at now: Date) -> Bool {
        do {
            try limits.admitGuess(at: .code, from: source, now: now)
            return false
        } catch {
            return true
        }
    }

    @Test(
        "SEC-RATE-2: a block lasts to its end whatever tokens, names and sources come meanwhile; memory is bounded")
    func noBlockEndsEarly() throws {
        let limits = SourceLimits()
        let guesser = try source(1, net: 192)
        for _ in 0..<30 { limits.record(wrong: .code, from: guesser, now: start) }
        // More keys than all counters together, of each kind that any client can make up.
        for number in UInt32(0)..<210_000 {
            let now = start + Double(number) / 1_000
            try limits.admit(.refresh, of: withUnsafeBytes(of: number) { Array($0) }, now: now)
            try limits.admit(.step, from: source(number), now: now)
            if number % 7 == 0 { limits.record(wrong: .code, from: try source(number, net: 11), now: now) }
        }
        #expect(limits.count <= 11 * 18_000)
        #expect(isBlocked(guesser, limits, at: start + 536))
        #expect(!isBlocked(guesser, limits, at: start + 601))
    }

    @Test("While all counters are spent none gives way; new sources share a few, and are free when those are")
    func aTableOfBlocks() throws {
        let limits = SourceLimits(capacity: 4)
        let blocked = try (0..<4).map { try source($0) }
        for source in blocked {
            for _ in 0..<30 { limits.record(wrong: .code, from: source, now: start) }
        }
        // The shared counters also limit the rest; so many sources that each of the 256 has its share.
        for number in UInt32(10)..<8_010 {
            for _ in 0..<8 { limits.record(wrong: .code, from: try source(number), now: start + 1) }
        }
        #expect(limits.count == 4)
        #expect(blocked.allSatisfy { isBlocked($0, limits, at: start + 590) })
        #expect(isBlocked(try source(50_000), limits, at: start + 2))
        let late = start + 602
        #expect(!isBlocked(try source(50_000), limits, at: late))
        #expect(blocked.allSatisfy { !isBlocked($0, limits, at: late) })
        // Expired blocks are replaced.
        for _ in 0..<30 { limits.record(wrong: .code, from: try source(60_000), now: late) }
        #expect(isBlocked(try source(60_000), limits, at: late))
        #expect(!isBlocked(try source(70_000), limits, at: late))
        #expect(limits.count == 4)
    }

    @Test(
        "SEC-RATE-6: a token that was made up has no counter; a real one does, and a family refreshes ten times a minute"
    )
    func unverifiedTokensAreNotCounted() async throws {
        try await withIdentityServer { server in
            let limits = SourceLimits()
            let policy = AccessPolicy(limits: limits)
            func client(_ address: String) throws -> WireClient {
                let peer = try #require(IPAddress(address))
                return WireClient(
                    transport: InProcessTransport(routes: server.routes(), within: policy, peer: peer),
                    clientID: IdentityTestServer.Application.emailOneTimePasscode.rawValue)
            }
            let stranger = try client("203.0.113.7")
            expectError(try await stranger.refresh("x"), "invalid_grant", 70_000)
            let before = limits.count
            for _ in 0..<12 {
                let token = Base64URL.encode((0..<64).map { _ in UInt8.random(in: 0...255) })
                #expect(try await stranger.refresh(token).status == 400)
                #expect(try await stranger.introspect(token).status == 400)
                #expect(try await stranger.resetPoll(token).status == 400)
            }
            #expect(limits.count == before)

            let owner = try client("203.0.113.8")
            var token = try #require(try await server.client().redeem(server.signUp().token).text("refresh_token"))
            for _ in 0..<10 { token = try #require(try await owner.refresh(token).text("refresh_token")) }
            #expect(limits.count > before)
            let refused = try await owner.refresh(token)
            expectError(refused, "temporarily_unavailable", 90_055, status: 429)
            server.clock.advance(by: try #require(Double(refused.headers["retry-after"] ?? "")))
            #expect(try await owner.refresh(token).status == 200)
        }
    }
}
