import NativeAuth
import NativeAuthCore
import PortableFoundation
import SoftPasskeys

/// The state of the running sample app. Each flow has its own file.
struct TryConversation {
    let place: TryPlace
    let dialog: any TryDialog
    var codes: CodeSource
    /// The signed-in user that the actions apply to, if there is one.
    var account: Account?
    /// What the user's device would keep.
    let passkeys = SoftAuthenticator()
    /// The user's authenticator app, where the program plays it.
    var app: SoftApp?
    /// How often a second factor was asked for, or its registration.
    var secondFactors = 0
    /// The user's telephone, once it is added.
    var phone: String?
    /// The mails that existed before the last request for a code.
    private var knownMails: Set<InboxReader.Mail> = []

    init(place: TryPlace, dialog: any TryDialog, codes: CodeSource) {
        self.place = place
        self.dialog = dialog
        self.codes = codes
    }

    // MARK: Calls

    /// Begins a flow; repeats while the server cannot be reached and the user wants to try again.
    func begin<Step: ~Copyable, Failure: TryFailure>(
        _ subject: TrySubject, _ start: () async throws(Failure) -> Step
    ) async throws(TryEnd) -> Result<Step, Failure> {
        while true {
            do throws(Failure) {
                return .success(try await start())
            } catch {
                guard try await passes(error, subject) else { return .failure(error) }
            }
        }
    }

    /// Calls `action` with the step; repeats while the server cannot be reached and the user wants to try again.
    func act<Step: FlowStep & ~Copyable, Next: ~Copyable & Sendable, Failure: TryFailure>(
        _ step: consuming Step, _ subject: TrySubject,
        _ action: (consuming Step) async throws(Failure) -> Outcome<Step, Next>
    ) async throws(TryEnd) -> Result<Outcome<Step, Next>, Failure> where Step.Refusal: TryFailure {
        var step = step
        while true {
            let outcome: Outcome<Step, Next>
            do throws(Failure) {
                outcome = try await action(step)
            } catch {
                return .failure(error)
            }
            switch consume outcome {
            case .next(let next): return .success(.next(next))
            case .retry(let again, let refusal):
                guard try await passes(refusal, subject) else { return .success(.retry(again, refusal)) }
                step = again
            }
        }
    }

    /// Asks and submits until the server accepts the answer or ends the flow.
    ///
    /// - Parameters:
    ///   - ask: Returns the answer; receives the refusal of the previous answer, if there was one.
    ///   - action: Submits it.
    func submit<Step: FlowStep & ~Copyable, Answer, Next: ~Copyable & Sendable, Failure: TryFailure>(
        _ first: consuming Step, _ subject: TrySubject, asking ask: (Step.Refusal?) async throws(TryEnd) -> Answer,
        by action: (consuming Step, Answer) async throws(Failure) -> Outcome<Step, Next>
    ) async throws(TryEnd) -> Result<Next, Failure> where Step.Refusal: TryFailure {
        var step = first
        var refusal: Step.Refusal?
        while true {
            let answer = try await ask(refusal)
            let outcome = try await act(step, subject) { (step: consuming Step) async throws(Failure) in
                try await action(step, answer)
            }
            switch consume outcome {
            case .success(.next(let next)): return .success(next)
            case .success(.retry(let again, let reason)):
                try dialog.refused(words(reason, subject))
                refusal = reason
                step = again
            case .failure(let error): return .failure(error)
            }
        }
    }

    /// Whether to try again: for a fault of the server or the network, prints it and waits until the user is ready.
    private func passes(_ failure: some TryFailure, _ subject: TrySubject) async throws(TryEnd) -> Bool {
        switch failure.service {
        case .cancelled: throw .endOfInput
        case .unreachable, .indeterminate, .throttled:
            try dialog.refused(words(failure, subject))
            try await dialog.pause("Press Enter to try again")
            return true
        case .invalidConfiguration, .unexpected, nil: return false
        }
    }

    // MARK: Codes

    /// Records the existing mails before the server sends a code.
    mutating func expectCode() async throws(TryEnd) {
        if case .inbox = codes, let inbox = place.inbox {
            knownMails = try await TryEnd.reading { () async throws(InboxReader.Failure) in try await inbox.mails() }
        }
    }

    /// Asks for the code until the server accepts it or ends the flow.
    mutating func enter<Step: FlowStep & ~Copyable, Next: ~Copyable & Sendable, Failure: TryFailure>(
        _ first: consuming Step, _ subject: TrySubject,
        submit: (consuming Step, String) async throws(Failure) -> Outcome<Step, Next>,
        resend: (consuming Step) async throws(Failure) -> Outcome<Step, Step>
    ) async throws(TryEnd) -> Result<Next, Failure> where Step.Info: CodeInfo, Step.Refusal == CodeRefusal {
        try await enter(first, subject, submit: submit) { (step: consuming Step) async throws(Failure) in
            switch try await resend(step) {
            case .next(let step): .next(.sent(step))
            case .retry(let step, let refusal): .retry(step, refusal)
            }
        }
    }

    /// The same as ``enter(_:_:submit:resend:)``, for steps that a request for another code can end.
    mutating func enter<Step: FlowStep & ~Copyable, Next: ~Copyable & Sendable, Failure: TryFailure>(
        _ first: consuming Step, _ subject: TrySubject,
        submit: (consuming Step, String) async throws(Failure) -> Outcome<Step, Next>,
        sendAgain: (consuming Step) async throws(Failure) -> Outcome<Step, Resent<Step, Next>>
    ) async throws(TryEnd) -> Result<Next, Failure> where Step.Info: CodeInfo, Step.Refusal == CodeRefusal {
        var step = first
        var sent = step.info.code
        var isUnread = true
        dialog.codeSent(sent, isResend: false, place)
        while true {
            let answer = isUnread ? try await code(sent, subject) : try await dialog.code(sent)
            isUnread = false
            switch answer {
            case .resend:
                if let hint = TryWords.hint(beforeResendOf: sent) { dialog.note(hint) }
                try await expectCode()
                switch try await act(step, subject, sendAgain) {
                case .success(.next(.sent(let next))):
                    sent = next.info.code
                    step = next
                    isUnread = true
                    dialog.codeSent(sent, isResend: true, place)
                case .success(.next(.done(let next))): return .success(next)
                case .success(.retry(let again, let refusal)):
                    try dialog.refused(words(refusal, subject))
                    step = again
                case .failure(let error): return .failure(error)
                }
            case .code(let code):
                let outcome = try await act(step, subject) { (step: consuming Step) async throws(Failure) in
                    try await submit(step, code.reveal())
                }
                switch consume outcome {
                case .success(.next(let next)): return .success(next)
                case .success(.retry(let again, let refusal)):
                    try dialog.refused(words(refusal, subject))
                    step = again
                case .failure(let error): return .failure(error)
                }
            }
        }
    }

    private mutating func code(_ sent: SentCode, _ subject: TrySubject) async throws(TryEnd) -> CodeAnswer {
        // No inbox has the code of an app, or a recovery code.
        if sent.isOfApp, let code = app?.code(at: .now) {
            dialog.note("The code was taken from the app, which this program plays.")
            return .code(Secret(code))
        }
        if sent.isOfApp || sent.isKept { return try await dialog.code(sent) }
        switch codes {
        case .dialog: return try await dialog.code(sent)
        case .given(let code):
            codes = .dialog
            return .code(code)
        case .inbox:
            guard let inbox = place.inbox else {
                throw .hopeless("\(place.baseURL) has no development inbox, so --code-from-inbox cannot work there.")
            }
            let known = knownMails
            let mail = try await TryEnd.reading { () async throws(InboxReader.Failure) in
                try await inbox.mail(to: sent.sentTo, of: subject.name, after: known)
            }
            dialog.codeTaken()
            return .code(mail.code)
        }
    }

    // MARK: Errors

    func words(_ failure: some TryFailure, _ subject: TrySubject) -> String {
        failure.words(subject, place)
    }

    /// The end of the conversation for an error that ends a flow.
    func end(_ error: some TryFailure, _ subject: TrySubject) -> TryEnd {
        let sentence = words(error, subject)
        if error.details.browser != nil { return .needsBrowser(sentence, error.details) }
        return TryWords.isWrongPlace(error.details) ? .hopeless(sentence) : .failed(sentence)
    }
}

/// The information of a step that waits for a code.
protocol CodeInfo {
    var code: SentCode { get }
}

extension SentCode: CodeInfo {
    var code: SentCode { self }
}

extension MethodCode: CodeInfo {}

extension AuthenticatorKey: CodeInfo {}

extension SentCode {
    /// Whether an authenticator app shows the code.
    var isOfApp: Bool { channel == "totp" }
    /// Whether it comes as a text message.
    var isText: Bool { channel == "sms" }
    /// Whether it is one of the recovery codes that the user kept.
    var isKept: Bool { channel == "recovery_code" }
}

/// The result of a request for another code.
enum Resent<Step: ~Copyable & Sendable, Next: ~Copyable & Sendable>: ~Copyable, Sendable {
    case sent(Step)
    /// The server no longer requires a code.
    case done(Next)
}
