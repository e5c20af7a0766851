import ArgumentParser
import Foundation
import Hummingbird
import IdentityHTTP
import IdentityStorePostgres
import IdentityStoreSQL
import IdentityStoreSQLite
import Logging

/// Measures what is inside the server, for which `native-auth-bench` is too far outside.
@main
struct BenchParts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "BenchParts", abstract: "Measure the parts of a step, and what this machine can do at most.",
        subcommands: [PartsCommand.self, CeilingsCommand.self, EmptyServerCommand.self])

    /// For `native-auth-bench`.
    struct CeilingsCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ceilings", abstract: "Print what this machine can do at most, a second, as JSON.")

        @OptionGroup var place: NewDatabase
        @Option(help: "Seconds of each measurement.") var seconds = 3.0

        func run() async throws {
            let ceilings = try await place.open { store in
                try await Ceilings.measure(seconds: seconds, in: store)
            }
            say(String(decoding: try JSONEncoder().encode(ceilings), as: UTF8.self))
        }
    }

    /// Serves nothing, for the ceiling.
    struct EmptyServerCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "empty-server",
            abstract: "Answer all requests with an empty object, on the server's HTTP stack.")

        func run() async throws {
            var logger = Logger(label: "native-auth")
            logger.logLevel = .error
            let application = IdentityServer.emptyApplication(host: "127.0.0.1", port: 0, logger: logger) {
                say("ready http://127.0.0.1:\($0)")
            }
            try await application.runService()
        }
    }
}

/// The database that is measured.
struct NewDatabase: ParsableArguments {
    @Option(help: "A PostgreSQL database, new and empty: postgresql://… (default: SQLite in a new folder).")
    var database: String?
    @Option(help: "Folder in which the new folder is made (default: the system's temporary folder).")
    var folder: String?

    /// Opens it for `work`; a new folder goes again.
    func open<Value: Sendable>(_ work: (any SQLStore) async throws -> Value) async throws -> Value {
        let folder = URL(filePath: folder ?? FileManager.default.temporaryDirectory.path)
            .appending(path: "native-auth-parts-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let result: Result<Value, any Error>
        do {
            let store = try await store(in: folder)
            let value = try await work(store)
            try await store.close()
            result = .success(value)
        } catch {
            result = .failure(error)
        }
        try FileManager.default.removeItem(at: folder)
        return try result.get()
    }

    private func store(in folder: URL) async throws -> any SQLStore {
        guard let database else { return try SQLiteStore(path: folder.appending(path: "identity.sqlite").path) }
        guard let place = PostgresEndpoint(url: database) else {
            throw ValidationError("--database must be postgresql://….")
        }
        return try await PostgresStore(place)
    }
}

/// Why nothing could be measured.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Prints a line at once, also to a pipe.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
