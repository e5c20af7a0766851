public import Foundation
internal import NativeAuth
internal import NativeAuthCore

extension MSALNativeAuthPublicClientApplication {
    /// Begins a sign-up: sends a code to the e-mail address.
    ///
    /// - Parameters:
    ///   - parameters: Read before this returns; an empty user name or password is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func signUp(parameters: MSALNativeAuthSignUpParameters, delegate: any SignUpStartDelegate) {
        startSignUp(
            username: parameters.username, password: parameters.password, attributes: parameters.attributes,
            correlationId: parameters.correlationId, delegate: delegate)
    }

    /// The form of ``signUp(parameters:delegate:)`` in releases before 2.0.
    @available(*, deprecated, message: "Use signUp(parameters:delegate:).")
    public func signUp(
        username: String, password: String? = nil, attributes: [String: Any]? = nil, correlationId: UUID? = nil,
        delegate: any SignUpStartDelegate
    ) {
        startSignUp(
            username: username, password: password, attributes: attributes, correlationId: correlationId,
            delegate: delegate)
    }

    private func startSignUp(
        username: String, password: String?, attributes: [String: Any]?, correlationId: UUID?,
        delegate: any SignUpStartDelegate
    ) {
        let correlationID = correlationId ?? client.makeCorrelationID()
        let attributes = Attributes(attributes ?? [:])
        // An empty value is reported before an attribute that cannot be sent; the client reports it.
        let mayStart = !username.isEmpty && password?.isEmpty != true
        perform(
            "signUp", correlationID: correlationID, for: delegate,
            work: { [client] () async throws(NativeAuthError) in
                let values = mayStart ? try attributes.sendable(correlationID) : [:]
                return try await client.startSignUp(
                    username: username, password: password, attributes: values, correlationID: correlationID)
            },
            succeed: { delegate, step in
                delegate.onSignUpCodeRequired(
                    newState: SignUpCodeRequiredState(step), sentTo: step.code.sentTo,
                    channelTargetType: step.code.channelType, codeLength: step.code.length)
            },
            fail: { delegate, error in
                guard case .invalidAttributes(let names, _) = error else {
                    return delegate.onSignUpStartError(error: SignUpStartError(error))
                }
                if MissingCallback.during({ delegate.onSignUpAttributesInvalid(attributeNames: names) }) != nil {
                    let message = "Invalid attributes: \(names.joined(separator: ", "))"
                    delegate.onSignUpStartError(error: SignUpStartError(error, message: message))
                }
            })
    }
}

/// A sign-up that waits for the code. It can be used again after an error; it is spent once the code was accepted.
public final class SignUpCodeRequiredState: NSObject, Sendable {
    private let step: SignUpCodeState

    init(_ step: SignUpCodeState) {
        self.step = step
    }

    /// Submits the code.
    ///
    /// - Parameters:
    ///   - code: As typed; an empty one is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func submitCode(code: String, delegate: any SignUpVerifyCodeDelegate) {
        perform(
            "submitCode", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.submit(code: code) },
            succeed: { delegate, step in
                step.report(to: delegate) {
                    delegate.onSignUpPasswordRequired(newState: SignUpPasswordRequiredState($0))
                }
            },
            fail: { delegate, error in
                delegate.onSignUpVerifyCodeError(
                    error: VerifyCodeError(signUp: error), newState: error.keepsState ? self : nil)
            })
    }

    /// Asks for a new code.
    ///
    /// - Parameter delegate: Receives the outcome; held until then.
    public func resendCode(delegate: any SignUpResendCodeDelegate) {
        perform(
            "resendCode", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.resend() },
            succeed: { delegate, step in
                delegate.onSignUpResendCodeCodeRequired(
                    newState: SignUpCodeRequiredState(step), sentTo: step.code.sentTo,
                    channelTargetType: step.code.channelType, codeLength: step.code.length)
            },
            fail: { delegate, error in
                delegate.onSignUpResendCodeError(
                    error: ResendCodeError(error), newState: error.canRetry ? self : nil)
            })
    }
}

/// A sign-up that waits for a password. It can be used again after an error; it is spent once the password was
/// accepted.
public final class SignUpPasswordRequiredState: NSObject, Sendable {
    private let step: SignUpPasswordState

    init(_ step: SignUpPasswordState) {
        self.step = step
    }

    /// Submits the password.
    ///
    /// - Parameters:
    ///   - password: As typed; an empty one is reported without a request.
    ///   - delegate: Receives the outcome; held until then.
    public func submitPassword(password: String, delegate: any SignUpPasswordRequiredDelegate) {
        perform(
            "submitPassword", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in try await step.submit(password: password) },
            succeed: { delegate, step in
                step.report(to: delegate) {
                    let error = PasswordRequiredError(.unexpectedStep(correlationID: $0.correlationID))
                    delegate.onSignUpPasswordRequiredError(error: error, newState: nil)
                }
            },
            fail: { delegate, error in
                delegate.onSignUpPasswordRequiredError(
                    error: PasswordRequiredError(error), newState: error.keepsState ? self : nil)
            })
    }
}

/// A sign-up that waits for attributes. It can be used again after an error; it is spent once the attributes were
/// accepted.
public final class SignUpAttributesRequiredState: NSObject, Sendable {
    private let step: SignUpAttributesState

    init(_ step: SignUpAttributesState) {
        self.step = step
    }

    /// Submits attributes.
    ///
    /// - Parameters:
    ///   - attributes: Values by programmable name: text, whole numbers or booleans. Attributes of an earlier page need
    ///     not be repeated.
    ///   - delegate: Receives the outcome; held until then.
    public func submitAttributes(attributes: [String: Any], delegate: any SignUpAttributesRequiredDelegate) {
        let attributes = Attributes(attributes)
        perform(
            "submitAttributes", correlationID: step.correlationID, for: delegate,
            work: { [step] () async throws(NativeAuthError) in
                try await step.submit(try attributes.sendable(step.correlationID))
            },
            succeed: { delegate, step in
                step.report(to: delegate) {
                    let error = AttributesRequiredError(.unexpectedStep(correlationID: $0.correlationID))
                    delegate.onSignUpAttributesRequiredError(error: error)
                }
            },
            fail: { delegate, error in
                guard case .invalidAttributes(let names, _) = error else {
                    return delegate.onSignUpAttributesRequiredError(error: AttributesRequiredError(error))
                }
                delegate.onSignUpAttributesInvalid(attributeNames: names, newState: self)
            })
    }
}

extension SignUpNextState {
    /// Calls the callback for the result, which several delegate protocols share; `password` calls the one that they do
    /// not share.
    @MainActor
    fileprivate func report(
        to delegate: any _OnSignUpAttributesRequired & _OnSignUpCompleted,
        password: (SignUpPasswordState) -> Void
    ) {
        switch self {
        case .passwordRequired(let step):
            password(step)
        case .attributesRequired(let step):
            delegate.onSignUpAttributesRequired(
                attributes: step.required.map(MSALNativeAuthRequiredAttribute.init),
                newState: SignUpAttributesRequiredState(step))
        case .completed(let step):
            delegate.onSignUpCompleted(newState: SignInAfterSignUpState(step))
        }
    }
}

/// The attributes from the app, translated as far as possible.
private struct Attributes: Sendable {
    private var values: [String: AttributeValue] = [:]
    private var unsendable: [String] = []

    init(_ attributes: [String: Any]) {
        for (name, value) in attributes {
            if let value = AttributeValue(any: value) {
                values[name] = value
            } else {
                unsendable.append(name)
            }
        }
    }

    /// The values, if all of them can be sent.
    ///
    /// - Throws: ``NativeAuthError/general(_:)``, with the names of the others.
    func sendable(_ correlationID: UUID) throws(NativeAuthError) -> [String: AttributeValue] {
        guard unsendable.isEmpty else {
            let names = unsendable.sorted().joined(separator: ", ")
            let message = "Attributes are text, whole numbers or booleans; these are not: \(names)"
            throw .general(.init(correlationID: correlationID, message: message))
        }
        return values
    }
}

extension AttributeValue {
    /// Nil for anything except text, a whole number of at most 64 bits, or a boolean.
    fileprivate init?(any value: Any) {
        switch JSONValue(any: value) {
        case .string(let text): self = .string(text)
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .number, .null, .array, .object, nil: return nil
        }
    }
}
