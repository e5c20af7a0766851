/// Not a parser, but an example of a broken one, so that a test can check the detection: input 3 gives a finding, input
/// 5 kills the process.
struct BrokenTarget: Target {
    static let name = "broken"

    private var count = 0

    func input(_ chance: inout Chance) -> [UInt8] { chance.bytes(4) }

    mutating func check(_ input: [UInt8]) throws -> Bool {
        defer { count += 1 }
        try demand(count != 3, "the third")
        precondition(count != 5)
        return true
    }
}
