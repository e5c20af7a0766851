import ArgumentParser
import IdentityEngine
import NativeAuthCore
import PortableFoundation

extension OperatorRole: ExpressibleByArgument {}

/// `native-auth operator`: who may use the console.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator", abstract: "Invite, list and remove the people who may use the console.",
        discussion: """
            Servers may run meanwhile. --data, --database and --master-key-file are those of serve, and are read from the \
            environment too. Roles: owner (everything), admin (users, and reading the rest), support (helps users, deletes \
            none), auditor (reads).
            """,
        subcommands: [Invite.self, List.self, SetRole.self, Remove.self, TwoOperators.self])

    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an invitation and print its secret.",
            discussion: """
                The first line is the secret; nothing else has it. It works once, for 30 minutes, at the console's page \
                /console/invitation. The first operator is invited by this command, the others by the console, too.
                """)

        @OptionGroup var place: DatabaseLocation
        @Option(help: "What the operator may do.") var role: OperatorRole

        func run() async throws {
            try await place.open { opened in
                let operators = try opened.operators()
                guard let secret = try await operators.invite(role, as: .command, now: opened.now) else { return }
                say(secret.reveal())
                Terminal.complain(
                    "Open \(Self.page(ProcessInfo.processInfo.environment)) and enter this secret within 30 minutes.")
            }
        }

        /// The address of the page, from the settings of the server in the environment.
        static func page(_ environment: [String: String]) -> String {
            let path = "/console/invitation"
            if let url = environment["NATIVE_AUTH_OPERATORS_URL"] { return url + path }
            guard let port = environment["NATIVE_AUTH_OPERATORS"].flatMap({ Int($0) }) else {
                return "\(path) at the address of --operators, such as http://127.0.0.1:PORT\(path),"
            }
            let base = environment["NATIVE_AUTH_BASE_URL"].flatMap { URL(string: $0)?.host() }
            guard let host = environment["NATIVE_AUTH_OPERATORS_HOST"], host != "127.0.0.1", let base else {
                return "http://127.0.0.1:\(port)\(path)"
            }
            return "https://\(base):\(port)\(path)"
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print a line for each operator.")

        @OptionGroup var place: DatabaseLocation

        func run() async throws {
            try await place.open { opened in
                let found = try await opened.operators().all()
                if found.isEmpty {
                    Terminal.complain("There is no operator; invite one with native-auth operator invite.")
                }
                for one in found {
                    let role = one.role.rawValue
                    say(
                        role + String(repeating: " ", count: 9 - role.count)
                            + "\(Terminal.harmless(one.email))  since \(one.since.formatted(.iso8601))")
                }
            }
        }
    }

    struct SetRole: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "role", abstract: "Give an operator another role.")

        @OptionGroup var place: DatabaseLocation
        @Argument(help: "The operator's e-mail address.") var email: String
        @Option(help: "What the operator may do.") var role: OperatorRole

        func run() async throws {
            try await place.open { opened in
                let operators = try opened.operators()
                guard let user = try await operators.user(named: email) else {
                    throw StartFailure.usage([OperatorRefusal.notAnOperator.sentence])
                }
                try await operators.setRole(role, of: user, as: .command, now: opened.now).accepted()
                say("\(Terminal.harmless(email)) is \(role.rawValue) from the next request on.")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an operator, with account and sessions.",
            discussion: "An operator who forgot the password is removed and invited again. The last owner stays.")

        @OptionGroup var place: DatabaseLocation
        @Argument(help: "The operator's e-mail address.") var email: String

        func run() async throws {
            try await place.open { opened in
                let operators = try opened.operators()
                guard let user = try await operators.user(named: email) else {
                    throw StartFailure.usage([OperatorRefusal.notAnOperator.sentence])
                }
                if try await operators.role(of: user) == nil {
                    // Signed up with an invitation that was not accepted in the end.
                    try await operators.deleteStray(user, as: .command, now: opened.now)
                } else {
                    try await operators.remove(user, as: .command, now: opened.now).accepted()
                }
                say("\(Terminal.harmless(email)) is no operator any more.")
            }
        }
    }
}

extension OperatorCommand {
    struct TwoOperators: AsyncParsableCommand {
        enum Rule: String, ExpressibleByArgument, CaseIterable {
            case on, off
        }

        static let configuration = CommandConfiguration(
            commandName: "two-operators",
            abstract: "Print or set whether two operators must stand behind a change of how users prove who they are.",
            discussion: """
                on: removed methods, another e-mail address, a reset by an operator and the like wait 24 hours for a second operator, \
                who confirms them at the console; what a daemon or a command asks for waits for two. Operators can then be invited by \
                native-auth operator invite only. Each change of the rule is a line of the operators' audit trail. In force at the next \
                request of every node.
                """)

        @OptionGroup var place: DatabaseLocation
        @Argument(help: "on or off; without it the present rule is printed.") var rule: Rule?

        func run() async throws {
            try await place.open { opened in
                if let rule { _ = try await opened.operators().setTwoOperators(rule == .on, now: opened.now) }
                say(try await opened.store.needsTwoOperators() ? "on" : "off")
            }
        }
    }
}

extension OpenedDatabase {
    func operators() throws -> Operators { Operators(beside: try engine(), store: store, baseURL: "") }
}

extension Result<Void, OperatorRefusal> {
    fileprivate func accepted() throws(StartFailure) {
        do throws(OperatorRefusal) {
            try get()
        } catch {
            throw .usage([error.sentence])
        }
    }
}

extension OperatorRefusal {
    fileprivate var sentence: String {
        switch self {
        case .notAnOperator: "No operator has this e-mail address."
        case .lastOwner: "This is the last owner: without one, no operator can invite another."
        case .notAnOwner: "Only an owner may do this."
        case .invitationUsed: "The invitation was used, or has ended."
        }
    }
}
