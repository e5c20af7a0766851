import ArgumentParser
import Foundation
import NIOCore
import NIOPosix

/// `native-auth-bench`: how fast a server is on this machine, against what the machine can do at most.
@main
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "native-auth-bench",
        abstract: "Measure this machine's server, against what the machine can do at most.",
        discussion: """
            Starts servers of its own, each with a new database, and puts loads on them from this process: first as much as \
            goes (closed loop), then shares of that at a fixed rate, where a request counts from the moment at which it was due \
            (open loop). In the same run the ceilings are measured: an empty handler on the same HTTP stack, password hashes, \
            signatures, durable commits. Codes are fixed, mails go to the development receiver. scripts/bench builds what is \
            measured, optimised, and runs this.
              native-auth-bench
              native-auth-bench otp-sign-up password-sign-in --seconds 10 --report bench.md
            With --floor each scenario is measured in turn on the server and on the floor, a program that does only what no \
            design avoids; server ÷ floor says how much of a cost the server's own code is.
              native-auth-bench --floor --rounds 3 --peak otp-sign-up
            """)

    @Argument(help: "\(BenchScenario.allCases.map(\.rawValue).joined(separator: ", ")) (default: all of them).")
    var scenarios: [BenchScenario] = []
    @Option(help: "The server to measure; BenchParts, for the ceilings, is looked for beside it.")
    var server = ".build/release/native-auth"
    @Flag(
        name: .customLong("floor"), help: "Measure each scenario on Floor, too, which is looked for beside the server.")
    var hasFloor = false
    @Option(help: "How often server and floor are measured in turn; the comparison has the medians.") var rounds = 1
    @Option(help: "The floor's PostgreSQL database, new and empty, when --database names the server's.")
    var floorDatabase: String?
    @Option(help: "Seconds of each load.") var seconds = 5.0
    @Option(help: "Seconds before each load that do not count.") var warmUp = 1.0
    @Option(help: "Connections of a load of as much as goes.") var connections = 32
    @Option(help: "A PostgreSQL database, new and empty: postgresql://… (default: SQLite in a new folder).")
    var database: String?
    @Option(help: "Folder in which the databases are made (default: the system's temporary folder).")
    var folder: String?
    @Flag(help: "Only as much as goes, without ceilings: to compare two builds.") var peak = false
    @Option(help: "Also write a report in Markdown to this file, and the plot beside it as .svg.") var report: String?

    func validate() throws {
        guard seconds > 0, warmUp >= 0, (1...LoadGenerator.mostConnections).contains(connections) else {
            throw ValidationError(
                "--seconds must be above 0, --connections from 1 to \(LoadGenerator.mostConnections).")
        }
        guard rounds > 0, hasFloor || (rounds == 1 && floorDatabase == nil) else {
            throw ValidationError("--rounds must be above 0, and needs --floor, as --floor-database does.")
        }
        guard !hasFloor || (database == nil) == (floorDatabase == nil) else {
            throw ValidationError("On PostgreSQL, --floor needs both --database and --floor-database.")
        }
    }

    func run() async throws {
        let wanted = scenarios.isEmpty ? BenchScenario.allCases : scenarios
        let place = BenchPlace(
            program: URL(filePath: server),
            folder: URL(filePath: folder ?? FileManager.default.temporaryDirectory.path)
                .appending(path: "native-auth-bench-\(UUID().uuidString.lowercased())"),
            database: database, floorDatabase: floorDatabase)
        try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
        var report = BenchReport(settings: "\(Self.machine), \(connections) connections, \(seconds) s a load")
        let result: Result<Void, any Error>
        do {
            result = .success(try await measure(wanted, at: place, &report))
        } catch {
            result = .failure(error)
        }
        try FileManager.default.removeItem(at: place.folder)
        try result.get()
        if let file = self.report { try report.write(to: URL(filePath: file)) }
    }

    private func measure(_ wanted: [BenchScenario], at place: BenchPlace, _ report: inout BenchReport) async throws {
        if Self.isDebugBuild || place.program.resolvingSymlinksInPath().pathComponents.contains("debug") {
            report.note("This is a debug build: the figures say little.")
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        if !peak {
            report.ceilings = try place.ceilings(seconds: min(seconds, 3))
            say(report.ceilingLines)
        }
        say(BenchReport.head)
        // The empty handler is what others are compared with, so it is there in any case.
        for scenario in (peak ? [] : [.empty]) + wanted.filter({ peak || $0 != .empty }) {
            if hasFloor, scenario.isOnFloor {
                try await compare(scenario, at: place, on: group, &report)
            } else {
                let figures = try await measure(scenario, on: try place.server(for: scenario), group)
                report.figures.append(figures)
                say(report.line(figures))
            }
        }
        if hasFloor { say("\n" + report.comparisonLines) }
        try await group.shutdownGracefully()
    }

    /// Measures server and floor in turn: a machine whose speed changes from minute to minute then changes it for both.
    private func compare(
        _ scenario: BenchScenario, at place: BenchPlace, on group: any EventLoopGroup, _ report: inout BenchReport
    ) async throws {
        var comparison = FloorComparison(scenario: scenario)
        for round in 1...rounds {
            let server = try await measure(
                scenario, on: try place.server(for: scenario, round: round), group, round: round)
            say(report.line(server))
            comparison.server.append(server)
            let floor = try await measure(
                scenario, on: try place.floor(for: scenario, round: round), group, round: round)
            say(report.line(floor, isFloor: true))
            comparison.floor.append(floor)
        }
        report.figures.append(comparison.server[0])
        report.comparisons.append(comparison)
    }

    private static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// The cores, and on Linux whether all memory comes in large pages: a password's hash takes up to 1.7 times as long without.
    private static var machine: String {
        let cores = "\(ProcessInfo.processInfo.activeProcessorCount) cores"
        // The file names all choices, the one that is made in brackets.
        let choices = try? String(
            contentsOf: URL(filePath: "/sys/kernel/mm/transparent_hugepage/enabled"), encoding: .utf8)
        guard let choice = choices?.split(separator: "[").last?.split(separator: "]").first else { return cores }
        return "\(cores), large pages: \(choice)"
    }

    private func measure(
        _ scenario: BenchScenario, on server: BenchServer, _ group: any EventLoopGroup, round: Int = 1
    ) async throws -> BenchFigures {
        defer { server.stop() }
        // On PostgreSQL the rounds share a database, and each needs newcomers.
        let cast = BenchCast(scenario.rawValue.replacing("-", with: "") + (round == 1 ? "" : "r\(round)n"))
        let make = JourneyMaker(scenario: scenario, cast: cast)
        try await populate(scenario, cast, server, on: group)
        try await server.settle()
        let before = server.processorSeconds
        let most = try await LoadGenerator.run(
            .closed(connections: connections), port: server.port, warmUp: warmUp, seconds: seconds, on: group,
            makeJourney: { make() })
        let after = server.processorSeconds
        var figures = BenchFigures(scenario: scenario, most: most)
        if let before, let after, most.requests > 0 {
            // The warm-up is in it, so it is counted by the time and not by the requests.
            figures.processorMicroseconds =
                (after - before) * 1e6 / (Double(most.requests) * (seconds + warmUp) / seconds)
        }
        let steady = server.residentMebibytes
        let shares = peak ? [] : scenario == .overload ? [10] : [0.2, 0.5, 0.8]
        for share in shares where most.journeysPerSecond > 0 {
            let measured = try await LoadGenerator.run(
                .open(perSecond: most.journeysPerSecond * share), port: server.port, warmUp: warmUp / 2,
                seconds: seconds, on: group, makeJourney: { make() })
            figures.shares.append((share, measured))
        }
        figures.residentMebibytes = server.residentMebibytes
        if scenario == .overload, let steady, let resident = figures.residentMebibytes {
            figures.growth = resident / steady
        }
        return figures
    }

    /// Makes the accounts that a scenario needs, by the API.
    private func populate(
        _ scenario: BenchScenario, _ cast: BenchCast, _ server: BenchServer, on group: any EventLoopGroup
    ) async throws {
        guard let population = scenario.population else { return }
        func maker(_ kind: BenchScenario) -> @Sendable () -> any Journey {
            { JourneyMaker(scenario: kind, cast: cast)() }
        }
        let kinds: [@Sendable () -> any Journey] =
            switch population {
            case .code: [maker(.otpSignUpTokens)]
            case .password: [maker(.passwordSignUp)]
            case .both: [maker(.otpSignUpTokens), maker(.passwordSignUp)]
            case .browser: [maker(.pageSignUp)]
            case .passkey: [{ PasskeySignUpJourney(cast: cast) }]
            case .app: [{ AppSignUpJourney(cast: cast) }]
            }
        // Each signs in once.
        let needed = population == .app ? 3_000 : 2 * connections
        for make in kinds {
            let end = ContinuousClock.now + .seconds(30)
            var made = 0
            while made < needed {
                let more = try await LoadGenerator.run(
                    .closed(connections: connections), port: server.port, warmUp: 0, seconds: min(2, seconds),
                    on: group, makeJourney: make)
                made += more.journeys
                guard more.failures == 0, ContinuousClock.now < end else {
                    throw BenchFailure(text: more.example ?? "people sign up too slowly")
                }
            }
        }
    }
}

/// Why the bench could not measure.
struct BenchFailure: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

extension BenchScenario: ExpressibleByArgument {}

/// The folder or the database of the measured servers.
struct BenchPlace: Sendable {
    /// `native-auth`.
    let program: URL
    let folder: URL
    /// A PostgreSQL URL; nil for SQLite.
    let database: String?
    /// The floor has a database of its own: it seals under its own keys.
    let floorDatabase: String?

    /// A server prepared for the scenario, but without accounts.
    func server(for scenario: BenchScenario, round: Int = 1) throws -> BenchServer {
        if scenario == .empty { return try BenchServer(parts, ["empty-server"]) }
        // One database of PostgreSQL serves all scenarios, with one master key and with the signing keys of the one before.
        var place = Self.arguments(folder(of: scenario, round, isFloor: false), database)
        if BenchScenario.pages.contains(scenario) { place += ["--config", try pagesTenant().path] }
        let algorithm: String? = scenario == .refreshES256 ? "ES256" : database == nil ? nil : "RS256"
        let arguments = Self.serve + place
        if let algorithm {
            // The first start makes keys; then another kind of key signs.
            try BenchServer(program, arguments).stop()
            _ = try run(program, ["key", "rotate", "--now", "--algorithm", algorithm] + place)
        }
        return try BenchServer(program, arguments)
    }

    /// The floor prepared for the scenario, on a database that a server has made.
    func floor(for scenario: BenchScenario, round: Int) throws -> BenchServer {
        let data = folder(of: scenario, round, isFloor: true)
        let place = Self.arguments(data, floorDatabase)
        // Once for a database: what the floor has written there, a server could not read.
        if !FileManager.default.fileExists(atPath: data.path) { try BenchServer(program, Self.serve + place).stop() }
        return try BenchServer(
            program.deletingLastPathComponent().appending(path: "Floor"),
            ["serve", "--algorithm", scenario == .refreshES256 ? "ES256" : "RS256"] + place)
    }

    private static let serve = ["serve", "--port", "0", "--log-level", "error", "--fixed-code", BenchCast.code]

    private static func arguments(_ data: URL, _ database: String?) -> [String] {
        ["--data", data.path] + (database.map { ["--database", $0] } ?? [])
    }

    private func folder(of scenario: BenchScenario, _ round: Int, isFloor: Bool) -> URL {
        let name = database == nil ? "\(scenario.rawValue)-\(round)" : "node"
        return folder.appending(path: isFloor ? name + "-floor" : name)
    }

    /// A tenant file with the application of the hosted pages.
    private func pagesTenant() throws -> URL {
        let file = folder.appending(path: "pages.yaml")
        try Data(PageSignUpJourney.tenant.utf8).write(to: file)
        return file
    }

    func ceilings(seconds: Double) throws -> Ceilings {
        var arguments = ["ceilings", "--seconds", "\(seconds)", "--folder", folder.path]
        if let database { arguments += ["--database", database] }
        return try JSONDecoder().decode(Ceilings.self, from: try run(parts, arguments))
    }

    /// Measures what only a program with the server's modules in it can.
    private var parts: URL { program.deletingLastPathComponent().appending(path: "BenchParts") }

    /// - Returns: What it has printed.
    private func run(_ program: URL, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = BenchServer.environment
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchFailure(text: "\(program.lastPathComponent) \(arguments.joined(separator: " ")) failed")
        }
        return printed
    }
}

/// What `BenchParts ceilings` has measured, in operations a second.
struct Ceilings: Decodable {
    var hashes = 0.0
    var rs256 = 0.0
    var es256 = 0.0
    /// One durable commit of one row after another.
    var commits = 0.0
    /// Rows durably changed when 64 callers ask at once.
    var groupedCommits = 0.0
}

/// Prints a line at once, also to a pipe.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
