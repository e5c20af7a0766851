import IdentityEngine

/// The sentences of the mails in one language, as templates over `organisation`, `minutes`, `single` (whether `minutes` is
/// 1), `days` and `oneDay`. They contain no text from the user (`SEC-MAIL-7`).
///
/// They are plain text, so they use triple braces: the HTML part escapes the finished sentence. `Languages` has a file for
/// each language.
struct MailPhrases: Sendable {
    /// The subject of the mails with a code.
    var codeSubject: String
    /// Why the reader gets a code.
    var signUp: String
    var signIn: String
    var passwordReset: String
    var secondFactor: String
    var registration: String
    /// To confirm a change of the account.
    var accountChange: String
    /// To confirm a new address.
    var emailChange: String
    /// The label above the code.
    var label: String
    var validity: String
    /// How long the code of ``emailChanged`` is valid.
    var validityInDays: String
    /// The sentence that the code must not be shared.
    var secrecy: String
    /// The advice for a reader who did not ask for the code.
    var notAsked: String
    /// The advice for a reader who did not make a change of the account.
    var notMe: String
    /// The notice to the old address; its code takes the change back.
    var emailChanged: Notice
    var emailChangeUndone: Notice
    /// The notices of what an operator did; the first one goes to the old address.
    var emailReplaced: Notice
    var resetRequired: Notice
    var accountDeleted: Notice
    /// Says in how many days.
    var deletionScheduled: Notice
    var passwordChanged: Notice
    /// The notices about verification methods (`SEC-ENR-5`).
    var methodRegistered: Notice
    var methodRemoved: Notice
    var methodSuspended: Notice
    var methodReactivated: Notice
    var methodFirstUsed: Notice
    /// A count that does not grow, or a backup that is gone (`SEC-PK-23`).
    var passkeySuspect: Notice
    /// Says how many are left.
    var recoveryCodeUsed: Notice
    var accountExists: Notice
    var signInLocked: Notice
    var signedInAfterFailures: Notice
    /// The labels of the details of a notice: the masked mailboxes, the time, the network.
    var methodLabel: String
    /// What a notice calls an authenticator app.
    var authenticatorApp: String
    /// The same for a passkey.
    var passkey: String
    /// The same for recovery codes, and before their number.
    var recoveryCodes: String
    var recoveryCodesLeft: String
    var timeLabel: String
    var networkLabel: String

    /// The sentences of a mail about a change of the account.
    struct Notice: Sendable {
        var subject: String
        /// The change.
        var event: String
        /// The advice for a reader who did not make the change; nil: ``MailPhrases/notMe``.
        var unasked: String?
    }

    /// The sentences of one mail, except its details.
    struct Sentences: Sendable {
        var subject: String
        /// The reason for the mail.
        var text: String
        /// The advice for a reader who did not cause the mail.
        var advice: String
        /// What goes with the code, if the mail has one.
        var code: Code?

        struct Code: Sendable {
            var label: String
            var validity: String
            var secrecy: String
        }
    }

    /// The sentences of a mail of this purpose.
    func sentences(of purpose: MailContent.Purpose) -> Sentences {
        switch purpose {
        case .signUp: codeMail(signUp)
        case .signIn: codeMail(signIn)
        case .passwordReset: codeMail(passwordReset)
        case .secondFactor: codeMail(secondFactor)
        case .registration: codeMail(registration)
        case .accountChange: codeMail(accountChange)
        case .emailChange: codeMail(emailChange)
        case .emailChanged:
            mail(emailChanged, code: .init(label: label, validity: validityInDays, secrecy: secrecy))
        case .emailChangeUndone: mail(emailChangeUndone)
        case .emailReplaced: mail(emailReplaced)
        case .resetRequired: mail(resetRequired)
        case .accountDeleted: mail(accountDeleted)
        case .deletionScheduled: mail(deletionScheduled)
        case .passwordChanged: mail(passwordChanged)
        case .methodRegistered: mail(methodRegistered)
        case .methodRemoved: mail(methodRemoved)
        case .methodSuspended: mail(methodSuspended)
        case .methodReactivated: mail(methodReactivated)
        case .methodFirstUsed: mail(methodFirstUsed)
        case .passkeySuspect: mail(passkeySuspect)
        case .recoveryCodeUsed: mail(recoveryCodeUsed)
        case .accountExists: mail(accountExists)
        case .signInLocked: mail(signInLocked)
        case .signedInAfterFailures: mail(signedInAfterFailures)
        }
    }

    private func codeMail(_ text: String) -> Sentences {
        Sentences(
            subject: codeSubject, text: text, advice: notAsked,
            code: .init(label: label, validity: validity, secrecy: secrecy))
    }

    private func mail(_ notice: Notice, code: Sentences.Code? = nil) -> Sentences {
        Sentences(subject: notice.subject, text: notice.event, advice: notice.unasked ?? notMe, code: code)
    }
}

extension MailPhrases {
    /// The sentences in `language`.
    init(in language: MailLanguage) {
        self =
            switch language {
            case .english: .english
            case .arabic: .arabic
            case .chinese: .chinese
            case .czech: .czech
            case .danish: .danish
            case .dutch: .dutch
            case .finnish: .finnish
            case .french: .french
            case .german: .german
            case .hebrew: .hebrew
            case .italian: .italian
            case .japanese: .japanese
            case .korean: .korean
            case .norwegian: .norwegian
            case .polish: .polish
            case .portuguese: .portuguese
            case .spanish: .spanish
            case .swedish: .swedish
            case .turkish: .turkish
            case .ukrainian: .ukrainian
            }
    }
}

extension MailPhrases.Sentences {
    /// The sentences with those of the tenant in their places.
    func changed(by texts: [TenantMail.Text: String], for purpose: MailContent.Purpose) -> Self {
        guard !texts.isEmpty else { return self }
        func own(_ role: TenantMail.Text.Role) -> String? {
            texts[.init(purpose, role)] ?? (code == nil ? nil : texts[.init(nil, role)])
        }
        var result = self
        result.subject = own(.subject) ?? subject
        result.text = own(.text) ?? text
        result.advice = own(.advice) ?? advice
        result.code?.label = own(.label) ?? code?.label ?? ""
        // Days are not minutes: what all codes say of their time does not fit the one that is valid for days.
        result.code?.validity =
            texts[.init(purpose, .validity)] ?? (purpose == .emailChanged ? nil : texts[.init(nil, .validity)])
            ?? code?.validity ?? ""
        result.code?.secrecy = own(.secrecy) ?? code?.secrecy ?? ""
        return result
    }
}
