package import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// What a filter or a search can ask about the users of a tenant.
///
/// Each property takes `eq`, `ne` and `in` with literals of its type and `null`; texts but names of accounts take
/// `startsWith`, and `createdDateTime` takes `ge`, `gt`, `le` and `lt` (docs/protocol.md §18.6). Names have no letter
/// case.
package struct UserProperties: Sendable {
    fileprivate enum Property {
        case id, mail, userPrincipalName, createdDateTime, accountEnabled
        /// The same text for every user.
        case constant(String)
        case attribute(String, AttributeDefinition.ValueType)
    }

    private let domain: String
    private let extensionApplication: String?
    /// By the name in lower case.
    private let properties: [String: Property]

    /// - Parameters:
    ///   - domain: The domain of the tenant.
    ///   - attributes: The attributes that the tenant has beside the vendor's, with their types. One with the name of a
    ///     property that only the server sets does not count.
    ///   - extensionApplication: The 32 hexadecimal digits in long names: `extension_{digits}_{name}` is the attribute
    ///     `extension_{name}` or `{name}`. Nil: any digits.
    package init(
        domain: String, attributes: [String: AttributeDefinition.ValueType] = [:], extensionApplication: String? = nil
    ) {
        self.domain = domain.lowercased()
        self.extensionApplication = extensionApplication?.lowercased()
        var properties: [String: Property] = [:]
        for (name, type) in attributes where name != AttributeDefinition.aliasName {
            properties[name.lowercased()] = .attribute(name, type)
        }
        for name in AttributeDefinition.changedByUsers { properties[name.lowercased()] = .attribute(name, .string) }
        self.properties = properties.merging([
            "id": .id, "mail": .mail, "userprincipalname": .userPrincipalName, "createddatetime": .createdDateTime,
            "accountenabled": .accountEnabled, "usertype": .constant("Member"),
            "creationtype": .constant("LocalAccount"),
        ]) { $1 }
    }

    /// The question that a filter asks.
    package func condition(_ filter: ODataFilter) throws(ODataFault) -> UserCondition {
        switch filter {
        case .all(let filters): return .all(try conditions(filters))
        case .any(let filters): return .any(try conditions(filters))
        case .not(let filter): return .not(try condition(filter))
        case .comparison(let path, let comparison, let literal):
            let property = try property(path)
            return try supported(self.condition(property, comparison, literal), path)
        case .isOneOf(let path, let literals):
            let property = try property(path)
            var conditions: [UserCondition] = []
            for literal in literals { conditions.append(try supported(equality(property, literal), path)) }
            return conditions.count == 1 ? conditions[0] : .any(conditions)
        case .call(.startsWith, let path, let text): return try supported(beginning(try property(path), text), path)
        case .call(.endsWith, let path, _), .call(.contains, let path, _):
            throw .unsupported(property: path.property)
        case .lambda(let path, let quantifier, let variable, let body):
            return try supported(identity(path, quantifier, variable.lowercased(), body), path)
        }
    }

    /// The users of whom this property begins with the text.
    func beginning(_ name: String, with text: String) throws(ODataFault) -> UserCondition {
        let path = ODataPath(name)
        return try supported(beginning(try property(path), text), path)
    }

    private func conditions(_ filters: [ODataFilter]) throws(ODataFault) -> [UserCondition] {
        var conditions: [UserCondition] = []
        for filter in filters { conditions.append(try condition(filter)) }
        return conditions
    }

    private func supported(_ condition: UserCondition?, _ path: ODataPath) throws(ODataFault) -> UserCondition {
        guard let condition else { throw .unsupported(property: path.property) }
        return condition
    }

    private func property(_ path: ODataPath) throws(ODataFault) -> Property {
        let name = path.property.lowercased()
        guard path.names.count == 1, let found = properties[name] ?? attribute(longName: name) else {
            throw .unsupported(property: path.property)
        }
        return found
    }

    /// The attribute that `extension_{32 hexadecimal digits}_{name}` means, in lower case.
    private func attribute(longName: String) -> Property? {
        let prefix = "extension_"
        let parts = longName.dropFirst(prefix.count).split(separator: "_", maxSplits: 1)
        guard longName.hasPrefix(prefix), parts.count == 2, parts[0].utf8.count == 32,
            parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            extensionApplication == nil || extensionApplication == String(parts[0]),
            let found = properties[prefix + parts[1]] ?? properties[String(parts[1])],
            case .attribute(let name, _) = found, !AttributeDefinition.changedByUsers.contains(name)
        else { return nil }
        return found
    }
}

// Nil below: the store does not answer this, or the literal has another type.
extension UserProperties {
    private func condition(
        _ property: Property, _ comparison: ODataOperator, _ literal: ODataLiteral
    ) -> UserCondition? {
        switch (comparison, property, literal) {
        case (.eq, _, _): equality(property, literal)
        case (.ne, _, _): equality(property, literal).map { .not($0) }
        case (.ge, .createdDateTime, .date(let date)): .createdSince(date.secondUp)
        case (.lt, .createdDateTime, .date(let date)): .not(.createdSince(date.secondUp))
        case (.gt, .createdDateTime, .date(let date)): .createdSince(date.nextSecond)
        case (.le, .createdDateTime, .date(let date)): .not(.createdSince(date.nextSecond))
        case (.ge, _, _), (.gt, _, _), (.lt, _, _), (.le, _, _): nil
        }
    }

    private func equality(_ property: Property, _ literal: ODataLiteral) -> UserCondition? {
        switch (property, literal) {
        case (.attribute(let name, _), .null): .lacksAttribute(name)
        // Every user has a value.
        case (_, .null): .everyone(false)
        case (.id, .guid(let id)): .hasID(UserID(id))
        case (.id, .text(let text)): UUID(text: text).map { .hasID(UserID($0)) } ?? .everyone(false)
        case (.userPrincipalName, .text(let text)): userPrincipalName(text)
        case (.mail, .text(let text)): .mail(.equals(text))
        case (.createdDateTime, .date(let date)):
            // Replies show whole seconds, so a user was created during one.
            date == date.secondUp
                ? .all([.createdSince(date), .not(.createdSince(date.nextSecond))]) : .everyone(false)
        case (.accountEnabled, .flag(let flag)): .isEnabled(flag)
        case (.constant(let value), .text(let text)): .everyone(value.isEqualWithoutCase(to: text))
        case (.attribute(let name, .string), .text(let text)): .attribute(name, .equals(text))
        case (.attribute(let name, .boolean), .flag(let flag)): .attributeIs(name, .boolean(flag))
        case (.attribute(let name, .integer), .integer(let number)): .attributeIs(name, .integer(number))
        case (.id, _), (.mail, _), (.userPrincipalName, _), (.createdDateTime, _), (.accountEnabled, _),
            (.constant, _), (.attribute, _):
            nil
        }
    }

    private func beginning(_ property: Property, _ text: String) -> UserCondition? {
        switch property {
        case .mail: text.isEmpty ? .everyone(true) : .mail(.begins(text))
        // Every text begins with no text.
        case .attribute(let name, .string):
            text.isEmpty ? .not(.lacksAttribute(name)) : .attribute(name, .begins(text))
        case .attribute(_, .boolean), .attribute(_, .integer), .id, .userPrincipalName, .createdDateTime,
            .accountEnabled, .constant:
            nil
        }
    }

    /// `{id}@{domain of the tenant}` is a user; no user has another name of this kind.
    private func userPrincipalName(_ text: String) -> UserCondition {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, domain.isEqualWithoutCase(to: parts[1]), let id = UUID(text: String(parts[0])) else {
            return .everyone(false)
        }
        return .hasID(UserID(id))
    }

    /// `identities/any(x:x/issuerAssignedId eq '…' and x/issuer eq '…')`, the terms in either order. The issuer is `mail`, that of
    /// a provider, or does not count.
    private func identity(
        _ path: ODataPath, _ quantifier: ODataQuantifier, _ variable: String, _ body: ODataFilter
    ) -> UserCondition? {
        guard path.names.map({ $0.lowercased() }) == ["identities"], quantifier == .any, case .all(let terms) = body,
            terms.count == 2
        else { return nil }
        var values: [String: String] = [:]
        for term in terms {
            guard case .comparison(let path, .eq, .text(let text)) = term, path.names.count == 2,
                path.property.lowercased() == variable, let member = path.names.last
            else { return nil }
            values[member.lowercased()] = text
        }
        guard let name = values["issuerassignedid"], let issuer = values["issuer"] else { return nil }
        if let issuer = DirectoryCodec.issuer(named: issuer) {
            return .hasIdentity(LinkedIdentity.key(issuer: issuer, subject: name))
        }
        return .signsIn(as: name, issuer.isEqualWithoutCase(to: "mail") ? .code : .local)
    }
}

extension Date {
    /// This time, or the next whole second.
    fileprivate var secondUp: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.up)) }
    /// The first whole second after this time.
    fileprivate var nextSecond: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down) + 1) }
}

extension StringProtocol {
    /// Compares bytes, and the letters A to Z without case: `lowercased()` turns letters of other scripts into ASCII.
    fileprivate func isEqualWithoutCase(to other: some StringProtocol) -> Bool {
        func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }
        return utf8.elementsEqual(other.utf8) { lowered($0) == lowered($1) }
    }
}
