import Foundation
import Testing

@testable import IdentityMail

@Suite("The inbox of the development profile")
struct DevelopmentInboxTests {
    private func mail(_ number: Int, to address: String = "ada@example.com") -> DeliveredMail {
        DeliveredMail(
            to: address, subject: "S", code: "\(number)", text: "T",
            sentAt: Date(timeIntervalSince1970: 1_760_000_000.25))
    }

    @Test("Newest first, at most 1 000, and every mail counts as a change")
    func theInboxIsBounded() async {
        let inbox = DevelopmentInbox()
        for number in 0..<1_010 { await inbox.record(mail(number)) }
        let mails = await inbox.mails()
        #expect(mails.map(\.code) == (10..<1_010).reversed().map(String.init))
        #expect(await inbox.changes == 1_010)
    }

    @Test("Addresses are compared without regard to ASCII case, and to nothing else")
    func addressesAreComparedByASCIICase() async {
        let inbox = DevelopmentInbox()
        await inbox.record(mail(1, to: "Ada@Example.com"))
        await inbox.record(mail(2, to: "bob@example.com"))
        await inbox.record(mail(3, to: "k@example.com"))
        #expect(await inbox.mails(to: "aDA@eXAMPLE.COM").map(\.code) == ["1"])
        #expect(await inbox.mails(to: "\u{212A}@example.com").isEmpty)
        #expect(await inbox.mails(to: "ada@example.co").isEmpty)
    }

    @Test("The JSON has the fields of the design, times in RFC 3339")
    func theJSON() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode([mail(7, to: "a@b.example")]), as: UTF8.self)
        #expect(
            json
                == #"[{"code":"7","sentAt":"2025-10-09T08:53:20.250Z","subject":"S","text":"T","to":"a@b.example"}]"#
        )
        #expect(!"\(mail(12_345_678))".contains("12345678"))
        var notice = mail(7, to: "a@b.example")
        notice.code = nil
        #expect(
            String(decoding: try encoder.encode(notice), as: UTF8.self)
                == #"{"code":null,"sentAt":"2025-10-09T08:53:20.250Z","subject":"S","text":"T","to":"a@b.example"}"#
        )
    }
}

@Suite("The mail server of the development profile", .timeLimit(.minutes(1)))
struct DevelopmentMailServerTests {
    /// Sends `input` to the server at once, and returns its answers line by line.
    private func answers(to input: String, _ server: DevelopmentMailServer) throws -> [String] {
        let client = Process()
        client.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        client.arguments = [
            "python3", "-c",
            """
            import socket, sys
            connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10)
            connection.settimeout(10)
            try:
                connection.sendall(sys.stdin.buffer.read())
            except ConnectionError:
                pass
            while True:
                try:
                    chunk = connection.recv(65536)
                except ConnectionError:
                    break
                if not chunk:
                    break
                sys.stdout.write(chunk.decode())
            """, "\(server.port)",
        ]
        let (standardInput, output) = (Pipe(), Pipe())
        client.standardInput = standardInput
        client.standardOutput = output
        client.standardError = FileHandle.nullDevice
        try client.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        client.waitUntilExit()
        return String(decoding: data, as: UTF8.self).components(separatedBy: "\r\n").dropLast().map {
            String($0.prefix(3))
        }
    }

    private func withDevelopmentServer(_ body: (DevelopmentMailServer) async throws -> Void) async throws {
        let server = try await DevelopmentMailServer.start()
        try await body(server)
        try await server.shutdown()
    }

    @Test("It takes what libcurl sends, and counts it")
    func itTakesMails() async throws {
        try await withDevelopmentServer { server in
            let transport = try SMTPTransport(url: "smtp://127.0.0.1:\(server.port)")
            for _ in 0..<3 { try await transport.send(message(body: ".dot\r\n")) }
            #expect(server.acceptedCount == 3)
        }
    }

    @Test("RFC 5321: commands out of order are refused, in order they are obeyed")
    func theOrderOfCommands() async throws {
        try await withDevelopmentServer { server in
            let input = """
                MAIL FROM:<a@b>\r\nehlo x\r\nRCPT TO:<c@d>\r\nDATA\r\nMAIL FROM:<a@b>\r\nDATA\r\nRCPT TO:<c@d>\r
                RCPT TO:<e@f>\r
                DATA\r\n..\r\nx\n.\nQUIT\r\n.\r\nNOOP\r\nMAIL FROM:<a@b>\r\nRSET\r\nRCPT TO:<c@d>\r\nVRFY x\r\nQUIT\r\n
                """
            let expected = [
                "220", "503", "250", "250", "503", "503", "250", "503", "250", "250", "354", "250", "250", "250", "250",
                "503", "500", "221",
            ]
            let answers = try answers(to: input, server)
            #expect(answers == expected)
            #expect(server.acceptedCount == 1)
        }
    }

    @Test("A message over 1 MiB is not taken; a line over 1 000 bytes ends the session")
    func thereAreLimits() async throws {
        try await withDevelopmentServer { server in
            let start = "HELO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\n"
            let line = String(repeating: "x", count: 998) + "\r\n"
            let big = start + String(repeating: line, count: 1_100) + ".\r\nQUIT\r\n"
            let toBig = try answers(to: big, server)
            #expect(toBig == ["220", "250", "250", "250", "354", "552", "221"])
            let toLong = try answers(to: start + String(repeating: "x", count: 70_000), server)
            #expect(toLong.last == "500")
            #expect(server.acceptedCount == 0)
        }
    }

    @Test(
        "It listens on this machine only", arguments: ["0.0.0.0", "::", "192.0.2.1", "localhost", "127.0.0.1.example"])
    func itListensOnThisMachineOnly(_ host: String) async {
        await #expect(throws: (any Error).self) { try await DevelopmentMailServer.start(host: host) }
    }

    @Test("Shutting down twice is fine")
    func shuttingDownTwiceIsFine() async throws {
        let server = try await DevelopmentMailServer.start()
        try await server.shutdown()
        try await server.shutdown()
    }
}
