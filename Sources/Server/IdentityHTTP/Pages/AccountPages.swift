import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// The account page: everything of the account API, for a user with a browser (docs/protocol.md §21.7). The browser's session
// stands for the access token, and the engine's rules are the same.
extension IdentityRoutes {
    /// GET a page of the account, or the sign-in for it; POST a change, then 303 to GET.
    func account(_ request: Request, _ context: IdentityRequestContext) async throws -> Response {
        try await paged(request, context) {
            guard let part = AccountPart(segment: context.parameters.get("part")) else {
                throw RequestFault.unknownPath
            }
            var visit = try await visit(request, context)
            guard let client = try await engine.accountPage(of: visit.tenant) else { throw RequestFault.unknownPath }
            visit.client = client
            if request.method == .post { return try await change(part, request, visit) }
            let ticket = try await take(try query(of: request), for: client.id, challenge: nil, &visit)
            switch ticket {
            case nil: return try await show(part, visit)
            case .asks(let question): return try await ask(question, part, visit)
            // Without the ticket in the address.
            case .opened, .alreadySignedIn, .unusable:
                return opening(ticket, Self.seeOther(visit.path(of: part)), visit)
            }
        }
    }

    private func query(of request: Request) throws -> FormFields {
        do {
            return try FormFields(decoding: (request.uri.query ?? "").utf8)
        } catch {
            throw RequestFault.malformed(error)
        }
    }

    private func ask(_ question: TicketQuestion, _ part: AccountPart, _ visit: HostedVisit) async throws -> Response {
        try store(
            flow(.fromApp(question), part, visit), HostedHandle.new(visit.now, engine.ports.randomness), visit)
    }

    private func caller(of visit: HostedVisit) async throws -> DirectoryCaller? {
        guard let client = visit.client, let cookie = visit.cookies.session,
            let signIn = try await engine.admitted(visit.signIn, to: client.id, now: visit.now)
        else { return nil }
        return try await engine.accountCaller(signIn, cookie: cookie, of: client, in: visit.tenant, now: visit.now)
    }

    private func show(_ part: AccountPart, _ visit: HostedVisit) async throws -> Response {
        if part == .ended {
            return visit.signIn == nil ? HostedPage.ended(visit) : Self.seeOther(visit.path(of: .overview))
        }
        guard let caller = try await caller(of: visit) else {
            return try await first(flow(.enterName(isSignUp: false), part, visit), visit)
        }
        if let needed = part.neededProof(of: caller, now: visit.now) {
            return try await first(flow(proving: needed, part, caller, visit), visit)
        }
        if part == .password, !caller.mayHavePassword { return Self.seeOther(visit.path(of: .overview)) }
        return try await page(part, caller, visit)
    }

    /// The first page of a flow, which writes nothing.
    private func first(_ flow: HostedFlow, _ visit: HostedVisit) async throws -> Response {
        try await page(flow, HostedHandle.new(visit.now, engine.ports.randomness), visit, isFirst: true)
    }

    private func flow(
        _ step: HostedStep, _ part: AccountPart, _ visit: HostedVisit, _ request: AuthorizationRequest? = nil
    ) -> HostedFlow {
        var flow = HostedFlow(
            request ?? .accountPage(at: address(visit)), step, language: visit.language.language.rawValue,
            now: visit.now)
        flow.account = part
        return flow
    }

    private func address(_ visit: HostedVisit) -> String {
        "\(engine.settings.baseURL)/\(visit.tenant.id)/account"
    }

    /// The flow in which the user signs in again. Only the same user can end it.
    private func flow(
        proving needed: NeededProof, _ part: AccountPart, _ caller: DirectoryCaller, _ visit: HostedVisit
    ) -> HostedFlow {
        flow(
            .proveAgain(byReset: needed.isByReset), part, visit,
            .accountPage(
                at: address(visit), prompts: needed.prompts, contexts: needed.contexts,
                hint: caller.account.user.email, subject: engine.accountSubject(of: caller)))
    }

    // MARK: - Changes

    private func change(_ part: AccountPart, _ request: Request, _ visit: HostedVisit) async throws -> Response {
        try Self.checkSite(request, baseURL: engine.settings.baseURL)
        let form = try await Self.pageForm(of: request)
        guard let browser = visit.cookies.browser else { throw HostedFault.noCookies }
        let (session, user) = (try Console.value(".session", of: form), try Console.value(".user", of: form))
        guard
            engine.isFormToken(
                try Console.value(".form", of: form),
                AccountForm.parts(part, session: session, user: user, browser: browser), in: visit.tenant.id)
        else { throw HostedFault.foreignForm }
        guard let caller = try await caller(of: visit), caller.session?.text == session else {
            // The form of a session that has ended, or of another user in this browser.
            if part == .deletion, visit.signIn == nil, let id = UUID(uuidString: user).map({ UserID($0) }),
                try await engine.isEnding(id, in: visit.tenant)
            {
                return Self.seeOther(visit.path(of: .ended))
            }
            if part == .password, visit.signIn == nil, let cookie = visit.cookies.session {
                // A user without a password sent no present one.
                let given = try passwords(form)
                let context = visit.caller(Client.accountPageID, .account)
                if let session = try await engine.sessionOfRepeatedChange(
                    given.current, to: given.new, form: try Console.value(".once", of: form), session: session,
                    cookie: cookie, in: context)
                {
                    return passwordChanged(after: cookie, of: session, visit)
                }
            }
            return Self.seeOther(visit.path(of: part))
        }
        let provider = part == .methods ? try Console.optional(".provider", of: form) : nil
        let action = try provider.map { _ in "connect" } ?? Console.value(".action", of: form)
        let isKeeping = part == .deletion && action == "keep"
        let needed =
            isKeeping
            ? caller.neededProof(isFresh: false, now: visit.now)
            : part.neededProof(of: caller, for: action, now: visit.now)
        if let needed { return try prove(needed, part, caller, visit) }
        // The end of all sessions is the last defence of an owner. That of the others counts apart: it adds a line to the audit
        // trail and leaves the session that asks, and other changes do not use it up.
        let isOfSessions = [.overview, .sessions].contains(part)
        if isOfSessions, action == "others" {
            try visit.context.admit(.profileChange, of: caller.limitKey + Data("/others".utf8))
        } else if !isOfSessions || !["here", "all"].contains(action) {
            try visit.context.admit(.profileChange, of: caller.limitKey)
        }
        switch part {
        case .overview, .sessions: return try await changeSessions(action, form, caller, visit)
        case .data: return try await changeData(form, caller, visit)
        case .email: return try await addContact(.email, part, form, caller, visit)
        case .password: return try await changePassword(form, caller, visit)
        case .methods:
            if action == "add" { return try await addContact(.method, part, form, caller, visit) }
            if action == "add-phone" { return try await addPhone(part, form, caller, visit) }
            if action == "make-codes" { return try await makeCodes(form, caller, visit) }
            if action == "add-app" { return try await begin(.addApp, part, form, caller, visit) }
            if let provider { return try await begin(.addIdentity(provider, isWeb: true), part, form, caller, visit) }
            if action == "add-passkey", visit.offersPasskeys {
                return try await begin(.addPasskey(), part, form, caller, visit)
            }
            return try await changeMethods(action, form, caller, visit)
        case .copy: return try await copy(of: caller, visit)
        case .deletion:
            if isKeeping {
                let answer = try await engine.keepAccount(of: caller, from: source(visit), now: visit.now)
                return try await done(answer, .overview, form, caller, visit)
            }
            guard action == "delete" else { return Self.seeOther(visit.path(of: part)) }
            return try await delete(form, caller, visit)
        case .ended: return Self.seeOther(visit.path(of: .ended))
        }
    }

    private func source(_ visit: HostedVisit) -> RequestSource? { visit.context.source?.forEngine }

    private func prove(
        _ needed: NeededProof, _ part: AccountPart, _ caller: DirectoryCaller, _ visit: HostedVisit
    ) throws -> Response {
        try store(
            flow(proving: needed, part, caller, visit), HostedHandle.new(visit.now, engine.ports.randomness), visit)
    }

    private func changeData(
        _ form: FormFields, _ caller: DirectoryCaller, _ visit: HostedVisit
    ) async throws -> Response {
        let view = AccountView(caller: caller, profile: engine.profile(of: caller))
        let changes = try view.changes { try Console.value($0, of: form) }
        if let empty = changes.first(where: { change in
            change.content == .remove && view.attributes.contains { $0.name == change.name && $0.isRequired }
        }) {
            return try await page(
                .data, caller, visit, problem: HostedProblem(phrase: .missing, field: empty.name), typed: form)
        }
        let answer = try await engine.updateProfile(
            of: caller, changes, ifVersion: try Console.value(".version", of: form), from: source(visit),
            now: visit.now)
        return try await done(answer, .data, form, caller, visit)
    }

    private func addContact(
        _ kind: ContactChange.Kind, _ part: AccountPart, _ form: FormFields, _ caller: DirectoryCaller,
        _ visit: HostedVisit
    ) async throws -> Response {
        let contact = String(try Console.value("contact", of: form)[...].trimmingBlanks())
        guard !contact.isEmpty, contact.utf8.count <= AuthorizeCodec.longestHint else {
            let phrase: PagePhrase = contact.isEmpty ? .missing : .badEmail
            return try await page(
                part, caller, visit, problem: HostedProblem(phrase: phrase, field: "contact"), typed: form)
        }
        return try await begin(.addContact(contact, kind), part, form, caller, visit)
    }

    private func addPhone(
        _ part: AccountPart, _ form: FormFields, _ caller: DirectoryCaller, _ visit: HostedVisit
    ) async throws -> Response {
        let number = String(try Console.value("phone", of: form)[...].trimmingBlanks())
        guard !number.isEmpty, number.utf8.count <= AuthorizeCodec.longestHint else {
            let phrase: PagePhrase = number.isEmpty ? .missing : .badPhone
            return try await page(
                part, caller, visit, problem: HostedProblem(phrase: phrase, field: "phone"), typed: form)
        }
        return try await begin(.addPhone(number), part, form, caller, visit)
    }

    /// Begins a change of the account that takes another page.
    private func begin(
        _ command: AccountCommand, _ part: AccountPart, _ form: FormFields, _ caller: DirectoryCaller,
        _ visit: HostedVisit
    ) async throws -> Response {
        var flow = flow(.enterAccountCode(target: ""), part, visit)
        flow.session = caller.session
        let handle = HostedHandle.new(visit.now, engine.ports.randomness)
        let driver = HostedDriver(routes: self, visit: visit, request: visit.request, handle: handle)
        switch try await driver.begin(command, of: caller, flow) {
        case .progress(var next):
            next.number = flow.number + 1
            return try store(next, handle, visit)
        case .refused(var problem, _):
            // The address is one, so the account has it already.
            if case .addContact(let contact, _) = command, problem.phrase == .badEmail, contact.contains("@") {
                problem.phrase = .addressNotUsable
            }
            if case .addPhone = command {
                problem.phrase = problem.phrase.aboutPhone
                if problem.field == "contact" { problem.field = "phone" }
            }
            if case .addPasskey = command, problem.phrase == .appNotAllowed { problem.phrase = .passkeyNotAllowed }
            return try await page(part, caller, visit, problem: problem, typed: form)
        case .changed: return Self.seeOther(visit.path(of: part, .saved))
        case .gaveUp(let notice): return Self.seeOther(visit.path(of: part, notice))
        case .finished, .answered, .codes: return Self.seeOther(visit.path(of: part))
        }
    }

    private func changePassword(
        _ form: FormFields, _ caller: DirectoryCaller, _ visit: HostedVisit
    ) async throws -> Response {
        let given = try passwords(form)
        let command = AccountCommand.changePassword(
            current: given.current, new: given.new, keepsOtherSessions: false,
            form: try Console.value(".once", of: form))
        let outcome = try await outcome(
            of: .account(caller, command), in: visit.caller(Client.accountPageID, .account), visit.context)
        switch outcome.verdict {
        case .refused(.secondFactorNeeded):
            // After many wrong passwords a password alone is not enough: the next sign-in asks for a code, too (SEC-LOCK-6).
            return try prove(.signIn, .password, caller, visit)
        case .refused(let refusal):
            guard let problem = HostedProblem(refusal) else { return Self.seeOther(visit.path(of: .password)) }
            return try await page(.password, caller, visit, problem: problem, typed: form)
        case .accepted:
            guard let cookie = visit.cookies.session, let session = visit.signIn?.session else {
                return Self.seeOther(visit.path(of: .overview))
            }
            return passwordChanged(after: cookie, of: session, visit)
        }
    }

    /// The passwords of the form. It has no field for a present one when there is none.
    private func passwords(_ form: FormFields) throws -> (current: Secret<String>?, new: Secret<String>) {
        let current = try Console.optional("password", of: form).map { V1Codec.bounded(Secret($0)) }
        return (current, V1Codec.bounded(Secret(try Console.value("new-password", of: form))))
    }

    private func passwordChanged(
        after cookie: Secret<String>, of session: BrowserSession, _ visit: HostedVisit
    ) -> Response {
        var response = Self.seeOther(visit.path(of: .overview, .passwordChanged))
        let field = visit.cookies.settingSession(
            engine.renewedCookie(after: cookie, in: visit.tenant.id), lifetime: session.cookieLifetime)
        response.headers.append(HTTPField(name: .setCookie, value: field))
        return response
    }

    private func changeMethods(
        _ action: String, _ form: FormFields, _ caller: DirectoryCaller, _ visit: HostedVisit
    ) async throws -> Response {
        guard let id = UUID(uuidString: try Console.value("method", of: form)) else {
            return Self.seeOther(visit.path(of: .methods))
        }
        if action == "rename" {
            let name = String(try Console.value("name", of: form)[...].trimmingBlanks())
            let answer = try await engine.renameMethod(
                id, to: name.isEmpty ? nil : name, of: caller, from: source(visit), now: visit.now)
            return try await done(answer, .methods, form, caller, visit)
        }
        guard action == "remove" else { return Self.seeOther(visit.path(of: .methods)) }
        let answer = try await engine.removeMethod(
            id, of: caller, language: caller.language(orElse: visit.language.language), from: source(visit),
            now: visit.now)
        return try await done(answer, .methods, form, caller, visit)
    }

    /// The new codes are in this answer alone: a request that is sent again makes others.
    private func makeCodes(
        _ form: FormFields, _ caller: DirectoryCaller, _ visit: HostedVisit
    ) async throws -> Response {
        let answer = try await engine.makeRecoveryCodes(
            of: caller, language: caller.language(orElse: visit.language.language), from: source(visit),
            now: visit.now)
        switch answer {
        case .accepted(let codes): return try await page(.methods, caller, visit, codes: codes)
        case .refused: return try await done(answer, .methods, form, caller, visit)
        }
    }

    private func changeSessions(
        _ action: String, _ form: FormFields, _ caller: DirectoryCaller, _ visit: HostedVisit
    ) async throws -> Response {
        switch action {
        case "here":
            if let session = visit.signIn?.session {
                _ = try await engine.endBrowserSession(session, for: nil, from: source(visit), now: visit.now)
            }
            return signedOut(visit)
        case "all":
            switch try await engine.end(.all, of: caller, from: source(visit), now: visit.now) {
            case .accepted: return signedOut(visit)
            case .refused: return Self.seeOther(visit.path(of: .sessions))
            }
        case "others":
            let answer = try await engine.end(.others, of: caller, from: source(visit), now: visit.now)
            return try await done(answer, .sessions, form, caller, visit)
        case "end":
            let sessions = try await engine.sessions(of: caller, now: visit.now)
            let asked = UUID(uuidString: try Console.value("session", of: form))
            guard let session = sessions.first(where: { $0.id == asked }) else {
                return Self.seeOther(visit.path(of: .sessions))
            }
            let answer = try await engine.end(.one(session.id), of: caller, from: source(visit), now: visit.now)
            // An application that this browser signed in ends with the browser's session.
            if case .accepted = answer, [session.id, session.browser].contains(caller.session) {
                return signedOut(visit)
            }
            return try await done(answer, .sessions, form, caller, visit)
        case "forget":
            guard let device = UUID(uuidString: try Console.value("device", of: form)) else {
                return Self.seeOther(visit.path(of: .sessions))
            }
            let answer = try await engine.forgetDevice(device, of: caller, from: source(visit), now: visit.now)
            return try await done(answer, .sessions, form, caller, visit)
        case "withdraw":
            guard let client = ClientID(try Console.value("client", of: form)) else {
                return Self.seeOther(visit.path(of: .sessions))
            }
            let answer = try await engine.withdrawConsent(
                to: client, of: caller, from: source(visit), now: visit.now)
            return try await done(answer, .sessions, form, caller, visit)
        case _: return Self.seeOther(visit.path(of: .sessions))
        }
    }

    private func copy(of caller: DirectoryCaller, _ visit: HostedVisit) async throws -> Response {
        var response = try await export(of: caller, visit.context)
        response.headers[.contentDisposition] = "attachment; filename=\"account.json\""
        response.headers[HostedHeader.resourcePolicy] = "same-origin"
        return response
    }

    private func delete(
        _ form: FormFields, _ caller: DirectoryCaller, _ visit: HostedVisit
    ) async throws -> Response {
        // A second proof that the user means it: a click alone is made too easily.
        let typed = String(try Console.value("contact", of: form)[...].trimmingBlanks())
        guard typed.lowercased() == caller.account.user.email.lowercased() else {
            return try await page(
                .deletion, caller, visit, problem: HostedProblem(phrase: .typeAddress, field: "contact"), typed: form)
        }
        let answer = try await engine.deleteAccount(
            of: caller, language: caller.language(orElse: visit.language.language), from: source(visit),
            now: visit.now)
        switch answer {
        case .accepted: return ending(Self.seeOther(visit.path(of: .ended)), visit)
        case .refused: return try await done(answer, .deletion, form, caller, visit)
        }
    }

    // MARK: - Answers

    private func signedOut(_ visit: HostedVisit) -> Response {
        ending(Self.seeOther("\(visit.path)/\(MetadataEndpoint.logout.rawValue)"), visit)
    }

    /// The browser has no session any more, and no flow that was begun with it.
    private func ending(_ response: Response, _ visit: HostedVisit) -> Response {
        var response = response
        for field in [visit.cookies.endingSession] + visit.cookies.endingFlows {
            response.headers.append(HTTPField(name: .setCookie, value: field))
        }
        return response
    }

    /// The answer to a change: the page again, with the problem or anew.
    private func done<Value>(
        _ answer: DirectoryAnswer<Value>, _ part: AccountPart, _ form: FormFields, _ caller: DirectoryCaller,
        _ visit: HostedVisit
    ) async throws -> Response {
        switch answer {
        case .accepted: return Self.seeOther(visit.path(of: part, .saved))
        case .refused(let refusal):
            guard var problem = HostedProblem(refusal) else { return Self.seeOther(visit.path(of: part)) }
            // Each entry of a list has its own fields.
            if part != .data { problem.field = nil }
            return try await page(part, caller, visit, problem: problem, typed: form)
        }
    }

    private func page(
        _ part: AccountPart, _ caller: DirectoryCaller, _ visit: HostedVisit, problem: HostedProblem? = nil,
        typed: FormFields? = nil, codes: [RecoveryCode] = []
    ) async throws -> Response {
        var view = AccountView(caller: caller, profile: engine.profile(of: caller))
        view.takesTexts = engine.texts(of: visit.tenant) != nil
        view.offersPasskeys = visit.offersPasskeys
        view.providers = visit.tenant.providers.filter { $0.web != nil }
        view.codes = codes
        if part == .sessions {
            view.sessions = try await engine.sessions(of: caller, now: visit.now)
            for device in try await engine.rememberedDevices(of: caller, now: visit.now) {
                let client = try await engine.application(named: device.client, in: visit.tenant)
                view.devices.append(
                    (
                        device, client?.displayName ?? device.client.description,
                        engine.isDevice(device, of: visit.cookies.devices)
                    ))
            }
            for consent in try await engine.consents(of: caller.user, in: visit.tenant.id) {
                let client = try await engine.application(named: consent.client, in: visit.tenant)
                view.consents.append((consent.client, client?.displayName ?? consent.client.description))
            }
        }
        let browser = visit.cookies.browser ?? Base64URL.encode(engine.ports.randomness.bytes(16))
        let (session, user) = (caller.session?.text ?? "", caller.user.description)
        func form(_ part: AccountPart) -> AccountForm {
            AccountForm(
                action: visit.path(of: part),
                token: engine.formToken(
                    AccountForm.parts(part, session: session, user: user, browser: browser), in: visit.tenant.id),
                session: session, user: user,
                once: part == .password ? Base64URL.encode(engine.ports.randomness.bytes(16)) : nil)
        }
        let page = HostedPage.account(part, view, visit, problem: problem, typed: typed, form: form)
        var response = page.response(problem == nil ? .ok : .unprocessableContent)
        if visit.cookies.browser == nil {
            response.headers.append(HTTPField(name: .setCookie, value: visit.cookies.settingBrowser(browser)))
        }
        return response
    }
}

extension HostedProblem {
    /// What a page says about a refusal of the directory; nil when the page, as it is now, says enough.
    fileprivate init?(_ refusal: DirectoryRefusal) {
        switch refusal {
        case .unknownProperty(let name), .readOnlyProperty(let name), .invalidValue(let name):
            // A method's name is called so in the directory, too.
            self.init(phrase: .badField(name), field: name)
        case .nameTaken(let name): self.init(phrase: .nameTaken, field: name)
        case .changedMeanwhile: self.init(phrase: .changedElsewhere)
        case .lastMethod: self.init(phrase: .lastMethod)
        case .step(let refusal):
            guard let problem = HostedProblem(refusal) else { return nil }
            self = problem
        case .invalidToken, .insufficientScope, .applicationDisabled, .proofNeeded, .notFound,
            .anotherOperatorNeeded, .addressAlone, .tooManyRequests:
            return nil
        }
    }
}
