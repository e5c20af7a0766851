package import NativeAuthCore
package import PortableFoundation

/// A mail that waits to be sent, a row of the transaction that issued its code (design record 0014).
package struct OutboxMail: Hashable, Sendable {
    package var id: UUID
    package var tenant: TenantID
    package var flow: UUID?
    /// The user that the mail is about: deleting the account deletes its mails.
    package var user: UserID?
    /// The same for all mails of the tenant to one domain, without revealing the domain: 8 bytes of a keyed digest.
    package var lane: Data
    /// A sealed ``MailContent``: the database never holds a code or an address in the clear.
    package var sealedContent: Data
    package var createdAt: Date
    /// When the code expires; an expired mail is not sent (`SEC-MAIL-2`).
    package var expiresAt: Date

    package init(
        id: UUID, tenant: TenantID, flow: UUID?, user: UserID? = nil, lane: Data, sealedContent: Data,
        createdAt: Date, expiresAt: Date
    ) {
        self.id = id
        self.tenant = tenant
        self.flow = flow
        self.user = user
        self.lane = lane
        self.sealedContent = sealedContent
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// The local part of the mail's `Message-ID`: fixed per mail, so that a duplicate can be recognised (`SEC-MAIL-2`).
    package var messageIDLocalPart: String { id.text }
}

/// A mail that a worker has leased for sending.
package struct LeasedMail: Hashable, Sendable {
    package var mail: OutboxMail
    /// The number of earlier attempts. Each lease counts, so the number also distinguishes leases.
    package var attempts: Int

    package init(mail: OutboxMail, attempts: Int) {
        self.mail = mail
        self.attempts = attempts
    }
}

/// How many mails a worker can lease, in all and per lane: a domain with a hanging mail server blocks only its own
/// connections (`REL-SMTP-2`).
package struct MailRoom: Hashable, Sendable {
    /// The largest number of mails in delivery at once.
    package let total: Int
    /// The largest number of mails of one lane in delivery at once.
    package let perLane: Int
    private var taken: [Data: Int] = [:]

    package init(total: Int, perLane: Int) {
        self.total = total
        self.perLane = perLane
    }

    /// The number of mails that can still be leased.
    package var free: Int { total - taken.values.reduce(0, +) }

    /// The lanes without free capacity, `total / perLane` at most.
    package var fullLanes: [Data] { taken.filter { $0.value >= perLane }.map(\.key) }

    /// Reserves capacity for one mail.
    ///
    /// - Returns: False when there is none.
    package mutating func take(_ lane: Data) -> Bool {
        guard free > 0, taken[lane, default: 0] < perLane else { return false }
        taken[lane, default: 0] += 1
        return true
    }

    /// Releases the capacity of one mail.
    package mutating func giveBack(_ lane: Data) {
        taken[lane] = taken[lane].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}

/// The queue of mails, as its worker uses it.
///
/// A row is pending, then sent, expired or failed; its content is wiped in the last three states. A lease hides the row
/// until the lease ends. When a worker dies, its lease ends and the mail is sent again with the same `Message-ID`.
package protocol OutboxStore: Sendable {
    /// Leases mails until `leaseEnd`, the longest due first, as many as `room` allows. Expired mails are marked expired
    /// and not returned.
    ///
    /// - Returns: The mails, and whether more mails may be due that `room` still allows.
    func leaseMails(
        _ room: MailRoom, now: Date, until leaseEnd: Date
    ) async throws(StoreError) -> (mails: [LeasedMail], mayBeMore: Bool)
    /// Records that the mail server accepted the mails, all in one transaction: wipes the contents, even when another
    /// worker holds a lease now.
    func markSent(_ mails: [LeasedMail], now: Date) async throws(StoreError)
    /// The same for a text that the gateway accepted, which costs from now on.
    func markTaken(_ leased: LeasedMail, now: Date) async throws(StoreError)
    /// Schedules another attempt at `next`, which also extends the lease. Does nothing when another worker has leased
    /// the mail meanwhile (`REL-HA-5`).
    func retry(_ leased: LeasedMail, at next: Date) async throws(StoreError)
    /// Records that the mail server refused the mail permanently: wipes the content and records `event` in the same
    /// transaction. Does nothing when another worker has leased the mail meanwhile.
    ///
    /// - Parameter recipient: What a refusal of the mailbox is counted by; nil when it was refused for another reason.
    func markFailed(
        _ leased: LeasedMail, now: Date, event: AuditEvent, refusedBy recipient: Data?
    ) async throws(StoreError)
    /// Records `event` if its tenant has had `limit` mails or more since `start` (`SEC-OTP-13`).
    ///
    /// - Returns: Whether it was recorded.
    func recordFlood(_ event: AuditEvent, of limit: Int, since start: Date) async throws(StoreError) -> Bool
    /// When the next mail of a lane outside `fullLanes` is due; nil when no mail waits.
    func nextMailDue(except fullLanes: [Data]) async throws(StoreError) -> Date?
}

extension OutboxStore {
    /// Leases up to `limit` due mails of any lane.
    package func leaseMails(limit: Int, now: Date, until leaseEnd: Date) async throws(StoreError) -> [LeasedMail] {
        try await leaseMails(MailRoom(total: limit, perLane: limit), now: now, until: leaseEnd).mails
    }

    /// When the next mail is due; nil when no mail waits.
    package func nextMailDue() async throws(StoreError) -> Date? {
        try await nextMailDue(except: [])
    }
}

/// The content of a mail. The worker renders it in the reader's language.
package struct MailContent: Hashable, Sendable, Codable {
    /// The purpose of the mail: it brings a code, or a notice about the account.
    package enum Purpose: String, Hashable, Sendable, Codable, CaseIterable {
        case signUp
        case signIn
        case passwordReset
        case secondFactor
        case registration
        /// Confirms a change of the account, at the account's own mailbox.
        case accountChange
        /// Confirms the new address of an account.
        case emailChange
        /// A notice to the old address, with a code that takes the change back.
        case emailChanged
        case emailChangeUndone
        /// Notices of what an operator did: to the old address of an account, and to a user who must reset the
        /// password.
        case emailReplaced
        case resetRequired
        case accountDeleted
        /// The account will be deleted; the user may keep it until then.
        case deletionScheduled
        /// Notices; they contain no code and no link (`SEC-SSPR-5`, `SEC-MFA-4`).
        case passwordChanged
        case methodRegistered
        /// Notices about changes of methods (`SEC-ENR-5`).
        case methodRemoved
        case methodSuspended
        case methodReactivated
        case methodFirstUsed
        /// A passkey answered in a way that a copy would, or has no backup any more (`SEC-PK-23`).
        case passkeySuspect
        /// A sign-in with a recovery code (`SEC-REC-5`).
        case recoveryCodeUsed
        /// A client wants to sign up with the address of an existing account (`SEC-ENUM-2`).
        case accountExists
        /// Wrong passwords have locked the account (`SEC-LOCK-10`).
        case signInLocked
        /// The password was right after many wrong ones (`SEC-LOCK-10`).
        case signedInAfterFailures
    }

    package var purpose: Purpose
    /// The recipient's address, as validated (`SEC-ID-1`), or ``noRecipient``.
    package var recipient: String
    /// The digits; nil in a notice. They exist only here, in the sealed row and in the mail (`SEC-OTP-14`).
    package var code: String?
    /// How long the code is valid, or until the announced deletion, in whole minutes; 0 in other notices.
    package var minutesValid: Int
    package var language: MailLanguage
    /// The name of the tenant, as the mail shows it.
    package var organisation: String
    package var sentAt: Date
    /// The methods and the network of a notice about methods; nil in other mails.
    package var occasion: Occasion?
    /// Where a code was asked for, if a hook may deliver it.
    package var request: Request?
    /// ``Trace/span`` of the request that caused the mail.
    package var span: String?
    /// The whole text message, when it is one and no mail: the recipient is then a telephone number.
    package var text: String?

    /// The request that asked for a code, for the receiver of a hook.
    package struct Request: Hashable, Sendable, Codable {
        package var client: ClientID
        package var correlationID: UUID
        /// ``HookCall/source``.
        package var source: String?

        package init(client: ClientID, correlationID: UUID, source: String?) {
            self.client = client
            self.correlationID = correlationID
            self.source = source
        }
    }

    /// The methods that a notice is about, and the network of the request (`SEC-ENR-5`).
    package struct Occasion: Hashable, Sendable, Codable {
        /// The masked mailboxes.
        package var methods: [String]
        /// The network, such as `192.0.2.0/24`; nil when it is not known.
        package var network: String?

        package init(methods: [String], network: String?) {
            self.methods = methods
            self.network = network
        }
    }

    /// The recipient of decoy mails, which are written and never sent, so that a decoy flow does the same work as
    /// others (`SEC-ENUM-4`). No mail can reach this address (RFC 2606 section 2).
    package static let noRecipient = "nobody@decoy.invalid"

    package init(
        purpose: Purpose, recipient: String, code: String?, minutesValid: Int, language: MailLanguage,
        organisation: String, sentAt: Date, occasion: Occasion? = nil, request: Request? = nil
    ) {
        self.purpose = purpose
        self.recipient = recipient
        self.code = code
        self.minutesValid = minutesValid
        self.language = language
        self.organisation = organisation
        self.sentAt = sentAt
        self.occasion = occasion
        self.request = request
    }
}

extension MailContent.Purpose {
    /// Whether the mail brings a code.
    package var hasCode: Bool {
        switch self {
        case .signUp, .signIn, .passwordReset, .secondFactor, .registration, .accountChange, .emailChange,
            .emailChanged:
            true
        case .emailChangeUndone, .emailReplaced, .resetRequired, .accountDeleted, .deletionScheduled, .passwordChanged,
            .methodRegistered, .methodRemoved, .methodSuspended, .methodReactivated, .methodFirstUsed,
            .passkeySuspect, .recoveryCodeUsed, .accountExists, .signInLocked, .signedInAfterFailures:
            false
        }
    }

    /// What a code of the purpose is for when it is texted.
    package var textUse: TextUse {
        switch self {
        case .registration: .registration
        case .signIn: .signIn
        case .signUp, .passwordReset, .secondFactor, .accountChange, .emailChange, .emailChanged, .emailChangeUndone,
            .emailReplaced, .resetRequired, .accountDeleted, .deletionScheduled, .passwordChanged, .methodRegistered,
            .methodRemoved, .methodSuspended, .methodReactivated, .methodFirstUsed, .passkeySuspect, .recoveryCodeUsed,
            .accountExists, .signInLocked, .signedInAfterFailures:
            .secondFactor
        }
    }

    /// Whether the mail goes to any address that a person names, and not only to those of accounts.
    package var goesToAnyAddress: Bool {
        switch self {
        case .signUp, .accountExists, .registration, .emailChange: true
        case .signIn, .passwordReset, .secondFactor, .accountChange, .emailChanged, .emailChangeUndone, .emailReplaced,
            .resetRequired, .accountDeleted, .deletionScheduled, .passwordChanged, .methodRegistered, .methodRemoved,
            .methodSuspended, .methodReactivated, .methodFirstUsed, .passkeySuspect, .recoveryCodeUsed,
            .signInLocked, .signedInAfterFailures:
            false
        }
    }
}
