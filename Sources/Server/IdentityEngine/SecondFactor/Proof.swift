package import PortableFoundation

/// One thing that a user has proven, by its kind. What proofs are worth together is an ``Assurance``.
package enum Proof: Hashable, Sendable {
    /// The password. One that came from a reset proves no more than the mailbox that it came from (`SEC-ENR-8`).
    case password(isFromReset: Bool)
    /// A code that reached a mailbox.
    case mailbox(Mailbox)
    /// A code that reached a phone as a text message.
    case phone
    /// A code of an authenticator app.
    case authenticatorApp
    /// One of the codes that the user was given for the loss of everything else.
    case recoveryCode
    /// A passkey whose device verified the user, by a fingerprint or a PIN.
    ///
    /// - Parameter isSynced: Whether the user's other devices have a copy of it.
    case passkey(isSynced: Bool)
    /// A passkey that the account's own mailbox alone enrolled. It is one factor with that mailbox, and no code of it.
    case passkeyOfMailbox
    /// A key whose device did not verify the user.
    case securityKey
    /// The user's account at a provider of another organisation. What was proven there is not known: one factor.
    case identity
    /// Such an account that is worth the own mailbox: the provider speaks for that mailbox, or the mailbox alone linked it.
    case identityOfMailbox
    /// What the provider of such an account says of the strength of its sign-in, where the tenant trusts it (`SEC-FED-13`). It is no
    /// factor of the account, and worth nothing without the account at the provider.
    case statement(Assurance.Level)

    /// Whose mailbox it is.
    package enum Mailbox: Hashable, Sendable {
        /// The account's own, or one that the own one alone enrolled.
        case own
        /// Another one, by the bytes of its address.
        case other(Data)
    }

    /// What a proof comes from. Proofs of one root are one factor: who has the root can give them all.
    package enum Root: Hashable, Sendable {
        /// What the user knows.
        case knowledge
        case mailbox(Mailbox)
        /// A device or a sheet of paper that the user has. All of them are one root: two things of one pocket are not
        /// two factors.
        case possession
        /// What the device verified of the user.
        case verification
        /// What another organisation asks the user for.
        case elsewhere
    }

    package var roots: Set<Root> {
        switch self {
        case .password(isFromReset: false): [.knowledge]
        case .password(isFromReset: true): [.mailbox(.own)]
        case .mailbox(let mailbox): [.mailbox(mailbox)]
        case .passkeyOfMailbox, .identityOfMailbox: [.mailbox(.own)]
        case .identity: [.elsewhere]
        case .phone, .authenticatorApp, .recoveryCode, .securityKey: [.possession]
        case .passkey: [.possession, .verification]
        case .statement: []
        }
    }

    /// Whether a page of another server cannot pass the proof on.
    package var resistsPhishing: Bool {
        switch self {
        case .passkey, .passkeyOfMailbox, .securityKey: true
        case .statement(let level): level >= .phishingResistant
        case .password, .mailbox, .phone, .authenticatorApp, .recoveryCode, .identity, .identityOfMailbox: false
        }
    }

    /// The names of RFC 8176 that the proof has in the claim `amr`.
    fileprivate var words: Set<Word> {
        switch self {
        case .password: [.password]
        case .mailbox, .authenticatorApp: [.oneTimePasscode]
        case .phone: [.textMessage]
        case .recoveryCode: [.recoveryCode]
        case .passkey(let isSynced): [isSynced ? .softwareKey : .hardwareKey, .userVerified, .possession]
        case .passkeyOfMailbox: [.userVerified, .possession]
        case .securityKey: [.hardwareKey]
        case .identity, .identityOfMailbox: [.federated]
        case .statement: []
        }
    }

    /// What a statement of a provider says; nil for every other proof.
    fileprivate var statedLevel: Assurance.Level? {
        switch self {
        case .statement(let level): level
        case .password, .mailbox, .phone, .authenticatorApp, .recoveryCode, .passkey, .passkeyOfMailbox, .securityKey,
            .identity, .identityOfMailbox:
            nil
        }
    }

    /// A word of the claim `amr`, in the order of the claim.
    enum Word: String, CaseIterable {
        case password = "pwd"
        case oneTimePasscode = "otp"
        case textMessage = "sms"
        /// Not of RFC 8176, which has no word for it. `otp` without `mfa` would say that the own mailbox was proven.
        case recoveryCode = "recovery"
        /// Not of RFC 8176, which has no word for what another organisation has proven.
        case federated = "fed"
        case softwareKey = "swk"
        case hardwareKey = "hwk"
        case userVerified = "user"
        case factors = "mfa"
        case possession = "pop"
    }
}

/// What the proofs of one sign-in are worth together: a pure function of them (design record 0039).
package struct Assurance: Hashable, Sendable {
    /// From the lowest to the highest; the values are the names in design record 0039.
    package enum Level: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
        case nothing = "l0"
        /// One factor.
        case oneFactor = "l1"
        /// Two factors that NIST SP 800-63B does not accept as two: one of them is a code by mail or a recovery code.
        case mailed = "l1m"
        /// Two factors, one of them a text message, which NIST restricts.
        case restricted = "l2r"
        /// Two factors of different kinds.
        case twoFactors = "l2"
        /// Two factors that no page of another server can pass on.
        case phishingResistant = "l2p"

        package static func < (one: Level, other: Level) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .nothing: 0
            case .oneFactor: 1
            case .mailed: 2
            case .restricted: 3
            case .twoFactors: 4
            case .phishingResistant: 5
            }
        }
    }

    package var level: Level
    /// The number of independent roots.
    package var factors: Int
    /// Whether the proofs are two factors only by a recovery code.
    package var needsRecoveryCode: Bool
    /// The claim `amr` (RFC 8176): a word for each proof, and `mfa` for two factors without a recovery code.
    package var words: [String]

    package init(of given: [Proof]) {
        let proofs = given.filter { $0.statedLevel == nil }
        let isOfProvider = proofs.contains(.identity) || proofs.contains(.identityOfMailbox)
        let stated = isOfProvider ? given.compactMap(\.statedLevel).max() ?? .nothing : .nothing
        let roots = Self.roots(of: proofs)
        factors = roots.count
        needsRecoveryCode = factors > 1 && Self.roots(of: proofs.filter { $0 != .recoveryCode }).count < 2
        let isOfTwo = factors > 1 && !needsRecoveryCode || stated > .oneFactor
        let said = proofs.reduce(into: Set<Proof.Word>()) { $0.formUnion($1.words) }
            .union(isOfTwo ? [.factors] : [])
        words = Proof.Word.allCases.filter(said.contains).map(\.rawValue)
        let knows = roots.contains(.knowledge)
        let own: Level =
            if proofs.isEmpty {
                .nothing
            } else if factors < 2 {
                .oneFactor
            } else if roots.contains(.verification) || knows && proofs.contains(.securityKey) {
                .phishingResistant
            } else if knows, proofs.contains(.authenticatorApp) {
                .twoFactors
            } else if knows, proofs.contains(.phone) {
                .restricted
            } else {
                .mailed
            }
        level = max(own, stated)
    }

    /// In the claim `amr` of a session that a recovery code began.
    static let recoveryWord = Proof.Word.recoveryCode.rawValue

    /// The least that these words of a session's `amr` are worth: they do not tell a code of an app from one by mail. What must not
    /// be done with a recovery code asks for `mfa`.
    package static func level(ofWords words: [String]) -> Level {
        let words = Set(words)
        guard words.contains(Proof.Word.factors.rawValue) || words.contains(recoveryWord) else { return .oneFactor }
        let keys: Set<String> = [Proof.Word.softwareKey.rawValue, Proof.Word.hardwareKey.rawValue]
        let isOfVerifiedKey =
            words.contains(Proof.Word.userVerified.rawValue) && !words.isDisjoint(with: keys)
        return isOfVerifiedKey ? .phishingResistant : .mailed
    }

    private static func roots(of proofs: [Proof]) -> Set<Proof.Root> {
        proofs.reduce(into: []) { $0.formUnion($1.roots) }
    }
}
