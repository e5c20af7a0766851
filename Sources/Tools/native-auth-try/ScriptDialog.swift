import NativeAuth
import NativeAuthCore

/// Answers from flags. Prints one fact per line to standard output; the first failure ends the script.
struct ScriptDialog: TryDialog {
    /// Whether to print nothing, as while the user of another flow is created.
    var isQuiet = false

    private func tell(_ fact: String) {
        if !isQuiet { say(fact) }
    }

    func introduce(_ place: TryPlace) {
        tell("server \(place.baseURL)")
        if let inbox = place.inbox { tell("inbox \(inbox.page)") }
    }

    func begin(_ title: String) {}

    func note(_ sentence: String) {
        tell(Terminal.harmless(sentence))
    }

    func show(_ rows: [(name: String, value: String)]) {
        for row in rows { tell("\(row.name) \(row.value)") }
    }

    func fill(_ form: SignUpForm, asking questions: Set<SignUpForm.Question>) -> SignUpForm {
        tell("email \(form.email)")
        return form
    }

    func username() throws(TryEnd) -> String {
        throw .failed("The script has no e-mail address; give one with --email.")
    }

    func codeSent(_ code: SentCode, isResend: Bool, _ place: TryPlace) {
        guard !code.isKept else { return tell("recovery code asked for") }
        guard !code.isOfApp else { return tell("code of the authenticator app asked for") }
        tell(
            "code sent to \(Terminal.harmless(code.sentTo)) by \(Terminal.harmless(code.channel)),"
                + " \(code.length) digits")
    }

    func codeTaken() {
        tell("code taken from the inbox")
    }

    func code(_ sent: SentCode) throws(TryEnd) -> CodeAnswer {
        throw .failed("The server wants another code, and the script has none.")
    }

    func password(_ kind: PasswordKind, isFirst: Bool) throws(TryEnd) -> Secret<String> {
        guard case .chosen(let form) = kind, let password = form.password else {
            throw .failed("The server wants a password; give one with --password.")
        }
        tell("password asked for and given")
        return password
    }

    func attributes(
        _ required: [RequiredAttribute], _ form: SignUpForm
    ) throws(TryEnd) -> [String: AttributeValue] {
        let given = form.attributeValues
        var values: [String: AttributeValue] = [:]
        var missing: [String] = []
        for attribute in required {
            guard case .string(let text)? = given[attribute.name] else {
                if attribute.isRequired { missing.append(Terminal.harmless(attribute.name)) }
                continue
            }
            values[attribute.name] = TryWords.value(text, type: attribute.type)
        }
        guard missing.isEmpty else {
            let flags = missing.map { "--attribute \($0)=…" }.joined(separator: " ")
            throw .failed("The server wants \(missing.joined(separator: ", ")); give \(flags).")
        }
        tell("attributes asked for and given")
        return values
    }

    func method(from methods: [AuthMethod]) -> AuthMethod {
        methods[0]
    }

    func contact(for method: AuthMethod) throws(TryEnd) -> String {
        guard let proposal = method.loginHint else {
            throw .failed("The server wants an address to register, and proposes none.")
        }
        return proposal
    }

    func newNumber() throws(TryEnd) -> String {
        throw .failed("The script has no telephone number.")
    }

    func address(_ question: String) throws(TryEnd) -> String {
        throw .failed("The script has no other address.")
    }

    func consentsToDeletion(of name: String) -> Bool { false }

    func print(_ text: String) {
        tell(Terminal.harmless(text))
    }

    func choice(_ question: String, of options: [String]) -> Int { 0 }

    func consents(to question: String, isUsual: Bool) -> Bool { true }

    func refused(_ sentence: String) throws(TryEnd) {
        throw .failed(sentence)
    }

    func pause(_ invitation: String) {}

    func signedIn(_ account: Account, _ how: SignedIn) {
        for fact in TryWords.facts(about: account) {
            tell("account \(fact.name.replacing(" ", with: "_")) \(fact.value)")
        }
        for claim in TryWords.rows(account.idTokenClaims) { tell("claim \(claim.name) \(claim.value)") }
    }
}
