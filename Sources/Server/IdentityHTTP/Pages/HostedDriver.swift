import Hummingbird
import IdentityEngine
import Logging
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// What a form of a hosted page leads to.
enum HostedResult: Sendable {
    case progress(HostedFlow)
    case refused(HostedProblem, HostedFlow)
    case finished(BrowserTicket, HostedFlow)
    /// The flow ends with an error for the client.
    case answered(AuthorizeError)
    /// New recovery codes, which the page of this answer shows once.
    case codes([RecoveryCode], HostedFlow)
    /// A change of the account is made.
    case changed(HostedFlow)
    /// A change of the account is not made, and its flow is over.
    case gaveUp(HostedNotice)
}

/// Turns a form into commands, one after another until a page has to ask, and the last outcome into the next page's state.
/// It holds no order of steps: the engine says what is next.
struct HostedDriver: Sendable {
    let routes: IdentityRoutes
    let visit: HostedVisit
    let request: Request
    /// That of the flow's pages.
    let handle: String

    /// A browser can use passkeys where the tenant binds them to the host of these pages. A word that the tenant does not need is not
    /// in the tokens, which a node of an older version may have to read.
    var accepted: Set<ChallengeType> {
        Set(ChallengeType.allCases).subtracting(visit.offersPasskeys ? [] : [.passkey])
            .subtracting(visit.tenant.offersApps ? [] : [.authenticatorApp])
    }
    static let capabilities = Set(ClientAbility.allCases)

    /// Takes the step of a form.
    func take(_ form: FormFields, _ flow: HostedFlow) async throws -> HostedResult {
        let result = try await taken(form, flow)
        // Where the flow is a device's, an error for the client is the answer to the device.
        guard case .answered = result, let device = flow.request.device else { return result }
        let declined = try await routes.engine.decline(
            device, as: visit.signIn, in: visit.caller(flow))
        var flow = flow
        flow.token = nil
        flow.step = .deviceAnswered(declined ? .declined : .over)
        return .progress(flow)
    }

    private func taken(_ form: FormFields, _ flow: HostedFlow) async throws -> HostedResult {
        func value(_ name: String) throws -> String { try Console.value(name, of: form) }
        func secret(_ name: String) throws -> Secret<String> { Secret(try value(name)) }
        // Longer values are not of our pages, and slow to compare (SEC-SWIFT-2).
        let given = try value(".action")
        let action = given.utf8.count <= 16 ? given : ""
        var flow = flow
        if action == "cancel" { return .answered(AuthorizeError(.cancelled)) }
        if action == "decline" { return .answered(AuthorizeError(.declined)) }
        if action == "restart" {
            // At a password it means another account; at a code, another try.
            if flow.step == .enterPassword { flow.username = nil }
            var isSignUp = false
            if case .enterCode(.signUp, _) = flow.step { isSignUp = true }
            flow.restart(isSignUp: isSignUp)
            return .progress(flow)
        }
        // The proofs of a session end with it.
        if let session = flow.session, visit.signIn?.session.id != session {
            if flow.step.changesAccount { return .gaveUp(.over) }
            flow.restart(isSignUp: false)
            return .progress(flow)
        }
        switch flow.step {
        case .enterName(let isSignUp):
            if action == "switch" {
                flow.username = try value("username").prefixOfHint
                flow.restart(isSignUp: !isSignUp)
                return .progress(flow)
            }
            if action == "passkey" {
                flow.username = try value("username").prefixOfHint
                return try await startPasskey(flow)
            }
            let suggestion = flow.suggestion
            flow.suggestion = nil
            if let answer = try Console.optional("passkey", of: form), !answer.isEmpty, let suggestion {
                var asked = flow
                asked.token = suggestion
                // A refused one is asked for again on its own page.
                asked.step = .usePasskey(options: "")
                let result = try await step(.submitPasskey(Secret(answer), tokens(asked)), asked)
                guard case .refused(let problem, let next) = result, next.step == asked.step else { return result }
                return .refused(problem, flow)
            }
            if let provider = try Console.optional(".provider", of: form) {
                flow.username = try value("username").prefixOfHint
                return try await start(provider, flow)
            }
            let name = String(try value("username")[...].trimmingBlanks())
            guard !name.isEmpty, name.utf8.count <= AuthorizeCodec.longestHint else {
                return .refused(HostedProblem(phrase: name.isEmpty ? .missing : .badEmail, field: "username"), flow)
            }
            flow.username = name
            if !isSignUp, visit.takesNumbers, name.isNumberWithoutCountry {
                return .refused(HostedProblem(phrase: .badPhone, field: "username"), flow)
            }
            return try await drive(isSignUp ? signUp(name) : signIn(name), flow)
        case .enterPassword:
            if action == "forgot", let name = flow.username {
                return try await drive(reset(name), flow)
            }
            flow.keeps = try value("keep") == "1"
            let password = V1Codec.bounded(try secret("password"))
            return try await step(.submitSignInPassword(password, tokens(flow)), flow)
        case .enterCode(let purpose, _):
            flow.remembers = try flow.rememberableFor != nil && value("remember") == "1"
            if action == "resend" { return try await resend(purpose, flow) }
            if action == "others", purpose == .contact {
                flow.step = .enterContact(suggestion: "")
                return try await step(.introspectRegistration, flow, choosing: true)
            }
            if action == "others" { return try await step(.introspectMethods, flow, choosing: true) }
            let code = try secret("code")
            if purpose == .signIn { flow.keeps = try value("keep") == "1" }
            let command: StepCommand =
                switch purpose {
                case .signUp: .submitSignUpCode(code)
                case .signIn: .submitSignInCode(code, tokens(flow))
                case .secondFactor: .submitSecondFactor(code, tokens(flow))
                case .contact: .submitContactCode(code)
                case .reset: .submitResetCode(code)
                }
            return try await step(command, flow)
        case .enterAppCode, .enterRecoveryCode:
            if action == "others" { return try await step(.introspectMethods, flow, choosing: true) }
            flow.remembers = try flow.rememberableFor != nil && value("remember") == "1"
            return try await step(.submitSecondFactor(try secret("code"), tokens(flow)), flow)
        case .usePasskey:
            if action == "others" { return try await step(.introspectMethods, flow, choosing: true) }
            return try await step(.submitPasskey(try secret("passkey"), tokens(flow)), flow)
        case .choosePassword(let isReset):
            let password = V1Codec.bounded(try secret("new-password"))
            return try await step(isReset ? .submitNewPassword(password) : .submitSignUpPassword(password), flow)
        case .collectAttributes(let attributes):
            return try await step(.submitSignUpAttributes(try submitted(attributes, form)), flow)
        case .chooseMethod(let methods):
            let id = try value("method")
            guard methods.contains(where: { $0.id == id }) else {
                return .refused(HostedProblem(phrase: .missing, field: "method"), flow)
            }
            // What is to be added has the name of its kind.
            switch id {
            case SignInState.passkeyID: return try await step(.challengeNewPasskey, flow)
            case SignInState.appID: return try await step(.challengeNewApp, flow)
            case SignInState.phoneContactID:
                flow.step = .enterPhone
                return .progress(flow)
            case _: break
            }
            flow.method = id
            return try await step(.challengeSignIn(method: id, accepted: accepted), flow)
        case .enterContact, .enterPhone:
            if action == "others" {
                guard flow.step != .enterPhone else {
                    return try await step(.introspectRegistration, flow, choosing: true)
                }
                flow.step = .enterPhone
                return .progress(flow)
            }
            return try await step(
                .challengeContact(
                    String(try value("contact")[...].trimmingBlanks()),
                    channel: flow.step == .enterPhone ? SignInState.phoneContactID : SignInState.emailContactID), flow)
        case .confirm:
            if action == "other" {
                flow.username = nil
                flow.restart(isSignUp: false)
                return .progress(flow)
            }
            // The page says who is signed in: another tab may have changed that.
            if flow.request.device != nil, try value("user") != visit.signIn?.account.user.id.description {
                if visit.signIn == nil { flow.restart(isSignUp: false) }
                return .progress(flow)
            }
            return try await confirm(flow)
        case .renewCodes(let asks): return try await renewCodes(action, asks: asks, flow)
        // `IdentityRoutes` takes this step: it gives the browser a session.
        case .fromApp: return .progress(flow)
        case .proveAgain(let byReset):
            return try await action == "passkey" ? startPasskey(flow) : proveAgain(byReset: byReset, flow)
        case .enterAccountCode:
            guard let user = visit.signIn?.account.user.id else { return .gaveUp(.over) }
            return try await step(
                action == "resend" ? .challengeAccount(user) : .submitAccountCode(try secret("code"), user), flow)
        case .addApp:
            guard let user = visit.signIn?.account.user.id else { return .gaveUp(.over) }
            return try await step(.submitAccountCode(try secret("code"), user), flow)
        case .createPasskey:
            guard let user = visit.signIn?.account.user.id else { return .gaveUp(.over) }
            return try await step(.createPasskey(try value("passkey"), name: nil, user), flow)
        case .registerPasskey:
            if action == "others" { return try await step(.introspectRegistration, flow, choosing: true) }
            return try await step(.createPasskey(try value("passkey"), name: nil, nil), flow)
        case .registerApp:
            if action == "others" { return try await step(.introspectRegistration, flow, choosing: true) }
            return try await step(.confirmNewApp(try secret("code")), flow)
        // Another way to sign in; the provider's own way back is `IdentityRoutes.providerCallback`.
        case .atProvider:
            if flow.step.changesAccount { return .gaveUp(.over) }
            flow.restart(isSignUp: false)
            return .progress(flow)
        case .nameMailbox:
            let name = String(try value("username")[...].trimmingBlanks())
            flow.username = name.prefixOfHint
            return try await step(.challengeSignUp(target: name, accepted: accepted), flow)
        case .dead(.policy): return .answered(AuthorizeError(.policyUnsatisfied))
        case .dead(.over), .dead(.blocked):
            flow.restart(isSignUp: false)
            return .progress(flow)
        case .answered, .deviceAnswered: return .progress(flow)
        }
    }

    /// The user goes on with the session of the browser.
    func confirm(_ flow: HostedFlow) async throws -> HostedResult {
        var flow = flow
        // Another tab may have signed another user in: the page shows that one first.
        guard flow.shown == nil || flow.shown == visit.signIn?.account.user.id else {
            flow.shown = visit.signIn?.account.user.id
            if visit.signIn == nil { flow.restart(isSignUp: false) }
            return .progress(flow)
        }
        let caller = visit.caller(flow)
        let verdict: AuthorizationVerdict
        if let device = flow.request.device {
            switch try await routes.engine.allow(device, flow.request, as: visit.signIn, in: caller) {
            case .first(let other): verdict = other
            case .allowed:
                flow.step = .deviceAnswered(.allowed)
                return .progress(flow)
            case .over:
                flow.step = .deviceAnswered(.over)
                return .progress(flow)
            }
        } else {
            let judged = try await routes.engine.authorize(
                flow.request, as: visit.signIn, isConfirmed: true, in: caller)
            if let code = judged.code { return .finished(BrowserTicket(cookie: nil, code: code), flow) }
            if case .code = judged.verdict, flow.account != nil {
                return .finished(BrowserTicket(cookie: nil, code: nil), flow)
            }
            verdict = judged.verdict
        }
        switch verdict {
        case .refused(let refusal): return .answered(AuthorizeError(refusal))
        case .stepUp:
            guard let signIn = visit.signIn else { break }
            let begun = try await routes.engine.beginStepUp(signIn, in: visit.caller(flow))
            guard let token = begun.token else { break }
            flow.username = signIn.account.user.email
            flow.session = signIn.session.id
            return try await drive(.step(token, .redeem(tokens(flow))), flow)
        case .signIn, .signUp, .confirm, .code: break
        }
        // The session has ended meanwhile, or is too old.
        flow.restart(isSignUp: false)
        return .progress(flow)
    }

    /// The user begins the sign-in that a change of the account needs.
    private func proveAgain(byReset: Bool, _ flow: HostedFlow) async throws -> HostedResult {
        guard let signIn = visit.signIn, let name = flow.username, byReset || flow.request.prompts.contains(.login)
        else {
            return try await confirm(flow)
        }
        // A form of a page that another user's sign-in has overtaken.
        guard signIn.account.user.email == name else { return .gaveUp(.over) }
        if byReset { return try await drive(reset(name), flow) }
        return try await drive(self.signIn(name), flow)
    }

    /// Begins a change of the account that needs a code.
    func begin(_ command: AccountCommand, of caller: DirectoryCaller, _ flow: HostedFlow) async throws -> HostedResult {
        try await drive(.account(caller, command), flow)
    }

    /// What a browser needs to suggest passkeys at the field of the name, while its page stays.
    ///
    /// - Returns: The options, a JSON text, and the flow that takes the answer; nil: there is nothing to suggest.
    func suggestion(in flow: HostedFlow) async throws -> (options: String, flow: HostedFlow)? {
        guard visit.offersPasskeys else { return nil }
        let caller = visit.caller(flow)
        func take(_ command: Command) async throws -> Outcome {
            try await visit.context.admitted(command) { try await routes.engine.handle(command, in: caller) }
        }
        // The page stays, and so does its flow: another question takes the place of the one before.
        var outcome: Outcome?
        if let token = flow.suggestion {
            outcome = try await take(
                .step(ContinuationToken(token), .challengeSignIn(method: nil, accepted: accepted)))
        }
        if outcome?.options == nil {
            guard try visit.context.admitSuggestion() else { return nil }
            let begun = try await take(
                .startPasskey(PasskeyStart(accepted: accepted, capabilities: Self.capabilities)))
            guard let token = begun.token else { return nil }
            outcome = try await take(.step(token, .challengeSignIn(method: nil, accepted: accepted)))
        }
        guard let outcome, let options = outcome.options else { return nil }
        var flow = flow
        flow.suggestion = outcome.token?.secret.reveal() ?? flow.suggestion
        return (try Self.text(of: options), flow)
    }

    /// Begins a sign-in whose user the passkey names.
    private func startPasskey(_ flow: HostedFlow) async throws -> HostedResult {
        var flow = flow
        flow.method = nil
        flow.hasOtherMethods = nil
        return try await drive(
            .startPasskey(PasskeyStart(accepted: accepted, capabilities: Self.capabilities)), flow)
    }

    /// Asks for the passkey once more: a refused answer has spent its challenge.
    private func askAgain(_ flow: HostedFlow) async throws -> HostedResult {
        let command: StepCommand
        if flow.step.changesAccount {
            guard let user = visit.signIn?.account.user.id else { return .gaveUp(.over) }
            command = .challengeAccount(user)
        } else if case .registerPasskey = flow.step {
            command = .challengeNewPasskey
        } else {
            command = .challengeSignIn(method: flow.method, accepted: accepted)
        }
        let asked = try await step(command, flow)
        guard case .progress(let next) = asked, next.step.asksForPasskey else { return asked }
        return .refused(HostedProblem(phrase: .passkeyRefused), next)
    }

    private func reset(_ name: String) -> Command {
        .startReset(UsernameRequest(username: name, accepted: accepted, capabilities: Self.capabilities))
    }

    private func signIn(_ name: String) -> Command {
        .startSignIn(UsernameRequest(username: name, accepted: accepted, capabilities: Self.capabilities))
    }

    private func signUp(_ name: String) -> Command {
        .startSignUp(
            SignUpRequest(
                username: name, password: nil, attributes: SubmittedAttributes(), accepted: accepted,
                capabilities: Self.capabilities))
    }

    func tokens(_ flow: HostedFlow) -> TokenRequest {
        var request = TokenRequest(
            scopes: flow.request.scopes, contexts: flow.request.contexts,
            browser: BrowserFinish(
                request: flow.request, keepsSession: flow.keeps, present: visit.signIn?.session))
        request.remembersDevice = flow.remembers == true
        return request
    }

    private func resend(_ purpose: HostedStep.CodePurpose, _ flow: HostedFlow) async throws -> HostedResult {
        let command: StepCommand =
            switch purpose {
            case .signUp: .challengeSignUp(accepted: accepted)
            case .signIn: .challengeSignIn(method: nil, accepted: accepted)
            case .secondFactor: .challengeSignIn(method: flow.method, accepted: accepted)
            case .contact: .introspectRegistration
            case .reset: .challengeReset(accepted: accepted)
            }
        return try await step(command, flow)
    }

    /// The values of a page of attributes. A box that is not ticked is not sent.
    private func submitted(_ attributes: [RequiredAttribute], _ form: FormFields) throws -> SubmittedAttributes {
        var values: [(name: String, value: AttributeValue?)] = []
        for attribute in attributes {
            let text = String(try Console.value(attribute.name, of: form)[...].trimmingBlanks())
            switch attribute.type {
            case "boolean": values.append((attribute.name, .boolean(text == "1")))
            case "integer" where !text.isEmpty: values.append((attribute.name, Int(text).map { .integer($0) }))
            case _ where text.isEmpty: if attribute.isRequired { values.append((attribute.name, .string(""))) }
            case _: values.append((attribute.name, .string(text)))
            }
        }
        return SubmittedAttributes(values)
    }

    /// - Parameter choosing: Whether the user asked for the list of methods.
    func step(
        _ command: StepCommand, _ flow: HostedFlow, choosing: Bool = false
    ) async throws -> HostedResult {
        guard let token = flow.token else { return .progress(over(flow)) }
        return try await drive(.step(ContinuationToken(token), command), flow, choosing: choosing)
    }

    private func over(_ flow: HostedFlow) -> HostedFlow {
        var flow = flow
        flow.token = nil
        flow.step = .dead(.over)
        return flow
    }

    /// Takes steps until the engine needs the user, or refuses.
    func drive(
        _ first: Command, _ start: HostedFlow, choosing: Bool = false
    ) async throws -> HostedResult {
        var flow = start
        var command = first
        var offered: [OfferedMethod] = []
        // Each flow has less than ten steps: the bound only keeps a mistake here from running on.
        for _ in 0..<12 {
            let outcome = try await routes.outcome(
                of: command, in: visit.caller(flow), visit.context)
            let interaction: Interaction
            switch outcome.verdict {
            // The usual method is blocked for a while: the user chooses another one, or is told when it is asked for.
            case .refused(.throttled) where offered.count > 1, .refused(.blockedContact) where offered.count > 1:
                flow.step = .chooseMethod(offered)
                return .progress(flow)
            case .refused(.passkeyRefused) where flow.step.asksForPasskey: return try await askAgain(flow)
            case .refused(let refusal): return refused(refusal, flow)
            case .accepted(let accepted): interaction = accepted
            }
            if case .signedInBrowser(let ticket) = interaction { return .finished(ticket, flow) }
            if case .accountChanged = interaction { return .changed(flow) }
            // Without a new token, the presented one stays the newest.
            if let newest = outcome.token { flow.token = newest.secret.reveal() }
            if case .redirectToBrowser = interaction {
                flow.step = .dead(.policy)
                return .progress(flow)
            }
            guard let token = flow.token.map({ ContinuationToken($0) }) else { return .progress(over(flow)) }
            // The wish is for the code of one page.
            if case .proveAddress(let delivery) = interaction, delivery.rememberableFor != flow.rememberableFor {
                (flow.rememberableFor, flow.remembers) = (delivery.rememberableFor, nil)
            }
            func go(_ step: StepCommand) { command = .step(token, step) }
            func page(_ step: HostedStep) -> HostedResult {
                flow.step = step
                return .progress(flow)
            }
            switch interaction {
            case .requestChallenge:
                if outcome.allowed.contains(.challengeAccount), let user = visit.signIn?.account.user.id {
                    go(.challengeAccount(user))
                } else if outcome.allowed.contains(.challengeSignUp) {
                    go(.challengeSignUp(accepted: accepted))
                } else if outcome.allowed.contains(.challengeReset) {
                    go(.challengeReset(accepted: accepted))
                } else {
                    go(.challengeSignIn(method: nil, accepted: accepted))
                }
            case .proveAddress(let delivery) where delivery.channel == .recoveryCode: return page(.enterRecoveryCode)
            case .proveAddress(let delivery) where delivery.channel == .authenticatorApp: return page(.enterAppCode)
            case .enrolApp(let offer):
                // As long as the token: the key is shown no longer (SEC-TOTP-7).
                let lifetime = Double(routes.engine.settings.provenIdleLifetime)
                flow.expiresAt = min(flow.expiresAt, visit.now.addingTimeInterval(lifetime))
                return page(outcome.allowed.contains(.introspectRegistration) ? .registerApp(offer) : .addApp(offer))
            case .usePasskey(let offer): return page(.usePasskey(options: try Self.text(of: offer.json)))
            case .createPasskey(let offer):
                let options = try Self.text(of: offer.json)
                return page(
                    outcome.allowed.contains(.introspectRegistration)
                        ? .registerPasskey(options: options) : .createPasskey(options: options))
            case .proveAddress(let delivery) where outcome.allowed.contains(.submitAccountCode):
                return page(.enterAccountCode(target: delivery.maskedTarget))
            case .proveAddress(let delivery):
                return page(.enterCode(purpose(outcome.allowed), target: delivery.maskedTarget))
            case .proveContact(let contact, _, _): return page(.enterCode(.contact, target: contact))
            case .enterPassword:
                return page(
                    outcome.allowed.contains(.submitSignUpPassword) ? .choosePassword(isReset: false) : .enterPassword)
            case .chooseCredential: go(.challengeSignUp(accepted: accepted))
            case .collectAttributes(let attributes): return page(.collectAttributes(attributes))
            case .giveSecondFactor: go(.introspectMethods)
            case .registerMethod: go(.introspectRegistration)
            case .chooseMethod(let methods):
                if outcome.allowed.contains(.challengeContact) {
                    if case .enterCode(.contact, let target) = flow.step {
                        go(.challengeContact(target, channel: nil))
                    } else {
                        guard !methods.isEmpty else { return .progress(over(flow)) }
                        func offers(_ channel: CodeChannel) -> Bool { methods.contains { $0.channel == channel } }
                        // Passkeys and apps are offered here where a mailbox is not enough; else users add them in the account.
                        if let mailbox = methods.first(where: { $0.channel == nil }) {
                            flow.hasOtherMethods = offers(.textMessage)
                            return page(.enterContact(suggestion: mailbox.hint))
                        }
                        flow.hasOtherMethods = methods.count > 1
                        let isQuestion = methods.count > 1 && (choosing || !offers(.passkey))
                        if isQuestion { return page(.chooseMethod(methods)) }
                        if offers(.passkey) {
                            go(.challengeNewPasskey)
                        } else if offers(.authenticatorApp) {
                            go(.challengeNewApp)
                        } else {
                            return page(.enterPhone)
                        }
                    }
                    continue
                }
                flow.hasOtherMethods = methods.count > 1
                offered = methods
                // Recovery codes are for the loss of the usual methods: one of these needs no choice.
                let usual = methods.filter { $0.channel != .recoveryCode }
                let only = usual.count == 1 ? usual.first : methods.count == 1 ? methods.first : nil
                guard !choosing, let only else { return page(.chooseMethod(methods)) }
                flow.method = only.id
                go(.challengeSignIn(method: only.id, accepted: accepted))
            case .contactAlreadyProven: go(.confirmContact)
            case .choosePassword: return page(.choosePassword(isReset: true))
            case .awaitReset: go(.pollReset)
            case .passwordChanged, .signIn: go(.redeem(tokens(flow)))
            case .useProvider(let offer): return try await leave(for: offer, flow)
            case .linkAccount:
                // Whose account it is, only its owner knows.
                flow.username = nil
                go(.challengeSignIn(method: nil, accepted: accepted))
            case .nameMailbox: return page(.nameMailbox)
            case .verifyFirst, .signedIn, .signedInBrowser, .ticket, .revoked, .accountChanged, .redirectToBrowser:
                return .progress(over(flow))
            }
        }
        throw EngineError.broken("a flow of hosted pages does not end")
    }

    private static func text(of options: JSONValue) throws -> String {
        String(decoding: try WireJSON.encode(options), as: UTF8.self)
    }

    private func purpose(_ allowed: FlowOperations) -> HostedStep.CodePurpose {
        if allowed.contains(.submitSignUpCode) { return .signUp }
        if allowed.contains(.submitResetCode) { return .reset }
        return allowed.contains(.submitSecondFactor) ? .secondFactor : .signIn
    }

    private func refused(_ refusal: Refusal, _ flow: HostedFlow) -> HostedResult {
        var flow = flow
        if var problem = HostedProblem(refusal) {
            if flow.step.isAboutPhone { problem.phrase = problem.phrase.aboutPhone }
            if problem.phrase == .wrongCode, flow.step.asksForAppCode { problem.phrase = .wrongAppCode }
            if problem.phrase == .wrongCode, flow.step == .enterRecoveryCode { problem.phrase = .wrongRecoveryCode }
            if problem.phrase == .appNotAllowed, flow.step.asksForPasskey { problem.phrase = .passkeyNotAllowed }
            if problem.phrase == .appNotAllowed, flow.step.mayFindIdentity { problem.phrase = .providerFailed }
            if problem.field == "contact", flow.step == .nameMailbox { problem.field = "username" }
            guard case .enterAccountCode = flow.step, problem.phrase == .userExists else {
                return .refused(problem, flow)
            }
            return .gaveUp(.taken)
        }
        if flow.step.changesAccount { return .gaveUp(.over) }
        flow.token = nil
        flow.step = .dead(.over)
        if case .blockedByHook = refusal { flow.step = .dead(.blocked) }
        return .progress(flow)
    }
}

extension Outcome {
    /// What an authenticator is asked for; nil for another outcome.
    fileprivate var options: JSONValue? {
        if case .accepted(.usePasskey(let offer)) = verdict { offer.json } else { nil }
    }
}

extension PagePhrase {
    /// The same problem, of a telephone in place of a mailbox.
    var aboutPhone: PagePhrase {
        if self == .badEmail { return .badPhone }
        if self == .appNotAllowed { return .phoneNotAllowed }
        return self == .blockedContact ? .blockedPhone : self
    }
}

extension HostedProblem {
    /// What a page says about a refusal; nil when its flow has ended.
    init?(_ refusal: Refusal) {
        let problem: (PagePhrase, String?)? =
            switch refusal {
            case .incorrectCode: (.wrongCode, "code")
            case .expiredCode: (.oldCode, "code")
            case .incorrectPassword: (.wrongPassword, "password")
            case .userNotFound: (.unknownUser, "username")
            case .userAlreadyExists: (.userExists, "username")
            case .invalidUsername: (.badEmail, "username")
            case .accountDisabled: (.disabledAccount, nil)
            case .unacceptablePassword(let fault): (.badPassword(fault), "new-password")
            case .invalidAttributes(let names):
                (names.first.map { .badField($0) } ?? .badAttributes, names.first)
            case .refusedAttributes(let names, let reason): (.text(reason), names.first)
            case .throttled(let seconds), .enumerationLimited(let seconds): (.wait(seconds: seconds), nil)
            case .locked(let seconds): (.locked(minutes: max(1, (seconds + 59) / 60)), "password")
            case .mailboxRefuses: (.mailboxRefuses, nil)
            case .invalidContact: (.badEmail, "contact")
            case .blockedContact: (.blockedContact, "contact")
            case .methodNotAllowed: (.appNotAllowed, nil)
            case .signUpNotAllowed: (.signUpClosed, nil)
            case .noPasswordToReset: (.noPassword, nil)
            case .identityRefused, .providerUnavailable, .providerNotOffered: (.providerFailed, nil)
            case .blockedByHook, .unusableToken, .expiredToken, .notAllowedNow, .tooManyCodes, .passwordNotUsed,
                .passwordChangeRequired, .invalidScope, .scopeNotConsented, .unknownMethod, .secondFactorNeeded,
                .passkeyRefused, .passkeysNotOffered, .unusableCode, .unusableDevice, .unusableProof, .ticketNotAllowed,
                .unusableRefreshToken, .expiredRefreshToken,
                .revokedRefreshToken,
                .unknownTenant, .unknownClient, .nativeAuthDisabled:
                nil
            }
        guard let problem else { return nil }
        self.init(phrase: problem.0, field: problem.1)
    }
}

extension String {
    /// The beginning that fits the field of a name.
    fileprivate var prefixOfHint: String? { isEmpty || utf8.count > AuthorizeCodec.longestHint ? nil : self }
}
