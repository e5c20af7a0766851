import NativeAuthCore
package import PortableFoundation

// What a signed-in user does with the own account, on the directory API (docs/protocol.md §18).

/// The profile of a user, as the user may see it.
package struct UserProfile: Hashable, Sendable {
    package var user: User
    package var tenant: Tenant
    package var isEnabled: Bool
    /// When the account will be deleted; nil: never.
    package var deletionDueAt: Date?
    /// The names of all attributes that the application knows, with a value or without; not the alias.
    package var attributeNames: [String]
    /// Identifies this content of the profile: another content has another version. Base64url, 22 characters.
    package var version: String
    /// The user's accounts at providers that can be used.
    package var identities: [LinkedIdentity] = []
}

extension Engine {
    /// The profile of the user.
    package func profile(of caller: DirectoryCaller) -> UserProfile {
        profile(of: caller.account, for: caller.client, in: caller.tenant)
    }

    /// Changes attributes and the alias of the user, all or none.
    ///
    /// - Parameters:
    ///   - changes: The new values by name; a nil value removes the attribute.
    ///   - version: The version that the client has read; nil: any. A change that is there already is accepted in any
    ///     case, so that a request whose answer was lost can be repeated (RFC 9110 section 13.1.1).
    package func updateProfile(
        of caller: DirectoryCaller, _ changes: [ProfileChange], ifVersion version: String?,
        from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<UserProfile> {
        let client = caller.client
        let edit: ProfileEdit
        switch client.userFlow.judgeChanges(changes) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged): edit = ProfileEdit(judged)
        }
        let changed = event(.profileChanged, of: caller, from: source, at: now)
        return try await change(caller, names: edit.alias.map { [$0.key] } ?? []) { account, facts in
            var account = account
            let differing = edit.differing(from: account)
            let before = profile(of: account, for: client, in: caller.tenant)
            guard !differing.names.isEmpty else { return ([], .accepted(before)) }
            guard version == nil || version == before.version else { return ([], .refused(.changedMeanwhile)) }
            switch effects(of: differing, on: &account, facts, now: now) {
            case .refused(let refusal): return ([], .refused(refusal))
            case .accepted(let effects):
                var event = changed
                event.detail = "\(differing.names.count)"
                return (
                    effects + [.record(event)], .accepted(profile(of: account, for: client, in: caller.tenant))
                )
            }
        }
    }

    /// The effects of an edit, which `account` gets too.
    func effects(
        of edit: ProfileEdit, on account: inout UserAccount, _ facts: AccountFacts, now: Date
    ) -> DirectoryAnswer<[Effect]> {
        let (id, tenant) = (account.user.id, account.user.tenant)
        var effects: [Effect] = edit.attributes.isEmpty ? [] : [.setAttributes(edit.attributes, of: id)]
        for change in edit.attributes { account.user.attributes[change.name] = change.value }
        guard edit.changesAlias else { return .accepted(effects) }
        let old = account.user.alias.flatMap { Alias($0) }
        if let alias = edit.alias {
            guard isFree(alias.key, for: id, in: tenant, facts, now: now) else {
                return .refused(.nameTaken(AttributeDefinition.aliasName))
            }
            effects.append(.releaseNames([mark(of: alias.key, in: tenant)]))
        }
        effects.append(.replaceName(.alias, with: edit.alias?.identifier, of: id, at: now))
        if let old { effects.append(.holdName(atRest(old, of: id, in: tenant, now: now))) }
        account.user.alias = edit.alias?.display
        return .accepted(effects)
    }

    /// Whether the user may take a name: no account has it, and it rests for no other user.
    func isFree(
        _ name: LoginIdentifier.Key, for user: UserID, in tenant: TenantID, _ facts: AccountFacts, now: Date
    ) -> Bool {
        let mark = mark(of: name, in: tenant)
        return !facts.taken.contains(name)
            && !facts.reserved.contains { $0.mark == mark && $0.until > now && $0.user != user }
    }

    /// The rest of an alias that its user gave up (`SEC-ID-8`).
    func atRest(_ alias: Alias, of user: UserID?, in tenant: TenantID, now: Date) -> ReservedName {
        ReservedName(
            mark: mark(of: alias.key, in: tenant), user: user,
            until: now.addingTimeInterval(Double(settings.aliasRest)))
    }

    private func profile(of account: UserAccount, for client: Client, in tenant: Tenant) -> UserProfile {
        profile(
            of: account,
            attributeNames: client.userFlow.attributes.map(\.name).filter { $0 != AttributeDefinition.aliasName },
            in: tenant)
    }

    func profile(of account: UserAccount, attributeNames: [String], in tenant: Tenant) -> UserProfile {
        let user = account.user
        let names = [user.email, user.alias ?? ""].map { Data($0.utf8) }
        let attributes = user.attributes.sorted { $0.key < $1.key }.flatMap { name, value in
            [Data(name.utf8), Data("\(value)".utf8), Data(value.kind.utf8)]
        }
        let digest = Vault.fingerprint([Data(user.id.description.utf8)] + names + attributes)
        return UserProfile(
            user: user, tenant: tenant, isEnabled: account.disabledAt == nil,
            deletionDueAt: account.deletionDueAt,
            attributeNames: attributeNames,
            version: Base64URL.encode(digest.prefix(16)),
            identities: account.identities.filter { $0.suspendedAt == nil }.compactMap(\.identity))
    }
}

extension AttributeValue {
    /// Tells the text `1` from the number.
    fileprivate var kind: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .boolean: "boolean"
        }
    }
}
