import IdentityEngine

/// A parsed password hash of another system, with an acceptable cost (`SEC-PWD-10`).
///
/// The stored text is the other system's own where that is a PHC string or bcrypt's, and otherwise a PHC string that
/// ``ForeignForms`` makes at the import. It is verified at the first sign-in, and replaced by Argon2id then
/// (`SEC-PWD-7`).
package struct ForeignRecord: Hashable, Sendable {
    enum Method: Hashable, Sendable {
        /// `$2a$`, `$2b$` or `$2y$`, the cost as a power of two, and 53 characters of salt and digest.
        case bcrypt
        /// `$argon2i$v=19$m=‹KiB›,t=‹passes›,p=‹lanes›$‹salt›$‹tag›`. Argon2id is an ``Argon2idRecord``.
        case argon2i
        /// `$pbkdf2-sha256$i=‹iterations›$‹salt›$‹tag›`, also with `sha1` and `sha512`.
        case pbkdf2(PseudorandomFunction, iterations: Int, salt: [UInt8], tag: [UInt8])
        /// `$scrypt$ln=‹power of two›,r=‹blocks›,p=‹lanes›$‹salt›$‹tag›`.
        case scrypt(ScryptCost, salt: [UInt8], tag: [UInt8])
        /// `$firebase-scrypt$ln=…,r=…,p=…$‹salt›$‹keystream›`: the derived key encrypts as many zero bytes with
        /// AES-256-CTR. Firebase encrypts the project's signer key; ``ForeignForms`` takes that out again, so that the
        /// database never has it.
        case firebaseScrypt(ScryptCost, salt: [UInt8], keystream: [UInt8])
        /// `$salted-sha256$o=‹first or last›$‹salt›$‹digest›`, also with `sha512`: one digest over salt and password.
        case saltedDigest(Digest, saltIsFirst: Bool, salt: [UInt8], digest: [UInt8])
    }

    enum PseudorandomFunction: String, Hashable, Sendable, CaseIterable {
        case sha1, sha256, sha512

        var length: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    enum Digest: String, Hashable, Sendable, CaseIterable {
        case sha256, sha512

        var length: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    struct ScryptCost: Hashable, Sendable {
        /// The power of two of the number of blocks.
        var power: Int
        var blockSize: Int
        var lanes: Int

        /// Nil above 256 MiB, or for the work of more than that.
        init?(power: Int, blockSize: Int, lanes: Int) {
            guard (1...21).contains(power), (1...64).contains(blockSize), (1...8).contains(lanes),
                (1 << power) * blockSize * lanes <= 1 << 21
            else { return nil }
            self.power = power
            self.blockSize = blockSize
            self.lanes = lanes
        }
    }

    /// bcrypt's costs that are computed: 14 takes a core a second or more.
    static let bcryptCosts = 4...14
    /// The most iterations of PBKDF2, each for one block of its output.
    static let mostIterations = 2_000_000

    package let phc: String
    let method: Method

    /// Nil for a method that is not supported, a damaged text, and parameters outside the limits. Computes no hash.
    package init?(phc: String) {
        guard phc.utf8.count <= 512, phc.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let fields = phc.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count >= 4, fields[0].isEmpty, let method = Self.method(phc, fields) else { return nil }
        self.phc = phc
        self.method = method
    }

    private static func method(_ phc: String, _ fields: [Substring]) -> Method? {
        switch fields[1] {
        case "2a", "2b", "2y": return isBcrypt(phc, fields) ? .bcrypt : nil
        case "argon2i": return isArgon2i(phc) ? .argon2i : nil
        case _: break
        }
        guard fields.count == 5, let salt = PHCText.bytes(fields[3]), let tag = PHCText.bytes(fields[4]) else {
            return nil
        }
        let costs = fields[2].split(separator: ",", omittingEmptySubsequences: false)
        switch fields[1] {
        case "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512":
            guard costs.count == 1, let iterations = PHCText.number(costs[0], named: "i="),
                let function = PseudorandomFunction(rawValue: String(fields[1].dropFirst(7)))
            else { return nil }
            return pbkdf2(function, iterations, salt, tag)
        case "scrypt", "firebase-scrypt":
            guard costs.count == 3, let power = PHCText.number(costs[0], named: "ln="),
                let blockSize = PHCText.number(costs[1], named: "r="),
                let lanes = PHCText.number(costs[2], named: "p="),
                let cost = ScryptCost(power: power, blockSize: blockSize, lanes: lanes), !salt.isEmpty,
                (16...128).contains(tag.count)
            else { return nil }
            return fields[1] == "scrypt"
                ? .scrypt(cost, salt: salt, tag: tag) : .firebaseScrypt(cost, salt: salt, keystream: tag)
        case "salted-sha256", "salted-sha512":
            guard costs.count == 1, ["o=first", "o=last"].contains(costs[0]),
                let digest = Digest(rawValue: String(fields[1].dropFirst(7))), tag.count == digest.length
            else { return nil }
            return .saltedDigest(digest, saltIsFirst: costs[0] == "o=first", salt: salt, digest: tag)
        case _: return nil
        }
    }

    private static func pbkdf2(
        _ function: PseudorandomFunction, _ iterations: Int, _ salt: [UInt8], _ tag: [UInt8]
    ) -> Method? {
        let blocks = (tag.count + function.length - 1) / function.length
        guard iterations >= 1, !salt.isEmpty, (16...128).contains(tag.count), iterations <= mostIterations / blocks
        else { return nil }
        return .pbkdf2(function, iterations: iterations, salt: salt, tag: tag)
    }

    private static func isBcrypt(_ phc: String, _ fields: [Substring]) -> Bool {
        guard fields.count == 4, phc.utf8.count == 60, fields[2].utf8.count == 2,
            fields[2].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let cost = Int(fields[2])
        else { return false }
        let marks = Set("./".utf8)
        return bcryptCosts.contains(cost)
            && fields[3].utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || marks.contains($0)
            }
    }

    /// The limits are those of Argon2id.
    private static func isArgon2i(_ phc: String) -> Bool {
        Argon2idRecord(phc: phc.replacing("$argon2i$", with: "$argon2id$", maxReplacements: 1)) != nil
    }
}

/// The parts of a PHC string.
enum PHCText {
    /// A decimal number without leading zeros, after its name.
    static func number(_ field: Substring, named name: String) -> Int? {
        guard field.hasPrefix(name), let number = Int(field.dropFirst(name.count)), "\(name)\(number)" == field else {
            return nil
        }
        return number
    }
}
