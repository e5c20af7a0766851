import IdentityEngine

extension PagePhrase {
    var german: String {
        switch self {
        case .signIn: "Anmelden"
        case .createAccount: "Konto erstellen"
        case .enterPassword: "Passwort eingeben"
        case .enterCode: "Schauen Sie in Ihr Postfach"
        case .choosePassword: "Passwort wählen"
        case .chooseNewPassword: "Neues Passwort wählen"
        case .aboutYou: "Über Sie"
        case .chooseMethod: "Noch ein Schritt"
        case .addMailbox: "Weitere E-Mail-Adresse hinzufügen"
        case .cannotGoOn: "Hier geht es nicht weiter"
        case .tookTooLong: "Das hat zu lange gedauert"
        case .needsCookies: "Bitte Cookies erlauben"
        case .begunElsewhere: "Woanders begonnen"
        case .signedIn: "Sie sind angemeldet"
        case .movingOn: "Einen Moment"
        case .signOut: "Abmelden?"
        case .signedOut: "Sie sind abgemeldet"
        case .busy: "Bitte gleich noch einmal versuchen"
        case .continueTo(let app): "Weiter zu \(app)"
        case .toApp(let app): "um zu \(app) zu gelangen"
        case .codeSent(let address): "Wir haben einen Code an \(address) gesendet."
        case .codeIsValid: "Er ist zehn Minuten gültig. Wenn Sie ihn nicht sehen, schauen Sie im Spam-Ordner nach."
        case .signedInAs(let name): "Sie sind angemeldet als \(name)."
        case .appSignedInAs(let app, let name): "Die App „\(app)“ ist angemeldet als \(name)."
        case .goOnAs(let name): "Weiter als \(name)"
        case .whyMailbox:
            "Diese App verlangt eine zusätzliche Bestätigung. Wenn Sie sich anmelden, senden wir Codes an diese Adresse."
        case .whyMethod: "Diese Anwendung verlangt einen zweiten Faktor. Welche Methode möchten Sie verwenden?"
        case .wantsAccess(let app): "\(app) gehört zu einer anderen Organisation. Die App möchte:"
        case .scopeOpenID: "wissen, dass Sie derselbe Benutzer sind, wenn Sie wiederkommen"
        case .scopeProfile: "Ihren Namen sehen"
        case .scopeEmail: "Ihre E-Mail-Adresse sehen"
        case .scopeOffline: "verbunden bleiben, wenn Sie nicht da sind"
        case .scopeOther(let name): "\(name) verwenden"
        case .allow: "Erlauben"
        case .decline: "Nicht erlauben"
        case .passwordRules:
            "Mindestens 8 Zeichen, mit drei dieser Arten: Kleinbuchstaben, Großbuchstaben, Ziffern, andere Zeichen."
        case .cookiesHelp:
            "Ihr Browser lehnt das Cookie ab, das für die Anmeldung nötig ist. Erlauben Sie Cookies für diese Adresse und versuchen Sie es noch einmal."
        case .begunElsewhereHelp:
            "Diese Anmeldung wurde nicht in diesem Browser begonnen, oder seine Cookies wurden gelöscht. Gehen Sie zurück zur App und beginnen Sie von vorn."
        case .wrongAddressHelp:
            "Wir kennen die App nicht, von der Sie kommen, oder können ihre Anfrage nicht beantworten. Gehen Sie zurück und versuchen Sie es noch einmal. Wenn es wieder passiert, wenden Sie sich an den Anbieter der App."
        case .strongerProofNeeded: "Hier ist eine stärkere Bestätigung nötig."
        case .whyPasskey:
            "Hier ist eine stärkere Bestätigung nötig. Erstellen Sie auf diesem Gerät einen Passkey: Damit melden Sie sich künftig an."
        case .addMethod: "In Ihrem Konto eine Methode hinzufügen"
        case .policyHelp: "Mit Ihrem Konto ist die Bestätigung, die diese App verlangt, nicht möglich."
        case .overHelp: "Diese Anmeldung ist beendet. Sie können von vorn beginnen."
        case .mayCloseWindow(let app): "Gehen Sie zurück zu \(app). Sie können dieses Fenster schließen."
        case .movingOnHelp(let app): "Wir bringen Sie zurück zu \(app)."
        case .busyHelp:
            "Der Server kann gerade nicht antworten. Ihre Eingaben sind nicht verloren: Senden Sie das Formular gleich noch einmal."
        case .signOutHelp(let tenant): "Sie werden in diesem Browser bei \(tenant) abgemeldet."
        case .signedOutHelp: "Sie können dieses Fenster schließen."
        case .requestNumber(let number): "Nummer dieser Anfrage: \(number)"
        case .email: "E-Mail-Adresse"
        case .emailOrName: "E-Mail-Adresse oder Benutzername"
        case .emailOrNumber: "E-Mail-Adresse oder Telefonnummer"
        case .emailNameOrNumber: "E-Mail-Adresse, Benutzername oder Telefonnummer"
        case .password: "Passwort"
        case .newPassword: "Neues Passwort"
        case .showPassword: "Passwort anzeigen"
        case .code: "Code"
        case .staySignedIn: "Auf diesem Gerät angemeldet bleiben"
        case .optional: "optional"
        case .attribute(let name): attribute(name)
        case .next: "Weiter"
        case .signInButton: "Anmelden"
        case .signOutButton: "Abmelden"
        case .cancel: "Abbrechen"
        case .sendAgain: "Neuen Code senden"
        case .forgotPassword: "Passwort vergessen?"
        case .otherAccount: "Anderes Konto verwenden"
        case .goOn: "Weiter"
        case .haveAccount: "Ich habe ein Konto"
        case .noAccount: "Konto erstellen"
        case .startAgain: "Von vorn beginnen"
        case .backToApp(let app): "Zurück zu \(app)"
        case .wrongCode: "Dieser Code ist nicht richtig. Prüfen Sie ihn oder fordern Sie einen neuen an."
        case .oldCode: "Dieser Code ist zu alt. Fordern Sie einen neuen an."
        case .wait(let seconds):
            "Zu viele Versuche. Warten Sie \(time(seconds, inSeconds, inMinutes)) und versuchen Sie es noch einmal."
        case .locked(let minutes):
            "Es wurden zu viele falsche Passwörter eingegeben. Warten Sie \(inMinutes(minutes)) oder setzen Sie das Passwort zurück."
        case .wrongPassword: "Dieses Passwort ist nicht richtig."
        case .unknownUser: "Es gibt kein Konto mit diesem Namen. Prüfen Sie ihn oder erstellen Sie ein Konto."
        case .userExists: "Zu dieser Adresse gibt es bereits ein Konto. Melden Sie sich an."
        case .disabledAccount: "Dieses Konto kann nicht verwendet werden."
        case .badEmail: "Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Dieses Passwort ist zu kurz: Es muss mindestens 8 Zeichen haben."
            case .tooLong: "Dieses Passwort ist zu lang: Es darf höchstens 256 Zeichen haben."
            case .tooWeak: "Verwenden Sie drei dieser Arten: Kleinbuchstaben, Großbuchstaben, Ziffern, andere Zeichen."
            case .banned: "Dieses Passwort ist leicht zu erraten. Wählen Sie ein anderes."
            case .recentlyUsed: "Das ist Ihr jetziges Passwort. Wählen Sie ein anderes."
            case .invalid: "Dieses Passwort enthält ein Zeichen, das nicht verwendet werden kann."
            }
        case .mailboxRefuses:
            "Der Mailserver dieser Adresse lehnt unsere E-Mails ab. Verwenden Sie eine andere Adresse."
        case .blockedContact:
            "Diese Adresse kann jetzt nicht hinzugefügt werden. Verwenden Sie zuerst die Adresse Ihres Kontos."
        case .badAttributes: "Einige Angaben können nicht verwendet werden. Prüfen Sie sie."
        case .badField(let name): "Prüfen Sie dies: \(attribute(name))."
        case .missing: "Füllen Sie dieses Feld aus."
        case .alreadyDone: "Dieser Schritt ist schon erledigt. Machen Sie hier weiter."
        case .codeSentAgain: "Wenn der letzte Code älter als eine Minute ist, ist ein neuer unterwegs."
        case .signUpClosed: "In dieser App können neue Benutzer kein Konto erstellen."
        case .noPassword: "Dieses Konto hat kein Passwort. Melden Sie sich mit einem Code an."
        case .text(let text): text
        case .yourAccount: "Ihr Konto"
        case .yourData: "Ihre Daten"
        case .changeEmail: "E-Mail-Adresse ändern"
        case .changePassword: "Passwort ändern"
        case .signInMethods: "Anmeldemethoden"
        case .sessions: "Wo Sie angemeldet sind"
        case .copyOfData: "Eine Kopie Ihrer Daten"
        case .deleteAccount: "Konto löschen"
        case .confirmItIsYou: "Bestätigen Sie, dass Sie es sind"
        case .accountDeleted: "Ihr Konto ist gelöscht"
        case .deletionPlanned: "Ihr Konto wird gelöscht"
        case .confirmItIsYouHelp:
            "Was nun kommt, schützt Ihr Konto. Bestätigen Sie vorher noch einmal, dass Sie es sind."
        case .saved: "Die Änderung ist gespeichert."
        case .passwordChanged: "Ihr Passwort ist geändert. Überall sonst sind Sie abgemeldet."
        case .newAddressHelp:
            "Wir senden einen Code an die neue Adresse. Vielleicht senden wir zuerst einen an Ihre jetzige Adresse."
        case .methodsHelp: "Bei der Anmeldung können wir auch nach einem Code von einer dieser Stellen fragen."
        case .methodSuspended: "Zurzeit nicht verwendbar, weil das Passwort zurückgesetzt wurde."
        case .sessionsHelp: "Kennen Sie einen Eintrag nicht? Melden Sie ihn ab und ändern Sie Ihr Passwort."
        case .thisBrowser: "Dieser Browser"
        case .browser: "Ein Browser"
        case .lastUsed: "Zuletzt verwendet"
        case .copyHelp: "Eine Datei mit allem, was wir über Sie gespeichert haben, als JSON."
        case .deleteHelp: "Ihr Konto wird sofort mit all Ihren Daten gelöscht. Das lässt sich nicht rückgängig machen."
        case .typeAddress: "Geben Sie zur Bestätigung die E-Mail-Adresse Ihres Kontos ein."
        case .notSet: "Nicht festgelegt"
        case .deleteLaterHelp(let days):
            "Ihr Konto wird in \(days == 1 ? "einem Tag" : "\(days) Tagen") mit all Ihren Daten gelöscht. Bis dahin können Sie sich anmelden und es behalten."
        case .currentPassword: "Jetziges Passwort"
        case .newEmail: "Neue E-Mail-Adresse"
        case .methodName: "Name dieses Eintrags"
        case .save: "Speichern"
        case .rename: "Umbenennen"
        case .remove: "Entfernen"
        case .endOthers: "Überall sonst abmelden"
        case .endAll: "Überall abmelden"
        case .rememberBrowser(let days):
            "In diesem Browser \(days == 1 ? "1 Tag" : "\(days) Tage") lang nicht mehr danach fragen"
        case .rememberedDevices: "Gespeicherte Geräte"
        case .rememberedDevicesHelp: "Auf diesen Geräten wird nicht nach dem zweiten Faktor gefragt."
        case .rememberedUntil: "Endet"
        case .allowedApplications: "Anwendungen, denen Sie etwas erlaubt haben"
        case .download: "Herunterladen"
        case .keepAccount: "Mein Konto behalten"
        case .backToAccount: "Zurück zu Ihrem Konto"
        case .changedElsewhere:
            "Ihre Daten wurden inzwischen an anderer Stelle geändert. Prüfen Sie sie und speichern Sie noch einmal."
        case .nameTaken: "Dieser Name ist vergeben. Wählen Sie einen anderen."
        case .lastMethod: "Sie brauchen eine zusätzliche Bestätigung, und dies ist die letzte."
        case .addressTaken: "Es gibt ein anderes Konto mit dieser Adresse."
        case .addressNotUsable: "Das ist keine E-Mail-Adresse, oder Ihr Konto hat sie schon."
        case .privacy: "Datenschutz"
        case .terms: "Nutzungsbedingungen"
        case .support: "Hilfe"
        case .deviceTitle: "Gerät verbinden"
        case .deviceHelp:
            "Geben Sie den Code ein, den Ihr Fernseher, Ihre Kommandozeile oder ein anderes Gerät zeigt."
        case .wrongDeviceCode:
            "Dieser Code stimmt nicht oder ist zu alt. Prüfen Sie ihn, oder lassen Sie sich auf dem Gerät einen neuen geben."
        case .deviceAllowTitle(let app): "Auf einem anderen Gerät bei \(app) anmelden?"
        case .deviceAsks(let app, let code):
            "Ein Gerät, das den Code \(code) zeigt, möchte \(app) mit Ihrem Konto verwenden."
        case .deviceSince(let minutes): "Minuten seit der Anfrage des Geräts: \(minutes)"
        case .deviceSameNetwork: "Das Gerät ist im selben Netz wie dieser Browser."
        case .deviceOtherNetwork: "Das Gerät ist in einem anderen Netz als dieser Browser."
        case .deviceWarning:
            "Haben Sie das selbst begonnen, und sehen Sie diesen Code jetzt auf Ihrem eigenen Gerät? Wenn Ihnen eine andere Person den Code gegeben hat, wählen Sie „Abbrechen“: Sie käme sonst in Ihr Konto."
        case .deviceAllowed: "Gehen Sie zurück zu Ihrem Gerät"
        case .deviceDeclined: "Das Gerät ist nicht angemeldet"
        case .authenticatorApp: "Authentifizierungs-App"
        case .enterAppCode: "Geben Sie den Code Ihrer App ein"
        case .addApp: "Eine Authentifizierungs-App hinzufügen"
        case .scanHelp:
            "Scannen Sie dieses Bild mit einer Authentifizierungs-App. Geben Sie dann den Code ein, den die App zeigt."
        case .keyByHand: "Oder geben Sie diesen Schlüssel in die App ein:"
        case .openApp: "Die App auf diesem Gerät öffnen"
        case .appCodeHelp:
            "Öffnen Sie Ihre Authentifizierungs-App und geben Sie den Code ein, den sie für dieses Konto zeigt."
        case .wrongAppCode:
            "Dieser Code ist nicht richtig. Geben Sie den ein, den die App jetzt zeigt; jeder Code gilt einmal."
        case .appNotAllowed: "Sie können keine weitere Authentifizierungs-App hinzufügen."
        case .recoveryCodes: "Wiederherstellungscodes"
        case .recoveryHelp: "Für den Tag, an dem Sie keine andere Methode verwenden können. Jeder Code gilt einmal."
        case .makeCodes: "Neue Codes erstellen"
        case .codesLeft(let count): "Verbleibende Codes: \(count)"
        case .codesShownOnce:
            "Bewahren Sie diese Codes an einem sicheren Ort auf, zum Beispiel in einem Passwortmanager. Sie werden nur jetzt gezeigt; frühere Codes gelten nicht mehr."
        case .enterRecoveryCode: "Wiederherstellungscode eingeben"
        case .recoveryCodeHelp: "Geben Sie einen der Codes ein, die Sie aufbewahrt haben. Jeder Code gilt einmal."
        case .wrongRecoveryCode: "Dieser Code stimmt nicht, oder er wurde schon verwendet."
        case .codesLow: "Sie haben nur noch wenige Wiederherstellungscodes. Erstellen Sie jetzt neue."
        case .codesUsedUp:
            "Sie haben alle Wiederherstellungscodes verbraucht. Erstellen Sie neue: Ohne sie können Sie sich nicht mehr anmelden, wenn Sie Ihre anderen Methoden verlieren."
        case .notNow: "Nicht jetzt"
        case .recoveredHelp:
            "Sie haben sich mit einem Wiederherstellungscode angemeldet. Fügen Sie jetzt eine Methode hinzu. Um eine zu entfernen, melden Sie sich zuerst mit einer Methode an."
        case .continueWith(let name): "Weiter mit \(name)"
        case .linkHelp(let provider):
            "Zu dieser Adresse gibt es hier schon ein Konto. Bestätigen Sie einmal, dass es Ihres ist; danach können Sie sich mit \(provider) anmelden."
        case .connect(let name): "\(name) verbinden"
        case .identityTaken: "Dieses Konto beim anderen Dienst ist mit einem anderen Benutzer verbunden."
        case .enoughToday:
            "Sie haben heute so viele Methoden hinzugefügt, wie an einem Tag möglich sind. Bitte versuchen Sie es morgen noch einmal."
        case .connectedAccounts: "Verbundene Konten"
        case .nameMailboxHelp(let provider):
            "\(provider) hat uns keine bestätigte E-Mail-Adresse gegeben. Geben Sie Ihre ein; wir senden Ihnen einen Code."
        case .providerFailed:
            "Der andere Dienst hat Sie nicht angemeldet. Bitte versuchen Sie es noch einmal, oder melden Sie sich anders an."
        case .addPhone: "Telefon hinzufügen"
        case .phoneNumber: "Telefonnummer"
        case .phoneHelp: "Sie erhalten Codes als SMS. Geben Sie die Nummer mit der Ländervorwahl ein, zum Beispiel +49."
        case .enterTextCode: "Code aus der SMS eingeben"
        case .textSent(let number):
            "Wir haben eine SMS mit einem Code an \(number) gesendet. Er ist zehn Minuten gültig."
        case .badPhone: "Geben Sie eine Telefonnummer mit der Ländervorwahl ein, zum Beispiel +49 151 23456789."
        case .blockedPhone:
            "An diese Nummer kann keine SMS gesendet werden. Verwenden Sie eine andere Nummer oder eine andere Methode."
        case .phoneNotAllowed: "Sie können kein weiteres Telefon hinzufügen."
        case .signInWithPasskey: "Mit einem Passkey anmelden"
        case .usePasskey: "Passkey verwenden"
        case .passkeyHelp: "Ihr Browser fragt nach Ihrem Fingerabdruck, Ihrem Gesicht oder der PIN Ihres Geräts."
        case .noPasskeys: "Dieser Browser kann keine Passkeys verwenden, oder er führt keine Skripte aus."
        case .passkeyFailed: "Das hat nicht geklappt, oder es wurde abgebrochen. Sie können es noch einmal versuchen."
        case .passkeyRefused:
            "Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal, oder verwenden Sie eine andere Methode."
        case .passkey: "Passkey"
        case .passkeys: "Passkeys"
        case .passkeysHelp:
            "Sie melden sich mit Ihrem Fingerabdruck, Ihrem Gesicht oder der PIN Ihres Geräts an, ohne Passwort und ohne Code."
        case .addPasskey: "Einen Passkey hinzufügen"
        case .passkeyExists: "Auf diesem Gerät gibt es schon einen Passkey für Ihr Konto."
        case .passkeyNotAllowed: "Sie können keinen weiteren Passkey hinzufügen."
        case .added: "Hinzugefügt"
        case .otherMethod: "Andere Methode verwenden"
        case .errorPrefix: "Fehler"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Name"
        case "givenName": "Vorname"
        case "surname": "Nachname"
        case "jobTitle": "Position"
        case "country": "Land"
        case "state": "Bundesland"
        case "city": "Ort"
        case "streetAddress": "Straße und Hausnummer"
        case "postalCode": "Postleitzahl"
        case "preferredLanguage": "Sprache"
        case AttributeDefinition.aliasName: "Benutzername"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "eine Sekunde" : "\(count) Sekunden"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "eine Minute" : "\(count) Minuten"
    }
}
