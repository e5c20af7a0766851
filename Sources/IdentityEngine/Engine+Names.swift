import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A name by which somebody wants to sign in, as typed.
enum SignInName: Sendable {
    case email(EmailAddress)
    case alias(Alias)

    /// Nil for what nobody can be called.
    init?(_ text: String) {
        if let email = EmailAddress(stored: text) {
            self = .email(email)
        } else if let alias = Alias(text) {
            self = .alias(alias)
        } else {
            return nil
        }
    }

    var key: LoginIdentifier.Key {
        switch self {
        case .email(let email): email.key
        case .alias(let alias): alias.key
        }
    }

    fileprivate var alias: Alias? {
        switch self {
        case .email: nil
        case .alias(let alias): alias
        }
    }

    /// What a client hears of the mailbox where no answer may tell whether there is one: nothing that it does not know
    /// (`SEC-ENUM-3`).
    fileprivate var label: String {
        switch self {
        case .email(let email): email.masked
        case .alias: "***@***"
        }
    }
}

// Whom a sign-in or a reset is about; and decoys, the flows about nobody (docs/design/0010).
extension Engine {
    /// Whom a flow is about.
    struct Addressee: Sendable {
        var account: AccountBinding
        var email: EmailAddress
        var label: String?
        var countedName: Data?
    }

    /// Whom a flow is about that somebody starts by `name`.
    ///
    /// - Parameter found: The account with the name, if it may sign in.
    /// - Returns: Nil when there is no account and the client may know.
    func addressee(of found: UserAccount?, named name: SignInName, in scene: Scene) -> Addressee? {
        let label = scene.hidesAccounts ? name.label : nil
        let countedName = scene.hidesAccounts ? name.alias?.key.bytes : nil
        if let found, let email = EmailAddress(stored: found.user.email) {
            return Addressee(
                account: AccountBinding(user: found.user.id, credentialVersion: found.credentialVersion), email: email,
                label: label, countedName: countedName)
        }
        guard scene.hidesAccounts else { return nil }
        // The same for the same name, so that failures, locks and cool-downs add up as they do for an account (SEC-ENUM-5).
        let digest = vault.digest(.counter, tenant: scene.tenant.id, [Data("decoy".utf8), name.key.bytes])
        let mailbox: EmailAddress? =
            switch name {
            case .email(let email): email
            // It gets no mail; its mails are counted.
            case .alias: EmailAddress(digest.prefix(8).map { "\($0)" }.joined(separator: "-") + "@decoy.invalid")
            }
        guard let mailbox, let user = UUID(bytes: digest.prefix(16)) else { return nil }
        return Addressee(
            account: AccountBinding(user: UserID(user), credentialVersion: nil), email: mailbox, label: label,
            countedName: countedName)
    }

    /// What stands in for the account of a decoy flow, so that its steps do what those of others do; nil for other flows.
    func decoyAccount(of opened: Opened, in scene: Scene) -> UserAccount? {
        guard let binding = opened.state.account, binding.isDecoy else { return nil }
        let user = User(
            id: binding.user, tenant: scene.tenant.id, email: opened.state.mailbox?.address ?? "", alias: nil,
            hasPassword: false, attributes: [:], createdAt: scene.now)
        return UserAccount(user: user, passwordHash: nil, credentialsChangedAt: scene.now)
    }

    /// Begins a flow about an account; a name that is too long for a token belongs to no account.
    func begin(_ state: FlowState, orNobodyIn scene: Scene) throws(EngineError) -> Outcome {
        try begin(state, in: scene) ?? scene.outcome(.refused(.userNotFound))
    }
}
