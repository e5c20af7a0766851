import IdentityEngine

extension PagePhrase {
    var portuguese: String {
        switch self {
        case .signIn: "Iniciar sessão"
        case .createAccount: "Crie a sua conta"
        case .enterPassword: "Digite a sua senha"
        case .enterCode: "Verifique o seu e-mail"
        case .choosePassword: "Escolha uma senha"
        case .chooseNewPassword: "Escolha uma nova senha"
        case .aboutYou: "Sobre você"
        case .chooseMethod: "Mais um passo"
        case .addMailbox: "Adicione outro endereço de e-mail"
        case .cannotGoOn: "Não podemos continuar"
        case .tookTooLong: "O tempo acabou"
        case .needsCookies: "Permita os cookies"
        case .begunElsewhere: "Iniciado em outro lugar"
        case .signedIn: "Sessão iniciada"
        case .movingOn: "Um momento"
        case .signOut: "Encerrar a sessão?"
        case .signedOut: "Sessão encerrada"
        case .busy: "Tente novamente daqui a pouco"
        case .continueTo(let app): "Continuar para \(app)"
        case .toApp(let app): "para continuar para \(app)"
        case .codeSent(let address): "Enviamos um código para \(address)."
        case .codeIsValid: "É válido por dez minutos. Se não o encontrar, veja na pasta de spam."
        case .signedInAs(let name): "Sessão iniciada como \(name)."
        case .appSignedInAs(let app, let name): "A aplicação “\(app)” tem sessão iniciada como \(name)."
        case .goOnAs(let name): "Continuar como \(name)"
        case .whyMailbox:
            "Este app pede uma verificação adicional. Quando iniciar sessão, enviaremos códigos para este endereço."
        case .whyMethod: "Este aplicativo pede um segundo fator. De onde vem o código?"
        case .wantsAccess(let app): "\(app) pertence a outra organização. O app pede para:"
        case .scopeOpenID: "saber que você é a mesma pessoa quando voltar"
        case .scopeProfile: "ver o seu nome"
        case .scopeEmail: "ver o seu endereço de e-mail"
        case .scopeOffline: "continuar conectado na sua ausência"
        case .scopeOther(let name): "usar \(name)"
        case .allow: "Permitir"
        case .decline: "Não permitir"
        case .passwordRules:
            "Pelo menos 8 caracteres, com três destes tipos: minúsculas, maiúsculas, números, outros sinais."
        case .cookiesHelp:
            "O seu navegador recusa o cookie necessário para iniciar sessão. Permita os cookies para este endereço e tente novamente."
        case .begunElsewhereHelp:
            "Este início de sessão não começou neste navegador, ou os cookies foram apagados. Volte ao app e comece de novo."
        case .wrongAddressHelp:
            "Não conhecemos o app de onde você veio, ou não podemos responder ao pedido dele. Volte e tente novamente. Se acontecer de novo, avise os responsáveis pelo app."
        case .policyHelp: "Com a sua conta não é possível a verificação que este app pede."
        case .overHelp: "Este início de sessão terminou. Pode começar de novo."
        case .mayCloseWindow(let app): "Volte para \(app). Pode fechar esta janela."
        case .movingOnHelp(let app): "Em instantes estará de volta em \(app)."
        case .busyHelp:
            "O servidor não pode responder agora. O que escreveu não se perdeu: envie o formulário novamente daqui a pouco."
        case .signOutHelp(let tenant): "A sua sessão em \(tenant) será encerrada neste navegador."
        case .signedOutHelp: "Pode fechar esta janela."
        case .requestNumber(let number): "Número deste pedido: \(number)"
        case .email: "Endereço de e-mail"
        case .emailOrName: "Endereço de e-mail ou nome de usuário"
        case .password: "Senha"
        case .newPassword: "Nova senha"
        case .showPassword: "Mostrar senha"
        case .code: "Código"
        case .staySignedIn: "Manter a sessão iniciada neste dispositivo"
        case .optional: "opcional"
        case .attribute(let name): attribute(name)
        case .next: "Avançar"
        case .signInButton: "Iniciar sessão"
        case .signOutButton: "Encerrar sessão"
        case .cancel: "Cancelar"
        case .sendAgain: "Enviar um novo código"
        case .forgotPassword: "Esqueceu a senha?"
        case .otherAccount: "Usar outra conta"
        case .goOn: "Continuar"
        case .haveAccount: "Tenho uma conta"
        case .noAccount: "Criar uma conta"
        case .startAgain: "Começar de novo"
        case .backToApp(let app): "Voltar para \(app)"
        case .wrongCode: "Este código não está correto. Verifique-o ou peça um novo."
        case .oldCode: "Este código expirou. Peça um novo."
        case .wait(let seconds): "Muitas tentativas. Aguarde \(time(seconds, inSeconds, inMinutes)) e tente novamente."
        case .locked(let minutes):
            "Foram inseridas muitas senhas erradas. Aguarde \(inMinutes(minutes)) ou redefina a senha."
        case .wrongPassword: "A senha não está correta."
        case .unknownUser: "Não há nenhuma conta com este nome. Verifique-o ou crie uma conta."
        case .userExists: "Já existe uma conta com este endereço. Inicie sessão."
        case .disabledAccount: "Esta conta não pode ser usada."
        case .badEmail: "Digite um endereço de e-mail, por exemplo, nome@example.com."
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "Esta senha é muito curta: precisa de pelo menos 8 caracteres."
            case .tooLong: "Esta senha é muito longa: pode ter no máximo 256 caracteres."
            case .tooWeak: "Use três destes tipos: minúsculas, maiúsculas, números, outros sinais."
            case .banned: "Esta senha é fácil de adivinhar. Escolha outra."
            case .recentlyUsed: "Esta é a sua senha atual. Escolha outra."
            case .invalid: "Esta senha tem um caractere que não pode ser usado."
            }
        case .mailboxRefuses: "O servidor de e-mail deste endereço recusa as nossas mensagens. Use outro endereço."
        case .blockedContact: "Este endereço não pode ser adicionado agora. Use primeiro o endereço da sua conta."
        case .badAttributes: "Algumas respostas não podem ser usadas. Verifique-as."
        case .badField(let name): "Verifique isto: \(attribute(name))."
        case .missing: "Preencha este campo."
        case .alreadyDone: "Esse passo já está feito. Continue aqui."
        case .codeSentAgain: "Se o último código tiver mais de um minuto, um novo está a caminho."
        case .signUpClosed: "Este app não aceita novos usuários."
        case .noPassword: "Esta conta não tem senha. Inicie sessão com um código."
        case .text(let text): text
        case .yourAccount: "A sua conta"
        case .yourData: "Os seus dados"
        case .changeEmail: "Altere o seu endereço de e-mail"
        case .changePassword: "Altere a sua senha"
        case .secondFactor: "Verificação adicional"
        case .sessions: "Onde tem sessão iniciada"
        case .copyOfData: "Uma cópia dos seus dados"
        case .deleteAccount: "Elimine a sua conta"
        case .confirmItIsYou: "Confirme que é você"
        case .accountDeleted: "A sua conta foi eliminada"
        case .deletionPlanned: "A sua conta será eliminada"
        case .confirmItIsYouHelp:
            "O que se segue protege a sua conta. Antes de continuar, confirme novamente que é você."
        case .saved: "A alteração foi guardada."
        case .passwordChanged: "A sua senha foi alterada. Encerramos as suas outras sessões."
        case .newAddressHelp:
            "Enviamos um código para o novo endereço. Talvez enviemos antes um para o seu endereço atual."
        case .methodsHelp: "Ao entrar, também podemos pedir um código de um destes."
        case .methodSuspended: "Não pode ser usado por agora, porque a senha foi redefinida."
        case .sessionsHelp: "Não reconhece algum item? Encerre essa sessão e altere a sua senha."
        case .thisBrowser: "Este navegador"
        case .browser: "Um navegador"
        case .lastUsed: "Último uso"
        case .copyHelp: "Um arquivo com tudo o que guardamos sobre você, em formato JSON."
        case .deleteHelp: "A sua conta é eliminada de imediato, com todos os seus dados. Isto não pode ser desfeito."
        case .typeAddress: "Para confirmar, escreva o endereço de e-mail da sua conta."
        case .notSet: "Não definida"
        case .deleteLaterHelp(let days):
            "A sua conta é eliminada em \(days == 1 ? "um dia" : "\(days) dias"), com todos os seus dados. Até lá, pode iniciar sessão e mantê-la."
        case .currentPassword: "Senha atual"
        case .newEmail: "Novo endereço de e-mail"
        case .methodName: "Nome deste endereço"
        case .save: "Guardar"
        case .rename: "Mudar o nome"
        case .remove: "Remover"
        case .endOthers: "Encerrar as outras sessões"
        case .endAll: "Encerrar todas as sessões"
        case .allowedApplications: "Aplicações que autorizou"
        case .download: "Baixar"
        case .keepAccount: "Manter a minha conta"
        case .backToAccount: "Voltar à sua conta"
        case .changedElsewhere:
            "Entretanto, os seus dados foram alterados noutro lugar. Verifique-os e guarde novamente."
        case .nameTaken: "Este nome já está em uso. Escolha outro."
        case .lastMethod: "Precisa de uma verificação adicional, e esta é a última."
        case .addressTaken: "Existe outra conta com este endereço."
        case .addressNotUsable: "Isto não é um endereço de e-mail, ou a sua conta já o tem."
        case .privacy: "Privacidade"
        case .terms: "Termos de uso"
        case .support: "Ajuda"
        case .deviceTitle: "Ligar um dispositivo"
        case .deviceHelp:
            "Introduza o código mostrado pelo televisor, pela linha de comandos ou por outro dispositivo."
        case .wrongDeviceCode:
            "Este código não está certo ou é demasiado antigo. Verifique-o, ou obtenha um novo no dispositivo."
        case .deviceAllowTitle(let app): "Entrar em \(app) noutro dispositivo?"
        case .deviceAsks(let app, let code):
            "Um dispositivo que mostra o código \(code) pede para usar \(app) com a sua conta."
        case .deviceSince(let minutes): "Minutos desde o pedido do dispositivo: \(minutes)"
        case .deviceSameNetwork: "O dispositivo está na mesma rede que este navegador."
        case .deviceOtherNetwork: "O dispositivo está numa rede diferente da deste navegador."
        case .deviceWarning:
            "Foi você que começou isto, e vê agora este código no seu próprio dispositivo? Se outra pessoa lhe deu o código, escolha «Cancelar»: essa pessoa entraria na sua conta."
        case .deviceAllowed: "Volte ao seu dispositivo"
        case .deviceDeclined: "O dispositivo não tem sessão iniciada"
        case .authenticatorApp: "Aplicativo autenticador"
        case .enterAppCode: "Digite o código do seu aplicativo"
        case .addApp: "Adicionar um aplicativo autenticador"
        case .scanHelp:
            "Leia esta imagem com um aplicativo autenticador. Depois digite o código que ele mostra."
        case .keyByHand: "Ou digite esta chave no aplicativo:"
        case .openApp: "Abrir o aplicativo neste dispositivo"
        case .appCodeHelp:
            "Abra o seu aplicativo autenticador e digite o código que ele mostra para esta conta."
        case .wrongAppCode:
            "Este código não está correto. Digite o que o aplicativo mostra agora; cada código vale uma vez."
        case .appNotAllowed: "Não é possível adicionar outro aplicativo autenticador."
        case .recoveryCodes: "Códigos de recuperação"
        case .recoveryHelp: "Para o dia em que não puder usar nenhum outro método. Cada código funciona uma vez."
        case .makeCodes: "Criar novos códigos"
        case .codesLeft(let count): "Códigos restantes: \(count)"
        case .codesShownOnce:
            "Guarde estes códigos em um lugar seguro, como um gerenciador de senhas. Eles só são mostrados agora, e os códigos anteriores não funcionam mais."
        case .enterRecoveryCode: "Digite um código de recuperação"
        case .recoveryCodeHelp: "Digite um dos códigos que você guardou. Cada código funciona uma vez."
        case .wrongRecoveryCode: "Este código não está certo ou já foi usado."
        case .recoveredHelp:
            "Você entrou com um código de recuperação. Adicione um método agora. Para remover um, entre primeiro com um método."
        case .otherMethod: "Usar outro método"
        case .errorPrefix: "Erro"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "Nome completo"
        case "givenName": "Nome"
        case "surname": "Sobrenome"
        case "jobTitle": "Cargo"
        case "country": "País"
        case "state": "Estado ou distrito"
        case "city": "Cidade"
        case "streetAddress": "Endereço"
        case "postalCode": "Código postal"
        case "preferredLanguage": "Idioma"
        case AttributeDefinition.aliasName: "Nome de usuário"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        count == 1 ? "um segundo" : "\(count) segundos"
    }

    private func inMinutes(_ count: Int) -> String {
        count == 1 ? "um minuto" : "\(count) minutos"
    }
}
