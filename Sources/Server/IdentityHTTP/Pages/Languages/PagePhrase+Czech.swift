import IdentityEngine

extension PagePhrase {
    var czech: String {
        switch self {
        case .signIn: "Přihlášení"
        case .createAccount: "Vytvořte si účet"
        case .enterPassword: "Zadejte heslo"
        case .enterCode: "Podívejte se do e-mailu"
        case .choosePassword: "Zvolte si heslo"
        case .chooseNewPassword: "Zvolte si nové heslo"
        case .aboutYou: "O vás"
        case .chooseMethod: "Ještě jeden krok"
        case .addMailbox: "Přidejte další e-mailovou adresu"
        case .cannotGoOn: "Nemůžeme pokračovat"
        case .tookTooLong: "Trvalo to příliš dlouho"
        case .needsCookies: "Povolte soubory cookie"
        case .begunElsewhere: "Přihlášení začalo jinde"
        case .signedIn: "Přihlášení proběhlo"
        case .movingOn: "Okamžik"
        case .signOut: "Odhlásit se?"
        case .signedOut: "Odhlášení proběhlo"
        case .busy: "Zkuste to za chvíli znovu"
        case .continueTo(let app): "Pokračovat do aplikace \(app)"
        case .toApp(let app): "Poté budete pokračovat do aplikace \(app)."
        case .codeSent(let address): "Poslali jsme kód na adresu \(address)."
        case .codeIsValid: "Platí deset minut. Pokud ho nevidíte, podívejte se do složky se spamem."
        case .signedInAs(let name): "Přihlášený účet: \(name)"
        case .appSignedInAs(let app, let name): "V aplikaci „\(app)“ je přihlášený účet \(name)."
        case .goOnAs(let name): "Pokračovat jako \(name)"
        case .whyMailbox: "Tato aplikace vyžaduje další ověření. Při přihlášení budeme na tuto adresu posílat kódy."
        case .whyMethod: "Tato aplikace vyžaduje druhé ověření. Který způsob chcete použít?"
        case .wantsAccess(let app): "Aplikace \(app) patří jiné organizaci. Žádá o možnost:"
        case .scopeOpenID: "vědět, že jste to znovu vy, když se vrátíte"
        case .scopeProfile: "vidět vaše jméno"
        case .scopeEmail: "vidět vaši e-mailovou adresu"
        case .scopeOffline: "zůstat připojená, když tu nejste"
        case .scopeOther(let name): "používat \(name)"
        case .allow: "Povolit"
        case .decline: "Nepovolit"
        case .passwordRules: "Alespoň 8 znaků a tři z těchto druhů: malá písmena, velká písmena, číslice, jiné znaky."
        case .cookiesHelp:
            "Váš prohlížeč odmítá soubor cookie, který je k přihlášení potřeba. Povolte pro tuto adresu soubory cookie a zkuste to znovu."
        case .begunElsewhereHelp:
            "Toto přihlášení nezačalo v tomto prohlížeči, nebo byly smazány jeho soubory cookie. Vraťte se do aplikace a začněte znovu."
        case .wrongAddressHelp:
            "Neznáme aplikaci, ze které přicházíte, nebo na její požadavek nemůžeme odpovědět. Vraťte se a zkuste to znovu. Pokud se to stane znovu, informujte tvůrce aplikace."
        case .whyPasskey:
            "Tato aplikace vyžaduje přístupový klíč. Vytvořte si ho v tomto zařízení; budete se jím přihlašovat."
        case .policyHelp: "Váš účet neumožňuje ověření, které tato aplikace vyžaduje."
        case .overHelp: "Toto přihlášení skončilo. Můžete začít znovu."
        case .mayCloseWindow(let app): "Vraťte se do aplikace \(app). Toto okno můžete zavřít."
        case .movingOnHelp(let app): "Vracíme vás do aplikace \(app)."
        case .busyHelp: "Server teď nemůže odpovědět. Zadané údaje se neztratily: za chvíli formulář odešlete znovu."
        case .signOutHelp(let tenant): "Váš účet \(tenant) bude v tomto prohlížeči odhlášen."
        case .signedOutHelp: "Toto okno můžete zavřít."
        case .requestNumber(let number): "Číslo tohoto požadavku: \(number)"
        case .email: "E-mailová adresa"
        case .emailOrName: "E-mailová adresa nebo uživatelské jméno"
        case .password: "Heslo"
        case .newPassword: "Nové heslo"
        case .showPassword: "Zobrazit heslo"
        case .code: "Kód"
        case .staySignedIn: "Neodhlašovat na tomto zařízení"
        case .optional: "nepovinné"
        case .attribute(let name): attribute(name)
        case .next: "Další"
        case .signInButton: "Přihlásit se"
        case .signOutButton: "Odhlásit se"
        case .cancel: "Zrušit"
        case .sendAgain: "Poslat nový kód"
        case .forgotPassword: "Zapomněli jste heslo?"
        case .otherAccount: "Použít jiný účet"
        case .goOn: "Pokračovat"
        case .haveAccount: "Už mám účet"
        case .noAccount: "Vytvořit účet"
        case .startAgain: "Začít znovu"
        case .backToApp(let app): "Zpět do aplikace \(app)"
        case .wrongCode: "Tento kód není správný. Zkontrolujte ho nebo požádejte o nový."
        case .oldCode: "Tento kód je příliš starý. Požádejte o nový."
        case .wait(let seconds):
            "Příliš mnoho pokusů. Počkejte \(time(seconds, inSeconds, inMinutes)) a zkuste to znovu."
        case .locked(let minutes):
            "Bylo zadáno příliš mnoho nesprávných hesel. Počkejte \(inMinutes(minutes)), nebo si resetujte heslo."
        case .wrongPassword: "Toto heslo není správné."
        case .unknownUser: "Účet s tímto jménem neexistuje. Zkontrolujte ho, nebo si vytvořte účet."
        case .userExists: "Účet s touto adresou už existuje. Přihlaste se."
        case .disabledAccount: "Tento účet nelze použít."
        case .badEmail: "Zadejte e-mailovou adresu, například jmeno@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Toto heslo je příliš krátké: musí mít alespoň 8 znaků."
            case .tooLong: "Toto heslo je příliš dlouhé: může mít nejvýše 256 znaků."
            case .tooWeak: "Použijte tři z těchto druhů: malá písmena, velká písmena, číslice, jiné znaky."
            case .banned: "Toto heslo se dá snadno uhodnout. Zvolte si jiné."
            case .recentlyUsed: "Toto je vaše současné heslo. Zvolte si jiné."
            case .invalid: "Toto heslo obsahuje znak, který nelze použít."
            }
        case .mailboxRefuses: "Poštovní server této adresy odmítá naše e-maily. Použijte jinou adresu."
        case .blockedContact: "Tuto adresu teď nelze přidat. Použijte nejprve adresu svého účtu."
        case .badAttributes: "Některé odpovědi nelze použít. Zkontrolujte je."
        case .badField(let name): "Zkontrolujte: \(attribute(name))."
        case .missing: "Vyplňte toto pole."
        case .alreadyDone: "Tento krok už je hotový. Pokračujte tady."
        case .codeSentAgain: "Pokud je poslední kód starší než minutu, nový je na cestě."
        case .signUpClosed: "Do této aplikace se noví uživatelé nemohou registrovat."
        case .noPassword: "Tento účet nemá heslo. Přihlaste se pomocí kódu."
        case .text(let text): text
        case .yourAccount: "Váš účet"
        case .yourData: "Vaše údaje"
        case .changeEmail: "Změna e-mailové adresy"
        case .changePassword: "Změna hesla"
        case .secondFactor: "Další ověření"
        case .sessions: "Kde jste přihlášeni"
        case .copyOfData: "Kopie vašich údajů"
        case .deleteAccount: "Smazat účet"
        case .confirmItIsYou: "Potvrďte, že jste to vy"
        case .accountDeleted: "Váš účet je smazán"
        case .deletionPlanned: "Váš účet bude smazán"
        case .confirmItIsYouHelp:
            "Následující krok chrání váš účet. Než budete pokračovat, potvrďte znovu, že jste to vy."
        case .saved: "Změna je uložena."
        case .passwordChanged: "Vaše heslo je změněno. Všude jinde proběhlo odhlášení."
        case .newAddressHelp: "Na novou adresu pošleme kód. Možná nejprve pošleme kód na vaši nynější adresu."
        case .methodsHelp: "Při přihlášení se můžeme zeptat také na kód z jedné z těchto možností."
        case .methodSuspended: "Teď ji nelze použít, protože heslo bylo obnoveno."
        case .sessionsHelp: "Nepoznáváte některou položku? Odhlaste ji a změňte si heslo."
        case .thisBrowser: "Tento prohlížeč"
        case .browser: "Prohlížeč"
        case .lastUsed: "Naposledy použito"
        case .copyHelp: "Soubor se vším, co o vás máme uloženo, ve formátu JSON."
        case .deleteHelp: "Váš účet bude hned smazán i se všemi údaji. Nelze to vzít zpět."
        case .typeAddress: "Pro potvrzení napište e-mailovou adresu svého účtu."
        case .notSet: "Není nastaveno"
        case .deleteLaterHelp(let days):
            "Váš účet bude smazán i se všemi údaji (za kolik dní: \(days)). Do té doby se můžete přihlásit a účet si ponechat."
        case .currentPassword: "Nynější heslo"
        case .newEmail: "Nová e-mailová adresa"
        case .methodName: "Název této položky"
        case .save: "Uložit"
        case .rename: "Přejmenovat"
        case .remove: "Odebrat"
        case .endOthers: "Odhlásit se všude jinde"
        case .endAll: "Odhlásit se všude"
        case .allowedApplications: "Povolené aplikace"
        case .download: "Stáhnout"
        case .keepAccount: "Ponechat účet"
        case .backToAccount: "Zpět k vašemu účtu"
        case .changedElsewhere: "Vaše údaje byly mezitím změněny jinde. Zkontrolujte je a uložte znovu."
        case .nameTaken: "Toto jméno je obsazené. Zvolte jiné."
        case .lastMethod: "Další ověření je povinné a toto je poslední."
        case .addressTaken: "S touto adresou existuje jiný účet."
        case .addressNotUsable: "Toto není e-mailová adresa, nebo ji váš účet už má."
        case .privacy: "Soukromí"
        case .terms: "Podmínky použití"
        case .support: "Nápověda"
        case .deviceTitle: "Připojit zařízení"
        case .deviceHelp: "Zadejte kód, který ukazuje vaše televize, příkazový řádek nebo jiné zařízení."
        case .wrongDeviceCode:
            "Tento kód není správný nebo je příliš starý. Zkontrolujte ho, nebo si na zařízení vyžádejte nový."
        case .deviceAllowTitle(let app): "Přihlásit se do \(app) na jiném zařízení?"
        case .deviceAsks(let app, let code):
            "Zařízení, které ukazuje kód \(code), chce používat \(app) s vaším účtem."
        case .deviceSince(let minutes): "Minut od žádosti zařízení: \(minutes)"
        case .deviceSameNetwork: "Zařízení je ve stejné síti jako tento prohlížeč."
        case .deviceOtherNetwork: "Zařízení je v jiné síti než tento prohlížeč."
        case .deviceWarning:
            "Začali jste s tím sami a vidíte teď tento kód na svém zařízení? Pokud vám kód dal někdo jiný, zvolte „Zrušit“: dostal by se do vašeho účtu."
        case .deviceAllowed: "Vraťte se k zařízení"
        case .deviceDeclined: "Zařízení není přihlášeno"
        case .authenticatorApp: "Ověřovací aplikace"
        case .enterAppCode: "Zadejte kód z aplikace"
        case .addApp: "Přidat ověřovací aplikaci"
        case .scanHelp: "Naskenujte tento obrázek ověřovací aplikací. Potom zadejte kód, který aplikace ukáže."
        case .keyByHand: "Nebo do aplikace zadejte tento klíč:"
        case .openApp: "Otevřít aplikaci v tomto zařízení"
        case .appCodeHelp: "Otevřete ověřovací aplikaci a zadejte kód, který ukazuje pro tento účet."
        case .wrongAppCode:
            "Kód není správný. Zadejte ten, který aplikace ukazuje nyní; každý kód lze použít jednou."
        case .appNotAllowed: "Další ověřovací aplikaci přidat nelze."
        case .recoveryCodes: "Záchranné kódy"
        case .recoveryHelp: "Pro den, kdy nebudete moci použít žádný jiný způsob. Každý kód platí jednou."
        case .makeCodes: "Vytvořit nové kódy"
        case .codesLeft(let count): "Zbývající kódy: \(count)"
        case .codesShownOnce:
            "Uložte si tyto kódy na bezpečné místo, například do správce hesel. Zobrazí se jen teď a dřívější kódy už neplatí."
        case .enterRecoveryCode: "Zadejte záchranný kód"
        case .recoveryCodeHelp: "Napište jeden z kódů, které jste si uložili. Každý kód platí jednou."
        case .wrongRecoveryCode: "Tento kód není správný, nebo už byl použit."
        case .recoveredHelp:
            "Přihlásili jste se záchranným kódem. Přidejte teď nějaký způsob. Chcete-li jiný odebrat, přihlaste se nejdřív některým ze způsobů."
        case .continueWith(let name): "Pokračovat přes \(name)"
        case .linkHelp(let provider):
            "S touto adresou zde už účet existuje. Jednou potvrďte, že je váš; potom se budete přihlašovat přes \(provider)."
        case .connectedAccounts: "Propojené účty"
        case .nameMailboxHelp(let provider):
            "Od \(provider) jsme nedostali potvrzenou e-mailovou adresu. Zadejte svou a pošleme vám kód."
        case .providerFailed:
            "Druhá služba vás nepřihlásila. Zkuste to znovu, nebo se přihlaste jinak."
        case .addPhone: "Přidat telefon"
        case .phoneNumber: "Telefonní číslo"
        case .phoneHelp: "Kódy dostanete v SMS. Napište číslo s předvolbou země, například +420."
        case .enterTextCode: "Zadejte kód z SMS"
        case .textSent(let number): "Na číslo \(number) jsme poslali SMS s kódem. Platí deset minut."
        case .badPhone: "Zadejte telefonní číslo s předvolbou země, například +420 601 123 456."
        case .blockedPhone: "Na toto číslo nelze poslat SMS. Použijte jiné číslo nebo jiný způsob."
        case .phoneNotAllowed: "Další telefon nelze přidat."
        case .signInWithPasskey: "Přihlásit se přístupovým klíčem"
        case .usePasskey: "Použijte přístupový klíč"
        case .passkeyHelp: "Prohlížeč požádá o otisk prstu, obličej nebo PIN zařízení."
        case .noPasskeys: "Tento prohlížeč neumí používat přístupové klíče nebo nespouští skripty."
        case .passkeyFailed: "Nepodařilo se to, nebo to bylo zrušeno. Můžete to zkusit znovu."
        case .passkeyRefused: "Tento přístupový klíč nebyl přijat. Zkuste to znovu nebo použijte jiný způsob."
        case .passkey: "Přístupový klíč"
        case .passkeys: "Přístupové klíče"
        case .passkeysHelp:
            "Přihlašujete se otiskem prstu, obličejem nebo kódem PIN zařízení, bez hesla a bez dalšího kódu."
        case .addPasskey: "Přidat přístupový klíč"
        case .passkeyExists: "Toto zařízení už přístupový klíč k vašemu účtu má."
        case .passkeyNotAllowed: "Další přístupový klíč přidat nelze."
        case .added: "Přidáno"
        case .otherMethod: "Použít jiný způsob"
        case .errorPrefix: "Chyba"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Celé jméno"
        case "givenName": "Jméno"
        case "surname": "Příjmení"
        case "jobTitle": "Pracovní pozice"
        case "country": "Země"
        case "state": "Kraj"
        case "city": "Město"
        case "streetAddress": "Ulice a číslo"
        case "postalCode": "PSČ"
        case "preferredLanguage": "Jazyk"
        case AttributeDefinition.aliasName: "Uživatelské jméno"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        counted(count, "sekundu", "sekundy", "sekund")
    }

    private func inMinutes(_ count: Int) -> String {
        counted(count, "minutu", "minuty", "minut")
    }

    private func counted(_ count: Int, _ one: String, _ few: String, _ many: String) -> String {
        switch count {
        case 1: one
        case 2...4: "\(count) \(few)"
        case _: "\(count) \(many)"
        }
    }
}
