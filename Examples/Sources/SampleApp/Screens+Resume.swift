import NativeAuth

// How the screens of a flow survive a restart of the app: each remembers its step, and is made of it again.

@MainActor
extension SignUpModel.Screen {
    func remember(in unfinished: UnfinishedFlow) {
        switch self {
        case .code(let kept): unfinished.remember(kept)
        case .password(let kept): unfinished.remember(kept)
        case .attributes(let kept): unfinished.remember(kept)
        case .created(let kept): unfinished.remember(kept)
        case .secondFactor: break  // It does so itself.
        case .form, .signedIn: unfinished.forget()
        }
    }

    init?(from unfinished: UnfinishedFlow, of client: NativeAuthClient) {
        if let kept = unfinished.step(SignUpCodeRequired.self, of: client) {
            self = .code(kept)
        } else if let kept = unfinished.step(SignUpPasswordRequired.self, of: client) {
            self = .password(kept)
        } else if let kept = unfinished.step(SignUpAttributesRequired.self, of: client) {
            self = .attributes(kept)
        } else if let kept = unfinished.step(SignUpCompleted.self, of: client) {
            self = .created(kept)
        } else {
            return nil
        }
    }
}

@MainActor
extension SignInModel.Screen {
    func remember(in unfinished: UnfinishedFlow) {
        switch self {
        case .code(let kept): unfinished.remember(kept)
        case .password(let kept): unfinished.remember(kept)
        case .secondFactor: break  // It does so itself.
        case .form, .signedIn: unfinished.forget()
        }
    }

    init?(from unfinished: UnfinishedFlow, of client: NativeAuthClient) {
        if let kept = unfinished.step(SignInCodeRequired.self, of: client) {
            self = .code(kept)
        } else if let kept = unfinished.step(SignInPasswordRequired.self, of: client) {
            self = .password(kept)
        } else if let screen = SecondFactorModel.Screen(from: unfinished, of: client) {
            self = .secondFactor(SecondFactorModel(screen, unfinished))
        } else {
            return nil
        }
    }
}

@MainActor
extension SecondFactorModel.Screen {
    func remember(in unfinished: UnfinishedFlow) {
        switch self {
        case .choice(let kept): unfinished.remember(kept)
        case .code(let kept): unfinished.remember(kept)
        case .registration(let kept): unfinished.remember(kept)
        case .registrationCode(let kept): unfinished.remember(kept)
        case .signedIn, .over: unfinished.forget()
        }
    }

    init?(from unfinished: UnfinishedFlow, of client: NativeAuthClient) {
        if let kept = unfinished.step(MFARequired.self, of: client) {
            self = .choice(kept)
        } else if let kept = unfinished.step(MFACodeRequired.self, of: client) {
            self = .code(kept)
        } else if let kept = unfinished.step(RegistrationRequired.self, of: client) {
            self = .registration(kept)
        } else if let kept = unfinished.step(RegistrationCodeRequired.self, of: client) {
            self = .registrationCode(kept)
        } else {
            return nil
        }
    }
}

@MainActor
extension ResetPasswordModel.Screen {
    func remember(in unfinished: UnfinishedFlow) {
        switch self {
        case .code(let kept): unfinished.remember(kept)
        case .newPassword(let kept): unfinished.remember(kept)
        case .changed(let kept): unfinished.remember(kept)
        case .secondFactor: break  // It does so itself.
        case .form, .signedIn: unfinished.forget()
        }
    }

    init?(from unfinished: UnfinishedFlow, of client: NativeAuthClient) {
        if let kept = unfinished.step(ResetPasswordCodeRequired.self, of: client) {
            self = .code(kept)
        } else if let kept = unfinished.step(NewPasswordRequired.self, of: client) {
            self = .newPassword(kept)
        } else if let kept = unfinished.step(PasswordResetCompleted.self, of: client) {
            self = .changed(kept)
        } else {
            return nil
        }
    }
}
