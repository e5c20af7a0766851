import Foundation
import NativeAuthCore
import NativeAuthWire
import Testing

@testable import NativeAuth

private let user = "dahlia@example.com"

// MARK: - Steps of any type

/// The result of a call on a step of any type.
enum Came: Sendable {
    /// With the step for a new code, if a new code was requested.
    case next(AnyStep?)
    case retry(any NativeAuthFailure, AnyStep)
    case over(any NativeAuthFailure)
    /// Another caller had taken the step.
    case taken
}

/// A kept step of any type.
struct AnyStep: Sendable {
    /// Submits the step's input.
    let submit: @Sendable () async -> Came
    /// Asks for another code.
    let resend: @Sendable () async -> Came
    /// The JSON of the saved step.
    let save: @Sendable (ResumeKey) throws -> Data
    let resume: @Sendable (Data, ResumeKey, NativeAuthClient) throws -> AnyStep
    /// All sealed values.
    let fields: Data
    /// The kept step, printed in all possible ways.
    let printed: String

    init<Step: FlowStep & ~Copyable, Next: ~Copyable & Sendable, Failure: NativeAuthFailure>(
        _ step: consuming Step,
        submit: @escaping @Sendable (consuming Step) async throws(Failure) -> Outcome<Step, Next>,
        resend: (@Sendable (consuming Step) async throws(Failure) -> Outcome<Step, Step>)? = nil
    ) throws where Step.Refusal: NativeAuthFailure {
        fields = try WireJSON.encode(step.content.fields)
        let again: @Sendable (consuming Step) throws -> AnyStep = { try AnyStep($0, submit: submit, resend: resend) }
        let kept = step.kept()
        self.submit = {
            guard let step = kept.take() else { return .taken }
            do throws(Failure) {
                switch try await submit(step) {
                case .next: return .next(nil)
                case .retry(let step, let refusal): return Came(refusal, again, step)
                }
            } catch {
                return .over(error)
            }
        }
        self.resend = {
            guard let resend, let step = kept.take() else { return .taken }
            do throws(Failure) {
                switch try await resend(step) {
                case .next(let step): return Came(nil, again, step)
                case .retry(let step, let refusal): return Came(refusal, again, step)
                }
            } catch {
                return .over(error)
            }
        }
        save = { key in try JSONEncoder().encode(try kept.saved(with: key)) }
        resume = { data, key, client in
            try again(try client.resume(try JSONDecoder().decode(Saved<Step>.self, from: data), with: key))
        }
        var text = "\(kept) \(String(reflecting: kept)) \(kept.info) \(String(reflecting: kept.info))"
        dump(kept, to: &text)
        dump(kept.info, to: &text)
        dump(kept.content, to: &text)
        printed = text
    }
}

extension Came {
    fileprivate init<Step: FlowStep & ~Copyable>(
        _ refusal: (any NativeAuthFailure)?, _ again: (consuming Step) throws -> AnyStep, _ step: consuming Step
    ) {
        do {
            let step = try again(step)
            self = refusal.map { .retry($0, step) } ?? .next(step)
        } catch {
            Issue.record("A step has no content: \(error)")
            self = .taken
        }
    }

    /// The kind of the refusal, and the usable step.
    func refused(_ sourceLocation: SourceLocation = #_sourceLocation) throws -> (any NativeAuthFailure, AnyStep) {
        guard case .retry(let refusal, let step) = self else {
            Issue.record("Not a refusal: \(self)", sourceLocation: sourceLocation)
            throw ScriptedTransport.Unscripted()
        }
        return (refusal, step)
    }

    /// The error that ended the flow.
    func ended(_ sourceLocation: SourceLocation = #_sourceLocation) throws -> any NativeAuthFailure {
        guard case .over(let error) = self else {
            Issue.record("Not an end: \(self)", sourceLocation: sourceLocation)
            throw ScriptedTransport.Unscripted()
        }
        return error
    }

    func isNext(_ sourceLocation: SourceLocation = #_sourceLocation) {
        if case .next = self { return }
        Issue.record("Not the next step: \(self)", sourceLocation: sourceLocation)
    }
}

/// The part of an error that is unrelated to the user's input.
func service(_ failure: any NativeAuthFailure) -> ServiceError? {
    failure as? ServiceError ?? Mirror(reflecting: failure).children.first?.value as? ServiceError
}

private func attempts(_ failure: any NativeAuthFailure) -> Int? {
    (failure as? CodeRefusal)?.attempts ?? (failure as? PasswordRefusal)?.attempts
}

/// One of the thirteen kinds of steps: the way to it, and the answers to its call.
struct PublicStep: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The answers until the step is reached.
    let before: [Stub]
    /// The answer that refuses the user's input, and the name of the refusal.
    let refused: Stub
    let refusal: String
    /// The answers to the right call; the first is that of the call itself.
    let success: [Stub]
    /// The answer that sends another code.
    var resent: Stub?
    let reach: @Sendable (NativeAuthClient) async throws -> AnyStep

    private init(
        _ name: String, _ before: [Stub], refused: Stub, _ refusal: String, success: [Stub], resent: Stub? = nil,
        reach: @escaping @Sendable (NativeAuthClient) async throws -> AnyStep
    ) {
        testDescription = name
        self.before = before
        self.refused = refused
        self.refusal = refusal
        self.success = success
        self.resent = resent
        self.reach = reach
    }

    private struct OtherStep: Error {}

    private static let reset: [Stub] = [.resetStarted, .resetCode, .resetContinued]
    private static let mfa: [Stub] = [.initiated, .password("T2"), .mfaRequired, .methods(.signInIntrospect)]
    private static let registration: [Stub] = [
        .initiated, .password("T2"), .registrationRequired, .methods(.registerIntrospect),
    ]

    private static func signIn(_ client: NativeAuthClient, password: String? = "secret") async throws -> SignInStep {
        try await client.signIn(
            username: user, password: password, scopes: ["Orders.Read"], claims: SignInTests.claims)
    }

    static func named(_ name: String) throws -> PublicStep {
        try #require(all.first { $0.testDescription == name })
    }

    static let all: [PublicStep] = [
        .init(
            "SignUpCodeRequired", [.started, .codeSent("T2")],
            refused: .refusal(.signUpContinue, "invalid_grant", suberror: "invalid_oob_value"), "incorrectCode",
            success: [.created()], resent: .codeSent("T2b")
        ) { client in
            try AnyStep(try await client.signUp(username: user)) {
                (step: consuming SignUpCodeRequired) async throws(SignUpError) in
                try await step.submit(code: "12345678")
            } resend: { (step: consuming SignUpCodeRequired) async throws(SignUpError) in
                try await step.resend()
            }
        },
        .init(
            "SignUpPasswordRequired", [.started, .codeSent("T2"), .credentialRequired, .passwordWanted("T5")],
            refused: .refusal(.signUpContinue, "invalid_grant", suberror: "password_too_weak"), "invalidPassword",
            success: [.attributesRequired("T6")]
        ) { client in
            let step = try await client.signUp(username: user)
            guard case .next(.passwordRequired(let step)) = try await step.submit(code: "1") else { throw OtherStep() }
            return try AnyStep(step) { (step: consuming SignUpPasswordRequired) async throws(SignUpError) in
                try await step.submit(password: "secret")
            }
        },
        .init(
            "SignUpAttributesRequired", [.started, .codeSent("T2"), .attributesRequired("T6")],
            refused: .refusal(
                .signUpContinue, "invalid_grant", suberror: "attribute_validation_failed", more: SignUpTests.invalid),
            "invalidAttributes", success: [.created()]
        ) { client in
            let step = try await client.signUp(username: user)
            guard case .next(.attributesRequired(let step)) = try await step.submit(code: "1") else {
                throw OtherStep()
            }
            return try AnyStep(step) { (step: consuming SignUpAttributesRequired) async throws(SignUpError) in
                try await step.submit(["city": "Aarhus"])
            }
        },
        .init(
            "SignUpCompleted", [.started, .codeSent("T2"), .created()], refused: Stub(.token, 429, ""), "throttled",
            success: [.tokens()]
        ) { client in
            let step = try await client.signUp(username: user)
            guard case .next(.completed(let step)) = try await step.submit(code: "1") else { throw OtherStep() }
            return try AnyStep(step) { (step: consuming SignUpCompleted) async throws(SignInError) in
                try await step.signIn(scopes: ["Orders.Read"], claims: SignInTests.claims)
            }
        },
        .init(
            "SignInCodeRequired", [.initiated, .code(.signInChallenge, "T2")], refused: .wrongCode, "incorrectCode",
            success: [.tokens()], resent: .code(.signInChallenge, "T2b")
        ) { client in
            guard case .codeRequired(let step) = try await signIn(client) else { throw OtherStep() }
            return try AnyStep(step) { (step: consuming SignInCodeRequired) async throws(SignInError) in
                try await step.submit(code: "12345678")
            } resend: { (step: consuming SignInCodeRequired) async throws(SignInError) in
                try await step.resend()
            }
        },
        .init(
            "SignInPasswordRequired", [.initiated, .password("T2")], refused: .wrongPassword, "incorrectPassword",
            success: [.mfaRequired, .methods(.signInIntrospect)]
        ) { client in
            guard case .passwordRequired(let step) = try await signIn(client, password: nil) else {
                throw OtherStep()
            }
            return try AnyStep(step) { (step: consuming SignInPasswordRequired) async throws(SignInError) in
                try await step.submit(password: "secret")
            }
        },
        .init(
            "MFARequired", mfa,
            refused: .refusal(.signInChallenge, "access_denied", suberror: "provider_blocked_by_rep"), "blocked",
            success: [.code(.signInChallenge, "T5")]
        ) { client in
            guard case .mfaRequired(let step) = try await signIn(client) else { throw OtherStep() }
            let method = step.info[0]
            return try AnyStep(step) { (step: consuming MFARequired) async throws(SignInError) in
                try await step.requestCode(by: method)
            }
        },
        .init(
            "MFACodeRequired", mfa + [.code(.signInChallenge, "T5")], refused: .wrongCode, "incorrectCode",
            success: [.tokens()], resent: .code(.signInChallenge, "T5b")
        ) { client in
            guard case .mfaRequired(let choice) = try await signIn(client) else { throw OtherStep() }
            let method = choice.info[1]
            guard case .next(let step) = try await choice.requestCode(by: method) else { throw OtherStep() }
            return try AnyStep(step) { (step: consuming MFACodeRequired) async throws(SignInError) in
                try await step.submit(code: "12345678")
            } resend: { (step: consuming MFACodeRequired) async throws(SignInError) in
                try await step.requestCode(by: method)
            }
        },
        .init(
            "RegistrationRequired", registration,
            refused: .refusal(.registerChallenge, "access_denied", suberror: "provider_blocked_by_rep"), "blocked",
            success: [.contactCode("T5")]
        ) { client in
            guard case .registrationRequired(let step) = try await signIn(client) else { throw OtherStep() }
            let method = step.info[0]
            return try AnyStep(step) { (step: consuming RegistrationRequired) async throws(SignInError) in
                try await step.requestCode(to: "dana@example.com", by: method)
            }
        },
        .init(
            "RegistrationCodeRequired", registration + [.contactCode("T5")], refused: .wrongContactCode,
            "incorrectCode", success: [.registered, .tokens()], resent: .contactCode("T5b")
        ) { client in
            guard case .registrationRequired(let choice) = try await signIn(client) else { throw OtherStep() }
            let method = choice.info[0]
            guard
                case .next(.codeRequired(let step)) = try await choice.requestCode(to: "dana@example.com", by: method)
            else { throw OtherStep() }
            return try AnyStep(step) { (step: consuming RegistrationCodeRequired) async throws(SignInError) in
                try await step.submit(code: "12345678")
            } resend: { (step: consuming RegistrationCodeRequired) async throws(SignInError) in
                switch try await step.resend() {
                case .next(.codeRequired(let step)): return .next(step)
                case .next(.completed): throw .service(.unexpected(.init(correlationID: correlation)))
                case .retry(let step, let refusal): return .retry(step, refusal)
                }
            }
        },
        .init(
            "ResetPasswordCodeRequired", [.resetStarted, .resetCode], refused: .resetWrongCode, "incorrectCode",
            success: [.resetContinued], resent: .code(.resetPasswordChallenge, "T2b")
        ) { client in
            try AnyStep(try await client.resetPassword(username: user)) {
                (step: consuming ResetPasswordCodeRequired) async throws(ResetPasswordError) in
                try await step.submit(code: "12345678")
            } resend: { (step: consuming ResetPasswordCodeRequired) async throws(ResetPasswordError) in
                try await step.resend()
            }
        },
        .init(
            "NewPasswordRequired", reset,
            refused: .refusal(.resetPasswordSubmit, "invalid_grant", suberror: "password_banned"), "invalidPassword",
            success: [.resetSubmitted(), .done]
        ) { client in
            let step = try await client.resetPassword(username: user)
            guard case .next(let step) = try await step.submit(code: "1") else { throw OtherStep() }
            return try AnyStep(step) { (step: consuming NewPasswordRequired) async throws(ResetPasswordError) in
                try await step.submit(password: "secret")
            }
        },
        .init(
            "PasswordResetCompleted", reset + [.resetSubmitted(), .done], refused: Stub(.token, 429, ""), "throttled",
            success: [.tokens()]
        ) { client in
            let step = try await client.resetPassword(username: user)
            guard case .next(let step) = try await step.submit(code: "1"),
                case .next(let step) = try await step.submit(password: "secret")
            else { throw OtherStep() }
            return try AnyStep(step) { (step: consuming PasswordResetCompleted) async throws(SignInError) in
                try await step.signIn(scopes: ["Orders.Read"], claims: SignInTests.claims)
            }
        },
    ]
}

// MARK: - Tests

@Suite("Public steps")
struct StepTests {
    @Test func thereAreThirteenKinds() {
        #expect(PublicStep.all.count == 13)
    }

    @Test("SDK-STATE-1: the right call is one request, and leads on", arguments: PublicStep.all)
    func next(_ step: PublicStep) async throws {
        try await withClient(step.before + step.success) { client, transport in
            let live = try await step.reach(client)
            #expect(transport.requests.count == step.before.count)
            await live.submit().isNext()
            guard case .taken = await live.submit() else {
                Issue.record("The step was there twice.")
                return
            }
        }
    }

    @Test("SDK-STATE-1: a refusal gives the live step back, with the same token", arguments: PublicStep.all)
    func retry(_ step: PublicStep) async throws {
        try await withClient(step.before + [step.refused] + step.success) { client, transport in
            let (refusal, again) = try await step.reach(client).submit().refused()
            #expect(kind(refusal) == step.refusal)
            #expect(refusal.details.correlationID == correlation)
            await again.submit().isNext()
            let (first, second) = (transport.requests[step.before.count], transport.requests[step.before.count + 1])
            #expect(first.body == second.body)
        }
    }

    static let troubles: [(kind: String, answer: @Sendable (V1Endpoint) -> Stub)] = [
        ("indeterminate", { Stub($0, failing: URLError(.networkConnectionLost)) }),
        ("unreachable", { Stub($0, failing: URLError(.cannotConnectToHost)) }),
        ("throttled", { Stub($0, 429, "", headers: ["retry-after": "7"]) }),
        ("unexpected", { Stub($0, 500, "") }),
        ("unexpected", { Stub($0, 200, "nonsense") }),
    ]

    @Test("SDK-RETRY-2: trouble on the way never loses the step", arguments: PublicStep.all)
    func trouble(_ step: PublicStep) async throws {
        for trouble in Self.troubles {
            try await withClient(step.before + [trouble.answer(step.refused.endpoint)] + step.success) { client, _ in
                let (refusal, again) = try await step.reach(client).submit().refused()
                #expect(service(refusal).map { kind($0) } == trouble.kind)
                await again.submit().isNext()
            }
        }
    }

    @Test("SDK-CANCEL-1: a cancelled call gives the live step back, and sends nothing", arguments: PublicStep.all)
    func cancellation(_ step: PublicStep) async throws {
        try await withClient(step.before + step.success) { client, transport in
            let live = try await step.reach(client)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await live.submit()
            }
            let (refusal, again) = try await task.value.refused()
            #expect(service(refusal).map { kind($0) } == "cancelled")
            #expect(transport.requests.count == step.before.count)
            await again.submit().isNext()
        }
    }

    @Test("What the server has the last word on ends the flow", arguments: PublicStep.all)
    func ends(_ step: PublicStep) async throws {
        let endpoint = step.refused.endpoint
        for (answer, expected) in [
            (Stub.refusal(endpoint, "expired_token", codes: [552003]), "expired"),
            (Stub(endpoint, 200, SignUpTests.redirect), "browserRequired"),
            // The server no longer knows the token.
            (Stub.refusal(endpoint, "invalid_request", codes: [55200]), "service"),
        ] {
            try await withClient(step.before + [answer]) { client, _ in
                let error = try await step.reach(client).submit().ended()
                #expect(kind(error) == expected && error.details.correlationID == correlation)
            }
        }
    }

    @Test("Unknown words and numbers survive", arguments: PublicStep.all)
    func unknownWords(_ step: PublicStep) async throws {
        let answer = Stub.refusal(step.refused.endpoint, "brand_new", suberror: "brand_newer", codes: [99_999, 7])
        try await withClient(step.before + [answer]) { client, _ in
            let failure: any NativeAuthFailure
            switch try await step.reach(client).submit() {
            case .retry(let refusal, _): failure = refusal
            case .over(let error): failure = error
            case .next, .taken: throw ScriptedTransport.Unscripted()
            }
            guard case .unexpected(let details)? = service(failure) else {
                Issue.record("\(failure)")
                return
            }
            #expect(details.error == "brand_new" && details.suberror == "brand_newer")
            #expect(details.errorCodes == [99_999, 7] && details.message == "Server text")
        }
    }

    @Test("Unknown challenges, and those for a browser, end the start")
    func unknownChallenges() async throws {
        let starts: [(Stub, V1Endpoint, @Sendable (NativeAuthClient) async -> (any NativeAuthFailure)?)] = [
            (
                .started, .signUpChallenge,
                { client in await Self.failure { _ = try await client.signUp(username: user) } }
            ),
            (
                .initiated, .signInChallenge,
                { client in await Self.failure { _ = try await client.signIn(username: user) } }
            ),
            (
                .resetStarted, .resetPasswordChallenge,
                { client in await Self.failure { _ = try await client.resetPassword(username: user) } }
            ),
        ]
        for (first, endpoint, begin) in starts {
            for (json, expected) in [
                (#"{"challenge_type":"pigeon","continuation_token":"T2"}"#, "service"),
                (SignUpTests.redirect, "browserRequired"),
            ] {
                try await withClient([first, Stub(endpoint, 200, json)]) { client, _ in
                    let failure = try #require(await begin(client))
                    #expect(kind(failure) == expected)
                    let unexpected = service(failure).map { kind($0) }
                    #expect(unexpected == (expected == "service" ? "unexpected" : nil))
                }
            }
        }
    }

    private static func failure(_ body: () async throws -> Void) async -> (any NativeAuthFailure)? {
        do {
            try await body()
            return nil
        } catch {
            return error as? any NativeAuthFailure
        }
    }

    // MARK: Attempts

    static let counted = PublicStep.all.filter { ["incorrectCode", "incorrectPassword"].contains($0.refusal) }

    @Test("Attempts are counted over retries, trouble and a saved step", arguments: counted)
    func attemptsAreCounted(_ step: PublicStep) async throws {
        let lost = Stub(step.refused.endpoint, failing: URLError(.networkConnectionLost))
        let key = ResumeKey()
        try await withClient(step.before + [step.refused, lost, step.refused, step.refused]) { client, _ in
            let (first, second) = try await step.reach(client).submit().refused()
            let (lost, third) = try await second.submit().refused()
            let (refused, fourth) = try await third.submit().refused()
            let (last, _) = try await fourth.resume(fourth.save(key), key, client).submit().refused()
            #expect([first, lost, refused, last].map(attempts) == [1, nil, 2, 3])
        }
    }

    @Test(
        "A refused resend keeps code and attempts; a new code begins anew",
        arguments: counted.filter { $0.resent != nil })
    func resend(_ step: PublicStep) async throws {
        let resent = try #require(step.resent)
        let throttled = Stub.refusal(resent.endpoint, "invalid_request", codes: [701_014])
        let script = [step.refused, throttled, step.refused, resent, step.refused] + step.success
        try await withClient(step.before + script) { client, transport in
            let (_, second) = try await step.reach(client).submit().refused()
            let (refusal, third) = try await second.resend().refused()
            #expect(kind(refusal) == "service" && refusal.details.errorCodes == [701_014])
            let (wrong, fourth) = try await third.submit().refused()
            #expect(attempts(wrong) == 2)
            guard case .next(let fifth?) = await fourth.resend() else {
                Issue.record("No new code.")
                return
            }
            let (again, sixth) = try await fifth.submit().refused()
            #expect(attempts(again) == 1)
            await sixth.submit().isNext()
            let old = try transport.form(step.before.count)["continuation_token"]
            let new = try transport.form(step.before.count + 4)["continuation_token"]
            let kept = try transport.form(step.before.count + 2)["continuation_token"]
            #expect(old != nil && kept == old && new == "\(old ?? "")b")
        }
    }

    // MARK: What is wrong, in types

    @Test(
        "Every rule about passwords has a name",
        arguments: [
            ("password_too_short", PasswordRule.tooShort), ("password_too_long", .tooLong),
            ("password_too_weak", .tooWeak), ("password_banned", .banned),
            ("password_recently_used", .recentlyUsed), ("password_is_invalid", .notAllowed),
        ])
    func passwordRules(_ suberror: String, _ expected: PasswordRule) async throws {
        let step = try PublicStep.named("SignUpPasswordRequired")
        let script: [Stub] = [
            .refusal(.signUpStart, "invalid_grant", suberror: suberror),
            .started, .codeSent("T2"), .refusal(.signUpContinue, "invalid_grant", suberror: suberror),
        ]
        let refused = Stub.refusal(.signUpContinue, "invalid_grant", suberror: suberror)
        try await withClient(script + step.before + [refused]) { client, _ in
            // At the start, after the code, and when the server asks for it.
            let start = try await error { () async throws(SignUpError) in
                _ = try await client.signUp(username: user, password: "secret")
            }
            let late = await Self.failure {
                let code = try await client.signUp(username: user, password: "secret")
                _ = try await code.submit(code: "1")
            }
            let (refusal, _) = try await step.reach(client).submit().refused()
            guard case .invalidPassword(let first, let details) = start,
                case .invalidPassword(let second, _)? = late as? SignUpError,
                case .invalidPassword(let third, _)? = refusal as? NewPasswordRefusal
            else {
                Issue.record("\(start) \(refusal)")
                return
            }
            #expect([first, second, third] == [expected, expected, expected] && details.suberror == suberror)
        }
    }

    @Test func anEmptyPasswordIsToldFromABadOne() async throws {
        try await withClient([]) { client, _ in
            let error = try await error { () async throws(SignUpError) in
                _ = try await client.signUp(username: user, password: "")
            }
            guard case .invalidPassword(.empty, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func aRefusedAttributeIsNamedWithItsRule() async throws {
        let wanted = Stub.refusal(
            .signUpContinue, "attributes_required",
            more: #"""
                ,"continuation_token":"T6","required_attributes":[
                {"name":"city","type":"string","required":true,"options":{"regex":"^[A-Z][a-z]+$"}},
                {"name":"country","type":"string","required":true},{"name":"age","type":"integer","required":true}]
                """#)
        let refused = Stub.refusal(
            .signUpContinue, "invalid_grant", suberror: "attribute_validation_failed",
            more: #","invalid_attributes":[{"name":"city"},{"name":"country"},{"name":"age"},{"name":"else"}]"#)
        try await withClient([.started, .codeSent("T2"), wanted, refused]) { client, _ in
            let code = try await client.signUp(username: user)
            guard case .next(.attributesRequired(let step)) = try await code.submit(code: "1"),
                case .retry(let again, .invalidAttributes(let problems, _)) =
                    try await step.submit(["city": "aarhus", "country": "Denmark", "age": "old"])
            else {
                Issue.record("Attributes were not refused.")
                return
            }
            #expect(problems.map(\.name) == ["city", "country", "age", "else"])
            #expect(problems.map(\.attribute) == again.info + [nil])
            #expect(problems[0].attribute?.regex == "^[A-Z][a-z]+$")
            #expect(
                problems.map(\.hint) == [
                    .patternMismatch(regex: "^[A-Z][a-z]+$"), nil, .wrongType(expected: "integer"), nil,
                ])
        }
    }

    @Test func attributesRefusedAtTheStartAreNamed() async throws {
        let refused = Stub.refusal(
            .signUpStart, "invalid_grant", suberror: "attribute_validation_failed", more: SignUpTests.invalid)
        try await withClient([refused]) { client, _ in
            let error = try await error { () async throws(SignUpError) in
                _ = try await client.signUp(username: user, attributes: ["city": "?"])
            }
            guard case .invalidAttributes(let problems, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(problems.map(\.name) == ["city", "flatusername"] && problems.allSatisfy { $0.attribute == nil })
        }
    }

    @Test("A taken alias keeps the step; a taken address ends it", arguments: [true, false])
    func taken(_ hasAlias: Bool) async throws {
        let refused = Stub.refusal(.signUpContinue, "user_already_exists")
        let script: [Stub] = [.started, .codeSent("T2"), .attributesRequired("T6"), refused]
        try await withClient(script + (hasAlias ? [.created()] : [])) { client, _ in
            let code = try await client.signUp(username: user)
            guard case .next(.attributesRequired(let step)) = try await code.submit(code: "1") else {
                throw ScriptedTransport.Unscripted()
            }
            do throws(SignUpError) {
                let attributes: [String: AttributeValue] = hasAlias ? [AttributeName.flatUsername: "dahlia"] : [:]
                guard case .retry(let again, .aliasTaken) = try await step.submit(attributes) else {
                    Issue.record("Not refused.")
                    return
                }
                guard case .next(.completed) = try await again.submit([AttributeName.flatUsername: "dahlia.2"]) else {
                    Issue.record("Not completed.")
                    return
                }
                #expect(hasAlias)
            } catch {
                #expect(kind(error) == "userAlreadyExists" && !hasAlias)
            }
        }
    }

    @Test func whoGivesAPasswordAndGetsACodeIsTold() async throws {
        for password in ["secret", nil] {
            try await withClient([.initiated, .code(.signInChallenge, "T2"), .code(.signInChallenge, "T3")]) {
                client, _ in
                guard case .codeRequired(let step) = try await client.signIn(username: user, password: password) else {
                    throw ScriptedTransport.Unscripted()
                }
                #expect(step.isPasswordUnused == (password != nil))
                guard case .next(let again) = try await step.resend() else { throw ScriptedTransport.Unscripted() }
                #expect(again.isPasswordUnused == (password != nil))
            }
        }
    }

    // MARK: Reset

    @Test(
        "docs/protocol.md §4.8.5: after a late refusal the next password, saved or not, has the token of the submission"
    )
    func lateRefusal() async throws {
        let step = try PublicStep.named("NewPasswordRequired")
        let late = Stub.refusal(.resetPasswordPollCompletion, "invalid_grant", suberror: "password_banned")
        let key = ResumeKey()
        try await withClient(step.before + [.resetSubmitted("T4"), late, step.refused, .resetSubmitted("T7"), .done]) {
            client, transport in
            let (refusal, again) = try await step.reach(client).submit().refused()
            guard case .invalidPassword(.banned, _)? = refusal as? NewPasswordRefusal else {
                Issue.record("\(refusal)")
                return
            }
            let resumed = try again.resume(again.save(key), key, client)
            _ = try await resumed.submit().refused()
            await again.submit().isNext()
            #expect(try transport.form(5)["continuation_token"] == "T4")
            #expect(try transport.form(6)["continuation_token"] == "T4")
        }
    }

    @Test func aPasswordThatIsNotConfirmedIsNoRefusal() async throws {
        let step = try PublicStep.named("NewPasswordRequired")
        let polls = Array(repeating: Stub.poll("in_progress"), count: 6)
        let configure: (inout NativeAuthConfiguration) -> Void = { $0.sleep = { _ in } }
        try await withClient(step.before + [.resetSubmitted()] + polls, configure: configure) { client, _ in
            let error = try await step.reach(client).submit().ended()
            #expect(kind(error) == "notConfirmed")
        }
    }

    // MARK: Second factors

    @Test(
        "Where no step can follow, a demand for another factor is an end",
        arguments: [Stub.mfaRequired, .registrationRequired])
    func yetAnotherFactor(_ demand: Stub) async throws {
        for name in ["MFACodeRequired", "RegistrationCodeRequired"] {
            let step = try PublicStep.named(name)
            try await withClient(step.before + step.success.dropLast() + [demand]) { client, _ in
                let error = try await step.reach(client).submit().ended()
                guard case .unexpected(let details)? = service(error) else {
                    Issue.record("\(error)")
                    return
                }
                #expect(["mfa_required", "registration_required"].contains(details.suberror))
            }
        }
    }

    @Test func aContactCanBeChosenAgain() async throws {
        let script: [Stub] = [
            .initiated, .password("T2"), .registrationRequired, .methods(.registerIntrospect), .contactCode("T5"),
            .refusal(.registerChallenge, "invalid_request", codes: [901_001]), .preverified, .registered, .tokens(),
        ]
        try await withClient(script) { client, transport in
            guard case .registrationRequired(let choice) = try await client.signIn(username: user, password: "secret")
            else { throw ScriptedTransport.Unscripted() }
            let methods = choice.info
            guard
                case .next(.codeRequired(let step)) = try await choice.requestCode(to: "a@example.com", by: methods[0]),
                case .retry(let again, let refusal) = try await step.chooseAgain().requestCode(to: "?", by: methods[0])
            else { throw ScriptedTransport.Unscripted() }
            #expect(kind(refusal) == "service" || kind(refusal) == "invalidContact")
            guard case .next(.completed(let account)) = try await again.requestCode(to: "b@example.com", by: methods[0])
            else { throw ScriptedTransport.Unscripted() }
            #expect(account.homeAccountID == "UID.UTID")
            #expect(try transport.form(6)["challenge_target"] == "b@example.com")
        }
    }

    @Test("A verified contact is spent with its token: no retry after it, whatever went wrong")
    func preverifiedIsSpent() async throws {
        let step = try PublicStep.named("RegistrationRequired")
        for trouble in Self.troubles {
            try await withClient(step.before + [.preverified, .registered, trouble.answer(.token)]) { client, _ in
                let error = try await step.reach(client).submit().ended()
                #expect(service(error).map { kind($0) } == trouble.kind)
            }
        }
    }

    @Test func anEmptyContactIsNoContact() async throws {
        let step = try PublicStep.named("RegistrationRequired")
        try await withClient(step.before) { client, _ in
            guard case .registrationRequired(let choice) = try await client.signIn(username: user, password: "secret")
            else { throw ScriptedTransport.Unscripted() }
            let method = choice.info[0]
            guard case .retry(_, .invalidContact) = try await choice.requestCode(to: "", by: method) else {
                Issue.record("Not refused.")
                return
            }
        }
    }

    // MARK: The vocabulary of all flows

    /// An error of each kind.
    static func errors(canRetry: Bool) -> [NativeAuthError] {
        let details = ErrorDetails(correlationID: correlation, errorCodes: [1], error: "word", canRetry: canRetry)
        return [
            .browserRequired(details), .userAlreadyExists(details), .userNotFound(details), .invalidUsername(details),
            .invalidPassword(details), .invalidCredentials(details), .userDoesNotHavePassword(details),
            .invalidAttributes(names: ["city"], details), .incorrectCode(details), .invalidInput(details),
            .authMethodBlocked(details), .verificationContactBlocked(details), .expired(details),
            .unexpectedReply(details), .notAvailable(details), .registrationRequired(details), .mfaRequired(details),
            .invalidScope(details), .signInRequired(details), .throttled(retryAfter: 7, details),
            .network(details, underlying: URLError(.cannotConnectToHost)), .indeterminate(details),
            .stateAlreadyUsed(details), .cancelled(details), .invalidConfiguration(details), .general(details),
        ]
    }

    /// The name of a kind among the errors that are unrelated to the user's input.
    private static func serviceKind(_ kind: String) -> String {
        switch kind {
        case "throttled", "indeterminate", "cancelled", "invalidConfiguration": kind
        case "network": "unreachable"
        case _: "unexpected"
        }
    }

    private func check(_ failure: any NativeAuthFailure, of kind: String, named: [String: String]) {
        if let name = named[kind] {
            #expect(NativeAuthTests.kind(failure) == name)
        } else {
            #expect(service(failure).map { NativeAuthTests.kind($0) } == Self.serviceKind(kind), "\(kind)")
        }
        #expect(failure.details.errorCodes == [1] && failure.details.error == "word")
        #expect(!failure.description.isEmpty)
    }

    @Test("Every kind of error has its place in every flow", arguments: [true, false])
    func ends(_ canRetry: Bool) {
        let errors = Self.errors(canRetry: canRetry)
        #expect(Set(errors.map { kind($0) }).count == 26)
        func same(_ kinds: String...) -> [String: String] { Dictionary(uniqueKeysWithValues: kinds.map { ($0, $0) }) }
        for error in errors {
            check(ServiceError(error), of: kind(error), named: [:])
            check(
                SignUpError(error), of: kind(error),
                named: same(
                    "userAlreadyExists", "invalidUsername", "invalidPassword", "invalidAttributes", "expired",
                    "browserRequired"))
            check(
                SignInError(error), of: kind(error),
                named: same(
                    "userNotFound", "invalidUsername", "invalidCredentials", "authMethodBlocked", "invalidScope",
                    "expired", "browserRequired", "notAvailable"
                ).merging(
                    [
                        "invalidPassword": "invalidCredentials", "verificationContactBlocked": "authMethodBlocked",
                    ], uniquingKeysWith: { $1 }))
            check(
                ResetPasswordError(error), of: kind(error),
                named: same("userNotFound", "invalidUsername", "userDoesNotHavePassword", "expired", "browserRequired"))
        }
    }

    /// The errors that always keep the step usable, and those that do so only if the flow says so.
    private static let alive: Set<String> = ["unexpectedReply"]
    private static let mayBeAlive: Set<String> = [
        "throttled", "network", "indeterminate", "cancelled", "general", "stateAlreadyUsed", "notAvailable",
    ]

    @Test("Every kind of error leaves the step alive, or not", arguments: [true, false])
    func retries(_ canRetry: Bool) {
        let blocked = ["authMethodBlocked": "blocked", "verificationContactBlocked": "blocked"]
        for error in Self.errors(canRetry: canRetry) {
            let isService = canRetry ? Self.alive.union(Self.mayBeAlive) : Self.alive
            let refusals: [((any NativeAuthFailure)?, [String: String])] = [
                (ServiceError(retrying: error), [:]),
                (CodeRefusal(error, attempts: 4), blocked.merging(["incorrectCode": "incorrectCode"]) { $1 }),
                (
                    PasswordRefusal(error, attempts: 4),
                    ["invalidPassword": "incorrectPassword", "invalidCredentials": "incorrectPassword"]
                ),
                (NewPasswordRefusal(error), ["invalidPassword": "invalidPassword"]),
                (
                    AttributesRefusal(error, required: [], submitted: [:]),
                    ["invalidAttributes": "invalidAttributes"]
                ),
                (MethodRefusal(error), blocked.merging(["invalidInput": "invalidContact"]) { $1 }),
            ]
            for (index, (refusal, named)) in refusals.enumerated() {
                let isChoice = index == refusals.count - 1
                let isAlive = named[kind(error)] != nil || isService.contains(kind(error)) && (canRetry || !isChoice)
                #expect((refusal != nil) == isAlive, "\(kind(error)) of \(index)")
                if let refusal { check(refusal, of: kind(error), named: named) }
                if let count = refusal.flatMap(attempts) { #expect(count == 5) }
            }
        }
    }

    @Test func aServerThatKnowsTheFlowNoMoreEndsIt() {
        let details = ErrorDetails(correlationID: correlation, errorCodes: [55_200], canRetry: true)
        #expect(CodeRefusal(.general(details), attempts: 0) == nil)
    }

    // MARK: Kept

    @Test("SDK-STATE-1: of 100 who take a kept step at once, one has it", arguments: PublicStep.all)
    func parallelTakes(_ step: PublicStep) async throws {
        try await withClient(step.before + step.success) { client, transport in
            let kept = try await step.reach(client)
            let won = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask { if case .next = await kept.submit() { true } else { false } }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(won == 1)
            #expect(transport.requests.count == step.before.count + step.success.count)
        }
    }

    @Test func whatThereIsToShowStaysAndOnlyCopiesAreEqual() async throws {
        try await withClient([.started, .codeSent("T2"), .started, .codeSent("T2")]) { client, _ in
            let kept = try await client.signUp(username: user).kept()
            let copy = kept
            let other = try await client.signUp(username: user).kept()
            #expect(kept == copy && kept != other && Set([kept, copy, other]).count == 2)
            guard let step = copy.take() else {
                Issue.record("The step was not there.")
                return
            }
            #expect(kept.info == step.info && kept.info.sentTo == "d***a@e***e.com" && kept.info.sentAt == start)
            #expect(kept.correlationID == correlation)
            let again = step.kept()
            #expect(kept.take() == nil && again != kept)
        }
    }
}
