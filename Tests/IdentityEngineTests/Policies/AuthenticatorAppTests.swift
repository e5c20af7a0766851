import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityEngine

/// Codes of authenticator apps: known answers, and what is accepted when.
@Suite("Authenticator apps")
struct AuthenticatorAppTests {
    private static let secret = AppSecret(Data("12345678901234567890".utf8))
    private static let noon = Date(timeIntervalSince1970: 1_700_000_010)

    private func code(_ step: Int, _ secret: AppSecret = secret) -> Secret<String> { secret.code(at: step) }

    @Test("A key of another system is read as users and addresses write it, and another kind of code is refused")
    func writtenKeys() {
        let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        for text in [
            key, key.lowercased(), "gezd gnbv-gy3t qojq gezd gnbv gy3t qojq", "otpauth://totp/A:b?secret=\(key)",
            "otpauth://totp/A:b?issuer=A&secret=\(key)&algorithm=SHA1&digits=6&period=30",
            "OTPAUTH://TOTP/x?SECRET=\(key)",
        ] {
            #expect(AppSecret(written: text) == Self.secret, "\(text)")
        }
        for text in [
            "", "GEZDGNBV", key + "!", "otpauth://hotp/A?secret=\(key)", "otpauth://totp/A?secret=\(key)&digits=8",
            "otpauth://totp/A?secret=\(key)&algorithm=SHA256", "otpauth://totp/A?secret=\(key)&period=60",
            "otpauth://totp/A", String(repeating: "A", count: 10_000), "Ａ" + key,
        ] {
            #expect(AppSecret(written: text) == nil, "\(text.prefix(80))")
        }
    }

    @Test("SEC-TOTP-1: the known answers of RFC 4226 appendix D")
    func counterCodes() {
        let answers = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        #expect((0..<10).map { code($0).reveal() } == answers)
    }

    @Test(
        "SEC-TOTP-1: the known answers of RFC 6238 appendix B",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Double, String)])
    func timeCodes(_ seconds: Double, _ answer: String) {
        let step = AppSecret.step(at: Date(timeIntervalSince1970: seconds))
        #expect(Self.secret.code(at: step, digits: 8).reveal() == answer)
        #expect(Self.secret.code(at: step).reveal() == answer.suffix(6))
    }

    @Test("The known answers of RFC 4648 section 10, without padding")
    func base32() {
        let answers = ["", "MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"]
        #expect((0...6).map { AppSecret.base32(of: Data("foobar".utf8.prefix($0))) } == answers)
        #expect(Self.secret.base32.reveal() == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    }

    @Test("SEC-TOTP-1: a secret is 20 bytes of the generator")
    func drawnSecrets() {
        let drawn = (0..<200).map { _ in AppSecret(drawnBy: SystemBytes()).bytes.reveal() }
        #expect(drawn.allSatisfy { $0.count == 20 } && Set(drawn).count == 200)
        // 4000 bytes: the number of ones is 16,000 with a deviation of 89.
        let ones = drawn.joined().reduce(0) { $0 + $1.nonzeroBitCount }
        #expect((15_400...16_600).contains(ones))
    }

    private struct SystemBytes: Randomness {
        func bytes(_ count: Int) -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }

    @Test(
        "SEC-TOTP-3: a code is accepted in its own period and in the ones beside it, and in strict mode in its own only",
        arguments: [
            (-31, false, false), (-30, true, false), (-1, true, false), (0, true, true), (29, true, true),
            (30, true, false), (59, true, false), (60, false, false), (61, false, false), (89, false, false),
            (90, false, false),
        ])
    func edges(_ seconds: Double, _ isAccepted: Bool, _ isAcceptedStrictly: Bool) {
        let step = AppSecret.step(at: Self.noon)
        let now = Date(timeIntervalSince1970: Double(step * AppSecret.period) + seconds)
        let clock = AppClock(spentStep: 0)
        #expect((clock.accepting(code(step), of: Self.secret, at: now) != nil) == isAccepted)
        #expect((clock.accepting(code(step), of: Self.secret, window: 0, at: now) != nil) == isAcceptedStrictly)
    }

    @Test("SEC-TOTP-2: an accepted step is spent, and so is the one before it; the next one is not")
    func replay() throws {
        let step = AppSecret.step(at: Self.noon)
        let after = try #require(AppClock(spentStep: 0).accepting(code(step), of: Self.secret, at: Self.noon))
        #expect(after.spentStep == step)
        #expect(after.accepting(code(step), of: Self.secret, at: Self.noon) == nil)
        #expect(after.accepting(code(step - 1), of: Self.secret, at: Self.noon) == nil)
        #expect(after.accepting(code(step + 1), of: Self.secret, at: Self.noon)?.spentStep == step + 1)
        // Also when the server's clock goes back.
        #expect(after.accepting(code(step), of: Self.secret, at: Self.noon - 30) == nil)
    }

    @Test(
        "SEC-TOTP-3: two accepted codes of the same offset teach the clock of the app, at most two steps, and no wrong one does"
    )
    func drift() throws {
        for direction in [1, -1] {
            var clock = AppClock(spentStep: 0)
            var now = Self.noon
            /// Gives the code of an app whose clock is `steps` steps ahead.
            func give(_ steps: Int) -> Bool {
                now += 600
                guard let next = clock.accepting(code(AppSecret.step(at: now) + steps), of: Self.secret, at: now)
                else { return false }
                clock = next
                return true
            }
            #expect(give(direction) && clock.drift == 0)
            #expect(give(0) && clock.drift == 0, "one is chance")
            #expect(give(direction) && !give(2 * direction) && clock.drift == 0)
            #expect(give(direction) && clock.drift == direction)
            #expect(give(2 * direction) && give(2 * direction) && clock.drift == 2 * direction)
            #expect(give(3 * direction) && give(3 * direction) && clock.drift == 2 * direction, "no further")
            #expect(!give(4 * direction) && !give(0))
        }
    }

    @Test("Of a million possible codes at most three are right at once")
    func guesses() {
        let right = (0..<1_000_000).count { number in
            let text = String(number)
            let typed = Secret(String(repeating: "0", count: 6 - text.utf8.count) + text)
            return Self.rights.contains(typed)
        }
        #expect(right == Self.rights.count && right <= 3)
        for typed in Self.rights {
            #expect(AppClock(spentStep: 0).accepting(typed, of: Self.secret, at: Self.noon) != nil)
        }
    }

    private static let rights: Set<Secret<String>> = {
        let step = AppSecret.step(at: noon)
        return Set((-1...1).map { secret.code(at: step + $0) })
    }()

    @Test("SEC-OTP-8: blanks and hyphens do not matter, and what cannot be a code is none")
    func typing() {
        for typed in ["123456", " 123 456 ", "123-456", "1-2-3 4 5 6"] {
            #expect(AppSecret.digits(of: Secret(typed))?.reveal() == "123456")
        }
        for typed in ["", "12345", "1234567", "12345a", "١٢٣٤٥٦", "123456\n", "+12345", "123\u{00A0}456"] {
            #expect(AppSecret.digits(of: Secret(typed)) == nil)
        }
    }

    @Test("The address of an app: both issuers are equal, and blanks are percent signs")
    func address() {
        #expect(
            Self.secret.address(issuer: "Contoso Ltd", account: "dana@example.com").reveal()
                == "otpauth://totp/Contoso%20Ltd:dana@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                + "&issuer=Contoso%20Ltd&algorithm=SHA1&digits=6&period=30")
    }

    @Test(
        "SEC-TOTP-10: no text of a tenant or a user turns, hides or breaks the address",
        arguments: [
            ("a:b", "ab"), ("\u{202E}moc.live", "moc.live"), ("a\u{200B}\u{FEFF}b", "ab"), ("a\nb\u{0}c", "abc"),
            ("a&issuer=Evil?#/%", "a%26issuer%3DEvil%3F%23%2F%25"), ("Zoë", "Zo%C3%AB"), ("a+b", "a%2Bb"),
            ("\u{2028}a\u{E000}", "a"), (String(repeating: "x", count: 70), String(repeating: "x", count: 64)),
        ])
    func hostileParts(_ text: String, _ encoded: String) throws {
        let address = Self.secret.address(issuer: text, account: text).reveal()
        #expect(address.hasPrefix("otpauth://totp/\(encoded):\(encoded)?secret="))
        #expect(address.contains("&issuer=\(encoded)&algorithm="))
        #expect(
            address.utf8.count { $0 == UInt8(ascii: ":") } == 2 && address.utf8.count { $0 == UInt8(ascii: "&") } == 4)
    }

    @Test("Neither a secret nor its codes print themselves")
    func nothingPrints() {
        let texts = ["\(Self.secret)", String(reflecting: Self.secret), "\(Self.secret.base32)", "\(code(1))"]
        #expect(texts.allSatisfy { !$0.contains("GEZD") && !$0.contains("123456") && !$0.contains("287082") })
    }
}

/// Recovery codes: how they look, and what users type.
@Suite("Recovery codes")
struct RecoveryCodeTests {
    private struct SystemBytes: Randomness {
        func bytes(_ count: Int) -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }

    /// Repeats its bytes: the first codes have one name.
    private final class Repeating: Randomness {
        let calls = Locked(0)

        func bytes(_ count: Int) -> [UInt8] {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            return [0, UInt8(truncatingIfNeeded: call / 3)]
                + [UInt8](repeating: UInt8(truncatingIfNeeded: call), count: count - 2)
        }
    }

    @Test("SEC-REC-1: ten codes of 16 characters with ten names, 70 secret bits each, and no character more likely")
    func form() throws {
        var counts: [Character: Int] = [:]
        for _ in 0..<200 {
            let codes = RecoveryCode.drawn(by: SystemBytes())
            #expect(codes.count == 10 && Set(codes.map(\.tag)).count == 10 && Set(codes).count == 10)
            for code in codes {
                let shown = code.shown.reveal()
                #expect(shown.split(separator: "-").map(\.count) == [4, 4, 4, 4])
                #expect(shown.hasPrefix(code.tag) && RecoveryCode(typed: code.shown) == code)
                for character in code.characters.reveal() { counts[character, default: 0] += 1 }
            }
        }
        #expect(Set(counts.keys) == Set("0123456789ABCDEFGHJKMNPQRSTVWXYZ"))
        // 32,000 characters, 1000 of each: chi-squared with 31 degrees of freedom is above 81 once in 400,000 times.
        let chi = counts.values.reduce(0.0) { $0 + Double(($1 - 1000) * ($1 - 1000)) / 1000 }
        #expect(chi < 81)
    }

    @Test("A name that another code has is drawn again")
    func names() {
        let codes = RecoveryCode.drawn(by: Repeating())
        #expect(Set(codes.map(\.tag)).count == 10)
    }

    @Test("SEC-REC-8: letter case, blanks, hyphens and letters like digits do not matter; other texts are no code")
    func typing() throws {
        let code = try #require(RecoveryCode(typed: Secret("A0CD-EF1H-JKMN-PQRS")))
        for typed in [
            "a0cd-ef1h-jkmn-pqrs", "AOCDEFIHJKMNPQRS", "aocd eflh jkmn pqrs", " A0CD--EF1H JKMN-PQRS ",
            "aOcDeFlHjKmNpQrS",
        ] {
            #expect(RecoveryCode(typed: Secret(typed)) == code, "\(typed)")
        }
        for typed in [
            "", "A0CD-EF1H-JKMN-PQR", "A0CD-EF1H-JKMN-PQRST", "U0CD-EF1H-JKMN-PQRS", "A0CD-EF1H-JKMN-PQR\u{0301}",
            "А0CD-EF1H-JKMN-PQRS", "A0CD_EF1H_JKMN_PQRS", String(repeating: " ", count: 100) + "A0CDEF1HJKMNPQRS",
        ] {
            #expect(RecoveryCode(typed: Secret(typed)) == nil, "\(typed)")
        }
        #expect(!"\(code)".contains("CDEF"))
    }
}
