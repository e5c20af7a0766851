import Foundation
import IdentityEngine
import Testing

@testable import native_auth

/// The member `mail` of a tenant file, and `native-auth mail`.
@Suite("Mails of a tenant file", .timeLimit(.minutes(2)))
struct MailCommandTests {
    private static func example() throws -> String {
        let page = try String(contentsOf: Python.package.appending(path: "docs/operate/mails.md"), encoding: .utf8)
        return String(try #require(page.split(separator: "```yaml\n").dropFirst().first?.split(separator: "```").first))
    }

    private static func template() throws -> String {
        let page = try String(contentsOf: Python.package.appending(path: "docs/operate/mails.md"), encoding: .utf8)
        return String(try #require(page.split(separator: "```html\n").dropFirst().first?.split(separator: "```").first))
    }

    private func read(_ mail: String) -> Result<TenantFile, ServeSettings.Invalid> {
        let lines = mail.split(separator: "\n", omittingEmptySubsequences: false).map { "      \($0)\n" }.joined()
        let text = TenantFileTests.small.replacing(
            "    displayName: Harbour\n", with: "    displayName: Harbour\n    mail:\n\(lines)")
        return Result { () throws(ServeSettings.Invalid) in try TenantFile(text, named: "t.yaml") }
    }

    @Test("What the page's example says is read, what export writes of it is read as the same, and a change is shown")
    func theExample() throws {
        var text = try Self.example()
        let template = try Self.template().split(separator: "\n").map { "          \($0)\n" }.joined()
        text = text.replacing("      texts:\n", with: "      templates:\n        html: |\n\(template)      texts:\n")
        let read = try TenantFile(text, named: "t.yaml")
        let mail = try #require(read.directory.entries.first?.tenant.mail)
        #expect(mail.sender == "hello@harbour.example.com" && mail.language == .german && mail.logo?.form == .png)
        #expect(mail.texts[.german]?.count == 3 && mail.colours[.codePanel] == "#ffd166" && mail.templates.count == 1)
        #expect(read.warnings.isEmpty, "\(read.warnings)")
        let written = try TenantText.document(read.directory)
        #expect(try TenantFile(written, named: "written").directory.entries == read.directory.entries, "\(written)")
        let before = try TenantFile(TenantFileTests.small, named: "before").directory
        let lines = TenantDifference(from: before, to: read.directory, users: [:]).lines
        #expect(lines.contains { $0.contains("mail.sender: default → hello@harbour.example.com") }, "\(lines)")
        #expect(lines.allSatisfy { $0.count < 500 })
    }

    @Test(
        "Each fault of the member is told",
        arguments: [
            ("sender: nobody", "sender must be a mail address"),
            (
                "sender: a@\(Array(repeating: String(repeating: "b", count: 60), count: 4).joined(separator: "."))",
                "the domain of sender is longer than 217 bytes"
            ),
            ("replyTo: \"a@b.example\\r\\nBcc: x@y.example\"", "replyTo must be"),
            ("senderName: \"a\\nb\"", "senderName must have"),
            ("language: xx", "language is “xx”; it must be one of: en, ar, zh-Hans"),
            ("logo: PHN2Zy8+", "logo must be a PNG or JPEG file of at most 24 KiB"),
            ("colour: x", "“colour” is not known"),
            ("colours: { page: red }", "page must be a colour such as"),
            ("colours: { panel: \"#12345g\" }", "panel must be a colour"),
            ("colours: { panel: \"#+12345\" }", "panel must be a colour"),
            ("colours: { link: \"#123456\" }", "“link” is not known"),
            ("texts: { zz: {} }", "“zz” is not known"), ("texts: { de: { hello: {} } }", "“hello” is not known"),
            ("texts: { de: { passwordChanged: { label: x } } }", "“label” is not known"),
            ("texts: { de: { signUp: { subject: \"{{user}}\" } } }", "subject has {{user}}; it can have: organisation"),
            (
                "texts: { de: { signUp: { text: \"{{#single}}\" } } }",
                "text has a section {{single}} that is not closed"
            ),
            (
                "templates: { plain: \"{{text}}\" }",
                "plain, line 1 of it: it does not show {{advice}} in mails with a code"
            ),
            ("templates: { html: \"a\\n\\n{{nothing}}\" }", "html, line 3 of it: it has {{nothing}}"),
        ])
    func faults(_ mail: String, _ sentence: String) throws {
        guard case .failure(let invalid) = read(mail) else {
            Issue.record("accepted: \(mail)")
            return
        }
        #expect(invalid.problems.count == 1 && invalid.problems[0].contains(sentence), "\(invalid.problems)")
    }

    @Test(
        "What readers suffer from is warned of",
        arguments: [
            ("colours: { text: \"#999999\" }", "the colour of text on that of panel has a contrast of 2.8 to 1"),
            (
                "colours: { codePanel: \"#1e1b4b\" }",
                "the colour of code on that of codePanel has a contrast of 1.0 to 1"
            ),
            ("texts: { en: { signUp: { text: \"See https://harbour.example.com\" } } }", "a mail has a link"),
        ])
    func warnings(_ mail: String, _ sentence: String) throws {
        let warnings = try read(mail).get().warnings
        #expect(warnings.count == 1 && warnings[0].contains(sentence), "\(warnings)")
    }

    @Test("A sign-up brings the tenant's own mail; mail test sends one, and mail preview writes all of them")
    func theMails() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.url.appending(path: "tenants.yaml")
        try Data(Self.example().utf8).write(to: file)
        let mails = folder.url.appending(path: "mails")
        try FileManager.default.createDirectory(at: mails, withIntermediateDirectories: false)
        let sink = try await SMTPSink.start(in: mails)
        let data = folder.url.appending(path: "data")
        let server = try await NativeAuthServer.start(
            arguments: ["--config", file.path, "--smtp", sink.url, "--mail-from", "no-reply@login.example.com"],
            dataFolder: data)
        var api = NativeAPI(
            baseURL: server.baseURL, clientID: "7d9f1c52-6a0b-4f5e-8e21-94b0c6a1d3f7", tenant: "harbour")
        // None that we have: the tenant's language.
        api.language = "tlh"
        _ = try await api.challenge(try await api.start("dana@example.com").token("start"))
        let mail = try #require(try await sink.mails(1).first)
        #expect(
            mail.contains("From: \"Harbour & Co\"\r\n <hello@harbour.example.com>")
                || mail.contains("From: \"Harbour & Co\"\n <hello@harbour.example.com>"), "\(mail)")
        #expect(mail.contains("Subject: Willkommen bei Harbour") && mail.contains("Content-Language: de"), "\(mail)")
        #expect(mail.contains("Reply-To: <help@harbour.example.com>") && mail.contains("Content-Type: image/png"))

        let tested = try await NativeAuthProcess.run([
            "mail", "test", "dana@example.com", "--data", data.path, "--config", file.path, "--smtp", sink.url,
            "--language", "fr",
        ])
        #expect(
            tested.status == 0 && tested.output == "sent from hello@harbour.example.com; the mail server took it\n",
            "\(tested)")
        let second = try #require(try await sink.mails(2).last)
        #expect(second.contains("Content-Language: fr") && second.contains("12345678"))
        for (arguments, sentence) in [
            (["a b@c"], "is no mail address"),
            (["a@b.example", "--smtp", "smtp://127.0.0.1:1"], "The mail was not taken"),
            (["a@b.example", "--tenant", "nothing"], "--tenant names no tenant"),
        ] {
            let smtp = arguments.contains("--smtp") ? [] : ["--smtp", sink.url]
            let failed = try await NativeAuthProcess.run(
                ["mail", "test", "--data", data.path, "--config", file.path] + arguments + smtp)
            #expect(failed.status != 0 && failed.errors.contains(sentence), "\(failed)")
        }
        await server.terminate()

        let output = folder.url.appending(path: "pages")
        let written = try await NativeAuthProcess.run(["mail", "preview", "--file", file.path, "--output", output.path])
        #expect(written.status == 0 && written.output.hasPrefix("wrote 480 mails"), "\(written)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: output.path).count == 961)
        let page = try String(contentsOf: output.appending(path: "signUp.de.html"), encoding: .utf8)
        #expect(page.contains("src=\"data:image/png;base64,iVBOR") && page.contains("Noch ein Schritt"))
        let shown = try await NativeAuthProcess.run(["mail", "preview", "--file", file.path, "--purpose", "signUp"])
        #expect(
            shown.output.contains("Subject: Willkommen bei Harbour") && shown.output.contains("12345678"), "\(shown)")
    }
}
