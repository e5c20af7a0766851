import CSodium
import Crypto
import CryptoExtras
import PortableFoundation

#if os(Linux)
    import CCrypt
#endif

extension ForeignRecord {
    /// bcrypt reads no more than this of a password.
    static let longestBcryptPassword = 72
    /// The characters of a bcrypt text behind its salt.
    private static let bcryptDigest = 31

    /// Whether `password` gives this hash, compared in constant time; nil when the memory for it cannot be allocated.
    ///
    /// A password with a NUL is wrong: bcrypt stops there, and HMAC takes NULs at the end for none (`SEC-PWD-2`). It takes
    /// the same time as any other wrong one.
    func matches(_ password: String) -> Bool? {
        verdict(on: password).map { $0 && !password.utf8.contains(0) }
    }

    /// Only libraries compute: libcrypt bcrypt, libsodium Argon2i and scrypt, swift-crypto all else.
    private func verdict(on password: String) -> Bool? {
        switch method {
        case .bcrypt: return bcryptMatches(password)
        case .argon2i:
            return password.withCString { crypto_pwhash_argon2i_str_verify(phc, $0, UInt64(password.utf8.count)) } == 0
        case .pbkdf2(let function, let iterations, let salt, let tag):
            return Self.pbkdf2(password, function, iterations, salt, length: tag.count).map { Self.isEqual($0, tag) }
        case .scrypt(let cost, let salt, let tag):
            return Self.scrypt(password, cost, salt, length: tag.count).map { Self.isEqual($0, tag) }
        case .firebaseScrypt(let cost, let salt, let keystream):
            return Self.scrypt(password, cost, salt, length: 32).flatMap { key in
                Self.keystream(of: key, length: keystream.count).map { Self.isEqual($0, keystream) }
            }
        case .saltedDigest(let digest, let saltIsFirst, let salt, let expected):
            let text = Array(password.utf8)
            let input = saltIsFirst ? salt + text : text + salt
            return switch digest {
            case .sha256: Self.isEqual(Array(SHA256.hash(data: input)), expected)
            case .sha512: Self.isEqual(Array(SHA512.hash(data: input)), expected)
            }
        }
    }

    /// A password that bcrypt would cut is wrong, whatever its first 72 bytes are (`SEC-PWD-7`). It takes the same time as
    /// any other wrong one.
    private func bcryptMatches(_ password: String) -> Bool? {
        let isWhole = password.utf8.count <= Self.longestBcryptPassword
        #if os(Linux)
            // The library wants its working memory zeroed before, and it has the password afterwards.
            let size = MemoryLayout<crypt_data>.size
            let digest = withUnsafeTemporaryAllocation(
                byteCount: size, alignment: MemoryLayout<crypt_data>.alignment
            ) { space -> [UInt8]? in
                guard let memory = space.baseAddress else { return nil }
                sodium_memzero(memory, size)
                defer { sodium_memzero(memory, size) }
                let data = memory.bindMemory(to: crypt_data.self, capacity: 1)
                guard let text = crypt_r(isWhole ? password : "", phc, data) else { return nil }
                return Array(String(cString: text).utf8.suffix(Self.bcryptDigest))
            }
            guard let digest else { return nil }
            // Without the salt: some programs leave bits in its last character that mean nothing.
            return Self.isEqual(digest, Array(phc.utf8.suffix(Self.bcryptDigest))) && isWhole
        #else
            // Apple's libcrypt has no bcrypt: such a user resets the password (docs/operate/import.md).
            return false
        #endif
    }

    private static func pbkdf2(
        _ password: String, _ function: PseudorandomFunction, _ iterations: Int, _ salt: [UInt8], length: Int
    ) -> [UInt8]? {
        let hash: KDF.Insecure.PBKDF2.HashFunction =
            switch function {
            case .sha1: .insecureSHA1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        do {
            return try KDF.Insecure.PBKDF2.deriveKey(
                // HMAC fills a key with zeros, so one zero byte is the empty key, for which the library would trap.
                from: password.isEmpty ? [0] : Array(password.utf8), salt: salt, using: hash, outputByteCount: length,
                unsafeUncheckedRounds: iterations
            ).withUnsafeBytes { Array($0) }
        } catch {
            // The library fails for lack of memory only.
            return nil
        }
    }

    private static func scrypt(_ password: String, _ cost: ScryptCost, _ salt: [UInt8], length: Int) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: length)
        let status = crypto_pwhash_scryptsalsa208sha256_ll(
            Array(password.utf8), password.utf8.count, salt, salt.count, 1 << UInt64(cost.power),
            UInt32(cost.blockSize), UInt32(cost.lanes), &key, key.count)
        return status == 0 ? key : nil
    }

    private static func keystream(of key: [UInt8], length: Int) -> [UInt8]? {
        do {
            let nonce = try AES._CTR.Nonce(nonceBytes: [UInt8](repeating: 0, count: 16))
            return Array(
                try AES._CTR.encrypt(
                    [UInt8](repeating: 0, count: length), using: SymmetricKey(data: key), nonce: nonce))
        } catch {
            return nil
        }
    }

    private static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && sodium_memcmp(one, other, one.count) == 0
    }
}

extension PHCText {
    /// Base64 without padding, in its only form.
    static func bytes(_ base64: Substring) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: base64.utf8.count)
        var count = 0
        let status = sodium_base642bin(
            &bytes, bytes.count, String(base64), base64.utf8.count, nil, &count, nil,
            sodium_base64_VARIANT_ORIGINAL_NO_PADDING)
        return status == 0 ? Array(bytes.prefix(count)) : nil
    }
}
