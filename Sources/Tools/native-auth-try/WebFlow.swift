import NativeAuth
import PortableFoundation

/// The server's own pages: for what the API cannot end, or as the user likes.
extension TryConversation {
    /// - Parameter details: Of the error that asked for a browser; nil when the user chose it.
    mutating func signInWithBrowser(continuing details: ErrorDetails? = nil) async throws(TryEnd) {
        dialog.begin("Sign in with a browser")
        dialog.note("A page of the server opens. Cancel there comes back here.")
        let client = place.client
        let account: Account
        do throws(WebSignInError) {
            if let details {
                account = try await client.signInWithBrowser(continuing: details)
            } else {
                account = try await client.signInWithBrowser()
            }
        } catch {
            throw end(error, TrySubject(activity: "sign-in", name: ""))
        }
        self.account = account
        dialog.signedIn(account, .afterSignIn)
    }

    /// Opens the account page, with the user signed in there.
    mutating func openAccountPage() async throws(TryEnd) {
        dialog.begin("My account page")
        guard let account else { return }
        let address: URL
        do throws(TokenError) {
            address = try await account.accountPage()
        } catch {
            throw end(error, TrySubject(activity: "session", name: account.username))
        }
        if await BrowserProgram.open(address) {
            dialog.note("The page opens in your browser, and you are signed in there.")
        } else {
            dialog.note("No browser could be opened. Within a minute, open this address; it works once:")
            dialog.print(address.absoluteString)
        }
    }
}
