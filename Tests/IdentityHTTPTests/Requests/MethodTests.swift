import HTTPTypes
import Hummingbird
import HummingbirdCore
import IdentityHTTP
import Testing

@Suite("Methods") struct MethodTests {
    @Test(
        "SEC-LOG-1: a method that the standard does not have is refused before a log line, a label or a span has it",
        arguments: ["XYZZY", "get", "PROPFIND", String(repeating: "A", count: 7_900)])
    func unknownMethods(_ name: String) async throws {
        let method = try #require(HTTPRequest.Method(name))
        try await withIdentityServer { server in
            for path in ["/", "/livez", "/contoso.onmicrosoft.com/signup/v1.0/start", "/nowhere"] {
                let response = try await Outside(server).send(
                    HTTPRequest(method: method, scheme: "http", authority: "identity.test", path: path), from: nil)
                #expect(response.status == .methodNotAllowed)
                #expect(response.headers[.allow]?.contains("POST") == true)
                #expect(response.headers[.contentType] == "application/json; charset=utf-8")
            }
        }
    }
}
