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
            .readProfile, query: query.isEmpty ? nil : "$select=\(query)", correlationID: id)
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
        try await change(
            .changeProfile, body: try Self.body(values, id), ifVersion: profile?.version, correlationID: id)
    }
}
