import Foundation
import NativeAuth
import Observation

/// The account screen: what the user can see and change of the own account.
@Observable @MainActor
final class AccountModel {
    private(set) var profile: AccountProfile?
    private(set) var sessions: [AccountSession] = []
    private(set) var methods: [AccountMethod] = []
    /// Whether the user has a password: without one there is no second factor to add.
    var hasPassword: Bool { methods.contains { $0.kind == .password } }
    /// When the account will be deleted, if the user asked for it a short time ago.
    private(set) var deletionDueAt: Date?
    /// Whether the app asks a second time before it deletes the account.
    private(set) var isDeletionInQuestion = false
    /// Whether the account is deleted, or will be: the user is signed out.
    private(set) var isDeleted = false
    private(set) var notice: Notice?
    private(set) var isWorking = false

    // What the user types.
    var displayName = ""
    var city = ""
    var email = ""
    var currentPassword = ""
    var newPassword = ""

    /// Asks for codes and the password while a change waits for them.
    let questions = Questions()

    private let account: Account
    private static let members = ["displayName", "city", "mail", "nativeAuthDeletionDueDateTime"]

    init(_ account: Account) {
        self.account = account
    }

    func load() async {
        await attempt { [self] () throws(AccountError) in try await read() }
    }

    func save() async {
        await attempt { [self] () throws(AccountError) in
            guard let profile else { return }
            try await account.update(
                ["displayName": .string(displayName), "city": city.isEmpty ? nil : .string(city)], of: profile)
            try await read()
            notice = .saved
        }
    }

    /// An empty current password is for a user who signs in with codes, and has none yet.
    func changePassword() async {
        await attempt { [self] () throws(AccountError) in
            try await account.changePassword(
                from: currentPassword.isEmpty ? nil : currentPassword, to: newPassword)
            (currentPassword, newPassword) = ("", "")
            try await read()
            notice = .passwordIsChanged
        }
    }

    func changeEmail() async {
        await attempt { [self] () throws(AccountError) in
            try await account.changeEmail(to: email, asking: questions)
            email = ""
            try await read()
            notice = .emailIsChanged
        }
    }

    func addMethod() async {
        await attempt { [self] () throws(AccountError) in
            try await account.addMethod(email: email, asking: questions)
            email = ""
            try await read()
            notice = .saved
        }
    }

    func remove(_ method: AccountMethod) async {
        await attempt { [self] () throws(AccountError) in
            try await account.remove(method)
            try await read()
        }
    }

    func end(_ session: AccountSession) async {
        await attempt { [self] () throws(AccountError) in
            try await account.end(session)
            try await read()
        }
    }

    func endOtherSessions() async {
        await attempt { [self] () throws(AccountError) in
            try await account.endOtherSessions()
            try await read()
        }
    }

    /// A copy of the user's data, for the share sheet.
    func copyOfMyData() async -> Data? {
        var copy: Data?
        await attempt { [self] () throws(AccountError) in copy = try await account.export() }
        return copy
    }

    // MARK: Deletion

    func askToDelete() {
        isDeletionInQuestion = true
    }

    func doNotDelete() {
        isDeletionInQuestion = false
    }

    /// The answer to the second look.
    func delete() async {
        guard isDeletionInQuestion else { return }
        isDeletionInQuestion = false
        await attempt { [self] () throws(AccountError) in
            switch try await account.delete() {
            case .deleted: notice = .accountDeleted
            case .scheduled(let date): notice = .accountWillBeDeleted(on: date)
            }
            isDeleted = true
        }
    }

    func keep() async {
        await attempt { [self] () throws(AccountError) in
            try await account.keep()
            try await read()
            notice = .accountKept
        }
    }

    // MARK: - How

    private func read() async throws(AccountError) {
        let profile = try await account.profile(selecting: Self.members)
        (methods, sessions) = (try await account.methods(), try await account.sessions())
        displayName = profile.displayName ?? ""
        city = profile.members["city"]?.string ?? ""
        deletionDueAt = profile.deletionDueAt
        self.profile = profile
    }

    /// Makes a change; when the server wants a proof first, the user gives it and the change is made.
    private func attempt(_ change: () async throws(AccountError) -> Void) async {
        guard !isWorking else { return }
        (isWorking, notice) = (true, nil)
        defer { isWorking = false }
        do throws(AccountError) {
            try await account.withProof(asking: questions, change)
        } catch {
            notice = Notice(error)
        }
    }
}
