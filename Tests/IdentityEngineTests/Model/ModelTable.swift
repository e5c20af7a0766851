import IdentityEngine
import PortableFoundation

// The terms of the model: the state of a flow, a client's input, and its result. The table of all three is not written
// anywhere: it is what the exploration has observed.

/// The state of a flow, without its data.
enum StateName: String, Hashable, CaseIterable, Comparable {
    case signUpStarted, signUpAwaitingCode, choosingCredential, signUpAwaitingPassword, awaitingAttributes
    case signUpCompleted
    case resetStarted, resetAwaitingCode, choosingPassword, changed, resetCompleted
    case signInStarted, awaitingPassword, awaitingCode, choosingMethod, awaitingSecondFactor
    case choosingContact, awaitingContactCode, confirmingContact, authenticated

    init(_ state: FlowState) {
        self =
            switch state {
            case .signUp(.started): .signUpStarted
            case .signUp(.awaitingCode): .signUpAwaitingCode
            case .signUp(.choosingCredential): .choosingCredential
            // Hooks are not part of the model: SignUpStateTests has the state in which they are asked.
            case .signUp(.asking): .signUpAwaitingCode
            case .signUp(.awaitingPassword): .signUpAwaitingPassword
            case .signUp(.awaitingAttributes): .awaitingAttributes
            case .signUp(.completed): .signUpCompleted
            case .signIn(.started): .signInStarted
            case .signIn(.awaitingPassword): .awaitingPassword
            case .signIn(.awaitingCode): .awaitingCode
            case .signIn(.choosingMethod): .choosingMethod
            case .signIn(.awaitingSecondFactor): .awaitingSecondFactor
            case .signIn(.choosingContact): .choosingContact
            case .signIn(.awaitingContactCode): .awaitingContactCode
            case .signIn(.confirmingContact): .confirmingContact
            case .signIn(.authenticated): .authenticated
            case .reset(.started): .resetStarted
            case .reset(.awaitingCode): .resetAwaitingCode
            case .reset(.choosingPassword): .choosingPassword
            case .reset(.changed): .changed
            case .reset(.completed): .resetCompleted
            // Passkeys and apps are not part of the model.
            case .signIn(.creatingPasskey), .signIn(.confirmingApp): .choosingContact
            // The flows of a signed-in user are not part of the model.
            case .account, .passkey, .federated: .authenticated
            }
    }

    /// The name in the flow's enum.
    var label: String {
        switch self {
        case .signUpStarted, .resetStarted, .signInStarted: "started"
        case .signUpAwaitingCode, .resetAwaitingCode: "awaitingCode"
        case .signUpAwaitingPassword: "awaitingPassword"
        case .signUpCompleted, .resetCompleted: "completed"
        case .choosingCredential, .awaitingAttributes, .choosingPassword, .changed, .awaitingPassword, .awaitingCode,
            .choosingMethod, .awaitingSecondFactor, .choosingContact, .awaitingContactCode, .confirmingContact,
            .authenticated:
            rawValue
        }
    }

    static func < (one: StateName, other: StateName) -> Bool { one.order < other.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The people's mailboxes: the one of the account, and another one.
enum Mailbox: UInt8, Hashable, CaseIterable {
    case own = 1
    case other = 2

    var email: EmailAddress { self == .own ? SignInStateTests.email : SignInStateTests.contact }

    init?(_ email: EmailAddress) {
        guard let found = Self.allCases.first(where: { $0.email.key == email.key }) else { return nil }
        self = found
    }
}

/// A client's input with a continuation token: the endpoint with its grant, and whether the content is right.
enum Input: Hashable {
    enum Attributes: CaseIterable {
        case some, all, withAlias
    }

    case challenge
    case challengeMethod(Mailbox)
    case code(isRight: Bool, isDemanded: Bool)
    case password(isRight: Bool, isDemanded: Bool)
    case newPassword
    case attributes(Attributes)
    case introspectMethods
    case introspectRegistration
    case challengeContact(Mailbox)
    case contactCode(isRight: Bool)
    case confirmContact
    case poll
    case redeem(isDemanded: Bool)

    static let all: [Input] = {
        let codes = [true, false].flatMap { isRight in
            [true, false].flatMap { isDemanded in
                [
                    Input.code(isRight: isRight, isDemanded: isDemanded),
                    .password(isRight: isRight, isDemanded: isDemanded),
                ]
            }
        }
        let contacts = [true, false].map { Input.contactCode(isRight: $0) }
        let mailboxes = Mailbox.allCases.flatMap { [Input.challengeMethod($0), .challengeContact($0)] }
        return [.challenge, .newPassword, .introspectMethods, .introspectRegistration, .confirmContact, .poll] + codes
            + contacts
            + mailboxes + Attributes.allCases.map { .attributes($0) }
            + [true, false].map { .redeem(isDemanded: $0) }
    }()

    /// The operation of the input in `state`; nil when the flow has no such call.
    func operation(in state: FlowState) -> FlowOperations? {
        switch (state, self) {
        case (.signUp, .challenge): .challengeSignUp
        case (.signUp, .code): .submitSignUpCode
        case (.signUp, .newPassword): .submitSignUpPassword
        case (.signUp, .attributes): .submitSignUpAttributes
        case (.reset, .challenge): .challengeReset
        case (.reset, .code): .submitResetCode
        case (.reset, .newPassword): .submitNewPassword
        case (.reset, .poll): .pollReset
        // The second factor's challenge has the endpoint of the first one's.
        case (.signIn(let state), .challenge): state.draft == nil ? [] : .challengeSignIn
        case (.signIn(let state), .challengeMethod): state.draft == nil ? .challengeSignIn : []
        case (.signIn, .code): [.submitSignInCode, .submitSecondFactor]
        case (.signIn, .password): .submitSignInPassword
        case (.signIn, .introspectMethods): .introspectMethods
        case (.signIn, .introspectRegistration): .introspectRegistration
        case (.signIn, .challengeContact): .challengeContact
        case (.signIn, .contactCode): .submitContactCode
        case (.signIn, .confirmContact): .confirmContact
        case (_, .redeem): .redeem
        case (.signUp, _), (.signIn, _), (.reset, _), (.account, _), (.passkey, _), (.federated, _): nil
        }
    }

    /// The same input with right content.
    var corrected: Input? {
        switch self {
        case .code(isRight: false, let isDemanded): .code(isRight: true, isDemanded: isDemanded)
        case .password(isRight: false, let isDemanded): .password(isRight: true, isDemanded: isDemanded)
        case .contactCode(isRight: false): .contactCode(isRight: true)
        case .code, .password, .contactCode, .challenge, .challengeMethod, .newPassword, .attributes,
            .introspectMethods,
            .introspectRegistration, .challengeContact, .confirmContact, .poll, .redeem:
            nil
        }
    }

    /// Whether the client asks for tokens that need a second factor.
    var isDemanded: Bool {
        switch self {
        case .code(_, let isDemanded), .password(_, let isDemanded), .redeem(let isDemanded): isDemanded
        case .challenge, .challengeMethod, .newPassword, .attributes, .introspectMethods, .introspectRegistration,
            .challengeContact,
            .contactCode, .confirmContact, .poll:
            false
        }
    }
}

/// The answer to a client, without its data.
enum Answer: Hashable {
    enum Interaction: String, Hashable {
        case requestChallenge, proveAddress, chooseCredential, enterPassword, collectAttributes, verifyFirst
        case giveSecondFactor, registerMethod, chooseMethod, proveContact, contactAlreadyProven, choosePassword
        case awaitReset, passwordChanged, signIn, signedIn, revoked, redirectToBrowser
    }

    case accepted(Interaction)
    case refused(Refusal)

    init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .refused(.throttled): .refused(.throttled(retryAfter: 0))
            case .refused(.locked): .refused(.locked(seconds: 0))
            case .refused(.invalidAttributes): .refused(.invalidAttributes([]))
            case .refused(let refusal): .refused(refusal)
            case .accepted(let interaction):
                switch interaction {
                case .requestChallenge: .accepted(.requestChallenge)
                case .proveAddress: .accepted(.proveAddress)
                case .chooseCredential: .accepted(.chooseCredential)
                case .enterPassword: .accepted(.enterPassword)
                case .collectAttributes: .accepted(.collectAttributes)
                case .verifyFirst: .accepted(.verifyFirst)
                case .giveSecondFactor: .accepted(.giveSecondFactor)
                case .registerMethod: .accepted(.registerMethod)
                case .chooseMethod: .accepted(.chooseMethod)
                case .proveContact: .accepted(.proveContact)
                case .contactAlreadyProven: .accepted(.contactAlreadyProven)
                case .choosePassword: .accepted(.choosePassword)
                case .awaitReset: .accepted(.awaitReset)
                case .passwordChanged: .accepted(.passwordChanged)
                case .signIn: .accepted(.signIn)
                case .signedIn, .signedInBrowser, .ticket: .accepted(.signedIn)
                case .revoked, .accountChanged, .enrolApp, .createPasskey, .usePasskey, .useProvider, .linkAccount,
                    .nameMailbox:
                    .accepted(.revoked)
                case .redirectToBrowser: .accepted(.redirectToBrowser)
                }
            }
    }
}

/// The data that a step writes besides its counters.
struct Written: OptionSet, Hashable {
    let rawValue: UInt8
    static let mail = Written(rawValue: 1)
    static let user = Written(rawValue: 2)
    static let password = Written(rawValue: 4)
    static let method = Written(rawValue: 8)
    static let tokens = Written(rawValue: 16)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ effects: [FlowEffect]) {
        self = []
        for effect in effects {
            switch effect {
            case .mailCode, .mailSharedCode, .textCode: insert(.mail)
            case .createUser: insert(.user)
            case .addStrongMethod: insert(.method)
            case .write(.changePassword): insert(.password)
            case .write(.openRefreshFamily), .write(.openBrowserSession): insert(.tokens)
            case .write, .mailNotice, .mailUndo, .record, .count, .forget, .setSlowLane, .setLockout, .clearLockouts,
                .rememberNetwork, .noteVerifiedTexts:
                break
            }
        }
    }
}

/// A line of the table, as observed.
struct TableRow: Hashable {
    enum Journey: String, CaseIterable, Hashable, Sendable {
        case signUp, signIn, reset
    }

    var journey: Journey
    var from: StateName
    var input: Input
    var answer: Answer
    /// Nil: the flow stays where it is, or has ended.
    var to: StateName?
    var hasEnded: Bool
    var written: Written
}
