package import Crypto
package import IdentityEngine
import IdentityTokens
public import NativeAuth
package import NativeAuthCore
package import PortableFoundation

/// An identity provider in this process, such as Apple's or Google's: it signs a person in without a screen, and the tenant
/// accepts its tokens as a production server accepts the real ones.
///
/// ```swift
/// let apple = TestIdentityProvider(.apple)
/// let tenant = try TestTenant { $0.providers = [apple] }
/// apple.person.email = "dana@example.com"
/// let step = try await client.signIn(with: apple)
/// ```
///
/// All copies of a value are the same provider.
public struct TestIdentityProvider: IdentityTokenProvider, Hashable {
    public enum Kind: Hashable, Sendable {
        /// Speaks for every address of its tokens, and gives names to the app alone.
        case apple
        /// Speaks for addresses of `gmail.com`, and for those of ``Person/hostedDomain``.
        case google
        /// Another OpenID provider, which speaks for the addresses of these domains.
        ///
        /// - Parameter name: Its id in the tenant: small letters, digits and hyphens.
        case openID(_ name: String, domains: Set<String> = [])
    }

    /// The person that the provider signs in.
    public struct Person: Hashable, Sendable {
        /// The provider's own id of the person.
        public var subject = "001234.5678"
        /// Nil: the provider knows none.
        public var email: String? = "dana@example.com"
        public var isEmailVerified = true
        /// The organisation of the person's account at Google.
        public var hostedDomain: String?
        public var givenName: String?
        public var familyName: String?
    }

    /// What the provider does when it is asked.
    public enum Answer: Hashable, Sendable {
        /// Signs the person in.
        case agree
        /// The person closes the sheet: ``NativeAuth/ProviderError/cancelled``.
        case cancel
        /// The provider fails with this error.
        case fail(ProviderError)
    }

    public let id: String
    package let provider: IdentityProvider
    private let state: State

    /// Makes a provider with keys of its own.
    public init(_ kind: Kind = .apple) {
        switch kind {
        case .apple: provider = .apple(nativeClients: [Self.client])
        case .google: provider = .google(nativeClients: [Self.client])
        case .openID(let name, let domains):
            provider = IdentityProvider(
                id: name, displayName: name.capitalized, issuer: "https://\(name).test", nativeClients: [Self.client],
                authority: domains.isEmpty ? .nothing : .domains(domains))
        }
        id = provider.id
        state = State()
    }

    /// The audience of the tokens: that of apps, and that of the pages.
    package static let client = "com.example.app"
    package static let webClient = "com.example.pages"

    /// The person that the provider signs in.
    public var person: Person {
        get { state.values.withLock(\.person) }
        nonmutating set { state.values.withLock { $0.person = newValue } }
    }

    /// What the provider does when it is asked. By default the person agrees.
    public var whenAsked: Answer {
        get { state.values.withLock(\.answer) }
        nonmutating set { state.values.withLock { $0.answer = newValue } }
    }

    /// Whether the provider cannot be reached by the server. Documents that the server has already are used further.
    public var isDown: Bool {
        get { state.values.withLock(\.isDown) }
        nonmutating set { state.values.withLock { $0.isDown = newValue } }
    }

    /// Takes a new key. Tokens of the old one are worth nothing from now on.
    public func changeKey() {
        state.values.withLock { $0.signer = ProviderSigner() }
    }

    public func credential(nonce: String) async throws(ProviderError) -> ProviderCredential {
        switch whenAsked {
        case .agree: break
        case .cancel: throw .cancelled
        case .fail(let error): throw error
        }
        // Apple gives names to the app, and never in the token.
        let isApple = provider.id == "apple"
        return ProviderCredential(
            idToken: try idToken(nonce: nonce), givenName: isApple ? person.givenName : nil,
            familyName: isApple ? person.familyName : nil, authorizationCode: isApple ? nonce : nil)
    }

    /// A token of the provider for ``person``.
    ///
    /// - Parameters:
    ///   - claims: Claims that take the place of the usual ones, or are added to them; null takes one out.
    ///   - header: The same for the header.
    package func idToken(
        nonce: String, claims: [String: JSONValue] = [:], header: [String: JSONValue] = [:],
        key: P256.Signing.PrivateKey? = nil
    ) throws(ProviderError) -> String {
        let person = person
        let now = Int(state.now.timeIntervalSince1970)
        var values: [String: JSONValue] = [
            "iss": .string(provider.issuer), "aud": .string(Self.client), "sub": .string(person.subject),
            "iat": .integer(now), "exp": .integer(now + 600), "nonce": .string(nonce),
        ]
        if let email = person.email {
            values["email"] = .string(email)
            // Apple writes truth values as text.
            values["email_verified"] =
                id == "apple" ? .string("\(person.isEmailVerified)") : .boolean(person.isEmailVerified)
        }
        if let domain = person.hostedDomain { values["hd"] = .string(domain) }
        if id != "apple" {
            if let name = person.givenName { values["given_name"] = .string(name) }
            if let name = person.familyName { values["family_name"] = .string(name) }
        }
        do {
            return try state.values.withLock(\.signer).token(
                values.merging(claims) { $1 }, header: header, otherKey: key)
        } catch {
            throw .failed("\(error)")
        }
    }

    /// A notice of the provider about ``person``, as a signed token.
    ///
    /// - Parameter claims: Claims that take the place of the usual ones.
    package func notice(
        _ type: String, at date: Date? = nil, claims: [String: JSONValue] = [:], key: P256.Signing.PrivateKey? = nil
    ) throws(ProviderError) -> String {
        let time = Int((date ?? state.now).timeIntervalSince1970 * 1_000)
        let event = #"{"type":"\#(type)","sub":"\#(person.subject)","event_time":\#(time)}"#
        return try idToken(
            nonce: "", claims: ["events": .string(event), "nonce": .null, "sub": .null].merging(claims) { $1 }, key: key
        )
    }

    public static func == (one: Self, other: Self) -> Bool { one.state === other.state }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(state)) }

    private final class State: Sendable {
        struct Values: Sendable {
            var person = Person()
            var answer = Answer.agree
            var isDown = false
            var signer = ProviderSigner()
            /// That of the tenant; until then, that of a tenant that begins.
            var clock = ManualClock(Date(timeIntervalSince1970: 1_800_000_000))
            var looks = 0
            var exchangedClient: String?
            var revoked: [String] = []
            var revocations = 0
            var refusesRevocation = false
            var exchangedSubject: String?
            var stated: [String: JSONValue] = [:]
        }

        let values = Locked(Values())

        var now: Date { values.withLock(\.clock).now }
    }
}

extension TestIdentityProvider {
    /// Checks the tokens of the providers.
    package static func verifier(of providers: [TestIdentityProvider]) -> any IdentityProviders {
        ProviderKeys(TestProviderDocuments(providers: providers))
    }

    /// Signs tokens at the tenant's time from now on.
    package func follow(_ clock: ManualClock) {
        state.values.withLock { $0.clock = clock }
    }

    /// The provider as one that the hosted pages offer, too.
    package var withPages: IdentityProvider {
        var provider = provider
        provider.web = IdentityProvider.Web(clientID: Self.webClient)
        return provider
    }

    /// The audience of the tokens for codes, where it is another one than the client's.
    package var exchangedClient: String? {
        get { state.values.withLock(\.exchangedClient) }
        nonmutating set { state.values.withLock { $0.exchangedClient = newValue } }
    }

    /// The refresh tokens that the server has revoked, in order; each is that of a client and a person, and so has their names.
    package var revoked: [String] { state.values.withLock(\.revoked) }

    /// The refresh token of a client for the person.
    package func refreshToken(of client: String) -> String { "refresh.\(client).\(person.subject)" }

    /// The provider as one whose apps the server can prove itself as, too.
    package var withKey: IdentityProvider {
        var provider = withPages
        provider.key = IdentityProvider.AppleKey(variable: "PROVIDER_APPLE", team: "A1B2C3D4E5", key: "F6G7H8J9K0")
        return provider
    }

    /// How often the server has asked for a revocation.
    package var revocations: Int { state.values.withLock(\.revocations) }

    /// Whether the provider refuses to revoke.
    package var refusesRevocation: Bool {
        get { state.values.withLock(\.refusesRevocation) }
        nonmutating set { state.values.withLock { $0.refusesRevocation = newValue } }
    }

    /// Whose account the codes are of, where it is another one than the person's.
    package var exchangedSubject: String? {
        get { state.values.withLock(\.exchangedSubject) }
        nonmutating set { state.values.withLock { $0.exchangedSubject = newValue } }
    }

    /// Further claims of the tokens for codes: what the provider says of the strength of its sign-in.
    package var stated: [String: JSONValue] {
        get { state.values.withLock(\.stated) }
        nonmutating set { state.values.withLock { $0.stated = newValue } }
    }

    /// How often the server has looked at the keys.
    package var looks: Int { state.values.withLock(\.looks) }

    fileprivate func revoke(_ token: String) throws(ProviderFault) {
        let isTaken = state.values.withLock { values in
            values.revocations += 1
            if !values.refusesRevocation { values.revoked.append(token) }
            return !values.refusesRevocation
        }
        if !isTaken { throw .refused }
    }

    /// What the provider publishes at `url`; nil: that is no address of it.
    fileprivate func document(at url: String) throws(ProviderFault) -> [String: JSONValue]? {
        guard url.hasPrefix(provider.issuer + "/") else { return nil }
        guard !isDown else { throw .unavailable }
        switch url.dropFirst(provider.issuer.count) {
        case "/.well-known/openid-configuration":
            return ProviderSigner.discovery(of: provider.issuer)
        case "/keys":
            return state.values.withLock { values in
                values.looks += 1
                return values.signer.keys
            }
        case _: throw .refused
        }
    }
}

/// What the providers of a tenant publish.
private struct TestProviderDocuments: ProviderDocuments {
    let providers: [TestIdentityProvider]

    func document(at url: String) async throws(ProviderFault) -> Data {
        for provider in providers {
            guard let document = try provider.document(at: url) else { continue }
            do {
                return try JSONEncoder().encode(document)
            } catch {
                throw .refused
            }
        }
        throw .unavailable
    }

    func revoke(_ request: ProviderRevocation) async throws(ProviderFault) {
        guard let provider = providers.first(where: { request.endpoint == $0.provider.issuer + "/revoke" }) else {
            throw .refused
        }
        guard !provider.isDown else { throw .unavailable }
        try provider.revoke(request.token.reveal())
    }

    /// A code of these providers is the nonce that the browser brought, or the app.
    func exchange(_ request: ProviderCodeExchange) async throws(ProviderFault) -> Data {
        guard let provider = providers.first(where: { request.endpoint == $0.provider.issuer + "/token" }) else {
            throw .refused
        }
        guard !provider.isDown else { throw .unavailable }
        do {
            let token = try provider.idToken(
                nonce: request.code.code.reveal(),
                claims: ["aud": .string(provider.exchangedClient ?? request.client.id)].merging(
                    provider.exchangedSubject.map { ["sub": .string($0)] } ?? [:]
                ) { $1 }.merging(provider.stated) { $1 })
            let refresh = provider.refreshToken(of: request.client.id)
            return Data(#"{"id_token":"\#(token)","refresh_token":"\#(refresh)"}"#.utf8)
        } catch {
            throw .refused
        }
    }
}
