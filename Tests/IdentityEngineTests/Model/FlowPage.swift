import IdentityEngine

extension Input {
    /// The endpoint with its grant.
    enum Kind: Hashable {
        case challenge, code, password, newPassword, attributes, introspectMethods, introspectRegistration,
            challengeContact
        case contactCode, confirmContact, poll, redeem
    }

    var kind: Kind {
        switch self {
        case .challenge, .challengeMethod: .challenge
        case .code: .code
        case .password: .password
        case .newPassword: .newPassword
        case .attributes: .attributes
        case .introspectMethods: .introspectMethods
        case .introspectRegistration: .introspectRegistration
        case .challengeContact: .challengeContact
        case .contactCode: .contactCode
        case .confirmContact: .confirmContact
        case .poll: .poll
        case .redeem: .redeem
        }
    }
}

/// The page `docs/develop/flows.md`.
struct FlowPage {
    let survey: ModelTests.Survey
    let races: ModelTests.Races

    var text: String {
        let lines =
            [
                "# The flows", "",
                "What a client can send in each state of a flow, and the result. The diagrams are generated: `ModelTests`",
                "explores the flows of the engine until nothing new comes up, and compares this page with what it has seen; with",
                "`NATIVE_AUTH_WRITE_DOCS=1` it writes the page.", "",
                "An edge says endpoint and grant, without the version in the path, and behind the stroke what is written: `mail` a",
                "code, `user` the account, `password` a new one, `method` of the second factor, `tokens` with their session. `web` means",
                "that this client cannot continue, and is sent to the browser. Refusals leave the flow where it is, unless they say that it",
                "ends; they stand in the tables.", "",
            ]
            + TableRow.Journey.allCases.flatMap(section) + explored
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ journey: TableRow.Journey) -> [String] {
        let (title, start) =
            switch journey {
            case .signUp: ("Sign-up", "signup/start")
            case .signIn: ("Sign-in", "oauth2/initiate")
            case .reset: ("Password reset", "resetpassword/start")
            }
        return ["## \(title)", "", "```mermaid", "stateDiagram-v2", "    [*] --> started: \(start)"]
            + edges(journey) + ["```", ""] + refusals(journey) + [""]
    }

    /// One edge for each pair of states, with all inputs that lead along it.
    private func edges(_ journey: TableRow.Journey) -> [String] {
        struct Pair: Hashable {
            var from: StateName
            var to: StateName?
        }
        var labels: [Pair: Set<String>] = [:]
        for row in survey.rows where row.journey == journey {
            guard case .accepted(let interaction) = row.answer else { continue }
            let written = Self.written(row.written) + (interaction == .redirectToBrowser ? ["web"] : [])
            labels[Pair(from: row.from, to: row.hasEnded ? nil : row.to), default: []]
                .insert(Self.wire(row) + (written.isEmpty ? "" : " / " + written.joined(separator: " ")))
        }
        return labels.keys.sorted { one, other in
            if one.from != other.from { return one.from < other.from }
            guard let to = other.to else { return one.to != nil }
            return one.to.map { $0 < to } ?? false
        }.map { pair in
            let text = Self.joined(labels[pair] ?? [])
            return "    \(pair.from.label) --> \(pair.to?.label ?? "[*]"): \(text)"
        }
    }

    /// `challenge` beside `challenge / mail` adds nothing: within the cool-down no mail is sent.
    private static func joined(_ labels: Set<String>) -> String {
        labels.filter { label in !labels.contains { $0.hasPrefix(label + " / mail") } }.sorted()
            .joined(separator: ", ")
    }

    private func refusals(_ journey: TableRow.Journey) -> [String] {
        struct Call: Hashable {
            var from: StateName
            var wire: String
        }
        var refusals: [Call: Set<String>] = [:]
        for row in survey.rows where row.journey == journey {
            guard case .refused(let refusal) = row.answer else { continue }
            let name = "\(refusal)".prefix { $0 != "(" }
            refusals[Call(from: row.from, wire: Self.wire(row)), default: []]
                .insert("`\(name)`" + (row.hasEnded ? ", and the flow ends" : ""))
        }
        return ["| State | Request | Refused as |", "|---|---|---|"]
            + refusals.keys.sorted { ($0.from, $0.wire) < ($1.from, $1.wire) }.map { call in
                let names = refusals[call]?.sorted().joined(separator: "; ") ?? ""
                return "| `\(call.from.label)` | `\(call.wire)` | \(names) |"
            }
    }

    private var explored: [String] {
        [
            "## What was explored", "",
            "Each request that a token does not allow is refused as `notAllowedNow`, in every state, and changes nothing. So does a",
            "token that is spent, foreign, expired or altered, with the refusals of [endpoints.md](endpoints.md).", "",
            "| What | Number |", "|---|---|",
            "| variations: user flow, policy, account, what the client can do, limits over time | \(survey.variations) |",
            "| kinds of states | \(StateName.allCases.count) |",
            "| inputs: endpoint, grant, right or wrong content, factors demanded | \(Input.all.count) |",
            "| states that can be reached, with counters, tokens that clients have, proofs, and what has run out | \(survey.worlds) |",
            "| steps tried: each state, each token, each input | \(survey.steps) |",
            "| rows of the table | \(Set(survey.rows.map(\.key)).count) |",
            "| places of the engine over SQLite that two clients can come to | \(races.worlds) |",
            "| requests taken there alone, and repeated | \(races.steps) |",
            "| pairs of requests at the same time | \(races.pairs) |",
            "| orders of their calls of the store | \(races.interleavings) |", "",
            "Bounds: three guesses for a code, and three codes for a flow, two where attributes are required and at sign-in; with the",
            "engine one guess, two codes, and an end with the first use of a spent token. Time is no number: a code may be sent again,",
            "expires, and a proof grows old, in any order. `scripts/prove model` goes further: every variation, a code more; with the",
            "engine two guesses, two such uses, and more inputs.",
        ]
    }

    private static func written(_ written: Written) -> [String] {
        let names: [(Written, String)] = [
            (.mail, "mail"), (.user, "user"), (.password, "password"), (.method, "method"), (.tokens, "tokens"),
        ]
        return names.filter { written.contains($0.0) }.map(\.1)
    }

    private static func wire(_ row: TableRow) -> String {
        let isSignUp = [.signUpStarted, .signUpAwaitingCode, .choosingCredential, .signUpAwaitingPassword].contains(
            row.from)
        let isReset = [.resetStarted, .resetAwaitingCode, .choosingPassword].contains(row.from)
        let prefix = isSignUp ? "signup" : isReset ? "resetpassword" : "oauth2"
        return switch row.input.kind {
        case .challenge: "\(prefix)/challenge"
        case .code where isSignUp || isReset: "\(prefix)/continue oob"
        case .code: row.from == .awaitingSecondFactor ? "token mfa_oob" : "token oob"
        case .password: "token password"
        case .newPassword: isReset ? "resetpassword/submit" : "signup/continue password"
        case .attributes: "signup/continue attributes"
        case .introspectMethods: "oauth2/introspect"
        case .introspectRegistration: "register/introspect"
        case .challengeContact: "register/challenge"
        case .contactCode: "register/continue oob"
        case .confirmContact: "register/continue continuation_token"
        case .poll: "resetpassword/poll_completion"
        case .redeem: "token continuation_token"
        }
    }
}
