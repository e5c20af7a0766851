// swift-format-ignore-file: each line is a sentence.

extension MailPhrases {
    static let chinese = MailPhrases(
        codeSubject: "您的 {{{organisation}}} 验证码",
        signUp: "请使用此验证码创建您的 {{{organisation}}} 账户。",
        signIn: "请使用此验证码登录您的 {{{organisation}}} 账户。",
        passwordReset: "请使用此验证码为您的 {{{organisation}}} 账户设置新密码。",
        secondFactor: "请使用此验证码确认是您本人正在登录 {{{organisation}}} 账户。",
        registration: "请使用此验证码将此电子邮件地址添加到您的 {{{organisation}}} 账户，作为验证方式。",
        accountChange: "请使用此验证码确认对您的 {{{organisation}}} 账户所做的更改。",
        emailChange: "请使用此验证码将此地址设为您的 {{{organisation}}} 账户的电子邮件地址。",
        label: "您的验证码：",
        validity: "有效期为 {{minutes}} 分钟。",
        validityInDays: "有效期为 {{days}} 天。",
        secrecy: "请勿将此验证码告诉任何人。{{{organisation}}} 绝不会向您索要验证码。",
        notAsked: "如果您没有请求此验证码，可以忽略此邮件。",
        notMe: "如果不是您本人操作，请立即设置新密码，并告知 {{{organisation}}}。",
        emailChanged: Notice(
            subject: "您的 {{{organisation}}} 账户的电子邮件地址已更改",
            event: "您的 {{{organisation}}} 账户现在使用另一个电子邮件地址。使用下方的验证码可撤销此更改，并使所有设备退出登录。",
            unasked: "如果是您本人进行了此更改，可以忽略此邮件。"),
        emailChangeUndone: Notice(
            subject: "您的 {{{organisation}}} 账户已恢复原来的电子邮件地址",
            event: "您的 {{{organisation}}} 账户的电子邮件地址更改已撤销。所有设备均已退出登录。",
            unasked: "请立即设置新密码：其他人可能知道旧密码。"),
        emailReplaced: Notice(
            subject: "您的 {{{organisation}}} 账户的电子邮件地址已更改",
            event: "{{{organisation}}} 已为您的账户更换电子邮件地址，并使所有设备退出登录。",
            unasked: "如果您没有要求进行此更改，请告知 {{{organisation}}}。"),
        resetRequired: Notice(
            subject: "请为您的 {{{organisation}}} 账户设置新密码",
            event: "{{{organisation}}} 已使您的账户密码失效，并使所有设备退出登录。如需重新登录，请打开应用，按照忘记旧密码时的步骤设置新密码。",
            unasked: "如果您对此有疑问，请咨询 {{{organisation}}}。"),
        accountDeleted: Notice(
            subject: "您的 {{{organisation}}} 账户已删除",
            event: "您的 {{{organisation}}} 账户及其中的数据已删除。",
            unasked: "如果不是您本人操作，请告知 {{{organisation}}}。"),
        deletionScheduled: Notice(
            subject: "您的 {{{organisation}}} 账户将被删除",
            event: "您的 {{{organisation}}} 账户将在 {{days}} 天后删除。如果您想保留账户，请在此之前登录，并选择保留账户。",
            unasked: "如果不是您本人操作，请登录并保留账户，然后设置新密码。"),
        passwordChanged: Notice(
            subject: "您的 {{{organisation}}} 密码已更改",
            event: "您的 {{{organisation}}} 账户的密码已更改。"),
        methodRegistered: Notice(
            subject: "您的 {{{organisation}}} 账户已添加一种验证方式",
            event: "一个电子邮件地址已添加到您的 {{{organisation}}} 账户，作为验证方式。"),
        methodRemoved: Notice(
            subject: "您的 {{{organisation}}} 账户已移除一种验证方式",
            event: "一个电子邮件地址不再是您的 {{{organisation}}} 账户的验证方式。"),
        methodSuspended: Notice(
            subject: "您的 {{{organisation}}} 账户的一种验证方式已暂停使用",
            event: "您的 {{{organisation}}} 密码已重置。最近添加的一个电子邮件地址在一天内不能用作验证方式。"),
        methodReactivated: Notice(
            subject: "您的 {{{organisation}}} 账户的一种验证方式已恢复使用",
            event: "一个曾暂停使用的电子邮件地址已用作您的 {{{organisation}}} 账户的验证方式。"),
        methodFirstUsed: Notice(
            subject: "您的 {{{organisation}}} 账户的一种新验证方式已被使用",
            event: "一个电子邮件地址首次用作您的 {{{organisation}}} 账户的验证方式。"),
        passkeySuspect: Notice(
            subject: "您在 {{{organisation}}} 的帐户的一个通行密钥响应异常",
            event:
                "您在 {{{organisation}}} 的帐户的一个通行密钥的响应与以往不同：它可能已被复制，或者不再有备份。",
            unasked:
                "如果您无法解释原因，请从帐户中移除该通行密钥并添加新的通行密钥。"),
        recoveryCodeUsed: Notice(
            subject: "您的 {{{organisation}}} 账户使用了一个恢复代码",
            event: "有人使用恢复代码登录了您的 {{{organisation}}} 账户。"),
        accountExists: Notice(
            subject: "您已有 {{{organisation}}} 账户",
            event: "有人（可能是您本人）使用此电子邮件地址申请了新的 {{{organisation}}} 账户。此地址已有账户：请登录；如果忘记了密码，请重置密码。",
            unasked: "如果不是您本人操作，您无需采取任何措施：您的账户没有变化。"),
        signInLocked: Notice(
            subject: "有人正在尝试登录您的 {{{organisation}}} 账户",
            event: "有人尝试用许多错误密码登录您的 {{{organisation}}} 账户。密码登录已暂时锁定；设置新密码即可立即解除锁定。",
            unasked: "如果不是您本人操作，您的账户仍受到保护。请在此使用您未在其他任何地方使用的密码。"),
        signedInAfterFailures: Notice(
            subject: "您的 {{{organisation}}} 账户在多次输入错误密码后被登录",
            event: "有人在多次输入错误密码后，输入了您的 {{{organisation}}} 账户的正确密码。"),
        methodLabel: "电子邮件地址",
        authenticatorApp: "身份验证器应用",
        passkey: "通行密钥",
        recoveryCodes: "恢复代码",
        recoveryCodesLeft: "剩余恢复代码",
        timeLabel: "时间",
        networkLabel: "网络")
}
