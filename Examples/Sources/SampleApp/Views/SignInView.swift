// Not built on Linux: unverified on this platform.
#if canImport(SwiftUI)
    import NativeAuth
    import SwiftUI

    struct SignInView: View {
        @Bindable var model: SignInModel
        @Environment(AppModel.self) private var app

        var body: some View {
            Form {
                switch model.screen {
                case .form:
                    TextField("E-mail or user name", text: $model.username)
                    Button("Sign in") { Task { await model.start() } }
                case .code(let kept):
                    CodeFields(sent: kept.info, code: $model.code) {
                        await model.submitCode()
                    } resend: {
                        await model.resendCode()
                    }
                case .password:
                    SecureField("Password", text: $model.password)
                    Button("Sign in") { Task { await model.submitPassword() } }
                    Button("I forgot it") { app.resetPassword(model.username) }
                case .secondFactor(let second):
                    SecondFactorView(model: second) { model.startAgain() }
                case .signedIn(let account):
                    Text("Welcome, \(account.username)")
                }
                NoticeView(notice: model.notice, username: model.username)
                Button("Cancel", role: .cancel) { app.cancel() }
            }
            .disabled(model.isWorking)
        }
    }
#endif
