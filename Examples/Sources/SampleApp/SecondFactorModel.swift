import NativeAuth
import Observation

/// Asks for a second factor, or lets the user register one: the last part of a sign-in, however it began.
@Observable @MainActor
final class SecondFactorModel {
    enum Screen {
        case choice(Kept<MFARequired>)
        case code(Kept<MFACodeRequired>)
        case registration(Kept<RegistrationRequired>)
        case registrationCode(Kept<RegistrationCodeRequired>)
        case signedIn(Account)
        /// The user has to begin again.
        case over
    }

    private(set) var screen: Screen { didSet { screen.remember(in: unfinished) } }
    private(set) var notice: Notice?
    private(set) var isWorking = false

    // What the user types. It stays there until the server has taken it.
    var contact = ""
    var code = ""

    private let unfinished: UnfinishedFlow

    init(_ screen: Screen, _ unfinished: UnfinishedFlow) {
        self.screen = screen
        self.unfinished = unfinished
        screen.remember(in: unfinished)
    }

    /// What the user can choose from.
    var methods: [AuthMethod] {
        switch screen {
        case .choice(let kept): kept.info
        case .code(let kept): kept.info.methods
        case .registration(let kept): kept.info
        case .registrationCode(let kept): kept.info.methods
        case .signedIn, .over: []
        }
    }

    /// Sends the first code of a sign-in, or another one.
    func requestCode(by method: AuthMethod) async {
        await attempt { [screen] () throws(SignInError) in
            if case .choice(let kept) = screen, let step = kept.take() {
                switch try await step.requestCode(by: method) {
                case .next(let step): go(to: .code(step.kept()))
                case .retry(let step, let refusal): go(to: .choice(step.kept()), Notice(refusal))
                }
            } else if case .code(let kept) = screen, let step = kept.take() {
                switch try await step.requestCode(by: method) {
                case .next(let step): go(to: .code(step.kept()), .newCode)
                case .retry(let step, let refusal): go(to: .code(step.kept()), Notice(refusal))
                }
            }
        }
    }

    /// Sends a code to ``contact``, which is to be registered.
    func register(by method: AuthMethod) async {
        guard case .registration(let kept) = screen else { return }
        await attempt { () throws(SignInError) in
            guard let step = kept.take() else { return }
            switch try await step.requestCode(to: contact, by: method) {
            case .next(.codeRequired(let step)): go(to: .registrationCode(step.kept()))
            case .next(.completed(let account)): go(to: .signedIn(account))
            case .retry(let step, let refusal): go(to: .registration(step.kept()), Notice(refusal))
            }
        }
    }

    func submitCode() async {
        await attempt { [screen] () throws(SignInError) in
            if case .code(let kept) = screen, let step = kept.take() {
                switch try await step.submit(code: code) {
                case .next(let account): go(to: .signedIn(account))
                case .retry(let step, let refusal): go(to: .code(step.kept()), Notice(refusal))
                }
            } else if case .registrationCode(let kept) = screen, let step = kept.take() {
                switch try await step.submit(code: code) {
                case .next(let account): go(to: .signedIn(account))
                case .retry(let step, let refusal): go(to: .registrationCode(step.kept()), Notice(refusal))
                }
            }
        }
    }

    /// Back to the choice of what to register, as after a mistyped address.
    func chooseAgain() {
        guard case .registrationCode(let kept) = screen, let step = kept.take() else { return }
        go(to: .registration(step.chooseAgain().kept()))
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
            go(to: .over, Notice(error))
        }
    }
}
