package import IdentityEngine
import IdentityStoreSQL
import IdentityStoreSQLite
import NativeAuthCore
public import PortableFoundation

/// The mails of a tenant, for all addresses, and its text messages. They are read from the server's outbox, as its mail worker would, without
/// waiting for time to pass.
public final class TestMailbox: Sendable {
    /// A mail with the values that tests need. Subject and text belong to the server's mail worker, which is not part
    /// of this module.
    public struct Mail: Hashable, Sendable {
        /// The purpose of a mail.
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
            /// A notice, without a code: a second factor was removed.
            case methodRemoved
            /// The code that confirms a change of the account, at the account's own mailbox.
            case accountChange
            /// The code that confirms a new e-mail address.
            case emailChange
            /// The notice to the old address, with the code that takes the change back.
            case emailChanged
            case emailChangeUndone
            /// A notice to the old address: an operator gave the account another one.
            case emailReplaced
            /// A notice: an operator made the password unusable.
            case resetRequired
            case accountDeleted
            case deletionScheduled
            /// A notice, without a code: a second factor is suspended for a day, after a reset.
            case methodSuspended
            /// A notice, without a code: a suspended second factor can be used again.
            case methodReactivated
            /// A notice, without a code: a second factor was used for the first time.
            case methodFirstUsed
            /// A notice, without a code: a passkey may have been copied, or has no backup any more.
            case passkeySuspect
            /// A notice, without a code: a recovery code was used to sign in.
            case recoveryCodeUsed
            /// A notice, without a code: a client wants to sign up with the address of an existing account.
            case accountExists
            /// A notice, without a code: wrong passwords have locked the account.
            case signInLocked
            /// A notice, without a code: the password was right, after many wrong ones.
            case signedInAfterFailures
        }

        /// The id of the mail; a mail that arrives twice has the same id twice.
        public let id: UUID
        /// An e-mail address; of a text message a telephone number, such as `+15555550123`.
        public let to: String
        public let purpose: Purpose
        /// The one-time passcode; nil in a notice about the account.
        public let code: String?
        /// `en`, `da`, `nl`, `fr` or `ja`.
        public let language: String
        public let sentAt: Date
        /// The details of a notice about methods.
        package let occasion: MailContent.Occasion?
        /// How long the code is valid, or until the announced deletion, in whole minutes; 0 in other notices.
        package let minutesValid: Int
    }

    private struct State: Sendable {
        /// Newest first.
        var mails: [Mail] = []
        /// The mails whose code was returned, and those that arrived before them.
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

    /// The newest code sent to `address`, if it was not returned before; otherwise waits for the next one.
    ///
    /// So each request of the app for a code gives that code: codes sent before the returned one are skipped from then
    /// on, and so is a mail that arrives twice. It waits for the mail itself, not for a time: it continues as soon as
    /// the server has committed the mail, or ``ManualClock`` has reached the arrival of a late one. ``mails(for:)``
    /// returns all mails at any time.
    ///
    /// - Parameters:
    ///   - address: The mailbox, regardless of letter case, or a telephone number with the code of its country.
    ///   - patience: The longest wait, on the real clock.
    /// - Throws: ``TestTenantError/noCode(for:_:)``, which lists the existing mails.
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
    /// - Parameter address: The mailbox, regardless of letter case, or a telephone number with the code of its country.
    public func mails(for address: String) async throws(TestTenantError) -> [Mail] {
        let key = Self.key(of: address)
        return try await mails().filter { Self.key(of: $0.to) == key }
    }

    /// All mails that have arrived, newest first.
    public func mails() async throws(TestTenantError) -> [Mail] {
        try await collect()
        return state.withLock { $0.mails }
    }

    /// The newest code to `address`, any number of times, without waiting.
    package func code(to address: String) async throws(TestTenantError) -> String {
        guard let code = try await mails(for: address).lazy.compactMap(\.code).first else { throw noCode(for: address) }
        return code
    }

    /// The fault of the mail; nil for none.
    var trouble: TestTenant.MailFault? {
        get { state.withLock { $0.trouble } }
        set {
            state.withLock { $0.trouble = newValue }
            bell.ring()
        }
    }

    /// By what a recipient is compared; nil when it is neither an address nor a number.
    private static func key(of recipient: String) -> Data? {
        PhoneNumber(recipient).map { Contact.phone($0).key } ?? EmailAddress(stored: recipient)?.key.bytes
    }

    private func takeCode(for address: String) -> String? {
        let key = Self.key(of: address)
        return state.withLock { state in
            let codes = state.mails.filter { $0.code != nil && Self.key(of: $0.to) == key }
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

    /// Subscribes to the engine's mail signal. While no caller waits for mail, there is no subscription.
    private func listen() {
        state.withLock { state in
            guard state.pump == nil else { return }
            state.pump = Task { [bell, wakeUps = signal.wakeUps] in
                for await _ in wakeUps { bell.ring() }
            }
        }
    }

    /// Takes new mails from the outbox; one caller at a time, so that mails stay in order.
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
        // Mails that arrive now were given to a slow mail server that long ago.
        var now = clock.now
        if trouble?.kind == .down { return .success(()) }
        if case .slow(let delay)? = trouble?.kind { now -= delay / .seconds(1) }
        do throws(StoreError) {
            while true {
                let limit = 100
                let leased = try await store.leaseMails(limit: limit, now: now, until: now.addingTimeInterval(60))
                for item in leased {
                    let mail = try mail(item.mail)
                    if let mail {
                        state.withLock { state in
                            state.mails.insert(mail, at: 0)
                            if trouble?.kind == .duplicated { state.mails.insert(mail, at: 0) }
                        }
                    }
                    if mail?.to.hasPrefix("+") == true {
                        try await store.markTaken(item, now: now)
                    } else {
                        try await store.markSent([item], now: now)
                    }
                }
                if leased.count < limit { return .success(()) }
            }
        } catch {
            return .failure(error)
        }
    }

    /// Nil for a decoy mail.
    private func mail(_ outboxMail: OutboxMail) throws(StoreError) -> Mail? {
        let content: MailContent
        do throws(VaultError) {
            content = try outboxMail.content(using: vault)
        } catch {
            throw .corrupt("outbox")
        }
        guard content.recipient != MailContent.noRecipient else { return nil }
        return Mail(
            id: outboxMail.id, to: content.recipient, purpose: Mail.Purpose(content.purpose), code: content.code,
            language: content.language.rawValue, sentAt: content.sentAt, occasion: content.occasion,
            minutesValid: content.minutesValid)
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
            case .passkeySuspect: .passkeySuspect
            case .recoveryCodeUsed: .recoveryCodeUsed
            case .accountExists: .accountExists
            case .signInLocked: .signInLocked
            case .signedInAfterFailures: .signedInAfterFailures
            case .accountChange: .accountChange
            case .emailChange: .emailChange
            case .emailChanged: .emailChanged
            case .emailChangeUndone: .emailChangeUndone
            case .emailReplaced: .emailReplaced
            case .resetRequired: .resetRequired
            case .accountDeleted: .accountDeleted
            case .deletionScheduled: .deletionScheduled
            }
    }
}

/// Wakes all callers that wait for an event.
private final class Bell: Sendable {
    private struct State: Sendable {
        var rings = 0
        var lastID = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Locked(State())

    /// The number of rings; read it before checking for the event.
    var rings: Int { state.withLock { $0.rings } }

    func ring() {
        let waiters = state.withLock { state in
            state.rings += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    /// Waits until it has rung more than `heard` times; false at the deadline.
    ///
    /// - Parameter deadline: The end of the wait, on the real clock.
    func wait(after heard: Int, until deadline: ContinuousClock.Instant) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = Task {
            do {
                try await Task.sleep(until: deadline, clock: .continuous)
            } catch {
                // The bell has rung.
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
