import Foundation
import IdentityEngine
import Testing

@testable import IdentityMail

@Suite("Choosing a mail server")
struct SMTPConfigurationTests {
    @Test(
        "SEC-MAIL-5: TLS is required except on this machine",
        arguments: [
            ("smtp://mail.example:587", SMTPTransport.Security.startTLS), ("smtp://mail.example", .startTLS),
            ("smtps://mail.example:465", .implicitTLS), ("smtps://localhost", .implicitTLS),
            ("smtp://localhost:25", .none), ("smtp://127.0.0.1:1025", .none), ("SMTP://127.9.9.9/", .none),
            ("smtp://[::1]:1025", .none), ("smtp://127.0.0.1.example", .startTLS), ("smtp://127.1", .startTLS),
            ("smtp://localhost.example", .startTLS), ("smtp://0.0.0.0", .startTLS),
            ("smtp://[::ffff:127.0.0.1]", .startTLS),
            ("smtp://u:p@mail.example", .startTLS),
        ])
    func tlsIsRequiredExceptOnThisMachine(_ url: String, _ security: SMTPTransport.Security) throws {
        #expect(try SMTPTransport(url: url).security == security)
    }

    @Test(
        "A wrong URL is refused, and what it held is not repeated",
        arguments: [
            "", "mail.example", "http://mail.example", "smtp://", "smtp:///x", "smtp://mail.example/path",
            "smtp://mail.example?x=1", "smtp://mail.example#x", "smtp://mail.example:0", "smtp://mail.example:65536",
            "smtp://mail.example:x", "smtp://hunter2@mail.example", "smtp://:hunter2@mail.example",
            "smtp://u:hunter2%0D%0A@mail.example", "smtp://u%00:hunter2@mail.example", "smtp://mail_example",
            "smtp://mail.example\r\n", "smtp://b\u{fc}cher.example\u{0}", "ftp://u:hunter2@mail.example",
            "smtp://" + String(repeating: "a", count: 2_000),
        ])
    func aWrongURLIsRefused(_ url: String) throws {
        let error = #expect(throws: SMTPConfigurationError.self) { try SMTPTransport(url: url) }
        #expect(error == .malformedURL)
        #expect(!"\(try #require(error))".contains("hunter2"))
    }

    @Test("SEC-MAIL-5: credentials are not accepted for a connection in the clear")
    func credentialsInTheClearAreRefused() throws {
        for url in ["smtp://u:p@localhost:25", "smtp://u:p@127.0.0.1", "smtp://u:p@[::1]"] {
            #expect(throws: SMTPConfigurationError.credentialsInTheClear) { try SMTPTransport(url: url) }
            #expect(try SMTPTransport(url: url, requiresTLS: true).security == .startTLS)
        }
    }

    @Test("A missing certificate file is named")
    func aMissingCertificateFileIsNamed() {
        #expect(throws: SMTPConfigurationError.unreadableCAFile("/nowhere.pem")) {
            try SMTPTransport(url: "smtps://mail.example", caFile: "/nowhere.pem")
        }
    }
}

@Suite("Sending over SMTP", .timeLimit(.minutes(1)))
struct SMTPTransportTests {
    @Test("SEC-ID-1: a mail arrives over plain SMTP on this machine, envelope and content to the byte")
    func aMailArrivesInTheClear() async throws {
        try await withServer("smtp_sink.py") { server in
            let mail = try message(body: "Hello\r\n.\r\n..leading dots\r\n.end\r\n", to: "Ada.L+tag@Example.COM")
            try await SMTPTransport(url: "smtp://127.0.0.1:\(server.port)").send(mail)
            let sunk = try await server.next(ServerProcess.SunkMail.self)
            #expect(sunk.to == ["Ada.L+tag@Example.COM"])
            #expect(sunk.from == "no-reply@contoso.example")
            #expect(Array(sunk.content) == mail.message)
            #expect(sunk.helo == "contoso.example")
            #expect(!sunk.isEncrypted)
        }
    }

    @Test("SEC-ENUM-3: a greeting names no recipient, and says goodbye")
    func aGreetingNamesNobody() async throws {
        try await withServer("smtp_script.py", ["NOOP=250 ok"]) { server in
            let transport = try SMTPTransport(url: "smtp://127.0.0.1:\(server.port)")
            try await transport.greet(from: address("no-reply@contoso.example"))
            let said = String(decoding: try await server.transcript(), as: UTF8.self)
            #expect(said == "EHLO contoso.example\r\nNOOP\r\nQUIT\r\n")
        }
    }

    @Test("SEC-MAIL-5: STARTTLS, with the certificate checked and a login under it")
    func startTLSWithLogin() async throws {
        let arguments = try Certificates.arguments("starttls") + ["--user", "ada", "--password", "p@ss:w/rd"]
        try await withServer("smtp_sink.py", arguments) { server in
            let transport = try SMTPTransport(
                url: "smtp://ada:p%40ss%3Aw%2Frd@localhost:\(server.port)", caFile: Certificates.path("ca.pem"),
                requiresTLS: true)
            try await transport.send(message())
            let sunk = try await server.next(ServerProcess.SunkMail.self)
            #expect(sunk.isEncrypted && sunk.isAuthenticated)
        }
    }

    @Test("SEC-MAIL-5: a connection is kept for the next mail, with its TLS and login, and is gone a few seconds later")
    func connectionsAreKept() async throws {
        let arguments = try Certificates.arguments("starttls") + ["--user", "ada", "--password", "secret"]
        try await withServer("smtp_sink.py", arguments) { server in
            let transport = try SMTPTransport(
                url: "smtp://ada:secret@localhost:\(server.port)", caFile: Certificates.path("ca.pem"),
                requiresTLS: true)
            var mails: [ServerProcess.SunkMail] = []
            for pause in [0, 0, 7] {
                try await Task.sleep(for: .seconds(pause))
                try await transport.send(message())
                mails.append(try await server.next(ServerProcess.SunkMail.self))
            }
            #expect(mails[0].peer == mails[1].peer && mails[1].peer != mails[2].peer)
            #expect(mails.allSatisfy { $0.isEncrypted && $0.isAuthenticated })
        }
    }

    @Test("What a server said too much is no answer to the next mail")
    func anAnswerTooMuchIsNotTaken() async throws {
        // After the first message it sends one more line, as if it refused the next message.
        try await withServer("smtp_script.py", [#"END=250 taken\r\n550 5.1.1 unknown"#]) { server in
            let transport = try SMTPTransport(url: "smtp://127.0.0.1:\(server.port)")
            for _ in 0..<3 { try await transport.send(message()) }
        }
    }

    @Test("SEC-MAIL-5: TLS from the start, with a login under it")
    func implicitTLSWithLogin() async throws {
        let arguments = try Certificates.arguments("tls") + ["--user", "ada", "--password", "secret"]
        try await withServer("smtp_sink.py", arguments) { server in
            let transport = try SMTPTransport(
                url: "smtps://ada:secret@localhost:\(server.port)", caFile: Certificates.path("ca.pem"))
            try await transport.send(message())
            let sunk = try await server.next(ServerProcess.SunkMail.self)
            #expect(sunk.isEncrypted && sunk.isAuthenticated)
        }
    }

    @Test("A wrong password does not lose the mail and is not in the error")
    func aWrongPasswordIsTemporary() async throws {
        let arguments = try Certificates.arguments("starttls") + ["--user", "ada", "--password", "right"]
        try await withServer("smtp_sink.py", arguments) { server in
            let transport = try SMTPTransport(
                url: "smtp://ada:hunter2@localhost:\(server.port)", caFile: Certificates.path("ca.pem"),
                requiresTLS: true)
            let error = await #expect(throws: MailTransportError.self) { try await transport.send(message()) }
            #expect(error == .temporary(.unauthenticated))
            #expect(!"\(String(reflecting: error)) \(error.debugDescription)".contains("hunter2"))
        }
    }

    @Test(
        "SEC-MAIL-5: a certificate of another authority or for another name is refused",
        arguments: ["starttls", "tls"], [("server", "other-ca.pem"), ("server", nil), ("stranger", "ca.pem")])
    func aWrongCertificateIsRefused(_ security: String, _ pair: (certificate: String, authority: String?)) async throws
    {
        try await withServer("smtp_sink.py", Certificates.arguments(security, pair.certificate)) { server in
            let transport = try SMTPTransport(
                url: "\(security == "tls" ? "smtps" : "smtp")://localhost:\(server.port)",
                caFile: pair.authority.map { try Certificates.path($0) }, requiresTLS: true)
            await #expect(throws: MailTransportError.temporary(.insecure)) { try await transport.send(message()) }
        }
    }

    @Test("SEC-MAIL-5: a server without STARTTLS gets neither credentials nor mail")
    func aServerWithoutStartTLSIsRefused() async throws {
        try await withServer("smtp_script.py", [#"EHLO=250-script\r\n250 AUTH PLAIN LOGIN"#]) { server in
            let transport = try SMTPTransport(url: "smtp://u:hunter2@localhost:\(server.port)", requiresTLS: true)
            await #expect(throws: MailTransportError.temporary(.insecure)) { try await transport.send(message()) }
            let transcript = String(decoding: try await server.transcript(), as: UTF8.self)
            #expect(transcript.hasPrefix("EHLO"))
            #expect(!transcript.contains("AUTH") && !transcript.contains("MAIL"))
        }
    }

    @Test("SEC-MAIL-5: what arrives before TLS starts ends the session")
    func bytesBeforeTLSEndTheSession() async throws {
        let script = [#"EHLO=250-script\r\n250 STARTTLS"#, #"STARTTLS=220 go\r\n250 injected\r\n250 more"#]
        try await withServer("smtp_script.py", script) { server in
            let transport = try SMTPTransport(url: "smtp://localhost:\(server.port)", requiresTLS: true)
            await #expect(throws: MailTransportError.self) { try await transport.send(message()) }
            #expect(!String(decoding: try await server.transcript(), as: UTF8.self).contains("MAIL FROM"))
        }
    }

    @Test("SEC-MAIL-4: on the wire there is exactly one message, leading dots doubled, ended once")
    func theTranscriptHasOneMessage() async throws {
        try await withServer("smtp_script.py") { server in
            let mail = try message(body: ".\r\n..\r\n.hidden\r\n\r\n.\r\nMAIL FROM:<x@y.example>\r\nlast\r\n")
            try await SMTPTransport(url: "smtp://127.0.0.1:\(server.port)").send(mail)
            let transcript = String(decoding: try await server.transcript(), as: UTF8.self)
            #expect(
                transcript == """
                    EHLO contoso.example\r
                    MAIL FROM:<no-reply@contoso.example>\r
                    RCPT TO:<ada@example.com>\r
                    DATA\r
                    Subject: Test\r
                    \r
                    ..\r
                    ...\r
                    ..hidden\r
                    \r
                    ..\r
                    MAIL FROM:<x@y.example>\r
                    last\r
                    .\r
                    QUIT\r

                    """)
        }
    }

    @Test(
        "SEC-MAIL-6: temporary refusals, permanent refusals, and nonsense are told apart",
        arguments: [
            (["RCPT=550 5.1.1 no such user"], MailTransportError.noMailbox(replyCode: 550)),
            (["RCPT=550 5.2.1 too many mails"], .permanent(replyCode: 550)), (["RCPT=550"], .noMailbox(replyCode: 550)),
            (["RCPT=553 no"], .noMailbox(replyCode: 553)),
            ([#"RCPT=550-no\r\n550 really"#], .noMailbox(replyCode: 550)),
            (["END=550 5.1.10 no such user here"], .noMailbox(replyCode: 550)),
            // About the server's policy, the sender or the message, and so about every recipient.
            (["RCPT=550 5.7.1 relaying denied"], .permanent(replyCode: 550)),
            (["RCPT=550 5.1.8 bad sender"], .permanent(replyCode: 550)), (["RCPT=554 no"], .permanent(replyCode: 554)),
            (["MAIL=550 5.1.1 no sender"], .permanent(replyCode: 550)),
            (["RCPT=550 5.7.1 no", "QUIT=550 5.1.1 no"], .permanent(replyCode: 550)),
            (["END=550 no"], .permanent(replyCode: 550)), (["MAIL=550 no"], .permanent(replyCode: 550)),
            (["MAIL=553 not from you"], .permanent(replyCode: 553)), (["DATA=554 no"], .permanent(replyCode: 554)),
            (["END=554 spam"], .permanent(replyCode: 554)), (["RCPT=450 greylisted"], .temporary(.reply(450))),
            (["MAIL=451 later"], .temporary(.reply(451))), (["DATA=421 closing"], .temporary(.reply(421))),
            (["END=452 full"], .temporary(.reply(452))), (["GREETING=554 not you"], .temporary(.reply(554))),
            (["GREETING=421 busy"], .temporary(.reply(421))), (["MAIL=530 log in first"], .temporary(.reply(530))),
            (["RCPT=538 encrypt first"], .temporary(.reply(538))),
        ])
    func refusalsAreToldApart(_ script: [String], _ expected: MailTransportError) async throws {
        try await withServer("smtp_script.py", script) { server in
            let transport = try SMTPTransport(url: "smtp://127.0.0.1:\(server.port)")
            await #expect(throws: expected) { try await transport.send(message()) }
        }
    }

    @Test(
        "SEC-MAIL-6: nonsense and connections that break are failures for now",
        arguments: [
            ["DATA=250 what?"], ["GREETING=!"], ["EHLO=!"], ["RCPT=!"], ["END=!"], ["DATA=!"],
        ])
    func nonsenseIsTemporary(_ script: [String]) async throws {
        try await withServer("smtp_script.py", script) { server in
            let transport = try SMTPTransport(url: "smtp://127.0.0.1:\(server.port)")
            let error = await #expect(throws: MailTransportError.self) { try await transport.send(message()) }
            switch try #require(error) {
            case .temporary: break
            case .permanent(let code), .noMailbox(let code): Issue.record("permanent \(code)")
            }
        }
    }

    @Test("SEC-MAIL-6: connecting is given up after 10 s")
    func connectingIsGivenUp() async throws {
        try await withServer("smtp_script.py", ["BACKLOG=full"]) { server in
            let transport = try SMTPTransport(url: "smtp://127.0.0.1:\(server.port)")
            let start = ContinuousClock.now
            await #expect(throws: MailTransportError.temporary(.timedOut)) { try await transport.send(message()) }
            let time = start.duration(to: .now)
            #expect(time >= .seconds(10) && time < .seconds(25))
        }
    }

    @Test("SEC-MAIL-6: a server that greets late is waited for longer than a connection")
    func aLateGreetingIsWaitedFor() async throws {
        try await withServer("smtp_script.py", ["PAUSE=11"]) { server in
            try await SMTPTransport(url: "smtp://127.0.0.1:\(server.port)").send(message())
            #expect(String(decoding: try await server.transcript(), as: UTF8.self).contains("MAIL FROM"))
        }
    }

    @Test("No server listens: a temporary failure")
    func nobodyListens() async throws {
        let server = try await DevelopmentMailServer.start()
        try await server.shutdown()
        let transport = try SMTPTransport(url: "smtp://127.0.0.1:\(server.port)")
        await #expect(throws: MailTransportError.temporary(.unreachable)) { try await transport.send(message()) }
    }

    @Test("A cancelled send does not wait for a silent server")
    func cancellingEndsTheWait() async throws {
        try await withServer("smtp_script.py", ["GREETING="]) { server in
            let transport = try SMTPTransport(url: "smtp://127.0.0.1:\(server.port)")
            let mail = try message()
            let sending = Task { try await transport.send(mail) }
            #expect(try await server.next(ServerProcess.Session.self).event == "connected")
            sending.cancel()
            await #expect(throws: MailTransportError.temporary(.cancelled)) { try await sending.value }
        }
    }

    @Test("A whole rendered mail survives the way")
    func aRenderedMailSurvivesTheWay() async throws {
        try await withServer("smtp_sink.py") { server in
            let mail = try MailRenderer().render(
                .fixture(language: .japanese, organisation: ".Contoso & コ"), id: "1",
                letterhead: Letterhead(sender: address("a@b.example")))
            try await SMTPTransport(url: "smtp://127.0.0.1:\(server.port)").send(mail)
            let sunk = try await server.next(ServerProcess.SunkMail.self)
            #expect(Array(sunk.content) == mail.message)
            #expect(try #require(try ParsedMail(Array(sunk.content)).parts["plain"]).hasPrefix(".Contoso & コ"))
        }
    }
}
