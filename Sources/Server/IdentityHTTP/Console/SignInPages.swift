import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

// Sign-in, code, invitation, sign-out.
extension Console {
    func signInForm(_ request: Request, _ visitor: Visitor, problem: String? = nil, email: String = "") throws -> HTML {
        let query = try Self.queryFields(of: request)
        let next = Self.local(try Self.value("next", of: query))
        let isAgain = query.names.contains("again")
        let isSignedOut = query.names.contains("out")
        return Self.gate(
            "Sign in",
            """
            <h1>Sign in</h1>
            \(isAgain ? "<p class=\"lead\">Sign in again to do this: your last sign-in is older than ten minutes.</p>" : nil)
            \(Self.note(isSignedOut ? "You are signed out." : nil))
            \(Self.note(problem, isGood: false))
            <form method="post" action="/console/sign-in">
            \(hidden(visitor))
            <input type="hidden" name="next" value="\(next)">
            \(Self.field("email", "E-mail address", type: "email", value: email, autocomplete: "username", isRequired: true))
            \(Self.field("password", "Password", type: "password", autocomplete: "current-password", isRequired: true))
            <div class="buttons"><button class="button primary">Sign in</button></div>
            </form>
            """,
            aside:
                "Invited? <a href=\"/console/invitation\">Use your invitation</a><br>Password forgotten? Ask an owner to remove you and to invite you again."
        )
    }

    func signIn(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let form = try await form(of: request, by: visitor)
        let (email, password) = (try Self.value("email", of: form), try Self.value("password", of: form))
        guard !Self.isTooLong(email: email, password: password) else {
            return Self.page(
                try signInForm(request, visitor, problem: "The e-mail address or the password is not right."),
                .badRequest)
        }
        let stage = try await signIn(
            email: email, password: Secret(password),
            next: Self.local(try Self.value("next", of: form)), request, context)
        switch stage {
        case .refused(let sentence, _):
            return Self.page(try signInForm(request, visitor, problem: sentence, email: email), .badRequest)
        case .enterCode(let flow): return Self.page(try codeForm(flow, visitor))
        case .signedIn(let user): return try await begin(user, invitation: nil, next: "/console", context, visitor)
        }
    }

    func codeForm(_ flow: ConsoleFlow, _ visitor: Visitor, problem: String? = nil, isResent: Bool = false) throws
        -> HTML
    {
        let sealed = try operators.seal(flow, for: visitor.cookie)
        return Self.gate(
            "Enter the code",
            """
            <h1>Enter the code</h1>
            <p class="lead">A code was mailed to \(flow.target).</p>
            \(Self.note(problem, isGood: false))
            \(Self.note(isResent ? "A new code is on its way, if the last one is older than a minute." : nil))
            <form method="post" action="/console/code">
            \(hidden(visitor))
            <input type="hidden" name="flow" value="\(sealed)">
            \(Self.field("code", "Code", hint: "The digits of the mail.", autocomplete: "one-time-code", isRequired: true, isCode: true))
            <div class="buttons"><button class="button primary">Continue</button></div>
            </form>
            <form method="post" action="/console/code">
            \(hidden(visitor))
            <input type="hidden" name="flow" value="\(sealed)">
            <input type="hidden" name="resend" value="1">
            <div class="buttons"><button class="button quiet small">Send a new code</button></div>
            </form>
            """,
            aside: "<a href=\"\(flow.invitation == nil ? "/console/sign-in" : "/console/invitation")\">Start again</a>")
    }

    func code(_ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor) async throws -> Response {
        let form = try await form(of: request, by: visitor)
        guard
            let flow = await operators.open(
                try Self.value("flow", of: form), for: visitor.cookie, as: ConsoleFlow.self, now: context.trace.at)
        else { throw ConsoleFault.staleForm }
        let isResend = try !Self.value("resend", of: form).isEmpty
        let stage =
            try await isResend
            ? resend(flow, request, context)
            : enter(code: Secret(try Self.value("code", of: form)), flow, request, context)
        switch stage {
        case .enterCode(let flow): return Self.page(try codeForm(flow, visitor, isResent: isResend))
        case .refused(let sentence, goesOn: true):
            return Self.page(try codeForm(flow, visitor, problem: sentence), .badRequest)
        case .refused(let sentence, goesOn: false):
            return flow.invitation == nil
                ? Self.page(try signInForm(request, visitor, problem: sentence), .badRequest)
                : Self.page(invitationForm(visitor, problem: sentence), .badRequest)
        case .signedIn(let user):
            return try await begin(
                user, invitation: flow.invitation.map { Secret($0) }, next: flow.next, context, visitor)
        }
    }

    /// Begins the session of a user who has proven both factors, and makes an invited one an operator before.
    private func begin(
        _ user: UserID, invitation: Secret<String>?, next: String, _ context: IdentityRequestContext,
        _ visitor: Visitor
    ) async throws -> Response {
        let now = context.trace.at
        // A sign-in of one who is signed in replaces the session.
        try await operators.end(visitor.cookie)
        if let invitation {
            let accepted = try await operators.accept(
                invitation, for: user, from: context.source?.forEngine, now: now)
            if case .failure = accepted {
                return Self.error(
                    .badRequest, "This invitation is of no use",
                    "It was used, or it is older than 30 minutes. Please ask an owner for another one.")
            }
        }
        guard let cookie = try await operators.begin(user, now: now) else {
            // Signed up with an invitation that was not accepted in the end: the address is free again.
            try await operators.deleteStray(
                user, as: Operator(user: user, source: context.source?.forEngine), now: now)
            return Self.error(
                .forbidden, "No operator",
                "This account had no role, and was deleted. Please use your invitation again, or ask an owner for one.")
        }
        var response = Self.redirect(to: next)
        response.headers[.setCookie] = cookieField(cookie.reveal())
        return response
    }

    func invitationForm(
        _ visitor: Visitor, problem: String? = nil, email: String = "", name: String = "", secret: String = ""
    ) -> HTML {
        Self.gate(
            "Use an invitation",
            """
            <h1>Use an invitation</h1>
            <p class="lead">An owner, or <code>native-auth operator invite</code>, gave you a secret of 43 characters. It works once, for 30 minutes.</p>
            \(Self.note(problem, isGood: false))
            <form method="post" action="/console/invitation">
            \(hidden(visitor))
            \(Self.field("secret", "Secret of the invitation", value: secret, isRequired: true))
            \(Self.field("email", "Your e-mail address", type: "email", value: email, hint: "Each sign-in mails a code to it.", autocomplete: "email", isRequired: true))
            \(Self.field("name", "Your name", value: name, autocomplete: "name", isRequired: true))
            \(Self.field("password", "New password", type: "password", hint: "At least eight characters, three of: small letters, capitals, digits, signs.", autocomplete: "new-password", isRequired: true))
            <div class="buttons"><button class="button primary">Continue</button></div>
            </form>
            """,
            aside: "<a href=\"/console/sign-in\">Sign in instead</a>")
    }

    func acceptInvitation(
        _ request: Request, _ context: IdentityRequestContext, _ visitor: Visitor
    ) async throws -> Response {
        let form = try await form(of: request, by: visitor)
        let (email, name) = (try Self.value("email", of: form), try Self.value("name", of: form))
        // Without blanks and line ends, which a terminal or a mail may add.
        let secret = Secret(String(try Self.value("secret", of: form).filter { !$0.isWhitespace }))
        // A guess at a secret of 256 bits is hopeless; counted all the same, it costs the guesser their budget.
        try context.checkGuesses(at: .daemonProof)
        let password = try Self.value("password", of: form)
        guard !Self.isTooLong(email: email, password: password, name: name) else {
            return Self.page(
                invitationForm(visitor, problem: "The address, the name or the password is too long."), .badRequest)
        }
        guard try await operators.tryInvitation(secret, now: context.trace.at) != nil else {
            context.countGuess(at: .daemonProof, isRight: false)
            return Self.page(
                invitationForm(
                    visitor,
                    problem: "This secret is not right, was used, is older than 30 minutes, or was tried five times.",
                    email: email,
                    name: name), .badRequest)
        }
        let stage = try await signUp(
            email: email, name: name, password: Secret(try Self.value("password", of: form)), invitation: secret,
            request,
            context)
        switch stage {
        case .enterCode(let flow): return Self.page(try codeForm(flow, visitor))
        case .refused(let sentence, _):
            return Self.page(
                invitationForm(visitor, problem: sentence, email: email, name: name, secret: secret.reveal()),
                .badRequest)
        case .signedIn(let user): return try await begin(user, invitation: secret, next: "/console", context, visitor)
        }
    }

    func signOut(_ request: Request, _ visitor: Visitor) async throws -> Response {
        _ = try await form(of: request, by: visitor)
        if let cookie = Self.cookie(of: request) { try await operators.end(cookie) }
        var response = Self.redirect(to: "/console/sign-in?out=1")
        response.headers[.setCookie] = cookieField("", lifetime: 0)
        return response
    }

    /// A path of the console; the home page in place of any other address, so that the sign-in leads nowhere else.
    static func local(_ path: String?) -> String {
        guard let path, path.hasPrefix("/console/"), path.utf8.count <= 512,
            path.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case _: "/-_.~?=&%".utf8.contains(byte)
                }
            })
        else { return "/console" }
        let bare = path.prefix { $0 != "?" }
        // A download is no page to go on to.
        guard !bare.contains("//"), !bare.contains(".."), !bare.contains("%"), !bare.hasSuffix("/copy"),
            !bare.hasSuffix("/events-file")
        else { return "/console" }
        return path
    }
}
