import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// Reads what an application of a document is to the web (docs/operate/tenant-file.md, “The web”).
enum ReadWebSettings {
    static func redirects(
        of members: YAMLMembers, client: ClientID, _ faults: YAMLFaults
    ) -> RedirectAddresses {
        var redirects = RedirectAddresses()
        guard let lists = members.members("redirectUris", of: "redirectUris") else { return redirects }
        for kind in RedirectAddresses.Kind.allCases {
            for (address, line) in lists.texts(kind.rawValue) {
                let fault =
                    RedirectAddresses.fault(address, of: kind, client: client)
                    ?? redirects.fault(adding: address, to: kind)
                if let fault {
                    faults.add("the address “\(Terminal.harmless(address))” \(fault).", line: line)
                } else {
                    redirects.all[kind, default: []].append(address)
                }
            }
        }
        lists.end()
        return redirects
    }

    /// Everything besides the redirect addresses.
    static func settings(
        of members: YAMLMembers, client: ClientID, _ faults: YAMLFaults
    ) -> (web: WebSettings, credentials: ReadCredentials) {
        var web = WebSettings()
        web.postLogoutRedirects = texts("postLogoutRedirectUris", of: members, faults) {
            RedirectAddresses.fault($0, of: .publicClient, client: client)
        }
        web.allowedOrigins = texts("allowedOrigins", of: members, faults) { RedirectAddresses.fault(origin: $0) }
        web.backChannelLogout = members.text("backChannelLogoutUri")
        web.frontChannelLogout = members.text("frontChannelLogoutUri")
        web.homepage = members.text("homepage")
        if let homepage = web.homepage,
            let fault = RedirectAddresses.fault(homepage, of: .web, client: client)
        {
            members.add("the homepage “\(Terminal.harmless(homepage))” \(fault).", at: "homepage")
        }
        let credentials = ReadCredentials(members, of: "an application")
        (web.secrets, web.keys) = (credentials.secrets, credentials.keys)
        web.requiresPKCE = members.flag("requiresPKCE") ?? true
        if !web.requiresPKCE, credentials.isEmpty {
            members.add(
                "a public application must use PKCE: give it a secret or a key, or leave requiresPKCE out.",
                at: "requiresPKCE")
        }
        web.isThirdParty = members.flag("thirdParty") ?? false
        web.requiresPushedRequests = members.flag("requiresPushedRequests") ?? false
        web.allowsDeviceFlow = members.flag("deviceFlow") ?? false
        web.opensInBrowser = texts("opensInBrowser", of: members, faults) {
            WebSettings.target(of: $0) == nil ? "is neither account nor the client id of an application" : nil
        }.compactMap(WebSettings.target(of:))
        return (web, credentials)
    }

    /// What the application opens in a browser, once all of it is known.
    static func checkTickets(of client: Client, _ members: YAMLMembers) {
        guard let fault = client.faultOfTickets else { return }
        members.add("opensInBrowser \(fault).", at: "opensInBrowser")
    }

    /// The logout addresses, once the redirect addresses are known.
    ///
    /// - Parameter lacksRedirects: Whether an address was at fault and left out: the rules about those that are there say nothing.
    static func checkLogout(of client: Client, _ members: YAMLMembers, lacksRedirects: Bool) {
        for channel in Client.LogoutChannel.allCases {
            let name =
                switch channel {
                case .back: "backChannelLogoutUri"
                case .front: "frontChannelLogoutUri"
                }
            guard let address = client.logoutAddress(channel),
                let fault = lacksRedirects
                    ? RedirectAddresses.fault(address, of: .web, client: client.id)
                    : client.fault(ofLogoutAddress: channel)
            else { continue }
            members.add("\(name) “\(Terminal.harmless(address))” \(fault).", at: name)
        }
    }

    private static func texts(
        _ name: String, of members: YAMLMembers, _ faults: YAMLFaults, _ fault: (String) -> String?
    ) -> [String] {
        var seen: [String] = []
        for (text, line) in members.texts(name) {
            if let fault = fault(text) {
                faults.add("“\(Terminal.harmless(text))” in \(name) \(fault).", line: line)
            } else if seen.contains(text) {
                faults.add("“\(text)” is there twice.", line: line)
            } else if seen.count == WebSettings.maximumCount {
                faults.add("\(name) has at most \(WebSettings.maximumCount) entries.", line: line)
            }
            seen.append(text)
        }
        return seen
    }
}
