import NativeAuth
import Observation

/// Signs a user up, and then in.
@Observable @MainActor
final class SignUpModel {
    enum Screen {
        case form
        case code(Kept<SignUpCodeRequired>)
        case password(Kept<SignUpPasswordRequired>)
        case attributes(Kept<SignUpAttributesRequired>)
        /// The account exists; the user is being signed in, or that failed and can be tried again.
        case created(Kept<SignUpCompleted>)
        case secondFactor(SecondFactorModel)
        case signedIn(Account)
    }

    private(set) var screen: Screen { didSet { screen.remember(in: unfinished) } }
    private(set) var notice: Notice?
    private(set) var isWorking = false

    // What the user types. It stays there until the server has taken it.
    var email: String
    var password = ""
    var code = ""
    /// By the programmable names of the attributes.
    var values: [String: String] = [:]

    private let client: NativeAuthClient
    private let unfinished: UnfinishedFlow

    init(client: NativeAuthClient, unfinished: UnfinishedFlow, screen: Screen = .form, email: String = "") {
        self.client = client
        self.unfinished = unfinished
        self.screen = screen
        self.email = email
    }

    func start() async {
        guard case .form = screen else { return }
        await attempt { () throws(SignUpError) in
            let step = try await client.signUp(username: email, password: password.isEmpty ? nil : password)
            go(to: .code(step.kept()))
        }
    }

    func submitCode() async {
        guard case .code(let kept) = screen else { return }
        await attempt { () throws(SignUpError) in
            // Only one caller gets the step, so a double tap sends one request.
            guard let step = kept.take() else { return }
            switch try await step.submit(code: code) {
            case .next(let next): go(to: next)
            case .retry(let step, let refusal): go(to: .code(step.kept()), Notice(refusal))
            }
        }
        await signIn()
    }

    func resendCode() async {
        guard case .code(let kept) = screen else { return }
        await attempt { () throws(SignUpError) in
            guard let step = kept.take() else { return }
            switch try await step.resend() {
            case .next(let step): go(to: .code(step.kept()), .newCode)
            case .retry(let step, let refusal): go(to: .code(step.kept()), Notice(refusal))
            }
        }
    }

    func submitPassword() async {
        guard case .password(let kept) = screen else { return }
        await attempt { () throws(SignUpError) in
            guard let step = kept.take() else { return }
            switch try await step.submit(password: password) {
            case .next(let next): go(to: next)
            case .retry(let step, let refusal): go(to: .password(step.kept()), Notice(refusal))
            }
        }
        await signIn()
    }

    func submitAttributes() async {
        guard case .attributes(let kept) = screen else { return }
        await attempt { () throws(SignUpError) in
            guard let step = kept.take() else { return }
            switch try await step.submit(kept.info.values(typed: values)) {
            case .next(let next): go(to: next)
            case .retry(let step, let refusal): go(to: .attributes(step.kept()), Notice(refusal))
            }
        }
        await signIn()
    }

    /// Signs the new user in. Comes without a request when the account exists; the user may ask for it again.
    func signIn() async {
        guard case .created(let kept) = screen else { return }
        await attempt { () throws(SignUpError) in
            guard let done = kept.take() else { return }
            do throws(SignInError) {
                switch try await done.signIn() {
                case .next(.mfaRequired(let step)): go(to: .secondFactor(.init(.choice(step.kept()), unfinished)))
                case .next(.registrationRequired(let step)):
                    go(to: .secondFactor(.init(.registration(step.kept()), unfinished)))
                case .next(.completed(let account)): go(to: .signedIn(account))
                case .retry(let done, let error): go(to: .created(done.kept()), Notice(error))
                }
            } catch {
                go(to: .form, .accountCreated)
            }
        }
    }

    func startAgain() {
        guard !isWorking else { return }
        go(to: .form)
    }

    private func go(to next: consuming SignUpStep) {
        (code, password) = ("", "")
        switch consume next {
        case .passwordRequired(let step): go(to: .password(step.kept()))
        case .attributesRequired(let step): go(to: .attributes(step.kept()))
        case .completed(let done): go(to: .created(done.kept()))
        }
    }

    private func go(to screen: Screen, _ notice: Notice? = nil) {
        self.screen = screen
        self.notice = notice
    }

    private func attempt(_ action: () async throws(SignUpError) -> Void) async {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        do throws(SignUpError) {
            try await action()
        } catch {
            go(to: .form, Notice(error))
        }
    }
}
