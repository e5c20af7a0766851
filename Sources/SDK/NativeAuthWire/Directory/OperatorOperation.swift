/// What the directory API offers to operators: for each operation its method, its path below `/graph`, and the
/// application permissions of which a daemon needs one (docs/protocol.md §18.6).
package enum OperatorOperation: Hashable, Sendable, CaseIterable {
    case listUsers, countUsers, createUser, readUser, changeUser, deleteUser
    case endUserSessions, listUserSessions
    case listUserMethods, listUserEmailMethods, listUserPasswordMethods, removeUserMethod
    case exportUser
    case listDeletedUsers, readDeletedUser, restoreUser, purgeUser
    case readOrganization
    case listSignIns, listDirectoryAudits
    /// Applications and daemons.
    case listApplications, readApplication, readApplicationByAppID
    case createApplication, changeApplication, deleteApplication, addApplicationPassword, removeApplicationPassword
    /// Several of the others in one request.
    case batch

    package var method: DirectoryOperation.Method {
        switch self {
        case .listUsers, .countUsers, .readUser, .listUserSessions, .listUserMethods, .listUserEmailMethods,
            .listUserPasswordMethods, .exportUser, .listDeletedUsers, .readDeletedUser, .readOrganization,
            .listSignIns, .listDirectoryAudits, .listApplications, .readApplication, .readApplicationByAppID:
            .get
        case .createUser, .endUserSessions, .restoreUser, .batch, .createApplication, .addApplicationPassword,
            .removeApplicationPassword:
            .post
        case .changeUser, .changeApplication: .patch
        case .deleteUser, .removeUserMethod, .purgeUser, .deleteApplication: .delete
        }
    }

    /// The path without a leading slash, with `{id}` for the id of a user, `{method}` for that of
    /// a method, `{application}` and `{appId}` for those of an application.
    package var path: String {
        switch self {
        case .listUsers, .createUser: "graph/v1.0/users"
        case .countUsers: "graph/v1.0/users/$count"
        case .readUser, .changeUser, .deleteUser: "graph/v1.0/users/{id}"
        case .endUserSessions: "graph/v1.0/users/{id}/revokeSignInSessions"
        case .listUserSessions: "graph/beta/users/{id}/nativeAuthSessions"
        case .listUserMethods: "graph/v1.0/users/{id}/authentication/methods"
        case .listUserEmailMethods: "graph/v1.0/users/{id}/authentication/emailMethods"
        case .listUserPasswordMethods: "graph/v1.0/users/{id}/authentication/passwordMethods"
        case .removeUserMethod: "graph/v1.0/users/{id}/authentication/emailMethods/{method}"
        case .exportUser: "graph/beta/users/{id}/nativeAuth.export"
        case .listDeletedUsers: "graph/v1.0/directory/deletedItems/microsoft.graph.user"
        case .readDeletedUser, .purgeUser: "graph/v1.0/directory/deletedItems/{id}"
        case .restoreUser: "graph/v1.0/directory/deletedItems/{id}/restore"
        case .readOrganization: "graph/v1.0/organization"
        case .batch: "graph/v1.0/$batch"
        case .listApplications, .createApplication: "graph/v1.0/applications"
        case .readApplication, .changeApplication, .deleteApplication: "graph/v1.0/applications/{application}"
        case .addApplicationPassword: "graph/v1.0/applications/{application}/addPassword"
        case .removeApplicationPassword: "graph/v1.0/applications/{application}/removePassword"
        case .readApplicationByAppID: "graph/v1.0/applications(appId='{appId}')"
        case .listSignIns: "graph/v1.0/auditLogs/signIns"
        case .listDirectoryAudits: "graph/v1.0/auditLogs/directoryAudits"
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
        case .exportUser: ["User.Export.All"]
        case .listSignIns, .listDirectoryAudits: ["AuditLog.Read.All"]
        case .listApplications, .readApplication, .readApplicationByAppID:
            ["Application.Read.All", "Application.ReadWrite.All", "Directory.Read.All"]
        case .createApplication, .changeApplication, .deleteApplication, .addApplicationPassword,
            .removeApplicationPassword:
            ["Application.ReadWrite.All"]
        // Each request in it needs its own.
        case .batch: Self.allCases.reduce(into: []) { if $1 != .batch { $0.formUnion($1.roles) } }
        case .readOrganization: ["Organization.Read.All", "User.Read.All", "Directory.Read.All"]
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
