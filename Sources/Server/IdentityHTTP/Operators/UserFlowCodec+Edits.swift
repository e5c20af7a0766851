import IdentityEngine
import NativeAuthCore
import PortableFoundation

// Edits of the user flows of a tenant, by the API and the console.
extension UserFlowCodec {
    /// Changes the flow with this id, which the entry has.
    ///
    /// - Throws: ``TenantEditFault`` for attributes and applications that the tenant does not have, and applications of
    ///   another flow.
    static func apply(
        _ change: Change, to id: UUID, in entry: inout TenantDirectory.Entry
    ) throws(TenantEditFault) {
        guard let index = entry.userFlows.firstIndex(where: { $0.id == id }) else { throw .notFound }
        let known = attributes(of: entry)
        var flow = entry.userFlows[index]
        flow.displayName = change.displayName ?? flow.displayName
        flow.description = change.description ?? flow.description
        flow.priority = change.priority ?? flow.priority
        flow.allowsSignUp = change.allowsSignUp ?? flow.allowsSignUp
        flow.method = change.method ?? flow.method
        if let inputs = change.inputs {
            let before = flow.attributes
            // A built-in attribute that is not asked for is still accepted. It keeps what the document says of it; what an
            // input has said goes with the input.
            flow.attributes = AttributeDefinition.builtIn.compactMap { built in
                guard !inputs.contains(where: { $0.name == built.name }) else { return nil }
                var definition = before.first { $0.name == built.name } ?? built
                if isCollected(definition) {
                    (definition.isRequired, definition.label, definition.pattern) = (false, nil, nil)
                }
                return definition
            }
            for input in inputs {
                guard let attribute = known.first(where: { $0.name == input.name }) else {
                    throw .invalid([
                        "The tenant has no attribute with the id \(DirectoryFailure.shown(input.name) ?? "")."
                    ])
                }
                if let isBoolean = input.isBoolean, isBoolean != (attribute.type == .boolean) {
                    throw .invalid([
                        "The inputType of \(input.name) does not suit the attribute, which is \(attribute.type.rawValue)."
                    ])
                }
                var definition =
                    (before + AttributeDefinition.builtIn).first { $0.name == input.name }
                    ?? AttributeDefinition(name: input.name, type: attribute.type)
                if let rules = input.rules {
                    guard rules.pattern == nil || attribute.type == .string else {
                        throw .invalid(["\(input.name) is no text, so that it has no validationRegEx."])
                    }
                    (definition.isRequired, definition.pattern) = (rules.isRequired, rules.pattern)
                }
                definition.label = input.label ?? definition.label ?? attribute.displayName
                flow.attributes.append(definition)
            }
        }
        entry.userFlows[index] = flow
        if let applications = change.applications {
            for index in entry.applications.indices
            where entry.applications[index].flowSource == .shared(id)
                && !applications.contains(entry.applications[index].id)
            {
                entry.applications[index].flowSource = .none
            }
            for application in applications { try join(application, to: id, in: &entry) }
        }
        entry.resolveUserFlows()
    }

    /// Gives an application the flow.
    static func join(
        _ application: ClientID, to id: UUID, in entry: inout TenantDirectory.Entry
    ) throws(TenantEditFault) {
        guard entry.userFlows.contains(where: { $0.id == id }) else { throw .notFound }
        guard let index = entry.applications.firstIndex(where: { $0.id == application }) else {
            throw .invalid(["The tenant has no application with the client id \(application)."])
        }
        if case .shared(let other) = entry.applications[index].flowSource, other != id {
            throw .invalid(["The application \(application) has another user flow; take it out of that one first."])
        }
        guard !entry.applications[index].hasOwnRules else {
            throw .invalid([
                "The application \(application) has rules of its own for attributes, which would be lost. Take them out first, with nativeAuthSignIn null."
            ])
        }
        entry.applications[index].flowSource = .shared(id)
        entry.resolveUserFlows()
    }

    /// Takes an application out of the flow: no user can sign up or in with it then.
    static func leave(
        _ application: ClientID, from id: UUID, in entry: inout TenantDirectory.Entry
    ) throws(TenantEditFault) {
        let index = entry.applications.firstIndex { $0.id == application && $0.flowSource == .shared(id) }
        guard let index else { throw .notFound }
        entry.applications[index].flowSource = .none
    }

    /// Removes the flow; its applications have none then.
    static func remove(_ id: UUID, from entry: inout TenantDirectory.Entry) throws(TenantEditFault) {
        guard entry.userFlows.contains(where: { $0.id == id }) else { throw .notFound }
        if let hook = entry.tenant.hooks.first(where: { $0.userFlows.contains(id) }) {
            throw .invalid(["The hook \(hook.displayName) is for this user flow; change the hook first."])
        }
        entry.userFlows.removeAll { $0.id == id }
        entry.resolveUserFlows()
    }

    /// Removes an attribute of the tenant that no application and no flow uses.
    static func remove(attribute name: String, from entry: inout TenantDirectory.Entry) throws(TenantEditFault) {
        let places = places(using: name, in: entry)
        guard places.isEmpty else {
            throw .invalid(["The attribute is used by \(places.joined(separator: ", ")); take it out there first."])
        }
        guard entry.attributes.contains(where: { $0.name == name }) else { throw .notFound }
        entry.attributes.removeAll { $0.name == name }
    }
}
