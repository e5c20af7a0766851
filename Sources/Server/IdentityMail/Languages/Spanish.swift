// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let spanish = MailPhrases(
        codeSubject: "Tu código de verificación de {{{organisation}}}",
        signUp: "Usa este código para crear tu cuenta en {{{organisation}}}.",
        signIn: "Usa este código para iniciar sesión en {{{organisation}}}.",
        passwordReset: "Usa este código para elegir una nueva contraseña para tu cuenta en {{{organisation}}}.",
        secondFactor: "Usa este código para confirmar que eres tú quien está iniciando sesión en {{{organisation}}}.",
        registration:
            "Usa este código para añadir esta dirección de correo electrónico a tu cuenta en {{{organisation}}} como método de verificación.",
        accountChange: "Usa este código para confirmar un cambio en tu cuenta en {{{organisation}}}.",
        emailChange:
            "Usa este código para que esta sea la dirección de correo electrónico de tu cuenta en {{{organisation}}}.",
        label: "Tu código:",
        validity: "Es válido durante {{minutes}} minuto{{^single}}s{{/single}}.",
        validityInDays: "Es válido durante {{days}} días.",
        secrecy: "No compartas este código con nadie. {{{organisation}}} nunca te lo pedirá.",
        notAsked: "Si no pediste este código, puedes ignorar este mensaje.",
        notMe: "Si no fuiste tú, elige enseguida una nueva contraseña y avisa a {{{organisation}}}.",
        emailChanged: Notice(
            subject: "Se cambió la dirección de correo electrónico de tu cuenta en {{{organisation}}}",
            event:
                "Tu cuenta en {{{organisation}}} tiene ahora otra dirección de correo electrónico. El código que aparece abajo deshace el cambio y cierra la sesión en todos los dispositivos.",
            unasked: "Si hiciste este cambio, puedes ignorar este mensaje."),
        emailChangeUndone: Notice(
            subject: "Tu cuenta en {{{organisation}}} vuelve a tener su dirección de correo electrónico anterior",
            event:
                "Se deshizo el cambio de la dirección de correo electrónico de tu cuenta en {{{organisation}}}. Se cerró la sesión en todos los dispositivos.",
            unasked: "Elige enseguida una nueva contraseña: es posible que otra persona conozca la anterior."),
        emailReplaced: Notice(
            subject: "Se cambió la dirección de correo electrónico de tu cuenta en {{{organisation}}}",
            event:
                "{{{organisation}}} asignó otra dirección de correo electrónico a tu cuenta y cerró la sesión en todos los dispositivos.",
            unasked: "Si no pediste este cambio, avisa a {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Elige una nueva contraseña para {{{organisation}}}",
            event:
                "{{{organisation}}} anuló la contraseña de tu cuenta y cerró la sesión en todos los dispositivos. Para volver a iniciar sesión, abre la aplicación y elige una nueva contraseña, como si hubieras olvidado la anterior.",
            unasked: "Si tienes preguntas sobre esto, consulta a {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Se eliminó tu cuenta en {{{organisation}}}",
            event: "Se eliminaron tu cuenta en {{{organisation}}} y los datos que contenía.",
            unasked: "Si no fuiste tú, avisa a {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Tu cuenta en {{{organisation}}} será eliminada",
            event:
                "Tu cuenta en {{{organisation}}} será eliminada dentro de {{days}} día{{^oneDay}}s{{/oneDay}}. Si quieres conservarla, inicia sesión antes y elige conservar la cuenta.",
            unasked: "Si no fuiste tú, inicia sesión, conserva la cuenta y elige una nueva contraseña."),
        passwordChanged: Notice(
            subject: "Se cambió tu contraseña de {{{organisation}}}",
            event: "Se cambió la contraseña de tu cuenta en {{{organisation}}}."),
        methodRegistered: Notice(
            subject: "Se añadió un método de verificación a tu cuenta en {{{organisation}}}",
            event:
                "Se añadió una dirección de correo electrónico a tu cuenta en {{{organisation}}} como método de verificación."
        ),
        methodRemoved: Notice(
            subject: "Se quitó un método de verificación de tu cuenta en {{{organisation}}}",
            event:
                "Una dirección de correo electrónico ya no es un método de verificación de tu cuenta en {{{organisation}}}."
        ),
        methodSuspended: Notice(
            subject: "Un método de verificación de tu cuenta en {{{organisation}}} está suspendido",
            event:
                "Se restableció tu contraseña de {{{organisation}}}. Una dirección de correo electrónico añadida hace poco no se puede usar como método de verificación durante un día."
        ),
        methodReactivated: Notice(
            subject: "Un método de verificación de tu cuenta en {{{organisation}}} vuelve a estar en uso",
            event:
                "Una dirección de correo electrónico que estaba suspendida se usó como método de verificación en {{{organisation}}}."
        ),
        methodFirstUsed: Notice(
            subject: "Se usó un nuevo método de verificación de tu cuenta en {{{organisation}}}",
            event:
                "Una dirección de correo electrónico se usó por primera vez como método de verificación en {{{organisation}}}."
        ),
        passkeySuspect: Notice(
            subject: "Una clave de acceso de su cuenta de {{{organisation}}} respondió de forma inusual",
            event:
                "Una clave de acceso de su cuenta de {{{organisation}}} respondió de forma distinta a antes: es posible que se haya copiado o que ya no tenga copia de seguridad.",
            unasked:
                "Si no puede explicarlo, elimine la clave de acceso de su cuenta y añada una nueva."),
        recoveryCodeUsed: Notice(
            subject: "Se usó un código de recuperación de tu cuenta en {{{organisation}}}",
            event: "Se usó un código de recuperación para iniciar sesión en tu cuenta en {{{organisation}}}."),
        accountExists: Notice(
            subject: "Ya tienes una cuenta en {{{organisation}}}",
            event:
                "Alguien, quizá tú, pidió una cuenta nueva en {{{organisation}}} con esta dirección de correo electrónico. Esta dirección ya tiene una cuenta: inicia sesión, o restablece tu contraseña si la olvidaste.",
            unasked: "Si no fuiste tú, no tienes que hacer nada: tu cuenta sigue como estaba."),
        signInLocked: Notice(
            subject: "Alguien está intentando iniciar sesión en tu cuenta en {{{organisation}}}",
            event:
                "Se probaron muchas contraseñas incorrectas en tu cuenta en {{{organisation}}}. El inicio de sesión con contraseña está bloqueado por un tiempo; una nueva contraseña lo desbloquea enseguida.",
            unasked:
                "Si no fuiste tú, tu cuenta está protegida. Usa aquí una contraseña que no uses en ningún otro sitio."),
        signedInAfterFailures: Notice(
            subject: "Inicio de sesión en tu cuenta en {{{organisation}}} tras muchas contraseñas incorrectas",
            event:
                "Se introdujo la contraseña correcta de tu cuenta en {{{organisation}}} después de muchas incorrectas."),
        methodLabel: "Dirección de correo electrónico",
        authenticatorApp: "Aplicación de autenticación",
        passkey: "Clave de acceso",
        recoveryCodes: "Códigos de recuperación",
        recoveryCodesLeft: "Códigos de recuperación restantes",
        timeLabel: "Fecha y hora",
        networkLabel: "Red")
}
