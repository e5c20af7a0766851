import NativeAuthCore
import PortableFoundation

// The account lookups and the password checks of the steps.
extension Engine {
    /// The account with the e-mail address or alias `key`.
    func account(named key: LoginIdentifier.Key, in context: RequestContext) async throws(EngineError) -> UserAccount? {
        do {
            return try await ports.users.account(named: key, in: context.tenant.id)
        } catch {
            throw .store(error)
        }
    }

    func account(_ id: UserID, in context: RequestContext) async throws(EngineError) -> UserAccount? {
        do {
            return try await ports.users.account(id, in: context.tenant.id)
        } catch {
            throw .store(error)
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

    /// The policy's reason to refuse a password for this user; nil when the password is acceptable.
    func check(
        _ password: Secret<String>, emailLocalPart: String, alias: String?, attributes: [String: AttributeValue],
        in context: RequestContext
    ) -> PasswordFault? {
        let names = ["displayName", "givenName", "surname"].compactMap { name -> String? in
            guard case .string(let text)? = attributes[name] else { return nil }
            return text
        }
        return passwords.check(
            password,
            context: PasswordContext(
                emailLocalPart: emailLocalPart, alias: alias, names: names, tenantName: context.tenant.displayName))
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

extension Interaction {
    static func redirectToBrowser(missing type: ChallengeType) -> Interaction {
        .redirectToBrowser(reason: "Client is missing \(type.rawValue) challenge type")
    }
}
