// Not built on Linux: unverified on this platform.
#if canImport(SwiftUI)
    import Foundation
    import NativeAuth
    import SwiftUI

    /// The account screen, with its sheet of questions and the second look before a deletion.
    struct AccountView: View {
        @Bindable var model: AccountModel
        @State private var copy: Data?

        var body: some View {
            Form {
                if let date = model.deletionDueAt {
                    Section {
                        Text("This account will be deleted on \(date, style: .date).")
                        Button("Keep my account") { Task { await model.keep() } }
                    }
                }
                Section("Profile") {
                    TextField("Name", text: $model.displayName)
                    TextField("City", text: $model.city)
                    Button("Save") { Task { await model.save() } }
                }
                Section("E-mail") {
                    Text(model.profile?.email ?? "")
                    TextField("New address", text: $model.email)
                    Button("Change") { Task { await model.changeEmail() } }
                }
                Section("Password") {
                    if model.hasPassword { SecureField("Current password", text: $model.currentPassword) }
                    SecureField("New password", text: $model.newPassword)
                    Button("Change") { Task { await model.changePassword() } }
                }
                Section("Ways to sign in") {
                    ForEach(model.methods) { method in
                        LabeledContent(
                            method.name ?? method.maskedAddress
                                ?? (method.kind == .authenticatorApp ? "Authenticator app" : "Password")
                        ) {
                            if method.kind != .password { Button("Remove") { Task { await model.remove(method) } } }
                        }
                    }
                    if model.hasPassword { Button("Add the address above") { Task { await model.addMethod() } } }
                }
                Section("Devices") {
                    ForEach(model.sessions) { session in
                        LabeledContent(session.deviceModel ?? session.applicationName ?? "Unknown") {
                            if session.isCurrent {
                                Text("This one")
                            } else {
                                Button("Sign out") { Task { await model.end(session) } }
                            }
                        }
                    }
                    Button("Sign out all others") { Task { await model.endOtherSessions() } }
                }
                Section {
                    Button("A copy of my data") { Task { copy = await model.copyOfMyData() } }
                    if let text = copy.flatMap({ String(data: $0, encoding: .utf8) }) { ShareLink(item: text) }
                    Button("Delete my account", role: .destructive) { model.askToDelete() }
                }
                NoticeView(notice: model.notice)
            }
            .disabled(model.isWorking && model.questions.question == nil)
            .task { await model.load() }
            .confirmationDialog(
                "Delete your account and everything in it?",
                isPresented: Binding(get: { model.isDeletionInQuestion }, set: { if !$0 { model.doNotDelete() } }),
                titleVisibility: .visible
            ) {
                Button("Delete", role: .destructive) { Task { await model.delete() } }
            }
            .sheet(
                isPresented: Binding(
                    get: { model.questions.question != nil }, set: { if !$0 { model.questions.leave() } })
            ) {
                QuestionView(questions: model.questions)
            }
        }
    }

    private struct QuestionView: View {
        @Bindable var questions: Questions

        var body: some View {
            Form {
                switch questions.question {
                case .code(let sent):
                    CodeFields(sent: sent, code: $questions.text) {
                        questions.answer(.text(questions.text))
                    } resend: {
                        questions.answer(.anotherCode)
                    }
                case .password:
                    SecureField("Password", text: $questions.text)
                    Button("Go on") { questions.answer(.text(questions.text)) }
                case .method(let methods):
                    ForEach(methods, id: \.id) { method in
                        Button("Send a code to \(method.loginHint ?? method.channel)") {
                            questions.answer(.method(method))
                        }
                    }
                case nil: EmptyView()
                }
                if let notice = questions.notice { Text(notice.text) }
                Button("Cancel", role: .cancel) { questions.leave() }
            }
        }
    }
#endif
