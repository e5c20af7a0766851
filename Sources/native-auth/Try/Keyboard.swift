import NativeAuthCore

/// What a question is about.
enum TryQuestion: Hashable {
    case email, username, optionalPassword, password, ownPassword, newPassword, alias
    case optionalAttribute(String)
    case attribute(String)
    case moreAttributes
    case code, contact, choice, consent, pause, menu
}

/// Where a ``TerminalDialog`` gets its answers.
protocol Keyboard: Sendable {
    /// Whether what was refused can be typed again.
    var canMend: Bool { get }

    /// Shows `prompt` and takes the answer, a line.
    ///
    /// - Parameter isHidden: Whether what is typed is not shown.
    /// - Throws: ``TryEnd/endOfInput``, or ``TryEnd/failed(_:)`` when there is no answer.
    func answer(to question: TryQuestion, prompt: String, isHidden: Bool) async throws(TryEnd) -> String
}

/// A person, or a file that stands for one.
struct PersonalKeyboard: Keyboard {
    var canMend: Bool { true }

    func answer(to question: TryQuestion, prompt: String, isHidden: Bool) async throws(TryEnd) -> String {
        guard let line = await Terminal.line(prompt: prompt, isHidden: isHidden) else { throw .endOfInput }
        return line
    }
}

/// Types what the command line says, so that the screen shows what a person would see.
struct ScriptedKeyboard: Keyboard {
    let plan: TryPlan

    var canMend: Bool { false }

    func answer(to question: TryQuestion, prompt: String, isHidden: Bool) throws(TryEnd) -> String {
        let answer = try answer(to: question)
        say(prompt + (isHidden ? "" : Terminal.harmless(answer)))
        return answer
    }

    private func answer(to question: TryQuestion) throws(TryEnd) -> String {
        switch question {
        case .username: return plan.username
        case .email: return plan.form.email
        case .optionalPassword: return plan.form.password?.reveal() ?? ""
        case .alias: return plan.form.alias ?? ""
        case .optionalAttribute(let name): return plan.form.attributes[name] ?? ""
        case .password: return try given(plan.form.password?.reveal(), "a password", "--password")
        case .ownPassword:
            // Who resets a password has the new one afterwards.
            let password = plan.flow == .reset ? plan.newPassword : plan.form.password
            return try given(password?.reveal(), "the password", "--password")
        case .newPassword: return try given(plan.newPassword?.reveal(), "a new password", "--new-password")
        case .attribute(let name):
            let flag = "--attribute \(Terminal.harmless(name))=…"
            return try given(plan.form.attributes[name], Terminal.harmless(name), flag)
        case .code: throw .failed("The server wants another code, and the script has none.")
        // Enter: what is proposed.
        case .moreAttributes, .contact, .choice, .consent, .pause, .menu: return ""
        }
    }

    private func given(_ answer: String?, _ what: String, _ flag: String) throws(TryEnd) -> String {
        guard let answer else { throw .failed("The server wants \(what); give it with \(flag).") }
        return answer
    }
}
