import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// What the form of a page carries besides the user's answers.
struct HostedForm: Sendable {
    var action: String
    var token: String
    var number: Int
    /// The sealed state, while the browser has no cookie for it.
    var flow: String?

    var hidden: HTML {
        let flow: HTML? = flow.map { "<input type=\"hidden\" name=\".flow\" value=\"\($0)\">" }
        return """
            <input type="hidden" name=".form" value="\(token)"><input type="hidden" name=".number" value="\(number)">\(flow)
            """
    }
}

extension HostedPage {
    /// The page of a flow's state.
    ///
    /// - Parameters:
    ///   - typed: The form that was refused: its values are kept, except secrets.
    ///   - codes: New recovery codes, which this page shows once.
    static func of(
        _ flow: HostedFlow, _ form: HostedForm, _ visit: HostedVisit, problem: HostedProblem?, typed: FormFields?,
        notice: PagePhrase?, codes: [RecoveryCode] = []
    ) -> HostedPage {
        var page = HostedPage(
            language: visit.language, brand: visit.brand, title: .signIn, body: "", problem: problem,
            notice: notice)
        let answer = ClientAnswer(to: flow.request.answer, members: [], issuer: "")
        if flow.request.device == nil, answer.isForProgram {
            page.formTarget = flow.request.redirect.prefix { $0 != ":" } + ":"
        }
        func value(_ name: String, _ usual: String = "") -> String {
            do {
                return try typed?.single(name) ?? usual
            } catch {
                return usual
            }
        }
        func posted(_ content: HTML) -> HTML {
            "<form method=\"post\" action=\"\(form.action)\">\(form.hidden)\(content)</form>"
        }
        let text = page.language
        /// Cancel has a form of its own, so that it needs no field.
        let cancel = posted("<div class=\"row\">\(page.button("cancel", .cancel, skipsChecks: true))</div>")
        let others: HTML? =
            flow.hasOtherMethods == true
            ? "<button class=\"link\" name=\".action\" value=\"others\" formnovalidate>\(text(.otherMethod))</button>"
            : nil
        switch flow.step {
        case .enterName(let isSignUp):
            page.title = isSignUp ? .createAccount : .signIn
            let suggests = !isSignUp && visit.offersPasskeys
            let switching: HTML? =
                visit.client?.userFlow.allowsSignUp == true
                ? "<button class=\"link\" name=\".action\" value=\"switch\" formnovalidate>\(text(isSignUp ? .haveAccount : .noAccount))</button>"
                : nil
            page.body = """
                <p class="lead">\(text(.toApp(visit.application)))</p>
                \(posted("""
                    \(page.nameField(visit, isSignUp: isSignUp, value: value("username", flow.username ?? ""), suggests: suggests))
                    \(suggests ? page.suggestedPasskey : nil)
                    \(page.button("next", .next, isPrimary: true))
                    \(isSignUp || !visit.offersPasskeys ? nil : page.passkeyButton)
                    \(page.providerButtons(visit))
                    <div class="row">\(switching)</div>
                    """))
                <div class="more">\(cancel)</div>
                """
        case .enterPassword:
            page.title = .enterPassword
            let forgot: HTML? =
                flow.username == nil
                ? nil
                : "<button class=\"link\" name=\".action\" value=\"forgot\" formnovalidate>\(text(.forgotPassword))</button>"
            page.body = """
                \(page.linkHelp(flow))
                \(posted("""
                    \(flow.username == nil ? nil : page.whoField(flow))
                    \(page.field("password", .password, type: "password", autocomplete: "current-password", isFirst: true, attributes: " maxlength=\"256\""))
                    \(page.staySignedIn(flow))
                    \(page.button("next", .signInButton, isPrimary: true))
                    <div class="row">\(forgot)
                    <button class="link" name=".action" value="restart" formnovalidate>\(text(.otherAccount))</button></div>
                    """))
                <div class="more">\(cancel)</div>
                """
        case .enterCode(let purpose, let target):
            page.title = flow.step.isAboutPhone ? .enterTextCode : .enterCode
            let stays: HTML? =
                switch purpose {
                case .signIn: page.staySignedIn(flow)
                case .secondFactor: page.rememberBrowser(flow)
                case .signUp, .reset, .contact: nil
                }
            page.body = """
                \(purpose == .signIn ? page.linkHelp(flow) : nil)
                \(page.sentTo(target, isText: flow.step.isAboutPhone))
                \(posted("""
                    \(page.codeField)
                    \(stays)
                    \(page.button("next", .goOn, isPrimary: true))
                    <div class="row">\(page.resendButton(visit))\(others)
                    <button class="link" name=".action" value="restart" formnovalidate>\(text(.startAgain))</button></div>
                    """))
                <div class="more">\(cancel)</div>
                """
        case .enterAppCode, .enterRecoveryCode:
            let isApp = flow.step == .enterAppCode
            page.title = isApp ? .enterAppCode : .enterRecoveryCode
            page.body = """
                <p class="lead">\(text(isApp ? .appCodeHelp : .recoveryCodeHelp))</p>
                \(posted("""
                    \(isApp ? page.codeField : page.recoveryCodeField)
                    \(isApp ? page.rememberBrowser(flow) : nil)
                    \(page.button("next", .goOn, isPrimary: true))
                    <div class="row">\(others)
                    <button class="link" name=".action" value="restart" formnovalidate>\(text(.startAgain))</button></div>
                    """))
                <div class="more">\(cancel)</div>
                """
        case .usePasskey(let options):
            page.title = .usePasskey
            page.body = """
                <p class="lead">\(text(.passkeyHelp))</p>
                \(posted("""
                    \(page.asking(.get, options))
                    <div class="row">\(others)
                    <button class="link" name=".action" value="restart" formnovalidate>\(text(flow.method == nil ? .otherMethod : .startAgain))</button></div>
                    """))
                <div class="more">\(cancel)</div>
                """
        case .createPasskey(let options):
            page.title = .addPasskey
            page.body = """
                <p class="lead">\(text(.passkeyHelp))</p>
                \(posted(page.asking(.create, options)))
                <div class="more">\(cancel)</div>
                """
        case .registerPasskey(let options):
            page.title = .addPasskey
            page.body = """
                <p class="lead">\(text(.whyPasskey))</p>
                \(posted("""
                    \(page.asking(.create, options))
                    <div class="row">\(others)
                    <button class="link" name=".action" value="restart" formnovalidate>\(text(.startAgain))</button></div>
                    """))
                <p class="links"><a class="button quiet" href="\(visit.path(of: .methods))">\(text(.addMethod))</a></p>
                <div class="more">\(cancel)</div>
                """
        case .choosePassword(let isReset):
            page.title = isReset ? .chooseNewPassword : .choosePassword
            page.body = """
                \(posted("""
                    \(page.whoField(flow))
                    \(page.field("new-password", .newPassword, type: "password", autocomplete: "new-password", hint: .passwordRules, isFirst: true, attributes: " minlength=\"8\" maxlength=\"256\" passwordrules=\"minlength: 8; maxlength: 256;\""))
                    \(page.button("next", .goOn, isPrimary: true))
                    """))
                <div class="more">\(cancel)</div>
                """
        case .collectAttributes(let attributes):
            page.title = .aboutYou
            let fields = attributes.enumerated().map { index, attribute -> HTML in
                let known = visit.client?.userFlow.attributes.first { $0.name == attribute.name }
                return page.field(
                    of: attribute, label: known?.label, value: value(attribute.name), isFirst: index == 0)
            }
            page.body = """
                \(posted("\(fields)\(page.button("next", .goOn, isPrimary: true))"))
                <div class="more">\(cancel)</div>
                """
        case .chooseMethod(let methods):
            page.title = .chooseMethod
            let choices = methods.enumerated().map { index, method -> HTML in
                "<label class=\"choice\"><input type=\"radio\" name=\"method\" value=\"\(method.id)\" required\(" checked", if: index == 0)><span>\(page.name(of: method))</span></label>"
            }
            page.body = """
                \(posted("<fieldset><legend>\(text(.whyMethod))</legend>\(choices)</fieldset>\(page.button("next", .goOn, isPrimary: true))"))
                <div class="more">\(cancel)</div>
                """
        case .enterContact(let suggestion):
            page.title = .addMailbox
            let phone: HTML? =
                flow.hasOtherMethods == true
                ? "<div class=\"row\"><button class=\"link\" name=\".action\" value=\"others\" formnovalidate>\(text(.addPhone))</button></div>"
                : nil
            page.body = """
                <p class="lead">\(text(.whyMailbox))</p>
                \(posted("""
                    \(page.field("contact", .email, type: "email", value: value("contact", suggestion), autocomplete: "email", isFirst: true, attributes: " inputmode=\"email\" autocapitalize=\"none\" spellcheck=\"false\" maxlength=\"254\""))
                    \(page.button("next", .goOn, isPrimary: true))
                    \(phone)
                    """))
                <div class="more">\(cancel)</div>
                """
        case .enterPhone:
            page.title = .addPhone
            page.body = """
                \(posted("""
                    \(page.phoneField("contact", value: value("contact", ""), isFirst: true))
                    \(page.button("next", .goOn, isPrimary: true))
                    <div class="row">\(others)</div>
                    """))
                <div class="more">\(cancel)</div>
                """
        case .confirm:
            let device = flow.request.device
            page.title =
                device == nil ? .continueTo(app: visit.application) : .deviceAllowTitle(app: visit.application)
            let name = visit.signIn?.account.user.email ?? flow.username ?? ""
            let isForeign = visit.client?.web.isThirdParty == true
            let asked: HTML? = isForeign ? page.asked(by: visit.application, flow.request.scopes) : nil
            let whose: HTML? = device.map { page.asked(by: $0, visit) }
            // The form has the user whom the page names: another one may have signed in meanwhile.
            let user: HTML? =
                device.flatMap { _ in visit.signIn?.account.user.id }.map {
                    "<input type=\"hidden\" name=\"user\" value=\"\($0)\">"
                }
            // A user who did not begin this at a device must not miss the button: it is as large as the others.
            let refusing: HTML? = device.map { _ in page.button("cancel", .cancel, skipsChecks: true) }
            let end =
                isForeign && device == nil
                ? posted("<div class=\"row\">\(page.button("decline", .decline, skipsChecks: true))</div>") : cancel
            let more: HTML? = device == nil ? "<div class=\"more\">\(end)</div>" : nil
            page.body = """
                <p class="lead">\(text(.signedInAs(name)))</p>
                \(whose)
                \(asked)
                \(posted("""
                    \(user)\(page.button("next", isForeign || device != nil ? .allow : .goOn, isPrimary: true))
                    \(page.button("other", .otherAccount))\(refusing)
                    """))
                \(more)
                """
        case .renewCodes:
            page.title = .recoveryCodes
            page.body = "\(page.renewal(visit, codes: codes, posted))<div class=\"more\">\(cancel)</div>"
        case .fromApp(let question):
            page.title = .continueTo(app: visit.application)
            let present: HTML? = visit.signIn.map { "<p>\(text(.signedInAs($0.account.user.email)))</p>" }
            page.body = """
                <p class="lead">\(text(.appSignedInAs(app: question.app, name: question.email)))</p>
                \(present)
                \(posted("""
                    \(page.button("next", .goOnAs(question.email), isPrimary: true))
                    \(page.button("other", visit.signIn.map { .goOnAs($0.account.user.email) } ?? .otherAccount))
                    """))
                <div class="more">\(cancel)</div>
                """
        case .proveAgain(let byReset):
            page.title = .confirmItIsYou
            let passkey = byReset || !visit.hasPasskey ? nil : page.passkeyButton
            page.body = """
                <p class="lead">\(text(.confirmItIsYouHelp))</p>
                \(posted("\(page.whoField(flow))\(page.button("next", .goOn, isPrimary: true))\(passkey)"))
                <div class="more">\(cancel)</div>
                """
        case .enterAccountCode(let target):
            page.title = flow.step.isAboutPhone ? .enterTextCode : .enterCode
            page.body = """
                \(page.sentTo(target, isText: flow.step.isAboutPhone))
                \(posted("""
                    \(page.codeField)
                    \(page.button("next", .goOn, isPrimary: true))
                    <div class="row">\(page.resendButton(visit))</div>
                    """))
                <div class="more">\(cancel)</div>
                """
        case .addApp(let offer):
            page.title = .addApp
            page.body = """
                \(page.key(of: offer))
                \(posted("""
                    \(page.codeField)
                    \(page.button("next", .goOn, isPrimary: true))
                    """))
                <div class="more">\(cancel)</div>
                """
        case .registerApp(let offer):
            page.title = .addApp
            page.body = """
                <p class="lead">\(text(.strongerProofNeeded))</p>
                \(page.key(of: offer))
                \(posted("""
                    \(page.codeField)
                    \(page.button("next", .goOn, isPrimary: true))
                    <div class="row">\(others)
                    <button class="link" name=".action" value="restart" formnovalidate>\(text(.startAgain))</button></div>
                    """))
                <div class="more">\(cancel)</div>
                """
        case .dead(let end):
            page.title = .cannotGoOn
            let help: PagePhrase =
                switch end {
                case .policy: .policyHelp
                case .over, .blocked: .overHelp
                }
            let back: HTML =
                end == .policy
                ? page.button("next", .backToApp(visit.application), isPrimary: true)
                : page.button("restart", .startAgain, isPrimary: true)
            // Users add there what they lack.
            let account: HTML? =
                end == .policy
                ? "<p class=\"links\"><a class=\"button quiet\" href=\"\(visit.path(of: .methods))\">\(text(.addMethod))</a></p>"
                : nil
            page.body =
                "<p class=\"lead\">\(text(help))</p>\(account)\(posted(back))<div class=\"more\">\(cancel)</div>"
        case .nameMailbox:
            page.title = .createAccount
            let help: PagePhrase =
                flow.linksTo.map { .nameMailboxHelp(provider: $0) } ?? .toApp(visit.application)
            page.body = """
                <p class="lead">\(text(help))</p>
                \(posted("""
                    \(page.field("username", .email, type: "email", value: value("username", ""), autocomplete: "email", isFirst: true, attributes: " inputmode=\"email\" autocapitalize=\"none\" spellcheck=\"false\" maxlength=\"254\""))
                    \(page.button("next", .next, isPrimary: true))
                    <div class="row"><button class="link" name=".action" value="restart" formnovalidate>\(text(.startAgain))</button></div>
                    """))
                <div class="more">\(cancel)</div>
                """
        case .atProvider, .answered, .deviceAnswered: break
        }
        return page
    }

    /// The secret for an authenticator app: a picture to scan, the key to type, and a link for an app on this device.
    private func key(of offer: AppOffer) -> HTML {
        let picture: HTML? = QRCode(offer.address.reveal(), atMost: 1200)?.picture
        return """
            <p class="lead">\(language(.scanHelp))</p>
            \(picture.map { "<div class=\"qr\">\($0)</div>" })
            <p class="key">\(language(.keyByHand)) <code translate="no">\(Self.grouped(offer.secret.reveal()))</code></p>
            <p class="links"><a class="button quiet" href="\(offer.address.reveal())">\(language(.openApp))</a></p>
            """
    }

    /// What another organisation's application asks for, in words.
    private func asked(by application: String, _ scopes: [String]) -> HTML {
        let items = scopes.map { scope -> HTML in
            let phrase: PagePhrase =
                switch scope {
                case "openid": .scopeOpenID
                case "profile": .scopeProfile
                case "email": .scopeEmail
                case "offline_access": .scopeOffline
                case _: .scopeOther(scope)
                }
            return "<li>\(language(phrase))</li>"
        }
        return "<p>\(language(.wantsAccess(app: application)))</p><ul class=\"asked\">\(items)</ul>"
    }

    /// Why a sign-in by a provider asks for the account's own proof.
    private func linkHelp(_ flow: HostedFlow) -> HTML? {
        flow.linksTo.map { "<p class=\"lead\">\(language(.linkHelp(provider: $0)))</p>" }
    }

    /// How a choice of methods calls one.
    private func name(of method: OfferedMethod) -> String {
        switch method.channel {
        case .authenticatorApp:
            method.hint.isEmpty
                ? language(.addApp)
                : method.hint == StrongMethod.appLabel
                    ? language(.authenticatorApp) : "\(language(.authenticatorApp)): \(method.hint)"
        case .recoveryCode: language(.recoveryCodes)
        case .passkey:
            method.hint.isEmpty
                ? language(.addPasskey)
                : method.hint == StrongMethod.passkeyLabel
                    ? language(.passkey) : "\(language(.passkey)): \(method.hint)"
        case .textMessage: method.hint.isEmpty ? language(.addPhone) : method.hint.isolated
        case nil: method.hint
        }
    }

    /// A key in groups of four, as users type it.
    private static func grouped(_ key: String) -> String {
        let characters = Array(key)
        return stride(from: 0, to: characters.count, by: 4).map {
            String(characters[$0..<min($0 + 4, characters.count)])
        }.joined(separator: " ")
    }

    /// The account of the password beside it: password managers need it in the form.
    private func whoField(_ flow: HostedFlow) -> HTML {
        """
        <div class="who"><input id="username" name="username" value="\(flow.username ?? "")" autocomplete="username" aria-label="\(language(.email))" tabindex="-1" readonly></div>
        """
    }

    /// The field of an address, or at a sign-in of whatever names an account.
    private func nameField(_ visit: HostedVisit, isSignUp: Bool, value: String, suggests: Bool) -> HTML {
        let takesNames =
            !isSignUp && visit.client?.userFlow.attributes.contains { $0.name == AttributeDefinition.aliasName } == true
        let takesNumbers = !isSignUp && visit.takesNumbers
        let label: PagePhrase =
            switch (takesNames, takesNumbers) {
            case (false, false): .email
            case (true, false): .emailOrName
            case (false, true): .emailOrNumber
            case (true, true): .emailNameOrNumber
            }
        return field(
            "username", label, type: label == .email ? "email" : "text", value: value,
            autocomplete: suggests ? "username webauthn" : "username", isFirst: true,
            // A keyboard for addresses has no place for numbers.
            attributes: (takesNumbers ? "" : " inputmode=\"email\"")
                + " autocapitalize=\"none\" spellcheck=\"false\" maxlength=\"254\"")
    }

    private var codeField: HTML {
        field(
            "code", .code, autocomplete: "one-time-code", isFirst: true,
            attributes: " inputmode=\"numeric\" pattern=\"[0-9 \\-]*\" maxlength=\"24\" spellcheck=\"false\"")
    }

    /// Where the code went, and for how long it is valid.
    private func sentTo(_ target: String, isText: Bool) -> HTML {
        isText
            ? "<p class=\"lead\">\(language(.textSent(to: target.isolated)))</p>"
            : "<p class=\"lead\">\(language(.codeSent(to: target))) \(language(.codeIsValid))</p>"
    }

    /// The field of a telephone number.
    func phoneField(_ name: String, value: String, isFirst: Bool = false) -> HTML {
        field(
            name, .phoneNumber, type: "tel", value: value, autocomplete: "tel", hint: .phoneHelp, isFirst: isFirst,
            attributes: " inputmode=\"tel\" maxlength=\"40\"")
    }

    private var recoveryCodeField: HTML {
        field(
            "code", .code, autocomplete: "off", isFirst: true,
            attributes: " autocapitalize=\"characters\" spellcheck=\"false\" maxlength=\"32\"")
    }

    private func resendButton(_ visit: HostedVisit) -> HTML {
        "<button class=\"link\" name=\".action\" value=\"resend\" data-wait=\"\(visit.routes.engine.settings.resendCooldown)\" formnovalidate>\(language(.sendAgain))</button>"
    }

    private func staySignedIn(_ flow: HostedFlow) -> HTML { box("keep", .staySignedIn, isTicked: flow.keeps) }

    /// The choice to leave the second factor out in this browser; nil where that is not possible.
    private func rememberBrowser(_ flow: HostedFlow) -> HTML? {
        flow.rememberableFor.map {
            box("remember", .rememberBrowser(days: $0 / 86_400), isTicked: flow.remembers == true)
        }
    }

    private func box(_ name: String, _ phrase: PagePhrase, isTicked: Bool) -> HTML {
        "<label class=\"check\"><input type=\"checkbox\" name=\"\(name)\" value=\"1\"\(" checked", if: isTicked)><span>\(language(phrase))</span></label>"
    }

    /// - Parameter label: The tenant's words, if it has some.
    func field(of attribute: RequiredAttribute, label: String?, value: String, isFirst: Bool) -> HTML {
        let name = attribute.name
        let label = label.map { PagePhrase.text($0) } ?? .attribute(name)
        switch attribute.type {
        case "boolean":
            return
                "<label class=\"check\"><input type=\"checkbox\" id=\"\(name)\" name=\"\(name)\" value=\"1\"\(" checked", if: value == "1")><span>\(language(label))</span></label>"
        case "integer":
            return field(
                name, label, value: value, autocomplete: "off", isRequired: attribute.isRequired, isFirst: isFirst,
                attributes: " inputmode=\"numeric\" maxlength=\"20\"")
        case _:
            return field(
                name, label, value: value, autocomplete: Self.autocomplete(of: name),
                isRequired: attribute.isRequired, isFirst: isFirst, attributes: " maxlength=\"250\"")
        }
    }

    /// The purpose of a field for browsers (WCAG 1.3.5).
    private static func autocomplete(of attribute: String) -> String {
        switch attribute {
        case "displayName": "name"
        case "givenName": "given-name"
        case "surname": "family-name"
        case "jobTitle": "organization-title"
        case "country": "country-name"
        case "state": "address-level1"
        case "city": "address-level2"
        case "streetAddress": "street-address"
        case "postalCode": "postal-code"
        case AttributeDefinition.aliasName: "nickname"
        case _: "off"
        }
    }

    // MARK: - The end

    /// The page that moves on to the client: no form leads there, so no policy of forms can stop it (`SEC-WEB-12`).
    static func moving(_ visit: HostedVisit, to address: String) -> Response {
        let (text, app) = (visit.language, visit.application)
        let page = HostedPage(
            language: text, brand: visit.brand, title: .movingOn,
            body: """
                <p class="lead">\(text(.movingOnHelp(app: app)))</p>
                <p class="links"><a class="button primary" href="\(address)">\(text(.goOn))</a></p>
                """, refresh: address)
        var response = page.response()
        response.headers[ConsoleHeader.referrerPolicy] = "no-referrer"
        return response
    }

    /// The page of a flow that has given its answer.
    static func done(_ visit: HostedVisit) -> Response {
        let text = visit.language
        return HostedPage(
            language: text, brand: visit.brand, title: .signedIn,
            body: "<p class=\"lead\">\(text(.mayCloseWindow(app: visit.application)))</p>"
        ).response()
    }

    /// The answer as a form, which a script of ours sends (OAuth 2.0 Form Post Response Mode).
    static func posting(_ answer: ClientAnswer, in text: PageLanguage) -> Response {
        let fields = answer.fields.map { name, value -> HTML in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
        }
        let page = HostedPage(
            language: text, brand: .none, title: .movingOn,
            body:
                "<form method=\"post\" action=\"\(answer.to.redirect)\" data-submit>\(fields)<button class=\"primary\">\(text(.goOn))</button></form>"
        )
        var response = page.response()
        // Chromium applies form-action to the redirects of the client, too, which are not known here (SEC-WEB-12).
        response.headers[.contentSecurityPolicy] = policy(forms: "")
        response.headers[ConsoleHeader.referrerPolicy] = "no-referrer"
        return response
    }

    // MARK: - Errors

    /// Whether people see the answers at this path.
    static func isPage(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return parts.count == 3 && parts[1] == "web" || (2...3).contains(parts.count) && parts[1] == "account"
            || parts.count == 2 && parts[1] == MetadataEndpoint.devicePage.rawValue
            || [MetadataEndpoint.authorize, .logout].contains { path.hasSuffix("/\($0.rawValue)") }
    }

    static func error(
        _ fault: HostedFault, _ request: Request, _ context: IdentityRequestContext, _ brand: PageBrand = .none,
        detail: String? = nil
    ) -> Response {
        let text = PageLanguage([], accepted: MailLanguage(acceptLanguage: request.headers[.acceptLanguage]))
        let (status, title, help): (HTTPResponse.Status, PagePhrase, PagePhrase) =
            switch fault {
            case .unknownTenant: (.notFound, .cannotGoOn, .wrongAddressHelp)
            case .authorize(.pushedRequestGone, _, _): (.badRequest, .tookTooLong, .begunElsewhereHelp)
            case .authorize: (.badRequest, .cannotGoOn, .wrongAddressHelp)
            case .unknownFlow: (.badRequest, .begunElsewhere, .begunElsewhereHelp)
            case .tooOld: (.gone, .tookTooLong, .begunElsewhereHelp)
            case .noCookies: (.badRequest, .needsCookies, .cookiesHelp)
            case .foreignForm: (.forbidden, .begunElsewhere, .begunElsewhereHelp)
            case .tooMuch: (.contentTooLarge, .cannotGoOn, .overHelp)
            case .busy: (.serviceUnavailable, .busy, .busyHelp)
            case .request(let fault):
                (.init(code: V1Failure(fault).status), Self.title(of: fault), Self.help(of: fault))
            }
        var home: HTML?
        if case .authorize(_, let client?, _) = fault, let address = client.web.homepage {
            home =
                "<p class=\"links\"><a class=\"button quiet\" href=\"\(address)\">\(text(.backToApp(client.displayName)))</a></p>"
        }
        let page = HostedPage(
            language: text, brand: brand, title: title,
            body: """
                <p class="lead">\(text(help))</p>\(Self.fine(detail))\(home)
                <p class="fine">\(text(.requestNumber(context.trace.id.text)))</p>
                """)
        var response = page.response(status)
        if case .busy = fault { response.headers[.retryAfter] = "2" }
        if case .request(.wrongMethod(let allowed)) = fault { response.headers[.allow] = allowed }
        if case .request(.throttled(let seconds)) = fault { response.headers[.retryAfter] = "\(seconds)" }
        return response
    }

    /// What the page of the development profile says besides.
    static func fine(_ detail: String?) -> HTML? { detail.map { "<p class=\"fine\" lang=\"en\">\($0)</p>" } }

    private static func title(of fault: RequestFault) -> PagePhrase {
        switch fault {
        case .throttled, .unavailable: .busy
        case .malformed, .missing, .invalid, .redirectNotAccepted, .unknownGrant, .unreadableAttributes, .wrongMethod,
            .parametersInQuery, .unknownTenant, .wrongContentType, .bodyTooLarge, .headersTooLarge, .uriTooLong,
            .misdirected, .unknownPath, .foreignOrigin, .broken:
            .cannotGoOn
        }
    }

    private static func help(of fault: RequestFault) -> PagePhrase {
        switch fault {
        case .throttled(let seconds): .wait(seconds: seconds)
        case .unavailable: .busyHelp
        case .malformed, .missing, .invalid, .redirectNotAccepted, .unknownGrant, .unreadableAttributes, .wrongMethod,
            .parametersInQuery, .unknownTenant, .wrongContentType, .bodyTooLarge, .headersTooLarge, .uriTooLong,
            .misdirected, .unknownPath, .foreignOrigin, .broken:
            .wrongAddressHelp
        }
    }
}
