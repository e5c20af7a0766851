// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let french = MailPhrases(
        codeSubject: "Votre code de vérification pour {{{organisation}}}",
        signUp: "Utilisez ce code pour créer votre compte chez {{{organisation}}}.",
        signIn: "Utilisez ce code pour vous connecter à votre compte chez {{{organisation}}}.",
        passwordReset:
            "Utilisez ce code pour choisir un nouveau mot de passe pour votre compte chez {{{organisation}}}.",
        secondFactor:
            "Utilisez ce code pour confirmer que c’est bien vous qui vous connectez à votre compte chez {{{organisation}}}.",
        registration:
            "Utilisez ce code pour ajouter cette adresse e-mail comme moyen de vérification à votre compte chez {{{organisation}}}.",
        accountChange: "Utilisez ce code pour confirmer une modification de votre compte chez {{{organisation}}}.",
        emailChange: "Utilisez ce code pour que cette adresse devienne celle de votre compte chez {{{organisation}}}.",
        label: "Votre code :",
        validity: "Il est valable {{minutes}} minute{{^single}}s{{/single}}.",
        validityInDays: "Il est valable {{days}} jours.",
        secrecy: "Ne communiquez ce code à personne. Personne chez {{{organisation}}} ne vous le demandera.",
        notAsked: "Si vous n’avez pas demandé ce code, ignorez ce message.",
        notMe:
            "Si ce n’était pas vous, choisissez immédiatement un nouveau mot de passe et prévenez {{{organisation}}}.",
        emailChanged: Notice(
            subject: "L’adresse e-mail de votre compte chez {{{organisation}}} a été modifiée",
            event:
                "Votre compte chez {{{organisation}}} a maintenant une autre adresse e-mail. Le code ci-dessous annule la modification et déconnecte tous les appareils.",
            unasked: "Si c’était vous, ignorez ce message."),
        emailChangeUndone: Notice(
            subject: "Votre compte chez {{{organisation}}} a retrouvé son ancienne adresse e-mail",
            event:
                "La modification de l’adresse e-mail de votre compte chez {{{organisation}}} a été annulée. Tous les appareils sont déconnectés.",
            unasked: "Choisissez immédiatement un nouveau mot de passe : une autre personne connaît peut-être l’ancien."
        ),
        emailReplaced: Notice(
            subject: "L’adresse e-mail de votre compte chez {{{organisation}}} a été modifiée",
            event:
                "{{{organisation}}} a donné une autre adresse e-mail à votre compte et déconnecté tous les appareils.",
            unasked: "Si vous n’avez pas demandé cette modification, prévenez {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Choisissez un nouveau mot de passe pour {{{organisation}}}",
            event:
                "{{{organisation}}} a invalidé le mot de passe de votre compte et déconnecté tous les appareils. Pour vous reconnecter, ouvrez l’application et choisissez un nouveau mot de passe, comme si vous aviez oublié l’ancien.",
            unasked: "Si vous avez des questions à ce sujet, adressez-vous à {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "Votre compte chez {{{organisation}}} a été supprimé",
            event: "Votre compte chez {{{organisation}}} et ses données ont été supprimés.",
            unasked: "Si ce n’était pas vous, prévenez {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "Votre compte chez {{{organisation}}} va être supprimé",
            event:
                "Votre compte chez {{{organisation}}} sera supprimé dans {{days}} jour{{^oneDay}}s{{/oneDay}}. Si vous voulez le garder, connectez-vous avant et choisissez de garder le compte.",
            unasked: "Si ce n’était pas vous, connectez-vous, gardez le compte et choisissez un nouveau mot de passe."),
        passwordChanged: Notice(
            subject: "Votre mot de passe pour {{{organisation}}} a été modifié",
            event: "Le mot de passe de votre compte chez {{{organisation}}} a été modifié."),
        methodRegistered: Notice(
            subject: "Un moyen de vérification a été ajouté à votre compte chez {{{organisation}}}",
            event:
                "Une adresse e-mail a été ajoutée à votre compte chez {{{organisation}}} comme moyen de vérification."),
        methodRemoved: Notice(
            subject: "Un moyen de vérification a été retiré de votre compte chez {{{organisation}}}",
            event: "Une adresse e-mail n’est plus un moyen de vérification de votre compte chez {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "Un moyen de vérification de votre compte chez {{{organisation}}} est suspendu",
            event:
                "Votre mot de passe chez {{{organisation}}} a été réinitialisé. Une adresse e-mail ajoutée récemment ne peut pas servir de moyen de vérification pendant un jour."
        ),
        methodReactivated: Notice(
            subject: "Un moyen de vérification de votre compte chez {{{organisation}}} est de nouveau utilisé",
            event: "Une adresse e-mail suspendue a servi de moyen de vérification chez {{{organisation}}}."),
        methodFirstUsed: Notice(
            subject: "Un nouveau moyen de vérification de votre compte chez {{{organisation}}} a été utilisé",
            event: "Une adresse e-mail a servi pour la première fois de moyen de vérification chez {{{organisation}}}."),
        passkeySuspect: Notice(
            subject: "Une clé d’accès de votre compte {{{organisation}}} a répondu de manière inhabituelle",
            event:
                "Une clé d’accès de votre compte {{{organisation}}} a répondu autrement qu’avant : elle a peut-être été copiée, ou elle n’a plus de sauvegarde.",
            unasked:
                "Si vous ne pouvez pas l’expliquer, supprimez la clé d’accès de votre compte et ajoutez-en une nouvelle."
        ),
        recoveryCodeUsed: Notice(
            subject: "Un code de secours de votre compte chez {{{organisation}}} a été utilisé",
            event: "Un code de secours a servi à se connecter à votre compte chez {{{organisation}}}."),
        accountExists: Notice(
            subject: "Vous avez déjà un compte chez {{{organisation}}}",
            event:
                "Quelqu’un, peut-être vous, a demandé un nouveau compte chez {{{organisation}}} avec cette adresse e-mail. Cette adresse a déjà un compte. Connectez-vous ; si vous avez oublié votre mot de passe, réinitialisez-le.",
            unasked: "Si ce n’était pas vous, vous n’avez rien à faire : votre compte n’a pas changé."),
        signInLocked: Notice(
            subject: "Quelqu’un essaie de se connecter à votre compte chez {{{organisation}}}",
            event:
                "De nombreux mots de passe erronés ont été essayés pour votre compte chez {{{organisation}}}. La connexion par mot de passe est bloquée pendant un moment ; un nouveau mot de passe la débloque aussitôt.",
            unasked:
                "Si ce n’était pas vous, votre compte est protégé. Utilisez ici un mot de passe que vous n’utilisez nulle part ailleurs."
        ),
        signedInAfterFailures: Notice(
            subject: "Connexion à votre compte chez {{{organisation}}} après de nombreux mots de passe erronés",
            event:
                "Le bon mot de passe de votre compte chez {{{organisation}}} a été saisi après de nombreux mots de passe erronés."
        ),
        methodLabel: "Adresse e-mail",
        authenticatorApp: "Application d’authentification",
        passkey: "Clé d’accès",
        recoveryCodes: "Codes de secours",
        recoveryCodesLeft: "Codes de secours restants",
        timeLabel: "Date et heure",
        networkLabel: "Réseau")
}
