import CSodium

/// A parsed Argon2id hash with an acceptable cost (`SEC-PWD-10`).
///
/// The text is `$argon2id$v=19$m=‹KiB›,t=‹passes›,p=‹lanes›$‹salt›$‹tag›`, base64 without padding (PHC string format).
package struct Argon2idRecord: Sendable {
    package let phc: String
    package let memoryKiB: Int
    package let passes: Int
    package let lanes: Int
    package let salt: [UInt8]
    package let tag: [UInt8]

    /// The costliest parameters that are ever computed: a planted record with higher ones could stop the server.
    static let costliest = (memoryKiB: 256 * 1024, passes: 10, lanes: 8)

    /// Nil for another algorithm or version, a damaged text, and parameters outside the limits. Computes no hash.
    package init?(phc: String) {
        // libsodium reads the text as a C string, so a NUL would hide the rest.
        guard phc.utf8.count < crypto_pwhash_strbytes(), phc.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        let fields = phc.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 6, fields[0].isEmpty, fields[1] == "argon2id", fields[2] == "v=19" else { return nil }
        let costs = fields[3].split(separator: ",", omittingEmptySubsequences: false)
        guard costs.count == 3,
            let memoryKiB = PHCText.number(costs[0], named: "m="), let passes = PHCText.number(costs[1], named: "t="),
            let lanes = PHCText.number(costs[2], named: "p="),
            (1...Self.costliest.lanes).contains(lanes), (1...Self.costliest.passes).contains(passes),
            (8 * lanes...Self.costliest.memoryKiB).contains(memoryKiB),
            let salt = PHCText.bytes(fields[4]), (8...48).contains(salt.count),
            let tag = PHCText.bytes(fields[5]), (16...64).contains(tag.count)
        else { return nil }
        self.phc = phc
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
        self.salt = salt
        self.tag = tag
    }

    /// Whether `password` gives this tag, compared in constant time; nil when the memory for it cannot be allocated.
    func matches(_ password: String) -> Bool? {
        guard lanes == 1, salt.count == crypto_pwhash_saltbytes() else {
            // Parameters of another program, which libsodium computes only in its combined call. That call does not
            // distinguish a lack of memory from a wrong password, so it is not used for this server's own hashes.
            return password.withCString { crypto_pwhash_str_verify(phc, $0, UInt64(password.utf8.count)) } == 0
        }
        var computed = [UInt8](repeating: 0, count: tag.count)
        let status = password.withCString {
            crypto_pwhash(
                &computed, UInt64(tag.count), $0, UInt64(password.utf8.count), salt, UInt64(passes), memoryKiB * 1024,
                crypto_pwhash_alg_argon2id13())
        }
        guard status == 0 else { return nil }
        return sodium_memcmp(computed, tag, tag.count) == 0
    }
}
