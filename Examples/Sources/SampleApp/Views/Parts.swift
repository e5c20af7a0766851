// Not built on Linux: unverified on this platform.
#if canImport(SwiftUI)
    import Foundation
    import NativeAuth
    import SwiftUI

    /// The code, with a hint while it is typed, and another code once the countdown is over.
    struct CodeFields: View {
        let sent: SentCode
        @Binding var code: String
        let submit: () async -> Void
        let resend: () async -> Void

        var body: some View {
            Text("We have sent a code to \(sent.sentTo).")
            TextField("Code", text: $code)
            if !code.isEmpty, let hint = sent.hint(for: code) { Text(hint.text) }
            Button("Go on") { Task { await submit() } }
            TimelineView(.periodic(from: .now, by: 1)) { context in
                let seconds = sent.secondsUntilResend(at: context.date)
                Button(seconds > 0 ? "Another code in \(seconds) s" : "Send another code") { Task { await resend() } }
                    .disabled(seconds > 0)
            }
        }
    }

    /// What the model has to say, and the way on that it suggests.
    struct NoticeView: View {
        let notice: Notice?
        var username = ""
        @Environment(AppModel.self) private var app

        var body: some View {
            if let notice { Text(notice.text) }
            switch notice?.suggestion {
            case .signIn: Button("Sign in") { app.signIn(username) }
            case .signUp: Button("Sign up") { app.signUp(username) }
            case .resetPassword: Button("Choose a new password") { app.resetPassword(username) }
            // The code's own button is there already, and the browser is the app's to open.
            case .newCode, .browser, nil: EmptyView()
            }
        }
    }
#endif
