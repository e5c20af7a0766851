import NativeAuthCore

/// The subject of a question.
enum TryQuestion: Hashable {
    case email, username, optionalPassword, password, ownPassword, newPassword, alias
    case optionalAttribute(String)
    case attribute(String)
    case moreAttributes
    case newAddress, newNumber, deletion
    case code, contact, choice, consent, wish, pause, menu
}

/// The source of answers for a ``TerminalDialog``.
protocol Keyboard: Sendable {
    /// Whether a refused answer can be typed again.
    var canMend: Bool { get }

    /// Shows `prompt` and reads the answer, one line.
    ///
    /// - Parameter isHidden: Whether the typed text is hidden.
    /// - Throws: ``TryEnd/endOfInput``, or ``TryEnd/failed(_:)`` when there is no answer.
    func answer(to question: TryQuestion, prompt: String, isHidden: Bool) async throws(TryEnd) -> String
}

/// Answers from a user, or from a file in the user's place.
struct PersonalKeyboard: Keyboard {
    var canMend: Bool { true }

    func answer(to question: TryQuestion, prompt: String, isHidden: Bool) async throws(TryEnd) -> String {
        guard let line = await Terminal.line(prompt: prompt, isHidden: isHidden) else { throw .endOfInput }
        return line
    }
}

/// Types the values of the command line, so that the screen looks the same as with a user.
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
            // After a reset the user has the new password.
            let password = plan.flow == .reset ? plan.newPassword : plan.form.password
            return try given(password?.reveal(), "the password", "--password")
        case .newPassword: return try given(plan.newPassword?.reveal(), "a new password", "--new-password")
        // Another mailbox of the same user.
        case .newAddress: return "new.\(plan.form.email)"
        case .newNumber: return "+15555550123"
        case .deletion: return "delete"
        case .wish: return "y"
        case .attribute(let name):
            let flag = "--attribute \(Terminal.harmless(name))=…"
            return try given(plan.form.attributes[name], Terminal.harmless(name), flag)
        case .code: throw .failed("The server wants another code, and the script has none.")
        // Enter: accept the suggestion.
        case .moreAttributes, .contact, .choice, .consent, .pause, .menu: return ""
        }
    }

    private func given(_ answer: String?, _ what: String, _ flag: String) throws(TryEnd) -> String {
        guard let answer else { throw .failed("The server wants \(what); give it with \(flag).") }
        return answer
    }
}
