import NativeAuth
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// What a user can do on the account screen. The number of each action is its place in the list.
private enum AccountAction: CaseIterable {
    case profile, password, email, method, phone, app, passkey, identity, recoveryCodes, removeMethods, sessions,
        devices, copy, delete

    func title(hasPassword: Bool) -> String {
        switch self {
        case .profile: "change the profile"
        case .password: hasPassword ? "change the password" : "choose a password (there is none)"
        case .email: "change the e-mail address"
        case .method: "add an address as a second factor"
        case .phone: "add a telephone as a second factor"
        case .app: "add an authenticator app as a second factor"
        case .passkey: "add a passkey"
        case .identity: "connect \(TryConversation.providerName), or disconnect it"
        case .recoveryCodes: "make recovery codes, for the loss of the second factor"
        case .removeMethods: "remove all methods of the second factor"
        case .sessions: "sign out all other devices"
        case .devices: "ask for the second factor on every device again"
        case .copy: "a copy of my data"
        case .delete: "delete the account"
        }
    }
}

/// The account screen: what the user can see and change of the own account.
extension TryConversation {
    /// Shows the account and asks what to do, until the user goes back or is signed out.
    mutating func manageAccount() async throws(TryEnd) {
        var isFirst = true
        while account != nil {
            dialog.begin("My account")
            let hasPassword = try await overview(offersToKeep: isFirst)
            isFirst = false
            guard account != nil else { return }
            let titles = AccountAction.allCases.map { $0.title(hasPassword: hasPassword) }
            let chosen = try await dialog.choice("What", of: titles)
            do throws(TryEnd) {
                try await act(AccountAction.allCases[chosen], hasPassword: hasPassword)
            } catch {
                switch error {
                case .back: break
                case .failed(let sentence): try dialog.refused(sentence)
                case .endOfInput, .hopeless, .needsBrowser: throw error
                }
            }
        }
    }

    private mutating func act(_ action: AccountAction, hasPassword: Bool) async throws(TryEnd) {
        guard let account else { return }
        switch action {
        case .profile: try await changeProfile(of: account)
        case .password: try await changePassword(of: account, hasPassword: hasPassword)
        case .email: try await changeEmail(of: account)
        case .method:
            guard hasPassword else {
                return dialog.note("A second factor stands beside a password, and this account has none.")
            }
            try await addMethod(to: account)
        case .phone: try await addPhone(to: account)
        case .app: try await addApp(to: account)
        case .passkey: try await addPasskey(to: account)
        case .identity: try await changeIdentity(of: account)
        case .recoveryCodes: try await makeRecoveryCodes(of: account)
        case .removeMethods: try await removeMethods(of: account)
        case .sessions: try await endOtherSessions(of: account)
        case .devices: try await forgetDevices(of: account)
        case .copy: try await printCopy(of: account)
        case .delete: try await delete(account)
        }
    }

    /// A user who looks at everything, changes the city and the address, and deletes the account.
    mutating func playAccount(_ plan: TryPlan) async throws(TryEnd) {
        try await signIn(SignInForm(username: plan.username, password: plan.form.password))
        dialog.begin("My account")
        let hasPassword = try await overview(offersToKeep: true)
        for action in [AccountAction.profile, .email, .sessions, .copy, .delete] {
            let title = action.title(hasPassword: hasPassword)
            dialog.begin(title.prefix(1).uppercased() + title.dropFirst())
            try await act(action, hasPassword: hasPassword)
        }
    }

    /// A user who adds each kind of method, and signs in with each that can begin a sign-in.
    mutating func playMethods(_ plan: TryPlan) async throws(TryEnd) {
        let form = SignInForm(username: plan.username, password: plan.form.password)
        try await signIn(form)
        try await playActions([.phone])
        try await signOut()
        // Once with the second factor, and once without it: the device is remembered.
        try await signInStrictly(form)
        try await signOut()
        try await signInStrictly(form)
        try await showOverview()
        try await playActions([.app, .recoveryCodes, .passkey, .identity])
        try await showOverview()
        try await signOut()
        try await signInWithPasskey()
        try await callAPI(withSecondFactor: true)
        try await signOut()
        try await signInWithProvider(email: plan.username)
        try await signOut()
        try await signIn(SignInForm(username: phone ?? ""), titled: "Sign in with the telephone number")
    }

    private mutating func playActions(_ actions: [AccountAction]) async throws(TryEnd) {
        for action in actions {
            let title = action.title(hasPassword: true)
            dialog.begin(title.prefix(1).uppercased() + title.dropFirst())
            try await act(action, hasPassword: true)
        }
    }

    private mutating func showOverview() async throws(TryEnd) {
        dialog.begin("My account")
        _ = try await overview(offersToKeep: false)
    }

    // MARK: To see

    /// Shows the profile, the methods and the sessions.
    ///
    /// - Parameter offersToKeep: Whether to ask about an account that will be deleted.
    /// - Returns: Whether the account has a password, as far as known.
    private mutating func overview(offersToKeep: Bool) async throws(TryEnd) -> Bool {
        guard let account else { return true }
        let members = ["displayName", "city", "country", "mail", "nativeAuthDeletionDueDateTime"]
        guard
            let profile = try await call({ () async throws(AccountError) in
                try await account.profile(selecting: members)
            })
        else { return true }
        dialog.show(
            members.dropLast().map { (name: $0, value: Terminal.harmless(profile.members[$0]?.string ?? "not set")) })
        guard let methods = try await call({ () async throws(AccountError) in try await account.methods() }),
            let sessions = try await call({ () async throws(AccountError) in try await account.sessions() }),
            let devices = try await call({ () async throws(AccountError) in try await account.rememberedDevices() })
        else { return true }
        var rows = methods.map(Self.row)
        let hasSecond = methods.contains { $0.kind != .password }
        if hasSecond,
            let codes = try await call({ () async throws(AccountError) in try await account.recoveryCodes() }),
            codes.madeAt != nil
        {
            let advice =
                switch codes.renewal {
                case .notNeeded: ""
                case .suggested: ", few: make new ones"
                case .demanded: ": make new ones now"
                }
            rows.append(("method", "recovery codes, \(codes.remaining) left\(advice)"))
        }
        dialog.show(rows + sessions.map(Self.row) + devices.map(Self.row))
        let hasPassword = methods.contains { $0.kind == .password }
        guard let due = profile.deletionDueAt else { return hasPassword }
        dialog.note("This account will be deleted on \(due.formatted(.iso8601)).")
        if offersToKeep, try await dialog.consents(to: "Keep it?"),
            try await call({ () async throws(AccountError) in try await account.keep() }) != nil
        {
            dialog.note("The account stays.")
        }
        return hasPassword
    }

    private static func row(_ method: AccountMethod) -> (name: String, value: String) {
        switch method.kind {
        case .password: ("method", "password")
        case .email: ("method", "e-mail to \(Terminal.harmless(method.maskedAddress ?? ""))")
        case .phone:
            (
                "method",
                "text message to \(Terminal.harmless(method.maskedAddress ?? ""))\(method.signsIn ? ", signs in" : "")"
            )
        case .authenticatorApp:
            ("method", "authenticator app\(method.name.map { " “\(Terminal.harmless($0))”" } ?? "")")
        case .passkey: ("method", "passkey\(method.name.map { " “\(Terminal.harmless($0))”" } ?? "")")
        case .identity: ("method", "account at \(Terminal.harmless(method.name ?? "another service"))")
        case .other(let kind): ("method", Terminal.harmless(kind))
        }
    }

    private static func row(_ session: AccountSession) -> (name: String, value: String) {
        let facts = [
            "in “\(session.applicationName ?? session.applicationID)”", session.deviceModel, session.network,
            session.isCurrent ? "this one" : nil,
        ]
        return ("session", facts.compactMap { $0.map(Terminal.harmless) }.joined(separator: ", "))
    }

    private static func row(_ device: AccountDevice) -> (name: String, value: String) {
        let until = device.endsAt.map { "until \($0.formatted(.iso8601))" }
        let facts = ["no second factor", device.deviceModel, device.network, until]
        return ("device", facts.compactMap { $0.map(Terminal.harmless) }.joined(separator: ", "))
    }

    // MARK: To change

    private mutating func changeProfile(of account: Account) async throws(TryEnd) {
        let form = try await dialog.fill(SignUpForm(), asking: [.attribute("city"), .attribute("displayName")])
        let values = form.attributeValues.mapValues(Optional.some)
        guard !values.isEmpty else { return }
        if try await call({ () async throws(AccountError) in try await account.update(values) }) != nil {
            dialog.note("The profile is changed.")
        }
    }

    private mutating func changePassword(of account: Account, hasPassword: Bool) async throws(TryEnd) {
        let current = try await hasPassword ? dialog.password(.own(username: account.username), isFirst: true) : nil
        let new = try await dialog.password(.new, isFirst: true)
        let changed: Void? = try await call { () async throws(AccountError) in
            try await account.changePassword(from: current?.reveal(), to: new.reveal())
        }
        if changed != nil { dialog.note("The password is changed. All other sessions have ended.") }
    }

    private mutating func changeEmail(of account: Account) async throws(TryEnd) {
        let address = try await dialog.address("New address")
        try await expectCode()
        let step = try await call { () async throws(AccountError) in try await account.changeEmail(to: address) }
        guard let step, try await prove(step, address, of: account) else { return }
        self.account = place.current(account)
        dialog.note("The address is \(address). The old one was told, with a code that takes this back for 7 days.")
    }

    private mutating func addMethod(to account: Account) async throws(TryEnd) {
        let address = try await dialog.address("New address")
        try await expectCode()
        let step = try await call { () async throws(AccountError) in try await account.addMethod(email: address) }
        guard let step, try await prove(step, address, of: account) else { return }
        dialog.note("From now on, codes can also go to \(address).")
    }

    private mutating func addPhone(to account: Account) async throws(TryEnd) {
        // As the server writes it, so that the inbox is asked for the same.
        let number = try await dialog.newNumber().filter { $0 == "+" || $0.isASCII && $0.isNumber }
        try await expectCode()
        let step = try await call { () async throws(AccountError) in
            try await account.addMethod(phoneNumber: number)
        }
        guard let step, try await prove(step, number, of: account) else { return }
        phone = number
        dialog.note("From now on, codes can also go to \(Terminal.harmless(number)).")
    }

    private mutating func addApp(to account: Account) async throws(TryEnd) {
        try await expectCode()
        let next = try await call { () async throws(AccountError) in try await account.addAuthenticatorApp() }
        guard let next else { return }
        let subject = TrySubject(activity: "change", name: account.username)
        switch consume next {
        case .keyRequired(let step): try await confirm(step, subject)
        case .codeRequired(let step):
            let proven = try await enter(step, subject) {
                (step: consuming OwnMailboxCodeRequired, code) async throws(AccountError) in
                try await step.submit(code: code)
            } resend: { (step: consuming OwnMailboxCodeRequired) async throws(AccountError) in
                try await step.resend()
            }
            switch consume proven {
            case .success(let step): try await confirm(step, subject)
            case .failure(let error): try dialog.refused(words(error, subject))
            }
        }
    }

    private mutating func confirm(
        _ first: consuming AuthenticatorAppRequired, _ subject: TrySubject
    ) async throws(TryEnd) {
        show(first.info)
        let added = try await enter(first, subject) {
            (step: consuming AuthenticatorAppRequired, code) async throws(AccountError) in
            try await step.submit(code: code)
        } resend: { (step: consuming AuthenticatorAppRequired) async throws(AccountError) in
            .next(step)
        }
        switch consume added {
        case .success: dialog.note("From now on, the app shows codes for your sign-ins.")
        case .failure(let error): try dialog.refused(words(error, subject))
        }
    }

    private mutating func makeRecoveryCodes(of account: Account) async throws(TryEnd) {
        let made = try await call { () async throws(AccountError) in try await account.makeRecoveryCodes() }
        guard let made else { return }
        dialog.note("Keep these codes in a safe place: they are shown only now. Each works once.")
        dialog.show(made.codes.enumerated().map { (name: "\($0.offset + 1)", value: Terminal.harmless($0.element)) })
    }

    /// Asks for the codes of a step: of the new mailbox, and after a sign-in with the password alone of the own one first.
    ///
    /// - Returns: False when the server has ended the change.
    private mutating func prove(
        _ first: consuming ContactCodeRequired, _ address: String, of account: Account
    ) async throws(TryEnd) -> Bool {
        var step = first
        var subject = TrySubject(activity: "change", name: address)
        if !InboxReader.fits(address, step.info.sentTo) { subject.name = account.username }
        while true {
            let next = try await enter(step, subject) {
                (step: consuming ContactCodeRequired, code) async throws(AccountError) in
                try await step.submit(code: code)
            } resend: { (step: consuming ContactCodeRequired) async throws(AccountError) in
                try await step.resend()
            }
            switch consume next {
            case .success(.completed): return true
            case .success(.codeRequired(let second)):
                dialog.note(
                    "That is your mailbox. Now the \(address.hasPrefix("+") ? "code of the telephone" : "new one").")
                subject.name = address
                step = second
            case .failure(let error):
                try dialog.refused(words(error, subject))
                return false
            }
        }
    }

    private mutating func removeMethods(of account: Account) async throws(TryEnd) {
        guard let methods = try await call({ () async throws(AccountError) in try await account.methods() }) else {
            return
        }
        for method in methods where [.email, .phone, .authenticatorApp, .passkey].contains(method.kind) {
            guard try await call({ () async throws(AccountError) in try await account.remove(method) }) != nil else {
                return
            }
            let name = method.kind == .passkey ? "The passkey" : "The authenticator app"
            dialog.note("\(method.maskedAddress ?? name) is removed.")
            if method.kind == .passkey { dialog.note("This terminal still has its copy.") }
        }
    }

    private mutating func endOtherSessions(of account: Account) async throws(TryEnd) {
        if try await call({ () async throws(AccountError) in try await account.endOtherSessions() }) != nil {
            dialog.note("All other devices are signed out.")
        }
    }

    private mutating func forgetDevices(of account: Account) async throws(TryEnd) {
        let devices = try await call { () async throws(AccountError) in try await account.rememberedDevices() }
        guard let devices else { return }
        for device in devices {
            guard try await call({ () async throws(AccountError) in try await account.forget(device) }) != nil else {
                return
            }
        }
        dialog.note(devices.isEmpty ? "No device is remembered." : "Every device asks for the second factor again.")
    }

    private mutating func printCopy(of account: Account) async throws(TryEnd) {
        guard let data = try await call({ () async throws(AccountError) in try await account.export() }) else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let copy = try JSONDecoder().decode(JSONValue.self, from: data)
            dialog.print(String(decoding: try encoder.encode(copy), as: UTF8.self))
        } catch {
            throw .failed("The copy is no JSON.")
        }
    }

    private mutating func delete(_ account: Account) async throws(TryEnd) {
        guard try await dialog.consentsToDeletion(of: account.username) else {
            return dialog.note("The account stays.")
        }
        guard let end = try await call({ () async throws(AccountError) in try await account.delete() }) else { return }
        self.account = nil
        switch end {
        case .deleted: dialog.note("The account is deleted, and you are signed out.")
        case .scheduled(let date):
            dialog.note(
                "The account will be deleted on \(date.formatted(.iso8601)). Sign in before that and choose to keep it."
            )
        }
    }

    // MARK: How

    /// Makes a call; when the server wants a fresh proof first, signs the user in again and repeats the call.
    ///
    /// - Returns: Nil when the server refused, and the user was told why.
    mutating func call<Value: ~Copyable & Sendable>(
        _ call: () async throws(AccountError) -> Value
    ) async throws(TryEnd) -> Value? {
        guard let account else { return nil }
        let subject = TrySubject(activity: "session", name: account.username)
        switch try await begin(subject, call) {
        case .success(let value): return value
        case .failure(.proofRequired(let demand, _)):
            dialog.note("The server wants to know first that it is you. Sign in again.")
            try await expectCode()
            let start = try await begin(subject) { () async throws(SignInError) in
                try await account.signInAgain(for: demand)
            }
            switch try await proceed(from: start, subject) {
            case .success(let account): self.account = account
            case .failure(let error): throw end(error, subject)
            }
            try await expectCode()
            switch try await begin(subject, call) {
            case .success(let value): return value
            case .failure(let error):
                try dialog.refused(words(error, subject))
                return nil
            }
        case .failure(let error):
            if case .signInRequired = error {
                place.client(of: account).signOut(account)
                self.account = nil
            }
            try dialog.refused(words(error, subject))
            return nil
        }
    }
}

extension AccountError: TryFailure {
    var service: ServiceError? { if case .service(let error) = self { error } else { nil } }

    func words(_ subject: TrySubject, _ place: TryPlace) -> String {
        switch self {
        case .signInRequired: "The session of \(subject.shownName) has ended. Sign in again."
        case .secondFactorRequired, .proofRequired: "The server wants a fresh proof for that. Sign in again."
        case .notAllowed(nil, let details) where details.suberror == DirectoryErrorDetail.passwordNotUsed.rawValue:
            "Users of this app sign in with codes; it takes no password."
        case .notAllowed(let name, _): "The server does not allow that\(Self.about(name))."
        case .invalidAttribute(let name, _): "The server does not take that value\(Self.about(name))."
        case .nameTaken: "Another account has this name."
        case .incorrectPassword: "That is not the password of \(subject.shownName)."
        case .invalidPassword(let rule, _): TryWords.sentence(for: rule)
        case .invalidContact: "The server does not take that address or number."
        case .incorrectCode: "That is not the code, or it is too old."
        case .changedMeanwhile: "The account has changed meanwhile. Look again."
        case .notFound: "It is gone already."
        case .lastMethod: "The account needs a second factor, and this is the last one."
        case .expired: "This \(subject.activity) took too long and has ended. Start again."
        case .service(let error): error.words(subject, place)
        }
    }

    private static func about(_ attribute: String?) -> String {
        attribute.map { " (\(Terminal.harmless($0)))" } ?? ""
    }
}
