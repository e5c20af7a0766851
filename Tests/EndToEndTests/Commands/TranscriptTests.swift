import Foundation
import Testing

/// Compares the recorded conversations of docs/evidence/transcripts with the program's current output.
///
/// `RECORD_TRANSCRIPTS=1 swift test --traits Server --filter TranscriptTests` records them again; see
/// docs/evidence/transcripts/README.md.
@Suite(.timeLimit(.minutes(2)))
struct TranscriptTests {
    struct Recording: CustomTestStringConvertible, Sendable {
        let name: String
        let arguments: [String]

        var testDescription: String { name }

        /// The command that reproduces the transcript, any number of times, each time on new data.
        var command: String {
            (["scripts/try"] + arguments + [#"--data "$(mktemp -d)""#]).joined(separator: " ")
        }
    }

    static let recordings = [
        Recording(
            name: "sign-in-with-second-factor",
            arguments: [
                "--script", "--flow", "sign-in-mfa", "--prepare", "--code-from-inbox", "--email", "dana@example.com",
                "--password", "Blue-42-Kayak",
            ]),
        Recording(
            name: "reset",
            arguments: [
                "--script", "--flow", "reset", "--prepare", "--code-from-inbox", "--email", "dana@example.com",
                "--password", "Blue-42-Kayak", "--new-password", "Red-17-Canoe",
            ]),
        Recording(
            name: "account",
            arguments: [
                "--script", "--flow", "account", "--prepare", "--code-from-inbox", "--email", "dana@example.com",
                "--password", "Blue-42-Kayak", "--attribute", "city=Ribe",
            ]),
        Recording(
            name: "methods",
            arguments: [
                "--script", "--flow", "methods", "--prepare", "--code-from-inbox", "--email", "dana@example.com",
                "--password", "Blue-42-Kayak",
            ]),
    ]

    private static let folder = Python.package.appending(path: "docs/evidence/transcripts")

    @Test(arguments: recordings)
    func theRecordedConversationIsWhatThePersonSees(_ recording: Recording) async throws {
        let data = try TemporaryFolder()
        defer { data.remove() }
        let (status, output, errors) = try await NativeAuthProcess.runTry(
            recording.arguments + ["--data", data.url.path])
        #expect(status == 0)
        #expect(errors == "")

        // The output says so when the server is `try`'s own; with two nodes the server belongs to the test.
        let shown = TwoNodes.isOn ? output.replacing(/(  server  \S+)/) { "\($0.1)  (yours, while this runs)" } : output
        try Self.compare("$ \(recording.command)\n" + Self.normalised(shown), with: recording.name)
    }

    /// Compares the output with the recording, or records it.
    static func compare(_ printed: String, with name: String) throws {
        let file = folder.appending(path: "\(name).txt")
        if ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] == "1" {
            try Data(printed.utf8).write(to: file)
        }
        let recorded = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        // Line by line: a failure names the first line that differs.
        let pairs = zip(lines(recorded), lines(printed))
        let difference = pairs.first { $0.0 != $0.1 }
        #expect(difference?.1 == difference?.0)
        #expect(lines(printed).count == lines(recorded).count)
    }

    @Test func whatDiffersFromRunToRunIsNormalised() {
        #expect(Self.normalised("http://127.0.0.1:54923/dev/inbox") == "http://127.0.0.1:8765/dev/inbox")
        #expect(Self.normalised("oid f1ab6ca1-b2d9-403d-9b8f-35b9de7feb8a") == "oid ‹uuid›")
        #expect(Self.normalised("sub RIN8CpS4jUgBcJU0eTyNHZSeGL1bGiwAj_3_tlJEQR4") == "sub ‹id›")
        #expect(Self.normalised("sub -IN8CpS4jUgBcJU0eTyNHZSeGL1bGiwAj_3_tlJEQR-") == "sub ‹id›")
        #expect(Self.normalised("exp 1795217275  2026-11-20T23:27:55Z") == "exp ‹seconds›  ‹time›")
        #expect(Self.normalised("Code: 34751569") == "Code: ‹code›")
        #expect(Self.normalised("app: ABCD EFGH 2345 IJKL MNOP QRST UVWX\nYZ67") == "app: ‹key›")
        #expect(Self.normalised("1  A4T8-9XJ2-WNNT-VA3H") == "1  ‹recovery code›")
        #expect(Self.normalised("eyJhbGciOi.eyJhdWQi.c2lnbmF0dXJl") == "‹token›")
    }

    @Test func whatIsTheSameInEveryRunStays() {
        let text =
            "aud 11112222-bbbb-3333-cccc-4444dddd5555, tid aaaabbbb-0000-cccc-1111-dddd2222eeee, 401 c1 dana@example.com"

        #expect(Self.normalised(text) == text)
    }

    // MARK: Normalising

    /// `text` without what differs from run to run: the port, identifiers, times, codes and tokens. The identifiers of
    /// the development tenant and its applications stay.
    static func normalised(_ text: String) -> String {
        text.replacing(/http:\/\/127\.0\.0\.1:\d+/, with: "http://127.0.0.1:8765")
            .replacing(/127\.0\.0\.1:\d+/, with: "127.0.0.1:8765")
            .replacing(/eyJ[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+/, with: "‹token›")
            .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) { match in
                let uuid = String(match.output.0)
                return fixed.contains(uuid) ? uuid : "‹uuid›"
            }
            .replacing(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/, with: "‹time›")
            .replacing(/[A-Za-z0-9_-]{40,}/, with: "‹id›")
            .replacing(/"operatingSystem" : "[^"]*"/, with: #""operatingSystem" : "‹version›""#)
            .replacing(/([A-Z2-7]{4}\s){7}[A-Z2-7]{4}/, with: "‹key›")
            .replacing(/secret=[A-Z2-7]{32}/, with: "secret=‹key›")
            .replacing(/\b([0-9A-Z]{4}-){3}[0-9A-Z]{4}\b/, with: "‹recovery code›")
            .replacing(/\b\d{10}\b/, with: "‹seconds›")
            .replacing(/\b\d{8}\b(?!-)/, with: "‹code›")
    }

    private static let fixed: Set<String> = [
        "aaaabbbb-0000-cccc-1111-dddd2222eeee", "00001111-aaaa-2222-bbbb-3333cccc4444",
        "11112222-bbbb-3333-cccc-4444dddd5555", "22223333-cccc-4444-dddd-5555eeee6666",
        "33334444-dddd-5555-eeee-6666ffff7777", "44445555-eeee-6666-ffff-777700008888",
    ]

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }
}
