package import PortableFoundation

// What a provider says of the strength of a sign-in there, as far as the tenant trusts it (SEC-FED-13, design record 0047).

/// What a tenant takes a provider's words for. Everything is in the tenant's document; nothing of a request or of a token adds to
/// it.
package struct ProviderStrength: Hashable, Sendable {
    /// A value of a claim, and the level that it means.
    package struct Entry: Hashable, Sendable {
        /// 1 to 255 visible ASCII characters, to be compared byte for byte.
        package var value: String
        package var level: Assurance.Level

        package init(_ value: String, _ level: Assurance.Level) {
            (self.value, self.level) = (value, level)
        }
    }

    /// The most entries of a claim.
    package static let most = 20

    /// By the value of the claim `acr`.
    package var byContext: [Entry]
    /// By a word of the claim `amr`; at most ``Assurance/Level/twoFactors``.
    package var byMethod: [Entry]

    package init(byContext: [Entry] = [], byMethod: [Entry] = []) {
        (self.byContext, self.byMethod) = (byContext, byMethod)
    }

    /// The highest level that the claims mean; nil: no more than one factor.
    func level(context: String?, methods: [String]) -> Assurance.Level? {
        let ofContext = byContext.filter { entry in context?.utf8.elementsEqual(entry.value.utf8) == true }
        let ofMethods = byMethod.filter { entry in
            methods.contains { $0.utf8.elementsEqual(entry.value.utf8) }
        }
        // A word alone does not say that no page can pass the proof on.
        let levels = ofContext.map(\.level) + ofMethods.map { min($0.level, .twoFactors) }
        return levels.max().flatMap { $0 > .oneFactor ? $0 : nil }
    }
}

extension ProviderStrength {
    /// The highest level that a provider's word can mean.
    package var highest: Assurance.Level {
        (byContext.map(\.level) + byMethod.map { min($0.level, .twoFactors) }).max() ?? .oneFactor
    }
}

extension Tenant {
    /// The highest level that the word of one of its providers can mean.
    package var statedLevel: Assurance.Level { providers.compactMap { $0.strength?.highest }.max() ?? .oneFactor }
}

/// What a provider said of one sign-in there, and what the tenant takes it for. It is no proof of the account's own: it adds no
/// factor, and no rule of enrolment looks at it.
package struct StatedStrength: Hashable, Sendable, Codable {
    /// How old the sign-in at the provider may be where it is judged, in seconds.
    package static let lifetime = 3_600

    package var level: Assurance.Level
    /// The provider's words, as far as RFC 8176 has them, and `mfa`.
    package var words: [String]
    /// When the user signed in there: the claim `auth_time`.
    package var authenticatedAt: Date

    package init(level: Assurance.Level, words: [String], authenticatedAt: Date) {
        (self.level, self.words, self.authenticatedAt) = (level, words, authenticatedAt)
    }

    /// Whether it counts now.
    ///
    /// - Parameter maximumAge: How old a proof may be by what is demanded, in seconds; nil: any age.
    package func counts(within maximumAge: Int?, at now: Date) -> Bool {
        now.timeIntervalSince(authenticatedAt) <= Double(min(Self.lifetime, maximumAge ?? Self.lifetime))
    }

    /// What marks the provider's words among the words of a session, so that no rule takes them for own proofs.
    private static let mark = "fed:"

    /// The words as a session keeps them.
    var marked: [String] { words.map { Self.mark + $0 } }

    /// The own words of a session, and those of the provider.
    package static func parted(_ words: [String]) -> (own: [String], stated: [String]) {
        (
            words.filter { !$0.hasPrefix(mark) },
            words.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
        )
    }

    /// The words of RFC 8176 section 2, and of the registry that it founded.
    static let known: Set<String> = [
        "face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin", "pop", "pwd", "rba", "retina", "sc",
        "sms", "swk", "tel", "user", "vbm", "wia",
    ]
}

/// What the claims of a token say of the strength.
package enum ProviderStatement: Hashable, Sendable {
    /// Nothing that the tenant trusts: one factor.
    case nothing
    /// It would mean more than one factor, and is too old.
    case stale
    case stated(StatedStrength)
}

extension IdentityProvider {
    /// Judges what the claims say of the strength. They are claims of a token whose signature is right.
    ///
    /// - Parameter maximumAge: How old a proof may be by what is demanded, in seconds; nil: an hour.
    package func statement(of claims: IdentityClaims, within maximumAge: Int? = nil, at now: Date) -> ProviderStatement
    {
        // Without the time of the sign-in, or with one that is still to come, nothing is known of it.
        guard let level = strength?.level(context: claims.context, methods: claims.methods),
            let authenticatedAt = claims.authenticatedAt, authenticatedAt.timeIntervalSince(now) <= Self.skew
        else { return .nothing }
        let said = claims.methods.filter(StatedStrength.known.contains) + ["mfa"]
        let stated = StatedStrength(
            level: level, words: Set(said).sorted(), authenticatedAt: min(authenticatedAt, now))
        return stated.counts(within: maximumAge, at: now) ? .stated(stated) : .stale
    }
}

extension StrongMethod {
    /// Whether the strength that the identity's provider states may count in the account. The account was made with the identity, or
    /// two factors linked it: else a provider's word would be worth more than the proofs under which a thief could link an identity of
    /// their own, such as a code to the mailbox.
    func takesStatements(in account: UserAccount) -> Bool {
        switch enrolment.strength {
        case .twoFactors: true
        case .mailbox: provenAt <= account.user.createdAt
        case .unknown, .password, .codes, .recoveryCode: false
        }
    }
}
