/// A parser of untrusted input, with the properties that must hold for every input.
///
/// An input derives only from the seed of the run and its number, so that each can be reproduced.
protocol Target: Sendable {
    /// The name in `--target`.
    static var name: String { get }
    /// The share in percent of the requested inputs that the target gets; less than 100 when docs/develop/testing.md
    /// says so, or, in a debug build, when all of them would take minutes.
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

/// A violated property.
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
        WordTarget.self, FilterTarget.self, AnswerTarget.self, CacheTarget.self, RequestTarget.self,
        PasskeyTarget.self, ProviderTarget.self,
    ]

    static var names: String { all.map { $0.name }.joined(separator: ", ") }
}
