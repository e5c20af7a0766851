import Foundation

/// The result of a run of one target.
struct Report: Codable, Sendable {
    var target: String
    var inputs = 0
    var accepted = 0
    /// In milliseconds of processor time, without the first input, which includes one-time loading.
    var slowest = 0.0
    var slowestIndex = 0
    /// In MiB.
    var peak = 0
    var findings: [String] = []

    var line: String {
        let name = target.padding(toLength: 14, withPad: " ", startingAt: 0)
        return "\(name) \(inputs) inputs, \(accepted) accepted, \(inputs - accepted) refused,"
            + " slowest \(Int(slowest.rounded(.up))) ms (index \(slowestIndex)), peak \(peak) MiB"
    }
}

/// The inputs of one target, in this process.
struct Campaign {
    /// docs/develop/testing.md; without the optimiser ten times that.
    static let longest = isDebug ? 500.0 : 50
    static let mostMemory = 512
    private static let mostFindings = 5

    static var isDebug: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    let seed: UInt64

    /// Runs `count` inputs, and notes the number of each in `page` before.
    func run<T: Target>(_ type: T.Type, count: Int, _ page: borrowing Page) async throws -> Report {
        var report = Report(target: T.name)
        var target = try await T()
        for index in 0..<count where report.findings.count < Self.mostFindings {
            page.index = index
            if index % T.series == 0 { try await target.begin() }
            var chance = Chance(seed: seed, index: index)
            let input = target.input(&chance)
            let begin = Usage.seconds
            do {
                if try await target.check(input) { report.accepted += 1 }
            } catch {
                report.findings.append("index \(index): \(error)")
            }
            let milliseconds = (Usage.seconds - begin) * 1_000
            report.inputs += 1
            guard index > 0, milliseconds > report.slowest else { continue }
            (report.slowest, report.slowestIndex) = (milliseconds, index)
            if milliseconds > Self.longest {
                report.findings.append("index \(index): took \(Int(milliseconds)) ms of \(Int(Self.longest))")
            }
        }
        report.peak = Usage.peak
        if report.peak > Self.mostMemory {
            report.findings.append("index \(report.inputs - 1): \(report.peak) MiB of \(Self.mostMemory)")
        }
        return report
    }

    /// Runs one input again, with the inputs that it builds on, and shows it.
    func repeatInput<T: Target>(_ type: T.Type, _ index: Int) async throws {
        var target = try await T()
        for index in index / T.series * T.series...index {
            if index % T.series == 0 { try await target.begin() }
            var chance = Chance(seed: seed, index: index)
            let input = target.input(&chance)
            print("input \(index), \(input.count) bytes: \(String(reflecting: input.lenientText))")
            // Flush before the input can kill the process.
            fflush(nil)
            do {
                print(try await target.check(input) ? "accepted" : "refused")
            } catch {
                print("FOUND \(error)")
            }
        }
    }
}
