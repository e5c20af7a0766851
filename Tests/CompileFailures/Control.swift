// Compiles: the right order, every case, each step used once. If this were refused, the other files would prove
// nothing.
import NativeAuth

func signUp(_ client: NativeAuthClient, codes: [String]) async throws -> Account? {
    var step = try await client.signUp(username: "dana@example.com")
    for code in codes {
        switch try await step.submit(code: code) {
        case .retry(let again, let refusal):
            print(refusal)
            step = again
        case .next(.passwordRequired(let step)):
            guard case .next(.completed(let done)) = try await step.submit(password: "Tulip-Harbour-42") else {
                return nil
            }
            return try await signIn(done)
        case .next(.attributesRequired(let step)):
            print(step.info.map(\.name))
            return nil
        case .next(.completed(let done)):
            return try await signIn(done)
        }
    }
    return nil
}

func signIn(_ done: consuming SignUpCompleted) async throws -> Account? {
    switch try await done.signIn() {
    case .retry: nil
    case .next(.mfaRequired): nil
    case .next(.registrationRequired): nil
    case .next(.completed(let account)): account
    }
}

/// A view model keeps a step as a copyable value.
@MainActor
final class Model {
    enum Screen: Equatable {
        case start
        case code(Kept<SignUpCodeRequired>)
    }

    var screen = Screen.start
    var message: String?

    func submit(_ code: String) async {
        guard case .code(let kept) = screen, let step = kept.take() else { return }
        do throws(SignUpError) {
            switch try await step.submit(code: code) {
            case .retry(let step, let refusal):
                screen = .code(step.kept())
                message = refusal.description
            case .next:
                screen = .start
            }
        } catch {
            screen = .start
        }
    }
}
