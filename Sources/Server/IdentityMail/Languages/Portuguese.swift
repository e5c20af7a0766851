// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let portuguese = MailPhrases(
        codeSubject: "O seu código de verificação para {{{organisation}}}",
        signUp: "Use este código para criar a sua conta em {{{organisation}}}.",
        signIn: "Use este código para iniciar sessão em {{{organisation}}}.",
        passwordReset: "Use este código para escolher uma nova senha para a sua conta em {{{organisation}}}.",
        secondFactor: "Use este código para confirmar que é você quem inicia sessão em {{{organisation}}}.",
        registration:
            "Use este código para adicionar este endereço de e-mail à sua conta em {{{organisation}}} como método de verificação.",
        accountChange: "Use este código para confirmar uma alteração na sua conta em {{{organisation}}}.",
        emailChange:
            "Use este código para que este passe a ser o endereço de e-mail da sua conta em {{{organisation}}}.",
        label: "O seu código:",
        validity: "É válido por {{minutes}} minuto{{^single}}s{{/single}}.",
        validityInDays: "É válido por {{days}} dias.",
        secrecy: "Não revele este código a ninguém. {{{organisation}}} nunca lhe pedirá este código.",
        notAsked: "Se não pediu este código, pode ignorar esta mensagem.",
        notMe: "Se não foi você, escolha imediatamente uma nova senha e avise {{{organisation}}}.",
        emailChanged: Notice(
            subject: "O endereço de e-mail da sua conta em {{{organisation}}} foi alterado",
            event:
                "A sua conta em {{{organisation}}} tem agora outro endereço de e-mail. O código abaixo desfaz a alteração e encerra a sessão em todos os dispositivos.",
            unasked: "Se fez esta alteração, pode ignorar esta mensagem."),
        emailChangeUndone: Notice(
            subject: "A sua conta em {{{organisation}}} voltou a ter o endereço de e-mail antigo",
            event:
                "A alteração do endereço de e-mail da sua conta em {{{organisation}}} foi desfeita. A sessão foi encerrada em todos os dispositivos.",
            unasked: "Escolha imediatamente uma nova senha: outra pessoa pode conhecer a antiga."),
        emailReplaced: Notice(
            subject: "O endereço de e-mail da sua conta em {{{organisation}}} foi alterado",
            event:
                "{{{organisation}}} atribuiu outro endereço de e-mail à sua conta e encerrou a sessão em todos os dispositivos.",
            unasked: "Se não pediu esta alteração, avise {{{organisation}}}."),
        resetRequired: Notice(
            subject: "Escolha uma nova senha para {{{organisation}}}",
            event:
                "{{{organisation}}} invalidou a senha da sua conta e encerrou a sessão em todos os dispositivos. Para iniciar sessão novamente, abra o app e escolha uma nova senha, como se tivesse esquecido a antiga.",
            unasked: "Se tiver dúvidas sobre isto, pergunte a {{{organisation}}}."),
        accountDeleted: Notice(
            subject: "A sua conta em {{{organisation}}} foi apagada",
            event: "A sua conta em {{{organisation}}} e os dados nela contidos foram apagados.",
            unasked: "Se não foi você, avise {{{organisation}}}."),
        deletionScheduled: Notice(
            subject: "A sua conta em {{{organisation}}} será apagada",
            event:
                "A sua conta em {{{organisation}}} será apagada dentro de {{days}} dia{{^oneDay}}s{{/oneDay}}. Se quiser mantê-la, inicie sessão antes disso e escolha manter a conta.",
            unasked: "Se não foi você, inicie sessão, mantenha a conta e escolha uma nova senha."),
        passwordChanged: Notice(
            subject: "A sua senha para {{{organisation}}} foi alterada",
            event: "A senha da sua conta em {{{organisation}}} foi alterada."),
        methodRegistered: Notice(
            subject: "Um método de verificação foi adicionado à sua conta em {{{organisation}}}",
            event: "Um endereço de e-mail foi adicionado à sua conta em {{{organisation}}} como método de verificação."),
        methodRemoved: Notice(
            subject: "Um método de verificação foi removido da sua conta em {{{organisation}}}",
            event: "Um endereço de e-mail deixou de ser um método de verificação da sua conta em {{{organisation}}}."),
        methodSuspended: Notice(
            subject: "Um método de verificação da sua conta em {{{organisation}}} está suspenso",
            event:
                "A sua senha em {{{organisation}}} foi redefinida. Um endereço de e-mail adicionado recentemente não pode ser usado como método de verificação durante um dia."
        ),
        methodReactivated: Notice(
            subject: "Um método de verificação da sua conta em {{{organisation}}} voltou a ser usado",
            event:
                "Um endereço de e-mail que estava suspenso foi usado como método de verificação em {{{organisation}}}."),
        methodFirstUsed: Notice(
            subject: "Um novo método de verificação da sua conta em {{{organisation}}} foi usado",
            event: "Um endereço de e-mail foi usado pela primeira vez como método de verificação em {{{organisation}}}."
        ),
        passkeySuspect: Notice(
            subject: "Uma chave de acesso da sua conta {{{organisation}}} respondeu de forma invulgar",
            event:
                "Uma chave de acesso da sua conta {{{organisation}}} respondeu de forma diferente da anterior: pode ter sido copiada ou já não tem cópia de segurança.",
            unasked:
                "Se não consegue explicar isto, remova a chave de acesso da sua conta e adicione uma nova."),
        recoveryCodeUsed: Notice(
            subject: "Um código de recuperação da sua conta em {{{organisation}}} foi usado",
            event: "Um código de recuperação foi usado para entrar na sua conta em {{{organisation}}}."),
        accountExists: Notice(
            subject: "Já tem uma conta em {{{organisation}}}",
            event:
                "Alguém, talvez você, pediu uma nova conta em {{{organisation}}} com este endereço de e-mail. Este endereço já tem uma conta: inicie sessão ou, se esqueceu a senha, redefina-a.",
            unasked: "Se não foi você, não é necessário fazer nada: a sua conta continua como estava."),
        signInLocked: Notice(
            subject: "Alguém tenta iniciar sessão na sua conta em {{{organisation}}}",
            event:
                "Foram tentadas muitas senhas erradas na sua conta em {{{organisation}}}. O início de sessão com senha está bloqueado por algum tempo; uma nova senha desbloqueia-o imediatamente.",
            unasked:
                "Se não foi você, a sua conta está protegida. Use aqui uma senha que não use em nenhum outro lugar."),
        signedInAfterFailures: Notice(
            subject: "Início de sessão na sua conta em {{{organisation}}} após muitas senhas erradas",
            event: "A senha correta da sua conta em {{{organisation}}} foi inserida após muitas senhas erradas."),
        methodLabel: "Endereço de e-mail",
        authenticatorApp: "Aplicativo autenticador",
        passkey: "Chave de acesso",
        recoveryCodes: "Códigos de recuperação",
        recoveryCodesLeft: "Códigos de recuperação restantes",
        timeLabel: "Data e hora",
        networkLabel: "Rede")
}
