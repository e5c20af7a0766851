package import NativeAuthCore

/// The engine's settings; all times are in seconds. The defaults are the production values of
/// docs/requirements.md.
package struct EngineSettings: Hashable, Sendable {
    /// The server's own base URL, without a trailing slash; every issuer begins with it.
    package var baseURL: String
    /// `SEC-OTP-1`: 6 to 10.
    package var codeDigits = 8
    /// The length of a slow-lane code. It is longer than any other code, because all clients of a flood may guess it,
    /// and because the length tells the two kinds apart.
    package static let sharedCodeDigits = 12
    /// The code of every flow, for measurements; nil draws a new code each time and is required in production.
    package var fixedCode: Secret<String>?
    /// `SEC-OTP-2`: 120 to 600.
    package var codeLifetime = 600
    /// `SEC-OTP-3`: 3 to 5.
    package var guessesPerCode = 5
    /// `SEC-OTP-4`.
    package var codesPerFlow = 5
    /// `SEC-OTP-11`: 30 to 300; the development profile also allows 0.
    package var resendCooldown = 60
    /// The enumeration mode of tenants and applications that do not set one.
    package var enumeration = EnumerationMode.bulk
    /// The enrolment mode of tenants that do not set one (design record 0005).
    package var enrolment = EnrolmentMode.proven
    /// `SEC-ENR-7`: how old a method must be, in seconds, to stay in use when the password is reset.
    package var methodTrustAge = 30 * 24 * 3600
    /// `SEC-ENR-7`: how long a method stays suspended before a proof of the account's mailbox restores it, in seconds.
    package var suspensionRest = 24 * 3600
    /// `SEC-ENR-5`: a second notice of the same kind is not sent within this many seconds.
    package var noticeInterval = 600
    /// Limits that count over time; nil switches them off, which only the development profile allows.
    package var limits: TimeLimits? = TimeLimits()
    /// Those of texts, where ``limits`` is not nil.
    package var textLimits = TextLimits()
    /// Whether the server can send texts.
    package var hasTextGateway = false
    /// A text that would arrive so many seconds before its code expires, or later, is not sent (`SEC-SMS-11`).
    package var textMargin = 30
    /// `SEC-CT-5`: the lifetime of a token before and after the first proof, and of a flow as a whole.
    package var idleLifetime = 900
    package var provenIdleLifetime = 600
    package var flowLifetime = 3600
    /// `SEC-CT-4`: how many times a spent token may be presented before the flow ends.
    package var misusesPerFlow = 3
    /// `REL-IDEM`.
    package var replayLifetime = 60
    /// `SEC-ID-8`: how long an alias that its user gave up is kept from others, in seconds.
    package var aliasRest = 90 * 24 * 3600
    /// How long the owner of an old address can take back the change of an account's address, in seconds. The address is
    /// kept from others as long.
    package var emailUndoLifetime = 7 * 24 * 3600
    /// How long a notice (a mail without a code) is worth sending.
    package var noticeLifetime = 24 * 3600
    /// `SEC-LOCK-3`: how long a network stays familiar after a sign-in.
    package var familiarityLifetime = 30 * 24 * 3600
    /// The interval at which a client asks whether a reset is done, docs/protocol.md §4.8.4. The first poll finds it
    /// done.
    package var pollInterval = 1
    /// `SEC-TOK-1`: the lifetime of an access token is drawn from this range.
    package var tokenLifetime = 3600...5400
    /// `SEC-TOK-9`.
    package var refreshGrace = 30
    /// docs/protocol.md §5.5: the fixed lifetime of refresh tokens of one-time-passcode applications.
    package var oneTimePasscodeRefreshLifetime = 24 * 3600
    /// `SEC-TOK-12`: the lifetime of an unused refresh token, and of a family as a whole.
    package var refreshLifetime = 90 * 24 * 3600
    package var refreshFamilyLifetime = 365 * 24 * 3600

    package init(baseURL: String) {
        self.baseURL = baseURL
    }

    /// The faults of the settings, one sentence each with the setting's name. The server does not start with any of
    /// them.
    ///
    /// - Parameter allowsNoCooldown: True in the development profile.
    package func problems(allowsNoCooldown: Bool) -> [String] {
        var problems: [String] = []
        func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) {
            if !range.contains(value) {
                problems.append("\(name) is \(value); it must lie between \(range.lowerBound) and \(range.upperBound)")
            }
        }
        check("codeDigits", codeDigits, 6...10)
        if let fixedCode, fixedCode.reveal().utf8.count != codeDigits {
            problems.append("fixedCode has not codeDigits digits")
        }
        check("codeLifetime", codeLifetime, 120...600)
        check("guessesPerCode", guessesPerCode, 3...5)
        check("codesPerFlow", codesPerFlow, 1...5)
        if !(allowsNoCooldown && resendCooldown == 0) { check("resendCooldown", resendCooldown, 30...300) }
        check("refreshGrace", refreshGrace, 0...60)
        if let limits {
            let chance = limits.dailyGuessingChance(digits: codeDigits)
            if chance > 1e-4 {
                problems.append(
                    "codeDigits and the limits give a guesser a chance of \(chance) a day; it must be 0.0001 or less")
            }
        }
        check("tokenLifetime", tokenLifetime.lowerBound, 60...tokenLifetime.upperBound)
        return problems
    }
}
