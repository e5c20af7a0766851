// A callback that an app may leave out has a default implementation that records its name. The dispatcher, which also
// runs on the main actor, reads the name directly after the call and calls the delegate's own error method.
//
// A callback that several protocols share has its default in one hidden parent, so that a class that leaves it out
// conforms to all of them without ambiguity. Each delegate protocol still repeats the requirement: otherwise a class
// with conformances in several extensions loses the main actor on its own method. For the same reason `@MainActor` is
// on each method: on a protocol it would make plain conforming classes main-actor types.
//
// This file has the hidden parents; the delegate protocols have one file per flow.

/// Holds the defaults of `onSignUpAttributesRequired`. Not for apps.
public protocol _OnSignUpAttributesRequired {
    @MainActor func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState)
    @MainActor func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState)
}

extension _OnSignUpAttributesRequired {
    @MainActor public func onSignUpAttributesRequired(
        attributes: [MSALNativeAuthRequiredAttribute], newState: SignUpAttributesRequiredState
    ) {
        onSignUpAttributesRequired(newState: newState)
    }

    @MainActor public func onSignUpAttributesRequired(newState: SignUpAttributesRequiredState) {
        MissingCallback.name = "onSignUpAttributesRequired"
    }
}

/// Holds the default of `onSignUpCompleted`. Not for apps.
public protocol _OnSignUpCompleted {
    @MainActor func onSignUpCompleted(newState: SignInAfterSignUpState)
}

extension _OnSignUpCompleted {
    @MainActor public func onSignUpCompleted(newState: SignInAfterSignUpState) {
        MissingCallback.name = "onSignUpCompleted"
    }
}

/// Holds the default of `onSignInCompleted`. Not for apps.
public protocol _OnSignInCompleted {
    @MainActor func onSignInCompleted(result: MSALNativeAuthUserAccountResult)
}

extension _OnSignInCompleted {
    @MainActor public func onSignInCompleted(result: MSALNativeAuthUserAccountResult) {
        MissingCallback.name = "onSignInCompleted"
    }
}

/// Holds the defaults of `onSignInAwaitingMFA`. Not for apps.
public protocol _OnSignInAwaitingMFA {
    @MainActor func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState)
    @MainActor func onSignInAwaitingMFA(newState: AwaitingMFAState)
}

extension _OnSignInAwaitingMFA {
    @MainActor public func onSignInAwaitingMFA(authMethods: [MSALAuthMethod], newState: AwaitingMFAState) {
        onSignInAwaitingMFA(newState: newState)
    }

    @MainActor public func onSignInAwaitingMFA(newState: AwaitingMFAState) {
        MissingCallback.name = "onSignInAwaitingMFA"
    }
}

/// Holds the default of `onSignInStrongAuthMethodRegistration`. Not for apps.
public protocol _OnSignInStrongAuthMethodRegistration {
    @MainActor func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState)
}

extension _OnSignInStrongAuthMethodRegistration {
    @MainActor public func onSignInStrongAuthMethodRegistration(
        authMethods: [MSALAuthMethod], newState: RegisterStrongAuthState
    ) {
        MissingCallback.name = "onSignInStrongAuthMethodRegistration"
    }
}
