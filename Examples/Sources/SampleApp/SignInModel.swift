import NativeAuth
import Observation

/// Signs a user in: with a code or a password, whichever they have.
@Observable @MainActor
final class SignInModel {
    enum Screen {
        case form
        case code(Kept<SignInCodeRequired>)
        case password(Kept<SignInPasswordRequired>)
        case secondFactor(SecondFactorModel)
        case signedIn(Account)
    }

    private(set) var screen: Screen { didSet { screen.remember(in: unfinished) } }
    private(set) var notice: Notice?
    private(set) var isWorking = false

    // What the user types. It stays there until the server has taken it.
    var username: String
    var password = ""
    var code = ""

    private let client: NativeAuthClient
    private let unfinished: UnfinishedFlow

    init(client: NativeAuthClient, unfinished: UnfinishedFlow, screen: Screen = .form, username: String = "") {
        self.client = client
        self.unfinished = unfinished
        self.screen = screen
        self.username = username
    }

    func start() async {
        guard case .form = screen else { return }
        await attempt { () throws(SignInError) in
            switch try await client.signIn(username: username, password: password.isEmpty ? nil : password) {
            case .codeRequired(let step):
                let notice: Notice? = step.isPasswordUnused ? .passwordUnused : nil
                go(to: .code(step.kept()), notice)
            case .passwordRequired(let step): go(to: .password(step.kept()))
            case .mfaRequired(let step): go(to: .mfaRequired(step))
            case .registrationRequired(let step): go(to: .registrationRequired(step))
            case .completed(let account): go(to: .completed(account))
            }
        }
    }

    func submitCode() async {
        guard case .code(let kept) = screen else { return }
        await attempt { () throws(SignInError) in
            // Only one caller gets the step, so a double tap sends one request.
            guard let step = kept.take() else { return }
            switch try await step.submit(code: code) {
            case .next(let next): go(to: next)
            case .retry(let step, let refusal): go(to: .code(step.kept()), Notice(refusal))
            }
        }
    }

    func resendCode() async {
        guard case .code(let kept) = screen else { return }
        await attempt { () throws(SignInError) in
            guard let step = kept.take() else { return }
            switch try await step.resend() {
            case .next(let step): go(to: .code(step.kept()), .newCode)
            case .retry(let step, let refusal): go(to: .code(step.kept()), Notice(refusal))
            }
        }
    }

    func submitPassword() async {
        guard case .password(let kept) = screen else { return }
        await attempt { () throws(SignInError) in
            guard let step = kept.take() else { return }
            switch try await step.submit(password: password) {
            case .next(let next): go(to: next)
            case .retry(let step, let refusal): go(to: .password(step.kept()), Notice(refusal))
            }
        }
    }

    func startAgain() {
        guard !isWorking else { return }
        go(to: .form)
    }

    private func go(to next: consuming SignInNext) {
        (code, password) = ("", "")
        switch consume next {
        case .mfaRequired(let step): go(to: .secondFactor(.init(.choice(step.kept()), unfinished)))
        case .registrationRequired(let step): go(to: .secondFactor(.init(.registration(step.kept()), unfinished)))
        case .completed(let account): go(to: .signedIn(account))
        }
    }

    private func go(to screen: Screen, _ notice: Notice? = nil) {
        self.screen = screen
        self.notice = notice
    }

    private func attempt(_ action: () async throws(SignInError) -> Void) async {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        do throws(SignInError) {
            try await action()
        } catch {
            go(to: .form, Notice(error))
        }
    }
}
