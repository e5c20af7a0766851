import ArgumentParser

struct TryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "try")
}
