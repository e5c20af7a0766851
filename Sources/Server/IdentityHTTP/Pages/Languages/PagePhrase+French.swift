import IdentityEngine

extension PagePhrase {
    var french: String {
        switch self {
        case .signIn: "Connexion"
        case .createAccount: "Créez votre compte"
        case .enterPassword: "Saisissez votre mot de passe"
        case .enterCode: "Consultez vos e-mails"
        case .choosePassword: "Choisissez un mot de passe"
        case .chooseNewPassword: "Choisissez un nouveau mot de passe"
        case .aboutYou: "À propos de vous"
        case .chooseMethod: "Encore une étape"
        case .addMailbox: "Ajoutez une autre adresse e-mail"
        case .cannotGoOn: "Impossible de continuer"
        case .tookTooLong: "Le délai est dépassé"
        case .needsCookies: "Autorisez les cookies"
        case .begunElsewhere: "Connexion commencée ailleurs"
        case .signedIn: "Connexion réussie"
        case .movingOn: "Un instant"
        case .signOut: "Se déconnecter\u{A0}?"
        case .signedOut: "Déconnexion réussie"
        case .busy: "Réessayez dans un instant"
        case .continueTo(let app): "Continuer vers \(app)"
        case .toApp(let app): "pour continuer vers \(app)"
        case .codeSent(let address): "Nous avons envoyé un code à \(address)."
        case .codeIsValid: "Il est valable dix minutes. Si vous ne le voyez pas, regardez dans vos spams."
        case .signedInAs(let name): "Vous utilisez le compte \(name)."
        case .appSignedInAs(let app, let name): "L’application « \(app) » utilise le compte \(name)."
        case .goOnAs(let name): "Continuer avec \(name)"
        case .whyMailbox:
            "Cette application demande une vérification supplémentaire. Quand vous vous connecterez, nous enverrons un code à cette adresse."
        case .whyMethod: "Cette application demande un second facteur. Quel moyen voulez-vous utiliser ?"
        case .wantsAccess(let app): "\(app) appartient à une autre organisation. Cette application demande à\u{A0}:"
        case .scopeOpenID: "savoir que vous êtes la même personne quand vous revenez"
        case .scopeProfile: "voir votre nom"
        case .scopeEmail: "voir votre adresse e-mail"
        case .scopeOffline: "rester connectée quand vous n’êtes pas là"
        case .scopeOther(let name): "utiliser \(name)"
        case .allow: "Autoriser"
        case .decline: "Ne pas autoriser"
        case .passwordRules:
            "Au moins 8 caractères, dont trois de ces types\u{A0}: minuscules, majuscules, chiffres, autres caractères."
        case .cookiesHelp:
            "Votre navigateur refuse le cookie nécessaire à la connexion. Autorisez les cookies pour cette adresse, puis réessayez."
        case .begunElsewhereHelp:
            "Cette connexion n’a pas été commencée dans ce navigateur, ou ses cookies ont été supprimés. Retournez dans l’application et recommencez."
        case .wrongAddressHelp:
            "Nous ne connaissons pas l’application d’où vous venez, ou nous ne pouvons pas répondre à sa demande. Revenez en arrière et réessayez. Si cela se reproduit, prévenez les responsables de l’application."
        case .strongerProofNeeded: "Une vérification plus forte est nécessaire."
        case .whyPasskey:
            "Une vérification plus forte est nécessaire. Créez une clé d’accès sur cet appareil : elle servira à vous connecter."
        case .addMethod: "Ajouter une méthode dans votre compte"
        case .policyHelp: "Votre compte ne permet pas la vérification que cette application demande."
        case .overHelp: "Cette connexion est terminée. Vous pouvez recommencer."
        case .mayCloseWindow(let app): "Retournez à \(app). Vous pouvez fermer cette fenêtre."
        case .movingOnHelp(let app): "Nous vous ramenons à \(app)."
        case .busyHelp:
            "Le serveur ne peut pas répondre pour le moment. Votre saisie n’est pas perdue\u{A0}: renvoyez le formulaire dans un instant."
        case .signOutHelp(let tenant): "Votre session chez \(tenant) sera fermée dans ce navigateur."
        case .signedOutHelp: "Vous pouvez fermer cette fenêtre."
        case .requestNumber(let number): "Numéro de cette demande\u{A0}: \(number)"
        case .email: "Adresse e-mail"
        case .emailOrName: "Adresse e-mail ou nom d’utilisateur"
        case .emailOrNumber: "Adresse e-mail ou numéro de téléphone"
        case .emailNameOrNumber: "Adresse e-mail, nom d’utilisateur ou numéro de téléphone"
        case .password: "Mot de passe"
        case .newPassword: "Nouveau mot de passe"
        case .showPassword: "Afficher le mot de passe"
        case .code: "Code"
        case .staySignedIn: "Rester connecté sur cet appareil"
        case .optional: "facultatif"
        case .attribute(let name): attribute(name)
        case .next: "Suivant"
        case .signInButton: "Se connecter"
        case .signOutButton: "Se déconnecter"
        case .cancel: "Annuler"
        case .sendAgain: "Envoyer un nouveau code"
        case .forgotPassword: "Mot de passe oublié\u{A0}?"
        case .otherAccount: "Utiliser un autre compte"
        case .goOn: "Continuer"
        case .haveAccount: "J’ai un compte"
        case .noAccount: "Créer un compte"
        case .startAgain: "Recommencer"
        case .backToApp(let app): "Retour à \(app)"
        case .wrongCode: "Ce code n’est pas le bon. Vérifiez-le ou demandez-en un nouveau."
        case .oldCode: "Ce code est trop ancien. Demandez-en un nouveau."
        case .wait(let seconds): "Trop de tentatives. Attendez \(time(seconds, inSeconds, inMinutes)), puis réessayez."
        case .locked(let minutes):
            "Trop de mots de passe erronés ont été saisis. Attendez \(inMinutes(minutes)) ou réinitialisez le mot de passe."
        case .wrongPassword: "Ce mot de passe n’est pas le bon."
        case .unknownUser: "Aucun compte ne porte ce nom. Vérifiez-le ou créez un compte."
        case .userExists: "Cette adresse a déjà un compte. Connectez-vous."
        case .disabledAccount: "Ce compte ne peut pas être utilisé."
        case .badEmail: "Saisissez une adresse e-mail, par exemple nom@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Ce mot de passe est trop court\u{A0}: il doit avoir au moins 8 caractères."
            case .tooLong: "Ce mot de passe est trop long\u{A0}: il peut avoir au plus 256 caractères."
            case .tooWeak: "Utilisez trois de ces types\u{A0}: minuscules, majuscules, chiffres, autres caractères."
            case .banned: "Ce mot de passe est facile à deviner. Choisissez-en un autre."
            case .recentlyUsed: "C’est votre mot de passe actuel. Choisissez-en un autre."
            case .invalid: "Ce mot de passe contient un caractère qui ne peut pas être utilisé."
            }
        case .mailboxRefuses:
            "Le serveur de messagerie de cette adresse refuse nos e-mails. Utilisez une autre adresse."
        case .blockedContact:
            "Cette adresse ne peut pas être ajoutée pour le moment. Utilisez d’abord l’adresse de votre compte."
        case .badAttributes: "Certaines réponses ne peuvent pas être utilisées. Vérifiez-les."
        case .badField(let name): "À vérifier\u{A0}: \(attribute(name))."
        case .missing: "Remplissez ce champ."
        case .alreadyDone: "Cette étape est déjà faite. Continuez ici."
        case .codeSentAgain: "Si le dernier code a plus d’une minute, un nouveau est en route."
        case .signUpClosed: "Cette application n’accepte pas de nouveaux utilisateurs."
        case .noPassword: "Ce compte n’a pas de mot de passe. Connectez-vous avec un code."
        case .text(let text): text
        case .yourAccount: "Votre compte"
        case .yourData: "Vos données"
        case .changeEmail: "Changer votre adresse e-mail"
        case .changePassword: "Changer votre mot de passe"
        case .signInMethods: "Méthodes de connexion"
        case .sessions: "Où vous êtes connecté"
        case .copyOfData: "Une copie de vos données"
        case .deleteAccount: "Supprimer votre compte"
        case .confirmItIsYou: "Confirmez que c’est bien vous"
        case .accountDeleted: "Votre compte est supprimé"
        case .deletionPlanned: "Votre compte sera supprimé"
        case .confirmItIsYouHelp:
            "La suite protège votre compte. Avant de continuer, confirmez de nouveau que c’est bien vous."
        case .saved: "La modification est enregistrée."
        case .passwordChanged: "Votre mot de passe est changé. Vous êtes déconnecté partout ailleurs."
        case .newAddressHelp:
            "Nous envoyons un code à la nouvelle adresse. Nous en enverrons peut-être d’abord un à votre adresse actuelle."
        case .methodsHelp: "À la connexion, nous pouvons aussi demander un code de l’une de ces méthodes."
        case .methodSuspended: "Inutilisable pour le moment : le mot de passe a été réinitialisé."
        case .sessionsHelp: "Vous ne reconnaissez pas un élément ? Déconnectez-le et changez votre mot de passe."
        case .thisBrowser: "Ce navigateur"
        case .browser: "Un navigateur"
        case .lastUsed: "Dernière utilisation"
        case .copyHelp: "Un fichier avec tout ce que nous avons enregistré sur vous, au format JSON."
        case .deleteHelp: "Votre compte est supprimé tout de suite, avec toutes vos données. C’est définitif."
        case .typeAddress: "Pour confirmer, saisissez l’adresse e-mail de votre compte."
        case .notSet: "Non défini"
        case .deleteLaterHelp(let days):
            "Votre compte est supprimé dans \(days == 1 ? "un jour" : "\(days) jours"), avec toutes vos données. D’ici là, vous pouvez vous connecter et le garder."
        case .currentPassword: "Mot de passe actuel"
        case .newEmail: "Nouvelle adresse e-mail"
        case .methodName: "Nom de cette entrée"
        case .save: "Enregistrer"
        case .rename: "Renommer"
        case .remove: "Retirer"
        case .endOthers: "Se déconnecter partout ailleurs"
        case .endAll: "Se déconnecter partout"
        case .rememberBrowser(let days):
            "Ne plus me le demander dans ce navigateur pendant \(days == 1 ? "1 jour" : "\(days) jours")"
        case .rememberedDevices: "Appareils mémorisés"
        case .rememberedDevicesHelp: "Le second facteur n’y est pas demandé."
        case .rememberedUntil: "Expire le"
        case .allowedApplications: "Applications que vous avez autorisées"
        case .download: "Télécharger"
        case .keepAccount: "Garder mon compte"
        case .backToAccount: "Retour à votre compte"
        case .changedElsewhere:
            "Vos données ont été modifiées ailleurs entre-temps. Vérifiez-les et enregistrez de nouveau."
        case .nameTaken: "Ce nom est déjà pris. Choisissez-en un autre."
        case .lastMethod: "Une vérification supplémentaire est obligatoire, et celle-ci est la dernière."
        case .addressTaken: "Il existe un autre compte avec cette adresse."
        case .addressNotUsable: "Ce n’est pas une adresse e-mail, ou votre compte l’a déjà."
        case .privacy: "Confidentialité"
        case .terms: "Conditions d’utilisation"
        case .support: "Aide"
        case .deviceTitle: "Connecter un appareil"
        case .deviceHelp:
            "Saisissez le code que montre votre téléviseur, votre ligne de commande ou un autre appareil."
        case .wrongDeviceCode:
            "Ce code n’est pas le bon, ou il est trop ancien. Vérifiez-le, ou demandez-en un nouveau sur l’appareil."
        case .deviceAllowTitle(let app): "Se connecter à \(app) sur un autre appareil ?"
        case .deviceAsks(let app, let code):
            "Un appareil qui montre le code \(code) demande à utiliser \(app) avec votre compte."
        case .deviceSince(let minutes): "Minutes depuis la demande de l’appareil : \(minutes)"
        case .deviceSameNetwork: "L’appareil est dans le même réseau que ce navigateur."
        case .deviceOtherNetwork: "L’appareil est dans un autre réseau que ce navigateur."
        case .deviceWarning:
            "Avez-vous commencé cela vous-même, et voyez-vous ce code maintenant sur votre propre appareil ? Si une autre personne vous a donné le code, choisissez « Annuler » : elle entrerait dans votre compte."
        case .deviceAllowed: "Revenez à votre appareil"
        case .deviceDeclined: "L’appareil n’est pas connecté"
        case .authenticatorApp: "Application d’authentification"
        case .enterAppCode: "Saisissez le code de votre application"
        case .addApp: "Ajouter une application d’authentification"
        case .scanHelp:
            "Scannez cette image avec une application d’authentification. Saisissez ensuite le code qu’elle affiche."
        case .keyByHand: "Ou saisissez cette clé dans l’application :"
        case .openApp: "Ouvrir l’application sur cet appareil"
        case .appCodeHelp:
            "Ouvrez votre application d’authentification et saisissez le code qu’elle affiche pour ce compte."
        case .wrongAppCode:
            "Ce code n’est pas le bon. Saisissez celui que l’application affiche maintenant ; chaque code sert une seule fois."
        case .appNotAllowed: "Vous ne pouvez pas ajouter d’autre application d’authentification."
        case .recoveryCodes: "Codes de secours"
        case .recoveryHelp: "Pour le jour où vous ne pourrez utiliser aucun autre moyen. Chaque code sert une fois."
        case .makeCodes: "Créer de nouveaux codes"
        case .codesLeft(let count): "Codes restants : \(count)"
        case .codesShownOnce:
            "Gardez ces codes en lieu sûr, par exemple dans un gestionnaire de mots de passe. Ils ne s’affichent que maintenant, et les anciens codes ne fonctionnent plus."
        case .enterRecoveryCode: "Saisissez un code de secours"
        case .recoveryCodeHelp: "Tapez l’un des codes que vous avez gardés. Chaque code sert une fois."
        case .wrongRecoveryCode: "Ce code n’est pas le bon, ou il a déjà servi."
        case .codesLow: "Il ne vous reste que quelques codes de secours. Créez-en de nouveaux maintenant."
        case .codesUsedUp:
            "Vous avez utilisé tous vos codes de secours. Créez-en de nouveaux : sans eux, vous ne pourrez plus vous connecter si vous perdez vos autres méthodes."
        case .notNow: "Pas maintenant"
        case .recoveredHelp:
            "Vous vous êtes connecté avec un code de secours. Ajoutez maintenant un moyen. Pour en retirer un, connectez-vous d’abord avec un moyen."
        case .continueWith(let name): "Continuer avec \(name)"
        case .linkHelp(let provider):
            "Un compte avec cette adresse existe déjà ici. Prouvez une fois qu’il est à vous ; ensuite, vous vous connecterez avec \(provider)."
        case .connect(let name): "Associer \(name)"
        case .identityTaken: "Ce compte de l’autre service est associé à un autre utilisateur."
        case .enoughToday: "Vous avez ajouté le nombre de méthodes permis en un jour. Réessayez demain."
        case .connectedAccounts: "Comptes associés"
        case .nameMailboxHelp(let provider):
            "\(provider) ne nous a donné aucune adresse e-mail confirmée. Saisissez la vôtre ; nous vous enverrons un code."
        case .providerFailed:
            "La connexion avec l’autre service n’a pas abouti. Réessayez, ou connectez-vous autrement."
        case .addPhone: "Ajouter un téléphone"
        case .phoneNumber: "Numéro de téléphone"
        case .phoneHelp:
            "Vous recevez des codes par SMS. Saisissez le numéro avec l’indicatif du pays, par exemple +33."
        case .enterTextCode: "Saisissez le code du SMS"
        case .textSent(let number): "Nous avons envoyé un SMS avec un code au \(number). Il est valable dix minutes."
        case .badPhone: "Saisissez un numéro de téléphone avec l’indicatif du pays, par exemple +33 6 12 34 56 78."
        case .blockedPhone: "Aucun SMS ne peut être envoyé à ce numéro. Utilisez un autre numéro ou une autre méthode."
        case .phoneNotAllowed: "Vous ne pouvez pas ajouter d’autre téléphone."
        case .signInWithPasskey: "Se connecter avec une clé d’accès"
        case .usePasskey: "Utilisez votre clé d’accès"
        case .passkeyHelp:
            "Votre navigateur demande votre empreinte digitale, votre visage ou le code PIN de votre appareil."
        case .noPasskeys: "Ce navigateur ne prend pas en charge les clés d’accès, ou les scripts y sont désactivés."
        case .passkeyFailed: "Cela n’a pas fonctionné, ou l’opération a été annulée. Vous pouvez réessayer."
        case .passkeyRefused: "Cette clé d’accès n’a pas été acceptée. Réessayez ou utilisez un autre moyen."
        case .passkey: "Clé d’accès"
        case .passkeys: "Clés d’accès"
        case .passkeysHelp:
            "Vous vous connectez avec votre empreinte digitale, votre visage ou le code PIN de votre appareil, sans mot de passe ni code."
        case .addPasskey: "Ajouter une clé d’accès"
        case .passkeyExists: "Cet appareil a déjà une clé d’accès pour votre compte."
        case .passkeyNotAllowed: "Vous ne pouvez pas ajouter d’autre clé d’accès."
        case .added: "Date d’ajout"
        case .otherMethod: "Utiliser un autre moyen"
        case .errorPrefix: "Erreur"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Nom complet"
        case "givenName": "Prénom"
        case "surname": "Nom de famille"
        case "jobTitle": "Fonction"
        case "country": "Pays"
        case "state": "Région"
        case "city": "Ville"
        case "streetAddress": "Adresse postale"
        case "postalCode": "Code postal"
        case "preferredLanguage": "Langue"
        case AttributeDefinition.aliasName: "Nom d’utilisateur"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "une seconde" : "\(count) secondes"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "une minute" : "\(count) minutes"
    }
}
