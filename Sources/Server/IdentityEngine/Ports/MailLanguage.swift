/// A language in which mails are written; the raw value is its tag (BCP 47).
package enum MailLanguage: String, Hashable, Sendable, Codable, CaseIterable {
    case english = "en"
    case arabic = "ar"
    case chinese = "zh-Hans"
    case czech = "cs"
    case danish = "da"
    case dutch = "nl"
    case finnish = "fi"
    case french = "fr"
    case german = "de"
    case hebrew = "he"
    case italian = "it"
    case japanese = "ja"
    case korean = "ko"
    case norwegian = "nb"
    case polish = "pl"
    case portuguese = "pt"
    case spanish = "es"
    case swedish = "sv"
    case turkish = "tr"
    case ukrainian = "uk"

    /// A mail of a node of a newer version may be in a language that this one does not have.
    package init(from decoder: any Decoder) throws {
        self = MailLanguage(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .english
    }

    /// The language of a reader whose language has this tag, such as `da-DK`; nil when there are no mails in it.
    ///
    /// Regions and scripts are ignored, except that Chinese is for readers of the simplified script only. Norwegian and
    /// Hebrew have more than one tag (ISO 639: `no`, `nn`, `iw`).
    package init?(tag: String) {
        let subtags = tag.split(separator: "-").map { $0.lowercased() }
        switch subtags.first {
        case "no", "nn": self = .norwegian
        case "iw": self = .hebrew
        case "zh":
            let isTraditional = ["hant", "tw", "hk", "mo"].contains(where: subtags.contains)
            guard subtags.contains("hans") || !isTraditional else { return nil }
            self = .chinese
        case let primary?: self.init(rawValue: primary)
        case nil: return nil
        }
    }

    /// Whether the script is written from right to left.
    package var isRightToLeft: Bool {
        switch self {
        case .arabic, .hebrew: true
        case .english, .chinese, .czech, .danish, .dutch, .finnish, .french, .german, .italian, .japanese, .korean,
            .norwegian, .polish, .portuguese, .spanish, .swedish, .turkish, .ukrainian:
            false
        }
    }

    /// What its readers call it.
    package var title: String {
        switch self {
        case .english: "English"
        case .arabic: "العربية"
        case .chinese: "简体中文"
        case .czech: "Čeština"
        case .danish: "Dansk"
        case .dutch: "Nederlands"
        case .finnish: "Suomi"
        case .french: "Français"
        case .german: "Deutsch"
        case .hebrew: "עברית"
        case .italian: "Italiano"
        case .japanese: "日本語"
        case .korean: "한국어"
        case .norwegian: "Norsk"
        case .polish: "Polski"
        case .portuguese: "Português"
        case .spanish: "Español"
        case .swedish: "Svenska"
        case .turkish: "Türkçe"
        case .ukrainian: "Українська"
        }
    }
}
