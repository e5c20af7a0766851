package import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A mail that waits to be sent: a row of the transaction that issued its code (decision D7).
package struct OutboxMail: Hashable, Sendable {
    package var id: UUID
    package var tenant: TenantID
    package var flow: UUID?
    /// The same for all mails of the tenant to one domain, and tells nobody which: 8 bytes of a keyed digest.
    package var lane: Data
    /// A ``MailContent``, sealed: the database never holds a code or an address in the clear.
    package var sealedContent: Data
    package var createdAt: Date
    /// When the code ends; an expired mail is not sent (`SEC-MAIL-2`).
    package var expiresAt: Date

    package init(
        id: UUID, tenant: TenantID, flow: UUID?, lane: Data, sealedContent: Data, createdAt: Date, expiresAt: Date
    ) {
        self.id = id
        self.tenant = tenant
        self.flow = flow
        self.lane = lane
        self.sealedContent = sealedContent
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// The local part of the mail's `Message-ID`: fixed per mail, so that a duplicate can be told (`SEC-MAIL-2`).
    package var messageIDLocalPart: String { id.text }
}

/// A mail that a worker has taken to send.
package struct LeasedMail: Hashable, Sendable {
    package var mail: OutboxMail
    /// How many times it was tried before. Each lease counts, so the number also tells one lease from the next.
    package var attempts: Int

    package init(mail: OutboxMail, attempts: Int) {
        self.mail = mail
        self.attempts = attempts
    }
}

/// How many mails a worker can take, in all and of each lane: a domain whose mail server hangs takes only its own connections
/// (`REL-SMTP-2`).
package struct MailRoom: Hashable, Sendable {
    /// The most mails on their way at once.
    package let total: Int
    /// The most mails of one lane on their way at once.
    package let perLane: Int
    private var taken: [Data: Int] = [:]

    package init(total: Int, perLane: Int) {
        self.total = total
        self.perLane = perLane
    }

    /// How many more there is room for.
    package var free: Int { total - taken.values.reduce(0, +) }

    /// The lanes with no room left, `total / perLane` at most.
    package var fullLanes: [Data] { taken.filter { $0.value >= perLane }.map(\.key) }

    /// Makes room for one mail less.
    ///
    /// - Returns: False where there was none.
    package mutating func take(_ lane: Data) -> Bool {
        guard free > 0, taken[lane, default: 0] < perLane else { return false }
        taken[lane, default: 0] += 1
        return true
    }

    /// Makes room for one mail more, which was taken before.
    package mutating func giveBack(_ lane: Data) {
        taken[lane] = taken[lane].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}

/// The queue of mails, as its worker sees it.
///
/// A row is pending, then sent, expired or failed; its content is wiped with the last three. Taking a lease hides the row
/// for the length of the lease; a worker that dies loses it, and the mail is sent again with the same `Message-ID`.
package protocol OutboxStore: Sendable {
    /// Takes mails until `leaseEnd`, those first that have been due the longest, as many as there is room for. Expired ones are
    /// marked expired and not returned.
    ///
    /// - Returns: The mails, and whether others may be due for which there is room.
    func leaseMails(
        _ room: MailRoom, now: Date, until leaseEnd: Date
    ) async throws(StoreError) -> (mails: [LeasedMail], mayBeMore: Bool)
    /// The mail server took it: wipes the content, also when another worker holds the lease by now.
    func markSent(_ leased: LeasedMail, now: Date) async throws(StoreError)
    /// Not now: tries again at `next`, which also makes the lease longer. Does nothing when another worker has taken the mail meanwhile (`REL-HA-5`).
    func retry(_ leased: LeasedMail, at next: Date) async throws(StoreError)
    /// Never: the mail server refused it for good. Wipes the content and records `event` in the same transaction. Does nothing
    /// when another worker has taken the mail meanwhile.
    func markFailed(_ leased: LeasedMail, now: Date, event: AuditEvent) async throws(StoreError)
    /// Records `event` if its tenant has had `limit` mails or more since `start` (`SEC-OTP-13`).
    ///
    /// - Returns: Whether it did.
    func recordFlood(_ event: AuditEvent, of limit: Int, since start: Date) async throws(StoreError) -> Bool
    /// When the next mail of another lane than `fullLanes` is due; nil when none waits.
    func nextMailDue(except fullLanes: [Data]) async throws(StoreError) -> Date?
}

extension OutboxStore {
    /// Takes up to `limit` due mails, whatever their lanes.
    package func leaseMails(limit: Int, now: Date, until leaseEnd: Date) async throws(StoreError) -> [LeasedMail] {
        try await leaseMails(MailRoom(total: limit, perLane: limit), now: now, until: leaseEnd).mails
    }

    /// When the next mail is due; nil when none waits.
    package func nextMailDue() async throws(StoreError) -> Date? {
        try await nextMailDue(except: [])
    }
}

/// What a mail says. The worker renders it in the reader's language.
package struct MailContent: Hashable, Sendable, Codable {
    /// Why the mail was sent: with a code, or as a notice of what happened to the account.
    package enum Purpose: String, Hashable, Sendable, Codable {
        case signUp
        case signIn
        case passwordReset
        case secondFactor
        case registration
        /// Notices; they hold no code and no link (`SEC-SSPR-5`, `SEC-MFA-4`).
        case passwordChanged
        case methodRegistered
        /// Notices of what became of methods (`SEC-ENR-5`).
        case methodRemoved
        case methodSuspended
        case methodReactivated
        case methodFirstUsed
        /// Somebody wants to sign up with the address of an account (`SEC-ENUM-2`).
        case accountExists
        /// Wrong passwords have locked the account (`SEC-LOCK-10`).
        case signInLocked
        /// The password was right, after many wrong ones (`SEC-LOCK-10`).
        case signedInAfterFailures
    }

    package var purpose: Purpose
    /// The recipient's address, as validated (`SEC-ID-1`), or ``nobody``.
    package var recipient: String
    /// The digits; nil in a notice. The value lives only here, in the sealed row and in the mail (`SEC-OTP-14`).
    package var code: String?
    /// How long the code is good for, in whole minutes; 0 in a notice.
    package var minutesValid: Int
    /// `en`, `da`, `nl`, `fr` or `ja`.
    package var language: MailLanguage
    /// The name of the tenant, which the mail shows.
    package var organisation: String
    package var sentAt: Date
    /// What a notice about methods tells besides; nil in other mails.
    package var occasion: Occasion?

    /// Which methods a notice is about, and from where something was done to them (`SEC-ENR-5`).
    package struct Occasion: Hashable, Sendable, Codable {
        /// The mailboxes, masked.
        package var methods: [String]
        /// The network, as in `192.0.2.0/24`; nil where it is not known.
        package var network: String?

        package init(methods: [String], network: String?) {
            self.methods = methods
            self.network = network
        }
    }

    /// Whose mails are written and never sent, so that a flow about nobody makes the same work as others (`SEC-ENUM-4`). No mail
    /// could reach this address (RFC 2606 section 2).
    package static let nobody = "nobody@decoy.invalid"

    package init(
        purpose: Purpose, recipient: String, code: String?, minutesValid: Int, language: MailLanguage,
        organisation: String, sentAt: Date, occasion: Occasion? = nil
    ) {
        self.purpose = purpose
        self.recipient = recipient
        self.code = code
        self.minutesValid = minutesValid
        self.language = language
        self.organisation = organisation
        self.sentAt = sentAt
        self.occasion = occasion
    }
}

/// A language in which mails are written.
package enum MailLanguage: String, Hashable, Sendable, Codable, CaseIterable {
    case english = "en"
    case danish = "da"
    case dutch = "nl"
    case french = "fr"
    case japanese = "ja"
}
