import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation

/// A daemon of a tenant document, with the lines of its members (docs/operate/tenant-file.md, “Daemons”).
struct ReadDaemon {
    let daemon: Daemon
    private let members: YAMLMembers
    private let secretLines: [Int?]
    private let keyLines: [Int?]

    /// Reads the members besides id and name. Faults are added to `faults`; a faulty value is replaced by a placeholder
    /// that is never used.
    init(id: ClientID, displayName: String, _ members: YAMLMembers, _ faults: YAMLFaults) {
        self.members = members
        var roles: [String] = []
        for role in members.texts("roles") {
            if let fault = ConfiguredScope.fault(role: role.text) {
                faults.add(fault, line: role.line)
            } else if let id = ResourceScope(role.text, baseURL: "").flatMap({ Client.id(ofAudience: $0.resource) }),
                !role.text.hasPrefix("api://\(id)/")
            {
                faults.add(
                    "the role “\(role.text)” must name its API as api://\(id), in small letters.", line: role.line)
            } else if roles.contains(role.text) {
                faults.add("the role “\(role.text)” is there twice.", line: role.line)
            }
            roles.append(role.text)
        }
        var ids: Set<UUID> = []
        let secrets = Self.entries("secrets", of: "a secret", members).map { entry in
            let secret = Self.secret(entry)
            if !ids.insert(secret.id).inserted { entry.add("the id \(secret.id.text) is there twice.", at: "id") }
            return (secret, entry.line)
        }
        let keys = Self.entries("keys", of: "a key", members).map { entry in
            let key = Self.key(entry)
            if !ids.insert(key.id).inserted { entry.add("the id \(key.id.text) is there twice.", at: "id") }
            return (key, entry.line)
        }
        members.end()
        daemon = Daemon(
            id: id, displayName: displayName, roles: roles, secrets: secrets.map(\.0), keys: keys.map(\.0))
        (secretLines, keyLines) = (secrets.map(\.1), keys.map(\.1))
    }

    var line: Int? { members.line(of: "roles") }

    /// Adds warnings: secrets and keys that have ended, and a daemon that can prove itself with nothing.
    func advise(_ advice: YAMLFaults, now: Date) {
        let name = "“\(daemon.displayName)”"
        for (secret, line) in zip(daemon.secrets, secretLines) where secret.endsAt <= now {
            advice.add(
                "a secret of \(name) has ended at \(secret.endsAt.formatted(.iso8601)); take it out.", line: line)
        }
        for (key, line) in zip(daemon.keys, keyLines) where key.endsAt <= now {
            advice.add("a key of \(name) has ended at \(key.endsAt.formatted(.iso8601)); take it out.", line: line)
        }
        let canProve = daemon.secrets.contains { $0.endsAt > now } || daemon.keys.contains { $0.endsAt > now }
        if !canProve {
            advice.add(
                "\(name) has no secret and no key that is valid, so that it gets no token; native-auth daemon secret makes a secret.",
                line: members.line)
        }
        if daemon.roles.isEmpty {
            advice.add("\(name) has no roles, so that its tokens permit nothing.", line: members.line)
        }
    }

    // MARK: -

    private static func entries(_ name: String, of place: String, _ members: YAMLMembers) -> [YAMLMembers] {
        let entries = members.list(name, of: place)
        if entries.count > Daemon.maximumCredentials {
            members.add(
                "\(name) has \(entries.count) entries; a daemon has at most \(Daemon.maximumCredentials).", at: name)
        }
        return entries
    }

    private static func secret(_ members: YAMLMembers) -> DaemonSecret {
        let id = id(of: members)
        let name = members.text("displayName") ?? ""
        if name.utf8.count > 256 || Terminal.harmless(name) != name {
            members.add(
                "displayName must have at most 256 bytes, and no line end or control character.", at: "displayName")
        }
        let hint = members.text("hint") ?? ""
        // More of the secret than that belongs nowhere.
        if hint.utf8.count > 3 || Terminal.harmless(hint) != hint {
            members.add("hint must be the first three characters of the secret, or fewer.", at: "hint")
        }
        let digest = members.text("sha256", isRequired: true).flatMap { text in
            let digest = Base64URL.decode(text)
            if digest?.count != 32 {
                members.add(
                    "sha256 must be the base64url of 32 bytes, as native-auth daemon secret prints it.", at: "sha256")
            } else if digest == DaemonSecret.digestOfDevelopment {
                members.add(
                    "sha256 is that of the development tenant's secret, which is public; native-auth daemon secret makes another.",
                    at: "sha256")
            }
            return digest
        }
        let (starts, ends) = (time("starts", of: members), time("ends", of: members, isRequired: true))
        if let starts, let ends, starts >= ends { members.add("ends must be later than starts.", at: "ends") }
        members.end()
        return DaemonSecret(
            id: id, displayName: name, hint: hint, digest: digest ?? Data(), startsAt: starts,
            endsAt: ends ?? .distantPast)
    }

    private static func key(_ members: YAMLMembers) -> DaemonKey {
        let id = id(of: members)
        let pem = members.text("publicKey", isRequired: true)
        if let pem, !DaemonKey.isPublicKey(pem) {
            members.add(
                "publicKey must be PEM that begins with -----BEGIN PUBLIC KEY-----: RSA of 2048 bits or more, or P-256.",
                at: "publicKey")
        }
        let ends = time("ends", of: members, isRequired: true)
        members.end()
        return DaemonKey(id: id, publicKey: pem ?? "", endsAt: ends ?? .distantPast)
    }

    private static func id(of members: YAMLMembers) -> UUID {
        // Unique, so that two missing ids are not reported as one id.
        let none = UUID()
        guard let text = members.text("id", isRequired: true) else { return none }
        if let id = UUID(text: text) { return id }
        members.add("the id “\(text)” is not a UUID.", at: "id")
        return none
    }

    /// A time in whole seconds of UTC, as in `2027-01-31T12:00:00Z`, or a date, which means its beginning.
    private static func time(_ name: String, of members: YAMLMembers, isRequired: Bool = false) -> Date? {
        guard let text = members.text(name, isRequired: isRequired) else { return nil }
        do {
            return try Date(text.contains("T") ? text : text + "T00:00:00Z", strategy: .iso8601)
        } catch {
            members.add("\(name) is “\(text)”; it must be a time such as 2027-01-31T12:00:00Z, or a date.", at: name)
            return nil
        }
    }
}
