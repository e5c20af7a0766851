import IdentityEngine
import NativeAuthCore
import NativeAuthTesting
import NativeAuthWire
import Testing

@testable import IdentityHTTP

/// A valid request, damaged in one place, and the documented refusal.
struct BadInput: Sendable, CustomTestStringConvertible {
    var ask: Ask
    var damage: Damage
    var name: AnswerName
    /// The parameter that the description names, if it names one.
    var parameter: String?

    var testDescription: String { "\(ask.rawValue): \(damage)" }
}

@Suite("Bad input at every endpoint") struct BadInputTests {
    /// The parameters that each kind of request sends, taken from its form.
    private static func parameters(of ask: Ask) -> [String] {
        var content = Ask.Content()
        content.claims = WireClient.claims
        content.refreshToken = "x"
        return ask.form(content, "x", client: "x").names + (ask == .challengeSignIn ? ["id"] : [])
    }

    /// Whether the parameter can be omitted.
    private static func isOptional(_ parameter: String, of ask: Ask) -> Bool {
        switch parameter {
        case "username", "challenge_type", "scope":
            switch ask.endpoint {
            case .token: parameter != "scope" || ask == .refresh
            case .signUpChallenge, .signInChallenge, .resetPasswordChallenge: true
            case .signUpStart, .signUpContinue, .signInInitiate, .signInIntrospect, .resetPasswordStart,
                .resetPasswordContinue, .resetPasswordSubmit, .resetPasswordPollCompletion, .registerIntrospect,
                .registerChallenge, .registerContinue:
                false
            }
        case "password", "attributes": ask == .startSignUp
        case "capabilities", "client_info", "claims", "id", "challenge_channel": true
        case _: false
        }
    }

    /// Whether the parameter has no effect and is not validated (docs/protocol.md §4.7).
    private static func isIgnored(_ parameter: String, of ask: Ask) -> Bool {
        ask.endpoint == .token && ["username", "challenge_type", "client_info"].contains(parameter)
    }

    private static func missing(_ parameter: String, of ask: Ask) -> AnswerName? {
        if isOptional(parameter, of: ask) { return nil }
        // Clients know one number and one phrase for these two (docs/protocol.md §4.1).
        return ["client_id", "username"].contains(parameter) ? .invalid : .missing
    }

    private static func empty(_ parameter: String, of ask: Ask) -> AnswerName? {
        if isIgnored(parameter, of: ask) { return nil }
        switch parameter {
        case "attributes": return .unreadableAttributes
        // An empty list of scopes at a refresh means those of the sign-in (RFC 6749 section 6).
        case "scope": return ask == .refresh ? nil : .invalidScope
        case "capabilities": return nil
        case "challenge_target", "challenge_channel": return .invalidContact
        case _: return .invalid
        }
    }

    /// - Parameter length: In bytes; 60 000 still fits into a body.
    private static func tooLong(_ parameter: String, of ask: Ask, length: Int) -> AnswerName? {
        if isIgnored(parameter, of: ask) { return nil }
        switch parameter {
        case "continuation_token": return .unusableToken
        case "username": return ask == .startSignUp ? .invalidUsername : .userNotFound
        case "password": return ask == .signInPassword ? .incorrectPassword : .passwordTooLong
        case "new_password": return .passwordTooLong
        case "attributes": return .unreadableAttributes
        case "grant_type": return ask.endpoint == .token ? .unknownGrant : .invalid
        case "scope": return .invalidScope
        case "challenge_target", "challenge_channel": return .invalidContact
        case _: return .invalid
        }
    }

    /// Values that look like another type, for each parameter.
    private static func odd(_ parameter: String, of ask: Ask) -> [(String, AnswerName)] {
        let many = (1...17).map { #""c\#($0)""# }.joined(separator: ",")
        if isIgnored(parameter, of: ask) { return [] }
        switch parameter {
        case "client_id":
            return [
                ("null", .invalid), ("0", .invalid),
                ("{\(IdentityTestServer.Application.emailPassword.rawValue)}", .invalid),
                ("99999999-9999-9999-9999-999999999999", .unknownClient),
                (TestDirectory.disabled, .nativeAuthDisabled),
            ]
        case "continuation_token":
            return [
                "null", "x", "AQAA", "AgAA////", "../../etc/passwd", "' OR 1=1 --", "é", "%", " ",
                "eyJhbGciOiJub25lIn0.e30.",
            ]
            .map { ($0, .unusableToken) }
        case "refresh_token":
            return ["null", "x", String(repeating: "A", count: 64), "é", "' OR 1=1 --"].map {
                ($0, .unusableRefreshToken)
            }
        case "username":
            return [
                "nobody", "@", "a@b", "dana@example.com\u{7F}", "dana@example.com, eve@example.com", "' OR 1=1 --",
                "é@example.com",
            ]
            .filter { !$0.contains("\u{7F}") }
            .map { ($0, ask == .startSignUp ? .invalidUsername : .userNotFound) }
        case "grant_type":
            let name: AnswerName = ask.endpoint == .token ? .unknownGrant : .invalid
            return ["OOB", "otp", "device_code", "urn:x", "null", "password oob"].map { ($0, name) }
        case "challenge_type":
            guard ask != .challengeContact else {
                return ["sms", "OOB", "password", "oob redirect"].map { ($0, .invalid) }
            }
            return [
                ("oob password", .redirectNotAccepted), ("redirect sms", .invalid), ("OOB redirect", .invalid),
                ("oob,redirect", .invalid), (Array(repeating: "redirect", count: 17).joined(separator: " "), .invalid),
            ]
        case "capabilities":
            return [
                "telepathy", "MFA_REQUIRED", "mfa_required null",
                Array(repeating: "mfa_required", count: 17).joined(separator: " "),
            ]
            .map { ($0, .invalid) }
        case "oob":
            return [
                "1234567", "123456789", "12345678x", "١٢٣٤٥٦٧٨", "null", "0x000000", "1e7",
                String(repeating: "1", count: 256),
            ]
            .map { ($0, .incorrectCode) }
        case "password" where ask == .signInPassword:
            return ["x", " ", "' OR 1=1 --", "null"].map { ($0, .incorrectPassword) }
        case "password", "new_password":
            return [
                ("short1A", .passwordTooShort), ("abcdefghij", .passwordTooWeak),
                ("é-Kr4ftig-Vinter", .passwordInvalid),
            ]
        case "attributes":
            return ["[]", "null", "x", #"{"a":[[1]]}"#, #"{"city":"A","city":"B"}"#].map { ($0, .unreadableAttributes) }
                + [(#"{"city":1}"#, .invalidAttributes), (#"{"roles":"admin"}"#, .invalidAttributes)]
        case "scope":
            return [
                "openid a/b", "/read", "api://a/x api://b/x", "openid \"x\"",
                Array(repeating: "openid", count: 17).joined(separator: " "),
            ]
            .map { ($0, .invalidScope) } + [("openid api", .scopeNotConsented)]
        case "claims":
            return [
                "x", "[]", "null", "1", #""a""#, "{", "{}x", #"{"access_token":1}"#, #"{"access_token":[]}"#,
                #"{"access_token":{"acrs":1}}"#, #"{"access_token":{"acrs":{"essential":"yes"}}}"#,
                #"{"access_token":{"acrs":{"essential":true,"value":1}}}"#,
                #"{"access_token":{"acrs":{"essential":true,"value":"c0"}}}"#,
                #"{"access_token":{"acrs":{"essential":true,"value":"C1"}}}"#,
                #"{"access_token":{"acrs":{"essential":true,"value":"c100"}}}"#,
                #"{"access_token":{"acrs":{"essential":true,"value":""}}}"#,
                #"{"access_token":{"acrs":{"essential":true,"values":["c1","possessionorinherence"]}}}"#,
                #"{"access_token":{"acrs":{"essential":true,"values":"c1"}}}"#,
                #"{"access_token":{"acrs":{"essential":true,"values":[\#(many)]}}}"#,
                #"{"id_token":[]}"#, String(repeating: #"{"access_token":"#, count: 100),
            ].map { ($0, .invalid) }
        case "id":
            return [
                "nothing", "0", "' OR 1=1 --", "8f3f2f4e-0000-0000-0000-000000000000",
                String(repeating: "x", count: 64),
            ].map { ($0, .unknownMethod) }
        case "challenge_target":
            return ["+4512345678", "x", "a@b", "dana@example.com, eve@example.com", "dana@example.com\tx"].map {
                ($0, .invalidContact)
            }
        case "challenge_channel": return ["sms", "voice", "null", "e-mail"].map { ($0, .invalidContact) }
        case _: return []
        }
    }

    private static func rows(_ ask: Ask) -> [BadInput] {
        parameters(of: ask).flatMap { parameter -> [BadInput] in
            var rows = [
                BadInput(ask: ask, damage: .repeated(parameter), name: .malformed, parameter: parameter),
                BadInput(ask: ask, damage: .array(parameter), name: .malformed, parameter: parameter),
                BadInput(ask: ask, damage: .raw(parameter, Array("%zz".utf8)), name: .malformed),
                BadInput(ask: ask, damage: .raw(parameter, Array("%C3%28".utf8)), name: .malformed),
                BadInput(ask: ask, damage: .raw(parameter, Array("a%00b".utf8)), name: .malformed),
                BadInput(ask: ask, damage: .query("\(parameter)=x"), name: .parametersInQuery),
            ]
            if let name = missing(parameter, of: ask) {
                rows.append(BadInput(ask: ask, damage: .missing(parameter), name: name, parameter: parameter))
            }
            if let name = empty(parameter, of: ask) {
                rows.append(
                    BadInput(
                        ask: ask, damage: .value(parameter, ""), name: name,
                        parameter: name == .invalid ? parameter : nil))
            }
            for length in [5_000, 60_000] {
                if let name = tooLong(parameter, of: ask, length: length) {
                    rows.append(
                        BadInput(ask: ask, damage: .value(parameter, String(repeating: "x", count: length)), name: name)
                    )
                }
            }
            rows += odd(parameter, of: ask).map { BadInput(ask: ask, damage: .value(parameter, $0.0), name: $0.1) }
            return rows
        }
    }

    /// The flows that made progress, or have ended.
    private static let movedFlows = "SELECT hex(id), revision, is_ended FROM flows WHERE revision > 0 OR is_ended = 1"

    private static let done: Locked<(asks: Int, rows: Int)> = Locked((0, 0))

    /// A client that is ready for the request, and the request's parameters.
    private func ready(_ ask: Ask) async throws -> (IdentityTestServer, Walk, Fields) {
        let server = try TestDirectory.server()
        if ask == .refresh {
            var walk = try await server.walk(.signIn, to: 1)
            let tokens = try await walk.client.ask(.signInPassword, walk.content, walk.token)
            let refreshToken: String = try #require(tokens.text("refresh_token"))
            walk.content.refreshToken = refreshToken
            walk.content.claims = "{}"
            return (server, walk, try ask.fields(walk.content, nil, client: walk.client.clientID))
        }
        let origin = try #require(ask.origin)
        var walk = try await server.walk(origin.journey, to: origin.index)
        walk.content.claims = walk.content.claims ?? "{}"
        var fields = try ask.fields(walk.content, walk.tokens.last, client: walk.client.clientID)
        if ask == .challengeSignIn {
            // The second factor's challenge is the request that accepts every parameter.
            let second = try await server.walk(.signInThenSecondFactor, to: 2, as: "eve")
            let listed = try await second.client.introspect(second.token)
            let id = try #require(listed["methods"]?.array.first?["id"]?.string)
            fields = try ask.fields(second.content, listed.token, client: second.client.clientID) + [("id", id)]
        }
        return (server, walk, fields)
    }

    @Test(
        "docs/protocol.md §4, SEC-NET-9, SEC-NET-10, SEC-CT-8: each parameter, missing, twice, broken, odd or in the URL",
        arguments: Ask.allCases)
    func eachParameterIsJudged(_ ask: Ask) async throws {
        let (server, walk, fields) = try await ready(ask)
        let rows = Self.rows(ask)
        let before = try await server.accounts()
        let (flows, mails) = (
            try await server.rows(Self.movedFlows),
            try await server.rows("SELECT id FROM outbox")
        )
        for row in rows {
            let answer = try await walk.client.send(row.damage.request(fields, to: ask.endpoint, by: walk.client))
            let wire = row.name.wire
            expectError(
                answer, wire.error ?? "", wire.code ?? 0, suberror: wire.suberror, status: wire.status,
                row.testDescription)
            let text = answer.text("error_description") ?? ""
            if let parameter = row.parameter { #expect(text.contains(parameter), "\(row.testDescription) \(answer)") }
            #expect(try await server.accounts() == before, "\(row.testDescription) changed an account")
            // A wrong password or a wrong code is recorded; the flow does not advance.
            #expect(
                try await server.rows(Self.movedFlows) == flows,
                "\(row.testDescription)")
            #expect(try await server.rows("SELECT id FROM outbox") == mails, "\(row.testDescription) sent a mail")
        }
        let undamaged = try await walk.client.post(ask.endpoint, fields)
        #expect(undamaged.isProgress, "\(ask) \(undamaged)")
        let total = Self.done.withLock { done in
            done.asks += 1
            done.rows += rows.count
            return done
        }
        if total.asks == Ask.allCases.count {
            print("bad input: \(total.rows) rows at \(V1Endpoint.allCases.count) endpoints")
        }
    }

    @Test(
        "docs/protocol.md §4.7, §2.1: what may be missing may be, and what means nothing is not judged",
        arguments: Ask.allCases)
    func whatMayBeMissingMayBe(_ ask: Ask) async throws {
        for parameter in Self.parameters(of: ask) {
            var damages: [Damage] = []
            if Self.missing(parameter, of: ask) == nil { damages.append(.missing(parameter)) }
            if Self.empty(parameter, of: ask) == nil { damages.append(.value(parameter, "")) }
            if Self.isIgnored(parameter, of: ask) { damages.append(.value(parameter, "{}")) }
            for damage in damages {
                let (_, walk, fields) = try await ready(ask)
                let answer = try await walk.client.send(damage.request(fields, to: ask.endpoint, by: walk.client))
                #expect(answer.isProgress, "\(ask): \(damage): \(answer)")
            }
        }
    }

    @Test(
        "docs/protocol.md §4.7: claims that are well-formed and demand nothing are passed over",
        arguments: [
            "{}", #"{"access_token":null}"#, #"{"access_token":{"acrs":null}}"#, #"{"access_token":{"acrs":{}}}"#,
            #"{"access_token":{"acrs":{"essential":false,"value":"c1"}}}"#,
            #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#,
            #"{"id_token":{"acrs":{"essential":true,"value":"c1"}}}"#, #"{"userinfo":{"email":null}}"#, " {} ",
        ])
    func harmlessClaimsAreIgnored(_ claims: String) async throws {
        let server = try TestDirectory.server()
        var walk = try await server.walk(.signIn, to: 1)
        walk.content.claims = claims
        let answer = try await walk.client.ask(.signInPassword, walk.content, walk.token)
        #expect(answer["access_token"] != nil, "\(claims): \(answer)")
    }
}
