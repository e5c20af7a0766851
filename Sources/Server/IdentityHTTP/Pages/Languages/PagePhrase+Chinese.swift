import IdentityEngine

extension PagePhrase {
    var chinese: String {
        switch self {
        case .signIn: "登录"
        case .createAccount: "创建您的账户"
        case .enterPassword: "输入密码"
        case .enterCode: "请查看您的邮件"
        case .choosePassword: "设置密码"
        case .chooseNewPassword: "设置新密码"
        case .aboutYou: "关于您"
        case .chooseMethod: "还差一步"
        case .addMailbox: "再添加一个电子邮件地址"
        case .cannotGoOn: "无法继续"
        case .tookTooLong: "用时过长"
        case .needsCookies: "请允许 Cookie"
        case .begunElsewhere: "登录是在别处开始的"
        case .signedIn: "您已登录"
        case .movingOn: "请稍候"
        case .signOut: "要退出登录吗？"
        case .signedOut: "您已退出登录"
        case .busy: "请稍后再试"
        case .continueTo(let app): "继续前往 \(app)"
        case .toApp(let app): "完成后将前往 \(app)"
        case .codeSent(let address): "我们已将验证码发送至 \(address)。"
        case .codeIsValid: "验证码有效期为十分钟。如果没有看到，请查看垃圾邮件文件夹。"
        case .signedInAs(let name): "当前登录账户：\(name)"
        case .whyMailbox: "此应用需要额外验证。今后您登录时，我们会将验证码发送至此地址。"
        case .whyMethod: "此应用需要额外验证。我们可以将验证码发送到哪里？"
        case .wantsAccess(let app): "\(app) 属于另一个组织。它请求："
        case .scopeOpenID: "在您再次访问时知道您是同一用户"
        case .scopeProfile: "查看您的姓名"
        case .scopeEmail: "查看您的电子邮件地址"
        case .scopeOffline: "在您离开时保持连接"
        case .scopeOther(let name): "使用 \(name)"
        case .allow: "允许"
        case .decline: "不允许"
        case .passwordRules: "至少 8 个字符，并包含以下任意三种：小写字母、大写字母、数字、其他符号。"
        case .cookiesHelp: "您的浏览器拒绝了登录所需的 Cookie。请允许此地址使用 Cookie，然后重试。"
        case .begunElsewhereHelp: "此次登录不是在此浏览器中开始的，或者 Cookie 已被删除。请返回应用，重新开始。"
        case .wrongAddressHelp: "我们无法识别将您带到这里的应用，或者无法响应它的请求。请返回并重试。如果问题再次出现，请告知应用的开发者。"
        case .policyHelp: "您的账户无法提供此应用要求的验证。"
        case .overHelp: "此次登录已结束。您可以重新开始。"
        case .mayCloseWindow(let app): "请返回 \(app)。您可以关闭此窗口。"
        case .movingOnHelp(let app): "正在返回 \(app)。"
        case .busyHelp: "服务器现在无法响应。您输入的内容没有丢失，请稍后重新提交。"
        case .signOutHelp(let tenant): "您将在此浏览器中退出 \(tenant)。"
        case .signedOutHelp: "您可以关闭此窗口。"
        case .requestNumber(let number): "请求编号：\(number)"
        case .email: "电子邮件地址"
        case .emailOrName: "电子邮件地址或用户名"
        case .password: "密码"
        case .newPassword: "新密码"
        case .showPassword: "显示密码"
        case .code: "验证码"
        case .staySignedIn: "在此设备上保持登录"
        case .optional: "可选"
        case .attribute(let name): attribute(name)
        case .next: "下一步"
        case .signInButton: "登录"
        case .signOutButton: "退出登录"
        case .cancel: "取消"
        case .sendAgain: "发送新验证码"
        case .forgotPassword: "忘记密码了？"
        case .otherAccount: "使用其他账户"
        case .goOn: "继续"
        case .haveAccount: "我已有账户"
        case .noAccount: "创建账户"
        case .startAgain: "重新开始"
        case .backToApp(let app): "返回 \(app)"
        case .wrongCode: "验证码不正确。请检查，或获取新的验证码。"
        case .oldCode: "验证码已过期。请获取新的验证码。"
        case .wait(let seconds): "尝试次数过多。请等待 \(time(seconds, inSeconds, inMinutes))，然后重试。"
        case .locked(let minutes): "错误密码输入次数过多。请等待 \(inMinutes(minutes))，或重置密码。"
        case .wrongPassword: "密码不正确。"
        case .unknownUser: "没有使用此名称的账户。请检查，或创建账户。"
        case .userExists: "此地址已有账户。请直接登录。"
        case .disabledAccount: "此账户无法使用。"
        case .badEmail: "请输入电子邮件地址，例如 name@example.com。"
        case .badPassword(let fault):
            switch fault {
            case .tooShort: "密码太短：至少需要 8 个字符。"
            case .tooLong: "密码太长：最多 256 个字符。"
            case .tooWeak: "请使用以下任意三种：小写字母、大写字母、数字、其他符号。"
            case .banned: "此密码容易被猜到。请换一个密码。"
            case .recentlyUsed: "这是您当前的密码。请换一个密码。"
            case .invalid: "密码中有无法使用的字符。"
            }
        case .mailboxRefuses: "此地址的邮件服务器拒收我们的邮件。请使用其他地址。"
        case .blockedContact: "现在无法添加此地址。请先使用您账户的地址。"
        case .badAttributes: "部分内容无法使用。请检查。"
        case .badField(let name): "请检查：\(attribute(name))。"
        case .missing: "请填写此项。"
        case .alreadyDone: "该步骤已完成。请从这里继续。"
        case .codeSentAgain: "如果上一个验证码已超过一分钟，新的验证码正在发送。"
        case .signUpClosed: "此应用不允许新用户注册。"
        case .noPassword: "此账户没有密码。请使用验证码登录。"
        case .text(let text): text
        case .errorPrefix: "错误"
        }
    }

    private func attribute(_ name: String) -> String {
        switch name {
        case "displayName": "姓名"
        case "givenName": "名字"
        case "surname": "姓氏"
        case "jobTitle": "职位"
        case "country": "国家/地区"
        case "state": "省/州"
        case "city": "城市"
        case "streetAddress": "街道地址"
        case "postalCode": "邮政编码"
        case "preferredLanguage": "语言"
        case AttributeDefinition.aliasName: "用户名"
        case _: AttributeTitle.words(name)
        }
    }

    private func inSeconds(_ count: Int) -> String {
        "\(count) 秒"
    }

    private func inMinutes(_ count: Int) -> String {
        "\(count) 分钟"
    }
}
