/// A seeded generator (SplitMix64: Steele, Lea and Flood, 2014).
struct Chance: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A generator for one input of a run; the generators of neighbouring inputs are independent.
    init(seed: UInt64, index: Int) {
        self.init(seed: seed)
        state = next() ^ (UInt64(truncatingIfNeeded: index) &* 0xD134_2543_DE82_EF95)
        state = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// From 0 to `limit` - 1. The bias of the remainder does not matter here.
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func percent(_ percent: Int) -> Bool { below(100) < percent }

    /// One of `choices`, which are not empty.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: next())) }
        return bytes
    }
}

/// Makes inputs from good ones: a few changes of bytes, and of words that the parser knows.
struct Mutator: Sendable {
    let seeds: [[UInt8]]
    let words: [[UInt8]]
    /// The number of bytes to which one input in a thousand grows, plus or minus one; 0 for none.
    let long: Int

    init(_ seeds: [String], words: [String] = [], bytes: [[UInt8]] = [], long: Int = 0) {
        self.init(seeds.map { Array($0.utf8) }, words: words, bytes: bytes, long: long)
    }

    init(_ seeds: [[UInt8]], words: [String] = [], bytes: [[UInt8]] = [], long: Int = 0) {
        self.seeds = seeds
        self.words = words.map { Array($0.utf8) } + bytes
        self.long = long
    }

    func input(_ chance: inout Chance) -> [UInt8] {
        if long > 0, chance.below(1_000) == 0 { return longInput(&chance) }
        return mutated(chance.pick(seeds), &chance)
    }

    /// `bytes` after 0 to 5 changes.
    func mutated(_ bytes: [UInt8], _ chance: inout Chance) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<chance.pick([0, 1, 1, 1, 2, 2, 3, 5]) { change(&bytes, &chance) }
        return bytes
    }

    private func change(_ bytes: inout [UInt8], _ chance: inout Chance) {
        let place = chance.below(bytes.count + 1)
        let end = min(bytes.count, place + 1 + chance.below(chance.pick([1, 1, 4, 16])))
        switch chance.below(9) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(chance.below(8))
        case 1 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: chance.next())
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: chance.below(bytes.count + 1))
        case 4:
            let other = chance.pick(seeds)
            bytes = Array(bytes[..<place] + other[min(place, other.count)...])
        case 5 where chance.percent(20): bytes.removeSubrange(place...)
        case 6 where !words.isEmpty: bytes.replaceSubrange(place..<end, with: chance.pick(words))
        case _ where !words.isEmpty: bytes.insert(contentsOf: chance.pick(words), at: place)
        case _: bytes.insert(UInt8(truncatingIfNeeded: chance.next()), at: place)
        }
    }

    private func longInput(_ chance: inout Chance) -> [UInt8] {
        let part = chance.pick(words.isEmpty ? seeds : words)
        guard !part.isEmpty else { return part }
        let length = long + chance.below(3) - 1
        var bytes = chance.pick(seeds)
        while bytes.count < length { bytes += part }
        return Array(bytes.prefix(length))
    }
}

extension [UInt8] {
    /// As text, where it is UTF-8.
    var text: String? { String(validating: self, as: UTF8.self) }
    /// As text; bytes that are not UTF-8 become U+FFFD, as when a framework has decoded them.
    var lenientText: String { String(decoding: self, as: UTF8.self) }
}
