import Foundation
import MSAL

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Follows the tutorials of the series against a running development server: `consumer-swift6 http://127.0.0.1:8765`; with a
/// client id and an address behind it, signs that person up with the application that `Examples/set-up-tenant.py` has made.
@main
struct Consumer {
    @MainActor
    static func main() async {
        let arguments = CommandLine.arguments
        guard [2, 5].contains(arguments.count), let base = URL(string: arguments[1]), base.host != nil else {
            print("usage: \(arguments[0]) BASE-URL [CLIENT-ID ATTRIBUTE EMAIL]")
            exit(64)
        }
        // Set before anything else runs, so that the environment has one reader.
        setenv("NATIVE_AUTH_EMULATOR", base.absoluteString, 1)

        let own =
            arguments.count == 5 ? [madeByScript(clientID: arguments[2], attribute: arguments[3])] : nil
        var passed = 0
        var failed = 0
        for scenario in own ?? scenarios {
            do {
                let (screen, connect) = (scenario.screen, scenario.connect)
                let person =
                    own == nil
                    ? Person(base: base, screen: screen, connect: connect)
                    : Person(base: base, screen: screen, connect: connect, email: arguments[4])
                try await scenario.run(person)
                passed += 1
                print("ok: \(scenario.tutorial) \(scenario.name)")
            } catch {
                failed += 1
                print("FAILED: \(scenario.tutorial) \(scenario.name): \(error)")
            }
        }
        print("\(passed) passed, \(failed) failed")
        exit(failed == 0 && passed > 0 ? 0 : 1)
    }
}

/// The applications of the development tenant.
enum Client: String {
    case code = "00001111-aaaa-2222-bbbb-3333cccc4444"
    case password = "11112222-bbbb-3333-cccc-4444dddd5555"
    case codeAndAttributes = "22223333-cccc-4444-dddd-5555eeee6666"
    case passwordAndAttributes = "33334444-dddd-5555-eeee-6666ffff7777"
}

struct Mismatch: Error, CustomStringConvertible {
    let description: String
}

/// A user of a screen: types, presses buttons, looks at the screen, and reads mail.
@MainActor
final class Person {
    let screen: Screen
    let email: String
    /// The address of the person's second mailbox.
    let secondEmail = "second-\(UUID().uuidString.prefix(13).lowercased())@example.com"
    let password = "Blue-Kettle-\(UUID().uuidString.prefix(8).lowercased())"
    private let base: URL
    private let connect: @MainActor (URL, Client) throws -> MSALNativeAuthPublicClientApplication
    private let newScreen: @MainActor () -> Screen

    init(
        base: URL, screen: @escaping @MainActor () -> Screen,
        connect: @escaping @MainActor (URL, Client) throws -> MSALNativeAuthPublicClientApplication,
        email: String = "person-\(UUID().uuidString.prefix(13).lowercased())@example.com"
    ) {
        self.base = base
        self.email = email
        self.connect = connect
        newScreen = screen
        self.screen = screen()
    }

    /// Another person with the same kind of screen.
    func another() -> Person {
        Person(base: base, screen: newScreen, connect: connect)
    }

    func open(_ client: Client) throws {
        screen.nativeAuth = try connect(base, client)
    }

    /// Presses a button, and checks that the press returns before the screen shows anything.
    func press(_ button: (Any) -> Void) throws {
        button(self)
        if let early = screen.resultTextView.look() { throw Mismatch(description: "shown too early: \(early)") }
    }

    /// Waits until the screen shows something, and checks it.
    func sees(_ expected: String) async throws {
        let view = screen.resultTextView
        if view.shown.isEmpty {
            // Only a callback may be waited for; a minute without any is a failure, not a slow answer.
            let (texts, signal) = AsyncStream.makeStream(of: Void.self)
            view.changed = { signal.yield() }
            let deadline = Task { @MainActor in
                try await Task.sleep(for: .seconds(60))
                signal.finish()
            }
            for await _ in texts { break }
            deadline.cancel()
            view.changed = nil
        }
        guard let text = view.look() else { throw Mismatch(description: "no callback; expected \(expected)") }
        guard text.hasPrefix(expected) else { throw Mismatch(description: "shown: \(text); expected: \(expected)") }
        guard !view.shownElsewhere else { throw Mismatch(description: "a callback did not run on the main queue") }
    }

    /// The same person with another kind of screen.
    func changed(to screen: @escaping @MainActor () -> Screen) -> Person {
        Person(base: base, screen: screen, connect: connect, email: email)
    }

    /// Reads the newest code, once `count` mails with a code have arrived; by default in the mailbox of the sign-up.
    func code(ofMail count: Int = 1, to address: String? = nil) async throws -> String {
        let email = address ?? email
        struct Mail: Decodable {
            let code: String?
        }
        let url = base.appending(path: "dev/inbox.json").appending(queryItems: [URLQueryItem(name: "to", value: email)])
        for _ in 0..<200 {
            let (data, _) = try await URLSession.shared.data(from: url)
            let codes = try JSONDecoder().decode([Mail].self, from: data).compactMap(\.code)
            if codes.count >= count { return codes[0] }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Mismatch(description: "mail \(count) to \(email) did not arrive")
    }

    /// Starts a sign-up and continues until a code is sent.
    func start(_ client: Client, password: String? = nil, attributes: [String: String]? = nil) async throws {
        try open(client)
        screen.emailTextField.text = email
        screen.passwordTextField.text = password
        screen.attributes = attributes
        try press(screen.signUpPressed)
        try await sees("code sent to ")
    }

    /// Starts a sign-up that is refused.
    func start(
        _ client: Client, email: String? = nil, password: String? = nil, attributes: [String: String]? = nil,
        refused expected: String
    ) async throws {
        try open(client)
        screen.emailTextField.text = email ?? self.email
        screen.passwordTextField.text = password
        screen.attributes = attributes
        try press(screen.signUpPressed)
        try await sees(expected)
    }

    func submitCode(_ code: String? = nil, sees expected: String) async throws {
        let arrived: String
        if let code { arrived = code } else { arrived = try await self.code() }
        screen.codeTextField.text = arrived
        try press(screen.submitCodePressed)
        try await sees(expected)
    }

    func submitAttributes(_ attributes: [String: String], sees expected: String) async throws {
        screen.attributes = attributes
        try press(screen.submitAttributesPressed)
        try await sees(expected)
    }

    /// Signs in after the sign-up.
    func signIn() async throws {
        try press(screen.signInPressed)
        try await sees("signed in")
        try await sees("token")
        try checkAccount()
    }

    /// Checks the account, both tokens, the cache and the sign-out.
    func checkAccount() throws {
        guard let result = screen.account else { throw Mismatch(description: "no account") }
        guard result.account.username == email else {
            throw Mismatch(description: "the account is \(result.account.username ?? "no user")")
        }
        guard result.account.accountClaims?["preferred_username"] as? String == email else {
            throw Mismatch(description: "the claims do not name the person")
        }
        guard result.idToken?.split(separator: ".").count == 3 else { throw Mismatch(description: "no ID token") }
        guard screen.accessToken?.isEmpty == false else { throw Mismatch(description: "no access token") }
        guard screen.nativeAuth.getNativeAuthUserAccount()?.account.username == email else {
            throw Mismatch(description: "the account is not remembered")
        }
        result.signOut()
        guard screen.nativeAuth.getNativeAuthUserAccount() == nil else {
            throw Mismatch(description: "the account is still there after the sign-out")
        }
    }
}
