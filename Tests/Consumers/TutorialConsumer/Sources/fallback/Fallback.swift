import Foundation
import MSAL
import NativeAuth

/// An app that can only take one-time passcodes, and a user who has a password: both SDKs are sent to a browser, which the environment
/// variable `BROWSER` names. `fallback BASE-URL CLIENT-ID USERNAME`; prints for each SDK whose account its cache holds.
@main
struct Fallback {
    @MainActor
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let base = URL(string: arguments[1]), base.host != nil else {
            print("usage: \(arguments[0]) BASE-URL CLIENT-ID USERNAME")
            exit(64)
        }
        let (authority, clientID, username) = (base.appending(path: "contoso"), arguments[2], arguments[3])

        let client = NativeAuthClient(
            NativeAuthConfiguration(
                clientID: clientID, authority: try Authority(url: authority), challengeTypes: [.oneTimePasscode]))
        try await signIn(username, with: client)
        guard let account = client.accounts().first else {
            print("NativeAuth: the cache is empty")
            exit(1)
        }
        // Another token, without the user.
        let token = try await account.accessToken(policy: .force)
        print("NativeAuth: \(account.username) \(token.value.isEmpty ? "without a token" : "with a token")")

        let app = try MSALNativeAuthPublicClientApplication(
            nativeAuthConfiguration: MSALNativeAuthPublicClientApplicationConfig(
                clientId: clientID, authority: try MSALCIAMAuthority(url: authority, validateFormat: false),
                challengeTypes: [.OOB]))
        let screen = Screen(app)
        await screen.signIn(username)
        let cached = app.getNativeAuthUserAccount()?.account.username
        print(
            "MSAL: \(cached ?? "nobody") \(screen.result?.accessToken.isEmpty == false ? "with a token" : "without a token")"
        )
    }

    /// What an app does: three lines for the browser.
    static func signIn(_ username: String, with client: NativeAuthClient) async throws {
        do throws(SignInError) {
            _ = try await client.signIn(username: username)
            print("NativeAuth: no browser was required")
        } catch .browserRequired(let details) {
            _ = try await client.signInWithBrowser(continuing: details)
        }
    }
}

/// The same with delegates.
@MainActor
final class Screen: SignInStartDelegate {
    private let app: MSALNativeAuthPublicClientApplication
    private(set) var result: MSALResult?
    private var end: CheckedContinuation<Void, Never>?

    init(_ app: MSALNativeAuthPublicClientApplication) {
        self.app = app
    }

    func signIn(_ username: String) async {
        await withCheckedContinuation { end in
            self.end = end
            app.signIn(parameters: MSALNativeAuthSignInParameters(username: username), delegate: self)
        }
    }

    func onSignInStartError(error: MSAL.SignInStartError) {
        guard error.isBrowserRequired else {
            finish(nil, error)
            return
        }
        let parameters = MSALInteractiveTokenParameters(scopes: [], webviewParameters: MSALWebviewParameters())
        app.acquireToken(with: parameters) { result, error in
            MainActor.assumeIsolated { self.finish(result, error) }
        }
    }

    func onSignInCodeRequired(
        newState: SignInCodeRequiredState, sentTo: String, channelTargetType: MSALNativeAuthChannelType, codeLength: Int
    ) {
        print("MSAL: no browser was required")
        finish(nil, nil)
    }

    private func finish(_ result: MSALResult?, _ error: (any Error)?) {
        if let error { print("MSAL: \(error)") }
        self.result = result
        end?.resume()
        end = nil
    }
}
