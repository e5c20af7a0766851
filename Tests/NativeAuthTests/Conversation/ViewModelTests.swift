import NativeAuth
import NativeAuthTesting
import Observation
import Testing

/// A view model of an app: on the main actor, observed, and itself the prompts.
@MainActor @Observable
private final class SignInModel: FlowPrompts {
    enum Screen {
        case form
        case code(SentCode, CodeRefusal?)
        case welcome(String)
        case failed(String)
    }

    private(set) var screen = Screen.form
    @ObservationIgnored private var answers: AsyncStream<CodeAnswer>.Continuation?
    private let client: NativeAuthClient

    init(client: NativeAuthClient) {
        self.client = client
    }

    func start(_ email: String) async {
        do throws(SignUpError) {
            switch try await client.signUp(username: email, asking: self) {
            case .signedIn(let account): screen = .welcome(account.username)
            case .signInRequired: screen = .form
            }
        } catch {
            screen = .failed(error.description)
        }
    }

    func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer {
        let (stream, continuation) = AsyncStream.makeStream(of: CodeAnswer.self)
        answers = continuation
        screen = .code(sent, problem)
        for await answer in stream { return answer }
        throw CancellationError()
    }

    func submit(_ code: String) { answers?.yield(.code(code)) }
    func leave() { answers?.finish() }
}

@Suite("Conversation: a view model", .timeLimit(.minutes(1))) @MainActor
struct ViewModelTests {
    private func next(_ model: SignInModel) async -> SignInModel.Screen {
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = model.screen
            } onChange: {
                continuation.resume()
            }
        }
        // `onChange` comes before the change, on the same actor.
        await Task.yield()
        return model.screen
    }

    @Test func aViewModelIsThePrompts() async throws {
        let tenant = try TestTenant()
        let model = SignInModel(client: NativeAuthClient(tenant.configuration()))
        let flow = Task { await model.start("dana@example.com") }
        guard case .code(let sent, nil) = await next(model) else {
            Issue.record("\(model.screen)")
            return
        }
        #expect(sent.length == 8)
        // A double tap has one effect.
        model.submit("00000000")
        model.submit("00000000")
        guard case .code(_, .incorrectCode(attempts: 1, _)) = await next(model) else {
            Issue.record("\(model.screen)")
            return
        }
        model.submit(try await tenant.mailbox.code(for: "dana@example.com"))
        await flow.value
        guard case .welcome("dana@example.com") = model.screen else {
            Issue.record("\(model.screen)")
            return
        }
    }

    @Test func aUserLeavesTheScreen() async throws {
        let tenant = try TestTenant()
        let model = SignInModel(client: NativeAuthClient(tenant.configuration()))
        let flow = Task { await model.start("dana@example.com") }
        _ = await next(model)
        model.leave()
        await flow.value
        guard case .failed = model.screen else {
            Issue.record("\(model.screen)")
            return
        }
    }
}
