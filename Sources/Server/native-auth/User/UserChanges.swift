import ArgumentParser
import IdentityEngine
import IdentityHTTP
import NativeAuthCore
import PortableFoundation

// The commands that change a user. Each leaves a line of the audit trail with the detail `operator`.
extension UserCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a user of an application.",
            discussion: """
                Nothing is mailed, and no password is asked for: in an application with passwords the user sets the password once, \
                by a reset, before the first sign-in; in another one the user signs in with codes. The attributes follow the application's rules, and none that it \
                requires may be missing.
                """)

        @OptionGroup var place: OneTenant
        @Argument(help: "The e-mail address.") var email: String
        @Option(help: "The client id of the application; needed where the tenant has several.") var application: String?
        @Option(help: "The alias, a second name to sign in with.") var alias: String?
        @Option(name: .customLong("set"), help: "An attribute, NAME=VALUE; can be repeated.") var values: [String] = []

        func validate() throws {
            _ = try changes()
        }

        private func changes() throws -> [ProfileChange] {
            try Attributes.unrepeated(
                [alias].compactMap(\.self).map { ProfileChange(AttributeDefinition.aliasName, .value(.string($0))) }
                    + Attributes.set(values))
        }

        func run() async throws {
            let changes = try changes()
            try await place.open { opened, tenant in
                let client = try opened.application(application, of: tenant)
                let id = try await opened.engine().createUser(
                    email: email, changes, for: client, in: tenant, now: opened.now
                ).accepted()
                guard let account = try await opened.store.account(id, in: tenant.id) else { return }
                try await FoundUser(opened: opened, tenant: tenant, account: account, json: place.json).say()
            }
        }
    }

    /// The alias and the attributes of a command that changes a user.
    struct Attributes: ParsableArguments {
        @Option(help: "The alias; an empty text removes it.") var alias: String?
        @Option(name: .customLong("set"), help: "An attribute, NAME=VALUE; can be repeated.") var values: [String] = []
        @Option(name: .customLong("remove"), help: "An attribute that the user has no longer; can be repeated.")
        var removed: [String] = []

        func validate() throws {
            _ = try changes()
        }

        func changes() throws -> [ProfileChange] {
            let alias = alias.map {
                ProfileChange(AttributeDefinition.aliasName, $0.isEmpty ? .remove : .value(.string($0)))
            }
            return try Self.unrepeated(
                [alias].compactMap(\.self) + Self.set(values) + removed.map { ProfileChange($0, .remove) })
        }

        /// The changes of `--set`.
        static func set(_ values: [String]) throws -> [ProfileChange] {
            try values.map { text in
                guard let end = text.firstIndex(of: "="), end > text.startIndex else {
                    throw ValidationError("--set needs NAME=VALUE.")
                }
                return ProfileChange(
                    String(text[..<end]), .value(.string(String(text[text.index(after: end)...]))))
            }
        }

        static func unrepeated(_ changes: [ProfileChange]) throws -> [ProfileChange] {
            guard Set(changes.map(\.name)).count == changes.count else {
                throw ValidationError("Each attribute can be named once.")
            }
            return changes
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change the e-mail address, the alias or attributes of a user, all or none.",
            discussion: """
                A new e-mail address ends all sessions, and the old address gets a notice. Prints the properties that have another \
                value now, then the user.
                """)

        @OptionGroup var place: Place
        @Option(help: "The new e-mail address.") var email: String?
        @OptionGroup var attributes: Attributes

        func validate() throws {
            guard try email != nil || !attributes.changes().isEmpty else {
                throw ValidationError("Give --email, --alias, --set or --remove.")
            }
        }

        func run() async throws {
            let changes = try attributes.changes()
            try await place.open { found in
                let answer = try await found.opened.engine().edit(
                    found.id, UserEdit(email: email, attributes: changes),
                    by: found.opened.operatorFlows(of: found.tenant), in: found.tenant, as: .command,
                    now: found.opened.now
                ).accepted()
                let changed = try found.changed(by: answer)
                if !found.json {
                    say("changed        \(changed.isEmpty ? "nothing" : changed.joined(separator: ", "))")
                }
                try await found.say(changed: changed)
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuse sign-ins to this user, and end the sessions and open flows.")

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { found in
                _ = try await found.opened.store.setDisabled(
                    found.account.disabledAt ?? found.opened.now, found.id, in: found.tenant.id,
                    event: found.event(.accountDisabled))
                try await found.say()
            }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Allow sign-ins to this user again.")

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { found in
                _ = try await found.opened.store.setDisabled(
                    nil, found.id, in: found.tenant.id, event: found.event(.accountEnabled))
                try await found.say()
            }
        }
    }

    struct ResetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset-password",
            abstract: "Make the user's password unusable, so that the user must reset it.",
            discussion: """
                Ends all sessions, and mails the user that the next sign-in needs a reset in the app. Until then the account has a \
                random password that is kept nowhere. The operator neither sees nor \
                chooses a password. Refused for a user who signs in with codes.
                """)

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { found in
                try await found.perform(.requireReset)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a user, with everything that is stored about the user, at once.",
            discussion: """
                Cannot be taken back. The user gets a notice by mail. Backups still contain the user: native-auth user deletions \
                prints the list with which a restore deletes the user again.
                """)

        @OptionGroup var place: Place
        @Flag(help: "Do not ask. Needed where no terminal can answer.") var yes = false

        func run() async throws {
            try await place.open { found in
                let user = found.account.user
                if !yes {
                    guard Terminal.isInteractive else {
                        throw StartFailure.usage(["Add --yes: there is no terminal to ask whether to delete the user."])
                    }
                    let question = "Delete \(user.email), \(user.id)? Write yes: "
                    guard await Terminal.line(prompt: Terminal.harmless(question)) == "yes" else {
                        throw StartFailure.usage(["The user was not deleted."])
                    }
                }
                let isDeleted = try await found.opened.engine().deleteUser(
                    user, in: found.tenant, now: found.opened.now)
                guard isDeleted else { throw StartFailure.usage(["There is no such user any more."]) }
                say(
                    found.json
                        ? try UserDocument.deleted(found.account, at: found.opened.now)
                        : Terminal.harmless("deleted        \(user.email), \(user.id)"))
            }
        }
    }
}
