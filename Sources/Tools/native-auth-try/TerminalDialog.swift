import NativeAuth
import NativeAuthCore
import PortableFoundation

/// A conversation on a screen.
struct TerminalDialog: TryDialog {
    /// The attributes that every user is asked for; others can be added.
    private static let usual = ["country", "city"]

    let keyboard: any Keyboard

    // MARK: Facts

    func introduce(_ place: TryPlace) {
        say(Terminal.styled("Native authentication, as a user of your app sees it", .bold))
        say("")
        say(
            "  server  \(place.baseURL)"
                + (place.ownData != nil ? Terminal.styled("  (yours, while this runs)", .dim) : ""))
        say("  tenant  \(place.tenant)")
        if let inbox = place.inbox {
            say("  inbox   \(inbox.page)" + Terminal.styled("  (codes arrive here)", .dim))
        }
        guard keyboard.canMend else { return }
        say("")
        say(Terminal.styled("Ctrl-D leaves at any time.", .dim))
    }

    func begin(_ title: String) {
        say("")
        say(Terminal.styled(title, .bold))
    }

    func note(_ sentence: String) {
        for line in Self.wrapped(Terminal.harmless(sentence)) { say(line) }
    }

    func show(_ rows: [(name: String, value: String)]) {
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows {
            say("  " + row.name + String(repeating: " ", count: width - row.name.count + 2) + row.value)
        }
    }

    func codeSent(_ code: SentCode, isResend: Bool, _ place: TryPlace) {
        guard !code.isKept else { return say("Type one of the recovery codes that you kept. Each works once.") }
        guard !code.isOfApp else {
            return say(
                "Open your authenticator app: it shows a code of \(code.length) digits, and a new one every 30 seconds."
            )
        }
        let way =
            code.channel == "email"
            ? "by e-mail" : code.isText ? "by text message" : "by \(Terminal.harmless(code.channel))"
        say(
            "\(isResend ? "A new code" : "A code") of \(code.length) digits is on its way to "
                + Terminal.styled(Terminal.harmless(code.sentTo), .bold) + " \(way).")
        if isResend { say("The code before it is worthless now.") }
        if let interval = code.resendInterval, interval > 0 { say("Another one can be had in \(interval) seconds.") }
        if let inbox = place.inbox { say("Read it at \(inbox.page)") }
    }

    func codeTaken() {
        say("The code was taken from the inbox.")
    }

    func refused(_ sentence: String) throws(TryEnd) {
        guard keyboard.canMend else { throw .failed(sentence) }
        complain(sentence)
    }

    func signedIn(_ account: Account, _ how: SignedIn) {
        let name = Terminal.harmless(account.username)
        let sentence =
            switch how {
            case .afterSignUp: "Signed up, and signed in as \(name)."
            case .afterSignIn: "Signed in as \(name)."
            case .afterReset: "Signed in as \(name); the reset was proof enough."
            }
        for line in Self.wrapped(sentence) { say(Terminal.styled(line, .green)) }
    }

    // MARK: The menu

    /// Asks what to do next.
    func menu(_ offered: [TryChoice], of account: Account?) async throws(TryEnd) -> TryChoice {
        let who = account.map { "\(Terminal.harmless($0.username)) is signed in." } ?? "No user is signed in."
        begin("\(who) What next?")
        for (number, choice) in TryChoice.numbered(offered) { say("  \(number)  \(choice.title)") }
        while true {
            let answer = try await ask(.menu, "Number").trimmed
            if let choice = TryChoice.named(answer, of: offered) { return choice }
            try refused("Type a number of the list, such as 1.")
        }
    }

    func farewell(_ place: TryPlace) {
        guard let folder = place.ownData else { return }
        say("")
        say(
            Terminal.styled(
                "Accounts stay in \(folder); “native-auth serve --data \(folder)” has them too.", .dim))
    }

    // MARK: Questions

    func fill(_ form: SignUpForm, asking questions: Set<SignUpForm.Question>) async throws(TryEnd) -> SignUpForm {
        var form = form
        if questions.contains(.email) {
            // When the alias is also asked for, the address may be right already.
            form.email = try await email(keeping: keyboard.canMend && questions.contains(.alias) ? form.email : "")
        }
        if questions.contains(.password) {
            let password = try await ask(
                .optionalPassword, "Password", hint: "Enter: none, a code by mail will do", isHidden: true)
            form.password = password.isEmpty ? nil : Secret(password)
        }
        if questions.contains(.alias) {
            let alias = try await ask(.alias, "Alias", hint: "a second name to sign in with; Enter: none").trimmed
            form.alias = alias.isEmpty ? nil : alias
        }
        if questions.contains(.attributes) {
            form.attributes = [:]
            for name in Self.usual { try await askAttribute(name, &form) }
            try await askMore(&form)
        }
        for case .attribute(let name) in questions.sorted(by: { "\($0)" < "\($1)" }) {
            try await askAttribute(name, &form)
        }
        return form
    }

    func username() async throws(TryEnd) -> String {
        let name = try await ask(
            .username, "E-mail, alias or telephone number", hint: keyboard.canMend ? "Enter: back" : ""
        ).trimmed
        if name.isEmpty { throw .back }
        return name
    }

    func password(_ kind: PasswordKind, isFirst: Bool) async throws(TryEnd) -> Secret<String> {
        let rules = "8 characters or more, of three kinds (lower-case letters, capitals, digits, symbols)."
        switch kind {
        case .chosen:
            if isFirst { note("The server wants a password: \(rules)") }
            while true {
                let password = try await ask(.password, "Password", isHidden: true)
                if !password.isEmpty { return Secret(password) }
                try refused("This app needs a password.")
            }
        case .own(let username):
            return try await unlessEmpty(.ownPassword, "Password of \(Terminal.harmless(username))")
        case .new:
            if isFirst { note("Choose a new password: \(rules)") }
            return try await unlessEmpty(.newPassword, "New password")
        }
    }

    private func unlessEmpty(_ question: TryQuestion, _ text: String) async throws(TryEnd) -> Secret<String> {
        let hint = keyboard.canMend ? "Enter: back" : ""
        let password = try await ask(question, text, hint: hint, isHidden: true)
        if password.isEmpty { throw .back }
        return Secret(password)
    }

    func attributes(
        _ required: [RequiredAttribute], _ form: SignUpForm
    ) async throws(TryEnd) -> [String: AttributeValue] {
        say("The server wants to know more:")
        var values: [String: AttributeValue] = [:]
        for attribute in required { values[attribute.name] = try await value(of: attribute) }
        return values
    }

    func code(_ sent: SentCode) async throws(TryEnd) -> CodeAnswer {
        let answer = try await ask(.code, "Code", hint: "r: send a new one, b: back") { answer in
            let digits = answer.filter { !$0.isWhitespace }
            return ["r", "b"].contains(digits.lowercased()) ? nil : TryWords.hint(for: digits, sent)
        }.filter { !$0.isWhitespace }
        switch answer.lowercased() {
        case "r": return .resend
        case "b": throw .back
        case _: return .code(Secret(answer))
        }
    }

    func method(from methods: [AuthMethod]) async throws(TryEnd) -> AuthMethod {
        guard methods.count > 1 else { return methods[0] }
        return methods[try await choice("Which method", of: methods.map(TryWords.words(for:)))]
    }

    func contact(for method: AuthMethod) async throws(TryEnd) -> String {
        let proposal = method.loginHint ?? ""
        let isEmail = method.channel == "email"
        let hint = proposal.isEmpty ? "b: back" : "Enter: \(Terminal.harmless(proposal)); b: back"
        let answer = try await ask(.contact, isEmail ? "E-mail for codes" : "Number for codes", hint: hint) { answer in
            let contact = answer.isEmpty ? proposal : answer
            return isEmail && answer.lowercased() != "b" ? TryWords.hint(forEmail: contact) : nil
        }
        if answer.lowercased() == "b" { throw .back }
        return answer.isEmpty ? proposal : answer
    }

    /// Asks for one of `options`; the first one unless another is chosen.
    ///
    /// - Returns: Its position.
    func choice(_ question: String, of options: [String]) async throws(TryEnd) -> Int {
        for (index, option) in options.enumerated() { say("  \(index + 1)  \(option)") }
        while true {
            let answer = try await ask(.choice, question, hint: "Enter: 1; b: back").trimmed.lowercased()
            if answer.isEmpty { return 0 }
            if answer == "b" { throw .back }
            if let number = Int(answer), (1...options.count).contains(number) { return number - 1 }
            try refused("Type a number from 1 to \(options.count).")
        }
    }

    func consents(to question: String, isUsual: Bool) async throws(TryEnd) -> Bool {
        let hint = isUsual ? "Enter: yes; n: no" : "y: yes; Enter: no"
        while true {
            let answer = try await ask(isUsual ? .consent : .wish, question, hint: hint).trimmed.lowercased()
            switch answer {
            case "": return isUsual
            case "y", "yes": return true
            case "n", "no", "b": return false
            case _: try refused("Type y or n.")
            }
        }
    }

    func newNumber() async throws(TryEnd) -> String {
        let number = try await ask(.newNumber, "Telephone number", hint: "such as +15555550123; Enter: back").trimmed
        if number.isEmpty { throw .back }
        return number
    }

    func address(_ question: String) async throws(TryEnd) -> String {
        let address = try await ask(.newAddress, question, hint: "Enter: back") {
            ["", "b"].contains($0) ? nil : TryWords.hint(forEmail: $0)
        }
        if ["", "b"].contains(address) { throw .back }
        return address
    }

    func consentsToDeletion(of name: String) async throws(TryEnd) -> Bool {
        note("This deletes the account of \(name) and everything in it, on all devices.")
        return try await ask(.deletion, "Type “delete” to go on", hint: "Enter: back").trimmed.lowercased() == "delete"
    }

    func print(_ text: String) {
        for line in text.split(separator: "\n") { say("  " + Terminal.harmless(String(line))) }
    }

    func pause(_ invitation: String) async throws(TryEnd) {
        let answer = try await ask(.pause, invitation, hint: "b: back").trimmed
        if answer.lowercased() == "b" { throw .back }
    }

    private func email(keeping kept: String) async throws(TryEnd) -> String {
        let hint = kept.isEmpty ? (keyboard.canMend ? "Enter: back" : "") : "Enter: \(kept)"
        let email = try await ask(.email, "E-mail", hint: hint) { $0.isEmpty ? nil : TryWords.hint(forEmail: $0) }
        if email.isEmpty, kept.isEmpty { throw .back }
        return email.isEmpty ? kept : email
    }

    private func askAttribute(_ name: String, _ form: inout SignUpForm) async throws(TryEnd) {
        let value = try await ask(.optionalAttribute(name), Terminal.harmless(Self.label(name)), hint: "Enter: skip")
            .trimmed
        form.attributes[name] = value.isEmpty ? nil : value
    }

    private func askMore(_ form: inout SignUpForm) async throws(TryEnd) {
        while true {
            let answer = try await ask(
                .moreAttributes, "Another attribute", hint: "such as givenName=Dana; Enter: go on"
            ).trimmed
            if answer.isEmpty { return }
            guard let (name, value) = Self.attribute(answer) else {
                try refused("An attribute is a name, an equals sign and a value.")
                continue
            }
            form.attributes[name] = value
        }
    }

    private func value(of attribute: RequiredAttribute) async throws(TryEnd) -> AttributeValue? {
        let type = TryWords.words(forType: attribute.type)
        let rule = attribute.regex.map { ", must match \(Terminal.harmless($0))" } ?? ""
        let hint = type + rule + (attribute.isRequired ? "" : "; Enter: skip")
        let answer = try await ask(
            .attribute(attribute.name), Terminal.harmless(Self.label(attribute.name)), hint: hint
        ) { answer in
            attribute.hint(for: TryWords.value(answer, type: attribute.type)).map(TryWords.sentence(for:))
        }
        return answer.isEmpty ? nil : TryWords.value(answer, type: attribute.type)
    }

    /// Parses `name=value`; nil for other text.
    static func attribute(_ text: String) -> (name: String, value: String)? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first.map({ String($0).trimmed }), !name.isEmpty else { return nil }
        return (name, String(parts[1]).trimmed)
    }

    /// `Country` for `country`, `Alias` for the alias's technical name; others unchanged.
    private static func label(_ name: String) -> String {
        if name == AttributeName.flatUsername { return "Alias" }
        return usual.contains(name) ? name.prefix(1).uppercased() + name.dropFirst() : name
    }

    private func ask(
        _ question: TryQuestion, _ text: String, hint: String = "", isHidden: Bool = false
    ) async throws(TryEnd) -> String {
        let prompt =
            Terminal.styled(text, .bold) + (hint.isEmpty ? "" : Terminal.styled(" (\(hint))", .dim)) + ": "
        return try await keyboard.answer(to: question, prompt: prompt, isHidden: isHidden)
    }

    /// Asks until the answer has no possible mistake, or the user confirms it with Enter: the server decides.
    ///
    /// - Parameter doubt: The possible mistake in an answer.
    private func ask(
        _ question: TryQuestion, _ text: String, hint: String, doubt: (String) -> String?
    ) async throws(TryEnd) -> String {
        var doubted = ""
        while true {
            let insisting = doubted.isEmpty ? hint : "Enter: \(Terminal.harmless(doubted)) all the same"
            let answer = try await ask(question, text, hint: insisting).trimmed
            if answer.isEmpty, !doubted.isEmpty { return doubted }
            guard let doubt = doubt(answer) else { return answer }
            complain(doubt)
            guard keyboard.canMend else { return answer }
            doubted = answer
        }
    }

    private func complain(_ sentence: String) {
        for line in Self.wrapped(Terminal.harmless(sentence)) { say(Terminal.styled(line, .red)) }
    }

    /// `text` in lines of at most 78 characters; a longer word gets its own line.
    private static func wrapped(_ text: String) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + word.count < 78 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}

extension String {
    /// The text without white space around it.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
