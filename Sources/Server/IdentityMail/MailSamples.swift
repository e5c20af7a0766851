package import IdentityEngine
import NativeAuthCore
import PortableFoundation

// The mails that operators look at.
extension MailContent {
    /// A mail with a made-up code, as a user of the tenant gets it.
    package static func sample(of purpose: Purpose, for tenant: Tenant, in language: MailLanguage) -> MailContent {
        let method =
            switch purpose {
            case .recoveryCodeUsed: StrongMethod.label(ofCodesLeft: 7)
            case .passkeySuspect: StrongMethod.passkeyLabel
            case _: "d***@example.com"
            }
        return MailContent(
            purpose: purpose, recipient: "dana@example.com", code: purpose.hasCode ? "12345678" : nil,
            minutesValid: purpose == .deletionScheduled ? 43_200 : purpose.hasCode ? 10 : 0, language: language,
            organisation: tenant.displayName, sentAt: Date(timeIntervalSince1970: 1_800_000_000),
            occasion: purpose.isAboutMethods ? Occasion(methods: [method], network: "192.0.2.0/24") : nil)
    }
}

extension MailContent.Purpose {
    fileprivate var isAboutMethods: Bool {
        switch self {
        case .methodRegistered, .methodRemoved, .methodSuspended, .methodReactivated, .methodFirstUsed,
            .passkeySuspect, .recoveryCodeUsed:
            true
        case .signUp, .signIn, .passwordReset, .secondFactor, .registration, .accountChange, .emailChange,
            .emailChanged,
            .emailChangeUndone, .emailReplaced, .resetRequired, .accountDeleted, .deletionScheduled, .passwordChanged,
            .accountExists, .signInLocked, .signedInAfterFailures:
            false
        }
    }

    /// When the mail is sent.
    package var occasion: String {
        switch self {
        case .signUp: "Sign-up"
        case .signIn: "Sign-in"
        case .passwordReset: "Password reset"
        case .secondFactor: "Second factor"
        case .registration: "Registration of a second factor"
        case .accountChange: "Change of the account"
        case .emailChange: "New e-mail address"
        case .emailChanged: "Notice to the old address"
        case .emailChangeUndone: "The old address is back"
        case .emailReplaced: "An operator changed the address"
        case .resetRequired: "An operator asks for a new password"
        case .accountDeleted: "The account is deleted"
        case .deletionScheduled: "The account will be deleted"
        case .passwordChanged: "The password changed"
        case .methodRegistered: "A second factor was registered"
        case .methodRemoved: "A second factor was removed"
        case .methodSuspended: "A second factor rests"
        case .methodReactivated: "A second factor is back"
        case .methodFirstUsed: "A second factor was used for the first time"
        case .passkeySuspect: "A passkey answered in an unusual way"
        case .recoveryCodeUsed: "A recovery code was used"
        case .accountExists: "A sign-up with an address that has an account"
        case .signInLocked: "Wrong passwords locked the account"
        case .signedInAfterFailures: "A sign-in after many wrong passwords"
        }
    }
}
