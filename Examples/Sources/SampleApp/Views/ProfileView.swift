// Not built on Linux: unverified on this platform.
#if canImport(SwiftUI)
    import NativeAuth
    import SwiftUI

    struct ProfileView: View {
        let model: ProfileModel
        @Environment(AppModel.self) private var app

        var body: some View {
            Form {
                Text(model.account.username)
                switch model.session {
                case .alive:
                    Button("Get a token") { Task { await model.loadToken() } }
                    if let token = model.token { Text("Good until \(token.expiresOn, style: .time)") }
                    NavigationLink("My account") { AccountView(model: AccountModel(model.account)) }
                    Button("Sign out here") { model.signOut() }
                    Button("Sign out everywhere") { Task { await model.signOutEverywhere() } }
                case .ended, .signedOut:
                    Button("Sign in again") { app.signIn(model.account.username) }
                }
                NoticeView(notice: model.notice, username: model.account.username)
            }
            .task { await model.listen() }
        }
    }
#endif
