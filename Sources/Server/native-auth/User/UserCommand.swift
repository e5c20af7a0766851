import ArgumentParser
import IdentityEngine
import IdentityHTTP
import IdentityPasswords
import IdentityStoreSQL
import IdentityTokens
import NativeAuthCore
import PortableFoundation

/// `native-auth user`: lists, creates, shows, changes and deletes users.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "List, create, show, change and delete users.",
        discussion: """
            Servers may run meanwhile. --data, --database, --master-key-file and --config are those of serve, and are read \
            from the environment too. A user is named by e-mail address, alias or id. Exit codes: 64 for a user or a value \
            that is refused, 74 for a database that cannot be used, 75 for a change that waits for two operators.
            """,
        subcommands: [
            List.self, Show.self, Create.self, Update.self, Disable.self, Enable.self, ResetPassword.self,
            SecondFactor.self, TrustPassword.self, Methods.self, Sessions.self, Export.self, Delete.self,
            Deletions.self, Requests.self,
        ])

    /// The user of a command.
    struct Place: ParsableArguments {
        @OptionGroup var database: DatabaseLocation
        @Argument(help: "The e-mail address, the alias or the id of the user.") var name: String
        @Flag(help: "Print JSON.") var json = false

        /// Runs `work` with the user of that name.
        func open(_ work: (FoundUser) async throws -> Void) async throws {
            try await database.open { opened in
                var found: [FoundUser] = []
                for tenant in opened.tenants {
                    if let account = try await account(in: tenant.id, opened.store) {
                        found.append(FoundUser(opened: opened, tenant: tenant, account: account, json: json))
                    }
                }
                guard let user = found.first else {
                    throw StartFailure.usage(["No user signs in with this name."])
                }
                guard found.count == 1 else {
                    throw StartFailure.usage(["Several tenants have a user of this name; choose one with --tenant."])
                }
                try await work(user)
            }
        }

        /// An id comes first: an alias that looks like the id of another user names that other user.
        private func account(in tenant: TenantID, _ store: any SQLStore) async throws(StoreError) -> UserAccount? {
            if let id = UUID(uuidString: name), let account = try await store.account(UserID(id), in: tenant) {
                return account
            }
            guard let key = EmailAddress(stored: name)?.key ?? Alias(name)?.key else { return nil }
            return try await store.account(named: key, in: tenant)
        }
    }

    /// The tenant of a command that names no user.
    struct OneTenant: ParsableArguments {
        @OptionGroup var database: DatabaseLocation
        @Flag(help: "Print JSON.") var json = false

        func open(_ work: (OpenedDatabase, Tenant) async throws -> Void) async throws {
            try await database.open { opened in
                guard let tenant = opened.tenants.first, opened.tenants.count == 1 else {
                    throw StartFailure.usage(["There are several tenants; choose one with --tenant."])
                }
                try await work(opened, tenant)
            }
        }
    }
}

/// The user of a command, in an open database.
struct FoundUser {
    let opened: OpenedDatabase
    let tenant: Tenant
    let account: UserAccount
    /// Whether to print JSON.
    let json: Bool

    var id: UserID { account.user.id }

    func event(_ kind: AuditEvent.Kind, detail: String = "operator") -> AuditEvent {
        AuditEvent(kind, at: opened.now, tenant: tenant.id, user: id, detail: detail)
    }

    /// Prints the user as the database has it now.
    ///
    /// - Parameter changed: The properties that the command has changed.
    func say(changed: [String]? = nil) async throws {
        guard let account = try await opened.store.account(id, in: tenant.id) else { return }
        if json {
            let profile = try opened.engine().profile(of: account, in: tenant)
            native_auth.say(try UserDocument.user(account, profile, changed: changed))
        } else {
            for line in account.lines { native_auth.say(line) }
        }
    }
}

extension OpenedDatabase {
    /// The engine of the servers, for what an operator changes.
    func engine() throws -> Engine {
        Engine(
            .init(
                clients: directory ?? TenantDirectory([]), flows: store, users: store, refresh: store,
                browsers: store, assertions: store, hasher: try Argon2idHasher(threads: 1), issuer: ring,
                randomness: SystemRandomness(),
                mail: MailSignal(), signatures: KeyedPasskeySignatures()),
            // No answer of these commands names the server.
            vault: vault, settings: EngineSettings(baseURL: ""))
    }

    /// The applications of the tenant.
    func applications(of tenant: Tenant) -> [Client] {
        directory?.entries.first { $0.tenant.id == tenant.id }?.applications ?? []
    }

    /// The rules that an operator's changes follow.
    func operatorFlows(of tenant: Tenant) -> [UserFlow] {
        directory?.entries.first { $0.tenant.id == tenant.id }?.operatorFlows ?? []
    }
}

extension DirectoryAnswer {
    /// The value.
    ///
    /// - Throws: ``StartFailure`` with a sentence for the operator.
    func accepted() throws(StartFailure) -> Value {
        switch self {
        case .accepted(let value): return value
        case .refused(let refusal): throw .usage([refusal.sentence])
        }
    }
}

extension DirectoryRefusal {
    fileprivate var sentence: String {
        switch self {
        case .unknownProperty(let name): "The applications have no attribute \(Terminal.harmless(name))."
        case .invalidValue("mail"): "This is no e-mail address that can be used."
        case .invalidValue(AttributeDefinition.aliasName):
            "The alias (\(AttributeDefinition.aliasName)) is required, or is none: it has 3 to 64 of the letters a to z, digits, dots, "
                + "hyphens and underscores, begins with a letter or digit, is not all digits, and is no reserved word."
        case .invalidValue(let name):
            "\(name) breaks a rule of the applications, or is required and would have no value."
        case .nameTaken(let name):
            "Another user has this \(name == "mail" ? "e-mail address" : "alias"), or had it a short time ago."
        case .notFound: "There is no such user any more."
        case .changedMeanwhile: "The user changed at the same time; run the command again."
        case .addressAlone: "Two operators must stand behind a new address: change it in a command of its own."
        case .tooManyRequests:
            "\(OperatorRequest.most) requests about this user wait for operators; withdraw one first."
        case .anotherOperatorNeeded: "Two operators must stand behind this."
        case .step(.noPasswordToReset): "The user has no password, and signs in with codes."
        case .invalidToken, .insufficientScope, .applicationDisabled, .proofNeeded, .readOnlyProperty, .lastMethod,
            .step:
            "This change is not allowed."
        }
    }
}

extension UserAccount {
    /// A line for each fact; none is a secret.
    fileprivate var lines: [String] {
        let identities = identities.map(\.label).joined(separator: ", ")
        let methods = secondFactors.map { method in
            (method.email?.address ?? method.label)
                + (method.suspendedAt.map { " (suspended since \($0.formatted(.iso8601)))" } ?? "")
        }.joined(separator: ", ")
        // The database does not tell a password that the user chose at a reset from one that only a reset can replace.
        let password =
            passwordIsFromReset ? "a password that only a reset gives, or that came from one" : "a password"
        let facts = [
            ("id", user.id.description), ("e-mail", user.email), ("alias", user.alias ?? "none"),
            ("signs in with", passwordHash == nil ? "a code" : password),
            ("also signs in with", identities.isEmpty ? "nothing" : identities),
            ("second factor", methods.isEmpty ? "none" : methods),
            ("recovery codes", recovery.map { "\($0.codes.count) left" } ?? "none"),
            ("demanded", requiresSecondFactor ? "at every sign-in" : "by application"),
            ("made", user.createdAt.formatted(.iso8601)),
            ("state", state),
        ]
        return facts.map { $0 + String(repeating: " ", count: max(1, 15 - $0.count)) + Terminal.harmless($1) }
            + user.attributes.sorted { $0.key < $1.key }.map {
                "attribute      " + Terminal.harmless("\($0): \($1)")
            }
    }

    /// Whether the user can sign in.
    var state: String {
        let disabled = disabledAt.map { "disabled since \($0.formatted(.iso8601))" }
        let due = deletionDueAt.map { "to be deleted at \($0.formatted(.iso8601))" }
        return disabled ?? due ?? "enabled"
    }
}
