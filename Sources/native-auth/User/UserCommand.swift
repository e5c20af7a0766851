import ArgumentParser
import IdentityEngine
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `native-auth user`: one account at a time.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Show, disable or enable an account, or forget its second factors.",
        discussion: """
            An SQLite file has one user at a time, so stop the server first; PostgreSQL has not. --data, --database, \
            --master-key-file and --config are those of serve, and are read from the environment too.
            """,
        subcommands: [Show.self, Disable.self, Enable.self, ForgetMethods.self])

    struct Place: ParsableArguments {
        @OptionGroup var database: DatabasePlace
        @Argument(help: "The e-mail address or the alias of the user.") var name: String

        /// Does `work` with the one account of that name.
        func open(_ work: (OpenedDatabase, UserAccount) async throws -> Void) async throws {
            try await database.open { opened in
                var found: [UserAccount] = []
                if let key = EmailAddress(name)?.key ?? Alias(name)?.key {
                    for tenant in opened.tenants {
                        if let account = try await opened.store.account(named: key, in: tenant.id) {
                            found.append(account)
                        }
                    }
                }
                guard let account = found.first else {
                    throw StartFailure.usage(["Nobody signs in by this name."])
                }
                guard found.count == 1 else {
                    throw StartFailure.usage(["Several tenants have a user of this name; choose one with --tenant."])
                }
                try await work(opened, account)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print what is known about an account.")

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { opened, account in try await opened.printAccount(account.user) }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let nobody in by this account, and end its sessions and open flows.")

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { opened, account in
                _ = try await opened.store.setDisabled(
                    account.disabledAt ?? opened.now, account.user.id, in: account.user.tenant,
                    event: opened.event(.accountDisabled, account.user))
                try await opened.printAccount(account.user)
            }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let the user in again.")

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { opened, account in
                _ = try await opened.store.setDisabled(
                    nil, account.user.id, in: account.user.tenant, event: opened.event(.accountEnabled, account.user))
                try await opened.printAccount(account.user)
            }
        }
    }

    struct ForgetMethods: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget-methods", abstract: "Forget the methods of the second factor, and end the sessions.",
            discussion: "For a user who has lost a mailbox, or whose password somebody else used to register one.")

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { opened, account in
                _ = try await opened.store.forgetStrongMethods(
                    of: account.user.id, in: account.user.tenant, at: opened.now,
                    event: opened.event(.methodsForgotten, account.user))
                try await opened.printAccount(account.user)
            }
        }
    }
}

extension OpenedDatabase {
    fileprivate func event(_ kind: AuditEvent.Kind, _ user: User) -> AuditEvent {
        AuditEvent(kind, at: now, tenant: user.tenant, user: user.id)
    }

    /// A line for each fact; no secret is among them.
    fileprivate func printAccount(_ user: User) async throws {
        guard let account = try await store.account(user.id, in: user.tenant) else { return }
        let methods = account.strongMethods.map(\.email.address).joined(separator: ", ")
        for (name, value) in [
            ("id", user.id.description), ("e-mail", user.email), ("alias", user.alias ?? "none"),
            ("signs in with", account.passwordHash == nil ? "a code" : "a password"),
            ("second factor", methods.isEmpty ? "none" : methods),
            ("made", user.createdAt.formatted(.iso8601)),
            ("state", account.disabledAt.map { "disabled since \($0.formatted(.iso8601))" } ?? "enabled"),
        ] {
            say(name + String(repeating: " ", count: max(1, 15 - name.count)) + Terminal.harmless(value))
        }
    }
}
