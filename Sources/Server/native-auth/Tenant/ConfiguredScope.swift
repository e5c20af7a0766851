import IdentityEngine

/// A scope in the tenant file that an application may ask for (docs/operate/tenant-file.md, “Scopes”).
enum ConfiguredScope {
    /// All scopes of all resources.
    static let any = "*"

    /// Why the scope can never be granted, as a sentence; nil when it can.
    static func fault(_ scope: String) -> String? {
        if scope == any { return nil }
        // The characters of RFC 6749 section 3.3, and the longest scope of a request.
        let isText = scope.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
        guard isText, (1...256).contains(scope.utf8.count) else {
            return
                "the scope “\(scope)” must be 1 to 256 printable ASCII characters without a blank, quotation mark or backslash."
        }
        guard scope.contains("/") || scope.contains(":") else {
            // An OpenID scope such as `openid`, or a directory scope such as User.Read.
            return isOfDirectory(scope) || ResourceScope.openID.contains(scope) ? nil : never(scope, unknown)
        }
        guard let slash = scope.lastIndex(of: "/") else { return never(scope, form) }
        let (resource, name) = (scope[..<slash], scope[scope.index(after: slash)...])
        if [vendorsDirectory, ResourceScope.directory].contains(String(resource)) {
            return name == any || isOfDirectory(String(name)) ? nil : never(scope, unknown)
        }
        guard isURI(resource) else {
            return never(
                scope,
                resource.hasSuffix("/") ? "it names a resource and no scope of it, as in \(scope)/Orders.Read" : form)
        }
        if name == any { return resource.contains("*") ? never(scope, star) : nil }
        if scope.contains("*") { return never(scope, star) }
        return name.isEmpty ? never(scope, form) : nil
    }

    /// Why a daemon's role can never be given, as a sentence; nil when it can. A role is spelled like a scope, and has no
    /// wildcard, because a token lists roles by name.
    static func fault(role: String) -> String? {
        if role.contains("*") { return "the role “\(role)” must be one name, without *; a token lists roles by name." }
        if let fault = fault(role) { return fault.replacing("the scope", with: "the role") }
        guard let scope = ResourceScope(role, baseURL: "") else {
            return "the role “\(role)” is of OpenID Connect, and a daemon has no user."
        }
        guard scope.resource != ResourceScope.directory || ResourceScope.applicationRoles.contains(scope.name) else {
            return "the role “\(role)” needs a user; daemons can have roles such as User.Read.All."
        }
        return nil
    }

    /// Whether one token scope matches both configured scopes.
    static func meet(_ one: String, _ other: String) -> Bool {
        func covers(_ wide: String, _ scope: String) -> Bool {
            wide == scope || wide == any || (wide.hasSuffix("/*") && scope.hasPrefix(wide.dropLast()))
        }
        return covers(one, other) || covers(other, one)
    }

    private static let form =
        "it must be a name such as User.Read, or the URI of a resource, a slash and a name, as in api://orders/Orders.Read"
    /// The vendor's name of its directory, which this server also uses.
    private static let vendorsDirectory = "https://graph.microsoft.com"
    private static let unknown = "the directory has no such scope; User.Read is one"
    private static let star = "* stands alone, or for all scopes of a resource, as in api://orders/*"

    private static func never(_ scope: String, _ why: String) -> String {
        "the scope “\(scope)” can never be granted: \(why)."
    }

    private static func isOfDirectory(_ name: String) -> Bool { ResourceScope.directoryNames.contains(name) }

    /// Whether the text is a URI: a scheme, a colon, and a name (RFC 3986 section 3).
    private static func isURI(_ text: Substring) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        let (scheme, rest) = (text[..<colon], text[text.index(after: colon)...])
        return scheme.utf8.first.map { UInt8.isLetter($0) } ?? false
            && scheme.utf8.allSatisfy { UInt8.isLetter($0) || (0x30...0x39).contains($0) || "+.-".utf8.contains($0) }
            && !rest.drop { $0 == "/" }.isEmpty
    }
}

extension UInt8 {
    fileprivate static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
}
