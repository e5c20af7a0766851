import IdentityEngine

extension PagePhrase {
    var english: String {
        switch self {
        case .signIn: "Sign in"
        case .createAccount: "Create your account"
        case .enterPassword: "Enter your password"
        case .enterCode: "Check your mail"
        case .choosePassword: "Choose a password"
        case .chooseNewPassword: "Choose a new password"
        case .aboutYou: "About you"
        case .chooseMethod: "One more check"
        case .addMailbox: "Add a second mailbox"
        case .cannotGoOn: "We cannot go on"
        case .tookTooLong: "This took too long"
        case .needsCookies: "Please allow cookies"
        case .begunElsewhere: "This was begun elsewhere"
        case .signedIn: "You are signed in"
        case .movingOn: "One moment"
        case .signOut: "Sign out?"
        case .signedOut: "You are signed out"
        case .busy: "Please try again soon"
        case .continueTo(let app): "Continue to \(app)"
        case .toApp(let app): "to continue to \(app)"
        case .codeSent(let address): "We sent a code to \(address)."
        case .codeIsValid: "It is valid for ten minutes. If you do not see it, look in the folder for spam."
        case .signedInAs(let name): "You are signed in as \(name)."
        case .whyMailbox:
            "This application asks for a second factor. We will send codes to this mailbox when you sign in."
        case .whyMethod: "This application asks for a second factor. Where may we send a code?"
        case .wantsAccess(let app): "\(app) belongs to another organisation. It asks to:"
        case .scopeOpenID: "know that you are the same user when you come back"
        case .scopeProfile: "see your name"
        case .scopeEmail: "see your e-mail address"
        case .scopeOffline: "stay connected when you are away"
        case .scopeOther(let name): "use \(name)"
        case .allow: "Allow"
        case .decline: "Do not allow"
        case .passwordRules:
            "At least 8 characters, with three of these: small letters, capitals, digits, other signs."
        case .cookiesHelp:
            "Your browser refuses the cookie that this sign-in needs. Allow cookies for this address, and try again."
        case .begunElsewhereHelp:
            "This browser did not begin this sign-in, or its cookies were deleted. Go back to the application and begin again."
        case .wrongAddressHelp:
            "The application that sent you here is not known, or asked in a way that we cannot answer. Go back and try again; if it happens again, tell its makers."
        case .policyHelp: "Your account cannot give the proof that this application asks for."
        case .overHelp: "This sign-in has ended. You can begin again."
        case .mayCloseWindow(let app): "Go back to \(app). You can close this window."
        case .movingOnHelp(let app): "We are taking you back to \(app)."
        case .busyHelp: "The server cannot answer now. What you typed is not lost: send the form again in a moment."
        case .signOutHelp(let tenant): "You will be signed out of \(tenant) in this browser."
        case .signedOutHelp: "You can close this window."
        case .requestNumber(let number): "Number of this request: \(number)"
        case .email: "E-mail address"
        case .emailOrName: "E-mail address or username"
        case .password: "Password"
        case .newPassword: "New password"
        case .showPassword: "Show password"
        case .code: "Code"
        case .staySignedIn: "Stay signed in on this device"
        case .optional: "optional"
        case .attribute(let name): AttributeTitle.words(name)
        case .next: "Next"
        case .signInButton: "Sign in"
        case .signOutButton: "Sign out"
        case .cancel: "Cancel"
        case .sendAgain: "Send a new code"
        case .forgotPassword: "Forgot your password?"
        case .otherAccount: "Use another account"
        case .goOn: "Continue"
        case .haveAccount: "I have an account"
        case .noAccount: "Create an account"
        case .startAgain: "Start again"
        case .backToApp(let app): "Back to \(app)"
        case .wrongCode: "This code is not right. Check it, or ask for a new one."
        case .oldCode: "This code is too old. Ask for a new one."
        case .wait(let seconds): "Too many tries. Please wait \(time(seconds, inSeconds, inMinutes)), and try again."
        case .locked(let minutes):
            "There were too many wrong passwords. Wait \(inMinutes(minutes)), or reset the password."
        case .wrongPassword: "This is not the right password."
        case .unknownUser: "There is no account with this name. Check it, or create an account."
        case .userExists: "There is an account with this address already. Sign in instead."
        case .disabledAccount: "This account cannot be used."
        case .badEmail: "Enter an e-mail address, such as name@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "This password is too short: it needs at least 8 characters."
            case .tooLong: "This password is too long: it has at most 256 characters."
            case .tooWeak: "Use three of these: small letters, capitals, digits, other signs."
            case .banned: "This password is easy to guess. Choose another one."
            case .recentlyUsed: "This is your present password. Choose another one."
            case .invalid: "This password has a character that cannot be used."
            }
        case .mailboxRefuses: "The mail server of this address refuses our mails. Use another address."
        case .blockedContact: "This mailbox cannot be added now. Use the address of your account first."
        case .badAttributes: "Some answers cannot be used. Check them."
        case .badField(let name): "Check this: \(AttributeTitle.words(name))."
        case .missing: "Please fill in this field."
        case .alreadyDone: "That step is done already. This is the present one."
        case .codeSentAgain: "If the last code is older than a minute, a new one is on its way."
        case .signUpClosed: "This application does not let new users sign up."
        case .noPassword: "This account has no password. Sign in with a code."
        case .text(let text): text
        case .deviceTitle: "Connect a device"
        case .deviceHelp: "Enter the code that your television, command line or other device shows."
        case .wrongDeviceCode: "This code is not right, or it is too old. Check it, or get a new one on the device."
        case .deviceAllowTitle(let app): "Sign in to \(app) on another device?"
        case .deviceAsks(let app, let code):
            "A device that shows the code \(code) asks to use \(app) with your account."
        case .deviceSince(let minutes): "Minutes since the device asked: \(minutes)"
        case .deviceSameNetwork: "The device is in the same network as this browser."
        case .deviceOtherNetwork: "The device is in another network than this browser."
        case .deviceWarning:
            "Did you start this yourself, and do you see this code on your own device now? If another person gave you the code, choose “Cancel”: that person would get into your account."
        case .deviceAllowed: "Go back to your device"
        case .deviceDeclined: "The device is not signed in"
        case .errorPrefix: "Error"
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "a second" : "\(count) seconds"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "a minute" : "\(count) minutes"
    }
}
