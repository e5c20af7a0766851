#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#else
    import Foundation
#endif

/// Why no TLS connection could be opened. No byte of the request was sent (`SDK-NET-1`).
enum TLSFault: CaseIterable {
    case certificateExpired
    case certificateNotYetValid
    /// The certificate is for other host names.
    case certificateOfOtherHost
    /// No authority that the system trusts has signed the certificate.
    case certificateUntrusted
    /// The system refuses the certificate for another reason, such as a revocation.
    case certificateRefused
    /// The server requires a client certificate.
    case clientCertificateRequired
    /// The server answered with something other than TLS, such as HTTP.
    case notTLS
    /// Client and server found no common version or cipher.
    case handshakeFailed

    /// Uses the error code; when it has none for TLS, as on Linux, uses curl's message.
    init?(_ error: any Error) {
        guard let error = error as? URLError, let fault = Self.byCode[error.code] ?? Self.reading(error) else {
            return nil
        }
        self = fault
    }

    private static let byCode: [URLError.Code: TLSFault] = [
        .secureConnectionFailed: .handshakeFailed, .serverCertificateHasBadDate: .certificateExpired,
        .serverCertificateNotYetValid: .certificateNotYetValid, .serverCertificateUntrusted: .certificateUntrusted,
        .serverCertificateHasUnknownRoot: .certificateUntrusted,
        .clientCertificateRejected: .clientCertificateRequired, .clientCertificateRequired: .clientCertificateRequired,
    ]

    private static func reading(_ error: URLError) -> TLSFault? {
        #if canImport(FoundationNetworking)
            error.code == .unknown ? TLSFault(words: error.localizedDescription) : nil
        #else
            nil
        #endif
    }

    /// Uses the message of curl, built with OpenSSL or GnuTLS; nil for a message that is not about opening a
    /// connection.
    ///
    /// Messages about reading and writing, `OpenSSL SSL_read: …`, occur when bytes may have been sent, so they are not
    /// included.
    init?(words: String) {
        let words = words.lowercased()
        let beginnings = [
            "ssl certificate problem", "ssl: ", "server certificate ", "ssl peer certificate", "tls connect error",
            "ssl connect error", "openssl/", "openssl ssl_connect", "error:", "gnutls_handshake",
        ]
        guard beginnings.contains(where: words.hasPrefix) else { return nil }
        func mentions(_ parts: String...) -> Bool { parts.contains { words.contains($0) } }
        self =
            if mentions("has expired", "expiration date has passed") {
                .certificateExpired
            } else if mentions("not yet valid", "not activated yet") {
                .certificateNotYetValid
            } else if mentions(
                "does not match", "no alternative certificate subject name", "unable to obtain common name")
            {
                .certificateOfOtherHost
            } else if mentions("self-signed", "self signed", "unable to get", "verification failed") {
                .certificateUntrusted
            } else if mentions(
                "wrong version number", "http request", "unexpected tls packet", "packet length too long")
            {
                .notTLS
            } else if mentions("certificate required") {
                .clientCertificateRequired
            } else if mentions(
                "certificate problem", "server certificate", "peer certificate", "certificate verify failed")
            {
                .certificateRefused
            } else {
                .handshakeFailed
            }
    }

    /// The fault for developers, in English. The operator of the server must change something, so release builds report
    /// it too.
    var sentence: String {
        switch self {
        case .certificateExpired:
            "The server's certificate is not trusted: it has expired."
        case .certificateNotYetValid:
            "The server's certificate is not trusted: it is not valid yet."
        case .certificateOfOtherHost:
            "The server's certificate is not trusted: it is for another host name."
        case .certificateUntrusted:
            "The server's certificate is not trusted: no authority that the system trusts has signed it."
        case .certificateRefused:
            "The server's certificate is not trusted: the system refuses it."
        case .clientCertificateRequired:
            "The server asks for a certificate of the client, and this library sends none."
        case .notTLS:
            "The server does not speak TLS at this port."
        case .handshakeFailed:
            "No encrypted connection came about: client and server could not agree."
        }
    }
}
