// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let finnish = MailPhrases(
        codeSubject: "Vahvistuskoodisi palveluun {{{organisation}}}",
        signUp: "Luo tilisi palveluun {{{organisation}}} tällä koodilla.",
        signIn: "Kirjaudu sisään palveluun {{{organisation}}} tällä koodilla.",
        passwordReset: "Valitse tällä koodilla uusi salasana tilillesi palvelussa {{{organisation}}}.",
        secondFactor: "Vahvista tällä koodilla, että juuri sinä olet kirjautumassa palveluun {{{organisation}}}.",
        registration:
            "Lisää tällä koodilla tämä sähköpostiosoite vahvistustavaksi tilillesi palvelussa {{{organisation}}}.",
        accountChange: "Vahvista tällä koodilla muutos tiliisi palvelussa {{{organisation}}}.",
        emailChange: "Aseta tällä koodilla tämä osoite tilisi sähköpostiosoitteeksi palvelussa {{{organisation}}}.",
        label: "Koodisi:",
        validity: "Se on voimassa {{minutes}} {{#single}}minuutin{{/single}}{{^single}}minuuttia{{/single}}.",
        validityInDays: "Se on voimassa {{days}} päivää.",
        secrecy: "Älä anna tätä koodia kenellekään. {{{organisation}}} ei koskaan pyydä sitä sinulta.",
        notAsked: "Jos et pyytänyt tätä koodia, voit jättää tämän viestin huomiotta.",
        notMe: "Jos se et ollut sinä, valitse heti uusi salasana ja ilmoita asiasta palvelulle {{{organisation}}}.",
        emailChanged: Notice(
            subject: "Tilisi sähköpostiosoite palvelussa {{{organisation}}} on vaihdettu",
            event:
                "Tililläsi palvelussa {{{organisation}}} on nyt toinen sähköpostiosoite. Alla oleva koodi peruu muutoksen ja kirjaa kaikki laitteet ulos.",
            unasked: "Jos teit tämän muutoksen itse, voit jättää tämän viestin huomiotta."),
        emailChangeUndone: Notice(
            subject: "Tililläsi palvelussa {{{organisation}}} on taas vanha sähköpostiosoite",
            event:
                "Tilisi sähköpostiosoitteen muutos palvelussa {{{organisation}}} on peruttu. Kaikki laitteet on kirjattu ulos.",
            unasked: "Valitse heti uusi salasana: joku muu saattaa tietää vanhan."),
        emailReplaced: Notice(
            subject: "Tilisi sähköpostiosoite palvelussa {{{organisation}}} on vaihdettu",
            event:
                "{{{organisation}}} on antanut tilillesi toisen sähköpostiosoitteen ja kirjannut kaikki laitteet ulos.",
            unasked: "Jos et pyytänyt tätä muutosta, ilmoita asiasta palvelulle {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Valitse uusi salasana palveluun {{{organisation}}}",
            event:
                "{{{organisation}}} on mitätöinyt tilisi salasanan ja kirjannut kaikki laitteet ulos. Jos haluat kirjautua taas sisään, avaa sovellus ja valitse uusi salasana aivan kuin olisit unohtanut vanhan.",
            unasked: "Jos sinulla on kysyttävää tästä, ota yhteyttä palveluun {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Tilisi palvelussa {{{organisation}}} on poistettu",
            event: "Tilisi palvelussa {{{organisation}}} ja siinä olleet tiedot on poistettu.",
            unasked: "Jos se et ollut sinä, ilmoita asiasta palvelulle {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Tilisi palvelussa {{{organisation}}} poistetaan",
            event:
                "Tilisi palvelussa {{{organisation}}} poistetaan {{days}} päivän kuluttua. Jos haluat säilyttää sen, kirjaudu sisään sitä ennen ja valitse tilin säilyttäminen.",
            unasked: "Jos se et ollut sinä, kirjaudu sisään, säilytä tili ja valitse uusi salasana."),
        passwordChanged: Notice(
            subject: "Salasanasi palvelussa {{{organisation}}} on vaihdettu",
            event: "Tilisi salasana palvelussa {{{organisation}}} on vaihdettu."),
        methodRegistered: Notice(
            subject: "Tilillesi palvelussa {{{organisation}}} on lisätty vahvistustapa",
            event: "Tilillesi palvelussa {{{organisation}}} on lisätty sähköpostiosoite vahvistustavaksi."),
        methodRemoved: Notice(
            subject: "Tililtäsi palvelussa {{{organisation}}} on poistettu vahvistustapa",
            event: "Sähköpostiosoite ei ole enää tilisi vahvistustapa palvelussa {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "Tilisi vahvistustapa palvelussa {{{organisation}}} on tilapäisesti pois käytöstä",
            event:
                "Salasanasi palvelussa {{{organisation}}} on nollattu. Äskettäin lisättyä sähköpostiosoitetta ei voi käyttää vahvistustapana vuorokauteen."
        ),
        methodReactivated: Notice(
            subject: "Tilisi vahvistustapa palvelussa {{{organisation}}} on taas käytössä",
            event:
                "Tilapäisesti pois käytöstä ollutta sähköpostiosoitetta on käytetty vahvistustapana palvelussa {{{organisation}}}."
        ),
        methodFirstUsed: Notice(
            subject: "Tilisi uutta vahvistustapaa palvelussa {{{organisation}}} on käytetty",
            event: "Sähköpostiosoitetta on käytetty ensimmäistä kertaa vahvistustapana palvelussa {{{organisation}}}."),
        passkeySuspect: Notice(
            subject: "Tilisi ({{{organisation}}}) avainkoodi vastasi epätavallisesti",
            event:
                "Tilisi ({{{organisation}}}) avainkoodi vastasi toisin kuin ennen: se on ehkä kopioitu, tai sillä ei ole enää varmuuskopiota.",
            unasked:
                "Jos et osaa selittää tätä, poista avainkoodi tililtäsi ja lisää uusi."),
        recoveryCodeUsed: Notice(
            subject: "Tilisi palautuskoodi palvelussa {{{organisation}}} on käytetty",
            event: "Tilillesi palvelussa {{{organisation}}} on kirjauduttu palautuskoodilla."),
        accountExists: Notice(
            subject: "Sinulla on jo tili palvelussa {{{organisation}}}",
            event:
                "Joku, ehkä sinä, pyysi uutta tiliä palveluun {{{organisation}}} tällä sähköpostiosoitteella. Tällä osoitteella on jo tili: kirjaudu sisään, tai nollaa salasanasi, jos olet unohtanut sen.",
            unasked: "Jos se et ollut sinä, sinun ei tarvitse tehdä mitään: tilisi on ennallaan."),
        signInLocked: Notice(
            subject: "Joku yrittää kirjautua tilillesi palvelussa {{{organisation}}}",
            event:
                "Tilillesi palvelussa {{{organisation}}} on kokeiltu monia vääriä salasanoja. Salasanalla kirjautuminen on estetty joksikin aikaa; uusi salasana poistaa eston heti.",
            unasked: "Jos se et ollut sinä, tilisi on suojattu. Käytä täällä salasanaa, jota et käytä missään muualla."),
        signedInAfterFailures: Notice(
            subject: "Tilillesi palvelussa {{{organisation}}} kirjauduttiin monen väärän salasanan jälkeen",
            event: "Tilillesi palvelussa {{{organisation}}} annettiin oikea salasana monen väärän jälkeen."),
        methodLabel: "Sähköpostiosoite",
        authenticatorApp: "Todennussovellus",
        passkey: "Avainkoodi",
        recoveryCodes: "Palautuskoodit",
        recoveryCodesLeft: "Palautuskoodeja jäljellä",
        timeLabel: "Ajankohta",
        networkLabel: "Verkko")
}
