import ArgumentParser
import Foundation
import Testing

@testable import native_auth_bench

/// Against the debug build of the server, which `scripts/test` has made before.
@Suite("native-auth-bench", .timeLimit(.minutes(2)))
struct BenchTests {
    private static let server = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build/debug/native-auth")

    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "native-auth-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func remove(_ folder: URL) {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            // The system clears its temporary folder.
        }
    }

    @Test("Journeys get to their ends, and the report says what was measured")
    func journeysGetToTheirEnds() async throws {
        let folder = try Self.folder()
        defer { Self.remove(folder) }
        let report = folder.appending(path: "report.md")
        let command = try BenchCommand.parse([
            "discovery", "otp-sign-up-tokens", "password-sign-in", "passkey-sign-in", "refresh-es256", "mixed-day",
            "page-sign-up",
            "authorize-tokens", "overload",
            "--server", Self.server.path, "--seconds", "0.6", "--warm-up", "0.1", "--connections", "4", "--folder",
            folder.path, "--report", report.path,
        ])
        try await command.run()
        let text = try String(contentsOf: report, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.split(separator: "|").count >= 10 }
            .dropFirst()
        #expect(rows.count == 10)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(try #require(Double(cells[1])) > 0, "\(row)")
            #expect(cells.last == "0", "\(row) \(text)")
        }
        for part in ["| RS256 signatures | ", "of the most;", "refused with 503: "] {
            #expect(text.contains(part), "\(part) \(text)")
        }
        let plot = try String(contentsOf: folder.appending(path: "report.svg"), encoding: .utf8)
        #expect(plot.contains("<polyline") && plot.hasSuffix("</svg>\n"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.sorted() == ["report.md", "report.svg"])
    }

    @Test("The floor serves its journeys on a database of this version, without a failure")
    func floorServes() async throws {
        let folder = try Self.folder()
        defer { Self.remove(folder) }
        let report = folder.appending(path: "report.md")
        let command = try BenchCommand.parse([
            "--floor", "--peak", "otp-sign-up-tokens", "password-sign-in", "code-sign-in", "refresh-es256",
            "--server", Self.server.path, "--seconds", "0.4", "--warm-up", "0.1", "--connections", "4", "--folder",
            folder.path, "--report", report.path,
        ])
        try await command.run()
        let text = try String(contentsOf: report, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
        for title in [
            "sign-up with a code, and tokens", "sign-in with a password", "sign-in with a code", "refresh, ES256",
        ] {
            let row = try #require(
                rows.last { $0.hasPrefix("| \(title) |") }, "\(title) is not in the comparison: \(text)")
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(
                cells.dropFirst().prefix(3).allSatisfy { Double($0.filter { $0 != "," && $0 != "*" }) ?? 0 > 0 },
                "\(row)")
        }
    }
}
