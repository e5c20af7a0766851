#if canImport(FoundationEssentials) && !canImport(Darwin)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The user's languages in the form of `Accept-Language`.
enum Languages {
    /// The POSIX variables that can have a language. The first that is not empty counts.
    static let variables = ["LC_ALL", "LC_MESSAGES", "LANG"]

    /// At most five languages, best first: from the system's settings, otherwise from the POSIX variables.
    static func preferred(environment: [String: String]) -> String {
        #if canImport(Darwin)
            let languages = Locale.preferredLanguages
        #else
            let languages = variables.compactMap { environment[$0] }.filter { !$0.isEmpty }
                .prefix(1).compactMap(tag(ofPOSIXLocale:))
        #endif
        return list(languages)
    }

    /// `da-DK` for `da_DK.UTF-8`; nil for `C`, `POSIX` and anything that is not a language.
    static func tag(ofPOSIXLocale locale: String) -> String? {
        let name = locale.prefix { $0 != "." && $0 != "@" }
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        let isAlphanumeric = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 8
                && part.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 >= 0x30 && $0 <= 0x39 }
        }
        guard isAlphanumeric, parts.count <= 2, let language = parts.first, (2...3).contains(language.utf8.count) else {
            return nil
        }
        return parts.joined(separator: "-")
    }

    private static func list(_ languages: some Sequence<String>) -> String {
        let weighted = languages.prefix(5).enumerated().map { index, language in
            index == 0 ? language : "\(language);q=0.\(10 - index)"
        }
        return weighted.isEmpty ? "en" : weighted.joined(separator: ", ")
    }
}
