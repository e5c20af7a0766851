import Hummingbird
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

extension HostedPage {
    /// A page of the account.
    ///
    /// - Parameters:
    ///   - typed: The form that was refused: its values are kept, except secrets.
    ///   - form: The form of a page.
    static func account(
        _ part: AccountPart, _ view: AccountView, _ visit: HostedVisit, problem: HostedProblem?, typed: FormFields?,
        form: (AccountPart) -> AccountForm
    ) -> HostedPage {
        var page = HostedPage(
            language: visit.language, brand: visit.brand, title: part.title, body: "", problem: problem,
            notice: problem == nil ? visit.notice : nil)
        page.isWide = true
        func value(_ name: String, _ usual: String = "") -> String {
            do {
                return try typed?.single(name) ?? usual
            } catch {
                return usual
            }
        }
        let text = page.language
        let own = form(part)
        let content: HTML =
            switch part {
            case .overview: page.overview(view, visit, form)
            case .data:
                """
                \(own("""
                    <input type="hidden" name=".version" value="\(view.profile.version)">
                    \(view.attributes.map { attribute in
                        page.field(
                            of: attribute.asRequired, label: attribute.label,
                            value: typed == nil ? view.value(of: attribute) : value(attribute.name), isFirst: false)
                    })
                    \(page.button("save", .save, isPrimary: true))
                    """))
                """
            case .email:
                """
                <p class="lead">\(text(.newAddressHelp))</p>
                \(page.who(view))
                \(own("""
                    \(page.contactField(.newEmail, value("contact")))
                    \(page.button("change", .goOn, isPrimary: true))
                    """))
                """
            case .password:
                own(
                    """
                    <div class="who"><input id="username" name="username" value="\(view.profile.user.email)" autocomplete="username" aria-label="\(text(.email))" tabindex="-1" readonly></div>
                    \(view.caller.account.passwordHash == nil ? nil : page.field("password", .currentPassword, type: "password", autocomplete: "current-password", isFirst: true, attributes: " maxlength=\"256\""))
                    \(page.field("new-password", .newPassword, type: "password", autocomplete: "new-password", hint: .passwordRules, attributes: " minlength=\"8\" maxlength=\"256\" passwordrules=\"minlength: 8; maxlength: 256;\""))
                    \(page.button("change", .save, isPrimary: true))
                    """)
            case .methods: page.methods(view, own, typed: value("contact"), typedPhone: value("phone"))
            case .sessions: page.sessions(view, own)
            case .copy:
                """
                <p class="lead">\(text(.copyHelp))</p>
                \(own(page.button("download", .download, isPrimary: true)))
                """
            case .deletion: page.deletion(view, own, typed: value("contact"))
            case .ended: ""
            }
        page.body = part == .overview ? content : "\(content)\(page.back(visit))"
        return page
    }

    private func back(_ visit: HostedVisit) -> HTML {
        "<nav class=\"more\"><a class=\"button quiet\" href=\"\(visit.path(of: .overview))\">\(language(.backToAccount))</a></nav>"
    }

    private func who(_ view: AccountView) -> HTML {
        "<p class=\"who\"><span>\(view.profile.user.email)</span></p>"
    }

    private func contactField(_ label: PagePhrase, _ value: String) -> HTML {
        field(
            "contact", label, type: "email", value: value, autocomplete: "email",
            attributes: " inputmode=\"email\" autocapitalize=\"none\" spellcheck=\"false\" maxlength=\"254\"")
    }

    // MARK: - The parts

    private func overview(_ view: AccountView, _ visit: HostedVisit, _ form: (AccountPart) -> AccountForm) -> HTML {
        let user = view.profile.user
        func row(_ part: AccountPart, _ label: PagePhrase, _ value: String? = nil, isQuiet: Bool = false) -> HTML {
            let value: HTML? = value.map { "<span class=\"value\">\($0)</span>" }
            return
                "<li><a\(" class=\"quiet\"", if: isQuiet) href=\"\(visit.path(of: part))\"><span class=\"name\">\(language(label))</span>\(value)</a></li>"
        }
        var name: String?
        if case .string(let text)? = user.attributes["displayName"] { name = text }
        let hasPassword = view.caller.account.passwordHash != nil
        let (methods, factors) = (view.caller.account.strongMethods, view.caller.account.secondFactors)
        let password: HTML? =
            view.caller.mayHavePassword
            ? row(.password, .password, hasPassword ? "••••••••" : language(.notSet)) : nil
        let second: HTML? =
            hasPassword || !methods.isEmpty || visit.tenant.offersApps || visit.offersPasskeys
                || visit.tenant.providers.contains { $0.web != nil }
            ? row(
                .methods, .signInMethods,
                factors.isEmpty ? language(.notSet) : factors.map(label(of:)).joined(separator: ", ")) : nil
        let ending: HTML? = view.profile.deletionDueAt.map { due in
            """
            <div class="ending"><p>\(language(.deletionPlanned)): \(Self.time(due))</p>
            \(form(.deletion)(button("keep", .keepAccount)))</div>
            """
        }
        // First, since a lost method would lock the user out. Where no codes can be made, the page of the methods says why.
        let account = view.caller.account
        let asked: PagePhrase? =
            switch view.caller.usedRecoveryCode ? .none : account.recoveryRenewal(in: visit.tenant) {
            case .none: nil
            case .suggested: .codesLow
            case .demanded: .codesUsedUp
            }
        let renewal: HTML? = asked.map { phrase in
            """
            <div class="ending"><p>\(language(phrase))</p>
            <p class="links"><a class="button quiet" href="\(visit.path(of: .methods))">\(language(.makeCodes))</a></p></div>
            """
        }
        return """
            \(renewal)\(ending)
            <ul class="parts">
            \(row(.data, .yourData, name))
            \(row(.email, .email, user.email))
            \(password)
            \(second)
            \(row(.sessions, .sessions))
            \(row(.copy, .copyOfData))
            \(row(.deletion, .deleteAccount, isQuiet: true))
            </ul>
            <div class="more">\(form(.overview)("<div class=\"row\">\(button("here", .signOutButton))</div>"))</div>
            """
    }

    /// A list of methods, which the user can rename and remove; nil for no method.
    func entries(_ methods: [StrongMethod], _ form: AccountForm) -> HTML? {
        let items = methods.map { method -> HTML in
            let id = method.id.text
            let hidden: HTML = "<input type=\"hidden\" name=\"method\" value=\"\(id)\">"
            let name: HTML? = method.name.map { "<span class=\"sub\">\($0)</span>" }
            let suspended: HTML? =
                method.suspendedAt == nil ? nil : "<span class=\"sub\">\(language(.methodSuspended))</span>"
            let added: HTML? =
                method.isPasskey ? "<span class=\"sub\">\(language(.added)): \(Self.time(method.provenAt))</span>" : nil
            let used: HTML? = method.lastUsedAt.map {
                "<span class=\"sub\">\(language(.lastUsed)): \(Self.time($0))</span>"
            }
            return """
                <li><div class="what"><strong>\(label(of: method))</strong>\(name)\(suspended)\(added)\(used)</div>
                \(form("\(hidden)\(action("remove", .remove, of: label(of: method)))"))
                <details><summary aria-label="\(language(.rename)): \(label(of: method))">\(language(.rename))</summary>
                \(form("""
                    \(hidden)<div class="field"><label for="name-\(id)">\(language(.methodName))</label>
                    <input id="name-\(id)" name="name" value="\(method.name ?? "")" maxlength="64" autocomplete="off"></div>
                    \(button("rename", .save))
                    """))</details></li>
                """
        }
        return items.isEmpty ? nil : "<ul class=\"entries\">\(items)</ul>"
    }

    private func methods(_ view: AccountView, _ form: AccountForm, typed: String, typedPhone: String) -> HTML {
        let list = entries(view.caller.account.secondFactors.filter { !$0.isPasskey }, form)
        // Ways in, and no second factors.
        let identities = view.caller.account.identities
        let hasRoom = view.caller.account.hasRoomForIdentity
        let connecting = (hasRoom ? view.providers : []).map { provider -> HTML in
            "<button class=\"quiet\" name=\".provider\" value=\"\(provider.id)\">\(language(.connect(provider.displayName)))</button>"
        }
        let connected: HTML? =
            identities.isEmpty && connecting.isEmpty
            ? nil
            : """
            <section><h2>\(language(.connectedAccounts))</h2>\(entries(identities, form))
            \(connecting.isEmpty ? nil : form("\(connecting)"))</section>
            """
        let adding: HTML? =
            view.caller.account.passwordHash == nil
            ? nil
            : """
            <section><h2>\(language(.addMailbox))</h2>
            \(form("\(contactField(.email, typed))\(button("add", .goOn, isPrimary: true))"))</section>
            """
        let canAddPhone =
            view.takesTexts && view.caller.account.strongMethods.count(where: \.isPhone) < ContactChange.mostPhones
        let addingPhone: HTML? =
            canAddPhone
            ? """
            <section><h2>\(language(.addPhone))</h2>
            \(form("\(phoneField("phone", value: typedPhone))\(button("add-phone", .goOn, isPrimary: true))"))</section>
            """ : nil
        let offersApps =
            view.profile.tenant.offersApps && view.caller.account.strongMethods.count(where: \.isApp) < NewApp.most
        let addingApp: HTML? =
            offersApps
            ? "<section><h2>\(language(.authenticatorApp))</h2>\(form(button("add-app", .addApp, isPrimary: true)))</section>"
            : nil
        let recovered: HTML? =
            view.caller.usedRecoveryCode ? "<p class=\"lead\">\(language(.recoveredHelp))</p>" : nil
        return """
            \(shown(view.codes))<p class="lead">\(language(.methodsHelp))</p>\(recovered)\(list)\(passkeys(view, form))\(addingApp)\(addingPhone)\(adding)\
            \(recoveryCodes(view, form))\(connected)
            """
    }

    /// The section of the recovery codes: how many are left, and a button for new ones.
    private func recoveryCodes(_ view: AccountView, _ form: AccountForm) -> HTML? {
        let account = view.caller.account
        guard view.profile.tenant.offersRecoveryCodes, !account.secondFactors.isEmpty, !view.caller.usedRecoveryCode
        else { return nil }
        let count = view.codes.isEmpty ? account.recovery?.codes.count : view.codes.count
        let left: HTML? = count.map { "<p>\(language(.codesLeft($0)))</p>" }
        return """
            <section><h2>\(language(.recoveryCodes))</h2><p>\(language(.recoveryHelp))</p>\(left)
            \(form(button("make-codes", .makeCodes)))</section>
            """
    }

    /// New codes, which are shown this once, with a file of them.
    func shown(_ codes: [RecoveryCode]) -> HTML? {
        guard !codes.isEmpty else { return nil }
        let items = codes.map { code -> HTML in "<li><code translate=\"no\">\(code.shown.reveal())</code></li>" }
        let file = codes.map { $0.shown.reveal() }.joined(separator: "%0A") + "%0A"
        return """
            <section class="codes" role="status"><h2>\(language(.recoveryCodes))</h2>
            <p>\(language(.codesShownOnce))</p><ol>\(items)</ol>
            <p class="links"><a class="button quiet" download="recovery-codes.txt" href="data:text/plain;charset=utf-8,\(file)">\(language(.download))</a></p>
            </section>
            """
    }

    /// How the page calls a method.
    private func label(of method: StrongMethod) -> String {
        switch method.kind {
        case .app: language(.authenticatorApp)
        case .passkey: language(.passkey)
        case .recoveryCodes: language(.recoveryCodes)
        case .phone: method.label.isolated
        case .mailbox, .identity, .unknown: method.label
        }
    }

    private func sessions(_ view: AccountView, _ form: AccountForm) -> HTML {
        let current = view.caller.session
        let items = view.sessions.map { session -> HTML in
            let isHere = session.isCurrent || session.browser == current
            let title =
                session.isOfBrowser ? language(.browser) : session.application ?? session.client.description
            let here: HTML? = isHere ? "<span class=\"tag\">\(language(.thisBrowser))</span>" : nil
            let details =
                (session.isOfBrowser || session.device.model == "browser"
                    ? [] : [session.device.model, session.device.system].compactMap(\.self))
                + (session.network.map { [$0] } ?? [])
            let device: HTML? =
                details.isEmpty ? nil : "<span class=\"sub\">\(details.joined(separator: " · "))</span>"
            return """
                <li><div class="what"><strong>\(title)</strong>\(here)\(device)\
                <span class="sub">\(language(.lastUsed)): \(Self.time(session.lastUsedAt))</span></div>
                \(form("<input type=\"hidden\" name=\"session\" value=\"\(session.id.text)\">\(action("end", .signOutButton, of: title))"))</li>
                """
        }
        let devices = view.devices.map { device, application, isCurrent -> HTML in
            let here: HTML? = isCurrent ? "<span class=\"tag\">\(language(.thisBrowser))</span>" : nil
            let details =
                ([device.device.model == "browser" ? language(.browser) : device.device.model, device.device.system]
                + [device.network]).compactMap(\.self)
            return """
                <li><div class="what"><strong>\(application)</strong>\(here)<span class="sub">\(details.joined(separator: " · "))</span>\
                <span class="sub">\(language(device.usedAt == nil ? .added : .lastUsed)): \(Self.time(device.usedAt ?? device.createdAt))</span>\
                <span class="sub">\(language(.rememberedUntil)): \(Self.time(device.until))</span></div>
                \(form("<input type=\"hidden\" name=\"device\" value=\"\(device.id.text)\">\(action("forget", .remove, of: application))"))</li>
                """
        }
        let remembered: HTML? =
            devices.isEmpty
            ? nil
            : """
            <section><h2>\(language(.rememberedDevices))</h2><p class="lead">\(language(.rememberedDevicesHelp))</p>
            <ul class="entries">\(devices)</ul></section>
            """
        let allowed = view.consents.map { consent -> HTML in
            """
            <li><div class="what"><strong>\(consent.name)</strong></div>
            \(form("<input type=\"hidden\" name=\"client\" value=\"\(consent.client)\">\(action("withdraw", .remove, of: consent.name))"))</li>
            """
        }
        let applications: HTML? =
            allowed.isEmpty
            ? nil
            : "<section><h2>\(language(.allowedApplications))</h2><ul class=\"entries\">\(allowed)</ul></section>"
        return """
            <p class="lead">\(language(.sessionsHelp))</p>
            <ul class="entries">\(items)</ul>
            \(form("\(button("others", .endOthers))\(button("all", .endAll))"))
            \(remembered)
            \(applications)
            """
    }

    private func deletion(_ view: AccountView, _ form: AccountForm, typed: String) -> HTML {
        if let due = view.profile.deletionDueAt {
            return """
                <p class="lead">\(language(.deletionPlanned)): \(Self.time(due))</p>
                \(form(button("keep", .keepAccount, isPrimary: true)))
                """
        }
        let days = view.profile.tenant.deletionGraceDays
        return """
            <p class="lead">\(language(days > 0 ? .deleteLaterHelp(days: days) : .deleteHelp))</p>
            \(who(view))
            \(form("""
                \(field("contact", .email, type: "email", value: typed, autocomplete: "off", hint: .typeAddress, attributes: " inputmode=\"email\" autocapitalize=\"none\" spellcheck=\"false\" maxlength=\"254\""))
                <button class="danger" name=".action" value="delete">\(language(.deleteAccount))</button>
                """))
            """
    }

    /// What a user sees whose account is deleted, or is going to be.
    static func ended(_ visit: HostedVisit) -> Response {
        let (text, days) = (visit.language, visit.tenant.deletionGraceDays)
        let help: HTML =
            days > 0
            ? """
            <p class="lead">\(text(.deleteLaterHelp(days: days)))</p>
            <p class="links"><a class="button quiet" href="\(visit.path(of: .overview))">\(text(.signInButton))</a></p>
            """ : "<p class=\"lead\">\(text(.signedOutHelp))</p>"
        return HostedPage(
            language: text, brand: visit.brand, title: days > 0 ? .deletionPlanned : .accountDeleted,
            body: help
        ).response()
    }

    // MARK: - Pieces

    /// A button of an entry; its name for screen readers says which.
    private func action(_ action: String, _ phrase: PagePhrase, of entry: String) -> HTML {
        "<button class=\"link\" name=\".action\" value=\"\(action)\" aria-label=\"\(language(phrase)): \(entry)\">\(language(phrase))</button>"
    }

    /// A time, which the script writes in the reader's language and zone.
    static func time(_ date: Date) -> HTML {
        let text = date.ISO8601Format()
        return "<time datetime=\"\(text)\">\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC</time>"
    }
}
