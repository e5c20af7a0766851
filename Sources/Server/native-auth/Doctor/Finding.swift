import NativeAuth

/// The result of one check of the doctor.
struct Finding: Encodable, Sendable {
    enum State: String, Encodable {
        case ok
        /// No fault, but a useful fact.
        case hint
        /// A fault that must be corrected.
        case problem
    }

    /// The area of a check, in the order of the checks.
    enum Area: String, Encodable {
        case configuration, server, application
        // Of `doctor server`.
        case settings, machine, database, address, passkeys, mail
        case developmentServer = "development server"
    }

    let area: Area
    let state: State
    /// The subject, such as `client id`.
    let about: String
    /// The result.
    let text: String
    /// The correction.
    var remedy: String?
}

extension Finding {
    /// The finding in columns, without its area; `remedy` on separate lines.
    var lines: String {
        let style: Terminal.Style? =
            switch state {
            case .ok: .green
            case .hint: .bold
            case .problem: .red
            }
        let word = Self.padded(state.rawValue, Self.stateWidth)
        var rows = Self.wrapped(text)
        let head = "  " + (style.map { Terminal.styled(word, $0) } ?? word) + Self.padded(about, Self.aboutWidth)
        let first = rows.isEmpty ? "" : rows.removeFirst()
        if let remedy { rows += Self.wrapped(remedy).enumerated().map { ($0 == 0 ? "→ " : "  ") + $1 } }
        let indent = String(repeating: " ", count: 2 + Self.stateWidth + Self.aboutWidth)
        return ([head + first] + rows.map { indent + $0 }).joined(separator: "\n")
    }

    private static let stateWidth = 9
    private static let aboutWidth = 17
    private static let textWidth = 72

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// Lines of at most ``textWidth`` characters, broken at blanks; a longer word gets its own line.
    private static func wrapped(_ text: String) -> [String] {
        text.split(separator: "\n").flatMap { line in
            line.split(separator: " ").reduce(into: [String]()) { lines, word in
                if let last = lines.last, last.count + 1 + word.count <= textWidth {
                    lines[lines.count - 1] = "\(last) \(word)"
                } else {
                    lines.append(String(word))
                }
            }
        }
    }
}

/// Records findings of one area. Their text may come from a server or another untrusted source.
struct Notebook {
    let area: Finding.Area
    let tell: (Finding) -> Void

    func ok(_ about: String, _ text: String) {
        add(.ok, about, text, nil)
    }

    func hint(_ about: String, _ text: String, _ remedy: String) {
        add(.hint, about, text, remedy)
    }

    func problem(_ about: String, _ text: String, _ remedy: String) {
        add(.problem, about, text, remedy)
    }

    /// Records a refusal of the server, or the reason for a missing answer, with the catalogue's text.
    func problem(_ about: String, _ remedy: ErrorRemedy?, _ details: ErrorDetails) {
        guard let remedy else {
            let words = [details.error, details.suberror].compactMap(\.self) + details.errorCodes.map { "AADSTS\($0)" }
            problem(
                about, "The server refuses: \(words.joined(separator: ", ")). \(details.message ?? "")",
                "Look up the correlation ID \(details.correlationID) in the server's log.")
            return
        }
        problem(about, remedy.sentence, remedy.remedy)
    }

    private func add(_ state: Finding.State, _ about: String, _ text: String, _ remedy: String?) {
        let lines = text.split(separator: "\n").map { Terminal.harmless(String($0)) }
        tell(
            Finding(
                area: area, state: state, about: about, text: lines.joined(separator: "\n"),
                remedy: remedy.map(Terminal.harmless)))
    }
}

extension ErrorRemedy {
    /// The cause, with the number.
    var sentence: String {
        number.map { "AADSTS\($0): \(cause)" } ?? cause
    }
}
