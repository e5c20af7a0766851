import Crypto
import CryptoExtras
import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// Pseudo-random bytes derived from a seed: SHA-256 of seed and counter.
final class SeededRandomness: Randomness {
    private let seed: UInt64
    private let counter: Locked<UInt64> = Locked(0)

    init(seed: UInt64) {
        self.seed = seed
    }

    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let block = counter.withLock { counter in
                counter += 1
                return counter
            }
            var hash = SHA256()
            withUnsafeBytes(of: (seed.bigEndian, block.bigEndian)) { hash.update(bufferPointer: $0) }
            hash.finalize().withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    /// A number in `range`.
    func number(in range: ClosedRange<Double>) -> Double {
        let fraction = bytes(4).reduce(0) { $0 * 256 + Double($1) } / 0xFFFF_FFFF
        return range.lowerBound + (range.upperBound - range.lowerBound) * fraction
    }
}

/// The hasher of tests: scrypt at a cost without protection, so that test suites are fast (design record 0014). Its
/// hashes are marked as such, and production refuses them.
struct ScryptTestHasher: PasswordHasher {
    private static let prefix = "$scrypt-test$ln=4,r=1,p=1$"

    let randomness: any Randomness

    func hash(_ password: Secret<String>) async throws(HashingError) -> PasswordHash {
        let salt = randomness.bytes(16)
        return PasswordHash(
            phc: "\(Self.prefix)\(Base64URL.encode(salt))$\(Base64URL.encode(try derive(password, salt)))")
    }

    func verify(_ password: Secret<String>, against hash: PasswordHash) async throws(HashingError) -> Bool {
        let parts = hash.phc.split(separator: "$").map(String.init)
        guard parts.count == 4, parts[0] == "scrypt-test", let salt = Base64URL.decode(parts[2]) else {
            throw .unusable
        }
        return Base64URL.encode(try derive(password, [UInt8](salt))) == parts[3]
    }

    func isOutdated(_ hash: PasswordHash) -> Bool {
        !hash.phc.hasPrefix(Self.prefix)
    }

    private func derive(_ password: Secret<String>, _ salt: [UInt8]) throws(HashingError) -> [UInt8] {
        do {
            let key = try KDF.Scrypt.deriveKey(
                from: Array(password.reveal().utf8), salt: salt, outputByteCount: 32, rounds: 16, blockSize: 1,
                parallelism: 1)
            return key.withUnsafeBytes { Array($0) }
        } catch {
            throw .unusable
        }
    }
}

/// A key store whose tenants begin with a public, fixed key, so that the signatures of a test also derive from its
/// seed: RS256 is deterministic, ES256 is not.
struct KnownFirstKey: KeyStore {
    let store: any KeyStore
    let vault: Vault
    let randomness: any Randomness
    let clock: any WallClock

    func signingKeys(for tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord] {
        let keys = try await store.signingKeys(for: tenant)
        guard keys.isEmpty, let pkcs8 = Data(base64Encoded: Self.pkcs8) else { return keys }
        // A unique key id, so that other tenants still refuse its tokens.
        let kid = randomness.uuid().text
        let sealed: Data
        do throws(VaultError) {
            sealed = try vault.seal(pkcs8, for: .signingKey, tenant: tenant, context: [Data(kid.utf8)])
        } catch {
            throw .unavailable(error)
        }
        return try await store.insertFirstSigningKey(
            SigningKeyRecord(
                tenant: tenant, kid: kid, algorithm: .rs256, sealedPrivateKey: sealed, createdAt: clock.now))
    }

    func updateSigningKeys(
        for tenant: TenantID, recording event: AuditEvent?,
        decide: @escaping @Sendable ([SigningKeyRecord]) -> [SigningKeyRecord]?
    ) async throws(StoreError) -> [SigningKeyRecord] {
        try await store.updateSigningKeys(for: tenant, recording: event, decide: decide)
    }

    /// An RSA key of 2048 bits, PKCS #8, made for this file and protecting nothing.
    private static let pkcs8 = """
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCtsccIj1cer/9W9IfIL3c2z5ZViOMFhU1s/gYPxz2Y2ujxd6wGpN/A\
        q/HnzHaeE2McIrVdZ60J4OA8yHyGrkrv7i5L8T/4LEmrLwXZetNkkgkfugn7wKuZM0XXL+iy/iyUKf6D7GK3ND99tt28Vtekn6xbLyKZ\
        BnvvTF583Dau+gLKjNeauSHeEWcQLb3o0sRrbKkwvzEvNOzDm61iioOhPAWrp9o1jY8NxUHnWOUcM7pnE61kvF9Bp87+RJcSV+WcBPQn\
        DBW40GKknCDzVmQRz9GepvrmF3aiFqIuU6wHHlA5KBGiosnb6nKTAL2ZgfSCEjLGbxu8gqRSD/2/BLyLAgMBAAECggEAIJ4Y5UedsZqV\
        Vav376TSO03CSm+5SikdQBF36/CbZZ/+TJIPkPPXPORNOh1QTSEQ5JC0BEVa3lcHZQK1N8l1MxdERGiafa07bFUZQRzqo6E062tRQqCM\
        2Oki/WT2yt4mWvCD5hw28XZzUdVMUHjyZ+zAPiNc2OW50ldCCyqDblofCTqA0EhM3WZEUB4+anQ6WxQTVYrKhkQ46iOVC8jMq6beauXb\
        sdhFoY+PFiI5kt7Qs/pH//kOGlC4g7+LC8Fgyrb+q3I6RA2jm2jRh0w/CHc9ECKDKQ23mb6ZxHPmPGT4LZGjcvidZS36H+EZ6tsIRRUl\
        tgCjmCdhFOCbNvO/EQKBgQDrvFTSt53IGmp/zqpeSrRsVPmXogLyqzmNPD6oKBge/LpHUMBebEmtMlcTvRAoqwxr62lGa8cDAiwsMYnT\
        Tpt4rb8pfVzzpso5vL8/Con0msuFY8WkpU5qgHW9CPQG1jdRVCz258cLdMcg1KpP1MOAIpNBztu1diTX9MSYotItWQKBgQC8oCYLxttC\
        WTBXuEa6G+keK72sfhzSmQ8MG8pI/atGXhVo3fzK24zScmwQ4i5IeTdfu0aj6iWYwDmd1tvHyzc0FEficz/k+LYFGxupY+I/u3Jt0O2K\
        g78x4Dm17R0GjiD/jIRu8PCpgIH1U69w87bMEYDr823XSrw1vOHjtxrIgwKBgQDgO4Wn5nbUN6RkLC5MgNz8Sxwbi0UolYyp9stW4sSG\
        /Tknyv0hE/pFICRKJ0XumT24jfXWwYBNMUzZQMnsUNJ8STEUAyZesaGcqBh2m8y7+l5rZItE4OUlU0orZQ/STQPTfbFDrxbbo9oiNYhH\
        ZYgNI1ZVe7Hr+xRyw2YaFo68CQKBgGniaJkRzwFGucl0K1fL1SfXnAjZXmql+vlsHDivFVdR9yi//GkPp9R24Mz1es+6I+h8Y2IeTW6a\
        8Xz2ILfeDqYQgG3RDlwFdYAWQIftBxOJsOmOb9nirRBdc2f5q+KDJGjvw2PXovEzr0A88u4wETwq0zkglFdXn6F230MKBWHrAoGBAIZt\
        ntLeoMYEEIKlTMOysHq+s7KBtG8fQbA/wDImN/g0LM9HzLB//Gg9UemC1Gz4194NMewGyASeUgce/uk/mBxUUleRyoX58eEKtUnhhvdi\
        59H4qRdcZK3NGdGfOqcbyZ5yIwaRxMDwkqvJxX8O3kvjG+Cfs8ZsoWvb31WtiUZb
        """
}
