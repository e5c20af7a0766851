package import IdentityEngine
package import NativeAuthCore
import NativeAuthWire
package import PortableFoundation

/// Fetches the documents of identity providers, under the rules of all outgoing requests (`SEC-NET-13`).
package struct HTTPProviderDocuments: ProviderDocuments {
    /// How long a document may take, and the exchange of a code, in milliseconds.
    private static let (timeout, exchangeTimeout) = (2_000, 5_000)

    private let http: OutgoingHTTP
    private let secret: @Sendable (String) -> Secret<String>?

    /// - Parameter secret: The value of an environment variable of the server.
    package init(_ http: OutgoingHTTP, secret: @escaping @Sendable (String) -> Secret<String>?) {
        self.http = http
        self.secret = secret
    }

    package func document(at url: String) async throws(ProviderFault) -> Data {
        try await body(
            of: OutgoingHTTP.Request(
                url: url, headers: ["Accept: application/json", "User-Agent: native-auth"], body: nil,
                timeout: Self.timeout))
    }

    package func exchange(_ request: ProviderCodeExchange) async throws(ProviderFault) -> Data {
        var form = FormFields()
        form.append("grant_type", "authorization_code")
        form.append("code", request.code.code.reveal())
        form.append("redirect_uri", request.code.redirect)
        form.append("code_verifier", request.code.verifier?.reveal())
        return try await post(form, of: request.client, to: request.endpoint, at: request.now)
    }

    package func revoke(_ request: ProviderRevocation) async throws(ProviderFault) {
        var form = FormFields()
        form.append("token", request.token.reveal())
        form.append("token_type_hint", "refresh_token")
        _ = try await post(form, of: request.client, to: request.endpoint, at: request.now)
    }

    /// Sends a form with the client and its proof.
    private func post(
        _ fields: FormFields, of client: ProviderClient, to endpoint: String, at now: Date
    ) async throws(ProviderFault) -> Data {
        var form = fields
        form.append("client_id", client.id)
        if let secret = try proof(of: client, at: now) { form.append("client_secret", secret.reveal()) }
        return try await body(
            of: OutgoingHTTP.Request(
                url: endpoint,
                headers: [
                    "Content-Type: application/x-www-form-urlencoded", "Accept: application/json",
                    "User-Agent: native-auth",
                ], body: Data(form.encoded.utf8), timeout: Self.exchangeTimeout))
    }

    /// The secret of a client; nil for a public one.
    ///
    /// - Throws: ``ProviderFault/refused`` when the server has not what its document names: no provider would take the code.
    private func proof(of client: ProviderClient, at now: Date) throws(ProviderFault) -> Secret<String>? {
        guard let variable = client.credential.variable else { return nil }
        guard let value = secret(variable) else { throw .refused }
        switch client.credential {
        case .none: return nil
        case .secret: return value
        case .appleKey(let name):
            do {
                guard let key = AppleClientSecret(value, name) else { throw ProviderFault.refused }
                return try key.token(for: client.id, now: now)
            } catch {
                throw .refused
            }
        }
    }

    private func body(of request: OutgoingHTTP.Request) async throws(ProviderFault) -> Data {
        let answer: OutgoingHTTP.Answer
        do {
            answer = try await http.send(request)
        } catch {
            throw .unavailable
        }
        switch answer.status {
        case 200: return answer.body
        case 400..<500 where answer.status != 429: throw .refused
        // A redirect is not followed: an address of the operator's document says where the provider is.
        case _: throw .unavailable
        }
    }
}
