import IdentityEngine

extension PagePhrase {
    var swedish: String {
        switch self {
        case .signIn: "Logga in"
        case .createAccount: "Skapa ditt konto"
        case .enterPassword: "Ange ditt lösenord"
        case .enterCode: "Kolla din e-post"
        case .choosePassword: "Välj ett lösenord"
        case .chooseNewPassword: "Välj ett nytt lösenord"
        case .aboutYou: "Om dig"
        case .chooseMethod: "Ett steg till"
        case .addMailbox: "Lägg till ytterligare en e-postadress"
        case .cannotGoOn: "Det går inte att fortsätta"
        case .tookTooLong: "Det tog för lång tid"
        case .needsCookies: "Tillåt cookies"
        case .begunElsewhere: "Påbörjat någon annanstans"
        case .signedIn: "Du är inloggad"
        case .movingOn: "Ett ögonblick"
        case .signOut: "Vill du logga ut?"
        case .signedOut: "Du är utloggad"
        case .busy: "Försök igen om en stund"
        case .continueTo(let app): "Fortsätt till \(app)"
        case .toApp(let app): "för att fortsätta till \(app)"
        case .codeSent(let address): "Vi har skickat en kod till \(address)."
        case .codeIsValid: "Den gäller i tio minuter. Om du inte ser den, titta i mappen för skräppost."
        case .signedInAs(let name): "Du är inloggad som \(name)."
        case .whyMailbox:
            "Den här appen kräver en extra verifiering. När du loggar in skickar vi koder till den här adressen."
        case .whyMethod: "Den här appen kräver en extra verifiering. Vart får vi skicka en kod?"
        case .wantsAccess(let app): "\(app) tillhör en annan organisation. Appen ber om att få:"
        case .scopeOpenID: "veta att du är samma användare när du kommer tillbaka"
        case .scopeProfile: "se ditt namn"
        case .scopeEmail: "se din e-postadress"
        case .scopeOffline: "vara fortsatt ansluten när du är borta"
        case .scopeOther(let name): "använda \(name)"
        case .allow: "Tillåt"
        case .decline: "Tillåt inte"
        case .passwordRules: "Minst 8 tecken, med tre av dessa: små bokstäver, stora bokstäver, siffror, andra tecken."
        case .cookiesHelp:
            "Din webbläsare blockerar den cookie som inloggningen behöver. Tillåt cookies för den här adressen och försök igen."
        case .begunElsewhereHelp:
            "Inloggningen påbörjades inte i den här webbläsaren, eller så har dess cookies raderats. Gå tillbaka till appen och börja om."
        case .wrongAddressHelp:
            "Vi känner inte till appen som skickade dig hit, eller så kan vi inte svara på det den bad om. Gå tillbaka och försök igen. Om det händer igen, meddela dem som gör appen."
        case .policyHelp: "Ditt konto kan inte ge den verifiering som appen kräver."
        case .overHelp: "Den här inloggningen är avslutad. Du kan börja om."
        case .mayCloseWindow(let app): "Gå tillbaka till \(app). Du kan stänga det här fönstret."
        case .movingOnHelp(let app): "Vi tar dig tillbaka till \(app)."
        case .busyHelp:
            "Servern kan inte svara just nu. Det du har skrivit är inte borta: skicka formuläret igen om en stund."
        case .signOutHelp(let tenant): "Du loggas ut från \(tenant) i den här webbläsaren."
        case .signedOutHelp: "Du kan stänga det här fönstret."
        case .requestNumber(let number): "Nummer på begäran: \(number)"
        case .email: "E-postadress"
        case .emailOrName: "E-postadress eller användarnamn"
        case .password: "Lösenord"
        case .newPassword: "Nytt lösenord"
        case .showPassword: "Visa lösenord"
        case .code: "Kod"
        case .staySignedIn: "Förbli inloggad på den här enheten"
        case .optional: "valfritt"
        case .attribute(let name): attribute(name)
        case .next: "Nästa"
        case .signInButton: "Logga in"
        case .signOutButton: "Logga ut"
        case .cancel: "Avbryt"
        case .sendAgain: "Skicka en ny kod"
        case .forgotPassword: "Har du glömt lösenordet?"
        case .otherAccount: "Använd ett annat konto"
        case .goOn: "Fortsätt"
        case .haveAccount: "Jag har ett konto"
        case .noAccount: "Skapa ett konto"
        case .startAgain: "Börja om"
        case .backToApp(let app): "Tillbaka till \(app)"
        case .wrongCode: "Koden stämmer inte. Kontrollera den eller be om en ny."
        case .oldCode: "Koden är för gammal. Be om en ny."
        case .wait(let seconds): "För många försök. Vänta \(time(seconds, inSeconds, inMinutes)) och försök igen."
        case .locked(let minutes):
            "För många felaktiga lösenord har angetts. Vänta \(inMinutes(minutes)) eller återställ lösenordet."
        case .wrongPassword: "Lösenordet stämmer inte."
        case .unknownUser: "Det finns inget konto med det namnet. Kontrollera det eller skapa ett konto."
        case .userExists: "Det finns redan ett konto med den adressen. Logga in i stället."
        case .disabledAccount: "Det här kontot kan inte användas."
        case .badEmail: "Ange en e-postadress, till exempel namn@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Lösenordet är för kort: det måste ha minst 8 tecken."
            case .tooLong: "Lösenordet är för långt: det får ha högst 256 tecken."
            case .tooWeak: "Använd tre av dessa: små bokstäver, stora bokstäver, siffror, andra tecken."
            case .banned: "Lösenordet är lätt att gissa. Välj ett annat."
            case .recentlyUsed: "Det är ditt nuvarande lösenord. Välj ett annat."
            case .invalid: "Lösenordet har ett tecken som inte kan användas."
            }
        case .mailboxRefuses: "Adressens e-postserver avvisar våra mejl. Använd en annan adress."
        case .blockedContact: "Den här adressen kan inte läggas till nu. Använd först adressen till ditt konto."
        case .badAttributes: "Vissa svar kan inte användas. Kontrollera dem."
        case .badField(let name): "Kontrollera detta: \(attribute(name))."
        case .missing: "Fyll i det här fältet."
        case .alreadyDone: "Det steget är redan klart. Fortsätt här."
        case .codeSentAgain: "Om den senaste koden är äldre än en minut är en ny på väg."
        case .signUpClosed: "Den här appen låter inte nya användare skapa konto."
        case .noPassword: "Det här kontot har inget lösenord. Logga in med en kod."
        case .text(let text): text
        case .deviceTitle: "Anslut en enhet"
        case .deviceHelp: "Skriv koden som din tv, kommandorad eller annan enhet visar."
        case .wrongDeviceCode:
            "Koden är inte rätt, eller så är den för gammal. Kontrollera den, eller hämta en ny på enheten."
        case .deviceAllowTitle(let app): "Logga in på \(app) på en annan enhet?"
        case .deviceAsks(let app, let code): "En enhet som visar koden \(code) vill använda \(app) med ditt konto."
        case .deviceSince(let minutes): "Minuter sedan enheten frågade: \(minutes)"
        case .deviceSameNetwork: "Enheten är i samma nätverk som den här webbläsaren."
        case .deviceOtherNetwork: "Enheten är i ett annat nätverk än den här webbläsaren."
        case .deviceWarning:
            "Började du det här själv, och ser du koden på din egen enhet nu? Om någon annan gav dig koden, välj ”Avbryt”: den personen skulle komma in på ditt konto."
        case .deviceAllowed: "Gå tillbaka till din enhet"
        case .deviceDeclined: "Enheten är inte inloggad"
        case .errorPrefix: "Fel"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Namn"
        case "givenName": "Förnamn"
        case "surname": "Efternamn"
        case "jobTitle": "Befattning"
        case "country": "Land"
        case "state": "Län"
        case "city": "Ort"
        case "streetAddress": "Gatuadress"
        case "postalCode": "Postnummer"
        case "preferredLanguage": "Språk"
        case AttributeDefinition.aliasName: "Användarnamn"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "en sekund" : "\(count) sekunder"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "en minut" : "\(count) minuter"
    }
}
