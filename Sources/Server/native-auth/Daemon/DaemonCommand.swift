import ArgumentParser
import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// `native-auth daemon`: makes what daemons prove themselves with.
struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Make a secret for a daemon, which gets tokens without a user, or for an application on a server.",
        subcommands: [MakeSecret.self])

    struct MakeSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "secret", abstract: "Print a new secret, once, and the lines for the tenant file.",
            discussion: """
                Needs no server and no database, and writes no file. The first line is the secret, for the daemon or the \
                application; nothing else has it. The lines after it belong into its list of secrets, and have a digest only. \
                Put them in force with native-auth tenant apply. Add the new secret first, then change the program, then take \
                the old one out.
                """)

        @Option(help: "For how many days the secret is valid, 1 to 730.") var days = 180
        @Option(help: "The name of the secret in the tenant file.") var name = ""

        func validate() throws {
            guard (1...730).contains(days) else { throw ValidationError("--days must be a number from 1 to 730.") }
            guard name.utf8.count <= 256, Terminal.harmless(name) == name else {
                throw ValidationError("--name must have at most 256 bytes, and no line end or control character.")
            }
        }

        func run() async throws {
            let (text, secret) = DaemonSecret.making(
                named: name, days: days, randomness: SystemRandomness(), now: SystemClock().now)
            say(text.reveal())
            Terminal.write(try TenantText.lines(of: secret))
        }
    }
}
