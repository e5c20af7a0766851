import IdentityEngine
import IdentityHooks
import NativeAuthCore
import PortableFoundation
import Yams

/// The tenant document, a file or a row of the database: YAML with tenants, their applications, attributes and
/// daemons.
/// docs/operate/tenant-file.md describes the format.
struct TenantFile {
    let directory: TenantDirectory
    /// Warnings for the operator about valid settings, one sentence each, with the line.
    let warnings: [String]

    /// Reads the file of `--config`.
    ///
    /// - Throws: All problems together, each naming the file and the line.
    static func read(_ path: String) throws(ServeSettings.Invalid) -> TenantFile {
        try TenantFile(text(of: path, named: "--config \(path)"), named: "--config \(path)")
    }

    /// The text of a file.
    ///
    /// - Parameter name: The name of the file in error messages.
    static func text(of path: String, named name: String) throws(ServeSettings.Invalid) -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw .init(problems: ["\(name) cannot be read: \(reason(at: path))."])
        }
    }

    private static func reason(at path: String) -> String {
        let files = FileManager.default
        guard files.fileExists(atPath: path) else { return "there is no such file" }
        // FoundationEssentials has no other question for it; an error means that the path is no folder.
        if (try? files.contentsOfDirectory(atPath: path)) != nil { return "it is a folder" }
        guard files.isReadableFile(atPath: path) else { return "this user may not read it" }
        return "it is not text in UTF-8"
    }

    /// The longest document, so that reading one takes no more than a second or two.
    static let maximumBytes = 1 << 20

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - name: The name of the document in error messages.
    ///   - now: The time that the ends of secrets and keys are compared with, for warnings only.
    /// - Throws: All problems together, each with the line.
    init(_ text: String, named name: String, now: Date = SystemClock().now) throws(ServeSettings.Invalid) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw .init(problems: ["\(name) has more than 1 MiB; the document of all tenants must be shorter."])
        }
        let faults = YAMLFaults(name)
        let root = try Self.compose(text, named: name)
        var reader = TenantReader(faults: faults)
        let tenants = YAMLMembers(of: root, "the document", faults).map { members in
            let list = members.list("tenants", of: "a tenant", isRequired: true)
            if list.isEmpty, faults.sentences.isEmpty { members.add("there is no tenant.", at: "tenants") }
            let tenants = list.map { reader.tenant($0) }
            members.end()
            return tenants
        }
        guard let tenants, faults.sentences.isEmpty else { throw .init(problems: faults.sentences) }
        directory = TenantDirectory(
            tenants.map { tenant in
                .init(
                    tenant: tenant.tenant, applications: tenant.applications.map(\.client),
                    daemons: tenant.daemons.map(\.daemon), userFlows: tenant.userFlows, attributes: tenant.attributes)
            })
        let advice = YAMLFaults(name)
        for tenant in tenants { tenant.advise(advice, now: now) }
        warnings = advice.sentences
    }

    private static func compose(_ text: String, named name: String) throws(ServeSettings.Invalid) -> Node {
        do {
            if let root = try Yams.compose(yaml: text) { return root }
        } catch YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _)
        {
            throw .init(problems: ["\(name):\(mark.line): this is not YAML: \(problem)."])
        } catch YamlError.duplicatedKeysInMapping(let names, let context) {
            let members = names.sorted().map { "“\($0)”" }.joined(separator: ", ")
            throw .init(problems: ["\(name):\(context.mark.line): members are given twice: \(members)."])
        } catch {
            throw .init(problems: ["\(name) is not YAML."])
        }
        throw .init(problems: ["\(name) names no tenant."])
    }
}

/// A tenant of a document, with the lines of its members.
struct ReadTenant {
    struct Application {
        var client: Client
        var members: YAMLMembers
        /// The scopes as configured, with their lines.
        var scopes: [(text: String, line: Int?)]
        /// The claims as configured, with their lines.
        var claims: [(claim: ApplicationClaim, line: Int?)]
        var credentials: ReadCredentials
    }

    var tenant: Tenant
    var members: YAMLMembers
    var applications: [Application]
    var daemons: [ReadDaemon]
    var userFlows: [SharedUserFlow]
    var attributes: [TenantAttribute]
    var hooks: [ReadHook]
    var mail: ReadMail?
    var subscribers: [ReadSubscriber]
}

/// Parses the tenants of a document. Faults are added to `faults`; a faulty value is replaced by a placeholder that is
/// never used.
private struct TenantReader {
    let faults: YAMLFaults
    private var names: Set<String> = []
    private var passkeyDomains: Set<String> = []
    /// The issuer that gets the secret of an environment variable.
    private var providerSecrets: [String: String] = [:]

    init(faults: YAMLFaults) {
        self.faults = faults
    }

    mutating func tenant(_ members: YAMLMembers) -> ReadTenant {
        var tenant = Tenant(
            id: TenantID(id("id", of: members)), subdomain: name("subdomain", of: members) ?? "",
            domain: name("domain", of: members) ?? "", displayName: displayName(of: members),
            enumeration: members.choice("enumeration"), enrolment: members.choice("enrolment"),
            mailsPerHour: members.number("mailsPerHour", 1...Int.max),
            auditDays: members.number("auditDays", 1...36_500),
            deletionGraceDays: members.number("deletionGraceDays", 0...90) ?? 0)
        tenant.offersApps = members.flag("authenticatorApps") ?? false
        tenant.offersRecoveryCodes = members.flag("recoveryCodes") ?? false
        tenant.rememberedDays = members.number("rememberedDeviceDays", RememberedDevice.days)
        for (member, name) in [
            ("id", tenant.id.description), ("domain", tenant.domain), ("subdomain", tenant.subdomain),
        ] where !name.isEmpty && !names.insert(name.lowercased()).inserted {
            members.add("two tenants are called “\(name)”.", at: member)
        }
        var clients: Set<ClientID> = []
        if tenant.id == OperatorTenant.id {
            members.add("the id \(tenant.id) is that of the operators' tenant.", at: "id")
        }
        let attributes = ReadUserFlow.attributes(members.list("userAttributes", of: "an attribute of the tenant"))
        let flows = members.list("userFlows", of: "a user flow").map { entry in
            ReadUserFlow.flow(
                entry, displayName: displayName(of: entry), id: id("id", of: entry, called: "id of a user flow"),
                attributes, faults)
        }
        ReadUserFlow.check(flows)
        if let texts = members.members("sms", of: "sms") {
            tenant.texts = ReadTexts.texts(texts, of: tenant.displayName)
        }
        if members.isEmpty("sms") { members.add("sms has no members; it needs callingCodes.", at: "sms") }
        if let passkeys = members.members("passkeys", of: "the member passkeys") {
            let read = ReadPasskeys.passkeys(passkeys)
            if !read.relyingPartyID.isEmpty, !passkeyDomains.insert(read.relyingPartyID).inserted {
                passkeys.add("two tenants have passkeys of “\(read.relyingPartyID)”.", at: "domain")
            }
            tenant.passkeys = read
        }
        if members.isEmpty("passkeys") { members.add("passkeys has no members; it needs domain.", at: "passkeys") }
        tenant.providers = ReadProviders.providers(
            members.list("providers", of: "a provider"), of: members, &providerSecrets)
        let mayRegister =
            tenant.texts != nil || tenant.offersApps || tenant.passkeys != nil || tenant.statedLevel > .oneFactor
        let applications = members.list("applications", of: "an application", isRequired: true).map { entry in
            let application = application(entry, flows.map(\.flow), attributes, mayRegister: mayRegister)
            if application.client.id == HookTokens.caller { addCaller(application.client.id, entry) }
            if !clients.insert(application.client.id).inserted {
                entry.add("two applications of the tenant have the clientId \(application.client.id).", at: "clientId")
            }
            return application
        }
        tenant.levels = ReadLevels.levels(
            members.list("levels", of: "a rule of levels"), of: members, tenant, clients: applications.map(\.client))
        let daemons = members.list("daemons", of: "a daemon").map { entry in
            let daemon = ReadDaemon(
                id: ClientID(id("clientId", of: entry)), displayName: displayName(of: entry), entry, faults)
            if daemon.daemon.id == HookTokens.caller { addCaller(daemon.daemon.id, entry) }
            if !clients.insert(daemon.daemon.id).inserted {
                entry.add(
                    "two applications or daemons of the tenant have the clientId \(daemon.daemon.id).", at: "clientId")
            }
            return daemon
        }
        let mail = members.members("mail", of: "mail").map { ReadMail($0, faults) }
        if let mail { tenant.mail = mail.mail }
        if let pages = members.members("pages", of: "pages") { tenant.pages = ReadPages.pages(pages) }
        let hooks = members.list("hooks", of: "a hook").map { entry in
            ReadHook(
                displayName: displayName(of: entry), entry, clients: applications.map(\.client),
                flows: flows.map(\.flow), attributes: attributes, ids: clients, faults)
        }
        ReadHook.check(hooks)
        tenant.hooks = hooks.map(\.hook)
        if tenant.texts?.goesToHook == true, !tenant.hooks.contains(where: { $0.event == .otpSend && $0.isEnabled }) {
            members.add("sms has byHook, and the tenant has no hook for otpSend.", at: "sms")
        }
        let subscribers = members.list("subscribers", of: "a subscriber").map { entry in
            ReadSubscriber(displayName: displayName(of: entry), entry, ids: clients)
        }
        ReadSubscriber.check(subscribers)
        tenant.subscribers = subscribers.map(\.subscriber)
        let patterns =
            applications.filter { $0.client.flowSource == .own }.flatMap(\.client.userFlow.attributes)
            + flows.flatMap(\.flow.attributes)
        if patterns.reduce(0, { $0 + ($1.pattern?.cost ?? 0) }) > ReadUserFlow.mostPatternCost {
            members.add("the regular expressions of all attributes are too large together.", at: "applications")
        }
        members.end()
        return ReadTenant(
            tenant: tenant, members: members, applications: applications, daemons: daemons,
            userFlows: flows.map(\.flow), attributes: attributes, hooks: hooks, mail: mail,
            subscribers: subscribers)
    }

    private func addCaller(_ id: ClientID, _ members: YAMLMembers) {
        members.add("the clientId \(id) is that of this server's calls of hooks; choose another.", at: "clientId")
    }

    private func application(
        _ members: YAMLMembers, _ flows: [SharedUserFlow], _ tenantAttributes: [TenantAttribute], mayRegister: Bool
    ) -> ReadTenant.Application {
        let clientID = ClientID(id("clientId", of: members))
        let displayName = displayName(of: members)
        let (source, shared) = flow(of: members, among: flows)
        let method: UserFlow.Method? = shared?.method ?? members.choice("signIn")
        if source == .own, members.text("signIn") == nil {
            members.add(
                "“\(displayName)” needs signIn or userFlow; an application that is an API alone has userFlow: none.",
                at: "signIn")
        }
        let isNative = members.flag("nativeAuthentication")
        let scopes = members.texts("scopes")
        for scope in scopes {
            if let fault = ConfiguredScope.fault(scope.text) { faults.add(fault, line: scope.line) }
        }
        let required = members.texts("requiredAttributes")
        let own = ReadUserFlow.attributes(
            members.list("attributes", of: "an attribute"), required: required, tenantAttributes, faults)
        let attributes = shared?.attributes ?? own
        let claims = claims(members.list("claims", of: "a claim"), with: attributes)
        let needsFactor = members.flag("requiresSecondFactor") ?? false
        if source != .own {
            for name in ["signIn", "requiredAttributes", "attributes"] where members.has(name) {
                members.add("“\(displayName)” has a userFlow, which says this; leave \(name) out.", at: name)
            }
        }
        // At sign-up a user of codes can register a telephone, an authenticator app or a passkey (docs/protocol.md §4.7).
        if needsFactor, method == .emailOneTimePasscode, !mayRegister {
            members.add(
                "“\(displayName)” requiresSecondFactor, and a user without a password has none at sign-up; signIn must be emailPassword, or the tenant must have sms, authenticatorApps, passkeys or a provider with strength.",
                at: "requiresSecondFactor")
        }
        let (web, credentials) = ReadWebSettings.settings(of: members, client: clientID, faults)
        let before = faults.count
        let redirects = ReadWebSettings.redirects(of: members, client: clientID, faults)
        let lacksRedirects = faults.count > before
        let client = Client(
            id: clientID, displayName: displayName,
            userFlow: UserFlow(
                method: method ?? .emailPassword, attributes: attributes, requiresSecondFactor: needsFactor,
                requiresDistinctMailbox: members.flag("requiresDistinctMailbox") ?? false,
                allowsSignUp: shared?.allowsSignUp ?? true), flowSource: source,
            isNativeAuthEnabled: isNative ?? true, scopes: scopes.map(\.text),
            enumeration: members.choice("enumeration"),
            redirects: redirects,
            statesGroups: members.flag("groupsClaim") ?? false,
            roles: ReadRole.roles(members.list("appRoles", of: "an application's role"), faults),
            claims: claims.map(\.claim), web: web)
        ReadWebSettings.checkLogout(of: client, members, lacksRedirects: lacksRedirects)
        ReadWebSettings.checkTickets(of: client, members)
        members.end()
        return ReadTenant.Application(
            client: client, members: members, scopes: scopes, claims: claims, credentials: credentials)
    }

    /// Where the application has its user flow from; the shared one, if it names one.
    private func flow(
        of members: YAMLMembers, among flows: [SharedUserFlow]
    ) -> (source: UserFlowSource, shared: SharedUserFlow?) {
        guard let text = members.text("userFlow") else { return (.own, nil) }
        if text == ReadUserFlow.none { return (.none, nil) }
        guard let id = UUID(uuidString: text), let found = flows.first(where: { $0.id == id }) else {
            members.add(
                "the userFlow “\(text)” is none of the tenant's userFlows; “none” is for no flow.", at: "userFlow")
            return (.none, nil)
        }
        return (.shared(id), found)
    }

    /// The claims, with the lines where they begin.
    private func claims(
        _ entries: [YAMLMembers], with attributes: [AttributeDefinition]
    ) -> [(claim: ApplicationClaim, line: Int?)] {
        let claims = entries.map { entry in
            let claim = ApplicationClaim(
                name: entry.text("name", isRequired: true) ?? "", attribute: entry.text("attribute"),
                places: entry.choices("in").map { Set($0) } ?? ApplicationClaim.usualPlaces,
                isEssential: entry.flag("essential") ?? false)
            entry.end()
            return (claim: claim, line: entry.line)
        }
        // A missing name has its fault already.
        for fault in ApplicationClaim.faults(of: claims.map(\.claim), with: attributes)
        where !claims[fault.index].claim.name.isEmpty {
            let member = fault.subject == .name ? "name" : "attribute"
            entries[fault.index].add(fault.sentence, at: member)
        }
        return claims
    }

    private func id(_ name: String, of members: YAMLMembers, called noun: String? = nil) -> UUID {
        // Unique, so that two missing ids are not reported as one id.
        let none = UUID()
        guard let text = members.text(name, isRequired: true) else { return none }
        if let id = ClientID(text) { return id.uuid }
        members.add("the \(noun ?? (name == "id" ? "tenant id" : name)) “\(text)” is not a UUID.", at: name)
        return none
    }

    /// The subdomain, one label of a host name, or the domain, two or more labels (RFC 1035 section 2.3.1), because
    /// mails come from it.
    private func name(_ name: String, of members: YAMLMembers) -> String? {
        guard let text = members.text(name, isRequired: true) else { return nil }
        let isLabel = name == "subdomain"
        let domain = isLabel ? text + ".example" : text
        if EmailAddress("no-reply@" + domain)?.address.utf8.count == domain.utf8.count + 9,
            !(isLabel && text.contains("."))
        {
            if isLabel, ["graph", "dev", "livez", "readyz", "console"].contains(text.lowercased()) {
                members.add("the subdomain “\(text)” is a path of the server itself; choose another.", at: name)
            }
            return text
        }
        members.add(
            "the \(name) “\(text)” must be "
                + (isLabel
                    ? "one label: 1 to 63 letters, digits and inner hyphens."
                    : "a domain name, such as harbour.example.com: labels of letters, digits and inner hyphens, with dots between."),
            at: name)
        return text
    }

    private func displayName(of members: YAMLMembers) -> String {
        guard let text = members.text("displayName", isRequired: true) else { return "" }
        if !(1...256).contains(text.utf8.count) || Terminal.harmless(text) != text || text.allSatisfy(\.isWhitespace) {
            members.add(
                "displayName must have 1 to 256 bytes, not blanks alone, and no line end or control character.",
                at: "displayName")
        }
        return text
    }
}
