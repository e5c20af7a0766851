/// What the directory API offers to operators: for each operation its method, its path below `/graph`, and the
/// application permissions of which a daemon needs one (docs/protocol.md §18.6).
package enum OperatorOperation: Hashable, Sendable, CaseIterable {
    case listUsers, countUsers, createUser, readUser, changeUser, deleteUser
    case endUserSessions, listUserSessions
    case listUserMethods, listUserEmailMethods, listUserPasswordMethods, removeUserMethod, listUserApps, removeUserApp
    case listUserPhones, removeUserPhone
    case listUserPasskeys, removeUserPasskey
    case exportUser
    /// What operators want to do and that waits for others.
    case listOperatorRequests, withdrawOperatorRequest
    case listDeletedUsers, readDeletedUser, restoreUser, purgeUser
    case readOrganization
    case listSignIns, listDirectoryAudits
    /// Applications and daemons.
    case listApplications, readApplication, readApplicationByAppID
    case createApplication, changeApplication, deleteApplication, addApplicationPassword, removeApplicationPassword
    /// What the vendor has of an application in a tenant: here always one of each application and daemon, and the directory's.
    case listServicePrincipals, createServicePrincipal, readServicePrincipal, readServicePrincipalByAppID
    /// The scopes that applications may ask for.
    case listGrants, createGrant, readGrant, changeGrant, deleteGrant
    /// The roles of daemons.
    case listRoleAssignments, createRoleAssignment, deleteRoleAssignment
    case listRoleAssignees, createRoleAssignee, deleteRoleAssignee
    case listUserFlows, createUserFlow, readUserFlow, changeUserFlow, deleteUserFlow
    case listFlowApplications, addFlowApplication, removeFlowApplication
    case listFlowProviders, listFlowAttributes
    case listAttributes, createAttribute, readAttribute, changeAttribute, deleteAttribute
    case listIdentityProviders
    case listGroups, createGroup, readGroup, changeGroup, deleteGroup
    case listGroupMembers, addGroupMember, removeGroupMember, listUserGroups
    /// The two halves of a hook.
    case listExtensions, createExtension, readExtension, changeExtension, deleteExtension, checkExtension
    case listListeners, createListener, readListener, changeListener, deleteListener
    /// Users, groups, applications and service principals by their ids.
    case readObjects
    /// Several of the others in one request.
    case batch

    package var method: DirectoryOperation.Method {
        switch self {
        case .listUsers, .countUsers, .readUser, .listUserSessions, .listUserMethods, .listUserEmailMethods,
            .listUserPasswordMethods, .listUserApps, .listUserPhones,
            .listUserPasskeys, .exportUser, .listOperatorRequests, .listDeletedUsers, .readDeletedUser,
            .readOrganization,
            .listSignIns, .listDirectoryAudits, .listApplications, .readApplication, .readApplicationByAppID,
            .listServicePrincipals, .readServicePrincipal, .readServicePrincipalByAppID, .listGrants, .readGrant,
            .listRoleAssignments, .listRoleAssignees, .listUserFlows, .readUserFlow, .listFlowApplications,
            .listFlowProviders, .listFlowAttributes, .listAttributes, .readAttribute, .listIdentityProviders,
            .listGroups, .readGroup,
            .listGroupMembers, .listUserGroups, .listExtensions, .readExtension, .listListeners, .readListener:
            .get
        case .createUser, .endUserSessions, .restoreUser, .batch, .createApplication, .addApplicationPassword,
            .removeApplicationPassword, .createServicePrincipal, .createGrant, .createRoleAssignment,
            .createRoleAssignee, .createUserFlow, .addFlowApplication, .createAttribute, .createGroup, .addGroupMember,
            .createExtension, .createListener, .checkExtension, .readObjects:
            .post
        case .changeUser, .changeApplication, .changeGrant, .changeUserFlow, .changeAttribute, .changeGroup,
            .changeExtension, .changeListener:
            .patch
        case .deleteUser, .removeUserMethod, .removeUserApp, .removeUserPhone, .removeUserPasskey,
            .withdrawOperatorRequest, .purgeUser, .deleteApplication,
            .deleteGrant,
            .deleteRoleAssignment,
            .deleteRoleAssignee, .deleteUserFlow, .removeFlowApplication, .deleteAttribute, .deleteGroup,
            .removeGroupMember, .deleteExtension, .deleteListener:
            .delete
        }
    }

    /// The path without a leading slash, with `{id}` for the id of a user, `{method}` for that of
    /// a method, `{application}` and `{appId}` for those of an application, and so on.
    package var path: String {
        let flows = "graph/v1.0/identity/authenticationEventsFlows"
        let flow = "\(flows)/{flow}/microsoft.graph.externalUsersSelfServiceSignUpEventsFlow"
        switch self {
        case .listServicePrincipals, .createServicePrincipal: return "graph/v1.0/servicePrincipals"
        case .readServicePrincipal: return "graph/v1.0/servicePrincipals/{principal}"
        case .readServicePrincipalByAppID: return "graph/v1.0/servicePrincipals(appId='{appId}')"
        case .listGrants, .createGrant: return "graph/v1.0/oauth2PermissionGrants"
        case .readGrant, .changeGrant, .deleteGrant: return "graph/v1.0/oauth2PermissionGrants/{grant}"
        case .listRoleAssignments, .createRoleAssignment:
            return "graph/v1.0/servicePrincipals/{principal}/appRoleAssignments"
        case .deleteRoleAssignment:
            return "graph/v1.0/servicePrincipals/{principal}/appRoleAssignments/{assignment}"
        case .listRoleAssignees, .createRoleAssignee:
            return "graph/v1.0/servicePrincipals/{principal}/appRoleAssignedTo"
        case .deleteRoleAssignee: return "graph/v1.0/servicePrincipals/{principal}/appRoleAssignedTo/{assignment}"
        case .listUserFlows, .createUserFlow: return flows
        case .readUserFlow, .changeUserFlow, .deleteUserFlow: return "\(flows)/{flow}"
        case .listFlowApplications, .addFlowApplication:
            return "\(flows)/{flow}/conditions/applications/includeApplications"
        case .removeFlowApplication:
            return "\(flows)/{flow}/conditions/applications/includeApplications/{appId}"
        case .listFlowProviders:
            return
                "\(flow)/onAuthenticationMethodLoadStart/microsoft.graph.onAuthenticationMethodLoadStartExternalUsersSelfServiceSignUp/identityProviders"
        case .listFlowAttributes:
            return
                "\(flow)/onAttributeCollection/microsoft.graph.onAttributeCollectionExternalUsersSelfServiceSignUp/attributes"
        case .listAttributes, .createAttribute: return "graph/v1.0/identity/userFlowAttributes"
        case .readAttribute, .changeAttribute, .deleteAttribute:
            return "graph/v1.0/identity/userFlowAttributes/{attribute}"
        case .listIdentityProviders: return "graph/v1.0/identity/identityProviders"
        case .listExtensions, .createExtension: return "graph/v1.0/identity/customAuthenticationExtensions"
        case .readExtension, .changeExtension, .deleteExtension:
            return "graph/v1.0/identity/customAuthenticationExtensions/{extension}"
        case .checkExtension:
            return
                "graph/v1.0/identity/customAuthenticationExtensions/{extension}/validateAuthenticationConfiguration"
        case .readObjects: return "graph/v1.0/directoryObjects/getByIds"
        case .listListeners, .createListener: return "graph/v1.0/identity/authenticationEventListeners"
        case .readListener, .changeListener, .deleteListener:
            return "graph/v1.0/identity/authenticationEventListeners/{listener}"
        case .listGroups, .createGroup: return "graph/v1.0/groups"
        case .readGroup, .changeGroup, .deleteGroup: return "graph/v1.0/groups/{group}"
        case .listGroupMembers: return "graph/v1.0/groups/{group}/members"
        case .addGroupMember: return "graph/v1.0/groups/{group}/members/$ref"
        case .removeGroupMember: return "graph/v1.0/groups/{group}/members/{id}/$ref"
        case .listUserGroups: return "graph/v1.0/users/{id}/memberOf"
        case .listUsers, .createUser: return "graph/v1.0/users"
        case .countUsers: return "graph/v1.0/users/$count"
        case .readUser, .changeUser, .deleteUser: return "graph/v1.0/users/{id}"
        case .endUserSessions: return "graph/v1.0/users/{id}/revokeSignInSessions"
        case .listUserSessions: return "graph/beta/users/{id}/nativeAuthSessions"
        case .listUserMethods: return "graph/v1.0/users/{id}/authentication/methods"
        case .listUserEmailMethods: return "graph/v1.0/users/{id}/authentication/emailMethods"
        case .listUserPasswordMethods: return "graph/v1.0/users/{id}/authentication/passwordMethods"
        case .removeUserMethod: return "graph/v1.0/users/{id}/authentication/emailMethods/{method}"
        case .listUserApps: return "graph/v1.0/users/{id}/authentication/softwareOathMethods"
        case .removeUserApp: return "graph/v1.0/users/{id}/authentication/softwareOathMethods/{method}"
        case .listUserPhones: return "graph/v1.0/users/{id}/authentication/phoneMethods"
        case .listUserPasskeys: return "graph/v1.0/users/{id}/authentication/fido2Methods"
        case .removeUserPasskey: return "graph/v1.0/users/{id}/authentication/fido2Methods/{method}"
        case .removeUserPhone: return "graph/v1.0/users/{id}/authentication/phoneMethods/{method}"
        case .exportUser: return "graph/beta/users/{id}/nativeAuth.export"
        case .listOperatorRequests: return "graph/beta/nativeAuthOperatorRequests"
        case .withdrawOperatorRequest: return "graph/beta/nativeAuthOperatorRequests/{request}"
        case .listDeletedUsers: return "graph/v1.0/directory/deletedItems/microsoft.graph.user"
        case .readDeletedUser, .purgeUser: return "graph/v1.0/directory/deletedItems/{id}"
        case .restoreUser: return "graph/v1.0/directory/deletedItems/{id}/restore"
        case .readOrganization: return "graph/v1.0/organization"
        case .batch: return "graph/v1.0/$batch"
        case .listApplications, .createApplication: return "graph/v1.0/applications"
        case .readApplication, .changeApplication, .deleteApplication: return "graph/v1.0/applications/{application}"
        case .addApplicationPassword: return "graph/v1.0/applications/{application}/addPassword"
        case .removeApplicationPassword: return "graph/v1.0/applications/{application}/removePassword"
        case .readApplicationByAppID: return "graph/v1.0/applications(appId='{appId}')"
        case .listSignIns: return "graph/v1.0/auditLogs/signIns"
        case .listDirectoryAudits: return "graph/v1.0/auditLogs/directoryAudits"
        }
    }

    /// A daemon needs one of these roles.
    package var roles: Set<String> {
        switch self {
        case .listUsers, .countUsers, .readUser, .listDeletedUsers, .readDeletedUser:
            ["User.Read.All", "User.ReadWrite.All", "Directory.Read.All"]
        case .listUserSessions: ["User.Read.All", "User.ReadWrite.All"]
        case .createUser: ["User.ReadWrite.All"]
        case .changeUser: ["User.ReadWrite.All", "User.EnableDisableAccount.All", "User.ManageIdentities.All"]
        case .deleteUser, .restoreUser: ["User.DeleteRestore.All", "User.ReadWrite.All"]
        case .purgeUser: ["User.DeleteRestore.All"]
        case .endUserSessions: ["User.RevokeSessions.All", "User.ReadWrite.All"]
        case .listUserMethods, .listUserEmailMethods, .listUserPasswordMethods:
            [
                "UserAuthenticationMethod.Read.All", "UserAuthenticationMethod.ReadWrite.All",
                "UserAuthMethod-Email.ReadWrite.All",
            ]
        case .removeUserMethod: ["UserAuthMethod-Email.ReadWrite.All", "UserAuthenticationMethod.ReadWrite.All"]
        case .listUserApps:
            [
                "UserAuthenticationMethod.Read.All", "UserAuthenticationMethod.ReadWrite.All",
                "UserAuthMethod-SoftwareOATH.ReadWrite.All",
            ]
        case .removeUserApp:
            ["UserAuthMethod-SoftwareOATH.ReadWrite.All", "UserAuthenticationMethod.ReadWrite.All"]
        case .listUserPasskeys:
            [
                "UserAuthMethod-Passkey.ReadWrite.All", "UserAuthenticationMethod.Read.All",
                "UserAuthenticationMethod.ReadWrite.All",
            ]
        case .removeUserPasskey: ["UserAuthMethod-Passkey.ReadWrite.All", "UserAuthenticationMethod.ReadWrite.All"]
        case .listUserPhones:
            [
                "UserAuthenticationMethod.Read.All", "UserAuthenticationMethod.ReadWrite.All",
                "UserAuthMethod-Phone.ReadWrite.All",
            ]
        case .removeUserPhone: ["UserAuthMethod-Phone.ReadWrite.All", "UserAuthenticationMethod.ReadWrite.All"]
        case .exportUser: ["User.Export.All"]
        case .listOperatorRequests:
            [
                "User.Read.All", "User.ReadWrite.All", "UserAuthenticationMethod.Read.All",
                "UserAuthenticationMethod.ReadWrite.All",
            ]
        case .withdrawOperatorRequest: ["User.ReadWrite.All", "UserAuthenticationMethod.ReadWrite.All"]
        case .listSignIns, .listDirectoryAudits: ["AuditLog.Read.All"]
        case .listApplications, .readApplication, .readApplicationByAppID:
            ["Application.Read.All", "Application.ReadWrite.All", "Directory.Read.All"]
        case .createApplication, .changeApplication, .deleteApplication, .addApplicationPassword,
            .removeApplicationPassword:
            ["Application.ReadWrite.All"]
        case .listServicePrincipals, .readServicePrincipal, .readServicePrincipalByAppID:
            ["Application.Read.All", "Application.ReadWrite.All", "Directory.Read.All"]
        case .createServicePrincipal: ["Application.ReadWrite.All"]
        case .listGrants, .readGrant: ["Directory.Read.All", "DelegatedPermissionGrant.ReadWrite.All"]
        case .createGrant, .changeGrant, .deleteGrant: ["DelegatedPermissionGrant.ReadWrite.All"]
        case .listRoleAssignments, .listRoleAssignees:
            ["Application.Read.All", "Directory.Read.All", "AppRoleAssignment.ReadWrite.All"]
        case .createRoleAssignment, .deleteRoleAssignment, .createRoleAssignee, .deleteRoleAssignee:
            ["AppRoleAssignment.ReadWrite.All"]
        case .listUserFlows, .readUserFlow, .listFlowApplications, .listFlowProviders, .listFlowAttributes:
            ["EventListener.Read.All", "EventListener.ReadWrite.All"]
        case .createUserFlow, .changeUserFlow, .deleteUserFlow, .addFlowApplication, .removeFlowApplication:
            ["EventListener.ReadWrite.All"]
        case .listAttributes, .readAttribute: ["IdentityUserFlow.Read.All", "IdentityUserFlow.ReadWrite.All"]
        case .createAttribute, .changeAttribute, .deleteAttribute: ["IdentityUserFlow.ReadWrite.All"]
        case .listIdentityProviders: ["IdentityProvider.Read.All"]
        case .listGroups, .readGroup, .listGroupMembers:
            [
                "Group.Read.All", "Group.ReadWrite.All", "GroupMember.Read.All", "GroupMember.ReadWrite.All",
                "Directory.Read.All",
            ]
        case .createGroup, .changeGroup, .deleteGroup: ["Group.ReadWrite.All"]
        case .addGroupMember, .removeGroupMember: ["GroupMember.ReadWrite.All", "Group.ReadWrite.All"]
        case .listUserGroups:
            [
                "GroupMember.Read.All", "GroupMember.ReadWrite.All", "Group.Read.All",
                "Group.ReadWrite.All", "Directory.Read.All",
            ]
        case .readObjects: ["Directory.Read.All"]
        case .listExtensions, .readExtension, .checkExtension:
            ["CustomAuthenticationExtension.Read.All", "CustomAuthenticationExtension.ReadWrite.All"]
        case .createExtension, .changeExtension, .deleteExtension: ["CustomAuthenticationExtension.ReadWrite.All"]
        case .listListeners, .readListener: ["EventListener.Read.All", "EventListener.ReadWrite.All"]
        case .createListener, .changeListener, .deleteListener: ["EventListener.ReadWrite.All"]
        // Each request in it needs its own.
        case .batch: Self.allCases.reduce(into: []) { if $1 != .batch { $0.formUnion($1.roles) } }
        case .readOrganization: ["Organization.Read.All", "User.Read.All", "Directory.Read.All"]
        }
    }

    /// Whether the operation makes a new version of the tenants' document.
    package var changesDocument: Bool {
        switch self {
        case .createApplication, .changeApplication, .deleteApplication, .addApplicationPassword,
            .removeApplicationPassword, .createGrant, .changeGrant, .deleteGrant, .createRoleAssignment,
            .deleteRoleAssignment, .createRoleAssignee, .deleteRoleAssignee, .createUserFlow, .changeUserFlow,
            .deleteUserFlow, .addFlowApplication, .removeFlowApplication, .createAttribute, .changeAttribute,
            .deleteAttribute, .createExtension, .changeExtension, .deleteExtension, .createListener, .changeListener,
            .deleteListener:
            true
        case .listUsers, .countUsers, .createUser, .readUser, .changeUser, .deleteUser, .endUserSessions,
            .listUserSessions, .listUserMethods, .listUserEmailMethods, .listUserPasswordMethods, .removeUserMethod,
            .listUserApps, .removeUserApp, .listUserPhones, .removeUserPhone,
            .listUserPasskeys, .removeUserPasskey, .exportUser, .listOperatorRequests, .withdrawOperatorRequest,
            .listDeletedUsers,
            .readDeletedUser, .restoreUser, .purgeUser,
            .readOrganization,
            .listSignIns, .listDirectoryAudits, .listApplications, .readApplication, .readApplicationByAppID,
            .listServicePrincipals, .createServicePrincipal, .readServicePrincipal, .readServicePrincipalByAppID,
            .listGrants, .readGrant, .listRoleAssignments, .listRoleAssignees, .listUserFlows, .readUserFlow,
            .listFlowApplications, .listFlowProviders, .listFlowAttributes, .listAttributes, .readAttribute,
            .listIdentityProviders, .listGroups, .createGroup, .readGroup, .changeGroup, .deleteGroup,
            .listGroupMembers,
            .addGroupMember, .removeGroupMember, .listUserGroups, .listExtensions, .readExtension, .listListeners,
            .readListener, .checkExtension, .readObjects, .batch:
            false
        }
    }

    /// The first segments below a version of the directory that the vendor has and this server does not: the answer is
    /// 501 with a sentence.
    package static let missing: Set<String> = [
        "applications", "serviceprincipals", "groups", "identity", "policies", "oauth2permissiongrants",
        "approleassignments", "directoryobjects", "subscriptions", "domains", "devices", "rolemanagement",
        "invitations", "directoryroles", "reports", "auditlogs", "directory", "users", "me", "organization",
    ]
}
