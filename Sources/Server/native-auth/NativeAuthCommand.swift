import ArgumentParser
import NativeAuthCore

/// `native-auth`: the identity server and its tools. Only this module chooses and connects the adapters.
@main
struct NativeAuthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "native-auth",
        abstract: "Native authentication for Swift apps: an identity server that you own.",
        version: ProductVersion.current,
        subcommands: [
            ServeCommand.self, InitCommand.self, UserCommand.self, OperatorCommand.self, KeyCommand.self,
            TenantCommand.self, MailCommand.self, DaemonCommand.self, AuditCommand.self, BackupCommand.self,
            RestoreCommand.self,
            ImportCommand.self, ExportCommand.self,
            DoctorCommand.self, ProbeCommand.self,
        ])
}
