import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Sending a code and judging a guess: the same for every flow that proves a mailbox.
extension StepSituation {
    /// Sends a code, or says again where the last one went.
    ///
    /// - Parameters:
    ///   - fresh: The code, drawn in any case; without a mail nobody ever learns it.
    ///   - purpose: That of a notice sends the notice in the code's place; all else is the same.
    ///   - next: The state in which the code is awaited.
    ///   - delivering: What the client is told; its argument is the seconds until another code may be asked for.
    func sendCode<State>(
        _ fresh: FreshCode, to email: EmailAddress, for purpose: MailContent.Purpose, next: State,
        delivering: (Int) -> Interaction
    ) -> Decision<State> {
        var row = row
        // SEC-OTP-11: too early, the client hears the same again and no second mail goes out. For another target it is not early.
        if let last = row.code, last.target == fresh.record.target {
            let wait = last.sentAt.addingTimeInterval(Double(settings.resendCooldown)).timeIntervalSince(now)
            if wait > 0 { return Decision(.accepted(delivering(Int(wait.rounded(.up)))), next: next) }
        }
        guard row.codesSent < settings.codesPerFlow else {
            row.isEnded = true
            return Decision(.refused(.tooManyCodes), row: row, effects: [.record(.codesExhausted)])
        }
        let counted: CountedEvent = purpose == .secondFactor ? .secondFactorMailed : .codeMailed
        if let wait = waitForMail(counted) { return .refused(.throttled(retryAfter: wait)) }
        row.code = fresh.record
        row.codesSent += 1
        return Decision(
            .accepted(delivering(settings.resendCooldown)), next: next, row: row,
            effects: [
                purpose == .accountExists
                    ? .mailNotice(purpose, to: email) : .mailCode(fresh, to: email, for: purpose),
                .record(.codeSent), .count(counted, of: .address),
                .count(.codeMailed, of: .source), .count(.codeMailed, of: .site),
            ])
    }

    /// What becomes of a guess.
    enum CodeJudgement<State: Hashable & Sendable> {
        case refused(Decision<State>)
        /// The code is spent with the commit of what follows (`SEC-OTP-10`): the row has advanced.
        case proven(FlowRow, [FlowEffect])
    }

    /// Judges a guess.
    ///
    /// - Parameters:
    ///   - failure: What the audit trail says of a wrong one besides `otp.failed`.
    ///   - matches: Whether the submitted digits yield a digest; called once at most, and only when the right to compare is
    ///     there (`SEC-OTP-3`).
    func judgeCode<State>(
        recording failure: AuditEvent.Kind? = nil, user: UserID? = nil, matches: (CodeRecord) -> Bool
    ) -> CodeJudgement<State> {
        var row = row
        guard var sent = row.code else { return .refused(.refused(.notAllowedNow)) }
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
        return .proven(row, [.record(.codeVerified, user: user), .forget(.wrongCode, of: .address)])
    }
}
