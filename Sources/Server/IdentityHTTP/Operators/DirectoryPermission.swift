import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// The permissions of the directory with the ids that set-up scripts name them by: those that the vendor publishes, and for
/// the others one that follows from the name.
enum DirectoryPermission {
    /// The id of a scope, which a signed-in user gives an application.
    static func scopeID(_ name: String) -> String { published[name]?.scope ?? derived("scope", name) }

    /// The id of a role, which a daemon has itself.
    static func roleID(_ name: String) -> String { published[name]?.role ?? derived("role", name) }

    private static func derived(_ kind: String, _ name: String) -> String {
        ObjectID.of(kind, name, in: TenantID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))))
    }

    // The vendor's permission table of 2026-08-07.
    private static let published: [String: (scope: String?, role: String?)] = [
        "User.Read": ("e1fe6dd8-ba31-4d61-89e7-88639da4683d", nil),
        "User.ReadWrite": ("b4e74841-8e56-480b-be8b-910348b18b4c", nil),
        "User.Read.All": ("a154be20-db9c-4678-8ab7-66f6cc099a59", "df021288-bdef-4463-88db-98f22de89214"),
        "User.ReadWrite.All": ("204e0828-b5ca-4ad8-b9f3-f32a958e7cc4", "741f803b-c850-494e-b5df-cde7c675a1ca"),
        "User.ManageIdentities.All": (
            "637d7bec-b31e-4deb-acc9-24275642a2c9", "c529cfca-c91b-489c-af2b-d92990b66ce6"
        ),
        "User.RevokeSessions.All": (
            "fc30e98b-8810-4501-81f5-c20a3196387b", "77f3a031-c388-4f99-b373-dc68676a979e"
        ),
        "UserAuthenticationMethod.ReadWrite.All": (
            "b7887744-6746-4312-813d-72daeaee7e2d", "50483e42-d915-4231-9639-7fdb7fd190e5"
        ),
        "Application.ReadWrite.All": (
            "bdfbf15f-ee85-4955-8675-146e8e5296b5", "1bfefb4e-e0b5-418b-a88f-73c46d2cc8e9"
        ),
        "EventListener.ReadWrite.All": (
            "d11625a6-fe21-4fc6-8d3d-063eba5525ad", "0edf5e9e-4ce8-468a-8432-d08631d18c43"
        ),
        "CustomAuthenticationExtension.ReadWrite.All": (
            "8dfcf82f-15d0-43b3-bc78-a958a13a5792", "c2667967-7050-4e7e-b059-4cbbb3811d03"
        ),
        "IdentityUserFlow.ReadWrite.All": (
            "281892cc-4dbf-4e3a-b6cc-b21029bb4e82", "65319a09-a2be-469d-8782-f6b07debf789"
        ),
        "AuditLog.Read.All": ("e4c9e354-4dc5-45b8-9e7c-e1393b0b1a20", "b0afded3-3588-46d8-8b3d-9842eff778da"),
        "Directory.AccessAsUser.All": ("0e263e50-5827-48a4-b97c-d940288653c7", nil),
    ]
}
