import Crypto
import Foundation
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import Logging
import NativeAuthCore
import Synchronization
import Testing

@testable import IdentityHooks

/// A clock that stands still until it is moved.
private final class StandingClock: WallClock {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    var now: Date { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// Notifications over real HTTP, from the audit trail of a real database.
@Suite("Telling subscribers", .timeLimit(.minutes(1)))
struct NotificationTests {
    private struct Fixture {
        let store: SQLiteStore
        let clock = StandingClock()
        let chain = AuditChain(
            vault: Vault(masterKey: SymmetricKey(size: .bits256), randomness: SystemRandomness()))
        let courier: NotificationCourier
        let tenant = TenantID(.fixture(1))

        init() throws {
            store = try SQLiteStore.inMemory()
            courier = NotificationCourier(
                store: store, http: OutgoingHTTP(allowsHTTP: true, mayDial: { _ in true }),
                tokens: HookTokens(
                    issuer: PlainIssuer(), baseURL: "https://id.example.com", randomness: SystemRandomness()),
                lineID: { number, _ in "line-\(number)" }, clock: clock, randomness: SystemRandomness(),
                logger: Logger(label: "courier", factory: { _ in SwiftLogNoOpLogHandler() }))
        }

        func record(_ kinds: AuditEvent.Kind...) async throws {
            for kind in kinds {
                try await store.record(
                    AuditEvent(
                        kind, at: clock.now, tenant: tenant, client: ClientID(.fixture(2)), user: UserID(.fixture(4)),
                        detail: "secret detail"))
            }
            _ = try await chain.seal(in: store)
        }

        func serve(_ subscriber: Subscriber) async { await courier.serve(subscriber, of: tenant) }
    }

    private func subscriber(
        _ url: String, _ events: Set<Subscriber.Event> = Set(Subscriber.Event.allCases)
    ) -> Subscriber {
        Subscriber(id: .fixture(9), displayName: "CRM", url: url, audience: .fixture(0xAA), events: events)
    }

    private func told(_ log: RequestLog) throws -> [[String: String]] {
        try log.entries.map { entry in
            let body = try #require(try JSONSerialization.jsonObject(with: entry.body) as? [String: Any])
            let data = try #require(body["data"] as? [String: String])
            return [
                "id": body["id"] as? String ?? "", "type": body["type"] as? String ?? "",
                "reason": data["reason"] ?? "", "user": data["userId"] ?? "", "members": "\(data.count)",
            ]
        }
    }

    @Test("SEC-HOOK-5: each of the six events is told once, in order, with ids and no details")
    func events() async throws {
        try await Receiver.run { url, log in
            let fixture = try Fixture()
            let subscriber = subscriber("\(url)/claims")
            await fixture.serve(subscriber)
            try await fixture.record(
                .signUpStarted, .signUpCompleted, .profileChanged, .methodRegistered, .passwordChanged, .signInLocked,
                .tokenIssued, .accountDeleted)
            await fixture.serve(subscriber)
            await fixture.serve(subscriber)
            let told = try told(log)
            #expect(
                told.map { $0["type"] } == [
                    "user.created", "user.updated", "method.changed", "password.changed", "signin.blocked",
                    "user.deleted",
                ])
            #expect(Set(told.map { $0["type"] }) == Set(Subscriber.Event.allCases.map(\.rawValue)))
            #expect(told.first?["user"] == UUID.fixture(4).text && told.first?["members"] == "4")
            #expect(told.first?["reason"] == "signup.completed" && told.first?["id"] == "line-2")
            #expect(!log.entries.contains { $0.body.range(of: Data("secret".utf8)) != nil })
        }
    }

    @Test("A subscriber is told only the events that it asked for")
    func chosenEvents() async throws {
        try await Receiver.run { url, log in
            let fixture = try Fixture()
            let subscriber = subscriber("\(url)/claims", [.userDeleted])
            await fixture.serve(subscriber)
            try await fixture.record(.signUpCompleted, .accountDeleted, .profileChanged)
            await fixture.serve(subscriber)
            #expect(try told(log).map { $0["type"] } == ["user.deleted"])
        }
    }

    @Test("SEC-HOOK-5: what is not taken is sent again under its id, before what came after it, at growing intervals")
    func retries() async throws {
        try await Receiver.run { url, log in
            let fixture = try Fixture()
            var subscriber = subscriber("\(url)/error")
            await fixture.serve(subscriber)
            try await fixture.record(.signUpCompleted, .accountDeleted)
            for _ in 0..<3 { await fixture.serve(subscriber) }
            #expect(log.count("error") == 1, "the next attempt is not due")
            fixture.clock.advance(by: 1.3)
            await fixture.serve(subscriber)
            fixture.clock.advance(by: 1.3)
            await fixture.serve(subscriber)
            #expect(log.count("error") == 2)
            subscriber.url = "\(url)/claims"
            fixture.clock.advance(by: 1.3)
            await fixture.serve(subscriber)
            #expect(try told(log).map { $0["id"] } == ["line-1", "line-1", "line-1", "line-2"])
        }
    }

    @Test("After three days a line is left out, and the next one is sent")
    func givenUp() async throws {
        try await Receiver.run { url, log in
            let fixture = try Fixture()
            let subscriber = subscriber("\(url)/gone")
            await fixture.serve(subscriber)
            try await fixture.record(.signUpCompleted)
            await fixture.serve(subscriber)
            fixture.clock.advance(by: NotificationCourier.longestWait + 1)
            try await fixture.record(.accountDeleted)
            await fixture.serve(subscriber)
            #expect(try told(log).map { $0["id"] } == ["line-1", "line-1", "line-2"])
        }
    }

    @Test("SEC-HOOK-5: a hanging subscriber holds up no other, and is not called twice at once")
    func hanging() async throws {
        try await Receiver.run { url, log in
            let fixture = try Fixture()
            var other = subscriber("\(url)/claims")
            other.id = .fixture(8)
            let hanging = subscriber("\(url)/slow")
            await fixture.serve(other)
            await fixture.serve(hanging)
            try await fixture.record(.signUpCompleted)
            let start = ContinuousClock.now
            async let first: Void = fixture.serve(hanging)
            async let second: Void = fixture.serve(hanging)
            await fixture.serve(other)
            #expect(ContinuousClock.now - start < .seconds(2) && log.count("claims") == 1)
            _ = await (first, second)
            #expect(log.count("slow") == 1)
        }
    }
}
