// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let czech = MailPhrases(
        codeSubject: "Váš ověřovací kód {{{organisation}}}",
        signUp: "Tento kód použijte k vytvoření svého účtu {{{organisation}}}.",
        signIn: "Tento kód použijte k přihlášení ke svému účtu {{{organisation}}}.",
        passwordReset: "Tento kód použijte k volbě nového hesla ke svému účtu {{{organisation}}}.",
        secondFactor: "Tímto kódem potvrďte, že se ke svému účtu {{{organisation}}} přihlašujete opravdu vy.",
        registration:
            "Tímto kódem přidejte tuto e-mailovou adresu ke svému účtu {{{organisation}}} jako způsob ověření.",
        accountChange: "Tímto kódem potvrďte změnu svého účtu {{{organisation}}}.",
        emailChange: "Tímto kódem nastavte tuto adresu jako e-mailovou adresu svého účtu {{{organisation}}}.",
        label: "Váš kód:",
        validity: "Platí po dobu {{minutes}} {{#single}}minuty{{/single}}{{^single}}minut{{/single}}.",
        validityInDays: "Platí po dobu {{days}} dnů.",
        secrecy: "Tento kód nikomu nesdělujte. Organizace {{{organisation}}} ho po vás nikdy nebude chtít.",
        notAsked: "Pokud žádost o tento kód nepochází od vás, můžete tuto zprávu ignorovat.",
        notMe: "Pokud jste to nebyli vy, ihned si zvolte nové heslo a informujte organizaci {{{organisation}}}.",
        emailChanged: Notice(
            subject: "E-mailová adresa vašeho účtu {{{organisation}}} byla změněna",
            event:
                "Váš účet {{{organisation}}} má nyní jinou e-mailovou adresu. Níže uvedený kód změnu vrátí zpět a odhlásí všechna zařízení.",
            unasked: "Pokud tato změna pochází od vás, můžete tuto zprávu ignorovat."),
        emailChangeUndone: Notice(
            subject: "Váš účet {{{organisation}}} má znovu původní e-mailovou adresu",
            event:
                "Změna e-mailové adresy vašeho účtu {{{organisation}}} byla vrácena zpět. Všechna zařízení jsou odhlášena.",
            unasked: "Ihned si zvolte nové heslo: to staré může znát někdo jiný."),
        emailReplaced: Notice(
            subject: "E-mailová adresa vašeho účtu {{{organisation}}} byla změněna",
            event:
                "Organizace {{{organisation}}} přiřadila vašemu účtu jinou e-mailovou adresu a odhlásila všechna zařízení.",
            unasked: "Pokud žádost o tuto změnu nepochází od vás, informujte organizaci {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Zvolte si nové heslo k účtu {{{organisation}}}",
            event:
                "Organizace {{{organisation}}} zneplatnila heslo k vašemu účtu a odhlásila všechna zařízení. Chcete-li se znovu přihlásit, otevřete aplikaci a zvolte si nové heslo, stejně jako při zapomenutém hesle.",
            unasked: "Pokud k tomu máte dotazy, obraťte se na organizaci {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Váš účet {{{organisation}}} byl smazán",
            event: "Váš účet {{{organisation}}} a údaje v něm byly smazány.",
            unasked: "Pokud jste to nebyli vy, informujte organizaci {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Váš účet {{{organisation}}} bude smazán",
            event:
                "Váš účet {{{organisation}}} bude smazán po uplynutí {{days}} {{#oneDay}}dne{{/oneDay}}{{^oneDay}}dnů{{/oneDay}}. Pokud si ho chcete ponechat, do té doby se přihlaste a zvolte ponechání účtu.",
            unasked: "Pokud jste to nebyli vy, přihlaste se, účet si ponechte a zvolte si nové heslo."),
        passwordChanged: Notice(
            subject: "Vaše heslo k účtu {{{organisation}}} bylo změněno",
            event: "Heslo k vašemu účtu {{{organisation}}} bylo změněno."),
        methodRegistered: Notice(
            subject: "K vašemu účtu {{{organisation}}} byl přidán způsob ověření",
            event: "K vašemu účtu {{{organisation}}} byla jako způsob ověření přidána e-mailová adresa."),
        methodRemoved: Notice(
            subject: "Z vašeho účtu {{{organisation}}} byl odebrán způsob ověření",
            event: "E-mailová adresa už není způsobem ověření vašeho účtu {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "Způsob ověření vašeho účtu {{{organisation}}} je pozastaven",
            event:
                "Vaše heslo k účtu {{{organisation}}} bylo resetováno. Nedávno přidanou e-mailovou adresu nelze po dobu jednoho dne použít jako způsob ověření."
        ),
        methodReactivated: Notice(
            subject: "Způsob ověření vašeho účtu {{{organisation}}} se znovu používá",
            event: "Pozastavená e-mailová adresa byla použita jako způsob ověření vašeho účtu {{{organisation}}}."),
        methodFirstUsed: Notice(
            subject: "Byl použit nový způsob ověření vašeho účtu {{{organisation}}}",
            event: "E-mailová adresa byla poprvé použita jako způsob ověření vašeho účtu {{{organisation}}}."),
        passkeySuspect: Notice(
            subject: "Přístupový klíč vašeho účtu {{{organisation}}} odpověděl neobvykle",
            event:
                "Přístupový klíč vašeho účtu {{{organisation}}} odpověděl jinak než dříve: mohl být zkopírován, nebo už nemá zálohu.",
            unasked:
                "Pokud si to neumíte vysvětlit, odeberte přístupový klíč ze svého účtu a přidejte nový."),
        recoveryCodeUsed: Notice(
            subject: "U vašeho účtu {{{organisation}}} byl použit záchranný kód",
            event: "K přihlášení k vašemu účtu {{{organisation}}} byl použit záchranný kód."),
        accountExists: Notice(
            subject: "Účet {{{organisation}}} už máte",
            event:
                "Někdo, možná vy, požádal o nový účet {{{organisation}}} s touto e-mailovou adresou. K této adrese už účet existuje: přihlaste se, nebo si resetujte heslo, pokud jste ho zapomněli.",
            unasked: "Pokud jste to nebyli vy, nemusíte nic dělat: váš účet zůstal beze změny."),
        signInLocked: Notice(
            subject: "Někdo se pokouší přihlásit k vašemu účtu {{{organisation}}}",
            event:
                "U vašeho účtu {{{organisation}}} bylo vyzkoušeno mnoho nesprávných hesel. Přihlášení heslem je na nějakou dobu zablokováno; nové heslo ho ihned odblokuje.",
            unasked:
                "Pokud jste to nebyli vy, váš účet je chráněn. Používejte zde heslo, které nepoužíváte nikde jinde."),
        signedInAfterFailures: Notice(
            subject: "Přihlášení k vašemu účtu {{{organisation}}} po mnoha nesprávných heslech",
            event: "Po mnoha nesprávných heslech bylo zadáno správné heslo k vašemu účtu {{{organisation}}}."),
        methodLabel: "E-mailová adresa",
        authenticatorApp: "Ověřovací aplikace",
        passkey: "Přístupový klíč",
        recoveryCodes: "Záchranné kódy",
        recoveryCodesLeft: "Zbývající záchranné kódy",
        timeLabel: "Datum a čas",
        networkLabel: "Síť")
}
