import ArgumentParser
import IdentityEngine
import IdentityHTTP
import NativeAuthCore
import PortableFoundation

// What waits for operators, where the server asks for two (docs/operate/console.md).
extension UserCommand {
    struct Requests: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what waits for another operator, or withdraw it.",
            discussion: """
                Where native-auth operator two-operators is on, a change of how users prove who they are waits 24 hours for two \
                operators, who confirm it at the console. A command is no operator, so it confirms nothing.
                """, subcommands: [List.self, Withdraw.self], defaultSubcommand: List.self)

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Print what waits, the oldest first (default).", discussion: "With --json each is a line.")

            @OptionGroup var place: OneTenant

            func run() async throws {
                try await place.open { opened, tenant in
                    let all = try await opened.engine().operatorRequests(in: tenant.id, now: opened.now)
                    if place.json {
                        for one in all { say(try UserDocument.request(one)) }
                    } else {
                        say(
                            table: all.map { one in
                                [
                                    one.id.text, one.deed.word, one.user.description,
                                    Terminal.harmless(one.deed.subject ?? "-"),
                                    "\(one.missing) missing", "until \(one.expiresAt.formatted(.iso8601))",
                                ]
                            })
                    }
                }
            }
        }

        struct Withdraw: AsyncParsableCommand {
            static let configuration = CommandConfiguration(abstract: "Withdraw what waits: nothing changes.")

            @OptionGroup var place: OneTenant
            @Argument(help: "The id that native-auth user requests prints.") var id: String

            func run() async throws {
                try await place.open { opened, tenant in
                    let engine = try opened.engine()
                    let all = try await engine.operatorRequests(in: tenant.id, now: opened.now)
                    guard let one = all.first(where: { $0.id == UUID(uuidString: id) }) else {
                        throw StartFailure.usage(["Nothing with this id waits."])
                    }
                    try await engine.withdraw(one, in: tenant, as: .command, now: opened.now).accepted()
                    say(place.json ? try UserDocument.request(one) : "withdrawn      \(one.id.text)")
                }
            }
        }
    }
}

extension FoundUser {
    /// Does it, and prints the user; or says that it waits.
    func perform(_ deed: ProofDeed) async throws {
        let answer = try await opened.engine().perform(
            deed, on: id, by: opened.operatorFlows(of: tenant), in: tenant, as: .command, now: opened.now
        ).accepted()
        _ = try changed(by: answer)
        try await say()
    }

    /// The names of the changed properties.
    ///
    /// - Throws: `ExitCode` 75 when operators must confirm it first, so that a script does not take a request for a change.
    func changed(by answer: DeedAnswer) throws -> [String] {
        switch answer {
        case .done(let names): return names
        case .waiting(let request):
            native_auth.say(
                json
                    ? try UserDocument.request(request)
                    : "waits          \(request.id.text), until \(request.expiresAt.formatted(.iso8601))")
            Terminal.complain(
                "native-auth: nothing is changed yet: two operators must confirm it at the console within 24 hours.")
            throw ExitCode(75)
        }
    }
}
