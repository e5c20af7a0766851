package import NativeAuthCore
package import PortableFoundation

// What a signed-in user does with the own account, on the directory API (docs/protocol.md §18).

/// Why the directory refuses a request. Nothing has changed.
package enum DirectoryRefusal: Hashable, Sendable {
    /// No token, or none that is live, or one for another audience.
    case invalidToken
    /// The token has none of the scopes that the request needs.
    case insufficientScope
    /// The application may not be used.
    case applicationDisabled
    /// The directory has no such property.
    case unknownProperty(String)
    /// The user may not change this property.
    case readOnlyProperty(String)
    /// The value breaks the property's rules, or may not be removed.
    case invalidValue(String)
    /// The profile is another one than the client has read.
    case changedMeanwhile
}

/// The profile of a user, as the user may see it.
package struct UserProfile: Hashable, Sendable {
    package var user: User
    package var tenant: Tenant
    package var isEnabled: Bool
    /// The names of all attributes that the application knows, with a value or without; not the alias.
    package var attributeNames: [String]
    /// Identifies this content of the profile: another content has another version. Base64url, 22 characters.
    package var version: String
}

/// The result of a request to the directory.
package enum DirectoryAnswer<Value: Sendable>: Sendable {
    case accepted(Value)
    case refused(DirectoryRefusal)
}

/// The user of an access token for the directory, with the token's application.
package struct DirectoryCaller: Sendable {
    let tenant: Tenant
    let client: Client
    let account: UserAccount

    /// The user of the request, as the key of a limit: 16 bytes.
    package var limitKey: Data { withUnsafeBytes(of: account.user.id.uuid.uuid) { Data($0) } }
}

extension Engine {
    /// The profile of the user.
    package func profile(of caller: DirectoryCaller) -> UserProfile {
        profile(of: caller.account, for: caller.client, in: caller.tenant)
    }

    /// Changes attributes of the user, all or none.
    ///
    /// - Parameters:
    ///   - changes: The new values by name; a nil value removes the attribute.
    ///   - version: The version that the client has read; nil: any. A change that is there already is accepted in any
    ///     case, so that a request whose answer was lost can be repeated (RFC 9110 section 13.1.1).
    package func updateProfile(
        of caller: DirectoryCaller, _ changes: [ProfileChange], ifVersion version: String?,
        from source: RequestSource?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<UserProfile> {
        let (tenant, client) = (caller.tenant, caller.client)
        let changed: [AttributeChange]
        switch client.userFlow.judgeChanges(changes) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged): changed = judged
        }
        let digest = source.map { auditSource($0, tenant.id) }
        do {
            return try await ports.users.updateAttributes(of: caller.account.user.id, in: tenant.id) { account in
                // Checked again under the lock: the account may have been disabled, or its password reset meanwhile.
                guard var account, account.disabledAt == nil,
                    account.credentialVersion == caller.account.credentialVersion
                else { return ([], nil, .refused(.invalidToken)) }
                let effective = changed.filter { account.user.attributes[$0.name] != $0.value }
                let before = profile(of: account, for: client, in: tenant)
                guard version == nil || version == before.version || effective.isEmpty else {
                    return ([], nil, .refused(.changedMeanwhile))
                }
                for change in effective { account.user.attributes[change.name] = change.value }
                let event = AuditEvent(
                    .profileChanged, at: now, tenant: tenant.id, client: client.id, user: account.user.id,
                    detail: "\(effective.count)", source: digest)
                return (effective, event, .accepted(profile(of: account, for: client, in: tenant)))
            }
        } catch {
            throw .store(error)
        }
    }

    private func profile(of account: UserAccount, for client: Client, in tenant: Tenant) -> UserProfile {
        let user = account.user
        let names = [user.email, user.alias ?? ""].map { Data($0.utf8) }
        let attributes = user.attributes.sorted { $0.key < $1.key }.flatMap { name, value in
            [Data(name.utf8), Data("\(value)".utf8), Data(value.kind.utf8)]
        }
        let digest = Vault.fingerprint([Data(user.id.description.utf8)] + names + attributes)
        return UserProfile(
            user: user, tenant: tenant, isEnabled: account.disabledAt == nil,
            attributeNames: client.userFlow.attributes.map(\.name).filter { $0 != AttributeDefinition.aliasName },
            version: Base64URL.encode(digest.prefix(16)))
    }

    /// The caller of a request to the directory: a live token of any tenant, for the directory, with one of `scopes`.
    package func directoryCaller(
        _ token: Secret<String>, anyOf scopes: Set<String>, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<DirectoryCaller> {
        guard let id = ports.issuer.claimedTenant(of: token), let tenant = try await tenant(named: id.description),
            let live = try await live(token, in: tenant, now: now), live.claims.audience == ResourceScope.directory
        else { return .refused(.invalidToken) }
        guard !scopes.isDisjoint(with: live.claims.scopes) else { return .refused(.insufficientScope) }
        do {
            guard let client = try await ports.clients.client(live.claims.client, in: tenant.id),
                client.isNativeAuthEnabled
            else { return .refused(.applicationDisabled) }
            return .accepted(DirectoryCaller(tenant: tenant, client: client, account: live.account))
        } catch {
            throw .store(error)
        }
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
