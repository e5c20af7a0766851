import HTTPTypes
import Hummingbird
import IdentityEngine
import Logging
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Tickets in the address of a page: an app opens it with its user signed in (docs/protocol.md §21.11, design record 0038).
extension IdentityRoutes {
    /// Takes the ticket of a request, if it has one. Nil: it has none.
    ///
    /// - Parameter visit: Gets the new session, if there is one.
    func take(
        _ fields: FormFields, for target: ClientID, challenge: String?, _ visit: inout HostedVisit
    ) async throws -> TicketVerdict? {
        let ticket: String?
        do {
            ticket = try fields.single(AuthorizeCodec.ticket)
        } catch {
            return .unusable
        }
        guard let ticket, !ticket.isEmpty else { return nil }
        let now = visit.now
        let verdict = try await engine.takeTicket(
            Secret(ticket), for: target, challenge: challenge, in: visit.tenant, as: visit.signIn,
            isDirect: visit.request.headers[HostedHeader.fetchSite] == "none",
            from: visit.context.source?.forEngine, now: now)
        note(verdict, of: target, &visit)
        return verdict
    }

    private func note(_ verdict: TicketVerdict, of target: ClientID, _ visit: inout HostedVisit) {
        switch verdict {
        case .opened(_, let signIn): visit.signIn = signIn
        case .unusable:
            visit.context.logger.notice(
                "a browser's ticket was not taken: it is used, too old, from another network, for another page or request, or of an ended session",
                metadata: ["application": "\(target)"])
        case .alreadySignedIn, .asks: break
        }
    }

    /// Gives the browser the session that a ticket opened.
    func opening(_ verdict: TicketVerdict?, _ response: Response, _ visit: HostedVisit) -> Response {
        guard case .opened(let cookie, let signIn)? = verdict else { return response }
        var response = response
        response.headers.append(
            HTTPField(
                name: .setCookie,
                value: visit.cookies.settingSession(cookie, lifetime: signIn.session.cookieLifetime)))
        return response
    }

    /// The user says whether this browser is to be signed in as the user of the app.
    ///
    /// - Parameter flow: Becomes what the user goes on with.
    /// - Returns: The response, or nil when the click has answered the question "continue as" for an application, too.
    func answer(
        _ question: TicketQuestion, by form: FormFields, _ flow: inout HostedFlow, _ handle: String,
        _ visit: inout HostedVisit
    ) async throws -> (response: Response?, verdict: TicketVerdict?) {
        var verdict: TicketVerdict?
        switch try Console.value(".action", of: form) {
        case "next":
            let target = flow.account == nil ? flow.request.client : Client.accountPageID
            let taken = try await engine.confirm(
                question, for: target, challenge: flow.request.challenge, in: visit.tenant, as: visit.signIn,
                from: visit.context.source?.forEngine, now: visit.now)
            note(taken, of: target, &visit)
            verdict = taken
        case "cancel": return (try await end(flow, handle, visit, with: AuthorizeError(.cancelled)), nil)
        case _: break
        }
        if let part = flow.account {
            var response = Self.seeOther(visit.path(of: part))
            for field in visit.cookies.endingFlow(handle) {
                response.headers.append(HTTPField(name: .setCookie, value: field))
            }
            return (response, verdict)
        }
        flow.step = visit.signIn == nil ? .enterName(isSignUp: false) : .confirm
        flow.shown = visit.signIn?.account.user.id
        // What another organisation's application asks for was not on the page.
        if case .opened? = verdict, visit.client?.web.isThirdParty != true { return (nil, verdict) }
        flow.number += 1
        return (try store(flow, handle, visit), verdict)
    }
}
