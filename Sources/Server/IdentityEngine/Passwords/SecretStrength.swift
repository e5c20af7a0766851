/// Checks whether a configured secret can be a random one (`SEC-PRF-4`).
package enum SecretStrength {
    /// The minimum length of a secret in bytes; that many characters of any usual alphabet hold 128 bits or more.
    package static let shortest = 32

    /// False for a secret that is too short, one text repeated, a run such as `0123456789abcdef…`, or made of few
    /// different characters. A random secret of 32 hexadecimal digits fails once in 10⁷ cases.
    package static func isEnough(_ secret: String) -> Bool {
        let bytes = Array(secret.utf8)
        return bytes.count >= shortest && !isRepetition(bytes) && Set(bytes).count >= 8 && !isRun(bytes)
    }

    /// Whether the secret is a text shorter than ``shortest``, repeated one and a half times or more.
    private static func isRepetition(_ bytes: [UInt8]) -> Bool {
        (1..<shortest).contains { period in
            period * 3 <= bytes.count * 2 && zip(bytes, bytes.dropFirst(period)).allSatisfy { $0 == $1 }
        }
    }

    /// Whether most bytes have the same distance to their predecessor as the predecessor has to its own.
    package static func isRun(_ bytes: [UInt8]) -> Bool {
        let steps = zip(bytes, bytes.dropFirst()).map { Int($1) - Int($0) }
        let changes = zip(steps, steps.dropFirst()).count { $0 != $1 }
        return changes * 2 < bytes.count
    }
}
