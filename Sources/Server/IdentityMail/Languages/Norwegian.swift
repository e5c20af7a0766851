// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let norwegian = MailPhrases(
        codeSubject: "Bekreftelseskoden din for {{{organisation}}}",
        signUp: "Bruk denne koden til å opprette kontoen din hos {{{organisation}}}.",
        signIn: "Bruk denne koden til å logge på hos {{{organisation}}}.",
        passwordReset: "Bruk denne koden til å velge et nytt passord for kontoen din hos {{{organisation}}}.",
        secondFactor: "Bruk denne koden til å bekrefte at det er du som logger på hos {{{organisation}}}.",
        registration:
            "Bruk denne koden til å legge til denne e-postadressen som bekreftelsesmetode for kontoen din hos {{{organisation}}}.",
        accountChange: "Bruk denne koden til å bekrefte en endring av kontoen din hos {{{organisation}}}.",
        emailChange: "Bruk denne koden til å gjøre dette til e-postadressen for kontoen din hos {{{organisation}}}.",
        label: "Koden din:",
        validity: "Den er gyldig i {{minutes}} minutt{{^single}}er{{/single}}.",
        validityInDays: "Den er gyldig i {{days}} dager.",
        secrecy: "Ikke del denne koden med noen. {{{organisation}}} vil aldri be deg om den.",
        notAsked: "Hvis du ikke har bedt om denne koden, kan du se bort fra denne meldingen.",
        notMe: "Hvis dette ikke var deg, må du velge et nytt passord med en gang og si fra til {{{organisation}}}.",
        emailChanged: Notice(
            subject: "E-postadressen for kontoen din hos {{{organisation}}} er endret",
            event:
                "Kontoen din hos {{{organisation}}} har nå en annen e-postadresse. Koden nedenfor angrer endringen og logger av alle enheter.",
            unasked: "Hvis du har gjort denne endringen, kan du se bort fra denne meldingen."),
        emailChangeUndone: Notice(
            subject: "Kontoen din hos {{{organisation}}} har fått tilbake den gamle e-postadressen",
            event:
                "Endringen av e-postadressen for kontoen din hos {{{organisation}}} er angret. Alle enheter er logget av.",
            unasked: "Velg et nytt passord med en gang: En annen person kan kjenne det gamle."),
        emailReplaced: Notice(
            subject: "E-postadressen for kontoen din hos {{{organisation}}} er endret",
            event: "{{{organisation}}} har gitt kontoen din en annen e-postadresse og logget av alle enheter.",
            unasked: "Hvis du ikke har bedt om denne endringen, må du si fra til {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Velg et nytt passord for {{{organisation}}}",
            event:
                "{{{organisation}}} har gjort passordet for kontoen din ugyldig og logget av alle enheter. For å logge på igjen åpner du appen og velger et nytt passord, som om du hadde glemt det gamle.",
            unasked: "Hvis du har spørsmål om dette, kan du kontakte {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Kontoen din hos {{{organisation}}} er slettet",
            event: "Kontoen din hos {{{organisation}}} og dataene i den er slettet.",
            unasked: "Hvis dette ikke var deg, må du si fra til {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Kontoen din hos {{{organisation}}} blir slettet",
            event:
                "Kontoen din hos {{{organisation}}} blir slettet om {{days}} dag{{^oneDay}}er{{/oneDay}}. Hvis du vil beholde den, må du logge på før det og velge å beholde kontoen.",
            unasked: "Hvis dette ikke var deg, må du logge på, beholde kontoen og velge et nytt passord."),
        passwordChanged: Notice(
            subject: "Passordet ditt for {{{organisation}}} er endret",
            event: "Passordet for kontoen din hos {{{organisation}}} er endret."),
        methodRegistered: Notice(
            subject: "En bekreftelsesmetode er lagt til for kontoen din hos {{{organisation}}}",
            event: "En e-postadresse er lagt til som bekreftelsesmetode for kontoen din hos {{{organisation}}}."),
        methodRemoved: Notice(
            subject: "En bekreftelsesmetode er fjernet fra kontoen din hos {{{organisation}}}",
            event: "En e-postadresse er ikke lenger en bekreftelsesmetode for kontoen din hos {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "En bekreftelsesmetode for kontoen din hos {{{organisation}}} er midlertidig sperret",
            event:
                "Passordet ditt hos {{{organisation}}} er tilbakestilt. En e-postadresse som nylig er lagt til, kan ikke brukes som bekreftelsesmetode det neste døgnet."
        ),
        methodReactivated: Notice(
            subject: "En bekreftelsesmetode for kontoen din hos {{{organisation}}} er i bruk igjen",
            event:
                "En e-postadresse som var midlertidig sperret, er brukt som bekreftelsesmetode hos {{{organisation}}}."),
        methodFirstUsed: Notice(
            subject: "En ny bekreftelsesmetode for kontoen din hos {{{organisation}}} er brukt",
            event: "En e-postadresse er brukt som bekreftelsesmetode hos {{{organisation}}} for første gang."),
        passkeySuspect: Notice(
            subject: "En passnøkkel for kontoen din hos {{{organisation}}} svarte uvanlig",
            event:
                "En passnøkkel for kontoen din hos {{{organisation}}} svarte annerledes enn før: Den kan være kopiert, eller den har ikke lenger en sikkerhetskopi.",
            unasked:
                "Hvis du ikke kan forklare dette, fjerner du passnøkkelen fra kontoen din og legger til en ny."),
        recoveryCodeUsed: Notice(
            subject: "En gjenopprettingskode for kontoen din hos {{{organisation}}} er brukt",
            event: "En gjenopprettingskode er brukt til å logge på kontoen din hos {{{organisation}}}."),
        accountExists: Notice(
            subject: "Du har allerede en konto hos {{{organisation}}}",
            event:
                "Noen, kanskje du, har bedt om en ny konto hos {{{organisation}}} med denne e-postadressen. Denne adressen har allerede en konto: Logg på, eller tilbakestill passordet hvis du har glemt det.",
            unasked: "Hvis dette ikke var deg, trenger du ikke å gjøre noe: Kontoen din er som den var."),
        signInLocked: Notice(
            subject: "Noen prøver å logge på kontoen din hos {{{organisation}}}",
            event:
                "Mange feil passord er prøvd for kontoen din hos {{{organisation}}}. Pålogging med passord er blokkert en stund; et nytt passord opphever blokkeringen med en gang.",
            unasked:
                "Hvis dette ikke var deg, er kontoen din beskyttet. Bruk et passord her som du ikke bruker noe annet sted."
        ),
        signedInAfterFailures: Notice(
            subject: "Pålogging til kontoen din hos {{{organisation}}} etter mange feil passord",
            event: "Det riktige passordet for kontoen din hos {{{organisation}}} ble oppgitt etter mange feil passord."),
        methodLabel: "E-postadresse",
        authenticatorApp: "Autentiseringsapp",
        passkey: "Passnøkkel",
        recoveryCodes: "Gjenopprettingskoder",
        recoveryCodesLeft: "Gjenopprettingskoder igjen",
        timeLabel: "Tidspunkt",
        networkLabel: "Nettverk")
}
