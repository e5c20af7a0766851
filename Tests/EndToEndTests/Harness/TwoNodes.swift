import Foundation
import Synchronization
import Testing

@testable import native_auth

/// With `PROVE_NODES=2` in the environment every server of these tests is two nodes on one PostgreSQL database, behind
/// `scripts/random-node`, which sends each request to a random one; `scripts/prove two-nodes` sets it.
///
/// A data folder stands for a database: servers started again on the same folder, and commands run on it, find the same
/// accounts. The folder is that of the first node, and contains the master key.
enum TwoNodes {
    static let isOn = ProcessInfo.processInfo.environment["PROVE_NODES"] == "2"

    /// The options of a suite or test without a server to double; skipped in this mode, because `scripts/test` runs it
    /// anyway.
    static func skipped(_ reason: Comment) -> ConditionTrait {
        .disabled(if: isOn, "two nodes: \(reason)")
    }

    /// The values that the servers of one start share.
    struct Site {
        /// The port that receives requests.
        let port: Int
        /// The data folder of the second node, beside that of the first.
        let secondFolder: URL
        let environment: [String: String]

        /// - Parameter port: The port; 0 takes any free port.
        init(_ dataFolder: URL, port: Int) async throws {
            self.port = port == 0 ? try FreePort.any(on: "127.0.0.1") : port
            secondFolder = URL(filePath: dataFolder.path + "-of-node-2")
            environment = ["NATIVE_AUTH_DATABASE": try await databases.url(for: dataFolder.path)]
            if let test = Test.current { print("two nodes: started for \(test.id)") }
        }
    }

    /// The environment of a command: the database that belongs to the folder of its `--data`.
    static func environment(_ arguments: [String]) async throws -> [String: String] {
        guard isOn, let command = arguments.first, let folder = value(of: "--data", in: arguments) else { return [:] }
        let isCommand = ["audit", "backup", "key", "restore", "tenant", "user"].contains(command)
        guard isCommand else {
            // A server that a test starts itself, to see it refuse.
            let url = command == "serve" ? try await databases.knownURL(for: folder) : nil
            return url.map { ["NATIVE_AUTH_DATABASE": $0] } ?? [:]
        }
        return ["NATIVE_AUTH_DATABASE": try await databases.url(for: folder)]
    }

    /// What `native-auth-try` is asked without the server of its own, and the folder of those that are started in its place; nil for
    /// everything else.
    static func server(
        inPlaceOf arguments: [String], of program: String
    ) -> (arguments: [String], dataFolder: URL)? {
        guard isOn, program == "native-auth-try", let index = arguments.firstIndex(of: "--data"),
            let folder = value(of: "--data", in: arguments)
        else { return nil }
        var others = arguments
        others.removeSubrange(index...(index + 1))
        return (others, URL(filePath: folder))
    }

    /// The database of a data folder, as `Support/database.py` reads it: a file, or the URL of a server.
    static func database(of dataFolder: URL) async throws -> String {
        isOn ? try await databases.url(for: dataFolder.path) : dataFolder.appending(path: "identity.sqlite").path
    }

    /// The URL of a database of PostgreSQL for a folder, also without two nodes.
    static func postgres(for folder: URL) async throws -> String { try await databases.url(for: folder.path) }

    /// Tells how many requests each node got, from what the router has printed in the end.
    ///
    /// - Returns: Whether it has.
    static func count(_ output: String) -> Bool {
        guard let line = output.split(separator: "\n").last(where: { $0.hasPrefix("sent ") }) else { return false }
        print("two nodes: requests \(line.dropFirst(5))")
        return true
    }

    private static func value(of option: String, in arguments: [String]) -> String? {
        guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return nil }
        return arguments[index + 1]
    }

    private static let databases = Databases()

    /// Databases by data folder, all on one server, which lives as long as this process.
    private actor Databases {
        private var places: [String: Task<String, any Error>] = [:]
        private var server: (process: Process, lifeline: Pipe, url: String)?

        struct NotStarted: Error {}

        func url(for folder: String) async throws -> String {
            let folder = Self.normalised(folder)
            if let place = places[folder] { return try await place.value }
            let name = "folder_\(places.count)"
            let task = Task { try await made(name) }
            places[folder] = task
            return try await task.value
        }

        func knownURL(for folder: String) async throws -> String? {
            try await places[Self.normalised(folder)]?.value
        }

        private static func normalised(_ folder: String) -> String {
            URL(filePath: folder).standardizedFileURL.path
        }

        private func made(_ name: String) async throws -> String {
            let server = try started()
            _ = try await Database(place: server).rows("CREATE DATABASE \(name)")
            // The last part of the URL is the database.
            let address = server.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            return (address + [name[...]]).joined(separator: "/")
        }

        private func started() throws -> String {
            if let server { return server.url }
            let process = Process()
            process.executableURL = Python.package.appending(path: "scripts/with-postgres")
            let (lifeline, output) = (Pipe(), Pipe())
            process.standardInput = lifeline
            process.standardOutput = output
            try process.run()
            // One line, or none when it does not start.
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard line.hasPrefix("postgresql://") else { throw NotStarted() }
            let url = line.trimmingCharacters(in: .whitespacesAndNewlines)
            server = (process, lifeline, url)
            return url
        }
    }
}

/// The database of a server, read and changed without the server's code.
struct Database {
    /// A file of SQLite, or a URL of PostgreSQL.
    let place: String

    init(place: String) {
        self.place = place
    }

    init(of dataFolder: URL) async throws {
        place = try await TwoNodes.database(of: dataFolder)
    }

    /// The rows of one statement, each value as a text; none for a statement that only changes something.
    func rows(_ sql: String) async throws -> [[String]] {
        let output = try await Python.run([Self.script, place, sql])
        return try JSONDecoder().decode([[String]].self, from: Data(output.utf8))
    }

    /// Everything that the tables hold, bytes as they are.
    func content() async throws -> Data {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "content")
        _ = try await Python.run([Self.script, place, "--content", file.path])
        return try Data(contentsOf: file)
    }

    private static let script = Python.package.appending(path: "Tests/EndToEndTests/Support/database.py").path
}
