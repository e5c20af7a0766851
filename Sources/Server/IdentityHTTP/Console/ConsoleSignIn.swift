import HTTPTypes
import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// What the pages of a sign-in hand on, sealed in a field of their forms: no cookie, so that two tabs are two sign-ins.
struct ConsoleFlow: Codable, Sendable {
    /// What the code that was sent proves.
    enum Awaited: String, Codable, Sendable {
        case signUp, secondFactor, contact
    }

    var token: String
    var awaited: Awaited
    /// Where the code went, masked.
    var target: String
    /// The secret of an invitation; nil for a sign-in.
    var invitation: String?
    /// The path that was asked for.
    var next: String
}

/// An operator's sign-in: the engine's own flow, with its limits and locks, step by step until a page has to ask.
extension Console {
    /// What a page shows after a step.
    enum SignInStage {
        case enterCode(ConsoleFlow)
        case signedIn(UserID)
        /// A sentence for the reader, and whether the flow goes on.
        case refused(String, goesOn: Bool)
    }

    /// What the driver of a flow knows besides the engine's answer.
    private struct Driver {
        var password: Secret<String>?
        var invitation: String?
        var next: String
        var awaited = ConsoleFlow.Awaited.signUp
    }

    private static let accepted: Set<ChallengeType> = [.oneTimePasscode, .password, .redirect]
    private static let capabilities = Set(ClientAbility.allCases)
    private static let tokens = TokenRequest(scopes: ["openid"])

    func signIn(
        email: String, password: Secret<String>, next: String, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> SignInStage {
        let begin = Command.startSignIn(
            UsernameRequest(username: email, accepted: Self.accepted, capabilities: Self.capabilities))
        return try await drive(begin, Driver(password: password, next: next), request, context)
    }

    func signUp(
        email: String, name: String, password: Secret<String>, invitation: Secret<String>, _ request: Request,
        _ context: IdentityRequestContext
    ) async throws -> SignInStage {
        let begin = Command.startSignUp(
            SignUpRequest(
                username: email, password: password,
                attributes: SubmittedAttributes([(name: "displayName", value: .string(name))]), accepted: Self.accepted,
                capabilities: Self.capabilities))
        return try await drive(
            begin, Driver(password: password, invitation: invitation.reveal(), next: "/console"), request, context)
    }

    func enter(
        code: Secret<String>, _ flow: ConsoleFlow, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> SignInStage {
        let step: StepCommand =
            switch flow.awaited {
            case .signUp: .submitSignUpCode(code)
            case .secondFactor: .submitSecondFactor(code, Self.tokens)
            case .contact: .submitContactCode(code)
            }
        return try await drive(
            .step(ContinuationToken(flow.token), step),
            Driver(invitation: flow.invitation, next: flow.next, awaited: flow.awaited), request,
            context)
    }

    /// Sends the code of the page once more.
    func resend(
        _ flow: ConsoleFlow, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> SignInStage {
        let step: StepCommand =
            switch flow.awaited {
            case .signUp: .challengeSignUp(accepted: Self.accepted)
            case .secondFactor: .challengeSignIn(method: nil, accepted: Self.accepted)
            case .contact: .introspectRegistration
            }
        return try await drive(
            .step(ContinuationToken(flow.token), step),
            Driver(invitation: flow.invitation, next: flow.next, awaited: flow.awaited), request,
            context)
    }

    /// Takes steps until the engine needs the reader, or refuses.
    private func drive(
        _ first: Command, _ start: Driver, _ request: Request, _ context: IdentityRequestContext
    ) async throws -> SignInStage {
        var caller = CallerContext(
            tenantName: OperatorTenant.tenant.subdomain, client: OperatorTenant.console.id,
            language: MailLanguage(acceptLanguage: request.headers[.acceptLanguage]),
            // Behind a tunnel all operators have one address: what the engine counts per source, one visitor would use up for
            // all. The wrong proofs of a source are counted at the listener.
            source: nil, enumerationWait: nil, trace: context.trace)
        caller.device = SessionDevice(model: "console", system: nil)
        var driver = start
        var command = first
        var token: ContinuationToken?
        if case .step(let given, _) = first { token = given }
        // Each flow has less than ten steps: the bound only keeps a mistake here from running on.
        for _ in 0..<12 {
            let asked = command
            try context.checkGuesses(before: asked)
            let outcome = try await context.admitted(asked) {
                try await operators.engine.handle(asked, in: caller)
            }
            context.countGuess(asked, outcome.verdict)
            let interaction: Interaction
            switch outcome.verdict {
            case .refused(let refusal): return try await refused(refusal, driver, context)
            case .accepted(let accepted): interaction = accepted
            }
            if case .signedIn(let tokens) = interaction {
                // An answer that is repeated has another trace: one proof opens one session.
                guard outcome.trace.id == context.trace.id else { return .refused(Self.begunAnew, goesOn: false) }
                return .signedIn(tokens.user)
            }
            // Without a new token, the presented one stays the newest.
            if let newest = outcome.token { token = newest }
            guard let token else { return .refused(Self.begunAnew, goesOn: false) }
            func go(_ step: StepCommand) { command = .step(token, step) }
            func page(_ target: String) -> SignInStage {
                .enterCode(
                    ConsoleFlow(
                        token: token.secret.reveal(), awaited: driver.awaited, target: target,
                        invitation: driver.invitation,
                        next: driver.next))
            }
            switch interaction {
            case .requestChallenge:
                let isSignUp = outcome.allowed.contains(.challengeSignUp)
                go(
                    isSignUp
                        ? .challengeSignUp(accepted: Self.accepted)
                        : .challengeSignIn(method: nil, accepted: Self.accepted))
            case .proveAddress(let delivery): return page(delivery.maskedTarget)
            case .proveContact(let contact, _, _): return page(contact)
            case .enterPassword:
                guard let password = driver.password else { return .refused(Self.begunAnew, goesOn: false) }
                go(.submitSignInPassword(password, Self.tokens))
            case .giveSecondFactor:
                driver.awaited = .secondFactor
                go(.introspectMethods)
            case .registerMethod:
                driver.awaited = .contact
                go(.introspectRegistration)
            case .chooseMethod(let methods):
                guard let method = methods.first else { return .refused(Self.begunAnew, goesOn: false) }
                switch driver.awaited {
                case .contact: go(.challengeContact(method.hint, channel: nil))
                case .secondFactor, .signUp: go(.challengeSignIn(method: method.id, accepted: Self.accepted))
                }
            case .contactAlreadyProven: go(.confirmContact)
            case .signIn: go(.redeem(Self.tokens))
            case .chooseCredential, .collectAttributes, .verifyFirst, .choosePassword, .awaitReset, .passwordChanged,
                .signedIn, .signedInBrowser, .ticket, .revoked, .accountChanged, .enrolApp, .createPasskey,
                .usePasskey, .useProvider, .linkAccount, .nameMailbox, .redirectToBrowser:
                return .refused(Self.begunAnew, goesOn: false)
            }
        }
        throw EngineError.broken("a sign-in at the console does not end")
    }

    /// Longer texts are no address, no password and no code: they are not hashed and not shown again.
    static func isTooLong(email: String, password: String, name: String = "") -> Bool {
        email.utf8.count > 254 || password.utf8.count > 1_024 || name.utf8.count > 512
    }

    static let begunAnew = "This sign-in cannot go on. Please begin again."

    private func refused(
        _ refusal: Refusal, _ driver: Driver, _ context: IdentityRequestContext
    ) async throws -> SignInStage {
        switch refusal {
        case .incorrectCode:
            .refused(
                "This code is not right, or had too many wrong tries. Check it, or ask for a new one.", goesOn: true)
        case .expiredCode: .refused("This code is too old. Please ask for a new one.", goesOn: true)
        case .tooManyCodes: .refused("No more codes are sent for this sign-in. Please begin again.", goesOn: false)
        case .throttled(let seconds), .enumerationLimited(let seconds):
            .refused("Please wait \(seconds) seconds, and try again.", goesOn: true)
        case .locked(let seconds):
            .refused(
                "There were too many wrong passwords. Please wait \(max(1, seconds / 60)) minutes, and try again.",
                goesOn: false)
        case .incorrectPassword, .userNotFound, .accountDisabled, .invalidUsername, .noPasswordToReset:
            // One sentence for all, so that the page tells nothing about who is an operator (SEC-ENUM-3).
            .refused(
                driver.invitation == nil
                    ? "The e-mail address or the password is not right. After ten wrong tries, wait 15 minutes."
                    : "This is no e-mail address that can be used.",
                goesOn: false)
        case .unacceptablePassword(let fault): .refused(fault.sentence, goesOn: false)
        case .mailboxRefuses:
            .refused("The mail server of this address refuses our mails. Ask another owner for help.", goesOn: false)
        case .invalidAttributes: .refused("This name cannot be used. Please choose a shorter one.", goesOn: false)
        case .unusableToken, .expiredToken, .notAllowedNow, .userAlreadyExists, .passwordNotUsed, .refusedAttributes,
            .blockedByHook, .passwordChangeRequired, .invalidScope, .scopeNotConsented, .unknownMethod, .invalidContact,
            .blockedContact, .methodNotAllowed, .passkeyRefused, .passkeysNotOffered, .identityRefused,
            .providerUnavailable, .providerNotOffered,
            .secondFactorNeeded, .unusableCode, .unusableDevice, .unusableProof, .ticketNotAllowed,
            .unusableRefreshToken,
            .expiredRefreshToken,
            .revokedRefreshToken,
            .unknownTenant,
            .unknownClient, .nativeAuthDisabled, .signUpNotAllowed:
            .refused(Self.begunAnew, goesOn: false)
        }
    }
}

extension PasswordFault {
    fileprivate var sentence: String {
        switch self {
        case .tooShort: "The password is too short: it needs at least eight characters."
        case .tooLong: "The password is too long: it has at most 256 characters."
        case .tooWeak, .banned, .recentlyUsed, .invalid:
            "The password is too easy to guess. Please choose another one: three of small letters, capitals, digits and signs."
        }
    }
}
