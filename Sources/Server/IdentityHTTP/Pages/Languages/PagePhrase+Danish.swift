import IdentityEngine

extension PagePhrase {
    var danish: String {
        switch self {
        case .signIn: "Log på"
        case .createAccount: "Opret din konto"
        case .enterPassword: "Indtast din adgangskode"
        case .enterCode: "Tjek din mail"
        case .choosePassword: "Vælg en adgangskode"
        case .chooseNewPassword: "Vælg en ny adgangskode"
        case .aboutYou: "Om dig"
        case .chooseMethod: "Et trin mere"
        case .addMailbox: "Tilføj endnu en e-mailadresse"
        case .cannotGoOn: "Vi kan ikke fortsætte"
        case .tookTooLong: "Det tog for lang tid"
        case .needsCookies: "Tillad cookies"
        case .begunElsewhere: "Det begyndte et andet sted"
        case .signedIn: "Du er logget på"
        case .movingOn: "Et øjeblik"
        case .signOut: "Log af?"
        case .signedOut: "Du er logget af"
        case .busy: "Prøv igen om lidt"
        case .continueTo(let app): "Fortsæt til \(app)"
        case .toApp(let app): "for at fortsætte til \(app)"
        case .codeSent(let address): "Vi har sendt en kode til \(address)."
        case .codeIsValid: "Den gælder i ti minutter. Hvis du ikke kan se den, så kig i mappen med spam."
        case .signedInAs(let name): "Du er logget på som \(name)."
        case .whyMailbox: "Denne app kræver en ekstra bekræftelse. Når du logger på, sender vi koder til denne adresse."
        case .whyMethod: "Denne app kræver en ekstra bekræftelse. Hvor må vi sende en kode hen?"
        case .wantsAccess(let app): "\(app) tilhører en anden organisation. Appen beder om lov til at:"
        case .scopeOpenID: "vide, at du er den samme bruger, når du kommer tilbage"
        case .scopeProfile: "se dit navn"
        case .scopeEmail: "se din e-mailadresse"
        case .scopeOffline: "forblive forbundet, når du er væk"
        case .scopeOther(let name): "bruge \(name)"
        case .allow: "Tillad"
        case .decline: "Tillad ikke"
        case .passwordRules: "Mindst 8 tegn med tre af disse: små bogstaver, store bogstaver, tal, andre tegn."
        case .cookiesHelp:
            "Din browser afviser den cookie, som pålogningen kræver. Tillad cookies for denne adresse, og prøv igen."
        case .begunElsewhereHelp:
            "Pålogningen er ikke begyndt i denne browser, eller browserens cookies er slettet. Gå tilbage til appen, og begynd forfra."
        case .wrongAddressHelp:
            "Vi kender ikke den app, der sendte dig hertil, eller vi kan ikke besvare det, den spurgte om. Gå tilbage, og prøv igen. Hvis det sker igen, så skriv til dem, der har lavet appen."
        case .policyHelp: "Din konto kan ikke give den bekræftelse, som appen kræver."
        case .overHelp: "Denne pålogning er slut. Du kan begynde forfra."
        case .mayCloseWindow(let app): "Gå tilbage til \(app). Du kan lukke dette vindue."
        case .movingOnHelp(let app): "Vi sender dig tilbage til \(app)."
        case .busyHelp:
            "Serveren kan ikke svare lige nu. Det, du har skrevet, er ikke tabt: Send formularen igen om lidt."
        case .signOutHelp(let tenant): "Du bliver logget af hos \(tenant) i denne browser."
        case .signedOutHelp: "Du kan lukke dette vindue."
        case .requestNumber(let number): "Forespørgslens nummer: \(number)"
        case .email: "E-mailadresse"
        case .emailOrName: "E-mailadresse eller brugernavn"
        case .password: "Adgangskode"
        case .newPassword: "Ny adgangskode"
        case .showPassword: "Vis adgangskode"
        case .code: "Kode"
        case .staySignedIn: "Husk mig på denne enhed"
        case .optional: "valgfrit"
        case .attribute(let name): attribute(name)
        case .next: "Næste"
        case .signInButton: "Log på"
        case .signOutButton: "Log af"
        case .cancel: "Annuller"
        case .sendAgain: "Send en ny kode"
        case .forgotPassword: "Glemt adgangskoden?"
        case .otherAccount: "Brug en anden konto"
        case .goOn: "Fortsæt"
        case .haveAccount: "Jeg har en konto"
        case .noAccount: "Opret en konto"
        case .startAgain: "Begynd forfra"
        case .backToApp(let app): "Tilbage til \(app)"
        case .wrongCode: "Koden er ikke rigtig. Tjek den, eller bed om en ny."
        case .oldCode: "Koden er for gammel. Bed om en ny."
        case .wait(let seconds): "For mange forsøg. Vent \(time(seconds, inSeconds, inMinutes)), og prøv igen."
        case .locked(let minutes):
            "Der er indtastet for mange forkerte adgangskoder. Vent \(inMinutes(minutes)), eller nulstil adgangskoden."
        case .wrongPassword: "Adgangskoden er ikke rigtig."
        case .unknownUser: "Der er ingen konto med dette navn. Tjek det, eller opret en konto."
        case .userExists: "Der er allerede en konto med denne adresse. Log på i stedet."
        case .disabledAccount: "Denne konto kan ikke bruges."
        case .badEmail: "Indtast en e-mailadresse, f.eks. navn@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Adgangskoden er for kort: Den skal have mindst 8 tegn."
            case .tooLong: "Adgangskoden er for lang: Den må højst have 256 tegn."
            case .tooWeak: "Brug tre af disse: små bogstaver, store bogstaver, tal, andre tegn."
            case .banned: "Adgangskoden er let at gætte. Vælg en anden."
            case .recentlyUsed: "Det er din nuværende adgangskode. Vælg en anden."
            case .invalid: "Adgangskoden har et tegn, som ikke kan bruges."
            }
        case .mailboxRefuses: "Adressens mailserver afviser vores mails. Brug en anden adresse."
        case .blockedContact: "Denne adresse kan ikke tilføjes nu. Brug først din kontos egen adresse."
        case .badAttributes: "Nogle svar kan ikke bruges. Tjek dem."
        case .badField(let name): "Tjek dette: \(attribute(name))."
        case .missing: "Udfyld dette felt."
        case .alreadyDone: "Det trin er allerede klaret. Fortsæt her."
        case .codeSentAgain: "Hvis den seneste kode er mere end et minut gammel, er en ny på vej."
        case .signUpClosed: "Denne app lader ikke nye brugere oprette en konto."
        case .noPassword: "Denne konto har ingen adgangskode. Log på med en kode."
        case .text(let text): text
        case .deviceTitle: "Tilslut en enhed"
        case .deviceHelp: "Skriv den kode, som dit fjernsyn, din kommandolinje eller en anden enhed viser."
        case .wrongDeviceCode: "Koden er ikke rigtig, eller den er for gammel. Se efter, eller få en ny på enheden."
        case .deviceAllowTitle(let app): "Log ind på \(app) på en anden enhed?"
        case .deviceAsks(let app, let code): "En enhed, der viser koden \(code), vil bruge \(app) med din konto."
        case .deviceSince(let minutes): "Minutter siden enheden spurgte: \(minutes)"
        case .deviceSameNetwork: "Enheden er på samme netværk som denne browser."
        case .deviceOtherNetwork: "Enheden er på et andet netværk end denne browser."
        case .deviceWarning:
            "Har du selv startet dette, og ser du koden på din egen enhed nu? Hvis en anden har givet dig koden, skal du vælge »Annuller«: ellers får den anden adgang til din konto."
        case .deviceAllowed: "Gå tilbage til din enhed"
        case .deviceDeclined: "Enheden er ikke logget ind"
        case .errorPrefix: "Fejl"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Navn"
        case "givenName": "Fornavn"
        case "surname": "Efternavn"
        case "jobTitle": "Stilling"
        case "country": "Land"
        case "state": "Region"
        case "city": "By"
        case "streetAddress": "Adresse"
        case "postalCode": "Postnummer"
        case "preferredLanguage": "Sprog"
        case AttributeDefinition.aliasName: "Brugernavn"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "et sekund" : "\(count) sekunder"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "et minut" : "\(count) minutter"
    }
}
