import Foundation
import Synchronization

/// `native-auth serve` in a process of its own, which ends when this one does.
final class OwnServer: Sendable {
    /// What the server is told; everything else is as in development.
    struct Settings: Hashable, Sendable {
        var data: String?
        var smtp: String?
        /// Of this process.
        var environment: [String: String]

        /// As `serve` finds it.
        var dataFolder: String { data ?? environment["NATIVE_AUTH_DATA"] ?? "./.native-auth" }

        /// It logs errors only: the screen belongs to the conversation.
        fileprivate var arguments: [String] {
            ["serve", "--port=0", "--log-level=error"] + (data.map { ["--data=\($0)"] } ?? [])
                + (smtp.map { ["--smtp=\($0)"] } ?? [])
        }

        /// Where the server's data is and how it sends mail. An address or a profile is meant for another server.
        fileprivate var serverEnvironment: [String: String] {
            let names = [
                "DATA", "DATABASE", "MASTER_KEY", "MASTER_KEY_FILE", "SMTP", "SMTP_CA_FILE", "MAIL_FROM", "CONFIG",
            ].map { "NATIVE_AUTH_" + $0 }
            return environment.filter { !$0.key.hasPrefix("NATIVE_AUTH_") || names.contains($0.key) }
        }
    }

    /// Runs its arguments, and asks them to end when standard input does: a process that is killed takes its server along. The one
    /// that waits for that holds none of the server's output, whose end so tells that the server has ended.
    private static let keeper = """
        exec 3<&0
        (cat; kill $$) <&3 3<&- >/dev/null 2>&1 &
        exec "$@" </dev/null 3<&-
        """

    private let lifeline: Mutex<FileHandle?>
    /// Kept, since a server that cannot write ends.
    private let output = Pipe()
    private let ready: Task<String?, Never>
    private let exit: Task<Int32, Never>

    /// - Throws: ``TryEnd/hopeless(_:)`` when there is no program to start.
    init(_ settings: Settings) throws(TryEnd) {
        guard let program = Self.program(path: settings.environment["PATH"] ?? "") else {
            throw .hopeless(
                "There is no native-auth beside this program or on the PATH. Build it, or name a server that runs: --server"
                    + " http://127.0.0.1:8765.")
        }
        let process = Process()
        let input = Pipe()
        lifeline = Mutex(input.fileHandleForWriting)
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", Self.keeper, "native-auth", program.path] + settings.arguments
        process.environment = settings.serverEnvironment
        process.standardInput = input
        process.standardOutput = output
        let (statuses, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            ended.yield(process.terminationStatus)
            ended.finish()
        }
        let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
        ready = Task { await Self.address(in: chunks) }
        exit = Task {
            for await status in statuses { return status }
            return 1
        }
        do {
            try process.run()
        } catch {
            feed.finish()
            ended.finish()
            throw .hopeless("The server could not be started: \(program.path).")
        }
        output.fileHandleForReading.readabilityHandler = { [self] handle in
            let chunk = handle.availableData
            if chunk.isEmpty {
                handle.readabilityHandler = nil
                feed.finish()
                hangUp()
            } else {
                feed.yield(chunk)
            }
        }
    }

    /// Its base URL, once it accepts requests; nil when it ends instead.
    var baseURL: String? {
        get async { await ready.value }
    }

    /// Its exit code, once it has ended.
    var status: Int32 {
        get async { await exit.value }
    }

    /// Asks it to end, and waits until it has.
    func stop() async {
        hangUp()
        _ = await status
    }

    private func hangUp() {
        lifeline.withLock { handle in
            do {
                try handle?.close()
            } catch {
                // It was closed before.
            }
            handle = nil
        }
    }

    /// What the line `ready URL` says.
    private static func address(in chunks: AsyncStream<Data>) async -> String? {
        var text = Data()
        for await chunk in chunks {
            text += chunk
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            if let line = lines.dropLast().first(where: { $0.hasPrefix("ready ") }) { return String(line.dropFirst(6)) }
        }
        return nil
    }

    /// The server beside this program, as a build leaves it, or the first of the search path.
    private static func program(path: String) -> URL? {
        let here = Bundle.main.executableURL.map { [$0.resolvingSymlinksInPath().deletingLastPathComponent()] } ?? []
        return (here + path.split(separator: ":").map { URL(filePath: String($0)) })
            .map { $0.appending(path: "native-auth") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
