import NativeAuthCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Limits that count over time, for one address across all its flows.
package struct TimeLimits: Hashable, Sendable {
    /// `SEC-OTP-5`: wrong codes in 24 hours.
    package var wrongCodesPerDay = 100
    /// `SEC-OTP-5`: how many guesses each mailed code gets even then.
    package var guessesOverBudget = 2
    /// `SEC-OTP-12`: mails in 15 minutes, an hour and a day.
    package var mailsPerQuarter = 5
    package var mailsPerHour = 10
    package var mailsPerDay = 30
    /// `SEC-OTP-13`: mails that one source may have sent in an hour.
    package var mailsPerSourceAndHour = 50
    /// `SEC-OTP-13`: how many mails of a tenant in an hour are an alert.
    package var mailsPerTenantAlert = 3_600
    /// `SEC-RATE-2`: how many times the budget of one source an IPv6 site has.
    package var sourcesPerSite = 8

    package init() {}

    /// `SEC-OTP-6`: the best daily chance of somebody who guesses codes of one address: the budgets of both source classes,
    /// and two guesses for each mail of the four kinds of mail buckets.
    package func dailyGuessingChance(digits: Int) -> Double {
        let guesses = 2 * wrongCodesPerDay + guessesOverBudget * 4 * mailsPerDay
        return (0..<digits).reduce(Double(guesses)) { chance, _ in chance / 10 }
    }

    /// Seconds until fewer than `limit` of `dates` lie in the last `window` seconds; nil when that is so now.
    fileprivate static func wait(_ dates: [Date], window: Double, limit: Int, now: Date) -> Int? {
        let recent = dates.filter { now.timeIntervalSince($0) < window }
        guard recent.count >= limit else { return nil }
        let first = recent[recent.count - limit]
        return max(1, Int((window - now.timeIntervalSince(first)).rounded(.up)))
    }
}

extension StepSituation {
    /// Seconds to wait before another code may be mailed to the address; nil: none.
    ///
    /// - Parameter event: Which of the two kinds of mail; each has its own budget (`SEC-OTP-12`).
    func waitForMail(_ event: CountedEvent) -> Int? {
        guard let limits = settings.limits else { return nil }
        let toAddress = counted[.address]?[event] ?? []
        let fromSource = counted[.source]?[.codeMailed] ?? []
        return [
            TimeLimits.wait(toAddress, window: 900, limit: limits.mailsPerQuarter, now: now),
            TimeLimits.wait(toAddress, window: 3_600, limit: limits.mailsPerHour, now: now),
            TimeLimits.wait(toAddress, window: 86_400, limit: limits.mailsPerDay, now: now),
            // So long ago was the first of as many mails as the tenant may send in an hour.
            tenantMailsSince.map { max(1, Int((3_600 - now.timeIntervalSince($0)).rounded(.up))) },
            TimeLimits.wait(fromSource, window: 3_600, limit: limits.mailsPerSourceAndHour, now: now),
            TimeLimits.wait(
                counted[.site]?[.codeMailed] ?? [], window: 3_600,
                limit: limits.mailsPerSourceAndHour * limits.sourcesPerSite, now: now),
        ].compactMap(\.self).max()
    }

    /// Seconds to wait before another guess is compared, when the code had `attempts` already; nil: none.
    func waitForGuess(after attempts: Int) -> Int? {
        guard let limits = settings.limits, attempts >= limits.guessesOverBudget,
            let wrong = counted[.address]?[.wrongCode]
        else {
            return nil
        }
        return TimeLimits.wait(wrong, window: 86_400, limit: limits.wrongCodesPerDay, now: now)
    }
}

extension EmailAddress {
    /// The address as limits count it: without a tag after `+`, and at Gmail without dots, since all of those reach one
    /// mailbox (`SEC-OTP-12`). Never used to tell people apart.
    package var mailbox: Data {
        let bytes = key.bytes
        var local = Data(bytes.prefix { $0 != UInt8(ascii: "@") })
        var domain = Data(bytes.dropFirst(local.count))
        let untagged = local.prefix { $0 != UInt8(ascii: "+") }
        if !untagged.isEmpty { local = Data(untagged) }
        if [Data("@gmail.com".utf8), Data("@googlemail.com".utf8)].contains(domain) {
            local.removeAll { $0 == UInt8(ascii: ".") }
            domain = Data("@gmail.com".utf8)
        }
        return local + domain
    }
}
