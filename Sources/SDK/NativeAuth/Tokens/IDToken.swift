import NativeAuthCore
import NativeAuthWire
import PortableFoundation

enum IDToken {
    /// The claims: the middle one of the three parts. The signature is not checked, because the token comes from the
    /// server itself over TLS (docs/protocol.md §6.3, OpenID Connect Core 1.0 §3.1.3.7 item 6).
    static func claims(_ token: String) -> [String: JSONValue]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let json = Base64URL.decode(String(parts[1])) else { return nil }
        do {
            return try WireJSON.decode(from: json)
        } catch {
            return nil
        }
    }

    /// The values that a token must match; unknown values are not checked.
    struct Expectation {
        var clientID: String
        /// The authority that issued the token, possibly under its own origin.
        var authority: Authority
        /// The issuer in the authority's discovery document, if it was read.
        var namedIssuer: String?
        /// The subject of the user whose session is refreshed.
        var subject: String?
        /// The server's time, as far as it is known.
        var now: Date
    }

    /// Whether these claims belong to a token for this app and this time, with 5 min of tolerance (`SDK-AUTH-2`).
    ///
    /// A missing claim is accepted: the server decides which claims a token has, and the token came from the server.
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

    /// The fault of these claims as those of a sign-in in a browser, which requires more than ``isAcceptable(_:_:)``: the
    /// authorization answer came through a browser, where others could replace it (OpenID Connect Core 1.0 §3.1.3.7).
    ///
    /// - Parameter issuer: The issuer in the discovery document; nil without a document.
    static func fault(
        _ claims: [String: JSONValue], clientID: String, issuer: String?, nonce: Secret<String>, maxAge: Duration?,
        now: Date
    ) -> WebAnswerFault? {
        guard ["iss", "sub", "aud", "exp"].allSatisfy({ claims[$0] != nil }), claims["sub"]?.string?.isEmpty == false,
            isText(claims["iss"], { issuer == nil || $0 == issuer }),
            isText(claims["azp"], { $0.lowercased() == clientID.lowercased() })
        else { return .idToken }
        guard let sent = claims["nonce"]?.string, Secret(sent) == nonce else { return .nonce }
        if let maxAge {
            guard case .integer(let signedIn)? = claims["auth_time"],
                now.timeIntervalSince1970 - Double(signedIn) <= maxAge / .seconds(1) + 300
            else { return .idToken }
        }
        return nil
    }

    private static func isText(_ claim: JSONValue?, _ condition: (String) -> Bool) -> Bool {
        guard let claim else { return true }
        return claim.string.map(condition) ?? false
    }

    /// Whether the claim is this text, or a list that contains it.
    private static func isAudience(_ claim: JSONValue?, _ clientID: String) -> Bool {
        guard let claim else { return true }
        let clientID = clientID.lowercased()
        if case .array(let list) = claim { return list.contains { $0.string?.lowercased() == clientID } }
        return claim.string?.lowercased() == clientID
    }
}

extension Authority {
    /// Whether this authority may use `issuer` without further proof (`SDK-AUTH-1`): both have the same origin, or both
    /// are this machine, which has several names.
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
    /// The vendor's cloud names issuers by the tenant's identifier, `https://{tenantID}.ciamlogin.com/{tenantID}/v2.0`,
    /// regardless of the tenant's address. A token of such an issuer is accepted only when the document, read from this
    /// authority over TLS, names exactly this issuer: every customer of the vendor has a host there.
    func mayName(_ issuer: String) -> Bool {
        guard let url = URL(string: issuer), let host = url.host(percentEncoded: true)?.lowercased() else {
            return false
        }
        return self.url.scheme == "https" && url.scheme?.lowercased() == "https" && url.user == nil
            && url.password == nil && host.hasSuffix(".ciamlogin.com")
    }
}
