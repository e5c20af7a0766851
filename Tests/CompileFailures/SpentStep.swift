// A step is used once.
import NativeAuth

func twice(_ client: NativeAuthClient) async throws {
    let step = try await client.signUp(username: "dana@example.com")  // error: 'step' consumed more than once
    _ = try await step.submit(code: "12345678")
    _ = try await step.resend()
}

func againAfterSuccess(_ step: consuming SignInPasswordRequired) async throws {  // error: 'step' used after consume
    _ = try await step.submit(password: "Tulip-Harbour-42")
    print(step.correlationID)
}

func inALoop(_ client: NativeAuthClient, codes: [String]) async throws {
    let step = try await client.resetPassword(username: "dana@example.com")  // error: consumed in a loop
    for code in codes {
        _ = try await step.submit(code: code)
    }
}

func inAClosure(_ step: consuming SignUpCodeRequired) -> () async throws -> Void {
    { _ = try await step.submit(code: "12345678") }  // error: noncopyable 'step' cannot be consumed when captured
}

func keptAndUsed(_ step: consuming SignUpCodeRequired) async throws {  // error: 'step' consumed more than once
    _ = step.kept()
    _ = try await step.submit(code: "12345678")
}
