package import NativeAuthCore
package import PortableFoundation

// What an operator does with a user, on the command line (docs/operate/users.md). Names and attributes follow the rules
// of the users' own changes.
extension Engine {
    /// The profile of a user, for an operator.
    package func profile(of account: UserAccount, in tenant: Tenant) -> UserProfile {
        profile(of: account, attributeNames: [], in: tenant)
    }

    /// Creates a user. Where the application's users have a password, the user sets one by a reset: until then the
    /// account has a random password that is stored nowhere but in its hash. Elsewhere the user signs in with codes.
    ///
    /// - Parameters:
    ///   - changes: The attributes, with the alias; the rules are those of the application.
    ///   - client: The application for which the user is created.
    /// - Returns: The id. Refused with ``DirectoryRefusal/invalidValue(_:)`` also when a required attribute is missing.
    package func createUser(
        email text: String, _ changes: [ProfileChange], for client: Client, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<UserID> {
        guard let email = EmailAddress(text) else { return .refused(.invalidValue("mail")) }
        let edit: ProfileEdit
        switch client.userFlow.judgeChanges(changes, asUser: false) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged): edit = ProfileEdit(judged)
        }
        let missing = client.userFlow.attributes.first { $0.isRequired && !edit.names.contains($0.name) }
        if let missing { return .refused(.invalidValue(missing.name)) }
        let password: PasswordHash? =
            switch client.userFlow.method {
            case .emailPassword: try await unknownPassword()
            case .emailOneTimePasscode: nil
            }
        let identifiers = [email.identifier] + (edit.alias.map { [$0.identifier] } ?? [])
        let attributes = edit.attributes.reduce(into: [:]) { $0[$1.name] = $1.value }
        let id = UserID(ports.randomness.uuid())
        let new = NewUser(
            id: id, tenant: tenant.id, client: client.id, identifiers: identifiers, passwordHash: password,
            attributes: attributes, createdAt: now, emailProof: .byOperator)
        let event = operatorEvent(.accountCreated, id, in: tenant.id, at: now)
        return try await change(id, in: tenant.id, names: identifiers.map(\.key)) { facts in
            guard isFree(email.key, for: id, in: tenant.id, facts, now: now) else {
                return ([], .refused(.nameTaken("mail")))
            }
            if let alias = edit.alias, !isFree(alias.key, for: id, in: tenant.id, facts, now: now) {
                return ([], .refused(.nameTaken(AttributeDefinition.aliasName)))
            }
            let marks = identifiers.map { mark(of: $0.key, in: tenant.id) }
            return ([.createUser(new), .releaseNames(marks), .record(event)], .accepted(id))
        }
    }

    /// Changes the address, the alias and attributes of a user, all or none. A new address ends all sessions, and the
    /// old one gets a notice; it cannot take the change back, since the operator has decided whose account it is.
    ///
    /// - Parameters:
    ///   - email: The new address; nil keeps the old one.
    ///   - flows: The user flows of the tenant's applications: a value follows the rules of each that has the
    ///     attribute.
    /// - Returns: The names of the properties that have another value now. Refused with
    ///   ``DirectoryRefusal/changedMeanwhile`` when the credentials changed at the same time.
    package func updateUser(
        _ id: UserID, email text: String?, _ changes: [ProfileChange], by flows: [UserFlow], in tenant: Tenant,
        now: Date
    ) async throws(EngineError) -> DirectoryAnswer<[String]> {
        guard let known = try await account(id, in: tenant.id) else { return .refused(.notFound) }
        var email: EmailAddress?
        if let text {
            guard let address = EmailAddress(text) else { return .refused(.invalidValue("mail")) }
            email = address.key == EmailAddress(stored: known.user.email)?.key ? nil : address
        }
        let edit: ProfileEdit
        switch Self.judge(changes, by: flows) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged): edit = ProfileEdit(judged)
        }
        let replacing = try email.map { email throws(EngineError) in
            try effects(ofReplacing: known, with: email, in: tenant, now: now)
        }
        let new = email
        return try await change(id, in: tenant.id, names: [new?.key, edit.alias?.key].compactMap(\.self)) { facts in
            guard var account = facts.account else { return ([], .refused(.notFound)) }
            guard account.credentialVersion == known.credentialVersion else { return ([], .refused(.changedMeanwhile)) }
            var effects: [Effect] = []
            if let new, let replacing {
                guard isFree(new.key, for: id, in: tenant.id, facts, now: now) else {
                    return ([], .refused(.nameTaken("mail")))
                }
                effects = replacing
            }
            let differing = edit.differing(from: account)
            switch self.effects(of: differing, on: &account, facts, now: now) {
            case .refused(let refusal): return ([], .refused(refusal))
            case .accepted(let more): effects += more
            }
            if !differing.names.isEmpty {
                let detail = "\(differing.names.count) by operator"
                effects.append(.record(operatorEvent(.profileChanged, id, in: tenant.id, detail: detail, at: now)))
            }
            return (effects, .accepted((new == nil ? [] : ["mail"]) + differing.names))
        }
    }

    /// Makes the present password unusable, ends all sessions, and mails the user that a reset is needed.
    ///
    /// - Returns: Refused with `noPasswordToReset` when the user signs in with codes.
    package func requirePasswordReset(
        of id: UserID, in tenant: Tenant, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        guard let known = try await account(id, in: tenant.id) else { return .refused(.notFound) }
        guard known.passwordHash != nil, let own = EmailAddress(stored: known.user.email) else {
            return .refused(.step(.noPasswordToReset))
        }
        let hash = try await unknownPassword()
        let notice = try notice(
            .resetRequired, to: own, in: tenant, user: id, language: known.user.mailLanguage, at: now)
        let event = operatorEvent(.resetStarted, id, in: tenant.id, at: now)
        return try await change(id, in: tenant.id, names: []) { facts in
            guard facts.account?.credentialVersion == known.credentialVersion else {
                return ([], .refused(.changedMeanwhile))
            }
            return (
                [
                    .changePassword(id, hash, at: now), .revokeRefreshFamilies(id, at: now), .forgetNetworks(id),
                    .record(event), notice,
                ], .accepted(())
            )
        }
    }

    /// The hash of a random password that is stored nowhere else: only a reset gives the account a usable one.
    private func unknownPassword() async throws(EngineError) -> PasswordHash {
        try await hash(Secret(Base64URL.encode(Data(ports.randomness.bytes(32)))))
    }

    private func effects(
        ofReplacing account: UserAccount, with email: EmailAddress, in tenant: Tenant, now: Date
    ) throws(EngineError) -> [Effect] {
        guard let old = EmailAddress(stored: account.user.email) else { throw .broken("an account has no address") }
        let id = account.user.id
        // As in the user's own change, a method with the old address moves along.
        let moved: [Effect] =
            account.strongMethods.first { $0.email.key == old.key }.map { method in
                var new = method
                new.email = email
                return [.removeStrongMethods([method.id], of: id), .addStrongMethod(new, to: id)]
            } ?? []
        let until = now.addingTimeInterval(Double(settings.emailUndoLifetime))
        return [
            .replaceName(.email, with: email.identifier, of: id, proof: .byOperator, at: now),
            .releaseNames([mark(of: email.key, in: tenant.id)]),
            .holdName(HeldName(mark: mark(of: old.key, in: tenant.id), user: id, until: until)),
            .forgetUndos(id, since: Date(timeIntervalSince1970: 0)), .changeCredentials(id, at: now),
            .revokeRefreshFamilies(id, at: now), .forgetNetworks(id),
            .record(operatorEvent(.emailChanged, id, in: tenant.id, at: now)),
            try notice(
                .emailReplaced, to: old, in: tenant, user: id, language: account.user.mailLanguage, at: now),
        ] + moved
    }

    /// The changes, if each application that has the attribute accepts its value.
    private static func judge(_ changes: [ProfileChange], by flows: [UserFlow]) -> DirectoryAnswer<[AttributeChange]> {
        var accepted: [AttributeChange] = []
        for change in changes {
            let having = flows.filter { flow in flow.attributes.contains { $0.name == change.name } }
            for flow in having.isEmpty ? [UserFlow(method: .emailOneTimePasscode, attributes: [])] : having {
                switch flow.judgeChanges([change], asUser: false) {
                case .refused(let refusal): return .refused(refusal)
                case .accepted(let judged):
                    accepted.removeAll { $0.name == change.name }
                    accepted += judged
                }
            }
        }
        return .accepted(accepted)
    }

    private func operatorEvent(
        _ kind: AuditEvent.Kind, _ user: UserID, in tenant: TenantID, detail: String = "operator", at now: Date
    ) -> AuditEvent {
        AuditEvent(kind, at: now, tenant: tenant, user: user, detail: detail)
    }

    func account(_ id: UserID, in tenant: TenantID) async throws(EngineError) -> UserAccount? {
        do {
            return try await ports.users.account(id, in: tenant)
        } catch {
            throw .store(error)
        }
    }

    func change<Answer: Sendable>(
        _ id: UserID, in tenant: TenantID, names: [LoginIdentifier.Key] = [],
        decide: @escaping @Sendable (AccountFacts) -> (effects: [Effect], answer: Answer)
    ) async throws(EngineError) -> Answer {
        do {
            return try await ports.users.change(
                id, in: tenant, names: names, marks: names.map { mark(of: $0, in: tenant) }, decide: decide)
        } catch {
            throw .store(error)
        }
    }
}

extension User {
    /// The language of mails that no request causes: the user's `preferredLanguage`, else English.
    package var mailLanguage: MailLanguage { chosenMailLanguage ?? .english }

    /// The language of the user's `preferredLanguage`; nil when there is none, or no mail in it.
    package var chosenMailLanguage: MailLanguage? {
        guard case .string(let tag)? = attributes[AttributeDefinition.preferredLanguage.name] else { return nil }
        return tag.split(separator: "-").first.flatMap { MailLanguage(rawValue: $0.lowercased()) }
    }
}
