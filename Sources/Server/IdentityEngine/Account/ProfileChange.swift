package import NativeAuthCore

/// A change of a profile, as a client sent it.
package struct ProfileChange: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case value(AttributeValue)
        /// The attribute is to be removed.
        case remove
        /// A value of a kind that no attribute has.
        case unusable
    }

    package var name: String
    package var content: Content

    package init(_ name: String, _ content: Content) {
        self.name = name
        self.content = content
    }
}

extension UserFlow {
    /// Checks changes of a profile by the rules of sign-up.
    ///
    /// - Parameter asUser: Whether the user asks, who may change some attributes only; an operator may change all.
    /// - Returns: The changes to write, or the first refusal.
    package func judgeChanges(_ changes: [ProfileChange], asUser: Bool = true) -> DirectoryAnswer<[AttributeChange]> {
        var accepted: [AttributeChange] = []
        for change in changes {
            guard let definition = definition(of: change.name) else {
                return .refused(.unknownProperty(change.name))
            }
            guard definition.userMayChange || !asUser else {
                return .refused(.readOnlyProperty(change.name))
            }
            switch change.content {
            case .unusable: return .refused(.invalidValue(change.name))
            case .remove:
                // The directory never has a user without a name that had one (docs/protocol.md §18.2).
                guard !definition.isRequired, definition.name != "displayName" else {
                    return .refused(.invalidValue(change.name))
                }
                accepted.append(AttributeChange(definition.name, nil))
            case .value(let value):
                let judged = UserFlow(method: method, attributes: [definition]).judge(
                    SubmittedAttributes([(definition.name, value)]))
                // An empty text is no value.
                guard judged.invalid.isEmpty, let kept = judged.accepted[definition.name] else {
                    return .refused(.invalidValue(change.name))
                }
                accepted.append(AttributeChange(definition.name, kept))
            }
        }
        return .accepted(accepted)
    }

    /// The definition that this flow gives an attribute, else the built-in one.
    private func definition(of name: String) -> AttributeDefinition? {
        (attributes + AttributeDefinition.builtIn + [.preferredLanguage]).first {
            $0.name.utf8.elementsEqual(name.utf8)
        }
    }
}

/// Changes that keep the rules: of attributes, and of the alias, which is also a login name.
struct ProfileEdit: Sendable {
    var attributes: [AttributeChange]
    var changesAlias: Bool
    /// The new alias; nil removes it.
    var alias: Alias?

    init(_ judged: [AttributeChange]) {
        let alias = judged.first { $0.name == AttributeDefinition.aliasName }
        attributes = judged.filter { $0.name != AttributeDefinition.aliasName }
        changesAlias = alias != nil
        self.alias = alias?.value.flatMap { Alias("\($0)") }
    }

    /// The names of the changed properties.
    var names: [String] { attributes.map(\.name) + (changesAlias ? [AttributeDefinition.aliasName] : []) }

    /// The changes without those that the account has already.
    func differing(from account: UserAccount) -> ProfileEdit {
        var edit = self
        edit.attributes.removeAll { account.user.attributes[$0.name] == $0.value }
        edit.changesAlias = changesAlias && account.user.alias.flatMap { Alias($0) }?.key != alias?.key
        return edit
    }
}
