import NativeAuthCore
package import PortableFoundation

/// What an authenticator needs to make a passkey (WebAuthn section 5.4). Not secret: the challenge is worth something to its flow
/// alone.
package struct PasskeyCreationOffer: Hashable, Sendable, Codable {
    package var relyingPartyID: String
    package var relyingPartyName: String
    /// The account, as the authenticator stores it: random bytes, not its id (`SEC-PK-15`).
    package var userHandle: Data
    /// The user's e-mail address.
    package var username: String
    package var displayName: String
    /// 32 random bytes.
    package var challenge: Data
    /// The passkeys that the account has, suspended ones included: their authenticators make no second one.
    package var excluded: [PasskeyReference]
    /// Whether the authenticator makes it silently after a sign-in with a password (`SEC-PK-18`). Nil: no.
    package var isUpgrade: Bool?
}

/// What an authenticator needs to sign with a passkey (WebAuthn section 5.5).
package struct PasskeyRequestOffer: Hashable, Sendable, Codable {
    package var relyingPartyID: String
    /// 32 random bytes.
    package var challenge: Data
    /// Those that may sign; empty before a first factor: any of the relying party (`SEC-PK-16`).
    package var allowed: [PasskeyReference]
}

/// A passkey, as an authenticator finds it.
package struct PasskeyReference: Hashable, Sendable, Codable {
    package var id: Data
    package var transports: [String]
}

/// The ceremonies of WebAuthn, and their challenges.
package enum PasskeyCeremony: String, Hashable, Sendable {
    case create
    case get
    /// A passkey that is made silently after a sign-in with a password: `create` with conditional mediation (`SEC-PK-18`). A challenge of
    /// it is none of ``create``, whose answers must have the user present.
    case upgrade

    /// How long a challenge is valid, in seconds (`SEC-PK-1`). Authenticators are told the same.
    package static let lifetime = 300
}

/// A challenge that was just drawn, and its row.
struct FreshChallenge: Sendable {
    let bytes: Data
    /// Only a keyed digest, bound to tenant, application, flow and ceremony.
    let record: CodeRecord
}

extension PasskeySettings {
    /// The relying party of the tenant.
    ///
    /// - Parameter baseURL: The server's own base URL: its hosted pages may use the passkeys where their host is the relying party
    ///   or below it.
    func relyingParty(baseURL: String) -> RelyingParty {
        var allowed = Set(origins)
        allowed.insert("https://\(relyingPartyID)")
        for app in androidApps {
            for certificate in app.certificates {
                allowed.insert("android:apk-key-hash:\(Base64URL.encode(certificate))")
            }
        }
        if let own = RedirectAddresses.origin(of: baseURL), Self.host(of: own).isAtOrBelow(relyingPartyID) {
            allowed.insert(own)
        }
        return RelyingParty(id: relyingPartyID, origins: allowed)
    }

    private static func host(of origin: String) -> String {
        let rest = origin.split(separator: "://", maxSplits: 1).last ?? ""
        return String(rest.prefix { $0 != ":" && $0 != "/" })
    }
}

extension String {
    /// Whether it is the host, or a name below it.
    fileprivate func isAtOrBelow(_ host: String) -> Bool {
        utf8.elementsEqual(host.utf8) || (host.contains(".") && utf8.count > host.utf8.count && hasSuffix(".\(host)"))
    }
}

extension StrongMethod {
    /// What the server keeps of the passkey; nil for a method of another kind, and in the state of a flow.
    package var passkey: EnrolledPasskey? {
        switch kind {
        case .passkey(let passkey): passkey
        case .mailbox, .phone, .app, .identity, .recoveryCodes, .unknown: nil
        }
    }

    /// Whether it is a passkey.
    package var isPasskey: Bool {
        switch kind {
        case .passkey: true
        case .mailbox, .phone, .app, .identity, .recoveryCodes, .unknown: false
        }
    }
}

extension UserAccount {
    /// Whether a user of codes has a passkey, an identity, or where numbers sign in a telephone, that the mailbox alone enrolled within 30
    /// days. It signs in alone, so that who had the mailbox for a moment would own the account: until then the mailbox decides about
    /// changes of the account, as a reset of the password does for others (`SEC-ENR-7`).
    package func isHeldByMailbox(at now: Date, in tenant: Tenant) -> Bool {
        let numbersSignIn = tenant.texts?.signsIn == true
        let signsInAlone =
            strongMethods.filter {
                ($0.isPasskey || numbersSignIn && $0.isPhone) && $0.enrolment.strength == .codes
            } + identitiesOfMailbox
        return passwordHash == nil
            && signsInAlone.contains { now.timeIntervalSince($0.provenAt) < NewPasskey.trustAge }
    }

    /// Whether a user of codes has a method that the mailbox alone enrolled within 30 days.
    func hasYoungFactorOfMailbox(at now: Date) -> Bool {
        strongMethods.contains {
            $0.enrolment.strength == .codes && now.timeIntervalSince($0.provenAt) < NewPasskey.trustAge
        }
    }

    /// The passkeys, suspended ones included.
    package var passkeys: [EnrolledPasskey] { strongMethods.compactMap(\.passkey) }
}

extension EnrolledPasskey {
    var reference: PasskeyReference { PasskeyReference(id: credentialID, transports: transports) }
}

/// No key is usable: for engines without passkeys.
package struct NoPasskeySignatures: PasskeySignatures {
    package init() {}
    package func isUsable(_ key: PasskeyKey) -> Bool { false }
    package func isValid(_ signature: Data, over message: Data, by key: PasskeyKey) -> Bool { false }
}

extension Engine {
    /// The relying party of a tenant; nil: the tenant has no passkeys.
    package func relyingParty(of tenant: Tenant) -> RelyingParty? {
        tenant.passkeys?.relyingParty(baseURL: settings.baseURL)
    }

    /// Whether browsers can use the tenant's passkeys on the server's own pages: passkeys are bound to a host.
    package func pagesTakePasskeys(of tenant: Tenant) -> Bool {
        guard let party = relyingParty(of: tenant), let own = RedirectAddresses.origin(of: settings.baseURL) else {
            return false
        }
        return party.origins.contains(own)
    }

    /// - Parameter until: When the challenge ends, if that is before its usual end.
    func drawChallenge(
        _ ceremony: PasskeyCeremony, _ step: Step, until: Date = .distantFuture
    ) -> FreshChallenge {
        let bytes = Data(ports.randomness.bytes(32))
        let now = step.context.now
        return FreshChallenge(
            bytes: bytes,
            record: CodeRecord(
                digest: vault.keyedMAC(
                    .oneTimePasscode, tenant: step.context.tenant.id, parts(of: bytes, ceremony, step)),
                target: target(of: ceremony, in: step.context.tenant.id), sentAt: now,
                expiresAt: min(until, now.addingTimeInterval(Double(PasskeyCeremony.lifetime)))))
    }

    /// Whether `challenge` is the one of the row. Constant time.
    func matches(_ challenge: Data?, _ record: CodeRecord, _ ceremony: PasskeyCeremony, _ step: Step) -> Bool {
        guard let challenge, record.target == target(of: ceremony, in: step.context.tenant.id) else { return false }
        return vault.verifyMAC(
            record.digest, of: .oneTimePasscode, tenant: step.context.tenant.id, parts(of: challenge, ceremony, step))
    }

    /// The keyed digest by which the row of a flow tells a challenge from a mailed code.
    private func target(of ceremony: PasskeyCeremony, in tenant: TenantID) -> Data {
        vault.digest(.oneTimePasscode, tenant: tenant, [Data("passkey".utf8), Data(ceremony.rawValue.utf8)])
    }

    private func parts(of challenge: Data, _ ceremony: PasskeyCeremony, _ step: Step) -> [Data] {
        [
            Data("passkey".utf8), Data(ceremony.rawValue.utf8), Data(step.context.client.id.description.utf8),
            Data(step.flow.uuidString.utf8), challenge,
        ]
    }
}
