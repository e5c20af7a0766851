import IdentityEngine
import NativeAuthCore
import NativeAuthWire
import PortableFoundation

/// Why an authorization request ends on a page of ours: its answer has no address that is known to be the client's.
enum AuthorizePageFault: Error, Hashable, Sendable, CaseIterable {
    case malformed
    case unknownClient
    /// The application has no redirect address, or its user flow is closed.
    case notForBrowsers
    case redirectMissing
    case redirectNotRegistered
    /// The `request_uri` is unknown, used, too old, or of another application.
    case pushedRequestGone
}

/// An error for the client, at its redirect address (RFC 6749 section 4.1.2.1).
struct AuthorizeError: Error, Hashable, Sendable {
    var error: String
    /// The vendor's number; nil when it has none.
    var code: Int?
    /// A sentence of printable ASCII without quotation mark and backslash.
    var text: String

    /// The description as the vendor writes it.
    var description: String { code.map { "AADSTS\($0): \(text)" } ?? text }

    static func invalid(_ text: String, _ code: Int? = nil) -> Self {
        Self(error: "invalid_request", code: code, text: text)
    }
}

extension AuthorizeError {
    init(_ refusal: AuthorizationRefusal) {
        switch refusal {
        case .loginRequired:
            self.init(error: "login_required", code: 50_058, text: "No user is signed in, or not recently enough.")
        case .secondFactorNeeded:
            self.init(error: "interaction_required", code: 50_076, text: "The user must give a second factor.")
        case .registrationNeeded:
            self.init(
                error: "interaction_required", code: 50_079,
                text: "The user must register a method for a second factor.")
        case .confirmationNeeded:
            self.init(
                error: "interaction_required", code: 50_199, text: "The user must confirm the sign-in of an app.")
        case .signUpNotAllowed:
            self.init(error: "access_denied", code: nil, text: "The user flow has no sign-up.")
        case .consentNeeded:
            self.init(
                error: "consent_required", code: 65_001, text: "The user must allow what the application asks for.")
        case .declined:
            self.init(
                error: "access_denied", code: 65_004, text: "The user does not allow what the application asks for.")
        case .cancelled: self.init(error: "access_denied", code: nil, text: "The user cancelled.")
        case .policyUnsatisfied:
            self.init(
                error: "access_denied", code: 53_003, text: "The account cannot satisfy what the application requires.")
        }
    }
}

/// Where the answer to an authorization request goes.
struct AuthorizationReturn: Hashable, Sendable, Codable {
    var redirect: String
    var mode: AuthorizationRequest.ResponseMode
    var state: String?
}

/// Reads authorization requests, in the order of docs/protocol.md §21.1. Pure.
enum AuthorizeCodec {
    /// The parameter of a ticket, which an app puts into the address (docs/protocol.md §21.11).
    static let ticket = "ticket"
    static let longestMode = 64
    static let longestState = 4_096
    static let longestNonce = 512
    static let longestHint = 254
    static let longestClaims = 4_096
    /// What an application proves itself with when it pushes a request: no part of the request.
    static let proofs: Set<String> = ["client_secret", "client_assertion", "client_assertion_type"]

    /// The client and the redirect address: until both are known, nothing goes to the client.
    static func client(_ fields: FormFields) throws(AuthorizePageFault) -> (id: ClientID, redirect: String) {
        let id: String?
        let redirect: String?
        do {
            id = try fields.single("client_id")
            redirect = try fields.single("redirect_uri")
        } catch {
            throw .malformed
        }
        guard let client = id.flatMap({ ClientID($0) }) else { throw .unknownClient }
        guard let redirect, !redirect.isEmpty else { throw .redirectMissing }
        return (client, redirect)
    }

    /// What the answer of a request with faults needs.
    static func answer(_ fields: FormFields, redirect: String) -> AuthorizationReturn {
        // A repeated parameter is a fault of its own, below, and does not keep the other from the answer.
        func once(_ name: String) -> String? {
            do {
                return try fields.single(name)
            } catch {
                return nil
            }
        }
        var answer = AuthorizationReturn(redirect: redirect, mode: .query)
        if let text = once("response_mode"), text.utf8.count <= longestMode,
            let mode = AuthorizationRequest.ResponseMode(rawValue: text)
        {
            answer.mode = mode
        }
        if let state = once("state"), state.utf8.count <= longestState { answer.state = state }
        return answer
    }

    /// The rest of the request.
    ///
    /// - Parameter hinted: The user of `id_token_hint`, as the claim `sub`.
    /// - Throws: ``AuthorizeError`` for the first fault.
    static func request(
        _ fields: FormFields, _ client: Client, redirect: String, kind: RedirectAddresses.Kind, baseURL: String,
        hinted: String? = nil
    ) throws(AuthorizeError) -> AuthorizationRequest {
        try checkRepetitions(fields)
        func value(_ name: String, longest: Int) throws(AuthorizeError) -> String? {
            do {
                guard let value = try fields.single(name), !value.isEmpty else { return nil }
                guard value.utf8.count <= longest else { throw AuthorizeError.invalid("\(name) is too long.", 90_100) }
                return value
            } catch let error as AuthorizeError {
                throw error
            } catch {
                throw .invalid("\(name) must be given once.", 9_002_313)
            }
        }
        switch try value("response_type", longest: 256) {
        case "code": break
        case nil: throw .invalid("The request must contain response_type.", 900_144)
        case let type?
        where ["id_token", "token"].contains(where: type.split(separator: " ").map(String.init).contains):
            throw AuthorizeError(
                error: "unsupported_response_type", code: 700_054, text: "Only the response type code is supported.")
        case _:
            throw AuthorizeError(
                error: "unsupported_response_type", code: 70_005, text: "Only the response type code is supported.")
        }
        var mode = AuthorizationRequest.ResponseMode.query
        if let text = try value("response_mode", longest: longestMode) {
            guard let known = AuthorizationRequest.ResponseMode(rawValue: text) else {
                throw .invalid("response_mode is query, fragment or form_post.", 70_007)
            }
            mode = known
        }
        if try value("request", longest: .max) != nil {
            throw AuthorizeError(error: "request_not_supported", text: "Request objects are not supported.")
        }
        if try value("request_uri", longest: .max) != nil {
            throw AuthorizeError(error: "request_uri_not_supported", text: "Requests by reference are not supported.")
        }
        let challenge = try challenge(
            try value("code_challenge", longest: 256), try value("code_challenge_method", longest: 64), client)
        let key = try value("dpop_jkt", longest: 64)
        guard key.map(Engine.isThumbprint) ?? true else {
            throw .invalid("dpop_jkt is the thumbprint of a key: 43 characters of base64url.", 90_100)
        }
        let scopes = try scopes(try value("scope", longest: 4_096), client, baseURL: baseURL)
        let prompts = try prompts(try value("prompt", longest: 256))
        var maxAge: Int?
        if let text = try value("max_age", longest: 16) {
            guard let seconds = Int(text), seconds >= 0 else {
                throw .invalid("max_age is a number of seconds.", 90_100)
            }
            maxAge = seconds
        }
        var claims = try claims(try value("claims", longest: longestClaims))
        // RFC 9470 section 4. Other words are wishes that nothing here fulfils (OpenID Connect Core 1.0 section 3.1.2.1).
        for word in (try value("acr_values", longest: 256) ?? "").split(separator: " ").map(String.init)
        where ClaimsRequest.isContext(word) && !claims.contexts.contains(word) {
            claims.contexts.append(word)
        }
        return AuthorizationRequest(
            client: client.id, redirect: redirect, redirectKind: kind, responseMode: mode,
            state: try value("state", longest: longestState), nonce: try value("nonce", longest: longestNonce),
            challenge: challenge, scopes: scopes, prompts: prompts, maxAge: maxAge,
            loginHint: prompts.contains(.selectAccount) ? nil : try value("login_hint", longest: longestHint),
            contexts: claims.contexts, subject: hinted ?? claims.subject, key: key)
    }

    /// The parameters that a request can have. Others are ignored (RFC 6749 section 3.1).
    private static let parameters: Set<String> = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "prompt", "max_age", "login_hint", "domain_hint", "ui_locales", "claims", "acr_values",
        "id_token_hint", "request", "request_uri", "display", "dpop_jkt", ticket,
    ]

    private static func checkRepetitions(_ fields: FormFields) throws(AuthorizeError) {
        var seen: Set<String> = []
        for name in fields.names where parameters.contains(name) {
            guard seen.insert(name).inserted else { throw .invalid("\(name) must be given once.", 9_002_313) }
        }
    }

    /// Whether a text can be an S256 challenge.
    static func isChallenge(_ text: String) -> Bool { text.utf8.count == 43 && Base64URL.decode(text)?.count == 32 }

    /// OIDC-6. S256 alone, with its name (RFC 9700 section 2.1.1).
    private static func challenge(
        _ challenge: String?, _ method: String?, _ client: Client
    ) throws(AuthorizeError) -> String? {
        guard let challenge else {
            guard method == nil else { throw .invalid("code_challenge is missing.", 50_147) }
            guard client.isConfidential && !client.web.requiresPKCE else {
                throw .invalid("This application must send a code_challenge (PKCE).", 9_002_325)
            }
            return nil
        }
        guard method == "S256" else { throw .invalid("code_challenge_method must be S256.", 50_149) }
        guard isChallenge(challenge) else {
            throw .invalid("code_challenge must be 43 characters of base64url.", 501_491)
        }
        return challenge
    }

    private static func scopes(
        _ text: String?, _ client: Client, baseURL: String
    ) throws(AuthorizeError) -> [String] {
        guard let text else { throw .invalid("The request must contain scope.", 900_144) }
        // Standard scopes that are not offered are ignored (OpenID Connect Core 1.0 section 5.4).
        let words = text.split(separator: " ").map(String.init).filter { $0 != "address" && $0 != "phone" }
        switch client.judge(words, baseURL: baseURL) {
        case .granted: return words
        case .refused(.scopeNotConsented):
            throw AuthorizeError(
                error: "access_denied", code: 65_001, text: "The application may not ask for one of these scopes.")
        case .refused:
            throw AuthorizeError(
                error: "invalid_scope", code: 70_011,
                text: "scope must be OpenID scopes, and scopes of one resource.")
        }
    }

    private static func prompts(_ text: String?) throws(AuthorizeError) -> [AuthorizationRequest.Prompt] {
        var prompts: [AuthorizationRequest.Prompt] = []
        for word in (text ?? "").split(separator: " ").map(String.init) {
            // The vendor's SDKs send this word for a fresh sign-in.
            guard let prompt = word == "refresh_session" ? .login : AuthorizationRequest.Prompt(rawValue: word) else {
                throw .invalid("prompt has an unknown word.", 90_100)
            }
            if !prompts.contains(prompt) { prompts.append(prompt) }
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw .invalid("prompt=none stands alone.", 90_100)
        }
        return prompts
    }

    /// What `claims` asks for that is kept: authentication contexts, and a user (OpenID Connect Core 1.0 section 5.5).
    private static func claims(_ text: String?) throws(AuthorizeError) -> (contexts: [String], subject: String?) {
        struct Subject: Decodable {
            struct IDToken: Decodable {
                struct Value: Decodable { let value: String? }
                let sub: Value?
            }

            let idToken: IDToken?

            enum CodingKeys: String, CodingKey { case idToken = "id_token" }
        }
        guard let text else { return ([], nil) }
        do {
            let contexts = try WireJSON.decode(ClaimsRequest.self, from: Data(text.utf8)).demandedContexts
            guard contexts.count <= 16, contexts.allSatisfy(ClaimsRequest.isContext) else {
                throw AuthorizeError.invalid("claims asks for an unknown authentication context.", 90_100)
            }
            return (contexts, try JSONDecoder().decode(Subject.self, from: Data(text.utf8)).idToken?.sub?.value)
        } catch let error as AuthorizeError {
            throw error
        } catch {
            throw .invalid("claims is not an object of the OpenID Connect specification.", 90_100)
        }
    }
}
