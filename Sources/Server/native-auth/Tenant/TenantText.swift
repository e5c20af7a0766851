import IdentityEngine
import IdentityHTTP
import NativeAuthCore
import PortableFoundation
import Yams

/// Tenants as the members of a tenant file: the values that differ from the default, in the order of
/// docs/operate/tenant-file.md.
enum TenantText {
    typealias Members = [(name: String, value: Node)]

    /// The members of a tenant, without the lists in it.
    static func members(of tenant: Tenant) -> Members {
        let members: [(String, Node?)] = [
            ("id", scalar(tenant.id.description)), ("subdomain", scalar(tenant.subdomain)),
            ("domain", scalar(tenant.domain)), ("displayName", scalar(tenant.displayName)),
            ("enumeration", tenant.enumeration.map { scalar($0.rawValue) }),
            ("enrolment", tenant.enrolment.map { scalar($0.rawValue) }),
            ("mailsPerHour", tenant.mailsPerHour.map { scalar("\($0)") }),
            ("auditDays", tenant.auditDays.map { scalar("\($0)") }),
            ("deletionGraceDays", tenant.deletionGraceDays == 0 ? nil : scalar("\(tenant.deletionGraceDays)")),
            ("authenticatorApps", tenant.offersApps ? scalar("true") : nil),
            ("recoveryCodes", tenant.offersRecoveryCodes ? scalar("true") : nil),
            ("rememberedDeviceDays", tenant.rememberedDays.map { scalar("\($0)") }),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of client: Client) -> Members {
        let flow = client.userFlow
        let rules: [(String, Node?)] =
            switch client.flowSource {
            case .own: [("signIn", scalar(flow.method.rawValue))] + lists(of: flow.attributes)
            case .shared(let id): [("userFlow", scalar(id.text))]
            case .none: [("userFlow", scalar(ReadUserFlow.none))]
            }
        let members: [(String, Node?)] = [
            ("clientId", scalar(client.id.description)), ("displayName", scalar(client.displayName)),
            ("nativeAuthentication", client.isNativeAuthEnabled ? nil : scalar("false")),
            ("scopes", list(client.scopes.map { scalar($0) })),
            (
                "redirectUris",
                client.redirects.all.isEmpty
                    ? nil
                    : mapping(
                        RedirectAddresses.Kind.allCases.compactMap { kind in
                            list(client.redirects[kind].map { scalar($0) }).map { (kind.rawValue, $0) }
                        })
            ),
        ]
        let rest: [(String, Node?)] = [
            ("groupsClaim", client.statesGroups ? scalar("true") : nil),
            ("appRoles", list(client.roles.map { mapping(Self.members(of: $0)) })),
            ("claims", list(client.claims.map { mapping(Self.members(of: $0)) })),
            ("requiresSecondFactor", flow.requiresSecondFactor ? scalar("true") : nil),
            ("requiresDistinctMailbox", flow.requiresDistinctMailbox ? scalar("true") : nil),
            ("enumeration", client.enumeration.map { scalar($0.rawValue) }),
        ]
        let all = members.prefix(2) + rules + members.dropFirst(2) + Self.members(of: client.web) + rest
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func members(of web: WebSettings) -> [(String, Node?)] {
        [
            ("postLogoutRedirectUris", list(web.postLogoutRedirects.map { scalar($0) })),
            ("backChannelLogoutUri", web.backChannelLogout.map { scalar($0) }),
            ("frontChannelLogoutUri", web.frontChannelLogout.map { scalar($0) }),
            ("homepage", web.homepage.map { scalar($0) }),
            ("allowedOrigins", list(web.allowedOrigins.map { scalar($0) })),
            ("secrets", list(web.secrets.map { mapping(Self.members(of: $0)) })),
            ("keys", list(web.keys.map { mapping(Self.members(of: $0)) })),
            ("requiresPKCE", web.requiresPKCE ? nil : scalar("false")),
            ("thirdParty", web.isThirdParty ? scalar("true") : nil),
            ("requiresPushedRequests", web.requiresPushedRequests ? scalar("true") : nil),
            ("deviceFlow", web.allowsDeviceFlow ? scalar("true") : nil),
            ("opensInBrowser", list(web.opensInBrowser.map { scalar(WebSettings.text(ofTarget: $0)) })),
        ]
    }

    private static func members(of role: ApplicationRole) -> Members {
        let holders = ApplicationRole.Holder.allCases.filter(role.holders.contains).map { scalar($0.rawValue) }
        let members: [(String, Node?)] = [
            ("id", scalar(role.id.text)), ("value", scalar(role.value)),
            ("displayName", role.displayName == role.value ? nil : scalar(role.displayName)),
            ("description", role.description.isEmpty ? nil : scalar(role.description)),
            ("enabled", role.isEnabled ? nil : scalar("false")),
            ("for", role.holders == [.users] ? nil : list(holders)),
            ("groups", list(role.groups.map { scalar($0.text) })),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of flow: SharedUserFlow) -> Members {
        let members: [(String, Node?)] =
            [
                ("id", scalar(flow.id.text)), ("displayName", scalar(flow.displayName)),
                ("description", flow.description.isEmpty ? nil : scalar(flow.description)),
                ("priority", flow.priority == SharedUserFlow.usualPriority ? nil : scalar("\(flow.priority)")),
                ("signIn", scalar(flow.method.rawValue)), ("allowsSignUp", flow.allowsSignUp ? nil : scalar("false")),
            ] + lists(of: flow.attributes)
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of attribute: TenantAttribute) -> Members {
        let members: [(String, Node?)] = [
            ("name", scalar(attribute.name)),
            ("displayName", attribute.displayName == attribute.name ? nil : scalar(attribute.displayName)),
            ("description", attribute.description.isEmpty ? nil : scalar(attribute.description)),
            ("type", attribute.type == .string ? nil : scalar(attribute.type.rawValue)),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    /// What an application or a flow says of its attributes.
    private static func lists(of attributes: [AttributeDefinition]) -> [(String, Node?)] {
        let built = Dictionary(uniqueKeysWithValues: AttributeDefinition.builtIn.map { ($0.name, $0) })
        let changed = attributes.filter { isChanged($0, built[$0.name]) }
        let required = attributes.filter { $0.isRequired && !isChanged($0, built[$0.name]) }
        return [
            ("requiredAttributes", list(required.map { scalar($0.name) })),
            ("attributes", list(changed.map { mapping(members(of: $0, built[$0.name])) })),
        ]
    }

    /// The members of a daemon. The secret of the development tenant's daemon is left out: no document can have it.
    static func members(of daemon: Daemon) -> Members {
        let secrets = daemon.secrets.filter { $0.digest != DaemonSecret.digestOfDevelopment }
        let members: [(String, Node?)] = [
            ("clientId", scalar(daemon.id.description)), ("displayName", scalar(daemon.displayName)),
            ("roles", list(daemon.roles.map { scalar($0) })),
            ("secrets", list(secrets.map { mapping(Self.members(of: $0)) })),
            ("keys", list(daemon.keys.map { mapping(Self.members(of: $0)) })),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of texts: TextSettings?) -> Members {
        guard let texts else { return [] }
        var prices = texts.prices.sorted { $0.key < $1.key }
        if texts.usualPrice > 0 { prices.append(("others", texts.usualPrice)) }
        let members: [(String, Node?)] = [
            ("callingCodes", list(texts.areas.sorted().map { scalar($0) })), ("name", scalar(texts.brand)),
            ("domain", texts.domain.map { scalar($0) }),
            (
                "prices",
                prices.isEmpty ? nil : mapping(prices.map { ($0.key, scalar(ReadTexts.text(of: $0.value))) })
            ),
            ("costPerDay", texts.costPerDay.map { scalar(ReadTexts.text(of: $0)) }),
            ("costPerMonth", texts.costPerMonth.map { scalar(ReadTexts.text(of: $0)) }),
            ("byHook", texts.goesToHook ? scalar("true") : nil),
            ("signIn", texts.signsIn ? scalar("true") : nil),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of passkeys: PasskeySettings?) -> Members {
        guard let passkeys else { return [] }
        let androidApps = passkeys.androidApps.map { app in
            let certificates = app.certificates.map {
                Node(PasskeySettings.AndroidApp.text(of: $0), .implicit, .doubleQuoted)
            }
            return mapping([("package", scalar(app.package)), ("certificates", Node(certificates))])
        }
        let members: [(String, Node?)] = [
            ("domain", scalar(passkeys.relyingPartyID)), ("origins", list(passkeys.origins.map { scalar($0) })),
            ("appleApps", list(passkeys.appleApps.map { scalar($0) })), ("androidApps", list(androidApps)),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The providers that a document can have: not the one that a development server plays.
    static func written(_ providers: [IdentityProvider]) -> [IdentityProvider] {
        providers.filter { $0.issuer != IdentityProvider.sample.issuer }
    }

    static func members(of provider: IdentityProvider) -> Members {
        let kind: ReadProviders.Kind = provider.isApple ? .apple : provider.isGoogle ? .google : .openID
        let domains: [String] =
            switch provider.authority {
            case .domains(let domains): domains.sorted()
            case .nothing, .everything, .google: []
            }
        let web = provider.web.map { web -> Node in
            mapping(
                [("clientId", scalar(web.clientID))]
                    + (web.credential.variable.map { [("secretFrom", scalar($0))] } ?? []))
        }
        let members: [(String, Node?)] = [
            ("kind", scalar(kind.rawValue)), ("id", scalar(provider.id)),
            ("displayName", scalar(provider.displayName)), ("issuer", kind == .openID ? scalar(provider.issuer) : nil),
            ("nativeClients", list(provider.nativeClients.map { scalar($0) })), ("web", web),
            ("keyFrom", provider.key.map { scalar($0.variable) }), ("teamId", provider.key.map { scalar($0.team) }),
            ("keyId", provider.key.map { scalar($0.key) }),
            ("domains", list(domains.map { scalar($0) })),
            ("strength", provider.strength.map { mapping(Self.members(of: $0)) }),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func members(of strength: ProviderStrength) -> Members {
        func entries(_ entries: [ProviderStrength.Entry]) -> Node? {
            list(entries.map { mapping([("value", scalar($0.value)), ("level", scalar($0.level.rawValue))]) })
        }
        let members = [("acr", entries(strength.byContext)), ("amr", entries(strength.byMethod))]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of rule: LevelRule) -> Members {
        let members: [(String, Node?)] = [
            ("level", scalar(rule.level.rawValue)), ("maxAge", rule.maximumAge.map { scalar("\($0)") }),
            ("contexts", list(rule.contexts.map { scalar($0) })),
            ("applications", list(rule.applications.map { scalar($0.description) })),
            ("scopes", list(rule.scopes.map { scalar($0) })), ("groups", list(rule.groups.map { scalar($0.text) })),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of mail: TenantMail) -> Members {
        let colours = TenantMail.Colour.allCases.compactMap { colour in
            mail.colours[colour].map { (colour.rawValue, Node($0, .implicit, .doubleQuoted)) }
        }
        let templates = TenantMail.Part.allCases.compactMap { part in
            mail.templates[part].map { (part.rawValue, Node($0, .implicit, .literal)) }
        }
        let texts: Members = MailLanguage.allCases.compactMap { language in
            guard let texts = mail.texts[language], !texts.isEmpty else { return nil }
            let mails: Members = ([nil] + MailContent.Purpose.allCases.map(Optional.some)).compactMap { purpose in
                let sentences = TenantMail.Text.Role.allCases.compactMap { role in
                    texts[.init(purpose, role)].map { (role.rawValue, scalar($0)) }
                }
                return sentences.isEmpty ? nil : (purpose?.rawValue ?? ReadMail.allCodes, mapping(sentences))
            }
            return (language.rawValue, mapping(mails))
        }
        let members: [(String, Node?)] = [
            ("sender", mail.sender.map { scalar($0) }), ("senderName", mail.senderName.map { scalar($0) }),
            ("replyTo", mail.replyTo.map { scalar($0) }), ("language", mail.language.map { scalar($0.rawValue) }),
            ("logo", mail.logo.map { scalar($0.bytes.base64EncodedString()) }),
            ("colours", colours.isEmpty ? nil : mapping(colours)), ("texts", texts.isEmpty ? nil : mapping(texts)),
            ("templates", templates.isEmpty ? nil : mapping(templates)),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of pages: TenantPages) -> Members {
        func colours(_ scheme: TenantPages.Scheme) -> Node? {
            let named = TenantPages.Colour.allCases.compactMap { colour in
                pages.colours[scheme]?[colour].map { (colour.rawValue, Node($0.text, .implicit, .doubleQuoted)) }
            }
            return named.isEmpty ? nil : mapping(named)
        }
        let links = TenantPages.Link.allCases.compactMap { link in
            pages.links[link].map { (link.rawValue, scalar($0)) }
        }
        let texts: Members = MailLanguage.allCases.compactMap { language in
            let sentences = TenantPages.Text.allCases.compactMap { text in
                pages.texts[language]?[text].map { (text.rawValue, scalar($0)) }
            }
            return sentences.isEmpty ? nil : (language.rawValue, mapping(sentences))
        }
        let members: [(String, Node?)] = [
            ("logo", pages.logo.map { scalar($0.bytes.base64EncodedString()) }),
            ("darkLogo", pages.darkLogo.map { scalar($0.bytes.base64EncodedString()) }),
            ("colours", colours(.light)), ("darkColours", colours(.dark)),
            ("links", links.isEmpty ? nil : mapping(links)), ("texts", texts.isEmpty ? nil : mapping(texts)),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of hook: Hook) -> Members {
        let applications = (hook.applications ?? []).map(\.description).sorted()
        let members: [(String, Node?)] = [
            ("id", scalar(hook.id.text)), ("displayName", scalar(hook.displayName)),
            ("event", scalar(hook.event.rawValue)), ("url", scalar(hook.url)),
            ("audience", scalar(hook.audience.text)), ("enabled", hook.isEnabled ? nil : scalar("false")),
            ("userFlows", list(hook.userFlows.map(\.text).sorted().map { scalar($0) })),
            ("applications", list(applications.map { scalar($0) })),
            ("timeoutMilliseconds", hook.timeout == Hook.usualTimeout ? nil : scalar("\(hook.timeout)")),
            ("retries", hook.retries == 1 ? nil : scalar("\(hook.retries)")),
            ("onFailure", hook.onFailure == .block ? nil : scalar(hook.onFailure.rawValue)),
            ("claims", list(hook.claims.map { mapping(Self.members(of: $0)) })),
            ("migrationAttribute", hook.migration?.attribute.map { scalar($0) }),
            ("encryptionKey", hook.migration.map { Node($0.encryptionKey, .implicit, .literal) }),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of subscriber: Subscriber) -> Members {
        let events = Subscriber.Event.allCases.filter(subscriber.events.contains).map(\.rawValue)
        let members: [(String, Node?)] = [
            ("id", scalar(subscriber.id.text)), ("displayName", scalar(subscriber.displayName)),
            ("url", scalar(subscriber.url)), ("audience", scalar(subscriber.audience.text)),
            ("events", events.count == Subscriber.Event.allCases.count ? nil : list(events.map { scalar($0) })),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func members(of claim: HookClaim) -> Members {
        let places = claim.places.map(\.rawValue).sorted()
        let members: [(String, Node?)] = [
            ("name", scalar(claim.name)), ("from", claim.member == claim.name ? nil : scalar(claim.member)),
            ("in", claim.places == HookClaim.possiblePlaces ? nil : list(places.map { scalar($0) })),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    static func members(of secret: DaemonSecret) -> Members {
        let members: [(String, Node?)] = [
            ("id", scalar(secret.id.text)),
            ("displayName", secret.displayName.isEmpty ? nil : scalar(secret.displayName)),
            ("hint", secret.hint.isEmpty ? nil : Node(secret.hint, .implicit, .doubleQuoted)),
            ("sha256", Node(Base64URL.encode(secret.digest), .implicit, .doubleQuoted)),
            ("starts", secret.startsAt.map { scalar($0.formatted(.iso8601)) }),
            ("ends", scalar(secret.endsAt.formatted(.iso8601))),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func members(of key: DaemonKey) -> Members {
        [
            ("id", scalar(key.id.text)), ("publicKey", Node(key.publicKey, .implicit, .literal)),
            ("ends", scalar(key.endsAt.formatted(.iso8601))),
        ]
    }

    /// The lines of a secret for the list `secrets` of a daemon.
    static func lines(of secret: DaemonSecret) throws -> String {
        try Yams.serialize(node: Node([mapping(members(of: secret))], .implicit, .block), width: -1, allowUnicode: true)
    }

    /// A document with these tenants.
    static func document(_ directory: TenantDirectory) throws -> String {
        let tenants = directory.entries.map { entry in
            let applications = entry.applications.map { mapping(members(of: $0)) }
            let daemons = list(entry.daemons.map { mapping(members(of: $0)) })
            let (mail, pages) = (members(of: entry.tenant.mail), members(of: entry.tenant.pages))
            let (texts, passkeys) = (members(of: entry.tenant.texts), members(of: entry.tenant.passkeys))
            let providers = list(written(entry.tenant.providers).map { mapping(members(of: $0)) })
            let levels = list(entry.tenant.levels.map { mapping(members(of: $0)) })
            let hooks = list(entry.tenant.hooks.map { mapping(members(of: $0)) })
            let subscribers = list(entry.tenant.subscribers.map { mapping(members(of: $0)) })
            let flows = list(entry.userFlows.map { mapping(members(of: $0)) })
            let attributes = list(entry.attributes.map { mapping(members(of: $0)) })
            return mapping(
                members(of: entry.tenant) + (mail.isEmpty ? [] : [("mail", mapping(mail))])
                    + (texts.isEmpty ? [] : [("sms", mapping(texts))])
                    + (passkeys.isEmpty ? [] : [("passkeys", mapping(passkeys))])
                    + (providers.map { [("providers", $0)] } ?? [])
                    + (levels.map { [("levels", $0)] } ?? [])
                    + (pages.isEmpty ? [] : [("pages", mapping(pages))])
                    + (attributes.map { [("userAttributes", $0)] } ?? [])
                    + (flows.map { [("userFlows", $0)] } ?? []) + [("applications", Node(applications))]
                    + (daemons.map { [("daemons", $0)] } ?? []) + (hooks.map { [("hooks", $0)] } ?? [])
                    + (subscribers.map { [("subscribers", $0)] } ?? []))
        }
        return try Yams.serialize(node: mapping([("tenants", Node(tenants))]), width: -1, allowUnicode: true)
    }

    /// A value in one line, for messages.
    static func line(_ node: Node) -> String {
        switch node {
        case .scalar(let scalar): Terminal.harmless(scalar.string)
        case .sequence(let sequence): "[" + sequence.map { line($0) }.joined(separator: ", ") + "]"
        case .mapping(let mapping):
            "{" + mapping.map { line($0.key) + ": " + line($0.value) }.joined(separator: ", ") + "}"
        case .alias: ""
        }
    }

    // MARK: -

    /// Whether the attribute has other rules than the built-in one, apart from being required, or is not built in.
    private static func isChanged(_ attribute: AttributeDefinition, _ built: AttributeDefinition?) -> Bool {
        guard var built else { return true }
        built.isRequired = attribute.isRequired
        return built != attribute
    }

    private static func members(of attribute: AttributeDefinition, _ built: AttributeDefinition?) -> Members {
        let standard = built ?? AttributeDefinition(name: attribute.name)
        let members: [(String, Node?)] = [
            ("name", scalar(attribute.name)),
            ("type", attribute.type == standard.type ? nil : scalar(attribute.type.rawValue)),
            ("required", attribute.isRequired ? scalar("true") : nil),
            ("regex", attribute.pattern.map { scalar($0.source) }), ("label", attribute.label.map { scalar($0) }),
            (
                "maximumLength",
                attribute.maximumLength == standard.maximumLength ? nil : scalar("\(attribute.maximumLength)")
            ),
            (
                "userMayChange",
                attribute.userMayChange == standard.userMayChange ? nil : scalar("\(attribute.userMayChange)")
            ),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func members(of claim: ApplicationClaim) -> Members {
        let places = ApplicationClaim.Place.allCases.filter(claim.places.contains)
        let members: [(String, Node?)] = [
            ("name", scalar(claim.name)),
            (
                "attribute",
                claim.attribute == ApplicationClaim.usualAttribute(of: claim.name) ? nil : scalar(claim.attribute)
            ),
            (
                "in",
                claim.places == ApplicationClaim.usualPlaces ? nil : list(places.map { scalar($0.rawValue) })
            ),
            ("essential", claim.isEssential ? scalar("true") : nil),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    /// A scalar, quoted when YAML would read it as null.
    private static func scalar(_ text: String) -> Node {
        Node(text, .implicit, ["", "~", "null"].contains(text.lowercased()) ? .doubleQuoted : .any)
    }

    /// A list, in one line when it has only scalars; nil when it is empty.
    private static func list(_ nodes: [Node]) -> Node? {
        let isFlat = nodes.allSatisfy { $0.scalar != nil }
        return nodes.isEmpty ? nil : Node(nodes, .implicit, isFlat ? .flow : .block)
    }

    static func mapping(_ members: Members) -> Node {
        Node(members.map { (Node($0.name), $0.value) })
    }
}
