import Foundation
import NativeAuth
import NativeAuthCore

/// Modified answers of a server, parsed by the SDK: each step ends with a documented error or the next step, and no
/// error shows a token (`SDK-NET-3`, `SDK-LOG-1`).
struct AnswerTarget: Target {
    static let name = "answers"
    static let share = (release: 100, debug: 50)

    private let transport = AnsweringTransport()
    private let mutator = Mutator(
        [
            #"{"continuation_token":"CANARY"}"#, #"{"challenge_type":"redirect","redirect_reason":"why"}"#,
            #"{"error":"invalid_grant","error_description":"AADSTS50126: no","error_codes":[50126],"suberror":"invalid_oob_value"}"#,
            #"{"error":"attributes_required","error_codes":[55106],"continuation_token":"CANARY","required_attributes":[{"name":"city","type":"string","required":true,"options":{"regex":"^.*$"}}]}"#,
            #"{"error":"mfa_required","error_codes":[50076],"suberror":"mfa_required","continuation_token":"CANARY"}"#,
            #"{"error":"credential_required","error_codes":[55103],"continuation_token":"CANARY"}"#,
            #"{"error":"temporarily_unavailable","error_codes":[50196],"timestamp":"2026-01-01 00:00:00Z","trace_id":"x"}"#,
            #"{"continuation_token":"CANARY","methods":[{"id":"1","challenge_type":"oob","challenge_channel":"email","login_hint":"d***"}]}"#,
        ] + AnsweringTransport.good.map(\.1),
        words: [
            "{", "}", "[", "]", "\"", ":", ",", "\\u0000", "\\ud800", "null", "true", "-1", "1e400",
            "9223372036854775808", "0", "1.5", "\u{FEFF}",
            "\"continuation_token\":", "\"challenge_type\":\"oob\"", "\"code_length\":-1",
            "\"code_length\":99999999999", "\"interval\":-5",
            "\"poll_interval\":1e30", "\"expires_in\":-1", "\"expires_in\":\"3600\"", "\"status\":\"failed\"",
            "\"error_codes\":[1,\"2\"]",
            "\"id_token\":\"..\"", "\"scope\":\" \"", String(repeating: "[", count: 20), "\"error\":\"expired_token\"",
            "\0", "é",
        ], bytes: [[0xFF], [0xED, 0xA0, 0x80]], long: 65_536)

    private static let statuses = [200, 200, 200, 400, 400, 401, 403, 429, 500, 503, 302, 0, -1, 99_999]
    private static let headers: [[String: String]] = [
        [:], [:], ["content-type": "application/json; charset=utf-8"], ["content-type": "text/html"],
        ["content-type": ";;"],
        ["retry-after": "5"], ["retry-after": "99999999999999999999"], ["retry-after": "Wed, 31 Feb 2099 99:99:99 GMT"],
        ["retry-after": "Fri, 15 Jan 2027 08:00:10 GMT", "date": "Fri, 15 Jan 2027 08:00:00 GMT"],
        ["date": "Thu, 00 ??? 0000 00:00:00"],
        ["client-request-id": "not-a-uuid"], ["client-request-id": "11111111-2222-4333-8444-555555555555"],
    ]

    /// A byte each for the flow, the request whose answer it is, its status and its headers; and its body.
    func input(_ chance: inout Chance) -> [UInt8] { chance.bytes(4) + mutator.input(&chance) }

    func check(_ input: [UInt8]) async throws -> Bool {
        guard input.count >= 4 else { return false }
        let answer = TransportResponse(
            status: Self.statuses[Int(input[2]) % Self.statuses.count],
            headers: Self.headers[Int(input[3]) % Self.headers.count], body: Data(input.dropFirst(4)))
        transport.play(answer, at: Int(input[1] % 8))
        let client = NativeAuthClient(try Self.configuration(transport), environment: [:])
        do throws(NativeAuthError) {
            try await Self.walk(client, flow: Int(input[0] % 4))
            return true
        } catch {
            let texts = ["\(error)", String(reflecting: error), error.localizedDescription]
            try demand(!texts.contains { $0.contains("CANARY") }, "an error shows a token")
            return false
        }
    }

    static func configuration(
        _ transport: any HTTPTransport, cache: any TokenCache = InMemoryTokenCache()
    ) throws -> NativeAuthConfiguration {
        var configuration = NativeAuthConfiguration(
            clientID: "00001111-aaaa-2222-bbbb-3333cccc4444", authority: try Authority(tenantSubdomain: "contoso"),
            challengeTypes: [.password, .oneTimePasscode], capabilities: Set(Capability.allCases))
        configuration.transport = transport
        configuration.tokenCache = cache
        configuration.acceptLanguage = "en"
        configuration.now = { Date(timeIntervalSince1970: 1_800_000_000) }
        configuration.sleep = { _ in }
        // Without a timer, which would outlive its request by half a minute.
        configuration.wait = { _ in
            let (never, end) = AsyncStream.makeStream(of: Never.self)
            // Ends when the task is cancelled.
            for await _ in never {}
            end.finish()
            try Task.checkCancellation()
        }
        return configuration
    }

    static func walk(_ client: NativeAuthClient, flow: Int) async throws(NativeAuthError) {
        switch flow {
        case 0:
            let progress = try await client.startSignUp(username: "dana@example.com", password: "Kr4ftig-Vinter#82")
                .submit(code: "12345678")
            switch progress {
            case .completed(let done): _ = try await done.signIn()
            case .attributesRequired(let state): _ = try await state.submit(["city": "Aarhus"])
            case .passwordRequired(let state): _ = try await state.submit(password: "Kr4ftig-Vinter#82")
            }
        case 1:
            switch try await client.startSignIn(username: "dana@example.com", password: "Kr4ftig-Vinter#82") {
            case .codeRequired(let state): _ = try await state.submit(code: "12345678")
            case .passwordRequired(let state): _ = try await state.submit(password: "Kr4ftig-Vinter#82")
            case .next: break
            }
            for account in client.accounts() {
                _ = try await client.accessToken(for: account, scopes: ["api://orders/Orders.Read"], forceRefresh: true)
            }
        case 2:
            let state = try await client.startResetPassword(username: "dana@example.com").resend()
            _ = try await state.submit(code: "12345678").submit(password: "Kr4ftig-Vinter#83").signIn()
        case _:
            let state = try await client.startSignUp(username: "dana@example.com", attributes: ["city": "Aarhus"])
                .resend()
            _ = try await state.submit(code: "12345678")
        }
    }
}

/// Answers correctly, except one request.
final class AnsweringTransport: HTTPTransport {
    private struct State {
        var odd: (answer: TransportResponse, number: Int)?
        var requests = 0
    }

    private let state = Locked(State())

    /// The next time, the request with this number gets `answer`.
    func play(_ answer: TransportResponse, at number: Int) {
        state.withLock { $0 = State(odd: (answer, number)) }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let odd = state.withLock { state in
            defer { state.requests += 1 }
            return state.odd.flatMap { $0.number == state.requests ? $0.answer : nil }
        }
        if let odd { return odd }
        let path = request.url.path
        guard let body = Self.good.first(where: { path.hasSuffix($0.0) })?.1 else {
            return TransportResponse(status: 404, body: Data())
        }
        return TransportResponse(status: 200, headers: ["content-type": "application/json"], body: Data(body.utf8))
    }

    private static let code =
        #"{"continuation_token":"CANARY","challenge_type":"oob","binding_method":"prompt","challenge_channel":"email","challenge_target_label":"d***@e***.com","code_length":8,"interval":60}"#
    private static let next =
        #"{"continuation_token":"CANARY","expires_in":600,"poll_interval":1,"status":"succeeded"}"#
    private static let idToken: String = {
        let claims =
            #"{"aud":"00001111-aaaa-2222-bbbb-3333cccc4444","exp":1800003600,"iat":1800000000,"oid":"o","preferred_username":"dana@example.com","sub":"s","tid":"t"}"#
        return "CANARY.\(Base64URL.encode(claims.utf8)).CANARY"
    }()
    private static let tokens =
        #"{"token_type":"Bearer","scope":"openid profile offline_access api://orders/Orders.Read","expires_in":3600,"access_token":"CANARY","refresh_token":"CANARY","id_token":"\#(idToken)"}"#

    /// By the end of the path.
    static let good: [(String, String)] = [
        ("signup/v1.0/start", next), ("signup/v1.0/challenge", code), ("signup/v1.0/continue", next),
        ("v2.0/initiate", next),
        ("oauth2/v2.0/challenge", #"{"continuation_token":"CANARY","challenge_type":"password"}"#),
        ("v2.0/token", tokens),
        ("resetpassword/v1.0/start", next), ("resetpassword/v1.0/challenge", code),
        ("resetpassword/v1.0/continue", next),
        ("resetpassword/v1.0/submit", next), ("poll_completion", next),
    ]
}
