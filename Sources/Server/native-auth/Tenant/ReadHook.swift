import IdentityEngine
import IdentityHooks
import NativeAuthCore
import PortableFoundation

/// A hook of a tenant document, with its line (docs/operate/hooks.md).
struct ReadHook {
    let hook: Hook
    private let members: YAMLMembers
    private let clients: [Client]

    /// Reads the members besides the name. Faults are added; a faulty value is replaced by a placeholder that is never
    /// used.
    ///
    /// - Parameters:
    ///   - clients: The applications of the tenant.
    ///   - flows: Its user flows.
    ///   - attributes: Its attributes beside those of user flows.
    ///   - ids: The ids of its applications and daemons.
    ///   - faults: Gets what `members` cannot say: a fault in a list has its own line.
    init(
        displayName: String, _ members: YAMLMembers, clients: [Client], flows: [SharedUserFlow],
        attributes: [TenantAttribute], ids: Set<ClientID>, _ faults: YAMLFaults
    ) {
        self.members = members
        self.clients = clients
        let receiver = ReadReceiver(members, clients: ids)
        let event: Hook.Event? = members.choice("event", isRequired: true)
        var applications: Set<ClientID> = []
        for (text, line) in members.texts("applications", mayBeEmpty: false) {
            guard let client = ClientID(text), clients.contains(where: { $0.id == client }) else {
                faults.add("applications names “\(text)”, which is no application of the tenant.", line: line)
                continue
            }
            applications.insert(client)
        }
        var userFlows: Set<UUID> = []
        for (text, line) in members.texts("userFlows", mayBeEmpty: false) {
            guard let flow = UUID(uuidString: text), flows.contains(where: { $0.id == flow }) else {
                faults.add("userFlows names “\(text)”, which is no user flow of the tenant.", line: line)
                continue
            }
            userFlows.insert(flow)
        }
        let isEnabled = members.flag("enabled") ?? true
        let timeout = members.number("timeoutMilliseconds", 200...2_000)
        let retries = members.number("retries", 0...1)
        let onFailure: Hook.FailureRule? = members.choice("onFailure")
        let entries = members.list("claims", of: "a claim")
        if !entries.isEmpty, let event, event != .tokenIssuanceStart {
            members.add("only a hook for tokenIssuanceStart has claims.", at: "claims")
        }
        let claims = Self.claims(entries)
        let migration = Self.migration(
            members, event, isEnabled: isEnabled,
            ofUsers: clients.map(\.userFlow.attributes) + flows.map(\.attributes), attributes)
        if event == .passwordSubmit, onFailure == .proceed {
            members.add(
                "a hook for passwordSubmit has no onFailure proceed: without its receiver, no password can be judged.",
                at: "onFailure")
        }
        members.end()
        hook = Hook(
            id: receiver.id, displayName: displayName, event: event ?? .otpSend, url: receiver.url,
            audience: receiver.audience,
            isEnabled: isEnabled, applications: applications.isEmpty ? nil : applications, userFlows: userFlows,
            timeout: timeout ?? Hook.usualTimeout,
            retries: retries ?? 1, onFailure: onFailure ?? .block, claims: claims, migration: migration)
        for client in clients where hook.event == .tokenIssuanceStart && hook.isFor(client) {
            for (claim, entry) in zip(claims, entries) where client.claims.contains(where: { $0.hasName(claim.name) }) {
                entry.add(
                    "“\(client.displayName)” has the claim “\(claim.name)” already, from an attribute.", at: "name")
            }
        }
    }

    /// Says which hooks clash.
    static func check(_ hooks: [ReadHook]) {
        for (index, hook) in hooks.enumerated() {
            if index == Hook.maximumCount {
                hook.members.add("a tenant has at most \(Hook.maximumCount) hooks.", at: "id")
            }
            for earlier in hooks.prefix(index) {
                if earlier.hook.id == hook.hook.id {
                    hook.members.add("two hooks of the tenant have the id \(hook.hook.id.text).", at: "id")
                } else if earlier.hook.application(sharedWith: hook.hook, among: hook.clients) != nil {
                    hook.members.add(
                        "“\(earlier.hook.displayName)” has the event \(hook.hook.event.rawValue) of the same application; an application has one hook for an event.",
                        at: "event")
                }
            }
        }
    }

    /// Adds warnings about settings that suit only a development server.
    func advise(_ advice: YAMLFaults) {
        ReadReceiver.advise(advice, hook.url, of: hook.displayName, line: members.line(of: "url"))
        if hook.event == .tokenIssuanceStart, hook.claims.isEmpty {
            advice.add(
                "“\(hook.displayName)” has no claims, so that its answers change no token.", line: members.line)
        }
    }

    // MARK: -

    /// - Parameter collected: The attributes of each user flow, which users fill in.
    private static func migration(
        _ members: YAMLMembers, _ event: Hook.Event?, isEnabled: Bool,
        ofUsers collected: [[AttributeDefinition]], _ attributes: [TenantAttribute]
    ) -> PasswordMigration? {
        guard event == .passwordSubmit else {
            for name in ["migrationAttribute", "encryptionKey"] where members.has(name) {
                members.add("only a hook for passwordSubmit has \(name).", at: name)
            }
            _ = (members.text("migrationAttribute"), members.text("encryptionKey"))
            return nil
        }
        let key = members.text("encryptionKey", isRequired: true)
        if let key, EncryptionKey(pem: key) == nil {
            members.add(
                "encryptionKey must be PEM that begins with -----BEGIN PUBLIC KEY----- or -----BEGIN CERTIFICATE-----, with RSA of 2048 bits or more.",
                at: "encryptionKey")
        }
        let attribute = members.text("migrationAttribute", isRequired: isEnabled)
        if let attribute {
            // Names that differ in letter case only could be taken for one another.
            let isCollected = collected.joined().contains { $0.name.lowercased() == attribute.lowercased() }
            if isCollected {
                members.add(
                    "migrationAttribute is “\(attribute)”, which a user flow collects, so that users could set it; take it out of the flows.",
                    at: "migrationAttribute")
            } else if !attributes.contains(where: { $0.name == attribute && $0.type == .boolean }) {
                members.add(
                    "migrationAttribute is “\(attribute)”, which is no attribute of userAttributes with the type boolean.",
                    at: "migrationAttribute")
            }
        }
        return PasswordMigration(attribute: attribute, encryptionKey: key ?? "")
    }

    private static func claims(_ entries: [YAMLMembers]) -> [HookClaim] {
        let claims = entries.map { entry in
            let claim = HookClaim(
                name: entry.text("name", isRequired: true) ?? "", member: entry.text("from"),
                places: entry.choices("in").map { Set($0) } ?? HookClaim.possiblePlaces)
            if !claim.places.isSubset(of: HookClaim.possiblePlaces) {
                entry.add("in has userinfo, which asks no receiver; a hook's claim can be in id and access.", at: "in")
            }
            entry.end()
            return claim
        }
        for fault in HookClaim.faults(of: claims) where !claims[fault.index].name.isEmpty {
            entries[fault.index].add(fault.sentence, at: "name")
        }
        return claims
    }
}
