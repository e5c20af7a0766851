import NativeAuthCore

/// Attribute names that a client sent and that its user flow does not know. The contract is to ignore them (native-auth-v1 §11.4),
/// so a misspelt name gets no refusal; this is for those who look for it.
package struct UnknownAttributes: Hashable, Sendable {
    package var application: Client
    /// The names, in the order in which they came: printing ASCII of at most 256 bytes each, at most 100.
    package var names: [String]
    /// The names that the user flow knows.
    package var known: [String] { application.userFlow.attributes.map(\.name) }

    package init(application: Client, names: [String]) {
        self.application = application
        self.names = names
    }
}

extension Engine {
    /// The attribute names of `command` that are ignored; nil when there are none. It depends on the command alone, so a repeated
    /// request is told the same.
    package func unknownAttributes(
        of command: Command, in context: CommandContext
    ) async throws(EngineError) -> UnknownAttributes? {
        guard let attributes = command.attributes, !attributes.values.isEmpty,
            case .found(_, let client) = try await resolve(context)
        else { return nil }
        let names = client.userFlow.judge(attributes).unknown
        return names.isEmpty ? nil : UnknownAttributes(application: client, names: names)
    }
}
