import IdentityEngine

extension PagePhrase {
    var finnish: String {
        switch self {
        case .signIn: "Kirjaudu sisään"
        case .createAccount: "Luo tilisi"
        case .enterPassword: "Anna salasanasi"
        case .enterCode: "Katso sähköpostisi"
        case .choosePassword: "Valitse salasana"
        case .chooseNewPassword: "Valitse uusi salasana"
        case .aboutYou: "Tietoja sinusta"
        case .chooseMethod: "Vielä yksi vaihe"
        case .addMailbox: "Lisää toinen sähköpostiosoite"
        case .cannotGoOn: "Emme voi jatkaa"
        case .tookTooLong: "Tämä kesti liian kauan"
        case .needsCookies: "Salli evästeet"
        case .begunElsewhere: "Aloitettu muualla"
        case .signedIn: "Olet kirjautunut sisään"
        case .movingOn: "Hetki vain"
        case .signOut: "Kirjaudutaanko ulos?"
        case .signedOut: "Olet kirjautunut ulos"
        case .busy: "Yritä pian uudelleen"
        case .continueTo(let app): "Jatka sovellukseen \(app)"
        case .toApp(let app): "niin pääset sovellukseen \(app)"
        case .codeSent(let address): "Lähetimme koodin osoitteeseen \(address)."
        case .codeIsValid: "Se on voimassa kymmenen minuuttia. Jos et näe sitä, katso roskapostikansioon."
        case .signedInAs(let name): "Olet kirjautunut tilillä \(name)."
        case .whyMailbox:
            "Tämä sovellus vaatii lisävahvistuksen. Lähetämme koodeja tähän osoitteeseen, kun kirjaudut sisään."
        case .whyMethod: "Tämä sovellus vaatii lisävahvistuksen. Minne voimme lähettää koodin?"
        case .wantsAccess(let app): "Sovellus \(app) kuuluu toiselle organisaatiolle. Se pyytää lupaa:"
        case .scopeOpenID: "tietää, että olet sama käyttäjä, kun palaat"
        case .scopeProfile: "nähdä nimesi"
        case .scopeEmail: "nähdä sähköpostiosoitteesi"
        case .scopeOffline: "pitää yhteyden auki, kun olet poissa"
        case .scopeOther(let name): "käyttää kohdetta \(name)"
        case .allow: "Salli"
        case .decline: "Älä salli"
        case .passwordRules:
            "Vähintään 8 merkkiä ja kolmea näistä: pieniä kirjaimia, isoja kirjaimia, numeroita, muita merkkejä."
        case .cookiesHelp:
            "Selaimesi estää evästeen, jota kirjautuminen tarvitsee. Salli evästeet tälle osoitteelle ja yritä uudelleen."
        case .begunElsewhereHelp:
            "Kirjautumista ei aloitettu tässä selaimessa, tai sen evästeet on poistettu. Palaa sovellukseen ja aloita alusta."
        case .wrongAddressHelp:
            "Emme tunne sovellusta, josta tulit, tai emme voi vastata sen pyyntöön. Palaa ja yritä uudelleen. Jos näin käy taas, ilmoita asiasta sovelluksen tekijöille."
        case .policyHelp: "Tilisi ei voi antaa vahvistusta, jota tämä sovellus vaatii."
        case .overHelp: "Tämä kirjautuminen on päättynyt. Voit aloittaa alusta."
        case .mayCloseWindow(let app): "Palaa sovellukseen \(app). Voit sulkea tämän ikkunan."
        case .movingOnHelp(let app): "Viemme sinut takaisin sovellukseen \(app)."
        case .busyHelp:
            "Palvelin ei voi vastata juuri nyt. Kirjoittamasi tiedot ovat tallessa: lähetä lomake hetken päästä uudelleen."
        case .signOutHelp(let tenant): "Sinut kirjataan ulos palvelusta \(tenant) tässä selaimessa."
        case .signedOutHelp: "Voit sulkea tämän ikkunan."
        case .requestNumber(let number): "Pyynnön numero: \(number)"
        case .email: "Sähköpostiosoite"
        case .emailOrName: "Sähköpostiosoite tai käyttäjätunnus"
        case .password: "Salasana"
        case .newPassword: "Uusi salasana"
        case .showPassword: "Näytä salasana"
        case .code: "Koodi"
        case .staySignedIn: "Pysy kirjautuneena tällä laitteella"
        case .optional: "valinnainen"
        case .attribute(let name): attribute(name)
        case .next: "Seuraava"
        case .signInButton: "Kirjaudu sisään"
        case .signOutButton: "Kirjaudu ulos"
        case .cancel: "Peruuta"
        case .sendAgain: "Lähetä uusi koodi"
        case .forgotPassword: "Unohditko salasanasi?"
        case .otherAccount: "Käytä toista tiliä"
        case .goOn: "Jatka"
        case .haveAccount: "Minulla on tili"
        case .noAccount: "Luo tili"
        case .startAgain: "Aloita alusta"
        case .backToApp(let app): "Takaisin sovellukseen \(app)"
        case .wrongCode: "Koodi ei ole oikea. Tarkista se tai pyydä uusi."
        case .oldCode: "Koodi on liian vanha. Pyydä uusi."
        case .wait(let seconds):
            "Liian monta yritystä. Odota \(time(seconds, inSeconds, inMinutes)) ja yritä uudelleen."
        case .locked(let minutes):
            "Väärä salasana annettiin liian monta kertaa. Odota \(inMinutes(minutes)) tai nollaa salasana."
        case .wrongPassword: "Salasana ei ole oikea."
        case .unknownUser: "Tällä nimellä ei ole tiliä. Tarkista nimi tai luo tili."
        case .userExists: "Tällä osoitteella on jo tili. Kirjaudu sisään."
        case .disabledAccount: "Tätä tiliä ei voi käyttää."
        case .badEmail: "Anna sähköpostiosoite, esimerkiksi nimi@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Salasana on liian lyhyt: siinä on oltava vähintään 8 merkkiä."
            case .tooLong: "Salasana on liian pitkä: siinä saa olla enintään 256 merkkiä."
            case .tooWeak: "Käytä kolmea näistä: pieniä kirjaimia, isoja kirjaimia, numeroita, muita merkkejä."
            case .banned: "Salasana on helppo arvata. Valitse toinen."
            case .recentlyUsed: "Tämä on nykyinen salasanasi. Valitse toinen."
            case .invalid: "Salasanassa on merkki, jota ei voi käyttää."
            }
        case .mailboxRefuses: "Tämän osoitteen sähköpostipalvelin torjuu viestimme. Käytä toista osoitetta."
        case .blockedContact: "Tätä osoitetta ei voi lisätä nyt. Käytä ensin tilisi osoitetta."
        case .badAttributes: "Kaikkia vastauksia ei voi käyttää. Tarkista ne."
        case .badField(let name): "Tarkista tämä: \(attribute(name))."
        case .missing: "Täytä tämä kenttä."
        case .alreadyDone: "Se vaihe on jo tehty. Jatka tästä."
        case .codeSentAgain: "Jos edellinen koodi on yli minuutin vanha, uusi on tulossa."
        case .signUpClosed: "Tähän sovellukseen ei voi luoda uusia tilejä."
        case .noPassword: "Tällä tilillä ei ole salasanaa. Kirjaudu sisään koodilla."
        case .text(let text): text
        case .yourAccount: "Tilisi"
        case .yourData: "Tietosi"
        case .changeEmail: "Vaihda sähköpostiosoitteesi"
        case .changePassword: "Vaihda salasanasi"
        case .secondFactor: "Lisävahvistus"
        case .sessions: "Missä olet kirjautuneena"
        case .copyOfData: "Kopio tiedoistasi"
        case .deleteAccount: "Poista tilisi"
        case .confirmItIsYou: "Vahvista, että se olet sinä"
        case .accountDeleted: "Tilisi on poistettu"
        case .deletionPlanned: "Tilisi poistetaan"
        case .confirmItIsYouHelp:
            "Seuraava vaihe suojaa tiliäsi. Vahvista uudelleen, että se olet sinä, ennen kuin jatkat."
        case .saved: "Muutos on tallennettu."
        case .passwordChanged: "Salasanasi on vaihdettu. Sinut on kirjattu ulos kaikkialta muualta."
        case .newAddressHelp:
            "Lähetämme koodin uuteen osoitteeseen. Voimme lähettää ensin koodin nykyiseen osoitteeseesi."
        case .methodsHelp: "Salasanan jälkeen voimme pyytää koodin, jonka lähetämme johonkin näistä osoitteista."
        case .methodSuspended: "Ei käytettävissä nyt, koska salasana palautettiin."
        case .sessionsHelp: "Etkö tunnista jotakin kohtaa? Kirjaa se ulos ja vaihda salasanasi."
        case .thisBrowser: "Tämä selain"
        case .browser: "Selain"
        case .lastUsed: "Viimeksi käytetty"
        case .copyHelp: "Tiedosto, jossa on kaikki sinusta tallentamamme tiedot, JSON-muodossa."
        case .deleteHelp: "Tilisi ja kaikki tietosi poistetaan heti. Tätä ei voi perua."
        case .notSet: "Ei asetettu"
        case .deleteLaterHelp(let days):
            "Tilisi ja kaikki tietosi poistetaan \(days == 1 ? "päivän" : "\(days) päivän") kuluttua. Siihen asti voit kirjautua sisään ja säilyttää tilin."
        case .currentPassword: "Nykyinen salasana"
        case .newEmail: "Uusi sähköpostiosoite"
        case .methodName: "Tämän osoitteen nimi"
        case .save: "Tallenna"
        case .rename: "Nimeä uudelleen"
        case .remove: "Poista"
        case .endOthers: "Kirjaudu ulos kaikkialta muualta"
        case .endAll: "Kirjaudu ulos kaikkialta"
        case .download: "Lataa"
        case .keepAccount: "Säilytä tilini"
        case .backToAccount: "Takaisin tiliisi"
        case .changedElsewhere: "Tietojasi on sillä välin muutettu muualla. Tarkista ne ja tallenna uudelleen."
        case .nameTaken: "Tämä nimi on varattu. Valitse toinen."
        case .lastMethod: "Tarvitset lisävahvistuksen, ja tämä on viimeinen."
        case .addressTaken: "Tällä osoitteella on toinen tili."
        case .addressNotUsable: "Tämä ei ole sähköpostiosoite, tai se on jo tililläsi."
        case .privacy: "Tietosuoja"
        case .terms: "Käyttöehdot"
        case .support: "Ohje"
        case .errorPrefix: "Virhe"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Nimi"
        case "givenName": "Etunimi"
        case "surname": "Sukunimi"
        case "jobTitle": "Tehtävänimike"
        case "country": "Maa"
        case "state": "Maakunta"
        case "city": "Kaupunki"
        case "streetAddress": "Katuosoite"
        case "postalCode": "Postinumero"
        case "preferredLanguage": "Kieli"
        case AttributeDefinition.aliasName: "Käyttäjätunnus"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "sekunti" : "\(count) sekuntia"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "minuutti" : "\(count) minuuttia"
    }
}
