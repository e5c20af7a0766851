import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A server in a process of its own.
final class BenchServer: Sendable {
    let port: Int
    private let process: Process

    /// Why a server did not start.
    struct NotStarted: Error {
        let output: String
    }

    /// That of this process, without the settings of servers.
    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("NATIVE_AUTH_") }
    }

    /// Starts it, and waits for its line `ready URL`.
    init(_ program: URL, _ arguments: [String]) throws {
        let process = Process()
        // Behind the generator, where there is not enough of the processor for both: a generator that waits measures itself.
        process.executableURL = URL(filePath: "/usr/bin/nice")
        process.arguments = ["-n", "5", program.path] + arguments
        process.environment = Self.environment
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var output = ""
        while true {
            let chunk = pipe.fileHandleForReading.availableData
            guard !chunk.isEmpty else { throw NotStarted(output: output) }
            output += String(decoding: chunk, as: UTF8.self)
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix("ready ") }),
                let port = URL(string: String(line.dropFirst(6)))?.port
            {
                self.port = port
                break
            }
        }
        self.process = process
        pipe.fileHandleForReading.readabilityHandler = { handle in
            if handle.availableData.isEmpty { handle.readabilityHandler = nil }
        }
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// The processor time so far, in seconds, of all threads; nil where the system does not publish it (only Linux
    /// does).
    var processorSeconds: Double? {
        guard let fields = stat else { return nil }
        let ticks = (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Waits until the server has finished its remaining work, such as mails, for at most half a minute.
    func settle() async throws {
        let end = ContinuousClock.now + .seconds(30)
        var before = processorSeconds
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(500))
            let now = processorSeconds
            guard let last = before, let now, now - last > 0.02 else { return }
            before = now
        }
    }

    /// Resident memory in MiB; nil where the system does not publish it.
    var residentMebibytes: Double? {
        guard let fields = stat, let pages = Double(fields[21]) else { return nil }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }

    /// The fields of `/proc/PID/stat` after the program's name: the third field comes first here (proc(5)).
    private var stat: [String]? {
        guard let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ").map(String.init)
        return fields.count > 21 ? fields : nil
    }
}
