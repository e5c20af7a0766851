package import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The steps of a sign-up: pure functions from state, input and situation to a decision. The table of all of them, with every
// pair that is refused, is in SignUpStateTests.
extension SignUpState {
    /// Asks for a challenge: a code, again or for the first time, or the word that a password is wanted.
    package func challenging(with fresh: FreshCode, in situation: StepSituation) -> Decision<SignUpState> {
        switch self {
        case .started(let draft), .awaitingCode(let draft):
            Self.sendingCode(fresh, for: draft, in: situation)
        case .choosingCredential(let draft), .awaitingPassword(let draft):
            Decision(.accepted(.enterPassword), next: .awaitingPassword(draft))
        case .awaitingAttributes, .completed:
            .refused(.notAllowedNow)
        }
    }

    private static func sendingCode(
        _ fresh: FreshCode, for draft: SignUpDraft, in situation: StepSituation
    ) -> Decision<SignUpState> {
        var row = situation.row
        let settings = situation.settings
        func delivery(in seconds: Int) -> Verdict {
            .accepted(
                .proveAddress(
                    CodeDelivery(
                        maskedTarget: draft.email.masked, codeLength: settings.codeDigits, resendInterval: seconds)))
        }
        // SEC-OTP-11: too early, the client hears the same again and no second mail goes out.
        if let last = row.code {
            let wait = last.sentAt.addingTimeInterval(Double(settings.resendCooldown)).timeIntervalSince(situation.now)
            if wait > 0 { return Decision(delivery(in: Int(wait.rounded(.up))), next: .awaitingCode(draft)) }
        }
        guard row.codesSent < settings.codesPerFlow else {
            row.isEnded = true
            return Decision(.refused(.tooManyCodes), row: row, effects: [.record(.codesExhausted)])
        }
        if let wait = situation.waitForMail { return .refused(.throttled(retryAfter: wait)) }
        row.code = fresh.record
        row.codesSent += 1
        return Decision(
            delivery(in: settings.resendCooldown), next: .awaitingCode(draft), row: row,
            effects: [.mailCode(fresh, to: draft.email), .record(.codeSent), .count(.codeMailed)])
    }

    /// Submits a code.
    ///
    /// - Parameter matches: Whether the submitted digits yield a digest; called once at most, and only when the right to
    ///   compare is there (`SEC-OTP-3`).
    package func submitting(
        code matches: (CodeRecord) -> Bool, newUser: UserID, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .awaitingCode(let draft):
            var row = situation.row
            guard var sent = row.code else { return .refused(.notAllowedNow) }
            guard situation.now < sent.expiresAt else { return .refused(.expiredCode) }
            guard sent.attempts < situation.settings.guessesPerCode else { return .refused(.incorrectCode) }
            if let wait = situation.waitForGuess(after: sent.attempts) { return .refused(.throttled(retryAfter: wait)) }
            sent.attempts += 1
            row.code = sent
            guard matches(sent) else {
                return Decision(
                    .refused(.incorrectCode), row: row, effects: [.record(.codeRefused), .count(.wrongCode)])
            }
            row.code = nil
            row.revision += 1
            return Self.proceeding(
                with: draft, newUser: newUser, row: row, effects: [.record(.codeVerified), .forget(.wrongCode)],
                in: situation)
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

    /// Submits attributes that keep their rules.
    ///
    /// - Parameter ignored: How many others came with them.
    package func submitting(
        attributes: [String: AttributeValue], ignored: Int = 0, newUser: UserID, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .awaitingCode(var draft):
            // Noted in the token; the proof of the address comes first (native-auth-v1 §4.3).
            draft.attributes.merge(attributes) { $1 }
            draft.ignoredAttributes += ignored
            return Decision(.accepted(.verifyFirst(unverified: ["email"])), next: .awaitingCode(draft))
        case .awaitingAttributes(var draft):
            draft.attributes.merge(attributes) { $1 }
            draft.ignoredAttributes += ignored
            // A taken alias can be replaced by another with the same token; a taken address cannot.
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

    /// Redeems the finished sign-up for tokens that were signed already.
    package func redeeming(
        _ tokens: IssuedTokens, family: RefreshFamily?, in situation: StepSituation
    ) -> Decision<SignUpState> {
        switch self {
        case .completed(let signUp):
            var row = situation.row
            row.revision += 1
            row.isEnded = true
            return Decision(
                .accepted(.signedIn(tokens)), row: row,
                effects: (family.map { [.openRefreshFamily($0)] } ?? []) + [.record(.tokenIssued, user: signUp.user)])
        case .started, .awaitingCode, .choosingCredential, .awaitingPassword, .awaitingAttributes:
            return .refused(.notAllowedNow)
        }
    }

    /// The address is proven: what is still missing, or the account.
    private static func proceeding(
        with draft: SignUpDraft, newUser: UserID, row: FlowRow, effects: [FlowEffect], in situation: StepSituation
    ) -> Decision<SignUpState> {
        var row = row
        // Somebody was faster with this address or alias (REL-HA-1). The flow cannot end well any more.
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
        let completed = CompletedSignUp(
            user: newUser, authenticatedAt: situation.now,
            methods: draft.passwordHash == nil ? ["otp"] : ["pwd", "otp"])
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
