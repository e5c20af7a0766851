import NativeAuth
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A person at a terminal.
struct TerminalDialog: TryDialog {
    /// The attributes that everybody is asked for; others can be added.
    private static let usual = ["country", "city"]

    func introduce(_ place: TryPlace) {
        say(Terminal.styled("Sign up, as a user of your app would", .bold))
        say("")
        say(
            "  server  \(place.baseURL)"
                + (place.ownData != nil ? Terminal.styled("  (yours, while this runs)", .dim) : ""))
        say("  tenant  \(place.tenant)")
        if let inbox = place.inbox {
            say("  inbox   \(inbox.page)" + Terminal.styled("  (codes arrive here)", .dim))
        }
        say("")
        say(Terminal.styled("Ctrl-D leaves at any time.", .dim))
        say("")
    }

    func fill(_ form: SignUpForm, asking questions: Set<SignUpForm.Question>) async throws(TryEnd) -> SignUpForm {
        var form = form
        if questions.contains(.email) {
            // With the alias asked for too, the address may not be the one to change.
            form.email = try await email(keeping: questions.contains(.alias) ? form.email : "")
        }
        if questions.contains(.password) {
            let password = try await ask("Password", hint: "Enter: none, a code by mail will do", isHidden: true)
            form.password = password.isEmpty ? nil : Secret(password)
        }
        if questions.contains(.alias) {
            let alias = try await ask("Alias", hint: "a second name to sign in with; Enter: none").trimmed
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
        if !questions.isEmpty { say("") }
        return form
    }

    func codeSent(_ step: SignUpCodeRequired, isResend: Bool, place: TryPlace) {
        let way = step.channel == "email" ? "by e-mail" : "by \(Terminal.harmless(step.channel))"
        say(
            "\(isResend ? "A new code" : "A code") of \(step.codeLength) digits is on its way to "
                + Terminal.styled(Terminal.harmless(step.sentTo), .bold) + " \(way).")
        if isResend { say("The code before it is worthless now.") }
        if let interval = step.resendInterval, interval > 0 { say("Another one can be had in \(interval) seconds.") }
        if let inbox = place.inbox { say("Read it at \(inbox.page)") }
        say("")
    }

    func codeTaken() {
        say("The code was taken from the inbox.")
    }

    func code(length: Int) async throws(TryEnd) -> CodeAnswer {
        while true {
            let answer = try await ask("Code", hint: "r: send a new one").filter { !$0.isWhitespace }
            if answer.lowercased() == "r" { return .resend }
            if answer.count == length { return .code(Secret(answer)) }
            complain(answer.isEmpty ? "Type the \(length) digits of the mail." : "The code has \(length) digits.")
        }
    }

    func password(_ form: SignUpForm, isFirst: Bool) async throws(TryEnd) -> String {
        if isFirst {
            say("The server wants a password: 8 characters or more, of three kinds")
            say("(lower-case letters, capitals, digits, symbols).")
        }
        while true {
            let password = try await ask("Password", isHidden: true)
            if !password.isEmpty { return password }
            complain("This app needs a password.")
        }
    }

    func attributes(
        _ required: [RequiredAttribute], _ form: SignUpForm
    ) async throws(TryEnd) -> [String: AttributeValue] {
        say("The server wants to know more:")
        var values: [String: AttributeValue] = [:]
        for attribute in required { values[attribute.name] = try await value(of: attribute) }
        return values
    }

    func refused(_ sentence: String) {
        complain(sentence)
    }

    func pause(_ invitation: String) async throws(TryEnd) {
        _ = try await ask(invitation, hint: "Ctrl-D leaves")
    }

    func finished(_ account: Account, email: String, place: TryPlace) {
        say("")
        say(Terminal.styled("Signed up, and signed in as \(email).", .green))
        list("Account", TryWords.facts(about: account))
        list(
            "Claims of the ID token",
            TryWords.claims(of: account).map { claim in
                let moment = TryWords.moment(of: claim.name, account)
                return (claim.name, claim.value + (moment.map { Terminal.styled("  \($0)", .dim) } ?? ""))
            })
        if let folder = place.ownData {
            say("")
            say(
                Terminal.styled(
                    "The account stays in \(folder); “native-auth serve --data \(folder)” has it too.", .dim))
        }
    }

    // MARK: Questions

    private func email(keeping kept: String) async throws(TryEnd) -> String {
        while true {
            let email = try await ask("E-mail", hint: kept.isEmpty ? "" : "Enter: \(kept)").trimmed
            if email.isEmpty, !kept.isEmpty { return kept }
            guard let complaint = TryWords.complaint(aboutEmail: email) else { return email }
            complain(complaint)
        }
    }

    private func askAttribute(_ name: String, _ form: inout SignUpForm) async throws(TryEnd) {
        let value = try await ask(Terminal.harmless(Self.label(name)), hint: "Enter: skip").trimmed
        form.attributes[name] = value.isEmpty ? nil : value
    }

    private func askMore(_ form: inout SignUpForm) async throws(TryEnd) {
        while true {
            let answer = try await ask("Another attribute", hint: "such as givenName=Dana; Enter: go on").trimmed
            if answer.isEmpty { return }
            guard let (name, value) = Self.attribute(answer) else {
                complain("An attribute is a name, an equals sign and a value.")
                continue
            }
            form.attributes[name] = value
        }
    }

    private func value(of attribute: RequiredAttribute) async throws(TryEnd) -> AttributeValue? {
        let type = TryWords.words(forType: attribute.type)
        let rule = attribute.regex.map { ", must match \(Terminal.harmless($0))" } ?? ""
        let hint = type + rule + (attribute.isRequired ? "" : "; Enter: skip")
        while true {
            let answer = try await ask(Terminal.harmless(Self.label(attribute.name)), hint: hint).trimmed
            if answer.isEmpty {
                guard attribute.isRequired else { return nil }
                complain("The server needs this one.")
            } else if let value = TryWords.value(answer, type: attribute.type) {
                return value
            } else {
                complain("That is not \(type).")
            }
        }
    }

    /// `name=value`; nil for anything else.
    static func attribute(_ text: String) -> (name: String, value: String)? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first.map({ String($0).trimmed }), !name.isEmpty else { return nil }
        return (name, String(parts[1]).trimmed)
    }

    /// `Country` for `country`, `Alias` for the name that nobody knows; others as they are.
    private static func label(_ name: String) -> String {
        if name == SignUpForm.aliasName { return "Alias" }
        return usual.contains(name) ? name.prefix(1).uppercased() + name.dropFirst() : name
    }

    private func ask(_ question: String, hint: String = "", isHidden: Bool = false) async throws(TryEnd) -> String {
        let prompt =
            Terminal.styled(question, .bold) + (hint.isEmpty ? "" : Terminal.styled(" (\(hint))", .dim)) + ": "
        guard let line = await Terminal.line(prompt: prompt, isHidden: isHidden) else { throw .endOfInput }
        return line
    }

    private func complain(_ sentence: String) {
        for line in Self.wrapped(sentence) { say(Terminal.styled(line, .red)) }
    }

    /// `text` in lines of at most 78 characters, a longer word alone in one.
    private static func wrapped(_ text: String) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + word.count < 78 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }

    private func list(_ title: String, _ rows: [(name: String, value: String)]) {
        let width = rows.map(\.name.count).max() ?? 0
        say("")
        say(Terminal.styled(title, .bold))
        for row in rows {
            say("  " + row.name + String(repeating: " ", count: width - row.name.count + 2) + row.value)
        }
    }
}

extension String {
    /// Without white space around it.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
