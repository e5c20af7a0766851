import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// What a tenant document says about identity providers (docs/operate/providers.md).
enum ReadProviders {
    /// The most providers of a tenant, and the most apps of one.
    private static let (most, mostClients) = (10, 20)

    /// What a provider is.
    enum Kind: String, CaseIterable {
        case apple, google, openID
    }

    /// Reads the list. A faulty value becomes an empty one: a document with a fault is never used.
    ///
    /// - Parameter secrets: The issuer of each variable of the document so far: no provider gets the secret of another one.
    static func providers(
        _ entries: [YAMLMembers], of members: YAMLMembers, _ secrets: inout [String: String]
    ) -> [IdentityProvider] {
        if entries.count > most {
            members.add("providers has \(entries.count) entries; a tenant has at most \(most).", at: "providers")
        }
        var providers: [IdentityProvider] = []
        for entry in entries {
            let provider = provider(entry)
            if providers.contains(where: { $0.id == provider.id }) {
                entry.add("two providers have the id “\(shown(provider.id))”.", at: "id")
            } else if providers.contains(where: { $0.issuer == provider.issuer }), !provider.issuer.isEmpty {
                entry.add(
                    "two providers have the issuer “\(shown(provider.issuer))”; list all apps in one entry.",
                    at: "issuer")
            }
            if let variable = provider.variable,
                secrets.updateValue(provider.issuer, forKey: variable).map({ $0 != provider.issuer }) == true
            {
                entry.add("the variable “\(shown(variable))” is that of another issuer.", at: "web")
            }
            providers.append(provider)
        }
        return providers
    }

    private static func provider(_ members: YAMLMembers) -> IdentityProvider {
        let kind: Kind = members.choice("kind") ?? .openID
        if !members.has("kind") { members.add("a provider needs kind: apple, google or openID.", at: "kind") }
        let clients = clients(members)
        let web = web(members)
        let key = appleKey(members, of: kind, web)
        if clients.isEmpty, web == nil {
            members.add(
                "a provider needs nativeClients, the ids of the apps, or web, the client of the pages.",
                at: "nativeClients")
        }
        var provider: IdentityProvider
        switch kind {
        case .apple: provider = .apple(nativeClients: clients, web: web, key: key)
        case .google: provider = .google(nativeClients: clients, web: web)
        case .openID:
            provider = IdentityProvider(
                id: members.text("id", isRequired: true) ?? "",
                displayName: members.text("displayName", isRequired: true) ?? "", issuer: issuer(members),
                nativeClients: clients, web: web, authority: authority(members))
            provider.strength = ReadStrength.strength(members)
        }
        if kind != .openID {
            provider.id = members.text("id") ?? provider.id
            provider.displayName = members.text("displayName") ?? provider.displayName
        }
        if kind == .openID, provider.isApple || provider.isGoogle {
            members.add(
                "the issuer “\(shown(provider.issuer))” has a kind of its own: write kind: \(provider.isApple ? "apple" : "google").",
                at: "issuer")
        }
        if members.has("id"), !IdentityProvider.isID(provider.id) {
            members.add(
                "the id “\(shown(provider.id))” must have 1 to 32 small letters, digits and hyphens.", at: "id")
        }
        if members.has("displayName"), !StrongMethod.isName(provider.displayName) {
            members.add("displayName must have 1 to 64 characters, and no control characters.", at: "displayName")
        }
        members.end()
        return provider
    }

    private static func clients(_ members: YAMLMembers) -> [String] {
        var clients: [String] = []
        for (client, line) in members.texts("nativeClients") {
            if !isClient(client) {
                members.add(
                    "nativeClients: “\(shown(client))” must have 1 to 255 characters without blanks.", line: line)
            } else if clients.contains(client) {
                members.add("nativeClients: “\(shown(client))” is listed twice.", line: line)
            } else if clients.count == mostClients {
                members.add("nativeClients has at most \(mostClients) entries.", line: line)
            }
            clients.append(client)
        }
        return clients
    }

    private static func web(_ members: YAMLMembers) -> IdentityProvider.Web? {
        guard let web = members.members("web", of: "the member web of a provider") else { return nil }
        let client = web.text("clientId", isRequired: true)
        if let client, !isClient(client) {
            web.add("clientId must have 1 to 255 characters without blanks.", at: "clientId")
        }
        let secret = variable("secretFrom", web)
        web.end()
        return IdentityProvider.Web(clientID: client ?? "", credential: secret.map { .secret(variable: $0) } ?? .none)
    }

    /// The name of an environment variable.
    private static func variable(_ name: String, _ members: YAMLMembers) -> String? {
        guard let variable = members.text(name) else { return nil }
        if !isVariable(variable) {
            members.add(
                "\(name) must be the name of an environment variable of the server that begins with PROVIDER_, such as PROVIDER_GOOGLE; never the secret.",
                at: name)
        }
        return variable
    }

    private static func appleKey(
        _ members: YAMLMembers, of kind: Kind, _ web: IdentityProvider.Web?
    ) -> IdentityProvider.AppleKey? {
        func id(_ name: String) -> String {
            let id = members.text(name) ?? ""
            if !isAppleID(id) {
                members.add(
                    "\(name) must have ten capital letters and digits; keyFrom needs teamId and keyId.", at: name)
            }
            return id
        }
        guard kind == .apple else { return nil }
        guard let key = variable("keyFrom", members) else {
            if members.has("teamId") || members.has("keyId") {
                members.add("teamId and keyId are those of the key that keyFrom names.", at: "keyFrom")
                (_, _) = (members.text("teamId"), members.text("keyId"))
            }
            return nil
        }
        if web.map({ $0.credential != .none }) == true {
            members.add("a provider has keyFrom or web.secretFrom, and not both.", at: "keyFrom")
        }
        return IdentityProvider.AppleKey(variable: key, team: id("teamId"), key: id("keyId"))
    }

    private static func issuer(_ members: YAMLMembers) -> String {
        guard let issuer = members.text("issuer", isRequired: true) else { return "" }
        let rest =
            issuer.hasPrefix("https://") ? issuer.dropFirst(8) : issuer.hasPrefix("http://") ? issuer.dropFirst(7) : ""
        let isAddress =
            !rest.isEmpty && issuer.utf8.count <= 512 && !rest.hasPrefix("/") && !rest.contains("@")
            && !issuer.contains("?") && !issuer.contains("#") && issuer.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let host = rest.prefix { $0 != ":" && $0 != "/" }
        let isLocal = host == "localhost" || host == "127.0.0.1"
        if !isAddress || (issuer.hasPrefix("http://") && !isLocal) {
            members.add(
                "the issuer “\(shown(issuer))” must begin with https:// and have no query; http:// is for this machine.",
                at: "issuer")
        }
        if issuer == IdentityProvider.sample.issuer {
            members.add(
                "the issuer “\(issuer)” is the provider that a development server plays, and exists nowhere else.",
                at: "issuer")
        }
        return issuer
    }

    private static func authority(_ members: YAMLMembers) -> IdentityProvider.Authority {
        var domains: Set<String> = []
        for (domain, line) in members.texts("domains") {
            let isDomain =
                EmailAddress("x@\(domain)") != nil && domain.utf8.allSatisfy { !(0x41...0x5A).contains($0) }
            if !isDomain {
                members.add(
                    "domains: “\(shown(domain))” must be the domain of addresses in small letters, such as harbour.example.",
                    line: line)
            } else if !domains.insert(domain).inserted {
                members.add("domains: “\(shown(domain))” is listed twice.", line: line)
            }
        }
        return domains.isEmpty ? .nothing : .domains(domains)
    }

    private static func isClient(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// A document's author must not send the server's other secrets to an address of their own: the names of these begin so.
    private static func isVariable(_ text: String) -> Bool {
        text.hasPrefix("PROVIDER_") && (10...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
            }
    }

    private static func isAppleID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
    }

    private static func shown(_ text: String) -> String { SettingsReader.shown(text) }
}
