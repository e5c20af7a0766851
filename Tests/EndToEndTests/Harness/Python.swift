import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Programs in Python beside the server: clients and mail servers that share no code with it.
enum Python {
    struct Failed: Error {
        var arguments: [String]
        var status: Int32
        var output = ""
    }

    /// The package's folder.
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Runs to the end.
    ///
    /// - Returns: Standard output.
    static func run(_ arguments: [String]) async throws -> String {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "output")
        try Data().write(to: file)
        let process = process(arguments)
        process.standardOutput = try FileHandle(forWritingTo: file)
        let (statuses, feed) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            feed.yield(process.terminationStatus)
            feed.finish()
        }
        try process.run()
        var last: Int32 = 0
        for await status in statuses { last = status }
        let output = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        guard last == 0 else { throw Failed(arguments: arguments, status: last, output: output) }
        return output
    }

    fileprivate static func process(_ arguments: [String]) -> Process {
        let process = Process()
        // The distribution's Python is the one that has the distribution's aiosmtpd.
        let system = "/usr/bin/python3"
        let isSystemThere = FileManager.default.isExecutableFile(atPath: system)
        process.executableURL = URL(filePath: isSystemThere ? system : "/usr/bin/env")
        process.arguments = (isSystemThere ? [] : ["python3"]) + arguments
        process.standardInput = FileHandle.nullDevice
        // A process that outlives the tests must not hold their output open.
        process.standardError = FileHandle.nullDevice
        return process
    }
}

/// A server in Python on a loopback port, which it prints as `PORT n`.
final class PythonServer: Sendable {
    let port: Int
    private let process: Process
    private let input: Pipe
    private let exits: AsyncStream<Void>

    private init(port: Int, process: Process, input: Pipe, exits: AsyncStream<Void>) {
        self.port = port
        self.process = process
        self.input = input
        self.exits = exits
    }

    deinit {
        end()
    }

    static func start(_ arguments: [String]) async throws -> PythonServer {
        let process = Python.process(["-u"] + arguments)
        // It ends when its input ends, so also when the tests end early.
        let input = Pipe()
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        let (chunks, feed) = AsyncStream.makeStream(of: String.self)
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                feed.finish()
            } else {
                feed.yield(String(decoding: data, as: UTF8.self))
            }
        }
        let (exits, exitFeed) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in exitFeed.finish() }
        try process.run()
        var text = ""
        for await chunk in chunks {
            text += chunk
            guard text.hasSuffix("\n") else { continue }
            guard text.hasPrefix("PORT "), let port = Int(text.dropFirst(5).dropLast()) else { break }
            return PythonServer(port: port, process: process, input: input, exits: exits)
        }
        throw Python.Failed(arguments: arguments, status: -1)
    }

    /// Ends it and waits until its port is free.
    func stop() async {
        end()
        for await _ in exits {}
    }

    private func end() {
        // SIGTERM would not do: a child inherits that it is blocked from the thread that launches it.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Takes connections and never answers: a mail server that hangs.
    static func blackHole() async throws -> PythonServer {
        try await start([
            "-c",
            """
            import socket, sys
            listener = socket.create_server(("127.0.0.1", 0), backlog=64)
            print("PORT", listener.getsockname()[1])
            sys.stdin.read()
            """,
        ])
    }
}

/// A mail server of another project, aiosmtpd, and the folder where it stores each mail.
struct SMTPSink {
    let server: PythonServer
    private let folder: URL

    var url: String { "smtp://127.0.0.1:\(server.port)" }

    /// - Parameter port: The port; 0 takes any free port.
    static func start(in folder: URL, port: Int = 0) async throws -> SMTPSink {
        let script = Python.package.appending(path: "scripts/smtp-sink.py").path
        return SMTPSink(
            server: try await PythonServer.start([script, folder.path, "\(port)", "--until-input-ends"]), folder: folder
        )
    }

    /// The mails, once there are `count`.
    func mails(_ count: Int) async throws -> [String] {
        while true {
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "eml" }
            if files.count >= count {
                return try files.sorted { $0.path < $1.path }
                    .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
            }
            // Another process writes the files: polling is the only way to wait for them.
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
