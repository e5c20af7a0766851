import Foundation
import NativeAuthCore
import Testing

@testable import IdentityEngine

/// What an authorization request gets, for every kind of request, session and account.
@Suite("Authorization requests")
struct AuthorizationRequestTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let user = UserID(UUID())

    private static func signIn(
        knowsPassword: Bool = true, hasPassword: Bool = true, methods: [StrongMethod] = [], age: Double = 100
    ) throws -> BrowserSignIn {
        let email = try #require(EmailAddress("dana@example.com"))
        let tenant = TenantID(UUID())
        let authentication = Authentication(
            account: .account(user, credentialVersion: 0), email: email, origin: .signIn, knowsPassword: knowsPassword,
            mailboxes: knowsPassword ? [] : [email], authenticatedAt: now - age,
            capabilities: [.mfaRequired, .registrationRequired])
        return BrowserSignIn(
            session: BrowserSession(
                id: UUID(), tenant: tenant, digest: Data(count: 32), authentication: authentication,
                createdAt: now - age, seenAt: now, isKept: false),
            account: UserAccount(
                user: User(
                    id: user, tenant: tenant, email: "dana@example.com", alias: "dana", hasPassword: hasPassword,
                    attributes: [:], createdAt: now - 1_000),
                passwordHash: hasPassword ? PasswordHash(phc: "$x$") : nil, credentialsChangedAt: now - 1_000,
                strongMethods: methods))
    }

    private static func request(
        _ kind: RedirectAddresses.Kind = .web, _ prompts: [AuthorizationRequest.Prompt] = [], maxAge: Int? = nil,
        hint: String? = nil, contexts: [String] = [], subject: String? = nil
    ) -> AuthorizationRequest {
        AuthorizationRequest(
            client: ClientID(UUID()), redirect: "https://a.example/", redirectKind: kind, responseMode: .query,
            scopes: ["openid"], prompts: prompts, maxAge: maxAge, loginHint: hint, contexts: contexts,
            subject: subject)
    }

    private static func demand(_ contexts: [String] = [], isRequired: Bool = false) -> FactorDemand {
        FactorDemand(contexts: contexts, isRequired: isRequired, distinctMailbox: false, now: now)
    }

    private func judged(
        _ request: AuthorizationRequest, _ session: BrowserSignIn?, _ demand: FactorDemand = demand(),
        allowsSignUp: Bool = true, isConfirmed: Bool = false
    ) -> AuthorizationVerdict {
        request.judged(
            session, subject: session.map { _ in "sub-dana" }, demand, allowsSignUp: allowsSignUp,
            isConfirmed: isConfirmed, now: Self.now)
    }

    @Test(
        "Without a session a request gets the page of the sign-in, and a silent one login_required",
        arguments: RedirectAddresses.Kind.allCases)
    func withoutSession(_ kind: RedirectAddresses.Kind) {
        #expect(judged(Self.request(kind), nil) == .signIn)
        #expect(judged(Self.request(kind, [.login]), nil) == .signIn)
        #expect(judged(Self.request(kind, [.selectAccount]), nil) == .signIn)
        #expect(judged(Self.request(kind, [.create]), nil) == .signUp)
        #expect(judged(Self.request(kind, [.create]), nil, allowsSignUp: false) == .refused(.signUpNotAllowed))
        #expect(judged(Self.request(kind, [.none]), nil) == .refused(.loginRequired))
    }

    @Test("OIDC-17: with a session a web application gets a code at once, and an app's user is asked first")
    func withSession() throws {
        let session = try Self.signIn()
        for kind in [RedirectAddresses.Kind.web, .spa] {
            #expect(judged(Self.request(kind), session) == .code(contexts: []))
            #expect(judged(Self.request(kind, [.none]), session) == .code(contexts: []))
        }
        #expect(judged(Self.request(.publicClient), session) == .confirm)
        #expect(judged(Self.request(.publicClient), session, isConfirmed: true) == .code(contexts: []))
        #expect(judged(Self.request(.publicClient, [.none]), session) == .refused(.confirmationNeeded))
        #expect(judged(Self.request(.web, [.selectAccount]), session) == .confirm)
        #expect(judged(Self.request(.web, [.consent]), session) == .confirm)
        #expect(judged(Self.request(.web, [.create]), session) == .signUp)
    }

    @Test(
        "OIDC-13: prompt=login and max_age ask for a proof in this flow, whatever the user has confirmed",
        arguments: [false, true])
    func freshness(isConfirmed: Bool) throws {
        let session = try Self.signIn(age: 100)
        for request in [
            Self.request(.web, [.login]), Self.request(maxAge: 0), Self.request(maxAge: 99),
        ] {
            #expect(judged(request, session, isConfirmed: isConfirmed) == .signIn)
        }
        #expect(judged(Self.request(maxAge: 100), session, isConfirmed: isConfirmed) == .code(contexts: []))
        #expect(judged(Self.request(.web, [.none], maxAge: 99), session) == .refused(.loginRequired))
    }

    @Test(
        "OIDC-16: a hint of another user selects no session silently, and the one of id_token_hint is the only answer")
    func hints() throws {
        let session = try Self.signIn()
        for own in ["dana@example.com", "DANA@example.com", "dana"] {
            #expect(judged(Self.request(hint: own), session) == .code(contexts: []))
        }
        #expect(judged(Self.request(hint: "kim@example.com"), session) == .confirm)
        #expect(judged(Self.request(.web, [.none], hint: "kim@example.com"), session) == .refused(.loginRequired))
        #expect(judged(Self.request(subject: "sub-dana"), session) == .code(contexts: []))
        #expect(judged(Self.request(subject: "sub-kim"), session) == .signIn)
        #expect(judged(Self.request(subject: "sub-kim"), session, isConfirmed: true) == .signIn)
        #expect(judged(Self.request(.web, [.none], subject: "sub-kim"), session) == .refused(.loginRequired))
    }

    @Test(
        "SEC-MFA-1, OIDC-15: a session states no more than it proved; the missing factor is asked for alone",
        arguments: [true, false])
    func factors(byContext: Bool) throws {
        let demand = byContext ? Self.demand(["c1"]) : Self.demand(isRequired: true)
        let method = StrongMethod(
            id: UUID(), email: try #require(EmailAddress("second@example.org")), provenAt: Self.now - 500)
        let (enrolled, bare) = (try Self.signIn(methods: [method]), try Self.signIn())
        #expect(judged(Self.request(), enrolled, demand) == .stepUp)
        #expect(judged(Self.request(), bare, demand) == .stepUp)
        #expect(judged(Self.request(.web, [.none]), enrolled, demand) == .refused(.secondFactorNeeded))
        #expect(judged(Self.request(.web, [.none]), bare, demand) == .refused(.registrationNeeded))
        var full = enrolled
        full.session.authentication = full.session.authentication.proving(method, at: Self.now)
        #expect(judged(Self.request(), full, demand) == .code(contexts: demand.contexts))
        let codes = try Self.signIn(knowsPassword: false, hasPassword: false)
        #expect(judged(Self.request(), codes, demand) == .signIn)
        #expect(judged(Self.request(.web, [.none]), codes, demand) == .refused(.secondFactorNeeded))
    }

    @Test(
        "SEC-WEB-6: a session ends half an hour after its last use, and a day after its beginning; a kept one after weeks"
    )
    func lifetimes() throws {
        var signIn = try Self.signIn(age: 0)
        #expect(signIn.isLive(Self.now + 1_799) && !signIn.isLive(Self.now + 1_800))
        signIn.session.seenAt = Self.now + 86_000
        #expect(signIn.isLive(Self.now + 86_399) && !signIn.isLive(Self.now + 86_400))
        signIn.session.isKept = true
        #expect(signIn.isLive(Self.now + 13 * 86_400))
        #expect(!signIn.isLive(Self.now + 86_000 + 14 * 86_400))
        signIn.session.seenAt = Self.now + 89 * 86_400
        #expect(signIn.isLive(Self.now + 90 * 86_400 - 1) && !signIn.isLive(Self.now + 90 * 86_400))
    }

    @Test("SEC-WEB-18: a session ends with the credentials, and with the account")
    func ends() throws {
        var signIn = try Self.signIn()
        #expect(signIn.isLive(Self.now))
        signIn.account.tokensFromVersion = 1
        #expect(!signIn.isLive(Self.now))
        signIn.account.tokensFromVersion = 0
        signIn.account.disabledAt = Self.now
        #expect(!signIn.isLive(Self.now))
    }
}
