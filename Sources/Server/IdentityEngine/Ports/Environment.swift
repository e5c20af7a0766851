package import PortableFoundation

/// The source of the time. It is read once per request and passed down (design record 0014).
package protocol WallClock: Sendable {
    /// The time now.
    var now: Date { get }
}

/// The source of random bytes: the system's generator, except in tests (design record 0014, `SEC-OTP-1`).
package protocol Randomness: Sendable {
    /// `count` fresh bytes, unpredictable and never repeated.
    func bytes(_ count: Int) -> [UInt8]
}

extension Randomness {
    /// A random version 4 UUID (RFC 9562 section 5.4).
    package func uuid() -> UUID {
        uuid(version: 4, bytes(16))
    }

    /// A version 7 UUID (RFC 9562 section 5.7): the milliseconds of `time`, and 74 random bits. Use it for rows with
    /// similar lifetimes: the database stores rows of the same time side by side and writes fewer pages.
    package func uuid(at time: Date) -> UUID {
        var bytes = bytes(16)
        let milliseconds = UInt64(exactly: (time.timeIntervalSince1970 * 1000).rounded(.down)) ?? 0
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * index)) }
        return uuid(version: 7, bytes)
    }

    /// The seconds before the next attempt to deliver something: 1 s after the first, doubling to 4 min, and up to a
    /// quarter more at random, so that what failed together is not tried again together (`SEC-MAIL-8`).
    package func retryDelay(afterAttempts attempts: Int) -> TimeInterval {
        let base = min(TimeInterval(1 << min(max(attempts, 1) - 1, 8)), 240)
        let chance = bytes(2).reduce(0.0) { ($0 + Double($1)) / 256 }
        return base * (1 + chance / 4)
    }

    private func uuid(version: UInt8, _ bytes: [UInt8]) -> UUID {
        var b = bytes
        b[6] = b[6] & 0x0F | version << 4
        b[8] = b[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }

    /// `count` decimal digits, uniform and independent: bytes of 250 or more are discarded, so that no digit is more
    /// likely (`SEC-OTP-1`).
    package func digits(_ count: Int) -> String {
        var digits = ""
        while digits.utf8.count < count {
            for byte in bytes(count * 2) where byte < 250 && digits.utf8.count < count {
                digits.append(Character(Unicode.Scalar(0x30 + byte % 10)))
            }
        }
        return digits
    }
}
