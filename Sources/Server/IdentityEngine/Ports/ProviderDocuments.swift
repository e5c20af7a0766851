package import NativeAuthCore
package import PortableFoundation

/// Fetches what providers publish. The addresses come from the tenant's document and from a provider's discovery document, never
/// from a token or a request (`SEC-FED-1`).
package protocol ProviderDocuments: Sendable {
    /// The body of the document, at most 64 KiB.
    ///
    /// - Throws: ``ProviderFault``, also for an answer that is not 200.
    func document(at url: String) async throws(ProviderFault) -> Data

    /// Exchanges a code at a token endpoint (RFC 6749 section 4.1.3).
    ///
    /// - Returns: The body of the answer, at most 64 KiB.
    /// - Throws: ``ProviderFault``.
    func exchange(_ request: ProviderCodeExchange) async throws(ProviderFault) -> Data

    /// Revokes a refresh token (RFC 7009).
    ///
    /// - Throws: ``ProviderFault``.
    func revoke(_ request: ProviderRevocation) async throws(ProviderFault)
}

/// A client of a provider, with what it proves itself with.
package struct ProviderClient: Hashable, Sendable {
    package var id: String
    package var credential: IdentityProvider.Credential

    package init(id: String, credential: IdentityProvider.Credential) {
        self.id = id
        self.credential = credential
    }
}

/// The end of a refresh token, with everything that the endpoint needs.
package struct ProviderRevocation: Sendable {
    package var endpoint: String
    package var token: Secret<String>
    package var client: ProviderClient
    package var now: Date

    package init(endpoint: String, token: Secret<String>, client: ProviderClient, now: Date) {
        self.endpoint = endpoint
        self.token = token
        self.client = client
        self.now = now
    }
}

/// The exchange of a provider's code, with everything that the endpoint needs.
package struct ProviderCodeExchange: Sendable {
    package var endpoint: String
    package var code: ProviderCode
    package var client: ProviderClient
    package var now: Date

    package init(endpoint: String, code: ProviderCode, client: ProviderClient, now: Date) {
        self.endpoint = endpoint
        self.code = code
        self.client = client
        self.now = now
    }
}

package enum ProviderFault: Error, Hashable, Sendable {
    /// There is no answer, or one of a server that fails.
    case unavailable
    /// The provider refuses: the code is unknown to it, or the document does not exist.
    case refused
}
