import IdentityEngine
import Testing

@testable import IdentityHTTP

extension PagePhrase {
    /// Each case once, and each fault of a password.
    static let samples: [PagePhrase] =
        [
            .signIn, .createAccount, .enterPassword, .enterCode, .choosePassword, .chooseNewPassword, .aboutYou,
            .chooseMethod, .addMailbox, .cannotGoOn, .tookTooLong, .needsCookies, .begunElsewhere, .signedIn,
            .movingOn, .signOut, .signedOut, .busy, .continueTo(app: "Fabrikam Café"), .toApp("Fabrikam Café"),
            .codeSent(to: "d***a@example.com"), .codeIsValid, .signedInAs("dana@example.com"),
            .appSignedInAs(app: "Fabrikam Café", name: "dana@example.com"), .goOnAs("dana@example.com"), .whyMailbox,
            .strongerProofNeeded, .whyPasskey, .addMethod,
            .whyMethod, .wantsAccess(app: "Fabrikam Café"), .scopeOpenID, .scopeProfile, .scopeEmail, .scopeOffline,
            .scopeOther("api://orders/Orders.Read"), .allow, .decline,
            .passwordRules, .cookiesHelp, .begunElsewhereHelp, .wrongAddressHelp,
            .policyHelp, .overHelp, .mayCloseWindow(app: "Fabrikam Café"), .movingOnHelp(app: "Fabrikam Café"),
            .busyHelp, .signOutHelp(tenant: "Contoso"), .signedOutHelp, .requestNumber("0123-abcd"), .email,
            .emailOrName, .emailOrNumber, .emailNameOrNumber, .password, .newPassword, .showPassword, .code,
            .staySignedIn, .optional,
            .attribute("favouriteColour"), .next, .signInButton, .signOutButton, .cancel,
            .sendAgain, .forgotPassword, .otherAccount, .goOn, .haveAccount, .noAccount, .startAgain,
            .backToApp("Fabrikam Café"), .wrongCode, .oldCode, .wait(seconds: 45), .locked(minutes: 17),
            .wrongPassword, .unknownUser, .userExists, .disabledAccount, .badEmail, .mailboxRefuses,
            .blockedContact, .badAttributes, .badField("favouriteColour"), .missing, .alreadyDone, .codeSentAgain,
            .signUpClosed, .noPassword, .text("Only for members."), .privacy, .terms, .support, .errorPrefix,
            .deleteLaterHelp(days: 30),
            .yourAccount, .yourData, .changeEmail, .changePassword, .signInMethods, .sessions, .copyOfData,
            .deleteAccount, .confirmItIsYou, .accountDeleted, .deletionPlanned, .confirmItIsYouHelp, .saved,
            .passwordChanged, .newAddressHelp, .methodsHelp, .methodSuspended, .sessionsHelp, .thisBrowser, .browser,
            .lastUsed, .copyHelp, .deleteHelp, .typeAddress, .notSet, .currentPassword, .newEmail, .methodName, .save,
            .rename,
            .remove, .endOthers, .endAll, .allowedApplications, .download, .keepAccount, .backToAccount,
            .changedElsewhere, .nameTaken,
            .lastMethod, .addressTaken, .addressNotUsable,
            .deviceTitle, .deviceHelp, .wrongDeviceCode, .deviceAllowTitle(app: "Fabrikam Café"),
            .deviceAsks(app: "Fabrikam Café", code: "WDJB-MJHT"), .deviceSince(minutes: 3), .deviceSameNetwork,
            .deviceOtherNetwork, .deviceWarning, .deviceAllowed, .deviceDeclined,
            .authenticatorApp, .enterAppCode, .addApp, .scanHelp, .keyByHand, .openApp, .appCodeHelp, .wrongAppCode,
            .appNotAllowed, .addPhone, .phoneNumber, .phoneHelp, .enterTextCode, .textSent(to: "+49*********9"),
            .badPhone, .blockedPhone,
            .phoneNotAllowed,
            .otherMethod, .recoveryCodes, .recoveryHelp, .makeCodes, .codesLeft(7), .codesShownOnce,
            .enterRecoveryCode, .recoveryCodeHelp, .wrongRecoveryCode, .recoveredHelp, .codesLow, .codesUsedUp, .notNow,
            .signInWithPasskey, .usePasskey, .passkeyHelp, .noPasskeys, .passkeyFailed, .passkeyRefused, .passkey,
            .passkeys, .passkeysHelp, .addPasskey, .passkeyExists, .passkeyNotAllowed, .added,
            .continueWith("Harbour ID"), .linkHelp(provider: "Harbour ID"), .nameMailboxHelp(provider: "Harbour ID"),
            .providerFailed, .connectedAccounts, .identityTaken, .enoughToday, .connect("Harbour ID"),
            .rememberBrowser(days: 30), .rememberedDevices, .rememberedDevicesHelp,
            .rememberedUntil,
        ] + PasswordFault.allCases.map { .badPassword($0) }

    /// What a text must contain. A new case is named here, and goes into the samples, too.
    fileprivate var argument: String? {
        switch self {
        case .signIn, .createAccount, .enterPassword, .enterCode, .choosePassword, .chooseNewPassword, .aboutYou,
            .chooseMethod, .addMailbox, .cannotGoOn, .tookTooLong, .needsCookies, .begunElsewhere, .signedIn,
            .movingOn, .signOut, .signedOut, .busy, .codeIsValid, .whyMailbox, .strongerProofNeeded,
            .whyPasskey, .addMethod, .whyMethod,
            .scopeOpenID, .scopeProfile, .scopeEmail, .scopeOffline, .allow, .decline,
            .cookiesHelp, .begunElsewhereHelp, .wrongAddressHelp, .policyHelp, .overHelp, .busyHelp,
            .signedOutHelp, .email, .emailOrName, .emailOrNumber, .emailNameOrNumber, .password, .newPassword,
            .showPassword, .code, .staySignedIn,
            .optional, .next, .signInButton, .signOutButton, .cancel, .sendAgain, .forgotPassword,
            .otherAccount, .goOn, .haveAccount, .noAccount, .startAgain, .wrongCode, .oldCode,
            .wrongPassword, .unknownUser, .userExists, .disabledAccount, .mailboxRefuses, .blockedContact,
            .badAttributes, .missing, .alreadyDone, .codeSentAgain, .signUpClosed, .noPassword, .privacy, .terms,
            .support, .errorPrefix,
            .yourAccount, .yourData, .changeEmail, .changePassword, .signInMethods, .sessions, .copyOfData,
            .deleteAccount, .confirmItIsYou, .accountDeleted, .deletionPlanned, .confirmItIsYouHelp, .saved,
            .passwordChanged, .newAddressHelp, .methodsHelp, .methodSuspended, .sessionsHelp, .thisBrowser, .browser,
            .lastUsed, .copyHelp, .deleteHelp, .typeAddress, .notSet, .currentPassword, .newEmail, .methodName, .save,
            .rename,
            .remove, .endOthers, .endAll, .allowedApplications, .download, .keepAccount, .backToAccount,
            .changedElsewhere, .nameTaken,
            .lastMethod, .addressTaken, .addressNotUsable,
            .deviceTitle,
            .deviceHelp, .wrongDeviceCode, .deviceSameNetwork, .deviceOtherNetwork, .deviceWarning, .deviceAllowed,
            .deviceDeclined, .authenticatorApp, .enterAppCode, .addApp, .scanHelp, .keyByHand, .openApp, .appCodeHelp,
            .wrongAppCode, .appNotAllowed, .addPhone, .phoneNumber, .phoneHelp, .enterTextCode, .blockedPhone,
            .phoneNotAllowed,
            .otherMethod, .recoveryCodes, .recoveryHelp, .makeCodes, .codesShownOnce,
            .enterRecoveryCode, .recoveryCodeHelp, .wrongRecoveryCode, .recoveredHelp, .codesLow, .codesUsedUp, .notNow,
            .signInWithPasskey,
            .usePasskey, .passkeyHelp, .noPasskeys, .passkeyFailed, .passkeyRefused, .passkey, .passkeys, .passkeysHelp,
            .addPasskey, .passkeyExists, .passkeyNotAllowed, .added, .providerFailed, .connectedAccounts,
            .identityTaken, .enoughToday, .rememberedDevices, .rememberedDevicesHelp, .rememberedUntil:
            nil
        case .continueTo(let text), .toApp(let text), .codeSent(let text), .textSent(let text), .signedInAs(let text),
            .appSignedInAs(_, let text), .goOnAs(let text),
            .wantsAccess(let text), .scopeOther(let text),
            .mayCloseWindow(let text), .movingOnHelp(let text), .signOutHelp(let text), .requestNumber(let text),
            .backToApp(let text), .text(let text), .continueWith(let text), .linkHelp(let text),
            .nameMailboxHelp(let text), .connect(let text):
            text
        case .attribute(let name), .badField(let name): AttributeTitle.words(name)
        case .deviceAllowTitle(let text), .deviceAsks(_, let text): text
        case .wait(let number), .locked(let number), .deleteLaterHelp(let number), .rememberBrowser(let number),
            .deviceSince(let number),
            .codesLeft(let number):
            "\(number)"
        case .passwordRules: "8"
        case .badEmail: "@example.com"
        case .badPhone: "+"
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "8"
            case .tooLong: "256"
            case .tooWeak, .banned, .recentlyUsed, .invalid: nil
            }
        }
    }
}

@Suite("Phrases of the hosted pages")
struct PagePhraseTests {
    @Test(
        "SEC-WEB-26: each language of the mails has each phrase of the pages, whole, with its argument, and its own",
        arguments: MailLanguage.allCases)
    func eachLanguageHasEachPhrase(_ language: MailLanguage) {
        let text = PageLanguage([language.rawValue], accepted: nil)
        for phrase in PagePhrase.samples {
            let sentence = text(phrase)
            #expect(!sentence.isEmpty && !sentence.contains("\\("), "\(phrase)")
            #expect(!sentence.contains("  "), "\(phrase)")
            #expect(sentence.first?.isWhitespace == false && sentence.last?.isWhitespace == false, "\(phrase)")
            if let argument = phrase.argument { #expect(sentence.contains(argument), "\(phrase)") }
            if case .text = phrase { continue }
            if language != .english && phrase.english.count > 25 { #expect(sentence != phrase.english, "\(phrase)") }
        }
    }

    @Test("SEC-WEB-26: each phrase is among the samples once")
    func samplesAreDistinct() {
        #expect(Set(PagePhrase.samples).count == PagePhrase.samples.count)
    }

    @Test(
        "SEC-WEB-26: each language has titles for the attributes that the server knows",
        arguments: MailLanguage.allCases)
    func attributesHaveTitles(_ language: MailLanguage) {
        let text = PageLanguage([language.rawValue], accepted: nil)
        let names = (AttributeDefinition.builtIn + [.preferredLanguage]).map(\.name)
        let titles = names.map { text(.attribute($0)) }
        #expect(Set(titles + names).count == 2 * names.count)
        for (name, title) in zip(names, titles) { #expect(text(.badField(name)).contains(title)) }
    }

    @Test(
        "SEC-WEB-26: numbers of seconds and minutes have the forms of their language",
        arguments: [
            (.english, 1, "a second", "a minute"), (.english, 2, "2 seconds", "2 minutes"),
            (.danish, 1, "et sekund", "et minut"), (.german, 5, "5 Sekunden", "5 Minuten"),
            (.czech, 1, "sekundu", "minutu"), (.czech, 4, "4 sekundy", "4 minuty"),
            (.czech, 22, "22 sekund", "22 minut"), (.polish, 1, "sekundę", "minutę"),
            (.polish, 3, "3 sekundy", "3 minuty"), (.polish, 13, "13 sekund", "13 minut"),
            (.polish, 21, "21 sekund", "21 minut"), (.polish, 22, "22 sekundy", "22 minuty"),
            (.ukrainian, 1, "1 секунду", "1 хвилину"), (.ukrainian, 11, "11 секунд", "11 хвилин"),
            (.ukrainian, 21, "21 секунду", "21 хвилину"), (.ukrainian, 32, "32 секунди", "32 хвилини"),
            (.ukrainian, 45, "45 секунд", "45 хвилин"), (.arabic, 1, "ثانية واحدة", "دقيقة واحدة"),
            (.arabic, 2, "ثانيتين", "دقيقتين"), (.arabic, 10, "10 ثوانٍ", "10 دقائق"),
            (.arabic, 11, "11 ثانية", "11 دقيقة"), (.arabic, 103, "103 ثوانٍ", "103 دقائق"),
            (.hebrew, 2, "שתי שניות", "שתי דקות"), (.finnish, 45, "45 sekuntia", "45 minuuttia"),
        ] as [(MailLanguage, Int, String, String)])
    func numbers(_ language: MailLanguage, _ count: Int, _ seconds: String, _ minutes: String) {
        let text = PageLanguage([language.rawValue], accepted: nil)
        #expect(text(.wait(seconds: count)).contains(" \(seconds)"))
        #expect(text(.locked(minutes: count)).contains(" \(minutes)"))
    }

    @Test("Two minutes and more are told in minutes, rounded up")
    func longTimes() {
        let text = PageLanguage([], accepted: .dutch)
        #expect(text(.wait(seconds: 119)).contains("119 seconden"))
        #expect(text(.wait(seconds: 120)).contains(" 2 minuten"))
        #expect(text(.wait(seconds: 121)).contains(" 3 minuten"))
    }

    @Test("The strongest wish that is a language of ours decides, then the browser's, then English")
    func theLanguageOfAPage() {
        #expect(PageLanguage(["xx", "pt-BR", "da"], accepted: .dutch).language == .portuguese)
        #expect(PageLanguage(["xx"], accepted: .dutch).language == .dutch)
        #expect(PageLanguage([], accepted: nil).language == .english)
    }

    @Test(
        "A tenant's own attribute is called by words",
        arguments: [
            ("extension_memberNumber", "Member number"), ("city", "City"), ("flat", "Flat"), ("_", "_"),
            ("extension_0123456789abcdef0123456789abcdef_LoyaltyNumber", "Loyalty number"),
            ("acceptsVAT_2024", "Accepts VAT 2024"),
        ])
    func ownAttributes(_ name: String, _ words: String) {
        #expect(AttributeTitle.words(name) == words)
    }
}
