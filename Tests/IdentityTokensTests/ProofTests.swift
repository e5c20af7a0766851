import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityTokens

@Suite("Proofs of possession") struct ProofTests {
    private func thumbprint(_ jwk: String) throws -> String? {
        try JSONDecoder().decode(ProofKey.self, from: Data(jwk.utf8)).publicKey?.thumbprint
    }

    @Test("SEC-OAUTH-9: the thumbprints of RFC 7638 section 3.1, RFC 8037 appendix A.3 and RFC 9449 section 6.1")
    func thumbprints() throws {
        let rsa = """
            {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}
            """
        #expect(try thumbprint(rsa) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        let edDSA = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        #expect(try thumbprint(edDSA) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        let p256 = """
            {"kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",\
            "y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA","crv":"P-256"}
            """
        #expect(try thumbprint(p256) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        // One key has one spelling, and so one thumbprint.
        #expect(try thumbprint(rsa.replacing("\"AQAB\"", with: "\"AAEAAQ\"")) == nil)
        #expect(try thumbprint(rsa.replacing("\"AQAB\"", with: "\"AQAAAAAB\"")) == nil, "an exponent of 48 bits")
        #expect(try thumbprint(p256.replacing("\"P-256\"", with: "\"P-256\",\"d\":\"AA\"")) == nil)
    }

    @Test("SEC-OAUTH-9: the proof of RFC 9449 section 4.1 is read")
    func knownProof() async throws {
        let proof = """
            eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscE\
            JoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19\
            .eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwia\
            WF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg
            """
        let read = try KeyRing.fixture().verifyProof(proof)
        #expect(
            read
                == VerifiedProof(
                    key: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I", method: "POST",
                    target: "https://server.example.com/token", issuedAt: Date(timeIntervalSince1970: 1_562_262_616),
                    id: "-BwC3ESc6acc2lTc"))
        #expect(throws: ProofFault.wrongSignature) {
            _ = try KeyRing.fixture().verifyProof(proof.replacing(".2-GxA6", with: ".3-GxA6"))
        }
    }
}
