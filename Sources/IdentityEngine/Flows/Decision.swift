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
    /// The code that all flows share which ask for one when the budget of the mailbox is spent.
    case mailSharedCode(FreshCode, to: EmailAddress, for: MailContent.Purpose)
    /// How the slow lane stands.
    case setSlowLane(FlowRow)
    /// Tells the owner of the account what happened to it, and to which methods; holds no code.
    case mailNotice(MailContent.Purpose, to: EmailAddress, about: [EmailAddress] = [])
    case openRefreshFamily(RefreshFamily)
    case record(AuditEvent.Kind, user: UserID? = nil, detail: String? = nil)
    case count(CountedEvent, of: CountedSubject)
    case forget(CountedEvent, of: CountedSubject)
    case changePassword(UserID, PasswordHash)
    case upgradePassword(UserID, from: PasswordHash, to: PasswordHash)
    case trustPassword(UserID)
    case revokeRefreshFamilies(UserID, keepingTwoFactors: Bool = false)
    case endFlows(UserID)
    /// The engine adds from where and by which application.
    case addStrongMethod(StrongMethod, to: UserID)
    case removeStrongMethods([UUID], of: UserID)
    case suspendStrongMethods([UUID], of: UserID)
    case reactivateStrongMethod(UUID, of: UserID)
    case noteFirstUse(UUID, of: UserID)
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
package enum CountedSubject: Hashable, Sendable, CaseIterable {
    /// The mailbox that the flow is about, apart for familiar and other sources: guesses at codes.
    case address
    /// The same for what the code is wanted for: mails.
    case mailbox
    /// A network of strangers, as far as it asks for mails to that mailbox.
    case networkAtMailbox
    /// The network address of the client, its network and its site, as far as they guess at the shared code.
    case guesser
    case guessingNetwork
    case guessingSite
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
    /// What is sent in its place in the slow lane: longer digits, bound to no flow.
    package var shared: SharedCode?

    package init(digits: Secret<String>, record: CodeRecord, shared: SharedCode? = nil) {
        self.digits = digits
        self.record = record
        self.shared = shared
    }
}

/// A code of the slow lane.
package struct SharedCode: Hashable, Sendable {
    package var digits: Secret<String>
    /// Keyed, 32 bytes or more.
    package var digest: Data

    package init(digits: Secret<String>, digest: Data) {
        self.digits = digits
        self.digest = digest
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
    /// The slow lane to the mailbox, if it has one and was used lately.
    package var slowLane: FlowRow?
    /// Whether a code is wanted for something that has a slow lane.
    package var hasSlowLane: Bool
    /// Whether the digits that were submitted have the length of a shared code.
    package var usesSharedCode: Bool
    /// Since when the tenant has had as many mails as it may have in an hour; nil: it may have more.
    package var tenantMailsSince: Date?
    /// Whether the user has signed in from this network lately (`SEC-LOCK-3`).
    package var isFamiliar: Bool
    /// Whether no answer may tell that an account exists (`SEC-ENUM-2`).
    package var hidesAccounts: Bool
    /// What a sign-in by password alone may enrol.
    package var enrolment: EnrolmentMode
    package var now: Date
    package var userFlow: UserFlow
    package var settings: EngineSettings

    package init(
        row: FlowRow, taken: Set<LoginIdentifier.Key>, account: UserAccount? = nil,
        counted: [CountedSubject: [CountedEvent: [Date]]] = [:], lockout: Lockout? = nil, slowLane: FlowRow? = nil,
        hasSlowLane: Bool = false, usesSharedCode: Bool = false, tenantMailsSince: Date? = nil,
        isFamiliar: Bool = false, hidesAccounts: Bool = false, enrolment: EnrolmentMode = .proven, now: Date,
        userFlow: UserFlow, settings: EngineSettings
    ) {
        self.row = row
        self.taken = taken
        self.account = account
        self.counted = counted
        self.lockout = lockout
        self.slowLane = slowLane
        self.hasSlowLane = hasSlowLane
        self.usesSharedCode = usesSharedCode
        self.tenantMailsSince = tenantMailsSince
        self.isFamiliar = isFamiliar
        self.hidesAccounts = hidesAccounts
        self.enrolment = enrolment
        self.now = now
        self.userFlow = userFlow
        self.settings = settings
    }
}

extension StepSituation {
    /// Whether a right password is not enough from sources of this class (`SEC-LOCK-6`). It was counted before it was compared, so
    /// the failures are one less.
    package var needsMailbox: Bool { lockout?.failures ?? 0 > Lockout.passwordsAloneLimit }

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
