import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Turns the bodies of operators' requests into values of the engine, and accounts into users. Pure.
enum OperatorCodec {
    typealias Object = [String: JSONValue]

    /// The user that a key of a path names: an id, or a user principal name, which is the id with the tenant's domain.
    static func userID(_ key: String, in tenant: Tenant) -> UserID? {
        let parts = key.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || parts[1].lowercased() == tenant.domain.lowercased() else { return nil }
        return UUID(uuidString: String(parts[0])).map { UserID($0) }
    }

    /// The user as JSON, with the members that only operators see.
    ///
    /// - Parameter select: The names of `$select`, in any letter case; nil: the usual members.
    static func user(
        _ profile: UserProfile, of account: UserAccount, select: [String]?
    ) throws(DirectoryFailure) -> Object {
        var members = DirectoryCodec.members(of: profile)
        members["creationType"] = .string("LocalAccount")
        members["deletedDateTime"] = account.deletedAt.map { .string($0.ISO8601Format()) } ?? .null
        members["passwordProfile"] = .null
        members["passwordPolicies"] = .null
        guard let select else { return members.filter { DirectoryCodec.usual.contains($0.key) } }
        return try chosen(select, of: members)
    }

    /// The members that `$select` names, in any letter case; nil: all.
    static func chosen(_ select: [String]?, of members: Object) throws(DirectoryFailure) -> Object {
        guard let select else { return members }
        let names = Dictionary(members.keys.sorted().map { ($0.lowercased(), $0) }) { first, _ in first }
        var chosen: Object = [:]
        for word in select {
            guard let name = names[word.trimmingPrefix(" ").lowercased()] else {
                throw DirectoryFailure(.unknownProperty(word))
            }
            chosen[name] = members[name]
        }
        return chosen
    }

    /// The JSON object of a body, of at most ``UserFlow/maximumAttributes`` members.
    static func object(of request: Request) async throws -> Object {
        guard MediaType.isJSON(request.headers[.contentType]) else { throw RequestFault.wrongContentType }
        let bytes = try await RequestGuard.body(of: request)
        let object: Object
        do {
            object = try WireJSON.decode(from: Data(bytes.readableBytesView))
        } catch {
            throw DirectoryFailure(RequestFault.unreadableAttributes)
        }
        guard object.count <= UserFlow.maximumAttributes else {
            throw DirectoryFailure(
                status: .badRequest, code: .badRequest,
                message: "A request has at most \(UserFlow.maximumAttributes) properties.")
        }
        return object
    }

    /// The members of a user that are no attributes.
    private enum Member: String, CaseIterable {
        case accountEnabled, identities, mail, passwordProfile, passwordPolicies, userType, creationType
        case id, userPrincipalName, createdDateTime, deletedDateTime, businessPhones, mobilePhone, officeLocation
        case nativeAuthDeletionDueDateTime
    }

    /// The members that are attributes, without those about the body itself.
    private static func attributes(of object: Object) throws(DirectoryFailure) -> [ProfileChange] {
        let members = Set(Member.allCases.map { $0.rawValue.lowercased() })
        return object.filter { !members.contains($0.key.lowercased()) && !$0.key.hasPrefix("@odata.") }
            .sorted { $0.key < $1.key }.map { name, value in
                switch value {
                case .string(let text): ProfileChange(name, .value(.string(text)))
                case .integer(let number): ProfileChange(name, .value(.integer(number)))
                case .boolean(let flag): ProfileChange(name, .value(.boolean(flag)))
                case .null: ProfileChange(name, .remove)
                case .number, .array, .object: ProfileChange(name, .unusable)
                }
            }
    }

    private static func value(_ member: Member, of object: Object) -> JSONValue? {
        object.first { $0.key.lowercased() == member.rawValue.lowercased() }?.value
    }

    /// Refuses members that only the server sets.
    private static func refuse(_ members: [Member], in object: Object) throws(DirectoryFailure) {
        if let found = members.first(where: { value($0, of: object) != nil }) {
            throw DirectoryFailure(.readOnlyProperty(found.rawValue))
        }
    }

    private static func isEnabled(_ object: Object) throws(DirectoryFailure) -> Bool? {
        switch value(.accountEnabled, of: object) {
        case nil: return nil
        case .boolean(let flag)?: return flag
        case _?: throw DirectoryFailure(.invalidValue(Member.accountEnabled.rawValue))
        }
    }

    /// The login names of `identities`.
    private struct Names {
        var email: String?
        var usesPassword = true
        var alias: String?
        /// The keys of accounts at providers.
        var linked: Set<Data> = []
    }

    private static func names(_ object: Object, of tenant: Tenant) throws(DirectoryFailure) -> Names? {
        guard let identities = value(.identities, of: object) else { return nil }
        let fault = DirectoryFailure(.invalidValue(Member.identities.rawValue))
        guard case .array(let items) = identities, items.count <= 10 else { throw fault }
        var names = Names()
        for item in items {
            guard case .object(let identity) = item, let name = identity["issuerAssignedId"]?.string,
                let type = identity["signInType"]?.string?.lowercased()
            else { throw fault }
            let issuer = identity["issuer"]?.string?.lowercased()
            let isOurs = issuer == nil || issuer == tenant.domain.lowercased()
            if type.hasPrefix("emailaddress"), isOurs, names.email == nil {
                names.email = name
            } else if type == "federated", issuer == "mail", names.email == nil {
                (names.email, names.usesPassword) = (name, false)
            } else if type == "federated",
                let issuer = identity["issuer"]?.string.flatMap(DirectoryCodec.issuer(named:))
            {
                names.linked.insert(LinkedIdentity.key(issuer: issuer, subject: name))
            } else if type == "username", isOurs, names.alias == nil {
                names.alias = name
            } else if type != "userprincipalname" {
                throw fault
            }
        }
        return names
    }

    /// - Throws: ``DirectoryFailure`` for members that are missing, unknown, read-only or contradict each other.
    static func newAccount(_ object: Object, of tenant: Tenant) throws(DirectoryFailure) -> NewAccount {
        try refuse(
            [.id, .userPrincipalName, .createdDateTime, .deletedDateTime, .nativeAuthDeletionDueDateTime], in: object)
        // A user links an account at a provider, and an import does.
        guard let names = try names(object, of: tenant), names.linked.isEmpty, let email = names.email else {
            throw DirectoryFailure(.invalidValue(Member.identities.rawValue))
        }
        if let mail = value(.mail, of: object), mail.string?.lowercased() != email.lowercased() {
            throw DirectoryFailure(.invalidValue(Member.mail.rawValue))
        }
        var attributes = try attributes(of: object)
        if let alias = names.alias {
            attributes.append(ProfileChange(AttributeDefinition.aliasName, .value(.string(alias))))
        }
        return NewAccount(
            email: email, attributes: attributes, password: try password(object, isUsed: names.usesPassword),
            isEnabled: try isEnabled(object) ?? true)
    }

    private static func password(_ object: Object, isUsed: Bool) throws(DirectoryFailure) -> FirstPassword {
        let fault = DirectoryFailure(.invalidValue(Member.passwordProfile.rawValue))
        switch value(.passwordProfile, of: object) {
        case nil, .null?: return isUsed ? .setByReset : .none
        case .object(let profile)?:
            // No page asks for a change at the next sign-in.
            guard isUsed, let password = profile["password"]?.string,
                profile["forceChangePasswordNextSignIn"] != .boolean(true)
            else { throw fault }
            return .chosen(Secret(password))
        case _?: throw fault
        }
    }

    /// - Parameter roles: Of the daemon: `User.ReadWrite.All` may change everything, the others one member each.
    static func edit(
        _ object: Object, of tenant: Tenant, roles: Set<String>, version: String?
    ) throws(DirectoryFailure) -> UserEdit {
        try refuse(
            [
                .id, .userPrincipalName, .createdDateTime, .deletedDateTime, .nativeAuthDeletionDueDateTime, .userType,
                .creationType, .businessPhones, .mobilePhone, .officeLocation,
            ], in: object)
        // An operator neither sees nor sets a password; a reset makes one (SEC-ADM-5).
        guard value(.passwordProfile, of: object) == nil else {
            throw DirectoryFailure(.readOnlyProperty(Member.passwordProfile.rawValue))
        }
        let names = try names(object, of: tenant)
        var attributes = try attributes(of: object)
        if !roles.contains("User.ReadWrite.All") {
            let mayEnable = roles.contains("User.EnableDisableAccount.All")
            let mayName = roles.contains("User.ManageIdentities.All")
            guard attributes.isEmpty, mayEnable || value(.accountEnabled, of: object) == nil,
                mayName || names == nil && value(.mail, of: object) == nil
            else { throw DirectoryFailure(.insufficientScope) }
        }
        if let names {
            // The array replaces all names: without an alias the user has none.
            attributes.append(
                ProfileChange(
                    AttributeDefinition.aliasName, names.alias.map { .value(.string($0)) } ?? .remove))
        }
        if let mail = value(.mail, of: object), mail.string == nil || names.map({ $0.email != mail.string }) ?? false {
            throw DirectoryFailure(.invalidValue(Member.mail.rawValue))
        }
        return UserEdit(
            email: names?.email ?? value(.mail, of: object)?.string, attributes: attributes,
            isEnabled: try isEnabled(object), version: version, linked: names?.linked ?? [])
    }
}
