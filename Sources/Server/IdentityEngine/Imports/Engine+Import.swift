import NativeAuthCore
package import PortableFoundation

/// A record whose values are judged, without a look at other users, and its place in the file.
package struct JudgedRecord: Sendable {
    package var line: Int
    package var result: Result<ImportedUser, ImportFault>
    /// Whether the record has a password that was left out, because its address is not verified.
    package var leftOutPassword = false
    /// Whether an alias, attributes or second factors were left out for the same reason.
    package var leftOutUnverified = false
    /// Whether the record comes with a password hash.
    package var hasPassword = false
    /// Whether an alias of the other system was left out, because it breaks the rules of aliases.
    package var leftOutAlias = false
    /// Whether accounts at providers that the tenant does not have were left out.
    package var leftOutIdentities = false
    /// Whether the record is skipped: it is about a user whom the other system has deleted.
    package var isDeleted = false

    package init(line: Int, result: Result<ImportedUser, ImportFault>) {
        self.line = line
        self.result = result
    }
}

/// What became of a portion of an import.
package struct ImportOutcome: Sendable {
    package var progress: ImportProgress
    package var faults: [(line: Int, fault: ImportFault)] = []

    package init(progress: ImportProgress) {
        self.progress = progress
    }
}

// Users of another system (docs/design/0024-import.md). Names and attributes follow the rules of an operator's own changes.
extension Engine {
    /// Judges the values of a record by themselves; whether its names are free, its portion finds out.
    ///
    /// An address that is not verified may belong to another person than the account's user, who may have filled the record
    /// there. Its password, alias, attributes and second factors are left out (`SEC-ID-9`): the first sign-in is a reset or
    /// a code, which proves the mailbox.
    package func judge(
        _ record: ImportRecord, at line: Int, _ settings: ImportSettings, in tenant: Tenant, now: Date
    ) -> JudgedRecord {
        let isVerified = record.isEmailVerified ?? settings.assumesVerified
        var judged = JudgedRecord(line: line, result: .failure(ImportFault("", "")))
        if !isVerified {
            judged.leftOutUnverified =
                record.alias != nil || !record.attributes.isEmpty || !record.secondFactors.isEmpty
                || !record.apps.isEmpty || !record.identities.isEmpty || !record.passkeys.isEmpty
        }
        if case .hash = record.password {
            judged.hasPassword = true
            judged.leftOutPassword = !isVerified
        }
        var leftOutIdentities = false
        judged.result = Result { () throws(ImportFault) in
            let createdAt = record.createdAt ?? now
            let linked = try identities(of: record, settings, in: tenant, createdAt: createdAt)
            leftOutIdentities = linked.leftOut
            let password: PasswordHash? =
                switch record.password {
                case .none: nil
                // As a new user who comes by a provider.
                case .byApplication where isVerified && !linked.methods.isEmpty: nil
                case .byApplication:
                    settings.client.userFlow.method == .emailPassword ? settings.unknownPassword : nil
                case .hash(let hash): isVerified ? hash : settings.unknownPassword
                }
            let dates: [(String, Date?)] = [
                ("createdDateTime", record.createdAt), ("emailProvenDateTime", record.emailProvenAt),
                ("disabledDateTime", record.disabledAt),
            ]
            for (name, date) in dates + record.datesOfMethods {
                guard let date else { continue }
                guard date <= now.addingTimeInterval(24 * 3600) else { throw ImportFault(name, "lies in the future") }
                guard date >= Self.earliestDate else { throw ImportFault(name, "lies before 1970") }
            }
            guard let email = EmailAddress(record.email) else {
                throw ImportFault("email", record.email.isEmpty ? "is missing" : "is no address that can be used")
            }
            var edit = ProfileEdit([])
            let changes = record.attributes.map { ProfileChange($0.name, .value($0.value)) }
            switch Self.judge(changes, by: settings.flows) {
            case .refused(let refusal): throw fault(of: refusal)
            case .accepted(let accepted): edit = ProfileEdit(accepted)
            }
            guard !edit.changesAlias else {
                throw ImportFault("attributes.\(AttributeDefinition.aliasName)", "is the member alias")
            }
            let alias = try record.alias.map { text throws(ImportFault) in
                guard let alias = Alias(text) else {
                    throw ImportFault("alias", "is no alias: one \(Alias.rules)")
                }
                return alias
            }
            // Resource servers permit daemons and users by the same claim.
            guard record.id.map({ !settings.foreignIDs.contains($0.uuid) }) ?? true else {
                throw ImportFault("id", "is the id of an application, a daemon or the tenant, or of nothing")
            }
            let user = NewUser(
                id: record.id ?? UserID(ports.randomness.uuid()), tenant: tenant.id, client: settings.client.id,
                identifiers: [email.identifier] + (isVerified ? alias.map { [$0.identifier] } ?? [] : []),
                passwordHash: password,
                attributes: isVerified ? edit.attributes.reduce(into: [:]) { $0[$1.name] = $1.value } : [:],
                createdAt: createdAt,
                emailProof: .byImport)
            let methods =
                try methods(of: record, hasPassword: password != nil, now: now)
                + apps(of: record, user: user.id, hasPassword: password != nil, in: tenant.id, now: now)
                + passkeys(of: record, hasPassword: password != nil, in: tenant, createdAt: createdAt)
                + linked.methods
            return ImportedUser(
                user: user, emailProvenAt: isVerified ? record.emailProvenAt ?? createdAt : nil,
                disabledAt: record.isDisabled ? record.disabledAt ?? now : nil,
                strongMethods: isVerified ? methods : [],
                requiresSecondFactor: record.requiresSecondFactor && isVerified
                    && (password != nil || methods.contains { $0.email == nil && !$0.isIdentity }),
                passwordIsFromReset: record.passwordIsFromReset && password != nil)
        }
        judged.leftOutIdentities = leftOutIdentities
        return judged
    }

    /// The other system does not say how an app was enrolled, so it counts as the account's own mailbox beside a password
    /// (`SEC-ENR-8`); users of codes have nothing else that could have enrolled it.
    private func apps(
        of record: ImportRecord, user: UserID, hasPassword: Bool, in tenant: TenantID, now: Date
    ) throws(ImportFault) -> [StrongMethod] {
        guard record.apps.count <= NewApp.most else {
            throw ImportFault("authenticatorApps", "has more than \(NewApp.most) apps")
        }
        guard Set(record.apps.map(\.secret)).count == record.apps.count else {
            throw ImportFault("authenticatorApps", "has one key twice")
        }
        // A field that was never filled, such as zeros: each of its users would have the same codes.
        guard record.apps.allSatisfy({ Set($0.secret.bytes.reveal()).count >= 4 }) else {
            throw ImportFault("authenticatorApps", "has a key that is not random")
        }
        var methods: [StrongMethod] = []
        for app in record.apps {
            guard app.name.map(StrongMethod.isName) ?? true else {
                throw ImportFault("authenticatorApps", "has a name that is not 1 to 64 characters of text")
            }
            let id = ports.randomness.uuid()
            let sealed: Data
            do throws(EngineError) {
                sealed = try seal(app.secret, ofApp: id, of: user, in: tenant)
            } catch {
                throw ImportFault("authenticatorApps", "cannot be sealed")
            }
            methods.append(
                StrongMethod(
                    id: id,
                    kind: .app(
                        EnrolledApp(sealedSecret: sealed, clock: AppClock(spentStep: AppSecret.step(at: now) - 2))),
                    provenAt: now, enrolment: Enrolment(hasPassword ? .mailbox : .codes), name: app.name))
        }
        return methods
    }

    /// A method whose enrolment the file does not tell counts as the account's own mailbox: who controls that one may have
    /// registered it. So the two never count as two factors, and a reset suspends it (`SEC-ENR-7`, `SEC-ENR-8`). A telephone of
    /// a user of codes is the first method beside the mailbox, as an app is.
    private func methods(
        of record: ImportRecord, hasPassword: Bool, now: Date
    ) throws(ImportFault) -> [StrongMethod] {
        var methods: [StrongMethod] = []
        for factor in record.secondFactors {
            guard let contact = Contact(factor.contact) else {
                throw ImportFault("secondFactor", "is no address and no telephone number that can be used")
            }
            guard !methods.contains(where: { $0.contact?.key == contact.key }) else {
                throw ImportFault("secondFactor", "has one address or number twice")
            }
            guard contact.key != EmailAddress(record.email)?.key.bytes else {
                throw ImportFault("secondFactor", "is the address of the account, which proves nothing more")
            }
            guard factor.name.map(StrongMethod.isName) ?? true else {
                throw ImportFault("secondFactor", "has a name that is not 1 to 64 characters of text")
            }
            let usual: Enrolment.Strength = contact.phone != nil && !hasPassword ? .codes : .mailbox
            var method = StrongMethod(
                id: ports.randomness.uuid(), contact: contact, provenAt: factor.provenAt ?? now,
                enrolment: Enrolment(factor.enrolledUnder ?? usual))
            method.suspendedAt = factor.suspendedAt
            method.name = factor.name
            methods.append(method)
        }
        guard methods.count(where: \.isPhone) <= ContactChange.mostPhones else {
            throw ImportFault("secondFactor", "has more than \(ContactChange.mostPhones) telephone numbers")
        }
        guard methods.count <= Self.mostImportedMailboxes else {
            throw ImportFault("secondFactor", "has more than \(Self.mostImportedMailboxes) addresses")
        }
        return methods
    }

    private static let mostImportedMailboxes = 10
    private static let earliestDate = Date(timeIntervalSince1970: 0)

    private func fault(of refusal: DirectoryRefusal) -> ImportFault {
        switch refusal {
        case .unknownProperty(let name): ImportFault("attributes.\(name)", "is no attribute of the applications")
        case .invalidValue(let name): ImportFault("attributes.\(name)", "breaks a rule of the applications")
        case .invalidToken, .insufficientScope, .applicationDisabled, .proofNeeded, .readOnlyProperty, .nameTaken,
            .lastMethod, .notFound, .changedMeanwhile, .step, .anotherOperatorNeeded, .addressAlone,
            .tooManyRequests:
            ImportFault("attributes", "cannot be stored")
        }
    }

    /// What a portion asks the store.
    package func importQuery(of portion: [JudgedRecord], in tenant: Tenant) -> ImportQuery {
        let imported = portion.compactMap { judged -> ImportedUser? in
            switch judged.result {
            case .success(let imported): imported
            case .failure: nil
            }
        }
        let users = imported.map(\.user)
        let names = users.flatMap { $0.identifiers.map(\.key) }
        return ImportQuery(
            names: names, ids: users.map(\.id), marks: names.map { mark(of: $0, in: tenant.id) },
            deletionMarks: users.map { mark(ofDeleted: $0.id, in: tenant.id) },
            credentials: imported.flatMap { $0.strongMethods.compactMap(\.credential) })
    }

    /// Decides on a portion: pure.
    package func decide(
        _ portion: [JudgedRecord], after before: ImportProgress, _ facts: ImportFacts, isLast: Bool,
        _ settings: ImportSettings, in tenant: Tenant, now: Date
    ) -> (change: ImportChange, answer: ImportOutcome) {
        var portionFacts = PortionFacts(facts, now: now)
        var outcome = ImportOutcome(progress: before)
        var change = ImportChange(users: [], effects: [], progress: before, isLast: isLast)
        if before.records == 0 {
            change.effects.append(.record(importEvent("begun by operator: \(settings.summary)", in: tenant, at: now)))
        }
        for judged in portion {
            outcome.progress.records += 1
            guard !judged.isDeleted else {
                outcome.progress.skipped += 1
                continue
            }
            do throws(ImportFault) {
                let new = try judged.result.get()
                let marks = new.user.identifiers.map { mark(of: $0.key, in: tenant.id) }
                let deletion = mark(ofDeleted: new.user.id, in: tenant.id)
                switch try portionFacts.judge(new, at: judged.line, marks, deletion, settings.duplicates) {
                case .create:
                    change.users.append(new)
                    let released = marks.filter { portionFacts.reserved[$0] != nil }
                    if !released.isEmpty { change.effects.append(.releaseNames(released)) }
                    outcome.progress.created += 1
                case .skip: outcome.progress.skipped += 1
                case .update(let owner):
                    // A user who is here already has a password or a mailbox: the old system's password does not
                    // replace it.
                    let migration = tenant.migrationAttributes
                    let changes = new.user.attributes.filter { !migration.contains($0.key) }
                        .sorted { $0.key < $1.key }.map { AttributeChange($0, $1) }
                    if !changes.isEmpty {
                        change.effects.append(.setAttributes(changes, of: owner))
                        var event = importEvent("attributes by operator", in: tenant, at: now)
                        event.user = owner
                        change.effects.append(.record(event))
                    }
                    outcome.progress.updated += 1
                }
            } catch {
                outcome.progress.refused += 1
                outcome.faults.append((judged.line, error))
            }
        }
        if isLast {
            let progress = outcome.progress
            change.effects.append(
                .record(
                    importEvent(
                        "\(progress.created) created, \(progress.updated) updated, \(progress.skipped) skipped, \(progress.refused) refused by operator",
                        in: tenant, at: now)))
        }
        change.progress = outcome.progress
        return (change, outcome)
    }

    private func importEvent(_ detail: String, in tenant: Tenant, at now: Date) -> AuditEvent {
        AuditEvent(.usersImported, at: now, tenant: tenant.id, detail: detail)
    }
}

/// The facts of a portion, with what its earlier records have added.
private struct PortionFacts {
    enum Verdict {
        case create
        case skip
        case update(UserID)
    }

    private var owners: [LoginIdentifier.Key: UserID]
    /// The lines of the records that have added names.
    private var lines: [LoginIdentifier.Key: Int] = [:]
    private var ids: Set<UserID>
    private var credentials: Set<MethodCredential>
    /// The lines of the records that have added credentials.
    private var credentialLines: [MethodCredential: Int] = [:]
    private let deleted: Set<Data>
    private let now: Date
    let reserved: [Data: ReservedName]

    init(_ facts: ImportFacts, now: Date) {
        owners = facts.owners
        ids = facts.ids
        credentials = facts.credentials
        deleted = facts.deleted
        reserved = Dictionary(facts.reserved.map { ($0.mark, $0) }, uniquingKeysWith: { first, _ in first })
        self.now = now
    }

    mutating func judge(
        _ new: ImportedUser, at line: Int, _ marks: [Data], _ deletion: Data, _ policy: DuplicatePolicy
    ) throws(ImportFault) -> Verdict {
        let user = new.user
        for name in user.identifiers {
            guard let owner = owners[name.key] else { continue }
            switch (name.kind, policy) {
            case (.email, .refuse):
                throw lines[name.key].map { .duplicate(of: $0, "email") } ?? .addressOfUser
            case (.email, .skip): return .skip
            case (.email, .update):
                // What a stranger has filled in must not replace what the owner of the mailbox has.
                guard new.emailProvenAt != nil else {
                    throw ImportFault("email", "is not verified, so the user who has it stays as it is")
                }
                return .update(owner)
            case (.alias, _):
                throw lines[name.key].map { .duplicate(of: $0, "alias") }
                    ?? ImportFault("alias", "is the name of another user")
            }
        }
        guard !ids.contains(user.id) else { throw ImportFault("id", "is the id of another user") }
        guard !deleted.contains(deletion) else { throw ImportFault("id", "is the id of a user who was deleted") }
        for (name, mark) in zip(user.identifiers, marks) {
            if let kept = reserved[mark], kept.until > now, kept.user != user.id {
                throw ImportFault(
                    name.kind.rawValue, "was the name of another user a short time ago, and is kept for that one")
            }
        }
        let own = new.strongMethods.compactMap(\.credential)
        if let taken = own.first(where: credentials.contains) {
            let owner = credentialLines[taken].map { "the record in line \($0)" } ?? "another user"
            throw ImportFault(taken.member, "has one that \(owner) has")
        }
        credentials.formUnion(own)
        for credential in own { credentialLines[credential] = line }
        for name in user.identifiers { (owners[name.key], lines[name.key]) = (user.id, line) }
        ids.insert(user.id)
        return .create
    }
}
