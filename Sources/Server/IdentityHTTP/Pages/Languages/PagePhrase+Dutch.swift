import IdentityEngine

extension PagePhrase {
    var dutch: String {
        switch self {
        case .signIn: "Aanmelden"
        case .createAccount: "Maak uw account aan"
        case .enterPassword: "Voer uw wachtwoord in"
        case .enterCode: "Bekijk uw e-mail"
        case .choosePassword: "Kies een wachtwoord"
        case .chooseNewPassword: "Kies een nieuw wachtwoord"
        case .aboutYou: "Over u"
        case .chooseMethod: "Nog één stap"
        case .addMailbox: "Voeg een tweede e-mailadres toe"
        case .cannotGoOn: "We kunnen niet verdergaan"
        case .tookTooLong: "Dit duurde te lang"
        case .needsCookies: "Sta cookies toe"
        case .begunElsewhere: "Elders begonnen"
        case .signedIn: "U bent aangemeld"
        case .movingOn: "Een ogenblik"
        case .signOut: "Afmelden?"
        case .signedOut: "U bent afgemeld"
        case .busy: "Probeer het zo opnieuw"
        case .continueTo(let app): "Doorgaan naar \(app)"
        case .toApp(let app): "om door te gaan naar \(app)"
        case .codeSent(let address): "We hebben een code gestuurd naar \(address)."
        case .codeIsValid: "Deze is tien minuten geldig. Ziet u de code niet, kijk dan in de map met spam."
        case .signedInAs(let name): "U bent aangemeld als \(name)."
        case .whyMailbox:
            "Deze app vraagt om een extra verificatie. Als u zich aanmeldt, sturen we codes naar dit adres."
        case .whyMethod: "Deze app vraagt om een extra verificatie. Waar mogen we een code naartoe sturen?"
        case .wantsAccess(let app): "\(app) is van een andere organisatie. De app wil graag:"
        case .scopeOpenID: "weten dat u dezelfde gebruiker bent als u terugkomt"
        case .scopeProfile: "uw naam zien"
        case .scopeEmail: "uw e-mailadres zien"
        case .scopeOffline: "verbonden blijven als u er niet bent"
        case .scopeOther(let name): "\(name) gebruiken"
        case .allow: "Toestaan"
        case .decline: "Niet toestaan"
        case .passwordRules:
            "Minstens 8 tekens, met drie van deze soorten: kleine letters, hoofdletters, cijfers, andere tekens."
        case .cookiesHelp:
            "Uw browser weigert de cookie die nodig is om u aan te melden. Sta cookies toe voor dit adres en probeer het opnieuw."
        case .begunElsewhereHelp:
            "Deze aanmelding is niet in deze browser begonnen, of de cookies zijn verwijderd. Ga terug naar de app en begin opnieuw."
        case .wrongAddressHelp:
            "We kennen de app niet die u hierheen heeft gestuurd, of kunnen het verzoek ervan niet beantwoorden. Ga terug en probeer het opnieuw. Gebeurt het weer, meld het dan aan de makers van de app."
        case .policyHelp: "Uw account kan de verificatie niet geven waar deze app om vraagt."
        case .overHelp: "Deze aanmelding is beëindigd. U kunt opnieuw beginnen."
        case .mayCloseWindow(let app): "Ga terug naar \(app). U kunt dit venster sluiten."
        case .movingOnHelp(let app): "We brengen u terug naar \(app)."
        case .busyHelp:
            "De server kan nu niet antwoorden. Wat u hebt ingevuld, is niet verloren: verstuur het formulier zo nog een keer."
        case .signOutHelp(let tenant): "U wordt in deze browser afgemeld bij \(tenant)."
        case .signedOutHelp: "U kunt dit venster sluiten."
        case .requestNumber(let number): "Nummer van deze aanvraag: \(number)"
        case .email: "E-mailadres"
        case .emailOrName: "E-mailadres of gebruikersnaam"
        case .password: "Wachtwoord"
        case .newPassword: "Nieuw wachtwoord"
        case .showPassword: "Wachtwoord tonen"
        case .code: "Code"
        case .staySignedIn: "Aangemeld blijven op dit apparaat"
        case .optional: "optioneel"
        case .attribute(let name): attribute(name)
        case .next: "Volgende"
        case .signInButton: "Aanmelden"
        case .signOutButton: "Afmelden"
        case .cancel: "Annuleren"
        case .sendAgain: "Nieuwe code sturen"
        case .forgotPassword: "Wachtwoord vergeten?"
        case .otherAccount: "Een ander account gebruiken"
        case .goOn: "Doorgaan"
        case .haveAccount: "Ik heb een account"
        case .noAccount: "Een account aanmaken"
        case .startAgain: "Opnieuw beginnen"
        case .backToApp(let app): "Terug naar \(app)"
        case .wrongCode: "Deze code klopt niet. Controleer de code of vraag een nieuwe aan."
        case .oldCode: "Deze code is te oud. Vraag een nieuwe aan."
        case .wait(let seconds):
            "Te veel pogingen. Wacht \(time(seconds, inSeconds, inMinutes)) en probeer het opnieuw."
        case .locked(let minutes):
            "Er zijn te veel verkeerde wachtwoorden ingevoerd. Wacht \(inMinutes(minutes)) of stel het wachtwoord opnieuw in."
        case .wrongPassword: "Dit wachtwoord klopt niet."
        case .unknownUser: "Er is geen account met deze naam. Controleer de naam of maak een account aan."
        case .userExists: "Er is al een account met dit adres. Meld u aan."
        case .disabledAccount: "Dit account kan niet worden gebruikt."
        case .badEmail: "Voer een e-mailadres in, bijvoorbeeld naam@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Dit wachtwoord is te kort: er zijn minstens 8 tekens nodig."
            case .tooLong: "Dit wachtwoord is te lang: er zijn hoogstens 256 tekens mogelijk."
            case .tooWeak: "Gebruik drie van deze soorten: kleine letters, hoofdletters, cijfers, andere tekens."
            case .banned: "Dit wachtwoord is makkelijk te raden. Kies een ander."
            case .recentlyUsed: "Dit is uw huidige wachtwoord. Kies een ander."
            case .invalid: "Dit wachtwoord bevat een teken dat niet kan worden gebruikt."
            }
        case .mailboxRefuses: "De mailserver van dit adres weigert onze e-mails. Gebruik een ander adres."
        case .blockedContact: "Dit adres kan nu niet worden toegevoegd. Gebruik eerst het adres van uw account."
        case .badAttributes: "Sommige antwoorden kunnen niet worden gebruikt. Controleer ze."
        case .badField(let name): "Controleer dit: \(attribute(name))."
        case .missing: "Vul dit veld in."
        case .alreadyDone: "Die stap is al gedaan. Ga hier verder."
        case .codeSentAgain: "Is de vorige code ouder dan een minuut, dan is er een nieuwe onderweg."
        case .signUpClosed: "In deze app kunnen nieuwe gebruikers geen account aanmaken."
        case .noPassword: "Dit account heeft geen wachtwoord. Meld u aan met een code."
        case .text(let text): text
        case .yourAccount: "Uw account"
        case .yourData: "Uw gegevens"
        case .changeEmail: "Wijzig uw e-mailadres"
        case .changePassword: "Wijzig uw wachtwoord"
        case .secondFactor: "Extra verificatie"
        case .sessions: "Waar u bent aangemeld"
        case .copyOfData: "Een kopie van uw gegevens"
        case .deleteAccount: "Verwijder uw account"
        case .confirmItIsYou: "Bevestig dat u het bent"
        case .accountDeleted: "Uw account is verwijderd"
        case .deletionPlanned: "Uw account wordt verwijderd"
        case .confirmItIsYouHelp: "Wat nu komt, beschermt uw account. Bevestig eerst opnieuw dat u het bent."
        case .saved: "De wijziging is opgeslagen."
        case .passwordChanged: "Uw wachtwoord is gewijzigd. U bent overal elders afgemeld."
        case .newAddressHelp:
            "We sturen een code naar het nieuwe adres. Misschien sturen we er eerst een naar uw huidige adres."
        case .methodsHelp: "Na uw wachtwoord kunnen we vragen om een code die we naar een van deze adressen sturen."
        case .methodSuspended: "Nu niet te gebruiken, omdat het wachtwoord opnieuw is ingesteld."
        case .sessionsHelp: "Kent u iets in de lijst niet? Meld het af en wijzig uw wachtwoord."
        case .thisBrowser: "Deze browser"
        case .browser: "Een browser"
        case .lastUsed: "Laatst gebruikt"
        case .copyHelp: "Een bestand met alles wat we over u hebben opgeslagen, als JSON."
        case .deleteHelp:
            "Uw account wordt meteen verwijderd, met al uw gegevens. Dit kan niet ongedaan worden gemaakt."
        case .typeAddress: "Typ het e-mailadres van uw account om te bevestigen."
        case .notSet: "Niet ingesteld"
        case .deleteLaterHelp(let days):
            "Uw account wordt over \(days == 1 ? "een dag" : "\(days) dagen") verwijderd, met al uw gegevens. Tot die tijd kunt u zich aanmelden en het behouden."
        case .currentPassword: "Huidig wachtwoord"
        case .newEmail: "Nieuw e-mailadres"
        case .methodName: "Naam van dit adres"
        case .save: "Opslaan"
        case .rename: "Naam wijzigen"
        case .remove: "Verwijderen"
        case .endOthers: "Overal elders afmelden"
        case .endAll: "Overal afmelden"
        case .allowedApplications: "Apps die u toestemming gaf"
        case .download: "Downloaden"
        case .keepAccount: "Mijn account behouden"
        case .backToAccount: "Terug naar uw account"
        case .changedElsewhere: "Uw gegevens zijn intussen ergens anders gewijzigd. Controleer ze en sla ze opnieuw op."
        case .nameTaken: "Deze naam is bezet. Kies een andere."
        case .lastMethod: "U hebt een extra verificatie nodig, en dit is de laatste."
        case .addressTaken: "Er is een ander account met dit adres."
        case .addressNotUsable: "Dit is geen e-mailadres, of uw account heeft het al."
        case .privacy: "Privacy"
        case .terms: "Voorwaarden"
        case .support: "Hulp"
        case .deviceTitle: "Een apparaat verbinden"
        case .deviceHelp: "Typ de code die uw televisie, opdrachtregel of ander apparaat toont."
        case .wrongDeviceCode:
            "Deze code klopt niet of is te oud. Controleer hem, of vraag op het apparaat een nieuwe."
        case .deviceAllowTitle(let app): "Aanmelden bij \(app) op een ander apparaat?"
        case .deviceAsks(let app, let code):
            "Een apparaat dat de code \(code) toont, wil \(app) met uw account gebruiken."
        case .deviceSince(let minutes): "Minuten sinds het apparaat het vroeg: \(minutes)"
        case .deviceSameNetwork: "Het apparaat is in hetzelfde netwerk als deze browser."
        case .deviceOtherNetwork: "Het apparaat is in een ander netwerk dan deze browser."
        case .deviceWarning:
            "Bent u dit zelf begonnen, en ziet u deze code nu op uw eigen apparaat? Als een ander u de code heeft gegeven, kies dan ‘Annuleren’: die ander zou in uw account komen."
        case .deviceAllowed: "Ga terug naar uw apparaat"
        case .deviceDeclined: "Het apparaat is niet aangemeld"
        case .errorPrefix: "Fout"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Naam"
        case "givenName": "Voornaam"
        case "surname": "Achternaam"
        case "jobTitle": "Functie"
        case "country": "Land"
        case "state": "Provincie"
        case "city": "Plaats"
        case "streetAddress": "Straat en huisnummer"
        case "postalCode": "Postcode"
        case "preferredLanguage": "Taal"
        case AttributeDefinition.aliasName: "Gebruikersnaam"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "een seconde" : "\(count) seconden"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "een minuut" : "\(count) minuten"
    }
}
