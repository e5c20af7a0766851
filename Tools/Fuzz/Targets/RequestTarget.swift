import Foundation
import IdentityEngine
import IdentityStoreSQL
import NativeAuth
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire

/// Whole requests through the router: flows with modified steps, order, fields, headers and methods. Every answer is
/// documented JSON, none is a 5xx, and no client gets tokens or an account for a mailbox that it did not prove.
struct RequestTarget: Target {
    static let name = "requests"
    /// It gets a tenth of the others' inputs (docs/develop/testing.md).
    static let share = (release: 10, debug: 10)
    /// The number of requests to one server.
    static let series = 50

    private static let me = "me@example.com"
    private static let mine = [me, "newme@example.com", "me.too@example.net"]
    private static let victims = ["dana@example.com", "otto@example.com"]
    private static let stranger = "stranger@example.net"
    private static let password = "Kr4ftig-Vinter#82"
    private static let applications = [
        TestTenant.Application.emailOneTimePasscode, .emailPassword,
        .init(
            clientID: "33334444-dddd-5555-eeee-6666ffff7777", userFlow: .emailPassword,
            attributes: [.required("country"), .required("city")], requiresSecondFactor: true),
    ]

    private let mutator = Mutator(
        ["a=b", "client_id=00001111-aaaa-2222-bbbb-3333cccc4444"],
        words: [
            "&", "=", "%", "%00", "%0D%0A", "[]", "+", "\0", "é", "%FF", "&continuation_token=", "&grant_type=oob",
            "&grant_type=password",
            "&username=dana%40example.com", "&oob=00000000", "&scope=openid", "&challenge_type=oob+password+redirect",
            "&attributes=%7B%7D",
            "&claims=%7B%22access_token%22%3A%7B%22acrs%22%3A%7B%22essential%22%3Atrue%2C%22value%22%3A%22c1%22%7D%7D%7D",
            "&refresh_token=",
            "&capabilities=mfa_required+registration_required", String(repeating: "x", count: 300),
            String(repeating: "&a=b", count: 65),
        ], bytes: [[0xFF]])
    private var walk: Walk?
    private var seriesBegun: UInt64 = 0

    /// The knowledge of one client, which has only the mailboxes `mine`.
    private struct Walk {
        let tenant: TestTenant
        let application: TestTenant.Application
        var tokens: [String] = []
        var refreshTokens: [String] = []
        var accessTokens: [String] = []
    }

    mutating func begin() async throws {
        if let walk { try await Self.checkAccounts(walk.tenant) }
        seriesBegun += 1
        let tenant = try TestTenant(seed: seriesBegun) { settings in
            settings.applications = Self.applications
            settings.users = [
                .init(Self.victims[0], password: "Unknown-\(UInt64.max)-Vinter", secondFactors: ["dana@example.org"]),
                .init(Self.victims[1]), .init(Self.me, password: Self.password),
            ]
        }
        // Waits until the users exist.
        try await tenant.setDisabled(false, Self.me)
        walk = Walk(tenant: tenant, application: Self.applications[Int(seriesBegun) % Self.applications.count])
    }

    /// The seed of a request.
    func input(_ chance: inout Chance) -> [UInt8] { chance.bytes(8) }

    mutating func check(_ input: [UInt8]) async throws -> Bool {
        guard var walk else { return false }
        defer { self.walk = walk }
        var chance = Chance(seed: input.reduce(0) { $0 << 8 | UInt64($1) })
        guard let request = try await request(&chance, walk) else { return false }
        let response = try await walk.tenant.server.transport.send(request)
        let shown = "\(request.method) \(request.url) → \(response.status)"
        try demand(
            [200, 201, 303, 400, 401, 403, 404, 405, 413, 414, 415, 421, 429, 431].contains(response.status),
            "\(shown): \(String(decoding: response.body, as: UTF8.self))")
        try await take(response, shown, &walk)
        return response.status == 200
    }

    // MARK: Answers

    private func take(_ response: TransportResponse, _ shown: String, _ walk: inout Walk) async throws {
        if shown.hasPrefix("HEAD ") { return try demand(response.body.isEmpty, "\(shown): a body") }
        if response.status == 303 {
            // A form that a browser posted to the authorization endpoint is sent on as GET, to this server only.
            return try demand(
                shown.contains("/\(MetadataEndpoint.authorize.rawValue)")
                    && response.headers["location"]?.hasPrefix("https://contoso.ciamlogin.com/") == true,
                "\(shown): sent on to \(response.headers["location"] ?? "no address")")
        }
        // RFC 6750 section 3: the answer is in a header.
        if response.body.isEmpty {
            return try demand(
                response.headers["www-authenticate"] != nil || response.status == 200, "\(shown): no body")
        }
        guard response.headers["content-type"]?.hasPrefix("application/json") == true else {
            // These are for browsers: they answer with a page.
            let isPage =
                ([MetadataEndpoint.authorize, .logout].contains { shown.contains("/\($0.rawValue)") }
                    || [" ", "?"].contains { shown.contains("/\(MetadataEndpoint.devicePage.rawValue)\($0)") })
                && response.headers["content-type"] == "text/html; charset=utf-8" && response.headers["location"] == nil
            return try demand(response.status == 200 || isPage, "\(shown): an error that is no JSON")
        }
        let members: [String: JSONValue]
        do {
            members = try JSONDecoder().decode([String: JSONValue].self, from: response.body)
        } catch {
            throw Finding("\(shown): no JSON object")
        }
        if ![200, 201].contains(response.status) {
            for name in ["error", "error_description", "timestamp", "trace_id", "correlation_id"] {
                try demand(members[name]?.string?.isEmpty == false, "\(shown): no \(name)")
            }
            guard case .array = members["error_codes"] else { throw Finding("\(shown): no error_codes") }
        }
        if let token = members["continuation_token"]?.string { walk.tokens.append(token) }
        if let token = members["refresh_token"]?.string { walk.refreshTokens.append(token) }
        for name in ["access_token", "id_token"] {
            guard let token = members[name]?.string else { continue }
            if name == "access_token" { walk.accessTokens.append(token) }
            try await checkOwner(of: token, walk, shown)
        }
    }

    /// The tokens are those of an account of mine.
    private func checkOwner(of token: String, _ walk: Walk, _ shown: String) async throws {
        let parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let oid = try JSONDecoder().decode([String: JSONValue].self, from: payload)["oid"]?.string,
            let id = UUID(uuidString: oid), let tenant = try await walk.tenant.server.engine.tenant(named: "contoso"),
            let account = try await walk.tenant.server.store.account(UserID(id), in: tenant.id)
        else { throw Finding("\(shown): a token of no account") }
        try demand(Self.mine.contains(account.user.email.lowercased()), "\(shown): a token of \(account.user.email)")
    }

    /// The accounts are the initial ones, and those whose mailbox is mine.
    private static func checkAccounts(_ tenant: TestTenant) async throws {
        for row in try await tenant.server.rows("SELECT display FROM identifiers WHERE kind = 'email'") {
            let email = (row.first ?? nil) ?? ""
            try demand(
                (mine + victims).contains(email.lowercased()), "an account of \(email), whose mailbox was not proven")
        }
    }

    // MARK: Requests

    private func request(_ chance: inout Chance, _ walk: Walk) async throws -> TransportRequest? {
        let (path, form) = try await step(&chance, walk)
        var body = Array(form.encoded.utf8)
        if chance.percent(15) { body = mutator.mutated(body, &chance) }
        if chance.below(300) == 0 { body += [UInt8](repeating: 0x26, count: 65_536 - body.count + chance.below(2)) }
        var (tenant, method, query) = ("contoso.onmicrosoft.com", "POST", "")
        var headers = ["content-type": "application/x-www-form-urlencoded"]
        if chance.percent(4) {
            tenant = chance.pick([
                "contoso", "CONTOSO", "fabrikam", "..", "%2e%2e", "aaaabbbb-0000-cccc-1111-dddd2222eeee", "%00", "é",
                "",
            ])
        }
        if chance.percent(4) {
            method = chance.pick(["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "PATCH", "BREW"])
        }
        if chance.percent(4) {
            query =
                "?"
                + chance.pick([
                    "a=b", "username=dana%40example.com", "oob[]=1", "%", "%FF", "&&",
                    String(repeating: "q", count: 8_200),
                ])
        }
        if chance.percent(6) {
            headers["content-type"] = chance.pick([
                "application/json", "application/x-www-form-urlencoded; charset=utf-8",
                "application/x-www-form-urlencoded;charset=utf-16",
                "multipart/form-data; boundary=a", "", "APPLICATION/X-WWW-FORM-URLENCODED ; CHARSET=\"UTF-8\"",
            ])
        }
        for (name, values) in Self.headers where chance.percent(4) { headers[name] = chance.pick(values) }
        if let token = walk.accessTokens.last, chance.percent(60) { headers["authorization"] = "Bearer \(token)" }
        guard let url = URL(string: "https://contoso.ciamlogin.com/\(tenant)/\(path)\(query)") else { return nil }
        return TransportRequest(method: method, url: url, headers: headers, body: Data(body))
    }

    private static let headers: [(String, [String])] = [
        ("accept-language", ["da", "ja;q=0.5, *", ";;;", String(repeating: "a,", count: 600)]),
        ("client-request-id", ["11111111-2222-4333-8444-555555555555", "x", String(repeating: "é", count: 20)]),
        ("x-client-sku", ["MSAL.Browser", "MSAL.iOS", "\u{FEFF}"]),
        ("content-length", ["0", "-1", "99999999999999999999"]),
        ("x-forwarded-for", ["1.2.3.4", "a", "::1"]), ("host", ["evil.example"]), ("cookie", ["a=b"]),
        ("dpop", ["", "a.b.c", "e30.e30.AAAA", "\u{301}"]),
        ("authorization", ["DPoP a.b.c", "Bearer a.b.c", "Basic Og==", "Bearer ", "bearer \u{301}", "Basic %"]),
    ]

    /// A step that the newest token may allow, or any.
    private func step(_ chance: inout Chance, _ walk: Walk) async throws -> (path: String, FormFields) {
        if chance.percent(8) {
            var form = FormFields()
            form.append("token", chance.pick(walk.refreshTokens + walk.accessTokens + walk.tokens + ["x"]))
            form.append("client_id", Self.applications[0].clientID)
            return (chance.pick(MetadataEndpoint.allCases).rawValue, form)
        }
        let token = chance.percent(90) ? walk.tokens.last : walk.tokens.isEmpty ? nil : chance.pick(walk.tokens)
        let fitting = Self.allowed(token)
        var steps = Step.allCases.filter { !$0.operations.isDisjoint(with: fitting) }
        if steps.isEmpty || chance.percent(5) {
            steps = [.startSignUp, .startSignUpWithPassword, .startSignIn, .startReset]
        }
        let step = chance.pick(chance.percent(85) ? steps : Step.allCases)
        var form = FormFields()
        for name in step.fields where !chance.percent(2) {
            for _ in 0..<(chance.percent(2) ? 2 : 1) {
                form.append(name, try await value(name, step, token, &chance, walk))
            }
        }
        return (step.endpoint.rawValue, form)
    }

    /// The operations in the header of a token, which is not secret.
    private static func allowed(_ token: String?) -> FlowOperations {
        guard let token, let bytes = Base64URL.decode(token), bytes.count > 5 else { return [] }
        return FlowOperations(rawValue: bytes.dropFirst().prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    }

    private func value(
        _ name: String, _ step: Step, _ token: String?, _ chance: inout Chance, _ walk: Walk
    ) async throws -> String {
        switch name {
        case "client_id": return (chance.percent(95) ? walk.application : chance.pick(Self.applications)).clientID
        case "username", "challenge_target":
            return chance.pick(
                Self.mine + Self.mine + Self.victims + [Self.stranger, "ME@example.com", "dana", "", "a@b@c"])
        case "continuation_token":
            guard let token, chance.percent(98) else { return chance.pick(["", "AgAA", "x"]) }
            return chance.percent(97) ? token : mutator.mutated(Array(token.utf8), &chance).lenientText
        case "grant_type": return step.grant
        case "oob":
            let mails = try await walk.tenant.mailbox.mails().filter { Self.mine.contains($0.to.lowercased()) }
            return chance.percent(75)
                ? mails.first { $0.code != nil }?.code ?? "1" : chance.pick(["00000000", "1234", "é", "1 2-3"])
        case "password", "new_password":
            return chance.percent(75)
                ? Self.password : chance.pick(["", "short", String(repeating: "Aa1!", count: 300), "Otto-Vinter#83"])
        case "attributes":
            return chance.percent(70)
                ? #"{"country":"Denmark","city":"Aarhus"}"#
                : chance.pick([#"{"city":"Aarhus"}"#, #"{"flatusername":"dana"}"#, "{}", "[", #"{"id":1}"#])
        case "challenge_type":
            return step.grant == "challenge"
                ? "oob"
                : chance.percent(90) ? "oob password redirect" : chance.pick(["oob redirect", "redirect", "", "x"])
        case "capabilities":
            return chance.percent(90) ? "mfa_required registration_required" : chance.pick(["mfa_required", "x", ""])
        case "scope":
            return chance.percent(80)
                ? "openid profile offline_access" : chance.pick(["api://orders/Orders.Read offline_access", "", "x"])
        case "claims":
            return chance.percent(50)
                ? "{}" : chance.pick([#"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#, "{}", "["])
        case "refresh_token": return walk.refreshTokens.isEmpty ? "x" : chance.pick(walk.refreshTokens)
        case "id": return chance.percent(50) ? "1" : chance.pick(["", "2"])
        case _: return chance.pick(["email", "sms", ""])
        }
    }
}

/// A kind of request: endpoint, grant and fields.
private enum Step: CaseIterable {
    case startSignUp, startSignUpWithPassword, challengeSignUp, signUpCode, signUpPassword, signUpAttributes
    case startSignIn, challengeSignIn, introspectMethods, signInPassword, signInCode, secondFactor, redeem, refresh
    case startReset, challengeReset, resetCode, newPassword, poll
    case introspectRegistration, challengeContact, contactCode, confirmContact

    var endpoint: V1Endpoint {
        switch self {
        case .startSignUp, .startSignUpWithPassword: .signUpStart
        case .challengeSignUp: .signUpChallenge
        case .signUpCode, .signUpPassword, .signUpAttributes: .signUpContinue
        case .startSignIn: .signInInitiate
        case .challengeSignIn: .signInChallenge
        case .introspectMethods: .signInIntrospect
        case .signInPassword, .signInCode, .secondFactor, .redeem, .refresh: .token
        case .startReset: .resetPasswordStart
        case .challengeReset: .resetPasswordChallenge
        case .resetCode: .resetPasswordContinue
        case .newPassword: .resetPasswordSubmit
        case .poll: .resetPasswordPollCompletion
        case .introspectRegistration: .registerIntrospect
        case .challengeContact: .registerChallenge
        case .contactCode, .confirmContact: .registerContinue
        }
    }

    var grant: String {
        switch self {
        case .signUpCode, .signInCode, .resetCode, .contactCode: "oob"
        case .signUpPassword, .signInPassword: "password"
        case .signUpAttributes: "attributes"
        case .secondFactor: "mfa_oob"
        case .redeem, .confirmContact: "continuation_token"
        case .refresh: "refresh_token"
        case .challengeContact: "challenge"
        case .startSignUp, .startSignUpWithPassword, .challengeSignUp, .startSignIn, .challengeSignIn,
            .introspectMethods,
            .startReset,
            .challengeReset, .newPassword, .poll, .introspectRegistration:
            ""
        }
    }

    var fields: [String] {
        let token = ["client_id", "continuation_token"]
        return switch self {
        case .startSignUp, .startSignIn, .startReset: ["client_id", "username", "challenge_type", "capabilities"]
        case .startSignUpWithPassword: ["client_id", "username", "password", "attributes", "challenge_type"]
        case .challengeSignUp, .challengeReset: token + ["challenge_type"]
        case .challengeSignIn: token + ["challenge_type", "id"]
        case .signUpCode, .resetCode, .contactCode: token + ["grant_type", "oob"]
        case .signUpPassword: token + ["grant_type", "password"]
        case .signUpAttributes: token + ["grant_type", "attributes"]
        case .signInPassword: token + ["grant_type", "password", "scope", "claims"]
        case .signInCode, .secondFactor: token + ["grant_type", "oob", "scope", "claims"]
        case .redeem: token + ["grant_type", "scope"]
        case .refresh: ["client_id", "grant_type", "refresh_token", "scope"]
        case .newPassword: token + ["new_password"]
        case .introspectMethods, .poll, .introspectRegistration: token
        case .challengeContact: token + ["challenge_type", "challenge_target", "challenge_channel"]
        case .confirmContact: token + ["grant_type"]
        }
    }

    var operations: FlowOperations {
        switch self {
        case .startSignUp, .startSignUpWithPassword, .startSignIn, .startReset, .refresh: []
        case .challengeSignUp: .challengeSignUp
        case .signUpCode: .submitSignUpCode
        case .signUpPassword: .submitSignUpPassword
        case .signUpAttributes: .submitSignUpAttributes
        case .challengeSignIn: .challengeSignIn
        case .introspectMethods: .introspectMethods
        case .signInPassword: .submitSignInPassword
        case .signInCode: .submitSignInCode
        case .secondFactor: .submitSecondFactor
        case .redeem: .redeem
        case .challengeReset: .challengeReset
        case .resetCode: .submitResetCode
        case .newPassword: .submitNewPassword
        case .poll: .pollReset
        case .introspectRegistration: .introspectRegistration
        case .challengeContact: .challengeContact
        case .contactCode: .submitContactCode
        case .confirmContact: .confirmContact
        }
    }
}
