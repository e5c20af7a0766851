// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let danish = MailPhrases(
        codeSubject: "Din bekræftelseskode til {{{organisation}}}",
        signUp: "Brug denne kode til at oprette din konto hos {{{organisation}}}.",
        signIn: "Brug denne kode til at logge på hos {{{organisation}}}.",
        passwordReset: "Brug denne kode til at vælge en ny adgangskode til din konto hos {{{organisation}}}.",
        secondFactor: "Brug denne kode til at bekræfte, at det er dig, der logger på hos {{{organisation}}}.",
        registration:
            "Brug denne kode til at knytte denne e-mailadresse til din konto hos {{{organisation}}} som bekræftelsesmetode.",
        accountChange: "Brug denne kode til at bekræfte en ændring af din konto hos {{{organisation}}}.",
        emailChange: "Brug denne kode til at gøre dette til e-mailadressen for din konto hos {{{organisation}}}.",
        label: "Din kode:",
        validity: "Den gælder i {{minutes}} minut{{^single}}ter{{/single}}.",
        validityInDays: "Den gælder i {{days}} dage.",
        secrecy: "Del ikke koden med nogen. Ingen hos {{{organisation}}} vil bede dig om den.",
        notAsked: "Hvis du ikke har bedt om koden, kan du se bort fra denne besked.",
        notMe: "Hvis det ikke var dig, skal du straks vælge en ny adgangskode og kontakte {{{organisation}}}.",
        emailChanged: Notice(
            subject: "E-mailadressen for din konto hos {{{organisation}}} er ændret",
            event:
                "Din konto hos {{{organisation}}} har nu en anden e-mailadresse. Koden herunder annullerer ændringen og logger alle enheder af.",
            unasked: "Hvis du selv har foretaget ændringen, kan du se bort fra denne besked."),
        emailChangeUndone: Notice(
            subject: "Din konto hos {{{organisation}}} har igen sin gamle e-mailadresse",
            event:
                "Ændringen af e-mailadressen for din konto hos {{{organisation}}} er annulleret. Alle enheder er logget af.",
            unasked: "Vælg straks en ny adgangskode: En anden kender måske den gamle."),
        emailReplaced: Notice(
            subject: "E-mailadressen for din konto hos {{{organisation}}} er ændret",
            event: "{{{organisation}}} har givet din konto en anden e-mailadresse og logget alle enheder af.",
            unasked: "Hvis du ikke har bedt om det, skal du kontakte {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Vælg en ny adgangskode til {{{organisation}}}",
            event:
                "{{{organisation}}} har gjort din adgangskode ugyldig og logget alle enheder af. For at logge på igen skal du åbne appen og vælge en ny adgangskode, som om du havde glemt den gamle.",
            unasked: "Har du spørgsmål til dette, kan du kontakte {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Din konto hos {{{organisation}}} er slettet",
            event: "Din konto hos {{{organisation}}} og dens data er slettet.",
            unasked: "Hvis det ikke var dig, skal du kontakte {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Din konto hos {{{organisation}}} bliver slettet",
            event:
                "Din konto hos {{{organisation}}} bliver slettet om {{days}} dag{{^oneDay}}e{{/oneDay}}. Hvis du vil beholde den, skal du logge på inden da og vælge at beholde kontoen.",
            unasked: "Hvis det ikke var dig, skal du logge på, beholde kontoen og vælge en ny adgangskode."),
        passwordChanged: Notice(
            subject: "Din adgangskode til {{{organisation}}} er ændret",
            event: "Adgangskoden til din konto hos {{{organisation}}} er blevet ændret."),
        methodRegistered: Notice(
            subject: "Der er tilføjet en bekræftelsesmetode til din konto hos {{{organisation}}}",
            event: "En e-mailadresse er blevet knyttet til din konto hos {{{organisation}}} som bekræftelsesmetode."),
        methodRemoved: Notice(
            subject: "En bekræftelsesmetode er fjernet fra din konto hos {{{organisation}}}",
            event: "En e-mailadresse er ikke længere bekræftelsesmetode for din konto hos {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "En bekræftelsesmetode for din konto hos {{{organisation}}} er sat på pause",
            event:
                "Din adgangskode hos {{{organisation}}} er nulstillet. En e-mailadresse, der er tilføjet for nylig, kan ikke bruges som bekræftelsesmetode det næste døgn."
        ),
        methodReactivated: Notice(
            subject: "En bekræftelsesmetode for din konto hos {{{organisation}}} er i brug igen",
            event: "En e-mailadresse, der var sat på pause, er brugt som bekræftelsesmetode hos {{{organisation}}}."),
        methodFirstUsed: Notice(
            subject: "En ny bekræftelsesmetode for din konto hos {{{organisation}}} er brugt",
            event: "En e-mailadresse er for første gang brugt som bekræftelsesmetode hos {{{organisation}}}."),
        passkeySuspect: Notice(
            subject: "En adgangsnøgle til din konto hos {{{organisation}}} svarede usædvanligt",
            event:
                "En adgangsnøgle til din konto hos {{{organisation}}} svarede anderledes end før: Den kan være kopieret, eller den har ikke længere en sikkerhedskopi.",
            unasked:
                "Hvis du ikke kan forklare det, skal du fjerne adgangsnøglen fra din konto og tilføje en ny."),
        recoveryCodeUsed: Notice(
            subject: "En gendannelseskode til din konto hos {{{organisation}}} er brugt",
            event: "En gendannelseskode er brugt til at logge ind på din konto hos {{{organisation}}}."),
        accountExists: Notice(
            subject: "Du har allerede en konto hos {{{organisation}}}",
            event:
                "Nogen, måske dig, har bedt om en ny konto hos {{{organisation}}} med denne e-mailadresse. Adressen har allerede en konto: Log på, eller nulstil adgangskoden, hvis du har glemt den.",
            unasked: "Hvis det ikke var dig, behøver du ikke at gøre noget: Din konto er, som den var."),
        signInLocked: Notice(
            subject: "Nogen forsøger at logge på din konto hos {{{organisation}}}",
            event:
                "Der er prøvet mange forkerte adgangskoder til din konto hos {{{organisation}}}. Pålogning med adgangskode er spærret i et stykke tid; en ny adgangskode ophæver spærringen med det samme.",
            unasked:
                "Hvis det ikke var dig, er din konto beskyttet. Brug her en adgangskode, som du ikke bruger andre steder."
        ),
        signedInAfterFailures: Notice(
            subject: "Der er logget på din konto hos {{{organisation}}} efter mange forkerte adgangskoder",
            event: "Den rigtige adgangskode til din konto hos {{{organisation}}} er indtastet efter mange forkerte."),
        methodLabel: "E-mailadresse",
        authenticatorApp: "Godkendelsesapp",
        passkey: "Adgangsnøgle",
        recoveryCodes: "Gendannelseskoder",
        recoveryCodesLeft: "Gendannelseskoder tilbage",
        timeLabel: "Tidspunkt",
        networkLabel: "Netværk")
}
