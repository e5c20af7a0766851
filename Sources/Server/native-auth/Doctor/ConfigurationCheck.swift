import NativeAuth
import NativeAuthCore
import PortableFoundation

/// The values that an app gives to the SDK, as text.
struct ConfigurationCheck {
    let clientID: String
    let tenant: String?
    let authority: String?
    let challengeTypes: [String]
    let capabilities: [String]
    let scopes: [String]
    /// `NATIVE_AUTH_EMULATOR`; empty when it is not set.
    let emulator: String

    /// Checks each value separately.
    ///
    /// - Returns: The configuration for requests to the server; nil when there is no address.
    func check(_ notes: Notebook) -> NativeAuthConfiguration? {
        if let id = ClientID(clientID) {
            notes.ok("client id", "\(id)")
        } else {
            notes.problem(
                "client id", "“\(clientID)” is not a UUID.",
                "Take the “Application (client) ID” of the app's registration, without braces or blanks, such as"
                    + " 00001111-aaaa-2222-bbbb-3333cccc4444.")
        }

        let authority = place(notes)
        let types = challengeTypes.filter { $0 != ChallengeType.redirect.rawValue }
        let known = Set(types.compactMap(ChallengeType.init(rawValue:)))
        let unknown = types.filter { ChallengeType(rawValue: $0) == nil }
        if !unknown.isEmpty || known.isEmpty {
            notes.problem(
                "challenge types",
                known.isEmpty && unknown.isEmpty
                    ? "There is none." : "The server would not know “\(unknown.joined(separator: ", "))”.",
                "Use oob for one-time passcodes by mail, password for passwords, or both: oob,password.")
        } else {
            notes.ok("challenge types", Self.list(ChallengeType.allCases.filter(known.contains).map(\.rawValue)))
        }

        let able = Set(capabilities.compactMap(Capability.init(rawValue:)))
        let missing = Capability.allCases.filter { !able.contains($0) }.map(\.rawValue)
        let odd = capabilities.filter { Capability(rawValue: $0) == nil }
        if !odd.isEmpty {
            notes.problem(
                "capabilities", "The server would not know “\(odd.joined(separator: ", "))”.",
                "There are mfa_required and registration_required.")
        } else if missing.isEmpty {
            notes.ok("capabilities", Self.list(Capability.allCases.map(\.rawValue)))
        } else {
            notes.hint(
                "capabilities",
                "Without \(missing.joined(separator: " and ")) a tenant that requires a second factor sends people to a browser.",
                "Add them when the app has the screens.")
        }
        checkScopes(notes)

        guard let authority else { return nil }
        return NativeAuthConfiguration(
            clientID: clientID, authority: authority, challengeTypes: known, capabilities: able)
    }

    // MARK: Address

    /// The target of requests.
    private func place(_ notes: Notebook) -> Authority? {
        guard let configured = tenant.map({ named($0, notes) }) ?? authority.map({ located($0, notes) }) ?? nil else {
            return nil
        }
        guard configured.isVendorCloud, !emulator.isEmpty else {
            notes.ok("authority", "\(configured)")
            return configured
        }
        do throws(AuthorityError) {
            guard let url = URL(string: emulator) else { throw .malformed }
            let moved = try configured.moved(to: url)
            notes.ok("authority", "\(moved), in debug builds, by NATIVE_AUTH_EMULATOR; else \(configured)")
            return moved
        } catch {
            let remedy = ErrorRemedy(.emulatorInvalid)
            notes.problem("authority", remedy.cause, remedy.remedy)
            return nil
        }
    }

    private func named(_ tenant: String, _ notes: Notebook) -> Authority? {
        do throws(AuthorityError) {
            return try Authority(tenantSubdomain: tenant)
        } catch {
            let first = tenant.prefix { $0 != "." }
            notes.problem(
                "tenant", "“\(tenant)” is not a subdomain: letters, digits and hyphens.",
                tenant.contains("/")
                    ? "Give a URL as --authority."
                    : "Give what stands in front of .ciamlogin.com"
                        + (first.isEmpty || first == tenant
                            ? ", such as contoso." : ": --tenant \(first).")
            )
            return nil
        }
    }

    private static let example = "such as https://contoso.ciamlogin.com/contoso.onmicrosoft.com"
    private static let tenantRemedy = "End it with the tenant's subdomain, domain or id, \(example)."

    private func located(_ text: String, _ notes: Notebook) -> Authority? {
        let authority: Authority
        do throws(AuthorityError) {
            guard let url = URL(string: text) else { throw .malformed }
            authority = try Authority(url: url)
        } catch {
            switch error {
            case .insecure:
                let remedy = ErrorRemedy(.urlInsecure)
                notes.problem("authority", "“\(text)” is neither https nor http on this machine.", remedy.remedy)
            case .containsCredentials:
                notes.problem(
                    "authority", "It contains a user name or a password.", "Leave them out; apps have no secret."
                )
            case .missingTenant:
                notes.problem("authority", "“\(text)” does not name the tenant.", Self.tenantRemedy)
            case .malformed, .invalidSubdomain:
                // Text that cannot be parsed may contain a password.
                let shown = text.contains("@") ? "It" : "“\(text)”"
                notes.problem("authority", "\(shown) is not the URL of a tenant.", "Give one \(Self.example).")
            }
            return nil
        }
        let host = authority.url.host()?.lowercased() ?? ""
        let segments = authority.url.path().split(separator: "/")
        if host.hasSuffix("microsoftonline.com") || host.hasSuffix("onmicrosoft.com") {
            notes.problem(
                "authority", "\(authority) is not the address of an external tenant.",
                "Native authentication is at ciamlogin.com, \(Self.example).")
            return nil
        }
        if segments.count != 1 {
            notes.problem("authority", "\(authority) has a longer path than the tenant.", Self.tenantRemedy)
            return nil
        }
        return authority
    }

    // MARK: Scopes

    private func checkScopes(_ notes: Notebook) {
        let reserved = scopes.filter { ["openid", "profile", "offline_access"].contains($0) }
        let ofResources = scopes.filter { !["openid", "profile", "offline_access", "email"].contains($0) }
        // A bare name, such as User.Read, is a directory scope.
        let resources = Set(
            ofResources.map { scope in
                scope.contains("/")
                    ? scope.split(separator: "/").dropLast().joined(separator: "/") : "https://graph.microsoft.com"
            })
        if !reserved.isEmpty {
            notes.problem("scopes", "Reserved: \(Self.list(reserved)).", "Leave them out; the SDK adds them.")
        } else if let odd = ofResources.first(where: { $0.contains("/") != $0.contains(":") }) {
            notes.problem(
                "scopes", "“\(odd)” names no resource.",
                "Write a scope as api://APPLICATION-ID/NAME, as the registration of the API lists it; the directory's have only a name."
            )
        } else if resources.count > 1 {
            notes.problem(
                "scopes", "They belong to \(resources.count) resources.",
                "Ask for the scopes of one resource at a time, each with an access token of its own.")
        } else if !scopes.isEmpty {
            notes.ok("scopes", "\(Self.list(scopes)); whether they are granted shows at the first sign-in")
        }
    }

    private static func list(_ words: [String]) -> String {
        words.joined(separator: ", ")
    }
}
