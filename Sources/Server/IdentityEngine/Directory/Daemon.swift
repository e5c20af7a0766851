package import NativeAuthCore
package import PortableFoundation

/// A confidential application that gets tokens of its own, without a user, by client credentials (docs/protocol.md
/// §19).
package struct Daemon: Hashable, Sendable {
    /// The largest number of secrets of a daemon, and of keys.
    package static let maximumCredentials = 20

    /// Unique among the applications and daemons of the tenant.
    package var id: ClientID
    /// The name in the output of commands.
    package var displayName: String
    /// The application permissions, such as `User.Read.All` of the directory, or `api://orders/Orders.Process` of an
    /// API; spelled like the scopes of a ``Client``, without wildcards.
    package var roles: [String]
    /// Several secrets are valid at a time, so that a secret can be replaced without an interruption.
    package var secrets: [DaemonSecret]
    package var keys: [DaemonKey]

    package init(
        id: ClientID, displayName: String, roles: [String] = [], secrets: [DaemonSecret] = [], keys: [DaemonKey] = []
    ) {
        self.id = id
        self.displayName = displayName
        self.roles = roles
        self.secrets = secrets
        self.keys = keys
    }

    /// The names of the daemon's roles for a resource, without the resource prefix, in the order of the list.
    ///
    /// - Parameters:
    ///   - resource: The audience of the resource, as in ``ResourceScope/resource``.
    ///   - baseURL: The server's own base URL, as in ``ResourceScope/init(_:baseURL:)``.
    package func roles(for resource: String, baseURL: String) -> [String] {
        var names: [String] = []
        for scope in roles.compactMap({ ResourceScope($0, baseURL: baseURL) })
        where scope.resource == resource && !names.contains(scope.name) {
            names.append(scope.name)
        }
        return names
    }
}

/// A secret of a daemon, as a digest.
package struct DaemonSecret: Hashable, Sendable {
    /// The number of random bytes of a secret; its text is base64url.
    package static let randomBytes = 32

    /// The name of the secret in the tenant file and the directory: `keyId`.
    package var id: UUID
    package var displayName: String
    /// The first three characters of the secret, by which an operator recognises it; empty when unknown.
    package var hint: String
    /// SHA-256 of the secret, 32 bytes. A fast digest is right here: a secret has 256 random bits, so that guesses at
    /// it fail however fast they are.
    package var digest: Data
    /// Nil: valid from the beginning.
    package var startsAt: Date?
    /// The first moment when the secret is not valid any more.
    package var endsAt: Date

    package init(
        id: UUID, displayName: String, hint: String, digest: Data, startsAt: Date? = nil, endsAt: Date
    ) {
        self.id = id
        self.displayName = displayName
        self.hint = hint
        self.digest = digest
        self.startsAt = startsAt
        self.endsAt = endsAt
    }

    /// Makes a secret, valid from now on.
    ///
    /// - Returns: The text for the daemon, 43 characters, and what the server knows of it.
    package static func making(
        named name: String, until end: Date, randomness: any Randomness, now: Date
    ) -> (text: Secret<String>, secret: DaemonSecret) {
        let text = Base64URL.encode(randomness.bytes(randomBytes))
        func whole(_ date: Date) -> Date { Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)) }
        let secret = DaemonSecret(
            id: randomness.uuid(), displayName: name, hint: String(text.prefix(3)), digest: digest(of: Secret(text)),
            startsAt: whole(now), endsAt: whole(end))
        return (Secret(text), secret)
    }

    /// The same for whole days.
    package static func making(
        named name: String, days: Int, randomness: any Randomness, now: Date
    ) -> (text: Secret<String>, secret: DaemonSecret) {
        making(named: name, until: now.addingTimeInterval(Double(days) * 86_400), randomness: randomness, now: now)
    }

    /// The digest of a secret.
    package static func digest(of secret: Secret<String>) -> Data {
        Vault.checksum(Data(secret.reveal().utf8))
    }

    /// The digest of the secret `development`, which the daemon of the development tenant has. Tenant documents cannot
    /// have it, so that no other tenant accepts this secret (`SEC-PRF-4`).
    package static let digestOfDevelopment = digest(of: Secret("development"))
}

/// A public key of a daemon, which verifies its assertions.
package struct DaemonKey: Hashable, Sendable {
    /// The name of the key in the tenant file and the directory: `keyId`.
    package var id: UUID
    /// PEM of a SubjectPublicKeyInfo (RFC 7468 section 13): RSA of 2048 bits or more, or P-256.
    package var publicKey: String
    /// The first moment when the key is not valid any more.
    package var endsAt: Date

    package init(id: UUID, publicKey: String, endsAt: Date) {
        self.id = id
        self.publicKey = publicKey
        self.endsAt = endsAt
    }
}

extension ResourceScope {
    /// The application permissions of the directory, which a daemon can have as roles: the scopes that concern all
    /// objects of their kind. `Directory.AccessAsUser.All` needs a user.
    package static let applicationRoles = directoryNames.filter {
        $0.hasSuffix(".All") && $0 != "Directory.AccessAsUser.All"
    }
}
