package import NativeAuthCore
package import PortableFoundation

// Deeds for which the server asks for two operators (`SEC-ENR-12`, design record 0048).

/// What became of a deed.
package enum DeedAnswer: Hashable, Sendable {
    /// The names of the properties that have another value now; of interest for ``ProofDeed/changeEmail(_:)`` alone.
    case done([String])
    /// It waits for another operator.
    case waiting(OperatorRequest)
}

/// The second of the two operators, in the transaction of the deed.
struct Confirmation: Sendable {
    var request: OperatorRequest
    var event: AuditEvent
}

extension AccountFacts {
    /// What ends the request of a deed in the transaction of the deed. Without a confirmation there is nothing to end, and the
    /// deed is refused where it needs one: the transaction decides, not its caller.
    func ending(_ confirmation: Confirmation?, now: Date) -> DirectoryAnswer<[Effect]> {
        guard let confirmation else { return needsTwoOperators ? .refused(.anotherOperatorNeeded) : .accepted([]) }
        let asked = confirmation.request
        // Confirmed, withdrawn or expired meanwhile, or another one than the operator has seen.
        guard asked.expiresAt > now, requests.contains(where: asked.isSame(as:)) else {
            return .refused(.changedMeanwhile)
        }
        return .accepted([.closeOperatorRequest(asked.id, of: asked.user), .record(confirmation.event)])
    }
}

extension Engine {
    /// Whether two operators must stand behind a deed.
    package func needsTwoOperators() async throws(EngineError) -> Bool {
        do {
            return try await ports.users.needsTwoOperators()
        } catch {
            throw .store(error)
        }
    }

    /// The deeds that wait for operators, the oldest first.
    package func operatorRequests(in tenant: TenantID, now: Date) async throws(EngineError) -> [OperatorRequest] {
        do {
            return try await ports.users.operatorRequests(in: tenant).filter { $0.expiresAt > now }
        } catch {
            throw .store(error)
        }
    }

    /// Does it, or lets it wait for another operator where the server asks for two.
    ///
    /// - Parameters:
    ///   - flows: The user flows of the tenant's applications.
    ///   - version: The version of the profile that the operator has read; nil: any.
    package func perform(
        _ deed: ProofDeed, on user: UserID, by flows: [UserFlow], version: String? = nil, in tenant: Tenant,
        as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<DeedAnswer> {
        guard try await needsTwoOperators() else {
            return try await carryOut(
                deed, on: user, by: flows, version: version, in: tenant, as: actor, confirming: nil, now: now)
        }
        return try await ask(deed, on: user, version: version, in: tenant, as: actor, now: now)
    }

    /// Changes a user. Another address is a deed that can wait, so it then comes alone.
    package func edit(
        _ id: UserID, _ asked: UserEdit, by flows: [UserFlow], in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<DeedAnswer> {
        var asked = asked
        if let text = asked.email, try await needsTwoOperators() {
            guard let known = try await account(id, in: tenant.id) else { return .refused(.notFound) }
            if EmailAddress(text)?.key == EmailAddress(stored: known.user.email)?.key {
                asked.email = nil
            } else {
                guard asked.attributes.isEmpty, asked.isEnabled == nil, asked.linked.isEmpty else {
                    return .refused(.addressAlone)
                }
                return try await ask(
                    .changeEmail(text), on: id, version: asked.version, in: tenant, as: actor, now: now)
            }
        }
        return try await updateUser(id, asked, by: flows, in: tenant, as: actor, now: now).map { .done($0) }
    }

    private func ask(
        _ deed: ProofDeed, on user: UserID, version: String?, in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<DeedAnswer> {
        var deed = deed
        if case .changeEmail(let text) = deed {
            guard let address = EmailAddress(text) else { return .refused(.invalidValue("mail")) }
            deed = .changeEmail(address.address)
        }
        let request = OperatorRequest(
            id: ports.randomness.uuid(), user: user, deed: deed, requester: actor.id, person: actor.person,
            requestedAt: now, expiresAt: now.addingTimeInterval(OperatorRequest.lifetime))
        let event = operatorEvent(
            .operatorRequestMade, user, in: tenant.id, as: actor, detail: request.detail, at: now)
        return try await change(user, in: tenant.id) { facts in
            guard let account = facts.account, account.deletedAt == nil else { return ([], .refused(.notFound)) }
            guard version == nil || version == profile(of: account, in: tenant).version else {
                return ([], .refused(.changedMeanwhile))
            }
            if let refusal = request.deed.refusal(for: account, in: tenant) { return ([], .refused(refusal)) }
            let open = facts.requests.filter { $0.expiresAt > now }
            // A repeated request is the same one: it gets neither a second row nor another day.
            if let same = open.first(where: { $0.deed == request.deed && $0.requester == request.requester }) {
                return ([], .accepted(.waiting(same)))
            }
            guard open.count < OperatorRequest.most else { return ([], .refused(.tooManyRequests)) }
            return ([.openOperatorRequest(request), .record(event)], .accepted(.waiting(request)))
        }
    }

    /// A person stands behind a deed that waits. The second one carries it out, in the same transaction.
    ///
    /// The caller has checked that each person behind it is still an operator who may do it.
    ///
    /// - Returns: The deed waits on when a daemon or a command asked and this is the first person. Refused with
    ///   ``DirectoryRefusal/anotherOperatorNeeded`` for the person who stands behind it already, and for who is no person.
    package func confirm(
        _ request: OperatorRequest, by flows: [UserFlow], in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<DeedAnswer> {
        guard let person = actor.person, person != request.person, request.requester != ClientID(person.uuid) else {
            return .refused(.anotherOperatorNeeded)
        }
        let event = operatorEvent(
            .operatorRequestConfirmed, request.user, in: tenant.id, as: actor, detail: request.detail, at: now)
        guard request.person == nil else {
            return try await carryOut(
                request.deed, on: request.user, by: flows, version: nil, in: tenant, as: actor,
                confirming: Confirmation(request: request, event: event), now: now)
        }
        var first = request
        first.person = person
        let waiting = first
        return try await change(request.user, in: tenant.id) { facts in
            guard request.expiresAt > now, facts.requests.contains(where: request.isSame(as:)) else {
                return ([], .refused(.changedMeanwhile))
            }
            return (
                [.standBehindOperatorRequest(request.id, of: request.user, person), .record(event)],
                .accepted(.waiting(waiting))
            )
        }
    }

    /// Takes a deed back that waits. Every operator who may do it may refuse it, too.
    package func withdraw(
        _ request: OperatorRequest, in tenant: Tenant, as actor: Operator, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        let event = operatorEvent(
            .operatorRequestWithdrawn, request.user, in: tenant.id, as: actor, detail: request.detail, at: now)
        return try await change(request.user, in: tenant.id) { facts in
            guard facts.requests.contains(where: { $0.id == request.id }) else { return ([], .refused(.notFound)) }
            return ([.closeOperatorRequest(request.id, of: request.user), .record(event)], .accepted(()))
        }
    }

    private func carryOut(
        _ deed: ProofDeed, on user: UserID, by flows: [UserFlow], version: String?, in tenant: Tenant,
        as actor: Operator, confirming: Confirmation?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<DeedAnswer> {
        let answer: DirectoryAnswer<Void>
        switch deed {
        case .changeEmail(let address):
            return try await updateUser(
                user, UserEdit(email: address, version: version), by: flows, in: tenant, as: actor,
                confirming: confirming, now: now
            ).map { .done($0) }
        case .removeMethod(let method):
            answer = try await remove(method, of: user, in: tenant, as: actor, confirming: confirming, now: now)
        case .removeMethods:
            answer = try await removeMethods(of: user, in: tenant, as: actor, confirming: confirming, now: now)
        case .requireReset:
            answer = try await endPassword(of: user, in: tenant, as: actor, confirming: confirming, now: now)
        case .trustPassword:
            let event = operatorEvent(.passwordTrusted, user, in: tenant.id, as: actor, at: now)
            answer = try await set(
                [.trustPassword(user), .record(event)], deed, of: user, in: tenant, confirming: confirming, now: now)
        case .relaxSecondFactor:
            let event = operatorEvent(
                .factorRuleChanged, user, in: tenant.id, as: actor, detail: "by-application by operator", at: now)
            answer = try await set(
                [.requireSecondFactor(false, of: user), .record(event)], deed, of: user, in: tenant,
                confirming: confirming, now: now)
        }
        return answer.map { .done([]) }
    }

    private func set(
        _ effects: [Effect], _ deed: ProofDeed, of user: UserID, in tenant: Tenant, confirming: Confirmation?, now: Date
    ) async throws(EngineError) -> DirectoryAnswer<Void> {
        try await change(user, in: tenant.id) { facts in
            guard let account = facts.account, account.deletedAt == nil else { return ([], .refused(.notFound)) }
            if let refusal = deed.refusal(for: account, in: tenant) { return ([], .refused(refusal)) }
            switch facts.ending(confirming, now: now) {
            case .refused(let refusal): return ([], .refused(refusal))
            case .accepted(let ending): return (effects + ending, .accepted(()))
            }
        }
    }
}

extension ProofDeed {
    /// Whether the deed would leave the user a way to give what is needed, and has something to change.
    package func isPossible(for account: UserAccount, in tenant: Tenant) -> Bool {
        refusal(for: account, in: tenant) == nil
    }

    /// Why the deed is of no use for the account, or would lock its user out; nil when it can be done.
    func refusal(for account: UserAccount, in tenant: Tenant) -> DirectoryRefusal? {
        switch self {
        case .removeMethod(let id): account.strongMethods.contains { $0.id == id } ? nil : .notFound
        // The user could enrol no other one (SEC-ENR-9).
        case .removeMethods: account.requiresSecondFactor && account.passwordIsFromReset ? .lastMethod : nil
        case .requireReset:
            account.passwordHash == nil && tenant.endingMigration(of: account.user).isEmpty
                ? .step(.noPasswordToReset) : nil
        case .changeEmail, .trustPassword, .relaxSecondFactor: nil
        }
    }
}

extension DirectoryAnswer {
    package func map<Other>(_ change: (Value) -> Other) -> DirectoryAnswer<Other> {
        switch self {
        case .accepted(let value): .accepted(change(value))
        case .refused(let refusal): .refused(refusal)
        }
    }
}
