// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let dutch = MailPhrases(
        codeSubject: "Uw verificatiecode voor {{{organisation}}}",
        signUp: "Gebruik deze code om uw account bij {{{organisation}}} aan te maken.",
        signIn: "Gebruik deze code om u aan te melden bij {{{organisation}}}.",
        passwordReset: "Gebruik deze code om een nieuw wachtwoord te kiezen voor uw account bij {{{organisation}}}.",
        secondFactor: "Gebruik deze code om te bevestigen dat u het bent die zich aanmeldt bij {{{organisation}}}.",
        registration:
            "Gebruik deze code om dit e-mailadres als verificatiemethode toe te voegen aan uw account bij {{{organisation}}}.",
        accountChange: "Gebruik deze code om een wijziging van uw account bij {{{organisation}}} te bevestigen.",
        emailChange: "Gebruik deze code om dit het e-mailadres van uw account bij {{{organisation}}} te maken.",
        label: "Uw code:",
        validity: "Deze is {{minutes}} {{#single}}minuut{{/single}}{{^single}}minuten{{/single}} geldig.",
        validityInDays: "Deze is {{days}} dagen geldig.",
        secrecy: "Deel deze code met niemand. Niemand van {{{organisation}}} zal u erom vragen.",
        notAsked: "Hebt u deze code niet aangevraagd, dan kunt u dit bericht negeren.",
        notMe:
            "Hebt u dit niet zelf gedaan, kies dan meteen een nieuw wachtwoord en neem contact op met {{{organisation}}}.",
        emailChanged: Notice(
            subject: "Het e-mailadres van uw account bij {{{organisation}}} is gewijzigd",
            event:
                "Uw account bij {{{organisation}}} heeft nu een ander e-mailadres. De code hieronder maakt de wijziging ongedaan en meldt alle apparaten af.",
            unasked: "Hebt u dit zelf gedaan, dan kunt u dit bericht negeren."),
        emailChangeUndone: Notice(
            subject: "Uw account bij {{{organisation}}} heeft zijn oude e-mailadres terug",
            event:
                "De wijziging van het e-mailadres van uw account bij {{{organisation}}} is ongedaan gemaakt. Alle apparaten zijn afgemeld.",
            unasked: "Kies meteen een nieuw wachtwoord: misschien kent een ander het oude."),
        emailReplaced: Notice(
            subject: "Het e-mailadres van uw account bij {{{organisation}}} is gewijzigd",
            event: "{{{organisation}}} heeft uw account een ander e-mailadres gegeven en alle apparaten afgemeld.",
            unasked: "Hebt u hier niet om gevraagd, neem dan contact op met {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Kies een nieuw wachtwoord voor {{{organisation}}}",
            event:
                "{{{organisation}}} heeft uw wachtwoord ongeldig gemaakt en alle apparaten afgemeld. Open de app om u weer aan te melden en kies een nieuw wachtwoord, alsof u het oude bent vergeten.",
            unasked: "Hebt u hier vragen over, neem dan contact op met {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Uw account bij {{{organisation}}} is verwijderd",
            event: "Uw account bij {{{organisation}}} en de gegevens daarin zijn verwijderd.",
            unasked: "Hebt u dit niet zelf gedaan, neem dan contact op met {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Uw account bij {{{organisation}}} wordt verwijderd",
            event:
                "Uw account bij {{{organisation}}} wordt over {{days}} dag{{^oneDay}}en{{/oneDay}} verwijderd. Wilt u het behouden, meld u dan vóór die tijd aan en kies ervoor het account te behouden.",
            unasked: "Hebt u dit niet zelf gedaan, meld u dan aan, behoud het account en kies een nieuw wachtwoord."),
        passwordChanged: Notice(
            subject: "Uw wachtwoord voor {{{organisation}}} is gewijzigd",
            event: "Het wachtwoord van uw account bij {{{organisation}}} is gewijzigd."),
        methodRegistered: Notice(
            subject: "Er is een verificatiemethode toegevoegd aan uw account bij {{{organisation}}}",
            event: "Aan uw account bij {{{organisation}}} is een e-mailadres als verificatiemethode toegevoegd."),
        methodRemoved: Notice(
            subject: "Er is een verificatiemethode verwijderd uit uw account bij {{{organisation}}}",
            event: "Een e-mailadres is geen verificatiemethode meer voor uw account bij {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "Een verificatiemethode van uw account bij {{{organisation}}} is opgeschort",
            event:
                "Uw wachtwoord bij {{{organisation}}} is opnieuw ingesteld. Een e-mailadres dat onlangs is toegevoegd, kan een dag lang niet als verificatiemethode worden gebruikt."
        ),
        methodReactivated: Notice(
            subject: "Een verificatiemethode van uw account bij {{{organisation}}} is weer in gebruik",
            event: "Een opgeschort e-mailadres is gebruikt als verificatiemethode bij {{{organisation}}}."),
        methodFirstUsed: Notice(
            subject: "Een nieuwe verificatiemethode van uw account bij {{{organisation}}} is gebruikt",
            event: "Een e-mailadres is voor het eerst gebruikt als verificatiemethode bij {{{organisation}}}."),
        passkeySuspect: Notice(
            subject: "Een passkey van uw account bij {{{organisation}}} antwoordde ongewoon",
            event:
                "Een passkey van uw account bij {{{organisation}}} antwoordde anders dan voorheen: de passkey is mogelijk gekopieerd of heeft geen back-up meer.",
            unasked:
                "Als u dit niet kunt verklaren, verwijder dan de passkey uit uw account en voeg een nieuwe toe."),
        recoveryCodeUsed: Notice(
            subject: "Er is een herstelcode van uw account bij {{{organisation}}} gebruikt",
            event: "Er is een herstelcode gebruikt om u aan te melden bij uw account bij {{{organisation}}}."),
        accountExists: Notice(
            subject: "U hebt al een account bij {{{organisation}}}",
            event:
                "Iemand, misschien uzelf, heeft met dit e-mailadres om een nieuw account bij {{{organisation}}} gevraagd. Voor dit adres is er al een account. Meld u aan; bent u uw wachtwoord vergeten, stel het dan opnieuw in.",
            unasked: "Hebt u dit niet zelf gedaan, dan hoeft u niets te doen: uw account is niet gewijzigd."),
        signInLocked: Notice(
            subject: "Iemand probeert zich aan te melden bij uw account bij {{{organisation}}}",
            event:
                "Er zijn veel verkeerde wachtwoorden geprobeerd voor uw account bij {{{organisation}}}. Aanmelden met een wachtwoord is een tijdlang geblokkeerd; met een nieuw wachtwoord heft u de blokkering meteen op.",
            unasked:
                "Ook als u dit niet zelf hebt gedaan, is uw account beschermd. Gebruik hier een wachtwoord dat u nergens anders gebruikt."
        ),
        signedInAfterFailures: Notice(
            subject: "Er is aangemeld bij uw account bij {{{organisation}}} na veel verkeerde wachtwoorden",
            event:
                "Na veel verkeerde wachtwoorden is het juiste wachtwoord van uw account bij {{{organisation}}} opgegeven."
        ),
        methodLabel: "E-mailadres",
        authenticatorApp: "Authenticator-app",
        passkey: "Passkey",
        recoveryCodes: "Herstelcodes",
        recoveryCodesLeft: "Resterende herstelcodes",
        timeLabel: "Tijdstip",
        networkLabel: "Netwerk")
}
