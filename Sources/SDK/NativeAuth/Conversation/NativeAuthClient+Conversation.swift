public import NativeAuthCore
public import PortableFoundation

/// The end of a conversation that signed a user up or reset a password.
public enum ConversationEnd: Sendable {
    /// The account exists or the password is set, and the user is signed in.
    case signedIn(Account)
    /// The account exists or the password is set, but the user is not signed in, for this reason: begin a sign-in.
    case signInRequired(SignInError)
}

// A conversation is a loop over the steps of a flow, which asks prompts for the answers.
extension NativeAuthClient {
    /// Signs a user up, and in, asking `prompts` for what the server requires.
    ///
    /// - Parameters:
    ///   - username: The e-mail address.
    ///   - password: The password, if the app has asked for one before. Without it the prompts are asked when the server
    ///     requires one.
    ///   - attributes: Attributes by their programmable names (``AttributeName``). The prompts are asked for missing
    ///     ones.
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are
    ///     added.
    ///   - claims: A claims request: JSON as text.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    ///   - prompts: Asks the user.
    /// - Returns: The account; or the reason why a sign-in must follow, also when the user or the task ended the flow
    ///   after the account existed.
    /// - Throws: ``SignUpError``: there is no new account, as far as known. ``ServiceError/cancelled(_:)`` when the
    ///   prompts or the task ended the flow; a request under way may still reach the server.
    public func signUp(
        username: String, password: String? = nil, attributes: [String: AttributeValue] = [:], scopes: [String] = [],
        claims: String? = nil, correlationID: UUID? = nil, asking prompts: any FlowPrompts
    ) async throws(SignUpError) -> ConversationEnd {
        let conversation = Conversation(prompts: prompts)
        let completed: CompletedState
        do throws(NativeAuthError) {
            let start = try await startSignUp(
                username: username, password: password, attributes: attributes, correlationID: correlationID)
            completed = try await conversation.signUp(start)
        } catch {
            throw SignUpError(error)
        }
        return await conversation.end(completed, scopes: scopes, claims: claims)
    }

    /// Signs a user in, asking `prompts` for what the server requires: a code or the password, a second factor, or the
    /// registration of one.
    ///
    /// - Parameters:
    ///   - username: The e-mail address, the alias, or a telephone number (<doc:SigningIn>).
    ///   - password: The password, if the app has asked for it before; when it is wrong, the sign-in fails. Without it
    ///     the prompts are asked until it is right.
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are
    ///     added.
    ///   - claims: A claims request: JSON as text.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    ///   - prompts: Asks the user.
    /// - Throws: ``SignInError``: the user is not signed in. ``ServiceError/cancelled(_:)`` when the prompts or the task
    ///   ended the flow.
    public func signIn(
        username: String, password: String? = nil, scopes: [String] = [], claims: String? = nil,
        correlationID: UUID? = nil, asking prompts: any FlowPrompts
    ) async throws(SignInError) -> Account {
        do throws(NativeAuthError) {
            let start = try await startSignIn(
                username: username, password: password, scopes: scopes, claims: claims, correlationID: correlationID)
            return try await Conversation(prompts: prompts).signIn(start)
        } catch {
            throw SignInError(error)
        }
    }

    /// Resets a password and signs the user in, asking `prompts` for the code and the new password.
    ///
    /// - Parameters:
    ///   - username: The e-mail address or the alias.
    ///   - scopes: Scopes of one resource that the access token is for; `openid`, `profile` and `offline_access` are
    ///     added.
    ///   - claims: A claims request: JSON as text.
    ///   - correlationID: Identifies the whole flow in the server's log; nil for a new ID.
    ///   - prompts: Asks the user.
    /// - Returns: The account; or the reason why a sign-in must follow, also when the user or the task ended the flow
    ///   after the password was set.
    /// - Throws: ``ResetPasswordError``: the password is unchanged, as far as known. ``ServiceError/cancelled(_:)`` when
    ///   the prompts or the task ended the flow; a request under way may still reach the server.
    public func resetPassword(
        username: String, scopes: [String] = [], claims: String? = nil, correlationID: UUID? = nil,
        asking prompts: any FlowPrompts
    ) async throws(ResetPasswordError) -> ConversationEnd {
        let conversation = Conversation(prompts: prompts)
        let state: NewPasswordState
        do throws(NativeAuthError) {
            state = try await conversation.code(
                try await startResetPassword(username: username, correlationID: correlationID))
        } catch {
            throw ResetPasswordError(error)
        }
        let completed: CompletedState
        do throws(NativeAuthError) {
            completed = try await conversation.newPassword(state)
        } catch {
            throw ResetPasswordError(setting: error)
        }
        return await conversation.end(completed, scopes: scopes, claims: claims)
    }
}

extension Account {
    /// Signs the same user in again, asking `prompts`, which proves what a call demanded
    /// (``AccountError/proofRequired(_:_:)``). When this returns, repeat the call: this value and all its copies use the
    /// new session, and the old one ends.
    ///
    /// - Parameters:
    ///   - demand: What the call demanded.
    ///   - correlationID: Identifies the flow in the server's log; nil for a new ID.
    ///   - prompts: Asks the user.
    /// - Throws: ``SignInError``: nothing is proven. ``ServiceError/cancelled(_:)`` when the prompts or the task ended
    ///   the flow.
    public func signInAgain(
        for demand: ProofDemand, correlationID: UUID? = nil, asking prompts: any FlowPrompts
    ) async throws(SignInError) {
        do throws(NativeAuthError) {
            let start = try await startSignInAgain(for: demand, correlationID: correlationID)
            _ = try await Conversation(prompts: prompts).signIn(start)
        } catch {
            throw SignInError(error)
        }
    }
}

extension Account {
    /// Makes a call; when the server wants a proof first, signs the user in again, asking `prompts`, and repeats the
    /// call once.
    ///
    /// - Parameters:
    ///   - prompts: Asks the user.
    ///   - call: A call of this account, such as `account.delete()`.
    /// - Throws: The error of the call; ``AccountError/proofRequired(_:_:)`` when the user did not give the proof, and
    ///   ``AccountError/service(_:)`` when the sign-in failed for another reason, or was ended.
    public func withProof<Value: ~Copyable & Sendable>(
        asking prompts: any FlowPrompts, _ call: () async throws(AccountError) -> Value
    ) async throws(AccountError) -> Value {
        let demand: ProofDemand
        do throws(AccountError) {
            return try await call()
        } catch {
            guard case .proofRequired(let wanted, _) = error else { throw error }
            demand = wanted
        }
        do throws(SignInError) {
            try await signInAgain(for: demand, asking: prompts)
        } catch {
            guard case .service(let failure) = error else { throw .proofRequired(demand, error.details) }
            throw .service(failure)
        }
        return try await call()
    }

    /// Changes the user's e-mail address, asking `prompts` for the codes that prove the mailboxes. See
    /// ``changeEmail(to:correlationID:)``.
    ///
    /// - Throws: ``AccountError``: the address is the old one, as far as known.
    public func changeEmail(
        to email: String, correlationID: UUID? = nil, asking prompts: any FlowPrompts
    ) async throws(AccountError) {
        try await prove(try await changeEmail(to: email, correlationID: correlationID), prompts)
    }

    /// Adds an address as a method of the second factor, asking `prompts` for the codes that prove the mailboxes.
    ///
    /// - Throws: ``AccountError``: there is no new method, as far as known.
    public func addMethod(
        email: String, correlationID: UUID? = nil, asking prompts: any FlowPrompts
    ) async throws(AccountError) {
        try await prove(try await addMethod(email: email, correlationID: correlationID), prompts)
    }

    private func prove(
        _ step: consuming ContactCodeRequired, _ prompts: any FlowPrompts
    ) async throws(AccountError) {
        do throws(NativeAuthError) {
            try await Conversation(prompts: prompts).contact(step.state)
        } catch {
            throw AccountError(error)
        }
    }
}

extension Conversation {
    /// Signs the user of a finished sign-up or reset in.
    fileprivate func end(_ completed: CompletedState, scopes: [String], claims: String?) async -> ConversationEnd {
        do throws(NativeAuthError) {
            return .signedIn(try await signIn(try await completed.signIn(scopes: scopes, claims: claims)))
        } catch {
            return .signInRequired(SignInError(error))
        }
    }
}
