import NativeAuthCore
package import PortableFoundation

// What a record brings to sign in with besides a password: accounts at providers, and passkeys.

extension ImportRecord {
    /// An account at a provider.
    package struct Identity: Sendable {
        /// ``IdentityProvider/id``, or nil where the issuer is named.
        package var provider: String?
        /// The provider's issuer, byte for byte.
        package var issuer: String?
        package var subject: String
        package var email: String?
        /// Nil when the file does not say; so for the following.
        package var enrolledUnder: Enrolment.Strength?
        package var linkedAt: Date?
        package var suspendedAt: Date?
        package var name: String?

        package init(subject: String, provider: String? = nil, issuer: String? = nil) {
            (self.subject, self.provider, self.issuer) = (subject, provider, issuer)
        }
    }

    package struct Passkey: Sendable {
        package var passkey: EnrolledPasskey
        /// Nil when the file does not say; so for the following.
        package var enrolledUnder: Enrolment.Strength?
        package var createdAt: Date?
        package var suspendedAt: Date?
        package var name: String?

        package init(_ passkey: EnrolledPasskey) {
            self.passkey = passkey
        }
    }

    /// The dates of its methods, with the names of their members.
    var datesOfMethods: [(String, Date?)] {
        secondFactors.flatMap {
            [("secondFactor.provenDateTime", $0.provenAt), ("secondFactor.suspendedDateTime", $0.suspendedAt)]
        }
            + identities.flatMap {
                [("identities.linkedDateTime", $0.linkedAt), ("identities.suspendedDateTime", $0.suspendedAt)]
            }
            + passkeys.flatMap {
                [("passkeys.createdDateTime", $0.createdAt), ("passkeys.suspendedDateTime", $0.suspendedAt)]
            }
    }
}

extension Engine {
    /// The identities of a record. One that does not say how it was linked counts as the account's own mailbox, as another
    /// method does, and as old as the account.
    ///
    /// - Returns: Also whether some were left out, because the tenant has no such provider: of another system's file alone.
    func identities(
        of record: ImportRecord, _ settings: ImportSettings, in tenant: Tenant, createdAt: Date
    ) throws(ImportFault) -> (methods: [StrongMethod], leftOut: Bool) {
        let member = "identities"
        var methods: [StrongMethod] = []
        var keys: Set<Data> = []
        var leftOut = false
        // Those of other systems' providers are left out.
        guard record.identities.count <= Self.mostNamedIdentities else {
            throw ImportFault(member, "has more than \(Self.mostNamedIdentities) accounts")
        }
        for given in record.identities {
            guard LinkedIdentity.isSubject(given.subject) else {
                throw ImportFault(member, "has a subject that is not 1 to 255 characters of ASCII")
            }
            let named =
                if let issuer = given.issuer {
                    tenant.providers.first { $0.issuer.utf8.elementsEqual(issuer.utf8) }
                } else {
                    given.provider.flatMap(tenant.provider)
                }
            guard let provider = named else {
                guard settings.leavesOutUnknownProviders else {
                    throw ImportFault(member, "names a provider that the tenant does not have")
                }
                leftOut = true
                continue
            }
            guard given.name.map(StrongMethod.isName) ?? true else {
                throw ImportFault(member, "has a name that is not 1 to 64 characters of text")
            }
            let identity = LinkedIdentity(
                provider: provider.id, providerName: provider.displayName, issuer: provider.issuer,
                subject: given.subject, email: given.email.flatMap { EmailAddress($0)?.address })
            guard keys.insert(identity.key).inserted else { throw ImportFault(member, "has one account twice") }
            var method = StrongMethod(
                id: ports.randomness.uuid(), kind: .identity(identity), provenAt: given.linkedAt ?? createdAt,
                enrolment: Enrolment(given.enrolledUnder ?? .mailbox), name: given.name)
            method.suspendedAt = given.suspendedAt
            methods.append(method)
        }
        guard methods.count <= StrongMethod.mostIdentities else {
            throw ImportFault(member, "has more than \(StrongMethod.mostIdentities) accounts")
        }
        return (methods, leftOut)
    }

    private static let mostNamedIdentities = 20

    /// The passkeys of a record. Beside a password one that does not say how it was registered counts as the account's own
    /// mailbox, as an app does.
    func passkeys(
        of record: ImportRecord, hasPassword: Bool, in tenant: Tenant, createdAt: Date
    ) throws(ImportFault) -> [StrongMethod] {
        let member = "passkeys"
        guard !record.passkeys.isEmpty else { return [] }
        guard let domain = tenant.passkeys?.relyingPartyID else {
            throw ImportFault(member, "needs a tenant with passkeys, and this tenant has none")
        }
        guard record.passkeys.count <= NewPasskey.most else {
            throw ImportFault(member, "has more than \(NewPasskey.most) passkeys")
        }
        guard Set(record.passkeys.map(\.passkey.userHandle)).count == 1 else {
            throw ImportFault(member, "has two userHandles, where a user has one")
        }
        var methods: [StrongMethod] = []
        for given in record.passkeys {
            let passkey = given.passkey
            guard passkey.relyingPartyID.utf8.elementsEqual(domain.utf8) else {
                throw ImportFault(member, "has a passkey for another domain than that of the tenant")
            }
            guard (16...NewPasskey.longestID).contains(passkey.credentialID.count),
                (1...64).contains(passkey.userHandle.count), passkey.authenticatorModel.count == 16,
                passkey.transports.count <= 8, passkey.transports.allSatisfy({ (1...16).contains($0.utf8.count) })
            else {
                throw ImportFault(member, "has a value of a wrong length")
            }
            guard let key = Self.key(cose: passkey.publicKey), ports.signatures.isUsable(key) else {
                throw ImportFault(member, "has a publicKey that is no COSE key of ES256, RS256 or Ed25519")
            }
            guard !methods.contains(where: { $0.passkey?.credentialID == passkey.credentialID }) else {
                throw ImportFault(member, "has one passkey twice")
            }
            guard given.name.map(StrongMethod.isName) ?? true else {
                throw ImportFault(member, "has a name that is not 1 to 64 characters of text")
            }
            var method = StrongMethod(
                id: ports.randomness.uuid(), kind: .passkey(passkey), provenAt: given.createdAt ?? createdAt,
                enrolment: Enrolment(given.enrolledUnder ?? (hasPassword ? .mailbox : .codes)), name: given.name)
            method.suspendedAt = given.suspendedAt
            methods.append(method)
        }
        return methods
    }

    private static func key(cose: Data) -> PasskeyKey? {
        do throws(PasskeyFault) {
            return try PasskeyKey(cose: cose)
        } catch {
            return nil
        }
    }
}

extension StrongMethod {
    /// What one user of a tenant has; nil for a method of another kind.
    package var credential: MethodCredential? {
        switch kind {
        case .passkey(let passkey): passkey.map { .passkey($0.credentialID) }
        case .identity(let identity): identity.map { .identity($0.key) }
        case .mailbox, .phone, .app, .recoveryCodes, .unknown: nil
        }
    }
}

extension MethodCredential {
    /// The member of a record that has it.
    package var member: String {
        switch self {
        case .passkey: "passkeys"
        case .identity: "identities"
        }
    }
}
