import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The authority's discovery document: the issuer of its tokens, the pages for browsers, and the endpoint that revokes
// tokens.
extension Sessions {
    // MARK: Issuer

    /// The issuer in the discovery document, when the issuer of `claims` must be compared with it (`SDK-AUTH-2`).
    nonisolated func namedIssuer(
        for claims: [String: JSONValue]?, _ correlationID: UUID
    ) async throws(NativeAuthError) -> String? {
        let authority = api.effectiveAuthority
        guard let issuer = claims?["iss"]?.string, !authority.isOwnIssuer(issuer), authority.mayName(issuer) else {
            return nil
        }
        return try await discover(correlationID).issuer
    }

    private nonisolated func discover(_ correlationID: UUID) async throws(NativeAuthError) -> OpenIDConfiguration {
        if let document = discovered.withLock(\.self) { return document }
        let document: OpenIDConfiguration = try await api.get(.openIDConfiguration, correlationID: correlationID)
        return try accept(document, correlationID)
    }

    /// The discovery document for a sign-in in a browser; nil when the authority has none that can be read.
    nonisolated func documentIfAny(_ correlationID: UUID) async throws(NativeAuthError) -> OpenIDConfiguration? {
        if let document = discovered.withLock(\.self) { return document }
        let document: OpenIDConfiguration
        do throws(NativeAuthError) {
            document = try await api.get(.openIDConfiguration, correlationID: correlationID)
        } catch .unexpectedReply {
            return nil
        }
        return try accept(document, correlationID)
    }

    /// Remembers a document whose issuer the authority may use.
    private nonisolated func accept(
        _ document: OpenIDConfiguration, _ correlationID: UUID
    ) throws(NativeAuthError) -> OpenIDConfiguration {
        let authority = try api.authority(correlationID)
        guard authority.isOwnIssuer(document.issuer) || authority.mayName(document.issuer) else {
            throw .unexpectedReply(
                .init(correlationID: correlationID, message: "The issuer of the discovery document has another origin.")
            )
        }
        discovered.withLock { $0 = document }
        return document
    }

    // MARK: Sign-out

    /// Starts to revoke the refresh tokens of `removed` at the server. It continues even when no caller waits for it.
    nonisolated func revocation(of removed: [Session]) -> Task<Result<Revocation, NativeAuthError>, Never> {
        Task {
            do throws(NativeAuthError) {
                return .success(try await revoke(removed))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Revokes the refresh tokens of `removed` at the server (RFC 7009), if its discovery document names an endpoint at
    /// its own origin. The vendor's cloud has none and gets no request.
    private nonisolated func revoke(_ removed: [Session]) async throws(NativeAuthError) -> Revocation {
        let tokens = removed.compactMap(\.refreshToken)
        let correlationID = api.configuration.makeCorrelationID()
        let authority = try api.authority(correlationID)
        guard !tokens.isEmpty else { return .nothingToRevoke }
        guard !authority.isVendorCloud else { return .notOffered }
        let document = try await discover(correlationID)
        guard let url = document.revocationEndpoint.flatMap({ URL(string: $0) }), authority.sharesOrigin(with: url)
        else { return .notOffered }
        var failure: NativeAuthError?
        for token in tokens {
            let request = RevocationRequest(
                token: Secret(token), tokenTypeHint: "refresh_token", clientID: api.configuration.clientID)
            do throws(NativeAuthError) {
                guard try await api.post(request.form, to: url, correlationID: correlationID) else {
                    let message = "The server did not end the session."
                    throw .general(.init(correlationID: correlationID, message: message))
                }
            } catch {
                // Try the other users' tokens in any case.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return .revoked
    }
}
