/// The meaning of an error of the server or of this library, and the remedy for the developer.
///
/// Most errors have a server number, `AADSTS` and digits, which ``ErrorDetails/errorCodes`` holds. The texts are for
/// developers, in English; do not show them to users, and do not base decisions on them. <doc:ErrorNumbers> lists them
/// all. A release build of an app does not contain them.
public struct ErrorRemedy: Hashable, Sendable {
    /// The server's number; nil for an error that only has a word.
    public let number: Int?
    /// The server's name or word for the error; this library's name when the server has none.
    public let name: String
    /// The cause of the error, in a sentence.
    public let cause: String
    /// The change that corrects the error, in a sentence.
    public let remedy: String

    init(_ number: Int?, _ name: String, _ cause: String, _ remedy: String) {
        self.number = number
        self.name = name
        self.cause = cause
        self.remedy = remedy
    }

    /// All known errors, sorted by number; those without a number come last. Empty in a release build of an app.
    public static let all = chapters.flatMap(\.remedies)
        .sorted { ($0.number ?? .max, $0.name) < ($1.number ?? .max, $1.name) }

    private static let byNumber = Dictionary(
        all.compactMap { remedy in remedy.number.map { ($0, remedy) } }, uniquingKeysWith: { first, _ in first })

    /// The entry for a server number, such as 50034; nil for an unknown number, and in a release build of an app.
    public init?(number: Int) {
        guard let remedy = Self.byNumber[number] else { return nil }
        self = remedy
    }
}

#if DEBUG || Server
    extension ErrorRemedy {
        private static let byWord = Dictionary(
            words.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

        /// The entry for a server word, such as `nativeauthapi_disabled`; nil for an unknown word.
        init?(word: String) {
            guard let remedy = Self.byWord[word] else { return nil }
            self = remedy
        }

        /// The entry for an error, found by the server's second word, its numbers, its first word, or the cause that this
        /// library detected.
        package init?(for details: ErrorDetails) {
            let numbered = details.errorCodes.lazy.compactMap(ErrorRemedy.init(number:)).first
            let second = details.suberror.flatMap(ErrorRemedy.init(word:))
            // One number often stands for several second words, such as those about passwords. For codes the number says
            // more.
            let found = second == ErrorRemedy(word: "invalid_oob_value") ? numbered ?? second : second ?? numbered
            let noticed = details.condition.map { ErrorRemedy($0) }
            guard let remedy = found ?? details.error.flatMap(ErrorRemedy.init(word:)) ?? noticed else { return nil }
            self = remedy
        }

        /// The entry for an error, found by its details and its kind.
        package init?(for error: NativeAuthError) {
            var details = error.details
            details.condition = error.condition
            self.init(for: details)
        }
    }
#else
    extension ErrorRemedy {
        private static let chapters: [(title: String, remedies: [ErrorRemedy])] = []
    }
#endif

extension ErrorDetails {
    /// In debug builds, the change that corrects the error, in a sentence, if it is known; in release builds always
    /// nil.
    ///
    /// The text comes from ``ErrorRemedy``.
    public var remedy: String? {
        #if DEBUG
            ErrorRemedy(for: self)?.remedy
        #else
            nil
        #endif
    }
}

extension NativeAuthFailure {
    /// As ``ErrorDetails/remedy``.
    public var remedy: String? { details.remedy }
}
