import IdentityEngine

/// A sentence, a title or the name of a button on a hosted page. Each language has all of them, checked by the compiler.
enum PagePhrase: Hashable, Sendable {
    // Titles.
    case signIn, createAccount, enterPassword, enterCode, choosePassword, chooseNewPassword, aboutYou, chooseMethod
    case addMailbox, cannotGoOn, tookTooLong, needsCookies, begunElsewhere, signedIn, movingOn, signOut, signedOut
    case busy
    case yourAccount, yourData, changeEmail, changePassword, signInMethods, sessions, copyOfData, deleteAccount
    case confirmItIsYou, accountDeleted, deletionPlanned
    case continueTo(app: String)

    // Text.
    case toApp(String)
    case codeSent(to: String)
    case codeIsValid
    case signedInAs(String)
    case appSignedInAs(app: String, name: String)
    case whyMailbox
    case strongerProofNeeded, whyPasskey, addMethod
    case whyMethod
    case wantsAccess(app: String)
    // The next five end the sentence `wantsAccess`, as items of a list.
    case scopeOpenID
    case scopeProfile
    case scopeEmail
    case scopeOffline
    case scopeOther(String)
    case allow
    case decline
    case passwordRules
    case cookiesHelp
    case begunElsewhereHelp
    case wrongAddressHelp
    case policyHelp
    case overHelp
    case mayCloseWindow(app: String)
    case movingOnHelp(app: String)
    case busyHelp
    case signOutHelp(tenant: String)
    case signedOutHelp
    case requestNumber(String)

    // Text of the account page.
    case confirmItIsYouHelp, saved, passwordChanged, newAddressHelp, methodsHelp, methodSuspended, sessionsHelp
    case thisBrowser, browser, lastUsed, copyHelp, deleteHelp, typeAddress, notSet
    case deleteLaterHelp(days: Int)
    case rememberBrowser(days: Int)
    // Of devices without a browser.
    case deviceTitle, deviceHelp, wrongDeviceCode
    case deviceAllowTitle(app: String)
    case deviceAsks(app: String, code: String)
    case deviceSince(minutes: Int)
    case deviceSameNetwork, deviceOtherNetwork, deviceWarning, deviceAllowed, deviceDeclined

    // Of authenticator apps.
    case authenticatorApp, enterAppCode, addApp, scanHelp, keyByHand, openApp, appCodeHelp, wrongAppCode, appNotAllowed
    // Of passkeys.
    case signInWithPasskey, usePasskey, passkeyHelp, noPasskeys, passkeyFailed, passkeyRefused
    case passkey, passkeys, passkeysHelp, addPasskey, passkeyExists, passkeyNotAllowed, added
    // Of providers of other organisations.
    case continueWith(String)
    case linkHelp(provider: String)
    case nameMailboxHelp(provider: String)
    case providerFailed, connectedAccounts, identityTaken, enoughToday
    case connect(String)
    // Of telephones.
    case addPhone, phoneNumber, phoneHelp, enterTextCode
    case textSent(to: String)
    case badPhone, blockedPhone, phoneNotAllowed
    // Of recovery codes.
    case otherMethod, recoveryCodes, recoveryHelp, makeCodes
    case codesLeft(Int)
    case codesShownOnce, enterRecoveryCode, recoveryCodeHelp, wrongRecoveryCode, recoveredHelp
    case codesLow, codesUsedUp, notNow

    // Fields.
    case email, emailOrName, emailOrNumber, emailNameOrNumber, password, newPassword, showPassword, code, staySignedIn,
        optional
    case attribute(String)
    case currentPassword, newEmail, methodName

    // Buttons and links.
    case next, signInButton, signOutButton, cancel, sendAgain, forgotPassword, otherAccount, goOn
    case haveAccount, noAccount, startAgain
    case backToApp(String)
    case goOnAs(String)
    case save, rename, remove, endOthers, endAll, allowedApplications, rememberedDevices, rememberedDevicesHelp,
        rememberedUntil, download, keepAccount, backToAccount

    // Problems.
    case wrongCode, oldCode
    case wait(seconds: Int)
    case locked(minutes: Int)
    case wrongPassword, unknownUser, userExists
    case disabledAccount, badEmail
    case badPassword(PasswordFault)
    case mailboxRefuses, blockedContact, badAttributes
    case badField(String)
    case missing
    case alreadyDone
    case codeSentAgain
    case signUpClosed
    case noPassword
    case changedElsewhere, nameTaken, lastMethod, addressTaken, addressNotUsable
    // Links to pages of the tenant.
    case privacy, terms, support
    /// A receiver of the tenant wrote it.
    case text(String)
    /// Goes before the title of a page with a problem, and its summary.
    case errorPrefix
}

extension PagePhrase {
    /// A time to wait: in seconds below two minutes, else in whole minutes, rounded up.
    func time(_ seconds: Int, _ inSeconds: (Int) -> String, _ inMinutes: (Int) -> String) -> String {
        seconds < 120 ? inSeconds(seconds) : inMinutes((seconds + 59) / 60)
    }
}

/// A language of the hosted pages: they have those of the mails.
struct PageLanguage: Hashable, Sendable {
    var language: MailLanguage

    /// - Parameters:
    ///   - wishes: Tags of languages, the strongest wish first.
    ///   - accepted: The field `Accept-Language`.
    init(_ wishes: [String], accepted: MailLanguage?) {
        language = wishes.lazy.compactMap { MailLanguage(tag: $0) }.first ?? accepted ?? .english
    }

    func callAsFunction(_ phrase: PagePhrase) -> String {
        switch language {
        case .english: phrase.english
        case .arabic: phrase.arabic
        case .chinese: phrase.chinese
        case .czech: phrase.czech
        case .danish: phrase.danish
        case .dutch: phrase.dutch
        case .finnish: phrase.finnish
        case .french: phrase.french
        case .german: phrase.german
        case .hebrew: phrase.hebrew
        case .italian: phrase.italian
        case .japanese: phrase.japanese
        case .korean: phrase.korean
        case .norwegian: phrase.norwegian
        case .polish: phrase.polish
        case .portuguese: phrase.portuguese
        case .spanish: phrase.spanish
        case .swedish: phrase.swedish
        case .turkish: phrase.turkish
        case .ukrainian: phrase.ukrainian
        }
    }
}
