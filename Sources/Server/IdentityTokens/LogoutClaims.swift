import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// The claims of a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4); never a `nonce`.
struct LogoutTokenClaims: Encodable {
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
}
