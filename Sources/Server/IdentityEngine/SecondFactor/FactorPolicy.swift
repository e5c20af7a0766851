package import NativeAuthCore
package import PortableFoundation

/// What the proofs of a flow allow, given the required factors (`SEC-MFA-1` to `SEC-MFA-5`).
package enum FactorVerdict: Hashable, Sendable {
    /// Tokens that satisfy these authentication contexts.
    case tokens(contexts: [String])
    /// The user must also give one of these methods.
    case giveSecondFactor([StrongMethod])
    /// The user must register a method first.
    case registerMethod
    /// The client or this API cannot do what is needed.
    case redirectToBrowser(RedirectReason)
}

/// The factors that an application, its user flow and its tenant require.
package struct FactorDemand: Hashable, Sendable {
    /// The requested authentication contexts; each needs two factors, or what a rule says.
    package var contexts: [String]
    /// What the requested contexts stand for together.
    package var ofContexts: LevelDemand
    /// What the application, the user flow, the scopes and the groups of the user demand in any case. No grant bypasses
    /// this (design record 0005).
    package var required: LevelDemand
    /// Whether a second factor must use another mailbox than a reset does (`SEC-MFA-3`).
    package var distinctMailbox: Bool
    package var enrolment: EnrolmentMode
    /// How long a suspended method stays suspended, in seconds (`SEC-ENR-7`).
    package var suspensionRest: Int
    package var now: Date
    /// Whether the tenant has recovery codes.
    package var takesRecoveryCodes: Bool
    /// Whether users of the tenant register authenticator apps.
    package var takesApps: Bool
    /// The tenant's text messages; nil: it has none.
    package var texts: TextSettings?
    /// The relying party whose passkeys the tenant takes; nil: it has none.
    package var passkeyDomain: String?
    /// How old the first proof may be when a method is registered, in seconds (`SEC-MFA-4`).
    package var registrationAge: Int
    /// The application; devices are remembered for one.
    package var client: ClientID?
    /// For how many days the tenant remembers devices; nil: it does not, or not here.
    package var rememberedDays: Int?
    /// How old a proof may be by the client's own wish, in seconds (`max_age`); nil: any age.
    package var wishedAge: Int?

    package init(
        contexts: [String], ofContexts: LevelDemand = .twoFactors, isRequired: Bool,
        required: LevelDemand = .none, distinctMailbox: Bool, enrolment: EnrolmentMode = .proven,
        suspensionRest: Int = 24 * 3600, now: Date, takesRecoveryCodes: Bool = true, takesApps: Bool = false,
        texts: TextSettings? = nil, passkeyDomain: String? = nil, registrationAge: Int = 600
    ) {
        self.contexts = contexts
        self.ofContexts = ofContexts
        self.required = isRequired ? required.and(.twoFactors) : required
        self.distinctMailbox = distinctMailbox
        self.enrolment = enrolment
        self.suspensionRest = suspensionRest
        self.now = now
        self.takesRecoveryCodes = takesRecoveryCodes
        self.takesApps = takesApps
        self.texts = texts
        self.passkeyDomain = passkeyDomain
        self.registrationAge = registrationAge
    }

    /// How old the sign-in at a provider may be where its word counts; nil: as old as ``StatedStrength`` allows.
    package var statementAge: Int? {
        [required.maximumAge, contexts.isEmpty ? nil : ofContexts.maximumAge, wishedAge].compactMap(\.self).min()
    }

    /// Whether numbers of the area are texted.
    fileprivate func canText(_ number: PhoneNumber) -> Bool { texts?.allows(number) ?? false }

    /// What this account needs whatever the client asks for.
    fileprivate func required(of account: UserAccount) -> LevelDemand {
        account.requiresSecondFactor ? required.and(.twoFactors) : required
    }

    /// All that is demanded of a sign-in to this account, the requested contexts included.
    package func whole(of account: UserAccount) -> LevelDemand {
        contexts.isEmpty ? required(of: account) : required(of: account).and(ofContexts)
    }
}

/// What a user can register in the middle of a sign-in.
package enum RegistrableMethod: Hashable, Sendable {
    case mailbox, phone, app, passkey
}

extension FactorVerdict {
    var givesTokens: Bool { if case .tokens = self { true } else { false } }
}

extension Authentication {
    /// Judges the proofs, as a pure function.
    ///
    /// - Parameter account: The account as it is now.
    package func judged(_ demand: FactorDemand, of account: UserAccount) -> FactorVerdict {
        let isRequired = demand.required(of: account).level > .oneFactor
        let level = demand.whole(of: account).level
        guard level > .oneFactor || (needsMailbox && mailboxes.isEmpty) else {
            return .tokens(contexts: demand.contexts)
        }
        // Wrong passwords that came before are no reason to ask for less, and a context is a demand for a proof of this session.
        // The link of an identity is an enrolment, which wants proofs (SEC-ENR-3). A telephone that signs in may be the device that is
        // remembered, and the second factor that was left out.
        if demand.contexts.isEmpty, linking == nil, !beganWithPhone, !needsMailbox || !mailboxes.isEmpty,
            remembered?.meets(
                demand.whole(of: account), of: account, in: demand.client, within: demand.rememberedDays, at: demand.now
            )
                == true
        {
            return .tokens(contexts: [])
        }
        let canRegister = capabilities.contains(.registrationRequired)
        let isMore = level > .mailed
        if assurance(for: demand).level >= max(level, .mailed) {
            // A new user has already proven both, and registers a method now so that the next sign-in finds one
            // (docs/protocol.md §5.4). The word of a provider comes with the next sign-in, too.
            let isNew =
                origin == .signUp && registered == nil && account.secondFactors.isEmpty
                && withoutStatement.assurance(for: demand).level >= max(level, .mailed)
            return isNew && canRegister ? .registerMethod : .tokens(contexts: demand.contexts)
        }
        let methods = usableMethods(of: account, demand)
        let canAdd = !registrable(for: account, demand).isEmpty
        let isOfCodes = account.passwordHash == nil
        guard !isOfCodes || !methods.isEmpty || canAdd else {
            return .redirectToBrowser(missingWord(for: account, demand) ?? .noPassword)
        }
        // No mail for a client that cannot do what comes after the code.
        if isMore, !methods.isEmpty, !canRegister, isBeforeRegistration(of: account, demand) {
            return .redirectToBrowser(.missingCapability(.registrationRequired))
        }
        if !methods.isEmpty {
            return capabilities.contains(.mfaRequired)
                ? .giveSecondFactor(methods) : .redirectToBrowser(.missingCapability(.mfaRequired))
        }
        // An account with a method is enrolled, even when that method is not usable here (SEC-ENR-3). Who has given one of
        // them registers another that is worth more.
        let hasGivenOne = isMore && canAdd && provesMethod(of: account)
        guard
            account.secondFactors.isEmpty || hasGivenOne || origin == .reset && !isRequired && !demand.distinctMailbox
        else {
            let isResting = account.secondFactors.contains { $0.suspendedAt != nil }
            let isUnannounced =
                demand.passkeyDomain != nil && !capabilities.contains(.passkey)
                && account.secondFactors.contains { $0.isPasskey && $0.suspendedAt == nil && !hasProven($0) }
            return .redirectToBrowser(
                isUnannounced
                    ? .methodNotTaken
                    : isResting
                        ? .methodSuspended
                        : isMore ? missingWord(for: account, demand) ?? .strongerMethodNeeded : .otherMailboxNeeded)
        }
        switch origin {
        case .signIn:
            // A password set through the mailbox cannot replace what the mailbox lacks (SEC-ENR-8).
            guard !passwordIsFromReset else { return .redirectToBrowser(.passwordFromReset) }
            // A flow registers at most once (docs/protocol.md §5.4); the registered mailbox is insufficient only if the
            // policy changed meanwhile. When only that mailbox may be registered and does not count, registration would
            // not help.
            if isMore, !canAdd {
                return .redirectToBrowser(missingWord(for: account, demand) ?? .strongerMethodNeeded)
            }
            let isPossible =
                isMore || demand.enrolment == .compatible || !demand.distinctMailbox || provesOwnMailbox
            guard registered == nil, isPossible else { return .redirectToBrowser(.otherMailboxNeeded) }
            return canRegister
                ? .registerMethod : .redirectToBrowser(.missingCapability(.registrationRequired))
        case .signUp, .reset:
            if isOfCodes || isMore && canAdd && origin == .signUp || hasGivenOne, isRequired, registered == nil,
                account.secondFactors.isEmpty || hasGivenOne, canRegister
            {
                return .registerMethod
            }
            if isRequired, isMore {
                let lacks = canAdd && !canRegister && origin == .signUp
                return .redirectToBrowser(
                    lacks
                        ? .missingCapability(.registrationRequired)
                        : missingWord(for: account, demand) ?? .strongerMethodNeeded)
            }
            // The mailbox has been proven and counts once (SEC-MFA-3).
            guard !isRequired, !demand.distinctMailbox else {
                return .redirectToBrowser(.otherMailboxNeeded)
            }
            return registered == nil && account.secondFactors.isEmpty && canRegister && (canAdd || !isMore)
                ? .registerMethod : .tokens(contexts: [])
        }
    }

    /// What the proofs are worth for `demand`. When a second factor must use another mailbox, the account's own mailbox
    /// adds nothing to a password at sign-in (`SEC-MFA-3`).
    private func assurance(for demand: FactorDemand) -> Assurance {
        // A password from a reset is trusted once another factor stands beside it (design record 0005): that is written with
        // this step, and counts in it.
        var counted = self
        if passwordIsFromReset, knowsPassword, factors > 1 { counted.passwordIsFromReset = false }
        let isOtherMailbox = demand.distinctMailbox && origin == .signIn && provesPassword
        let proofs = isOtherMailbox ? counted.proofs.filter { $0 != .mailbox(.own) } : counted.proofs
        return Assurance(of: proofs + statement(for: demand))
    }

    /// The word of the provider, where it counts.
    private func statement(for demand: FactorDemand) -> [Proof] {
        guard let stated, stated.counts(within: demand.statementAge, at: demand.now) else { return [] }
        return [.statement(stated.level)]
    }

    /// The account's own proofs.
    var withoutStatement: Authentication {
        var own = self
        own.stated = nil
        return own
    }

    /// Whether the provider's word is too old by now, so that a new sign-in there may be enough.
    func hasStaleStatement(for demand: FactorDemand) -> Bool {
        stated.map { !$0.counts(within: demand.statementAge, at: demand.now) } ?? false
    }

    /// The proofs as tokens and sessions have them: with the word of the provider where it adds to the level, and then as old as the
    /// sign-in there.
    package func stating(for demand: FactorDemand) -> Authentication {
        guard let stated, level(for: demand) > withoutStatement.level(for: demand) else { return withoutStatement }
        var told = self
        told.authenticatedAt = min(authenticatedAt, stated.authenticatedAt)
        return told
    }

    /// The same for tokens that state `contexts`, for a resource. A change of the account looks at its own proofs and their age, so
    /// these are stated there where they are enough.
    func told(
        _ contexts: [String], for demand: FactorDemand, of account: UserAccount, resource: String?
    ) -> Authentication {
        let isEnough = withoutStatement.judged(demand, of: account) == .tokens(contexts: contexts)
        return resource == ResourceScope.directory && isEnough ? withoutStatement : stating(for: demand)
    }

    /// What the proofs are worth where `demand` says which mailboxes count.
    package func level(for demand: FactorDemand) -> Assurance.Level { assurance(for: demand).level }

    /// The level that this flow is to reach.
    private func sought(_ demand: FactorDemand, of account: UserAccount) -> Assurance.Level {
        max(demand.whole(of: account).level, sought ?? .mailed, .mailed)
    }

    /// Whether a method of the account that is in use was given, so that another one may be registered (`SEC-ENR-3`). One that the
    /// password alone enrolled is no such proof without a code to the own mailbox: the thief of a password has it.
    package func provesMethod(of account: UserAccount) -> Bool {
        givenMethods(of: account).contains { $0.enrolment.strength != .password || hasCodeOfOwnAddress }
    }

    /// The methods in use that were given beside another factor.
    private func givenMethods(of account: UserAccount) -> [StrongMethod] {
        factors > 1 ? account.secondFactors.filter { $0.suspendedAt == nil && hasProven($0) } : []
    }

    /// What the user can register here so that the sign-in reaches the level that is demanded.
    package func registrable(for account: UserAccount, _ demand: FactorDemand) -> Set<RegistrableMethod> {
        let level = sought(demand, of: account)
        func reaches(_ device: DeviceProof) -> Bool { proving(device).assurance(for: demand).level >= level }
        let strength = enrolmentStrength(of: account)
        var methods: Set<RegistrableMethod> = []
        // For a user of codes another mailbox is no factor (docs/protocol.md §4.7).
        if account.passwordHash != nil, level <= .mailed { methods.insert(.mailbox) }
        if demand.texts != nil, reaches(strength == .mailbox ? .phoneOfMailbox : .phone) { methods.insert(.phone) }
        if demand.takesApps, capabilities.contains(.authenticatorApp),
            account.strongMethods.count(where: \.isApp) < NewApp.most,
            reaches(strength == .mailbox ? .appOfMailbox : .authenticatorApp)
        {
            methods.insert(.app)
        }
        if demand.passkeyDomain != nil, capabilities.contains(.passkey),
            account.passkeys.count < NewPasskey.most,
            reaches(strength == .mailbox ? .passkeyOfMailbox : .syncedPasskey)
        {
            methods.insert(.passkey)
        }
        return methods
    }

    /// The word whose announcement would let the user register a method that reaches the level; nil when none would.
    private func missingWord(for account: UserAccount, _ demand: FactorDemand) -> RedirectReason? {
        var able = self
        able.capabilities += [.passkey, .authenticatorApp].filter { !capabilities.contains($0) }
        let more = able.registrable(for: account, demand).subtracting(registrable(for: account, demand))
        if more.contains(.app) { return .missingChallengeType(.authenticatorApp) }
        return more.contains(.passkey) ? .missingChallengeType(.passkey) : nil
    }

    /// The strength of a method that these proofs enrol. A user of codes has nothing but the mailbox: a telephone and a
    /// passkey are factors beside it (design records 0042 and 0043).
    package func enrolmentStrength(of account: UserAccount) -> Enrolment.Strength {
        factors < 2 && account.passwordHash == nil ? .codes : enrolmentStrength
    }

    /// The methods that would add to the proofs: those with which the sign-in reaches the level that is demanded; where none
    /// does, those whose proof allows the user to register one that does.
    package func usableMethods(of account: UserAccount, _ demand: FactorDemand) -> [StrongMethod] {
        let level = sought(demand, of: account)
        let found = methodsThatAdd(of: account, demand)
        guard level > .mailed else {
            // Who began with a telephone has the own mailbox beside it.
            if found.isEmpty, origin == .signIn, beganWithPhone,
                proving(ownMailbox(of: account), at: demand.now).assurance(for: demand).factors
                    > assurance(for: demand).factors
            {
                return [ownMailbox(of: account)]
            }
            // A user of a provider, who can register a method, and has given no code to the own mailbox yet (SEC-ENR-2).
            let isOfProvider = account.passwordHash == nil && account.secondFactors.isEmpty && !hasCodeOfOwnAddress
            let mustProve = isOfProvider && found.isEmpty && !registrable(for: account, demand).isEmpty
            return mustProve ? [ownMailbox(of: account)] : found
        }
        let enough = found.filter { proving($0, at: demand.now).assurance(for: demand).level >= level }
        guard enough.isEmpty, !registrable(for: account, demand).isEmpty else { return enough }
        if account.secondFactors.isEmpty || !givenMethods(of: account).isEmpty && !provesMethod(of: account) {
            // The first method wants a code to the own mailbox (SEC-ENR-2), and so does one after a method of the password alone.
            return hasCodeOfOwnAddress ? [] : [ownMailbox(of: account)]
        }
        // One that a recovery code enrolled a moment ago is no such proof.
        return provesMethod(of: account)
            ? [] : found.filter { $0.kind != .recoveryCodes && !$0.rests(at: demand.now) }
    }

    /// Whether the next step is the registration of a method, or a proof for it.
    package func isBeforeRegistration(of account: UserAccount, _ demand: FactorDemand) -> Bool {
        let level = sought(demand, of: account)
        return !usableMethods(of: account, demand).contains { method in
            proving(method, at: demand.now).assurance(for: demand).level >= level
        }
    }

    /// The account's own mailbox as a method. It needs an id; the user's own id is known to the client.
    private func ownMailbox(of account: UserAccount) -> StrongMethod {
        StrongMethod(id: account.user.id.uuid, email: email, provenAt: account.user.createdAt)
    }

    private func methodsThatAdd(of account: UserAccount, _ demand: FactorDemand) -> [StrongMethod] {
        let (present, worth) = (assurance(for: demand).factors, assurance(for: demand).level)
        let others = account.secondFactors.filter { method in
            // Users without a password sign in with codes by mail, and another such code is no second factor
            // (docs/protocol.md §4.7).
            (account.passwordHash != nil || method.email == nil)
                && !hasProven(method) && canUse(method, demand)
                && (proving(method, at: demand.now).assurance(for: demand).factors > present
                    || proving(method, at: demand.now).assurance(for: demand).level > worth)
        }
        .sorted { $0.place < $1.place }
        // Last, and only beside a method: they are for its loss.
        let spare = account.recovery.flatMap { set in
            let isOffered =
                demand.takesRecoveryCodes && !set.codes.isEmpty && !account.secondFactors.isEmpty
                && !hasProven(set.method) && proving(.recoveryCode).assurance(for: demand).factors > present
            return isOffered ? set.method : nil
        }
        let all = others + (spare.map { [$0] } ?? [])
        // A method that cannot be given here, such as a telephone where there are no texts any more, is no reason to take less.
        let hasOthers = account.secondFactors.contains { method in
            guard method.suspendedAt == nil else { return false }
            // Another mailbox proves nothing more where it counts as the own one, or the user has no password.
            switch method.kind {
            case .mailbox: return false
            case .phone, .app, .passkey, .identity, .recoveryCodes, .unknown: return !hasProven(method)
            }
        }
        guard all.isEmpty, needsMailbox, mailboxes.isEmpty, !hasOthers else { return all }
        // SEC-LOCK-6: the account's own mailbox is enough.
        return [ownMailbox(of: account)]
    }

    /// A suspended method is usable again after its rest, when the account's mailbox is also proven (`SEC-ENR-7`).
    private func canUse(_ method: StrongMethod, _ demand: FactorDemand) -> Bool {
        if let number = method.contact?.phone, !demand.canText(number) { return false }
        // A client that does not know passkeys could not read the list (SEC-PK-21).
        if let passkey = method.passkey,
            passkey.relyingPartyID != demand.passkeyDomain || !capabilities.contains(.passkey)
        {
            return false
        }
        guard let since = method.suspendedAt else { return true }
        return provesOwnMailbox && demand.now.timeIntervalSince(since) >= Double(demand.suspensionRest)
    }
}
