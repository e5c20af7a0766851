import Foundation
import Testing

@Suite(
    "native-auth bench", TwoNodes.skipped("bench starts servers of its own, on the database that it is given"),
    .timeLimit(.minutes(2)))
struct BenchTests {
    @Test("Journeys get to their ends, and the report says what was measured")
    func journeysGetToTheirEnds() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let report = folder.url.appending(path: "report.md")
        let (status, output, errors) = try await NativeAuthProcess.run([
            "bench", "discovery", "otp-sign-up-tokens", "password-sign-in", "refresh-es256", "mixed-day", "overload",
            "--seconds",
            "0.6", "--warm-up", "0.1", "--connections", "4", "--folder", folder.url.path, "--report", report.path,
        ])
        try #require(status == 0, "\(output) \(errors)")
        let text = try String(contentsOf: report, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.split(separator: "|").count >= 10 }
            .dropFirst()
        #expect(rows.count == 7)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(try #require(Double(cells[1])) > 0, "\(row)")
            #expect(cells.last == "0", "\(row) \(output)")
        }
        #expect(text.contains("| RS256 signatures | ") && text.contains("refused: "))
        let plot = try String(contentsOf: folder.url.appending(path: "report.svg"), encoding: .utf8)
        #expect(plot.contains("<polyline") && plot.hasSuffix("</svg>\n"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(left.sorted() == ["report.md", "report.svg"])
    }
}
