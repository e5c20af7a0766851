import IdentityEngine
import NativeAuthWire

// What each role may do (SEC-ADM-4), in the words that a daemon's roles have, so that one table says who may do what.
extension OperatorRole {
    /// The permissions of ``OperatorOperation/roles`` that the role has.
    var permissions: Set<String> {
        let reading: Set<String> = [
            "User.Read.All", "UserAuthenticationMethod.Read.All", "AuditLog.Read.All", "Application.Read.All",
            "Organization.Read.All", "EventListener.Read.All", "IdentityUserFlow.Read.All", "Group.Read.All",
        ]
        switch self {
        case .auditor: return reading
        case .support: return reading.union(["User.EnableDisableAccount.All", "User.RevokeSessions.All"])
        case .admin, .owner:
            return reading.union([
                "User.ReadWrite.All", "User.ManageIdentities.All", "User.EnableDisableAccount.All",
                "User.RevokeSessions.All", "User.DeleteRestore.All", "User.Export.All",
                "UserAuthenticationMethod.ReadWrite.All", "Application.ReadWrite.All", "EventListener.ReadWrite.All",
                "IdentityUserFlow.ReadWrite.All", "Group.ReadWrite.All", "GroupMember.ReadWrite.All",
            ])
        }
    }

    /// Default deny: without a common permission, the operation is refused.
    func allows(_ operation: OperatorOperation) -> Bool { !permissions.isDisjoint(with: operation.roles) }

    /// One sentence about the role, for the pages.
    var summary: String {
        switch self {
        case .owner: "Everything, also operators and keys."
        case .admin:
            "Creates, edits and deletes users, copies their data, changes applications, user flows and groups; reads the rest."
        case .support: "Reads; disables users, ends sessions, starts resets."
        case .auditor: "Reads, and changes nothing."
        }
    }
}
