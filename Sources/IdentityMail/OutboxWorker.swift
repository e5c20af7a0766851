package import IdentityEngine
package import Logging
import Metrics
package import NativeAuthCore
import ServiceLifecycle
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends the mails of the outbox, each at least once (`SEC-MAIL-2`).
///
/// It runs when the signal says that there is mail, and when the store says that one is due. A mail that the server
/// does not take now is tried again after 1 s, then 2 s, up to 5 min, until its code expires (`SEC-MAIL-8`); one that
/// it refuses for good is marked failed and audited. An error of the store stops nothing: the lease ends and the mail
/// comes again, with the same `Message-ID`.
package final class OutboxWorker: Service {
    /// How many mails are on their way at once, in all and to one domain, so that one that hangs holds up no other
    /// (`REL-SMTP-2`).
    private static let room = MailRoom(total: 32, perLane: 4)
    /// For how long a mail is hidden from other workers, in seconds. While it is being sent this begins anew, at the latest at half.
    private static let lease: TimeInterval = 60
    /// The longest sleep in seconds: mail that another process wrote, and whose own worker died, is found after it.
    private static let longestWait: TimeInterval = 30

    private struct State {
        /// The mails being sent. One that outlasts its lease is not begun a second time here.
        var underway: [UUID: LeasedMail] = [:]
        /// For how many more there is room.
        var room = OutboxWorker.room
        /// When the next timer rings.
        var alarm: Date?
    }

    private let store: any OutboxStore
    private let vault: Vault
    private let renderer: MailRenderer
    private let transport: any MailTransport
    private let sender: @Sendable (TenantID) -> MailAddress
    private let clock: any WallClock
    private let randomness: any Randomness
    private let signal: MailSignal
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let onDelivered: (@Sendable (DeliveredMail) async -> Void)?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - sender: The address that a tenant's mails come from.
    ///   - randomness: For the jitter of retries.
    ///   - onDelivered: Told of each mail after the server took it; the development profile's inbox.
    ///   - sleep: Waits, and throws when cancelled; tests give their own.
    package init(
        store: any OutboxStore, vault: Vault, renderer: MailRenderer, transport: any MailTransport,
        sender: @escaping @Sendable (TenantID) -> MailAddress, clock: any WallClock, randomness: any Randomness,
        signal: MailSignal, logger: Logger, onDelivered: (@Sendable (DeliveredMail) async -> Void)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.vault = vault
        self.renderer = renderer
        self.transport = transport
        self.sender = sender
        self.clock = clock
        self.randomness = randomness
        self.signal = signal
        self.logger = logger
        self.sleep = sleep
        self.onDelivered = onDelivered
    }

    /// Works until it is cancelled or asked to shut down; mails on their way then are finished first.
    package func run() async throws {
        async let _ = keepLeases()
        await withDiscardingTaskGroup { group in
            var failures = 0
            signal.notify()
            for await _ in signal.wakeUps.cancelOnGracefulShutdown() {
                // A mail that makes room wakes us again.
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
                    let pause = Self.retryDelay(afterAttempts: failures, randomness)
                    if let alarm = setAlarm(now.addingTimeInterval(pause), now: now) {
                        group.addTask { await self.ring(alarm, now: now) }
                    }
                }
            }
        }
    }

    /// Sends what is due and what becomes due meanwhile, then returns.
    ///
    /// - Returns: How many mails were tried.
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

    /// - Returns: How many mails were leased, those among them that are not on their way yet, and whether others may be due.
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

    /// - Returns: Whether the worker has to look again: the mail waits for another attempt, or others may have waited for the room
    ///   that it took.
    private func deliver(_ leased: LeasedMail) async -> Bool {
        let mail = leased.mail
        var isDone = false
        do {
            isDone = try await attempt(leased)
        } catch {
            // What was decided is not written down: the lease ends, and the mail is tried again.
            logger.error(
                "The outbox cannot be written.", metadata: ["mail": "\(mail.id)", "cause": "\(error.logText)"])
        }
        return state.withLock { state in
            let wasFull = state.room.free == 0 || state.room.fullLanes.contains(mail.lane)
            state.underway[mail.id] = nil
            state.room.giveBack(mail.lane)
            return wasFull || !isDone
        }
    }

    /// Until it is cancelled: a mail server may take longer than a lease lasts, and another worker must not send the mail then. One
    /// timer does for all mails, since few take so long.
    private func keepLeases() async {
        do {
            while true {
                try await sleep(.seconds(Self.lease / 2))
                for id in state.withLock({ Array($0.underway.keys) }) {
                    guard let leased = state.withLock({ $0.underway[id] }) else { continue }
                    // When the database is away the lease ends, and the mail may be sent twice.
                    do { try await store.retry(leased, at: clock.now.addingTimeInterval(Self.lease)) } catch {}
                }
            }
        } catch {
            // Cancelled.
        }
    }

    /// - Returns: Whether nothing more is to be done.
    private func attempt(_ leased: LeasedMail) async throws(StoreError) -> Bool {
        let mail = leased.mail
        let content: MailContent
        let words: MailText
        let message: RenderedMail
        await vault.learnKey(of: mail.sealedContent, now: clock.now)
        do {
            content = try mail.content(using: vault)
            words = try renderer.words(of: content)
            message = try renderer.render(
                content, words: words, id: mail.messageIDLocalPart, sender: sender(mail.tenant))
        } catch {
            try await fail(leased, detail: error is VaultError ? "unreadable" : "malformed")
            return true
        }
        guard content.recipient != MailContent.nobody else {
            // As much as can be done of what a mail takes, since others could notice that it is not done (SEC-ENUM-6). Whether
            // the server answers is all the same.
            await transport.greet(from: message.sender)
            try await store.markSent(leased, now: clock.now)
            return true
        }
        do {
            try await transport.send(message)
        } catch {
            switch error {
            case .permanent(let replyCode):
                try await fail(leased, detail: "smtp-\(replyCode)")
                return true
            case .temporary:
                try await postpone(leased, because: error)
                return false
            }
        }
        await onDelivered?(
            DeliveredMail(
                to: content.recipient, subject: words.subject, code: content.code, text: words.text,
                sentAt: content.sentAt))
        try await store.markSent(leased, now: clock.now)
        Self.count("sent")
        return true
    }

    private static func count(_ outcome: String) {
        Counter(label: "native_auth_mails", dimensions: [("outcome", outcome)]).increment()
    }

    private func postpone(_ leased: LeasedMail, because error: MailTransportError) async throws(StoreError) {
        let delay = Self.retryDelay(afterAttempts: leased.attempts + 1, randomness)
        // At its expiry the store takes the mail out of the queue and wipes it.
        let next = min(clock.now.addingTimeInterval(delay), leased.mail.expiresAt)
        logger.warning(
            "A mail was not taken; it is tried again.",
            metadata: [
                "mail": "\(leased.mail.id)", "attempt": .stringConvertible(leased.attempts + 1), "reason": "\(error)",
            ])
        Self.count("postponed")
        try await store.retry(leased, at: next)
    }

    private func fail(_ leased: LeasedMail, detail: String) async throws(StoreError) {
        let mail = leased.mail
        logger.error("A mail cannot be sent.", metadata: ["mail": "\(mail.id)", "reason": "\(detail)"])
        Self.count("failed")
        let now = clock.now
        try await store.markFailed(
            leased, now: now,
            event: AuditEvent(.mailFailed, at: now, tenant: mail.tenant, flow: mail.flow, detail: detail))
    }

    /// The time to be woken at, or nil when an alarm rings no later already.
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
            // Never a busy loop, even if the store calls a mail due that it does not hand out.
            let wait = Duration.seconds(max(0.02, alarm.timeIntervalSince(now)))
            try await cancelWhenGracefulShutdown { try await self.sleep(wait) }
        } catch {
            return  // Cancelled: the worker ends.
        }
        state.withLock { if $0.alarm == alarm { $0.alarm = nil } }
        signal.notify()
    }

    /// 1 s after the first attempt, doubling to 4 min, and up to a quarter more by chance, so that mails that failed
    /// together do not come back together: 1 s to 5 min (`SEC-MAIL-8`).
    private static func retryDelay(afterAttempts attempts: Int, _ randomness: any Randomness) -> TimeInterval {
        let base = min(TimeInterval(1 << min(max(attempts, 1) - 1, 8)), 240)
        let chance = randomness.bytes(2).reduce(0.0) { ($0 + Double($1)) / 256 }
        return base * (1 + chance / 4)
    }
}
