import ArgumentParser
import IdentityEngine
import IdentityHTTP
import NativeAuthCore
import PortableFoundation

// The factors of one user.
extension UserCommand {
    struct Methods: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what a user can prove the own identity with, or remove the methods of the second factor.",
            discussion: "native-auth user methods NAME prints, native-auth user methods remove NAME removes.",
            subcommands: [List.self, Remove.self],
            defaultSubcommand: List.self)

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Print what the user can prove the own identity with (default).",
                discussion: "With --json each method is a line.")

            @OptionGroup var place: Place

            func run() async throws {
                try await place.open { found in
                    if found.json {
                        for line in try UserDocument.methods(of: found.account) { say(line) }
                    } else {
                        let password = found.account.passwordHash == nil ? [] : [["password", "-", "-", "-", "-"]]
                        say(
                            table: password
                                + found.account.strongMethods.map { method in
                                    [
                                        method.email == nil ? method.label : "e-mail", method.id.text,
                                        method.email?.address ?? method.name ?? "-",
                                        "since \(method.provenAt.formatted(.iso8601))",
                                        method.suspendedAt.map { "suspended since \($0.formatted(.iso8601))" }
                                            ?? method.lastUsedAt.map { "used \($0.formatted(.iso8601))" }
                                            ?? "never used",
                                    ]
                                })
                    }
                }
            }
        }

        struct Remove: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Remove the methods of the second factor, and end the sessions.",
                discussion: """
                    For a user who has lost a mailbox or a phone. Each mailbox of the user is told of it. Refused where the user needs a second \
                    factor and could enrol no other one.
                    """)

            @OptionGroup var place: Place

            func run() async throws {
                try await place.open { found in
                    // SEC-ENR-9.
                    guard ProofDeed.removeMethods.isPossible(for: found.account, in: found.tenant) else {
                        throw StartFailure.usage([
                            """
                            The user needs a second factor and could not enrol another one, since the password came from a \
                            reset; run native-auth user trust-password first, once you have verified who it is.
                            """
                        ])
                    }
                    if found.account.secondFactors.isEmpty {
                        Terminal.complain("native-auth: the user has no method to remove; the sessions still end.")
                    }
                    try await found.perform(.removeMethods)
                }
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
            try await place.open { found in
                guard
                    rule == .byApplication || found.account.passwordHash != nil
                        || found.account.strongMethods.contains(where: \.isApp)
                else {
                    throw StartFailure.usage([
                        "The user has no password and no authenticator app: there is nothing to ask for beside a code by mail."
                    ])
                }
                switch rule {
                case .required:
                    _ = try await found.opened.store.setFactorRule(
                        .requiresSecondFactor(true), of: found.id, in: found.tenant.id,
                        event: found.event(.factorRuleChanged, detail: "required by operator"))
                    try await found.say()
                case .byApplication: try await found.perform(.relaxSecondFactor)
                }
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
            try await place.open { found in
                guard found.account.passwordIsFromReset else {
                    Terminal.complain("native-auth: the password is no reset's, so there was nothing to do.")
                    return try await found.say()
                }
                try await found.perform(.trustPassword)
            }
        }
    }
}
