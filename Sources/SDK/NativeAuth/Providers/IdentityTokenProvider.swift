import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// An identity provider on the user's device: Sign in with Apple, Google's SDK, or another one that gives ID tokens.
///
/// Apps on Apple's systems use `AppleIdentity`. For another provider an app writes its own, which is a few lines around that
/// provider's SDK; <doc:Providers> has Google's. Tests use `TestIdentityProvider` of the module `NativeAuthTesting`.
public protocol IdentityTokenProvider: Sendable {
    /// The provider's id in the tenant of the server, such as `apple` (docs/operate/providers.md).
    var id: String { get }

    /// Lets the provider sign its user in.
    ///
    /// - Parameter nonce: 43 characters, which the token must contain as they are, in the claim `nonce`. The server accepts each
    ///   nonce once, for 600 seconds; so do not answer with a token of an earlier sign-in.
    /// - Throws: ``ProviderError``. When the task is cancelled, it must close what it shows and throw
    ///   ``ProviderError/cancelled``.
    func credential(nonce: String) async throws(ProviderError) -> ProviderCredential
}

/// What a provider gives the app after a sign-in. Its description shows neither token nor names.
public struct ProviderCredential: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The ID token (OpenID Connect Core 1.0 section 2): a JWT.
    public let idToken: String
    /// The names that the provider gives the app besides the token. Apple does so at the first sign-in only. The server shows them
    /// in the form of a sign-up, and trusts neither.
    public let givenName: String?
    public let familyName: String?
    /// The code that Apple gives beside the token, good once, for five minutes. With it the server can end what the user allowed at
    /// Apple when the account is deleted. Nil for other providers.
    public let authorizationCode: String?

    public init(
        idToken: String, givenName: String? = nil, familyName: String? = nil, authorizationCode: String? = nil
    ) {
        self.authorizationCode = authorizationCode
        self.idToken = idToken
        self.givenName = givenName
        self.familyName = familyName
    }

    public var description: String { "ProviderCredential" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The parameter `provider_user`; nil without names.
    var userJSON: String? {
        let names = ["givenName": givenName, "familyName": familyName].compactMapValues { $0 }
        return names.isEmpty ? nil : AttributesJSON.encode(names.mapValues { .string($0) })
    }
}

/// Why a provider gave no token.
public enum ProviderError: Error, Hashable, Sendable {
    /// The user closed the provider's sheet, or the task was cancelled.
    case cancelled
    /// The provider could not be reached.
    case unreachable
    /// This system has no such provider.
    case unsupported
    /// Another failure, with a text for developers.
    case failed(String)
}
