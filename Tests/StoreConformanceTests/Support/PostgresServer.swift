import Foundation
import IdentityStorePostgres
import Testing

/// A program of this project that serves while it runs: prints a URL, and ends with its standard input.
final class Server: Sendable {
    let url: String
    private let process: Process
    private let lifeline = Pipe()

    struct NotStarted: Error {
        var script: String
    }

    init(_ script: String, _ arguments: [String] = []) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        process = Process()
        process.executableURL = root.appending(path: "scripts/\(script)")
        process.arguments = arguments
        let output = Pipe()
        process.standardInput = lifeline
        process.standardOutput = output
        try process.run()
        // One line, or none when it does not start.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard line.hasPrefix("postgresql://") else { throw NotStarted(script: script) }
        url = line.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func stop() throws {
        try lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// A real PostgreSQL server, which lives as long as this process; each test has its own schema in it.
enum PostgresServer {
    private static let shared = Result { try Server("with-postgres") }

    /// `postgresql://USER@HOST:PORT/DATABASE`.
    static func url() throws -> String { try shared.get().url }

    /// A store of the shared server with its own tables, which are removed afterwards.
    static func withStore(
        _ settings: PostgresSettings = small, _ body: (PostgresStore) async throws -> Void
    ) async throws {
        try await withSchema { schema in
            let store = try await PostgresStore(schema.place(), settings)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(store))
            } catch {
                result = .failure(error)
            }
            try await store.close()
            try result.get()
        }
    }

    /// A schema of the shared server without tables, removed afterwards.
    static func withSchema(_ body: (Schema) async throws -> Void) async throws {
        let schema = Schema(name: "test_\(UUID().uuidString.prefix(8).lowercased())", server: try url())
        let keeper = try await PostgresStore(try #require(PostgresEndpoint(url: schema.server)), small)
        _ = try await keeper.unsafeSQL("CREATE SCHEMA \(schema.name)")
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(schema))
        } catch {
            result = .failure(error)
        }
        _ = try await keeper.unsafeSQL("DROP SCHEMA \(schema.name) CASCADE")
        try await keeper.close()
        try result.get()
    }

    struct Schema: Sendable {
        let name: String
        let server: String

        /// - Parameter setting: A setting of the connections, such as `synchronous_commit=off`.
        func place(_ setting: String? = nil) throws -> PostgresEndpoint {
            let options = ["search_path=\(name)"] + (setting.map { [$0] } ?? [])
            let text = options.map { "-c\($0.replacing("=", with: "%3D"))" }.joined(separator: "%20")
            return try #require(PostgresEndpoint(url: "\(server)?options=\(text)"))
        }

        /// PgBouncer in front of it.
        func pooler() throws -> Server {
            let url = try #require(URL(string: server))
            return try Server(
                "with-pgbouncer",
                [
                    try #require(url.host()), String(try #require(url.port)), String(url.path().dropFirst()),
                    try #require(url.user()), name,
                ])
        }
    }

    /// As many connections as two cores keep busy, and long timeouts for a busy machine.
    static let small: PostgresSettings = {
        var settings = PostgresSettings()
        settings.connections = 4
        settings.longestWait = .seconds(20)
        settings.patience = .seconds(20)
        return settings
    }()
}

/// Two stores on one database, as in two nodes.
func withTwoNodes(_ body: (_ nodes: [PostgresStore]) async throws -> Void) async throws {
    try await PostgresServer.withSchema { schema in
        let place = try schema.place()
        let nodes = [
            try await PostgresStore(place, PostgresServer.small), try await PostgresStore(place, PostgresServer.small),
        ]
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(nodes))
        } catch {
            result = .failure(error)
        }
        for node in nodes { try await node.close() }
        try result.get()
    }
}
