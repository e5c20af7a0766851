package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a flow decided. It is committed whatever the verdict says: a wrong code must be counted (decision D3).
package struct Decision<State: Hashable & Sendable>: Hashable, Sendable {
    package var verdict: Verdict
    /// The state that the answer's token carries; nil: the client goes on with the token it presented, or not at all.
    package var next: State?
    /// The flow's row as it must stand afterwards; nil: nothing is to be written.
    package var row: FlowRow?
    package var effects: [FlowEffect]

    package init(_ verdict: Verdict, next: State? = nil, row: FlowRow? = nil, effects: [FlowEffect] = []) {
        self.verdict = verdict
        self.next = next
        self.row = row
        self.effects = effects
    }

    /// The same decision about a state that holds this one.
    package func map<Other>(_ transform: (State) -> Other) -> Decision<Other> {
        Decision<Other>(verdict, next: next.map(transform), row: row, effects: effects)
    }

    /// A no that changes nothing: the presented token stays as good as it was.
    package static func refused(_ refusal: Refusal) -> Decision {
        Decision(.refused(refusal))
    }
}

/// What a decision wants done. The engine turns it into rows of the same commit.
package enum FlowEffect: Hashable, Sendable {
    case createUser(SignUpDraft, id: UserID)
    case mailCode(FreshCode, to: EmailAddress, for: MailContent.Purpose)
    /// Tells the owner of the account what happened to it; holds no code.
    case mailNotice(MailContent.Purpose, to: EmailAddress)
    case openRefreshFamily(RefreshFamily)
    case record(AuditEvent.Kind, user: UserID? = nil, detail: String? = nil)
    case count(CountedEvent, of: CountedSubject)
    case forget(CountedEvent, of: CountedSubject)
    case changePassword(UserID, PasswordHash)
    case upgradePassword(UserID, from: PasswordHash, to: PasswordHash)
    case revokeRefreshFamilies(UserID)
    case addStrongMethod(StrongMethod, to: UserID)
    /// The failures of the class of sources that asks; nil: none.
    case setLockout(Lockout?)
    /// No failures of the user any more, from whatever source (`SEC-LOCK-5`).
    case clearLockouts(UserID)
    /// The user has signed in from here (`SEC-LOCK-3`).
    case rememberNetwork(UserID)
    /// No network is familiar to the user any more (`SEC-ID-11`).
    case forgetNetworks(UserID)
}

/// Whose occurrences are counted over time.
package enum CountedSubject: Hashable, Sendable {
    /// The mailbox that the flow is about, apart for familiar and other sources.
    case address
    /// The account that the flow is about.
    case account
    /// The network address of the client.
    case source
    /// The network of many addresses that one customer may have, for IPv6 only.
    case site
}

/// A code that was just drawn: its digits for the mail, its digest for the row.
package struct FreshCode: Hashable, Sendable {
    package var digits: Secret<String>
    package var record: CodeRecord

    package init(digits: Secret<String>, record: CodeRecord) {
        self.digits = digits
        self.record = record
    }
}

/// What a step knows when it decides: the row under lock, who owns which name, and the time.
package struct StepSituation: Sendable {
    package var row: FlowRow
    package var taken: Set<LoginIdentifier.Key>
    /// The account that the flow is about, with the credentials under which the flow began.
    package var account: UserAccount?
    /// What was counted in the last 24 hours, oldest first; empty when limits over time are off.
    package var counted: [CountedSubject: [CountedEvent: [Date]]]
    /// The wrong passwords of the class of sources that asks.
    package var lockout: Lockout?
    /// Since when the tenant has had as many mails as it may have in an hour; nil: it may have more.
    package var tenantMailsSince: Date?
    /// Whether the user has signed in from this network lately (`SEC-LOCK-3`).
    package var isFamiliar: Bool
    /// Whether no answer may tell that an account exists (`SEC-ENUM-2`).
    package var hidesAccounts: Bool
    package var now: Date
    package var userFlow: UserFlow
    package var settings: EngineSettings

    package init(
        row: FlowRow, taken: Set<LoginIdentifier.Key>, account: UserAccount? = nil,
        counted: [CountedSubject: [CountedEvent: [Date]]] = [:], lockout: Lockout? = nil, tenantMailsSince: Date? = nil,
        isFamiliar: Bool = false, hidesAccounts: Bool = false, now: Date,
        userFlow: UserFlow, settings: EngineSettings
    ) {
        self.row = row
        self.taken = taken
        self.account = account
        self.counted = counted
        self.lockout = lockout
        self.tenantMailsSince = tenantMailsSince
        self.isFamiliar = isFamiliar
        self.hidesAccounts = hidesAccounts
        self.now = now
        self.userFlow = userFlow
        self.settings = settings
    }
}

extension StepSituation {
    /// Whether a right password is not enough from here (`SEC-LOCK-6`). It was counted before it was compared, so the failures
    /// are one less.
    package var needsMailbox: Bool { !isFamiliar && lockout?.failures ?? 0 > Lockout.passwordsAloneLimit }

    /// Whether nothing but the last three passwords is compared now.
    var isLocked: Bool { lockout?.lockedUntil.map { now < $0 } ?? false }

    /// Whether a right password follows on ten wrong ones or more.
    var hasManyFailures: Bool { lockout?.failures ?? 0 > Lockout.threshold }

    /// Tells the owner of the account that somebody guesses its password, unless they were told in the last 24 hours
    /// (`SEC-LOCK-10`).
    func warning(_ purpose: MailContent.Purpose, to owner: EmailAddress) -> [FlowEffect] {
        guard counted[.account]?[.warningMailed] ?? [] == [] else { return [] }
        return [.mailNotice(purpose, to: owner), .count(.warningMailed, of: .account)]
    }
}
