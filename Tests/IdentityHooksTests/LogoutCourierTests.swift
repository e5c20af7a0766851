import IdentityEngine
import IdentityStoreSQLite
import Logging
import NativeAuthCore
import PortableFoundation
import Synchronization
import Testing

@testable import IdentityHooks

private final class MovedClock: WallClock {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    var now: Date { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// A queue in memory; that of the databases is tested with the stores.
private final class MemoryLogouts: LogoutStore {
    struct Row {
        var logout: SessionLogout
        var due: Date
    }

    let rows = Mutex<[Row]>([])
    let events = Mutex<[AuditEvent]>([])

    func leaseLogouts(_ room: MailRoom, now: Date, until end: Date) async throws(StoreError) -> [SessionLogout] {
        rows.withLock { rows in
            var room = room
            return rows.indices.compactMap { index in
                guard rows[index].due <= now, room.take(rows[index].logout.lane) else { return nil }
                defer {
                    rows[index].due = end
                    rows[index].logout.attempts += 1
                }
                return rows[index].logout
            }
        }
    }

    func endLogout(_ logout: SessionLogout, recording event: AuditEvent?) async throws(StoreError) {
        rows.withLock { $0.removeAll { $0.logout.browserSession == logout.browserSession } }
        if let event { events.withLock { $0.append(event) } }
    }

    func postponeLogout(_ logout: SessionLogout, attempts: Int, until due: Date) async throws(StoreError) {
        rows.withLock { rows in
            for index in rows.indices where rows[index].logout.browserSession == logout.browserSession {
                rows[index].due = due
                rows[index].logout.attempts = attempts
            }
        }
    }
}

/// Ended sessions, told over real HTTP.
@Suite("Telling applications of ended sessions", .timeLimit(.minutes(1)))
struct LogoutCourierTests {
    private struct Fixture {
        let store = MemoryLogouts()
        let clock = MovedClock()
        let courier: LogoutCourier

        init(
            mayDial: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }, allowsHTTP: Bool = true,
            _ address: @escaping @Sendable (ClientID) -> String?
        ) {
            let count = Counted()
            counted = count
            courier = LogoutCourier(
                store: store, http: OutgoingHTTP(allowsHTTP: allowsHTTP, mayDial: mayDial),
                address: { client, _ in address(client) },
                token: { logout, now throws(TokenIssuerError) in
                    Secret("\(logout.browserSession.text).\(Int(now.timeIntervalSince1970)).\(count.next())")
                }, clock: clock, logger: Logger(label: "courier", factory: { _ in SwiftLogNoOpLogHandler() }))
        }

        final class Counted: Sendable {
            private let value = Mutex(0)
            func next() -> Int {
                value.withLock { value in
                    value += 1
                    return value
                }
            }
        }

        let counted: Counted

        func end(_ session: UInt8, of client: UInt8) {
            store.rows.withLock {
                $0.append(
                    MemoryLogouts.Row(
                        logout: SessionLogout(
                            tenant: TenantID(.fixture(1)), client: ClientID(.fixture(client)),
                            user: UserID(.fixture(3)), browserSession: .fixture(session), endedAt: clock.now,
                            attempts: 0), due: clock.now))
            }
        }

        var waiting: Int { store.rows.withLock { $0.count } }
    }

    @Test("OIDC-25: an application gets a form with a token, once; one without an address is left out")
    func told() async throws {
        try await Receiver.run { url, log in
            let fixture = Fixture { $0 == ClientID(.fixture(2)) ? "\(url)/claims" : nil }
            fixture.end(10, of: 2)
            fixture.end(11, of: 5)
            for _ in 0..<2 { await fixture.courier.serve() }
            #expect(fixture.waiting == 0 && log.entries.count == 1)
            let entry = try #require(log.entries.first)
            #expect(String(decoding: entry.body, as: UTF8.self) == "logout_token=\(UUID.fixture(10).text).1800000000.1")
            #expect(entry.authorization == nil && fixture.store.events.withLock { $0.isEmpty })
        }
    }

    @Test(
        "OIDC-25: what is not taken is told again with a fresh token, five times within ten minutes, then given up in the audit trail",
        arguments: ["error", "gone", "redirect"])
    func retries(_ path: String) async throws {
        try await Receiver.run { url, log in
            let fixture = Fixture { _ in "\(url)/\(path)" }
            fixture.end(10, of: 2)
            var waits: [TimeInterval] = []
            for wait in LogoutCourier.waits {
                for _ in 0..<2 { await fixture.courier.serve() }
                waits.append(wait)
                #expect(log.count(path) == waits.count && fixture.waiting == 1)
                fixture.clock.advance(by: wait)
            }
            #expect(waits == waits.sorted() && waits.reduce(0, +) <= 600)
            await fixture.courier.serve()
            #expect(log.count(path) == 5 && log.count("secret") == 0 && fixture.waiting == 0)
            #expect(Set(log.entries.map(\.body)).count == 5, "each token is another one")
            let events = fixture.store.events.withLock { $0 }
            #expect(events.map(\.kind) == [.logoutUndelivered] && events.first?.client == ClientID(.fixture(2)))
            #expect(events.first?.detail == nil, "the answers of ports are not told")
        }
    }

    @Test("SEC-NET-13: an address that may not be dialled is not, nor http where only https is allowed")
    func forbidden() async throws {
        try await Receiver.run { url, log in
            for fixture in [
                Fixture(mayDial: DialledAddress.isPublic) { _ in "\(url)/claims" },
                Fixture(allowsHTTP: false) { _ in "\(url)/claims" },
                Fixture(mayDial: DialledAddress.isPublic) { _ in "http://169.254.169.254/latest/meta-data" },
            ] {
                fixture.end(10, of: 2)
                await fixture.courier.serve()
                #expect(fixture.waiting == 1)
            }
            #expect(log.entries.isEmpty)
        }
    }

    @Test("OIDC-25: a hanging application costs two seconds, holds up no other, and rests after five failures")
    func hanging() async throws {
        try await Receiver.run { url, log in
            let fixture = Fixture { $0 == ClientID(.fixture(2)) ? "\(url)/slow" : "\(url)/claims" }
            for session in UInt8(20)..<60 { fixture.end(session, of: 2) }
            fixture.end(10, of: 5)
            let start = ContinuousClock.now
            async let first: Void = fixture.courier.serve()
            while log.count("claims") == 0, ContinuousClock.now - start < .seconds(1) {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(log.count("claims") == 1)
            #expect(log.count("slow") <= 4, "at once")
            await first
            #expect(ContinuousClock.now - start < .seconds(8))
            #expect((4...8).contains(log.count("slow")), "\(log.count("slow"))")
            #expect(fixture.waiting == 40)
        }
    }
}
