/// Whether a secret that a person has chosen can be a random one (`SEC-PRF-4`).
package enum SecretStrength {
    /// How many bytes a secret has at least: so many characters of any sensible alphabet hold 128 bits and more.
    package static let shortest = 32

    /// False for what is too short, one text over and over, a run such as `0123456789abcdef…`, or made of few different
    /// characters. A random secret of 32 hexadecimal digits looks so once in 10⁷ cases.
    package static func isEnough(_ secret: String) -> Bool {
        let bytes = Array(secret.utf8)
        return bytes.count >= shortest && !isRepetition(bytes) && Set(bytes).count >= 8 && !isRun(bytes)
    }

    /// Whether the whole is a text that would be too short, one and a half times or more often.
    private static func isRepetition(_ bytes: [UInt8]) -> Bool {
        (1..<shortest).contains { period in
            period * 3 <= bytes.count * 2 && zip(bytes, bytes.dropFirst(period)).allSatisfy { $0 == $1 }
        }
    }

    /// Whether most bytes are as far from the one before as that one is from its own.
    package static func isRun(_ bytes: [UInt8]) -> Bool {
        let steps = zip(bytes, bytes.dropFirst()).map { Int($1) - Int($0) }
        let changes = zip(steps, steps.dropFirst()).count { $0 != $1 }
        return changes * 2 < bytes.count
    }
}
