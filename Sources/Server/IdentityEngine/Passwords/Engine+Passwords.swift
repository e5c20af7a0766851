import NativeAuthCore
import PortableFoundation

// What the steps do with passwords: ask for the right to compare one, compare, check and hash.
extension Engine {
    /// Whether a password may be hashed.
    enum PasswordAdmission: Sendable {
        /// Not allowed: this is the answer.
        case answered(Outcome)
        /// Allowed: the facts that were read, and whether the password may also be compared.
        case admitted(StepSituation, comparing: Bool = true)
    }

    /// Checks that hashing the password is worth the cost: the token is the newest of a living flow, and the request
    /// was not answered before (`SEC-PWD-9`).
    func admit(_ step: Step) async throws(EngineError) -> PasswordAdmission {
        try await transaction(step, StepReads(), RateLimitKeys()) {
            facts throws(EngineError) -> (change: FlowChange?, answer: PasswordAdmission) in
            switch try check(facts, step, StepReads(), RateLimitKeys()) {
            case .answered(let outcome, let change): (change, .answered(outcome))
            case .open(let situation): (nil, .admitted(situation))
            }
        }
    }

    /// Takes the right to compare a password, in a commit before the comparison: the guess counts as a failure until
    /// the comparison succeeds (`SEC-LOCK-2`).
    ///
    /// - Parameter guess: A keyed digest of the password.
    func admit(guess: Data, _ step: Step) async throws(EngineError) -> PasswordAdmission {
        let context = step.context
        let reads = StepReads(hasLockout: true)
        let keys = try await rateLimitKeys(of: step, reads)
        return try await transaction(step, reads, keys) {
            facts throws(EngineError) -> (change: FlowChange?, answer: PasswordAdmission) in
            switch try check(facts, step, reads, keys) {
            case .answered(let outcome, let change):
                return (change, .answered(outcome))
            case .open(var situation):
                guard let subject = keys.lockout else { return (nil, .admitted(situation)) }
                let asksReceiver = situation.account.flatMap { context.migrationHook(for: $0) } != nil
                switch Lockout.admitting(guess, to: facts.lockout, now: context.now, countsRepeats: asksReceiver) {
                // The same work and the same answer as for a wrong password, even when it is right (SEC-LOCK-8,
                // SEC-PWD-11).
                case .locked where context.hidesAccounts:
                    return (FlowChange(row: situation.row), .admitted(situation, comparing: false))
                case .locked(let seconds):
                    return (nil, .answered(step.refused(.locked(seconds: seconds))))
                case .compare(let lockout):
                    situation.lockout = lockout
                    var effects: [Effect] = [.setLockout(lockout, subject: subject)]
                    if lockout.lockedUntil != nil, lockout.failures != facts.lockout?.failures {
                        effects.append(.record(event(.signInLocked, user: step.user, of: step.flow, in: context)))
                    }
                    return (FlowChange(row: situation.row, effects: effects), .admitted(situation))
                }
            }
        }
    }

    func verify(_ password: Secret<String>, against hash: PasswordHash) async throws(EngineError) -> Bool {
        do {
            return try await ports.hasher.verify(password, against: hash)
        } catch {
            switch error {
            case .overloaded: throw .overloaded
            case .unusable: throw .broken("a stored password hash cannot be used")
            }
        }
    }

    /// The password of another account, for a comparison whose result does not count: the names without an account take
    /// the time of own and imported hashes as often as the accounts do, and each name always the time of one (`SEC-PWD-11`).
    func decoyPassword(for id: UserID, in tenant: TenantID) async throws(EngineError) -> PasswordHash? {
        do {
            return try await ports.users.passwordHash(near: id, in: tenant)
        } catch {
            throw .store(error)
        }
    }

    /// Does the work of a comparison with `decoy`; of a hash of its own when that is nil or cannot be used.
    func work(on password: Secret<String>, as decoy: PasswordHash?) async throws(EngineError) {
        guard let decoy else {
            _ = try await hash(password)
            return
        }
        do {
            _ = try await ports.hasher.verify(password, against: decoy)
        } catch {
            switch error {
            case .overloaded: throw .overloaded
            case .unusable: _ = try await hash(password)
            }
        }
    }

    /// The policy's reason to refuse a password for this user; nil when the password is acceptable.
    func check(
        _ password: Secret<String>, emailLocalPart: String, alias: String?, attributes: [String: AttributeValue],
        in tenant: Tenant
    ) -> PasswordFault? {
        let names = ["displayName", "givenName", "surname"].compactMap { name -> String? in
            guard case .string(let text)? = attributes[name] else { return nil }
            return text
        }
        return passwords.check(
            password,
            context: PasswordContext(
                emailLocalPart: emailLocalPart, alias: alias, names: names, tenantName: tenant.displayName))
    }

    /// Hashes a password that the policy accepted.
    func hash(
        _ password: Secret<String>, in lane: HashingLane = .accounts
    ) async throws(EngineError) -> PasswordHash {
        do {
            return try await ports.hasher.hash(password, in: lane)
        } catch {
            switch error {
            case .overloaded: throw .overloaded
            case .unusable: throw .broken("a password that the policy accepted could not be hashed")
            }
        }
    }
}
