// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let swedish = MailPhrases(
        codeSubject: "Din verifieringskod för {{{organisation}}}",
        signUp: "Använd den här koden för att skapa ditt konto hos {{{organisation}}}.",
        signIn: "Använd den här koden för att logga in hos {{{organisation}}}.",
        passwordReset: "Använd den här koden för att välja ett nytt lösenord till ditt konto hos {{{organisation}}}.",
        secondFactor: "Använd den här koden för att bekräfta att det är du som loggar in hos {{{organisation}}}.",
        registration:
            "Använd den här koden för att lägga till den här e-postadressen som verifieringsmetod för ditt konto hos {{{organisation}}}.",
        accountChange: "Använd den här koden för att bekräfta en ändring av ditt konto hos {{{organisation}}}.",
        emailChange:
            "Använd den här koden för att göra detta till e-postadressen för ditt konto hos {{{organisation}}}.",
        label: "Din kod:",
        validity: "Den gäller i {{minutes}} minut{{^single}}er{{/single}}.",
        validityInDays: "Den gäller i {{days}} dagar.",
        secrecy: "Dela inte den här koden med någon. {{{organisation}}} kommer aldrig att be dig om den.",
        notAsked: "Om du inte har bett om den här koden kan du bortse från det här meddelandet.",
        notMe: "Om det inte var du, välj genast ett nytt lösenord och meddela {{{organisation}}}.",
        emailChanged: Notice(
            subject: "E-postadressen för ditt konto hos {{{organisation}}} har ändrats",
            event:
                "Ditt konto hos {{{organisation}}} har nu en annan e-postadress. Koden nedan ångrar ändringen och loggar ut alla enheter.",
            unasked: "Om du har gjort ändringen kan du bortse från det här meddelandet."),
        emailChangeUndone: Notice(
            subject: "Ditt konto hos {{{organisation}}} har sin gamla e-postadress igen",
            event:
                "Ändringen av e-postadressen för ditt konto hos {{{organisation}}} har ångrats. Alla enheter är utloggade.",
            unasked: "Välj genast ett nytt lösenord: någon annan kanske känner till det gamla."),
        emailReplaced: Notice(
            subject: "E-postadressen för ditt konto hos {{{organisation}}} har ändrats",
            event: "{{{organisation}}} har gett ditt konto en annan e-postadress och loggat ut alla enheter.",
            unasked: "Om du inte har bett om den här ändringen, meddela {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Välj ett nytt lösenord till {{{organisation}}}",
            event:
                "{{{organisation}}} har gjort lösenordet till ditt konto ogiltigt och loggat ut alla enheter. För att logga in igen öppnar du appen och väljer ett nytt lösenord, som om du hade glömt det gamla.",
            unasked: "Om du har frågor om detta, kontakta {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Ditt konto hos {{{organisation}}} har raderats",
            event: "Ditt konto hos {{{organisation}}} och alla uppgifter i det har raderats.",
            unasked: "Om det inte var du, meddela {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Ditt konto hos {{{organisation}}} kommer att raderas",
            event:
                "Ditt konto hos {{{organisation}}} raderas om {{days}} dag{{^oneDay}}ar{{/oneDay}}. Om du vill behålla det loggar du in innan dess och väljer att behålla kontot.",
            unasked: "Om det inte var du, logga in, behåll kontot och välj ett nytt lösenord."),
        passwordChanged: Notice(
            subject: "Ditt lösenord till {{{organisation}}} har ändrats",
            event: "Lösenordet till ditt konto hos {{{organisation}}} har ändrats."),
        methodRegistered: Notice(
            subject: "En verifieringsmetod har lagts till för ditt konto hos {{{organisation}}}",
            event: "En e-postadress har lagts till som verifieringsmetod för ditt konto hos {{{organisation}}}."),
        methodRemoved: Notice(
            subject: "En verifieringsmetod har tagits bort från ditt konto hos {{{organisation}}}",
            event: "En e-postadress är inte längre en verifieringsmetod för ditt konto hos {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "En verifieringsmetod för ditt konto hos {{{organisation}}} är tillfälligt avstängd",
            event:
                "Ditt lösenord hos {{{organisation}}} har återställts. En e-postadress som nyligen lagts till kan inte användas som verifieringsmetod under ett dygn."
        ),
        methodReactivated: Notice(
            subject: "En verifieringsmetod för ditt konto hos {{{organisation}}} används igen",
            event:
                "En e-postadress som var tillfälligt avstängd har använts som verifieringsmetod hos {{{organisation}}}."
        ),
        methodFirstUsed: Notice(
            subject: "En ny verifieringsmetod för ditt konto hos {{{organisation}}} har använts",
            event: "En e-postadress har för första gången använts som verifieringsmetod hos {{{organisation}}}."),
        passkeySuspect: Notice(
            subject: "En nyckel till ditt konto hos {{{organisation}}} svarade ovanligt",
            event:
                "En nyckel till ditt konto hos {{{organisation}}} svarade annorlunda än tidigare: den kan ha kopierats eller saknar nu säkerhetskopia.",
            unasked:
                "Om du inte kan förklara detta tar du bort nyckeln från ditt konto och lägger till en ny."),
        recoveryCodeUsed: Notice(
            subject: "En återställningskod för ditt konto hos {{{organisation}}} har använts",
            event: "En återställningskod har använts för att logga in på ditt konto hos {{{organisation}}}."),
        accountExists: Notice(
            subject: "Du har redan ett konto hos {{{organisation}}}",
            event:
                "Någon, kanske du, har bett om ett nytt konto hos {{{organisation}}} med den här e-postadressen. Adressen har redan ett konto: logga in, eller återställ ditt lösenord om du har glömt det.",
            unasked: "Om det inte var du behöver du inte göra något: ditt konto är som det var."),
        signInLocked: Notice(
            subject: "Någon försöker logga in på ditt konto hos {{{organisation}}}",
            event:
                "Många felaktiga lösenord har prövats för ditt konto hos {{{organisation}}}. Inloggning med lösenord är spärrad en stund; ett nytt lösenord häver spärren genast.",
            unasked:
                "Om det inte var du är ditt konto skyddat. Använd här ett lösenord som du inte använder någon annanstans."
        ),
        signedInAfterFailures: Notice(
            subject: "Inloggning på ditt konto hos {{{organisation}}} efter många felaktiga lösenord",
            event: "Rätt lösenord till ditt konto hos {{{organisation}}} angavs efter många felaktiga."),
        methodLabel: "E-postadress",
        authenticatorApp: "Autentiseringsapp",
        passkey: "Passkey",
        recoveryCodes: "Återställningskoder",
        recoveryCodesLeft: "Återställningskoder kvar",
        timeLabel: "Tidpunkt",
        networkLabel: "Nätverk")
}
