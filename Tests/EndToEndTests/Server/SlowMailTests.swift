import Foundation
import Testing

/// A mail server that hangs, and one that becomes available again.
@Suite struct SlowMailTests {
    @Test(
        "SEC-MAIL-1: a challenge does not wait for a mail server that hangs, and its mail goes out when one is there",
        .timeLimit(.minutes(3)))
    func mailWaitsAndTheChallengeDoesNot() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mails = folder.url.appending(path: "mails")
        try FileManager.default.createDirectory(at: mails, withIntermediateDirectories: true)
        let hole = try await PythonServer.blackHole()
        let server = try await NativeAuthServer.start(
            arguments: ["--smtp", "smtp://127.0.0.1:\(hole.port)"], dataFolder: folder.url.appending(path: "data"))
        let api = NativeAPI(baseURL: server.baseURL)

        let token = try await api.start("waiting@example.com").token("start")
        // The mail server sends nothing until it is stopped below.
        _ = try await api.challenge(token).token("challenge")

        await hole.stop()
        let sink = try await SMTPSink.start(in: mails, port: hole.port)
        let mail = try #require(try await sink.mails(1).first)
        #expect(mail.contains("waiting@example.com"))
        // The inbox shows a mail only once a mail server took it.
        let code = try await api.code(for: "waiting@example.com")
        #expect(mail.contains(code))
        await server.terminate()
        await sink.server.stop()
    }

    @Test("a server that is asked to stop does not wait for a mail server that hangs", .timeLimit(.minutes(1)))
    func stopsThoughMailHangs() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let hole = try await PythonServer.blackHole()
        let server = try await NativeAuthServer.start(
            arguments: ["--smtp", "smtp://127.0.0.1:\(hole.port)"], dataFolder: folder.url.appending(path: "data"))
        let api = NativeAPI(baseURL: server.baseURL)
        _ = try await api.challenge(try await api.start("waiting@example.com").token("start")).token("challenge")
        let begin = ContinuousClock.now
        #expect(await server.terminate() == 0)
        // REL-SHUT-1 gives requests 25 s; a mail is not a request, and the outbox keeps it.
        #expect(begin.duration(to: .now) < .seconds(25))
        await hole.stop()
    }
}
