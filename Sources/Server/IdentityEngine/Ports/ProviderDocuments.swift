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
}

/// The exchange of a provider's code, with everything that the endpoint needs.
package struct ProviderCodeExchange: Sendable {
    package var endpoint: String
    package var code: Secret<String>
    package var redirect: String
    package var verifier: Secret<String>
    package var client: IdentityProvider.Web
    package var now: Date

    package init(
        endpoint: String, code: Secret<String>, redirect: String, verifier: Secret<String>,
        client: IdentityProvider.Web, now: Date
    ) {
        self.endpoint = endpoint
        self.code = code
        self.redirect = redirect
        self.verifier = verifier
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
