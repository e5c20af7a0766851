import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import Testing

@testable import IdentityStorePostgres

@Suite("PostgreSQL: shared transactions", .timeLimit(.minutes(1)))
struct SharedTransactionTests {
    private func newFlow(_ effects: Effect...) -> FlowChange {
        FlowChange(row: FlowRow(expiresAt: noon + 900), effects: effects)
    }

    @Test("Steps of different flows that wait for a connection share a transaction")
    func stepsShare() async throws {
        try await PostgresServer.withStore { store in
            _ = try await race(200) { _ in try await store.write(newFlow(), fixtureQuery()) }
            // The transaction that wrote a row is a column of the row.
            let written = try await store.unsafeSQL(
                "SELECT COUNT(*)::text, COUNT(DISTINCT xmin::text)::text FROM flows")
            let numbers = try #require(written.first).compactMap { $0.flatMap(Int.init) }
            #expect(numbers.first == 200)
            #expect(try #require(numbers.last) < 100)
        }
    }

    @Test("A step that fails takes no other one with it")
    func aFailureStaysAlone() async throws {
        var one = PostgresServer.small
        one.connections = 1
        try await PostgresServer.withStore(one) { store in
            let release = DispatchSemaphore(value: 0)
            async let holder: Void = store.step(fixtureQuery()) { _ in (nil, release.wait()) }
            try await Task.sleep(for: .milliseconds(200))
            async let steps: [Bool] = race(64) { number in
                // There is no such user, so the database refuses the write of one of these steps.
                let missing = UserID(UUID())
                let fault = Effect.setDisabled(missing, noon)
                do {
                    try await store.write(number == 0 ? newFlow(fault) : newFlow(), fixtureQuery(user: missing))
                    return true
                } catch is StoreError {
                    return false
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            release.signal()
            let isWritten = try await (holder, steps).1
            #expect(isWritten.count { $0 } == 63)
            let written = try await store.unsafeSQL(
                "SELECT COUNT(*)::text, COUNT(DISTINCT xmin::text)::text FROM flows")
            let numbers = try #require(written.first).compactMap { $0.flatMap(Int.init) }
            #expect(numbers.first == 63)
            // The 15 that shared with it were written alone then, and the others 16 at a time.
            #expect((10..<40).contains(try #require(numbers.last)))
        }
    }

    @Test("REL-OVR-1: steps do not wait for the ones beside them whose flows another node holds")
    func heldFlowsHoldNoOther() async throws {
        try await withTwoNodes { nodes in
            let release = DispatchSemaphore(value: 0)
            let held = (0..<3).map { _ in fixtureQuery() }
            async let holders: [Void] = race(held.count) { number in
                try await nodes[1].step(held[number]) { _ in (nil, release.wait()) }
            }
            try await Task.sleep(for: .milliseconds(200))
            // Each finds another transaction.
            async let waiting: [Void] = race(held.count) { number in
                try await Task.sleep(for: .milliseconds(30 * number))
                try await nodes[0].step(held[number]) { _ in (nil, ()) }
            }
            try await Task.sleep(for: .milliseconds(150))
            let begin = ContinuousClock.now
            _ = try await race(100) { _ in try await nodes[0].write(newFlow(), fixtureQuery()) }
            #expect(ContinuousClock.now - begin < .seconds(2), "a statement waits for a lock for five seconds")
            for _ in held { release.signal() }
            _ = try await (holders, waiting)
        }
    }

    @Test("OIDC-23: a refresh does not undo a revocation that shares its transaction")
    func noRevocationIsUndone() async throws {
        var one = PostgresServer.small
        one.connections = 1
        try await PostgresServer.withStore(one) { store in
            let (ada, bob) = (fixtureUser("ada"), fixtureUser("bob"))
            let email = try #require(EmailAddress("ada@example.com"))
            func session(of user: NewUser, _ cookie: String) -> BrowserSession {
                BrowserSession(
                    id: UUID(), tenant: contoso, digest: digest(cookie),
                    authentication: Authentication(
                        account: .account(user.id, credentialVersion: 0), email: email, origin: .signIn,
                        knowsPassword: true, mailboxes: [email], authenticatedAt: noon, capabilities: []),
                    createdAt: noon, seenAt: noon, isKept: false)
            }
            let (first, second) = (session(of: bob, "first"), session(of: ada, "second"))
            var opened = fixtureFamily(of: bob)
            opened.browserSession = first.id
            opened.scopes = ["openid"]
            let family = opened
            try await store.perform(
                .createUser(ada), .createUser(bob), .openBrowserSession(first, replacing: nil),
                .openRefreshFamily(family))
            let release = DispatchSemaphore(value: 0)
            async let holder: Void = store.step(fixtureQuery()) { _ in (nil, release.wait()) }
            try await Task.sleep(for: .milliseconds(200))
            // Ada signs in in Bob's browser, which ends his tokens there; then his application refreshes.
            async let signIn: Void = store.write(
                newFlow(.openBrowserSession(second, replacing: first.id)), fixtureQuery(user: ada.id))
            try await Task.sleep(for: .milliseconds(100))
            async let refreshed: Bool = store.updateRefreshFamily(family.id, in: contoso) { old in
                guard var next = old, next.revokedAt == nil else { return (nil, nil, false) }
                next.generation += 1
                next.tokenDigest = digest("next")
                return (next, nil, true)
            }
            try await Task.sleep(for: .milliseconds(100))
            release.signal()
            #expect(try await (holder, signIn, refreshed).2 == false)
            #expect(try await store.refreshFamily(family.id, in: contoso)?.revokedAt != nil)
        }
    }

    @Test("SEC-TOK-10: a sign-in that shares the transaction of a change of its account does not outlive it")
    func noSignInOutlivesAChange() async throws {
        var one = PostgresServer.small
        one.connections = 1
        try await PostgresServer.withStore(one) { store in
            let ada = fixtureUser("ada")
            try await store.perform(.createUser(ada))
            let release = DispatchSemaphore(value: 0)
            async let holder: Void = store.step(fixtureQuery()) { _ in (nil, release.wait()) }
            try await Task.sleep(for: .milliseconds(200))
            // A change that has not named the account.
            async let change: Void = store.write(
                newFlow(.changeCredentials(ada.id, at: noon), .revokeRefreshFamilies(ada.id, at: noon)), fixtureQuery())
            try await Task.sleep(for: .milliseconds(100))
            let family = fixtureFamily(of: ada)
            async let isSignedIn: Bool = store.step(fixtureQuery(user: ada.id)) { facts in
                guard facts.account?.credentialVersion == 0 else { return (nil, false) }
                return (newFlow(.openRefreshFamily(family)), true)
            }
            try await Task.sleep(for: .milliseconds(100))
            release.signal()
            #expect(try await (holder, change, isSignedIn).2 == false)
            #expect(try await store.refreshFamily(family.id, in: contoso) == nil)
        }
    }

    @Test("Changes of the same accounts on two nodes never wait for each other in a circle")
    func noCircles() async throws {
        try await withTwoNodes { nodes in
            let users = (0..<6).map { fixtureUser("user\($0)") }
            for user in users {
                try await nodes[0].perform(.createUser(user), .openRefreshFamily(fixtureFamily(of: user)))
            }
            _ = try await race(2_000) { number in
                let user = users[number % 5]
                let effect: Effect =
                    number % 3 == 0
                    ? .revokeRefreshFamilies(user.id, at: noon) : .keepRefreshFamilies(user.id, at: noon)
                try await nodes[number % 2].write(newFlow(effect), fixtureQuery(user: user.id))
            }
            #expect(nodes.map(\.retryCount).reduce(0, +) < 10)
        }
    }

    @Test("Work that waits for no other is taken in its order; what was separated comes before what runs alone")
    func theOrderOfTheQueue() {
        var queue = SubjectQueue()
        let alone = queue.append([], canShare: false)
        let shared = [[1], [2, 3], [4]].map { queue.append($0, canShare: true) }
        let follower = queue.append([3], canShare: true)
        let last = queue.append([], canShare: false)
        #expect(queue.next(together: 8) == [alone])
        #expect(queue.next(together: 2) == [shared[0], shared[1]])
        #expect(queue.next(together: 0) == [last])
        #expect(!queue.hasNext(together: 0))
        queue.separate([shared[0], shared[1]])
        #expect(queue.next(together: 8) == [shared[0]])
        #expect(queue.next(together: 8) == [shared[1]])
        #expect(queue.next(together: 8) == [shared[2]])
        #expect(!queue.hasNext(together: 8), "it waits for the work about the same subject")
        queue.end(shared[1])
        #expect(queue.next(together: 8) == [follower])
        for ticket in shared + [alone, follower, last] { queue.end(ticket) }
        #expect(queue.count == 0)
    }
}
