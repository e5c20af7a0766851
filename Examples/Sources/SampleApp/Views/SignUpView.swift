// Not built on Linux: unverified on this platform.
#if canImport(SwiftUI)
    import NativeAuth
    import SwiftUI

    struct SignUpView: View {
        @Bindable var model: SignUpModel
        @Environment(AppModel.self) private var app

        var body: some View {
            Form {
                switch model.screen {
                case .form:
                    TextField("E-mail", text: $model.email)
                    if !model.email.isEmpty, let hint = EmailHint(model.email) { Text(hint.text) }
                    Button("Sign up") { Task { await model.start() } }
                case .code(let kept):
                    CodeFields(sent: kept.info, code: $model.code) {
                        await model.submitCode()
                    } resend: {
                        await model.resendCode()
                    }
                case .password:
                    SecureField("Password", text: $model.password)
                    Button("Go on") { Task { await model.submitPassword() } }
                case .attributes(let kept):
                    ForEach(kept.info, id: \.name) { attribute in
                        TextField(AttributeName.label(attribute.name), text: $model.values[typed: attribute.name])
                        if let hint = attribute.hint(typed: model.values[attribute.name]) { Text(hint) }
                    }
                    Button("Go on") { Task { await model.submitAttributes() } }
                case .created:
                    Button("Sign in") { Task { await model.signIn() } }
                case .secondFactor(let second):
                    SecondFactorView(model: second) { model.startAgain() }
                case .signedIn(let account):
                    Text("Welcome, \(account.username)")
                }
                NoticeView(notice: model.notice, username: model.email)
                Button("Cancel", role: .cancel) { app.cancel() }
            }
            .disabled(model.isWorking)
        }
    }
#endif
