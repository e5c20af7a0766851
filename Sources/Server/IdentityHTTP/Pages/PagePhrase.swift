import IdentityEngine

/// A sentence, a title or the name of a button on a hosted page. Each language has all of them, checked by the compiler.
enum PagePhrase: Hashable, Sendable {
    // Titles.
    case signIn, createAccount, enterPassword, enterCode, choosePassword, chooseNewPassword, aboutYou, chooseMethod
    case addMailbox, cannotGoOn, tookTooLong, needsCookies, begunElsewhere, signedIn, movingOn, signOut, signedOut
    case busy
    case continueTo(app: String)

    // Text.
    case toApp(String)
    case codeSent(to: String)
    case codeIsValid
    case signedInAs(String)
    case whyMailbox
    case whyMethod
    case passwordRules
    case nothingLost
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

    // Fields.
    case email, emailOrName, password, newPassword, code, secondEmail, staySignedIn, optional
    case attribute(String)
    case yes

    // Buttons and links.
    case next, signInButton, signOutButton, createButton, cancel, sendAgain, forgotPassword, otherAccount, goOn, tryAgain
    case haveAccount, noAccount, startAgain
    case backToApp(String)
    case home

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
    /// A receiver of the tenant wrote it.
    case text(String)
    /// Goes before the title of a page with a problem, and its summary.
    case errorPrefix, pleaseCheck
}

/// A language of the hosted pages: those of the mails, where the pages have it.
struct PageLanguage: Hashable, Sendable {
    var language: MailLanguage

    /// The languages that the pages have.
    static let all: [MailLanguage] = [.english, .danish, .dutch, .french, .japanese]

    /// - Parameters:
    ///   - wishes: Tags of languages, the strongest wish first.
    ///   - accepted: The field `Accept-Language`.
    init(_ wishes: [String], accepted: MailLanguage?) {
        let wished = wishes.lazy.compactMap { MailLanguage(tag: $0) }.first { Self.all.contains($0) }
        language = wished ?? accepted.flatMap { Self.all.contains($0) ? $0 : nil } ?? .english
    }

    func callAsFunction(_ phrase: PagePhrase) -> String {
        switch language {
        case .english, .arabic, .chinese, .czech, .danish, .dutch, .finnish, .french, .german, .hebrew, .italian,
            .japanese, .korean, .norwegian, .polish, .portuguese, .spanish, .swedish, .turkish, .ukrainian:
            phrase.english
        }
    }
}
