import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@Suite("Codes")
struct CodeDrawingTests {
    /// Bytes from the system, as in production.
    private struct System: Randomness {
        func bytes(_ count: Int) -> [UInt8] {
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
    }

    /// Scripted bytes.
    private struct Given: Randomness {
        let given: [UInt8]
        func bytes(_ count: Int) -> [UInt8] {
            Array(given.prefix(count)) + Array(repeating: 0, count: max(0, count - given.count))
        }
    }

    @Test("SEC-OTP-1: every digit is equally likely at every place")
    func everyDigitIsEquallyLikely() {
        let codes = 30_000
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 8)
        for _ in 0..<codes {
            let digits = Array(System().digits(8).utf8)
            #expect(digits.count == 8)
            for (place, digit) in digits.enumerated() { counts[place][Int(digit) - 0x30] += 1 }
        }
        let expected = Double(codes) / 10
        for place in counts {
            let chiSquared = place.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
            // Nine degrees of freedom: 33.7 is exceeded once in ten thousand.
            #expect(chiSquared < 33.7)
        }
    }

    @Test("SEC-OTP-1: bytes that would favour a digit are thrown away, and leading zeros stay")
    func unevenBytesAreThrownAway() {
        #expect(Given(given: [255, 250, 0, 10, 7, 249, 251, 1, 2, 3, 4, 5]).digits(6) == "007912")
    }

    @Test("A UUID with a time begins with its milliseconds, and has 74 random bits behind them")
    func aUUIDWithATime() {
        let random = Given(given: Array(repeating: 0xFF, count: 16))
        let early = random.uuid(at: Date(timeIntervalSince1970: 1_645_557_742))
        // Its first half is the example of RFC 9562, appendix A.6.
        #expect(early.text == "017f22e2-79b0-7fff-bfff-ffffffffffff")
        #expect(random.uuid(at: Date(timeIntervalSince1970: 1_645_557_742.001)).text > early.text)
        // No time of a clock can crash the server.
        for time in [-1, .infinity, .nan, 1e300] {
            #expect(random.uuid(at: Date(timeIntervalSince1970: time)).text.hasPrefix("00000000-0000-7"))
        }
        #expect(
            System().uuid(at: .init(timeIntervalSince1970: 1)) != System().uuid(at: .init(timeIntervalSince1970: 1)))
    }
}
