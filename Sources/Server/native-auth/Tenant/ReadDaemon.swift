import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// A daemon of a tenant document, with the lines of its members (docs/operate/tenant-file.md, “Daemons”).
struct ReadDaemon {
    let daemon: Daemon
    private let members: YAMLMembers
    private let credentials: ReadCredentials

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
        credentials = ReadCredentials(members, of: "a daemon")
        members.end()
        daemon = Daemon(
            id: id, displayName: displayName, roles: roles, secrets: credentials.secrets, keys: credentials.keys)
    }

    var line: Int? { members.line(of: "roles") }

    /// Adds warnings: secrets and keys that have ended or end soon, and a daemon that can prove itself with nothing.
    func advise(_ advice: YAMLFaults, now: Date) {
        let name = "“\(daemon.displayName)”"
        credentials.advise(advice, of: name, now: now)
        if !credentials.areValid(at: now) {
            advice.add(
                "\(name) has no secret and no key that is valid, so that it gets no token; native-auth daemon secret makes a secret.",
                line: members.line)
        }
        if daemon.roles.isEmpty {
            advice.add("\(name) has no roles, so that its tokens permit nothing.", line: members.line)
        }
    }
}
