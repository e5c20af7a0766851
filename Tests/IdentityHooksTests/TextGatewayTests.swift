import IdentityEngine
import NativeAuthCore
import PortableFoundation
import Testing

@testable import IdentityHooks

/// The gateway's address, its answers and the signature of its reports. Whole requests are played by an independent program:
/// scripts/check-texts.
@Suite("The gateway for texts") struct TextGatewayTests {
    private func judged(_ status: Int, _ body: String = "") -> TextFailure? {
        do throws(TextFailure) {
            try HTTPTextGateway.judge(
                OutgoingHTTP.Answer(status: status, contentType: "application/json", body: Data(body.utf8)))
            return nil
        } catch {
            return error
        }
    }

    @Test("SEC-SMS-11: what is tried again, what is the number's fault, and what is neither")
    func answers() {
        for status in [200, 201, 202] {
            #expect(judged(status, #"{"sid":"SM1","status":"queued"}"#) == nil)
            #expect(judged(status, "<html>Sign in to this network</html>") == .rejected(code: status))
            #expect(judged(status) == .rejected(code: status))
        }
        for status in [401, 403, 408, 429, 500, 502, 503, 599] {
            #expect(judged(status, #"{"code":21211}"#) == .temporary("status-\(status)"), "\(status)")
        }
        for code in [21_211, 21_408, 21_610, 21_614, 30_450] {
            #expect(judged(400, #"{"code":\#(code),"message":"Contoso: 12345678"}"#) == .numberRefused(code: code))
        }
        #expect(judged(400, #"{"code":20429}"#) == .temporary("code-20429"))
        #expect(judged(400, #"{"code":21606}"#) == .rejected(code: 21_606))
        for body in [
            "", "null", "[1]", #"{"code":"21211"}"#, #"{"code":1e99}"#, #"{"code":null}"#, "Contoso: 12345678",
        ] {
            #expect(judged(400, body) == .rejected(code: 400), "\(body)")
        }
        #expect(judged(302) == .rejected(code: 302) && judged(404) == .rejected(code: 404))
    }

    @Test(
        "SEC-SMS-13: an address names account, secret and host, over TLS but for this machine",
        arguments: [
            ("https://AC123:s3cret@api.example.com", "https://api.example.com"),
            ("https://AC123:s3cret@api.example.com/", "https://api.example.com"),
            ("https://AC123:s3cret@sms.example.com:8443/gate/", "https://sms.example.com:8443/gate"),
            ("http://AC123:s3cret@127.0.0.1:9000", "http://127.0.0.1:9000"),
            ("http://AC123:s3cret@localhost:9000", "http://localhost:9000"),
        ])
    func address(_ text: String, _ base: String) throws {
        let address = try #require(TextGatewayAddress(text))
        #expect(address.base == base && address.account == "AC123" && address.secret.reveal() == "s3cret")
        #expect(!"\(address)".contains("s3cret"))
    }

    @Test(
        "SEC-SMS-13: other addresses are refused",
        arguments: [
            "", "api.example.com", "https://api.example.com", "https://AC123@api.example.com",
            "https://AC123:@api.example.com", "https://:x@api.example.com", "http://AC123:x@api.example.com",
            "http://AC123:x@10.0.0.1", "http://AC123:x@127.0.0.1.example.com", "ftp://AC123:x@api.example.com",
            "https://AC123:x@api.example.com?a=b", "https://AC123:x@api.example.com#a", "https://A/C:x@api.example.com",
            "https://A%2F..%2FC:x@api.example.com", "file://AC123:x@/etc/passwd",
        ])
    func refusedAddress(_ text: String) {
        #expect(TextGatewayAddress(text) == nil)
    }

    @Test("SEC-SMS-12: the signature is that of the published example, and of nothing else")
    func signature() throws {
        let gateway = try #require(TextGatewayAddress("https://AC123:12345@api.example.com"))
        let url = "https://mycompany.com/myapp.php?foo=1&bar=2"
        let fields = [
            (name: "To", value: "+18005551212"), ("CallSid", "CA1234567890ABCDE"), ("Digits", "1234"),
            ("From", "+12349013030"), ("Caller", "+12349013030"),
        ]
        let signature = "0/KCTR6DLpKmkAf8muzZqo1nDgQ="
        #expect(gateway.signed(url, fields, as: signature))
        #expect(!gateway.signed(url + "&", fields, as: signature))
        #expect(!gateway.signed(url, Array(fields.dropLast()), as: signature))
        #expect(!gateway.signed(url, fields + [(name: "X", value: "")], as: signature))
        for wrong in ["", "0/KCTR6DLpKmkAf8muzZqo1nDgQ", "1/KCTR6DLpKmkAf8muzZqo1nDgQ=", "AAAA"] {
            #expect(!gateway.signed(url, fields, as: wrong), "\(wrong)")
        }
        let other = try #require(TextGatewayAddress("https://AC123:12346@api.example.com"))
        #expect(!other.signed(url, fields, as: signature))
    }
}
