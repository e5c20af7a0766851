import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// Where a hook or a subscriber of a tenant document is reached: the members that both have.
struct ReadReceiver {
    let id: UUID
    let url: String
    /// The `aud` of the tokens that the receiver gets.
    let audience: UUID

    /// - Parameter clients: The ids of the tenant's applications and daemons, which tokens of users can have as `aud`.
    init(_ members: YAMLMembers, clients: Set<ClientID>) {
        id = Self.id("id", of: members)
        url = members.text("url", isRequired: true) ?? ""
        if !url.isEmpty, let fault = Self.fault(url: url) { members.add("url \(fault).", at: "url") }
        audience = Self.id("audience", of: members)
        if audience == Self.directory {
            members.add("audience is the directory of this server; give the receiver an id of its own.", at: "audience")
        } else if clients.contains(ClientID(audience)) {
            members.add(
                "audience is the clientId of an application or a daemon; give the receiver an id of its own.",
                at: "audience")
        }
    }

    /// Warns of an address that only a development server calls.
    static func advise(_ advice: YAMLFaults, _ url: String, of name: String, line: Int?) {
        guard url.hasPrefix("http:") else { return }
        advice.add(
            "the url of “\(name)” is http; a production server calls https only, so that each call fails.", line: line)
    }

    /// The directory's audience in tokens.
    private static let directory = UUID(uuid: (0, 0, 0, 3, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0))

    private static func id(_ name: String, of members: YAMLMembers) -> UUID {
        // Unique, so that two missing ids are not reported as one id.
        let none = UUID()
        guard let text = members.text(name, isRequired: true) else { return none }
        if let id = UUID(text: text) { return id }
        members.add("the \(name) “\(text)” is not a UUID.", at: name)
        return none
    }

    /// Why an address cannot be called; nil when it can.
    private static func fault(url text: String) -> String? {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            (1...65_535).contains(parts.port ?? 443)
        else { return "must be an address such as https://api.example.com/hooks/claims" }
        guard parts.user == nil, parts.password == nil, parts.fragment == nil else {
            return "must have no user, no password and no fragment; the server proves itself with a token"
        }
        switch parts.scheme {
        case "https": return nil
        case "http":
            return ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased())
                ? nil : "must begin with https; http is only for a receiver on this machine, in the development profile"
        case .some, nil: return "must begin with https"
        }
    }
}
