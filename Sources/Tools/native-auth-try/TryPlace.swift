import NativeAuth
import NativeAuthCore
import PortableFoundation

/// The server, tenant and applications of the sample app, and its signed-in users.
struct TryPlace: Sendable {
    /// `http://127.0.0.1:8765`, without a trailing slash.
    let baseURL: String
    let tenant: String
    /// The inbox with the codes; nil when the server is not a development server.
    let inbox: InboxReader?
    /// The data folder, when the server belongs to this command and ends with it.
    let ownData: String?
    private let passcodeClient: NativeAuthClient
    private let passwordClient: NativeAuthClient
    /// The client of the development tenant's application that demands a second factor.
    let strictClient: NativeAuthClient
    /// Whether the applications are those of the development tenant, which has every way to sign in.
    let isDevelopmentTenant: Bool

    private static let passcodeApplication = "00001111-aaaa-2222-bbbb-3333cccc4444"
    private static let passwordApplication = "11112222-bbbb-3333-cccc-4444dddd5555"
    private static let strictApplication = "44445555-eeee-6666-ffff-777700008888"

    /// - Parameter clientID: Nil: the development tenant's passcode application for a sign-up without a password, its
    ///   password application for everything else.
    init(
        baseURL: String, authority: Authority, tenant: String, clientID: String?, inbox: InboxReader?, ownData: String?
    ) {
        self.baseURL = baseURL
        self.tenant = tenant
        self.inbox = inbox
        self.ownData = ownData
        // A server with an inbox is one of this package: others refuse the word.
        let isOurs = inbox != nil
        passwordClient = Self.client(clientID ?? Self.passwordApplication, authority, isOurs)
        strictClient = Self.client(clientID ?? Self.strictApplication, authority, isOurs)
        isDevelopmentTenant = clientID == nil && isOurs
        passcodeClient =
            clientID == nil ? Self.client(Self.passcodeApplication, authority, isOurs) : passwordClient
    }

    /// The two capabilities: without them a server that requires a second factor would send the user to a browser.
    private static func client(
        _ clientID: String, _ authority: Authority, _ isOurs: Bool
    ) -> NativeAuthClient {
        var configuration = NativeAuthConfiguration(
            clientID: clientID, authority: authority, challengeTypes: [.oneTimePasscode, .password],
            capabilities: [.mfaRequired, .registrationRequired])
        if isOurs { configuration.challengeTypes.formUnion([.passkey, .authenticatorApp]) }
        configuration.webAuthenticator = LoopbackAuthenticator { page in
            print("No browser opens here. Open this address in one of this machine:\n\(page.absoluteString)")
        }
        return NativeAuthClient(configuration)
    }

    /// The client for a sign-up.
    func client(withPassword: Bool) -> NativeAuthClient {
        withPassword ? passwordClient : passcodeClient
    }

    /// The client for a sign-in or a reset. The password application sends a code to users without a password.
    var client: NativeAuthClient { passwordClient }

    /// All signed-in users, each once, with the newest session.
    var accounts: [Account] {
        var accounts: [Account] = []
        for account in passwordClient.accounts() + passcodeClient.accounts() + strictClient.accounts()
        where !accounts.contains(where: { $0.homeAccountID == account.homeAccountID }) {
            accounts.append(account)
        }
        return accounts
    }

    /// The client that `account` is signed in with.
    func client(of account: Account) -> NativeAuthClient {
        [strictClient, passwordClient].first { $0.account(homeAccountID: account.homeAccountID) != nil }
            ?? passcodeClient
    }

    /// `account` with its current tokens; nil when it is no longer signed in.
    func current(_ account: Account) -> Account? {
        client(of: account).account(homeAccountID: account.homeAccountID)
    }
}

/// The end of the conversation, or of one flow.
enum TryEnd: Error {
    /// Ctrl-D, or the end of an input file.
    case endOfInput
    /// The user chose to leave the flow.
    case back
    /// The flow cannot continue; one or two sentences say why. It ends a script; a user can choose another action.
    case failed(String)
    /// The server wants the flow to go on in a browser.
    case needsBrowser(String, ErrorDetails)
    /// No action can continue here.
    case hopeless(String)

    var sentence: String {
        switch self {
        case .endOfInput: "The input ended before this was done."
        case .back: "Stopped."
        case .failed(let sentence), .hopeless(let sentence), .needsBrowser(let sentence, _): sentence
        }
    }
}

extension TryEnd {
    /// What `read` gives, or the end that comes of its failure.
    static func reading<Value: Sendable>(
        _ read: () async throws(InboxReader.Failure) -> Value
    ) async throws(TryEnd) -> Value {
        do throws(InboxReader.Failure) {
            return try await read()
        } catch {
            switch error {
            case .cancelled: throw .endOfInput
            case .unreachable(let baseURL): throw .hopeless(TryWords.unreachable(baseURL))
            case .missing: throw .failed(error.sentence)
            }
        }
    }
}

/// The user of a flow, for the words of its errors and for the inbox.
struct TrySubject: Sendable {
    /// The name of the flow: `sign-up`.
    let activity: String
    /// The e-mail address or the alias.
    var name: String
    var alias: String?
}
