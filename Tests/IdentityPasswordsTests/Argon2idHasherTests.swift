import Foundation
import IdentityEngine
import NativeAuthCore
import Testing

@testable import IdentityPasswords

/// A published hash and its password.
struct KnownAnswer: CustomTestStringConvertible {
    let password: String
    let phc: String

    init(_ password: String, _ phc: String) {
        self.password = password
        self.phc = phc
    }

    var testDescription: String { phc }
}

@Suite(.timeLimit(.minutes(2))) struct Argon2idHasherTests {
    /// Argon2id version 19 of the reference implementation's test program, `src/test.c` in P-H-C/phc-winner-argon2; its
    /// salts have 8 bytes.
    static let referenceVectors = [
        KnownAnswer(
            "password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"),
        KnownAnswer(
            "password", "$argon2id$v=19$m=262144,t=2,p=1$c29tZXNhbHQ$eP4eyR+zqlZX1y5xCFTkw9m5GYx0L5YWwvCFvtlbLow"),
        KnownAnswer("password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
        KnownAnswer("password", "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
        KnownAnswer(
            "password", "$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$9qWtwbpyPd3vm1rB1GThgPzZ3/ydHL92zKL+15XZypg"),
        KnownAnswer(
            "password", "$argon2id$v=19$m=65536,t=4,p=1$c29tZXNhbHQ$kCXUjmjvc5XMqQedpMTsOv+zyJEf5PhtGiUghW9jFyw"),
        KnownAnswer(
            "differentpassword",
            "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94"),
        KnownAnswer(
            "password", "$argon2id$v=19$m=65536,t=2,p=1$ZGlmZnNhbHQ$vfMrBczELrFdWP0ZsfhWsRPaHppYdP3MVEMIVlqoFBw"),
    ]

    /// libsodium's `test/default/pwhash_argon2id.c`: one with a salt of 16 bytes and one lane, as this server writes
    /// them.
    static let libsodiumVectors = [
        KnownAnswer(
            "", "$argon2id$v=19$m=4882,t=2,p=1$bA81arsiXysd3WbTRzmEOw$Nm8QBM+7RH1DXo9rvp5cwKEOOOfD2g6JuxlXihoNcpE"),
        KnownAnswer(
            "K3S=KyH#)36_?]LxeR8QNKw6X=gFbxai$C%29V*",
            "$argon2id$v=19$m=4096,t=1,p=3$PkEgcHJldHR5IGxvbmcgc2FsdA$HUqx5Z1b/ZypnUrvvJ5UC2Q+T6Q1WwASK/Kr9dRbGA0"),
    ]

    /// The server's own parameters and the salt 00 01 … 0f, computed by the reference implementation through
    /// argon2-cffi 25.1 for Python.
    static let ownParameterVectors = [
        KnownAnswer(
            "correct horse battery staple",
            "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$gYJZtjEAJqjg26xdLmknq8/bB7MiWPrE9hsYuA+SkIU"),
        KnownAnswer(
            "", "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$MVSMP3rBIzE7F86FWHKNemRnE6hkgY2O2buZdxt7Gkw"),
    ]

    @Test(
        "SEC-PWD-6: published hashes verify, and fail for another password",
        arguments: referenceVectors + libsodiumVectors + ownParameterVectors)
    func publishedHashesVerify(_ known: KnownAnswer) async throws {
        let hasher = try Argon2idHasher(threads: 1)
        let hash = PasswordHash(phc: known.phc)
        #expect(try await hasher.verify(Secret(known.password), against: hash))
        #expect(try await hasher.verify(Secret(known.password + "x"), against: hash) == false)
    }

    @Test("SEC-PWD-6: a hash is a PHC string of Argon2id v1.3, 19 456 KiB, two passes, one lane, 16 and 32 bytes")
    func aHashIsAPHCString() async throws {
        let hash = try await Argon2idHasher(threads: 1).hash(Secret("Xk7#pQ2m-vT9"))
        let fields = hash.phc.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        #expect(fields.count == 6)
        #expect(fields.prefix(4) == ["", "argon2id", "v=19", "m=19456,t=2,p=1"])
        #expect(Data(base64Encoded: fields[4] + "==")?.count == 16)
        #expect(Data(base64Encoded: fields[5] + "=")?.count == 32)
        #expect(!"\(hash)".contains("argon2"))
    }

    @Test("SEC-PWD-6: salts are fresh, and the password alone verifies")
    func saltsAreFreshAndThePasswordAloneVerifies() async throws {
        let hasher = try Argon2idHasher()
        let one = try await hasher.hash(Secret("Xk7#pQ2m-vT9"))
        let other = try await hasher.hash(Secret("Xk7#pQ2m-vT9"))
        #expect(one != other)
        #expect(try await hasher.verify(Secret("Xk7#pQ2m-vT9"), against: one))
        #expect(try await hasher.verify(Secret("Xk7#pQ2m-vT9"), against: other))
        for wrong in ["", "xk7#pQ2m-vT9", "Xk7#pQ2m-vT", "Xk7#pQ2m-vT9 ", " Xk7#pQ2m-vT9"] {
            #expect(try await hasher.verify(Secret(wrong), against: one) == false)
        }
    }

    @Test("SEC-PWD-2: every byte counts, behind a NUL and up to the 1 024th; more are not hashed and not cut")
    func everyByteCounts() async throws {
        let hasher = try Argon2idHasher()
        let withNUL = try await hasher.hash(Secret("before\u{0}after"))
        #expect(try await hasher.verify(Secret("before\u{0}other"), against: withNUL) == false)
        #expect(try await hasher.verify(Secret("before"), against: withNUL) == false)

        let longest = String(repeating: "é", count: 511) + "ab"
        let hash = try await hasher.hash(Secret(longest))
        #expect(try await hasher.verify(Secret(longest), against: hash))
        #expect(try await hasher.verify(Secret(longest.dropLast() + "c"), against: hash) == false)
        await #expect(throws: HashingError.unusable) { try await hasher.hash(Secret(longest + "c")) }
        await #expect(throws: HashingError.unusable) { try await hasher.verify(Secret(longest + "c"), against: hash) }
    }

    static let salt = "AAECAwQFBgcICQoLDA0ODw"
    static let tag = "gYJZtjEAJqjg26xdLmknq8/bB7MiWPrE9hsYuA+SkIU"

    static let unusable: [String] =
        [
            // Too costly, or no cost at all.
            "m=2097152,t=2,p=1", "m=262145,t=2,p=1", "m=19456,t=11,p=1", "m=19456,t=2,p=9", "m=4294967295,t=1,p=1",
            "m=99999999999999999999,t=1,p=1", "m=19456,t=4294967295,p=1", "m=19456,t=2,p=16777215", "m=0,t=2,p=1",
            "m=7,t=2,p=1", "m=15,t=2,p=2", "m=19456,t=0,p=1", "m=19456,t=2,p=0", "m=-1,t=2,p=1", "m=+19456,t=2,p=1",
            "m=019456,t=2,p=1", "m=19456,t=02,p=1", "m= 19456,t=2,p=1", "m=,t=2,p=1", "t=2,m=19456,p=1", "m=19456,t=2",
            "m=19456,t=2,p=1,keyid=AA", "m=19456;t=2;p=1", "",
        ].map { "$argon2id$v=19$\($0)$\(salt)$\(tag)" }
        + [
            // Another algorithm or version.
            "$argon2id$v=16$m=19456,t=2,p=1$\(salt)$\(tag)", "$argon2id$v=20$m=19456,t=2,p=1$\(salt)$\(tag)",
            "$argon2id$m=19456,t=2,p=1$\(salt)$\(tag)",
            "$argon2d$v=19$m=19456,t=2,p=1$\(salt)$\(tag)", "$2b$12$abcdefghijklmnopqrstuuu",
            // Damaged.
            "", "$", "$$$$$", "argon2id", "plain text", "argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(tag)",
            " $argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(tag)", "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(tag)\n",
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(tag)\u{0}", "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(tag)$",
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)", "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$",
            "$argon2id$v=19$m=19456,t=2,p=1$$\(tag)", "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQ$\(tag)",
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$AAECAwQFBgcICQoLDA0O",
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)==$\(tag)",
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(tag)=",
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(tag.dropLast())V",
            "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0_Dw$\(tag)",
            "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$" + String(repeating: "A", count: 100_000),
        ]

    @Test("SEC-PWD-10: a hash too costly, unknown or damaged is refused in under 10 ms", arguments: unusable)
    func anUnusableHashIsRefusedAtOnce(_ phc: String) async throws {
        let hasher = try Argon2idHasher(threads: 1)
        // The fastest of several, because the machine may be busy.
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

    @Test(
        "SEC-PWD-7: a hash of less memory or fewer passes is outdated",
        arguments: [
            ("m=19456,t=2,p=1", false), ("m=19455,t=2,p=1", true), ("m=19456,t=1,p=1", true),
            ("m=262144,t=1,p=1", true),
            ("m=8,t=10,p=1", true), ("m=19457,t=2,p=1", false), ("m=19456,t=3,p=1", false), ("m=65536,t=4,p=4", false),
        ])
    func aWeakerHashIsOutdated(_ costs: String, _ isOutdated: Bool) throws {
        let hash = PasswordHash(phc: "$argon2id$v=19$\(costs)$\(Self.salt)$\(Self.tag)")
        #expect(try Argon2idHasher(threads: 1).isOutdated(hash) == isOutdated)
    }

    @Test("SEC-PWD-7: what counts is what the hasher takes now, in memory and in passes")
    func aHasherThatTakesMoreFindsOlderHashesOutdated() throws {
        let hash = PasswordHash(phc: "$argon2id$v=19$m=19456,t=2,p=1$\(Self.salt)$\(Self.tag)")
        for (memory, passes) in [(19_457, 2), (19_456, 3)] {
            let parameters = Argon2idHasher.Parameters(memoryKiB: memory, passes: passes)
            #expect(try Argon2idHasher(parameters, threads: 1).isOutdated(hash))
        }
    }

    @Test(
        "SEC-PWD-7: a record that this hasher does not make is outdated", arguments: ["$2b$12$abc", "", "plain text"])
    func aForeignRecordIsOutdated(_ phc: String) throws {
        #expect(try Argon2idHasher(threads: 1).isOutdated(PasswordHash(phc: phc)))
    }

    @Test("SEC-PWD-7: a hasher's own hash is up to date")
    func anOwnHashIsUpToDate() async throws {
        let hasher = try Argon2idHasher(Argon2idHasher.Parameters(memoryKiB: 20_000, passes: 3), threads: 1)
        #expect(try await !hasher.isOutdated(hasher.hash(Secret("Xk7#pQ2m-vT9"))))
    }

    @Test("SEC-PWD-10: the costliest parameters that are allowed are computed")
    func theDearestParametersAreComputed() async throws {
        let hasher = try Argon2idHasher(threads: 1)
        let hash = PasswordHash(phc: "$argon2id$v=19$m=262144,t=1,p=8$\(Self.salt)$\(Self.tag)")
        #expect(try await hasher.verify(Secret("Xk7#pQ2m-vT9"), against: hash) == false)
        let slow = PasswordHash(phc: "$argon2id$v=19$m=8,t=10,p=1$\(Self.salt)$\(Self.tag)")
        #expect(try await hasher.verify(Secret("Xk7#pQ2m-vT9"), against: slow) == false)
    }

    @Test("SEC-PWD-6: a server does not start with weaker parameters, nor with ones whose hashes it would refuse")
    func unfitParametersAreRefused() throws {
        typealias Parameters = Argon2idHasher.Parameters
        for weak in [(19_455, 2), (19_456, 1), (0, 0), (-1, -1), (262_144, 1), (8, 10)] {
            let parameters = Parameters(memoryKiB: weak.0, passes: weak.1)
            #expect(throws: Argon2idHasher.SetupError.tooWeak(parameters)) { try Argon2idHasher(parameters) }
        }
        for costly in [(262_145, 2), (19_456, 11), (Int.max, Int.max)] {
            let parameters = Parameters(memoryKiB: costly.0, passes: costly.1)
            #expect(throws: Argon2idHasher.SetupError.tooCostly(parameters)) { try Argon2idHasher(parameters) }
        }
        _ = try Argon2idHasher(.standard)
        _ = try Argon2idHasher(Parameters(memoryKiB: 262_144, passes: 10))
    }

    @Test("SEC-PWD-8: the pool has one to two threads for each core")
    func thePoolHasOneToTwoThreadsForEachCore() throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        for threads in [Int.min, -1, 0, 2 * cores + 1, Int.max] {
            #expect(throws: Argon2idHasher.SetupError.threads(threads, cores: cores)) {
                try Argon2idHasher(threads: threads)
            }
        }
        _ = try Argon2idHasher(threads: 2 * cores)
    }

    @Test func aRefusalToStartNamesTheNumbers() {
        let weak = Argon2idHasher.SetupError.tooWeak(.init(memoryKiB: 8, passes: 1)).description
        #expect(weak.contains("8 KiB") && weak.contains("19456 KiB"))
        #expect(Argon2idHasher.SetupError.threads(9, cores: 2).description.contains("between 1 and 4"))
    }

    @Test("SEC-PWD-8: many callers at once are all served or told to come back")
    func manyCallersAreServedOrToldToComeBack() async throws {
        let hasher = try Argon2idHasher()
        let hash = PasswordHash(phc: Self.libsodiumVectors[0].phc)
        let answers = await withTaskGroup(of: Result<Bool, HashingError>.self) { group in
            for _ in 0..<300 { group.addTask { await Self.verify(with: hasher, against: hash) } }
            return await group.reduce(into: [Result<Bool, HashingError>]()) { $0.append($1) }
        }
        let right = answers.filter { $0 == .success(true) }.count
        let refused = answers.filter { $0 == .failure(.overloaded) }.count
        #expect(right + refused == 300)
        // The number depends on the machine, but the first caller finds an idle worker.
        #expect(right >= 1)
    }

    private static func verify(
        with hasher: Argon2idHasher, against hash: PasswordHash
    ) async -> Result<Bool, HashingError> {
        do throws(HashingError) {
            return .success(try await hasher.verify(Secret(""), against: hash))
        } catch {
            return .failure(error)
        }
    }
}
