import HTTPTypes
import IdentityEngine
import NativeAuthWire

/// The addresses of the console, with what each needs. The router is made of this table, and a test walks every row with
/// every role.
enum ConsoleRoute: Hashable, Sendable, CaseIterable {
    // Without a session.
    case style, script
    case signInForm, signIn, code, invitationForm, acceptInvitation
    // With one.
    case home, signOut
    case overview
    case users, newUser, createUser, user, editUser, changeUser, exportUser
    case disableLook, disable, enableLook, enable, resetLook, reset, endSessionsLook, endSessions
    case deleteLook, delete, restoreLook, restore, purgeLook, purge, removeMethodLook, removeMethod
    case requests, confirmRequest, withdrawRequest
    case applications, application
    case newApplication, createApplication, editApplication, changeApplication
    case deleteApplicationLook, deleteApplication, newSecret, removeSecretLook, removeSecret
    case newRole, createRole, editRole, changeRole, deleteRoleLook, deleteRole
    case userFlows, newUserFlow, createUserFlow, userFlow, editUserFlow, changeUserFlow
    case deleteUserFlowLook, deleteUserFlow, newAttribute, createAttribute, removeAttributeLook, removeAttribute
    case groups, createGroup, group, changeGroup, addGroupMember, removeGroupMember, deleteGroupLook, deleteGroup
    case mails, pages
    case events, exportEvents, verifyEvents
    case operators, invite, withdrawInvitation, setRole, removeOperatorLook, removeOperator
    case server, rotateKeyLook, rotateKey

    /// What a visitor needs.
    enum Need: Hashable, Sendable {
        case nothing
        /// Any operator.
        case session
        /// An operator with one of these permissions.
        case permission(Set<String>)
        case owner
    }

    var need: Need {
        switch self {
        case .style, .script, .signInForm, .signIn, .code, .invitationForm, .acceptInvitation: .nothing
        case .home, .signOut: .session
        case .overview, .server: .permission(OperatorOperation.readOrganization.roles)
        case .users, .user: .permission(OperatorOperation.readUser.roles)
        case .newUser, .createUser: .permission(OperatorOperation.createUser.roles)
        // An operation that changes any property is for daemons that may change one: the form changes all.
        case .editUser, .changeUser: .permission(["User.ReadWrite.All"])
        case .exportUser: .permission(OperatorOperation.exportUser.roles)
        case .disableLook, .disable, .enableLook, .enable:
            .permission(["User.ReadWrite.All", "User.EnableDisableAccount.All"])
        // A reset ends all sessions, and what comes then is in the hands of the mailbox.
        case .resetLook, .reset, .endSessionsLook, .endSessions:
            .permission(OperatorOperation.endUserSessions.roles)
        case .deleteLook, .delete: .permission(OperatorOperation.deleteUser.roles)
        case .restoreLook, .restore: .permission(OperatorOperation.restoreUser.roles)
        case .purgeLook, .purge: .permission(OperatorOperation.purgeUser.roles)
        case .removeMethodLook, .removeMethod: .permission(OperatorOperation.removeUserMethod.roles)
        case .requests: .permission(OperatorOperation.readUser.roles)
        // The least that a deed needs; each asks for its own (``ProofDeed/permissions``).
        case .confirmRequest, .withdrawRequest: .permission(OperatorOperation.endUserSessions.roles)
        case .applications, .application, .mails, .pages: .permission(OperatorOperation.listApplications.roles)
        case .newApplication, .createApplication, .editApplication, .changeApplication, .deleteApplicationLook,
            .deleteApplication, .newSecret, .removeSecretLook, .removeSecret, .newRole, .createRole, .editRole,
            .changeRole, .deleteRoleLook, .deleteRole:
            .permission(OperatorOperation.changeApplication.roles)
        case .groups, .group: .permission(OperatorOperation.listGroups.roles)
        case .createGroup, .changeGroup, .deleteGroupLook, .deleteGroup:
            .permission(OperatorOperation.changeGroup.roles)
        case .addGroupMember, .removeGroupMember: .permission(OperatorOperation.addGroupMember.roles)
        case .userFlows, .userFlow: .permission(OperatorOperation.listUserFlows.roles)
        case .newUserFlow, .createUserFlow, .editUserFlow, .changeUserFlow, .deleteUserFlowLook, .deleteUserFlow:
            .permission(OperatorOperation.changeUserFlow.roles)
        case .newAttribute, .createAttribute, .removeAttributeLook, .removeAttribute:
            .permission(OperatorOperation.createAttribute.roles)
        case .events, .exportEvents, .verifyEvents: .permission(OperatorOperation.listDirectoryAudits.roles)
        case .operators, .invite, .withdrawInvitation, .setRole, .removeOperatorLook, .removeOperator, .rotateKeyLook,
            .rotateKey:
            .owner
        }
    }

    /// Whether the proof of both factors must be at most ten minutes old (`SEC-ADM-3`).
    var needsFreshProof: Bool {
        switch self {
        case .confirmRequest, .exportUser, .exportEvents, .invite, .withdrawInvitation, .setRole, .removeOperator,
            .removeMethod, .purge,
            .rotateKey, .deleteApplication, .deleteUserFlow, .deleteGroup,
            .newSecret,
            .removeSecret:
            true
        case .style, .script, .signInForm, .signIn, .code, .invitationForm, .acceptInvitation, .home, .signOut,
            .overview,
            .users, .newUser, .createUser, .user, .editUser, .changeUser, .disableLook, .disable, .enableLook, .enable,
            .resetLook, .reset, .endSessionsLook, .endSessions, .deleteLook, .delete, .restoreLook, .restore,
            .purgeLook,
            .groups, .createGroup, .group, .changeGroup, .addGroupMember, .removeGroupMember, .deleteGroupLook,
            .userFlows, .newUserFlow, .createUserFlow, .userFlow, .editUserFlow, .changeUserFlow, .deleteUserFlowLook,
            .newAttribute, .createAttribute, .removeAttributeLook, .removeAttribute,
            .removeMethodLook, .requests, .withdrawRequest, .applications, .application, .newApplication,
            .createApplication, .editApplication, .changeApplication, .deleteApplicationLook, .removeSecretLook, .mails,
            .pages, .events,
            .verifyEvents, .operators,
            .removeOperatorLook, .server, .rotateKeyLook, .newRole, .createRole, .editRole, .changeRole,
            .deleteRoleLook, .deleteRole:
            false
        }
    }

    /// The path as the router writes it.
    var path: String {
        let tenant = "/console/t/{tenant}"
        let user = "\(tenant)/users/{id}"
        switch self {
        case .style: return "/console/console.css"
        case .script: return "/console/console.js"
        case .signInForm, .signIn: return "/console/sign-in"
        case .code: return "/console/code"
        case .invitationForm, .acceptInvitation: return "/console/invitation"
        case .home: return "/console"
        case .signOut: return "/console/sign-out"
        case .overview: return tenant
        case .users, .createUser: return "\(tenant)/users"
        case .newUser: return "\(tenant)/new-user"
        case .user: return user
        case .editUser, .changeUser: return "\(user)/edit"
        case .exportUser: return "\(user)/copy"
        case .disableLook, .disable: return "\(user)/disable"
        case .enableLook, .enable: return "\(user)/enable"
        case .resetLook, .reset: return "\(user)/reset"
        case .endSessionsLook, .endSessions: return "\(user)/end-sessions"
        case .deleteLook, .delete: return "\(user)/delete"
        case .restoreLook, .restore: return "\(user)/restore"
        case .purgeLook, .purge: return "\(user)/purge"
        case .removeMethodLook, .removeMethod: return "\(user)/methods/{method}/remove"
        case .requests: return "\(tenant)/requests"
        case .confirmRequest: return "\(tenant)/requests/{method}/confirm"
        case .withdrawRequest: return "\(tenant)/requests/{method}/withdraw"
        case .applications: return "\(tenant)/applications"
        case .application: return "\(tenant)/applications/{application}"
        case .newApplication, .createApplication: return "\(tenant)/new-application"
        case .editApplication, .changeApplication: return "\(tenant)/applications/{application}/edit"
        case .deleteApplicationLook, .deleteApplication: return "\(tenant)/applications/{application}/delete"
        case .newSecret: return "\(tenant)/applications/{application}/new-secret"
        case .removeSecretLook, .removeSecret: return "\(tenant)/applications/{application}/secrets/{method}/remove"
        case .newRole, .createRole: return "\(tenant)/applications/{application}/new-role"
        case .editRole, .changeRole: return "\(tenant)/applications/{application}/roles/{method}"
        case .deleteRoleLook, .deleteRole: return "\(tenant)/applications/{application}/roles/{method}/delete"
        case .userFlows: return "\(tenant)/user-flows"
        case .newUserFlow, .createUserFlow: return "\(tenant)/new-user-flow"
        case .userFlow: return "\(tenant)/user-flows/{flow}"
        case .editUserFlow, .changeUserFlow: return "\(tenant)/user-flows/{flow}/edit"
        case .deleteUserFlowLook, .deleteUserFlow: return "\(tenant)/user-flows/{flow}/delete"
        case .newAttribute, .createAttribute: return "\(tenant)/new-attribute"
        case .removeAttributeLook, .removeAttribute: return "\(tenant)/attributes/{attribute}/delete"
        case .groups, .createGroup: return "\(tenant)/groups"
        case .group, .changeGroup: return "\(tenant)/groups/{group}"
        case .addGroupMember: return "\(tenant)/groups/{group}/members"
        case .removeGroupMember: return "\(tenant)/groups/{group}/members/{id}/remove"
        case .deleteGroupLook, .deleteGroup: return "\(tenant)/groups/{group}/delete"
        case .mails: return "\(tenant)/mails"
        case .pages: return "\(tenant)/pages"
        case .events: return "\(tenant)/events"
        case .exportEvents: return "\(tenant)/events-file"
        case .verifyEvents: return "\(tenant)/events"
        case .operators, .invite: return "/console/operators"
        case .withdrawInvitation: return "/console/operators/withdraw"
        case .setRole: return "/console/operators/{id}/role"
        case .removeOperatorLook, .removeOperator: return "/console/operators/{id}/remove"
        case .server: return "/console/server"
        case .rotateKeyLook, .rotateKey: return "\(tenant)/new-key"
        }
    }

    var method: HTTPRequest.Method {
        switch self {
        case .signIn, .code, .acceptInvitation, .signOut, .createUser, .changeUser, .disable, .enable, .reset,
            .endSessions,
            .delete, .restore, .purge, .removeMethod, .confirmRequest, .withdrawRequest, .verifyEvents, .invite,
            .withdrawInvitation, .setRole,
            .removeOperator, .rotateKey,
            .createApplication, .changeApplication, .deleteApplication, .newSecret, .removeSecret, .createUserFlow,
            .changeUserFlow, .deleteUserFlow, .createAttribute, .removeAttribute, .createGroup, .changeGroup,
            .addGroupMember,
            .removeGroupMember, .deleteGroup, .createRole, .changeRole, .deleteRole:
            .post
        case .style, .script, .signInForm, .invitationForm, .home, .overview, .users, .newUser, .user, .editUser,
            .exportUser, .disableLook, .enableLook, .resetLook, .endSessionsLook, .deleteLook, .restoreLook, .purgeLook,
            .removeMethodLook, .requests, .applications, .application, .newApplication, .editApplication,
            .deleteApplicationLook,
            .removeSecretLook, .mails, .pages, .events, .exportEvents, .operators, .removeOperatorLook,
            .server, .rotateKeyLook, .userFlows, .newUserFlow, .userFlow, .editUserFlow, .deleteUserFlowLook,
            .newAttribute, .removeAttributeLook, .groups, .group, .deleteGroupLook, .newRole, .editRole,
            .deleteRoleLook:
            .get
        }
    }
}
