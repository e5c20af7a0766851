package import NativeAuthCore
import PortableFoundation

// The steps of a sign-up: pure functions from state, input and situation to a decision. SignUpStateTests has the table
// of all steps, with every refused pair.
extension SignUpState {
    /// Asks for a challenge: sends a code, for the first time or again, or answers that a password is required.
    ///
    /// - Parameter owner: The mailbox of the account that already has the address, when only its owner may learn so:
    ///   the owner gets a notice in place of the code (`SEC-ENUM-2`).
    package func challenging(
        with fresh: FreshCode, owner: EmailAddress? = nil, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .started(let draft), .awaitingCode(let draft):
            situation.sendCode(
                fresh, to: owner ?? draft.email, for: owner == nil ? .signUp : .accountExists,
                next: .awaitingCode(draft)
            ) {
                .proveAddress(situation.delivery(to: draft.email.masked, resendIn: $0, length: $1))
            }
        case .choosingCredential(let draft), .awaitingPassword(let draft):
            Decision(.accepted(.enterPassword), next: .awaitingPassword(draft))
        case .awaitingAttributes, .completed:
            .refused(.notAllowedNow)
        }
    }

    /// Submits a code.
    ///
    /// - Parameter matches: Whether the submitted digits match a digest; called at most once, and only when a
    ///   comparison is allowed (`SEC-OTP-3`).
    package func submitting(
        code matches: (CodeRecord) -> Bool, newUser: UserID, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .awaitingCode(let draft):
            // When answers must hide that the address is taken, every code for it is wrong (SEC-ENUM-2).
            let isHidden = situation.hidesAccounts && situation.taken.contains(draft.email.key)
            switch situation.judgeCode(matches: { matches($0) && !isHidden })
                as StepSituation.CodeJudgement<SignUpState>
            {
            case .refused(let decision): return decision
            case .proven(let row, let effects):
                return Self.proceeding(with: draft, newUser: newUser, row: row, effects: effects, in: situation)
            }
        case .started, .choosingCredential, .awaitingPassword, .awaitingAttributes, .completed:
            return .refused(.notAllowedNow)
        }
    }

    /// Submits a password that the policy accepted, hashed.
    package func submitting(
        password hash: PasswordHash, newUser: UserID, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .awaitingPassword(var draft):
            draft.passwordHash = hash
            var row = situation.row
            row.revision += 1
            return Self.proceeding(with: draft, newUser: newUser, row: row, effects: [], in: situation)
        case .started, .awaitingCode, .choosingCredential, .awaitingAttributes, .completed:
            return .refused(.notAllowedNow)
        }
    }

    /// Submits attributes that follow their rules.
    ///
    /// - Parameter ignored: The number of other attributes in the request.
    package func submitting(
        attributes: [String: AttributeValue], ignored: Int = 0, newUser: UserID, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .awaitingCode(var draft):
            // Stored in the token; the proof of the address comes first (docs/protocol.md §4.3).
            draft.attributes.merge(attributes) { $1 }
            draft.ignoredAttributes += ignored
            return Decision(.accepted(.verifyFirst(unverified: ["email"])), next: .awaitingCode(draft))
        case .awaitingAttributes(var draft):
            draft.attributes.merge(attributes) { $1 }
            draft.ignoredAttributes += ignored
            // The client can replace a taken alias with the same token; it cannot replace a taken address.
            if let alias = draft.alias, situation.taken.contains(alias.key) {
                return .refused(.userAlreadyExists)
            }
            let missing = situation.userFlow.missingAttributes(in: draft.attributes)
            guard missing.isEmpty else {
                return Decision(.accepted(.collectAttributes(missing)), next: .awaitingAttributes(draft))
            }
            var row = situation.row
            row.revision += 1
            return Self.proceeding(with: draft, newUser: newUser, row: row, effects: [], in: situation)
        case .started, .choosingCredential, .awaitingPassword, .completed:
            return .refused(.notAllowedNow)
        }
    }

    /// Continues after the address is proven: asks for what is still missing, or creates the account.
    private static func proceeding(
        with draft: SignUpDraft, newUser: UserID, row: FlowRow, effects: [FlowEffect], in situation: StepSituation
    ) -> Decision<SignUpState> {
        var row = row
        // Another flow has taken this address or alias first (REL-HA-1). This flow can no longer succeed.
        guard draft.identifiers.allSatisfy({ !situation.taken.contains($0.key) }) else {
            row.isEnded = true
            return Decision(
                .refused(.userAlreadyExists), row: row, effects: effects + [.record(.signUpRefused, detail: "taken")])
        }
        switch situation.userFlow.method {
        case .emailPassword where draft.passwordHash == nil:
            return Decision(
                .accepted(.chooseCredential), next: .choosingCredential(draft), row: row, effects: effects)
        case .emailPassword, .emailOneTimePasscode:
            break
        }
        let missing = situation.userFlow.missingAttributes(in: draft.attributes)
        guard missing.isEmpty else {
            return Decision(
                .accepted(.collectAttributes(missing)), next: .awaitingAttributes(draft), row: row, effects: effects)
        }
        let completed = Authentication(
            account: .account(newUser, credentialVersion: 0), email: draft.email, origin: .signUp,
            knowsPassword: draft.passwordHash != nil, mailboxes: [draft.email], authenticatedAt: situation.now,
            capabilities: draft.capabilities)
        let count = draft.ignoredAttributes
        let ignored: [FlowEffect] =
            count > 0 ? [.record(.attributesIgnored, user: newUser, detail: "\(count)")] : []
        return Decision(
            .accepted(.signIn), next: .completed(completed), row: row,
            effects: effects + [.createUser(draft, id: newUser), .record(.signUpCompleted, user: newUser)] + ignored)
    }
}

extension UserFlow {
    /// The required attributes that `given` lacks, in the order of the flow.
    package func missingAttributes(in given: [String: AttributeValue]) -> [RequiredAttribute] {
        attributes.filter { $0.isRequired && given[$0.name] == nil }.map(\.asRequired)
    }
}
