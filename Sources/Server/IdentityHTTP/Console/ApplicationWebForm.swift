import IdentityEngine
import NativeAuthCore
import NativeAuthWire

// What an application is to the web, in its form.
extension Console {
    /// - Parameter form: A form that was refused; nil shows the application.
    static func webFields(of client: Client, _ form: FormFields?) throws -> HTML {
        func area(_ name: String, _ label: String, _ stored: [String], _ hint: String) throws -> HTML {
            let text = try form.map { try value(name, of: $0) } ?? stored.joined(separator: "\n")
            return """
                <div class="field"><label for="\(name)">\(label) <span class="optional">optional</span></label>
                <p class="hint" id="\(name)-hint">\(hint)</p>
                <textarea id="\(name)" name="\(name)" rows="2" aria-describedby="\(name)-hint" spellcheck="false">\(text)</textarea></div>
                """
        }
        func flag(_ name: String, _ stored: Bool) throws -> Bool {
            try form.map { try value(name, of: $0) == "1" } ?? stored
        }
        let web = client.web
        let homepage = try form.map { try value("homepage", of: $0) } ?? web.homepage ?? ""
        let back = try form.map { try value("back-channel", of: $0) } ?? web.backChannelLogout ?? ""
        let front = try form.map { try value("front-channel", of: $0) } ?? web.frontChannelLogout ?? ""
        let isThirdParty = try flag("third-party", web.isThirdParty)
        let pushes = try flag("pushed", web.requiresPushedRequests)
        let allowsDevices = try flag("devices", web.allowsDeviceFlow)
        let needsPKCE = try flag("pkce", web.requiresPKCE)
        // A public application has no choice.
        let pkce: HTML? =
            client.isConfidential
            ? """
            <label class="choice"><input type="checkbox" name="pkce" value="1"\(" checked", if: needsPKCE)> \
            <span>Sign-in needs PKCE <span class="hint">Off only for a program that cannot do it.</span></span></label>
            """ : nil
        return """
            <fieldset><legend>On the web</legend>
            \(try area("redirects-publicClient", "Redirect addresses of apps", client.redirects[.publicClient], "A line each, such as msauth.com.example.app://auth or http://localhost."))
            \(try area("redirects-spa", "Redirect addresses of pages without a server", client.redirects[.spa], "A line each, such as https://app.example.com/done."))
            \(try area("redirects-web", "Redirect addresses of programs on a server", client.redirects[.web], "A line each. Such a program has a secret or a key."))
            \(try area("sign-out", "Addresses after a sign-out", web.postLogoutRedirects, "A line each."))
            \(Self.field("back-channel", "Address that the server calls at a sign-out", value: back, hint: "It gets a logout token."))
            \(Self.field("front-channel", "Address that browsers open at a sign-out", value: front, hint: "On a host of the redirect addresses above."))
            \(try area("origins", "Origins of pages that call the native endpoints", web.allowedOrigins, "A line each, such as https://app.example.com."))
            \(try area("opens", "What its app opens in a browser, signed in", web.opensInBrowser.map(WebSettings.text(ofTarget:)), "A line each: account for the account page, or the client id of an application."))
            \(Self.field("homepage", "Home page", value: homepage, hint: "Error pages link to it."))
            <label class="choice"><input type="checkbox" name="third-party" value="1"\(" checked", if: isThirdParty)> \
            <span>Users are asked for consent <span class="hint">For an application of another organisation.</span></span></label>
            <label class="choice"><input type="checkbox" name="pushed" value="1"\(" checked", if: pushes)> \
            <span>Sign-in needs a pushed request <span class="hint">The application leaves its request here before the browser comes (PAR).</span></span></label>
            <label class="choice"><input type="checkbox" name="devices" value="1"\(" checked", if: allowsDevices)> \
            <span>Users can sign in on devices without a browser <span class="hint">Televisions and command lines show a code. A stranger can ask users for such codes, so leave it off where it is not needed.</span></span></label>
            \(pkce)
            </fieldset>
            """
    }

    /// What the form says of it.
    static func changeWeb(_ client: inout Client, by form: FormFields) throws {
        var redirects: [RedirectAddresses.Kind: [String]] = [:]
        for kind in RedirectAddresses.Kind.allCases {
            redirects[kind] = try lines("redirects-\(kind.rawValue)", of: form)
        }
        client.redirects = RedirectAddresses(redirects)
        var web = client.web
        web.postLogoutRedirects = try lines("sign-out", of: form)
        web.allowedOrigins = try lines("origins", of: form)
        web.opensInBrowser = try lines("opens", of: form).map { line throws(TenantEditFault) in
            guard let target = WebSettings.target(of: line) else {
                throw .invalid(["“\(line)” is neither account nor the client id of an application."])
            }
            return target
        }
        let back = try value("back-channel", of: form).trimmed
        web.backChannelLogout = back.isEmpty ? nil : back
        let front = try value("front-channel", of: form).trimmed
        web.frontChannelLogout = front.isEmpty ? nil : front
        let homepage = try value("homepage", of: form).trimmed
        web.homepage = homepage.isEmpty ? nil : homepage
        web.isThirdParty = try value("third-party", of: form) == "1"
        web.requiresPushedRequests = try value("pushed", of: form) == "1"
        web.allowsDeviceFlow = try value("devices", of: form) == "1"
        if client.isConfidential { web.requiresPKCE = try value("pkce", of: form) == "1" }
        client.web = web
        try ApplicationCodec.checkWeb(of: client)
    }

    static func webFacts(of client: Client) -> [(String, HTML?)] {
        func text(_ items: [String]) -> HTML? { items.isEmpty ? nil : "\(items.joined(separator: ", "))" }
        let web = client.web
        return [
            ("Redirect addresses of apps", text(client.redirects[.publicClient])),
            ("Redirect addresses of pages", text(client.redirects[.spa])),
            ("Redirect addresses of a server", text(client.redirects[.web])),
            ("Addresses after a sign-out", text(web.postLogoutRedirects)),
            ("Address of the back channel at a sign-out", web.backChannelLogout.map { "\($0)" }),
            ("Address of the front channel at a sign-out", web.frontChannelLogout.map { "\($0)" }),
            ("Origins for the native endpoints", text(web.allowedOrigins)),
            ("Home page", web.homepage.map { "\($0)" }),
            ("PKCE", web.requiresPKCE ? nil : "not required"),
            ("Consent", web.isThirdParty ? "users are asked" : nil),
            ("Pushed requests", web.requiresPushedRequests ? "required" : nil),
            ("Devices without a browser", web.allowsDeviceFlow ? "allowed" : nil),
            ("Opens in a browser", text(web.opensInBrowser.map(WebSettings.text(ofTarget:)))),
            ("Keys", web.keys.isEmpty ? nil : "\(web.keys.count)"),
        ]
    }
}
