import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Applications and daemons of a tenant as the vendor's directory has them, without any secret (docs/protocol.md §18.6).
enum ApplicationCodec {
    typealias Object = [String: JSONValue]

    static func object(_ client: Client, in tenant: TenantID) -> Object {
        shared(client.id, client.displayName, in: tenant).merging([
            "isFallbackPublicClient": .boolean(true),
            "nativeAuthenticationApisEnabled": .string(client.isNativeAuthEnabled ? "all" : "none"),
            "nativeAuthScopes": .texts(client.scopes), "nativeAuthRoles": .array([]), "passwordCredentials": .array([]),
            "keyCredentials": .array([]),
        ]) { $1 }
    }

    static func object(_ daemon: Daemon, in tenant: TenantID) -> Object {
        shared(daemon.id, daemon.displayName, in: tenant).merging([
            "isFallbackPublicClient": .boolean(false), "nativeAuthenticationApisEnabled": .string("none"),
            "nativeAuthScopes": .array([]), "nativeAuthRoles": .texts(daemon.roles),
            "passwordCredentials": .array(
                daemon.secrets.map { secret in
                    .object([
                        "keyId": .string(secret.id.text), "displayName": .string(secret.displayName),
                        "hint": .string(secret.hint), "secretText": .null,
                        "startDateTime": secret.startsAt.map { .string($0.ISO8601Format()) } ?? .null,
                        "endDateTime": .string(secret.endsAt.ISO8601Format()),
                    ])
                }),
            "keyCredentials": .array(
                daemon.keys.map { key in
                    .object([
                        "keyId": .string(key.id.text), "type": .string("AsymmetricPublicKey"),
                        "usage": .string("Verify"), "endDateTime": .string(key.endsAt.ISO8601Format()),
                    ])
                }),
        ]) { $1 }
    }

    private static func shared(_ id: ClientID, _ name: String, in tenant: TenantID) -> Object {
        [
            "id": .string(objectID(id, in: tenant)), "appId": .string(id.description), "displayName": .string(name),
            "signInAudience": .string("AzureADMyOrg"),
        ]
    }

    /// The vendor gives an application two ids. The other one follows from the application's own: a UUID of version 8
    /// (RFC 9562 section 5.8).
    private static func objectID(_ id: ClientID, in tenant: TenantID) -> String {
        var bytes = Array(
            Vault.fingerprint(["application", tenant.description, id.description].map { Data($0.utf8) }).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(bytes: bytes)?.text ?? ""
    }

    /// Whether an application meets a filter over `id`, `appId` and `displayName`.
    static func meets(_ object: Object, _ filter: ODataFilter) throws(ODataFault) -> Bool {
        switch filter {
        // Each part is read, also behind one that decides, so that a wrong part is always refused.
        case .all(let parts): return try results(object, parts).allSatisfy(\.self)
        case .any(let parts): return try results(object, parts).contains(true)
        case .not(let part): return try !meets(object, part)
        case .comparison(let path, .eq, .text(let text)): return try self.text(path, of: object) == text.lowercased()
        case .comparison(let path, .ne, .text(let text)): return try self.text(path, of: object) != text.lowercased()
        case .isOneOf(let path, let literals):
            let found = try self.text(path, of: object)
            var texts: [String] = []
            for literal in literals {
                guard case .text(let text) = literal else { throw .unsupported(property: path.property) }
                texts.append(text.lowercased())
            }
            return texts.contains(found)
        case .call(.startsWith, let path, let text):
            return try self.text(path, of: object).hasPrefix(text.lowercased())
        case .comparison(let path, _, _), .call(_, let path, _), .lambda(let path, _, _, _):
            throw .unsupported(property: path.property)
        }
    }

    private static func results(_ object: Object, _ parts: [ODataFilter]) throws(ODataFault) -> [Bool] {
        var results: [Bool] = []
        for part in parts { results.append(try meets(object, part)) }
        return results
    }

    private static func text(_ path: ODataPath, of object: Object) throws(ODataFault) -> String {
        let names = ["id", "appid", "displayname"]
        guard path.names.count == 1, names.contains(path.property.lowercased()),
            let text = object.first(where: { $0.key.lowercased() == path.property.lowercased() })?.value.string
        else { throw .unsupported(property: path.property) }
        return text.lowercased()
    }
}
