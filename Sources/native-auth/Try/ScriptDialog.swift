import NativeAuth
import NativeAuthCore

/// Answers from flags. One fact per line on standard output; the first thing that does not work ends it.
struct ScriptDialog: TryDialog {
    func introduce(_ place: TryPlace) {
        say("server \(place.baseURL)")
        if let inbox = place.inbox { say("inbox \(inbox.page)") }
    }

    func fill(_ form: SignUpForm, asking questions: Set<SignUpForm.Question>) -> SignUpForm {
        say("email \(form.email)")
        return form
    }

    func codeSent(_ step: SignUpCodeRequired, isResend: Bool, place: TryPlace) {
        say(
            "code sent to \(Terminal.harmless(step.sentTo)) by \(Terminal.harmless(step.channel)), \(step.codeLength) digits"
        )
    }

    func codeTaken() {
        say("code taken from the inbox")
    }

    func code(length: Int) throws(TryEnd) -> CodeAnswer {
        throw .failed("The server wants another code, and the script has none.")
    }

    func password(_ form: SignUpForm, isFirst: Bool) throws(TryEnd) -> String {
        guard let password = form.password else {
            throw .failed("The server wants a password; give one with --password.")
        }
        say("password asked for and given")
        return password.reveal()
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
            guard let value = TryWords.value(text, type: attribute.type) else {
                let type = TryWords.words(forType: attribute.type)
                throw .failed("--attribute \(Terminal.harmless(attribute.name)) must be \(type).")
            }
            values[attribute.name] = value
        }
        guard missing.isEmpty else {
            let flags = missing.map { "--attribute \($0)=…" }.joined(separator: " ")
            throw .failed("The server wants \(missing.joined(separator: ", ")); give \(flags).")
        }
        say("attributes asked for and given")
        return values
    }

    func refused(_ sentence: String) throws(TryEnd) {
        throw .failed(sentence)
    }

    func pause(_ invitation: String) {}

    func finished(_ account: Account, email: String, place: TryPlace) {
        for fact in TryWords.facts(about: account) {
            say("account \(fact.name.replacing(" ", with: "_")) \(fact.value)")
        }
        for claim in TryWords.claims(of: account) { say("claim \(claim.name) \(claim.value)") }
        say("signed in as \(email)")
    }
}
