// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let italian = MailPhrases(
        codeSubject: "Il tuo codice di verifica per {{{organisation}}}",
        signUp: "Usa questo codice per creare il tuo account {{{organisation}}}.",
        signIn: "Usa questo codice per accedere al tuo account {{{organisation}}}.",
        passwordReset: "Usa questo codice per scegliere una nuova password per il tuo account {{{organisation}}}.",
        secondFactor: "Usa questo codice per confermare che sei tu ad accedere al tuo account {{{organisation}}}.",
        registration:
            "Usa questo codice per aggiungere questo indirizzo email al tuo account {{{organisation}}} come metodo di verifica.",
        accountChange: "Usa questo codice per confermare una modifica al tuo account {{{organisation}}}.",
        emailChange:
            "Usa questo codice per impostare questo indirizzo come indirizzo email del tuo account {{{organisation}}}.",
        label: "Il tuo codice:",
        validity: "È valido per {{minutes}} minut{{#single}}o{{/single}}{{^single}}i{{/single}}.",
        validityInDays: "È valido per {{days}} giorni.",
        secrecy: "Non condividere questo codice con nessuno. {{{organisation}}} non te lo chiederà mai.",
        notAsked: "Se non hai richiesto questo codice, puoi ignorare questo messaggio.",
        notMe:
            "Se non hai effettuato tu questa operazione, scegli subito una nuova password e avvisa {{{organisation}}}.",
        emailChanged: Notice(
            subject: "L’indirizzo email del tuo account {{{organisation}}} è stato modificato",
            event:
                "Il tuo account {{{organisation}}} ha ora un altro indirizzo email. Il codice qui sotto annulla la modifica e disconnette tutti i dispositivi.",
            unasked: "Se hai effettuato tu questa modifica, puoi ignorare questo messaggio."),
        emailChangeUndone: Notice(
            subject: "Il tuo account {{{organisation}}} ha di nuovo il vecchio indirizzo email",
            event:
                "La modifica dell’indirizzo email del tuo account {{{organisation}}} è stata annullata. Tutti i dispositivi sono stati disconnessi.",
            unasked: "Scegli subito una nuova password: un’altra persona potrebbe conoscere quella vecchia."),
        emailReplaced: Notice(
            subject: "L’indirizzo email del tuo account {{{organisation}}} è stato modificato",
            event:
                "{{{organisation}}} ha assegnato un altro indirizzo email al tuo account e ha disconnesso tutti i dispositivi.",
            unasked: "Se non hai richiesto questa modifica, avvisa {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Scegli una nuova password per {{{organisation}}}",
            event:
                "{{{organisation}}} ha invalidato la password del tuo account e ha disconnesso tutti i dispositivi. Per accedere di nuovo, apri l’app e scegli una nuova password, come se avessi dimenticato quella vecchia.",
            unasked: "Per qualsiasi domanda al riguardo, contatta {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Il tuo account {{{organisation}}} è stato eliminato",
            event: "Il tuo account {{{organisation}}} e i dati che conteneva sono stati eliminati.",
            unasked: "Se non hai effettuato tu questa operazione, avvisa {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Il tuo account {{{organisation}}} verrà eliminato",
            event:
                "Il tuo account {{{organisation}}} verrà eliminato tra {{days}} giorn{{#oneDay}}o{{/oneDay}}{{^oneDay}}i{{/oneDay}}. Se vuoi conservarlo, accedi prima di allora e scegli di conservare l’account.",
            unasked:
                "Se non hai effettuato tu questa operazione, accedi, conserva l’account e scegli una nuova password."),
        passwordChanged: Notice(
            subject: "La tua password per {{{organisation}}} è stata modificata",
            event: "La password del tuo account {{{organisation}}} è stata modificata."),
        methodRegistered: Notice(
            subject: "Un metodo di verifica è stato aggiunto al tuo account {{{organisation}}}",
            event: "Un indirizzo email è stato aggiunto al tuo account {{{organisation}}} come metodo di verifica."),
        methodRemoved: Notice(
            subject: "Un metodo di verifica è stato rimosso dal tuo account {{{organisation}}}",
            event: "Un indirizzo email non è più un metodo di verifica del tuo account {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "Un metodo di verifica del tuo account {{{organisation}}} è sospeso",
            event:
                "La password del tuo account {{{organisation}}} è stata reimpostata. Un indirizzo email aggiunto di recente non può essere usato come metodo di verifica per un giorno."
        ),
        methodReactivated: Notice(
            subject: "Un metodo di verifica del tuo account {{{organisation}}} è di nuovo in uso",
            event:
                "Un indirizzo email che era sospeso è stato usato come metodo di verifica del tuo account {{{organisation}}}."
        ),
        methodFirstUsed: Notice(
            subject: "Un nuovo metodo di verifica del tuo account {{{organisation}}} è stato usato",
            event:
                "Un indirizzo email è stato usato per la prima volta come metodo di verifica del tuo account {{{organisation}}}."
        ),
        passkeySuspect: Notice(
            subject: "Una passkey del tuo account {{{organisation}}} ha risposto in modo insolito",
            event:
                "Una passkey del tuo account {{{organisation}}} ha risposto in modo diverso da prima: potrebbe essere stata copiata, oppure non ha più un backup.",
            unasked:
                "Se non riesci a spiegartelo, rimuovi la passkey dal tuo account e aggiungine una nuova."),
        recoveryCodeUsed: Notice(
            subject: "Un codice di recupero del tuo account {{{organisation}}} è stato usato",
            event: "Un codice di recupero è stato usato per accedere al tuo account {{{organisation}}}."),
        accountExists: Notice(
            subject: "Hai già un account {{{organisation}}}",
            event:
                "Qualcuno, forse tu, ha richiesto un nuovo account {{{organisation}}} con questo indirizzo email. Questo indirizzo ha già un account: accedi, oppure reimposta la password se l’hai dimenticata.",
            unasked:
                "Se non hai effettuato tu questa operazione, non devi fare nulla: il tuo account è rimasto com’era."),
        signInLocked: Notice(
            subject: "Qualcuno sta cercando di accedere al tuo account {{{organisation}}}",
            event:
                "Sono state provate molte password errate per il tuo account {{{organisation}}}. L’accesso con password è bloccato per un po’; una nuova password lo sblocca subito.",
            unasked: "Se non eri tu, il tuo account è protetto. Usa qui una password che non usi da nessun’altra parte."
        ),
        signedInAfterFailures: Notice(
            subject: "Accesso al tuo account {{{organisation}}} dopo molte password errate",
            event:
                "La password corretta del tuo account {{{organisation}}} è stata inserita dopo molte password errate."),
        methodLabel: "Indirizzo email",
        authenticatorApp: "App di autenticazione",
        passkey: "Passkey",
        recoveryCodes: "Codici di recupero",
        recoveryCodesLeft: "Codici di recupero rimasti",
        timeLabel: "Data e ora",
        networkLabel: "Rete")
}
