/// The scopes that a request gets.
package struct ScopeGrant: Hashable, Sendable {
    /// Any of `openid profile offline_access email`.
    package var openID: [String]
    /// The one resource of the request, such as `api://orders`; nil when none was named.
    package var resource: String?
    /// What of the resource was granted, without the resource in front, such as `Orders.Read`.
    package var resourceScopes: [String]

    package init(openID: [String], resource: String?, resourceScopes: [String]) {
        self.openID = openID
        self.resource = resource
        self.resourceScopes = resourceScopes
    }

    /// All granted scopes, as asked.
    package var all: [String] {
        openID + resourceScopes.map { scope in resource.map { "\($0)/\(scope)" } ?? scope }
    }
}

package enum ScopeJudgement: Hashable, Sendable {
    case granted(ScopeGrant)
    case refused(Refusal)
}

extension Client {
    /// `openid profile offline_access email` (native-auth-v1 §5.7).
    private static let openIDScopes: Set<String> = ["openid", "profile", "offline_access", "email"]

    /// Judges requested scopes: those of OpenID Connect, and those of at most one resource that the application may use
    /// (native-auth-v1 §5.7). At most 16, of at most 256 bytes (`SEC-NET-10`).
    package func judge(_ requested: [String]) -> ScopeJudgement {
        guard !requested.isEmpty, requested.count <= 16, requested.allSatisfy(Self.isWellFormed) else {
            return .refused(.invalidScope)
        }
        var grant = ScopeGrant(openID: [], resource: nil, resourceScopes: [])
        for scope in requested {
            if Self.openIDScopes.contains(scope) {
                if !grant.openID.contains(scope) { grant.openID.append(scope) }
                continue
            }
            // A scope of a resource is the resource, a slash, and a name: api://orders/Orders.Read.
            guard let slash = scope.utf8.lastIndex(of: UInt8(ascii: "/")), scope.utf8.contains(UInt8(ascii: ":")) else {
                return .refused(.invalidScope)
            }
            let resource = String(scope[..<slash])
            let name = String(scope[scope.utf8.index(after: slash)...])
            guard !resource.isEmpty, !name.isEmpty, grant.resource == nil || grant.resource == resource else {
                return .refused(.invalidScope)
            }
            guard scopes.contains(where: { $0 == "*" || $0 == scope || $0 == "\(resource)/*" }) else {
                return .refused(.scopeNotConsented)
            }
            grant.resource = resource
            if !grant.resourceScopes.contains(name) { grant.resourceScopes.append(name) }
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
