import Crypto
import NativeAuthCore
import PortableFoundation

/// The result of a history.
struct Report: Sendable {
    var steps = 0
    var requests = 0
    var faults: [String: Int] = [:]
    var kinds: [String: Int] = [:]
    var violation: Violation?
    /// SHA-256 over the results of all steps: the same for the same script.
    var digest = ""

    mutating func add(_ other: Report) {
        steps += other.steps
        requests += other.requests
        faults.merge(other.faults, uniquingKeysWith: +)
        kinds.merge(other.kinds, uniquingKeysWith: +)
    }
}

enum Simulation {
    /// The position in the history, for the case that it gets stuck.
    static let whereabouts: Locked<String> = Locked("")

    /// Plays a history to its end, or to the first violation.
    ///
    /// - Parameter trace: Called with the result of each step.
    @SimulationActor static func play(
        _ script: Script, trace: ((String) -> Void)? = nil
    ) async -> Report {
        var report = Report()
        var hash = SHA256()
        do {
            let world = try World(seed: script.seed)
            for (number, step) in script.steps.enumerated() {
                whereabouts.withLock { $0 = "seed \(script.seed), step \(number): \(step)" }
                world.network.begin(seed: step.seed, storm: step.isCalm ? 0 : world.profile.storm)
                let said = try await world.act(step)
                await world.network.settle()
                await world.check(isFull: number % 64 == 63)
                world.checkCaches(after: step.action)
                let requests = world.network.log.map(\.summary).joined(separator: ", ")
                let line = "\(number) \(step.action.rawValue) \(step.device) → \(said) [\(requests)]"
                hash.update(data: Data(line.utf8))
                trace?(line)
                report.steps += 1
                if world.violation != nil { break }
            }
            if world.violation == nil { await end(world) }
            report.violation = world.violation
            report.requests = world.network.requestCount
            for (fault, count) in world.network.faults { report.faults[fault.rawValue] = count }
            report.kinds = world.ledger.kinds
        } catch {
            report.violation = Violation(rule: "simulation", text: "\(error)")
        }
        report.digest = hash.finalize().map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
        return report
    }

    /// Everything that clients were told must be true: every password works, and every stored session is live or ended.
    @SimulationActor private static func end(_ world: World) async {
        await world.check(isFull: true)
        for (_, person) in world.ledger.people.sorted(by: { $0.key < $1.key }) where !person.isDisabled {
            if let password = person.password { _ = await world.probe(person, password) }
        }
        await world.check(isFull: true)
    }

    /// Leaves steps and faults out as long as the same rule is broken.
    ///
    /// - Parameter limit: The largest number of histories to play.
    @SimulationActor static func shrink(_ script: Script, _ violation: Violation, limit: Int = 600) async -> Script {
        var best = script
        var left = limit
        func stillFails(_ candidate: Script) async -> Bool {
            left -= 1
            return await play(candidate).violation?.rule == violation.rule
        }
        var length = max(1, best.steps.count / 2)
        while length >= 1, left > 0 {
            var start = 0
            var isSmaller = false
            while start < best.steps.count, left > 0 {
                var candidate = best
                candidate.steps.removeSubrange(start..<min(start + length, best.steps.count))
                if await stillFails(candidate) {
                    best = candidate
                    isSmaller = true
                } else {
                    start += length
                }
            }
            if length == 1, !isSmaller { break }
            length = length == 1 ? 1 : length / 2
        }
        for index in best.steps.indices where left > 0 {
            var candidate = best
            candidate.steps[index].isCalm = true
            if await stillFails(candidate) { best = candidate }
        }
        return best
    }
}
