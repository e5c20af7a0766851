import Foundation
import IdentityEngine
import IdentityHTTP
import NativeAuth
import NativeAuthCore
import NativeAuthWire

/// Scopes, languages, identifiers, base64url and claims requests: the small parsers.
struct WordTarget: Target {
    static let name = "words"

    private let client = Client(
        id: ClientID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))), displayName: "Fuzz",
        userFlow: UserFlow(method: .emailOneTimePasscode), scopes: ["api://orders/Orders.Read", "api://mail/*"])
    private let mutator = Mutator(
        [
            "openid profile offline_access api://orders/Orders.Read", "api://mail/a api://mail/b",
            "api://orders/Orders.Admin openid",
            "da-DK, da;q=0.9, en;q=0.8, *;q=0", "ja", "nl;q=1.000,fr;q=0.001", "00001111-AAAA-2222-bbbb-3333cccc4444",
            "AQIDBA", "Zm9vYg",
            #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#,
            #"{"access_token":{"acrs":{"essential":true,"values":["c1","c99"]}},"id_token":{"sub":null}}"#,
        ],
        words: [
            " ", "  ", "\t", ",", ";q=", ";q=1", ";q=2", ";q=0.0000", "*", "-", "/", "//", ":", ".default", "openid",
            "OPENID",
            "api://mail/", "api://mail", "api://orders/Orders.Admin", "\"", "\\", "\0", "é", "a\u{301}", "=", "+", "_",
            "{", "[", "null",
            "true", "1e400", "\\ud800", String(repeating: "[", count: 40), String(repeating: "{\"a\":", count: 20),
            "c0", "c100", "da", "EN",
        ], bytes: [[0xFF]], long: 8_192)

    func input(_ chance: inout Chance) -> [UInt8] { mutator.input(&chance) }

    func check(_ input: [UInt8]) throws -> Bool {
        let text = input.lenientText
        let scopes = text.utf8.split(separator: 0x20).map { String(Substring($0)) }
        var isAccepted = false
        if case .granted(let grant) = client.judge(scopes, baseURL: "https://identity.example") {
            isAccepted = true
            let known = ["openid", "profile", "offline_access", "email", "api://orders/Orders.Read"]
            for scope in grant.all {
                let isAllowed = known.contains(scope) || scope.hasPrefix("api://mail/")
                try demand(scopes.contains(scope) && isAllowed, "granted what was not asked for, or not allowed")
            }
        }
        let language = MailLanguage(acceptLanguage: text)
        if let language {
            let tags = ["no": MailLanguage.norwegian, "nn": .norwegian, "iw": .hebrew].filter { $0.value == language }
                .keys
            try demand(
                ([String(language.rawValue.prefix(2))] + tags).contains { text.lowercased().contains($0) },
                "a language that was not named")
        }
        if let id = ClientID(text) {
            isAccepted = true
            try demand(id.description == text.lowercased(), "another identifier than written")
        }
        if let bytes = Base64URL.decode(text) {
            isAccepted = true
            try demand(Base64URL.encode(bytes) == text, "base64url with two spellings")
        }
        try demand(Base64URL.decode(Base64URL.encode(input)) == Data(input), "base64url does not read what it wrote")
        do {
            let contexts = try WireJSON.decode(ClaimsRequest.self, from: Data(input)).demandedContexts
            isAccepted = true
            try demand(Set(contexts).count == contexts.count, "a context twice")
        } catch let finding as Finding {
            throw finding
        } catch {
            // No claims request.
        }
        do {
            let value = try WireJSON.decode(JSONValue.self, from: Data(input))
            let again = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value))
            try demand(again == value, "JSON is another when it is written and read again")
        } catch let finding as Finding {
            throw finding
        } catch {
            // No JSON.
        }
        return isAccepted
    }
}
