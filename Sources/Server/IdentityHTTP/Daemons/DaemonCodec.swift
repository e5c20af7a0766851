import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Parses a daemon's form and header. Pure.
enum DaemonCodec {
    /// A daemon's request, parsed.
    struct Request {
        var daemon: ClientID
        /// One is right.
        var proofs: [DaemonProof]
        var scopes: [String]
    }

    /// Whether the form asks for a daemon's token.
    static func isOfDaemon(_ form: FormFields) throws(RequestFault) -> Bool {
        try grant(of: form) == .clientCredentials
    }

    /// Whether the form exchanges a code, of a device too, or a refresh token, also for a ticket: only there a secret of a public application is a fault.
    static func isExchange(_ form: FormFields) throws(RequestFault) -> Bool {
        let grant = try grant(of: form)
        return grant == .authorizationCode || grant == .refreshToken || grant == .deviceCode || grant == .tokenExchange
    }

    private static func grant(of form: FormFields) throws(RequestFault) -> GrantType? {
        do {
            return try form.word("grant_type").map { GrantType(rawValue: $0) }
        } catch {
            throw .malformed(error)
        }
    }

    /// - Parameter basic: The part of the header `Authorization` after `Basic `; nil when there is no such header.
    /// - Throws: ``RequestFault`` for the first fault of the form.
    static func request(_ form: FormFields, basic: String?) throws(RequestFault) -> Request {
        let form = try clientCredentials(form)
        var proofs: [DaemonProof] = []
        var client = form.clientID.flatMap { ClientID($0) }
        if form.clientID != nil, client == nil { throw .invalid(parameter: "client_id") }
        if let basic {
            let credentials = BasicCredentials(basic)
            if let credentials, let client, credentials.client != client { throw .invalid(parameter: "client_id") }
            client = client ?? credentials?.client
            // An unreadable header is a wrong secret.
            proofs.append(.secret(credentials?.secret ?? Secret("")))
        }
        guard let client else { throw .invalid(parameter: "client_id") }
        if let secret = form.clientSecret, !secret.reveal().isEmpty { proofs.append(.secret(secret)) }
        if let assertion = form.clientAssertion {
            guard form.clientAssertionType == ClientCredentialsRequest.assertionType else {
                throw .invalid(parameter: "client_assertion_type")
            }
            proofs.append(.assertion(assertion))
        }
        return Request(daemon: client, proofs: proofs, scopes: form.scopes ?? [])
    }

    private static func clientCredentials(_ form: FormFields) throws(RequestFault) -> ClientCredentialsRequest {
        do {
            return try ClientCredentialsRequest(form: form)
        } catch {
            throw .malformed(error)
        }
    }
}

/// The credentials of HTTP Basic: client id and secret, each percent-encoded (RFC 6749 section 2.3.1).
private struct BasicCredentials {
    var client: ClientID?
    var secret: Secret<String>

    /// - Returns: Nil for text that is not Base64 of `ID:SECRET`.
    init?(_ credentials: String) {
        guard let decoded = Data(base64Encoded: credentials), let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
            let name = Self.text(decoded[..<colon]), let secret = Self.text(decoded[(colon + 1)...])
        else { return nil }
        client = ClientID(name)
        self.secret = Secret(secret)
    }

    private static func text(_ encoded: Data) -> String? {
        do {
            let names = try FormFields(decoding: encoded).names
            return names.count == 1 ? names.first : nil
        } catch {
            // Text that is not percent-encoded is no name and no secret.
            return nil
        }
    }
}
