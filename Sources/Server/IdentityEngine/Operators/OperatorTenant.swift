package import NativeAuthCore
import PortableFoundation

/// The tenant of the operators. It is in the program and not in the tenant file, and only the operators' listener knows it,
/// so no request of an app can name it (`SEC-ADM-2`).
package enum OperatorTenant {
    /// A fixed UUID of version 8, with the letters `operat` in front.
    package static let id = TenantID(
        UUID(uuid: (0x6F, 0x70, 0x65, 0x72, 0x61, 0x74, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)))
    package static let tenant = Tenant(
        id: id, subdomain: "operators", domain: "operators.invalid", displayName: "native-auth console",
        enumeration: .strict, enrolment: .proven)
    /// The console as an application: e-mail and password, and a second factor at every sign-in (`SEC-ADM-3`).
    package static let console = Client(
        id: ClientID(UUID(uuid: (0x6F, 0x70, 0x65, 0x72, 0x61, 0x74, 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, 2))),
        displayName: "native-auth console",
        userFlow: UserFlow(
            method: .emailPassword, attributes: AttributeDefinition.builtIn.filter { $0.name == "displayName" }),
        requiresSecondFactor: true)

    package static let directory = TenantDirectory([.init(tenant: tenant, applications: [console])])
}
