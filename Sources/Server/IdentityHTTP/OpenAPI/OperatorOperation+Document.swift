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
        case .exportUser:
            Outline(
                summary: "Exports everything that is stored about a user", reply: .export, parameters: [.user])
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
                summary: "Makes a secret of a daemon, shown in this answer only", body: .newPassword,
                reply: .newPasswordAnswer, parameters: [.application])
        case .removeApplicationPassword:
            Outline(summary: "Removes a secret of a daemon", body: .passwordKey, parameters: [.application])
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
            body: outline.body.map { .json($0) }, answers: [success] + failures)
    }

    private var success: DocumentedAnswer {
        switch self {
        case .createUser: DocumentedAnswer(201, "The user.", .json(.named(.operatorUser)))
        case .createApplication: DocumentedAnswer(201, "The application.", .json(.named(.application)))
        case .countUsers: DocumentedAnswer(200, "The number.", .text)
        case .changeUser, .deleteUser, .removeUserMethod, .purgeUser, .changeApplication, .deleteApplication,
            .removeApplicationPassword:
            DocumentedAnswer(204, "It is done.")
        case .listUsers, .readUser, .endUserSessions, .listUserSessions, .listUserMethods, .listUserEmailMethods,
            .listUserPasswordMethods, .exportUser, .listDeletedUsers, .readDeletedUser, .restoreUser,
            .readOrganization, .batch, .listApplications, .readApplication, .readApplicationByAppID, .listSignIns,
            .listDirectoryAudits, .addApplicationPassword:
            DocumentedAnswer(
                200, "The content.", outline.reply.map { .json(.named($0)) } ?? .none,
                headers: [.readUser, .readDeletedUser, .restoreUser].contains(self) ? [.version] : [])
        }
    }

    /// Whether the operation has one of these parameters.
    private func has(_ parameters: DocumentedParameter...) -> Bool {
        outline.parameters.contains { parameters.contains($0) }
    }

    /// Whether the operation makes a new version of the tenants' document.
    private var changesDocument: Bool { roles == ["Application.ReadWrite.All"] }

    private var failures: [DocumentedAnswer] {
        var failures = [DirectoryFailure(.invalidToken), DirectoryFailure(.insufficientScope)]
        if has(.user, .application, .appID) {
            failures.append(DirectoryFailure(.notFound))
        }
        if has(.select) { failures.append(DirectoryFailure(.unknownProperty("NAME"))) }
        if has(.filter, .auditFilter, .applicationFilter) {
            failures += [
                DirectoryFailure(.unsupported(property: "NAME"), in: "$filter"),
                DirectoryFailure(.malformed(at: 1), in: "$filter"),
            ]
        }
        if has(.skiptoken) { failures.append(.expiredPageToken) }
        if outline.body != nil {
            failures += [
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
