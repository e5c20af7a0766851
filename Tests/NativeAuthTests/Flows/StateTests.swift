import Foundation
import NativeAuth
import NativeAuthCore
import NativeAuthWire
import Synchronization
import Testing

private let user = "dahlia@example.com"

/// A step of a flow: the way to it, and the result of its submission.
struct StepCase: Sendable, CustomTestStringConvertible {
    typealias Submit = @Sendable () async throws(NativeAuthError) -> Void

    let testDescription: String
    /// The answers until the step is reached.
    let before: [Stub]
    /// The answer to a wrong submission, after which the step is usable.
    let refused: Stub
    /// The answers to the right submission; the first is that of the submission itself.
    let success: [Stub]
    /// Sends another code, and gives back nothing; nil where there is no code.
    var resent: Stub?
    let reach: @Sendable (NativeAuthClient) async throws -> (submit: Submit, resend: Submit?)

    private init(
        _ name: String, _ before: [Stub], refused: Stub, success: [Stub], resent: Stub? = nil,
        reach: @escaping @Sendable (NativeAuthClient) async throws -> (submit: Submit, resend: Submit?)
    ) {
        testDescription = name
        self.before = before
        self.refused = refused
        self.success = success
        self.resent = resent
        self.reach = reach
    }

    private struct OtherStep: Error {}

    private static let wrongSignUpCode = Stub.refusal(.signUpContinue, "invalid_grant", suberror: "invalid_oob_value")
    private static let weak = Stub.refusal(.signUpContinue, "invalid_grant", suberror: "password_too_weak")
    private static let wrongAttribute = Stub.refusal(
        .signUpContinue, "invalid_grant", suberror: "attribute_validation_failed", more: SignUpTests.invalid)
    private static let reset: [Stub] = [.resetStarted, .resetCode, .resetContinued]
    private static let busy = Stub.refusal(.token, "temporarily_unavailable")

    static let all: [StepCase] = [
        .init(
            "code of a sign-up", [.started, .codeSent("T2")], refused: wrongSignUpCode, success: [.created()],
            resent: .codeSent("T2b")
        ) { client in
            let step = try await client.startSignUp(username: user)
            return (
                { () async throws(NativeAuthError) in _ = try await step.submit(code: "12345678") },
                { () async throws(NativeAuthError) in _ = try await step.resend() }
            )
        },
        .init(
            "password of a sign-up", [.started, .codeSent("T2"), .credentialRequired, .passwordWanted("T5")],
            refused: weak, success: [.created()]
        ) { client in
            guard case .passwordRequired(let step) = try await client.startSignUp(username: user).submit(code: "1")
            else {
                throw OtherStep()
            }
            return ({ () async throws(NativeAuthError) in _ = try await step.submit(password: "secret") }, nil)
        },
        .init(
            "attributes of a sign-up", [.started, .codeSent("T2"), .attributesRequired("T6")],
            refused: wrongAttribute, success: [.created()]
        ) { client in
            guard case .attributesRequired(let step) = try await client.startSignUp(username: user).submit(code: "1")
            else {
                throw OtherStep()
            }
            return ({ () async throws(NativeAuthError) in _ = try await step.submit(["city": "Aarhus"]) }, nil)
        },
        .init(
            "sign-in after a sign-up", [.started, .codeSent("T2"), .created()], refused: busy, success: [.tokens()]
        ) { client in
            guard case .completed(let step) = try await client.startSignUp(username: user).submit(code: "1") else {
                throw OtherStep()
            }
            return ({ () async throws(NativeAuthError) in _ = try await step.signIn() }, nil)
        },
        .init(
            "code of a sign-in", [.initiated, .code(.signInChallenge, "T2")], refused: .wrongCode,
            success: [.tokens()], resent: .code(.signInChallenge, "T2b")
        ) { client in
            guard case .codeRequired(let step) = try await client.startSignIn(username: user) else { throw OtherStep() }
            return (
                { () async throws(NativeAuthError) in _ = try await step.submit(code: "12345678") },
                { () async throws(NativeAuthError) in _ = try await step.resend() }
            )
        },
        .init(
            "password of a sign-in", [.initiated, .password("T2")], refused: .wrongPassword,
            success: [.mfaRequired, .methods(.signInIntrospect)]
        ) { client in
            guard case .passwordRequired(let step) = try await client.startSignIn(username: user) else {
                throw OtherStep()
            }
            return ({ () async throws(NativeAuthError) in _ = try await step.submit(password: "secret") }, nil)
        },
        .init(
            "code of a second factor",
            [
                .initiated, .password("T2"), .mfaRequired, .methods(.signInIntrospect), .code(.signInChallenge, "T5"),
            ], refused: .wrongCode, success: [.tokens()], resent: .code(.signInChallenge, "T5b")
        ) { client in
            guard
                case .next(.mfaRequired(let choice)) = try await client.startSignIn(username: user, password: "secret")
            else {
                throw OtherStep()
            }
            let step = try await choice.requestChallenge(choice.methods[0])
            return (
                { () async throws(NativeAuthError) in _ = try await step.submit(code: "12345678") },
                { () async throws(NativeAuthError) in
                    _ = try await step.choice.requestChallenge(choice.methods[1])
                }
            )
        },
        .init(
            "code of a registration",
            [
                .initiated, .password("T2"), .registrationRequired, .methods(.registerIntrospect), .contactCode("T5"),
            ], refused: .wrongContactCode, success: [.registered, .tokens()], resent: .contactCode("T5b")
        ) { client in
            let first = try await client.startSignIn(username: user, password: "secret")
            guard case .next(.registrationRequired(let choice)) = first else { throw OtherStep() }
            let step = try await choice.code()
            return (
                { () async throws(NativeAuthError) in _ = try await step.submit(code: "123456") },
                { () async throws(NativeAuthError) in
                    _ = try await step.choice.requestChallenge(choice.methods[1], contact: "other@example.com")
                }
            )
        },
        .init(
            "code of a reset", [.resetStarted, .resetCode], refused: .resetWrongCode, success: [.resetContinued],
            resent: .code(.resetPasswordChallenge, "T2b")
        ) { client in
            let step = try await client.startResetPassword(username: user)
            return (
                { () async throws(NativeAuthError) in _ = try await step.submit(code: "12345678") },
                { () async throws(NativeAuthError) in _ = try await step.resend() }
            )
        },
        .init(
            "new password", reset,
            refused: .refusal(.resetPasswordSubmit, "invalid_grant", suberror: "password_banned"),
            success: [.resetSubmitted(), .done]
        ) { client in
            let step = try await client.startResetPassword(username: user).submit(code: "1")
            return ({ () async throws(NativeAuthError) in _ = try await step.submit(password: "secret") }, nil)
        },
        .init(
            "sign-in after a reset", reset + [.resetSubmitted(), .done], refused: busy, success: [.tokens()]
        ) { client in
            let step = try await client.startResetPassword(username: user).submit(code: "1").submit(password: "secret")
            return ({ () async throws(NativeAuthError) in _ = try await step.signIn() }, nil)
        },
    ]

    /// The answers without an effect that the submission may get.
    func failures() -> [Stub] {
        [
            refused, Stub(refused.endpoint, failing: URLError(.networkConnectionLost)),
            Stub(refused.endpoint, failing: URLError(.cannotConnectToHost)),
            Stub(refused.endpoint, 429, "", headers: ["retry-after": "7"]), Stub(refused.endpoint, 500, ""),
            Stub(refused.endpoint, 200, "nonsense"),
        ]
    }
}

/// Opens once, for all waiters; also when a second waiter arrives, so that a test of one request fails instead of
/// hanging.
private final class Latch: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isAlone = state.withLock { state in
                state.waiting.append(continuation)
                return !state.isOpen && state.waiting.count == 1
            }
            if !isAlone { open() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Answers from a script; from request `held` on only after the latch is open.
private struct HeldTransport: HTTPTransport {
    let script: ScriptedTransport
    let held: Int
    let latch: Latch

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if script.requests.count >= held { await latch.wait() }
        return try await script.send(request)
    }
}

@Suite("Steps")
struct StateTests {
    /// Makes 50 concurrent calls, of which the first is answered when all others have ended; returns their results.
    private func fifty(
        _ step: StepCase, answers: [Stub], call: (@escaping StepCase.Submit, StepCase.Submit?) throws -> StepCase.Submit
    ) async throws -> [String] {
        let transport = ScriptedTransport(step.before + answers)
        let latch = Latch()
        var configuration = NativeAuthConfiguration(
            clientID: clientID, authority: try Authority(tenantSubdomain: "contoso"),
            challengeTypes: [.password, .oneTimePasscode])
        configuration.transport = HeldTransport(script: transport, held: step.before.count, latch: latch)
        configuration.now = { start }
        let reached = try await step.reach(NativeAuthClient(configuration, environment: [:]))
        let one = try call(reached.submit, reached.resend)
        let kinds = await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do throws(NativeAuthError) {
                        try await one()
                        return "success"
                    } catch {
                        return kind(error) + (error.details.canRetry ? ", live" : "")
                    }
                }
            }
            // The answer arrives when all others have been refused.
            var kinds: [String] = []
            for await kind in group {
                kinds.append(kind)
                if kinds.count == 49 { latch.open() }
            }
            return kinds
        }
        #expect(transport.unused.isEmpty)
        return kinds
    }

    @Test("SDK-STATE-1: 50 parallel submissions of a step send one request", arguments: StepCase.all)
    func parallel(_ step: StepCase) async throws {
        let kinds = try await fifty(step, answers: step.success) { submit, _ in submit }
        #expect(kinds == Array(repeating: "stateAlreadyUsed", count: 49) + ["success"])
    }

    @Test(
        "SDK-STATE-1: 50 parallel wishes for another code send one mail, and the step lives",
        arguments: StepCase.all.filter { $0.resent != nil })
    func parallelResend(_ step: StepCase) async throws {
        let kinds = try await fifty(step, answers: [try #require(step.resent)]) { _, resend in try #require(resend) }
        #expect(kinds == Array(repeating: "stateAlreadyUsed, live", count: 49) + ["success"])
    }

    @Test("SDK-STATE-1: a step that succeeded sends nothing any more", arguments: StepCase.all)
    func spent(_ step: StepCase) async throws {
        try await withClient(step.before + step.success) { client, transport in
            let (submit, resend) = try await step.reach(client)
            try await submit()
            let sent = transport.requests.count
            for again in [submit, resend].compactMap(\.self) {
                let refused = try await error { () throws(NativeAuthError) in try await again() }
                #expect(kind(refused) == "stateAlreadyUsed" && !refused.details.canRetry)
                #expect(refused.details.correlationID == correlation)
            }
            #expect(transport.requests.count == sent)
        }
    }

    @Test("SDK-STATE-1: after any error a step is live", arguments: StepCase.all)
    func live(_ step: StepCase) async throws {
        for failure in step.failures() {
            try await withClient(step.before + [failure] + step.success) { client, _ in
                let submit = try await step.reach(client).submit
                _ = try await error { () throws(NativeAuthError) in try await submit() }
                try await submit()
            }
        }
    }

    @Test(
        "docs/protocol.md §8.6: another code never spends a step, nor does one that was refused",
        arguments: StepCase.all.filter { $0.resent != nil })
    func resend(_ step: StepCase) async throws {
        let resent = try #require(step.resent)
        let refused = Stub.refusal(resent.endpoint, "invalid_request", codes: [701014])
        try await withClient(step.before + [resent, refused, resent] + step.success) { client, _ in
            let (submit, resend) = try await step.reach(client)
            let again = try #require(resend)
            try await again()
            _ = try await error { () throws(NativeAuthError) in try await again() }
            try await again()
            try await submit()
        }
    }

    @Test("SDK-STATE-2: whatever went wrong before, the right submission is the same request", arguments: StepCase.all)
    func wrongOnesChangeNothing(_ step: StepCase) async throws {
        var generator = SplitMix64(state: UInt64.random(in: .min ... .max))
        let seed = generator.state
        var expected: Data?
        for round in 0..<40 {
            let failures = step.failures()
            let wrong = (0..<(round == 0 ? 0 : generator.below(6))).map { _ in failures[generator.below(failures.count)]
            }
            try await withClient(step.before + wrong + step.success) { client, transport in
                let submit = try await step.reach(client).submit
                for _ in wrong { _ = try await error { () throws(NativeAuthError) in try await submit() } }
                try await submit()
                let body = transport.requests[step.before.count + wrong.count].body
                #expect(expected == nil || body == expected, "seed \(seed)")
                expected = body
            }
        }
    }

    @Test(
        "SDK-RETRY-1, SDK-RETRY-2: a lost answer is neither repeated nor an end: the outcome is unknown, the step live",
        arguments: StepCase.all)
    func indeterminate(_ step: StepCase) async throws {
        for (code, expected) in [
            (URLError.networkConnectionLost, "indeterminate"), (.timedOut, "indeterminate"),
            (.cannotConnectToHost, "network"), (.cannotFindHost, "network"),
        ] {
            let lost = Stub(step.refused.endpoint, failing: URLError(code))
            try await withClient(step.before + [lost] + step.success) { client, transport in
                let submit = try await step.reach(client).submit
                let failure = try await error { () throws(NativeAuthError) in try await submit() }
                #expect(kind(failure) == expected && failure.details.canRetry)
                #expect(transport.requests.count == step.before.count + 1)
                try await submit()
                #expect(
                    transport.requests[step.before.count].body == transport.requests[step.before.count + 1].body)
            }
        }
    }

    @Test("SDK-CANCEL-1: a cancelled submission leaves the step live, and keeps nothing", arguments: StepCase.all)
    func cancellation(_ step: StepCase) async throws {
        try await withClient(step.before + step.success) { client, transport in
            let submit = try await step.reach(client).submit
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await error { () throws(NativeAuthError) in try await submit() }
            }
            let refused = try await task.value
            #expect(kind(refused) == "cancelled" && refused.details.canRetry)
            #expect(transport.requests.count == step.before.count)
            #expect(client.currentAccount() == nil)
            try await submit()
        }
    }

    @Test("SDK-NET-5: continuation tokens, codes, passwords and names are in bodies only", arguments: StepCase.all)
    func secretsAreInBodiesOnly(_ step: StepCase) async throws {
        try await withClient(step.before + step.success) { client, transport in
            try await step.reach(client).submit()
            for request in transport.requests {
                let visible = "\(request.url) \(request.headers)"
                let form = try FormFields(decoding: request.body)
                for name in ["continuation_token", "oob", "password", "new_password", "username", "challenge_target"] {
                    guard let value = try form.single(name) else { continue }
                    // A script's tokens are as short as T1, which a random UUID or a path may contain.
                    #expect(!visible.contains("=\(value)") && (value.count < 4 || !visible.contains(value)))
                }
                #expect(request.url.query() == nil && request.method == "POST")
            }
        }
    }

    @Test("SDK-LOG-1: steps and errors print no secret and no address")
    func nothingSecretIsPrinted() async throws {
        let script: [Stub] = [
            .initiated, .code(.signInChallenge, "T2"), .initiated, .password("T2"), .mfaRequired,
            .methods(.signInIntrospect), .code(.signInChallenge, "T5"), .resetStarted, .resetCode, .resetContinued,
            .refusal(.resetPasswordSubmit, "invalid_grant", suberror: "password_banned"), .resetSubmitted(), .done,
        ]
        try await withClient(script.map(\.withCanary)) { client, _ in
            let code = try await client.startSignIn(username: user, password: "canary-pw")
            let choice = try await client.startSignIn(username: user, password: "canary-pw", claims: "canary-claims")
            guard case .next(.mfaRequired(let mfa)) = choice else {
                Issue.record("No second factor wanted.")
                return
            }
            let second = try await mfa.requestChallenge(mfa.methods[0])
            let reset = try await client.startResetPassword(username: user)
            let password = try await reset.submit(code: "canary-otp")
            let banned = try await error { () throws(NativeAuthError) in
                try await password.submit(password: "canary-pw")
            }
            let completed = try await password.submit(password: "canary-pw")
            var dumped = ""
            let values: [Any] = [code, choice, second, reset, password, banned, completed]
            for value in values {
                dump(value, to: &dumped)
                dumped += "\(value) \(String(reflecting: value))"
            }
            #expect(!dumped.contains("canary") && !dumped.contains("dahlia"))
        }
    }
}
