// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let polish = MailPhrases(
        codeSubject: "Twój kod weryfikacyjny {{{organisation}}}",
        signUp: "Użyj tego kodu, aby utworzyć swoje konto {{{organisation}}}.",
        signIn: "Użyj tego kodu, aby zalogować się na swoje konto {{{organisation}}}.",
        passwordReset: "Użyj tego kodu, aby wybrać nowe hasło do swojego konta {{{organisation}}}.",
        secondFactor: "Użyj tego kodu, aby potwierdzić, że to Ty logujesz się na swoje konto {{{organisation}}}.",
        registration:
            "Użyj tego kodu, aby dodać ten adres e-mail do swojego konta {{{organisation}}} jako metodę weryfikacji.",
        accountChange: "Użyj tego kodu, aby potwierdzić zmianę na swoim koncie {{{organisation}}}.",
        emailChange: "Użyj tego kodu, aby ustawić ten adres jako adres e-mail swojego konta {{{organisation}}}.",
        label: "Twój kod:",
        validity: "Jest ważny przez {{minutes}} min.",
        validityInDays: "Jest ważny przez {{days}} dni.",
        secrecy: "Nie udostępniaj nikomu tego kodu. Organizacja {{{organisation}}} nigdy Cię o niego nie poprosi.",
        notAsked: "Jeśli prośba o ten kod nie pochodzi od Ciebie, możesz zignorować tę wiadomość.",
        notMe: "Jeśli to nie Ty, od razu wybierz nowe hasło i powiadom organizację {{{organisation}}}.",
        emailChanged: Notice(
            subject: "Zmieniono adres e-mail Twojego konta {{{organisation}}}",
            event:
                "Twoje konto {{{organisation}}} ma teraz inny adres e-mail. Poniższy kod cofa tę zmianę i wylogowuje wszystkie urządzenia.",
            unasked: "Jeśli to Twoja zmiana, możesz zignorować tę wiadomość."),
        emailChangeUndone: Notice(
            subject: "Twoje konto {{{organisation}}} ma znów poprzedni adres e-mail",
            event:
                "Cofnięto zmianę adresu e-mail Twojego konta {{{organisation}}}. Wszystkie urządzenia zostały wylogowane.",
            unasked: "Od razu wybierz nowe hasło: ktoś inny może znać poprzednie."),
        emailReplaced: Notice(
            subject: "Zmieniono adres e-mail Twojego konta {{{organisation}}}",
            event:
                "Organizacja {{{organisation}}} nadała Twojemu kontu inny adres e-mail i wylogowała wszystkie urządzenia.",
            unasked: "Jeśli prośba o tę zmianę nie pochodzi od Ciebie, powiadom organizację {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Wybierz nowe hasło do konta {{{organisation}}}",
            event:
                "Organizacja {{{organisation}}} unieważniła hasło do Twojego konta i wylogowała wszystkie urządzenia. Aby zalogować się ponownie, otwórz aplikację i wybierz nowe hasło, tak jak w przypadku zapomnianego hasła.",
            unasked: "Jeśli masz pytania w tej sprawie, skontaktuj się z organizacją {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Twoje konto {{{organisation}}} zostało usunięte",
            event: "Twoje konto {{{organisation}}} i zapisane w nim dane zostały usunięte.",
            unasked: "Jeśli to nie Ty, powiadom organizację {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Twoje konto {{{organisation}}} zostanie usunięte",
            event:
                "Twoje konto {{{organisation}}} zostanie usunięte za {{days}} {{#oneDay}}dzień{{/oneDay}}{{^oneDay}}dni{{/oneDay}}. Jeśli chcesz je zachować, zaloguj się przed upływem tego czasu i wybierz zachowanie konta.",
            unasked: "Jeśli to nie Ty, zaloguj się, zachowaj konto i wybierz nowe hasło."),
        passwordChanged: Notice(
            subject: "Zmieniono Twoje hasło do konta {{{organisation}}}",
            event: "Hasło do Twojego konta {{{organisation}}} zostało zmienione."),
        methodRegistered: Notice(
            subject: "Do Twojego konta {{{organisation}}} dodano metodę weryfikacji",
            event: "Do Twojego konta {{{organisation}}} dodano adres e-mail jako metodę weryfikacji."),
        methodRemoved: Notice(
            subject: "Z Twojego konta {{{organisation}}} usunięto metodę weryfikacji",
            event: "Adres e-mail nie jest już metodą weryfikacji Twojego konta {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "Metoda weryfikacji Twojego konta {{{organisation}}} jest zawieszona",
            event:
                "Twoje hasło do konta {{{organisation}}} zostało zresetowane. Niedawno dodany adres e-mail nie może przez jeden dzień służyć jako metoda weryfikacji."
        ),
        methodReactivated: Notice(
            subject: "Metoda weryfikacji Twojego konta {{{organisation}}} jest znów używana",
            event: "Zawieszony adres e-mail został użyty jako metoda weryfikacji Twojego konta {{{organisation}}}."),
        methodFirstUsed: Notice(
            subject: "Użyto nowej metody weryfikacji Twojego konta {{{organisation}}}",
            event: "Adres e-mail został po raz pierwszy użyty jako metoda weryfikacji Twojego konta {{{organisation}}}."
        ),
        passkeySuspect: Notice(
            subject: "Klucz dostępu do Twojego konta {{{organisation}}} odpowiedział w nietypowy sposób",
            event:
                "Klucz dostępu do Twojego konta {{{organisation}}} odpowiedział inaczej niż wcześniej: mógł zostać skopiowany lub nie ma już kopii zapasowej.",
            unasked:
                "Jeśli nie potrafisz tego wyjaśnić, usuń klucz dostępu ze swojego konta i dodaj nowy."),
        recoveryCodeUsed: Notice(
            subject: "Użyto kodu odzyskiwania Twojego konta {{{organisation}}}",
            event: "Do zalogowania się na Twoje konto {{{organisation}}} użyto kodu odzyskiwania."),
        accountExists: Notice(
            subject: "Masz już konto {{{organisation}}}",
            event:
                "Ktoś, być może Ty, poprosił o nowe konto {{{organisation}}} z tym adresem e-mail. Ten adres ma już konto: zaloguj się, a jeśli nie pamiętasz hasła, zresetuj je.",
            unasked: "Jeśli to nie Ty, nie musisz nic robić: Twoje konto pozostało bez zmian."),
        signInLocked: Notice(
            subject: "Ktoś próbuje zalogować się na Twoje konto {{{organisation}}}",
            event:
                "Przy próbach logowania na Twoje konto {{{organisation}}} podano wiele błędnych haseł. Logowanie za pomocą hasła jest przez pewien czas zablokowane; nowe hasło od razu je odblokowuje.",
            unasked:
                "Jeśli to nie Ty, Twoje konto jest chronione. Używaj tu hasła, którego nie używasz nigdzie indziej."),
        signedInAfterFailures: Notice(
            subject: "Zalogowano się na Twoje konto {{{organisation}}} po wielu błędnych hasłach",
            event: "Po wielu błędnych hasłach podano prawidłowe hasło do Twojego konta {{{organisation}}}."),
        methodLabel: "Adres e-mail",
        authenticatorApp: "Aplikacja uwierzytelniająca",
        passkey: "Klucz dostępu",
        recoveryCodes: "Kody odzyskiwania",
        recoveryCodesLeft: "Pozostałe kody odzyskiwania",
        timeLabel: "Data i godzina",
        networkLabel: "Sieć")
}
