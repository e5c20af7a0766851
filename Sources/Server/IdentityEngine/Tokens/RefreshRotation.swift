import NativeAuthCore
package import PortableFoundation

/// A presented refresh token, and the token that replaces it.
package struct Rotation: Hashable, Sendable {
    package var presented: Data
    package var successor: Data
    package var sealedAnswer: Data
    package var slidingExpiry: Date
    package var now: Date
    /// Seconds.
    package var grace: Double

    package init(
        presented: Data, successor: Data, sealedAnswer: Data, slidingExpiry: Date, now: Date, grace: Double
    ) {
        self.presented = presented
        self.successor = successor
        self.sealedAnswer = sealedAnswer
        self.slidingExpiry = slidingExpiry
        self.now = now
        self.grace = grace
    }
}

/// The result of presenting a refresh token.
package enum RefreshVerdict: Hashable, Sendable {
    /// The token was live; its successor is live now.
    case rotated
    /// The token was rotated a moment ago: give the same answer again (`SEC-TOK-9`).
    case repeated(sealedAnswer: Data)
    /// The token was rotated long ago, so two parties hold it: the family is revoked.
    case reused
    case refused(Refusal)
}

extension RefreshFamily {
    /// Whether a token is the live one, as far as these values tell. Another one never becomes it.
    func isLive(_ presented: Data, now: Date) -> Bool {
        revokedAt == nil && now < expiresAt && Vault.areEqual(presented, tokenDigest)
    }

    /// The last rotation, if it replaced this token at most `grace` seconds ago.
    private func wasReplaced(_ presented: Data, now: Date, grace: Double) -> Previous? {
        guard let previous, Vault.areEqual(presented, previous.tokenDigest),
            now.timeIntervalSince(previous.rotatedAt) <= grace
        else { return nil }
        return previous
    }

    /// Judges a presented token, as a pure function. At most one token of a family is live (`SEC-TOK-8`).
    package func presenting(_ rotation: Rotation) -> (change: RefreshFamily?, verdict: RefreshVerdict) {
        guard revokedAt == nil else { return (nil, .refused(.revokedRefreshToken)) }
        guard rotation.now < expiresAt else { return (nil, .refused(.expiredRefreshToken)) }
        var family = self
        if Vault.areEqual(rotation.presented, tokenDigest) {
            family.generation += 1
            family.tokenDigest = rotation.successor
            family.previous = Previous(
                tokenDigest: rotation.presented, rotatedAt: rotation.now, sealedAnswer: rotation.sealedAnswer)
            family.expiresAt = rotation.slidingExpiry
            return (family, .rotated)
        }
        if let previous = wasReplaced(rotation.presented, now: rotation.now, grace: rotation.grace) {
            return (nil, .repeated(sealedAnswer: previous.sealedAnswer))
        }
        family.revokedAt = rotation.now
        return (family, .reused)
    }
}
