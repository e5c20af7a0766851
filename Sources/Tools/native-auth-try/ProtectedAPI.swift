import NativeAuth
import PortableFoundation

/// The sample API of a development server that requires an access token, called as an app calls its own API.
struct ProtectedAPI: Sendable {
    /// The API's answer to a valid token.
    struct Greeting: Decodable {
        let message: String
        let audience: String
        let scopes: [String]
        /// The authentication contexts that the token proves.
        let acrs: [String]
    }

    /// How the API answered a call.
    enum CallResult {
        case greeting(Greeting)
        /// 401 with `insufficient_user_authentication`: the token is valid, but must also prove this context (RFC
        /// 9470).
        case stepUp(context: String)
        /// 401: the token is not valid, or no longer.
        case unauthorized
        /// There is no such API: the server is not a development server.
        case absent
        case other(status: Int)
    }

    /// `http://127.0.0.1:8765/dev/api/contoso`, with `?acrs=c1` for the part that requires a second factor.
    let url: String
    private let transport = URLSessionTransport()

    init(_ place: TryPlace, context: String?) {
        url = "\(place.baseURL)/dev/api/\(place.tenant)" + (context.map { "?acrs=\($0)" } ?? "")
    }

    /// - Throws: ``TryEnd/failed(_:)`` when no answer comes.
    func call(_ token: AccessToken) async throws(TryEnd) -> CallResult {
        guard let url = URL(string: url) else { throw .failed("\(url) is not a URL.") }
        let response: TransportResponse
        do {
            response = try await transport.send(
                TransportRequest(
                    method: "GET", url: url,
                    headers: ["accept": "application/json", "authorization": "Bearer \(token.value)"],
                    body: Data()))
        } catch is CancellationError {
            throw .endOfInput
        } catch {
            throw .failed("No answer came from \(self.url). Is the server still there?")
        }
        switch response.status {
        case 200:
            do {
                return .greeting(try JSONDecoder().decode(Greeting.self, from: response.body))
            } catch {
                return .absent
            }
        case 401:
            let challenge = response.headers["www-authenticate"] ?? ""
            guard Self.value(of: "error", in: challenge) == "insufficient_user_authentication",
                let context = Self.value(of: "acr_values", in: challenge), Self.isContext(context)
            else { return .unauthorized }
            return .stepUp(context: context)
        case 404: return .absent
        case let status: return .other(status: status)
        }
    }

    /// The claims request that asks for a token with this authentication context (docs/protocol.md §5.4).
    static func claims(for context: String) -> String {
        #"{"access_token":{"acrs":{"essential":true,"value":"\#(context)"}}}"#
    }

    /// The text of `name="text"` in a challenge.
    private static func value(of name: String, in challenge: String) -> String? {
        for parameter in challenge.split(whereSeparator: { $0 == "," || $0 == " " }) {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name { return parts[1].filter { $0 != "\"" } }
        }
        return nil
    }

    /// Whether the text has only letters and digits: it is put into JSON and printed on a screen.
    private static func isContext(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 16 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
}
