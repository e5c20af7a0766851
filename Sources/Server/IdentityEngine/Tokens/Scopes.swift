/// The scopes granted to a request.
package struct ScopeGrant: Hashable, Sendable {
    /// Any of `openid profile offline_access email`.
    package var openID: [String]
    /// The resource of the request, such as `api://orders`, in the spelling of its audience; nil when the request names
    /// none.
    package var resource: String?
    /// The granted scopes of the resource, without the resource prefix, such as `Orders.Read`.
    package var resourceScopes: [String]
    /// The same scopes in the spelling of the request.
    package var asked: [String]

    /// - Parameter asked: The spelling of the request; nil: resource, slash, scope.
    package init(openID: [String], resource: String?, resourceScopes: [String], asked: [String]? = nil) {
        self.openID = openID
        self.resource = resource
        self.resourceScopes = resourceScopes
        self.asked = asked ?? resourceScopes.map { scope in resource.map { "\($0)/\(scope)" } ?? scope }
    }

    /// All granted scopes, in the spelling of the request.
    package var all: [String] { openID + asked }
}

package enum ScopeJudgement: Hashable, Sendable {
    case granted(ScopeGrant)
    case refused(Refusal)
}

/// A scope of a resource: of one of the tenant's APIs, or of the directory.
package struct ResourceScope: Hashable, Sendable {
    /// The audience of access tokens for the resource, such as `api://orders`.
    package var resource: String
    /// The name of the scope, such as `Orders.Read`, or `*` for all scopes of the resource.
    package var name: String

    /// The scopes that belong to no resource (docs/protocol.md §5.7).
    package static let openID: Set<String> = ["openid", "profile", "offline_access", "email"]
    /// The audience of the directory: the vendor's id of its directory API, which scripts and SDKs use.
    package static let directory = "00000003-0000-0000-c000-000000000000"
    /// The directory scopes that an application can get (design record 0014).
    package static let directoryNames: Set<String> = [
        "User.Read", "User.ReadWrite", "User-PasswordProfile.ReadWrite.All", "Directory.AccessAsUser.All",
        "UserAuthenticationMethod.Read", "UserAuthMethod-Email.ReadWrite", "nativeAuth.User.DeleteSelf",
        "nativeAuth.User.ChangeEmail", "UserAuthMethod-SoftwareOATH.ReadWrite", "UserAuthMethod-Phone.ReadWrite",
        "UserAuthMethod-Passkey.ReadWrite", "nativeAuth.User.RecoveryCodes",
        "UserAuthMethod-SoftwareOATH.ReadWrite.All", "UserAuthMethod-Phone.ReadWrite.All",
        "UserAuthMethod-Passkey.ReadWrite.All", "User.Read.All",
        "User.ReadWrite.All", "User.DeleteRestore.All", "User.RevokeSessions.All", "UserAuthenticationMethod.Read.All",
        "UserAuthenticationMethod.ReadWrite.All", "UserAuthMethod-Email.ReadWrite.All", "Organization.Read.All",
        "Directory.Read.All", "Application.Read.All", "Application.ReadWrite.All",
        "DelegatedPermissionGrant.ReadWrite.All", "AppRoleAssignment.ReadWrite.All", "EventListener.Read.All",
        "EventListener.ReadWrite.All", "IdentityUserFlow.Read.All", "IdentityUserFlow.ReadWrite.All",
        "IdentityProvider.Read.All", "CustomAuthenticationExtension.Read.All",
        "CustomAuthenticationExtension.ReadWrite.All", "AuditLog.Read.All", "UserAuthMethod-Password.ReadWrite.All",
        "User.EnableDisableAccount.All", "User.ManageIdentities.All", "User.Export.All", "Group.Read.All",
        "Group.ReadWrite.All", "GroupMember.Read.All", "GroupMember.ReadWrite.All",
    ]

    /// Parses a scope that is not an OpenID Connect scope: resource, slash, name; or a bare name, which is a directory
    /// scope (design record 0014).
    ///
    /// - Parameters:
    ///   - text: A scope such as `api://orders/Orders.Read`, `User.Read`, `https://graph.microsoft.com/User.Read`.
    ///   - baseURL: The server's own base URL; `{base}/graph` and `{scheme}://{host}` also name the directory.
    /// - Returns: Nil when the text has no resource and no name.
    package init?(_ text: String, baseURL: String) {
        guard !Self.openID.contains(text) else { return nil }
        let separator = text.utf8.lastIndex(of: UInt8(ascii: "/"))
        guard let separator, text.utf8.contains(UInt8(ascii: ":")) || text.hasPrefix("\(Self.directory)/") else {
            guard separator == nil, !text.isEmpty else { return nil }
            (resource, name) = (Self.directory, text)
            return
        }
        resource = String(text[..<separator])
        name = String(text[text.utf8.index(after: separator)...])
        guard !resource.isEmpty, !name.isEmpty else { return nil }
        let origin = baseURL.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
        let names = ["https://graph.microsoft.com", "\(baseURL)/graph", origin.joined(separator: "/")]
        if names.contains(resource) { resource = Self.directory }
    }

    /// Whether an application with this scope in its list may have `other`. `*` covers all scopes of the resource.
    fileprivate func covers(_ other: ResourceScope) -> Bool {
        guard resource == other.resource else { return false }
        return name == other.name || name == "*"
    }

    fileprivate var exists: Bool { resource != Self.directory || Self.directoryNames.contains(name) }

    /// RFC 6749 section 3.3: printable ASCII without blank, quote and backslash; at most 256 bytes (`SEC-NET-10`).
    static func isWellFormed(_ scope: String) -> Bool {
        let utf8 = scope.utf8
        return !utf8.isEmpty && utf8.count <= 256
            && utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}

extension Client {
    /// Checks requested scopes: OpenID Connect scopes, and the scopes of at most one resource that the application may
    /// use (docs/protocol.md §5.7). At most 16, of at most 256 bytes (`SEC-NET-10`).
    ///
    /// - Parameter baseURL: The server's own base URL, as in ``ResourceScope/init(_:baseURL:)``.
    package func judge(_ requested: [String], baseURL: String) -> ScopeJudgement {
        guard !requested.isEmpty, requested.count <= 16, requested.allSatisfy(ResourceScope.isWellFormed) else {
            return .refused(.invalidScope)
        }
        func mayUse(_ scope: ResourceScope) -> Bool {
            scopes.contains("*") || scopes.contains { ResourceScope($0, baseURL: baseURL)?.covers(scope) == true }
        }
        var grant = ScopeGrant(openID: [], resource: nil, resourceScopes: [])
        for text in requested {
            if ResourceScope.openID.contains(text) {
                if !grant.openID.contains(text) { grant.openID.append(text) }
                continue
            }
            guard let scope = ResourceScope(text, baseURL: baseURL),
                grant.resource == nil || grant.resource == scope.resource
            else {
                return .refused(.invalidScope)
            }
            // Wildcards are valid only in an application's list, not in a request.
            guard scope.exists, scope.name != "*", mayUse(scope) else {
                return .refused(.scopeNotConsented)
            }
            grant.resource = scope.resource
            if !grant.resourceScopes.contains(scope.name) {
                grant.resourceScopes.append(scope.name)
                grant.asked.append(text)
            }
        }
        return .granted(grant)
    }
}

extension RefreshFamily {
    /// The scopes of a refresh that names none: the scopes of the sign-in.
    package func scopesOfSignIn(baseURL: String) -> [String] {
        let resource = scopes.lazy.compactMap { ResourceScope($0, baseURL: baseURL) }.first?.resource
        return scopes.filter { ResourceScope($0, baseURL: baseURL).map { $0.resource == resource } ?? true }
    }

    /// The part of `wanted` that this session may have. For a resource that the session has scopes of, only those
    /// scopes (RFC 6749 section 6). Another resource that the application may use is a new grant. OpenID scopes are
    /// limited to those of the sign-in.
    ///
    /// - Parameters:
    ///   - wanted: The scopes that the application may have.
    ///   - client: Another organisation's gets no other resource: the user has allowed what was asked (`OIDC-26`).
    /// - Returns: The grant for the tokens, and the session's scopes from now on; nil when `wanted` goes beyond the
    ///   grant.
    package func narrowing(
        _ wanted: ScopeGrant, of client: Client, baseURL: String
    ) -> (grant: ScopeGrant, scopes: [String], isNew: Bool)? {
        var grant = wanted
        grant.openID = wanted.openID.filter(scopes.contains)
        guard let resource = wanted.resource else { return grant.openID.isEmpty ? nil : (grant, scopes, false) }
        let granted = scopes.compactMap { ResourceScope($0, baseURL: baseURL) }.filter { $0.resource == resource }
        guard !granted.isEmpty else {
            return client.web.isThirdParty ? nil : (grant, scopes + grant.asked, true)
        }
        let names = granted.map(\.name)
        return wanted.resourceScopes.allSatisfy(names.contains) ? (grant, scopes, false) : nil
    }
}
