import IdentityEngine
import NativeAuthCore
import PortableFoundation

/// The claims of a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4); never a `nonce`.
struct LogoutTokenClaims: JSONObjectWritable {
    let subject: LogoutTokenSubject
    let pairwiseSubject: String

    func write(to object: inout JSONObjectText) throws {
        // Rounded down: a token must not come from the future.
        let issued = Int(subject.issuedAt.timeIntervalSince1970.rounded(.down))
        // That the session has ended, by the name of the event.
        let events: [String: [String: String]] = ["http://schemas.openid.net/event/backchannel-logout": [:]]
        object.add("aud", subject.client.description)
        try object.add("events", encoding: events)
        object.add("exp", issued + LogoutTokenSubject.lifetime)
        object.add("iat", issued)
        object.add("iss", CommonClaims.issuer(subject.issuer, subject.tenant))
        object.add("jti", subject.tokenID.text)
        object.add("sid", subject.logoutID.text)
        object.add("sub", pairwiseSubject)
    }
}
