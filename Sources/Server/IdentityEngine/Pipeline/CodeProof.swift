import NativeAuthCore
import PortableFoundation

// Makes a code, sends it and judges a guess, the same way for every flow that proves a mailbox or a telephone.
extension StepSituation {
    /// Sends a code, or repeats where the last code was sent.
    ///
    /// - Parameters:
    ///   - fresh: The code, drawn before the decision; without a mail it stays secret.
    ///   - purpose: The purpose of the mail. The purpose of a notice sends the notice in place of the code; all else is
    ///     the same.
    ///   - next: The state that awaits the code.
    ///   - delivering: The client's answer, made from the seconds until the client may ask for another code and the
    ///     number of the code's digits.
    func sendCode<State>(
        _ fresh: FreshCode, to contact: Contact, for purpose: MailContent.Purpose, next: State,
        delivering: (_ resendIn: Int, _ length: Int) -> Interaction
    ) -> Decision<State> {
        var row = row
        if mailboxRefuses(purpose, target: fresh.record.target) {
            return .refused(contact.phone == nil ? .mailboxRefuses : .blockedContact)
        }
        // SEC-OTP-11: during the cool-down the client gets the same answer and no second mail is sent. Another target
        // has no cool-down.
        if let last = row.code, last.target == fresh.record.target {
            let wait = last.sentAt.addingTimeInterval(Double(settings.resendCooldown)).timeIntervalSince(now)
            if wait > 0 {
                return Decision(.accepted(delivering(Int(wait.rounded(.up)), settings.codeDigits)), next: next)
            }
        }
        guard row.codesSent < settings.codesPerFlow else {
            row.isEnded = true
            return Decision(.refused(.tooManyCodes), row: row, effects: [.record(.codesExhausted)])
        }
        let sending: [FlowEffect]
        switch contact {
        case .mailbox(let email):
            if let wait = waitForMailbox() {
                guard hasSlowLane, let shared = fresh.shared else { return .refused(.throttled(retryAfter: wait)) }
                return sendShared(shared, fresh, wait, to: email, for: purpose, next: next, delivering: delivering)
            }
            if let wait = waitForSender() { return .refused(.throttled(retryAfter: wait)) }
            sending = [
                purpose == .accountExists
                    ? .mailNotice(purpose, to: email) : .mailCode(fresh, to: email, for: purpose),
                .record(.codeSent), .count(.codeMailed, of: .mailbox), .count(.codeMailed, of: .networkAtMailbox),
                .count(.codeMailed, of: .source), .count(.codeMailed, of: .ipv6Prefix48),
            ]
        case .phone(let number):
            switch judgeText(to: number, for: purpose.textUse) {
            case .refused(let refusal, let notes):
                return Decision(.refused(refusal), row: notes.isEmpty ? nil : row, effects: notes)
            case .send(let notes):
                sending =
                    [
                        .textCode(fresh, to: number, for: purpose),
                        .record(.codeSent, detail: CodeChannel.textMessage.rawValue),
                    ] + notes
            }
        }
        row.code = fresh.record
        row.codesSent += 1
        return Decision(
            .accepted(delivering(settings.resendCooldown, settings.codeDigits)), next: next, row: row, effects: sending)
    }

    /// Whether a text to the number is more than the tenant may spend.
    func hasSpent(on number: PhoneNumber) -> Bool {
        guard let texts, let textHistory else { return false }
        return textHistory.isSpent(texts, by: texts.price(of: number.area))
    }

    /// Whether a text may go to the number now. Who gets here has given a first factor, or has a session (`SEC-SMS-3`), or signs in
    /// with the number of an account, where the tenant has that.
    private func judgeText(to number: PhoneNumber, for use: TextUse) -> TextJudgement {
        guard let texts, texts.allows(number) else { return .refused(.blockedContact, notes: []) }
        guard settings.limits != nil, let textHistory else { return .send(notes: []) }
        return textHistory.judging(texts, number.area, for: use, settings.textLimits, now: now)
    }

    /// Sends a slow-lane code (docs/design/0013). Unknown sources have used up the mailbox's budget of mails; at long
    /// intervals one more mail is sent, with a code that is valid in every flow that asks for one meanwhile. The
    /// owner's flow is among them.
    ///
    /// - Parameter wait: Seconds until the mailbox may again get a flow's own code.
    private func sendShared<State>(
        _ shared: SharedCode, _ fresh: FreshCode, _ wait: Int, to email: EmailAddress, for purpose: MailContent.Purpose,
        next: State, delivering: (_ resendIn: Int, _ length: Int) -> Interaction
    ) -> Decision<State> {
        let interval = Double(settings.limits?.slowLaneInterval ?? 0)
        let untilNext = slowLane?.code.map { $0.sentAt.addingTimeInterval(interval).timeIntervalSince(now) } ?? 0
        let seconds = max(1, Int(untilNext.rounded(.up)))
        // Write nothing, so that the flows of a flood have no rows. When answers hide accounts, the answer must not
        // reveal that the owner has used the code (SEC-ENUM-3).
        if let lane = slowLane, let code = lane.code, !lane.isEnded || hidesAccounts, now < code.expiresAt {
            return Decision(.accepted(delivering(seconds, EngineSettings.sharedCodeDigits)), next: next)
        }
        guard untilNext <= 0 else { return .refused(.throttled(retryAfter: min(wait, seconds))) }
        if let wait = waitForSender() { return .refused(.throttled(retryAfter: wait)) }
        let lane = FlowRow(
            code: CodeRecord(
                digest: shared.digest, target: fresh.record.target, sentAt: now, expiresAt: fresh.record.expiresAt),
            codesSent: 1, expiresAt: now.addingTimeInterval(interval))
        return Decision(
            .accepted(delivering(Int(interval), EngineSettings.sharedCodeDigits)), next: next, row: row,
            effects: [
                .mailSharedCode(fresh, to: email, for: purpose), .setSlowLane(lane),
                .record(.codeSent, detail: "shared"),
                .count(.codeMailed, of: .source), .count(.codeMailed, of: .ipv6Prefix48),
            ])
    }

    /// The result of a guess.
    enum CodeJudgement<State: Hashable & Sendable> {
        case refused(Decision<State>)
        /// The row has advanced: the commit of what follows spends the code (`SEC-OTP-10`).
        case proven(FlowRow, [FlowEffect])
    }

    /// Judges a guess.
    ///
    /// - Parameters:
    ///   - contact: What the code was sent to; nil: the flow's mailbox.
    ///   - failure: The audit event for a wrong guess, in addition to `otp.failed`.
    ///   - matches: Whether the submitted digits match a digest; called at most once, and only when a comparison is
    ///     allowed (`SEC-OTP-3`).
    func judgeCode<State>(
        of contact: Contact? = nil, recording failure: AuditEvent.Kind? = nil, user: UserID? = nil,
        matches: (CodeRecord) -> Bool
    ) -> CodeJudgement<State> {
        guard !usesSharedCode else { return judgeShared(recording: failure, user: user, matches: matches) }
        var row = row
        // A flow in the slow lane has no code of its own to compare.
        guard var sent = row.code else {
            return .refused(.refused(slowLane?.code == nil ? .notAllowedNow : .incorrectCode))
        }
        guard now < sent.expiresAt else { return .refused(.refused(.expiredCode)) }
        guard sent.attempts < settings.guessesPerCode else { return .refused(.refused(.incorrectCode)) }
        if let wait = waitForGuess(after: sent.attempts) {
            return .refused(.refused(.throttled(retryAfter: wait)))
        }
        sent.attempts += 1
        row.code = sent
        guard matches(sent) else {
            var effects: [FlowEffect] = [.record(.codeRefused, user: user), .count(.wrongCode, of: .address)]
            if let failure { effects.append(.record(failure, user: user)) }
            return .refused(Decision(.refused(.incorrectCode), row: row, effects: effects))
        }
        row.code = nil
        row.revision += 1
        return .proven(
            row,
            [.record(.codeVerified, user: user)] + (contact?.phone == nil ? [] : [.noteVerifiedTexts])
                + forgettingGuesses)
    }

    /// A success clears the count (`SEC-OTP-5`), except where that would reveal that the address has an owner.
    private var forgettingGuesses: [FlowEffect] { hidesAccounts ? [] : [.forget(.wrongCode, of: .address)] }

    /// Judges a guess at the shared code. Each source and each network has a small budget, so that one source cannot
    /// use up the budget of all.
    private func judgeShared<State>(
        recording failure: AuditEvent.Kind?, user: UserID?, matches: (CodeRecord) -> Bool
    ) -> CodeJudgement<State> {
        guard let limits = settings.limits, var lane = slowLane, var sent = lane.code, !lane.isEnded || hidesAccounts
        else {
            return .refused(.refused(.incorrectCode))
        }
        guard now < sent.expiresAt else { return .refused(.refused(.expiredCode)) }
        guard sent.attempts < limits.guessesPerSharedCode else { return .refused(.refused(.incorrectCode)) }
        let isOverBudget = [
            (CountedSubject.guesser, limits.guessesOfSourcePerSharedCode),
            (.guessingNetwork, limits.guessesOfNetworkPerSharedCode),
            (.guessingIPv6Prefix48, limits.guessesOfIPv6Prefix48PerSharedCode),
        ].contains { who, limit in counted[who]?[.wrongCode]?.count { $0 >= sent.sentAt } ?? 0 >= limit }
        guard !isOverBudget else {
            let wait = sent.sentAt.addingTimeInterval(Double(limits.slowLaneInterval)).timeIntervalSince(now)
            return .refused(.refused(.throttled(retryAfter: max(1, Int(wait.rounded(.up))))))
        }
        sent.attempts += 1
        lane.code = sent
        guard matches(sent), !lane.isEnded else {
            var effects: [FlowEffect] = [
                .setSlowLane(lane), .record(.codeRefused, user: user, detail: "shared"),
                .count(.wrongCode, of: .guesser), .count(.wrongCode, of: .guessingNetwork),
                .count(.wrongCode, of: .guessingIPv6Prefix48),
            ]
            if let failure { effects.append(.record(failure, user: user)) }
            return .refused(Decision(.refused(.incorrectCode), row: row, effects: effects))
        }
        // The code is spent; the next mail still waits for its time.
        lane.isEnded = true
        var row = row
        row.code = nil
        row.revision += 1
        return .proven(
            row,
            [.setSlowLane(lane), .record(.codeVerified, user: user, detail: "shared")] + forgettingGuesses)
    }
}

extension Engine {
    /// Draws the digits of a new code, as many as a shared code has; a flow's own code is a prefix of them.
    func drawCode() -> Secret<String> {
        guard let fixed = settings.fixedCode else {
            return Secret(ports.randomness.digits(EngineSettings.sharedCodeDigits))
        }
        let rest = EngineSettings.sharedCodeDigits - fixed.reveal().utf8.count
        return Secret(fixed.reveal() + String(repeating: "0", count: max(0, rest)))
    }

    /// The code for a mailbox. It is made before the decision, which is pure and may not use it.
    func freshCode(
        _ drawn: Secret<String>, _ situation: StepSituation, _ step: Step, to contact: Contact,
        for purpose: MailContent.Purpose
    ) -> FreshCode {
        let digits = Secret(String(drawn.reveal().prefix(settings.codeDigits)))
        let target = vault.digest(
            .oneTimePasscode, tenant: step.context.tenant.id, [Data(purpose.rawValue.utf8), contact.key])
        func mark(_ parts: [Data]) -> Data { vault.keyedMAC(.oneTimePasscode, tenant: step.context.tenant.id, parts) }
        let own = codeParts(
            digits, number: situation.row.codesSent + 1, of: step, to: contact, for: purpose)
        return FreshCode(
            digits: digits,
            record: CodeRecord(
                digest: mark(own), target: target, sentAt: step.context.now,
                expiresAt: step.context.now.addingTimeInterval(Double(settings.codeLifetime))),
            shared: situation.hasSlowLane
                ? SharedCode(digits: drawn, digest: mark(sharedParts(drawn, to: contact, for: purpose))) : nil)
    }

    /// Whether `digits` are the code of `record`. Call it inside the step: the flow's row says which code is the
    /// current one.
    func matches(
        _ digits: Secret<String>, _ record: CodeRecord, _ situation: StepSituation, _ step: Step,
        to contact: Contact, for purpose: MailContent.Purpose
    ) -> Bool {
        let parts =
            situation.usesSharedCode
            ? sharedParts(digits, to: contact, for: purpose)
            : codeParts(digits, number: situation.row.codesSent, of: step, to: contact, for: purpose)
        let isRight = vault.verifyMAC(record.digest, of: .oneTimePasscode, tenant: step.context.tenant.id, parts)
        return isRight && !step.isDecoy
    }

    /// The digits of the code as the user typed it, without blanks and hyphens; nil when the text cannot be a code.
    /// Such text is refused and not counted (`SEC-OTP-8`).
    func digits(of code: Secret<String>) -> Secret<String>? {
        let digits = code.reveal().utf8.codeCharacters
        guard [settings.codeDigits, EngineSettings.sharedCodeDigits].contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            return nil
        }
        return Secret(String(decoding: digits, as: UTF8.self))
    }

    /// The parts that a flow's own code is bound to: client, flow, number, purpose and identifier; the tenant is bound
    /// by the vault (`SEC-OTP-7`, `SEC-OTP-9`).
    private func codeParts(
        _ digits: Secret<String>, number: Int, of step: Step, to contact: Contact, for purpose: MailContent.Purpose
    ) -> [Data] {
        [
            Data(step.context.client.id.description.utf8), Data(step.flow.uuidString.utf8), Data("\(number)".utf8),
            Data(purpose.rawValue.utf8), contact.key, Data(digits.reveal().utf8),
        ]
    }

    /// The parts that a shared code is bound to: purpose and identifier; the tenant is bound by the vault. It is stored
    /// where only flows about this identifier look it up.
    private func sharedParts(_ digits: Secret<String>, to contact: Contact, for purpose: MailContent.Purpose)
        -> [Data]
    {
        [Data("shared".utf8), Data(purpose.rawValue.utf8), contact.key, Data(digits.reveal().utf8)]
    }
}
