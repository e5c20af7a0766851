package import PortableFoundation

/// A user flow that applications of a tenant share: how their users sign up and in. An application names it by its id, and
/// has what belongs to the application alone (scopes, claims, a second factor) itself.
package struct SharedUserFlow: Hashable, Sendable {
    package var id: UUID
    /// Once in a tenant, at most 256 bytes.
    package var displayName: String
    package var description: String
    /// Kept for scripts. It has no effect: an application has at most one user flow.
    package var priority: Int
    package var method: UserFlow.Method
    package var allowsSignUp: Bool
    package var attributes: [AttributeDefinition]

    /// The priority of a flow that is given none.
    package static let usualPriority = 500

    package init(
        id: UUID, displayName: String, description: String = "", priority: Int = usualPriority, method: UserFlow.Method,
        allowsSignUp: Bool = true, attributes: [AttributeDefinition] = AttributeDefinition.builtIn
    ) {
        self.id = id
        self.displayName = displayName
        self.description = description
        self.priority = priority
        self.method = method
        self.allowsSignUp = allowsSignUp
        self.attributes = attributes
    }
}

/// An attribute of a tenant, beside the built-in ones, which user flows can collect.
package struct TenantAttribute: Hashable, Sendable {
    /// The name in the API, such as `extension_memberNumber`.
    package var name: String
    /// For people, at most 256 bytes.
    package var displayName: String
    package var description: String
    package var type: AttributeDefinition.ValueType

    package init(
        name: String, displayName: String, description: String = "", type: AttributeDefinition.ValueType = .string
    ) {
        self.name = name
        self.displayName = displayName
        self.description = description
        self.type = type
    }
}

/// Where an application has its user flow from.
package enum UserFlowSource: Hashable, Sendable {
    /// The application has its own.
    case own
    /// The tenant's flow with this id.
    case shared(UUID)
    /// There is none yet: no user can sign up or in.
    case none
}

extension TenantDirectory.Entry {
    /// The rules of operators' changes and of imports: the user flows of the applications, and the attributes of the tenant
    /// that no flow collects, which only they can set.
    package var operatorFlows: [UserFlow] {
        let flows = applications.map(\.userFlow)
        let collected = Set(flows.flatMap { $0.attributes.map(\.name) })
        let others = attributes.filter { !collected.contains($0.name) }
            .map { AttributeDefinition(name: $0.name, type: $0.type, userMayChange: false) }
        return flows + (others.isEmpty ? [] : [UserFlow(method: .emailOneTimePasscode, attributes: others)])
    }

    /// Copies the rules of each shared flow into its applications. An application whose flow is deleted gets
    /// ``UserFlowSource/none``.
    package mutating func resolveUserFlows() {
        for index in applications.indices {
            guard case .shared(let id) = applications[index].flowSource else { continue }
            guard let shared = userFlows.first(where: { $0.id == id }) else {
                applications[index].flowSource = .none
                continue
            }
            applications[index].userFlow.method = shared.method
            applications[index].userFlow.attributes = shared.attributes
            applications[index].userFlow.allowsSignUp = shared.allowsSignUp
        }
    }
}
