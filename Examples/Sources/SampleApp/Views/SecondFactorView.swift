// Not built on Linux: unverified on this platform.
#if canImport(SwiftUI)
    import NativeAuth
    import SwiftUI

    struct SecondFactorView: View {
        @Bindable var model: SecondFactorModel
        let startAgain: () -> Void

        var body: some View {
            Group {
                switch model.screen {
                case .choice:
                    ForEach(model.methods, id: \.id) { method in
                        Button("Send a code to \(method.loginHint ?? method.channel)") {
                            Task { await model.requestCode(by: method) }
                        }
                    }
                case .code(let kept):
                    CodeFields(sent: kept.info.code, code: $model.code) {
                        await model.submitCode()
                    } resend: {
                        if let method = kept.info.methods.first { await model.requestCode(by: method) }
                    }
                case .registration:
                    TextField("Another address of yours", text: $model.contact)
                    ForEach(model.methods, id: \.id) { method in
                        Button("Send a code there by \(method.channel)") { Task { await model.register(by: method) } }
                    }
                case .registrationCode(let kept):
                    CodeFields(sent: kept.info.code, code: $model.code) {
                        await model.submitCode()
                    } resend: {
                        model.chooseAgain()
                    }
                case .signedIn(let account):
                    Text("Welcome, \(account.username)")
                case .over:
                    Button("Start again", action: startAgain)
                }
                NoticeView(notice: model.notice)
            }
            .disabled(model.isWorking)
        }
    }
#endif
