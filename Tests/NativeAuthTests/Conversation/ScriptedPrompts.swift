import NativeAuth
import NativeAuthTesting
import Synchronization

/// Gives prepared answers, in order, and records every question with the problem it came with.
final class ScriptedPrompts: FlowPrompts {
    /// An answer to the question for a code.
    enum Code: Sendable {
        /// The newest unread code to this address.
        case mailed(to: String)
        /// The code in the newest mail of all.
        case newest
        case typed(String)
        case another
        case anotherMethod
    }

    /// A question for which the script has no answer.
    struct Unscripted: Error {
        let question: String
    }

    struct Answers: Sendable {
        var codes: [Code] = []
        var passwords: [String] = []
        var newPasswords: [String] = []
        var attributes: [[String: AttributeValue]] = []
        /// The indexes of methods.
        var methods: [Int] = []
        /// Runs when a method is asked for the first time.
        var beforeFirstMethod: @Sendable () -> Void = {}
        var contacts: [ContactAnswer] = []
    }

    private let mailbox: TestMailbox
    private let state: Mutex<(answers: Answers, asked: [String])>

    init(_ tenant: TestTenant, _ prepare: (inout Answers) -> Void) {
        mailbox = tenant.mailbox
        var answers = Answers()
        prepare(&answers)
        state = Mutex((answers, []))
    }

    /// The questions, such as `code` and `newPassword: tooWeak`.
    var asked: [String] { state.withLock { $0.asked } }

    private func next<Answer: Sendable>(
        _ list: WritableKeyPath<Answers, [Answer]>, _ question: String, _ problem: String?
    ) throws -> Answer {
        let answer = state.withLock { state -> Answer? in
            state.asked.append(problem.map { "\(question): \($0)" } ?? question)
            return state.answers[keyPath: list].isEmpty ? nil : state.answers[keyPath: list].removeFirst()
        }
        guard let answer else { throw Unscripted(question: question) }
        return answer
    }

    func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
        let name: String? =
            switch problem {
            case nil: nil
            case .incorrectCode(let attempts, _): "incorrectCode \(attempts)"
            case .blocked: "blocked"
            case .service(let error): word(error)
            }
        return switch try next(\.codes, "code", name) {
        case .mailed(let address): .code(try await mailbox.code(for: address))
        case .newest: .code(try await mailbox.mails().lazy.compactMap(\.code).first ?? "")
        case .typed(let code): .code(code)
        case .another: .anotherCode
        case .anotherMethod: .anotherMethod
        }
    }

    func password(problem: PasswordRefusal?) async throws -> String {
        let name: String? =
            switch problem {
            case nil: nil
            case .incorrectPassword(let attempts, _): "incorrectPassword \(attempts)"
            case .service(let error): word(error)
            }
        return try next(\.passwords, "password", name)
    }

    func newPassword(problem: NewPasswordRefusal?) async throws -> String {
        let name: String? =
            switch problem {
            case nil: nil
            case .invalidPassword(let rule, _): "\(rule)"
            case .service(let error): word(error)
            }
        return try next(\.newPasswords, "newPassword", name)
    }

    func attributes(
        _ required: [RequiredAttribute], problem: AttributesRefusal?
    ) async throws -> [String: AttributeValue] {
        let name: String? =
            switch problem {
            case nil: nil
            case .invalidAttributes(let problems, _): problems.map(\.name).joined(separator: ",")
            case .aliasTaken: "aliasTaken"
            case .service(let error): word(error)
            }
        return try next(\.attributes, "attributes \(required.map(\.name).joined(separator: ","))", name)
    }

    func method(among methods: [AuthMethod], problem: MethodRefusal?) async throws -> AuthMethod {
        let prepare = state.withLock { state in
            defer { state.answers.beforeFirstMethod = {} }
            return state.answers.beforeFirstMethod
        }
        prepare()
        return methods[try next(\.methods, "method", word(problem))]
    }

    func contact(for method: AuthMethod, problem: MethodRefusal?) async throws -> ContactAnswer {
        try next(\.contacts, "contact", word(problem))
    }

    private func word(_ problem: MethodRefusal?) -> String? {
        switch problem {
        case nil: nil
        case .blocked: "blocked"
        case .invalidContact: "invalidContact"
        case .service(let error): word(error)
        }
    }

    private func word(_ error: ServiceError) -> String {
        switch error {
        case .throttled: "throttled"
        case .unreachable: "unreachable"
        case .indeterminate: "indeterminate"
        case .cancelled: "cancelled"
        case .invalidConfiguration: "invalidConfiguration"
        case .unexpected: "unexpected"
        }
    }
}
