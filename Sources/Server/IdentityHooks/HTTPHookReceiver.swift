package import IdentityEngine
package import Logging
import Metrics
import NativeAuthCore
import NativeAuthWire
package import PortableFoundation
import Tracing

/// Calls the receivers of hooks over HTTP: one POST with the vendor's payload and a token that this server signs.
package final class HTTPHookReceiver: HookReceiver {
    private let http: OutgoingHTTP
    private let tokens: HookTokens
    private let load: (any NodeLoad)?
    private let logger: Logger
    private let onCall: (@Sendable (RecordedCall) -> Void)?
    private let randomness: any Randomness
    private let breaker = HookBreaker()

    /// A call that was made, for the page of the development profile.
    package struct RecordedCall: Sendable {
        package var call: HookCall
        /// The request; that of a call with a password is shown without it, and cannot be sent again.
        package var body: Data
        /// What the receiver sent; nil when it sent nothing.
        package var answer: Data? = nil
        /// Nil for a call that succeeded.
        package var failure: HookFailure? = nil
        package var milliseconds: Int
        /// Whether ``HTTPHookReceiver/again(_:now:)`` can send the request once more.
        package var isRepeatable: Bool { call.hook.event != .passwordSubmit }
    }

    /// - Parameters:
    ///   - randomness: Draws the keys under which passwords travel.
    ///   - load: Is told when a step waits.
    ///   - onCall: Gets every call with its codes and personal data, and without passwords; only for development.
    package init(
        http: OutgoingHTTP, tokens: HookTokens, randomness: any Randomness, load: (any NodeLoad)? = nil,
        logger: Logger,
        onCall: (@Sendable (RecordedCall) -> Void)? = nil
    ) {
        self.http = http
        self.tokens = tokens
        self.randomness = randomness
        self.load = load
        self.logger = logger
        self.onCall = onCall
    }

    package func claims(
        for user: User, asking call: HookCall
    ) async throws(HookFailure) -> [String: ClaimValue] {
        try await ask(call, HookPayload.tokens(for: user, call)) { reply throws(HookFailure) in try reply.claims() }
    }

    package func collectionStarts(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionStartAnswer {
        try await ask(call, HookPayload.signUp(signUp, call)) { reply throws(HookFailure) in
            try reply.collectionStart()
        }
    }

    package func collectionSubmits(
        _ signUp: CollectedAttributes, asking call: HookCall
    ) async throws(HookFailure) -> CollectionSubmitAnswer {
        try await ask(call, HookPayload.signUp(signUp, call)) { reply throws(HookFailure) in
            try reply.collectionSubmit()
        }
    }

    package func deliver(_ code: CodeToDeliver, asking call: HookCall) async throws(HookFailure) {
        try await ask(call, HookPayload.code(code, call), isInStep: false) { reply throws(HookFailure) in
            try reply.delivery()
        }
    }

    package func passwordSubmits(
        _ password: SubmittedPassword, asking call: HookCall
    ) async throws(HookFailure) -> PasswordSubmitAnswer {
        let envelope = try PasswordEnvelope(password, for: call.hook, randomness)
        return try await ask(call, HookPayload.password(of: password.user, envelope.jwe, call)) {
            reply throws(HookFailure) in try reply.password(returning: envelope.nonce)
        }
    }

    package func longestTime(of hook: Hook) -> @Sendable () async -> Void {
        let attempts = 1 + hook.retries
        let end = ContinuousClock.now + .milliseconds(hook.timeout * attempts) + Self.margin
        return { [load] in
            load?.note(isWaiting: true)
            defer { load?.note(isWaiting: false) }
            do {
                try await Task.sleep(until: end, clock: .continuous)
            } catch {
                // The client has gone: no answer will tell anything by its time.
            }
        }
    }

    /// What a call that times out takes besides its attempts: encryption, the token, and the client's own work.
    private static let margin = Duration.milliseconds(100)

    /// Sends the request of an earlier call again, for a developer; its answer changes nothing.
    package func again(_ call: RecordedCall, now: Date) async {
        guard call.isRepeatable else { return }
        var record = RecordedCall(call: call.call, body: call.body, milliseconds: 0)
        record.call.now = now
        let start = ContinuousClock.now
        do throws(HookFailure) {
            let token = try await token(for: record.call)
            _ = try HookReply(try await body(of: record.call, token, sending: record.body, &record))
            note(nil, &record, start)
        } catch {
            note(error, &record, start)
        }
    }

    package func refuse(_ failure: HookFailure, of call: HookCall) {
        Counter(
            label: "native_auth_hook_calls",
            dimensions: [("event", call.hook.event.rawValue), ("outcome", failure.kind)]
        ).increment()
        log(failure, of: call)
    }

    // MARK: -

    private func log(_ failure: HookFailure, of call: HookCall) {
        logger.warning(
            "a hook failed",
            metadata: [
                "tenant": "\(call.tenant)", "hook": "\(call.hook.id.text)", "name": "\(call.hook.displayName)",
                "event": "\(call.hook.event.rawValue)", "reason": "\(failure.word)", "number": "\(failure.number)",
                "correlation": "\(call.correlationID.text)",
            ])
    }

    /// Calls the receiver, again if the hook says so, within the limits of the breaker.
    private func ask<Answer: Sendable>(
        _ call: HookCall, _ payload: HookPayload, isInStep: Bool = true,
        read: (HookReply) throws(HookFailure) -> Answer
    ) async throws(HookFailure) -> Answer {
        if isInStep { load?.note(isWaiting: true) }
        defer { if isInStep { load?.note(isWaiting: false) } }
        let span = ServiceContext.current.map { context in
            startSpan("hook \(call.hook.event.rawValue)", context: context, ofKind: .client)
        }
        defer { span?.end() }
        let start = ContinuousClock.now
        let key = HookBreaker.Key(tenant: call.tenant, hook: call.hook.id)
        var record = RecordedCall(call: call, body: Data(), milliseconds: 0)
        do throws(HookFailure) {
            try breaker.begin(key)
        } catch {
            note(error, &record, start)
            throw error
        }
        do throws(HookFailure) {
            let request: Data
            do {
                request = try WireJSON.encode(payload)
                record.body = onCall == nil ? Data() : try WireJSON.encode(payload.withoutPassword)
            } catch {
                throw .noToken
            }
            let token = try await token(for: call)
            let body = try await body(of: call, token, sending: request, &record)
            let answer = try read(HookReply(body))
            breaker.end(key, failed: false)
            note(nil, &record, start)
            return answer
        } catch {
            // A receiver that refuses what one user gave, or answers nonsense to it, is not down.
            breaker.end(key, failed: error.mayPass)
            span?.setStatus(SpanStatus(code: .error))
            note(error, &record, start)
            throw error
        }
    }

    private func token(for call: HookCall) async throws(HookFailure) -> Secret<String> {
        do {
            return try await tokens.token(of: call.tenant, for: call.hook.audience, now: call.now)
        } catch {
            throw .noToken
        }
    }

    /// The body of the first attempt that succeeds.
    private func body(
        of call: HookCall, _ token: Secret<String>, sending request: Data, _ record: inout RecordedCall
    ) async throws(HookFailure) -> Data {
        var attempt = 0
        while true {
            do throws(HookFailure) {
                let answer = try await post(request, call, token)
                record.answer = answer.body
                guard answer.status == 200 else { throw .status(answer.status) }
                let type = answer.contentType?.split(separator: ";").first?.lowercased()
                guard type?.trimmingPrefix(" ") == "application/json" else { throw .contentType }
                return answer.body
            } catch {
                guard attempt < call.hook.retries, error.mayPass else { throw error }
                attempt += 1
            }
        }
    }

    private func post(
        _ body: Data, _ call: HookCall, _ token: Secret<String>
    ) async throws(HookFailure) -> OutgoingHTTP.Answer {
        do throws(OutgoingHTTP.Failure) {
            return try await http.send(
                OutgoingHTTP.Request(
                    url: call.hook.url,
                    headers: ["Content-Type: application/json"] + HookTokens.headers(token), body: body,
                    timeout: call.hook.timeout))
        } catch {
            throw HookFailure(error)
        }
    }

    private func note(_ failure: HookFailure?, _ record: inout RecordedCall, _ start: ContinuousClock.Instant) {
        let duration = ContinuousClock.now - start
        let event = record.call.hook.event.rawValue
        Metrics.Timer(label: "native_auth_hook", dimensions: [("event", event)]).record(duration: duration)
        Counter(
            label: "native_auth_hook_calls", dimensions: [("event", event), ("outcome", failure?.kind ?? "ok")]
        ).increment()
        if let failure { log(failure, of: record.call) }
        guard let onCall else { return }
        record.failure = failure
        record.milliseconds = Int(duration / .milliseconds(1))
        onCall(record)
    }
}

extension HookFailure {
    init(_ failure: OutgoingHTTP.Failure) {
        self =
            switch failure {
            case .unreachable: .unreachable
            case .timedOut: .timedOut
            case .forbiddenAddress: .forbiddenAddress
            case .tooLarge: .tooLarge
            }
    }

    /// The word without what a receiver chooses, for the label of a metric.
    fileprivate var kind: String {
        if case .status = self { return "status" }
        return word
    }

    /// Whether the next attempt may succeed.
    fileprivate var mayPass: Bool {
        switch self {
        case .unreachable, .timedOut, .status(429), .status(500...): true
        case .status, .forbiddenAddress, .contentType, .empty, .tooLarge, .body, .numberOfActions, .unknownAction,
            .claimWithoutName, .claimsTooLarge, .attribute, .nonce, .resting, .busy, .noToken:
            false
        }
    }
}
