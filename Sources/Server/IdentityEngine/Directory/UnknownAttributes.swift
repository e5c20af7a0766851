import NativeAuthCore

/// Attribute names that a client sent and that its user flow does not define. The contract is to ignore them
/// (docs/protocol.md §11.4), so a misspelt name is not refused; the log reports it for developers.
package struct UnknownAttributes: Hashable, Sendable {
    package var application: Client
    /// The names, in the order of the request: printing ASCII of at most 256 bytes each, at most 100.
    package var names: [String]
    /// The names that the user flow defines.
    package var known: [String] { application.userFlow.attributes.map(\.name) }
}

extension Engine {
    /// The attribute names of `command` that are ignored; nil when there are none. They depend on the command alone, so
    /// a repeated request gets the same answer.
    package func unknownAttributes(
        of command: Command, in caller: CallerContext
    ) async throws(EngineError) -> UnknownAttributes? {
        guard let attributes = command.attributes, !attributes.values.isEmpty,
            case .found(_, let client) = try await resolve(caller)
        else { return nil }
        let names = client.userFlow.judge(attributes).unknown
        return names.isEmpty ? nil : UnknownAttributes(application: client, names: names)
    }
}
