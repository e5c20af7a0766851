// Not built on Linux: unverified on this platform.
#if canImport(SwiftUI)
    import NativeAuth
    import SwiftUI

    /// The app's first view. Make the model once, where the app starts, of its client and of a key from the keychain.
    struct RootView: View {
        let app: AppModel

        var body: some View {
            NavigationStack {
                switch app.screen {
                case .welcome:
                    VStack {
                        Button("Sign up") { app.signUp() }
                        Button("Sign in") { app.signIn() }
                    }
                case .signUp(let model): SignUpView(model: model)
                case .signIn(let model): SignInView(model: model)
                case .resetPassword(let model): ResetPasswordView(model: model)
                case .profile(let model): ProfileView(model: model)
                }
            }
            .environment(app)
            .task { await app.listen() }
        }
    }
#endif
