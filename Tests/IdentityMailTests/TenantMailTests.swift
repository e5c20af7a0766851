import Foundation
import IdentityEngine
import Testing

@testable import IdentityMail

@Suite("Mails of a tenant's own")
struct TenantMailTests {
    private static let pixel = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==")!

    private func mail(_ change: (inout TenantMail) -> Void) -> TenantMail {
        var mail = TenantMail()
        change(&mail)
        return mail
    }

    private func message(_ content: MailContent = .fixture(), as mail: TenantMail) throws -> String {
        let rendered = try MailRenderer().render(
            content, id: "0123-abcd", letterhead: Letterhead(sender: address("hello@harbour.example"), mail: mail))
        return String(decoding: rendered.message, as: UTF8.self)
    }

    @Test("Sender, its name and the address for answers are the tenant's")
    func theHeaders() throws {
        let text = try message(
            as: mail {
                $0.senderName = "Harbour & Co"
                $0.replyTo = "help@harbour.example"
            })
        #expect(text.contains("\r\nFrom: \"Harbour & Co\"\r\n <hello@harbour.example>\r\n"))
        #expect(text.contains("\r\nReply-To: <help@harbour.example>\r\n"))
        #expect(text.contains("\r\nMessage-ID: <0123-abcd@harbour.example>\r\n"))
        #expect(throws: MailFormatError.header("From")) {
            try message(as: mail { $0.senderName = "a\r\nBcc: x@y.example" })
        }
        #expect(throws: MailFormatError.address) {
            try message(as: mail { $0.replyTo = "a@b.example\r\nBcc: x@y.example" })
        }
    }

    @Test("SEC-MAIL-7: the logo is a part of the mail, whose base64 is the file, and nothing is fetched")
    func theLogo() throws {
        let text = try message(as: mail { $0.logo = TenantMail.Logo(Self.pixel) })
        #expect(text.contains("Content-Type: multipart/related; boundary=\"=_logo-0123-abcd\"\r\n"))
        let part = try #require(text.components(separatedBy: "Content-ID: <logo@native-auth.invalid>\r\n").last)
        let body = try #require(part.components(separatedBy: "\r\n\r\n").dropFirst().first)
        #expect(Data(base64Encoded: body, options: .ignoreUnknownCharacters) == Self.pixel)
        #expect(text.hasSuffix("--=_logo-0123-abcd--\r\n\r\n--=_0123-abcd--\r\n"))
        #expect(text.contains("src=3D\"cid:logo@native-auth.invalid\"") && !text.contains("http"))
        // A mail whose template does not show it does not carry it.
        let own = mail {
            $0.logo = TenantMail.Logo(Self.pixel)
            $0.templates[.html] = "<p>{{text}} {{code}}</p>"
        }
        #expect(try !message(as: own).contains("image/png"))
    }

    @Test("A file of another kind, or a large one, is no logo")
    func noLogo() {
        #expect(TenantMail.Logo(Data("<svg/>".utf8)) == nil)
        #expect(TenantMail.Logo(Data()) == nil)
        let long = Self.pixel + Data(repeating: 0, count: TenantMail.Logo.maximumBytes + 1 - Self.pixel.count)
        #expect(TenantMail.Logo(long) == nil)
        #expect(TenantMail.Logo(long.dropLast())?.form == .png)
        #expect(TenantMail.Logo(Data([0xFF, 0xD8, 0xFF, 0xE0]))?.form == .jpeg)
    }

    @Test(
        "A sentence of the tenant takes the place of ours, in its language alone, and those of all codes in no notice")
    func theSentences() throws {
        let own = mail {
            $0.texts[.german] = [
                .init(.signUp, .subject): "Willkommen bei {{organisation}}",
                .init(.signUp, .text): "Nur noch {{{minutes}}} Minute{{^single}}n{{/single}}.",
                .init(nil, .advice): "Nichts zu tun.", .init(nil, .validity): "{{minutes}} min",
                .init(.passwordChanged, .subject): "Neues Passwort",
            ]
        }
        let renderer = MailRenderer()
        let words = try renderer.words(of: .fixture(language: .german, organisation: "A & B"), as: own)
        #expect(words.subject == "Willkommen bei A & B")
        #expect(words.text.contains("\n\nNur noch 10 Minuten.\n\n") && words.text.contains("\n10 min\n"))
        #expect(words.text.hasSuffix("Nichts zu tun."))
        #expect(
            try renderer.words(of: .fixture(language: .english), as: own)
                == renderer.words(of: .fixture(language: .english)))
        let notice = try renderer.words(of: .notice(.passwordChanged, .german), as: own)
        #expect(notice.subject == "Neues Passwort" && !notice.text.contains("Nichts zu tun."))
        // The code of the notice to the old address is valid for days.
        let old = try renderer.words(
            of: .fixture(purpose: .emailChanged, minutesValid: 7 * 1_440, language: .german), as: own)
        #expect(!old.text.contains("min") && old.text.contains("7"))
    }

    @Test("Mails of two tenants do not mix, and new settings count at once")
    func theCache() throws {
        let renderer = MailRenderer()
        let (red, blue) = (mail { $0.colours[.page] = "#ff0000" }, mail { $0.colours[.page] = "#0000ff" })
        for (mail, colour) in [(red, "#ff0000"), (blue, "#0000ff"), (.unchanged, "#f3f4f6"), (red, "#ff0000")] {
            let html = try renderer.words(of: .fixture(), as: mail).html
            #expect(["#ff0000", "#0000ff", "#f3f4f6"].filter(html.contains) == [colour])
        }
    }

    /// What is encoded once is the same for each code, also where a line breaks within it.
    @Test("A cached mail shows each code at each place", arguments: [60, 66, 70, 73, 75])
    func theCacheOfParts(_ indent: Int) throws {
        let template = String(repeating: "x", count: indent) + "{{code}} = {{code}}.\n.{{code}}\n{{{text}}}"
        let own = mail { $0.templates = [.plain: template, .html: template] }
        let renderer = MailRenderer()
        for code in ["12345678", "87654321", "123456", "00000000"] {
            let content = MailContent.fixture(code: code)
            let letterhead = try Letterhead(sender: address("a@b.example"), mail: own)
            let cached = try ParsedMail(renderer.render(content, id: "1", letterhead: letterhead).message)
            for part in [try #require(cached.parts["plain"]), try #require(cached.parts["html"])] {
                #expect(part.hasPrefix(template.prefix(indent) + "\(code) = \(code).\r\n.\(code)\r\n"))
            }
            #expect(try renderer.words(of: content, as: own).text.hasPrefix(template.prefix(indent) + code))
        }
    }

    @Test("Templates of the tenant show every kind of mail")
    func theTemplates() throws {
        let plain = """
            {{organisation}} ({{language}}, {{direction}}): {{text}}
            {{#hasCode}}{{label}} {{code}} {{validity}} {{secrecy}}{{/hasCode}}{{#details}}{{name}}={{value}};{{/details}}
            {{advice}}
            """
        let html = plain + "{{! a comment }}{{^hasLogo}}no logo{{/hasLogo}}"
        try MailTemplate.check(plain, as: .plain)
        try MailTemplate.check(html, as: .html)
        let own = mail { $0.templates = [.plain: plain, .html: html] }
        let renderer = MailRenderer()
        for purpose in MailContent.Purpose.allCases {
            for language in MailLanguage.allCases {
                let content = MailContent.sample(
                    of: purpose,
                    for: Tenant(id: .contoso, subdomain: "a", domain: "a.example", displayName: "A & B"), in: language)
                let words = try renderer.words(of: content, as: own)
                #expect(
                    words.text.hasPrefix("A & B (\(language.rawValue), \(language.isRightToLeft ? "rtl" : "ltr")): "))
                #expect(words.html.hasPrefix("A &amp; B (") && words.html.hasSuffix("no logo"))
                #expect(words.text.contains("12345678") == purpose.hasCode)
                #expect(words.text.contains("192.0.2.0/24;") == (content.occasion != nil))
                #expect(!words.text.contains("{{") && !words.html.contains("{{"))
            }
        }
    }

    @Test(
        "A template that would lose something in some mail is refused with its line",
        arguments: [
            ("", TenantMail.Part.plain, 1, "bytes"), (String(repeating: "x", count: 32 * 1024 + 1), .plain, 1, "bytes"),
            ("ok", .plain, 1, "does not show {{text}}"), ("a\n\n{{ user }}", .html, 3, "{{ user }}"),
            ("a\n{{text", .html, 2, "without }}"), ("{{>partial}}", .html, 1, "{{>partial}}"),
            ("{{=<% %>=}}", .html, 1, "{{=<% %>=}}"), ("{{%CONTENT_TYPE:TEXT}}", .html, 1, "{{%"),
            ("{{$block}}{{/block}}", .html, 1, "{{$block}}"), ("{{upper(text)}}", .html, 1, "{{upper(text)}}"),
            ("{{text.count}}", .html, 1, "{{text.count}}"), ("{{\nlogo}}", .html, 1, "it can have"),
            ("{{#hasCode}}", .plain, 1, "not closed"), ("{{#hasCode}}{{/details}}", .plain, 1, "not the last one"),
            ("{{/hasCode}}", .plain, 1, "not the last one"),
            ("{{#text}}{{/text}}", .plain, 1, "has a section {{#text}}"),
            ("a\u{0}", .plain, 1, "control"), ("\(all) {{{text}}}", .html, 1, "{{text}} without escaping"),
            ("\(all) {{&logo}}", .html, 1, "{{logo}} without escaping"),
            (
                "{{text}} {{advice}} {{#hasCode}}{{code}} {{label}} {{validity}}{{/hasCode}}", .plain, 1,
                "does not show {{secrecy}}"
            ),
            (
                "{{text}} {{advice}} {{code}} {{label}} {{validity}} {{secrecy}}", .plain, 1,
                "does not show {{name}} in mails with details"
            ),
            ("{{^hasLogo}}\(all){{/hasLogo}}", .html, 1, "does not show {{text}} in mails with a code and a logo"),
            (
                "{{#hasDetails}}{{text}}{{/hasDetails}}{{#hasCode}}{{text}}{{/hasCode}}\(all.replacing("{{text}}", with: ""))",
                .plain, 1, "in mails without details"
            ),
            ("<!-- \(all) -->", .html, 1, "does not show {{text}}"), ("<style>\(all)</style>", .html, 1, "in a style"),
            ("\(all)\(String(repeating: "{{text}}", count: 1_000))", .html, 1, "more than 100000 bytes"),
            (String(repeating: "{{#hasCode}}", count: 101), .html, 1, "more than 100 sections"),
            ("\(all){{#details}}{{#details}}x{{/details}}{{/details}}", .html, 1, "has a section inside details"),
            ("\(all){{#details}}{{#hasCode}}{{#details}}x", .html, 1, "has a section inside details"),
        ])
    func faults(_ template: String, _ part: TenantMail.Part, line: Int, part of: String) {
        do throws(MailTemplate.Fault) {
            try MailTemplate.check(template, as: part)
            Issue.record("accepted: \(template.prefix(80))")
        } catch {
            #expect(error.line == line && error.sentence.contains(of), "\(error)")
        }
    }

    private static let all =
        "{{text}} {{advice}} {{#hasCode}}{{code}} {{label}} {{validity}} {{secrecy}}{{/hasCode}}{{#details}}{{name}} {{value}}{{/details}}"

    @Test(
        "SEC-MAIL-7: markup that fetches, runs or asks for something is refused, however it is written",
        arguments: [
            "<img src='https://x.example/p.png'>", "<img src=//x.example/p>", "<IMG SRC=HTTPS://x.example>",
            "<img src=\"&#104;ttps://e\">", "<img src=\"https:\\\\e\">", "<img src=\"https:e\">",
            "<img src=\"ht\ntps://e\">",
            "<img src=\"/\n/e\">", "<img src=\"ftp://e\">", "<img src=\"{{organisation}}\">",
            "<img src=\"data:image/png;base64,AA\">",
            "<img srcset=\"cid:b 1x, https://e 2x\">", "<td background=\"http://e\">", "<video poster=//e>",
            "<base href=\"https://e\">",
            "<meta http-equiv=refresh content=\"0;url=https://e\">", "<svg><image href=\"https://e\"/></svg>",
            "<frame src=https:e>",
            "<link rel=stylesheet href=https://e>", "<a ping=\"https://e\" href=\"https://e\">x</a>",
            "<a href=\"javascript:1\">x</a>",
            "<a href=\"java&#115;cript:1\">x</a>", "<a href=\"http://e\">x</a>", "<a href=\" https://e\">x</a>",
            "<p onmouseover=1>x</p>",
            "<p/onclick=1>x</p>", "<form action=https://e><input type=password></form>",
            "<button formaction=https://e>x</button>",
            "<script>1</script>", "<style>@import 'https://e'</style>", "<style>@\\69mport 'e'</style>",
            "<p style='background:url( \"https://e\")'>x</p>", "<p style=\"background:u\\72l(https://e)\">x</p>",
            "<p style=\"background:&#117;rl(https://e)\">x</p>",
            "<p style=\"background:image-set('https://e' 1x)\">x</p>",
            "<style>p{background:src(\"https://e\")}</style>", "<!--[if mso]><v:fill src=\"https://e\"><![endif]-->",
            "<![CDATA[x]]>", "<?xml version='1.0'?>", "<p", "<p style=\"x", "<!-- x", "<style>x", "</script>",
            "<p =x>y</p>",
        ])
    func markup(_ markup: String) {
        #expect(throws: MailTemplate.Fault.self, "\(markup)") { try MailTemplate.check(Self.all + markup, as: .html) }
    }

    @Test("Markup as mails have it is accepted")
    func goodMarkup() throws {
        try MailTemplate.check(
            """
            <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
            <HTML lang="{{language}}" dir={{direction}}><head><meta charset="utf-8"/><title>{{subject}}</title>
            <style type="text/css">@media (max-width: 480px) { .a > td { color: #123456; } }</style></head>
            <!-- a comment --><body bgcolor=#ffffff><table role="presentation" width="100%"><tr><td align='center' style="padding:8px 16px;">
            {{#hasLogo}}<img src="{{logo}}" alt="{{organisation}}" height="40">{{/hasLogo}}1 < 2 <br/><b>\(Self.all)</b>
            <a href="https://harbour.example.com/help?a=1&amp;b=2">Help</a> <a href='mailto:help@harbour.example.com'>Mail</a></td></tr></table></body></HTML>
            """, as: .html)
        // Long runs take the time of their length.
        let clock = ContinuousClock()
        for run in [
            "<img src=" + String(repeating: " ", count: 30_000), String(repeating: "<", count: 30_000),
            "<style>" + String(repeating: "u", count: 30_000),
        ] {
            let time = clock.measure { _ = try? MailTemplate.check(Self.all + run, as: .html) }
            #expect(time < .seconds(5), "\(time)")
        }
    }

    @Test(
        "A sentence is one line of text that names what a sentence can name",
        arguments: [
            "", "a\nb", "a\u{0}", "a\u{85}b", "{{code}}", "{{{code}}}", "{{#single}}", "{{",
            String(repeating: "x", count: 1_001),
        ])
    func sentenceFaults(_ sentence: String) {
        #expect(throws: MailTemplate.Fault.self) { try MailTemplate.check(sentence: sentence) }
    }

    @Test(
        "Every language has its own sentences, and every sentence names what the English one names",
        arguments: MailLanguage.allCases)
    func theLanguages(_ language: MailLanguage) throws {
        let (own, english) = (MailPhrases(in: language), MailPhrases(in: .english))
        for purpose in MailContent.Purpose.allCases {
            let (mine, model) = (own.sentences(of: purpose), english.sentences(of: purpose))
            let pairs = [
                (mine.subject, model.subject), (mine.text, model.text), (mine.advice, model.advice),
                (mine.code?.label ?? "", model.code?.label ?? ""),
                (mine.code?.validity ?? "", model.code?.validity ?? ""),
                (mine.code?.secrecy ?? "", model.code?.secrecy ?? ""),
            ]
            for (sentence, model) in pairs where !model.isEmpty {
                try MailTemplate.check(sentence: sentence)
                #expect(language == .english || sentence != model)
                for name in ["organisation", "minutes", "days"] {
                    #expect(sentence.contains("{\(name)}") == model.contains("{\(name)}"), "\(sentence)")
                }
            }
            #expect(mine.subject.replacing("{{{organisation}}}", with: "Contoso").count <= 90)
        }
    }
}
