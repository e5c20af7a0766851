// Each outcome, each next step and each error must be handled.
import NativeAuth

func withoutRetry(_ step: consuming SignUpCodeRequired) async throws {
    switch try await step.submit(code: "12345678") {  // error: switch must be exhaustive
    case .next: break
    }
}

func withoutAttributes(_ step: consuming SignUpCodeRequired) async throws {
    switch try await step.submit(code: "12345678") {  // error: switch must be exhaustive
    case .retry: break
    case .next(.passwordRequired): break
    case .next(.completed): break
    }
}

func withoutSecondFactor(_ client: NativeAuthClient) async throws {
    switch try await client.signIn(username: "dana@example.com") {  // error: switch must be exhaustive
    case .codeRequired: break
    case .passwordRequired: break
    case .completed: break
    }
}

func withoutThrottling(_ error: ServiceError) -> String {
    switch error {  // error: switch must be exhaustive
    case .unreachable, .indeterminate, .cancelled, .invalidConfiguration, .unexpected: "later"
    }
}

func withoutBrowser(_ client: NativeAuthClient) async {
    do throws(SignUpError) {
        _ = try await client.signUp(username: "dana@example.com")
    } catch {
        switch error {  // error: switch must be exhaustive
        case .userAlreadyExists, .invalidUsername, .invalidPassword, .invalidAttributes, .expired, .service: break
        }
    }
}

func withoutError(_ client: NativeAuthClient) async {
    _ = await client.signUp(username: "dana@example.com")  // error: call can throw, but it is not marked with 'try'
}
