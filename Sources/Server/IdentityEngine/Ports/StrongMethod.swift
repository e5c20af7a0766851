package import NativeAuthCore
package import PortableFoundation

/// A method that an account has besides its password and its mailbox: for the second factor, or to sign in with.
package struct StrongMethod: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A mailbox that gets codes.
        case mailbox(EmailAddress)
        /// A telephone that gets codes as text messages.
        case phone(PhoneNumber)
        /// An authenticator app. Nil in the state of a flow, which does not repeat what the row has.
        case app(EnrolledApp?)
        /// A passkey. Nil in the state of a flow, as an app.
        case passkey(EnrolledPasskey?)
        /// An account at a provider, which signs its user in and is no second factor. Nil in the state of a flow, as an app.
        case identity(LinkedIdentity?)
        /// The codes for the loss of every other method, which a sign-in lists last. The account has them apart from its
        /// methods.
        case recoveryCodes
        /// A kind that a newer version stored, by its name: while nodes of both versions run, the account is enrolled
        /// on both, and this one can neither give the method nor list it to apps (design record 0039).
        case unknown(String)
    }

    /// Random; `id` in the API (docs/protocol.md §4.6).
    package var id: UUID
    package var kind: Kind
    /// When the method was enrolled, with a proof of it.
    package var provenAt: Date
    /// The proofs at the enrolment.
    package var enrolment: Enrolment
    /// When the method was suspended: it is listed but cannot be used (`SEC-ENR-7`). Nil: it can be used.
    package var suspendedAt: Date?
    /// When the method was first used after its enrolment; nil: not yet.
    package var firstUsedAt: Date?
    /// When the method was last used; nil: not since its enrolment, or not since this is recorded.
    package var lastUsedAt: Date?
    /// The name that the user gave the method, 1 to 64 characters; nil: none.
    package var name: String?

    package init(
        id: UUID, kind: Kind, provenAt: Date, enrolment: Enrolment = Enrolment(.unknown),
        suspendedAt: Date? = nil, firstUsedAt: Date? = nil, lastUsedAt: Date? = nil, name: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.provenAt = provenAt
        self.enrolment = enrolment
        self.suspendedAt = suspendedAt
        self.firstUsedAt = firstUsedAt
        self.lastUsedAt = lastUsedAt
        self.name = name
    }

    package init(id: UUID, contact: Contact, provenAt: Date, enrolment: Enrolment) {
        self.init(id: id, kind: Kind(contact), provenAt: provenAt, enrolment: enrolment)
    }

    package init(
        id: UUID, email: EmailAddress, provenAt: Date, enrolment: Enrolment = Enrolment(.unknown),
        suspendedAt: Date? = nil, firstUsedAt: Date? = nil, lastUsedAt: Date? = nil, name: String? = nil
    ) {
        self.init(
            id: id, kind: .mailbox(email), provenAt: provenAt, enrolment: enrolment, suspendedAt: suspendedAt,
            firstUsedAt: firstUsedAt, lastUsedAt: lastUsedAt, name: name)
    }

    /// The mailbox that gets the codes; nil for a method of another kind.
    package var email: EmailAddress? {
        switch kind {
        case .mailbox(let email): email
        case .phone, .app, .passkey, .identity, .recoveryCodes, .unknown: nil
        }
    }

    /// What gets the codes; nil for a method whose codes the user has.
    package var contact: Contact? {
        switch kind {
        case .mailbox(let email): .mailbox(email)
        case .phone(let number): .phone(number)
        case .app, .passkey, .identity, .recoveryCodes, .unknown: nil
        }
    }

    /// Whether it is a telephone.
    package var isPhone: Bool { contact?.phone != nil }

    /// Whether it is an authenticator app.
    package var isApp: Bool {
        switch kind {
        case .app: true
        case .mailbox, .phone, .passkey, .identity, .recoveryCodes, .unknown: false
        }
    }

    /// The place in the list of a sign-in: passkeys first, which no page of another server can pass on; then what was used last; then
    /// by kind.
    package var place: (Int, TimeInterval, Int) {
        let kind =
            switch kind {
            case .passkey: 0
            case .app: 1
            case .phone: 2
            case .mailbox: 3
            case .identity, .recoveryCodes, .unknown: 4
            }
        return (isPasskey ? 0 : 1, -(lastUsedAt ?? .distantPast).timeIntervalSince1970, kind)
    }

    /// For how long a method that a recovery code enrolled proves no more than such a code, in seconds (`SEC-ENR-10`).
    package static let rest = 72 * 3_600.0

    /// Whether it proves no more than a recovery code now.
    package func rests(at now: Date) -> Bool {
        enrolment.strength == .recoveryCode && now.timeIntervalSince(provenAt) < Self.rest
    }

    /// How the method proves itself; nil for mailboxes and for unknown kinds.
    package var channel: CodeChannel? {
        switch kind {
        case .app: .authenticatorApp
        case .recoveryCodes: .recoveryCode
        case .phone: .textMessage
        case .passkey: .passkey
        case .mailbox, .identity, .unknown: nil
        }
    }

    /// How operators and apps are shown the method: the masked address or number, or the name of its kind in English, which mails and
    /// pages translate.
    package var label: String {
        switch kind {
        case .mailbox(let email): email.masked
        case .phone(let number): number.masked
        case .app: Self.appLabel
        case .passkey: Self.passkeyLabel
        case .identity(let identity): identity?.providerName ?? Self.identityName
        case .recoveryCodes: Self.recoveryLabel
        case .unknown(let name): name
        }
    }

    /// How the audit trail says that it was enrolled: the proofs, and the kind when it is no mailbox.
    var enrolmentDetail: String {
        let strength = enrolment.strength.rawValue
        return switch kind {
        case .mailbox: strength
        case .phone: "\(strength), \(Self.phoneName)"
        case .app: "\(strength), \(Self.appName)"
        case .passkey: "\(strength), \(Self.passkeyName)"
        case .identity: "\(strength), \(Self.identityName)"
        case .recoveryCodes: "\(strength), \(Self.recoveryName)"
        case .unknown(let name): "\(strength), \(name)"
        }
    }

    package static let appLabel = "Authenticator app"
    package static let passkeyLabel = "Passkey"
    package static let recoveryLabel = "Recovery code"
    /// The name of the kind in the database and in the state of flows.
    package static let appName = "app"
    package static let phoneName = "phone"
    package static let passkeyName = "passkey"
    package static let identityName = "identity"
    /// The same for recovery codes, in the state of flows alone.
    package static let recoveryName = "recovery"

    /// What a notice calls them when they were made, and how it says that one was used; mails translate both.
    package static let recoveryCodesLabel = "Recovery codes"
    package static func label(ofCodesLeft count: Int) -> String { "\(codesLeftLabel): \(count)" }
    package static let codesLeftLabel = "Recovery codes left"

    /// Whether a user may give a method this name: 1 to 64 characters without control characters, and without those that turn
    /// or hide text, since sign-ins show it.
    package static func isName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...64).contains(scalars.count)
            && scalars.allSatisfy {
                ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            }
    }
}

/// What one user of a tenant has, by its kind: a user chooses the id of a passkey, and must not take the key of another one's
/// identity.
package enum MethodCredential: Hashable, Sendable {
    /// ``EnrolledPasskey/credentialID``.
    case passkey(Data)
    /// ``LinkedIdentity/key``.
    case identity(Data)

    package var bytes: Data {
        switch self {
        case .passkey(let bytes), .identity(let bytes): bytes
        }
    }

    /// The name of the kind in the database.
    package var kindName: String {
        switch self {
        case .passkey: StrongMethod.passkeyName
        case .identity: StrongMethod.identityName
        }
    }
}

/// What the server keeps of an authenticator app.
package struct EnrolledApp: Hashable, Sendable {
    /// The shared secret, sealed for the user and the method (`SEC-TOTP-6`).
    package var sealedSecret: Data
    package var clock: AppClock

    package init(sealedSecret: Data, clock: AppClock) {
        self.sealedSecret = sealedSecret
        self.clock = clock
    }
}

/// A mailbox is written as by versions that knew no other kind, so that they read the flows of this one and this one
/// reads theirs.
extension StrongMethod: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, email, number, kind, provenAt, enrolment, suspendedAt, firstUsedAt, lastUsedAt, name
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let kind: Kind =
            if let name = try values.decodeIfPresent(String.self, forKey: .kind) {
                switch name {
                case Self.appName: .app(nil)
                case Self.passkeyName: .passkey(nil)
                case Self.identityName: .identity(nil)
                case Self.recoveryName: .recoveryCodes
                case Self.phoneName: .phone(try values.decode(PhoneNumber.self, forKey: .number))
                case _: .unknown(name)
                }
            } else {
                .mailbox(try values.decode(EmailAddress.self, forKey: .email))
            }
        self.init(
            id: try values.decode(UUID.self, forKey: .id), kind: kind,
            provenAt: try values.decode(Date.self, forKey: .provenAt),
            enrolment: try values.decode(Enrolment.self, forKey: .enrolment),
            suspendedAt: try values.decodeIfPresent(Date.self, forKey: .suspendedAt),
            firstUsedAt: try values.decodeIfPresent(Date.self, forKey: .firstUsedAt),
            lastUsedAt: try values.decodeIfPresent(Date.self, forKey: .lastUsedAt),
            name: try values.decodeIfPresent(String.self, forKey: .name))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        switch kind {
        case .mailbox(let email): try values.encode(email, forKey: .email)
        case .phone(let number):
            try values.encode(Self.phoneName, forKey: .kind)
            try values.encode(number, forKey: .number)
        case .app: try values.encode(Self.appName, forKey: .kind)
        case .passkey: try values.encode(Self.passkeyName, forKey: .kind)
        case .identity: try values.encode(Self.identityName, forKey: .kind)
        case .recoveryCodes: try values.encode(Self.recoveryName, forKey: .kind)
        case .unknown(let name): try values.encode(name, forKey: .kind)
        }
        try values.encode(provenAt, forKey: .provenAt)
        try values.encode(enrolment, forKey: .enrolment)
        try values.encodeIfPresent(suspendedAt, forKey: .suspendedAt)
        try values.encodeIfPresent(firstUsedAt, forKey: .firstUsedAt)
        try values.encodeIfPresent(lastUsedAt, forKey: .lastUsedAt)
        try values.encodeIfPresent(name, forKey: .name)
    }
}

/// The proofs, the time and the place of a method's enrolment (`SEC-ENR-1`).
package struct Enrolment: Hashable, Sendable, Codable {
    /// The proofs given before the method itself.
    package enum Strength: String, Hashable, Sendable, Codable, CaseIterable {
        /// Enrolled before this was recorded.
        case unknown
        /// Only the password, in the mode ``EnrolmentMode/compatible``, or for the account's own mailbox.
        case password
        /// Only the account's own mailbox, or a password that came from it. The method then counts as that mailbox: who
        /// controls the mailbox can register the method.
        case mailbox
        /// A code by mail, of an account that has no password: its first method beside its mailbox, which has nothing else to
        /// ask for.
        case codes
        /// A recovery code besides the first factor: what a user has who lost every other method. For a time the method proves
        /// no more than that code (`SEC-ENR-10`).
        case recoveryCode
        /// Two factors.
        case twoFactors
    }

    package var strength: Strength
    /// When the first of the proofs was given.
    package var authenticatedAt: Date?
    /// The application that received the proofs.
    package var client: ClientID?
    /// Whether the network was familiar to the user (`SEC-LOCK-3`); nil when limits over time are off.
    package var isFamiliarSource: Bool?

    package init(
        _ strength: Strength, authenticatedAt: Date? = nil, client: ClientID? = nil, isFamiliarSource: Bool? = nil
    ) {
        self.strength = strength
        self.authenticatedAt = authenticatedAt
        self.client = client
        self.isFamiliarSource = isFamiliarSource
    }
}

extension StrongMethod.Kind {
    package init(_ contact: Contact) {
        self =
            switch contact {
            case .mailbox(let email): .mailbox(email)
            case .phone(let number): .phone(number)
            }
    }
}
