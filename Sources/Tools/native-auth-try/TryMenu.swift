import NativeAuth
import NativeAuthCore
import SoftPasskeys

/// The actions of the sample app. The number of an action is its place among those that are possible; 0 leaves.
enum TryChoice: CaseIterable {
    case signUp, signIn, signInWithPasskey, resetPassword, callAPI, callAPIWithSecondFactor, showAccount, refresh,
        signOut
    case manageAccount, openAccountPage, switchAccount, signInWithBrowser, signInWithProvider, signInStrictly
    case leave

    var title: String {
        switch self {
        case .signUp: "sign up"
        case .signIn: "sign in"
        case .signInWithPasskey: "use a passkey to sign in"
        case .resetPassword: "reset the password"
        case .callAPI: "call an API"
        case .callAPIWithSecondFactor: "call an API that needs a second factor"
        case .showAccount: "show account and tokens"
        case .refresh: "refresh the tokens now"
        case .signOut: "sign out"
        case .switchAccount: "switch account"
        case .manageAccount: "my account: see, change, delete"
        case .openAccountPage: "open my account page in a browser"
        case .signInWithBrowser: "use the server's pages in a browser"
        case .signInWithProvider: "continue with \(TryConversation.providerName), an identity provider"
        case .signInStrictly: "open an app that demands a second factor"
        case .leave: "leave"
        }
    }

    /// The actions with their numbers.
    static func numbered(_ offered: [TryChoice]) -> [(number: Int, choice: TryChoice)] {
        offered.enumerated().map { ($1 == .leave ? 0 : $0 + 1, $1) }
    }

    /// The typed choice, by its number or the beginning of its title; nil when it matches none or several of `offered`.
    static func named(_ text: String, of offered: [TryChoice]) -> TryChoice? {
        let text = text.lowercased()
        if let number = Int(text) { return numbered(offered).first { $0.number == number }?.choice }
        if ["q", "quit", "exit", "bye"].contains(text) { return .leave }
        if let exact = offered.first(where: { $0.title.lowercased() == text }) { return exact }
        let matching = offered.filter { !text.isEmpty && $0.title.lowercased().hasPrefix(text) }
        return matching.count == 1 ? matching[0] : nil
    }
}

extension TryConversation {
    /// Runs the user's choices one after another until the user leaves.
    ///
    /// - Parameters:
    ///   - plan: The values of the command line, used for the first question of each kind.
    ///   - terminal: The user's terminal.
    mutating func converse(_ plan: TryPlan, at terminal: TerminalDialog) async throws(TryEnd) {
        terminal.introduce(place)
        var given = Optional(plan)
        if let flow = plan.flow {
            try await attempt { (conversation) throws(TryEnd) in
                given = nil
                try await conversation.play(flow, plan)
            }
        }
        while true {
            let choice: TryChoice
            do throws(TryEnd) {
                choice = try await terminal.menu(offered, of: account)
            } catch {
                // The end of input also means to leave here.
                guard case .endOfInput = error else { throw error }
                choice = .leave
            }
            if choice == .leave { return terminal.farewell(place) }
            try await attempt { (conversation) throws(TryEnd) in
                let plan = given
                switch choice {
                case .signUp:
                    given = nil
                    try await conversation.signUp(
                        plan?.form ?? SignUpForm(), asking: plan?.questions ?? SignUpForm.Question.all)
                case .signIn:
                    given = nil
                    try await conversation.signIn(
                        SignInForm(username: plan?.username ?? "", password: plan?.form.password))
                case .resetPassword:
                    given = nil
                    try await conversation.resetPassword(username: plan?.username ?? "")
                case .signInWithPasskey: try await conversation.signInWithPasskey()
                case .callAPI: try await conversation.callAPI(withSecondFactor: false)
                case .callAPIWithSecondFactor: try await conversation.callAPI(withSecondFactor: true)
                case .showAccount: try await conversation.showAccount()
                case .refresh: try await conversation.refresh()
                case .signOut: try await conversation.signOut()
                case .switchAccount: try await conversation.switchAccount()
                case .manageAccount: try await conversation.manageAccount()
                case .openAccountPage: try await conversation.openAccountPage()
                case .signInWithBrowser: try await conversation.signInWithBrowser()
                case .signInWithProvider: try await conversation.signInWithProvider()
                case .signInStrictly: try await conversation.signInStrictly(SignInForm())
                case .leave: break
                }
            }
        }
    }

    /// The actions that are possible now.
    private var offered: [TryChoice] {
        let others = place.accounts.filter { $0.homeAccountID != account?.homeAccountID }
        return TryChoice.allCases.filter { choice in
            switch choice {
            case .signUp, .signIn, .resetPassword, .signInWithBrowser, .leave: true
            case .callAPI, .callAPIWithSecondFactor, .showAccount, .refresh, .signOut, .manageAccount, .openAccountPage:
                account != nil
            case .signInWithPasskey: !passkeys.state.credentials.isEmpty
            case .switchAccount: !others.isEmpty
            case .signInWithProvider, .signInStrictly: place.isDevelopmentTenant
            }
        }
    }

    /// Runs `flow`; a flow that ends early returns to the menu.
    private mutating func attempt(
        _ flow: (inout TryConversation) async throws(TryEnd) -> Void
    ) async throws(TryEnd) {
        do throws(TryEnd) {
            try await flow(&self)
        } catch {
            switch error {
            case .back: break
            case .failed(let sentence): try dialog.refused(sentence)
            case .needsBrowser(let sentence, let details):
                dialog.note(sentence)
                guard try await dialog.consents(to: "Go on in a browser?") else { return }
                try await attempt { (conversation) throws(TryEnd) in
                    try await conversation.signInWithBrowser(continuing: details)
                }
            case .endOfInput, .hopeless: throw error
            }
        }
    }

    // MARK: Scripts

    /// Runs a flow from its beginning to its end.
    mutating func play(_ flow: TryFlow, _ plan: TryPlan) async throws(TryEnd) {
        // Ask for everything that a user would be asked for; the plan answers.
        let form = SignInForm(username: plan.isScript ? "" : plan.username)
        switch flow {
        case .signUp: try await signUp(plan.form, asking: plan.questions)
        case .signIn: try await signIn(form)
        case .signInWithSecondFactor:
            try await signIn(form)
            try await callAPI(withSecondFactor: false)
            try await callAPI(withSecondFactor: true)
            try await showAccount()
        case .reset:
            try await resetPassword(username: form.username)
            try await signOut()
            try await signIn(form)
        case .account: try await playAccount(plan)
        case .methods: try await playMethods(plan)
        }
    }

    /// Creates the user that a flow needs, and signs the user out.
    mutating func prepare(for flow: TryFlow, _ plan: TryPlan) async throws(TryEnd) {
        var form = plan.form
        // Here the user gives attributes later, on the account screen.
        if flow == .account { form.attributes = [:] }
        try await signUp(form, asking: [])
        if flow == .signInWithSecondFactor {
            // Proves both factors, and so registers the second one.
            try await signIn(
                SignInForm(
                    username: plan.username, password: plan.form.password, claims: ProtectedAPI.claims(for: "c1")))
        }
        try await signOut()
    }
}
