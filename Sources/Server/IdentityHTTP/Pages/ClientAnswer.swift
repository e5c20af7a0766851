import HTTPTypes
import Hummingbird
import IdentityEngine
import NIOCore
import NativeAuthCore
import NativeAuthWire

/// The answer to an authorization request, on its way to the client (RFC 6749 section 4.1.2, RFC 9207).
struct ClientAnswer: Sendable {
    var to: AuthorizationReturn
    /// In order, without `state` and `iss`.
    var members: [(String, String)]
    /// The issuer, as discovery names it.
    var issuer: String

    static func code(_ code: Secret<String>, to: AuthorizationReturn, issuer: String) -> Self {
        Self(to: to, members: [("code", code.reveal())], issuer: issuer)
    }

    static func error(_ error: AuthorizeError, to: AuthorizationReturn, issuer: String) -> Self {
        Self(to: to, members: [("error", error.error), ("error_description", error.description)], issuer: issuer)
    }

    var fields: [(String, String)] { members + (to.state.map { [("state", $0)] } ?? []) + [("iss", issuer)] }

    /// The redirect address with the answer in its query or fragment.
    var address: String {
        let answer = Console.query(fields)
        switch to.mode {
        case .fragment: return "\(to.redirect)#\(answer)"
        case .query, .formPost:
            let separator = !to.redirect.contains("?") ? "?" : to.redirect.hasSuffix("?") ? "" : "&"
            return to.redirect + separator + answer
        }
    }

    /// Whether a browser hands the address to a program, by a scheme of its own.
    var isForProgram: Bool {
        !to.redirect.lowercased().hasPrefix("https:") && !to.redirect.lowercased().hasPrefix("http:")
    }
}

extension AuthorizationRequest {
    var answer: AuthorizationReturn { AuthorizationReturn(redirect: redirect, mode: responseMode, state: state) }
}
