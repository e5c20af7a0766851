import IdentityEngine
import JWTKit
import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityTokens

@Suite struct RotationTests {
    let tenant = TokenSubject.fixture().tenant
    let store = MemoryKeyStore()
    let clock = MovingClock()

    /// Two servers on one store; one of them signs, the other one publishes, and the ticks alternate.
    struct Walk {
        var kids: [String] = []
        /// When each key was first published, first and last signed, and last published.
        var published: [String: ClosedRange<Date>] = [:]
        var signed: [String: ClosedRange<Date>] = [:]
        var verified = 0
        var failures = 0
    }

    @Test("SEC-TOK-5: three rotations, and clients that keep the key set for an hour refuse no token")
    func threeRotations() async throws {
        let walk = try await walk(days: 272)
        #expect(walk.kids.count == 4)
        #expect(walk.failures == 0)
        #expect(walk.verified > 5_000)
        for (before, kid) in zip(walk.kids, walk.kids.dropFirst()) {
            let (old, new) = (try #require(walk.published[before]), try #require(walk.published[kid]))
            let (last, first) = (
                try #require(walk.signed[before]?.upperBound), try #require(walk.signed[kid]?.lowerBound)
            )
            #expect(first.timeIntervalSince(new.lowerBound) >= 24 * 3600)
            #expect(old.upperBound.timeIntervalSince(last) >= 24 * 3600 + 5_400)
            #expect(first.timeIntervalSince(last) <= 600)
        }
        #expect(await store.records.count == 1, "old keys are gone")
        let lives = walk.kids.dropLast().compactMap { walk.signed[$0] }
            .map { $0.upperBound.timeIntervalSince($0.lowerBound) }
        for life in lives { #expect(abs(life - 90 * 24 * 3600) <= 1_200) }
    }

    @Test("The walk sees the tokens that clients with an old key set cannot check after a rotation without notice")
    func theWalkSeesFailures() async throws {
        let walk = try await walk(days: 2) { ring, step in
            if step == 4 { try await ring.rotateNow(for: tenant, now: clock.now) }
        }
        #expect(walk.failures > 0)
    }

    /// Walks with a tick, a token and checks at each step: steps of ten minutes when something may change, otherwise of
    /// six hours.
    private func walk(
        days: Int, _ also: (KeyRing, Int) async throws -> Void = { _, _ in }
    ) async throws -> Walk {
        let rings = [KeyRing.fixture(store, clock: clock), KeyRing.fixture(store, clock: clock)]
        var walk = Walk()
        // Six clients, each of which fetches at another minute of the hour.
        var clients: [CachingClient?] = Array(repeating: nil, count: 6)
        var pending: [(token: String, until: Date)] = []
        let end = clock.now + TimeInterval(days) * 24 * 3600
        var step = 0
        for ring in rings { try await ring.prepare(for: tenant) }
        while clock.now < end {
            let now = clock.now
            try await rings[step % 2].rotateIfDue(now: now)
            try await also(rings[0], step)
            let token = try await rings[step % 2].sign(
                .fixture(issuedAt: now.timeIntervalSince1970, lifetime: 5_400)
            ).accessToken
            let kid = try TokenParts(token).kid
            if walk.kids.last != kid { walk.kids.append(kid) }
            walk.signed[kid] = (walk.signed[kid]?.lowerBound ?? now)...now
            let jwks = try await rings[(step + 1) % 2].jwks(for: tenant)
            for key in try KeySet(jwks).keys {
                walk.published[key.kid] = (walk.published[key.kid]?.lowerBound ?? now)...now
            }
            pending = pending.filter { now < $0.until } + [(token.reveal(), now + 5_400)]
            for index in clients.indices {
                let isTurn = Int(now.timeIntervalSince1970 / 600) % 6 == index
                if isTurn || clients[index].map({ now.timeIntervalSince($0.fetchedAt) > 3_600 }) ?? true {
                    clients[index] = try await CachingClient(jwks, at: now)
                }
                for (token, _) in pending {
                    walk.verified += 1
                    if try await clients[index]?.accepts(token) != true { walk.failures += 1 }
                }
            }
            step += 1
            clock.move(by: try await isQuiet(at: now) ? 6 * 3600 : 600)
        }
        return walk
    }

    /// Whether nothing changes in the next six hours, nor changed in the last two.
    private func isQuiet(at now: Date) async throws -> Bool {
        let records = await store.records
        if records.count == 1, let only = records.first {
            let due = only.activeFrom + KeySchedule.period - KeySchedule.notice
            return now < due - 7 * 3600 && now > only.activeFrom + 2 * 3600
        }
        let changes = records.flatMap { key in
            [key.activeFrom, key.activeFrom + KeySchedule(longestTokenLife: 5_400).retention, key.createdAt]
        }
        return changes.allSatisfy { $0 < now - 2 * 3600 || $0 > now + 7 * 3600 }
    }

    @Test("SEC-TOK-5: of 16 servers that tick at the same moment one makes the next key", .timeLimit(.minutes(1)))
    func oneNextKey() async throws {
        let rings = (0..<16).map { _ in KeyRing.fixture(store, clock: clock) }
        for ring in rings { try await ring.prepare(for: tenant) }
        clock.move(by: KeySchedule.period - KeySchedule.notice - 1)
        for ring in rings { try await ring.rotateIfDue(now: clock.now) }
        #expect(await store.records.count == 1, "not a second too early")
        clock.move(by: 1)
        await store.holdUpdates(until: 16)
        let now = clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for ring in rings { group.addTask { try await ring.rotateIfDue(now: now) } }
            try await group.waitForAll()
        }
        #expect(await store.updates >= 17)
        #expect(await store.records.count == 2)
        for ring in rings { #expect(try await KeySet(ring.jwks(for: tenant)).keys.count == 2) }
    }

    @Test("SEC-TOK-5: a tick with nothing to do writes nothing")
    func aQuietTickWritesNothing() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        try await ring.prepare(for: tenant)
        for _ in 0..<10 {
            clock.move(by: 60)
            #expect(try await ring.rotateIfDue(now: clock.now) == [])
        }
        #expect(await store.updates == 1)
    }

    @Test("SEC-TOK-5: a server that was off for a year still gives the new key its notice")
    func aServerThatWasOff() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        let old = try await kid(of: ring)
        clock.move(by: 365 * 24 * 3600)
        #expect(try await ring.rotateIfDue(now: clock.now) == [tenant])
        #expect(try await kid(of: ring) == old)
        clock.move(by: KeySchedule.notice - 1)
        try await ring.rotateIfDue(now: clock.now)
        #expect(try await kid(of: ring) == old)
        clock.move(by: 1)
        #expect(try await kid(of: ring) != old)
    }

    @Test("SEC-TOK-11: two rotations in one instant give two new keys, and all three check their tokens")
    func twoRotationsInOneInstant() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        var tokens = [try await ring.sign(.fixture()).accessToken]
        for _ in 0..<2 {
            try await ring.rotateNow(for: tenant, now: clock.now)
            tokens.append(try await ring.sign(.fixture()).accessToken)
        }
        #expect(try Set(tokens.map { try TokenParts($0).kid }).count == 3)
        let restarted = KeyRing.fixture(store, clock: clock)
        for ring in [ring, restarted] {
            for token in tokens { _ = try await ring.verify(token) }
            #expect(try await kid(of: ring) == TokenParts(tokens[2]).kid)
        }
    }

    @Test("A rotation after the clock was set back counts at once")
    func theClockWasSetBack() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        try await ring.prepare(for: tenant)
        clock.move(by: 3_600)
        try await ring.rotateNow(for: tenant, now: clock.now)
        clock.move(by: -7_200)
        let before = try await kid(of: ring)
        try await ring.rotateNow(for: tenant, now: clock.now)
        let after = try await kid(of: ring)
        #expect(after != before)
        clock.move(by: 7_200)
        #expect(try await kid(of: ring) == after)
    }

    @Test("SEC-TOK-5: a rotation by hand keeps the notice, and happens once; at once, the announced key comes early")
    func rotationsByHand() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        let old = try await kid(of: ring)
        for _ in 0..<2 { try await ring.announceRotation(for: tenant, now: clock.now) }
        let keys = try await ring.status(for: tenant, now: clock.now)
        #expect(keys.map(\.state) == [.next, .signing])
        #expect(keys[0].activeFrom == clock.now + KeySchedule.notice)
        #expect(try await kid(of: ring) == old)
        clock.move(by: 5)
        try await ring.rotateNow(for: tenant, now: clock.now)
        #expect(try await kid(of: ring) == keys[0].kid)
        #expect(
            try await ring.status(for: tenant, now: clock.now).map(\.state)
                == [.signing, .retired(until: clock.now + 5_400 + KeySchedule.notice)])
    }

    @Test("SEC-TOK-2: another algorithm comes with a new key, and stays; tokens of the old one stay good")
    func anotherAlgorithm() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        let old = try await ring.sign(.fixture()).accessToken
        try await ring.announceRotation(for: tenant, now: clock.now)
        try await ring.announceRotation(for: tenant, algorithm: .rs256, now: clock.now)
        #expect(try await ring.status(for: tenant, now: clock.now).map(\.algorithm) == [.rs256, .es256])
        try await ring.rotateNow(for: tenant, now: clock.now)
        try await ring.rotateNow(for: tenant, now: clock.now)
        #expect(try await ring.status(for: tenant, now: clock.now).map(\.algorithm) == [.rs256, .rs256, .es256])
        _ = try await ring.verify(old)
        _ = try await ring.verify(ring.sign(.fixture()).accessToken)
    }

    @Test("SEC-TOK-5, SEC-AUD-1: after an emergency the old tokens are refused, and no older key signs again")
    func anEmergency() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        let first = try await ring.sign(.fixture()).accessToken
        try await ring.rotateNow(for: tenant, now: clock.now)
        let second = try await ring.sign(.fixture()).accessToken
        #expect(try await ring.revoke(TokenParts(second).kid, for: tenant, now: clock.now))
        await expect("unknownKey") { _ = try await ring.verify(second) }
        let third = try await ring.sign(.fixture()).accessToken
        #expect(try ![TokenParts(first).kid, TokenParts(second).kid].contains(TokenParts(third).kid))
        _ = try await ring.verify(first)
        #expect(try await KeySet(ring.jwks(for: tenant)).keys.map(\.kid).contains(TokenParts(second).kid) == false)
        #expect(await !store.records.contains { (try? TokenParts(second).kid) == $0.kid })
        // The first key was made before there was anything to rotate.
        #expect(await store.events == [.keyRotated, .keyRevoked])
    }

    @Test(
        "SEC-TOK-5: the announced key replaces a revoked one; a revoked old or next key leaves the rest alone"
    )
    func whatComesAfterARevokedKey() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        let first = try await kid(of: ring)
        try await ring.announceRotation(for: tenant, now: clock.now)
        let next = try await ring.status(for: tenant, now: clock.now)[0].kid
        #expect(try await ring.revoke(first, for: tenant, now: clock.now))
        #expect(try await kid(of: ring) == next)
        try await ring.rotateNow(for: tenant, now: clock.now)
        try await ring.announceRotation(for: tenant, now: clock.now)
        let keys = try await ring.status(for: tenant, now: clock.now)
        #expect(keys.count == 3)
        for gone in [keys[0], keys[2]] { #expect(try await ring.revoke(gone.kid, for: tenant, now: clock.now)) }
        #expect(try await ring.status(for: tenant, now: clock.now).map(\.kid) == [keys[1].kid])
        #expect(try await ring.revoke("another", for: tenant, now: clock.now) == false)
        #expect(try await ring.revoke(keys[1].kid, for: TenantID(.fixture(4)), now: clock.now) == false)
    }

    @Test("SEC-TOK-5: another process sees a revocation and a rotation within a minute")
    func anotherProcessSeesItWithinAMinute() async throws {
        let (one, other) = (KeyRing.fixture(store, clock: clock), KeyRing.fixture(store, clock: clock))
        let token = try await other.sign(.fixture()).accessToken
        try await one.prepare(for: tenant)
        #expect(try await one.revoke(TokenParts(token).kid, for: tenant, now: clock.now))
        _ = try await other.verify(token)
        clock.move(by: 60)
        await expect("unknownKey") { _ = try await other.verify(token) }
        #expect(try await kid(of: other) == kid(of: one))
        #expect(try await other.jwks(for: tenant) == one.jwks(for: tenant))
    }

    @Test("SEC-TOK-5: a reading that began before a revocation does not bring the key back", .timeLimit(.minutes(1)))
    func aReadingThatBeganBeforeARevocation() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        let token = try await ring.sign(.fixture()).accessToken
        let kid = try TokenParts(token).kid
        await store.holdUpdates(until: 2)
        async let isRevoked = ring.revoke(kid, for: tenant, now: clock.now)
        while await store.updates < 2 { await Task.yield() }
        clock.move(by: 60)
        await store.holdNextRead()
        async let late = ring.jwks(for: tenant)
        while await store.heldRead == nil { await Task.yield() }
        let reads = await store.reads
        await store.releaseUpdates()
        // The revocation reads again, or waits for the held read.
        for _ in 0..<1_000 where await store.reads == reads { await Task.yield() }
        await store.releaseRead()
        #expect(try await isRevoked)
        _ = try await late
        await expect("unknownKey") { _ = try await ring.verify(token) }
    }

    @Test("While the store fails, the keys that were read before stay in use, and a failed rotation changes nothing")
    func whileTheStoreFails() async throws {
        let ring = KeyRing.fixture(store, clock: clock)
        let token = try await ring.sign(.fixture()).accessToken
        await store.setBroken(true)
        clock.move(by: 3_600)
        _ = try await ring.verify(token)
        await #expect(throws: TokenIssuerError.self) { try await ring.rotateNow(for: tenant, now: clock.now) }
        await #expect(throws: TokenIssuerError.self) { try await ring.rotateIfDue(now: clock.now) }
        await store.setBroken(false)
        #expect(try await ring.status(for: tenant, now: clock.now).map(\.state) == [.signing])
    }

    @Test("SEC-TOK-11: a key that signs at once does so at that very moment, whatever its fraction of a second")
    func atOnceIsNotLater() throws {
        let schedule = KeySchedule(longestTokenLife: 5_400)
        let keys = ["old", "new"].map { kid in
            SigningKeyRecord(
                tenant: tenant, kid: kid, algorithm: .es256, sealedPrivateKey: Data(),
                createdAt: Date(timeIntervalSinceReferenceDate: 0))
        }
        for millisecond in 0..<2_000 {
            let now = Date(timeIntervalSinceReferenceDate: 817_000_000 + Double(millisecond) / 1000)
            let rotated = schedule.rotatingNow(keys[1], [keys[0]], now: now)
            #expect(schedule.signer(of: rotated, at: now)?.kid == "new", "at \(millisecond) ms")
        }
    }

    @Test("SEC-TOK-6: under another master key nothing is rotated")
    func anotherMasterKey() async throws {
        try await KeyRing.fixture(store).prepare(for: tenant)
        let ring = KeyRing.fixture(store, vault: .fixture(key: 8), clock: clock)
        let before = await store.records
        await #expect(throws: TokenIssuerError.self) { try await ring.rotateNow(for: tenant, now: clock.now) }
        await #expect(throws: TokenIssuerError.self) { try await ring.announceRotation(for: tenant, now: clock.now) }
        #expect(await store.records == before)
    }

    private func kid(of ring: KeyRing) async throws -> String {
        try TokenParts(
            await ring.sign(.fixture(issuedAt: clock.now.timeIntervalSince1970)).accessToken
        ).kid
    }
}

/// A resource server that caches the key set.
private struct CachingClient {
    let kids: Set<String>
    let keys: JWTKeyCollection
    let fetchedAt: Date

    init(_ jwks: Data, at now: Date) async throws {
        kids = try Set(KeySet(jwks).keys.map(\.kid))
        keys = try await JWTKeyCollection().add(jwksJSON: String(decoding: jwks, as: UTF8.self))
        fetchedAt = now
    }

    func accepts(_ token: String) async throws -> Bool {
        // The collection would try its first key in place of one that it does not know.
        guard try kids.contains(TokenParts(Secret(token)).kid) else { return false }
        _ = try await keys.verify(token, as: Claims.self)
        return true
    }
}
