import IdentityEngine
import IdentityTokens
import NativeAuthCore
import PortableFoundation

/// The secrets and keys of a daemon or an application of a document, with their lines.
struct ReadCredentials {
    let secrets: [DaemonSecret]
    let keys: [DaemonKey]
    private let secretLines: [Int?]
    private let keyLines: [Int?]

    /// Reads `secrets` and `keys`.
    ///
    /// - Parameter holder: What has them, in messages.
    init(_ members: YAMLMembers, of holder: String) {
        var ids: Set<UUID> = []
        let secrets = Self.entries("secrets", of: "a secret", members, holder).map { entry in
            let secret = Self.secret(entry)
            if !ids.insert(secret.id).inserted { entry.add("the id \(secret.id.text) is there twice.", at: "id") }
            return (secret, entry.line)
        }
        let keys = Self.entries("keys", of: "a key", members, holder).map { entry in
            let key = Self.key(entry)
            if !ids.insert(key.id).inserted { entry.add("the id \(key.id.text) is there twice.", at: "id") }
            return (key, entry.line)
        }
        (self.secrets, self.keys) = (secrets.map(\.0), keys.map(\.0))
        (secretLines, keyLines) = (secrets.map(\.1), keys.map(\.1))
    }

    var isEmpty: Bool { secrets.isEmpty && keys.isEmpty }

    func areValid(at now: Date) -> Bool {
        secrets.contains { $0.endsAt > now } || keys.contains { $0.endsAt > now }
    }

    /// How long before its end a secret or a key is warned of, in seconds.
    private static let notice: TimeInterval = 14 * 86_400

    /// Warns of secrets and keys that have ended or end soon.
    ///
    /// - Parameter name: The name of the holder, in quotation marks.
    func advise(_ advice: YAMLFaults, of name: String, now: Date) {
        let all =
            zip(secrets, secretLines).map { ("secret", $0.endsAt, $1) }
            + zip(keys, keyLines).map { ("key", $0.endsAt, $1) }
        for (noun, end, line) in all where end <= now + Self.notice {
            let time = end.formatted(.iso8601)
            advice.add(
                end <= now
                    ? "a \(noun) of \(name) has ended at \(time); take it out."
                    : "a \(noun) of \(name) ends soon, at \(time); add another one.", line: line)
        }
    }

    // MARK: -

    private static func entries(
        _ name: String, of place: String, _ members: YAMLMembers, _ holder: String
    ) -> [YAMLMembers] {
        let entries = members.list(name, of: place)
        if entries.count > Daemon.maximumCredentials {
            members.add(
                "\(name) has \(entries.count) entries; \(holder) has at most \(Daemon.maximumCredentials).", at: name)
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
