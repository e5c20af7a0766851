package import NativeAuthCore
package import PortableFoundation

/// The result of a flow's step. It is committed even when the verdict is a refusal: a wrong code must be counted
/// (design record 0002).
package struct Decision<State: Hashable & Sendable>: Hashable, Sendable {
    package var verdict: Verdict
    /// The state in the answer's token; nil when the client keeps the token it presented, or cannot continue.
    package var next: State?
    /// The flow's row after the step; nil when the step writes nothing.
    package var row: FlowRow?
    package var effects: [FlowEffect]

    package init(_ verdict: Verdict, next: State? = nil, row: FlowRow? = nil, effects: [FlowEffect] = []) {
        self.verdict = verdict
        self.next = next
        self.row = row
        self.effects = effects
    }

    /// The same decision, with the state wrapped in another state.
    package func map<Other>(_ transform: (State) -> Other) -> Decision<Other> {
        Decision<Other>(verdict, next: next.map(transform), row: row, effects: effects)
    }

    /// A refusal that changes nothing: the presented token stays valid.
    package static func refused(_ refusal: Refusal) -> Decision {
        Decision(.refused(refusal))
    }
}

/// An effect that a decision asks for. A decision knows names and purposes. The engine turns it into rows of the same
/// commit, and adds keyed digests, sealed mails, tenant, client and time.
package enum FlowEffect: Hashable, Sendable {
    case createUser(SignUpDraft, id: UserID)
    case mailCode(FreshCode, to: EmailAddress, for: MailContent.Purpose)
    /// Mails the code that is shared by all flows that ask for one while the mailbox's budget is spent.
    case mailSharedCode(FreshCode, to: EmailAddress, for: MailContent.Purpose)
    /// Texts the code, and counts the text.
    case textCode(FreshCode, to: PhoneNumber, for: MailContent.Purpose)
    /// The flow's texts, if there were any, have brought a right code.
    case noteVerifiedTexts
    /// Tells the account's owner what happened to the account and to which methods; contains no code.
    case mailNotice(MailContent.Purpose, to: EmailAddress, about: [String] = [])
    /// Tells the owner of an address that it is the account's no longer, with the code that takes the change back.
    case mailUndo(Secret<String>, to: EmailAddress)
    case record(AuditEvent.Kind, user: UserID? = nil, detail: String? = nil)
    case count(CountedEvent, of: CountedSubject)
    case forget(CountedEvent, of: CountedSubject)
    /// Stores the failures from networks like that of the request, familiar or not; nil deletes them.
    case setLockout(Lockout?)
    /// Deletes the user's failures from all sources (`SEC-LOCK-5`).
    case clearLockouts
    /// Stores the row of the slow lane.
    case setSlowLane(FlowRow)
    /// The engine adds the source and the application.
    case addStrongMethod(StrongMethod, to: UserID)
    /// Remembers this network as one the user has signed in from (`SEC-LOCK-3`).
    case rememberNetwork(UserID)
    /// Writes a row that needs nothing from the engine.
    case write(Effect)
}

/// A subject whose events are counted over time.
package enum CountedSubject: Hashable, Sendable, CaseIterable {
    /// The mailbox of the flow, counted separately for familiar and other sources: guesses at codes.
    case address
    /// The mailbox and the purpose of the code: mails.
    case mailbox
    /// The exact address that a code goes to, in all flows: refused mails.
    case recipient
    /// An unfamiliar network, for the mails that it requests to that mailbox.
    case networkAtMailbox
    /// The client's network address, its network and its IPv6 /48, for guesses at the shared code.
    case guesser
    case guessingNetwork
    case guessingIPv6Prefix48
    /// The account of the flow.
    case account
    /// The network address of the client.
    case source
    /// The /48 of an IPv6 address, a network that one customer may have.
    case ipv6Prefix48
}

/// A code that was just drawn: its digits for the mail and its digest for the row.
package struct FreshCode: Hashable, Sendable {
    package var digits: Secret<String>
    package var record: CodeRecord
    /// The code that the slow lane sends in its place: longer, and bound to no flow.
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
    /// A keyed digest of 32 bytes or more.
    package var digest: Data
}

/// The facts that a step decides on: the locked row, the owners of names, and the time.
package struct StepSituation: Sendable {
    package var row: FlowRow
    package var taken: Set<LoginIdentifier.Key>
    /// The account of the flow, with the credentials under which the flow began.
    package var account: UserAccount?
    /// The events of the last 24 hours, oldest first; empty when limits over time are off.
    package var counted: [CountedSubject: [CountedEvent: [Date]]]
    /// The wrong passwords from networks like that of the request, familiar or not.
    package var lockout: Lockout?
    /// The slow lane of the mailbox, if it has one that was used recently.
    package var slowLane: FlowRow?
    /// Whether the purpose of the code has a slow lane.
    package var hasSlowLane: Bool
    /// Whether the submitted digits have the length of a shared code.
    package var usesSharedCode: Bool
    /// The time of the oldest of the tenant's last N mails, where N is its hourly limit; nil when it may send more.
    package var tenantMailsSince: Date?
    /// Whether the user has signed in from this network recently (`SEC-LOCK-3`).
    package var isFamiliar: Bool
    /// Whether answers must hide whether an account exists (`SEC-ENUM-2`).
    package var hidesAccounts: Bool
    /// What a user who has proven only the password may enrol.
    package var enrolment: EnrolmentMode
    /// Whether a hook is to be asked about a sign-up.
    package var asksAboutSignUps: Bool
    /// Whether the tenant has recovery codes.
    package var takesRecoveryCodes: Bool
    /// Whether users of the tenant register authenticator apps.
    package var takesApps: Bool
    /// The tenant's text messages; nil: it has none.
    package var texts: TextSettings?
    /// The relying party whose passkeys the tenant takes; nil: it has none.
    package var passkeyDomain: String?
    /// Whether a user of the tenant has the passkey that the step adds.
    package var isCredentialTaken: Bool
    /// For how many days the tenant remembers devices; nil: it does not.
    package var rememberedDays: Int?
    /// Whether the remembered device of the step is still one of the account.
    package var isDeviceRemembered: Bool
    /// What the tenant has sent as texts; nil when the step sends none, or limits over time are off.
    package var textHistory: TextHistory?
    /// The attributes that say that an account is still to be moved.
    package var migrationAttributes: [String]
    package var now: Date
    package var userFlow: UserFlow
    package var settings: EngineSettings

    package init(
        row: FlowRow, taken: Set<LoginIdentifier.Key>, account: UserAccount? = nil,
        counted: [CountedSubject: [CountedEvent: [Date]]] = [:], lockout: Lockout? = nil, slowLane: FlowRow? = nil,
        hasSlowLane: Bool = false, usesSharedCode: Bool = false, tenantMailsSince: Date? = nil,
        isFamiliar: Bool = false, hidesAccounts: Bool = false, enrolment: EnrolmentMode = .proven,
        asksAboutSignUps: Bool = false, takesRecoveryCodes: Bool = true, takesApps: Bool = false,
        texts: TextSettings? = nil,
        passkeyDomain: String? = nil, isCredentialTaken: Bool = false, isDeviceRemembered: Bool = false,
        rememberedDays: Int? = nil, textHistory: TextHistory? = nil,
        migrationAttributes: [String] = [], now: Date,
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
        self.asksAboutSignUps = asksAboutSignUps
        self.takesRecoveryCodes = takesRecoveryCodes
        self.takesApps = takesApps
        self.texts = texts
        self.passkeyDomain = passkeyDomain
        self.isCredentialTaken = isCredentialTaken
        self.isDeviceRemembered = isDeviceRemembered
        self.rememberedDays = rememberedDays
        self.textHistory = textHistory
        self.migrationAttributes = migrationAttributes
        self.now = now
        self.userFlow = userFlow
        self.settings = settings
    }
}

extension StepSituation {
    /// Whether a right password is not enough from such a network (`SEC-LOCK-6`). The current guess was counted
    /// before the comparison, so the number of earlier failures is one less.
    package var needsMailbox: Bool { lockout?.failures ?? 0 > Lockout.passwordsAloneLimit }

    /// Whether only the last three passwords may be compared now.
    var isLocked: Bool { lockout?.lockedUntil.map { now < $0 } ?? false }

    /// Whether a right password follows ten or more wrong ones.
    var hasManyFailures: Bool { lockout?.failures ?? 0 > Lockout.threshold }

    /// Tells the account's owner that a client guesses its password, unless the owner was told in the last 24 hours
    /// (`SEC-LOCK-10`).
    func warning(_ purpose: MailContent.Purpose, to owner: EmailAddress) -> [FlowEffect] {
        guard counted[.account]?[.warningMailed] ?? [] == [] else { return [] }
        return [.mailNotice(purpose, to: owner), .count(.warningMailed, of: .account)]
    }

    /// Ends the comparison of a password; nothing when none was made.
    ///
    /// - Parameter guess: The keyed digest of the password.
    func concluding(_ guess: Data?, isRight: Bool) -> [FlowEffect] {
        guard let guess, let lockout else { return [] }
        return [.setLockout(lockout.concluding(guess, isRight: isRight))]
    }

    /// Ends a comparison that another system made, and that gave no sign-in: the guess stays counted.
    func releasing(_ guess: Data?) -> [FlowEffect] {
        guard let guess, let lockout else { return [] }
        return [.setLockout(lockout.releasing(guess))]
    }

    /// The account is not to be moved any more: its password is known here.
    var endingMigration: [FlowEffect] {
        guard let user = account?.user else { return [] }
        let changes = user.endingMigration(by: migrationAttributes)
        return changes.isEmpty ? [] : [.write(.setAttributes(changes, of: user.id))]
    }

    /// Writes a wrong password to the audit trail, and tells the owner of an account that is locked.
    func recordingWrongPassword(of user: UserID, detail: String? = nil, warning owner: EmailAddress) -> [FlowEffect] {
        [.record(.signInFailed, user: user, detail: detail)] + (isLocked ? warning(.signInLocked, to: owner) : [])
    }
}
