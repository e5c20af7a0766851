import IdentityEngine
import IdentityHTTP
import IdentityHooks
import NativeAuthCore
import PortableFoundation

extension ReadTenant {
    /// Adds warnings for the operator about valid settings: policies that cancel each other, and settings that suit
    /// only a development server.
    func advise(_ advice: YAMLFaults, now: Date) {
        if tenant.enrolment == .compatible {
            advice.add(
                """
                enrolment is compatible: who has a user's password and nothing else can enrol a second factor of their own. Use \
                proven in production.
                """, line: members.line(of: "enrolment"))
        }
        for application in applications {
            for scope in application.scopes where scope.text == ConfiguredScope.any {
                advice.add(
                    "the scope * lets \(name(application)) have any scope of any API; name its scopes in production.",
                    line: scope.line)
            }
        }
        if tenant.passkeys?.relyingPartyID == ReadPasskeys.localhost {
            advice.add(
                """
                the domain of passkeys is localhost: only pages of the user's own machine can use them. Give them a domain of yours in \
                production, before users enrol.
                """, line: members.line(of: "passkeys"))
        }
        if let texts = tenant.texts, texts.signsIn, texts.areas == CallingArea.all {
            advice.add(
                """
                sms has signIn and every calling code: a person who types numbers of others causes texts to all countries. List your users' \
                countries, and their prices, in production.
                """, line: members.line(of: "sms"))
        }
        for provider in tenant.providers where provider.issuer.hasPrefix("http://") {
            advice.add(
                "the issuer of \(Terminal.harmless(provider.displayName)) is on this machine, without TLS: a production server does not call it.",
                line: members.line(of: "providers"))
        }
        adviseAttributes(advice)
        adviseClaims(advice)
        adviseEnumeration(advice)
        adviseSecondFactor(advice)
        adviseLevels(advice)
        for application in applications { adviseWeb(application, advice, now: now) }
        for daemon in daemons { daemon.advise(advice, now: now) }
        adviseRoles(advice)
        mail?.advise(advice)
        for hook in hooks { hook.advise(advice) }
        for subscriber in subscribers { subscriber.advise(advice) }
    }

    /// Secrets that are kept on a device, or that are missing on a server, and settings that have no effect.
    private func adviseWeb(_ application: Application, _ advice: YAMLFaults, now: Date) {
        let (client, members, name) = (application.client, application.members, name(application))
        application.credentials.advise(advice, of: name, now: now)
        let isOnServer = !client.redirects[.web].isEmpty
        if client.isConfidential, !isOnServer {
            advice.add(
                """
                \(name) has secrets or keys, and no address in web of redirectUris; apps and pages cannot keep a secret, so that only \
                a program on a server uses one.
                """, line: members.line(of: client.web.secrets.isEmpty ? "keys" : "secrets"))
        } else if isOnServer, !client.isConfidential {
            advice.add(
                """
                \(name) has an address in web of redirectUris, and no secret and no key, so that it is public and must use PKCE; \
                native-auth daemon secret makes a secret.
                """, line: members.line(of: "redirectUris"))
        } else if client.isConfidential, !application.credentials.areValid(at: now) {
            advice.add(
                "\(name) has no secret and no key that is valid, so that its users cannot sign in on the web.",
                line: members.line(of: client.web.secrets.isEmpty ? "keys" : "secrets"))
        }
        if client.isConfidential, isOnServer, client.isNativeAuthEnabled {
            advice.add(
                """
                \(name) has secrets or keys and nativeAuthentication, so that an app which signs users in with it needs a secret for \
                every token, and apps cannot keep one; say nativeAuthentication: false, and give the app an application of its own.
                """, line: members.line(of: client.web.secrets.isEmpty ? "keys" : "secrets"))
        }
        if client.web.isThirdParty, client.isNativeAuthEnabled {
            advice.add(
                """
                \(name) is another organisation's (thirdParty), so that its users sign in at the pages alone; say \
                nativeAuthentication: false.
                """, line: members.line(of: "thirdParty"))
        }
        for target in client.web.opensInBrowser {
            let opens =
                target == Client.accountPageID
                ? applications.contains { $0.client.isOpen(for: .browser) }
                : applications.contains { $0.client.id == target && $0.client.isOpen(for: .browser) }
            guard !opens else { continue }
            advice.add(
                target == Client.accountPageID
                    ? "\(name) opens the account page, which the tenant has once an application has redirectUris."
                    : "\(name) opens \(target) in a browser, which is no application of the tenant with redirectUris.",
                line: members.line(of: "opensInBrowser"))
        }
        if client.web.backChannelLogout?.hasPrefix("http:") == true {
            advice.add(
                "the backChannelLogoutUri of \(name) is http; a production server calls https only, so that each call fails.",
                line: members.line(of: "backChannelLogoutUri"))
        }
        if let address = client.web.backChannelLogout, address.hasPrefix("https:"), isPrivate(address) {
            advice.add(
                """
                the backChannelLogoutUri of \(name) has a private address, which the server calls only if it is in its \
                --hook-networks.
                """, line: members.line(of: "backChannelLogoutUri"))
        }
        if !client.web.allowedOrigins.isEmpty, !client.isNativeAuthEnabled {
            advice.add(
                "\(name) has allowedOrigins and no nativeAuthentication, so that they have no effect.",
                line: members.line(of: "allowedOrigins"))
        }
    }

    /// Whether an address has a number in place of a name, and that of no public machine. What a name leads to shows when it is
    /// called.
    private func isPrivate(_ address: String) -> Bool {
        guard let origin = RedirectAddresses.origin(of: address) else { return false }
        let authority = origin.dropFirst("https://".count)
        let host =
            authority.hasPrefix("[")
            ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return IPAddress(host).map { !DialledAddress.isPublic($0.bytes) } ?? false
    }

    /// A name that is none of the tenant's attributes, although it has a list of them, is often misspelt.
    private func adviseAttributes(_ advice: YAMLFaults) {
        guard !attributes.isEmpty else { return }
        let known = Set(AttributeDefinition.builtIn.map(\.name) + attributes.map(\.name))
        for flow in userFlows {
            for definition in flow.attributes where !known.contains(definition.name) {
                advice.add(
                    "“\(flow.displayName)” has the attribute “\(definition.name)”, which is not in userAttributes; is it misspelt?",
                    line: members.line(of: "userFlows"))
            }
        }
    }

    /// A daemon's role that the application does not define for daemons is stated in no token; it is often misspelt.
    private func adviseRoles(_ advice: YAMLFaults) {
        for client in applications.map(\.client) where !client.roles.isEmpty {
            let defined = client.roles.filter { $0.holders.contains(.daemons) }.map(\.value)
            for daemon in daemons {
                for name in daemon.daemon.roles(for: client.audience, baseURL: "") where !defined.contains(name) {
                    advice.add(
                        """
                        “\(daemon.daemon.displayName)” has the role “\(name)”, which “\(client.displayName)” does not define for \
                        daemons; it has \(defined.isEmpty ? "none" : defined.joined(separator: ", ")).
                        """, line: daemon.line)
                }
            }
        }
    }

    /// Claims that users can lack though the application relies on them, and claims that can be too long.
    private func adviseClaims(_ advice: YAMLFaults) {
        for application in applications {
            let attributes = application.client.userFlow.attributes
            for (claim, line) in application.claims where claim.isEssential {
                guard let definition = claim.definition(in: attributes), !definition.isRequired else { continue }
                advice.add(
                    """
                    the claim “\(claim.name)” is essential, and a sign-up does not ask for “\(claim.attribute)”; tokens of users without \
                    it lack the claim. Require the attribute.
                    """, line: line)
            }
            for place in ApplicationClaim.Place.allCases {
                let claims = application.claims.filter { $0.claim.places.contains(place) }
                let bytes = claims.map { $0.claim.usualBytes(with: attributes) }.reduce(0, +)
                guard bytes > ApplicationClaim.maximumBytes else { continue }
                advice.add(
                    """
                    the longest values of \(name(application)) for “\(place.rawValue)” have about \(bytes) bytes; claims that do not fit \
                    into \(ApplicationClaim.maximumBytes) are left out. Give the attributes a maximumLength.
                    """, line: claims.first?.line)
            }
        }
    }

    /// Applications of a tenant share their accounts: one application can reveal what another hides.
    private func adviseEnumeration(_ advice: YAMLFaults) {
        let modes = applications.map { $0.client.enumeration ?? tenant.enumeration }
        guard let hiding = zip(applications, modes).first(where: { $1 == .strict })?.0 else { return }
        for (application, mode) in zip(applications, modes) where mode != .strict {
            let telling = mode.map { "says \($0.rawValue)" } ?? "says nothing"
            let own = application.client.enumeration == nil ? hiding : application
            advice.add(
                """
                enumeration contradicts itself: \(name(hiding)) is strict and hides who has an account, and \(name(application)) \
                \(telling), so that a stranger learns it there.
                """, line: own.members.line(of: "enumeration"))
        }
    }

    /// A scope that needs a second factor in one application can be available without one in another.
    private func adviseSecondFactor(_ advice: YAMLFaults) {
        let open = applications.filter { !$0.client.userFlow.requiresSecondFactor }
        for guarded in applications where guarded.client.userFlow.requiresSecondFactor {
            for other in open {
                let common = other.scopes.first { scope in
                    guarded.scopes.contains { ConfiguredScope.meet($0.text, scope.text) && !isOpenID($0.text) }
                        && !isOpenID(scope.text)
                }
                guard let common else { continue }
                advice.add(
                    """
                    requiresSecondFactor contradicts itself: \(name(guarded)) requires a second factor, and \(name(other)) may have \
                    \(common.text) without one; the API then cannot rely on it, unless it asks for an authentication context.
                    """, line: common.line)
            }
        }
    }

    /// A rule about a scope that no sign-in asks for protects nothing.
    private func adviseLevels(_ advice: YAMLFaults) {
        for scope in tenant.levels.flatMap(\.scopes)
        where !applications.contains(where: { $0.scopes.contains { ConfiguredScope.meet($0.text, scope) } }) {
            advice.add(
                """
                levels has a rule for \(scope), which no application may ask for: letter case and every character of a scope count.
                """, line: members.line(of: "levels"))
        }
        // With the audience alone an API may take the roles of its users.
        for scope in tenant.levels.flatMap(\.scopes) where !scope.hasSuffix("/*") {
            let all = String(scope[..<(scope.lastIndex(of: "/") ?? scope.endIndex)]) + "/*"
            for application in applications where application.scopes.contains(where: { $0.text == all }) {
                advice.add(
                    """
                    levels has a rule for \(scope), and \(name(application)) may have \(all): a token of another scope has the same \
                    audience. An API that decides by the audience or by roles needs a rule for \(all).
                    """, line: members.line(of: "levels"))
            }
        }
    }

    private func isOpenID(_ scope: String) -> Bool {
        ["openid", "profile", "email", "offline_access"].contains(scope)
    }

    private func name(_ application: Application) -> String { "“\(application.client.displayName)”" }
}

extension ApplicationClaim {
    /// The size of the longest value, in bytes of JSON, when each character is one byte.
    fileprivate func usualBytes(with attributes: [AttributeDefinition]) -> Int {
        guard let definition = definition(in: attributes) else {
            return bytes(.string(String(repeating: "x", count: 254)))
        }
        return switch definition.type {
        case .string: bytes(.string(String(repeating: "x", count: definition.maximumLength)))
        case .integer: bytes(.integer(.min))
        case .boolean: bytes(.boolean(false))
        }
    }
}
