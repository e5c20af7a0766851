package import NativeAuthCore
package import PortableFoundation

/// A service of another organisation that signs users in for a tenant: an OpenID provider. Everything that a token is compared
/// with is here; nothing of a token or of a request selects it (`SEC-FED-1`).
package struct IdentityProvider: Hashable, Sendable {
    /// The addresses that the provider can speak for: their mailboxes are its own, so that its word is a proof of them
    /// (`SEC-FED-8`).
    package enum Authority: Hashable, Sendable {
        case nothing
        /// Every address of its tokens: Apple, which proves each and makes relay addresses itself.
        case everything
        /// Addresses of `gmail.com`, and those of the organisation that the claim `hd` names.
        case google
        /// Addresses of these domains, in small letters.
        case domains(Set<String>)
    }

    /// What the provider knows of the server's own pages: the client of the code flow.
    package struct Web: Hashable, Sendable {
        package var clientID: String
        package var credential: Credential

        package init(clientID: String, credential: Credential = .none) {
            self.clientID = clientID
            self.credential = credential
        }

    }

    /// What a client proves itself with at the token endpoint, besides PKCE. The document has no secret: it names an environment
    /// variable of the server.
    package enum Credential: Hashable, Sendable {
        case none
        /// The variable has the client's secret.
        case secret(variable: String)
        /// The variable has a private key, with which the server makes the secret.
        case appleKey(AppleKey)

        /// The environment variable of the server; nil for none.
        package var variable: String? {
            switch self {
            case .none: nil
            case .secret(let variable): variable
            case .appleKey(let key): key.variable
            }
        }
    }

    /// A key of a developer's team at Apple.
    package struct AppleKey: Hashable, Sendable {
        package var variable: String
        /// The id of the team: ten capital letters and digits.
        package var team: String
        /// The id of the key, of the same form.
        package var key: String

        package init(variable: String, team: String, key: String) {
            (self.variable, self.team, self.key) = (variable, team, key)
        }
    }

    /// How requests and addresses name the provider: 1 to 32 small letters, digits and hyphens.
    package var id: String
    /// The name on buttons and in mails.
    package var displayName: String
    /// The issuer of its tokens, to be compared byte for byte, and the base of its discovery document.
    package var issuer: String
    /// Further issuers of the same provider: Google's tokens also have one without `https://`.
    package var otherIssuers: [String]
    /// The audiences of tokens that apps bring: the ids of the apps, never that of the pages (`SEC-FED-4`).
    package var nativeClients: [String]
    /// Nil: not at the hosted pages.
    package var web: Web?
    /// The key of the team at Apple, with which the server proves each of the clients; nil: the server has none.
    package var key: AppleKey?
    package var authority: Authority
    /// What the tenant takes the provider's words about the strength of a sign-in for; nil: one factor.
    package var strength: ProviderStrength?
    /// Whether it is Apple, whose habits differ from those of other OpenID providers.
    package var isApple: Bool { issuer == Self.appleIssuer }
    package var isGoogle: Bool { issuer == Self.googleIssuer }
    private static let (appleIssuer, googleIssuer) = ("https://appleid.apple.com", "https://accounts.google.com")

    package init(
        id: String, displayName: String, issuer: String, otherIssuers: [String] = [], nativeClients: [String],
        web: Web? = nil, authority: Authority
    ) {
        self.id = id
        self.displayName = displayName
        self.issuer = issuer
        self.otherIssuers = otherIssuers
        self.nativeClients = nativeClients
        self.web = web
        self.authority = authority
    }

    package static func apple(
        nativeClients: [String], web: Web? = nil, key: AppleKey? = nil
    ) -> IdentityProvider {
        var provider = IdentityProvider(
            id: "apple", displayName: "Apple", issuer: appleIssuer, nativeClients: nativeClients,
            web: web, authority: .everything)
        provider.key = key
        return provider
    }

    /// What a client proves itself with; nil for a client that is none of the provider's in this tenant.
    package func credential(of client: String) -> Credential? {
        if let web, web.clientID == client {
            return key.map { Credential.appleKey($0) } ?? web.credential
        }
        return nativeClients.contains(client) ? key.map { Credential.appleKey($0) } ?? Credential.none : nil
    }

    package static func google(nativeClients: [String], web: Web? = nil) -> IdentityProvider {
        IdentityProvider(
            id: "google", displayName: "Google", issuer: googleIssuer,
            otherIssuers: ["accounts.google.com"], nativeClients: nativeClients, web: web, authority: .google)
    }

    /// The environment variable of the server that has what its clients prove themselves with; nil for none.
    package var variable: String? { key?.variable ?? web?.credential.variable }

    /// Whether a text can be an ``id``.
    package static func isID(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            } && text.utf8.first != UInt8(ascii: "-")
    }
}

/// A token of a provider that ends what the user allowed there: it is revoked when the identity is removed.
package struct ProviderGrant: Hashable, Sendable {
    /// The provider, which may have another id by then.
    package var issuer: String
    /// The client that got the token.
    package var client: String
    package var token: Secret<String>

    package init(issuer: String, client: String, token: Secret<String>) {
        self.issuer = issuer
        self.client = client
        self.token = token
    }
}

// The encoded form holds the token in the clear: only for `Vault.seal`.
extension ProviderGrant: Codable {
    private enum Key: String, CodingKey { case issuer, client, token }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        issuer = try values.decode(String.self, forKey: .issuer)
        client = try values.decode(String.self, forKey: .client)
        token = Secret(try values.decode(String.self, forKey: .token))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(issuer, forKey: .issuer)
        try values.encode(client, forKey: .client)
        try values.encode(token.reveal(), forKey: .token)
    }
}

/// A user's account at a provider, as the user's row keeps it. Nothing in it is readable that is secret.
package struct LinkedIdentity: Hashable, Sendable, Codable {
    /// ``IdentityProvider/id``.
    package var provider: String
    /// How mails and pages call it: the provider's name when it was linked.
    package var providerName: String
    package var issuer: String
    /// The provider's own id of the account, 1 to 255 bytes of ASCII. Never an address (`SEC-FED-7`).
    package var subject: String
    /// The address that the provider knew when it was linked, for the owner's eyes only.
    package var email: String?
    /// A ``ProviderGrant``, sealed for the id of the method; nil: the provider gave none.
    package var grant: Data?

    package init(provider: String, providerName: String, issuer: String, subject: String, email: String?) {
        self.provider = provider
        self.providerName = providerName
        self.issuer = issuer
        self.subject = subject
        self.email = email
    }

    /// Whether a text can be a ``subject``.
    package static func isSubject(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The key of the account: one user of a tenant has it. The issuer is part of it, so that a provider that another one
    /// replaces under the same id inherits no accounts.
    package var key: Data { Self.key(issuer: issuer, subject: subject) }

    package static func key(issuer: String, subject: String) -> Data {
        Vault.fingerprint([Data("identity".utf8), Data(issuer.utf8), Data(subject.utf8)])
    }
}

extension Tenant {
    /// The provider with this id; nil when the tenant has none.
    package func provider(_ id: String) -> IdentityProvider? {
        providers.first { $0.id.utf8.elementsEqual(id.utf8) }
    }
}
