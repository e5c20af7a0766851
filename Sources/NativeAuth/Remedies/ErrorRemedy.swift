/// What an error of the server or of this library means, and what the developer changes.
///
/// Most of them have a number of the server, `AADSTS` and digits, as ``ErrorDetails/errorCodes`` holds. The texts are for
/// developers, in English; show none of them to users, and decide nothing by them. <doc:ErrorNumbers> lists them all.
public struct ErrorRemedy: Hashable, Sendable {
    /// The number of the server; nil for what only has a word.
    public let number: Int?
    /// The server's name or word for it, where one is known; ours else.
    public let name: String
    /// What happened, in a sentence.
    public let cause: String
    /// What to change, in a sentence.
    public let remedy: String

    init(_ number: Int?, _ name: String, _ cause: String, _ remedy: String) {
        self.number = number
        self.name = name
        self.cause = cause
        self.remedy = remedy
    }

    /// All that are known, by number; those without one come last.
    public static let all = chapters.flatMap(\.remedies)
        .sorted { ($0.number ?? .max, $0.name) < ($1.number ?? .max, $1.name) }

    private static let byNumber = Dictionary(
        all.compactMap { remedy in remedy.number.map { ($0, remedy) } }, uniquingKeysWith: { first, _ in first })
    private static let byWord = Dictionary(
        words.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// What is known about a number of the server, such as 50034; nil for one that this library has not heard of.
    public init?(number: Int) {
        guard let remedy = Self.byNumber[number] else { return nil }
        self = remedy
    }

    /// What is known about a word of the server, such as `nativeauthapi_disabled`.
    init?(word: String) {
        guard let remedy = Self.byWord[word] else { return nil }
        self = remedy
    }

    /// What is known about an error: by the server's second word, its numbers, its first word, or else what this library noticed.
    package init?(for details: ErrorDetails) {
        let numbered = details.errorCodes.lazy.compactMap(ErrorRemedy.init(number:)).first
        let second = details.suberror.flatMap(ErrorRemedy.init(word:))
        // One number often stands for several second words, such as those about passwords. Of a code the number says more.
        let found = second == ErrorRemedy(word: "invalid_oob_value") ? numbered ?? second : second ?? numbered
        let noticed = details.circumstance.map { ErrorRemedy($0) }
        guard let remedy = found ?? details.error.flatMap(ErrorRemedy.init(word:)) ?? noticed else { return nil }
        self = remedy
    }

    /// As for its details, with what the kind of the error says.
    package init?(for error: NativeAuthError) {
        var details = error.details
        details.circumstance = error.circumstance
        self.init(for: details)
    }
}

extension ErrorDetails {
    /// In debug builds, what the developer changes, in a sentence, where that is known; in release builds always nil.
    ///
    /// ``ErrorRemedy`` is where it comes from, and is there in release builds too, for tools.
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
