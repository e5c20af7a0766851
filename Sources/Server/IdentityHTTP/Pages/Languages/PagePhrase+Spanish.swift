import IdentityEngine

extension PagePhrase {
    var spanish: String {
        switch self {
        case .signIn: "Iniciar sesión"
        case .createAccount: "Crea tu cuenta"
        case .enterPassword: "Escribe tu contraseña"
        case .enterCode: "Revisa tu correo"
        case .choosePassword: "Elige una contraseña"
        case .chooseNewPassword: "Elige una nueva contraseña"
        case .aboutYou: "Sobre ti"
        case .chooseMethod: "Un paso más"
        case .addMailbox: "Añade otra dirección de correo"
        case .cannotGoOn: "No podemos continuar"
        case .tookTooLong: "Se agotó el tiempo"
        case .needsCookies: "Permite las cookies"
        case .begunElsewhere: "Se inició en otro lugar"
        case .signedIn: "Has iniciado sesión"
        case .movingOn: "Un momento"
        case .signOut: "¿Cerrar sesión?"
        case .signedOut: "Has cerrado la sesión"
        case .busy: "Inténtalo de nuevo en un momento"
        case .continueTo(let app): "Continuar a \(app)"
        case .toApp(let app): "para continuar a \(app)"
        case .codeSent(let address): "Enviamos un código a \(address)."
        case .codeIsValid: "Es válido durante diez minutos. Si no lo ves, mira en la carpeta de correo no deseado."
        case .signedInAs(let name): "Has iniciado sesión como \(name)."
        case .whyMailbox:
            "Esta aplicación pide una verificación adicional. Cuando inicies sesión, enviaremos códigos a esta dirección."
        case .whyMethod: "Esta aplicación pide una verificación adicional. ¿Adónde podemos enviar un código?"
        case .wantsAccess(let app): "\(app) pertenece a otra organización. Esta aplicación pide permiso para:"
        case .scopeOpenID: "saber que eres la misma persona cuando vuelvas"
        case .scopeProfile: "ver tu nombre"
        case .scopeEmail: "ver tu dirección de correo electrónico"
        case .scopeOffline: "seguir conectada cuando no estés"
        case .scopeOther(let name): "usar \(name)"
        case .allow: "Permitir"
        case .decline: "No permitir"
        case .passwordRules:
            "Al menos 8 caracteres, con tres de estos tipos: minúsculas, mayúsculas, números, otros signos."
        case .cookiesHelp:
            "Tu navegador rechaza la cookie necesaria para iniciar sesión. Permite las cookies para esta dirección e inténtalo de nuevo."
        case .begunElsewhereHelp:
            "Este inicio de sesión no empezó en este navegador, o se borraron sus cookies. Vuelve a la aplicación y empieza de nuevo."
        case .wrongAddressHelp:
            "No conocemos la aplicación de la que vienes, o no podemos responder a lo que pide. Vuelve atrás e inténtalo de nuevo. Si se repite, avisa a los responsables de la aplicación."
        case .policyHelp: "Con tu cuenta no es posible la verificación que pide esta aplicación."
        case .overHelp: "Este inicio de sesión ha terminado. Puedes empezar de nuevo."
        case .mayCloseWindow(let app): "Vuelve a \(app). Puedes cerrar esta ventana."
        case .movingOnHelp(let app): "Te llevamos de vuelta a \(app)."
        case .busyHelp:
            "El servidor no puede responder ahora. Lo que escribiste no se ha perdido: envía el formulario de nuevo en un momento."
        case .signOutHelp(let tenant): "Se cerrará tu sesión de \(tenant) en este navegador."
        case .signedOutHelp: "Puedes cerrar esta ventana."
        case .requestNumber(let number): "Número de esta solicitud: \(number)"
        case .email: "Dirección de correo electrónico"
        case .emailOrName: "Dirección de correo electrónico o nombre de usuario"
        case .password: "Contraseña"
        case .newPassword: "Nueva contraseña"
        case .showPassword: "Mostrar contraseña"
        case .code: "Código"
        case .staySignedIn: "Mantener la sesión iniciada en este dispositivo"
        case .optional: "opcional"
        case .attribute(let name): attribute(name)
        case .next: "Siguiente"
        case .signInButton: "Iniciar sesión"
        case .signOutButton: "Cerrar sesión"
        case .cancel: "Cancelar"
        case .sendAgain: "Enviar un código nuevo"
        case .forgotPassword: "¿Olvidaste tu contraseña?"
        case .otherAccount: "Usar otra cuenta"
        case .goOn: "Continuar"
        case .haveAccount: "Tengo una cuenta"
        case .noAccount: "Crear una cuenta"
        case .startAgain: "Empezar de nuevo"
        case .backToApp(let app): "Volver a \(app)"
        case .wrongCode: "Este código no es correcto. Revísalo o pide uno nuevo."
        case .oldCode: "Este código ha caducado. Pide uno nuevo."
        case .wait(let seconds):
            "Demasiados intentos. Espera \(time(seconds, inSeconds, inMinutes)) e inténtalo de nuevo."
        case .locked(let minutes):
            "Se introdujeron demasiadas contraseñas incorrectas. Espera \(inMinutes(minutes)) o restablece la contraseña."
        case .wrongPassword: "La contraseña no es correcta."
        case .unknownUser: "No hay ninguna cuenta con este nombre. Revísalo o crea una cuenta."
        case .userExists: "Ya hay una cuenta con esta dirección. Inicia sesión."
        case .disabledAccount: "Esta cuenta no se puede usar."
        case .badEmail: "Escribe una dirección de correo electrónico, por ejemplo, nombre@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Esta contraseña es demasiado corta: debe tener al menos 8 caracteres."
            case .tooLong: "Esta contraseña es demasiado larga: puede tener como máximo 256 caracteres."
            case .tooWeak: "Usa tres de estos tipos: minúsculas, mayúsculas, números, otros signos."
            case .banned: "Esta contraseña es fácil de adivinar. Elige otra."
            case .recentlyUsed: "Esta es tu contraseña actual. Elige otra."
            case .invalid: "Esta contraseña tiene un carácter que no se puede usar."
            }
        case .mailboxRefuses: "El servidor de correo de esta dirección rechaza nuestros correos. Usa otra dirección."
        case .blockedContact: "Esta dirección no se puede añadir ahora. Usa primero la dirección de tu cuenta."
        case .badAttributes: "Algunas respuestas no se pueden usar. Revísalas."
        case .badField(let name): "Revisa esto: \(attribute(name))."
        case .missing: "Rellena este campo."
        case .alreadyDone: "Ese paso ya está hecho. Continúa aquí."
        case .codeSentAgain: "Si el último código tiene más de un minuto, ya va en camino uno nuevo."
        case .signUpClosed: "Esta aplicación no admite usuarios nuevos."
        case .noPassword: "Esta cuenta no tiene contraseña. Inicia sesión con un código."
        case .text(let text): text
        case .deviceTitle: "Conectar un dispositivo"
        case .deviceHelp: "Introduzca el código que muestra su televisor, su línea de comandos u otro dispositivo."
        case .wrongDeviceCode:
            "Este código no es correcto o es demasiado antiguo. Compruébelo, o pida uno nuevo en el dispositivo."
        case .deviceAllowTitle(let app): "¿Iniciar sesión en \(app) en otro dispositivo?"
        case .deviceAsks(let app, let code):
            "Un dispositivo que muestra el código \(code) pide usar \(app) con su cuenta."
        case .deviceSince(let minutes): "Minutos desde la petición del dispositivo: \(minutes)"
        case .deviceSameNetwork: "El dispositivo está en la misma red que este navegador."
        case .deviceOtherNetwork: "El dispositivo está en otra red que este navegador."
        case .deviceWarning:
            "¿Ha empezado esto usted, y ve ahora este código en su propio dispositivo? Si otra persona le dio el código, elija «Cancelar»: esa persona entraría en su cuenta."
        case .deviceAllowed: "Vuelva a su dispositivo"
        case .deviceDeclined: "El dispositivo no ha iniciado sesión"
        case .errorPrefix: "Error"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Nombre completo"
        case "givenName": "Nombre"
        case "surname": "Apellidos"
        case "jobTitle": "Cargo"
        case "country": "País"
        case "state": "Estado o provincia"
        case "city": "Ciudad"
        case "streetAddress": "Dirección"
        case "postalCode": "Código postal"
        case "preferredLanguage": "Idioma"
        case AttributeDefinition.aliasName: "Nombre de usuario"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "un segundo" : "\(count) segundos"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "un minuto" : "\(count) minutos"
    }
}
