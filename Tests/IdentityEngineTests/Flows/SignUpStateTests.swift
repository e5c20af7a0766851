import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// The table of the sign-up flow: every state with every input. The flow is pure, so this test needs no server and no
/// database.
@Suite("Sign-up flow")
struct SignUpStateTests {
    // MARK: The table

    /// A client's input to a flow.
    enum Input: CaseIterable, CustomTestStringConvertible {
        case challenge, rightCode, wrongCode, password, allAttributes, someAttributes
        /// What the receivers of hooks say.
        case hooksProceed, hooksGive, hooksAskAgain, hooksBlock

        var testDescription: String { "\(self)" }
    }

    /// The result, without its data.
    enum Result: Hashable {
        case refused(Refusal)
        case proveAddress, enterPassword, chooseCredential, collectAttributes, verifyFirst, signIn, askHooks
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var state: SignUpState
        var flow: UserFlow
        var asksHooks = false
        var expected: [Input: (result: Result, next: String?)]
        var testDescription: String { "\(name(of: state)) of \(flow.method)" }
    }

    /// Each state with its answer to each input; an input that is not listed is refused as out of order.
    static let table: [Row] = [
        Row(
            state: .started(draft()), flow: plainOTP,
            expected: [.challenge: (.proveAddress, "awaitingCode")]),
        Row(
            state: .awaitingCode(draft()), flow: plainOTP,
            expected: [
                .challenge: (.proveAddress, "awaitingCode"), .rightCode: (.signIn, "completed"),
                .wrongCode: (.refused(.incorrectCode), nil), .allAttributes: (.verifyFirst, "awaitingCode"),
                .someAttributes: (.verifyFirst, "awaitingCode"),
            ]),
        Row(
            state: .awaitingCode(draft()), flow: password,
            expected: [
                .challenge: (.proveAddress, "awaitingCode"), .rightCode: (.chooseCredential, "choosingCredential"),
                .wrongCode: (.refused(.incorrectCode), nil), .allAttributes: (.verifyFirst, "awaitingCode"),
                .someAttributes: (.verifyFirst, "awaitingCode"),
            ]),
        Row(
            state: .awaitingCode(draft(passwordHash: hash)), flow: password,
            expected: [
                .challenge: (.proveAddress, "awaitingCode"), .rightCode: (.signIn, "completed"),
                .wrongCode: (.refused(.incorrectCode), nil), .allAttributes: (.verifyFirst, "awaitingCode"),
                .someAttributes: (.verifyFirst, "awaitingCode"),
            ]),
        Row(
            state: .awaitingCode(draft()), flow: withAttributes,
            expected: [
                .challenge: (.proveAddress, "awaitingCode"), .rightCode: (.collectAttributes, "awaitingAttributes"),
                .wrongCode: (.refused(.incorrectCode), nil), .allAttributes: (.verifyFirst, "awaitingCode"),
                .someAttributes: (.verifyFirst, "awaitingCode"),
            ]),
        Row(
            state: .awaitingCode(draft()), flow: withAttributes, asksHooks: true,
            expected: [
                .challenge: (.proveAddress, "awaitingCode"), .rightCode: (.askHooks, "asking"),
                .wrongCode: (.refused(.incorrectCode), nil), .allAttributes: (.verifyFirst, "awaitingCode"),
                .someAttributes: (.verifyFirst, "awaitingCode"),
            ]),
        Row(
            state: .awaitingCode(draft()), flow: password, asksHooks: true,
            expected: [
                .challenge: (.proveAddress, "awaitingCode"), .rightCode: (.chooseCredential, "choosingCredential"),
                .wrongCode: (.refused(.incorrectCode), nil), .allAttributes: (.verifyFirst, "awaitingCode"),
                .someAttributes: (.verifyFirst, "awaitingCode"),
            ]),
        Row(
            state: .asking(draft()), flow: withAttributes, asksHooks: true,
            expected: [
                .hooksProceed: (.collectAttributes, "awaitingAttributes"), .hooksGive: (.signIn, "completed"),
                .hooksAskAgain: (.collectAttributes, "awaitingAttributes"),
                .hooksBlock: (.refused(.blockedByHook(reason: "no")), nil),
            ]),
        Row(
            state: .choosingCredential(draft()), flow: password,
            expected: [.challenge: (.enterPassword, "awaitingPassword")]),
        Row(
            state: .awaitingPassword(draft()), flow: password,
            expected: [
                .challenge: (.enterPassword, "awaitingPassword"), .password: (.signIn, "completed"),
            ]),
        Row(
            state: .awaitingPassword(draft()), flow: passwordWithAttributes,
            expected: [
                .challenge: (.enterPassword, "awaitingPassword"),
                .password: (.collectAttributes, "awaitingAttributes"),
            ]),
        Row(
            state: .awaitingAttributes(draft()), flow: withAttributes,
            expected: [
                .allAttributes: (.signIn, "completed"), .someAttributes: (.collectAttributes, "awaitingAttributes"),
            ]),
        Row(
            state: .completed(
                Authentication(
                    account: .account(user, credentialVersion: 0), email: draft().email, origin: .signUp,
                    knowsPassword: false, mailboxes: [draft().email], authenticatedAt: now, capabilities: [])),
            flow: plainOTP, expected: [:]),
    ]

    @Test("SEC-CT-1: every state answers every input as the table says", arguments: table, Input.allCases)
    func everyPairOfStateAndInputIsAsTheTableSays(row: Row, input: Input) {
        let decision = Self.decide(row.state, input, Self.situation(row.flow, asksHooks: row.asksHooks))
        let expected = row.expected[input] ?? (.refused(.notAllowedNow), nil)
        #expect(Self.result(decision.verdict) == expected.result)
        #expect(decision.next.map(Self.name(of:)) == expected.next)
    }

    @Test("SEC-CT-1: every state is in the table")
    func everyStateIsInTheTable() {
        let states = Set(Self.table.map { Self.name(of: $0.state) })
        #expect(
            states == [
                "started", "awaitingCode", "asking", "choosingCredential", "awaitingPassword", "awaitingAttributes",
                "completed",
            ])
    }

    @Test("SEC-CT-6: a state allows exactly the operations that it does not refuse", arguments: table)
    func theAllowedOperationsAreThoseOfTheTable(row: Row) {
        let operation: [Input: FlowOperations] = [
            .challenge: .challengeSignUp, .rightCode: .submitSignUpCode, .wrongCode: .submitSignUpCode,
            .password: .submitSignUpPassword, .allAttributes: .submitSignUpAttributes,
            .someAttributes: .submitSignUpAttributes, .hooksProceed: .askAboutSignUp, .hooksGive: .askAboutSignUp,
            .hooksAskAgain: .askAboutSignUp, .hooksBlock: .askAboutSignUp,
        ]
        for input in Input.allCases {
            let isAllowed = operation[input].map { row.state.allowed.contains($0) } ?? false
            #expect(isAllowed == (row.expected[input] != nil), "\(input)")
        }
        #expect(row.state.allowed.contains(.redeem) == (row.state.authentication != nil))
    }

    @Test("SEC-CT-4: only progress advances the revision", arguments: table, Input.allCases)
    func onlyProgressAdvancesTheRevision(row: Row, input: Input) {
        let situation = Self.situation(row.flow, asksHooks: row.asksHooks)
        let decision = Self.decide(row.state, input, situation)
        guard let newRow = decision.row else { return }
        let progress = newRow.revision - situation.row.revision
        switch Self.result(decision.verdict) {
        case .signIn, .chooseCredential, .askHooks, .refused(.blockedByHook): #expect(progress == 1)
        case .collectAttributes: #expect(progress == 1, "a proof was accepted")
        case .refused, .proveAddress, .verifyFirst, .enterPassword: #expect(progress == 0)
        }
    }

    @Test("SEC-ID-9: no user is made without the proof of the address", arguments: table, Input.allCases)
    func aUserIsMadeExactlyWhenTheFlowCompletes(row: Row, input: Input) {
        let decision = Self.decide(row.state, input, Self.situation(row.flow, asksHooks: row.asksHooks))
        let makesUser = decision.effects.contains { if case .createUser = $0 { true } else { false } }
        #expect(makesUser == (Self.result(decision.verdict) == .signIn))
        if makesUser { #expect(row.state.isProven || input == .rightCode) }
    }

    // MARK: Codes

    @Test("SEC-OTP-3: the sixth guess is refused even if it is right, and is not compared")
    func theSixthGuessIsNotCompared() {
        var situation = Self.situation(Self.plainOTP)
        let state = SignUpState.awaitingCode(Self.draft())
        for guess in 1...5 {
            let decision = state.submitting(code: { _ in false }, newUser: Self.user, in: situation)
            #expect(decision.verdict == .refused(.incorrectCode))
            #expect(decision.row?.code?.attempts == guess)
            if let row = decision.row { situation.row = row }
        }
        var compared = false
        let sixth = state.submitting(
            code: { _ in
                compared = true
                return true
            }, newUser: Self.user, in: situation)
        #expect(sixth.verdict == .refused(.incorrectCode))
        #expect(sixth.row == nil && !compared)
    }

    @Test("SEC-OTP-2: a code counts at 599 s and not at 600 s", arguments: [(599.0, true), (600.0, false)])
    func aCodeLivesTenMinutes(seconds: Double, isGood: Bool) {
        var situation = Self.situation(Self.plainOTP)
        situation.now = Self.now.addingTimeInterval(seconds)
        let decision = SignUpState.awaitingCode(Self.draft()).submitting(
            code: { _ in true }, newUser: Self.user, in: situation)
        #expect(Self.result(decision.verdict) == (isGood ? .signIn : .refused(.expiredCode)))
        #expect(isGood || decision.row == nil, "an expired code is not counted")
    }

    @Test("SEC-OTP-4: the sixth code is refused and the flow ends")
    func theSixthCodeEndsTheFlow() {
        var situation = Self.situation(Self.plainOTP)
        situation.row = FlowRow(expiresAt: Self.now.addingTimeInterval(3600))
        let state = SignUpState.started(Self.draft())
        for number in 1...5 {
            let decision = state.challenging(with: Self.fresh, in: situation)
            #expect(decision.row?.codesSent == number)
            if let row = decision.row { situation.row = row }
        }
        let sixth = state.challenging(with: Self.fresh, in: situation)
        #expect(sixth.verdict == .refused(.tooManyCodes))
        #expect(sixth.row?.isEnded == true)
        #expect(!sixth.effects.contains { if case .mailCode = $0 { true } else { false } })
    }

    @Test(
        "SEC-OTP-11: within 60 s the same is said again and no second mail goes out",
        arguments: [(0.0, 60), (59.0, 1), (60.0, nil)])
    func theCoolDownRepeatsTheAnswer(seconds: Double, wait: Int?) {
        var situation = Self.situation(Self.plainOTP)
        situation.settings.resendCooldown = 60
        situation.now = Self.now.addingTimeInterval(seconds)
        let decision = SignUpState.awaitingCode(Self.draft()).challenging(with: Self.fresh, in: situation)
        let sends = decision.effects.contains { if case .mailCode = $0 { true } else { false } }
        #expect(sends == (wait == nil))
        guard case .accepted(.proveAddress(let delivery)) = decision.verdict else {
            Issue.record("no delivery")
            return
        }
        #expect(delivery.resendInterval == wait ?? 60)
        #expect((decision.row == nil) == (wait != nil))
    }

    // MARK: Names that another account took meanwhile

    @Test("REL-HA-1: the loser of a race for an address or an alias is told, and its flow ends")
    func aTakenNameEndsTheFlow() throws {
        var situation = Self.situation(Self.plainOTP)
        let draft = Self.draft(attributes: ["flatusername": "dana"])
        for key in draft.identifiers.map(\.key) {
            situation.taken = [key]
            let decision = SignUpState.awaitingCode(draft).submitting(
                code: { _ in true }, newUser: Self.user, in: situation)
            #expect(decision.verdict == .refused(.userAlreadyExists))
            #expect(decision.row?.isEnded == true)
        }
    }

    @Test("A taken alias that was sent after the code can be replaced with the same token")
    func aTakenAliasCanBeReplaced() throws {
        var situation = Self.situation(Self.withAttributes)
        let alias = try #require(Alias("dana"))
        situation.taken = [alias.key]
        let state = SignUpState.awaitingAttributes(Self.draft())
        let first = state.submitting(
            attributes: ["country": "DK", "city": "Ribe", "flatusername": "dana"], newUser: Self.user, in: situation)
        #expect(first.verdict == .refused(.userAlreadyExists))
        #expect(first.row == nil)
        let second = state.submitting(
            attributes: ["country": "DK", "city": "Ribe", "flatusername": "dana2"], newUser: Self.user, in: situation)
        #expect(Self.result(second.verdict) == .signIn)
    }

    // MARK: States as bytes

    @Test("A state reads back from the contents of a current token", arguments: table)
    func aStateSurvivesItsEncoding(row: Row) throws {
        let data = try JSONEncoder().encode(row.state)
        #expect(try JSONDecoder().decode(SignUpState.self, from: data) == row.state)
    }

    // MARK: Fixtures

    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let user = UserID(UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)))
    static let hash = PasswordHash(phc: "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA")
    static let plainOTP = UserFlow(method: .emailOneTimePasscode)
    static let password = UserFlow(method: .emailPassword)
    static let required = AttributeDefinition.builtIn.map { definition in
        var definition = definition
        definition.isRequired = ["country", "city"].contains(definition.name)
        return definition
    }
    static let withAttributes = UserFlow(method: .emailOneTimePasscode, attributes: required)
    static let passwordWithAttributes = UserFlow(method: .emailPassword, attributes: required)
    static let fresh = FreshCode(
        digits: Secret("12345678"),
        record: CodeRecord(digest: Data([9]), target: Data([7]), sentAt: now, expiresAt: now.addingTimeInterval(600)))

    static func draft(
        passwordHash: PasswordHash? = nil, attributes: [String: AttributeValue] = [:]
    ) -> SignUpDraft {
        guard let email = EmailAddress("dana@example.com") else { preconditionFailure("the fixture is an address") }
        return SignUpDraft(email: email, passwordHash: passwordHash, attributes: attributes, capabilities: [])
    }

    static func situation(_ flow: UserFlow, asksHooks: Bool = false) -> StepSituation {
        var settings = EngineSettings(baseURL: "https://identity.test")
        settings.resendCooldown = 0
        return StepSituation(
            row: FlowRow(
                revision: 3, code: fresh.record, codesSent: 1, expiresAt: now.addingTimeInterval(3600)),
            taken: [], asksAboutSignUps: asksHooks, now: now, userFlow: flow, settings: settings)
    }

    static func decide(
        _ state: SignUpState, _ input: Input, _ situation: StepSituation
    ) -> Decision<SignUpState> {
        switch input {
        case .challenge: state.challenging(with: fresh, in: situation)
        case .rightCode: state.submitting(code: { _ in true }, newUser: user, in: situation)
        case .wrongCode: state.submitting(code: { _ in false }, newUser: user, in: situation)
        case .password: state.submitting(password: hash, newUser: user, in: situation)
        case .allAttributes:
            state.submitting(attributes: ["country": "DK", "city": "Ribe"], newUser: user, in: situation)
        case .someAttributes: state.submitting(attributes: ["country": "DK"], newUser: user, in: situation)
        case .hooksProceed: state.continuing(under: .proceed([:]), newUser: user, in: situation)
        case .hooksGive:
            state.continuing(under: .proceed(["country": "DK", "city": "Ribe"]), newUser: user, in: situation)
        case .hooksAskAgain:
            state.continuing(under: .askAgain([:], for: ["city"], reason: "no"), newUser: user, in: situation)
        case .hooksBlock: state.continuing(under: .block(reason: "no"), newUser: user, in: situation)
        }
    }

    static func result(_ verdict: Verdict) -> Result {
        switch verdict {
        case .refused(let refusal): .refused(refusal)
        case .accepted(.proveAddress): .proveAddress
        case .accepted(.enterPassword): .enterPassword
        case .accepted(.chooseCredential): .chooseCredential
        case .accepted(.collectAttributes): .collectAttributes
        case .accepted(.verifyFirst): .verifyFirst
        case .accepted(.signIn): .signIn
        case .accepted(.requestChallenge): .askHooks
        case .accepted: .refused(.notAllowedNow)
        }
    }

    static func name(of state: SignUpState) -> String {
        switch state {
        case .started: "started"
        case .awaitingCode: "awaitingCode"
        case .asking: "asking"
        case .choosingCredential: "choosingCredential"
        case .awaitingPassword: "awaitingPassword"
        case .awaitingAttributes: "awaitingAttributes"
        case .completed: "completed"
        }
    }
}
