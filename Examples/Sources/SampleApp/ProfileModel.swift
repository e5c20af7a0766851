import NativeAuth
import Observation

/// Shows who is signed in, gets tokens for the app's own API, and signs out.
@Observable @MainActor
final class ProfileModel {
    enum Session {
        case alive
        /// The server ended it, as after a password reset: the user has to sign in again.
        case ended
        case signedOut
    }

    private(set) var account: Account
    private(set) var session = Session.alive
    /// The newest token that was asked for.
    private(set) var token: AccessToken?
    private(set) var notice: Notice?

    private let client: NativeAuthClient

    init(_ account: Account, client: NativeAuthClient) {
        self.account = account
        self.client = client
    }

    /// Follows what becomes of the session until the task is cancelled.
    func listen() async {
        // Listens first and looks then, so that nothing is missed between the two.
        let changes = client.sessionChanges
        if let account = client.account(homeAccountID: account.homeAccountID) {
            self.account = account
        } else {
            session = .signedOut
        }
        for await change in changes {
            switch change {
            case .signedIn(let account), .renewed(let account):
                guard account.homeAccountID == self.account.homeAccountID else { continue }
                self.account = account
                session = .alive
            case .ended(let account):
                guard account.homeAccountID == self.account.homeAccountID else { continue }
                session = .ended
            case .signedOut(let homeAccountID):
                guard homeAccountID == account.homeAccountID else { continue }
                session = .signedOut
            }
        }
    }

    /// Gets a token for a request to the app's API. It is cheap to ask before each one: the server is only asked
    /// when the kept token is about to end.
    func loadToken(_ policy: TokenPolicy = .refreshIfNeeded) async {
        do throws(TokenError) {
            token = try await account.accessToken(policy: policy)
            notice = nil
        } catch {
            notice = Notice(error)
        }
    }

    /// The tokens are gone at once, also without a network.
    func signOut() {
        client.signOut(account)
        session = .signedOut
    }

    /// Signs out, and lets the server end the session, so that a stolen copy of the tokens is worthless too.
    func signOutEverywhere() async {
        do throws(SignOutError) {
            switch try await client.signOutAndRevoke(account) {
            case .revoked, .nothingToRevoke: notice = nil
            case .notOffered: notice = .signedOutHereOnly
            }
            session = .signedOut
        } catch {
            notice = Notice(error)
            if case .notRevoked = error { session = .signedOut }
        }
    }
}
