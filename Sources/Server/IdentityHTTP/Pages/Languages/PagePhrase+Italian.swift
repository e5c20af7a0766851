import IdentityEngine

extension PagePhrase {
    var italian: String {
        switch self {
        case .signIn: "Accedi"
        case .createAccount: "Crea il tuo account"
        case .enterPassword: "Inserisci la password"
        case .enterCode: "Controlla la tua email"
        case .choosePassword: "Scegli una password"
        case .chooseNewPassword: "Scegli una nuova password"
        case .aboutYou: "Informazioni su di te"
        case .chooseMethod: "Ancora un passaggio"
        case .addMailbox: "Aggiungi un altro indirizzo email"
        case .cannotGoOn: "Impossibile continuare"
        case .tookTooLong: "Tempo scaduto"
        case .needsCookies: "Consenti i cookie"
        case .begunElsewhere: "Accesso iniziato altrove"
        case .signedIn: "Accesso effettuato"
        case .movingOn: "Un momento"
        case .signOut: "Vuoi uscire?"
        case .signedOut: "Disconnessione effettuata"
        case .busy: "Riprova tra poco"
        case .continueTo(let app): "Continua su \(app)"
        case .toApp(let app): "per continuare su \(app)"
        case .codeSent(let address): "Abbiamo inviato un codice a \(address)."
        case .codeIsValid: "È valido per dieci minuti. Se non lo vedi, guarda nella cartella della posta indesiderata."
        case .signedInAs(let name): "Hai effettuato l’accesso come \(name)."
        case .whyMailbox:
            "Questa app richiede una verifica aggiuntiva. Quando accederai, invieremo i codici a questo indirizzo."
        case .whyMethod: "Questa app richiede una verifica aggiuntiva. Dove possiamo inviare un codice?"
        case .wantsAccess(let app): "\(app) appartiene a un’altra organizzazione. L’app chiede di:"
        case .scopeOpenID: "sapere che sei la stessa persona quando torni"
        case .scopeProfile: "vedere il tuo nome"
        case .scopeEmail: "vedere il tuo indirizzo email"
        case .scopeOffline: "restare connessa quando non ci sei"
        case .scopeOther(let name): "usare \(name)"
        case .allow: "Consenti"
        case .decline: "Non consentire"
        case .passwordRules: "Almeno 8 caratteri, con tre di questi tipi: minuscole, maiuscole, cifre, altri caratteri."
        case .cookiesHelp:
            "Il tuo browser rifiuta il cookie necessario per l’accesso. Consenti i cookie per questo indirizzo e riprova."
        case .begunElsewhereHelp:
            "Questo accesso non è iniziato in questo browser, oppure i cookie sono stati eliminati. Torna all’app e ricomincia."
        case .wrongAddressHelp:
            "Non conosciamo l’app da cui arrivi, oppure non possiamo rispondere alla sua richiesta. Torna indietro e riprova. Se succede ancora, avvisa chi gestisce l’app."
        case .policyHelp: "Con il tuo account non è possibile la verifica richiesta da questa app."
        case .overHelp: "Questo accesso è terminato. Puoi ricominciare."
        case .mayCloseWindow(let app): "Torna a \(app). Puoi chiudere questa finestra."
        case .movingOnHelp(let app): "Ti riportiamo a \(app)."
        case .busyHelp:
            "Il server non può rispondere in questo momento. I dati che hai inserito non sono andati persi: invia di nuovo il modulo tra poco."
        case .signOutHelp(let tenant): "La tua sessione su \(tenant) verrà chiusa in questo browser."
        case .signedOutHelp: "Puoi chiudere questa finestra."
        case .requestNumber(let number): "Numero di questa richiesta: \(number)"
        case .email: "Indirizzo email"
        case .emailOrName: "Indirizzo email o nome utente"
        case .password: "Password"
        case .newPassword: "Nuova password"
        case .showPassword: "Mostra password"
        case .code: "Codice"
        case .staySignedIn: "Mantieni l’accesso su questo dispositivo"
        case .optional: "facoltativo"
        case .attribute(let name): attribute(name)
        case .next: "Avanti"
        case .signInButton: "Accedi"
        case .signOutButton: "Esci"
        case .cancel: "Annulla"
        case .sendAgain: "Invia un nuovo codice"
        case .forgotPassword: "Password dimenticata?"
        case .otherAccount: "Usa un altro account"
        case .goOn: "Continua"
        case .haveAccount: "Ho un account"
        case .noAccount: "Crea un account"
        case .startAgain: "Ricomincia"
        case .backToApp(let app): "Torna a \(app)"
        case .wrongCode: "Questo codice non è corretto. Controllalo o richiedine uno nuovo."
        case .oldCode: "Questo codice è scaduto. Richiedine uno nuovo."
        case .wait(let seconds): "Troppi tentativi. Attendi \(time(seconds, inSeconds, inMinutes)) e riprova."
        case .locked(let minutes):
            "Sono state inserite troppe password errate. Attendi \(inMinutes(minutes)) oppure reimposta la password."
        case .wrongPassword: "La password non è corretta."
        case .unknownUser: "Non c’è nessun account con questo nome. Controllalo o crea un account."
        case .userExists: "Esiste già un account con questo indirizzo. Accedi."
        case .disabledAccount: "Questo account non può essere usato."
        case .badEmail: "Inserisci un indirizzo email, per esempio nome@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Questa password è troppo corta: deve avere almeno 8 caratteri."
            case .tooLong: "Questa password è troppo lunga: può avere al massimo 256 caratteri."
            case .tooWeak: "Usa tre di questi tipi: minuscole, maiuscole, cifre, altri caratteri."
            case .banned: "Questa password è facile da indovinare. Scegline un’altra."
            case .recentlyUsed: "Questa è la tua password attuale. Scegline un’altra."
            case .invalid: "Questa password contiene un carattere che non si può usare."
            }
        case .mailboxRefuses: "Il server di posta di questo indirizzo rifiuta le nostre email. Usa un altro indirizzo."
        case .blockedContact: "Questo indirizzo non può essere aggiunto ora. Usa prima l’indirizzo del tuo account."
        case .badAttributes: "Alcune risposte non possono essere usate. Controllale."
        case .badField(let name): "Controlla qui: \(attribute(name))."
        case .missing: "Compila questo campo."
        case .alreadyDone: "Questo passaggio è già stato completato. Continua da qui."
        case .codeSentAgain: "Se l’ultimo codice ha più di un minuto, ne arriverà uno nuovo."
        case .signUpClosed: "Questa app non accetta nuovi utenti."
        case .noPassword: "Questo account non ha una password. Accedi con un codice."
        case .text(let text): text
        case .deviceTitle: "Collega un dispositivo"
        case .deviceHelp:
            "Inserisci il codice mostrato dal televisore, dalla riga di comando o da un altro dispositivo."
        case .wrongDeviceCode:
            "Questo codice non è giusto, o è troppo vecchio. Controllalo, o chiedine uno nuovo sul dispositivo."
        case .deviceAllowTitle(let app): "Accedere a \(app) su un altro dispositivo?"
        case .deviceAsks(let app, let code):
            "Un dispositivo che mostra il codice \(code) chiede di usare \(app) con il tuo account."
        case .deviceSince(let minutes): "Minuti dalla richiesta del dispositivo: \(minutes)"
        case .deviceSameNetwork: "Il dispositivo è nella stessa rete di questo browser."
        case .deviceOtherNetwork: "Il dispositivo è in una rete diversa da questo browser."
        case .deviceWarning:
            "Hai iniziato tu, e vedi ora questo codice sul tuo dispositivo? Se un’altra persona ti ha dato il codice, scegli «Annulla»: quella persona entrerebbe nel tuo account."
        case .deviceAllowed: "Torna al tuo dispositivo"
        case .deviceDeclined: "Il dispositivo non ha effettuato l’accesso"
        case .errorPrefix: "Errore"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Nome completo"
        case "givenName": "Nome"
        case "surname": "Cognome"
        case "jobTitle": "Qualifica"
        case "country": "Paese"
        case "state": "Provincia"
        case "city": "Città"
        case "streetAddress": "Indirizzo"
        case "postalCode": "Codice postale"
        case "preferredLanguage": "Lingua"
        case AttributeDefinition.aliasName: "Nome utente"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "un secondo" : "\(count) secondi"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "un minuto" : "\(count) minuti"
    }
}
