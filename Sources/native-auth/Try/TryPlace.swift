import NativeAuth
import NativeAuthCore

/// The server, tenant and applications of the sample app, and who is signed in there.
struct TryPlace: Sendable {
    /// `http://127.0.0.1:8765`, without a slash at its end.
    let baseURL: String
    let tenant: String
    /// Where codes can be read; nil when the server is not a development one.
    let inbox: InboxReader?
    /// The data folder, when the server belongs to this command and ends with it.
    let ownData: String?
    private let passcodeClient: NativeAuthClient
    private let passwordClient: NativeAuthClient

    private static let passcodeApplication = "00001111-aaaa-2222-bbbb-3333cccc4444"
    private static let passwordApplication = "11112222-bbbb-3333-cccc-4444dddd5555"

    /// - Parameter clientID: Nil: the development tenant's passcode application for a sign-up without a password, its password
    ///   application for everything else.
    init(
        baseURL: String, authority: Authority, tenant: String, clientID: String?, inbox: InboxReader?, ownData: String?
    ) {
        self.baseURL = baseURL
        self.tenant = tenant
        self.inbox = inbox
        self.ownData = ownData
        passwordClient = Self.client(clientID ?? Self.passwordApplication, authority)
        passcodeClient = clientID == nil ? Self.client(Self.passcodeApplication, authority) : passwordClient
    }

    /// Without the two capabilities a server that wants a second factor would send the user to a browser.
    private static func client(_ clientID: String, _ authority: Authority) -> NativeAuthClient {
        NativeAuthClient(
            NativeAuthConfiguration(
                clientID: clientID, authority: authority, challengeTypes: [.oneTimePasscode, .password],
                capabilities: [.mfaRequired, .registrationRequired]))
    }

    /// For a sign-up.
    func client(withPassword: Bool) -> NativeAuthClient {
        withPassword ? passwordClient : passcodeClient
    }

    /// For a sign-in or a reset. The password application sends a code to users without a password.
    var client: NativeAuthClient { passwordClient }

    /// Everybody who is signed in, once, with the newest session.
    var accounts: [Account] {
        var accounts: [Account] = []
        for account in passwordClient.accounts() + passcodeClient.accounts()
        where !accounts.contains(where: { $0.homeAccountID == account.homeAccountID }) {
            accounts.append(account)
        }
        return accounts
    }

    /// The client that `account` is signed in with.
    func client(of account: Account) -> NativeAuthClient {
        passwordClient.account(homeAccountID: account.homeAccountID) == nil ? passcodeClient : passwordClient
    }

    /// `account` and its tokens as they are now; nil when it is signed in no more.
    func current(_ account: Account) -> Account? {
        client(of: account).account(homeAccountID: account.homeAccountID)
    }
}

/// An end of the conversation, or of one flow.
enum TryEnd: Error {
    /// Ctrl-D, or the end of a file that stands for a person.
    case endOfInput
    /// The person chose to leave the flow.
    case back
    /// The flow cannot go on; one sentence or two say why. It ends a script; a person can do something else.
    case failed(String)
    /// Nothing can go on here.
    case hopeless(String)

    var sentence: String {
        switch self {
        case .endOfInput: "The input ended before this was done."
        case .back: "Stopped."
        case .failed(let sentence), .hopeless(let sentence): sentence
        }
    }
}

/// Whom a flow is about, for the words of its errors and for the inbox.
struct TrySubject: Sendable {
    /// The flow in words: `sign-up`.
    let activity: String
    /// The e-mail address or the alias.
    var name: String
    var alias: String?
}
