import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// The table of the sign-in flow, with second factor and registration: every state with every input. The flow is pure,
/// so this test needs no server and no database.
@Suite("Sign-in flow")
struct SignInStateTests {
    // MARK: The table

    /// A client's input to a flow.
    enum Input: CaseIterable, CustomTestStringConvertible {
        case challenge, rightPassword, wrongPassword, rightCode, wrongCode
        case introspectMethods, challengeMethod
        case introspectRegistration, challengeOwnAddress, challengeContact, rightContactCode, wrongContactCode,
            confirmContact
        case redeem

        var testDescription: String { "\(self)" }

        var operation: FlowOperations {
            switch self {
            case .challenge, .challengeMethod: .challengeSignIn
            case .rightPassword, .wrongPassword: .submitSignInPassword
            // The second factor's code once had the same grant, and either operation takes it (docs/protocol.md §16,
            // row 2).
            case .rightCode, .wrongCode: [.submitSignInCode, .submitSecondFactor]
            case .introspectMethods: .introspectMethods
            case .introspectRegistration: .introspectRegistration
            case .challengeOwnAddress, .challengeContact: .challengeContact
            case .rightContactCode, .wrongContactCode: .submitContactCode
            case .confirmContact: .confirmContact
            case .redeem: .redeem
            }
        }
    }

    /// The result, without its data.
    enum Result: Hashable {
        case refused(Refusal)
        case proveAddress, enterPassword, giveSecondFactor, registerMethod, chooseMethod, proveContact,
            contactAlreadyProven, signIn, signedIn, redirectToBrowser
    }

    /// The requirements, and the account's methods.
    enum Situation {
        case nothingDemanded, demandedWithMethod, demandedWithoutMethod
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var state: SignInState
        var scene: Situation
        var expected: [Input: (result: Result, next: String?)]
        var testDescription: String { "\(name(of: state)), \(scene)" }
    }

    /// Each state with its answer to each input; an input that is not listed is refused as out of order.
    static let table: [Row] = [
        Row(
            state: .started(draft(hasPassword: true)), scene: .nothingDemanded,
            expected: [.challenge: (.enterPassword, "awaitingPassword")]),
        Row(
            state: .started(draft(hasPassword: false)), scene: .nothingDemanded,
            expected: [.challenge: (.proveAddress, "awaitingCode")]),
        Row(
            state: .awaitingPassword(draft(hasPassword: true)), scene: .nothingDemanded,
            expected: [
                .challenge: (.enterPassword, "awaitingPassword"), .rightPassword: (.signedIn, nil),
                .wrongPassword: (.refused(.incorrectPassword), nil),
            ]),
        Row(
            state: .awaitingPassword(draft(hasPassword: true)), scene: .demandedWithMethod,
            expected: [
                .challenge: (.enterPassword, "awaitingPassword"),
                .rightPassword: (.giveSecondFactor, "choosingMethod"),
                .wrongPassword: (.refused(.incorrectPassword), nil),
            ]),
        Row(
            state: .awaitingPassword(draft(hasPassword: true)), scene: .demandedWithoutMethod,
            expected: [
                .challenge: (.enterPassword, "awaitingPassword"),
                .rightPassword: (.registerMethod, "choosingContact"),
                .wrongPassword: (.refused(.incorrectPassword), nil),
            ]),
        Row(
            state: .awaitingCode(draft(hasPassword: false)), scene: .nothingDemanded,
            expected: [
                .challenge: (.proveAddress, "awaitingCode"), .rightCode: (.signedIn, nil),
                .wrongCode: (.refused(.incorrectCode), nil),
            ]),
        Row(
            state: .awaitingCode(draft(hasPassword: false)), scene: .demandedWithoutMethod,
            expected: [
                .challenge: (.proveAddress, "awaitingCode"), .rightCode: (.redirectToBrowser, nil),
                .wrongCode: (.refused(.incorrectCode), nil),
            ]),
        Row(
            state: .choosingMethod(proven()), scene: .demandedWithMethod,
            expected: [
                .introspectMethods: (.chooseMethod, "choosingMethod"),
                .challengeMethod: (.proveAddress, "awaitingSecondFactor"),
            ]),
        Row(
            state: .awaitingSecondFactor(proven(), method), scene: .demandedWithMethod,
            expected: [
                .introspectMethods: (.chooseMethod, "awaitingSecondFactor"),
                .challengeMethod: (.proveAddress, "awaitingSecondFactor"), .rightCode: (.signedIn, nil),
                .wrongCode: (.refused(.incorrectCode), nil),
            ]),
        Row(
            state: .choosingContact(proven()), scene: .demandedWithoutMethod,
            expected: [
                .introspectRegistration: (.chooseMethod, "choosingContact"),
                .challengeOwnAddress: (.proveContact, "awaitingContactCode"),
                .challengeContact: (.proveContact, "awaitingContactCode"),
            ]),
        Row(
            state: .choosingContact(provenAtSignUp), scene: .demandedWithoutMethod,
            expected: [
                .introspectRegistration: (.chooseMethod, "choosingContact"),
                .challengeOwnAddress: (.contactAlreadyProven, "confirmingContact"),
                .challengeContact: (.proveContact, "awaitingContactCode"),
            ]),
        Row(
            state: .awaitingContactCode(proven(), .mailbox(contact)), scene: .demandedWithoutMethod,
            expected: [
                .introspectRegistration: (.chooseMethod, "awaitingContactCode"),
                .challengeOwnAddress: (.proveContact, "awaitingContactCode"),
                .challengeContact: (.proveContact, "awaitingContactCode"),
                .rightContactCode: (.signIn, "authenticated"), .wrongContactCode: (.refused(.incorrectCode), nil),
            ]),
        Row(
            state: .confirmingContact(provenAtSignUp, email), scene: .demandedWithoutMethod,
            expected: [
                .introspectRegistration: (.chooseMethod, "confirmingContact"),
                .challengeOwnAddress: (.contactAlreadyProven, "confirmingContact"),
                .challengeContact: (.proveContact, "awaitingContactCode"), .confirmContact: (.signIn, "authenticated"),
            ]),
        Row(
            state: .authenticated(registered()), scene: .demandedWithMethod,
            expected: [.redeem: (.signedIn, nil)]),
    ]

    @Test("SEC-CT-1: every state answers every input as the table says", arguments: table, Input.allCases)
    func everyPairOfStateAndInputIsAsTheTableSays(row: Row, input: Input) {
        let decision = Self.decide(row.state, input, row.scene)
        let expected = row.expected[input] ?? (.refused(.notAllowedNow), nil)
        #expect(Self.result(decision.verdict) == expected.result)
        #expect(decision.next.map(Self.name(of:)) == expected.next)
    }

    @Test("SEC-CT-1: every state is in the table")
    func everyStateIsInTheTable() {
        #expect(
            Set(Self.table.map { Self.name(of: $0.state) }) == [
                "started", "awaitingPassword", "awaitingCode", "choosingMethod", "awaitingSecondFactor",
                "choosingContact", "awaitingContactCode", "confirmingContact", "authenticated",
            ])
    }

    @Test("SEC-CT-6: a state allows exactly the operations that it does not refuse", arguments: table)
    func theAllowedOperationsAreThoseOfTheTable(row: Row) {
        var taken: FlowOperations = []
        for input in row.expected.keys where !input.operation.isDisjoint(with: row.state.allowed) {
            taken.formUnion(input.operation.intersection(row.state.allowed))
        }
        #expect(taken == row.state.allowed)
        for input in Input.allCases where row.expected[input] != nil {
            #expect(!input.operation.isDisjoint(with: row.state.allowed), "\(input)")
        }
        #expect(row.state.allowed.contains(.redeem) == (FlowState.signIn(row.state).authentication != nil))
    }

    @Test("SEC-CT-4: only progress advances the revision", arguments: table, Input.allCases)
    func onlyProgressAdvancesTheRevision(row: Row, input: Input) {
        let decision = Self.decide(row.state, input, row.scene)
        guard let newRow = decision.row else { return }
        let progress = newRow.revision - Self.situation(row.state, row.scene).row.revision
        switch Self.result(decision.verdict) {
        case .signedIn, .signIn, .giveSecondFactor, .registerMethod, .redirectToBrowser: #expect(progress == 1)
        case .refused, .proveAddress, .proveContact, .enterPassword, .chooseMethod, .contactAlreadyProven:
            #expect(progress == 0)
        }
    }

    @Test("SEC-CT-1: tokens, and a session, come with a proof and end the flow", arguments: table, Input.allCases)
    func tokensNeedAProof(row: Row, input: Input) {
        let decision = Self.decide(row.state, input, row.scene)
        let isSignedIn = Self.result(decision.verdict) == .signedIn
        #expect(decision.effects.contains(.write(.openRefreshFamily(Self.family))) == isSignedIn)
        let details: [String?] = decision.effects.compactMap {
            guard case .record(.signInSucceeded, Self.user, let detail) = $0 else { return nil }
            return .some(detail)
        }
        #expect(details.count == (isSignedIn ? 1 : 0) && details.allSatisfy { $0?.isEmpty == false })
        if isSignedIn {
            #expect(row.state.isProven || [.rightPassword, .rightCode].contains(input))
            #expect(decision.row?.isEnded == true)
            #expect(decision.next == nil)
        }
    }

    @Test("SEC-MFA-2: a wrong password and a wrong code send nothing", arguments: table, Input.allCases)
    func onlyChallengesSendCodes(row: Row, input: Input) {
        let decision = Self.decide(row.state, input, row.scene)
        let sent = decision.effects.compactMap { effect -> MailContent.Purpose? in
            if case .mailCode(_, to: _, for: let purpose) = effect { purpose } else { nil }
        }
        switch Self.result(decision.verdict) {
        case .proveAddress: #expect(sent == [row.state.isProven ? .secondFactor : .signIn])
        case .proveContact: #expect(sent == [.registration])
        case .refused, .enterPassword, .giveSecondFactor, .registerMethod, .chooseMethod, .contactAlreadyProven,
            .signIn, .signedIn, .redirectToBrowser:
            #expect(sent.isEmpty)
        }
        if sent.contains(.secondFactor) || sent.contains(.registration) {
            #expect(row.state.isProven, "after the first factor only")
        }
    }

    // MARK: Second factor and registration

    @Test(
        "SEC-MFA-4: a method is registered within ten minutes of the proof", arguments: [(600.0, true), (601.0, false)])
    func registeringNeedsAFreshProof(seconds: Double, isGood: Bool) {
        var situation = Self.situation(.choosingContact(Self.proven()), .demandedWithoutMethod)
        situation.now = Self.now.addingTimeInterval(seconds)
        situation.row.code?.expiresAt = situation.now.addingTimeInterval(600)
        let challenged = SignInState.choosingContact(Self.proven()).challenging(
            contact: .mailbox(Self.contact), with: Self.fresh, in: situation)
        #expect(Self.result(challenged.verdict) == (isGood ? .proveContact : .refused(.expiredToken)))
        let submitted = SignInState.awaitingContactCode(Self.proven(), .mailbox(Self.contact)).submitting(
            contactCode: { _ in true }, newMethod: Self.method.id, in: situation)
        #expect(Self.result(submitted.verdict) == (isGood ? .signIn : .refused(.expiredToken)))
        let confirmed = SignInState.confirmingContact(Self.provenAtSignUp, Self.email).confirmingContact(
            newMethod: Self.method.id, in: situation)
        #expect(Self.result(confirmed.verdict) == (isGood ? .signIn : .refused(.expiredToken)))
        for decision in [submitted, confirmed] {
            let adds = decision.effects.contains { if case .addStrongMethod = $0 { true } else { false } }
            #expect(adds == isGood)
            let about = decision == confirmed ? Self.email : Self.contact
            #expect(
                decision.effects.contains(.mailNotice(.methodRegistered, to: Self.email, about: [about.masked]))
                    == isGood)
        }
    }

    @Test("SEC-MFA-4: once a method is there, the password alone registers no other one")
    func aFirstMethodClosesOpenRegistrations() {
        let situation = Self.situation(.choosingContact(Self.proven()), .demandedWithMethod)
        let submitted = SignInState.awaitingContactCode(Self.proven(), .mailbox(Self.email)).submitting(
            contactCode: { _ in true }, newMethod: Self.method.id, in: situation)
        let confirmed = SignInState.confirmingContact(Self.provenAtSignUp, Self.email).confirmingContact(
            newMethod: Self.method.id, in: situation)
        let challenged = SignInState.choosingContact(Self.proven()).challenging(
            contact: .mailbox(Self.email), with: Self.fresh, in: situation)
        for decision in [submitted, confirmed, challenged] {
            #expect(decision == .refused(.notAllowedNow))
        }
    }

    /// The proofs of a flow, for the matrices below.
    enum Level: String, CaseIterable {
        case password, passwordFromReset, passwordAndOwn, passwordAndMethod, reset, resetAndMethod, signUp

        var proven: Authentication {
            let origin: Authentication.Origin =
                switch self {
                case .password, .passwordFromReset, .passwordAndOwn, .passwordAndMethod: .signIn
                case .reset, .resetAndMethod: .reset
                case .signUp: .signUp
                }
            let mailboxes: [EmailAddress] =
                switch self {
                case .password, .passwordFromReset: []
                case .passwordAndOwn, .reset, .signUp: [email]
                case .passwordAndMethod: [contact]
                case .resetAndMethod: [email, contact]
                }
            return Authentication(
                account: binding, email: email, origin: origin, knowsPassword: origin != .reset,
                passwordIsFromReset: self == .passwordFromReset, mailboxes: mailboxes, authenticatedAt: now,
                capabilities: [.mfaRequired, .registrationRequired])
        }
    }

    @Test(
        "SEC-ENR-2, SEC-ENR-3: what may be enrolled on which proofs, in an account with and without a method",
        arguments: Level.allCases, [EnrolmentMode.proven, .compatible])
    func whatMayBeEnrolled(_ level: Level, _ mode: EnrolmentMode) {
        let third = Self.address("third@example.net")
        let suspended = StrongMethod(
            id: Self.method.id, kind: Self.method.kind, provenAt: Self.now, suspendedAt: Self.now)
        for methods in [[], [Self.method], [suspended]] {
            for contact in [Self.email, third] {
                let state = SignInState.awaitingContactCode(level.proven, .mailbox(contact))
                var situation = Self.situation(.choosingContact(Self.proven()), .demandedWithoutMethod)
                situation.enrolment = mode
                situation.account?.strongMethods = methods
                let decision = state.submitting(
                    contactCode: { _ in true }, newMethod: Self.method.id, in: situation)
                let isOwn = contact == Self.email
                let expected: Result
                if methods.isEmpty {
                    // The own mailbox: as the contact, or proven in the flow. A password from it is not enough.
                    let hasOwn = isOwn || ![.password, .passwordFromReset, .passwordAndMethod].contains(level)
                    expected = mode == .compatible || hasOwn ? .signIn : .refused(.blockedContact)
                } else {
                    // Two factors, one of them the existing and usable method.
                    let isEnough = [.passwordAndMethod, .resetAndMethod].contains(level) && methods == [Self.method]
                    expected = isEnough ? .signIn : .refused(.notAllowedNow)
                }
                #expect(Self.result(decision.verdict) == expected, "\(level) \(methods) \(contact)")
            }
        }
    }

    @Test("SEC-ENR-1: a method keeps what was proven before it", arguments: Level.allCases)
    func enrolmentStrength(_ level: Level) {
        let expected: Enrolment.Strength =
            switch level {
            case .password: .password
            case .passwordFromReset, .reset: .mailbox
            case .passwordAndOwn, .passwordAndMethod, .resetAndMethod, .signUp: .twoFactors
            }
        #expect(level.proven.enrolmentStrength == expected)
    }

    @Test("SEC-ID-3: an address with another tag is another one, and needs its own code")
    func onlyTheVeryAddressIsPreverified() throws {
        let other = try #require(EmailAddress("dana+work@example.com"))
        let decision = SignInState.choosingContact(Self.provenAtSignUp).challenging(
            contact: .mailbox(other), with: Self.fresh,
            in: Self.situation(.choosingContact(Self.provenAtSignUp), .demandedWithoutMethod))
        #expect(Self.result(decision.verdict) == .proveContact)
        let inCapitals = try #require(EmailAddress("DANA@Example.COM"))
        let same = SignInState.choosingContact(Self.provenAtSignUp).challenging(
            contact: .mailbox(inCapitals), with: Self.fresh,
            in: Self.situation(.choosingContact(Self.provenAtSignUp), .demandedWithoutMethod))
        #expect(Self.result(same.verdict) == .contactAlreadyProven)
    }

    @Test("SEC-MFA-1: a method that is gone when its code is asked for is unknown")
    func aLostMethodIsUnknown() {
        let decision = SignInState.choosingMethod(Self.proven()).challenging(
            Self.method, with: Self.fresh, in: Self.situation(.choosingMethod(Self.proven()), .demandedWithoutMethod))
        #expect(decision == .refused(.unknownMethod))
    }

    @Test("SEC-PWD-7: a right password under old parameters is stored under the new ones, a wrong one is not")
    func aRightPasswordIsUpgraded() {
        let state = SignInState.awaitingPassword(Self.draft(hasPassword: true))
        let (old, new) = (PasswordHash(phc: "$old"), PasswordHash(phc: "$new"))
        let prepared = Self.prepared(
            Self.proven(), .nothingDemanded)
        let upgrade = Effect.upgradePassword(Self.user, from: old, to: new)
        let right = state.submitting(
            .stored(upgrade), prepared: prepared, in: Self.situation(state, .nothingDemanded))
        let wrong = state.refusingPassword(in: Self.situation(state, .nothingDemanded))
        #expect(right.effects.contains(.write(upgrade)))
        #expect(!wrong.effects.contains(.write(upgrade)))
    }

    @Test("SEC-LOCK-6: from the hundredth failure on a right password needs the mailbox, from familiar networks too")
    func manyFailuresNeedTheMailbox() {
        let state = SignInState.awaitingPassword(Self.draft(hasPassword: true))
        // The right guess was counted before it was compared: it is the last of these.
        for (failures, isFamiliar, needs) in [(100, false, false), (101, false, true), (101, true, true)] {
            var situation = Self.situation(state, .nothingDemanded)
            situation.isFamiliar = isFamiliar
            situation.lockout = Lockout(failures: failures, recent: [], lastFailureAt: Self.now)
            #expect(situation.needsMailbox == needs, "\(failures) \(isFamiliar)")
            let proven = Self.draft(hasPassword: true).provenByPassword(
                of: Self.account(hasPassword: true, methods: []), at: Self.now,
                needsMailbox: situation.needsMailbox)
            let decision = state.submitting(
                .stored(nil), prepared: Self.prepared(proven, .nothingDemanded), in: situation)
            #expect(Self.result(decision.verdict) == (needs ? .giveSecondFactor : .signedIn))
            #expect(decision.effects.contains(.setLockout(nil)) == !needs)
        }
    }

    // MARK: States as bytes

    @Test("A state reads back from the contents of a current token", arguments: table)
    func aStateSurvivesItsEncoding(row: Row) throws {
        let data = try JSONEncoder().encode(row.state)
        #expect(try JSONDecoder().decode(SignInState.self, from: data) == row.state)
    }

    // MARK: Fixtures

    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let user = SignUpStateTests.user
    static let email = address("dana@example.com")
    static let contact = address("dana.private@example.org")
    static let method = StrongMethod(id: user.uuid, email: contact, provenAt: now)
    static let fresh = SignUpStateTests.fresh
    static let tenant = TenantID(user.uuid)
    static let tokens = IssuedTokens(
        accessToken: Secret("access"), idToken: nil, refreshToken: Secret("refresh"), scopes: ["openid"],
        lifetime: 3_600, user: user, tenant: tenant)
    static let family = RefreshFamily(
        id: user.uuid, tenant: tenant, client: client, user: user, scopes: ["openid"], methods: ["pwd"], contexts: [],
        authenticatedAt: now, createdAt: now, expiresAt: now.addingTimeInterval(3_600), tokenDigest: Data([1]))

    static var client: ClientID {
        guard let id = ClientID("00001111-aaaa-2222-bbbb-3333cccc4444") else {
            preconditionFailure("the fixture is a client id")
        }
        return id
    }

    static func address(_ text: String) -> EmailAddress {
        guard let email = EmailAddress(text) else { preconditionFailure("the fixture is an address") }
        return email
    }

    static let binding = AccountBinding.account(user, credentialVersion: 0)

    static func draft(hasPassword: Bool) -> SignInDraft {
        SignInDraft(
            account: binding, email: email, hasPassword: hasPassword,
            capabilities: [.mfaRequired, .registrationRequired])
    }

    /// The password was given.
    static func proven() -> Authentication {
        draft(hasPassword: true).provenByPassword(
            of: account(hasPassword: true, methods: []), at: now, needsMailbox: false)
    }

    /// The password was chosen and the mailbox proven.
    static var provenAtSignUp: Authentication {
        Authentication(
            account: binding, email: email, origin: .signUp, knowsPassword: true, mailboxes: [email],
            authenticatedAt: now, capabilities: [.mfaRequired, .registrationRequired])
    }

    static func registered() -> Authentication {
        var proven = proven().proving(contact, enrolledUnder: .password)
        proven.registered = .mailbox(contact)
        return proven
    }

    static func account(hasPassword: Bool, methods: [StrongMethod]) -> UserAccount {
        UserAccount(
            user: User(
                id: user, tenant: tenant, email: email.address, alias: nil, hasPassword: hasPassword, attributes: [:],
                createdAt: now),
            passwordHash: hasPassword ? SignUpStateTests.hash : nil, credentialsChangedAt: now, strongMethods: methods)
    }

    static func situation(_ state: SignInState, _ scene: Situation) -> StepSituation {
        var settings = EngineSettings(baseURL: "https://identity.test")
        settings.resendCooldown = 0
        return StepSituation(
            row: FlowRow(revision: 3, code: fresh.record, codesSent: 1, expiresAt: now.addingTimeInterval(3_600)),
            taken: [],
            account: account(
                hasPassword: state.draft?.hasPassword ?? true, methods: scene == .demandedWithMethod ? [method] : []),
            enrolment: .compatible, now: now, userFlow: UserFlow(method: .emailPassword), settings: settings)
    }

    /// As the engine does: signed if the proofs seem sufficient.
    static func prepared(_ proven: Authentication, _ scene: Situation) -> PreparedTokens {
        let contexts = scene == .nothingDemanded ? [] : ["c1"]
        let hasPassword = proven.knowsPassword
        let demand = FactorDemand(
            contexts: contexts, isRequired: false, distinctMailbox: false, enrolment: .compatible, now: now)
        let verdict = proven.judged(
            demand, of: account(hasPassword: hasPassword, methods: scene == .demandedWithMethod ? [method] : []))
        var prepared = PreparedTokens(demand: demand)
        if case .tokens(let contexts) = verdict {
            (prepared.tokens, prepared.family, prepared.contexts) = (tokens, family, contexts)
        }
        return prepared
    }

    static func decide(_ state: SignInState, _ input: Input, _ scene: Situation) -> Decision<SignInState> {
        let situation = situation(state, scene)
        switch input {
        case .challenge: return state.challenging(with: fresh, in: situation)
        case .rightPassword:
            return state.submitting(.stored(nil), prepared: prepared(proven(), scene), in: situation)
        case .wrongPassword: return state.refusingPassword(in: situation)
        case .rightCode, .wrongCode:
            let worth = state.proving(at: now)?.proven ?? proven()
            return state.submitting(
                code: { _ in input == .rightCode }, prepared: prepared(worth, scene), in: situation)
        case .introspectMethods: return state.listingMethods(in: situation)
        case .challengeMethod: return state.challenging(method, with: fresh, in: situation)
        case .introspectRegistration: return state.listingContacts(in: situation)
        case .challengeOwnAddress: return state.challenging(contact: .mailbox(email), with: fresh, in: situation)
        case .challengeContact: return state.challenging(contact: .mailbox(contact), with: fresh, in: situation)
        case .rightContactCode, .wrongContactCode:
            return state.submitting(
                contactCode: { _ in input == .rightContactCode }, newMethod: method.id, in: situation)
        case .confirmContact: return state.confirmingContact(newMethod: method.id, in: situation)
        case .redeem:
            guard let proven = FlowState.signIn(state).authentication else { return .refused(.notAllowedNow) }
            return SignInState.redeeming(proven, prepared(proven, scene), in: situation)
        }
    }

    static func result(_ verdict: Verdict) -> Result {
        switch verdict {
        case .refused(let refusal): .refused(refusal)
        case .accepted(.proveAddress): .proveAddress
        case .accepted(.enterPassword): .enterPassword
        case .accepted(.giveSecondFactor): .giveSecondFactor
        case .accepted(.registerMethod): .registerMethod
        case .accepted(.chooseMethod): .chooseMethod
        case .accepted(.proveContact): .proveContact
        case .accepted(.contactAlreadyProven): .contactAlreadyProven
        case .accepted(.signIn): .signIn
        case .accepted(.signedIn): .signedIn
        case .accepted(.redirectToBrowser): .redirectToBrowser
        case .accepted: .refused(.unknownClient)
        }
    }

    static func name(of state: SignInState) -> String {
        switch state {
        case .started: "started"
        case .awaitingPassword: "awaitingPassword"
        case .awaitingCode: "awaitingCode"
        case .choosingMethod: "choosingMethod"
        case .awaitingSecondFactor: "awaitingSecondFactor"
        case .choosingContact: "choosingContact"
        case .awaitingContactCode: "awaitingContactCode"
        case .confirmingContact: "confirmingContact"
        case .creatingPasskey: "creatingPasskey"
        case .confirmingApp: "confirmingApp"
        case .authenticated: "authenticated"
        }
    }
}
