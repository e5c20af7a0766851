/// Something that reads what strangers write, with what must hold whatever they write.
///
/// An input follows from the seed of the run and its own number alone, so that any one of them can be made again.
protocol Target: Sendable {
    /// As in `--target`.
    static var name: String { get }
    /// How many inputs out of 100 that were asked for it gets; less than all where docs/develop/testing.md says so,
    /// or, in a debug build, where all of them would take minutes.
    static var share: (release: Int, debug: Int) { get }
    /// How many inputs build on each other, from ``begin()`` on.
    static var series: Int { get }

    init() async throws
    /// Before each series.
    mutating func begin() async throws
    func input(_ chance: inout Chance) -> [UInt8]
    /// Whether the input was accepted.
    ///
    /// - Throws: ``Finding``, and any other error as one.
    mutating func check(_ input: [UInt8]) async throws -> Bool
}

extension Target {
    static var share: (release: Int, debug: Int) { (100, 100) }
    static var series: Int { 1 }

    mutating func begin() async throws {}
}

/// Something that must not be.
struct Finding: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// Throws a ``Finding`` unless `condition` holds.
func demand(_ condition: Bool, _ description: @autoclosure () -> String) throws(Finding) {
    if !condition { throw Finding(description()) }
}

enum Targets {
    static let all: [any Target.Type] = [
        FormTarget.self, AttributesTarget.self, NameTarget.self, PasswordTarget.self, TokenTarget.self,
        ContinuationTarget.self, ReplyTarget.self, MailTarget.self, HashTarget.self, ProxyTarget.self, PlaceTarget.self,
        WordTarget.self, AnswerTarget.self, CacheTarget.self, RequestTarget.self,
    ]

    static var names: String { all.map { $0.name }.joined(separator: ", ") }
}
