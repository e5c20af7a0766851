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
        /// Where the token came from, which must be able to issue it.
        var authority: Authority
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
        return isText(claims["iss"]) { expected.authority.isPlausibleIssuer($0) }
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
    /// Whether `issuer`, of a token or of a discovery document, may speak for this authority (`SDK-AUTH-1`, `SDK-AUTH-2`): it
    /// has the same origin. The vendor's cloud names issuers by the tenant's identifier, `https://{tenantID}.ciamlogin.com/…`,
    /// whatever the address of the tenant is; and this machine has more names than one.
    ///
    /// It takes no discovery document to tell, so that a token is accepted or refused alike before and after one was read.
    func isPlausibleIssuer(_ issuer: String) -> Bool {
        guard let url = URL(string: issuer), let host = url.host(percentEncoded: true)?.lowercased() else {
            return false
        }
        if sharesOrigin(with: url) { return true }
        guard Authority.isSecure(url), url.user == nil, url.password == nil else { return false }
        let ownHost = self.url.host(percentEncoded: true)?.lowercased() ?? ""
        return host.hasSuffix(".ciamlogin.com") || Authority.isLoopback(host) && Authority.isLoopback(ownHost)
    }
}
