public import NativeAuthCore
import NativeAuthWire
public import PortableFoundation

/// What the directory holds about a user. Its description contains no personal data (`SDK-LOG-1`).
public struct AccountProfile: Sendable, CustomStringConvertible, CustomReflectable {
    /// The identifier of the user in the directory.
    public let id: String
    /// The e-mail address.
    public let email: String?
    /// All members that the directory sent, by name: `displayName`, `givenName`, `city`, an app's own attributes, …
    public let members: [String: JSONValue]
    /// The version of this content as the server wrote it (`ETag`), if it states one.
    package let version: String?

    /// The name that other people see.
    public var displayName: String? { members["displayName"]?.string }
    /// The first name.
    public var givenName: String? { members["givenName"]?.string }
    /// The family name.
    public var surname: String? { members["surname"]?.string }

    /// The members as a value of the app, such as a struct with `displayName` and `extension_memberNumber`.
    ///
    /// - Throws: `DecodingError` when the members do not have that shape.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try WireJSON.decode(type, from: WireJSON.encode(members))
    }

    public var description: String { "AccountProfile(\(id))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension Account {
    /// Reads the profile.
    ///
    /// - Parameters:
    ///   - members: The names to read; empty for the usual ones, without an app's own attributes and the address.
    ///   - correlationID: Identifies the request in the server's log; nil for a new ID.
    public func profile(
        selecting members: [String] = [], correlationID: UUID? = nil
    ) async throws(AccountError) -> AccountProfile {
        let names = (members.isEmpty ? [] : ["id", "mail"]) + members
        let id = correlationID ?? client.makeCorrelationID()
        for name in names where !name.utf8.allSatisfy(Self.isNameCharacter) {
            throw .invalidAttribute(name, ErrorDetails(correlationID: id, message: "It is no name of an attribute."))
        }
        let query = names.joined(separator: ",")
        let response = try await directory(
            "GET", "/me", query: query.isEmpty ? nil : "$select=\(query)", scope: "User.Read", correlationID: id)
        do {
            var members: [String: JSONValue] = try WireJSON.decode(from: response.body)
            members = members.filter { !$0.key.hasPrefix("@odata.") }
            guard let user = members["id"]?.string else { throw AccountError(response, correlationID: id) }
            return AccountProfile(
                id: user, email: members["mail"]?.string, members: members,
                version: response.headers["etag"])
        } catch let error as AccountError {
            throw error
        } catch {
            throw AccountError(response, correlationID: id)
        }
    }

    /// Changes attributes, all or none.
    ///
    /// - Parameters:
    ///   - attributes: The new values by name; nil removes an attribute.
    ///   - profile: The profile that the change is based on: if another device has changed it since, the call fails with
    ///     ``AccountError/changedMeanwhile(_:)``. Nil: the last change wins.
    ///   - correlationID: Identifies the request in the server's log; nil for a new ID.
    public func update(
        _ attributes: [String: AttributeValue?], of profile: AccountProfile? = nil, correlationID: UUID? = nil
    ) async throws(AccountError) {
        let id = correlationID ?? client.makeCorrelationID()
        let values = attributes.mapValues { value -> JSONValue in
            switch value {
            case nil: .null
            case .string(let text)?: .string(text)
            case .integer(let number)?: .integer(number)
            case .boolean(let flag)?: .boolean(flag)
            }
        }
        let body: Data
        do {
            body = try WireJSON.encode(values)
        } catch {
            throw .invalidAttribute(nil, ErrorDetails(correlationID: id, message: "The attributes are no JSON."))
        }
        let response = try await directory(
            "PATCH", "/me", scope: "User.ReadWrite", body: body, ifVersion: profile?.version, correlationID: id)
        // Another success, such as a page of a proxy, says nothing about the change.
        guard response.status == 204 else { throw AccountError(response, correlationID: id) }
    }

    /// Whether a name of the directory can contain the byte: letters, digits and `_`.
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
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

    /// A request to the directory API, with a token for `scope`.
    ///
    /// - Returns: The answer, if it is a success.
    private func directory(
        _ method: String, _ path: String, query: String? = nil, scope: String, body: Data? = nil,
        ifVersion version: String? = nil,
        correlationID: UUID
    ) async throws(AccountError) -> TransportResponse {
        let send = { (token: AccessToken) async throws(AccountError) -> TransportResponse in
            do throws(NativeAuthError) {
                return try await client.api.directory(
                    method, path, query: query, token: token, body: body, ifVersion: version,
                    correlationID: correlationID)
            } catch {
                throw .service(ServiceError(error))
            }
        }
        var response = try await send(directoryToken(scope, correlationID))
        if response.status == 401 {
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
}
