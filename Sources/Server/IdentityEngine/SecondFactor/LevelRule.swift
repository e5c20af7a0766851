package import NativeAuthCore
package import PortableFoundation

/// What a tenant demands of some of its sign-ins (docs/use/second-factor.md, design record 0045).
package struct LevelRule: Hashable, Sendable {
    /// The most rules of a tenant.
    package static let most = 50
    /// The ages that a rule can demand, in seconds: five minutes to thirty days.
    package static let ages = 300...2_592_000

    /// What the proofs of the sign-in must be worth together.
    package var level: Assurance.Level
    /// How old the first of the proofs may be, in seconds; nil: any age.
    package var maximumAge: Int?
    /// The authentication contexts whose meaning the rule is, such as `c4`.
    package var contexts: [String]
    /// The applications, the scopes and the groups of users whose sign-ins the rule is for: one of them is enough.
    package var applications: [ClientID]
    /// As in the list of an application: `api://orders/Orders.Pay`, or `api://orders/*` for all of the API.
    package var scopes: [String]
    package var groups: [UUID]

    package init(
        level: Assurance.Level, maximumAge: Int? = nil, contexts: [String] = [], applications: [ClientID] = [],
        scopes: [String] = [], groups: [UUID] = []
    ) {
        self.level = level
        self.maximumAge = maximumAge
        self.contexts = contexts
        self.applications = applications
        self.scopes = scopes
        self.groups = groups
    }
}

/// How much is demanded, and how fresh.
package struct LevelDemand: Hashable, Sendable {
    package var level: Assurance.Level
    /// In seconds; nil: any age.
    package var maximumAge: Int?

    package static let none = LevelDemand(level: .nothing)
    /// What a context, an application, a user flow and a user demand where no rule says more: two factors, also such as
    /// NIST SP 800-63B does not accept.
    package static let twoFactors = LevelDemand(level: .mailed)

    package init(level: Assurance.Level, maximumAge: Int? = nil) {
        self.level = level
        self.maximumAge = maximumAge
    }

    /// Both demands.
    package func and(_ other: LevelDemand) -> LevelDemand {
        LevelDemand(
            level: max(level, other.level),
            maximumAge: [maximumAge, other.maximumAge].compactMap(\.self).min())
    }

    /// Whether proofs of this time are fresh enough.
    package func isFresh(_ authenticatedAt: Date, at now: Date) -> Bool {
        maximumAge.map { now.timeIntervalSince(authenticatedAt) <= Double($0) } ?? true
    }
}

extension [LevelRule] {
    /// What each sign-in in the application must be, whatever it asks for.
    ///
    /// - Parameters:
    ///   - scopes: What the application asks for, as judged by ``Client/judge(_:baseURL:)``.
    ///   - groups: Those of the user, where a rule is about groups (``areAboutGroups``).
    package func demand(
        of client: ClientID, scopes: [String] = [], groups: Set<UUID> = [], baseURL: String
    ) -> LevelDemand {
        guard !isEmpty else { return .none }
        let asked = scopes.compactMap { ResourceScope($0, baseURL: baseURL) }
        return filter { rule in
            rule.applications.contains(client) || rule.groups.contains(where: groups.contains)
                || rule.scopes.contains { name in
                    guard let scope = ResourceScope(name, baseURL: baseURL) else { return false }
                    return asked.contains(where: scope.isMet)
                }
        }.reduce(.none) { $0.and(LevelDemand(level: $1.level, maximumAge: $1.maximumAge)) }
    }

    /// What the context stands for: two factors, and what rules add.
    package func demand(of context: String) -> LevelDemand {
        filter { $0.contexts.contains(context) }.reduce(.twoFactors) {
            $0.and(LevelDemand(level: $1.level, maximumAge: $1.maximumAge))
        }
    }

    package var areAboutGroups: Bool { contains { !$0.groups.isEmpty } }
}

extension Tenant {
    /// Whether a rule is for the users of the group: without the group it would be for none.
    package func isInALevel(_ group: UUID) -> Bool { levels.contains { $0.groups.contains(group) } }
}

extension ResourceScope {
    /// Whether a rule about this scope is about `other`, too. Two spellings of one application's audience are one.
    fileprivate func isMet(by other: ResourceScope) -> Bool {
        guard name == "*" || name == other.name else { return false }
        if resource == other.resource { return true }
        guard let one = Client.id(ofAudience: resource) else { return false }
        return one == Client.id(ofAudience: other.resource)
    }
}
