import NativeAuth
import Observation

/// Asks the user on a sheet, one question after another: the prompts of a conversation as a view model.
@Observable @MainActor
final class Questions: FlowPrompts {
    enum Question {
        case code(SentCode)
        case password
        case method([AuthMethod])
    }

    enum Answer {
        case text(String)
        case anotherCode
        case method(AuthMethod)
    }

    /// What to ask; nil: nothing, and the sheet is closed.
    private(set) var question: Question?
    private(set) var notice: Notice?
    /// What the user types.
    var text = ""

    private var waiting: CheckedContinuation<Answer, any Error>?

    /// Answers the question.
    func answer(_ answer: Answer) {
        close().map { $0.resume(returning: answer) }
    }

    /// The user leaves; the change is not made.
    func leave() {
        close().map { $0.resume(throwing: CancellationError()) }
    }

    func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
        switch try await ask(.code(sent), problem.flatMap { Notice($0) }) {
        case .text(let code): .code(code)
        case .anotherCode, .method: .anotherCode
        }
    }

    func password(problem: PasswordRefusal?) async throws -> String {
        guard case .text(let password) = try await ask(.password, problem.flatMap { Notice($0) }) else {
            throw CancellationError()
        }
        return password
    }

    func method(among methods: [AuthMethod], problem: MethodRefusal?) async throws -> AuthMethod {
        if methods.count == 1, problem == nil { return methods[0] }
        guard case .method(let method) = try await ask(.method(methods), problem.flatMap { Notice($0) }) else {
            throw CancellationError()
        }
        return method
    }

    private func ask(_ question: Question, _ notice: Notice?) async throws -> Answer {
        leave()
        text = ""
        (self.question, self.notice) = (question, notice)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                waiting = continuation
            }
        } onCancel: {
            Task { @MainActor in leave() }
        }
    }

    private func close() -> CheckedContinuation<Answer, any Error>? {
        defer { (question, notice, waiting) = (nil, nil, nil) }
        return waiting
    }
}
