package import IdentityEngine
package import Logging
import Metrics
package import NativeAuthCore
import PortableFoundation
import ServiceLifecycle
import Synchronization
import Tracing

/// Sends the mails of the outbox, each at least once (`SEC-MAIL-2`).
///
/// It runs when the signal announces mail, and when a mail in the store is due. A mail that the server refuses
/// temporarily is tried again after 1 s, then 2 s, up to 5 min, until its code expires (`SEC-MAIL-8`); a mail that the
/// server refuses permanently is marked failed and audited. A store error does not stop the worker: the lease ends and
/// the mail is sent again, with the same `Message-ID`.
package final class OutboxWorker: Service {
    /// How many mails are in delivery at once, in all and to one domain, so that a hanging domain does not delay the
    /// others (`REL-SMTP-2`).
    private static let room = MailRoom(total: 32, perLane: 4)
    /// How long a mail is hidden from other workers, in seconds. During the delivery the lease is renewed, at the
    /// latest after half its time.
    private static let lease: TimeInterval = 60
    /// The longest sleep in seconds: it bounds the delay of a mail that another process wrote and whose own worker
    /// died.
    private static let longestWait: TimeInterval = 30

    private struct State {
        /// The mails in delivery. A mail that outlasts its lease is not started a second time here.
        var underway: [UUID: LeasedMail] = [:]
        /// The capacity for more mails.
        var room = OutboxWorker.room
        /// When the next timer fires.
        var alarm: Date?
    }

    private let store: any OutboxStore
    private let vault: Vault
    private let renderer: MailRenderer
    private let transport: any MailTransport
    private let gateway: (any TextGateway)?
    private let letterhead: @Sendable (TenantID) -> Letterhead
    private let clock: any WallClock
    private let randomness: any Randomness
    private let signal: MailSignal
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let hooks: OutboxHooks?
    private let onDelivered: (@Sendable (DeliveredMail) async -> Void)?
    /// Stores which mails are done.
    private let sent: SharedWrites<LeasedMail>
    private let state = Mutex(State())

    /// - Parameters:
    ///   - gateway: Takes text messages; nil: there are none, but for those that hooks deliver.
    ///   - letterhead: Returns the present one of a tenant.
    ///   - randomness: The source of the jitter of retries.
    ///   - hooks: Has codes delivered by receivers of hooks; nil: all are mailed.
    ///   - onDelivered: Called with each mail that the mail server or a receiver accepted; for the development profile's inbox.
    ///   - sleep: Waits, and throws when cancelled; tests replace it.
    package init(
        store: any OutboxStore, vault: Vault, renderer: MailRenderer, transport: any MailTransport,
        gateway: (any TextGateway)? = nil,
        letterhead: @escaping @Sendable (TenantID) -> Letterhead, clock: any WallClock, randomness: any Randomness,
        signal: MailSignal, logger: Logger, hooks: OutboxHooks? = nil,
        onDelivered: (@Sendable (DeliveredMail) async -> Void)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.vault = vault
        self.renderer = renderer
        self.transport = transport
        self.gateway = gateway
        self.letterhead = letterhead
        self.clock = clock
        self.randomness = randomness
        self.signal = signal
        self.logger = logger
        self.sleep = sleep
        self.hooks = hooks
        self.onDelivered = onDelivered
        sent = SharedWrites { mails throws(StoreError) in try await store.markSent(mails, now: clock.now) }
    }

    /// Works until it is cancelled or asked to shut down; mails in delivery are finished first.
    package func run() async throws {
        async let _ = keepLeases()
        await withDiscardingTaskGroup { group in
            var failures = 0
            signal.notify()
            for await _ in signal.wakeUps.cancelOnGracefulShutdown() {
                // A finished mail releases capacity and wakes the worker again.
                guard state.withLock({ $0.room.free }) > 0 else { continue }
                let now = clock.now
                do {
                    let leased = try await leaseMails(now: now)
                    for mail in leased.begun {
                        group.addTask {
                            if await self.deliver(mail) { self.signal.notify() }
                        }
                    }
                    failures = 0
                    let full = state.withLock { $0.room.fullLanes }
                    if leased.mayBeMore {
                        signal.notify()
                    } else if let alarm = setAlarm(try await store.nextMailDue(except: full), now: now) {
                        group.addTask { await self.ring(alarm, now: now) }
                    }
                } catch {
                    failures += 1
                    logger.error("The outbox cannot be read.", metadata: ["cause": "\(error.logText)"])
                    let pause = randomness.retryDelay(afterAttempts: failures)
                    if let alarm = setAlarm(now.addingTimeInterval(pause), now: now) {
                        group.addTask { await self.ring(alarm, now: now) }
                    }
                }
            }
        }
    }

    /// Sends the mails that are due, or become due meanwhile, then returns.
    ///
    /// - Returns: The number of attempted mails.
    package func processDueMail() async throws(StoreError) -> Int {
        async let _ = keepLeases()
        var tried = 0
        while true {
            let leased = try await leaseMails(now: clock.now)
            guard leased.count > 0 else { return tried }
            tried += leased.begun.count
            await withDiscardingTaskGroup { group in
                for mail in leased.begun { group.addTask { _ = await self.deliver(mail) } }
            }
        }
    }

    /// - Returns: The number of leased mails, those among them that are not in delivery yet, and whether more mails may
    ///   be due.
    private func leaseMails(
        now: Date
    ) async throws(StoreError) -> (count: Int, begun: [LeasedMail], mayBeMore: Bool) {
        let room = state.withLock { $0.room }
        let (leased, mayBeMore) = try await store.leaseMails(room, now: now, until: now.addingTimeInterval(Self.lease))
        let begun = state.withLock { state in
            leased.filter { item in
                guard state.underway[item.mail.id] == nil else { return false }
                state.underway[item.mail.id] = item
                _ = state.room.take(item.mail.lane)
                return true
            }
        }
        return (leased.count, begun, mayBeMore)
    }

    /// - Returns: Whether the worker must look again: the mail waits for another attempt, or other mails may have
    ///   waited for its capacity.
    private func deliver(_ leased: LeasedMail) async -> Bool {
        let mail = leased.mail
        var isDone = false
        do {
            isDone = try await attempt(leased)
        } catch {
            // The result is not stored: the lease ends, and the mail is tried again.
            logger.error(
                "The outbox cannot be written.", metadata: ["mail": "\(mail.id)", "cause": "\(error.logText)"])
        }
        return state.withLock { state in
            let wasFull = state.room.free == 0 || state.room.fullLanes.contains(mail.lane)
            if state.underway[mail.id]?.attempts == leased.attempts { state.underway[mail.id] = nil }
            state.room.giveBack(mail.lane)
            return wasFull || !isDone
        }
    }

    /// Renews leases until it is cancelled: a mail server may take longer than a lease lasts, and another worker must
    /// not send the mail meanwhile. One timer serves all mails, because few take that long.
    private func keepLeases() async {
        do {
            while true {
                try await sleep(.seconds(Self.lease / 2))
                for id in state.withLock({ Array($0.underway.keys) }) {
                    guard let leased = state.withLock({ $0.underway[id] }) else { continue }
                    // When the database is unreachable, the lease ends, and the mail may be sent twice.
                    do { try await store.retry(leased, at: clock.now.addingTimeInterval(Self.lease)) } catch {}
                }
            }
        } catch {
            // Cancelled.
        }
    }

    /// - Returns: Whether the mail is finished.
    private func attempt(_ leased: LeasedMail) async throws(StoreError) -> Bool {
        let mail = leased.mail
        let content: MailContent
        await vault.loadKey(of: mail.sealedContent, now: clock.now)
        do {
            content = try mail.content(using: vault)
        } catch {
            try await fail(leased, detail: "unreadable")
            return true
        }
        if let text = content.text { return try await attempt(leased, content, text) }
        let letter: MailRenderer.Letter
        let message: RenderedMail
        do {
            let letterhead = letterhead(mail.tenant)
            letter = try renderer.letter(of: content, as: letterhead.mail)
            message = try renderer.render(
                content, letter: letter, id: mail.messageIDLocalPart, letterhead: letterhead)
        } catch {
            try await fail(leased, detail: "malformed")
            return true
        }
        guard content.recipient != MailContent.noRecipient else {
            // Do as much of the work of a real mail as possible, because a missing part could be noticed (SEC-ENUM-6).
            // The server's answer does not matter.
            await transport.greet(from: message.sender)
            try await sent.add(leased)
            return true
        }
        let span = Self.span(of: content)
        defer { span?.end() }
        switch await hooks?.deliver(content, of: mail.tenant, now: clock.now) {
        case nil, .notMine: break
        case .delivered:
            try await finish(leased, content, subject: letter.subject, text: letter.text, as: "hooked")
            return true
        case .failed:
            try await postpone(leased, because: "the receiver of a hook failed")
            return false
        }
        do {
            try await transport.send(message)
        } catch {
            span?.setStatus(SpanStatus(code: .error))
            switch error {
            case .permanent(let replyCode):
                try await fail(leased, detail: "smtp-\(replyCode)")
                return true
            case .noMailbox(let replyCode):
                try await fail(leased, detail: "smtp-\(replyCode)", refusing: content)
                return true
            case .temporary:
                try await postpone(leased, because: "\(error)")
                return false
            }
        }
        try await finish(leased, content, subject: letter.subject, text: letter.text, as: "sent")
        return true
    }

    /// The same for a text message, which the receiver of a hook or the gateway delivers.
    private func attempt(
        _ leased: LeasedMail, _ content: MailContent, _ body: String
    ) async throws(StoreError) -> Bool {
        let mail = leased.mail
        // A decoy's text asks nothing of the gateway, which would charge for it.
        guard content.recipient != MailContent.noRecipient else {
            try await sent.add(leased)
            return true
        }
        guard let number = PhoneNumber(stored: content.recipient) else {
            try await fail(leased, detail: "malformed")
            return true
        }
        let span = Self.span(of: content)
        defer { span?.end() }
        let text = OutgoingText(
            id: mail.id, tenant: mail.tenant, to: number, body: Secret(body),
            validity: Int(mail.expiresAt.timeIntervalSince(clock.now)))
        if content.request != nil {
            switch await hooks?.deliver(content, of: mail.tenant, text: text, now: clock.now) {
            case .delivered: try await finish(leased, content, subject: Self.textSubject, text: body, as: "hooked")
            case .failed, .notMine, nil:
                try await postpone(leased, because: "no receiver of a hook took the text")
                return false
            }
            return true
        }
        guard let gateway else {
            try await fail(leased, detail: "sms-no-gateway")
            return true
        }
        do {
            try await gateway.send(text)
        } catch {
            span?.setStatus(SpanStatus(code: .error))
            switch error {
            case .rejected(let code): try await fail(leased, detail: "sms-\(code)")
            case .numberRefused(let code): try await fail(leased, detail: "sms-\(code)", refusing: content)
            case .noAnswer(let reason) where leased.attempts + 1 >= Self.attemptsWithoutAnswer:
                try await fail(leased, detail: "sms-\(reason)")
            case .temporary(let reason), .noAnswer(let reason):
                try await postpone(leased, because: reason)
                return false
            }
            return true
        }
        try await finish(leased, content, subject: Self.textSubject, text: body, as: "texted")
        return true
    }

    /// How often a text is tried that may be sent each time.
    private static let attemptsWithoutAnswer = 4

    /// How the inbox of development calls a text message.
    private static let textSubject = "Text message"

    /// The attempt as a span of the request that caused the mail; nil when that request is not traced.
    private static func span(of content: MailContent) -> (any Span)? {
        guard let parent = content.span else { return nil }
        var context = ServiceContext.topLevel
        InstrumentationSystem.tracer.extract(parent, into: &context, using: StoredSpan())
        return startSpan("mail \(content.purpose.rawValue)", context: context, ofKind: .consumer)
    }

    /// Finds a `traceparent` in its text.
    private struct StoredSpan: Extractor {
        func extract(key: String, from carrier: String) -> String? { key == "traceparent" ? carrier : nil }
    }

    private func finish(
        _ leased: LeasedMail, _ content: MailContent, subject: String, text: String, as outcome: String
    ) async throws(StoreError) {
        await onDelivered?(
            DeliveredMail(
                to: content.recipient, subject: subject, code: content.code, text: text,
                sentAt: content.sentAt))
        if content.text == nil {
            try await sent.add(leased)
        } else {
            try await store.markTaken(leased, now: clock.now)
        }
        Self.count(outcome)
    }

    private static func count(_ outcome: String) {
        Counter(label: "native_auth_mails", dimensions: [("outcome", outcome)]).increment()
    }

    private func postpone(_ leased: LeasedMail, because reason: String) async throws(StoreError) {
        let delay = randomness.retryDelay(afterAttempts: leased.attempts + 1)
        // When it expires, the store removes the mail from the queue and wipes it.
        let next = min(clock.now.addingTimeInterval(delay), leased.mail.expiresAt)
        logger.warning(
            "A mail was not taken; it is tried again.",
            metadata: [
                "mail": "\(leased.mail.id)", "attempt": .stringConvertible(leased.attempts + 1), "reason": "\(reason)",
            ])
        Self.count("postponed")
        // First, because the mail can be leased again as soon as the store has the new time: a lease of a mail that is
        // still in delivery here starts no attempt.
        state.withLock { $0.underway[leased.mail.id] = nil }
        try await store.retry(leased, at: next)
    }

    /// - Parameter refused: The content, when the recipient's mailbox is the reason.
    private func fail(_ leased: LeasedMail, detail: String, refusing refused: MailContent? = nil)
        async throws(StoreError)
    {
        let mail = leased.mail
        logger.error("A mail cannot be sent.", metadata: ["mail": "\(mail.id)", "reason": "\(detail)"])
        Self.count("failed")
        let now = clock.now
        try await store.markFailed(
            leased, now: now,
            event: AuditEvent(
                .mailFailed, at: now, tenant: mail.tenant, flow: mail.flow, user: mail.user, detail: detail),
            refusedBy: refused.flatMap { content in
                Contact(content.recipient).map { vault.refusals(of: $0, of: content.purpose, in: mail.tenant) }
            })
    }

    /// The time to wake up at; nil when an earlier or equal alarm is already set.
    private func setAlarm(_ due: Date?, now: Date) -> Date? {
        let wanted = min(due ?? .distantFuture, now.addingTimeInterval(Self.longestWait))
        return state.withLock { state in
            if let alarm = state.alarm, alarm <= wanted { return nil }
            state.alarm = wanted
            return wanted
        }
    }

    private func ring(_ alarm: Date, now: Date) async {
        do {
            // Never loop without a pause, even if the store reports a due mail that it does not lease.
            let wait = Duration.seconds(max(0.02, alarm.timeIntervalSince(now)))
            try await cancelWhenGracefulShutdown { try await self.sleep(wait) }
        } catch {
            return  // Cancelled: the worker ends.
        }
        state.withLock { if $0.alarm == alarm { $0.alarm = nil } }
        signal.notify()
    }
}
