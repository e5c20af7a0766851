import Crypto
import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuthCore
import Testing

/// Pages of the audit trail, as operators read it.
@Suite("Pages of the audit trail", .timeLimit(.minutes(2))) struct AuditPageTests {
    private struct NoRandomness: Randomness {
        func bytes(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
    }

    private let chain = AuditChain(
        vault: Vault(masterKey: SymmetricKey(data: Data(repeating: 1, count: 32)), randomness: NoRandomness()))

    /// All pages of a query; each page keeps its length and its order.
    private func all(_ query: AuditQuery, in store: any SQLStore) async throws -> (events: [AuditEvent], pages: Int) {
        var (query, events, pages) = (query, [AuditEvent](), 0)
        var last = Int.max
        repeat {
            let page = try await store.auditPage(query, in: contoso)
            #expect(page.events.count <= query.limit)
            for line in page.events {
                #expect(line.seq < last)
                last = line.seq
            }
            events += page.events.map(\.event)
            query.before = page.next
            pages += 1
            try #require(pages < 1_000)
        } while query.before != nil
        return (events, pages)
    }

    @Test(
        "SEC-AUD-1: 200 random questions find what a search in Swift finds, page by page, sealed and not sealed",
        arguments: DatabaseUnderTest.all)
    func randomQuestions(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let seed = UInt64.random(in: 0...9_999)
            var choice = DirectorySearchTests.Choice(state: seed)
            let users = (0..<4).map { _ in UserID(UUID()) }
            let clients = (0..<3).map { _ in ClientID(UUID()) }
            let kinds: [AuditEvent.Kind] = [.signInSucceeded, .signInFailed, .codeSent, .accountDeleted]
            var written: [AuditEvent] = []
            for number in 0..<240 {
                // Neighbours may have each other's times, and many share one.
                let event = AuditEvent(
                    choice.one(of: kinds), at: noon + Double(number / 3 * 60 - choice.number(below: 300)),
                    tenant: contoso, client: choice.one(of: clients + [nil]), flow: UUID(),
                    user: choice.one(of: users + [nil]), detail: "\(number)")
                written.append(event)
                try await store.record(event)
                if number == 200 { _ = try await chain.seal(in: store) }
            }
            try await store.record(AuditEvent(.signInFailed, at: noon, tenant: TenantID(UUID()), user: users[0]))
            for number in 0..<200 {
                var query = AuditQuery(
                    Set(kinds.filter { _ in choice.number(below: 3) > 0 }), limit: 1 + choice.number(below: 9))
                if choice.number(below: 2) == 0 { query.user = choice.one(of: users) }
                if choice.number(below: 3) == 0 { query.client = choice.one(of: clients) }
                if choice.number(below: 2) == 0 { query.since = noon + Double(choice.number(below: 5_400) - 400) }
                if choice.number(below: 2) == 0 { query.until = noon + Double(choice.number(below: 5_400) - 400) }
                let expected = written.reversed().filter { event in
                    query.kinds.contains(event.kind) && (query.user == nil || event.user == query.user)
                        && (query.client == nil || event.client == query.client)
                        && event.at >= query.since ?? .distantPast && event.at <= query.until ?? .distantFuture
                }
                let found = try await all(query, in: store).events
                try #require(
                    found.map(\.detail) == expected.map(\.detail), "seed \(seed), question \(number): \(query)")
            }
        }
    }

    @Test(
        "A page looks at a bounded number of lines: a rare line is found on a later page, and times lead to it at once",
        arguments: DatabaseUnderTest.all)
    func theLookIsBounded(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let rare = AuditEvent(.restoreDone, at: noon, tenant: contoso, detail: "rare")
            try await store.record(rare)
            let user = UserID(UUID())
            let lines: [Effect] = (0..<21_000).map { number in
                .record(AuditEvent(.codeSent, at: noon + 3_600 + Double(number), tenant: contoso, user: user))
            }
            _ = try await store.change(user, in: contoso, names: [], marks: []) { _ in (lines, ()) }
            let found = try await all(AuditQuery([.restoreDone]), in: store)
            #expect(found.events.map(\.detail) == ["rare"] && found.pages == 3)
            var query = AuditQuery([.restoreDone])
            query.until = noon + 1_800
            let atOnce = try await all(query, in: store)
            #expect(atOnce.events.map(\.detail) == ["rare"] && atOnce.pages == 1)
            (query.since, query.until) = (noon + 1_800, nil)
            #expect(try await all(query, in: store).events.isEmpty)
        }
    }

    @Test(
        "A reader who goes on from the highest position sees each line once, while others write and the trail is sealed",
        arguments: DatabaseUnderTest.all)
    func aReaderMissesNothing(_ sut: DatabaseUnderTest) async throws {
        try await sut.withStore { store in
            let chain = chain
            async let writing: Void = withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<60 {
                            // The time of a line is older than the line: its request began before.
                            let at = noon + Double(number) - Double((writer + number) % 3)
                            try await store.record(
                                AuditEvent(.signInFailed, at: at, tenant: contoso, detail: "\(writer)/\(number)"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            var (seen, position): ([String], Int) = ([], 0)
            func poll() async throws {
                var query = AuditQuery([.signInFailed], limit: 7)
                query.after = position
                repeat {
                    let page = try await store.auditPage(query, in: contoso)
                    seen += page.events.compactMap(\.event.detail)
                    position = max(position, page.events.compactMap(\.position).max() ?? 0)
                    query.before = page.next
                } while query.before != nil
            }
            while seen.count < 200 {
                _ = try await chain.seal(in: store)
                try await poll()
            }
            try await writing
            _ = try await chain.seal(in: store)
            try await poll()
            #expect(seen.count == 240 && Set(seen).count == 240)
        }
    }
}
