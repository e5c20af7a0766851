package import NativeAuthCore
package import PortableFoundation

/// Who acts as an operator: a daemon of the tenant, a person at the console, or a command on the server's machine.
package struct Operator: Hashable, Sendable {
    /// The id in the audit trail; nil for a command, and for the console of the development profile.
    package var id: ClientID?
    package var source: RequestSource?
    /// The person, whatever session or token asks; nil for who is none: a daemon, a command, the console of the development
    /// profile.
    package private(set) var person: UserID?

    package init(daemon: ClientID, source: RequestSource?) {
        id = daemon
        self.source = source
    }

    /// - Parameter user: The user of the operators' tenant.
    package init(user: UserID?, source: RequestSource?) {
        id = user.map { ClientID($0.uuid) }
        person = user
        self.source = source
    }

    private init() {}

    package static let command = Operator()
}

/// The password of a user that an operator creates.
package enum FirstPassword: Sendable {
    /// The user signs in with codes.
    case none
    /// The user sets a password by a reset: until then the account has a random one that is stored nowhere but in its hash.
    case setByReset
    case chosen(Secret<String>)
}

/// A user that an operator creates.
package struct NewAccount: Sendable {
    package var email: String
    /// The attributes, with the alias.
    package var attributes: [ProfileChange]
    package var password: FirstPassword
    package var isEnabled = true

    package init(email: String, attributes: [ProfileChange], password: FirstPassword, isEnabled: Bool = true) {
        self.email = email
        self.attributes = attributes
        self.password = password
        self.isEnabled = isEnabled
    }
}

/// What an operator changes of a user, all or nothing.
package struct UserEdit: Sendable {
    /// The new address; nil keeps the old one.
    package var email: String?
    /// Attributes, with the alias.
    package var attributes: [ProfileChange]
    /// Nil: as it is.
    package var isEnabled: Bool?
    /// The version of the profile that the operator has read; nil: any.
    package var version: String?
    /// The keys of accounts at providers that the operator has read, which stay.
    package var linked: Set<Data>

    package init(
        email: String? = nil, attributes: [ProfileChange] = [], isEnabled: Bool? = nil, version: String? = nil,
        linked: Set<Data> = []
    ) {
        self.linked = linked
        self.email = email
        self.attributes = attributes
        self.isEnabled = isEnabled
        self.version = version
    }
}

// What an operator does with a user, on the command line (docs/operate/users.md) and by the directory API
// (docs/protocol.md §18). Names and attributes follow the rules of the users' own changes.
extension Engine {
    /// The profile of a user, for an operator.
    package func profile(of account: UserAccount, in tenant: Tenant) -> UserProfile {
        profile(of: account, attributeNames: [], in: tenant)
    }

    /// The same with a member for each attribute that one of the user flows has.
    package func profile(of account: UserAccount, by flows: [UserFlow], in tenant: Tenant) -> UserProfile {
        let names = Set(flows.flatMap { $0.attributes.map(\.name) }).subtracting([AttributeDefinition.aliasName])
        return profile(of: account, attributeNames: names.sorted(), in: tenant)
    }

    package func groups(of user: UserID, in tenant: TenantID) async throws(EngineError) -> [UserGroup] {
        do {
            return try await ports.users.groups(of: user, in: tenant)
        } catch {
            throw .store(error)
        }
    }

    /// Notes in the audit trail that an operator took a copy of its lines.
    package func recordAuditExport(in tenant: Tenant, as actor: Operator, now: Date) async throws(EngineError) {
        do {
            try await ports.flows.record(
                AuditEvent(
                    .auditExported, at: now, tenant: tenant.id, client: actor.id,
                    source: actor.source.map { auditSource($0, tenant.id) }))
        } catch {
            throw .store(error)
        }
    }

    /// The line of the audit trail about a change of a group.
    package func groupEvent(_ change: GroupChange, in tenant: Tenant, as actor: Operator, now: Date) -> AuditEvent {
        let (kind, group, user): (AuditEvent.Kind, UUID, UserID?) =
            switch change {
            case .create(let group): (.groupCreated, group.id, nil)
            case .edit(let id, _, _): (.groupChanged, id, nil)
            case .delete(let id): (.groupDeleted, id, nil)
            case .add(let user, let id): (.groupMemberAdded, id, user)
            case .remove(let user, let id): (.groupMemberRemoved, id, user)
            }
        return AuditEvent(
            kind, at: now, tenant: tenant.id, client: actor.id, user: user, detail: group.text,
            source: actor.source.map { auditSource($0, tenant.id) })
    }

    /// All of the tenant that its document has; empty when the tenant has gone meanwhile.
    package func entry(of tenant: Tenant) async throws(EngineError) -> TenantDirectory.Entry {
        do {
            return try await ports.clients.entry(of: tenant.id) ?? .init(tenant: tenant, applications: [])
        } catch {
            throw .store(error)
        }
    }

    /// Notes in the audit trail that an operator took a copy of what is stored about a user.
    package func recordExport(
        of id: UserID, in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        let event = operatorEvent(.dataExported, id, in: tenant.id, as: actor, at: now)
        return try await change(id, in: tenant.id) { facts in
            facts.account == nil ? ([], .refused(.notFound)) : ([.record(event)], .accepted(()))
        }
    }

    /// Creates a user of an application, by its rules: where its users have a password, the user sets one by a reset;
    /// elsewhere the user signs in with codes.
    ///
    /// - Returns: The id. Refused with ``DirectoryRefusal/invalidValue(_:)`` also when a required attribute is missing.
    package func createUser(
        email: String, _ attributes: [ProfileChange], for client: Client, in tenant: Tenant,
        as actor: Operator = .command,
        now: Date
    ) async throws(EngineError) -> DirectoryAnswer<UserID> {
        let names = Set(attributes.map(\.name))
        let missing = client.userFlow.attributes.first { $0.isRequired && !names.contains($0.name) }
        if let missing { return .refused(.invalidValue(missing.name)) }
        let password: FirstPassword = client.userFlow.method == .emailPassword ? .setByReset : .none
        return try await createUser(
            NewAccount(email: email, attributes: attributes, password: password), of: client.id, by: [client.userFlow],
            in: tenant, as: actor, now: now)
    }

    /// Creates a user.
    ///
    /// - Parameters:
    ///   - client: The application for which the user is created, or the daemon that creates the user.
    ///   - flows: The user flows whose rules the attributes follow.
    package func createUser(
        _ new: NewAccount, of client: ClientID, by flows: [UserFlow], in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<UserID> {
        guard let email = EmailAddress(new.email) else { return .refused(.invalidValue("mail")) }
        let edit: ProfileEdit
        switch Self.judge(new.attributes, by: flows) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged): edit = ProfileEdit(judged)
        }
        let attributes = edit.attributes.reduce(into: [:]) { $0[$1.name] = $1.value }
        let password: PasswordHash?
        switch new.password {
        case .none: password = nil
        case .setByReset: password = try await unknownPassword()
        case .chosen(let text):
            let fault = check(
                text, emailLocalPart: email.localPart, alias: edit.alias?.display, attributes: attributes, in: tenant)
            if let fault { return .refused(.step(.unacceptablePassword(fault))) }
            password = try await hash(text)
        }
        let identifiers = [email.identifier] + (edit.alias.map { [$0.identifier] } ?? [])
        let id = UserID(ports.randomness.uuid())
        let user = NewUser(
            id: id, tenant: tenant.id, client: client, identifiers: identifiers, passwordHash: password,
            attributes: attributes, createdAt: now, emailProof: .byOperator)
        let event = operatorEvent(.accountCreated, id, in: tenant.id, as: actor, at: now)
        return try await change(id, in: tenant.id, names: identifiers.map(\.key)) { facts in
            guard isFree(email.key, for: id, in: tenant.id, facts, now: now) else {
                return ([], .refused(.nameTaken("mail")))
            }
            if let alias = edit.alias, !isFree(alias.key, for: id, in: tenant.id, facts, now: now) {
                return ([], .refused(.nameTaken(AttributeDefinition.aliasName)))
            }
            let marks = identifiers.map { mark(of: $0.key, in: tenant.id) }
            let disabling: [Effect] = new.isEnabled ? [] : [.setDisabled(id, now)]
            return ([.createUser(user), .releaseNames(marks)] + disabling + [.record(event)], .accepted(id))
        }
    }

    /// Changes a user, all or nothing. A new address ends all sessions, and the old one gets a notice; it cannot take the
    /// change back, since the operator has decided whose account it is. Disabling ends all sessions, too.
    ///
    /// - Parameter flows: The user flows of the tenant's applications: a value follows the rules of each that has the
    ///   attribute.
    /// - Returns: The names of the properties that have another value now. Refused with
    ///   ``DirectoryRefusal/changedMeanwhile`` when the version is another one, or the credentials changed at the same time.
    package func updateUser(
        _ id: UserID, _ asked: UserEdit, by flows: [UserFlow], in tenant: Tenant, as actor: Operator = .command,
        now: Date
    ) async throws(EngineError) -> DirectoryAnswer<[String]> {
        try await updateUser(id, asked, by: flows, in: tenant, as: actor, confirming: nil, now: now)
    }

    /// - Parameter confirming: The second operator behind a new address.
    func updateUser(
        _ id: UserID, _ asked: UserEdit, by flows: [UserFlow], in tenant: Tenant, as actor: Operator,
        confirming: Confirmation?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<[String]> {
        guard let known = try await account(id, in: tenant.id), known.deletedAt == nil else {
            return .refused(.notFound)
        }
        // Only a proof links one, and each is removed as a method.
        guard asked.linked.isSubset(of: known.identities.compactMap { $0.identity?.key }) else {
            return .refused(.invalidValue("identities"))
        }
        var email: EmailAddress?
        if let text = asked.email {
            guard let address = EmailAddress(text) else { return .refused(.invalidValue("mail")) }
            email = address.key == EmailAddress(stored: known.user.email)?.key ? nil : address
        }
        let edit: ProfileEdit
        switch Self.judge(asked.attributes, by: flows) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged): edit = ProfileEdit(judged)
        }
        let replacing = try email.map { email throws(EngineError) in
            try effects(ofReplacing: known, with: email, in: tenant, as: actor, now: now)
        }
        let new = email
        return try await change(id, in: tenant.id, names: [new?.key, edit.alias?.key].compactMap(\.self)) { facts in
            guard var account = facts.account, account.deletedAt == nil else { return ([], .refused(.notFound)) }
            guard account.credentialVersion == known.credentialVersion else { return ([], .refused(.changedMeanwhile)) }
            var effects: [Effect] = []
            if let new, let replacing {
                guard isFree(new.key, for: id, in: tenant.id, facts, now: now) else {
                    return ([], .refused(.nameTaken("mail")))
                }
                switch facts.ending(confirming, now: now) {
                case .refused(let refusal): return ([], .refused(refusal))
                case .accepted(let ending): effects = replacing + ending
                }
            } else if confirming != nil {
                // The user has the address already.
                return ([], .refused(.changedMeanwhile))
            }
            let version = profile(of: account, in: tenant).version
            let differing = edit.differing(from: account)
            // The password of the old system would take the place of the one that the user has (SEC-ENR-12).
            let isMoving = tenant.migrationAttributes.contains {
                differing.attributes.contains(AttributeChange($0, .boolean(true)))
            }
            if isMoving, account.passwordHash != nil, facts.needsTwoOperators {
                return ([], .refused(.anotherOperatorNeeded))
            }
            let switched = asked.isEnabled.flatMap { $0 == (account.disabledAt == nil) ? nil : $0 }
            var names = (new == nil ? [] : ["mail"]) + differing.names
            if switched != nil { names.append("accountEnabled") }
            // A change that is there already is accepted in any case, as of a user's own.
            guard names.isEmpty || asked.version == nil || asked.version == version else {
                return ([], .refused(.changedMeanwhile))
            }
            switch self.effects(of: differing, on: &account, facts, now: now) {
            case .refused(let refusal): return ([], .refused(refusal))
            case .accepted(let more): effects += more
            }
            if !differing.names.isEmpty {
                let detail = "\(differing.names.count) by operator"
                effects.append(
                    .record(operatorEvent(.profileChanged, id, in: tenant.id, as: actor, detail: detail, at: now)))
            }
            switch switched {
            case true?:
                effects += [
                    .setDisabled(id, nil),
                    .record(operatorEvent(.accountEnabled, id, in: tenant.id, as: actor, at: now)),
                ]
            case false?:
                effects += [
                    .setDisabled(id, now), .changeCredentials(id, at: now), .revokeRefreshFamilies(id, at: now),
                    .record(operatorEvent(.accountDisabled, id, in: tenant.id, as: actor, at: now)),
                ]
            case nil: break
            }
            return (effects, .accepted(names))
        }
    }

    /// Makes the present password unusable, ends all sessions, and mails the user that a reset is needed.
    ///
    /// - Returns: Refused with `noPasswordToReset` when the user signs in with codes.
    func endPassword(
        of id: UserID, in tenant: Tenant, as actor: Operator, confirming: Confirmation?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        guard let known = try await account(id, in: tenant.id), known.deletedAt == nil else {
            return .refused(.notFound)
        }
        guard known.passwordHash != nil || !tenant.endingMigration(of: known.user).isEmpty,
            let own = EmailAddress(stored: known.user.email)
        else {
            return .refused(.step(.noPasswordToReset))
        }
        let hash = try await unknownPassword()
        let notice = try notice(
            .resetRequired, to: own, in: tenant, user: id, language: known.user.chosenMailLanguage, at: now)
        let event = operatorEvent(.resetStarted, id, in: tenant.id, as: actor, at: now)
        return try await change(id, in: tenant.id, names: []) { facts in
            guard let account = facts.account, account.credentialVersion == known.credentialVersion else {
                return ([], .refused(.changedMeanwhile))
            }
            let ending: [Effect]
            switch facts.ending(confirming, now: now) {
            case .refused(let refusal): return ([], .refused(refusal))
            case .accepted(let effects): ending = effects
            }
            // Otherwise the password that the operator no longer trusts would come back from the old system.
            let moves = tenant.endingMigration(of: account.user)
            let endingMigration: [Effect] = moves.isEmpty ? [] : [.setAttributes(moves, of: id)]
            return (
                [
                    .changePassword(id, hash, at: now), .revokeRefreshFamilies(id, at: now), .forgetNetworks(id),
                    .setSuspension(
                        account.strongMethods.filter {
                            ($0.isIdentity || $0.isPhone) && $0.enrolment.strength != .twoFactors
                        }.map(\.id), of: id, now),
                    .record(event), notice,
                ] + endingMigration + ending, .accepted(())
            )
        }
    }

    /// The hash of a random password that is stored nowhere else: only a reset gives the account a usable one.
    package func unknownPassword() async throws(EngineError) -> PasswordHash {
        try await hash(Secret(Base64URL.encode(Data(ports.randomness.bytes(32)))))
    }

    private func effects(
        ofReplacing account: UserAccount, with email: EmailAddress, in tenant: Tenant, as actor: Operator, now: Date
    ) throws(EngineError) -> [Effect] {
        guard let old = EmailAddress(stored: account.user.email) else { throw .broken("an account has no address") }
        let id = account.user.id
        // Nothing proves the new mailbox yet, so a method with the old one does not move along.
        let gone = account.strongMethods.filter { $0.email?.key == old.key }.map(\.id)
        var notices: [Effect] = []
        for channel in account.noticeChannels {
            notices.append(
                try notice(
                    .emailReplaced, to: channel, in: tenant, user: id, language: account.user.chosenMailLanguage,
                    at: now))
        }
        let until = now.addingTimeInterval(Double(settings.emailUndoLifetime))
        return [
            .replaceName(.email, with: email.identifier, of: id, proof: .byOperator, at: now),
            .releaseNames([mark(of: email.key, in: tenant.id)]),
            .holdName(ReservedName(mark: mark(of: old.key, in: tenant.id), user: id, until: until)),
            .forgetUndos(id, since: Date(timeIntervalSince1970: 0)), .changeCredentials(id, at: now),
            .revokeRefreshFamilies(id, at: now), .forgetNetworks(id),
            .record(operatorEvent(.emailChanged, id, in: tenant.id, as: actor, at: now)),
            .removeStrongMethods(gone, of: id),
            .setSuspension(account.identitiesOfMailbox.map(\.id), of: id, now),
        ] + account.endingRecovery + notices
    }

    /// The changes, if each application that has the attribute accepts its value.
    static func judge(_ changes: [ProfileChange], by flows: [UserFlow]) -> DirectoryAnswer<[AttributeChange]> {
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

    func operatorEvent(
        _ kind: AuditEvent.Kind, _ user: UserID, in tenant: TenantID, as actor: Operator, detail: String = "operator",
        at now: Date
    ) -> AuditEvent {
        AuditEvent(
            kind, at: now, tenant: tenant, client: actor.id, user: user, detail: detail,
            source: actor.source.map { auditSource($0, tenant) })
    }

    package func account(_ id: UserID, in tenant: TenantID) async throws(EngineError) -> UserAccount? {
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
            return try await changeAccount(
                id, in: tenant, names: names, marks: names.map { mark(of: $0, in: tenant) }, decide: decide)
        } catch {
            throw .store(error)
        }
    }
}

extension User {
    /// The language of the user's `preferredLanguage`; nil when there is none, or no mail in it.
    package var chosenMailLanguage: MailLanguage? {
        guard case .string(let tag)? = attributes[AttributeDefinition.preferredLanguage.name] else { return nil }
        return MailLanguage(tag: tag)
    }
}
