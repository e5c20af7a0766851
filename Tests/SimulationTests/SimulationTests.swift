import Testing

@testable import Simulator

@Suite("Deterministic simulation", .serialized) struct SimulationTests {
    /// The seeds of every test run, including those that once found a fault.
    static let seeds: [UInt64] = Array(1...10)

    @Test("I1 to I13, REL-TX-6, SDK-STATE-2, SDK-REF-1, SDK-STO-4: nothing breaks them in the histories of fixed seeds")
    func fixedSeeds() async throws {
        let seeds = Self.seeds
        let report = try await SerialRun.detached { await Self.play(seeds) }
        #expect(report.violation == nil)
        let faults = report.faults.values.reduce(0, +)
        #expect(report.steps >= seeds.count * 250)
        #expect(faults > 100 && report.faults.count == Fault.allCases.count)
        // The histories make progress.
        for kind in ["signup.completed", "token.issued", "token.refreshed", "reset.completed", "mfa.registered"] {
            #expect(report.kinds[kind] ?? 0 > 0, "\(kind)")
        }
        print(
            "simulation: \(seeds.count) seeds, \(report.steps) steps, \(report.requests) requests, \(faults) faults,",
            terminator: " ")
        print("violations: \(report.violation.map(\.description) ?? "none")")
    }

    @SimulationActor private static func play(_ seeds: [UInt64]) async -> Report {
        var sum = Report()
        for seed in seeds {
            let report = await Simulation.play(Script(seed: seed, count: 250))
            sum.add(report)
            if report.violation != nil, sum.violation == nil {
                sum.violation = report.violation
                print("simulation: seed \(seed), step \(report.steps)")
            }
        }
        return sum
    }

    @Test("The same script makes the same history, and another seed another one")
    func isDeterministic() async throws {
        let digests = try await SerialRun.detached {
            var digests: [String] = []
            for seed: UInt64 in [3, 3, 4] {
                digests.append(await Simulation.play(Script(seed: seed, count: 150)).digest)
            }
            return digests
        }
        #expect(digests[0] == digests[1])
        #expect(digests[0] != digests[2])
    }

    @Test("A script is read as it was written")
    func scriptsAreRead() throws {
        var script = Script(seed: 7, count: 40)
        script.steps[3].isCalm = true
        let read = try #require(Script(script.description))
        #expect(read.seed == 7)
        #expect(read.steps == script.steps)
        #expect(Script("nothing") == nil)
    }
}
