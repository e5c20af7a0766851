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
    package var createdAt: Date
    package var until: Date
    /// The last sign-in that it made easier; nil: none yet.
    package var usedAt: Date?
    package var device: SessionDevice
    /// The network in which it was remembered, such as `192.0.2.0/24`.
    package var network: String?

    package init(
        id: UUID, user: UserID, client: ClientID, mark: Data, level: Assurance.Level, createdAt: Date, until: Date,
        usedAt: Date? = nil, device: SessionDevice = SessionDevice(), network: String? = nil
    ) {
        self.id = id
        self.user = user
        self.client = client
        self.mark = mark
        self.level = level
        self.createdAt = createdAt
        self.until = until
        self.usedAt = usedAt
        self.device = device
        self.network = network
    }

    /// How long it is remembered in all.
    var seconds: Int { Int(until.timeIntervalSince(createdAt)) }
    var proof: RememberedProof { RememberedProof(client: client, level: level) }
}

/// What a remembered device stands for in a sign-in. It is no proof: it adds nothing to what the proofs are worth, and no word to the
/// claim `amr`.
package struct RememberedProof: Hashable, Sendable, Codable {
    package var client: ClientID
    package var level: Assurance.Level

    package init(client: ClientID, level: Assurance.Level) {
        self.client = client
        self.level = level
    }

    /// Whether it is enough in place of the second factor. Phishing resistance and a fresh proof are demanded for what they are, and no
    /// earlier sign-in has them.
    package func meets(_ demand: LevelDemand, of client: ClientID?) -> Bool {
        client == self.client && demand.level <= min(level, .twoFactors) && demand.maximumAge == nil
    }
}

/// What a device proves itself with.
package enum DeviceSecret: Hashable, Sendable {
    /// A key of the device: a proof of possession (RFC 9449 section 4.2) whose `ath` is of the continuation token. So it is good for
    /// one flow of this server, and its address is not compared.
    case key(String)
    /// The value of a browser's cookie, 256 random bits.
    case cookie(Secret<String>)
}

// Remembered devices: found before the step, and looked at again in its transaction.
extension Engine {
    /// What stands for the device that sends a request, for any user; nil when it shows nothing, or where none are remembered.
    func deviceMark(for token: ContinuationToken, in context: RequestContext) throws(ProofFault) -> Data? {
        guard let secret = context.caller.deviceSecret, context.tenant.rememberedDays != nil,
            context.caller.front != .account
        else { return nil }
        switch secret {
        case .key(let proof):
            let key = try judgeDevice(proof, for: token.secret, now: context.now).key
            return Vault.fingerprint([Data("remembered key".utf8), Data(key.utf8)])
        case .cookie(let cookie):
            return Vault.fingerprint([Data("remembered cookie".utf8), Data(cookie.reveal().utf8)])
        }
    }

    /// The remembered device that sends the request; nil when it is none of this user and application, or too old.
    func rememberedDevice(
        of account: UserAccount, in context: RequestContext
    ) async throws(EngineError) -> RememberedDevice? {
        guard let mark = context.deviceMark(for: account.user.id), let days = context.tenant.rememberedDays else {
            return nil
        }
        let found: RememberedDevice?
        do {
            found = try await ports.users.rememberedDevices(of: account.user.id, in: context.tenant.id)
                .first { $0.mark == mark && $0.client == context.client.id }
        } catch {
            throw .store(error)
        }
        // The tenant may have shortened the time since.
        guard let found, min(found.until, found.createdAt.addingTimeInterval(Double(days) * 86_400)) > context.now
        else { return nil }
        return found
    }

    /// The device that the end of this sign-in remembers; nil when the request does not ask for it, or the proofs are not two factors
    /// that may be left out: a recovery code is for the loss of a device.
    func deviceToRemember(
        _ proven: Authentication, _ request: TokenRequest, _ demand: FactorDemand, in context: RequestContext
    ) -> RememberedDevice? {
        guard request.remembersDevice, let days = context.tenant.rememberedDays,
            case .account(let user, _) = proven.account, let mark = context.deviceMark(for: user),
            !proven.assurance.needsRecoveryCode
        else { return nil }
        let level = min(proven.level(for: demand), .twoFactors)
        guard level >= .mailed else { return nil }
        return RememberedDevice(
            id: ports.randomness.uuid(at: context.now), user: user, client: context.client.id, mark: mark,
            level: level, createdAt: context.now, until: context.now.addingTimeInterval(Double(days) * 86_400),
            device: context.caller.device, network: context.caller.source?.networkText)
    }

    /// The devices of the caller on which the second factor is left out, the newest first.
    package func rememberedDevices(
        of caller: DirectoryCaller, now: Date
    ) async throws(EngineError) -> [RememberedDevice] {
        try await rememberedDevices(of: caller.user, in: caller.tenant.id, now: now)
    }

    /// The same of any user.
    package func rememberedDevices(
        of user: UserID, in tenant: TenantID, now: Date
    ) async throws(EngineError) -> [RememberedDevice] {
        do {
            return try await ports.users.rememberedDevices(of: user, in: tenant)
                .filter { $0.until > now }.sorted { $0.createdAt > $1.createdAt }
        } catch {
            throw .store(error)
        }
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

extension Effect {
    /// The user whose remembered devices end with the change: what a device was remembered for is over when the credentials, the
    /// methods or the sessions of the user change (`SEC-ENR-6`, `SEC-ENR-7`).
    package var endingDevices: UserID? {
        switch self {
        case .changePassword(let user, _, _, _), .removePassword(let user, _), .changeCredentials(let user, _),
            .revokeRefreshFamilies(let user, _, _, _), .addStrongMethod(_, let user),
            .removeStrongMethods(_, let user), .setSuspension(_, let user, _), .requireSecondFactor(true, let user):
            user
        case .createUser, .enqueueMail, .noteText, .noteVerifiedTexts, .pauseTexts, .openRefreshFamily,
            .openBrowserSession, .endBrowserSession, .record, .count, .forget, .upgradePassword, .movePassword,
            .trustPassword, .keepRefreshFamilies, .revokeRefreshFamily, .endFlows, .setAttributes, .setDisabled,
            .requireSecondFactor(false, _), .replaceName, .holdName, .releaseNames, .offerUndo, .forgetUndos,
            .scheduleDeletion, .setDeleted, .deleteUser, .renameMethod, .noteUse, .spendStep, .keepGrant, .keepNames,
            .updatePasskey, .setRecovery, .setLockout, .setSlowLane, .rememberNetwork, .forgetNetworks,
            .rememberDevice, .noteDeviceUse, .forgetDevices:
            nil
        }
    }
}
