public import NativeAuthCore

/// Asks the user what a flow needs: a view model, a terminal or a test implements it once, for all flows.
///
/// ```swift
/// let account = try await client.signIn(username: email, asking: prompts)
/// ```
///
/// Every question comes with the reason why the answer before was refused, nil the first time. The reason can also be
/// that the server was not reached (`service`), since the same step can be tried again: show it and wait for the user,
/// because an answer that is repeated at once asks the server at once.
///
/// A method that throws ends the flow: throw `CancellationError` when the user leaves. The flow also ends when its task
/// is cancelled; then the task of the method is cancelled too, and a late answer is dropped.
///
/// Only ``code(_:problem:)`` must be implemented. A flow that asks a question without an implementation ends with
/// ``ServiceError/invalidConfiguration(_:)``, which names the missing method.
///
/// The methods are called on the main actor, so a view model implements them directly.
public protocol FlowPrompts: Sendable {
    // Each requirement has its own `@MainActor`, so that actors can conform too. Without it the methods of a class on the
    // main actor would count as nonisolated, as the requirements of this module do (`NonisolatedNonsendingByDefault`,
    // Swift 6.3.1).

    /// Asks for the code that was sent, that an authenticator app shows, or that the user kept.
    ///
    /// - Parameters:
    ///   - sent: The target and the length of the code.
    ///   - problem: Why the code before was refused, or why no other code was sent.
    @MainActor func code(_ sent: SentCode, problem: CodeRefusal?) async throws -> CodeAnswer

    /// Asks for the user's password.
    ///
    /// - Parameter problem: Why the password before was refused.
    /// - Returns: The password, sent byte for byte.
    @MainActor func password(problem: PasswordRefusal?) async throws -> String

    /// Asks the user to choose a password, in a sign-up or a reset.
    ///
    /// - Parameter problem: Why the password before was refused.
    /// - Returns: The password, sent byte for byte.
    @MainActor func newPassword(problem: NewPasswordRefusal?) async throws -> String

    /// Asks for attributes, in a sign-up.
    ///
    /// - Parameters:
    ///   - required: The attributes that the server asks for: names, types and rules.
    ///   - problem: Why the values before were refused.
    /// - Returns: The values, by the attributes' programmable names.
    @MainActor func attributes(
        _ required: [RequiredAttribute], problem: AttributesRefusal?
    ) async throws -> [String: AttributeValue]

    /// Asks which method to use as the second factor, or to register as one. Without an implementation the only method
    /// is used, if there is only one.
    ///
    /// - Parameters:
    ///   - methods: The methods that the user can choose from; at least one.
    ///   - problem: Why no code was sent with the method before.
    /// - Returns: One of `methods`.
    @MainActor func method(among methods: [AuthMethod], problem: MethodRefusal?) async throws -> AuthMethod

    /// The device that gives a passkey, when the user chooses one as the second factor, or makes one to be registered
    /// (``AuthMethod/isPasskey``). What the device refuses leads to ``method(among:problem:)`` again.
    @MainActor func passkeys() async throws -> any PasskeyAuthenticator

    /// Shows the key of a new authenticator app, and asks for the code that the app shows then.
    ///
    /// - Parameter problem: Nil for a new key; otherwise why the last code for this key was refused. After five wrong codes of a key the
    ///   right one is refused, too: answer ``CodeAnswer/anotherCode`` for another key.
    @MainActor func authenticatorKey(_ key: AuthenticatorKey, problem: CodeRefusal?) async throws -> CodeAnswer

    /// Asks for the address or number to register as a second factor.
    ///
    /// - Parameters:
    ///   - method: The chosen method; its ``AuthMethod/loginHint`` can be proposed to the user.
    ///   - problem: Why no code was sent to the contact before.
    @MainActor func contact(for method: AuthMethod, problem: MethodRefusal?) async throws -> ContactAnswer
}

/// The answer to ``FlowPrompts/code(_:problem:)`` and ``FlowPrompts/authenticatorKey(_:problem:)``.
public enum CodeAnswer: Hashable, Sendable {
    /// The code that the user typed.
    case code(String)
    /// The code that the user typed, with the wish to have this device remembered (``SentCode/rememberableFor``). For other codes the same
    /// as ``code(_:)``.
    case codeRememberingDevice(String)
    /// Sends another code, or gets another key, and asks again. A server that is asked too soon sends none and reports no error: the newest
    /// code in the user's mail is valid.
    case anotherCode
    /// Returns to ``FlowPrompts/method(among:problem:)``, if the flow asked for a method before; otherwise the same as
    /// ``anotherCode``.
    case anotherMethod
}

/// The answer to ``FlowPrompts/contact(for:problem:)``.
public enum ContactAnswer: Hashable, Sendable {
    /// The e-mail address or telephone number that the user typed.
    case contact(String)
    /// Returns to ``FlowPrompts/method(among:problem:)``.
    case anotherMethod
}

extension FlowPrompts {
    public func password(problem: PasswordRefusal?) async throws -> String {
        throw MissingPrompt(method: "password(problem:)")
    }

    public func newPassword(problem: NewPasswordRefusal?) async throws -> String {
        throw MissingPrompt(method: "newPassword(problem:)")
    }

    public func attributes(
        _ required: [RequiredAttribute], problem: AttributesRefusal?
    ) async throws -> [String: AttributeValue] {
        throw MissingPrompt(method: "attributes(_:problem:)")
    }

    public func method(among methods: [AuthMethod], problem: MethodRefusal?) async throws -> AuthMethod {
        guard methods.count == 1, problem == nil else { throw MissingPrompt(method: "method(among:problem:)") }
        return methods[0]
    }

    public func passkeys() async throws -> any PasskeyAuthenticator {
        throw MissingPrompt(method: "passkeys()")
    }

    public func authenticatorKey(_ key: AuthenticatorKey, problem: CodeRefusal?) async throws -> CodeAnswer {
        throw MissingPrompt(method: "authenticatorKey(_:problem:)")
    }

    public func contact(for method: AuthMethod, problem: MethodRefusal?) async throws -> ContactAnswer {
        throw MissingPrompt(method: "contact(for:problem:)")
    }
}

/// The prompts do not implement a question that the server asks.
struct MissingPrompt: Error {
    /// The method of ``FlowPrompts``.
    let method: String
}
