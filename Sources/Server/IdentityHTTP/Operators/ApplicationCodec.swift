import HTTPTypes
import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Applications and daemons of a tenant as the vendor's directory has them, without any secret (docs/protocol.md §18.6).
enum ApplicationCodec {
    typealias Object = [String: JSONValue]

    static func object(_ client: Client, in tenant: TenantID) -> Object {
        var object = shared(client.id, client.displayName, in: tenant)
        object["isFallbackPublicClient"] = .boolean(!client.canKeepSecrets)
        object["nativeAuthenticationApisEnabled"] = .string(client.isNativeAuthEnabled ? "all" : "none")
        if client.flowSource != .none { object["nativeAuthSignIn"] = .string(client.userFlow.method.rawValue) }
        if let flow = client.sharedFlow { object["nativeAuthUserFlowId"] = .string(flow.text) }
        object["publicClient"] = redirects(client.redirects[.publicClient])
        object["spa"] = redirects(client.redirects[.spa])
        object["web"] = web(
            client.redirects[.web], homepage: client.web.homepage, logout: client.web.frontChannelLogout)
        if client.statesGroups { object["groupMembershipClaims"] = .string("SecurityGroup") }
        object["appRoles"] = .array(client.roles.map(GrantCodec.object))
        object["nativeAuthScopes"] = .texts(client.scopes)
        object["nativeAuthPostLogoutRedirectUris"] = .texts(client.web.postLogoutRedirects)
        object["nativeAuthBackChannelLogoutUri"] = client.web.backChannelLogout.map { .string($0) } ?? .null
        object["nativeAuthAllowedOrigins"] = .texts(client.web.allowedOrigins)
        object["nativeAuthRequiresPkce"] = .boolean(client.web.requiresPKCE)
        object["nativeAuthIsThirdParty"] = .boolean(client.web.isThirdParty)
        object["nativeAuthRequiresPushedRequests"] = .boolean(client.web.requiresPushedRequests)
        object["nativeAuthAllowsDeviceFlow"] = .boolean(client.web.allowsDeviceFlow)
        object["nativeAuthOpensInBrowser"] = .texts(client.web.opensInBrowser.map(WebSettings.text(ofTarget:)))
        return object.merging(credentials(client.web.secrets, client.web.keys)) { $1 }
    }

    static func object(_ daemon: Daemon, in tenant: TenantID) -> Object {
        var object = shared(daemon.id, daemon.displayName, in: tenant)
        object["nativeAuthRoles"] = .texts(daemon.roles)
        return object.merging(credentials(daemon.secrets, daemon.keys)) { $1 }
    }

    private static func credentials(_ secrets: [DaemonSecret], _ keys: [DaemonKey]) -> Object {
        [
            "passwordCredentials": .array(secrets.map { .object(object($0, text: nil)) }),
            "keyCredentials": .array(
                keys.map { key in
                    .object([
                        "keyId": .string(key.id.text), "type": .string("AsymmetricPublicKey"),
                        "usage": .string("Verify"), "endDateTime": .string(key.endsAt.ISO8601Format()),
                    ])
                }),
        ]
    }

    /// All members, with the values of an object that has none of what they say.
    private static func shared(_ id: ClientID, _ name: String, in tenant: TenantID) -> Object {
        [
            "id": .string(ObjectID.application(id, in: tenant)), "appId": .string(id.description),
            "displayName": .string(name), "signInAudience": .string("AzureADMyOrg"),
            "isFallbackPublicClient": .boolean(false), "nativeAuthenticationApisEnabled": .string("none"),
            "nativeAuthSignIn": .null, "nativeAuthUserFlowId": .null, "groupMembershipClaims": .null,
            "publicClient": redirects([]), "spa": redirects([]), "web": web([], homepage: nil, logout: nil),
            "appRoles": .array([]),
            "nativeAuthScopes": .array([]), "nativeAuthRoles": .array([]), "passwordCredentials": .array([]),
            "keyCredentials": .array([]), "nativeAuthPostLogoutRedirectUris": .array([]),
            "nativeAuthBackChannelLogoutUri": .null,
            "nativeAuthAllowedOrigins": .array([]), "nativeAuthRequiresPkce": .boolean(true),
            "nativeAuthIsThirdParty": .boolean(false), "nativeAuthAllowsDeviceFlow": .boolean(false),
            "nativeAuthRequiresPushedRequests": .boolean(false),
        ]
    }

    /// - Parameter text: The secret itself, in the answer that makes it.
    static func object(_ secret: DaemonSecret, text: Secret<String>?) -> Object {
        [
            "keyId": .string(secret.id.text), "displayName": .string(secret.displayName), "hint": .string(secret.hint),
            "secretText": text.map { .string($0.reveal()) } ?? .null,
            "startDateTime": secret.startsAt.map { .string($0.ISO8601Format()) } ?? .null,
            "endDateTime": .string(secret.endsAt.ISO8601Format()),
        ]
    }

    // MARK: - Bodies of changes

    /// The members of the vendor's application that scripts send and this server does not keep.
    private static let unkept: Set<String> = [
        "api", "identifieruris", "requiredresourceaccess", "description", "notes", "tags", "optionalclaims", "info",
    ]
    private static let readOnly: Set<String> = [
        "id", "appid", "createddatetime", "passwordcredentials", "keycredentials", "nativeauthroles",
        "nativeauthuserflowid",
        "publisherdomain",
    ]

    /// What a body says of an application or a daemon.
    struct Change {
        var displayName: String?
        var isPublic: Bool?
        var isNative: Bool?
        var method: UserFlow.Method?
        /// Drops the application's own rules.
        var hasNoFlow = false
        var scopes: [String]?
        var statesGroups: Bool?
        /// Without their groups.
        var roles: [ApplicationRole]?
        var redirects: [RedirectAddresses.Kind: [String]] = [:]
        /// Of the member `web`; the inner nil removes it.
        var homepage: String??
        /// The same for `logoutUrl` of `web`.
        var frontChannelLogout: String??
        var backChannelLogout: String??
        var postLogoutRedirects: [String]?
        var allowedOrigins: [String]?
        var requiresPKCE: Bool?
        var isThirdParty: Bool?
        var requiresPushedRequests: Bool?
        var allowsDeviceFlow: Bool?
        var opensInBrowser: [ClientID]?

        /// Whether a new object is an application of an app or of the web, or an API with roles, and no daemon.
        var makesApplication: Bool {
            hasRedirects || allowsDeviceFlow == true
                || (isPublic ?? isNative ?? (method != nil || roles?.isEmpty == false))
        }

        var hasRedirects: Bool { !redirects.values.allSatisfy(\.isEmpty) }
    }

    /// - Parameter id: The client id of the application.
    /// - Throws: ``DirectoryFailure`` for a member that is unknown, read-only or has a wrong value.
    static func change(_ object: Object, of id: ClientID) throws(DirectoryFailure) -> Change {
        var change = Change()
        var names: Set<String> = []
        if let twice = object.keys.sorted().first(where: { !names.insert($0.lowercased()).inserted }) {
            throw DirectoryFailure(.invalidValue(twice))
        }
        for (name, value) in object.sorted(by: { $0.key < $1.key }) where !name.hasPrefix("@odata.") {
            let fault = DirectoryFailure(.invalidValue(name))
            switch name.lowercased() {
            case "displayname":
                guard let text = value.string, (1...256).contains(text.count) else { throw fault }
                change.displayName = text
            case "isfallbackpublicclient":
                switch value {
                case .boolean(let flag): change.isPublic = flag
                case .null: break
                case .string, .integer, .number, .array, .object: throw fault
                }
            case "nativeauthenticationapisenabled":
                switch value {
                case .string("all"): change.isNative = true
                case .string("none"), .null: change.isNative = false
                case .string, .boolean, .integer, .number, .array, .object: throw fault
                }
            case "nativeauthsignin" where value == .null: change.hasNoFlow = true
            case "nativeauthsignin":
                guard let method = value.string.flatMap({ UserFlow.Method(rawValue: $0) }) else { throw fault }
                change.method = method
            case "nativeauthscopes":
                guard case .array(let items) = value, items.count <= 100, items.allSatisfy({ $0.string != nil }) else {
                    throw fault
                }
                change.scopes = items.compactMap(\.string)
            case "publicclient": try take(value, of: .publicClient, id, into: &change)
            case "spa": try take(value, of: .spa, id, into: &change)
            case "web": try take(value, of: .web, id, into: &change)
            case "nativeauthpostlogoutredirecturis":
                change.postLogoutRedirects = try texts(value, name) {
                    RedirectAddresses.fault($0, of: .publicClient, client: id)
                }
            case "nativeauthbackchannellogouturi":
                guard value == .null || value.string != nil else { throw fault }
                change.backChannelLogout = .some(value.string)
            case "nativeauthallowedorigins":
                change.allowedOrigins = try texts(value, name) { RedirectAddresses.fault(origin: $0) }
            case "nativeauthrequirespkce": change.requiresPKCE = try flag(value, name) ?? true
            case "nativeauthisthirdparty": change.isThirdParty = try flag(value, name) ?? false
            case "nativeauthrequirespushedrequests":
                change.requiresPushedRequests = try flag(value, name) ?? false
            case "nativeauthallowsdeviceflow": change.allowsDeviceFlow = try flag(value, name) ?? false
            case "nativeauthopensinbrowser":
                change.opensInBrowser = try texts(value, name) {
                    WebSettings.target(of: $0) == nil ? "is neither account nor a client id" : nil
                }.compactMap(WebSettings.target(of:))
            case "groupmembershipclaims":
                switch value {
                case .string("SecurityGroup"), .string("All"): change.statesGroups = true
                case .string("None"), .null: change.statesGroups = false
                case .string, .boolean, .integer, .number, .array, .object: throw fault
                }
            case "approles": change.roles = try roles(value)
            case "signinaudience": guard value.string == "AzureADMyOrg" else { throw fault }
            case let word where readOnly.contains(word): throw DirectoryFailure(.readOnlyProperty(name))
            case let word where unkept.contains(word): break
            case _: throw DirectoryFailure(.unknownProperty(name))
            }
        }
        return change
    }

    /// - Throws: ``DirectoryFailure`` when a daemon is to become an application, or to have what only an application has.
    static func checkForDaemon(_ change: Change) throws(DirectoryFailure) {
        try refuse([
            ("isFallbackPublicClient", change.isPublic == true),
            ("nativeAuthenticationApisEnabled", change.isNative == true),
            ("nativeAuthSignIn", change.method != nil), ("nativeAuthScopes", change.scopes ?? [] != []),
            ("groupMembershipClaims", change.statesGroups == true), ("appRoles", change.roles ?? [] != []),
            ("redirectUris", change.hasRedirects), ("homePageUrl", change.homepage.flatMap(\.self) != nil),
            ("logoutUrl", change.frontChannelLogout.flatMap(\.self) != nil),
            ("nativeAuthBackChannelLogoutUri", change.backChannelLogout.flatMap(\.self) != nil),
            ("nativeAuthPostLogoutRedirectUris", change.postLogoutRedirects ?? [] != []),
            ("nativeAuthAllowedOrigins", change.allowedOrigins ?? [] != []),
            ("nativeAuthRequiresPkce", change.requiresPKCE == false),
            ("nativeAuthIsThirdParty", change.isThirdParty == true),
            ("nativeAuthRequiresPushedRequests", change.requiresPushedRequests == true),
            ("nativeAuthAllowsDeviceFlow", change.allowsDeviceFlow == true),
            ("nativeAuthOpensInBrowser", change.opensInBrowser ?? [] != []),
        ])
    }

    /// - Parameter client: The application before the change.
    /// - Throws: ``DirectoryFailure`` when it is to become a daemon: it has no address of a server then.
    static func check(_ change: Change, for client: Client) throws(DirectoryFailure) {
        let isOnServer = client.isConfidential || !(change.redirects[.web] ?? client.redirects[.web]).isEmpty
        try refuse([("isFallbackPublicClient", change.isPublic == false && !isOnServer)])
    }

    private static func refuse(_ unfit: [(name: String, isUnfit: Bool)]) throws(DirectoryFailure) {
        if let first = unfit.first(where: \.isUnfit) { throw DirectoryFailure(.readOnlyProperty(first.name)) }
    }

    private static func redirects(_ addresses: [String]) -> JSONValue {
        .object(["redirectUris": .texts(addresses)])
    }

    private static func web(_ addresses: [String], homepage: String?, logout: String?) -> JSONValue {
        .object([
            "redirectUris": .texts(addresses), "homePageUrl": homepage.map { .string($0) } ?? .null,
            "logoutUrl": logout.map { .string($0) } ?? .null,
        ])
    }

    private static func flag(_ value: JSONValue, _ name: String) throws(DirectoryFailure) -> Bool? {
        switch value {
        case .boolean(let flag): flag
        case .null: nil
        case .string, .integer, .number, .array, .object: throw DirectoryFailure(.invalidValue(name))
        }
    }

    private static func texts(
        _ value: JSONValue, _ name: String, _ fault: (String) -> String?
    ) throws(DirectoryFailure) -> [String] {
        guard value != .null else { return [] }
        let rule = "a list of at most \(WebSettings.maximumCount) texts, each one once"
        guard case .array(let items) = value, items.count <= WebSettings.maximumCount else { throw .wrong(name, rule) }
        let texts = items.compactMap(\.string)
        guard texts.count == items.count, Set(texts).count == texts.count else { throw .wrong(name, rule) }
        if let fault = texts.lazy.compactMap(fault).first { throw .unfit("An item of \(name) \(fault).", name) }
        return texts
    }

    private static func roles(_ value: JSONValue) throws(DirectoryFailure) -> [ApplicationRole] {
        guard value != .null else { return [] }
        guard case .array(let items) = value, items.count <= ApplicationRole.maximumCount else {
            throw .wrong("appRoles", "a list of at most \(ApplicationRole.maximumCount) roles")
        }
        var roles: [ApplicationRole] = []
        for item in items {
            let role = try role(item)
            guard !roles.contains(where: { $0.id == role.id || $0.value == role.value }) else {
                throw .wrong("appRoles", "roles with an id and a value that no other has")
            }
            roles.append(role)
        }
        return roles
    }

    private static func role(_ item: JSONValue) throws(DirectoryFailure) -> ApplicationRole {
        var members = try BodyMembers(item, "appRoles")
        guard let id = try members.text("id").flatMap({ UUID(uuidString: $0) }) else {
            throw .wrong("appRoles.id", "a UUID that the caller chooses")
        }
        guard let value = try members.text("value", 1...256), ApplicationRole.isWellFormed(value) else {
            throw .wrong(
                "appRoles.value",
                "1 to \(ApplicationRole.longestValue) letters, digits, dots, hyphens and underscores, not beginning with a dot"
            )
        }
        let name = try members.text("displayName", 1...256) ?? value
        let description = try members.text("description") ?? ""
        // The usual value would enable a role again that an older list does not know to be off.
        guard let isEnabled = try members.flag("isEnabled") else {
            throw .wrong("appRoles.isEnabled", "true or false")
        }
        var holders: Set<ApplicationRole.Holder> = []
        for type in try members.list("allowedMemberTypes") ?? [] {
            switch type.string {
            case "User": holders.insert(.users)
            case "Application": holders.insert(.daemons)
            case _: throw .wrong("appRoles.allowedMemberTypes", "a list of User, Application, or both")
            }
        }
        guard !holders.isEmpty else {
            throw .wrong("appRoles.allowedMemberTypes", "a list of User, Application, or both")
        }
        _ = try members.text("origin")
        try members.end()
        return ApplicationRole(
            id: id, value: value, displayName: name, description: description, isEnabled: isEnabled, holders: holders)
    }

    /// The addresses of a kind, and the home page of `web`; what else the vendor has beside them is not kept.
    private static func take(
        _ value: JSONValue, of kind: RedirectAddresses.Kind, _ id: ClientID, into change: inout Change
    ) throws(DirectoryFailure) {
        guard value != .null else {
            change.redirects[kind] = []
            if kind == .web { (change.homepage, change.frontChannelLogout) = (.some(nil), .some(nil)) }
            return
        }
        var members = try BodyMembers(value, kind.rawValue)
        _ = (
            members.value("implicitGrantSettings"), members.value("redirectUriSettings"),
            members.value("lastModifiedDateTime")
        )
        let removesLogout = members.isNull("logoutUrl")
        let logout = try members.text("logoutUrl")
        if kind == .web, logout != nil || removesLogout { change.frontChannelLogout = .some(logout) }
        let removesHomepage = members.isNull("homePageUrl")
        let homepage = try members.text("homePageUrl")
        let given = try members.list("redirectUris")
        try members.end()
        if kind == .web, homepage != nil || removesHomepage {
            if let fault = homepage.flatMap({ RedirectAddresses.fault($0, of: .web, client: id) }) {
                throw .unfit("The home page \(fault).", "homePageUrl")
            }
            change.homepage = .some(homepage)
        }
        guard let given else { return }
        let texts = given.compactMap(\.string)
        guard texts.count == given.count, Set(texts).count == texts.count else {
            throw .wrong("redirectUris", "a list of addresses, each one once")
        }
        var addresses = RedirectAddresses()
        for text in texts {
            let fault =
                RedirectAddresses.fault(text, of: kind, client: id) ?? addresses.fault(adding: text, to: kind)
            if let fault { throw .unfit("An address of \(kind.rawValue) \(fault).", "redirectUris") }
            addresses.all[kind, default: []].append(text)
        }
        change.redirects[kind] = texts
    }

    /// What the body says of the application at the index.
    ///
    /// - Parameter mayAssign: Whether the caller may change what the holders of roles have.
    static func apply(
        _ change: Change, toApplicationAt index: Int, of entry: inout TenantDirectory.Entry, mayAssign: Bool
    ) throws(TenantEditFault) {
        if let roles = change.roles {
            let before = entry.applications[index].roles
            let kept = roles.map { role in
                var role = role
                // Who has it is said by assignments.
                if role.holders.contains(.users) { role.groups = before.first { $0.id == role.id }?.groups ?? [] }
                return role
            }
            guard mayAssign || !entry.changesHolders(ofApplicationAt: index, with: kept) else { throw .notAllowed }
            entry.replaceRoles(ofApplicationAt: index, with: kept)
        }
        apply(change, to: &entry.applications[index])
        try checkWeb(of: entry.applications[index])
    }

    /// A logout address depends on the redirect addresses, so that it is judged after the change.
    static func checkWeb(of client: Client) throws(TenantEditFault) {
        let faults = Client.LogoutChannel.allCases.compactMap { channel -> String? in
            let name =
                switch channel {
                case .back: "nativeAuthBackChannelLogoutUri"
                case .front: "logoutUrl"
                }
            return client.fault(ofLogoutAddress: channel).map { "\(name) \($0)." }
        }
        let tickets = client.faultOfTickets.map { ["nativeAuthOpensInBrowser \($0)."] } ?? []
        guard faults.isEmpty, tickets.isEmpty else { throw .invalid(faults + tickets) }
    }

    /// What the body says besides the roles.
    static func apply(_ change: Change, to client: inout Client) {
        client.displayName = change.displayName ?? client.displayName
        client.isNativeAuthEnabled = change.isNative ?? client.isNativeAuthEnabled
        if change.hasNoFlow { (client.userFlow, client.flowSource) = (UserFlow(method: .emailOneTimePasscode), .none) }
        if let method = change.method { (client.userFlow.method, client.flowSource) = (method, .own) }
        client.scopes = change.scopes ?? client.scopes
        client.redirects = RedirectAddresses(client.redirects.all.merging(change.redirects) { $1 })
        client.statesGroups = change.statesGroups ?? client.statesGroups
        var web = client.web
        web.homepage = change.homepage ?? web.homepage
        web.frontChannelLogout = change.frontChannelLogout ?? web.frontChannelLogout
        web.backChannelLogout = change.backChannelLogout ?? web.backChannelLogout
        web.postLogoutRedirects = change.postLogoutRedirects ?? web.postLogoutRedirects
        web.allowedOrigins = change.allowedOrigins ?? web.allowedOrigins
        web.requiresPKCE = change.requiresPKCE ?? web.requiresPKCE
        web.isThirdParty = change.isThirdParty ?? web.isThirdParty
        web.requiresPushedRequests = change.requiresPushedRequests ?? web.requiresPushedRequests
        web.allowsDeviceFlow = change.allowsDeviceFlow ?? web.allowsDeviceFlow
        web.opensInBrowser = change.opensInBrowser ?? web.opensInBrowser
        client.web = web
    }

    /// Removes an application or a daemon that no hook names.
    static func remove(
        _ id: ClientID, from entry: inout TenantDirectory.Entry, mayAssign: Bool
    ) throws(TenantEditFault) {
        if let hook = entry.tenant.hooks.first(where: { $0.applications?.contains(id) == true }) {
            throw .invalid(["The hook \(hook.displayName) is for this application; change the hook first."])
        }
        if let index = entry.applications.firstIndex(where: { $0.id == id }) {
            guard mayAssign || !entry.changesHolders(ofApplicationAt: index, with: []) else { throw .notAllowed }
            // Daemons lose its roles with it.
            entry.replaceRoles(ofApplicationAt: index, with: [])
            entry.applications.remove(at: index)
        }
        entry.daemons.removeAll { $0.id == id }
    }

    /// Name and end of a new secret.
    ///
    /// - Throws: ``DirectoryFailure`` for an end that is past, or more than two years away.
    static func password(_ object: Object, now: Date) throws(DirectoryFailure) -> (name: String, end: Date) {
        let longest = now.addingTimeInterval(730 * 86_400)
        let fault = DirectoryFailure(.invalidValue("passwordCredential"))
        guard object.keys.allSatisfy({ $0.lowercased() == "passwordcredential" }) else { throw fault }
        var (name, end) = ("", longest)
        guard let credential = object.first?.value, credential != .null else { return (name, end) }
        guard case .object(let members) = credential else { throw fault }
        for (member, value) in members {
            switch (member.lowercased(), value) {
            case ("displayname", .string(let text)) where text.utf8.count <= 256: name = text
            case ("enddatetime", .string(let text)):
                guard let date = try? Date(text, strategy: .iso8601), date > now, date <= longest else { throw fault }
                end = date
            case (_, .null): break
            case _: throw fault
            }
        }
        return (name, end)
    }

    static func keyID(_ object: Object) throws(DirectoryFailure) -> UUID {
        guard object.count == 1, object.first?.key.lowercased() == "keyid",
            let id = object.first?.value.string.flatMap({ UUID(uuidString: $0) })
        else { throw DirectoryFailure(.invalidValue("keyId")) }
        return id
    }
}
