import IdentityEngine
import PortableFoundation

// Passkeys need script: what the pages show of them is hidden until the script finds that the browser has them.

extension HostedVisit {
    /// Whether the user who is signed in has a passkey that these pages can use.
    var hasPasskey: Bool {
        // Where the mailbox decides, the passkey is no proof of the kind that is asked for.
        guard offersPasskeys, let signIn, !signIn.account.isHeldByMailbox(at: now, in: tenant) else { return false }
        return signIn.account.strongMethods.contains { $0.isPasskey && $0.suspendedAt == nil }
    }
}

extension HostedPage {
    /// Begins a sign-in whose user the passkey names.
    var passkeyButton: HTML {
        "<button class=\"quiet\" name=\".action\" value=\"passkey\" formnovalidate data-passkeys hidden>\(language(.signInWithPasskey))</button>"
    }

    /// The field for the answer of a passkey that the browser suggests at the field of the name (WebAuthn section 5.1.4, conditional
    /// mediation): the script fetches what it asks for, so that pages without it make no challenge.
    var suggestedPasskey: HTML { "<input type=\"hidden\" name=\"passkey\" data-suggest>" }

    /// The field for an authenticator's answer, with what the script asks it, and the button that asks once more.
    ///
    /// - Parameter options: A JSON text of WebAuthn section 5.1.
    func asking(_ ceremony: PasskeyCeremony, _ options: String) -> HTML {
        """
        <p data-passkeys>\(language(.noPasskeys))</p>
        <input type="hidden" name="passkey" data-ceremony="\(ceremony.rawValue)" data-options="\(options)"\
         data-failed="\(language(.passkeyFailed))" data-known="\(language(.passkeyExists))">
        <button type="button" class="primary" data-passkeys hidden>\(language(ceremony == .get ? .usePasskey : .goOn))</button>
        """
    }

    /// The passkeys of the account, with a button for another one; nil where the tenant has none and the account neither.
    func passkeys(_ view: AccountView, _ form: AccountForm) -> HTML? {
        let own = view.caller.account.strongMethods.filter(\.isPasskey)
        guard view.offersPasskeys || !own.isEmpty else { return nil }
        let adding: HTML? =
            view.offersPasskeys && own.count < NewPasskey.most
            ? form(
                "<button class=\"primary\" name=\".action\" value=\"add-passkey\" data-passkeys hidden>\(language(.addPasskey))</button>"
            )
            : nil
        let without: HTML? = adding == nil ? nil : "<p class=\"hint\" data-passkeys>\(language(.noPasskeys))</p>"
        return """
            <section><h2>\(language(.passkeys))</h2><p>\(language(.passkeysHelp))</p>
            \(entries(own, form))\(without)\(adding)</section>
            """
    }
}
