import NativeAuthCore
import PortableFoundation

// Passwords that only another system knows (design record 0029). Its receiver is the proof, so it is asked before the user
// has proven anything, unlike all other receivers: the right to ask is taken and counted first, as for a comparison.

/// The result of a password that was compared here, and elsewhere where only another system can know it.
enum PasswordJudgement: Sendable {
    /// It is the stored password; `outdated` has the new hash in place of one with older parameters (`SEC-PWD-7`).
    case right(outdated: (old: PasswordHash, new: PasswordHash)?)
    /// It is the password of the other system.
    case moved(PasswordMove)
    case wrong
    /// The other system did not accept it, and it may be right.
    case refused(Refusal, cause: String)
}

/// The password that an account has had in another system.
package struct PasswordMove: Hashable, Sendable {
    /// The attribute that says that the account is to be moved.
    package var attribute: String
    /// The hash that was stored when the password was compared; nil when there was none.
    package var old: PasswordHash?
    package var new: PasswordHash

    package init(attribute: String, old: PasswordHash?, new: PasswordHash) {
        self.attribute = attribute
        self.old = old
        self.new = new
    }

    /// Whether the account is still the one that was to be moved.
    func fits(_ account: UserAccount) -> Bool {
        account.user.attributes[attribute] == .boolean(true) && account.passwordHash == old
    }
}

extension RequestContext {
    /// The hook whose receiver may know the account's password; nil when the account is not to be moved.
    func migrationHook(for account: UserAccount) -> Hook? {
        guard let hook = hook(for: .passwordSubmit), let attribute = hook.migration?.attribute,
            account.user.attributes[attribute] == .boolean(true)
        else { return nil }
        return hook
    }

    /// Whether the user signs in with a password: a stored one, or one that another system knows.
    func hasPassword(_ account: UserAccount) -> Bool {
        account.passwordHash != nil || (userFlow.method == .emailPassword && migrationHook(for: account) != nil)
    }
}

extension User {
    /// The changes after which an account is not to be moved any more.
    ///
    /// - Parameter attributes: The names of the attributes that say whether it is.
    func endingMigration(by attributes: [String]) -> [AttributeChange] {
        attributes.filter { self.attributes[$0] == .boolean(true) }.map { AttributeChange($0, .boolean(false)) }
    }
}

extension Engine {
    /// Asks the receiver about a password that is not the stored one, and hashes it if it is to be stored.
    ///
    /// - Throws: ``EngineError/hook(_:_:)`` when the receiver failed, unless answers hide accounts: then the failure looks
    ///   like a wrong password, because it would tell that this account exists.
    func judge(
        _ password: Secret<String>, of account: UserAccount, by hook: Hook, attribute: String,
        in context: RequestContext
    ) async throws(EngineError) -> PasswordJudgement {
        let answer: PasswordSubmitAnswer
        do {
            answer = try await ports.hooks.passwordSubmits(
                SubmittedPassword(user: account.user, password: password), asking: context.call(hook))
        } catch {
            guard context.hidesAccounts else { throw .hook(hook.id, error) }
            return .refused(.incorrectPassword, cause: "hook failed")
        }
        switch answer {
        case .migrate:
            let user = account.user
            let fault = check(
                password, emailLocalPart: EmailAddress(stored: user.email)?.localPart ?? "", alias: user.alias,
                attributes: user.attributes, in: context.tenant)
            guard fault == nil else { return .refused(.passwordChangeRequired, cause: "hook: too weak") }
            return .moved(
                PasswordMove(attribute: attribute, old: account.passwordHash, new: try await hash(password)))
        case .update: return .refused(.passwordChangeRequired, cause: "hook: update")
        case .retry: return .wrong
        case .block(let reason): return .refused(.blockedByHook(reason: reason), cause: "hook: block")
        }
    }
}
