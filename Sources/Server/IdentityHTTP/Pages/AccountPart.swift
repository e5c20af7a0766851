import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// The pages of the account page.
enum AccountPart: String, Hashable, Sendable, Codable, CaseIterable {
    case overview, data, email, password, methods, sessions, copy, deletion
    /// What a user sees whose account is deleted, or is going to be; it needs no session.
    case ended

    /// - Parameter segment: The last part of the path; nil for the first page.
    init?(segment: String?) {
        guard let segment else {
            self = .overview
            return
        }
        guard let part = AccountPart(rawValue: segment), part != .overview else { return nil }
        self = part
    }

    var segment: String? { self == .overview ? nil : rawValue }

    var title: PagePhrase {
        switch self {
        case .overview: .yourAccount
        case .data: .yourData
        case .email: .changeEmail
        case .password: .changePassword
        case .methods: .signInMethods
        case .sessions: .sessions
        case .copy: .copyOfData
        case .deletion: .deleteAccount
        case .ended: .accountDeleted
        }
    }

    /// The sign-in that the user needs first. The rules are those of the account API (`DirectoryOperation.needsProof`): what
    /// could take the account away needs a recent one, and every factor that the account has.
    ///
    /// - Parameter action: The button of a form; nil: the page is shown, and a user of a recovery code may add a method.
    func neededProof(of caller: DirectoryCaller, for action: String? = nil, now: Date) -> NeededProof? {
        switch self {
        case .overview, .data, .sessions, .copy, .ended: nil
        case .methods:
            caller.neededProof(
                isFresh: true,
                adding: action.map { ["add", "add-app", "add-phone", "add-passkey", "connect"].contains($0) } ?? true,
                now: now)
        case .email, .deletion: caller.neededProof(isFresh: true, now: now)
        // The current password is a proof, but no second factor; a first password has none.
        case .password: caller.neededProof(isFresh: caller.account.passwordHash == nil, now: now)
        }
    }
}

/// What a form of the account page carries besides the user's answers. It is of use in one browser, for one session.
struct AccountForm: Sendable {
    var action: String
    var token: String
    var session: String
    var user: String
    /// A random text: only a request that was sent twice has it twice.
    var once: String?

    /// What its token is made of.
    static func parts(_ part: AccountPart, session: String, user: String, browser: String) -> [String] {
        ["account", part.rawValue, session, user, browser]
    }

    var hidden: HTML {
        """
        <input type="hidden" name=".form" value="\(token)"><input type="hidden" name=".session" value="\(session)">\
        <input type="hidden" name=".user" value="\(user)">\
        \(once.map { "<input type=\"hidden\" name=\".once\" value=\"\($0)\">" })
        """
    }

    func callAsFunction(_ content: HTML) -> HTML {
        "<form method=\"post\" action=\"\(action)\">\(hidden)\(content)</form>"
    }
}

/// What the pages of an account show.
struct AccountView: Sendable {
    var caller: DirectoryCaller
    var profile: UserProfile
    /// On the page of the sessions.
    var sessions: [SessionSummary] = []
    /// The remembered devices, with the names of their applications, and whether one is this browser; on the page of the sessions.
    var devices: [(device: RememberedDevice, application: String, isCurrent: Bool)] = []
    /// What the user allowed applications of other organisations, with their names; there, too.
    var consents: [(client: ClientID, name: String)] = []
    /// New recovery codes, which the page of the methods shows once.
    var codes: [RecoveryCode] = []
    /// Whether a telephone can be added.
    var takesTexts = false
    /// Whether a passkey can be added.
    var offersPasskeys = false
    /// The providers whose accounts can be connected.
    var providers: [IdentityProvider] = []
    /// What the user may change. A value can be required: then it stays, but a user who has none need not give one.
    var attributes: [AttributeDefinition] {
        caller.changeableAttributes.map { attribute in
            var attribute = attribute
            if value(of: attribute).isEmpty { attribute.isRequired = false }
            return attribute
        }
    }

    /// The value of an attribute, as a form writes it.
    func value(of attribute: AttributeDefinition) -> String {
        if attribute.name == AttributeDefinition.aliasName { return profile.user.alias ?? "" }
        return switch profile.user.attributes[attribute.name] {
        case nil: ""
        case .string(let text)?: text
        case .integer(let number)?: "\(number)"
        case .boolean(let flag)?: flag ? "1" : ""
        }
    }

    /// The changes that a form asks for. What the user left as it was is not judged again.
    func changes(_ value: (String) throws -> String) rethrows -> [ProfileChange] {
        try attributes.compactMap { attribute in
            let text = String(try value(attribute.name)[...].trimmingBlanks())
            guard text != self.value(of: attribute) else { return nil }
            let content: ProfileChange.Content =
                switch attribute.type {
                case .boolean: .value(.boolean(text == "1"))
                case .integer where !text.isEmpty: Int(text).map { .value(.integer($0)) } ?? .unusable
                case .string where !text.isEmpty: .value(.string(text))
                case .integer, .string: .remove
                }
            return ProfileChange(attribute.name, content)
        }
    }
}
