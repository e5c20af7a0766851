import Foundation
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

@testable import NativeAuth

@Suite("Session changes")
struct SessionChangeTests {
    /// A change as text: its kind and its user.
    private static func words(_ change: SessionChange) -> String {
        switch change {
        case .signedIn(let account): "signed in \(account.homeAccountID)"
        case .renewed(let account): "renewed \(account.homeAccountID)"
        case .ended(let account): "ended \(account.homeAccountID)"
        case .signedOut(let homeAccountID): "signed out \(homeAccountID)"
        }
    }

    private static func next(_ count: Int, of changes: AsyncStream<SessionChange>) async -> [String] {
        await changes.prefix(count).reduce(into: []) { $0.append(words($1)) }
    }

    private static let story =
        signedUp + [
            .session("alice"), .session("alice", access: "AT2"), .refusal(.token, "invalid_grant", codes: [50173]),
        ]
    private static let told = ["signed in alice.T", "renewed alice.T", "ended alice.T", "signed out alice.T"]

    /// Signs Alice in, refreshes, learns that her session has ended, and signs her out.
    private static func tell(_ client: NativeAuthClient) async throws {
        let account = try await signIn(client)
        _ = try await account.accessToken(policy: .force)
        for _ in 1...2 {
            let refused = try await error { () throws(TokenError) in try await account.accessToken(policy: .force) }
            #expect(kind(refused) == "sessionEnded")
        }
        // Sends no request, and changes nothing.
        _ = try await account.accessToken(policy: .cached)
        client.signOut(account)
    }

    @Test func everyListenerHearsEverythingInOrder() async throws {
        try await withClient(Self.story) { client, _ in
            let listeners = (client.sessionChanges, client.sessionChanges)
            try await Self.tell(client)
            #expect(await Self.next(4, of: listeners.0) == Self.told)
            #expect(await Self.next(4, of: listeners.1) == Self.told)
        }
    }

    @Test func aListenerHearsWhatComesAfterItOnly() async throws {
        try await withClient(signedUp + [.session("alice"), .session("alice", access: "AT2")]) { client, _ in
            let account = try await signIn(client)
            let changes = client.sessionChanges
            #expect(client.accounts().count == 1)
            _ = try await account.accessToken(policy: .force)
            #expect(await Self.next(1, of: changes) == ["renewed alice.T"])
        }
    }

    @Test func aChangeIsToldAfterTheWrite() async throws {
        try await withClient(signedUp + [.session("alice", access: "AT1"), .session("alice", access: "AT2")]) {
            client, _ in
            let account = try await signIn(client)
            var changes = client.sessionChanges.makeAsyncIterator()
            async let token = account.accessToken(policy: .force)
            guard case .renewed(let renewed) = await changes.next() else {
                Issue.record("not renewed")
                return
            }
            #expect(try await renewed.accessToken(policy: .cached).value == "AT2")
            _ = try await token
            client.signOut()
            guard case .signedOut = await changes.next() else {
                Issue.record("not signed out")
                return
            }
            #expect(client.accounts().isEmpty)
        }
    }

    @Test func aCacheThatCannotBeWrittenChangesNothing() async throws {
        let cache = FailingCache()
        try await withClient(signedUp + [.session("alice")] + signedUp + [.session("bob")]) {
            $0.tokenCache = cache
        } _: { client, _ in
            let changes = client.sessionChanges
            cache.isFull.withLock { $0 = true }
            _ = try await signIn(client)
            cache.isFull.withLock { $0 = false }
            _ = try await signIn(client)
            #expect(await Self.next(1, of: changes) == ["signed in bob.T"])
        }
    }

    /// A cache that sometimes cannot be written.
    private final class FailingCache: TokenCache {
        let isFull = Mutex(false)
        private let inner = InMemoryTokenCache()

        func withItems<Result: Sendable>(
            of application: String, _ body: (inout [String: Data]) -> Result
        ) throws(TokenCacheError) -> Result {
            guard isFull.withLock(\.self) else { return try inner.withItems(of: application, body) }
            var items: [String: Data] = [:]
            _ = body(&items)
            throw .system("write", code: 28)
        }
    }

    @Test func whatAnotherClientDidShowsWhenTheCacheIsReadNext() async throws {
        let cache = InMemoryTokenCache()
        try await withClient([]) {
            $0.tokenCache = cache
        } _: { listening, _ in
            let changes = listening.sessionChanges
            try await withClient(Self.story) {
                $0.tokenCache = cache
            } _: { client, _ in
                let account = try await signIn(client)
                #expect(listening.accounts().count == 1)
                _ = try await account.accessToken(policy: .force)
                #expect(listening.currentAccount() != nil)
                _ = try await error { () throws(TokenError) in try await account.accessToken(policy: .force) }
                #expect(listening.account(homeAccountID: "alice.T") != nil)
                client.signOut()
                #expect(listening.accounts().isEmpty)
            }
            #expect(await Self.next(4, of: changes) == Self.told)
        }
    }

    @Test func aCancelledListenerEndsAndIsForgotten() async throws {
        try await withClient(signedUp + [.session("alice")]) { client, _ in
            let (hearings, heard) = AsyncStream<Void>.makeStream()
            let listener = Task {
                for await _ in client.sessionChanges { heard.yield() }
            }
            while client.sessions.store.listeners.count == 0 { await Task.yield() }
            _ = try await signIn(client)
            for await _ in hearings { break }
            listener.cancel()
            await listener.value
            #expect(client.sessions.store.listeners.count == 0)
        }
    }

    @Test func aStreamThatNobodyKeepsIsForgotten() async throws {
        try await withClient(signedUp + [.session("alice")]) { client, _ in
            do {
                let changes = client.sessionChanges
                #expect(client.sessions.store.listeners.count == 1)
                // Including the changes that it has not delivered.
                _ = try await signIn(client)
                withExtendedLifetime(changes) {}
            }
            #expect(client.sessions.store.listeners.count == 0)
        }
    }

    @Test func theStreamEndsWithTheClient() async throws {
        let streams = Mutex<[AsyncStream<SessionChange>]>([])
        try await withClient(signedUp + [.session("alice")]) { client, _ in
            let changes = client.sessionChanges
            streams.withLock { $0.append(changes) }
            _ = try await signIn(client)
        }
        let changes = try #require(streams.withLock { $0.popLast() })
        let words = await changes.reduce(into: []) { $0.append(Self.words($1)) }
        #expect(words == ["signed in alice.T"])
    }

    @Test("SDK-STO-4: changes of many threads at once are told in the order of the cache, none twice, none lost")
    func parallel() async throws {
        let number = Mutex(0)
        let nextNumber: @Sendable () -> Int = {
            number.withLock { number in
                number += 1
                return number
            }
        }
        let transport = AnsweringTransport { request in
            let path = request.url.path()
            let stub: Stub =
                if path.hasSuffix("/start") {
                    .started
                } else if path.hasSuffix("/challenge") {
                    .codeSent("T2")
                } else if path.hasSuffix("/continue") {
                    .created()
                } else {
                    .session("user\(nextNumber() % 4)")
                }
            return TransportResponse(status: 200, body: Data(stub.json.utf8))
        }
        try await withClient([]) {
            $0.transport = transport
        } _: { client, _ in
            let changes = client.sessionChanges
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask { @concurrent in
                        do {
                            _ = try await signIn(client)
                        } catch {
                            Issue.record(error)
                        }
                    }
                    group.addTask { @concurrent in
                        for account in client.accounts() { client.signOut(account) }
                    }
                }
            }
            client.signOut()
            let last = try await signIn(client).homeAccountID
            var signedIn: Set<String> = []
            var signIns = 0
            for await change in changes {
                switch change {
                case .signedIn(let account):
                    signIns += 1
                    signedIn.insert(account.homeAccountID)
                case .signedOut(let homeAccountID):
                    #expect(signedIn.remove(homeAccountID) != nil)
                case .renewed, .ended: Issue.record("\(Self.words(change))")
                }
                if signIns == 101 { break }
            }
            #expect(signedIn == [last])
        }
    }
}
