import Crypto
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// The key by which the server knows this device, where a second factor may be left out on it (docs/protocol.md §4.13).
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

/// The keys of this device, one for each user, in the token cache, apart from the sessions: a sign-out leaves them.
struct DeviceKeyStore: Sendable {
    private let cache: any TokenCache
    private let application: String
    private let report: @Sendable (TokenCacheError) -> Void

    init(_ configuration: NativeAuthConfiguration, authority: Authority) {
        cache = configuration.tokenCache
        application = "\(configuration.clientID.lowercased())|\(authority)|device"
        report = configuration.onTokenCacheProblem ?? { _ in }
    }

    /// The key of a user, by the name that the user signs in with; nil when there is none, or the cache cannot be read, which is
    /// reported.
    func key(of username: String) -> DeviceKey? {
        update { $0[Self.item(username)].flatMap { DeviceKey(kept: $0) } } ?? nil
    }

    /// Keeps the key that the server knows from now on.
    func keep(_ key: DeviceKey, of username: String) {
        update { $0[Self.item(username)] = key.kept }
    }

    @discardableResult
    private func update<Result: Sendable>(_ body: (inout [String: Data]) -> Result) -> Result? {
        do throws(TokenCacheError) {
            return try cache.withItems(of: application, body)
        } catch {
            report(error)
            return nil
        }
    }

    /// A digest: a name is none for every cache.
    private static func item(_ username: String) -> String {
        Base64URL.encode(Data(SHA256.hash(data: Data(username.lowercased().utf8))))
    }
}

extension Flow {
    /// Adds the proof of the device's key, if the device has one, or is to have one.
    ///
    /// - Returns: The new key, for the case that the server remembers the device. Each time there is another one, so that a copy of an
    ///   earlier key stays worth nothing.
    func addDevice(to request: inout V1.TokenRequest) throws(NativeAuthError) -> DeviceKey? {
        guard let token = continuationToken,
            let key = remembersDevice ? DeviceKey() : client.sessions.deviceKeys.key(of: username)
        else { return nil }
        let url = try client.api.authority(correlationID).endpoint(V1Endpoint.token.rawValue)
        do {
            request.deviceProof = try key.proof(
                for: token, at: url, date: client.api.serverClock.now(at: configuration.moment))
        } catch {
            // Without a proof the server asks for the second factor.
            return nil
        }
        guard remembersDevice else { return nil }
        request.rememberDevice = "true"
        return key
    }
}
