package import NativeAuthCore
package import PortableFoundation

/// A device on which a user has given a second factor: there, for a time, the first factor is enough (design record 0046).
package struct RememberedDevice: Hashable, Sendable {
    /// The most devices of a user; another one takes the place of the oldest.
    package static let most = 10
    /// The days that a tenant can choose.
    package static let days = 1...30

    package var id: UUID
    package var user: UserID
    /// The application that it was remembered for.
    package var client: ClientID
    /// SHA-256 of the user and of what the device proves itself with, 32 bytes (``DeviceSecret``): it does not tell which users share a
    /// device.
    package var mark: Data
    /// What the proofs were worth, at most ``Assurance/Level/twoFactors``.
    package var level: Assurance.Level
    /// The version of the user's credentials: a device is forgotten with those, whatever version of the server changed them.
    package var credentialVersion: Int
    package var createdAt: Date
    package var until: Date
    /// The last sign-in that did not ask for the second factor; nil: none yet.
    package var usedAt: Date?
    package var device: SessionDevice
    /// The network in which it was remembered, such as `192.0.2.0/24`.
    package var network: String?

    package init(
        id: UUID, user: UserID, client: ClientID, mark: Data, level: Assurance.Level, credentialVersion: Int = 0,
        createdAt: Date, until: Date, usedAt: Date? = nil, device: SessionDevice = SessionDevice(),
        network: String? = nil
    ) {
        self.id = id
        self.user = user
        self.client = client
        self.mark = mark
        self.level = level
        self.credentialVersion = credentialVersion
        self.createdAt = createdAt
        self.until = until
        self.usedAt = usedAt
        self.device = device
        self.network = network
    }

    /// How long it is remembered in all, in seconds.
    var seconds: Int { Int(until.timeIntervalSince(createdAt)) }

    /// When it ends where the tenant remembers devices for so many days now: what the tenant has shortened is shorter at once.
    func end(within days: Int) -> Date { min(until, createdAt.addingTimeInterval(Double(days) * 86_400)) }
}

/// The remembered device that replaces the second factor in a sign-in. It is no proof: it adds nothing to what the proofs are worth, and
/// no word to the claim `amr`.
package struct RememberedProof: Hashable, Sendable, Codable {
    package var client: ClientID
    package var level: Assurance.Level
    /// When the second factor was given.
    package var provenAt: Date
    /// Whether the user needed a second factor in every application already. An operator who demands it later wants to see one.
    package var coversUser: Bool

    package init(client: ClientID, level: Assurance.Level, provenAt: Date, coversUser: Bool) {
        self.client = client
        self.level = level
        self.provenAt = provenAt
        self.coversUser = coversUser
    }

    init(_ device: RememberedDevice, of account: UserAccount) {
        self.init(
            client: device.client, level: device.level, provenAt: device.createdAt,
            coversUser: account.requiresSecondFactor)
    }

    /// Whether it is enough in place of the second factor. Never for a passkey or an age: an earlier sign-in cannot prove either.
    ///
    /// - Parameter days: Those of the tenant now; nil: it remembers no devices.
    package func meets(
        _ demand: LevelDemand, of account: UserAccount, in client: ClientID?, within days: Int?, at now: Date
    ) -> Bool {
        guard let days, now < provenAt.addingTimeInterval(Double(days) * 86_400) else { return false }
        return client == self.client && demand.level <= min(level, .twoFactors) && demand.maximumAge == nil
            && (coversUser || !account.requiresSecondFactor)
    }
}

/// What a device proves itself with.
package enum DeviceSecret: Hashable, Sendable {
    /// A key of the device: a proof of possession (RFC 9449 section 4.2) whose `ath` is of the continuation token. So it is good for
    /// one flow of this server, and its address is not compared.
    case key(String)
    /// The values of a browser's cookies, each 256 random bits of this server: one for each user of the browser.
    case cookies([Secret<String>])
}

extension FactorDemand {
    /// Whether a device can be remembered in this sign-in, so that the next one like it needs no second factor.
    func isRememberable(for account: UserAccount) -> Bool {
        let whole = whole(of: account)
        return rememberedDays != nil && contexts.isEmpty && whole.maximumAge == nil && whole.level <= .twoFactors
    }
}

// Remembered devices: found before the step, and looked at again in its transaction.
extension Engine {
    /// What identifies the device that sends a request, for any user; empty when it shows nothing, or where none are remembered.
    func deviceTraces(for token: ContinuationToken, in context: RequestContext) throws(ProofFault) -> [Data] {
        guard let secret = context.caller.deviceSecret, context.rememberedDays != nil else { return [] }
        switch secret {
        case .key(let proof):
            let key = try judgeDevice(proof, for: token.secret, now: context.now).key
            return [Vault.fingerprint([Data("remembered key".utf8), Data(key.utf8)])]
        case .cookies(let cookies): return cookies.map(Self.trace)
        }
    }

    private static func trace(of cookie: Secret<String>) -> Data {
        Vault.fingerprint([Data("remembered cookie".utf8), Data(cookie.reveal().utf8)])
    }

    private static func mark(_ trace: Data, of user: UserID) -> Data {
        Vault.fingerprint([trace, Data(user.description.utf8)])
    }

    /// The remembered device that sends the request; nil when it is none of this user and application, or too old.
    ///
    /// Not for a link of an identity, which is an enrolment (`SEC-ENR-3`), and not where the flow began with the session of a browser:
    /// there the first factor is not given now, either. Nor beside a number, whose telephone may be that device.
    func rememberedDevice(
        for proven: Authentication, of account: UserAccount, in context: RequestContext
    ) async throws(EngineError) -> RememberedDevice? {
        let marks = context.deviceTraces.map { Self.mark($0, of: account.user.id) }
        guard !marks.isEmpty, let days = context.rememberedDays, proven.linking == nil, proven.browserSession == nil,
            !proven.beganWithPhone
        else {
            return nil
        }
        let found: RememberedDevice?
        do {
            found = try await ports.users.rememberedDevices(of: account.user.id, in: context.tenant.id)
                .first { marks.contains($0.mark) && $0.client == context.client.id }
        } catch {
            throw .store(error)
        }
        guard let found, found.end(within: days) > context.now,
            found.credentialVersion >= account.tokensFromVersion
        else { return nil }
        return found
    }

    /// The device that the end of this sign-in remembers; nil when the request does not ask for it, or the proofs are not two factors
    /// that may be left out: a recovery code is for users who have lost their devices.
    func deviceToRemember(
        _ proven: Authentication, _ request: TokenRequest, _ demand: FactorDemand, _ account: UserAccount,
        in context: RequestContext
    ) -> NewRememberedDevice? {
        guard request.remembersDevice, let secret = context.caller.deviceSecret, let days = context.rememberedDays,
            demand.isRememberable(for: account), !account.secondFactors.isEmpty, !proven.assurance.needsRecoveryCode
        else { return nil }
        // The word of a provider is no factor that may be left out: it comes with each sign-in there.
        let level = min(proven.withoutStatement.level(for: demand), .twoFactors)
        guard level >= .mailed else { return nil }
        let user = account.user.id
        let known = context.deviceTraces.map { Self.mark($0, of: user) }
        // A browser gets another cookie each time, so that a copy of an earlier one stays worth nothing.
        let cookie: Secret<String>?
        let mark: Data
        switch secret {
        case .key:
            guard let first = known.first else { return nil }
            (cookie, mark) = (nil, first)
        case .cookies:
            let new = Secret(Base64URL.encode(ports.randomness.bytes(32)))
            (cookie, mark) = (new, Self.mark(Self.trace(of: new), of: user))
        }
        let device = RememberedDevice(
            id: ports.randomness.uuid(at: context.now), user: user, client: context.client.id, mark: mark,
            level: level, credentialVersion: account.credentialVersion, createdAt: context.now,
            until: context.now.addingTimeInterval(Double(days) * 86_400), device: context.caller.device,
            network: context.caller.source?.networkText)
        return NewRememberedDevice(device: device, replaced: known, cookie: cookie)
    }

    /// The devices of the caller on which the second factor is left out, the newest first.
    package func rememberedDevices(
        of caller: DirectoryCaller, now: Date
    ) async throws(EngineError) -> [RememberedDevice] {
        try await rememberedDevices(of: caller.account, in: caller.tenant, now: now)
    }

    /// The same of any user. Each ends when the tenant's days are over.
    package func rememberedDevices(
        of account: UserAccount, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> [RememberedDevice] {
        guard let days = tenant.rememberedDays else { return [] }
        do {
            return try await ports.users.rememberedDevices(of: account.user.id, in: tenant.id)
                .filter { $0.end(within: days) > now && $0.credentialVersion >= account.tokensFromVersion }
                .map { device in
                    var device = device
                    device.until = device.end(within: days)
                    return device
                }
                .sorted { $0.createdAt > $1.createdAt }
        } catch {
            throw .store(error)
        }
    }

    /// Whether one of these cookies of a browser is that of the device.
    package func isDevice(_ device: RememberedDevice, of cookies: [Secret<String>]) -> Bool {
        cookies.contains { Self.mark(Self.trace(of: $0), of: device.user) == device.mark }
    }

    /// Forgets a device of the caller: its next sign-in asks for the second factor. Sessions go on.
    ///
    /// - Returns: Refused with ``DirectoryRefusal/notFound`` when the user has no such device.
    package func forgetDevice(
        _ id: UUID, of caller: DirectoryCaller, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        guard try await rememberedDevices(of: caller, now: now).contains(where: { $0.id == id }) else {
            return .refused(.notFound)
        }
        let event = event(.deviceForgotten, of: caller, from: source, at: now)
        return try await change(caller) { account, _ in
            ([.forgetDevices(account.user.id, id), .record(event)], .accepted(()))
        }
    }
}

/// A device that the end of a sign-in remembers.
package struct NewRememberedDevice: Hashable, Sendable {
    package var device: RememberedDevice
    /// The marks of the user that the device had until now.
    package var replaced: [Data]
    /// The new cookie of a browser; nil for a key.
    package var cookie: Secret<String>?
}

extension Effect {
    /// The user whose remembered devices end with the change: what a device was remembered for is over when the credentials, the
    /// methods or the sessions of the user change (`SEC-ENR-6`, `SEC-ENR-7`).
    package var endingDevices: UserID? {
        switch self {
        case .changePassword(let user, _, _, _), .removePassword(let user, _), .changeCredentials(let user, _),
            .revokeRefreshFamilies(let user, _, _, _), .addStrongMethod(_, let user),
            .removeStrongMethods(_, let user), .setSuspension(_, let user, _), .requireSecondFactor(true, let user),
            .setRecovery(.some, let user, _), .replaceName(.email, _, let user, _, _):
            user
        case .createUser, .enqueueMail, .noteText, .noteVerifiedTexts, .pauseTexts, .openRefreshFamily,
            .openBrowserSession, .endBrowserSession, .record, .count, .forget, .upgradePassword, .movePassword,
            .trustPassword, .keepRefreshFamilies, .revokeRefreshFamily, .endFlows, .setAttributes, .setDisabled,
            .requireSecondFactor(false, _), .replaceName(.alias, _, _, _, _), .holdName, .releaseNames, .offerUndo,
            .forgetUndos,
            .scheduleDeletion, .setDeleted, .deleteUser, .renameMethod, .noteUse, .spendStep, .keepGrant, .keepNames,
            .updatePasskey, .setRecovery(nil, _, _), .setLockout, .setSlowLane, .rememberNetwork, .forgetNetworks,
            .rememberDevice, .noteDeviceUse, .forgetDevices, .openOperatorRequest, .standBehindOperatorRequest,
            .closeOperatorRequest:
            nil
        }
    }
}
