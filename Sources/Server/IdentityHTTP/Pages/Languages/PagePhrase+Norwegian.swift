import IdentityEngine

extension PagePhrase {
    var norwegian: String {
        switch self {
        case .signIn: "Logg på"
        case .createAccount: "Opprett kontoen din"
        case .enterPassword: "Skriv inn passordet"
        case .enterCode: "Sjekk e-posten din"
        case .choosePassword: "Velg et passord"
        case .chooseNewPassword: "Velg et nytt passord"
        case .aboutYou: "Om deg"
        case .chooseMethod: "Ett steg til"
        case .addMailbox: "Legg til en ekstra e-postadresse"
        case .cannotGoOn: "Vi kan ikke fortsette"
        case .tookTooLong: "Dette tok for lang tid"
        case .needsCookies: "Tillat informasjonskapsler"
        case .begunElsewhere: "Startet et annet sted"
        case .signedIn: "Du er logget på"
        case .movingOn: "Et øyeblikk"
        case .signOut: "Logge av?"
        case .signedOut: "Du er logget av"
        case .busy: "Prøv igjen om litt"
        case .continueTo(let app): "Fortsett til \(app)"
        case .toApp(let app): "for å fortsette til \(app)"
        case .codeSent(let address): "Vi har sendt en kode til \(address)."
        case .codeIsValid: "Den er gyldig i ti minutter. Hvis du ikke ser den, kan du se i mappen for søppelpost."
        case .signedInAs(let name): "Du er logget på som \(name)."
        case .whyMailbox:
            "Denne appen krever en ekstra bekreftelse. Når du logger på, sender vi koder til denne adressen."
        case .whyMethod: "Denne appen krever en ekstra bekreftelse. Hvor kan vi sende en kode?"
        case .wantsAccess(let app): "\(app) tilhører en annen organisasjon. Appen ber om lov til å:"
        case .scopeOpenID: "vite at du er den samme brukeren når du kommer tilbake"
        case .scopeProfile: "se navnet ditt"
        case .scopeEmail: "se e-postadressen din"
        case .scopeOffline: "forbli tilkoblet når du er borte"
        case .scopeOther(let name): "bruke \(name)"
        case .allow: "Tillat"
        case .decline: "Ikke tillat"
        case .passwordRules: "Minst 8 tegn, med tre av disse: små bokstaver, store bokstaver, tall, andre tegn."
        case .cookiesHelp:
            "Nettleseren din avviser informasjonskapselen som trengs for å logge på. Tillat informasjonskapsler for denne adressen, og prøv igjen."
        case .begunElsewhereHelp:
            "Påloggingen ble ikke startet i denne nettleseren, eller informasjonskapslene er slettet. Gå tilbake til appen og begynn på nytt."
        case .wrongAddressHelp:
            "Vi kjenner ikke appen som sendte deg hit, eller vi kan ikke svare på det den ba om. Gå tilbake og prøv igjen. Hvis det skjer igjen, må du si fra til dem som har laget appen."
        case .policyHelp: "Kontoen din kan ikke gi bekreftelsen som appen krever."
        case .overHelp: "Denne påloggingen er avsluttet. Du kan begynne på nytt."
        case .mayCloseWindow(let app): "Gå tilbake til \(app). Du kan lukke dette vinduet."
        case .movingOnHelp(let app): "Vi sender deg tilbake til \(app)."
        case .busyHelp: "Serveren kan ikke svare nå. Det du har skrevet, er ikke tapt: Send skjemaet på nytt om litt."
        case .signOutHelp(let tenant): "Du blir logget av hos \(tenant) i denne nettleseren."
        case .signedOutHelp: "Du kan lukke dette vinduet."
        case .requestNumber(let number): "Nummeret på forespørselen: \(number)"
        case .email: "E-postadresse"
        case .emailOrName: "E-postadresse eller brukernavn"
        case .password: "Passord"
        case .newPassword: "Nytt passord"
        case .showPassword: "Vis passord"
        case .code: "Kode"
        case .staySignedIn: "Forbli pålogget på denne enheten"
        case .optional: "valgfritt"
        case .attribute(let name): attribute(name)
        case .next: "Neste"
        case .signInButton: "Logg på"
        case .signOutButton: "Logg av"
        case .cancel: "Avbryt"
        case .sendAgain: "Send en ny kode"
        case .forgotPassword: "Glemt passordet?"
        case .otherAccount: "Bruk en annen konto"
        case .goOn: "Fortsett"
        case .haveAccount: "Jeg har en konto"
        case .noAccount: "Opprett en konto"
        case .startAgain: "Begynn på nytt"
        case .backToApp(let app): "Tilbake til \(app)"
        case .wrongCode: "Koden er ikke riktig. Sjekk den, eller be om en ny."
        case .oldCode: "Koden er for gammel. Be om en ny."
        case .wait(let seconds): "For mange forsøk. Vent \(time(seconds, inSeconds, inMinutes)), og prøv igjen."
        case .locked(let minutes):
            "For mange feil passord er skrevet inn. Vent \(inMinutes(minutes)), eller tilbakestill passordet."
        case .wrongPassword: "Passordet er ikke riktig."
        case .unknownUser: "Det finnes ingen konto med dette navnet. Sjekk det, eller opprett en konto."
        case .userExists: "Det finnes allerede en konto med denne adressen. Logg på i stedet."
        case .disabledAccount: "Denne kontoen kan ikke brukes."
        case .badEmail: "Skriv inn en e-postadresse, for eksempel navn@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Passordet er for kort: Det må ha minst 8 tegn."
            case .tooLong: "Passordet er for langt: Det kan ha høyst 256 tegn."
            case .tooWeak: "Bruk tre av disse: små bokstaver, store bokstaver, tall, andre tegn."
            case .banned: "Passordet er lett å gjette. Velg et annet."
            case .recentlyUsed: "Dette er det nåværende passordet ditt. Velg et annet."
            case .invalid: "Passordet har et tegn som ikke kan brukes."
            }
        case .mailboxRefuses: "E-postserveren for denne adressen avviser e-postene våre. Bruk en annen adresse."
        case .blockedContact: "Denne adressen kan ikke legges til nå. Bruk først adressen til kontoen din."
        case .badAttributes: "Noen av svarene kan ikke brukes. Sjekk dem."
        case .badField(let name): "Sjekk dette: \(attribute(name))."
        case .missing: "Fyll ut dette feltet."
        case .alreadyDone: "Det steget er allerede gjort. Fortsett her."
        case .codeSentAgain: "Hvis den forrige koden er mer enn ett minutt gammel, er en ny på vei."
        case .signUpClosed: "Denne appen lar ikke nye brukere opprette konto."
        case .noPassword: "Denne kontoen har ikke noe passord. Logg på med en kode."
        case .text(let text): text
        case .deviceTitle: "Koble til en enhet"
        case .deviceHelp: "Skriv inn koden som TV-en, kommandolinjen eller en annen enhet viser."
        case .wrongDeviceCode: "Koden er ikke riktig, eller den er for gammel. Sjekk den, eller få en ny på enheten."
        case .deviceAllowTitle(let app): "Logge inn på \(app) på en annen enhet?"
        case .deviceAsks(let app, let code):
            "En enhet som viser koden \(code), ber om å bruke \(app) med kontoen din."
        case .deviceSince(let minutes): "Minutter siden enheten spurte: \(minutes)"
        case .deviceSameNetwork: "Enheten er på samme nettverk som denne nettleseren."
        case .deviceOtherNetwork: "Enheten er på et annet nettverk enn denne nettleseren."
        case .deviceWarning:
            "Startet du dette selv, og ser du koden på din egen enhet nå? Hvis en annen person ga deg koden, velg «Avbryt»: den personen ville komme inn på kontoen din."
        case .deviceAllowed: "Gå tilbake til enheten din"
        case .deviceDeclined: "Enheten er ikke logget inn"
        case .errorPrefix: "Feil"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Navn"
        case "givenName": "Fornavn"
        case "surname": "Etternavn"
        case "jobTitle": "Stilling"
        case "country": "Land"
        case "state": "Fylke"
        case "city": "Poststed"
        case "streetAddress": "Gateadresse"
        case "postalCode": "Postnummer"
        case "preferredLanguage": "Språk"
        case AttributeDefinition.aliasName: "Brukernavn"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "ett sekund" : "\(count) sekunder"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "ett minutt" : "\(count) minutter"
    }
}
