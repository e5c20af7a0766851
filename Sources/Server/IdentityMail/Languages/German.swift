// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let german = MailPhrases(
        codeSubject: "Ihr Bestätigungscode für {{{organisation}}}",
        signUp: "Verwenden Sie diesen Code, um Ihr Konto bei {{{organisation}}} zu erstellen.",
        signIn: "Verwenden Sie diesen Code, um sich bei {{{organisation}}} anzumelden.",
        passwordReset:
            "Verwenden Sie diesen Code, um ein neues Passwort für Ihr Konto bei {{{organisation}}} zu wählen.",
        secondFactor:
            "Verwenden Sie diesen Code, um zu bestätigen, dass wirklich Sie sich bei {{{organisation}}} anmelden.",
        registration:
            "Verwenden Sie diesen Code, um diese E-Mail-Adresse Ihrem Konto bei {{{organisation}}} als Bestätigungsmethode hinzuzufügen.",
        accountChange:
            "Verwenden Sie diesen Code, um eine Änderung an Ihrem Konto bei {{{organisation}}} zu bestätigen.",
        emailChange:
            "Verwenden Sie diesen Code, um diese Adresse zur E-Mail-Adresse Ihres Kontos bei {{{organisation}}} zu machen.",
        label: "Ihr Code:",
        validity: "Er ist {{minutes}} Minute{{^single}}n{{/single}} gültig.",
        validityInDays: "Er ist {{days}} Tage gültig.",
        secrecy: "Geben Sie diesen Code an niemanden weiter. {{{organisation}}} wird Sie niemals danach fragen.",
        notAsked: "Wenn Sie diesen Code nicht angefordert haben, können Sie diese Nachricht ignorieren.",
        notMe: "Wenn Sie das nicht waren, wählen Sie sofort ein neues Passwort und informieren Sie {{{organisation}}}.",
        emailChanged: Notice(
            subject: "Die E-Mail-Adresse Ihres Kontos bei {{{organisation}}} wurde geändert",
            event:
                "Ihr Konto bei {{{organisation}}} hat jetzt eine andere E-Mail-Adresse. Der Code unten macht die Änderung rückgängig und meldet alle Geräte ab.",
            unasked: "Wenn Sie diese Änderung selbst vorgenommen haben, können Sie diese Nachricht ignorieren."),
        emailChangeUndone: Notice(
            subject: "Ihr Konto bei {{{organisation}}} hat wieder seine alte E-Mail-Adresse",
            event:
                "Die Änderung der E-Mail-Adresse Ihres Kontos bei {{{organisation}}} wurde rückgängig gemacht. Alle Geräte sind abgemeldet.",
            unasked: "Wählen Sie sofort ein neues Passwort: Möglicherweise kennt eine andere Person das alte."),
        emailReplaced: Notice(
            subject: "Die E-Mail-Adresse Ihres Kontos bei {{{organisation}}} wurde geändert",
            event: "{{{organisation}}} hat Ihrem Konto eine andere E-Mail-Adresse gegeben und alle Geräte abgemeldet.",
            unasked: "Wenn Sie diese Änderung nicht verlangt haben, informieren Sie {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Wählen Sie ein neues Passwort für {{{organisation}}}",
            event:
                "{{{organisation}}} hat das Passwort Ihres Kontos ungültig gemacht und alle Geräte abgemeldet. Um sich wieder anzumelden, öffnen Sie die App und wählen Sie ein neues Passwort, so als hätten Sie das alte vergessen.",
            unasked: "Wenn Sie Fragen dazu haben, wenden Sie sich an {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Ihr Konto bei {{{organisation}}} wurde gelöscht",
            event: "Ihr Konto bei {{{organisation}}} und die darin enthaltenen Daten wurden gelöscht.",
            unasked: "Wenn Sie das nicht waren, informieren Sie {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Ihr Konto bei {{{organisation}}} wird gelöscht",
            event:
                "Ihr Konto bei {{{organisation}}} wird in {{days}} Tag{{^oneDay}}en{{/oneDay}} gelöscht. Wenn Sie es behalten möchten, melden Sie sich vorher an und entscheiden Sie sich dafür, das Konto zu behalten.",
            unasked:
                "Wenn Sie das nicht waren, melden Sie sich an, behalten Sie das Konto und wählen Sie ein neues Passwort."
        ),
        passwordChanged: Notice(
            subject: "Ihr Passwort für {{{organisation}}} wurde geändert",
            event: "Das Passwort Ihres Kontos bei {{{organisation}}} wurde geändert."),
        methodRegistered: Notice(
            subject: "Ihrem Konto bei {{{organisation}}} wurde eine Bestätigungsmethode hinzugefügt",
            event: "Ihrem Konto bei {{{organisation}}} wurde eine E-Mail-Adresse als Bestätigungsmethode hinzugefügt."),
        methodRemoved: Notice(
            subject: "Eine Bestätigungsmethode wurde aus Ihrem Konto bei {{{organisation}}} entfernt",
            event: "Eine E-Mail-Adresse ist keine Bestätigungsmethode Ihres Kontos bei {{{organisation}}} mehr."),
        methodSuspended: Notice(
            subject: "Eine Bestätigungsmethode Ihres Kontos bei {{{organisation}}} ist vorübergehend gesperrt",
            event:
                "Ihr Passwort bei {{{organisation}}} wurde zurückgesetzt. Eine kürzlich hinzugefügte E-Mail-Adresse kann einen Tag lang nicht als Bestätigungsmethode verwendet werden."
        ),
        methodReactivated: Notice(
            subject: "Eine Bestätigungsmethode Ihres Kontos bei {{{organisation}}} wird wieder verwendet",
            event:
                "Eine vorübergehend gesperrte E-Mail-Adresse wurde als Bestätigungsmethode bei {{{organisation}}} verwendet."
        ),
        methodFirstUsed: Notice(
            subject: "Eine neue Bestätigungsmethode Ihres Kontos bei {{{organisation}}} wurde verwendet",
            event: "Eine E-Mail-Adresse wurde zum ersten Mal als Bestätigungsmethode bei {{{organisation}}} verwendet."),
        passkeySuspect: Notice(
            subject: "Ein Passkey Ihres Kontos bei {{{organisation}}} hat ungewöhnlich geantwortet",
            event:
                "Ein Passkey Ihres Kontos bei {{{organisation}}} hat anders geantwortet als bisher: Er wurde möglicherweise kopiert, oder er hat keine Sicherung mehr.",
            unasked:
                "Wenn Sie sich das nicht erklären können, entfernen Sie den Passkey aus Ihrem Konto und fügen Sie einen neuen hinzu."
        ),
        recoveryCodeUsed: Notice(
            subject: "Ein Wiederherstellungscode Ihres Kontos bei {{{organisation}}} wurde verwendet",
            event:
                "Für eine Anmeldung bei Ihrem Konto bei {{{organisation}}} wurde ein Wiederherstellungscode verwendet."),
        accountExists: Notice(
            subject: "Sie haben bereits ein Konto bei {{{organisation}}}",
            event:
                "Jemand, vielleicht Sie selbst, hat mit dieser E-Mail-Adresse ein neues Konto bei {{{organisation}}} angefordert. Zu dieser Adresse gibt es bereits ein Konto: Melden Sie sich an oder setzen Sie Ihr Passwort zurück, falls Sie es vergessen haben.",
            unasked: "Wenn Sie das nicht waren, brauchen Sie nichts zu tun: Ihr Konto ist unverändert."),
        signInLocked: Notice(
            subject: "Jemand versucht, sich bei Ihrem Konto bei {{{organisation}}} anzumelden",
            event:
                "Für Ihr Konto bei {{{organisation}}} wurden viele falsche Passwörter ausprobiert. Die Anmeldung mit Passwort ist eine Zeit lang blockiert; ein neues Passwort hebt die Blockierung sofort auf.",
            unasked:
                "Wenn Sie das nicht waren: Ihr Konto ist geschützt. Verwenden Sie hier ein Passwort, das Sie nirgendwo sonst verwenden."
        ),
        signedInAfterFailures: Notice(
            subject: "Anmeldung bei Ihrem Konto bei {{{organisation}}} nach vielen falschen Passwörtern",
            event: "Das richtige Passwort für Ihr Konto bei {{{organisation}}} wurde nach vielen falschen eingegeben."),
        methodLabel: "E-Mail-Adresse",
        authenticatorApp: "Authentifizierungs-App",
        passkey: "Passkey",
        recoveryCodes: "Wiederherstellungscodes",
        recoveryCodesLeft: "Verbleibende Wiederherstellungscodes",
        timeLabel: "Zeitpunkt",
        networkLabel: "Netzwerk")
}
