import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// Ids of directory objects that the tenants' document has no ids for: each follows from what the object is, so that it is
/// the same on every node and after every change (a UUID of version 8, RFC 9562 section 5.8).
enum ObjectID {
    static func of(_ kind: String, _ parts: String..., in tenant: TenantID) -> String {
        let names = [kind, tenant.description] + parts
        var bytes = Array(Vault.fingerprint(names.map { Data($0.utf8) }).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(bytes: bytes)?.text ?? ""
    }

    /// An application or daemon. The vendor gives an application two ids; the client id is the other one.
    static func application(_ id: ClientID, in tenant: TenantID) -> String {
        of("application", id.description, in: tenant)
    }

    static func servicePrincipal(_ appID: String, in tenant: TenantID) -> String {
        of("servicePrincipal", appID, in: tenant)
    }
}
