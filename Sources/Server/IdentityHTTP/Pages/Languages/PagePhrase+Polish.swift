import IdentityEngine

extension PagePhrase {
    var polish: String {
        switch self {
        case .signIn: "Zaloguj się"
        case .createAccount: "Utwórz swoje konto"
        case .enterPassword: "Podaj hasło"
        case .enterCode: "Sprawdź pocztę"
        case .choosePassword: "Wybierz hasło"
        case .chooseNewPassword: "Wybierz nowe hasło"
        case .aboutYou: "O Tobie"
        case .chooseMethod: "Jeszcze jeden krok"
        case .addMailbox: "Dodaj drugi adres e-mail"
        case .cannotGoOn: "Nie możemy kontynuować"
        case .tookTooLong: "To trwało zbyt długo"
        case .needsCookies: "Zezwól na pliki cookie"
        case .begunElsewhere: "Rozpoczęto gdzie indziej"
        case .signedIn: "Zalogowano"
        case .movingOn: "Chwileczkę"
        case .signOut: "Wylogować się?"
        case .signedOut: "Wylogowano"
        case .busy: "Spróbuj ponownie za chwilę"
        case .continueTo(let app): "Przejdź do aplikacji \(app)"
        case .toApp(let app): "aby przejść do aplikacji \(app)"
        case .codeSent(let address): "Wysłaliśmy kod na adres \(address)."
        case .codeIsValid: "Jest ważny przez dziesięć minut. Jeśli go nie widzisz, zajrzyj do folderu ze spamem."
        case .signedInAs(let name): "Zalogowano jako \(name)."
        case .appSignedInAs(let app, let name): "Aplikacja „\(app)” jest zalogowana jako \(name)."
        case .goOnAs(let name): "Kontynuuj jako \(name)"
        case .whyMailbox:
            "Ta aplikacja wymaga dodatkowej weryfikacji. Przy logowaniu będziemy wysyłać kody na ten adres."
        case .whyMethod: "Ta aplikacja wymaga drugiego składnika. Której metody chcesz użyć?"
        case .wantsAccess(let app): "Aplikacja \(app) należy do innej organizacji. Prosi o zgodę, aby:"
        case .scopeOpenID: "wiedzieć, że to znowu Ty, gdy wrócisz"
        case .scopeProfile: "widzieć Twoje imię i nazwisko"
        case .scopeEmail: "widzieć Twój adres e-mail"
        case .scopeOffline: "zachować połączenie, gdy Cię nie ma"
        case .scopeOther(let name): "korzystać z \(name)"
        case .allow: "Zezwól"
        case .decline: "Nie zezwalaj"
        case .passwordRules:
            "Co najmniej 8 znaków, w tym trzy z tych rodzajów: małe litery, wielkie litery, cyfry, inne znaki."
        case .cookiesHelp:
            "Twoja przeglądarka odrzuca plik cookie potrzebny do logowania. Zezwól na pliki cookie dla tego adresu i spróbuj ponownie."
        case .begunElsewhereHelp:
            "Tego logowania nie rozpoczęto w tej przeglądarce albo usunięto jej pliki cookie. Wróć do aplikacji i zacznij od nowa."
        case .wrongAddressHelp:
            "Nie znamy aplikacji, z której pochodzi to żądanie, albo nie możemy na nie odpowiedzieć. Wróć i spróbuj ponownie. Jeśli to się powtórzy, powiadom twórców aplikacji."
        case .strongerProofNeeded: "Tutaj potrzebna jest silniejsza weryfikacja."
        case .whyPasskey:
            "Tutaj potrzebna jest silniejsza weryfikacja. Utwórz klucz dostępu na tym urządzeniu, aby się nim logować."
        case .addMethod: "Dodaj metodę na swoim koncie"
        case .policyHelp: "Twoje konto nie pozwala na weryfikację, której wymaga ta aplikacja."
        case .overHelp: "To logowanie zostało zakończone. Możesz zacząć od nowa."
        case .mayCloseWindow(let app): "Wróć do aplikacji \(app). Możesz zamknąć to okno."
        case .movingOnHelp(let app): "Wracasz do aplikacji \(app)."
        case .busyHelp:
            "Serwer nie może teraz odpowiedzieć. Wpisane dane nie przepadły: za chwilę wyślij formularz ponownie."
        case .signOutHelp(let tenant): "Nastąpi wylogowanie z konta \(tenant) w tej przeglądarce."
        case .signedOutHelp: "Możesz zamknąć to okno."
        case .requestNumber(let number): "Numer tego żądania: \(number)"
        case .email: "Adres e-mail"
        case .emailOrName: "Adres e-mail lub nazwa użytkownika"
        case .emailOrNumber: "Adres e-mail lub numer telefonu"
        case .emailNameOrNumber: "Adres e-mail, nazwa użytkownika lub numer telefonu"
        case .password: "Hasło"
        case .newPassword: "Nowe hasło"
        case .showPassword: "Pokaż hasło"
        case .code: "Kod"
        case .staySignedIn: "Nie wylogowuj mnie na tym urządzeniu"
        case .optional: "opcjonalnie"
        case .attribute(let name): attribute(name)
        case .next: "Dalej"
        case .signInButton: "Zaloguj się"
        case .signOutButton: "Wyloguj się"
        case .cancel: "Anuluj"
        case .sendAgain: "Wyślij nowy kod"
        case .forgotPassword: "Nie pamiętasz hasła?"
        case .otherAccount: "Użyj innego konta"
        case .goOn: "Kontynuuj"
        case .haveAccount: "Mam konto"
        case .noAccount: "Utwórz konto"
        case .startAgain: "Zacznij od nowa"
        case .backToApp(let app): "Wróć do aplikacji \(app)"
        case .wrongCode: "Ten kod jest nieprawidłowy. Sprawdź go lub poproś o nowy."
        case .oldCode: "Ten kod jest nieaktualny. Poproś o nowy."
        case .wait(let seconds): "Zbyt wiele prób. Poczekaj \(time(seconds, inSeconds, inMinutes)) i spróbuj ponownie."
        case .locked(let minutes):
            "Podano zbyt wiele błędnych haseł. Poczekaj \(inMinutes(minutes)) lub zresetuj hasło."
        case .wrongPassword: "To hasło jest nieprawidłowe."
        case .unknownUser: "Nie ma konta o tej nazwie. Sprawdź ją lub utwórz konto."
        case .userExists: "Ten adres ma już konto. Zaloguj się."
        case .disabledAccount: "Tego konta nie można używać."
        case .badEmail: "Podaj adres e-mail, na przykład nazwa@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "To hasło jest za krótkie: musi mieć co najmniej 8 znaków."
            case .tooLong: "To hasło jest za długie: może mieć najwyżej 256 znaków."
            case .tooWeak: "Użyj trzech z tych rodzajów: małe litery, wielkie litery, cyfry, inne znaki."
            case .banned: "To hasło łatwo odgadnąć. Wybierz inne."
            case .recentlyUsed: "To Twoje obecne hasło. Wybierz inne."
            case .invalid: "To hasło zawiera znak, którego nie można użyć."
            }
        case .mailboxRefuses: "Serwer poczty tego adresu odrzuca nasze wiadomości. Użyj innego adresu."
        case .blockedContact: "Tego adresu nie można teraz dodać. Najpierw użyj adresu swojego konta."
        case .badAttributes: "Niektórych odpowiedzi nie można użyć. Sprawdź je."
        case .badField(let name): "Sprawdź to: \(attribute(name))."
        case .missing: "Wypełnij to pole."
        case .alreadyDone: "Ten krok jest już zrobiony. Kontynuuj tutaj."
        case .codeSentAgain: "Jeśli ostatni kod ma więcej niż minutę, nowy jest już w drodze."
        case .signUpClosed: "W tej aplikacji nowi użytkownicy nie mogą zakładać kont."
        case .noPassword: "To konto nie ma hasła. Zaloguj się za pomocą kodu."
        case .text(let text): text
        case .yourAccount: "Twoje konto"
        case .yourData: "Twoje dane"
        case .changeEmail: "Zmień adres e-mail"
        case .changePassword: "Zmień hasło"
        case .signInMethods: "Metody logowania"
        case .sessions: "Gdzie jesteś zalogowany"
        case .copyOfData: "Kopia Twoich danych"
        case .deleteAccount: "Usuń konto"
        case .confirmItIsYou: "Potwierdź, że to Ty"
        case .accountDeleted: "Twoje konto jest usunięte"
        case .deletionPlanned: "Twoje konto zostanie usunięte"
        case .confirmItIsYouHelp:
            "Następny krok chroni Twoje konto. Zanim przejdziesz dalej, potwierdź jeszcze raz, że to Ty."
        case .saved: "Zmiana jest zapisana."
        case .passwordChanged: "Hasło jest zmienione. Wszędzie indziej nastąpiło wylogowanie."
        case .newAddressHelp: "Wyślemy kod na nowy adres. Być może najpierw wyślemy kod na obecny adres."
        case .methodsHelp: "Przy logowaniu możemy też poprosić o kod z jednego z tych źródeł."
        case .methodSuspended: "Teraz nie można go używać, bo hasło zostało zresetowane."
        case .sessionsHelp: "Nie znasz którejś pozycji? Wyloguj ją i zmień hasło."
        case .thisBrowser: "Ta przeglądarka"
        case .browser: "Przeglądarka"
        case .lastUsed: "Ostatnie użycie"
        case .copyHelp: "Plik ze wszystkim, co o Tobie przechowujemy, w formacie JSON."
        case .deleteHelp: "Twoje konto zostanie od razu usunięte wraz ze wszystkimi danymi. Nie można tego cofnąć."
        case .typeAddress: "Aby potwierdzić, wpisz adres e-mail swojego konta."
        case .notSet: "Nie ustawiono"
        case .deleteLaterHelp(let days):
            "Twoje konto zostanie usunięte wraz ze wszystkimi danymi (za ile dni: \(days)). Do tego czasu możesz się zalogować i je zachować."
        case .currentPassword: "Obecne hasło"
        case .newEmail: "Nowy adres e-mail"
        case .methodName: "Nazwa tego wpisu"
        case .save: "Zapisz"
        case .rename: "Zmień nazwę"
        case .remove: "Usuń"
        case .endOthers: "Wyloguj się wszędzie indziej"
        case .endAll: "Wyloguj się wszędzie"
        case .rememberBrowser(let days):
            "Nie pytaj o to w tej przeglądarce przez \(days == 1 ? "1 dzień" : "\(days) dni")"
        case .rememberedDevices: "Zapamiętane urządzenia"
        case .rememberedDevicesHelp: "Drugi składnik nie jest tam wymagany."
        case .rememberedUntil: "Ważne do"
        case .allowedApplications: "Aplikacje, którym zezwolono na dostęp"
        case .download: "Pobierz"
        case .keepAccount: "Zachowaj moje konto"
        case .backToAccount: "Wróć do konta"
        case .changedElsewhere:
            "Twoje dane zostały w międzyczasie zmienione gdzie indziej. Sprawdź je i zapisz ponownie."
        case .nameTaken: "Ta nazwa jest zajęta. Wybierz inną."
        case .lastMethod: "Dodatkowa weryfikacja jest wymagana, a to jest ostatni adres."
        case .addressTaken: "Istnieje inne konto z tym adresem."
        case .addressNotUsable: "To nie jest adres e-mail albo Twoje konto już go ma."
        case .privacy: "Prywatność"
        case .terms: "Warunki korzystania"
        case .support: "Pomoc"
        case .deviceTitle: "Połącz urządzenie"
        case .deviceHelp: "Wpisz kod, który pokazuje telewizor, wiersz poleceń lub inne urządzenie."
        case .wrongDeviceCode: "Ten kod jest błędny lub zbyt stary. Sprawdź go albo pobierz nowy na urządzeniu."
        case .deviceAllowTitle(let app): "Zalogować się do \(app) na innym urządzeniu?"
        case .deviceAsks(let app, let code):
            "Urządzenie, które pokazuje kod \(code), chce używać \(app) z Twoim kontem."
        case .deviceSince(let minutes): "Minuty od prośby urządzenia: \(minutes)"
        case .deviceSameNetwork: "Urządzenie jest w tej samej sieci co ta przeglądarka."
        case .deviceOtherNetwork: "Urządzenie jest w innej sieci niż ta przeglądarka."
        case .deviceWarning:
            "Czy to Ty zaczynasz to logowanie i widzisz teraz ten kod na własnym urządzeniu? Jeśli kod podała Ci inna osoba, wybierz „Anuluj”: ta osoba weszłaby na Twoje konto."
        case .deviceAllowed: "Wróć do swojego urządzenia"
        case .deviceDeclined: "Urządzenie nie jest zalogowane"
        case .authenticatorApp: "Aplikacja uwierzytelniająca"
        case .enterAppCode: "Wpisz kod z aplikacji"
        case .addApp: "Dodaj aplikację uwierzytelniającą"
        case .scanHelp:
            "Zeskanuj ten obraz aplikacją uwierzytelniającą. Potem wpisz kod, który pokazuje aplikacja."
        case .keyByHand: "Albo wpisz ten klucz w aplikacji:"
        case .openApp: "Otwórz aplikację na tym urządzeniu"
        case .appCodeHelp: "Otwórz aplikację uwierzytelniającą i wpisz kod, który pokazuje dla tego konta."
        case .wrongAppCode:
            "Ten kod jest niepoprawny. Wpisz ten, który aplikacja pokazuje teraz; każdy kod działa raz."
        case .appNotAllowed: "Nie można dodać kolejnej aplikacji uwierzytelniającej."
        case .recoveryCodes: "Kody odzyskiwania"
        case .recoveryHelp: "Na dzień, w którym nie będzie można użyć żadnej innej metody. Każdy kod działa raz."
        case .makeCodes: "Utwórz nowe kody"
        case .codesLeft(let count): "Pozostałe kody: \(count)"
        case .codesShownOnce:
            "Przechowuj te kody w bezpiecznym miejscu, na przykład w menedżerze haseł. Są pokazywane tylko teraz, a wcześniejsze kody już nie działają."
        case .enterRecoveryCode: "Wpisz kod odzyskiwania"
        case .recoveryCodeHelp: "Wpisz jeden z zachowanych kodów. Każdy kod działa raz."
        case .wrongRecoveryCode: "Ten kod jest nieprawidłowy albo został już użyty."
        case .codesLow: "Pozostało tylko kilka kodów odzyskiwania. Utwórz teraz nowe."
        case .codesUsedUp:
            "Wszystkie kody odzyskiwania zostały użyte. Utwórz nowe: bez nich po utracie innych metod nie będzie można się zalogować."
        case .notNow: "Nie teraz"
        case .recoveredHelp:
            "Zalogowano się kodem odzyskiwania. Dodaj teraz metodę. Aby jakąś usunąć, zaloguj się najpierw jedną z metod."
        case .continueWith(let name): "Kontynuuj przez \(name)"
        case .linkHelp(let provider):
            "Istnieje już konto z tym adresem. Potwierdź raz, że należy do Ciebie; potem zalogujesz się przez \(provider)."
        case .connect(let name): "Połącz: \(name)"
        case .identityTaken: "To konto w drugiej usłudze jest połączone z innym użytkownikiem."
        case .enoughToday: "Dodano dziś tyle metod, ile można jednego dnia. Spróbuj ponownie jutro."
        case .connectedAccounts: "Połączone konta"
        case .nameMailboxHelp(let provider):
            "Od \(provider) nie otrzymaliśmy potwierdzonego adresu e-mail. Podaj swój, a wyślemy kod."
        case .providerFailed:
            "Druga usługa nie zalogowała Cię. Spróbuj ponownie albo zaloguj się w inny sposób."
        case .addPhone: "Dodaj telefon"
        case .phoneNumber: "Numer telefonu"
        case .phoneHelp: "Kody przyjdą w SMS-ach. Wpisz numer z kodem kraju, na przykład +48."
        case .enterTextCode: "Wpisz kod z SMS-a"
        case .textSent(let number): "Wysłaliśmy SMS z kodem na numer \(number). Kod jest ważny przez dziesięć minut."
        case .badPhone: "Wpisz numer telefonu z kodem kraju, na przykład +48 512 345 678."
        case .blockedPhone: "Na ten numer nie można wysłać SMS-a. Użyj innego numeru lub innej metody."
        case .phoneNotAllowed: "Nie możesz dodać kolejnego telefonu."
        case .signInWithPasskey: "Zaloguj się kluczem dostępu"
        case .usePasskey: "Użyj klucza dostępu"
        case .passkeyHelp: "Przeglądarka prosi o odcisk palca, twarz lub kod PIN urządzenia."
        case .noPasskeys: "Ta przeglądarka nie obsługuje kluczy dostępu albo nie uruchamia skryptów."
        case .passkeyFailed: "Nie udało się albo anulowano. Można spróbować ponownie."
        case .passkeyRefused: "Ten klucz dostępu nie został przyjęty. Spróbuj ponownie lub użyj innej metody."
        case .passkey: "Klucz dostępu"
        case .passkeys: "Klucze dostępu"
        case .passkeysHelp: "Logujesz się odciskiem palca, twarzą lub kodem PIN urządzenia, bez hasła i bez kodu."
        case .addPasskey: "Dodaj klucz dostępu"
        case .passkeyExists: "Na tym urządzeniu jest już klucz dostępu do Twojego konta."
        case .passkeyNotAllowed: "Nie możesz dodać kolejnego klucza dostępu."
        case .added: "Dodano"
        case .otherMethod: "Użyj innej metody"
        case .errorPrefix: "Błąd"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Imię i nazwisko"
        case "givenName": "Imię"
        case "surname": "Nazwisko"
        case "jobTitle": "Stanowisko"
        case "country": "Kraj"
        case "state": "Województwo"
        case "city": "Miejscowość"
        case "streetAddress": "Ulica i numer"
        case "postalCode": "Kod pocztowy"
        case "preferredLanguage": "Język"
        case AttributeDefinition.aliasName: "Nazwa użytkownika"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        counted(count, "sekundę", "sekundy", "sekund")
    }

    private func inMinutes(_ count: Int) -> String {
        counted(count, "minutę", "minuty", "minut")
    }

    private func counted(_ count: Int, _ one: String, _ few: String, _ many: String) -> String {
        switch (count % 10, count % 100) {
        case _ where count == 1: one
        case (_, 12...14): "\(count) \(many)"
        case (2...4, _): "\(count) \(few)"
        case _: "\(count) \(many)"
        }
    }
}
