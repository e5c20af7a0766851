import ArgumentParser

/// `native-auth doctor`: reports what to change, of an app or of a server.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check an app and its server, or the server of this machine, and report what to change.",
        discussion: "With the options of an app it is doctor app: native-auth doctor --client-id ID --tenant NAME.",
        subcommands: [AppDoctorCommand.self, ServerDoctorCommand.self], defaultSubcommand: AppDoctorCommand.self)
}
