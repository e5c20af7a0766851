import ArgumentParser
import Foundation
import Hummingbird
import IdentityHTTP
import IdentityStoreSQL
import Logging
import NIOCore
import NIOPosix
import NativeAuthCore

/// `native-auth bench`: measures the speed of a server on this machine, and compares it with the machine's limits.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure this machine's server, against what the machine can do at most.",
        discussion: """
            Starts servers of its own, each with a new database, and puts loads on them from this process: first as much as \
            goes (closed loop), then shares of that at a fixed rate, where a request counts from the moment at which it was due \
            (open loop). In the same run the ceilings are measured: an empty handler on the same HTTP stack, password hashes, \
            signatures, durable commits. Codes are fixed, mails go to the development receiver. Build it with -c release.
              native-auth bench
              native-auth bench otp-sign-up password-sign-in --seconds 10 --report bench.md
            """,
        subcommands: [RunCommand.self, PartsCommand.self, EmptyServerCommand.self], defaultSubcommand: RunCommand.self)

    struct RunCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "run", abstract: "Measure.")

        @Argument(help: "\(BenchScenario.allCases.map(\.rawValue).joined(separator: ", ")) (default: all of them).")
        var scenarios: [BenchScenario] = []
        @Option(help: "Seconds of each load.") var seconds = 5.0
        @Option(help: "Seconds before each load that do not count.") var warmUp = 1.0
        @Option(help: "Connections of a load of as much as goes.") var connections = 32
        @Option(help: "A PostgreSQL database, new and empty: postgresql://… (default: SQLite in a new folder).")
        var database: String?
        @Option(help: "Folder in which the databases are made (default: the system's temporary folder).")
        var folder: String?
        @Flag(help: "Only as much as goes, without ceilings: to compare two builds.") var peak = false
        @Option(help: "Also write a report in Markdown to this file, and the plot beside it as .svg.") var report:
            String?

        func validate() throws {
            guard seconds > 0, warmUp >= 0, (1...LoadGenerator.mostConnections).contains(connections) else {
                throw ValidationError(
                    "--seconds must be above 0, --connections from 1 to \(LoadGenerator.mostConnections).")
            }
        }

        func run() async throws {
            let wanted = scenarios.isEmpty ? BenchScenario.allCases : scenarios
            let place = BenchPlace(
                folder: URL(filePath: folder ?? FileManager.default.temporaryDirectory.path)
                    .appending(path: "native-auth-bench-\(UUID().text)"),
                database: database)
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

        private func measure(_ wanted: [BenchScenario], at place: BenchPlace, _ report: inout BenchReport) async throws
        {
            #if DEBUG
                report.note("This is a debug build: the figures say little.")
            #endif
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            if !peak {
                report.ceilings = try await place.ceilings(seconds: min(seconds, 3))
                say(report.ceilingLines)
            }
            say(BenchReport.head)
            // The report compares the others with the empty handler, so it is always measured.
            for scenario in (peak ? [] : [.empty]) + wanted.filter({ peak || $0 != .empty }) {
                let figures = try await measure(scenario, at: place, on: group)
                report.figures.append(figures)
                say(report.line(figures))
            }
            try await group.shutdownGracefully()
        }

        /// The number of cores, and on Linux whether all memory comes in large pages: without them a password hash
        /// takes up to 1.7 times as long.
        private static var machine: String {
            let cores = "\(ProcessInfo.processInfo.activeProcessorCount) cores"
            // The file lists all choices, with the current one in brackets.
            let choices = try? String(
                contentsOf: URL(filePath: "/sys/kernel/mm/transparent_hugepage/enabled"), encoding: .utf8)
            guard let choice = choices?.split(separator: "[").last?.split(separator: "]").first else { return cores }
            return "\(cores), large pages: \(choice)"
        }

        private func measure(
            _ scenario: BenchScenario, at place: BenchPlace, on group: any EventLoopGroup
        ) async throws -> BenchFigures {
            let server = try await place.server(for: scenario)
            defer { server.stop() }
            let cast = BenchCast(scenario.rawValue.replacing("-", with: ""))
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
                // The processor time includes the warm-up, so divide by the time and not by the number of requests.
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

        /// Creates the accounts that a scenario needs, through the API.
        private func populate(
            _ scenario: BenchScenario, _ cast: BenchCast, _ server: BenchServer, on group: any EventLoopGroup
        ) async throws {
            guard let population = scenario.population else { return }
            let kinds: [BenchScenario] =
                switch population {
                case .code: [.otpSignUpTokens]
                case .password: [.passwordSignUp]
                case .both: [.otpSignUpTokens, .passwordSignUp]
                }
            for kind in kinds {
                let end = ContinuousClock.now + .seconds(30)
                var made = 0
                while made < 2 * connections {
                    let more = try await LoadGenerator.run(
                        .closed(connections: connections), port: server.port, warmUp: 0, seconds: min(2, seconds),
                        on: group, makeJourney: { JourneyMaker(scenario: kind, cast: cast)() })
                    made += more.journeys
                    guard more.failures == 0, ContinuousClock.now < end else {
                        throw BenchFailure(text: more.example ?? "people sign up too slowly")
                    }
                }
            }
        }
    }

    /// Serves empty answers, to measure the ceiling.
    struct EmptyServerCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "empty-server", shouldDisplay: false)

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

/// Why the bench could not measure.
struct BenchFailure: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

extension BenchScenario: ExpressibleByArgument {}

/// The folder or the database of the measured servers.
struct BenchPlace: Sendable {
    let folder: URL
    /// A PostgreSQL URL; nil for SQLite.
    let database: String?

    /// A server prepared for the scenario, but without accounts.
    func server(for scenario: BenchScenario) async throws -> BenchServer {
        if scenario == .empty { return try BenchServer(["bench", "empty-server"]) }
        // One PostgreSQL database serves all scenarios, with one master key and the signing keys of the previous
        // scenario.
        let data = folder.appending(path: database == nil ? scenario.rawValue : "node")
        var place = ["--data", data.path]
        if let database { place += ["--database", database] }
        let algorithm: String? = scenario == .refreshES256 ? "ES256" : database == nil ? nil : "RS256"
        let arguments =
            ["serve", "--port", "0", "--log-level", "error", "--fixed-code", BenchCast.code] + place
        if let algorithm {
            // The first start makes keys; the rotation then switches the algorithm.
            try BenchServer(arguments).stop()
            try Self.run(["key", "rotate", "--now", "--algorithm", algorithm] + place)
        }
        return try BenchServer(arguments)
    }

    func ceilings(seconds: Double) async throws -> Ceilings {
        let address = database.flatMap { DatabaseAddress($0) } ?? .sqlite(path: nil)
        let data = folder.appending(path: "ceilings")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        let store = try await address.open(in: data.path)
        let ceilings = try await Ceilings.measure(seconds: seconds, in: store)
        try await store.close()
        return ceilings
    }

    private static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchFailure(text: "native-auth \(arguments.joined(separator: " ")) failed")
        }
    }
}
