import PortableFoundation

/// Why no code was sent with the method that the user chose. The step stays usable: choose another method.
public enum MethodRefusal: NativeAuthFailure {
    /// The method or the contact is blocked because of its reputation.
    case blocked(ErrorDetails)
    /// The contact is empty, or is neither an e-mail address nor a telephone number.
    case invalidContact(ErrorDetails)
    /// The call failed for a reason unrelated to the choice.
    case service(ServiceError)

    public var details: ErrorDetails {
        switch self {
        case .blocked(let details), .invalidContact(let details): details
        case .service(let error): error.details
        }
    }
}

extension MethodRefusal: StepRefusal {
    init?(_ error: NativeAuthError, attempts: Int = 0) {
        switch error {
        case .authMethodBlocked, .verificationContactBlocked: self = .blocked(error.reporting)
        case .invalidInput: self = .invalidContact(error.reporting)
        case _:
            // A contact that was verified before is spent together with its token, whatever the error.
            guard error.details.canRetry else { return nil }
            self.init(unrelated: error)
        }
    }
}
