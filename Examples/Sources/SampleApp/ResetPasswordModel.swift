import NativeAuth
import Observation

/// Gives a user a new password, and signs them in with it.
@Observable @MainActor
final class ResetPasswordModel {
    enum Screen {
        case form
        case code(Kept<ResetPasswordCodeRequired>)
        case newPassword(Kept<NewPasswordRequired>)
        /// The password is changed; the user is being signed in, or that failed and can be tried again.
        case changed(Kept<PasswordResetCompleted>)
        case secondFactor(SecondFactorModel)
        case signedIn(Account)
    }

    private(set) var screen: Screen { didSet { screen.remember(in: unfinished) } }
    private(set) var notice: Notice?
    private(set) var isWorking = false

    // What the user types. It stays there until the server has taken it.
    var username: String
    var code = ""
    var newPassword = ""

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
        await attempt { () throws(ResetPasswordError) in
            let step = try await client.resetPassword(username: username)
            go(to: .code(step.kept()))
        }
    }

    func submitCode() async {
        guard case .code(let kept) = screen else { return }
        await attempt { () throws(ResetPasswordError) in
            // Only one caller gets the step, so a double tap sends one request.
            guard let step = kept.take() else { return }
            switch try await step.submit(code: code) {
            case .next(let step): go(to: .newPassword(step.kept()))
            case .retry(let step, let refusal): go(to: .code(step.kept()), Notice(refusal))
            }
        }
    }

    func resendCode() async {
        guard case .code(let kept) = screen else { return }
        await attempt { () throws(ResetPasswordError) in
            guard let step = kept.take() else { return }
            switch try await step.resend() {
            case .next(let step): go(to: .code(step.kept()), .newCode)
            case .retry(let step, let refusal): go(to: .code(step.kept()), Notice(refusal))
            }
        }
    }

    /// Returns when the password holds, which may take a minute.
    func submitNewPassword() async {
        guard case .newPassword(let kept) = screen else { return }
        await attempt { () throws(ResetPasswordError) in
            guard let step = kept.take() else { return }
            switch try await step.submit(password: newPassword) {
            case .next(let done): go(to: .changed(done.kept()))
            case .retry(let step, let refusal): go(to: .newPassword(step.kept()), Notice(refusal))
            }
        }
        await signIn()
    }

    /// Signs the user in. Comes without a request when the password holds; the user may ask for it again.
    func signIn() async {
        guard case .changed(let kept) = screen else { return }
        await attempt { () throws(ResetPasswordError) in
            guard let done = kept.take() else { return }
            do throws(SignInError) {
                switch try await done.signIn() {
                case .next(.mfaRequired(let step)): go(to: .secondFactor(.init(.choice(step.kept()), unfinished)))
                case .next(.registrationRequired(let step)):
                    go(to: .secondFactor(.init(.registration(step.kept()), unfinished)))
                case .next(.completed(let account)): go(to: .signedIn(account))
                case .retry(let done, let error): go(to: .changed(done.kept()), Notice(error))
                }
            } catch {
                go(to: .form, .passwordChanged)
            }
        }
    }

    func startAgain() {
        guard !isWorking else { return }
        go(to: .form)
    }

    private func go(to screen: Screen, _ notice: Notice? = nil) {
        self.screen = screen
        self.notice = notice
    }

    private func attempt(_ action: () async throws(ResetPasswordError) -> Void) async {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        do throws(ResetPasswordError) {
            try await action()
        } catch {
            go(to: .form, Notice(error))
        }
    }
}
