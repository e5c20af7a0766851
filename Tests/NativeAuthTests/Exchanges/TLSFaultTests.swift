import Foundation
import NativeAuthCore
import Testing

@testable import NativeAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a failed TLS connection is distinguished from other failures. Real listeners are in `EndToEndTests.TLSTests`.
@Suite("TLS faults") struct TLSFaultTests {
    @Test(
        "The words of curl, by version and library",
        arguments: [
            ("SSL certificate problem: certificate has expired", .certificateExpired),
            ("server certificate expiration date has passed.", .certificateExpired),
            ("SSL certificate problem: certificate is not yet valid", .certificateNotYetValid),
            ("server certificate not activated yet.", .certificateNotYetValid),
            (
                "SSL: no alternative certificate subject name matches target host name 'localhost'",
                .certificateOfOtherHost
            ),
            (
                "SSL: no alternative certificate subject name matches target ipv4 address '127.0.0.1'",
                .certificateOfOtherHost
            ),
            ("SSL: certificate subject name 'a' does not match target host name 'b'", .certificateOfOtherHost),
            ("SSL certificate problem: self-signed certificate", .certificateUntrusted),
            ("SSL certificate problem: self signed certificate in certificate chain", .certificateUntrusted),
            ("SSL certificate problem: unable to get local issuer certificate", .certificateUntrusted),
            ("server certificate verification failed. CAfile: /a CRLfile: none", .certificateUntrusted),
            ("SSL certificate problem: certificate revoked", .certificateRefused),
            ("SSL peer certificate or SSH remote key was not OK", .certificateRefused),
            ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", .notTLS),
            ("error:1408F10B:SSL routines:ssl3_get_record:wrong version number", .notTLS),
            ("TLS connect error: error:0A00010B:SSL routines::wrong version number", .notTLS),
            ("OpenSSL/3.0.19: error:0A000438:SSL routines::tlsv1 alert internal error", .handshakeFailed),
            ("OpenSSL SSL_connect: Connection reset by peer in connection to localhost:443", .handshakeFailed),
            ("gnutls_handshake() failed: Handshake failed", .handshakeFailed),
            ("SSL connect error", .handshakeFailed),
            // Bytes may have been sent, or the message is about something else.
            ("OpenSSL SSL_read: OpenSSL/3.0.19: error:0A00045C:SSL routines::tlsv13 alert certificate required", nil),
            ("OpenSSL SSL_write: Broken pipe, errno 32", nil), ("Recv failure: Connection reset by peer", nil),
            ("Empty reply from server", nil), ("", nil),
        ] as [(String, TLSFault?)])
    func words(_ words: String, _ fault: TLSFault?) {
        #expect(TLSFault(words: words) == fault)
        #if canImport(FoundationNetworking)
            let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: words])
            #expect(TLSFault(error) == fault)
            #expect(provesNothingWasSent(error) == (fault != nil))
        #endif
    }

    @Test(
        "The codes of Apple's systems",
        arguments: [
            (URLError.Code.serverCertificateHasBadDate, TLSFault.certificateExpired),
            (.serverCertificateNotYetValid, .certificateNotYetValid),
            (.serverCertificateUntrusted, .certificateUntrusted),
            (.serverCertificateHasUnknownRoot, .certificateUntrusted),
            (.clientCertificateRequired, .clientCertificateRequired), (.secureConnectionFailed, .handshakeFailed),
        ])
    func codes(_ code: URLError.Code, _ fault: TLSFault) {
        #expect(TLSFault(URLError(code)) == fault)
        #expect(provesNothingWasSent(URLError(code)))
    }

    @Test("No word of curl counts under another code, and other errors are none")
    func others() {
        let words = "SSL certificate problem: certificate has expired"
        #expect(TLSFault(URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: words])) == nil)
        #expect(TLSFault(TransportError.noAnswer) == nil)
        #expect(TLSFault(CancellationError()) == nil)
    }

    @Test("Each fault of a certificate says that it is not trusted, and has a text of its own")
    func texts() {
        let circumstances = TLSFault.allCases.map { ClientCondition($0) }
        #expect(Set(circumstances).count == TLSFault.allCases.count)
        for condition in circumstances where condition.rawValue.hasPrefix("certificate") {
            #expect(ErrorRemedy(condition).cause.hasPrefix("The server's certificate is not trusted: "))
        }
    }
}
