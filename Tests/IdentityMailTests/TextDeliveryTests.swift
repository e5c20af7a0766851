import Foundation
import IdentityEngine
import IdentityStoreSQLite
import NativeAuthCore
import Synchronization
import Testing

@testable import IdentityMail

/// A gateway with a script.
private final class ScriptedGateway: TextGateway {
    private let state = Mutex<(texts: [OutgoingText], script: [TextFailure?])>(([], []))
    private let hangs: Bool

    init(_ script: [TextFailure?] = [], hangs: Bool = false) {
        self.hangs = hangs
        state.withLock { $0.script = script }
    }

    var texts: [OutgoingText] { state.withLock { $0.texts } }

    func send(_ text: OutgoingText) async throws(TextFailure) {
        let failure: TextFailure? = state.withLock { state in
            state.texts.append(text)
            return state.script.isEmpty ? nil : state.script.removeFirst()
        }
        if hangs {
            do { try await Task.sleep(for: .seconds(3_600)) } catch { throw .temporary("cancelled") }
        }
        if let failure { throw failure }
    }
}

@Suite("Delivering text messages", .timeLimit(.minutes(1)))
struct TextDeliveryTests {
    private static let number = "+4915123456789"
    private static let body = "Contoso: 12345678\n\n@login.contoso.com #12345678"

    private func content(_ recipient: String = number, sentAt: Date) -> MailContent {
        var content = MailContent.fixture(purpose: .secondFactor, recipient: recipient, sentAt: sentAt)
        content.text = Self.body
        return content
    }

    @Test("SEC-SMS-10: the gateway gets number and text once, the mail server nothing, and the inbox shows the text")
    func once() async throws {
        let (outbox, transport, gateway) = (try OutboxFixture(), ScriptedTransport(), ScriptedGateway())
        let inbox = DevelopmentInbox()
        let worker = try outbox.worker(transport, gateway: gateway) { await inbox.record($0) }
        let mail = try await outbox.enqueue(content(sentAt: outbox.clock.now), lifetime: 570)
        #expect(try await worker.processDueMail() == 1)
        #expect(try await worker.processDueMail() == 0)
        let text = try #require(gateway.texts.first)
        #expect(gateway.texts.count == 1 && text.id == mail.id && text.to.text == Self.number)
        #expect(text.body.reveal() == Self.body && text.validity == 570)
        #expect(transport.attemptCount == 0 && transport.greeters.isEmpty)
        #expect(try await outbox.states() == ["sent, wiped"])
        let shown = try #require(await inbox.mails(to: Self.number).first)
        #expect(shown.code == "12345678" && shown.text == Self.body)
        #expect("\(text.body)".contains("1234") == false)
    }

    @Test("SEC-SMS-11: no answer, 429 and 5xx are tried again, with the same id; what is refused is not")
    func attempts() async throws {
        let (outbox, transport) = (try OutboxFixture(), ScriptedTransport())
        let gateway = ScriptedGateway([.noAnswer("timed-out"), .temporary("status-503"), nil])
        let worker = try outbox.worker(transport, gateway: gateway)
        try await outbox.enqueue(content(sentAt: outbox.clock.now))
        for _ in 0..<3 {
            _ = try await worker.processDueMail()
            outbox.clock.advance(by: 20)
        }
        #expect(gateway.texts.count == 3 && Set(gateway.texts.map(\.id)).count == 1)
        #expect(try await outbox.states() == ["sent, wiped"])

        let refusing = ScriptedGateway([.rejected(code: 21_606)])
        let other = try OutboxFixture()
        let second = try other.worker(transport, gateway: refusing)
        try await other.enqueue(content(sentAt: other.clock.now))
        _ = try await second.processDueMail()
        other.clock.advance(by: 60)
        _ = try await second.processDueMail()
        #expect(refusing.texts.count == 1)
        #expect(try await other.states() == ["failed, wiped"])
        let details = try await other.store.unsafeSQL("SELECT detail FROM audit").compactMap { $0.first ?? nil }
        #expect(details == ["sms-21606"])
        #expect(try await other.store.unsafeSQL("SELECT event FROM counted_events").isEmpty)
    }

    @Test("SEC-SMS-2: a number that the gateway refuses is counted, so that the next code for it is refused at once")
    func refusedNumber() async throws {
        let outbox = try OutboxFixture()
        let worker = try outbox.worker(ScriptedTransport(), gateway: ScriptedGateway([.numberRefused(code: 21_211)]))
        try await outbox.enqueue(content(sentAt: outbox.clock.now))
        _ = try await worker.processDueMail()
        #expect(try await outbox.states() == ["failed, wiped"])
        let number = try #require(PhoneNumber(Self.number))
        let own = outbox.vault.refusals(of: .phone(number), of: .secondFactor, in: .contoso).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        let subjects = try await outbox.store.unsafeSQL("SELECT hex(subject) FROM counted_events").compactMap {
            $0.first ?? nil
        }
        #expect(subjects.map { $0.lowercased() } == [own.joined()])
    }

    @Test("SEC-SMS-11: a text whose time is over is never sent")
    func late() async throws {
        let (outbox, gateway) = (try OutboxFixture(), ScriptedGateway([.temporary("status-500")]))
        let worker = try outbox.worker(ScriptedTransport(), gateway: gateway)
        try await outbox.enqueue(content(sentAt: outbox.clock.now), lifetime: 570)
        _ = try await worker.processDueMail()
        outbox.clock.advance(by: 570)
        _ = try await worker.processDueMail()
        #expect(gateway.texts.count == 1)
        #expect(try await outbox.states() == ["expired, wiped"])
    }

    @Test("a gateway that gives no answer is asked four times: each attempt may be a text")
    func noAnswer() async throws {
        let (outbox, gateway) = (
            try OutboxFixture(), ScriptedGateway(Array(repeating: .noAnswer("timed-out"), count: 9))
        )
        let worker = try outbox.worker(ScriptedTransport(), gateway: gateway)
        try await outbox.enqueue(content(sentAt: outbox.clock.now))
        for _ in 0..<8 {
            _ = try await worker.processDueMail()
            outbox.clock.advance(by: 40)
        }
        #expect(gateway.texts.count == 4)
        #expect(try await outbox.states() == ["failed, wiped"])
    }

    @Test("a gateway that hangs holds up no mail")
    func hangs() async throws {
        let (outbox, transport, gateway) = (try OutboxFixture(), ScriptedTransport(), ScriptedGateway(hangs: true))
        let worker = try outbox.worker(transport, gateway: gateway)
        for _ in 0..<40 { try await outbox.enqueue(content(sentAt: outbox.clock.now)) }
        try await outbox.enqueue(.fixture(sentAt: outbox.clock.now + 1))
        outbox.clock.advance(by: 2)
        let work = Task { try await worker.run() }
        outbox.signal.notify()
        for _ in 0..<200 where transport.mails.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(transport.mails.count == 1)
        // Those of one lane.
        #expect(gateway.texts.count == 4)
        work.cancel()
        _ = await work.result
    }

    @Test("a server without a gateway, and a recipient that is no number, fail the text")
    func unusable() async throws {
        for (gateway, recipient, detail) in [
            (nil, Self.number, "sms-no-gateway"), (ScriptedGateway(), "ada@example.com", "malformed"),
        ] as [(ScriptedGateway?, String, String)] {
            let outbox = try OutboxFixture()
            let worker = try outbox.worker(ScriptedTransport(), gateway: gateway)
            try await outbox.enqueue(content(recipient, sentAt: outbox.clock.now))
            _ = try await worker.processDueMail()
            #expect(try await outbox.states() == ["failed, wiped"])
            let details = try await outbox.store.unsafeSQL("SELECT detail FROM audit").compactMap { $0.first ?? nil }
            #expect(details == [detail])
            #expect(gateway?.texts.isEmpty ?? true)
        }
    }

    @Test(
        "SEC-ENR-5: a notice about a telephone names its number, and calls it no e-mail address",
        arguments: MailLanguage.allCases)
    func notice(_ language: MailLanguage) throws {
        var content = MailContent.fixture(purpose: .methodRegistered, recipient: "ada@example.com", language: language)
        content.code = nil
        content.occasion = MailContent.Occasion(methods: ["+49*********9"], network: nil)
        let words = try MailRenderer().words(of: content, as: .unchanged)
        #expect(words.text.contains("+49*********9"), "\(words.text)")
        var mailbox = content
        mailbox.occasion = MailContent.Occasion(methods: ["a***a@ex***le.com"], network: nil)
        let other = try MailRenderer().words(of: mailbox, as: .unchanged)
        #expect(words.text != other.text.replacing("a***a@ex***le.com", with: "+49*********9"))
        if language == .english { #expect(!words.text.contains("An e-mail address")) }
    }

    @Test("the receiver of a hook gets the text with number, message and time; without one the text waits for it")
    func byHook() async throws {
        let client = ClientID(UUID())
        func hooks(_ receiver: CodeReceiver, isThere: Bool) -> OutboxHooks {
            let hook = Hook(
                id: UUID(), displayName: "Codes", event: .otpSend, url: "https://a.example", audience: UUID())
            let tenant = Tenant(
                id: .contoso, subdomain: "contoso", domain: "contoso.example", displayName: "Contoso",
                hooks: isThere ? [hook] : [])
            let application = Client(
                id: client, displayName: "App", userFlow: UserFlow(method: .emailOneTimePasscode))
            return OutboxHooks(
                clients: TenantDirectory([.init(tenant: tenant, applications: [application])]), receiver: receiver)
        }
        for isThere in [true, false] {
            let (outbox, receiver, gateway) = (try OutboxFixture(), CodeReceiver(), ScriptedGateway())
            var content = content(sentAt: outbox.clock.now)
            content.request = MailContent.Request(client: client, correlationID: UUID(), source: nil)
            let worker = try outbox.worker(
                ScriptedTransport(), gateway: gateway, hooks: hooks(receiver, isThere: isThere))
            try await outbox.enqueue(content)
            _ = try await worker.processDueMail()
            #expect(gateway.texts.isEmpty)
            #expect(try await outbox.states() == [isThere ? "sent, wiped" : "pending"])
            #expect(receiver.codes.map(\.recipient) == (isThere ? [Self.number] : []))
            #expect(receiver.codes.allSatisfy { $0.text?.body.reveal() == Self.body && $0.code.reveal() == "12345678" })
        }
    }
}
