import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Testing

private let user = "dahlia@example.com"

@Suite("Sign-up")
struct SignUpTests {
    @Test func aUserWithoutPasswordSignsUp() async throws {
        try await withClient([.started, .codeSent("T2"), .created()]) { client, transport in
            let code = try await client.startSignUp(username: user)
            #expect(code.code.sentTo == "d***a@e***e.com")
            #expect(code.code.channel == "email")
            #expect(code.code.length == 8)
            #expect(code.code.resendInterval == 300)
            #expect(code.correlationID == correlation)
            guard case .completed(let completed) = try await code.submit(code: "12345678") else {
                Issue.record("Not completed.")
                return
            }
            #expect(completed.isSignInAvailable)
            #expect(completed.username == user)

            let words = "oob password redirect"
            #expect(try transport.form(0) == ["client_id": clientID, "username": user, "challenge_type": words])
            #expect(
                try transport.form(1) == [
                    "client_id": clientID, "continuation_token": "T1", "challenge_type": words,
                ])
            #expect(
                try transport.form(2) == [
                    "client_id": clientID, "continuation_token": "T2", "grant_type": "oob", "oob": "12345678",
                ])
        }
    }

    @Test func whatIsGivenAtTheStartIsSent() async throws {
        try await withClient([.started, .codeSent("T2")]) {
            $0.capabilities = [.registrationRequired, .mfaRequired]
            $0.challengeTypes = [.oneTimePasscode]
        } _: { client, transport in
            _ = try await client.startSignUp(
                username: user, password: " Tr&b+9 ", attributes: ["city": "Köln", "age": 44, "news": true])
            #expect(
                try transport.form(0) == [
                    "client_id": clientID, "username": user, "password": " Tr&b+9 ",
                    "attributes": #"{"age":44,"city":"Köln","news":true}"#, "challenge_type": "oob redirect",
                    "capabilities": "mfa_required registration_required",
                ])
        }
    }

    @Test func passwordAndAttributesAreAskedForInTurn() async throws {
        let script: [Stub] = [
            .started, .codeSent("T2"), .credentialRequired, .passwordWanted("T5"),
            .attributesRequired("T6", names: ["city", "country"]), .attributesRequired("T7"), .created(),
        ]
        try await withClient(script) { client, transport in
            let code = try await client.startSignUp(username: user)
            guard case .passwordRequired(let password) = try await code.submit(code: "1"),
                case .attributesRequired(let first) = try await password.submit(password: "Correct horse 9"),
                case .attributesRequired(let second) = try await first.submit(["country": "DK"]),
                case .completed = try await second.submit(["city": "Aarhus"])
            else {
                Issue.record("Another order.")
                return
            }
            #expect(
                first.required
                    == ["city", "country"].map {
                        RequiredAttribute(name: $0, type: "string", isRequired: true, regex: "^.+$")
                    })
            #expect(try transport.form(3)["continuation_token"] == "T3")
            #expect(
                try transport.form(4) == [
                    "client_id": clientID, "continuation_token": "T5", "grant_type": "password",
                    "password": "Correct horse 9",
                ])
            #expect(
                try transport.form(5) == [
                    "client_id": clientID, "continuation_token": "T6", "grant_type": "attributes",
                    "attributes": #"{"country":"DK"}"#,
                ])
            #expect(try transport.form(6)["continuation_token"] == "T7")
        }
    }

    @Test func aStateMayBeUsedAgainAfterAMistake() async throws {
        let wrong = Stub.refusal(.signUpContinue, "invalid_grant", suberror: "invalid_oob_value", codes: [50181])
        try await withClient([.started, .codeSent("T2"), wrong, .created()]) { client, transport in
            let code = try await client.startSignUp(username: user)
            let mistake = try await error { () throws(NativeAuthError) in try await code.submit(code: "1") }
            #expect(kind(mistake) == "incorrectCode")
            _ = try await code.submit(code: "2")
            #expect(try transport.form(2)["continuation_token"] == "T2")
            #expect(try transport.form(3)["continuation_token"] == "T2")
        }
    }

    @Test func afterAResendBothStatesWorkWithTheirOwnToken() async throws {
        let script: [Stub] = [.started, .codeSent("T2"), .codeSent("T3"), .created(), .created()]
        try await withClient(script) { client, transport in
            let first = try await client.startSignUp(username: user)
            let second = try await first.resend()
            _ = try await first.submit(code: "1")
            _ = try await second.submit(code: "1")
            let tokens = try (2..<5).map { try transport.form($0)["continuation_token"] }
            #expect(tokens == ["T2", "T2", "T3"])
        }
    }

    // MARK: docs/sdk-surface.md §3.3

    /// The server's answer, and the caller's result.
    struct Row: Sendable, CustomTestStringConvertible {
        let answers: [Stub]
        let kind: String
        var canRetry = false
        var message: String? = "Server text"
        var names: [String] = []
        var testDescription: String {
            "\(answers.map { "\($0.status) \($0.json.prefix(60))" }.joined(separator: ", ")) is \(kind)"
        }

        init(
            _ answers: Stub..., is kind: String, canRetry: Bool = false, message: String? = "Server text",
            names: [String] = []
        ) {
            self.answers = answers
            self.kind = kind
            self.canRetry = canRetry
            self.message = message
            self.names = names
        }

        func check(_ error: NativeAuthError) {
            #expect(NativeAuthTests.kind(error) == kind)
            #expect(error.details.canRetry == canRetry)
            #expect(error.details.message == message)
            #expect(error.details.correlationID == correlation)
            if case .invalidAttributes(let found, _) = error { #expect(found == names) }
        }
    }

    static let passwordSuberrors = [
        "password_too_weak", "password_too_short", "password_too_long", "password_is_invalid",
        "password_recently_used", "password_banned",
    ]
    static let unexpected = "Unexpected response body received"
    static let redirect = #"{"challenge_type":"redirect","redirect_reason":"Use the web"}"#
    static let invalid = #","invalid_attributes":[{"name":"city"},{"name":"flatusername"}]"#
    /// Answers that no endpoint gives.
    static let garbage: [(Int, String)] = [
        (200, ""), (200, "[]"), (200, "nonsense"), (200, #"{"continuation_token":7}"#),
        (200, #"{"continuation_token":"T","challenge_type":"OOB"}"#), (201, #"{"continuation_token":"T"}"#),
        (400, ""), (400, "{}"), (400, #"{"error":7}"#), (400, #"{"error":"a","error_codes":["1"]}"#),
        (400, #"{"error":"a","required_attributes":[{"name":"n"}]}"#), (403, #"{"error":"access_denied"}"#),
        (404, #"{"error":"invalid_request"}"#), (500, #"{"error":"server_error"}"#),
        (503, ""),
    ]

    static let startRows: [Row] =
        [
            Row(Stub(.signUpStart, 200, redirect), is: "browserRequired", message: "Use the web"),
            Row(Stub(.signUpStart, 200, #"{"challenge_type":"redirect"}"#), is: "browserRequired", message: nil),
            Row(Stub(.signUpStart, 200, "{}"), is: "unexpectedReply", message: unexpected),
            Row(Stub(.signUpStart, 200, #"{"continuation_token":""}"#), is: "unexpectedReply", message: unexpected),
            Row(
                .refusal(.signUpStart, "invalid_grant", suberror: "attribute_validation_failed", more: invalid),
                is: "invalidAttributes", names: ["city", "flatusername"]),
            Row(.refusal(.signUpStart, "invalid_grant", suberror: "attribute_validation_failed"), is: "general"),
            Row(
                .refusal(
                    .signUpStart, "invalid_grant", suberror: "attribute_validation_failed",
                    more: #","invalid_attributes":[]"#), is: "general"),
            Row(.refusal(.signUpStart, "invalid_grant"), is: "general"),
            Row(.refusal(.signUpStart, "invalid_grant", suberror: "password_invalid"), is: "general"),
            Row(.refusal(.signUpStart, "user_already_exists", codes: [1_003_037]), is: "userAlreadyExists"),
            Row(
                .refusal(
                    .signUpStart, "invalid_request", codes: [90100],
                    text: "AADSTS90100: username parameter is empty or not valid."),
                is: "invalidUsername", message: "AADSTS90100: username parameter is empty or not valid."),
            Row(
                .refusal(
                    .signUpStart, "invalid_request", codes: [90100],
                    text: "AADSTS90100: client_id parameter is empty or not valid."),
                is: "general", message: "AADSTS90100: client_id parameter is empty or not valid."),
            Row(
                .refusal(
                    .signUpStart, "invalid_request", codes: [1, 90100], text: "username parameter is empty or not valid"
                ),
                is: "general", message: "username parameter is empty or not valid"),
            Row(.refusal(.signUpStart, "invalid_request", codes: []), is: "general"),
            Row(.refusal(.signUpStart, "attributes_required"), is: "general"),
            Row(.refusal(.signUpStart, "unauthorized_client"), is: "general"),
            Row(.refusal(.signUpStart, "unauthorized_client", status: 401), is: "general"),
            Row(.refusal(.signUpStart, "invalid_client", suberror: "nativeauthapi_disabled"), is: "general"),
            Row(.refusal(.signUpStart, "unsupported_challenge_type"), is: "general"),
            Row(.refusal(.signUpStart, "unsupported_auth_method"), is: "general"),
            Row(.refusal(.signUpStart, "brand_new"), is: "general"),
            // The challenge that follows automatically.
            Row(.started, Stub(.signUpChallenge, 200, redirect), is: "browserRequired", message: "Use the web"),
            Row(.started, .passwordWanted("T2"), is: "general", message: "Unexpected challenge type"),
            Row(.started, .refusal(.signUpChallenge, "invalid_request"), is: "general"),
            Row(.started, .refusal(.signUpChallenge, "expired_token", codes: [552003]), is: "expired"),
            Row(.started, .refusal(.signUpChallenge, "brand_new"), is: "general"),
        ]
        + passwordSuberrors.map { Row(.refusal(.signUpStart, "invalid_grant", suberror: $0), is: "invalidPassword") }
        + incompleteChallenges.map { Row(.started, $0, is: "unexpectedReply", message: unexpected) }
        + garbage.map { Row(Stub(.signUpStart, $0.0, $0.1), is: "unexpectedReply", message: unexpected) }

    /// A code that was sent, with one thing missing.
    static let incompleteChallenges: [Stub] = [
        #""challenge_channel":"email","challenge_target_label":"d","code_length":8"#,
        #""continuation_token":"T2","challenge_target_label":"d","code_length":8"#,
        #""continuation_token":"T2","challenge_channel":"email","code_length":8"#,
        #""continuation_token":"T2","challenge_channel":"email","challenge_target_label":"d""#,
        #""continuation_token":"T2","challenge_channel":"email","challenge_target_label":"d","code_length":"8""#,
    ].map { Stub(.signUpChallenge, 200, "{\"challenge_type\":\"oob\",\($0)}") }

    @Test("Start: every row of the table", arguments: startRows)
    func start(_ row: Row) async throws {
        try await withClient(row.answers) { client, _ in
            row.check(
                try await error { () throws(NativeAuthError) in
                    try await client.startSignUp(username: user, password: "secret")
                })
        }
    }

    static let resendRows: [Row] =
        [
            Row(
                Stub(.signUpChallenge, 200, redirect), is: "browserRequired", canRetry: true, message: "Use the web"),
            Row(.passwordWanted("T3"), is: "general", message: "Unexpected challenge type"),
            Row(.refusal(.signUpChallenge, "invalid_request", codes: [701014]), is: "throttled", canRetry: true),
            Row(.refusal(.signUpChallenge, "unauthorized_client"), is: "general", canRetry: true),
            Row(.refusal(.signUpChallenge, "unsupported_challenge_type"), is: "general", canRetry: true),
            Row(.refusal(.signUpChallenge, "expired_token"), is: "expired", canRetry: true),
            Row(.refusal(.signUpChallenge, "invalid_grant"), is: "general", canRetry: true),
            Row(.refusal(.signUpChallenge, "brand_new"), is: "general", canRetry: true),
        ] + incompleteChallenges.map { Row($0, is: "unexpectedReply", canRetry: true, message: unexpected) }
        + garbage.map {
            Row(Stub(.signUpChallenge, $0.0, $0.1), is: "unexpectedReply", canRetry: true, message: unexpected)
        }

    @Test("Resend: every row of the table", arguments: resendRows)
    func resend(_ row: Row) async throws {
        try await withClient([.started, .codeSent("T2")] + row.answers) { client, transport in
            let code = try await client.startSignUp(username: user)
            row.check(try await error { () throws(NativeAuthError) in try await code.resend() })
            #expect(try transport.form(2)["continuation_token"] == "T2")
        }
    }

    /// What a step that follows the code answers to any grant.
    static let continueRows: [Row] =
        [
            Row(Stub(.signUpContinue, 200, redirect), is: "browserRequired", message: "Use the web"),
            Row(.refusal(.signUpContinue, "expired_token", codes: [552003]), is: "expired"),
            Row(.refusal(.signUpContinue, "user_already_exists"), is: "userAlreadyExists"),
            Row(.refusal(.signUpContinue, "unauthorized_client"), is: "general"),
            Row(.refusal(.signUpContinue, "invalid_request"), is: "general"),
            Row(.refusal(.signUpContinue, "invalid_grant"), is: "general"),
            Row(.refusal(.signUpContinue, "invalid_grant", suberror: "brand_new"), is: "general"),
            Row(
                .refusal(.signUpContinue, "invalid_grant", suberror: "attribute_validation_failed"),
                is: "unexpectedReply", message: unexpected),
            Row(
                .refusal(.signUpContinue, "verification_required", more: #","continuation_token":"T4""#),
                is: "general"),
            Row(.refusal(.signUpContinue, "brand_new"), is: "general"),
            Row(.refusal(.signUpContinue, "credential_required"), is: "unexpectedReply", message: unexpected),
            Row(.refusal(.signUpContinue, "attributes_required"), is: "unexpectedReply", message: unexpected),
            Row(
                .refusal(.signUpContinue, "attributes_required", more: #","continuation_token":"T4""#),
                is: "unexpectedReply", message: unexpected),
            Row(
                .refusal(
                    .signUpContinue, "attributes_required",
                    more: #","continuation_token":"T4","required_attributes":[]"#),
                is: "unexpectedReply", message: unexpected),
            Row(
                .refusal(
                    .signUpContinue, "attributes_required",
                    more: #","required_attributes":[{"name":"a","type":"string","required":true}]"#),
                is: "unexpectedReply", message: unexpected),
        ] + garbage.map { Row(Stub(.signUpContinue, $0.0, $0.1), is: "unexpectedReply", message: unexpected) }

    static let codeRows: [Row] =
        continueRows + [
            Row(
                .refusal(.signUpContinue, "invalid_grant", suberror: "invalid_oob_value", codes: [50181]),
                is: "incorrectCode", canRetry: true),
            Row(
                .refusal(.signUpContinue, "invalid_grant", suberror: "attribute_validation_failed", more: invalid),
                is: "invalidAttributes", names: ["city", "flatusername"]),
            Row(
                .credentialRequired, Stub(.signUpChallenge, 200, redirect), is: "browserRequired",
                message: "Use the web"),
            Row(.credentialRequired, .codeSent("T4"), is: "general", message: "Unexpected challenge type"),
            Row(.credentialRequired, .refusal(.signUpChallenge, "invalid_request"), is: "general"),
            Row(
                .credentialRequired, Stub(.signUpChallenge, 200, #"{"challenge_type":"password"}"#),
                is: "unexpectedReply", message: unexpected),
        ]
        + passwordSuberrors.map {
            Row(.refusal(.signUpContinue, "invalid_grant", suberror: $0), is: "invalidPassword", canRetry: true)
        }

    @Test("Code: every row of the table", arguments: codeRows)
    func code(_ row: Row) async throws {
        try await withClient([.started, .codeSent("T2")] + row.answers) { client, _ in
            let code = try await client.startSignUp(username: user)
            row.check(try await error { () throws(NativeAuthError) in try await code.submit(code: "1") })
        }
    }

    static let passwordRows: [Row] =
        continueRows + [
            Row(
                .refusal(.signUpContinue, "invalid_grant", suberror: "invalid_oob_value"), is: "general",
                canRetry: true),
            Row(
                .refusal(.signUpContinue, "invalid_grant", suberror: "attribute_validation_failed", more: invalid),
                is: "invalidAttributes", names: ["city", "flatusername"]),
            Row(.credentialRequired, is: "general"),
        ]
        + passwordSuberrors.map {
            Row(.refusal(.signUpContinue, "invalid_grant", suberror: $0), is: "invalidPassword", canRetry: true)
        }

    @Test("Password: every row of the table", arguments: passwordRows)
    func password(_ row: Row) async throws {
        let script: [Stub] = [.started, .codeSent("T2"), .credentialRequired, .passwordWanted("T5")]
        try await withClient(script + row.answers) { client, _ in
            let code = try await client.startSignUp(username: user)
            guard case .passwordRequired(let state) = try await code.submit(code: "1") else {
                Issue.record("No password wanted.")
                return
            }
            row.check(try await error { () throws(NativeAuthError) in try await state.submit(password: "1") })
        }
    }

    static let attributeRows: [Row] =
        continueRows + [
            Row(
                .refusal(.signUpContinue, "invalid_grant", suberror: "attribute_validation_failed", more: invalid),
                is: "invalidAttributes", canRetry: true, names: ["city", "flatusername"]),
            Row(.refusal(.signUpContinue, "invalid_grant", suberror: "invalid_oob_value"), is: "general"),
            Row(.refusal(.signUpContinue, "invalid_grant", suberror: "password_too_weak"), is: "general"),
            Row(.credentialRequired, is: "general"),
        ]

    @Test("Attributes: every row of the table", arguments: attributeRows)
    func attributes(_ row: Row) async throws {
        try await withClient([.started, .codeSent("T2"), .attributesRequired("T6")] + row.answers) { client, _ in
            let code = try await client.startSignUp(username: user)
            guard case .attributesRequired(let state) = try await code.submit(code: "1") else {
                Issue.record("No attributes wanted.")
                return
            }
            row.check(try await error { () throws(NativeAuthError) in try await state.submit([:]) })
        }
    }

    @Test func detailsCarryWhatTheServerSaid() async throws {
        let refusal = Stub.refusal(
            .signUpStart, "invalid_grant", suberror: "password_banned", codes: [399246, 1],
            more: #","error_uri":"https://e.test/1""#)
        try await withClient([refusal]) { client, _ in
            let error = try await error { () throws(NativeAuthError) in try await client.startSignUp(username: user) }
            #expect(
                error.details
                    == .init(
                        correlationID: correlation, errorCodes: [399246, 1], message: "Server text",
                        errorURI: "https://e.test/1", error: "invalid_grant", suberror: "password_banned"))
        }
    }

    // MARK: docs/sdk-surface.md §5

    @Test func emptyInputIsRefusedWithoutARequest() async throws {
        let script: [Stub] = [.started, .codeSent("T2"), .credentialRequired, .passwordWanted("T5")]
        try await withClient(script) { client, transport in
            let name = try await error { () throws(NativeAuthError) in
                try await client.startSignUp(username: "", password: "")
            }
            #expect(kind(name) == "invalidUsername")
            let password = try await error { () throws(NativeAuthError) in
                try await client.startSignUp(username: user, password: "")
            }
            #expect(kind(password) == "invalidPassword")
            #expect(transport.requests.isEmpty)

            let state = try await client.startSignUp(username: user)
            let code = try await error { () throws(NativeAuthError) in try await state.submit(code: "") }
            #expect(kind(code) == "incorrectCode" && code.details.canRetry)
            guard case .passwordRequired(let next) = try await state.submit(code: "1") else { return }
            let later = try await error { () throws(NativeAuthError) in try await next.submit(password: "") }
            #expect(kind(later) == "invalidPassword" && later.details.canRetry)
            #expect(transport.requests.count == 4)
        }
    }

    @Test func anEmptyListOfAttributesGoesToTheServer() async throws {
        try await withClient([.started, .codeSent("T2"), .attributesRequired("T6"), .created()]) { client, transport in
            let code = try await client.startSignUp(username: user)
            guard case .attributesRequired(let state) = try await code.submit(code: "1") else { return }
            _ = try await state.submit([:])
            #expect(try transport.form(3)["attributes"] == "{}")
        }
    }

    // MARK: Transport

    @Test(
        "SDK-RETRY-1: no step is repeated automatically",
        arguments: [
            Stub(.signUpContinue, failing: URLError(.networkConnectionLost)),
            Stub(.signUpContinue, failing: URLError(.timedOut)), Stub(.signUpContinue, 503, ""),
            Stub(.signUpContinue, 500, ""),
        ])
    func nothingIsRepeated(_ answer: Stub) async throws {
        try await withClient([.started, .codeSent("T2"), answer, .created()]) { client, transport in
            let code = try await client.startSignUp(username: user)
            let failure = try await error { () throws(NativeAuthError) in try await code.submit(code: "1") }
            #expect(transport.requests.count == 3)
            if answer.failure != nil {
                #expect(kind(failure) == "indeterminate" && failure.details.canRetry)
            }
            // The user may try again on the same state (SDK-RETRY-2).
            _ = try await code.submit(code: "1")
        }
    }

    @Test("SDK-LOG-1: states, accounts and tokens print no secret and no address")
    func nothingSecretIsPrinted() async throws {
        let script: [Stub] = [
            .started, .codeSent("canary-ct"), .created("canary-ct"), .tokens(access: "canary-at", refresh: "canary-rt"),
        ]
        try await withClient(script) { client, transport in
            let code = try await client.startSignUp(username: user, password: "canary-pw")
            guard case .completed(let completed) = try await code.submit(code: "canary-otp") else { return }
            let account = try await signedIn(completed.signIn())
            let token = try await account.accessToken()
            var dumped = ""
            let values: [Any] = [code, completed, account, token, transport.requests]
            for value in values {
                dump(value, to: &dumped)
                dumped += "\(value) \(String(reflecting: value))"
            }
            #expect(!dumped.contains("canary") && !dumped.contains("dahlia"))
        }
    }

    @Test("SDK-NET-5: no secret is in an address or a header")
    func secretsAreInBodiesOnly() async throws {
        try await withClient([.started, .codeSent("canary-ct"), .created()]) { client, transport in
            let code = try await client.startSignUp(username: user, password: "canary-pw")
            _ = try await code.submit(code: "canary-otp")
            for request in transport.requests {
                let visible = "\(request.url) \(request.headers)"
                #expect(!visible.contains("canary") && !visible.contains("dahlia"))
                #expect(request.method == "POST")
            }
        }
    }

    @Test("SDK-NET-3: 10 000 mutated answers give an error or a step, and never trap")
    func mutatedAnswers() async throws {
        let seeds = [
            Stub.credentialRequired, .attributesRequired("T"), .created(),
            .refusal(.signUpContinue, "invalid_grant", suberror: "attribute_validation_failed", more: Self.invalid),
            Stub(.signUpContinue, 200, Self.redirect),
        ]
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: .min ... .max, using: &random)
        var generator = SplitMix64(state: seed)
        let special = Array("{}[]\":,\\u0truefalsnE+-.1 \n\0".utf8) + [0xFF, 0xC3, 0xED]
        for _ in 0..<10_000 {
            var stub = seeds[generator.below(seeds.count)]
            var bytes = Array(stub.json.utf8)
            for _ in 0...generator.below(3) where !bytes.isEmpty {
                let index = generator.below(bytes.count)
                switch generator.below(3) {
                case 0: bytes[index] = special[generator.below(special.count)]
                case 1: bytes.insert(special[generator.below(special.count)], at: index)
                case _: bytes.removeSubrange(index...)
                }
            }
            stub.json = String(decoding: bytes, as: UTF8.self)
            stub.endpoint = .token
            let transport = ScriptedTransport([.started, .codeSent("T2")])
            var configuration = NativeAuthConfiguration(
                clientID: clientID, authority: try Authority(tenantSubdomain: "contoso"), challengeTypes: [.password])
            configuration.transport = OneAnswer(first: transport, status: stub.status, body: Data(bytes))
            let client = NativeAuthClient(configuration, environment: [:])
            let code = try await client.startSignUp(username: user)
            do throws(NativeAuthError) {
                _ = try await code.submit(code: "1")
            } catch {
                #expect(kind(error) != "network", "seed \(seed)")
            }
        }
    }

    /// Lets two requests pass and gives every later one the same answer.
    private struct OneAnswer: HTTPTransport {
        let first: ScriptedTransport
        let status: Int
        let body: Data

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            if !first.unused.isEmpty { return try await first.send(request) }
            return TransportResponse(status: status, body: body)
        }
    }
}
