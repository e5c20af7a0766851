import NativeAuth
import NativeAuthCore
import PortableFoundation

/// The actions of an app for a signed-in user.
extension TryConversation {
    /// The authentication context of the development server that requires a second factor.
    private static let secondFactorContext = "c1"

    // MARK: An API

    /// Calls the API with the access token; if the token proves too little, offers a sign-in with more factors, and
    /// calls again.
    mutating func callAPI(withSecondFactor: Bool) async throws(TryEnd) {
        dialog.begin(withSecondFactor ? "Call an API that needs a second factor" : "Call an API")
        let api = ProtectedAPI(place, context: withSecondFactor ? Self.secondFactorContext : nil)
        guard case .stepUp(let context)? = try await call(api), let account else { return }
        dialog.note(
            "401, insufficient_user_authentication: the API knows the user, but wants more proof, authentication"
                + " context \(context).")
        guard try await dialog.consents(to: "Sign in again, with a second factor?") else { return }
        try await signIn(SignInForm(username: account.username, claims: ProtectedAPI.claims(for: context)))
        if case .stepUp? = try await call(api) {
            throw .failed("The API still wants more proof, though the sign-in gave all there is.")
        }
    }

    /// Calls the API and prints the result; a second time with a new token if the API refuses the first, as apps do.
    ///
    /// - Returns: Nil when there was no token for the call.
    private mutating func call(_ api: ProtectedAPI) async throws(TryEnd) -> ProtectedAPI.CallResult? {
        guard let token = try await accessToken(forceRefresh: false) else { return nil }
        var answer = try await send(token, to: api)
        if case .unauthorized = answer {
            dialog.note("401: the API does not take the token. The app asks for a new one.")
            guard let token = try await accessToken(forceRefresh: true) else { return nil }
            answer = try await send(token, to: api)
        }
        switch answer {
        case .greeting(let greeting):
            dialog.note("200: \(Terminal.harmless(greeting.message))")
            dialog.show(
                [
                    ("audience", Terminal.harmless(greeting.audience)),
                    ("scopes", Terminal.harmless(greeting.scopes.joined(separator: " "))),
                    ("acrs", greeting.acrs.isEmpty ? "none" : Terminal.harmless(greeting.acrs.joined(separator: " "))),
                ])
        case .stepUp: break
        case .unauthorized:
            try dialog.refused(
                "401: the API does not take the new token either. Sign in again.")
        case .absent:
            try dialog.refused("\(place.baseURL) has no such API; only a development server has it.")
        case .other(let status):
            try dialog.refused("The API answered with status \(status).")
        }
        return answer
    }

    private func send(_ token: AccessToken, to api: ProtectedAPI) async throws(TryEnd) -> ProtectedAPI.CallResult {
        dialog.show([("GET", api.url), ("Authorization", "Bearer, and the access token")])
        return try await api.call(token)
    }

    // MARK: Tokens

    /// The access token of the account; nil, and the account is forgotten, when its session has ended.
    private mutating func accessToken(forceRefresh: Bool) async throws(TryEnd) -> AccessToken? {
        guard let account else { return nil }
        let subject = TrySubject(activity: "session", name: account.username)
        let token = try await begin(subject) { () async throws(TokenError) in
            try await account.accessToken(policy: forceRefresh ? .force : .refreshIfNeeded)
        }
        switch token {
        case .success(let token):
            self.account = place.current(account)
            return token
        case .failure(let error):
            switch error {
            case .sessionEnded, .signInRequired:
                place.client(of: account).signOut(account)
                self.account = nil
                try dialog.refused(words(error, subject))
                return nil
            case .secondFactorRequired, .browserRequired, .scopesRefused, .notCached, .service:
                throw end(error, subject)
            }
        }
    }

    mutating func refresh() async throws(TryEnd) {
        dialog.begin("Refresh the tokens")
        guard let token = try await accessToken(forceRefresh: true) else { return }
        dialog.note(
            "There are new tokens, and the refresh token before them is spent. The access token is good until"
                + " \(token.expiresOn.formatted(.iso8601)).")
    }

    mutating func showAccount() async throws(TryEnd) {
        guard let token = try await accessToken(forceRefresh: false), let account else { return }
        dialog.begin("Account")
        dialog.show(TryWords.facts(about: account))
        dialog.begin("Claims of the ID token, for the app")
        dialog.show(TryWords.annotated(account.idTokenClaims))
        guard let claims = TryWords.claims(ofToken: token.value) else { return }
        dialog.begin("Claims of the access token, for the API")
        dialog.show(TryWords.annotated(claims))
    }

    // MARK: Accounts

    mutating func signOut() async throws(TryEnd) {
        dialog.begin("Sign out")
        guard let account else { return }
        self.account = nil
        let revocation: Revocation
        do throws(SignOutError) {
            revocation = try await place.client(of: account).signOutAndRevoke(account)
        } catch {
            switch error {
            case .notRevoked(.cancelled): throw .endOfInput
            case .notRevoked(let failure):
                try dialog.refused(
                    "\(account.username) is signed out here, but the server could not be told:"
                        + " \(words(failure, TrySubject(activity: "sign-out", name: account.username)))")
            case .stillSignedIn(let problem, _):
                self.account = account
                try dialog.refused(
                    "\(account.username) is still signed in: the token cache cannot be changed, \(problem).")
            }
            return
        }
        dialog.note("The tokens of \(account.username) are gone from here.")
        switch revocation {
        case .revoked: dialog.note("The server has ended the session: its refresh token is worthless now.")
        case .notOffered:
            dialog.note("The server offers no way to end the session under this address; its tokens expire in time.")
        case .nothingToRevoke: dialog.note("The session had ended before.")
        }
    }

    mutating func switchAccount() async throws(TryEnd) {
        dialog.begin("Switch account")
        let others = place.accounts.filter { $0.homeAccountID != account?.homeAccountID }
        guard !others.isEmpty else { throw .failed("No other user is signed in.") }
        let chosen = try await dialog.choice("Account", of: others.map { Terminal.harmless($0.username) })
        account = others[chosen]
        dialog.note("The account is now \(others[chosen].username).")
    }
}
