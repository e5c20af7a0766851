import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import IdentityPasswords

/// Hashes of other systems, made with other programs: Python's bcrypt 5.0, argon2-cffi 25.1, passlib 1.7.4, cryptography
/// 50.0 and hashlib. The salt is `bytes(range(16))` where a comment says nothing else, and the password `Xk7#pQ2m-vT9ü`.
@Suite("Hashes of other systems", .timeLimit(.minutes(2)))
struct ForeignRecordTests {
    static let password = "Xk7#pQ2m-vT9\u{FC}"

    /// Stored as they are.
    static let known: [KnownAnswer] =
        [
            // bcrypt.hashpw(password, bcrypt.gensalt(5, prefix=b"2a")), then 2b; 2y is 2b under PHP's name.
            "$2a$05$YtqN7FXENFBx2R6DIpSkf.amPLQR69r3plpaWJ1KSMpO8Rbyy/viu",
            "$2b$05$eDKigFJGnU2PLgBlhZKiUueBZ3YXc7lRWPJfxthH2oBEMcqht3gcG",
            "$2y$05$eDKigFJGnU2PLgBlhZKiUueBZ3YXc7lRWPJfxthH2oBEMcqht3gcG",
            // argon2.low_level.hash_secret(password, salt, passes, KiB, lanes, 32, Type.I), then Type.ID.
            "$argon2i$v=19$m=4096,t=3,p=1$AAECAwQFBgcICQoLDA0ODw$kBjob2Qnhy5NVQOp9dqLAkQYNjhe9bqeogs0WTvkbHo",
            "$argon2i$v=19$m=8192,t=4,p=2$AAECAwQFBgcICQoLDA0ODw$/z3E7ZzVsgIvk7WnkGmSyV6gbjU8XsO6K0am/RSgaEE",
            "$argon2id$v=19$m=8192,t=3,p=4$AAECAwQFBgcICQoLDA0ODw$IY4nRxKtBsAqwIHpTnyw1djbt5m3A15WoQSOn4/qEUI",
            // hashlib.pbkdf2_hmac("sha256", password, salt, iterations, length)
            "$pbkdf2-sha1$i=1000$AAECAwQFBgcICQoLDA0ODw$PMHehHJSPkopiqOp0dFqIDAsM40",
            "$pbkdf2-sha256$i=27500$AAECAwQFBgcICQoLDA0ODw$Usv4dyLWHT9xqEN78QiqQtUZ1uZcjb/kH7uV4mSEkk4/5aerx5ikoMytw5wXw57gfsSium13/8bRYJlPWvSmeA",
            "$pbkdf2-sha512$i=10000$AAECAwQFBgcICQoLDA0ODw$+L1F7MYUS23jqbBQ664E/9XorcNBtWN1VlemjqFMvLto9J1MWPSYylPp9AYaTHH59j+0xwZVJG4DM4Zc1/g9bA",
            "$pbkdf2-sha256$i=1$AAECAwQFBgcICQoLDA0ODw$jL1rHQXtgpBVL3jLCo91Kl2yQ44IxzCR+0cvhZk48y8",
            // hashlib.scrypt(password, salt=salt, n=1 << 12, r=8, p=1, dklen=32)
            "$scrypt$ln=12,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$zWbEzZPaSCJL914drljMA1izDn50PnoBkhe4ACSIC/w",
        ].map { KnownAnswer(password, $0) } + [
            // bcrypt.hashpw(b"", b"$2b$04$abcdefghijklmnopqrstuu"), and hashlib.pbkdf2_hmac("sha256", b"", salt, 10, 32)
            KnownAnswer("", "$2b$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq"),
            KnownAnswer("", "$pbkdf2-sha256$i=10$AAECAwQFBgcICQoLDA0ODw$WVvZNa42/B6JYEJyMaop2RmDaHQLGbJlF72dTLWG/aI"),
        ]

    /// As the other systems write them.
    static let forms = [
        // passlib.hash.pbkdf2_sha256.using(salt=salt, rounds=2000).hash(password); SHA-1 with b"\xfb\xef\xbe" * 5
        "$pbkdf2-sha256$2000$AAECAwQFBgcICQoLDA0ODw$rmEDiEP73LPPwNBYbLeP709ybjNATIy.n47xDwO/Qr8",
        "$pbkdf2-sha512$2000$AAECAwQFBgcICQoLDA0ODw$Mpz0QHoXVi.E8RrnnCs.njte9w8qafinKNFP/lvtZMpnf/F1fJq/z8GntFqZ8IpYkZPHQ/Xa3D4EOb72e06KhA",
        "$pbkdf2$2000$....................$siMWvW8ITNSJudS9O7IzbEOqPxg",
        "$pbkdf2-sha256$i=1,l=32$AAECAwQFBgcICQoLDA0ODw$jL1rHQXtgpBVL3jLCo91Kl2yQ44IxzCR+0cvhZk48y8",
        // passlib.hash.django_pbkdf2_sha256.using(salt="seasalt", rounds=2000).hash(password)
        "pbkdf2_sha256$2000$seasalt$ebzG7RLMnD5NvNt2Amte2PEtT0pEQa4oEMtjxjAIVmg=",
        // passlib.hash.ldap_salted_sha256.using(salt=b"saltsalt").hash(password)
        "{SSHA256}CS0M3xdLHh08WYkuMsvK0sqzA0k2Ln4sd4KJnub1f+VzYWx0c2FsdA==",
        "{SSHA512}U+F2LalnD7Rwd7/2Xz3r2m/KI75BH9qGjxYEPjHv0BMlcwYr1+ENh/IciXT1z4QbxjKJuNuQyXk4W2I0sDzN6HNhbHRzYWx0",
        // b"\x01" + struct.pack(">III", function, iterations, 16) + salt + hashlib.pbkdf2_hmac(…, 32)
        "AQAAAAAAAAPoAAAAEAABAgMEBQYHCAkKCwwNDg88wd6EclI+SimKo6nR0WogMCwzjdYTIKbrAUUgMENDwQ==",
        "AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg94KAU2F9Vxd3TNs5mP0eX6hiAdfCLJCpFisV6nknagAQ==",
        "AQAAAAIAACcQAAAAEAABAgMEBQYHCAkKCwwNDg/4vUXsxhRLbeOpsFDrrgT/1eitw0G1Y3VWV6aOoUy8uw==",
    ]

    private func expect(
        _ password: String, _ hash: PasswordHash, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let hasher = try Argon2idHasher(threads: 1)
        #expect(try await hasher.verify(Secret(password), against: hash), sourceLocation: sourceLocation)
        for wrong in [password + "x", password + "\u{0}", "x" + password, password.lowercased() + "!"] {
            #expect(
                try await hasher.verify(Secret(wrong), against: hash) == false,
                sourceLocation: sourceLocation)
        }
    }

    @Test("SEC-PWD-7: a hash of another system verifies with its password only, and is outdated", arguments: known)
    func publishedHashesVerify(_ known: KnownAnswer) async throws {
        let hash = PasswordHash(phc: known.phc)
        try await expect(known.password, hash)
        #expect(try Argon2idHasher(threads: 1).isOutdated(hash))
        #expect(ForeignForms.hash(known.phc) == hash)
    }

    @Test("SEC-PWD-7: each form in which another system writes a hash becomes a record that verifies", arguments: forms)
    func formsVerify(_ text: String) async throws {
        let hash = try #require(ForeignForms.hash(text))
        try await expect(Self.password, hash)
        #expect(ForeignForms.hash(hash.phc) == hash, "an export is imported again")
    }

    @Test("SEC-PWD-7: Firebase's scrypt verifies, without the signer key in the record")
    func firebase() async throws {
        // The example of the algorithm's public repository; computed again with hashlib.scrypt(…, dklen=64)[:32] and
        // AES-256-CTR of the Python package cryptography.
        let published = ForeignForms.FirebaseParameters(
            signerKey: try base64(
                "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="),
            saltSeparator: try base64("Bw=="), rounds: 8, memoryCost: 14)
        let first = try #require(
            ForeignForms.firebase(
                digest: try base64(
                    "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="),
                salt: try base64("42xEC+ixf3L2lw=="), published))
        try await expect("user1password", first)
        // The same program, with bytes(range(100, 164)), bytes(range(50, 60)), b"\x07", 8 and 12.
        let own = ForeignForms.FirebaseParameters(
            signerKey: Data(100..<164), saltSeparator: Data([7]), rounds: 8, memoryCost: 12)
        let digest = try base64(
            "VEBc0IZNpIbCjHrMuKTGACOqPmTiuiPLZyGat4QY3GDSU1z1pNra51mJlcL/RSq90JNlCoWWAX/xgwA21ylpRg==")
        let second = try #require(ForeignForms.firebase(digest: digest, salt: Data(50..<60), own))
        try await expect(Self.password, second)
        #expect(!second.phc.contains(own.signerKey.base64EncodedString().prefix(20)))
        #expect(ForeignForms.firebase(digest: digest.dropLast(), salt: Data(50..<60), own) == nil)
        #expect(ForeignForms.hash(second.phc) == second)
    }

    @Test("SEC-PWD-7: a hash with its salt beside it verifies")
    func partsVerify() async throws {
        // hashlib.sha256(b"pepper" + password), hashlib.sha256(password + b"pepper"), then sha512
        let digests: [(ForeignForms.Algorithm, String)] = [
            (.sha256SaltFirst, "438abdc693a538f4690901aeabec65f5d4887b9fb213f7751de948d4285d633d"),
            (.sha256SaltLast, "ab18f5dca33e5a205cf25bf666910ebcc9fb6f8ac38a2c5d5f7a86ff49f2c74c"),
            (
                .sha512SaltFirst,
                "9a2d07ca23839a63c6dbd6858e80549223d2aed6183087d3b719ca267be03a088a8f20b6de0a80fe0158f925f720532db811d396c6c69413067602881646d691"
            ),
            (
                .sha512SaltLast,
                "f71230697971f20fec95c91817e008216641fb5a541a489d80edd0812a777799578a9e0e19e408c545d555bffc2099ab6bebd4727d03eedd23f2b0cf1ba10e48"
            ),
        ]
        for (algorithm, hex) in digests {
            let digest = Data(
                stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) })
            try await expect(
                Self.password,
                try #require(ForeignForms.hash(algorithm, digest: digest, salt: Data("pepper".utf8), iterations: nil)))
            #expect(ForeignForms.hash(algorithm, digest: digest.dropLast(), salt: Data(), iterations: nil) == nil)
        }
        let tag = try base64("jL1rHQXtgpBVL3jLCo91Kl2yQ44IxzCR+0cvhZk48y8=")
        let derived = try #require(
            ForeignForms.hash(.pbkdf2SHA256, digest: tag, salt: Data(0..<16), iterations: 1))
        try await expect(Self.password, derived)
        #expect(ForeignForms.hash(.pbkdf2SHA256, digest: tag, salt: Data(0..<16), iterations: nil) == nil)
        // hash_secret(password, salt, 5, 7168, 1, 32, Type.ID), in the parts in which Keycloak has it.
        let argon2 = try #require(
            ForeignForms.argon2(
                type: "id", memoryKiB: 7168, passes: 5, lanes: 1, salt: Data(0..<16),
                tag: try base64("Ri95NF2uEA0R9yY9nPcS2SRqU8ez77T280PLQY4aMmQ=")))
        try await expect(Self.password, argon2)
    }

    @Test("SEC-PWD-7: bcrypt never cuts: of a password over 72 bytes the right first 72 are wrong")
    func bcryptCutsNothing() async throws {
        let hasher = try Argon2idHasher(threads: 1)
        // bcrypt.hashpw(b"a" * 72, b"$2b$04$abcdefghijklmnopqrstuu")
        let hash = PasswordHash(phc: "$2b$04$abcdefghijklmnopqrstuuBzzIgyKkz7xMWYSzkIjUSnxEQFQ0WNe")
        #expect(try await hasher.verify(Secret(String(repeating: "a", count: 72)), against: hash))
        for wrong in [71, 73, 80, 1024] {
            #expect(try await hasher.verify(Secret(String(repeating: "a", count: wrong)), against: hash) == false)
        }
        let empty = PasswordHash(phc: "$2b$04$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq")
        for wrong in ["\u{0}", "\u{0}rest", String(repeating: "b", count: 73)] {
            #expect(try await hasher.verify(Secret(wrong), against: empty) == false)
        }
    }

    static let salt = "AAECAwQFBgcICQoLDA0ODw"
    static let tag = "jL1rHQXtgpBVL3jLCo91Kl2yQ44IxzCR+0cvhZk48y8"

    static let unusable = [
        // Too costly, or no cost at all.
        "$2b$31$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq",
        "$2b$15$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq",
        "$2b$03$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq",
        "$pbkdf2-sha256$i=2000001$\(salt)$\(tag)", "$pbkdf2-sha256$i=0$\(salt)$\(tag)",
        "$pbkdf2-sha256$i=99999999999999999999$\(salt)$\(tag)", "$pbkdf2-sha256$i=4294967297$\(salt)$\(tag)",
        "$pbkdf2-sha1$i=1000001$\(salt)$\(tag)", "$scrypt$ln=22,r=1,p=1$\(salt)$\(tag)",
        "$scrypt$ln=18,r=16,p=1$\(salt)$\(tag)", "$scrypt$ln=14,r=8,p=17$\(salt)$\(tag)",
        "$scrypt$ln=63,r=8,p=1$\(salt)$\(tag)", "$scrypt$ln=0,r=8,p=1$\(salt)$\(tag)",
        "$scrypt$ln=1,r=4611686018427387904,p=8$\(salt)$\(tag)", "$firebase-scrypt$ln=31,r=8,p=1$\(salt)$\(tag)",
        "$argon2i$v=19$m=2097152,t=3,p=1$\(salt)$\(tag)", "$argon2i$v=19$m=4096,t=11,p=1$\(salt)$\(tag)",
        // Another method or version.
        "$2x$05$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq",
        "$2$05$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiqq", "$argon2d$v=19$m=4096,t=3,p=1$\(salt)$\(tag)",
        "$argon2i$v=16$m=4096,t=3,p=1$\(salt)$\(tag)", "$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/",
        "$pbkdf2-md5$i=1000$\(salt)$\(tag)", "$salted-sha1$o=first$\(salt)$\(tag)",
        // Damaged.
        "$2b$05$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxji",
        "$2b$5$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiqq",
        "$2b$05$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxji!",
        "$2b$05$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxji\u{0}",
        "$pbkdf2-sha256$i=1000$$\(tag)", "$pbkdf2-sha256$i=1000$\(salt)$AAAA", "$pbkdf2-sha256$i=01000$\(salt)$\(tag)",
        "$salted-sha256$o=middle$\(salt)$\(tag)", "$salted-sha512$o=first$\(salt)$\(tag)",
        "$scrypt$ln=12,r=8$\(salt)$\(tag)", "$firebase-scrypt$ln=12,r=8,p=1$\(salt)$\(salt.dropLast(4))",
    ]

    @Test(
        "SEC-PWD-10: a hash of another system that is too costly, unknown or damaged is refused in under 10 ms",
        arguments: unusable)
    func anUnusableHashIsRefusedAtOnce(_ phc: String) async throws {
        let hasher = try Argon2idHasher(threads: 1)
        #expect(ForeignForms.hash(phc) == nil)
        var fastest = Duration.seconds(1)
        for _ in 0..<20 where fastest >= .milliseconds(10) {
            let time = await ContinuousClock().measure {
                await #expect(throws: HashingError.unusable) {
                    try await hasher.verify(Secret("Xk7#pQ2m-vT9"), against: PasswordHash(phc: phc))
                }
            }
            fastest = min(fastest, time)
        }
        #expect(fastest < .milliseconds(10))
    }

    @Test("SEC-PWD-10: the costliest parameters of other systems are computed")
    func theDearestParametersAreComputed() async throws {
        let hasher = try Argon2idHasher(threads: 1)
        for phc in [
            "$pbkdf2-sha256$i=2000000$\(Self.salt)$\(Self.tag)", "$scrypt$ln=18,r=8,p=1$\(Self.salt)$\(Self.tag)",
            "$2b$14$abcdefghijklmnopqrstuubyCG3zY1GIXMyxfivm.ClDiInHzxjiq",
        ] {
            #expect(try await hasher.verify(Secret("Xk7#pQ2m-vT9"), against: PasswordHash(phc: phc)) == false)
        }
    }

    @Test("SEC-PWD-8: hashes that cost more than ours wait for each other, and ours do not wait for them")
    func costlyHashesWaitForEachOther() async throws {
        let salt = Base64URL.encode(Data(0..<16)).replacing("-", with: "+").replacing("_", with: "/")
        let tag = Base64URL.encode(Data(0..<32)).replacing("-", with: "+").replacing("_", with: "/")
        let own = try await Argon2idHasher(threads: 1).hash(Secret(Self.password))
        for text in [
            "$pbkdf2-sha256$i=400000$\(salt)$\(tag)", "$argon2id$v=19$m=65536,t=3,p=1$\(salt)$\(tag)",
        ] {
            guard ProcessInfo.processInfo.activeProcessorCount > 1 else { return }
            let hasher = try Argon2idHasher(threads: 2)
            let ended = Locked(0)
            try await withThrowingTaskGroup(of: Void.self) { wave in
                for _ in 0..<12 {
                    wave.addTask {
                        // One that waits too long is refused, as any other.
                        do throws(HashingError) {
                            let matches = try await hasher.verify(Secret("x"), against: PasswordHash(phc: text))
                            #expect(!matches)
                        } catch {
                            #expect(error == .overloaded)
                        }
                        ended.withLock { $0 += 1 }
                    }
                }
                // In one queue with them, ours would be the last or take every other turn of a worker.
                while ended.withLock({ $0 }) == 0 { await Task.yield() }
                let matches = try await hasher.verify(Secret(Self.password), against: own)
                #expect(matches)
                #expect(ended.withLock { $0 } <= 6, "\(text)")
                try await wave.waitForAll()
            }
        }
    }

    @Test(
        "A text that no system writes is no hash",
        arguments: [
            "", "password", "AQAAAA==", "{SSHA}AAAA", "5f4dcc3b5aa765d61d8327deb882cf99", "pbkdf2_sha256$x$y$z",
            "{SSHA256}", "$pbkdf2-sha256$x$y$z", String(repeating: "A", count: 100_000),
        ])
    func otherTexts(_ text: String) {
        #expect(ForeignForms.hash(text) == nil)
    }

    private func base64(_ text: String) throws -> Data { try #require(Data(base64Encoded: text)) }
}
