import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// The claims of a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4); never a `nonce`.
struct LogoutTokenClaims: JSONObjectWritable {
    let iss, sub, aud, sid, jti: String
    let iat, exp: Int
    /// That the session has ended, by the name of the event.
    let events: [String: [String: String]]

    init(_ subject: LogoutTokenSubject, pairwiseSubject: String) {
        iss = CommonClaims.issuer(subject.issuer, subject.tenant)
        sub = pairwiseSubject
        aud = subject.client.description
        sid = subject.logoutID.text
        jti = subject.tokenID.text
        // Rounded down: a token must not come from the future.
        iat = Int(subject.issuedAt.timeIntervalSince1970.rounded(.down))
        exp = iat + LogoutTokenSubject.lifetime
        events = ["http://schemas.openid.net/event/backchannel-logout": [:]]
    }

    func write(to object: inout JSONObjectText) throws {
        object.add("aud", aud)
        try object.add("events", encoding: events)
        object.add("exp", exp)
        object.add("iat", iat)
        object.add("iss", iss)
        object.add("jti", jti)
        object.add("sid", sid)
        object.add("sub", sub)
    }
}
