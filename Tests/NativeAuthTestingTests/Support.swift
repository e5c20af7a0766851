import NativeAuth
import NativeAuthTesting
import Testing

let dana = "dana@example.com"
let goodPassword = "Tulip-Harbour-42"

/// An unexpected step.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ step: Any) {
        description = "unexpected: \(Mirror(reflecting: step).children.first?.label ?? "\(step)")"
    }
}

extension SignUpNextState {
    var done: CompletedState {
        get throws { if case .completed(let done) = self { done } else { throw Unexpected(self) } }
    }
    var attributes: SignUpAttributesState {
        get throws { if case .attributesRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
}

extension SignInNextState {
    var account: Account {
        get throws { if case .completed(let account) = self { account } else { throw Unexpected(self) } }
    }
    var secondFactor: MFAState {
        get throws { if case .mfaRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
}

extension SignInFirstState {
    var next: SignInNextState {
        get throws { if case .next(let step) = self { step } else { throw Unexpected(self) } }
    }
    var account: Account { get throws { try next.account } }
    var secondFactor: MFAState { get throws { try next.secondFactor } }
    var code: SignInCodeState {
        get throws { if case .codeRequired(let step) = self { step } else { throw Unexpected(self) } }
    }
}

extension TestTenant {
    /// A client on a device of its own.
    var client: NativeAuthClient { NativeAuthClient(configuration()) }

    /// Signs a user up, and in.
    @discardableResult
    func signUp(_ email: String = dana, with client: NativeAuthClient? = nil) async throws -> Account {
        let step = try await (client ?? self.client).startSignUp(username: email)
        return try await step.submit(code: mailbox.code(for: email)).done.signIn().account
    }
}

/// A tenant whose users sign in with a password.
func passwordTenant(_ adjust: (inout TestTenant.Settings) -> Void = { _ in }) throws -> TestTenant {
    try TestTenant { settings in
        settings.applications = [.emailPassword]
        settings.users = [.init(dana, password: goodPassword)]
        adjust(&settings)
    }
}

/// The name of an error's case, such as `incorrectCode`.
func nameOfError<Result>(_ step: () async throws -> Result) async throws -> String {
    do {
        _ = try await step()
        return "none"
    } catch let error as NativeAuthError {
        return Mirror(reflecting: error).children.first?.label ?? "\(error)"
    }
}
