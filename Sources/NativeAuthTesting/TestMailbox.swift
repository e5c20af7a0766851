package import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The mails of a tenant, for all addresses. They are read from the server's outbox, as its mail worker would, and never wait
/// for a time to pass.
public final class TestMailbox: Sendable {
    /// A mail, as its reader needs it. Subject and text belong to the server's mail worker, which is not part of this module.
    public struct Mail: Hashable, Sendable {
        /// Why a mail was sent.
        public enum Purpose: String, Hashable, Sendable, CaseIterable {
            case signUp
            case signIn
            case passwordReset
            case secondFactor
            case registration
            /// A notice, without a code: the password was changed.
            case passwordChanged
            /// A notice, without a code: a second factor was registered.
            case methodRegistered
            /// A notice, without a code: a second factor was taken away.
            case methodRemoved
            /// A notice, without a code: a second factor is not to be used for a day, after a reset.
            case methodSuspended
            /// A notice, without a code: a second factor that was suspended is in use again.
            case methodReactivated
            /// A notice, without a code: a second factor was used for the first time.
            case methodFirstUsed
            /// A notice, without a code: somebody wants to sign up with the address of an account.
            case accountExists
            /// A notice, without a code: wrong passwords have locked the account.
            case signInLocked
            /// A notice, without a code: the password was right, after many wrong ones.
            case signedInAfterFailures
        }

        /// What tells a mail from others; a mail that arrives twice has it twice.
        public let id: UUID
        public let to: String
        public let purpose: Purpose
        /// The one-time passcode; nil in a notice of what happened to the account.
        public let code: String?
        /// `en`, `da`, `nl`, `fr` or `ja`.
        public let language: String
        public let sentAt: Date
        /// What a notice about methods tells besides.
        package let occasion: MailContent.Occasion?
    }

    private struct State: Sendable {
        /// Newest first.
        var mails: [Mail] = []
        /// The mails whose code was handed out, or came before such a one.
        var read: Set<UUID> = []
        var trouble: TestTenant.MailFault?
        var turn: Task<Result<Void, StoreError>, Never>?
        var pump: Task<Void, Never>?
    }

    private let store: any OutboxStore
    private let vault: Vault
    private let clock: ManualClock
    private let signal: MailSignal
    private let state = Locked(State())
    private let bell = Bell()

    init(store: any OutboxStore, vault: Vault, clock: ManualClock, signal: MailSignal) {
        self.store = store
        self.vault = vault
        self.clock = clock
        self.signal = signal
        clock.onMove { [bell] in bell.ring() }
    }

    deinit {
        state.withLock { $0.pump }?.cancel()
    }

    /// The newest code that went to `address`, if it was not handed out before; or else the next one, for which this waits.
    ///
    /// So after the app has asked for a code this is that code, and after it has asked for another one, that one: codes that
    /// were sent before the one handed out are passed over from then on, and so is a mail that arrives twice. It waits for
    /// the mail itself, not for a time: it goes on as soon as the server has committed the mail, or ``ManualClock`` has moved
    /// to when a late one arrives. ``mails(for:)`` shows all mails, as often as one likes.
    ///
    /// - Parameters:
    ///   - address: The mailbox, letter case ignored.
    ///   - patience: After how long on the real clock to give up.
    /// - Throws: ``TestTenantError/noCode(for:_:)``, which names what mail there is.
    public func code(
        for address: String, within patience: Duration = .seconds(5)
    ) async throws(TestTenantError) -> String {
        let deadline = ContinuousClock.now + patience
        listen()
        while true {
            let heard = bell.rings
            try await collect()
            if let code = takeCode(for: address) { return code }
            guard await bell.wait(after: heard, until: deadline) else { throw noCode(for: address) }
        }
    }

    /// All mails to `address` that have arrived, newest first.
    ///
    /// - Parameter address: The mailbox, letter case ignored.
    public func mails(for address: String) async throws(TestTenantError) -> [Mail] {
        let key = EmailAddress(stored: address)?.key
        return try await mails().filter { EmailAddress(stored: $0.to)?.key == key }
    }

    /// All mails that have arrived, newest first.
    public func mails() async throws(TestTenantError) -> [Mail] {
        try await collect()
        return state.withLock { $0.mails }
    }

    /// The newest code to `address` as often as one asks, without waiting.
    package func code(to address: String) async throws(TestTenantError) -> String {
        guard let code = try await mails(for: address).lazy.compactMap(\.code).first else { throw noCode(for: address) }
        return code
    }

    /// What is wrong with the mail; nil: nothing.
    var trouble: TestTenant.MailFault? {
        get { state.withLock { $0.trouble } }
        set {
            state.withLock { $0.trouble = newValue }
            bell.ring()
        }
    }

    private func takeCode(for address: String) -> String? {
        let key = EmailAddress(stored: address)?.key
        return state.withLock { state in
            let codes = state.mails.filter { $0.code != nil && EmailAddress(stored: $0.to)?.key == key }
            guard let newest = codes.first, !state.read.contains(newest.id) else { return nil }
            state.read.formUnion(codes.map(\.id))
            return newest.code
        }
    }

    private func noCode(for address: String) -> TestTenantError {
        let (mails, read, trouble) = state.withLock { ($0.mails, $0.read, $0.trouble) }
        let list = mails.map { mail in
            let state =
                switch mail.code {
                case nil: "a notice"
                case .some where read.contains(mail.id): "a code, handed out before or older than such a one"
                case .some: "a code"
                }
            return "\(mail.to): \(mail.purpose.rawValue), \(state)"
        }
        var explanation = "Mail there is: \(list.isEmpty ? "none" : list.joined(separator: "; "))."
        if let trouble { explanation += " The mail has a fault: \(trouble)." }
        return .noCode(for: address, explanation)
    }

    // MARK: Delivery

    /// Lets notices of the engine ring the bell from now on. As long as nobody waits for mail nobody listens.
    private func listen() {
        state.withLock { state in
            guard state.pump == nil else { return }
            state.pump = Task { [bell, wakeUps = signal.wakeUps] in
                for await _ in wakeUps { bell.ring() }
            }
        }
    }

    /// Takes what has arrived from the outbox; one caller at a time, so that mails stay in their order.
    private func collect() async throws(TestTenantError) {
        let turn = state.withLock { state in
            let turn = Task { [previous = state.turn] in
                _ = await previous?.value
                return await self.takeMails()
            }
            state.turn = turn
            return turn
        }
        do throws(StoreError) {
            try await turn.value.get()
        } catch {
            throw .database
        }
    }

    private func takeMails() async -> Result<Void, StoreError> {
        let trouble = trouble
        // What arrives now was given to a slow mail server that long ago.
        var now = clock.now
        if trouble?.kind == .down { return .success(()) }
        if case .slow(let delay)? = trouble?.kind { now -= delay / .seconds(1) }
        do throws(StoreError) {
            while true {
                let limit = 100
                let leased = try await store.leaseMails(limit: limit, now: now, until: now.addingTimeInterval(60))
                for item in leased {
                    if let mail = try mail(item.mail) {
                        state.withLock { state in
                            state.mails.insert(mail, at: 0)
                            if trouble?.kind == .duplicated { state.mails.insert(mail, at: 0) }
                        }
                    }
                    try await store.markSent(item, now: now)
                }
                if leased.count < limit { return .success(()) }
            }
        } catch {
            return .failure(error)
        }
    }

    /// Nil for a mail to nobody.
    private func mail(_ outboxMail: OutboxMail) throws(StoreError) -> Mail? {
        let content: MailContent
        do throws(VaultError) {
            content = try outboxMail.content(using: vault)
        } catch {
            throw .corrupt("outbox")
        }
        guard content.recipient != MailContent.nobody else { return nil }
        return Mail(
            id: outboxMail.id, to: content.recipient, purpose: Mail.Purpose(content.purpose), code: content.code,
            language: content.language.rawValue, sentAt: content.sentAt, occasion: content.occasion)
    }
}

extension TestMailbox.Mail.Purpose {
    fileprivate init(_ purpose: MailContent.Purpose) {
        self =
            switch purpose {
            case .signUp: .signUp
            case .signIn: .signIn
            case .passwordReset: .passwordReset
            case .secondFactor: .secondFactor
            case .registration: .registration
            case .passwordChanged: .passwordChanged
            case .methodRegistered: .methodRegistered
            case .methodRemoved: .methodRemoved
            case .methodSuspended: .methodSuspended
            case .methodReactivated: .methodReactivated
            case .methodFirstUsed: .methodFirstUsed
            case .accountExists: .accountExists
            case .signInLocked: .signInLocked
            case .signedInAfterFailures: .signedInAfterFailures
            }
    }
}

/// Wakes everybody who waits for something to happen.
private final class Bell: Sendable {
    private struct State: Sendable {
        var rings = 0
        var lastID = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Locked(State())

    /// How often it rang; ask before looking for what is awaited.
    var rings: Int { state.withLock { $0.rings } }

    func ring() {
        let waiters = state.withLock { state in
            state.rings += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// Whether it has rung more than `heard` times, for which this waits.
    ///
    /// - Parameter deadline: When to stop waiting, on the real clock.
    func wait(after heard: Int, until deadline: ContinuousClock.Instant) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = Task {
            do {
                try await Task.sleep(until: deadline, clock: .continuous)
            } catch {
                // It rang.
                return
            }
            giveUp(id)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasRung = state.withLock { state in
                    if state.rings == heard { state.waiters[id] = continuation }
                    return state.rings != heard
                }
                if hasRung { continuation.resume(returning: true) }
                if Task.isCancelled || ContinuousClock.now >= deadline { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ id: Int) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: false)
    }
}
