import NIOCore
import NIOHTTP1

extension BenchScenario {
    /// Those with an application of their own.
    static let pages: Set<BenchScenario> = [.page, .pageSignUp, .authorize, .authorizeTokens]
}

/// A sign-up with a code on the hosted pages: each form is sent, and the page after it opened, as a browser does.
struct PageSignUpJourney: Journey {
    static let client = "44445555-eeee-6666-ffff-777788889999"
    static let redirect = "https%3A%2F%2Fapp.example.com%2Fcallback"
    static let origin = "https://app.example.com"
    /// Of RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let authorize = """
        /contoso/oauth2/v2.0/authorize?client_id=\(client)&response_type=code&redirect_uri=\(redirect)\
        &scope=openid%20offline_access&state=s&nonce=n&code_challenge_method=S256\
        &code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
        """
    static let tenant = """
        tenants:
          - id: aaaabbbb-0000-cccc-1111-dddd2222eeee
            subdomain: contoso
            domain: contoso.example.com
            displayName: Contoso
            applications:
              - clientId: \(client)
                displayName: Pages
                signIn: emailOneTimePasscode
                redirectUris: {spa: [\(origin)/callback]}

        """

    let cast: BenchCast
    private let address: String
    private var cookies: [String: String] = [:]
    /// The forms sent so far.
    private var forms = 0

    init(cast: BenchCast) {
        self.cast = cast
        address = cast.newcomer()
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        guard let reply else { return LoadRequest(step: "page: first", path: Self.authorize, form: nil) }
        for cookie in reply.cookies { cookies[cookie.name] = cookie.value }
        switch reply.status {
        case 303:
            guard let location = reply.headers.first(name: "location"), forms <= 3 else { throw failure(reply) }
            if forms == 3, let session = cookies.first(where: { $0.key.hasPrefix("na-s-") }) {
                let start = cookies.filter { $0.key.hasPrefix("na-b-") }.map { "\($0.key)=\($0.value); " }.joined()
                cast.add(browser: "\(start)\(session.key)=\(session.value)")
                return nil
            }
            return LoadRequest(step: "page: next", path: location, form: nil, headers: [cookie])
        case 200:
            guard let form = reply.form else { throw failure(reply) }
            forms += 1
            let fields =
                switch forms {
                case 1: ".action=switch"
                case 2: ".action=next&username=\(address)"
                case 3: ".action=next&code=\(BenchCast.code)"
                case _: throw failure(reply)
                }
            return LoadRequest(
                step: "page: form \(forms)", path: form.action, form: form.hidden + fields,
                headers: [cookie, ("sec-fetch-site", "same-origin")])
        case _: throw failure(reply)
        }
    }

    private var cookie: (name: String, value: String) {
        ("cookie", cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
    }

    private func failure(_ reply: LoadReply) -> JourneyFailure {
        JourneyFailure(text: "page \(forms): \(reply.status) \(String(buffer: reply.body).prefix(1000))")
    }
}

/// An authorization request of a browser with a session, and optionally the tokens for its code.
struct AuthorizeJourney: Journey {
    let cast: BenchCast
    let wantsTokens: Bool
    private var step = 0

    init(cast: BenchCast, wantsTokens: Bool) {
        self.cast = cast
        self.wantsTokens = wantsTokens
    }

    mutating func next(after reply: LoadReply?) throws(JourneyFailure) -> LoadRequest? {
        defer { step += 1 }
        guard let reply else {
            guard let cookie = cast.browser() else { throw JourneyFailure(text: "there is no browser with a session") }
            return LoadRequest(
                step: "authorize", path: PageSignUpJourney.authorize, form: nil, headers: [("cookie", cookie)])
        }
        if step == 1 {
            guard reply.status == 303, let code = reply.code else { throw failure(reply) }
            guard wantsTokens else { return nil }
            return LoadRequest(
                step: "tokens for the code", path: "/contoso/oauth2/v2.0/token",
                form: """
                    client_id=\(PageSignUpJourney.client)&grant_type=authorization_code&code=\(code)\
                    &redirect_uri=\(PageSignUpJourney.redirect)&code_verifier=\(PageSignUpJourney.verifier)
                    """, headers: [("origin", PageSignUpJourney.origin)])
        }
        guard reply.status == 200, reply.text("refresh_token") != nil else { throw failure(reply) }
        return nil
    }

    private func failure(_ reply: LoadReply) -> JourneyFailure {
        JourneyFailure(text: "authorize, step \(step): \(reply.status) \(String(buffer: reply.body).prefix(200))")
    }
}

extension LoadReply {
    /// The cookies that the server sets.
    fileprivate var cookies: [(name: String, value: String)] {
        headers["set-cookie"].compactMap { field in
            guard let equals = field.firstIndex(of: "=") else { return nil }
            let value = field[field.index(after: equals)...].prefix { $0 != ";" }
            return (String(field[..<equals]), String(value))
        }
    }

    /// The code in the address that a browser is sent to.
    fileprivate var code: Substring? {
        guard let location = headers.first(name: "location"), let begin = location.firstRange(of: "?code=") else {
            return nil
        }
        return location[begin.upperBound...].prefix { $0 != "&" }
    }

    /// The page's first form: its address, and its hidden fields, each with `&` behind. Their values are base64url or digits.
    fileprivate var form: (action: String, hidden: String)? {
        let html = String(buffer: body)
        guard let begin = html.firstRange(of: "<form method=\"post\" action=\""),
            let end = html[begin.upperBound...].firstRange(of: "</form>")
        else { return nil }
        let form = html[begin.upperBound..<end.lowerBound]
        var (hidden, rest) = ("", form)
        while let tag = rest.firstRange(of: "<input type=\"hidden\" name=\"") {
            let parts = rest[tag.upperBound...].split(separator: "\"", maxSplits: 3, omittingEmptySubsequences: false)
            guard parts.count == 4 else { return nil }
            hidden += "\(parts[0])=\(parts[2])&"
            rest = parts[3]
        }
        return (String(form.prefix { $0 != "\"" }), hidden)
    }
}
