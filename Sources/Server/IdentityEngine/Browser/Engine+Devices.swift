package import NativeAuthCore
package import PortableFoundation

/// What a device asks for (RFC 8628 section 3.1).
package struct DeviceRequest: Hashable, Sendable {
    package var scopes: [String]
    /// The authentication contexts that the tokens must state.
    package var contexts: [String]

    package init(scopes: [String], contexts: [String] = []) {
        self.scopes = scopes
        self.contexts = contexts
    }
}

/// The two codes of a device that waits now.
package struct DeviceTicket: Hashable, Sendable {
    package var deviceCode: Secret<String>
    /// As the device shows it: `WDJB-MJHT`.
    package var userCode: String
    /// Seconds.
    package var lifetime: Int
    /// Seconds between two polls.
    package var interval: Int
}

/// What a device that begins gets.
package enum DeviceStart: Hashable, Sendable {
    case started(DeviceTicket)
    case refused(Refusal)
    /// Too many devices of the tenant wait.
    case full
}

/// The device of a flow at the pages, as the user who typed its code is told of it.
package struct DeviceReference: Hashable, Sendable, Codable {
    var digest: Data
    /// As the device shows it.
    package var userCode: String
    package var since: Date
    /// Whether it asked from the network of the browser; nil when that is unknown.
    package var isInSameNetwork: Bool?
}

/// Why a device gets no tokens, now or at all.
package enum DeviceFault: String, Hashable, Sendable, Codable, CaseIterable {
    /// The application may not use devices.
    case notAllowed
    /// Not a code of this server, tenant and client.
    case unusable
    /// The user has not decided yet.
    case pending
    /// The same, and the device asks too often.
    case tooFast
    case declined
    case expired
    /// The code was redeemed before: what it gave is revoked.
    case used
    /// The user signed out, or changed the credentials, after allowing the device.
    case sessionEnded
}

/// What a user's "Allow" leads to.
package enum DeviceVerdict: Hashable, Sendable {
    case allowed
    /// The code is too old, or was decided on before.
    case over
    /// Something else comes first.
    case first(AuthorizationVerdict)
}

// Devices without a browser (RFC 8628; design record 0035).
extension Engine {
    /// Seconds.
    package static let deviceLifetime = 900
    package static let deviceInterval = 5
    /// The longest interval that a device which asks too often gets, in seconds.
    static let longestDeviceInterval = 60
    /// Answers arrive at different speed: a poll may be this much early, in seconds.
    private static let pollTolerance = 1.0
    /// The devices of a tenant that wait at one time: a guess at a user code hits one of them with a probability of 1 to 2.5 million.
    package static let mostDevices = 10_000
    /// The seconds in which a device that lost the answer gets it again: its next poll, also a slowed one.
    static let deviceRepeatLifetime = 30.0
    /// 20 consonants: no word comes of them, and none looks like another or like a digit (RFC 8628 section 6.1).
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

    /// Begins to wait for a user who allows a device.
    package func startDevice(
        _ request: DeviceRequest, in caller: CallerContext
    ) async throws(EngineError) -> DeviceStart {
        let tenant: Tenant
        let client: Client
        switch try await resolve(caller) {
        case .found(let theTenant, let theClient): (tenant, client) = (theTenant, theClient)
        case .refused(let refusal): return .refused(refusal)
        }
        let context = context(of: caller, tenant, client)
        guard client.web.allowsDeviceFlow else { return .refused(.unusableDevice(.notAllowed)) }
        switch judge(request.scopes, in: context) {
        case .granted: break
        case .refused(let refusal): return .refused(refusal)
        }
        // Two live codes of 34 bits are seldom the same, and three times in a row never.
        for _ in 0..<3 {
            let deviceCode = newDeviceCode(in: tenant.id)
            let userCode = newUserCode()
            let device = WaitingDevice(
                tenant: tenant.id, digest: Self.digest(ofDeviceCode: deviceCode),
                userCode: digest(ofUserCode: userCode, in: tenant.id), client: client.id, createdAt: context.now,
                until: context.now.addingTimeInterval(Double(Self.deviceLifetime)), scopes: request.scopes,
                contexts: request.contexts, network: caller.source?.networkText, interval: Self.deviceInterval)
            switch try await stored({ () async throws(StoreError) in
                try await ports.browsers.add(device, most: Self.mostDevices)
            }) {
            case .added:
                return .started(
                    DeviceTicket(
                        deviceCode: deviceCode, userCode: Self.shown(userCode), lifetime: Self.deviceLifetime,
                        interval: Self.deviceInterval))
            case .userCodeTaken: continue
            case .full: return .full
            }
        }
        throw .broken("no user code is free")
    }

    /// The letters of a user code as a user typed it: capitals or not, with or without hyphens and blanks.
    ///
    /// - Returns: Nil for a text that is no such code.
    package static func userCode(in typed: String) -> String? {
        guard typed.utf8.count <= 64 else { return nil }
        let kept = typed.uppercased().unicodeScalars.filter {
            !" -\u{2010}\u{2011}\u{2013}".unicodeScalars.contains($0)
        }
        guard kept.count == 8, kept.allSatisfy({ $0.isASCII && letters.contains(UInt8($0.value)) }) else { return nil }
        return String(String.UnicodeScalarView(kept))
    }

    /// The request of the device that shows a code; nil when none of the tenant does.
    ///
    /// - Parameter userCode: As ``userCode(in:)`` returns it.
    package func deviceRequest(
        ofUserCode userCode: String, in tenant: Tenant, from source: RequestSource?, now: Date
    ) async throws(EngineError) -> AuthorizationRequest? {
        let digest = digest(ofUserCode: userCode, in: tenant.id)
        let found = try await stored { () async throws(StoreError) in
            try await ports.browsers.device(ofUserCode: digest, in: tenant.id)
        }
        guard let found, found.answer == nil, now < found.until else { return nil }
        var request = AuthorizationRequest(
            client: found.client, redirect: "", redirectKind: .publicClient, responseMode: .query,
            scopes: found.scopes, contexts: found.contexts)
        var isInSameNetwork: Bool?
        if let one = found.network, let other = source?.networkText { isInSameNetwork = one == other }
        request.device = DeviceReference(
            digest: found.digest, userCode: Self.shown(userCode), since: found.createdAt,
            isInSameNetwork: isInSameNetwork)
        return request
    }

    /// The user of the browser's session allows a device, by a click (`OIDC-28`).
    package func allow(
        _ device: DeviceReference, _ request: AuthorizationRequest, as signIn: BrowserSignIn?, in caller: CallerContext
    ) async throws(EngineError) -> DeviceVerdict {
        guard case .found(let tenant, let client) = try await resolve(caller), client.web.allowsDeviceFlow else {
            return .over
        }
        let context = context(of: caller, tenant, client)
        // A session of a ticket is for what its app opened.
        let signIn = signIn?.session.authentication.handover == nil ? signIn : nil
        var demand = try await factorDemand(
            request.contexts, scopes: request.scopes, of: signIn?.account.user.id, in: context)
        demand.wishedAge = request.maxAge
        let verdict = request.judged(
            signIn, demand, allowsSignUp: context.userFlow.allowsSignUp,
            asksForConsent: client.web.isThirdParty, isConfirmed: true, now: context.now)
        guard case .code(let contexts) = verdict, let signIn else { return .first(verdict) }
        try await noteUse(of: signIn.session, now: context.now)
        let grant = codeGrant(
            for: request, signIn.session, version: signIn.account.credentialVersion, contexts: contexts, demand,
            in: context)
        // Before the answer: a device gets nothing that the user cannot take back.
        try await noteConsent(to: request, of: grant.user, in: context)
        let answered = try await decide(on: device, .allowed(grant), .deviceAllowed, grant.user, in: context)
        return answered ? .allowed : .over
    }

    /// A user says that the device gets nothing.
    ///
    /// - Returns: Whether the device waited for this.
    package func decline(
        _ device: DeviceReference, as signIn: BrowserSignIn?, in caller: CallerContext
    ) async throws(EngineError) -> Bool {
        guard case .found(let tenant, let client) = try await resolve(caller) else { return false }
        let context = context(of: caller, tenant, client)
        return try await decide(on: device, .declined, .deviceDeclined, signIn?.account.user.id, in: context)
    }

    private func decide(
        on device: DeviceReference, _ answer: WaitingDevice.Answer, _ kind: AuditEvent.Kind, _ user: UserID?,
        in context: RequestContext
    ) async throws(EngineError) -> Bool {
        let (client, now) = (context.client.id, context.now)
        let event = event(kind, user: user, of: nil, in: context)
        return try await stored { () async throws(StoreError) in
            try await ports.browsers.updateDevice(device.digest, in: context.tenant.id) { facts in
                guard var device = facts.device, device.client == client, device.answer == nil, now < device.until
                else { return (nil, [], false) }
                device.answer = answer
                return (device, [.record(event)], true)
            }
        }
    }

    // MARK: - Polls

    /// Answers a poll: exchanges the device code for tokens, once, when a user has allowed the device. The caller has
    /// authenticated a confidential client before.
    ///
    /// - Parameter contexts: The contexts that the client asks for now; they must be among those of the user's answer.
    func redeemDevice(
        _ code: Secret<String>, contexts: [String], in context: RequestContext
    ) async throws(EngineError) -> Outcome {
        func refused(_ fault: DeviceFault) -> Outcome { context.outcome(.refused(.unusableDevice(fault))) }
        guard context.client.web.allowsDeviceFlow else { return refused(.notAllowed) }
        guard isDeviceCode(code, in: context.tenant.id) else { return refused(.unusable) }
        let (digest, tenant, client, now) = (
            Self.digest(ofDeviceCode: code), context.tenant.id, context.client.id, context.now
        )
        let found = try await stored { () async throws(StoreError) in
            try await ports.browsers.device(digest, in: tenant)
        }
        guard let found, found.client == client else { return refused(.unusable) }
        if case .allowed = found.answer, let refusal = try await useProof(in: context) {
            return context.outcome(.refused(refusal))
        }
        // Signing cannot wait inside the transaction.
        var prepared: (tokens: IssuedTokens, family: RefreshFamily, sealed: Data)?
        if case .allowed(let grant) = found.answer, found.redemption == nil, now < found.until {
            guard contexts.allSatisfy(grant.contexts.contains) else {
                return context.outcome(.refused(.secondFactorNeeded))
            }
            let scopes: ScopeGrant
            switch judge(grant.scopes, in: context) {
            case .granted(let judged): scopes = judged
            case .refused(let refusal): return context.outcome(.refused(refusal))
            }
            if try await lacksConsent(to: grant.scopes, of: grant.user, for: context.client, in: context.tenant) {
                return refused(.sessionEnded)
            }
            if let signIn = try await signIn(of: grant, in: context) {
                prepared = try await prepare(grant, code, digest, scopes, signIn, in: context)
            }
        }
        let issued = prepared
        let answer = try await stored { () async throws(StoreError) in
            try await ports.browsers.updateDevice(digest, in: tenant) {
                facts -> (WaitingDevice?, [Effect], PollAnswer) in
                guard var device = facts.device, device.client == client else { return (nil, [], .refused(.unusable)) }
                switch device.answer {
                case .declined: return (nil, [], .refused(.declined))
                case nil:
                    guard now < device.until else { return (nil, [], .refused(.expired)) }
                    let isTooFast = device.polledAt.map {
                        now.timeIntervalSince($0) < Double(device.interval) - Self.pollTolerance
                    }
                    // RFC 8628 section 3.5: for this and all further polls.
                    if isTooFast == true {
                        device.interval = min(device.interval + 5, Self.longestDeviceInterval)
                    }
                    device.polledAt = now
                    return (device, [], .refused(isTooFast == true ? .tooFast : .pending))
                case .allowed(let grant):
                    if let redemption = device.redemption {
                        if now.timeIntervalSince(redemption.at) <= Self.deviceRepeatLifetime {
                            return (nil, [], .repeated(redemption.sealedAnswer))
                        }
                        return (
                            nil,
                            [
                                .revokeRefreshFamily(redemption.family, of: grant.user, at: now),
                                .record(
                                    event(
                                        .tokenReuseDetected, user: grant.user, detail: "device code", of: nil,
                                        in: context)),
                            ], .refused(.used)
                        )
                    }
                    guard now < device.until else { return (nil, [], .refused(.expired)) }
                    guard let signIn = facts.signIn, signIn.isLive(now), grant.isOf(signIn) else {
                        return (nil, [], .refused(.sessionEnded))
                    }
                    // The user allowed it after the first look: the next poll gets the tokens.
                    guard let issued else { return (nil, [], .refused(.pending)) }
                    device.redemption = WaitingDevice.Redemption(
                        at: now, family: issued.family.id, sealedAnswer: issued.sealed)
                    return (
                        device,
                        [
                            .openRefreshFamily(issued.family),
                            .record(
                                event(.codeRedeemed, user: grant.user, detail: "device code", of: nil, in: context)),
                            .record(event(.tokenIssued, user: grant.user, of: nil, in: context)),
                        ], .issued
                    )
                }
            }
        }
        switch answer {
        case .issued:
            guard let prepared else { return refused(.pending) }
            return context.outcome(.accepted(.signedIn(prepared.tokens)))
        case .repeated(let sealed):
            do {
                let outcome: Outcome? = StateCoding.decode(
                    try vault.open(sealed, underSecret: Data(code.reveal().utf8), context: [digest]))
                return outcome ?? refused(.used)
            } catch {
                return refused(.used)
            }
        case .refused(let fault): return refused(fault)
        }
    }

    private enum PollAnswer: Sendable {
        case issued
        case repeated(Data)
        case refused(DeviceFault)
    }

    private func prepare(
        _ grant: CodeGrant, _ code: Secret<String>, _ digest: Data, _ scopes: ScopeGrant, _ signIn: BrowserSignIn,
        in context: RequestContext
    ) async throws(EngineError) -> (tokens: IssuedTokens, family: RefreshFamily, sealed: Data) {
        var (tokens, family) = try await tokens(of: grant, scopes, signIn, isShort: false, in: context)
        if !scopes.openID.contains("offline_access") { tokens.refreshToken = nil }
        do {
            let sealed = try vault.seal(
                StateCoding.encode(context.outcome(.accepted(.signedIn(tokens)))),
                underSecret: Data(code.reveal().utf8), context: [digest])
            return (tokens, family, sealed)
        } catch let error as EngineError {
            throw error
        } catch {
            throw .broken("an answer could not be sealed")
        }
    }

    // MARK: - Codes

    /// base64url of 256 random bits, and of 128 that only the server can compute from them: a made-up code costs no look at the
    /// database, and no counter.
    private func newDeviceCode(in tenant: TenantID) -> Secret<String> {
        let drawn = ports.randomness.bytes(32)
        return Secret(Base64URL.encode(drawn + check(ofDeviceCode: drawn, tenant)))
    }

    func isDeviceCode(_ code: Secret<String>, in tenant: TenantID) -> Bool {
        guard code.reveal().utf8.count == 64, let bytes = Base64URL.decode(code.reveal()), bytes.count == 48 else {
            return false
        }
        return Vault.areEqual(
            Data(bytes.suffix(16)), Data(check(ofDeviceCode: Array(bytes.prefix(32)), tenant)))
    }

    private func check(ofDeviceCode drawn: [UInt8], _ tenant: TenantID) -> [UInt8] {
        Array(vault.digest(.deviceCode, tenant: tenant, [Data("device code".utf8), Data(drawn)]).prefix(16))
    }

    static func digest(ofDeviceCode code: Secret<String>) -> Data {
        Vault.fingerprint([Data("device code".utf8), Data(code.reveal().utf8)])
    }

    /// Eight letters, each as probable as the others: bytes from 240 on are drawn again.
    private func newUserCode() -> String {
        var code: [UInt8] = []
        while code.count < 8 {
            for byte in ports.randomness.bytes(12) where byte < 240 && code.count < 8 {
                code.append(Self.letters[Int(byte) % Self.letters.count])
            }
        }
        return String(decoding: code, as: UTF8.self)
    }

    private func digest(ofUserCode code: String, in tenant: TenantID) -> Data {
        vault.digest(.deviceCode, tenant: tenant, [Data("user code".utf8), Data(code.utf8)])
    }

    private static func shown(_ code: String) -> String { "\(code.prefix(4))-\(code.dropFirst(4))" }

    private func stored<Value>(_ body: () async throws(StoreError) -> Value) async throws(EngineError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }
}
