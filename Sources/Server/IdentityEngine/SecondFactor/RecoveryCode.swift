package import NativeAuthCore
package import PortableFoundation

/// One of ten codes for the loss of every other method: 16 characters in groups of four. The first two name the code
/// among the ten, so that a guess costs one hash; the other 14 are 70 random bits (`SEC-REC-1`).
package struct RecoveryCode: Hashable, Sendable {
    /// The number of codes that a user is given at once.
    package static let count = 10
    package static let length = 16
    private static let tagLength = 2
    /// Crockford's: 32 characters without I, L, O and U.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Without blanks and hyphens.
    package let characters: Secret<String>

    /// The code that a user typed: letter case, blanks and hyphens do not matter, and neither does O for 0 or I and L
    /// for 1 (`SEC-REC-8`). Nil when the text cannot be a code, and is refused without being counted.
    package init?(typed: Secret<String>) {
        // Bounded before anything else is done with it.
        guard typed.reveal().utf8.count <= 64 else { return nil }
        var characters: [UInt8] = []
        for byte in typed.reveal().utf8.codeCharacters {
            let upper = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
            switch upper {
            case UInt8(ascii: "O"): characters.append(UInt8(ascii: "0"))
            case UInt8(ascii: "I"), UInt8(ascii: "L"): characters.append(UInt8(ascii: "1"))
            default: characters.append(upper)
            }
        }
        guard characters.count == Self.length, characters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.init(characters)
    }

    private init(_ characters: [UInt8]) {
        self.characters = Secret(String(decoding: characters, as: UTF8.self))
    }

    /// Ten new codes, with ten different names.
    package static func drawn(by randomness: any Randomness) -> [RecoveryCode] {
        var codes: [RecoveryCode] = []
        while codes.count < count {
            // 256 is a multiple of 32: no character is more likely.
            let code = RecoveryCode(randomness.bytes(length).map { alphabet[Int($0 & 31)] })
            if !codes.contains(where: { $0.tag == code.tag }) { codes.append(code) }
        }
        return codes
    }

    /// The name of the code among the ten; no secret.
    package var tag: String { String(characters.reveal().prefix(Self.tagLength)) }

    /// As the user is shown it: `ABCD-EFGH-JKMN-PQRS`.
    package var shown: Secret<String> {
        let all = Array(characters.reveal().utf8)
        return Secret(
            stride(from: 0, to: Self.length, by: 4).map { String(decoding: all[$0..<$0 + 4], as: UTF8.self) }
                .joined(separator: "-"))
    }
}

/// The recovery codes that a user has left, as the server keeps them: spares for the methods of the second factor, which
/// make no user enrolled by themselves (design record 0041).
package struct RecoverySet: Hashable, Sendable, Codable {
    package struct Kept: Hashable, Sendable, Codable {
        /// The code's name among the ten.
        package var tag: String
        package var hash: PasswordHash

        package init(tag: String, hash: PasswordHash) {
            self.tag = tag
            self.hash = hash
        }
    }

    /// Random; `id` in lists of methods.
    package var id: UUID
    package var madeAt: Date
    /// Those that are not used yet.
    package var codes: [Kept]

    package init(id: UUID, madeAt: Date, codes: [Kept]) {
        self.id = id
        self.madeAt = madeAt
        self.codes = codes
    }

    /// The codes as a method, for a sign-in.
    var method: StrongMethod {
        StrongMethod(id: id, kind: .recoveryCodes, provenAt: madeAt, enrolment: Enrolment(.twoFactors))
    }

    /// The hash that a code is compared with; nil when it is none of these.
    func hash(of code: RecoveryCode) -> PasswordHash? { codes.first { $0.tag == code.tag }?.hash }

    /// The set after the use of a code.
    func spending(_ code: RecoveryCode) -> RecoverySet {
        var left = self
        left.codes.removeAll { $0.tag == code.tag }
        return left
    }
}
