import NativeAuth
import NativeAuthCore
import PortableFoundation

/// The messages of the sample app.
enum TryWords {
    // MARK: Input

    /// The possible mistake in `text` as an e-mail address.
    static func hint(forEmail text: String) -> String? {
        switch EmailHint(text) {
        case nil: nil
        case .badCharacter: "An e-mail address has no blanks, commas, semicolons or brackets."
        case .noAt: "There is no @ in it, or more than one; an address looks like dana@example.com."
        case .noName: "There is nothing in front of the @."
        case .noDomain: "After the @ comes a domain with a dot, such as example.com."
        }
    }

    /// The possible mistake in `text` as the code that was sent.
    static func hint(for text: String, _ sent: SentCode) -> String? {
        let characters = "\(sent.length) \(sent.isKept ? "letters and digits" : "digits")"
        let place =
            sent.isKept ? "your list" : sent.isOfApp ? "your app" : sent.isText ? "the text message" : "the mail"
        return switch sent.hint(for: text) {
        case nil: nil
        case .tooShort where text.isEmpty: "Type the \(characters) of \(place)."
        case .tooShort(let missing): "The code has \(characters): \(missing) too few."
        case .tooLong(let surplus): "The code has \(characters): \(surplus) too many."
        case .notDigits: "The code has \(characters), and nothing else."
        }
    }

    /// A warning before the request for another code; nil when enough time has passed.
    static func hint(beforeResendOf sent: SentCode) -> String? {
        let seconds = sent.resendAllowedAt.map { Int($0.timeIntervalSinceNow.rounded(.up)) } ?? 0
        return seconds > 0 ? "The server may not send another one for \(seconds) seconds yet." : nil
    }

    /// A message for a possible mistake in an attribute.
    static func sentence(for hint: AttributeHint) -> String {
        switch hint {
        case .missing: "The server needs this one."
        case .wrongType(let type): "That is not \(words(forType: type))."
        case .patternMismatch(let regex): "That does not match \(Terminal.harmless(regex))."
        }
    }

    /// `text` as a value of an attribute of this type; unchanged when it does not fit, nil when it is empty.
    static func value(_ text: String, type: String) -> AttributeValue? {
        guard !text.isEmpty else { return nil }
        return switch (type.lowercased(), text.lowercased()) {
        case ("boolean", "true"), ("boolean", "yes"), ("boolean", "y"): .boolean(true)
        case ("boolean", "false"), ("boolean", "no"), ("boolean", "n"): .boolean(false)
        case ("integer", _): Int(text).map { .integer($0) } ?? .string(text)
        case (_, _): .string(text)
        }
    }

    /// A type of the API in words.
    static func words(forType type: String) -> String {
        switch type.lowercased() {
        case "boolean": "yes or no"
        case "integer": "a whole number"
        case _: "text"
        }
    }

    // MARK: Errors

    static func unreachable(_ baseURL: String) -> String {
        "No server answers at \(baseURL). Start one with “native-auth serve”, or leave --server out to get one here."
    }

    /// Whether the server does not know the application or the tenant, which no answer of the user can correct.
    static func isWrongPlace(_ details: ErrorDetails) -> Bool {
        details.errorCodes.contains { [unknownTenant, unknownApplication, nativeAuthDisabled].contains($0) }
    }

    private static let accountDisabled = 50_057
    private static let accountLocked = 50_053
    static let codeExpired = 50_184
    private static let nativeAuthDisabled = 70_001
    private static let tokenInvalid = 55_200
    private static let unknownTenant = 90_002
    private static let unknownApplication = 700_016
    private static let noMoreCodes = 701_014

    /// A message for an error that only the server's number explains.
    static func sentence(forUnexpected details: ErrorDetails, _ subject: TrySubject, _ place: TryPlace) -> String {
        let name = Terminal.harmless(subject.name)
        func has(_ code: Int) -> Bool { details.errorCodes.contains(code) }
        if details.error == nil {
            return
                "The answer of \(place.baseURL) is not one of this API. Is a native-auth server there, and is it well?"
                + " (correlation ID \(details.correlationID))"
        }
        if has(unknownApplication) {
            return "The server does not know this application; --client-id names it, --tenant its tenant."
        }
        if has(unknownTenant) {
            return "The server at \(place.baseURL) has no tenant \(place.tenant); --tenant names it."
        }
        if has(nativeAuthDisabled) {
            return "Native authentication is switched off for this application; --client-id names another."
        }
        if has(accountLocked) {
            return "Too many wrong passwords were tried for \(name). Come again later, or reset the password."
        }
        if has(accountDisabled) { return "The account of \(name) is switched off. Only its administrator can help." }
        if has(noMoreCodes) {
            return "The server sends no more codes for this \(subject.activity). Use the last one, or start again."
        }
        if has(tokenInvalid) { return "The server does not go on with this \(subject.activity). Start again." }
        return "The server refused: \(reason(details)) (correlation ID \(details.correlationID))"
    }

    /// The server's description, without its leading number and trailing trace (docs/protocol.md §3.5).
    private static func reason(_ details: ErrorDetails) -> String {
        guard let message = details.message else { return "it gave no reason." }
        let end = message.firstRange(of: " Trace ID:")?.lowerBound ?? message.endIndex
        let text = message[..<end]
        guard text.hasPrefix("AADSTS"), let colon = text.firstRange(of: ": ") else {
            return Terminal.harmless("\(text)")
        }
        return Terminal.harmless("\(text[colon.upperBound...])")
    }

    /// The message for the rule that a password breaks.
    static func sentence(for rule: PasswordRule) -> String {
        switch rule {
        case .empty: "A password is needed."
        case .tooShort: "The password is too short: it needs 8 characters."
        case .tooLong: "The password is too long: 256 characters are the most."
        case .tooWeak: "The password is too simple: it needs three of lower-case letters, capitals, digits and symbols."
        case .banned: "The password is too easy to guess: it is a common one, or has your name or address in it."
        case .recentlyUsed: "The password was used before; take another one."
        case .notAllowed: "The password has a character that is not allowed; use those of an English keyboard."
        }
    }

    static func sentence(for problems: [AttributeProblem]) -> String {
        var sentences: [String] = []
        if problems.contains(where: { $0.name == AttributeName.flatUsername }) {
            sentences.append(
                "The server does not take this alias: 3 to 64 letters, digits, dots, hyphens and underscores,"
                    + " a letter or digit first, not digits alone, and no name such as admin.")
        }
        let others = problems.filter { $0.name != AttributeName.flatUsername }
        if others.map(\.name) == ["attributes"] {
            sentences.append("The server cannot read the attributes.")
        } else if !others.isEmpty {
            let list = others.map { Terminal.harmless($0.name) + rule(of: $0) }.joined(separator: ", ")
            sentences.append("The server does not take what was given for: \(list).")
            if others.contains(where: { $0.name.first?.isUppercase == true }) {
                sentences.append("Mind the letter case of names: country, givenName.")
            }
        }
        return sentences.joined(separator: " ")
    }

    /// The requirement of an attribute, if it is known: ` (must match ^[A-Z]+$)`.
    private static func rule(of problem: AttributeProblem) -> String {
        switch problem.hint {
        case .missing: " (needed)"
        case .wrongType(let type): " (must be \(words(forType: type)))"
        case .patternMismatch(let regex): " (must match \(Terminal.harmless(regex)))"
        case nil: problem.attribute?.regex.map { " (must match \(Terminal.harmless($0)))" } ?? ""
        }
    }

    /// The attributes that the server refused.
    static func names(of refusal: AttributesRefusal) -> [String] {
        switch refusal {
        case .invalidAttributes(let problems, _): problems.map(\.name)
        case .aliasTaken: [AttributeName.flatUsername]
        case .service: []
        }
    }

    // MARK: The account

    /// The app's data about the signed-in user, in a fixed order.
    static func facts(about account: Account) -> [(name: String, value: String)] {
        [
            ("username", account.username), ("object id", account.objectID), ("tenant id", account.tenantID),
            ("home account id", account.homeAccountID), ("environment", account.environment),
        ].map { (name: $0, value: Terminal.harmless($1)) }
    }

    /// Claims by name.
    static func rows(_ claims: [String: JSONValue]) -> [(name: String, value: String)] {
        claims.sorted { $0.key < $1.key }.map { claim in
            (name: Terminal.harmless(claim.key), value: Terminal.harmless(text(claim.value)))
        }
    }

    /// The same as ``rows(_:)``, with times in readable form.
    static func annotated(_ claims: [String: JSONValue]) -> [(name: String, value: String)] {
        rows(claims).map { row in
            let moment = moment(of: claims[row.name], named: row.name)
            return (row.name, row.value + (moment.map { Terminal.styled("  \($0)", .dim) } ?? ""))
        }
    }

    /// The time in a claim that holds one (RFC 7519 section 4.1, OpenID Connect Core section 2).
    private static func moment(of claim: JSONValue?, named name: String) -> String? {
        guard ["exp", "iat", "nbf", "auth_time"].contains(name), case .integer(let seconds)? = claim else { return nil }
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    /// The claims in a token, if it is a JWT. Apps do not read access tokens; this one shows what an API finds in them.
    static func claims(ofToken token: String) -> [String: JSONValue]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])) else { return nil }
        do {
            return try JSONDecoder().decode([String: JSONValue].self, from: payload)
        } catch {
            return nil
        }
    }

    /// A way to receive a code, in words.
    static func words(for method: AuthMethod) -> String {
        if method.isAuthenticatorApp {
            return method.loginHint == nil ? "a new authenticator app" : "authenticator app"
        }
        if method.channel == "recovery_code" { return "recovery code" }
        if method.channel == "sms" {
            return "text message" + (method.loginHint.map { " to \(Terminal.harmless($0))" } ?? "")
        }
        if method.isPasskey { return "passkey" + (method.loginHint.map { " “\(Terminal.harmless($0))”" } ?? "") }
        let channel = method.channel == "email" ? "e-mail" : Terminal.harmless(method.channel)
        return channel + (method.loginHint.map { " to \(Terminal.harmless($0))" } ?? "")
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): value
        case .array(let values): values.map(text).joined(separator: ", ")
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ")
        }
    }
}
