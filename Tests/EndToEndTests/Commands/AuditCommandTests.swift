import Foundation
import Testing

/// `native-auth audit` as an operator uses it.
@Suite("Audit commands", .timeLimit(.minutes(2)))
struct AuditCommandTests {
    private func audit(_ arguments: [String], _ data: URL) async throws -> (
        status: Int32, output: String, errors: String
    ) {
        try await NativeAuthProcess.run(["audit"] + arguments + ["--data", data.path])
    }

    @Test("SEC-AUD-2: the trail of a running server is listed and sound; a line changed by hand is named")
    func theTrailIsVerified() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(dataFolder: data)
        _ = try await NativeAPI(baseURL: server.baseURL).signUp("dana@example.com")
        let running = try await audit(["verify"], data)
        #expect(running.status == 0 && running.output.hasPrefix("contoso  sound  "), "\(running.errors)")
        await server.terminate()

        // The server has sealed all its lines before it ended.
        let stopped = try await audit(["verify"], data)
        #expect(stopped.status == 0 && stopped.output.hasSuffix("  0 not sealed yet\n"), "\(stopped.output)")
        let words = stopped.output.split(separator: " ").map(String.init)
        let head = try #require(words.dropFirst(2).first)
        #expect(try server.errors().contains("audit trail sealed"))

        struct Line: Decodable {
            var seq: Int
            var position: Int?
            var event: String
            var user: String?
        }
        let listed = try await audit(["list"], data)
        let lines = try listed.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.map(\.position) == Array(1...lines.count))
        #expect(lines.contains { $0.event == "signup.completed" && $0.user != nil })
        #expect(head.hasPrefix("\(lines.count):"))
        #expect(!listed.output.contains("dana"))
        let later = try await audit(["list", "--after", "\(lines.count - 1)"], data)
        #expect(later.output.split(separator: "\n").count == 1)

        #expect(try await audit(["verify", "--noted", head], data).status == 0)
        #expect(try await audit(["verify", "--noted", "2:00"], data).status == 65)
        _ = try await Database(of: data).rows(#"UPDATE audit SET "user" = NULL WHERE kind = 'signup.completed'"#)
        let place = try #require(lines.first { $0.event == "signup.completed" }?.position)
        let altered = try await audit(["verify"], data)
        #expect(altered.status == 65 && altered.errors.contains("Line \(place) (seq "), "\(altered.errors)")
    }
}
