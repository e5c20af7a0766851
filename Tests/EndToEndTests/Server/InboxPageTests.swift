import Foundation
import Testing

/// The development inbox in a browser.
@Suite struct InboxPageTests {
    private static let hasBrowser = ["chromium", "chromium-browser", "google-chrome"].contains { name in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    @Test(
        "A new mail leaves open what is open, and the focus where it is",
        .enabled(if: hasBrowser, "there is no Chromium here; install the package chromium"), .timeLimit(.minutes(2)))
    func aNewMailDisturbsNothing() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try await NativeAuthServer.start(dataFolder: folder.url.appending(path: "data"))
        let script = Python.package.appending(path: "Tests/EndToEndTests/Support/inbox.py").path
        let lines = try await Python.run([script, server.baseURL.absoluteString + "/dev/inbox"]).split(separator: "\n")
        #expect(lines.count == 11)
        for line in lines { #expect(line.hasPrefix("ok "), "\(line)") }
        await server.terminate()
    }
}
