import NativeAuth
import NativeAuthCore

/// The sample app: what it knows while it runs. Its flows stand in files of their own.
struct TryConversation {
    let place: TryPlace
    let dialog: any TryDialog
    var codes: CodeSource
    /// Who is signed in and meant, if anybody is.
    var account: Account?
    /// The mails that were there before the last code was asked for.
    private var knownMails: Set<InboxReader.Mail> = []

    init(place: TryPlace, dialog: any TryDialog, codes: CodeSource) {
        self.place = place
        self.dialog = dialog
        self.codes = codes
    }

    // MARK: Codes

    /// As ``result(_:_:)``, for a request that may send a code.
    mutating func sending<Value>(
        _ subject: TrySubject, _ action: () async throws(NativeAuthError) -> Value
    ) async throws(TryEnd) -> Result<Value, NativeAuthError> {
        if case .inbox = codes, let inbox = place.inbox { knownMails = try await inbox.mails() }
        return try await result(subject, action)
    }

    /// Asks for the code until the server takes it, or refuses for another reason than a wrong code.
    mutating func enter<Next>(
        _ first: CodeStep<Next>, _ subject: TrySubject
    ) async throws(TryEnd) -> Result<Next, NativeAuthError> {
        var step = first
        var wrongCodes = 0
        var isUnread = true
        announce(step, isResend: false)
        while true {
            let answer = isUnread ? try await code(for: step, subject) : try await dialog.code(length: step.length)
            isUnread = false
            switch answer {
            case .resend:
                switch try await sending(subject, step.resend) {
                case .success(.sent(let next)):
                    step = next
                    wrongCodes = 0
                    isUnread = true
                    announce(step, isResend: true)
                case .success(.done(let next)): return .success(next)
                case .failure(let error) where error.details.canRetry && !TryWords.isOver(error.details):
                    try dialog.refused(words(error, subject))
                case .failure(let error): return .failure(error)
                }
            case .code(let code):
                let submitted = try await result(subject) { () async throws(NativeAuthError) in
                    try await step.submit(code.reveal())
                }
                guard case .failure(.incorrectCode(let details)) = submitted, details.canRetry else { return submitted }
                wrongCodes += 1
                let advice = wrongCodes < 3 ? "" : " " + TryWords.manyWrongCodes
                try dialog.refused(words(.incorrectCode(details), subject) + advice)
            }
        }
    }

    private func announce<Next>(_ step: CodeStep<Next>, isResend: Bool) {
        dialog.codeSent(
            to: step.sentTo, channel: step.channel, length: step.length, interval: step.resendInterval,
            isResend: isResend, place)
    }

    private mutating func code<Next>(for step: CodeStep<Next>, _ subject: TrySubject) async throws(TryEnd) -> CodeAnswer
    {
        switch codes {
        case .dialog: return try await dialog.code(length: step.length)
        case .given(let code):
            codes = .dialog
            return .code(code)
        case .inbox:
            guard let inbox = place.inbox else {
                throw .hopeless("\(place.baseURL) has no development inbox, so --code-from-inbox cannot work there.")
            }
            let mail = try await inbox.mail(to: step.sentTo, of: subject.name, after: knownMails)
            dialog.codeTaken()
            return .code(mail.code)
        }
    }

    // MARK: Errors

    /// Does `action`, again and again while the server cannot be reached and the person wants to.
    func result<Value>(
        _ subject: TrySubject, _ action: () async throws(NativeAuthError) -> Value
    ) async throws(TryEnd) -> Result<Value, NativeAuthError> {
        while true {
            do throws(NativeAuthError) {
                return .success(try await action())
            } catch {
                switch error {
                case .cancelled: throw .endOfInput
                case .network, .indeterminate, .throttled: try dialog.refused(words(error, subject))
                case _: return .failure(error)
                }
                try await dialog.pause("Press Enter to try again")
            }
        }
    }

    func words(_ error: NativeAuthError, _ subject: TrySubject) -> String {
        TryWords.sentence(for: error, subject, place)
    }

    /// The end of a flow that `error` ends.
    func end(_ error: NativeAuthError, _ subject: TrySubject) -> TryEnd {
        let sentence = words(error, subject)
        return TryWords.isWrongPlace(error.details) ? .hopeless(sentence) : .failed(sentence)
    }
}

/// A code that was sent, and what can be done about it, whatever the flow.
struct CodeStep<Next: Sendable> {
    /// What came of the wish for another code.
    enum Resent {
        case sent(CodeStep)
        /// The server wants no code any more.
        case done(Next)
    }

    let sentTo: String
    let channel: String
    let length: Int
    let resendInterval: Int?
    let submit: (String) async throws(NativeAuthError) -> Next
    let resend: () async throws(NativeAuthError) -> Resent
}

extension CodeStep where Next == SignUpStep {
    init(_ step: SignUpCodeRequired) {
        self.init(
            sentTo: step.sentTo, channel: step.channel, length: step.codeLength, resendInterval: step.resendInterval,
            submit: { (code) async throws(NativeAuthError) in try await step.submit(code: code) },
            resend: { () async throws(NativeAuthError) in .sent(CodeStep(try await step.resend())) })
    }
}

extension CodeStep where Next == SignInStep {
    init(_ step: SignInCodeRequired) {
        self.init(
            sentTo: step.sentTo, channel: step.channel, length: step.codeLength, resendInterval: step.resendInterval,
            submit: { (code) async throws(NativeAuthError) in try await step.submit(code: code) },
            resend: { () async throws(NativeAuthError) in .sent(CodeStep(try await step.resend())) })
    }
}

extension CodeStep where Next == NewPasswordRequired {
    init(_ step: ResetPasswordCodeRequired) {
        self.init(
            sentTo: step.sentTo, channel: step.channel, length: step.codeLength, resendInterval: step.resendInterval,
            submit: { (code) async throws(NativeAuthError) in try await step.submit(code: code) },
            resend: { () async throws(NativeAuthError) in .sent(CodeStep(try await step.resend())) })
    }
}

extension CodeStep where Next == Account {
    init(_ step: MFACodeRequired, _ method: AuthMethod) {
        self.init(
            sentTo: step.sentTo, channel: step.channel, length: step.codeLength, resendInterval: step.resendInterval,
            submit: { (code) async throws(NativeAuthError) in try await step.submit(code: code) },
            resend: { () async throws(NativeAuthError) in
                .sent(CodeStep(try await step.requestChallenge(method), method))
            })
    }

    init(_ step: RegistrationCodeRequired, _ method: AuthMethod, contact: String) {
        self.init(
            sentTo: step.sentTo, channel: step.channel, length: step.codeLength, resendInterval: nil,
            submit: { (code) async throws(NativeAuthError) in try await step.submit(code: code) },
            resend: { () async throws(NativeAuthError) in
                Resent(try await step.requestChallenge(method, contact: contact), method, contact: contact)
            })
    }
}

extension CodeStep.Resent where Next == Account {
    init(_ step: RegistrationStep, _ method: AuthMethod, contact: String) {
        self =
            switch step {
            case .codeRequired(let step): .sent(CodeStep(step, method, contact: contact))
            case .completed(let account): .done(account)
            }
    }
}
