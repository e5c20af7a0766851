import ArgumentParser
import NativeAuthCore
import PortableFoundation

/// The findings, printed as they occur.
final class Report: Sendable {
    private struct JSON: Encodable {
        let isFine: Bool
        let findings: [Finding]
    }

    private let findings = Locked<[Finding]>([])
    private let isQuiet: Bool

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
    }

    var problems: Int {
        findings.withLock { $0.count { $0.state == .problem } }
    }

    func add(_ finding: Finding) {
        let previous = findings.withLock { findings in
            defer { findings.append(finding) }
            return findings.last
        }
        guard !isQuiet else { return }
        if previous?.area != finding.area {
            let title = finding.area.rawValue
            say(
                (previous == nil ? "" : "\n") + Terminal.styled(title.prefix(1).uppercased() + title.dropFirst(), .bold)
            )
        }
        say(finding.lines)
    }

    func end(asJSON: Bool) throws {
        let findings = findings.withLock { $0 }
        let problems = problems
        let hints = findings.count { $0.state == .hint }
        if asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            say(String(decoding: try encoder.encode(JSON(isFine: problems == 0, findings: findings)), as: UTF8.self))
        } else {
            let hinted = hints == 0 ? "" : hints == 1 ? " There is 1 hint." : " There are \(hints) hints."
            let rest = findings.contains { $0.area == .application } ? "" : " Further checks run after that."
            say("")
            switch problems {
            case 0: say("Nothing is wrong.\(hinted)")
            case 1: say("1 thing has to be changed: the line with “problem”.\(rest)\(hinted)")
            case _: say("\(problems) things have to be changed: the lines with “problem”.\(rest)\(hinted)")
            }
        }
        if problems > 0 { throw ExitCode(1) }
    }
}
