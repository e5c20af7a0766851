import ArgumentParser
import NativeAuthCore

/// `native-auth`: the identity server and the tools around it. The only place where adapters are chosen and wired.
@main
struct NativeAuthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "native-auth",
        abstract: "Native authentication for Swift apps: an identity server that you own, and a sample app.",
        version: ProductVersion.current,
        subcommands: [
            ServeCommand.self, UserCommand.self, KeyCommand.self, TenantCommand.self, AuditCommand.self,
            BackupCommand.self,
            RestoreCommand.self,
            TryCommand.self, DoctorCommand.self, BenchCommand.self,
        ])
}

/// Prints to standard output at once, also when it is a pipe.
func say(_ text: String) {
    Terminal.write(text + "\n")
}
