import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The way to the directory API, with a token of the user.
extension Account {
    /// A request to the directory API.
    ///
    /// - Parameter id: The object of an operation on one object.
    /// - Returns: The answer, if it is a success.
    func directory(
        _ operation: DirectoryOperation, id: String = "", query: String? = nil, body: Data? = nil,
        ifVersion version: String? = nil, correlationID: UUID
    ) async throws(AccountError) -> TransportResponse {
        guard id.utf8.allSatisfy({ Self.isNameCharacter($0) || $0 == 0x2D }) else {
            throw .notFound(ErrorDetails(correlationID: correlationID, message: "It is no id."))
        }
        let send = { (token: AccessToken) async throws(AccountError) -> TransportResponse in
            do throws(NativeAuthError) {
                return try await client.api.directory(
                    operation, id: id, query: query, token: token, body: body, ifVersion: version,
                    correlationID: correlationID)
            } catch {
                throw .service(ServiceError(error))
            }
        }
        let scope = operation.scopes.contains("User.Read") ? "User.Read" : "User.ReadWrite"
        var response = try await send(directoryToken(scope, correlationID))
        if response.status == 401, ProofDemand(response) == nil {
            // The token may have expired a moment ago, or be older than the user's password.
            let renewed: AccessToken
            do throws(TokenError) {
                renewed = try await accessToken(scopes: [scope], policy: .force, correlationID: correlationID)
            } catch {
                throw AccountError(error)
            }
            response = try await send(renewed)
        }
        guard (200..<300).contains(response.status) else { throw AccountError(response, correlationID: correlationID) }
        return response
    }

    /// A request whose answer is JSON.
    func directory<Reply: Decodable>(
        _ operation: DirectoryOperation, id: String = "", body: Data? = nil, correlationID: UUID
    ) async throws(AccountError) -> Reply {
        let response = try await directory(operation, id: id, body: body, correlationID: correlationID)
        do {
            return try WireJSON.decode(from: response.body)
        } catch {
            throw AccountError(response, correlationID: correlationID)
        }
    }

    /// A request without an answer. Another success, such as a page of a proxy, says nothing about the change.
    func change(
        _ operation: DirectoryOperation, id: String = "", body: Data? = nil, ifVersion version: String? = nil,
        correlationID: UUID
    ) async throws(AccountError) {
        let response = try await directory(
            operation, id: id, body: body, ifVersion: version, correlationID: correlationID)
        guard response.status == 204 else { throw AccountError(response, correlationID: correlationID) }
    }

    /// A request's body.
    static func body(_ content: some Encodable, _ correlationID: UUID) throws(AccountError) -> Data {
        do {
            return try WireJSON.encode(content)
        } catch {
            throw .invalidAttribute(nil, ErrorDetails(correlationID: correlationID, message: "The values are no JSON."))
        }
    }

    /// Whether a name of the directory can contain the byte: letters, digits and `_`.
    static func isNameCharacter(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }

    /// A token for `scope` of the directory. A session gets the scopes of a resource once, so the first request asks for
    /// those of all calls; a server that refuses that is asked for the one.
    private func directoryToken(_ scope: String, _ correlationID: UUID) async throws(AccountError) -> AccessToken {
        do throws(TokenError) {
            return try await accessToken(scopes: [scope], policy: .cached, correlationID: correlationID)
        } catch {
            switch error {
            case .notCached: break
            case .signInRequired, .sessionEnded, .secondFactorRequired, .browserRequired, .scopesRefused, .service:
                throw AccountError(error)
            }
        }
        do throws(TokenError) {
            return try await accessToken(scopes: ["User.Read", "User.ReadWrite"], correlationID: correlationID)
        } catch {
            guard case .scopesRefused = error else { throw AccountError(error) }
        }
        do throws(TokenError) {
            return try await accessToken(scopes: [scope], correlationID: correlationID)
        } catch {
            throw AccountError(error)
        }
    }
}

/// A time of the directory, such as `2026-11-23T10:00:00Z`; nil for other text.
func directoryTime(_ text: String?) -> Date? {
    guard let text else { return nil }
    do {
        return try Date(text, strategy: .iso8601)
    } catch {
        return nil
    }
}
