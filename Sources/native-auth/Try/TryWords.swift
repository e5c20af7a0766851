import IdentityEngine
import NativeAuth
import NativeAuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the sample app says to the person who uses it.
enum TryWords {
    // MARK: Input

    /// Why `text` cannot be an e-mail address; nil when it can.
    static func complaint(aboutEmail text: String) -> String? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        if text.isEmpty { return "An e-mail address is needed, such as dana@example.com." }
        if !text.utf8.allSatisfy({ $0 < 0x80 }) {
            return "That has a letter which mail servers may not know; use plain letters."
        }
        if text.contains(" ") { return "An e-mail address has no blanks." }
        switch parts.count {
        case 1: return "There is no @ in it; an address looks like dana@example.com."
        case 2: break
        case _: return "There is more than one @ in it."
        }
        if parts[0].isEmpty { return "There is nothing in front of the @." }
        if parts[1].isEmpty { return "There is nothing after the @." }
        if !parts[1].contains(".") { return "After the @ comes a domain with a dot, such as example.com." }
        return EmailAddress(text) == nil ? "That cannot be an e-mail address; one looks like dana@example.com." : nil
    }

    /// The value that `text` stands for in an attribute of this type; nil when it cannot be one.
    static func value(_ text: String, type: String) -> AttributeValue? {
        switch type {
        case "boolean":
            switch text.lowercased() {
            case "true", "yes", "y": .boolean(true)
            case "false", "no", "n": .boolean(false)
            case _: nil
            }
        case "integer": Int(text).map { .integer($0) }
        case _: .string(text)
        }
    }

    /// A type of the wire in words.
    static func words(forType type: String) -> String {
        switch type {
        case "boolean": "yes or no"
        case "integer": "a whole number"
        case _: "text"
        }
    }

    // MARK: Errors

    static func unreachable(_ baseURL: String) -> String {
        "No server answers at \(baseURL). Start one with “native-auth serve”, or leave --server out to get one here."
    }

    /// Whether the server does not know the application or the tenant, which no answer of a person mends.
    static func isWrongPlace(_ details: NativeAuthError.Details) -> Bool {
        details.errorCodes.contains { [unknownTenant, unknownApplication, nativeAuthDisabled].contains($0) }
    }

    /// Whether the server has ended the sign-up, so that no code and no new one helps.
    static func isOver(_ details: NativeAuthError.Details) -> Bool {
        details.errorCodes.contains { [noMoreCodes, tokenInvalid].contains($0) }
    }

    /// What is worth knowing after several wrong codes: the server does not tell when it stopped to compare (`SEC-OTP-3`).
    static let manyWrongCodes = "After a few wrong ones the server takes no code any more: type r to get a new one."

    private static let accountDisabled = 50_057
    private static let accountLocked = 50_053
    private static let codeExpired = 50_184
    private static let nativeAuthDisabled = 70_001
    private static let tokenInvalid = 55_200
    private static let unknownTenant = 90_002
    private static let unknownApplication = 700_016
    private static let noMoreCodes = 701_014

    /// What happened, for somebody who does not know the API.
    static func sentence(for error: NativeAuthError, _ subject: TrySubject, _ place: TryPlace) -> String {
        let name = Terminal.harmless(subject.name)
        let activity = subject.activity
        switch error {
        case .userAlreadyExists:
            return subject.alias.map { "Somebody has \(name) or the alias \($0) already. Take others." }
                ?? "Somebody has signed up with \(name) already. Take another address."
        case .invalidUsername: return "The server does not take \(name) as an e-mail address."
        case .userNotFound: return "Nobody has signed up with \(name). Check the name, or sign up with it."
        case .invalidPassword(let details) where activity == "sign-in" && details.suberror == nil:
            return "That is not the password of \(name). Who has forgotten it can reset it."
        case .invalidPassword(let details): return sentence(forPassword: details)
        case .invalidCredentials: return "That is not the password of \(name). Who has forgotten it can reset it."
        case .userDoesNotHavePassword: return "\(name) signs in with codes and has no password to reset: just sign in."
        case .invalidInput: return "The server does not take that as an address or number."
        case .authMethodBlocked, .verificationContactBlocked: return "The server has blocked that address or number."
        case .invalidAttributes(let names, _): return sentence(forAttributes: names)
        case .incorrectCode(let details):
            return details.errorCodes.contains(codeExpired)
                ? "That code is too old; a new one is needed."
                : "That is not the code; it is in the newest mail."
        case .expired: return "This \(activity) took too long and has ended. Start again."
        case .general(let details): return sentence(forGeneral: details, subject, place)
        case .browserRequired(let details):
            return "The server wants this \(activity) to go on in a browser, which this sample app does not have."
                + (details.message.map { " Its reason: \(Terminal.harmless($0))." } ?? "")
        case .unexpectedReply(let details):
            return
                "The answer of \(place.baseURL) is not one of this API. Is a native-auth server there, and is it well?"
                + " (correlation ID \(details.correlationID))"
        case .notAvailable: return "The server gave nothing to sign in with."
        case .registrationRequired, .mfaRequired:
            return "The server wants one more factor, which cannot follow here. Sign in again."
        case .invalidScope: return "The server does not grant what the app asks for."
        case .signInRequired: return "The session has ended. Sign in again."
        case .throttled(let seconds?, _): return "The server is busy; try again in \(seconds) s."
        case .throttled(nil, _): return "The server is busy; try again later."
        case .network: return unreachable(place.baseURL)
        case .indeterminate: return "The connection to \(place.baseURL) was lost before the answer came."
        case .stateAlreadyUsed: return "That has been done already."
        case .cancelled: return "Stopped."
        case .invalidConfiguration(let details): return details.message ?? "The app is set up wrongly."
        }
    }

    /// What only the server's number tells.
    private static func sentence(
        forGeneral details: NativeAuthError.Details, _ subject: TrySubject, _ place: TryPlace
    ) -> String {
        let name = Terminal.harmless(subject.name)
        func has(_ code: Int) -> Bool { details.errorCodes.contains(code) }
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
        if has(noMoreCodes) { return "The server sends no more codes for this \(subject.activity). Start again." }
        if has(tokenInvalid) { return "The server does not go on with this \(subject.activity). Start again." }
        return "The server refused: \(reason(details)) (correlation ID \(details.correlationID))"
    }

    /// The server's own words, without the number in front of them and the trace behind (native-auth-v1 §3.5).
    private static func reason(_ details: NativeAuthError.Details) -> String {
        guard let message = details.message else { return "it gave no reason." }
        let end = message.firstRange(of: " Trace ID:")?.lowerBound ?? message.endIndex
        let text = message[..<end]
        guard text.hasPrefix("AADSTS"), let colon = text.firstRange(of: ": ") else {
            return Terminal.harmless("\(text)")
        }
        return Terminal.harmless("\(text[colon.upperBound...])")
    }

    /// The rule that a password breaks (native-auth-v1 §10).
    private static func sentence(forPassword details: NativeAuthError.Details) -> String {
        switch details.suberror {
        case "password_too_short": "The password is too short: it needs 8 characters."
        case "password_too_long": "The password is too long: 256 characters are the most."
        case "password_too_weak":
            "The password is too simple: it needs three of lower-case letters, capitals, digits and symbols."
        case "password_banned":
            "The password is too easy to guess: it is a common one, or has your name or address in it."
        case "password_is_invalid":
            "The password has a character that is not allowed; use those of an English keyboard."
        case "password_recently_used": "The password was used before; take another one."
        case _: "The server does not take this password: 8 to 256 characters, not a common one."
        }
    }

    private static func sentence(forAttributes names: [String]) -> String {
        var sentences: [String] = []
        if names.contains(SignUpForm.aliasName) {
            sentences.append(
                "The server does not take this alias: 3 to 64 letters, digits, dots, hyphens and underscores,"
                    + " a letter or digit first, not digits alone, and no name such as admin.")
        }
        let others = names.filter { $0 != SignUpForm.aliasName }.map(Terminal.harmless)
        if others == ["attributes"] {
            sentences.append("The server cannot read the attributes.")
        } else if !others.isEmpty {
            sentences.append("The server does not take what was given for: \(others.joined(separator: ", ")).")
            if others.contains(where: { $0.first?.isUppercase == true }) {
                sentences.append("Mind the letter case of names: country, givenName.")
            }
        }
        return sentences.joined(separator: " ")
    }

    // MARK: The account

    /// What an app knows about the signed-in user, in a fixed order.
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

    /// As ``rows(_:)``, with the moments that some claims hold for a person to read.
    static func annotated(_ claims: [String: JSONValue]) -> [(name: String, value: String)] {
        rows(claims).map { row in
            let moment = moment(of: claims[row.name], named: row.name)
            return (row.name, row.value + (moment.map { Terminal.styled("  \($0)", .dim) } ?? ""))
        }
    }

    /// The moment that a claim holds, if it is one that does (RFC 7519 section 4.1, OpenID Connect Core section 2).
    private static func moment(of claim: JSONValue?, named name: String) -> String? {
        guard ["exp", "iat", "nbf", "auth_time"].contains(name), case .integer(let seconds)? = claim else { return nil }
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    /// The claims in a token, if it is a JWT. An app leaves access tokens alone; this one shows what an API finds in them.
    static func claims(ofToken token: String) -> [String: JSONValue]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])) else { return nil }
        do {
            return try JSONDecoder().decode([String: JSONValue].self, from: payload)
        } catch {
            return nil
        }
    }

    /// A way to receive a code.
    static func words(for method: AuthMethod) -> String {
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
