package import NativeAuthCore

/// A claim that an application gets besides those that the server always writes: the value of an attribute of the user,
/// as text, integer or boolean (docs/operate/tenant-file.md).
package struct ApplicationClaim: Hashable, Sendable {
    package enum Place: String, Hashable, Sendable, CaseIterable {
        /// The ID token.
        case id
        /// Access tokens, for every audience.
        case access
        /// The answer of `oidc/userinfo`.
        case userinfo
    }

    /// The name of the claim: 1 to 128 printable ASCII characters, without blank, quotation mark and backslash.
    package var name: String
    /// The name of the attribute, or ``address``.
    package var attribute: String
    package var places: Set<Place>
    /// Whether the application relies on the claim. It then comes before others when not all fit. A user without a
    /// value still gets tokens (OpenID Connect Core 1.0 section 5.5.1).
    package var isEssential: Bool

    /// - Parameter attribute: Nil: the attribute of the standard claim of this name, else the attribute with this name.
    package init(
        name: String, attribute: String? = nil, places: Set<Place> = usualPlaces, isEssential: Bool = false
    ) {
        self.name = name
        self.attribute = attribute ?? Self.usualAttribute(of: name)
        self.places = places
        self.isEssential = isEssential
    }

    package static let usualPlaces: Set<Place> = [.id, .userinfo]

    /// The attribute of a claim for which the application names none.
    package static func usualAttribute(of name: String) -> String { standard[name] ?? name }

    /// The word for the user's address in place of an attribute's name.
    package static let address = "mail"
    /// The largest number of claims of an application.
    package static let maximumCount = 20
    /// The largest size of all claims in one place together, in bytes of JSON. With it an access token stays below the
    /// 8,192 bytes that the server reads from a header.
    package static let maximumBytes = 3_072

    /// The standard claims that the server itself takes from attributes (OpenID Connect Core 1.0 section 5.1). Clients
    /// trust them, so they have no other source.
    private static let standard = [
        "name": "displayName", "given_name": "givenName", "family_name": "surname", "email": address,
        "preferred_username": address,
    ]

    /// The names by which a token states its issuer, its user and what it is for: from RFC 7519, RFC 9068, OpenID
    /// Connect Core 1.0 and the vendor's tokens. The value of an attribute cannot have one of them.
    private static let reserved: Set<String> = [
        "_claim_names", "_claim_sources", "acct", "acr", "acrs", "act", "active", "actort", "aio", "amr", "appid",
        "appidacr", "at_hash", "aud", "auth_time", "azp", "azpacr", "c_hash", "client_id", "client_info", "cnf",
        "cred_ver", "email_verified", "entitlements", "events", "exp", "fam", "groups", "hasgroups", "iat", "idp",
        "idtyp", "iss", "jti", "login_hint", "may_act", "nameid", "nbf", "nonce", "oid", "phone_number_verified",
        "rh", "role", "roles", "s_hash", "scope", "scp", "sid", "sub", "sub_jwk", "tid", "token_type", "unique_name",
        "upn", "username", "uti", "ver", "wids", "xms_cc",
    ]

    /// What is wrong with a claim.
    package struct Fault: Hashable, Sendable {
        package enum Subject: Hashable, Sendable {
            case name
            case attribute
        }

        /// The place of the claim in the list, from 0.
        package var index: Int
        package var subject: Subject
        /// One sentence for the operator.
        package var sentence: String
    }

    /// What is wrong with the claims of an application; empty when nothing is.
    ///
    /// - Parameter attributes: The attributes of the application's user flow.
    package static func faults(of claims: [Self], with attributes: [AttributeDefinition]) -> [Fault] {
        var faults: [Fault] = []
        var names: Set<String> = []
        for (index, claim) in claims.enumerated() {
            func add(_ subject: Fault.Subject, _ sentence: String) {
                faults.append(Fault(index: index, subject: subject, sentence: sentence))
            }
            if index == maximumCount { add(.name, "an application has at most \(maximumCount) claims.") }
            if let fault = fault(ofName: claim.name) {
                add(.name, fault)
                guard isName(claim.name) else { continue }
            }
            // Some readers of tokens compare names in any letter case.
            let lowercased = claim.name.lowercased()
            if standard[claim.name] == nil, standard[lowercased] != nil {
                add(.name, "the claim “\(claim.name)” must be spelt “\(lowercased)”.")
            }
            if !names.insert(lowercased).inserted { add(.name, "the claim “\(claim.name)” is there twice.") }
            if let source = standard[claim.name], source != claim.attribute {
                add(.attribute, "the claim “\(claim.name)” is always from “\(source)”; choose another name.")
            } else if claim.attribute != address, claim.definition(in: attributes) == nil {
                add(
                    .attribute,
                    "the claim “\(claim.name)” is from “\(claim.attribute)”, which is no attribute of the application.")
            }
        }
        return faults
    }

    /// Why no claim can have this name, as a sentence; nil when one can.
    fileprivate static func fault(ofName name: String) -> String? {
        guard isName(name) else {
            return
                "the name of a claim must have 1 to 128 printable ASCII characters, without blank, quotation mark and backslash."
        }
        // Frameworks read the names of these schemas as the user and the roles.
        let lowercased = name.lowercased()
        let isOfSchema = ["schemas.microsoft.com/", "schemas.xmlsoap.org/"].contains { schema in
            lowercased.hasPrefix("http://\(schema)") || lowercased.hasPrefix("https://\(schema)")
        }
        guard isOfSchema || reserved.contains(lowercased) else { return nil }
        return "the claim “\(name)” is the server's own; choose another name."
    }

    private static func isName(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    /// Whether the claim has this name, in any letter case.
    package func hasName(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

    /// Whether clients trust a claim of this name to be the server's own word about the user.
    fileprivate static func isStandard(_ name: String) -> Bool { standard[name.lowercased()] != nil }

    /// The attribute of the claim; nil for the address and for an attribute that the user flow does not have.
    package func definition(in attributes: [AttributeDefinition]) -> AttributeDefinition? {
        (attributes + [.preferredLanguage]).first { $0.name == attribute && attribute != Self.address }
    }

    /// The size of a member of a JSON object with this name: at least that of the value as it is written.
    package func bytes(_ value: AttributeValue) -> Int { ClaimValue.one(value).bytes(named: name) }
}

extension Client {
    /// The application's own claims about a user, for one place. Left out are those without a value, and those that no
    /// longer fit into ``ApplicationClaim/maximumBytes``: the last voluntary ones first.
    package func claims(about user: User, in place: ApplicationClaim.Place) -> [String: ClaimValue] {
        var values: [String: ClaimValue] = [:]
        var bytes = 0
        for claim in claims.filter(\.isEssential) + claims.filter({ !$0.isEssential })
        where claim.places.contains(place) {
            guard let value = user.value(of: claim.attribute) else { continue }
            let size = claim.bytes(value)
            guard bytes + size <= ApplicationClaim.maximumBytes else { continue }
            bytes += size
            values[claim.name] = .one(value)
        }
        return values
    }
}

extension User {
    /// The value of an attribute, of the alias or of the address; nil when there is none. An empty text is no value.
    fileprivate func value(of attribute: String) -> AttributeValue? {
        let value: AttributeValue? =
            switch attribute {
            case ApplicationClaim.address: .string(email)
            case AttributeDefinition.aliasName: alias.map { .string($0) }
            case _: attributes[attribute]
            }
        return value == .string("") ? nil : value
    }
}

extension HookClaim {
    /// What is wrong with the names of a hook's claims, under the rules of an application's own.
    package static func faults(of claims: [HookClaim]) -> [ApplicationClaim.Fault] {
        var names: Set<String> = []
        return claims.enumerated().compactMap { index, claim in
            let sentence: String? =
                if index == ApplicationClaim.maximumCount {
                    "a hook has at most \(ApplicationClaim.maximumCount) claims."
                } else if !names.insert(claim.name.lowercased()).inserted {
                    "the claim “\(claim.name)” is there twice."
                } else if ApplicationClaim.isStandard(claim.name) {
                    "the server itself sets the claim “\(claim.name)”; choose another name."
                } else {
                    ApplicationClaim.fault(ofName: claim.name)
                }
            return sentence.map { ApplicationClaim.Fault(index: index, subject: .name, sentence: $0) }
        }
    }
}

/// The value of a claim that an application gets: that of an attribute, or texts from a hook.
package enum ClaimValue: Hashable, Sendable {
    case one(AttributeValue)
    case texts([String])

    /// The size of a member of a JSON object with this name: at least that of the value as it is written.
    package func bytes(named name: String) -> Int {
        // Quotation marks and backslashes are written as two bytes, control characters as six; the other six are
        // quotation marks, colon and comma.
        func written(_ text: String) -> Int {
            text.utf8.reduce(0) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) }
        }
        return switch self {
        case .one(let value): name.utf8.count + 6 + written(value.description)
        case .texts(let texts): texts.reduce(name.utf8.count + 6) { $0 + 3 + written($1) }
        }
    }
}

extension JSONObjectText {
    /// Adds the claims of an application.
    package mutating func add(_ claims: [String: ClaimValue]) {
        for (name, value) in claims {
            switch value {
            case .one(let value): add(name, value)
            case .texts(let texts): add(name, texts)
            }
        }
    }
}
