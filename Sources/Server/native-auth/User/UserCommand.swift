import ArgumentParser
import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// `native-auth user`: manages one account.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Show, disable or enable an account; require a second factor, or remove its methods.",
        discussion: """
            Servers may run meanwhile. --data, --database, --master-key-file and --config are those of serve, and are read \
            from the environment too.
            """,
        subcommands: [
            Show.self, Disable.self, Enable.self, SecondFactor.self, TrustPassword.self, Methods.self,
        ])

    struct Place: ParsableArguments {
        @OptionGroup var database: DatabaseLocation
        @Argument(help: "The e-mail address or the alias of the user.") var name: String

        /// Runs `work` with the account of that name.
        func open(_ work: (OpenedDatabase, UserAccount) async throws -> Void) async throws {
            try await database.open { opened in
                var found: [UserAccount] = []
                if let key = EmailAddress(stored: name)?.key ?? Alias(name)?.key {
                    for tenant in opened.tenants {
                        if let account = try await opened.store.account(named: key, in: tenant.id) {
                            found.append(account)
                        }
                    }
                }
                guard let account = found.first else {
                    throw StartFailure.usage(["No user signs in with this name."])
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
            abstract: "Refuse sign-ins to this account, and end its sessions and open flows.")

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
        static let configuration = CommandConfiguration(abstract: "Allow sign-ins to this account again.")

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { opened, account in
                _ = try await opened.store.setDisabled(
                    nil, account.user.id, in: account.user.tenant, event: opened.event(.accountEnabled, account.user))
                try await opened.printAccount(account.user)
            }
        }
    }

    struct SecondFactor: AsyncParsableCommand {
        enum Rule: String, ExpressibleByArgument, CaseIterable {
            case required
            case byApplication = "by-application"
        }

        static let configuration = CommandConfiguration(
            commandName: "second-factor", abstract: "Set whether every sign-in of the user needs a second factor.",
            discussion: """
                required: in every application, whatever its settings. by-application: where an application, its user flow or an \
                app's claims request requires it. Sessions that have no second factor cannot be refreshed once it is required.
                """)

        @OptionGroup var place: Place
        @Argument(help: "required or by-application.") var rule: Rule

        func run() async throws {
            try await place.open { opened, account in
                guard rule == .byApplication || account.passwordHash != nil else {
                    throw StartFailure.usage(["The user has no password, and a second factor needs one beside it."])
                }
                _ = try await opened.store.setFactorRule(
                    .requiresSecondFactor(rule == .required), of: account.user.id, in: account.user.tenant,
                    event: opened.event(.factorRuleChanged, account.user, detail: rule.rawValue))
                try await opened.printAccount(account.user)
            }
        }
    }

    struct TrustPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trust-password", abstract: "Let a password that came from a reset count as a factor again.",
            discussion: """
                A reset proves the mailbox and nothing else, so its password and that mailbox are one factor until another \
                method is given beside them. Run this for a user who has no other method, once you have verified who it is.
                """)

        @OptionGroup var place: Place

        func run() async throws {
            try await place.open { opened, account in
                guard account.passwordIsFromReset else {
                    Terminal.complain("native-auth: the password is no reset's, so there was nothing to do.")
                    return try await opened.printAccount(account.user)
                }
                _ = try await opened.store.setFactorRule(
                    .trustsPassword, of: account.user.id, in: account.user.tenant,
                    event: opened.event(.passwordTrusted, account.user))
                try await opened.printAccount(account.user)
            }
        }
    }

    struct Methods: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Manage the methods of a user's second factor.", subcommands: [Remove.self])

        struct Remove: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Remove the methods of the second factor, and end the sessions.",
                discussion: """
                    For a user who has lost a mailbox. Each mailbox of the user is told of it. Refused where the user needs a second \
                    factor and could enrol no other one.
                    """)

            @OptionGroup var place: Place

            func run() async throws {
                try await place.open { opened, account in
                    // SEC-ENR-9.
                    guard !(account.requiresSecondFactor && account.passwordIsFromReset) else {
                        throw StartFailure.usage([
                            """
                            The user needs a second factor and could not enrol another one, since the password came from a \
                            reset; run native-auth user trust-password first, once you have verified who it is.
                            """
                        ])
                    }
                    let methods = account.strongMethods.map(\.email.masked)
                    if methods.isEmpty {
                        Terminal.complain("native-auth: the user has no method to remove; the sessions still end.")
                    }
                    _ = try await opened.store.forgetStrongMethods(
                        of: account.user.id, in: account.user.tenant, at: opened.now,
                        event: opened.event(.methodsForgotten, account.user, detail: "\(methods.count) by operator"),
                        mails: methods.isEmpty ? [] : try opened.notices(.methodRemoved, about: methods, to: account))
                    try await opened.printAccount(account.user)
                }
            }
        }
    }
}

extension OpenedDatabase {
    fileprivate func event(_ kind: AuditEvent.Kind, _ user: User, detail: String? = nil) -> AuditEvent {
        AuditEvent(kind, at: now, tenant: user.tenant, user: user.id, detail: detail)
    }

    /// A notice for each mailbox of the user (`SEC-ENR-5`); a server sends it within half a minute.
    fileprivate func notices(
        _ purpose: MailContent.Purpose, about methods: [String], to account: UserAccount
    ) throws -> [OutboxMail] {
        let randomness = SystemRandomness()
        let organisation = tenants.first { $0.id == account.user.tenant }?.displayName ?? ""
        return try account.noticeChannels.map { email in
            try OutboxMail.sealing(
                MailContent(
                    purpose: purpose, recipient: email.address, code: nil, minutesValid: 0, language: .english,
                    organisation: organisation, sentAt: now,
                    occasion: MailContent.Occasion(methods: methods, network: nil)), id: randomness.uuid(at: now),
                tenant: account.user.tenant, flow: nil, expiresAt: now.addingTimeInterval(24 * 3600), using: vault)
        }
    }

    /// Prints a line for each fact; none is a secret.
    fileprivate func printAccount(_ user: User) async throws {
        guard let account = try await store.account(user.id, in: user.tenant) else { return }
        let methods = account.strongMethods.map { method in
            method.email.address
                + (method.suspendedAt.map { " (suspended since \($0.formatted(.iso8601)))" } ?? "")
        }.joined(separator: ", ")
        let password = account.passwordIsFromReset ? "a password, which came from a reset" : "a password"
        for (name, value) in [
            ("id", user.id.description), ("e-mail", user.email), ("alias", user.alias ?? "none"),
            ("signs in with", account.passwordHash == nil ? "a code" : password),
            ("second factor", methods.isEmpty ? "none" : methods),
            ("demanded", account.requiresSecondFactor ? "at every sign-in" : "by application"),
            ("made", user.createdAt.formatted(.iso8601)),
            ("state", account.disabledAt.map { "disabled since \($0.formatted(.iso8601))" } ?? "enabled"),
        ] {
            say(name + String(repeating: " ", count: max(1, 15 - name.count)) + Terminal.harmless(value))
        }
        for (name, value) in user.attributes.sorted(by: { $0.key < $1.key }) {
            say("attribute      " + Terminal.harmless("\(name): \(value)"))
        }
    }
}
