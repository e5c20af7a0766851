import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs the built `native-auth` as a user would: a separate process, its own environment, text in and out.
enum NativeAuthProcess {
    /// Why the program could not be run.
    enum Failure: Error {
        /// No `native-auth` lies where the tests were built; `swift build --traits Server` makes it.
        case notBuilt
        /// The server ended, or did not print `ready`.
        case notReady(output: String, errors: String)
    }

    /// Runs to the end; cancelling the task terminates the program.
    ///
    /// - Parameters:
    ///   - environment: Added to the environment of the tests, from which every `NATIVE_AUTH_…` is removed. With
    ///     ``TwoNodes`` the command works on their database, and `try` has two nodes instead of a server of its own.
    ///   - input: Standard input; nothing at all by default.
    /// - Returns: The exit status, or the number of the signal that ended the program; all of its output and errors.
    static func run(
        _ arguments: [String], program: String = "native-auth", environment: [String: String] = [:], input: String = ""
    ) async throws -> (status: Int32, output: String, errors: String) {
        if let (others, dataFolder) = TwoNodes.server(inPlaceOf: arguments, of: program) {
            let server = try await NativeAuthServer.start(dataFolder: dataFolder, environment: environment)
            let result = try await run(
                others + ["--server", server.baseURL.absoluteString], program: program, environment: environment,
                input: input)
            await server.terminate()
            return result
        }
        let environment = try await TwoNodes.environment(arguments).merging(environment) { $1 }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // Files instead of pipes: no reader is needed, so no program blocks on output.
        let inputFile = folder.url.appending(path: "input")
        try Data(input.utf8).write(to: inputFile)
        let output = try OutputFile(folder.url.appending(path: "output"))
        let errors = try OutputFile(folder.url.appending(path: "errors"))
        let process = try Child(
            arguments, executable: executable(program), environment: environment,
            input: FileHandle(forReadingFrom: inputFile), output: output.handle, errors: errors.handle)
        let status = await withTaskCancellationHandler {
            await process.status
        } onCancel: {
            process.signal(SIGTERM)
        }
        return (status, try output.text(), try errors.text())
    }

    /// Runs the sample app, which starts a server of its own unless it is given one.
    static func runTry(
        _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await run(arguments, program: "native-auth-try", environment: environment, input: input)
    }

    /// The program that was built together with the tests: it lies in the same folder as the test bundle, or above it.
    static func executable(_ program: String = "native-auth") throws -> URL {
        let starts =
            CommandLine.arguments.filter { $0.contains(".xctest") }.map { URL(filePath: $0) }
            + [Bundle.main.executableURL].compactMap(\.self)
        let folders =
            starts.flatMap { start in
                sequence(first: start.standardizedFileURL) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
                    .prefix(6)
            } + [Python.package.appending(path: ".build/debug")]
        for folder in folders {
            let candidate = folder.appending(path: program)
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder), !isFolder.boolValue,
                FileManager.default.isExecutableFile(atPath: candidate.path)
            {
                return candidate
            }
        }
        throw Failure.notBuilt
    }
}

/// A running `native-auth serve`, for as long as a test needs it; with ``TwoNodes`` two of them, and a router that
/// sends each request to a random one.
final class NativeAuthServer: Sendable {
    /// The URL of its `ready` line: `http://127.0.0.1:43211`.
    let baseURL: URL
    /// Database and master key; survives the server.
    let dataFolder: URL
    let arguments: [String]
    private let environment: [String: String]
    private let nodes: [ListeningProgram]
    private let router: ListeningProgram?

    private init(
        dataFolder: URL, arguments: [String], environment: [String: String], nodes: [ListeningProgram],
        router: ListeningProgram?
    ) {
        baseURL = router?.url ?? nodes[0].url
        self.dataFolder = dataFolder
        self.arguments = arguments
        self.environment = environment
        self.nodes = nodes
        self.router = router
    }

    /// The URL of each node; a request to it goes to that node.
    var listeners: [URL] { nodes.map(\.url) }

    /// Launches `serve` and waits until it accepts requests.
    ///
    /// - Parameters:
    ///   - arguments: More options; `--port 0` and `--data` are set already.
    ///   - dataFolder: Made by the server if it is not there.
    /// - Throws: ``NativeAuthProcess/Failure/notReady(output:errors:)`` when the server ends instead.
    static func start(
        arguments: [String] = [], dataFolder: URL, environment: [String: String] = [:]
    ) async throws -> NativeAuthServer {
        try await start(port: 0, arguments: arguments, dataFolder: dataFolder, environment: environment)
    }

    /// Launches a server on the same data and the same port; this one must have ended.
    func restart() async throws -> NativeAuthServer {
        try await Self.start(
            port: baseURL.port ?? 0, arguments: arguments, dataFolder: dataFolder, environment: environment)
    }

    /// Ends the server like a power cut: the router first, then all nodes at once.
    func crash() {
        router?.process.signal(SIGKILL)
        for node in nodes { node.process.signal(SIGKILL) }
    }

    /// Ends the server like a power cut, and waits until it has ended.
    func kill9() async {
        crash()
        for node in nodes { _ = await node.process.status }
        await endRouter()
    }

    /// Asks the server to stop, and waits until it has.
    ///
    /// - Returns: The exit status; of several nodes the first status other than 0.
    @discardableResult func terminate() async -> Int32 {
        for node in nodes { node.process.signal(SIGTERM) }
        var status: Int32 = 0
        for node in nodes {
            let ended = await node.process.status
            if status == 0 { status = ended }
        }
        await endRouter()
        return status
    }

    /// Everything on standard error so far: the log, of one node after the other.
    func errors() throws -> String {
        try nodes.map { try $0.errors.text() }.joined()
    }

    /// Everything on standard output so far, of one node after the other.
    func output() -> String {
        nodes.map(\.output).joined()
    }

    /// After this its port is free for the next one.
    private func endRouter() async {
        guard let router else { return }
        router.process.signal(SIGTERM)
        _ = await router.process.status
        // Its last line may not have arrived yet; a killed router has none.
        var patience = 50
        while !TwoNodes.count(router.output), patience > 0 {
            patience -= 1
            do {
                try await Task.sleep(for: .milliseconds(2))
            } catch {
                return
            }
        }
    }

    private static func start(
        port: Int, arguments: [String], dataFolder: URL, environment: [String: String]
    ) async throws -> NativeAuthServer {
        guard TwoNodes.isOn else {
            let node = try await node(["--port", "\(port)", "--data", dataFolder.path] + arguments, environment)
            return NativeAuthServer(
                dataFolder: dataFolder, arguments: arguments, environment: environment, nodes: [node], router: nil)
        }
        let site = try await TwoNodes.Site(dataFolder, port: port)
        // The test's own settings take precedence.
        let environment = site.environment.merging(environment) { $1 }
        var first = ["--port", "0", "--data", dataFolder.path] + arguments
        var second = ["--port", "0", "--data", site.secondFolder.path] + arguments
        if !arguments.contains("--base-url"), environment["NATIVE_AUTH_BASE_URL"] == nil {
            for option in ["--base-url", "http://127.0.0.1:\(site.port)"] {
                first.append(option)
                second.append(option)
            }
        }
        if !arguments.contains("--master-key-file"), environment["NATIVE_AUTH_MASTER_KEY"] == nil {
            second += ["--master-key-file", dataFolder.appending(path: "master.key").path]
        }
        // One after another: the first makes the master key.
        let nodes = [try await node(first, environment), try await node(second, environment)]
        let router = try await ListeningProgram.start(
            Python.package.appending(path: "scripts/random-node"),
            ["\(site.port)"] + nodes.map(\.url.absoluteString), [:])
        return NativeAuthServer(
            dataFolder: dataFolder, arguments: arguments, environment: environment, nodes: nodes, router: router)
    }

    private static func node(_ options: [String], _ environment: [String: String]) async throws -> ListeningProgram {
        try await ListeningProgram.start(NativeAuthProcess.executable(), ["serve"] + options, environment)
    }
}

/// A program that says `ready URL` when it listens; it ends with this object.
private final class ListeningProgram: Sendable {
    /// What its `ready` line said.
    let url: URL
    let process: Child
    let errors: OutputFile
    private let transcript: Transcript
    /// Kept, because without it the output would have no reader.
    private let standardOutput: Pipe

    private init(url: URL, process: Child, errors: OutputFile, transcript: Transcript, standardOutput: Pipe) {
        self.standardOutput = standardOutput
        self.url = url
        self.process = process
        self.errors = errors
        self.transcript = transcript
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// Everything on standard output so far.
    var output: String {
        transcript.text.withLock { String(decoding: $0, as: UTF8.self) }
    }

    /// - Throws: ``NativeAuthProcess/Failure/notReady(output:errors:)`` when it ends instead.
    static func start(
        _ executable: URL, _ arguments: [String], _ environment: [String: String]
    ) async throws -> ListeningProgram {
        let logs = try TemporaryFolder()
        defer { logs.remove() }
        let errors = try OutputFile(logs.url.appending(path: "errors"))
        let pipe = Pipe()
        // Read until the end of the program, so that it never waits for room in the pipe.
        let transcript = Transcript()
        let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                feed.finish()
            } else {
                transcript.text.withLock { $0 += data }
                feed.yield(data)
            }
        }
        let process = try Child(
            arguments, executable: executable, environment: environment, input: .nullDevice,
            output: pipe.fileHandleForWriting, errors: errors.handle)
        try pipe.fileHandleForWriting.close()
        var output = ""
        for await chunk in chunks {
            output += String(decoding: chunk, as: UTF8.self)
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            guard let line = lines.first(where: { $0.hasPrefix("ready ") }),
                let url = URL(string: String(line.dropFirst(6)))
            else { continue }
            return ListeningProgram(
                url: url, process: process, errors: errors, transcript: transcript, standardOutput: pipe)
        }
        process.signal(SIGKILL)
        _ = await process.status
        throw NativeAuthProcess.Failure.notReady(output: output, errors: try errors.text())
    }
}

extension Data {
    /// A master key that no server has.
    static func randomKey() -> Data {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }
}

/// A folder of its own below the system's temporary one.
struct TemporaryFolder {
    let url: URL

    /// - Parameter inMemory: Where the system has such a place, so that syncing costs nothing.
    init(inMemory: Bool = false) throws {
        let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
        let isInMemory = inMemory && FileManager.default.isWritableFile(atPath: memory.path)
        url = (isInMemory ? memory : FileManager.default.temporaryDirectory)
            .appending(path: "native-auth-\(UUID().uuidString.lowercased())")
        // For its owner alone, as a server in production asks for.
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    func remove() {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            // The system clears its temporary folder; a test does not fail because of files left there.
        }
    }
}

/// Runs `body` with a temporary folder, and removes the folder afterwards.
func withTemporaryFolder(_ body: (TemporaryFolder) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await body(folder)
}

/// Where a program writes, and tests read.
private final class OutputFile: Sendable {
    /// For the program.
    let handle: FileHandle
    private let reading: FileHandle

    /// The file may be removed afterwards; what is open stays readable.
    init(_ url: URL) throws {
        try Data().write(to: url)
        handle = try FileHandle(forWritingTo: url)
        reading = try FileHandle(forReadingFrom: url)
    }

    func text() throws -> String {
        try reading.seek(toOffset: 0)
        return String(decoding: try reading.readToEnd() ?? Data(), as: UTF8.self)
    }
}

/// What a program has printed.
private final class Transcript: Sendable {
    let text = Mutex(Data())
}

/// A launched program.
private final class Child: Sendable {
    let pid: pid_t
    private let exit: Task<Int32, Never>
    private let life = Life()

    private final class Life: Sendable {
        let hasEnded = Mutex(false)
    }

    init(
        _ arguments: [String], executable: URL, environment: [String: String], input: FileHandle, output: FileHandle,
        errors: FileHandle
    ) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("NATIVE_AUTH_") }
            .merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        let (statuses, feed) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { [life] process in
            life.hasEnded.withLock { $0 = true }
            feed.yield(process.terminationStatus)
            feed.finish()
        }
        try process.run()
        pid = process.processIdentifier
        exit = Task {
            for await status in statuses { return status }
            return -1
        }
    }

    /// The exit status, once there is one; any number of callers may wait.
    var status: Int32 {
        get async { await exit.value }
    }

    /// Does nothing when the program has ended: the system may have reused its process id.
    func signal(_ signal: Int32) {
        life.hasEnded.withLock { hasEnded in
            if !hasEnded { _ = kill(pid, signal) }
        }
    }
}
