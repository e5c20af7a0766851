import NativeAuthCore
import NativeAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

enum IDToken {
    /// The claims: the middle one of three parts. The signature is not looked at, as the token comes from the server itself
    /// over TLS (native-auth-v1 §6.3, OpenID Connect Core 1.0 §3.1.3.7 item 6).
    static func claims(_ token: String) -> [String: JSONValue]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let json = Base64URL.decode(String(parts[1])) else { return nil }
        do {
            return try WireJSON.decode(from: json)
        } catch {
            return nil
        }
    }

    /// What a token must be for; what is not known is not checked.
    struct Expectation {
        var clientID: String
        /// Where the token came from, which may issue it under its own origin.
        var authority: Authority
        /// The issuer that the authority's discovery document names, as far as it was read.
        var namedIssuer: String?
        /// Of the user whose session is renewed.
        var subject: String?
        /// The server's time, as well as it is known.
        var now: Date
    }

    /// Whether these claims are those of a token for this app and this moment, with 5 min of tolerance (`SDK-AUTH-2`).
    ///
    /// A claim that is left out is not missed: which ones there are is the server's business, and the token came from it.
    static func isAcceptable(_ claims: [String: JSONValue], _ expected: Expectation) -> Bool {
        let tolerance = 300.0
        let now = expected.now.timeIntervalSince1970
        func isTime(_ name: String, _ condition: (Double) -> Bool) -> Bool {
            guard let claim = claims[name] else { return true }
            switch claim {
            case .integer(let seconds): return condition(Double(seconds))
            case .number(let seconds): return condition(seconds)
            case .null, .boolean, .string, .array, .object: return false
            }
        }
        return isText(claims["iss"]) { expected.authority.isOwnIssuer($0) || $0 == expected.namedIssuer }
            && isText(claims["sub"]) { expected.subject == nil || $0 == expected.subject }
            && isAudience(claims["aud"], expected.clientID)
            && isTime("exp") { $0 + tolerance > now }
            && isTime("nbf") { $0 - tolerance <= now }
            && isTime("iat") { $0 - tolerance <= now }
    }

    private static func isText(_ claim: JSONValue?, _ condition: (String) -> Bool) -> Bool {
        guard let claim else { return true }
        return claim.string.map(condition) ?? false
    }

    /// Text, or a list that holds it.
    private static func isAudience(_ claim: JSONValue?, _ clientID: String) -> Bool {
        guard let claim else { return true }
        let clientID = clientID.lowercased()
        if case .array(let list) = claim { return list.contains { $0.string?.lowercased() == clientID } }
        return claim.string?.lowercased() == clientID
    }
}

extension Authority {
    /// Whether `issuer` may speak for this authority without further proof (`SDK-AUTH-1`): it has the same origin, or both are
    /// this machine, which has more names than one.
    func isOwnIssuer(_ issuer: String) -> Bool {
        guard let url = URL(string: issuer), let host = url.host(percentEncoded: true)?.lowercased() else {
            return false
        }
        if sharesOrigin(with: url) { return true }
        let ownHost = self.url.host(percentEncoded: true)?.lowercased() ?? ""
        return Authority.isSecure(url) && url.user == nil && url.password == nil && Authority.isLoopback(host)
            && Authority.isLoopback(ownHost)
    }

    /// Whether this authority's discovery document may name `issuer`, which has another origin (`SDK-AUTH-2`).
    ///
    /// The vendor's cloud names issuers by the tenant's identifier, `https://{tenantID}.ciamlogin.com/{tenantID}/v2.0`, whatever
    /// the address of the tenant is. A token of such an issuer counts only when the document, read from this authority over
    /// TLS, names exactly that one: every customer of the vendor has a host there.
    func mayName(_ issuer: String) -> Bool {
        guard let url = URL(string: issuer), let host = url.host(percentEncoded: true)?.lowercased() else {
            return false
        }
        return self.url.scheme == "https" && url.scheme?.lowercased() == "https" && url.user == nil
            && url.password == nil && host.hasSuffix(".ciamlogin.com")
    }
}
