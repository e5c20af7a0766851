// A code cannot be submitted before one was asked for, nor a password before the code, nor tokens asked for before the
// end.
import NativeAuth

func codeBeforeStart(_ client: NativeAuthClient) async throws {
    _ = try await client.submit(code: "12345678")  // error: has no member 'submit'
}

func stepOutOfNowhere() {
    _ = SignUpCodeRequired()  // error: missing arguments for parameters 'content', 'client'
}

func passwordBeforeCode(_ client: NativeAuthClient) async throws {
    let step = try await client.signUp(username: "dana@example.com")
    _ = try await step.submit(password: "Tulip-Harbour-42")  // error: incorrect argument label
}

func signInBeforeTheEnd(_ client: NativeAuthClient) async throws {
    let step = try await client.signUp(username: "dana@example.com")
    _ = try await step.signIn()  // error: has no member 'signIn'
}

func newPasswordBeforeCode(_ client: NativeAuthClient) async throws {
    let step = try await client.resetPassword(username: "dana@example.com")
    _ = try await step.submit(password: "Tulip-Harbour-43")  // error: incorrect argument label
}

func secondFactorCodeBeforeChoice(_ step: consuming MFARequired) async throws {
    _ = try await step.submit(code: "12345678")  // error: has no member 'submit'
}

func tokenBeforeSignIn(_ done: consuming SignUpCompleted) async throws {
    _ = try await done.accessToken()  // error: has no member 'accessToken'
}
