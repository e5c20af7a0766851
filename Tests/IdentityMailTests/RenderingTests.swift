import Foundation
import IdentityEngine
import Testing

@testable import IdentityMail

@Suite("Writing mails")
struct RenderingTests {
    private static let purposes: [MailContent.Purpose] = [
        .signUp, .signIn, .passwordReset, .secondFactor, .registration, .accountChange, .emailChange,
    ]

    private func parsed(_ content: MailContent) throws -> (ParsedMail, RenderedMail) {
        let mail = try MailRenderer().render(
            content, id: "0123-abcd", letterhead: Letterhead(sender: address("no-reply@contoso.example")))
        return (try ParsedMail(mail.message), mail)
    }

    @Test(
        "SEC-MAIL-7: both parts name the organisation, the code and the minutes, and neither links or quotes the user",
        arguments: MailLanguage.allCases, purposes)
    func bothPartsSayWhatTheyMust(_ language: MailLanguage, _ purpose: MailContent.Purpose) throws {
        let (mail, _) = try parsed(
            .fixture(
                purpose: purpose, recipient: "user-typed@example.com", code: "40718293", minutesValid: 17,
                language: language, organisation: "Fabrikam"))
        let plain = try #require(mail.parts["plain"])
        let html = try #require(mail.parts["html"])
        for part in [plain, html] {
            #expect(part.contains("Fabrikam") && part.contains("40718293") && part.contains("17"))
            let sentences = MailPhrases(in: language).sentences(of: purpose)
            let secrecy = try #require(sentences.code?.secrecy.replacing("{{{organisation}}}", with: "Fabrikam"))
            #expect(part.contains(secrecy))
            for forbidden in ["user-typed", "http", "href", "src=", "{{", "}}", "url("] {
                #expect(!part.contains(forbidden), "\(forbidden)")
            }
        }
        #expect(plain.components(separatedBy: "\r\n").contains("40718293"))
        #expect(html.contains("<html lang=\"\(language.rawValue)\" dir=\"\(language.isRightToLeft ? "rtl" : "ltr")\">"))
        #expect(try #require(mail.decoded("subject")).contains("Fabrikam"))
        #expect(mail["auto-submitted"] == "auto-generated")
    }

    @Test(
        "The mail to an old address has the code that takes the change back, in groups, and its days",
        arguments: MailLanguage.allCases)
    func theOldAddressGetsACode(_ language: MailLanguage) throws {
        let code = "123456789012345678901234"
        let (mail, _) = try parsed(
            .fixture(
                purpose: .emailChanged, recipient: "user-typed@example.com", code: code, minutesValid: 7 * 24 * 60,
                language: language, organisation: "Fabrikam"))
        for part in [try #require(mail.parts["plain"]), try #require(mail.parts["html"])] {
            #expect(part.contains("Fabrikam") && part.filter(\.isNumber).contains(code))
            #expect(part.contains("7") && !part.contains("10080"))
            for forbidden in ["user-typed", "http", "href", "src=", "{{", "}}", "url("] {
                #expect(!part.contains(forbidden), "\(forbidden)")
            }
        }
    }

    @Test("Every purpose has its own sentence in every language")
    func everyPurposeHasItsOwnSentence() throws {
        let renderer = MailRenderer()
        var texts: Set<String> = []
        for language in MailLanguage.allCases {
            for purpose in Self.purposes {
                texts.insert(try renderer.words(of: .fixture(purpose: purpose, language: language)).text)
            }
            for purpose in Self.notices {
                texts.insert(try renderer.words(of: .notice(purpose, language)).text)
            }
        }
        #expect(texts.count == MailLanguage.allCases.count * (Self.purposes.count + Self.notices.count))
    }

    @Test("The English text reads as written down here")
    func theEnglishText() throws {
        let words = try MailRenderer().words(of: .fixture(minutesValid: 10))
        #expect(words.subject == "Your verification code for Contoso")
        #expect(
            words.text == """
                Contoso

                Use this code to create your account at Contoso.

                Your code:

                12345678

                It is valid for 10 minutes.
                Do not share this code with anyone. Contoso will never ask you for it.

                If you did not ask for this code, you can ignore this message.
                """)
    }

    static let notices: [MailContent.Purpose] = [
        .passwordChanged, .methodRegistered, .methodRemoved, .methodSuspended, .methodReactivated, .methodFirstUsed,
        .passkeySuspect, .recoveryCodeUsed, .accountExists, .signInLocked, .signedInAfterFailures, .emailReplaced,
        .resetRequired,
        .emailChangeUndone, .accountDeleted, .deletionScheduled,
    ]

    @Test(
        "SEC-SSPR-5, SEC-MFA-4: the notices read as written down here",
        arguments: [MailLanguage.english, .danish, .dutch, .french, .japanese],
        [MailContent.Purpose.passwordChanged, .methodRegistered])
    func theNotices(_ language: MailLanguage, _ purpose: MailContent.Purpose) throws {
        let isPassword = purpose == .passwordChanged
        let (subject, event, advice) =
            switch (language, isPassword) {
            case (.english, true):
                (
                    "Your password for Contoso was changed", "The password of your account at Contoso was changed.",
                    "If this was not you, choose a new password at once and tell Contoso."
                )
            case (.english, false):
                (
                    "A verification method was added to your account at Contoso",
                    "An e-mail address was added to your account at Contoso as a way to prove who you are.",
                    "If this was not you, choose a new password at once and tell Contoso."
                )
            case (.danish, true):
                (
                    "Din adgangskode til Contoso er ændret", "Adgangskoden til din konto hos Contoso er blevet ændret.",
                    "Hvis det ikke var dig, skal du straks vælge en ny adgangskode og kontakte Contoso."
                )
            case (.danish, false):
                (
                    "Der er tilføjet en bekræftelsesmetode til din konto hos Contoso",
                    "En e-mailadresse er blevet knyttet til din konto hos Contoso som bekræftelsesmetode.",
                    "Hvis det ikke var dig, skal du straks vælge en ny adgangskode og kontakte Contoso."
                )
            case (.dutch, true):
                (
                    "Uw wachtwoord voor Contoso is gewijzigd",
                    "Het wachtwoord van uw account bij Contoso is gewijzigd.",
                    "Hebt u dit niet zelf gedaan, kies dan meteen een nieuw wachtwoord en neem contact op met Contoso."
                )
            case (.dutch, false):
                (
                    "Er is een verificatiemethode toegevoegd aan uw account bij Contoso",
                    "Aan uw account bij Contoso is een e-mailadres als verificatiemethode toegevoegd.",
                    "Hebt u dit niet zelf gedaan, kies dan meteen een nieuw wachtwoord en neem contact op met Contoso."
                )
            case (.french, true):
                (
                    "Votre mot de passe pour Contoso a été modifié",
                    "Le mot de passe de votre compte chez Contoso a été modifié.",
                    "Si ce n’était pas vous, choisissez immédiatement un nouveau mot de passe et prévenez Contoso."
                )
            case (.french, false):
                (
                    "Un moyen de vérification a été ajouté à votre compte chez Contoso",
                    "Une adresse e-mail a été ajoutée à votre compte chez Contoso comme moyen de vérification.",
                    "Si ce n’était pas vous, choisissez immédiatement un nouveau mot de passe et prévenez Contoso."
                )
            case (.japanese, true):
                (
                    "Contoso のパスワードが変更されました", "Contoso のアカウントのパスワードが変更されました。",
                    "お心当たりがない場合は、すぐに新しいパスワードを設定し、Contoso にご連絡ください。"
                )
            case (.japanese, false):
                (
                    "Contoso のアカウントに本人確認方法が追加されました",
                    "Contoso のアカウントに、本人確認方法としてメール アドレスが追加されました。",
                    "お心当たりがない場合は、すぐに新しいパスワードを設定し、Contoso にご連絡ください。"
                )
            default: throw NoSuchText()
            }
        let words = try MailRenderer().words(of: .notice(purpose, language))
        #expect(words.subject == subject)
        #expect(words.text == "Contoso\n\n\(event)\n\n\(advice)")
    }

    @Test(
        "SEC-ENR-5: a notice about methods says which ones, when, and from which network",
        arguments: MailLanguage.allCases,
        [
            MailContent.Purpose.methodRegistered, .methodRemoved, .methodSuspended, .methodReactivated,
            .methodFirstUsed,
        ])
    func detailsOfNotices(_ language: MailLanguage, _ purpose: MailContent.Purpose) throws {
        var content = MailContent.notice(purpose, language)
        content.sentAt = Date(timeIntervalSince1970: 1_800_000_000)
        content.occasion = MailContent.Occasion(
            methods: ["d***a@ex***le.com", "e***e@ex***le.org"], network: "192.0.2.0/24")
        let renderer = MailRenderer()
        let words = try renderer.words(of: content)
        let phrases = MailPhrases(in: language)
        let labels = (phrases.methodLabel, phrases.timeLabel, phrases.networkLabel)
        let lines = [
            "\(labels.0): d***a@ex***le.com, e***e@ex***le.org", "\(labels.1): 2027-01-15 08:00:00 UTC",
            "\(labels.2): 192.0.2.0/24",
        ]
        #expect(words.text.contains("\n\n" + lines.joined(separator: "\n") + "\n\n"), "\(words.text)")
        for value in ["d***a@ex***le.com, e***e@ex***le.org", "2027-01-15 08:00:00 UTC", "192.0.2.0/24"] {
            #expect(words.html.contains(value))
        }
        content.occasion?.network = nil
        #expect(try !renderer.words(of: content).text.contains(labels.2), "nothing is said where nothing is known")
    }

    @Test("SEC-ENR-5: a notice about a method of another kind does not call it an e-mail address")
    func kindsOfMethods() throws {
        for language in MailLanguage.allCases {
            for purpose in [
                MailContent.Purpose.methodRegistered, .methodRemoved, .methodSuspended, .methodReactivated,
                .methodFirstUsed,
            ] {
                let phrases = MailPhrases(in: language)
                let usual = try MailRenderer().words(of: .notice(purpose, language)).text
                for (label, name) in [
                    (StrongMethod.appLabel, phrases.authenticatorApp),
                    (StrongMethod.passkeyLabel, phrases.passkey),
                    (StrongMethod.recoveryCodesLabel, phrases.recoveryCodes), ("Quay & Sons", "Quay & Sons"),
                ] {
                    var content = MailContent.notice(purpose, language)
                    content.occasion = MailContent.Occasion(methods: [label], network: nil)
                    let words = try MailRenderer().words(of: content)
                    #expect(
                        words.text.contains(name) && !words.text.contains("\(phrases.methodLabel):"), "\(words.text)")
                    let sentence = usual.split(separator: "\n\n")[1]
                    #expect(!words.text.contains(sentence), "\(words.text)")
                }
            }
            var used = MailContent.notice(.recoveryCodeUsed, language)
            used.occasion = MailContent.Occasion(methods: [StrongMethod.label(ofCodesLeft: 7)], network: nil)
            let text = try MailRenderer().words(of: used).text
            #expect(text.contains("\(MailPhrases(in: language).recoveryCodesLeft): 7"), "\(text)")
        }
    }

    @Test(
        "SEC-ENUM-2: the owner of the address of a sign-up is told that there is an account",
        arguments: [
            (
                MailLanguage.english, "You already have an account at Contoso",
                "Someone, perhaps you, asked for a new account at Contoso with this e-mail address. This address already has an account: sign in, or reset your password if you forgot it.",
                "If this was not you, there is nothing to do: your account is as it was."
            ),
            (
                .danish, "Du har allerede en konto hos Contoso",
                "Nogen, måske dig, har bedt om en ny konto hos Contoso med denne e-mailadresse. Adressen har allerede en konto: Log på, eller nulstil adgangskoden, hvis du har glemt den.",
                "Hvis det ikke var dig, behøver du ikke at gøre noget: Din konto er, som den var."
            ),
            (
                .dutch, "U hebt al een account bij Contoso",
                "Iemand, misschien uzelf, heeft met dit e-mailadres om een nieuw account bij Contoso gevraagd. Voor dit adres is er al een account. Meld u aan; bent u uw wachtwoord vergeten, stel het dan opnieuw in.",
                "Hebt u dit niet zelf gedaan, dan hoeft u niets te doen: uw account is niet gewijzigd."
            ),
            (
                .french, "Vous avez déjà un compte chez Contoso",
                "Quelqu’un, peut-être vous, a demandé un nouveau compte chez Contoso avec cette adresse e-mail. Cette adresse a déjà un compte. Connectez-vous ; si vous avez oublié votre mot de passe, réinitialisez-le.",
                "Si ce n’était pas vous, vous n’avez rien à faire : votre compte n’a pas changé."
            ),
            (
                .japanese, "Contoso のアカウントはすでにあります",
                "どなたか (お客様ご本人かもしれません) が、このメール アドレスで Contoso の新しいアカウントの作成を求めました。このメール アドレスのアカウントはすでにあります。サインインしてください。パスワードをお忘れの場合は、再設定してください。",
                "お心当たりがない場合は、何もする必要はありません。アカウントに変更はありません。"
            ),
        ])
    func theNoticeOfAnAccount(_ language: MailLanguage, subject: String, event: String, advice: String) throws {
        let words = try MailRenderer().words(of: .notice(.accountExists, language))
        #expect(words.subject == subject)
        #expect(words.text == "Contoso\n\n\(event)\n\n\(advice)")
    }

    @Test(
        "SEC-LOCK-10: the warnings about wrong guesses have the text written down here",
        arguments: [
            (
                MailLanguage.english, "Someone is trying to sign in to your account at Contoso",
                "Many wrong passwords were tried for your account at Contoso. Sign-in with a password is blocked for a while; a new password unblocks it at once.",
                "The right password for your account at Contoso was given after many wrong ones."
            ),
            (
                .danish, "Nogen forsøger at logge på din konto hos Contoso",
                "Der er prøvet mange forkerte adgangskoder til din konto hos Contoso. Pålogning med adgangskode er spærret i et stykke tid; en ny adgangskode ophæver spærringen med det samme.",
                "Den rigtige adgangskode til din konto hos Contoso er indtastet efter mange forkerte."
            ),
            (
                .dutch, "Iemand probeert zich aan te melden bij uw account bij Contoso",
                "Er zijn veel verkeerde wachtwoorden geprobeerd voor uw account bij Contoso. Aanmelden met een wachtwoord is een tijdlang geblokkeerd; met een nieuw wachtwoord heft u de blokkering meteen op.",
                "Na veel verkeerde wachtwoorden is het juiste wachtwoord van uw account bij Contoso opgegeven."
            ),
            (
                .french, "Quelqu’un essaie de se connecter à votre compte chez Contoso",
                "De nombreux mots de passe erronés ont été essayés pour votre compte chez Contoso. La connexion par mot de passe est bloquée pendant un moment ; un nouveau mot de passe la débloque aussitôt.",
                "Le bon mot de passe de votre compte chez Contoso a été saisi après de nombreux mots de passe erronés."
            ),
            (
                .japanese, "Contoso のアカウントにサインインしようとしている人がいます",
                "Contoso のアカウントに対して、誤ったパスワードが何度も入力されました。しばらくの間、パスワードではサインインできません。新しいパスワードを設定すると、すぐに解除されます。",
                "Contoso のアカウントに、誤ったパスワードが何度も入力された後、正しいパスワードが入力されました。"
            ),
        ])
    func theWarnings(_ language: MailLanguage, subject: String, lock: String, success: String) throws {
        let renderer = MailRenderer()
        let words = try renderer.words(of: .notice(.signInLocked, language))
        #expect(words.subject == subject)
        #expect(words.text.hasPrefix("Contoso\n\n\(lock)\n\n"))
        #expect(try renderer.words(of: .notice(.signedInAfterFailures, language)).text.contains("\n\n\(success)\n\n"))
    }

    @Test(
        "SEC-MAIL-7: a notice has no code, no link and nothing of the user's in either part",
        arguments: MailLanguage.allCases, notices)
    func noticesHoldNoCode(_ language: MailLanguage, _ purpose: MailContent.Purpose) throws {
        let (mail, _) = try parsed(.notice(purpose, language, organisation: "Fabrikam & Co"))
        let plain = try #require(mail.parts["plain"])
        let html = try #require(mail.parts["html"])
        // The layout has numbers of its own; its text has none, except the days until a deletion.
        let numbers = purpose == .deletionScheduled ? "0" : ""
        #expect(
            plain.filter { $0.isASCII && $0.isNumber } == numbers && !html.contains("letter-spacing")
                && !html.contains("monospace"))
        for part in [plain, html] {
            for forbidden in ["user-typed", "http", "href", "src=", "{{", "}}", "url("] {
                #expect(!part.contains(forbidden), "\(forbidden)")
            }
        }
        #expect(plain.contains("Fabrikam & Co") && html.contains("Fabrikam &amp; Co"))
        #expect(!html.contains("Fabrikam & Co"))
        #expect(mail["auto-submitted"] == "auto-generated")
    }

    @Test(
        "The notice of a deletion that is due says in how many days, and that the user must choose to keep the account",
        arguments: [
            (MailLanguage.english, "in 14 days", "in 1 day.", "sign in before that and choose to keep the account."),
            (.danish, "om 14 dage", "om 1 dag.", "logge på inden da og vælge at beholde kontoen."),
            (
                .dutch, "over 14 dagen", "over 1 dag ",
                "meld u dan vóór die tijd aan en kies ervoor het account te behouden."
            ),
            (.french, "dans 14 jours", "dans 1 jour.", "connectez-vous avant et choisissez de garder le compte."),
            (.japanese, "14 日後", "1 日後", "それまでにサインインし、アカウントを残すことを選択してください。"),
        ])
    func theNoticeOfADeletion(_ language: MailLanguage, days: String, day: String, wish: String) throws {
        let renderer = MailRenderer()
        let text = try renderer.words(of: .notice(.deletionScheduled, language, days: 14)).text
        #expect(text.contains(days) && text.contains(wish), "\(text)")
        #expect(try renderer.words(of: .notice(.deletionScheduled, language, days: 1)).text.contains(day))
    }

    @Test("A code where none belongs, and none where one does, is not mailed")
    func codesGoWhereTheyBelong() throws {
        let renderer = MailRenderer()
        for purpose in Self.purposes + Self.notices {
            let isNotice = Self.notices.contains(purpose)
            #expect(throws: MailFormatError.code) {
                try renderer.words(of: .fixture(purpose: purpose, code: isNotice ? "12345678" : nil))
            }
        }
    }

    @Test(
        "One minute is not plural",
        arguments: [
            (MailLanguage.english, "1 minute."), (.danish, "1 minut."), (.dutch, "1 minuut "), (.french, "1 minute."),
            (.japanese, "1 分間"),
        ])
    func oneMinuteIsNotPlural(_ language: MailLanguage, _ phrase: String) throws {
        let text = try MailRenderer().words(of: .fixture(minutesValid: 1, language: language)).text
        #expect(text.contains(phrase))
    }

    @Test("SEC-ATTR-4: an organisation's name is data: escaped in HTML, as it is in text, never a template")
    func namesAreEscapedByContext() throws {
        let name = #"A & <B> "C" {{code}} {{{7*7}}}"#
        let (mail, _) = try parsed(.fixture(organisation: name))
        let html = try #require(mail.parts["html"])
        #expect(html.contains("A &amp; &lt;B&gt;"))
        #expect(!html.contains("<B>") && !html.contains("&amp;amp;") && !html.contains("&amp;lt;"))
        #expect(html.components(separatedBy: "12345678").count == 2)
        #expect(try #require(mail.parts["plain"]).contains(name))
        #expect(mail.decoded("subject") == "Your verification code for \(name)")
    }

    @Test("The headers are those of RFC 5322, each once")
    func theHeaders() throws {
        let (mail, rendered) = try parsed(.fixture())
        #expect(
            mail.headers.map(\.name) == [
                "date", "from", "to", "message-id", "subject", "auto-submitted", "x-auto-response-suppress",
                "content-language", "mime-version",
                "content-type",
            ])
        #expect(mail["date"] == "Thu, 09 Oct 2025 08:53:20 +0000")
        #expect(mail["from"] == "\"Contoso\" <no-reply@contoso.example>")
        #expect(mail["to"] == "<ada@example.com>")
        #expect(mail["message-id"] == "<0123-abcd@contoso.example>")
        #expect(mail["subject"] == "Your verification code for Contoso")
        #expect(rendered.recipient.text == "ada@example.com")
        #expect(rendered.sender.text == "no-reply@contoso.example")
    }

    @Test("RFC 2047: other letters travel in encoded words of at most 75 bytes, and come back whole")
    func otherLettersAreEncoded() throws {
        let name = String(repeating: "コントソ株式会社 Æ ", count: 12)
        let (mail, rendered) = try parsed(.fixture(language: .japanese, organisation: name))
        #expect(mail.decoded("subject") == "\(name) の確認コード")
        #expect(try #require(mail.decoded("from")) == "\(name) <no-reply@contoso.example>")
        let words = String(decoding: rendered.message, as: UTF8.self).components(
            separatedBy: CharacterSet(charactersIn: " \r\n")
        )
        .filter { $0.hasPrefix("=?") }
        #expect(words.count > 4 && words.allSatisfy { $0.utf8.count <= 75 && $0.hasSuffix("?=") })
    }

    @Test("RFC 2047: a name that looks like an encoded word is shown, not decoded")
    func aLookAlikeOfAnEncodedWordIsEncoded() throws {
        let (mail, rendered) = try parsed(.fixture(organisation: "=?UTF-8?B?eA==?="))
        #expect(!String(decoding: rendered.message, as: UTF8.self).contains("=?UTF-8?B?eA==?="))
        #expect(mail.decoded("subject") == "Your verification code for =?UTF-8?B?eA==?=")
    }

    @Test("SEC-MAIL-4: ASCII lines of at most 76 bytes, whatever the name", arguments: MailLanguage.allCases)
    func linesAreShort(_ language: MailLanguage) throws {
        for name in [
            "Contoso", String(repeating: "x", count: 5_000), String(repeating: ".", count: 500),
            "日本" + String(repeating: "語", count: 900),
        ] {
            let mail = try parsed(.fixture(language: language, organisation: name)).1
            let lines = String(decoding: mail.message, as: UTF8.self).components(separatedBy: "\r\n")
            #expect(lines.allSatisfy { $0.utf8.count <= 76 && !$0.hasPrefix(".") })
            #expect(mail.message.allSatisfy { $0 < 0x80 })
            #expect(try #require(try ParsedMail(mail.message).parts["plain"]).hasPrefix(name))
        }
    }

    @Test("SEC-MAIL-2: the same mail renders to the same bytes")
    func renderingIsRepeatable() throws {
        let content = MailContent.fixture(language: .french)
        #expect(try parsed(content).1.message == parsed(content).1.message)
    }
}

/// A language whose sentences the test does not list.
private struct NoSuchText: Error {}

@Suite("Refusing what must not be in a mail")
struct InjectionTests {
    @Test(
        "SEC-MAIL-3: CR, LF, NUL and other controls in a header value are refused, judged on bytes",
        arguments: [
            "A\r\nBcc: x@example.com", "A\nBcc: x@example.com", "A\rB", "A\u{0}B", "A\r\n\r\nbody", "\r\n", "\n",
            "A\r\n B",
            "A\u{B}B", "A\u{C}B", "A\u{7F}B", "A\u{1B}[0m", "e\u{301}\r\n", "\u{1F468}\u{200D}\r\n\u{1F469}", "A\tB",
        ])
    func headerInjectionIsRefused(_ name: String) throws {
        let renderer = MailRenderer()
        #expect(throws: MailFormatError.header("From")) {
            try renderer.render(
                .fixture(organisation: name), id: "1", letterhead: Letterhead(sender: address("a@b.example")))
        }
        #expect(throws: MailFormatError.header("Subject")) { try MIME.header("Subject", text: name) }
    }

    static let badAddresses =
        [
            "", "@", "a", "a@", "@b.example", "a@b@c.example", "a b@c.example", " a@b.example", "a@b.example ",
            "a@b.example\r\n", "a\r\n@b.example", "a@b.example\nRCPT TO:<x@y.example>", "a\u{0}@b.example",
            "a@b.example>\r\nDATA", "<a@b.example>", "a@b.example>", "\"a b\"@c.example", "a(c)@b.example",
            "a@[127.0.0.1]",
            "@x.example:a@b.example", "a,b@c.example", "a;b@c.example", "a:b@c.example", "a\\b@c.example",
            ".a@b.example",
            "a.@b.example", "a..b@c.example", "a@.b.example", "a@b..example", "a@b.example.", "a@-b.example",
            "a@b-.example", "a@b_c.example", "ä@b.example", "a@bücher.example", "a@b.example\u{85}",
            "a@b.example\u{2028}",
            "a\u{7F}@b.example", "a\t@b.example", "a@b.exam\u{301}ple", "=?UTF-8?Q?a?=@b.example ",
            String(repeating: "a", count: 65) + "@b.example", "a@" + String(repeating: "b", count: 64) + ".example",
            "a@" + String(repeating: "b.", count: 130) + "example", String(repeating: "a", count: 1_000_000),
        ] + (UInt8(0)...0x20).map { "a\(Character(Unicode.Scalar($0)))b@c.example" }

    @Test("SEC-MAIL-3: anything but a plain address is refused", arguments: badAddresses)
    func aBadAddressIsRefused(_ text: String) throws {
        #expect(throws: MailFormatError.address) { try MailAddress(text) }
        #expect(throws: MailFormatError.address) {
            try MailRenderer().render(
                .fixture(recipient: text), id: "1", letterhead: Letterhead(sender: address("a@b.example")))
        }
    }

    @Test(
        "Addresses are kept to the byte, and do not show in print",
        arguments: [
            "ada@example.com", "Ada.Lovelace+x@Example.COM", "a@localhost", "!#$%&'*+-/=?^_`{|}~@b.example",
            String(repeating: "a", count: 64) + "@b.example", "1@2.3",
        ])
    func aGoodAddressIsKept(_ text: String) throws {
        let address = try MailAddress(text)
        #expect(Array(address.text.utf8) == Array(text.utf8))
        #expect(!"\(address)".contains("@"))
    }

    @Test("A message id that is no dot-atom is refused", arguments: ["a b", "a>", "a\r\nX: y", ""])
    func aBadMessageIDIsRefused(_ id: String) throws {
        #expect(throws: MailFormatError.address) {
            try MailRenderer().render(.fixture(), id: id, letterhead: Letterhead(sender: address("a@b.example")))
        }
    }

    @Test(
        "SEC-MAIL-4: a message with a lone CR or LF, NUL, 8-bit byte, line over 998 bytes or open end is not built",
        arguments: [
            "", "a", "a\r", "a\n", "a\r\nb", "a\nb\r\n", "a\rb\r\n", "a\r\r\n", "\n.\r\n", "\r.\r\n\r\n",
            "a\r\n.\nQUIT\r\n",
            "a\u{0}\r\n", "ä\r\n", String(repeating: "x", count: 999) + "\r\n",
        ])
    func aMalformedMessageIsRefused(_ text: String) throws {
        #expect(throws: MailFormatError.line) {
            try RenderedMail(
                sender: address("a@b.example"), recipient: address("c@d.example"), message: Array(text.utf8))
        }
    }

    @Test("A line of 998 bytes is allowed")
    func theLongestLineIsAllowed() throws {
        #expect(try message(body: String(repeating: "x", count: 998) + "\r\n").message.count > 998)
    }
}
