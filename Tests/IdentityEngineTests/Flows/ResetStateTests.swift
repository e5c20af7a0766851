import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

/// The table of the password reset: every state with every input.
@Suite("Reset flow")
struct ResetStateTests {
    enum Input: CaseIterable, CustomTestStringConvertible {
        case challenge, rightCode, wrongCode, password, poll, redeem

        var testDescription: String { "\(self)" }

        var operation: FlowOperations {
            switch self {
            case .challenge: .challengeReset
            case .rightCode, .wrongCode: .submitResetCode
            case .password: .submitNewPassword
            case .poll: .pollReset
            case .redeem: .redeem
            }
        }
    }

    enum Result: Hashable {
        case refused(Refusal)
        case proveAddress, choosePassword, awaitReset, passwordChanged, worthTokens
    }

    struct Row: CustomTestStringConvertible, Sendable {
        var state: ResetState
        var expected: [Input: (result: Result, next: String?)]
        var testDescription: String { name(of: state) }
    }

    static let table: [Row] = [
        Row(state: .started(draft), expected: [.challenge: (.proveAddress, "awaitingCode")]),
        Row(
            state: .awaitingCode(draft),
            expected: [
                .challenge: (.proveAddress, "awaitingCode"), .rightCode: (.choosePassword, "choosingPassword"),
                .wrongCode: (.refused(.incorrectCode), nil),
            ]),
        Row(state: .choosingPassword(draft, proven), expected: [.password: (.awaitReset, "changed")]),
        Row(state: .changed(proven), expected: [.poll: (.passwordChanged, "completed")]),
        Row(state: .completed(proven), expected: [.redeem: (.worthTokens, nil)]),
    ]

    @Test("SEC-SSPR-1: every state answers every input as the table says", arguments: table, Input.allCases)
    func everyPairOfStateAndInputIsAsTheTableSays(row: Row, input: Input) {
        let expected = row.expected[input] ?? (.refused(.notAllowedNow), nil)
        if input == .redeem {
            #expect((FlowState.reset(row.state).authentication != nil) == (expected.result == .worthTokens))
            return
        }
        let decision = Self.decide(row.state, input)
        #expect(Self.result(decision.verdict) == expected.result)
        #expect(decision.next.map(Self.name(of:)) == expected.next)
    }

    @Test("SEC-CT-1: every state is in the table")
    func everyStateIsInTheTable() {
        #expect(
            Set(Self.table.map { Self.name(of: $0.state) }) == [
                "started", "awaitingCode", "choosingPassword", "changed", "completed",
            ])
    }

    @Test("SEC-CT-6: a state allows exactly the operations that it does not refuse", arguments: table)
    func theAllowedOperationsAreThoseOfTheTable(row: Row) {
        for input in Input.allCases {
            #expect(
                row.state.allowed.contains(input.operation)
                    == row.expected.keys.contains { $0.operation == input.operation })
        }
    }

    @Test("SEC-CT-4: a proof and the change of the password advance the revision, nothing else does", arguments: table)
    func onlyProgressAdvancesTheRevision(row: Row) {
        for input in Input.allCases where input != .redeem {
            guard let newRow = Self.decide(row.state, input).row else { continue }
            let progress = newRow.revision - Self.situation.row.revision
            #expect(progress == ([.rightCode, .password].contains(input) ? 1 : 0), "\(input)")
        }
    }

    @Test("SEC-SSPR-2: a poll decides to write nothing")
    func aPollWritesNothing() {
        let decision = ResetState.changed(Self.proven).polling()
        #expect(decision.row == nil && decision.effects.isEmpty)
    }

    @Test("SEC-SSPR-5, SEC-ID-11: the change ends sessions, locks, networks and other flows, and tells the owner")
    func theChangeEndsEverything() {
        let decision = Self.decide(.choosingPassword(Self.draft, Self.proven), .password)
        for effect: FlowEffect in [
            .write(.changePassword(SignInStateTests.user, SignUpStateTests.hash, at: SignInStateTests.now)),
            .write(.revokeRefreshFamilies(SignInStateTests.user, at: SignInStateTests.now)),
            .clearLockouts, .write(.forgetNetworks(SignInStateTests.user)),
            .record(.passwordChanged, user: SignInStateTests.user),
            .record(.resetCompleted, user: SignInStateTests.user),
            .mailNotice(.passwordChanged, to: SignInStateTests.email),
        ] {
            #expect(decision.effects.contains(effect), "\(effect)")
        }
        #expect(decision.next?.account == .account(Self.draft.account.user, credentialVersion: 1))
        for row in Self.table {
            for input in Input.allCases where input != .redeem && row.expected[input]?.result != .awaitReset {
                let changes = Self.decide(row.state, input).effects.contains {
                    if case .write(.changePassword) = $0 { true } else { false }
                }
                #expect(!changes, "\(row.testDescription) \(input)")
            }
        }
    }

    @Test(
        "SEC-ENR-7: a reset takes away what was enrolled on less than the mailbox, and lays to rest what is weak or new"
    )
    func whatAResetLeaves() {
        let month = 30 * 86_400.0
        for strength in Enrolment.Strength.allCases {
            for (age, isOwn, wasSuspended) in [
                (0.0, false, false), (month - 1, false, false), (month, false, false), (900 * 86_400, false, false),
                (0, true, false), (900 * 86_400, true, false), (0, false, true), (month, false, true),
            ] {
                let method = StrongMethod(
                    id: SignInStateTests.method.id, email: isOwn ? Self.draft.email : SignInStateTests.contact,
                    provenAt: SignInStateTests.now.addingTimeInterval(-age), enrolment: Enrolment(strength),
                    suspendedAt: wasSuspended ? SignInStateTests.now : nil)
                var situation = Self.situation
                situation.account?.strongMethods = [method]
                let effects = ResetState.choosingPassword(Self.draft, Self.proven).submitting(
                    password: SignUpStateTests.hash, in: situation
                ).effects
                // The guesses of a thief with the old password are forgotten (SEC-TOTP-5).
                for event in [CountedEvent.wrongAppCode, .wrongAppCodeOfStranger, .recoveryCodeTried] {
                    #expect(effects.contains(.forget(event, of: .account)))
                }
                let user = SignInStateTests.user
                let isRemoved = !isOwn && [.unknown, .password].contains(strength)
                let rests =
                    [.mailbox, .codes, .recoveryCode].contains(strength) || strength == .twoFactors && age < month
                let isSuspended = !isOwn && !isRemoved && rests && !wasSuspended
                #expect(effects.contains(.write(.removeStrongMethods([method.id], of: user))) == isRemoved, "\(method)")
                let suspends = effects.contains(.write(.setSuspension([method.id], of: user, SignInStateTests.now)))
                #expect(suspends == isSuspended, "\(method)")
                for channel in [Self.draft.email, SignInStateTests.contact] where !isOwn {
                    let removed = FlowEffect.mailNotice(
                        .methodRemoved, to: channel, about: [SignInStateTests.contact.masked])
                    let suspended = FlowEffect.mailNotice(
                        .methodSuspended, to: channel, about: [SignInStateTests.contact.masked])
                    #expect(effects.contains(removed) == isRemoved && effects.contains(suspended) == isSuspended)
                }
            }
        }
    }

    @Test("SEC-SSPR-3: the code goes to the stored address of the account")
    func theCodeGoesToTheStoredAddress() {
        let decision = Self.decide(.started(Self.draft), .challenge)
        #expect(
            decision.effects.contains(
                .mailCode(SignInStateTests.fresh, to: Self.draft.email, for: .passwordReset)))
    }

    @Test("A state reads back from the contents of a current token", arguments: table)
    func aStateSurvivesItsEncoding(row: Row) throws {
        let data = try JSONEncoder().encode(row.state)
        #expect(try JSONDecoder().decode(ResetState.self, from: data) == row.state)
    }

    // MARK: Fixtures

    static let draft = ResetDraft(
        account: SignInStateTests.binding, email: SignInStateTests.email,
        capabilities: [.registrationRequired, .mfaRequired])
    static let proven = Authentication(
        account: SignInStateTests.binding, email: SignInStateTests.email, origin: .reset, knowsPassword: false,
        mailboxes: [SignInStateTests.email], authenticatedAt: SignInStateTests.now, capabilities: [])
    static let situation = SignInStateTests.situation(
        .awaitingPassword(SignInStateTests.draft(hasPassword: true)), .demandedWithMethod)

    static func decide(_ state: ResetState, _ input: Input) -> Decision<ResetState> {
        switch input {
        case .challenge: state.challenging(with: SignInStateTests.fresh, in: situation)
        case .rightCode: state.submitting(code: { _ in true }, in: situation)
        case .wrongCode: state.submitting(code: { _ in false }, in: situation)
        case .password: state.submitting(password: SignUpStateTests.hash, in: situation)
        case .poll: state.polling()
        case .redeem: .refused(.notAllowedNow)
        }
    }

    static func result(_ verdict: Verdict) -> Result {
        switch verdict {
        case .refused(let refusal): .refused(refusal)
        case .accepted(.proveAddress): .proveAddress
        case .accepted(.choosePassword): .choosePassword
        case .accepted(.awaitReset): .awaitReset
        case .accepted(.passwordChanged): .passwordChanged
        case .accepted: .refused(.unknownClient)
        }
    }

    static func name(of state: ResetState) -> String {
        switch state {
        case .started: "started"
        case .awaitingCode: "awaitingCode"
        case .choosingPassword: "choosingPassword"
        case .changed: "changed"
        case .completed: "completed"
        }
    }
}
