// Not built on Linux: unverified on this platform.
#if canImport(SwiftUI)
    import NativeAuth
    import SwiftUI

    struct ResetPasswordView: View {
        @Bindable var model: ResetPasswordModel
        @Environment(AppModel.self) private var app

        var body: some View {
            Form {
                switch model.screen {
                case .form:
                    TextField("E-mail or user name", text: $model.username)
                    Button("Send me a code") { Task { await model.start() } }
                case .code(let kept):
                    CodeFields(sent: kept.info, code: $model.code) {
                        await model.submitCode()
                    } resend: {
                        await model.resendCode()
                    }
                case .newPassword:
                    SecureField("New password", text: $model.newPassword)
                    Button("Change it") { Task { await model.submitNewPassword() } }
                case .changed:
                    Button("Sign in") { Task { await model.signIn() } }
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
