// All of Foundation, for the process and its files.
import Foundation
import NativeAuthCore

/// `Simulator --seed S [--histories N] [--steps K] [--seconds T]` plays histories S, S+1, …; `--script FILE` plays a
/// printed one; `--trace` prints every step. Ends with one line of JSON; exit code 1 when there was a finding.
@main enum Main {
    struct Summary: Encodable {
        var histories = 0
        var steps = 0
        var requests = 0
        var seconds = 0.0
        var nextSeed: UInt64 = 0
        var faults: [String: Int] = [:]
        var kinds: [String: Int] = [:]
        var violations: [String] = []
    }

    static func main() {
        let arguments = Arguments(CommandLine.arguments.dropFirst())
        do throws(SerialRun.Stuck) {
            let summary = try SerialRun.run { await simulate(arguments) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            if let line = try? encoder.encode(summary) { print(String(decoding: line, as: UTF8.self)) }
            exit(summary.violations.isEmpty ? 0 : 1)
        } catch {
            print("stuck: \(Simulation.whereabouts.withLock(\.self))")
            exit(1)
        }
    }

    @SimulationActor private static func simulate(_ arguments: Arguments) async -> Summary {
        var summary = Summary()
        var report = Report()
        let begin = ContinuousClock.now
        func elapsed() -> Double { (ContinuousClock.now - begin) / .seconds(1) }
        var seed = arguments.seed
        while summary.histories < arguments.histories, elapsed() < arguments.seconds {
            let script = arguments.script ?? Script(seed: seed, count: arguments.steps)
            let one = await Simulation.play(script, trace: arguments.isTracing ? { print($0) } : nil)
            summary.histories += 1
            seed += 1
            report.add(one)
            guard let violation = one.violation else { continue }
            summary.violations.append("\(violation)")
            print("violation after \(one.steps) steps of seed \(script.seed): \(violation)")
            if arguments.shrinks {
                let small = await Simulation.shrink(script, violation)
                let last = await Simulation.play(small)
                print(
                    "shrunk to \(small.steps.count) steps: \(last.violation?.description ?? "nothing")\n\(small)\n"
                )
            }
            if summary.violations.count >= arguments.mostViolations { break }
        }
        summary.steps = report.steps
        summary.requests = report.requests
        summary.faults = report.faults
        summary.kinds = report.kinds
        summary.seconds = elapsed()
        summary.nextSeed = seed
        return summary
    }
}

private struct Arguments: Sendable {
    var seed: UInt64 = 1
    var histories = Int.max
    var steps = 400
    var seconds = Double.infinity
    var script: Script?
    var isTracing = false
    var shrinks = true
    var mostViolations = 3

    init(_ words: ArraySlice<String>) {
        var words = words
        while let word = words.popFirst() {
            switch word {
            case "--trace": isTracing = true
            case "--no-shrink": shrinks = false
            case "--seed": seed = words.popFirst().flatMap { UInt64($0) } ?? seed
            case "--histories": histories = words.popFirst().flatMap { Int($0) } ?? histories
            case "--steps": steps = words.popFirst().flatMap { Int($0) } ?? steps
            case "--seconds": seconds = words.popFirst().flatMap { Double($0) } ?? seconds
            case "--script":
                let text = words.popFirst().flatMap { FileManager.default.contents(atPath: $0) }
                script = text.flatMap { Script(String(decoding: $0, as: UTF8.self)) }
                histories = 1
                if script == nil { Self.refuse("the script cannot be read") }
            case _: Self.refuse("unknown option \(word)")
            }
        }
    }

    private static func refuse(_ reason: String) -> Never {
        print("Simulator: \(reason)")
        exit(64)
    }
}
