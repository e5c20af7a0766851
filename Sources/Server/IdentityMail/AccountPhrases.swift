/// The sentences of mails about changes of an account, in one language; templates as in ``MailPhrases``, with `days` and
/// `oneDay`.
struct AccountPhrases: Sendable {
    /// Why the reader gets a code: to confirm a change, and to confirm a new address.
    var change: String
    var newAddress: String
    /// The notice to the old address; its code takes the change back.
    var addressChanged: MailPhrases.Notice
    var addressRestored: MailPhrases.Notice
    /// The notices of what an operator did; the first one goes to the old address.
    var addressReplaced: MailPhrases.Notice
    var resetRequired: MailPhrases.Notice
    var deleted: MailPhrases.Notice
    /// Says in how many days.
    var deletionScheduled: MailPhrases.Notice
    /// How long the code of ``addressChanged`` is valid.
    var validity: String

    static let english = AccountPhrases(
        change: "Use this code to confirm a change of your account at {{{organisation}}}.",
        newAddress: "Use this code to make this the e-mail address of your account at {{{organisation}}}.",
        addressChanged: .init(
            subject: "The e-mail address of your account at {{{organisation}}} was changed",
            event: "Your account at {{{organisation}}} has another e-mail address now. The code below takes the change "
                + "back and signs out all devices.",
            unasked: "If you made this change, you can ignore this message."),
        addressRestored: .init(
            subject: "Your account at {{{organisation}}} has its old e-mail address again",
            event: "The change of the e-mail address of your account at {{{organisation}}} was taken back. All devices "
                + "are signed out.",
            unasked: "Choose a new password at once: another person may know the old one."),
        addressReplaced: .init(
            subject: "The e-mail address of your account at {{{organisation}}} was changed",
            event: "{{{organisation}}} has given your account another e-mail address and signed out all devices.",
            unasked: "If you did not ask for this change, tell {{{organisation}}}."),
        resetRequired: .init(
            subject: "Choose a new password for {{{organisation}}}",
            event: "{{{organisation}}} has ended the password of your account and signed out all devices. To sign in "
                + "again, open the app and choose a new password, as if you had forgotten the old one.",
            unasked: "If you have questions about this, ask {{{organisation}}}."),
        deleted: .init(
            subject: "Your account at {{{organisation}}} was deleted",
            event: "Your account at {{{organisation}}} and the data in it were deleted.",
            unasked: "If this was not you, tell {{{organisation}}}."),
        deletionScheduled: .init(
            subject: "Your account at {{{organisation}}} will be deleted",
            event:
                "Your account at {{{organisation}}} will be deleted in {{days}} day{{^oneDay}}s{{/oneDay}}. If you want "
                + "to keep it, sign in before that and choose to keep the account.",
            unasked: "If this was not you, sign in, keep the account, and choose a new password."),
        validity: "It is valid for {{days}} days.")

    static let danish = AccountPhrases(
        change: "Brug denne kode til at bekræfte en ændring af din konto hos {{{organisation}}}.",
        newAddress: "Brug denne kode til at gøre dette til e-mailadressen for din konto hos {{{organisation}}}.",
        addressChanged: .init(
            subject: "E-mailadressen for din konto hos {{{organisation}}} er ændret",
            event: "Din konto hos {{{organisation}}} har nu en anden e-mailadresse. Koden herunder gør ændringen om og "
                + "logger alle enheder af.",
            unasked: "Hvis du selv har ændret den, kan du se bort fra denne besked."),
        addressRestored: .init(
            subject: "Din konto hos {{{organisation}}} har igen sin gamle e-mailadresse",
            event:
                "Ændringen af e-mailadressen for din konto hos {{{organisation}}} er gjort om. Alle enheder er logget "
                + "af.",
            unasked: "Vælg straks en ny adgangskode: En anden kender måske den gamle."),
        addressReplaced: .init(
            subject: "E-mailadressen for din konto hos {{{organisation}}} er ændret",
            event: "{{{organisation}}} har givet din konto en anden e-mailadresse og logget alle enheder af.",
            unasked: "Hvis du ikke har bedt om det, skal du kontakte {{{organisation}}}."),
        resetRequired: .init(
            subject: "Vælg en ny adgangskode til {{{organisation}}}",
            event: "{{{organisation}}} har gjort din adgangskode ugyldig og logget alle enheder af. For at logge på "
                + "igen skal du åbne appen og vælge en ny adgangskode, som om du havde glemt den gamle.",
            unasked: "Har du spørgsmål til dette, kan du kontakte {{{organisation}}}."),
        deleted: .init(
            subject: "Din konto hos {{{organisation}}} er slettet",
            event: "Din konto hos {{{organisation}}} og dens data er slettet.",
            unasked: "Hvis det ikke var dig, skal du kontakte {{{organisation}}}."),
        deletionScheduled: .init(
            subject: "Din konto hos {{{organisation}}} bliver slettet",
            event:
                "Din konto hos {{{organisation}}} bliver slettet om {{days}} dag{{^oneDay}}e{{/oneDay}}. Hvis du vil "
                + "beholde den, skal du logge på inden da og vælge at beholde kontoen.",
            unasked: "Hvis det ikke var dig, skal du logge på, beholde kontoen og vælge en ny adgangskode."),
        validity: "Den gælder i {{days}} dage.")

    static let dutch = AccountPhrases(
        change: "Gebruik deze code om een wijziging van uw account bij {{{organisation}}} te bevestigen.",
        newAddress: "Gebruik deze code om dit het e-mailadres van uw account bij {{{organisation}}} te maken.",
        addressChanged: .init(
            subject: "Het e-mailadres van uw account bij {{{organisation}}} is gewijzigd",
            event:
                "Uw account bij {{{organisation}}} heeft nu een ander e-mailadres. De code hieronder maakt de wijziging "
                + "ongedaan en meldt alle apparaten af.",
            unasked: "Hebt u dit zelf gedaan, dan kunt u dit bericht negeren."),
        addressRestored: .init(
            subject: "Uw account bij {{{organisation}}} heeft zijn oude e-mailadres terug",
            event: "De wijziging van het e-mailadres van uw account bij {{{organisation}}} is ongedaan gemaakt. Alle "
                + "apparaten zijn afgemeld.",
            unasked: "Kies meteen een nieuw wachtwoord: misschien kent een ander het oude."),
        addressReplaced: .init(
            subject: "Het e-mailadres van uw account bij {{{organisation}}} is gewijzigd",
            event: "{{{organisation}}} heeft uw account een ander e-mailadres gegeven en alle apparaten afgemeld.",
            unasked: "Hebt u hier niet om gevraagd, neem dan contact op met {{{organisation}}}."),
        resetRequired: .init(
            subject: "Kies een nieuw wachtwoord voor {{{organisation}}}",
            event: "{{{organisation}}} heeft uw wachtwoord ongeldig gemaakt en alle apparaten afgemeld. Open de "
                + "app om u weer aan te melden en kies een nieuw wachtwoord, alsof u het oude bent vergeten.",
            unasked: "Hebt u hier vragen over, neem dan contact op met {{{organisation}}}."),
        deleted: .init(
            subject: "Uw account bij {{{organisation}}} is verwijderd",
            event: "Uw account bij {{{organisation}}} en de gegevens daarin zijn verwijderd.",
            unasked: "Hebt u dit niet zelf gedaan, neem dan contact op met {{{organisation}}}."),
        deletionScheduled: .init(
            subject: "Uw account bij {{{organisation}}} wordt verwijderd",
            event:
                "Uw account bij {{{organisation}}} wordt over {{days}} dag{{^oneDay}}en{{/oneDay}} verwijderd. Wilt u het "
                + "behouden, meld u dan vóór die tijd aan en kies ervoor het account te behouden.",
            unasked: "Hebt u dit niet zelf gedaan, meld u dan aan, behoud het account en kies een nieuw wachtwoord."),
        validity: "Deze is {{days}} dagen geldig.")

    static let french = AccountPhrases(
        change: "Utilisez ce code pour confirmer une modification de votre compte chez {{{organisation}}}.",
        newAddress: "Utilisez ce code pour que cette adresse devienne celle de votre compte chez {{{organisation}}}.",
        addressChanged: .init(
            subject: "L’adresse e-mail de votre compte chez {{{organisation}}} a été modifiée",
            event:
                "Votre compte chez {{{organisation}}} a maintenant une autre adresse e-mail. Le code ci-dessous annule "
                + "la modification et déconnecte tous les appareils.",
            unasked: "Si c’était vous, ignorez ce message."),
        addressRestored: .init(
            subject: "Votre compte chez {{{organisation}}} a retrouvé son ancienne adresse e-mail",
            event:
                "La modification de l’adresse e-mail de votre compte chez {{{organisation}}} a été annulée. Tous les "
                + "appareils sont déconnectés.",
            unasked: "Choisissez immédiatement un nouveau mot de passe : une autre personne connaît peut-être l’ancien."
        ),
        addressReplaced: .init(
            subject: "L’adresse e-mail de votre compte chez {{{organisation}}} a été modifiée",
            event: "{{{organisation}}} a donné une autre adresse e-mail à votre compte et déconnecté tous les "
                + "appareils.",
            unasked: "Si vous n’avez pas demandé cette modification, prévenez {{{organisation}}}."),
        resetRequired: .init(
            subject: "Choisissez un nouveau mot de passe pour {{{organisation}}}",
            event: "{{{organisation}}} a invalidé le mot de passe de votre compte et déconnecté tous les appareils. "
                + "Pour vous reconnecter, ouvrez l’application et choisissez un nouveau mot de passe, comme si vous aviez oublié "
                + "l’ancien.",
            unasked: "Si vous avez des questions à ce sujet, adressez-vous à {{{organisation}}}."),
        deleted: .init(
            subject: "Votre compte chez {{{organisation}}} a été supprimé",
            event: "Votre compte chez {{{organisation}}} et ses données ont été supprimés.",
            unasked: "Si ce n’était pas vous, prévenez {{{organisation}}}."),
        deletionScheduled: .init(
            subject: "Votre compte chez {{{organisation}}} va être supprimé",
            event:
                "Votre compte chez {{{organisation}}} sera supprimé dans {{days}} jour{{^oneDay}}s{{/oneDay}}. Si vous "
                + "voulez le garder, connectez-vous avant et choisissez de garder le compte.",
            unasked: "Si ce n’était pas vous, connectez-vous, gardez le compte et choisissez un nouveau mot de passe."),
        validity: "Il est valable {{days}} jours.")

    static let japanese = AccountPhrases(
        change: "{{{organisation}}} のアカウントの変更を確認するには、このコードを使用してください。",
        newAddress: "このメール アドレスを {{{organisation}}} のアカウントで使用するには、このコードを使用してください。",
        addressChanged: .init(
            subject: "{{{organisation}}} のアカウントのメール アドレスが変更されました",
            event: "{{{organisation}}} のアカウントのメール アドレスが変更されました。下のコードを使用すると、変更が取り消され、すべてのデバイスがサインアウトされます。",
            unasked: "ご自身で変更された場合は、このメッセージを無視してください。"),
        addressRestored: .init(
            subject: "{{{organisation}}} のアカウントのメール アドレスが元に戻りました",
            event: "{{{organisation}}} のアカウントのメール アドレスの変更が取り消されました。すべてのデバイスがサインアウトされました。",
            unasked: "すぐに新しいパスワードを設定してください。古いパスワードを他の人が知っている可能性があります。"),
        addressReplaced: .init(
            subject: "{{{organisation}}} のアカウントのメール アドレスが変更されました",
            event: "{{{organisation}}} がお客様のアカウントのメール アドレスを変更し、すべてのデバイスをサインアウトしました。",
            unasked: "この変更を依頼していない場合は、{{{organisation}}} にご連絡ください。"),
        resetRequired: .init(
            subject: "{{{organisation}}} の新しいパスワードを設定してください",
            event: "{{{organisation}}} がお客様のアカウントのパスワードを無効にし、すべてのデバイスをサインアウトしました。再びサインインするには、"
                + "アプリを開き、パスワードを忘れた場合と同じ手順で新しいパスワードを設定してください。",
            unasked: "ご不明な点は、{{{organisation}}} にお問い合わせください。"),
        deleted: .init(
            subject: "{{{organisation}}} のアカウントが削除されました",
            event: "{{{organisation}}} のアカウントとそのデータが削除されました。",
            unasked: "お心当たりがない場合は、{{{organisation}}} にご連絡ください。"),
        deletionScheduled: .init(
            subject: "{{{organisation}}} のアカウントは削除されます",
            event: "{{{organisation}}} のアカウントは {{days}} 日後に削除されます。アカウントを残すには、それまでにサインインし、アカウントを残すことを選択してください。",
            unasked: "お心当たりがない場合は、サインインしてアカウントを残し、新しいパスワードを設定してください。"),
        validity: "有効期間は {{days}} 日です。")
}
