import Crypto
import Foundation
import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import Logging
import NativeAuthCore
import ServiceLifecycle
import Synchronization
import Testing

@testable import IdentityMail

@Suite("Sealing mails")
struct OutboxSealingTests {
    private let vault = Vault(masterKey: SymmetricKey(size: .bits256), randomness: SystemRandomness())

    private func sealed(_ content: MailContent) throws -> OutboxMail {
        try OutboxMail.sealing(
            content, id: UUID(), tenant: .contoso, flow: UUID(), expiresAt: content.sentAt + 600, using: vault)
    }

    @Test("What the engine seals, the worker reads")
    func whatIsSealedIsRead() throws {
        let content = MailContent.fixture(purpose: .passwordReset, language: .japanese, organisation: "コ")
        let mail = try sealed(content)
        #expect(try mail.content(using: vault) == content)
        #expect(mail.createdAt == content.sentAt)
    }

    @Test("SEC-OTP-14: neither code nor address is in the row")
    func theRowHoldsNothingInTheClear() throws {
        let row = try sealed(.fixture()).sealedContent
        #expect(row.range(of: Data("12345678".utf8)) == nil && row.range(of: Data("ada@".utf8)) == nil)
    }

    @Test("A content moved to another mail, tenant or key, altered or wiped does not open")
    func aMovedContentDoesNotOpen() throws {
        let mail = try sealed(.fixture())
        func expectUnreadable(_ change: (inout OutboxMail) -> Void, sourceLocation: SourceLocation = #_sourceLocation) {
            var changed = mail
            change(&changed)
            #expect(throws: VaultError.unreadable, sourceLocation: sourceLocation) { try changed.content(using: vault) }
        }
        expectUnreadable { $0.id = UUID() }
        expectUnreadable { $0.tenant = TenantID(UUID()) }
        expectUnreadable { $0.sealedContent[30] ^= 1 }
        expectUnreadable { $0.sealedContent = Data() }
        let other = Vault(masterKey: SymmetricKey(size: .bits256), randomness: SystemRandomness())
        #expect(throws: VaultError.unreadable) { try mail.content(using: other) }
    }
}

@Suite("Working the outbox off", .timeLimit(.minutes(1)))
struct OutboxWorkerTests {
    @Test("A due mail is sent once, its content wiped, and the inbox told")
    func aDueMailIsSentOnce() async throws {
        let outbox = try OutboxFixture()
        let inbox = DevelopmentInbox()
        let transport = ScriptedTransport()
        let worker = try outbox.worker(transport) { await inbox.record($0) }
        let mail = try await outbox.enqueue()
        #expect(try await worker.processDueMail() == 1)
        #expect(try await worker.processDueMail() == 0)
        let sent = try ParsedMail(try #require(transport.mails.first).message)
        #expect(sent["message-id"] == "<\(mail.messageIDLocalPart)@contoso.example>")
        #expect(transport.mails.count == 1)
        #expect(try await outbox.states() == ["sent, wiped"])
        let shown = try #require(await inbox.mails().first)
        #expect(shown.to == "ada@example.com" && shown.code == "12345678" && shown.sentAt == outbox.clock.now)
        #expect(shown.subject == "Your verification code for Contoso" && shown.text.contains("\n12345678\n"))
    }

    @Test("A notice is sent like a code, and the inbox shows it without one")
    func aNoticeIsSent() async throws {
        let outbox = try OutboxFixture()
        let inbox = DevelopmentInbox()
        let transport = ScriptedTransport()
        let worker = try outbox.worker(transport) { await inbox.record($0) }
        try await outbox.enqueue(.notice(.passwordChanged, .english))
        #expect(try await worker.processDueMail() == 1)
        #expect(transport.mails.count == 1)
        let shown = try #require(await inbox.mails(to: "user-typed@example.com").first)
        #expect(shown.code == nil && shown.subject == "Your password for Contoso was changed")
    }

    @Test(
        "SEC-ENUM-3, SEC-ENUM-4, SEC-ENUM-6: a mail of a decoy is written like others, greets the server, and is not sent"
    )
    func aMailToNobody() async throws {
        let outbox = try OutboxFixture()
        let inbox = DevelopmentInbox()
        let transport = ScriptedTransport()
        let worker = try outbox.worker(transport) { await inbox.record($0) }
        try await outbox.enqueue(.fixture(recipient: MailContent.noRecipient, sentAt: outbox.clock.now))
        #expect(try await worker.processDueMail() == 1)
        #expect(try await outbox.states() == ["sent, wiped"])
        #expect(transport.mails.isEmpty)
        #expect(transport.greeters.map(\.text) == ["no-reply@contoso.example"])
        #expect(await inbox.mails().isEmpty)
    }

    @Test("SEC-MAIL-2: a lease that was lost sends the mail again, with the same Message-ID")
    func aLostLeaseSendsAgain() async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue()
        // A worker that leased the mail, gave it to the server and died before it could record so.
        let now = outbox.clock.now
        let leased = try await outbox.store.leaseMails(limit: 4, now: now, until: now + 60)
        let lost = try MailRenderer().render(
            leased[0].mail.content(using: outbox.vault), id: leased[0].mail.messageIDLocalPart,
            letterhead: Letterhead(sender: address("no-reply@contoso.example")))
        let transport = ScriptedTransport()
        let worker = try outbox.worker(transport)
        outbox.clock.advance(by: 59)
        #expect(try await worker.processDueMail() == 0)
        outbox.clock.advance(by: 1)
        #expect(try await worker.processDueMail() == 1)
        #expect(try #require(transport.mails.first).message == lost.message)
    }

    @Test("SEC-MAIL-2: the worker leases for 60 s")
    func theLeaseLastsSixtySeconds() async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue()
        let store = outbox.store
        let due = Mutex<Date?>(nil)
        let transport = CallbackTransport {
            do {
                let next = try await store.nextMailDue()
                due.withLock { $0 = next }
            } catch {
                Issue.record(error)
            }
        }
        #expect(try await outbox.worker(transport).processDueMail() == 1)
        #expect(due.withLock { $0 } == outbox.clock.now + 60)
    }

    @Test("SEC-MAIL-2: a send that outlasts its lease is not begun a second time by the same worker")
    func aSlowSendIsNotBegunTwice() async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let gate = Barrier(2)
        let transport = CallbackTransport {
            begin.yield()
            await gate.arrive()
        }
        let worker = try outbox.worker(transport)
        async let first = worker.processDueMail()
        for await _ in begun { break }
        outbox.clock.advance(by: 61)
        #expect(try await worker.processDueMail() == 0)
        await gate.arrive()
        #expect(try await first == 1)
        #expect(try await outbox.states() == ["sent, wiped"])
    }

    @Test("SEC-MAIL-2: an expired mail is not sent, and its content goes")
    func anExpiredMailIsNotSent() async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue(lifetime: 600)
        outbox.clock.advance(by: 600)
        let transport = ScriptedTransport()
        #expect(try await outbox.worker(transport).processDueMail() == 0)
        #expect(transport.attemptCount == 0)
        #expect(try await outbox.states() == ["expired, wiped"])
    }

    @Test("REL-SMTP-1: the server is down, then up: live mails leave oldest first, expired ones do not")
    func theServerComesBack() async throws {
        let outbox = try OutboxFixture()
        let old = try await outbox.enqueue(.fixture(code: "00000000"), lifetime: 30)
        let port: Int
        do {
            let server = try await DevelopmentMailServer.start()
            port = server.port
            try await server.shutdown()
        }
        let order = Mutex<[String]>([])
        let worker = try outbox.worker(SMTPTransport(url: "smtp://127.0.0.1:\(port)")) { mail in
            order.withLock { $0.append(mail.code ?? "none") }
        }
        #expect(try await worker.processDueMail() == 1)
        for code in ["11111111", "22222222"] {
            outbox.clock.advance(by: 20)
            try await outbox.enqueue(.fixture(code: code, sentAt: outbox.clock.now))
            #expect(try await worker.processDueMail() >= 1)
        }
        #expect(old.expiresAt <= outbox.clock.now)
        let server = try await DevelopmentMailServer.start(port: port)
        for _ in 0..<2 {
            outbox.clock.advance(by: 10)
            _ = try await worker.processDueMail()
        }
        #expect(Set(order.withLock { $0 }) == ["11111111", "22222222"])
        #expect(server.acceptedCount == 2)
        #expect(try await outbox.states() == ["expired, wiped", "sent, wiped", "sent, wiped"])
        try await server.shutdown()
    }

    @Test(
        "SEC-MAIL-8: retries wait 1 s, doubling to 5 min, with jitter, and stop when the code ends",
        arguments: [UInt8(0), 255])
    func retriesBackOff(_ byte: UInt8) async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue(lifetime: 3_600)
        let transport = ScriptedTransport { _ throws(MailTransportError) in throw .temporary(.reply(451)) }
        let worker = try outbox.worker(transport, randomness: ConstantRandomness(byte: byte))
        let end = outbox.clock.now + 3_600
        var delays: [TimeInterval] = []
        while try await worker.processDueMail() == 1 {
            let due = try #require(try await outbox.store.nextMailDue())
            delays.append(due.timeIntervalSince(outbox.clock.now))
            outbox.clock.advance(by: try #require(delays.last))
        }
        let factor = byte == 0 ? 1 : 1.25
        for (delay, base) in zip(delays, [1, 2, 4, 8, 16, 32, 64, 128, 240, 240] as [TimeInterval]) {
            #expect(abs(delay - base * factor) < 0.01)
        }
        #expect(delays.count > 15 && delays.allSatisfy { $0 <= 300 })
        // The last wait ends with the code, so that the content does not outlive it.
        #expect(outbox.clock.now == end)
        #expect(try await outbox.states() == ["expired, wiped"])
    }

    @Test("SEC-MAIL-8: a permanent refusal is not tried again; it is audited without address or code")
    func aPermanentRefusalIsAudited() async throws {
        let outbox = try OutboxFixture()
        let mail = try await outbox.enqueue()
        let transport = ScriptedTransport { _ throws(MailTransportError) in throw .permanent(replyCode: 550) }
        let worker = try outbox.worker(transport)
        #expect(try await worker.processDueMail() == 1)
        outbox.clock.advance(by: 300)
        #expect(try await worker.processDueMail() == 0)
        #expect(try await outbox.states() == ["failed, wiped"])
        let audit = try await outbox.store.unsafeSQL("SELECT * FROM audit").map {
            $0.compactMap { $0 }.joined(separator: " ")
        }
        let line = try #require(audit.first)
        #expect(audit.count == 1 && line.contains("outbox.failed") && line.contains("smtp-550"))
        #expect(!line.contains("ada@") && !line.contains("12345678"))
        #expect(mail.flow != nil)
    }

    @Test("SEC-MAIL-8: only a refusal because of the mailbox counts against its address, under a digest")
    func aRefusingMailboxIsCounted() async throws {
        let outbox = try OutboxFixture()
        let recipient = try #require(EmailAddress("ada@example.com"))
        let errors = [
            MailTransportError.permanent(replyCode: 550), .noMailbox(replyCode: 550), .noMailbox(replyCode: 553),
        ]
        for (index, error) in errors.enumerated() {
            try await outbox.enqueue(.fixture(recipient: recipient.address, sentAt: outbox.clock.now))
            let transport = ScriptedTransport { _ throws(MailTransportError) in throw error }
            #expect(try await outbox.worker(transport).processDueMail() == 1)
            let counted = try await outbox.store.unsafeSQL("SELECT event, tenant FROM counted_events")
            #expect(counted.count == index && counted.allSatisfy { $0.first == "mailRefused" }, "\(counted)")
            outbox.clock.advance(by: 1)
        }
        let subjects = try await outbox.store.unsafeSQL("SELECT hex(subject) FROM counted_events").compactMap {
            $0.first ?? nil
        }
        let own = outbox.vault.refusals(of: .mailbox(recipient), of: .signUp, in: .contoso).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        #expect(Set(subjects.map { $0.lowercased() }) == [own.joined()])
    }

    @Test("A content that cannot be read or must not be sent fails, and delays no other mail")
    func aBrokenMailHoldsUpNoOther() async throws {
        let outbox = try OutboxFixture()
        let stranger = Vault(masterKey: SymmetricKey(size: .bits256), randomness: SystemRandomness())
        try await outbox.enqueue(sealedBy: stranger)
        outbox.clock.advance(by: 1)
        try await outbox.enqueue(.fixture(recipient: "a@b.example\r\nRCPT TO:<x@y.example>", sentAt: outbox.clock.now))
        outbox.clock.advance(by: 1)
        try await outbox.enqueue()
        let transport = ScriptedTransport()
        #expect(try await outbox.worker(transport).processDueMail() == 3)
        #expect(try await outbox.states() == ["failed, wiped", "failed, wiped", "sent, wiped"])
        #expect(transport.mails.map(\.recipient.text) == ["ada@example.com"])
    }

    @Test("REL-SMTP-2: a domain that hangs takes four connections, and delays no other domain")
    func aDomainThatHangs() async throws {
        let outbox = try OutboxFixture()
        for _ in 0..<100 { try await outbox.enqueue(.fixture(recipient: "somebody@hangs.example", code: "00000000")) }
        for number in 1...20 {
            try await outbox.enqueue(.fixture(recipient: "p@d\(number % 3).example", code: "\(number)"))
        }
        let transport = HangingDomain()
        let (delivered, continuation) = AsyncStream.makeStream(of: String.self)
        let worker = try outbox.worker(transport) { continuation.yield($0.code ?? "none") }
        let running = Task { try await worker.run() }
        var codes: Set<String> = []
        for await code in delivered where codes.insert(code).inserted && codes.count == 20 { break }
        #expect(codes == Set((1...20).map(String.init)))
        #expect(transport.waiting.withLock { $0 } == 4)
        // Hanging mails are sent as soon as the domain answers.
        await transport.gate.open()
        while try await outbox.states().contains(where: { $0 != "sent, wiped" }) { await Task.yield() }
        running.cancel()
        try await running.value
    }

    @Test("SEC-MAIL-2, SEC-MAIL-6: while a slow server takes its time no other worker may send the mail")
    func theLeaseIsKept() async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue()
        let gate = Barrier(2)
        let (naps, nap) = AsyncStream.makeStream(of: Duration.self)
        let awake = Barrier(2)
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        let transport = CallbackTransport {
            beginning.yield()
            await gate.arrive()
        }
        let slow = try outbox.worker(transport) { _ in
        } sleep: { duration in
            nap.yield(duration)
            await awake.arrive()
            try Task.checkCancellation()
        }
        async let tried = slow.processDueMail()
        let other = ScriptedTransport()
        let otherWorker = try outbox.worker(other)
        // The slow worker has the mail before the other one looks for it.
        for await _ in beginnings { break }
        var rounds = 0
        for await duration in naps {
            #expect(duration == .seconds(30))
            // Not the first time: the lease was just extended.
            if rounds > 0 { #expect(try await outbox.store.nextMailDue() == outbox.clock.now + 60) }
            rounds += 1
            if rounds == 5 { break }
            outbox.clock.advance(by: 30)
            #expect(try await otherWorker.processDueMail() == 0)
            await awake.arrive()
        }
        await gate.arrive()
        await awake.open()
        #expect(try await tried == 1)
        #expect(other.attemptCount == 0)
        #expect(try await outbox.states() == ["sent, wiped"])
    }

    @Test("REL-SMTP-2: never more than four mails to one domain are on their way, and all go out")
    func neverMoreThanFourAtOnce() async throws {
        let outbox = try OutboxFixture()
        for number in 0..<11 { try await outbox.enqueue(.fixture(code: "\(10_000_000 + number)")) }
        let gauge = Mutex((now: 0, most: 0))
        let barrier = Barrier(4)
        let transport = CallbackTransport {
            gauge.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            await barrier.arrive()
            gauge.withLock { $0.now -= 1 }
        }
        let (delivered, continuation) = AsyncStream.makeStream(of: String.self)
        let worker = try outbox.worker(transport) { continuation.yield($0.code ?? "none") }
        let running = Task { try await worker.run() }
        var codes: Set<String> = []
        for await code in delivered where codes.insert(code).inserted {
            if codes.count == 8 { await barrier.open() }
            if codes.count == 11 { break }
        }
        running.cancel()
        try await running.value
        #expect(gauge.withLock { $0.most } == 4)
    }
}

@Suite("The worker as a service", .timeLimit(.minutes(1)))
struct OutboxServiceTests {
    @Test("SEC-MAIL-1: a notice sends the mail at once, over real SMTP, without a timer")
    func aNoticeWakesTheWorker() async throws {
        let outbox = try OutboxFixture()
        let server = try await DevelopmentMailServer.start()
        let (delivered, continuation) = AsyncStream.makeStream(of: DeliveredMail.self)
        let worker = try outbox.worker(
            SMTPTransport(url: "smtp://127.0.0.1:\(server.port)"), onDelivered: { continuation.yield($0) },
            sleep: { _ in try await Task.sleep(for: .seconds(3_600)) })
        let group = ServiceGroup(services: [server, worker], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        var mails = delivered.makeAsyncIterator()
        for code in ["11111111", "22222222", "33333333"] {
            try await outbox.enqueue(.fixture(code: code))
            outbox.signal.notify()
            #expect(await mails.next()?.code == code)
        }
        #expect(server.acceptedCount == 3)
        await group.triggerGracefulShutdown()
        try await running.value
    }

    @Test("A mail that was there before the start leaves at the start")
    func oldMailLeavesAtTheStart() async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue()
        let (delivered, continuation) = AsyncStream.makeStream(of: DeliveredMail.self)
        let worker = try outbox.worker(ScriptedTransport()) { continuation.yield($0) }
        let running = Task { try await worker.run() }
        for await mail in delivered {
            #expect(mail.code == "12345678")
            break
        }
        running.cancel()
        try await running.value
    }

    @Test("SEC-MAIL-8: the loop wakes when a retry is due")
    func theLoopWakesForARetry() async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue()
        let transport = ScriptedTransport { attempt throws(MailTransportError) in
            if attempt < 4 { throw .temporary(.unreachable) }
        }
        let (delivered, continuation) = AsyncStream.makeStream(of: DeliveredMail.self)
        let naps = Mutex<[Duration]>([])
        let clock = outbox.clock
        let worker = try outbox.worker(transport, randomness: ConstantRandomness(byte: 0)) {
            continuation.yield($0)
        } sleep: { nap in
            naps.withLock { $0.append(nap) }
            // Half a minute means that nothing waits; then this test has nothing more to check. (Dates are rounded.)
            if nap >= .seconds(29) { try await Task.sleep(for: .seconds(3_600)) }
            clock.advance(by: TimeInterval(nap.components.seconds) + 0.02)
        }
        let running = Task { try await worker.run() }
        for await _ in delivered { break }
        running.cancel()
        try await running.value
        #expect(transport.attemptCount == 4)
        #expect(naps.withLock { $0 }.contains { $0 > .seconds(0.9) && $0 <= .seconds(1) })
    }

    @Test("SEC-MAIL-8: a mail that is due before its failed delivery has returned is tried again")
    func aMailIsDueBeforeItsDeliveryReturns() async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue()
        let transport = ScriptedTransport { attempt throws(MailTransportError) in
            if attempt == 1 { throw .temporary(.unreachable) }
        }
        let store = RetryHookStore(outbox.store)
        let worker = try outbox.worker(transport, store: store)
        store.afterRetry {
            outbox.clock.advance(by: 2)
            _ = try? await worker.processDueMail()
        }
        _ = try await worker.processDueMail()
        #expect(transport.attemptCount == 2)
        #expect(try await outbox.states() == ["sent, wiped"])
    }

    @Test("Shutting down lets the mail on its way arrive")
    func shuttingDownFinishesTheMailOnItsWay() async throws {
        let outbox = try OutboxFixture()
        try await outbox.enqueue()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let gate = Barrier(2)
        let transport = CallbackTransport {
            begin.yield()
            await gate.arrive()
        }
        let group = ServiceGroup(services: [try outbox.worker(transport)], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        for await _ in begun { break }
        await group.triggerGracefulShutdown()
        await gate.arrive()
        try await running.value
        #expect(try await outbox.states() == ["sent, wiped"])
    }
}

/// A store that does something after it has scheduled another attempt.
private final class RetryHookStore: OutboxStore {
    private let store: any OutboxStore
    private let hook = Mutex<(@Sendable () async -> Void)?>(nil)

    init(_ store: any OutboxStore) {
        self.store = store
    }

    func afterRetry(_ run: @escaping @Sendable () async -> Void) {
        hook.withLock { $0 = run }
    }

    func leaseMails(
        _ room: MailRoom, now: Date, until leaseEnd: Date
    ) async throws(StoreError) -> (mails: [LeasedMail], mayBeMore: Bool) {
        try await store.leaseMails(room, now: now, until: leaseEnd)
    }

    func markTaken(_ leased: LeasedMail, now: Date) async throws(StoreError) {
        try await store.markTaken(leased, now: now)
    }

    func markSent(_ mails: [LeasedMail], now: Date) async throws(StoreError) {
        try await store.markSent(mails, now: now)
    }

    func retry(_ leased: LeasedMail, at next: Date) async throws(StoreError) {
        try await store.retry(leased, at: next)
        await hook.withLock { $0 }?()
    }

    func markFailed(
        _ leased: LeasedMail, now: Date, event: AuditEvent, refusedBy recipient: Data?
    ) async throws(StoreError) {
        try await store.markFailed(leased, now: now, event: event, refusedBy: recipient)
    }

    func recordFlood(_ event: AuditEvent, of limit: Int, since start: Date) async throws(StoreError) -> Bool {
        try await store.recordFlood(event, of: limit, since: start)
    }

    func nextMailDue(except fullLanes: [Data]) async throws(StoreError) -> Date? {
        try await store.nextMailDue(except: fullLanes)
    }
}

/// Takes every mail after running a closure.
private struct CallbackTransport: MailTransport {
    let callback: @Sendable () async -> Void

    func send(_ message: RenderedMail) async throws(MailTransportError) {
        await callback()
    }

    func greet(from sender: MailAddress) async {}
}

/// Takes every mail but those to `hangs.example`, which wait for a gate to open.
private final class HangingDomain: MailTransport {
    let gate = Barrier(.max)
    let waiting = Mutex(0)

    func send(_ message: RenderedMail) async throws(MailTransportError) {
        guard message.recipient.text.hasSuffix("@hangs.example") else { return }
        waiting.withLock { $0 += 1 }
        await gate.arrive()
    }

    func greet(from sender: MailAddress) async {}
}

/// Lets callers through in groups of `size`, or freely once it is open.
private actor Barrier {
    private let size: Int
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ size: Int) {
        self.size = size
    }

    func arrive() async {
        if isOpen { return }
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            if waiting.count == size { release() }
        }
    }

    func open() {
        isOpen = true
        release()
    }

    private func release() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
