import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@Suite("Browser stores")
struct BrowserStoreTests {
    private func session(
        of user: NewUser, _ name: String = "cookie", id: UUID = UUID(), seenAt: Date = noon, isKept: Bool = false
    ) throws -> BrowserSession {
        let email = try #require(EmailAddress("ada@example.com"))
        return BrowserSession(
            id: id, tenant: contoso, digest: digest(name),
            authentication: Authentication(
                account: .account(user.id, credentialVersion: 0), email: email, origin: .signIn, knowsPassword: true,
                mailboxes: [email], authenticatedAt: noon, capabilities: []), createdAt: noon, seenAt: seenAt,
            isKept: isKept)
    }

    private func family(of user: NewUser, in session: UUID, _ scopes: [String]) -> RefreshFamily {
        var family = fixtureFamily(of: user)
        family.browserSession = session
        family.scopes = scopes
        return family
    }

    private static let signOut = AuditEvent(.browserSignedOut, at: noon, tenant: contoso)

    @Test("A session reads back with its account, by digest and by id", arguments: StoreUnderTest.available)
    func aSessionReadsBack(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let session = try session(of: user)
            try await store.perform(.createUser(user), .openBrowserSession(session, replacing: nil))
            let found = try #require(try await store.browserSignIn(session.digest, in: contoso))
            #expect(found.session == session)
            #expect(found.account == (try await store.account(user.id, in: contoso)))
            #expect(try await store.browserSignIn(of: session.id, in: contoso) == found)
            #expect(try await store.browserSignIn(digest("other"), in: contoso) == nil)
            #expect(try await store.browserSignIn(session.digest, in: TenantID(UUID())) == nil)
            try await store.noteUse(ofBrowserSession: session.id, in: contoso, at: noon + 90)
            try await store.noteUse(ofBrowserSession: session.id, in: contoso, at: noon + 60)
            #expect(try await store.browserSignIn(session.digest, in: contoso)?.session.seenAt == noon + 90)
        }
    }

    @Test(
        "The sessions of a user are listed with the account, the last used first, and those of others are not",
        arguments: StoreUnderTest.available)
    func listing(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (user, other) = (fixtureUser("ada"), fixtureUser("bob"))
            let old = try session(of: user, "old", seenAt: noon + 1)
            let new = try session(of: user, "new", seenAt: noon + 2, isKept: true)
            try await store.perform(
                .createUser(user), .createUser(other), .openBrowserSession(old, replacing: nil),
                .openBrowserSession(new, replacing: nil),
                .openBrowserSession(try session(of: other, "other"), replacing: nil))
            let found = try await store.browserSignIns(of: user.id, in: contoso)
            #expect(found.map(\.session) == [new, old])
            let account = try #require(try await store.account(user.id, in: contoso))
            #expect(found.map(\.account) == [account, account])
            #expect(try await store.browserSignIns(of: user.id, in: TenantID(UUID())).isEmpty)
        }
    }

    @Test(
        "SEC-WEB-5, OIDC-23: a new session takes the place of the old one, whose passing tokens end with another user only",
        arguments: StoreUnderTest.available, [true, false])
    func replacing(_ sut: StoreUnderTest, isSame: Bool) async throws {
        try await sut.withStore { store in
            let (user, other) = (fixtureUser("ada"), fixtureUser("bob"))
            let first = try session(of: user)
            let passing = family(of: user, in: first.id, ["openid"])
            let lasting = family(of: user, in: first.id, ["openid", "offline_access"])
            try await store.perform(
                .createUser(user), .createUser(other), .openBrowserSession(first, replacing: nil),
                .openRefreshFamily(passing), .openRefreshFamily(lasting))
            let second = try session(of: isSame ? user : other, "new cookie", id: isSame ? first.id : UUID())
            try await store.perform(.openBrowserSession(second, replacing: first.id))
            #expect(try await store.browserSignIn(first.digest, in: contoso) == nil)
            #expect(try await store.browserSignIn(second.digest, in: contoso)?.session == second)
            let ended = try await store.refreshFamily(passing.id, in: contoso)?.revokedAt
            #expect((ended == nil) == isSame)
            #expect(try await store.refreshFamily(lasting.id, in: contoso)?.revokedAt == nil)
        }
    }

    @Test(
        "OIDC-23: a sign-out ends the session and the tokens without offline_access, once",
        arguments: StoreUnderTest.available)
    func signingOut(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let session = try session(of: user)
            let passing = family(of: user, in: session.id, ["openid"])
            let lasting = family(of: user, in: session.id, ["openid", "offline_access"])
            try await store.perform(
                .createUser(user), .openBrowserSession(session, replacing: nil), .openRefreshFamily(passing),
                .openRefreshFamily(lasting))
            for _ in 0..<2 {
                try await store.endBrowserSession(session.id, in: contoso, at: noon + 5, recording: Self.signOut)
            }
            #expect(try await store.browserSignIn(session.digest, in: contoso) == nil)
            #expect(try await store.refreshFamily(passing.id, in: contoso)?.revokedAt == noon + 5)
            #expect(try await store.refreshFamily(lasting.id, in: contoso)?.revokedAt == nil)
            let events = try await rows("SELECT COUNT(*) FROM audit WHERE kind = 'logout.requested'", in: store)
            #expect(events == [["1"]])
        }
    }

    @Test(
        "OIDC-23: the user's end of one session takes the browser's, if it is the user's, and its passing tokens",
        arguments: StoreUnderTest.available)
    func endingByChange(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let (user, other) = (fixtureUser("ada"), fixtureUser("bob"))
            let session = try session(of: user)
            let passing = family(of: user, in: session.id, ["openid"])
            let lasting = family(of: user, in: session.id, ["openid", "offline_access"])
            try await store.perform(
                .createUser(user), .createUser(other), .openBrowserSession(session, replacing: nil),
                .openRefreshFamily(passing), .openRefreshFamily(lasting))
            try await store.perform(.endBrowserSession(session.id, of: other.id, at: noon + 4))
            #expect(try await store.browserSignIn(session.digest, in: contoso) != nil)
            #expect(try await store.refreshFamily(passing.id, in: contoso)?.revokedAt == nil)
            for offset in 5..<7 {
                try await store.perform(.endBrowserSession(session.id, of: user.id, at: noon + Double(offset)))
            }
            #expect(try await store.browserSignIn(session.digest, in: contoso) == nil)
            #expect(try await store.refreshFamily(passing.id, in: contoso)?.revokedAt == noon + 5)
            #expect(try await store.refreshFamily(lasting.id, in: contoso)?.revokedAt == nil)
        }
    }

    /// How a session ends, for the queue of those who are told.
    enum Ending: CaseIterable {
        case signOut, anotherUser, account, all, twoFactorsKept, deletion, sameUser, expiry
    }

    @Test(
        "OIDC-25: each end of a session, but by time, queues each application that got tokens from it, once",
        arguments: StoreUnderTest.available, Ending.allCases)
    func queueing(_ sut: StoreUnderTest, _ ending: Ending) async throws {
        try await sut.withStore { store in
            let (user, other) = (fixtureUser("ada"), fixtureUser("bob"))
            let session = try session(of: user)
            var families = (0..<3).map { _ in family(of: user, in: session.id, ["openid"]) }
            families[1].client = ClientID(UUID())
            families[1].revokedAt = noon
            var native = fixtureFamily(of: user)
            native.client = ClientID(UUID())
            try await store.perform(
                .createUser(user), .createUser(other), .openBrowserSession(session, replacing: nil),
                .openRefreshFamily(families[0]), .openRefreshFamily(families[1]), .openRefreshFamily(families[2]),
                .openRefreshFamily(native))
            let end = noon + 7
            var told: [ClientID] = []
            switch ending {
            case .signOut:
                told = try await store.endBrowserSession(session.id, in: contoso, at: end, recording: Self.signOut)
            case .anotherUser:
                var next = try self.session(of: other, "next")
                next.createdAt = end
                try await store.perform(.openBrowserSession(next, replacing: session.id))
            case .account: try await store.perform(.endBrowserSession(session.id, of: user.id, at: end))
            case .all: try await store.perform(.revokeRefreshFamilies(user.id, at: end))
            case .twoFactorsKept:
                try await store.perform(.revokeRefreshFamilies(user.id, keepingTwoFactors: true, at: end))
            case .deletion: try await store.perform(.deleteUser(user.id, mark: digest("mark"), at: end))
            case .sameUser:
                try await store.perform(
                    .openBrowserSession(try self.session(of: user, "next", id: session.id), replacing: session.id))
            case .expiry: _ = try await store.removeExpired(now: noon + 30 * 86_400)
            }
            let due = try await store.leaseLogouts(
                MailRoom(total: 10, perLane: 10), now: noon + 90 * 86_400, until: noon + 91 * 86_400)
            let isKept = ending == .twoFactorsKept && session.authentication.factors > 1
            guard ending != .sameUser, ending != .expiry, !isKept else {
                #expect(due.isEmpty)
                return
            }
            let clients = Set(families.map(\.client))
            #expect(due.count == 2 && Set(due.map(\.client)) == clients)
            #expect(ending != .signOut || Set(told) == clients && told.count == 2)
            for logout in due {
                #expect(logout.user == user.id && logout.browserSession == session.id && logout.endedAt == end)
                #expect(logout.tenant == contoso && logout.attempts == 0)
            }
        }
    }

    @Test(
        "OIDC-25: of 8 nodes one has a row at a time; lanes bound it; a late node changes nothing",
        arguments: StoreUnderTest.available)
    func leasing(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            try await store.perform(.createUser(user))
            let clients = [ClientID(UUID()), ClientID(UUID())]
            for index in 0..<6 {
                let session = try session(of: user, "cookie \(index)")
                var family = family(of: user, in: session.id, ["openid"])
                family.client = clients[index % 2]
                try await store.perform(.openBrowserSession(session, replacing: nil), .openRefreshFamily(family))
            }
            try await store.perform(.revokeRefreshFamilies(user.id, at: noon))
            let narrow = try await store.leaseLogouts(MailRoom(total: 9, perLane: 2), now: noon, until: noon + 30)
            #expect(narrow.count == 4)
            let rest = try await race(8) { _ in
                try await store.leaseLogouts(MailRoom(total: 9, perLane: 9), now: noon, until: noon + 30)
            }
            #expect(rest.flatMap(\.self).count == 2)
            var full = MailRoom(total: 9, perLane: 9)
            for _ in 0..<9 { _ = full.take(narrow[0].lane) }
            #expect(try await store.leaseLogouts(full, now: noon + 31, until: noon + 60).isEmpty, "no room")
            var lane = MailRoom(total: 18, perLane: 9)
            for _ in 0..<9 { _ = lane.take(narrow[0].lane) }
            let again = try await store.leaseLogouts(lane, now: noon + 31, until: noon + 60)
            #expect(again.count == 3 && again.allSatisfy { $0.client != narrow[0].client && $0.attempts == 1 })
            // The first lease of the same row is over.
            let late = try #require(narrow.first { $0.client == again[0].client })
            try await store.postponeLogout(late, attempts: 1, until: noon)
            #expect(try await store.leaseLogouts(lane, now: noon + 32, until: noon + 60).isEmpty)
            try await store.postponeLogout(again[0], attempts: 1, until: noon + 33)
            #expect(try await store.leaseLogouts(lane, now: noon + 33, until: noon + 60).map(\.attempts) == [1])
            let event = AuditEvent(.logoutUndelivered, at: noon, tenant: contoso)
            for _ in 0..<2 { try await store.endLogout(again[1], recording: event) }
            #expect(
                try await rows("SELECT COUNT(*) FROM audit WHERE kind = 'logout.undelivered'", in: store) == [["1"]])
            #expect(try await rows("SELECT COUNT(*) FROM logouts", in: store) == [["5"]])
        }
    }

    @Test("Sessions and presented codes are removed after their time", arguments: StoreUnderTest.available)
    func removal(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let (passing, kept) = (try session(of: user), try session(of: user, "kept", isKept: true))
            try await store.perform(
                .createUser(user), .openBrowserSession(passing, replacing: nil),
                .openBrowserSession(kept, replacing: nil))
            let until = noon + 100
            try await store.presentCode(digest("code"), ofBrowserSession: passing.id, in: contoso) { _ in
                (PresentedCode(digest: digest("code"), failures: 1, until: until), [], ())
            }
            _ = try await store.removeExpired(now: noon + 1_799)
            #expect(try await store.browserSignIn(passing.digest, in: contoso) != nil)
            #expect(try await rows("SELECT COUNT(*) FROM presented_codes", in: store) == [["0"]])
            _ = try await store.removeExpired(now: noon + 1_800)
            #expect(try await store.browserSignIn(passing.digest, in: contoso) == nil)
            _ = try await store.removeExpired(now: noon + 14 * 86_400)
            #expect(try await store.browserSignIn(kept.digest, in: contoso) == nil)
        }
    }

    @Test(
        "OIDC-8, OIDC-9: of 16 presentations of a code one redeems it, and the others see that",
        arguments: StoreUnderTest.available)
    func aCodeIsRedeemedOnce(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let session = try session(of: user)
            try await store.perform(.createUser(user), .openBrowserSession(session, replacing: nil))
            let wins = try await race(16) { index in
                let family = fixtureFamily(of: user)
                return try await store.presentCode(digest("code"), ofBrowserSession: session.id, in: contoso) { facts in
                    guard facts.signIn?.session.id == session.id, facts.presented?.redemption == nil else {
                        return (nil, [], false)
                    }
                    let redemption = PresentedCode.Redemption(
                        at: noon, family: family.id, requestDigest: digest("\(index)"), sealedAnswer: Data([1]))
                    return (
                        PresentedCode(digest: digest("code"), failures: 2, redemption: redemption, until: noon + 60),
                        [.openRefreshFamily(family)], true
                    )
                }
            }
            #expect(wins.count { $0 } == 1)
            #expect(try await rows("SELECT COUNT(*) FROM refresh_families", in: store) == [["1"]])
            let seen = try await store.presentCode(digest("code"), ofBrowserSession: UUID(), in: contoso) {
                (nil, [], $0)
            }
            #expect(seen.signIn == nil)
            #expect(seen.presented?.failures == 2 && seen.presented?.redemption?.sealedAnswer == Data([1]))
        }
    }

    @Test("A deleted user has no session", arguments: StoreUnderTest.available)
    func deletion(_ sut: StoreUnderTest) async throws {
        try await sut.withStore { store in
            let user = fixtureUser("ada")
            let session = try session(of: user)
            try await store.perform(.createUser(user), .openBrowserSession(session, replacing: nil))
            try await store.perform(.deleteUser(user.id, mark: digest("mark"), at: noon))
            #expect(try await store.browserSignIn(session.digest, in: contoso) == nil)
            #expect(try await rows("SELECT COUNT(*) FROM browser_sessions", in: store) == [["0"]])
        }
    }
}
