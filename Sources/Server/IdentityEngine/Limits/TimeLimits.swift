import NativeAuthCore
package import PortableFoundation

/// Limits over time for one address, across all its flows.
package struct TimeLimits: Hashable, Sendable {
    /// `SEC-OTP-5`: wrong codes in 24 hours.
    package var wrongCodesPerDay = 100
    /// `SEC-OTP-5`: how many guesses each mailed code still gets when that budget is spent.
    package var guessesOverBudget = 2
    /// `SEC-OTP-12`: mails of one purpose to one mailbox in 15 minutes, an hour and a day.
    package var mailsToMailbox = MailCaps(perQuarter: 5, perHour: 10, perDay: 30)
    /// How many of those mails the unfamiliar sources of one network may ask for (docs/design/0013).
    package var mailsOfNetwork = MailCaps(perQuarter: 2, perHour: 4, perDay: 8)
    /// Seconds between two mails of the slow lane.
    package var slowLaneInterval = 900
    /// `SEC-OTP-3`, for the slow lane: the number of guesses at a shared code in all, from one source, from its network
    /// and, for IPv6, from its /48.
    package var guessesPerSharedCode = 2_000
    package var guessesOfSourcePerSharedCode = 2
    package var guessesOfNetworkPerSharedCode = 10
    package var guessesOfIPv6Prefix48PerSharedCode = 16
    /// `SEC-OTP-13`: how many mails one source may request in an hour.
    package var mailsPerSourceAndHour = 50
    /// `SEC-OTP-13`: how many mails of a tenant in an hour cause an alert.
    package var mailsPerTenantAlert = 3_600
    /// `SEC-MAIL-8`: how many refusals of a mailbox in 24 hours make it rest for an hour.
    package var refusalsBeforeRest = 3
    /// `SEC-RATE-2`: the budget of an IPv6 /48, as a multiple of the budget of one source.
    package var sourcesPerIPv6Prefix48 = 8

    package init() {}

    /// `SEC-OTP-6`: the best daily chance of guessing a code of one address: the budgets of both source classes, two
    /// guesses for each mail of every purpose to both, and the guesses at the shared codes of the slow lanes.
    package func dailyGuessingChance(digits: Int) -> Double {
        let own = 2 * wrongCodesPerDay + guessesOverBudget * 2 * MailBudget.allCases.count * mailsToMailbox.perDay
        let lanes = MailBudget.allCases.count(where: \.hasSlowLane)
        let shared = lanes * (86_400 / slowLaneInterval) * guessesPerSharedCode
        func chance(_ guesses: Int, _ digits: Int) -> Double {
            (0..<digits).reduce(Double(guesses)) { chance, _ in chance / 10 }
        }
        return chance(own, digits) + chance(shared, EngineSettings.sharedCodeDigits)
    }

    /// Seconds until fewer than `limit` of `dates` lie in the last `window` seconds; nil when fewer do now.
    static func wait(_ dates: [Date], window: Double, limit: Int, now: Date) -> Int? {
        let recent = dates.filter { now.timeIntervalSince($0) < window }
        guard recent.count >= limit else { return nil }
        let first = recent[recent.count - limit]
        return max(1, Int((window - now.timeIntervalSince(first)).rounded(.up)))
    }
}

/// How many mails may be sent in 15 minutes, an hour and a day.
package struct MailCaps: Hashable, Sendable {
    package var perQuarter: Int
    package var perHour: Int
    package var perDay: Int

    /// Seconds until one more mail may be sent; nil when it may be sent now.
    fileprivate func wait(_ dates: [Date], now: Date) -> Int? {
        [
            TimeLimits.wait(dates, window: 900, limit: perQuarter, now: now),
            TimeLimits.wait(dates, window: 3_600, limit: perHour, now: now),
            TimeLimits.wait(dates, window: 86_400, limit: perDay, now: now),
        ].compactMap(\.self).max()
    }
}

/// The purposes that codes are mailed for. Each purpose has its own budget for every mailbox, so that requests for one
/// purpose do not block another (design record 0013).
package enum MailBudget: String, Hashable, Sendable, CaseIterable {
    case signUp, signIn, reset, secondFactor, registration

    /// Nil for mails without a code, except the notice that replaces a sign-up's code.
    package init?(_ purpose: MailContent.Purpose) {
        switch purpose {
        case .signUp, .accountExists: self = .signUp
        case .signIn: self = .signIn
        case .passwordReset: self = .reset
        case .secondFactor, .accountChange: self = .secondFactor
        case .registration, .emailChange: self = .registration
        case .passwordChanged, .signInLocked, .signedInAfterFailures, .methodRegistered, .methodRemoved,
            .methodSuspended, .methodReactivated, .methodFirstUsed, .passkeySuspect, .recoveryCodeUsed, .emailChanged,
            .emailChangeUndone, .emailReplaced,
            .resetRequired, .accountDeleted, .deletionScheduled:
            return nil
        }
    }

    /// Whether a shared code is sent when the budget is spent: for the purposes that give access to an account and that
    /// an unknown client can ask for.
    package var hasSlowLane: Bool {
        switch self {
        case .signIn, .reset: true
        case .signUp, .secondFactor, .registration: false
        }
    }
}

extension StepSituation {
    /// Seconds to wait before another code may be mailed to the mailbox, or at the request of this network; nil for
    /// none.
    func waitForMailbox() -> Int? {
        guard let limits = settings.limits else { return nil }
        return [
            limits.mailsToMailbox.wait(counted[.mailbox]?[.codeMailed] ?? [], now: now),
            limits.mailsOfNetwork.wait(counted[.networkAtMailbox]?[.codeMailed] ?? [], now: now),
        ].compactMap(\.self).max()
    }

    /// Whether the client is told that the mailbox refuses our mails: since the last code of this flow was sent to it, or so
    /// often that it rests (`SEC-MAIL-8`).
    ///
    /// When answers hide accounts, the mails of a sign-in or a reset go to accounts only, and so do refusals: nothing is
    /// told then (`SEC-ENUM-3`). A sign-up reads the refusals of mails that go to every address.
    func mailboxRefuses(_ purpose: MailContent.Purpose, target: Data) -> Bool {
        guard let limits = settings.limits, let refusals = counted[.recipient]?[.mailRefused], let last = refusals.last,
            !hidesAccounts || (purpose != .signIn && purpose != .passwordReset)
        else { return false }
        if let code = row.code, code.target == target, last >= code.sentAt { return true }
        let day = refusals.count { now.timeIntervalSince($0) < 86_400 }
        return day >= limits.refusalsBeforeRest && now.timeIntervalSince(last) < 3_600
    }

    /// Seconds to wait before another mail may be sent for this source or this tenant; nil for none.
    func waitForSender() -> Int? {
        guard let limits = settings.limits else { return nil }
        let fromSource = counted[.source]?[.codeMailed] ?? []
        return [
            // The time of the first of the tenant's latest mails, as many as the tenant may send in an hour.
            tenantMailsSince.map { max(1, Int((3_600 - now.timeIntervalSince($0)).rounded(.up))) },
            TimeLimits.wait(fromSource, window: 3_600, limit: limits.mailsPerSourceAndHour, now: now),
            TimeLimits.wait(
                counted[.ipv6Prefix48]?[.codeMailed] ?? [], window: 3_600,
                limit: limits.mailsPerSourceAndHour * limits.sourcesPerIPv6Prefix48, now: now),
        ].compactMap(\.self).max()
    }

    /// Seconds to wait before another guess is compared, when the code already had `attempts`; nil for none.
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
    /// The address as limits count it: without a tag after `+`, and at Gmail without dots, because all of those reach
    /// one mailbox (`SEC-OTP-12`). Never use it to identify a user.
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
