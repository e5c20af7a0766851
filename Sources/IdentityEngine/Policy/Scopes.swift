/// The scopes that a request gets.
package struct ScopeGrant: Hashable, Sendable {
    /// Any of `openid profile offline_access email`.
    package var openID: [String]
    /// The one resource of the request, such as `api://orders`, in the spelling of its audience; nil when none was named.
    package var resource: String?
    /// What of the resource was granted, without the resource in front, such as `Orders.Read`.
    package var resourceScopes: [String]
    /// The same in the words of the request.
    package var asked: [String]

    /// - Parameter asked: Nil: the resource, a slash, and the scope.
    package init(openID: [String], resource: String?, resourceScopes: [String], asked: [String]? = nil) {
        self.openID = openID
        self.resource = resource
        self.resourceScopes = resourceScopes
        self.asked = asked ?? resourceScopes.map { scope in resource.map { "\($0)/\(scope)" } ?? scope }
    }

    /// All granted scopes, as asked.
    package var all: [String] { openID + asked }
}

package enum ScopeJudgement: Hashable, Sendable {
    case granted(ScopeGrant)
    case refused(Refusal)
}

/// A scope of a resource: an API of the tenant's, or the directory.
package struct ResourceScope: Hashable, Sendable {
    /// Such as `api://orders`: the audience of access tokens for it.
    package var resource: String
    /// Such as `Orders.Read`, or `*` for all that there are.
    package var name: String

    /// The scopes that are of no resource (native-auth-v1 §5.7).
    package static let openID: Set<String> = ["openid", "profile", "offline_access", "email"]
    /// The audience of the directory: the vendor's id of its directory API, by which scripts and SDKs know it.
    package static let directory = "00000003-0000-0000-c000-000000000000"
    /// What of the directory an application can be given (directory-api §8.2).
    package static let directoryNames: Set<String> = [
        "User.Read", "User.ReadWrite", "User-PasswordProfile.ReadWrite.All", "Directory.AccessAsUser.All",
        "UserAuthenticationMethod.Read", "nativeAuth.User.DeleteSelf", "nativeAuth.User.ChangeEmail", "User.Read.All",
        "User.ReadWrite.All", "User.DeleteRestore.All", "User.RevokeSessions.All", "UserAuthenticationMethod.Read.All",
        "UserAuthenticationMethod.ReadWrite.All", "UserAuthMethod-Email.ReadWrite.All", "Organization.Read.All",
        "Directory.Read.All", "Application.Read.All", "Application.ReadWrite.All",
        "DelegatedPermissionGrant.ReadWrite.All", "AppRoleAssignment.ReadWrite.All", "EventListener.Read.All",
        "EventListener.ReadWrite.All", "IdentityUserFlow.Read.All", "IdentityUserFlow.ReadWrite.All",
        "IdentityProvider.Read.All", "CustomAuthenticationExtension.Read.All",
        "CustomAuthenticationExtension.ReadWrite.All", "AuditLog.Read.All", "UserAuthMethod-Password.ReadWrite.All",
    ]

    /// Reads what is no scope of OpenID Connect: resource, slash, name; or a bare name, which is one of the directory
    /// (decision D17).
    ///
    /// - Parameters:
    ///   - text: Such as `api://orders/Orders.Read`, `User.Read`, `https://graph.microsoft.com/User.Read`.
    ///   - baseURL: The server's own; the directory goes by its names, too: `{base}/graph`, `{scheme}://{host}`.
    /// - Returns: Nil for what has neither a resource nor a name.
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

    /// Whether an application that has this one in its list may have `other`. All of the directory is all that it has.
    fileprivate func covers(_ other: ResourceScope) -> Bool {
        guard resource == other.resource else { return false }
        return name == other.name || name == "*"
    }

    fileprivate var exists: Bool { resource != Self.directory || Self.directoryNames.contains(name) }
}

extension Client {
    /// Judges requested scopes: those of OpenID Connect, and those of at most one resource that the application may use
    /// (native-auth-v1 §5.7). At most 16, of at most 256 bytes (`SEC-NET-10`).
    ///
    /// - Parameter baseURL: The server's own, as in ``ResourceScope/init(_:baseURL:)``.
    package func judge(_ requested: [String], baseURL: String) -> ScopeJudgement {
        guard !requested.isEmpty, requested.count <= 16, requested.allSatisfy(Self.isWellFormed) else {
            return .refused(.invalidScope)
        }
        let mayUse = scopes.compactMap { $0 == "*" ? nil : ResourceScope($0, baseURL: baseURL) }
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
            // The wildcard is for lists of what may be asked for.
            guard scope.exists, scope.name != "*", scopes.contains("*") || mayUse.contains(where: { $0.covers(scope) })
            else {
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

    /// RFC 6749 section 3.3: printable ASCII without blank, quote and backslash.
    private static func isWellFormed(_ scope: String) -> Bool {
        let utf8 = scope.utf8
        return !utf8.isEmpty && utf8.count <= 256
            && utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}

extension RefreshFamily {
    /// What a refresh is for that names no scope: what the sign-in was for.
    package func scopesOfSignIn(baseURL: String) -> [String] {
        let resource = scopes.lazy.compactMap { ResourceScope($0, baseURL: baseURL) }.first?.resource
        return scopes.filter { ResourceScope($0, baseURL: baseURL).map { $0.resource == resource } ?? true }
    }

    /// What of `wanted` this session may have. Of a resource that it has scopes of: those, and no others (RFC 6749 section 6).
    /// Another resource that the application may use is a new grant. OpenID scopes are those of the sign-in.
    ///
    /// - Parameter wanted: What the application may have.
    /// - Returns: What the tokens are for, and the scopes that the session has from now on; nil when it goes beyond the grant.
    package func narrowing(
        _ wanted: ScopeGrant, baseURL: String
    ) -> (grant: ScopeGrant, scopes: [String], isNew: Bool)? {
        var grant = wanted
        grant.openID = wanted.openID.filter(scopes.contains)
        guard let resource = wanted.resource else { return grant.openID.isEmpty ? nil : (grant, scopes, false) }
        let granted = scopes.compactMap { ResourceScope($0, baseURL: baseURL) }.filter { $0.resource == resource }
        guard !granted.isEmpty else { return (grant, scopes + grant.asked, true) }
        let names = granted.map(\.name)
        return wanted.resourceScopes.allSatisfy(names.contains) ? (grant, scopes, false) : nil
    }
}
