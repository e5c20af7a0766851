import Crypto
package import NativeAuthCore
package import PortableFoundation

/// The secret that an authenticator app shares with the server, and its codes: HMAC-SHA-1, six digits, 30 seconds (RFC
/// 6238), the one set that every app takes (`SEC-TOTP-1`).
package struct AppSecret: Hashable, Sendable {
    /// The length in bytes that RFC 4226 section 4 recommends.
    package static let length = 20
    package static let digits = 6
    /// In seconds.
    package static let period = 30

    package let bytes: Secret<Data>

    /// - Parameter bytes: ``length`` bytes; others are those of tests.
    package init(_ bytes: Data) {
        self.bytes = Secret(bytes)
    }

    /// A new secret, from the system's generator.
    package init(drawnBy randomness: any Randomness) {
        self.init(Data(randomness.bytes(Self.length)))
    }

    /// The step of a time: how many periods have passed since 1970.
    package static func step(at date: Date) -> Int {
        Int((date.timeIntervalSince1970 / Double(period)).rounded(.down))
    }

    /// The code of a step (RFC 4226 section 5.3, RFC 6238 section 4).
    ///
    /// - Parameters:
    ///   - step: Zero or more.
    ///   - digits: 6 to 8.
    package func code(at step: Int, digits: Int = digits) -> Secret<String> {
        let counter = withUnsafeBytes(of: UInt64(max(0, step)).bigEndian) { Data($0) }
        let mac = Array(
            HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: bytes.reveal())))
        let offset = Int(mac[mac.count - 1] & 0x0F)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % (0..<digits).reduce(UInt32(1)) { power, _ in power * 10 })
        return Secret(String(repeating: "0", count: digits - text.utf8.count) + text)
    }

    /// The digits that a user typed, without blanks and hyphens; nil when the text cannot be a code, and is refused
    /// without being counted (`SEC-OTP-8`).
    package static func digits(of typed: Secret<String>) -> Secret<String>? {
        let characters = typed.reveal().utf8.codeCharacters
        guard characters.count == digits, characters.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Secret(String(decoding: characters, as: UTF8.self))
    }

    /// The secret as users type it into an app: base32 (RFC 4648 section 6) without padding.
    package var base32: Secret<String> { Secret(Self.base32(of: bytes.reveal())) }

    static func base32(of bytes: Data) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (text, bits, count) = ([UInt8](), 0, 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 5 {
                count -= 5
                text.append(alphabet[bits >> count & 31])
            }
            bits &= 1 << count - 1
        }
        if count > 0 { text.append(alphabet[bits << (5 - count) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Parameter base32: As users type it: small letters, blanks and hyphens do not matter; nil for other characters, and for
    ///   less than 16 or more than 64 bytes.
    package init?(base32 text: String) {
        guard text.utf8.count <= 160 else { return nil }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (bytes, bits, count) = (Data(), 0, 0)
        for byte in text.utf8 where !" -=".utf8.contains(byte) {
            let upper = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
            guard let value = alphabet.firstIndex(of: upper) else { return nil }
            (bits, count) = (bits << 5 | value, count + 5)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 255))
                bits &= 1 << count - 1
            }
        }
        guard (16...64).contains(bytes.count) else { return nil }
        self.init(bytes)
    }

    /// - Parameter text: Base32, or an address of the scheme `otpauth` whose codes are those of this server; nil for others.
    package init?(written text: String) {
        guard text.lowercased().hasPrefix("otpauth:") else {
            self.init(base32: text)
            return
        }
        guard text.utf8.count <= 2_048, let parts = URLComponents(string: text), parts.host?.lowercased() == "totp"
        else {
            return nil
        }
        func value(_ name: String) -> String? {
            parts.queryItems?.first { $0.name.lowercased() == name }?.value
        }
        guard (value("algorithm") ?? "SHA1").uppercased() == "SHA1", (value("digits") ?? "6") == "\(Self.digits)",
            (value("period") ?? "30") == "\(Self.period)", let secret = value("secret"),
            parts.queryItems?.count(where: { $0.name.lowercased() == "secret" }) == 1
        else { return nil }
        self.init(base32: secret)
    }

    /// The address that an app takes from a QR code or a link.
    ///
    /// - Parameters:
    ///   - issuer: The organisation. It stands in both places, and they are equal.
    ///   - account: The name of the user, as the app shows it.
    package func address(issuer: String, account: String) -> Secret<String> {
        let (issuer, account) = (Self.part(issuer), Self.part(account))
        return Secret(
            "otpauth://totp/\(issuer):\(account)?secret=\(base32.reveal())&issuer=\(issuer)"
                + "&algorithm=SHA1&digits=\(Self.digits)&period=\(Self.period)")
    }

    /// Without colons, which part the issuer from the account, and without characters that turn, hide or break what is
    /// shown (`SEC-TOTP-10`); the rest with percent signs, at most 64 characters of it.
    private static func part(_ text: String) -> String {
        let shown = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
                .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation,
                .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
                .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol, .spaceSeparator:
                scalar != ":"
            @unknown default: false
            }
        }.prefix(64)
        var encoded = ""
        for byte in String(String.UnicodeScalarView(shown)).utf8 {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~@".utf8.contains(byte)
            encoded +=
                isPlain
                ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return encoded
    }
}

/// An authenticator app whose secret the user was shown in the middle of a sign-in. It is only in the sealed token until a code of the
/// app confirms it (`SEC-TOTP-7`).
package struct ShownApp: Hashable, Sendable, Codable {
    /// The id that the method gets.
    package var method: UUID
    /// ``AppSecret/length`` bytes.
    package var secret: Data
    /// Codes of a period before this one do not count.
    package var shownAt: Date
}

/// What the server knows of the clock of an authenticator app, and which codes are spent.
package struct AppClock: Hashable, Sendable, Codable {
    /// The greatest number of steps that an app's clock is allowed for.
    static let mostDrift = 2

    /// The step of the last accepted code: a code of this step or an earlier one is never accepted again
    /// (`SEC-TOTP-2`).
    package var spentStep: Int
    /// By how many steps the app's clock is ahead, -2 to 2.
    package var drift: Int
    /// How far the last accepted code was from the expected step.
    package var lastOffset: Int

    package init(spentStep: Int, drift: Int = 0, lastOffset: Int = 0) {
        self.spentStep = spentStep
        self.drift = drift
        self.lastOffset = lastOffset
    }

    /// Judges a code: the clock after it, with its step spent; nil when it is wrong, spent, or of another time
    /// (`SEC-TOTP-3`). Write the result only where ``spentStep`` is still the same.
    ///
    /// - Parameters:
    ///   - code: Six digits.
    ///   - window: How many steps a code may be early or late: 1, or 0 where codes live for 30 seconds (OWASP ASVS
    ///     6.5.5).
    package func accepting(
        _ code: Secret<String>, of secret: AppSecret, window: Int = 1, at now: Date
    ) -> AppClock? {
        let expected = AppSecret.step(at: now) + drift
        let typed = Data(code.reveal().utf8)
        // Compare with each candidate, whichever is right, so that the time does not tell which one was.
        let matched = (-window...window).filter { offset in
            Vault.areEqual(typed, Data(secret.code(at: expected + offset).reveal().utf8))
        }
        // Two steps may have one code; the later one spends both.
        guard let offset = matched.last, expected + offset > spentStep else { return nil }
        var clock = AppClock(spentStep: expected + offset, drift: drift, lastOffset: offset)
        if offset != 0, offset == lastOffset {
            clock.drift = min(max(drift + offset, -Self.mostDrift), Self.mostDrift)
            clock.lastOffset = 0
        }
        return clock
    }
}
