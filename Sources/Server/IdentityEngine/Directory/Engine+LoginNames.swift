import NativeAuthCore
import PortableFoundation

/// The login name of a sign-in or a reset, as the user typed it.
enum SignInName: Sendable {
    case email(EmailAddress)
    case alias(Alias)
    /// The number of a telephone, where the tenant lets it sign in.
    case phone(PhoneNumber)

    /// Nil when the text is not a valid login name.
    ///
    /// - Parameter takesNumbers: Whether a number is a name. An alias that reads like one is none then.
    init?(_ text: String, takesNumbers: Bool = false) {
        if let email = EmailAddress(stored: text) {
            self = .email(email)
        } else if takesNumbers, let number = PhoneNumber(text) {
            self = .phone(number)
        } else if let alias = Alias(text) {
            self = .alias(alias)
        } else {
            return nil
        }
    }

    /// What identifies the account: no address and no alias has the bytes of a number.
    var key: LoginIdentifier.Key {
        switch self {
        case .email(let email): email.key
        case .alias(let alias): alias.key
        case .phone(let number): LoginIdentifier.Key(bytes: Contact.phone(number).key)
        }
    }

    var phone: PhoneNumber? {
        switch self {
        case .email, .alias: nil
        case .phone(let number): number
        }
    }

    fileprivate var alias: Alias? {
        switch self {
        case .email, .phone: nil
        case .alias(let alias): alias
        }
    }

    /// The address that the client is shown when answers hide accounts: only what the client knows already
    /// (`SEC-ENUM-3`).
    fileprivate var label: String {
        switch self {
        case .email(let email): email.masked
        case .alias: "***@***"
        case .phone(let number): number.masked
        }
    }
}

// The account of a sign-in or a reset; decoys stand in for accounts that do not exist (docs/design/0010).
extension Engine {
    /// The account with the e-mail address or alias `key`.
    func account(named key: LoginIdentifier.Key, in context: RequestContext) async throws(EngineError) -> UserAccount? {
        do {
            return try await ports.users.account(named: key, in: context.tenant.id)
        } catch {
            throw .store(error)
        }
    }

    /// The account with this login name.
    func account(of name: SignInName, in context: RequestContext) async throws(EngineError) -> UserAccount? {
        guard let number = name.phone else { return try await account(named: name.key, in: context) }
        do {
            return try await ports.users.account(withPhone: number, in: context.tenant.id)
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

    /// The account and mailbox that a flow is about.
    struct Addressee: Sendable {
        var account: AccountBinding
        var email: EmailAddress
        var label: String?
        var countedName: Data?
    }

    /// The account that `name` identifies, or a decoy when there is none and accounts are hidden.
    ///
    /// - Parameter found: The account with the name, if it may sign in.
    /// - Returns: Nil when there is no account and the client may know.
    func addressee(of found: UserAccount?, named name: SignInName, in context: RequestContext) -> Addressee? {
        let label = context.hidesAccounts ? name.label : nil
        let countedName = context.hidesAccounts ? name.alias?.key.bytes : nil
        if let found, let email = EmailAddress(stored: found.user.email) {
            return Addressee(
                account: .account(found.user.id, credentialVersion: found.credentialVersion), email: email,
                label: label, countedName: countedName)
        }
        guard context.hidesAccounts else { return nil }
        // The same name gives the same decoy, so that failures, locks and cool-downs add up as for an account
        // (SEC-ENUM-5).
        let digest = vault.digest(.counter, tenant: context.tenant.id, [Data("decoy".utf8), name.key.bytes])
        let mailbox: EmailAddress? =
            switch name {
            case .email(let email): email
            // This mailbox gets no mail; its mails are counted.
            case .alias, .phone:
                EmailAddress(digest.prefix(8).map { "\($0)" }.joined(separator: "-") + "@decoy.invalid")
            }
        guard let mailbox, let user = UUID(bytes: digest.prefix(16)) else { return nil }
        return Addressee(
            account: .decoy(UserID(user)), email: mailbox, label: label,
            countedName: countedName)
    }

    /// A stand-in for the account of a decoy flow, so that its steps do the same work as the steps of other flows; nil
    /// for other flows.
    func decoyAccount(of step: Step) -> UserAccount? {
        guard let binding = step.state.account, binding.isDecoy else { return nil }
        let user = User(
            id: binding.user, tenant: step.context.tenant.id, email: step.state.recipient?.email?.address ?? "",
            alias: nil,
            hasPassword: false, attributes: [:], createdAt: step.context.now)
        return UserAccount(user: user, passwordHash: nil, credentialsChangedAt: step.context.now)
    }

    /// Begins a flow about an account. A name too long for a token belongs to no account: the answer is `userNotFound`.
    func begin(_ state: FlowState, orNobodyIn context: RequestContext) throws(EngineError) -> Outcome {
        try begin(state, in: context) ?? context.outcome(.refused(.userNotFound))
    }
}
