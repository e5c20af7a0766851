import IdentityEngine

/// The sentences of a mail in one language, as mustache templates over `organisation`, `minutes` and `single` (whether
/// `minutes` is 1). They contain no text from the user (`SEC-MAIL-7`).
///
/// They are plain text, so they use triple braces: the HTML part escapes the finished sentence.
struct MailPhrases: Sendable {
    var subject: String
    var signUp: String
    var signIn: String
    var passwordReset: String
    var secondFactor: String
    var registration: String
    /// The label above the code.
    var label: String
    var validity: String
    /// The sentence that the code must not be shared.
    var secrecy: String
    /// The advice for a reader who did not ask for the code.
    var unasked: String
    var passwordChanged: Notice
    var methods: MethodPhrases
    var account: AccountPhrases
    var accountExists: Notice
    var signInLocked: Notice
    var signedInAfterFailures: Notice

    /// The sentences of a mail about a change of the account.
    struct Notice: Sendable {
        var subject: String
        /// The change.
        var event: String
        /// The advice for a reader who did not make the change.
        var unasked: String
    }

    /// The sentences that differ by purpose.
    struct Opening: Sendable {
        var subject: String
        /// The reason for the mail.
        var sentence: String
        /// The advice for a reader who did not cause the mail.
        var unasked: String
        /// Whether the mail contains a code, with its label, validity and secrecy.
        var hasCode: Bool
        /// How long the code is valid, where the usual sentence does not say it.
        var validity: String?
    }

    /// The sentences of a mail of this purpose, except those about its code.
    func opening(of purpose: MailContent.Purpose) -> Opening {
        switch purpose {
        case .signUp: codeMail(signUp)
        case .signIn: codeMail(signIn)
        case .passwordReset: codeMail(passwordReset)
        case .secondFactor: codeMail(secondFactor)
        case .registration: codeMail(registration)
        case .accountChange: codeMail(account.change)
        case .emailChange: codeMail(account.newAddress)
        case .emailChanged:
            Opening(
                subject: account.addressChanged.subject, sentence: account.addressChanged.event,
                unasked: account.addressChanged.unasked, hasCode: true, validity: account.validity)
        case .emailChangeUndone: notice(account.addressRestored)
        case .emailReplaced: notice(account.addressReplaced)
        case .resetRequired: notice(account.resetRequired)
        case .accountDeleted: notice(account.deleted)
        case .deletionScheduled: notice(account.deletionScheduled)
        case .passwordChanged: notice(passwordChanged)
        case .methodRegistered: notice(methods.registered)
        case .methodRemoved: notice(methods.removed)
        case .methodSuspended: notice(methods.suspended)
        case .methodReactivated: notice(methods.reactivated)
        case .methodFirstUsed: notice(methods.firstUsed)
        case .accountExists: notice(accountExists)
        case .signInLocked: notice(signInLocked)
        case .signedInAfterFailures: notice(signedInAfterFailures)
        }
    }

    private func codeMail(_ sentence: String) -> Opening {
        Opening(subject: subject, sentence: sentence, unasked: unasked, hasCode: true)
    }

    private func notice(_ notice: Notice) -> Opening {
        Opening(subject: notice.subject, sentence: notice.event, unasked: notice.unasked, hasCode: false)
    }

    /// The sentences in `language`.
    init(in language: MailLanguage) {
        self =
            switch language {
            case .english: .english
            case .danish: .danish
            case .dutch: .dutch
            case .french: .french
            case .japanese: .japanese
            }
    }

    private init(
        subject: String, signUp: String, signIn: String, passwordReset: String, secondFactor: String,
        registration: String, label: String, validity: String, secrecy: String, unasked: String,
        passwordChanged: Notice, methods: MethodPhrases, account: AccountPhrases, accountExists: Notice,
        signInLocked: Notice, signedInAfterFailures: Notice
    ) {
        self.subject = subject
        self.signUp = signUp
        self.signIn = signIn
        self.passwordReset = passwordReset
        self.secondFactor = secondFactor
        self.registration = registration
        self.label = label
        self.validity = validity
        self.secrecy = secrecy
        self.unasked = unasked
        self.passwordChanged = passwordChanged
        self.methods = methods
        self.account = account
        self.accountExists = accountExists
        self.signInLocked = signInLocked
        self.signedInAfterFailures = signedInAfterFailures
    }

    private static let english = MailPhrases(
        subject: "Your verification code for {{{organisation}}}",
        signUp: "Use this code to create your account at {{{organisation}}}.",
        signIn: "Use this code to sign in to {{{organisation}}}.",
        passwordReset: "Use this code to choose a new password for your account at {{{organisation}}}.",
        secondFactor: "Use this code to confirm that it is you who is signing in to {{{organisation}}}.",
        registration: "Use this code to add this e-mail address to your account at {{{organisation}}} "
            + "as a way to prove who you are.",
        label: "Your code:",
        validity: "It is valid for {{minutes}} minute{{^single}}s{{/single}}.",
        secrecy: "Do not share this code with anyone. {{{organisation}}} will never ask you for it.",
        unasked: "If you did not ask for this code, you can ignore this message.",
        passwordChanged: Notice(
            subject: "Your password for {{{organisation}}} was changed",
            event: "The password of your account at {{{organisation}}} was changed.",
            unasked: "If this was not you, choose a new password at once and tell {{{organisation}}}."),
        methods: .english, account: .english,
        accountExists: Notice(
            subject: "You already have an account at {{{organisation}}}",
            event: "Someone, perhaps you, asked for a new account at {{{organisation}}} with this e-mail address. "
                + "This address already has an account: sign in, or reset your password if you forgot it.",
            unasked: "If this was not you, there is nothing to do: your account is as it was."),
        signInLocked: Notice(
            subject: "Someone is trying to sign in to your account at {{{organisation}}}",
            event: "Many wrong passwords were tried for your account at {{{organisation}}}. Sign-in with a password is "
                + "blocked for a while; a new password unblocks it at once.",
            unasked: "If this was not you, your account is protected. Use a password here that you use "
                + "nowhere else."),
        signedInAfterFailures: Notice(
            subject: "Your account at {{{organisation}}} was signed in to after many wrong passwords",
            event: "The right password for your account at {{{organisation}}} was given after many wrong "
                + "ones.",
            unasked: "If this was not you, choose a new password at once and tell {{{organisation}}}."))

    private static let danish = MailPhrases(
        subject: "Din bekræftelseskode til {{{organisation}}}",
        signUp: "Brug denne kode til at oprette din konto hos {{{organisation}}}.",
        signIn: "Brug denne kode til at logge på hos {{{organisation}}}.",
        passwordReset: "Brug denne kode til at vælge en ny adgangskode til din konto hos {{{organisation}}}.",
        secondFactor: "Brug denne kode til at bekræfte, at det er dig, der logger på hos {{{organisation}}}.",
        registration: "Brug denne kode til at knytte denne e-mailadresse til din konto hos {{{organisation}}} "
            + "som bekræftelsesmetode.",
        label: "Din kode:",
        validity: "Den gælder i {{minutes}} minut{{^single}}ter{{/single}}.",
        secrecy: "Del ikke koden med nogen. Ingen hos {{{organisation}}} vil bede dig om den.",
        unasked: "Hvis du ikke har bedt om koden, kan du se bort fra denne besked.",
        passwordChanged: Notice(
            subject: "Din adgangskode til {{{organisation}}} er ændret",
            event: "Adgangskoden til din konto hos {{{organisation}}} er blevet ændret.",
            unasked: "Hvis det ikke var dig, skal du straks vælge en ny adgangskode og kontakte {{{organisation}}}."),
        methods: .danish, account: .danish,
        accountExists: Notice(
            subject: "Du har allerede en konto hos {{{organisation}}}",
            event: "Nogen, måske dig, har bedt om en ny konto hos {{{organisation}}} med denne e-mailadresse. "
                + "Den har allerede en konto. Log på for at komme ind; nulstil adgangskoden, hvis du har glemt den.",
            unasked: "Hvis det ikke var dig, skal du ikke gøre noget: Din konto er, som den var."),
        signInLocked: Notice(
            subject: "Nogen forsøger at logge på din konto hos {{{organisation}}}",
            event:
                "Der er prøvet mange forkerte adgangskoder til din konto hos {{{organisation}}}. Det varer lidt, før der "
                + "igen kan logges på med adgangskode; vælger du en ny, ophæves det med det samme.",
            unasked: "Hvis det ikke var dig, er din konto beskyttet. Brug her en adgangskode, som du ikke "
                + "bruger andre steder."),
        signedInAfterFailures: Notice(
            subject: "Der er logget på din konto hos {{{organisation}}} efter mange forkerte adgangskoder",
            event: "Den rigtige adgangskode til din konto hos {{{organisation}}} er givet efter mange "
                + "forkerte.",
            unasked: "Hvis det ikke var dig, skal du straks vælge en ny adgangskode og kontakte "
                + "{{{organisation}}}."))

    private static let dutch = MailPhrases(
        subject: "Uw verificatiecode voor {{{organisation}}}",
        signUp: "Gebruik deze code om uw account bij {{{organisation}}} aan te maken.",
        signIn: "Gebruik deze code om u aan te melden bij {{{organisation}}}.",
        passwordReset: "Gebruik deze code om een nieuw wachtwoord te kiezen voor uw account bij {{{organisation}}}.",
        secondFactor: "Gebruik deze code om te bevestigen dat u het bent die zich aanmeldt bij {{{organisation}}}.",
        registration: "Gebruik deze code om dit e-mailadres als verificatiemethode toe te voegen aan uw account bij "
            + "{{{organisation}}}.",
        label: "Uw code:",
        validity: "Deze is {{minutes}} {{#single}}minuut{{/single}}{{^single}}minuten{{/single}} geldig.",
        secrecy: "Deel deze code met niemand. Niemand van {{{organisation}}} zal u erom vragen.",
        unasked: "Hebt u deze code niet aangevraagd, dan kunt u dit bericht negeren.",
        passwordChanged: Notice(
            subject: "Uw wachtwoord voor {{{organisation}}} is gewijzigd",
            event: "Het wachtwoord van uw account bij {{{organisation}}} is gewijzigd.",
            unasked:
                "Hebt u dit niet zelf gedaan, kies dan meteen een nieuw wachtwoord en neem contact op met {{{organisation}}}."
        ),
        methods: .dutch, account: .dutch,
        accountExists: Notice(
            subject: "U hebt al een account bij {{{organisation}}}",
            event:
                "Iemand, misschien uzelf, heeft met dit e-mailadres om een nieuw account bij {{{organisation}}} gevraagd. "
                + "Er is al een account. Meld u aan; bent u uw wachtwoord vergeten, stel het dan opnieuw in.",
            unasked: "Hebt u dit niet zelf gedaan, dan hoeft u niets te doen: uw account is niet gewijzigd."),
        signInLocked: Notice(
            subject: "Iemand probeert zich aan te melden bij uw account bij {{{organisation}}}",
            event:
                "Er zijn veel verkeerde wachtwoorden geprobeerd voor uw account bij {{{organisation}}}. Aanmelden met een "
                + "wachtwoord is een tijdlang niet mogelijk; met een nieuw wachtwoord heft u dat meteen op.",
            unasked: "Hebt u dit niet zelf gedaan, dan is uw account beschermd. Gebruik hier een wachtwoord "
                + "dat u nergens anders gebruikt."),
        signedInAfterFailures: Notice(
            subject: "Er is aangemeld bij uw account bij {{{organisation}}} na veel verkeerde wachtwoorden",
            event: "Na veel verkeerde wachtwoorden is het juiste wachtwoord van uw account bij "
                + "{{{organisation}}} opgegeven.",
            unasked: "Hebt u dit niet zelf gedaan, kies dan meteen een nieuw wachtwoord en neem contact op "
                + "met {{{organisation}}}."))

    private static let french = MailPhrases(
        subject: "Votre code de vérification pour {{{organisation}}}",
        signUp: "Utilisez ce code pour créer votre compte chez {{{organisation}}}.",
        signIn: "Utilisez ce code pour vous connecter à votre compte chez {{{organisation}}}.",
        passwordReset:
            "Utilisez ce code pour choisir un nouveau mot de passe pour votre compte chez {{{organisation}}}.",
        secondFactor: "Utilisez ce code pour confirmer que c’est bien vous qui vous connectez à votre compte chez "
            + "{{{organisation}}}.",
        registration: "Utilisez ce code pour ajouter cette adresse e-mail comme moyen de vérification à votre compte "
            + "chez {{{organisation}}}.",
        label: "Votre code :",
        validity: "Il est valable {{minutes}} minute{{^single}}s{{/single}}.",
        secrecy: "Ne communiquez ce code à personne. Personne chez {{{organisation}}} ne vous le demandera.",
        unasked: "Si vous n’avez pas demandé ce code, ignorez ce message.",
        passwordChanged: Notice(
            subject: "Votre mot de passe pour {{{organisation}}} a été modifié",
            event: "Le mot de passe de votre compte chez {{{organisation}}} a été modifié.",
            unasked:
                "Si ce n’était pas vous, choisissez immédiatement un nouveau mot de passe et prévenez {{{organisation}}}."
        ),
        methods: .french, account: .french,
        accountExists: Notice(
            subject: "Vous avez déjà un compte chez {{{organisation}}}",
            event: "Quelqu’un, peut-être vous, a demandé un nouveau compte chez {{{organisation}}} avec cette adresse "
                + "e-mail. Elle a déjà un compte. Connectez-vous ; si vous avez oublié votre mot de passe, "
                + "réinitialisez-le.",
            unasked: "Si ce n’était pas vous, vous n’avez rien à faire : votre compte n’a pas changé."),
        signInLocked: Notice(
            subject: "Quelqu’un essaie de se connecter à votre compte chez {{{organisation}}}",
            event:
                "De nombreux mots de passe erronés ont été essayés pour votre compte chez {{{organisation}}}. La connexion "
                + "par mot de passe est suspendue un moment ; choisir un nouveau mot de passe y met fin aussitôt.",
            unasked: "Si ce n’était pas vous, votre compte est protégé. Utilisez ici un mot de passe que vous "
                + "n’utilisez nulle part ailleurs."),
        signedInAfterFailures: Notice(
            subject: "Connexion à votre compte chez {{{organisation}}} après de nombreux mots de passe erronés",
            event: "Le bon mot de passe de votre compte chez {{{organisation}}} a été donné après de "
                + "nombreux mots de passe erronés.",
            unasked: "Si ce n’était pas vous, choisissez immédiatement un nouveau mot de passe et prévenez "
                + "{{{organisation}}}."))

    private static let japanese = MailPhrases(
        subject: "{{{organisation}}} の確認コード",
        signUp: "{{{organisation}}} のアカウントを作成するには、次のコードを入力してください。",
        signIn: "{{{organisation}}} にサインインするには、次のコードを入力してください。",
        passwordReset: "{{{organisation}}} のアカウントの新しいパスワードを設定するには、次のコードを入力してください。",
        secondFactor: "{{{organisation}}} へのサインインがご本人によるものであることを確認するため、次のコードを入力してください。",
        registration: "このメール アドレスを {{{organisation}}} のアカウントの本人確認方法として登録するには、次のコードを入力してください。",
        label: "確認コード:",
        validity: "このコードは {{minutes}} 分間有効です。",
        secrecy: "このコードを誰にも教えないでください。{{{organisation}}} の担当者がコードをお尋ねすることはありません。",
        unasked: "お心当たりがない場合は、このメールを無視してください。",
        passwordChanged: Notice(
            subject: "{{{organisation}}} のパスワードが変更されました",
            event: "{{{organisation}}} のアカウントのパスワードが変更されました。",
            unasked: "お心当たりがない場合は、すぐに新しいパスワードを設定し、{{{organisation}}} にご連絡ください。"),
        methods: .japanese, account: .japanese,
        accountExists: Notice(
            subject: "{{{organisation}}} のアカウントはすでにあります",
            event: "このメール アドレスで {{{organisation}}} の新しいアカウントの作成が求められましたが、アカウントはすでにあります。"
                + "ご利用になるにはサインインしてください。パスワードをお忘れの場合は、再設定してください。",
            unasked: "お心当たりがない場合は、何もする必要はありません。アカウントに変更はありません。"),
        signInLocked: Notice(
            subject: "{{{organisation}}} のアカウントにサインインしようとした人がいます",
            event: "{{{organisation}}} のアカウントに対して、誤ったパスワードが何度も入力されました。しばらくの間、パスワードではサインインできません。"
                + "新しいパスワードを設定すると、すぐに解除されます。",
            unasked: "お心当たりがない場合も、アカウントは保護されています。ほかで使っていないパスワードをお使いください。"),
        signedInAfterFailures: Notice(
            subject: "誤ったパスワードが何度も入力された後、{{{organisation}}} のアカウントへのサインインがありました",
            event: "{{{organisation}}} のアカウントに、誤ったパスワードが何度も入力された後、正しいパスワードが入力されました。",
            unasked: "お心当たりがない場合は、すぐに新しいパスワードを設定し、{{{organisation}}} にご連絡ください。"))
}
