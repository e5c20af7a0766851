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
