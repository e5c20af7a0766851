import NIOCore
import Synchronization

/// A scenario of the bench, by its name on the command line.
enum BenchScenario: String, CaseIterable, Sendable {
    case empty
    case discovery
    case otpSignUp = "otp-sign-up"
    case otpSignUpTokens = "otp-sign-up-tokens"
    case passwordSignUp = "password-sign-up"
    case passwordSignIn = "password-sign-in"
    case codeSignIn = "code-sign-in"
    case passkeySignIn = "passkey-sign-in"
    /// A sign-up that registers an authenticator app, and a sign-in with a code by mail and one of the app.
    case appSignUp = "app-sign-up"
    case appSignIn = "app-sign-in"
    case refreshRS256 = "refresh-rs256"
    case refreshES256 = "refresh-es256"
    case mixedDay = "mixed-day"
    /// The first page of the hosted pages, for a browser that has no cookies.
    case page
    case pageSignUp = "page-sign-up"
    /// An authorization request of a browser with a session: a code without a page.
    case authorize
    case authorizeTokens = "authorize-tokens"
    /// Sign-ups with codes, at ten times the server's highest rate.
    case overload

    /// A description of the scenario for the report.
    var title: String {
        switch self {
        case .empty: "empty handler"
        case .discovery: "discovery and key set"
        case .otpSignUp: "sign-up with a code"
        case .otpSignUpTokens: "sign-up with a code, and tokens"
        case .passwordSignUp: "sign-up with code and password"
        case .passwordSignIn: "sign-in with a password"
        case .codeSignIn: "sign-in with a code"
        case .passkeySignIn: "sign-in with a passkey"
        case .appSignUp: "sign-up that registers an app"
        case .appSignIn: "sign-in with a code and an app"
        case .refreshRS256: "refresh, RS256"
        case .refreshES256: "refresh, ES256"
        case .mixedDay: "mixed day"
        case .page: "first page of a sign-in"
        case .pageSignUp: "sign-up with a code on the pages"
        case .authorize: "authorization with a session"
        case .authorizeTokens: "the same, and tokens"
        case .overload: "ten times as many sign-ups"
        }
    }

    /// The accounts that the bench creates before, through the API; nil for none.
    var population: Population? {
        switch self {
        case .empty, .discovery, .otpSignUp, .otpSignUpTokens, .passwordSignUp, .appSignUp, .overload, .page,
            .pageSignUp:
            nil
        case .passwordSignIn: .password
        case .codeSignIn, .refreshRS256, .refreshES256: .code
        case .passkeySignIn: .passkey
        case .appSignIn: .app
        case .mixedDay: .both
        case .authorize, .authorizeTokens: .browser
        }
    }

    /// Whether `Floor` serves the scenario.
    var isOnFloor: Bool {
        switch self {
        case .empty, .otpSignUp, .otpSignUpTokens, .passwordSignUp, .passwordSignIn, .codeSignIn, .refreshRS256,
            .refreshES256:
            true
        case .discovery, .passkeySignIn, .appSignUp, .appSignIn, .mixedDay, .page, .pageSignUp, .authorize,
            .authorizeTokens, .overload:
            false
        }
    }

    enum Population {
        case code
        case password
        case both
        case browser
        case passkey
        case app
    }
}

/// The data that the journeys of a load share: existing accounts, and numbers for new ones.
final class BenchCast: Sendable {
    /// The code of every flow of the server.
    static let code = "24681357"
    static let password = "Kr4ftig-Vinter#82"
    /// The password after a reset; the next reset changes it back.
    static let otherPassword = "Mild-S0mmer#28"
    /// Applications of the development tenant.
    static let codeApp = "00001111-aaaa-2222-bbbb-3333cccc4444"
    static let passwordApp = "11112222-bbbb-3333-cccc-4444dddd5555"

    /// New for every load, so that no address occurs twice.
    private let name: String
    private let next = Atomic(0)
    private let state = Mutex(State())

    private struct State {
        var members: [String] = []
        var codeMembers: [String] = []
        /// Members that only reset their passwords, so that no sign-in uses the old one meanwhile, and whether they
        /// have the other password now. A member is removed from the list during its reset.
        var resetters: [(address: String, hasOther: Bool)] = []
        /// Refresh tokens that no journey is using now.
        var tokens: [String] = []
        /// The fields `Cookie` of browsers with a session.
        var browsers: [String] = []
        var passkeys: [BenchPasskey] = []
        /// Users whose app has a code that was not used.
        var appMembers: [AppMember] = []
    }

    init(_ name: String) {
        self.name = name
    }

    /// An address without an account. Addresses are spread over domains, because a server sends few mails at a time to
    /// one.
    func newcomer() -> String {
        let number = next.add(1, ordering: .relaxed).newValue
        return "\(name)\(number)@\(number % 100).example.com"
    }

    /// Adds a member; one of four becomes a resetter.
    func add(passwordMember address: String) {
        state.withLock { state in
            if state.resetters.count * 3 < state.members.count {
                state.resetters.append((address, false))
            } else {
                state.members.append(address)
            }
        }
    }
    func add(resetter address: String, hasOther: Bool) { state.withLock { $0.resetters.append((address, hasOther)) } }
    func add(codeMember address: String) { state.withLock { $0.codeMembers.append(address) } }
    func add(browser cookie: String) { state.withLock { $0.browsers.append(cookie) } }
    func add(passkey: BenchPasskey) { state.withLock { $0.passkeys.append(passkey) } }
    func put(appMember: AppMember) { state.withLock { $0.appMembers.append(appMember) } }
    func put(refreshToken: String) { state.withLock { $0.tokens.append(refreshToken) } }

    /// A random member with a password.
    func passwordMember() -> String? { state.withLock { $0.members.randomElement() } }
    /// A random member that signs in with codes.
    func codeMember() -> String? { state.withLock { $0.codeMembers.randomElement() } }
    /// The cookies of a random browser with a session.
    func browser() -> String? { state.withLock { $0.browsers.randomElement() } }
    /// The passkey of a random user.
    func passkey() -> BenchPasskey? { state.withLock { $0.passkeys.randomElement() } }
    /// Takes a member for one reset; the caller puts it back.
    func takeResetter() -> (address: String, hasOther: Bool)? { state.withLock { $0.resetters.popLast() } }
    /// Takes a user of an app for one sign-in.
    func takeAppMember() -> AppMember? { state.withLock { $0.appMembers.popLast() } }
    /// Takes a token for one use; the caller puts its successor back.
    func takeRefreshToken() -> String? { state.withLock { $0.tokens.popLast() } }
}

/// Makes journeys of a scenario.
struct JourneyMaker: Sendable {
    let scenario: BenchScenario
    let cast: BenchCast

    func callAsFunction() -> any Journey {
        switch scenario {
        case .empty: Paths(paths: [("empty", "/empty")])
        case .discovery:
            Paths(paths: [
                ("discovery", "/contoso/v2.0/.well-known/openid-configuration"),
                ("key set", "/contoso/discovery/v2.0/keys"),
            ])
        case .otpSignUp, .overload: SignUpJourney(cast: cast, wantsTokens: false)
        case .otpSignUpTokens: SignUpJourney(cast: cast, wantsTokens: true)
        case .passwordSignUp: SignUpJourney(cast: cast, hasPassword: true, wantsTokens: false)
        case .passwordSignIn: SignInJourney(cast: cast, hasPassword: true)
        case .codeSignIn: SignInJourney(cast: cast, hasPassword: false)
        case .passkeySignIn: PasskeySignInJourney(cast: cast)
        case .appSignUp: AppSignUpJourney(cast: cast)
        case .appSignIn: appSignIn
        case .refreshRS256, .refreshES256: refresh
        case .page: Paths(paths: [("page", PageSignUpJourney.authorize)])
        case .pageSignUp: PageSignUpJourney(cast: cast)
        case .authorize: AuthorizeJourney(cast: cast, wantsTokens: false)
        case .authorizeTokens: AuthorizeJourney(cast: cast, wantsTokens: true)
        case .mixedDay:
            // The mix of journeys of an app in a day: 60 % refresh, 25 % sign-in, 10 % code sign-in, 3 % sign-up, 2 %
            // reset.
            switch Int.random(in: 0..<100) {
            case 0..<60: refresh
            case 60..<85: SignInJourney(cast: cast, hasPassword: true)
            case 85..<95: SignInJourney(cast: cast, hasPassword: false)
            case 95..<98: SignUpJourney(cast: cast, wantsTokens: true)
            case _: reset
            }
        }
    }

    // At a fixed rate a machine that stalls leaves all tokens, or all members, in use. A newcomer then brings another one.

    private var appSignIn: any Journey {
        cast.takeAppMember().map { AppSignInJourney(cast: cast, member: $0) } ?? AppSignUpJourney(cast: cast)
    }

    private var refresh: any Journey {
        cast.takeRefreshToken().map { RefreshJourney(cast: cast, token: $0) }
            ?? SignUpJourney(cast: cast, wantsTokens: true)
    }

    private var reset: any Journey {
        cast.takeResetter().map { ResetJourney(cast: cast, person: $0) } ?? SignUpJourney(cast: cast, wantsTokens: true)
    }
}

/// Requests documents, one after another.
struct Paths: Journey {
    let paths: [(step: String, path: String)]
    private var position = 0

    init(paths: [(step: String, path: String)]) {
        self.paths = paths
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        if let reply, reply.status != 200 { throw JourneyFailure(text: "\(paths[position - 1].step): \(reply.status)") }
        guard position < paths.count else { return nil }
        defer { position += 1 }
        return LoadRequest(step: paths[position].step, path: paths[position].path, form: nil)
    }
}

/// Start, challenge, continue with the code, and optionally a token.
struct SignUpJourney: Journey {
    let cast: BenchCast
    var hasPassword = false
    let wantsTokens: Bool
    private var step = 0
    private let address: String

    init(cast: BenchCast, hasPassword: Bool = false, wantsTokens: Bool) {
        self.cast = cast
        self.hasPassword = hasPassword
        self.wantsTokens = wantsTokens
        address = cast.newcomer()
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        let token = try reply.map { reply throws(JourneyFailure) in try Self.token(of: reply, "sign-up step \(step)") }
        defer { step += 1 }
        let app = hasPassword ? BenchCast.passwordApp : BenchCast.codeApp
        switch step {
        case 0:
            let password = hasPassword ? "&password=\(BenchCast.password.replacing("#", with: "%23"))" : ""
            return LoadRequest(
                step: "sign-up start", path: "/contoso/signup/v1.0/start",
                form: "client_id=\(app)&username=\(address)&challenge_type=oob%20password%20redirect\(password)")
        case 1:
            return LoadRequest(
                step: "sign-up challenge", path: "/contoso/signup/v1.0/challenge",
                form: "client_id=\(app)&challenge_type=oob%20password%20redirect&continuation_token=\(token ?? "")")
        case 2:
            return LoadRequest(
                step: "sign-up continue", path: "/contoso/signup/v1.0/continue",
                form: "client_id=\(app)&grant_type=oob&oob=\(BenchCast.code)&continuation_token=\(token ?? "")")
        case 3 where wantsTokens:
            return LoadRequest(
                step: "token after sign-up", path: "/contoso/oauth2/v2.0/token",
                form: """
                    client_id=\(app)&grant_type=continuation_token&username=\(address)&scope=openid%20offline_access\
                    &continuation_token=\(token ?? "")
                    """)
        case _:
            if wantsTokens, let refresh = reply?.text("refresh_token") { cast.put(refreshToken: refresh) }
            if hasPassword { cast.add(passwordMember: address) } else { cast.add(codeMember: address) }
            return nil
        }
    }

    /// The continuation token for the next request; throws without one.
    static func token(of reply: LoadReply, _ what: String) throws(JourneyFailure) -> String {
        if reply.status == 200, let token = reply.text("continuation_token") { return token }
        if reply.status == 200, reply.text("access_token") != nil { return "" }
        throw JourneyFailure(text: "\(what): \(reply.status) \(String(buffer: reply.body).prefix(200))")
    }
}

/// Initiate, challenge, and token, with password or code.
struct SignInJourney: Journey {
    let cast: BenchCast
    let hasPassword: Bool
    private var step = 0

    init(cast: BenchCast, hasPassword: Bool) {
        self.cast = cast
        self.hasPassword = hasPassword
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        let token = try reply.map { reply throws(JourneyFailure) in
            try SignUpJourney.token(of: reply, "sign-in step \(step)")
        }
        defer { step += 1 }
        let app = hasPassword ? BenchCast.passwordApp : BenchCast.codeApp
        switch step {
        case 0:
            guard let address = hasPassword ? cast.passwordMember() : cast.codeMember() else {
                throw JourneyFailure(text: "there is no user to sign in")
            }
            return LoadRequest(
                step: "sign-in initiate", path: "/contoso/oauth2/v2.0/initiate",
                form: "client_id=\(app)&username=\(address)&challenge_type=oob%20password%20redirect")
        case 1:
            return LoadRequest(
                step: "sign-in challenge", path: "/contoso/oauth2/v2.0/challenge",
                form: "client_id=\(app)&challenge_type=oob%20password%20redirect&continuation_token=\(token ?? "")")
        case 2:
            let proof =
                hasPassword
                ? "grant_type=password&password=\(BenchCast.password.replacing("#", with: "%23"))"
                : "grant_type=oob&oob=\(BenchCast.code)"
            return LoadRequest(
                step: hasPassword ? "token by password" : "token by code", path: "/contoso/oauth2/v2.0/token",
                form: "client_id=\(app)&\(proof)&scope=openid%20offline_access&continuation_token=\(token ?? "")")
        case _: return nil
        }
    }
}

/// Start, challenge, continue with the code, the new password, and a poll for the result.
struct ResetJourney: Journey {
    let cast: BenchCast
    private var step = 0
    private let person: (address: String, hasOther: Bool)

    init(cast: BenchCast, person: (address: String, hasOther: Bool)) {
        self.cast = cast
        self.person = person
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        let token = try reply.map { reply throws(JourneyFailure) in
            try SignUpJourney.token(of: reply, "reset step \(step)")
        }
        defer { step += 1 }
        let steps = ["start", "challenge", "continue", "submit", "poll_completion"]
        guard step < steps.count else {
            cast.add(resetter: person.address, hasOther: !person.hasOther)
            return nil
        }
        var fields = ["client_id=\(BenchCast.passwordApp)"]
        switch step {
        case 0:
            fields += ["username=\(person.address)", "challenge_type=oob%20password%20redirect"]
        case 1: fields.append("challenge_type=oob%20password%20redirect")
        case 2: fields += ["grant_type=oob", "oob=\(BenchCast.code)"]
        case 3:
            let password = person.hasOther ? BenchCast.password : BenchCast.otherPassword
            fields.append("new_password=\(password.replacing("#", with: "%23"))")
        case _: break
        }
        if let token { fields.append("continuation_token=\(token)") }
        return LoadRequest(
            step: "reset \(steps[step])", path: "/contoso/resetpassword/v1.0/\(steps[step])",
            form: fields.joined(separator: "&"))
    }
}

/// One use of a refresh token; its successor is kept for the next one.
struct RefreshJourney: Journey {
    let cast: BenchCast
    /// Taken from the cast; its successor is put back.
    let token: String

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        if let reply {
            guard reply.status == 200, let token = reply.text("refresh_token") else {
                throw JourneyFailure(text: "refresh: \(reply.status) \(String(buffer: reply.body).prefix(200))")
            }
            cast.put(refreshToken: token)
            return nil
        }
        return LoadRequest(
            step: "refresh", path: "/contoso/oauth2/v2.0/token",
            form:
                "client_id=\(BenchCast.codeApp)&grant_type=refresh_token&scope=openid%20offline_access&refresh_token=\(token)"
        )
    }
}
