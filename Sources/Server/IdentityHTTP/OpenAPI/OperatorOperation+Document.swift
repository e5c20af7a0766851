import IdentityEngine
import NativeAuthWire

extension OperatorOperation {
    /// What the document says of an operation beside its method, path and roles. A new operation does not compile until it
    /// has an outline.
    private struct Outline {
        var summary: String
        var body: SchemaName?
        var reply: SchemaName?
        var parameters: [DocumentedParameter] = []
    }

    private static let list: [DocumentedParameter] = [
        .filter, .search, .select, .top, .orderby, .count, .skiptoken, .consistencyLevel,
    ]

    private static let objects: [DocumentedParameter] = [.objectFilter, .select, .objectTop, .skiptoken]

    private var outline: Outline {
        switch self {
        case .listUsers: Outline(summary: "Lists users", reply: .userList, parameters: Self.list)
        case .countUsers:
            Outline(summary: "Counts users", parameters: [.filter, .search, .consistencyLevel])
        case .createUser: Outline(summary: "Creates a user", body: .newUser, reply: .operatorUser)
        case .readUser: Outline(summary: "Reads a user", reply: .operatorUser, parameters: [.user, .select])
        case .changeUser: Outline(summary: "Changes a user", body: .userEdit, parameters: [.user, .ifMatch])
        case .deleteUser:
            Outline(summary: "Deletes a user, who can be restored for 30 days", parameters: [.user, .ifMatch])
        case .endUserSessions:
            Outline(summary: "Ends all sessions of a user", reply: .sessionsEnded, parameters: [.user])
        case .listUserSessions:
            Outline(summary: "Lists the sessions of a user", reply: .sessionList, parameters: [.user])
        case .listUserMethods: Outline(summary: "Lists all methods of a user", reply: .methodList, parameters: [.user])
        case .listUserEmailMethods:
            Outline(summary: "Lists the methods by e-mail of a user", reply: .methodList, parameters: [.user])
        case .listUserPasswordMethods:
            Outline(summary: "Lists the password of a user, if there is one", reply: .methodList, parameters: [.user])
        case .removeUserMethod: Outline(summary: "Removes a method of a user", parameters: [.user, .method])
        case .listUserApps:
            Outline(summary: "Lists the authenticator apps of a user", reply: .methodList, parameters: [.user])
        case .removeUserApp: Outline(summary: "Removes an authenticator app of a user", parameters: [.user, .method])
        case .listUserPasskeys:
            Outline(summary: "Lists the passkeys of a user", reply: .methodList, parameters: [.user])
        case .removeUserPasskey: Outline(summary: "Removes a passkey of a user", parameters: [.user, .method])
        case .listUserPhones:
            Outline(summary: "Lists the telephones of a user", reply: .methodList, parameters: [.user])
        case .removeUserPhone: Outline(summary: "Removes a telephone of a user", parameters: [.user, .method])
        case .exportUser:
            Outline(
                summary: "Exports everything that is stored about a user", reply: .export, parameters: [.user])
        case .listOperatorRequests:
            Outline(
                summary: "Lists what waits for another operator, where the server asks for two",
                reply: .operatorRequestList)
        case .withdrawOperatorRequest:
            Outline(summary: "Withdraws what waits for another operator", parameters: [.operatorRequest])
        case .listDeletedUsers:
            Outline(summary: "Lists deleted users", reply: .userList, parameters: Self.list)
        case .readDeletedUser:
            Outline(summary: "Reads a deleted user", reply: .operatorUser, parameters: [.user, .select])
        case .restoreUser: Outline(summary: "Restores a deleted user", reply: .operatorUser, parameters: [.user])
        case .purgeUser: Outline(summary: "Deletes a deleted user permanently", parameters: [.user])
        case .listApplications:
            Outline(
                summary: "Lists applications and daemons", reply: .applicationList,
                parameters: [.applicationFilter, .select, .applicationTop, .skiptoken])
        case .readApplication:
            Outline(
                summary: "Reads an application or a daemon", reply: .application, parameters: [.application, .select])
        case .readApplicationByAppID:
            Outline(
                summary: "Reads an application or a daemon by its client id", reply: .application,
                parameters: [.appID, .select])
        case .createApplication:
            Outline(
                summary: "Creates an application, or a daemon", body: .newApplication, reply: .application)
        case .changeApplication:
            Outline(
                summary: "Changes an application or a daemon", body: .applicationEdit, parameters: [.application])
        case .deleteApplication:
            Outline(summary: "Deletes an application or a daemon", parameters: [.application])
        case .addApplicationPassword:
            Outline(
                summary: "Makes a secret of a daemon or an application, shown in this answer only", body: .newPassword,
                reply: .newPasswordAnswer, parameters: [.application])
        case .removeApplicationPassword:
            Outline(
                summary: "Removes a secret of a daemon or an application", body: .passwordKey,
                parameters: [.application])
        case .listServicePrincipals:
            Outline(
                summary: "Lists service principals, one of each application and daemon, and the directory's",
                reply: .servicePrincipalList, parameters: Self.objects)
        case .createServicePrincipal:
            Outline(
                summary: "Answers the service principal that an application has from the beginning",
                body: .applicationName, reply: .servicePrincipal)
        case .readServicePrincipal:
            Outline(summary: "Reads a service principal", reply: .servicePrincipal, parameters: [.principal, .select])
        case .readServicePrincipalByAppID:
            Outline(
                summary: "Reads a service principal by its client id", reply: .servicePrincipal,
                parameters: [.appID, .select])
        case .listGrants:
            Outline(summary: "Lists the scopes of applications", reply: .grantList, parameters: Self.objects)
        case .createGrant:
            Outline(summary: "Gives an application scopes of a resource", body: .newGrant, reply: .grant)
        case .readGrant:
            Outline(
                summary: "Reads the scopes of an application", reply: .grant, parameters: [.grant, .select])
        case .changeGrant:
            Outline(summary: "Replaces the scopes of an application", body: .grantEdit, parameters: [.grant])
        case .deleteGrant: Outline(summary: "Takes the scopes of a resource away", parameters: [.grant])
        case .listRoleAssignments:
            Outline(
                summary: "Lists the roles of a daemon", reply: .assignmentList,
                parameters: [.principal] + Self.objects)
        case .listRoleAssignees:
            Outline(
                summary: "Lists the daemons with roles of the directory", reply: .assignmentList,
                parameters: [.principal] + Self.objects)
        case .createRoleAssignment, .createRoleAssignee:
            Outline(
                summary: "Gives a daemon a role that the caller has", body: .newAssignment, reply: .assignment,
                parameters: [.principal])
        case .deleteRoleAssignment, .deleteRoleAssignee:
            Outline(
                summary: "Takes a role away that the caller has", parameters: [.principal, .assignment])
        case .listUserFlows:
            Outline(summary: "Lists user flows", reply: .userFlowList, parameters: Self.objects)
        case .createUserFlow: Outline(summary: "Creates a user flow", body: .newUserFlow, reply: .userFlow)
        case .readUserFlow:
            Outline(summary: "Reads a user flow", reply: .userFlow, parameters: [.flow, .select])
        case .changeUserFlow: Outline(summary: "Changes a user flow", body: .userFlowEdit, parameters: [.flow])
        case .deleteUserFlow:
            Outline(summary: "Deletes a user flow; its applications have none then", parameters: [.flow])
        case .listFlowApplications:
            Outline(
                summary: "Lists the applications of a user flow", reply: .applicationNameList,
                parameters: [.flow] + Self.objects)
        case .addFlowApplication:
            Outline(
                summary: "Gives an application the user flow", body: .applicationName, reply: .applicationName,
                parameters: [.flow])
        case .removeFlowApplication:
            Outline(summary: "Takes an application out of a user flow", parameters: [.flow, .appID])
        case .listFlowProviders:
            Outline(
                summary: "Lists how users of a flow sign in", reply: .providerList, parameters: [.flow] + Self.objects)
        case .listFlowAttributes:
            Outline(
                summary: "Lists the attributes that a flow asks for", reply: .attributeList,
                parameters: [.flow] + Self.objects)
        case .listAttributes:
            Outline(
                summary: "Lists the attributes that flows can ask for", reply: .attributeList,
                parameters: Self.objects)
        case .createAttribute: Outline(summary: "Creates an attribute", body: .newAttribute, reply: .attribute)
        case .readAttribute:
            Outline(summary: "Reads an attribute", reply: .attribute, parameters: [.attribute, .select])
        case .changeAttribute:
            Outline(
                summary: "Changes the description of an attribute", body: .attributeEdit, parameters: [.attribute])
        case .deleteAttribute: Outline(summary: "Deletes an attribute that is not used", parameters: [.attribute])
        case .listIdentityProviders:
            Outline(
                summary: "Lists how users can sign in", reply: .providerList, parameters: Self.objects)
        case .listGroups: Outline(summary: "Lists groups", reply: .groupList, parameters: Self.objects)
        case .createGroup: Outline(summary: "Creates a group", body: .newGroup, reply: .group)
        case .readGroup: Outline(summary: "Reads a group", reply: .group, parameters: [.group, .select])
        case .changeGroup: Outline(summary: "Changes a group", body: .groupEdit, parameters: [.group])
        case .deleteGroup: Outline(summary: "Deletes a group; its users stay", parameters: [.group])
        case .listGroupMembers:
            Outline(
                summary: "Lists the users of a group", reply: .userList,
                parameters: [.group, .select, .objectTop, .skiptoken])
        case .addGroupMember:
            Outline(summary: "Adds a user to a group", body: .memberReference, parameters: [.group])
        case .removeGroupMember: Outline(summary: "Takes a user out of a group", parameters: [.group, .user])
        case .listUserGroups:
            Outline(summary: "Lists the groups of a user", reply: .groupList, parameters: [.user] + Self.objects)
        case .listExtensions:
            Outline(summary: "Lists the extensions: what hooks call", reply: .extensionList, parameters: Self.objects)
        case .createExtension:
            Outline(
                summary: "Creates an extension, which is not called until it has a listener", body: .newExtension,
                reply: .extension)
        case .readExtension:
            Outline(summary: "Reads an extension", reply: .extension, parameters: [.extension, .select])
        case .changeExtension:
            Outline(summary: "Changes an extension", body: .extensionEdit, parameters: [.extension])
        case .deleteExtension:
            Outline(summary: "Deletes an extension and its listener", parameters: [.extension])
        case .listListeners:
            Outline(
                summary: "Lists the listeners: for which applications hooks are called", reply: .listenerList,
                parameters: Self.objects)
        case .createListener:
            Outline(summary: "Creates the listener of an extension", body: .newListener, reply: .listener)
        case .readListener: Outline(summary: "Reads a listener", reply: .listener, parameters: [.listener, .select])
        case .changeListener: Outline(summary: "Changes a listener", body: .listenerEdit, parameters: [.listener])
        case .deleteListener:
            Outline(summary: "Deletes a listener; its extension is not called then", parameters: [.listener])
        case .checkExtension:
            Outline(
                summary: "Says what keeps an extension from being called", reply: .extensionCheck,
                parameters: [.extension])
        case .readObjects:
            Outline(
                summary: "Reads up to 1,000 users, groups, applications and service principals by their ids",
                body: .objectIDs, reply: .objectList)
        case .batch:
            Outline(summary: "Answers up to 20 requests, one after another", body: .batch, reply: .batchAnswers)
        case .listSignIns:
            Outline(
                summary: "Lists sign-ins, the newest first", reply: .signInList,
                parameters: [.auditFilter, .auditTop, .skiptoken])
        case .listDirectoryAudits:
            Outline(
                summary: "Lists all other lines of the audit trail, the newest first", reply: .directoryAuditList,
                parameters: [.auditFilter, .auditTop, .skiptoken])
        case .readOrganization: Outline(summary: "Reads the tenant", reply: .organization)
        }
    }

    /// The operation in the document.
    var documented: DocumentedOperation {
        let method: DocumentedOperation.Method =
            switch method {
            case .get: .get
            case .post: .post
            case .patch: .patch
            case .delete: .delete
            }
        return DocumentedOperation(
            id: "\(self)", method: method, path: "/\(path)", tag: .operators, summary: outline.summary,
            parameters: outline.parameters + [.clientRequestID], security: .daemon(roles: roles),
            body: outline.body.map { .json($0) }, answers: [success] + waiting + failures)
    }

    private var success: DocumentedAnswer {
        switch self {
        case .createUser: DocumentedAnswer(201, "The user.", .json(.named(.operatorUser)))
        case .createApplication: DocumentedAnswer(201, "The application.", .json(.named(.application)))
        case .createServicePrincipal, .createGrant, .createRoleAssignment, .createRoleAssignee, .createUserFlow,
            .addFlowApplication, .createAttribute, .createGroup, .createExtension, .createListener:
            DocumentedAnswer(201, "The new object.", outline.reply.map { .json(.named($0)) } ?? .none)
        case .countUsers: DocumentedAnswer(200, "The number.", .text)
        case .changeUser, .deleteUser, .removeUserMethod, .removeUserApp, .removeUserPhone,
            .removeUserPasskey, .withdrawOperatorRequest, .purgeUser,
            .changeApplication,
            .deleteApplication,
            .removeApplicationPassword, .changeGrant, .deleteGrant, .deleteRoleAssignment, .deleteRoleAssignee,
            .changeUserFlow, .deleteUserFlow, .removeFlowApplication, .changeAttribute, .deleteAttribute, .changeGroup,
            .deleteGroup,
            .addGroupMember, .removeGroupMember, .changeExtension, .deleteExtension, .changeListener, .deleteListener:
            DocumentedAnswer(204, "It is done.")
        case .listUsers, .readUser, .endUserSessions, .listUserSessions, .listUserMethods, .listUserEmailMethods,
            .listUserPasswordMethods, .listUserApps, .listUserPhones,
            .listUserPasskeys, .exportUser, .listOperatorRequests, .listDeletedUsers, .readDeletedUser,
            .restoreUser,
            .readOrganization, .batch, .listApplications, .readApplication, .readApplicationByAppID, .listSignIns,
            .listDirectoryAudits, .addApplicationPassword, .listServicePrincipals, .readServicePrincipal,
            .readServicePrincipalByAppID, .listGrants, .readGrant, .listRoleAssignments, .listRoleAssignees,
            .listUserFlows, .readUserFlow, .listFlowApplications, .listFlowProviders, .listFlowAttributes,
            .listAttributes, .readAttribute, .listIdentityProviders, .listGroups, .readGroup, .listGroupMembers,
            .listUserGroups, .listExtensions, .readExtension, .listListeners, .readListener,
            .checkExtension, .readObjects:
            DocumentedAnswer(
                200, "The content.", outline.reply.map { .json(.named($0)) } ?? .none,
                headers: [.readUser, .readDeletedUser, .restoreUser].contains(self) ? [.version] : [])
        }
    }

    /// Whether two operators may have to stand behind the operation (`SEC-ENR-12`).
    private var canWait: Bool {
        [.changeUser, .removeUserMethod, .removeUserApp, .removeUserPhone, .removeUserPasskey].contains(self)
    }

    private var waiting: [DocumentedAnswer] {
        guard canWait else { return [] }
        return [
            DocumentedAnswer(
                202, "It waits for another operator: nothing is changed yet.", .json(.named(.operatorRequest)))
        ]
    }

    /// Whether the operation has one of these parameters.
    private func has(_ parameters: DocumentedParameter...) -> Bool {
        outline.parameters.contains { parameters.contains($0) }
    }

    private var failures: [DocumentedAnswer] {
        var failures = [DirectoryFailure(.invalidToken), DirectoryFailure(.insufficientScope)]
        if has(
            .user, .application, .appID, .principal, .grant, .assignment, .flow, .attribute, .group, .extension,
            .listener, .operatorRequest)
        {
            failures.append(DirectoryFailure(.notFound))
        }
        if has(.select) { failures.append(DirectoryFailure(.unknownProperty("NAME"))) }
        if has(.filter, .auditFilter, .applicationFilter, .objectFilter) {
            failures += [
                DirectoryFailure(.unsupported(property: "NAME"), in: "$filter"),
                DirectoryFailure(.malformed(at: 1), in: "$filter"),
            ]
        }
        if has(.skiptoken) { failures.append(.expiredPageToken) }
        if canWait { failures.append(DirectoryFailure(.tooManyRequests)) }
        if self == .changeUser { failures.append(DirectoryFailure(.addressAlone)) }
        if self == .createGroup { failures.append(.tooManyGroups) }
        if self == .deleteGroup { failures.append(.groupInUse) }
        if self == .addGroupMember { failures.append(.inTooManyGroups) }
        if self == .deleteAttribute { failures.append(DirectoryFailure(.readOnlyProperty("NAME"))) }
        if outline.body != nil {
            failures += [
                .unsupportedValue(of: "NAME"),
                DirectoryFailure(.unknownProperty("NAME")), DirectoryFailure(.readOnlyProperty("NAME")),
                DirectoryFailure(.invalidValue("NAME")), DirectoryFailure(.nameTaken("NAME")),
                DirectoryFailure(.step(.unacceptablePassword(.tooShort))),
                DirectoryFailure(RequestFault.unreadableAttributes), DirectoryFailure(RequestFault.wrongContentType),
            ]
        }
        if has(.ifMatch) || changesDocument { failures.append(DirectoryFailure(.changedMeanwhile)) }
        if changesDocument { failures += [.againstTheRules([]), .missing] }
        let faults: [RequestFault] = [
            .wrongMethod(allowed: "the method of another operation"), .uriTooLong, .headersTooLarge, .misdirected,
            .bodyTooLarge, .throttled(retryAfter: 1), .unavailable(retryAfter: 1),
        ]
        return (failures + faults.map { DirectoryFailure($0) }).map { DocumentedAnswer($0) }
    }
}
