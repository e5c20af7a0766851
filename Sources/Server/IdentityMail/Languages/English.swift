// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let english = MailPhrases(
        codeSubject: "Your verification code for {{{organisation}}}",
        signUp: "Use this code to create your account at {{{organisation}}}.",
        signIn: "Use this code to sign in to {{{organisation}}}.",
        passwordReset: "Use this code to choose a new password for your account at {{{organisation}}}.",
        secondFactor: "Use this code to confirm that it is you who is signing in to {{{organisation}}}.",
        registration:
            "Use this code to add this e-mail address to your account at {{{organisation}}} as a way to prove who you are.",
        accountChange: "Use this code to confirm a change of your account at {{{organisation}}}.",
        emailChange: "Use this code to make this the e-mail address of your account at {{{organisation}}}.",
        label: "Your code:",
        validity: "It is valid for {{minutes}} minute{{^single}}s{{/single}}.",
        validityInDays: "It is valid for {{days}} days.",
        secrecy: "Do not share this code with anyone. {{{organisation}}} will never ask you for it.",
        notAsked: "If you did not ask for this code, you can ignore this message.",
        notMe: "If this was not you, choose a new password at once and tell {{{organisation}}}.",
        emailChanged: Notice(
            subject: "The e-mail address of your account at {{{organisation}}} was changed",
            event:
                "Your account at {{{organisation}}} has another e-mail address now. The code below takes the change back and signs out all devices.",
            unasked: "If you made this change, you can ignore this message."),
        emailChangeUndone: Notice(
            subject: "Your account at {{{organisation}}} has its old e-mail address again",
            event:
                "The change of the e-mail address of your account at {{{organisation}}} was taken back. All devices are signed out.",
            unasked: "Choose a new password at once: another person may know the old one."),
        emailReplaced: Notice(
            subject: "The e-mail address of your account at {{{organisation}}} was changed",
            event: "{{{organisation}}} has given your account another e-mail address and signed out all devices.",
            unasked: "If you did not ask for this change, tell {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Choose a new password for {{{organisation}}}",
            event:
                "{{{organisation}}} has ended the password of your account and signed out all devices. To sign in again, open the app and choose a new password, as if you had forgotten the old one.",
            unasked: "If you have questions about this, ask {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Your account at {{{organisation}}} was deleted",
            event: "Your account at {{{organisation}}} and the data in it were deleted.",
            unasked: "If this was not you, tell {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Your account at {{{organisation}}} will be deleted",
            event:
                "Your account at {{{organisation}}} will be deleted in {{days}} day{{^oneDay}}s{{/oneDay}}. If you want to keep it, sign in before that and choose to keep the account.",
            unasked: "If this was not you, sign in, keep the account, and choose a new password."),
        passwordChanged: Notice(
            subject: "Your password for {{{organisation}}} was changed",
            event: "The password of your account at {{{organisation}}} was changed."),
        methodRegistered: Notice(
            subject: "A verification method was added to your account at {{{organisation}}}",
            event: "An e-mail address was added to your account at {{{organisation}}} as a way to prove who you are."),
        methodRemoved: Notice(
            subject: "A verification method was removed from your account at {{{organisation}}}",
            event: "An e-mail address is no longer a way to prove who you are at {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "A verification method of your account at {{{organisation}}} is suspended",
            event:
                "Your password at {{{organisation}}} was reset. An e-mail address that was added recently cannot be used to prove who you are for a day."
        ),
        methodReactivated: Notice(
            subject: "A verification method of your account at {{{organisation}}} is in use again",
            event: "An e-mail address that was suspended was used to prove who you are at {{{organisation}}}."),
        methodFirstUsed: Notice(
            subject: "A new verification method of your account at {{{organisation}}} was used",
            event: "An e-mail address was used for the first time to prove who you are at {{{organisation}}}."),
        passkeySuspect: Notice(
            subject: "A passkey of your account at {{{organisation}}} answered in an unusual way",
            event:
                "A passkey of your account at {{{organisation}}} answered unlike before: it may have been copied, or it no longer has a backup.",
            unasked:
                "If you cannot explain this, remove the passkey from your account and add a new one."),
        recoveryCodeUsed: Notice(
            subject: "A recovery code of your account at {{{organisation}}} was used",
            event: "A recovery code was used to sign in to your account at {{{organisation}}}."),
        accountExists: Notice(
            subject: "You already have an account at {{{organisation}}}",
            event:
                "Someone, perhaps you, asked for a new account at {{{organisation}}} with this e-mail address. This address already has an account: sign in, or reset your password if you forgot it.",
            unasked: "If this was not you, there is nothing to do: your account is as it was."),
        signInLocked: Notice(
            subject: "Someone is trying to sign in to your account at {{{organisation}}}",
            event:
                "Many wrong passwords were tried for your account at {{{organisation}}}. Sign-in with a password is blocked for a while; a new password unblocks it at once.",
            unasked: "If this was not you, your account is protected. Use a password here that you use nowhere else."),
        signedInAfterFailures: Notice(
            subject: "Your account at {{{organisation}}} was signed in to after many wrong passwords",
            event: "The right password for your account at {{{organisation}}} was given after many wrong ones."),
        methodLabel: "E-mail address",
        authenticatorApp: "Authenticator app",
        passkey: "Passkey",
        recoveryCodes: "Recovery codes",
        recoveryCodesLeft: "Recovery codes left",
        timeLabel: "Time",
        networkLabel: "Network")
}
