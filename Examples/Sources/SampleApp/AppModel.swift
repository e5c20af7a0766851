import NativeAuth
import Observation

/// Owns the app's one client, and decides which screen is shown.
@Observable @MainActor
final class AppModel {
    enum Screen {
        case welcome
        case signUp(SignUpModel)
        case signIn(SignInModel)
        case resetPassword(ResetPasswordModel)
        case profile(ProfileModel)
    }

    private(set) var screen = Screen.welcome

    private let client: NativeAuthClient
    private let unfinished: UnfinishedFlow

    /// Goes on where the user was: signed in, in the middle of a flow, or at the beginning.
    init(client: NativeAuthClient, unfinished: UnfinishedFlow) {
        self.client = client
        self.unfinished = unfinished
        if let account = client.currentAccount() {
            screen = .profile(ProfileModel(account, client: client))
        } else if let screen = SignUpModel.Screen(from: unfinished, of: client) {
            self.screen = .signUp(SignUpModel(client: client, unfinished: unfinished, screen: screen))
        } else if let screen = SignInModel.Screen(from: unfinished, of: client) {
            self.screen = .signIn(SignInModel(client: client, unfinished: unfinished, screen: screen))
        } else if let screen = ResetPasswordModel.Screen(from: unfinished, of: client) {
            self.screen = .resetPassword(ResetPasswordModel(client: client, unfinished: unfinished, screen: screen))
        }
    }

    /// Shows the profile of the user who signs in, in any flow, and the first screen after a sign-out, until the
    /// task is cancelled.
    func listen() async {
        for await change in client.sessionChanges {
            switch change {
            case .signedIn(let account): screen = .profile(ProfileModel(account, client: client))
            case .signedOut: screen = .welcome
            // The profile shows these.
            case .renewed, .ended: break
            }
        }
    }

    func signUp(_ email: String = "") {
        screen = .signUp(SignUpModel(client: client, unfinished: unfinished, email: email))
    }

    func signIn(_ username: String = "") {
        screen = .signIn(SignInModel(client: client, unfinished: unfinished, username: username))
    }

    func resetPassword(_ username: String = "") {
        screen = .resetPassword(ResetPasswordModel(client: client, unfinished: unfinished, username: username))
    }

    /// Leaves a flow and ends it.
    func cancel() {
        unfinished.forget()
        screen = .welcome
    }
}
