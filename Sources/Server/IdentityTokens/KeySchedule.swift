import IdentityEngine
import PortableFoundation

/// Decides when keys are published, sign and are removed (`SEC-TOK-5`), from the records of one tenant.
///
/// Among the keys whose time has come, the latest one signs. A client that caches the key set for an hour or a day
/// knows the next key before its first token, and an old key as long as its last token is valid.
struct KeySchedule: Hashable, Sendable {
    /// How long a key signs: 90 days, in seconds.
    static let period: TimeInterval = 90 * 24 * 3600
    /// How long a key is published before it signs: a day, and five minutes for other processes to read and publish it.
    static let notice: TimeInterval = 24 * 3600 + 300
    /// How long a key stays after its successor began to sign, in seconds: the lifetime of a token, plus ``notice``.
    let retention: TimeInterval

    /// - Parameter longestTokenLife: The longest lifetime of a token that the keys sign, in seconds.
    init(longestTokenLife: Int) {
        retention = TimeInterval(longestTokenLife) + Self.notice
    }

    /// The key that signs at `time`. Before the first key's time (a clock was set back) it is the first key.
    ///
    /// - Parameter keys: The keys, in the order of ``KeyStore/signingKeys(for:)``.
    func signer(of keys: [SigningKeyRecord], at time: Date) -> SigningKeyRecord? {
        keys.first { $0.activeFrom <= time } ?? keys.last
    }

    /// When `key` can be removed; nil while it signs or will sign.
    func end(of key: SigningKeyRecord, among keys: [SigningKeyRecord], at now: Date) -> Date? {
        guard let index = keys.firstIndex(of: key), index > 0 else { return nil }
        let successor = keys[index - 1]
        return successor.activeFrom <= now ? successor.activeFrom + retention : nil
    }

    /// Whether the time has come to publish the next key.
    func needsNext(_ keys: [SigningKeyRecord], now: Date) -> Bool {
        guard let signer = signer(of: keys, at: now), next(of: keys, at: now) == nil else { return false }
        return signer.activeFrom + Self.period - Self.notice <= now
    }

    /// The change of the regular tick: adds the next key when it is time, and drops keys that are no longer needed. Nil
    /// when nothing changes.
    ///
    /// - Parameter spare: The key to publish, if one is needed.
    func tick(_ keys: [SigningKeyRecord], spare: SigningKeyRecord?, now: Date) -> [SigningKeyRecord]? {
        var changed = keys.filter { key in end(of: key, among: keys, at: now).map { now < $0 } ?? true }
        if let spare, needsNext(keys, now: now), let signer = signer(of: keys, at: now) {
            changed.append(spare.active(from: max(signer.activeFrom + Self.period, now + Self.notice)))
        }
        return changed == keys ? nil : changed
    }

    /// The change of a manual rotation with notice: `spare` is published and will sign, unless there is already a next
    /// key of its algorithm.
    func announcing(_ spare: SigningKeyRecord, _ keys: [SigningKeyRecord], now: Date) -> [SigningKeyRecord]? {
        let next = next(of: keys, at: now)
        if next?.algorithm == spare.algorithm { return nil }
        // A next key of another algorithm has signed nothing yet and is no longer needed.
        return keys.filter { $0 != next } + [spare.active(from: now + Self.notice)]
    }

    /// The change of an immediate rotation. The next key signs early, because clients may know it already; without one
    /// of the right algorithm, `spare` signs.
    func rotatingNow(_ spare: SigningKeyRecord, _ keys: [SigningKeyRecord], now: Date) -> [SigningKeyRecord] {
        let next = next(of: keys, at: now)
        let kept = keys.filter { $0 != next }
        return Self.signing(next?.algorithm == spare.algorithm ? next ?? spare : spare, before: kept, now: now)
    }

    /// The change that removes a key at once. The next key, or else `spare`, replaces the signing key, never an older
    /// one. Nil when there is no such key.
    func revoking(
        _ kid: String, spare: SigningKeyRecord, _ keys: [SigningKeyRecord], now: Date
    ) -> [SigningKeyRecord]? {
        let remaining = keys.filter { $0.kid != kid }
        if remaining.count == keys.count { return nil }
        guard signer(of: keys, at: now)?.kid == kid else { return remaining }
        let next = next(of: keys, at: now)
        let kept = remaining.filter { $0 != next }
        return Self.signing(next ?? spare, before: kept, now: now)
    }

    /// The key that is published and will sign later; there is at most one.
    func next(of keys: [SigningKeyRecord], at now: Date) -> SigningKeyRecord? {
        keys.count > 1 ? keys.first { $0.activeFrom > now } : nil
    }

    /// `key`, signing from `now` on, and the `older` keys, each with an earlier time than the one before it: several
    /// rotations may fall into one millisecond, the precision of stores, and clocks can be set back (`SEC-TOK-11`).
    private static func signing(
        _ key: SigningKeyRecord, before older: [SigningKeyRecord], now: Date
    ) -> [SigningKeyRecord] {
        let milliseconds = (now.timeIntervalSince1970 * 1000).rounded(.down)
        var start = Date(timeIntervalSince1970: milliseconds / 1000)
        // The division may give a time a fraction of a microsecond after now.
        if start > now { start = Date(timeIntervalSince1970: (milliseconds - 1) / 1000) }
        return older.reduce(into: [key.active(from: start)]) { keys, old in
            keys.append(old.active(from: min(old.activeFrom, keys[keys.count - 1].activeFrom - 0.001)))
        }
    }
}

extension SigningKeyRecord {
    fileprivate func active(from time: Date) -> SigningKeyRecord {
        var record = self
        record.activeFrom = time
        return record
    }
}
