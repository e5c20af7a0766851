import Foundation
import Testing

/// Requests that two readers could understand differently, over raw sockets to the real listener.
@Suite("Ambiguous requests", .timeLimit(.minutes(2)))
struct SmugglingTests {
    @Test(
        "SEC-NET-11: both lengths, two lengths, bad chunks, folds, bare line feeds, two hosts: 4xx, and no second answer"
    )
    func ambiguousRequestsAreRefused() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try await NativeAuthServer.start(dataFolder: folder.url.appending(path: "data"))
        let script = Python.package.appending(path: "Tests/EndToEndTests/Support/smuggling.py").path
        // The router between client and nodes would be another reader, so ask a node directly.
        let node = try #require(server.listeners.randomElement())
        let output = try await Python.run([script, try #require(node.host()), "\(try #require(node.port))"])
        let last = output.split(separator: "\n").last.map(String.init) ?? ""
        let count = try #require(last.wholeMatch(of: /smuggling: (\d+) cases, .*, 0 let through/)?.1, "\(output)")
        #expect(Int(count) ?? 0 >= 200)
        print(last)
    }
}
