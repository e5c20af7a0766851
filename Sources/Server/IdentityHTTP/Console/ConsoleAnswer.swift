import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire

extension Console {
    /// The answer to a request for a route.
    func answer(
        _ route: ConsoleRoute, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> Response {
        var request = request
        // The right is that of the moment when the whole request is here: a body can take its time.
        if route.method == .post { try await RequestGuard.collectBody(of: &request) }
        let (visitor, elsewhere) = try await admit(route, request, context)
        if let elsewhere { return elsewhere }
        switch route {
        case .style: return Self.file(PackageResources.console_css, "text/css; charset=utf-8")
        case .script: return Self.file(PackageResources.console_js, "text/javascript; charset=utf-8")
        case .signInForm:
            return isDevelopment ? Self.redirect(to: "/console") : gate(try signInForm(request, visitor), visitor)
        case .signIn: return try await signIn(request, context, visitor)
        case .code: return try await code(request, context, visitor)
        case .invitationForm:
            return isDevelopment ? Self.redirect(to: "/console") : gate(invitationForm(visitor), visitor)
        case .acceptInvitation: return try await acceptInvitation(request, context, visitor)
        case .signOut: return try await signOut(request, visitor)
        case .home: return try home(request)
        case .overview: return Self.page(try await overview(request, context, visitor))
        case .users: return try await users(request, context, visitor)
        case .newUser: return Self.page(try newUser(context, visitor))
        case .createUser: return try await createUser(request, context, visitor)
        case .user: return try await user(request, context, visitor)
        case .editUser: return Self.page(try await editUser(context, visitor))
        case .changeUser: return try await changeUser(request, context, visitor)
        case .exportUser: return try await exportUser(request, context, visitor)
        case .resetLook: return Self.page(try await look(.reset, context, visitor))
        case .endSessionsLook: return Self.page(try await look(.endSessions, context, visitor))
        case .disableLook: return Self.page(try await look(.disable, context, visitor))
        case .enableLook: return Self.page(try await look(.enable, context, visitor))
        case .restoreLook: return Self.page(try await look(.restore, context, visitor))
        case .deleteLook: return Self.page(try await look(.delete, context, visitor))
        case .purgeLook: return Self.page(try await look(.purge, context, visitor))
        case .reset: return try await carryOut(.reset, request, context, visitor)
        case .endSessions: return try await carryOut(.endSessions, request, context, visitor)
        case .disable: return try await carryOut(.disable, request, context, visitor)
        case .enable: return try await carryOut(.enable, request, context, visitor)
        case .restore: return try await carryOut(.restore, request, context, visitor)
        case .delete: return try await carryOut(.delete, request, context, visitor)
        case .purge: return try await carryOut(.purge, request, context, visitor)
        case .removeMethodLook: return Self.page(try await removeMethodLook(context, visitor))
        case .removeMethod: return try await removeMethod(request, context, visitor)
        case .requests: return Self.page(try await requests(request, context, visitor))
        case .confirmRequest: return try await confirmRequest(request, context, visitor)
        case .withdrawRequest: return try await withdrawRequest(request, context, visitor)
        case .applications: return Self.page(try applications(request, context, visitor))
        case .application: return Self.page(try await application(request, context, visitor))
        case .newApplication: return Self.page(try newApplication(context, visitor))
        case .createApplication: return try await createApplication(request, context, visitor)
        case .editApplication: return Self.page(try editApplication(context, visitor))
        case .changeApplication: return try await changeApplication(request, context, visitor)
        case .deleteApplicationLook: return Self.page(try deleteApplicationLook(context, visitor))
        case .deleteApplication: return try await deleteApplication(request, context, visitor)
        case .newSecret: return try await newSecret(request, context, visitor)
        case .removeSecretLook: return Self.page(try removeSecretLook(context, visitor))
        case .removeSecret: return try await removeSecret(request, context, visitor)
        case .newRole: return Self.page(try await newRole(context, visitor))
        case .createRole: return try await createRole(request, context, visitor)
        case .editRole: return Self.page(try await editRole(context, visitor))
        case .changeRole: return try await changeRole(request, context, visitor)
        case .deleteRoleLook: return Self.page(try deleteRoleLook(context, visitor))
        case .deleteRole: return try await deleteRole(request, context, visitor)
        case .userFlows: return Self.page(try userFlows(request, context, visitor))
        case .newUserFlow: return Self.page(try newUserFlow(context, visitor))
        case .createUserFlow: return try await createUserFlow(request, context, visitor)
        case .userFlow: return Self.page(try userFlow(request, context, visitor))
        case .editUserFlow: return Self.page(try editUserFlow(context, visitor))
        case .changeUserFlow: return try await changeUserFlow(request, context, visitor)
        case .deleteUserFlowLook: return Self.page(try deleteUserFlowLook(context, visitor))
        case .deleteUserFlow: return try await deleteUserFlow(request, context, visitor)
        case .newAttribute: return Self.page(try newAttribute(context, visitor))
        case .createAttribute: return try await createAttribute(request, context, visitor)
        case .removeAttributeLook: return Self.page(try removeAttributeLook(context, visitor))
        case .removeAttribute: return try await removeAttribute(request, context, visitor)
        case .groups: return Self.page(try await groups(request, context, visitor))
        case .createGroup: return try await createGroup(request, context, visitor)
        case .group: return Self.page(try await group(request, context, visitor))
        case .changeGroup: return try await changeGroup(request, context, visitor)
        case .addGroupMember: return try await addGroupMember(request, context, visitor)
        case .removeGroupMember: return try await removeGroupMember(request, context, visitor)
        case .deleteGroupLook: return Self.page(try await deleteGroupLook(context, visitor))
        case .deleteGroup: return try await deleteGroup(request, context, visitor)
        case .mails: return try mails(request, context, visitor)
        case .pages: return try pages(request, context, visitor)
        case .events: return try await events(request, context, visitor)
        case .verifyEvents: return try await verifyEvents(request, context, visitor)
        case .exportEvents: return try await exportEvents(request, context, visitor)
        case .operators: return Self.page(try await operators(request, context, visitor))
        case .invite: return try await invite(request, context, visitor)
        case .withdrawInvitation: return try await withdrawInvitation(request, context, visitor)
        case .setRole: return try await setRole(request, context, visitor)
        case .removeOperatorLook: return Self.page(try await removeOperatorLook(context, visitor))
        case .removeOperator: return try await removeOperator(request, context, visitor)
        case .server: return Self.page(try await server(request, context, visitor))
        case .rotateKeyLook: return Self.page(try rotateKeyLook(context, visitor))
        case .rotateKey: return try await rotateKey(request, context, visitor)
        }
    }

    /// The overview of the tenant that the chooser names, else of the first.
    private func home(_ request: Request) throws -> Response {
        let name = try Self.value("tenant", of: try Self.queryFields(of: request))
        let all = tenants().entries.map(\.tenant)
        guard let tenant = all.first(where: { $0.subdomain == name }) ?? all.first else {
            return Self.redirect(to: ConsoleRoute.server.path)
        }
        return Self.redirect(to: Self.path(.overview, tenant))
    }

    /// The page of an error of a request below `/console`.
    static func page(for fault: RequestFault, trace: Trace) -> Response {
        let reply = V1Codec.reply(fault, trace: trace)
        let status = HTTPResponse.Status(code: reply.status)
        var response: Response
        switch reply.status {
        case 404: response = error(status, "Not found", "There is no such page or object.")
        case 405: response = error(status, "Not here", "This address does not answer such a request.")
        case 413, 414, 431: response = error(status, "Too much", "The request is too large.")
        case 421: response = error(status, "Refused", "The request came from another site, or by another host name.")
        case 429:
            response = error(
                status, "Too many requests", "Please wait \(reply.retryAfter ?? 60) seconds, and try again.")
        case 503: response = error(status, "Busy", "The server or its database is busy. Please try again in a moment.")
        case 500...599: response = error(status, "Something broke", "The server's log says what. Nothing was changed.")
        case _: response = error(status, "Not understood", "The request is not one that the console's pages send.")
        }
        response.headers[.retryAfter] = reply.retryAfter.map { "\($0)" }
        response.headers[.allow] = reply.allow
        return response
    }

    static func page(for fault: ConsoleFault) -> Response {
        switch fault {
        case .forbidden:
            error(.forbidden, "Not allowed", "Your role does not allow this. An owner can give you another role.")
        case .missing: error(.notFound, "Not found", "There is no such page or object.")
        case .staleForm:
            error(
                .forbidden, "This page is too old",
                "It is from before the last sign-in. Nothing was changed. Please open it again.")
        case .changedMeanwhile:
            error(.conflict, "Nothing was changed", "The user changed in the meantime. Please look at the user again.")
        }
    }
}
