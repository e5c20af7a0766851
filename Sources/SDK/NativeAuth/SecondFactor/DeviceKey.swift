import Crypto
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The key by which the server knows this device, where a second factor may be left out on it (docs/protocol.md §4.12).
struct DeviceKey: Sendable {
    private let key: P256.Signing.PrivateKey

    init() {
        key = P256.Signing.PrivateKey()
    }

    /// Nil for bytes that are no key.
    init?(kept: Data) {
        do {
            key = try P256.Signing.PrivateKey(rawRepresentation: kept)
        } catch {
            return nil
        }
    }

    /// The secret bytes of the key.
    var kept: Data { key.rawRepresentation }

    /// A proof that the device has the key, for one step of a flow: a JWT as of RFC 9449 section 4.2, whose `ath` is of the
    /// continuation token.
    ///
    /// - Parameters:
    ///   - date: The server's time: a proof is good for a minute.
    /// - Throws: The error of the signature.
    func proof(for token: Secret<String>, at url: URL, date: Date) throws -> Secret<String> {
        let point = key.publicKey.rawRepresentation
        let header = Header(
            jwk: Header.Key(x: Base64URL.encode(point.prefix(32)), y: Base64URL.encode(point.suffix(32))))
        let claims = Claims(
            ath: Base64URL.encode(Data(SHA256.hash(data: Data(token.reveal().utf8)))), htu: url.absoluteString,
            iat: Int(date.timeIntervalSince1970), jti: UUID().text)
        let signed = "\(Base64URL.encode(try WireJSON.encode(header))).\(Base64URL.encode(try WireJSON.encode(claims)))"
        let signature = try key.signature(for: Data(signed.utf8))
        return Secret("\(signed).\(Base64URL.encode(signature.rawRepresentation))")
    }

    private struct Header: Encodable {
        struct Key: Encodable {
            var crv = "P-256"
            var kty = "EC"
            var x: String
            var y: String
        }

        var alg = "ES256"
        var jwk: Key
        var typ = "dpop+jwt"
    }

    private struct Claims: Encodable {
        var ath: String
        var htm = "POST"
        var htu: String
        var iat: Int
        var jti: String
    }
}

/// The key of this device, in the token cache, apart from the sessions: a sign-out leaves it.
struct DeviceKeyStore: Sendable {
    private let cache: any TokenCache
    private let application: String
    private let report: @Sendable (TokenCacheError) -> Void
    private static let item = "key"

    init(_ configuration: NativeAuthConfiguration, authority: Authority) {
        cache = configuration.tokenCache
        application = "\(configuration.clientID.lowercased())|\(authority)|device"
        report = configuration.onTokenCacheProblem ?? { _ in }
    }

    /// The key; nil when there is none, or the cache cannot be read, which is reported.
    ///
    /// - Parameter creating: Whether to make one then.
    func key(creating: Bool) -> DeviceKey? {
        do throws(TokenCacheError) {
            return try cache.withItems(of: application) { items in
                if let found = items[Self.item].flatMap({ DeviceKey(kept: $0) }) { return found }
                guard creating else { return nil }
                let new = DeviceKey()
                items[Self.item] = new.kept
                return new
            }
        } catch {
            report(error)
            return nil
        }
    }
}

extension Flow {
    /// Shows the server which device asks for tokens, if it may know it.
    func addDevice(to request: inout V1.TokenRequest) throws(NativeAuthError) {
        guard let token = continuationToken, let key = client.sessions.deviceKeys.key(creating: remembersDevice) else {
            return
        }
        let url = try client.api.authority(correlationID).endpoint(V1Endpoint.token.rawValue)
        do {
            request.deviceProof = try key.proof(
                for: token, at: url, date: client.api.serverClock.now(at: configuration.moment))
        } catch {
            // Without a proof the server asks for the second factor.
            return
        }
        if remembersDevice { request.rememberDevice = "true" }
    }
}
