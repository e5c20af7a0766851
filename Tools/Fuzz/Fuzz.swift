import Foundation

/// `Fuzz [--count N] [--seed S] [--target T]… [--jobs J]` runs N inputs, or the share of each target, and ends with a
/// line `fuzz: …: passed` or `FAILED`. Each target has its own process: when it dies, its parent reports the input.
/// `Fuzz --target T --seed S --index I` runs one input again, in this process.
@main enum Fuzz {
    static func main() async throws {
        let arguments = Arguments(CommandLine.arguments.dropFirst())
        let campaign = Campaign(seed: arguments.seed)
        if let index = arguments.index {
            for target in arguments.targets { try await campaign.repeatInput(target, index) }
        } else if let path = arguments.page, let target = arguments.targets.first {
            guard let page = Page(path) else { Arguments.refuse("\(path) cannot be written") }
            let report = try await campaign.run(target, count: arguments.count, page)
            print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
        } else {
            let isPassed = try await Parent(arguments).run()
            exit(isPassed ? 0 : 1)
        }
    }
}

struct Arguments: Sendable {
    var count = 100_000
    var seed: UInt64 = 1
    var targets: [any Target.Type] = []
    var jobs = ProcessInfo.processInfo.activeProcessorCount
    var index: Int?
    /// The file where a child process notes its progress.
    var page: String?

    init(_ words: ArraySlice<String>) {
        var words = words
        while let word = words.popFirst() {
            let value = words.popFirst() ?? ""
            switch word {
            case "--count": count = Int(value) ?? -1
            case "--seed": seed = UInt64(value) ?? 0
            case "--jobs": jobs = Int(value) ?? -1
            case "--index": index = Int(value) ?? -1
            case "--page": page = value
            case "--target":
                let named = (Targets.all + [BrokenTarget.self]).filter { $0.name == value }
                if named.isEmpty { Self.refuse("no target \(value); there are \(Targets.names)") }
                targets += named
            case _: Self.refuse("unknown option \(word)")
            }
        }
        guard count > 0, jobs > 0, index ?? 0 >= 0 else { Self.refuse("a number is wrong") }
        if targets.isEmpty { targets = Targets.all }
    }

    static func refuse(_ reason: String) -> Never {
        print("Fuzz: \(reason)")
        exit(64)
    }
}

/// Runs each target in a separate process.
struct Parent: Sendable {
    /// How long a process may be at one input before it counts as hanging.
    private static let patience = Duration.seconds(60)

    private let arguments: Arguments
    private let folder = FileManager.default.temporaryDirectory.appending(path: "fuzz-\(UUID().uuidString)")

    init(_ arguments: Arguments) {
        self.arguments = arguments
    }

    /// - Returns: Whether there was no finding.
    func run() async throws -> Bool {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let begin = ContinuousClock.now
        var (inputs, findings) = (0, 0)
        try await withThrowingTaskGroup(of: Report.self) { group in
            // The slow targets are last in the table, and start first.
            var waiting = arguments.targets[...]
            for _ in 0..<arguments.jobs {
                if let target = waiting.popLast() { group.addTask { try await self.run(target) } }
            }
            while let report = try await group.next() {
                inputs += report.inputs
                findings += report.findings.count
                print(report.line)
                for finding in report.findings {
                    print("  FOUND \(finding)")
                    guard let index = finding.split(separator: " ").dropFirst().first?.dropLast() else { continue }
                    print("  again: Fuzz --target \(report.target) --seed \(arguments.seed) --index \(index)")
                }
                fflush(nil)
                if let target = waiting.popLast() { group.addTask { try await self.run(target) } }
            }
        }
        let seconds = Int(((ContinuousClock.now - begin) / .seconds(1)).rounded())
        print(
            "fuzz: \(arguments.targets.count) targets, \(inputs) inputs, seed \(arguments.seed),",
            "\(Campaign.isDebug ? "debug" : "release") build, \(seconds) s, \(findings) findings:",
            findings == 0 ? "passed" : "FAILED")
        return findings == 0
    }

    private func run(_ target: any Target.Type) async throws -> Report {
        let count = max(arguments.count * (Campaign.isDebug ? target.share.debug : target.share.release) / 100, 1)
        let page = folder.appending(path: "\(target.name).page")
        let output = folder.appending(path: "\(target.name).output")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [
            "--target", target.name, "--seed", "\(arguments.seed)", "--count", "\(count)", "--page", page.path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        try process.run()
        let watch = Task { try await hangs(process, page) }
        var status: Int32 = 0
        for await value in ends { status = value }
        watch.cancel()
        let last = try String(contentsOf: output, encoding: .utf8).split(separator: "\n").last ?? ""
        if status == 0, let report = try? JSONDecoder().decode(Report.self, from: Data(last.utf8)) { return report }
        var report = Report(target: target.name)
        report.inputs = index(page) + 1
        let cause = (try? await watch.value) == true ? "hangs" : "dies (\(status))"
        report.findings = ["index \(index(page)): the process \(cause)"]
        return report
    }

    /// Ends `process` if it hangs; returns whether it did.
    private func hangs(_ process: Process, _ page: URL) async throws -> Bool {
        var (seen, since) = (-1, ContinuousClock.now)
        while process.isRunning {
            try await Task.sleep(for: .seconds(1))
            let index = index(page)
            if index != seen { (seen, since) = (index, ContinuousClock.now) }
            if ContinuousClock.now - since > Self.patience {
                kill(process.processIdentifier, SIGKILL)
                return true
            }
        }
        return false
    }

    private func index(_ page: URL) -> Int {
        guard let data = try? Data(contentsOf: page), data.count >= 8 else { return 0 }
        return data.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
